/** Invariants of a tenant's rows in the database after any calls, independent of responses. */
import { sql } from "#e2e/fixtures.ts";

/** Each query returns the rows that violate the invariant, or a row if a count is wrong. */
const INVARIANTS: Record<string, string> = {
  "the SLA counts are those of the open exceptions": `
    select 'sum' from (select coalesce(sum(breached + at_risk + on_track), 0) as counted
      from private.sla_counts where tenant_id = $1) c
    where counted <> (select count(*) from public.exceptions where tenant_id = $1
      and status in ('open', 'in_review'))`,
  "an exception has a clock while it is open, at its own deadline": `
    select e.id from public.exceptions e left join private.exception_clocks c
      on c.tenant_id = e.tenant_id and c.exception_id = e.id
    where e.tenant_id = $1
      and (c.exception_id is not null
      and c.due_at = e.due_at) <> (e.status in ('open', 'in_review'))`,
  "a closed exception has its resolution, and its ledger ends with its closing": `
    select e.id from public.exceptions e
    where e.tenant_id = $1 and (select l.kind in ('resolved', 'dismissed')
      from public.exception_ledger l
      where l.tenant_id = e.tenant_id and l.exception_id = e.id order by l.id desc
      limit 1) is distinct from (e.resolution is not null)`,
  "records are counted": `
    select 'sum' from (select coalesce(sum(rows), 0) as counted from private.row_counts
      where tenant_id = $1 and kind = 'records') c
    where counted <> (select count(*) from public.records where tenant_id = $1)`,
  "lines are counted by their source": `
    select s.id from public.sources s
    where s.tenant_id = $1 and s.line_count <> (select count(*) from public.lines l
      where l.tenant_id = $1 and l.source_no = s.source_no)`,
  "no cent is missing from a period": `
    select v from public.reconciliations r
    cross join unnest(private.violations_of_period(r.tenant_id, r.id, null)) v
    where r.tenant_id = $1 and r.pair_no is not null`,
  "a rotated key and its successor name each other": `
    select k.id from public.api_keys k join public.api_keys s on s.tenant_id = k.tenant_id
      and s.id = k.rotated_to
    where k.tenant_id = $1 and s.rotated_from is distinct from k.id`,
  "no grace period outlives its key": `
    select k.id from public.api_keys k where k.tenant_id = $1
      and k.grace_expires_at > k.expires_at`,
  "the audit trail has no gap": `
    select e.id
    from (select id, seq, prev_hash, lag(hash) over w as before, lag(seq) over w as last
      from public.security_events
      where tenant_id = $1 window w as (order by seq)) e
    where e.last is not null and (e.seq <> e.last + 1 or e.prev_hash is distinct from e.before)`,
  "a used idempotency key has its response": `
    select i.key_hash from private.idempotency_keys i where i.tenant_id = $1 and i.answer is null`,
};

/** One sentence for each violated invariant, with up to three of the tenant's rows. */
export async function brokenInvariants(tenant: string): Promise<string[]> {
  const broken: string[] = [];
  for (const [guarantee, query] of Object.entries(INVARIANTS)) {
    const rows = await sql<Record<string, string>>(`${query} limit 3`, [tenant]);
    if (rows.length > 0)
      broken.push(`${guarantee}: ${rows.map((row) => Object.values(row)[0]).join(", ")}`);
  }
  return broken;
}
