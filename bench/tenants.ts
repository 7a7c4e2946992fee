/**
 * What many tenants and many deliveries cost: the background work that visits all of them, and one
 * tenant's reads and deliveries among theirs. `node bench/tenants.ts [tenants] [deliveries]` starts
 * a separate database and discards it at the end. docs/growth.md has its figures.
 */

import { randomBytes } from "node:crypto";
import type { Client } from "pg";
import { creating } from "#e2e/exception-statements.ts";
import type { Query } from "#lib/background/loop.ts";
import { setRoleStatement } from "#lib/db/direct/call-directly.ts";
import { signGrownChains } from "#lib/security-events/sign-chain.ts";
import { withFreshDatabases } from "../bin/dev/generate/fresh-database.ts";
import { run, schemaSql } from "../bin/dev/migration/schemas.ts";
import { createPastPartitions } from "./past-partitions.ts";

const TENANTS = Number(process.argv[2] ?? 10_000);
const DELIVERIES = Number(process.argv[3] ?? 300_000);
const EXCEPTIONS_EACH = 10;
const ROUNDS = 40;
const TABLES = ["events", "webhook_deliveries", "webhook_attempts"];

/**
 * Deliveries that were made in the last 29 days, by one webhook of each tenant in turn; open
 * exceptions that are due in the coming days.
 */
const FILL = [
  `select private.create_tenant('t' || n, 'Tenant ' || n) from generate_series(1, ${TENANTS}) n`,
  `insert into public.webhooks (tenant_id, id, url, events, created_by)
     select 't' || n, 'whk_' || n, 'https://hooks.example.com/', '{exception.resolved}', 'user:ada'
     from generate_series(1, ${TENANTS}) n`,
  creating(
    `'tenant_id', 't' || n % ${TENANTS} + 1, 'title', 'Payout ' || n, 'severity', 'high', 'due_at',
       now() + interval '1 hour' + n * interval '1 second', 'created_by', 'user:ada'`,
    `generate_series(1, ${TENANTS * EXCEPTIONS_EACH}) n`,
  ),
  `insert into public.security_events (tenant_id, type, actor, details) select 't' || n,
     'test.done', 'user:ada', '{"n": 1}' from generate_series(1, ${TENANTS}) n`,
  "alter table public.events disable trigger user",
  `insert into public.events (id, tenant_id, type, at, data)
     select 'evt_'
       || lpad(to_hex((extract(epoch
       from now() - interval '29 days' * (1 - n::float / ${DELIVERIES})) * 1000)::bigint), 12,
       '0') || substr(md5(n::text), 1, 20),
       't' || n % ${TENANTS} + 1, 'exception.resolved',
         now() - interval '29 days' * (1 - n::float / ${DELIVERIES}),
       jsonb_build_object('exception',
         jsonb_build_object('id', 'exc_' || n, 'title', repeat('Payment ', 20), 'details',
         repeat('x', 300)))
     from generate_series(1, ${DELIVERIES}) n`,
  "alter table public.events enable trigger user",
  `insert into public.webhook_deliveries (id, tenant_id, webhook_id, event_id, type, status,
     attempt_count, created_at, delivered_at)
     select 'dlv_' || substr(id, 5), tenant_id, 'whk_' || substr(tenant_id, 2), id, type,
       'delivered', 1, at, at
     from public.events where type = 'exception.resolved' order by at`,
  `insert into public.webhook_attempts (tenant_id, delivery_id, number, cause, status, started_at,
     duration_ms, status_code, response_body)
     select tenant_id, id, 1, 'event', 'succeeded', created_at, 40, 200, 'ok'
     from public.webhook_deliveries order by created_at`,
];

process.env.ENCRYPTION_KEYS ??= randomBytes(32).toString("base64");
process.env.AUDIT_SIGNING_KEY ??= randomBytes(32).toString("base64");

