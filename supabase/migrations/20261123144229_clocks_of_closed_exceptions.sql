-- Clocks that closed exceptions were given when their deadline was moved.
select private.stop_clocks(array_agg(c.tenant_id), array_agg(c.exception_id))
from private.exception_clocks c join public.exceptions e on e.tenant_id = c.tenant_id and e.id = c.exception_id
where e.status not in ('open', 'in_review')
having count(*) > 0;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.clock_updated_exceptions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c record;
begin
  select
    array_agg(x.tenant_id) filter (where x.kind = 'closed') as closed_tenants, array_agg(x.id) filter (where x.kind = 'closed') as closed_ids,
    array_agg(x.tenant_id) filter (where x.kind = 'moved') as moved_tenants, array_agg(x.id) filter (where x.kind = 'moved') as moved_ids,
    array_agg(x.due_at) filter (where x.kind = 'moved') as moved_due_ats,
    array_agg(x.tenant_id) filter (where x.kind = 'reopened') as reopened_tenants, array_agg(x.id) filter (where x.kind = 'reopened') as reopened_ids,
    array_agg(x.due_at) filter (where x.kind = 'reopened') as reopened_due_ats,
    array_agg(x.tenant_id) as tenants, array_agg(x.id) as ids, array_agg(coalesce(x.held_due_at, x.due_at)) as due_ats,
    array_agg(x.calendar_no) as calendars, array_agg(x.change) as ledger_kinds, array_agg(x.resumed_at) as resumed_ats, array_agg(x.updated_at) as changed_ats
  into c
  from (
    select n.tenant_id, n.id, n.due_at, n.held_due_at, n.calendar_no, n.updated_at, case
      when not o.status in ('open', 'in_review') then 'reopened'
      when not n.status in ('open', 'in_review') then 'closed'
      else 'moved'
    end as kind, case
      when not n.status in ('open', 'in_review') then n.status
      when not o.status in ('open', 'in_review') then 'reopened'
      when n.paused_at is not null and o.paused_at is null then 'paused'
      when o.paused_at is not null and n.paused_at is null then 'resumed'
      when n.calendar_no is distinct from o.calendar_no or n.calendar_no is not null and private.actor() = 'system' then 'recalculated'
      else 'moved'
    end as change,
    case when o.paused_at is not null and n.paused_at is null then o.paused_at + (n.paused_ms - o.paused_ms) * interval '1 millisecond' end as resumed_at
    from after_update n join before_update o on o.tenant_id = n.tenant_id and o.id = n.id
    -- What stays closed has no clock, wherever its deadline is moved.
    where (o.status in ('open', 'in_review') or n.status in ('open', 'in_review'))
      and (n.due_at <> o.due_at or (o.status in ('open', 'in_review')) <> (n.status in ('open', 'in_review'))
        or n.held_due_at <> o.held_due_at or n.calendar_no is distinct from o.calendar_no)
  ) x;
  if c.ids is null then
    return null;
  end if;
  perform from unnest(c.closed_tenants || c.moved_tenants, c.closed_ids || c.moved_ids) as asked (tenant_id, exception_id)
  join private.exception_clocks k on k.tenant_id = asked.tenant_id and k.exception_id = asked.exception_id
  order by k.tenant_id, k.exception_id for update of k;
  perform private.pass_business_warnings(c.closed_tenants || c.moved_tenants, c.closed_ids || c.moved_ids);
  if c.closed_ids is not null then
    perform private.stop_clocks(c.closed_tenants, c.closed_ids);
  end if;
  if c.moved_ids is not null then
    perform private.advance_clocks(c.moved_tenants, c.moved_ids, private.own_shard());
  end if;
  -- Closing what is paused ends the pause first.
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, calendar_no)
  select x.tenant_id, x.exception_id, case when k.kind = 'resumed' then x.resumed_at else x.changed_at end, k.kind, x.due_at, x.calendar_no
  from unnest(c.tenants, c.ids, c.ledger_kinds, c.due_ats, c.calendars, c.resumed_ats, c.changed_ats)
    as x (tenant_id, exception_id, kind, due_at, calendar_no, resumed_at, changed_at)
  cross join lateral unnest(case
    when x.resumed_at is not null and x.kind <> 'resumed' then array['resumed', x.kind] else array[x.kind]
  end) with ordinality as k (kind, place)
  order by k.place;
  if c.moved_ids is not null then
    perform private.move_clocks(c.moved_tenants, c.moved_ids, c.moved_due_ats);
  end if;
  if c.reopened_ids is not null then
    perform private.start_clocks(c.reopened_tenants, c.reopened_ids, c.reopened_due_ats);
  end if;
  return null;
end $function$;
