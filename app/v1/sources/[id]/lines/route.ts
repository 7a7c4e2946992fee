import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { addLines } from "#lib/lines/add-lines.ts";
import { addLinesContract } from "#lib/lines/contract.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(addLinesContract, ({ ctx, params, body }) => addLines(ctx, params.id, body.lines)),
);
