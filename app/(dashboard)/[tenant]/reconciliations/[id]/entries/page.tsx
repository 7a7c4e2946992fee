import type { Metadata } from "next";
import { Prefetched, prefetch } from "#app/prefetched.tsx";
import { EntryRulesPage } from "#components/reconciliations/entries/entry-rules-page.tsx";
import { entryRulesOf } from "#components/reconciliations/entries/queries.ts";
import { reconciliationById } from "#components/reconciliations/queries.ts";
import { getEntryRules } from "#lib/entries/rules/get-entry-rules.ts";
import { getReconciliation } from "#lib/reconciliations/get-reconciliation.ts";

export const metadata: Metadata = { title: "Entry rules" };

type Props = { params: Promise<{ tenant: string; id: string }> };

export default async function Page({ params }: Props) {
  const { tenant, id } = await params;
  const reads = [
    prefetch(
      reconciliationById(tenant, id),
      ({ ctx, params: known }) => getReconciliation(ctx, known.id),
      { required: true },
    ),
    prefetch(entryRulesOf(tenant, id), ({ ctx, params: known }) => getEntryRules(ctx, known.id)),
  ];
  return (
    <Prefetched reads={reads}>
      <EntryRulesPage id={id} />
    </Prefetched>
  );
}
