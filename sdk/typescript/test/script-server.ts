import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Received = {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
};
export type Step = (response: ServerResponse, received: Received) => unknown;

/** A server that answers each request by the next step of a script. */
export type ScriptServer = {
  url: string;
  received: Received[];
  script: (...steps: Step[]) => void;
  close: () => Promise<void>;
};

export async function scriptServer(): Promise<ScriptServer> {
  const received: Received[] = [];
  let steps: Step[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const { method = "", url = "", headers } = request;
    const one = { method, url, headers, body };
    received.push(one);
    const step = steps.shift();
    if (step) await step(response, one);
    else response.writeHead(599).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    script: (...next) => {
      received.length = 0;
      steps = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export function json(status: number, body: object, headers: Record<string, string> = {}): Step {
  return (response) =>
    response
      .writeHead(status, {
        "content-type": "application/json",
        "x-request-id": "req_1",
        ...headers,
      })
      .end(JSON.stringify(body));
}

export function problem(status: number, body: object = {}, retryAfter?: string): Step {
  const headers: Record<string, string> = retryAfter ? { "retry-after": retryAfter } : {};
  return json(status, { status, detail: "No.", request_id: "req_9", ...body }, headers);
}

/** Ends the connection without a response. */
export const refuse: Step = (response) => response.destroy();

/** Ends the connection within the body. */
export const cut: Step = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"id":', () => response.destroy());
};

/** Never responds. */
export const stall: Step = () => {};
