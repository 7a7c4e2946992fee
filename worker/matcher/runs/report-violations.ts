import { log } from "#lib/runtime/log.ts";
import type { RunToDo } from "./run-to-do.ts";

/** Logs what the database found to be wrong after a run. */
export function reportViolations({ runId }: RunToDo, violations: readonly string[]): void {
  if (violations.length > 0)
    log.fatal({ run_id: runId, violations }, "an invariant does not hold after a run");
}
