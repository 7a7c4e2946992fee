import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, expect, test } from "vitest";
import { CommitBuild } from "#e2e/commit-build.ts";

const builds: CommitBuild[] = [];
afterAll(() => {
  for (const build of builds) build.remove();
});

/** Caches and traces, which contain the times of the build. */
const NOT_SERVED = /^(cache|trace|trace-build)(\/|$)/;
/** Secrets, which each build generates randomly. */
const KEYS =
  /((?:previewMode(?:Id|SigningKey|EncryptionKey)|encryptionKey)\\?"\s*:\s*\\?")[^"\\]+/g;

function digestsOf({ folder }: CommitBuild): Record<string, string> {
  const built = join(folder, ".next");
  const files = readdirSync(built, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files
    .map((entry) => relative(built, join(entry.parentPath, entry.name)))
    .filter((path) => !NOT_SERVED.test(path));
  return Object.fromEntries(
    paths.sort().map((path) => {
      const content = readFileSync(join(built, path), "latin1")
        .replaceAll(folder, "")
        .replace(KEYS, "$1");
      return [path, createHash("sha256").update(content, "latin1").digest("hex")];
    }),
  );
}

test("two builds of a commit in different folders differ only in their keys", {
  timeout: 900_000,
}, () => {
  builds.push(new CommitBuild("HEAD"), new CommitBuild("HEAD"));
  const [one = {}, other = {}] = builds.map(digestsOf);
  expect(Object.keys(one).length).toBeGreaterThan(1000);
  expect(other).toEqual(one);
});
