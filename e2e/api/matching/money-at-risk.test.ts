import { expect, test } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import type { Decision } from "#lib/matching/workbench/contract.ts";
import { bookDifferences } from "./books.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 300_000;
const SAME = { name: "Same", kind: "exact", on: ["reference"], then: "match" };
const EQUAL = { name: "Equal", kind: "exact", on: ["reference"], then: "suggest" };
const NEAR = {
  name: "Near",
  kind: "tolerance",
  on: ["reference"],
  amount_tolerance_minor: 500,
  then: "suggest",
};

test(
  "lines of a suggestion are one exception over their difference, and lines without one are one each",
  async () => {
    const fixture = await Fixture.create({ grace_days: 0 });
    const { id: period } = await fixture.bind({
      period_start: "2020-01-01",
      period_end: "2020-01-31",
    });
    const ruled = (rules: object[]) =>
      fixture.ok("PUT", `reconciliations/${period}/rules`, { body: { rules } });
    const open = async () => {
      const query = { reconciliation_id: period, status: "open" };
      const { items } = await fixture.ok<{ items: Exception[] }>("GET", "exceptions", { query });
      return items.sort((one, other) => (one.amount_minor ?? 0) - (other.amount_minor ?? 0));
    };
    const of = async (id: string) => (await fixture.line(id)).exception_id;
    const old = { value_date: "2020-01-12" };

    await ruled([SAME]);
    const [a = ""] = await fixture.add("left", [
      line("a", 124_550, { ...old, reference: "INV-7" }),
    ]);
    const [b = ""] = await fixture.add("right", [
      line("b", 124_900, { ...old, reference: "inv 7" }),
    ]);
    await fixture.run(period);
    const alone = await open();
    expect(alone.map(({ line_id, amount_minor }) => [line_id, amount_minor])).toEqual([
      [a, 124_550],
      [b, 124_900],
    ]);

    await ruled([SAME, NEAR]);
    await fixture.run(period);
    const [suggested] = await fixture.matches({ state: "suggested" }, period);
    const together = await open();
    expect(together).toMatchObject([
      {
        amount_minor: 350,
        currency: "EUR",
        reason_code: "amount_differs",
        title: "Amount differs by €3.50: INV-7 of Bank, inv 7 of Ledger",
        suggested_match_id: suggested?.id,
        details: { lines: [{ line_id: a }, { line_id: b }] },
      },
    ]);
    const surviving = together[0]?.id ?? "";
    expect([await of(a), await of(b)]).toEqual([surviving, surviving]);
    const merged = alone.find(({ id }) => id !== surviving)?.id;
    expect(await fixture.ok("GET", `exceptions/${merged}`)).toMatchObject({
      status: "resolved",
      resolution: expect.stringContaining(surviving),
    });

    await fixture.ok("POST", `matches/${suggested?.id}/confirm`);
    expect(await fixture.ok("GET", `exceptions/${surviving}`)).toMatchObject({
      status: "resolved",
      resolution: `Matched by ${suggested?.id}.`,
    });
    const { items } = await fixture.ok<{ items: Decision[] }>(
      "GET",
      `reconciliations/${period}/decisions`,
    );
    await fixture.ok("POST", `decisions/${items[0]?.id}/undo`);
    expect(await open()).toMatchObject([{ id: surviving, amount_minor: 350 }]);

    await fixture.ok("POST", `matches/${suggested?.id}/reject`);
    expect(await fixture.run(period)).toMatchObject({ exceptions_opened: 1 });
    const apart = await open();
    expect(apart.map(({ line_id, amount_minor }) => [line_id, amount_minor])).toEqual([
      [a, 124_550],
      [b, 124_900],
    ]);
    expect(apart.map(({ id }) => id)).toContain(surviving);
    expect([await of(a), await of(b)]).toEqual(apart.map(({ id }) => id));
  },
  SLOW,
);

test(
  "a new suggestion's lines open one exception, which counts once to a run's cap",
  async () => {
    const fixture = await Fixture.create({ grace_days: 0 });
    const { id: period } = await fixture.bind({
      period_start: "2020-01-01",
      period_end: "2020-01-31",
    });
    const old = { value_date: "2020-01-12", reference: "INV-8" };
    await fixture.ok("PUT", `reconciliations/${period}/rules`, {
      body: {
        rules: [SAME, NEAR],
        exceptions: {
          assigned_to: null,
          most_a_run: 1,
          severities: [{ from_minor: 0, severity: "low" }],
        },
      },
    });
    await fixture.add("left", [
      line("a", 10_000, old),
      line("alone", 90, { ...old, reference: "LONE" }),
    ]);
    await fixture.add("right", [line("b", 10_100, old)]);
    expect(await fixture.run(period)).toMatchObject({
      exceptions_opened: 1,
      exceptions_held_back: 1,
    });
    const { items } = await fixture.ok<{ items: Exception[] }>("GET", "exceptions", {
      query: { reconciliation_id: period },
    });
    expect(items).toMatchObject([{ amount_minor: 100, reason_code: "amount_differs" }]);
    expect(await fixture.run(period)).toMatchObject({
      exceptions_opened: 1,
      exceptions_held_back: 0,
    });
  },
  SLOW,
);

