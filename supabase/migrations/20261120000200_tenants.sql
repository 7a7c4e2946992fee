-- Tenants: the boundary everything else is inside of.

create table public.tenants (
  id text primary key check (id ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  name text not null check (length(name) between 1 and 120),
  created_at timestamptz(3) not null default now()
);

alter table public.tenants enable row level security;
grant select on public.tenants to anon, authenticated, service_role;
create policy tenants_read on public.tenants for select to anon, authenticated
  using (id = (select private.tenant_id()));

-- Called by `npm run tenant -- create`, over the operator's connection.
create function private.create_tenant(id text, name text) returns void
language sql set search_path = '' as $$
  insert into public.tenants (id, name) values ($1, $2);
$$;
