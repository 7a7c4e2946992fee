import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import {
  deleteWebhookContract,
  getWebhookContract,
  updateWebhookContract,
} from "#lib/webhooks/contract.ts";
import { deleteWebhook } from "#lib/webhooks/delete-webhook.ts";
import { getWebhook } from "#lib/webhooks/get-webhook.ts";
import { updateWebhook } from "#lib/webhooks/update-webhook.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getWebhookContract, ({ ctx, params }) => getWebhook(ctx, params.id)),
  endpoint(updateWebhookContract, ({ ctx, params, body }) => updateWebhook(ctx, params.id, body)),
  endpoint(deleteWebhookContract, ({ ctx, params }) => deleteWebhook(ctx, params.id)),
);
