import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { callApi, callApiWithTag } from "#components/api-client.ts";
import type { RecordSearch } from "./search.ts";
import { surfaceOf } from "./surface.ts";

const PAGE_SIZE = 50;
const LONGEST_SEARCH = 200;

/** Everything of a surface, for invalidation. */
export const recordsKey = (tenant: string, path: string) => ["tenants", tenant, "records", path] as const;

/** The page's search as a query of GET /v1/<surface>. */
export function recordQuery({ q, view }: Pick<RecordSearch, "q" | "view">): Record<string, string> {
  const words = q.trim().slice(0, LONGEST_SEARCH);
  return { ...(words && { q: words }), ...(view === "bin" && { include_deleted: "only" }), limit: String(PAGE_SIZE) };
}

export function recordPagesQuery(tenant: string, path: string, search: Pick<RecordSearch, "q" | "view">) {
  const query = recordQuery(search);
  return infiniteQueryOptions({
    queryKey: [...recordsKey(tenant, path), "pages", query],
    queryFn: ({ pageParam, signal }) =>
      callApi(surfaceOf(path).contracts.list, { tenant, query: { ...query, cursor: pageParam ?? undefined }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  });
}

/** One record with its ETag. Not asked for again by itself: somebody may be changing it. */
export function recordByIdQuery(tenant: string, path: string, id: string, deleted: boolean) {
  return queryOptions({
    queryKey: [...recordsKey(tenant, path), "one", id, deleted],
    queryFn: ({ signal }) =>
      callApiWithTag(surfaceOf(path).contracts.get, { tenant, params: { id }, query: deleted ? { include_deleted: "true" } : {}, signal }),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    gcTime: 0,
  });
}
