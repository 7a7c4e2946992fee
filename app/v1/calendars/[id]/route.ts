import { getCalendarContract, putCalendarContract } from "#lib/calendars/contract.ts";
import { getCalendar } from "#lib/calendars/get-calendar.ts";
import { putCalendar } from "#lib/calendars/put-calendar.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getCalendarContract, ({ ctx, params }) => getCalendar(ctx, params.id)),
  endpoint(putCalendarContract, ({ ctx, params, body }) => putCalendar(ctx, params.id, body)),
);
