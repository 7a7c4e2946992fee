"use client";

import { useQuery } from "@tanstack/react-query";
import { isRefusal } from "#components/api-client.ts";
import { ListSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { reconciliationById } from "../queries.ts";
import { Bench } from "./bench.tsx";

/** Where what a run left open is decided: both sides, what is suggested, and the difference. */
export function WorkbenchPage({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(reconciliationById(useTenantId(), id));
  return (
    <Page parent={{ name: data?.name ?? "Reconciliation", path: `reconciliations/${id}` }} title="Workbench">
      {error && (!data || isRefusal(error)) ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : data ? (
        <Bench reconciliation={data} />
      ) : (
        <WorkbenchSkeleton />
      )}
    </Page>
  );
}

export function WorkbenchSkeleton() {
  return (
    <ListSkeleton
      label="Loading open lines"
      filters={["w-60", "w-32"]}
      count={9}
      row="h-14 gap-4 px-4"
      cells={["w-1/4", "w-1/6", "ml-auto w-20"]}
    />
  );
}
