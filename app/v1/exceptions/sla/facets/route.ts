import { getSlaFacetsContract } from "#lib/exceptions/sla/contract.ts";
import { getSlaFacets } from "#lib/exceptions/sla/get-sla-facets.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getSlaFacetsContract, ({ ctx, query }) => getSlaFacets(ctx, query)),
);
