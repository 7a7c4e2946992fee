-- Webhooks over the wire: register, change, rotate the secret, test, enable, delete.

-- Attempts within the span, counted by the hour and by bucket of response times. p50_ms and p95_ms
-- are the middle of a bucket: within 5 %.
create function private.webhook_health(webhook public.webhooks, span interval) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    with counted as (
      select answer_time.succeeded, answer_time.bucket, answer_time.attempts
      from public.webhook_answer_times answer_time
      where answer_time.tenant_id = webhook.tenant_id and answer_time.webhook_id = webhook.id
        and answer_time.hour > now() - span
    ), answered as (
      select bucket, sum(attempts) as attempts, sum(sum(attempts)) over (order by bucket) as up_to,
        sum(sum(attempts)) over () as total
      from counted where bucket >= 0 group by bucket
    )
    select jsonb_build_object(
      'attempts', coalesce(sum(attempts), 0),
      'failures', coalesce(sum(attempts) filter (where not succeeded), 0), 'success_rate',
      round(coalesce(sum(attempts) filter (where succeeded), 0) / nullif(sum(attempts), 0), 4),
      'p50_ms', (select round(1.1 ^ (min(bucket) + 0.5)) from answered where up_to >= total * 0.5),
      'p95_ms', (select round(1.1 ^ (min(bucket) + 0.5)) from answered where up_to >= total * 0.95)
    )
    from counted
  );
end $$;

create function private.webhook_json(webhook public.webhooks) returns jsonb
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
declare
  last_day constant jsonb := private.webhook_health(webhook, interval '24 hours');
begin
  return jsonb_build_object(
    'id', webhook.id, 'url', webhook.url, 'description', webhook.description,
    'events', webhook.events, 'filters', webhook.filters, 'header_names', webhook.header_names,
    'max_per_minute', webhook.max_per_minute, 'oauth', webhook.oauth, 'status', webhook.status,
    'disabled_at', private.iso(webhook.disabled_at), 'disabled_by', webhook.disabled_by,
    'disabled_reason', webhook.disabled_reason, 'disabled_detail', webhook.disabled_detail,
    'health', case
      when webhook.status = 'disabled' then 'disabled'
      when webhook.failing_since is not null then 'failing'
      when last_day -> 'success_rate' = 'null' then 'idle'
      when (last_day ->> 'success_rate')::numeric < 0.95 then 'degraded'
      else 'healthy'
    end, 'last_24h', last_day, 'last_7d', private.webhook_health(webhook, interval '7 days'),
    'failing_since', private.iso(webhook.failing_since),
    'disable_at', case when webhook.status = 'active'
      then private.iso(private.webhook_disable_at(webhook.failing_since)) end,
    'last_success_at', private.iso(webhook.last_success_at),
    'last_failure_at', private.iso(webhook.last_failure_at),
    'last_failure_kind', case when webhook.failing_since is not null
      then (private.last_failure(webhook)).failure_kind end, 'next_attempt_at', (
      select private.iso(delivery.next_attempt_at) from public.webhook_deliveries delivery
      where delivery.tenant_id = webhook.tenant_id and delivery.webhook_id = webhook.id
        and delivery.status = 'pending' and delivery.lease is null
        order by delivery.next_attempt_at limit 1
    ), 'missed_since', (
      select private.iso(delivery.created_at) from public.webhook_deliveries delivery
      where delivery.tenant_id = webhook.tenant_id and delivery.webhook_id = webhook.id
        and delivery.status = 'failed' and delivery.created_at > now() - interval '30 days'
      order by delivery.id limit 1
    ), 'secret_changed_at', private.iso(webhook.secret_changed_at),
    'previous_secret_expires_at', case when webhook.previous_secret_expires_at > now()
      then private.iso(webhook.previous_secret_expires_at)
      end, 'created_at', private.iso(webhook.created_at), 'created_by', webhook.created_by,
    'updated_at', private.iso(webhook.updated_at)
  );
