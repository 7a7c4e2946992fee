-- API keys: credentials of a tenant's servers. Of the secret only a SHA-256 digest is kept.

create table public.api_keys (
  id text primary key default private.new_id('key'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  key_id text not null unique,
  name text not null check (length(name) between 1 and 120),
  description text check (length(description) <= 1000),
  scopes text[] not null check (cardinality(scopes) >= 1),
  ip_allowlist text[] not null default '{}' check (cardinality(ip_allowlist) <= 50),
  expires_at timestamptz(3),
  grace_expires_at timestamptz(3),
  rotated_from text references public.api_keys (id),
  rotated_to text references public.api_keys (id),
  revoked_at timestamptz(3),
  revoked_by text,
  revoke_reason text check (length(revoke_reason) <= 500),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default now(),
  check ((rotated_to is null) = (grace_expires_at is null))
);
create index api_keys_by_tenant on public.api_keys (tenant_id, id desc);
create index api_keys_by_expiry on public.api_keys (expires_at) where revoked_at is null and expires_at is not null;
create index api_keys_by_rotated_from on public.api_keys (rotated_from) where rotated_from is not null;
create index api_keys_by_rotated_to on public.api_keys (rotated_to) where rotated_to is not null;

-- Apart from the rest, in a schema that no API role can read.
create table private.api_key_secrets (
  api_key_id text primary key references public.api_keys (id) on delete cascade,
  digest text not null check (digest ~ '^[0-9a-f]{64}$')
);
alter table private.api_key_secrets enable row level security;

-- Key management is a user's act: no API key and no service-role key has it.
create function private.is_tenant_admin() returns boolean
language sql stable set search_path = ''
return private.principal_type() = 'user' and private.allows('{tenant_admin}', '{}');
grant execute on function private.is_tenant_admin() to authenticated;

alter table public.api_keys enable row level security;
grant select,
  insert (key_id, name, description, scopes, ip_allowlist, expires_at, rotated_from),
  update (name, description, scopes, ip_allowlist, expires_at, grace_expires_at, rotated_to, revoked_at, revoked_by, revoke_reason, updated_at)
on public.api_keys to authenticated;
grant select on public.api_keys to service_role;
create policy api_keys_read on public.api_keys for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.is_tenant_admin()));
create policy api_keys_insert on public.api_keys for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.is_tenant_admin()));
create policy api_keys_update on public.api_keys for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.is_tenant_admin()))
  with check (tenant_id = (select private.tenant_id()));

-- Usage: counted by the processes that serve, written once a second. A call waits for none of it.
create table public.api_key_totals (
  api_key_id text primary key references public.api_keys (id) on delete cascade,
  tenant_id text not null,
  request_count bigint not null,
  last_used_at timestamptz(3) not null,
  last_used_ip inet
);

-- Outcome: accepted, accepted_in_grace, or the reason of a refusal. Hours are kept for 8 days, days for 91.
create table public.api_key_usage_hourly (
  api_key_id text not null references public.api_keys (id) on delete cascade,
  tenant_id text not null,
  hour timestamptz not null,
  operation text not null,
  address inet not null,
  outcome text not null,
  calls bigint not null,
  last_seen_at timestamptz(3) not null,
  primary key (api_key_id, hour, operation, address, outcome)
);
create index api_key_usage_hourly_by_age on public.api_key_usage_hourly (hour);

create table public.api_key_usage_daily (
  api_key_id text not null references public.api_keys (id) on delete cascade,
  tenant_id text not null,
  day date not null,
  operation text not null,
  outcome text not null,
  calls bigint not null,
  primary key (api_key_id, day, operation, outcome)
);
create index api_key_usage_daily_by_age on public.api_key_usage_daily (day);

alter table public.api_key_totals enable row level security;
alter table public.api_key_usage_hourly enable row level security;
alter table public.api_key_usage_daily enable row level security;
grant select on public.api_key_totals, public.api_key_usage_hourly, public.api_key_usage_daily to authenticated, service_role;
create policy api_key_totals_read on public.api_key_totals for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.is_tenant_admin()));
create policy api_key_usage_hourly_read on public.api_key_usage_hourly for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.is_tenant_admin()));
create policy api_key_usage_daily_read on public.api_key_usage_daily for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.is_tenant_admin()));
create index api_key_totals_by_tenant on public.api_key_totals (tenant_id);
create index api_key_usage_hourly_by_tenant on public.api_key_usage_hourly (tenant_id);
create index api_key_usage_daily_by_tenant on public.api_key_usage_daily (tenant_id);

