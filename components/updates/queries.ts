import { infiniteQueryOptions } from "@tanstack/react-query";
import { callApi } from "#components/api-client.ts";
import { surfaceOf } from "#components/records/surface.ts";

export const RELEASE_NOTES = "release-notes";

export const UPDATES_QUERY = { limit: "20" };

/** What is published of the tenant's release notes: the publishable key sees no more. */
export function updatesQuery(tenant: string, publishableKey: string) {
  return infiniteQueryOptions({
    queryKey: ["public", tenant, RELEASE_NOTES],
    queryFn: ({ pageParam, signal }) =>
      callApi(surfaceOf(RELEASE_NOTES).contracts.list, {
        tenant,
        credential: publishableKey,
        query: { ...UPDATES_QUERY, cursor: pageParam ?? undefined },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}
