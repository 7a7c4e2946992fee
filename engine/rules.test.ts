import { describe, expect, test } from "vitest";
import { combinationHashOf } from "./content-hash.ts";
import { type Input, match } from "./engine.ts";
import { explain } from "./explain.ts";
import { checkInvariants } from "./invariants.ts";
import { type Line, Lines } from "./lines.ts";
import { isWithin, reachOf } from "./prepare/amounts.ts";
import { businessDaysOf, mondayToFriday } from "./prepare/days.ts";
import { REASONS } from "./reasons.ts";
import { DEFAULT_RULES, type Rule } from "./rules.ts";
import { suggestFor } from "./suggest-for.ts";
import { automaticThreshold, describeWeights, learn, trackRecord } from "./weights.ts";

type Given = Partial<Line>;

function columns(side: "left" | "right", given: readonly Given[]): Lines {
  const lines = new Lines(side, given.length);
  for (const [handle, line] of given.entries()) lines.add(whole(line, handle));
  return lines;
}

function whole(line: Given, handle: number): Line {
  return {
    handle,
    identity: String(handle),
    amount_minor: 10_000,
    currency: "EUR",
    value_date: 20_000,
    ...line,
  };
}

function solve(
  left: readonly Given[],
  right: readonly Given[],
  rules: readonly Rule[] = DEFAULT_RULES,
  more: Partial<Input> = {},
) {
  const result = match({
    left: columns("left", left),
    right: columns("right", right),
    rules,
    ...more,
  });
  expect(checkInvariants(result)).toEqual([]);
  return result;
}

function members(
  result: ReturnType<typeof solve>,
  state: "confirmed" | "suggested" = "confirmed",
): string[] {
  return Array.from(
    { length: result[state].length },
    (_, at) => `${[...result[state].left(at)].sort()}|${[...result[state].right(at)].sort()}`,
  ).sort();
}

const rule = (kind: Rule["kind"], more: Partial<Rule> = {}): Rule => ({
  name: kind,
  kind,
  then: "match",
  ...more,
});

describe("exact", () => {
  test("pairs unique lines, and indistinguishable ones in order", () => {
    const result = solve(
      [{ reference: "A" }, { reference: "B" }, { reference: "B" }],
      [{ reference: "B" }, { reference: "a" }, { reference: "B" }],
      [rule("exact", { on: ["reference"] })],
    );
    expect(members(result)).toEqual(["0|1", "1|0", "2|2"]);
    expect([0, 1, 2].map((at) => explain(result, "confirmed", at).basis).sort()).toEqual([
      "in_order",
      "in_order",
      "unique",
    ]);
  });

  test("never pairs lines that differ in a field outside the rule", () => {
    const result = solve(
      [
        { reference: "B", value_date: 1 },
        { reference: "B", value_date: 9 },
      ],
      [{ reference: "B" }],
      [rule("exact", { on: ["reference"] })],
    );
    expect(members(result)).toEqual([]);
  });

  test("needs the fields it compares", () => {
    expect(members(solve([{}], [{}], [rule("exact", { on: ["reference"] })]))).toEqual([]);
  });
});