end $$;

-- Hashes only what users set: no clocks and no counters.
create function private.webhook_version(webhook public.webhooks) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(jsonb_build_array(
    webhook.url, webhook.description, webhook.events, webhook.status,
    private.iso(webhook.disabled_at),
    private.iso(webhook.secret_changed_at), private.iso(webhook.deleted_at), webhook.filters,
    webhook.max_per_minute,
    private.iso(webhook.headers_changed_at), private.iso(webhook.oauth_changed_at)
  ));
end $$;

-- oauth: { token_url, client_id, scope, secret_id, sealed_secret } or null for none. Without a
-- secret the stored one is kept, unless an address changes: the secret would be sent to the new
-- token_url, or the token to the new url. Refuses: invalid_request.
create function private.store_webhook_client(webhook public.webhooks, oauth jsonb,
  has_moved boolean default false) returns public.webhooks
language plpgsql volatile set search_path = '' as $$
declare
  origin constant text := '^https?://[^/?#]+';
  settings constant jsonb := nullif(oauth, 'null') - '{secret_id,sealed_secret}'::text[];
begin
  if settings is not null and oauth ->> 'sealed_secret' is null
    and (has_moved or webhook.oauth is null or substring(webhook.oauth ->> 'token_url' from origin)
      <> substring(settings ->> 'token_url' from origin)) then
    perform private.refuse_field('oauth.client_secret',
      'Send the client secret: it is not stored for this address.');
  end if;
  if settings is null or oauth ->> 'sealed_secret' is not null then
    delete from private.webhook_clients client
    where client.tenant_id = webhook.tenant_id and client.webhook_id = webhook.id;
  end if;
  if oauth ->> 'sealed_secret' is not null then
    insert into private.webhook_clients (id, tenant_id, webhook_id, sealed)
    values (oauth ->> 'secret_id', webhook.tenant_id, webhook.id, oauth ->> 'sealed_secret');
  end if;
  update public.webhooks
  set oauth = settings, oauth_changed_at = now(), updated_at = now()
  where webhooks.tenant_id = webhook.tenant_id and webhooks.id = webhook.id
  returning * into webhook;
  return webhook;
end $$;

-- input: { url, description, events, filters, headers, max_per_minute, oauth, secret_id,
-- sealed_secret, sealed }; sealed: the generated secret, readable only by the holder of the
-- idempotency key. Refuses: scope_required and role_required for events that the caller
-- may not read, invalid_request for filters, conflict beyond 250 webhooks. Records:
-- webhook.created.
create function public.create_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'create_webhook');
  webhook public.webhooks;
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
  returning * into webhook;
  if jsonb_typeof(input -> 'headers') = 'array' then
    webhook := private.store_webhook_headers(webhook, input -> 'headers');
  end if;
  if jsonb_typeof(input -> 'oauth') = 'object' then
    webhook := private.store_webhook_client(webhook, input -> 'oauth');
  end if;
  perform private.store_webhook_secret(webhook.id,
    input ->> 'secret_id', input ->> 'sealed_secret');
  perform private.record_security_event('webhook.created', webhook.id, null,
    jsonb_build_object('url', webhook.url, 'events', webhook.events));
  return private.finish_request(request,
    private.webhook_json(webhook) || jsonb_build_object('version', private.webhook_version(webhook))
      || jsonb_build_object('sealed', input -> 'sealed'));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  webhook public.webhooks;
begin
  perform private.begin_request(request, 'get_webhook');
  webhook := private.find_webhook(input ->> 'id');
  return private.webhook_json(webhook)
    || jsonb_build_object('version', private.webhook_version(webhook));
end $$;

