import { describe, expect, test } from "vitest";
import type { Match } from "#lib/matching/contract.ts";
import type { Statement } from "#lib/matching/periods/contract.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { Fixture, line, month } from "./matching-fixture.ts";

const SLOW = 300_000;

async function monthOf(count = 40): Promise<Fixture> {
  const fixture = await Fixture.create();
  const { left, right } = month(count);
  await fixture.add("left", left);
  await fixture.add("right", right);
  await fixture.run();
  return fixture;
}

describe("a closed period", () => {
  test(
    "does not change any more",
    async () => {
      const fixture = await monthOf();
      const [match] = await fixture.matches({ state: "confirmed" });
      const open = await fixture.ok<{ items: { id: string }[] }>("GET", "lines", {
        query: { reconciliation_id: fixture.period, state: "open" },
      });
      const closed = await fixture.ok("POST", `reconciliations/${fixture.period}/close`);
      expect(closed).toMatchObject({
        status: "completed",
        closed_by: "user:ada",
        unmatched_count: open.items.length,
      });
      const frozen = [
        await fixture.proof(),
        await fixture.ok("GET", `reconciliations/${fixture.period}/statement`),
        await fixture.reconciliation(),
      ];
      const actions: [string, string, object?][] = [
        ["POST", `matches/${match?.id}/undo`],
        ["POST", `reconciliations/${fixture.period}/runs`, {}],
        [
          "POST",
          `reconciliations/${fixture.period}/matches`,
          { line_ids: open.items.slice(0, 2).map(({ id }) => id) },
        ],
        [
          "POST",
          `lines/${open.items[0]?.id}/exclude`,
          { reason: "Late", reconciliation_id: fixture.period },
        ],
        ["PATCH", `reconciliations/${fixture.period}`, { period_end: "2026-10-30" }],
        ["PATCH", `reconciliations/${fixture.period}`, { status: "in_progress" }],
        ["POST", `reconciliations/${fixture.period}/close`],
      ];
      for (const [method, path, body] of actions)
        expectProblem(await fixture.call(method, path, body ? { body } : {}), "conflict");
      await fixture.add("left", [line("late", 777, { reference: "LATE" })]);
      expect([
        await fixture.proof(),
        await fixture.ok("GET", `reconciliations/${fixture.period}/statement`),
        await fixture.reconciliation(),
      ]).toEqual(frozen);
    },
    SLOW,
  );

  test(
    "carries open lines to the next, and marks late ones",
    async () => {
      const fixture = await monthOf(20);
      const carried = (await fixture.reconciliation()).unmatched_count;
      await fixture.ok("POST", `reconciliations/${fixture.period}/close`);
      const [late = ""] = await fixture.add("left", [line("late", 778_899, { reference: "LATE" })]);
      const next = await fixture.bind({ period_start: "2026-11-01", period_end: "2026-11-30" });
      expect(next.unmatched_count).toBe(carried + 1);
      await fixture.run(next.id);
      const { exception_id } = await fixture.line(late);
      expect(await fixture.ok("GET", `exceptions/${exception_id}`)).toMatchObject({
        reason_code: "late_arrival",
        line_id: late,
        amount_minor: 778_899,
        currency: "EUR",
        reconciliation_id: next.id,
        created_by: "system",
      });
      await fixture.add("right", [
        line("found", 778_899, { reference: "LATE", value_date: "2026-11-03" }),
      ]);
      await fixture.run(next.id);
      expect(await fixture.line(late)).toMatchObject({ state: "matched", exception_id: null });
      expect(await fixture.ok("GET", `exceptions/${exception_id}`)).toMatchObject({
        status: "resolved",
        resolution: expect.stringMatching(/^Matched by mat_/),
      });
      for (const period of [fixture.period, next.id])
        expect((await fixture.proof(period)).holds).toBe(true);
    },
    SLOW,
  );

  test(
    "is reopened by a person, the latest first",
    async () => {
      const fixture = await monthOf(10);
      await fixture.ok("POST", `reconciliations/${fixture.period}/close`);
      const next = await fixture.bind({ period_start: "2026-11-01", period_end: "2026-11-30" });
      await fixture.ok("POST", `reconciliations/${next.id}/close`);
      const reopen = (id: string) =>
        fixture.call("POST", `reconciliations/${id}/reopen`, {
          body: { reason: "A page was missing" },
        });
      expectProblem(await reopen(fixture.period), "conflict");
      expect((await reopen(next.id)).json).toMatchObject({
        status: "in_progress",
        closed_at: null,
      });
      expect((await reopen(fixture.period)).status).toBe(200);
      expect((await fixture.run()).status).toBe("done");
    },
    SLOW,
  );
});

