import type { Task } from "graphile-worker";
import { requestOf } from "#lib/background/traced-tasks.ts";
import { log } from "#lib/runtime/log.ts";
import type { ImportKey } from "../imports/import-chunks.ts";
import { failureOf, ImportUndone, readImport } from "../imports/read-import.ts";
import { withConnections } from "./with-connections.ts";

const READING_FAILED =
  "Reading failed several times because of an error on our side. " +
  "Nothing of the file was saved: send it again.";
const FAIL = "select private.fail_import($1, $2, $3, $4)";

/**
 * Reads an uploaded file. An error on our side is retried; after the last attempt the import fails
 * with a message.
 */
export function readImportTask(connectionString: string): Task {
  return async (payload, { job, abortSignal }) => {
    const key = payload as ImportKey;
    await withConnections(
      connectionString,
      { name: "import", requestId: requestOf(payload) },
      async (main, side) => {
        try {
          await readImport(main, side, key, abortSignal);
        } catch (error) {
          if (error instanceof ImportUndone) return;
          const result =
            failureOf(error) ??
            (job.attempts >= job.max_attempts
              ? { failure: READING_FAILED, refusals: [] }
              : undefined);
          if (!result) throw error;
          log.warn(
            { import_id: key.import_id, reason: (error as Error).message },
            "an import failed",
          );
          await side.query(FAIL, [
            key.tenant_id,
            key.import_id,
            result.failure,
            JSON.stringify(result.refusals),
          ]);
        }
      },
    );
  };
}
