import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { listDeliveriesContract } from "#lib/webhooks/deliveries/contract.ts";
import { listDeliveries } from "#lib/webhooks/deliveries/list-deliveries.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listDeliveriesContract, ({ ctx, query }) => listDeliveries(ctx, query)),
);
