import type { Task } from "graphile-worker";
import { signPurges } from "#lib/security-events/sign-chain.ts";
import { logSignings } from "./log-signings.ts";

/**
 * Verifies and signs off the events that exceeded their retention time, so that
 * `purge_security_events` may delete them.
 */
export const signOffSecurityEvents: Task = async (_payload, { query }) => {
  logSignings(await signPurges((text, values) => query(text, values)));
};
