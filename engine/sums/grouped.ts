/** Groups of two or more lines that have the same key, in the order of their first lines. */
export function grouped(lines: number[], keyOf: (line: number) => number | null): number[][] {
  const groups = Map.groupBy(lines, keyOf);
  groups.delete(null);
  return [...groups.values()].filter((group) => group.length >= 2);
}
