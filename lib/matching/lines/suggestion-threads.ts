import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { threads } from "../../runtime/threads.ts";
import type { SuggestionQuery } from "./suggestions-of.ts";

/** Loaded from the source file: a bundle would hold a second copy of the engine. */
const THREAD = join(process.cwd(), "lib/matching/lines/suggestions-thread.ts");
const MEMORY_MAX_MB = 256;

/**
 * Two threads, so that one line with long candidates doesn't block all others. Calls are refused if
 * more than half a minute of work is queued.
 */
export const suggestionThreads = () =>
  threads<SuggestionQuery>({
    name: "looks for suggestions",
    begin: () => new Worker(THREAD, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MB } }),
    max: 2,
    maxTasks: 100,
  });
