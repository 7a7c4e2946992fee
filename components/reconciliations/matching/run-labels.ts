import type { Run } from "#lib/matching/runs/contract.ts";
import { isUnderWay } from "../queries.ts";

/**
 * The run in progress and the last one that ended, among a period's newest runs without dry runs.
 */
export function runsOf(newest: readonly Run[]): {
  current: Run | undefined;
  last: Run | undefined;
} {
  const real = newest.filter(({ dry_run }) => !dry_run);
  return { current: real.findLast(isUnderWay), last: real.find((run) => !isUnderWay(run)) };
}

const STAGES: Record<string, string> = {
  queued: "Waiting for its turn",
  reading: "Reading lines",
  suggestions: "Choosing suggestions",
  reasons: "Finding why lines are open",
  digest: "Adding up",
  keeping: "Saving matches",
  exceptions: "Opening exceptions",
};

/** The current step of a run. A stage that isn't one of the engine's is a rule's name. */
export function stageLabel(stage: string | null): string {
  if (stage === null) return "Starting";
  return STAGES[stage] ?? `Applying “${stage}”`;
}

/** "0.8 s", "2 min 5 s". */
export function formatElapsed(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
