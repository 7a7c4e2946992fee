import { expect, test } from "vitest";
import type { EntryRuleSet } from "#lib/entries/rules/contract.ts";
import { draftOf, faultsOf, rulesOf, settingsOf } from "./draft.ts";

const rule = {
  account: "4970",
  counter_account: "1200",
  tax_code: null,
  cost_center: "200",
  text: "Fee {period}",
};
const NONE = {
  fx: null,
  rounding: null,
  write_off: null,
  other: null,
  residual: null,
  excluded_left: null,
  excluded_right: null,
  carried_left: null,
  carried_right: null,
};
const stored = {
  rules: { fee: rule, ...NONE },
  ledger: {
    datev_consultant: 29_098,
    datev_client: null,
    datev_account_length: 4,
    fiscal_year_month: 1,
    sap_company_code: null,
    push: { connection_id: "con_019a9f4be2c04d6f8a1b3c5d7e9f0a2b", folder: null, format: "xero" },
  },
} as EntryRuleSet;

test("unchanged values are sent as stored", () => {
  const draft = draftOf(stored);
  expect([rulesOf(draft), settingsOf(draft)]).toEqual([stored.rules, stored.ledger]);
});

test("a kind without accounts posts nothing, and one without a text gets a default text", () => {
  const draft = draftOf(stored);
  const { rules } = draft;
  const changed = {
    ...draft,
    rules: {
      ...rules,
      fee: { ...rules.fee, account: " ", counter_account: "" },
      fx: { ...rules.fx, account: "1", counter_account: "2" },
    },
  };
  expect(rulesOf(changed)).toMatchObject({ fee: null, fx: { text: "{kind} {reference}" } });
});

test.each([
  [{}, {}],
  [{ account: "" }, { account: "Enter an account." }],
  [{ text: "Fee {iban}" }, { text: "{iban} isn't a placeholder." }],
])("a rule with %j has the faults %j", (change, faults) => {
  expect(faultsOf({ ...rule, tax_code: "", ...change })).toEqual(faults);
});
