import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { includeLineContract } from "#lib/matching/lines/contract.ts";
import { includeLine } from "#lib/matching/lines/include-line.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(includeLineContract, ({ ctx, params, body }) => includeLine(ctx, params.id, body)),
);
