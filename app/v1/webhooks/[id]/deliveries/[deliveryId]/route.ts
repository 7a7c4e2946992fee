import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getWebhookDeliveryContract } from "#lib/webhooks/deliveries/contract.ts";
import { getWebhookDelivery } from "#lib/webhooks/deliveries/get-webhook-delivery.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getWebhookDeliveryContract, ({ ctx, params }) =>
    getWebhookDelivery(ctx, params.id, params.deliveryId),
  ),
);
