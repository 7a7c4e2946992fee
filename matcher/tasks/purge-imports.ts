import type { Task } from "graphile-worker";

/** Forgets files whose sender went away. */
export const purgeImports: Task = async (_payload, { query }) => {
  await query("select private.purge_imports()");
};