describe("tolerance", () => {
  const near = rule("tolerance", { amount_tolerance_minor: 100, days_after: 3 });

  test("matches a single counterpart, and records the difference as residual", () => {
    const result = solve(
      [{ amount_minor: 10_000 }],
      [{ amount_minor: 9930, value_date: 20_002 }],
      [near],
    );
    expect(members(result)).toEqual(["0|0"]);
    expect(explain(result, "confirmed", 0).tolerance).toEqual({
      amount_used_minor: "70",
      amount_allowed_minor: 100,
      days: 2,
      days_before: null,
      days_after: 3,
    });
  });

  test("matches nothing if two counterparts are equally near", () => {
    expect(
      members(
        solve(
          [{}],
          [
            { amount_minor: 10_010, value_date: 20_001 },
            { amount_minor: 9990, value_date: 20_001 },
          ],
          [near],
        ),
      ),
    ).toEqual([]);
  });

  test("allocates the smaller amount and leaves the difference open without a residual", () => {
    const result = solve(
      [{ amount_minor: 10_000 }],
      [{ amount_minor: 9930 }],
      [{ ...near, residual: "none" }],
    );
    expect(result.confirmed.allocated(0, result.input.left, result.input.right)).toEqual([
      9930, 9930,
    ]);
  });

  test("leaves no difference open on a line that would have to give more than it has", () => {
    const shared = { group_key: "po_1" };
    const rules = [rule("group", { amount_tolerance_minor: 30, residual: "none" })];
    const result = solve(
      [{ ...shared, amount_minor: -1 }],
      [
        { ...shared, amount_minor: -26 },
        { ...shared, amount_minor: 1 },
      ],
      rules,
    );
    expect(members(result)).toEqual([]);
  });

  test("counts business days over a weekend", () => {
    // 2024-10-04 is a Friday.
    const friday = 20_000;
    expect((friday + 4) % 7).toBe(5);
    const business = rule("tolerance", { days_after: 1, day_kind: "business" });
    expect(
      members(solve([{ value_date: friday }], [{ value_date: friday + 3 }], [business])),
    ).toEqual(["0|0"]);
    expect(
      members(solve([{ value_date: friday }], [{ value_date: friday + 4 }], [business])),
    ).toEqual([]);
  });

  test.each(["exact", "tolerance", "group", "score"] as const)(
    "counts the open days of a calendar in a %s rule, and reports them",
    (kind) => {
      const friday = 20_000;
      const shared = { reference: "INV-9 Meier", group_key: "po_1" };
      const business = rule(kind, {
        on: kind === "group" ? ["group_key"] : ["reference"],
        days_after: 1,
        day_kind: "business",
      });
      // Closed on the Monday: Tuesday is the next day that it opens.
      const businessDays = businessDaysOf({
        weekdays: [1, 2, 3, 4, 5],
        opened: [],
        closed: [friday + 3],
      });
      const lines = [
        [{ ...shared, value_date: friday }],
        [{ ...shared, value_date: friday + 4 }],
      ] as const;
      const found = (more: object) => solve(...lines, [business], more);
      expect(found({}).confirmed.length + found({}).suggested.length).toBe(0);
      const result = found({ businessDays });
      const state = result.confirmed.length > 0 ? "confirmed" : "suggested";
      expect(members(result, state)).toEqual(["0|0"]);
      expect(explain(result, state, 0).tolerance).toMatchObject({ days: 1, days_after: 1 });
    },
  );

  test("explains that a counterpart is too far away in the rule's days", () => {
    const friday = 20_000;
    const reason = (closed: number[]) => {
      const { open } = solve(
        [{ reference: "INV-9", value_date: friday }],
        [{ reference: "INV-9", value_date: friday + 5 }],
        [rule("tolerance", { on: ["counterparty"], days_after: 2, day_kind: "business" })],
        { businessDays: businessDaysOf({ weekdays: [1, 2, 3, 4, 5], opened: [], closed }) },
      );
      return REASONS[open.left.reason[0] as number];
    };
    expect(reason([])).toBe("outside_window");
    expect(reason([friday + 3])).toBe("ambiguous");
  });

  test("applies its tolerance to the minor unit, up to the largest safe amounts", () => {
    for (const tolerance of [
      { minor: 3, bps: 0 },
      { minor: 0, bps: 1500 },
      { minor: 50, bps: 30 },
      { minor: 0, bps: 10_000 },
    ]) {
      for (const amount of [
        1,
        7,
        99,
        10_001,
        -10_001,
        Number.MAX_SAFE_INTEGER,
        -Number.MAX_SAFE_INTEGER,
      ]) {
        const { low, high } = reachOf(tolerance, amount);
        expect(isWithin(tolerance, amount, low)).toBe(true);
        expect(isWithin(tolerance, amount, high)).toBe(true);
        if (Math.abs(low) > 1 && Math.abs(low - 1) < Number.MAX_SAFE_INTEGER)
          expect(isWithin(tolerance, amount, low - 1)).toBe(false);
        if (Math.abs(high) < Number.MAX_SAFE_INTEGER - 1 && high !== -1)
          expect(isWithin(tolerance, amount, high + 1)).toBe(false);
      }
    }
  });
});

