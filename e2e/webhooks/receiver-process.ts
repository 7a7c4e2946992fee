/**
 * A receiver of webhooks in a separate process. It verifies as the docs tell receivers to, and
 * behaves as instructed.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { Webhook } from "standardwebhooks";
import type { Behaviour, Message } from "./receiver.ts";

const behaviours = new Map<string, Behaviour>();

const server = createServer((request, response) => {
  const at = Date.now();
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const path = request.url ?? "/";
    const headers = request.headers as Record<string, string>;
    const body = Buffer.concat(chunks).toString("utf8");
    const behaviour = behaviours.get(path) ?? {};
    const verified = (behaviour.secrets ?? []).filter((secret) => verifies(secret, body, headers));
    send({ received: { path, method: request.method ?? "", headers, body, verified, at } });
    const accepted = verified.length > 0 || !behaviour.secrets || !behaviour.strict;
    setTimeout(
      () => answer(response, accepted ? behaviour : { status: 401 }),
      behaviour.delay_ms ?? 0,
    );
  });
});

function verifies(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    const key = secret.startsWith("whsec_")
      ? new Webhook(secret)
      : new Webhook(Buffer.from(secret, "utf8"), { format: "raw" });
    key.verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

function answer(
  response: ServerResponse,
  { status = 200, headers = {}, body = "ok", trick }: Behaviour,
): void {
  if (trick === "hang") return;
  if (trick === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  if (trick === "gzip bomb") {
    response
      .writeHead(status, { "Content-Encoding": "gzip", ...headers })
      .end(gzipSync(Buffer.alloc(10 * 1024 * 1024)));
    return;
  }
  response.writeHead(status, headers);
  if (trick === "drip") {
    const dripping = setInterval(() => response.write("."), 500);
    response.on("close", () => clearInterval(dripping));
    return;
  }
  response.end(
    trick === "10 MB"
      ? Buffer.alloc(10 * 1024 * 1024, "x")
      : trick === "binary"
        ? Buffer.from([0, 0xff, 0, 0xfe])
        : body,
  );
}

function send(message: Message): void {
  process.send?.(message);
}

process.on(
  "message",
  ({ path, behaviour, token }: { path: string; behaviour: Behaviour; token: number }) => {
    behaviours.set(path, behaviour);
    send({ done: token });
  },
);
process.on("disconnect", () => process.exit(0));
server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () =>
  send({ port: (server.address() as AddressInfo).port }),
);
