/** Formats a Markdown table. */
export function table(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  return [
    line(head),
    line(head.map((_, at) => (at === 0 ? "---" : "---:"))),
    ...rows.map(line),
  ].join("\n");
}

export function share(value: number, digits = 4): string {
  return value.toFixed(digits);
}

export function count(value: number): string {
  return value.toLocaleString("en-US");
}
