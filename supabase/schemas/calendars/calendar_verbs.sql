-- Calendars over the wire.

create function private.calendar_json(c public.calendars, v public.calendar_versions) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', c.id, 'name', c.name, 'calendar_version', c.version, 'time_zone', v.time_zone, 'weekly',
    v.weekly, 'special_days', v.special_days,
    'created_at', private.iso(c.created_at), 'created_by', c.created_by, 'updated_at',
    private.iso(c.updated_at), 'updated_by', c.updated_by,
    'version', private.version_of(jsonb_build_array(c.name, c.version))
  );
end $$;

-- The current version of a calendar of the caller's tenant. Refuses: not_found.
create function private.find_calendar(id text) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  found_calendar jsonb;
begin
  select private.calendar_json(c, v) into found_calendar
  from public.calendars c
    join public.calendar_versions v on v.tenant_id = c.tenant_id and v.calendar_id = c.id
      and v.version = c.version
  where c.tenant_id = private.tenant_id() and c.id = $1;
  if not found then
    perform private.refuse_missing('calendar');
  end if;
  return found_calendar;
end $$;

-- Starts the spans of a version of the caller's tenant.
create function private.start_calendar_version(no bigint) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.start_business_time(private.tenant_id(), no,
    date_trunc('hour', now()) - interval '35 days', now() + interval '3 years 1 month');
end $$;

