"use client";

import { useQuery } from "@tanstack/react-query";
import { isRefusal } from "#components/api-client.ts";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { matchedShare } from "../labels.tsx";
import { reconciliationById } from "../queries.ts";
import { PeriodLocked } from "./workbench-notices.tsx";
import { WorkbenchPanes } from "./workbench-panes.tsx";
import { WorkbenchSkeleton } from "./workbench-skeleton.tsx";

/** The page on which open lines are decided: both sides, the suggestions, and the difference. */
export function WorkbenchPage({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(reconciliationById(useTenantId(), id));
  return (
    <Page
      parent={{ name: data?.name ?? "Reconciliation", path: `reconciliations/${id}` }}
      title="Workbench"
      actions={data && data.closed_at === null && <Progress reconciliation={data} />}
    >
      {error && (!data || isRefusal(error)) ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : data && (data.closing || data.closed_at) ? (
        <PeriodLocked reconciliation={data} />
      ) : data ? (
        <WorkbenchPanes reconciliation={data} />
      ) : (
        <WorkbenchSkeleton />
      )}
    </Page>
  );
}

function Progress({ reconciliation }: { reconciliation: Reconciliation }) {
  const tenant = useTenantId();
  const share = matchedShare(reconciliation);
  const open = reconciliation.unmatched_count;
  if (share === null) return null;
  return (
    <p className="text-sm text-muted tabular-nums">
      {open === 1 ? "1 open line" : `${open.toLocaleString("en")} open lines`} ·{" "}
      <PrefetchLink
        href={`/${tenant}/reconciliations/${reconciliation.id}/matches?state=confirmed`}
        className="underline underline-offset-2"
      >
        {share} matched
      </PrefetchLink>
    </p>
  );
}
