import { dehydrate, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import { notFound, unstable_rethrow } from "next/navigation";
import type { ReactNode } from "react";
import type { z } from "zod";
import type { ServerQuery } from "#components/kit/query.ts";
import { callAsMember } from "#lib/auth/page-context.ts";
import type { Context } from "#lib/request/context.ts";
import type { Contract } from "#lib/wire/contract.ts";
import { ApiError } from "#lib/wire/errors.ts";

type Verb<C extends Contract> = (call: {
  ctx: Context;
  params: z.output<C["params"]>;
  query: z.output<C["query"]>;
}) => Promise<z.input<C["response"]>>;

type Read = (cache: QueryClient) => Promise<void>;

/**
 * Puts a page's first data into its query cache: the browser doesn't fetch what the HTML already
 * has.
 */
export async function Prefetched({
  reads,
  children,
}: {
  reads: readonly Read[];
  children: ReactNode;
}) {
  const cache = new QueryClient();
  await Promise.all(reads.map((read) => read(cache)));
  return <HydrationBoundary state={dehydrate(cache)}>{children}</HydrationBoundary>;
}

type Query<C extends Contract> = { queryKey: readonly unknown[]; request: ServerQuery<C> };

/**
 * Runs a page's query with the verb its endpoint calls. `required`: 404 if it isn't found. Any
 * other failure is left to the browser, which asks again and shows what /v1 responds.
 */
export function prefetch<C extends Contract>(
  { queryKey, request: { contract, call, cached } }: Query<C>,
  verb: Verb<C>,
  {
    required = false,
    callVerb = callAsMember,
  }: { required?: boolean; callVerb?: typeof callAsMember } = {},
): Read {
  return async (cache) => {
    try {
      const params = contract.params.safeParse(call.params ?? {});
      if (!params.success) throw new ApiError("not_found", "The page's address is invalid.");
      const input = {
        params: params.data as z.output<C["params"]>,
        query: contract.query.parse(call.query ?? {}) as z.output<C["query"]>,
      };
      const { data, etag } = await callVerb(call.tenant, contract, (ctx) =>
        verb({ ctx, ...input }),
      );
      cache.setQueryData(queryKey, cached(data, etag));
    } catch (error) {
      unstable_rethrow(error);
      if (required && error instanceof ApiError && error.code === "not_found") notFound();
    }
  };
}
