-- Connections over the wire.

-- Refuses: invalid_request for settings that don't fit together.
create function private.require_connection(c public.connections) returns void
language plpgsql stable set search_path = '' as $$
declare
  fitting constant text[] := case c.kind
    when 'https' then '{none,bearer,signed_query,password}'::text[]
    when 's3' then '{access_key}' when 'mail' then '{none}' else '{password,private_key}' end;
begin
  if (c.kind = 'mail') <> (cardinality(c.allowed_senders) > 0) then
    perform private.refuse_field('allowed_senders', 'Give at least one with mail, and only then.');
  elsif c.kind <> 'mail' and (c.kind = 'sftp') <> starts_with(c.address, 'sftp:') then
    perform private.refuse_field('address', case c.kind when 'sftp' then
      'Give an address of sftp, such as sftp://sftp.bank.example/outgoing.' else
      'Give an https address.' end);
  elsif c.auth <> all (fitting) then
    perform private.refuse_field('auth', format('With %s, give one of: %s.', c.kind,
      array_to_string(fitting, ', ')));
  elsif c.auth in ('password', 'private_key', 'access_key') and c.user_name is null then
    perform private.refuse_field('user_name', case c.kind when 's3' then
      'Give the ID of the access key.' else 'Give the name to sign in by.' end);
  elsif c.auth = 'signed_query' and strpos(c.address, '?') > 0 then
    perform private.refuse_field('address',
      'Leave the query out: it is a secret. Send it as the credential.');
  elsif c.kind = 's3' and c.region is null then
    perform private.refuse_field('region', 'Give the region of the bucket.');
  elsif c.kind in ('https', 'mail') and c.afterwards <> 'leave' then
    perform private.refuse_field('afterwards', format('With %s, it can only be leave.', c.kind));
  elsif (c.afterwards = 'move') <> (c.move_to is not null) then
    perform private.refuse_field('move_to', 'Give it with afterwards: move, and only then.');
  elsif c.host_key is not null and c.kind <> 'sftp' then
    perform private.refuse_field('host_key', 'Only sftp has a host key.');
  elsif c.schedule ->> 'calendar_id' is not null and private.current_calendar_no(c.tenant_id,
    c.schedule ->> 'calendar_id') is null then
    perform private.refuse_field('schedule.calendar_id', 'There is no such calendar.');
  end if;
end $$;

-- Stores what input has of { credential_id, sealed_credential }. Without a credential what is
-- stored is kept, unless it would go to another address. Refuses: invalid_request.
create function private.store_connection_credential(before public.connections,
  c public.connections, input jsonb) returns void
language plpgsql volatile set search_path = '' as $$
declare
  origin constant text := '^[a-z0-9]+://[^/?#]+';
  has_moved constant boolean := before.id is null or (c.auth, c.user_name)
    is distinct from (before.auth, before.user_name)
    or substring(c.address from origin) <> substring(before.address from origin)
    or c.kind = 'https' and c.address <> before.address;
begin
  if input ->> 'sealed_credential' is null and c.auth <> 'none' and has_moved then
    perform private.refuse_field('credential',
      'Send the credential: it is not stored for this address and sign-in.');
  elsif input ->> 'sealed_credential' is not null and c.auth = 'none' then
    perform private.refuse_field('credential', 'With auth none, there is no credential.');
  end if;
  if input ->> 'sealed_credential' is not null or c.auth = 'none' then
    delete from private.connection_credentials credential
    where credential.tenant_id = c.tenant_id and credential.connection_id = c.id;
  end if;
  if input ->> 'sealed_credential' is not null then
    insert into private.connection_credentials (id, tenant_id, connection_id, sealed)
    values (input ->> 'credential_id', c.tenant_id, c.id, input ->> 'sealed_credential');
    update public.connections connection set credential_changed_at = now()
    where connection.tenant_id = c.tenant_id and connection.id = c.id;
  end if;
end $$;

-- What the audit log stores of a connection.
create function private.connection_facts(c public.connections) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (private.connection_json(c)
    - '{id,next_look_at,last_look_at,last_outcome,last_error,failing_since}'::text[]
    - '{created_at,created_by,updated_at}'::text[])
    || jsonb_build_object('name', (select s.name from public.sources s
      where s.tenant_id = c.tenant_id and s.source_no = c.source_no));
