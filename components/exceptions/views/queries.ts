import { resourceKey, singleQuery } from "#components/kit/query.ts";
import { listViewsContract } from "#lib/views/contract.ts";

/** All views that a user sees, of which at most 50 are their own. */
const MAX = 250;
const REFRESH_MS = 30_000;

export const viewsKey = (tenant: string) => resourceKey(tenant, "views");

/** The user's own views and shared ones, with their counts. */
export function viewsQuery(tenant: string) {
  return singleQuery(
    {
      keyPrefix: viewsKey(tenant),
      contract: listViewsContract,
      call: { tenant, query: { limit: MAX } },
    },
    { refetchInterval: REFRESH_MS },
  );
}
