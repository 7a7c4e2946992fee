-- Tenants: everything else belongs to one.

create table public.tenants (
  id text primary key check (id ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  name text not null check (length(name) between 1 and 120),
  created_at timestamptz(3) not null default now(),
  security_event_retention_days integer not null default 400 check (
    security_event_retention_days between 30 and 3660)
);

alter table public.tenants enable row level security;
grant select on public.tenants to anon, authenticated, service_role;
create policy tenants_read on public.tenants for select to anon, authenticated
  using (id = (select private.tenant_id()));

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

-- GET /v1/me: { tenant_id, tenant_name }. Any caller of the tenant may ask; for the publishable key
-- the name is null, whether or not the tenant exists.
create function public.get_me(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.begin_request(request, 'get_me');
  return jsonb_build_object('tenant_id', private.tenant_id(), 'tenant_name', (
    select t.name
    from public.tenants t
    where t.id = private.tenant_id() and private.principal_type() <> 'publishable_key'
  ));
end $$;
