"use client";

import { useId } from "react";
import type { SpecialDay } from "#lib/calendars/contract.ts";
import { formatHours, formatWeekdayDate } from "./hours.ts";

type Props = {
  days: readonly SpecialDay[];
  /** Dates that the calendar has already. */
  known: ReadonlySet<string>;
  /** Dates to leave out. */
  dropped: ReadonlySet<string>;
  onChange: (dropped: ReadonlySet<string>) => void;
};

/** Proposed special days, each to be confirmed. */
export function DayChoice({ days, known, dropped, onChange }: Props) {
  const id = useId();
  const toggle = (date: string) => {
    const next = new Set(dropped);
    if (!next.delete(date)) next.add(date);
    onChange(next);
  };
  return (
    <ul className="max-h-80 divide-y divide-line overflow-y-auto rounded-md border border-line">
      {days.map(({ date, name, intervals }) => (
        <li key={date}>
          <label
            htmlFor={`${id}-${date}`}
            className="flex min-h-10 items-center gap-3 px-3 py-1.5 text-sm hover:bg-hover max-sm:min-h-11"
          >
            <input
              id={`${id}-${date}`}
              type="checkbox"
              checked={!dropped.has(date)}
              onChange={() => toggle(date)}
              className="size-4.5 shrink-0 accent-(--color-accent)"
            />
            <span className="w-32 shrink-0 tabular-nums">{formatWeekdayDate(date)}</span>
            <span className="min-w-0 flex-1 wrap-break-word">
              {name ?? "Special day"}
              {intervals.length > 0 && (
                <span className="text-muted"> {formatHours(intervals)}</span>
              )}
              {known.has(date) && (
                <span className="block text-muted">Replaces the day in the calendar</span>
              )}
            </span>
          </label>
        </li>
      ))}
    </ul>
  );
}
