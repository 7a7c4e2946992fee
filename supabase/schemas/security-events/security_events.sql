-- Security events: the audit trail, written in the transaction of the effect and append-only. Each
-- event carries the hash of its content and of the previous event in its chain, so that a changed,
-- removed, moved or invented row shows. Why, and what it proves:
-- docs/decisions/0009-audit-trail.md.

create table public.security_events (
  id text not null default private.new_id('sev'),
  -- Null for events that belong to no tenant: their chain is '*'.
  tenant_id text references public.tenants (id),
  chain text not null generated always as (coalesce(tenant_id, '*')) stored,
  at timestamptz(3) not null default now(),
  type text not null check (type ~ '^[a-z_]+(\.[a-z_]+)+$'),
  actor text not null,
  -- The issuer of the actor, if it is a person: names are not unique.
  actor_issuer text,
  actor_subject text,
  credential text not null check (
    credential in ('user', 'api_key', 'publishable_key', 'service_role', 'none', 'system')),
  -- The tenant that the credential belongs to, if it is another one.
  home_tenant_id text,
  cross_tenant boolean not null default false,
  operation text,
  target text,
  address inet,
  request_id text,
  reason text,
  details jsonb not null default '{}',
  -- Its place in the chain, assigned at the commit.
  seq bigint,
  prev_hash text,
  hash text,
  primary key (chain, id)
);
-- Only events with a place in a chain are listed, so an event enters this index once, when it gets
-- its place.
create unique index security_events_chain on public.security_events (chain, seq)
where seq is not null;
create index security_events_by_time on public.security_events (tenant_id, at, seq)
where seq is not null;
create index security_events_by_type on public.security_events (tenant_id, type, at, seq)
where seq is not null;
create index security_events_by_actor on public.security_events (tenant_id, actor, at, seq)
where seq is not null;
create index security_events_by_target on public.security_events (tenant_id, target, at, seq)
where seq is not null and target is not null;
create index security_events_across on public.security_events (tenant_id, at, seq)
where seq is not null and cross_tenant;
-- What an event is searched by: who, to what by name and ID, in which period, and why.
create function private.security_event_search_text(actor text, target text, reason text,
  details jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return lower(concat_ws(' ', actor, target, reason, details ->> 'name',
    details ->> 'target_name', details ->> 'reconciliation_name', details ->> 'file_name',
    details ->> 'email', details ->> 'url'));
end $$;
-- Serves searches for words of three letters or more.
create index security_events_by_words on public.security_events
  using gin (private.security_event_search_text(actor, target, reason, details)
    extensions.gin_trgm_ops)
where seq is not null;
create index security_events_unchained on public.security_events (chain, id) where seq is null;

alter table public.security_events enable row level security;
grant select on public.security_events to authenticated, service_role;
create policy security_events_read on public.security_events for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:security-events')));

-- Where each chain ends.
create table private.security_event_heads (
  chain text primary key,
  seq bigint not null default 0,
  hash text
) with (fillfactor = 50);
alter table private.security_event_heads enable row level security;

-- Signed states of chains: up to `seq` a chain had this hash. The key is not in the database.
-- 'prefix': everything up to `seq` was deleted after its tenant's retention.
create table private.security_event_checkpoints (
  chain text not null,
  kind text not null check (kind in ('head', 'prefix')),
  seq bigint not null,
  hash text not null,
  at timestamptz(3) not null,
  key_id text not null,
  signature text not null,
  primary key (chain, kind, seq)
);
alter table private.security_event_checkpoints enable row level security;

-- The SHA-256 of a JSON array of texts. The event of a person uses the second form, which
-- identifies them; every other event, and every event from before there were two forms, uses the
-- first: so a person can neither be removed from an event nor added to one.
-- lib/security-events/chain.ts has the same in TypeScript, so that a verifier outside of the
-- database need not trust this function.
create function private.security_event_hash(event public.security_events) returns text
language plpgsql stable set search_path = '' as $$
begin
  return encode(
    sha256(
      convert_to(case when event.actor_issuer is null
        and event.actor_subject is null then json_build_array(
    'tieout.security_event.v1', event.tenant_id, event.seq::text, event.prev_hash, event.id,
    private.iso(event.at),
    event.type, event.actor, event.credential,
    event.home_tenant_id, event.cross_tenant::text, event.operation, event.target,
    host(event.address), event.request_id,
    event.reason, event.details::text
  ) else json_build_array(
    'tieout.security_event.v2', event.tenant_id, event.seq::text, event.prev_hash, event.id,
    private.iso(event.at),
    event.type, event.actor, event.credential,
    event.home_tenant_id, event.cross_tenant::text, event.operation, event.target,
    host(event.address), event.request_id,
    event.reason, event.details::text,
    event.actor_issuer, event.actor_subject
  ) end::text, 'UTF8')), 'hex');
end $$;

-- Older than its tenant's retention, and in a part of the chain whose end was signed before it is
-- deleted.
create function private.is_forgettable(event public.security_events) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return event.at < now(
    ) - make_interval(
      days => coalesce(
        (select tenant.security_event_retention_days from public.tenants tenant
          where tenant.id = event.tenant_id),
      400))
    and exists (select from private.security_event_checkpoints checkpoint
      where checkpoint.chain = event.chain and checkpoint.kind = 'prefix'
        and checkpoint.seq >= event.seq);
end $$;

-- Applies to the owner as well. The only change allowed is assigning an event's place, once, in the
-- transaction that wrote it.
create function private.guard_security_events() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and old.hash is null then
    return new;
  elsif tg_op = 'DELETE' and private.is_forgettable(old) then
    return old;
  end if;
  raise exception using errcode = '42501', message = 'Security events are only ever added.';
end $$;

create trigger security_events_guard before update or delete on public.security_events
  for each row execute function private.guard_security_events();
create trigger security_events_guard_truncate before truncate on public.security_events
  for each statement execute function private.guard_security_events();

-- A signed state may be deleted an hour later, if there is a later one of its kind.
create function private.guard_security_event_checkpoints() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' and old.at < now() - interval '1 hour' and exists (
    select
    from private.security_event_checkpoints checkpoint
    where checkpoint.chain = old.chain and checkpoint.kind = old.kind and checkpoint.seq > old.seq
  ) then
    return old;
  end if;
  raise exception using errcode = '42501', message = 'Checkpoints are only ever added.';
