import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import type { CalendarVersion, listCalendarVersionsContract } from "./contract.ts";

type Contract = typeof listCalendarVersionsContract;

const NEWEST_FIRST = { name: "version", key: z.tuple([z.string().regex(/^\d{1,9}$/)]) };

export function listCalendarVersions(
  ctx: Context,
  id: string,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<CalendarVersion>(ctx, "list_calendar_versions", NEWEST_FIRST, { id, ...query });
}
