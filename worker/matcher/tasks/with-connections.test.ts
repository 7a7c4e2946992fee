import { createServer, Socket } from "node:net";
import { expect, test, vi } from "vitest";
import { withConnections } from "./with-connections.ts";

test("a database that vanishes silently is detected long before the system's two hours", async () => {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const keepAlive = vi.spyOn(Socket.prototype, "setKeepAlive");
  const { port } = server.address() as { port: number };
  await expect(
    withConnections(
      `postgres://postgres@127.0.0.1:${port}/postgres`,
      { name: "test", requestId: null },
      async () => {},
    ),
  ).rejects.toThrow();
  expect(keepAlive.mock.calls).toEqual([
    [true, 10_000],
    [true, 10_000],
  ]);
  keepAlive.mockRestore();
  server.close();
});
