import { listOpenHoursContract } from "#lib/calendars/contract.ts";
import { listOpenHours } from "#lib/calendars/list-open-hours.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listOpenHoursContract, ({ ctx, params, query }) => listOpenHours(ctx, params.id, query)),
);
