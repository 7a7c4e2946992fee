import type { Task } from "graphile-worker";
import { requestOf } from "#lib/background/traced-tasks.ts";
import { log } from "#lib/runtime/log.ts";
import type { ImportKey } from "../imports/import-chunks.ts";
import { failureOf, ImportUndone, readImport } from "../imports/read-import.ts";
import { withConnections } from "./with-connections.ts";

const OURS = "Something went wrong on our side, several times. Nothing of the file was kept: send it again.";
const FAIL = "select private.fail_import($1, $2, $3, $4)";

/** Reads a file that came in. What breaks on our side is tried again; at the last time the import fails, and says so. */
export function readImportTask(connectionString: string): Task {
  return async (payload, { job, abortSignal }) => {
    const key = payload as ImportKey;
    await withConnections(connectionString, { name: "tieout import", requestId: requestOf(payload) }, async (main, side) => {
      try {
        await readImport(main, side, key, abortSignal);
      } catch (error) {
        if (error instanceof ImportUndone) return;
        const failed = failureOf(error) ?? (job.attempts >= job.max_attempts ? { failure: OURS, refusals: [] } : undefined);
        if (!failed) throw error;
        log.warn({ import_id: key.import_id, reason: (error as Error).message }, "an import failed");
        await side.query(FAIL, [key.tenant_id, key.import_id, failed.failure, JSON.stringify(failed.refusals)]);
      }
    });
  };
}
