-- Events: what a tenant's receivers are sent. An event exists if and only if the change it reports committed.

create table public.events (
  id text not null default private.new_id('evt'),
  tenant_id text not null references public.tenants (id),
  type text not null check (type ~ '^[a-z_]+(\.[a-z_]+)+$'),
  at timestamptz(3) not null default date_trunc('milliseconds', now()),
  data jsonb not null,
  -- What makes the event one of a kind, where a second one would be wrong.
  once_key text,
  -- The request that it came of; null where it came of none. Its deliveries are traced under it.
  request_id text default nullif(current_setting('tieout.request_id', true), ''),
  -- A test of that webhook, with example data: it goes nowhere else.
  test_of text,
  primary key (tenant_id, id),
  constraint events_tenant_id_type_once_key_key unique (tenant_id, type, once_key)
);
create index events_by_age on public.events using brin (at);
create index events_by_request on public.events (tenant_id, request_id) where request_id is not null;

alter table public.events enable row level security;
grant select on public.events to authenticated, service_role;
create policy events_read on public.events for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:webhooks'))
    and type = any ((select private.readable_events())::text[]));

-- Emits once: a second call with the same once_key does nothing.
create function private.emit(tenant_id text, type text, data jsonb, once_key text default null) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into public.events (tenant_id, type, data, once_key) values ($1, $2, $3, $4)
  on conflict on constraint events_tenant_id_type_once_key_key do nothing;
end $$;

-- For one webhook of the caller's own tenant. Answers the event's id.
create function private.emit_test(webhook_id text, type text, data jsonb) returns text
language plpgsql volatile set search_path = '' as $$
declare
  made text;
begin
  insert into public.events (tenant_id, type, data, test_of) values (private.tenant_id(), $2, $3, $1) returning id into made;
  return made;
end $$;
