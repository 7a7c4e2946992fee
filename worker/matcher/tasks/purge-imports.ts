import type { Task } from "graphile-worker";

/** Deletes uploads that their sender abandoned. */
export const purgeImports: Task = async (_payload, { query }) => {
  await query("select private.purge_imports()");
};