describe("reversal and group", () => {
  test("lines of one side that cancel are matched with each other", () => {
    const result = solve(
      [{ reference: "V" }, { reference: "V", amount_minor: -10_000, value_date: 20_003 }],
      [],
      [rule("reversal", { on: ["reference"], days_after: 5 })],
    );
    expect(members(result)).toEqual(["0,1|"]);
  });

  test("lines of one key match those of that key or the line of their sum", () => {
    const grouped = rule("group", { on: ["group_key"], days_after: 5 });
    const left = [
      { group_key: "p1", amount_minor: 700 },
      { group_key: "p1", amount_minor: -200 },
      { group_key: "p2", amount_minor: 4000 },
      { group_key: "p2", amount_minor: 55 },
    ];
    const right = [
      { group_key: "p1", amount_minor: 500 },
      { amount_minor: 4055, description: "payout p2" },
    ];
    expect(members(solve(left, right, [grouped]))).toEqual(["0,1|0", "2,3|1"]);
  });

  test("a sum is matched if unique and no coincidence, and suggested otherwise", () => {
    const sums = rule("group", { days_after: 5 });
    const left = [{ amount_minor: 123_457 }, { amount_minor: 88_123 }, { amount_minor: 41_999 }];
    expect(
      members(solve(left, [{ amount_minor: 123_457 + 41_999, value_date: 20_001 }], [sums])),
    ).toEqual(["0,2|0"]);
    const doubtful = Array.from({ length: 12 }, (_, at) => ({
      amount_minor: 100 * (at + 3),
      counterparty: `C${at}`,
    }));
    expect(members(solve(doubtful, [{ amount_minor: 2000, value_date: 20_001 }], [sums]))).toEqual(
      [],
    );
  });
});

describe("what is open", () => {
  const reasonOf = (left: readonly Given[], right: readonly Given[], line = 0) => {
    const { open } = solve(left, right);
    const at = open.left.line.indexOf(line);
    return at < 0 ? "matched" : REASONS[open.left.reason[at] as number];
  };

  test("has the reason that a person would give", () => {
    expect(reasonOf([{ reference: "X1" }], [])).toBe("missing_counterpart");
    expect(reasonOf([{ reference: "X1" }], [{ reference: "X1", currency: "USD" }])).toBe(
      "currency_differs",
    );
    expect(reasonOf([{ reference: "X77" }], [{ reference: "X77", value_date: 20_200 }])).toBe(
      "outside_window",
    );
    expect(reasonOf([{ reference: "X1" }], [{ reference: "X1", amount_minor: 7 }])).toBe(
      "amount_differs",
    );
    expect(reasonOf([{ reference: "X1" }, { reference: "X1" }], [{ reference: "X1" }], 1)).toBe(
      "duplicate",
    );
    expect(
      reasonOf([{ group_key: "g" }, { group_key: "g", amount_minor: 5 }], [{ amount_minor: 3 }]),
    ).toBe("group_incomplete");
    expect(reasonOf([{}], [{ counterparty: "A" }, { counterparty: "B" }])).toBe("ambiguous");
  });
});

