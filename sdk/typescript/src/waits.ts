import { TieoutError } from "./errors.ts";
import type * as T from "./generated/types.gen.ts";
import type { CallOptions, Request, Send } from "./request.ts";
import { sleep } from "./sleep.ts";

/** Options of a call that waits for the work that it started. */
export type WaitOptions<State> = CallOptions & {
  /** Called with each state, including the last one. */
  onProgress?: (state: State) => void;
  /** How long to wait for the end, by default 30 minutes. Only the waiting ends, not the work. */
  waitMs?: number;
};

type Work = T.Import | T.Run | T.Reconciliation;

const WAIT_MS = 30 * 60_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/** @internal */
export async function waitFor<State extends Work>(
  send: Send,
  start: Request & { options?: WaitOptions<State> },
  pathOf: (started: State) => string,
): Promise<State> {
  const { onProgress, waitMs = WAIT_MS, ...options } = start.options ?? {};
  let state = (await send(start)).data as State | undefined;
  if (state === undefined)
    throw failed("The key lacks the read scope, so the end can't be waited for.");
  // If-Match applies only to the start, because the work itself changes the version.
  const reading = { ...options, ifMatch: undefined };
  const path = pathOf(state);
  const deadline = performance.now() + waitMs;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, MAX_PAUSE_MS)) {
    onProgress?.(state);
    if (hasEnded(state)) return state;
    if (performance.now() + pause > deadline)
      throw new TieoutError("timeout", "It has not ended in time.", { retryable: true });
    await sleep(pause, options.signal);
    state = (await send({ method: "GET", path, options: reading })).data as State;
  }
}

/** @throws TieoutError `failed`, with the reason */
function hasEnded(work: Work): boolean {
  const isClose = "closing" in work;
  const isDone = isClose ? !work.closing && work.closed_at !== null : work.status === "done";
  const isFailed = isClose ? !work.closing && work.closed_at === null : work.status === "failed";
  const failure = isClose ? work.closing_failure : work.failure;
  if (isFailed) throw failed(failure ?? "It failed without a reason.");
  return isDone;
}

function failed(message: string): TieoutError {
  return new TieoutError("failed", message);
}
