"use client";

import { ChevronDown, RotateCcw } from "lucide-react";
import dynamic from "next/dynamic";
import type { ReactNode } from "react";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { Fact, IdentifierFact } from "#components/ui/fact.tsx";
import { Menu, MenuChoice } from "#components/ui/menu.tsx";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { useServerTime } from "#components/ui/server-clock.ts";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { Time } from "#components/ui/time.tsx";
import { type Exception, OPEN_STATUSES } from "#lib/exceptions/contract.ts";
import { Assignee, assigneeName } from "./assignee.tsx";
import { AssigneePicker } from "./assignee-picker.tsx";
import { CloseForm } from "./close-form.tsx";
import { breachRisk, countdown, minutesToBreach } from "./deadline.ts";
import { formatMoney } from "./money.ts";
import { RiskBadge } from "./risk-badge.tsx";
import { useUpdateException } from "./use-update-exception.ts";
import { SeverityLabel, STATUS_WORDS, StatusLabel } from "./words.tsx";

// Each has a boundary of its own: without one, the whole panel would stand aside until it is there.
const ExceptionHistory = dynamic(() => import("./exception-history.tsx").then((part) => part.ExceptionHistory), { loading: Waiting });
const ExceptionLedger = dynamic(() => import("./exception-ledger.tsx").then((part) => part.ExceptionLedger), { loading: Waiting });

/** `self`: the reader as an assignee. */
export function ExceptionDetails({ tenantId, exception, self }: { tenantId: string; exception: Exception; self: string }) {
  const { mutate } = useUpdateException(tenantId, exception.id);
  const isOpen = exception.closed_at === null;
  return (
    <div className="flex flex-col gap-6 px-6 pb-8">
      <div className="flex flex-col gap-2">
        {isOpen && <Clock dueAt={exception.due_at} />}
        <h2 className="text-xl font-semibold tracking-tight text-pretty">{exception.title}</h2>
      </div>

      <div className="flex flex-wrap gap-2">
        {isOpen ? (
          <Picker
            label="Status"
            value={exception.status}
            options={OPEN_STATUSES.map((status) => ({ value: status, label: <StatusLabel status={status} /> }))}
            onChange={(status) => mutate({ patch: { status }, done: `Status is now ${STATUS_WORDS[status].toLowerCase()}` })}
          >
            <StatusLabel status={exception.status} />
          </Picker>
        ) : (
          <Button size="sm" onClick={() => mutate({ patch: { status: "open" }, done: "Reopened" })}>
            <RotateCcw aria-hidden className="size-4 text-muted" />
            Reopen
          </Button>
        )}
        <AssigneePicker
          tenantId={tenantId}
          self={self}
          value={exception.assigned_to}
          triggerClass={buttonClass({ size: "sm" })}
          trigger={
            <>
              <span className="sr-only">Assignee: </span>
              <Assignee reference={exception.assigned_to} />
              <ChevronDown aria-hidden className="size-3.5 text-muted" />
            </>
          }
          onChange={(assigned_to) =>
            mutate({ patch: { assigned_to }, done: assigned_to ? `Assigned to ${assigneeName(assigned_to)}` : "Nobody is assigned now" })
          }
        />
      </div>

      <dl className="grid grid-cols-[8rem_minmax(0,1fr)] gap-y-2.5 border-t border-line pt-5 text-sm">
        {!isOpen && (
          <Fact name="Status">
            <StatusLabel status={exception.status} />
          </Fact>
        )}
        {exception.resolution && <Fact name="Resolution">{exception.resolution}</Fact>}
        <Fact name="Severity">
          <SeverityLabel severity={exception.severity} />
        </Fact>
        <Fact name="Due">
          <Time iso={exception.due_at} />
        </Fact>
        {exception.amount_minor !== null && exception.currency !== null && (
          <Fact name="Money at risk">{formatMoney(exception.amount_minor, exception.currency)}</Fact>
        )}
        {exception.reason_code && (
          <Fact name="Reason">
            <code className="font-mono text-xs">{exception.reason_code}</code>
          </Fact>
        )}
        {exception.reconciliation_id && (
          <Fact name="Reconciliation">
            <PrefetchLink
              href={`/${tenantId}/reconciliations/${exception.reconciliation_id}`}
              className="block truncate font-mono text-xs leading-5 text-accent-text hover:underline"
            >
              {exception.reconciliation_id}
            </PrefetchLink>
          </Fact>
        )}
        <IdentifierFact name="Identifier" value={exception.id} />
        <Fact name="Created">
          <Time iso={exception.created_at} /> by {assigneeName(exception.created_by)}
        </Fact>
        <Fact name="Last changed">
          <Time iso={exception.updated_at} />
        </Fact>
        {exception.closed_at && (
          <Fact name="Closed">
            <Time iso={exception.closed_at} />
          </Fact>
        )}
      </dl>

      {Object.keys(exception.details).length > 0 && (
        <section className="flex flex-col gap-2">
          <h3 className="text-sm font-medium">Details</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <pre tabIndex={0} className="max-h-80 overflow-auto rounded-md border border-line bg-canvas p-3 font-mono text-xs leading-5">
            {JSON.stringify(exception.details, null, 2)}
          </pre>
        </section>
      )}

      <div className="flex flex-col gap-2">
        <Disclosure title="History">
          <ExceptionHistory tenantId={tenantId} id={exception.id} />
        </Disclosure>
        <Disclosure title="How its clock ran">
          <ExceptionLedger tenantId={tenantId} id={exception.id} />
        </Disclosure>
      </div>

      {isOpen && <CloseForm onClose={(status, resolution) => mutate({ patch: { status, resolution }, done: STATUS_WORDS[status] })} />}
    </div>
  );
}

function Waiting() {
  return <Skeleton className="h-16 w-full" />;
}

function Clock({ dueAt }: { dueAt: string }) {
  const now = new Date().toISOString();
  const risk = useServerTime((at) => breachRisk(minutesToBreach(dueAt, at)), now);
  const left = useServerTime((at) => countdown(dueAt, at), now);
  return (
    <p data-risk={risk} className="flex items-center gap-2.5">
      <RiskBadge risk={risk} />
      <span className="font-semibold text-risk-text tabular-nums">{left}</span>
    </p>
  );
}

function Picker<Value extends string>({
  label,
  children,
  ...choice
}: {
  label: string;
  value: Value;
  options: { value: Value; label: ReactNode }[];
  onChange: (value: Value) => void;
  children: ReactNode;
}) {
  return (
    <Menu
      label={label}
      triggerClass={buttonClass({ size: "sm" })}
      trigger={
        <>
          <span className="sr-only">{label}: </span>
          {children}
          <ChevronDown aria-hidden className="size-3.5 text-muted" />
        </>
      }
    >
      <MenuChoice label={label} {...choice} />
    </Menu>
  );
}
