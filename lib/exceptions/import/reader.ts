import { on } from "node:events";
import { join } from "node:path";
import { MessageChannel, Worker } from "node:worker_threads";
import { log } from "../../runtime/log.ts";
import { processWide } from "../../runtime/process-wide.ts";
import { ApiError, type ErrorCode, type FieldError } from "../../wire/errors.ts";
import type { Batch } from "./batches.ts";

/** What the thread says, and what it is answered; `more` and `batch` each wait for their answer. */
export type FromReader =
  | { type: "more" }
  | { type: "batch"; batch: Batch }
  | { type: "end" }
  | { type: "failed"; code: ErrorCode; message: string; errors: FieldError[] | undefined };
export type ToReader = { to: "more" | "batch"; chunk?: Uint8Array };

/** Read as it lies there: a bundle of it would be a second copy of the domain. */
const THREAD = join(process.cwd(), "lib/exceptions/import/reader-thread.ts");
const MEMORY_MAX_MB = 512;

const thread = () => processWide<{ worker: Worker | undefined }>("import-reader", () => ({ worker: undefined }));

/** One thread for all files, begun with the first of them, and anew after it died. */
function readerThread(): Worker {
  const state = thread();
  if (state.worker) return state.worker;
  const worker = new Worker(THREAD, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MB } });
  worker.unref();
  worker.on("error", (error) => log.error({ err: error }, "the thread that reads imported files failed"));
  worker.on("exit", () => {
    if (state.worker === worker) state.worker = undefined;
  });
  state.worker = worker;
  return worker;
}

/**
 * The batches of an uploaded file, read in a thread of its own, as fast as they are taken.
 * @throws ApiError, as `batchesOf`; `unavailable` where the thread died
 */
export async function* readBatches(mediaType: string, stream: ReadableStream<Uint8Array>): AsyncGenerator<Batch> {
  const { port1: port, port2 } = new MessageChannel();
  readerThread().postMessage({ mediaType, port: port2 }, [port2]);
  const bytes = stream.getReader();
  const answer = (to: ToReader["to"], chunk?: Uint8Array<ArrayBuffer>) =>
    port.postMessage({ to, chunk } satisfies ToReader, chunk ? [chunk.buffer] : []);
  try {
    for await (const [message] of on(port, "message", { close: ["close"] }) as AsyncIterable<[FromReader]>) {
      if (message.type === "end") return;
      if (message.type === "failed") throw new ApiError(message.code, message.message, { errors: message.errors });
      if (message.type === "batch") {
        yield message.batch;
        answer("batch");
      } else {
        const { value } = await bytes.read();
        // A copy of its own, which can be handed over: the chunk may be a part of a larger buffer.
        answer("more", value && new Uint8Array(value));
      }
    }
    throw new ApiError("unavailable", "The file could not be read to its end. Send it again with the same idempotency key.", {
      headers: { "Retry-After": "2" },
    });
  } finally {
    port.close();
  }
}
