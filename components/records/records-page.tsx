"use client";

import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useQueryStates } from "nuqs";
import { isRefusal } from "#components/api-client.ts";
import type { Tenant } from "#components/shell/member.ts";
import { PageHeader } from "#components/shell/page-header.tsx";
import { Button } from "#components/ui/button.tsx";
import { LoadMore } from "#components/ui/load-more.tsx";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { SearchField } from "#components/ui/search-field.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import type { StoredRecord } from "#lib/records/contract.ts";
import type { Role } from "#lib/wire/access.ts";
import { permissionsOf } from "./permissions.ts";
import { recordPagesQuery } from "./queries.ts";
import { RecordPanel } from "./record-panel.tsx";
import { BinEmpty, RecordsEmpty, RecordsNoMatch, RecordsSkeleton } from "./record-states.tsx";
import { RecordTable } from "./record-table.tsx";
import { type RecordSearch, recordSearch, serializeRecordSearch } from "./search.ts";
import { surfaceOf } from "./surface.ts";
import { useRestoreRecord } from "./use-records.ts";

const VIEWS = [
  { value: "active", label: "Active" },
  { value: "bin", label: "Bin" },
] as const;

/** The records of one surface: search, create, read, change, delete, the bin. */
export function RecordsPage({ tenant, path, roles }: { tenant: Tenant; path: string; roles: readonly Role[] }) {
  const { surface, contracts } = surfaceOf(path);
  const permissions = permissionsOf(contracts, roles);
  const [search, setSearch] = useQueryStates(recordSearch);
  const restore = useRestoreRecord(tenant.id, path);
  const pages = useInfiniteQuery(recordPagesQuery(tenant.id, path, search));
  const isEmpty = pages.data?.pages[0]?.items.length === 0 && !pages.isPlaceholderData && search.view !== "bin" && search.q.trim() === "";
  const open = (record: string | null) => setSearch({ record }, { history: "push" });

  return (
    <>
      <PageHeader tenantName={tenant.name} title={surface.title}>
        {permissions.write ? (
          !isEmpty && (
            <Button variant="primary" onClick={() => open("new")}>
              <Plus aria-hidden className="size-4" />
              New {surface.noun}
            </Button>
          )
        ) : (
          <p className="text-sm text-muted">You can read these. Ask an admin or a lead for changes.</p>
        )}
      </PageHeader>
      <div className="px-4 pb-10 sm:px-6">
        <div className="flex flex-wrap items-center gap-2 pb-4">
          {!isEmpty && (
            <SearchField label={`Search ${surface.title.toLowerCase()}`} value={search.q} onChange={(q) => setSearch({ q: q || null })} />
          )}
          <Segmented
            label="Show"
            value={search.view ?? "active"}
            options={VIEWS}
            onChange={(view) => setSearch({ view: view === "bin" ? "bin" : null })}
          />
        </div>
        <Records
          pages={pages}
          path={path}
          search={search}
          onOpen={open}
          onClear={() => setSearch({ q: null })}
          onCreate={permissions.write ? () => open("new") : undefined}
          onRestore={restore.mutate}
        />
      </div>
      <RecordPanel
        tenantId={tenant.id}
        path={path}
        id={search.record}
        deleted={search.view === "bin"}
        permissions={permissions}
        onClose={() => setSearch({ record: null })}
        onCreated={(record) => setSearch({ record })}
      />
    </>
  );
}

function Records({
  pages,
  path,
  search,
  onOpen,
  onClear,
  onCreate,
  onRestore,
}: {
  pages: UseInfiniteQueryResult<InfiniteData<{ items: StoredRecord[] }>>;
  path: string;
  search: RecordSearch;
  onOpen: (id: string) => void;
  onClear: () => void;
  onCreate?: () => void;
  onRestore: Parameters<typeof RecordTable>[0]["onRestore"];
}) {
  const { surface } = surfaceOf(path);
  const { data, error } = pages;
  const inBin = search.view === "bin";
  if (error && (!data || pages.isPlaceholderData || isRefusal(error))) {
    return <ProblemNotice error={error} onRetry={() => pages.refetch()} />;
  }
  if (!data) return <RecordsSkeleton label={surface.title.toLowerCase()} />;

  const records = data.pages.flatMap(({ items }) => items);
  if (records.length === 0) {
    if (pages.isPlaceholderData) return <RecordsSkeleton label={surface.title.toLowerCase()} />;
    if (search.q.trim() !== "") return <RecordsNoMatch onClear={onClear} />;
    return inBin ? <BinEmpty /> : <RecordsEmpty surface={surface} onCreate={onCreate} />;
  }
  return (
    <>
      <RecordTable
        path={path}
        records={records}
        stale={pages.isPlaceholderData}
        hrefOf={(record) => serializeRecordSearch({ ...search, record })}
        onOpen={onOpen}
        onRestore={inBin ? onRestore : undefined}
      />
      <LoadMore shown={records.length} pages={pages} />
    </>
  );
}
