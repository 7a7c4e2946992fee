import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { listOpenLinesContract } from "#lib/matching/workbench/contract.ts";
import { listOpenLines } from "#lib/matching/workbench/list-open-lines.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listOpenLinesContract, ({ ctx, params, query }) => listOpenLines(ctx, params.id, query)),
);
