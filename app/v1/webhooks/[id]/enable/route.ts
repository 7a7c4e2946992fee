import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { enableWebhookContract } from "#lib/webhooks/contract.ts";
import { enableWebhook } from "#lib/webhooks/enable-webhook.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(enableWebhookContract, ({ ctx, params }) => enableWebhook(ctx, params.id)),
);
