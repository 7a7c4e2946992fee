import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import { type Calendar, calendar, type listCalendarsContract } from "./contract.ts";

type Contract = typeof listCalendarsContract;

const NEWEST_FIRST = { name: "id", key: z.tuple([calendar.shape.id]) };

export function listCalendars(
  ctx: Context,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<Calendar>(ctx, "list_calendars", NEWEST_FIRST, query);
}
