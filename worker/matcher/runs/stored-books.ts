/** For tests: a period's books as its last run left them, and counted again from what is stored. */
import type { Client } from "pg";

/** The last run's row of a tenant with one period. */
export async function lastRunOf(client: Client, tenant: string): Promise<object | undefined> {
  const { rows } = await client.query(
    `select digest, suggested_count, open_count, waterfall from public.runs
     where tenant_id = $1 order by id desc limit 1`,
    [tenant],
  );
  return rows[0];
}

/** The same, counted from matches and open lines. */
export async function countedBooks(client: Client, tenant: string): Promise<object | undefined> {
  const { rows } = await client.query(
    `select x.engine_version || ':' || d.digest as digest, d.suggested as suggested_count,
       (select count(*) from private.open_lines where tenant_id = $1) as open_count,
       private.full_waterfall(r, private.rules_of_waterfall(x.waterfall)) as waterfall
     from public.reconciliations r
     cross join private.digest_of_period($1, r.id) d
     cross join (select * from public.runs where tenant_id = $1 order by id desc limit 1) x
     where r.tenant_id = $1`,
    [tenant],
  );
  return rows[0];
}
