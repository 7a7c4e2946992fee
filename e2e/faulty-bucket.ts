import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const PREFIX = "/bank/";

/** An S3 server that can refuse objects, change while it is read, and become unreachable. */
export async function startFaultyBucket() {
  const objects = new Map<string, { content: string; modified: string }>();
  const locked = new Set<string>();
  let onRead: (name: string) => void = () => {};
  let isReached: () => boolean = () => true;

  function list(response: ServerResponse): void {
    const contents = [...objects].map(
      ([key, { content, modified }]) =>
        `<Contents><Key>${key}</Key><Size>${content.length}</Size>` +
        `<LastModified>${modified}</LastModified></Contents>`,
    );
    response.end(`<ListBucketResult>${contents.join("")}</ListBucketResult>`);
  }
  function answer({ method, url = "" }: IncomingMessage, response: ServerResponse): void {
    const name = decodeURIComponent(url.slice(PREFIX.length));
    if (!isReached()) {
      response.destroy();
      return;
    }
    if (method === "DELETE") objects.delete(name);
    if (!isReached()) {
      response.destroy();
      return;
    }
    if (url.includes("list-type=2")) list(response);
    else if (locked.has(name)) response.writeHead(403).end();
    else if (method === "DELETE") response.writeHead(204).end();
    else {
      response.end(objects.get(name)?.content);
      onRead(name);
    }
  }
  const server = createServer(answer);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    settings: {
      kind: "s3",
      auth: "access_key",
      user_name: "acme",
      credential: "secret",
      region: "eu-central-1",
      address: `http://127.0.0.1:${port}${PREFIX}`,
    },
    put(name: string, content: string, modified: string) {
      objects.set(name, { content, modified });
    },
    lock: (name: string) => locked.add(name),
    unlock: (name: string) => locked.delete(name),
    /** Sets a callback after the reading of an object. */
    whenRead(call: (name: string) => void) {
      onRead = call;
    },
    /**
     * Sets whether the server is reached, asked before a call takes effect and before it responds.
     */
    whenCalled(reached: () => boolean) {
      isReached = reached;
    },
    names: () => [...objects.keys()],
    close() {
      server.closeAllConnections();
      return new Promise((closed) => server.close(closed));
    },
  };
}
