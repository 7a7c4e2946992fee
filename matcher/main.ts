import { runInBackground } from "#lib/background/run-in-background.ts";
import { purgeImports } from "./tasks/purge-imports.ts";
import { readImportTask } from "./tasks/read-import.ts";
import { undoImport } from "./tasks/undo-import.ts";

const { DATABASE_URL, DIRECT_URL } = process.env;
if (!DATABASE_URL) throw new Error("DATABASE_URL is not set");
/** A transaction lasts as long as a file: not for a pooler that hands connections out by the statement. */
const directUrl = DIRECT_URL || DATABASE_URL;

runInBackground({
  kind: "matcher",
  directUrl,
  concurrentJobs: 2,
  tasks: {
    purge_imports: purgeImports,
    read_import: readImportTask(directUrl),
    undo_import: undoImport,
  },
  crontab: "37 * * * * purge_imports",
  vitals: [],
  bells: {},
  onListening: () => {},
});
