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
  const temporaryPath = `${path}.${process.pid}`;
  const remove = () => rmSync(temporaryPath, { force: true });
  // A signal ends the process without the steps below.
  process.once("exit", remove);
  try {
    await pipeline(Readable.from(bytes), createWriteStream(temporaryPath));
    await rename(temporaryPath, path);
  } finally {
    await rm(temporaryPath, { force: true });
    process.off("exit", remove);
  }
  note(options, `Saved ${path}`);
}
