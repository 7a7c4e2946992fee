import type { Client } from "pg";
import { SQLSTATES } from "#lib/db/sqlstates.ts";
import { log } from "#lib/runtime/log.ts";
import { type Caller, call } from "./call.ts";
import type { RunToDo } from "./run-to-do.ts";

/** Several times what a statement of a run takes on a busy machine where the planner knows what there is: of a pair of 100,000 lines a side 40 s. */
const BASE_MS = 20_000;
const PER_LINE_MS = 0.1;
const ONCE_MORE = 4;

/**
 * Does a step of a run, which can be done again, and whose statements are to end in a time. One that overruns it is not waited for: the planner looks at
 * the tenant's tables, and the step is done once more, in four times that time.
 * @throws what the step does
 */
export async function inTime<Done>(
  client: Client,
  { tenantId, runId, lines }: Pick<RunToDo, "tenantId" | "runId" | "lines">,
  step: () => Promise<Done>,
): Promise<Done> {
  const mostMs = Math.round(BASE_MS + lines * PER_LINE_MS);
  const within = (ms: number) => client.query(`set statement_timeout = ${ms}`);
  await within(mostMs);
  try {
    return await step();
  } catch (error) {
    if ((error as { code?: string }).code !== SQLSTATES.canceled) throw error;
    log.warn({ run_id: runId, most_ms: mostMs }, "a step of a run took too long; it is planned anew");
    await within(0);
    await refreshStatistics(client, tenantId, { anyway: true });
    await within(ONCE_MORE * mostMs);
    return await step();
  }
}

/** The planner is to know of the many rows of a tenant's that were just written. */
export async function refreshStatistics(client: Caller, tenant: string, { anyway = false } = {}): Promise<void> {
  await call(client, "refresh_statistics", { tenant, anyway });
}
