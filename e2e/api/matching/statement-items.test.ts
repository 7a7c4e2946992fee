import { readXlsx } from "hucre/xlsx";
import { expect, test } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import type { Match } from "#lib/matching/contract.ts";
import type { Statement } from "#lib/matching/periods/contract.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 300_000;
const NEAR = [
  {
    name: "Near amounts",
    kind: "tolerance",
    on: ["reference"],
    amount_tolerance_minor: 100,
    then: "match",
  },
];
/** Enough pairs that their lines fill more than one page of the export. */
const PAIRS = 140;

type Row = Record<string, string>;

/**
 * October with an inverted right source: a pair that differs by 0.50, a match with a fee, an
 * excluded line on each side, an open line, and pairs that agree.
 */
async function october() {
  const fixture = await Fixture.create({ sign: "inverted" });
  await fixture.ok("PUT", `reconciliations/${fixture.period}/rules`, { body: { rules: NEAR } });
  const pairs = (factor: number) =>
    Array.from({ length: PAIRS }, (_, n) =>
      line(`p${n}`, factor * (10_000 + n), { reference: `P-${n}` }),
    );
  const [near = "", account = "", paid = "", open = ""] = await fixture.add("left", [
    line("near", 2_000, { reference: "R-2" }),
    line("account", -77, { counterparty: "Bank" }),
    line("paid", 500, { reference: "RG-500" }),
    line("open", 40, { reference: "RG-40" }),
    ...pairs(1),
  ]);
  const [, twice = "", first = "", second = ""] = await fixture.add("right", [
    line("near", -1_950, { reference: "R-2" }),
    line("twice", -31, { counterparty: "Vogel" }),
    line("first", -300, { reference: "RG-300" }),
    line("second", -220, { reference: "RG-220" }),
    ...pairs(-1),
  ]);
  await fixture.run();
  const fee = await fixture.ok<Match>("POST", `reconciliations/${fixture.period}/matches`, {
    body: {
      line_ids: [paid, first, second],
      adjustments: [{ kind: "fee", amount_minor: -20, note: "Card fee" }],
    },
  });
  await fixture.ok("POST", `lines/${account}/exclude`, { body: { reason: "Account fee" } });
  await fixture.ok("POST", `lines/${twice}/exclude`, { body: { reason: "Booked twice" } });
  return { fixture, near, account, twice, open, fee: fee.id };
}

const statementOf = (fixture: Fixture, period = fixture.period) =>
  fixture.ok<Statement>("GET", `reconciliations/${period}/statement`);

async function exported(fixture: Fixture, query: Record<string, string> = {}): Promise<string> {
  const path = `reconciliations/${fixture.period}/statement/export`;
  const { status, text } = await fixture.call("GET", path, { query: { format: "csv", ...query } });
  expect(status, text).toBe(200);
  return text;
}

/** The rows of a CSV file without quoted values: no value above contains a comma. */
function rowsOf(csv: string): Row[] {
  const [header = "", ...rows] = csv.trimEnd().split("\r\n");
  const columns = header.split(",");
  return rows.map((row) =>
    Object.fromEntries(row.split(",").map((cell, at) => [columns[at] ?? "", cell])),
  );
}

type Cells = Record<string, unknown>;

/** The cells of a row by the sheet's header. */
const named = (header: readonly unknown[], row: readonly unknown[]): Cells =>
  Object.fromEntries(header.map((name, at) => [`${name}`, row[at] ?? null]));

const total = (rows: readonly Row[]) =>
  rows.reduce(
    (sum, { side, amount_minor }) => sum + (side === "right" ? -1 : 1) * Number(amount_minor),
    0,
  );

