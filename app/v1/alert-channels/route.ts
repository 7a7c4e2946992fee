import { createAlertChannelContract, listAlertChannelsContract } from "#lib/alerts/contract.ts";
import { createAlertChannel } from "#lib/alerts/create-alert-channel.ts";
import { listAlertChannels } from "#lib/alerts/list-alert-channels.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listAlertChannelsContract, ({ ctx, query }) => listAlertChannels(ctx, query)),
  endpoint(createAlertChannelContract, ({ ctx, body }) => createAlertChannel(ctx, body)),
);
