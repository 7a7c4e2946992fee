-- Security events: what an auditor may ask about, written in the transaction of its effect.

create table public.security_events (
  id text primary key default private.new_id('sev'),
  tenant_id text not null references public.tenants (id),
  at timestamptz(3) not null default now(),
  type text not null check (type ~ '^[a-z_]+(\.[a-z_]+)+$'),
  actor text not null,
  operation text,
  target text,
  address inet,
  request_id text,
  reason text,
  details jsonb not null default '{}'
);
create index security_events_by_tenant on public.security_events (tenant_id, id desc);

alter table public.security_events enable row level security;
grant select on public.security_events to authenticated, service_role;
create policy security_events_read on public.security_events for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.allows('{tenant_admin}', '{}')));

-- The one way a row gets in. The actor, tenant and request come from the token and from `private.enter`.
create function private.record_security_event(type text, target text default null, reason text default null, details jsonb default '{}')
returns void
language sql volatile security definer set search_path = '' as $$
  insert into public.security_events (tenant_id, type, actor, operation, target, address, request_id, reason, details)
  values (
    private.tenant_id(), $1, private.actor(), nullif(current_setting('tieout.operation', true), ''), $2,
    nullif(current_setting('tieout.address', true), '')::inet, nullif(current_setting('tieout.request_id', true), ''), $3, $4
  );
$$;
