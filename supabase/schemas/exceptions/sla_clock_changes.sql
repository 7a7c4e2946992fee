-- How a change of an exception affects its clock: it starts, stops or moves it, in the same
-- transaction.

-- Starts clocks. If one starts inside several thresholds, only the nearest crossing is reported.
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
  perform private.count_positions(private.own_shard(), started.tenants, started.positions,
    array_fill(1, array[cardinality(started.tenants)]));
  if started.crossed_ids is not null then
    perform private.announce_crossings(started.crossed_tenants, started.crossed_ids,
      started.boundaries, started.due_ats);
  end if;
  perform private.arm_business_warnings(tenants, ids, true);
end $$;

-- Stops clocks, after reporting what they have passed.
create function private.stop_clocks(tenants text[], ids text[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  stopped record;
begin
  perform private.advance_clocks(tenants, ids, private.own_shard());
  delete
  from private.business_warnings w
  using unnest(tenants, ids) as asked (tenant_id, exception_id)
  where w.tenant_id = asked.tenant_id and w.exception_id = asked.exception_id;
  with gone as (
    delete
    from private.exception_clocks c
    using unnest(tenants, ids) as asked (tenant_id, exception_id)
    where c.tenant_id = asked.tenant_id and c.exception_id = asked.exception_id
    returning c.tenant_id, c.position
  )
  select array_agg(g.tenant_id) as tenants, array_agg(g.position) as positions into stopped
  from gone g;
  if stopped.tenants is not null then
    perform private.count_positions(private.own_shard(), stopped.tenants, stopped.positions,
      array_fill(-1, array[cardinality(stopped.tenants)]));
  end if;
end $$;

-- Sets clocks, already advanced to now, to new deadlines. The crossings ahead are scheduled; a
-- crossing that the move itself causes, by bringing the deadline nearer, is reported. A pause keeps
-- the position of the clock; what was passed before is not reported afterwards.
create function private.move_clocks(tenants text[], ids text[], due_ats timestamptz[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  moved record;
begin
  with fresh as (
    select p.tenant_id, p.exception_id, p.due_at, p.position, p.next_at, c.position as old_position,
      case when p.nearest < coalesce(c.held_position, c.position) then p.nearest end as crossed,
      case when p.due_at = 'infinity' then coalesce(c.held_position, c.position)
        end as held_position
    from private.place_clocks(tenants, ids, due_ats) p
    join private.exception_clocks c on c.tenant_id = p.tenant_id and c.exception_id = p.exception_id
  ), written as (
    update private.exception_clocks c
    set due_at = f.due_at, position = f.position, next_at = f.next_at,
      held_position = f.held_position
    from fresh f where c.tenant_id = f.tenant_id and c.exception_id = f.exception_id
  )
  select array_agg(f.tenant_id) as tenants, array_agg(f.old_position) as old_positions,
    array_agg(f.position) as new_positions,
    array_agg(f.tenant_id) filter (where f.crossed is not null) as crossed_tenants,
    array_agg(f.exception_id) filter (where f.crossed is not null) as crossed_ids,
    array_agg(f.crossed) filter (where f.crossed is not null) as boundaries,
    array_agg(f.due_at) filter (where f.crossed is not null) as due_ats
  into moved from fresh f;
  if moved.tenants is null then
    return;
  end if;
  perform private.count_positions(private.own_shard(), moved.tenants || moved.tenants,
    moved.old_positions || moved.new_positions,
    array_fill(-1, array[cardinality(moved.tenants)])
      || array_fill(1, array[cardinality(moved.tenants)]));
  if moved.crossed_ids is not null then
    perform private.announce_crossings(moved.crossed_tenants, moved.crossed_ids, moved.boundaries,
      moved.due_ats);
  end if;
  perform private.arm_business_warnings(tenants, ids, false);
end $$;

-- How changed exceptions affect their clocks: `clock` is opened, moved or closed, `kinds` is what
-- the ledger records. A closed exception has no clock, wherever its deadline is moved. Closing a
-- paused exception ends its pause first.
create function private.clock_moves(made private.exception_change[])
returns table (
  tenant_id text, exception_id text, clock text, kinds text[], due_at timestamptz,
  shown_due_at timestamptz, calendar_no bigint, changed_at timestamptz,
  resumed_at timestamptz
)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select n.tenant_id, n.id,
    case when not n.is_open then 'closed' when o.is_open then 'moved' else 'opened' end,
    case
      when o.id is null then case when n.paused_at is null then '{set}'::text[] else '{set,paused}'
      end
      when not n.is_open then case when o.paused_at is null then array[n.status]
      else array['resumed', n.status] end
      when not o.is_open then '{reopened}'
      when n.paused_at is not null and o.paused_at is null then '{paused}'
      when n.paused_at is null and o.paused_at is not null then '{resumed}'
      when n.calendar_no is distinct from o.calendar_no or n.calendar_no is not null
      and private.actor() = 'system' then '{recalculated}'
      else '{moved}'
    end,
    n.due_at::timestamptz, coalesce(n.held_due_at, n.due_at)::timestamptz, n.calendar_no,
    case when o.id is null then date_trunc('milliseconds', now()) else n.updated_at end,
    case
      when n.paused_at is null then o.paused_at
        + (n.paused_ms - o.paused_ms) * interval '1 millisecond'
      end
  from unnest(made) m
  cross join lateral (select (m.before).*, (m.before).status in ('open', 'in_review') as is_open) o
  cross join lateral (select (m.after).*, (m.after).status in ('open', 'in_review') as is_open) n
  where case when o.id is null then n.is_open else (o.is_open or n.is_open)
    and (n.due_at <> o.due_at or o.is_open <> n.is_open or n.held_due_at <> o.held_due_at
    or n.calendar_no is distinct from o.calendar_no) end;
end $$;

-- Starts, stops and moves the clocks of changed exceptions and writes their ledger, after reporting
-- what each clock has passed.
create function private.keep_clocks(made private.exception_change[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  moves record;
begin
  select
    array_agg(move.tenant_id) filter (where move.clock = 'closed') as closed_tenants,
    array_agg(move.exception_id) filter (where move.clock = 'closed') as closed_ids,
    array_agg(move.tenant_id) filter (where move.clock = 'moved') as moved_tenants,
    array_agg(move.exception_id) filter (where move.clock = 'moved') as moved_ids,
    array_agg(move.due_at) filter (where move.clock = 'moved') as moved_due_ats,
    array_agg(move.tenant_id) filter (where move.clock = 'opened') as opened_tenants,
    array_agg(move.exception_id) filter (where move.clock = 'opened') as opened_ids,
    array_agg(move.due_at) filter (where move.clock = 'opened') as opened_due_ats
  into moves from private.clock_moves(made) move;
  if moves.closed_ids is not null or moves.moved_ids is not null then
    perform
    from unnest(moves.closed_tenants || moves.moved_tenants,
      moves.closed_ids || moves.moved_ids) as asked (tenant_id, exception_id)
    join private.exception_clocks clock on clock.tenant_id = asked.tenant_id
      and clock.exception_id = asked.exception_id
    order by clock.tenant_id, clock.exception_id for update of clock;
    perform private.pass_business_warnings(moves.closed_tenants || moves.moved_tenants,
      moves.closed_ids || moves.moved_ids);
  end if;
  if moves.closed_ids is not null then
    perform private.stop_clocks(moves.closed_tenants, moves.closed_ids);
  end if;
  if moves.moved_ids is not null then
    perform private.advance_clocks(moves.moved_tenants, moves.moved_ids, private.own_shard());
  end if;
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, calendar_no)
  select move.tenant_id, move.exception_id,
    case when entry.kind = 'resumed' then move.resumed_at else move.changed_at end, entry.kind,
    move.shown_due_at, move.calendar_no
  from private.clock_moves(made) move
    cross join lateral unnest(move.kinds) with ordinality as entry (kind, place)
  order by entry.place;
  if moves.moved_ids is not null then
    perform private.move_clocks(moves.moved_tenants, moves.moved_ids, moves.moved_due_ats);
  end if;
  if moves.opened_ids is not null then
    perform private.start_clocks(moves.opened_tenants, moves.opened_ids, moves.opened_due_ats);
  end if;
end $$;

-- Reschedules every clock of the caller's tenant by its current thresholds. What was passed before
-- is not reported again, neither by this call nor by a worker that has advanced further since this
-- change began. A clock past its deadline has no boundary ahead, whatever the thresholds.
create function private.rearm_clocks() returns void
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  late record;
begin
  perform
  from private.exception_clocks c
  where c.tenant_id = tenant and c.next_at is not null
  order by c.exception_id for update;
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
      from (select s.boundary, o.due_at - make_interval(mins => s.boundary) <= now() as passed
        from boundaries s) x
    ) b
    where o.tenant_id = tenant and o.next_at is not null
  )
  update private.exception_clocks c set position = f.position, next_at = f.next_at
  from fresh f
  where c.tenant_id = tenant and c.exception_id = f.exception_id
    and (c.position, c.next_at) is distinct from (f.position, f.next_at);
end $$;
