-- Sources over the wire.

create function private.source_json(s public.sources) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', s.id, 'name', s.name, 'kind', s.kind, 'currency', s.currency, 'time_zone', s.time_zone,
    'sign', s.sign, 'mapping', s.mapping,
    'grace_days', s.grace_days, 'line_count', s.line_count, 'last_import_at',
    private.iso(s.last_import_at),
    'created_at', private.iso(s.created_at), 'created_by', s.created_by, 'updated_at',
    private.iso(s.updated_at)
  );
end $$;

-- Covers only what people set: no clocks, no counters, nothing that other work adds.
create function private.source_version(s public.sources) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(
    jsonb_build_array(s.name, s.kind, s.currency, s.time_zone, s.sign, s.mapping, s.grace_days));
end $$;

-- A source of the caller's tenant. Refuses: not_found.
create function private.find_source(id text) returns public.sources
language plpgsql stable set search_path = '' as $$
declare
  s public.sources;
begin
  select * into s from public.sources x where x.tenant_id = private.tenant_id() and x.id = $1;
  if not found then
    perform private.refuse_missing('source');
  end if;
  return s;
end $$;

-- What the audit log stores of a source.
create function private.source_facts(s public.sources) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return jsonb_build_object('name', s.name, 'kind', s.kind, 'currency', s.currency,
    'time_zone', s.time_zone, 'sign', s.sign, 'grace_days', s.grace_days, 'mapping', s.mapping);
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
  s public.sources;
begin
  perform private.begin_request(request, 'get_source');
  s := private.find_source(input ->> 'id');
  return private.source_json(s) || jsonb_build_object('version', private.source_version(s));
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
  perform private.lock_sources_exclusively(s.tenant_id, array[s.source_no]) from public.sources s
  where s.tenant_id = private.tenant_id() and s.id = input ->> 'id'
    and (coalesce(input #>> '{patch,currency}', s.currency),
      coalesce(input #>> '{patch,sign}', s.sign)) <> (s.currency, s.sign);
  select * into before
  from public.sources x
  where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('source');
  end if;
  perform private.require_version(private.source_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  after.mapping := nullif(after.mapping, 'null');
  if after is distinct from before then
    update public.sources x set
      name = after.name, kind = after.kind, currency = after.currency, time_zone = after.time_zone,
      sign = after.sign,
      mapping = after.mapping, grace_days = after.grace_days
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into after;
    perform private.record_security_event('source.updated', after.id, null, (
      select jsonb_build_object('name', after.name, 'changes', coalesce(jsonb_object_agg(
        n.key, jsonb_build_object('from', o.value, 'to', n.value)), '{}'))
      from jsonb_each(private.source_facts(after)) n
      join jsonb_each(private.source_facts(before)) o on o.key = n.key
      where o.value is distinct from n.value
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
  select jsonb_agg(private.source_json(s) order by s.id desc) into items
  from (
    select * from public.sources x
    where x.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'kind' is null or x.kind = input ->> 'kind')
      and lower(x.name) like all (patterns)
    order by x.id desc
    limit page_size + 1
  ) s;
  return private.page(items, page_size, 'id');
end $$;

grant execute on function
  private.source_json(public.sources), private.source_version(public.sources),
  private.find_source(text)
to authenticated;
