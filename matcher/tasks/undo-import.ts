import type { Task } from "graphile-worker";
import type { ImportKey } from "../imports/import-chunks.ts";

/** Removes the lines of an import too large to be undone while its caller waits. */
export const undoImport: Task = async (payload, { query }) => {
  const { tenant_id, import_id } = payload as ImportKey;
  await query("select private.finish_undoing($1, $2)", [tenant_id, import_id]);
};
