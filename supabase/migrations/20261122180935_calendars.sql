-- calendars

-- From here on written by `npm run migration`, anew each time. Above is by hand.

delete from private.event_kinds;
delete from private.operations;
delete from private.permissions;
create table public.calendars (
  id text not null default private.new_id('cal'::text),
  tenant_id text not null default private.tenant_id(),
  name text not null,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamp(3) with time zone not null default now(),
  updated_by text not null default private.actor()
);
create table public.calendar_versions (
  tenant_id text not null default private.tenant_id(),
  calendar_id text not null,
  version integer not null,
  calendar_no bigint not null generated always as identity,
  time_zone text not null,
  weekly jsonb not null,
  special_days jsonb not null,
  created_at timestamp(3) with time zone not null default now(),
  created_by text not null default private.actor()
);
create table private.calendar_spans (
  tenant_id text not null,
  calendar_no bigint not null,
  starts_at timestamp(3) with time zone not null,
  ends_at timestamp(3) with time zone not null,
  open_before bigint not null
);
create table private.calendar_coverage (
  tenant_id text not null,
  calendar_no bigint not null,
  covered_from timestamp(3) with time zone not null,
  covered_until timestamp(3) with time zone not null,
  open_from bigint not null,
  open_until bigint not null,
  zone_print text not null
);
alter table private.calendar_coverage add constraint calendar_coverage_pkey PRIMARY KEY (tenant_id, calendar_no);
alter table private.calendar_spans add constraint calendar_spans_pkey PRIMARY KEY (tenant_id, calendar_no, starts_at);
alter table public.calendar_versions add constraint calendar_versions_pkey PRIMARY KEY (tenant_id, calendar_id, version);
alter table public.calendars add constraint calendars_pkey PRIMARY KEY (tenant_id, id);
alter table public.calendar_versions add constraint calendar_versions_tenant_id_calendar_no_key UNIQUE (tenant_id, calendar_no);
alter table public.calendar_versions add constraint calendar_versions_special_days_check CHECK ((jsonb_array_length(special_days) <= 1000));
alter table public.calendar_versions add constraint calendar_versions_time_zone_check CHECK (((length(time_zone) >= 1) AND (length(time_zone) <= 64)));
alter table public.calendar_versions add constraint calendar_versions_weekly_check CHECK (((jsonb_array_length(weekly) >= 1) AND (jsonb_array_length(weekly) <= 140)));
alter table public.calendars add constraint calendars_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)));
CREATE INDEX calendar_spans_by_time ON private.calendar_spans USING btree (tenant_id, calendar_no, open_before);
alter table private.calendar_coverage add constraint calendar_coverage_tenant_id_calendar_no_fkey FOREIGN KEY (tenant_id, calendar_no) REFERENCES public.calendar_versions(tenant_id, calendar_no);
alter table private.calendar_spans add constraint calendar_spans_tenant_id_calendar_no_fkey FOREIGN KEY (tenant_id, calendar_no) REFERENCES public.calendar_versions(tenant_id, calendar_no);
alter table public.calendar_versions add constraint calendar_versions_tenant_id_calendar_id_fkey FOREIGN KEY (tenant_id, calendar_id) REFERENCES public.calendars(tenant_id, id);
alter table public.calendars add constraint calendars_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
alter table private.calendar_coverage enable row level security; alter table private.calendar_coverage no force row level security;
alter table private.calendar_spans enable row level security; alter table private.calendar_spans no force row level security;
alter table public.calendar_versions enable row level security; alter table public.calendar_versions no force row level security;
alter table public.calendars enable row level security; alter table public.calendars no force row level security;
CREATE OR REPLACE FUNCTION private.business_time_reach()
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '25 years'::interval;
CREATE OR REPLACE FUNCTION private.utc_offset(zone text, moment timestamp with time zone)
 RETURNS interval
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (moment at time zone zone) - (moment at time zone 'UTC');
end $function$;
CREATE OR REPLACE FUNCTION private.zone_offsets(zone text, since timestamp with time zone, until timestamp with time zone)
 RETURNS TABLE(starts_at timestamp with time zone, ends_at timestamp with time zone, utc_offset interval)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  known timestamptz := since;
  next_known timestamptz;
  low timestamptz;
  high timestamptz;
  middle timestamptz;
  next_offset interval;
