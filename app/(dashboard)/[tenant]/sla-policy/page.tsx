import type { Metadata } from "next";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { PolicyPage } from "#components/exceptions/policy/policy-page.tsx";
import { slaPolicy } from "#components/exceptions/policy/queries.ts";
import { getSlaPolicy } from "#lib/exceptions/sla/get-sla-policy.ts";

export const metadata: Metadata = { title: "SLA policy" };

type Props = { params: Promise<{ tenant: string }> };

export default async function Page({ params }: Props) {
  const { tenant } = await params;
  return (
    <Prefetched reads={[prefetch(slaPolicy(tenant), ({ ctx }) => getSlaPolicy(ctx))]}>
      <PolicyPage />
    </Prefetched>
  );
}
