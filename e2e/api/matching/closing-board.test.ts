import { expect, test } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { WHOLE } from "#e2e/gate.ts";
import type { BoardPair, BoardPeriod, NextPeriods } from "#lib/matching/closing-board/contract.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 300_000;
const RULES = [{ name: "Same reference", kind: "exact", on: ["reference"], then: "match" }];
const PAIRS = 500;

type Board = { items: BoardPair[]; next_cursor: string | null };

function board(fixture: Fixture, query: Record<string, string> = {}): Promise<Board> {
  return fixture.ok("GET", "closing-board", {
    query: { from: "2026-10", to: "2026-12", ...query },
  });
}

async function onlyPeriod(fixture: Fixture): Promise<BoardPeriod | undefined> {
  return (await board(fixture)).items[0]?.periods[0];
}

function next(fixture: Fixture, body: object): Promise<NextPeriods> {
  return fixture.ok("POST", "closing-board/next", { body });
}

test(
  "the board shows who signed a period, when it is due and what is open",
  async () => {
    const fixture = await Fixture.create();
    const path = `reconciliations/${fixture.period}`;
    await fixture.ok("PUT", `${path}/rules`, {
      body: { rules: RULES, review_levels: 1, close_days: 3 },
    });
    await fixture.add("left", [line("a", 500, { value_date: "2026-10-01" })]);
    await fixture.add("right", [line("b", -200, { value_date: "2026-10-11" })]);

    expect(await onlyPeriod(fixture)).toMatchObject({
      reconciliation_id: fixture.period,
      state: "open",
      prepared_by: null,
      reviewed_by: [],
      closed_by: null,
      // The end is a Saturday.
      due_day: "2026-11-04",
      open_lines: 2,
      open_money: [
        { currency: "EUR", side: "left", open_minor: 500 },
        { currency: "EUR", side: "right", open_minor: -200 },
      ],
      oldest_days: 30,
    });

    await fixture.ok("POST", `${path}/prepare`, {
      body: {},
      bearer: await fixture.as(["tenant_lead"], "leo"),
    });
    expect(await onlyPeriod(fixture)).toMatchObject({ state: "prepared", prepared_by: "user:leo" });
    await fixture.ok("POST", `${path}/review`, {
      body: {},
      bearer: await fixture.as(["tenant_lead"], "lea"),
    });
    expect(await onlyPeriod(fixture)).toMatchObject({
      state: "reviewed",
      reviewed_by: ["user:lea"],
    });
    await fixture.ok("POST", `${path}/close`, { bearer: await fixture.as(["tenant_lead"], "leo") });
    expect(await onlyPeriod(fixture)).toMatchObject({
      state: "closed",
      prepared_by: "user:leo",
      closed_by: "user:leo",
      overdue: false,
      open_lines: 2,
      oldest_days: 30,
    });
  },
  SLOW,
);

test(
  "an open period is overdue once its due day is over, and days that a calendar closes don't count",
  async () => {
    const fixture = await Fixture.create();
    const { id } = await fixture.ok<{ id: string }>("POST", "calendars", {
      body: {
        name: "Office",
        time_zone: "Europe/Berlin",
        weekly: ["monday", "tuesday"].map((day) => ({ day, from: "09:00", to: "17:00" })),
        special_days: [{ date: "2020-02-03", name: "Closed", intervals: [] }],
      },
    });
    await fixture.ok("PUT", `reconciliations/${fixture.period}/rules`, {
      body: { rules: RULES, close_days: 2, calendar_id: id },
    });
    await fixture.bind({ period_start: "2020-01-01", period_end: "2020-01-31" });
    await fixture.bind({ period_start: "2900-01-01", period_end: "2900-01-31" });
    const past = await board(fixture, { from: "2020-01", to: "2020-01" });
    expect(past.items[0]?.periods).toMatchObject([{ due_day: "2020-02-10", overdue: true }]);
    const future = await board(fixture, { from: "2900-01", to: "2900-01" });
    expect(future.items[0]?.periods).toMatchObject([{ overdue: false }]);
  },
  SLOW,
);

test(
  "items carried by a closed month are open in the next, and each period is in the month it ends in",
  async () => {
    const fixture = await Fixture.create();
    await fixture.add("left", [line("a", 500, { value_date: "2026-10-05" })]);
    await fixture.ok("POST", `reconciliations/${fixture.period}/close`, {});
    await fixture.bind({ period_start: "2026-11-01", period_end: "2026-11-30" });
    const { items } = await board(fixture);
    expect(items[0]?.periods).toMatchObject([
      { state: "closed", open_lines: 1, oldest_days: 26 },
      { state: "open", open_lines: 1, oldest_days: 56 },
    ]);
    expect((await board(fixture, { from: "2026-12" })).items).toMatchObject([{ periods: [] }]);
    await fixture.ok("POST", `reconciliations/${fixture.period}/reopen`, {
      body: { reason: "A page was missing" },
    });
    await fixture.add("left", [line("late", 70, { value_date: "2026-10-30" })]);
    expect((await board(fixture)).items[0]?.periods).toMatchObject([
      { state: "open", open_lines: 2, open_money: [{ open_minor: 570 }], closed_by: null },
      { state: "open", open_lines: 2, open_money: [{ open_minor: 570 }] },
    ]);
  },
  SLOW,
);

test("pages of the board have each pair once", async () => {
  const fixture = await Fixture.create();
  const other = await fixture.source("Processor");
  await fixture.bind({ right_source_id: other.id });
  const first = await board(fixture, { limit: "1" });
  const second = await board(fixture, { limit: "1", cursor: first.next_cursor ?? "" });
  expect(second.next_cursor).toBeNull();
  expect([...first.items, ...second.items].map((pair) => pair.right_source).sort()).toEqual([
    "Ledger",
    "Processor",
  ]);
});

