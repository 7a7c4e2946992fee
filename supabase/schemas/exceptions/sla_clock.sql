-- SLA clock: where each open exception stands relative to its deadline. It is kept in the
-- transaction of every change, advanced by the worker, and correct without the worker: what has
-- passed and was not processed yet is counted when it is read.
-- Boundaries are minutes before due_at: the tenant's at-risk thresholds, 0 (the breach), and 240,
-- which separates at risk from on track (spec 3.2). A clock's position is the last boundary it
-- passed; next_at is when it passes the next one. A clock is locked before it is read for a change:
-- otherwise one that a worker advances at the same time would be counted at two positions.

-- Only changes of exceptions write here, and exceptions are never deleted, so a foreign key would
-- only cost a check per row.
create table private.exception_clocks (
  tenant_id text not null,
  exception_id text not null,
  due_at timestamptz(3) not null,
  position integer not null,
  next_at timestamptz(3),
  -- The position before the pause. What was passed before the pause is not reported again after it.
  held_position integer,
  primary key (tenant_id, exception_id)
) with (fillfactor = 80);
create index exception_clocks_next on private.exception_clocks (next_at) where next_at is not null;
create index exception_clocks_next_of_tenant on private.exception_clocks (tenant_id, next_at)
where next_at is not null;
alter table private.exception_clocks enable row level security;

-- Counts of open exceptions by position, in shards, so that the writers of one tenant do not queue
-- for one row. Shard 0 belongs to the worker.
create table private.sla_counts (
  tenant_id text not null references public.tenants (id),
  shard integer not null,
  breached bigint not null default 0,
  at_risk bigint not null default 0,
  on_track bigint not null default 0,
  primary key (tenant_id, shard)
) with (fillfactor = 50);
alter table private.sla_counts enable row level security;

-- Each change of a clock. The rows of one exception add up: time left = previous time left −
-- elapsed + moved.
create table public.exception_ledger (
  id bigint generated always as identity,
  tenant_id text not null,
  exception_id text not null,
  at timestamptz(3) not null default date_trunc('milliseconds', now()),
  kind text not null check (
    kind in ('set', 'moved', 'crossed', 'paused', 'resumed', 'recalculated', 'resolved',
      'dismissed', 'reopened')),
  due_at timestamptz(3) not null,
  threshold_minutes integer,
  -- Whether they are open minutes of the calendar.
  in_business_time boolean not null default false,
  -- The calendar by which the deadline counted from here on; null: round the clock.
  calendar_no bigint,
  actor text not null default private.actor(),
  actor_issuer text default private.actor_issuer(),
  actor_subject text default private.actor_subject(),
  request_id text default nullif(current_setting('app.request_id', true), ''),
  primary key (tenant_id, exception_id, id)
);
create index exception_ledger_by_time on public.exception_ledger (tenant_id, at);
alter table public.exception_ledger enable row level security;
grant select on public.exception_ledger to authenticated, service_role;
create policy exception_ledger_read on public.exception_ledger for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:exceptions', 'read:sla')));

-- The position of a clock that has passed no boundary.
create function private.no_boundary() returns integer
language sql immutable set search_path = ''
return 2147483647;

create function private.own_shard() returns integer
language plpgsql volatile set search_path = '' as $$
begin
  return 1 + pg_backend_pid() % 16;
end $$;

-- The boundaries of some tenants; those that an event reports are `announced`.
create function private.sla_boundaries(tenants text[])
returns table (tenant_id text, boundary integer, announced boolean)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select policy.tenant_id, listed.boundary, bool_or(listed.announced)
  from public.sla_policies policy
  cross join lateral (
    select unnest(policy.at_risk_thresholds), true
    union all
    values (private.medium_risk_up_to(), false), (0, true)
  ) listed (boundary, announced)
  where policy.tenant_id = any (tenants)
  group by 1, 2;
end $$;

-- Where clocks with these deadlines (infinity: paused) stand now: their position, when they pass
-- the next boundary (null if there is none), and `nearest`, the last announced boundary they passed
-- (null if none). `positions`, where they stood, are passed through: each join of arrays that is
-- avoided counts, since a cached plan assumes that they are short.
create function private.place_clocks(tenants text[], ids text[], due_ats timestamptz[],
  positions integer[] default null)
