import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { creating } from "#e2e/exception-statements.ts";
import { until } from "#e2e/until.ts";
import { Receiver } from "#e2e/webhooks/receiver.ts";
import { LockHeld, migrate } from "../../supabase/local/migrate.ts";
import { freshDataDir } from "./data-dir.ts";
import { hasPgBouncer, type Pooler, pgBouncer, poolerWithoutNotifications } from "./pooler.ts";
import { Project } from "./project.ts";
import { Supervisor } from "./supervisor.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const LOCK = "pg_advisory_lock(hashtext('tieout migrations'))";

const DATA_DIR = freshDataDir();
let stack: Supervisor;
let project: Project;
let databaseUrl: string;
let variables: Record<string, string>;

beforeAll(async () => {
  stack = await Supervisor.ready({ DATA_DIR });
  project = new Project(stack, DATA_DIR);
  databaseUrl = project.env.DATABASE_URL ?? "";
  variables = Object.fromEntries(
    Object.entries(project.env).filter(([name]) =>
      /^(SUPABASE_|ENCRYPTION_|AUTH_|AUDIT_)/.test(name),
    ),
  );
});
afterAll(() => stack.end("SIGTERM"));

const lockHolders = () =>
  project.sql(
    `select from pg_locks where locktype = 'advisory'
       and objid = hashtext('tieout migrations')::bigint & 4294967295`,
  );

describe("migrations, one start at a time", () => {
  test("wait for another start, and name it", async () => {
    const other = await project.connect();
    const { rows } = await other.query<{ pid: number }>(
      `select pg_backend_pid() as pid from ${LOCK}`,
    );
    const messages: string[] = [];
    const applied = migrate(databaseUrl, { onWait: (why) => messages.push(why) });
    await until("it to say that it waits", () => messages.length > 0);
    expect(messages[0]).toContain(
      `waiting for another start to apply migrations: pid ${rows[0]?.pid}`,
    );
    await other.end();
    expect(await applied).toEqual([]);
  });

  test("give up eventually, and say what to do", async () => {
    const other = await project.connect();
    await other.query(`select ${LOCK}`);
    const error = await migrate(databaseUrl, { onWait: () => {}, giveUpAfterMs: 300 }).catch(
      (error) => error,
    );
    await other.end();
    expect(error).toBeInstanceOf(LockHeld);
    expect(error.message).toContain("pg_terminate_backend");
  });

  test("leave no lock behind", async () => {
    await migrate(databaseUrl);
    expect(await lockHolders()).toEqual([]);
  });
});

test("a database that wasn't set up for demo users refuses them", async () => {
  const seed = readFileSync(new URL("../../supabase/seed.sql", import.meta.url), "utf8");
  await expect(project.sql(seed)).rejects.toThrow("They are for a database on your own machine.");
});

describe("a pooler that loses what the worker listens for", () => {
  let pooler: Pooler;
  beforeAll(async () => {
    pooler = await poolerWithoutNotifications(databaseUrl);
  });
  afterAll(() => pooler.stop());

  test.each(["DATABASE_URL", "DIRECT_URL"])(
    "is refused as %s with an explanation, before anything starts",
    async (name) => {
      const start = await Supervisor.start({
        ...variables,
        DATA_DIR: freshDataDir(),
        DATABASE_URL: databaseUrl,
        [name]: pooler.url,
      });
      expect(await start.end()).toBe(1);
      expect(start.fatal).toContain(`${name} goes through a pooler in transaction mode`);
      expect(start.pids.some(Number.isInteger)).toBe(false);
    },
  );
});

describe.skipIf(!hasPgBouncer)("PgBouncer in transaction mode", () => {
  let pooler: Pooler;
  let receiver: Receiver;
  beforeAll(async () => {
    [pooler, receiver] = await Promise.all([
      pgBouncer(databaseUrl, "transaction"),
      Receiver.start(),
    ]);
  });
  afterAll(async () => {
    await Promise.all([pooler.stop(), receiver.stop()]);
  });

  test("keeps no lock of migrations: the next start does not wait for the last", async () => {
    for (const waits of [[], []] as string[][]) {
      expect(await migrate(pooler.url, { onWait: (why) => waits.push(why) })).toEqual([]);
      expect(waits).toEqual([]);
    }
    expect(await lockHolders()).toEqual([]);
  });

  test("is refused without an additional direct connection", async () => {
    const start = await Supervisor.start({
      ...variables,
      DATA_DIR: freshDataDir(),
      DATABASE_URL: pooler.url,
    });
    expect(await start.end()).toBe(1);
    expect(start.fatal).toContain("Set DIRECT_URL as well");
  });

  test("serves migrations and background work if listeners connect directly", async () => {
    const dataDir = freshDataDir();
    process.kill(stack.pidOf("worker"), "SIGSTOP");
    const pooled = await Supervisor.ready({
      ...variables,
      DATA_DIR: dataDir,
      DATABASE_URL: pooler.url,
      DIRECT_URL: databaseUrl,
      WEBHOOK_ALLOW_HOSTS: "127.0.0.1",
    });
    try {
      const through = new Project(pooled, dataDir);
      await receiver.behave("/pooled", { secrets: [SECRET] });
      await through.call("POST", "/v1/webhooks", {
        url: receiver.url("/pooled"),
        events: ["exception.sla.breached"],
        secret: SECRET,
      });
      await project.sql(
        creating(
          `'tenant_id', 'acme', 'title', 'T' || i, 'severity', 'low', 'due_at',
             clock_timestamp() + make_interval(secs => 0.5), 'created_by', 'system'`,
          `generate_series(1, 20) i`,
        ),
      );
      const received = await receiver.gets("/pooled", 20);
      expect(received.every(({ verified }) => verified.includes(SECRET))).toBe(true);
      await until("a job to be done", await project.giveJob("purge_records"));
      expect(
        pooled.entries.filter(
          ({ part, level }) => part === "worker" && (level === "error" || level === "fatal"),
        ),
      ).toEqual([]);
      expect(await lockHolders()).toEqual([]);
    } finally {
      process.kill(stack.pidOf("worker"), "SIGCONT");
      expect(await pooled.end("SIGTERM")).toBe(0);
    }
  });
});
