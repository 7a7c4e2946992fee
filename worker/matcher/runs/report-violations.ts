import { log } from "#lib/runtime/log.ts";
import type { ClaimedRun } from "./claimed-run.ts";

/** Logs the invariants that the database found violated after a run. */
export function reportViolations({ runId }: ClaimedRun, violations: readonly string[]): void {
  if (violations.length > 0)
    log.fatal({ run_id: runId, violations }, "an invariant does not hold after a run");
}
