import { listQuery, singleQuery } from "#components/kit/query.ts";
import { queryOf } from "#components/kit/search-params.ts";
import {
  estimateApiKeyImpactContract,
  getApiKeyContract,
  getApiKeyUsageContract,
  listApiKeysContract,
} from "#lib/api-keys/contract.ts";
import { apiKeysKey } from "./cache-key.ts";
import type { ApiKeyChange } from "./draft.ts";
import { awaitsFirstCall } from "./first-call.ts";
import type { ApiKeySearch } from "./search.ts";

const PAGE_SIZE = 50;
const REFRESH_MS = 5000;
const WAITING_REFRESH_MS = 1500;

/** The pages of the list. Refreshed more often while a key waits for its first call. */
export function apiKeyPages(tenant: string, { q, status }: Pick<ApiKeySearch, "q" | "status">) {
  return listQuery(
    {
      keyPrefix: apiKeysKey(tenant),
      contract: listApiKeysContract,
      call: { tenant, params: { id: tenant }, query: queryOf({ q, status, limit: PAGE_SIZE }) },
    },
    {
      refreshMs: (newest) =>
        newest?.items.some((key) => awaitsFirstCall(key, Date.parse(newest.as_of)))
          ? WAITING_REFRESH_MS
          : REFRESH_MS,
    },
  );
}

export function apiKeyById(tenant: string, keyId: string) {
  return singleQuery(
    {
      keyPrefix: apiKeysKey(tenant),
      contract: getApiKeyContract,
      call: { tenant, params: { id: tenant, keyId } },
    },
    { refetchInterval: REFRESH_MS },
  );
}

export function apiKeyUsage(tenant: string, keyId: string) {
  return singleQuery(
    {
      keyPrefix: apiKeysKey(tenant),
      contract: getApiKeyUsageContract,
      call: { tenant, params: { id: tenant, keyId } },
    },
    { refetchInterval: REFRESH_MS },
  );
}

/** What a change would have refused. Never cached: calls keep coming in. */
export function apiKeyImpact(
  tenant: string,
  keyId: string,
  change: ApiKeyChange | { revoke: true },
) {
  return singleQuery(
    {
      keyPrefix: apiKeysKey(tenant),
      contract: estimateApiKeyImpactContract,
      call: { tenant, params: { id: tenant, keyId }, body: change },
    },
    { gcTime: 0 },
  );
}
