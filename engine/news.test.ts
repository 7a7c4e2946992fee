import { expect, test } from "vitest";
import { type News, runWithNews } from "./engine.ts";
import { checkInvariants } from "./invariants.ts";
import { manufacturer } from "./judge/datasets/conventions/months.ts";
import type { DatasetLine } from "./judge/datasets/dataset.ts";
import { payers } from "./judge/datasets/payers/payers.ts";
import { linesOf, pairsOf } from "./judge/measure.ts";
import { judgeNews } from "./judge/news.ts";
import { finished } from "./progress.ts";
import { DEFAULT_RULES, type Rule } from "./rules.ts";

const MONTHS = { manufacturer, payers };

/** Every n-th line of a side, by its identity. */
function everyNth(lines: readonly DatasetLine[], n: number): (line: DatasetLine) => boolean {
  const fresh = new Set(lines.filter((_, at) => at % n === 0).map(({ identity }) => identity));
  return ({ identity }) => fresh.has(identity);
}

for (const [name, month] of Object.entries(MONTHS)) {
  test(`new lines of ${name} are matched as by a full run, and nothing is matched wrongly`, () => {
    const dataset = month(1, 1500);
    const latest = [...dataset.right].sort((one, other) => one.value_date - other.value_date);
    const isFresh = everyNth(latest.slice(-200), 2);
    const { found, full, result } = judgeNews(dataset, isFresh);
    const truth = new Set(dataset.truth.flatMap(({ left, right }) => pairsOf(left, right)));
    const automatic = (matches: typeof full) =>
      matches.filter((match) => match.automatic).flatMap(({ left, right }) => pairsOf(left, right));
    const matched = automatic(found ?? []);
    expect(matched.filter((pair) => !truth.has(pair))).toEqual([]);
    expect(matched.length).toBeGreaterThan(0.6 * automatic(full).length);
    expect(result && checkInvariants(result)).toEqual([]);
  });
}

test("estimates are plain JSON without gaps", () => {
  const { estimates } = judgeNews(manufacturer(1, 600), () => false);
  const models = estimates.rules.flatMap((rule) => (rule ? [JSON.stringify(rule)] : []));
  expect(models.length).toBeGreaterThan(1);
  for (const model of models) expect(model).not.toContain("null");
});

const line = (identity: string, other: Partial<DatasetLine> = {}): DatasetLine => ({
  identity,
  amount_minor: 12_345,
  currency: "EUR",
  value_date: 20_000,
  ...other,
});

/** Estimates of a month in which equal amounts with the same number belong together. */
const { estimates } = judgeNews(manufacturer(2, 800), () => false);

/** What a run with news makes of its fresh lines, by identities. */
function runNews(
  left: DatasetLine[],
  right: DatasetLine[],
  {
    fresh,
    matched = [],
    rules = DEFAULT_RULES,
  }: { fresh: string[]; matched?: string[]; rules?: readonly Rule[] },
) {
  const flags = (identities: string[]): News["fresh"] => ({
    left: Uint8Array.from(left, ({ identity }) => (identities.includes(identity) ? 1 : 0)),
    right: Uint8Array.from(right, ({ identity }) => (identities.includes(identity) ? 1 : 0)),
  });
  const result = finished(
    runWithNews(
      { left: linesOf("left", left), right: linesOf("right", right), rules },
      { estimates, fresh: flags(fresh), matched: flags(matched) },
    ),
  );
  const named = (matches: NonNullable<typeof result>["confirmed"]) =>
    Array.from({ length: matches.length }, (_, index) => [
      ...Array.from(matches.left(index), (at) => left[at]?.identity),
      ...Array.from(matches.right(index), (at) => right[at]?.identity),
    ]).filter((lines) => lines.some((identity) => fresh.includes(identity as string)));
  return result && { confirmed: named(result.confirmed), suggested: named(result.suggested) };
}

