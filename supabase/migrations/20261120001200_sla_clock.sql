-- SLA clock: where each open exception stands before its deadline, kept in the transaction of every change, moved on by the
-- worker, and right without it: whatever has passed and was not processed yet is counted when it is asked for.
--
-- Boundaries are minutes before due_at: the tenant's at-risk thresholds, 0 (the breach), and 240, which parts at risk from on
-- track (spec 3.2). A clock's position is the last boundary it passed; next_at is when it passes the next one.

alter table public.sla_policies
  add column at_risk_thresholds integer[] not null default '{240,60}'
    check (cardinality(at_risk_thresholds) between 1 and 10 and 0 < all (at_risk_thresholds) and 525600 >= all (at_risk_thresholds)),
  add column updated_at timestamptz(3) not null default now(),
  add column updated_by text not null default private.actor();

create function private.no_boundary() returns integer
language sql immutable set search_path = ''
return 2147483647;

-- Written by triggers of exceptions alone, which are never deleted: a foreign key would check each row again.
create table private.exception_clocks (
  exception_id text primary key,
  tenant_id text not null,
  due_at timestamptz(3) not null,
  position integer not null,
  next_at timestamptz(3)
) with (fillfactor = 80);
create index exception_clocks_next on private.exception_clocks (next_at) where next_at is not null;
create index exception_clocks_next_of_tenant on private.exception_clocks (tenant_id, next_at) where next_at is not null;
alter table private.exception_clocks enable row level security;

-- Counts of open exceptions by position, in shards: writers of one tenant do not queue for one row. Shard 0 is the worker's.
create table private.sla_counts (
  tenant_id text not null references public.tenants (id),
  shard integer not null,
  breached bigint not null default 0,
  at_risk bigint not null default 0,
  on_track bigint not null default 0,
  primary key (tenant_id, shard)
) with (fillfactor = 50);
alter table private.sla_counts enable row level security;

-- Each change of a clock. The rows of one exception add up: what remains = what remained − what elapsed + how far it was moved.
create table public.exception_ledger (
  id bigint generated always as identity primary key,
  tenant_id text not null,
  exception_id text not null,
  at timestamptz(3) not null default now(),
  kind text not null check (kind in ('set', 'moved', 'crossed', 'resolved', 'dismissed', 'reopened')),
  due_at timestamptz(3) not null,
  threshold_minutes integer,
  actor text not null default private.actor(),
  request_id text default nullif(current_setting('tieout.request_id', true), '')
);
create index exception_ledger_by_exception on public.exception_ledger (tenant_id, exception_id, at, id);
alter table public.exception_ledger enable row level security;
grant select on public.exception_ledger to authenticated, service_role;
create policy exception_ledger_read on public.exception_ledger for select to authenticated
  using (tenant_id = (select private.tenant_id()));

-- The boundaries of some tenants; `announced` are those that an event tells of.
create function private.sla_boundaries(tenants text[])
returns table (tenant_id text, boundary integer, announced boolean)
language sql stable set search_path = '' as $$
  select p.tenant_id, b.boundary, bool_or(b.announced)
  from public.sla_policies p
  cross join lateral (
    select unnest(p.at_risk_thresholds), true union all values (240, false), (0, true)
  ) b (boundary, announced)
  where p.tenant_id = any (tenants)
  group by 1, 2;
$$;

-- Adds to a shard: [breached, at_risk, on_track] that joined and that left, given as positions.
create function private.count_positions(shard integer, tenants text[], positions integer[], signs integer[]) returns void
language sql volatile set search_path = '' as $$
  insert into private.sla_counts as c (tenant_id, shard, breached, at_risk, on_track)
  select d.tenant_id, $1,
    coalesce(sum(d.sign) filter (where d.position <= 0), 0), coalesce(sum(d.sign) filter (where d.position between 1 and 240), 0),
    coalesce(sum(d.sign) filter (where d.position > 240), 0)
  from unnest(tenants, positions, signs) as d (tenant_id, position, sign)
  group by 1 order by 1
  on conflict (tenant_id, shard) do update set
    breached = c.breached + excluded.breached, at_risk = c.at_risk + excluded.at_risk, on_track = c.on_track + excluded.on_track;
$$;

create function private.own_shard() returns integer
language sql volatile set search_path = ''
return 1 + pg_backend_pid() % 16;

