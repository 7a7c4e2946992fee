"use client";

import { useQuery } from "@tanstack/react-query";
import { isRefusal } from "#components/api-client.ts";
import { Card } from "#components/kit/card.tsx";
import { Fact, Facts, IdentifierFact } from "#components/kit/facts.tsx";
import { ListBody } from "#components/kit/list-body.tsx";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { useList } from "#components/kit/use-list.ts";
import { ActorName } from "#components/people/actor-name.tsx";
import { formatDay } from "#components/ui/moment.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { Time } from "#components/ui/time.tsx";
import type { EntryBatch } from "#lib/entries/contract.ts";
import { BatchActions } from "./batch-actions.tsx";
import { BatchState, sumsText } from "./batch-state.tsx";
import { EntryTable } from "./entry-table.tsx";
import { batchById, entryPages } from "./queries.ts";

const PUSH_LABELS = {
  waiting: "Waiting since",
  done: "Written",
  failed: "Failed",
  stopped: "Stopped",
};
const FILES_SHOWN = 10;
const LOADING = (
  <PartSkeleton label="Loading the batch" bars={["h-24 w-full", "h-40 w-full", "h-40 w-11/12"]} />
);

export function BatchPage({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(batchById(useTenantId(), id));
  return (
    <Page
      parent={{ name: "Ledger entries", path: "entry-batches" }}
      title={data ? `Batch ${data.number}` : "Batch"}
      actions={data && <BatchActions batch={data} />}
    >
      {error && (!data || isRefusal(error)) ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : data ? (
        <div className="flex max-w-5xl flex-col gap-4 pb-8">
          <About batch={data} />
          <Entries id={id} />
        </div>
      ) : (
        LOADING
      )}
    </Page>
  );
}

function About({ batch }: { batch: EntryBatch }) {
  const tenant = useTenantId();
  const { reconciliation_id, reconciliation_name, posting_date, digest } = batch;
  return (
    <Facts>
      <Fact name="State">
        <BatchState batch={batch} />
      </Fact>
      {batch.exported_at && (
        <Fact name="Exported">
          <ActorName iso={batch.exported_at} actor={batch.exported_by} />
        </Fact>
      )}
      {batch.push && (batch.state === "ready" || batch.push.state === "done") && (
        <PushFact push={batch.push} />
      )}
      {batch.ledger_reference && <Fact name="In the ledger">{batch.ledger_reference}</Fact>}
      <Fact name="Period">
        <PrefetchLink
          href={`/${tenant}/reconciliations/${reconciliation_id}`}
          className="text-accent-text hover:underline"
        >
          {reconciliation_name}
        </PrefetchLink>
      </Fact>
      <Fact name="Signed statement">{batch.statement_number}</Fact>
      <Fact name="Posted on">{formatDay(posting_date, "UTC")}</Fact>
      <Fact name="Debit = credit">
        <span className="tabular-nums">{sumsText(batch)}</span>
      </Fact>
      <Fact name="Closed">
        <ActorName iso={batch.created_at} actor={batch.created_by} />
      </Fact>
      <IdentifierFact name="Digest" value={digest} />
    </Facts>
  );
}

function PushFact({
  push: { state, at, error, files },
}: {
  push: NonNullable<EntryBatch["push"]>;
}) {
  const hidden = files.length - FILES_SHOWN;
  return (
    <Fact name="Push">
      {PUSH_LABELS[state]} <Time iso={at} />
      {files.length > 0 && (
        <p className="text-muted wrap-anywhere">
          {files.slice(0, FILES_SHOWN).join(", ")}
          {hidden > 0 && ` and ${hidden.toLocaleString("en")} more`}
        </p>
      )}
      {error && (
        <p className="text-danger-text">
          {error} {state === "failed" && "It is retried automatically."}
        </p>
      )}
    </Fact>
  );
}

function Entries({ id }: { id: string }) {
  const list = useList(entryPages(useTenantId(), id));
  return (
    <Card title="Entries" hint="Each debits one account and credits another by the same amount.">
      <ListBody list={list} skeleton={LOADING} bare={null}>
        {() => <EntryTable caption="Entries of the batch" entries={list.items} />}
      </ListBody>
    </Card>
  );
}
