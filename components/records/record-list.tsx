"use client";

import { Plus } from "lucide-react";
import { ListBody } from "#components/kit/list-body.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { ReadOnly } from "#components/kit/read-only.tsx";
import { NEW } from "#components/kit/resource-panel.tsx";
import { useList } from "#components/kit/use-list.ts";
import { useSearch } from "#components/kit/use-search.ts";
import { Button } from "#components/ui/button.tsx";
import { SearchField } from "#components/ui/search-field.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { recordPages } from "./queries.ts";
import { BinEmpty, NoRecordMatches, RecordsEmpty } from "./record-empty.tsx";
import { RecordPanel } from "./record-panel.tsx";
import { RecordSkeleton } from "./record-skeleton.tsx";
import { RecordTable } from "./record-table.tsx";
import { recordSearch } from "./search.ts";
import { surfaceOf } from "./surface.ts";
import { useRestoreRecord } from "./use-records.ts";

const VIEWS = [
  { value: "active", label: "Active" },
  { value: "bin", label: "Bin" },
] as const;

/** The records of one surface: search, create, read, edit, delete, bin. */
export function RecordList({ path }: { path: string }) {
  const tenantId = useTenantId();
  const { surface, contracts } = surfaceOf(path);
  const name = surface.title.toLowerCase();
  const mayWrite = useIsAllowed(contracts.create.access);
  const { search, set, linkTo, isFiltered, clear } = useSearch(recordSearch, ["q"]);
  const restore = useRestoreRecord(path);
  const list = useList(recordPages(tenantId, path, search));
  const inBin = search.view === "bin";
  const isEmpty = list.isBare && !inBin && !isFiltered;
  const create = () => linkTo({ record: NEW }).follow();

  return (
    <Page
      title={surface.title}
      actions={
        mayWrite ? (
          !isEmpty && (
            <Button variant="primary" onClick={create}>
              <Plus aria-hidden className="size-4" />
              New {surface.noun}
            </Button>
          )
        ) : (
          <ReadOnly />
        )
      }
    >
      <div className="flex flex-wrap items-center gap-2 pb-4">
        {!isEmpty && (
          <SearchField
            label={`Search ${name}`}
            value={search.q}
            onChange={(q) => set({ q: q || null })}
          />
        )}
        <Segmented
          label="Show"
          value={search.view ?? "active"}
          options={VIEWS}
          onChange={(view) => set({ view: view === "bin" ? "bin" : null })}
        />
      </div>
      <ListBody
        list={list}
        skeleton={<RecordSkeleton label={name} />}
        bare={
          isFiltered ? (
            <NoRecordMatches onClear={clear} />
          ) : inBin ? (
            <BinEmpty />
          ) : (
            <RecordsEmpty surface={surface} onCreate={mayWrite ? create : undefined} />
          )
        }
      >
        {() => (
          <RecordTable
            path={path}
            records={list.items}
            stale={list.isStale}
            linkTo={linkTo}
            onRestore={inBin ? restore.start : undefined}
          />
        )}
      </ListBody>
      <RecordPanel
        path={path}
        id={search.record}
        deleted={inBin}
        onClose={() => set({ record: null })}
        onCreated={(record) => set({ record })}
      />
    </Page>
  );
}
