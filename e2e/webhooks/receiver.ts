import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { until } from "#e2e/until.ts";

export type Received = {
  path: string;
  method: string;
  headers: Record<string, string>;
  body: string;
  /** Those of the receiver's secrets by which the signature verifies. */
  verified: string[];
  /** Milliseconds by the clock of this machine. */
  at: number;
};

/** `strict`: a signature that none of `secrets` verifies is answered with 401. */
export type Behaviour = {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  secrets?: string[];
  strict?: boolean;
  /** How long an answer takes. */
  delay_ms?: number;
  trick?: "hang" | "reset" | "drip" | "10 MB" | "gzip bomb" | "binary";
};

export type Message = { port: number } | { done: number } | { received: Received };

const PROCESS = fileURLToPath(new URL("receiver-process.ts", import.meta.url));

/** Receives webhooks in another process. Each path is a separate receiver. */
export class Receiver {
  readonly received: Received[] = [];
  readonly #process: ChildProcess;
  readonly #done = new Set<number>();
  #port = 0;
  #token = 0;

  private constructor(port: number) {
    this.#process = fork(PROCESS, [String(port)]);
    this.#process.on("message", (message: Message) => {
      if ("port" in message) this.#port = message.port;
      else if ("done" in message) this.#done.add(message.done);
      else this.received.push(message.received);
    });
  }

  /** @param port 0 for any. */
  static async start(port = 0): Promise<Receiver> {
    const receiver = new Receiver(port);
    await until("the receiver listens", async () => receiver.#port);
    return receiver;
  }

  get port(): number {
    return this.#port;
  }

  url(path: string, host = "127.0.0.1"): string {
    return `http://${host}:${this.#port}${path}`;
  }

  async behave(path: string, behaviour: Behaviour): Promise<void> {
    const token = ++this.#token;
    this.#process.send({ path, behaviour, token });
    await until("the receiver knows how to behave", async () => this.#done.has(token));
  }

  at(path: string): Received[] {
    return this.received.filter((received) => received.path === path);
  }

  /** Waits until a path has received this many, and returns them. */
  async gets(path: string, count: number, timeout_ms?: number): Promise<Received[]> {
    await until(
      `${path} has received ${count}`,
      async () => this.at(path).length >= count,
      timeout_ms,
    );
    return this.at(path);
  }

  async stop(): Promise<void> {
    this.#process.disconnect();
    if (this.#process.exitCode === null) await once(this.#process, "exit");
  }
}
