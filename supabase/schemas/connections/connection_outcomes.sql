-- Outcomes of fetches and of the imports they queue: the state of a connection, one report per
-- failure, and an exception for a day's file that is missing.

-- One per connection and day.
create table private.missing_files (
  tenant_id text not null,
  connection_id text not null,
  day date not null,
  exception_id text not null,
  primary key (tenant_id, connection_id, day),
  foreign key (tenant_id, connection_id) references public.connections (tenant_id, id)
);
alter table private.missing_files enable row level security;

-- Seconds from one failed fetch to the next: one minute, doubled up to a quarter of an hour.
create function private.pause_after_failures(failures integer) returns interval
language sql immutable set search_path = ''
return least(interval '15 minutes', interval '1 minute' * 2 ^ least(failures - 1, 10));

-- Records that a connection fails, in a fetch or a push. `is_due`: report it, once until it works
-- again.
create function private.note_failure(connection public.connections, error text, is_due boolean)
returns public.connections
language plpgsql volatile set search_path = '' as $$
begin
  update public.connections set last_error = left(note_failure.error, 1000),
    failing_since = coalesce(connections.failing_since, now())
  where connections.tenant_id = connection.tenant_id and connections.id = connection.id
  returning * into connection;
  if is_due and connection.alerted_at is null then
    update public.connections set alerted_at = now()
    where connections.tenant_id = connection.tenant_id and connections.id = connection.id
    returning * into connection;
    perform private.emit(connection.tenant_id, 'connection.failing',
      jsonb_build_object('connection', private.connection_json(connection)));
  end if;
  return connection;
end $$;

-- Records that a fetch or an import failed. `at_once`: only a person can fix it, so it is reported
-- now; otherwise it is reported at the third failure.
create function private.note_fetch_failure(connection public.connections, error text,
  at_once boolean) returns public.connections
language plpgsql volatile set search_path = '' as $$
begin
  update public.connections
  set last_outcome = 'failed', failure_count = connections.failure_count + 1
  where connections.tenant_id = connection.tenant_id and connections.id = connection.id
  returning * into connection;
  return private.note_failure(connection, error, at_once or connection.failure_count >= 3);
end $$;

-- Why a connection fails although its last fetch succeeded: a batch that could not be pushed, or
-- lines of its newest file that could not be read; null for neither.
create function private.standing_error(connection public.connections) returns text
language plpgsql stable set search_path = '' as $$
begin
  return coalesce((
    select private.push_error(batch) from public.entry_batches batch
    where batch.tenant_id = connection.tenant_id and batch.exported_at is null
      and batch.push ->> 'state' in ('failed', 'stopped')
      and private.push_settings(batch) ->> 'connection_id' = connection.id
    order by batch.id limit 1
  ), (
    select format('%s: %s', newest.path, newest.error)
    from (
      select * from public.connection_files file
      where file.tenant_id = connection.tenant_id and file.connection_id = connection.id
        and file.outcome = 'imported'
      order by file.id desc limit 1
    ) newest where newest.error is not null
  ));
end $$;

-- Updates the state of a connection whose last fetch did not fail.
create function private.settle_failure(connection public.connections) returns void
language plpgsql volatile set search_path = '' as $$
declare
  standing constant text := left(private.standing_error(connection), 1000);
begin
  update public.connections set last_error = standing,
    failing_since = case when standing is not null
      then coalesce(connections.failing_since, now()) end,
    alerted_at = case when standing is not null then connections.alerted_at end
  where connections.tenant_id = connection.tenant_id and connections.id = connection.id;
end $$;

