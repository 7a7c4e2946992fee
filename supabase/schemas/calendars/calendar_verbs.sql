-- Calendars over the wire.

create function private.calendar_json(calendar public.calendars,
  version public.calendar_versions) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', calendar.id, 'name', calendar.name, 'calendar_version', calendar.version,
    'time_zone', version.time_zone,
    'weekly', version.weekly, 'special_days', version.special_days,
    'created_at', private.iso(calendar.created_at), 'created_by', calendar.created_by,
    'updated_at', private.iso(calendar.updated_at), 'updated_by', calendar.updated_by,
    'version', private.version_of(jsonb_build_array(calendar.name, calendar.version))
  );
end $$;

-- The current version of a calendar of the caller's tenant. Refuses: not_found.
create function private.find_calendar(id text) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  found_calendar jsonb;
begin
  select private.calendar_json(calendar, calendar_version) into found_calendar
  from public.calendars calendar
    join public.calendar_versions calendar_version
      on calendar_version.tenant_id = calendar.tenant_id
      and calendar_version.calendar_id = calendar.id
      and calendar_version.version = calendar.version
  where calendar.tenant_id = private.tenant_id() and calendar.id = $1;
  if not found then
    perform private.refuse_missing('calendar');
  end if;
  return found_calendar;
end $$;

-- Starts the spans of a version of the caller's tenant.
create function private.start_calendar_version(calendar_number bigint) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.start_business_time(private.tenant_id(), calendar_number,
    date_trunc('hour', now()) - interval '35 days', now() + interval '3 years 1 month');
end $$;

-- input: { name, time_zone, weekly, special_days }. Refuses: invalid_request; conflict beyond 100
-- calendars. Records: calendar.created.
create function public.create_calendar(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'create_calendar');
  created public.calendars;
  calendar_number bigint;
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
    returning calendar_no into calendar_number;
  perform private.start_calendar_version(calendar_number);
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
create function private.recalculated_deadlines(calendar text, calendar_number bigint)
returns table (id text, severity text, due_at timestamptz, new_due_at timestamptz)
language plpgsql volatile set search_path = '' as $$
begin
  return query
  select (open_one.exception).id, (open_one.exception).severity, open_one.due_at,
    case when (open_one.exception).due_from_policy
      then private.policy_deadline(open_one.exception, open_one.minutes, calendar_number)
      else open_one.due_at end
  from (
    select exception, coalesce(exception.held_due_at, exception.due_at) as due_at,
      private.minutes_to_resolve(policy, exception.severity) as minutes
    from public.exceptions exception join public.sla_policies policy
      on policy.tenant_id = exception.tenant_id
    where exception.tenant_id = private.tenant_id() and exception.status in ('open', 'in_review')
      and exception.calendar_id = calendar and exception.calendar_no <> calendar_number
  ) open_one;
end $$;

-- Stores the name, and the hours as a new version if they differ; returns the version's number.
create function private.store_calendar(input jsonb, before jsonb,
  has_other_hours boolean) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  calendar_number bigint;
begin
  if has_other_hours then
    insert into public.calendar_versions (calendar_id, version, time_zone, weekly, special_days)
    values (input ->> 'id', (before ->> 'calendar_version')::integer + 1, input ->> 'time_zone',
      input -> 'weekly', input -> 'special_days')
    returning calendar_no into calendar_number;
    perform private.start_calendar_version(calendar_number);
  else
    calendar_number := private.current_calendar_no(private.tenant_id(), input ->> 'id');
  end if;
  if has_other_hours or before -> 'name' <> input -> 'name' then
    update public.calendars calendar
    set name = input ->> 'name', updated_at = now(), updated_by = private.actor(),
      version = calendar.version + case when has_other_hours then 1 else 0 end
    where calendar.tenant_id = private.tenant_id() and calendar.id = input ->> 'id';
  end if;
  return calendar_number;
end $$;

-- Moves the deadlines of open exceptions to a calendar's new hours, if asked to. Returns what it
-- changes.
create function private.apply_calendar(id text, calendar_number bigint,
  to_open_ones boolean) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  moved record;
