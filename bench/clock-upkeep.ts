/**
 * What the SLA clock adds to an insert of exceptions, on the running stack (DATA_DIR): bulk inserts with and without its upkeep,
 * in turns.
 *
 *   node bench/clock-upkeep.ts
 */
import { createTenant, database } from "#e2e/fixtures.ts";
import { median } from "./ratios/rates.ts";

const ROWS = 50_000;
const ROUNDS = 5;
const INSERT = `insert into public.exceptions (tenant_id, title, severity, due_at, assigned_to, created_by)
  select $1, 'T' || i, (array['critical','high','medium','low'])[1 + i % 4], now() + interval '1 day' * (i::float8 / $2) * 20 - interval '1 day',
    case when i % 7 > 0 then 'user:u' || i % 7 end, 'user:bench' from generate_series(1, $2::int) i`;

const speeds = { with_clock: [] as number[], without_clock: [] as number[] };
for (let round = 0; round < ROUNDS; round++) {
  for (const kind of ["with_clock", "without_clock"] as const) speeds[kind].push(await rowsPerSecond(kind));
}
const [withClock, withoutClock] = [median(speeds.with_clock), median(speeds.without_clock)];
console.log({ rows_per_second: { with_clock: withClock, without_clock: withoutClock }, speed_kept: withClock / withoutClock });
await database.end();

async function rowsPerSecond(kind: keyof typeof speeds): Promise<number> {
  const tenant = await createTenant();
  const client = await database.connect();
  try {
    await client.query("begin");
    if (kind === "without_clock") await client.query("alter table public.exceptions disable trigger clock_inserted");
    const startedAt = performance.now();
    await client.query(INSERT, [tenant, ROWS]);
    return (ROWS / (performance.now() - startedAt)) * 1000;
  } finally {
    await client.query("rollback");
    client.release();
  }
}