-- What a process needs to verify a credential, by the database's clock. Null for an unknown key_id.
create function private.find_api_key(key_id text) returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
    'id', k.id, 'tenant_id', k.tenant_id, 'name', k.name, 'secret_digest', s.digest, 'scopes', k.scopes,
    'ip_allowlist', k.ip_allowlist, 'expires_at', private.iso(k.expires_at), 'grace_expires_at', private.iso(k.grace_expires_at),
    'revoked', k.revoked_at is not null, 'now', private.iso(clock_timestamp())
  )
  from public.api_keys k join private.api_key_secrets s on s.api_key_id = k.id
  where k.key_id = $1;
$$;
create function public.find_api_key(key_id text) returns jsonb
language sql stable set search_path = ''
return private.find_api_key(key_id);

-- A batch is counted once, however often it is sent.
create table private.usage_batches (
  id uuid primary key,
  at timestamptz(3) not null default now()
);
create index usage_batches_by_age on private.usage_batches (at);
alter table private.usage_batches enable row level security;

create function private.usage_rows(rows jsonb)
returns table (api_key_id text, tenant_id text, operation text, address inet, outcome text, calls bigint, seen_at timestamptz)
language sql stable set search_path = '' as $$
  select u.api_key_id, k.tenant_id, u.operation, u.address, u.outcome, u.calls, now() - make_interval(secs => u.age_ms / 1000.0)
  from jsonb_to_recordset(rows) as u (api_key_id text, operation text, address inet, outcome text, calls bigint, age_ms bigint)
  join public.api_keys k on k.id = u.api_key_id;
$$;

-- rows: [{ api_key_id, operation, address, outcome, calls, age_ms }], one per combination. Sorted: one order of locks for every process.
create function private.record_api_key_usage(batch uuid, rows jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into private.usage_batches (id) values (batch) on conflict do nothing;
  if not found then
    return;
  end if;
  insert into public.api_key_usage_hourly as u (api_key_id, tenant_id, hour, operation, address, outcome, calls, last_seen_at)
  select r.api_key_id, r.tenant_id, date_trunc('hour', r.seen_at, 'UTC'), r.operation, r.address, r.outcome, sum(r.calls), max(r.seen_at)
  from private.usage_rows(rows) r group by 1, 2, 3, 4, 5, 6 order by 1, 3, 4, 5, 6
  on conflict (api_key_id, hour, operation, address, outcome) do update
    set calls = u.calls + excluded.calls, last_seen_at = greatest(u.last_seen_at, excluded.last_seen_at);

  insert into public.api_key_usage_daily as u (api_key_id, tenant_id, day, operation, outcome, calls)
  select r.api_key_id, r.tenant_id, (r.seen_at at time zone 'UTC')::date, r.operation, r.outcome, sum(r.calls)
  from private.usage_rows(rows) r group by 1, 2, 3, 4, 5 order by 1, 3, 4, 5
  on conflict (api_key_id, day, operation, outcome) do update set calls = u.calls + excluded.calls;

  insert into public.api_key_totals as t (api_key_id, tenant_id, request_count, last_used_at, last_used_ip)
  select r.api_key_id, r.tenant_id, sum(r.calls), max(r.seen_at), (array_agg(r.address order by r.seen_at desc))[1]
  from private.usage_rows(rows) r where r.outcome like 'accepted%' group by 1, 2 order by 1
  on conflict (api_key_id) do update set
    request_count = t.request_count + excluded.request_count,
    last_used_ip = case when excluded.last_used_at >= t.last_used_at then excluded.last_used_ip else t.last_used_ip end,
    last_used_at = greatest(t.last_used_at, excluded.last_used_at);
end $$;
create function public.record_api_key_usage(batch uuid, rows jsonb) returns void
language sql volatile set search_path = '' as $$
  select private.record_api_key_usage(batch, rows);
$$;
grant execute on function private.find_api_key(text), public.find_api_key(text),
  private.record_api_key_usage(uuid, jsonb), public.record_api_key_usage(uuid, jsonb)
to service_role;

-- Forgets usage past its time, at most `batch` rows of each kind; answers how many it deleted.
create function private.purge_api_key_usage(batch integer default 10000) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  hours integer;
  days integer;
begin
  delete from public.api_key_usage_hourly where ctid = any (array(
    select ctid from public.api_key_usage_hourly where hour < now() - interval '8 days' limit batch
  ));
  get diagnostics hours = row_count;
  delete from public.api_key_usage_daily where ctid = any (array(
    select ctid from public.api_key_usage_daily where day < (now() at time zone 'UTC')::date - 91 limit batch
  ));
  get diagnostics days = row_count;
  delete from private.usage_batches where at < now() - interval '1 day';
  return hours + days;
end $$;

-- Tells of keys that expire within 14, 3 and 1 days: once for each threshold and expiry, the nearest one where several passed.
create function private.announce_expiring_api_keys() returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  announced integer := 0;
  k record;
begin
  for k in
    select a.id, a.tenant_id, a.name, a.key_id, a.expires_at,
      (select min(d) from unnest('{1,3,14}'::integer[]) d where a.expires_at <= now() + make_interval(days => d)) as days
    from public.api_keys a
    where a.revoked_at is null and a.rotated_to is null and a.expires_at > now() and a.expires_at <= now() + interval '14 days'
  loop
    perform private.emit(k.tenant_id, 'api_key.expiring',
      jsonb_build_object('id', k.id, 'name', k.name, 'key_id', k.key_id, 'expires_at', private.iso(k.expires_at), 'days_before', k.days),
      format('%s:%s:%s', k.id, private.iso(k.expires_at), k.days));
    announced := announced + 1;
  end loop;
  return announced;
end $$;
grant execute on function private.purge_api_key_usage(integer), private.announce_expiring_api_keys() to service_role;

-- The wire form, without any secret. A grace period that has elapsed is a revocation, whether or not anything ran.
create function private.text_array(value jsonb) returns text[]
language sql immutable set search_path = ''
return case when jsonb_typeof(value) = 'array' then array(select jsonb_array_elements_text(value)) else '{}' end;

create function private.api_key_json(k public.api_keys) returns jsonb
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
    ), '[]')
  )
  from (select) one left join public.api_key_totals t on t.api_key_id = k.id;
