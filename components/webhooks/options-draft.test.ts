import { expect, test } from "vitest";
import type { Webhook } from "#lib/webhooks/contract.ts";
import { PRODUCT } from "#lib/wire/product.ts";
import {
  filtersOf,
  headersOf,
  missingInOptions,
  NO_OPTIONS,
  oauthOf,
  optionsOf,
} from "./options-draft.ts";

test("a webhook and its unchanged draft are the same", () => {
  const filters: Webhook["filters"] = {
    severity: ["high"],
    assigned_to: ["user:ada", "user:leo"],
    amount: { currency: "EUR", from_minor: 100_050 },
    source_ids: ["src_019a9f4be2c04d6f8a1b3c5d7e9f0a2b"],
    reconciliation_ids: ["rcn_019a9f4be2c04d6f8a1b3c5d7e9f0a2b"],
  };
  const draft = optionsOf({
    filters,
    header_names: ["X-Key"],
    max_per_minute: 60,
    oauth: null,
  } as Webhook);
  expect(draft.filters).toMatchObject({ assigned_to: "ada, leo", amount: "1,000.50" });
  expect(filtersOf(draft.filters)).toEqual(filters);
  expect(headersOf(draft.headers)).toEqual([{ name: "X-Key" }]);
  expect(missingInOptions(draft)).toEqual({});
  expect(filtersOf(NO_OPTIONS.filters)).toEqual({});
});

test("a client without a new secret keeps the stored one, and needs an ID", () => {
  const oauth = { token_url: "https://login.example.com/t", client_id: "a", scope: "b" };
  const draft = optionsOf({ filters: {}, header_names: [], max_per_minute: null, oauth } as never);
  expect(oauthOf(draft.oauth)).toEqual(oauth);
  expect(oauthOf({ ...draft.oauth, client_secret: "s" })).toEqual({ ...oauth, client_secret: "s" });
  expect(oauthOf(NO_OPTIONS.oauth)).toBeNull();
  const nameless = { ...NO_OPTIONS, oauth: { ...draft.oauth, client_id: "" } };
  expect(missingInOptions(nameless)).toEqual({ oauth: "Enter the client ID." });
});

test("headers are one per line, and a name without a value keeps the stored one", () => {
  expect(headersOf("X-Key: a:b \n\nX-Other:\n")).toEqual([
    { name: "X-Key", value: "a:b" },
    { name: "X-Other" },
  ]);
});

test.each([
  ["webhook-id: 1", `webhook-id is set by ${PRODUCT} or by the connection.`],
  ["Host: x", `Host is set by ${PRODUCT} or by the connection.`],
  ["a b: 1", "Must be 1 to 64 letters, digits or hyphens."],
])("%s is rejected as a webhook header", (headers, fault) => {
  expect(missingInOptions({ ...NO_OPTIONS, headers })).toEqual({ headers: fault });
});

test("an amount needs a number and a currency, and a limit is a whole number", () => {
  const filters = { ...NO_OPTIONS.filters, amount: "many" };
  expect(missingInOptions({ ...NO_OPTIONS, filters, max_per_minute: "0.5" })).toEqual({
    filters: "Enter an amount and its currency, for example 1,000.00 EUR.",
    max_per_minute: "Enter a whole number from 1 to 6000.",
  });
});
