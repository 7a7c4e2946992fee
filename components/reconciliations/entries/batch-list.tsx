"use client";

import { BookUp, SearchX } from "lucide-react";
import { ListBody } from "#components/kit/list-body.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { RowLink } from "#components/kit/row-link.tsx";
import { type Column, PlainCell, PlainRow, PlainTable } from "#components/kit/table.tsx";
import { useList } from "#components/kit/use-list.ts";
import { useSearch } from "#components/kit/use-search.ts";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { formatDay } from "#components/ui/moment.ts";
import { Notice } from "#components/ui/notice.tsx";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import type { EntryBatch } from "#lib/entries/contract.ts";
import { BatchState, sumsText } from "./batch-state.tsx";
import { EntryBatchSkeleton } from "./entry-batch-skeleton.tsx";
import { batchPages } from "./queries.ts";
import { batchSearch } from "./search.ts";

const NUMBER = "whitespace-nowrap text-right tabular-nums";
const COLUMNS: readonly Column[] = [
  ["Batch", "pl-4"],
  ["Posted on", "w-36 max-md:hidden"],
  ["State", "w-32 max-sm:hidden"],
  ["Entries", `${NUMBER} w-24 max-md:hidden`],
  ["Debit = credit", `${NUMBER} w-44`],
];
const STATES = [
  { value: "all", label: "All" },
  { value: "ready", label: "Ready" },
  { value: "exported", label: "Exported" },
] as const;

/** The batches of a tenant, newest first. */
export function BatchList() {
  const tenant = useTenantId();
  const { search, set, isFiltered, clear } = useSearch(batchSearch, ["state", "year"]);
  const list = useList(batchPages(tenant, search));
  return (
    <Page title="Ledger entries">
      {(!list.isBare || isFiltered) && (
        <div className="pb-3">
          <Segmented
            label="State"
            value={search.state ?? "all"}
            options={STATES}
            onChange={(state) => set({ state: state === "all" ? null : state })}
          />
        </div>
      )}
      <ListBody
        list={list}
        skeleton={<EntryBatchSkeleton />}
        bare={
          isFiltered ? (
            <Notice
              icon={SearchX}
              title="No matching batches"
              action={<Button onClick={clear}>Clear filters</Button>}
            >
              Try another state.
            </Notice>
          ) : (
            <Notice
              icon={BookUp}
              title="No ledger entries yet"
              action={
                <PrefetchLink href={`/${tenant}/reconciliations`} className={buttonClass()}>
                  Go to reconciliations
                </PrefetchLink>
              }
            >
              Set the entry rules of a reconciliation. When a period closes, its adjustments and
              excluded or carried lines become one batch to post in your ledger.
            </Notice>
          )
        }
      >
        {() => (
          <PlainTable caption="Entry batches" columns={COLUMNS} stale={list.isStale}>
            {list.items.map((batch) => (
              <BatchRow
                key={batch.id}
                batch={batch}
                href={`/${tenant}/entry-batches/${batch.id}`}
              />
            ))}
          </PlainTable>
        )}
      </ListBody>
    </Page>
  );
}

function BatchRow({ batch, href }: { batch: EntryBatch; href: string }) {
  const { number, reconciliation_name, posting_date, entry_count } = batch;
  return (
    <PlainRow>
      <PlainCell className="min-w-0 flex-1 pl-4">
        <RowLink to={href}>{number}</RowLink>
        <p className="truncate text-muted">{reconciliation_name}</p>
        <p className="pt-1 sm:hidden">
          <BatchState batch={batch} />
        </p>
      </PlainCell>
      <PlainCell className="whitespace-nowrap max-md:hidden">
        {formatDay(posting_date, "UTC")}
      </PlainCell>
      <PlainCell className="max-sm:hidden">
        <BatchState batch={batch} />
      </PlainCell>
      <PlainCell className={`${NUMBER} max-md:hidden`}>
        {entry_count.toLocaleString("en")}
      </PlainCell>
      <PlainCell className={NUMBER}>
        {batch.sums.length > 2 ? `${batch.sums.length} currencies` : sumsText(batch)}
      </PlainCell>
    </PlainRow>
  );
}
