import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getSecurityEventContract } from "#lib/security-events/contract.ts";
import { getSecurityEvent } from "#lib/security-events/get-security-event.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getSecurityEventContract, ({ ctx, params }) => getSecurityEvent(ctx, params.id)),
);
