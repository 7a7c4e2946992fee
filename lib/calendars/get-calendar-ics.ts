import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { Calendar } from "./contract.ts";
import { writeDays } from "./ics.ts";

export async function getCalendarIcs(ctx: Context, id: string): Promise<{ ics: string }> {
  return { ics: writeDays(await read<Calendar>(ctx, "get_calendar", { id })) };
}
