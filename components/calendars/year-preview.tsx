import { classes } from "#components/ui/classes.ts";
import {
  type DayKind,
  dayKinds,
  formatHours,
  formatWeekdayDate,
  formatWorkingTime,
  type Hours,
  type Month,
  monthsFrom,
  weekMinutes,
} from "./hours.ts";

const MONTHS = 12;

const DAY_CLASSES: Record<DayKind, string> = {
  open: "text-ink",
  closed: "bg-selected text-muted",
  closed_day: "bg-danger-soft font-semibold text-danger-text",
  other_hours: "bg-accent-soft font-semibold text-accent-text",
};
const COLUMNS = [
  "col-start-1",
  "col-start-2",
  "col-start-3",
  "col-start-4",
  "col-start-5",
  "col-start-6",
  "col-start-7",
] as const;
const LEGEND: readonly [DayKind, string][] = [
  ["open", "Open"],
  ["closed", "Closed every week"],
  ["closed_day", "Closed that day"],
  ["other_hours", "Other hours"],
];

/**
 * The twelve months from the one of `today` (YYYY-MM-DD): which days are open, closed or special.
 */
export function YearPreview({ hours, today }: { hours: Hours; today: string }) {
  const months = monthsFrom(today, MONTHS);
  const kindOf = dayKinds(hours);
  const names = new Map(
    hours.special_days.map(({ date, name, intervals }) => [
      date,
      `${name ?? "Special day"}: ${formatHours(intervals)}`,
    ]),
  );
  const minutes = weekMinutes(hours.weekly);
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm">
        <strong className="font-semibold tabular-nums">{formatWorkingTime(minutes)}</strong> a week,{" "}
        {openDays(months, kindOf).toLocaleString("en")} open days in the next twelve months.
      </p>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        {LEGEND.map(([kind, name]) => (
          <li key={kind} className="flex items-center gap-1.5">
            <span
              aria-hidden
              className={classes(
                "flex size-5 items-center justify-center rounded-sm border border-line",
                DAY_CLASSES[kind],
              )}
            >
              1
            </span>
            {name}
          </li>
        ))}
      </ul>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(8.25rem,1fr))] gap-x-4 gap-y-5">
        {months.map((month) => (
          <MonthSheet key={month.name} month={month} kindOf={kindOf} names={names} />
        ))}
      </div>
    </div>
  );
}

function MonthSheet({
  month,
  kindOf,
  names,
}: {
  month: Month;
  kindOf: (date: string) => DayKind;
  names: ReadonlyMap<string, string>;
}) {
  const special = month.days.filter((day) => names.has(day));
  return (
    <section
      aria-label={`${month.name}: ${openDays([month], kindOf)} open days`}
      className="flex flex-col gap-1.5"
    >
      <h3 className="text-xs font-semibold">{month.name}</h3>
      <div aria-hidden className="grid grid-cols-7 gap-px text-center text-xs tabular-nums">
        {month.days.map((day, index) => (
          <span
            key={day}
            title={names.get(day)}
            className={classes(
              "flex h-6 items-center justify-center rounded-sm",
              DAY_CLASSES[kindOf(day)],
              index === 0 && COLUMNS[month.blanks],
            )}
          >
            {index + 1}
          </span>
        ))}
      </div>
      {special.length > 0 && (
        <ul className="sr-only">
          {special.map((day) => (
            <li key={day}>
              {formatWeekdayDate(day)}, {names.get(day)}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function openDays(months: readonly Month[], kindOf: (date: string) => DayKind): number {
  return months
    .flatMap(({ days }) => days)
    .filter((day) => kindOf(day) === "open" || kindOf(day) === "other_hours").length;
}
