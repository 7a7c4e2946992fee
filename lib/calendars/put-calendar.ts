import type { z } from "zod";
import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { putCalendarContract } from "./contract.ts";

type Answer = z.output<typeof putCalendarContract.response>;

export async function putCalendar(
  ctx: Context,
  id: string,
  settings: z.output<NonNullable<typeof putCalendarContract.body>>,
): Promise<Answer> {
  return tagged(ctx, await read<Answer>(ctx, "put_calendar", { id, ...settings }));
}
