import { runInBackground } from "#lib/background/run-in-background.ts";
import { lowerPriority } from "#lib/runtime/lower-priority.ts";
import { closePeriodTask } from "./tasks/close-period.ts";
import { copySignedItems } from "./tasks/copy-signed-items.ts";
import { endAbandonedRuns } from "./tasks/end-abandoned-runs.ts";
import { indexLines } from "./tasks/index-lines.ts";
import { MAX_CONCURRENT_RUNS, matchPairTask } from "./tasks/match-pair.ts";
import { preparePair } from "./tasks/prepare-pair.ts";
import { purgeImports } from "./tasks/purge-imports.ts";
import { readImportTask } from "./tasks/read-import.ts";
import { undoImport } from "./tasks/undo-import.ts";

const { DATABASE_URL, DIRECT_URL } = process.env;
if (!DATABASE_URL) throw new Error("DATABASE_URL is not set");

lowerPriority();

/**
 * The maximum number of concurrent jobs of each kind, and of each kind and tenant (with a colon).
 * Runs then don't block imports, and one tenant's long work doesn't block another's. Jobs carry
 * their kind and `kind:tenant` as flags (private.job_flags).
 */
const MAX_CONCURRENT: Record<string, number> = {
  run: MAX_CONCURRENT_RUNS,
  "run:": 2,
  "large run": 2,
  "large run:": 1,
  lines: 3,
  "lines:": 2,
};
const maxConcurrent = (flag: string) => MAX_CONCURRENT[flag.replace(/:.*/s, ":")] ?? 1;

await runInBackground({
  kind: "matcher",
  directUrl: DIRECT_URL || DATABASE_URL,
  concurrentJobs: MAX_CONCURRENT_RUNS + 3,
  maxConcurrent,
  tasks: {
    close_period: closePeriodTask(DIRECT_URL || DATABASE_URL),
    copy_signed_items: copySignedItems,
    end_abandoned_runs: endAbandonedRuns,
    index_lines: indexLines,
    match_pair: matchPairTask(DIRECT_URL || DATABASE_URL),
    prepare_pair: preparePair,
    purge_imports: purgeImports,
    read_import: readImportTask(DIRECT_URL || DATABASE_URL),
    undo_import: undoImport,
  },
  crontab: [
    "37 * * * * purge_imports",
    "* * * * * index_lines",
    "* * * * * end_abandoned_runs",
    "* * * * * copy_signed_items",
  ].join("\n"),
  vitals: [],
  handlers: {},
  onListening: () => {},
});
