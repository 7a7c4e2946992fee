import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getOverviewContract } from "#lib/overview/contract.ts";
import { getOverview } from "#lib/overview/get-overview.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getOverviewContract, ({ ctx }) => getOverview(ctx)),
);
