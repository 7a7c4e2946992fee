import { TieoutError } from "./errors.ts";
import type { CallOptions, Send } from "./request.ts";

/** Longer than an end mark, and than a zip's last record. */
const TAIL_BYTES = 64;
/** The last line of a text export with `end_mark`. */
const END_MARK = /(?:^|\n)(#end,\d+\r\n|\{"\$end":\{"rows":\d+\}\}\n)$/;

/**
 * An export: iterate it for rows (`ndjson`), or read its `bytes()`. Both throw if it is incomplete.
 */
export class Export implements AsyncIterable<Record<string, unknown>> {
  readonly #open: () => Promise<Response>;

  /** @internal */
  constructor(open: () => Promise<Response>) {
    this.#open = open;
  }

  /** The file in chunks, in the query's `format`. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    const response = await this.#open();
    let tail = new Uint8Array();
    try {
      for await (const chunk of response.body ?? []) {
        const all = new Uint8Array(tail.length + chunk.length);
        all.set(tail);
        all.set(chunk, tail.length);
        if (all.length > TAIL_BYTES) yield all.subarray(0, -TAIL_BYTES);
        tail = all.slice(-TAIL_BYTES);
      }
    } catch (cause) {
      if ((cause as Error).name === "AbortError") throw cause;
      throw incomplete(response, cause);
    }
    const text = new TextDecoder("latin1").decode(tail);
    const isText = /text|ndjson/.test(response.headers.get("content-type") ?? "");
    const mark = isText ? END_MARK.exec(text)?.[1] : hasFileEnd(text) ? "" : undefined;
    if (mark === undefined) throw incomplete(response);
    if (tail.length > mark.length) yield tail.subarray(0, tail.length - mark.length);
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
  return new Export(async () => (await send(request)).response);
}

/** The query of an export of rows. A workbook needs no mark. */
export function rowsIn<Query extends { format?: string }>(query?: Query) {
  const format = query?.format ?? "ndjson";
  return { ...query, format, end_mark: format === "xlsx" ? undefined : true };
}

/** Whether a zip has its last record of 22 bytes, or a PDF its last line. */
function hasFileEnd(tail: string): boolean {
  return tail.slice(-22).startsWith("PK\u0005\u0006") || tail.trimEnd().endsWith("%%EOF");
}

function incomplete({ headers, status }: Response, cause?: unknown): TieoutError {
  const requestId = headers.get("x-request-id") ?? undefined;
  const more = { cause, status, requestId, retryable: true };
  return new TieoutError("incomplete_response", "The export was cut: start it again.", more);
}
