import { describe, expect, test } from "vitest";
import { uniqueName } from "#e2e/fixtures.ts";
import { WHOLE } from "#e2e/gate.ts";
import type { Match } from "#lib/matching/contract.ts";
import type { Statement } from "#lib/matching/periods/contract.ts";
import type { OpenLine } from "#lib/matching/workbench/contract.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { Fixture, line } from "./matching-fixture.ts";

const RULES = [
  { name: "Reference", kind: "exact", on: ["reference"], then: "match" },
  { name: "Payout", kind: "group", on: ["group_key"], then: "match" },
];

async function withRules({
  sign = "as_is",
  fees,
}: {
  sign?: string;
  fees?: "ignore";
} = {}): Promise<Fixture> {
  const fixture = await Fixture.create({ sign });
  await fixture.ok("PUT", `reconciliations/${fixture.period}/rules`, {
    body: { rules: RULES, fees },
  });
  return fixture;
}

const fee = (amount_minor: number) => ({ kind: "fee", amount_minor, note: null });
const confirmed = (fixture: Fixture) => fixture.matches({ state: "confirmed" });

describe("the fee of a line", () => {
  test("is deducted from its match, alone and in a payout, as an adjustment", async () => {
    const fixture = await withRules();
    const [alone = "", payout = ""] = await fixture.add("left", [
      line("alone", 9710, { reference: "T9" }),
      line("payout", 8210, { group_key: "po_1" }),
    ]);
    const [sold = "", ...paid] = await fixture.add("right", [
      line("t9", 10_000, { reference: "T9", fee_minor: 290 }),
      line("t1", 10_000, { group_key: "po_1", fee_minor: 290 }),
      line("t2", 4000, { group_key: "po_1", fee_minor: 0 }),
      line("t3", -4000, { group_key: "po_1", fee_minor: 1500 }),
    ]);
    expect(await fixture.run()).toMatchObject({
      status: "done",
      suggested_count: 0,
      open_count: 0,
    });
    const matches = await confirmed(fixture);
    const of = (id: string) =>
      matches.find(({ members }) => members.some(({ line_id }) => line_id === id));
    expect(of(alone)).toMatchObject({
      method: "Reference",
      adjustments: [fee(-290)],
      residual_minor: 0,
      amount_minor: 9710,
    });
    expect(of(payout)).toMatchObject({
      method: "Payout",
      adjustments: [fee(-1790)],
      residual_minor: 0,
      amount_minor: 8210,
    });
    expect(of(sold)?.id).toBe(of(alone)?.id);
    expect(
      of(payout)
        ?.members.map(({ allocated_minor }) => allocated_minor)
        .sort((a, b) => a - b),
    ).toEqual([-4000, 4000, 8210, 10_000]);
    for (const id of [sold, ...paid])
      expect(await fixture.line(id)).toMatchObject({ state: "matched", open_minor: 0 });
    expect(await fixture.proof()).toMatchObject({ holds: true });
    const statement = await fixture.ok<Statement>(
      "GET",
      `reconciliations/${fixture.period}/statement`,
    );
    expect(
      statement.adjustments.map(({ kind, amount_minor }) => [kind, amount_minor]).sort(),
    ).toEqual([
      ["fee", -1790],
      ["fee", -290],
    ]);
    expect(statement.differences).toMatchObject([
      { adjustments_minor: -2080, residual_minor: 0, difference_minor: 0 },
    ]);

    expect(await fixture.run()).toMatchObject({
      changed: { added: 0, kept: 2, replaced: 0, undone: 0 },
    });
    await fixture.ok("POST", `matches/${of(alone)?.id}/undo`);
    expect(await fixture.line(sold)).toMatchObject({ state: "open", open_minor: 10_000 });
    expect(
      (await fixture.ok("POST", `reconciliations/${fixture.period}/close`)) as object,
    ).toMatchObject({ status: "completed" });
  });

  test("is negated with the amount of an inverted source", async () => {
    const fixture = await withRules({ sign: "inverted" });
    await fixture.add("left", [line("bank", 9710, { reference: "T9" })]);
    await fixture.add("right", [line("t9", -10_000, { reference: "T9", fee_minor: -290 })]);
    await fixture.run();
    expect(await confirmed(fixture)).toMatchObject([
      { adjustments: [fee(-290)], residual_minor: 0 },
    ]);
    expect(await fixture.proof()).toMatchObject({ holds: true });
  });

  test("is ignored if the pair's rules say so, and matches are redone once they don't", async () => {
    const fixture = await withRules();
    await fixture.add("left", [
      line("order", 10_000, { reference: "T9" }),
      line("net", 9710, { reference: "T9" }),
    ]);
    await fixture.add("right", [line("t9", 10_000, { reference: "T9", fee_minor: 290 })]);
    await fixture.run();
    expect(await confirmed(fixture)).toMatchObject([
      { amount_minor: 9710, adjustments: [fee(-290)] },
    ]);
    const trial = await fixture.run(fixture.period, { dry_run: true, fees: "ignore" });
    expect(trial.impact).toMatchObject({
      newly_matched: { matches: 1 },
      no_longer_matched: { matches: 1 },
    });
    await fixture.ok("PUT", `reconciliations/${fixture.period}/rules`, {
      body: { rules: RULES, fees: "ignore" },
    });
    await fixture.run();
    expect(await confirmed(fixture)).toMatchObject([{ amount_minor: 10_000, adjustments: [] }]);
  });

  test("is not deducted if the line's sign would change", async () => {
    const fixture = await withRules();
    await fixture.add("left", [line("small", 100, { reference: "T1" })]);
    await fixture.add("right", [line("t1", 100, { reference: "T1", fee_minor: 150 })]);
    await fixture.run();
    expect(await confirmed(fixture)).toMatchObject([{ amount_minor: 100, adjustments: [] }]);
  });

  test.runIf(WHOLE)("has the same result in any order of deduction", async () => {
    const left = [
      line("a", 9710, { reference: "A" }),
      line("b", 9710, { reference: "B" }),
      line("c", 500, { reference: "C" }),
    ];
    const right = [
      line("a", 10_000, { reference: "A", fee_minor: 290 }),
      line("b", 9710, { reference: "B" }),
      line("c", 510, { reference: "C", fee_minor: 10 }),
    ];
    const [atOnce, stepwise] = [await withRules(), await withRules()];
    await atOnce.add("left", left);
    await atOnce.add("right", right);
    await atOnce.run();
    for (const one of right.toReversed()) await stepwise.add("right", [one]);
    for (const one of left) {
      await stepwise.add("left", [one]);
      await stepwise.run();
    }
    for (const fixture of [atOnce, stepwise]) {
      const found = await confirmed(fixture);
      expect(
        found.map(({ amount_minor, adjustments }) => [amount_minor, adjustments.length]).sort(),
      ).toEqual([
        [500, 1],
        [9710, 0],
        [9710, 1],
      ]);
    }
  });
});

