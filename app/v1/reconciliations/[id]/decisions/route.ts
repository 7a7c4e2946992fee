import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { listDecisionsContract } from "#lib/matching/workbench/contract.ts";
import { listDecisions } from "#lib/matching/workbench/list-decisions.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listDecisionsContract, ({ ctx, params, query }) => listDecisions(ctx, params.id, query)),
);
