import { expect, test } from "vitest";
import { type Entry, search } from "./search.ts";

const ENTRIES: Entry[] = [
  {
    title: "Create an API key",
    kind: "Operation",
    place: "API keys",
    href: "/create",
    text: "POST /v1/tenants/{id}/api-keys createApiKey",
  },
  {
    title: "Rotate an API key",
    kind: "Operation",
    place: "API keys",
    href: "/rotate",
    text: "POST rotateApiKey grace_period_seconds",
  },
  {
    title: "rate_limited",
    kind: "Error",
    place: "Errors",
    href: "/rate",
    text: "429 Too many requests",
  },
  {
    title: "Retry after a limit",
    kind: "Guide",
    place: "Errors and retries",
    href: "/retry",
    text: "wait as Retry-After says, rate_limited",
  },
];

const found = (query: string) => search(ENTRIES, query).map(({ href }) => href);

test.each([
  ["rotate", ["/rotate"]],
  ["api key", ["/create", "/rotate"]],
  ["API KEY rot", ["/rotate"]],
  ["createApiKey", ["/create"]],
  ["grace_period", ["/rotate"]],
  ["grace period", ["/rotate"]],
  ["/v1/tenants", ["/create"]],
  ["429", ["/rate"]],
  ["rate_limited", ["/rate", "/retry"]],
  ["retry-after", ["/retry"]],
])("%s finds %j", (query, hrefs) => {
  expect(found(query)).toEqual(hrefs);
});

test.each(["", "   ", "zebra", "rotate zebra", "()"])("%j finds nothing", (query) => {
  expect(found(query)).toEqual([]);
});
