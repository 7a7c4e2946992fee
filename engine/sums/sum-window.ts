/** Finds the lines of the other side that are near enough in time to be part of a line's sum. */

import {
  type Days,
  daysAround,
  intersectionOf,
  unionOf,
  widestWindow,
} from "../candidates/window.ts";
import type { Lines } from "../lines.ts";
import type { Rule } from "../rules.ts";

/** The maximum number of lines examined in a window, nearest days first. */
export const MAX_EXAMINED = 400;
/** The days before and after a target for rules without days. */
const DEFAULT_DAYS = 7;

export class SumWindow {
  readonly days: Days;
  readonly dayNumber: (day: number) => number;
  private readonly own: Lines;
  private readonly other: Lines;
  /**
   * The wider window for lines of a name in the target's texts: a payer pays what is due, however
   * old it is.
   */
  private readonly namedDays: Days;
  /** The days between the lines of sure matches; null if there are too few matches to know. */
  private readonly usualDays: Days | null;
  /** Lines of the other side by day, then canonically, and where each day begins. */
  private readonly byDay: Int32Array;
  private readonly dayStart = new Map<number, { from: number; to: number }>();
  /** The last target that was checked, and whether its window is crowded. */
  private last = { target: -1, isCrowded: false };

  /**
   * @param byDay lines of the other side in canonical order, which begins with the day.
   * @param reach the days between the lines of sure matches, from left to right.
   */
  constructor(
    own: Lines,
    other: Lines,
    byDay: Int32Array,
    { rule, dayNumber, reach }: { rule: Rule; dayNumber: (day: number) => number; reach: Days },
  ) {
    this.own = own;
    this.other = other;
    this.byDay = byDay;
    this.dayNumber = dayNumber;
    const { before, after } =
      rule.days_before === undefined && rule.days_after === undefined
        ? { before: DEFAULT_DAYS, after: DEFAULT_DAYS }
        : daysAround(rule);
    const far = widestWindow({ before, after });
    const learned = unionOf({ before, after }, intersectionOf(reach, far));
    const fromOwnSide = (days: Days) =>
      own.side === "left" ? days : { before: days.after, after: days.before };
    this.days = fromOwnSide(learned);
    this.usualDays = reach.before + reach.after > 0 ? fromOwnSide(reach) : null;
    const max = Math.max(far.before, far.after, learned.before, learned.after);
    this.namedDays = { before: max, after: max };
    byDay.forEach((line, at) => {
      const day = this.dayOf(line);
      const range = this.dayStart.get(day);
      if (range) range.to = at + 1;
      else this.dayStart.set(day, { from: at, to: at + 1 });
    });
  }

  /** The day of a line of the other side. */
  dayOf(line: number): number {
    return this.dayNumber(this.other.value_date[line] as number);
  }

  targetDay(target: number): number {
    return this.dayNumber(this.own.value_date[target] as number);
  }

  /** Whether the window has more lines than are examined. */
  isCrowded(target: number): boolean {
    if (this.last.target !== target)
      this.last = { target, isCrowded: this.countAround(target) > MAX_EXAMINED };
    return this.last.isCrowded;
  }

  private countAround(target: number): number {
    const day = this.targetDay(target);
    let count = 0;
    for (let on = day - this.days.before; on <= day + this.days.after; on++) {
      const range = this.dayStart.get(on);
      if (range) count += range.to - range.from;
    }
    return count;
  }

  /** Lines of the window with the target's currency, the nearest days first. */
  around(target: number, byName = false): number[] {
    const { before, after } = byName ? this.namedDays : this.days;
    const day = this.targetDay(target);
    const lines: number[] = [];
    for (let distance = 0; distance <= Math.max(before, after); distance++) {
      for (const on of distance === 0 ? [day] : [day - distance, day + distance]) {
        if (on < day - before || on > day + after) continue;
        const { from, to } = this.dayStart.get(on) ?? { from: 0, to: 0 };
        for (let at = from; at < to && lines.length < MAX_EXAMINED; at++) {
          const line = this.byDay[at] as number;
          if (this.other.currency[line] === this.own.currency[target]) lines.push(line);
        }
      }
    }
    return lines;
  }

  /** Sorts the lines that are as far away as those of sure matches before the others. */
  usualFirst(target: number, lines: number[]): number[] {
    const days = this.usualDays;
    if (!days) return lines;
    const isUsual = (line: number) => this.isWithin(target, line, days);
    return [...lines.filter(isUsual), ...lines.filter((line) => !isUsual(line))];
  }

  reaches(target: number, line: number): boolean {
    return (
      this.other.currency[line] === this.own.currency[target] &&
      this.isWithin(target, line, this.days)
    );
  }

  /** Like `reaches`, in the wider window for lines of a name. */
  reachesByName(target: number, line: number): boolean {
    return (
      this.other.currency[line] === this.own.currency[target] &&
      this.isWithin(target, line, this.namedDays)
    );
  }

  private isWithin(target: number, line: number, { before, after }: Days): boolean {
    const lag = this.dayOf(line) - this.targetDay(target);
    return lag >= -before && lag <= after;
  }
}
