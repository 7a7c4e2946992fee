"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { useEffect, useRef } from "react";
import { callApi } from "#components/api-client.ts";
import { Card } from "#components/kit/card.tsx";
import { PartSkeleton } from "#components/kit/list-skeleton.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { ActorName } from "#components/people/actor-name.tsx";
import { Button } from "#components/ui/button.tsx";
import { Note } from "#components/ui/note.tsx";
import { pluralize } from "#components/ui/pluralize.ts";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import { createRunContract, type Run } from "#lib/matching/runs/contract.ts";
import type { Reconciliation } from "#lib/reconciliations/contract.ts";
import { reconciliationsKey, runsOfReconciliation } from "../queries.ts";
import { suggestionsKey } from "../workbench/queries.ts";
import { CLOSING_ID } from "./closing.tsx";
import { PREPARING_ID } from "./preparing.tsx";
import { formatElapsed, runsOf, stageLabel } from "./run-labels.ts";
import { RunWaterfall } from "./run-waterfall.tsx";

/** The period's last run, or the one in progress; starts another. */
export function RunCard({ reconciliation }: { reconciliation: Reconciliation }) {
  const tenant = useTenantId();
  const { data, error, refetch } = useQuery(runsOfReconciliation(tenant, reconciliation.id));
  const { current, last } = runsOf(data?.items ?? []);
  const { preparing, closing } = reconciliation;
  useRefreshAfter(data && `${last?.id} ${preparing} ${closing}`);
  const open = reconciliation.closed_at === null && reconciliation.status !== "archived";
  return (
    <Card
      title="Matching"
      hint={last ? <LastRun run={last} /> : "What each rule matched"}
      aside={
        open && data && <StartRun reconciliation={reconciliation} busy={current !== undefined} />
      }
    >
      {!data && error ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : !data ? (
        <PartSkeleton
          label="Loading the runs"
          bars={["h-5 w-full", "h-5 w-11/12", "h-5 w-10/12", "h-5 w-9/12", "h-5 w-8/12"]}
        />
      ) : (
        <>
          {current && <Progress run={current} preparing={preparing} />}
          {last?.status === "failed" && (
            <Note tone="danger">
              The last run failed. {last.failure}{" "}
              <span className="block font-mono text-xs">{last.id}</span>
            </Note>
          )}
          {last ? (
            <RunWaterfall run={last} reconciliation={reconciliation} />
          ) : (
            !current && (
              <p className="py-6 text-center text-sm text-muted">
                No run yet. A run starts when lines arrive, or when you start one.
              </p>
            )
          )}
          {last && last.exceptions_held_back > 0 && (
            <Note tone="warning">
              {pluralize(last.exceptions_held_back, "exception was", "exceptions were")} held back
              by the limit of one run. The next run opens the rest.
            </Note>
          )}
        </>
      )}
    </Card>
  );
}

function StartRun({
  reconciliation: { id, preparing, closing },
  busy,
}: {
  reconciliation: Reconciliation;
  busy: boolean;
}) {
  const tenant = useTenantId();
  const mayRun = useIsAllowed(createRunContract.access);
  const start = useMutate({
    send: (_: undefined, idempotencyKey) =>
      callApi(createRunContract, { tenant, params: { id }, body: {}, idempotencyKey }),
    failed: "Couldn't start a run",
    stale: reconciliationsKey(tenant),
  });
  if (!mayRun) return null;
  const waitsFor = preparing ? PREPARING_ID : closing ? CLOSING_ID : undefined;
  return (
    <Button
      size="sm"
      disabled={busy || waitsFor !== undefined || start.isPending}
      aria-describedby={waitsFor}
      onClick={() => start.start(undefined)}
    >
      <Play aria-hidden className="size-4 text-muted" />
      Run now
    </Button>
  );
}

function LastRun({ run }: { run: Run }) {
  return (
    <>
      Last run{" "}
      <ActorName
        iso={run.finished_at ?? run.created_at}
        actor={run.created_by === "system" ? null : run.created_by}
      />
      {run.duration_ms !== null && ` · ${formatElapsed(run.duration_ms)}`}
      {` · ${run.rules_version === 0 || run.rules_version === null ? "default rules" : `rules version ${run.rules_version}`}`}
    </>
  );
}

function Progress({
  run: { status, stage, lines_done, lines_total },
  preparing,
}: {
  run: Run;
  preparing: boolean;
}) {
  const waitsFor = preparing ? "Waiting for the lines…" : "Waiting for its turn…";
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex flex-wrap justify-between gap-x-4 text-sm">
        <span role="status">{status === "queued" ? waitsFor : `${stageLabel(stage)}…`}</span>
        {lines_total > 0 && (
          <span className="text-muted tabular-nums">
            {lines_done.toLocaleString("en")} of {lines_total.toLocaleString("en")} lines
          </span>
        )}
      </div>
      <ProgressBar label="Progress of the run" value={lines_done} max={Math.max(1, lines_total)} />
    </div>
  );
}

/**
 * Refreshes the data that a run, preparing or closing changes, when it ends. `ended`: changes at
 * each end; undefined while unknown.
 */
function useRefreshAfter(ended: string | undefined): void {
  const cache = useQueryClient();
  const tenant = useTenantId();
  const before = useRef(ended);
  useEffect(() => {
    if (before.current !== undefined && before.current !== ended)
      for (const queryKey of [reconciliationsKey(tenant), suggestionsKey(tenant)])
        cache.invalidateQueries({ queryKey });
    before.current = ended;
  }, [cache, ended, tenant]);
}
