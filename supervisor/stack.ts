import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client, type DatabaseError } from "pg";
import { migrate, seed } from "../supabase/local/migrate.ts";
import { preparePlatform } from "../supabase/local/platform.ts";
import { Postgres, postgresEntry, SUPERUSER } from "../supabase/local/postgres.ts";
import { log } from "./log.ts";
import { Part } from "./part.ts";
import { freePort } from "./ports.ts";
import { type Settings, SettingsError } from "./settings.ts";
import { onSourceChange } from "./watch.ts";

const READY_WITHIN_MS = 120_000;
const WRONG_PASSWORD = "28P01";

const node = (file: string) => [process.execPath, fileURLToPath(new URL(`../${file}`, import.meta.url))];

export type DatabaseUrls = Record<"superuser" | "owner" | "authenticator" | "authAdmin", string>;

export async function startPostgres({ dataDir, secrets }: Settings): Promise<DatabaseUrls> {
  const postgres = new Postgres(dataDir);
  postgres.prepare(secrets.POSTGRES_ADMIN_PASSWORD);
  const port = await freePort();
  const url = (role: string, password: string) => `postgresql://${role}:${password}@127.0.0.1:${port}/postgres`;
  const urls = {
    superuser: url(SUPERUSER, secrets.POSTGRES_ADMIN_PASSWORD),
    owner: url("postgres", secrets.POSTGRES_PASSWORD),
    authenticator: url("authenticator", secrets.POSTGRES_AUTHENTICATOR_PASSWORD),
    authAdmin: url("supabase_auth_admin", secrets.POSTGRES_AUTH_ADMIN_PASSWORD),
  };
  new Part({
    name: "postgres",
    ...postgres.command(port),
    env: { LC_ALL: "C" },
    stopSignal: "SIGINT",
    stopWithinMs: 4_000,
    channel: false,
    entry: postgresEntry,
  });
  await until("Postgres", () => connects(urls.superuser));
  await preparePlatform(urls.superuser, {
    postgres: secrets.POSTGRES_PASSWORD,
    authenticator: secrets.POSTGRES_AUTHENTICATOR_PASSWORD,
    supabase_auth_admin: secrets.POSTGRES_AUTH_ADMIN_PASSWORD,
  });
  return urls;
}

export async function applyMigrations(databaseUrl: string): Promise<void> {
  for (const name of await migrate(databaseUrl)) log("info", "migration applied", { name });
}

export async function seedOnce(databaseUrl: string): Promise<void> {
  if (await seed(databaseUrl)) log("info", "demonstration data seeded");
}

export async function startDataApi(env: Record<string, string>, port: number, urls: DatabaseUrls): Promise<void> {
  new Part({
    name: "data-api",
    command: node("supabase/local/data-api.ts"),
    env: {
      ...env,
      DATA_API_PORT: String(port),
      DATABASE_URL: urls.owner,
      AUTHENTICATOR_URL: urls.authenticator,
      AUTH_ADMIN_URL: urls.authAdmin,
    },
    stopWithinMs: 2_000,
    channel: true,
  });
  await until("The Data API", () => answers(`http://127.0.0.1:${port}/auth/v1/health`));
}

export function startWorker(env: Record<string, string>): void {
  const worker = new Part({ name: "worker", command: node("worker/main.ts"), env, stopWithinMs: 6_000, channel: true });
  if (env.NODE_ENV === "development") onSourceChange(["lib", "worker"], () => worker.renew());
}

export function startWeb(env: Record<string, string>): void {
  new Part({ name: "web", command: node("server/main.ts"), env, stopWithinMs: 8_000, channel: true });
}

/** Ready is 200 of /readyz: the database answers and a worker's heart beats. */
export function webIsReady(port: number): Promise<void> {
  return until("The web server", () => answers(`http://127.0.0.1:${port}/readyz`));
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what} is not ready after ${READY_WITHIN_MS / 1000} s.`);
    await sleep(50);
  }
}

async function connects(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 2_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch (error) {
    if ((error as DatabaseError).code === WRONG_PASSWORD) {
      throw new SettingsError(
        "The database in DATA_DIR was created with other secrets than those in secrets.json. Restore that file, or remove DATA_DIR.",
      );
    }
    return false;
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    return ok || status === 401 || status === 404;
  } catch {
    return false;
  }
}
