import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { hasEnded, messagesOf, threads } from "../../runtime/threads.ts";
import { ApiError } from "../../wire/errors.ts";
import type { Batch } from "./batches.ts";

/** What the thread says before it ends, and what it is answered; each waits for its answer. */
export type FromReader = { type: "more" } | { type: "batch"; batch: Batch };
export type ToReader = { to: "more" | "batch"; chunk?: Uint8Array };

/** Read as it lies there: a bundle of it would be a second copy of the domain. */
const THREAD = join(process.cwd(), "lib/exceptions/import/reader-thread.ts");
const MEMORY_MAX_MB = 512;

/** One for all files: each waits for its bytes and its transactions most of the time. */
const readers = () =>
  threads<string>({
    name: "reads imported files",
    begin: () => new Worker(THREAD, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MB } }),
    max: 1,
  });

/**
 * The batches of an uploaded file, read in a thread of its own, as fast as they are taken.
 * @throws ApiError, as `batchesOf`; `unavailable` where the thread died
 */
export async function* readBatches(
  mediaType: string,
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<Batch> {
  const port = readers().open(mediaType);
  const bytes = stream.getReader();
  const answer = (to: ToReader["to"], chunk?: Uint8Array<ArrayBuffer>) =>
    port.postMessage({ to, chunk } satisfies ToReader, chunk ? [chunk.buffer] : []);
  try {
    for await (const message of messagesOf<FromReader>(port)) {
      if (hasEnded(message)) return;
      if (message.type === "batch") {
        yield message.batch;
        answer("batch");
      } else {
        const { value } = await bytes.read();
        // A copy of its own, which can be handed over: the chunk may be a part of a larger buffer.
        answer("more", value && new Uint8Array(value));
      }
    }
    throw new ApiError(
      "unavailable",
      "The file could not be read to its end. Send it again with the same idempotency key.",
      {
        headers: { "Retry-After": "2" },
      },
    );
  } finally {
    port.close();
  }
}
