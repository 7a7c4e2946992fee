import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { singleton } from "../../runtime/singleton.ts";
import { decodeCursor, encodeCursor } from "../../wire/cursor.ts";
import { timestamp } from "../../wire/schema.ts";
import type { EventPage, listEventsContract } from "./contract.ts";

/** A waiting call uses a database connection for about 2 ms in each interval. */
const LOOK_EVERY_MS = 1_000;
/** The limit for one tenant in one process. Further calls are answered at once. */
const WAITING_MAX = 20;

const ORDER = "events";
/** A position, and the time of the response that had it. */
const PLACE = z.tuple([z.string().regex(/^\d{1,18}$/), timestamp]);

type Found = Pick<EventPage, "items" | "as_of"> & { position: string; has_more: boolean };

export async function listEvents(
  ctx: Context,
  { cursor, wait, ...query }: z.output<typeof listEventsContract.query>,
): Promise<EventPage> {
  const [after, seen_at] = decodeCursor(ORDER, cursor, PLACE) ?? [];
  const until = performance.now() + wait * 1000;
  let found = await read<Found>(ctx, "list_events", { ...query, after, seen_at });
  if (isEmpty(found) && wait > 0)
    await waiting(ctx.tenantId, async (end) => {
      while (isEmpty(found) && performance.now() < until && !end.aborted) {
        const pausedAt = performance.now();
        const pause = Math.min(LOOK_EVERY_MS, Math.max(1, until - pausedAt));
        await sleep(pause, undefined, { signal: end }).catch(() => {});
        ctx.waited.ms += performance.now() - pausedAt;
        // A key that was revoked in the meantime reads nothing more.
        await ctx.reauthenticate();
        const step = { ...ctx, continues: true };
        found = await read<Found>(step, "list_events", { ...query, after: found.position });
      }
    });
  const { items, position, has_more, as_of } = found;
  const place = encodeCursor(ORDER, [position, as_of]) as string;
  return { items, next_cursor: has_more ? place : null, resume_cursor: place, as_of };
}

function isEmpty({ items, has_more }: Found): boolean {
  return items.length === 0 && !has_more;
}

/** Waiting calls are answered when the process shuts down, so that it doesn't wait for them. */
const waits = () =>
  singleton("event-waits", () => {
    const controller = new AbortController();
    for (const end of ["SIGTERM", "disconnect"] as const)
      process.once(end, () => controller.abort());
    return { counts: new Map<string, number>(), end: controller.signal };
  });

async function waiting(tenant: string, work: (end: AbortSignal) => Promise<void>): Promise<void> {
  const { counts, end } = waits();
  const count = counts.get(tenant) ?? 0;
  if (count >= WAITING_MAX) return;
  counts.set(tenant, count + 1);
  try {
    await work(end);
  } finally {
    const left = (counts.get(tenant) ?? 1) - 1;
    if (left > 0) counts.set(tenant, left);
    else counts.delete(tenant);
  }
}
