import { listQuery, resourceKey, singleQuery } from "#components/kit/query.ts";
import {
  getSecurityEventContract,
  listSecurityEventsContract,
  verifySecurityEventsContract,
} from "#lib/security-events/contract.ts";

const PAGE_SIZE = "100";

const eventsKey = (tenant: string) => resourceKey(tenant, "security-events");

/** The list with any filters. */
export const eventListKey = (tenant: string) =>
  [...eventsKey(tenant), listSecurityEventsContract.operationId] as const;

export function eventPages(tenant: string, query: Record<string, string>) {
  return listQuery({
    keyPrefix: eventsKey(tenant),
    contract: listSecurityEventsContract,
    call: { tenant, query: { ...query, limit: PAGE_SIZE } },
  });
}

/** An event never changes. */
export function eventById(tenant: string, id: string) {
  return singleQuery(
    {
      keyPrefix: eventsKey(tenant),
      contract: getSecurityEventContract,
      call: { tenant, params: { id } },
    },
    { staleTime: Number.POSITIVE_INFINITY },
  );
}

/** Only on demand: it reads the whole log. */
export function chainVerification(tenant: string) {
  return singleQuery(
    { keyPrefix: eventsKey(tenant), contract: verifySecurityEventsContract, call: { tenant } },
    { enabled: false, retry: false },
  );
}
