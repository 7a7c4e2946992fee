import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { Event } from "./contract.ts";

export function getEvent(ctx: Context, id: string): Promise<Event> {
  return read(ctx, "get_event", { id });
}
