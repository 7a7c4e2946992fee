alter table public.sla_policies add column at_risk_business_thresholds integer[] not null default '{}' check (cardinality(at_risk_business_thresholds) <= 10 and 0 < all (at_risk_business_thresholds) and 525600 >= all (at_risk_business_thresholds));
alter table public.sla_policies drop constraint sla_policies_at_risk_thresholds_check;
alter table public.sla_policies add constraint sla_policies_at_risk_thresholds_check check (cardinality(at_risk_thresholds) between 0 and 10 and 0 < all (at_risk_thresholds) and 525600 >= all (at_risk_thresholds));
alter table public.exception_ledger add column in_business_time boolean not null default false;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

-- contracts: granted again at the end of this file, in the same transaction, with one column more.
revoke update (at_risk_thresholds, calendar_by_severity, calendar_id, critical_minutes, high_minutes, low_minutes, medium_minutes, pause_max_count, pause_max_minutes, pause_rules, updated_at, updated_by, version) on public.sla_policies from authenticated;
create table private.business_warnings (
  tenant_id text not null,
  exception_id text not null,
  minutes integer not null,
  at timestamp(3) with time zone not null,
  due_at timestamp(3) with time zone not null
);
alter table private.business_warnings add constraint business_warnings_pkey PRIMARY KEY (tenant_id, exception_id, minutes);
CREATE INDEX business_warnings_next ON private.business_warnings USING btree (at) WHERE (at < 'infinity'::timestamp with time zone);
alter table private.business_warnings enable row level security; alter table private.business_warnings no force row level security;
CREATE OR REPLACE FUNCTION private.announce_crossings(tenants text[], ids text[], boundaries integer[], due_ats timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  with crossed as (
    select e, e.id as exception_id, e.tenant_id, c.boundary, c.due_at
    from unnest(tenants, ids, boundaries, due_ats) as c (tenant_id, exception_id, boundary, due_at)
    join public.exceptions e on e.tenant_id = c.tenant_id and e.id = c.exception_id
  ), announced as materialized (
    select b.tenant_id, b.boundary, lead(b.boundary) over (partition by b.tenant_id order by b.boundary desc) as next_boundary
    from private.sla_boundaries(array(select distinct tenant_id from crossed)) b where b.announced
  ), crossing as materialized (
    select c.*, a.next_boundary, concat_ws(':', c.exception_id, private.iso(c.due_at), c.boundary) as once_key
    from crossed c left join announced a on a.tenant_id = c.tenant_id and a.boundary = c.boundary
  ), reported as (
    insert into public.events (tenant_id, type, data, once_key)
    select x.tenant_id, case when x.boundary = 0 then 'exception.sla.breached' else 'exception.sla.at_risk' end,
      jsonb_build_object('exception', private.exception_json(x.e), 'due_at', private.iso(x.due_at))
        || case when x.boundary = 0 then '{}'::jsonb
          else jsonb_build_object('threshold_minutes', x.boundary, 'threshold_kind', 'wall_clock', 'next_threshold_minutes', x.next_boundary) end,
      x.once_key
    from crossing x
    order by x.due_at - make_interval(mins => x.boundary)
    on conflict on constraint events_tenant_id_type_once_key_key do nothing
    returning tenant_id, data
  )
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, threshold_minutes, calendar_no, actor,
    actor_issuer, actor_subject, request_id)
  select r.tenant_id, r.data #>> '{exception,id}', now(), 'crossed', (r.data ->> 'due_at')::timestamptz,
    coalesce((r.data -> 'threshold_minutes')::integer, 0), (c.e).calendar_no, 'system', null, null, null
  from reported r join crossed c on c.tenant_id = r.tenant_id and c.exception_id = r.data #>> '{exception,id}'
    and c.boundary = coalesce((r.data -> 'threshold_minutes')::integer, 0);
end $function$;
CREATE OR REPLACE FUNCTION private.tick_sla_clock(batch integer DEFAULT 5000)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  due record;
  others constant integer := private.end_pauses(batch) + private.tick_business_warnings(batch);
