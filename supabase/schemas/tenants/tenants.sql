-- Tenants: everything else belongs to one.

create table public.tenants (
  id text primary key check (id ~ '^[a-z0-9][a-z0-9_-]{0,62}(\.sandbox)?$'),
  name text not null check (length(name) between 1 and 120),
  created_at timestamptz(3) not null default now(),
  security_event_retention_days integer not null default 400 check (
    security_event_retention_days between 30 and 3660),
  -- A sandbox's ID is its live tenant's with a suffix, so that nothing has to be looked up to know
  -- whose it is: docs/decisions/0031-sandbox-tenants.md.
  kind text not null
    generated always as (case when id ~ '\.' then 'sandbox' else 'live' end) stored
);

alter table public.tenants enable row level security;
grant select on public.tenants to anon, authenticated, service_role;
create policy tenants_read on public.tenants for select to anon, authenticated
  using (id = (select private.tenant_id()));

-- Whether an ID is a sandbox's: no live tenant's ID contains a period.
create function private.is_sandbox(tenant text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return coalesce(tenant ~ '\.sandbox$', false);
end $$;

-- The tenant whose people a tenant has: a sandbox has those of its live tenant.
create function private.live_tenant(tenant text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return regexp_replace(tenant, '\.sandbox$', '');
end $$;

-- Refuses: conflict in a sandbox.
create function private.require_live_tenant(detail text) returns void
language plpgsql stable set search_path = '' as $$
begin
  if private.is_sandbox(private.tenant_id()) then
    perform private.refuse_conflict('tenant_kind', detail);
  end if;
end $$;

-- Whether this transaction empties the tenant. Never true for a live one, whatever was set.
create function private.is_being_reset(tenant text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return current_setting('app.resets', true) = tenant
    and exists (select from public.tenants where tenants.id = tenant and tenants.kind = 'sandbox');
end $$;

-- The sandbox of the caller's tenant, or null.
create function private.own_sandbox() returns text
language plpgsql stable security definer set search_path = '' as $$
begin
  return (select tenant.id from public.tenants tenant
    where tenant.id = private.tenant_id() || '.sandbox');
end $$;
grant execute on function private.own_sandbox(), private.is_sandbox(text) to anon, authenticated;

-- Called by `npm run tenant -- create`, over the operator's connection. Refuses: invalid_request
-- for a malformed ID, and for one that is a path of the application (a tenant's pages are at /<id>)
-- or of a version of the API.
create function private.create_tenant(id text, name text) returns void
language plpgsql set search_path = '' as $$
begin
  if id !~ '^[a-z0-9][a-z0-9_-]{0,62}$' then
    perform private.refuse('invalid_request',
      'A tenant ID has 1 to 63 lowercase letters, digits, - and _, and starts with a letter or digit.');
  elsif id in ('api', 'design', 'docs', 'healthz', 'metrics', 'readyz', 'sign-in')
    or id ~ '^v[0-9]+$' then
    perform private.refuse('invalid_request', format('The ID %s is reserved. Choose another.', id));
  end if;
  insert into public.tenants (id, name) values ($1, $2);
  insert into public.sla_policies (tenant_id) values ($1);
end $$;

-- GET /v1/me: { tenant_id, tenant_name, kind, sandbox_id }. Any caller of the tenant may ask; for
-- the publishable key name and sandbox are null, whether or not the tenant exists.
create function public.get_me(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  answers constant boolean := private.principal_type() <> 'publishable_key';
begin
  perform private.begin_request(request, 'get_me');
  return jsonb_build_object('tenant_id', tenant,
    'tenant_name', (select tenants.name from public.tenants where tenants.id = tenant and answers),
    'kind', case when private.is_sandbox(tenant) then 'sandbox' else 'live' end,
    'sandbox_id', case when answers then private.own_sandbox() end);
end $$;