end $$;

-- input: { source_id, credential_id, sealed_credential } and the columns. Refuses: not_found,
-- invalid_request, conflict if the source has a connection. Records: connection.created.
create function public.create_connection(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'create_connection');
  defaults constant jsonb := '{"file_glob": "*", "afterwards": "leave", "stable_seconds": 10,
    "waits_for_marker": false, "allowed_senders": []}';
  s public.sources;
  c public.connections;
begin
  if replayed is not null then
    return replayed;
  end if;
  s := private.find_source(input ->> 'source_id');
  c := jsonb_populate_record(null::public.connections, defaults || input || jsonb_build_object(
    'tenant_id', s.tenant_id, 'source_no', s.source_no));
  perform private.require_connection(c);
  insert into public.connections (source_no, kind, address, auth, user_name, region, file_glob,
    allowed_senders, schedule, afterwards, move_to, stable_seconds, waits_for_marker, assigned_to,
    host_key)
  values (c.source_no, c.kind, c.address, c.auth, c.user_name, c.region, c.file_glob,
    c.allowed_senders, nullif(c.schedule, 'null'), c.afterwards, c.move_to, c.stable_seconds,
    c.waits_for_marker, c.assigned_to, c.host_key)
  on conflict do nothing
  returning * into c;
  if not found then
    perform private.refuse_conflict('source_connected',
      'The source has a connection. Change it, or delete it first.');
  end if;
  perform private.store_connection_credential(null, c, input);
  perform private.plan_connection(c);
  c := private.find_connection(c.id);
  perform private.record_security_event('connection.created', c.id, null,
    private.connection_facts(c));
  return private.finish_request(request, private.versioned_connection_json(c));
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
  select jsonb_agg(private.connection_json(c) order by c.id desc) into items
  from (
    select * from public.connections x
    where x.tenant_id = private.tenant_id() and x.deleted_at is null
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (wanted is null or x.source_no = wanted)
    order by x.id desc limit page_size + 1
  ) c;
  return private.page(items, page_size, 'id');
end $$;

-- input: { id, patch }, of the writable columns, { credential_id, sealed_credential } among them. A
-- host key that is set or removed lets a stopped connection go on. Refuses: not_found,
-- precondition_failed, invalid_request. Records: connection.updated, connection.host_key_changed.
create function public.update_connection(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'update_connection');
  patch constant jsonb := input -> 'patch';
  before public.connections;
  c public.connections;
begin
  if replayed is not null then
    return replayed;
  end if;
  before := private.lock_connection(input ->> 'id');
  perform private.require_version(private.connection_version(before), request -> 'versions');
  c := jsonb_populate_record(before, patch);
  c.schedule := nullif(c.schedule, 'null');
  if patch ->> 'afterwards' in ('leave', 'delete') and not patch ? 'move_to' then
    c.move_to := null;
  end if;
  if before.status = 'stopped' and patch ? 'host_key' and not patch ? 'status' then
    c.status := 'active';
  end if;
  if c.kind = 'mail' and c.address <> before.address then
    perform private.refuse_field('address', 'The address of a mailbox stays as it is.');
  end if;
  perform private.require_connection(c);
  if substring(c.address from '^[a-z0-9]+://[^/?#]+')
    <> substring(before.address from '^[a-z0-9]+://[^/?#]+') and not patch ? 'host_key' then
    c.host_key := null;
  end if;
  c := private.write_connection(before, c, patch);
  return private.finish_request(request, private.versioned_connection_json(c));
end $$;

-- Stores a changed connection and records what changed.
create function private.write_connection(before public.connections, c public.connections,
  patch jsonb) returns public.connections
language plpgsql volatile set search_path = '' as $$
declare
  changes jsonb;
