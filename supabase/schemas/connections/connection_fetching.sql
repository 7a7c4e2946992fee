-- Fetching, by the worker only. A connection has one fetch at a time. Every write checks the lease
-- of its fetch, so a fetch that another worker has taken over changes nothing. A file and its
-- import change in one transaction: wherever a worker dies, each file is imported exactly once.

-- The worker acts for the tenant, as the system.
create function private.act_for_tenant(tenant text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform set_config('request.jwt.claims',
    jsonb_build_object('tenant_id', tenant, 'actor', 'system')::text, true);
end $$;

-- Queues a fetch; each connection has at most one. `by_hand`: fetch even if none is due.
create function private.queue_fetch(connection public.connections, by_hand boolean) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform graphile_worker.add_job('fetch_connection',
    private.with_request_id(jsonb_build_object(
      'tenant_id', connection.tenant_id, 'connection_id', connection.id, 'by_hand', by_hand)),
    queue_name => 'connection:' || connection.id, max_attempts => 25,
    job_key => 'connection:' || connection.id || case when by_hand then ':by hand' else '' end,
    flags => private.job_flags(connection.tenant_id, 'connection'));
end $$;

-- Queues the fetches that are due. Returns how many.
create function private.queue_due_fetches(batch integer default 500) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  connection public.connections;
  queued integer := 0;
begin
  for connection in
    select * from public.connections where connections.next_look_at <= now()
    order by connections.next_look_at limit batch for no key update skip locked
  loop
    perform private.queue_fetch(connection, false);
    -- The fetch plans the next one. A fetch that is lost is queued again.
    update public.connections set next_look_at = now() + interval '1 hour'
    where connections.tenant_id = connection.tenant_id and connections.id = connection.id;
    queued := queued + 1;
  end loop;
  return queued;
end $$;

-- Deletes the files and imports that a fetch began but did not finish.
create function private.drop_unfinished_files(connection public.connections) returns void
language plpgsql volatile set search_path = '' as $$
begin
  delete from public.imports import using public.connection_files file
  where file.tenant_id = connection.tenant_id and file.connection_id = connection.id
    and file.outcome = 'fetching' and import.tenant_id = file.tenant_id
    and import.id = file.import_id and import.status = 'receiving';
  delete from public.connection_files file
  where file.tenant_id = connection.tenant_id and file.connection_id = connection.id
    and file.outcome = 'fetching';
end $$;

-- Begins a fetch and takes over from one that died. Returns the settings with { lease,
-- credential_id, sealed, source: { currency, time_zone, mapping } }; null if there is nothing to
-- do.
create function private.begin_fetch(tenant text, connection text, by_hand boolean) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
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
end $$;

-- The connection that receives mail at an address: { tenant_id, connection_id, allowed_senders }.
create function private.find_inbox(address text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select jsonb_build_object('tenant_id', connection.tenant_id, 'connection_id', connection.id,
      'allowed_senders', to_jsonb(connection.allowed_senders))
    from public.connections connection
    where connection.address = $1 and connection.kind = 'mail' and connection.status = 'active'
      and connection.deleted_at is null);
end $$;

-- The connection, locked, if this fetch still has it. Refuses: conflict.
create function private.require_lease(tenant text, connection text, lease text)
returns public.connections
language plpgsql volatile set search_path = '' as $$
declare
  connection_row public.connections;
begin
  perform private.act_for_tenant(tenant);
  select * into connection_row from public.connections
  where connections.tenant_id = tenant and connections.id = connection and connections.lease = $3
    and connections.deleted_at is null
  for no key update;
  if not found then
    perform private.refuse_conflict('state_changed',
      'Another fetch of this connection has taken over, or it was deleted.');
  end if;
  return connection_row;
end $$;

-- Whether to continue with a server that presents this host key. The first key is pinned; a
-- different one stops the connection. Records: connection.host_key_changed.
create function private.accepts_host_key(tenant text, connection text, shown text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
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
end $$;

-- files: [{ path, bytes, modified_at }] as the server lists them. Returns each with { state,
-- file_id, error }. States: new; failed before; done, so that it can be moved or deleted; known,
-- with nothing to do. A failed file is new again once its source was changed; in a fetch by hand,
-- failed and undone files are.
create function private.known_files(tenant text, connection text, files jsonb, by_hand boolean)
returns table (place bigint, state text, file_id text, error text)
language plpgsql stable security definer set search_path = '' as $$
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
end $$;

-- Records a file that is about to be read: { path, bytes, modified_at, sender, checks }. Returns
-- its ID. Refuses: conflict.
create function private.begin_file(tenant text, connection text, lease text,
  file jsonb) returns text
language plpgsql volatile security definer set search_path = '' as $$
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
end $$;

-- Creates the import of a file that could be opened, and returns its ID. The parts of the file
-- follow. Refuses: conflict, unavailable.
create function private.open_file_import(tenant text, connection text, lease text, file text,
  format text, file_name text) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  connection_row public.connections := private.require_lease(tenant, connection, lease);
  opened text;
begin
  perform private.require_room(1, 0, null);
  insert into public.imports (source_no, format, file_name)
  values (connection_row.source_no, format, left(open_file_import.file_name, 255))
  returning id into opened;
  update public.connection_files set import_id = opened
  where connection_files.tenant_id = tenant and connection_files.id = file
    and connection_files.outcome = 'fetching';
  return opened;
end $$;

create function private.keep_file_part(tenant text, import text, seq integer, bytes bytea)
returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  update public.imports set bytes_read = imports.bytes_read + octet_length(bytes)
  where imports.tenant_id = tenant and imports.id = import and imports.status = 'receiving';
  if not found then
    perform private.refuse_conflict('state_changed', 'Another fetch has taken over.');
  end if;
  insert into private.import_chunks (tenant_id, import_id, seq, bytes)
  values (tenant, import, seq, bytes);
end $$;

-- Queues the import of a file that has arrived completely, or drops it if the source already has
-- the same content. whole: { mapping, bytes, sha256 }; `bytes` counts the import's content,
-- `sha256` is the file's. Returns the file's outcome.
create function private.finish_file(tenant text, connection text, lease text, file text,
  whole jsonb) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  connection_row public.connections := private.require_lease(tenant, connection, lease);
  file_row public.connection_files;
begin
  select * into strict file_row from public.connection_files
  where connection_files.tenant_id = tenant and connection_files.id = file
    and connection_files.outcome = 'fetching';
  -- Two connections of a source finish the same content one after the other.
  perform from public.sources source
  where source.tenant_id = tenant and source.source_no = connection_row.source_no for no key update;
  if exists (
    select from public.connection_files
    where connection_files.tenant_id = tenant
      and connection_files.source_no = connection_row.source_no
      and connection_files.sha256 = whole ->> 'sha256'
      and connection_files.outcome in ('importing', 'imported')
  ) then
    delete from public.imports import
    where import.tenant_id = tenant and import.id = file_row.import_id
      and import.status = 'receiving';
    -- Without a size and a time, each fetch reads the file again.
    if (file_row.modified_at is null or file_row.bytes is null) and exists (
      select from public.connection_files where connection_files.tenant_id = tenant
        and connection_files.connection_id = connection_row.id
        and connection_files.path = file_row.path
        and connection_files.sha256 = whole ->> 'sha256'
    ) then
      delete from public.connection_files
      where connection_files.tenant_id = tenant and connection_files.id = file_row.id;
      return 'known';
    end if;
    update public.connection_files
    set outcome = 'duplicate', sha256 = whole ->> 'sha256', import_id = null
    where connection_files.tenant_id = tenant and connection_files.id = file_row.id;
    return 'duplicate';
  end if;
  update public.connection_files set outcome = 'importing', sha256 = whole ->> 'sha256'
  where connection_files.tenant_id = tenant and connection_files.id = file_row.id;
  perform private.queue_import(file_row.import_id, nullif(whole -> 'mapping', 'null'),
    (whole ->> 'bytes')::bigint, whole ->> 'sha256');
  return 'importing';
end $$;

-- Fails a file that cannot be imported, and deletes its content.
create function private.fail_file(tenant text, connection text, lease text, file text,
  error text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_lease(tenant, connection, lease);
  delete from public.imports import using public.connection_files
  where connection_files.tenant_id = tenant and connection_files.id = file
    and import.tenant_id = tenant and import.id = connection_files.import_id
    and import.status = 'receiving';
  update public.connection_files
  set outcome = 'failed', error = left(fail_file.error, 1000), import_id = null, tried_at = now()
  where connection_files.tenant_id = tenant and connection_files.id = file
    and connection_files.outcome = 'fetching';
end $$;

-- Records that the file was moved or deleted on the server.
create function private.file_taken(tenant text, connection text, lease text, file text)
returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_lease(tenant, connection, lease);
  update public.connection_files set taken_at = now()
  where connection_files.tenant_id = tenant and connection_files.id = file;
end $$;

grant execute on function
  private.queue_due_fetches(integer), private.find_inbox(text),
  private.begin_fetch(text, text, boolean),
  private.accepts_host_key(text, text, text), private.known_files(text, text, jsonb, boolean),
  private.begin_file(text, text, text, jsonb),
  private.open_file_import(text, text, text, text, text, text),
  private.keep_file_part(text, text, integer, bytea),
  private.finish_file(text, text, text, text, jsonb),
  private.fail_file(text, text, text, text, text), private.file_taken(text, text, text, text)
to service_role;
