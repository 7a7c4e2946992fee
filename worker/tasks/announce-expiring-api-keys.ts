import type { Task } from "graphile-worker";

/** Emits events for API keys that expire within 14, 3 or 1 days, once for each. */
export const announceExpiringApiKeys: Task = async (_payload, { query }) => {
  await query("select private.announce_expiring_api_keys()");
};