begin
  update public.connections x set
    address = c.address, auth = c.auth, user_name = c.user_name, region = c.region,
    file_glob = c.file_glob, allowed_senders = c.allowed_senders, schedule = c.schedule,
    afterwards = c.afterwards, move_to = c.move_to, stable_seconds = c.stable_seconds,
    waits_for_marker = c.waits_for_marker, assigned_to = c.assigned_to, host_key = c.host_key,
    status = c.status
  where x.tenant_id = c.tenant_id and x.id = c.id;
  perform private.store_connection_credential(before, c, patch);
  select coalesce(jsonb_object_agg(n.key, jsonb_build_object('from', o.value, 'to', n.value)), '{}')
  into changes
  from jsonb_each(private.connection_facts(c)) n
  join jsonb_each(private.connection_facts(before)) o on o.key = n.key
  where o.value is distinct from n.value;
  if patch ? 'sealed_credential' then
    changes := changes || '{"credential": {"from": "stored", "to": "replaced"}}';
  end if;
  if changes = '{}' then
    return private.find_connection(c.id);
  end if;
  update public.connections x set updated_at = now()
  where x.tenant_id = c.tenant_id and x.id = c.id;
  if changes ?| '{schedule,status}' then
    perform private.plan_connection(c);
  end if;
  perform private.record_security_event(case when changes ? 'host_key'
    then 'connection.host_key_changed' else 'connection.updated' end, c.id, null,
    jsonb_build_object('name', private.connection_facts(c) -> 'name', 'changes', changes));
  return private.find_connection(c.id);
end $$;

-- input: { id }. Its credential goes at once; what it imported stays. Refuses: not_found,
-- precondition_failed. Records: connection.deleted.
create function public.delete_connection(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'delete_connection');
  c public.connections;
begin
  if replayed is not null then
    return replayed;
  end if;
  c := private.lock_connection(input ->> 'id');
  perform private.require_version(private.connection_version(c), request -> 'versions');
  delete from private.connection_credentials x
  where x.tenant_id = c.tenant_id and x.connection_id = c.id;
  update public.connections x
  set deleted_at = now(), next_look_at = null, expected_at = null, lease = null
  where x.tenant_id = c.tenant_id and x.id = c.id;
  perform private.record_security_event('connection.deleted', c.id, null,
    private.connection_facts(c));
  return private.finish_request(request, jsonb_build_object('id', c.id, 'deleted', true));
end $$;

-- input: { id }. Answers what a test needs: the settings, and { credential_id, sealed }. Refuses:
-- not_found.
create function public.open_connection_test(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  c public.connections;
begin
  perform private.begin_request(request, 'open_connection_test');
  c := private.find_connection(input ->> 'id');
  return private.connection_json(c) || coalesce(private.sealed_credential(c), '{}');
end $$;

-- What a test found, as the answer that a repeated call gets. input: { answer }.
create function public.finish_connection_test(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'finish_connection_test');
begin
  return coalesce(replayed, private.finish_request(request, input -> 'answer'));
end $$;

-- { credential_id, sealed } of a connection; null for none.
create function private.sealed_credential(c public.connections) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_build_object('credential_id', x.id, 'sealed', x.sealed)
    from private.connection_credentials x
    where x.tenant_id = c.tenant_id and x.connection_id = c.id);
end $$;

-- input: { id }. Looks now, paused or not. Refuses: not_found; conflict while the host key has
-- changed, or by mail, which comes by itself. Records: connection.fetch_requested.
create function public.fetch_connection(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'fetch_connection');
  c public.connections;
begin
  if replayed is not null then
    return replayed;
  end if;
  c := private.lock_connection(input ->> 'id');
  if c.status = 'stopped' then
    perform private.refuse_conflict('host_key_changed',
      'The server showed another host key. Check it with the bank, then set host_key.');
  end if;
  if c.kind = 'mail' then
    perform private.refuse_conflict('not_fetched',
      'Mail comes by itself: ask the sender to send the file to the address.');
  end if;
  perform private.queue_look(c, true);
  perform private.record_security_event('connection.fetch_requested', c.id, null,
    jsonb_build_object('name', private.connection_facts(c) -> 'name'));
  return private.finish_request(request, private.connection_json(c));
end $$;

-- Newest first. input: { id, limit, after: [id] | null }. Refuses: not_found.
create function public.list_connection_files(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  c public.connections;
  items jsonb;
begin
  perform private.begin_request(request, 'list_connection_files');
  c := private.find_connection(input ->> 'id');
  select jsonb_agg(private.connection_file_json(f) order by f.id desc) into items
  from (
    select * from public.connection_files x
    where x.tenant_id = c.tenant_id and x.connection_id = c.id
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
    order by x.id desc limit page_size + 1
  ) f;
  return private.page(items, page_size, 'id');
end $$;
