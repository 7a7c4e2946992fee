import { detailsOf } from "./call.ts";
import { TieoutError } from "./errors.ts";
import type { CallOptions, Send } from "./request.ts";

/** Longer than an end mark, and than a zip's last record. */
const TAIL_BYTES = 64;
/** The last line of a text export with `end_mark`, and the number of its rows. */
const END_MARK = /(?:^|\n)((?:#end,|\{"\$end":\{"rows":)(\d+)(?:\r|\}\})\n)$/;

/**
 * An export: iterate it for rows (`ndjson`), or read its `bytes()`. Both throw if it is incomplete.
 */
export class Export implements AsyncIterable<Record<string, unknown>> {
  readonly #open: () => Promise<Response>;
  readonly #isMarked: boolean;

  /** @internal */
  constructor(open: () => Promise<Response>, isMarked = false) {
    this.#open = open;
    this.#isMarked = isMarked;
  }

  /** The file in chunks, in the query's `format`. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    const response = await this.#open();
    const type = response.headers.get("content-type") ?? "";
    // A workbook has its own end.
    const isMarked = this.#isMarked && !/zip|sheet/.test(type);
    const count = rowCounter(type.includes("csv"));
    let tail = new Uint8Array();
    try {
      for await (const chunk of response.body ?? []) {
        const all = new Uint8Array(tail.length + chunk.length);
        all.set(tail);
        all.set(chunk, tail.length);
        if (all.length > TAIL_BYTES) yield count(all.subarray(0, -TAIL_BYTES));
        tail = all.slice(-TAIL_BYTES);
      }
    } catch (cause) {
      if ((cause as Error).name === "AbortError") throw cause;
      throw incomplete(response, cause);
    }
    const text = new TextDecoder("latin1").decode(tail);
    const [, mark = "", rows] = (isMarked && END_MARK.exec(text)) || [];
    const last = count(tail.subarray(0, tail.length - mark.length));
    const isWhole = isMarked ? count.rows === Number(rows) : hasFileEnd(type, text);
    if (!isWhole) throw incomplete(response);
    if (last.length > 0) yield last;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Record<string, unknown>> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of this.bytes()) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield JSON.parse(line);
    }
  }
}

/** @internal */
export function exportOf(send: Send, path: string, query?: object, options?: CallOptions): Export {
  const request = { method: "GET", path, query, isExport: true, options };
  const isMarked = query !== undefined && "end_mark" in query;
  return new Export(async () => (await send(request)).response, isMarked);
}

/** Passes bytes on, and counts their lines in `rows`: in CSV without the header. */
function rowCounter(isCsv: boolean) {
  let isQuoted = false;
  const count = (bytes: Uint8Array<ArrayBuffer>) => {
    for (const byte of bytes) {
      if (byte === 34 && isCsv) isQuoted = !isQuoted;
      else if (byte === 10 && !isQuoted) count.rows += 1;
    }
    return bytes;
  };
  count.rows = isCsv ? -1 : 0;
  return count;
}

/** Whether a zip has its last record of 22 bytes, or a PDF its last line. Other files have none. */
function hasFileEnd(type: string, tail: string): boolean {
  if (/zip|sheet/.test(type)) return tail.slice(-22).startsWith("PK\u0005\u0006");
  return !type.includes("pdf") || tail.trimEnd().endsWith("%%EOF");
}

function incomplete(response: Response, cause?: unknown): TieoutError {
  const more = { ...detailsOf(response), cause, retryable: true };
  return new TieoutError("incomplete_response", "The export was cut: start it again.", more);
}