-- Tells of crossings, once each, and writes them into the ledger.
create function private.announce_crossings(ids text[], boundaries integer[], due_ats timestamptz[]) returns void
language sql volatile set search_path = '' as $$
  with crossed as (
    select e, e.id as exception_id, e.tenant_id, c.boundary, c.due_at
    from unnest(ids, boundaries, due_ats) as c (exception_id, boundary, due_at)
    join public.exceptions e on e.id = c.exception_id
  ), announced as materialized (
    select b.tenant_id, b.boundary, lead(b.boundary) over (partition by b.tenant_id order by b.boundary desc) as next_boundary
    from private.sla_boundaries(array(select distinct tenant_id from crossed)) b where b.announced
  ), crossing as materialized (
    select c.*, a.next_boundary, concat_ws(':', c.exception_id, private.iso(c.due_at), c.boundary) as once_key
    from crossed c left join announced a on a.tenant_id = c.tenant_id and a.boundary = c.boundary
  ), told as (
    insert into public.events (tenant_id, type, data, once_key)
    select x.tenant_id, case when x.boundary = 0 then 'exception.sla.breached' else 'exception.sla.at_risk' end,
      jsonb_build_object('exception', private.exception_json(x.e), 'due_at', private.iso(x.due_at))
        || case when x.boundary = 0 then '{}'::jsonb
          else jsonb_build_object('threshold_minutes', x.boundary, 'next_threshold_minutes', x.next_boundary) end,
      x.once_key
    from crossing x
    order by x.due_at - make_interval(mins => x.boundary)
    on conflict on constraint events_tenant_id_type_once_key_key do nothing
    returning once_key
  )
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, threshold_minutes, actor, request_id)
  select x.tenant_id, x.exception_id, now(), 'crossed', x.due_at, x.boundary, 'system', null
  from crossing x join told t on t.once_key = x.once_key
  order by x.due_at - make_interval(mins => x.boundary);
$$;

-- Moves the given clocks on to now: every boundary they have passed is counted, and told of where it is announced.
create function private.advance_clocks(ids text[], shard integer) returns void
language plpgsql volatile set search_path = '' as $$
declare
  moved record;
  crossed record;
begin
  with old as (
    select c.exception_id, c.tenant_id, c.due_at, c.position from private.exception_clocks c
    where c.exception_id = any (ids) and c.next_at <= now()
    order by c.exception_id for update
  ), boundaries as materialized (
    select * from private.sla_boundaries(array(select distinct tenant_id from old))
  ), fresh as (
    select o.*, b.position as new_position, b.next_boundary
    from old o cross join lateral (
      select coalesce(min(boundary) filter (where o.due_at - make_interval(mins => boundary) <= now()), private.no_boundary()) as position,
        max(boundary) filter (where o.due_at - make_interval(mins => boundary) > now()) as next_boundary
      from boundaries where tenant_id = o.tenant_id
    ) b
  ), written as (
    update private.exception_clocks c
    set position = f.new_position, next_at = f.due_at - make_interval(mins => f.next_boundary)
    from fresh f where c.exception_id = f.exception_id
  )
  select
    array_agg(f.exception_id) as ids, array_agg(f.tenant_id) as tenants,
    array_agg(f.position) as old_positions, array_agg(f.new_position) as new_positions, array_agg(f.due_at) as due_ats
  into moved from fresh f;
  if moved.ids is null then
    return;
  end if;
  perform private.count_positions(shard, moved.tenants || moved.tenants, moved.old_positions || moved.new_positions,
    array_fill(-1, array[cardinality(moved.ids)]) || array_fill(1, array[cardinality(moved.ids)]));
  select array_agg(m.exception_id) as ids, array_agg(b.boundary) as boundaries, array_agg(m.due_at) as due_ats into crossed
  from unnest(moved.ids, moved.tenants, moved.old_positions, moved.new_positions, moved.due_ats)
    as m (exception_id, tenant_id, old_position, new_position, due_at)
  join private.sla_boundaries(moved.tenants) b
    on b.tenant_id = m.tenant_id and b.announced and b.boundary < m.old_position and b.boundary >= m.new_position;
  if crossed.ids is not null then
    perform private.announce_crossings(crossed.ids, crossed.boundaries, crossed.due_ats);
  end if;
end $$;

-- The worker's step: moves on up to `batch` clocks whose next boundary has passed. Any number of workers may call it at once.
-- Answers { moved, wait_ms }: how long until the next boundary of any clock, null where none is ahead.
create function private.tick_sla_clock(batch integer default 5000) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  ids text[];
begin
  select array_agg(c.exception_id) into ids
  from (
    select exception_id from private.exception_clocks where next_at <= now() order by next_at limit batch for update skip locked
  ) c;
  if ids is not null then
    perform private.advance_clocks(ids, 0);
  end if;
  return jsonb_build_object(
    'moved', coalesce(cardinality(ids), 0),
    'wait_ms', (select ceil(extract(epoch from min(next_at) - clock_timestamp()) * 1000) from private.exception_clocks where next_at is not null)
  );
