-- Reading security events and verifying their chain: for admins of the tenant.

create function private.security_event_json(e public.security_events) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', e.id, 'seq', e.seq, 'at', private.iso(e.at), 'type', e.type, 'actor', e.actor,
    'actor_issuer', e.actor_issuer,
    'actor_subject', e.actor_subject, 'credential', e.credential,
    'home_tenant_id', e.home_tenant_id, 'cross_tenant', e.cross_tenant, 'operation', e.operation,
    'target', e.target,
    'address', host(e.address), 'request_id', e.request_id, 'reason', e.reason, 'details',
    e.details,
    'hash', e.hash, 'prev_hash', e.prev_hash
  );
end $$;

-- What an event is searched by: who, to what by name and ID, in which period, and why.
create function private.security_event_search_text(e public.security_events) returns text
language plpgsql stable set search_path = '' as $$
begin
  return lower(concat_ws(' ', e.actor, e.target, e.reason, e.details ->> 'name',
    e.details ->> 'target_name', e.details ->> 'reconciliation_name', e.details ->> 'file_name',
    e.details ->> 'email', e.details ->> 'url'));
end $$;

-- Newest first. input: { limit, after: [at, seq] | null, through: seq | null, type, actor, target,
-- q, cross_tenant, since, until }. `type` may end with .* for all types of a kind.
create function private.security_events_page(input jsonb) returns jsonb
language plpgsql stable set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  kind constant text := case when input ->> 'type' like '%.*' then left(input ->> 'type', -1) end;
  words constant text[] := private.word_patterns(input ->> 'q');
  items jsonb;
begin
  select jsonb_agg(private.security_event_json(e) order by e.at desc, e.seq desc) into items
  from (
    select * from public.security_events x
    where x.tenant_id = private.tenant_id() and x.seq is not null
      and (input -> 'after' ->> 0 is null
      or (x.at, x.seq) < ((input -> 'after' ->> 0)::timestamptz, (input -> 'after' ->> 1)::bigint))
      and (input ->> 'through' is null or x.seq <= (input ->> 'through')::bigint)
      and (input ->> 'type' is null or kind is not null or x.type = input ->> 'type')
      and (kind is null or starts_with(x.type, kind))
      and (input ->> 'actor' is null or x.actor = input ->> 'actor')
      and (input ->> 'target' is null or x.target = input ->> 'target')
      and (words = '{}' or private.security_event_search_text(x) like all (words))
      and (input ->> 'cross_tenant' is null or x.cross_tenant = (input ->> 'cross_tenant')::boolean)
      and (input ->> 'since' is null or x.at >= (input ->> 'since')::timestamptz)
      and (input ->> 'until' is null or x.at < (input ->> 'until')::timestamptz)
    order by x.at desc, x.seq desc
    limit page_size + 1
  ) e;
  return private.page(items, page_size, 'at', 'seq');
end $$;

-- input: as private.security_events_page.
create function public.list_security_events(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.begin_request(request, 'list_security_events');
  return private.security_events_page(input);
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_security_event(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  e public.security_events;
begin
  perform private.begin_request(request, 'get_security_event');
  select * into e from public.security_events x
  where x.chain = private.tenant_id() and x.id = input ->> 'id'
    and x.tenant_id = private.tenant_id() and x.seq is not null;
  if not found then
    perform private.refuse_missing('security event');
  end if;
  return private.security_event_json(e);
end $$;

create function private.checkpoint_json(c private.security_event_checkpoints) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'kind', c.kind, 'seq', c.seq, 'hash', c.hash, 'at', private.iso(c.at), 'key_id', c.key_id,
    'signature', c.signature
  );
end $$;

-- The end of the caller's own chain, and its signed states. `unchained`: an event whose number the
-- chain did not assign, which would be listed and never verified.
create function private.chain_state_of_caller() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  own_chain constant text := case when private.may('read:security-events') then private.tenant_id()
    end;
  head private.security_event_heads;
begin
  select * into head from private.security_event_heads chain_head
  where chain_head.chain = own_chain;
  return jsonb_build_object(
    'chain', own_chain, 'as_of', private.iso(now()),
    'head', case when head.seq > 0 then jsonb_build_object('seq', head.seq, 'hash', head.hash) end,
    'unchained', least(
      (select min(event.id) from public.security_events event
        where event.chain = own_chain and event.seq is null),
      (select min(event.id) from public.security_events event
        where event.chain = own_chain and event.seq < 1),
      (select min(event.id) from public.security_events event
        where event.chain = own_chain and event.seq > coalesce(head.seq, 0)),
      (select min(event.id) from public.security_events event
        where event.tenant_id = own_chain and event.chain <> own_chain)
    ),
    'checkpoints', (
      select coalesce(jsonb_agg(private.checkpoint_json(checkpoint) order by checkpoint.seq), '[]')
      from private.security_event_checkpoints checkpoint where checkpoint.chain = own_chain
    )
  );
end $$;

-- input: {}. Returns the state of the chain, from which walk_security_event_chain starts.
create function public.open_security_event_chain(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.begin_request(request, 'open_security_event_chain');
  return private.chain_state_of_caller();
end $$;

-- Events as the texts that their hash covers, null if there are none. An event counts if both its
-- chain and its tenant are the caller's.
create function private.security_event_texts(after bigint, through bigint,
  page_size integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(to_jsonb(e) order by e.seq::bigint, e.id)
    from (
      select x.seq::text, x.prev_hash, x.hash, x.id, private.iso(x.at) as at, x.type, x.actor,
        x.actor_issuer, x.actor_subject, x.credential,
        x.home_tenant_id, x.cross_tenant::text, x.operation, x.target, host(x.address) as address,
        x.request_id, x.reason, x.details::text
      from public.security_events x
      where x.chain = private.tenant_id() and x.tenant_id = private.tenant_id() and x.seq > after
        and x.seq <= through
      order by x.seq, x.id
      limit page_size
    ) e
  );
end $$;

-- input: { after: seq, through: seq, limit }. A later step of open_security_event_chain. It reads
-- steps of numbers: with only the chain's end as a bound, each page would sort everything that is
-- left. After a gap wider than a step it searches up to the end.
create function public.walk_security_event_chain(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  after constant bigint := input ->> 'after';
  through constant bigint := input ->> 'through';
  page_size constant integer := input ->> 'limit';
begin
  perform private.begin_request(request || '{"continues": true}', 'walk_security_event_chain');
  return coalesce(
    private.security_event_texts(after, least(through, after + page_size), page_size),
    private.security_event_texts(after, through, page_size),
    '[]'
  );
end $$;

-- input: the filters, with `export` in the request. Returns { through }: the present end of the
-- chain, where the export stops.
create function public.open_security_event_export(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.begin_request(request, 'open_security_event_export');
  return jsonb_build_object('through', (
    select coalesce(max(x.seq), 0)::text from public.security_events x
    where x.chain = private.tenant_id() and x.tenant_id = private.tenant_id() and x.seq is not null
  ));
end $$;

-- input: as list_security_events with `through`. A later step of open_security_event_export.
create function public.continue_security_event_export(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.begin_request(request || '{"continues": true}', 'continue_security_event_export');
  return private.security_events_page(input);
end $$;

grant execute on function
  private.security_event_json(public.security_events), private.security_events_page(jsonb),
  private.security_event_search_text(public.security_events),
  private.chain_state_of_caller(),
  private.security_event_texts(bigint, bigint, integer)
to authenticated;
