import { log } from "../runtime/log.ts";
import { onShutdown, processWide } from "../runtime/process-wide.ts";
import { type NewSecurityEvent, writeEvents } from "./write-events.ts";

type Counted = NewSecurityEvent & { bucket: string };
type Waiting = Counted & { count: number };

const WINDOW_MS = 60_000;
const FLUSH_MS = 500;
const RETRY_MS = 5000;
/** Whoever changes its name with each try is counted as one beyond this. */
const MOST_BUCKETS = 2000;
const OVERFLOW = { tenant_id: null, email: undefined, actor: "anonymous", address: null, bucket: "overflow" };

/**
 * Counts what an attacker can repeat at will. The first of a minute is written at once, the others are gathered and written once
 * in a while; the database records the first and, when the minute is over, the count.
 */
class EventCounter {
  #windows = new Map<string, number>();
  #waiting = new Map<string, Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  async record(events: Counted[]): Promise<void> {
    const first = events.filter((event) => this.#isFirst(keyOf(event)));
    this.defer(events.filter((event) => !first.includes(event)));
    if (first.length > 0) await writeEvents(first.map((event) => ({ ...event, count: 1 })));
  }

  defer(events: Counted[]): void {
    for (const event of events) {
      const known = this.#waiting.has(keyOf(event)) || this.#waiting.size < MOST_BUCKETS;
      this.#add(known ? event : { ...event, ...OVERFLOW }, 1);
    }
    if (this.#waiting.size > 0) this.#schedule();
  }

  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  #isFirst(key: string): boolean {
    const now = performance.now();
    const opened = this.#windows.get(key);
    if (opened !== undefined && now - opened < WINDOW_MS) return false;
    if (this.#windows.size >= MOST_BUCKETS) {
      for (const [other, since] of this.#windows) if (now - since >= WINDOW_MS) this.#windows.delete(other);
      if (this.#windows.size >= MOST_BUCKETS) return false;
    }
    this.#windows.set(key, now);
    return true;
  }

  #add(event: Counted, count: number): void {
    const key = keyOf(event);
    this.#waiting.set(key, { ...event, count: (this.#waiting.get(key)?.count ?? 0) + count });
  }

  #schedule(after_ms = FLUSH_MS): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, after_ms).unref();
  }

  async #write(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const taken = [...this.#waiting.values()];
    this.#waiting = new Map();
    try {
      await writeEvents(taken);
    } catch (error) {
      log.warn({ err: error, events: taken.length }, "security events not written, will retry");
      for (const event of taken) this.#add(event, event.count);
      this.#schedule(RETRY_MS);
    }
  }
}

function keyOf({ tenant_id, email, bucket }: Counted): string {
  return JSON.stringify([tenant_id, email, bucket]);
}

const counter = () =>
  processWide("security-event-counter", () => {
    const made = new EventCounter();
    onShutdown(() => made.flush());
    return made;
  });

/** Counts and, for the first of a minute, waits until it is written. @throws ApiError `unavailable` */
export function countEvents(events: Counted[]): Promise<void> {
  return counter().record(events);
}

/** Counts without waiting: where how long it takes would tell what the caller may not know. */
export function countEventsLater(events: Counted[]): void {
  counter().defer(events);
}
