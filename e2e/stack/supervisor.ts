import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { until } from "#e2e/until.ts";
import { freePort } from "../../supervisor/ports.ts";

const MAIN = fileURLToPath(new URL("../../supervisor/main.ts", import.meta.url));
/** As long as the supervisor itself waits, because a machine may be busy. */
const READY_TIMEOUT_MS = 120_000;
const PARTS = ["postgres", "data-api", "worker", "matcher", "web"] as const;

export type PartName = (typeof PARTS)[number];
type Entry = { part: string; level: string; msg: string; pid?: number; [field: string]: unknown };

/** The variables with which other processes reach a stack. */
export function stackOf(dataDir: string): { env: Record<string, string> } {
  return JSON.parse(readFileSync(join(dataDir, "stack.json"), "utf8"));
}

/** A supervisor under test, and the entries of its log. */
export class Supervisor {
  readonly entries: Entry[] = [];
  readonly port: number;
  readonly process: ChildProcess;

  private constructor(port: number, env: Record<string, string>) {
    this.port = port;
    this.process = spawn(process.execPath, [MAIN], {
      env: { ...process.env, PORT: String(port), ...env },
      // Closing the channel ends what a failed test leaves behind.
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    this.process.channel?.unref();
    createInterface({ input: this.process.stdout as NodeJS.ReadableStream }).on("line", (line) =>
      this.entries.push(JSON.parse(line)),
    );
  }

  static async start(env: Record<string, string>): Promise<Supervisor> {
    return new Supervisor(env.PORT ? Number(env.PORT) : await freePort(), env);
  }

  static async ready(env: Record<string, string>): Promise<Supervisor> {
    const supervisor = await Supervisor.start(env);
    await until(
      "the stack to be ready",
      () => {
        if (supervisor.process.exitCode !== null)
          throw new Error(`The stack did not start: ${supervisor.fatal}`);
        return supervisor.says("ready");
      },
      READY_TIMEOUT_MS,
    );
    return supervisor;
  }

  says(msg: string): boolean {
    return this.entries.some((entry) => entry.part === "supervisor" && entry.msg === msg);
  }

  /** The message with which it gave up. */
  get fatal(): string | undefined {
    return this.entries.findLast(({ level }) => level === "fatal")?.msg;
  }

  /** @param part its name, with a number if there are several */
  pidOf(part: string): number {
    return this.entries.findLast(({ msg }) => msg === `${part} started`)?.pid ?? Number.NaN;
  }

  get pids(): number[] {
    return PARTS.map((part) => this.pidOf(part));
  }

  get(path: string): Promise<number> {
    return fetch(`http://127.0.0.1:${this.port}${path}`).then(
      ({ status }) => status,
      () => 0,
    );
  }

  /** @returns the exit code, or the signal that ended it. */
  async end(signal?: NodeJS.Signals): Promise<number | string | null> {
    if (signal) this.process.kill(signal);
    if (this.process.exitCode === null && this.process.signalCode === null)
      await once(this.process, "exit");
    return this.process.exitCode ?? this.process.signalCode;
  }
}

/** Whether a process runs. A zombie doesn't count. */
export function runs(pid: number): boolean {
  return (
    spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" })
      .stdout.trim()
      .replace(/^Z.*/, "") !== ""
  );
}
