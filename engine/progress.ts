/**
 * How far a run has come, in steps of its current stage. Between two steps the caller may do other
 * work, such as sending a heartbeat.
 */
export type Progress = { stage: string; done: number; total: number };

/** Runs without yielding. */
export function finished<Step, Value>(running: Generator<Step, Value>): Value {
  for (;;) {
    const step = running.next();
    if (step.done) return step.value;
  }
}
