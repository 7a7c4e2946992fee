import { expect, test } from "vitest";
import type { Match } from "#lib/matching/contract.ts";
import type { Decision } from "#lib/matching/workbench/contract.ts";
import type { SecurityEvent } from "#lib/security-events/contract.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 300_000;
const NEAR = {
  name: "Near",
  kind: "tolerance",
  on: ["reference"],
  amount_tolerance_minor: 500,
  then: "suggest",
};

test(
  "rules, runs and decisions are security events of one category, bulk ones as one event with a count",
  async () => {
    const fixture = await Fixture.create();
    await fixture.ok("PUT", `reconciliations/${fixture.period}/rules`, { body: { rules: [NEAR] } });
    const numbers = [1, 2, 3, 4];
    await fixture.add(
      "left",
      numbers.map((n) => line(`l${n}`, n * 10_000, { reference: `INV-${n}` })),
    );
    await fixture.add(
      "right",
      numbers.map((n) => line(`r${n}`, n * 10_000 + 100, { reference: `INV-${n}` })),
    );
    const run = await fixture.run();
    const [one = "", two = "", three = "", four = ""] = (
      await fixture.matches({ state: "suggested" })
    ).map(({ id }) => id);
    await fixture.ok("POST", `matches/${one}/confirm`);
    await fixture.ok("POST", `matches/${two}/reject`);
    await fixture.ok("POST", "matches/bulk", { body: { action: "confirm", ids: [three, four] } });
    await fixture.ok("POST", `matches/${one}/undo`);
    const { items: decisions } = await fixture.ok<{ items: Decision[] }>(
      "GET",
      `reconciliations/${fixture.period}/decisions`,
    );
    const both = decisions.find(({ match_count }) => match_count === 2)?.id;
    await fixture.ok("POST", `decisions/${both}/undo`);
    const [left] = await fixture.add("left", [line("alone-l", 1_000)]);
    const [right] = await fixture.add("right", [line("alone-r", 900)]);
    const adjustments = [{ kind: "write_off", amount_minor: 100, note: "Too small to chase" }];
    const body = { line_ids: [left, right], adjustments };
    const hand = await fixture.ok<Match>("POST", `reconciliations/${fixture.period}/matches`, {
      body,
    });

    const { items } = await fixture.ok<{ items: SecurityEvent[] }>("GET", "security-events", {
      query: { type: "matching.*" },
    });
    expect(
      items.reverse().map(({ type, target, details }) => [type, target, details.count]),
    ).toEqual([
      ["matching.rules_updated", fixture.period, undefined],
      ["matching.run_requested", run.id, undefined],
      ["matching.confirmed", one, 1],
      ["matching.rejected", two, 1],
      ["matching.confirmed", null, 2],
      ["matching.undone", one, 1],
      ["matching.undone", both, 2],
      ["matching.written_off", hand.id, undefined],
    ]);
    for (const { actor, details } of items.slice(1))
      expect([actor, details.reconciliation_id]).toEqual(["user:ada", fixture.period]);
    // An automatic run, and a dry run, leave no event.
    await fixture.run(fixture.period, { dry_run: true });
    const after = await fixture.ok<{ items: SecurityEvent[] }>("GET", "security-events", {
      query: { type: "matching.*" },
    });
    expect(after.items).toHaveLength(items.length);
  },
  SLOW,
);

test("a renamed, moved or archived period is a security event with what changed", async () => {
  const fixture = await Fixture.create();
  const path = `reconciliations/${fixture.period}`;
  const { name } = await fixture.reconciliation();
  await fixture.ok("PATCH", path, { body: { name: "Debtors", period_end: "2026-10-30" } });
  await fixture.ok("PATCH", path, { body: { name: "Debtors" } });
  await fixture.ok("PATCH", path, { body: { status: "archived" } });
  const { items } = await fixture.ok<{ items: SecurityEvent[] }>("GET", "security-events", {
    query: { type: "reconciliation.updated" },
  });
  expect(items.map(({ target, details }) => [target, details.name, details.changes])).toEqual([
    [fixture.period, "Debtors", { status: { from: "open", to: "archived" } }],
    [
      fixture.period,
      "Debtors",
      {
        name: { from: name, to: "Debtors" },
        period_end: { from: "2026-10-31", to: "2026-10-30" },
      },
    ],
  ]);
});
