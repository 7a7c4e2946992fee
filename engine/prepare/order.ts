import { type Lines, TEXT_FIELDS } from "../lines.ts";

/**
 * The canonical order of the lines of a side: by content, then identity, never by when or where
 * they were added. Every tie is settled by it.
 */
export function compareLines(lines: Lines, a: number, b: number): number {
  return compareContent(lines, a, b) || lines.identity.compare(a, b);
}

/** 0 where nothing that is matched on tells two lines of a side apart. */
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

/** The numbers of `lines` that pass, in canonical order. */
export function sortLines(lines: Lines, keep: (line: number) => boolean): Int32Array {
  let count = 0;
  const order = new Int32Array(lines.length);
  for (let line = 0; line < lines.length; line++) if (keep(line)) order[count++] = line;
  return order.slice(0, count).sort((a, b) => compareLines(lines, a, b));
}
