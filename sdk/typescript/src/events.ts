import { TieoutError } from "./errors.ts";
import { EventsResource, type TieoutEvent } from "./generated/operations.gen.ts";
import type { ListEventsQuery } from "./generated/types.gen.ts";
import type { CallOptions } from "./request.ts";
import { sleep } from "./sleep.ts";

/** An event with its ID, and the ID of what it is about. */
export type ReadEvent = TieoutEvent & { id: string; subject: string | null };

/** Options of reading indefinitely. */
export type PollOptions = CallOptions & {
  /** Saves the position to continue from, once your loop has handled all events of a page. */
  save?: (cursor: string) => unknown;
};

const WAIT_SECONDS = 20;
const PAUSE_AFTER_FAILURE_MS = 5_000;

/** `tieout.events` */
export class Events extends EventsResource {
  /**
   * Reads events indefinitely, from the query's cursor: first the existing ones, then each new one.
   * Each is returned at least once.
   */
  async *poll(
    query: Omit<ListEventsQuery, "wait"> = {},
    { save, ...options }: PollOptions = {},
  ): AsyncGenerator<ReadEvent> {
    for (let cursor = query.cursor; ; ) {
      try {
        const page = await this.list({ ...query, cursor, wait: WAIT_SECONDS }, options).page();
        yield* page.items as ReadEvent[];
        if (page.resume_cursor !== cursor) await save?.(page.resume_cursor);
        cursor = page.resume_cursor;
      } catch (error) {
        if (!(error instanceof TieoutError && error.retryable)) throw error;
        await sleep(Math.max(error.retryAfterMs ?? 0, PAUSE_AFTER_FAILURE_MS), options.signal);
      }
    }
  }
}
