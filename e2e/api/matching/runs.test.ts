import { beforeAll, describe, expect, test } from "vitest";
import { expectProblem } from "../contracts/conformance.ts";
import { Fixture, line, month } from "./matching-fixture.ts";

const SLOW = 300_000;

describe("a reconciliation with sources", () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await Fixture.create();
  });

  test("computes its counts, and rejects reported ones", async () => {
    await fixture.add("left", [line("a", 100), line("b", 200)]);
    expect(await fixture.reconciliation()).toMatchObject({
      matched_count: 0,
      unmatched_count: 2,
      left_source: "Bank",
      right_source: "Ledger",
    });
    expectProblem(
      await fixture.call("PATCH", `reconciliations/${fixture.period}`, {
        body: { matched_count: 5 },
      }),
      "conflict",
    );
    const counts = {
      left_source_id: fixture.left,
      right_source_id: fixture.right,
      matched_count: 1,
    };
    const body = {
      name: "Reported",
      period_start: "2027-10-01",
      period_end: "2027-10-31",
      ...counts,
    };
    expectProblem(await fixture.call("POST", "reconciliations", { body }), "conflict");
  });

  test("never overlaps another one of the same sources", async () => {
    const overlapping = (period_start: string, period_end: string) =>
      fixture.call("POST", "reconciliations", {
        body: {
          name: "Again",
          period_start,
          period_end,
          left_source_id: fixture.left,
          right_source_id: fixture.right,
        },
      });
    expectProblem(await overlapping("2026-10-31", "2026-11-30"), "conflict");
    expectProblem(await overlapping("2026-09-01", "2026-10-01"), "conflict");
    expect((await overlapping("2026-11-01", "2026-11-30")).status).toBe(201);
  });

  test("is completed by closing it, not by its status", async () => {
    const { id } = await fixture.bind({
      period_start: "2026-12-01",
      period_end: "2026-12-31",
      status: "in_progress",
    });
    expectProblem(
      await fixture.call("PATCH", `reconciliations/${id}`, { body: { status: "completed" } }),
      "conflict",
    );
  });

  test("accepts exactly two sources of the same tenant", async () => {
    const other = await Fixture.create();
    const body = {
      name: "Across",
      period_start: "2028-01-01",
      period_end: "2028-01-31",
      left_source_id: fixture.left,
    };
    for (const right_source_id of [other.right, fixture.left, undefined])
      expectProblem(
        await fixture.call("POST", "reconciliations", { body: { ...body, right_source_id } }),
        "invalid_request",
      );
  });
});

describe("a run", () => {
  test(
    "matches agreeing lines, and its proof holds to the cent",
    async () => {
      const fixture = await Fixture.create();
      const { left, right } = month(60);
      await fixture.add("left", left);
      await fixture.add("right", right);
      const run = await fixture.run();
      expect(run).toMatchObject({
        status: "done",
        failure: null,
        rules_version: 0,
        lines_total: left.length + right.length,
      });
      expect(run.waterfall.find(({ rule }) => rule === "Same reference and date")?.matches).toBe(
        36,
      );
      const proof = await fixture.proof();
      expect(proof.holds).toBe(true);
      const sumOf = (lines: { amount_minor: number }[]) =>
        lines.reduce((total, { amount_minor }) => total + amount_minor, 0);
      expect(proof.items.map(({ currency, side, lines }) => [currency, side, lines])).toEqual([
        ["EUR", "left", sumOf(left)],
        ["EUR", "right", sumOf(right)],
      ]);
      const { matched_count, unmatched_count } = await fixture.reconciliation();
      expect(matched_count + unmatched_count).toBe(left.length + right.length);
      expect(unmatched_count).toBe(run.open_count);
    },
    SLOW,
  );

  test(
    "with an inverted source reverses the sign of amounts, and stores them as posted",
    async () => {
      const fixture = await Fixture.create({ sign: "inverted" });
      await fixture.add("left", [line("a", 12_300, { reference: "INV-1" })]);
      const [booked = ""] = await fixture.add("right", [
        line("b", -12_300, { reference: "INV-1" }),
      ]);
      await fixture.run();
      const [match] = await fixture.matches();
      expect(match).toMatchObject({
        state: "confirmed",
        shape: "1:1",
        amount_minor: 12_300,
        residual_minor: 0,
      });
      expect(match?.members.map(({ allocated_minor }) => allocated_minor)).toEqual([
        12_300, 12_300,
      ]);
      expect(await fixture.line(booked)).toMatchObject({
        amount_minor: -12_300,
        state: "matched",
        open_minor: 0,
        match_ids: [match?.id],
      });
    },
    SLOW,
  );

  test(
    "finds nothing new in unchanged lines, and has the same digest",
    async () => {
      const fixture = await Fixture.create();
      const { left, right } = month(30);
      await fixture.add("left", left);
      await fixture.add("right", right);
      const first = await fixture.run();
      const second = await fixture.run();
      expect(second.digest).toBe(first.digest);
      expect(second.changed).toMatchObject({ added: 0, undone: 0, replaced: 0 });
      expect(second.waterfall.map(({ rule, matches }) => [rule, matches])).toEqual(
        first.waterfall.map(({ rule, matches }) => [rule, matches]),
      );
    },
    SLOW,
  );

  test(
    "starts automatically when new lines arrive",
    async () => {
      const fixture = await Fixture.create();
      await fixture.ok("PATCH", `reconciliations/${fixture.period}`, { body: { auto_run: true } });
      await fixture.add("left", [line("a", 500, { reference: "INV-9" })]);
      await fixture.add("right", [line("b", 500, { reference: "INV-9" })]);
      await expect
        .poll(async () => (await fixture.reconciliation()).matched_count, { timeout: 180_000 })
        .toBe(2);
    },
    SLOW,
  );

  test(
    "explains each match by its fields",
    async () => {
      const fixture = await Fixture.create();
      await fixture.add("left", [line("a", 500, { reference: "INV-9", counterparty: "Kunde" })]);
      await fixture.add("right", [line("b", 500, { reference: "inv 9" })]);
      await fixture.run();
      const [match] = await fixture.matches({ state: "confirmed" });
      const verdicts = match?.explanation.fields.map(({ field, left, right, verdict }) => [
        field,
        left,
        right,
        verdict,
      ]);
      expect(verdicts).toContainEqual(["reference", "INV-9", "inv 9", "equal"]);
      expect(await fixture.ok("GET", `matches/${match?.id}`)).toEqual(match);
    },
    SLOW,
  );
});
