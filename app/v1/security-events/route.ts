import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { listSecurityEventsContract } from "#lib/security-events/contract.ts";
import { listSecurityEvents } from "#lib/security-events/list-security-events.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listSecurityEventsContract, ({ ctx, query }) => listSecurityEvents(ctx, query)),
);
