-- Events: what a tenant's receivers are told. An event exists if and only if the change it tells of committed.

create table public.events (
  id text primary key default private.new_id('evt'),
  tenant_id text not null references public.tenants (id),
  type text not null check (type ~ '^[a-z_]+(\.[a-z_]+)+$'),
  at timestamptz(3) not null default now(),
  data jsonb not null,
  -- What makes the event one of a kind, where a second telling would be wrong.
  once_key text,
  unique (tenant_id, type, once_key)
);
create index events_by_tenant on public.events (tenant_id, id desc);

alter table public.events enable row level security;
grant select on public.events to authenticated, service_role;
create policy events_read on public.events for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.allows('{tenant_admin}', '{read:webhooks}')));

-- Tells once: a second call with the same once_key does nothing.
create function private.emit(tenant_id text, type text, data jsonb, once_key text default null) returns void
language sql volatile security definer set search_path = '' as $$
  insert into public.events (tenant_id, type, data, once_key) values ($1, $2, $3, $4)
  on conflict on constraint events_tenant_id_type_once_key_key do nothing;
$$;

-- The same for the caller's own tenant: all that a request may tell of.
create function private.emit_own(type text, data jsonb, once_key text default null) returns void
language sql volatile security definer set search_path = '' as $$
  select private.emit(private.tenant_id(), $1, $2, $3);
$$;
grant execute on function private.emit_own(text, jsonb, text) to authenticated;
