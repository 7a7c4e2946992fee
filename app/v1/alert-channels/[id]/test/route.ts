import { testAlertChannelContract } from "#lib/alerts/contract.ts";
import { testAlertChannel } from "#lib/alerts/test-alert-channel.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(testAlertChannelContract, ({ ctx, params }) => testAlertChannel(ctx, params.id)),
);
