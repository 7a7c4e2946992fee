import type { Client } from "pg";
import { SQLSTATES } from "#lib/db/sqlstates.ts";
import { log } from "#lib/runtime/log.ts";
import { type Caller, call } from "./call.ts";
import type { ClaimedRun } from "./claimed-run.ts";

/**
 * A statement may take BASE_MS and PER_LINE_MS for each line: 40 s for a pair of 100,000 lines a
 * side, several times its duration on a busy machine with current statistics.
 */
const BASE_MS = 20_000;
const PER_LINE_MS = 0.1;
const RETRY_FACTOR = 4;

/**
 * Runs a repeatable step of a run under a statement timeout. If it times out, the tenant's
 * statistics are refreshed, and the step runs once more with four times the timeout.
 * @throws the step's errors
 */
export async function withStatementTimeout<Result>(
  client: Client,
  { tenantId, runId, lines }: Pick<ClaimedRun, "tenantId" | "runId" | "lines">,
  step: () => Promise<Result>,
): Promise<Result> {
  const timeoutMs = Math.round(BASE_MS + lines * PER_LINE_MS);
  const limitTo = (ms: number) => client.query(`set statement_timeout = ${ms}`);
  await limitTo(timeoutMs);
  try {
    return await step();
  } catch (error) {
    if ((error as { code?: string }).code !== SQLSTATES.canceled) throw error;
    log.warn(
      { run_id: runId, timeout_ms: timeoutMs },
      "a step of a run took too long; it is planned again",
    );
    await limitTo(0);
    await refreshStatistics(client, tenantId, { anyway: true });
    await limitTo(RETRY_FACTOR * timeoutMs);
    return await step();
  }
}

/**
 * Analyzes tables whose statistics miss the rows that were just written for a tenant. `anyway`: all
 * of them.
 */
export async function refreshStatistics(
  client: Caller,
  tenant: string,
  { anyway = false } = {},
): Promise<void> {
  await call(client, "refresh_statistics", { tenant, anyway });
}