-- Newest first. input: { limit, after: [id] | null, status }.
create function public.list_webhooks(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_webhooks');
  select jsonb_agg(private.webhook_json(webhook) order by webhook.id desc) into items
  from (
    select * from public.webhooks webhook
    where webhook.tenant_id = private.tenant_id() and webhook.deleted_at is null
      and (input -> 'after' ->> 0 is null or webhook.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or webhook.status = input ->> 'status')
    order by webhook.id desc limit page_size + 1
  ) webhook;
  return private.page(items, page_size, 'id') || jsonb_build_object('as_of', private.iso(now()));
end $$;

-- Kinds of events that the caller may not read and that may still be sent to this webhook, because
-- a delivery is waiting or can be repeated.
create function private.unreadable_sent(webhook_id text) returns text[]
language plpgsql stable set search_path = '' as $$
begin
  return array(
    select event_kind.kind from private.event_kinds event_kind
    where event_kind.kind <> all (private.readable_events()) and exists (
      select
      from public.webhook_deliveries delivery
      where delivery.tenant_id = private.tenant_id() and delivery.webhook_id = $1
        and delivery.type = event_kind.kind)
  );
end $$;

create function private.has_other_origin(before text, after text) returns boolean
language plpgsql immutable set search_path = '' as $$
declare
  origin constant text := '^https?://[^/?#]+';
begin
  return substring(after from origin) <> substring(before from origin);
end $$;

-- Refuses a change that would send events to a person who may not read them, or secrets to an
-- address other than the one they were entered for.
create function private.require_webhook_change(before public.webhooks, webhook public.webhooks,
  patch jsonb) returns void
language plpgsql volatile set search_path = '' as $$
declare
  has_moved constant boolean := private.has_other_origin(before.url, webhook.url);
begin
  if webhook.url <> before.url or webhook.events <> before.events then
    perform private.require_readable_events(webhook.events);
  end if;
  if webhook.url <> before.url then
    perform private.require_readable_events(private.unreadable_sent(webhook.id));
  end if;
  if webhook.filters <> before.filters then
    perform private.require_filters(webhook.filters);
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
  webhook public.webhooks := changed;
begin
  if patch ? 'headers' then
    webhook := private.store_webhook_headers(webhook, patch -> 'headers', has_moved);
    perform private.record_security_event('webhook.updated', webhook.id, null, jsonb_build_object(
      'headers', jsonb_build_object('from', before.header_names, 'to', webhook.header_names)));
  end if;
  if patch ? 'oauth' then
    webhook := private.store_webhook_client(webhook, patch -> 'oauth', has_moved);
    perform private.record_security_event('webhook.updated', webhook.id, null, jsonb_build_object(
      'oauth', jsonb_build_object('from', before.oauth, 'to', webhook.oauth)));
  end if;
  return webhook;
end $$;

-- input: { id, patch: { url, description, events, filters, headers, max_per_minute, status, reason
-- } }. A new address resets failing_since. A caller who may not read all of its events can change
-- neither them nor the address, nor the address if such events were sent to it before. Refuses:
-- not_found, precondition_failed, scope_required, role_required. Records: webhook.updated,
-- webhook.enabled, webhook.disabled.
create function public.update_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'update_webhook');
  fields constant text[] := '{url,description,events,filters,max_per_minute}';
  patch constant jsonb := input -> 'patch';
  before public.webhooks;
  webhook public.webhooks;
begin
  if replayed is not null then
    return replayed;
  end if;
  before := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(before), request -> 'versions');
  webhook := jsonb_populate_record(before,
    (select jsonb_object_agg(key, value) from jsonb_each(patch) where key = any (fields)));
  perform private.require_webhook_change(before, webhook, patch);
  if webhook is distinct from before then
    update public.webhooks set
      url = webhook.url, description = webhook.description, events = webhook.events,
      filters = webhook.filters, max_per_minute = webhook.max_per_minute,
      failing_since = case when webhook.url = before.url then webhooks.failing_since end,
        updated_at = now() where webhooks.tenant_id = before.tenant_id and webhooks.id = before.id
    returning * into webhook;
    perform private.record_security_event('webhook.updated', webhook.id, null, (
      select private.changes(jsonb_object_agg(field, to_jsonb(before) -> field),
        jsonb_object_agg(field, to_jsonb(webhook) -> field))
      from unnest(fields) field
    ));
  end if;
  webhook := private.store_webhook_credentials(before, webhook, patch);
  if patch ->> 'status' = 'active' then
    webhook := private.enable_webhook(webhook);
  elsif patch ->> 'status' = 'disabled' and webhook.status = 'active' then
    perform private.disable_webhook(webhook.id, 'manual', patch ->> 'reason');
    webhook := private.find_webhook(webhook.id);
  end if;
  return private.finish_request(request,
    private.webhook_json(webhook)
      || jsonb_build_object('version', private.webhook_version(webhook)));
