import {
  deleteAlertChannelContract,
  getAlertChannelContract,
  updateAlertChannelContract,
} from "#lib/alerts/contract.ts";
import { deleteAlertChannel } from "#lib/alerts/delete-alert-channel.ts";
import { getAlertChannel } from "#lib/alerts/get-alert-channel.ts";
import { updateAlertChannel } from "#lib/alerts/update-alert-channel.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getAlertChannelContract, ({ ctx, params }) => getAlertChannel(ctx, params.id)),
  endpoint(updateAlertChannelContract, ({ ctx, params, body }) =>
    updateAlertChannel(ctx, params.id, body),
  ),
  endpoint(deleteAlertChannelContract, ({ ctx, params }) => deleteAlertChannel(ctx, params.id)),
);
