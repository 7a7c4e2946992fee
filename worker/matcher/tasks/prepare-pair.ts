import type { Task } from "graphile-worker";
import { requestOf } from "#lib/background/traced-tasks.ts";
import { refreshStatistics } from "../runs/statement-timeout.ts";

type PairKey = { tenant_id: string; pair_no: number };

/**
 * The subquery sets the request id before the function runs: its condition always holds, and
 * `offset 0` keeps it in place.
 */
const STEP = `select private.prepare_pair($1, $2) as goes_on
  from (select set_config('app.request_id', $3, true) as request_id offset 0) r
  where r.request_id is not null`;

/**
 * Opens the lines that two sources had before they became a pair, in committed steps: interrupted,
 * it continues after the last one.
 */
export const preparePair: Task = async (payload, { query, abortSignal }) => {
  const { tenant_id, pair_no } = payload as PairKey;
  for (let goesOn = true; goesOn; ) {
    abortSignal?.throwIfAborted();
    const { rows } = await query<{ goes_on: boolean }>(STEP, [
      tenant_id,
      pair_no,
      requestOf(payload) ?? "",
    ]);
    goesOn = rows[0]?.goes_on === true;
  }
  await refreshStatistics({ query }, tenant_id);
};
