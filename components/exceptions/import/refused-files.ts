import { escapeFormula } from "#lib/wire/csv-injection.ts";
import { csvCell } from "./columns.ts";
import { FORMATS, type Format } from "./file-parts.ts";
import type { RefusedLine } from "./run-import.ts";

/** The reasons as CSV, safe to open in a spreadsheet. */
export function reasonsFile(refused: readonly RefusedLine[]): Blob {
  const cell = (text: string) => csvCell(escapeFormula(text));
  const rows = refused.map(({ line, path, message, text }) =>
    [String(line), path, message, text].map(cell).join(","),
  );
  return new Blob([["line,field,reason,record", ...rows, ""].join("\r\n")], { type: "text/csv" });
}

/** The rejected rows, unchanged, to fix and import as their own file. */
export async function recordsFile(
  refused: readonly RefusedLine[],
  format: Format,
  file: File,
): Promise<Blob> {
  const texts = [...new Map(refused.map(({ line, text }) => [line, text])).values()];
  const above = FORMATS[format].hasHeader ? [await firstLineOf(file)] : [];
  return new Blob([[...above, ...texts, ""].join("\n")], { type: "text/plain" });
}

const HEADER_MAX_BYTES = 64 * 1024;

async function firstLineOf(file: File): Promise<string> {
  return (await file.slice(0, HEADER_MAX_BYTES).text()).split(/\r?\n/, 1)[0] ?? "";
}
