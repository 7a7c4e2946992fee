import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getMatchContract } from "#lib/matching/contract.ts";
import { getMatch } from "#lib/matching/get-match.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getMatchContract, ({ ctx, params }) => getMatch(ctx, params.id)),
);
