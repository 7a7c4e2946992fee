import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { listSessionsContract } from "#lib/sessions/contract.ts";
import { listSessions } from "#lib/sessions/list-sessions.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listSessionsContract, ({ ctx, query }) => listSessions(ctx, query)),
);
