import { dehydrate, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import type { Metadata } from "next";
import { slaPolicyQuery } from "#components/sla-policy/queries.ts";
import { SlaPolicyPage } from "#components/sla-policy/sla-policy-page.tsx";
import { askAsMember, requireMember } from "#lib/auth/page-context.ts";
import { getSlaPolicyContract } from "#lib/exceptions/sla/contract.ts";
import { getSlaPolicy } from "#lib/exceptions/sla/get-sla-policy.ts";
import { pageTenant } from "../page-tenant.ts";

export const metadata: Metadata = { title: "SLA policy" };

type Props = { params: Promise<{ tenant: string }> };

export default async function Page({ params }: Props) {
  const { tenant: tenantId } = await params;
  const { roles } = await requireMember(tenantId);
  const cache = new QueryClient();
  // What fails here is not handed on: the browser asks again and shows what /v1 answers.
  await cache.prefetchQuery({
    ...slaPolicyQuery(tenantId),
    queryFn: async () => {
      const { data, etag } = await askAsMember(tenantId, getSlaPolicyContract, getSlaPolicy);
      return { data, etag };
    },
  });
  return (
    <HydrationBoundary state={dehydrate(cache)}>
      <SlaPolicyPage tenant={await pageTenant(tenantId)} roles={roles} />
    </HydrationBoundary>
  );
}
