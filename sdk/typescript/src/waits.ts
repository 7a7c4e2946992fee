import { TieoutError } from "./errors.ts";
import * as R from "./generated/operations.gen.ts";
import type * as T from "./generated/types.gen.ts";
import type { CallOptions, FileBody } from "./request.ts";
import { sleep } from "./sleep.ts";

/** Options of a call that waits for the work that it started. */
export type WaitOptions<State> = CallOptions & {
  /** Called with each state, including the last one. */
  onProgress?: (state: State) => void;
  /** How long to wait for the end, by default 30 minutes. Only the waiting ends, not the work. */
  waitMs?: number;
};

/** `tieout.imports` */
export class Imports extends R.ImportsResource {
  /**
   * Imports a file and waits until its lines are stored.
   * @throws TieoutError `failed`
   */
  async createAndWait(
    source: string,
    file: FileBody,
    query: Omit<T.CreateImportQuery, "preview"> = {},
    options: WaitOptions<T.Import> = {},
  ): Promise<T.Import> {
    const sources = new R.SourcesResource(this.send);
    const started = (await sources.createImport(source, file, query, options)) as T.Import;
    return until(started, (reading) => this.get(started.id, reading), options, endOf);
  }
}

/** `tieout.runs` */
export class Runs extends R.RunsResource {
  /** Runs the rules of a reconciliation and waits for the result. @throws TieoutError `failed` */
  async createAndWait(
    reconciliation: string,
    body?: T.CreateRunRequest,
    options: WaitOptions<T.Run> = {},
  ): Promise<T.Run> {
    const periods = new R.ReconciliationsResource(this.send);
    const started = await periods.createRun(reconciliation, body, options);
    return until(started, (reading) => this.get(started.id, reading), options, endOf);
  }
}

/** `tieout.reconciliations` */
export class Reconciliations extends R.ReconciliationsResource {
  /** Closes a period and waits until it is closed. @throws TieoutError `failed` */
  async closeAndWait(
    reconciliation: string,
    options: WaitOptions<T.Reconciliation> = {},
  ): Promise<T.Reconciliation> {
    const started = await this.close(reconciliation, undefined, options);
    return until(started, (reading) => this.get(reconciliation, reading), options, closed);
  }
}

/** Whether the work has ended, or why it failed. */
type End = boolean | { failure: string | null };

const endOf = ({ status, failure }: T.Import | T.Run): End =>
  status === "failed" ? { failure } : status === "done";
const closed = ({ closing, closed_at, closing_failure }: T.Reconciliation): End =>
  !closing && (closed_at !== null || { failure: closing_failure });

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

async function until<State>(
  started: State | undefined,
  read: (options: CallOptions) => PromiseLike<State>,
  { onProgress, waitMs = 30 * 60_000, ...options }: WaitOptions<State>,
  endedOf: (state: State) => End,
): Promise<State> {
  if (started === undefined)
    throw new TieoutError(
      "failed",
      "The key lacks the read scope, so the end can't be waited for.",
    );
  // The version is required of what is started: it changes by the work itself.
  const reading = { ...options, ifMatch: undefined };
  const deadline = performance.now() + waitMs;
  for (let state: State = started, pause = FIRST_PAUSE_MS; ; state = await read(reading)) {
    onProgress?.(state);
    const end = endedOf(state);
    if (end === true) return state;
    if (end) throw new TieoutError("failed", end.failure ?? "It failed without a reason.");
    if (performance.now() + pause > deadline)
      throw new TieoutError("timeout", "It has not ended in time.", { retryable: true });
    await sleep(pause, options.signal);
    pause = Math.min(pause * 1.5, MAX_PAUSE_MS);
  }
}
