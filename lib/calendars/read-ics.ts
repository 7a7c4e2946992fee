import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { calendarThreads } from "./calendar-tasks.ts";
import type { readIcsContract } from "./contract.ts";

type Days = z.output<typeof readIcsContract.response>;

/**
 * @throws ApiError `invalid_request` if the text is no iCalendar file, or contains something
 * unreadable
 */
export async function readIcs(ctx: Context, { ics }: { ics: string }): Promise<Days> {
  const days = await calendarThreads().run<Days>({
    kind: "days",
    ics,
    year: new Date().getUTCFullYear(),
  });
  return write(ctx, "read_ics", days);
}
