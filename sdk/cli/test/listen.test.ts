import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unwrap } from "../../typescript/src/index.ts";
import { json, type ScriptServer, scriptServer } from "../../typescript/test/script-server.ts";

const MAIN = join(import.meta.dirname, "../src/main.ts");
const EVENT = {
  id: "evt_1",
  type: "run.done",
  timestamp: "2026-11-20T09:30:00.000Z",
  subject: "run_1",
  data: { run: { id: "run_1" } },
};

let api: ScriptServer;
beforeAll(async () => {
  api = await scriptServer();
});
afterAll(() => api.close());

type Ended = { code: number; stdout: string; stderr: string };

function tieout(...args: string[]): Promise<Ended> {
  const env = {
    ...process.env,
    TIEOUT_CONFIG: join(import.meta.dirname, "none.json"),
    TIEOUT_URL: api.url,
    TIEOUT_TENANT: "acme",
    TIEOUT_TOKEN: "id.secret",
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

/** A receiver with this status, and what it got. */
async function withReceiver(
  status: number,
  work: (
    url: string,
    received: { body: string; headers: Record<string, string> }[],
  ) => Promise<void>,
): Promise<void> {
  const received: { body: string; headers: Record<string, string> }[] = [];
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    received.push({ body, headers: request.headers as Record<string, string> });
    response.writeHead(status).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received);
  } finally {
    server.close();
  }
}

test("with --json, the secret that verifies what is forwarded is on stderr", async () => {
  await withReceiver(204, async (url, received) => {
    api.script(json(200, EVENT));
    const ended = await tieout("listen", "--forward", url, "--replay", "evt_1", "--json");
    expect(ended).toMatchObject({ code: 0 });
    expect(JSON.parse(ended.stdout)).toMatchObject({ id: "evt_1", status: 204 });
    const { signing_secret: secret } = JSON.parse(ended.stderr);
    const [{ body, headers } = { body: "", headers: {} }] = received;
    expect(await unwrap(body, headers, secret)).toMatchObject({ id: "evt_1", type: "run.done" });
  });
});

test("a replay that the receiver refuses ends with 1", async () => {
  await withReceiver(500, async (url) => {
    api.script(json(200, EVENT));
    const ended = await tieout("listen", "--forward", url, "--replay", "evt_1");
    expect(ended).toMatchObject({ code: 1, stdout: expect.stringContaining("500  run.done") });
    expect(ended.stderr).toContain("The receiver didn't accept 1 of 1.");
  });
});
