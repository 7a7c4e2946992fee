"use client";

import { Plus, Scale, SearchX } from "lucide-react";
import { FormPanel } from "#components/kit/form-panel.tsx";
import { ListBody } from "#components/kit/list-body.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { ReadOnly } from "#components/kit/read-only.tsx";
import { useList } from "#components/kit/use-list.ts";
import { useSearch } from "#components/kit/use-search.ts";
import { Button } from "#components/ui/button.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { createReconciliationContract } from "#lib/reconciliations/contract.ts";
import { reconciliationPages } from "./queries.ts";
import { ReconciliationFilters } from "./reconciliation-filters.tsx";
import { CreateReconciliation } from "./reconciliation-form.tsx";
import { ReconciliationSkeleton } from "./reconciliation-skeleton.tsx";
import { ReconciliationTable } from "./reconciliation-table.tsx";
import { reconciliationSearch } from "./search.ts";

export function ReconciliationList() {
  const tenantId = useTenantId();
  const mayCreate = useIsAllowed(createReconciliationContract.access);
  const { search, set, linkTo, isFiltered, clear } = useSearch(reconciliationSearch, [
    "status",
    "period_from",
    "period_to",
  ]);
  const list = useList(reconciliationPages(tenantId, search));
  const isEmpty = list.isBare && !isFiltered;
  const stop = () => set({ new: null });
  const create = mayCreate && (
    <Button variant="primary" onClick={linkTo({ new: true }).follow}>
      <Plus aria-hidden className="size-4" />
      New reconciliation
    </Button>
  );

  return (
    <Page title="Reconciliations" actions={mayCreate ? !isEmpty && create : <ReadOnly />}>
      {!isEmpty && (
        <ReconciliationFilters search={search} onChange={set} onClear={isFiltered && clear} />
      )}
      <ListBody
        list={list}
        skeleton={<ReconciliationSkeleton />}
        bare={
          isFiltered ? (
            <Notice
              icon={SearchX}
              title="No matching reconciliations"
              action={<Button onClick={clear}>Clear filters</Button>}
            >
              Try another status or period.
            </Notice>
          ) : (
            <Notice icon={Scale} title="No reconciliations yet" action={create}>
              A reconciliation compares two sources over a period. Whatever doesn't match becomes an
              exception. {!mayCreate && "An admin or a lead can create the first one."}
            </Notice>
          )
        }
      >
        {() => <ReconciliationTable items={list.items} stale={list.isStale} />}
      </ListBody>
      <FormPanel open={search.new === true && mayCreate} label="New reconciliation" onClose={stop}>
        <CreateReconciliation />
      </FormPanel>
    </Page>
  );
}
