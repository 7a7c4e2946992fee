import { exportEndpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { listMatchesContract } from "#lib/matching/contract.ts";
import { exportMatches } from "#lib/matching/export-matches.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  exportEndpoint(listMatchesContract, ({ ctx, params, query }) =>
    exportMatches(ctx, params.id, query),
  ),
);
