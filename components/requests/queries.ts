import { listQuery, resourceKey, singleQuery } from "#components/kit/query.ts";
import {
  getRequestContract,
  getRequestStatsContract,
  listRequestsContract,
} from "#lib/request-log/contract.ts";
import { listDeliveriesContract } from "#lib/webhooks/deliveries/contract.ts";

const PAGE_SIZE = "50";
const LIVE_MS = 2000;
const CHART_MS = 10_000;

const requestsKey = (tenant: string) => resourceKey(tenant, "requests");

/** `live`: whether it follows the newest requests. */
export function requestPages(tenant: string, query: Record<string, string>, live = false) {
  return listQuery(
    {
      keyPrefix: requestsKey(tenant),
      contract: listRequestsContract,
      call: { tenant, query: { ...query, limit: PAGE_SIZE } },
    },
    live ? { refreshMs: () => LIVE_MS } : {},
  );
}

export function requestStatsOf(tenant: string, query: Record<string, string>, live = false) {
  return singleQuery(
    { keyPrefix: requestsKey(tenant), contract: getRequestStatsContract, call: { tenant, query } },
    live ? { refetchInterval: CHART_MS } : {},
  );
}

/** A logged request never changes. */
export function requestById(tenant: string, id: string) {
  return singleQuery(
    {
      keyPrefix: requestsKey(tenant),
      contract: getRequestContract,
      call: { tenant, params: { id } },
    },
    { staleTime: Number.POSITIVE_INFINITY },
  );
}

/** The deliveries of the events that a request caused. */
export function deliveriesOf(tenant: string, requestId: string) {
  return singleQuery({
    keyPrefix: requestsKey(tenant),
    contract: listDeliveriesContract,
    call: { tenant, query: { request_id: requestId, limit: PAGE_SIZE } },
  });
}
