import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { excludeLineContract } from "#lib/matching/lines/contract.ts";
import { excludeLine } from "#lib/matching/lines/exclude-line.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(excludeLineContract, ({ ctx, params, body }) => excludeLine(ctx, params.id, body)),
);
