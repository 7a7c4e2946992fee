import { Client } from "pg";
import { expect, test } from "vitest";
import { sql, superuserUrl } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { bookDifferences } from "./books.ts";
import { Fixture, line } from "./matching-fixture.ts";

/** A closed month with a matched pair, an excluded line and two outstanding lines. */
async function closedMonth(): Promise<Fixture> {
  const fixture = await Fixture.create();
  const left = await fixture.add("left", [line("a", 1_000), line("b", 250), line("c", 70)]);
  const right = await fixture.add("right", [line("d", 1_000), line("e", 31)]);
  await fixture.ok("POST", `reconciliations/${fixture.period}/matches`, {
    body: { line_ids: [left[0], right[0]] },
  });
  await fixture.ok("POST", `lines/${left[2]}/exclude`, {
    body: { reason: "A bank fee", reconciliation_id: fixture.period },
  });
  await fixture.ok("POST", `reconciliations/${fixture.period}/close`);
  return fixture;
}

/** Changes rows without the triggers that protect closed periods, which our code never does. */
async function tamper(statement: string, values: unknown[]): Promise<void> {
  const database = new Client(superuserUrl());
  await database.connect();
  try {
    await database.query("set session_replication_role = replica");
    const { rowCount } = await database.query(statement, values);
    expect(rowCount).toBeGreaterThan(0);
  } finally {
    await database.end();
  }
}

test("a closed period's proof shows by a hash in the audit log whether it is unchanged", async () => {
  const fixture = await closedMonth();
  const { closing, holds } = await fixture.proof();
  expect({ closing, holds }).toEqual({
    closing: { digest: expect.stringMatching(/^[0-9a-f]{64}$/), holds: true },
    holds: true,
  });
  const { items } = await fixture.ok<{ items: { target: string; details: object }[] }>(
    "GET",
    "security-events",
    {
      query: { type: "reconciliation.closed" },
    },
  );
  expect(items).toMatchObject([{ target: fixture.period, details: { digest: closing?.digest } }]);
  await fixture.add("left", [line("late", 12)]);
  expect((await fixture.proof()).closing?.holds).toBe(true);
  await fixture.ok("POST", `reconciliations/${fixture.period}/reopen`, {
    body: { reason: "Once more" },
  });
  expect((await fixture.proof()).closing).toBeNull();
});

test.each<[change: string, statement: string, found: string[]]>([
  [
    "an open amount",
    "update private.open_lines set open_minor = 249 where tenant_id = $1 and amount_minor = 250",
    ["open"],
  ],
  [
    "an open line that is gone",
    "delete from private.open_lines where tenant_id = $1 and amount_minor = 31",
    ["open"],
  ],
  [
    "an allocated amount",
    "update match_members set allocated_minor = 900 where tenant_id = $1 and side = 'left'",
    ["match", "open"],
  ],
  [
    "a carried line",
    "update carried_lines set open_minor = 30 where tenant_id = $1 and open_minor = 31",
    ["carried", "closing balance"],
  ],
  [
    "a line",
    "update lines set amount_minor = 251 where tenant_id = $1 and amount_minor = 250",
    ["carried", "open"],
  ],
  [
    "an exclusion's amount",
    "update exclusions set excluded_minor = 71 where tenant_id = $1",
    ["given more than once", "open"],
  ],
  [
    "a statement",
    `update closings set statement = jsonb_set(statement, '{name}', '"Another"')
     where tenant_id = $1`,
    ["closing"],
  ],
  [
    "a count",
    "update private.matched_counts set lines = 3 where tenant_id = $1",
    ["matched lines"],
  ],
])("a recount detects %s that was changed without the triggers", async (_, statement, found) => {
  const fixture = await closedMonth();
  expect(await bookDifferences(fixture.tenant)).toEqual([]);
  await tamper(statement, [fixture.tenant]);
  expect((await bookDifferences(fixture.tenant)).map(({ what }) => what)).toEqual(
    expect.arrayContaining(found),
  );
});

test("a difference is sent as an event by the worker, at most once a day", async () => {
  const fixture = await closedMonth();
  await tamper("delete from private.open_lines where tenant_id = $1 and amount_minor = 31", [
    fixture.tenant,
  ]);
  await sql(
    `select graphile_worker.add_job('recount_books',
       json_build_object('tenant_id', tenant_id, 'pair_no', pair_no), max_attempts => 1)
     from pairs where tenant_id = $1`,
    [fixture.tenant],
  );
  const differences = () =>
    sql<{ data: object }>(
      "select data from events where tenant_id = $1 and type = 'books.differ'",
      [fixture.tenant],
    );
  const [event] = await until("the difference to be sent", async () => {
    const events = await differences();
    return events.length > 0 && events;
  });
  expect(event?.data).toMatchObject({
    reconciliation_ids: [fixture.period],
    difference_count: 1,
    differences: [{ what: "open", computed: expect.stringMatching(/^31 of 31 EUR /), shown: null }],
  });
  const again = await sql(
    `select private.recount_books(tenant_id, pair_no)::integer as count from pairs
     where tenant_id = $1`,
    [fixture.tenant],
  );
  expect(again).toEqual([{ count: 1 }]);
  expect(await differences()).toHaveLength(1);
});
