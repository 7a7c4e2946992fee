import type { Client } from "pg";
import { to as copyTo } from "pg-copy-streams";

/**
 * A row of a binary COPY. Its fields are read in the query's order, each by the method of its type.
 */
export class Row {
  private buffer: Buffer = Buffer.alloc(0);
  private at = 0;

  /** @returns the end of the row, or −1 if it is incomplete. */
  set(buffer: Buffer, at: number, fields: number): number {
    this.buffer = buffer;
    this.at = at;
    let end = at;
    for (let field = 0; field < fields; field++) {
      if (end + 4 > buffer.length) return -1;
      end += 4 + Math.max(0, buffer.readInt32BE(end));
      if (end > buffer.length) return -1;
    }
    return end;
  }

  /** The field's bytes, valid until the next row; null for NULL. */
  bytes(): Buffer | null {
    const length = this.buffer.readInt32BE(this.at);
    const from = this.at + 4;
    this.at = from + Math.max(0, length);
    return length < 0 ? null : this.buffer.subarray(from, this.at);
  }

  /** text of ASCII, such as a currency; null for NULL. */
  text(): string | null {
    return this.bytes()?.toString("latin1") ?? null;
  }

  /** bigint, exact within ±(2^53 − 1). */
  integer(): number {
    const bytes = this.bytes() as Buffer;
    return bytes.readInt32BE(0) * 2 ** 32 + bytes.readUInt32BE(4);
  }

  /** date, as days since 1970-01-01; null for NULL. */
  day(): number | null {
    const bytes = this.bytes();
    return bytes && bytes.readInt32BE(0) + DAYS_TO_2000;
  }

  real(): number {
    return (this.bytes() as Buffer).readFloatBE(0);
  }

  boolean(): boolean {
    return (this.bytes() as Buffer)[0] === 1;
  }
}

const DAYS_TO_2000 = 10_957;
/** Signature, flags and the length of the header extension, which is empty. */
const HEADER_BYTES = 19;

/**
 * Reads a query's result in COPY's binary format, row by row, without making strings of fields that
 * aren't read as text.
 */
export async function copyRows(
  client: Client,
  query: string,
  onRow: (row: Row) => void,
): Promise<void> {
  const stream = client.query(
    copyTo(`copy (${query}) to stdout (format binary)`, { highWaterMark: 1 << 20 }),
  );
  const row = new Row();
  let rest: Buffer = Buffer.alloc(0);
  let hasHeader = false;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const buffer = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let at = 0;
    if (!hasHeader) {
      if (buffer.length < HEADER_BYTES) {
        rest = buffer;
        continue;
      }
      at = HEADER_BYTES;
      hasHeader = true;
    }
    while (at + 2 <= buffer.length) {
      const fields = buffer.readInt16BE(at);
      // The trailer.
      if (fields < 0) break;
      const end = row.set(buffer, at + 2, fields);
      if (end < 0) break;
      onRow(row);
      at = end;
    }
    rest = buffer.subarray(at);
  }
}
