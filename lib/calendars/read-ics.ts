import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { invalidRequest } from "../wire/errors.ts";
import type { readIcsContract } from "./contract.ts";
import { readDays } from "./ics.ts";

/** @throws ApiError `invalid_request` if the text is no iCalendar file */
export async function readIcs(ctx: Context, { ics }: { ics: string }): Promise<z.output<typeof readIcsContract.response>> {
  const days = readDays(ics, new Date().getUTCFullYear());
  if (!days) throw invalidRequest([{ path: "ics", message: "Must be an iCalendar file, from BEGIN:VCALENDAR to END:VCALENDAR." }]);
  return write(ctx, "read_ics", days);
}
