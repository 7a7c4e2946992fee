-- Reading security events, and walking their chain.

create function private.security_event_json(e public.security_events) returns jsonb
language sql stable set search_path = ''
return jsonb_build_object(
  'id', e.id, 'seq', e.seq, 'at', private.iso(e.at), 'type', e.type, 'actor', e.actor, 'credential', e.credential,
  'home_tenant_id', e.home_tenant_id, 'cross_tenant', e.cross_tenant, 'operation', e.operation, 'target', e.target,
  'address', host(e.address), 'request_id', e.request_id, 'reason', e.reason, 'details', e.details,
  'hash', e.hash, 'prev_hash', e.prev_hash
);

-- input: { limit, after: [at, seq] | null, through: seq | null, type, actor, target, cross_tenant, since, until }. `type` may end with
-- .* for all of a kind.
create function private.security_events_page(input jsonb) returns jsonb
language plpgsql stable set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  kind constant text := case when input ->> 'type' like '%.*' then left(input ->> 'type', -1) end;
  page jsonb;
begin
  select jsonb_agg(private.security_event_json(e) order by e.at desc, e.seq desc) into page
  from (
    select * from public.security_events x
    where x.tenant_id = private.tenant_id() and x.seq is not null
      and (input -> 'after' ->> 0 is null or (x.at, x.seq) < ((input -> 'after' ->> 0)::timestamptz, (input -> 'after' ->> 1)::bigint))
      and (input ->> 'through' is null or x.seq <= (input ->> 'through')::bigint)
      and (input ->> 'type' is null or kind is not null or x.type = input ->> 'type')
      and (kind is null or starts_with(x.type, kind))
      and (input ->> 'actor' is null or x.actor = input ->> 'actor')
      and (input ->> 'target' is null or x.target = input ->> 'target')
      and (input ->> 'cross_tenant' is null or x.cross_tenant = (input ->> 'cross_tenant')::boolean)
      and (input ->> 'since' is null or x.at >= (input ->> 'since')::timestamptz)
      and (input ->> 'until' is null or x.at < (input ->> 'until')::timestamptz)
    order by x.at desc, x.seq desc
    limit page_size + 1
  ) e;
  return private.page(page, page_size, case when jsonb_array_length(coalesce(page, '[]')) > page_size then
    jsonb_build_array(page -> (page_size - 1) -> 'at', (page -> (page_size - 1) ->> 'seq')) end);
end $$;

create function public.list_security_events(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  return private.security_events_page(input);
end $$;

create function public.get_security_event(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  e public.security_events;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  select * into e from public.security_events x where x.id = input ->> 'id' and x.tenant_id = private.tenant_id() and x.seq is not null;
  if not found then
    perform private.refuse('not_found', 'There is no such security event.');
  end if;
  return private.security_event_json(e);
end $$;

-- How far the tenant's chain goes, and the states of it that were signed.
create function private.chain_state(chain text) returns jsonb
language sql stable security definer set search_path = ''
return jsonb_build_object(
  'chain', $1, 'as_of', private.iso(now()),
  'head', (select jsonb_build_object('seq', h.seq, 'hash', h.hash) from private.security_event_heads h where h.chain = $1 and h.seq > 0),
  'unchained', (
    select min(e.id) from public.security_events e where e.seq is null and coalesce(e.tenant_id, '*') = $1
  ),
  'checkpoints', (
    select coalesce(jsonb_agg(jsonb_build_object(
      'kind', c.kind, 'seq', c.seq, 'hash', c.hash, 'at', private.iso(c.at), 'key_id', c.key_id, 'signature', c.signature
    ) order by c.seq), '[]')
    from private.security_event_checkpoints c where c.chain = $1
  )
);

create function private.own_chain_state() returns jsonb
language sql stable security definer set search_path = '' as $$
  select private.chain_state(private.tenant_id()) where private.allows('{tenant_admin}', '{}');
$$;

-- input: {}.
create function public.open_security_event_chain(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  return private.own_chain_state();
end $$;

-- input: { after: seq, through: seq, limit }: events as the texts that their hash is made of. A later step of what
-- open_security_event_chain opened.
create function public.walk_security_event_chain(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request || '{"continues": true}', '{tenant_admin}', '{}');
  return (
    select coalesce(jsonb_agg(to_jsonb(e) order by e.seq::bigint, e.id), '[]')
    from (
      select x.seq::text, x.prev_hash, x.hash, x.id, private.iso(x.at) as at, x.type, x.actor, x.credential, x.home_tenant_id,
        x.cross_tenant::text, x.operation, x.target, host(x.address) as address, x.request_id, x.reason, x.details::text
      from public.security_events x
      where x.tenant_id = private.tenant_id() and coalesce(x.tenant_id, '*') = private.tenant_id()
        and x.seq > (input ->> 'after')::bigint and x.seq <= (input ->> 'through')::bigint
      order by x.seq, x.id
      limit (input ->> 'limit')::integer
    ) e
  );
end $$;

-- input: the filters, with `format` in the request: the first page of an export, whose end is the chain's as it is now.
create function public.open_security_event_export(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  return jsonb_build_object('through', (
    select coalesce(max(x.seq), 0)::text from public.security_events x
    where x.tenant_id = private.tenant_id() and coalesce(x.tenant_id, '*') = private.tenant_id() and x.seq is not null
  ));
end $$;

-- input: as list_security_events with `through`: a later step of what open_security_event_export opened.
create function public.continue_security_event_export(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request || '{"continues": true}', '{tenant_admin}', '{}');
  return private.security_events_page(input);
end $$;

grant execute on function private.security_event_json(public.security_events), private.security_events_page(jsonb), private.own_chain_state()
to authenticated;
grant execute on function
  public.list_security_events(jsonb, jsonb), public.get_security_event(jsonb, jsonb), public.open_security_event_chain(jsonb, jsonb),
  public.walk_security_event_chain(jsonb, jsonb), public.open_security_event_export(jsonb, jsonb),
  public.continue_security_event_export(jsonb, jsonb)
to authenticated;
