"use client";

import { Copy, Plus } from "lucide-react";
import type { Problems } from "#components/kit/problems.ts";
import { Button } from "#components/ui/button.tsx";
import { INTERVALS_A_DAY, WEEKDAYS } from "#lib/calendars/contract.ts";
import { CALENDAR_VERSIONS } from "#lib/wire/facts.gen.ts";
import { DayBar } from "./day-bar.tsx";
import { nextSlot, slotOf, timesOf, type WeeklySlot } from "./draft.ts";
import { DAY_NAMES, type Weekday } from "./hours.ts";
import { IntervalFields } from "./interval-fields.tsx";

type Props = { weekly: WeeklySlot[]; problems: Problems; onChange: (weekly: WeeklySlot[]) => void };

/** The hours of a week, day by day. */
export function WeekEditor({ weekly, problems, onChange }: Props) {
  const isFull = weekly.length >= CALENDAR_VERSIONS.weekly.max;
  const nextDay = (day: Weekday) => DAY_NAMES[WEEKDAYS[(WEEKDAYS.indexOf(day) + 1) % 7] as Weekday];
  const slotsOf = (day: Weekday) => weekly.filter((slot) => slot.day === day);

  function add(day: Weekday) {
    onChange([...weekly, { ...nextSlot(slotsOf(day).map(timesOf)), day }]);
  }

  /** Gives Tuesday to Friday Monday's hours. */
  function copyMonday() {
    const others = WEEKDAYS.slice(1, 5);
    const copies = others.flatMap((day) =>
      slotsOf("monday").map((slot) => ({ ...slotOf(slot), day })),
    );
    onChange([...weekly.filter(({ day }) => !others.includes(day)), ...copies]);
  }

  return (
    <div className="flex flex-col">
      {WEEKDAYS.map((day) => {
        const slots = slotsOf(day);
        return (
          <fieldset
            key={day}
            className="grid min-w-0 gap-x-4 gap-y-1 border-t border-line py-2 first:border-t-0 first:pt-0 @lg:grid-cols-[5.5rem_17rem_minmax(0,1fr)]"
          >
            <legend className="sr-only">{DAY_NAMES[day]}</legend>
            <span aria-hidden className="flex min-h-9 items-center self-start text-sm font-medium">
              {DAY_NAMES[day]}
            </span>
            <div className="flex flex-col items-start gap-1.5">
              {slots.length === 0 && (
                <div className="flex min-h-9 items-center gap-2 text-sm text-muted">
                  Closed
                  <Button size="sm" variant="ghost" disabled={isFull} onClick={() => add(day)}>
                    <Plus aria-hidden className="size-4" />
                    Add hours<span className="sr-only"> on {DAY_NAMES[day]}</span>
                  </Button>
                </div>
              )}
              {slots.map((slot, index) => {
                const place = weekly.indexOf(slot);
                return (
                  <IntervalFields
                    key={slot.key}
                    label={`${DAY_NAMES[day]}, hours ${index + 1}`}
                    nextDay={nextDay(day)}
                    slot={slot}
                    errors={{
                      from: problems[`weekly.${place}.from`] ?? problems[`weekly.${place}`],
                      to: problems[`weekly.${place}.to`],
                    }}
                    onChange={(changed) =>
                      onChange(weekly.map((item) => (item.key === slot.key ? changed : item)))
                    }
                    onRemove={() => onChange(weekly.filter((item) => item.key !== slot.key))}
                  >
                    {index === slots.length - 1 && (
                      <Button
                        variant="ghost"
                        size="icon"
                        aria-label={`Add hours on ${DAY_NAMES[day]}`}
                        disabled={isFull || slots.length >= INTERVALS_A_DAY}
                        onClick={() => add(day)}
                      >
                        <Plus aria-hidden className="size-4" />
                      </Button>
                    )}
                  </IntervalFields>
                );
              })}
              {day === "monday" && slots.length > 0 && (
                <Button size="sm" variant="ghost" onClick={copyMonday}>
                  <Copy aria-hidden className="size-4" />
                  Copy to Tue–Fri
                </Button>
              )}
            </div>
            <DayBar intervals={slots} />
          </fieldset>
        );
      })}
      {problems.weekly && <p className="text-sm text-danger-text">{problems.weekly}</p>}
    </div>
  );
}
