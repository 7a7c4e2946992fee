import { longMonth, monthsOf, periodName, periodOf, shortMonth } from "../../wire/period-name.ts";

export type Period = { name: string; period_start: string; period_end: string };

const NAME_MAX = 200;
/**
 * Every month has the days up to this one, so a period that starts on one of them can be moved by
 * months.
 */
const LAST_DAY_OF_EVERY_MONTH = 28;

/** The period of the same kind that follows: a month after a month, a week after a week. */
export function nextPeriod(period: Period): Period {
  const start = dateOf(period.period_end);
  start.setUTCDate(start.getUTCDate() + 1);
  const after = endAfter(period, start);
  after.setUTCDate(after.getUTCDate() - 1);
  const days = { period_start: textOf(start), period_end: textOf(after) };
  return { name: nextName(period, days), ...days };
}

/** The day after the end of a period that begins on `start` and is as long as `period`. */
function endAfter(period: Period, start: Date): Date {
  const first = dateOf(period.period_start);
  const end = new Date(start);
  const months =
    12 * (start.getUTCFullYear() - first.getUTCFullYear()) +
    start.getUTCMonth() -
    first.getUTCMonth();
  const isMonths =
    months > 0 &&
    start.getUTCDate() === first.getUTCDate() &&
    start.getUTCDate() <= LAST_DAY_OF_EVERY_MONTH;
  if (isMonths) end.setUTCMonth(end.getUTCMonth() + months);
  else end.setTime(start.getTime() + (start.getTime() - first.getTime()));
  return end;
}

type Days = Omit<Period, "name">;

/** The name with its period replaced by the next one, or with the next one added. */
function nextName({ name, ...days }: Period, next: Days): string {
  const [before, after] = [spellingsOf(days), spellingsOf(next)];
  for (const [index, spelling] of before.entries()) {
    const found = new RegExp(`(?<![\\p{L}\\p{N}])${escaped(spelling)}(?![\\p{L}\\p{N}])`, "gu");
    const replaced = name.replace(found, () => after[index] ?? spelling);
    if (replaced !== name) return replaced.slice(0, NAME_MAX);
  }
  const added = `, ${periodName(next)}`;
  return `${name.slice(0, NAME_MAX - added.length)}${added}`;
}

/**
 * The spellings in which a name may state its period, longer ones first. Periods of the same kind
 * have them in the same order.
 */
function spellingsOf(days: Days): string[] {
  const [start, end] = [days.period_start.slice(0, 7), days.period_end.slice(0, 7)];
  const [year = "", month = ""] = end.split("-");
  const months = monthsOf(days);
  const quarter = `Q${Math.ceil(Number(month) / 3)}`;
  const isQuarter = months === 3 && Number(month) % 3 === 0;
  const oneMonth = [
    `${longMonth(start)} ${year}`,
    `${shortMonth(start)} ${year}`,
    `${longMonth(start).slice(0, 3)} ${year}`,
    `${year}-${month}`,
    `${year}/${month}`,
    `${month}/${year}`,
    `${month}.${year}`,
    longMonth(start),
    shortMonth(start),
    longMonth(start).slice(0, 3),
  ];
  return [
    periodOf(days),
    `${days.period_start} – ${days.period_end}`,
    ...(isQuarter
      ? [
          `${quarter} ${year}`,
          `${quarter}/${year}`,
          `${year} ${quarter}`,
          `${year}-${quarter}`,
          quarter,
        ]
      : []),
    ...(months === 1 ? oneMonth : []),
    ...(months === 12 ? [year] : []),
  ];
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function dateOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

function textOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
