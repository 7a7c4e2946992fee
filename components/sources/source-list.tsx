"use client";

import { Layers, Plus, SearchX } from "lucide-react";
import { useRouter } from "next/navigation";
import { FilterBar, FilterMenu } from "#components/kit/filters.tsx";
import { FormPanel } from "#components/kit/form-panel.tsx";
import { ListBody } from "#components/kit/list-body.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { ReadOnly } from "#components/kit/read-only.tsx";
import { SOURCE_KIND_LABELS } from "#components/kit/source-kinds.ts";
import { useList } from "#components/kit/use-list.ts";
import { useSearch } from "#components/kit/use-search.ts";
import { Button } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { SearchField } from "#components/ui/search-field.tsx";
import { createSourceContract, SOURCE_KINDS } from "#lib/sources/contract.ts";
import { sourcePages } from "./queries.ts";
import { sourceSearch } from "./search.ts";
import { SourceForm } from "./source-form.tsx";
import { SourceListSkeleton } from "./source-skeletons.tsx";
import { SourceTable } from "./source-table.tsx";

export function SourceList() {
  const tenantId = useTenantId();
  const router = useRouter();
  const mayCreate = useIsAllowed(createSourceContract.access);
  const { search, set, linkTo, isFiltered, clear } = useSearch(sourceSearch, ["kind", "q"]);
  const list = useList(sourcePages(tenantId, search));
  const isEmpty = list.isBare && !isFiltered;
  const stop = () => set({ new: null });
  const create = mayCreate && (
    <Button variant="primary" onClick={linkTo({ new: true }).follow}>
      <Plus aria-hidden className="size-4" />
      New source
    </Button>
  );

  return (
    <Page title="Sources" actions={mayCreate ? !isEmpty && create : <ReadOnly />}>
      {!isEmpty && (
        <FilterBar onClear={isFiltered && clear}>
          <SearchField label="Search sources" value={search.q} onChange={(q) => set({ q })} />
          <FilterMenu
            name="Kind"
            value={search.kind}
            options={SOURCE_KINDS.map((kind) => [kind, SOURCE_KIND_LABELS[kind]] as const)}
            onChange={(kind) => set({ kind })}
          />
        </FilterBar>
      )}
      <ListBody
        list={list}
        skeleton={<SourceListSkeleton />}
        bare={
          isFiltered ? (
            <Notice
              icon={SearchX}
              title="No matching sources"
              action={<Button onClick={clear}>Clear filters</Button>}
            >
              Try another name or kind.
            </Notice>
          ) : (
            <Notice icon={Layers} title="No sources yet" action={create}>
              A source is where lines come from: a bank account's statements, a ledger account, a
              processor's payouts. Reconciliations compare the lines of two sources.{" "}
              {!mayCreate && "An admin or a lead can create the first one."}
            </Notice>
          )
        }
      >
        {() => <SourceTable items={list.items} stale={list.isStale} />}
      </ListBody>
      <FormPanel open={search.new === true && mayCreate} label="New source" onClose={stop}>
        <SourceForm onDone={({ id }) => router.push(`/${tenantId}/sources/${id}`)} />
      </FormPanel>
    </Page>
  );
}
