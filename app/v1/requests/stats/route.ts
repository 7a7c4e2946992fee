import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getRequestStatsContract } from "#lib/request-log/contract.ts";
import { getRequestStats } from "#lib/request-log/get-request-stats.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getRequestStatsContract, ({ ctx, query }) => getRequestStats(ctx, query)),
);
