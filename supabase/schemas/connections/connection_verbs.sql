-- Connections over the wire: create, change, test, fetch, delete.

-- Refuses: invalid_request for settings that don't fit together.
create function private.require_connection(connection public.connections) returns void
language plpgsql stable set search_path = '' as $$
declare
  fitting constant text[] := case connection.kind
    when 'https' then '{none,bearer,signed_query,password}'::text[]
    when 's3' then '{access_key}' when 'mail' then '{none}' else '{password,private_key}' end;
begin
  if (connection.kind = 'mail') <> (cardinality(connection.allowed_senders) > 0) then
    perform private.refuse_field('allowed_senders', 'Required for mail, otherwise not allowed.');
  elsif connection.kind <> 'mail'
    and (connection.kind = 'sftp') <> starts_with(connection.address, 'sftp:') then
    perform private.refuse_field('address', case connection.kind when 'sftp' then
      'Enter an sftp address, such as sftp://sftp.bank.example/outgoing.' else
      'Enter an https address.' end);
  elsif connection.auth <> all (fitting) then
    perform private.refuse_field('auth', format('With %s, send one of: %s.', connection.kind,
      array_to_string(fitting, ', ')));
  elsif connection.auth in ('password', 'private_key', 'access_key')
    and connection.user_name is null then
    perform private.refuse_field('user_name', case connection.kind when 's3' then
      'Enter the ID of the access key.' else 'Enter the name to sign in with.' end);
  elsif connection.auth = 'signed_query' and strpos(connection.address, '?') > 0 then
    perform private.refuse_field('address',
      'Leave the query out: it is a secret. Send it as the credential.');
  elsif connection.kind = 's3' and connection.region is null then
    perform private.refuse_field('region', 'Enter the region of the bucket.');
  elsif connection.kind in ('https', 'mail') and connection.afterwards <> 'leave' then
    perform private.refuse_field('afterwards', format('With %s, it can only be leave.',
      connection.kind));
  elsif (connection.afterwards = 'move') <> (connection.move_to is not null) then
    perform private.refuse_field('move_to',
      'Required with afterwards: move, otherwise not allowed.');
  elsif connection.host_key is not null and connection.kind <> 'sftp' then
    perform private.refuse_field('host_key', 'Only sftp has a host key.');
  elsif connection.schedule ->> 'calendar_id' is not null
    and private.current_calendar_no(connection.tenant_id,
    connection.schedule ->> 'calendar_id') is null then
    perform private.refuse_field('schedule.calendar_id', 'There is no such calendar.');
  end if;
end $$;

-- input: { credential_id, sealed_credential }, or neither. Without a credential the stored one is
-- kept, unless it would be sent to another address. Refuses: invalid_request.
create function private.store_connection_credential(before public.connections,
  connection public.connections, input jsonb) returns void
language plpgsql volatile set search_path = '' as $$
declare
  origin constant text := '^[a-z0-9]+://[^/?#]+';
  has_moved constant boolean := before.id is null or (connection.auth, connection.user_name)
    is distinct from (before.auth, before.user_name)
    or substring(connection.address from origin) <> substring(before.address from origin)
    or connection.kind = 'https' and connection.address <> before.address;
begin
  if input ->> 'sealed_credential' is null and connection.auth <> 'none' and has_moved then
    perform private.refuse_field('credential',
      'Send the credential: it is not stored for this address and sign-in.');
  elsif input ->> 'sealed_credential' is not null and connection.auth = 'none' then
    perform private.refuse_field('credential', 'With auth none, there is no credential.');
  end if;
  if input ->> 'sealed_credential' is not null or connection.auth = 'none' then
    delete from private.connection_credentials credential
    where credential.tenant_id = connection.tenant_id and credential.connection_id = connection.id;
  end if;
  if input ->> 'sealed_credential' is not null then
    insert into private.connection_credentials (id, tenant_id, connection_id, sealed)
    values (input ->> 'credential_id', connection.tenant_id, connection.id,
      input ->> 'sealed_credential');
    update public.connections set credential_changed_at = now()
    where connections.tenant_id = connection.tenant_id and connections.id = connection.id;
  end if;
end $$;

-- What the audit log stores of a connection.
create function private.connection_facts(connection public.connections) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (private.connection_json(connection)
    - '{id,next_look_at,last_look_at,last_outcome,last_error,failing_since}'::text[]
    - '{created_at,created_by,updated_at}'::text[])
    || jsonb_build_object('name', (select source.name from public.sources source
      where source.tenant_id = connection.tenant_id and source.source_no = connection.source_no));
end $$;

