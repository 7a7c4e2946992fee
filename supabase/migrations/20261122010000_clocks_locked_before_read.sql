-- Clocks are locked before they are read: one that a worker moves on just then was counted at two positions, for good.

create or replace function private.clock_updated_exceptions() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  c record;
begin
  select
    array_agg(id) filter (where was_open and not is_open) as closed_ids,
    array_agg(id) filter (where not was_open and is_open) as reopened_ids,
    array_agg(tenant_id) filter (where not was_open and is_open) as reopened_tenants,
    array_agg(due_at) filter (where not was_open and is_open) as reopened_due_ats,
    array_agg(id) filter (where was_open and is_open) as moved_ids,
    array_agg(due_at) filter (where was_open and is_open) as moved_due_ats
  into c
  from (
    select n.id, n.tenant_id, n.due_at, o.status in ('open', 'in_review') as was_open, n.status in ('open', 'in_review') as is_open
    from after_update n join before_update o on o.id = n.id
    where n.due_at <> o.due_at or (o.status in ('open', 'in_review')) <> (n.status in ('open', 'in_review'))
  ) changed;

  perform from private.exception_clocks where exception_id = any (c.closed_ids || c.moved_ids) order by exception_id for update;
  if c.closed_ids is not null then
    perform private.stop_clocks(c.closed_ids);
  end if;
  if c.moved_ids is not null then
    perform private.advance_clocks(c.moved_ids, private.own_shard());
  end if;
  insert into public.exception_ledger (tenant_id, exception_id, kind, due_at)
  select n.tenant_id, n.id,
    case
      when o.status in ('open', 'in_review') and n.status not in ('open', 'in_review') then n.status
      when o.status not in ('open', 'in_review') and n.status in ('open', 'in_review') then 'reopened'
      else 'moved'
    end, n.due_at
  from after_update n join before_update o on o.id = n.id
  where n.due_at <> o.due_at or (o.status in ('open', 'in_review')) <> (n.status in ('open', 'in_review'));
  if c.moved_ids is not null then
    perform private.move_clocks(c.moved_ids, c.moved_due_ats);
  end if;
  if c.reopened_ids is not null then
    perform private.start_clocks(c.reopened_ids, c.reopened_tenants, c.reopened_due_ats);
  end if;
  return null;
end $$;

-- Arms every clock of the tenant by its thresholds as they are now. What was passed before is not told of again: neither by
-- this moment nor by a worker that has been further on since this change began. A clock that has passed its deadline has no
-- boundary ahead, whatever the thresholds.
create or replace function private.rearm_clocks() returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
begin
  perform from private.exception_clocks where tenant_id = tenant and next_at is not null order by exception_id for update;
  perform private.advance_clocks(array(
    select exception_id from private.exception_clocks where tenant_id = tenant and next_at <= now()
  ), private.own_shard());
  with boundaries as materialized (
    select boundary from private.sla_boundaries(array[tenant])
  ), fresh as (
    select o.exception_id, b.position, o.due_at - make_interval(mins => b.next_boundary) as next_at
    from private.exception_clocks o cross join lateral (
      select least(o.position, min(boundary) filter (where passed)) as position,
        max(boundary) filter (where not passed and boundary < o.position) as next_boundary
      from (select boundary, o.due_at - make_interval(mins => boundary) <= now() as passed from boundaries) x
    ) b
    where o.tenant_id = tenant and o.next_at is not null
  )
  update private.exception_clocks c set position = f.position, next_at = f.next_at
  from fresh f
  where c.exception_id = f.exception_id and (c.position, c.next_at) is distinct from (f.position, f.next_at);
end $$;

-- Counted anew, once, with all writers kept out.
lock table private.exception_clocks in exclusive mode;
delete from private.sla_counts;
insert into private.sla_counts (tenant_id, shard, breached, at_risk, on_track)
select tenant_id, 0, count(*) filter (where position <= 0), count(*) filter (where position between 1 and 240),
  count(*) filter (where position > 240)
from private.exception_clocks group by tenant_id;
