"use client";

import { useQuery } from "@tanstack/react-query";
import { Link2, SearchX } from "lucide-react";
import { ExportMenu } from "#components/kit/export-menu.tsx";
import { ListBody } from "#components/kit/list-body.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useList } from "#components/kit/use-list.ts";
import { useSearch } from "#components/kit/use-search.ts";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { listMatchesContract } from "#lib/matching/contract.ts";
import { periodFileName } from "#lib/wire/period-name.ts";
import { matchPages, reconciliationById, rulesOf } from "../queries.ts";
import { MatchFilters } from "./match-filters.tsx";
import { MatchSkeleton } from "./match-skeleton.tsx";
import { MatchTable } from "./match-table.tsx";
import { MATCH_FILTERS, matchSearch } from "./search.ts";

/** The matches and suggestions of a period: filtered, and exported. */
export function MatchesPage({ id }: { id: string }) {
  const tenant = useTenantId();
  const { search, set, isFiltered, clear } = useSearch(matchSearch, MATCH_FILTERS);
  const pages = matchPages(tenant, id, search);
  const list = useList(pages);
  const { data: reconciliation } = useQuery(reconciliationById(tenant, id));
  const { data: rules } = useQuery(rulesOf(tenant, id));
  const isEmpty = list.isBare && !isFiltered;
  return (
    <Page
      parent={{ name: reconciliation?.name ?? "Reconciliation", path: `reconciliations/${id}` }}
      title="Matches"
      actions={
        list.newest &&
        !isEmpty && (
          <ExportMenu
            label="Export matches"
            name={reconciliation ? periodFileName("matches", reconciliation) : `matches-${id}`}
            contract={listMatchesContract}
            call={pages.request.call}
            failed="Couldn't export the matches"
          />
        )
      }
    >
      {!isEmpty && (
        <MatchFilters
          search={search}
          onChange={set}
          onClear={isFiltered && clear}
          rules={rules?.data.rules.map(({ name }) => name) ?? []}
          currency={list.items[0]?.currency ?? "EUR"}
        />
      )}
      <ListBody
        list={list}
        skeleton={<MatchSkeleton />}
        bare={
          isFiltered ? (
            <NoMatch onClear={clear} search={search.q} />
          ) : (
            <NothingMatched tenant={tenant} id={id} />
          )
        }
      >
        {() => (
          <MatchTable items={list.items} names={reconciliation ?? SIDES} stale={list.isStale} />
        )}
      </ListBody>
    </Page>
  );
}

/** Until the reconciliation is there. */
const SIDES = { left_source: "Left", right_source: "Right" };

function NoMatch({ onClear, search }: { onClear: () => void; search: string }) {
  return (
    <Notice
      icon={SearchX}
      title="No matching matches"
      action={<Button onClick={onClear}>Clear filters</Button>}
    >
      {search
        ? "Search looks for each word in a line's reference, counterparty, description and ID, " +
          "and for amounts such as 12.50."
        : "Try different filters."}
    </Notice>
  );
}

function NothingMatched({ tenant, id }: { tenant: string; id: string }) {
  return (
    <Notice
      icon={Link2}
      title="No matches yet"
      action={
        <PrefetchLink
          href={`/${tenant}/reconciliations/${id}`}
          className={buttonClass({ variant: "primary" })}
        >
          Go to the reconciliation
        </PrefetchLink>
      }
    >
      Matches appear once a run has paired lines of both sources, or a person has.
    </Notice>
  );
}
