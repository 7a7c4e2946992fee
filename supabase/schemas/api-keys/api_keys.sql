-- API keys: credentials of a tenant's servers. Only a SHA-256 digest of the secret is stored.

create table public.api_keys (
  id text not null default private.new_id('key'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  -- The public part of the credential; private.api_key_secrets keeps it unique across tenants.
  key_id text not null,
  name text not null check (length(name) between 1 and 120),
  description text check (length(description) <= 1000),
  scopes text[] not null check (cardinality(scopes) >= 1),
  ip_allowlist text[] not null default '{}' check (cardinality(ip_allowlist) <= 50),
  expires_at timestamptz(3),
  grace_expires_at timestamptz(3),
  rotated_from text,
  -- The first key of the lineage: this key, or its predecessor's. A key and its rotated successors
  -- are one principal, so that a retry with the successor replays what its predecessor did.
  lineage_id text not null,
  rotated_to text,
  revoked_at timestamptz(3),
  revoked_by text,
  revoke_reason text check (length(revoke_reason) <= 500),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  -- The creator by issuer and subject, whatever their display name; null for keys from before this
  -- was recorded.
  creator_issuer text default private.actor_issuer(),
  creator_subject text default private.actor_subject(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, rotated_from) references public.api_keys (tenant_id, id),
  foreign key (tenant_id, rotated_to) references public.api_keys (tenant_id, id),
  check ((rotated_to is null) = (grace_expires_at is null)),
  check (grace_expires_at <= expires_at)
);
create index api_keys_by_expiry on public.api_keys (expires_at)
where revoked_at is null and expires_at is not null;
create index api_keys_by_grace on public.api_keys (grace_expires_at)
where revoked_at is null and grace_expires_at is not null;
create index api_keys_by_rotated_from on public.api_keys (tenant_id, rotated_from)
where rotated_from is not null;
create index api_keys_by_rotated_to on public.api_keys (tenant_id, rotated_to)
where rotated_to is not null;

create function private.set_api_key_lineage() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.lineage_id := coalesce(
    (select api_key.lineage_id from public.api_keys api_key
      where api_key.tenant_id = new.tenant_id and api_key.id = new.rotated_from),
    new.id);
  return new;
end $$;
create trigger set_lineage before insert
  on public.api_keys for each row execute function private.set_api_key_lineage();

-- Only users manage keys: no API key and no service-role key can.
alter table public.api_keys enable row level security;
grant select on public.api_keys to authenticated, service_role;
create policy api_keys_read on public.api_keys for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:api-keys')));

-- The directory of credentials: the tenant of each key_id, and the digest of its secret. A
-- credential is verified before its tenant is known, so this one table is looked up across tenants.
-- It lies in a schema that no API role can read.
create table private.api_key_secrets (
  key_id text primary key,
  tenant_id text not null,
  api_key_id text not null,
  digest text not null check (digest ~ '^[0-9a-f]{64}$'),
  foreign key (tenant_id, api_key_id) references public.api_keys (tenant_id, id) on delete cascade
);
create index api_key_secrets_by_api_key on private.api_key_secrets (tenant_id, api_key_id);
alter table private.api_key_secrets enable row level security;

-- What a process needs to verify a credential, by the database's clock; null for an unknown key_id.
create function private.find_api_key(key_id text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select jsonb_build_object(
      'id', api_key.id, 'lineage_id', api_key.lineage_id, 'tenant_id', api_key.tenant_id,
      'name', api_key.name,
      'secret_digest', key_secret.digest, 'scopes', api_key.scopes,
      'ip_allowlist', api_key.ip_allowlist, 'expires_at', private.iso(api_key.expires_at),
      'grace_expires_at', private.iso(api_key.grace_expires_at),
      'revoked', api_key.revoked_at is not null, 'now', private.iso(clock_timestamp())
    )
    from private.api_key_secrets key_secret
      join public.api_keys api_key on api_key.tenant_id = key_secret.tenant_id
        and api_key.id = key_secret.api_key_id
    where key_secret.key_id = find_api_key.key_id
  );
end $$;
create function public.find_api_key(key_id text) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return private.find_api_key(key_id);
end $$;
grant execute on function private.find_api_key(text), public.find_api_key(text) to service_role;

-- Announces keys that expire within 14, 3 and 1 days: once per threshold and expiry, and only the
-- nearest if several have passed. Returns the number of keys it looked at.
create function private.announce_expiring_api_keys() returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  announced integer := 0;
  expiring record;
begin
  for expiring in
    select api_key.id, api_key.tenant_id, api_key.name, api_key.key_id, api_key.expires_at,
      (select min(days) from unnest('{1,3,14}'::integer[]) days
        where api_key.expires_at <= now() + make_interval(days => days)) as days
    from public.api_keys api_key
    where api_key.revoked_at is null and api_key.rotated_to is null and api_key.expires_at > now()
      and api_key.expires_at <= now() + interval '14 days'
  loop
    perform private.emit(expiring.tenant_id, 'api_key.expiring',
      jsonb_build_object('id', expiring.id, 'name', expiring.name, 'key_id', expiring.key_id,
        'expires_at', private.iso(expiring.expires_at), 'days_before', expiring.days),
      format('%s:%s:%s', expiring.id, private.iso(expiring.expires_at), expiring.days));
    announced := announced + 1;
  end loop;
  return announced;
end $$;
-- The body of api_key.revoked.
create function private.revocation_json(api_key public.api_keys) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', api_key.id, 'name', api_key.name, 'key_id', api_key.key_id,
    'revoked_at', private.iso(api_key.revoked_at),
    'revoked_by', api_key.revoked_by, 'reason', api_key.revoke_reason
  );
end $$;

-- Revokes the keys whose grace period is over; callers have been refused since that moment, whether
-- or not this ran. Returns how many. Records and emits: api_key.revoked, once for each.
create function private.end_grace_periods() returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  ended integer := 0;
  revoked public.api_keys;
begin
  for revoked in
    update public.api_keys api_key set
      revoked_at = api_key.grace_expires_at, revoked_by = 'system',
      revoke_reason = 'The grace period of its rotation elapsed.', updated_at = now()
    where (api_key.tenant_id, api_key.id) in (
      select expired.tenant_id, expired.id from public.api_keys expired
      where expired.revoked_at is null and expired.grace_expires_at <= now() for update skip locked
    )
    returning api_key.*
  loop
    perform private.write_security_event(private.new_id('sev'), revoked.tenant_id,
      'api_key.revoked',
      revoked.id, revoked.revoke_reason,
      jsonb_build_object('name', revoked.name));
    perform private.emit(revoked.tenant_id, 'api_key.revoked', private.revocation_json(revoked),
      revoked.id);
    ended := ended + 1;
  end loop;
  return ended;
end $$;
grant execute
  on function private.announce_expiring_api_keys(), private.end_grace_periods() to service_role;
