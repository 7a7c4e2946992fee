import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { api, createTenant, sql, userToken } from "#e2e/fixtures.ts";
import { startWebProcess } from "#e2e/web-process.ts";
import { claimsOf } from "#lib/db/claims.ts";
import { callDirectly } from "#lib/db/direct/call-directly.ts";
import { type Rate, rates, type Side } from "./rates.ts";
import { ratioOf, type Section } from "./report.ts";

type Sent = { method: "GET" | "POST"; path: string; headers: Record<string, string>; body?: () => string; status: number };

const OPEN = 60;

/** The hottest calls against handlers of the same bytes, and a write against its SQL alone. */
export async function requests(): Promise<Section> {
  const { key, user, tenant, keyId } = await callers();
  const headers = { "X-Tenant-Id": tenant };
  const me: Sent = { method: "GET", path: "/v1/me", headers: { ...headers, Authorization: `Bearer ${key}` }, status: 200 };
  const board: Sent = { method: "GET", path: "/v1/exceptions/sla", headers: { ...headers, Authorization: `Bearer ${user}` }, status: 200 };
  const create: Sent = {
    method: "POST",
    path: "/v1/exceptions",
    headers: { ...me.headers, "Content-Type": "application/json" },
    body: () => JSON.stringify(newException()),
    status: 201,
  };
  const ours = await startWebProcess({ RATE_LIMIT_PER_MINUTE: "1000000000" });
  const bodies: Record<string, string> = {};
  for (const sent of [me, board, create]) bodies[`${sent.method} ${sent.path}`] = await bytesOf(ours.url, sent);
  const file = join(mkdtempSync(join(tmpdir(), "tieout-bench-")), "bodies.json");
  writeFileSync(file, JSON.stringify(bodies));
  const bare = await startWebProcess({ BARE_BODIES: file }, "../bench/ratios/bare/main.mjs");
  try {
    const pair = (sent: Sent) => [side("service", ours, sent), side("bare handler", bare, sent)];
    const [meOurs, meBare] = (await rates(pair(me))) as [Rate, Rate];
    const [boardOurs, boardBare] = (await rates(pair(board))) as [Rate, Rate];
    const claims = claimsOf(
      { type: "api_key", issuer: "", id: keyId, lineageId: keyId, name: "bench", roles: [], scopes: ["write:exceptions"] },
      tenant,
    );
    const inSql: Side = {
      name: "its SQL transaction",
      async once() {
        const request = { operation: "createException", request_id: "req_bench", address: "127.0.0.1" };
        const { error } = await callDirectly(claims, "create_exception", { input: newException(), request });
        if (error) throw new Error(error.message);
      },
    };
    const [createOurs, createBare, createSql] = (await rates([...pair(create), inSql])) as [Rate, Rate, Rate];
    return {
      title: "1. The hottest calls",
      how: `16 calls at once over kept connections. The bare handlers are route handlers of Next in its production server, answering the same bytes.`,
      findings: [
        ratioOf("`GET /v1/me` by key", meOurs, meBare, 0.7),
        ratioOf("`GET /v1/exceptions/sla`, 50 items by JWT", boardOurs, boardBare, 0.6),
        ratioOf("`POST /v1/exceptions` by key", createOurs, createBare, 0.5),
        ratioOf("`POST /v1/exceptions` by key", createOurs, createSql, 0.5),
      ],
    };
  } finally {
    await Promise.all([ours.stop(), bare.stop()]);
  }
}

async function callers() {
  const tenant = await createTenant();
  const admin = await userToken(tenant, ["tenant_admin", "tenant_analyst", "tenant_lead"]);
  const body = { name: "bench", scopes: ["read:exceptions", "write:exceptions"] };
  const made = await api("POST", `/v1/tenants/${tenant}/api-keys`, { bearer: admin, tenant, body });
  const { id, key_id, key_secret } = made.json as { id: string; key_id: string; key_secret: string };
  await sql(
    `insert into public.exceptions (tenant_id, title, severity, due_at, created_by)
     select $1, 'Payout ' || i || ' has no bank line', 'high', now() + make_interval(mins => 60 * i), 'user:ada' from generate_series(1, $2::int) i`,
    [tenant, OPEN],
  );
  return { tenant, user: await userToken(tenant, ["tenant_lead"]), key: `${key_id}.${key_secret}`, keyId: id };
}

function newException() {
  return {
    title: "Payout 4711 has no bank line",
    severity: "high",
    due_at: "2999-10-31T09:30:00.000Z",
    amount_minor: 125000,
    currency: "EUR",
  };
}

async function bytesOf(url: string, { method, path, headers, body }: Sent): Promise<string> {
  return (await fetch(url + path, { method, headers, body: body?.() })).text();
}

function side(name: string, { url, pid }: { url: string; pid: number }, { method, path, headers, body, status }: Sent): Side {
  const pool = new Pool(url, { connections: 16 });
  return {
    name,
    pid,
    async once() {
      const answer = await pool.request({ method, path, headers, body: body?.() ?? null });
      const bytes = await answer.body.bytes();
      if (answer.statusCode !== status) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${Buffer.from(bytes)}`);
    },
  };
}

export async function profile(which: string[]) {
  const { key, user, tenant } = await callers();
  const headers = { "X-Tenant-Id": tenant };
  const all: Record<string, Sent> = {
    me: { method: "GET", path: "/v1/me", headers: { ...headers, Authorization: `Bearer ${key}` }, status: 200 },
    board: { method: "GET", path: "/v1/exceptions/sla", headers: { ...headers, Authorization: `Bearer ${user}` }, status: 200 },
    create: {
      method: "POST",
      path: "/v1/exceptions",
      headers: { ...headers, Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: () => JSON.stringify(newException()),
      status: 201,
    },
  };
  for (const name of which) {
    const ours = await startWebProcess({
      RATE_LIMIT_PER_MINUTE: "1000000000",
      NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=/tmp/tr/prof-${name}`,
    });
    const [r] = await rates([side(name, ours, all[name] as Sent)], { rounds: 5, roundMs: 2000 });
    console.log(r);
    await ours.stop();
  }
}