-- input: { source_id, credential_id, sealed_credential } and the columns. Refuses: not_found,
-- invalid_request, conflict if the source has a connection. Records: connection.created.
create function public.create_connection(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'create_connection');
  defaults constant jsonb := '{"file_glob": "*", "afterwards": "leave", "stable_seconds": 10,
    "waits_for_marker": false, "allowed_senders": []}';
  source public.sources;
  connection public.connections;
begin
  if replayed is not null then
    return replayed;
  end if;
  source := private.find_source(input ->> 'source_id');
  connection := jsonb_populate_record(null::public.connections,
    defaults || input || jsonb_build_object(
    'tenant_id', source.tenant_id, 'source_no', source.source_no));
  perform private.require_connection(connection);
  insert into public.connections (source_no, kind, address, auth, user_name, region, file_glob,
    allowed_senders, schedule, afterwards, move_to, stable_seconds, waits_for_marker, assigned_to,
    host_key)
  values (connection.source_no, connection.kind, connection.address, connection.auth,
    connection.user_name, connection.region, connection.file_glob,
    connection.allowed_senders, nullif(connection.schedule, 'null'), connection.afterwards,
    connection.move_to, connection.stable_seconds,
    connection.waits_for_marker, connection.assigned_to, connection.host_key)
  on conflict do nothing
  returning * into connection;
  if not found then
    perform private.refuse_conflict('source_connected',
      'The source has a connection. Change it, or delete it first.');
  end if;
  perform private.store_connection_credential(null, connection, input);
  perform private.plan_connection(connection);
  connection := private.find_connection(connection.id);
  perform private.record_security_event('connection.created', connection.id, null,
    private.connection_facts(connection));
  return private.finish_request(request, private.versioned_connection_json(connection));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_connection(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.begin_request(request, 'get_connection');
  return private.versioned_connection_json(private.find_connection(input ->> 'id'));
end $$;

-- Newest first. input: { limit, after: [id] | null, source_id }. Refuses: not_found.
create function public.list_connections(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  wanted integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_connections');
  if input ->> 'source_id' is not null then
    wanted := (private.find_source(input ->> 'source_id')).source_no;
  end if;
  select jsonb_agg(private.connection_json(connection) order by connection.id desc) into items
  from (
    select * from public.connections connection
    where connection.tenant_id = private.tenant_id() and connection.deleted_at is null
      and (input -> 'after' ->> 0 is null or connection.id < input -> 'after' ->> 0)
      and (wanted is null or connection.source_no = wanted)
    order by connection.id desc limit page_size + 1
  ) connection;
  return private.page(items, page_size, 'id');
end $$;

-- input: { id, patch }; patch has writable columns, including { credential_id, sealed_credential }.
-- Setting or removing the host key resumes a stopped connection. Refuses: not_found,
-- precondition_failed, invalid_request. Records: connection.updated, connection.host_key_changed.
create function public.update_connection(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'update_connection');
  patch constant jsonb := input -> 'patch';
  before public.connections;
  connection public.connections;
begin
  if replayed is not null then
    return replayed;
  end if;
  before := private.lock_connection(input ->> 'id');
  perform private.require_version(private.connection_version(before), request -> 'versions');
  connection := jsonb_populate_record(before, patch);
  connection.schedule := nullif(connection.schedule, 'null');
  if patch ->> 'afterwards' in ('leave', 'delete') and not patch ? 'move_to' then
    connection.move_to := null;
  end if;
  if before.status = 'stopped' and patch ? 'host_key' and not patch ? 'status' then
    connection.status := 'active';
  end if;
  if connection.kind = 'mail' and connection.address <> before.address then
    perform private.refuse_field('address', 'The address of a mailbox can''t be changed.');
  end if;
  perform private.require_connection(connection);
  if substring(connection.address from '^[a-z0-9]+://[^/?#]+')
    <> substring(before.address from '^[a-z0-9]+://[^/?#]+') and not patch ? 'host_key' then
    connection.host_key := null;
  end if;
  connection := private.write_connection(before, connection, patch);
  return private.finish_request(request, private.versioned_connection_json(connection));
end $$;

-- Stores a changed connection and records what changed.
create function private.write_connection(before public.connections, connection public.connections,
  patch jsonb) returns public.connections
language plpgsql volatile set search_path = '' as $$
declare
  changes jsonb;
begin
  update public.connections set
    address = connection.address, auth = connection.auth, user_name = connection.user_name,
    region = connection.region,
    file_glob = connection.file_glob, allowed_senders = connection.allowed_senders,
    schedule = connection.schedule,
    afterwards = connection.afterwards, move_to = connection.move_to,
    stable_seconds = connection.stable_seconds,
    waits_for_marker = connection.waits_for_marker, assigned_to = connection.assigned_to,
    host_key = connection.host_key,
    status = connection.status
  where connections.tenant_id = connection.tenant_id and connections.id = connection.id;
  perform private.store_connection_credential(before, connection, patch);
  select coalesce(jsonb_object_agg(new_field.key,
    jsonb_build_object('from', old_field.value, 'to', new_field.value)), '{}')
  into changes
  from jsonb_each(private.connection_facts(connection)) new_field
  join jsonb_each(private.connection_facts(before)) old_field on old_field.key = new_field.key
  where old_field.value is distinct from new_field.value;
  if patch ? 'sealed_credential' then
    changes := changes || '{"credential": {"from": "stored", "to": "replaced"}}';
  end if;
  if changes = '{}' then
    return private.find_connection(connection.id);
  end if;
  update public.connections set updated_at = now()
  where connections.tenant_id = connection.tenant_id and connections.id = connection.id;
  if changes ?| '{schedule,status}' then
    perform private.plan_connection(connection);
  end if;
  perform private.record_security_event(case when changes ? 'host_key'
    then 'connection.host_key_changed' else 'connection.updated' end, connection.id, null,
    jsonb_build_object('name', private.connection_facts(connection) -> 'name', 'changes', changes));
  return private.find_connection(connection.id);
end $$;

-- input: { id }. Its credential is deleted at once; what it imported stays. Refuses: not_found,
-- precondition_failed. Records: connection.deleted.
create function public.delete_connection(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'delete_connection');
  connection public.connections;
begin
  if replayed is not null then
    return replayed;
  end if;
  connection := private.lock_connection(input ->> 'id');
  perform private.require_version(private.connection_version(connection), request -> 'versions');
  delete from private.connection_credentials credential
  where credential.tenant_id = connection.tenant_id and credential.connection_id = connection.id;
  update public.connections
  set deleted_at = now(), next_look_at = null, expected_at = null, lease = null
  where connections.tenant_id = connection.tenant_id and connections.id = connection.id;
  perform private.record_security_event('connection.deleted', connection.id, null,
    private.connection_facts(connection));
  return private.finish_request(request, jsonb_build_object('id', connection.id, 'deleted', true));
end $$;

-- input: { id }. Returns what a test needs: the settings, and { credential_id, sealed }. Refuses:
-- not_found.
create function public.open_connection_test(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  connection public.connections;
begin
  perform private.begin_request(request, 'open_connection_test');
  connection := private.find_connection(input ->> 'id');
  return private.connection_json(connection) || coalesce(private.sealed_credential(connection),
    '{}');
end $$;

-- input: { answer }. Stores the result of a test as the response to a repeated call.
create function public.finish_connection_test(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'finish_connection_test');
begin
  return coalesce(replayed, private.finish_request(request, input -> 'answer'));
end $$;

-- { credential_id, sealed } of a connection; null for none.
create function private.sealed_credential(connection public.connections) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_build_object('credential_id', credential.id, 'sealed', credential.sealed)
    from private.connection_credentials credential
    where credential.tenant_id = connection.tenant_id and credential.connection_id = connection.id);
end $$;

-- input: { id }. Fetches now, paused or not. Refuses: not_found; conflict while a changed host key
-- is not accepted, and for a connection that receives mail. Records: connection.fetch_requested.
create function public.fetch_connection(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'fetch_connection');
  connection public.connections;
begin
  if replayed is not null then
    return replayed;
  end if;
  connection := private.lock_connection(input ->> 'id');
  if connection.status = 'stopped' then
    perform private.refuse_conflict('host_key_changed',
      'The server presented a different host key. Check it with the bank, then set host_key.');
  end if;
  if connection.kind = 'mail' then
    perform private.refuse_conflict('not_fetched',
      'Mail can''t be fetched: ask the sender to send the file to the address.');
  end if;
  perform private.queue_fetch(connection, true);
  perform private.record_security_event('connection.fetch_requested', connection.id, null,
    jsonb_build_object('name', private.connection_facts(connection) -> 'name'));
  return private.finish_request(request, private.connection_json(connection));
end $$;

-- Newest first. input: { id, limit, after: [id] | null }. Refuses: not_found.
create function public.list_connection_files(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  connection public.connections;
  items jsonb;
begin
  perform private.begin_request(request, 'list_connection_files');
  connection := private.find_connection(input ->> 'id');
  select jsonb_agg(private.connection_file_json(file) order by file.id desc) into items
  from (
    select * from public.connection_files file
    where file.tenant_id = connection.tenant_id and file.connection_id = connection.id
      and (input -> 'after' ->> 0 is null or file.id < input -> 'after' ->> 0)
    order by file.id desc limit page_size + 1
  ) file;
  return private.page(items, page_size, 'id');
end $$;
