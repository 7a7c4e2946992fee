/**
 * The lines of one side, stored in columns. A million lines take 200 MB with their texts; as
 * objects they would take a gigabyte. Numbers are in typed arrays, texts are UTF-8 in blocks, and
 * strings are created only for texts that are examined.
 */
import { growColumn, HashColumn, Hasher } from "./prepare/hash.ts";
import { hashText, type TextField, wordRanges, wordsOf } from "./prepare/text.ts";
import type { Side } from "./side.ts";

/** A text, or its UTF-8 bytes as delivered by a COPY stream. The bytes are copied. */
export type Text = string | Uint8Array;

export type Line = {
  /** The caller's number for the line. It is never compared, only returned. */
  handle: number;
  /**
   * Identifies the line on its side: its external ID, or its content and its number among lines
   * with equal content.
   */
  identity: Text;
  /** The open amount in minor units, a safe integer, with the sign of the source applied. */
  amount_minor: number;
  /** The ISO 4217 code, in capital letters. */
  currency: string;
  /** Days since 1970-01-01. */
  value_date: number;
  booked_date?: number | null;
  reference?: Text | null;
  counterparty?: Text | null;
  description?: Text | null;
  group_key?: Text | null;
  /** Another name of the counterparty (names.ts). */
  known_as?: string | null;
};

export const TEXT_FIELDS = [
  "reference",
  "counterparty",
  "description",
  "group_key",
] as const satisfies readonly TextField[];

/** Stands for a missing date. */
export const NO_DAY = -2147483648;

const BLOCK_BYTES = 1 << 20;
/** The number of bytes stored of a text. Longer texts are truncated. */
const TEXT_BYTES = 1000;
/** The number of positions that `textStart` can address. */
const MAX_TEXT_BYTES = 2 ** 32;

export class Lines {
  readonly side: Side;
  length = 0;
  handle: Float64Array;
  amount: Float64Array;
  currency: Uint16Array;
  value_date: Int32Array;
  booked_date: Int32Array;
  readonly identity: HashColumn;
  readonly hashes: Record<TextField, HashColumn>;
  private textStart: Uint32Array;
  private readonly textLength: Record<TextField, Uint16Array>;
  /** Known other names, by line. Few lines have one. */
  readonly knownAs = new Map<number, string>();
  private readonly blocks: Uint8Array[] = [];
  private blockUsed = BLOCK_BYTES;
  /** The block that the last ranges of `wordRanges` refer to. */
  block: Uint8Array = new Uint8Array(0);

  /** @param expected the expected number of lines. More are accepted, at the cost of copying. */
  constructor(side: Side, expected = 1024) {
    const capacity = Math.max(16, expected);
    this.side = side;
    this.handle = new Float64Array(capacity);
    this.amount = new Float64Array(capacity);
    this.currency = new Uint16Array(capacity);
    this.value_date = new Int32Array(capacity);
    this.booked_date = new Int32Array(capacity);
    this.identity = new HashColumn(capacity);
    this.hashes = {
      reference: new HashColumn(capacity),
      counterparty: new HashColumn(capacity),
      description: new HashColumn(capacity),
      group_key: new HashColumn(capacity),
    };
    this.textStart = new Uint32Array(capacity);
    this.textLength = {
      reference: new Uint16Array(capacity),
      counterparty: new Uint16Array(capacity),
      description: new Uint16Array(capacity),
      group_key: new Uint16Array(capacity),
    };
  }

  /** The number of bytes that the added texts occupy. */
  get textBytes(): number {
    return (
      Math.max(0, this.blocks.length - 1) * BLOCK_BYTES +
      (this.blocks.length > 0 ? this.blockUsed : 0)
    );
  }

  /**
   * @throws RangeError if the amount is not a safe integer, the day not an integer, the currency
   *   not three capital letters, or a side has more than 4 GiB of text.
   */
  add(line: Line): void {
    if (!Number.isSafeInteger(line.amount_minor))
      throw new RangeError(`amount_minor must be a safe integer, not ${line.amount_minor}.`);
    if (!Number.isInteger(line.value_date))
      throw new RangeError(`value_date must be a number of days, not ${line.value_date}.`);
    if (this.length === this.handle.length) this.grow();
    const index = this.length;
    this.handle[index] = line.handle;
    this.amount[index] = line.amount_minor;
    this.currency[index] = currencyNumber(line.currency);
    this.value_date[index] = line.value_date;
    this.booked_date[index] = line.booked_date ?? NO_DAY;
    this.identity.set(index, identityHash(line.identity));
    if (this.blockUsed + 4 * TEXT_BYTES > BLOCK_BYTES) this.newBlock();
    if (this.textBytes >= MAX_TEXT_BYTES)
      throw new RangeError("The texts of one side come to more than 4 GiB.");
    this.textStart[index] = (this.blocks.length - 1) * BLOCK_BYTES + this.blockUsed;
    this.addText(index, "reference", line.reference);
    this.addText(index, "counterparty", line.counterparty);
    this.addText(index, "description", line.description);
    this.addText(index, "group_key", line.group_key);
    if (line.known_as) this.knownAs.set(index, line.known_as);
    this.length += 1;
  }

