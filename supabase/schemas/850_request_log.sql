-- Request log: each call of /v1 with its outcome, for 14 days. Written by the processes that serve, about once a second; a call waits for none of it.

-- In partitions of one day (UTC), which are dropped whole. `actor` is null where nobody proved who they were: such a row is its tenant's
-- because the credential named a key of it. `request` and `response`: { headers, body, bytes, truncated }, bounded and without secrets
-- (lib/request-log/masked.ts).
create table public.request_log (
  id text not null,
  tenant_id text not null,
  at timestamptz(3) not null,
  -- Null where the path or method is none of the API's.
  operation text,
  method text not null,
  path text not null,
  query text not null default '',
  -- The ID in the path, or of what the call made.
  resource text,
  status smallint not null,
  error_code text,
  duration_ms integer not null,
  credential text not null check (credential in ('session', 'token', 'api_key', 'publishable_key', 'service_role')),
  actor text,
  api_key_id text,
  address inet,
  request jsonb not null,
  response jsonb not null,
  -- Turned away before it ran, as an API key's usage counts it.
  refused boolean not null default false,
  primary key (tenant_id, id, at)
) partition by range (at);
-- What a list filters by is in it, so that what does not match is passed by without being read.
create index request_log_by_time on public.request_log (tenant_id, at desc, id desc)
  include (status, duration_ms, operation, actor, api_key_id, credential, error_code);
create index request_log_by_resource on public.request_log (tenant_id, resource, at desc) where resource is not null;

alter table public.request_log enable row level security;
grant select on public.request_log to authenticated, service_role;
create policy request_log_read on public.request_log for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:requests')));

-- Makes the partition of a day where there is none. Attached rather than made as one: that would lock out whoever reads or writes.
create function private.open_request_log_day(day date) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  name constant text := 'request_log_' || to_char(day, 'YYYYMMDD');
begin
  if to_regclass('partitions.' || name) is not null then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('request_log', 0));
  if to_regclass('partitions.' || name) is not null then
    return;
  end if;
  execute format('create table partitions.%I (like public.request_log including all)', name);
  execute format('alter table partitions.%I enable row level security', name);
  execute format('alter table public.request_log attach partition partitions.%I for values from (%L) to (%L)',
    name, day::text || ' 00:00:00+00', (day + 1)::text || ' 00:00:00+00');
end $$;

-- rows: [{ id, tenant_id, key_id, age_ms, … }], the columns by their names. One without a tenant is its key's, by the public part of the
-- credential; one of no tenant is left out. A batch is written once, however often it is sent. Answers how many rows it wrote.
create function private.record_requests(batch uuid, rows jsonb) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  written integer;
begin
  insert into private.usage_batches (id) values (batch) on conflict do nothing;
  if not found then
    return 0;
  end if;
  perform private.open_request_log_day(d::date)
  from (
    select distinct date_trunc('day', (now() - make_interval(secs => (r ->> 'age_ms')::double precision / 1000)) at time zone 'UTC') as d
    from jsonb_array_elements(rows) r
  ) days;
  insert into public.request_log (id, tenant_id, at, operation, method, path, query, resource, status, error_code, duration_ms, credential,
    actor, api_key_id, address, request, response, refused)
  select r.id, t.id, now() - make_interval(secs => r.age_ms / 1000.0), r.operation, r.method, r.path, r.query, r.resource, r.status,
    r.error_code, r.duration_ms, r.credential, r.actor, coalesce(r.api_key_id, s.api_key_id), r.address, r.request, r.response,
    coalesce(r.refused, false)
  from jsonb_to_recordset(rows) as r (
    id text, tenant_id text, key_id text, age_ms bigint, operation text, method text, path text, query text, resource text, status smallint,
    error_code text, duration_ms integer, credential text, actor text, api_key_id text, address inet, request jsonb, response jsonb,
    refused boolean
  )
  left join private.api_key_secrets s on r.tenant_id is null and s.key_id = r.key_id
  join public.tenants t on t.id = coalesce(r.tenant_id, s.tenant_id);
  get diagnostics written = row_count;
  return written;
end $$;
create function public.record_requests(batch uuid, rows jsonb) returns integer
language plpgsql volatile set search_path = '' as $$
begin
  return private.record_requests(batch, rows);
end $$;

-- Makes the partitions of the next two days and drops the oldest one past 14 days; answers how many it dropped. A reader holds it up for
-- no longer than lock_timeout, and nobody waits behind it for longer.
create function private.roll_request_log() returns integer
language plpgsql volatile security definer set search_path = '' set lock_timeout = '2s' as $$
declare
  today constant date := (now() at time zone 'UTC')::date;
  oldest text;
begin
  perform private.open_request_log_day(today + n) from generate_series(0, 2) n;
  select c.relname into oldest
  from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'public.request_log'::regclass and c.relname < 'request_log_' || to_char(today - 14, 'YYYYMMDD')
  order by c.relname limit 1;
  if oldest is null then
    return 0;
  end if;
  execute format('drop table partitions.%I', oldest);
  return 1;
end $$;

grant execute on function private.record_requests(uuid, jsonb), public.record_requests(uuid, jsonb), private.roll_request_log() to service_role;
