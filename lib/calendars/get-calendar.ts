import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { Calendar } from "./contract.ts";

export async function getCalendar(ctx: Context, id: string): Promise<Calendar> {
  return tagged(ctx, await read<Calendar>(ctx, "get_calendar", { id }));
}
