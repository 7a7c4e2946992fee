import { createServer } from "node:net";
import { expect, test } from "vitest";
import { InboxServer } from "./inbox.ts";

test("is stuck and logs why if another process has the port", async () => {
  const other = createServer();
  const port = await new Promise<number>((listening) =>
    other.listen(0, () => listening((other.address() as { port: number }).port)),
  );
  const inbox = new InboxServer({
    connectionString: "postgres://nobody@127.0.0.1:1/none",
    port,
    domain: "files.example",
  });
  await expect.poll(() => inbox.stuck).toBe(true);
  expect(inbox.healthy).toBe(false);
  await new Promise((closed) => other.close(closed));
  await inbox.stop();
});

test("opens a free port and is healthy", async () => {
  const inbox = new InboxServer({
    connectionString: "postgres://nobody@127.0.0.1:1/none",
    port: 0,
    domain: "files.example",
  });
  await expect.poll(() => inbox.port).toBeGreaterThan(0);
  expect([inbox.healthy, inbox.stuck]).toEqual([true, false]);
  await inbox.stop();
});
