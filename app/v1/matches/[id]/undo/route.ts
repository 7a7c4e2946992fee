import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { undoMatchContract } from "#lib/matching/contract.ts";
import { undoMatch } from "#lib/matching/undo-match.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(undoMatchContract, ({ ctx, params }) => undoMatch(ctx, params.id)),
);
