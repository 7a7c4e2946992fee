-- API keys over the wire. Only for users who are admins of the tenant.

-- The wire form, without any secret. A key whose grace period has elapsed is revoked, whether or
-- not the worker has run.
create function private.api_key_json(k public.api_keys) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  grace_is_over constant boolean := coalesce(k.grace_expires_at <= now(), false);
  today constant date := (now() at time zone 'UTC')::date;
  t public.api_key_totals;
begin
  select * into t
  from public.api_key_totals x
  where x.tenant_id = k.tenant_id and x.api_key_id = k.id;
  return jsonb_build_object(
    'id', k.id, 'name', k.name, 'description', k.description, 'key_id', k.key_id, 'scopes',
    k.scopes,
    'ip_allowlist', k.ip_allowlist, 'expires_at', private.iso(k.expires_at), 'created_at',
    private.iso(k.created_at),
    'created_by', k.created_by,
    'status', case
      when k.revoked_at is not null or grace_is_over then 'revoked'
      when k.expires_at <= now() then 'expired'
      when k.rotated_to is not null then 'rotating'
      else 'active'
    end,
    'last_used_at', private.iso(t.last_used_at), 'request_count', coalesce(t.request_count, 0),
    'last_used_ip', host(t.last_used_ip),
    'grace_expires_at', private.iso(k.grace_expires_at), 'rotated_from', k.rotated_from,
    'rotated_to', k.rotated_to,
    'revoked_at',
    private.iso(coalesce(k.revoked_at, case when grace_is_over then k.grace_expires_at end)),
    'revoked_by', coalesce(k.revoked_by, case when grace_is_over then 'system' end),
    'revoke_reason',
    coalesce(k.revoke_reason,
      case when grace_is_over then 'The grace period of its rotation ended.' end),
    'rotation_recommended_at', private.iso(k.created_at + interval '90 days'),
    'as_of', private.iso(now()),
    'operations_used', coalesce((
      select jsonb_agg(distinct u.operation) from public.api_key_usage_daily u
      where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.outcome like 'accepted%'
        and u.day > today - 30
    ), '[]'),
    'calls_by_day', (
      select jsonb_agg(coalesce(u.calls, 0) order by ago.days desc)
      from generate_series(0, 6) as ago (days)
      left join lateral (
        select sum(d.calls) as calls from public.api_key_usage_daily d
        where d.tenant_id = k.tenant_id and d.api_key_id = k.id and d.day = today - ago.days
          and d.outcome like 'accepted%'
      ) u on true
    )
  );
end $$;

-- Covers only what people set: no clocks, no counters, nothing that other work adds.
create function private.api_key_version(k public.api_keys) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(jsonb_build_array(
    k.name, k.description, k.scopes, k.ip_allowlist, private.iso(k.expires_at), k.rotated_to,
    private.iso(k.grace_expires_at),
    private.iso(k.revoked_at)
  ));
end $$;

-- A key of the caller's tenant. Refuses: not_found.
create function private.find_api_key_of_caller(id text) returns public.api_keys
language plpgsql stable set search_path = '' as $$
declare
  k public.api_keys;
begin
  select * into k from public.api_keys a where a.tenant_id = private.tenant_id() and a.id = $1;
  if not found then
    perform private.refuse_missing('API key');
  end if;
  return k;
end $$;

-- The same, locked until the transaction ends, and usable. Refuses: not_found; conflict for a key
-- that is revoked or expired.
create function private.lock_usable_api_key(id text) returns public.api_keys
language plpgsql volatile set search_path = '' as $$
declare
  k public.api_keys;
begin
  k := private.lock_api_key(id);
  if k.revoked_at is not null or k.grace_expires_at <= now() then
    perform private.refuse_conflict('revoked', 'This API key is revoked.');
  elsif k.expires_at <= now() then
    perform private.refuse_conflict('expired', 'This API key has expired.');
  end if;
  return k;
end $$;

create function private.lock_api_key(id text) returns public.api_keys
language plpgsql volatile set search_path = '' as $$
declare
  k public.api_keys;
begin
  select * into k
  from public.api_keys a
  where a.tenant_id = private.tenant_id() and a.id = $1 for update;
  if not found then
    perform private.refuse_missing('API key');
  end if;
  return k;
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
    jsonb_build_object('name', created.name, 'scopes', created.scopes, 'ip_allowlist',
      created.ip_allowlist, 'expires_at', private.iso(created.expires_at)));
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
    'name', old.name, 'description', old.description, 'scopes', old.scopes, 'ip_allowlist',
    old.ip_allowlist,
    'expires_at', now() + (old.expires_at - old.created_at)
  ), old.id);
  update public.api_keys k set
    rotated_to = successor.id, updated_at = now(),
    grace_expires_at = least(now()
      + make_interval(secs => (input ->> 'grace_period_seconds')::integer),
      k.expires_at)
  where k.tenant_id = old.tenant_id and k.id = old.id;
  perform private.record_security_event('api_key.rotated', old.id, null,
    jsonb_build_object('successor', successor.id, 'grace_period_seconds',
      input -> 'grace_period_seconds'));
  return private.finish_request(request,
    private.api_key_json(successor)
      || jsonb_build_object('version', private.api_key_version(successor))
    || jsonb_build_object('sealed', input -> 'sealed'));
