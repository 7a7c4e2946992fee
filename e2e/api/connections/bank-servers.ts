import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AwsClient } from "aws4fetch";
import S3rver from "s3rver";

/** s3rver knows one account. */
const ACCOUNT = { user_name: "S3RVER", credential: "S3RVER", region: "us-east-1" };

/** An S3 server with a bucket. */
export async function startBucket() {
  const directory = await mkdtemp(join(tmpdir(), "tieout-bucket-"));
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: "bank" }],
  });
  const { port } = await server.run();
  const origin = `http://127.0.0.1:${port}`;
  const client = new AwsClient({
    accessKeyId: ACCOUNT.user_name,
    secretAccessKey: ACCOUNT.credential,
    region: ACCOUNT.region,
    service: "s3",
  });
  return {
    settings: { kind: "s3", auth: "access_key", ...ACCOUNT, address: `${origin}/bank/out/` },
    async put(name: string, content: string) {
      const { ok } = await client.fetch(`${origin}/bank/out/${name}`, {
        method: "PUT",
        body: content,
      });
      if (!ok) throw new Error(`The bucket didn't take ${name}.`);
    },
    async read(name: string): Promise<string> {
      return (await client.fetch(`${origin}/bank/out/${name}`)).text();
    },
    async names(): Promise<string[]> {
      const listed = await client.fetch(`${origin}/bank?list-type=2`);
      return [...(await listed.text()).matchAll(/<Key>out\/([^<]+)/g)].map(([, name = ""]) => name);
    },
    async close() {
      await server.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** A server that serves one file at a time to callers with the token. */
export async function startFileServer(token: string) {
  let file = { content: "", modified: new Date(0) };
  let reads = 0;
  let halfSent: (() => void) | undefined;
  const server = createServer((request, response) => {
    if (request.url === "/moved.csv") {
      response.writeHead(302, { location: "http://169.254.169.254/latest/" }).end();
      return;
    }
    if (request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end();
      return;
    }
    response.writeHead(200, {
      "content-length": Buffer.byteLength(file.content),
      "last-modified": file.modified.toUTCString(),
    });
    if (request.method === "HEAD") {
      response.end();
      return;
    }
    reads++;
    if (halfSent) {
      response.write(file.content.slice(0, file.content.length / 2), halfSent);
      halfSent = undefined;
    } else response.end(file.content);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    settings: { kind: "https", auth: "bearer", credential: token, address: `${origin}/today.csv` },
    put(content: string, modified: string) {
      file = { content, modified: new Date(modified) };
    },
    reads: () => reads,
    /** Sends the next reader half of the file and never the rest. Resolves once that half is sent. */
    holdNext: () =>
      new Promise<void>((sent) => {
        halfSent = sent;
      }),
    close() {
      server.closeAllConnections();
      return new Promise((closed) => server.close(closed));
    },
  };
}
