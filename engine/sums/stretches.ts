/** Groups of lines of consecutive days, not counting days without lines, and their totals. */
import type { Lines } from "../lines.ts";

type Stretch = { total: number; lines: () => number[] };
/** Lines of one day and kind. `day` only counts days that have lines. */
type Group = { day: number; total: number; lines: number[] };

/** The maximum number of days: a payout covers a week at most. */
const MAX_DAYS = 7;
/** With more kinds of lines, only the total of all kinds is considered. */
const MAX_KINDS = 4;

/**
 * The stretches of two or more consecutive days, with all their lines or the lines of some kinds,
 * and single days with the lines of some kinds.
 */
export function stretchesOf(
  lines: Lines,
  members: number[],
  kindOf: (line: number) => number,
): Stretch[] {
  const dayOf = (line: number) => lines.value_date[line] as number;
  const days = groupsOf(members, dayOf).sort(([a], [b]) => dayOf(a as number) - dayOf(b as number));
  const kindsOfDays = days.map((ofDay, day) =>
    groupsOf(ofDay, kindOf).map((group) => groupOf(lines, day, group)),
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

/** The stretches of lines without a counterparty. Their kind is their description. */
export function stretchesOfKinds(lines: Lines, near: number[]): Stretch[] {
  const { counterparty, description } = lines.hashes;
  const nameless = near.filter((line) => !counterparty.has(line));
  return stretchesOf(lines, nameless, (line) =>
    description.has(line) ? description.key(line) : 0,
  );
}

/**
 * Caches the last stretches. Targets come by day, and those of one day and currency have the same
 * lines around them.
 */
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

function groupOf(lines: Lines, day: number, members: number[]): Group {
  const total = members.reduce((sum, line) => sum + (lines.amount[line] as number), 0);
  return { day, total, lines: members };
}

/**
 * The unions of kinds that have lines of the first and of the last day: of all kinds and, if they
 * are few, of any two or more. All lines of a single day are left out, because that is another
 * family.
 */
function unionsOf(kinds: Group[][], first: number, last: number): Stretch[] {
  const all = (1 << kinds.length) - 1;
  const masks = kinds.length > MAX_KINDS ? [all] : Array.from({ length: all }, (_, at) => at + 1);
  return masks.flatMap((mask) => {
    const chosen = kinds.length > MAX_KINDS ? kinds : kinds.filter((_, at) => (mask >> at) & 1);
    if (chosen.length === 1 && kinds.length > 1) return [];
    if (first === last && chosen.length === kinds.length) return [];
    const groups = chosen.flat();
    const hasDay = (end: number) => groups.some(({ day }) => day === end);
    if (!hasDay(first) || !hasDay(last)) return [];
    const total = groups.reduce((sum, group) => sum + group.total, 0);
    return { total, lines: () => groups.flatMap((group) => group.lines) };
  });
}
