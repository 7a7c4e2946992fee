import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "#e2e/until.ts";
import { freshDataDir } from "./data-dir.ts";
import { Supervisor } from "./supervisor.ts";

let stack: Supervisor;
beforeAll(async () => {
  stack = await Supervisor.ready({ DATA_DIR: freshDataDir(), TRUSTED_PROXY_HOPS: "1" });
});
afterAll(() => stack.end("SIGTERM"));

/** Sends bytes that no HTTP client would, and reads the response until the connection closes. */
async function send(
  head: string,
): Promise<{ status: number; requestId: string | undefined; body: string }> {
  const socket = connect(stack.port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(head);
  const answer = await text(socket);
  const [headers = "", body = ""] = answer.split(/\r\n\r\n([\s\S]*)/);
  return {
    status: Number(headers.split(" ")[1]),
    requestId: /^x-request-id: (\S+)/im.exec(headers)?.[1],
    body,
  };
}

const request = (line: string, ...headers: string[]) =>
  `${[line, "Host: x", "Connection: close", ...headers].join("\r\n")}\r\n\r\n`;

async function loggedRequest(requestId: string | undefined) {
  const find = () =>
    stack.entries.find((entry) => entry.msg === "request" && entry.request_id === requestId);
  await until("the access log", () => find() !== undefined);
  return find();
}

describe("malformed HTTP gets a single clean 400", () => {
  test.each([
    ["a lone percent sign", request("GET /% HTTP/1.1")],
    ["a broken escape under /v1", request("GET /v1/%zz HTTP/1.1")],
    ["an escaped NUL", request("GET /v1/%00 HTTP/1.1")],
    ["a NUL in the target", request("GET /v1/me\0 HTTP/1.1")],
    ["a NUL in a header", request("GET /v1/me HTTP/1.1", "X-A: a\0b")],
    ["no host", "GET /v1/me HTTP/1.1\r\nConnection: close\r\n\r\n"],
    [
      "two lengths of one body",
      request("POST /v1/me HTTP/1.1", "Content-Length: 5", "Transfer-Encoding: chunked"),
    ],
    ["a TLS greeting", "\x16\x03\x01\x02\x00\x01\r\n\r\n"],
  ])("%s", async (_what, head) => {
    const { status, requestId, body } = await send(head);
    expect({ status, requestId }).toEqual({
      status: 400,
      requestId: expect.stringMatching(/^req_[0-9a-f]{32}$/),
    });
    expect(body).toContain('"code":"invalid_request"');
    expect(body).toContain(requestId);
  });
});

test("an unsupported method is 405", async () => {
  expect((await send(request("TRACE /v1/me HTTP/1.1"))).status).toBe(405);
});

test("two Authorization headers are not a credential, even if one is valid", async () => {
  expect(
    (
      await send(
        request("GET /v1/me HTTP/1.1", "Authorization: Bearer a", "Authorization: Bearer b"),
      )
    ).status,
  ).toBe(401);
});

test("the request id is ours, not the caller's", async () => {
  const { requestId } = await send(request("GET /healthz HTTP/1.1", "X-Request-Id: mine"));
  expect(requestId).toMatch(/^req_[0-9a-f]{32}$/);
});

test("behind one proxy, the client address is the one that the proxy saw", async () => {
  const { requestId } = await send(
    request(
      "GET /healthz HTTP/1.1",
      "X-Forwarded-For: 10.0.0.1, 198.51.100.9",
      "X-Inbound-Client-Address: 10.0.0.1",
    ),
  );
  expect(await loggedRequest(requestId)).toMatchObject({ address: "198.51.100.9" });
});

test("the access log contains the path, and never the query or headers", async () => {
  const { requestId } = await send(
    request("GET /healthz?token=sesame HTTP/1.1", "Authorization: Bearer sesame"),
  );
  expect(await loggedRequest(requestId)).toMatchObject({
    method: "GET",
    path: "/healthz",
    status: 200,
  });
  expect(JSON.stringify(stack.entries)).not.toContain("sesame");
});

test.each(["/sign-in", "/acme/exceptions", "/", "//v1/me", "/healthz"])(
  "%s refuses POST without reading the body",
  async (path) => {
    const { status, body } = await send(
      request(`POST ${path} HTTP/1.1`, "Content-Length: 1000000000"),
    );
    expect({ status, body }).toEqual({
      status: 405,
      body: expect.stringContaining('"code":"method_not_allowed"'),
    });
  },
);

test("an unknown expectation is ignored", async () => {
  const { status, requestId } = await send(request("GET /healthz HTTP/1.1", "Expect: a-miracle"));
  expect({ status, requestId }).toEqual({ status: 200, requestId: expect.stringMatching(/^req_/) });
});

test("a web socket is not opened", async () => {
  const head =
    "GET /v1/me HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n";
  expect((await send(head)).status).toBe(401);
});
