/**
 * A worker thread that parses uploaded files: parsing 64 MiB would block the event loop that
 * answers other calls.
 */
import type { MessagePort } from "node:worker_threads";
import { serveTasks } from "../../runtime/serve-tasks.ts";
import { batchesOf } from "./batches.ts";
import type { FromReader, ToReader } from "./reader.ts";

/** Each task is one file and starts with its media type. The bytes arrive by the port. */
serveTasks(async (mediaType: string, port: MessagePort) => {
  const waiting = new Map<string, (answer: ToReader) => void>();
  port.on("message", (answer: ToReader) => waiting.get(answer.to)?.(answer));
  // Rejects when the client disconnects, because nobody needs its rows any more.
  const abandoned = new Promise<never>((_, reject) =>
    port.once("close", () => reject(new Error("abandoned"))),
  );
  abandoned.catch(() => {});
  const ask = (message: FromReader) => {
    const answer = new Promise<ToReader>((settle) => waiting.set(message.type, settle));
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
  for await (const batch of batchesOf(mediaType, chunks())) await ask({ type: "batch", batch });
});
