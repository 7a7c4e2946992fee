-- What comes of looks and of the imports that they queue: the state of a connection, one report of
-- a failure, and an exception for the file of a day that is missing.

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

-- Seconds from one failed look to the next: one minute, doubled up to a quarter of an hour.
create function private.pause_after_failures(failures integer) returns interval
language sql immutable set search_path = ''
return least(interval '15 minutes', interval '1 minute' * 2 ^ least(failures - 1, 10));

-- Notes that a connection fails. `at_once`: nothing mends it but a person, so it is reported now,
-- otherwise at the third failure; once, until a look succeeds.
create function private.note_failure(c public.connections, error text, at_once boolean)
returns public.connections
language plpgsql volatile set search_path = '' as $$
begin
  update public.connections x set
    last_outcome = 'failed', last_error = left(note_failure.error, 1000),
    failing_since = coalesce(x.failing_since, now()), failure_count = x.failure_count + 1
  where x.tenant_id = c.tenant_id and x.id = c.id
  returning * into c;
  if c.alerted_at is null and (at_once or c.failure_count >= 3) then
    update public.connections x set alerted_at = now()
    where x.tenant_id = c.tenant_id and x.id = c.id
    returning * into c;
    perform private.emit(c.tenant_id, 'connection.failing',
      jsonb_build_object('connection', private.connection_json(c)));
  end if;
  return c;
end $$;

