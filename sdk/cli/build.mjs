/** Compiles the command line together with the SDK: `node build.mjs [<folder>]` */
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const FOLDER = import.meta.dirname;
const dist = process.argv[2] ?? join(FOLDER, "dist");
const typescript = createRequire(import.meta.url).resolve("typescript/package.json");

rmSync(dist, { recursive: true, force: true });
execFileSync(
  process.execPath,
  [join(dirname(typescript), "bin/tsc"), "--project", FOLDER, "--outDir", dist],
  { stdio: "inherit" },
);
chmodSync(join(dist, "cli/src/main.js"), 0o755);
