import { listCalendarVersionsContract } from "#lib/calendars/contract.ts";
import { listCalendarVersions } from "#lib/calendars/list-calendar-versions.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listCalendarVersionsContract, ({ ctx, params, query }) =>
    listCalendarVersions(ctx, params.id, query),
  ),
);
