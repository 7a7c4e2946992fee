import { expect, test } from "vitest";
import type { Run } from "#lib/matching/runs/contract.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 300_000;
const SAME = { name: "Same", kind: "exact", on: ["reference"], then: "match" };
const NEAR = {
  name: "Near",
  kind: "tolerance",
  on: ["reference"],
  amount_tolerance_minor: 100,
  then: "suggest",
};

const stepsOf = ({ waterfall }: Run) =>
  waterfall.map(({ kind, matches, left_lines, right_lines, amounts }) => [
    kind,
    matches,
    left_lines,
    right_lines,
    amounts[0]?.left_minor,
    amounts[0]?.right_minor,
  ]);

test(
  "a waterfall counts every line once, including manual and excluded ones, and is as of the close in a closed period",
  async () => {
    const fixture = await Fixture.create();
    await fixture.ok("PUT", `reconciliations/${fixture.period}/rules`, {
      body: { rules: [SAME, NEAR] },
    });
    const [, , c = "", d = "", e = "", f = ""] = await fixture.add("left", [
      line("a", 100, { reference: "R-1" }),
      line("b", 2_000, { reference: "R-2" }),
      line("c", 500),
      line("d", 50),
      line("e", 900),
      line("f", 700),
    ]);
    const [, , right = "", part = ""] = await fixture.add("right", [
      line("a-r", 100, { reference: "R-1" }),
      line("b-r", 2_050, { reference: "R-2" }),
      line("c-r", 500),
      line("f-r", 600),
    ]);
    expect(stepsOf(await fixture.run())).toEqual([
      ["rule", 1, 1, 1, 100, 100],
      ["rule", 0, 0, 0, undefined, undefined],
      ["people", 0, 0, 0, undefined, undefined],
      ["excluded", 0, 0, 0, undefined, undefined],
    ]);

    const [suggested] = await fixture.matches({ state: "suggested" });
    await fixture.ok("POST", `matches/${suggested?.id}/confirm`);
    const match = (body: object) =>
      fixture.ok("POST", `reconciliations/${fixture.period}/matches`, { body });
    const exclude = (id: string) =>
      fixture.ok("POST", `lines/${id}/exclude`, { body: { reason: "Not ours" } });
    await match({ line_ids: [c, right] });
    await match({ line_ids: [f, part], split_line_id: f });
    await exclude(d);
    const run = await fixture.run();
    // Part of f is open.
    expect(stepsOf(run)).toEqual([
      ["rule", 1, 1, 1, 100, 100],
      ["rule", 0, 0, 0, undefined, undefined],
      ["people", 3, 2, 3, 3_100, 3_150],
      ["excluded", 0, 1, 0, 50, 0],
    ]);
    expect(run.open_count).toBe(2);
    expect(
      (await fixture.proof()).items.map(({ matched, excluded }) => [matched, excluded]),
    ).toEqual([
      [3_200, 50],
      [3_250, 0],
    ]);
    expect(await fixture.reconciliation()).toMatchObject({ excluded_count: 1 });

    await exclude(e);
    await fixture.ok("POST", `reconciliations/${fixture.period}/close`);
    const closed = await fixture.ok<Run>("GET", `runs/${run.id}`);
    expect(stepsOf(closed).slice(2)).toEqual([
      ["people", 3, 2, 3, 3_100, 3_150],
      ["excluded", 0, 2, 0, 950, 0],
    ]);
    expect(closed).toMatchObject({ open_count: 1, suggested_count: 0, digest: run.digest });
  },
  SLOW,
);
