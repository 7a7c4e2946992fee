import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  type UseQueryOptions,
} from "@tanstack/react-query";
import type { z } from "zod";
import { callApi, callApiWithTag } from "#components/api-client.ts";
import { setServerClock } from "#components/ui/server-clock.ts";
import type { Contract } from "#lib/wire/contract.ts";

type Call<C extends Contract> = Omit<Parameters<typeof callApi<C>>[1], "signal">;
export type ResponseOf<C extends Contract> = z.output<C["response"]>;

/** One page of a list. `as_of` is the database's time of the response. */
export type ListPage = { items: readonly unknown[]; next_cursor: string | null; as_of?: string };

/** A query of /v1. `keyPrefix` is the key of its resource. */
type QuerySpec<C extends Contract> = { contract: C; call: Call<C>; keyPrefix: readonly unknown[] };

/**
 * A query that the server can also run, calling the verb directly for the first paint
 * (app/prefetched.tsx). `cached` turns a response into the shape that the query cache stores.
 */
export type ServerQuery<C extends Contract> = QuerySpec<C> & {
  cached: (response: ResponseOf<C>, etag: string | null) => unknown;
};

/** The cache key of a tenant's resource. Invalidating it refetches everything under it. */
export function resourceKey(tenant: string, resource: string) {
  return ["tenants", tenant, resource] as const;
}

/** What a cache entry holds: the pages of a list, one response, or one with its version. */
type Shape = "pages" | "one" | "version";

/**
 * The cache key of an operation's responses. Without its last three parts, it matches every input.
 * The shape is part of it, so that one call cached in two shapes has two entries.
 */
function keyOf<C extends Contract>(
  { keyPrefix, contract, call: { params, query } }: QuerySpec<C>,
  shape: Shape,
) {
  return [...keyPrefix, contract.operationId, params ?? null, query ?? null, shape] as const;
}

/**
 * A paginated list. `next` is added to the query of every page but the first. `refreshMs` returns
 * the polling interval, given the first page; a refresh fetches every loaded page, so the interval
 * grows with their number. `refetchOnMount` is false if something else keeps the list fresh.
 */
export function listQuery<C extends Contract>(
  spec: QuerySpec<C> & (ResponseOf<C> extends ListPage ? unknown : never),
  {
    next,
    refreshMs,
    refetchOnMount = true,
  }: {
    next?: Call<C>["query"];
    refreshMs?: (newest: ResponseOf<C> | undefined) => number;
    refetchOnMount?: boolean;
  } = {},
) {
  const { contract, call } = spec;
  const options = infiniteQueryOptions({
    queryKey: keyOf(spec, "pages"),
    queryFn: async ({ pageParam, signal }): Promise<ResponseOf<C>> => {
      const query = {
        ...call.query,
        ...(pageParam !== null && { ...next, cursor: pageParam }),
      } as Call<C>["query"];
      return withServerClock(await callApi(contract, { ...call, query, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page as ListPage).next_cursor,
    refetchOnMount,
    placeholderData: keepPreviousData,
    refetchInterval:
      refreshMs && (({ state: { data } }) => refreshMs(data?.pages[0]) * (data?.pages.length ?? 1)),
  });
  const cached = (response: ResponseOf<C>) => ({ pages: [response], pageParams: [null] });
  return { ...options, request: { ...spec, cached } };
}

type Options<Data> = Pick<
  UseQueryOptions<Data>,
  | "enabled"
  | "gcTime"
  | "placeholderData"
  | "refetchInterval"
  | "refetchOnReconnect"
  | "refetchOnWindowFocus"
  | "retry"
  | "staleTime"
>;

/** A single response. */
export function singleQuery<C extends Contract>(
  spec: QuerySpec<C>,
  options: Options<ResponseOf<C>> = {},
) {
  const { contract, call } = spec;
  const queryFn = async ({ signal }: { signal: AbortSignal }) =>
    withServerClock(await callApi(contract, { ...call, signal }));
  const cached = (response: ResponseOf<C>) => response;
  return {
    ...queryOptions({ ...(options as object), queryKey: keyOf(spec, "one"), queryFn }),
    request: { ...spec, cached },
  };
}

/** A resource with the version that was read; `etag` is sent as If-Match. */
export type Version<Data> = { data: Data; etag: string | null };

/** A single versioned resource. */
export function versionQuery<C extends Contract>(
  spec: QuerySpec<C>,
  options: Options<Version<ResponseOf<C>>> = {},
) {
  const { contract, call } = spec;
  const queryFn = ({ signal }: { signal: AbortSignal }): Promise<Version<ResponseOf<C>>> =>
    callApiWithTag(contract, { ...call, signal });
  const cached = (data: ResponseOf<C>, etag: string | null): Version<ResponseOf<C>> => ({
    data,
    etag,
  });
  return {
    ...queryOptions({ ...(options as object), queryKey: keyOf(spec, "version"), queryFn }),
    request: { ...spec, cached },
  };
}

/** Sets the page's clock from a response's database time. */
function withServerClock<Answer>(response: Answer): Answer {
  const asOf =
    typeof response === "object" && response !== null && "as_of" in response && response.as_of;
  if (typeof asOf === "string") setServerClock(asOf);
  return response;
}
