import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { previewWebhookFiltersContract } from "#lib/webhooks/contract.ts";
import { previewWebhookFilters } from "#lib/webhooks/preview-webhook-filters.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(previewWebhookFiltersContract, ({ ctx, body }) => previewWebhookFilters(ctx, body)),
);
