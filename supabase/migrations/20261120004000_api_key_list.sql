-- The list of API keys as a page shows it: calls of the last 7 days on each key, a search, and the time it was read at.

create or replace function private.api_key_json(k public.api_keys) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'id', k.id, 'name', k.name, 'description', k.description, 'key_id', k.key_id, 'scopes', k.scopes,
    'ip_allowlist', k.ip_allowlist, 'expires_at', private.iso(k.expires_at), 'created_at', private.iso(k.created_at),
    'created_by', k.created_by,
    'status', case
      when k.revoked_at is not null or k.grace_expires_at <= now() then 'revoked'
      when k.expires_at <= now() then 'expired'
      when k.rotated_to is not null then 'rotating'
      else 'active'
    end,
    'last_used_at', private.iso(t.last_used_at), 'request_count', coalesce(t.request_count, 0), 'last_used_ip', host(t.last_used_ip),
    'grace_expires_at', private.iso(k.grace_expires_at), 'rotated_from', k.rotated_from, 'rotated_to', k.rotated_to,
    'revoked_at', private.iso(coalesce(k.revoked_at, case when k.grace_expires_at <= now() then k.grace_expires_at end)),
    'revoked_by', coalesce(k.revoked_by, case when k.grace_expires_at <= now() then 'system' end),
    'revoke_reason', coalesce(k.revoke_reason, case when k.grace_expires_at <= now() then 'The grace period of its rotation elapsed.' end),
    'rotation_recommended_at', private.iso(k.created_at + interval '90 days'),
    'as_of', private.iso(now()),
    'operations_used', coalesce((
      select jsonb_agg(distinct u.operation) from public.api_key_usage_daily u
      where u.api_key_id = k.id and u.outcome like 'accepted%' and u.day > (now() at time zone 'UTC')::date - 30
    ), '[]'),
    'calls_by_day', (
      select jsonb_agg(coalesce(u.calls, 0) order by ago.days desc)
      from generate_series(0, 6) as ago (days)
      left join lateral (
        select sum(d.calls) as calls from public.api_key_usage_daily d
        where d.api_key_id = k.id and d.day = (now() at time zone 'UTC')::date - ago.days and d.outcome like 'accepted%'
      ) u on true
    )
  )
  from (select) one left join public.api_key_totals t on t.api_key_id = k.id;
$$;

-- Newest first. input: { limit, after: [id] | null, status, q }; q is part of the name or of the key_id, or the id.
create or replace function public.list_api_keys(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  sought constant text := lower(input ->> 'q');
  page jsonb;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  select jsonb_agg(k.json order by k.id desc) into page
  from (
    select a.id, j.json from public.api_keys a cross join lateral (select private.api_key_json(a) as json) j
    where a.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or a.id < input -> 'after' ->> 0)
      and (sought is null or strpos(lower(a.name), sought) > 0 or strpos(lower(a.key_id), sought) > 0 or a.id = sought)
      and (input ->> 'status' is null or j.json ->> 'status' = input ->> 'status')
    order by a.id desc
    limit page_size + 1
  ) k;
  return private.page(page, page_size,
    case when jsonb_array_length(coalesce(page, '[]')) > page_size then jsonb_build_array(page -> (page_size - 1) -> 'id') end)
    || jsonb_build_object('as_of', private.iso(now()));
end $$;

-- Told apart from use: a call that is counted in between is no change of the key.
create or replace function public.update_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  -- What calls change, and time: no part of a change that somebody makes.
  use constant text[] := '{as_of,request_count,last_used_at,last_used_ip,operations_used,calls_by_day}';
  patch jsonb := input -> 'patch';
  k public.api_keys;
  before jsonb;
  after jsonb;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  k := private.lock_api_key(input ->> 'id');
  perform private.require_usable_api_key(k);
  perform private.require_expiry((patch ->> 'expires_at')::timestamptz);
  before := private.api_key_json(k) - use;
  update public.api_keys a set
    name = case when patch ? 'name' then patch ->> 'name' else a.name end,
    description = case when patch ? 'description' then patch ->> 'description' else a.description end,
    scopes = case when patch ? 'scopes' then private.text_array(patch -> 'scopes') else a.scopes end,
    ip_allowlist = case when patch ? 'ip_allowlist' then private.text_array(patch -> 'ip_allowlist') else a.ip_allowlist end,
    expires_at = case when patch ? 'expires_at' then (patch ->> 'expires_at')::timestamptz else a.expires_at end,
    updated_at = now()
  where a.id = k.id returning * into k;
  after := private.api_key_json(k) - use;
  if after <> before then
    perform private.record_security_event('api_key.updated', k.id, null, (
      select jsonb_object_agg(key, jsonb_build_object('from', before -> key, 'to', value))
      from jsonb_each(after) where value is distinct from before -> key
    ));
  end if;
  return jsonb_build_object('replayed', false, 'body', private.api_key_json(k));
end $$;
