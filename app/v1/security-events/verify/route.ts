import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { verifySecurityEventsContract } from "#lib/security-events/contract.ts";
import { verifySecurityEvents } from "#lib/security-events/verify-security-events.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(verifySecurityEventsContract, ({ ctx }) => verifySecurityEvents(ctx)),
);
