alter table private.calendar_coverage add column zone_checked_at timestamptz not null default now();

-- From here on written by `npm run migration`, anew each time. Above is by hand.

delete from private.event_kinds;
delete from private.operations;
delete from private.permissions;
CREATE OR REPLACE FUNCTION private.extend_business_time(tenant text, no bigint, since timestamp with time zone, until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  covered private.calendar_coverage;
  v public.calendar_versions;
  earliest timestamptz;
  latest timestamptz;
  added bigint;
  is_stale boolean;
begin
  select * into covered from private.calendar_coverage c where c.tenant_id = tenant and c.calendar_no = no for update;
  select * into v from public.calendar_versions x where x.tenant_id = tenant and x.calendar_no = no;
  is_stale := covered.covered_from < covered.covered_until
    and covered.zone_print <> private.zone_print(v.time_zone, covered.covered_from, covered.covered_until);
  earliest := least(covered.covered_from, date_trunc('hour', since));
  latest := greatest(covered.covered_until, date_trunc('hour', until) + interval '1 hour');
  if latest > covered.covered_until then
    insert into private.calendar_spans (tenant_id, calendar_no, starts_at, ends_at, open_before)
    select tenant, no, s.starts_at, s.ends_at,
      covered.open_until + coalesce(sum(x.open) over (order by s.starts_at rows between unbounded preceding and 1 preceding), 0)
    from private.open_spans(v.time_zone, v.weekly, v.special_days, covered.covered_until, latest) s
    cross join lateral (select (extract(epoch from s.ends_at - s.starts_at) * 1000)::bigint as open) x;
    select coalesce(sum(extract(epoch from s.ends_at - s.starts_at) * 1000), 0)::bigint into added
    from private.calendar_spans s where s.tenant_id = tenant and s.calendar_no = no and s.starts_at >= covered.covered_until;
    covered.open_until := covered.open_until + added;
  end if;
  if earliest < covered.covered_from then
    insert into private.calendar_spans (tenant_id, calendar_no, starts_at, ends_at, open_before)
    select tenant, no, s.starts_at, s.ends_at,
      covered.open_from - sum(x.open) over (order by s.starts_at desc)
    from private.open_spans(v.time_zone, v.weekly, v.special_days, earliest, covered.covered_from) s
    cross join lateral (select (extract(epoch from s.ends_at - s.starts_at) * 1000)::bigint as open) x;
    select coalesce(sum(extract(epoch from s.ends_at - s.starts_at) * 1000), 0)::bigint into added
    from private.calendar_spans s where s.tenant_id = tenant and s.calendar_no = no and s.starts_at < covered.covered_from;
    covered.open_from := covered.open_from - added;
  end if;
  -- Spans of other time zone data than these stay marked, until the worker rebuilds them.
  update private.calendar_coverage c set covered_from = earliest, covered_until = latest, open_from = covered.open_from, open_until = covered.open_until,
    zone_print = case when is_stale then covered.zone_print else private.zone_print(v.time_zone, earliest, latest) end,
    zone_checked_at = case when is_stale then '-infinity' else c.zone_checked_at end
  where c.tenant_id = tenant and c.calendar_no = no;
end $function$;
CREATE OR REPLACE FUNCTION public.list_calendar_versions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.enter(request, 'list_calendar_versions');
  perform private.own_calendar(input ->> 'id');
  select jsonb_agg(jsonb_build_object(
    'calendar_version', x.version, 'time_zone', x.time_zone, 'weekly', x.weekly, 'special_day_count', jsonb_array_length(x.special_days),
    'open_exceptions', (
      select count(*) from public.exceptions e
      where e.tenant_id = x.tenant_id and e.calendar_no = x.calendar_no and e.status in ('open', 'in_review')
    ),
    'created_at', private.iso(x.created_at), 'created_by', x.created_by
  ) order by x.version desc) into items
  from (
    select v.* from public.calendar_versions v
    where v.tenant_id = private.tenant_id() and v.calendar_id = input ->> 'id'
      and (input -> 'after' ->> 0 is null or v.version < (input -> 'after' ->> 0)::integer)
    order by v.version desc
    limit page_size + 1
  ) x;
  return private.page(items, page_size, 'calendar_version');
end $function$;
CREATE OR REPLACE FUNCTION private.guard_exception()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  closing constant boolean := new.status in ('resolved', 'dismissed');
begin
  if tg_op = 'UPDATE' then
    if not private.exception_may_move(old.status, new.status) then
      perform private.refuse('invalid_transition', format('An exception cannot move from %s to %s.', old.status, new.status));
    end if;
    if old.status in ('resolved', 'dismissed') and not closing then
      new.resolution := null;
    end if;
    -- Never before the change that this one waited for, in whichever order the two began.
    new.updated_at := greatest(date_trunc('milliseconds', now()), old.updated_at);
  end if;
  if closing and new.resolution is null then
    perform private.refuse_field('resolution', 'Required with the status resolved or dismissed.');
  elsif not closing and new.resolution is not null then
    perform private.refuse_field('resolution', 'Only allowed with the status resolved or dismissed.');
  elsif (new.amount_minor is null) <> (new.currency is null) then
    perform private.refuse_field('currency', 'amount_minor and currency must be sent together.');
  elsif octet_length(new.details::text) > 24576 then
    perform private.refuse_field('details', 'Must be at most 16 kB of JSON.');
  end if;
  new.closed_at := case when closing then coalesce(new.closed_at, now()) end;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION private.deadline(e public.exceptions, as_of timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  -- A pause of which nobody has seen the end yet ended when it should.
  resumed_at constant timestamptz := greatest(e.paused_at, least(as_of, coalesce(e.paused_until, as_of)));
begin
  if e.paused_at is null or e.tenant_id <> coalesce(private.tenant_id(), e.tenant_id) then
    return e.due_at;
  elsif e.calendar_no is null or e.due_open_ms is null then
    return e.held_due_at + (resumed_at - e.paused_at);
  end if;
  return greatest(e.held_due_at, private.moment_at(e.tenant_id, e.calendar_no, e.due_open_ms
    + private.open_ms(e.tenant_id, e.calendar_no, resumed_at) - private.open_ms(e.tenant_id, e.calendar_no, e.paused_at)));
end $function$;
CREATE OR REPLACE FUNCTION private.pace_exception()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  -- What `guard` says of a change: in the order in which changes of one exception happen.
  moment constant timestamptz(3) := case when tg_op = 'INSERT' then date_trunc('milliseconds', now()) else new.updated_at end;
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
  elsif tg_op = 'INSERT' or new.calendar_no is distinct from old.calendar_no or is_open and old.status in ('resolved', 'dismissed')
    or coalesce(new.held_due_at, new.due_at) is distinct from coalesce(old.held_due_at, old.due_at) then
    new.due_open_ms := private.open_ms(new.tenant_id, new.calendar_no, coalesce(new.held_due_at, new.due_at));
  end if;
  return new;
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
end $function$;
CREATE OR REPLACE FUNCTION private.rebuild_calendars(batch integer DEFAULT 20)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c record;
  compared integer := 0;
begin
  for c in
    select x.*, v.time_zone from private.calendar_coverage x
    join public.calendar_versions v on v.tenant_id = x.tenant_id and v.calendar_no = x.calendar_no
    where x.zone_checked_at < now() - interval '1 day' order by x.zone_checked_at, x.tenant_id, x.calendar_no limit batch
  loop
    if c.zone_print <> private.zone_print(c.time_zone, c.covered_from, c.covered_until) then
      perform private.rebuild_business_time(c.tenant_id, c.calendar_no);
    else
      update private.calendar_coverage x set zone_checked_at = now() where x.tenant_id = c.tenant_id and x.calendar_no = c.calendar_no;
    end if;
    compared := compared + 1;
  end loop;
  return compared;
end $function$;
CREATE OR REPLACE FUNCTION private.open_between(tenant text, no bigint, since timestamp with time zone, until timestamp with time zone)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with covered as materialized (
      select c.covered_from <= since and c.covered_until >= until as wholly
      from private.calendar_coverage c where c.tenant_id = tenant and c.calendar_no = no
    ), spans as (
      select s.starts_at, s.ends_at from private.calendar_spans s
      where (select wholly from covered) and s.tenant_id = tenant and s.calendar_no = no and s.ends_at > since and s.starts_at < until
      union all
      select s.starts_at, s.ends_at from public.calendar_versions v
      cross join lateral private.open_spans(v.time_zone, v.weekly, v.special_days, date_trunc('hour', since), date_trunc('hour', until) + interval '1 hour') s
      where not (select wholly from covered) and v.tenant_id = tenant and v.calendar_no = no and s.ends_at > since and s.starts_at < until
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'starts_at', private.iso(greatest(x.starts_at, since)), 'ends_at', private.iso(least(x.ends_at, until))
    ) order by x.starts_at), '[]')
    from (select * from spans order by starts_at limit 2000) x
  );
