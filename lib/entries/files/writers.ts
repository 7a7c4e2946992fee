import type { Entry } from "../contract.ts";
import { FORMAT_FILES, type PushFormat } from "../rules/contract.ts";
import { csv } from "./csv.ts";
import { datev } from "./datev-extf.ts";
import type { EntryFile, EntryFileWriter } from "./entry-file-writer.ts";
import { netsuite } from "./netsuite.ts";
import { quickbooks, quickbooksIif } from "./quickbooks.ts";
import { sap } from "./sap.ts";
import { encodeWindows1252 } from "./windows-1252.ts";
import { xero } from "./xero.ts";

const WRITERS: Record<PushFormat, EntryFileWriter> = {
  csv,
  datev,
  xero,
  quickbooks,
  quickbooks_iif: quickbooksIif,
  netsuite,
  sap,
};

/**
 * Splits pages of entries, from the first entry on, at the end of each part. Parts count from 1.
 */
export async function* splitIntoParts(
  pages: AsyncIterable<readonly Entry[]>,
  format: PushFormat,
): AsyncGenerator<{ part: number; entries: readonly Entry[] }> {
  const { maxEntries } = FORMAT_FILES[format];
  let count = 0;
  for await (const page of pages) {
    for (let at = 0; at < page.length; ) {
      const part = Math.floor(count / maxEntries) + 1;
      const entries = page.slice(at, at + part * maxEntries - count);
      yield { part, entries };
      at += entries.length;
      count += entries.length;
    }
  }
}

/** The beginning of a file. @throws ApiError for ledger settings that the layout lacks */
export function headerOf(file: EntryFile): Uint8Array {
  const writer = WRITERS[file.format];
  return encoded(writer, writer.header(file));
}

/** @throws ApiError for an entry that the layout can't hold */
export function rowsOf(entries: readonly Entry[], file: EntryFile): Uint8Array {
  const writer = WRITERS[file.format];
  return encoded(writer, entries.map((entry) => writer.rows(entry, file)).join(""));
}

/** Encodes text in the layout's charset. */
function encoded({ charset }: EntryFileWriter, text: string): Uint8Array {
  return charset === "utf-8" ? new TextEncoder().encode(text) : encodeWindows1252(text);
}
