import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CommitBuild, previousCommit } from "#e2e/commit-build.ts";
import { Balancer } from "#e2e/stack/balancer.ts";
import { freshDataDir } from "#e2e/stack/data-dir.ts";
import { Project } from "#e2e/stack/project.ts";
import { Supervisor } from "#e2e/stack/supervisor.ts";
import { until } from "#e2e/until.ts";
import { Receiver } from "#e2e/webhooks/receiver.ts";
import { freePort } from "../../supervisor/ports.ts";
import { Writers } from "./writers.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PROGRAMS = {
  web: "server/main.ts",
  worker: "worker/main.ts",
  matcher: "worker/matcher/main.ts",
};
const BUILD_TIMEOUT_MS = 900_000;
/** The only variables that each kind of process gets. */
const VARIABLES = {
  web: /^(SUPABASE_|REQUEST_DATABASE_URL|AUTH_|AUDIT_PUBLIC_KEYS|NEXTAUTH_SECRET|ENCRYPTION_KEYS)/,
  worker: /^(DATABASE_URL|ENCRYPTION_KEYS|AUDIT_SIGNING_KEY|NEXTAUTH_URL)$/,
  matcher: /^DATABASE_URL$/,
};
type Kind = keyof typeof VARIABLES;
type Running = { kind: Kind; port: number; process: ChildProcess };

const DATA_DIR = freshDataDir();
const commit = previousCommit();
let previous: CommitBuild;
/**
 * Acts as the Supabase project, with the migrations of the new build. Its worker and matcher are
 * stopped.
 */
let supabase: Supervisor;
let project: Project;
let receiver: Receiver;
const running: Running[] = [];

beforeAll(async () => {
  if (commit === null) return;
  previous = new CommitBuild(commit);
  supabase = await Supervisor.ready({ DATA_DIR });
  project = new Project(supabase, DATA_DIR);
  for (const kind of ["worker", "matcher"] as const) process.kill(supabase.pidOf(kind), "SIGSTOP");
  receiver = await Receiver.start();
}, BUILD_TIMEOUT_MS);
afterAll(async () => {
  if (commit === null) return;
  for (const { process: child } of running) child.kill("SIGKILL");
  await receiver.stop();
  for (const kind of ["worker", "matcher"] as const) process.kill(supabase.pidOf(kind), "SIGCONT");
  await supabase.end("SIGTERM");
  previous.remove();
});

async function start(kind: Kind, folder: string): Promise<Running> {
  const port = await freePort();
  const passed = Object.entries(project.env).filter(([name]) => VARIABLES[kind].test(name));
  const own =
    kind === "web"
      ? { PORT: String(port), NEXTAUTH_URL: `http://127.0.0.1:${port}`, RATE_LIMIT_PER_MINUTE: "0" }
      : { METRICS_PORT: String(port) };
  const child = spawn(process.execPath, [PROGRAMS[kind]], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      WEBHOOK_ALLOW_HOSTS: "127.0.0.1",
      ...Object.fromEntries(passed),
      ...own,
    } as unknown as NodeJS.ProcessEnv,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const started = { kind, port, process: child };
  running.push(started);
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(`${kind} to work`, answers, 120_000);
  return started;
}

/** Imports a file with one more line of a source. @returns the import's ID */
async function sendFile(url: string, source: string, nth: number): Promise<string> {
  const response = await fetch(`${url}/v1/sources/${source}/imports`, {
    method: "POST",
    headers: { ...(await project.headers()), "Content-Type": "text/csv" },
    body: `value_date,amount,reference\n2026-10-25,12.34,rolling-${nth}\n`,
  });
  expect(response.status).toBe(202);
  return ((await response.json()) as { id: string }).id;
}

test.skipIf(commit === null)(
  "each process of the previous build is replaced under load, on the new build's database, and every call is answered",
  async () => {
    const kinds: Kind[] = ["worker", "matcher", "web", "web"];
    const before = await Promise.all(kinds.map((kind) => start(kind, previous.folder)));
    const webs = before.filter(({ kind }) => kind === "web");
    const balancer = await Balancer.start(webs.map(({ port }) => port));
    await until("both web processes to be healthy", () => balancer.healthy === 2);
    const { url } = balancer;
    const headers = { ...(await project.headers()), "Content-Type": "application/json" };
    const created = await fetch(`${url}/v1/sources`, {
      method: "POST",
      headers,
      body: JSON.stringify({ name: "Rolling", kind: "ledger", currency: "EUR" }),
    });
    const { id: source } = (await created.json()) as { id: string };
    const writers = await Writers.start({ name: "rolling", count: 3, url, project, receiver });
    await writers.makeMore(20);

    const imports: string[] = [];
    const [worker, matcher, first, second] = before as [Running, Running, Running, Running];
    // In this order, each kind of process runs next to each kind of the other build.
    for (const old of [first, matcher, worker, second]) {
      const begun = writers.responses.length;
      imports.push(await sendFile(url, source, imports.length));
      const next = await start(old.kind, ROOT);
      if (old.kind === "web") balancer.add(next.port);
      imports.push(await sendFile(url, source, imports.length));
      old.process.kill("SIGTERM");
      expect(await once(old.process, "exit")).toEqual([0, null]);
      await writers.makeMore(10);
      console.log(
        `${old.kind} replaced: ${writers.responses.length - begun} calls, p99 ${writers.quantileMs(0.99, begun)} ms`,
      );
    }
    await writers.end();

    expect(writers.responses.filter(({ status }) => status !== 201)).toEqual([]);
    await writers.expectNothingLost();
    const done = async (id: string) => {
      const read = await fetch(`${url}/v1/imports/${id}`, { headers: await project.headers() });
      const { status, accepted_count } = (await read.json()) as {
        status: string;
        accepted_count: number;
      };
      return status === "done" && accepted_count === 1;
    };
    for (const id of imports) await until("the import to be read", () => done(id));
    balancer.stop();
    console.log(
      `from ${commit?.slice(0, 8)}: ${writers.responses.length} calls, lost 0, doubled 0; median ` +
        `${writers.quantileMs(0.5)} ms, p99 ${writers.quantileMs(0.99)} ms, slowest ` +
        `${Math.round(writers.slowestMs)} ms; ${imports.length} imports`,
    );
  },
);