test(
  "a statement itemizes residuals and exclusions with actor and time, in the sign of the proof",
  async () => {
    const { fixture, near, account, twice, open } = await october();
    const statement = await statementOf(fixture);
    const decided_at = expect.stringMatching(/Z$/);
    const byAda = { decided_by: "user:ada", decided_at };
    expect(statement).toMatchObject({ residual_count: 1, exclusion_count: 2, adjustment_count: 1 });
    expect(statement.residuals).toMatchObject([
      {
        line_id: near,
        currency: "EUR",
        amount_minor: 50,
        reference: "R-2",
        reason: "Near amounts",
        decided_by: null,
        decided_at,
      },
    ]);
    expect(statement.exclusions).toMatchObject([
      {
        line_id: account,
        side: "left",
        amount_minor: -77,
        counterparty: "Bank",
        reason: "Account fee",
        ...byAda,
      },
      {
        line_id: twice,
        side: "right",
        amount_minor: 31,
        counterparty: "Vogel",
        reason: "Booked twice",
        ...byAda,
      },
    ]);
    expect(statement.adjustments).toMatchObject([
      { kind: "fee", amount_minor: -20, note: "Card fee", ...byAda },
    ]);
    expect(statement.differences).toEqual([
      {
        currency: "EUR",
        adjustments_minor: -20,
        residual_minor: 50,
        difference_minor: 0,
        unexplained_minor: null,
      },
    ]);
    const [left, right] = statement.proof.items;
    expect(Number(left?.adjustments) - Number(right?.adjustments)).toBe(-20);
    expect(Number(left?.residual) - Number(right?.residual)).toBe(50);

    await fixture.ok("POST", `reconciliations/${fixture.period}/close`);
    const { id } = await fixture.bind({ period_start: "2026-11-01", period_end: "2026-11-30" });
    await fixture.ok("POST", `lines/${open}/exclude`, {
      body: { reason: "Never paid", reconciliation_id: id },
    });
    const november = await statementOf(fixture, id);
    expect(november).toMatchObject({
      residual_count: 0,
      residuals: [],
      exclusion_count: 1,
      adjustments: [],
    });
    expect(november.exclusions).toMatchObject([{ line_id: open, side: "left", amount_minor: 40 }]);
    expect(november.balances[0]).toMatchObject({ side: "left", excluded_minor: -37 });
  },
  SLOW,
);

test(
  "a statement's export is complete, with matches on request, and a closed period's never changes",
  async () => {
    const { fixture, open, fee } = await october();
    const [csv, whole] = [await exported(fixture), await exported(fixture, { matches: "true" })];
    expect(csv.split("\r\n")[0]).toBe(
      "kind,item,currency,side,amount,amount_minor,value_date,age_days,line_id,match_id,reference,counterparty,description,reason,decided_by,decided_at",
    );
    expect(whole.startsWith(csv)).toBe(true);
    const rows = rowsOf(whole);
    const of = (kind: string, like: Row = {}) =>
      rows.filter(
        (row) =>
          row.kind === kind && Object.entries(like).every(([name, value]) => row[name] === value),
      );
    const balance = (item: string, side = "") =>
      Number(of("balance", { item, side })[0]?.amount_minor);

    expect(of("outstanding")).toMatchObject([
      { line_id: open, side: "left", amount_minor: "40", age_days: "19" },
    ]);
    expect(of("adjustment")).toMatchObject([
      { item: "fee", match_id: fee, reason: "Card fee", decided_by: "user:ada" },
    ]);
    expect(of("residual")).toMatchObject([
      { reason: "Near amounts", reference: "R-2", decided_by: "" },
    ]);
    expect(of("exclusion").map(({ side, reason }) => [side, reason])).toEqual([
      ["left", "Account fee"],
      ["right", "Booked twice"],
    ]);

    for (const side of ["left", "right"]) {
      const sum = (kind: string) =>
        of(kind, { side }).reduce((all, { amount_minor }) => all + Number(amount_minor), 0);
      expect([sum("outstanding"), sum("exclusion")]).toEqual([
        balance("outstanding", side),
        balance("excluded", side),
      ]);
      expect(sum("match") + sum("exclusion") + sum("outstanding")).toBe(balance("closing", side));
    }
    expect([total(of("adjustment")), total(of("residual"))]).toEqual([
      balance("adjustments"),
      balance("residuals"),
    ]);
    expect([balance("adjustments"), balance("residuals"), balance("difference")]).toEqual([
      -20, 50, 0,
    ]);
    const matches = Map.groupBy(of("match"), ({ match_id = "" }) => match_id);
    expect(matches.size).toBe(PAIRS + 2);
    expect(of("match")).toHaveLength(2 * PAIRS + 5);
    for (const [match_id, lines] of matches)
      expect(total(lines), match_id).toBe(
        total([...of("adjustment", { match_id }), ...of("residual", { match_id })]),
      );

    await fixture.ok("POST", `reconciliations/${fixture.period}/close`);
    const { id } = await fixture.bind({ period_start: "2026-11-01", period_end: "2026-11-30" });
    await fixture.ok("POST", `lines/${open}/exclude`, {
      body: { reason: "Never paid", reconciliation_id: id },
    });
    await fixture.add("left", [line("late", 12)]);
    expect(await exported(fixture, { matches: "true" })).toBe(whole);
  },
  SLOW,
);

