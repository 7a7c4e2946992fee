import { listSlaChangesContract } from "#lib/exceptions/sla/contract.ts";
import { listSlaChanges } from "#lib/exceptions/sla/list-sla-changes.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listSlaChangesContract, ({ ctx, query }) => listSlaChanges(ctx, query)),
);
