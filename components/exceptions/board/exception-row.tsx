"use client";

import { type KeyboardEvent, memo, type Ref } from "react";
import { RowLink } from "#components/kit/row-link.tsx";
import type { PageLink } from "#components/kit/use-search.ts";
import { PersonParts } from "#components/people/person.tsx";
import { usePreferences } from "#components/preferences/preferences-provider.tsx";
import { classes } from "#components/ui/classes.ts";
import { formatMoney } from "#components/ui/money.ts";
import { useServerTime } from "#components/ui/server-clock.ts";
import { Time } from "#components/ui/time.tsx";
import type { Exception } from "#lib/exceptions/contract.ts";
import { breachRisk, countdown, formatTimeLeft, minutesToBreach } from "../deadline.ts";
import { CHOICE_NAMES, choiceFieldOf } from "../fields.tsx";
import { reasonLabel, StatusParts } from "../labels.tsx";
import { Outcome, RiskBadge } from "../risk-badge.tsx";
import { type Column, ROW, WIDTHS } from "./columns.ts";

type Props = {
  item: Exception;
  asOf: string;
  linkTo: (to: { exception: string }) => PageLink;
  columns: ReadonlySet<Column>;
  compact: boolean;
  selected: boolean;
  /** `extend`: also the rows between this one and the last. Null: rows can't be selected. */
  onToggle: ((id: string, extend: boolean) => void) | null;
  /** Pauses it, or resumes it if it is paused. Null if the key acts on the selection. */
  onPause: ((item: Exception) => void) | null;
  /** Whether it is new, or was removed and is still shown. */
  news: "arrived" | "left" | null;
  /** Its index among the table's lines. */
  index: number;
  isTabStop: boolean;
  ref: Ref<HTMLTableRowElement>;
};

/**
 * The link covers the row, so the focus ring is the link's. A rule of the row that looks inside
 * would be evaluated at every change of the board.
 */
const LINK =
  "block truncate text-base font-medium focus-visible:after:outline-2 " +
  "focus-visible:after:-outline-offset-2 focus-visible:after:outline-focus";