await withFreshDatabases(async (fresh) => {
  const { client } = await fresh();
  await run(client, schemaSql(), "supabase/schemas");
  await client.query("set statement_timeout = 0");
  await createPastPartitions(client, 29);
  const since = performance.now();
  for (const statement of FILL) await client.query(statement);
  for (let folded = 1; folded > 0; )
    folded = (
      await one<{ done: number }>(client, "select private.merge_exception_counters() as done")
    ).done;
  await client.query(`vacuum analyze`);
  const { bytes } = await one<{ bytes: string }>(
    client,
    `select sum(pg_total_relation_size(i.inhrelid))::text as bytes from unnest($1::text[]) name
     join pg_inherits i on i.inhparent = ('public.' || name)::regclass`,
    [TABLES],
  );
  console.log(
    `${TENANTS} tenants, ${TENANTS * EXCEPTIONS_EACH} open exceptions, ${DELIVERIES} deliveries ` +
      `in ${(Number(bytes) / 2 ** 30).toFixed(2)} GiB; filled in ` +
      `${Math.round((performance.now() - since) / 1000)} s`,
  );

  await report("the board of one tenant, 50 items", (round) =>
    asTenant(client, `t${(round % TENANTS) + 1}`, "list_sla_exceptions", {
      limit: 50,
      sort_by: "due_at",
    }),
  );
  await report("deliveries of one webhook, a page of 50", (round) => {
    const n = (round % TENANTS) + 1;
    return asTenant(client, `t${n}`, "list_webhook_deliveries", { id: `whk_${n}`, limit: 50 });
  });
  await report("a tick of the SLA clock, nothing due", () =>
    client.query("select private.tick_sla_clock(5000)"),
  );
  await report("a look for overdue deliveries, none", () =>
    client.query("select private.overdue_webhooks()"),
  );
  await report("/metrics: service_metrics", () => client.query("select private.service_metrics()"));
  await report("an event with its delivery: commit", (round) =>
    client.query("select private.emit($1, 'exception.resolved', '{}')", [tenantOf(round)]),
  );
  const claimed: string[] = [];
  await report("its claim", async (round) => {
    const { rows } = await client.query<{ attempt_id: string }>(
      "select * from private.claim_webhook_deliveries($1, 100)",
      [[`whk_${tenantOf(round).slice(1)}`]],
    );
    claimed.push(...rows.map(({ attempt_id }) => attempt_id));
  });
  await report("its settlement", (round) =>
    client.query("select * from private.settle_webhook_attempts($1)", [
      JSON.stringify([
        {
          attempt_id: claimed[round],
          status_code: 200,
          duration_ms: 12,
          response_headers: {},
          response_body: "ok",
          response_truncated: false,
        },
      ]),
    ]),
  );
  if (claimed.length !== ROUNDS)
    throw new Error(`${claimed.length} deliveries were claimed, not ${ROUNDS}.`);

  const query: Query = (text, values) => client.query(text, values as unknown[]) as never;
  const began = performance.now();
  const signings = await signGrownChains(query);
  const ms = performance.now() - began;
  console.log(
    `| signing ${signings.length} audit logs that moved | ${(ms / 1000).toFixed(1)} s, ` +
      `${(ms / signings.length).toFixed(2)} ms each |`,
  );
  if (signings.some((signing) => "fault" in signing))
    throw new Error("An audit log does not verify.");
  await report("a look for audit logs that moved, none", () =>
    client.query("select * from private.unsigned_security_event_chains()"),
  );
});

function tenantOf(round: number): string {
  return `t${(Math.floor((round * TENANTS) / ROUNDS) % TENANTS) + 1}`;
}

/** Calls a verb as a request of the tenant's admin does. */
async function asTenant(
  client: Client,
  tenant: string,
  verb: string,
  input: object,
): Promise<void> {
  const claims = {
    role: "authenticated",
    sub: "ada",
    tenant_id: tenant,
    principal_type: "user",
    principal_id: "user:ada",
    actor: "user:ada",
    roles: ["tenant_admin"],
    scopes: [],
  } as const;
  const { text, values } = setRoleStatement(claims as never);
  await client.query("begin");
  await client.query(text, values);
  const operation = verb.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  await client.query(`select public.${verb}(input => $1, request => $2)`, [
    input,
    { operation, request_id: "req_bench" },
  ]);
  await client.query("rollback");
}

async function report(what: string, work: (round: number) => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const since = performance.now();
    await work(round);
    times.push(performance.now() - since);
  }
  times.sort((left, right) => left - right);
  console.log(
    `| ${what} | median ${times[ROUNDS / 2]?.toFixed(1)} ms, slowest ${times.at(-1)?.toFixed(1)} ms |`,
  );
}

async function one<Row extends object>(
  client: Client,
  text: string,
  values: unknown[] = [],
): Promise<Row> {
  return (await client.query<Row>(text, values)).rows[0] as Row;
}
