import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { until } from "#e2e/until.ts";
import { freePort } from "../../supervisor/ports.ts";
import { evaluate, metricsIn, type Sample, samplesOf } from "./alerts/promql.ts";
import { freshDataDir } from "./data-dir.ts";
import { Project } from "./project.ts";
import { Supervisor } from "./supervisor.ts";

type Rule = { alert: string; expr: string; annotations: { summary: string; runbook: string } };
type Panel = { title: string; targets?: { expr: string }[] };

const ROOT = join(import.meta.dirname, "../..");
const RULES = (
  parse(readFileSync(join(ROOT, "ops/alerts/tieout.yml"), "utf8")) as {
    groups: { rules: Rule[] }[];
  }
).groups.flatMap(({ rules }) => rules);
const PANELS = (
  JSON.parse(readFileSync(join(ROOT, "ops/grafana/tieout.json"), "utf8")) as { panels: Panel[] }
).panels;
const TOKEN = "prometheus-reads-this-and-nobody-else";
const DATA_DIR = freshDataDir();
/** Metrics that a process only reports after their first observation. */
const HISTOGRAM = /_(bucket|sum|count)$/;

let stack: Supervisor;
let project: Project;
let metricsPort: number;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  // The worker's port. The matcher uses the next one.
  metricsPort = await freePort();
  stack = await Supervisor.ready({
    DATA_DIR,
    METRICS_TOKEN: TOKEN,
    METRICS_PORT: String(metricsPort),
    DATABASE_MAX_BYTES: "10000000000",
  });
  project = new Project(stack, DATA_DIR);
});
afterAll(async () => {
  for (const end of cleanups.reverse()) await end();
  process.kill(stack.pidOf("worker"), "SIGCONT");
  await stack.end("SIGTERM");
});

async function scrape(instance: string, port: number): Promise<Sample[]> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, {
    headers: { Authorization: `Bearer ${TOKEN}` },
    signal: AbortSignal.timeout(5_000),
  }).catch(() => null);
  return response?.ok ? samplesOf(await response.text(), instance) : [];
}

async function scrapeAll(): Promise<Sample[]> {
  const ports = { web: stack.port, worker: metricsPort, matcher: metricsPort + 1 };
  return (
    await Promise.all(Object.entries(ports).map(([name, port]) => scrape(name, port)))
  ).flat();
}

const firing = (samples: Sample[]) =>
  RULES.filter(({ expr }) => evaluate(expr, samples).length > 0).map(({ alert }) => alert);

const fires = (alert: string, find: () => Promise<Sample[]> = scrapeAll) =>
  until(`${alert} to fire`, async () => firing(await find()).includes(alert), 120_000);

/** A separate web process started through a shell. */
function webProcess(port: number, variables: Record<string, string>): ChildProcess {
  const command = `${process.execPath} server/main.ts & read line; exit`;
  const shell = spawn("sh", ["-c", command], {
    cwd: ROOT,
    detached: true,
    env: {
      ...process.env,
      ...project.env,
      NODE_ENV: "production",
      PORT: String(port),
      METRICS_TOKEN: TOKEN,
      ...variables,
    },
    stdio: ["pipe", "ignore", "ignore"],
  });
  cleanups.push(() => process.kill(-(shell.pid ?? 0), "SIGKILL"));
  return shell;
}

