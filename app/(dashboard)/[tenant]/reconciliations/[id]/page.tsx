import { dehydrate, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { reconciliationByIdQuery } from "#components/reconciliations/queries.ts";
import { ReconciliationPage } from "#components/reconciliations/reconciliation-page.tsx";
import { askAsMember, requireMember } from "#lib/auth/page-context.ts";
import { getReconciliationContract } from "#lib/reconciliations/contract.ts";
import { getReconciliation } from "#lib/reconciliations/get-reconciliation.ts";
import { ApiError } from "#lib/wire/errors.ts";
import { pageTenant } from "../../page-tenant.ts";

export const metadata: Metadata = { title: "Reconciliation" };

type Props = { params: Promise<{ tenant: string; id: string }> };

export default async function Page({ params }: Props) {
  const { tenant: tenantId, id } = await params;
  const { roles } = await requireMember(tenantId);
  const cache = new QueryClient();
  const { queryKey } = reconciliationByIdQuery(tenantId, id);
  try {
    if (!getReconciliationContract.params.safeParse({ id }).success) notFound();
    const { data } = await askAsMember(tenantId, getReconciliationContract, (ctx) => getReconciliation(ctx, id));
    cache.setQueryData(queryKey, data);
  } catch (error) {
    // What fails otherwise is asked for again by the browser, which shows what /v1 answers.
    if (!(error instanceof ApiError)) throw error;
    if (error.code === "not_found") notFound();
  }
  return (
    <HydrationBoundary state={dehydrate(cache)}>
      <ReconciliationPage tenant={await pageTenant(tenantId)} id={id} roles={roles} />
    </HydrationBoundary>
  );
}
