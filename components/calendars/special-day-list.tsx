"use client";

import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import type { SpecialDay } from "#lib/calendars/contract.ts";
import { formatHours, formatWeekdayDate } from "./hours.ts";

const SHOWN_AT_FIRST = 30;

type Props = {
  days: readonly SpecialDay[];
  /** YYYY-MM-DD; earlier days are shown on request. */
  today: string;
  /** Left out: for reading only. */
  onEdit?: (day: SpecialDay) => void;
  onRemove?: (day: SpecialDay) => void;
};

/** A calendar's special days, upcoming ones first. */
export function SpecialDayList({ days, today, onEdit, onRemove }: Props) {
  const [all, setAll] = useState(false);
  const ahead = days.filter(({ date }) => date >= today);
  const visible = all ? days : ahead.slice(0, SHOWN_AT_FIRST);
  if (days.length === 0) return <p className="text-sm text-muted">No special days yet.</p>;
  return (
    <div className="flex flex-col items-start gap-2">
      {visible.length > 0 ? (
        <ul
          aria-label="Special days"
          className="w-full divide-y divide-line rounded-md border border-line"
        >
          {visible.map((day) => (
            <li
              key={day.date}
              className="flex min-h-10 flex-wrap items-center gap-x-4 px-3 py-1 text-sm"
            >
              <span className="w-32 shrink-0 tabular-nums">{formatWeekdayDate(day.date)}</span>
              <span className="min-w-0 flex-1 basis-40 wrap-break-word">
                {day.name ?? "Special day"}{" "}
                <span className="text-muted">{formatHours(day.intervals)}</span>
              </span>
              {onEdit && onRemove && (
                <span className="-mr-1.5 flex">
                  <Button
                    variant="ghost"
                    size="icon"
                    aria-label={`Edit ${formatWeekdayDate(day.date)}`}
                    onClick={() => onEdit(day)}
                  >
                    <Pencil aria-hidden className="size-4" />
                  </Button>
                  <Button
                    variant="ghost"
                    size="icon"
                    aria-label={`Remove ${formatWeekdayDate(day.date)}`}
                    onClick={() => onRemove(day)}
                  >
                    <Trash2 aria-hidden className="size-4" />
                  </Button>
                </span>
              )}
            </li>
          ))}
        </ul>
      ) : (
        <p className="text-sm text-muted">No upcoming special days.</p>
      )}
      {visible.length < days.length && (
        <Button size="sm" variant="ghost" onClick={() => setAll(true)}>
          Show all {days.length.toLocaleString("en")}
        </Button>
      )}
    </div>
  );
}
