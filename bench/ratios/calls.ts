import { Pool } from "undici";
import { creating } from "#e2e/exception-statements.ts";
import { api, createTenant, sql, userToken } from "#e2e/fixtures.ts";
import type { Side } from "./rates.ts";
import type { Server } from "./server.ts";

/** A request that is sent again and again, and the status that each response must have. */
export type Call = {
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body?: () => string;
  status: number;
};

/**
 * The hottest calls of one tenant: who am I by key, the board by JWT, an exception created by key.
 * `keyId`: the ID of the key.
 */
export type Hot = { tenant: string; keyId: string; me: Call; board: Call; create: Call };

const CONNECTIONS = 16;

/** `open`: the number of the tenant's open exceptions, due from now on, an hour apart. */
export async function hotCalls(open: number): Promise<Hot> {
  const tenant = await createTenant();
  const admin = await userToken(tenant, ["tenant_admin", "tenant_analyst", "tenant_lead"]);
  const body = { name: "bench", scopes: ["read:exceptions", "write:exceptions"] };
  const created = await api("POST", `/v1/tenants/${tenant}/api-keys`, {
    bearer: admin,
    tenant,
    body,
  });
  const { id, key_id, key_secret } = created.json as {
    id: string;
    key_id: string;
    key_secret: string;
  };
  await sql(
    creating(
      `'tenant_id', $1::text, 'title', 'Payout ' || i || ' has no bank line', 'severity', 'high',
         'due_at', now() + make_interval(mins => 60 * i), 'created_by', 'user:ada',
         'updated_at', now() - interval '1 hour'`,
      `generate_series(1, $2::int) i`,
    ),
    [tenant, open],
  );
  const byKey = { "X-Tenant-Id": tenant, Authorization: `Bearer ${key_id}.${key_secret}` };
  const byToken = {
    "X-Tenant-Id": tenant,
    Authorization: `Bearer ${await userToken(tenant, ["tenant_lead"])}`,
  };
  return {
    tenant,
    keyId: id,
    me: { method: "GET", path: "/v1/me", headers: byKey, status: 200 },
    board: { method: "GET", path: "/v1/exceptions/sla", headers: byToken, status: 200 },
    create: {
      method: "POST",
      path: "/v1/exceptions",
      headers: { ...byKey, "Content-Type": "application/json" },
      body: () => JSON.stringify(newException()),
      status: 201,
    },
  };
}

export function newException() {
  return {
    title: "Payout 4711 has no bank line",
    severity: "high",
    due_at: "2999-10-31T09:30:00.000Z",
    amount_minor: 125000,
    currency: "EUR",
  };
}

/** @throws Error at the first response with another status. */
export function calling(
  name: string,
  { url, pid }: Server,
  { method, path, headers, body, status }: Call,
): Side {
  const pool = new Pool(url, { connections: CONNECTIONS });
  return {
    name,
    pid,
    async once() {
      const response = await pool.request({ method, path, headers, body: body?.() ?? null });
      const bytes = await response.body.bytes();
      if (response.statusCode !== status)
        throw new Error(`${method} ${path}: ${response.statusCode} ${Buffer.from(bytes)}`);
    },
  };
}

/** Sends the ETag of the last response, as a page polls: 304 until the tag ends. */
export function polling(name: string, { url, pid }: Server, { path, headers }: Call): Side {
  const pool = new Pool(url, { connections: CONNECTIONS });
  let tag = "";
  return {
    name,
    pid,
    async once() {
      const sent = { ...headers, ...(tag && { "If-None-Match": tag }) };
      const response = await pool.request({ method: "GET", path, headers: sent });
      await response.body.bytes();
      if (response.statusCode !== 304 && response.statusCode !== 200)
        throw new Error(`GET ${path}: ${response.statusCode}`);
      tag = `${response.headers.etag}`;
    },
  };
}

export async function bytesOf(
  { url }: Server,
  { method, path, headers, body }: Call,
): Promise<string> {
  return (await fetch(url + path, { method, headers, body: body?.() ?? null })).text();
}
