-- Records over the wire. `surface` is the path's name; what its fields mean is the contract's to say.

-- Opens a request on a surface. The publishable key is let through to the reads of what is public, and to nothing else.
create function private.enter_records(request jsonb, surface text, action text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  if action = 'read' and private.principal_type() = 'publishable_key' and private.is_public_surface(surface) then
    perform private.enter(request, null, null);
  elsif action = 'read' then
    perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', array['read:' || surface]);
  else
    perform private.enter(request, '{tenant_admin,tenant_lead}', array['write:' || surface]);
  end if;
end $$;

-- Deleted records are a tenant admin's to see.
create function private.require_bin_access() returns void
language plpgsql stable set search_path = '' as $$
begin
  if not private.allows('{tenant_admin}', '{}') then
    perform private.refuse('role_required', 'Deleted records are for the role tenant_admin. Ask a tenant admin.');
  end if;
end $$;

-- The wire form and the version its ETag is made of. The record's own fields come first, so none can pose as the server's.
create function private.record_json(r public.records) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object('version', r.version, 'record', r.data || jsonb_build_object(
    'id', r.id, 'created_at', private.iso(r.created_at), 'created_by', r.created_by, 'updated_at', private.iso(r.updated_at),
    'soft_delete', r.deleted_at is not null, 'deleted_at', private.iso(r.deleted_at),
    'purge_at', private.iso(private.record_purge_at(r.deleted_at))
  ));
$$;

-- versions: those that If-Match names, or null.
create function private.require_version(version bigint, versions jsonb) returns void
language plpgsql stable set search_path = '' as $$
begin
  if jsonb_typeof(versions) = 'array' and not versions @> to_jsonb(version) then
    perform private.refuse('precondition_failed',
      'The record is not as If-Match says: it has changed since. Get it again, and repeat your change on what you find.');
  end if;
end $$;

-- 64 kB as sent is at most 96 kB with the spaces that Postgres writes.
create function private.require_record_size(data jsonb) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if octet_length(data::text) > 98304 then
    perform private.refuse('payload_too_large', 'A record may have at most 64 kB of JSON.');
  end if;
end $$;

-- The record under a writer's feet, locked until the transaction ends.
create function private.lock_record(surface text, id text) returns public.records
language plpgsql volatile set search_path = '' as $$
declare
  r public.records;
begin
  select * into r from public.records x
  where x.id = $2 and x.tenant_id = private.tenant_id() and x.surface = $1 and x.deleted_at is null
  for no key update;
  if not found then
    perform private.refuse('not_found', 'There is no such record.');
  end if;
  return r;
end $$;

-- Into the bin and out of it. Not an update by the caller: who may delete need not be one who sees what is deleted.
create function private.bin_record(id text) returns public.records
language plpgsql volatile security definer set search_path = '' as $$
declare
  r public.records;
begin
  update public.records x set deleted_at = now()
  where x.id = $1 and x.tenant_id = private.tenant_id() and x.deleted_at is null and private.may_write_records(x.surface)
  returning * into r;
  return r;
end $$;
create function private.unbin_record(surface text, id text) returns public.records
language plpgsql volatile security definer set search_path = '' as $$
declare
  r public.records;
begin
  perform private.require_bin_access();
  select * into r from public.records x
  where x.id = $2 and x.tenant_id = private.tenant_id() and x.surface = $1 for update;
  if not found then
    perform private.refuse('not_found', 'There is no such record.');
  end if;
  if r.deleted_at is not null then
    update public.records x set deleted_at = null where x.id = r.id returning * into r;
  end if;
  return r;
end $$;

-- The identifiers of a page and of the one after it, newest first; see list_records for the input. Identifiers only, and
-- above row-level security, which would keep the search from its index; the records are then read below it.
create function private.find_records(input jsonb) returns text[]
language plpgsql stable security definer set search_path = '' as $$
declare
  conditions text := format('r.tenant_id = %L and r.surface = %L', private.tenant_id(), input ->> 'surface');
  -- Each has an index in the order of the page.
  parts constant text[] := case input ->> 'include_deleted'
    when 'true' then '{r.deleted_at is null,r.deleted_at is not null}'
    when 'only' then '{r.deleted_at is not null}'
    else '{r.deleted_at is null}'
  end;
  page_size constant integer := (input ->> 'limit')::integer + 1;
  scans text;
  ids text[];
begin
  if private.principal_type() = 'publishable_key' then
    conditions := conditions || ' and r.published';
  end if;
  if input -> 'after' ->> 0 is not null then
    conditions := conditions || format(' and r.id < %L', input -> 'after' ->> 0);
  end if;
  if input ->> 'operation' is not null then
    conditions := conditions || format(' and r.operation = %L', input ->> 'operation');
  end if;
  if input ->> 'updated_since' is not null then
    conditions := conditions || format(' and r.updated_at >= %L::timestamptz', input ->> 'updated_since');
  end if;
  if input ->> 'q' is not null then
    conditions := conditions || format(' and r.search @@ %L::tsquery', private.record_query(input ->> 'q'));
  end if;
  select string_agg(format('(select r.id from public.records r where %s and %s order by r.id desc limit %s)', conditions, part, page_size), ' union all ')
  into scans from unnest(parts) part;
  execute format('select array_agg(f.id order by f.id desc) from (select s.id from (%s) s order by s.id desc limit %s) f', scans, page_size)
  into ids;
  return coalesce(ids, '{}');
end $$;

-- input: { surface, limit, after: [id] | null, operation, q, updated_since, include_deleted: "true" | "only" | null }.
create function public.list_records(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  ids text[];
  page jsonb;
begin
  perform private.enter_records(request, input ->> 'surface', 'read');
  if input ->> 'include_deleted' in ('true', 'only') then
    perform private.require_bin_access();
  end if;
  ids := private.find_records(input);
  select jsonb_agg(private.record_json(r) -> 'record' order by r.id desc) into page
  from public.records r
  where r.id = any (ids) and r.tenant_id = private.tenant_id() and r.surface = input ->> 'surface';
  return private.page(page, page_size, case when cardinality(ids) > page_size then jsonb_build_array(ids[page_size]) end);
end $$;

-- input: { surface, data }.
create function public.create_record(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
  created public.records;
begin
  perform private.enter_records(request, input ->> 'surface', 'write');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  perform private.require_record_size(input -> 'data');
  insert into public.records (surface, data) values (input ->> 'surface', input -> 'data') returning * into created;
  return private.remember(request, private.record_json(created));
end $$;

-- input: { surface, id, include_deleted }.
create function public.get_record(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
  with_deleted constant boolean := coalesce(input ->> 'include_deleted' in ('true', 'only'), false);
begin
  perform private.enter_records(request, input ->> 'surface', 'read');
  if with_deleted then
    perform private.require_bin_access();
  end if;
  select private.record_json(r) into answer from public.records r
  where r.id = input ->> 'id' and r.tenant_id = private.tenant_id() and r.surface = input ->> 'surface'
    and (r.deleted_at is null or with_deleted);
  if answer is null then
    perform private.refuse('not_found', 'There is no such record.');
  end if;
  return answer;
end $$;

-- input: { surface, id, patch, versions }: a merge patch.
create function public.update_record(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  r public.records;
  patched jsonb;
begin
  perform private.enter_records(request, input ->> 'surface', 'write');
  r := private.lock_record(input ->> 'surface', input ->> 'id');
  perform private.require_version(r.version, input -> 'versions');
  patched := private.merge_patch(r.data, input -> 'patch');
  if patched <> r.data then
    perform private.require_record_size(patched);
    update public.records x set data = patched where x.id = r.id and x.tenant_id = r.tenant_id returning * into r;
  end if;
  return jsonb_build_object('replayed', false, 'body', private.record_json(r));
end $$;

-- input: { surface, id, versions }.
create function public.delete_record(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  r public.records;
begin
  perform private.enter_records(request, input ->> 'surface', 'write');
  r := private.lock_record(input ->> 'surface', input ->> 'id');
  perform private.require_version(r.version, input -> 'versions');
  return jsonb_build_object('replayed', false, 'body', private.record_json(private.bin_record(r.id)));
end $$;

-- input: { surface, id }. Restoring what is not deleted returns it unchanged.
create function public.restore_record(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  return private.remember(request, private.record_json(private.unbin_record(input ->> 'surface', input ->> 'id')));
end $$;

grant execute on function
  private.enter_records(jsonb, text, text), private.require_bin_access(), private.record_json(public.records),
  private.find_records(jsonb), public.list_records(jsonb, jsonb), public.get_record(jsonb, jsonb)
to anon, authenticated;
grant execute on function
  private.require_version(bigint, jsonb), private.require_record_size(jsonb), private.lock_record(text, text),
  private.bin_record(text), private.unbin_record(text, text), public.create_record(jsonb, jsonb),
  public.update_record(jsonb, jsonb), public.delete_record(jsonb, jsonb), public.restore_record(jsonb, jsonb)
to authenticated;