test(
  "a period can't be closed by the last person who matched by hand, if the policy says so",
  async () => {
    const fixture = await Fixture.create();
    const rules = [{ name: "Reference", kind: "exact", on: ["reference"], then: "match" }];
    await fixture.ok("PUT", `reconciliations/${fixture.period}/rules`, {
      body: { rules, four_eyes: true },
    });
    const lines = [
      ...(await fixture.add("left", [line("a", 10)])),
      ...(await fixture.add("right", [line("b", 10)])),
    ];
    await fixture.ok<Match>("POST", `reconciliations/${fixture.period}/matches`, {
      body: { line_ids: lines },
    });
    expectProblem(
      await fixture.call("POST", `reconciliations/${fixture.period}/close`),
      "conflict",
    );
    const analyst = await fixture.as(["tenant_analyst"], "anna");
    expectProblem(
      await fixture.call("POST", `reconciliations/${fixture.period}/close`, { bearer: analyst }),
      "role_required",
    );
    const lead = await fixture.as(["tenant_lead"], "lea");
    expect(
      await fixture.ok("POST", `reconciliations/${fixture.period}/close`, { bearer: lead }),
    ).toMatchObject({ closed_by: "user:lea" });
  },
  SLOW,
);

test("an earlier period must be closed first", async () => {
  const fixture = await Fixture.create();
  const next = await fixture.bind({ period_start: "2026-11-01", period_end: "2026-11-30" });
  expectProblem(await fixture.call("POST", `reconciliations/${next.id}/close`), "conflict");
});

test(
  "a statement adds up",
  async () => {
    const fixture = await monthOf();
    const statement = await fixture.ok<Statement>(
      "GET",
      `reconciliations/${fixture.period}/statement`,
    );
    expect(statement.differences).toEqual([
      {
        currency: "EUR",
        adjustments_minor: 0,
        residual_minor: expect.any(Number),
        difference_minor: 0,
        unexplained_minor: null,
      },
    ]);
    for (const side of ["left", "right"] as const) {
      const balance = statement.balances.find((balance) => balance.side === side);
      const proof = statement.proof.items.find((item) => item.side === side);
      expect(balance).toMatchObject({
        closing_minor: proof?.lines,
        outstanding_minor: proof?.open,
        opening_minor: 0,
      });
    }
  },
  SLOW,
);

