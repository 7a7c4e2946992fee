import { setTimeout as sleep } from "node:timers/promises";
import { creating } from "#e2e/exception-statements.ts";
import { createTenant, sql } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { calling, hotCalls } from "./calls.ts";
import { slowdown, timesUntil } from "./neighbor.ts";
import type { Finding, Section } from "./report.ts";
import { withService } from "./server.ts";

const CROSSINGS = 100_000;
const OPEN = 60;
/** The time to insert all exceptions before the first is due. */
const AHEAD_SECONDS = 90;
const STEP = 20_000;
const QUIET_MS = 15_000;
const WINDOW_SECONDS = 10;

/**
 * 100,000 deadlines of one tenant that pass within a second, processed by the stack's own worker,
 * while another tenant reads its board.
 */
export async function crossings(): Promise<Section> {
  const { board } = await hotCalls(OPEN);
  return withService(async (service) => {
    const caller = calling("another tenant's board", service, board);
    const alone = await timesUntil(caller, sleep(QUIET_MS));
    const tenant = await createTenant();
    const dueAt = await dueWithinASecond(tenant);
    await sleep(Math.max(0, dueAt - Date.now()));
    const duringCrossings = await timesUntil(caller, allReported(tenant));
    return {
      title: "5. Deadlines that pass at once",
      how:
        `${CROSSINGS.toLocaleString("en")} exceptions of one tenant are due within a second; ` +
        "one worker. Another tenant reads its board of 50, one call at a time.",
      findings: [await lag(tenant), slowdown("the crossings", duringCrossings, alone)],
    };
  });
}

/** Inserts the exceptions. @returns when the first is due, in ms since the epoch. */
async function dueWithinASecond(tenant: string): Promise<number> {
  const [row] = await sql<{ due_at: string }>(
    "select now() + make_interval(secs => $1) as due_at",
    [AHEAD_SECONDS],
  );
  for (let from = 0; from < CROSSINGS; from += STEP) {
    await sql(
      creating(
        `'tenant_id', $1::text, 'title', 'Payout ' || i, 'severity', 'low', 'due_at',
           $2::timestamptz + i * interval '10 microseconds', 'created_by', 'user:bench'`,
        `generate_series($3::int, $4::int) i`,
      ),
      [tenant, row?.due_at, from + 1, from + STEP],
    );
  }
  return new Date(row?.due_at ?? "").getTime();
}

async function allReported(tenant: string): Promise<void> {
  const breached = "select from private.sla_counts where tenant_id = $1 having sum(breached) = $2";
  await until(
    "each deadline is reported",
    async () => (await sql(breached, [tenant, CROSSINGS])).length > 0,
    300_000,
  );
}

async function lag(tenant: string): Promise<Finding> {
  const [row] = await sql<{ events: number; exceptions: number; early: number; seconds: number }>(
    `select count(*)::int as events, count(distinct data #>> '{exception,id}')::int as exceptions,
       count(*) filter (where at < (data ->> 'due_at')::timestamptz)::int as early,
       extract(epoch from max(at) - max((data ->> 'due_at')::timestamptz))::float8 as seconds
     from public.events where tenant_id = $1 and type = 'exception.sla.breached'`,
    [tenant],
  );
  const { events = 0, exceptions = 0, early = 0, seconds = Number.NaN } = row ?? {};
  return {
    name: "from the last deadline to the last event",
    ours: `${events.toLocaleString("en")} events of ${exceptions.toLocaleString("en")} exceptions, ${early} early`,
    against: "",
    figure: `${seconds.toFixed(1)} s`,
    target: `≤ ${WINDOW_SECONDS} s, each once`,
    met:
      seconds <= WINDOW_SECONDS && events === CROSSINGS && exceptions === CROSSINGS && early === 0,
  };
}
