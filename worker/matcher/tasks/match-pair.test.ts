import { once } from "node:events";
import { createServer, type Server, Socket } from "node:net";
import type { JobHelpers } from "graphile-worker";
import { afterEach, expect, test, vi } from "vitest";
import { matchPairTask, runThreads } from "./match-pair.ts";

let server: Server;
afterEach(() => {
  vi.restoreAllMocks();
  server.close();
});

test("a run executes outside the heartbeat's thread, and its failure returns to the job", async () => {
  server = createServer((socket) => socket.destroy());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  let connections = 0;
  server.on("connection", () => connections++);
  const connecting = vi.spyOn(Socket.prototype, "connect");
  const { port } = server.address() as { port: number };
  const task = matchPairTask(`postgres://postgres@127.0.0.1:${port}/postgres`);
  const helpers = { job: { attempts: 1, max_attempts: 5 } } as JobHelpers;
  const done = task({ tenant_id: "acme", reconciliation_id: "rcn_1", run_id: null }, helpers);
  expect(runThreads().tasks).toBe(1);
  await expect(done).rejects.toThrow();
  expect(connections).toBeGreaterThan(0);
  expect(connecting).not.toHaveBeenCalled();
});
