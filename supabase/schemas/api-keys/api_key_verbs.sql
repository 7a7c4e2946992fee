-- API keys over the wire. Only for users who are admins of the tenant.

-- The wire form, without any secret. A key whose grace period has elapsed is revoked, whether or
-- not the worker has run.
create function private.api_key_json(api_key public.api_keys) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  grace_is_over constant boolean := coalesce(api_key.grace_expires_at <= now(), false);
  today constant date := (now() at time zone 'UTC')::date;
  total public.api_key_totals;
begin
  select * into total
  from public.api_key_totals
  where api_key_totals.tenant_id = api_key.tenant_id and api_key_totals.api_key_id = api_key.id;
  return jsonb_build_object(
    'id', api_key.id, 'name', api_key.name, 'description', api_key.description,
    'key_id', api_key.key_id,
    'scopes', api_key.scopes,
    'ip_allowlist', api_key.ip_allowlist, 'expires_at', private.iso(api_key.expires_at),
    'created_at', private.iso(api_key.created_at),
    'created_by', api_key.created_by,
    'status', case
      when api_key.revoked_at is not null or grace_is_over then 'revoked'
      when api_key.expires_at <= now() then 'expired'
      when api_key.rotated_to is not null then 'rotating'
      else 'active'
    end,
    'last_used_at', private.iso(total.last_used_at),
    'request_count', coalesce(total.request_count, 0),
    'last_used_ip', host(total.last_used_ip),
    'grace_expires_at', private.iso(api_key.grace_expires_at), 'rotated_from', api_key.rotated_from,
    'rotated_to', api_key.rotated_to,
    'revoked_at', private.iso(coalesce(api_key.revoked_at,
      case when grace_is_over then api_key.grace_expires_at end)),
    'revoked_by', coalesce(api_key.revoked_by, case when grace_is_over then 'system' end),
    'revoke_reason', coalesce(api_key.revoke_reason,
      case when grace_is_over then 'The grace period of its rotation ended.' end),
    'rotation_recommended_at', private.iso(api_key.created_at + interval '90 days'),
    'as_of', private.iso(now()),
    'operations_used', coalesce((
      select jsonb_agg(distinct day_total.operation) from public.api_key_usage_daily day_total
      where day_total.tenant_id = api_key.tenant_id and day_total.api_key_id = api_key.id
        and day_total.outcome like 'accepted%'
        and day_total.day > today - 30
    ), '[]'),
    'calls_by_day', (
      select jsonb_agg(coalesce(daily.calls, 0) order by ago.days desc)
      from generate_series(0, 6) as ago (days)
      left join lateral (
        select sum(day_total.calls) as calls from public.api_key_usage_daily day_total
        where day_total.tenant_id = api_key.tenant_id and day_total.api_key_id = api_key.id
          and day_total.day = today - ago.days
          and day_total.outcome like 'accepted%'
      ) daily on true
    )
  );
end $$;

-- Covers only what people set: no clocks, no counters, nothing that other work adds.
create function private.api_key_version(api_key public.api_keys) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(jsonb_build_array(
    api_key.name, api_key.description, api_key.scopes, api_key.ip_allowlist,
    private.iso(api_key.expires_at), api_key.rotated_to,
    private.iso(api_key.grace_expires_at),
    private.iso(api_key.revoked_at)
  ));
end $$;

-- A key of the caller's tenant. Refuses: not_found.
create function private.find_api_key_of_caller(id text) returns public.api_keys
language plpgsql stable set search_path = '' as $$
declare
  api_key public.api_keys;
begin
  select * into api_key from public.api_keys where api_keys.tenant_id = private.tenant_id()
    and api_keys.id = $1;
  if not found then
    perform private.refuse_missing('API key');
  end if;
  return api_key;
end $$;

-- The same, locked until the transaction ends, and usable. Refuses: not_found; conflict for a key
-- that is revoked or expired.
create function private.lock_usable_api_key(id text) returns public.api_keys
language plpgsql volatile set search_path = '' as $$
declare
  api_key public.api_keys;
begin
  api_key := private.lock_api_key(id);
  if api_key.revoked_at is not null or api_key.grace_expires_at <= now() then
    perform private.refuse_conflict('revoked', 'This API key is revoked.');
  elsif api_key.expires_at <= now() then
    perform private.refuse_conflict('expired', 'This API key has expired.');
  end if;
  return api_key;
end $$;

create function private.lock_api_key(id text) returns public.api_keys
language plpgsql volatile set search_path = '' as $$
declare
  api_key public.api_keys;
begin
  select * into api_key
  from public.api_keys
  where api_keys.tenant_id = private.tenant_id() and api_keys.id = $1 for update;
  if not found then
    perform private.refuse_missing('API key');
  end if;
  return api_key;