test(
  "each currency closes with its opening balance plus its lines, and the next month opens with that",
  async () => {
    const fixture = await Fixture.create();
    const [euro = ""] = await fixture.add("left", [
      line("a", 1_001),
      line("b", 333, { currency: "USD" }),
      line("c", -7, { currency: "JPY" }),
    ]);
    const [other = ""] = await fixture.add("right", [
      line("d", 1_000),
      line("e", -90, { currency: "USD" }),
    ]);
    await fixture.ok("POST", `reconciliations/${fixture.period}/matches`, {
      body: { line_ids: [euro, other], adjustments: [{ kind: "fee", amount_minor: 1 }] },
    });
    const november = await fixture.bind({ period_start: "2026-11-01", period_end: "2026-11-30" });
    await fixture.ok("POST", `reconciliations/${fixture.period}/close`);
    await fixture.add("left", [line("f", 5, { currency: "USD", value_date: "2026-11-02" })]);
    const statementOf = (id: string) =>
      fixture.ok<Statement>("GET", `reconciliations/${id}/statement`);
    const [closed, next] = [await statementOf(fixture.period), await statementOf(november.id)];
    expect(closed.differences.map((item) => [item.currency, item.difference_minor])).toEqual([
      ["EUR", 0],
      ["JPY", 0],
      ["USD", 0],
    ]);
    const sums = ({ balances }: Statement) =>
      balances.map((item) => [
        `${item.currency} ${item.side}`,
        item.opening_minor,
        item.lines_minor,
        item.closing_minor,
        item.outstanding_minor,
      ]);
    expect(sums(closed)).toEqual([
      ["EUR left", 0, 1_001, 1_001, 0],
      ["EUR right", 0, 1_000, 1_000, 0],
      ["JPY left", 0, -7, -7, -7],
      ["JPY right", 0, 0, 0, 0],
      ["USD left", 0, 333, 333, 333],
      ["USD right", 0, -90, -90, -90],
    ]);
    expect(sums(next)).toEqual([
      ["EUR left", 1_001, 0, 1_001, 0],
      ["EUR right", 1_000, 0, 1_000, 0],
      ["JPY left", -7, 0, -7, -7],
      ["JPY right", 0, 0, 0, 0],
      ["USD left", 333, 5, 338, 338],
      ["USD right", -90, 0, -90, -90],
    ]);
    expect((await fixture.proof()).closing).toMatchObject({ holds: true });
  },
  SLOW,
);

test(
  "a line open past its source's grace has one exception, which undoing reopens",
  async () => {
    const fixture = await Fixture.create({ grace_days: 0 });
    const [a = ""] = await fixture.add("left", [line("a", 4_200, { reference: "INV-1" })]);
    await fixture.run();
    await fixture.run();
    const list = await fixture.ok<{
      items: { id: string; reason_code: string; line_id: string }[];
    }>("GET", "exceptions");
    expect(list.items).toMatchObject([
      { line_id: a, reason_code: "missing_counterpart", status: "open", severity: "low" },
    ]);
    const id = list.items[0]?.id;
    await fixture.add("right", [line("b", 4_200, { reference: "INV-1" })]);
    await fixture.run();
    expect(await fixture.ok("GET", `exceptions/${id}`)).toMatchObject({ status: "resolved" });
    const [match] = await fixture.matches({ state: "confirmed" });
    await fixture.ok("POST", `matches/${match?.id}/undo`);
    expect(await fixture.ok("GET", `exceptions/${id}`)).toMatchObject({
      status: "open",
      resolution: null,
    });
  },
  SLOW,
);

test(
  "a run opens at most the policy's number of exceptions, and reports the others",
  async () => {
    const fixture = await Fixture.create({ grace_days: 0 });
    const rules = [{ name: "Reference", kind: "exact", on: ["reference"], then: "match" }];
    const exceptions = {
      assigned_to: "user:rita",
      most_a_run: 2,
      severities: [
        { from_minor: 0, severity: "low" },
        { from_minor: 5_000, severity: "high" },
      ],
    };
    await fixture.ok("PUT", `reconciliations/${fixture.period}/rules`, {
      body: { rules, exceptions },
    });
    await fixture.add("left", [line("a", 100), line("b", 9_000), line("c", -7_000)]);
    expect(await fixture.run()).toMatchObject({ exceptions_opened: 2, exceptions_held_back: 1 });
    const { items } = await fixture.ok<{ items: object[] }>("GET", "exceptions", {
      query: { reconciliation_id: fixture.period },
    });
    expect(items).toHaveLength(2);
    for (const item of items)
      expect(item).toMatchObject({ severity: "high", assigned_to: "user:rita" });
    expect(await fixture.run()).toMatchObject({ exceptions_opened: 1, exceptions_held_back: 0 });
  },
  SLOW,
);