-- input: { name, time_zone, weekly, special_days }. Refuses: invalid_request; conflict beyond 100
-- calendars. Records: calendar.created.
create function public.create_calendar(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'create_calendar');
  created public.calendars;
  no bigint;
  answer jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.serialize_counting('calendars');
  if (select count(*) from public.calendars calendar
    where calendar.tenant_id = private.tenant_id()) >= 100 then
    perform private.refuse_conflict('quota',
      'A tenant has at most 100 calendars. Change one of them instead.');
  end if;
  insert into public.calendars (name) values (input ->> 'name') returning * into created;
  insert into public.calendar_versions (calendar_id, version, time_zone, weekly, special_days)
  values (created.id, 1, input ->> 'time_zone', input -> 'weekly', input -> 'special_days')
    returning calendar_no into no;
  perform private.start_calendar_version(no);
  answer := private.find_calendar(created.id);
  perform private.record_security_event('calendar.created', created.id, null,
    jsonb_build_object('name', created.name, 'time_zone', input ->> 'time_zone'));
  return private.finish_request(request, answer);
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_calendar(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.begin_request(request, 'get_calendar');
  return private.find_calendar(input ->> 'id');
end $$;

-- The open exceptions of the caller's tenant that count by another version of a calendar, and their
-- deadline by this one. A deadline that a person set stays.
create function private.recalculated_deadlines(calendar text, no bigint)
returns table (id text, severity text, due_at timestamptz, new_due_at timestamptz)
language plpgsql volatile set search_path = '' as $$
begin
  return query
  select (x.e).id, (x.e).severity, x.due_at,
    case when (x.e).due_from_policy then private.policy_deadline(x.e, x.minutes, no) else x.due_at
      end
  from (
    select e, coalesce(e.held_due_at, e.due_at) as due_at,
      private.minutes_to_resolve(p, e.severity) as minutes
    from public.exceptions e join public.sla_policies p on p.tenant_id = e.tenant_id
    where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
      and e.calendar_id = calendar and e.calendar_no <> no
  ) x;
end $$;

-- Stores the name, and the hours as a new version if they differ; returns the version's number.
create function private.store_calendar(input jsonb, before jsonb,
  has_other_hours boolean) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  no bigint;
begin
  if has_other_hours then
    insert into public.calendar_versions (calendar_id, version, time_zone, weekly, special_days)
    values (input ->> 'id', (before ->> 'calendar_version')::integer + 1, input ->> 'time_zone',
      input -> 'weekly', input -> 'special_days')
    returning calendar_no into no;
    perform private.start_calendar_version(no);
  else
    no := private.current_calendar_no(private.tenant_id(), input ->> 'id');
  end if;
  if has_other_hours or before -> 'name' <> input -> 'name' then
    update public.calendars c
    set name = input ->> 'name', updated_at = now(), updated_by = private.actor(),
      version = c.version + case when has_other_hours then 1 else 0 end
    where c.tenant_id = private.tenant_id() and c.id = input ->> 'id';
  end if;
  return no;
end $$;

-- Moves the deadlines of open exceptions to a calendar's new hours, if asked to. Returns what it
-- changes.
create function private.apply_calendar(id text, no bigint, to_open_ones boolean) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  moved record;
begin
  select array_agg(d.id) as ids, array_agg(d.severity) as severities,
    array_agg(d.due_at) as due_ats, array_agg(d.new_due_at) as new_due_ats
  into moved from private.recalculated_deadlines($1, no) d
  where to_open_ones;
  if moved.ids is not null then
    perform private.move_deadlines(moved.ids, array_fill($1, array[cardinality(moved.ids)]),
      array_fill(no, array[cardinality(moved.ids)]), moved.new_due_ats);
  end if;
  return private.impact_of(moved.severities, moved.due_ats, moved.new_due_ats);
end $$;

-- input: { id, name, time_zone, weekly, special_days, apply_to: new | open, dry_run }. Changed
-- hours create a version, by which new exceptions count; with `open`, open ones too. Open periods
-- that count business days by it run again. Refuses: not_found, precondition_failed,
-- invalid_request. Records: calendar.updated.
create function public.put_calendar(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  hours constant jsonb := jsonb_build_object('time_zone', input -> 'time_zone', 'weekly',
    input -> 'weekly', 'special_days', input -> 'special_days');
  unlisted constant text[] := '{version,updated_at,updated_by}';
  before jsonb;
  after jsonb;
  has_other_hours boolean;
  no bigint;
  impact jsonb;
  periods integer := 0;
begin
  perform private.begin_request(request, 'put_calendar');
  perform
  from public.calendars c
  where c.tenant_id = private.tenant_id() and c.id = input ->> 'id' for update;
  before := private.find_calendar(input ->> 'id');
  perform private.require_version((before ->> 'version')::bigint, request -> 'versions');
  has_other_hours := (before -> 'time_zone', before -> 'weekly', before -> 'special_days')
    is distinct from (hours -> 'time_zone', hours -> 'weekly', hours -> 'special_days');
  -- This block is rolled back in a dry run.
  begin
    no := private.store_calendar(input, before, has_other_hours);
    if has_other_hours then
      periods := private.request_runs_by_calendar(input ->> 'id');
    end if;
    after := private.find_calendar(input ->> 'id');
    impact := private.apply_calendar(input ->> 'id', no, input ->> 'apply_to' = 'open');
    if dry_run then
      raise exception using errcode = 'TO002', message = 'dry run';
    end if;
  exception when sqlstate 'TO002' then
    null;
  end;
  if not dry_run and after - unlisted <> before - unlisted then
    perform private.record_security_event('calendar.updated', input ->> 'id', null,
      private.changes(before - unlisted, after - unlisted)
        || jsonb_build_object('apply_to', input -> 'apply_to'));
  end if;
  return after
    || jsonb_build_object('dry_run', dry_run, 'impact',
      impact || jsonb_build_object('periods', periods));
end $$;

-- Newest first. input: { limit, after: [id] | null }.
create function public.list_calendars(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_calendars');
  select jsonb_agg(private.calendar_json(x.c, x.v) order by (x.c).id desc) into items
  from (
    select c, v from public.calendars c
    join public.calendar_versions v on v.tenant_id = c.tenant_id and v.calendar_id = c.id
      and v.version = c.version
    where c.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or c.id < input -> 'after' ->> 0)
    order by c.id desc
    limit page_size + 1
  ) x;
  return private.page(items, page_size, 'id');
end $$;

-- Every version of a calendar's hours, newest first, with the number of open exceptions that count
-- by it. input: { id, limit, after: [version] | null }. Refuses: not_found.
create function public.list_calendar_versions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_calendar_versions');
  perform private.find_calendar(input ->> 'id');
  select jsonb_agg(jsonb_build_object(
    'calendar_version', x.version, 'time_zone', x.time_zone, 'weekly', x.weekly,
    'special_day_count', jsonb_array_length(x.special_days),
    'open_exceptions', (
      select count(*) from public.exceptions e
      where e.tenant_id = x.tenant_id and e.calendar_no = x.calendar_no
        and e.status in ('open', 'in_review')
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
end $$;

-- input: { id, since, until }, at most 366 days. Returns when it is open. Refuses: not_found.
create function public.list_open_hours(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  c jsonb;
  since constant timestamptz := input ->> 'since';
  until constant timestamptz := input ->> 'until';
begin
  perform private.begin_request(request, 'list_open_hours');
  c := private.find_calendar(input ->> 'id');
  return (
    select jsonb_build_object(
      'since', private.iso(since), 'until', private.iso(until),
      'open_minutes',
      coalesce(floor(sum(extract(epoch from x.ends_at - x.starts_at)) / 60), 0)::bigint,
      'spans',
      coalesce(
        jsonb_agg(
          jsonb_build_object('starts_at', private.iso(x.starts_at), 'ends_at',
            private.iso(x.ends_at))
          order by x.starts_at),
        '[]')
    )
    from (
      select greatest(s.starts_at, since) as starts_at, least(s.ends_at, until) as ends_at
      from private.open_spans(c ->> 'time_zone', c -> 'weekly', c -> 'special_days',
        date_trunc('hour', since), date_trunc('hour', until) + interval '1 hour') s
      where s.ends_at > since and s.starts_at < until
    ) x
  );
end $$;

-- Checks whether the caller may read holidays; the server has the data. input: {}.
create function public.list_holidays(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.begin_request(request, 'list_holidays');
  return '{}';
end $$;

-- input: { special_days, skipped }, read from a file by the server. Stored under the idempotency
-- key; nothing else changes.
create function public.read_ics(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'read_ics');
begin
  return coalesce(replayed, private.finish_request(request, input));
end $$;

grant execute on function
  private.calendar_json(public.calendars, public.calendar_versions), private.find_calendar(text),
  private.utc_offset(text, timestamptz), private.zone_offsets(text, timestamptz, timestamptz),
  private.open_spans(text, jsonb, jsonb, timestamptz, timestamptz)
to authenticated;
