/**
 * What the SLA monitor costs, on the running stack (DATA_DIR): its reads at 1 k, 100 k and 1 M open exceptions of a tenant,
 * bulk inserts with and without the clock's upkeep, and 100,000 crossings at once with two workers ticking.
 *
 *   node bench/sla.ts
 *
 * Figures are medians of calls that take turns, so that a noisy machine is noisy for all of them.
 */
import { api, createTenant, database, sql, userToken } from "#e2e/fixtures.ts";

const SIZES = [1_000, 100_000, 1_000_000];
const READS = ["/v1/exceptions/sla", "/v1/exceptions/sla/time-to-breach", "/v1/members"];
const ROUNDS = 60;
const BULK_ROWS = 50_000;
const CROSSINGS = 100_000;

const INSERT = `insert into public.exceptions (tenant_id, title, severity, due_at, assigned_to, created_by)
  select $1, 'T' || i, (array['critical','high','medium','low'])[1 + i % 4], now() + interval '1 day' * (i::float8 / $2) * 20 - interval '1 day',
    case when i % 7 > 0 then 'user:u' || i % 7 end, 'user:bench' from generate_series(1, $2::int) i`;

console.log("reads", await readMedians());
console.log("bulk", await bulkSpeed());
console.log("crossings", await crossings());
await database.end();

async function readMedians() {
  const tenants: { size: number; tenant: string; bearer: string; ms: Map<string, number[]> }[] = [];
  for (const size of SIZES) {
    const tenant = await createTenant();
    await insert(tenant, size);
    const bearer = await userToken(tenant, ["tenant_lead"]);
    tenants.push({ size, tenant, bearer, ms: new Map(READS.map((path) => [path, [] as number[]])) });
  }
  await sql("vacuum analyze public.exceptions");
  await sql("vacuum analyze private.exception_clocks");
  for (let round = -5; round < ROUNDS; round++) {
    for (const { tenant, bearer, ms } of tenants) {
      for (const path of READS) {
        const startedAt = performance.now();
        const { status } = await api("GET", path, { bearer, tenant });
        if (status !== 200) throw new Error(`${path} answered ${status}`);
        if (round >= 0) ms.get(path)?.push(performance.now() - startedAt);
      }
    }
  }
  return READS.flatMap((path) => {
    const medians = tenants.map(({ size, ms }) => ({ path, open: size, median_ms: median(ms.get(path) ?? []) }));
    return medians.map((row) => ({ ...row, of_smallest: row.median_ms / (medians[0]?.median_ms ?? 1) }));
  });
}

async function bulkSpeed() {
  const seconds = { with_clock: [] as number[], without_clock: [] as number[] };
  for (let round = 0; round < 5; round++) {
    for (const kind of ["with_clock", "without_clock"] as const) {
      const tenant = await createTenant();
      const client = await database.connect();
      await client.query("begin");
      if (kind === "without_clock") await client.query("alter table public.exceptions disable trigger clock_inserted");
      const startedAt = performance.now();
      await client.query(INSERT, [tenant, BULK_ROWS]);
      seconds[kind].push((performance.now() - startedAt) / 1000);
      await client.query("rollback");
      client.release();
    }
  }
  const speeds = { with_clock: BULK_ROWS / median(seconds.with_clock), without_clock: BULK_ROWS / median(seconds.without_clock) };
  return { rows_per_second: speeds, speed_kept: speeds.with_clock / speeds.without_clock };
}

async function crossings() {
  const tenant = await createTenant();
  await sql(
    `insert into public.exceptions (tenant_id, title, severity, due_at, created_by)
     select $1, 'T' || i, 'low', now() + interval '61 minutes' + i * interval '10 microseconds', 'user:bench' from generate_series(1, $2::int) i`,
    [tenant, CROSSINGS],
  );
  // All clocks at once just short of their 60 minutes.
  await sql(
    `update private.exception_clocks set due_at = now() + interval '60 minutes 2 seconds' + (random() * interval '1 second'),
       next_at = now() + interval '2 seconds' + (random() * interval '1 second') where tenant_id = $1`,
    [tenant],
  );
  await sql("update private.exception_clocks set next_at = due_at - interval '60 minutes' where tenant_id = $1", [tenant]);
  const started = performance.now();
  const told =
    "select count(*)::int as told, count(distinct once_key)::int as exceptions from public.events where tenant_id = $1 and data ->> 'threshold_minutes' = '60'";
  for (;;) {
    await Promise.all([sql("select private.tick_sla_clock(5000)"), sql("select private.tick_sla_clock(5000)")]);
    const [row] = await sql<{ left: number }>(
      "select count(*)::int as left from private.exception_clocks where tenant_id = $1 and position <> 60",
      [tenant],
    );
    if (row?.left === 0) break;
  }
  const [result] = await sql(told, [tenant]);
  const [early] = await sql(
    "select count(*)::int as early from public.events where tenant_id = $1 and data ->> 'threshold_minutes' = '60' and at < (data ->> 'due_at')::timestamptz - interval '60 minutes'",
    [tenant],
  );
  return { ...result, ...early, seconds_from_arming: (performance.now() - started) / 1000 };
}

/** In steps, as a statement may take no longer than a caller's. */
async function insert(tenant: string, count: number): Promise<void> {
  await sql(INSERT, [tenant, count]);
  while ((await sql<{ tick: { moved: number } }>("select private.tick_sla_clock(20000) as tick"))[0]?.tick.moved) {}
}

function median(values: number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