end $$;
grant execute on function private.tick_sla_clock(integer) to service_role;

-- Starts clocks. Where one starts inside a threshold, the nearest crossing only is told of.
create function private.start_clocks(ids text[], tenants text[], due_ats timestamptz[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  started record;
begin
  with boundaries as materialized (
    select * from private.sla_boundaries(array(select distinct unnest(tenants)))
  ), fresh as (
    select s.*, b.position, b.next_boundary, b.nearest
    from unnest(ids, tenants, due_ats) as s (exception_id, tenant_id, due_at)
    cross join lateral (
      select coalesce(min(boundary) filter (where passed), private.no_boundary()) as position,
        max(boundary) filter (where not passed) as next_boundary, min(boundary) filter (where passed and announced) as nearest
      from (
        select boundary, announced, s.due_at - make_interval(mins => boundary) <= now() as passed from boundaries where tenant_id = s.tenant_id
      ) x
    ) b
  ), written as (
    insert into private.exception_clocks (exception_id, tenant_id, due_at, position, next_at)
    select exception_id, tenant_id, due_at, position, due_at - make_interval(mins => next_boundary) from fresh
  )
  select array_agg(f.tenant_id) as tenants, array_agg(f.position) as positions,
    array_agg(f.exception_id) filter (where f.nearest is not null) as ids, array_agg(f.nearest) filter (where f.nearest is not null) as boundaries,
    array_agg(f.due_at) filter (where f.nearest is not null) as due_ats
  into started from fresh f;
  perform private.count_positions(private.own_shard(), started.tenants, started.positions, array_fill(1, array[cardinality(started.tenants)]));
  if started.ids is not null then
    perform private.announce_crossings(started.ids, started.boundaries, started.due_ats);
  end if;
end $$;

-- Stops clocks, after what they passed has been told.
create function private.stop_clocks(ids text[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  stopped record;
begin
  perform private.advance_clocks(ids, private.own_shard());
  with gone as (
    delete from private.exception_clocks where exception_id = any (ids) returning tenant_id, position
  )
  select array_agg(tenant_id) as tenants, array_agg(position) as positions into stopped from gone;
  if stopped.tenants is not null then
    perform private.count_positions(private.own_shard(), stopped.tenants, stopped.positions, array_fill(-1, array[cardinality(stopped.tenants)]));
  end if;
end $$;

-- Sets clocks, moved on to now before, to new deadlines. The crossings ahead are armed; one that the move itself makes, by going nearer, is told of.
create function private.move_clocks(ids text[], due_ats timestamptz[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  moved record;
begin
  with boundaries as materialized (
    select * from private.sla_boundaries(array(select distinct tenant_id from private.exception_clocks where exception_id = any (ids)))
  ), fresh as (
    select c.exception_id, c.tenant_id, c.position as old_position, n.due_at, b.*
    from unnest(ids, due_ats) as n (exception_id, due_at)
    join private.exception_clocks c on c.exception_id = n.exception_id
    cross join lateral (
      select coalesce(min(boundary) filter (where passed), private.no_boundary()) as new_position,
        max(boundary) filter (where not passed) as next_boundary, min(boundary) filter (where passed and announced and boundary < c.position) as nearest
      from (
        select boundary, announced, n.due_at - make_interval(mins => boundary) <= now() as passed from boundaries where tenant_id = c.tenant_id
      ) x
    ) b
  ), written as (
    update private.exception_clocks c
    set due_at = f.due_at, position = f.new_position, next_at = f.due_at - make_interval(mins => f.next_boundary)
    from fresh f where c.exception_id = f.exception_id
  )
  select array_agg(f.tenant_id) as tenants, array_agg(f.old_position) as old_positions, array_agg(f.new_position) as new_positions,
    array_agg(f.exception_id) filter (where f.nearest is not null) as ids, array_agg(f.nearest) filter (where f.nearest is not null) as boundaries,
    array_agg(f.due_at) filter (where f.nearest is not null) as due_ats
  into moved from fresh f;
  if moved.tenants is null then
    return;
  end if;
  perform private.count_positions(private.own_shard(), moved.tenants || moved.tenants, moved.old_positions || moved.new_positions,
    array_fill(-1, array[cardinality(moved.tenants)]) || array_fill(1, array[cardinality(moved.tenants)]));
  if moved.ids is not null then
    perform private.announce_crossings(moved.ids, moved.boundaries, moved.due_ats);
  end if;
end $$;

create function private.clock_inserted_exceptions() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  a record;
begin
  insert into public.exception_ledger (tenant_id, exception_id, kind, due_at)
  select tenant_id, id, 'set', due_at from added where status in ('open', 'in_review');
  select array_agg(id) as ids, array_agg(tenant_id) as tenants, array_agg(due_at) as due_ats into a
  from added where status in ('open', 'in_review');
  if a.ids is not null then
    perform private.start_clocks(a.ids, a.tenants, a.due_ats);
  end if;
  return null;
end $$;
create trigger clock_inserted after insert on public.exceptions
  referencing new table as added for each statement execute function private.clock_inserted_exceptions();

create function private.clock_updated_exceptions() returns trigger
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
create trigger clock_updated after update on public.exceptions
  referencing old table as before_update new table as after_update
  for each statement execute function private.clock_updated_exceptions();

-- History by statement instead of by row: a bulk change costs one insert.
-- A creation keeps the facts as they were, an update what changed from what.
drop trigger history on public.exceptions;
drop function private.record_exception_history();
alter table public.exception_history drop constraint exception_history_tenant_id_exception_id_fkey;

create function private.exception_facts(e public.exceptions) returns jsonb
language sql stable set search_path = ''
return (to_jsonb(e) - '{id,tenant_id,created_at,created_by,updated_at,closed_at}'::text[]) || jsonb_build_object('due_at', private.iso(e.due_at));

create function private.exception_changes(before jsonb, after jsonb) returns jsonb
language sql immutable set search_path = '' as $$
  select jsonb_object_agg(key, jsonb_build_object('from', before -> key, 'to', value))
  from jsonb_each(after) where value is distinct from coalesce(before -> key, 'null');
$$;

create function private.record_inserted_exceptions() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.exception_history (tenant_id, exception_id, kind, changes)
  select a.tenant_id, a.id, 'created', private.exception_facts(a) from added a;
  return null;
end $$;
create trigger history_inserted after insert on public.exceptions
  referencing new table as added for each statement execute function private.record_inserted_exceptions();

create function private.record_updated_exceptions() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.exception_history (tenant_id, exception_id, kind, changes)
  select n.tenant_id, n.id, 'updated', x.changes
  from after_update n join before_update o on o.id = n.id
  cross join lateral (select private.exception_changes(private.exception_facts(o), private.exception_facts(n)) as changes) x
  where x.changes is not null;
  return null;
end $$;
create trigger history_updated after update on public.exceptions
  referencing old table as before_update new table as after_update
  for each statement execute function private.record_updated_exceptions();

-- What the summary is made of, at a moment: the counts, corrected by the clocks that nobody has moved on yet.
create function private.sla_summary(as_of timestamptz) returns jsonb
language sql stable security definer set search_path = '' as $$
  with counted as (
    select coalesce(sum(breached), 0) as breached, coalesce(sum(at_risk), 0) as at_risk, coalesce(sum(on_track), 0) as on_track
    from private.sla_counts where tenant_id = private.tenant_id()
  ), late as (
    select
      count(*) filter (where due_at <= as_of) - count(*) filter (where position <= 0) as breached,
      count(*) filter (where due_at > as_of and due_at <= as_of + interval '240 minutes') - count(*) filter (where position between 1 and 240) as at_risk,
      count(*) filter (where due_at > as_of + interval '240 minutes') - count(*) filter (where position > 240) as on_track
    from private.exception_clocks where tenant_id = private.tenant_id() and next_at <= as_of
  )
  select jsonb_build_object(
    'breached_count', c.breached + l.breached, 'at_risk_count', c.at_risk + l.at_risk, 'on_track_count', c.on_track + l.on_track,
    'total_open', c.breached + c.at_risk + c.on_track
  )
  from counted c, late l;
$$;
grant execute on function private.sla_summary(timestamptz) to authenticated;

-- Clocks for what was open before there were any.
select private.start_clocks(array_agg(id), array_agg(tenant_id), array_agg(due_at))
from public.exceptions where status in ('open', 'in_review')
having count(*) > 0;
insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, actor)
select tenant_id, id, created_at, 'set', due_at, created_by from public.exceptions where status in ('open', 'in_review');
