import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { resendWebhookDeliveryContract } from "#lib/webhooks/deliveries/contract.ts";
import { resendWebhookDelivery } from "#lib/webhooks/deliveries/resend-webhook-delivery.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(resendWebhookDeliveryContract, ({ ctx, params }) =>
    resendWebhookDelivery(ctx, params.id, params.deliveryId),
  ),
);
