import type { ImportLine } from "#lib/imports/formats/line.ts";

/** Columns of `pg_temp.staged_lines` in the order of `stagedRow`. */
export const STAGED_COLUMNS = [
  "position",
  "file_line",
  "external_id",
  "amount_minor",
  "fee_minor",
  "currency",
  "value_date",
  "booked_date",
  "reference",
  "counterparty",
  "description",
  "group_key",
  "details",
] as const;

const NULL = "\\N";
const SPECIAL = /[\\\t\n\r]/;
const ESCAPES: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** A line in the text format of COPY (https://www.postgresql.org/docs/17/sql-copy.html). */
export function stagedRow(line: ImportLine, position: number): string {
  return `${position}\t${line.position.line}\t${cell(line.external_id)}\t${line.amount_minor}\t${line.fee_minor ?? NULL}\t${line.currency}\t${
    line.value_date
  }\t${line.booked_date ?? NULL}\t${cell(line.reference)}\t${cell(line.counterparty)}\t${cell(line.description)}\t${cell(line.group_key)}\t${detailsOf(line)}\n`;
}

function cell(text: string | undefined): string {
  if (text === undefined) return NULL;
  return SPECIAL.test(text) ? text.replace(/[\\\t\n\r]/g, (mark) => ESCAPES[mark] ?? mark) : text;
}

function detailsOf({ details }: ImportLine): string {
  for (const _ in details) return cell(JSON.stringify(details));
  return NULL;
}
