/**
 * What the upkeep of clocks, counters, history and events adds to an insert of exceptions, on the
 * running stack (DATA_DIR): bulk inserts with and without it, in turns.
 *
 *   node bench/clock-upkeep.ts
 */
import { creating } from "#e2e/exception-statements.ts";
import { createTenant, database } from "#e2e/fixtures.ts";
import { median } from "./ratios/rates.ts";

const ROWS = 50_000;
const ROUNDS = 5;
const INSERT = creating(
  `'tenant_id', $1::text, 'title', 'T' || i, 'severity',
     (array['critical','high','medium','low'])[1 + i % 4], 'due_at',
     now() + interval '1 day' * (i::float8 / $2) * 20 - interval '1 day', 'assigned_to',
     case when i % 7 > 0 then 'user:u' || i % 7 end, 'created_by', 'user:bench'`,
  `generate_series(1, $2::int) i`,
);

const BARE = `insert into public.exceptions (tenant_id, title, severity, due_at, assigned_to,
    created_by)
  select $1, 'T' || i, (array['critical','high','medium','low'])[1 + i % 4],
    now() + interval '1 day' * (i::float8 / $2) * 20 - interval '1 day',
    case when i % 7 > 0 then 'user:u' || i % 7 end, 'user:bench'
    from generate_series(1, $2::int) i`;

const speeds = { with_upkeep: [] as number[], without_upkeep: [] as number[] };
for (let round = 0; round < ROUNDS; round++) {
  for (const kind of ["with_upkeep", "without_upkeep"] as const)
    speeds[kind].push(await rowsPerSecond(kind));
}
const [withUpkeep, withoutUpkeep] = [median(speeds.with_upkeep), median(speeds.without_upkeep)];
console.log({
  rows_per_second: { with_upkeep: withUpkeep, without_upkeep: withoutUpkeep },
  speed_kept: withUpkeep / withoutUpkeep,
});
await database.end();

async function rowsPerSecond(kind: keyof typeof speeds): Promise<number> {
  const tenant = await createTenant();
  const client = await database.connect();
  try {
    await client.query("begin");
    if (kind === "without_upkeep")
      await client.query("select set_config('app.writes_exceptions', 'on', true)");
    const startedAt = performance.now();
    await client.query(kind === "with_upkeep" ? INSERT : BARE, [tenant, ROWS]);
    return (ROWS / (performance.now() - startedAt)) * 1000;
  } finally {
    await client.query("rollback");
    client.release();
  }
}
