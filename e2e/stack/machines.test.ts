import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lastAccepted } from "#e2e/last-accepted.ts";
import { until } from "#e2e/until.ts";
import { Receiver } from "#e2e/webhooks/receiver.ts";
import { Balancer } from "./balancer.ts";
import { freshDataDir } from "./data-dir.ts";
import { Project } from "./project.ts";
import { Supervisor } from "./supervisor.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const KINDS = { web: "WEB_CONCURRENCY", worker: "WORKER_CONCURRENCY", matcher: "MATCHER_CONCURRENCY" } as const;
type Kind = keyof typeof KINDS;

const DATA_DIR = freshDataDir();
/** Stands for the Supabase project, and does none of the work: its worker and matcher stand still. */
let project: Project;
let supabase: Supervisor;
const machines: Record<Kind, Supervisor[]> = { web: [], worker: [], matcher: [] };
let balancer: Balancer;
let receiver: Receiver;

beforeAll(async () => {
  supabase = await Supervisor.ready({ DATA_DIR });
  project = new Project(supabase, DATA_DIR);
  receiver = await Receiver.start();
  for (const kind of ["worker", "matcher"] as const) process.kill(supabase.pidOf(kind), "SIGSTOP");
  const kinds: Kind[] = ["worker", "worker", "matcher", "matcher", "web", "web"];
  await Promise.all(kinds.map(async (kind) => machines[kind].push(await machine(kind))));
  balancer = await Balancer.start(machines.web.map(({ port }) => port));
});
afterAll(async () => {
  balancer.stop();
  await receiver.stop();
  await Promise.all([...machines.web, ...machines.worker, ...machines.matcher].map((one) => one.end("SIGTERM")));
  for (const kind of ["worker", "matcher"] as const) process.kill(supabase.pidOf(kind), "SIGCONT");
  await supabase.end("SIGTERM");
});

/** A machine that runs one process of a kind, with the variables that it needs and no others. */
function machine(kind: Kind): Promise<Supervisor> {
  const counts = Object.fromEntries(Object.values(KINDS).map((name) => [name, name === KINDS[kind] ? "1" : "0"]));
  const shared = Object.entries(project.env).filter(([name]) =>
    /^(SUPABASE_|DATABASE_URL|ENCRYPTION_|AUTH_|AUDIT_|NEXTAUTH_SECRET)/.test(name),
  );
  return Supervisor.ready({ ...Object.fromEntries(shared), ...counts, DATA_DIR: freshDataDir(), WEBHOOK_ALLOW_HOSTS: "127.0.0.1" });
}

async function call<Answer>(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer & { status: number }> {
  const response = await fetch(`${balancer.url}${path}`, {
    method,
    headers: { ...(await project.headers()), ...(body && { "Content-Type": "application/json" }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { ...((await response.json()) as Answer), status: response.status };
}

/** Ends a machine as a power cut does, and puts another in its place. */
async function replace(kind: Kind): Promise<void> {
  const victim = machines[kind].shift();
  process.kill(victim?.pidOf(kind) ?? 0, "SIGKILL");
  await victim?.end("SIGKILL");
  const next = await machine(kind);
  machines[kind].push(next);
  if (kind === "web") balancer.add(next.port);
}

describe("two machines of each kind behind a load balancer", () => {
  test("lose nothing and double nothing while one of each is killed and replaced", async () => {
    await until("both web machines to be healthy", () => balancer.healthy === 2);
    await receiver.behave("/machines", { secrets: [SECRET] });
    await call("POST", "/v1/webhooks", { url: receiver.url("/machines"), events: ["exception.sla.breached"], secret: SECRET });

    const answers: { status: number; ms: number; during: Kind }[] = [];
    let during: Kind = "web";
    const acknowledged = new Set<string>();
    let over = false;
    const writers = Array.from({ length: 3 }, async (_, writer) => {
      for (let nth = 0; !over; nth++) {
        const title = `machines ${writer}/${nth}`;
        const due_at = new Date(Date.now() + 1_000).toISOString();
        const key = { "Idempotency-Key": `machines-${writer}-${nth}` };
        const since = performance.now();
        const { status } = await call("POST", "/v1/exceptions", { title, severity: "low", due_at }, key).catch(() => ({ status: 0 }));
        answers.push({ status, ms: performance.now() - since, during });
        if (status === 201) acknowledged.add(title);
        await sleep(100);
      }
    });
    for (const kind of ["web", "worker", "matcher"] as const) {
      during = kind;
      await replace(kind);
    }
    over = true;
    await Promise.all(writers);

    expect(answers.filter(({ status }) => status !== 201)).toEqual([]);
    const stored = await project.sql<{ title: string; times: number }>(
      "select title, count(*)::int as times from public.exceptions where title like 'machines %' group by title",
    );
    expect(new Set(stored.map(({ title }) => title))).toEqual(acknowledged);
    expect(stored.filter(({ times }) => times !== 1)).toEqual([]);
    const received = await receiver.gets("/machines", acknowledged.size, 150_000);
    const delivered = new Set(
      received.map(({ body }) => (JSON.parse(body) as { data: { exception: { title: string } } }).data.exception.title),
    );
    expect([...acknowledged].filter((title) => !delivered.has(title))).toEqual([]);
    const [events] = await project.sql<{ count: number }>(
      "select count(*)::int from public.events where type = 'exception.sla.breached' and data #>> '{exception,title}' like 'machines %'",
    );
    expect(events?.count).toBe(acknowledged.size);
    for (const [killed, own] of Map.groupBy(answers, (answer) => answer.during)) {
      const times = own.map(({ ms }) => ms).sort((left, right) => left - right);
      const p99 = Math.round(times[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN);
      console.log(`${killed} killed and replaced: ${own.length} calls, all acknowledged, lost 0, doubled 0; p99 ${p99} ms`);
    }
  });

  test("read an import on whichever matcher is there", async () => {
    const { id: source } = await call<{ id: string }>("POST", "/v1/sources", { name: "Machines", kind: "bank_statement", currency: "EUR" });
    const response = await fetch(`${balancer.url}/v1/sources/${source}/imports`, {
      method: "POST",
      headers: { ...(await project.headers()), "Content-Type": "text/csv" },
      body: "value_date,amount,reference\n2026-10-25,12.34,machines-1\n",
    });
    expect(response.status).toBe(202);
    const { id } = (await response.json()) as { id: string };
    type Read = { status: string; accepted_count: number };
    await until("the import to be read", async () => (await call<Read>("GET", `/v1/imports/${id}`)).accepted_count === 1);
  });

  test("follow a revocation on the other machine within a second", async () => {
    const { id, key_id, key_secret } = await call<{ id: string; key_id: string; key_secret: string }>("POST", "/v1/tenants/acme/api-keys", {
      name: "Two machines",
      scopes: ["read:exceptions"],
      idempotency_key: "machines",
    });
    const asks = ({ port }: Supervisor) =>
      fetch(`http://127.0.0.1:${port}/v1/me`, {
        headers: { Authorization: `Bearer ${key_id}.${key_secret}`, "X-Tenant-Id": "acme" },
      }).then(({ status }) => status);
    for (const web of machines.web) expect(await asks(web)).toBe(200);
    expect((await call("DELETE", `/v1/tenants/acme/api-keys/${id}`, { reason: "proved" })).status).toBe(200);
    const since = performance.now();
    for (const web of machines.web) expect((await lastAccepted(since, async () => (await asks(web)) === 401)) - since).toBeLessThan(1_000);
  });
});
