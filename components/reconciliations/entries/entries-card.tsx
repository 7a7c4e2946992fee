"use client";

import { useQuery } from "@tanstack/react-query";
import { Card } from "#components/kit/card.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { ProblemNote } from "#components/kit/problem-note.tsx";
import { ActorName } from "#components/people/actor-name.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import type { EntryBatch } from "#lib/entries/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { BatchActions } from "./batch-actions.tsx";
import { BatchState, sumsText } from "./batch-state.tsx";
import { batchesOfPeriod } from "./queries.ts";

/** The entries that the closes of a period left for the ledger. */
export function EntriesCard({
  reconciliation: { id, closed_at },
}: {
  reconciliation: Reconciliation;
}) {
  const tenant = useTenantId();
  const { data, error } = useQuery(batchesOfPeriod(tenant, id));
  if (!data && error)
    return (
      <Card title="Ledger entries">
        <ProblemNote error={error} />
      </Card>
    );
  if (!data || (data.items.length === 0 && closed_at === null)) return null;
  return (
    <Card title="Ledger entries" hint="What closing this period left to post in the ledger.">
      {data.items.length === 0 ? (
        <p className="text-sm text-muted">
          Nothing to post: no entry rule applied. Choose Entries to see the rules.
        </p>
      ) : (
        <ul className="flex flex-col divide-y divide-line">
          {data.items.map((batch) => (
            <BatchItem key={batch.id} batch={batch} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function BatchItem({ batch }: { batch: EntryBatch }) {
  const { id, number, entry_count, reversal_count, exported_at, exported_by } = batch;
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 py-2 first:pt-0 last:pb-0">
      <div className="flex min-w-0 flex-col gap-1 text-sm">
        <p className="flex flex-wrap items-center gap-2">
          <PrefetchLink
            href={`/${useTenantId()}/entry-batches/${id}`}
            className="font-medium text-accent-text hover:underline"
          >
            Batch {number}
          </PrefetchLink>
          <BatchState batch={batch} />
        </p>
        <p className="text-muted tabular-nums">
          {pluralize(entry_count, "entry", "entries")}
          {reversal_count > 0 &&
            `, ${pluralize(reversal_count, "reversal", "reversals")} among them`}
          , {sumsText(batch)}
        </p>
        {exported_at && (
          <p className="text-muted">
            Exported <ActorName iso={exported_at} actor={exported_by} />
          </p>
        )}
      </div>
      <BatchActions batch={batch} />
    </li>
  );
}
