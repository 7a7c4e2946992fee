import { stringify } from "csv-stringify/sync";
import type { Table } from "../contract.ts";

const TYPES = { "text/csv": "csv", "application/x-ndjson": "ndjson" } as const;
export type TableFormat = (typeof TYPES)[keyof typeof TYPES];

/** The form in which the caller takes a list as a whole; null: page by page, as JSON. */
export function tableFormat(request: Request): TableFormat | null {
  const accepted = (request.headers.get("accept") ?? "").split(",").map((range) => range.split(";")[0]?.trim().toLowerCase());
  const type = accepted.find((one): one is keyof typeof TYPES => one !== undefined && one in TYPES);
  return type ? TYPES[type] : null;
}

/** Sends pages as they come. The first is waited for, so that what cannot begin is still a problem and no broken file. */
export async function tableResponse<Row>(
  table: Table<Row>,
  format: TableFormat,
  pages: AsyncIterable<Row[]>,
  headers: Headers,
): Promise<Response> {
  const iterator = pages[Symbol.asyncIterator]();
  const first = await iterator.next();
  headers.set("Content-Type", format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson");
  return new Response(streamOf(linesOf(table, format, first, iterator)), { headers });
}

/** As fast as the reader takes it. */
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

async function* linesOf<Row>(
  { columns, row }: Table<Row>,
  format: TableFormat,
  first: IteratorResult<Row[]>,
  rest: AsyncIterator<Row[]>,
): AsyncGenerator<string> {
  if (format === "csv") yield csv([], columns, true);
  for (let page = first; !page.done; page = await rest.next()) {
    if (page.value.length === 0) continue;
    yield format === "csv" ? csv(page.value.map(row), columns, false) : page.value.map((one) => `${JSON.stringify(one)}\n`).join("");
  }
}

/** RFC 4180. A cell that a spreadsheet would take for a formula is quoted with an apostrophe. */
function csv(rows: Record<string, unknown>[], columns: readonly string[], header: boolean): string {
  return stringify(rows, { header, columns: [...columns], escape_formulas: true, record_delimiter: "windows" });
}
