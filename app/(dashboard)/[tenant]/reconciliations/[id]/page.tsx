import type { Metadata } from "next";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { exceptionsOfReconciliation } from "#components/exceptions/queries.ts";
import { ReconciliationExceptions } from "#components/exceptions/reconciliation-exceptions.tsx";
import { reconciliationById, runsOfReconciliation } from "#components/reconciliations/queries.ts";
import { ReconciliationPage } from "#components/reconciliations/reconciliation-page.tsx";
import { listExceptions } from "#lib/exceptions/list-exceptions.ts";
import { listRuns } from "#lib/matching/runs/list-runs.ts";
import { getReconciliation } from "#lib/reconciliations/get-reconciliation.ts";

export const metadata: Metadata = { title: "Reconciliation" };

type Props = { params: Promise<{ tenant: string; id: string }> };

export default async function Page({ params }: Props) {
  const { tenant, id } = await params;
  const reads = [
    prefetch(
      reconciliationById(tenant, id),
      ({ ctx, params: known }) => getReconciliation(ctx, known.id),
      { required: true },
    ),
    prefetch(exceptionsOfReconciliation(tenant, id), ({ ctx, query }) =>
      listExceptions(ctx, query),
    ),
    prefetch(runsOfReconciliation(tenant, id), ({ ctx, query }) => listRuns(ctx, id, query)),
  ];
  return (
    <Prefetched reads={reads}>
      <ReconciliationPage id={id}>
        <ReconciliationExceptions id={id} />
      </ReconciliationPage>
    </Prefetched>
  );
}