end $$;

-- Refuses: invalid_request for an expiry in the past, or more than 10 years ahead.
create function private.require_expiry(expires_at timestamptz) returns void
language plpgsql stable set search_path = '' as $$
begin
  if expires_at <= now() or expires_at > now() + interval '10 years' then
    perform private.refuse_field('expires_at',
      'Must be null or a time in the future, at most 10 years away.');
  end if;
end $$;

create function private.insert_api_key(input jsonb,
  rotated_from text default null) returns public.api_keys
language plpgsql volatile set search_path = '' as $$
declare
  created public.api_keys;
begin
  -- A tenant that has reached its quota may still rotate a key.
  perform private.require_quota('api_keys', (rotated_from is null)::integer);
  insert into public.api_keys (key_id, name, description, scopes, ip_allowlist, expires_at,
    rotated_from)
  values (
    input ->> 'key_id', input ->> 'name', input ->> 'description',
    private.text_array(input -> 'scopes'),
    private.text_array(input -> 'ip_allowlist'), (input ->> 'expires_at')::timestamptz,
    insert_api_key.rotated_from
  )
  returning * into created;
  insert into private.api_key_secrets (key_id, tenant_id, api_key_id, digest)
  values (created.key_id, created.tenant_id, created.id, input ->> 'secret_digest');
  return created;
end $$;

-- input: the columns, with secret_digest and `sealed`: the secret, readable only by the holder of
-- the idempotency key. Refuses: invalid_request. Records: api_key.created.
create function public.create_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'create_api_key');
  created public.api_keys;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_expiry((input ->> 'expires_at')::timestamptz);
  created := private.insert_api_key(input);
  perform private.record_security_event('api_key.created', created.id, null,
    jsonb_build_object('name', created.name, 'scopes', created.scopes,
      'ip_allowlist', created.ip_allowlist, 'expires_at', private.iso(created.expires_at)));
  return private.finish_request(request,
    private.api_key_json(created) || jsonb_build_object('version', private.api_key_version(created))
    || jsonb_build_object('sealed', input -> 'sealed'));
end $$;

-- input: { id, grace_period_seconds, key_id, secret_digest, sealed }. The grace period ends no
-- later than the key's own expiry. The successor keeps name, description, scopes and allowlist, and
-- gets the same lifetime. Refuses: not_found, conflict. Records: api_key.rotated.
create function public.rotate_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'rotate_api_key');
  old public.api_keys;
  successor public.api_keys;
begin
  if replayed is not null then
    return replayed;
  end if;
  old := private.lock_usable_api_key(input ->> 'id');
  if old.rotated_to is not null then
    perform private.refuse_conflict('already_rotated',
      'This API key has already been rotated. Rotate its successor.');
  end if;
  successor := private.insert_api_key(input || jsonb_build_object(
    'name', old.name, 'description', old.description, 'scopes', old.scopes,
    'ip_allowlist', old.ip_allowlist,
    'expires_at', now() + (old.expires_at - old.created_at)
  ), old.id);
  update public.api_keys api_key set
    rotated_to = successor.id, updated_at = now(),
    grace_expires_at = least(now()
      + make_interval(secs => (input ->> 'grace_period_seconds')::integer),
      api_key.expires_at)
  where api_key.tenant_id = old.tenant_id and api_key.id = old.id;
  perform private.record_security_event('api_key.rotated', old.id, null,
    jsonb_build_object('successor', successor.id,
      'grace_period_seconds', input -> 'grace_period_seconds'));
  return private.finish_request(request,
    private.api_key_json(successor)
      || jsonb_build_object('version', private.api_key_version(successor))
    || jsonb_build_object('sealed', input -> 'sealed'));
end $$;

-- The active webhooks that the key, or a key of its lineage, registered.
create function private.webhooks_of_api_key(api_key public.api_keys) returns text[]
language plpgsql stable set search_path = '' as $$
begin
  return array(
    select webhook.id from public.webhooks webhook
    where webhook.tenant_id = api_key.tenant_id and webhook.deleted_at is null
      and webhook.status = 'active'
      and webhook.created_by in (
      select 'api_key:' || api_keys.id
      from public.api_keys
      where api_keys.tenant_id = api_key.tenant_id and api_keys.lineage_id = api_key.lineage_id
    )
  );
end $$;

-- input: { id, reason, disable_webhooks }; disable_webhooks also disables the webhooks that it
-- registered. Revoking a revoked key returns it unchanged. Refuses: not_found, precondition_failed.
-- Records and emits: api_key.revoked.
create function public.revoke_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'revoke_api_key');
  api_key public.api_keys;
