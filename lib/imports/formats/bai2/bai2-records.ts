/** The start of a record. Text such as `16,000 UNITS` only looks like one and lacks its fields. */
const START = /^(?:0[123]|16|49|88|98|99)(?:[,/]|$)/;
const FIELDS: Record<string, RegExp> = {
  "01": /^01,[^,]*,[^,]*,\d{6},/,
  "02": /^02,[^,]*,[^,]*,\d?,\d{6},/,
  "03": /^03,[^,]*,(?:[A-Z]{3})?,(?:\d{3})?,/,
  "16": /^16,\d{3},[^,]*,[^,]*,/,
  "49": /^49,[+-]?\d*,\d*\s*(?:\/|$)/,
  "88": /^88,/,
  "98": /^98,[+-]?\d*,\d*,\d*\s*(?:\/|$)/,
  "99": /^99,[+-]?\d*,\d*,\d*\s*(?:\/|$)/,
};
/** A slash ends a record; the next one may follow on the same line. */
const NEXT = /\/\s*(?=(?:0[123]|16|49|88|98|99),)/g;

/** A record with its continuations. */
export type Bai2Record = {
  code: string;
  /** Its fields, then those of each continuation, without the slash. */
  pieces: string[];
  /** The whole record as one text, for messages. */
  text: string;
  line: number;
  /** The number of lines with a code, and of all lines, because banks count either. */
  coded: number;
  physical: number;
};

export type Bai2Handler = {
  record: (record: Bai2Record) => void;
  /** Called for a line that belongs to no record. */
  stray: (text: string, line: number) => void;
  /** @throws FileRefused */
  tooLong: (record: Bai2Record) => never;
};

/**
 * Joins lines into records, which may be continued by 88, wrapped without it, or share one line.
 */
export class Bai2Records {
  readonly #handler: Bai2Handler;
  readonly #maxLength: number;
  #record: Bai2Record | undefined;
  #isTerminated = false;
  /** Whether the header shares its line with other records; then continuations may, too. */
  #sharesLines: boolean | undefined;

  constructor(maxLength: number, handler: Bai2Handler) {
    this.#maxLength = maxLength;
    this.#handler = handler;
  }

  read(line: string, number: number): void {
    const text = line.trim();
    if (text === "" || text === "\u001a") return;
    this.#sharesLines ??= text.search(/\/\s*02,/) > 0;
    let from = 0;
    for (const { index, 0: end } of text.matchAll(NEXT)) {
      const next = text.slice(index + end.length);
      if (!FIELDS[next.slice(0, 2)]?.test(next)) continue;
      if (next.startsWith("88") && !this.#sharesLines) continue;
      this.#readPart(text.slice(from, index + 1), number);
      from = index + end.length;
    }
    this.#readPart(text.slice(from), number);
  }

  end(): void {
    const record = this.#record;
    this.#record = undefined;
    if (record) this.#handler.record(record);
  }

  #readPart(part: string, number: number) {
    const isTerminated = part.endsWith("/");
    const body = isTerminated ? part.slice(0, -1) : part;
    const code = part.slice(0, 2);
    const record = this.#record;
    const isOpenText = record?.code === "16" && !this.#isTerminated;
    const isStart = isOpenText ? FIELDS[code]?.test(part) : START.test(part);
    if (isStart && code !== "88") {
      this.end();
      this.#record = {
        code,
        pieces: [body],
        text: body,
        line: number,
        coded: 1,
        physical: 1,
      };
    } else if (!record) return this.#handler.stray(part, number);
    else if (!isStart && record.code !== "16" && this.#isTerminated) {
      this.end();
      return this.#handler.stray(part, number);
    } else this.#continue(record, isStart ? body.slice(3) : body, isStart === true);
    this.#isTerminated = isTerminated;
  }

  #continue(record: Bai2Record, body: string, isCoded: boolean): void {
    record.physical++;
    if (isCoded) record.coded++;
    // Lines may be wrapped within a number; within a text, the line break replaced a space.
    if (isCoded || record.code === "16") record.pieces.push(body);
    else record.pieces.push(`${record.pieces.pop()}${body}`);
    const separator = isCoded && this.#isTerminated ? "," : record.code === "16" ? " " : "";
    record.text += `${separator}${body}`;
    if (record.text.length > this.#maxLength) this.#handler.tooLong(record);
  }
}
