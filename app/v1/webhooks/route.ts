import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { createWebhookContract, listWebhooksContract } from "#lib/webhooks/contract.ts";
import { createWebhook } from "#lib/webhooks/create-webhook.ts";
import { listWebhooks } from "#lib/webhooks/list-webhooks.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listWebhooksContract, ({ ctx, query }) => listWebhooks(ctx, query)),
  endpoint(createWebhookContract, ({ ctx, body }) => createWebhook(ctx, body)),
);
