import { createCalendarContract, listCalendarsContract } from "#lib/calendars/contract.ts";
import { createCalendar } from "#lib/calendars/create-calendar.ts";
import { listCalendars } from "#lib/calendars/list-calendars.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listCalendarsContract, ({ ctx, query }) => listCalendars(ctx, query)),
  endpoint(createCalendarContract, ({ ctx, body }) => createCalendar(ctx, body)),
);
