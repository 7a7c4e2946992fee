import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { decideMatchesContract } from "#lib/matching/contract.ts";
import { decideMatches } from "#lib/matching/decide-matches.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(decideMatchesContract, ({ ctx, body }) => decideMatches(ctx, body)),
);
