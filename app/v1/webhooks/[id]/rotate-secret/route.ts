import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { rotateWebhookSecretContract } from "#lib/webhooks/contract.ts";
import { rotateWebhookSecret } from "#lib/webhooks/rotate-webhook-secret.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(rotateWebhookSecretContract, ({ ctx, params, body }) =>
    rotateWebhookSecret(ctx, params.id, body),
  ),
);
