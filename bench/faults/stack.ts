import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SignJWT } from "jose";
import { Client } from "pg";
import { Supervisor, stackOf } from "#e2e/stack/supervisor.ts";

const dataDirs: string[] = [];
process.once("exit", () => {
  for (const dataDir of dataDirs) rmSync(dataDir, { recursive: true, force: true });
});

function freshDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), "tieout-drill-"));
  dataDirs.push(dataDir);
  return dataDir;
}

export type Stack = { supervisor: Supervisor; dataDir: string; env: Record<string, string> };

export async function start(variables: Record<string, string> = {}): Promise<Stack> {
  const dataDir = variables.DATA_DIR ?? freshDataDir();
  const supervisor = await Supervisor.ready({
    DATA_DIR: dataDir,
    WEBHOOK_ALLOW_HOSTS: "127.0.0.1",
    RATE_LIMIT_PER_MINUTE: "0",
    ...variables,
  });
  return { supervisor, dataDir, env: stackOf(dataDir).env };
}

export async function headersOf({ env }: Stack, tenant = "acme"): Promise<Record<string, string>> {
  const token = await new SignJWT({ sub: "ada", tenants: { [tenant]: ["tenant_admin"] } })
    .setProtectedHeader({ alg: "HS256" })
    .setExpirationTime("2h")
    .sign(new TextEncoder().encode(env.AUTH_JWT_SECRET));
  return {
    Authorization: `Bearer ${token}`,
    "X-Tenant-Id": tenant,
    "Content-Type": "application/json",
  };
}

export async function sql<Row extends object>(
  { env }: Stack,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: env.DATABASE_URL, connectionTimeoutMillis: 5_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.query<Row>(text, values)).rows;
  } finally {
    void client.end().catch(() => {});
  }
}
