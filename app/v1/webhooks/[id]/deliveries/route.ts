import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { listWebhookDeliveriesContract } from "#lib/webhooks/deliveries/contract.ts";
import { listWebhookDeliveries } from "#lib/webhooks/deliveries/list-webhook-deliveries.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listWebhookDeliveriesContract, ({ ctx, params, query }) =>
    listWebhookDeliveries(ctx, params.id, query),
  ),
);
