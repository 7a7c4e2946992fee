-- Imports over the wire. An upload has three steps in one request: open_import, keep_import_chunk
-- for each part, create_import.

create function private.import_json(import public.imports) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', import.id,
    'source_id', (select source.id from public.sources source
      where source.tenant_id = import.tenant_id and source.source_no = import.source_no),
    'status', import.status, 'format', import.format, 'file_name', import.file_name,
    'read_count', import.read_count,
    'accepted_count', import.accepted_count,
    'duplicate_count', import.duplicate_count, 'refused_count', import.refused_count,
    'skipped_count', import.skipped_count, 'refusals', import.refusals,
    'skips', import.skips, 'warnings', import.warnings,
    'statements', import.statements, 'opening_balance_minor', import.opening_balance_minor,
    'closing_balance_minor', import.closing_balance_minor,
    'balance_holds', import.balance_holds, 'bytes_read', import.bytes_read,
    'bytes_total', import.bytes_total,
    'failure', import.failure,
    'created_at', private.iso(import.created_at), 'created_by', import.created_by,
    'finished_at', private.iso(import.finished_at),
    'undone_at', private.iso(import.undone_at), 'undone_by', import.undone_by
  );
end $$;

-- Whether an external_id identifies one line in such a file: the tenant's own programs write these
-- formats.
create function private.ids_are_unique(format text) returns boolean
language sql immutable set search_path = '' as $$
  select format in ('ndjson', 'json')
$$;

-- Limits what a tenant may have waiting and what a database may hold, before a byte is stored. Each
-- byte of a file needs about ten until it has become lines, indexes and their log. Refuses:
-- conflict, unavailable.
create function private.require_room(files integer, bytes bigint,
  database_max_bytes bigint) returns void
language plpgsql volatile set search_path = '' as $$
declare
  waiting record;
begin
  if require_room.files > 0 then
    perform private.serialize_counting('imports');
  end if;
  select count(*) as files,
    coalesce(sum(greatest(import.bytes_total, import.bytes_read)), 0) as bytes into waiting
  from public.imports import
    where import.tenant_id = private.tenant_id()
      and import.status in ('receiving', 'queued', 'reading');
  if waiting.files + require_room.files > 20 or waiting.bytes + require_room.bytes > 4294967296 then
    perform private.refuse_conflict('import_queue_full',
      'At most 20 imports of 4 GiB in all can wait or be read at a time. Wait until one is done, and upload the file again.');
  end if;
  if pg_database_size(current_database())
    + 10 * (waiting.bytes + require_room.bytes) > database_max_bytes then
    perform private.refuse('unavailable',
      'There is not enough disk space for this file. Nothing was stored.');
  end if;
end $$;

