import { stringify } from "csv-stringify/sync";
import { z } from "zod";
import { runQueued } from "../runtime/tenant-queue.ts";
import { type Export, type Exported, type ExportFormat, XLSX } from "../wire/contract.ts";
import { CSV_LAYOUT, escapeFormula } from "../wire/csv-injection.ts";
import { attachment } from "./attachment.ts";
import { workbookOf } from "./workbook.ts";

type TextFormat = Exclude<ExportFormat, "xlsx">;
type Row = Record<string, unknown>;

type TextWriter = {
  header: (file: Export) => string;
  rows: (rows: readonly Row[], file: Export) => string;
  /** The last line of a complete file. */
  endMark: (rows: number) => string;
};

const TEXTS: Record<TextFormat, TextWriter> = {
  csv: {
    header: ({ columns }) => csvOf([], columns, true),
    rows: (rows, { columns, amounts }) => csvOf(rows, columns, false, amounts),
    endMark: (rows) => `#end,${rows}\r\n`,
  },
  ndjson: {
    header: () => "",
    rows: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
    endMark: (rows) => `${JSON.stringify({ $end: { rows } })}\n`,
  },
};

const TYPES: Record<ExportFormat, string> = {
  csv: "text/csv; charset=utf-8",
  ndjson: "application/x-ndjson",
  xlsx: XLSX,
};

/** 100 rows take a few milliseconds to write. */
const ROWS_PER_TURN = 100;

/**
 * Streams pages as they arrive, written in the tenant's queue. Waits for the first page (for a
 * workbook, for all), so that an early failure is a problem response and not a broken file. The file
 * is saved as `name` with the ending of its format. With
 * `hasEndMark`, text ends with a line that says so, because a proxy may end a cut response
 * properly.
 * @throws ApiError `invalid_request` if a workbook would have too many rows
 */
export async function exportResponse(
  tenantId: string,
  file: Export,
  format: ExportFormat,
  exported: Exported & { name: string },
  headers: Headers,
  hasEndMark = false,
): Promise<Response> {
  const body =
    format === "xlsx"
      ? await workbookOf(tenantId, file, exported)
      : await textStream(tenantId, file, format, exported, hasEndMark);
  headers.set("Content-Type", TYPES[format]);
  headers.set("Content-Disposition", attachment(`${exported.name}.${format}`));
  return new Response(body, { headers });
}

async function textStream(
  tenantId: string,
  file: Export,
  format: TextFormat,
  { pages }: Exported,
  hasEndMark: boolean,
) {
  const iterator = pages[Symbol.asyncIterator]();
  const texts = textsOf(tenantId, file, format, await iterator.next(), iterator, hasEndMark);
  return streamOf(texts);
}

/** Reads a page only when the client has read the one before. */
function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}

async function* textsOf(
  tenantId: string,
  file: Export,
  format: TextFormat,
  first: IteratorResult<readonly unknown[]>,
  rest: AsyncIterator<readonly unknown[]>,
  hasEndMark: boolean,
): AsyncGenerator<string> {
  const items = z.array(file.item);
  const text = TEXTS[format];
  const textOf = (page: readonly unknown[]) => text.rows(items.parse(page) as Row[], file);
  const header = text.header(file);
  if (header !== "") yield header;
  let count = 0;
  for (let page = first; !page.done; page = await rest.next()) {
    const { value } = page;
    for (let at = 0; at < value.length; at += ROWS_PER_TURN) {
      yield await runQueued(tenantId, () => textOf(value.slice(at, at + ROWS_PER_TURN)));
    }
    count += value.length;
  }
  if (hasEndMark) yield text.endMark(count);
}

const NUMBER = /^-?\d+(\.\d+)?$/;

/**
 * Comma-separated text by RFC 4180, with formulas escaped. `amounts` are columns of numbers that
 * come as text: their minus sign begins no formula.
 */
export function csvOf(
  rows: readonly Row[],
  columns: readonly string[],
  header: boolean,
  amounts: readonly string[] = [],
): string {
  return stringify([...rows], {
    header,
    columns: [...columns],
    ...CSV_LAYOUT,
    cast: {
      string: (value, { column }) =>
        amounts.includes(`${column}`) && NUMBER.test(value) ? value : escapeFormula(value),
      object: (value) => escapeFormula(JSON.stringify(value)),
      boolean: String,
    },
  });
}
