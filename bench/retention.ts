/**
 * The cost of retention: dropping the partitions of events, deliveries and attempts after 30 days,
 * as `roll_partitions` does, compared with deleting the same rows from similar tables. `node
 * bench/retention.ts [rows]` uses a temporary database.
 */
import type { Client } from "pg";
import { withFreshDatabases } from "../bin/dev/generate/fresh-database.ts";
import { run, schemaSql } from "../bin/dev/migration/schemas.ts";
import { createPastPartitions } from "./past-partitions.ts";

const ROWS = Number(process.argv[2] ?? 300_000);
const BATCH = 5000;
/** In the order in which rows are deleted. */
const TABLES = ["webhook_attempts", "webhook_deliveries", "events"];
const MS = `(extract(epoch from now() - interval '60 days' * (1 - n::float / ${ROWS})) * 1000)::bigint`;
/** Half of the rows are past their retention; they are stored in order of age. */
const FILL = `
  alter table public.events disable trigger user;
  select private.create_tenant('acme', 'Acme');
  insert into public.webhooks (tenant_id, id, url, events, created_by)
    values ('acme', 'whk_1', 'https://hooks.example.com/', '{exception.created}', 'user:ada');
  insert into public.events (id, tenant_id, type, at, data)
    select 'evt_' || lpad(to_hex(${MS}), 12, '0') || substr(md5(n::text), 1, 20), 'acme',
      'exception.created', to_timestamp(${MS} / 1000.0),
      jsonb_build_object('exception',
        jsonb_build_object('id', 'exc_' || n, 'title', repeat('Payment ', 20), 'details',
        repeat('x', 300)))
    from generate_series(1, ${ROWS}) n;
  insert into public.webhook_deliveries (id, tenant_id, webhook_id, event_id, type, status,
    attempt_count, created_at, delivered_at)
    select private.delivery_id(id, 'whk_1'), tenant_id, 'whk_1', id, type, 'delivered', 1, at, at
    from public.events order by at;
  insert into public.webhook_attempts (tenant_id, delivery_id, number, cause, status, started_at,
    duration_ms, status_code, response_body)
    select tenant_id, id, 1, 'event', 'succeeded', created_at, 40, 200, 'ok'
    from public.webhook_deliveries order by created_at;
  alter table public.events enable trigger user;`;

await withFreshDatabases(async (fresh) => {
  const { client } = await fresh();
  await run(client, schemaSql(), "supabase/schemas");
  await client.query("set statement_timeout = 0");
  await createPastPartitions(client, 60);
  const filledMs = await timed(() => client.query(FILL));
  const [{ at = new Date() } = {}] = (await client.query<{ at: Date }>("select now() as at")).rows;
  for (const table of TABLES) {
    await client.query(
      `create table public.flat_${table} (like public.${table} including all excluding identity)`,
    );
    await client.query(`insert into public.flat_${table} select * from public.${table}`);
  }
  await client.query("vacuum analyze");
  console.log(
    `${ROWS} events, each delivered once, in ${seconds(filledMs)}; ${await sizes(client)}`,
  );

  let before = await walAt(client);
  const batches: number[] = [];
  for (const table of TABLES) {
    const age = { events: "at", webhook_deliveries: "created_at", webhook_attempts: "started_at" }[
      table
    ];
    for (let left = BATCH; left > 0; ) {
      const since = performance.now();
      const { rowCount } = await client.query(
        `delete from public.flat_${table}
         where ctid = any (array(select ctid from public.flat_${table}
           where ${age} < $1::timestamptz - interval '30 days' limit ${BATCH}))`,
        [at],
      );
      left = rowCount ?? 0;
      if (left > 0) batches.push(performance.now() - since);
    }
  }
  const total = batches.reduce((sum, ms) => sum + ms, 0);
  console.log(
    `deleted: ${ROWS / 2} events with theirs in ${batches.length} batches, ${seconds(total)}; ` +
      `slowest ${Math.round(Math.max(...batches))} ms; ` +
      `${mebibytes((await walAt(client)) - before)} of WAL`,
  );
  await client.query("vacuum");
  before = await walAt(client);
  const [rows] = (
    await client.query<{ n: number }>("select count(*)::integer as n from public.events")
  ).rows;
  const drops: number[] = [];
  for (let done = 1; done > 0; ) {
    const since = performance.now();
    const { rows: rolled } = await client.query<{ done: number }>(
      "select private.roll_partitions($1) as done",
      [at],
    );
    done = rolled[0]?.done ?? 0;
    if (done > 0) drops.push(performance.now() - since);
  }
  const [left] = (
    await client.query<{ n: number }>("select count(*)::integer as n from public.events")
  ).rows;
  console.log(
    `dropped: ${(rows?.n ?? 0) - (left?.n ?? 0)} events with theirs in ${drops.length} ` +
      `partitions, ${Math.round(drops.reduce((sum, ms) => sum + ms, 0))} ms; slowest ` +
      `${Math.round(Math.max(...drops))} ms; ` +
      `${mebibytes((await walAt(client)) - before)} of WAL; ${await sizes(client)}`,
  );
});

async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

async function walAt(client: Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as bytes",
  );
  return Number(rows[0]?.bytes);
}

async function sizes(client: Client): Promise<string> {
  const { rows } = await client.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(i.inhrelid))::text as bytes from unnest($1::text[]) name
     join pg_inherits i on i.inhparent = ('public.' || name)::regclass`,
    [TABLES],
  );
  return `${mebibytes(Number(rows[0]?.bytes))} in all`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
