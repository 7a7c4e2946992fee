/**
 * A proxy in front of the Data API of the stack under test: counts calls, holds responses back, or
 * stops responding.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { stack } from "./fixtures.ts";

const HOP_BY_HOP = new Set(["host", "connection", "content-length"]);

type Call = { name: string; body: string };

export class Gateway {
  readonly #server: Server;
  readonly #calls: Call[] = [];
  #held: (() => void)[] = [];
  #holds: (call: Call) => boolean = () => false;
  #failing = false;

  static async start(): Promise<Gateway> {
    const gateway = new Gateway();
    gateway.#server.listen(0, "127.0.0.1");
    await once(gateway.#server, "listening");
    return gateway;
  }

  private constructor() {
    this.#server = createServer(async (request, response) => {
      if (this.#failing) return void request.socket.destroy();
      const body = Buffer.concat(await request.toArray());
      const call = {
        name: /\/rpc\/(\w+)/.exec(request.url ?? "")?.[1] ?? "",
        body: body.toString("utf8"),
      };
      this.#calls.push(call);
      const headers = Object.entries(request.headers).filter(([name]) => !HOP_BY_HOP.has(name)) as [
        string,
        string,
      ][];
      const init = { method: request.method, headers, body: body.length > 0 ? body : undefined };
      const answer = await fetch(`${stack.supabaseUrl}${request.url}`, init);
      const text = await answer.text();
      if (this.#holds(call)) await new Promise<void>((release) => this.#held.push(release));
      response
        .writeHead(answer.status, {
          "Content-Type": answer.headers.get("content-type") ?? "application/json",
        })
        .end(text);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The number of responses that are held back. */
  get held(): number {
    return this.#held.length;
  }

  /** @param name of a database function */
  count(name: string): number {
    return this.#calls.filter((call) => call.name === name).length;
  }

  /** Holds back, from now on, the database's responses to these calls. */
  hold(calls: (call: Call) => boolean): void {
    this.#holds = calls;
  }

  release(): void {
    this.#holds = () => false;
    for (const release of this.#held) release();
    this.#held = [];
  }

  fail(): void {
    this.#failing = true;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
