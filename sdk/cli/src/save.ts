import { createWriteStream, rmSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { note } from "./output.ts";

/** Saves bytes as a file, which appears only when it is complete. */
export async function saveAs(
  options: { json?: boolean },
  path: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const written = `${path}.${process.pid}`;
  const remove = () => rmSync(written, { force: true });
  // A signal ends the process without the steps below.
  process.once("exit", remove);
  try {
    await pipeline(Readable.from(bytes), createWriteStream(written));
    await rename(written, path);
  } finally {
    await rm(written, { force: true });
    process.off("exit", remove);
  }
  note(options, `Saved ${path}`);
}
