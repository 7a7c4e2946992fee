import { stringify } from "csv-stringify/sync";
import { z } from "zod";
import type { Export, ExportFormat } from "../wire/contract.ts";

const TYPES: Record<ExportFormat, string> = { csv: "text/csv; charset=utf-8", ndjson: "application/x-ndjson" };

/** Streams pages as they come. Waits for the first, so that an early failure is still a problem response and not a broken file. */
export async function exportResponse(
  file: Export,
  format: ExportFormat,
  pages: AsyncIterable<readonly unknown[]>,
  headers: Headers,
): Promise<Response> {
  const iterator = pages[Symbol.asyncIterator]();
  const first = await iterator.next();
  headers.set("Content-Type", TYPES[format]);
  headers.set("Content-Disposition", "attachment");
  return new Response(streamOf(linesOf(file, format, first, iterator)), { headers });
}

/** As fast as the reader reads. */
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

async function* linesOf(
  { columns, item }: Export,
  format: ExportFormat,
  first: IteratorResult<readonly unknown[]>,
  rest: AsyncIterator<readonly unknown[]>,
): AsyncGenerator<string> {
  const items = z.array(item);
  if (format === "csv") yield csvOf([], columns, true);
  for (let page = first; !page.done; page = await rest.next()) {
    if (page.value.length === 0) continue;
    const rows = items.parse(page.value) as Record<string, unknown>[];
    yield format === "csv" ? csvOf(rows, columns, false) : rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  }
}

/** RFC 4180. */
export function csvOf(rows: readonly Record<string, unknown>[], columns: readonly string[], header: boolean): string {
  return stringify([...rows], {
    header,
    columns: [...columns],
    record_delimiter: "windows",
    // By default, a lone line feed isn't quoted.
    quoted_match: /[;\t\r\n]/,
    cast: {
      string: harmless,
      object: (value) => harmless(JSON.stringify(value)),
      boolean: String,
    },
  });
}

/**
 * What makes a spreadsheet read a cell as a formula, at its start or after what some read as the end of the previous cell
 * (OWASP, CSV Injection): it's escaped with an apostrophe.
 */
const FORMULA = /^(?=[;=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])(?=[=+\-@＝＋－＠])/gu;

function harmless(text: string): string {
  return text.replace(FORMULA, "'");
}
