"use client";

import { useQuery } from "@tanstack/react-query";
import { FileUp, Rows3, SearchX } from "lucide-react";
import Link from "next/link";
import { useCallback, useMemo } from "react";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { sourcesNamed } from "#components/kit/source-names.ts";
import { useList } from "#components/kit/use-list.ts";
import { useSearch } from "#components/kit/use-search.ts";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { createImportContract } from "#lib/imports/contract.ts";
import type { Line } from "#lib/lines/contract.ts";
import { sourceById } from "../queries.ts";
import { LineFilters } from "./line-filters.tsx";
import { LinePanel } from "./line-panel.tsx";
import { LineSkeleton } from "./line-skeleton.tsx";
import { LineTable } from "./line-table.tsx";
import { linePages, reconciliationOfLines } from "./queries.ts";
import { LINE_FILTERS, lineSearch } from "./search.ts";

/** Every line, those of a source, or those of a reconciliation. */
export function LinesPage() {
  const tenantId = useTenantId();
  const { search, set, linkTo, isFiltered, clear } = useSearch(lineSearch, LINE_FILTERS);
  const { source_id, reconciliation_id } = search;
  const list = useList(linePages(tenantId, search));
  const { items, newest, pages } = list;
  const { hasNextPage, isFetchNextPageError, fetchNextPage } = pages;

  const { data: source } = useQuery({
    ...sourceById(tenantId, source_id ?? ""),
    enabled: source_id !== null,
  });
  const { data: reconciliation } = useQuery({
    ...reconciliationOfLines(tenantId, reconciliation_id ?? ""),
    enabled: reconciliation_id !== null,
  });
  const { data: sources } = useQuery(sourcesNamed(tenantId, ""));
  const names = useMemo(() => new Map(sources?.items.map(({ id, name }) => [id, name])), [sources]);
  const sourceName = useCallback((line: Line) => names.get(line.source_id) ?? "", [names]);
  const parent = reconciliation_id
    ? {
        name: reconciliation?.name ?? "Reconciliation",
        path: `reconciliations/${reconciliation_id}`,
      }
    : source_id
      ? { name: source?.name ?? "Source", path: `sources/${source_id}` }
      : undefined;

  return (
    <Page title="Lines" parent={parent}>
      {!(list.isBare && !isFiltered && !reconciliation_id) && (
        <LineFilters
          search={search}
          onChange={set}
          onClear={isFiltered && clear}
          currency={search.currency ?? source?.currency ?? items[0]?.currency ?? "EUR"}
        />
      )}
      {list.failure ? (
        <ProblemNotice error={list.failure} onRetry={() => pages.refetch()} />
      ) : !newest || (items.length === 0 && list.isStale) ? (
        <LineSkeleton />
      ) : items.length === 0 ? (
        isFiltered || reconciliation_id ? (
          <NoMatch search={search.q} onClear={isFiltered && clear} />
        ) : (
          <NoLines />
        )
      ) : (
        <>
          <LineTable
            caption="Lines"
            items={items}
            linkTo={linkTo}
            sourceName={source_id ? undefined : sourceName}
            total={hasNextPage ? null : items.length}
            stale={list.isStale}
            onEndNear={list.loadMore}
          />
          <div className="flex justify-center py-4 text-sm text-muted">
            {isFetchNextPageError ? (
              <Button onClick={() => fetchNextPage()}>Load more</Button>
            ) : (
              <p role="status">
                {hasNextPage ? "Loading more…" : `All ${items.length.toLocaleString("en")} shown`}
              </p>
            )}
          </div>
        </>
      )}
      <LinePanel id={search.line} linkTo={linkTo} onClose={() => set({ line: null })} />
    </Page>
  );
}

function NoMatch({ search, onClear }: { search: string; onClear: (() => void) | false }) {
  return (
    <Notice
      icon={SearchX}
      title="No matching lines"
      action={onClear && <Button onClick={onClear}>Clear filters</Button>}
    >
      {search
        ? "Search looks for each word in reference, counterparty, " +
          "description and ID, and for amounts such as 12.50."
        : "Try different filters."}
    </Notice>
  );
}

function NoLines() {
  const tenantId = useTenantId();
  const mayImport = useIsAllowed(createImportContract.access);
  return (
    <Notice
      icon={Rows3}
      title="No lines yet"
      action={
        <Link href={`/${tenantId}/sources`} className={buttonClass({ variant: "primary" })}>
          <FileUp aria-hidden className="size-4" />
          {mayImport ? "Choose a source to import" : "Go to sources"}
        </Link>
      }
    >
      Lines are the transactions of a source. Import a bank statement or a ledger file, or send them
      to{" "}
      <a href="/docs/guides/lines" className="underline underline-offset-2">
        the API
      </a>
      .
    </Notice>
  );
}