-- Ends a look. result: { found, error, needs_person }: how many files it fetched, and why it or a
-- file failed.
create function private.end_look(tenant text, connection text, lease text,
  result jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  c public.connections := private.require_lease(tenant, connection, lease);
  clock constant jsonb := private.clock_of_connection(c);
  pause interval := interval '5 minutes';
begin
  if result ->> 'error' is not null then
    c := private.note_failure(c, result ->> 'error',
      coalesce((result ->> 'needs_person')::boolean, false));
    pause := private.pause_after_failures(c.failure_count);
  else
    update public.connections x set
      last_outcome = case when (result ->> 'found')::integer > 0 then 'fetched'
        else 'nothing_new' end,
      last_error = null, failing_since = null, failure_count = 0, alerted_at = null
    where x.tenant_id = tenant and x.id = c.id;
  end if;
  update public.connections x set lease = null, last_look_at = now(),
    next_look_at = case when x.schedule is not null and x.status = 'active' then
      private.next_look(x.schedule, clock ->> 'zone', nullif(clock -> 'open_days', 'null'), now(),
        pause, not private.has_file_of_day(c, now())) end
  where x.tenant_id = tenant and x.id = c.id;
end $$;

-- Opens an exception for each file that was to come by now and did not. Returns how many
-- connections it looked at.
create function private.open_missing_files(batch integer default 200) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  c public.connections;
  looked_at integer := 0;
begin
  for c in
    select * from public.connections x where x.expected_at <= now()
    order by x.expected_at limit batch for no key update skip locked
  loop
    if not private.has_file_of_day(c, c.expected_at) then
      perform private.open_missing_file(c);
    end if;
    perform private.expect_next_file(c);
    looked_at := looked_at + 1;
  end loop;
  return looked_at;
end $$;

create function private.expect_next_file(c public.connections) returns void
language plpgsql volatile set search_path = '' as $$
declare
  clock constant jsonb := private.clock_of_connection(c);
begin
  update public.connections x set expected_at = private.next_expected(c.schedule,
    clock ->> 'zone', nullif(clock -> 'open_days', 'null'), c.expected_at, '-infinity')
  where x.tenant_id = c.tenant_id and x.id = c.id;
end $$;

-- Opens the exception for the day on which c.expected_at is.
create function private.open_missing_file(c public.connections) returns void
language plpgsql volatile set search_path = '' as $$
declare
  s public.sources;
  late_day date;
  opened text;
begin
  select * into strict s from public.sources source
  where source.tenant_id = c.tenant_id and source.source_no = c.source_no;
  late_day := (c.expected_at at time zone s.time_zone)::date;
  if exists (select from private.missing_files missing
    where missing.tenant_id = c.tenant_id and missing.connection_id = c.id
      and missing.day = late_day)
  then
    return;
  end if;
  select changed_exception.id into strict opened from private.change_exceptions('create', array[
    jsonb_build_object('tenant_id', c.tenant_id, 'severity', 'high',
      'title', format('No file for %s by %s, %s', left(s.name, 150),
        c.schedule ->> 'retry_until', to_char(late_day, 'DD Mon YYYY')),
      'assigned_to', c.assigned_to, 'reason_code', 'file_missing',
      'details', jsonb_strip_nulls(jsonb_build_object('connection_id', c.id, 'source_id', s.id,
        'day', late_day, 'expected_by', private.iso(c.expected_at),
        'last_error', c.last_error)))]) changed_exception;
  insert into private.missing_files (tenant_id, connection_id, day, exception_id)
  values (c.tenant_id, c.id, late_day, opened);
end $$;

-- A file arrived: the exception of its day is resolved, or, where that day has a file, the newest
-- of an earlier day.
create function private.resolve_missing_file(f public.connection_files) returns void
language plpgsql volatile set search_path = '' as $$
declare
  zone constant text := (select source.time_zone from public.sources source
    where source.tenant_id = f.tenant_id and source.source_no = f.source_no);
  today constant date := (f.created_at at time zone zone)::date;
  open_days constant jsonb := (select private.open_days(connection.tenant_id,
    connection.schedule ->> 'calendar_id')
    -> 'open_days' from public.connections connection
    where connection.tenant_id = f.tenant_id and connection.id = f.connection_id);
  settles text;
  missed date;
begin
  select missing.exception_id, missing.day into settles, missed
  from private.missing_files missing
  join public.exceptions exception on exception.tenant_id = missing.tenant_id
    and exception.id = missing.exception_id
  where missing.tenant_id = f.tenant_id and missing.connection_id = f.connection_id
    and exception.status in ('open', 'in_review') and missing.day <= today
  order by missing.day desc limit 1;
  -- The first file of a business day is that day's own.
  if settles is null or missed < today
    and private.is_business_day(nullif(open_days, 'null'), today) and not exists (
      select from public.connection_files file
      where file.tenant_id = f.tenant_id and file.connection_id = f.connection_id
        and file.id <> f.id and file.outcome in ('importing', 'imported')
        and (file.created_at at time zone zone)::date = today)
  then
    return;
  end if;
  perform private.change_exceptions('edit', array[jsonb_build_object('tenant_id', f.tenant_id,
    'id', settles, 'status', 'resolved',
    'resolution', format('The file %s arrived and was imported.', f.path))]);
end $$;

-- An import of a connection's file ended: the file has its outcome, and the next look moves or
-- deletes it.
create function private.settle_connection_file() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  f public.connection_files;
  c public.connections;
  is_unreadable constant boolean := new.status = 'done' and new.refused_count > 0
    and new.accepted_count + new.duplicate_count = 0;
begin
  update public.connection_files x set
    outcome = case when is_unreadable or new.status = 'failed' then 'failed'
      when new.status = 'done' then 'imported' else 'undone' end,
    error = case when is_unreadable then format(
      'None of its %s lines could be read, such as line %s: %s', new.refused_count,
      new.refusals #>> '{0,line}', new.refusals #>> '{0,message}') else new.failure end,
    tried_at = now()
  where x.tenant_id = new.tenant_id and x.import_id = new.id
    and x.outcome in ('importing', 'imported')
  returning * into f;
  if not found then
    return null;
  end if;
  select * into c from public.connections x
  where x.tenant_id = f.tenant_id and x.id = f.connection_id;
  if f.outcome = 'failed' then
    perform private.note_failure(c, format('%s: %s', f.path, f.error), true);
  elsif f.outcome = 'imported' then
    perform private.resolve_missing_file(f);
    if c.afterwards <> 'leave' and c.deleted_at is null then
      perform private.queue_look(c, true);
    end if;
  end if;
  return null;
end $$;
create trigger settle_connection_file after update of status on public.imports
  for each row when (new.status in ('done', 'failed', 'undone') and old.status <> new.status)
  execute function private.settle_connection_file();

grant execute on function
  private.end_look(text, text, text, jsonb), private.open_missing_files(integer)
to service_role;
