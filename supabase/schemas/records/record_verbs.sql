-- Records over the wire. `surface` is the path's name; the contract defines the meaning of its
-- fields.

-- The wire form and the version its ETag is made of. The record's own fields come first, so that
-- none can pose as the server's. The publishable key doesn't see who made it.
create function private.record_json(stored_record public.records) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  deletion jsonb := '{"soft_delete": false, "deleted_at": null, "purge_at": null}';
begin
  if stored_record.deleted_at is not null then
    deletion := jsonb_build_object('soft_delete', true,
      'deleted_at', private.iso(stored_record.deleted_at),
      'purge_at', private.iso(private.record_purge_at(stored_record.deleted_at)));
  end if;
  return jsonb_build_object('version', stored_record.version,
    'record', stored_record.data || deletion || jsonb_build_object(
    'id', stored_record.id, 'created_at', private.iso(stored_record.created_at),
    'updated_at', private.iso(stored_record.updated_at),
    'created_by', case when private.principal_type() <> 'publishable_key'
      then stored_record.created_by end
  ));
end $$;

-- Whether deleted records are requested. Refuses: role_required for callers who may not restore.
create function private.includes_deleted(input jsonb) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  if coalesce(input ->> 'include_deleted', 'false') not in ('true', 'only') then
    return false;
  elsif not private.may('restore:' || (input ->> 'surface')) then
    perform private.refuse('role_required',
      'Deleted records require the role tenant_admin. Ask a tenant admin.');
  end if;
  return true;
end $$;

-- 64 kB as sent are at most 96 kB with the spaces that Postgres adds. Refuses: payload_too_large.
create function private.require_record_size(data jsonb) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if octet_length(data::text) > 98304 then
    perform private.refuse('payload_too_large', 'A record can have at most 64 kB of JSON.');
  end if;
end $$;

-- A record to change, locked until the transaction ends. Refuses: not_found, precondition_failed.
create function private.lock_record(input jsonb, request jsonb) returns public.records
language plpgsql volatile set search_path = '' as $$
declare
  stored_record public.records;
begin
  select * into stored_record from public.records
  where records.tenant_id = private.tenant_id() and records.id = input ->> 'id'
    and records.surface = input ->> 'surface' and records.deleted_at is null
  for no key update;
  if not found then
    perform private.refuse_missing('record');
  end if;
  perform private.require_version(stored_record.version, request -> 'versions');
  return stored_record;
end $$;

-- The newest identifiers from several sources, each with an index in their order.
create function private.newest_records(sources text[], filters text,
  page_size integer) returns text[]
language plpgsql stable set search_path = '' as $$
declare
  scans text;
  ids text[];
begin
  select string_agg(
    format('(select r.id from (%s) r where %s order by r.id desc limit %s)', source, filters,
      page_size),
    ' union all ')
  into scans from unnest(sources) source;
  execute format(
    'select array_agg(f.id order by f.id desc) from (select s.id from (%s) s order by s.id desc limit %s) f',
    scans, page_size)
  into ids;
  return coalesce(ids, '{}');
end $$;

-- The identifiers of a page and one more, newest first; see list_records for the input. It returns
-- only identifiers, above row-level security, under which the search could not use its index; the
-- records are then read under it.
create function private.find_records(input jsonb) returns text[]
language plpgsql stable security definer set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer + 1;
  base_query text := format(
    'select * from public.records r where r.tenant_id = %L and r.surface = %L',
    private.tenant_id(), input ->> 'surface');
  sources text[];
  filters text := 'true';
  ids text[];
begin
  if input -> 'after' ->> 0 is not null then
    base_query := base_query || format(' and r.id < %L', input -> 'after' ->> 0);
  end if;
  sources := case input ->> 'include_deleted'
    when 'true' then array[base_query || ' and r.deleted_at is null',
      base_query || ' and r.deleted_at is not null and private.is_restorable(r.deleted_at)']
    when 'only' then array[base_query
      || ' and r.deleted_at is not null and private.is_restorable(r.deleted_at)']
    else array[base_query || ' and r.deleted_at is null']
  end;
  if private.principal_type() = 'publishable_key' then
    filters := filters || ' and r.published';
  end if;
  if input ->> 'operation' is not null then
    filters := filters || format(' and r.operation = %L', input ->> 'operation');
  end if;
  if input ->> 'updated_since' is not null then
    filters := filters || format(' and r.updated_at >= %L::timestamptz', input ->> 'updated_since');
  end if;
  if input ->> 'q' is not null then
    filters := filters
      || format(' and r.search @@ %L::tsquery',
        private.record_query(private.tenant_id(), input ->> 'surface', input ->> 'q'));
    -- Words that many records have occur among the newest records too: reading those is faster than
    -- any index of words.
    ids := private.newest_records(
      array(select source || ' order by r.id desc limit 2000' from unnest(sources) source),
      filters, page_size);
    if cardinality(ids) = page_size then
      return ids;
    end if;
  end if;
  return private.newest_records(sources, filters, page_size);
