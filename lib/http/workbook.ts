import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { runQueued } from "../runtime/tenant-queue.ts";
import { type FinalMessage, isFinal, messagesOf, threads } from "../runtime/threads.ts";
import type { Cover, Export, Exported, Sheet } from "../wire/contract.ts";
import { ApiError, invalidRequest } from "../wire/errors.ts";
import type { Item } from "./sheets.ts";

/**
 * The rows are in memory until the workbook is written, about 140 MB of the server's 768 MB. The
 * contracts' `format` states this limit.
 */
const ROWS_MAX = 20_000;

/** Loaded from the source file: a bundle would hold a second copy of the writer. */
const THREAD = join(process.cwd(), "lib/http/workbook-thread.ts");
const MEMORY_MAX_MB = 384;

/**
 * A workbook of 20,000 rows takes seconds. Two are accepted at a time; other callers are asked to
 * retry.
 */
const writers = () =>
  threads<readonly Sheet[]>({
    name: "writes workbooks",
    begin: () => new Worker(THREAD, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MB } }),
    max: 1,
    maxTasks: 2,
  });

/** The messages to the thread: some items, or the end with the cover, if there is one. */
export type ToWriter = readonly Item[] | { cover: Cover | undefined };

/**
 * Writes the pages of an export as a workbook (OOXML), in a worker thread. @throws ApiError
 * `invalid_request` over 20,000 rows; `unavailable` while two are being written, or if the thread
 * died
 */
export async function workbookOf(
  tenantId: string,
  { item, workbook = [] }: Export,
  { pages, cover }: Exported,
): Promise<Uint8Array<ArrayBuffer>> {
  const items = z.array(item);
  const port = writers().open(workbook);
  const send = (message: ToWriter) => port.postMessage(message);
  // Listens before sending, because the thread may die before it has all items.
  const written = endOf(messagesOf<FinalMessage>(port));
  written.catch(() => {});
  try {
    let rows = 0;
    for await (const page of pages) {
      rows += page.length;
      if (rows > ROWS_MAX) throw tooMany();
      await runQueued(tenantId, () => send(items.parse(page) as Item[]));
    }
    send({ cover });
    return await written;
  } finally {
    port.close();
  }
}

async function endOf(messages: AsyncIterable<FinalMessage>): Promise<Uint8Array<ArrayBuffer>> {
  for await (const message of messages)
    if (isFinal(message)) return message.answer as Uint8Array<ArrayBuffer>;
  throw new ApiError(
    "unavailable",
    "The workbook couldn't be written. Try again, or export it as csv.",
    {
      headers: { "Retry-After": "2" },
    },
  );
}

function tooMany(): ApiError {
  const max = ROWS_MAX.toLocaleString("en");
  return invalidRequest([
    {
      path: "format",
      message: `A workbook holds at most ${max} rows, and these are more. Export them as csv.`,
    },
  ]);
}
