import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { setServerClock } from "#components/ui/server-clock.ts";
import { estimateApiKeyImpactContract, getApiKeyContract, getApiKeyUsageContract, listApiKeysContract } from "#lib/api-keys/contract.ts";
import { apiKeysKey } from "./cache-key.ts";
import type { ApiKeyChange } from "./draft.ts";
import { isWaiting } from "./first-call.ts";
import type { ApiKeySearch } from "./search.ts";

const PAGE_SIZE = 50;
const REFRESH_MS = 5000;
const WAITING_REFRESH_MS = 1500;

/** The page's search as a query of GET /v1/tenants/{id}/api-keys. */
export function apiKeyListQuery({ q, status }: Pick<ApiKeySearch, "q" | "status">) {
  const given = Object.entries({ q, status }).filter(([, value]) => value);
  return { ...Object.fromEntries(given), limit: String(PAGE_SIZE) };
}

/** The pages of the list. While a key waits for its first call, the newest page is looked at more often. */
export function apiKeyPagesQuery(tenant: string, search: Pick<ApiKeySearch, "q" | "status">) {
  const query = apiKeyListQuery(search);
  return infiniteQueryOptions({
    queryKey: [...apiKeysKey(tenant), "list", query],
    queryFn: async ({ pageParam, signal }) => {
      const answer = await callApi(listApiKeysContract, {
        tenant,
        params: { id: tenant },
        query: { ...query, cursor: pageParam ?? undefined },
        signal,
      });
      setServerClock(answer.as_of);
      return answer;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => {
      const waits = data?.pages[0]?.items.some((key) => isWaiting(key, Date.parse(data.pages[0]?.as_of ?? "")));
      return (waits ? WAITING_REFRESH_MS : REFRESH_MS) * (data?.pages.length ?? 1);
    },
  });
}

export function apiKeyQuery(tenant: string, keyId: string) {
  return queryOptions({
    queryKey: [...apiKeysKey(tenant), keyId],
    queryFn: ({ signal }) => callApi(getApiKeyContract, { tenant, params: { id: tenant, keyId }, signal }),
    refetchInterval: REFRESH_MS,
  });
}

export function apiKeyUsageQuery(tenant: string, keyId: string) {
  return queryOptions({
    queryKey: [...apiKeysKey(tenant), keyId, "usage"],
    queryFn: async ({ signal }) => {
      const usage = await callApi(getApiKeyUsageContract, { tenant, params: { id: tenant, keyId }, signal });
      setServerClock(usage.as_of);
      return usage;
    },
    refetchInterval: REFRESH_MS,
  });
}

/** What a change would have refused: asked anew each time, as calls go on meanwhile. */
export function apiKeyImpactQuery(tenant: string, keyId: string, change: ApiKeyChange | { revoke: true }) {
  return queryOptions({
    queryKey: [...apiKeysKey(tenant), keyId, "impact", change],
    queryFn: ({ signal }) => callApi(estimateApiKeyImpactContract, { tenant, params: { id: tenant, keyId }, body: change, signal }),
    gcTime: 0,
  });
}
