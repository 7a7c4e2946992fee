-- What a change of an exception does to its clock: it starts, stops or moves it, in the same transaction.

-- Starts clocks. Where one starts inside a threshold, the nearest crossing only is reported.
create function private.start_clocks(tenants text[], ids text[], due_ats timestamptz[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  started record;
begin
  with fresh as (
    select * from private.place_clocks(tenants, ids, due_ats)
  ), written as (
    insert into private.exception_clocks (tenant_id, exception_id, due_at, position, next_at)
    select tenant_id, exception_id, due_at, position, next_at from fresh
  )
  select array_agg(f.tenant_id) as tenants, array_agg(f.position) as positions,
    array_agg(f.tenant_id) filter (where f.nearest is not null) as crossed_tenants,
    array_agg(f.exception_id) filter (where f.nearest is not null) as crossed_ids,
    array_agg(f.nearest) filter (where f.nearest is not null) as boundaries,
    array_agg(f.due_at) filter (where f.nearest is not null) as due_ats
  into started from fresh f;
  perform private.count_positions(private.own_shard(), started.tenants, started.positions, array_fill(1, array[cardinality(started.tenants)]));
  if started.crossed_ids is not null then
    perform private.announce_crossings(started.crossed_tenants, started.crossed_ids, started.boundaries, started.due_ats);
  end if;
  perform private.arm_business_warnings(tenants, ids, true);
end $$;

-- Stops clocks, after what they passed was reported.
create function private.stop_clocks(tenants text[], ids text[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  stopped record;
begin
  perform private.advance_clocks(tenants, ids, private.own_shard());
  delete from private.business_warnings w using unnest(tenants, ids) as asked (tenant_id, exception_id)
  where w.tenant_id = asked.tenant_id and w.exception_id = asked.exception_id;
  with gone as (
    delete from private.exception_clocks c using unnest(tenants, ids) as asked (tenant_id, exception_id)
    where c.tenant_id = asked.tenant_id and c.exception_id = asked.exception_id
    returning c.tenant_id, c.position
  )
  select array_agg(g.tenant_id) as tenants, array_agg(g.position) as positions into stopped from gone g;
  if stopped.tenants is not null then
    perform private.count_positions(private.own_shard(), stopped.tenants, stopped.positions, array_fill(-1, array[cardinality(stopped.tenants)]));
  end if;
end $$;

-- Sets clocks, moved on to now before, to new deadlines. The crossings ahead are armed; one that the move itself makes, by going
-- nearer, is reported. A pause keeps where the clock stood, and what it passed before is not reported after.
create function private.move_clocks(tenants text[], ids text[], due_ats timestamptz[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  moved record;
begin
  with fresh as (
    select p.tenant_id, p.exception_id, p.due_at, p.position, p.next_at, c.position as old_position,
      case when p.nearest < coalesce(c.held_position, c.position) then p.nearest end as crossed,
      case when p.due_at = 'infinity' then coalesce(c.held_position, c.position) end as held_position
    from private.place_clocks(tenants, ids, due_ats) p
    join private.exception_clocks c on c.tenant_id = p.tenant_id and c.exception_id = p.exception_id
  ), written as (
    update private.exception_clocks c set due_at = f.due_at, position = f.position, next_at = f.next_at, held_position = f.held_position
    from fresh f where c.tenant_id = f.tenant_id and c.exception_id = f.exception_id
  )
  select array_agg(f.tenant_id) as tenants, array_agg(f.old_position) as old_positions, array_agg(f.position) as new_positions,
    array_agg(f.tenant_id) filter (where f.crossed is not null) as crossed_tenants,
    array_agg(f.exception_id) filter (where f.crossed is not null) as crossed_ids,
    array_agg(f.crossed) filter (where f.crossed is not null) as boundaries,
    array_agg(f.due_at) filter (where f.crossed is not null) as due_ats
  into moved from fresh f;
  if moved.tenants is null then
    return;
  end if;
  perform private.count_positions(private.own_shard(), moved.tenants || moved.tenants, moved.old_positions || moved.new_positions,
    array_fill(-1, array[cardinality(moved.tenants)]) || array_fill(1, array[cardinality(moved.tenants)]));
  if moved.crossed_ids is not null then
    perform private.announce_crossings(moved.crossed_tenants, moved.crossed_ids, moved.boundaries, moved.due_ats);
  end if;
  perform private.arm_business_warnings(tenants, ids, false);
end $$;

create function private.clock_inserted_exceptions() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  opened record;
begin
  insert into public.exception_ledger (tenant_id, exception_id, kind, due_at, calendar_no)
  select a.tenant_id, a.id, k.kind, coalesce(a.held_due_at, a.due_at), a.calendar_no
  from added a cross join lateral unnest(case when a.paused_at is null then '{set}'::text[] else '{set,paused}' end) with ordinality as k (kind, place)
  where a.status in ('open', 'in_review') order by k.place;
  select array_agg(a.tenant_id) as tenants, array_agg(a.id) as ids, array_agg(a.due_at) as due_ats into opened
  from added a where a.status in ('open', 'in_review');
  if opened.ids is not null then
    perform private.start_clocks(opened.tenants, opened.ids, opened.due_ats);
  end if;
  return null;
end $$;
create trigger clock_inserted after insert on public.exceptions
  referencing new table as added for each statement execute function private.clock_inserted_exceptions();

-- Closed, moved and reopened exceptions, each as arrays: what one statement changed.
create function private.clock_updated_exceptions() returns trigger
language plpgsql security definer set search_path = '' as $$
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
    -- Grouped, not joined: 420_exception_history.sql says why.
    from (
      select (array_agg(x.e) filter (where x.is_before))[1] as o, (array_agg(x.e) filter (where not x.is_before))[1] as n
      from (
      select row(b.*)::public.exceptions as e, true as is_before from before_update b union all select row(a.*)::public.exceptions, false from after_update a
    ) x
      group by (x.e).tenant_id, (x.e).id
    ) p
    cross join lateral (select (p.n).*) n cross join lateral (select (p.o).*) o
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
end $$;
create trigger clock_updated after update on public.exceptions
  referencing old table as before_update new table as after_update
  for each statement execute function private.clock_updated_exceptions();

-- Arms every clock of the caller's tenant by its thresholds as they are now. What was passed before is not reported again: neither
-- by this moment nor by a worker that has been further on since this change began. A clock that has passed its deadline has no
-- boundary ahead, whatever the thresholds.
create function private.rearm_clocks() returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  late record;
begin
  perform from private.exception_clocks c where c.tenant_id = tenant and c.next_at is not null order by c.exception_id for update;
  select array_agg(c.tenant_id) as tenants, array_agg(c.exception_id) as ids into late
  from private.exception_clocks c where c.tenant_id = tenant and c.next_at <= now();
  if late.ids is not null then
    perform private.advance_clocks(late.tenants, late.ids, private.own_shard());
  end if;
  with boundaries as materialized (
    select s.boundary from private.sla_boundaries(array[tenant]) s
  ), fresh as (
    select o.exception_id, b.position, o.due_at - make_interval(mins => b.next_boundary) as next_at
    from private.exception_clocks o cross join lateral (
      select least(o.position, min(x.boundary) filter (where x.passed)) as position,
        max(x.boundary) filter (where not x.passed and x.boundary < o.position) as next_boundary
      from (select s.boundary, o.due_at - make_interval(mins => s.boundary) <= now() as passed from boundaries s) x
    ) b
    where o.tenant_id = tenant and o.next_at is not null
  )
  update private.exception_clocks c set position = f.position, next_at = f.next_at
  from fresh f
  where c.tenant_id = tenant and c.exception_id = f.exception_id and (c.position, c.next_at) is distinct from (f.position, f.next_at);
end $$;
grant execute on function private.rearm_clocks() to authenticated;
