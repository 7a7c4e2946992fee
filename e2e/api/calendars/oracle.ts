/**
 * Business time the slow way: asks `Intl` for the local time of every minute of a window. Shares no
 * code with the database's computation.
 */
import { type SpecialDay, WEEKDAYS } from "#lib/calendars/contract.ts";

export type Hours = {
  time_zone: string;
  weekly: { day: (typeof WEEKDAYS)[number]; from: string; to: string }[];
  special_days: SpecialDay[];
};

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;

export class SlowClock {
  readonly #start: number;
  /** Whether each minute from `start` on is open, and how many open minutes precede it. */
  readonly #open: boolean[] = [];
  readonly #before: number[] = [0];

  /** `start`: a whole minute, in milliseconds since 1970. */
  constructor(hours: Hours, start: number, days: number) {
    this.#start = start;
    const local = new Intl.DateTimeFormat("sv-SE", {
      timeZone: hours.time_zone,
      dateStyle: "short",
      timeStyle: "short",
    });
    for (let minute = 0; minute < days * DAY_MINUTES; minute++) {
      const shown = local.format(start + minute * MINUTE_MS);
      const isOpen = isOpenAt(hours, shown.slice(0, 10), minutesOf(shown.slice(11)));
      this.#open.push(isOpen);
      this.#before.push((this.#before.at(-1) ?? 0) + (isOpen ? 1 : 0));
    }
  }

  /** Open milliseconds from the start of the window. */
  openBefore(at: number): number {
    const minute = Math.floor((at - this.#start) / MINUTE_MS);
    const within = (at - this.#start) % MINUTE_MS;
    return (this.#before[minute] ?? Number.NaN) * MINUTE_MS + (this.#open[minute] ? within : 0);
  }

  get total(): number {
    return (this.#before.at(-1) ?? 0) * MINUTE_MS;
  }

  /** The first moment by which this many milliseconds were open. */
  reached(open: number): number {
    let minute = 0;
    while ((this.#before[minute + 1] ?? Number.NaN) * MINUTE_MS < open) minute++;
    return (
      this.#start + minute * MINUTE_MS + (open - (this.#before[minute] ?? Number.NaN) * MINUTE_MS)
    );
  }
}

function isOpenAt(hours: Hours, day: string, minute: number): boolean {
  const dayBefore = new Date(Date.parse(`${day}T12:00:00Z`) - 86_400_000)
    .toISOString()
    .slice(0, 10);
  return covers(hours, day, minute) || covers(hours, dayBefore, minute + DAY_MINUTES);
}

function covers({ weekly, special_days }: Hours, day: string, minute: number): boolean {
  const weekday = WEEKDAYS[(new Date(`${day}T12:00:00Z`).getUTCDay() + 6) % 7];
  const intervals =
    special_days.find(({ date }) => date === day)?.intervals ??
    weekly.filter((item) => item.day === weekday);
  return intervals.some(({ from, to }) => {
    const opens = minutesOf(from);
    const closes = minutesOf(to) > opens ? minutesOf(to) : minutesOf(to) + DAY_MINUTES;
    return minute >= opens && minute < closes;
  });
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}