  /** The text as received, null if there is none. */
  text(index: number, field: TextField): string | null {
    const length = this.textLength[field][index] as number;
    if (length === 0) return null;
    const start = this.textStartOf(index, field);
    const block = this.blocks[Math.floor(start / BLOCK_BYTES)] as Buffer;
    const offset = start % BLOCK_BYTES;
    return block.toString("utf8", offset, offset + length);
  }

  /** Counts the digits of a text without creating a string. */
  digitsIn(index: number, field: TextField): number {
    const length = this.textLength[field][index] as number;
    if (length === 0) return 0;
    const start = this.textStartOf(index, field);
    const block = this.blocks[Math.floor(start / BLOCK_BYTES)] as Uint8Array;
    const from = start % BLOCK_BYTES;
    let digits = 0;
    for (let at = from; at < from + length; at++) {
      const byte = block[at] as number;
      if (byte >= 0x30 && byte <= 0x39) digits += 1;
    }
    return digits;
  }

  words(index: number, field: TextField): string[] {
    const text = this.text(index, field);
    return text === null ? [] : wordsOf(text, field);
  }

  /** Calls `wordRanges` for a text. The ranges refer to `block`. */
  wordRanges(index: number, field: TextField, ranges: Int32Array): number {
    const length = this.textLength[field][index] as number;
    if (length === 0) return 0;
    const start = this.textStartOf(index, field);
    this.block = this.blocks[Math.floor(start / BLOCK_BYTES)] as Uint8Array;
    const offset = start % BLOCK_BYTES;
    return wordRanges(this.block, offset, offset + length, field, ranges);
  }

  currencyOf(index: number): string {
    return currencyName(this.currency[index] as number);
  }

  private textStartOf(index: number, field: TextField): number {
    let start = this.textStart[index] as number;
    for (const before of TEXT_FIELDS) {
      if (before === field) break;
      start += this.textLength[before][index] as number;
    }
    return start;
  }

  private addText(index: number, field: TextField, text: Text | null | undefined): void {
    if (text === null || text === undefined || text.length === 0) return;
    const block = this.blocks[this.blocks.length - 1] as Buffer;
    const start = this.blockUsed;
    const length =
      typeof text === "string" ? writeText(block, start, text) : writeBytes(block, start, text);
    this.textLength[field][index] = length;
    this.blockUsed += length;
    if (hashText(hash, block, start, start + length, field)) this.hashes[field].set(index, hash);
  }

  private newBlock(): void {
    this.blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
    this.blockUsed = 0;
  }

  private grow(): void {
    const capacity = this.handle.length * 2;
    this.handle = growColumn(this.handle, capacity);
    this.amount = growColumn(this.amount, capacity);
    this.currency = growColumn(this.currency, capacity);
    this.value_date = growColumn(this.value_date, capacity);
    this.booked_date = growColumn(this.booked_date, capacity);
    this.identity.grow(capacity);
    this.textStart = growColumn(this.textStart, capacity);
    for (const field of TEXT_FIELDS) {
      this.hashes[field].grow(capacity);
      this.textLength[field] = growColumn(this.textLength[field], capacity);
    }
  }
}

const hash = new Hasher();
const scratch = Buffer.allocUnsafeSlow(4096);

/**
 * The hash of a line's identity. It settles the canonical order, is part of digests, and identifies
 * the line in rejected combinations.
 */
export function identityHash(identity: Text): Hasher {
  const bytes =
    typeof identity !== "string"
      ? identity
      : identity.length * 3 > scratch.length
        ? Buffer.from(identity)
        : null;
  const length = bytes?.length ?? scratch.write(identity as string, 0, "utf8");
  const from = bytes ?? scratch;
  hash.start(0x1d);
  for (let at = 0; at < length; at++) hash.word(from[at] as number);
  return hash.word(length).finish();
}

function writeText(block: Buffer, start: number, text: string): number {
  const length = Math.min(text.length, TEXT_BYTES);
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return block.write(text, start, TEXT_BYTES, "utf8");
    block[start + at] = code;
  }
  return length;
}

function writeBytes(block: Buffer, start: number, bytes: Uint8Array): number {
  let length = Math.min(bytes.length, TEXT_BYTES);
  // Never cuts within a character: its continuation bytes are cut with it.
  if (length < bytes.length)
    while (length > 0 && ((bytes[length] as number) & 0xc0) === 0x80) length -= 1;
  for (let at = 0; at < length; at++) block[start + at] = bytes[at] as number;
  return length;
}

function currencyNumber(code: string): number {
  if (!/^[A-Z]{3}$/.test(code))
    throw new RangeError(`currency must be three capital letters, not ${JSON.stringify(code)}.`);
  return ((code.charCodeAt(0) - 64) * 27 + code.charCodeAt(1) - 64) * 27 + code.charCodeAt(2) - 64;
}

function currencyName(number: number): string {
  return String.fromCharCode(
    64 + Math.floor(number / 729),
    64 + (Math.floor(number / 27) % 27),
    64 + (number % 27),
  );
}
