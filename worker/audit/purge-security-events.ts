import type { Task } from "graphile-worker";
import { signPurges } from "#lib/security-events/sign-chain.ts";
import { logSignings } from "./log-signings.ts";

/** Signs off the events that exceeded their retention time, so that the purge may delete them. */
export const purgeSecurityEvents: Task = async (_payload, { query }) => {
  logSignings(await signPurges((text, values) => query(text, values)));
};
