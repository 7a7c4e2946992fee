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
import { SidePanel } from "#components/ui/side-panel.tsx";
import { createReconciliationContract, type Reconciliation } from "#lib/reconciliations/contract.ts";
import { allows, type Role } from "#lib/wire/access.ts";
import { reconciliationPagesQuery } from "./queries.ts";
import { ReconciliationFilters } from "./reconciliation-filters.tsx";
import { ReconciliationForm } from "./reconciliation-form.tsx";
import { ReconciliationsEmpty, ReconciliationsNoMatch, ReconciliationsSkeleton } from "./reconciliation-states.tsx";
import { ReconciliationTable } from "./reconciliation-table.tsx";
import { NO_FILTERS, type ReconciliationSearch, reconciliationSearch } from "./search.ts";
import { useCreateReconciliation } from "./use-reconciliations.ts";

export function ReconciliationsPage({ tenant, roles }: { tenant: Tenant; roles: readonly Role[] }) {
  const [search, setSearch] = useQueryStates(reconciliationSearch);
  const create = useCreateReconciliation(tenant.id);
  const pages = useInfiniteQuery(reconciliationPagesQuery(tenant.id, search));
  const isEmpty = pages.data?.pages[0]?.items.length === 0 && !pages.isPlaceholderData && !isFiltered(search);
  const mayCreate = allows(createReconciliationContract.access, { type: "user", roles });
  const startNew = mayCreate ? () => setSearch({ new: true }, { history: "push" }) : undefined;
  const stopNew = () => {
    setSearch({ new: null });
    create.reset();
  };

  return (
    <>
      <PageHeader tenantName={tenant.name} title="Reconciliations">
        {startNew ? (
          !isEmpty && (
            <Button variant="primary" onClick={startNew}>
              <Plus aria-hidden className="size-4" />
              New reconciliation
            </Button>
          )
        ) : (
          <p className="text-sm text-muted">You can read these. Ask an admin or a lead for changes.</p>
        )}
      </PageHeader>
      <div className="px-4 pb-10 sm:px-6">
        {!isEmpty && <ReconciliationFilters search={search} onChange={setSearch} />}
        <Reconciliations
          tenantId={tenant.id}
          pages={pages}
          filtered={isFiltered(search)}
          onClear={() => setSearch(NO_FILTERS)}
          onCreate={startNew}
        />
      </div>
      <SidePanel open={Boolean(search.new) && startNew !== undefined} onClose={stopNew} side="right" label="New reconciliation" asks>
        <h2 className="px-6 pb-4 text-xl font-semibold tracking-tight">New reconciliation</h2>
        {search.new && (
          <ReconciliationForm
            submit="Create"
            busy={create.isPending}
            error={create.error}
            onSubmit={(fields) => create.mutate(fields, { onSuccess: stopNew })}
          />
        )}
      </SidePanel>
    </>
  );
}

function Reconciliations({
  tenantId,
  pages,
  filtered,
  onClear,
  onCreate,
}: {
  tenantId: string;
  pages: UseInfiniteQueryResult<InfiniteData<{ items: Reconciliation[] }>>;
  filtered: boolean;
  onClear: () => void;
  onCreate?: () => void;
}) {
  const { data, error } = pages;
  if (error && (!data || isRefusal(error))) return <ProblemNotice error={error} onRetry={() => pages.refetch()} />;
  if (!data) return <ReconciliationsSkeleton />;

  const items = data.pages.flatMap((page) => page.items);
  if (items.length === 0) {
    return filtered ? <ReconciliationsNoMatch onClear={onClear} /> : <ReconciliationsEmpty onCreate={onCreate} />;
  }
  return (
    <>
      <ReconciliationTable tenantId={tenantId} items={items} stale={pages.isPlaceholderData} />
      <LoadMore shown={items.length} pages={pages} />
    </>
  );
}

function isFiltered({ status, period_from, period_to }: ReconciliationSearch): boolean {
  return status !== null || period_from !== null || period_to !== null;
}