returns table (
  tenant_id text, exception_id text, due_at timestamptz, old_position integer, "position" integer,
  next_at timestamptz, nearest integer
)
language plpgsql stable set search_path = '' as $$
begin
  return query
  with boundaries as materialized (
    select * from private.sla_boundaries(array(select distinct unnest(tenants)))
  )
  select placed.tenant_id, placed.exception_id, placed.due_at, placed.old_position,
    coalesce(nearest.last_passed, private.no_boundary()),
    nullif(placed.due_at - make_interval(mins => nearest.next_boundary), 'infinity'),
    nearest.nearest
  from unnest(tenants, ids, due_ats, positions) as placed (tenant_id, exception_id, due_at,
    old_position)
  cross join lateral (
    select min(threshold.boundary) filter (where threshold.passed) as last_passed,
      max(threshold.boundary) filter (where not threshold.passed) as next_boundary,
      min(threshold.boundary) filter (where threshold.passed and threshold.announced) as nearest
    from (
      select boundaries.boundary, boundaries.announced,
        placed.due_at - make_interval(mins => boundaries.boundary) <= now() as passed
      from boundaries where boundaries.tenant_id = placed.tenant_id
    ) threshold
  ) nearest;
end $$;

-- Adds to a shard's counts: `signs` is 1 for what reached a position, -1 for what left it.
create function private.count_positions(shard integer, tenants text[], positions integer[],
  signs integer[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into private.sla_counts as sla_count (tenant_id, shard, breached, at_risk, on_track)
  select delta.tenant_id, $1,
    coalesce(sum(delta.sign) filter (where delta.position <= 0), 0),
    coalesce(sum(delta.sign) filter (
      where delta.position between 1 and private.medium_risk_up_to()), 0),
    coalesce(sum(delta.sign) filter (where delta.position > private.medium_risk_up_to()), 0)
  from unnest(tenants, positions, signs) as delta (tenant_id, position, sign)
  group by 1 order by 1
  on conflict on constraint sla_counts_pkey do update set
    breached = sla_count.breached + excluded.breached,
    at_risk = sla_count.at_risk + excluded.at_risk,
    on_track = sla_count.on_track + excluded.on_track;
end $$;

-- Reports crossings, once each, and writes them into the ledger.
create function private.announce_crossings(tenants text[], ids text[], boundaries integer[],
  due_ats timestamptz[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  with crossed as (
    select exception, exception.id as exception_id, exception.tenant_id, passed.boundary,
      passed.due_at
    from unnest(tenants, ids, boundaries, due_ats) as passed (tenant_id, exception_id, boundary,
      due_at)
    join public.exceptions exception on exception.tenant_id = passed.tenant_id
      and exception.id = passed.exception_id
  ), announced as materialized (
    select threshold.tenant_id, threshold.boundary,
      lead(threshold.boundary) over (partition by threshold.tenant_id
        order by threshold.boundary desc) as next_boundary
    from private.sla_boundaries(array(select distinct tenant_id from crossed)) threshold
    where threshold.announced
  ), crossing as materialized (
    select crosses.*, announces.next_boundary,
      concat_ws(':', crosses.exception_id, private.iso(crosses.due_at),
        crosses.boundary) as once_key
    from crossed crosses left join announced announces on announces.tenant_id = crosses.tenant_id
      and announces.boundary = crosses.boundary
  ), reported as (
    insert into public.events (tenant_id, type, data, once_key)
    select crosses.tenant_id,
      case when crosses.boundary = 0 then 'exception.sla.breached' else 'exception.sla.at_risk' end,
      jsonb_build_object('exception', private.exception_json(crosses.exception), 'due_at',
        private.iso(crosses.due_at))
        || case when crosses.boundary = 0 then '{}'::jsonb
          else jsonb_build_object('threshold_minutes', crosses.boundary, 'threshold_kind',
            'wall_clock', 'next_threshold_minutes', crosses.next_boundary) end,
      crosses.once_key
    from crossing crosses
    order by crosses.due_at - make_interval(mins => crosses.boundary)
    returning tenant_id, data
  )
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, threshold_minutes,
    calendar_no, actor,
    actor_issuer, actor_subject, request_id)
  select reports.tenant_id, reports.data #>> '{exception,id}', now(), 'crossed',
    (reports.data ->> 'due_at')::timestamptz,
    coalesce((reports.data -> 'threshold_minutes')::integer, 0),
    -- A lookup instead of a join: a cached plan assumes a handful of rows, and would compare each
    -- row with every other.
    (select exception.calendar_no from public.exceptions exception
      where exception.tenant_id = reports.tenant_id
        and exception.id = reports.data #>> '{exception,id}'),
    'system', null, null, null
  from reported reports;
end $$;

-- Advances these clocks to now: every boundary they have passed is counted, and reported if it is
-- announced.
create function private.advance_clocks(tenants text[], ids text[], shard integer) returns void
language plpgsql volatile set search_path = '' as $$
declare
  late record;
  moved record;
  crossed record;
begin
  select array_agg(locked.tenant_id) as tenants, array_agg(locked.exception_id) as ids,
    array_agg(locked.due_at) as due_ats, array_agg(locked.position) as positions
  into late
  from (
    select clock.* from unnest(tenants, ids) as requested (tenant_id, exception_id)
    join private.exception_clocks clock on clock.tenant_id = requested.tenant_id
      and clock.exception_id = requested.exception_id
    where clock.next_at <= now()
    order by clock.tenant_id, clock.exception_id for update of clock
  ) locked;
  if late.ids is null then
    return;
  end if;
  with fresh as (
    select * from private.place_clocks(late.tenants, late.ids, late.due_ats, late.positions)
  ), written as (
    update private.exception_clocks clock set position = placed.position, next_at = placed.next_at
    from fresh placed where clock.tenant_id = placed.tenant_id
      and clock.exception_id = placed.exception_id
  )
  select array_agg(placed.tenant_id) as tenants, array_agg(placed.exception_id) as ids,
    array_agg(placed.due_at) as due_ats,
    array_agg(placed.old_position) as old_positions, array_agg(placed.position) as new_positions
  into moved from fresh placed;
  select array_agg(move.tenant_id) as tenants, array_agg(move.exception_id) as ids,
    array_agg(threshold.boundary) as boundaries, array_agg(move.due_at) as due_ats
  into crossed
  from unnest(moved.tenants, moved.ids, moved.old_positions, moved.new_positions, moved.due_ats)
    as move (tenant_id, exception_id, old_position, new_position, due_at)
  join private.sla_boundaries(moved.tenants) threshold
    on threshold.tenant_id = move.tenant_id and threshold.announced
      and threshold.boundary < move.old_position and threshold.boundary >= move.new_position;
  if crossed.ids is not null then
    perform private.announce_crossings(crossed.tenants, crossed.ids, crossed.boundaries,
      crossed.due_ats);
  end if;
  -- Last, since workers queue only for this row.
  perform private.count_positions(shard, moved.tenants || moved.tenants,
    moved.old_positions || moved.new_positions,
    array_fill(-1, array[cardinality(moved.ids)]) || array_fill(1, array[cardinality(moved.ids)]));
end $$;

-- Ends pauses whose end has passed, as of that moment. Returns how many. One that is locked by
-- another transaction ends at the next call.
create function private.end_pauses(batch integer) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  ended integer;
begin
  select count(*) into ended from private.change_exceptions('resume', array(
    select jsonb_build_object('tenant_id', exception.tenant_id, 'id', exception.id)
    from public.exceptions exception
    where exception.paused_until <= now() order by exception.paused_until limit batch
      for no key update skip locked
  ));
  return ended;
end $$;

-- The worker's step: ends pauses, reports up to `batch` warnings in business minutes and advances
-- as many clocks whose next boundary has passed. Any number of workers may call it at once. Returns
-- { moved, wait_ms }: how long until the next boundary, warning or end of a pause; null if there is
-- none.
create function private.tick_sla_clock(batch integer default 5000) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  due record;
  others constant integer := private.end_pauses(batch) + private.tick_business_warnings(batch);
begin
  select array_agg(claimed.tenant_id) as tenants, array_agg(claimed.exception_id) as ids into due
  from (
    select clock.tenant_id, clock.exception_id from private.exception_clocks clock
    where clock.next_at <= now() order by clock.next_at limit batch for update skip locked
  ) claimed;
  if due.ids is not null then
    perform private.advance_clocks(due.tenants, due.ids, 0);
  end if;
  return jsonb_build_object(
    'moved', coalesce(cardinality(due.ids), 0) + others,
    'wait_ms', (
      select ceil(extract(epoch from min(next.at) - clock_timestamp()) * 1000) from (
        select min(next_at) as at from private.exception_clocks where next_at is not null
        union all
        select min(warning.at) from private.business_warnings warning where warning.at < 'infinity'
        union all
        select min(paused_until) from public.exceptions where paused_until is not null
      ) next
    )
  );
end $$;
grant execute on function private.tick_sla_clock(integer) to service_role;
