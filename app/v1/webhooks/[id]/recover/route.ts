import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { recoverWebhookContract } from "#lib/webhooks/contract.ts";
import { recoverWebhook } from "#lib/webhooks/recover-webhook.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(recoverWebhookContract, ({ ctx, params, body }) => recoverWebhook(ctx, params.id, body)),
);
