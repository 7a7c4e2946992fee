import { type Lines, TEXT_FIELDS } from "../lines.ts";

/**
 * Compares lines of a side by canonical order: by content, then by identity, never by when they
 * were added. This order settles every tie.
 */
export function compareLines(lines: Lines, a: number, b: number): number {
  return compareContent(lines, a, b) || lines.identity.compare(a, b);
}

/** Compares the fields that rules use; 0 if they don't tell two lines of a side apart. */
export function compareContent(lines: Lines, a: number, b: number): number {
  const { value_date, currency, amount, booked_date, hashes } = lines;
  const first =
    (value_date[a] as number) - (value_date[b] as number) ||
    (currency[a] as number) - (currency[b] as number) ||
    (amount[a] as number) - (amount[b] as number) ||
    (booked_date[a] as number) - (booked_date[b] as number);
  if (first !== 0) return first;
  for (const field of TEXT_FIELDS) {
    const order = hashes[field].compare(a, b);
    if (order !== 0) return order;
  }
  return 0;
}

/** The line numbers that pass a test, in canonical order. */
export function sortLines(lines: Lines, isIncluded: (line: number) => boolean): Int32Array {
  let count = 0;
  const order = new Int32Array(lines.length);
  for (let line = 0; line < lines.length; line++) if (isIncluded(line)) order[count++] = line;
  return order.slice(0, count).sort((a, b) => compareLines(lines, a, b));
}
