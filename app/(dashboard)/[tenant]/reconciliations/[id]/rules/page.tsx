import type { Metadata } from "next";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import {
  reconciliationById,
  rulesOf,
  runsOfReconciliation,
} from "#components/reconciliations/queries.ts";
import { RulesPage } from "#components/reconciliations/rules/rules-page.tsx";
import { getRules } from "#lib/matching/rules/get-rules.ts";
import { listRuns } from "#lib/matching/runs/list-runs.ts";
import { getReconciliation } from "#lib/reconciliations/get-reconciliation.ts";

export const metadata: Metadata = { title: "Matching rules" };

type Props = { params: Promise<{ tenant: string; id: string }> };

export default async function Page({ params }: Props) {
  const { tenant, id } = await params;
  const reads = [
    prefetch(
      reconciliationById(tenant, id),
      ({ ctx, params: known }) => getReconciliation(ctx, known.id),
      { required: true },
    ),
    prefetch(rulesOf(tenant, id), ({ ctx, params: known }) => getRules(ctx, known.id)),
    prefetch(runsOfReconciliation(tenant, id), ({ ctx, query }) => listRuns(ctx, id, query)),
  ];
  return (
    <Prefetched reads={reads}>
      <RulesPage id={id} />
    </Prefetched>
  );
}
