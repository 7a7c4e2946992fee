import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const FAULTS = ["none", "cut", "refuse", "delay", "unavailable", "none", "swallow"] as const;
type Fault = (typeof FAULTS)[number];

/**
 * A proxy that applies the faults to its calls in turn: `cut` and `swallow` after the service has
 * carried out the call, `refuse` and `unavailable` before.
 */
export class FaultyProxy {
  readonly counts = Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<Fault, number>;
  #calls = 0;
  readonly #target: string;
  readonly #server: Server;

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer(async (request, response) => {
      const fault = FAULTS[this.#calls++ % FAULTS.length] as Fault;
      this.counts[fault] += 1;
      const body = Buffer.concat(await request.toArray());
      if (fault === "refuse") return response.destroy();
      if (fault === "unavailable") return response.writeHead(503, { "retry-after": "0" }).end();
      if (fault === "delay") await delay(200);
      const { method = "GET", url, headers } = request;
      const { connection, host, "transfer-encoding": _encoding, ...sent } = headers;
      const answer = await fetch(`${this.#target}${url}`, {
        method,
        headers: { ...(sent as Record<string, string>), "accept-encoding": "identity" },
        body: method === "GET" ? undefined : body,
      });
      return this.#pass(fault, answer, response);
    });
  }

  static async start(target: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #pass(fault: Fault, answer: Response, response: ServerResponse): Promise<void> {
    const bytes = Buffer.from(await answer.arrayBuffer());
    // Callers have to restart an export that was cut, so it is cut before its first byte.
    const isExport = answer.headers.get("content-type") === "application/x-ndjson";
    if (fault === "swallow" || (fault === "cut" && isExport)) return void response.destroy();
    const headers = Object.fromEntries(answer.headers);
    delete headers["transfer-encoding"];
    delete headers.connection;
    response.writeHead(answer.status, { ...headers, "content-length": String(bytes.length) });
    if (fault === "cut")
      response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
    else response.end(bytes);
  }
}