end $$;

create trigger security_event_checkpoints_guard before update or delete
  on private.security_event_checkpoints
  for each row execute function private.guard_security_event_checkpoints();
create trigger security_event_checkpoints_guard_truncate before truncate
  on private.security_event_checkpoints
  for each statement execute function private.guard_security_event_checkpoints();

-- Completes what an event says about its caller. A service-role call leaves one row: an event of
-- the call replaces the bare record of it.
create function private.complete_security_event() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  call_id text := nullif(current_setting('app.call_event', true), '');
begin
  new.credential := coalesce(new.credential, private.principal_type(), 'system');
  new.cross_tenant := new.cross_tenant or new.credential = 'service_role';
  new.seq := null;
  new.prev_hash := null;
  new.hash := null;
  if call_id is null or new.id = call_id then
    return new;
  end if;
  perform set_config('app.call_event', '', true);
  update public.security_events event set
    type = new.type, target = new.target, details = event.details || new.details || case
      when event.reason is not null
      and new.reason is not null then jsonb_build_object('reason', new.reason) else '{}' end,
    reason = coalesce(event.reason, new.reason)
  where event.chain = private.tenant_id() and event.id = call_id;
  return null;
end $$;
create trigger security_events_complete before insert on public.security_events
  for each row execute function private.complete_security_event();

-- Runs at the commit, so that a tenant's head is locked only briefly, and its holder waits for no
-- other lock.
create function private.chain_security_event() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  head private.security_event_heads;
  event public.security_events;
begin
  select * into head
  from private.security_event_heads chain_head
  where chain_head.chain = new.chain for no key update;
  if not found then
    insert into private.security_event_heads (chain) values (new.chain) on conflict do nothing;
    select * into head
    from private.security_event_heads chain_head
    where chain_head.chain = new.chain for no key update;
  end if;
  select * into event from public.security_events
  where security_events.chain = new.chain and security_events.id = new.id;
  event.seq := head.seq + 1;
  event.prev_hash := head.hash;
  event.hash := private.security_event_hash(event);
  update public.security_events
  set seq = event.seq, prev_hash = event.prev_hash, hash = event.hash
  where security_events.chain = event.chain and security_events.id = event.id;
  update private.security_event_heads chain_head set seq = event.seq, hash = event.hash
  where chain_head.chain = event.chain;
  return null;
end $$;
create constraint trigger security_events_chain after insert on public.security_events
  deferrable initially deferred for each row execute function private.chain_security_event();

-- Also if replication or a restore would skip triggers.
alter table public.security_events enable always trigger security_events_guard;
alter table public.security_events enable always trigger security_events_guard_truncate;
alter table public.security_events enable always trigger security_events_complete;
alter table public.security_events enable always trigger security_events_chain;
alter table private.security_event_checkpoints
  enable always trigger security_event_checkpoints_guard;
alter table private.security_event_checkpoints
  enable always trigger security_event_checkpoints_guard_truncate;