describe("a match by hand", () => {
  async function open(): Promise<{
    fixture: Fixture;
    ids: string[];
    make: (body: object, bearer?: string) => ReturnType<Fixture["call"]>;
  }> {
    const fixture = await Fixture.create();
    const [bank = ""] = await fixture.add("left", [line("bank", 9710)]);
    const [sold = ""] = await fixture.add("right", [line("t9", 10_000, { fee_minor: 290 })]);
    const ids = [bank, sold];
    const make = (body: object, bearer = fixture.admin) =>
      fixture.call("POST", `reconciliations/${fixture.period}/matches`, {
        bearer,
        body: { line_ids: ids, ...body },
      });
    return { fixture, ids, make };
  }

  test("needs no adjustments if its fees explain the whole difference, for API keys too", async () => {
    const { fixture, make } = await open();
    const { items } = await fixture.ok<{ items: OpenLine[] }>(
      "GET",
      `reconciliations/${fixture.period}/open-lines`,
      {
        query: { side: "right" },
      },
    );
    expect(items).toMatchObject([{ amount_minor: 10_000, fee_minor: 290 }]);
    const key = await fixture.ok<{ key_id: string; key_secret: string }>(
      "POST",
      `tenants/${fixture.tenant}/api-keys`,
      {
        body: {
          name: uniqueName("Key"),
          scopes: ["write:reconciliations", "read:reconciliations"],
        },
      },
    );
    const { status, json } = await make({}, `${key.key_id}.${key.key_secret}`);
    expect([status, (json as Match).adjustments]).toEqual([201, [fee(-290)]]);
    expect(await fixture.proof()).toMatchObject({ holds: true });
  });

  test("with another difference reports what is unexplained", async () => {
    const { fixture, ids, make } = await open();
    expectProblem(
      await make({ adjustments: [{ kind: "other", amount_minor: -1 }] }),
      "invalid_request",
    );
    const [more = ""] = await fixture.add("left", [line("more", 1)]);
    expectProblem(await make({ line_ids: [...ids, more] }), "invalid_request");
    const { json } = await make({ adjustments: [{ kind: "write_off", amount_minor: -290 }] });
    expect((json as Match).adjustments).toMatchObject([{ kind: "write_off", amount_minor: -290 }]);
  });
});
