-- Schedules of connections. Files are fetched on business days from `at` until `retry_until` in the
-- source's time zone, and every 15 minutes until the day ends while the day's file is missing. The
-- current time is a parameter of these functions, so that tests can choose it.

-- The first day from `since` on that is a business day. `open_days` as in private.open_days.
create function private.next_business_day(open_days jsonb, since date) returns date
language plpgsql immutable set search_path = '' as $$
declare
  day date := since;
begin
  -- A calendar may have no open day any more.
  while day < since + 400 loop
    if private.is_business_day(open_days, day) then
      return day;
    end if;
    day := day + 1;
  end loop;
  return null;
end $$;

-- When to fetch next, after a fetch at `moment` with this pause. `is_missing`: the day's file has
-- not arrived.
create function private.next_fetch(schedule jsonb, zone text, open_days jsonb, moment timestamptz,
  pause interval, is_missing boolean) returns timestamptz
language plpgsql stable set search_path = '' as $$
declare
  today constant date := (moment at time zone zone)::date;
  opens constant timestamptz := (today + (schedule ->> 'at')::time) at time zone zone;
  closes constant timestamptz := (today + (schedule ->> 'retry_until')::time) at time zone zone;
  ends constant timestamptz := (today + 1)::timestamp at time zone zone;
  later_at constant timestamptz := moment + greatest(pause, interval '15 minutes');
  day date;
begin
  if private.is_business_day(open_days, today) and moment >= opens then
    if moment + pause <= closes then
      return moment + pause;
    elsif is_missing and later_at < ends then
      return later_at;
    end if;
  end if;
  day := private.next_business_day(open_days, case when moment < opens then today
    else today + 1 end);
  return (day + (schedule ->> 'at')::time) at time zone zone;
end $$;

-- The first time after `moment` at which a business day's file is late, counting only days whose
-- first fetch is after `since`.
create function private.next_expected(schedule jsonb, zone text, open_days jsonb,
  moment timestamptz, since timestamptz) returns timestamptz
language plpgsql stable set search_path = '' as $$
declare
  day date := (moment at time zone zone)::date;
  late timestamptz;
begin
  loop
    day := private.next_business_day(open_days, day);
    late := (day + (schedule ->> 'retry_until')::time) at time zone zone;
    exit when day is null or late > moment
      and (day + (schedule ->> 'at')::time) at time zone zone >= since;
    day := day + 1;
  end loop;
  return late;
end $$;

-- The time zone and business days of a connection's schedule: { zone, open_days }.
create function private.clock_of_connection(connection public.connections) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_build_object('zone', source.time_zone,
      'open_days', private.open_days(connection.tenant_id, connection.schedule ->> 'calendar_id')
        -> 'open_days')
    from public.sources source where source.tenant_id = connection.tenant_id
      and source.source_no = connection.source_no);
end $$;

-- Whether a file arrived on the day of `moment` in the source's time zone.
create function private.has_file_of_day(connection public.connections,
  moment timestamptz) returns boolean
language plpgsql stable set search_path = '' as $$
declare
  zone constant text := private.clock_of_connection(connection) ->> 'zone';
begin
  return exists (
    select from public.connection_files file
    where file.tenant_id = connection.tenant_id and file.connection_id = connection.id
      and file.outcome in ('importing', 'imported')
      and (file.created_at at time zone zone)::date = (moment at time zone zone)::date);
end $$;

-- When the next file of a connection is late after its schedule has changed: on the day that was
-- expected before, or on an earlier day whose first fetch is still ahead. Days that were already
-- checked are not checked again.
create function private.expected_again(connection public.connections, zone text,
  open_days jsonb) returns timestamptz
language plpgsql stable set search_path = '' as $$
begin
  return least(
    private.next_expected(connection.schedule, zone, open_days, now(), now()),
    case when connection.expected_at is not null then
      private.next_expected(connection.schedule, zone, open_days,
        (connection.expected_at at time zone zone)::date::timestamp at time zone zone,
        '-infinity') end);
end $$;

-- Plans when a connection is fetched and when its file is late. Called after a change of its
-- schedule, its calendar or its source's time zone, and when the connection is resumed.
create function private.plan_connection(connection public.connections) returns public.connections
language plpgsql volatile set search_path = '' as $$
declare
  clock constant jsonb := private.clock_of_connection(connection);
  zone constant text := clock ->> 'zone';
  open_days constant jsonb := nullif(clock -> 'open_days', 'null');
  is_planned constant boolean := connection.schedule is not null and connection.deleted_at is null;
  is_missing constant boolean := is_planned and connection.expected_at is not null
    and not private.has_file_of_day(connection, now());
begin
  update public.connections set
    next_look_at = case when is_planned and connection.status = 'active'
      and connection.kind <> 'mail' then
      private.next_fetch(connection.schedule, zone, open_days, now(), '0', is_missing) end,
    expected_at = case when is_planned and connection.status <> 'paused' then
      private.expected_again(connection, zone, open_days) end
  where connections.tenant_id = connection.tenant_id and connections.id = connection.id
  returning * into connection;
  return connection;
end $$;

create function private.plan_connections_again() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if tg_table_name = 'calendars' then
    perform private.plan_connection(connection) from public.connections connection
    where connection.tenant_id = new.tenant_id
      and connection.schedule ->> 'calendar_id' = to_jsonb(new) ->> 'id'
      and connection.deleted_at is null;
  else
    perform private.plan_connection(connection) from public.connections connection
    where connection.tenant_id = new.tenant_id
      and connection.source_no = (to_jsonb(new) ->> 'source_no')::integer
      and connection.deleted_at is null;
  end if;
  return null;
end $$;
create trigger plan_connections after update of version on public.calendars
  for each row when (old.version <> new.version)
  execute function private.plan_connections_again();
create trigger plan_connections after update of time_zone on public.sources
  for each row when (old.time_zone <> new.time_zone)
  execute function private.plan_connections_again();
