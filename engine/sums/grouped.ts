/** Groups of two or more lines that have the same key, in the order of their first lines. */
export function grouped(lines: number[], keyOf: (line: number) => number | null): number[][] {
  const groups = new Map<number, number[]>();
  for (const line of lines) {
    const key = keyOf(line);
    if (key === null) continue;
    const group = groups.get(key);
    if (group) group.push(line);
    else groups.set(key, [line]);
  }
  return [...groups.values()].filter((group) => group.length >= 2);
}
