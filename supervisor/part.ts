import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { holdLifeline } from "./lifeline.ts";
import { entryOf, log, write } from "./log.ts";

const HEALTHY_AFTER_MS = 30_000;
const LONGEST_PAUSE_MS = 30_000;

export type PartOptions = {
  name: string;
  command: string[];
  env: Record<string, string>;
  /** The account to run under, where the command does not see to it itself. */
  ids?: { uid: number; gid: number };
  stopSignal?: NodeJS.Signals;
  stopWithinMs: number;
  /** True for our own programs: they get a channel that closes when the supervisor dies, and end by it. */
  channel: boolean;
  entry?: typeof entryOf;
};

const started: Part[] = [];
let stopping = false;

/** Stops every part, the last started first, and lets none start from then on. */
export async function stopParts(): Promise<void> {
  stopping = true;
  while (started.length > 0) await started.pop()?.stop();
}

/** A child process that is kept running until it is stopped. */
export class Part {
  readonly #options: PartOptions;
  #child: ChildProcess | undefined;
  #failures = 0;
  #pause: NodeJS.Timeout | undefined;

  constructor(options: PartOptions) {
    if (stopping) throw new Error(`${options.name} was not started: shutting down.`);
    this.#options = options;
    started.push(this);
    this.#start();
  }

  get name(): string {
    return this.#options.name;
  }

  #start(): void {
    const { name, command, env, ids, channel, entry = entryOf } = this.#options;
    const [program = "", ...args] = command;
    const startedAt = performance.now();
    const child: ChildProcess = spawn(program, args, {
      env: env as NodeJS.ProcessEnv,
      ...ids,
      // Its own process group: Ctrl-C reaches the supervisor alone, which then stops the parts in order.
      detached: true,
      stdio: ["ignore", "pipe", "pipe", ...(channel ? (["ipc"] as const) : [])],
    });
    this.#child = child;
    const releaseLifeline = channel || !child.pid ? undefined : holdLifeline(child.pid);
    for (const [stream, level] of [[child.stdout, "info"] as const, [child.stderr, "error"] as const]) {
      if (stream) createInterface({ input: stream }).on("line", (line) => line.trim() && write(entry(name, line, level)));
    }
    const ended = (cause: Record<string, unknown>) => {
      this.#child = undefined;
      releaseLifeline?.();
      if (!stopping) this.#restart(cause, performance.now() - startedAt);
    };
    child.once("exit", (code, signal) => ended({ code, signal }));
    child.once("error", (error) => child.pid === undefined && ended({ error: error.message }));
    log("info", `${name} started`, { pid: child.pid });
  }

  /** Starts it anew at once, as after a change of its sources. */
  async renew(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    child.removeAllListeners("exit");
    await this.#end(child);
    if (!stopping) this.#start();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#pause);
    if (!this.#child) return;
    await this.#end(this.#child);
    log("info", `${this.name} stopped`);
  }

  /** Signals the child and waits for it; kills it when it is not gone in time. */
  async #end(child: ChildProcess): Promise<void> {
    const gone = once(child, "exit");
    child.kill(this.#options.stopSignal ?? "SIGTERM");
    const timer = setTimeout(() => {
      log("warn", `${this.name} did not stop in time, killed`);
      child.kill("SIGKILL");
    }, this.#options.stopWithinMs);
    await gone;
    clearTimeout(timer);
  }

  #restart(cause: Record<string, unknown>, livedMs: number): void {
    this.#failures = livedMs > HEALTHY_AFTER_MS ? 0 : this.#failures + 1;
    const pauseMs = this.#failures === 0 ? 0 : Math.min(250 * 2 ** (this.#failures - 1), LONGEST_PAUSE_MS);
    log("error", `${this.name} exited, restarting`, { ...cause, pause_ms: pauseMs });
    this.#pause = setTimeout(() => this.#start(), pauseMs);
  }
}
