import { expect, test } from "vitest";
import { draftRule, type Proposal, withRule } from "./draft-rule.ts";

const equal = (field: string) => ({
  field,
  left: "A",
  right: "A",
  verdict: "equal" as const,
  weight: null,
});
const differs = (field: string) => ({
  field,
  left: "A",
  right: "B",
  verdict: "differs" as const,
  weight: null,
});

function proposal(
  more: Partial<Proposal> = {},
  fields = [equal("amount"), equal("counterparty"), differs("reference")],
  days = 1,
): Proposal {
  const tolerance = {
    amount_used_minor: "0",
    amount_allowed_minor: 0,
    days,
    days_before: null,
    days_after: null,
  };
  return {
    method: "Same amount",
    left_minor: 1000,
    right_minor: 1000,
    line_ids: ["a", "b"],
    explanation: { fields, tolerance },
    ...more,
  };
}

test("a drafted rule requires the texts that agree, and allows the days to differ as much as here", () => {
  expect(draftRule(proposal(), [])).toEqual({
    name: "Same counterparty",
    kind: "exact",
    on: ["counterparty"],
    days_before: 3,
    days_after: 3,
    then: "match",
  });
  expect(draftRule(proposal({}, undefined, -9), [])).toMatchObject({
    days_before: 9,
    days_after: 3,
  });
});

test("a drafted rule allows the amounts to differ as much as here, and no more", () => {
  expect(draftRule(proposal({ right_minor: 970 }), [])).toMatchObject({
    kind: "tolerance",
    amount_tolerance_minor: 30,
    residual: "keep",
  });
});

test("a rule drafted from amount and day alone only suggests", () => {
  expect(draftRule(proposal({}, [equal("amount"), equal("value_date")]), [])).toMatchObject({
    kind: "exact",
    then: "suggest",
  });
});

test("several lines make a group rule, and lines that cancel each other a reversal rule", () => {
  expect(draftRule(proposal({ line_ids: ["a", "b", "c"] }), [])).toMatchObject({
    kind: "group",
    max_group_size: 3,
  });
  expect(draftRule(proposal({ left_minor: 0, right_minor: 0 }), [])).toMatchObject({
    kind: "reversal",
  });
});

test("a drafted rule has a unique name and precedes the rule that proposed it", () => {
  const rule = draftRule(proposal(), ["Same counterparty"]);
  expect(rule.name).toBe("Same counterparty 2");
  const rules = ["First", "Same amount"].map(
    (name) => ({ name, kind: "exact", then: "match" }) as const,
  );
  expect(withRule(rules, rule, "Same amount").map(({ name }) => name)).toEqual([
    "First",
    "Same counterparty 2",
    "Same amount",
  ]);
  expect(withRule(rules, rule, "manual").at(-1)).toBe(rule);
});
