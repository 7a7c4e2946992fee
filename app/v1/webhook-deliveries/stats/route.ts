import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getDeliveryStatsContract } from "#lib/webhooks/deliveries/contract.ts";
import { getDeliveryStats } from "#lib/webhooks/deliveries/get-delivery-stats.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getDeliveryStatsContract, ({ ctx }) => getDeliveryStats(ctx)),
);
