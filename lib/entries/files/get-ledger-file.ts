import { Readable } from "node:stream";
import type { z } from "zod";
import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { everyPage } from "../../request/every-page.ts";
import { runQueued } from "../../runtime/tenant-queue.ts";
import { invalidRequest } from "../../wire/errors.ts";
import {
  type Entry,
  type EntryBatch,
  fileNameOf,
  type getLedgerFileContract,
  partsOf,
} from "../contract.ts";
import { listEntries } from "../list-entries.ts";
import { type EntryRuleSet, FORMAT_FILES } from "../rules/contract.ts";
import { withDefaultSettings } from "../rules/stored.ts";
import type { EntryFile } from "./entry-file-writer.ts";
import { headerOf, rowsOf, splitIntoParts } from "./writers.ts";

type Query = z.output<typeof getLedgerFileContract.query>;
type Opened = { batch: EntryBatch; ledger: Partial<EntryRuleSet["ledger"]> };

/**
 * A batch in the layout of a ledger. Its entries are read twice: first to check that the layout can
 * hold them, before the first byte is sent, and then to write them.
 * @throws ApiError `not_found`, `conflict`, `invalid_request`
 */
export async function getLedgerFile(
  ctx: Context,
  id: string,
  { format, currency, part }: Query,
): Promise<{ body: ReadableStream<Uint8Array>; name: string }> {
  const exported = { format, query: { id, currency, part } };
  const { batch, ledger } = await read<Opened>({ ...ctx, exported }, "open_ledger_file", { id });
  const file: EntryFile = {
    batch,
    ledger: withDefaultSettings(ledger),
    currency: currencyOf(batch, currency),
    format,
  };
  const step = { ...ctx, continues: true };
  const rows = () => rowsIn(step, file, part);
  requirePart(file, part);
  headerOf(file);
  for await (const _ of rows());
  return {
    body: Readable.toWeb(Readable.from(bytesOf(file, rows()))) as ReadableStream,
    name: fileNameOf(file, part),
  };
}

function currencyOf({ sums }: EntryBatch, requested: string | undefined): string {
  const currencies = sums.map(({ currency }) => currency);
  const chosen = requested ?? (currencies.length === 1 ? currencies[0] : undefined);
  if (chosen !== undefined && currencies.includes(chosen)) return chosen;
  throw invalidRequest([
    { path: "currency", message: `Choose one of the batch's: ${currencies.join(", ")}.` },
  ]);
}

function requirePart(file: EntryFile, part: number | undefined): void {
  const { count, parts } = partsOf(file);
  if ((part ?? 1) <= parts && (parts === 1 || part !== undefined)) return;
  const { label, maxEntries } = FORMAT_FILES[file.format];
  const [max, needed] = [maxEntries, count].map((number) => number.toLocaleString("en"));
  throw invalidRequest([
    {
      path: "part",
      message:
        `${label} takes ${max} entries a file, and these are ${needed}: ` +
        `choose a part from 1 to ${parts}.`,
    },
  ]);
}

/** The rows of a part's entries, page by page. */
async function* rowsIn(ctx: Context, file: EntryFile, wanted = 1): AsyncGenerator<Uint8Array> {
  const { batch, currency, format } = file;
  const pages = everyPage(ctx, (step, page) => listEntries(step, batch.id, { ...page, currency }));
  for await (const { part, entries } of splitIntoParts(pages as AsyncIterable<Entry[]>, format)) {
    if (part > wanted) return;
    if (part === wanted) yield await runQueued(ctx.tenantId, () => rowsOf(entries, file));
  }
}

async function* bytesOf(
  file: EntryFile,
  rows: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield headerOf(file);
  yield* rows;
}
