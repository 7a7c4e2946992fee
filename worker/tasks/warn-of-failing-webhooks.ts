import type { Task } from "graphile-worker";

/** Tells of webhooks that have only failed for 3 and for 4 days, once for each, also of those that have nothing to send. */
export const warnOfFailingWebhooks: Task = async (_payload, { query }) => {
  await query("select private.warn_of_failing_webhooks()");
};