test.each([
  { from: "2026-10", to: "2026-09" },
  { from: "2026-01", to: "2027-01" },
  { from: "2026-13", to: "2026-12" },
])("a span of %o is refused", async (query) => {
  const fixture = await Fixture.create();
  expectProblem(await fixture.call("GET", "closing-board", { query }), "invalid_request");
});

test(
  "the next month is opened once, named after the last, with its sources, rules and an audit event",
  async () => {
    const fixture = await Fixture.create();
    await fixture.ok("PATCH", `reconciliations/${fixture.period}`, {
      body: { name: "Debtors, October 2026" },
    });
    const november = {
      follows: fixture.period,
      name: "Debtors, November 2026",
      period_start: "2026-11-01",
      period_end: "2026-11-30",
    };
    const proposed = await next(fixture, { through: "2026-11", dry_run: true });
    expect(proposed).toMatchObject({
      items: [{ ...november, reconciliation_id: null }],
      skipped: [],
      dry_run: true,
    });
    expect((await board(fixture)).items[0]?.periods).toHaveLength(1);

    const { items } = await next(fixture, { through: "2026-11" });
    expect(items).toMatchObject([november]);
    const created = items[0]?.reconciliation_id ?? "";
    expect(await fixture.reconciliation(created)).toMatchObject({
      name: "Debtors, November 2026",
      status: "open",
      auto_run: false,
      left_source_id: fixture.left,
      right_source_id: fixture.right,
    });
    const events = await sql(
      `select details from public.security_events where tenant_id = $1
         and type = 'reconciliation.created' and target = $2`,
      [fixture.tenant, created],
    );
    expect(events).toHaveLength(1);

    expect(await next(fixture, { through: "2026-11" })).toMatchObject({
      items: [],
      skipped: [{ left_source_id: fixture.left, reason: "up_to_date" }],
    });
  },
  SLOW,
);

test(
  "a pair that is behind catches up, and two concurrent calls create each month once",
  async () => {
    const fixture = await Fixture.create();
    await Promise.all([
      next(fixture, { through: "2026-12" }),
      next(fixture, { through: "2026-12" }),
    ]);
    const { items } = await board(fixture);
    expect(items[0]?.periods.map(({ period_end }) => period_end)).toEqual([
      "2026-10-31",
      "2026-11-30",
      "2026-12-31",
    ]);
  },
  SLOW,
);

test("only the named pairs get a next period, never unknown or archived ones", async () => {
  const fixture = await Fixture.create();
  const other = await fixture.source("Processor");
  const archived = await fixture.bind({ right_source_id: other.id });
  await fixture.ok("PATCH", `reconciliations/${archived.id}`, { body: { status: "archived" } });
  const named = { left_source_id: fixture.left, right_source_id: other.id };
  expect(await next(fixture, { through: "2026-11", pairs: [named] })).toMatchObject({
    items: [],
    skipped: [{ ...named, reason: "archived" }],
  });
  const unknown = { left_source_id: other.id, right_source_id: fixture.left };
  expectProblem(
    await fixture.call("POST", "closing-board/next", {
      body: { through: "2026-11", pairs: [unknown] },
    }),
    "invalid_request",
  );
});

test.runIf(WHOLE)(
  "one query answers for 500 pairs with six months each",
  async () => {
    const fixture = await Fixture.create();
    // The fixture has a pair already.
    await fill(fixture, PAIRS - 1);
    const { items } = await board(fixture, { from: "2026-01", to: "2026-06" });
    expect(items).toHaveLength(PAIRS);
    expect(items.flatMap((pair) => pair.periods)).toHaveLength(6 * (PAIRS - 1));
  },
  SLOW,
);

/**
 * Pairs of a new source each with the fixture's, with months from January to June and ten open
 * lines.
 */
async function fill(fixture: Fixture, pairs: number): Promise<void> {
  await sql(
    `with sources as (
       insert into public.sources (tenant_id, name, kind, currency, created_by)
       select $1, 'Source ' || i, 'ledger', 'EUR', 'user:test'
       from generate_series(1, $3::integer) i
       returning tenant_id, id, source_no, name
     ), pairs as (
       insert into public.pairs (tenant_id, left_source_no, right_source_no, created_by)
       select s.tenant_id, l.source_no, s.source_no, 'user:test'
       from sources s join public.sources l on l.tenant_id = $1 and l.id = $2
       returning tenant_id, pair_no, right_source_no
     ), opened as (
       insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor,
         open_minor, value_date)
       select p.tenant_id, p.pair_no, i, 'left', 'EUR', 100, 100, date '2026-01-10' + 15 * i
       from pairs p, generate_series(1, 10) i
     )
     select p.pair_no, s.id, s.name
     from pairs p join sources s on s.source_no = p.right_source_no`,
    [fixture.tenant, fixture.left, pairs],
  );
  await sql(
    `insert into public.reconciliations (tenant_id, name, period_start, period_end, left_source,
       right_source, pair_no, left_source_id, right_source_id, created_by)
     select s.tenant_id, s.name, m, m + interval '1 month - 1 day', 'Bank', s.name, p.pair_no, $2,
       s.id, 'user:test'
     from public.pairs p
     join public.sources s on s.tenant_id = p.tenant_id and s.source_no = p.right_source_no
       and s.name like 'Source %'
     cross join generate_series(timestamp '2026-01-01', '2026-06-01', interval '1 month') m
     where p.tenant_id = $1`,
    [fixture.tenant, fixture.left],
  );
}