-- Ends a fetch. result: { found, error, needs_person }: the number of files it fetched, and why the
-- fetch or one of its files failed.
create function private.end_fetch(tenant text, connection text, lease text,
  result jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  connection_row public.connections := private.require_lease(tenant, connection, lease);
  clock constant jsonb := private.clock_of_connection(connection_row);
  pause interval := interval '5 minutes';
begin
  perform private.drop_unfinished_files(connection_row);
  if result ->> 'error' is not null then
    connection_row := private.note_fetch_failure(connection_row, result ->> 'error',
      coalesce((result ->> 'needs_person')::boolean, false));
    pause := private.pause_after_failures(connection_row.failure_count);
  else
    update public.connections set failure_count = 0,
      last_outcome = case when (result ->> 'found')::integer > 0 then 'fetched'
        else 'nothing_new' end
    where connections.tenant_id = tenant and connections.id = connection_row.id;
    perform private.settle_failure(connection_row);
  end if;
  update public.connections set lease = null, last_look_at = now(),
    next_look_at = case when connections.schedule is not null and connections.status = 'active'
      and connections.kind <> 'mail' then
      private.next_fetch(connections.schedule,
        clock ->> 'zone', nullif(clock -> 'open_days', 'null'), now(),
        pause, not private.has_file_of_day(connection_row, now())) end
  where connections.tenant_id = tenant and connections.id = connection_row.id;
end $$;

-- Opens an exception for each expected file that has not arrived in time. Returns the number of
-- connections that it checked.
create function private.open_missing_files(batch integer default 200) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  connection public.connections;
  checked integer := 0;
begin
  for connection in
    select * from public.connections where connections.expected_at <= now()
    order by connections.expected_at limit batch for no key update skip locked
  loop
    if not private.has_file_of_day(connection, connection.expected_at) then
      perform private.open_missing_file(connection, connection.expected_at);
    end if;
    perform private.expect_next_file(connection);
    checked := checked + 1;
  end loop;
  return checked;
end $$;

create function private.expect_next_file(connection public.connections) returns void
language plpgsql volatile set search_path = '' as $$
declare
  clock constant jsonb := private.clock_of_connection(connection);
begin
  update public.connections set expected_at = private.next_expected(connection.schedule,
    clock ->> 'zone', nullif(clock -> 'open_days', 'null'), connection.expected_at, '-infinity')
  where connections.tenant_id = connection.tenant_id and connections.id = connection.id;
end $$;

-- Opens the exception for the day on which the file is late.
create function private.open_missing_file(connection public.connections,
  late timestamptz) returns void
language plpgsql volatile set search_path = '' as $$
declare
  source public.sources;
  late_day date;
  opened text;
begin
  select * into strict source from public.sources
  where sources.tenant_id = connection.tenant_id and sources.source_no = connection.source_no;
  late_day := (late at time zone source.time_zone)::date;
  if exists (select from private.missing_files missing
    where missing.tenant_id = connection.tenant_id and missing.connection_id = connection.id
      and missing.day = late_day)
  then
    return;
  end if;
  select changed_exception.id into strict opened from private.change_exceptions('create', array[
    jsonb_build_object('tenant_id', connection.tenant_id, 'severity', 'high',
      'title', format('No file for %s by %s, %s', left(source.name, 150),
        connection.schedule ->> 'retry_until', to_char(late_day, 'DD Mon YYYY')),
      'assigned_to', connection.assigned_to, 'reason_code', 'file_missing',
      'details', jsonb_strip_nulls(jsonb_build_object('connection_id', connection.id,
        'source_id', source.id,
        'day', late_day, 'expected_by', private.iso(late),
        'last_error', connection.last_error)))]) changed_exception;
  insert into private.missing_files (tenant_id, connection_id, day, exception_id)
  values (connection.tenant_id, connection.id, late_day, opened);
end $$;

-- Resolves the exception for a missing file once a file arrives: that of the file's day, or, if
-- that day already has a file, the newest one of an earlier day.
create function private.resolve_missing_file(file public.connection_files) returns void
language plpgsql volatile set search_path = '' as $$
declare
  zone constant text := (select source.time_zone from public.sources source
    where source.tenant_id = file.tenant_id and source.source_no = file.source_no);
  today constant date := (file.created_at at time zone zone)::date;
  open_days constant jsonb := (select private.open_days(connection.tenant_id,
    connection.schedule ->> 'calendar_id')
    -> 'open_days' from public.connections connection
    where connection.tenant_id = file.tenant_id and connection.id = file.connection_id);
  settles text;
  missed date;
begin
  select missing.exception_id, missing.day into settles, missed
  from private.missing_files missing
  join public.exceptions exception on exception.tenant_id = missing.tenant_id
    and exception.id = missing.exception_id
  where missing.tenant_id = file.tenant_id and missing.connection_id = file.connection_id
    and exception.status in ('open', 'in_review') and missing.day <= today
  order by missing.day desc limit 1;
  -- The first file of a business day is that day's own.
  if settles is null or missed < today
    and private.is_business_day(nullif(open_days, 'null'), today) and not exists (
      select from public.connection_files
      where connection_files.tenant_id = file.tenant_id
        and connection_files.connection_id = file.connection_id
        and connection_files.id <> file.id and connection_files.outcome in ('importing', 'imported')
        and (connection_files.created_at at time zone zone)::date = today)
  then
    return;
  end if;
  perform private.change_exceptions('edit', array[jsonb_build_object('tenant_id', file.tenant_id,
    'id', settles, 'status', 'resolved',
    'resolution', format('The file %s arrived and was imported.', file.path))]);
end $$;

-- Opens the exception for a file that arrived in time but turned out to be unreadable after its day
-- had been checked.
create function private.miss_unreadable_file(connection public.connections,
  file public.connection_files) returns void
language plpgsql volatile set search_path = '' as $$
declare
  clock constant jsonb := private.clock_of_connection(connection);
  zone constant text := clock ->> 'zone';
  day constant date := (file.created_at at time zone zone)::date;
  late constant timestamptz :=
    (day + (connection.schedule ->> 'retry_until')::time) at time zone zone;
begin
  if connection.expected_at > late and late <= now() and connection.created_at
      <= (day + (connection.schedule ->> 'at')::time) at time zone zone
    and private.is_business_day(nullif(clock -> 'open_days', 'null'), day)
    and not private.has_file_of_day(connection, late)
  then
    perform private.open_missing_file(connection, late);
  end if;
end $$;

-- Why a file or some of its lines could not be imported; null for neither.
create function private.import_error(import public.imports) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return case when import.status = 'done' and import.refused_count > 0 then format(
    '%s of its %s lines could not be read, such as line %s: %s',
    case import.accepted_count + import.duplicate_count when 0 then 'None'
      else import.refused_count::text end,
    import.refused_count + import.accepted_count + import.duplicate_count,
    import.refusals #>> '{0,line}', import.refusals #>> '{0,message}') else import.failure end;
end $$;

-- Records the outcome of a file whose import has ended; the next fetch moves or deletes it.
create function private.settle_connection_file() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  file public.connection_files;
  connection public.connections;
  is_unreadable constant boolean := new.status = 'done' and new.refused_count > 0
    and new.accepted_count + new.duplicate_count = 0;
begin
  update public.connection_files set
    outcome = case when is_unreadable or new.status = 'failed' then 'failed'
      when new.status = 'done' then 'imported' else 'undone' end,
    error = left(private.import_error(new), 1000), tried_at = now()
  where connection_files.tenant_id = new.tenant_id and connection_files.import_id = new.id
    and connection_files.outcome in ('importing', 'imported')
  returning * into file;
  if not found then
    return null;
  end if;
  select * into connection from public.connections
  where connections.tenant_id = file.tenant_id and connections.id = file.connection_id;
  if connection.deleted_at is null and file.outcome <> 'undone' and file.error is not null then
    connection := private.note_fetch_failure(connection,
      format('%s: %s', file.path, file.error), true);
  end if;
  if file.outcome = 'failed' then
    perform private.miss_unreadable_file(connection, file);
  elsif file.outcome = 'imported' then
    perform private.resolve_missing_file(file);
    if connection.afterwards <> 'leave' and connection.deleted_at is null then
      perform private.queue_fetch(connection, false);
    end if;
  end if;
  return null;
end $$;
create trigger settle_connection_file after update of status on public.imports
  for each row when (new.status in ('done', 'failed', 'undone') and old.status <> new.status)
  execute function private.settle_connection_file();

grant execute on function
  private.end_fetch(text, text, text, jsonb), private.open_missing_files(integer)
to service_role;
