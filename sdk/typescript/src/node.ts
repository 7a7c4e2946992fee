import { openAsBlob } from "node:fs";
import { basename } from "node:path";

/** A file on disk to import, read as it is sent: a retry reads it from its beginning. */
export async function openFile(path: string, { type = "" } = {}): Promise<File> {
  return new File([await openAsBlob(path, { type })], basename(path), { type });
}
