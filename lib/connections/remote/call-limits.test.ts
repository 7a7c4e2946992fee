import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { withByteLimit, withTimeout } from "./call-limits.ts";
import { RemoteError } from "./remote-error.ts";

/** A connection to a server that sends this many bytes for every byte that it gets. */
async function connected(bytes: number): Promise<{ socket: Socket; close: () => void }> {
  const server = createServer((client) => {
    client.on("error", () => {}).on("data", () => client.write(Buffer.alloc(bytes)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "connect");
  socket.on("error", () => {}).resume();
  return { socket, close: () => [socket.destroy(), server.close()] };
}

test("a call times out if the server never answers, and only then", async () => {
  const never = withTimeout(20, "list /out", () => new Promise(() => {}));
  await expect(never).rejects.toThrow("Can't list /out: the server didn't respond within 0.02 s.");
  await expect(never).rejects.toBeInstanceOf(RemoteError);
  expect(await withTimeout(1_000, "list /out", async () => "here")).toBe("here");
  const refused = withTimeout(1_000, "list /out", () => Promise.reject(new Error("refused")));
  await expect(refused).rejects.toThrow("refused");
});

test("a server whose answer never ends is disconnected before it fills the memory", async () => {
  const { socket, close } = await connected(1_000_000);
  const endless = withByteLimit(socket, 100_000, "The list is too long.", () => {
    socket.write("?");
    return new Promise(() => {});
  });
  await expect(endless).rejects.toThrow("The list is too long.");
  expect(socket.destroyed).toBe(true);
  close();
});

test("bytes that a server sends before or after a call aren't counted", async () => {
  const { socket, close } = await connected(80_000);
  for (let call = 0; call < 3; call++) {
    const answer = await withByteLimit(socket, 100_000, "Too long.", async () => {
      socket.write("?");
      const before = socket.bytesRead;
      while (socket.bytesRead - before < 80_000) await once(socket, "data");
      return call;
    });
    expect(answer).toBe(call);
  }
  expect(socket.destroyed).toBe(false);
  expect(socket.listenerCount("data")).toBe(0);
  close();
});
