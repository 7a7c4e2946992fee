alter table public.sla_policies
  add column calendar_id text,
  add column calendar_by_severity jsonb not null default '{}' check (jsonb_typeof(calendar_by_severity) = 'object'),
  add column pause_max_minutes integer check (pause_max_minutes between 1 and 525600),
  add column pause_max_count integer check (pause_max_count between 0 and 1000),
  add column pause_rules jsonb not null default '[]' check (jsonb_array_length(pause_rules) <= 20),
  add foreign key (tenant_id, calendar_id) references public.calendars (tenant_id, id);
-- Constants as defaults: no row of a large table is rewritten.
alter table public.exceptions
  add column calendar_id text,
  add column calendar_no bigint,
  add column due_open_ms bigint,
  add column paused_at timestamptz(3),
  add column paused_until timestamptz(3),
  add column pause_reason text check (length(pause_reason) between 1 and 500),
  add column paused_by_rule boolean not null default false,
  add column held_due_at timestamptz(3),
  add column pause_count integer not null default 0,
  add column paused_ms bigint not null default 0,
  add check ((paused_at is null) = (held_due_at is null)),
  add check ((paused_at is null) = (due_at < 'infinity')),
  add foreign key (tenant_id, calendar_no) references public.calendar_versions (tenant_id, calendar_no);
create index exceptions_by_calendar on public.exceptions (tenant_id, calendar_no) where calendar_no is not null and status in ('open', 'in_review');
create index exceptions_paused_until on public.exceptions (paused_until) where paused_until is not null;
alter table private.exception_clocks add column held_position integer;
alter table public.exception_ledger add column calendar_no bigint;
alter table public.exception_ledger drop constraint exception_ledger_kind_check;
alter table public.exception_ledger add constraint exception_ledger_kind_check
  check (kind in ('set', 'moved', 'crossed', 'paused', 'resumed', 'recalculated', 'resolved', 'dismissed', 'reopened'));
alter table public.exception_ledger alter column at set default date_trunc('milliseconds', now());

-- From here on written by `npm run migration`, anew each time. Above is by hand.

revoke update (at_risk_thresholds, critical_minutes, high_minutes, low_minutes, medium_minutes, updated_at, updated_by, version) on public.sla_policies from authenticated;
revoke update (amount_minor, assigned_to, currency, details, due_at, due_from_policy, reason_code, reconciliation_id, resolution, severity, status, title) on public.exceptions from authenticated;
revoke insert (amount_minor, assigned_to, currency, details, due_at, due_from_policy, reason_code, reconciliation_id, severity, status, title) on public.exceptions from authenticated;
delete from private.event_kinds;
delete from private.operations;
delete from private.permissions;
CREATE OR REPLACE FUNCTION private.recalculated_deadlines(calendar text, no bigint)
 RETURNS TABLE(id text, severity text, due_at timestamp with time zone, new_due_at timestamp with time zone)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return query
  select (x.e).id, (x.e).severity, x.due_at, case when (x.e).due_from_policy then private.policy_deadline(x.e, x.minutes, no) else x.due_at end
  from (
    select e, coalesce(e.held_due_at, e.due_at) as due_at, private.minutes_to_resolve(p, e.severity) as minutes
    from public.exceptions e join public.sla_policies p on p.tenant_id = e.tenant_id
    where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review') and e.calendar_id = calendar and e.calendar_no <> no
  ) x;
