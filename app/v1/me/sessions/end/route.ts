import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { endSessionsContract } from "#lib/sessions/contract.ts";
import { endSessions } from "#lib/sessions/end-sessions.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(endSessionsContract, ({ ctx, body }) => endSessions(ctx, body)),
);
