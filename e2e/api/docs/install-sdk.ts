import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Where `npm install @tieout/sdk` would put it. */
export async function installSdk(folder: string): Promise<void> {
  const source = join(ROOT, "sdk/typescript");
  const installed = join(folder, "node_modules/@tieout/sdk");
  mkdirSync(installed, { recursive: true });
  copyFileSync(join(source, "package.json"), join(installed, "package.json"));
  await promisify(execFile)(process.execPath, [join(source, "build.mjs"), join(installed, "dist")]);
}