begin
  select array_agg(deadline.id) as ids, array_agg(deadline.severity) as severities,
    array_agg(deadline.due_at) as due_ats, array_agg(deadline.new_due_at) as new_due_ats
  into moved from private.recalculated_deadlines($1, calendar_number) deadline
  where to_open_ones;
  if moved.ids is not null then
    perform private.move_deadlines(moved.ids, array_fill($1, array[cardinality(moved.ids)]),
      array_fill(calendar_number, array[cardinality(moved.ids)]), moved.new_due_ats);
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
  hours constant jsonb := jsonb_build_object('time_zone', input -> 'time_zone',
    'weekly', input -> 'weekly', 'special_days', input -> 'special_days');
  unlisted constant text[] := '{version,updated_at,updated_by}';
  before jsonb;
  after jsonb;
  has_other_hours boolean;
  calendar_number bigint;
  impact jsonb;
  periods integer := 0;
begin
  perform private.begin_request(request, 'put_calendar');
  perform
  from public.calendars calendar
  where calendar.tenant_id = private.tenant_id() and calendar.id = input ->> 'id' for update;
  before := private.find_calendar(input ->> 'id');
  perform private.require_version((before ->> 'version')::bigint, request -> 'versions');
  has_other_hours := (before -> 'time_zone', before -> 'weekly', before -> 'special_days')
    is distinct from (hours -> 'time_zone', hours -> 'weekly', hours -> 'special_days');
  -- This block is rolled back in a dry run.
  begin
    calendar_number := private.store_calendar(input, before, has_other_hours);
    if has_other_hours then
      periods := private.request_runs_by_calendar(input ->> 'id');
    end if;
    after := private.find_calendar(input ->> 'id');
    impact := private.apply_calendar(input ->> 'id', calendar_number,
      input ->> 'apply_to' = 'open');
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
  select jsonb_agg(private.calendar_json(found.calendar, found.calendar_version)
    order by (found.calendar).id desc) into items
  from (
    select calendar, calendar_version from public.calendars calendar
    join public.calendar_versions calendar_version
      on calendar_version.tenant_id = calendar.tenant_id
      and calendar_version.calendar_id = calendar.id
      and calendar_version.version = calendar.version
    where calendar.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or calendar.id < input -> 'after' ->> 0)
    order by calendar.id desc
    limit page_size + 1
  ) found;
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
    'calendar_version', calendar_version.version, 'time_zone', calendar_version.time_zone,
    'weekly', calendar_version.weekly,
    'special_day_count', jsonb_array_length(calendar_version.special_days),
    'open_exceptions', (
      select count(*) from public.exceptions exception
      where exception.tenant_id = calendar_version.tenant_id
        and exception.calendar_no = calendar_version.calendar_no
        and exception.status in ('open', 'in_review')
    ),
    'created_at', private.iso(calendar_version.created_at),
    'created_by', calendar_version.created_by
  ) order by calendar_version.version desc) into items
  from (
    select calendar_version.* from public.calendar_versions calendar_version
    where calendar_version.tenant_id = private.tenant_id()
      and calendar_version.calendar_id = input ->> 'id'
      and (input -> 'after' ->> 0 is null
      or calendar_version.version < (input -> 'after' ->> 0)::integer)
    order by calendar_version.version desc
    limit page_size + 1
  ) calendar_version;
  return private.page(items, page_size, 'calendar_version');
end $$;

-- input: { id, since, until }, at most 366 days. Returns when it is open. Refuses: not_found.
create function public.list_open_hours(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  calendar jsonb;
  since constant timestamptz := input ->> 'since';
  until constant timestamptz := input ->> 'until';
begin
  perform private.begin_request(request, 'list_open_hours');
  calendar := private.find_calendar(input ->> 'id');
  return (
    select jsonb_build_object(
      'since', private.iso(since), 'until', private.iso(until),
      'open_minutes',
      coalesce(floor(sum(extract(epoch from span.ends_at - span.starts_at)) / 60), 0)::bigint,
      'spans', coalesce(
        jsonb_agg(
          jsonb_build_object('starts_at', private.iso(span.starts_at),
            'ends_at', private.iso(span.ends_at))
          order by span.starts_at),
        '[]')
    )
    from (
      select greatest(span.starts_at, since) as starts_at, least(span.ends_at, until) as ends_at
      from private.open_spans(calendar ->> 'time_zone', calendar -> 'weekly', calendar
        -> 'special_days',
        date_trunc('hour', since), date_trunc('hour', until) + interval '1 hour') span
      where span.ends_at > since and span.starts_at < until
    ) span
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
