import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { log } from "#lib/runtime/log.ts";
import { ApiError } from "#lib/wire/errors.ts";
import { SURE_SCORE } from "../../../engine/assignment/by-evidence.ts";
import type { Input, Result } from "../../../engine/engine.ts";
import { checkInvariants } from "../../../engine/invariants.ts";
import { businessDaysOf, mondayToFriday } from "../../../engine/prepare/days.ts";
import type { Progress } from "../../../engine/progress.ts";
import { trackRecord } from "../../../engine/weights.ts";
import type { ClaimedRun } from "./claimed-run.ts";
import type { RunInput } from "./read-run.ts";

/** How long the rules may block the event loop before they yield. */
const SLICE_MS = 20;

/** How far a run is, for its row. */
export type Report = (progress: Progress, now?: boolean) => Promise<void>;

export const businessDaysIn = ({ openDays }: Pick<ClaimedRun, "openDays">) =>
  openDays ? businessDaysOf(openDays) : mondayToFriday;

/** The engine's input: the lines that were read, with the pair's rules and policy. */
export function inputOf(
  run: Pick<ClaimedRun, "rules" | "policy" | "weights" | "openDays">,
  { left, right, rejected }: Pick<RunInput, "left" | "right" | "rejected">,
): Input {
  const { automatic } = run.policy;
  const earned =
    automatic === "always" ||
    (automatic === "earned" && trackRecord(run.weights, SURE_SCORE).proven);
  return {
    left,
    right,
    rules: run.rules,
    rejected,
    weights: run.weights,
    automatic: earned ? "as_ruled" : "suggest_only",
    businessDays: businessDaysIn(run),
  };
}

/** Runs the engine in slices, between which the event loop gets a turn and progress is reported. */
export async function inSlices<Value>(
  running: Generator<Progress, Value>,
  lines: number,
  report: Report,
): Promise<Value> {
  for (let since = performance.now(); ; ) {
    const step = running.next();
    if (step.done) return step.value;
    if (performance.now() - since < SLICE_MS) continue;
    const { stage, done } = step.value;
    await report({ stage, done: Math.min(lines, done), total: lines });
    await yieldToEventLoop();
    since = performance.now();
  }
}

/** Whether a result violates an invariant; then it must not be saved. */
export function hasViolations(run: Pick<ClaimedRun, "runId">, result: Result): boolean {
  const violations = checkInvariants(result);
  if (violations.length > 0)
    log.fatal({ run_id: run.runId, violations }, "a run violated an invariant; nothing was saved");
  return violations.length > 0;
}

/** @throws ApiError `conflict` if the result violates an invariant: a retry would give the same. */
export function requireInvariants(run: Pick<ClaimedRun, "runId">, result: Result): void {
  if (!hasViolations(run, result)) return;
  throw new ApiError(
    "conflict",
    "The result failed our own checks, so nothing was saved. " +
      "Don't run it again: send us the run's id.",
  );
}
