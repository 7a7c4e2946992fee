import { getCalendarIcsContract } from "#lib/calendars/contract.ts";
import { getCalendarIcs } from "#lib/calendars/get-calendar-ics.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getCalendarIcsContract, ({ ctx, params }) => getCalendarIcs(ctx, params.id)),
);
