/** A thread of its own, where files are read: what parses 64 MiB must not hold the event loop that answers others' calls. */
import { type MessagePort, parentPort } from "node:worker_threads";
import { giveWay } from "../../runtime/give-way.ts";
import { ApiError } from "../../wire/errors.ts";
import { batchesOf } from "./batches.ts";
import type { FromReader, ToReader } from "./reader.ts";

giveWay();

/** One message a file: its media type, and the port by which it comes. */
parentPort?.on("message", ({ mediaType, port }: { mediaType: string; port: MessagePort }) => void read(mediaType, port));

async function read(mediaType: string, port: MessagePort): Promise<void> {
  const answered = new Map<string, (answer: ToReader) => void>();
  port.on("message", (answer: ToReader) => answered.get(answer.to)?.(answer));
  // The client disconnected, so its rows are no longer read.
  const abandoned = new Promise<never>((_, give) => port.once("close", () => give(new Error("abandoned"))));
  abandoned.catch(() => {});
  const ask = (message: FromReader) => {
    const answer = new Promise<ToReader>((settle) => answered.set(message.type, settle));
    port.postMessage(message);
    return Promise.race([answer, abandoned]);
  };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const { chunk } = await ask({ type: "more" });
      if (!chunk) return;
      yield chunk;
    }
  }
  try {
    for await (const batch of batchesOf(mediaType, chunks())) await ask({ type: "batch", batch });
    port.postMessage({ type: "end" } satisfies FromReader);
  } catch (error) {
    const { code, message, errors } = error instanceof ApiError ? error : new ApiError("internal", String(error));
    port.postMessage({ type: "failed", code, message, errors } satisfies FromReader);
  } finally {
    port.close();
  }
}
