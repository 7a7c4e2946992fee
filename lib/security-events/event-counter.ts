import { BatchingCounter } from "../runtime/batching-counter.ts";
import { singleton } from "../runtime/singleton.ts";
import { type NewSecurityEvent, writeEvents } from "./write-events.ts";

type Counted = NewSecurityEvent & { bucket: string };

const WINDOW_MS = 60_000;
const FLUSH_INTERVAL_MS = 500;
const RETRY_MS = 5_000;
/**
 * Over 2,000 buckets, events share one, so that an attacker who varies the name can't fill memory.
 */
const MAX_BUCKETS = 2_000;
const OVERFLOW = {
  tenant_id: null,
  email: undefined,
  actor: "anonymous",
  address: null,
  bucket: "overflow",
};

const { windows, counter } = singleton("security-event-counter", () => ({
  /** When the current minute of a bucket began, by its key. */
  windows: new Map<string, number>(),
  counter: new BatchingCounter<Counted>({
    name: "security events",
    // A batch has one event of each key, so with the operation in the key, the report names every
    // operation.
    keyOf: (event) => JSON.stringify([keyOf(event), event.operation]),
    everyMs: FLUSH_INTERVAL_MS,
    retryMs: RETRY_MS,
    max: { keys: MAX_BUCKETS, overflow: (event) => ({ ...event, ...OVERFLOW }) },
    write: (counted) => writeEvents(counted.map(({ item, count }) => ({ ...item, count }))),
  }),
}));

/**
 * Counts events that an attacker can repeat at will. The first of a minute is written at once and
 * awaited; the others are gathered and written every 500 ms. The database records the first and,
 * after the minute, the count. @throws ApiError `unavailable`
 */
export async function countEvents(events: Counted[]): Promise<void> {
  const first = events.filter((event) => isFirst(keyOf(event)));
  countEventsLater(events.filter((event) => !first.includes(event)));
  if (first.length > 0) await writeEvents(first.map((event) => ({ ...event, count: 1 })));
}

/** Counts without waiting, for events whose write time would reveal something to the caller. */
export function countEventsLater(events: Counted[]): void {
  for (const event of events) counter.count(event);
}

function isFirst(key: string): boolean {
  const now = performance.now();
  const opened = windows.get(key);
  if (opened !== undefined && now - opened < WINDOW_MS) return false;
  if (windows.size >= MAX_BUCKETS) {
    for (const [other, since] of windows) if (now - since >= WINDOW_MS) windows.delete(other);
    if (windows.size >= MAX_BUCKETS) return false;
  }
  windows.set(key, now);
  return true;
}

function keyOf({ tenant_id, email, bucket }: Counted): string {
  return JSON.stringify([tenant_id, email, bucket]);
}
