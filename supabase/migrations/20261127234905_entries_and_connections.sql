-- entries and connections

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.open_missing_file(public.connections);
drop function private.note_failure(public.connections,text,boolean);
CREATE OR REPLACE FUNCTION public.put_entry_rules(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  before public.entry_rules;
  ledger jsonb;
  rules public.entry_rules;
begin
  perform private.begin_request(request, 'put_entry_rules');
  period := private.find_period(input ->> 'id');
  perform private.lock_pair(period.tenant_id, period.pair_no);
  before := private.entry_rules_of(period.tenant_id, period.pair_no);
  perform private.require_version(before.version, request -> 'versions');
  ledger := coalesce(input -> 'ledger', before.ledger);
  perform private.check_push_settings(ledger);
  if before.version > 0 and (before.rules, before.ledger) = (input -> 'rules', ledger) then
    return private.entry_rules_json(before);
  end if;
  insert into public.entry_rules (tenant_id, pair_no, version, rules, ledger)
  values (period.tenant_id, period.pair_no, before.version + 1, input -> 'rules', ledger)
  returning * into rules;
  if rules.ledger <> before.ledger then
    perform private.retry_entry_pushes(rules.tenant_id, rules.pair_no);
    perform private.settle_push_failures(rules.tenant_id);
  end if;
  perform private.record_security_event('entries.rules_updated', period.id, null,
    jsonb_build_object(
    'from', private.entry_rules_json(before), 'to', private.entry_rules_json(rules)));
  return private.entry_rules_json(rules);
end $function$;
CREATE OR REPLACE FUNCTION public.mark_entry_batch_exported(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'mark_entry_batch_exported');
  batch public.entry_batches;
begin
  if replayed is not null then
    return replayed;
  end if;
  batch := private.find_ready_batch(input ->> 'id');
  update public.entry_batches set exported_at = now(), exported_by = private.actor(),
    ledger_reference = input ->> 'ledger_reference'
  where entry_batches.tenant_id = private.tenant_id() and entry_batches.id = batch.id
  returning * into batch;
  perform private.record_export(batch);
  perform private.settle_push_failures(batch.tenant_id);
  return private.finish_request(request, private.entry_batch_json(batch));
end $function$;
CREATE OR REPLACE FUNCTION private.expected_again(connection public.connections, zone text, open_days jsonb)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return least(
    private.next_expected(connection.schedule, zone, open_days, now(), now()),
    case when connection.expected_at is not null then
      private.next_expected(connection.schedule, zone, open_days,
        (connection.expected_at at time zone zone)::date::timestamp at time zone zone,
        '-infinity') end);
end $function$;
CREATE OR REPLACE FUNCTION private.plan_connection(connection public.connections)
 RETURNS public.connections
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.drop_unfinished_files(connection public.connections)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from public.imports import using public.connection_files file
  where file.tenant_id = connection.tenant_id and file.connection_id = connection.id
    and file.outcome = 'fetching' and import.tenant_id = file.tenant_id
    and import.id = file.import_id and import.status = 'receiving';
  delete from public.connection_files file
  where file.tenant_id = connection.tenant_id and file.connection_id = connection.id
    and file.outcome = 'fetching';
end $function$;
CREATE OR REPLACE FUNCTION private.begin_fetch(tenant text, connection text, by_hand boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  connection_row public.connections;
begin
  perform private.act_for_tenant(tenant);
  update public.connections set lease = private.new_id('lck')
  where connections.tenant_id = tenant and connections.id = connection
    and connections.deleted_at is null
    and (connections.status = 'active' or by_hand and connections.status = 'paused')
  returning * into connection_row;
  if not found then
    return null;
  end if;
  perform private.drop_unfinished_files(connection_row);
  return private.connection_json(connection_row)
    || coalesce(private.sealed_credential(connection_row), '{}')
    || jsonb_build_object('lease', connection_row.lease, 'source', (
      select jsonb_build_object('currency', source.currency, 'time_zone', source.time_zone,
        'mapping', source.mapping)
      from public.sources source
      where source.tenant_id = tenant and source.source_no = connection_row.source_no));
end $function$;
CREATE OR REPLACE FUNCTION private.accepts_host_key(tenant text, connection text, shown text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  connection_row public.connections;
begin
  perform private.act_for_tenant(tenant);
  select * into connection_row from public.connections
  where connections.tenant_id = tenant and connections.id = connection
    and connections.deleted_at is null
  for no key update;
  if not found or connection_row.host_key = shown then
    return found;
  end if;
  perform private.record_security_event('connection.host_key_changed', connection_row.id, null,
    jsonb_build_object('name', private.connection_facts(connection_row) -> 'name',
      'changes', jsonb_build_object('host_key', jsonb_build_object('from', connection_row.host_key,
        'to', shown))));
  update public.connections set
    host_key = coalesce(connections.host_key, shown),
    status = case when connections.host_key is null then connections.status else 'stopped' end,
    -- It is reported even if the connection is failing already.
    alerted_at = case when connections.host_key is null then connections.alerted_at end
  where connections.tenant_id = connection_row.tenant_id and connections.id = connection_row.id;
  return connection_row.host_key is null;
end $function$;
CREATE OR REPLACE FUNCTION private.known_files(tenant text, connection text, files jsonb, by_hand boolean)
 RETURNS TABLE(place bigint, state text, file_id text, error text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query
  select item.place, case
      when file.id is null or by_hand and file.outcome in ('failed', 'undone')
        or file.outcome = 'failed' and file.tried_at < source.updated_at
        then 'new'
      when file.outcome = 'failed' then 'failed'
      when file.outcome in ('imported', 'duplicate')
        and file.taken_at is null then 'done'
      else 'known' end, file.id, file.error
  from jsonb_array_elements(files) with ordinality item (file, place)
  join public.connections on connections.tenant_id = tenant and connections.id = connection
  join public.sources source on source.tenant_id = tenant
    and source.source_no = connections.source_no
  left join public.connection_files file on file.tenant_id = tenant
    and file.connection_id = connection and file.path = item.file ->> 'path'
    and file.bytes = (item.file ->> 'bytes')::bigint
    and file.modified_at = (item.file ->> 'modified_at')::timestamptz
  order by item.place;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_file(tenant text, connection text, lease text, file jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  connection_row public.connections := private.require_lease(tenant, connection, lease);
  begun text;
begin
  delete from public.connection_files
  where connection_files.tenant_id = tenant and connection_files.connection_id = connection_row.id
    and (connection_files.outcome in ('failed', 'fetching')
      or connection_files.outcome = 'undone' and connection_files.modified_at is not null)
    and connection_files.path = file ->> 'path' and connection_files.bytes is not distinct
      from (file ->> 'bytes')::bigint
    and connection_files.modified_at is not distinct from (file ->> 'modified_at')::timestamptz;
  insert into public.connection_files (tenant_id, connection_id, source_no, path, bytes,
    modified_at, sender, sender_checks)
  values (tenant, connection_row.id, connection_row.source_no,
    file ->> 'path', (file ->> 'bytes')::bigint,
    (file ->> 'modified_at')::timestamptz, file ->> 'sender', file -> 'checks')
  returning id into begun;
  return begun;
end $function$;
CREATE OR REPLACE FUNCTION private.note_failure(connection public.connections, error text, is_due boolean)
 RETURNS public.connections
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.note_fetch_failure(connection public.connections, error text, at_once boolean)
 RETURNS public.connections
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.connections
  set last_outcome = 'failed', failure_count = connections.failure_count + 1
  where connections.tenant_id = connection.tenant_id and connections.id = connection.id
  returning * into connection;
  return private.note_failure(connection, error, at_once or connection.failure_count >= 3);
end $function$;
CREATE OR REPLACE FUNCTION private.standing_error(connection public.connections)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.settle_failure(connection public.connections)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  standing constant text := left(private.standing_error(connection), 1000);
begin
  update public.connections set last_error = standing,
    failing_since = case when standing is not null
      then coalesce(connections.failing_since, now()) end,
    alerted_at = case when standing is not null then connections.alerted_at end
  where connections.tenant_id = connection.tenant_id and connections.id = connection.id;
end $function$;
CREATE OR REPLACE FUNCTION private.end_fetch(tenant text, connection text, lease text, result jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.open_missing_files(batch integer DEFAULT 200)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.open_missing_file(connection public.connections, late timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.miss_unreadable_file(connection public.connections, file public.connection_files)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.import_error(import public.imports)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when import.status = 'done' and import.refused_count > 0 then format(
    '%s of its %s lines could not be read, such as line %s: %s',
    case import.accepted_count + import.duplicate_count when 0 then 'None'
      else import.refused_count::text end,
    import.refused_count + import.accepted_count + import.duplicate_count,
    import.refusals #>> '{0,line}', import.refusals #>> '{0,message}') else import.failure end;
end $function$;
CREATE OR REPLACE FUNCTION private.settle_connection_file()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.push_error(batch public.entry_batches)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return format('Batch %s was not pushed: %s', private.entry_batch_name(batch),
    batch.push ->> 'error');
end $function$;
CREATE OR REPLACE FUNCTION private.settle_push_failures(tenant text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.settle_failure(connection) from public.connections connection
  where connection.tenant_id = tenant and connection.failing_since is not null
    and connection.last_outcome is distinct from 'failed' and connection.deleted_at is null;
end $function$;
CREATE OR REPLACE FUNCTION public.push_entry_batch(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'push_entry_batch');
  batch public.entry_batches;
begin
  if replayed is not null then
    return replayed;
  end if;
  batch := private.find_ready_batch(input ->> 'id');
  if private.push_settings(batch) is null then
    perform private.refuse_conflict('no_push',
      'The entry rules of its sources name no connection to push to. Set one there.');
  end if;
  batch := private.queue_entry_push(batch);
  perform private.record_security_event('entries.push_requested', batch.id, null,
    jsonb_build_object('name', private.entry_batch_name(batch)));
  return private.finish_request(request, private.entry_batch_json(batch));
end $function$;
CREATE OR REPLACE FUNCTION private.begin_entry_push(tenant text, batch text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  batch_row public.entry_batches;
begin
  perform private.act_for_tenant(tenant);
  select * into batch_row from public.entry_batches
  where entry_batches.tenant_id = tenant and entry_batches.id = batch
    and entry_batches.exported_at is null
    and entry_batches.push ->> 'state' <> 'done';
  if not found then
    return null;
  elsif private.push_settings(batch_row) is null then
    update public.entry_batches set push = null where entry_batches.tenant_id = tenant
      and entry_batches.id = batch;
    perform private.settle_push_failures(tenant);
    return null;
  end if;
  return jsonb_build_object('batch', private.entry_batch_json(batch_row),
    'ledger', (private.entry_rules_of(tenant, batch_row.pair_no)).ledger, 'connection', (
      select private.connection_json(connection) || coalesce(private.sealed_credential(connection),
        '{}')
      from public.connections connection
      where connection.tenant_id = tenant
        and connection.id = private.push_settings(batch_row) ->> 'connection_id'
        and connection.deleted_at is null));
end $function$;
CREATE OR REPLACE FUNCTION private.end_entry_push(tenant text, batch text, result jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  batch_row public.entry_batches;
  connection public.connections;
begin
  perform private.act_for_tenant(tenant);
  select * into strict batch_row from public.entry_batches
  where entry_batches.tenant_id = tenant and entry_batches.id = batch for update;
  if batch_row.push ->> 'state' = 'done' then
    return;
  end if;
  update public.entry_batches set push = jsonb_build_object('state', result -> 'state',
    'at', private.iso(now()), 'error', left(result ->> 'error', 1000), 'files', result -> 'files')
  where entry_batches.tenant_id = tenant and entry_batches.id = batch
  returning * into batch_row;
  if result ->> 'error' is null and batch_row.exported_at is null then
    update public.entry_batches set exported_at = now(), exported_by = 'system'
    where entry_batches.tenant_id = tenant and entry_batches.id = batch
    returning * into batch_row;
    perform private.record_export(batch_row);
  end if;
  perform private.settle_push_failures(tenant);
  if result ->> 'error' is not null then
    select * into connection from public.connections
    where connections.tenant_id = tenant
      and connections.id = private.push_settings(batch_row) ->> 'connection_id'
      and connections.deleted_at is null;
    if found then
      perform private.note_failure(connection, private.push_error(batch_row),
        coalesce((result ->> 'needs_person')::boolean, false));
    end if;
  end if;
end $function$;
