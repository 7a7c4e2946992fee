"use client";

import { useQuery } from "@tanstack/react-query";
import { ChevronDown, Pencil } from "lucide-react";
import { useState } from "react";
import { isRefusal } from "#components/api-client.ts";
import type { Tenant } from "#components/shell/member.ts";
import { PageHeader } from "#components/shell/page-header.tsx";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Fact } from "#components/ui/fact.tsx";
import { Menu, MenuChoice } from "#components/ui/menu.tsx";
import { ProblemNotice } from "#components/ui/problem-notice.tsx";
import { SidePanel } from "#components/ui/side-panel.tsx";
import { Time } from "#components/ui/time.tsx";
import { type Reconciliation, updateReconciliationContract } from "#lib/reconciliations/contract.ts";
import { allows, type Role } from "#lib/wire/access.ts";
import { RECONCILIATION_MOVES } from "#lib/wire/facts.gen.ts";
import { ExceptionsOf } from "./exceptions-of.tsx";
import { reconciliationByIdQuery } from "./queries.ts";
import { ReconciliationForm } from "./reconciliation-form.tsx";
import { ReconciliationsSkeleton } from "./reconciliation-states.tsx";
import { useUpdateReconciliation } from "./use-reconciliations.ts";
import { matchedShare, periodOf, STATUS_WORDS, StatusLabel } from "./words.tsx";

type Props = { tenant: Tenant; id: string; roles: readonly Role[] };

export function ReconciliationPage({ tenant, id, roles }: Props) {
  const { data, error, refetch } = useQuery(reconciliationByIdQuery(tenant.id, id));
  const list = { name: "Reconciliations", href: `/${tenant.id}/reconciliations` };
  return (
    <>
      <PageHeader tenantName={tenant.name} parent={list} title={data?.name ?? "Reconciliation"}>
        {data && allows(updateReconciliationContract.access, { type: "user", roles }) && (
          <Actions tenantId={tenant.id} reconciliation={data} />
        )}
      </PageHeader>
      <div className="px-4 pb-10 sm:px-6">
        {error && (!data || isRefusal(error)) ? (
          <ProblemNotice error={error} onRetry={() => refetch()} />
        ) : data ? (
          <>
            <Figures reconciliation={data} />
            <Facts reconciliation={data} />
            <ExceptionsOf tenantId={tenant.id} id={id} />
          </>
        ) : (
          <ReconciliationsSkeleton />
        )}
      </div>
    </>
  );
}

function Actions({ tenantId, reconciliation }: { tenantId: string; reconciliation: Reconciliation }) {
  const { status } = reconciliation;
  const [editing, setEditing] = useState(false);
  const update = useUpdateReconciliation(tenantId, reconciliation.id);
  const moves = [status, ...RECONCILIATION_MOVES[status]];
  const stop = () => {
    setEditing(false);
    update.reset();
  };
  return (
    <div className="flex flex-wrap gap-2 max-sm:pt-2">
      {moves.length > 1 && (
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
            options={moves.map((value) => ({ value, label: <StatusLabel status={value} /> }))}
            onChange={(chosen) =>
              chosen !== status && update.mutate({ patch: { status: chosen }, done: `Status is now ${STATUS_WORDS[chosen].toLowerCase()}` })
            }
          />
        </Menu>
      )}
      <Button onClick={() => setEditing(true)}>
        <Pencil aria-hidden className="size-4 text-muted" />
        Edit
      </Button>
      <SidePanel open={editing} onClose={stop} side="right" label={`Edit ${reconciliation.name}`}>
        <h2 className="px-6 pb-4 text-xl font-semibold tracking-tight wrap-break-word">{reconciliation.name}</h2>
        {editing && (
          <ReconciliationForm
            initial={reconciliation}
            submit="Save changes"
            busy={update.isPending}
            error={update.error}
            onSubmit={({ status: _, ...patch }) => update.mutate({ patch, done: "Saved" }, { onSuccess: stop })}
          />
        )}
      </SidePanel>
    </div>
  );
}

function Figures({ reconciliation }: { reconciliation: Reconciliation }) {
  const { matched_count, unmatched_count, open_exceptions } = reconciliation;
  const figures = [
    ["Matched", matched_count.toLocaleString("en")],
    ["Unmatched", unmatched_count.toLocaleString("en")],
    ["Matched share", matchedShare(reconciliation) ?? "–"],
    ["Open exceptions", open_exceptions.toLocaleString("en")],
  ] as const;
  return (
    <dl className="grid grid-cols-2 gap-3 md:grid-cols-4">
      {figures.map(([name, value]) => (
        <div key={name} className="rounded-lg border border-line bg-raised px-4 py-3 shadow-raised">
          <dt className="text-sm font-medium text-muted">{name}</dt>
          <dd className="text-2xl font-semibold tracking-tight tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Facts({ reconciliation }: { reconciliation: Reconciliation }) {
  return (
    <dl className="grid grid-cols-[8rem_minmax(0,1fr)] gap-y-2 py-6 text-sm">
      <Fact name="Status">
        <StatusLabel status={reconciliation.status} />
      </Fact>
      <Fact name="Period">{periodOf(reconciliation)}</Fact>
      <Fact name="Left source">
        <code className="font-mono text-xs">{reconciliation.left_source}</code>
      </Fact>
      <Fact name="Right source">
        <code className="font-mono text-xs">{reconciliation.right_source}</code>
      </Fact>
      <Fact name="Created">
        <Time iso={reconciliation.created_at} /> by {reconciliation.created_by.replace(/^user:/, "")}
      </Fact>
      <Fact name="Last changed">
        <Time iso={reconciliation.updated_at} />
      </Fact>
    </dl>
  );
}
