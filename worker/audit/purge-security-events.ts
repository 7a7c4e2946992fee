import type { Task } from "graphile-worker";
import { signOffBeginnings } from "#lib/security-events/sign-chain.ts";
import { logSignings } from "./log-signings.ts";

/** Beginnings of the audit trail that are over their time: from here on the purge may take them. */
export const forgetSecurityEvents: Task = async (_payload, { query }) => {
  logSignings(await signOffBeginnings((text, values) => query(text, values)));
};
