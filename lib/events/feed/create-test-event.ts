import { write } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { EventKind } from "../../wire/event-kinds.ts";
import type { Event } from "./contract.ts";

/** `data` is the event type's example. */
export function createTestEvent(
  ctx: Context,
  type: EventKind,
  data: object | null,
): Promise<Event> {
  return write(ctx, "create_test_event", { type, data });
}
