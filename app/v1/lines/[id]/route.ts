import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getLineContract } from "#lib/lines/contract.ts";
import { getLine } from "#lib/lines/get-line.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getLineContract, ({ ctx, params }) => getLine(ctx, params.id)),
);
