import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { until } from "#e2e/until.ts";

/** A run waits for a matcher, which has a low priority. */
const TIMEOUT_MS = 180_000;
const END = "\u0001";

/**
 * One bash for all examples of a guide, as a reader has one terminal. A failed command ends it. Its
 * Node is the machine's, which is older than ours.
 */
export class Shell {
  readonly #process: ChildProcessWithoutNullStreams;
  #output = "";
  #errors = "";

  constructor(folder: string, variables: Record<string, string>) {
    const env = {
      ...process.env,
      ...variables,
      PATH: (process.env.PATH ?? "")
        .split(":")
        .filter((folder) => !folder.includes("/node_modules/"))
        .join(":"),
    };
    this.#process = spawn("bash", ["-s"], { cwd: folder, env, detached: true });
    this.#process.stdout.setEncoding("utf8").on("data", (text: string) => (this.#output += text));
    this.#process.stderr.setEncoding("utf8").on("data", (text: string) => (this.#errors += text));
    this.#process.stdin.write("set -euo pipefail\n");
  }

  get #ended(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  /** Runs a script and returns its output. @throws Error with the failure, if a command fails. */
  async run(script: string): Promise<string> {
    this.#output = "";
    this.#errors = "";
    this.#process.stdin.write(`${script}\nprintf '\\001'\n`);
    await until(
      "the example ends",
      async () => this.#ended || this.#output.includes(END),
      TIMEOUT_MS,
    );
    if (!this.#output.includes(END)) throw new Error(`${script}\n→ ${this.#output}${this.#errors}`);
    return this.#output.slice(0, this.#output.indexOf(END));
  }

  async end(): Promise<void> {
    if (this.#ended || !this.#process.pid) return;
    const exited = once(this.#process, "exit");
    // Including its background processes.
    process.kill(-this.#process.pid, "SIGKILL");
    await exited;
  }
}
