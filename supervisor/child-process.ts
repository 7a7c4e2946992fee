import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { lifeline } from "./lifeline.ts";
import { entryOf, log, write } from "./log.ts";

const HEALTHY_AFTER_MS = 30_000;
const MAX_PAUSE_MS = 30_000;
/**
 * Variables that pass the supervisor's fake clock (libfaketime) on to every process, because two
 * clocks would disagree.
 */
const FAKE_CLOCK_ENV = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(LD_PRELOAD|FAKETIME.*|NO_FAKE_STAT)$/.test(name),
  ),
);

export type PartOptions = {
  name: string;
  command: string[];
  env: Record<string, string>;
  /** The account to run as, unless the command switches to it itself. */
  ids?: { uid: number; gid: number };
  stopSignal?: NodeJS.Signals;
  stopTimeoutMs: number;
  /**
   * True for our own programs: they send "ready" over IPC, and can be killed at any time without
   * losing data.
   */
  ours: boolean;
  entry?: typeof entryOf;
};

const started: Part[][] = [];
let stopping = false;

/**
 * Starts `count` numbered processes of one kind, which stop together. `extraEnv` returns the
 * additional environment variables of each process.
 */
export function startParts(
  count: number,
  options: PartOptions,
  extraEnv: (nth: number) => Record<string, string> = () => ({}),
): Part[] {
  if (stopping) throw new Error(`${options.name} is not started: everything stops.`);
  const parts = Array.from({ length: count }, (_, nth) => {
    const name = count > 1 ? `${options.name}-${nth + 1}` : options.name;
    return new Part({ ...options, name, env: { ...options.env, ...extraEnv(nth) } });
  });
  started.push(parts);
  return parts;
}

/** Stops every process, the last started first, and prevents further starts. */
export async function stopParts(): Promise<void> {
  stopping = true;
  while (started.length > 0) await Promise.all(started.pop()?.map((part) => part.stop()) ?? []);
}

/** A child process that is restarted until it is stopped. */
export class Part {
  readonly #options: PartOptions;
  #child: ChildProcess | undefined;
  #ready = Promise.withResolvers<void>();
  #ending: Promise<void> | undefined;
  #failures = 0;
  #pause: NodeJS.Timeout | undefined;

  constructor(options: PartOptions) {
    this.#options = options;
    this.#start();
  }

  get name(): string {
    return this.#options.name;
  }

  /** Resolves when the current process, or its replacement, has reported that it is ready. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  #start(): void {
    const { name, command, env, ids, ours, entry = entryOf } = this.#options;
    const [program = "", ...args] = command;
    const startedAt = performance.now();
    const line = lifeline(ours ? "KILL" : "INT");
    const child: ChildProcess = spawn(program, args, {
      env: { ...FAKE_CLOCK_ENV, ...env } as NodeJS.ProcessEnv,
      ...ids,
      // Its own process group, so that Ctrl-C only reaches the supervisor, which then stops the
      // processes in order.
      detached: true,
      stdio: ["ignore", "pipe", "pipe", ...(ours ? (["ipc"] as const) : [])],
    });
    if (child.pid !== undefined) line.hold(ours ? -child.pid : child.pid);
    this.#child = child;
    child.on("message", (message) => message === "ready" && this.#ready.resolve());
    for (const [stream, level] of [
      [child.stdout, "info"] as const,
      [child.stderr, "error"] as const,
    ]) {
      if (stream)
        createInterface({ input: stream }).on(
          "line",
          (text) => text.trim() && write(entry(name, text, level)),
        );
    }
    const ended = (cause: Record<string, unknown>) => {
      line.release();
      this.#child = undefined;
      if (!stopping && !this.#ending) this.#restart(cause, performance.now() - startedAt);
    };
    child.once("exit", (code, signal) => ended({ code, signal }));
    child.once("error", (error) => child.pid === undefined && ended({ error: error.message }));
    log("info", `${name} started`, { pid: child.pid });
  }

  /**
   * Restarts the process, for example after its sources changed. Resolves when the new process is
   * ready.
   */
  async renew(): Promise<void> {
    if (this.#child && !this.#ending) {
      this.#ready = Promise.withResolvers();
      await this.#end(this.#child);
      if (!stopping) this.#start();
    }
    await this.ready;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#pause);
    if (!this.#child) return;
    await (this.#ending ?? this.#end(this.#child));
    log("info", `${this.name} stopped`);
  }

  #end(child: ChildProcess): Promise<void> {
    this.#ending = this.#endNow(child).finally(() => {
      this.#ending = undefined;
    });
    return this.#ending;
  }

  /**
   * Signals the child and waits for it. If it doesn't exit in time, it is killed with its
   * descendants.
   */
  async #endNow(child: ChildProcess): Promise<void> {
    const { ours, stopSignal = "SIGTERM", stopTimeoutMs } = this.#options;
    const exited = once(child, "exit");
    child.kill(stopSignal);
    const timer = setTimeout(() => {
      log("warn", `${this.name} did not stop in time, killed`);
      if (child.pid !== undefined) process.kill(ours ? -child.pid : child.pid, "SIGKILL");
    }, stopTimeoutMs);
    await exited;
    clearTimeout(timer);
  }

  #restart(cause: Record<string, unknown>, uptimeMs: number): void {
    this.#failures = uptimeMs > HEALTHY_AFTER_MS ? 0 : this.#failures + 1;
    const pauseMs =
      this.#failures === 0 ? 0 : Math.min(250 * 2 ** (this.#failures - 1), MAX_PAUSE_MS);
    log("error", `${this.name} exited, restarting`, { ...cause, pause_ms: pauseMs });
    this.#pause = setTimeout(() => this.#start(), pauseMs);
  }
}
