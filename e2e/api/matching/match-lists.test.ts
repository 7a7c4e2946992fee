import { expect, test } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import type { Match } from "#lib/matching/contract.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 300_000;
const RULES = [
  {
    name: "Near amounts",
    kind: "tolerance",
    on: ["reference"],
    amount_tolerance_minor: 100,
    then: "match",
  },
];

/**
 * Three matches of one rule, one with another day and customer, and one of three lines that was
 * matched by hand.
 */
async function october() {
  const fixture = await Fixture.create();
  await fixture.ok("PUT", `reconciliations/${fixture.period}/rules`, { body: { rules: RULES } });
  const [, , , payout = ""] = await fixture.add("left", [
    line("a", 1_000, { reference: "A-1" }),
    line("b", 2_000, { reference: "B-2", value_date: "2026-10-20", counterparty: "Zebra, Inc" }),
    line("c", 3_000, { reference: "C-3" }),
    line("payout", 500, { reference: "=PAYOUT" }),
  ]);
  const [, , , first = "", second = ""] = await fixture.add("right", [
    line("a", 1_000, { reference: "A-1" }),
    line("b", 1_950, { reference: "B-2", value_date: "2026-10-20" }),
    line("c", 3_000, { reference: "C-3" }),
    line("first", 300, { reference: "RG-300" }),
    line("second", 200, { reference: "RG-200", value_date: "2026-10-14" }),
  ]);
  await fixture.run();
  const { id } = await fixture.ok<Match>("POST", `reconciliations/${fixture.period}/matches`, {
    body: { line_ids: [payout, first, second] },
  });
  return { fixture, byHand: id };
}

test(
  "matches are filtered by text, days and amounts of their lines, and by state, rule and shape",
  async () => {
    const { fixture, byHand } = await october();
    const all = await fixture.matches();
    const amounts = async (query: Record<string, string>) =>
      (await fixture.matches(query)).map(({ amount_minor }) => amount_minor).sort((a, b) => a - b);
    expect(all).toHaveLength(4);
    expect(await amounts({ q: "zebra" })).toEqual([2_000]);
    expect(await amounts({ q: "19.50" })).toEqual([2_000]);
    expect(await amounts({ q: "zebra a-1" })).toEqual([]);
    expect(await amounts({ q: "rg-200", date_from: "2026-10-13" })).toEqual([500]);
    expect(await amounts({ q: "rg-300", date_from: "2026-10-13" })).toEqual([]);
    expect(await amounts({ date_from: "2026-10-13" })).toEqual([500, 2_000]);
    expect(await amounts({ date_to: "2026-10-12" })).toEqual([500, 1_000, 3_000]);
    expect(await amounts({ date_from: "2026-11-01" })).toEqual([]);
    expect(await amounts({ amount_from: "1000", amount_to: "2000" })).toEqual([1_000, 2_000]);
    expect(await amounts({ method: "manual", state: "confirmed" })).toEqual([500]);
    expect(await amounts({ shape: "1:n" })).toEqual([500]);
    expect(await amounts({ shape: "1:n", q: "c-3" })).toEqual([]);
    expect(await amounts({ state: "undone" })).toEqual([]);

    const [{ now = new Date() } = {}] = await sql<{ now: Date }>("select clock_timestamp() as now");
    const since = { updated_since: now.toISOString() };
    expect(await amounts(since)).toEqual([]);
    expect(await amounts({ updated_since: "2026-01-01T00:00:00Z" })).toHaveLength(4);
    await fixture.ok("POST", `matches/${byHand}/undo`, { body: {} });
    expect(await amounts(since)).toEqual([500]);

    const [found] = await fixture.matches({ q: "rg-300" });
    expect(found).toMatchObject({ id: byHand, state: "undone", members: { length: 3 } });
    expect(found?.members.find(({ reference }) => reference === "RG-300")).toMatchObject({
      value_date: "2026-10-12",
      counterparty: null,
    });
    const pages: string[] = [];
    for (
      let cursor: string | null = "", query: Record<string, string> = {};
      cursor !== null;
      query = { cursor }
    ) {
      const page = await fixture.ok<{ items: Match[]; next_cursor: string | null }>(
        "GET",
        `reconciliations/${fixture.period}/matches`,
        {
          query: { limit: "1", date_from: "2026-10-01", ...query },
        },
      );
      pages.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
      if (cursor === null) break;
    }
    expect(pages).toEqual(all.map(({ id }) => id));
  },
  SLOW,
);

test(
  "the export has a row for each line of the filtered matches, safe from spreadsheet formulas",
  async () => {
    const { fixture, byHand } = await october();
    const path = `reconciliations/${fixture.period}/matches/export`;
    const exported = async (format: string, query: Record<string, string> = {}) => {
      const { status, text } = await fixture.call("GET", path, { query: { format, ...query } });
      expect(status, text).toBe(200);
      return text;
    };
    const rows = (await exported("ndjson"))
      .trimEnd()
      .split("\n")
      .map((row) => JSON.parse(row));
    const matches = await fixture.matches();
    expect(
      rows.map(({ match_id, line_id, amount_minor }) => [match_id, line_id, amount_minor]),
    ).toEqual(
      matches.flatMap(({ id, members }) =>
        members.map(({ line_id, allocated_minor }) => [id, line_id, allocated_minor]),
      ),
    );
    expect(rows.filter(({ match_id }) => match_id === byHand)).toMatchObject([
      {
        side: "left",
        method: "manual",
        shape: "1:n",
        reference: "=PAYOUT",
        decided_by: "user:ada",
      },
      { side: "right", reference: "RG-300" },
      { side: "right", reference: "RG-200" },
    ]);
    const csv = (await exported("csv", { method: "manual" })).trimEnd().split("\r\n");
    expect(csv[0]).toBe(
      "match_id,state,shape,method,score,currency,side,amount,amount_minor,value_date,reference," +
        "counterparty,line_id,residual,residual_minor,note,decided_by,decided_at,created_at",
    );
    expect(csv).toHaveLength(4);
    expect(csv[1]).toContain(",left,5.00,500,2026-10-12,'=PAYOUT,");
    expect((await exported("csv", { q: "zebra" })).trimEnd().split("\r\n")).toHaveLength(3);
    expect((await fixture.call("GET", path, { query: { format: "xlsx" } })).status).toBe(400);
  },
  SLOW,
);
