import fc from "fast-check";
import { expect, test } from "vitest";
import { callbackPath } from "./callback-path.ts";

const ORIGIN = "https://tieout.example";

test.each([
  ["/acme/exceptions?severity=high#top", "/acme/exceptions?severity=high#top"],
  ["https://tieout.example/acme", "/acme"],
  [undefined, "/"],
  ["", "/"],
])("redirects %s to %s", (target, path) => {
  expect(callbackPath(target, ORIGIN)).toBe(path);
});

test.each([
  "https://evil.example/acme",
  "https://tieout.example@evil.example/",
  "http://tieout.example/acme",
  "//evil.example",
  "/\\evil.example",
  "\t//evil.example",
  "javascript:alert(1)",
  "data:text/html,x",
  "http://[",
  "/sign-in?callbackUrl=/sign-in",
  "/.//evil.example",
  "/a/..//evil.example",
  "/%2e//evil.example",
  "/%2E%2e//evil.example/x",
  "/.\\/evil.example",
  "https://tieout.example//evil.example",
  "https://tieout.example/.//tieout.example/acme",
  "https://ada:secret@tieout.example/acme",
])("redirects %j to the start page", (target) => {
  expect(callbackPath(target, ORIGIN)).toBe("/");
});

test("keeps the browser on our origin for every combination of URL parts", () => {
  const part = fc.constantFrom(
    "/",
    "\\",
    ".",
    "..",
    "%2e",
    "%2f",
    "%5c",
    "evil.example",
    "tieout.example",
    "https:",
    "@",
    "?",
    "#",
    "\t",
    " ",
    ":",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      for (const target of [parts.join(""), `/${parts.join("")}`, `${ORIGIN}/${parts.join("")}`]) {
        expect(new URL(callbackPath(target, ORIGIN), ORIGIN).origin).toBe(ORIGIN);
      }
    }),
  );
});
