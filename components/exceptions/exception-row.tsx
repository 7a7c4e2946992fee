"use client";

import { memo, type Ref } from "react";
import { RowLink } from "#components/kit/row-link.tsx";
import type { PageLink } from "#components/kit/use-search.ts";
import { Person } from "#components/people/person.tsx";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { formatMoney } from "#components/ui/money.ts";
import { useServerTime } from "#components/ui/server-clock.ts";
import { Time } from "#components/ui/time.tsx";
import type { SlaItem } from "#lib/exceptions/contract.ts";
import { breachRisk, countdown, held, minutesToBreach } from "./deadline.ts";
import { RiskBadge } from "./risk-badge.tsx";
import { SeverityLabel, StatusLabel } from "./words.tsx";

/** The columns of the wide board; on narrow screens a row is a card of three lines. */
export const COLUMNS =
  "@4xl:grid @4xl:grid-cols-[1.5rem_6.25rem_7.5rem_minmax(10rem,1fr)_7.5rem_5.75rem_7rem_6rem] @5xl:grid-cols-[1.5rem_6.25rem_7.5rem_6.5rem_minmax(9rem,1fr)_7.25rem_5.5rem_6.5rem_6rem] @4xl:gap-x-3";

/** Rerenders only when its own data changes, not while scrolling. */
export const ExceptionRow = memo(function ExceptionRow({
  item,
  asOf,
  linkTo,
  selected,
  onToggle,
  onPause,
  index,
  ref,
}: {
  item: SlaItem;
  asOf: string;
  linkTo: (to: { exception: string }) => PageLink;
  selected: boolean;
  /** `extend`: also the rows between this one and the last. */
  onToggle: (id: string, extend: boolean) => void;
  /** Pauses it, or resumes it if it is paused. */
  onPause: (item: SlaItem) => void;
  /** Its index in the list. */
  index: number;
  ref: Ref<HTMLTableRowElement>;
}) {
  const { singleKeys } = usePreferences();
  const isPaused = item.paused_at !== null;
  const risk = useServerTime((now) => (isPaused ? "low" : breachRisk(minutesToBreach(item.due_at, now))), asOf);
  return (
    <tr
      ref={ref}
      data-index={index}
      data-risk={risk}
      aria-rowindex={index + 2}
      className={`relative flex flex-wrap items-center gap-x-1.5 gap-y-1 border-b border-line bg-risk-row has-checked:bg-accent-soft py-2.5 pr-2 pl-4 text-sm transition-colors duration-300 before:absolute before:inset-y-0 before:left-0 before:w-[3px] before:bg-risk-rail hover:bg-risk-row-hover has-[[data-row]:focus-visible]:outline-2 has-[[data-row]:focus-visible]:-outline-offset-2 has-[[data-row]:focus-visible]:outline-focus @4xl:h-11 @4xl:flex-nowrap @4xl:py-0 @4xl:pr-3 ${COLUMNS}`}
      onKeyDown={(event) => {
        if (!singleKeys || event.metaKey || event.ctrlKey || event.altKey) return;
        if (event.key.toLowerCase() === "x") onToggle(item.id, event.shiftKey);
        if (event.key.toLowerCase() === "p") onPause(item);
      }}
    >
      <td className="relative z-1">
        <label className="-m-2 flex size-8 items-center justify-center @4xl:-m-1.5">
          <input
            type="checkbox"
            aria-label={`Select ${item.title}`}
            checked={selected}
            onChange={({ nativeEvent }) => onToggle(item.id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
            className="size-4 accent-(--color-accent)"
          />
        </label>
      </td>
      <td>
        <RiskBadge risk={risk} paused={isPaused} />
      </td>
      <td className="font-semibold whitespace-nowrap text-risk-text tabular-nums">
        {isPaused ? held(item.minutes_to_breach) : <Countdown dueAt={item.due_at} asOf={asOf} />}
      </td>
      <td className="whitespace-nowrap text-muted tabular-nums @max-5xl:hidden">{isPaused ? <None /> : <Time iso={item.due_at} />}</td>
      <td className="min-w-0 @max-4xl:order-1 @max-4xl:basis-full">
        <RowLink to={linkTo({ exception: item.id })}>{item.title}</RowLink>
      </td>
      <td className="text-right whitespace-nowrap tabular-nums @max-4xl:order-3 @max-4xl:ml-auto @4xl:pr-3">
        {item.amount_minor === null || item.currency === null ? <None /> : formatMoney(item.amount_minor, item.currency)}
      </td>
      <td className="flex @max-4xl:order-2">
        <SeverityLabel severity={item.severity} />
      </td>
      <td className="flex min-w-0 @max-4xl:order-2 @max-4xl:flex-1">
        <Person reference={item.assigned_to} />
      </td>
      <td className="flex @max-4xl:ml-auto">
        <StatusLabel status={item.status} />
      </td>
    </tr>
  );
});

function None() {
  return (
    <span className="text-muted @max-4xl:hidden">
      <span aria-hidden>–</span>
      <span className="sr-only">None</span>
    </span>
  );
}

function Countdown({ dueAt, asOf }: { dueAt: string; asOf: string }) {
  return useServerTime((now) => countdown(dueAt, now), asOf);
}
