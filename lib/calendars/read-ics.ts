import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { invalidRequest } from "../wire/errors.ts";
import type { readIcsContract } from "./contract.ts";
import { NAMED_DATES_MAX, namedDatesIn, readDays } from "./ics.ts";

/** @throws ApiError `invalid_request` if the text is no iCalendar file, or excludes more dates than are read */
export async function readIcs(ctx: Context, { ics }: { ics: string }): Promise<z.output<typeof readIcsContract.response>> {
  if (namedDatesIn(ics) > NAMED_DATES_MAX) {
    throw invalidRequest([
      { path: "ics", message: `Must have at most ${NAMED_DATES_MAX.toLocaleString("en")} dates in EXDATE and RDATE.` },
    ]);
  }
  const days = readDays(ics, new Date().getUTCFullYear());
  if (!days) throw invalidRequest([{ path: "ics", message: "Must be an iCalendar file, from BEGIN:VCALENDAR to END:VCALENDAR." }]);
  return write(ctx, "read_ics", days);
}
