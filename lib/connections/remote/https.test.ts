import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { httpsRemote } from "./https.ts";
import type { Access } from "./remote.ts";

const MODIFIED = new Date("2026-11-05T06:00:00Z");
const QUERY = "X-Amz-Signature=9d1e7c";

/** The file of a server, as a connection lists it. */
async function listed(answer: RequestListener, auth: "none" | "bearer" | "signed_query") {
  const server = createServer(answer);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}/day.csv`);
  const remote = await httpsRemote({
    url,
    settings: { kind: "https", address: url.href, auth, credential: QUERY },
    allowHosts: new Set(["127.0.0.1"]),
    signal: AbortSignal.timeout(10_000),
  } as unknown as Access);
  try {
    return await remote.list();
  } finally {
    await remote.close();
    server.closeAllConnections();
    server.close();
  }
}

/** A server that answers HEAD with this status, and sends a file without an end. */
const refusingHead =
  (status: number): RequestListener =>
  ({ method, url }, response) => {
    if (method === "HEAD") response.writeHead(status).end();
    else if (url?.endsWith(QUERY) === false && status === 403) response.writeHead(403).end();
    else
      response
        .writeHead(200, {
          "content-length": 1_000_000_000,
          "last-modified": MODIFIED.toUTCString(),
        })
        .write("Day,Amount\n");
  };

const FILE = { path: "day.csv", bytes: 1_000_000_000, modified_at: MODIFIED.toISOString() };

test.each([
  ["a signed URL of S3, whose signature is only for GET", 403, "signed_query"],
  ["a server without HEAD", 405, "none"],
  ["a server that doesn't implement HEAD", 501, "bearer"],
] as const)(
  "%s reports size and time in response to GET, and the file isn't read",
  async (_who, status, auth) => {
    expect(await listed(refusingHead(status), auth)).toEqual([FILE]);
  },
);

test("a token that the server refuses is not tried twice", async () => {
  let calls = 0;
  const refusing: RequestListener = (_request, response) => {
    calls++;
    response.writeHead(403).end();
  };
  await expect(listed(refusing, "bearer")).rejects.toThrow("refused the credential (HTTP 403)");
  expect(calls).toBe(1);
  await expect(listed(refusing, "signed_query")).rejects.toThrow("HTTP 403");
});
