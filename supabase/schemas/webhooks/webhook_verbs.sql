-- Webhooks over the wire: register, change, rotate the secret, test, enable, delete.

-- Attempts of the last hours, counted by bucket. Answer times are the middle of their bucket:
-- within 5 %.
create function private.webhook_health(w public.webhooks, span interval) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    with counted as (
      select t.succeeded, t.bucket, t.attempts from public.webhook_answer_times t
      where t.tenant_id = w.tenant_id and t.webhook_id = w.id and t.hour > now() - span
    ), answered as (
      select bucket, sum(attempts) as attempts, sum(sum(attempts)) over (order by bucket) as up_to,
        sum(sum(attempts)) over () as total
      from counted where bucket >= 0 group by bucket
    )
    select jsonb_build_object(
      'attempts', coalesce(sum(attempts), 0),
      'failures', coalesce(sum(attempts) filter (where not succeeded), 0),
      'success_rate',
      round(coalesce(sum(attempts) filter (where succeeded), 0) / nullif(sum(attempts), 0), 4),
      'p50_ms', (select round(1.1 ^ (min(bucket) + 0.5)) from answered where up_to >= total * 0.5),
      'p95_ms', (select round(1.1 ^ (min(bucket) + 0.5)) from answered where up_to >= total * 0.95)
    )
    from counted
  );
end $$;

create function private.webhook_json(w public.webhooks) returns jsonb
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  last_day constant jsonb := private.webhook_health(w, interval '24 hours');
begin
  return jsonb_build_object(
    'id', w.id, 'url', w.url, 'description', w.description, 'events', w.events,
    'filters', w.filters, 'header_names', w.header_names, 'max_per_minute', w.max_per_minute,
    'oauth', w.oauth,
    'status', w.status,
    'disabled_at', private.iso(w.disabled_at), 'disabled_by', w.disabled_by, 'disabled_reason',
    w.disabled_reason,
    'disabled_detail', w.disabled_detail,
    'health', case
      when w.status = 'disabled' then 'disabled'
      when w.failing_since is not null then 'failing'
      when last_day -> 'success_rate' = 'null' then 'idle'
      when (last_day ->> 'success_rate')::numeric < 0.95 then 'degraded'
      else 'healthy'
    end,
    'last_24h', last_day, 'last_7d', private.webhook_health(w, interval '7 days'),
    'failing_since', private.iso(w.failing_since),
    'disable_at',
    case when w.status = 'active' then private.iso(private.webhook_disable_at(w.failing_since)) end,
    'last_success_at', private.iso(w.last_success_at), 'last_failure_at',
    private.iso(w.last_failure_at),
    'last_failure_kind',
    case when w.failing_since is not null then (private.last_failure(w)).failure_kind end,
    'next_attempt_at', (
      select private.iso(d.next_attempt_at) from public.webhook_deliveries d
      where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.status = 'pending'
        and d.lease is null
        order by d.next_attempt_at limit 1
    ),
    'missed_since', (
      select private.iso(d.created_at) from public.webhook_deliveries d
      where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.status = 'failed'
        and d.created_at > now() - interval '30 days'
      order by d.id limit 1
    ),
    'secret_changed_at', private.iso(w.secret_changed_at),
    'previous_secret_expires_at',
    case when w.previous_secret_expires_at > now() then private.iso(w.previous_secret_expires_at)
      end,
    'created_at', private.iso(w.created_at), 'created_by', w.created_by, 'updated_at',
    private.iso(w.updated_at)
  );
end $$;

-- Hashes only what users set: no clocks and no counters.
create function private.webhook_version(w public.webhooks) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(jsonb_build_array(
    w.url, w.description, w.events, w.status, private.iso(w.disabled_at),
    private.iso(w.secret_changed_at), private.iso(w.deleted_at), w.filters, w.max_per_minute,
    private.iso(w.headers_changed_at), private.iso(w.oauth_changed_at)
  ));
end $$;

-- oauth: { token_url, client_id, scope, secret_id, sealed_secret } or null for none. Without a
-- secret what is stored is kept, unless either address changes: the secret would go to the one, and
-- the token to the other. Refuses: invalid_request.
create function private.store_webhook_client(w public.webhooks, oauth jsonb,
  has_moved boolean default false) returns public.webhooks
language plpgsql volatile set search_path = '' as $$
declare
  origin constant text := '^https?://[^/?#]+';
  settings constant jsonb := nullif(oauth, 'null') - '{secret_id,sealed_secret}'::text[];
begin
  if settings is not null and oauth ->> 'sealed_secret' is null and (has_moved or w.oauth is null
    or substring(w.oauth ->> 'token_url' from origin)
      <> substring(settings ->> 'token_url' from origin)) then
    perform private.refuse_field('oauth.client_secret',
      'Send the client secret: it is not stored for this address.');
  end if;
  if settings is null or oauth ->> 'sealed_secret' is not null then
    delete from private.webhook_clients client
    where client.tenant_id = w.tenant_id and client.webhook_id = w.id;
  end if;
  if oauth ->> 'sealed_secret' is not null then
    insert into private.webhook_clients (id, tenant_id, webhook_id, sealed)
    values (oauth ->> 'secret_id', w.tenant_id, w.id, oauth ->> 'sealed_secret');
  end if;
  update public.webhooks webhook
  set oauth = settings, oauth_changed_at = now(), updated_at = now()
  where webhook.tenant_id = w.tenant_id and webhook.id = w.id
  returning * into w;
  return w;
