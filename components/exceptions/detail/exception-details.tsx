"use client";

import { ChevronDown } from "lucide-react";
import dynamic from "next/dynamic";
import { type ReactNode, useEffect } from "react";
import { DataFields } from "#components/kit/data-fields.tsx";
import { PanelBody, PanelHead, PanelSection, PanelTitle } from "#components/kit/panel-parts.tsx";
import { AssigneePicker } from "#components/people/assignee-picker.tsx";
import { Person, personName } from "#components/people/person.tsx";
import { buttonClass } from "#components/ui/button.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { Menu, MenuChoice } from "#components/ui/menu.tsx";
import { useServerTime } from "#components/ui/server-clock.ts";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { type Exception, OPEN_STATUSES } from "#lib/exceptions/contract.ts";
import { EXCEPTIONS } from "#lib/wire/facts.gen.ts";
import { InPlace } from "../board/in-place.tsx";
import { breachRisk, countdown, formatTimeLeft, minutesToBreach } from "../deadline.ts";
import { CHOICE_NAMES, ChoiceLabel, type Choices, choiceFieldOf, fieldLabel } from "../fields.tsx";
import { STATUS_LABELS, StatusLabel } from "../labels.tsx";
import { RiskBadge } from "../risk-badge.tsx";
import type { ExceptionActions } from "../use-exception-actions.ts";
import { ExceptionActivity } from "./exception-activity.tsx";
import { ExceptionDock } from "./exception-dock.tsx";
import { ExceptionFacts } from "./exception-facts.tsx";

// Each part has its own boundary; otherwise the whole panel would suspend while one loads.
const ExceptionLine = dynamic(
  () => import("./exception-line.tsx").then((part) => part.ExceptionLine),
  { loading: Waiting },
);
const EvidenceList = dynamic(
  () => import("#components/evidence/evidence-list.tsx").then((part) => part.EvidenceList),
  { loading: Waiting },
);
const ExceptionLedger = dynamic(
  () => import("../board/sla-timeline.tsx").then((part) => part.SlaTimeline),
  { loading: Waiting },
);

export function ExceptionDetails({
  exception,
  acting,
}: {
  exception: Exception;
  acting: ExceptionActions;
}) {
  const { change, form, assignee } = acting;
  const isOpen = exception.closed_at === null;
  // The panel shows the lines that matching wrote into the details.
  const { lines: _lines, side: _side, ...others } = exception.details;
  const details = exception.line_id === null ? exception.details : others;

  useEffect(() => {
    if (form !== "assign") return;
    assignee.current?.scrollIntoView({ block: "nearest" });
    acting.actions.cancel();
    // Deferred, because effects don't flush synchronously and the picker's field would miss the
    // next key.
    queueMicrotask(() => assignee.current?.click());
  });

  return (
    <>
      <PanelBody>
        <PanelHead>
          {isOpen && <Clock exception={exception} />}
          <PanelTitle>
            <InPlace
              label="Title"
              value={exception.title}
              maxLength={EXCEPTIONS.title.max}
              onSave={(title) => change({ title }, "Title changed")}
            >
              {exception.title}
            </InPlace>
          </PanelTitle>
          <div className="flex flex-wrap gap-2 pt-1">
            {isOpen ? (
              <Picker
                label="Status"
                value={exception.status}
                options={OPEN_STATUSES.map((status) => ({
                  value: status,
                  label: <StatusLabel status={status} />,
                }))}
                onChange={(status) =>
                  change({ status }, `Status is now ${STATUS_LABELS[status].toLowerCase()}`)
                }
              >
                <StatusLabel status={exception.status} />
              </Picker>
            ) : (
              <span className="flex h-8 items-center pr-1 text-sm font-medium">
                <StatusLabel status={exception.status} />
              </span>
            )}
            {CHOICE_NAMES.map((name) => {
              const { values, labels } = choiceFieldOf(name);
              return (
                <Picker
                  key={name}
                  label={fieldLabel(name)}
                  value={exception[name] as string}
                  options={values.map((value) => ({
                    value,
                    label: <ChoiceLabel name={name} value={value} />,
                  }))}
                  onChange={(value) =>
                    change(
                      { [name]: value } as Partial<Choices>,
                      `${fieldLabel(name)} is now ${labels[value]?.toLowerCase()}`,
                    )
                  }
                >
                  <ChoiceLabel name={name} value={exception[name]} />
                </Picker>
              );
            })}
            <AssigneePicker
              opener={assignee}
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
                change(
                  { assigned_to },
                  assigned_to ? `Assigned to ${personName(assigned_to)}` : "Unassigned",
                )
              }
            />
          </div>
        </PanelHead>

        {exception.line_id && <ExceptionLine exception={exception} />}

        <ExceptionFacts exception={exception} change={change} />

        {Object.keys(details).length > 0 && (
          <PanelSection title="Details">
            <DataFields
              label="Details"
              value={details}
              currency={exception.currency ?? undefined}
            />
          </PanelSection>
        )}

        <PanelSection title="Evidence">
          <EvidenceList subjectId={exception.id} />
        </PanelSection>

        <Disclosure title="SLA timeline">
          <ExceptionLedger id={exception.id} />
        </Disclosure>

        <PanelSection title="Activity">
          <ExceptionActivity id={exception.id} currency={exception.currency} />
        </PanelSection>
      </PanelBody>
      <ExceptionDock exception={exception} acting={acting} />
    </>
  );
}

function Waiting() {
  return <Skeleton className="h-16 w-full" />;
}

function Clock({ exception: { due_at, paused_at, minutes_to_breach } }: { exception: Exception }) {
  const now = new Date().toISOString();
  const isPaused = paused_at !== null;
  const risk = useServerTime(
    (at) => (isPaused ? "low" : breachRisk(minutesToBreach(due_at, at))),
    now,
  );
  const left = useServerTime(
    (at) => (isPaused ? formatTimeLeft(minutes_to_breach ?? 0) : countdown(due_at, at)),
    now,
  );
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