/** Rerenders only when its own data changes, not while scrolling. */
export const ExceptionRow = memo(function ExceptionRow(props: Props) {
  const {
    item,
    asOf,
    linkTo,
    columns,
    compact,
    selected,
    onToggle,
    onPause,
    news,
    index,
    isTabStop,
    ref,
  } = props;
  const { singleKeys } = usePreferences();
  const isPaused = item.paused_at !== null;
  const isClosed = item.closed_at !== null;
  const risk = useServerTime(
    (now) => (isPaused || isClosed ? "low" : breachRisk(minutesToBreach(item.due_at, now))),
    asOf,
  );

  function onKeyDown(event: KeyboardEvent): void {
    if (!singleKeys || event.metaKey || event.ctrlKey || event.altKey || isClosed) return;
    const key = event.key.toLowerCase();
    if (key !== "x" && (key !== "p" || !onPause)) return;
    // Whatever opens takes the focus at once, and would get the letter too.
    event.preventDefault();
    if (key === "x") onToggle?.(item.id, event.shiftKey);
    else onPause?.(item);
  }

  return (
    <tr
      ref={ref}
      data-id={item.id}
      data-index={index}
      data-risk={isClosed ? undefined : risk}
      data-news={news ?? undefined}
      aria-rowindex={index + 2}
      className={classes(
        "relative flex flex-wrap items-center gap-x-1.5 gap-y-1 border-b border-line py-2.5",
        "pr-2 pl-4 text-sm transition-colors duration-300 @xl:py-0 @xl:pr-3",
        "before:absolute before:inset-y-0 before:left-0",
        "before:w-(--risk-rail-width) before:bg-risk-rail",
        selected || news === "arrived" ? "bg-accent-soft" : "hover:bg-hover",
        news === "left" && "opacity-50",
        compact ? "@xl:h-8" : "@xl:h-11",
        ROW,
      )}
      onKeyDown={onKeyDown}
    >
      <td className={classes("relative z-1", WIDTHS.box)}>
        {onToggle && (
          <label className="-m-2 flex size-8 items-center justify-center @xl:-m-1.5">
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label={`Select ${item.title}`}
              checked={selected}
              onChange={({ nativeEvent }) =>
                onToggle(item.id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
              }
              className="size-4 accent-(--color-accent)"
            />
          </label>
        )}
      </td>
      <td className={WIDTHS.risk}>
        {item.closed_at === null ? (
          <RiskBadge quiet risk={risk} paused={isPaused} />
        ) : (
          <Outcome isMet={item.closed_at <= item.due_at} />
        )}
      </td>
      <td
        className={classes(
          "font-semibold whitespace-nowrap text-risk-text tabular-nums",
          WIDTHS.time,
        )}
      >
        {item.closed_at !== null ? (
          <span className="font-normal text-muted">
            <Time iso={item.closed_at} />
          </span>
        ) : isPaused ? (
          formatTimeLeft(item.minutes_to_breach ?? 0)
        ) : (
          <Countdown dueAt={item.due_at} asOf={asOf} />
        )}
      </td>
      {columns.has("due") && (
        <td
          className={classes(
            "whitespace-nowrap text-muted tabular-nums @max-5xl:hidden",
            WIDTHS.due,
          )}
        >
          {isPaused ? <None /> : <Time iso={item.due_at} />}
        </td>
      )}
      {columns.has("reason") && (
        <td className={classes("truncate text-muted @max-5xl:hidden", WIDTHS.reason)}>
          {item.reason_code === null ? <None /> : reasonLabel(item.reason_code)}
        </td>
      )}
      <td className={classes("min-w-0 @max-xl:order-1 @max-xl:basis-full", WIDTHS.title)}>
        <RowLink to={linkTo({ exception: item.id })} tabIndex={isTabStop ? 0 : -1} className={LINK}>
          {news === "arrived" && (
            <span className="mr-1.5 rounded-sm bg-accent px-1 text-xs font-medium text-on-accent">
              New
            </span>
          )}
          {item.title}
        </RowLink>
      </td>
      {columns.has("money") && (
        <td
          className={classes(
            "text-right whitespace-nowrap tabular-nums @max-xl:order-3 @max-xl:ml-auto @4xl:pr-3",
            WIDTHS.money,
          )}
        >
          {item.amount_minor === null || item.currency === null ? (
            <None />
          ) : (
            formatMoney(item.amount_minor, item.currency)
          )}
        </td>
      )}
      {CHOICE_NAMES.filter((name) => columns.has(name)).map((name) => {
        const { Parts } = choiceFieldOf(name);
        return (
          <td
            key={name}
            className={classes("flex items-center gap-1.5 @max-xl:order-2", WIDTHS.choice)}
          >
            <Parts value={item[name]} />
          </td>
        );
      })}
      {columns.has("assignee") && (
        <td
          className={classes(
            "flex min-w-0 items-center gap-1.5 @max-xl:order-2 @max-xl:flex-1",
            "@xl:@max-4xl:[&>.text-muted]:opacity-0",
            WIDTHS.assignee,
          )}
        >
          <PersonParts reference={item.assigned_to} />
        </td>
      )}
      {columns.has("status") && (
        <td
          className={classes(
            "flex items-center gap-1.5 whitespace-nowrap @max-xl:ml-auto",
            WIDTHS.status,
          )}
        >
          <StatusParts status={item.status} />
        </td>
      )}
    </tr>
  );
});

function None() {
  return (
    <span className="text-muted @max-xl:hidden">
      <span aria-hidden>–</span>
      <span className="sr-only">None</span>
    </span>
  );
}

function Countdown({ dueAt, asOf }: { dueAt: string; asOf: string }) {
  return useServerTime((now) => countdown(dueAt, now), asOf);
}
