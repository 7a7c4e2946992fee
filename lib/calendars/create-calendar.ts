import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { Calendar, createCalendarContract } from "./contract.ts";

export async function createCalendar(
  ctx: Context,
  input: z.output<NonNullable<typeof createCalendarContract.body>>,
): Promise<Calendar> {
  return tagged(ctx, await write<Calendar>(ctx, "create_calendar", input));
}
