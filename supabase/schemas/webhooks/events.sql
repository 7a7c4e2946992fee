-- Events: what is sent to a tenant's webhooks and returned by GET /v1/events. An event exists if
-- and only if the change it reports committed. After 30 days it is no longer visible and is dropped
-- with its partition (private.roll_partitions).

create table public.events (
  id text not null default private.new_id('evt'),
  tenant_id text not null references public.tenants (id),
  type text not null check (type ~ '^[a-z_]+(\.[a-z_]+)+$'),
  at timestamptz(3) not null default date_trunc('milliseconds', now()),
  data jsonb not null,
  -- What makes the event one of a kind, where a second one would be wrong.
  once_key text,
  -- The request that it came of; null where it came of none. Its deliveries are traced under it.
  request_id text default nullif(current_setting('app.request_id', true), ''),
  -- A test of that webhook, or of GET /v1/events, with example data: it goes nowhere else.
  test_of text,
  -- Its place in the order in which it is read (event_feed.sql); null in events that are older than
  -- reading.
  position bigint,
  -- The ID of what it is about.
  subject text,
  primary key (tenant_id, id)
) partition by range (id);
create table partitions.events_first partition of public.events for values
  from (minvalue) to (maxvalue);
alter table partitions.events_first enable row level security;
create index events_by_request on public.events (tenant_id, request_id)
where request_id is not null;
create index events_by_position on public.events (tenant_id, position);
create index events_by_subject on public.events (tenant_id, subject, position);

alter table public.events enable row level security;
grant select on public.events to authenticated, service_role;
create policy events_read on public.events for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and at > now() - interval '30 days'
    and type = any ((select private.readable_events())::text[]));

-- The keys of events that must not repeat: a unique key on public.events would hold only within
-- each partition. Deleted after 30 days, too.
create table private.event_once (
  tenant_id text not null,
  type text not null,
  once_key text not null,
  at timestamptz(3) not null default now(),
  primary key (tenant_id, type, once_key)
);
create index event_once_by_age on private.event_once using brin (at);
alter table private.event_once enable row level security;

-- Skips an event whose key exists already, in any statement that inserts it.
create function private.skip_repeated_event() returns trigger
language plpgsql set search_path = '' as $$
begin
  insert into private.event_once (tenant_id, type, once_key)
  values (new.tenant_id, new.type, new.once_key)
  on conflict do nothing;
  return case when found then new end;
end $$;
create trigger once before insert on public.events
  for each row when (new.once_key is not null) execute function private.skip_repeated_event();

-- Does nothing if once_key exists already.
create function private.emit(tenant_id text, type text, data jsonb,
  once_key text default null) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into public.events (tenant_id, type, data, once_key) values ($1, $2, $3, $4);
end $$;

-- For one webhook of the caller's tenant. Returns the event's ID.
create function private.emit_test(webhook_id text, type text, data jsonb) returns text
language plpgsql volatile set search_path = '' as $$
declare
  event_id text;
begin
  insert into public.events (tenant_id, type, data, test_of)
  values (private.tenant_id(), $2, $3, $1)
  returning id into event_id;
  return event_id;
end $$;
