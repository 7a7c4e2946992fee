/**
 * The lines that only one of two texts has, in order, as a patch without context; empty if both are
 * equal.
 */
export function difference(committed: string, generated: string): string[] {
  if (committed === generated) return [];
  const [before, after] = [committed.split("\n"), generated.split("\n")];
  const committedLines = counted(before);
  const generatedLines = counted(after);
  const removed = before
    .filter((line) => !decrement(generatedLines, line))
    .map((line) => `- ${line}`);
  const added = after.filter((line) => !decrement(committedLines, line)).map((line) => `+ ${line}`);
  return removed.length + added.length > 0
    ? [...removed, ...added]
    : ["The lines are the same but in a different order."];
}

function counted(lines: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

function decrement(counts: Map<string, number>, line: string): boolean {
  const remaining = counts.get(line) ?? 0;
  counts.set(line, remaining - 1);
  return remaining > 0;
}