end $function$;
CREATE OR REPLACE FUNCTION public.put_calendar(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  hours constant jsonb := jsonb_build_object('time_zone', input -> 'time_zone', 'weekly', input -> 'weekly', 'special_days', input -> 'special_days');
  unlisted constant text[] := '{version,updated_at,updated_by}';
  before jsonb;
  after jsonb;
  has_other_hours boolean;
  no bigint;
  moved record;
  impact jsonb;
begin
  perform private.enter(request, 'put_calendar');
  perform from public.calendars c where c.tenant_id = private.tenant_id() and c.id = input ->> 'id' for update;
  before := private.own_calendar(input ->> 'id');
  perform private.require_version((before ->> 'version')::bigint, request -> 'versions');
  has_other_hours := (before -> 'time_zone', before -> 'weekly', before -> 'special_days')
    is distinct from (hours -> 'time_zone', hours -> 'weekly', hours -> 'special_days');
  -- What a dry run does is undone with this block.
  begin
    if has_other_hours then
      insert into public.calendar_versions (calendar_id, version, time_zone, weekly, special_days)
      values (input ->> 'id', (before ->> 'calendar_version')::integer + 1, input ->> 'time_zone', input -> 'weekly', input -> 'special_days')
      returning calendar_no into no;
      perform private.start_own_business_time(no);
    else
      no := private.current_calendar_no(private.tenant_id(), input ->> 'id');
    end if;
    if has_other_hours or before -> 'name' <> input -> 'name' then
      update public.calendars c set name = input ->> 'name', updated_at = now(), updated_by = private.actor(),
        version = c.version + case when has_other_hours then 1 else 0 end
      where c.tenant_id = private.tenant_id() and c.id = input ->> 'id';
    end if;
    after := private.own_calendar(input ->> 'id');
    select array_agg(d.id) as ids, array_agg(d.severity) as severities, array_agg(d.due_at) as due_ats, array_agg(d.new_due_at) as new_due_ats
    into moved from private.recalculated_deadlines(input ->> 'id', no) d where input ->> 'apply_to' = 'open';
    impact := private.impact_of(moved.severities, moved.due_ats, moved.new_due_ats);
    if moved.ids is not null then
      perform private.move_deadlines(moved.ids, array_fill(input ->> 'id', array[cardinality(moved.ids)]),
        array_fill(no, array[cardinality(moved.ids)]), moved.new_due_ats);
    end if;
    if dry_run then
      raise exception using errcode = 'TO002', message = 'dry run';
    end if;
  exception when sqlstate 'TO002' then
    null;
  end;
  if not dry_run and after - unlisted <> before - unlisted then
    perform private.record_security_event('calendar.updated', input ->> 'id', null,
      private.changes(before - unlisted, after - unlisted) || jsonb_build_object('apply_to', input -> 'apply_to'));
  end if;
  return after || jsonb_build_object('dry_run', dry_run, 'impact', impact);
end $function$;
CREATE OR REPLACE FUNCTION public.read_ics(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'read_ics');
begin
  return coalesce(kept, private.answer(request, input));
end $function$;
CREATE OR REPLACE FUNCTION private.policy_calendar(p public.sla_policies, severity text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when p.calendar_by_severity ? severity then p.calendar_by_severity ->> severity else p.calendar_id end;
end $function$;
CREATE OR REPLACE FUNCTION private.current_calendar_no(tenant text, calendar text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select v.calendar_no from public.calendars c
    join public.calendar_versions v on v.tenant_id = c.tenant_id and v.calendar_id = c.id and v.version = c.version
    where c.tenant_id = tenant and c.id = calendar and tenant = coalesce(private.tenant_id(), tenant)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.exception_json(e public.exceptions, as_of timestamp with time zone DEFAULT now())
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  is_open constant boolean := e.status in ('open', 'in_review');
  is_paused constant boolean := e.paused_at is not null and coalesce(e.paused_until > as_of, true);
  due_at constant timestamptz := case when e.paused_at is null then e.due_at else private.deadline(e, as_of) end;
  minutes constant bigint := case when is_open then private.minutes_to_breach(due_at, as_of) end;
begin
  return jsonb_build_object(
    'id', e.id, 'title', e.title, 'severity', e.severity, 'assigned_to', e.assigned_to, 'due_at', private.iso(due_at),
    'minutes_to_breach', minutes, 'breach_risk', case when is_paused then 'low' when minutes is not null then private.breach_risk(minutes) end,
    'business_minutes_remaining', case when is_open and e.calendar_no is not null then private.business_minutes_remaining(e, as_of) end,
    'calendar_id', e.calendar_id, 'paused_at', case when is_paused then private.iso(e.paused_at) end,
    'paused_until', case when is_paused then private.iso(e.paused_until) end, 'pause_reason', case when is_paused then e.pause_reason end,
    'status', e.status, 'reason_code', e.reason_code, 'amount_minor', e.amount_minor, 'currency', e.currency,
    'reconciliation_id', e.reconciliation_id,
    'line_id', 'lin_' || replace(e.line_id::text, '-', ''), 'suggested_match_id', 'mat_' || replace(e.suggested_match_id::text, '-', ''), 'details', e.details, 'resolution', e.resolution,
    'created_at', private.iso(e.created_at), 'created_by', e.created_by, 'updated_at', private.iso(e.updated_at),
    'closed_at', private.iso(e.closed_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.deadline(e public.exceptions, as_of timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  -- A pause of which nobody has seen the end yet ended when it should.
  resumed_at constant timestamptz := least(as_of, coalesce(e.paused_until, as_of));
begin
  if e.paused_at is null or e.tenant_id <> coalesce(private.tenant_id(), e.tenant_id) then
    return e.due_at;
  elsif e.calendar_no is null or e.due_open_ms is null then
    return e.held_due_at + (resumed_at - e.paused_at);
  end if;
  return greatest(e.held_due_at, private.moment_at(e.tenant_id, e.calendar_no, e.due_open_ms
    + private.open_ms(e.tenant_id, e.calendar_no, resumed_at) - private.open_ms(e.tenant_id, e.calendar_no, e.paused_at)));
end $function$;
CREATE OR REPLACE FUNCTION private.business_minutes_remaining(e public.exceptions, as_of timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if e.tenant_id <> coalesce(private.tenant_id(), e.tenant_id) then
    return null;
  end if;
  return ceil((
    case when e.paused_until <= as_of then private.open_ms(e.tenant_id, e.calendar_no, private.deadline(e, as_of)) else e.due_open_ms end
    - private.open_ms(e.tenant_id, e.calendar_no, case when coalesce(e.paused_until > as_of, true) then coalesce(e.paused_at, as_of) else as_of end)
  ) / 60000.0)::bigint;
end $function$;
CREATE OR REPLACE FUNCTION private.policy_deadline(e public.exceptions, minutes integer, no bigint)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  paused bigint := 0;
begin
  if e.tenant_id <> coalesce(private.tenant_id(), e.tenant_id) then
    return null;
  elsif no is null then
    return e.created_at + make_interval(mins => minutes) + e.paused_ms * interval '1 millisecond';
  end if;
  if e.pause_count > 0 then
    select coalesce(sum(private.open_ms(e.tenant_id, no, l.resumed_at) - private.open_ms(e.tenant_id, no, l.at)), 0) into paused
    from (
      select x.kind, x.at, lead(x.at) over (order by x.id) as resumed_at
      from public.exception_ledger x
      where x.tenant_id = e.tenant_id and x.exception_id = e.id and x.kind in ('paused', 'resumed')
    ) l
    where l.kind = 'paused' and l.resumed_at is not null;
  end if;
  return private.moment_at(e.tenant_id, no, private.open_ms(e.tenant_id, no, e.created_at) + minutes * 60000::bigint + paused);
end $function$;
CREATE OR REPLACE FUNCTION private.first_deadline(no bigint, minutes integer)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return private.moment_at(private.tenant_id(), no, private.open_ms(private.tenant_id(), no, now()) + minutes * 60000::bigint);
end $function$;
CREATE OR REPLACE FUNCTION private.pause_fault(e public.exceptions, p public.sla_policies)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case
    when e.status not in ('open', 'in_review') then 'It is closed, and its clock has stopped. Reopen it first.'
    when e.paused_at is not null and coalesce(e.paused_until > now(), true) then 'It is paused already. Resume it first.'
    when private.deadline(e, now()) <= now() then 'Its deadline has passed: there is no time left to hold. Move the deadline first.'
    when e.pause_count >= p.pause_max_count then
      format('The SLA policy allows %s pauses of an exception, and it has had them. Resolve it, or move its deadline.', p.pause_max_count)
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.pause_rule_holds(p public.sla_policies, status text, reason_code text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from jsonb_array_elements(p.pause_rules) r
    where coalesce(r ->> 'status' = pause_rule_holds.status, r ->> 'status' is null)
      and coalesce(r ->> 'reason_code' = pause_rule_holds.reason_code, r ->> 'reason_code' is null)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.pace_exception()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  moment constant timestamptz(3) := date_trunc('milliseconds', now());
  was public.exceptions;
  p public.sla_policies;
  is_open constant boolean := new.status in ('open', 'in_review');
  has_changed constant boolean := tg_op = 'INSERT' or (new.status, new.reason_code) is distinct from (old.status, old.reason_code);
  begins boolean := tg_op = 'UPDATE' and new.paused_at is not null and old.paused_at is null;
  is_held boolean;
  ended_at timestamptz(3);
  fault text;
begin
  if tg_op = 'INSERT' then
    if new.calendar_no is not null and new.due_from_policy then
      new.due_at := private.moment_at(new.tenant_id, new.calendar_no, private.open_ms(new.tenant_id, new.calendar_no, new.created_at)
        + (extract(epoch from new.due_at - new.created_at) * 1000)::bigint);
    end if;
    new.paused_at := null;
  else
    was := old;
  end if;
  is_held := was.paused_at is not null;
  if has_changed and is_open or begins then
    select * into p from public.sla_policies x where x.tenant_id = new.tenant_id;
  end if;

  if is_held then
    ended_at := case
      when old.paused_until <= moment then old.paused_until
      when new.paused_at is null or not is_open
        or has_changed and old.paused_by_rule and not private.pause_rule_holds(p, new.status, new.reason_code) then moment
    end;
    if ended_at is null then
      if new.due_at <> old.due_at then
        perform private.refuse('conflict', 'The exception is paused. Resume it before you move its deadline.');
      end if;
    else
      if new.due_at = old.due_at then
        was.calendar_no := new.calendar_no;
        new.due_at := private.deadline(was, ended_at);
      end if;
      new.paused_ms := old.paused_ms + (extract(epoch from ended_at - old.paused_at) * 1000)::bigint;
      new.paused_at := null;
      new.held_due_at := null;
      new.paused_until := null;
      new.pause_reason := null;
      new.paused_by_rule := false;
      is_held := false;
    end if;
  end if;

  if not is_held and is_open and not begins and has_changed and private.pause_rule_holds(p, new.status, new.reason_code)
    and (tg_op = 'INSERT' or not private.pause_rule_holds(p, old.status, old.reason_code) or old.status in ('resolved', 'dismissed')) then
    was := new;
    if private.pause_fault(was, p) is null then
      begins := true;
      new.paused_by_rule := true;
      new.paused_until := null;
      new.pause_reason := 'By a rule of the SLA policy';
    end if;
  elsif begins then
    was := new;
    was.paused_at := null;
    was.paused_until := null;
    fault := private.pause_fault(was, p);
    if fault is not null then
      perform private.refuse('conflict', fault);
    end if;
  end if;

  if begins then
    new.paused_at := moment;
    new.held_due_at := new.due_at;
    new.due_at := 'infinity';
    new.paused_until := least(new.paused_until, moment + make_interval(mins => p.pause_max_minutes));
    new.pause_count := new.pause_count + 1;
  end if;
  if new.calendar_no is null then
    new.due_open_ms := null;
  elsif tg_op = 'INSERT' or new.calendar_no is distinct from old.calendar_no
    or coalesce(new.held_due_at, new.due_at) is distinct from coalesce(old.held_due_at, old.due_at) then
    new.due_open_ms := private.open_ms(new.tenant_id, new.calendar_no, coalesce(new.held_due_at, new.due_at));
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION private.exception_facts(e public.exceptions)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (to_jsonb(e) - '{id,tenant_id,created_at,created_by,updated_at,closed_at,severity_rank,due_from_policy,calendar_no,due_open_ms,paused_by_rule,held_due_at,pause_count,paused_ms,pair_no,line_no,line_id,suggested_match_id,resolved_by_matching}'::text[])
    || jsonb_build_object('due_at', private.iso(coalesce(e.held_due_at, e.due_at)), 'paused_at', private.iso(e.paused_at),
      'paused_until', private.iso(e.paused_until));
end $function$;
CREATE OR REPLACE FUNCTION private.place_clocks(tenants text[], ids text[], due_ats timestamp with time zone[], positions integer[] DEFAULT NULL::integer[])
 RETURNS TABLE(tenant_id text, exception_id text, due_at timestamp with time zone, old_position integer, "position" integer, next_at timestamp with time zone, nearest integer)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with boundaries as materialized (
    select * from private.sla_boundaries(array(select distinct unnest(tenants)))
  )
  select c.tenant_id, c.exception_id, c.due_at, c.old_position, coalesce(b.last_passed, private.no_boundary()),
    nullif(c.due_at - make_interval(mins => b.next_boundary), 'infinity'), b.nearest
  from unnest(tenants, ids, due_ats, positions) as c (tenant_id, exception_id, due_at, old_position)
  cross join lateral (
    select min(x.boundary) filter (where x.passed) as last_passed, max(x.boundary) filter (where not x.passed) as next_boundary,
      min(x.boundary) filter (where x.passed and x.announced) as nearest
    from (
      select s.boundary, s.announced, c.due_at - make_interval(mins => s.boundary) <= now() as passed
      from boundaries s where s.tenant_id = c.tenant_id
    ) x
  ) b;
end $function$;
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
          else jsonb_build_object('threshold_minutes', x.boundary, 'next_threshold_minutes', x.next_boundary) end,
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
CREATE OR REPLACE FUNCTION private.end_pauses(batch integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  ended integer;
begin
  update public.exceptions e set paused_at = null
  from (
    select x.tenant_id, x.id from public.exceptions x
    where x.paused_until <= now() order by x.paused_until limit batch for no key update skip locked
  ) due
  where e.tenant_id = due.tenant_id and e.id = due.id;
  get diagnostics ended = row_count;
  return ended;
end $function$;
CREATE OR REPLACE FUNCTION private.tick_sla_clock(batch integer DEFAULT 5000)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  due record;
  resumed constant integer := private.end_pauses(batch);
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
    'moved', coalesce(cardinality(due.ids), 0) + resumed,
    'wait_ms', (
      select ceil(extract(epoch from min(x.at) - clock_timestamp()) * 1000) from (
        select min(next_at) as at from private.exception_clocks where next_at is not null
        union all
        select min(paused_until) from public.exceptions where paused_until is not null
      ) x
    )
  );
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
end $function$;
CREATE OR REPLACE FUNCTION private.clock_inserted_exceptions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
    array_agg(x.calendar_no) as calendars, array_agg(x.change) as ledger_kinds, array_agg(x.resumed_at) as resumed_ats
  into c
  from (
    select n.tenant_id, n.id, n.due_at, n.held_due_at, n.calendar_no, case
      when not o.status in ('open', 'in_review') then 'reopened'
      when not n.status in ('open', 'in_review') then 'closed'
      else 'moved'
    end as kind, case
      when not n.status in ('open', 'in_review') then n.status
      when not o.status in ('open', 'in_review') then 'reopened'
      when n.paused_at is not null and o.paused_at is null then 'paused'
      when o.paused_at is not null and n.paused_at is null then 'resumed'
      when n.calendar_no is distinct from o.calendar_no then 'recalculated'
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
  if c.closed_ids is not null then
    perform private.stop_clocks(c.closed_tenants, c.closed_ids);
  end if;
  if c.moved_ids is not null then
    perform private.advance_clocks(c.moved_tenants, c.moved_ids, private.own_shard());
  end if;
  -- Closing what is paused ends the pause first.
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, calendar_no)
  select x.tenant_id, x.exception_id, case when k.kind = 'resumed' then x.resumed_at else date_trunc('milliseconds', now()) end, k.kind, x.due_at, x.calendar_no
  from unnest(c.tenants, c.ids, c.ledger_kinds, c.due_ats, c.calendars, c.resumed_ats) as x (tenant_id, exception_id, kind, due_at, calendar_no, resumed_at)
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
CREATE OR REPLACE FUNCTION private.exception_version(e public.exceptions)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.version_of(jsonb_build_array(
    e.title, e.severity, e.assigned_to, private.iso(coalesce(e.held_due_at, e.due_at)), e.status, e.reason_code, e.amount_minor, e.currency, e.reconciliation_id,
    e.details, e.resolution, private.iso(e.closed_at), private.iso(e.paused_at), private.iso(e.paused_until), e.pause_reason
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.insert_exceptions(rows jsonb)
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_quota('exceptions', jsonb_array_length(rows));
  return query
  insert into public.exceptions
    (title, severity, assigned_to, due_at, due_from_policy, calendar_id, calendar_no, status, reason_code, amount_minor, currency, reconciliation_id,
      details)
  select
    r.title, r.severity, r.assigned_to,
    coalesce(r.due_at, date_trunc('milliseconds', now()) + make_interval(mins => private.minutes_to_resolve(p, r.severity))),
    r.due_at is null, c.id, case when c.id is not null then private.current_calendar_no(p.tenant_id, c.id) end, coalesce(r.status, 'open'), r.reason_code, r.amount_minor, r.currency, r.reconciliation_id,
    coalesce(nullif(r.details, 'null'), '{}')
  from jsonb_to_recordset(rows) as r (
    title text, severity text, assigned_to text, due_at timestamptz, status text, reason_code text, amount_minor bigint, currency text,
    reconciliation_id text, details jsonb
  )
  join public.sla_policies p on p.tenant_id = private.tenant_id()
  cross join lateral (select private.policy_calendar(p, r.severity)) c (id)
  returning *;
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_exceptions(tenant text, reconciliation text, rows jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  opened integer;
begin
  r := private.hold_period(tenant, reconciliation);
  insert into public.exceptions (tenant_id, title, severity, assigned_to, due_at, due_from_policy, calendar_id, calendar_no, reason_code, amount_minor, currency,
    reconciliation_id, details, pair_no, line_no, line_id, suggested_match_id)
  select tenant, x.title, x.severity, x.assigned_to,
    date_trunc('milliseconds', now()) + make_interval(mins => private.minutes_to_resolve(p, x.severity)), true,
    c.id, case when c.id is not null then private.current_calendar_no(tenant, c.id) end,
    x.reason_code, x.amount_minor, x.currency, r.id, coalesce(x.details, '{}'), r.pair_no, l.line_no, l.id, (
      select m.id from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
      where mm.tenant_id = tenant and mm.line_no = l.line_no and mm.pair_no = r.pair_no and m.state = 'suggested' order by m.id limit 1
    )
  from jsonb_to_recordset(rows) as x (
    line_no bigint, title text, severity text, assigned_to text, reason_code text, amount_minor bigint, currency text, details jsonb)
  join public.sla_policies p on p.tenant_id = tenant
  cross join lateral (select private.policy_calendar(p, x.severity)) c (id)
  join public.lines l on l.tenant_id = tenant and l.line_no = x.line_no
  join private.open_lines o on o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = l.line_no
  where not exists (select from public.exceptions e where e.tenant_id = tenant and e.line_no = l.line_no and e.pair_no = r.pair_no);
  get diagnostics opened = row_count;
  return opened;
end $function$;
CREATE OR REPLACE FUNCTION private.hold_exception(id text)
 RETURNS public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  e public.exceptions;
begin
  select * into e from public.exceptions x where x.tenant_id = private.tenant_id() and x.id = hold_exception.id for no key update;
  if not found then
    perform private.refuse_missing('exception');
  elsif e.paused_until <= now() then
    update public.exceptions x set paused_at = null where x.tenant_id = e.tenant_id and x.id = e.id returning * into e;
  end if;
  return e;
end $function$;
CREATE OR REPLACE FUNCTION private.require_pause_end(until timestamp with time zone, p public.sla_policies)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if until <= now() then
    perform private.refuse_field('until', 'Must be in the future.');
  elsif until > now() + make_interval(mins => p.pause_max_minutes) then
    perform private.refuse_field('until', format('The SLA policy allows pauses of at most %s minutes.', p.pause_max_minutes));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.pause_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'pause_exception');
  e public.exceptions;
  p public.sla_policies;
  fault text;
begin
  if kept is not null then
    return kept;
  end if;
  e := private.hold_exception(input ->> 'id');
  select * into p from public.sla_policies x where x.tenant_id = e.tenant_id;
  perform private.require_pause_end((input ->> 'until')::timestamptz, p);
  fault := private.pause_fault(e, p);
  if fault is not null then
    perform private.refuse('conflict', fault);
  end if;
  update public.exceptions x set paused_at = now(), paused_until = (input ->> 'until')::timestamptz, pause_reason = input ->> 'reason'
  where x.tenant_id = e.tenant_id and x.id = e.id returning * into e;
  return private.answer(request, private.exception_json(e) || jsonb_build_object('version', private.exception_version(e)));
end $function$;
CREATE OR REPLACE FUNCTION public.resume_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'resume_exception');
  e public.exceptions;
begin
  if kept is not null then
    return kept;
  end if;
  e := private.hold_exception(input ->> 'id');
  if e.paused_at is null then
    perform private.refuse('conflict', 'It is not paused.');
  end if;
  update public.exceptions x set paused_at = null where x.tenant_id = e.tenant_id and x.id = e.id returning * into e;
  return private.answer(request, private.exception_json(e) || jsonb_build_object('version', private.exception_version(e)));
end $function$;
CREATE OR REPLACE FUNCTION public.update_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_exceptions');
  tenant constant text := private.tenant_id();
  patch constant jsonb := coalesce(input -> 'patch', '{}');
  pause constant jsonb := input -> 'pause';
  p public.sla_policies;
  ids constant text[] := private.text_array(input -> 'ids');
  refused jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  perform from public.exceptions e where e.tenant_id = tenant and e.id = any (ids) order by e.id for no key update;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such exception.') order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n)
  where not exists (select from public.exceptions e where e.tenant_id = tenant and e.id = i.id);
  if refused is not null then
    perform private.refuse('not_found', 'There is no such exception. Nothing was changed.', refused);
  end if;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1),
    'message', format('An exception cannot move from %s to %s.', e.status, patch ->> 'status')) order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.tenant_id = tenant and e.id = i.id
  where patch ? 'status' and not private.exception_may_move(e.status, patch ->> 'status');
  if refused is not null then
    perform private.refuse('invalid_transition', 'Some of these exceptions cannot move to that status. Nothing was changed.', refused);
  end if;
  if pause is not null or input ? 'resume' then
    update public.exceptions e set paused_at = null where e.tenant_id = tenant and e.id = any (ids) and e.paused_until <= now();
    select * into p from public.sla_policies x where x.tenant_id = tenant;
    perform private.require_pause_end((pause ->> 'until')::timestamptz, p);
    select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', f.fault) order by i.n) into refused
    from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.tenant_id = tenant and e.id = i.id
    cross join lateral (
      select case when pause is not null then private.pause_fault(e, p) when e.paused_at is null then 'It is not paused.' end
    ) f (fault)
    where f.fault is not null;
    if refused is not null then
      perform private.refuse('conflict', format('Some of these exceptions cannot be %s. Nothing was changed.',
        case when pause is not null then 'paused' else 'resumed' end), refused);
    end if;
    update public.exceptions e set paused_at = case when pause is not null then now() end, paused_until = (pause ->> 'until')::timestamptz,
      pause_reason = pause ->> 'reason'
    where e.tenant_id = tenant and e.id = any (ids);
  else
  update public.exceptions e set
    severity = (x.after).severity, assigned_to = (x.after).assigned_to, due_at = (x.after).due_at,
    due_from_policy = (x.after).due_from_policy, status = (x.after).status, reason_code = (x.after).reason_code, resolution = (x.after).resolution
  from (
    select b.id, private.patch_exception(b, patch) as after from public.exceptions b where b.tenant_id = tenant and b.id = any (ids)
  ) x
  where e.tenant_id = tenant and e.id = x.id;
  end if;
  perform private.record_security_event('exceptions.bulk_updated', null, null, jsonb_build_object('count', cardinality(ids)) || (input - 'ids'));
  return private.answer(request, jsonb_build_object(
    'updated', cardinality(ids),
    'items', (
      select jsonb_agg(private.exception_json(e) order by i.n)
      from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.tenant_id = tenant and e.id = i.id
    )
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.list_sla_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  as_of constant timestamptz(3) := now();
  page_size constant integer := (input ->> 'limit')::integer;
  ranked_by constant text := case input ->> 'sort_by' when 'severity' then 'e.severity_rank' when 'assigned_to' then 'e.assigned_to' end;
  sort_key constant text := concat_ws(', ', ranked_by, 'e.due_at', 'e.id');
  -- As a cursor says it: nobody comes last.
  rank constant text := case input ->> 'sort_by'
    when 'severity' then 'e.severity_rank::text' when 'assigned_to' then $q$coalesce('0' || e.assigned_to, '1')$q$ else $q$''::text$q$
  end;
  risk constant text := input ->> 'breach_risk';
  -- minutes_to_breach is rounded up, so what is below 60 has at most 59 minutes left.
  high constant interval := make_interval(mins => private.high_risk_below() - 1);
  medium constant interval := make_interval(mins => private.medium_risk_up_to());
  conditions text := $q$e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')$q$;
  stretches text[];
  few text[];
  items jsonb;
begin
  perform private.enter(request, 'list_sla_exceptions');
  if input ->> 'within_minutes' is not null then
    conditions := conditions || format(' and e.due_at <= %L::timestamptz',
      as_of + make_interval(mins => least((input ->> 'within_minutes')::bigint, 1000000000)::integer));
  end if;
  if input ->> 'severity' is not null then
    conditions := conditions || format(' and e.severity_rank = %s', private.severity_rank(input ->> 'severity'));
  end if;
  if input ->> 'assigned_to' is not null then
    conditions := conditions || format(' and e.assigned_to = %L', input ->> 'assigned_to');
  end if;
  if input ->> 'status' is not null then
    conditions := conditions || format(' and e.status = %L', input ->> 'status');
  end if;
  if input ->> 'q' is not null then
    few := private.few_with_words(input ->> 'q');
    conditions := conditions || ' and ' || case when few is null then private.has_words(input ->> 'q') else 'e.id = any ($3)' end;
    perform set_config('enable_sort', (few is not null)::text, true);
  end if;
  if risk <> 'breached' then
    conditions := conditions || format(' and e.due_at > %L::timestamptz',
      as_of + case risk when 'medium' then high when 'low' then medium else interval '0' end);
  end if;
  if risk <> 'low' then
    conditions := conditions || format(' and e.due_at <= %L::timestamptz',
      as_of + case risk when 'breached' then interval '0' when 'high' then high else medium end);
  end if;
  stretches := private.stretches_after(ranked_by, input -> 'after');
  execute (
    select format($q$
      select jsonb_agg(private.exception_json(p.e, $1) || jsonb_build_object('rank', p.rank, 'sorted_at',
        case when (p.e).due_at = 'infinity' then 'infinity' else private.iso((p.e).due_at) end) order by p.rank, (p.e).due_at, (p.e).id)
      from (select u.e, u.rank from (%s) u order by u.rank, (u.e).due_at, (u.e).id limit $2 + 1) p
    $q$, string_agg(format('(select e, %s as rank from public.exceptions e where %s and %s order by %s limit $2 + 1)', rank, conditions, s, sort_key),
      ' union all '))
    from unnest(stretches) s
  )
  into items using as_of, page_size, few;
  -- The rank and the stored deadline (infinity: paused, and so last) are for the cursor; the contract leaves them out.
  return private.page(items, page_size, 'rank', 'sorted_at', 'id')
    || jsonb_build_object('summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
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
    'at_risk_thresholds', p.at_risk_thresholds, 'calendar_id', p.calendar_id, 'calendar_by_severity', p.calendar_by_severity,
    'pause', jsonb_build_object('max_minutes', p.pause_max_minutes, 'max_count', p.pause_max_count, 'rules', p.pause_rules), 'updated_at', private.iso(p.updated_at), 'updated_by', p.updated_by
  );
end $function$;
CREATE OR REPLACE FUNCTION private.moved_deadlines(before public.sla_policies, after public.sla_policies)
 RETURNS TABLE(id text, severity text, calendar_id text, calendar_no bigint, due_at timestamp with time zone, new_due_at timestamp with time zone)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return query
  with severities as materialized (
    select s.severity, private.minutes_to_resolve(after, s.severity) as minutes, private.policy_calendar(after, s.severity) as calendar,
      private.policy_calendar(after, s.severity) is distinct from private.policy_calendar(before, s.severity) as is_other
    from unnest('{critical,high,medium,low}'::text[]) s (severity)
    where private.minutes_to_resolve(after, s.severity) <> private.minutes_to_resolve(before, s.severity)
      or private.policy_calendar(after, s.severity) is distinct from private.policy_calendar(before, s.severity)
  ), current as materialized (
    select s.*, private.current_calendar_no(private.tenant_id(), s.calendar) as no from severities s
  )
  select x.id, x.severity, x.to_calendar, x.no, x.due_at, private.policy_deadline(x.e, x.minutes, x.no)
  from (
    select e, e.id, e.severity, coalesce(e.held_due_at, e.due_at) as due_at, c.minutes,
      case when c.is_other then c.calendar else e.calendar_id end as to_calendar, case when c.is_other then c.no else e.calendar_no end as no
    from public.exceptions e join current c on c.severity = e.severity
    where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review') and e.due_from_policy
  ) x;
end $function$;
CREATE OR REPLACE FUNCTION private.impact_of(severities text[], due_ats timestamp with time zone[], new_due_ats timestamp with time zone[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object(
      'changed', count(*) filter (where m.new_due_at <> m.due_at),
      'earlier', count(*) filter (where m.new_due_at < m.due_at), 'later', count(*) filter (where m.new_due_at > m.due_at),
      'newly_breached', count(*) filter (where m.due_at > now() and m.new_due_at <= now()),
      'no_longer_breached', count(*) filter (where m.due_at <= now() and m.new_due_at > now()),
      'by_severity', (
        select jsonb_object_agg(s.severity, (
          select count(*) from unnest(severities, due_ats, new_due_ats) as x (severity, due_at, new_due_at)
          where x.severity = s.severity and x.new_due_at <> x.due_at
        )) from unnest('{critical,high,medium,low}'::text[]) s (severity)
      )
    )
    from unnest(severities, due_ats, new_due_ats) as m (severity, due_at, new_due_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.move_deadlines(ids text[], calendars text[], calendar_nos bigint[], due_ats timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if array_position(due_ats, null) is not null then
    perform private.refuse_field('calendar_id', 'This calendar opens too rarely: some deadlines would be more than 25 years away.');
  end if;
  update public.exceptions e set calendar_id = m.calendar_id, calendar_no = m.calendar_no,
    due_at = case when e.paused_at is null then m.due_at else e.due_at end, held_due_at = case when e.paused_at is not null then m.due_at end
  from unnest(ids, calendars, calendar_nos, due_ats) as m (id, calendar_id, calendar_no, due_at)
  where e.tenant_id = private.tenant_id() and e.id = m.id
    and (e.calendar_no is distinct from m.calendar_no or coalesce(e.held_due_at, e.due_at) <> m.due_at);
end $function$;
CREATE OR REPLACE FUNCTION private.require_calendars(p public.sla_policies)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  s record;
  no bigint;
begin
  for s in select x.severity, private.policy_calendar(p, x.severity) as calendar from unnest('{critical,high,medium,low}'::text[]) x (severity) loop
    if s.calendar is not null then
      no := private.current_calendar_no(p.tenant_id, s.calendar);
      if no is null then
        perform private.refuse_field(case when p.calendar_by_severity ? s.severity then 'calendar_by_severity.' || s.severity else 'calendar_id' end,
          'There is no such calendar.');
      elsif private.first_deadline(no, private.minutes_to_resolve(p, s.severity)) is null then
        perform private.refuse_field('minutes_to_resolve.' || s.severity,
          'The calendar opens too rarely: this deadline would be more than 25 years away.');
      end if;
    end if;
  end loop;
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
      low_minutes = after.low_minutes, at_risk_thresholds = after.at_risk_thresholds, calendar_id = after.calendar_id,
      calendar_by_severity = after.calendar_by_severity, pause_max_minutes = after.pause_max_minutes, pause_max_count = after.pause_max_count,
      pause_rules = after.pause_rules, updated_at = now(), updated_by = private.actor(), version = before.version + 1
    where tenant_id = before.tenant_id returning * into after;
    if moved.ids is not null then
      perform private.move_deadlines(moved.ids, moved.calendars, moved.calendar_nos, moved.new_due_ats);
    end if;
    if after.at_risk_thresholds <> before.at_risk_thresholds then
      perform private.rearm_clocks();
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
      'open_ms', case when l.before_no is not null then
        private.open_ms(l.tenant_id, l.before_no, l.at) - private.open_ms(l.tenant_id, l.before_no, l.before_at) end,
      'due_moved_ms', case when l.calendar_no = l.before_no then
        private.open_ms(l.tenant_id, l.calendar_no, l.due_at) - private.open_ms(l.tenant_id, l.calendar_no, l.before_due_at) end,
      'business_ms_left', case when l.calendar_no is not null then
        private.open_ms(l.tenant_id, l.calendar_no, l.due_at) - private.open_ms(l.tenant_id, l.calendar_no, l.at) end,
      'actor', l.actor, 'actor_issuer', l.actor_issuer, 'actor_subject', l.actor_subject, 'request_id', l.request_id
    ) order by l.at, l.id), '[]')
    from lines l
  );
end $function$;
CREATE OR REPLACE FUNCTION public.get_exception_ledger(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  e public.exceptions;
begin
  perform private.enter(request, 'get_exception_ledger');
  e := private.find_exception(input ->> 'id');
  return jsonb_build_object(
    'as_of', private.iso(now()), 'exception', private.exception_json(e),
    'rows', private.ledger_rows(e.id)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.tell_exception_history()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into public.events (tenant_id, type, data)
  select e.tenant_id, t.type, jsonb_build_object('exception', private.exception_json(e))
      || case when t.type = 'exception.created' then '{}' when h.kind = 'created' then jsonb_build_object('changes',
          private.changes('{}', jsonb_build_object('paused_at', h.changes -> 'paused_at', 'pause_reason', h.changes -> 'pause_reason')))
        else jsonb_build_object('changes', h.changes) end
  from happened h join public.exceptions e on e.tenant_id = h.tenant_id and e.id = h.exception_id
  cross join lateral (values
    (1, case
      when h.kind = 'created' then 'exception.created'
      when h.changes #>> '{status,to}' in ('resolved', 'dismissed') then 'exception.resolved'
      when h.changes ? 'paused_at' and h.changes - '{paused_at,paused_until,pause_reason,due_at}'::text[] = '{}' then null
      else 'exception.updated'
    end),
    (2, case
      when h.kind = 'created' then case when h.changes ->> 'paused_at' is not null then 'exception.paused' end
      when h.changes #>> '{paused_at,to}' is not null then 'exception.paused'
      when h.changes ? 'paused_at' then 'exception.resumed'
    end)
  ) t (place, type)
  where t.type is not null
  order by t.place;
  return null;
end $function$;
CREATE TRIGGER pace_inserted BEFORE INSERT ON public.exceptions FOR EACH ROW WHEN (((new.calendar_no IS NOT NULL) OR (new.status = 'in_review'::text) OR (new.reason_code IS NOT NULL))) EXECUTE FUNCTION private.pace_exception();
CREATE TRIGGER pace_updated BEFORE UPDATE ON public.exceptions FOR EACH ROW WHEN (((new.calendar_no IS NOT NULL) OR (old.calendar_no IS NOT NULL) OR (old.paused_at IS NOT NULL) OR (new.paused_at IS NOT NULL) OR (new.status <> old.status) OR (new.reason_code IS DISTINCT FROM old.reason_code))) EXECUTE FUNCTION private.pace_exception();
grant execute on function private.business_minutes_remaining(public.exceptions,timestamp with time zone) to authenticated;
grant execute on function private.current_calendar_no(text,text) to authenticated;
grant execute on function private.deadline(public.exceptions,timestamp with time zone) to authenticated;
grant execute on function private.first_deadline(bigint,integer) to authenticated;
grant execute on function private.hold_exception(text) to authenticated;
grant execute on function private.impact_of(text[],timestamp with time zone[],timestamp with time zone[]) to authenticated;
grant execute on function private.ledger_rows(text) to authenticated;
grant execute on function private.move_deadlines(text[],text[],bigint[],timestamp with time zone[]) to authenticated;
grant execute on function private.moved_deadlines(public.sla_policies,public.sla_policies) to authenticated;
grant execute on function private.pause_fault(public.exceptions,public.sla_policies) to authenticated;
grant execute on function private.policy_calendar(public.sla_policies,text) to authenticated;
grant execute on function private.policy_deadline(public.exceptions,integer,bigint) to authenticated;
grant execute on function private.recalculated_deadlines(text,bigint) to authenticated;
grant execute on function private.require_calendars(public.sla_policies) to authenticated;
grant execute on function private.require_pause_end(timestamp with time zone,public.sla_policies) to authenticated;
grant execute on function public.pause_exception(jsonb,jsonb) to authenticated;
grant execute on function public.resume_exception(jsonb,jsonb) to authenticated;
grant insert (amount_minor, assigned_to, calendar_id, calendar_no, currency, details, due_at, due_from_policy, reason_code, reconciliation_id, severity, status, title) on public.exceptions to authenticated;
grant update (amount_minor, assigned_to, calendar_id, calendar_no, currency, details, due_at, due_from_policy, held_due_at, pause_reason, paused_at, paused_until, reason_code, reconciliation_id, resolution, severity, status, title) on public.exceptions to authenticated;
grant update (at_risk_thresholds, calendar_by_severity, calendar_id, critical_minutes, high_minutes, low_minutes, medium_minutes, pause_max_count, pause_max_minutes, pause_rules, updated_at, updated_by, version) on public.sla_policies to authenticated;
insert into private.permissions select (row_text::private.permissions).* from (values
  ('(close:reconciliations,{user},"{tenant_admin,tenant_lead}",)'),
  ('(decide:matches,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",write:reconciliations)'),
  ('(read:api-keys,{user},{tenant_admin},)'),
  ('(read:calendars,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:exceptions)'),
  ('(read:exceptions,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:exceptions)'),
  ('(read:first-steps,{user},{tenant_admin},)'),
  ('(read:integrations,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:integrations)'),
  ('(read:me,"{user,api_key,service_role,publishable_key}",,)'),
  ('(read:members,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:reconciliations,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:reconciliations)'),
  ('(read:release-notes,"{user,api_key,service_role,publishable_key}","{tenant_admin,tenant_analyst,tenant_lead}",read:release-notes)'),
  ('(read:security-events,"{user,service_role}",{tenant_admin},)'),
  ('(read:sessions,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:sla,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:sla-policy,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:troubleshooting,"{user,api_key,service_role,publishable_key}","{tenant_admin,tenant_analyst,tenant_lead}",read:troubleshooting)'),
  ('(read:webhooks,"{user,api_key,service_role}",{tenant_admin},read:webhooks)'),
  ('(restore:integrations,"{user,service_role}",{tenant_admin},)'),
  ('(restore:release-notes,"{user,service_role}",{tenant_admin},)'),
  ('(restore:troubleshooting,"{user,service_role}",{tenant_admin},)'),
  ('(write:api-keys,{user},{tenant_admin},)'),
  ('(write:calendars,"{user,service_role}",{tenant_admin},)'),
  ('(write:exceptions,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",write:exceptions)'),
  ('(write:first-steps,{user},{tenant_admin},)'),
  ('(write:integrations,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:integrations)'),
  ('(write:reconciliations,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:reconciliations)'),
  ('(write:release-notes,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:release-notes)'),
  ('(write:sessions,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(write:sla-policy,"{user,service_role}","{tenant_admin,tenant_lead}",)'),
  ('(write:troubleshooting,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:troubleshooting)'),
  ('(write:webhooks,"{user,api_key,service_role}",{tenant_admin},write:webhooks)')
) as given (row_text);
insert into private.operations select (row_text::private.operations).* from (values
  ('(add_lines,addLines,write:reconciliations)'),
  ('(close_reconciliation,closeReconciliation,close:reconciliations)'),
  ('(confirm_match,confirmMatch,decide:matches)'),
  ('(continue_security_event_export,exportSecurityEvents,read:security-events)'),
  ('(create_api_key,createApiKey,write:api-keys)'),
  ('(create_calendar,createCalendar,write:calendars)'),
  ('(create_exception,createException,write:exceptions)'),
  ('(create_import,createImport,write:reconciliations)'),
  ('(create_match,createMatch,write:reconciliations)'),
  ('(create_reconciliation,createReconciliation,write:reconciliations)'),
  ('(create_record,createIntegration,write:integrations)'),
  ('(create_record,createReleaseNote,write:release-notes)'),
  ('(create_record,createTroubleshootingGuide,write:troubleshooting)'),
  ('(create_run,createRun,write:reconciliations)'),
  ('(create_source,createSource,write:reconciliations)'),
  ('(create_webhook,createWebhook,write:webhooks)'),
  ('(decide_matches,decideMatches,decide:matches)'),
  ('(delete_record,deleteIntegration,write:integrations)'),
  ('(delete_record,deleteReleaseNote,write:release-notes)'),
  ('(delete_record,deleteTroubleshootingGuide,write:troubleshooting)'),
  ('(delete_webhook,deleteWebhook,write:webhooks)'),
  ('(drop_import,createImport,write:reconciliations)'),
  ('(enable_webhook,enableWebhook,write:webhooks)'),
  ('(end_sessions,endSessions,write:sessions)'),
  ('(estimate_api_key_impact,estimateApiKeyImpact,read:api-keys)'),
  ('(exclude_line,excludeLine,write:reconciliations)'),
  ('(get_api_key,getApiKey,read:api-keys)'),
  ('(get_api_key_usage,getApiKeyUsage,read:api-keys)'),
  ('(get_calendar,getCalendar,read:calendars)'),
  ('(get_calendar,getCalendarIcs,read:calendars)'),
  ('(get_exception,getException,read:exceptions)'),
  ('(get_exception_ledger,getExceptionLedger,read:exceptions)'),
  ('(get_first_steps,getFirstSteps,read:first-steps)'),
  ('(get_import,getImport,read:reconciliations)'),
  ('(get_line,getLine,read:reconciliations)'),
  ('(get_match,getMatch,read:reconciliations)'),
  ('(get_me,getMe,read:me)'),
  ('(get_proof,getProof,read:reconciliations)'),
  ('(get_reconciliation,getReconciliation,read:reconciliations)'),
  ('(get_record,getIntegration,read:integrations)'),
  ('(get_record,getReleaseNote,read:release-notes)'),
  ('(get_record,getTroubleshootingGuide,read:troubleshooting)'),
  ('(get_rules,getRules,read:reconciliations)'),
  ('(get_run,getRun,read:reconciliations)'),
  ('(get_security_event,getSecurityEvent,read:security-events)'),
  ('(get_sla_policy,getSlaPolicy,read:sla-policy)'),
  ('(get_sla_report,exportSlaReport,read:sla)'),
  ('(get_sla_report,getSlaReport,read:sla)'),
  ('(get_source,addLines,write:reconciliations)'),
  ('(get_source,getSource,read:reconciliations)'),
  ('(get_statement,getStatement,read:reconciliations)'),
  ('(get_time_to_breach,getTimeToBreach,read:sla)'),
  ('(get_webhook,getWebhook,read:webhooks)'),
  ('(get_webhook_delivery,getWebhookDelivery,read:webhooks)'),
  ('(import_exceptions,importExceptions,write:exceptions)'),
  ('(include_line,includeLine,write:reconciliations)'),
  ('(keep_import_chunk,createImport,write:reconciliations)'),
  ('(list_api_keys,listApiKeys,read:api-keys)'),
  ('(list_calendars,listCalendars,read:calendars)'),
  ('(list_exception_history,listExceptionHistory,read:exceptions)'),
  ('(list_exceptions,listExceptions,read:exceptions)'),
  ('(list_holidays,listHolidayCountries,read:calendars)'),
  ('(list_holidays,listHolidays,read:calendars)'),
  ('(list_imports,listImports,read:reconciliations)'),
  ('(list_line_suggestions,listLineSuggestions,read:reconciliations)'),
  ('(list_lines,listLines,read:reconciliations)'),
  ('(list_matches,listMatches,read:reconciliations)'),
  ('(list_members,listMembers,read:members)'),
  ('(list_open_hours,listOpenHours,read:calendars)'),
  ('(list_outstanding_lines,exportStatement,read:reconciliations)'),
  ('(list_reconciliations,listReconciliations,read:reconciliations)'),
  ('(list_records,listIntegrations,read:integrations)'),
  ('(list_records,listReleaseNotes,read:release-notes)'),
  ('(list_records,listTroubleshooting,read:troubleshooting)'),
  ('(list_runs,listRuns,read:reconciliations)'),
  ('(list_security_events,listSecurityEvents,read:security-events)'),
  ('(list_sessions,listSessions,read:sessions)'),
  ('(list_sla_exceptions,exportSlaExceptions,read:sla)'),
  ('(list_sla_exceptions,listSlaExceptions,read:sla)'),
  ('(list_sources,listSources,read:reconciliations)'),
  ('(list_webhook_deliveries,listWebhookDeliveries,read:webhooks)'),
  ('(list_webhooks,listWebhooks,read:webhooks)'),
  ('(open_import,createImport,write:reconciliations)'),
  ('(open_security_event_chain,verifySecurityEvents,read:security-events)'),
  ('(open_security_event_export,exportSecurityEvents,read:security-events)'),
  ('(pause_exception,pauseException,write:exceptions)'),
  ('(preview_import,createImport,write:reconciliations)'),
  ('(put_calendar,putCalendar,write:calendars)'),
  ('(put_first_steps,putFirstSteps,write:first-steps)'),
  ('(put_rules,putRules,write:reconciliations)'),
  ('(put_sla_policy,putSlaPolicy,write:sla-policy)'),
  ('(read_ics,readIcs,write:calendars)'),
  ('(recover_webhook,recoverWebhook,write:webhooks)'),
  ('(reject_match,rejectMatch,decide:matches)'),
  ('(reopen_reconciliation,reopenReconciliation,close:reconciliations)'),
  ('(resend_webhook_delivery,resendWebhookDelivery,write:webhooks)'),
  ('(restore_record,restoreIntegration,restore:integrations)'),
  ('(restore_record,restoreReleaseNote,restore:release-notes)'),
  ('(restore_record,restoreTroubleshootingGuide,restore:troubleshooting)'),
  ('(resume_exception,resumeException,write:exceptions)'),
  ('(revoke_api_key,revokeApiKey,write:api-keys)'),
  ('(rotate_api_key,rotateApiKey,write:api-keys)'),
  ('(rotate_webhook_secret,rotateWebhookSecret,write:webhooks)'),
  ('(test_webhook,testWebhook,write:webhooks)'),
  ('(undo_import,undoImport,write:reconciliations)'),
  ('(undo_match,undoMatch,write:reconciliations)'),
  ('(update_api_key,updateApiKey,write:api-keys)'),
  ('(update_exception,updateException,write:exceptions)'),
  ('(update_exceptions,updateExceptions,write:exceptions)'),
  ('(update_reconciliation,updateReconciliation,write:reconciliations)'),
  ('(update_record,updateIntegration,write:integrations)'),
  ('(update_record,updateReleaseNote,write:release-notes)'),
  ('(update_record,updateTroubleshootingGuide,write:troubleshooting)'),
  ('(update_source,updateSource,write:reconciliations)'),
  ('(update_webhook,updateWebhook,write:webhooks)'),
  ('(walk_security_event_chain,verifySecurityEvents,read:security-events)')
) as given (row_text);
insert into private.event_kinds select (row_text::private.event_kinds).* from (values
  ('(api_key.expiring,read:api-keys)'),
  ('(api_key.revoked,read:api-keys)'),
  ('(exception.created,read:exceptions)'),
  ('(exception.paused,read:exceptions)'),
  ('(exception.resolved,read:exceptions)'),
  ('(exception.resumed,read:exceptions)'),
  ('(exception.sla.at_risk,read:exceptions)'),
  ('(exception.sla.breached,read:exceptions)'),
  ('(exception.updated,read:exceptions)'),
  ('(import.done,read:reconciliations)'),
  ('(match.undone,read:reconciliations)'),
  ('(reconciliation.closed,read:reconciliations)'),
  ('(reconciliation.reopened,read:reconciliations)'),
  ('(run.done,read:reconciliations)'),
  ('(webhook.disabled,read:webhooks)'),
  ('(webhook.failing,read:webhooks)'),
  ('(webhook.test,read:webhooks)')
) as given (row_text);