begin
  if replayed is not null then
    return replayed;
  end if;
  api_key := private.lock_api_key(input ->> 'id');
  perform private.require_version(private.api_key_version(api_key), request -> 'versions');
  if api_key.revoked_at is null
    and (api_key.grace_expires_at is null or api_key.grace_expires_at > now()) then
    update public.api_keys
    set revoked_at = now(), revoked_by = private.actor(), revoke_reason = input ->> 'reason',
      updated_at = now()
    where api_keys.tenant_id = api_key.tenant_id and api_keys.id = api_key.id
    returning * into api_key;
    perform private.record_security_event('api_key.revoked', api_key.id, input ->> 'reason',
      jsonb_build_object('name', api_key.name));
    perform private.emit(api_key.tenant_id, 'api_key.revoked', private.revocation_json(api_key),
      api_key.id);
    if (input ->> 'disable_webhooks')::boolean then
      perform private.disable_webhook(webhook_id, 'manual',
        format('The API key %s, which registered it, was revoked.', api_key.name))
      from unnest(private.webhooks_of_api_key(api_key)) webhook_id;
    end if;
  end if;
  return private.finish_request(request,
    private.api_key_json(api_key)
      || jsonb_build_object('version', private.api_key_version(api_key)));
end $$;

-- input: { id, patch }. Refuses: not_found, conflict, precondition_failed, invalid_request.
-- Records: api_key.updated, if something changed.
create function public.update_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'update_api_key');
  -- Calls and time change these columns, so they are not part of an update.
  use constant text[] :=
    '{as_of,request_count,last_used_at,last_used_ip,operations_used,calls_by_day}';
  patch constant jsonb := input -> 'patch';
  api_key public.api_keys;
  before jsonb;
  changes jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  api_key := private.lock_usable_api_key(input ->> 'id');
  perform private.require_version(private.api_key_version(api_key), request -> 'versions');
  perform private.require_expiry((patch ->> 'expires_at')::timestamptz);
  before := private.api_key_json(api_key) - use;
  update public.api_keys set
    name = case when patch ? 'name' then patch ->> 'name' else api_keys.name end,
    description = case when patch ? 'description' then patch ->> 'description'
      else api_keys.description
      end,
    scopes = case when patch ? 'scopes' then private.text_array(patch -> 'scopes')
      else api_keys.scopes
      end,
    ip_allowlist = case when patch ? 'ip_allowlist' then private.text_array(patch -> 'ip_allowlist')
      else api_keys.ip_allowlist end,
    expires_at = case when patch ? 'expires_at' then (patch ->> 'expires_at')::timestamptz
      else api_keys.expires_at end,
    -- `least` ignores nulls: a key without a grace period has none now.
    grace_expires_at = case
      when api_keys.grace_expires_at is not null then least(api_keys.grace_expires_at,
        (patch ->> 'expires_at')::timestamptz)
      end,
    updated_at = now()
  where api_keys.tenant_id = api_key.tenant_id and api_keys.id = api_key.id
  returning * into api_key;
  changes := private.changes(before, private.api_key_json(api_key) - use);
  if changes is not null then
    perform private.record_security_event('api_key.updated', api_key.id, null, changes);
  end if;
  return private.finish_request(request,
    private.api_key_json(api_key)
      || jsonb_build_object('version', private.api_key_version(api_key)));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  api_key public.api_keys;
begin
  perform private.begin_request(request, 'get_api_key');
  api_key := private.find_api_key_of_caller(input ->> 'id');
  return private.api_key_json(api_key)
    || jsonb_build_object('version', private.api_key_version(api_key));
end $$;

-- Newest first. input: { limit, after: [id] | null, status, q }; q is part of the name or of the
-- key_id, or is the ID.
create function public.list_api_keys(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  sought constant text := lower(input ->> 'q');
  items jsonb;
begin
  perform private.begin_request(request, 'list_api_keys');
  select jsonb_agg(api_key.json order by api_key.id desc) into items
  from (
    select api_key.id, listed.json
    from public.api_keys api_key
    cross join lateral (select private.api_key_json(api_key) as json) listed
    where api_key.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or api_key.id < input -> 'after' ->> 0)
      and (sought is null or strpos(lower(api_key.name), sought) > 0
      or strpos(lower(api_key.key_id), sought) > 0 or api_key.id = sought)
      and (input ->> 'status' is null or listed.json ->> 'status' = input ->> 'status')
    order by api_key.id desc
    limit page_size + 1
  ) api_key;
  return private.page(items, page_size, 'id') || jsonb_build_object('as_of', private.iso(now()));
end $$;

grant execute on function
  private.api_key_json(public.api_keys), private.api_key_version(public.api_keys),
  private.find_api_key_of_caller(text),
  private.webhooks_of_api_key(public.api_keys)
to authenticated;
