/** A thread of its own, where files are read: what parses 64 MiB must not hold the event loop that answers others' calls. */
import type { MessagePort } from "node:worker_threads";
import { serveTasks } from "../../runtime/serve-tasks.ts";
import { batchesOf } from "./batches.ts";
import type { FromReader, ToReader } from "./reader.ts";

/** One task a file: its media type. Its bytes come by the port. */
serveTasks(async (mediaType: string, port: MessagePort) => {
  const answered = new Map<string, (answer: ToReader) => void>();
  port.on("message", (answer: ToReader) => answered.get(answer.to)?.(answer));
  // The client disconnected, so its rows are no longer read.
  const abandoned = new Promise<never>((_, give) =>
    port.once("close", () => give(new Error("abandoned"))),
  );
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
  for await (const batch of batchesOf(mediaType, chunks())) await ask({ type: "batch", batch });
});