$$;

create function private.keep_api_key_secret(api_key_id text, digest text) returns void
language sql volatile security definer set search_path = '' as $$
  insert into private.api_key_secrets (api_key_id, digest) select k.id, $2 from public.api_keys k where k.id = $1 and k.tenant_id = private.tenant_id();
$$;

create function private.insert_api_key(input jsonb, rotated_from text default null) returns public.api_keys
language plpgsql volatile set search_path = '' as $$
declare
  created public.api_keys;
begin
  insert into public.api_keys (key_id, name, description, scopes, ip_allowlist, expires_at, rotated_from)
  values (
    input ->> 'key_id', input ->> 'name', input ->> 'description', private.text_array(input -> 'scopes'),
    private.text_array(input -> 'ip_allowlist'), (input ->> 'expires_at')::timestamptz, insert_api_key.rotated_from
  )
  returning * into created;
  perform private.keep_api_key_secret(created.id, input ->> 'secret_digest');
  return created;
end $$;

-- The key under a caller's feet, locked until the transaction ends.
create function private.lock_api_key(id text) returns public.api_keys
language plpgsql volatile set search_path = '' as $$
declare
  k public.api_keys;
begin
  select * into k from public.api_keys a where a.id = $1 and a.tenant_id = private.tenant_id() for update;
  if not found then
    perform private.refuse('not_found', 'There is no such API key.');
  end if;
  return k;
end $$;

create function private.require_usable_api_key(k public.api_keys) returns void
language plpgsql stable set search_path = '' as $$
begin
  if k.revoked_at is not null or k.grace_expires_at <= now() then
    perform private.refuse('conflict', 'This API key is revoked.');
  elsif k.expires_at <= now() then
    perform private.refuse('conflict', 'This API key has expired.');
  end if;
end $$;

-- At most 366 days ahead, by the only clock.
create function private.require_expiry(expires_at timestamptz) returns void
language plpgsql stable set search_path = '' as $$
begin
  if expires_at <= now() or expires_at > now() + interval '366 days' then
    perform private.refuse('invalid_request', 'The request is not valid.',
      '[{"path": "expires_at", "message": "Give a time in the future, at most 366 days away, or null."}]');
  end if;
end $$;

-- input: the columns, with secret_digest and `sealed`, the secret as only the holder of the idempotency key can read it.
create function public.create_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
  created public.api_keys;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  perform private.require_expiry((input ->> 'expires_at')::timestamptz);
  created := private.insert_api_key(input);
  perform private.record_security_event('api_key.created', created.id, null,
    jsonb_build_object('name', created.name, 'scopes', created.scopes, 'ip_allowlist', created.ip_allowlist, 'expires_at', private.iso(created.expires_at)));
  return private.remember(request, private.api_key_json(created) || jsonb_build_object('sealed', input -> 'sealed'));
