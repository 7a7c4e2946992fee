/**
 * Poolers in front of a database: PgBouncer if it is installed, and two that reproduce the worst of
 * transaction mode.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { until } from "#e2e/until.ts";
import { freePort } from "../../supervisor/ports.ts";

export type Pooler = { url: string; stop: () => Promise<void> };

const NOTIFICATION = "A".charCodeAt(0);
const [SYNC, QUERY, TERMINATE, READY, IDLE] = [..."SQXZI"].map((letter) => letter.charCodeAt(0));

/** A pooler that forwards everything except notifications. */
export async function poolerWithoutNotifications(databaseUrl: string): Promise<Pooler> {
  const target = new URL(databaseUrl);
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    client.pipe(upstream);
    upstream.on(
      "data",
      framed((message) => message[0] !== NOTIFICATION && client.write(message)),
    );
    upstream.on("end", () => client.end());
    for (const socket of [client, upstream])
      socket.on("error", () => [client, upstream].map((end) => end.destroy()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: through(databaseUrl, (server.address() as AddressInfo).port),
    async stop() {
      server.close();
    },
  };
}

/**
 * A pooler in transaction mode that keeps no track of prepared statements: each transaction goes to
 * the server connection that was idle longest. Any password is accepted.
 */
export async function poolerWithoutPreparedStatements(
  databaseUrl: string,
  connections: number,
): Promise<Pooler> {
  const upstreams = await Promise.all(
    Array.from({ length: connections }, () => rawConnection(databaseUrl)),
  );
  const idle = [...upstreams];
  const waiting: ((upstream: Socket) => void)[] = [];
  const acquire = () =>
    new Promise<Socket>((given) =>
      idle.length > 0 ? given(idle.shift() as Socket) : waiting.push(given),
    );
  const release = (upstream: Socket) => {
    const next = waiting.shift();
    if (next) next(upstream);
    else idle.push(upstream);
  };

  const transact = async (client: Socket, messages: Buffer) => {
    const upstream = await acquire();
    const done = Promise.withResolvers<void>();
    const pass = framed((message) => {
      client.write(message);
      if (message[0] === READY && message.at(-1) === IDLE) done.resolve();
    });
    upstream.on("data", pass).write(messages);
    await done.promise;
    upstream.off("data", pass);
    release(upstream);
  };
  const server = createServer((client) => {
    let isAuthenticated = false;
    let transaction: Buffer[] = [];
    let queue = Promise.resolve();
    const receive = framed((message) => {
      if (message[0] === TERMINATE) return void client.end();
      transaction.push(message);
      if (message[0] !== SYNC && message[0] !== QUERY) return;
      const messages = Buffer.concat(transaction);
      transaction = [];
      queue = queue.then(() => transact(client, messages));
    });
    client.on("data", (chunk) => {
      if (isAuthenticated) return receive(chunk);
      isAuthenticated = true;
      client.write(
        Buffer.from([..."R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I"].map((letter) => letter.charCodeAt(0))),
      );
    });
    client.on("error", () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: through(databaseUrl, (server.address() as AddressInfo).port),
    async stop() {
      server.close();
      for (const upstream of upstreams) upstream.destroy();
    },
  };
}

/** The socket of an authenticated connection, without the client's protocol handling. */
async function rawConnection(databaseUrl: string): Promise<Socket> {
  const client = new Client({ connectionString: databaseUrl });
  client.on("error", () => {});
  await client.connect();
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  return stream.removeAllListeners("data");
}

/**
 * Splits a stream into whole messages, which are a type followed by the length of the rest:
 * https://www.postgresql.org/docs/17/protocol-message-formats.html
 */
function framed(onMessage: (message: Buffer) => unknown): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let end = endOf(rest); end <= rest.length; end = endOf(rest)) {
      onMessage(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  };
}

function endOf(bytes: Buffer): number {
  return bytes.length < 5 ? Number.POSITIVE_INFINITY : 1 + bytes.readInt32BE(1);
}

export const hasPgBouncer = spawnSync("pgbouncer", ["--version"]).status === 0;

export async function pgBouncer(
  databaseUrl: string,
  mode: "transaction" | "session",
): Promise<Pooler> {
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), "tieout-pgbouncer-"));
  const port = await freePort();
  const config = join(folder, "pgbouncer.ini");
  writeFileSync(
    config,
    `[databases]
postgres = host=${hostname} port=${serverPort} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 10
`,
  );
  spawnSync("chmod", ["-R", "a+rX", folder]);
  // PgBouncer refuses to run as root.
  const asNobody = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child: ChildProcess = spawn("pgbouncer", [...asNobody, config], { stdio: "ignore" });
  const url = through(databaseUrl, port);
  await until("PgBouncer to answer", async () => {
    const client = new Client({ connectionString: url });
    client.on("error", () => {});
    const connected = await client.connect().then(
      () => true,
      () => false,
    );
    void client.end().catch(() => {});
    return connected;
  });
  return {
    url,
    async stop() {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      rmSync(folder, { recursive: true });
    },
  };
}

function through(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  return url.href;
}
