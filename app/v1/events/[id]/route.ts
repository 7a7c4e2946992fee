import { getEventContract } from "#lib/events/feed/contract.ts";
import { getEvent } from "#lib/events/feed/get-event.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getEventContract, ({ ctx, params }) => getEvent(ctx, params.id)),
);