begin
  starts_at := since;
  utc_offset := private.utc_offset(zone, since);
  while known < until loop
    next_known := least(known + interval '24 hours', until);
    next_offset := (next_known at time zone zone) - (next_known at time zone 'UTC');
    if next_offset <> utc_offset then
      low := known;
      high := next_known;
      while high - low > interval '1 second' loop
        middle := low + date_trunc('second', (high - low) / 2);
        if private.utc_offset(zone, middle) = utc_offset then
          low := middle;
        else
          high := middle;
        end if;
      end loop;
      ends_at := high;
      return next;
      starts_at := high;
      utc_offset := next_offset;
    end if;
    known := next_known;
  end loop;
  if starts_at < until then
    ends_at := until;
    return next;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.open_spans(zone text, weekly jsonb, special_days jsonb, since timestamp with time zone, until timestamp with time zone)
 RETURNS TABLE(starts_at timestamp with time zone, ends_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with days as materialized (
    select x.first_day + n as day
    from (select (since at time zone zone)::date - 2 as first_day, (until at time zone zone)::date + 1 as last_day) x
    cross join lateral generate_series(0, x.last_day - x.first_day) n
  ), special as materialized (
    select (s ->> 'date')::date as day, s -> 'intervals' as intervals from jsonb_array_elements(special_days) s
  ), intervals as (
    select d.day, w as hours from days d join jsonb_array_elements(weekly) w
      on w ->> 'day' = ('{monday,tuesday,wednesday,thursday,friday,saturday,sunday}'::text[])[extract(isodow from d.day)]
    where d.day not in (select s.day from special s)
    union all
    select s.day, i from days d join special s on s.day = d.day cross join lateral jsonb_array_elements(s.intervals) i
  ), local_spans as (
    select i.day + x.opens as opens_at, i.day + x.closes + case when x.closes <= x.opens then interval '24 hours' else interval '0' end as closes_at
    from intervals i cross join lateral (select (i.hours ->> 'from')::interval as opens, (i.hours ->> 'to')::interval as closes) x
  ), moments as (
    select greatest((l.opens_at - o.utc_offset) at time zone 'UTC', o.starts_at) as opens_at,
      least((l.closes_at - o.utc_offset) at time zone 'UTC', o.ends_at) as closes_at
    from local_spans l join private.zone_offsets(zone, since, until) o
      on l.opens_at - o.utc_offset < o.ends_at at time zone 'UTC' and l.closes_at - o.utc_offset > o.starts_at at time zone 'UTC'
  )
  select lower(r), upper(r)
  from unnest((select range_agg(tstzrange(m.opens_at, m.closes_at)) from moments m where m.opens_at < m.closes_at)) r
  order by 1;
end $function$;
CREATE OR REPLACE FUNCTION private.zone_print(zone text, since timestamp with time zone, until timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select md5(string_agg(extract(epoch from o.starts_at) || ' ' || extract(epoch from o.utc_offset), ',' order by o.starts_at))
    from private.zone_offsets(zone, since, until) o
  );
end $function$;
CREATE OR REPLACE FUNCTION private.start_business_time(tenant text, calendar_no bigint, since timestamp with time zone, until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.calendar_coverage (tenant_id, calendar_no, covered_from, covered_until, open_from, open_until, zone_print)
  values (tenant, calendar_no, since, since, 0, 0, '');
  perform private.extend_business_time(tenant, calendar_no, since, until);
end $function$;
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
begin
  select * into covered from private.calendar_coverage c where c.tenant_id = tenant and c.calendar_no = no for update;
  select * into v from public.calendar_versions x where x.tenant_id = tenant and x.calendar_no = no;
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
  update private.calendar_coverage c set covered_from = earliest, covered_until = latest, open_from = covered.open_from, open_until = covered.open_until,
    zone_print = private.zone_print(v.time_zone, earliest, latest)
  where c.tenant_id = tenant and c.calendar_no = no;
end $function$;
CREATE OR REPLACE FUNCTION private.open_ms(tenant text, no bigint, moment timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  covered private.calendar_coverage;
  v public.calendar_versions;
  open bigint;
begin
  select * into covered from private.calendar_coverage c where c.tenant_id = tenant and c.calendar_no = no;
  if moment between covered.covered_from and covered.covered_until then
    select s.open_before + (extract(epoch from least(moment, s.ends_at) - s.starts_at) * 1000)::bigint into open
    from private.calendar_spans s
    where s.tenant_id = tenant and s.calendar_no = no and s.starts_at <= moment order by s.starts_at desc limit 1;
    return coalesce(open, covered.open_from);
  elsif moment > greatest(now(), covered.covered_until) + private.business_time_reach()
    or moment < least(now(), covered.covered_from) - private.business_time_reach() then
    return null;
  end if;
  select * into v from public.calendar_versions x where x.tenant_id = tenant and x.calendar_no = no;
  select coalesce(sum(extract(epoch from least(s.ends_at, greatest(moment, covered.covered_from))
    - greatest(s.starts_at, least(moment, covered.covered_until))) * 1000), 0)::bigint into open
  from private.open_spans(v.time_zone, v.weekly, v.special_days,
    case when moment > covered.covered_until then covered.covered_until else date_trunc('hour', moment) end,
    case when moment > covered.covered_until then date_trunc('hour', moment) + interval '1 hour' else covered.covered_from end) s
  where case when moment > covered.covered_until then s.starts_at < moment else s.ends_at > moment end;
  return case when moment > covered.covered_until then covered.open_until + open else covered.open_from - open end;
end $function$;
CREATE OR REPLACE FUNCTION private.moment_at(tenant text, no bigint, open_ms bigint)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  covered private.calendar_coverage;
  found_at timestamptz;
begin
  loop
    select * into covered from private.calendar_coverage c where c.tenant_id = tenant and c.calendar_no = no;
    if open_ms > covered.open_until then
      if covered.covered_until > now() + private.business_time_reach() then
        return null;
      end if;
      perform private.extend_business_time(tenant, no, covered.covered_from, covered.covered_until + interval '8784 hours');
    elsif open_ms <= covered.open_from then
      if covered.covered_from < now() - private.business_time_reach() then
        return null;
      end if;
      perform private.extend_business_time(tenant, no, covered.covered_from - interval '8784 hours', covered.covered_until);
    else
      select s.starts_at + (moment_at.open_ms - s.open_before) * interval '1 millisecond' into found_at
      from private.calendar_spans s
      where s.tenant_id = tenant and s.calendar_no = no and s.open_before < moment_at.open_ms order by s.open_before desc limit 1;
      return found_at;
    end if;
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.extend_calendars(batch integer DEFAULT 20)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c record;
  extended integer := 0;
begin
  for c in
    select x.tenant_id, x.calendar_no from private.calendar_coverage x
    where x.covered_until < now() + interval '3 years' order by x.covered_until limit batch for update skip locked
  loop
    perform private.extend_business_time(c.tenant_id, c.calendar_no, now(), now() + interval '3 years 1 month');
    extended := extended + 1;
  end loop;
  return extended;
end $function$;
CREATE OR REPLACE FUNCTION private.calendar_json(c public.calendars, v public.calendar_versions)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', c.id, 'name', c.name, 'calendar_version', c.version, 'time_zone', v.time_zone, 'weekly', v.weekly, 'special_days', v.special_days,
    'created_at', private.iso(c.created_at), 'created_by', c.created_by, 'updated_at', private.iso(c.updated_at), 'updated_by', c.updated_by,
    'version', private.version_of(jsonb_build_array(c.name, c.version))
  );
end $function$;
CREATE OR REPLACE FUNCTION private.own_calendar(id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  found_calendar jsonb;
begin
  select private.calendar_json(c, v) into found_calendar
  from public.calendars c join public.calendar_versions v on v.tenant_id = c.tenant_id and v.calendar_id = c.id and v.version = c.version
  where c.tenant_id = private.tenant_id() and c.id = own_calendar.id;
  if not found then
    perform private.refuse_missing('calendar');
  end if;
  return found_calendar;
end $function$;
CREATE OR REPLACE FUNCTION private.start_own_business_time(no bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.start_business_time(private.tenant_id(), no, date_trunc('hour', now()) - interval '35 days', now() + interval '3 years 1 month');
end $function$;
CREATE OR REPLACE FUNCTION public.create_calendar(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_calendar');
  created public.calendars;
  no bigint;
  answer jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  if (select count(*) from public.calendars c where c.tenant_id = private.tenant_id()) >= 100 then
    perform private.refuse('conflict', 'A tenant has at most 100 calendars. Change one of them instead.');
  end if;
  insert into public.calendars (name) values (input ->> 'name') returning * into created;
  insert into public.calendar_versions (calendar_id, version, time_zone, weekly, special_days)
  values (created.id, 1, input ->> 'time_zone', input -> 'weekly', input -> 'special_days') returning calendar_no into no;
  perform private.start_own_business_time(no);
  answer := private.own_calendar(created.id);
  perform private.record_security_event('calendar.created', created.id, null, jsonb_build_object('name', created.name, 'time_zone', input ->> 'time_zone'));
  return private.answer(request, answer);
end $function$;
CREATE OR REPLACE FUNCTION public.get_calendar(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, 'get_calendar');
  return private.own_calendar(input ->> 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.put_calendar(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  hours constant jsonb := jsonb_build_object('time_zone', input -> 'time_zone', 'weekly', input -> 'weekly', 'special_days', input -> 'special_days');
  before jsonb;
  no bigint;
begin
  perform private.enter(request, 'put_calendar');
  perform from public.calendars c where c.tenant_id = private.tenant_id() and c.id = input ->> 'id' for update;
  before := private.own_calendar(input ->> 'id');
  perform private.require_version((before ->> 'version')::bigint, request -> 'versions');
  if before @> (hours || jsonb_build_object('name', input -> 'name')) and before -> 'weekly' = hours -> 'weekly'
    and before -> 'special_days' = hours -> 'special_days' then
    return before;
  end if;
  if before -> 'time_zone' <> hours -> 'time_zone' or before -> 'weekly' <> hours -> 'weekly' or before -> 'special_days' <> hours -> 'special_days' then
    insert into public.calendar_versions (calendar_id, version, time_zone, weekly, special_days)
    values (input ->> 'id', (before ->> 'calendar_version')::integer + 1, input ->> 'time_zone', input -> 'weekly', input -> 'special_days')
    returning calendar_no into no;
    perform private.start_own_business_time(no);
  end if;
  update public.calendars c set name = input ->> 'name', updated_at = now(), updated_by = private.actor(),
    version = c.version + case when no is null then 0 else 1 end
  where c.tenant_id = private.tenant_id() and c.id = input ->> 'id';
  perform private.record_security_event('calendar.updated', input ->> 'id', null,
    private.changes(before - '{version,updated_at,updated_by}'::text[], private.own_calendar(input ->> 'id') - '{version,updated_at,updated_by}'::text[]));
  return private.own_calendar(input ->> 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.list_calendars(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.enter(request, 'list_calendars');
  select jsonb_agg(private.calendar_json(x.c, x.v) order by (x.c).id desc) into items
  from (
    select c, v from public.calendars c
    join public.calendar_versions v on v.tenant_id = c.tenant_id and v.calendar_id = c.id and v.version = c.version
    where c.tenant_id = private.tenant_id() and (input -> 'after' ->> 0 is null or c.id < input -> 'after' ->> 0)
    order by c.id desc
    limit page_size + 1
  ) x;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.list_open_hours(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  c jsonb;
  since constant timestamptz := input ->> 'since';
  until constant timestamptz := input ->> 'until';
begin
  perform private.enter(request, 'list_open_hours');
  c := private.own_calendar(input ->> 'id');
  return (
    select jsonb_build_object(
      'since', private.iso(since), 'until', private.iso(until),
      'open_minutes', coalesce(floor(sum(extract(epoch from x.ends_at - x.starts_at)) / 60), 0)::bigint,
      'spans', coalesce(jsonb_agg(jsonb_build_object('starts_at', private.iso(x.starts_at), 'ends_at', private.iso(x.ends_at)) order by x.starts_at), '[]')
    )
    from (
      select greatest(s.starts_at, since) as starts_at, least(s.ends_at, until) as ends_at
      from private.open_spans(c ->> 'time_zone', c -> 'weekly', c -> 'special_days', date_trunc('hour', since), date_trunc('hour', until) + interval '1 hour') s
      where s.ends_at > since and s.starts_at < until
    ) x
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_holidays(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, 'list_holidays');
  return '{}';
end $function$;
CREATE OR REPLACE FUNCTION public.read_ics(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return coalesce(private.enter_write(request, 'read_ics'), private.answer(request, input));
end $function$;
create policy calendar_versions_insert on public.calendar_versions as permissive for insert to authenticated
  with check (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['write:calendars'::text]) AS may)));
create policy calendar_versions_read on public.calendar_versions as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:calendars'::text, 'write:calendars'::text]) AS may)));
create policy calendars_insert on public.calendars as permissive for insert to authenticated
  with check (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['write:calendars'::text]) AS may)));
create policy calendars_read on public.calendars as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:calendars'::text, 'write:calendars'::text]) AS may)));
create policy calendars_update on public.calendars as permissive for update to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['write:calendars'::text]) AS may)))
  with check ((tenant_id = ( SELECT private.tenant_id() AS tenant_id)));
grant execute on function private.calendar_json(public.calendars,public.calendar_versions) to authenticated;
grant execute on function private.extend_calendars(integer) to service_role;
grant execute on function private.open_spans(text,jsonb,jsonb,timestamp with time zone,timestamp with time zone) to authenticated;
grant execute on function private.own_calendar(text) to authenticated;
grant execute on function private.start_own_business_time(bigint) to authenticated;
grant execute on function private.utc_offset(text,timestamp with time zone) to authenticated;
grant execute on function private.zone_offsets(text,timestamp with time zone,timestamp with time zone) to authenticated;
grant execute on function public.create_calendar(jsonb,jsonb) to authenticated;
grant execute on function public.get_calendar(jsonb,jsonb) to authenticated;
grant execute on function public.list_calendars(jsonb,jsonb) to authenticated;
grant execute on function public.list_holidays(jsonb,jsonb) to authenticated;
grant execute on function public.list_open_hours(jsonb,jsonb) to authenticated;
grant execute on function public.put_calendar(jsonb,jsonb) to authenticated;
grant execute on function public.read_ics(jsonb,jsonb) to authenticated;
grant insert (calendar_id, special_days, time_zone, version, weekly) on public.calendar_versions to authenticated;
grant insert (name) on public.calendars to authenticated;
grant select on public.calendar_versions to authenticated;
grant select on public.calendar_versions to service_role;
grant select on public.calendars to authenticated;
grant select on public.calendars to service_role;
grant update (name, updated_at, updated_by, version) on public.calendars to authenticated;
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
  ('(exception.resolved,read:exceptions)'),
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
