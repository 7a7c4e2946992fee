import { z } from "zod";
import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { decodeCursor, encodeCursor } from "../../wire/cursor.ts";
import { timestamp } from "../../wire/schema.ts";
import type { EventPage, listEventsContract } from "./contract.ts";
import { pollUntil } from "./poll-until.ts";

const ORDER = "events";
/** A position in the feed, and the time of the response that returned it. */
const POSITION = z.tuple([z.string().regex(/^\d{1,18}$/), timestamp]);

type Found = Pick<EventPage, "items" | "as_of"> & { position: string; has_more: boolean };

export async function listEvents(
  ctx: Context,
  { cursor, wait, ...query }: z.output<typeof listEventsContract.query>,
): Promise<EventPage> {
  const [after, seen_at] = decodeCursor(ORDER, cursor, POSITION) ?? [];
  let found = await read<Found>(ctx, "list_events", { ...query, after, seen_at });
  if (isEmpty(found) && wait > 0)
    await pollUntil(ctx, wait * 1000, async () => {
      // A key that was revoked in the meantime reads nothing more.
      await ctx.reauthenticate();
      const step = { ...ctx, continues: true };
      found = await read<Found>(step, "list_events", { ...query, after: found.position });
      return !isEmpty(found);
    });
  const { items, position, has_more, as_of } = found;
  const resumeCursor = encodeCursor(ORDER, [position, as_of]) as string;
  return { items, next_cursor: has_more ? resumeCursor : null, resume_cursor: resumeCursor, as_of };
}

function isEmpty({ items, has_more }: Found): boolean {
  return items.length === 0 && !has_more;
}
