import { describe, expect, test } from "vitest";
import type { Match } from "#lib/matching/contract.ts";
import type { Statement } from "#lib/matching/periods/contract.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { line, month, World } from "./world.ts";

const SLOW = 300_000;

async function monthOf(count = 40): Promise<World> {
  const world = await World.create();
  const { left, right } = month(count);
  await world.add("left", left);
  await world.add("right", right);
  await world.run();
  return world;
}

describe("a closed period", () => {
  test(
    "does not change any more",
    async () => {
      const world = await monthOf();
      const [match] = await world.matches({ state: "confirmed" });
      const open = await world.ok<{ items: { id: string }[] }>("GET", "lines", {
        query: { reconciliation_id: world.period, state: "open" },
      });
      const closed = await world.ok("POST", `reconciliations/${world.period}/close`);
      expect(closed).toMatchObject({ status: "completed", closed_by: "user:ada", unmatched_count: open.items.length });
      const frozen = [
        await world.proof(),
        await world.ok("GET", `reconciliations/${world.period}/statement`),
        await world.reconciliation(),
      ];
      const acts: [string, string, object?][] = [
        ["POST", `matches/${match?.id}/undo`],
        ["POST", `reconciliations/${world.period}/runs`, {}],
        ["POST", `reconciliations/${world.period}/matches`, { line_ids: open.items.slice(0, 2).map(({ id }) => id) }],
        ["POST", `lines/${open.items[0]?.id}/exclude`, { reason: "Late", reconciliation_id: world.period }],
        ["PATCH", `reconciliations/${world.period}`, { period_end: "2026-10-30" }],
        ["PATCH", `reconciliations/${world.period}`, { status: "in_progress" }],
        ["POST", `reconciliations/${world.period}/close`],
      ];
      for (const [method, path, body] of acts) expectProblem(await world.call(method, path, body ? { body } : {}), "conflict");
      await world.add("left", [line("late", 777, { reference: "LATE" })]);
      expect([
        await world.proof(),
        await world.ok("GET", `reconciliations/${world.period}/statement`),
        await world.reconciliation(),
      ]).toEqual(frozen);
    },
    SLOW,
  );

  test(
    "leaves what is open to the next, and what comes late, by that name",
    async () => {
      const world = await monthOf(20);
      const carried = (await world.reconciliation()).unmatched_count;
      await world.ok("POST", `reconciliations/${world.period}/close`);
      const [late = ""] = await world.add("left", [line("late", 778_899, { reference: "LATE" })]);
      const next = await world.bind({ period_start: "2026-11-01", period_end: "2026-11-30" });
      expect(next.unmatched_count).toBe(carried + 1);
      await world.run(next.id);
      const { exception_id } = await world.line(late);
      expect(await world.ok("GET", `exceptions/${exception_id}`)).toMatchObject({
        reason_code: "late_arrival",
        line_id: late,
        amount_minor: 778_899,
        currency: "EUR",
        reconciliation_id: next.id,
        created_by: "system",
      });
      await world.add("right", [line("found", 778_899, { reference: "LATE", value_date: "2026-11-03" })]);
      await world.run(next.id);
      expect(await world.line(late)).toMatchObject({ state: "matched", exception_id: null });
      expect(await world.ok("GET", `exceptions/${exception_id}`)).toMatchObject({
        status: "resolved",
        resolution: expect.stringMatching(/^Matched by mat_/),
      });
      for (const period of [world.period, next.id]) expect((await world.proof(period)).holds).toBe(true);
    },
    SLOW,
  );

  test(
    "is reopened by a person, the latest first",
    async () => {
      const world = await monthOf(10);
      await world.ok("POST", `reconciliations/${world.period}/close`);
      const next = await world.bind({ period_start: "2026-11-01", period_end: "2026-11-30" });
      await world.ok("POST", `reconciliations/${next.id}/close`);
      const reopen = (id: string) => world.call("POST", `reconciliations/${id}/reopen`, { body: { reason: "A page was missing" } });
      expectProblem(await reopen(world.period), "conflict");
      expect((await reopen(next.id)).json).toMatchObject({ status: "in_progress", closed_at: null });
      expect((await reopen(world.period)).status).toBe(200);
      expect((await world.run()).status).toBe("done");
    },
    SLOW,
  );
});

