import type { Task } from "graphile-worker";

/** Files and runs have the rest of each minute. */
const WORKS_MS = 20_000;

/** Writes what lines are searched by, some at a time. What is left waits for the next minute, and is searched line by line until then. */
export const indexLines: Task = async (_payload, { query, abortSignal }) => {
  const until = performance.now() + WORKS_MS;
  for (let goesOn = true; goesOn && performance.now() < until && !abortSignal?.aborted; ) {
    const { rows } = await query<{ goes_on: boolean }>("select private.index_lines() as goes_on");
    goesOn = rows[0]?.goes_on === true;
  }
};