describe("the rules of ops/alerts", () => {
  test("are silent on a healthy stack, and name only existing metrics", async () => {
    await until(
      "every process to be scraped",
      async () => new Set((await scrapeAll()).map(({ labels }) => labels.instance)).size === 3,
    );
    expect((await fetch(`http://127.0.0.1:${metricsPort}/healthz`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).status).toBe(401);
    await project.call("GET", "/v1/me");
    const samples = await scrapeAll();
    expect(firing(samples)).toEqual([]);
    const names = new Set(samples.map(({ name }) => name));
    const expressions = [
      ...RULES.map(({ expr }) => expr),
      ...PANELS.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ];
    const unknown = expressions
      .flatMap(metricsIn)
      .filter((name) => !names.has(name) && !HISTOGRAM.test(name));
    // Metrics of the supervisor and of receivers must be declared, too, even without samples.
    expect([...new Set(unknown)]).toEqual([]);
  });

  test("each have a runbook with meaning, diagnosis and fix", () => {
    for (const { annotations } of RULES) {
      const page = readFileSync(join(ROOT, annotations.runbook), "utf8");
      for (const heading of ["## What it means", "## Find out", "## Fix"])
        expect(page, annotations.runbook).toContain(heading);
    }
  });

  const drills: Record<string, () => Promise<void>> = {
    async TieoutChainBroken() {
      const [event] = await project.sql<{ seq: string }>(
        "select max(seq)::text as seq from public.security_events where chain = 'acme'",
      );
      await project.call("POST", "/v1/exceptions", { title: "For the chain", severity: "low" });
      await project.call("POST", "/v1/tenants/acme/api-keys", {
        name: "Chain",
        scopes: ["read:exceptions"],
      });
      await project.sql(`set session_replication_role = replica`).catch(() => {});
      await project.sql(
        `begin; alter table public.security_events disable trigger user;
         update public.security_events set actor = 'mallory' where chain = 'acme' and seq = ${Number(event?.seq ?? 0) + 1};
         alter table public.security_events enable trigger user; commit`,
      );
      await fires("TieoutChainBroken");
    },
    async TieoutOrphan() {
      const port = await freePort();
      const shell = webProcess(port, {});
      await until(
        "the web process to answer",
        async () => (await scrape("orphan", port)).length > 0,
      );
      expect(firing(await scrape("orphan", port))).not.toContain("TieoutOrphan");
      shell.stdin?.end();
      await fires("TieoutOrphan", () => scrape("orphan", port));
    },
    async TieoutDatabaseDown() {
      const port = await freePort();
      webProcess(port, { SUPABASE_URL: "http://127.0.0.1:9", REQUEST_DATABASE_URL: "" });
      await fires("TieoutDatabaseDown", () => scrape("cut", port));
    },
    async TieoutDiskFull() {
      const port = await freePort();
      webProcess(port, { DATABASE_MAX_BYTES: "1000", DATABASE_DISK: "" });
      await fires("TieoutDiskFull", () => scrape("full", port));
    },
    async TieoutJobsFailed() {
      await project.sql("select graphile_worker.add_job('nobody_does_this', max_attempts := 1)");
      await project.sql("update graphile_worker._private_jobs set attempts = max_attempts");
      await fires("TieoutJobsFailed");
    },
    async TieoutJobsNotDraining() {
      await project.sql(
        `select graphile_worker.add_job('nobody_does_this',
           run_at := now() - interval '10 minutes') from generate_series(1, 501)`,
      );
      await fires("TieoutJobsNotDraining");
    },
    async TieoutOldestJob() {
      await fires("TieoutOldestJob");
    },
    async TieoutStaleLocks() {
      await project.sql(
        `update graphile_worker._private_jobs set locked_by = 'worker-of-yesterday',
           locked_at = now() - interval '10 minutes'
         where id = (select min(id) from graphile_worker._private_jobs
           where attempts < max_attempts)`,
      );
      await fires("TieoutStaleLocks");
    },
    async TieoutTaskNotScheduled() {
      const recount = (ago: string) =>
        project.sql(
          `update graphile_worker._private_known_crontabs set known_since = now() - interval '2 days',
             last_execution = now() - $1::interval where identifier = 'queue_book_examinations'`,
          [ago],
        );
      await recount("27 hours");
      await fires("TieoutTaskNotScheduled");
      await recount("20 hours");
      await until(
        "a daily schedule not to fire within its day",
        async () => !firing(await scrapeAll()).includes("TieoutTaskNotScheduled"),
      );
      await project.sql(
        `update graphile_worker._private_known_crontabs set known_since = now() - interval '1 day',
           last_execution = now() - interval '3 hours' where identifier = 'purge_sessions'`,
      );
      await fires("TieoutTaskNotScheduled");
    },
    async TieoutReceiversToRecover() {
      const { id } = await project.call<{ id: string }>("POST", "/v1/webhooks", {
        url: "https://hooks.example.com/alerts",
        events: ["exception.sla.breached"],
      });
      await project.sql(
        `update public.webhooks set status = 'disabled', disabled_at = now(),
           disabled_reason = 'failing' where id = $1`,
        [id],
      );
      await fires("TieoutReceiversToRecover");
    },
    async TieoutMigrationLockHeld() {
      const holder = await project.connect();
      await holder.query("select pg_advisory_lock(hashtext('tieout migrations')::bigint)");
      await fires("TieoutMigrationLockHeld");
      await holder.end();
    },
    async TieoutConnectionsNearEnd() {
      const [{ max } = { max: 0 }] = await project.sql<{ max: number }>(
        `select current_setting('max_connections')::int
           - current_setting('superuser_reserved_connections')::int as max`,
      );
      const clients: Client[] = [];
      let fired = false;
      for (let taken = 0; taken < max && !fired; taken++) {
        const client = new Client({ connectionString: project.env.DATABASE_URL });
        client.on("error", () => {});
        await client.connect();
        clients.push(client);
        fired = firing(await scrapeAll()).includes("TieoutConnectionsNearEnd");
      }
      expect(fired).toBe(true);
      await Promise.all(clients.map((client) => client.end()));
    },
    // The worker is stopped from here on.
    async TieoutDeliveriesBehind() {
      const due = new Date(Date.now() + 2_000).toISOString();
      await project.call("POST", "/v1/webhooks", {
        url: "https://hooks.example.com/late",
        events: ["exception.created"],
      });
      process.kill(stack.pidOf("worker"), "SIGSTOP");
      await project.call("POST", "/v1/exceptions", {
        title: "Nobody tells of it",
        severity: "low",
        due_at: due,
      });
      await project.sql(
        `update public.webhook_deliveries set next_attempt_at = now() - interval '10 minutes'
         where status = 'pending'`,
      );
      await fires("TieoutDeliveriesBehind");
    },
    async TieoutWorkerSilent() {
      await fires("TieoutWorkerSilent");
    },
    async TieoutSlaClockBehind() {
      await fires("TieoutSlaClockBehind");
    },
    async TieoutSignerBehind() {
      await fires("TieoutSignerBehind");
    },
    async TieoutVitalNotWorking() {
      process.kill(stack.pidOf("worker"), "SIGCONT");
      const blocker = await project.connect();
      await blocker.query("begin; lock table private.exception_clocks in access exclusive mode");
      await fires("TieoutVitalNotWorking");
      await blocker.end();
    },
  };

  test("all have a drill here", () => {
    expect(Object.keys(drills).sort()).toEqual(
      [...new Set(RULES.map(({ alert }) => alert))].sort(),
    );
  });

  test.each(Object.entries(drills))("%s fires on a stack with its fault", async (_, drill) =>
    drill(),
  );
});
