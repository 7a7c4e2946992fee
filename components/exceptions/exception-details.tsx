"use client";

import { ChevronDown, Pause, Play, RotateCcw } from "lucide-react";
import dynamic from "next/dynamic";
import { type ReactNode, useState } from "react";
import { CodeFact, Fact, Facts, IdentifierFact } from "#components/kit/facts.tsx";
import { useTenantId } from "#components/kit/member.tsx";
import { PanelBody, PanelHead, PanelSection, PanelTitle } from "#components/kit/panel-parts.tsx";
import { AssigneePicker } from "#components/people/assignee-picker.tsx";
import { By } from "#components/people/by.tsx";
import { Person, personName } from "#components/people/person.tsx";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { JsonView } from "#components/ui/json-view.tsx";
import { Menu, MenuChoice } from "#components/ui/menu.tsx";
import { formatMoney } from "#components/ui/money.ts";
import { PrefetchLink } from "#components/ui/prefetch-link.tsx";
import { useServerTime } from "#components/ui/server-clock.ts";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { Time } from "#components/ui/time.tsx";
import { type Exception, OPEN_STATUSES } from "#lib/exceptions/contract.ts";
import { CloseForm } from "./close-form.tsx";
import { breachRisk, countdown, duration, held, minutesToBreach } from "./deadline.ts";
import { RiskBadge } from "./risk-badge.tsx";
import { useResumeException } from "./use-resume-exception.ts";
import { useUpdateException } from "./use-update-exception.ts";
import { SeverityLabel, STATUS_WORDS, StatusLabel } from "./words.tsx";

// Each has its own boundary: otherwise the whole panel would suspend while it loads.
const ExceptionHistory = dynamic(() => import("./exception-history.tsx").then((part) => part.ExceptionHistory), { loading: Waiting });
const PauseExceptionDialog = dynamic(() => import("./pause-exception-dialog.tsx").then((part) => part.PauseExceptionDialog), {
  loading: () => null,
});
const ExceptionLine = dynamic(() => import("./exception-line.tsx").then((part) => part.ExceptionLine), { loading: Waiting });
const ExceptionLedger = dynamic(() => import("./exception-ledger.tsx").then((part) => part.ExceptionLedger), { loading: Waiting });

export function ExceptionDetails({ exception }: { exception: Exception }) {
  const tenantId = useTenantId();
  const { start: change } = useUpdateException(exception.id);
  const { start: resume } = useResumeException();
  const [pausing, setPausing] = useState(false);
  const isOpen = exception.closed_at === null;
  return (
    <PanelBody>
      <PanelHead>
        {isOpen && <Clock exception={exception} />}
        <PanelTitle>{exception.title}</PanelTitle>
      </PanelHead>

      <div className="flex flex-wrap gap-2">
        {isOpen ? (
          <Picker
            label="Status"
            value={exception.status}
            options={OPEN_STATUSES.map((status) => ({ value: status, label: <StatusLabel status={status} /> }))}
            onChange={(status) => change({ patch: { status }, done: `Status is now ${STATUS_WORDS[status].toLowerCase()}` })}
          >
            <StatusLabel status={exception.status} />
          </Picker>
        ) : (
          <Button size="sm" onClick={() => change({ patch: { status: "open" }, done: "Reopened" })}>
            <RotateCcw aria-hidden className="size-4 text-muted" />
            Reopen
          </Button>
        )}
        <AssigneePicker
          value={exception.assigned_to}
          triggerClass={buttonClass({ size: "sm" })}
          trigger={
            <>
              <span className="sr-only">Assignee: </span>
              <Person reference={exception.assigned_to} />
              <ChevronDown aria-hidden className="size-3.5 text-muted" />
            </>
          }
          onChange={(assigned_to) =>
            change({ patch: { assigned_to }, done: assigned_to ? `Assigned to ${personName(assigned_to)}` : "Unassigned" })
          }
        />
        {isOpen && (
          <Button size="sm" onClick={() => (exception.paused_at ? resume(exception.id) : setPausing(true))}>
            {exception.paused_at ? <Play aria-hidden className="size-4 text-muted" /> : <Pause aria-hidden className="size-4 text-muted" />}
            {exception.paused_at ? "Resume" : "Pause"}
          </Button>
        )}
      </div>
      {pausing && <PauseExceptionDialog id={exception.id} onClose={() => setPausing(false)} />}

      {exception.line_id && <ExceptionLine exception={exception} />}

      <Facts ruled>
        {!isOpen && (
          <Fact name="Status">
            <StatusLabel status={exception.status} />
          </Fact>
        )}
        {exception.resolution && <Fact name="Resolution">{exception.resolution}</Fact>}
        <Fact name="Severity">
          <SeverityLabel severity={exception.severity} />
        </Fact>
        <Fact name={exception.paused_at ? "Due if resumed now" : "Due"}>
          <Time iso={exception.due_at} />
        </Fact>
        {exception.business_minutes_remaining !== null && (
          <Fact name="Business time left">
            {exception.business_minutes_remaining > 0 ? duration(exception.business_minutes_remaining) : "None"}
          </Fact>
        )}
        {exception.paused_at && (
          <Fact name="Paused">
            <Time iso={exception.paused_at} />
          </Fact>
        )}
        {exception.pause_reason && <Fact name="Pause reason">{exception.pause_reason}</Fact>}
        {exception.paused_until && (
          <Fact name="Resumes">
            <Time iso={exception.paused_until} />
          </Fact>
        )}
        {exception.amount_minor !== null && exception.currency !== null && (
          <Fact name="Money at risk">{formatMoney(exception.amount_minor, exception.currency)}</Fact>
        )}
        {exception.reason_code && <CodeFact name="Reason" value={exception.reason_code} />}
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
          <By iso={exception.created_at} actor={exception.created_by} />
        </Fact>
        <Fact name="Last changed">
          <Time iso={exception.updated_at} />
        </Fact>
        {exception.closed_at && (
          <Fact name="Closed">
            <Time iso={exception.closed_at} />
          </Fact>
        )}
      </Facts>

      {Object.keys(exception.details).length > 0 && (
        <PanelSection title="Details">
          <JsonView label="Details" value={exception.details} />
        </PanelSection>
      )}

      <div className="flex flex-col gap-2">
        <Disclosure title="History">
          <ExceptionHistory id={exception.id} />
        </Disclosure>
        <Disclosure title="SLA timeline">
          <ExceptionLedger id={exception.id} />
        </Disclosure>
      </div>

      {isOpen && <CloseForm onClose={(status, resolution) => change({ patch: { status, resolution }, done: STATUS_WORDS[status] })} />}
    </PanelBody>
  );
}

function Waiting() {
  return <Skeleton className="h-16 w-full" />;
}

function Clock({ exception: { due_at, paused_at, minutes_to_breach } }: { exception: Exception }) {
  const now = new Date().toISOString();
  const isPaused = paused_at !== null;
  const risk = useServerTime((at) => (isPaused ? "low" : breachRisk(minutesToBreach(due_at, at))), now);
  const left = useServerTime((at) => (isPaused ? held(minutes_to_breach ?? 0) : countdown(due_at, at)), now);
  return (
    <p data-risk={risk} className="flex items-center gap-2.5">
      <RiskBadge risk={risk} paused={isPaused} />
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
