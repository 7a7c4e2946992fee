-- Request log: each call of /v1 with its outcome, for 14 days. The web processes write it about
-- once a second; no call waits for it.

-- In partitions of one day (UTC). `actor` is null if the caller was not verified: such a row
-- belongs to the tenant because the credential named one of its keys. `request` and `response`: {
-- headers, body, bytes, truncated }, bounded and without secrets
-- (lib/request-log/mask-messages.ts).
create table public.request_log (
  id text not null,
  tenant_id text not null,
  at timestamptz(3) not null,
  -- Null if the path or method is not part of the API.
  operation text,
  method text not null,
  path text not null,
  query text not null default '',
  -- The ID in the path, or the ID that the call created.
  resource text,
  status smallint not null,
  error_code text,
  duration_ms integer not null,
  credential text not null check (
    credential in ('session', 'token', 'api_key', 'publishable_key', 'service_role')),
  actor text,
  api_key_id text,
  address inet,
  request jsonb not null,
  response jsonb not null,
  -- Rejected before it ran, as API key usage counts it.
  refused boolean not null default false,
  primary key (tenant_id, id, at)
) partition by range (at);
create table partitions.request_log_first partition of public.request_log for values
  from (minvalue) to (maxvalue);
alter table partitions.request_log_first enable row level security;
-- Includes the columns that lists filter by, so that rows that don't match are skipped without
-- being read, in pages that were vacuumed since.
create index request_log_by_time on public.request_log (tenant_id, at desc, id desc)
  include (status, refused, duration_ms, operation, actor, api_key_id, credential, error_code);
create index request_log_by_resource on public.request_log (tenant_id, resource, at desc)
where resource is not null;

alter table public.request_log enable row level security;
grant select on public.request_log to authenticated, service_role;
create policy request_log_read on public.request_log for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:requests')));

-- rows: [{ id, tenant_id, key_id, age_ms, … }], the columns by name. A row without a tenant belongs
-- to the tenant of its key; rows without either are left out. A batch is written once, however
-- often it is sent. Returns how many rows it wrote.
create function private.record_requests(batch uuid, rows jsonb) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  written integer;
begin
  insert into private.usage_batches (id) values (batch) on conflict do nothing;
  if not found then
    return 0;
  end if;
  insert into public.request_log (id, tenant_id, at, operation, method, path, query, resource,
    status, error_code, duration_ms, credential,
    actor, api_key_id, address, request, response, refused)
  select item.id, tenant.id, now() - make_interval(secs => item.age_ms / 1000.0), item.operation,
    item.method, item.path, item.query, item.resource, item.status,
    item.error_code, item.duration_ms, item.credential, item.actor,
    coalesce(item.api_key_id, key_secret.api_key_id), item.address, item.request, item.response,
    coalesce(item.refused, false)
  from jsonb_to_recordset(rows) as item (
    id text, tenant_id text, key_id text, age_ms bigint, operation text, method text, path text,
    query text, resource text, status smallint,
    error_code text, duration_ms integer, credential text, actor text, api_key_id text,
    address inet, request jsonb, response jsonb,
    refused boolean
  )
  left join private.api_key_secrets key_secret on item.tenant_id is null
    and key_secret.key_id = item.key_id
  join public.tenants tenant on tenant.id = coalesce(item.tenant_id, key_secret.tenant_id);
  get diagnostics written = row_count;
  return written;
end $$;
create function public.record_requests(batch uuid, rows jsonb) returns integer
language plpgsql volatile set search_path = '' as $$
begin
  return private.record_requests(batch, rows);
end $$;

grant execute
  on function private.record_requests(uuid, jsonb),
    public.record_requests(uuid, jsonb) to service_role;
