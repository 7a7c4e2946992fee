import { Logger } from "graphile-worker";
import { log } from "#lib/runtime/log.ts";

/** graphile-worker logs each job at `info`. Its metadata contains payloads, which don't belong in the log. */
const LEVELS = { error: "error", warning: "warn", info: "debug", debug: "trace" } as const;

export const graphileLogger = new Logger(() => (level, message) => log[LEVELS[level]](message));