begin
  select array_agg(c.tenant_id) as tenants, array_agg(c.exception_id) as ids into due
  from (
    select x.tenant_id, x.exception_id from private.exception_clocks x
    where x.next_at <= now() order by x.next_at limit batch for update skip locked
  ) c;
  if due.ids is not null then
    perform private.advance_clocks(due.tenants, due.ids, 0);
  end if;
  return jsonb_build_object(
    'moved', coalesce(cardinality(due.ids), 0) + others,
    'wait_ms', (
      select ceil(extract(epoch from min(x.at) - clock_timestamp()) * 1000) from (
        select min(next_at) as at from private.exception_clocks where next_at is not null
        union all
        select min(w.at) from private.business_warnings w where w.at < 'infinity'
        union all
        select min(paused_until) from public.exceptions where paused_until is not null
      ) x
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.start_clocks(tenants text[], ids text[], due_ats timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.stop_clocks(tenants text[], ids text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.move_clocks(tenants text[], ids text[], due_ats timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
end $function$;
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
    where n.due_at <> o.due_at or (o.status in ('open', 'in_review')) <> (n.status in ('open', 'in_review'))
      or n.held_due_at <> o.held_due_at or n.calendar_no is distinct from o.calendar_no
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
CREATE OR REPLACE FUNCTION private.business_warning_at(e public.exceptions, minutes integer)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  due_at constant timestamptz := coalesce(e.held_due_at, e.due_at);
  as_of constant timestamptz := coalesce(e.paused_at, now());
  open_ms constant bigint := e.due_open_ms - minutes * 60000::bigint;
  has_passed constant boolean := due_at <= as_of or case
    when e.due_open_ms is null then due_at - make_interval(mins => minutes) <= as_of
    else open_ms <= private.open_ms(e.tenant_id, e.calendar_no, as_of)
  end;
begin
  return case
    when has_passed then null
    when e.paused_at is not null then 'infinity'
    when e.due_open_ms is null then due_at - make_interval(mins => minutes)
    else private.moment_at(e.tenant_id, e.calendar_no, open_ms)
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.announce_business_warnings(tenants text[], ids text[], minutes integer[], due_ats timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  with reported as (
    insert into public.events (tenant_id, type, data, once_key)
    select e.tenant_id, 'exception.sla.at_risk', jsonb_build_object(
        'exception', private.exception_json(e), 'due_at', private.iso(w.due_at), 'threshold_minutes', w.minutes, 'threshold_kind', 'business',
        'next_threshold_minutes', (select max(t) from unnest(p.at_risk_business_thresholds || 0) t where t < w.minutes)),
      concat_ws(':', e.id, private.iso(w.due_at), w.minutes, 'business')
    from unnest(tenants, ids, minutes, due_ats) as w (tenant_id, exception_id, minutes, due_at)
    join public.exceptions e on e.tenant_id = w.tenant_id and e.id = w.exception_id
    join public.sla_policies p on p.tenant_id = w.tenant_id and w.minutes = any (p.at_risk_business_thresholds)
    order by w.minutes desc
    on conflict on constraint events_tenant_id_type_once_key_key do nothing
    returning tenant_id, data
  )
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, threshold_minutes, in_business_time, calendar_no, actor,
    actor_issuer, actor_subject, request_id)
  select r.tenant_id, e.id, now(), 'crossed', (r.data ->> 'due_at')::timestamptz, (r.data -> 'threshold_minutes')::integer, true, e.calendar_no,
    'system', null, null, null
  from reported r join public.exceptions e on e.tenant_id = r.tenant_id and e.id = r.data #>> '{exception,id}'
  order by (r.data -> 'threshold_minutes')::integer desc;
end $function$;
CREATE OR REPLACE FUNCTION private.pass_business_warnings(tenants text[], ids text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  passed record;
begin
  with taken as (
    delete from private.business_warnings w using unnest(tenants, ids) as asked (tenant_id, exception_id)
    where w.tenant_id = asked.tenant_id and w.exception_id = asked.exception_id and w.at <= now()
    returning w.*
  )
  select array_agg(t.tenant_id) as tenants, array_agg(t.exception_id) as ids, array_agg(t.minutes) as minutes, array_agg(t.due_at) as due_ats
  into passed from taken t;
  if passed.ids is not null then
    perform private.announce_business_warnings(passed.tenants, passed.ids, passed.minutes, passed.due_ats);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.arm_business_warnings(tenants text[], ids text[], starts boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  armed text[];
  passed record;
begin
  if not exists (select from public.sla_policies p where p.tenant_id = any (tenants) and p.at_risk_business_thresholds <> '{}') then
    return;
  end if;
  if not starts then
    update private.business_warnings w set at = 'infinity'
    from unnest(tenants, ids) as asked (tenant_id, exception_id)
    join public.exceptions e on e.tenant_id = asked.tenant_id and e.id = asked.exception_id and e.paused_at is not null
    where w.tenant_id = e.tenant_id and w.exception_id = e.id;
    with taken as (
      delete from private.business_warnings w using unnest(tenants, ids) as asked (tenant_id, exception_id)
      join public.exceptions e on e.tenant_id = asked.tenant_id and e.id = asked.exception_id and e.paused_at is null
      where w.tenant_id = e.tenant_id and w.exception_id = e.id
      returning w.*
    )
    select array_agg(t.exception_id || ':' || t.minutes) into armed from taken t;
  end if;
  with placed as materialized (
    select e.tenant_id, e.id, e.due_at, t.minutes, case when e.paused_at is null then private.business_warning_at(e, t.minutes) else 'infinity' end as at
    from unnest(tenants, ids) as asked (tenant_id, exception_id)
    join public.exceptions e on e.tenant_id = asked.tenant_id and e.id = asked.exception_id and e.status in ('open', 'in_review')
    join public.sla_policies p on p.tenant_id = e.tenant_id
    cross join lateral unnest(p.at_risk_business_thresholds) as t (minutes)
    where starts or e.paused_at is null
  ), written as (
    insert into private.business_warnings (tenant_id, exception_id, minutes, at, due_at)
    select p.tenant_id, p.id, p.minutes, p.at, p.due_at from placed p where p.at is not null
  )
  select array_agg(x.tenant_id) as tenants, array_agg(x.id) as ids, array_agg(x.minutes) as minutes, array_agg(x.due_at) as due_ats
  into passed
  from (
    select p.tenant_id, p.id, p.due_at, min(p.minutes) as minutes from placed p
    where p.at is null and p.due_at > now() and (starts or p.id || ':' || p.minutes = any (armed))
    group by p.tenant_id, p.id, p.due_at
  ) x;
  if passed.ids is not null then
    perform private.announce_business_warnings(passed.tenants, passed.ids, passed.minutes, passed.due_ats);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.rearm_business_warnings(before integer[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  thresholds constant integer[] := (select p.at_risk_business_thresholds from public.sla_policies p where p.tenant_id = tenant);
begin
  delete from private.business_warnings w where w.tenant_id = tenant and w.minutes <> all (thresholds);
  insert into private.business_warnings (tenant_id, exception_id, minutes, at, due_at)
  select x.tenant_id, x.id, x.minutes, x.at, x.due_at
  from (
    select e.tenant_id, e.id, e.due_at, t.minutes, private.business_warning_at(e, t.minutes) as at
    from public.exceptions e cross join unnest(thresholds) as t (minutes)
    where e.tenant_id = tenant and e.status in ('open', 'in_review') and e.due_at > now() and t.minutes <> all (before)
  ) x
  where x.at is not null
  on conflict (tenant_id, exception_id, minutes) do nothing;
end $function$;
CREATE OR REPLACE FUNCTION private.tick_business_warnings(batch integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  passed record;
begin
  with due as (
    select w.tenant_id, w.exception_id, w.minutes from private.business_warnings w
    where w.at <= now() and w.at < 'infinity' order by w.at limit batch for update skip locked
  ), taken as (
    delete from private.business_warnings w using due d
    where w.tenant_id = d.tenant_id and w.exception_id = d.exception_id and w.minutes = d.minutes
    returning w.*
  )
  select array_agg(t.tenant_id) as tenants, array_agg(t.exception_id) as ids, array_agg(t.minutes) as minutes, array_agg(t.due_at) as due_ats
  into passed from taken t;
  if passed.ids is null then
    return 0;
  end if;
  perform private.announce_business_warnings(passed.tenants, passed.ids, passed.minutes, passed.due_ats);
  return cardinality(passed.ids);
end $function$;
CREATE OR REPLACE FUNCTION private.rebuild_business_time(tenant text, no bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  covered private.calendar_coverage;
begin
  perform from public.exceptions e
  where e.tenant_id = tenant and e.calendar_no = no and e.status in ('open', 'in_review') order by e.id for no key update;
  select * into covered from private.calendar_coverage c where c.tenant_id = tenant and c.calendar_no = no for update;
  delete from private.calendar_spans s where s.tenant_id = tenant and s.calendar_no = no;
  update private.calendar_coverage c set covered_until = c.covered_from, open_until = c.open_from, zone_checked_at = now()
  where c.tenant_id = tenant and c.calendar_no = no;
  perform private.extend_business_time(tenant, no, covered.covered_from, covered.covered_until);
  with counted as materialized (
    select e.id, case when e.due_from_policy and coalesce(e.held_due_at, e.due_at) > now()
      then coalesce(private.policy_deadline(e, private.minutes_to_resolve(p, e.severity), no), coalesce(e.held_due_at, e.due_at))
      else coalesce(e.held_due_at, e.due_at) end as due_at
    from public.exceptions e join public.sla_policies p on p.tenant_id = e.tenant_id
    where e.tenant_id = tenant and e.calendar_no = no and e.status in ('open', 'in_review')
  )
  update public.exceptions e set due_open_ms = private.open_ms(tenant, no, c.due_at),
    due_at = case when e.paused_at is null then c.due_at else e.due_at end, held_due_at = case when e.paused_at is not null then c.due_at end
  from counted c where e.tenant_id = tenant and e.id = c.id
    and (coalesce(e.held_due_at, e.due_at), e.due_open_ms) is distinct from (c.due_at, private.open_ms(tenant, no, c.due_at));
  perform private.arm_business_warnings(array_fill(tenant, array[cardinality(x.ids)]), x.ids, false)
  from (
    select array_agg(e.id) as ids from public.exceptions e
    where e.tenant_id = tenant and e.calendar_no = no and e.status in ('open', 'in_review')
  ) x where x.ids is not null;
end $function$;
CREATE OR REPLACE FUNCTION private.sla_policy_json(p public.sla_policies)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'minutes_to_resolve', jsonb_build_object('critical', p.critical_minutes, 'high', p.high_minutes, 'medium', p.medium_minutes, 'low', p.low_minutes),
    'at_risk_thresholds', p.at_risk_thresholds, 'at_risk_business_thresholds', p.at_risk_business_thresholds, 'calendar_id', p.calendar_id, 'calendar_by_severity', p.calendar_by_severity,
    'pause', jsonb_build_object('max_minutes', p.pause_max_minutes, 'max_count', p.pause_max_count, 'rules', p.pause_rules), 'updated_at', private.iso(p.updated_at), 'updated_by', p.updated_by
  );
end $function$;
CREATE OR REPLACE FUNCTION public.put_sla_policy(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  before public.sla_policies;
  after public.sla_policies;
  moved record;
  impact jsonb;
begin
  perform private.enter(request, 'put_sla_policy');
  select * into before from public.sla_policies where tenant_id = private.tenant_id() for update;
  if jsonb_typeof(request -> 'versions') = 'array' and not request -> 'versions' @> to_jsonb(before.version) then
    perform private.refuse('precondition_failed',
      format('The policy has changed since the version in If-Match, last by %s. Get it again and repeat your change.', before.updated_by));
  end if;
  after := before;
  after.critical_minutes := input -> 'minutes_to_resolve' ->> 'critical';
  after.high_minutes := input -> 'minutes_to_resolve' ->> 'high';
  after.medium_minutes := input -> 'minutes_to_resolve' ->> 'medium';
  after.low_minutes := input -> 'minutes_to_resolve' ->> 'low';
  after.at_risk_thresholds := array(select distinct value::integer from jsonb_array_elements_text(input -> 'at_risk_thresholds') order by 1 desc);
  if input ? 'at_risk_business_thresholds' then
    after.at_risk_business_thresholds := array(
      select distinct value::integer from jsonb_array_elements_text(input -> 'at_risk_business_thresholds') order by 1 desc);
  end if;
  if after.at_risk_thresholds = '{}' and after.at_risk_business_thresholds = '{}' then
    perform private.refuse_field('at_risk_thresholds', 'Include a threshold here or in at_risk_business_thresholds.');
  end if;
  if input ? 'calendar_id' then
    after.calendar_id := input ->> 'calendar_id';
  end if;
  if input ? 'calendar_by_severity' then
    after.calendar_by_severity := input -> 'calendar_by_severity';
  end if;
  if input ? 'pause' then
    after.pause_max_minutes := input -> 'pause' ->> 'max_minutes';
    after.pause_max_count := input -> 'pause' ->> 'max_count';
    after.pause_rules := input -> 'pause' -> 'rules';
  end if;
  if (after.calendar_id, after.calendar_by_severity) is distinct from (before.calendar_id, before.calendar_by_severity)
    or after.calendar_id is not null or after.calendar_by_severity <> '{}' then
    perform private.require_calendars(after);
  end if;
  select array_agg(d.id) as ids, array_agg(d.severity) as severities, array_agg(d.calendar_id) as calendars, array_agg(d.calendar_no) as calendar_nos,
    array_agg(d.due_at) as due_ats, array_agg(d.new_due_at) as new_due_ats
  into moved from private.moved_deadlines(before, after) d;
  impact := private.impact_of(moved.severities, moved.due_ats, moved.new_due_ats);

  if not dry_run and after is distinct from before then
    update public.sla_policies set
      critical_minutes = after.critical_minutes, high_minutes = after.high_minutes, medium_minutes = after.medium_minutes,
      low_minutes = after.low_minutes, at_risk_thresholds = after.at_risk_thresholds, at_risk_business_thresholds = after.at_risk_business_thresholds,
      calendar_id = after.calendar_id, calendar_by_severity = after.calendar_by_severity, pause_max_minutes = after.pause_max_minutes, pause_max_count = after.pause_max_count,
      pause_rules = after.pause_rules, updated_at = now(), updated_by = private.actor(), version = before.version + 1
    where tenant_id = before.tenant_id returning * into after;
    if moved.ids is not null then
      perform private.move_deadlines(moved.ids, moved.calendars, moved.calendar_nos, moved.new_due_ats);
    end if;
    if after.at_risk_thresholds <> before.at_risk_thresholds then
      perform private.rearm_clocks();
    end if;
    if after.at_risk_business_thresholds <> before.at_risk_business_thresholds then
      perform private.rearm_business_warnings(before.at_risk_business_thresholds);
    end if;
    perform private.record_security_event('sla_policy.updated', null, null,
      jsonb_build_object('from', private.sla_policy_json(before), 'to', private.sla_policy_json(after)));
  end if;
  return private.sla_policy_json(after) || jsonb_build_object('version', after.version, 'dry_run', dry_run, 'impact', impact);
end $function$;
CREATE OR REPLACE FUNCTION private.ledger_rows(exception_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    with lines as (
      select l.*, lag(l.at) over w as before_at, lag(l.calendar_no) over w as before_no, lag(l.due_at) over w as before_due_at
      from public.exception_ledger l
      where l.tenant_id = private.tenant_id() and l.exception_id = ledger_rows.exception_id
      window w as (order by l.at, l.id)
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'at', private.iso(l.at), 'kind', l.kind, 'due_at', private.iso(l.due_at), 'threshold_minutes', l.threshold_minutes,
      'threshold_kind', case when l.threshold_minutes is not null then case when l.in_business_time then 'business' else 'wall_clock' end end,
      'open_ms', case when l.before_no is not null then
        private.open_ms(l.tenant_id, l.before_no, l.at) - private.open_ms(l.tenant_id, l.before_no, l.before_at) end,
      'open_spans', case when l.before_no is not null then private.open_between(l.tenant_id, l.before_no, l.before_at, l.at) end,
      'due_moved_ms', case when l.calendar_no = l.before_no then
        private.open_ms(l.tenant_id, l.calendar_no, l.due_at) - private.open_ms(l.tenant_id, l.calendar_no, l.before_due_at) end,
      'business_ms_left', case when l.calendar_no is not null then
        private.open_ms(l.tenant_id, l.calendar_no, l.due_at) - private.open_ms(l.tenant_id, l.calendar_no, l.at) end,
      'actor', l.actor, 'actor_issuer', l.actor_issuer, 'actor_subject', l.actor_subject, 'request_id', l.request_id
    ) order by l.at, l.id), '[]')
    from lines l
  );
end $function$;
CREATE OR REPLACE FUNCTION private.service_metrics()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'worker_silence_seconds', (select extract(epoch from now() - max(beat_at)) from private.heartbeats where kind = 'worker'),
    -- One that fell silent is buried, so that its silence can't be told: none is left.
    'working', (
      select jsonb_build_object('worker', count(*) filter (where kind = 'worker'), 'matcher', count(*) filter (where kind = 'matcher'))
      from private.heartbeats where beat_at > now() - interval '15 seconds'
    ),
    'sla_clock_lag_seconds', (
      select greatest(0, coalesce(extract(epoch from now() - least(
        (select min(next_at) from private.exception_clocks where next_at is not null),
        (select min(w.at) from private.business_warnings w where w.at < 'infinity')
      )), 0))
    ),
    'webhooks', (
      select jsonb_build_object(
        'active', count(*) filter (where status = 'active'),
        'disabled', count(*) filter (where status = 'disabled'),
        'given_up', count(*) filter (where disabled_reason <> 'manual' and disabled_at > now() - interval '1 day')
      )
      from public.webhooks where deleted_at is null
    ),
    'deliveries', (
      select jsonb_build_object(
        'pending', count(*),
        'due', count(*) filter (where next_attempt_at <= now()),
        'lag_seconds', greatest(0, coalesce(extract(epoch from now() - min(next_attempt_at)), 0))
      )
      from public.webhook_deliveries where status = 'pending'
    ),
    'jobs', (
      select jsonb_build_object(
        'ready', count(*) filter (where attempts < max_attempts and run_at <= now() and locked_at is null),
        'running', count(*) filter (where locked_at is not null),
        'failed', count(*) filter (where attempts >= max_attempts),
        'oldest_seconds', coalesce(extract(epoch from now() - min(run_at) filter (where attempts < max_attempts and run_at <= now() and locked_at is null)), 0),
        -- A worker that falls silent is buried after 20 seconds, and its jobs are freed.
        'locked_by_the_dead', count(*) filter (where locked_at < now() - interval '1 minute'
          and locked_by not in (select pool from private.heartbeats where beat_at > now() - interval '1 minute'))
      )
      from graphile_worker.jobs
    ),
    -- By task, how long ago its schedule gave it to the workers.
    'scheduled', (
      select coalesce(jsonb_object_agg(identifier, extract(epoch from now() - coalesce(last_execution, known_since))), '{}')
      from graphile_worker._private_known_crontabs
    ),
    -- Of what the signer did not get to yet, the oldest.
    'unsigned_seconds', (
      select coalesce(extract(epoch from now() - min(e.at)), 0)
      from private.unsigned_security_event_chains() u
      join public.security_events e on e.chain = u.chain and e.seq = coalesce((u.signed ->> 'seq')::bigint, 0) + 1
    ),
    'database', jsonb_build_object(
      'bytes', pg_database_size(current_database()),
      'connections', (select sum(numbackends) from pg_stat_database),
      'connections_max', current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
      'migrating', exists (
        select from pg_locks where locktype = 'advisory' and granted and objsubid = 1
          and (classid::bigint << 32 | objid::bigint) = hashtext('tieout migrations')::bigint
      )
    )
  );
end $function$;
grant execute on function private.rearm_business_warnings(integer[]) to authenticated;
grant update (at_risk_business_thresholds, at_risk_thresholds, calendar_by_severity, calendar_id, critical_minutes, high_minutes, low_minutes, medium_minutes, pause_max_count, pause_max_minutes, pause_rules, updated_at, updated_by, version) on public.sla_policies to authenticated;
