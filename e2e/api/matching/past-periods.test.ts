import { expect, test } from "vitest";
import type { Line } from "#lib/lines/contract.ts";
import type { Run } from "#lib/matching/runs/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 300_000;
const SAME = [{ name: "Same", kind: "exact", on: ["reference"], then: "match" }];
const NEAR = [
  ...SAME,
  {
    name: "Near amounts",
    kind: "tolerance",
    on: ["reference"],
    amount_tolerance_minor: 100,
    then: "match",
  },
];

/**
 * A closed October with a pair that agrees, a pair that is short by 0.50, and a line without a
 * counterpart. November, which can settle the short pair, is open.
 */
async function closedOctober(): Promise<{ fixture: Fixture; november: string }> {
  const fixture = await Fixture.create();
  await fixture.ok("PUT", `reconciliations/${fixture.period}/rules`, { body: { rules: SAME } });
  await fixture.add("left", [
    line("a", 1_000, { reference: "R-1" }),
    line("b", 2_000, { reference: "R-2" }),
    line("c", 77),
  ]);
  await fixture.add("right", [
    line("x", 1_000, { reference: "R-1" }),
    line("y", 1_950, { reference: "R-2" }),
  ]);
  const november = (await fixture.bind({ period_start: "2026-11-01", period_end: "2026-11-30" }))
    .id;
  await fixture.run();
  await fixture.ok("POST", `reconciliations/${fixture.period}/close`);
  return { fixture, november };
}

const listed = async (fixture: Fixture, query: Record<string, string>) =>
  (await fixture.ok<{ items: Line[] }>("GET", "lines", { query })).items;

test(
  "a preview of rules on a closed period shows gained and lost matches, and avoided exceptions",
  async () => {
    const { fixture, november } = await closedOctober();
    expectProblem(
      await fixture.call("POST", `reconciliations/${fixture.period}/runs`, { body: {} }),
      "conflict",
    );
    const trial = async (rules: object[]) => {
      const run = await fixture.run(fixture.period, { dry_run: true, rules });
      expect(run.status, run.failure ?? "").toBe("done");
      return run.impact as NonNullable<Run["impact"]>;
    };
    const changes = { no_longer_matched: { matches: 0 }, changed: { matches: 0 } };
    const first = await trial(NEAR);
    expect(first).toMatchObject({
      newly_matched: { matches: 1, amounts: [{ currency: "EUR", amount_minor: 2_000 }] },
      ...changes,
    });
    // The lines of R-2, whose exceptions October's run opened.
    expect(first.exceptions).toEqual({ avoided: 2, added: 0 });
    // They are settled in November now, but were open at the close of October.
    await fixture.ok("PUT", `reconciliations/${november}/rules`, { body: { rules: NEAR } });
    await fixture.run(november);
    expect(await trial(NEAR)).toMatchObject({
      newly_matched: { matches: 1 },
      ...changes,
      exceptions: { avoided: 2, added: 0 },
    });
    const lost = await trial([{ name: "Never", kind: "exact", on: ["group_key"], then: "match" }]);
    expect(lost).toMatchObject({
      newly_matched: { matches: 0 },
      no_longer_matched: { matches: 1 },
      exceptions: { avoided: 0, added: 2 },
    });
    expect((await fixture.proof()).holds).toBe(true);
    expect((await fixture.reconciliation()).matched_count).toBe(2);
  },
  SLOW,
);

test(
  "a period's lines are its matched and outstanding ones, for a closed period as of its close",
  async () => {
    const { fixture, november } = await closedOctober();
    const of = (state: string, side?: string, period = fixture.period) =>
      listed(fixture, { reconciliation_id: period, state, ...(side && { side }) }).then((found) =>
        found.map(({ external_id }) => external_id).sort(),
      );
    expect(await of("matched")).toEqual(["a", "x"]);
    expect(await of("outstanding")).toEqual(["b", "c", "y"]);
    expect(await of("outstanding", "left")).toEqual(["b", "c"]);
    expect(await of("outstanding", "right", november)).toEqual(["y"]);
    await fixture.ok("PUT", `reconciliations/${november}/rules`, { body: { rules: NEAR } });
    await fixture.run(november);
    expect(await of("outstanding", undefined, november)).toEqual(["c"]);
    // October hasn't changed.
    expect(await of("outstanding")).toEqual(["b", "c", "y"]);
    const [b] = await listed(fixture, {
      reconciliation_id: fixture.period,
      state: "outstanding",
      q: "R-2",
      side: "left",
    });
    expect(b).toMatchObject({ external_id: "b", state: "open", open_minor: 2_000, match_ids: [] });
    expect(await fixture.line(b?.id ?? "")).toMatchObject({ state: "matched", open_minor: 0 });
  },
  SLOW,
);

test("periods can be filtered by their pair of sources", async () => {
  const fixture = await Fixture.create();
  const other = await Fixture.create();
  const { items } = await fixture.ok<{ items: Reconciliation[] }>("GET", "reconciliations", {
    query: { left_source_id: fixture.left, right_source_id: fixture.right },
  });
  expect(items.map(({ id }) => id)).toEqual([fixture.period]);
  expectProblem(await fixture.call("GET", `reconciliations/${other.period}`), "not_found");
  const reversed = { left_source_id: fixture.right, right_source_id: fixture.left };
  expect(
    (await fixture.ok<{ items: unknown[] }>("GET", "reconciliations", { query: reversed })).items,
  ).toEqual([]);
});