end $$;

-- input: { url, description, events, filters, headers, max_per_minute, oauth, secret_id,
-- sealed_secret, sealed }; sealed: a secret that was made for the caller, as only the holder of the
-- idempotency key can read it. Refuses: scope_required and role_required for events that the caller
-- may not read, invalid_request for filters, conflict beyond 250 webhooks. Records:
-- webhook.created.
create function public.create_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'create_webhook');
  w public.webhooks;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_readable_events(private.text_array(input -> 'events'));
  perform private.require_filters(input -> 'filters');
  perform private.require_quota('webhooks');
  insert into public.webhooks (url, description, events, filters, max_per_minute)
  values (input ->> 'url', input ->> 'description', private.text_array(input -> 'events'),
    coalesce(input -> 'filters', '{}'), (input ->> 'max_per_minute')::integer)
  returning * into w;
  if jsonb_typeof(input -> 'headers') = 'array' then
    w := private.store_webhook_headers(w, input -> 'headers');
  end if;
  if jsonb_typeof(input -> 'oauth') = 'object' then
    w := private.store_webhook_client(w, input -> 'oauth');
  end if;
  perform private.store_webhook_secret(w.id, input ->> 'secret_id', input ->> 'sealed_secret');
  perform private.record_security_event('webhook.created', w.id, null,
    jsonb_build_object('url', w.url, 'events', w.events));
  return private.finish_request(request,
    private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w))
      || jsonb_build_object('sealed', input -> 'sealed'));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  w public.webhooks;
begin
  perform private.begin_request(request, 'get_webhook');
  w := private.find_webhook(input ->> 'id');
  return private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w));
end $$;

-- Newest first. input: { limit, after: [id] | null, status }.
create function public.list_webhooks(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_webhooks');
  select jsonb_agg(private.webhook_json(w) order by w.id desc) into items
  from (
    select * from public.webhooks x
    where x.tenant_id = private.tenant_id() and x.deleted_at is null
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or x.status = input ->> 'status')
    order by x.id desc
    limit page_size + 1
  ) w;
  return private.page(items, page_size, 'id') || jsonb_build_object('as_of', private.iso(now()));
end $$;

-- Kinds of events that the caller may not read and that can still be sent to this webhook: waiting,
-- or again.
create function private.unreadable_sent(webhook_id text) returns text[]
language plpgsql stable set search_path = '' as $$
begin
  return array(
    select k.kind from private.event_kinds k
    where k.kind <> all (private.readable_events()) and exists (
      select
      from public.webhook_deliveries d
      where d.tenant_id = private.tenant_id() and d.webhook_id = $1 and d.type = k.kind)
  );
end $$;

create function private.has_other_origin(before text, after text) returns boolean
language plpgsql immutable set search_path = '' as $$
declare
  origin constant text := '^https?://[^/?#]+';
begin
  return substring(after from origin) <> substring(before from origin);
end $$;

-- Refuses a change that would send events to a person who may not read them, or secrets to another
-- address than the one that they were for.
create function private.require_webhook_change(before public.webhooks, w public.webhooks,
  patch jsonb) returns void
language plpgsql volatile set search_path = '' as $$
declare
  has_moved constant boolean := private.has_other_origin(before.url, w.url);
begin
  if w.url <> before.url or w.events <> before.events then
    perform private.require_readable_events(w.events);
  end if;
  if w.url <> before.url then
    perform private.require_readable_events(private.unreadable_sent(w.id));
  end if;
  if w.filters <> before.filters then
    perform private.require_filters(w.filters);
  end if;
  if has_moved and cardinality(before.header_names) > 0 and not patch ? 'headers' then
    perform private.refuse_field('headers',
      'Send the headers with their values again: they would go to another address.');
  end if;
  if has_moved and before.oauth is not null and not patch ? 'oauth' then
    perform private.refuse_field('oauth',
      'Send oauth with its client secret again: the token would go to another address.');
  end if;
end $$;

-- Stores the headers and the OAuth client of a patch. Records: webhook.updated.
create function private.store_webhook_credentials(before public.webhooks, changed public.webhooks,
  patch jsonb) returns public.webhooks
language plpgsql volatile set search_path = '' as $$
declare
  has_moved constant boolean := private.has_other_origin(before.url, changed.url);
  w public.webhooks := changed;
begin
  if patch ? 'headers' then
    w := private.store_webhook_headers(w, patch -> 'headers', has_moved);
    perform private.record_security_event('webhook.updated', w.id, null, jsonb_build_object(
      'headers', jsonb_build_object('from', before.header_names, 'to', w.header_names)));
  end if;
  if patch ? 'oauth' then
    w := private.store_webhook_client(w, patch -> 'oauth', has_moved);
    perform private.record_security_event('webhook.updated', w.id, null, jsonb_build_object(
      'oauth', jsonb_build_object('from', before.oauth, 'to', w.oauth)));
  end if;
  return w;
