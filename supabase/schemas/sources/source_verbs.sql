-- Sources over the wire.

create function private.source_json(source public.sources) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', source.id, 'name', source.name, 'kind', source.kind, 'currency', source.currency,
    'time_zone', source.time_zone,
    'sign', source.sign, 'mapping', source.mapping,
    'grace_days', source.grace_days, 'line_count', source.line_count,
    'last_import_at', private.iso(source.last_import_at),
    'created_at', private.iso(source.created_at), 'created_by', source.created_by,
    'updated_at', private.iso(source.updated_at)
  );
end $$;

-- Covers only what people set: no clocks, no counters, nothing that other work adds.
create function private.source_version(source public.sources) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(
    jsonb_build_array(source.name, source.kind, source.currency, source.time_zone, source.sign,
      source.mapping, source.grace_days));
end $$;

-- A source of the caller's tenant. Refuses: not_found.
create function private.find_source(id text) returns public.sources
language plpgsql stable set search_path = '' as $$
declare
  source public.sources;
begin
  select * into source from public.sources where sources.tenant_id = private.tenant_id()
    and sources.id = $1;
  if not found then
    perform private.refuse_missing('source');
  end if;
  return source;
end $$;

-- What the audit log stores of a source.
create function private.source_facts(source public.sources) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return jsonb_build_object('name', source.name, 'kind', source.kind, 'currency', source.currency,
    'time_zone', source.time_zone, 'sign', source.sign, 'grace_days', source.grace_days,
    'mapping', source.mapping);
end $$;

-- input: the columns. Refuses: conflict beyond the quota. Records: source.created.
create function private.create_source(input jsonb) returns public.sources
language plpgsql volatile set search_path = '' as $$
declare
  created public.sources;
begin
  perform private.require_quota('sources');
  insert into public.sources (name, kind, currency, time_zone, sign, mapping, grace_days)
  values (
    input ->> 'name', input ->> 'kind', input ->> 'currency',
    coalesce(input ->> 'time_zone', 'UTC'), coalesce(input ->> 'sign', 'as_is'),
    nullif(input -> 'mapping', 'null'), coalesce((input ->> 'grace_days')::smallint, 3)
  )
  returning * into created;
  perform private.record_security_event('source.created', created.id, null,
    private.source_facts(created));
  return created;
end $$;

-- input, refusals and record: as private.create_source.
create function public.create_source(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'create_source');
  created public.sources;
begin
  if replayed is not null then
    return replayed;
  end if;
  created := private.create_source(input);
  return private.finish_request(request,
    private.source_json(created) || jsonb_build_object('version', private.source_version(created)));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_source(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  source public.sources;
begin
  perform private.begin_request(request, 'get_source');
  source := private.find_source(input ->> 'id');
  return private.source_json(source)
    || jsonb_build_object('version', private.source_version(source));
end $$;

-- input: { id, patch }, the writable columns; `mapping` is replaced whole. Refuses: not_found,
-- precondition_failed, conflict. Records: source.updated.
create function public.update_source(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'update_source');
  before public.sources;
  after public.sources;
begin
  if replayed is not null then
    return replayed;
  end if;
  -- Exclusively if its currency or sign changes, with which its lines are read.
  perform private.lock_sources_exclusively(source.tenant_id, array[source.source_no])
    from public.sources source
  where source.tenant_id = private.tenant_id() and source.id = input ->> 'id'
    and (coalesce(input #>> '{patch,currency}', source.currency),
      coalesce(input #>> '{patch,sign}', source.sign)) <> (source.currency, source.sign);
  select * into before
  from public.sources source
  where source.tenant_id = private.tenant_id() and source.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('source');
  end if;
  perform private.require_version(private.source_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  after.mapping := nullif(after.mapping, 'null');
  if after is distinct from before then
    update public.sources source set
      name = after.name, kind = after.kind, currency = after.currency, time_zone = after.time_zone,
      sign = after.sign,
      mapping = after.mapping, grace_days = after.grace_days
    where source.tenant_id = before.tenant_id and source.id = before.id
    returning * into after;
    if after.kind <> before.kind then
      perform private.revoke_signatures_of_source(after.tenant_id, after.source_no, '-infinity',
        'The kind of a source was changed.');
    end if;
    perform private.record_security_event('source.updated', after.id, null, (
      select jsonb_build_object('name', after.name, 'changes', coalesce(jsonb_object_agg(
        new_field.key, jsonb_build_object('from', old_field.value, 'to', new_field.value)), '{}'))
      from jsonb_each(private.source_facts(after)) new_field
      join jsonb_each(private.source_facts(before)) old_field on old_field.key = new_field.key
      where old_field.value is distinct from new_field.value
    ));
  end if;
  return private.finish_request(request,
    private.source_json(after) || jsonb_build_object('version', private.source_version(after)));
end $$;

-- Newest first. input: { limit, after: [id] | null, kind, q }: every word of q is part of the name.
create function public.list_sources(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  patterns constant text[] := private.word_patterns(coalesce(input ->> 'q', ''));
  items jsonb;
begin
  perform private.begin_request(request, 'list_sources');
  select jsonb_agg(private.source_json(source) order by source.id desc) into items
  from (
    select * from public.sources source
    where source.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or source.id < input -> 'after' ->> 0)
      and (input ->> 'kind' is null or source.kind = input ->> 'kind')
      and lower(source.name) like all (patterns)
    order by source.id desc
    limit page_size + 1
  ) source;
  return private.page(items, page_size, 'id');
end $$;

grant execute on function
  private.source_json(public.sources), private.source_version(public.sources),
  private.find_source(text)
to authenticated;
