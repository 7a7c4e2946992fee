import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { creating } from "#e2e/exception-statements.ts";
import { createTenant, sql } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { Explainer } from "./explained.ts";

/** Enough rows that reading all of a tenant's isn't the cheapest plan. */
const ROWS = 10_000;
/** The rows of a page and those that its filters reject. */
const MAX_ROWS_READ = 1_000;
const explainer = new Explainer(
  /^(exceptions|exception_clocks|exception_history|exception_ledger|events)$/,
);

let tenant: string;
let exceptionId: string;

beforeAll(async () => {
  tenant = await createTenant();
  await sql(
    creating(
      `'tenant_id', $1::text, 'title', 'Payout ' || i, 'severity',
         (array['critical','high','medium','low'])[1 + i % 4], 'due_at',
         now() + interval '10 minutes' * (i - 500), 'assigned_to',
         case when i % 7 > 0 then 'user:u' || i % 7 end, 'created_by', 'user:bench',
         'amount_minor', i, 'currency', (array['EUR','USD'])[1 + i % 2], 'reason_code',
         'r' || i % 40, 'updated_at', now() - interval '1 hour'`,
      `generate_series(1, $2::int) i`,
    ),
    [tenant, ROWS],
  );
  while (
    (await sql<{ tick: { moved: number } }>("select private.tick_sla_clock(20000) as tick"))[0]
      ?.tick.moved
  ) {}
  // The worker does this each minute, possibly at the same moment.
  await until("the counters are folded", async () => {
    await sql("select private.merge_exception_counters()");
    return (
      (
        await sql("select from private.open_by_deadline where tenant_id = $1 and shard <> 0", [
          tenant,
        ])
      ).length === 0
    );
  });
  for (const table of ["public.exceptions", "private.exception_clocks", "public.events"])
    await sql(`analyze ${table}`);
  exceptionId =
    (
      await sql<{ id: string }>(
        "select id from public.exceptions where tenant_id = $1 order by due_at limit 1",
        [tenant],
      )
    )[0]?.id ?? "";
  await explainer.open();
});
afterAll(() => explainer.close());

/** Later than more than half of the deadlines, and later than all. */
const LATE = new Date(Date.now() + 50 * 24 * 3_600_000).toISOString();
const NEVER = "2999-01-01T00:00:00.000Z";
const board = (input: object) => ["list_sla_exceptions", () => ({ limit: 50, ...input })] as const;
const CALLS: Record<string, readonly [verb: string, input: () => object]> = {
  "the board by deadline": board({ sort_by: "due_at" }),
  "the board by severity": board({ sort_by: "severity" }),
  "the board by assignee": board({ sort_by: "assigned_to" }),
  "the board of one assignee": board({ sort_by: "due_at", assigned_to: ["user:u3"] }),
  "the board of one assignee, by assignee": board({
    sort_by: "assigned_to",
    assigned_to: ["user:u3"],
  }),
  "a far page of the board by deadline": board({ sort_by: "due_at", after: ["", LATE, "exc_"] }),
  "a far page of the board by severity": board({ sort_by: "severity", after: ["2", LATE, "exc_"] }),
  "a far page of the board by assignee": board({
    sort_by: "assigned_to",
    after: ["0user:u3", LATE, "exc_"],
  }),
  "the page of the board by assignee on which nobody's begin": board({
    sort_by: "assigned_to",
    after: ["0user:u6", NEVER, "exc_"],
  }),
  "a far page of what is assigned to nobody": board({
    sort_by: "assigned_to",
    after: ["1", LATE, "exc_"],
  }),
  "the board of one severity": board({ sort_by: "due_at", severity: ["high"] }),
  "the board of several assignees": board({
    sort_by: "due_at",
    assigned_to: ["user:u3", "user:u4", "none"],
  }),
  "the board of several severities, and what can still be saved": board({
    sort_by: "due_at",
    severity: ["high", "low"],
    breach_risk: ["high", "medium", "low"],
  }),
  "the board of the breached and of what is at no risk": board({
    sort_by: "due_at",
    breach_risk: ["breached", "low"],
  }),
  "the board by amount": board({ sort_by: "amount" }),
  "a far page of the board by amount": board({
    sort_by: "amount",
    after: ["0EUR9223372036854770000", LATE, "exc_"],
  }),
  "the board of a reason": board({ sort_by: "due_at", reason_code: ["r3"] }),
  "what changed on the board": [
    "list_sla_changes",
    () => ({ limit: 50, since: new Date().toISOString() }),
  ],
  "the events so far": ["list_events", () => ({ limit: 50 })],
  "the events since a moment": [
    "list_events",
    () => ({ limit: 50, since: new Date(Date.now() - 60_000).toISOString() }),
  ],
  "the closed ones": ["list_exceptions", () => ({ limit: 50, sort_by: "closed_at" })],
  "the board of what is at no risk yet": board({ sort_by: "due_at", breach_risk: ["low"] }),
  "the time to breach": ["get_time_to_breach", () => ({})],
  "the overview": ["get_overview", () => ({})],
  "the list of what changed lately": [
    "list_exceptions",
    () => ({ limit: 50, updated_since: new Date(Date.now() - 60_000).toISOString() }),
  ],
  "the list of the breached": ["list_exceptions", () => ({ limit: 50, breach_risk: ["breached"] })],
  "the list of what is due within an hour": [
    "list_exceptions",
    () => ({ limit: 50, within_minutes: 60 }),
  ],
  "the list": ["list_exceptions", () => ({ limit: 50 })],
  "one exception": ["get_exception", () => ({ id: exceptionId })],
  "a new exception": [
    "create_exception",
    () => ({ title: "New", severity: "high", due_at: "2999-01-01T00:00:00.000Z" }),
  ],
  "a change": ["update_exception", () => ({ id: exceptionId, title: "Changed" })],
  "a history": ["list_exception_history", () => ({ id: exceptionId, limit: 50 })],
  "a key's owner": ["get_me", () => ({})],
};

describe("with 10,000 open exceptions", () => {
  test.each(Object.entries(CALLS))(
    "%s reads and sorts no more than a page needs",
    async (_what, [verb, input]) => {
      expect(await explainer.excessiveReads(tenant, verb, input(), MAX_ROWS_READ)).toEqual([]);
    },
  );

  test.each(Object.entries(CALLS))(
    "%s reads and joins each table by the tenant",
    async (_what, [verb, input]) => {
      expect(await explainer.acrossTenants(tenant, verb, input())).toEqual([]);
    },
  );
});
