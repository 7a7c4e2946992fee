import type { Entry } from "../contract.ts";
import type { PushFormat } from "../rules/contract.ts";
import { csv } from "./csv.ts";
import { datev } from "./datev-extf.ts";
import type { LedgerFile, LedgerWriter } from "./ledger-writer.ts";
import { netsuite } from "./netsuite.ts";
import { quickbooks, quickbooksIif } from "./quickbooks.ts";
import { sap } from "./sap.ts";
import { encodeWindows1252 } from "./windows-1252.ts";
import { xero } from "./xero.ts";

export const WRITERS: Record<PushFormat, LedgerWriter> = {
  csv,
  datev,
  xero,
  quickbooks,
  quickbooks_iif: quickbooksIif,
  netsuite,
  sap,
};

/** How many entries a file's currency has, and how many files of the layout they need. */
export function partsOf(
  { batch, currency }: LedgerFile,
  { maxEntries }: LedgerWriter,
): { count: number; parts: number } {
  const count = batch.sums.find((sum) => sum.currency === currency)?.entry_count ?? 0;
  return { count, parts: Math.max(1, Math.ceil(count / maxEntries)) };
}

/** Pages of entries from the first on, cut where a part ends. Parts are counted from 1. */
export async function* byPart(
  pages: AsyncIterable<readonly Entry[]>,
  { maxEntries }: LedgerWriter,
): AsyncGenerator<{ part: number; entries: readonly Entry[] }> {
  let seen = 0;
  for await (const page of pages) {
    for (let at = 0; at < page.length; ) {
      const part = Math.floor(seen / maxEntries) + 1;
      const entries = page.slice(at, at + part * maxEntries - seen);
      yield { part, entries };
      at += entries.length;
      seen += entries.length;
    }
  }
}

export function rowsOf(
  entries: readonly Entry[],
  { rows }: LedgerWriter,
  file: LedgerFile,
): string {
  return entries.map((entry) => rows(entry, file)).join("");
}

/** The text in the charset of the layout. */
export function encoded({ charset }: LedgerWriter, text: string): Uint8Array {
  return charset === "utf-8" ? new TextEncoder().encode(text) : encodeWindows1252(text);
}

/** Names the currency if the batch has several, and the part if the currency has several. */
export function fileNameOf(writer: LedgerWriter, file: LedgerFile, part = 1): string {
  const currency = file.batch.sums.length > 1 ? `-${file.currency}` : "";
  const suffix = partsOf(file, writer).parts > 1 ? `${currency}-${part}` : currency;
  return writer.fileName(file).replace(/(?=\.\w+$)/, suffix);
}
