/**
 * What the chain costs: the same events with and without it, on a separate database.
 *
 *   node bench/audit.ts
 */
import { Pool } from "pg";
import { withFreshDatabases } from "../bin/dev/generate/fresh-database.ts";
import { run, schemaSql } from "../bin/dev/migration/schemas.ts";

const TENANTS = 20;
const WRITES = 1000;
const CONCURRENCY = 50;
const ROUNDS = 5;
const INSERT = `insert into public.security_events (tenant_id, type, actor, details)
   values ($1, 'test.done', 'user:ada', '{"n": 1}')`;

await withFreshDatabases(async (fresh) => {
  const { url: connectionString, client: owner } = await fresh();
  await run(owner, schemaSql(), "supabase/schemas");
  const pool = new Pool({ connectionString, max: CONCURRENCY });
  // The server may close a connection before the pool does.
  pool.on("error", () => {});
  const tenants = Array.from({ length: TENANTS }, (_, n) => `bench-${n}`);
  for (const tenant of tenants) await owner.query("select private.create_tenant($1, $1)", [tenant]);

  const setChaining = (on: boolean) =>
    owner.query(
      `alter table public.security_events ${on ? "enable always" : "disable"} trigger security_events_chain`,
    );
  const spread = () => load(pool, (n) => tenants[n % TENANTS] as string);
  const one = () => load(pool, () => tenants[0] as string);
  await spread();

  const rounds: Record<string, number[]> = { "20 tenants": [], "one tenant": [] };
  const latencies: Record<string, number[]> = { with: [], without: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, work] of Object.entries({ "20 tenants": spread, "one tenant": one })) {
      await setChaining(false);
      const without = await work();
      await setChaining(true);
      const withChain = await work();
      rounds[name]?.push(withChain.seconds / without.seconds);
      if (name === "20 tenants") {
        latencies.with?.push(withChain.p50_ms);
        latencies.without?.push(without.p50_ms);
      }
      console.log(
        `${name}: ${WRITES} writes, ${CONCURRENCY} at once: ` +
          `${(WRITES / without.seconds).toFixed(0)}/s without, ` +
          `${(WRITES / withChain.seconds).toFixed(0)}/s with the chain`,
      );
    }
  }
  for (const [name, ratios] of Object.entries(rounds))
    console.log(`${name}: time with the chain : without = ${median(ratios).toFixed(2)}`);
  console.log(
    `20 tenants: median write ${median(latencies.without ?? []).toFixed(1)} ms without, ` +
      `${median(latencies.with ?? []).toFixed(1)} ms with`,
  );

  const { rows } = await owner.query<{ chains: number; gaps: number }>(
    `select count(distinct tenant_id)::integer as chains,
       count(*) filter (where prev is distinct from prev_hash
       or hash <> private.security_event_hash(e))::integer as gaps
     from (select e, tenant_id, seq, hash, prev_hash, lag(hash) over (partition by tenant_id
       order by seq) as prev from public.security_events e where seq is not null) x`,
  );
  console.log(`${rows[0]?.chains} chains, ${rows[0]?.gaps} places that do not fit`);
  await pool.end();
});

async function load(
  pool: Pool,
  tenantOf: (n: number) => string,
): Promise<{ seconds: number; p50_ms: number }> {
  const times: number[] = [];
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: WRITES }, async (_, n) => {
      const connection = await pool.connect();
      const begunAt = performance.now();
      await connection.query(INSERT, [tenantOf(n)]);
      times.push(performance.now() - begunAt);
      connection.release();
    }),
  );
  return { seconds: (performance.now() - startedAt) / 1000, p50_ms: median(times) };
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