end $$;

-- input: { id, grace_period_seconds, key_id, secret_digest, sealed }.
create function public.rotate_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  answer jsonb;
  old public.api_keys;
  successor public.api_keys;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  answer := private.replay(request);
  if answer is not null then
    return answer;
  end if;
  old := private.lock_api_key(input ->> 'id');
  perform private.require_usable_api_key(old);
  if old.rotated_to is not null then
    perform private.refuse('conflict', 'This API key has been rotated already. Rotate its successor.');
  end if;
  successor := private.insert_api_key(input || jsonb_build_object(
    'name', old.name, 'description', old.description, 'scopes', old.scopes, 'ip_allowlist', old.ip_allowlist,
    'expires_at', now() + (old.expires_at - old.created_at)
  ), old.id);
  update public.api_keys k set
    rotated_to = successor.id, grace_expires_at = now() + make_interval(secs => (input ->> 'grace_period_seconds')::integer), updated_at = now()
  where k.id = old.id;
  perform private.record_security_event('api_key.rotated', old.id, null,
    jsonb_build_object('successor', successor.id, 'grace_period_seconds', input -> 'grace_period_seconds'));
  return private.remember(request, private.api_key_json(successor) || jsonb_build_object('sealed', input -> 'sealed'));
end $$;

-- input: { id, reason }. Revoking a revoked key returns it unchanged.
create function public.revoke_api_key(input jsonb, request jsonb) returns jsonb
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
  k := private.lock_api_key(input ->> 'id');
  if k.revoked_at is null and (k.grace_expires_at is null or k.grace_expires_at > now()) then
    update public.api_keys a set revoked_at = now(), revoked_by = private.actor(), revoke_reason = input ->> 'reason', updated_at = now()
    where a.id = k.id returning * into k;
    perform private.record_security_event('api_key.revoked', k.id, input ->> 'reason', jsonb_build_object('name', k.name));
    perform private.emit_own('api_key.revoked', jsonb_build_object(
      'id', k.id, 'name', k.name, 'key_id', k.key_id, 'revoked_at', private.iso(k.revoked_at), 'revoked_by', k.revoked_by, 'reason', k.revoke_reason
    ), k.id);
  end if;
  return private.remember(request, private.api_key_json(k));
end $$;

-- input: { id, patch }.
create function public.update_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  patch jsonb := input -> 'patch';
  k public.api_keys;
  before jsonb;
  after jsonb;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  k := private.lock_api_key(input ->> 'id');
  perform private.require_usable_api_key(k);
  perform private.require_expiry((patch ->> 'expires_at')::timestamptz);
  before := private.api_key_json(k) - 'as_of';
  update public.api_keys a set
    name = case when patch ? 'name' then patch ->> 'name' else a.name end,
    description = case when patch ? 'description' then patch ->> 'description' else a.description end,
    scopes = case when patch ? 'scopes' then private.text_array(patch -> 'scopes') else a.scopes end,
    ip_allowlist = case when patch ? 'ip_allowlist' then private.text_array(patch -> 'ip_allowlist') else a.ip_allowlist end,
    expires_at = case when patch ? 'expires_at' then (patch ->> 'expires_at')::timestamptz else a.expires_at end,
    updated_at = now()
  where a.id = k.id returning * into k;
  after := private.api_key_json(k) - 'as_of';
  if after <> before then
    perform private.record_security_event('api_key.updated', k.id, null, (
      select jsonb_object_agg(key, jsonb_build_object('from', before -> key, 'to', value))
      from jsonb_each(after) where value is distinct from before -> key
    ));
  end if;
  return jsonb_build_object('replayed', false, 'body', private.api_key_json(k));
end $$;

create function public.get_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  k public.api_keys;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  select * into k from public.api_keys a where a.id = input ->> 'id' and a.tenant_id = private.tenant_id();
  if not found then
    perform private.refuse('not_found', 'There is no such API key.');
  end if;
  return private.api_key_json(k);
end $$;

