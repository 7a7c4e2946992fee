import type { Exception } from "#lib/exceptions/contract.ts";
import { type BreachRisk, breachRisk, minutesToBreach } from "../deadline.ts";

export type GroupName = BreachRisk | "paused";

/** A heading or a row of the board. `index` is the row's place among the rows. */
export type Line =
  | { id: string; kind: "group"; group: GroupName; rows: number }
  | { id: string; kind: "row"; item: Exception; index: number };

const GROUPS: readonly GroupName[] = ["breached", "high", "medium", "low", "paused"];

/**
 * Rows sorted by deadline, with a heading for each risk as of `now`. With `folded`, the breached
 * rows are missing but have a heading. Other groups without rows have none.
 */
export function groupedLines(items: readonly Exception[], now: number, folded: boolean): Line[] {
  const lines: Line[] = folded ? [headingOf("breached", 0)] : [];
  let lastGroup: GroupName | undefined = folded ? "breached" : undefined;
  for (const [index, item] of items.entries()) {
    const group = groupOf(item, now);
    // While the clock runs, the limit of a group moves, but no row moves back over it.
    if (lastGroup === undefined || GROUPS.indexOf(group) > GROUPS.indexOf(lastGroup)) {
      lines.push(headingOf(group, 0));
      lastGroup = group;
    }
    lines.push({ id: item.id, kind: "row", item, index });
  }
  for (let at = lines.length - 1, rows = 0; at >= 0; at -= 1) {
    const line = lines[at] as Line;
    if (line.kind === "row") rows += 1;
    else {
      line.rows = rows;
      rows = 0;
    }
  }
  return lines;
}

export function plainLines(items: readonly Exception[]): Line[] {
  return items.map((item, index) => ({ id: item.id, kind: "row", item, index }));
}

function headingOf(group: GroupName, rows: number): Line {
  return { id: `group ${group}`, kind: "group", group, rows };
}

function groupOf({ paused_at, due_at }: Exception, now: number): GroupName {
  return paused_at === null ? breachRisk(minutesToBreach(due_at, now)) : "paused";
}