test(
  "the workbook has the rows of the CSV, one sheet per kind, and adds up to the JSON statement",
  async () => {
    const { fixture, open } = await october();
    const statement = await statementOf(fixture);
    const path = `reconciliations/${fixture.period}/statement/export`;
    const sheetsOf = async (query: Record<string, string> = {}) => {
      const { status, headers, bytes, text } = await fixture.call("GET", path, {
        query: { format: "xlsx", ...query },
      });
      expect(status, text).toBe(200);
      expect(headers.get("content-type")).toBe(
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      );
      const [cover, ...sheets] = (await readXlsx(bytes)).sheets;
      expect(cover).toMatchObject({
        name: "Statement",
        rows: expect.arrayContaining([
          ["Reconciliation statement", null],
          ["Left source", statement.left_source],
          ["Right source", statement.right_source],
          ["Proof", "Holds to the cent"],
        ]),
      });
      return Object.fromEntries(
        sheets.map(({ name, rows: [header = [], ...rows] }) => [
          name,
          rows.map((row) => named(header, row)),
        ]),
      );
    };
    const [sheets, whole] = [await sheetsOf(), await sheetsOf({ matches: "true" })];
    expect(Object.keys(sheets)).toEqual([
      "Balances",
      "Outstanding",
      "Adjustments",
      "Exclusions",
      "Residuals",
    ]);
    const { Matches = [], ...same } = whole;
    expect(same).toEqual(sheets);
    const csv = rowsOf(await exported(fixture, { matches: "true" }));
    const cents = (rows: readonly Cells[] = []) =>
      rows.map(({ Amount }) => Math.round(Number(Amount) * 100));
    for (const [name, kind] of [
      ["Balances", "balance"],
      ["Outstanding", "outstanding"],
      ["Adjustments", "adjustment"],
      ["Exclusions", "exclusion"],
      ["Residuals", "residual"],
      ["Matches", "match"],
    ] as const) {
      expect(cents(whole[name]), name).toEqual(
        csv.filter((row) => row.kind === kind).map(({ amount_minor }) => Number(amount_minor)),
      );
    }
    expect(sheets.Outstanding).toMatchObject([
      {
        "Line ID": open,
        "Value date": expect.any(Date),
        Days: 19,
        Source: statement.left_source,
        Amount: 0.4,
      },
    ]);
    expect(sheets.Exclusions?.[0]).toMatchObject({
      Reason: "Account fee",
      "Decided by": "ada",
      "Decided at (UTC)": expect.any(Date),
    });
    expect(Matches).toHaveLength(2 * PAIRS + 5);

    const { balances, differences } = statement;
    const balance = (item: string, source: string | null) =>
      cents(
        sheets.Balances?.filter(({ Balance, Source }) => Balance === item && Source === source),
      );
    for (const { side, closing_minor, outstanding_minor, excluded_minor } of balances) {
      const name = side === "left" ? statement.left_source : statement.right_source;
      expect(["Closing", "Outstanding", "Excluded"].flatMap((item) => balance(item, name))).toEqual(
        [closing_minor, outstanding_minor, excluded_minor],
      );
    }
    expect(balance("Residuals", null)).toEqual([differences[0]?.residual_minor]);
  },
  SLOW,
);

test(
  "a statement from before itemization can still be read and exported completely",
  async () => {
    const { fixture } = await october();
    await fixture.ok("POST", `reconciliations/${fixture.period}/close`);
    const [
      { residuals, exclusions, residual_count, exclusion_count, adjustment_count, ...before },
      csv,
    ] = [await statementOf(fixture), await exported(fixture)];
    expect([
      residuals?.length,
      exclusions?.length,
      residual_count,
      exclusion_count,
      adjustment_count,
    ]).toEqual([1, 2, 1, 2, 1]);
    await sql(
      `update closings set statement = statement - array['residuals', 'exclusions',
         'residual_count', 'exclusion_count', 'adjustment_count']
       where tenant_id = $1`,
      [fixture.tenant],
    );
    expect(await statementOf(fixture)).toEqual(before);
    expect(await exported(fixture)).toBe(csv);
  },
  SLOW,
);