end $$;

-- The active webhooks that the key, or a key of its lineage, registered.
create function private.webhooks_of_api_key(k public.api_keys) returns text[]
language plpgsql stable set search_path = '' as $$
begin
  return array(
    select w.id from public.webhooks w
    where w.tenant_id = k.tenant_id and w.deleted_at is null and w.status = 'active'
      and w.created_by in (
      select 'api_key:' || x.id
      from public.api_keys x
      where x.tenant_id = k.tenant_id and x.lineage_id = k.lineage_id
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
  k public.api_keys;
begin
  if replayed is not null then
    return replayed;
  end if;
  k := private.lock_api_key(input ->> 'id');
  perform private.require_version(private.api_key_version(k), request -> 'versions');
  if k.revoked_at is null and (k.grace_expires_at is null or k.grace_expires_at > now()) then
    update public.api_keys a
    set revoked_at = now(), revoked_by = private.actor(), revoke_reason = input ->> 'reason',
      updated_at = now()
    where a.tenant_id = k.tenant_id and a.id = k.id returning * into k;
    perform private.record_security_event('api_key.revoked', k.id, input ->> 'reason',
      jsonb_build_object('name', k.name));
    perform private.emit(k.tenant_id, 'api_key.revoked', private.revocation_json(k), k.id);
    if (input ->> 'disable_webhooks')::boolean then
      perform private.disable_webhook(w, 'manual',
        format('The API key %s, which registered it, was revoked.', k.name))
      from unnest(private.webhooks_of_api_key(k)) w;
    end if;
  end if;
  return private.finish_request(request,
    private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k)));
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
  k public.api_keys;
  before jsonb;
  changes jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  k := private.lock_usable_api_key(input ->> 'id');
  perform private.require_version(private.api_key_version(k), request -> 'versions');
  perform private.require_expiry((patch ->> 'expires_at')::timestamptz);
  before := private.api_key_json(k) - use;
  update public.api_keys a set
    name = case when patch ? 'name' then patch ->> 'name' else a.name end,
    description = case when patch ? 'description' then patch ->> 'description' else a.description
      end,
    scopes = case when patch ? 'scopes' then private.text_array(patch -> 'scopes') else a.scopes
      end,
    ip_allowlist = case when patch ? 'ip_allowlist' then private.text_array(patch -> 'ip_allowlist')
      else a.ip_allowlist end,
    expires_at = case when patch ? 'expires_at' then (patch ->> 'expires_at')::timestamptz
      else a.expires_at end,
    -- `least` ignores nulls: a key without a grace period has none now.
    grace_expires_at = case
      when a.grace_expires_at is not null then least(a.grace_expires_at,
        (patch ->> 'expires_at')::timestamptz)
      end,
    updated_at = now()
  where a.tenant_id = k.tenant_id and a.id = k.id returning * into k;
  changes := private.changes(before, private.api_key_json(k) - use);
  if changes is not null then
    perform private.record_security_event('api_key.updated', k.id, null, changes);
  end if;
  return private.finish_request(request,
    private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k)));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  k public.api_keys;
begin
  perform private.begin_request(request, 'get_api_key');
  k := private.find_api_key_of_caller(input ->> 'id');
  return private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k));
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
  select jsonb_agg(k.json order by k.id desc) into items
  from (
    select a.id, j.json
    from public.api_keys a
    cross join lateral (select private.api_key_json(a) as json) j
    where a.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or a.id < input -> 'after' ->> 0)
      and (sought is null or strpos(lower(a.name), sought) > 0
      or strpos(lower(a.key_id), sought) > 0 or a.id = sought)
      and (input ->> 'status' is null or j.json ->> 'status' = input ->> 'status')
    order by a.id desc
    limit page_size + 1
  ) k;
  return private.page(items, page_size, 'id') || jsonb_build_object('as_of', private.iso(now()));
end $$;

grant execute on function
  private.api_key_json(public.api_keys), private.api_key_version(public.api_keys),
  private.find_api_key_of_caller(text),
  private.webhooks_of_api_key(public.api_keys)
to authenticated;
