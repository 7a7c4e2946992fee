-- An API key and its rotated successors are one principal: a retry with the successor replays what its predecessor did.

alter table public.api_keys add column lineage_id text;
with recursive lineage as (
  select id, id as root from public.api_keys where rotated_from is null
  union all
  select k.id, l.root from public.api_keys k join lineage l on k.rotated_from = l.id
)
update public.api_keys k set lineage_id = l.root from lineage l where l.id = k.id;
alter table public.api_keys alter column lineage_id set not null;

-- The first key of its line: itself, or its predecessor's.
create function private.set_api_key_lineage() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.lineage_id := coalesce((select k.lineage_id from public.api_keys k where k.id = new.rotated_from and k.tenant_id = new.tenant_id), new.id);
  return new;
end $$;
create trigger set_lineage before insert on public.api_keys for each row execute function private.set_api_key_lineage();

create or replace function private.find_api_key(key_id text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'id', k.id, 'lineage_id', k.lineage_id, 'tenant_id', k.tenant_id, 'name', k.name, 'secret_digest', s.digest, 'scopes', k.scopes,
    'ip_allowlist', k.ip_allowlist, 'expires_at', private.iso(k.expires_at), 'grace_expires_at', private.iso(k.grace_expires_at),
    'revoked', k.revoked_at is not null, 'now', private.iso(clock_timestamp())
  )
  from public.api_keys k join private.api_key_secrets s on s.api_key_id = k.id
  where k.key_id = $1;
$$;

-- At most 10 years ahead, by the only clock.
create or replace function private.require_expiry(expires_at timestamptz) returns void
language plpgsql stable set search_path = '' as $$
begin
  if expires_at <= now() or expires_at > now() + interval '10 years' then
    perform private.refuse('invalid_request', 'The request is not valid: see errors for each place.',
      '[{"path": "expires_at", "message": "Give a time in the future, at most 10 years away, or null."}]');
  end if;
end $$;

-- As before, and kept under the idempotency key like every POST's answer.
create or replace function public.list_api_key_calls(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
  k public.api_keys;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  select * into k from public.api_keys a where a.id = input ->> 'id' and a.tenant_id = private.tenant_id();
  if not found then
    perform private.refuse('not_found', 'There is no such API key.');
  end if;
  return private.remember(request, jsonb_build_object(
    'as_of', private.iso(now()),
    'calls', coalesce((
      select jsonb_agg(jsonb_build_object(
        'operation', operation, 'address', host(address), 'hour', private.iso(hour), 'calls', calls, 'last_seen_at', private.iso(last_seen_at)
      ))
      from public.api_key_usage_hourly
      where api_key_id = k.id and hour > now() - interval '7 days' and outcome like 'accepted%'
    ), '[]')
  ));
end $$;
