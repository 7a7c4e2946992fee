import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const FOLDER = join(import.meta.dirname, "../../../sdk/python");

/** Where a Python process finds the SDK and its tests. */
export const PYTHONPATH = ["src", "tests"].map((name) => join(FOLDER, name)).join(":");

/**
 * The system's Python, where it has httpx (Debian: python3-httpx), else one of a virtual environment
 * in this folder.
 */
export async function pythonWithHttpx(folder: string): Promise<string> {
  const system = await run("python3", ["-c", "import httpx"]).then(
    () => "python3",
    () => null,
  );
  if (system) return system;
  await run("python3", ["-m", "venv", join(folder, "venv")]);
  const own = join(folder, "venv/bin/python");
  await run(own, ["-m", "pip", "install", "--quiet", "httpx>=0.23,<1"]);
  return own;
}
