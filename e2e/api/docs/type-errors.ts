import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const OPTIONS = [
  "--noEmit",
  "--strict",
  "--target",
  "es2024",
  "--module",
  "nodenext",
  "--moduleDetection",
  "force",
  "--types",
  "node",
  "--typeRoots",
  join(ROOT, "node_modules/@types"),
  "--ignoreConfig",
];

/** What the compiler finds wrong with modules of a folder; empty if they are sound. */
export function typeErrors(folder: string, files: string[]): string {
  const compiler = join(ROOT, "node_modules/.bin/tsc");
  const { status, stdout } = spawnSync(compiler, [...OPTIONS, ...files], {
    cwd: folder,
    encoding: "utf8",
  });
  return status === 0 ? "" : `${status}: ${stdout}`;
}
