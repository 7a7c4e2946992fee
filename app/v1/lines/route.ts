import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { listLinesContract } from "#lib/lines/contract.ts";
import { listLines } from "#lib/lines/list-lines.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listLinesContract, ({ ctx, query }) => listLines(ctx, query)),
);
