import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

const MAIN = join(import.meta.dirname, "../src/main.ts");

export type Ended = { code: number | null; stdout: string; stderr: string };
type Running = { child: ChildProcess; ended: Promise<Ended> };

/** Starts the command line as a caller of this address, without a saved profile. */
export function startTieout(
  url: string,
  args: string[],
  env: Record<string, string> = {},
): Running {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: {
      ...process.env,
      TIEOUT_CONFIG: join(import.meta.dirname, "none.json"),
      TIEOUT_URL: url,
      TIEOUT_TENANT: "acme",
      TIEOUT_TOKEN: "id.secret",
      ...env,
    },
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (part) => {
    output.stdout += part;
  });
  child.stderr.setEncoding("utf8").on("data", (part) => {
    output.stderr += part;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code) => resolve({ code, ...output }));
  });
  return { child, ended };
}

/** Runs a command to its end, with this text on its stdin. */
export function runTieout(
  url: string,
  args: string[],
  { input = "", env = {} }: { input?: string; env?: Record<string, string> } = {},
): Promise<Ended> {
  const { child, ended } = startTieout(url, args, env);
  child.stdin?.end(input);
  return ended;
}