-- input: { source_id, format, file_name, bytes, database_max_bytes, preview }. Returns { id,
-- source: { currency, time_zone, mapping } }; id is null for a preview, which stores nothing.
-- Refuses: not_found, conflict, unavailable.
create function public.open_import(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  source public.sources;
  opened text;
begin
  perform private.begin_request(request, 'open_import');
  source := private.find_source(input ->> 'source_id');
  if not coalesce((input ->> 'preview')::boolean, false) then
    perform private.require_room(1, coalesce((input ->> 'bytes')::bigint, 0),
      (input ->> 'database_max_bytes')::bigint);
    insert into public.imports (tenant_id, source_no, format, file_name, bytes_total)
    values (source.tenant_id, source.source_no, input ->> 'format', input ->> 'file_name',
      coalesce((input ->> 'bytes')::bigint, 0))
    returning id into opened;
  end if;
  return jsonb_build_object(
    'id', opened,
    'source', jsonb_build_object('currency', source.currency, 'time_zone', source.time_zone,
      'mapping', source.mapping)
  );
end $$;

-- input: { id, seq, bytes, database_max_bytes }: bytes in base64, at most 1 MiB. Refuses:
-- not_found, conflict, unavailable.
create function public.keep_import_chunk(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  part bytea;
begin
  perform private.begin_request(request, 'keep_import_chunk');
  -- The length of the file may be unknown.
  if (input ->> 'seq')::integer % 64 = 63 then
    perform private.require_room(0, 0, (input ->> 'database_max_bytes')::bigint);
  end if;
  part := decode(input ->> 'bytes', 'base64');
  update public.imports import set bytes_read = import.bytes_read + octet_length(part)
  where import.tenant_id = private.tenant_id() and import.id = input ->> 'id'
    and import.status = 'receiving';
  if not found then
    perform private.refuse_missing('import');
  end if;
  insert into private.import_chunks (tenant_id, import_id, seq, bytes)
  values (private.tenant_id(), input ->> 'id', (input ->> 'seq')::integer, part)
  on conflict on constraint import_chunks_pkey do nothing;
  return '{}';
end $$;

-- Queues the uploaded file for a matcher. Refuses: not_found.
create function private.queue_import(import_id text, mapping jsonb, bytes bigint, sha256 text)
returns public.imports
language plpgsql volatile set search_path = '' as $$
declare
  queued public.imports;
begin
  update public.imports import
  set status = 'queued', mapping = queue_import.mapping, bytes_total = bytes, bytes_read = 0
  where import.tenant_id = private.tenant_id() and import.id = $1 and import.status = 'receiving'
  returning * into queued;
  if not found then
    perform private.refuse_missing('import');
  end if;
  perform private.record_source_work(queued.source_no);
  perform private.record_security_event('import.created', queued.id, null, jsonb_build_object(
    'file_name', queued.file_name, 'format', queued.format, 'bytes', bytes, 'sha256', sha256,
    'source_id', (
      select source.id from public.sources source
      where source.tenant_id = queued.tenant_id and source.source_no = queued.source_no
    )
  ));
  -- One file of a source at a time: two files with the same lines would wait for each other.
  perform graphile_worker.add_job(
    'read_import', private.with_request_id(
      jsonb_build_object('tenant_id', queued.tenant_id, 'import_id', queued.id)),
    queue_name => 'source:' || queued.tenant_id || ':' || queued.source_no, max_attempts => 6,
    flags => private.job_flags(queued.tenant_id, 'lines')
  );
  return queued;
end $$;

create function private.drop_receiving_import(import_id text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  delete
  from public.imports import
  where import.tenant_id = private.tenant_id() and import.id = $1 and import.status = 'receiving';
end $$;

-- The last step: the upload is complete. input: { id, mapping, bytes, sha256 }. Records:
-- import.created. If the idempotency key was used before, the file is dropped and the first
-- response returned. Refuses: not_found.
create function public.create_import(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'create_import');
begin
  if replayed is not null then
    perform private.drop_receiving_import(input ->> 'id');
    return replayed;
  end if;
  return private.finish_request(request, private.import_json(
    private.queue_import(input ->> 'id', nullif(input -> 'mapping', 'null'),
      (input ->> 'bytes')::bigint,
      input ->> 'sha256')
  ));
end $$;

-- Drops an upload that is incomplete, or is not to be read. input: { id }.
create function public.drop_import(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.begin_request(request, 'drop_import');
  perform private.drop_receiving_import(input ->> 'id');
  return '{}';
end $$;

-- input: { source_id, format, lines }. Returns { positions } of the lines that are stored already.
-- Refuses: not_found.
create function public.preview_import(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.begin_request(request, 'preview_import');
  return jsonb_build_object(
    'positions', private.known_lines(
      (private.find_source(input ->> 'source_id')).source_no, input -> 'lines',
      private.ids_are_unique(input ->> 'format')
    )
  );
end $$;

-- An import of the caller's tenant whose upload is complete. Refuses: not_found.
create function private.find_import(id text) returns public.imports
language plpgsql stable set search_path = '' as $$
declare
  import public.imports;
begin
  select * into import
  from public.imports
  where imports.tenant_id = private.tenant_id() and imports.id = $1
    and imports.status <> 'receiving';
  if not found then
    perform private.refuse_missing('import');
  end if;
  return import;
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_import(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.begin_request(request, 'get_import');
  return private.import_json(private.find_import(input ->> 'id'));
end $$;

-- Newest first. input: { limit, after: [id] | null, source_id, status }. Refuses: not_found.
create function public.list_imports(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  wanted integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_imports');
  if input ->> 'source_id' is not null then
    wanted := (private.find_source(input ->> 'source_id')).source_no;
  end if;
  select jsonb_agg(private.import_json(import) order by import.id desc) into items
  from (
    select * from public.imports import
    where import.tenant_id = private.tenant_id() and import.status <> 'receiving'
      and (input -> 'after' ->> 0 is null or import.id < input -> 'after' ->> 0)
      and (wanted is null or import.source_no = wanted)
      and (input ->> 'status' is null or import.status = input ->> 'status')
    order by import.id desc
    limit page_size + 1
  ) import;
  return private.page(items, page_size, 'id');
end $$;

grant execute
  on function private.import_json(public.imports), private.find_import(text) to authenticated;
