/**
 * A load balancer: checks each server's health, distributes requests in turn, and tries the next
 * server if a connection fails.
 */
import { once } from "node:events";
import { Agent, request as ask, createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const HEALTH_EVERY_MS = 200;
const HEALTHY_TIMEOUT_MS = 10_000;
const MAX_ATTEMPTS = 4;
/** The time limit of a request. Waiting for a healthy server is not an attempt. */
const TIMEOUT_MS = 60_000;

export class Balancer {
  readonly #ports: Set<number>;
  readonly #healthy = new Set<number>();
  readonly #server = createServer((incoming, outgoing) => {
    this.#pass(incoming).then(
      ({ status, headers, body }) => outgoing.writeHead(status, headers).end(body),
      () => outgoing.writeHead(502).end(),
    );
  });
  readonly #agent = new Agent({ keepAlive: true });
  #turn = 0;
  #over = false;

  private constructor(ports: readonly number[]) {
    this.#ports = new Set(ports);
  }

  static async start(ports: readonly number[]): Promise<Balancer> {
    const balancer = new Balancer(ports);
    balancer.#server.listen(0, "127.0.0.1");
    await once(balancer.#server, "listening");
    void balancer.#watch();
    return balancer;
  }

  get url(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  get healthy(): number {
    return this.#healthy.size;
  }

  add(port: number): void {
    this.#ports.add(port);
  }

  stop(): void {
    this.#over = true;
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
  }

  async #watch(): Promise<void> {
    while (!this.#over) {
      await Promise.all([...this.#ports].map((port) => this.#look(port)));
      await sleep(HEALTH_EVERY_MS);
    }
  }

  async #look(port: number): Promise<void> {
    const answered = fetch(`http://127.0.0.1:${port}/healthz`, {
      signal: AbortSignal.timeout(HEALTHY_TIMEOUT_MS),
    });
    const { ok } = await answered.catch(() => ({ ok: false }));
    if (ok) this.#healthy.add(port);
    else this.#healthy.delete(port);
  }

  async #pass(incoming: IncomingMessage) {
    const body = Buffer.concat(await incoming.toArray());
    const deadline = performance.now() + TIMEOUT_MS;
    for (let attempts = 0; attempts < MAX_ATTEMPTS && performance.now() < deadline; ) {
      const ports = [...this.#healthy];
      const port = ports[this.#turn++ % Math.max(1, ports.length)];
      if (port === undefined) {
        await sleep(HEALTH_EVERY_MS);
        continue;
      }
      attempts++;
      try {
        return await this.#send(port, incoming, body);
      } catch {
        this.#healthy.delete(port);
      }
    }
    throw new Error("No server answered.");
  }

  async #send(port: number, { method, url, rawHeaders }: IncomingMessage, body: Buffer) {
    const outgoing = ask({
      host: "127.0.0.1",
      port,
      method,
      path: url,
      headers: rawHeaders,
      agent: this.#agent,
    });
    // A server that responds before it has read the whole body, and closes, has responded.
    outgoing.on("error", () => {});
    outgoing.end(body);
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    return {
      status: answer.statusCode ?? 502,
      headers: answer.headers,
      body: Buffer.concat(await answer.toArray()),
    };
  }
}
