import type { CallOptions } from "./call.ts";
import { TieoutError } from "./errors.ts";
import type { EventsResource, TieoutEvent } from "./generated/operations.gen.ts";
import type { ListEventsQuery } from "./generated/types.gen.ts";
import { sleep } from "./sleep.ts";

/** `tieout.events` */
export interface Events extends EventsResource {
  /**
   * Reads events for ever, from the query's cursor: what it doesn't have yet, then each as it comes.
   * Each comes at least once.
   */
  poll(query?: Omit<ListEventsQuery, "wait">, options?: PollOptions): AsyncGenerator<ReadEvent>;
}

/** An event with its ID, and the ID of what it is about. */
export type ReadEvent = TieoutEvent & { id: string; subject: string | null };

/** Options of reading for ever. */
export type PollOptions = CallOptions & {
  /** Saves the place to go on from, once your loop is done with all events of a page. */
  save?: (cursor: string) => unknown;
};

const WAIT_SECONDS = 20;
/** Long enough for the wait, and a second attempt. */
const DEADLINE_MS = 90_000;
const PAUSE_AFTER_FAILURE_MS = 5_000;

/** Adds the call that reads for ever. */
export function addPolling(events: Events): void {
  events.poll = async function* (query = {}, { save, ...options } = {}) {
    for (let cursor = query.cursor; ; ) {
      const waiting = { ...query, cursor, wait: WAIT_SECONDS };
      try {
        const page = await events.list(waiting, { deadlineMs: DEADLINE_MS, ...options }).page();
        yield* page.items as ReadEvent[];
        if (page.resume_cursor !== cursor) await save?.(page.resume_cursor);
        cursor = page.resume_cursor;
      } catch (error) {
        if (!(error instanceof TieoutError && error.retryable)) throw error;
        await sleep(PAUSE_AFTER_FAILURE_MS, options.signal);
      }
    }
  };
}
