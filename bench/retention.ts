/**
 * What it costs to forget by deleting: events, deliveries and attempts past their 30 days, as `purge_webhook_deliveries` does it, against
 * dropping tables of the same rows, as partitions would be. `node bench/retention.ts [rows]`; a database of its own, thrown away after.
 */
import type { Client } from "pg";
import { withFreshDatabases } from "../bin/generate/fresh-database.ts";
import { run, schemaSql } from "../bin/migration/schemas.ts";

const ROWS = Number(process.argv[2] ?? 300_000);
const TABLES = ["events", "webhook_deliveries", "webhook_attempts"];
/** Half are past their time, in the order in which they came. */
const FILL = `
  alter table public.events disable trigger user;
  select private.create_tenant('acme', 'Acme');
  insert into public.webhooks (tenant_id, id, url, events, created_by)
    values ('acme', 'whk_1', 'https://hooks.example.com/', '{exception.created}', 'user:ada');
  insert into public.events (id, tenant_id, type, at, data)
    select 'evt_' || n, 'acme', 'exception.created', now() - interval '60 days' * (1 - n::float / ${ROWS}),
      jsonb_build_object('exception', jsonb_build_object('id', 'exc_' || n, 'title', repeat('Payment ', 20), 'details', repeat('x', 300)))
    from generate_series(1, ${ROWS}) n;
  insert into public.webhook_deliveries (id, tenant_id, webhook_id, event_id, type, status, attempt_count, created_at, delivered_at)
    select 'dlv_' || substr(id, 5), tenant_id, 'whk_1', id, type, 'delivered', 1, at, at from public.events order by at;
  insert into public.webhook_attempts (tenant_id, delivery_id, number, cause, status, started_at, duration_ms, status_code, response_body)
    select tenant_id, id, 1, 'event', 'succeeded', created_at, 40, 200, 'ok' from public.webhook_deliveries order by created_at;
  alter table public.events enable trigger user;`;

await withFreshDatabases(async (fresh) => {
  const { client } = await fresh();
  await run(client, schemaSql(), "supabase/schemas");
  await client.query("set statement_timeout = 0");
  const filledMs = await timed(() => client.query(FILL));
  await client.query(`vacuum analyze public.${TABLES.join(", public.")}`);
  console.log(`${ROWS} events, each delivered once, in ${seconds(filledMs)}; ${await sizes(client)}`);
  for (const table of TABLES) await client.query(`create table public.old_${table} as select * from public.${table} limit ${ROWS / 2}`);

  const wal = await walAt(client);
  const batches: number[] = [];
  for (let done = 1; done > 0; ) {
    const since = performance.now();
    const { rows } = await client.query<{ done: number }>("select private.purge_webhook_deliveries() as done");
    done = rows[0]?.done ?? 0;
    if (done > 0) batches.push(performance.now() - since);
  }
  const total = batches.reduce((sum, ms) => sum + ms, 0);
  const [{ left = "" } = {}] = (await client.query<{ left: string }>("select count(*)::text as left from public.events")).rows;
  console.log(
    `deleted: ${ROWS - Number(left)} events in ${batches.length} batches, ${seconds(total)}; first ${Math.round(batches[0] ?? 0)} ms, ` +
      `slowest ${Math.round(Math.max(...batches))} ms, last ${Math.round(batches.at(-1) ?? 0)} ms; ${mebibytes((await walAt(client)) - wal)} of WAL; ${await sizes(client)}`,
  );
  const vacuumedMs = await timed(() => client.query(`vacuum public.${TABLES.join(", public.")}`));
  console.log(`vacuumed in ${seconds(vacuumedMs)}; ${await sizes(client)}`);
  const before = await walAt(client);
  const droppedMs = await timed(() => client.query(`drop table public.old_${TABLES.join(", public.old_")}`));
  console.log(`dropped: tables of the same rows in ${Math.round(droppedMs)} ms; ${mebibytes((await walAt(client)) - before)} of WAL`);
});

async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

async function walAt(client: Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as bytes");
  return Number(rows[0]?.bytes);
}

async function sizes(client: Client): Promise<string> {
  const { rows } = await client.query<{ bytes: string }>(
    "select sum(pg_total_relation_size(('public.' || name)::regclass))::text as bytes from unnest($1::text[]) name",
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
