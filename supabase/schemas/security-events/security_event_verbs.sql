-- Reading security events and verifying their chain: for admins of the tenant.

create function private.security_event_json(event public.security_events) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', event.id, 'seq', event.seq, 'at', private.iso(event.at), 'type', event.type,
    'actor', event.actor,
    'actor_issuer', event.actor_issuer,
    'actor_subject', event.actor_subject, 'credential', event.credential,
    'home_tenant_id', event.home_tenant_id, 'cross_tenant', event.cross_tenant,
    'operation', event.operation,
    'target', event.target,
    'address', host(event.address), 'request_id', event.request_id, 'reason', event.reason,
    'details', event.details,
    'hash', event.hash, 'prev_hash', event.prev_hash
  );
end $$;

-- The numbers of the tenant's events that have all of these words; null if there are more than
-- 5,000, or if no word has a trigram: then reading the list in its order fills a page sooner. It
-- runs above row-level security, under which no index of words is used.
create function private.narrow_events_by_search(search text) returns bigint[]
language plpgsql stable security definer set search_path = '' as $$
declare
  max_count constant integer := 5000;
  numbers bigint[];
begin
  if not private.may('read:security-events') then
    return '{}';
  elsif not private.has_trigrams(search) then
    return null;
  end if;
  execute format(
    'select array(select event.seq from public.security_events event
      where event.tenant_id = %L and event.seq is not null and %s limit %s)',
    private.tenant_id(), (
      select string_agg(format(
        'private.security_event_search_text(actor, target, reason, details) like %L', pattern),
        ' and ')
      from unnest(private.word_patterns(search)) pattern
    ), max_count + 1) into numbers;
  return case when cardinality(numbers) <= max_count then numbers end;
end $$;

-- Newest first. input: { limit, after: [at, seq] | null, through: seq | null, type, actor, target,
-- q, cross_tenant, since, until }. `type` may end with .* for all types of a kind.
create function private.security_events_page(input jsonb) returns jsonb
language plpgsql stable set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  kind constant text := case when input ->> 'type' like '%.*' then left(input ->> 'type', -1) end;
  words constant text[] := private.word_patterns(input ->> 'q');
  found_numbers constant bigint[] := case when words <> '{}' then
    private.narrow_events_by_search(input ->> 'q') end;
  items jsonb;
begin
  select jsonb_agg(private.security_event_json(event)
    order by event.at desc, event.seq desc) into items
  from (
    select * from public.security_events event
    where event.tenant_id = private.tenant_id() and event.seq is not null
      and (input -> 'after' ->> 0 is null
      or (event.at, event.seq) < ((input -> 'after' ->> 0)::timestamptz,
        (input -> 'after' ->> 1)::bigint))
      and (input ->> 'through' is null or event.seq <= (input ->> 'through')::bigint)
      and (input ->> 'type' is null or kind is not null or event.type = input ->> 'type')
      and (kind is null or starts_with(event.type, kind))
      and (input ->> 'actor' is null or event.actor = input ->> 'actor')
      and (input ->> 'target' is null or event.target = input ->> 'target')
      and (found_numbers is null or event.chain = private.tenant_id()
        and event.seq = any (found_numbers))
      and (words = '{}' or found_numbers is not null
        or private.security_event_search_text(event.actor, event.target, event.reason,
          event.details) like all (words))
      and (input ->> 'cross_tenant' is null
      or event.cross_tenant = (input ->> 'cross_tenant')::boolean)
      and (input ->> 'since' is null or event.at >= (input ->> 'since')::timestamptz)
      and (input ->> 'until' is null or event.at < (input ->> 'until')::timestamptz)
    order by event.at desc, event.seq desc
    limit page_size + 1
  ) event;
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
  event public.security_events;
begin
  perform private.begin_request(request, 'get_security_event');
  select * into event from public.security_events
  where security_events.chain = private.tenant_id() and security_events.id = input ->> 'id'
    and security_events.tenant_id = private.tenant_id() and security_events.seq is not null;
  if not found then
    perform private.refuse_missing('security event');
  end if;
  return private.security_event_json(event);
end $$;

create function private.checkpoint_json(checkpoint private.security_event_checkpoints) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'kind', checkpoint.kind, 'seq', checkpoint.seq, 'hash', checkpoint.hash,
    'at', private.iso(checkpoint.at), 'key_id', checkpoint.key_id,
    'signature', checkpoint.signature
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
    select jsonb_agg(to_jsonb(event) order by event.seq::bigint, event.id)
    from (
      select event.seq::text, event.prev_hash, event.hash, event.id, private.iso(event.at) as at,
        event.type, event.actor,
        event.actor_issuer, event.actor_subject, event.credential,
        event.home_tenant_id, event.cross_tenant::text, event.operation, event.target,
        host(event.address) as address,
        event.request_id, event.reason, event.details::text
      from public.security_events event
      where event.chain = private.tenant_id() and event.tenant_id = private.tenant_id()
        and event.seq > after
        and event.seq <= through
      order by event.seq, event.id
      limit page_size
    ) event
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
    select coalesce(max(event.seq), 0)::text from public.security_events event
    where event.chain = private.tenant_id() and event.tenant_id = private.tenant_id()
      and event.seq is not null
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
  private.security_event_search_text(text, text, text, jsonb),
  private.narrow_events_by_search(text),
  private.chain_state_of_caller(),
  private.security_event_texts(bigint, bigint, integer)
to authenticated;
