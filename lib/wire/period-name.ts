type Days = { period_start: string; period_end: string };

const MONTHS = [
  "Jan",
  "Feb",
  "Mar",
  "Apr",
  "May",
  "Jun",
  "Jul",
  "Aug",
  "Sept",
  "Oct",
  "Nov",
  "Dec",
];

const LONG_MONTH = new Intl.DateTimeFormat("en-GB", { month: "long", timeZone: "UTC" });

/** "1–31 Oct 2026", "28 Sep – 4 Oct 2026": dates, independent of time zones. */
export function periodOf({ period_start, period_end }: Days): string {
  const [start, end] = [partsOf(period_start), partsOf(period_end)];
  if (period_start === period_end) return `${end.day} ${end.month} ${end.year}`;
  if (start.year !== end.year)
    return `${start.day} ${start.month} ${start.year} – ${end.day} ${end.month} ${end.year}`;
  if (start.month !== end.month)
    return `${start.day} ${start.month} – ${end.day} ${end.month} ${end.year}`;
  return `${start.day}–${end.day} ${end.month} ${end.year}`;
}

/** "October 2026" of a whole month, the days of another period. */
export function periodName(period: Days): string {
  const month = period.period_start.slice(0, 7);
  return monthsOf(period) === 1 ? `${longMonth(month)} ${month.slice(0, 4)}` : periodOf(period);
}

/** "October" of "2026-10". */
export function longMonth(month: string): string {
  return LONG_MONTH.format(new Date(`${month}-01T00:00:00Z`));
}

/** "Oct" of "2026-10". */
export function shortMonth(month: string): string {
  return partsOf(`${month}-01`).month;
}

/**
 * How many calendar months the days cover, from the first day of one to the last of another;
 * otherwise null.
 */
export function monthsOf({ period_start, period_end }: Days): number | null {
  const next = new Date(`${period_end}T00:00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  const start = new Date(`${period_start}T00:00:00Z`);
  if (start.getUTCDate() !== 1 || next.getUTCDate() !== 1) return null;
  const years = next.getUTCFullYear() - start.getUTCFullYear();
  return 12 * years + next.getUTCMonth() - start.getUTCMonth();
}

type PeriodOfPair = { left_source: string; right_source: string; period_end: string };

/**
 * "statement-Bank-Ledger-2026-11-30": the name of a file about a period, without its ending. It
 * names the pair, without characters that file systems refuse.
 */
export function periodFileName(
  kind: string,
  { left_source, right_source, period_end }: PeriodOfPair,
): string {
  return [kind, safe(left_source), safe(right_source), period_end].join("-");
}

const PART_MAX = 60;

function safe(name: string): string {
  return [...name.replace(/[\\/:*?"<>|\p{Cc}\s]+/gu, " ").trim()]
    .slice(0, PART_MAX)
    .join("")
    .trim();
}

function partsOf(date: string): { day: number; month: string; year: string } {
  const [year = "", month, day] = date.split("-");
  return { day: Number(day), month: MONTHS[Number(month) - 1] ?? "", year };
}
