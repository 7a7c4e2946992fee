import { resourceKey, singleQuery } from "#components/kit/query.ts";
import { getOverviewContract } from "#lib/overview/contract.ts";

const REFRESH_MS = 15_000;

/** Polled while the page is visible. */
export function overviewOf(tenant: string) {
  return singleQuery(
    { keyPrefix: resourceKey(tenant, "overview"), contract: getOverviewContract, call: { tenant } },
    { refetchInterval: REFRESH_MS },
  );
}
