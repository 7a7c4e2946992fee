import { oneQuery, resourceKey } from "#components/kit/query.ts";
import { listViewsContract } from "#lib/views/contract.ts";

/** All that one sees: their own are at most 50. */
const MAX = 250;
const REFRESH_MS = 30_000;

export const viewsKey = (tenant: string) => resourceKey(tenant, "views");

/** One's own views and the shared ones, with their counts. */
export function viewsQuery(tenant: string) {
  return oneQuery(
    {
      under: viewsKey(tenant),
      contract: listViewsContract,
      call: { tenant, query: { limit: MAX } },
    },
    { refetchInterval: REFRESH_MS },
  );
}