-- Newest first. input: { limit, after: [id] | null, status }.
create function public.list_api_keys(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  page jsonb;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  select jsonb_agg(k.json order by k.id desc) into page
  from (
    select a.id, j.json from public.api_keys a cross join lateral (select private.api_key_json(a) as json) j
    where a.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or a.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or j.json ->> 'status' = input ->> 'status')
    order by a.id desc
    limit page_size + 1
  ) k;
  return private.page(page, page_size,
    case when jsonb_array_length(coalesce(page, '[]')) > page_size then jsonb_build_array(page -> (page_size - 1) -> 'id') end);
end $$;

-- input: { id }. Hours of 7 days, days of 90, and the addresses of 7 days; refusals by reason beside the accepted calls.
create function public.get_api_key_usage(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  k public.api_keys;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  select * into k from public.api_keys a where a.id = input ->> 'id' and a.tenant_id = private.tenant_id();
  if not found then
    perform private.refuse('not_found', 'There is no such API key.');
  end if;
  return jsonb_build_object(
    'as_of', private.iso(now()),
    'hours', coalesce((
      select jsonb_agg(jsonb_build_object('start', private.iso(h.hour), 'accepted', h.accepted, 'refused', h.refused) order by h.hour)
      from (
        select hour, coalesce(sum(calls) filter (where outcome like 'accepted%'), 0) as accepted,
          coalesce(sum(calls) filter (where outcome not like 'accepted%'), 0) as refused
        from public.api_key_usage_hourly where api_key_id = k.id and hour > now() - interval '7 days' group by hour
      ) h
    ), '[]'),
    'days', coalesce((
      select jsonb_agg(jsonb_build_object('start', private.iso(d.day::timestamp at time zone 'UTC'), 'accepted', d.accepted, 'refused', d.refused) order by d.day)
      from (
        select day, coalesce(sum(calls) filter (where outcome like 'accepted%'), 0) as accepted,
          coalesce(sum(calls) filter (where outcome not like 'accepted%'), 0) as refused
        from public.api_key_usage_daily where api_key_id = k.id and day > (now() at time zone 'UTC')::date - 90 group by day
      ) d
    ), '[]'),
    'addresses', coalesce((
      select jsonb_agg(jsonb_build_object('address', host(a.address), 'calls', a.calls, 'in_grace', a.in_grace, 'last_seen_at', private.iso(a.last_seen)) order by a.last_seen desc)
      from (
        select address, sum(calls) as calls, coalesce(sum(calls) filter (where outcome = 'accepted_in_grace'), 0) as in_grace, max(last_seen_at) as last_seen
        from public.api_key_usage_hourly
        where api_key_id = k.id and hour > now() - interval '7 days' and outcome like 'accepted%'
        group by address order by max(last_seen_at) desc limit 100
      ) a
    ), '[]'),
    'refusals', coalesce((
      select jsonb_object_agg(r.outcome, r.calls)
      from (
        select outcome, sum(calls) as calls from public.api_key_usage_daily
        where api_key_id = k.id and outcome not like 'accepted%' group by outcome
      ) r
    ), '{}')
  );
end $$;

-- input: { id }. The accepted calls of 7 days by operation, address and hour: what a proposed change is tried against.
create function public.list_api_key_calls(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  k public.api_keys;
begin
  perform private.enter(request, '{tenant_admin}', '{}');
  select * into k from public.api_keys a where a.id = input ->> 'id' and a.tenant_id = private.tenant_id();
  if not found then
    perform private.refuse('not_found', 'There is no such API key.');
  end if;
  return jsonb_build_object(
    'key', private.api_key_json(k),
    'calls', coalesce((
      select jsonb_agg(jsonb_build_object(
        'operation', operation, 'address', host(address), 'hour', private.iso(hour), 'calls', calls, 'last_seen_at', private.iso(last_seen_at)
      ))
      from public.api_key_usage_hourly
      where api_key_id = k.id and hour > now() - interval '7 days' and outcome like 'accepted%'
    ), '[]')
  );
end $$;

grant execute on function
  private.text_array(jsonb), private.api_key_json(public.api_keys), private.keep_api_key_secret(text, text), private.insert_api_key(jsonb, text),
  private.lock_api_key(text), private.require_usable_api_key(public.api_keys), private.require_expiry(timestamptz),
  public.create_api_key(jsonb, jsonb), public.rotate_api_key(jsonb, jsonb), public.revoke_api_key(jsonb, jsonb),
  public.update_api_key(jsonb, jsonb), public.get_api_key(jsonb, jsonb), public.list_api_keys(jsonb, jsonb),
  public.get_api_key_usage(jsonb, jsonb), public.list_api_key_calls(jsonb, jsonb), private.record_security_event(text, text, text, jsonb)
to authenticated;
