import type { Task } from "graphile-worker";

/** Deletes uploads whose sender went away. */
export const purgeImports: Task = async (_payload, { query }) => {
  await query("select private.purge_imports()");
};
