import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { exampleDataOf } from "#lib/openapi/example-event.ts";
import { testWebhookContract } from "#lib/webhooks/contract.ts";
import { testWebhook } from "#lib/webhooks/test-webhook.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(testWebhookContract, ({ ctx, params, body }) =>
    testWebhook(ctx, params.id, body.type, exampleDataOf(body.type)),
  ),
);
