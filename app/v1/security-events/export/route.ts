import { exportEndpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { listSecurityEventsContract } from "#lib/security-events/contract.ts";
import { exportSecurityEvents } from "#lib/security-events/export-security-events.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  exportEndpoint(listSecurityEventsContract, ({ ctx, query }) => ({
    pages: exportSecurityEvents(ctx, query),
  })),
);
