-- Fetching: for the worker alone. A look is one job of a connection at a time; its lease is in
-- every write, so that a look that another took over changes nothing. A file and its import change
-- in one transaction: wherever a worker dies, each file is imported exactly once.

-- The worker acts for the tenant, as the system.
create function private.act_for_tenant(tenant text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform set_config('request.jwt.claims',
    jsonb_build_object('tenant_id', tenant, 'actor', 'system')::text, true);
end $$;

-- Queues a look, one at a time of each connection. `by_hand`: whether or not it is due.
create function private.queue_look(c public.connections, by_hand boolean) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform graphile_worker.add_job('fetch_connection',
    private.with_request_id(jsonb_build_object(
      'tenant_id', c.tenant_id, 'connection_id', c.id, 'by_hand', by_hand)),
    queue_name => 'connection:' || c.id, max_attempts => 25,
    job_key => 'connection:' || c.id || case when by_hand then ':by hand' else '' end,
    flags => private.job_flags(c.tenant_id, 'connection'));
end $$;

-- Queues the looks that are due. Returns how many.
create function private.queue_due_looks(batch integer default 500) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  c public.connections;
  queued integer := 0;
begin
  for c in
    select * from public.connections x where x.next_look_at <= now()
    order by x.next_look_at limit batch for no key update skip locked
  loop
    perform private.queue_look(c, false);
    -- The look plans the next one. A look that is lost is queued again.
    update public.connections x set next_look_at = now() + interval '1 hour'
    where x.tenant_id = c.tenant_id and x.id = c.id;
    queued := queued + 1;
  end loop;
  return queued;
end $$;

-- Begins a look and takes over from one that died. Returns the settings with { lease,
-- credential_id, sealed, source: { currency, time_zone, mapping } }; null for nothing to do.
create function private.begin_look(tenant text, connection text, by_hand boolean) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  c public.connections;
begin
  perform private.act_for_tenant(tenant);
  update public.connections looked_at set lease = private.new_id('lck')
  where looked_at.tenant_id = tenant and looked_at.id = connection and looked_at.deleted_at is null
    and (looked_at.status = 'active' or by_hand and looked_at.status = 'paused')
  returning * into c;
  if not found then
    return null;
  end if;
  -- What an earlier look began and did not finish.
  delete from public.imports import using public.connection_files file
  where file.tenant_id = tenant and file.connection_id = c.id and file.outcome = 'fetching'
    and import.tenant_id = tenant and import.id = file.import_id and import.status = 'receiving';
  delete from public.connection_files file
  where file.tenant_id = tenant and file.connection_id = c.id and file.outcome = 'fetching';
  return private.connection_json(c) || coalesce(private.sealed_credential(c), '{}')
    || jsonb_build_object('lease', c.lease, 'source', (
      select jsonb_build_object('currency', source.currency, 'time_zone', source.time_zone,
        'mapping', source.mapping)
      from public.sources source
      where source.tenant_id = tenant and source.source_no = c.source_no));
end $$;

-- The connection that takes mail at an address: { tenant_id, connection_id, allowed_senders }.
create function private.find_inbox(address text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select jsonb_build_object('tenant_id', c.tenant_id, 'connection_id', c.id,
      'allowed_senders', to_jsonb(c.allowed_senders))
    from public.connections c
    where c.address = $1 and c.kind = 'mail' and c.status = 'active' and c.deleted_at is null);
end $$;

-- The connection, locked, if this look still has it. Refuses: conflict.
create function private.require_lease(tenant text, connection text, lease text)
returns public.connections
language plpgsql volatile set search_path = '' as $$
declare
  c public.connections;
begin
  perform private.act_for_tenant(tenant);
  select * into c from public.connections x
  where x.tenant_id = tenant and x.id = connection and x.lease = $3 and x.deleted_at is null
  for no key update;
  if not found then
    perform private.refuse_conflict('state_changed',
      'Another look at this connection has taken over, or it was deleted.');
  end if;
  return c;
end $$;

-- Whether to go on with a server that shows this host key: its first one is pinned, and another one
-- stops the connection. Records: connection.host_key_changed.
create function private.accepts_host_key(tenant text, connection text, shown text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  c public.connections;
begin
  perform private.act_for_tenant(tenant);
  select * into c from public.connections x
  where x.tenant_id = tenant and x.id = connection and x.deleted_at is null
  for no key update;
  if not found or c.host_key = shown then
    return found;
  end if;
  perform private.record_security_event('connection.host_key_changed', c.id, null,
    jsonb_build_object('name', private.connection_facts(c) -> 'name', 'changes',
      jsonb_build_object('host_key', jsonb_build_object('from', c.host_key, 'to', shown))));
  update public.connections x set
    host_key = coalesce(x.host_key, shown),
    status = case when x.host_key is null then x.status else 'stopped' end
  where x.tenant_id = c.tenant_id and x.id = c.id;
  return c.host_key is null;
end $$;

-- files: [{ path, bytes, modified_at }] as listed. Returns each with { state, file_id, error }:
-- new; known, with nothing to do; failed before, with nothing changed since; done, so that it can
-- be moved or deleted.
create function private.known_files(tenant text, connection text, files jsonb, by_hand boolean)
returns table (place bigint, state text, file_id text, error text)
language plpgsql stable security definer set search_path = '' as $$
begin
  return query
  select given.place, case
      when known_file.id is null or known_file.outcome = 'failed'
        and (by_hand or known_file.tried_at < source.updated_at)
        then 'new'
      when known_file.outcome = 'failed' then 'failed'
      when known_file.outcome in ('imported', 'duplicate')
        and known_file.taken_at is null then 'done'
      else 'known' end, known_file.id, known_file.error
  from jsonb_array_elements(files) with ordinality given (file, place)
  join public.connections looked_at on looked_at.tenant_id = tenant and looked_at.id = connection
  join public.sources source on source.tenant_id = tenant and source.source_no = looked_at.source_no
  left join public.connection_files known_file on known_file.tenant_id = tenant
    and known_file.connection_id = connection and known_file.path = given.file ->> 'path'
    and known_file.bytes = (given.file ->> 'bytes')::bigint
    and known_file.modified_at = (given.file ->> 'modified_at')::timestamptz
  order by given.place;
end $$;

-- file: { path, bytes, modified_at, sender, checks }, which is about to be read. Returns its ID.
-- Refuses: conflict.
create function private.begin_file(tenant text, connection text, lease text,
  file jsonb) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  c public.connections := private.require_lease(tenant, connection, lease);
  begun text;
begin
  delete from public.connection_files x
  where x.tenant_id = tenant and x.connection_id = c.id and x.outcome in ('failed', 'fetching')
    and x.path = file ->> 'path' and x.bytes is not distinct from (file ->> 'bytes')::bigint
    and x.modified_at is not distinct from (file ->> 'modified_at')::timestamptz;
  insert into public.connection_files (tenant_id, connection_id, source_no, path, bytes,
    modified_at, sender, sender_checks)
  values (tenant, c.id, c.source_no, file ->> 'path', (file ->> 'bytes')::bigint,
    (file ->> 'modified_at')::timestamptz, file ->> 'sender', file -> 'checks')
  returning id into begun;
  return begun;
end $$;

-- The file could be opened: its parts follow. Returns the import that they are added to. Refuses:
-- conflict, unavailable.
create function private.open_file_import(tenant text, connection text, lease text, file text,
  format text, file_name text) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  c public.connections := private.require_lease(tenant, connection, lease);
  opened text;
begin
  perform private.require_room(1, 0, null);
  insert into public.imports (source_no, format, file_name)
  values (c.source_no, format, left(open_file_import.file_name, 255))
  returning id into opened;
  update public.connection_files f set import_id = opened
  where f.tenant_id = tenant and f.id = file and f.outcome = 'fetching';
  return opened;
end $$;

create function private.keep_file_part(tenant text, import text, seq integer, bytes bytea)
returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  update public.imports i set bytes_read = i.bytes_read + octet_length(bytes)
  where i.tenant_id = tenant and i.id = import and i.status = 'receiving';
  if not found then
    perform private.refuse_conflict('state_changed', 'Another look has taken over.');
  end if;
  insert into private.import_chunks (tenant_id, import_id, seq, bytes)
  values (tenant, import, seq, bytes);
end $$;

-- The file has arrived whole. whole: { mapping, bytes, sha256 }, the bytes those of the import, the
-- hash that of the file. Queues its import, or drops it if the source has the same content. Returns
-- the file's outcome.
create function private.finish_file(tenant text, connection text, lease text, file text,
  whole jsonb) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  c public.connections := private.require_lease(tenant, connection, lease);
  f public.connection_files;
begin
  select * into strict f from public.connection_files known_file
  where known_file.tenant_id = tenant and known_file.id = file and known_file.outcome = 'fetching';
  -- Two connections of a source finish the same content one after the other.
  perform from public.sources source
  where source.tenant_id = tenant and source.source_no = c.source_no for no key update;
  if exists (
    select from public.connection_files known_file
    where known_file.tenant_id = tenant and known_file.source_no = c.source_no
      and known_file.sha256 = whole ->> 'sha256' and known_file.outcome in ('importing', 'imported')
  ) then
    delete from public.imports import
    where import.tenant_id = tenant and import.id = f.import_id and import.status = 'receiving';
    -- Without a size and a time, each look reads the file again.
    if (f.modified_at is null or f.bytes is null) and exists (
      select from public.connection_files known_file where known_file.tenant_id = tenant
        and known_file.connection_id = c.id and known_file.path = f.path
        and known_file.sha256 = whole ->> 'sha256'
    ) then
      delete from public.connection_files known_file
      where known_file.tenant_id = tenant and known_file.id = f.id;
      return 'known';
    end if;
    update public.connection_files known_file
    set outcome = 'duplicate', sha256 = whole ->> 'sha256', import_id = null
    where known_file.tenant_id = tenant and known_file.id = f.id;
    return 'duplicate';
  end if;
  update public.connection_files known_file set outcome = 'importing', sha256 = whole ->> 'sha256'
  where known_file.tenant_id = tenant and known_file.id = f.id;
  perform private.queue_import(f.import_id, nullif(whole -> 'mapping', 'null'),
    (whole ->> 'bytes')::bigint, whole ->> 'sha256');
  return 'importing';
end $$;

-- The file cannot be imported; nothing of it is kept.
create function private.fail_file(tenant text, connection text, lease text, file text,
  error text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_lease(tenant, connection, lease);
  delete from public.imports i using public.connection_files f
  where f.tenant_id = tenant and f.id = file and i.tenant_id = tenant and i.id = f.import_id
    and i.status = 'receiving';
  update public.connection_files f
  set outcome = 'failed', error = left(fail_file.error, 1000), import_id = null, tried_at = now()
  where f.tenant_id = tenant and f.id = file and f.outcome = 'fetching';
end $$;

-- The file was moved or deleted at the server.
create function private.file_taken(tenant text, connection text, lease text, file text)
returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_lease(tenant, connection, lease);
  update public.connection_files f set taken_at = now()
  where f.tenant_id = tenant and f.id = file;
end $$;

grant execute on function
  private.queue_due_looks(integer), private.find_inbox(text),
  private.begin_look(text, text, boolean),
  private.accepts_host_key(text, text, text), private.known_files(text, text, jsonb, boolean),
  private.begin_file(text, text, text, jsonb),
  private.open_file_import(text, text, text, text, text, text),
  private.keep_file_part(text, text, integer, bytea),
  private.finish_file(text, text, text, text, jsonb),
  private.fail_file(text, text, text, text, text), private.file_taken(text, text, text, text)
to service_role;
