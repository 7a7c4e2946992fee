"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ChevronDown, Pencil } from "lucide-react";
import dynamic from "next/dynamic";
import { type ReactNode, useState } from "react";
import { callApi, isRefusal } from "#components/api-client.ts";
import { Card } from "#components/kit/card.tsx";
import { CodeFact, Fact, Facts } from "#components/kit/facts.tsx";
import { Figure, Figures } from "#components/kit/figures.tsx";
import { FormPanel } from "#components/kit/form-panel.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { Page } from "#components/kit/page.tsx";
import { useIsAllowed } from "#components/kit/permissions.ts";
import { ProblemNotice } from "#components/kit/problem-notice.tsx";
import { useMutate } from "#components/kit/use-mutate.ts";
import { ActorName } from "#components/people/actor-name.tsx";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Menu, MenuChoice } from "#components/ui/menu.tsx";
import { Time } from "#components/ui/time.tsx";
import { toast } from "#components/ui/toast.ts";
import {
  type Reconciliation,
  type ReconciliationStatus,
  updateReconciliationContract,
} from "#lib/reconciliations/contract.ts";
import { RECONCILIATION_MOVES } from "#lib/wire/facts.gen.ts";
import { periodOf } from "#lib/wire/period-name.ts";
import { matchedShare, STATUS_LABELS, StatusLabel } from "./labels.tsx";
import { CLOSING_ID } from "./matching/closing.tsx";
import { MatchingOverview } from "./matching/matching-overview.tsx";
import { PeriodActions } from "./matching/period-actions.tsx";
import { reconciliationById, reconciliationsKey } from "./queries.ts";
import { ReconciliationSkeleton } from "./reconciliation-skeleton.tsx";

const EvidenceList = dynamic(
  () => import("#components/evidence/evidence-list.tsx").then((part) => part.EvidenceList),
  { ssr: false },
);
const EditReconciliation = dynamic(
  () => import("./reconciliation-form.tsx").then((part) => part.EditReconciliation),
  { ssr: false },
);

/** `children`: its exceptions. */
export function ReconciliationPage({ id, children }: { id: string; children: ReactNode }) {
  const { data, error, refetch } = useQuery(reconciliationById(useTenantId(), id));
  const mayWrite = useIsAllowed(updateReconciliationContract.access);
  return (
    <Page
      parent={{ name: "Reconciliations", path: "reconciliations" }}
      title={data?.name ?? "Reconciliation"}
      actions={
        data && (
          <div className="flex flex-wrap gap-2 max-sm:pt-2">
            {mayWrite && <Actions reconciliation={data} />}
            {data.left_source_id && <PeriodActions reconciliation={data} />}
          </div>
        )
      }
    >
      {error && (!data || isRefusal(error)) ? (
        <ProblemNotice error={error} onRetry={() => refetch()} />
      ) : data ? (
        <>
          {data.left_source_id ? (
            <MatchingOverview reconciliation={data} />
          ) : (
            <Summary reconciliation={data} />
          )}
          <div className="pb-8">
            <Card title="Evidence" hint="Files that show why this period is right.">
              <EvidenceList subjectId={id} />
            </Card>
          </div>
          {children}
        </>
      ) : (
        <ReconciliationSkeleton />
      )}
    </Page>
  );
}

function Actions({
  reconciliation: { name, closing },
  reconciliation,
}: {
  reconciliation: Reconciliation;
}) {
  const [editing, setEditing] = useState(false);
  const stop = () => setEditing(false);
  return (
    <>
      {!closing && <StatusMenu reconciliation={reconciliation} moves={movesOf(reconciliation)} />}
      <Button
        disabled={closing}
        aria-describedby={closing ? CLOSING_ID : undefined}
        onClick={() => setEditing(true)}
      >
        <Pencil aria-hidden className="size-4 text-muted" />
        Edit
      </Button>
      <FormPanel open={editing} label={`Edit ${name}`} onClose={stop}>
        <EditReconciliation initial={reconciliation} onDone={stop} />
      </FormPanel>
    </>
  );
}

/** A reconciliation with sources is completed by closing it, and continued by reopening it. */
function movesOf({ status, left_source_id }: Reconciliation): readonly ReconciliationStatus[] {
  const moves = RECONCILIATION_MOVES[status];
  return left_source_id === null
    ? moves
    : moves.filter((to) => to !== "completed" && status !== "completed");
}

function StatusMenu({
  reconciliation: { id, status },
  moves,
}: {
  reconciliation: Reconciliation;
  moves: readonly ReconciliationStatus[];
}) {
  const tenant = useTenantId();
  const cache = useQueryClient();
  const move = useMutate({
    send: (to: ReconciliationStatus) =>
      callApi(updateReconciliationContract, { tenant, params: { id }, body: { status: to } }),
    onDone: (moved) => {
      cache.setQueryData(reconciliationById(tenant, id).queryKey, moved);
      toast(`Status is now ${STATUS_LABELS[moved.status].toLowerCase()}`, {
        description: moved.name,
      });
    },
    failed: "Couldn't save",
    stale: reconciliationsKey(tenant),
  });
  if (moves.length === 0) return null;
  return (
    <Menu
      label="Status"
      align="end"
      triggerClass={buttonClass()}
      trigger={
        <>
          <span className="sr-only">Status: </span>
          <StatusLabel status={status} />
          <ChevronDown aria-hidden className="size-3.5 text-muted" />
        </>
      }
    >
      <MenuChoice
        label="Status"
        value={status}
        options={[status, ...moves].map((value) => ({
          value,
          label: <StatusLabel status={value} />,
        }))}
        onChange={(chosen) => chosen !== status && move.start(chosen)}
      />
    </Menu>
  );
}

function Summary({ reconciliation }: { reconciliation: Reconciliation }) {
  const { matched_count, unmatched_count, open_exceptions, status, left_source, right_source } =
    reconciliation;
  return (
    <div className="flex flex-col gap-6 pb-6">
      <Figures>
        <Figure name="Matched" value={matched_count.toLocaleString("en")} />
        <Figure name="Unmatched" value={unmatched_count.toLocaleString("en")} />
        <Figure name="Match rate" value={matchedShare(reconciliation) ?? "–"} />
        <Figure name="Open exceptions" value={open_exceptions.toLocaleString("en")} />
      </Figures>
      <Facts>
        <Fact name="Status">
          <StatusLabel status={status} />
        </Fact>
        <Fact name="Period">{periodOf(reconciliation)}</Fact>
        <CodeFact name="Left source" value={left_source} />
        <CodeFact name="Right source" value={right_source} />
        <Fact name="Created">
          <ActorName iso={reconciliation.created_at} actor={reconciliation.created_by} />
        </Fact>
        <Fact name="Last changed">
          <Time iso={reconciliation.updated_at} />
        </Fact>
      </Facts>
    </div>
  );
}