test(
  "who matched last by hand does not close it, where the policy says so",
  async () => {
    const world = await World.create();
    const rules = [{ name: "Reference", kind: "exact", on: ["reference"], then: "match" }];
    await world.ok("PUT", `reconciliations/${world.period}/rules`, { body: { rules, four_eyes: true } });
    const lines = [...(await world.add("left", [line("a", 10)])), ...(await world.add("right", [line("b", 10)]))];
    await world.ok<Match>("POST", `reconciliations/${world.period}/matches`, { body: { line_ids: lines } });
    expectProblem(await world.call("POST", `reconciliations/${world.period}/close`), "conflict");
    const analyst = await world.as(["tenant_analyst"], "anna");
    expectProblem(await world.call("POST", `reconciliations/${world.period}/close`, { bearer: analyst }), "role_required");
    const lead = await world.as(["tenant_lead"], "lea");
    expect(await world.ok("POST", `reconciliations/${world.period}/close`, { bearer: lead })).toMatchObject({ closed_by: "user:lea" });
  },
  SLOW,
);

test("an earlier period is closed first", async () => {
  const world = await World.create();
  const next = await world.bind({ period_start: "2026-11-01", period_end: "2026-11-30" });
  expectProblem(await world.call("POST", `reconciliations/${next.id}/close`), "conflict");
});

test(
  "a statement adds up",
  async () => {
    const world = await monthOf();
    const statement = await world.ok<Statement>("GET", `reconciliations/${world.period}/statement`);
    expect(statement.differences).toEqual([
      { currency: "EUR", adjustments_minor: 0, residual_minor: expect.any(Number), difference_minor: 0 },
    ]);
    for (const side of ["left", "right"] as const) {
      const balance = statement.balances.find((one) => one.side === side);
      const proof = statement.proof.items.find((one) => one.side === side);
      expect(balance).toMatchObject({ closing_minor: proof?.lines, outstanding_minor: proof?.open, opening_minor: 0 });
    }
  },
  SLOW,
);

test(
  "a line open past its source's grace has one exception, which undoing reopens",
  async () => {
    const world = await World.create({ grace_days: 0 });
    const [a = ""] = await world.add("left", [line("a", 4_200, { reference: "INV-1" })]);
    await world.run();
    await world.run();
    const list = await world.ok<{ items: { id: string; reason_code: string; line_id: string }[] }>("GET", "exceptions");
    expect(list.items).toMatchObject([{ line_id: a, reason_code: "missing_counterpart", status: "open", severity: "low" }]);
    const id = list.items[0]?.id;
    await world.add("right", [line("b", 4_200, { reference: "INV-1" })]);
    await world.run();
    expect(await world.ok("GET", `exceptions/${id}`)).toMatchObject({ status: "resolved" });
    const [match] = await world.matches({ state: "confirmed" });
    await world.ok("POST", `matches/${match?.id}/undo`);
    expect(await world.ok("GET", `exceptions/${id}`)).toMatchObject({ status: "open", resolution: null });
  },
  SLOW,
);

test(
  "a run opens at most as many exceptions as the policy says, and tells what it held back",
  async () => {
    const world = await World.create({ grace_days: 0 });
    const rules = [{ name: "Reference", kind: "exact", on: ["reference"], then: "match" }];
    const exceptions = {
      assigned_to: "user:rita",
      most_a_run: 2,
      severities: [
        { from_minor: 0, severity: "low" },
        { from_minor: 5_000, severity: "high" },
      ],
    };
    await world.ok("PUT", `reconciliations/${world.period}/rules`, { body: { rules, exceptions } });
    await world.add("left", [line("a", 100), line("b", 9_000), line("c", -7_000)]);
    expect(await world.run()).toMatchObject({ exceptions_opened: 2, exceptions_held_back: 1 });
    const { items } = await world.ok<{ items: object[] }>("GET", "exceptions", { query: { reconciliation_id: world.period } });
    expect(items).toHaveLength(2);
    for (const item of items) expect(item).toMatchObject({ severity: "high", assigned_to: "user:rita" });
    expect(await world.run()).toMatchObject({ exceptions_opened: 1, exceptions_held_back: 0 });
  },
  SLOW,
);
