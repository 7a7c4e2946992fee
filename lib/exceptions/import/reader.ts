import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { isFinal, messagesOf, threads } from "../../runtime/threads.ts";
import { ApiError } from "../../wire/errors.ts";
import type { Batch } from "./batches.ts";

/** The messages of the thread, and the answers to them; the thread waits for each answer. */
export type FromReader = { type: "more" } | { type: "batch"; batch: Batch };
export type ToReader = { to: "more" | "batch"; chunk?: Uint8Array };

/** Loaded from the source file: a bundle would hold a second copy of the domain. */
const THREAD = join(process.cwd(), "lib/exceptions/import/reader-thread.ts");
const MEMORY_MAX_MB = 512;

/** One thread reads all files, because each mostly waits for its upload and its transactions. */
const readers = () =>
  threads<string>({
    name: "reads imported files",
    begin: () => new Worker(THREAD, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MB } }),
    max: 1,
  });

/**
 * Yields the batches of an uploaded file, parsed in a worker thread at the speed of the caller.
 * @throws ApiError as `batchesOf` does; `unavailable` if the thread died
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
      if (isFinal(message)) return;
      if (message.type === "batch") {
        yield message.batch;
        answer("batch");
      } else {
        const { value } = await bytes.read();
        // Copied so that it can be transferred: the chunk may be part of a larger buffer.
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
