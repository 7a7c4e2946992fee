/** A tenant whose audit log is read, and ways to tamper with the log. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { type Answer, api, createTenant, sql, superuserUrl, userToken } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { ChainVerification, SecurityEvent } from "#lib/security-events/contract.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

export type Trail = Awaited<ReturnType<typeof tenantWithTrail>>;

export async function tenantWithTrail() {
  const tenant = await createTenant();
  const admin = await userToken(tenant, ["tenant_admin"]);
  const get = (
    path: string,
    query?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<Answer> =>
    api("GET", `/v1/security-events${path}`, { bearer: admin, tenant, query, headers });
  const list = async (query: Record<string, string> = {}) =>
    (await get("", query)).json as { items: SecurityEvent[]; next_cursor: string | null };
  return {
    tenant,
    admin,
    get,
    list,
    /** The single event of a type, once it exists. */
    one: (type: string, query: Record<string, string> = {}): Promise<SecurityEvent> =>
      until(`there is one ${type}`, async () => {
        const { items } = await list({ type, ...query });
        if (items.length > 1) throw new Error(`There are ${items.length} of ${type}.`);
        return items[0];
      }),
    verify: async () => (await get("/verify")).json as ChainVerification,
    /** Writes events as functions of the database do; every second one names its person. */
    append: (count: number) =>
      sql(
        `insert into public.security_events (tenant_id, type, actor, actor_issuer, actor_subject,
           details)
         select $1, 'test.done', 'user:ada', case n % 2 when 1 then 'https://idp.example' end,
           case n % 2 when 1 then '8f14e45f' end,
           jsonb_build_object('n', n) from generate_series(1, $2::integer) n`,
        [tenant, count],
      ),
    /** Waits until the worker has signed every event. */
    signed: () =>
      until("the chain is signed", async () => {
        const rows = await sql<{ done: boolean }>(
          `select h.seq = (select max(c.seq) from private.security_event_checkpoints c
             where c.chain = h.chain and c.kind = 'head') as done
             from private.security_event_heads h where h.chain = $1`,
          [tenant],
        );
        return rows[0]?.done;
      }),
  };
}

/**
 * Bypasses triggers and permissions, as the machine's operator could. It uses one transaction, so
 * that other rows stay protected.
 */
export async function tamper(...statements: [text: string, values?: unknown[]][]): Promise<void> {
  const client = new Client({ connectionString: superuserUrl() });
  await client.connect();
  try {
    await client.query("begin");
    for (const table of ["public.security_events", "private.security_event_checkpoints"]) {
      await client.query(`alter table ${table} disable trigger user`);
    }
    for (const [text, values] of statements) await client.query(text, values);
    for (const { relation, name } of (
      await client.query(
        `select tgrelid::regclass::text as relation, tgname as name from pg_trigger
         where not tgisinternal
           and tgrelid in ('public.security_events'::regclass,
           'private.security_event_checkpoints'::regclass)`,
      )
    ).rows) {
      await client.query(`alter table ${relation} enable always trigger ${name}`);
    }
    await client.query("commit");
  } finally {
    await client.end();
  }
}

export type Run = { code: number; output: string };

export function auditCommand(...args: string[]): Promise<Run> {
  return new Promise((done) => {
    execFile(
      process.execPath,
      [join(ROOT, "bin/audit.ts"), ...args],
      { cwd: ROOT, env: process.env },
      (error, stdout, stderr) => {
        done({ code: error ? Number(error.code) : 0, output: stdout + stderr });
      },
    );
  });
}