end $$;

-- input: { id }. Its secrets are deleted at once, its delivery log after 30 days. Refuses:
-- not_found, precondition_failed. Records: webhook.deleted.
create function public.delete_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'delete_webhook');
  webhook public.webhooks;
begin
  if replayed is not null then
    return replayed;
  end if;
  webhook := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(webhook), request -> 'versions');
  perform private.drop_waiting_deliveries(webhook.id), private.delete_webhook_secrets(webhook.id);
  update public.webhooks
  set deleted_at = now(), updated_at = now()
  where webhooks.tenant_id = webhook.tenant_id and webhooks.id = webhook.id;
  perform private.record_security_event('webhook.deleted', webhook.id, null,
    jsonb_build_object('url', webhook.url));
  return private.finish_request(request, jsonb_build_object('id', webhook.id, 'deleted', true));
end $$;

-- input: { id, grace_period_seconds, secret_id, sealed_secret, sealed }. Refuses: not_found.
-- Records: webhook.secret_rotated.
create function public.rotate_webhook_secret(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'rotate_webhook_secret');
  grace constant interval := make_interval(secs => (input ->> 'grace_period_seconds')::integer);
  webhook public.webhooks;
begin
  if replayed is not null then
    return replayed;
  end if;
  webhook := private.lock_webhook(input ->> 'id');
  perform private.store_webhook_secret(webhook.id, input ->> 'secret_id', input ->> 'sealed_secret',
    grace);
  update public.webhooks
  set secret_changed_at = now(), previous_secret_expires_at = now() + grace, updated_at = now()
  where webhooks.tenant_id = webhook.tenant_id and webhooks.id = webhook.id
  returning * into webhook;
  perform private.record_security_event('webhook.secret_rotated', webhook.id, null,
    jsonb_build_object('previous_secret_expires_at',
      private.iso(webhook.previous_secret_expires_at)));
  return private.finish_request(request,
    private.webhook_json(webhook) || jsonb_build_object('version', private.webhook_version(webhook))
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

-- input: { id, type, data }. Sends an event of this type, with example data unless it is
-- webhook.test. Returns the delivery. Refuses: not_found, conflict; scope_required and
-- role_required for an event that the caller may not read.
create function public.test_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'test_webhook');
  webhook public.webhooks;
  delivery public.webhook_deliveries;
  event text;
begin
  if replayed is not null then
    return replayed;
  end if;
  webhook := private.lock_webhook(input ->> 'id');
  perform private.require_active_webhook(webhook);
  if input ->> 'type' <> 'webhook.test' then
    perform private.require_readable_events(array[input ->> 'type']);
  end if;
  event := private.emit_test(webhook.id, input ->> 'type', coalesce(nullif(input -> 'data', 'null'),
    jsonb_build_object('id', webhook.id, 'message', 'It works.', 'sent_by', private.actor())));
  select * into delivery
  from public.webhook_deliveries
  where webhook_deliveries.tenant_id = webhook.tenant_id
    and webhook_deliveries.id = private.delivery_id(event, webhook.id);
  return private.finish_request(request, private.delivery_json(delivery));
end $$;

grant execute on function
  private.webhook_health(public.webhooks, interval), private.webhook_json(public.webhooks),
  private.webhook_version(public.webhooks)
to authenticated;
