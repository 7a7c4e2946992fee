"use client";

import type { Ref } from "react";
import { useServerTime } from "#components/ui/server-clock.ts";
import { Time } from "#components/ui/time.tsx";
import type { SlaItem } from "#lib/exceptions/contract.ts";
import { Assignee } from "./assignee.tsx";
import { breachRisk, countdown, minutesToBreach } from "./deadline.ts";
import { formatMoney } from "./money.ts";
import { RiskBadge } from "./risk-badge.tsx";
import { SeverityLabel, StatusLabel } from "./words.tsx";

/** The columns of the wide board; narrower than that, a row is a card of three lines. */
export const COLUMNS =
  "@4xl:grid @4xl:grid-cols-[6.25rem_7.5rem_minmax(11rem,1fr)_7.5rem_5.75rem_7.5rem_6.5rem] @5xl:grid-cols-[6.25rem_7.5rem_7rem_minmax(9rem,1fr)_7.5rem_5.75rem_8rem_6.5rem] @4xl:gap-x-3";

export function ExceptionRow({
  item,
  asOf,
  href,
  onOpen,
  index,
  ref,
}: {
  item: SlaItem;
  asOf: string;
  href: string;
  onOpen: () => void;
  /** Its place in the list, from 0. */
  index: number;
  ref: Ref<HTMLTableRowElement>;
}) {
  const risk = useServerTime((now) => breachRisk(minutesToBreach(item.due_at, now)), asOf);
  return (
    <tr
      ref={ref}
      data-index={index}
      data-risk={risk}
      aria-rowindex={index + 2}
      className={`relative flex flex-wrap items-center gap-x-2 gap-y-1 border-b border-line bg-risk-row py-2.5 pr-3 pl-4 text-sm transition-colors duration-300 before:absolute before:inset-y-0 before:left-0 before:w-[3px] before:bg-risk-rail hover:bg-risk-row-hover has-[a:focus-visible]:outline-2 has-[a:focus-visible]:-outline-offset-2 has-[a:focus-visible]:outline-focus @4xl:h-11 @4xl:flex-nowrap @4xl:py-0 ${COLUMNS}`}
    >
      <td>
        <RiskBadge risk={risk} />
      </td>
      <td className="font-semibold whitespace-nowrap text-risk-text tabular-nums">
        <Countdown dueAt={item.due_at} asOf={asOf} />
      </td>
      <td className="whitespace-nowrap text-muted tabular-nums @max-5xl:hidden">
        <Time iso={item.due_at} />
      </td>
      <td className="min-w-0 @max-4xl:order-1 @max-4xl:basis-full">
        <a
          href={href}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            onOpen();
          }}
          className="block truncate text-base font-medium outline-none after:absolute after:inset-0"
        >
          {item.title}
        </a>
      </td>
      <td className="text-right whitespace-nowrap tabular-nums @max-4xl:order-3 @max-4xl:ml-auto @4xl:pr-3">
        {item.amount_minor === null || item.currency === null ? (
          <span className="text-muted @max-4xl:hidden">
            <span aria-hidden>–</span>
            <span className="sr-only">None</span>
          </span>
        ) : (
          formatMoney(item.amount_minor, item.currency)
        )}
      </td>
      <td className="flex @max-4xl:order-2">
        <SeverityLabel severity={item.severity} />
      </td>
      <td className="flex min-w-0 @max-4xl:order-2 @max-4xl:flex-1">
        <Assignee reference={item.assigned_to} />
      </td>
      <td className="flex @max-4xl:ml-auto">
        <StatusLabel status={item.status} />
      </td>
    </tr>
  );
}

function Countdown({ dueAt, asOf }: { dueAt: string; asOf: string }) {
  return useServerTime((now) => countdown(dueAt, now), asOf);
}
