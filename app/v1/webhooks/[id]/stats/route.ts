import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getWebhookStatsContract } from "#lib/webhooks/deliveries/contract.ts";
import { getWebhookStats } from "#lib/webhooks/deliveries/get-webhook-stats.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getWebhookStatsContract, ({ ctx, params }) => getWebhookStats(ctx, params.id)),
);