end $function$;
CREATE OR REPLACE FUNCTION private.open_hours_of(e public.exceptions, since timestamp with time zone, until timestamp with time zone)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if e.tenant_id = private.tenant_id() and e.calendar_no is not null then
    return private.open_between(e.tenant_id, e.calendar_no, since, until);
  end if;
  return null;
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
CREATE OR REPLACE FUNCTION public.get_exception_ledger(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  e public.exceptions;
  rows jsonb;
  last_at timestamptz;
  until timestamptz;
begin
  perform private.enter(request, 'get_exception_ledger');
  e := private.find_exception(input ->> 'id');
  rows := private.ledger_rows(e.id);
  last_at := rows -> -1 ->> 'at';
  until := case when e.status in ('open', 'in_review') then greatest(now(), least(private.deadline(e, now()), now() + interval '92 days')) else last_at end;
  return jsonb_build_object(
    'as_of', private.iso(now()), 'exception', private.exception_json(e), 'rows', rows, 'until', private.iso(until),
    'open_spans', private.open_hours_of(e, last_at, until)
  );
end $function$;
grant execute on function private.open_hours_of(public.exceptions,timestamp with time zone,timestamp with time zone) to authenticated;
grant execute on function private.rebuild_calendars(integer) to service_role;
grant execute on function public.list_calendar_versions(jsonb,jsonb) to authenticated;
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
  ('(list_calendar_versions,listCalendarVersions,read:calendars)'),
  ('(list_calendars,listCalendars,read:calendars)'),
  ('(list_decisions,listDecisions,read:reconciliations)'),
  ('(list_exception_history,listExceptionHistory,read:exceptions)'),
  ('(list_exceptions,listExceptions,read:exceptions)'),
  ('(list_holidays,listHolidayCountries,read:calendars)'),
  ('(list_holidays,listHolidays,read:calendars)'),
  ('(list_imports,listImports,read:reconciliations)'),
  ('(list_line_history,listLineHistory,read:reconciliations)'),
  ('(list_line_suggestions,listLineSuggestions,read:reconciliations)'),
  ('(list_lines,listLines,read:reconciliations)'),
  ('(list_matches,listMatches,read:reconciliations)'),
  ('(list_members,listMembers,read:members)'),
  ('(list_open_hours,listOpenHours,read:calendars)'),
  ('(list_open_lines,listOpenLines,read:reconciliations)'),
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
  ('(list_suggestion_bands,listSuggestionBands,read:reconciliations)'),
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
  ('(sample_suggestions,sampleSuggestions,read:reconciliations)'),
  ('(test_webhook,testWebhook,write:webhooks)'),
  ('(undo_decision,undoDecision,decide:matches)'),
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
