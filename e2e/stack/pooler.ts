/** Poolers in front of a database: PgBouncer where it is installed, and one that only does what is worst about it. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { freePort } from "../../supervisor/ports.ts";
import { until } from "./supervisor.ts";

export type Pooler = { url: string; stop: () => Promise<void> };

const NOTIFICATION = "A".charCodeAt(0);

/** Passes everything on but what was listened for. */
export async function deafPooler(databaseUrl: string): Promise<Pooler> {
  const target = new URL(databaseUrl);
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let rest = Buffer.alloc(0);
    client.pipe(upstream);
    upstream.on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      // https://www.postgresql.org/docs/17/protocol-message-formats.html: a type, then the length without it.
      for (let end = endOf(rest); end <= rest.length; end = endOf(rest)) {
        if (rest[0] !== NOTIFICATION) client.write(rest.subarray(0, end));
        rest = rest.subarray(end);
      }
    });
    upstream.on("end", () => client.end());
    for (const socket of [client, upstream]) socket.on("error", () => [client, upstream].map((end) => end.destroy()));
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

function endOf(bytes: Buffer): number {
  return bytes.length < 5 ? Number.POSITIVE_INFINITY : 1 + bytes.readInt32BE(1);
}

export const hasPgBouncer = spawnSync("pgbouncer", ["--version"]).status === 0;

export async function pgBouncer(databaseUrl: string, mode: "transaction" | "session"): Promise<Pooler> {
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
  // It refuses to be root.
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
