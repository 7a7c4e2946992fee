import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSender } from "./send.ts";

const ANSWERS: Record<string, string[]> = {
  "/100": ["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"],
  "/100-in-pieces": [
    "HTTP/1.1 1",
    "00 Continue\r\nX: y\r",
    "\n\r\n",
    "HTTP/1.1 200 OK\r\n",
    "Content-Length: 2\r\n\r\nok",
  ],
  "/twice-100": [
    "HTTP/1.1 100 C\r\n\r\nHTTP/1.1 100 C\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n",
  ],
  "/103": [
    "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
  ],
  "/both-framings": [
    'HTTP/1.1 200 OK\r\nContent-Length: 15\r\nTransfer-Encoding: chunked\r\n\r\nf\r\n{"received":1}\n\r\n0\r\n\r\n',
  ],
  "/no-http": ["SSH-2.0-OpenSSH_9.2\r\n"],
};

let receiver: Server;
const sender = createSender(new Set(["127.0.0.1"]));

beforeAll(async () => {
  receiver = createServer((socket) => {
    let received = "";
    socket.on("error", () => {});
    socket.on("data", async (chunk) => {
      received += chunk;
      if (!received.endsWith("{}")) return;
      const path = received.split(" ")[1] ?? "";
      received = "";
      for (const piece of ANSWERS[path] ?? []) {
        socket.write(piece);
        await new Promise((done) => setTimeout(done, 5));
      }
      if (path === "/no-http") socket.end();
    });
  });
  await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
});
afterAll(async () => {
  await sender.close();
  receiver.close();
});

function send(path: string, port = (receiver.address() as AddressInfo).port) {
  const url = `http://127.0.0.1:${port}${path}`;
  return sender.send({ url, body: "{}", headers: {} }, new AbortController().signal);
}

describe("a receiver that sends interim responses", () => {
  test.each([
    ["/100", 200],
    ["/100-in-pieces", 200],
    ["/twice-100", 201],
    ["/103", 200],
  ])(
    "%s counts as delivered, and its connection serves the next delivery",
    async (path, status) => {
      for (let nth = 0; nth < 3; nth++)
        expect(await send(path)).toMatchObject({ status_code: status });
    },
  );
});

describe("the reported failure", () => {
  test.each(["/both-framings", "/no-http"])("of %s is malformed HTTP", async (path) => {
    expect(await send(path)).toMatchObject({
      failure_kind: "connection_failed",
      detail: "The receiver's response is malformed HTTP.",
    });
  });

  test("of a port without a listener is a refused connection", async () => {
    const closed = createServer();
    await new Promise<void>((listening) => closed.listen(0, "127.0.0.1", listening));
    const { port } = closed.address() as AddressInfo;
    await new Promise((done) => closed.close(done));
    expect(await send("/", port)).toMatchObject({
      failure_kind: "connection_failed",
      detail: "The receiver refused the connection.",
    });
  });
});
