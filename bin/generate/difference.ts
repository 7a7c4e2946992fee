/** The lines of `made` that `kept` lacks and the reverse, in order, as a patch without context; empty where both are equal. */
export function difference(kept: string, made: string): string[] {
  if (kept === made) return [];
  const [before, after] = [kept.split("\n"), made.split("\n")];
  const keptLines = counted(before);
  const madeLines = counted(after);
  const gone = before.filter((line) => !take(madeLines, line)).map((line) => `- ${line}`);
  const come = after.filter((line) => !take(keptLines, line)).map((line) => `+ ${line}`);
  return gone.length + come.length > 0
    ? [...gone, ...come]
    : ["The lines are the same but in a different order."];
}

function counted(lines: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

function take(counts: Map<string, number>, line: string): boolean {
  const left = counts.get(line) ?? 0;
  counts.set(line, left - 1);
  return left > 0;
}
