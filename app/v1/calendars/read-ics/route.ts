import { readIcsContract } from "#lib/calendars/contract.ts";
import { readIcs } from "#lib/calendars/read-ics.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(readIcsContract, ({ ctx, body }) => readIcs(ctx, body)),
);
