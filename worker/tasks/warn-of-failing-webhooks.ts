import type { Task } from "graphile-worker";

/**
 * Emits events for webhooks that have failed for 3 and for 4 days, once for each, even if they have
 * nothing to send.
 */
export const warnOfFailingWebhooks: Task = async (_payload, { query }) => {
  await query("select private.warn_of_failing_webhooks()");
};
