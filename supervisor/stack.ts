import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client, type DatabaseError } from "pg";
import { supportsListen } from "../lib/background/supports-listen.ts";
import { LockHeld, migrate, seed } from "../supabase/local/migrate.ts";
import { preparePlatform } from "../supabase/local/platform.ts";
import { Postgres, postgresEntry, SUPERUSER } from "../supabase/local/postgres.ts";
import { type Part, startParts } from "./child-process.ts";
import { HEAP } from "./heap-sizes.ts";
import { log } from "./log.ts";
import { freePort } from "./ports.ts";
import { backgroundEnv, dataApiEnv, webEnv } from "./process-env.ts";
import { excessRightsOf } from "./request-role.ts";
import { type Settings, SettingsError } from "./settings.ts";
import { onSourceChange } from "./watch.ts";

const READY_TIMEOUT_MS = 120_000;
const WRONG_PASSWORD = "28P01";

const node = (file: string, ...options: string[]) => [
  process.execPath,
  ...options,
  fileURLToPath(new URL(`../${file}`, import.meta.url)),
];

export type DatabaseUrls = Record<"superuser" | "owner" | "authenticator" | "authAdmin", string>;

export async function startPostgres({ dataDir, secrets }: Settings): Promise<DatabaseUrls> {
  const postgres = new Postgres(dataDir);
  postgres.prepare(secrets.POSTGRES_ADMIN_PASSWORD);
  const port = await freePort();
  const url = (role: string, password: string) =>
    `postgresql://${role}:${password}@127.0.0.1:${port}/postgres`;
  const urls = {
    superuser: url(SUPERUSER, secrets.POSTGRES_ADMIN_PASSWORD),
    owner: url("postgres", secrets.POSTGRES_PASSWORD),
    authenticator: url("authenticator", secrets.POSTGRES_AUTHENTICATOR_PASSWORD),
    authAdmin: url("supabase_auth_admin", secrets.POSTGRES_AUTH_ADMIN_PASSWORD),
  };
  startParts(1, {
    name: "postgres",
    ...postgres.command(port),
    env: { LC_ALL: "C" },
    stopSignal: "SIGINT",
    stopTimeoutMs: 4_000,
    ours: false,
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

/** @throws SettingsError if the role of requests has more rights than requests need. */
export async function requireRequestRole({
  REQUEST_DATABASE_URL: url,
  REPLICA_DATABASE_URL: replicaUrl,
}: Record<string, string>): Promise<void> {
  if (replicaUrl && !url)
    throw new SettingsError("REPLICA_DATABASE_URL needs REQUEST_DATABASE_URL as well.");
  if (!url)
    return log("info", "requests go by the Data API; npm run request-role gives them a faster way");
  const excess = await excessRightsOf(url).catch((error: Error) => {
    throw new SettingsError(`REQUEST_DATABASE_URL does not lead to a database: ${error.message}.`);
  });
  if (excess)
    throw new SettingsError(
      `REQUEST_DATABASE_URL is no role for requests: ${excess}. npm run request-role makes one.`,
    );
  if (!replicaUrl) return;
  const replicaExcess = await excessRightsOf(replicaUrl).catch((error: Error) => {
    // A replica is optional, so this is only a warning.
    log("warn", `REPLICA_DATABASE_URL does not lead to a database: ${error.message}`);
    return null;
  });
  if (replicaExcess)
    throw new SettingsError(
      `REPLICA_DATABASE_URL is no role for requests: ${replicaExcess}. ` +
        "Give the role of REQUEST_DATABASE_URL.",
    );
}

/** @throws SettingsError if the worker could not receive notifications. */
export async function requireListening({
  DATABASE_URL = "",
  DIRECT_URL,
}: Record<string, string>): Promise<void> {
  const name = DIRECT_URL ? "DIRECT_URL" : "DATABASE_URL";
  const canListen = await supportsListen(DIRECT_URL || DATABASE_URL).catch((error: Error) => {
    throw new SettingsError(
      `${name} does not lead to a database: ` +
        `${error.message || (error as NodeJS.ErrnoException).code}.`,
    );
  });
  if (canListen) return;
  const advice =
    "a direct connection, or one through a pooler in session mode (at Supabase: port 5432, not " +
    "6543)";
  throw new SettingsError(
    `${name} goes through a pooler in transaction mode, which loses what the worker listens for. ` +
      (DIRECT_URL ? `It has to be ${advice}.` : `Set DIRECT_URL as well: ${advice}.`),
  );
}

export async function applyMigrations(databaseUrl: string): Promise<void> {
  const names = await migrate(databaseUrl, { onWait: (reason) => log("warn", reason) }).catch(
    (error) => {
      throw error instanceof LockHeld ? new SettingsError(error.message) : error;
    },
  );
  for (const name of names) log("info", "migration applied", { name });
}

export async function seedOnce(databaseUrl: string): Promise<void> {
  if (await seed(databaseUrl)) log("info", "demonstration data seeded");
}

export async function startDataApi(
  env: Record<string, string>,
  port: number,
  urls: DatabaseUrls,
): Promise<void> {
  const [part] = startParts(1, {
    name: "data-api",
    command: nodeWithHeap("data-api", "supabase/local/data-api.ts"),
    env: {
      ...dataApiEnv(env),
      DATA_API_PORT: String(port),
      CATALOGUE_URL: urls.owner,
      AUTHENTICATOR_URL: urls.authenticator,
      AUTH_ADMIN_URL: urls.authAdmin,
    },
    stopTimeoutMs: 2_000,
    ours: true,
  });
  if (part) await allReady([part]);
}

const nodeWithHeap = (part: keyof typeof HEAP, file: string) => node(file, ...HEAP[part]);

/**
 * Starts the background processes. Processes of one kind are replaced one by one, while the others
 * take over their jobs.
 */
export function startBackground({ env, background, metricsPort }: Settings): Part[] {
  let precedingCount = 0;
  return background.flatMap(({ kind, file, processes }) => {
    const command = nodeWithHeap(kind, file);
    const first = (metricsPort ?? 0) + precedingCount;
    precedingCount += processes;
    const extraEnv = (nth: number): Record<string, string> =>
      metricsPort === null ? {} : { METRICS_PORT: String(first + nth) };
    const options = {
      name: kind,
      command,
      env: backgroundEnv(env, kind),
      stopTimeoutMs: 6_000,
      ours: true,
    };
    const parts = startParts(processes, options, extraEnv);
    if (env.NODE_ENV === "development")
      onSourceChange(["lib", "engine", "worker"], () => renewEach(parts));
    return parts;
  });
}

/**
 * Starts the web processes. Several run below one child process, which distributes their
 * connections.
 */
export function startWeb({ env, webs }: Settings): Part[] {
  const command = nodeWithHeap("web", webs > 1 ? "server/processes.ts" : "server/main.ts");
  return startParts(Math.min(webs, 1), {
    name: "web",
    command,
    env: webEnv(env),
    stopTimeoutMs: 8_000,
    ours: true,
  });
}

export async function renewEach(parts: Part[]): Promise<void> {
  for (const part of parts) await part.renew();
}

/**
 * Several web processes replace themselves one by one; a single one is unavailable during its
 * restart.
 */
export async function renewWeb([web]: Part[], { webs }: Settings): Promise<void> {
  if (webs > 1) web?.signal("SIGUSR2");
  else await web?.renew();
}

/**
 * Waits for 200 from /readyz: the database answers and workers are healthy. If no workers run on
 * this machine, it only waits for /healthz.
 */
export async function webIsReady({
  port,
  webs,
  background,
  env: { HOST },
}: Settings): Promise<void> {
  if (webs === 0) return;
  const host =
    !HOST || HOST === "0.0.0.0" || HOST === "::"
      ? "127.0.0.1"
      : HOST.includes(":")
        ? `[${HOST}]`
        : HOST;
  const path = background.every(({ processes }) => processes > 0) ? "/readyz" : "/healthz";
  await until("The web server", () => responds(`http://${host}:${port}${path}`));
}

/** Waits until each process has reported that it is ready. */
export async function allReady(parts: Part[]): Promise<void> {
  const timedOut = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => timedOut.reject(notReady(parts.map(({ name }) => name).join(", "))),
    READY_TIMEOUT_MS,
  );
  await Promise.race([Promise.all(parts.map((part) => part.ready)), timedOut.promise]);
  clearTimeout(timer);
}

function notReady(condition: string): Error {
  return new Error(`${condition}: not ready after ${READY_TIMEOUT_MS / 1000} s.`);
}

async function until(condition: string, isMet: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (!(await isMet())) {
    if (performance.now() > deadline) throw notReady(condition);
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
        "The database in DATA_DIR was created with other secrets than those in secrets.json. " +
          "Restore that file, or remove DATA_DIR.",
      );
    }
    return false;
  }
}

async function responds(url: string): Promise<boolean> {
  try {
    const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    return ok || status === 401 || status === 404;
  } catch {
    return false;
  }
}
