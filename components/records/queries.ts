import { listQuery, resourceKey, versionQuery } from "#components/kit/query.ts";
import { queryOf } from "#components/kit/search-params.ts";
import type { RecordSearch } from "./search.ts";
import { surfaceOf } from "./surface.ts";

const PAGE_SIZE = 50;
const MAX_SEARCH_LENGTH = 200;

/** The cache key of a surface. */
export const recordsKey = (tenant: string, path: string) =>
  [...resourceKey(tenant, "records"), path] as const;

/** The cache key of a surface's list, for any filters. */
export const recordListKey = (tenant: string, path: string) =>
  [...recordsKey(tenant, path), surfaceOf(path).contracts.list.operationId] as const;

export function recordPages(
  tenant: string,
  path: string,
  { q, view }: Pick<RecordSearch, "q" | "view">,
) {
  const query = queryOf({
    q: q.trim().slice(0, MAX_SEARCH_LENGTH),
    include_deleted: view === "bin" ? "only" : null,
    limit: PAGE_SIZE,
  });
  return listQuery({
    keyPrefix: recordsKey(tenant, path),
    contract: surfaceOf(path).contracts.list,
    call: { tenant, query },
  });
}

/** A record with its ETag. Not refetched automatically, because someone may be editing it. */
export function recordById(tenant: string, path: string, id: string, deleted: boolean) {
  return versionQuery(
    {
      keyPrefix: recordsKey(tenant, path),
      contract: surfaceOf(path).contracts.get,
      call: { tenant, params: { id }, query: queryOf({ include_deleted: deleted || null }) },
    },
    { refetchOnWindowFocus: false, refetchOnReconnect: false, gcTime: 0 },
  );
}
