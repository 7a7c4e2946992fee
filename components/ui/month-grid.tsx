"use client";

import { ChevronLeft, ChevronRight } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";
import { addDays, addMonths, weeksOf } from "./days.ts";
import { formatDay } from "./moment.ts";

const MONTH = new Intl.DateTimeFormat("en-GB", {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
/** A month of days to choose from. Arrows move by days and weeks, Page Up and Down by months. */
export function MonthGrid({
  value,
  onChange,
  min,
  max,
}: {
  /** "2026-11-26", or empty. */
  value: string;
  onChange: (day: string) => void;
  min: string;
  max: string;
}) {
  const today = new Date().toISOString().slice(0, 10);
  const [at, setAt] = useState(value === "" ? today : value);
  const grid = useRef<HTMLTableElement>(null);
  const follows = useRef(true);

  useEffect(() => {
    if (follows.current) grid.current?.querySelector<HTMLElement>("[tabindex='0']")?.focus();
    follows.current = false;
  });

  function move(day: string, isFollowed: boolean): void {
    follows.current = isFollowed;
    setAt(day < min ? min : day > max ? max : day);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const days = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.key];
    const months = { PageUp: -1, PageDown: 1 }[event.key];
    if (days === undefined && months === undefined) return;
    event.preventDefault();
    move(days === undefined ? addMonths(at, months ?? 0) : addDays(at, days), true);
  }

  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center justify-between">
        <Button
          variant="ghost"
          size="icon"
          aria-label="Previous month"
          onClick={() => move(addMonths(at, -1), false)}
        >
          <ChevronLeft aria-hidden className="size-4" />
        </Button>
        <p aria-live="polite" className="text-sm font-medium">
          {MONTH.format(new Date(`${at}T00:00:00Z`))}
        </p>
        <Button
          variant="ghost"
          size="icon"
          aria-label="Next month"
          onClick={() => move(addMonths(at, 1), false)}
        >
          <ChevronRight aria-hidden className="size-4" />
        </Button>
      </div>
      <table ref={grid} onKeyDown={onKeyDown} className="text-center text-sm">
        <thead>
          <tr>
            {WEEKDAYS.map((name) => (
              <th key={name} scope="col" className="size-9 text-xs font-normal text-muted">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(at).map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <td key={day} className="p-0">
                  <button
                    type="button"
                    tabIndex={day === at ? 0 : -1}
                    disabled={day < min || day > max}
                    aria-label={formatDay(day, "UTC")}
                    aria-pressed={day === value}
                    aria-current={day === today ? "date" : undefined}
                    onClick={() => onChange(day)}
                    className={classes(
                      "size-9 rounded-md tabular-nums disabled:opacity-40",
                      day === value ? "bg-accent font-medium text-on-accent" : "hover:bg-hover",
                      day.slice(0, 7) !== at.slice(0, 7) && day !== value && "text-muted",
                      day === today && day !== value && "font-semibold text-accent-text",
                    )}
                  >
                    {Number(day.slice(8))}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
