export type Format = "csv" | "ndjson";

type FormatTraits = { name: string; mediaType: string; hasHeader: boolean; hasQuotes: boolean };

export const FORMATS: Record<Format, FormatTraits> = {
  csv: { name: "CSV", mediaType: "text/csv", hasHeader: true, hasQuotes: true },
  ndjson: {
    name: "NDJSON",
    mediaType: "application/x-ndjson",
    hasHeader: false,
    hasQuotes: false,
  },
};

/** A record's text in the file, and the number of its last line. */
export type FileRecord = { text: string; lastLine: number };

/** The records of one /v1 call. */
export type Part = {
  records: FileRecord[];
  /** The request body: the records, below the file's header if it has one. */
  text: string;
  bytes: number;
  /** Add to a line number in `text` to get the line number in the file. */
  lineOffset: number;
};

/** The rows of one server transaction. */
const PART_ROWS = 1000;
const PART_CHARS = 2_000_000;
const RECORD_MAX_CHARS = 256 * 1024;

/**
 * Splits a file into parts between records. @throws Error if it isn't UTF-8, or a record doesn't
 * end.
 */
export async function* partsOf(file: Blob, format: Format): AsyncGenerator<Part> {
  let header: FileRecord | undefined;
  let records: FileRecord[] = [];
  let chars = 0;
  const cut = (): Part => {
    const first = (records[0]?.lastLine ?? 1) - linesIn(records[0]?.text ?? "") + 1;
    const above = header ? [header.text] : [];
    const text = [...above, ...records.map((record) => record.text)].join("\n");
    const part = {
      records,
      text,
      bytes: sizeOf(records),
      lineOffset: first - 1 - (header ? linesIn(header.text) : 0),
    };
    records = [];
    chars = 0;
    return part;
  };
  for await (const record of recordsOf(file, format)) {
    if (FORMATS[format].hasHeader && !header) {
      header = record;
      continue;
    }
    if (record.text.trim() === "") continue;
    records.push(record);
    chars += record.text.length;
    if (records.length >= PART_ROWS || chars >= PART_CHARS) yield cut();
  }
  if (records.length > 0) yield cut();
}

async function* recordsOf(file: Blob, format: Format): AsyncGenerator<FileRecord> {
  const scan = new Scanner(format);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      yield* scan.feed(decoder.decode(value, { stream: !done }));
      if (done) break;
    }
  } catch (error) {
    throw error instanceof TypeError
      ? new Error("The file isn't UTF-8. Save it as UTF-8 and choose it again.")
      : error;
  } finally {
    await reader.cancel().catch(() => {});
  }
  yield* scan.end();
}

/** Finds the ends of records: line ends, except within quotes in CSV (RFC 4180). */
class Scanner {
  readonly #quotes: boolean;
  #rest = "";
  #line = 0;
  /**
   * How much of the rest was scanned without finding a record's end, and whether the scan stopped
   * within quotes.
   */
  #seen = 0;
  #quoted = false;

  constructor(format: Format) {
    this.#quotes = FORMATS[format].hasQuotes;
  }

  *feed(text: string): Generator<FileRecord> {
    this.#rest += text;
    let start = 0;
    for (let at = this.#nextEnd(this.#seen); at >= 0; at = this.#nextEnd(at + 1)) {
      yield this.#record(this.#rest.slice(start, at));
      start = at + 1;
    }
    this.#rest = this.#rest.slice(start);
    this.#seen = this.#rest.length;
    if (this.#rest.length > RECORD_MAX_CHARS) {
      const hint = this.#quoted ? "A quotation mark is never closed." : "It's longer than 256 kB.";
      throw new Error(
        `The row starting on line ${(this.#line + 1).toLocaleString("en")} doesn't end. ${hint}`,
      );
    }
  }

  *end(): Generator<FileRecord> {
    if (this.#rest !== "") yield this.#record(this.#rest);
    this.#rest = "";
  }

  #record(text: string): FileRecord {
    this.#line += linesIn(text);
    return { text: text.endsWith("\r") ? text.slice(0, -1) : text, lastLine: this.#line };
  }

  #nextEnd(from: number): number {
    if (!this.#quotes) return this.#rest.indexOf("\n", from);
    for (let at = from; at < this.#rest.length; at++) {
      const char = this.#rest.charCodeAt(at);
      // An escaped quote is doubled: it closes and reopens.
      if (char === 34 && (this.#quoted || this.#opensCell(at))) this.#quoted = !this.#quoted;
      else if (char === 10 && !this.#quoted) return at;
    }
    return -1;
  }

  #opensCell(at: number): boolean {
    const before = at === 0 ? 10 : this.#rest.charCodeAt(at - 1);
    return before === 44 || before === 10 || before === 34 || before === 0xfeff;
  }
}

function linesIn(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

function sizeOf(records: readonly FileRecord[]): number {
  return new Blob(records.map(({ text }) => text)).size + records.length;
}
