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
  select array_agg(fresh.tenant_id) as tenants, array_agg(fresh.position) as positions,
    array_agg(fresh.tenant_id) filter (where fresh.nearest is not null) as crossed_tenants,
    array_agg(fresh.exception_id) filter (where fresh.nearest is not null) as crossed_ids,
    array_agg(fresh.nearest) filter (where fresh.nearest is not null) as boundaries,
    array_agg(fresh.due_at) filter (where fresh.nearest is not null) as due_ats
  into started from fresh;
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
  from private.business_warnings warning
  using unnest(tenants, ids) as requested (tenant_id, exception_id)
  where warning.tenant_id = requested.tenant_id and warning.exception_id = requested.exception_id;
  with removed as (
    delete
    from private.exception_clocks clock
    using unnest(tenants, ids) as requested (tenant_id, exception_id)
    where clock.tenant_id = requested.tenant_id and clock.exception_id = requested.exception_id
    returning clock.tenant_id, clock.position
  )
  select array_agg(removed.tenant_id) as tenants, array_agg(removed.position) as positions
  into stopped from removed;
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
    select placed.tenant_id, placed.exception_id, placed.due_at, placed.position, placed.next_at,
      clock.position as old_position,
      case when placed.nearest < coalesce(clock.held_position, clock.position)
        then placed.nearest end as crossed,
      case when placed.due_at = 'infinity' then coalesce(clock.held_position, clock.position)
        end as held_position
    from private.place_clocks(tenants, ids, due_ats) placed
    join private.exception_clocks clock on clock.tenant_id = placed.tenant_id
      and clock.exception_id = placed.exception_id
  ), written as (
    update private.exception_clocks clock
    set due_at = fresh_clock.due_at, position = fresh_clock.position, next_at = fresh_clock.next_at,
      held_position = fresh_clock.held_position
    from fresh fresh_clock where clock.tenant_id = fresh_clock.tenant_id
      and clock.exception_id = fresh_clock.exception_id
  )
  select array_agg(fresh.tenant_id) as tenants, array_agg(fresh.old_position) as old_positions,
    array_agg(fresh.position) as new_positions,
    array_agg(fresh.tenant_id) filter (where fresh.crossed is not null) as crossed_tenants,
    array_agg(fresh.exception_id) filter (where fresh.crossed is not null) as crossed_ids,
    array_agg(fresh.crossed) filter (where fresh.crossed is not null) as boundaries,
    array_agg(fresh.due_at) filter (where fresh.crossed is not null) as due_ats
  into moved from fresh;
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
create function private.clock_moves(exception_changes private.exception_change[])
returns table (
  tenant_id text, exception_id text, clock text, kinds text[], due_at timestamptz,
  shown_due_at timestamptz, calendar_no bigint, changed_at timestamptz,
  resumed_at timestamptz
)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select new_clock.tenant_id, new_clock.id,
    case when not new_clock.is_open then 'closed' when old_clock.is_open then 'moved'
      else 'opened' end,
    case
      when old_clock.id is null then case when new_clock.paused_at is null then '{set}'::text[]
        else '{set,paused}'
      end
      when not new_clock.is_open then case when old_clock.paused_at is null
        then array[new_clock.status]
      else array['resumed', new_clock.status] end
      when not old_clock.is_open then '{reopened}'
      when new_clock.paused_at is not null and old_clock.paused_at is null then '{paused}'
      when new_clock.paused_at is null and old_clock.paused_at is not null then '{resumed}'
      when new_clock.calendar_no is distinct from old_clock.calendar_no
        or new_clock.calendar_no is not null
      and private.actor() = 'system' then '{recalculated}'
      else '{moved}'
    end,
    new_clock.due_at::timestamptz, coalesce(new_clock.held_due_at, new_clock.due_at)::timestamptz,
    new_clock.calendar_no,
    case when old_clock.id is null then date_trunc('milliseconds', now())
      else new_clock.updated_at end,
    case
      when new_clock.paused_at is null then old_clock.paused_at
        + (new_clock.paused_ms - old_clock.paused_ms) * interval '1 millisecond'
      end
  from unnest(exception_changes) change
  cross join lateral (select (change.before).*,
    (change.before).status in ('open', 'in_review') as is_open) old_clock
  cross join lateral (select (change.after).*,
    (change.after).status in ('open', 'in_review') as is_open) new_clock
  where case when old_clock.id is null then new_clock.is_open else (old_clock.is_open
    or new_clock.is_open)
    and (new_clock.due_at <> old_clock.due_at or old_clock.is_open <> new_clock.is_open
    or new_clock.held_due_at <> old_clock.held_due_at
    or new_clock.calendar_no is distinct from old_clock.calendar_no) end;
end $$;

-- Starts, stops and moves the clocks of changed exceptions and writes their ledger, after reporting
-- what each clock has passed.
create function private.update_clocks(exception_changes private.exception_change[]) returns void
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
  into moves from private.clock_moves(exception_changes) move;
  if moves.closed_ids is not null or moves.moved_ids is not null then
    perform
    from unnest(moves.closed_tenants || moves.moved_tenants,
      moves.closed_ids || moves.moved_ids) as requested (tenant_id, exception_id)
    join private.exception_clocks clock on clock.tenant_id = requested.tenant_id
      and clock.exception_id = requested.exception_id
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
  from private.clock_moves(exception_changes) move
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
  from private.exception_clocks clock
  where clock.tenant_id = tenant and clock.next_at is not null
  order by clock.exception_id for update;
  select array_agg(clock.tenant_id) as tenants, array_agg(clock.exception_id) as ids into late
  from private.exception_clocks clock where clock.tenant_id = tenant and clock.next_at <= now();
  if late.ids is not null then
    perform private.advance_clocks(late.tenants, late.ids, private.own_shard());
  end if;
  with boundaries as materialized (
    select boundary.boundary from private.sla_boundaries(array[tenant]) boundary
  ), fresh as (
    select armed_clock.exception_id, nearest.position,
      armed_clock.due_at - make_interval(mins => nearest.next_boundary) as next_at
    from private.exception_clocks armed_clock cross join lateral (
      select least(armed_clock.position,
        min(threshold.boundary) filter (where threshold.passed)) as position,
        max(threshold.boundary) filter (where not threshold.passed
          and threshold.boundary < armed_clock.position) as next_boundary
      from (select boundaries.boundary,
        armed_clock.due_at - make_interval(mins => boundaries.boundary) <= now() as passed
        from boundaries) threshold
    ) nearest
    where armed_clock.tenant_id = tenant and armed_clock.next_at is not null
  )
  update private.exception_clocks clock set position = fresh.position, next_at = fresh.next_at
  from fresh
  where clock.tenant_id = tenant and clock.exception_id = fresh.exception_id
    and (clock.position, clock.next_at) is distinct from (fresh.position, fresh.next_at);
end $$;
