import type { Readable } from "node:stream";
import { type Entry, fromBuffer, type ZipFile } from "yauzl";
import { refuseFile } from "../refusal.ts";

const MAX_ENTRIES = 10_000;

/** The files of an archive, by name. */
export type Zip = { zip: ZipFile; entries: Map<string, Entry> };

/** @throws FileRefused for an archive that is truncated, encrypted or not an archive */
export async function openZip(bytes: Buffer, fileName: string): Promise<Zip> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(damaged(error, fileName));
    fromBuffer(bytes, { lazyEntries: true, strictFileNames: false }, (error, zip) => {
      if (error) return fail(error);
      const entries = new Map<string, Entry>();
      zip.on("error", fail);
      zip.on("end", () => resolve({ zip, entries }));
      zip.on("entry", (entry: Entry) => {
        if (entries.size === MAX_ENTRIES) return fail(new Error(`more than ${MAX_ENTRIES} files`));
        if (!entry.fileName.endsWith("/")) entries.set(entry.fileName, entry);
        zip.readEntry();
      });
      zip.readEntry();
    });
  });
}

/**
 * Unpacks a file of an archive as a stream. Reading fails if it has more bytes than its header
 * states.
 * @throws FileRefused if its header states more than `maxBytes`
 */
export async function* readEntry(
  { zip }: Zip,
  entry: Entry,
  maxBytes: number,
): AsyncGenerator<Buffer, void> {
  if (entry.isEncrypted())
    throw refused("The archive has a password.", entry.fileName, "a file without a password");
  if (entry.uncompressedSize > maxBytes)
    throw refused(
      "The file is too large once it is unpacked.",
      entry.fileName,
      `at most ${maxBytes} bytes`,
    );
  const stream = await new Promise<Readable>((resolve, reject) =>
    zip.openReadStream(entry, (error, opened) =>
      error ? reject(damaged(error, entry.fileName)) : resolve(opened),
    ),
  );
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    throw damaged(error as Error, entry.fileName);
  } finally {
    stream.destroy();
  }
}

function damaged({ message }: Error, found: string): Error {
  return refused(`The archive can't be unpacked: ${message}.`, found, "a whole archive");
}

function refused(problem: string, found: string, wanted: string): Error {
  return refuseFile({ line: 1 }, null, problem, found, wanted);
}
