import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "#e2e/until.ts";
import { Postgres } from "../../supabase/local/postgres.ts";
import { freePort } from "../../supervisor/ports.ts";
import { copyCluster, superuserUrl, writeToCluster } from "./copy-cluster.ts";
import { freshDataDir } from "./data-dir.ts";
import { Project } from "./project.ts";
import { Supervisor } from "./supervisor.ts";

const DATA_DIR = freshDataDir();
const REPLICA_DIR = freshDataDir();
const SHARED =
  /^(SUPABASE_|DATABASE_URL|REQUEST_DATABASE_URL|ENCRYPTION_|AUTH_|AUDIT_|NEXTAUTH_SECRET)/;

/** Acts as the Supabase project. */
let supabase: Supervisor;
let replica: ChildProcess;
let onReplica: Client;
/** Web processes on the project and its replica. */
let service: Supervisor;
let project: Project;

beforeAll(async () => {
  supabase = await Supervisor.ready({ DATA_DIR });
  const own = new Project(supabase, DATA_DIR);
  await copyCluster(own, DATA_DIR, REPLICA_DIR);
  const primary = superuserUrl(own, DATA_DIR);
  const { hostname, port, username, password } = primary;
  writeToCluster(REPLICA_DIR, "standby.signal", "");
  writeToCluster(
    REPLICA_DIR,
    "postgresql.auto.conf",
    `primary_conninfo = 'host=${hostname} port=${port} user=${username} password=${password}'\n`,
  );
  const postgres = new Postgres(REPLICA_DIR);
  postgres.prepare(password);
  const replicaPort = await freePort();
  const { command, ids } = postgres.command(replicaPort);
  const [program = "", ...args] = command;
  replica = spawn(program, args, {
    env: { LC_ALL: "C" } as unknown as NodeJS.ProcessEnv,
    stdio: "ignore",
    ...ids,
  });
  const at = (url: string | URL) => Object.assign(new URL(url), { port: String(replicaPort) }).href;
  onReplica = await until("the replica to answer", () => connectTo(at(primary)));

  const shared = Object.fromEntries(Object.entries(own.env).filter(([name]) => SHARED.test(name)));
  service = await Supervisor.ready({
    ...shared,
    DATA_DIR: freshDataDir(),
    WORKER_CONCURRENCY: "0",
    MATCHER_CONCURRENCY: "0",
    REPLICA_DATABASE_URL: at(shared.REQUEST_DATABASE_URL ?? ""),
  });
  project = new Project(service, DATA_DIR);
});
afterAll(async () => {
  await service.end("SIGTERM");
  await supabase.end("SIGTERM");
  await onReplica.end();
  replica.kill("SIGQUIT");
});

async function connectTo(connectionString: string): Promise<Client | null> {
  const client = new Client({ connectionString });
  client.on("error", () => {});
  return client.connect().then(
    () => client,
    () => null,
  );
}

type List = { items: { title: string }[] };
const titles = async (path: string) =>
  (await project.call<List>("GET", path)).items.map(({ title }) => title);

test("searches use a lagging replica if it is available, and all other calls the primary", async () => {
  expect((await onReplica.query("select pg_is_in_recovery() as follows")).rows).toEqual([
    { follows: true },
  ]);
  await onReplica.query("select pg_wal_replay_pause()");
  const paused = "select pg_get_wal_replay_pause_state() = 'paused' as paused";
  await until("the replica to pause", async () => (await onReplica.query(paused)).rows[0].paused);
  const { id } = await project.call<{ id: string }>("POST", "/v1/exceptions", {
    title: "Replicated payout",
    severity: "low",
  });

  expect(await titles("/v1/exceptions?q=replicated")).toEqual([]);
  expect(await titles("/v1/exceptions?limit=1")).toEqual(["Replicated payout"]);
  expect(await project.call("GET", `/v1/exceptions/${id}`)).toMatchObject({
    title: "Replicated payout",
  });

  await onReplica.query("select pg_wal_replay_resume()");
  await until(
    "the replica to follow",
    async () => (await titles("/v1/exceptions?q=replicated")).length === 1,
  );

  replica.kill("SIGQUIT");
  await once(replica, "exit");
  expect(await titles("/v1/exceptions?q=replicated")).toEqual(["Replicated payout"]);
});
