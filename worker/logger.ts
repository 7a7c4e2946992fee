import { Logger } from "graphile-worker";
import { log } from "#lib/runtime/log.ts";

/** graphile-worker tells of each job at `info`. Its metadata holds payloads, which are not for the log. */
const LEVELS = { error: "error", warning: "warn", info: "debug", debug: "trace" } as const;

export const graphileLogger = new Logger(() => (level, message) => log[LEVELS[level]](message));