describe("what people decide", () => {
  const decision = (confirmed: boolean, at: number) => ({
    left: { amount_minor: 1000 + at, currency: "EUR", value_date: 20_000, reference: `R${at}` },
    right: {
      amount_minor: 980 + at,
      currency: "EUR",
      value_date: 20_004,
      description: `paid R${at}`,
    },
    confirmed,
    score: 0.992,
  });

  test("shifts the expectation of a match, and states by how much", () => {
    const share = (weights: Parameters<typeof describeWeights>[0]) =>
      describeWeights(weights).find(({ finding }) => finding === "value_date: 3 to 7 days later")
        ?.share ?? 0;
    const learnt = learn(
      null,
      Array.from({ length: 60 }, (_, at) => decision(true, at)),
      mondayToFriday,
    );
    expect(learnt.confirmed).toBe(60);
    expect(share(learnt)).toBeGreaterThan(0.9);
    expect(share(null)).toBeLessThan(0.5);
    expect(learn(learnt, [decision(true, 99)], mondayToFriday).confirmed).toBe(61);
  });

  test("teaches each rule in the days that it counts, business or calendar", () => {
    const FRIDAY = 20_000;
    const overAWeekend = (at: number) => ({
      left: { ...decision(true, at).left, value_date: FRIDAY },
      right: { ...decision(true, at).right, value_date: FRIDAY + 3 },
      confirmed: true,
      score: null,
    });
    const weights = learn(
      null,
      Array.from({ length: 60 }, (_, at) => overAWeekend(at)),
      mondayToFriday,
    );
    const counterpartOf = (lags: [number, number], day_kind: "calendar" | "business") =>
      members(
        solve(
          [{ value_date: FRIDAY }],
          lags.map((lag) => ({ value_date: FRIDAY + lag })),
          [rule("score", { days_after: 7, day_kind })],
          { weights },
        ),
        "suggested",
      );
    // Monday is one business day later, Wednesday three.
    expect(counterpartOf([5, 3], "business")).toEqual(["0|1"]);
    expect(counterpartOf([1, 3], "calendar")).toEqual(["0|1"]);
  });

  test("raises the automatic score after rejections, and proves a track record", () => {
    const good = learn(
      null,
      Array.from({ length: 150 }, (_, at) => decision(true, at)),
      mondayToFriday,
    );
    expect(automaticThreshold(good, 0.99)).toBe(0.99);
    expect(trackRecord(good, 0.99)).toMatchObject({ decided: 150, precision: 1, proven: true });
    const bad = learn(
      good,
      Array.from({ length: 4 }, (_, at) => decision(false, at)),
      mondayToFriday,
    );
    expect(automaticThreshold(bad, 0.99)).toBeGreaterThan(0.992);
    expect(trackRecord(bad, 0.99).proven).toBe(false);
  });

  test("moves a line to its second best match after a rejection", () => {
    const lines = () => ({
      left: columns("left", [{ counterparty: "Adler", amount_minor: 12_341 }]),
      right: columns("right", [
        { counterparty: "ADLER", amount_minor: 12_341 },
        { counterparty: "ADLER", amount_minor: 12_341, value_date: 20_003 },
      ]),
    });
    const rules = [rule("score", { days_after: 3 })];
    const counterpartOf = (rejected: Set<string>) => {
      const { confirmed, suggested } = match({ ...lines(), rules, rejected });
      return [...(confirmed.length > 0 ? confirmed : suggested).right(0)];
    };
    expect(counterpartOf(new Set())).toEqual([0]);
    expect(counterpartOf(new Set([combinationHashOf(["0"], ["0"])]))).toEqual([1]);
  });

  test("limits a pair without a track record to suggestions", () => {
    const lines = {
      left: columns("left", [{ counterparty: "Adler", amount_minor: 12_341 }]),
      right: columns("right", [{ counterparty: "ADLER", amount_minor: 12_341 }]),
    };
    const rules = [rule("score", { days_after: 3 })];
    const held = match({ ...lines, rules, automatic: "suggest_only" });
    expect(held.confirmed.length).toBe(0);
    expect(held.suggested.length).toBe(1);
  });
});

test("counterparts of one line come best first, each explained", () => {
  const candidates = [
    { amount_minor: 12_345, value_date: 20_009, description: "Adler INV-77" },
    { amount_minor: 12_345, value_date: 20_003 },
    { amount_minor: 500, description: "someone else" },
  ].map(whole);
  const found = suggestFor({
    line: whole({ amount_minor: 12_345, reference: "INV-77", counterparty: "Adler" }, 9),
    side: "left",
    candidates,
    rules: DEFAULT_RULES,
  });
  expect(found[0]?.handles).toEqual([0]);
  expect(found.map(({ score }) => score)).toEqual(
    found.map(({ score }) => score).sort((a, b) => b - a),
  );
  expect(found[0]?.explanation.fields.find(({ field }) => field === "amount")?.verdict).toBe(
    "equal",
  );
});

test("a manipulated result is detected", () => {
  const result = solve(
    [{ reference: "A" }, { reference: "B", amount_minor: 5 }],
    [{ reference: "A" }, { reference: "B", amount_minor: 5 }],
  );
  expect(result.confirmed.length).toBe(2);
  const member = result.confirmed.member;
  const before = [...member.subarray(0, 4)];
  member[3] = member[1] as number;
  expect(checkInvariants(result).join(" ")).toMatch(/in another match too/);
  member.set(before);
  result.confirmed.partial.set(0, [20_000, 20_000]);
  expect(checkInvariants(result).join(" ")).toMatch(/beyond its amount/);
  result.confirmed.partial.set(0, [-1, -1]);
  expect(checkInvariants(result).join(" ")).toMatch(/against its sign/);
  result.confirmed.partial.set(0, [4, 5]);
  expect(checkInvariants(result).join(" ")).toMatch(/residual/);
});
