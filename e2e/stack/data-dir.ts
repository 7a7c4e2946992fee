import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const dataDirs: string[] = [];
afterAll(() => {
  for (const dataDir of dataDirs) rmSync(dataDir, { recursive: true, force: true });
});

/** A directory that is deleted after the tests of this file. */
export function freshDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), "tieout-stack-"));
  dataDirs.push(dataDir);
  return dataDir;
}
