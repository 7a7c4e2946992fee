import {
  getNotificationSettingsContract,
  putNotificationSettingsContract,
} from "#lib/alerts/contract.ts";
import { getNotificationSettings } from "#lib/alerts/get-notification-settings.ts";
import { putNotificationSettings } from "#lib/alerts/put-notification-settings.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getNotificationSettingsContract, ({ ctx }) => getNotificationSettings(ctx)),
  endpoint(putNotificationSettingsContract, ({ ctx, body }) => putNotificationSettings(ctx, body)),
);
