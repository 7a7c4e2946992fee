import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { createMatchContract, listMatchesContract } from "#lib/matching/contract.ts";
import { createMatch } from "#lib/matching/create-match.ts";
import { listMatches } from "#lib/matching/list-matches.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listMatchesContract, ({ ctx, params, query }) => listMatches(ctx, params.id, query)),
  endpoint(createMatchContract, ({ ctx, params, body }) => createMatch(ctx, params.id, body)),
);
