import type { Metadata } from "next";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { reconciliationById } from "#components/reconciliations/queries.ts";
import { StatementPage } from "#components/reconciliations/statement/statement-page.tsx";
import { getReconciliation } from "#lib/reconciliations/get-reconciliation.ts";

export const metadata: Metadata = { title: "Reconciliation statement" };

type Props = { params: Promise<{ tenant: string; id: string }> };

export default async function Page({ params }: Props) {
  const { tenant, id } = await params;
  const known = prefetch(
    reconciliationById(tenant, id),
    ({ ctx, params: requested }) => getReconciliation(ctx, requested.id),
    { required: true },
  );
  return (
    <Prefetched reads={[known]}>
      <StatementPage id={id} />
    </Prefetched>
  );
}
