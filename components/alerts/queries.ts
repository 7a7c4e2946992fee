import { listQuery, resourceKey, versionQuery } from "#components/kit/query.ts";
import {
  getNotificationSettingsContract,
  listAlertChannelsContract,
} from "#lib/alerts/contract.ts";

/** More than a tenant can have. */
const ALL = 50;
const REFRESH_MS = 10_000;

export function channelsKey(tenant: string) {
  return resourceKey(tenant, "alert-channels");
}

/** Newest first. Polled, because a message is sent or fails in the background. */
export function channelPages(tenant: string) {
  const call = { tenant, query: { limit: ALL } };
  return listQuery(
    { keyPrefix: channelsKey(tenant), contract: listAlertChannelsContract, call },
    { refreshMs: () => REFRESH_MS },
  );
}

/** The user's own settings, with their ETag. */
export function notificationSettings(tenant: string) {
  return versionQuery({
    keyPrefix: resourceKey(tenant, "notifications"),
    contract: getNotificationSettingsContract,
    call: { tenant },
  });
}