end $$;

-- Newest first. input: { surface, limit, after: [id] | null, operation, q, updated_since,
-- include_deleted: "true" | "only" | null }.
-- Refuses: role_required for deleted records.
create function public.list_records(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_records', coalesce(input ->> 'surface', ''));
  perform private.includes_deleted(input);
  select jsonb_agg(private.record_json(stored_record) -> 'record'
    order by stored_record.id desc) into items
  from public.records stored_record
  where stored_record.tenant_id = private.tenant_id()
    and stored_record.id = any ((select private.find_records(input))::text[])
    and stored_record.surface = input ->> 'surface';
  return private.page(items, page_size, 'id');
end $$;

-- input: { surface, data }. Refuses: payload_too_large.
create function public.create_record(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'create_record',
    coalesce(input ->> 'surface', ''));
  created public.records;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_record_size(input -> 'data');
  perform private.require_quota('records');
  insert into public.records (surface, data)
  values (input ->> 'surface', input -> 'data')
  returning * into created;
  return private.finish_request(request, private.record_json(created));
end $$;

-- input: { surface, id, include_deleted }. Refuses: role_required for deleted records, not_found.
create function public.get_record(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  with_deleted boolean;
  answer jsonb;
begin
  perform private.begin_request(request, 'get_record', coalesce(input ->> 'surface', ''));
  with_deleted := private.includes_deleted(input);
  select private.record_json(stored_record) into answer from public.records stored_record
  where stored_record.tenant_id = private.tenant_id() and stored_record.id = input ->> 'id'
    and stored_record.surface = input ->> 'surface'
    and (stored_record.deleted_at is null or with_deleted);
  if answer is null then
    perform private.refuse_missing('record');
  end if;
  return answer;
end $$;

-- input: { surface, id, patch }: a merge patch. Refuses: not_found, precondition_failed,
-- payload_too_large.
create function public.update_record(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'update_record',
    coalesce(input ->> 'surface', ''));
  stored_record public.records;
  patched jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  stored_record := private.lock_record(input, request);
  patched := private.merge_patch(stored_record.data, input -> 'patch');
  if patched <> stored_record.data then
    perform private.require_record_size(patched);
    update public.records
    set data = patched
    where records.tenant_id = stored_record.tenant_id and records.id = stored_record.id
    returning * into stored_record;
  end if;
  return private.finish_request(request, private.record_json(stored_record));
end $$;

-- input: { surface, id }. Refuses: not_found, precondition_failed.
create function public.delete_record(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'delete_record',
    coalesce(input ->> 'surface', ''));
  stored_record public.records;
begin
  if replayed is not null then
    return replayed;
  end if;
  stored_record := private.lock_record(input, request);
  update public.records
  set deleted_at = now()
  where records.tenant_id = stored_record.tenant_id and records.id = stored_record.id
  returning * into stored_record;
  return private.finish_request(request, private.record_json(stored_record));
end $$;

-- input: { surface, id }. Restoring what is not deleted returns it unchanged. Refuses: not_found.
create function public.restore_record(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'restore_record',
    coalesce(input ->> 'surface', ''));
  stored_record public.records;
begin
  if replayed is not null then
    return replayed;
  end if;
  select * into stored_record from public.records
  where records.tenant_id = private.tenant_id() and records.id = input ->> 'id'
    and records.surface = input ->> 'surface'
    and (records.deleted_at is null or private.is_restorable(records.deleted_at)) for update;
  if not found then
    perform private.refuse_missing('record');
  end if;
  if stored_record.deleted_at is not null then
    update public.records
    set deleted_at = null
    where records.tenant_id = stored_record.tenant_id and records.id = stored_record.id
    returning * into stored_record;
  end if;
  return private.finish_request(request, private.record_json(stored_record));
end $$;

grant execute on function
  private.record_json(public.records), private.includes_deleted(jsonb), private.find_records(jsonb)
to anon, authenticated;
