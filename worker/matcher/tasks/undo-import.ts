import type { Task } from "graphile-worker";
import { requestOf } from "#lib/background/traced-tasks.ts";
import type { ImportKey } from "../imports/import-chunks.ts";
import { refreshStatistics } from "../runs/statement-timeout.ts";

/** Removes the lines of an import too large to be undone while its caller waits. */
export const undoImport: Task = async (payload, { query }) => {
  const { tenant_id, import_id } = payload as ImportKey;
  // The subquery sets the request id first: its condition always holds, and `offset 0` keeps it in
  // place.
  await query(
    `select private.finish_undoing($1, $2)
     from (select set_config('app.request_id', $3, true) as request_id offset 0) r
     where r.request_id is not null`,
    [tenant_id, import_id, requestOf(payload) ?? ""],
  );
  await refreshStatistics({ query }, tenant_id);
};
