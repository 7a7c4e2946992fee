-- Arming a tenant's clocks anew looks at that tenant's clocks alone: before, it weighed the boundaries of every tenant's.

-- Arms every clock of the tenant by its thresholds as they are now. What was passed before is not told of again; a clock that
-- has passed its deadline has no boundary ahead, whatever the thresholds.
create or replace function private.rearm_clocks() returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
begin
  perform private.advance_clocks(array(
    select exception_id from private.exception_clocks where tenant_id = tenant and next_at <= now()
  ), private.own_shard());
  with boundaries as materialized (
    select boundary from private.sla_boundaries(array[tenant])
  ), fresh as (
    select o.exception_id, b.position, o.due_at - make_interval(mins => b.next_boundary) as next_at
    from private.exception_clocks o cross join lateral (
      select coalesce(min(boundary) filter (where passed), private.no_boundary()) as position, max(boundary) filter (where not passed) as next_boundary
      from (select boundary, o.due_at - make_interval(mins => boundary) <= now() as passed from boundaries) x
    ) b
    where o.tenant_id = tenant and o.next_at is not null
  )
  update private.exception_clocks c set position = f.position, next_at = f.next_at
  from fresh f
  where c.exception_id = f.exception_id and (c.position, c.next_at) is distinct from (f.position, f.next_at);
end $$;
