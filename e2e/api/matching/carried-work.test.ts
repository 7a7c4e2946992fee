import { expect, test } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { Fixture, line, month, type NewLine } from "./matching-fixture.ts";

const SLOW = 300_000;
const NOVEMBER = { period_start: "2026-11-01", period_end: "2026-11-30" };

/** Lines of September, past their grace: some with a suggestion, some without a partner. */
async function september(): Promise<Fixture> {
  const fixture = await Fixture.create();
  const { left, right } = month(60);
  const earlier = (lines: NewLine[]) =>
    lines.map((item) => ({ ...item, value_date: item.value_date.replace("2026-10", "2026-09") }));
  await fixture.add("left", [
    ...earlier(left),
    line("alone", 4711, { value_date: "2026-09-02", reference: "ALONE" }),
  ]);
  await fixture.add("right", earlier(right));
  await fixture.run();
  return fixture;
}

type Placed = { id: string; reconciliation_id: string };

/** The suggestions and the open exceptions of lines that belong to this period. */
async function workOf(fixture: Fixture, period: string) {
  const suggestions = await fixture.matches({ state: "suggested" }, period);
  const exceptions = await sql<Placed>(
    `select e.id, e.reconciliation_id from public.exceptions e
     where e.tenant_id = $1 and e.reconciliation_id = $2 and e.line_no is not null
       and e.status in ('open', 'in_review') order by e.id`,
    [fixture.tenant, period],
  );
  return {
    suggestions: suggestions.map(({ id }) => id).sort(),
    exceptions: exceptions.map(({ id }) => id),
  };
}

const clocks = (fixture: Fixture) =>
  sql(
    `select e.id, e.severity, e.due_at, e.status, e.assigned_to from public.exceptions e
     where e.tenant_id = $1 order by e.id`,
    [fixture.tenant],
  );

test.each(["before", "after"] as const)(
  "suggestions and exceptions follow their lines to a period opened %s the close, and return",
  async (when) => {
    const fixture = await september();
    const next = when === "before" ? await fixture.bind(NOVEMBER) : null;
    const before = await workOf(fixture, fixture.period);
    expect(before.suggestions.length).toBeGreaterThan(0);
    expect(before.exceptions.length).toBeGreaterThan(0);
    const ran = await clocks(fixture);

    await fixture.ok("POST", `reconciliations/${fixture.period}/close`);
    const november = next ?? (await fixture.bind(NOVEMBER));
    expect(await workOf(fixture, fixture.period)).toEqual({ suggestions: [], exceptions: [] });
    expect(await workOf(fixture, november.id)).toEqual(before);
    expect(await clocks(fixture)).toEqual(ran);
    const { items } = await fixture.ok<{ items: { actor: string; changes: object }[] }>(
      "GET",
      `exceptions/${before.exceptions[0]}/history`,
    );
    expect(items[0]).toMatchObject({
      actor: "system",
      actor_subject: null,
      changes: { reconciliation_id: { from: fixture.period, to: november.id } },
    });
    for (const period of [fixture.period, november.id])
      expect((await fixture.proof(period)).holds).toBe(true);
    expect((await fixture.proof()).closing).toMatchObject({ holds: true });

    const [decided = "", ...undecided] = before.suggestions;
    await fixture.ok("POST", `matches/${decided}/confirm`);
    await fixture.ok("POST", `reconciliations/${fixture.period}/reopen`, {
      body: { reason: "A page was missing" },
    });
    const back = await workOf(fixture, fixture.period);
    expect(undecided).toEqual(expect.arrayContaining(back.suggestions));
    expect(back.suggestions.length).toBeGreaterThan(0);
    expect(await workOf(fixture, november.id)).toEqual({ suggestions: [], exceptions: [] });
    expect((await fixture.run()).status).toBe("done");
  },
  SLOW,
);

test(
  "a suggestion isn't carried over if the next period has one for its line",
  async () => {
    const fixture = await september();
    const { id: november } = await fixture.bind(NOVEMBER);
    await fixture.run(november);
    await fixture.ok("POST", `reconciliations/${fixture.period}/close`);
    expect((await workOf(fixture, fixture.period)).suggestions).toEqual([]);
    const lines = (await fixture.matches({ state: "suggested" }, november)).flatMap(({ members }) =>
      members.map(({ line_id }) => line_id),
    );
    expect(lines.length).toBeGreaterThan(0);
    expect(new Set(lines).size).toBe(lines.length);
    expect((await fixture.run(november)).status).toBe("done");
  },
  SLOW,
);
