import { expect, test } from "vitest";
import type { Match } from "#lib/matching/contract.ts";
import type { RuleSet } from "#lib/matching/rules/contract.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 300_000;

test(
  "two names of a confirmed match are learnt as one, listed, and forgotten on request",
  async () => {
    const fixture = await Fixture.create();
    const [charge = ""] = await fixture.add("left", [
      line("l1", 1234, { counterparty: "SQ BLUEBTL 0812" }),
    ]);
    const [bill = ""] = await fixture.add("right", [
      line("r1", 1234, { counterparty: "Blue Bottle Coffee" }),
    ]);
    await fixture.ok<Match>("POST", `reconciliations/${fixture.period}/matches`, {
      body: { line_ids: [charge, bill] },
    });
    await fixture.run();
    const rules = `reconciliations/${fixture.period}/rules`;
    const { learnt, rules: list, version } = await fixture.ok<RuleSet>("GET", rules);
    expect(learnt.names).toEqual([
      { left: "SQ BLUEBTL 0812", right: "BLUE BOTTLE COFFEE", confirmed: 1 },
    ]);

    const [name = { left: "", right: "" }] = learnt.names;
    const body = { rules: list, forget_names: [{ left: name.left, right: name.right }] };
    const changed = await fixture.ok<RuleSet>("PUT", rules, { body });
    expect(changed).toMatchObject({ version: version + 1, learnt: { confirmed: 1, names: [] } });
  },
  SLOW,
);
