import type { z } from "zod";
import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { Calendar, putCalendarContract } from "./contract.ts";

export async function putCalendar(
  ctx: Context,
  id: string,
  settings: z.output<NonNullable<typeof putCalendarContract.body>>,
): Promise<Calendar> {
  return tagged(ctx, await read<Calendar>(ctx, "put_calendar", { id, ...settings }));
}
