import type { Task } from "graphile-worker";

/** Revokes API keys whose grace period is over, and records that. */
export const endGracePeriods: Task = async (_payload, { query }) => {
  await query("select private.end_grace_periods()");
};
