/** Lines of days in a row, by their total. */
import type { Lines } from "../lines.ts";

type Stretch = { total: number; lines: () => number[] };
/** Lines of one day and kind; days are counted over those that have lines. */
type Group = { day: number; total: number; lines: number[] };

/** No payout or week has more days. */
const MAX_DAYS = 7;
/** With more kinds of lines, all of them are added up. */
const MAX_KINDS = 4;

/**
 * The stretches of two or more days that follow each other, with all their lines or the lines of
 * some kinds, and the lines of some kinds of one day.
 */
export function stretchesOf(
  lines: Lines,
  those: number[],
  kindOf: (line: number) => number,
): Stretch[] {
  const dayOf = (line: number) => lines.value_date[line] as number;
  const days = groupsOf(those, dayOf).sort(([a], [b]) => dayOf(a as number) - dayOf(b as number));
  const kindsOfDays = days.map((own, day) =>
    groupsOf(own, kindOf).map((group) => groupOf(lines, day, group)),
  );
  const kindAt = (group: Group) => kindOf(group.lines[0] as number);
  const stretches: Stretch[] = [];
  for (let from = 0; from < days.length; from++) {
    const kinds = new Map<number, Group[]>();
    for (let to = from; to < Math.min(days.length, from + MAX_DAYS); to++) {
      for (const group of kindsOfDays[to] as Group[])
        kinds.set(kindAt(group), [...(kinds.get(kindAt(group)) ?? []), group]);
      stretches.push(...unionsOf([...kinds.values()], from, to));
    }
  }
  return stretches;
}

/** Those of lines without a name, by what they are described as. */
export function stretchesOfKinds(lines: Lines, near: number[]): Stretch[] {
  const { counterparty, description } = lines.hashes;
  const nameless = near.filter((line) => !counterparty.has(line));
  return stretchesOf(lines, nameless, (line) =>
    description.has(line) ? description.key(line) : 0,
  );
}

/** Targets come by day, and those of one day and currency have the same lines around them. */
export class LastStretches {
  private last: { key: string; list: Stretch[] } = { key: "", list: [] };

  around(key: string, read: () => Stretch[]): Stretch[] {
    if (this.last.key !== key) this.last = { key, list: read() };
    return this.last.list;
  }
}

function groupsOf(lines: number[], keyOf: (line: number) => number): number[][] {
  return [...Map.groupBy(lines, keyOf).values()];
}

function groupOf(lines: Lines, day: number, own: number[]): Group {
  const total = own.reduce((sum, line) => sum + (lines.amount[line] as number), 0);
  return { day, total, lines: own };
}

/**
 * All of the kinds and any two or more of a few, with lines of the first and of the last day; of one
 * day not all, which others look at.
 */
function unionsOf(kinds: Group[][], first: number, last: number): Stretch[] {
  const all = (1 << kinds.length) - 1;
  const masks = kinds.length > MAX_KINDS ? [all] : Array.from({ length: all }, (_, at) => at + 1);
  return masks.flatMap((mask) => {
    const some = kinds.length > MAX_KINDS ? kinds : kinds.filter((_, at) => (mask >> at) & 1);
    if (some.length === 1 && kinds.length > 1) return [];
    if (first === last && some.length === kinds.length) return [];
    const groups = some.flat();
    const reaches = (end: number) => groups.some(({ day }) => day === end);
    if (!reaches(first) || !reaches(last)) return [];
    const total = groups.reduce((sum, group) => sum + group.total, 0);
    return { total, lines: () => groups.flatMap((group) => group.lines) };
  });
}
