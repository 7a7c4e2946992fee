import { Readable } from "node:stream";
import type { z } from "zod";
import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { everyPage } from "../../request/every-page.ts";
import { runQueued } from "../../runtime/tenant-queue.ts";
import { invalidRequest } from "../../wire/errors.ts";
import type { Entry, EntryBatch, getLedgerFileContract } from "../contract.ts";
import { listEntries } from "../list-entries.ts";
import type { EntryRuleSet } from "../rules/contract.ts";
import { completeLedger } from "../rules/stored.ts";
import type { LedgerFile, LedgerWriter } from "./ledger-writer.ts";
import { byPart, encoded, fileNameOf, partsOf, rowsOf, WRITERS } from "./writers.ts";

type Query = z.output<typeof getLedgerFileContract.query>;
type Opened = { batch: EntryBatch; ledger: Partial<EntryRuleSet["ledger"]> };

/**
 * A batch in the layout of a ledger. Its entries are read twice: before the first byte, whether the
 * layout can hold them, and then to write them. @throws ApiError `not_found`, `conflict`,
 * `invalid_request`
 */
export async function getLedgerFile(
  ctx: Context,
  id: string,
  { format, currency, part }: Query,
): Promise<{ body: ReadableStream<Uint8Array>; name: string }> {
  const writer = WRITERS[format];
  const exported = { format, query: { id, currency, part } };
  const { batch, ledger } = await read<Opened>({ ...ctx, exported }, "open_ledger_file", { id });
  const file = {
    batch,
    ledger: completeLedger(ledger),
    currency: currencyOf(batch, currency),
  };
  const step = { ...ctx, continues: true };
  const entries = () => entriesOf(step, file, writer, part);
  requirePart(file, writer, part);
  writer.header(file);
  for await (const page of entries())
    await runQueued(ctx.tenantId, () => rowsOf(page, writer, file));
  return {
    body: Readable.toWeb(
      Readable.from(bytesOf(ctx.tenantId, writer, file, entries())),
    ) as ReadableStream,
    name: fileNameOf(writer, file, part),
  };
}

function currencyOf({ sums }: EntryBatch, asked: string | undefined): string {
  const currencies = sums.map(({ currency }) => currency);
  const chosen = asked ?? (currencies.length === 1 ? currencies[0] : undefined);
  if (chosen !== undefined && currencies.includes(chosen)) return chosen;
  throw invalidRequest([
    { path: "currency", message: `Choose one of the batch's: ${currencies.join(", ")}.` },
  ]);
}

function requirePart(file: LedgerFile, writer: LedgerWriter, part: number | undefined): void {
  const { count, parts } = partsOf(file, writer);
  if ((part ?? 1) <= parts && (parts === 1 || part !== undefined)) return;
  throw invalidRequest([
    {
      path: "part",
      message: `${writer.name} takes ${writer.maxEntries.toLocaleString("en")} entries a file, and these are ${count.toLocaleString("en")}: choose a part from 1 to ${parts}.`,
    },
  ]);
}

/** The entries of a part, page by page. */
async function* entriesOf(
  ctx: Context,
  { batch, currency }: LedgerFile,
  writer: LedgerWriter,
  wanted = 1,
): AsyncGenerator<readonly Entry[]> {
  const pages = everyPage(ctx, (step, page) => listEntries(step, batch.id, { ...page, currency }));
  for await (const { part, entries } of byPart(pages as AsyncIterable<Entry[]>, writer)) {
    if (part > wanted) return;
    if (part === wanted) yield entries;
  }
}

async function* bytesOf(
  tenantId: string,
  writer: LedgerWriter,
  file: LedgerFile,
  entries: AsyncIterable<readonly Entry[]>,
): AsyncGenerator<Uint8Array> {
  yield encoded(writer, writer.header(file));
  for await (const page of entries)
    yield await runQueued(tenantId, () => encoded(writer, rowsOf(page, writer, file)));
}
