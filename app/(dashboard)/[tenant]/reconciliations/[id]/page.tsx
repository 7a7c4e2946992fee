import type { Metadata } from "next";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { ReconciliationExceptions } from "#components/exceptions/reconciliation-exceptions.tsx";
import { reconciliationById } from "#components/reconciliations/queries.ts";
import { ReconciliationPage } from "#components/reconciliations/reconciliation-page.tsx";
import { getReconciliation } from "#lib/reconciliations/get-reconciliation.ts";

export const metadata: Metadata = { title: "Reconciliation" };

type Props = { params: Promise<{ tenant: string; id: string }> };

export default async function Page({ params }: Props) {
  const { tenant, id } = await params;
  const reconciliation = reconciliationById(tenant, id);
  return (
    <Prefetched reads={[prefetch(reconciliation, ({ ctx, params: known }) => getReconciliation(ctx, known.id), { required: true })]}>
      <ReconciliationPage id={id}>
        <ReconciliationExceptions id={id} />
      </ReconciliationPage>
    </Prefetched>
  );
}