test(
  "a title set by a person stays when suggestions change, and an untouched one follows them",
  async () => {
    const fixture = await Fixture.create({ grace_days: 0 });
    const { id: period } = await fixture.bind({
      period_start: "2020-01-01",
      period_end: "2020-01-31",
    });
    const ruled = (rules: object[]) =>
      fixture.ok("PUT", `reconciliations/${period}/rules`, { body: { rules } });
    const pair = (name: string) => ({ value_date: "2020-01-12", reference: name });
    await ruled([SAME]);
    const [mine = "", theirs = ""] = await fixture.add("left", [
      line("mine", 10_000, pair("INV-1")),
      line("theirs", 20_000, pair("INV-2")),
    ]);
    await fixture.add("right", [
      line("mine", 10_100, pair("INV-1")),
      line("theirs", 20_100, pair("INV-2")),
    ]);
    await fixture.run(period);
    const exceptionOf = async (id: string) =>
      fixture.ok<Exception>("GET", `exceptions/${(await fixture.line(id)).exception_id}`);
    const { id } = await exceptionOf(mine);
    await fixture.ok("PATCH", `exceptions/${id}`, { body: { title: "Ask Hansen about the fee" } });

    await ruled([SAME, NEAR]);
    await fixture.run(period);
    expect(await exceptionOf(mine)).toMatchObject({
      id,
      title: "Ask Hansen about the fee",
      amount_minor: 100,
      reason_code: "amount_differs",
    });
    expect(await exceptionOf(theirs)).toMatchObject({
      title: "Amount differs by €1.00: INV-2 of Bank, INV-2 of Ledger",
    });

    for (const { id: match } of await fixture.matches({ state: "suggested" }, period))
      await fixture.ok("POST", `matches/${match}/reject`);
    await fixture.run(period);
    expect(await exceptionOf(mine)).toMatchObject({
      id,
      title: "Ask Hansen about the fee",
      amount_minor: 10_000,
    });
    expect(await exceptionOf(theirs)).toMatchObject({
      title: "No match for €200.00, 12 Jan 2020, Bank",
      amount_minor: 20_000,
    });
  },
  SLOW,
);

test(
  "a suggestion whose amounts agree is a pending decision with no money at risk",
  async () => {
    const fixture = await Fixture.create({ grace_days: 0 });
    const { id: period } = await fixture.bind({
      period_start: "2020-01-01",
      period_end: "2020-01-31",
    });
    const old = { value_date: "2020-01-12", reference: "INV-9" };
    const ruled = (rules: object[]) =>
      fixture.ok("PUT", `reconciliations/${period}/rules`, { body: { rules } });
    await ruled([EQUAL]);
    const [a = ""] = await fixture.add("left", [line("a", 10_000, old)]);
    await fixture.add("right", [line("b", 10_000, old)]);
    expect(await fixture.run(period)).toMatchObject({ exceptions_opened: 1 });
    const exception = async () =>
      fixture.ok<Exception>("GET", `exceptions/${(await fixture.line(a)).exception_id}`);
    expect(await exception()).toMatchObject({
      title: "Suggested match to confirm: INV-9 of Bank, INV-9 of Ledger",
      amount_minor: null,
      currency: null,
      severity: "low",
    });
    const [suggested] = await fixture.matches({ state: "suggested" }, period);
    await fixture.ok("POST", `matches/${suggested?.id}/reject`);
    await fixture.run(period);
    expect(await exception()).toMatchObject({ amount_minor: 10_000, currency: "EUR" });
  },
  SLOW,
);

test(
  "a line settled while a run splits exceptions leaves no empty exception",
  async () => {
    const fixture = await Fixture.create({ grace_days: 0 });
    const { id: period } = await fixture.bind({
      period_start: "2020-01-01",
      period_end: "2020-01-31",
    });
    const old = { value_date: "2020-01-12", reference: "INV-9" };
    await fixture.ok("PUT", `reconciliations/${period}/rules`, { body: { rules: [NEAR] } });
    const lines = [
      await fixture.add("left", [line("a", 300, old)]),
      await fixture.add("right", [line("b", 200, old)]),
    ].flat();
    await fixture.run(period);
    const [suggested] = await fixture.matches({ state: "suggested" }, period);
    await fixture.ok("POST", `matches/${suggested?.id}/reject`);

    const [run] = await sql<{ begun: { run_id: string; attempt: number } }>(
      "select private.begin_run($1, $2, null, 'test') as begun",
      [fixture.tenant, period],
    );
    const [seen] = await sql<{
      rows: { line_no: number; lines: { line_no: number; id: string }[] }[];
    }>("select private.exceptions_to_regroup($1, $2) as rows", [fixture.tenant, period]);
    const [apart] = seen?.rows ?? [];
    const own = apart?.lines.find(({ line_no }) => line_no === apart.line_no)?.id ?? "";
    expect(lines).toContain(own);
    await fixture.ok("POST", `lines/${own}/exclude`, {
      body: { reason: "Settled outside the suggestion" },
    });
    const rows = [
      {
        ...apart,
        line_nos: [apart?.line_no],
        title: "Alone",
        reason_code: "missing_counterpart",
        details: {},
      },
    ];
    const regroup = "select private.regroup_exceptions($1, $2, $3, $4, $5)";
    await sql(regroup, [
      fixture.tenant,
      period,
      run?.begun.run_id,
      run?.begun.attempt,
      JSON.stringify(rows),
    ]);
    expect(await bookDifferences(fixture.tenant)).toEqual([]);
  },
  SLOW,
);