end $$;

-- input: { id, patch: { url, description, events, filters, headers, max_per_minute, status, reason
-- } }. A new address starts with a clean record. Who may not read its events changes neither them
-- nor the address; nor the address, where such were sent before. Refuses: not_found,
-- precondition_failed, scope_required, role_required. Records: webhook.updated, webhook.enabled,
-- webhook.disabled.
create function public.update_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'update_webhook');
  fields constant text[] := '{url,description,events,filters,max_per_minute}';
  patch constant jsonb := input -> 'patch';
  before public.webhooks;
  w public.webhooks;
begin
  if replayed is not null then
    return replayed;
  end if;
  before := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(before), request -> 'versions');
  w := jsonb_populate_record(before,
    (select jsonb_object_agg(key, value) from jsonb_each(patch) where key = any (fields)));
  perform private.require_webhook_change(before, w, patch);
  if w is distinct from before then
    update public.webhooks x set
      url = w.url, description = w.description, events = w.events, filters = w.filters,
      max_per_minute = w.max_per_minute,
      failing_since = case when w.url = before.url then x.failing_since end, updated_at = now()
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into w;
    perform private.record_security_event('webhook.updated', w.id, null, (
      select private.changes(jsonb_object_agg(field, to_jsonb(before) -> field),
        jsonb_object_agg(field, to_jsonb(w) -> field))
      from unnest(fields) field
    ));
  end if;
  w := private.store_webhook_credentials(before, w, patch);
  if patch ->> 'status' = 'active' then
    w := private.enable_webhook(w);
  elsif patch ->> 'status' = 'disabled' and w.status = 'active' then
    perform private.disable_webhook(w.id, 'manual', patch ->> 'reason');
    w := private.find_webhook(w.id);
  end if;
  return private.finish_request(request,
    private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)));
end $$;

-- input: { id }. Its secrets go at once, its log with the 30 days. Refuses: not_found,
-- precondition_failed. Records: webhook.deleted.
create function public.delete_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'delete_webhook');
  w public.webhooks;
begin
  if replayed is not null then
    return replayed;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(w), request -> 'versions');
  perform private.drop_waiting_deliveries(w.id), private.delete_webhook_secrets(w.id);
  update public.webhooks x
  set deleted_at = now(), updated_at = now()
  where x.tenant_id = w.tenant_id and x.id = w.id;
  perform private.record_security_event('webhook.deleted', w.id, null,
    jsonb_build_object('url', w.url));
  return private.finish_request(request, jsonb_build_object('id', w.id, 'deleted', true));
end $$;

-- input: { id, grace_period_seconds, secret_id, sealed_secret, sealed }. Refuses: not_found.
-- Records: webhook.secret_rotated.
create function public.rotate_webhook_secret(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'rotate_webhook_secret');
  grace constant interval := make_interval(secs => (input ->> 'grace_period_seconds')::integer);
  w public.webhooks;
begin
  if replayed is not null then
    return replayed;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.store_webhook_secret(w.id, input ->> 'secret_id', input ->> 'sealed_secret',
    grace);
  update public.webhooks x
  set secret_changed_at = now(), previous_secret_expires_at = now() + grace, updated_at = now()
  where x.tenant_id = w.tenant_id and x.id = w.id
  returning * into w;
  perform private.record_security_event('webhook.secret_rotated', w.id, null,
    jsonb_build_object('previous_secret_expires_at', private.iso(w.previous_secret_expires_at)));
  return private.finish_request(request,
    private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w))
      || jsonb_build_object('sealed', input -> 'sealed'));
end $$;

-- input: { id }. Refuses: not_found. Records: webhook.enabled.
create function public.enable_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'enable_webhook');
begin
  if replayed is not null then
    return replayed;
  end if;
  return private.finish_request(request,
    private.webhook_json(private.enable_webhook(private.lock_webhook(input ->> 'id'))));
end $$;

-- input: { id, type, data }: an event of this type, with example data where it is not webhook.test.
-- Answers the delivery.
-- Refuses: not_found, conflict; scope_required and role_required for an event that the caller may
-- not read.
create function public.test_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'test_webhook');
  w public.webhooks;
  d public.webhook_deliveries;
  event text;
begin
  if replayed is not null then
    return replayed;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.require_active_webhook(w);
  if input ->> 'type' <> 'webhook.test' then
    perform private.require_readable_events(array[input ->> 'type']);
  end if;
  event := private.emit_test(w.id, input ->> 'type', coalesce(nullif(input -> 'data', 'null'),
    jsonb_build_object('id', w.id, 'message', 'It works.', 'sent_by', private.actor())));
  select * into d
  from public.webhook_deliveries x
  where x.tenant_id = w.tenant_id and x.id = private.delivery_id(event, w.id);
  return private.finish_request(request, private.delivery_json(d));
end $$;

grant execute on function
  private.webhook_health(public.webhooks, interval), private.webhook_json(public.webhooks),
  private.webhook_version(public.webhooks)
to authenticated;