const invoice = (n: number, other: Partial<DatasetLine> = {}) =>
  line(`invoice ${n}`, {
    amount_minor: 100_003 + 7919 * n,
    reference: `RE-77${1000 + n}`,
    counterparty: `Muster ${n} GmbH`,
    ...other,
  });
const payment = (n: number, other: Partial<DatasetLine> = {}) =>
  line(`payment ${n}`, {
    amount_minor: 100_003 + 7919 * n,
    value_date: 20_002,
    counterparty: `MUSTER ${n} GMBH`,
    description: `Rechnung RE-77${1000 + n}`,
    ...other,
  });
const many = Array.from({ length: 60 }, (_, n) => n);

test("a new line is matched with an open one, and other open lines are left alone", () => {
  const found = runNews(
    many.map((n) => invoice(n)),
    [payment(1), payment(2)],
    {
      fresh: ["payment 1"],
    },
  );
  expect(found?.confirmed).toEqual([["invoice 1", "payment 1"]]);
});

test("a line that was matched before is never matched again", () => {
  const found = runNews(
    many.map((n) => invoice(n)),
    [payment(1)],
    {
      fresh: ["payment 1"],
      matched: ["invoice 1"],
    },
  );
  expect(found?.confirmed).toEqual([]);
});

test("an open rival keeps a new line from being matched", () => {
  const rivals = [payment(1), { ...payment(1), identity: "rival" }];
  const found = runNews(
    many.map((n) => invoice(n)),
    rivals,
    { fresh: ["payment 1"] },
  );
  expect(found?.confirmed).toEqual([]);
});

test("a rule that weighs no texts compares a new line with all amounts within its tolerance", () => {
  const rules: Rule[] = [
    {
      name: "Near",
      kind: "tolerance",
      amount_tolerance_minor: 10,
      days_before: 5,
      days_after: 5,
      then: "match",
    },
  ];
  const near = (identity: string, amount_minor: number, description: string) =>
    line(identity, { amount_minor, description });
  const alpha = near("left 1", 10_000, "Alpha");
  const run = (left: DatasetLine[]) =>
    runNews(left, [near("right 1", 10_003, "Alpha")], { fresh: ["right 1"], rules });
  expect(run([alpha])?.confirmed).toEqual([["left 1", "right 1"]]);
  expect(run([alpha, near("left 2", 10_006, "Beta")])?.confirmed).toEqual([]);
});

test("a sum without a key is suggested, but not matched", () => {
  const parts = [invoice(1), invoice(2, { counterparty: "Muster 1 GmbH" })];
  const total = payment(1, {
    amount_minor: parts.reduce((sum, { amount_minor }) => sum + amount_minor, 0),
    description: "Sammelzahlung",
  });
  const others = many.slice(3).map((n) => invoice(n));
  const found = runNews([...parts, ...others], [total], { fresh: ["payment 1"] });
  expect(found).toEqual({ confirmed: [], suggested: [["invoice 1", "invoice 2", "payment 1"]] });
});

test("a line that was matched before is no part of a sum", () => {
  const parts = [invoice(1), invoice(2, { counterparty: "Muster 1 GmbH" })];
  const total = payment(1, {
    amount_minor: parts.reduce((sum, { amount_minor }) => sum + amount_minor, 0),
    description: "Sammelzahlung",
  });
  const others = many.slice(3).map((n) => invoice(n));
  const found = runNews([...parts, ...others], [total], {
    fresh: ["payment 1"],
    matched: ["invoice 2"],
  });
  expect(found?.suggested.flat()).not.toContain("invoice 2");
});

test("new lines that may belong to most of the open ones are left to a full run", () => {
  const equal = (side: string) =>
    Array.from({ length: 1500 }, (_, at) =>
      line(`${side} ${at}`, { description: `${side} ${at}` }),
    );
  expect(runNews(equal("left"), equal("right"), { fresh: ["right 0"] })).toBeNull();
});
