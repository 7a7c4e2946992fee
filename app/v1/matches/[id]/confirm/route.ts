import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { confirmMatch } from "#lib/matching/confirm-match.ts";
import { confirmMatchContract } from "#lib/matching/contract.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(confirmMatchContract, ({ ctx, params }) => confirmMatch(ctx, params.id)),
);
