import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { rejectMatchContract } from "#lib/matching/contract.ts";
import { rejectMatch } from "#lib/matching/reject-match.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(rejectMatchContract, ({ ctx, params }) => rejectMatch(ctx, params.id)),
);
