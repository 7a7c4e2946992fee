-- The schemas as they were when the migrations began anew. Read supabase/schemas instead: this file is never changed.

-- Schemas: the Data API exposes `public`; `private` holds what only our own functions and the server reach.

create schema private;
grant usage on schema private to anon, authenticated, service_role;

-- The platform grants everything in public to the API roles by default, TRUNCATE included, which row-level
-- security does not stop. Here a table or function is out of reach until it is granted by name.
alter default privileges revoke execute on functions from public;
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges in schema public revoke all on functions from anon, authenticated, service_role;

-- Claims: who is asking, for which tenant.
--
-- Every request's token is signed by the server for exactly one tenant (lib/auth/internal-token.ts). Its claims:
--   tenant_id, principal_type (user | api_key | publishable_key | service_role), principal_id, actor, roles[], scopes[].
-- A Supabase Auth session token has none of them and therefore sees nothing.
--
-- Helpers that run for every row or in every policy are plpgsql: its plans are kept for the connection, while a function in
-- language sql with a search_path of its own is planned anew in each query.

create function private.tenant_id() returns text
language plpgsql stable set search_path = '' as $$
begin
  return auth.jwt() ->> 'tenant_id';
end $$;

create function private.principal_type() returns text
language plpgsql stable set search_path = '' as $$
begin
  return auth.jwt() ->> 'principal_type';
end $$;

-- As history and events name the caller: user:<name>, api_key:<id>, service_role; `system` for the worker and the operator.
create function private.actor() returns text
language plpgsql stable set search_path = '' as $$
begin
  return coalesce(auth.jwt() ->> 'actor', 'system');
end $$;

grant execute on function private.tenant_id(), private.principal_type(), private.actor() to anon, authenticated, service_role;

-- Refusals: how a function says no. lib/db/unwrap.ts turns them into the problems of /v1.

-- Raises one of the codes of lib/wire/errors.ts. `detail` is a sentence for the caller; `errors` is [{ path, message }] or null.
create function private.refuse(code text, detail text, errors jsonb default null) returns void
language plpgsql stable set search_path = '' as $$
begin
  raise exception using errcode = 'TO001', message = code, detail = detail, hint = coalesce(errors::text, '');
end $$;

-- Refuses one field of the input, as the contract does: 400 with its path.
create function private.refuse_field(path text, message text) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.refuse('invalid_request', 'The request is invalid. See errors for details.',
    jsonb_build_array(jsonb_build_object('path', path, 'message', message)));
end $$;

-- Refuses an identifier that is not this tenant's: 404, the same whether it is another tenant's or never existed. `noun` is the
-- contract's, so that a malformed identifier gets the same answer.
create function private.refuse_missing(noun text) returns void
language plpgsql stable set search_path = '' as $$
begin
  perform private.refuse('not_found', format('There is no such %s.', noun));
end $$;

grant execute on function private.refuse(text, text, jsonb), private.refuse_field(text, text), private.refuse_missing(text)
to anon, authenticated, service_role;

-- Values: the forms in which times, identifiers, lists and changes leave the database.

-- ISO 8601 UTC with milliseconds: the only form in which a time leaves the database.
create function private.iso(moment timestamptz) returns text
language plpgsql stable set search_path = '' as $$
begin
  return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
end $$;

-- Typed, time-sortable identifier: 48 bits of milliseconds, then 74 random bits.
create function private.new_id(prefix text) returns text
language plpgsql volatile set search_path = '' as $$
begin
  return prefix || '_'
    || lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
    || substr(replace(gen_random_uuid()::text, '-', ''), 13);
end $$;

-- The texts of a JSON array; an empty array for anything else.
create function private.text_array(value jsonb) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return case when jsonb_typeof(value) = 'array' then array(select jsonb_array_elements_text(value)) else '{}' end;
end $$;

-- JSON merge patch (RFC 7396), in one pass: field by field it would copy the whole for each, seconds for a patch of thousands.
create function private.merge_patch(target jsonb, patch jsonb) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare
  base constant jsonb := case when jsonb_typeof(target) = 'object' then target else '{}' end;
begin
  if jsonb_typeof(patch) <> 'object' then
    return patch;
  end if;
  return (
    select coalesce(jsonb_object_agg(merged.key, merged.value), '{}')
    from (
      select t.key, t.value from jsonb_each(base) t where not patch ? t.key
      union all
      select p.key, case when jsonb_typeof(p.value) = 'object' then private.merge_patch(base -> p.key, p.value) else p.value end
      from jsonb_each(patch) p where p.value <> 'null'
    ) merged
  );
end $$;

-- What changed between two objects: { field: { from, to } }, null where nothing did. A field that only `before` has is no change.
create function private.changes(before jsonb, after jsonb) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return (
    select jsonb_object_agg(key, jsonb_build_object('from', before -> key, 'to', value))
    from jsonb_each(after) where value is distinct from coalesce(before -> key, 'null')
  );
end $$;

-- The version of a state that no counter counts: 52 bits of its digest, which a JSON number holds.
create function private.version_of(state jsonb) returns bigint
language plpgsql immutable set search_path = '' as $$
begin
  return ('x' || left(encode(sha256(convert_to(state::text, 'UTF8')), 'hex'), 13))::bit(52)::bigint;
end $$;

-- What each word of `q` is compared with by `like`; empty where there is nothing to look for.
create function private.word_patterns(q text) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return coalesce((
    select array_agg('%' || replace(replace(replace(word, '\', '\\'), '%', '\%'), '_', '\_') || '%')
    from regexp_split_to_table(lower(q), '\s+') word where word <> ''
  ), '{}');
end $$;

-- A keyset page out of up to `page_size` + 1 items: { items, next }. `next` holds these fields of the page's last item as texts,
-- null on the last page; the next call passes it as input.after.
create function private.page(items jsonb, page_size integer, variadic key text[]) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  if coalesce(jsonb_array_length(items), 0) <= page_size then
    return jsonb_build_object('items', coalesce(items, '[]'), 'next', null);
  end if;
  return jsonb_build_object('items', items - page_size, 'next', (
    select jsonb_agg(items -> (page_size - 1) ->> k.field order by k.place) from unnest(key) with ordinality as k (field, place)
  ));
end $$;

grant execute on function private.iso(timestamptz), private.new_id(text), private.merge_patch(jsonb, jsonb) to anon, authenticated, service_role;
grant execute on function private.text_array(jsonb), private.changes(jsonb, jsonb), private.version_of(jsonb), private.word_patterns(text) to authenticated;
grant execute on function private.page(jsonb, integer, text[]) to anon, authenticated;

-- Tenants: the boundary everything else is inside of.

create table public.tenants (
  id text primary key check (id ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  name text not null check (length(name) between 1 and 120),
  created_at timestamptz(3) not null default now(),
  security_event_retention_days integer not null default 400 check (security_event_retention_days between 30 and 3660)
);

alter table public.tenants enable row level security;
grant select on public.tenants to anon, authenticated, service_role;
create policy tenants_read on public.tenants for select to anon, authenticated
  using (id = (select private.tenant_id()));

-- Called by `npm run tenant -- create`, over the operator's connection.
-- Refuses: invalid_request for a malformed id, and for one that is a path of the application (a tenant's pages are at /<id>)
-- or of a version of the API.
create function private.create_tenant(id text, name text) returns void
language plpgsql set search_path = '' as $$
begin
  if id !~ '^[a-z0-9][a-z0-9_-]{0,62}$' then
    perform private.refuse('invalid_request', 'A tenant ID has 1 to 63 lowercase letters, digits, - and _, and starts with a letter or digit.');
  elsif id in ('api', 'design', 'docs', 'healthz', 'metrics', 'readyz', 'sign-in') or id ~ '^v[0-9]+$' then
    perform private.refuse('invalid_request', format('The ID %s is reserved. Choose another.', id));
  end if;
  insert into public.tenants (id, name) values ($1, $2);
  insert into public.sla_policies (tenant_id) values ($1);
end $$;

-- GET /v1/me: { tenant_id, tenant_name }. Any principal of the tenant may ask; to the publishable key the name is null, whether or not
-- there is such a tenant.
create function public.get_me(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, 'get_me');
  return jsonb_build_object('tenant_id', private.tenant_id(), 'tenant_name', (
    select t.name from public.tenants t where t.id = private.tenant_id() and private.principal_type() <> 'publishable_key'
  ));
end $$;

-- Access: who may do what. lib/wire/access.ts and the contracts say it; `npm run generate` writes both tables (900_operations.gen.sql).
-- `private.enter` decides operations by them, and policies decide rows.

-- action:resource, for example write:exceptions. `principals`: the kinds that may hold it.
create table private.permissions (
  permission text primary key check (permission ~ '^[a-z]+:[a-z-]+$'),
  principals text[] not null,
  -- One of which a user needs; null: any user of the tenant.
  roles text[],
  -- Which an API key needs; null: any key, where `principals` names api_key.
  scope text
);

-- Which exposed function serves which operation of /v1, and what that operation needs.
create table private.operations (
  verb text not null,
  operation text not null,
  permission text not null references private.permissions (permission),
  primary key (verb, operation)
);
create index operations_by_permission on private.operations (permission);

alter table private.permissions enable row level security;
alter table private.operations enable row level security;

-- Whether these claims hold the permission: the same decision as `allows` in lib/wire/access.ts.
create function private.holds(needed private.permissions, claims jsonb) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return coalesce(claims ->> 'principal_type' = any (needed.principals) and case claims ->> 'principal_type'
    when 'user' then needed.roles is null or claims -> 'roles' ?| needed.roles
    when 'api_key' then needed.scope is null or claims -> 'scopes' ? needed.scope
    else true
  end, false);
end $$;

-- Whether the caller holds one of these permissions. In policies: (select private.may('write:exceptions')), once a statement.
create function private.may(variadic permissions text[]) returns boolean
language plpgsql stable security definer set search_path = '' as $$
declare
  claims constant jsonb := auth.jwt();
begin
  return exists (select from private.permissions p where p.permission = any (permissions) and private.holds(p, claims));
end $$;

-- The resources on which the caller may do one of these actions: for tables that hold several, as records do.
create function private.permitted(variadic actions text[]) returns text[]
language plpgsql stable security definer set search_path = '' as $$
declare
  claims constant jsonb := auth.jwt();
begin
  return array(
    select split_part(p.permission, ':', 2) from private.permissions p
    where split_part(p.permission, ':', 1) = any (actions) and private.holds(p, claims)
  );
end $$;

grant execute on function private.may(text[]), private.permitted(text[]) to anon, authenticated;

-- Requests: how every exposed function begins and ends. What the pipeline decided is decided again here.
--
-- An exposed function is (input jsonb, request jsonb) returns jsonb. `request` is what lib/db/call.ts sends:
--   { operation, request_id, address, audit_reason, export, dry_run, versions, continues,
--     idempotency: { key_hash, fingerprint } | null }.
-- A reading function begins with `perform private.enter(request, '<its own name>')`. A writing one declares
-- `kept constant jsonb := private.enter_write(request, '<its own name>')`, returns `kept` where it is not null, and ends
-- with `return private.answer(request, <body>)`.

create table private.idempotency_keys (
  tenant_id text not null references public.tenants (id),
  principal text not null,
  operation text not null,
  key_hash text not null,
  fingerprint text not null,
  answer jsonb,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, principal, operation, key_hash)
);
create index idempotency_keys_by_age on private.idempotency_keys (created_at);
alter table private.idempotency_keys enable row level security;

-- Opens a request of the function `verb`. `resource`: what it is about, where one function serves several.
-- Refuses: tenant_forbidden for a tenant that does not exist, but to the publishable key, which is in everybody's hands: to it such a
-- tenant is one that has published nothing; role_required unless the named operation is one of this function's,
-- on this resource, and the caller holds what it needs (private.operations).
-- Records: one security event for a service-role call, for an export { format, query } and for a dry run (its input).
-- `continues`: a later step of a request that was opened already, and has its event.
create function private.enter(request jsonb, verb text, resource text default null) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  needed private.permissions;
begin
  perform set_config('tieout.operation', coalesce(request ->> 'operation', ''), true),
    set_config('tieout.request_id', coalesce(request ->> 'request_id', ''), true),
    set_config('tieout.address', coalesce(request ->> 'address', ''), true);
  if private.tenant_id() is null or private.principal_type() is distinct from 'publishable_key'
    and not exists (select from public.tenants t where t.id = private.tenant_id()) then
    perform private.refuse('tenant_forbidden', 'This credential does not belong to the tenant named by X-Tenant-Id.');
  end if;
  select p.* into needed
  from private.operations o join private.permissions p on p.permission = o.permission
  where o.verb = enter.verb and o.operation = request ->> 'operation'
    and (enter.resource is null or split_part(o.permission, ':', 2) = enter.resource);
  if not found or not private.holds(needed, auth.jwt()) then
    perform private.refuse('role_required', 'This credential does not allow this operation.');
  end if;
  if coalesce((request ->> 'continues')::boolean, false) then
    return;
  end if;
  if private.principal_type() = 'service_role' then
    perform private.record_service_call(left(request ->> 'audit_reason', 1000));
  end if;
  if jsonb_typeof(request -> 'export') = 'object' then
    perform private.record_security_event('data.exported', null, null, request -> 'export');
  elsif jsonb_typeof(request -> 'dry_run') = 'object' then
    perform private.record_security_event('dry_run.done', request -> 'dry_run' ->> 'id', null, request -> 'dry_run');
  end if;
end $$;

-- Opens a write, as `enter`, and answers what is kept under the idempotency key; null: go on. A twin still in flight holds the
-- row, so the insert waits for it to commit (then this is a replay) or to fail (then this request does the work).
-- Refuses, beside what `enter` does: idempotency_mismatch where the key was used with another request.
create function private.enter_write(request jsonb, verb text, resource text default null) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  key constant jsonb := nullif(request -> 'idempotency', 'null'::jsonb);
  caller constant text := auth.jwt() ->> 'principal_id';
  stored private.idempotency_keys;
begin
  perform private.enter(request, verb, resource);
  if key is null then
    return null;
  end if;
  loop
    insert into private.idempotency_keys (tenant_id, principal, operation, key_hash, fingerprint)
    values (private.tenant_id(), caller, request ->> 'operation', key ->> 'key_hash', key ->> 'fingerprint')
    on conflict do nothing;
    if found then
      return null;
    end if;
    select * into stored from private.idempotency_keys k
    where k.tenant_id = private.tenant_id() and k.principal = caller
      and k.operation = request ->> 'operation' and k.key_hash = key ->> 'key_hash';
    continue when not found;
    if stored.created_at < now() - interval '24 hours' then
      delete from private.idempotency_keys k
      where k.tenant_id = stored.tenant_id and k.principal = stored.principal and k.operation = stored.operation
        and k.key_hash = stored.key_hash and k.created_at = stored.created_at;
      continue;
    end if;
    if stored.fingerprint <> key ->> 'fingerprint' then
      perform private.refuse('idempotency_mismatch', 'This idempotency key was used with a different request. Use a new key for a new request.');
    end if;
    return jsonb_build_object('replayed', true, 'body', stored.answer);
  end loop;
end $$;

-- Closes a write: keeps the body under the idempotency key, in the transaction of the change.
create function private.answer(request jsonb, body jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  key constant jsonb := nullif(request -> 'idempotency', 'null'::jsonb);
begin
  if key is not null then
    update private.idempotency_keys k set answer = body
    where k.tenant_id = private.tenant_id() and k.principal = auth.jwt() ->> 'principal_id'
      and k.operation = request ->> 'operation' and k.key_hash = key ->> 'key_hash';
  end if;
  return jsonb_build_object('replayed', false, 'body', body);
end $$;

-- `versions`: those that If-Match allows, or null. To be asked while the row is locked. Refuses: precondition_failed.
create function private.require_version(version bigint, versions jsonb) returns void
language plpgsql stable set search_path = '' as $$
begin
  if jsonb_typeof(versions) = 'array' and not versions @> to_jsonb(version) then
    perform private.refuse('precondition_failed',
      'It has changed since the version in If-Match. Get it again and repeat your change.');
  end if;
end $$;

-- Deletes idempotency keys after 24 hours, at most `batch` at a time; answers how many.
create function private.purge_idempotency_keys(batch integer default 10000) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  deleted integer;
begin
  delete from private.idempotency_keys where ctid = any (array(
    select ctid from private.idempotency_keys where created_at < now() - interval '24 hours' limit batch
  ));
  get diagnostics deleted = row_count;
  return deleted;
end $$;

grant execute on function private.enter(jsonb, text, text) to anon, authenticated;
grant execute on function private.enter_write(jsonb, text, text), private.answer(jsonb, jsonb), private.require_version(bigint, jsonb) to authenticated;
grant execute on function private.purge_idempotency_keys(integer) to service_role;

-- Security events: the audit trail, written in the transaction of the effect and append-only. Each event carries the
-- hash of its content and of the event before it in its chain, so that a changed, removed, moved or invented row shows.
-- Why and what it proves: docs/decisions/0009-audit-trail.md.

create table public.security_events (
  id text not null default private.new_id('sev'),
  -- Null for what belongs to no tenant: its chain is '*'.
  tenant_id text references public.tenants (id),
  chain text not null generated always as (coalesce(tenant_id, '*')) stored,
  at timestamptz(3) not null default now(),
  type text not null check (type ~ '^[a-z_]+(\.[a-z_]+)+$'),
  actor text not null,
  credential text not null check (credential in ('user', 'api_key', 'publishable_key', 'service_role', 'none', 'system')),
  -- The tenant that the credential belongs to, where that is another one.
  home_tenant_id text,
  cross_tenant boolean not null default false,
  operation text,
  target text,
  address inet,
  request_id text,
  reason text,
  details jsonb not null default '{}',
  -- Its place in the chain, given at the commit.
  seq bigint,
  prev_hash text,
  hash text,
  primary key (chain, id)
);
-- Only what has its place in a chain is listed, so an event is entered here once, when it gets it.
create unique index security_events_chain on public.security_events (chain, seq) where seq is not null;
create index security_events_by_time on public.security_events (tenant_id, at, seq) where seq is not null;
create index security_events_by_type on public.security_events (tenant_id, type, at, seq) where seq is not null;
create index security_events_by_actor on public.security_events (tenant_id, actor, at, seq) where seq is not null;
create index security_events_by_target on public.security_events (tenant_id, target, at, seq) where seq is not null and target is not null;
create index security_events_across on public.security_events (tenant_id, at, seq) where seq is not null and cross_tenant;
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

-- Signed states of chains: up to `seq` a chain had this hash. The key is not in the database. 'prefix': all up to `seq` was
-- deleted, its tenant's retention being over.
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

-- The SHA-256 of a JSON array of texts. lib/security-events/chain.ts says the same in TypeScript: a verifier outside of
-- the database need not believe this function.
create function private.security_event_hash(e public.security_events) returns text
language plpgsql stable set search_path = '' as $$
begin
  return encode(sha256(convert_to(json_build_array(
    'tieout.security_event.v1', e.tenant_id, e.seq::text, e.prev_hash, e.id, private.iso(e.at), e.type, e.actor, e.credential,
    e.home_tenant_id, e.cross_tenant::text, e.operation, e.target, host(e.address), e.request_id, e.reason, e.details::text
  )::text, 'UTF8')), 'hex');
end $$;

-- Older than its tenant keeps, and in a part of the chain whose end was signed before it goes.
create function private.may_forget(e public.security_events) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return e.at < now() - make_interval(days => coalesce((select t.security_event_retention_days from public.tenants t where t.id = e.tenant_id), 400))
    and exists (select from private.security_event_checkpoints c where c.chain = e.chain and c.kind = 'prefix' and c.seq >= e.seq);
end $$;

-- Applies to the owner as well. The one change is the chain's own: an event's place, once, in the transaction that wrote it.
create function private.guard_security_events() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and old.hash is null then
    return new;
  elsif tg_op = 'DELETE' and private.may_forget(old) then
    return old;
  end if;
  raise exception using errcode = '42501', message = 'Security events are only ever added.';
end $$;

create trigger security_events_guard before update or delete on public.security_events
  for each row execute function private.guard_security_events();
create trigger security_events_guard_truncate before truncate on public.security_events
  for each statement execute function private.guard_security_events();

-- Of the signed states, each may go an hour after, where there is a later one of its kind.
create function private.guard_security_event_checkpoints() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'DELETE' and old.at < now() - interval '1 hour' and exists (
    select from private.security_event_checkpoints c where c.chain = old.chain and c.kind = old.kind and c.seq > old.seq
  ) then
    return old;
  end if;
  raise exception using errcode = '42501', message = 'Checkpoints are only ever added.';
end $$;

create trigger security_event_checkpoints_guard before update or delete on private.security_event_checkpoints
  for each row execute function private.guard_security_event_checkpoints();
create trigger security_event_checkpoints_guard_truncate before truncate on private.security_event_checkpoints
  for each statement execute function private.guard_security_event_checkpoints();

-- What an event says of its caller. A service-role call leaves one row: what happens in it takes the place of the bare call.
create function private.complete_security_event() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  call_id text := nullif(current_setting('tieout.call_event', true), '');
begin
  new.credential := coalesce(new.credential, private.principal_type(), 'system');
  new.cross_tenant := new.cross_tenant or new.credential = 'service_role';
  new.seq := null;
  new.prev_hash := null;
  new.hash := null;
  if call_id is null or new.id = call_id then
    return new;
  end if;
  perform set_config('tieout.call_event', '', true);
  update public.security_events e set
    type = new.type, target = new.target, details = e.details || new.details || case
      when e.reason is not null and new.reason is not null then jsonb_build_object('reason', new.reason) else '{}' end,
    reason = coalesce(e.reason, new.reason)
  where e.chain = private.tenant_id() and e.id = call_id;
  return null;
end $$;
create trigger security_events_complete before insert on public.security_events
  for each row execute function private.complete_security_event();

-- At the commit: a tenant's head is locked for no longer than that, and its holder waits for nothing else meanwhile.
create function private.chain_security_event() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  head private.security_event_heads;
  e public.security_events;
begin
  select * into head from private.security_event_heads h where h.chain = new.chain for no key update;
  if not found then
    insert into private.security_event_heads (chain) values (new.chain) on conflict do nothing;
    select * into head from private.security_event_heads h where h.chain = new.chain for no key update;
  end if;
  select * into e from public.security_events s where s.chain = new.chain and s.id = new.id;
  e.seq := head.seq + 1;
  e.prev_hash := head.hash;
  e.hash := private.security_event_hash(e);
  update public.security_events s set seq = e.seq, prev_hash = e.prev_hash, hash = e.hash where s.chain = e.chain and s.id = e.id;
  update private.security_event_heads h set seq = e.seq, hash = e.hash where h.chain = e.chain;
  return null;
end $$;
create constraint trigger security_events_chain after insert on public.security_events
  deferrable initially deferred for each row execute function private.chain_security_event();

-- Also where replication or a restore would go past triggers.
alter table public.security_events enable always trigger security_events_guard;
alter table public.security_events enable always trigger security_events_guard_truncate;
alter table public.security_events enable always trigger security_events_complete;
alter table public.security_events enable always trigger security_events_chain;
alter table private.security_event_checkpoints enable always trigger security_event_checkpoints_guard;
alter table private.security_event_checkpoints enable always trigger security_event_checkpoints_guard_truncate;

-- Where security events come from: opened requests with something to report, and what never reached a function.

-- The one insert for what happens in a request or in the worker: actor, address and request come from the token and from
-- `private.enter`.
create function private.write_security_event(id text, tenant_id text, type text, target text, reason text, details jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into public.security_events (id, tenant_id, type, actor, operation, target, address, request_id, reason, details)
  values (
    $1, $2, $3, private.actor(), nullif(current_setting('tieout.operation', true), ''), $4,
    nullif(current_setting('tieout.address', true), '')::inet, nullif(current_setting('tieout.request_id', true), ''), $5, $6
  );
end $$;

-- The same for the caller's own tenant: all that a verb may record.
create function private.record_security_event(type text, target text default null, reason text default null, details jsonb default '{}')
returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.write_security_event(private.new_id('sev'), private.tenant_id(), $1, $2, $3, $4);
end $$;
grant execute on function private.record_security_event(text, text, text, jsonb) to authenticated;

create function private.record_service_call(reason text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  call_id constant text := private.new_id('sev');
begin
  perform private.write_security_event(call_id, private.tenant_id(), 'service_role.call', null, reason, '{}');
  perform set_config('tieout.call_event', call_id, true);
end $$;

-- An event as the server or the operator describes it, for no request of the database.
create function private.append_security_event(event jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into public.security_events
    (tenant_id, type, actor, credential, home_tenant_id, cross_tenant, operation, target, address, request_id, reason, details)
  values (
    event ->> 'tenant_id', event ->> 'type', event ->> 'actor', event ->> 'credential', event ->> 'home_tenant_id',
    coalesce((event ->> 'cross_tenant')::boolean, false), event ->> 'operation', event ->> 'target', (event ->> 'address')::inet,
    event ->> 'request_id', event ->> 'reason', coalesce(nullif(event -> 'details', 'null'), '{}')
  );
end $$;

-- What happens many times within a minute: reported once at its first time, and once more, with the number, after the minute.
create table private.security_event_counts (
  chain text not null,
  bucket text not null,
  minute timestamptz not null,
  count bigint not null,
  first jsonb not null,
  operations text[] not null,
  targets text[] not null,
  addresses text[] not null,
  primary key (chain, bucket, minute)
);
create index security_event_counts_by_age on private.security_event_counts (minute);
alter table private.security_event_counts enable row level security;

-- At most ten of both sides, sorted, none twice.
create function private.some_of(left_side text[], right_side text[]) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return array(select distinct v from unnest(left_side || right_side) v where v is not null order by v limit 10);
end $$;

-- The tenants of a member of Supabase Auth, by the address they sign in with.
create function private.tenants_of_email(email text) returns text[]
language plpgsql stable security definer set search_path = '' as $$
declare
  tenants jsonb;
begin
  select u.raw_app_meta_data -> 'tenants' into tenants from auth.users u where lower(u.email) = lower($1);
  return case jsonb_typeof(tenants)
    when 'object' then array(select jsonb_object_keys(tenants))
    when 'array' then array(select t #>> '{}' from jsonb_array_elements(tenants) t where jsonb_typeof(t) = 'string')
    else '{}'
  end;
end $$;

-- What the server saw before, after or without a function of the database: refusals, sign-ins, calls that failed.
-- events: [{ tenant_id, email, type, actor, credential, home_tenant_id, cross_tenant, operation, target, address, request_id,
-- reason, details, bucket, count, elsewhere }]. A tenant that does not exist has no trail: `elsewhere` says whether the event
-- belongs to no tenant then, or is dropped. `email` names the tenants of a member instead. With a bucket it is counted.
create function private.record_security_events(events jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  event jsonb;
  is_first boolean;
begin
  for event in
    select e.value || jsonb_build_object('tenant_id', known.tenant_id)
    from jsonb_array_elements(events) e
    cross join lateral (
      select case when e.value ->> 'email' is null then array[e.value ->> 'tenant_id'] else private.tenants_of_email(e.value ->> 'email') end as ids
    ) named
    left join public.tenants t on t.id = any (named.ids)
    cross join lateral (select t.id as tenant_id) known
    where t.id is not null or coalesce((e.value ->> 'elsewhere')::boolean, false)
    order by known.tenant_id
  loop
    if event ->> 'bucket' is null then
      perform private.append_security_event(event);
      continue;
    end if;
    insert into private.security_event_counts as c (chain, bucket, minute, count, first, operations, targets, addresses)
    values (
      coalesce(event ->> 'tenant_id', '*'), event ->> 'bucket', date_trunc('minute', clock_timestamp()), (event ->> 'count')::bigint,
      event - '{request_id,bucket,count,email,elsewhere}'::text[],
      private.some_of('{}', array[event ->> 'operation']), private.some_of('{}', array[event ->> 'target']),
      private.some_of('{}', array[event ->> 'address'])
    )
    on conflict (chain, bucket, minute) do update set
      count = c.count + excluded.count, operations = private.some_of(c.operations, excluded.operations),
      targets = private.some_of(c.targets, excluded.targets), addresses = private.some_of(c.addresses, excluded.addresses)
    returning c.count = (event ->> 'count')::bigint into is_first;
    if is_first then
      perform private.append_security_event(event);
    end if;
  end loop;
end $$;

create function public.record_security_events(events jsonb) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.record_security_events(events);
end $$;
grant execute on function private.record_security_events(jsonb), public.record_security_events(jsonb) to service_role;

-- Reports the minutes that are over; called by the worker. In the order of chains: two that took them crosswise would wait for
-- each other. Answers how many it wrote.
create function private.tell_security_event_counts() returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  reported integer := 0;
  c private.security_event_counts;
begin
  for c in
    with over as (
      delete from private.security_event_counts x where x.minute < date_trunc('minute', clock_timestamp() - interval '5 seconds') returning x.*
    )
    select * from over order by chain, minute, bucket
  loop
    if c.count > 1 then
      perform private.append_security_event(c.first || jsonb_build_object(
        'operation', case when cardinality(c.operations) = 1 then c.operations[1] end,
        'target', case when cardinality(c.targets) = 1 then c.targets[1] end,
        'address', case when cardinality(c.addresses) = 1 then c.addresses[1] end,
        'details', coalesce(nullif(c.first -> 'details', 'null'), '{}') || jsonb_build_object(
          'count', c.count - 1, 'minute', private.iso(c.minute), 'operations', c.operations, 'targets', c.targets, 'addresses', c.addresses
        )
      ));
      reported := reported + 1;
    end if;
  end loop;
  return reported;
end $$;

-- Reading security events, and walking their chain. For admins of the tenant.

create function private.security_event_json(e public.security_events) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', e.id, 'seq', e.seq, 'at', private.iso(e.at), 'type', e.type, 'actor', e.actor, 'credential', e.credential,
    'home_tenant_id', e.home_tenant_id, 'cross_tenant', e.cross_tenant, 'operation', e.operation, 'target', e.target,
    'address', host(e.address), 'request_id', e.request_id, 'reason', e.reason, 'details', e.details,
    'hash', e.hash, 'prev_hash', e.prev_hash
  );
end $$;

-- Newest first. input: { limit, after: [at, seq] | null, through: seq | null, type, actor, target, cross_tenant, since, until }.
-- `type` may end with .* for all of a kind.
create function private.security_events_page(input jsonb) returns jsonb
language plpgsql stable set search_path = '' set plan_cache_mode = force_custom_plan as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  kind constant text := case when input ->> 'type' like '%.*' then left(input ->> 'type', -1) end;
  items jsonb;
begin
  select jsonb_agg(private.security_event_json(e) order by e.at desc, e.seq desc) into items
  from (
    select * from public.security_events x
    where x.tenant_id = private.tenant_id() and x.seq is not null
      and (input -> 'after' ->> 0 is null or (x.at, x.seq) < ((input -> 'after' ->> 0)::timestamptz, (input -> 'after' ->> 1)::bigint))
      and (input ->> 'through' is null or x.seq <= (input ->> 'through')::bigint)
      and (input ->> 'type' is null or kind is not null or x.type = input ->> 'type')
      and (kind is null or starts_with(x.type, kind))
      and (input ->> 'actor' is null or x.actor = input ->> 'actor')
      and (input ->> 'target' is null or x.target = input ->> 'target')
      and (input ->> 'cross_tenant' is null or x.cross_tenant = (input ->> 'cross_tenant')::boolean)
      and (input ->> 'since' is null or x.at >= (input ->> 'since')::timestamptz)
      and (input ->> 'until' is null or x.at < (input ->> 'until')::timestamptz)
    order by x.at desc, x.seq desc
    limit page_size + 1
  ) e;
  return private.page(items, page_size, 'at', 'seq');
end $$;

-- input: as private.security_events_page.
create function public.list_security_events(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, 'list_security_events');
  return private.security_events_page(input);
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_security_event(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  e public.security_events;
begin
  perform private.enter(request, 'get_security_event');
  select * into e from public.security_events x
  where x.chain = private.tenant_id() and x.id = input ->> 'id' and x.tenant_id = private.tenant_id() and x.seq is not null;
  if not found then
    perform private.refuse_missing('security event');
  end if;
  return private.security_event_json(e);
end $$;

create function private.checkpoint_json(c private.security_event_checkpoints) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'kind', c.kind, 'seq', c.seq, 'hash', c.hash, 'at', private.iso(c.at), 'key_id', c.key_id, 'signature', c.signature
  );
end $$;

-- How far the caller's own chain goes, and the signed states of it. `unchained`: an event whose number the chain did not give,
-- which would be listed and never walked over.
create function private.own_chain_state() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  own_chain constant text := case when private.may('read:security-events') then private.tenant_id() end;
  head private.security_event_heads;
begin
  select * into head from private.security_event_heads h where h.chain = own_chain;
  return jsonb_build_object(
    'chain', own_chain, 'as_of', private.iso(now()),
    'head', case when head.seq > 0 then jsonb_build_object('seq', head.seq, 'hash', head.hash) end,
    'unchained', least(
      (select min(e.id) from public.security_events e where e.chain = own_chain and e.seq is null),
      (select min(e.id) from public.security_events e where e.chain = own_chain and e.seq < 1),
      (select min(e.id) from public.security_events e where e.chain = own_chain and e.seq > coalesce(head.seq, 0)),
      (select min(e.id) from public.security_events e where e.tenant_id = own_chain and e.chain <> own_chain)
    ),
    'checkpoints', (
      select coalesce(jsonb_agg(private.checkpoint_json(c) order by c.seq), '[]')
      from private.security_event_checkpoints c where c.chain = own_chain
    )
  );
end $$;

-- input: {}. Answers the state of the chain, from which walk_security_event_chain starts.
create function public.open_security_event_chain(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, 'open_security_event_chain');
  return private.own_chain_state();
end $$;

-- Events as the texts that their hash is made of, null where there are none. An event counts where both its chain and its tenant
-- say that it is the caller's.
create function private.security_event_texts(after bigint, through bigint, page_size integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(to_jsonb(e) order by e.seq::bigint, e.id)
    from (
      select x.seq::text, x.prev_hash, x.hash, x.id, private.iso(x.at) as at, x.type, x.actor, x.credential, x.home_tenant_id,
        x.cross_tenant::text, x.operation, x.target, host(x.address) as address, x.request_id, x.reason, x.details::text
      from public.security_events x
      where x.chain = private.tenant_id() and x.tenant_id = private.tenant_id() and x.seq > after and x.seq <= through
      order by x.seq, x.id
      limit page_size
    ) e
  );
end $$;

-- input: { after: seq, through: seq, limit }. A later step of what open_security_event_chain opened. In steps of numbers: with
-- the chain's end as its only bound, each page would sort all that is left of it. Past a gap wider than a step it looks on to the end.
create function public.walk_security_event_chain(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  after constant bigint := input ->> 'after';
  through constant bigint := input ->> 'through';
  page_size constant integer := input ->> 'limit';
begin
  perform private.enter(request || '{"continues": true}', 'walk_security_event_chain');
  return coalesce(
    private.security_event_texts(after, least(through, after + page_size), page_size),
    private.security_event_texts(after, through, page_size),
    '[]'
  );
end $$;

-- input: the filters, with `export` in the request. Answers { through }: the chain's end as it is now, where the export stops.
create function public.open_security_event_export(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, 'open_security_event_export');
  return jsonb_build_object('through', (
    select coalesce(max(x.seq), 0)::text from public.security_events x
    where x.chain = private.tenant_id() and x.tenant_id = private.tenant_id() and x.seq is not null
  ));
end $$;

-- input: as list_security_events with `through`. A later step of what open_security_event_export opened.
create function public.continue_security_event_export(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request || '{"continues": true}', 'continue_security_event_export');
  return private.security_events_page(input);
end $$;

grant execute on function
  private.security_event_json(public.security_events), private.security_events_page(jsonb), private.own_chain_state(),
  private.security_event_texts(bigint, bigint, integer)
to authenticated;

-- What the worker and the operator do with chains: sign, delete what is past its retention, set that time.

create function private.keep_security_event_checkpoint(chain text, kind text, seq bigint, hash text, at timestamptz, key_id text, signature text)
returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into private.security_event_checkpoints (chain, kind, seq, hash, at, key_id, signature)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing;
end $$;

-- Chains that moved since they were signed, with the state that was signed last.
create function private.unsigned_security_event_chains() returns table (
  chain text, seq bigint, hash text, at text, signed jsonb
)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select h.chain, h.seq, h.hash, private.iso(now()), last.signed
  from private.security_event_heads h left join lateral (
    select c.seq, private.checkpoint_json(c) as signed
    from private.security_event_checkpoints c where c.chain = h.chain and c.kind = 'head' order by c.seq desc limit 1
  ) last on true
  where h.seq > coalesce(last.seq, 0);
end $$;

-- The beginnings of chains that are past their retention, at most `most` events of each. What is deleted is always a whole beginning.
create function private.forgettable_security_events(most integer default 50000)
returns table (chain text, after bigint, through bigint, hash text, at text)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select h.chain, first.seq - 1, last.seq, last.hash, private.iso(now())
  from private.security_event_heads h
  left join public.tenants t on t.id = h.chain
  cross join lateral (select now() - make_interval(days => coalesce(t.security_event_retention_days, 400)) as moment) over
  cross join lateral (
    select e.seq, e.at from public.security_events e where e.chain = h.chain and e.seq is not null order by e.seq limit 1
  ) first
  left join lateral (
    select e.seq from public.security_events e
    where e.chain = h.chain and e.seq >= first.seq and (e.at >= over.moment or e.seq >= first.seq + most) order by e.seq limit 1
  ) kept on true
  cross join lateral (
    select e.seq, e.hash from public.security_events e
    where e.chain = h.chain and e.seq < coalesce(kept.seq, h.seq + 1) order by e.seq desc limit 1
  ) last
  where first.at < over.moment;
end $$;

-- Signs a beginning off: from now on it may go.
create function private.forget_security_events(chain text, through bigint, hash text, at timestamptz, key_id text, signature text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.keep_security_event_checkpoint(chain, 'prefix', through, hash, at, key_id, signature);
  perform private.append_security_event(jsonb_build_object(
    'tenant_id', nullif(chain, '*'), 'type', 'security_events.forgotten', 'actor', 'system', 'credential', 'system',
    'details', jsonb_build_object('through_seq', through)
  ));
end $$;

-- Deletes what was signed off, at most `batch` at a time, and signed states that later ones stand for: within a day one an hour is
-- kept, beyond it one a day. Answers how many it deleted.
create function private.purge_security_events(batch integer default 5000) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  events integer;
  checkpoints integer;
begin
  delete from public.security_events d using (
    select e.chain, e.id from (
      select c.chain, max(c.seq) as seq from private.security_event_checkpoints c where c.kind = 'prefix' group by 1
    ) gone
    join public.security_events e on e.chain = gone.chain and e.seq <= gone.seq
    limit batch
  ) old
  where d.chain = old.chain and d.id = old.id;
  get diagnostics events = row_count;
  delete from private.security_event_checkpoints c using (
    select x.chain, x.kind, x.seq, max(x.seq) over (partition by x.chain, x.kind) as newest, row_number() over (
      partition by x.chain, x.kind, date_trunc(case when x.at > now() - interval '1 day' then 'hour' else 'day' end, x.at at time zone 'UTC')
      order by x.seq desc
    ) as nth
    from private.security_event_checkpoints x
    where x.at < now() - interval '1 hour'
  ) older
  where c.chain = older.chain and c.kind = older.kind and c.seq = older.seq and older.nth > 1 and older.seq < older.newest;
  get diagnostics checkpoints = row_count;
  return events + checkpoints;
end $$;

-- Called by `npm run audit -- retention`, over the operator's connection. Answers the days before.
-- Refuses: not_found for a tenant that does not exist, invalid_request outside of 30 to 3660 days.
create function private.set_security_event_retention(tenant_id text, days integer) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  before integer;
begin
  select t.security_event_retention_days into before from public.tenants t where t.id = $1 for no key update;
  if not found then
    perform private.refuse('not_found', format('There is no tenant %s.', $1));
  elsif days is null or days not between 30 and 3660 then
    perform private.refuse('invalid_request', 'Must be 30 to 3660 days.');
  end if;
  if days <> before then
    update public.tenants t set security_event_retention_days = days where t.id = $1;
    perform private.append_security_event(jsonb_build_object(
      'tenant_id', $1, 'type', 'security_events.retention_changed', 'actor', 'operator', 'credential', 'system',
      'details', jsonb_build_object('days', jsonb_build_object('from', before, 'to', days))
    ));
  end if;
  return before;
end $$;

-- Reconciliations: two sources compared over a period; exceptions are what did not match.

create table public.reconciliations (
  id text not null default private.new_id('rcn'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  name text not null check (length(name) between 1 and 200),
  status text not null default 'open' check (status in ('open', 'in_progress', 'completed', 'archived')),
  period_start date not null,
  period_end date not null,
  left_source text not null check (length(left_source) between 1 and 200),
  right_source text not null check (length(right_source) between 1 and 200),
  matched_count bigint not null default 0 check (matched_count >= 0),
  unmatched_count bigint not null default 0 check (unmatched_count >= 0),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  check (period_end >= period_start)
);

alter table public.reconciliations enable row level security;
grant select,
  insert (name, status, period_start, period_end, left_source, right_source, matched_count, unmatched_count),
  update (name, status, period_start, period_end, left_source, right_source, matched_count, unmatched_count)
on public.reconciliations to authenticated;
grant select on public.reconciliations to service_role;
-- Exceptions and reconciliations reference each other: access to one of them includes the rows of both.
create policy reconciliations_read on public.reconciliations for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may(
    'read:reconciliations', 'write:reconciliations', 'read:exceptions', 'write:exceptions')));
create policy reconciliations_insert on public.reconciliations for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.may('write:reconciliations')));
create policy reconciliations_update on public.reconciliations for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('write:reconciliations')))
  with check (tenant_id = (select private.tenant_id()));

-- open and in_progress lead to each other; in_progress to completed; completed back to in_progress; archived is the end.
create function private.reconciliation_may_move(before text, after text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return before = after or (before, after) in (
    ('open', 'in_progress'), ('in_progress', 'open'), ('in_progress', 'completed'), ('completed', 'in_progress'),
    ('open', 'archived'), ('in_progress', 'archived'), ('completed', 'archived')
  );
end $$;

-- Refuses: invalid_transition; invalid_request for a period that ends before it starts.
create function private.guard_reconciliation() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'UPDATE' then
    if not private.reconciliation_may_move(old.status, new.status) then
      perform private.refuse('invalid_transition', format('A reconciliation cannot move from %s to %s.', old.status, new.status));
    end if;
    new.updated_at := now();
  end if;
  if new.period_end < new.period_start then
    perform private.refuse_field('period_end', 'The period cannot end before it starts.');
  end if;
  return new;
end $$;
create trigger guard before insert or update on public.reconciliations
  for each row execute function private.guard_reconciliation();

grant execute on function private.reconciliation_may_move(text, text) to authenticated;

-- Reconciliations over the wire. Open exceptions are counted when asked: a count that is kept can be wrong.

create function private.reconciliation_json(r public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', r.id, 'name', r.name, 'status', r.status, 'period_start', r.period_start, 'period_end', r.period_end,
    'left_source', r.left_source, 'right_source', r.right_source, 'matched_count', r.matched_count, 'unmatched_count', r.unmatched_count,
    'open_exceptions', (
      select count(*) from public.exceptions e
      where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id and e.status in ('open', 'in_review')
    ),
    'created_at', private.iso(r.created_at), 'created_by', r.created_by, 'updated_at', private.iso(r.updated_at)
  );
end $$;

-- Of what somebody sets: no clock, no counter, nothing that others' work adds.
create function private.reconciliation_version(r public.reconciliations) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(jsonb_build_array(
    r.name, r.status, r.period_start, r.period_end, r.left_source, r.right_source, r.matched_count, r.unmatched_count
  ));
end $$;

-- input: the columns. Refuses: invalid_request.
create function public.create_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'create_reconciliation');
  created public.reconciliations;
begin
  if kept is not null then
    return kept;
  end if;
  insert into public.reconciliations (name, status, period_start, period_end, left_source, right_source, matched_count, unmatched_count)
  values (
    input ->> 'name', coalesce(input ->> 'status', 'open'), (input ->> 'period_start')::date, (input ->> 'period_end')::date,
    input ->> 'left_source', input ->> 'right_source', coalesce((input ->> 'matched_count')::bigint, 0), coalesce((input ->> 'unmatched_count')::bigint, 0)
  )
  returning * into created;
  return private.answer(request, private.reconciliation_json(created) || jsonb_build_object('version', private.reconciliation_version(created)));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  r public.reconciliations;
begin
  perform private.enter(request, 'get_reconciliation');
  select * into r from public.reconciliations x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('reconciliation');
  end if;
  return private.reconciliation_json(r) || jsonb_build_object('version', private.reconciliation_version(r));
end $$;

-- input: { id, patch }, a merge patch of the columns that may change. Refuses: not_found, precondition_failed,
-- invalid_transition, invalid_request.
create function public.update_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'update_reconciliation');
  before public.reconciliations;
  after public.reconciliations;
begin
  if kept is not null then
    return kept;
  end if;
  select * into before from public.reconciliations x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('reconciliation');
  end if;
  perform private.require_version(private.reconciliation_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  if after is distinct from before then
    update public.reconciliations x set
      name = after.name, status = after.status, period_start = after.period_start, period_end = after.period_end,
      left_source = after.left_source, right_source = after.right_source,
      matched_count = after.matched_count, unmatched_count = after.unmatched_count
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into after;
  end if;
  return private.answer(request, private.reconciliation_json(after) || jsonb_build_object('version', private.reconciliation_version(after)));
end $$;

-- Newest first. input: { limit, after: [id] | null, status, period_from, period_to }: periods that overlap the span.
create function public.list_reconciliations(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.enter(request, 'list_reconciliations');
  select jsonb_agg(private.reconciliation_json(r) order by r.id desc) into items
  from (
    select * from public.reconciliations x
    where x.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or x.status = input ->> 'status')
      and (input ->> 'period_from' is null or x.period_end >= (input ->> 'period_from')::date)
      and (input ->> 'period_to' is null or x.period_start <= (input ->> 'period_to')::date)
    order by x.id desc
    limit page_size + 1
  ) r;
  return private.page(items, page_size, 'id');
end $$;

grant execute on function private.reconciliation_json(public.reconciliations), private.reconciliation_version(public.reconciliations) to authenticated;

-- SLA policies: how long a tenant gives an exception of each severity, and when it is warned before the deadline.

create table public.sla_policies (
  tenant_id text primary key references public.tenants (id),
  critical_minutes integer not null default 240 check (critical_minutes between 1 and 525600),
  high_minutes integer not null default 480 check (high_minutes between 1 and 525600),
  medium_minutes integer not null default 1440 check (medium_minutes between 1 and 525600),
  low_minutes integer not null default 4320 check (low_minutes between 1 and 525600),
  -- Minutes before the deadline at which exception.sla.at_risk fires.
  at_risk_thresholds integer[] not null default '{240,60}'
    check (cardinality(at_risk_thresholds) between 1 and 10 and 0 < all (at_risk_thresholds) and 525600 >= all (at_risk_thresholds)),
  -- Grows with every change; the ETag.
  version integer not null default 1,
  updated_at timestamptz(3) not null default now(),
  updated_by text not null default private.actor()
);

alter table public.sla_policies enable row level security;
grant select,
  update (critical_minutes, high_minutes, medium_minutes, low_minutes, at_risk_thresholds, version, updated_at, updated_by)
on public.sla_policies to authenticated;
grant select on public.sla_policies to service_role;
-- Whoever creates an exception gets its deadline from the policy.
create policy sla_policies_read on public.sla_policies for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:sla-policy', 'write:sla-policy', 'write:exceptions')));
create policy sla_policies_update on public.sla_policies for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('write:sla-policy')))
  with check (tenant_id = (select private.tenant_id()));

-- How long the tenant gives an exception of a severity.
create function private.minutes_to_resolve(p public.sla_policies, severity text) returns integer
language plpgsql immutable set search_path = '' as $$
begin
  return case severity
    when 'critical' then p.critical_minutes when 'high' then p.high_minutes when 'medium' then p.medium_minutes else p.low_minutes
  end;
end $$;

grant execute on function private.minutes_to_resolve(public.sla_policies, text) to authenticated;

-- Exceptions: items to resolve before a deadline, and the rules of their statuses.

-- The most severe first.
create function private.severity_rank(severity text) returns smallint
language plpgsql immutable set search_path = '' as $$
begin
  return case severity when 'critical' then 0 when 'high' then 1 when 'medium' then 2 when 'low' then 3 end;
end $$;

create table public.exceptions (
  id text not null default private.new_id('exc'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  title text not null check (length(title) between 1 and 200),
  severity text not null check (severity in ('critical', 'high', 'medium', 'low')),
  severity_rank smallint not null generated always as (private.severity_rank(severity)) stored,
  assigned_to text check (assigned_to ~ '^user:[^[:space:]]{1,120}$'),
  due_at timestamptz(3) not null,
  -- True where the deadline is the policy's, so that a new policy moves it.
  due_from_policy boolean not null default false,
  status text not null default 'open' check (status in ('open', 'in_review', 'resolved', 'dismissed')),
  reason_code text check (length(reason_code) between 1 and 64),
  amount_minor bigint check (amount_minor >= 0),
  currency text check (currency ~ '^[A-Z]{3}$'),
  reconciliation_id text,
  -- 16 kB as sent is at most 24 kB with the spaces that Postgres writes.
  details jsonb not null default '{}' check (jsonb_typeof(details) = 'object' and octet_length(details::text) <= 24576),
  resolution text check (length(resolution) between 1 and 1000),
  -- Whole milliseconds, so that a deadline is the policy's minutes after it, and the event that reports it has the same time.
  created_at timestamptz(3) not null default date_trunc('milliseconds', now()),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default date_trunc('milliseconds', now()),
  closed_at timestamptz(3),
  primary key (tenant_id, id),
  check ((amount_minor is null) = (currency is null)),
  check ((status in ('resolved', 'dismissed')) = (resolution is not null)),
  check ((status in ('resolved', 'dismissed')) = (closed_at is not null)),
  foreign key (tenant_id, reconciliation_id) references public.reconciliations (tenant_id, id)
);
create index exceptions_by_deadline on public.exceptions (tenant_id, due_at, id) where status in ('open', 'in_review');
create index exceptions_in_review on public.exceptions (tenant_id, due_at, id) where status = 'in_review';
create index exceptions_by_severity on public.exceptions (tenant_id, severity_rank, due_at, id) where status in ('open', 'in_review');
create index exceptions_by_assignee on public.exceptions (tenant_id, (coalesce('0' || assigned_to, '1')), due_at, id)
  where status in ('open', 'in_review');
-- Also what the list of members goes by.
create index exceptions_of_assignee on public.exceptions (tenant_id, assigned_to, id) where assigned_to is not null;
create index exceptions_by_reconciliation on public.exceptions (tenant_id, reconciliation_id) where reconciliation_id is not null;
create index exceptions_open_by_reconciliation on public.exceptions (tenant_id, reconciliation_id)
  where reconciliation_id is not null and status in ('open', 'in_review');

alter table public.exceptions enable row level security;
grant select,
  insert (title, severity, assigned_to, due_at, due_from_policy, status, reason_code, amount_minor, currency, reconciliation_id, details),
  update (title, severity, assigned_to, due_at, due_from_policy, status, reason_code, amount_minor, currency, reconciliation_id, details,
    resolution)
on public.exceptions to authenticated;
grant select on public.exceptions to service_role;
create policy exceptions_read on public.exceptions for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may(
    'read:exceptions', 'write:exceptions', 'read:sla', 'read:reconciliations', 'write:reconciliations')));
create policy exceptions_insert on public.exceptions for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.may('write:exceptions')));
create policy exceptions_update on public.exceptions for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('write:exceptions')))
  with check (tenant_id = (select private.tenant_id()));

-- States: open and in_review lead to each other and to resolved or dismissed, which lead back to open.
create function private.exception_may_move(before text, after text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return before = after or (before, after) in (
    ('open', 'in_review'), ('in_review', 'open'),
    ('open', 'resolved'), ('open', 'dismissed'), ('in_review', 'resolved'), ('in_review', 'dismissed'),
    ('resolved', 'open'), ('dismissed', 'open')
  );
end $$;

-- Refuses: invalid_transition; invalid_request for what does not fit together.
create function private.guard_exception() returns trigger
language plpgsql set search_path = '' as $$
declare
  closing constant boolean := new.status in ('resolved', 'dismissed');
begin
  if tg_op = 'UPDATE' then
    if not private.exception_may_move(old.status, new.status) then
      perform private.refuse('invalid_transition', format('An exception cannot move from %s to %s.', old.status, new.status));
    end if;
    if old.status in ('resolved', 'dismissed') and not closing then
      new.resolution := null;
    end if;
    new.updated_at := now();
  end if;
  if closing and new.resolution is null then
    perform private.refuse_field('resolution', 'Required with the status resolved or dismissed.');
  elsif not closing and new.resolution is not null then
    perform private.refuse_field('resolution', 'Only allowed with the status resolved or dismissed.');
  elsif (new.amount_minor is null) <> (new.currency is null) then
    perform private.refuse_field('currency', 'amount_minor and currency must be sent together.');
  elsif octet_length(new.details::text) > 24576 then
    perform private.refuse_field('details', 'Must be at most 16 kB of JSON.');
  end if;
  new.closed_at := case when closing then coalesce(new.closed_at, now()) end;
  return new;
end $$;
create trigger guard before insert or update on public.exceptions
  for each row execute function private.guard_exception();

-- Minutes until the deadline, rounded up: zero or negative once it has passed (spec 2.2).
create function private.minutes_to_breach(due_at timestamptz, as_of timestamptz) returns bigint
language plpgsql immutable set search_path = '' as $$
begin
  return ceil(extract(epoch from due_at - as_of) / 60)::bigint;
end $$;

-- Spec 3.2: high below 60 minutes, medium up to 240. The only place of these figures: `npm run generate` writes them into lib/wire/facts.gen.ts.
create function private.high_risk_below() returns integer
language sql immutable set search_path = ''
return 60;
create function private.medium_risk_up_to() returns integer
language sql immutable set search_path = ''
return 240;

create function private.breach_risk(minutes_to_breach bigint) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return case
    when minutes_to_breach <= 0 then 'breached'
    when minutes_to_breach < private.high_risk_below() then 'high'
    when minutes_to_breach <= private.medium_risk_up_to() then 'medium'
    else 'low'
  end;
end $$;

-- The wire form. A closed exception has no clock: minutes_to_breach and breach_risk are null.
create function private.exception_json(e public.exceptions, as_of timestamptz default now()) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  minutes constant bigint := case when e.status in ('open', 'in_review') then private.minutes_to_breach(e.due_at, as_of) end;
begin
  return jsonb_build_object(
    'id', e.id, 'title', e.title, 'severity', e.severity, 'assigned_to', e.assigned_to, 'due_at', private.iso(e.due_at),
    'minutes_to_breach', minutes, 'breach_risk', case when minutes is not null then private.breach_risk(minutes) end,
    'status', e.status, 'reason_code', e.reason_code, 'amount_minor', e.amount_minor, 'currency', e.currency,
    'reconciliation_id', e.reconciliation_id, 'details', e.details, 'resolution', e.resolution,
    'created_at', private.iso(e.created_at), 'created_by', e.created_by, 'updated_at', private.iso(e.updated_at),
    'closed_at', private.iso(e.closed_at)
  );
end $$;

grant execute on function
  private.severity_rank(text), private.exception_may_move(text, text), private.minutes_to_breach(timestamptz, timestamptz), private.high_risk_below(),
  private.medium_risk_up_to(), private.breach_risk(bigint), private.exception_json(public.exceptions, timestamptz)
to authenticated;

-- History: each change of an exception with its actor, written by the database whichever way the change came. By statement, so
-- that a bulk change costs one insert. A creation keeps the facts as they were, an update what changed from what.

-- Without a foreign key: only triggers of exceptions write here, and exceptions are never deleted.
create table public.exception_history (
  id bigint generated always as identity,
  tenant_id text not null,
  exception_id text not null,
  at timestamptz(3) not null default now(),
  actor text not null default private.actor(),
  request_id text default nullif(current_setting('tieout.request_id', true), ''),
  kind text not null check (kind in ('created', 'updated')),
  changes jsonb not null,
  primary key (tenant_id, exception_id, id)
);
alter table public.exception_history enable row level security;
grant select on public.exception_history to authenticated, service_role;
create policy exception_history_read on public.exception_history for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:exceptions')));

create function private.exception_facts(e public.exceptions) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (to_jsonb(e) - '{id,tenant_id,created_at,created_by,updated_at,closed_at,severity_rank,due_from_policy}'::text[])
    || jsonb_build_object('due_at', private.iso(e.due_at));
end $$;

create function private.record_inserted_exceptions() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.exception_history (tenant_id, exception_id, kind, changes)
  select a.tenant_id, a.id, 'created', private.exception_facts(a) from added a;
  return null;
end $$;
create trigger history_inserted after insert on public.exceptions
  referencing new table as added for each statement execute function private.record_inserted_exceptions();

create function private.record_updated_exceptions() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.exception_history (tenant_id, exception_id, kind, changes)
  select n.tenant_id, n.id, 'updated', x.changes
  from after_update n join before_update o on o.tenant_id = n.tenant_id and o.id = n.id
  cross join lateral (select private.changes(private.exception_facts(o), private.exception_facts(n)) as changes) x
  where x.changes is not null;
  return null;
end $$;
create trigger history_updated after update on public.exceptions
  referencing old table as before_update new table as after_update
  for each statement execute function private.record_updated_exceptions();

-- input: { id, limit, after: [history id] | null }. Newest first. Refuses: not_found.
create function public.list_exception_history(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  e public.exceptions;
  items jsonb;
begin
  perform private.enter(request, 'list_exception_history');
  e := private.find_exception(input ->> 'id');
  -- The id is for the cursor; the contract leaves it out.
  select jsonb_agg(jsonb_build_object(
    'id', h.id, 'at', private.iso(h.at), 'actor', h.actor, 'request_id', h.request_id, 'kind', h.kind,
    'changes', case h.kind when 'created' then coalesce(private.changes('{}', h.changes), '{}') else h.changes end
  ) order by h.id desc) into items
  from (
    select * from public.exception_history x
    where x.tenant_id = e.tenant_id and x.exception_id = e.id
      and (input -> 'after' ->> 0 is null or x.id < (input -> 'after' ->> 0)::bigint)
    order by x.id desc limit page_size + 1
  ) h;
  return private.page(items, page_size, 'id');
end $$;

-- SLA clock: where each open exception stands before its deadline, kept in the transaction of every change, moved on by the
-- worker, and right without it: whatever has passed and was not processed yet is counted when it is asked for.
--
-- Boundaries are minutes before due_at: the tenant's at-risk thresholds, 0 (the breach), and 240, which parts at risk from on
-- track (spec 3.2). A clock's position is the last boundary it passed; next_at is when it passes the next one.
-- Whoever changes a clock locks it before reading it: one that a worker moves on just then would be counted at two positions.

-- Written by triggers of exceptions alone, which are never deleted: a foreign key would check each row again.
create table private.exception_clocks (
  tenant_id text not null,
  exception_id text not null,
  due_at timestamptz(3) not null,
  position integer not null,
  next_at timestamptz(3),
  primary key (tenant_id, exception_id)
) with (fillfactor = 80);
create index exception_clocks_next on private.exception_clocks (next_at) where next_at is not null;
create index exception_clocks_next_of_tenant on private.exception_clocks (tenant_id, next_at) where next_at is not null;
alter table private.exception_clocks enable row level security;

-- Counts of open exceptions by position, in shards: writers of one tenant do not queue for one row. Shard 0 is the worker's.
create table private.sla_counts (
  tenant_id text not null references public.tenants (id),
  shard integer not null,
  breached bigint not null default 0,
  at_risk bigint not null default 0,
  on_track bigint not null default 0,
  primary key (tenant_id, shard)
) with (fillfactor = 50);
alter table private.sla_counts enable row level security;

-- Each change of a clock. The rows of one exception add up: what remains = what remained − what elapsed + how far it was moved.
create table public.exception_ledger (
  id bigint generated always as identity,
  tenant_id text not null,
  exception_id text not null,
  at timestamptz(3) not null default now(),
  kind text not null check (kind in ('set', 'moved', 'crossed', 'resolved', 'dismissed', 'reopened')),
  due_at timestamptz(3) not null,
  threshold_minutes integer,
  actor text not null default private.actor(),
  request_id text default nullif(current_setting('tieout.request_id', true), ''),
  primary key (tenant_id, exception_id, id)
);
create index exception_ledger_by_time on public.exception_ledger (tenant_id, at);
alter table public.exception_ledger enable row level security;
grant select on public.exception_ledger to authenticated, service_role;
create policy exception_ledger_read on public.exception_ledger for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:exceptions', 'read:sla')));

-- The position of a clock that has passed no boundary.
create function private.no_boundary() returns integer
language sql immutable set search_path = ''
return 2147483647;

create function private.own_shard() returns integer
language plpgsql volatile set search_path = '' as $$
begin
  return 1 + pg_backend_pid() % 16;
end $$;

-- The boundaries of some tenants; `announced` are those that an event reports.
create function private.sla_boundaries(tenants text[])
returns table (tenant_id text, boundary integer, announced boolean)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select p.tenant_id, b.boundary, bool_or(b.announced)
  from public.sla_policies p
  cross join lateral (
    select unnest(p.at_risk_thresholds), true union all values (private.medium_risk_up_to(), false), (0, true)
  ) b (boundary, announced)
  where p.tenant_id = any (tenants)
  group by 1, 2;
end $$;

-- Where clocks with these deadlines stand now: their position, when they pass the next boundary (null where none is ahead), and
-- `nearest`, the last announced boundary they passed (null where none). `positions`, where they stood, are passed through: every join
-- of arrays that is spared counts, since a kept plan takes them for short.
create function private.place_clocks(tenants text[], ids text[], due_ats timestamptz[], positions integer[] default null)
returns table (
  tenant_id text, exception_id text, due_at timestamptz, old_position integer, "position" integer, next_at timestamptz, nearest integer
)
language plpgsql stable set search_path = '' as $$
begin
  return query
  with boundaries as materialized (
    select * from private.sla_boundaries(array(select distinct unnest(tenants)))
  )
  select c.tenant_id, c.exception_id, c.due_at, c.old_position, coalesce(b.last_passed, private.no_boundary()),
    c.due_at - make_interval(mins => b.next_boundary), b.nearest
  from unnest(tenants, ids, due_ats, positions) as c (tenant_id, exception_id, due_at, old_position)
  cross join lateral (
    select min(x.boundary) filter (where x.passed) as last_passed, max(x.boundary) filter (where not x.passed) as next_boundary,
      min(x.boundary) filter (where x.passed and x.announced) as nearest
    from (
      select s.boundary, s.announced, c.due_at - make_interval(mins => s.boundary) <= now() as passed
      from boundaries s where s.tenant_id = c.tenant_id
    ) x
  ) b;
end $$;

-- Adds to a shard's counts: `signs` are 1 for what joined a position, -1 for what left it.
create function private.count_positions(shard integer, tenants text[], positions integer[], signs integer[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into private.sla_counts as c (tenant_id, shard, breached, at_risk, on_track)
  select d.tenant_id, $1,
    coalesce(sum(d.sign) filter (where d.position <= 0), 0),
    coalesce(sum(d.sign) filter (where d.position between 1 and private.medium_risk_up_to()), 0),
    coalesce(sum(d.sign) filter (where d.position > private.medium_risk_up_to()), 0)
  from unnest(tenants, positions, signs) as d (tenant_id, position, sign)
  group by 1 order by 1
  on conflict on constraint sla_counts_pkey do update set
    breached = c.breached + excluded.breached, at_risk = c.at_risk + excluded.at_risk, on_track = c.on_track + excluded.on_track;
end $$;

-- Reports crossings, once each, and writes them into the ledger.
create function private.announce_crossings(tenants text[], ids text[], boundaries integer[], due_ats timestamptz[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  with crossed as (
    select e, e.id as exception_id, e.tenant_id, c.boundary, c.due_at
    from unnest(tenants, ids, boundaries, due_ats) as c (tenant_id, exception_id, boundary, due_at)
    join public.exceptions e on e.tenant_id = c.tenant_id and e.id = c.exception_id
  ), announced as materialized (
    select b.tenant_id, b.boundary, lead(b.boundary) over (partition by b.tenant_id order by b.boundary desc) as next_boundary
    from private.sla_boundaries(array(select distinct tenant_id from crossed)) b where b.announced
  ), crossing as materialized (
    select c.*, a.next_boundary, concat_ws(':', c.exception_id, private.iso(c.due_at), c.boundary) as once_key
    from crossed c left join announced a on a.tenant_id = c.tenant_id and a.boundary = c.boundary
  ), reported as (
    insert into public.events (tenant_id, type, data, once_key)
    select x.tenant_id, case when x.boundary = 0 then 'exception.sla.breached' else 'exception.sla.at_risk' end,
      jsonb_build_object('exception', private.exception_json(x.e), 'due_at', private.iso(x.due_at))
        || case when x.boundary = 0 then '{}'::jsonb
          else jsonb_build_object('threshold_minutes', x.boundary, 'next_threshold_minutes', x.next_boundary) end,
      x.once_key
    from crossing x
    order by x.due_at - make_interval(mins => x.boundary)
    on conflict on constraint events_tenant_id_type_once_key_key do nothing
    returning tenant_id, data
  )
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, threshold_minutes, actor, request_id)
  select r.tenant_id, r.data #>> '{exception,id}', now(), 'crossed', (r.data ->> 'due_at')::timestamptz,
    coalesce((r.data -> 'threshold_minutes')::integer, 0), 'system', null
  from reported r;
end $$;

-- Moves the given clocks on to now: every boundary they have passed is counted, and reported where it is announced.
create function private.advance_clocks(tenants text[], ids text[], shard integer) returns void
language plpgsql volatile set search_path = '' as $$
declare
  late record;
  moved record;
  crossed record;
begin
  select array_agg(c.tenant_id) as tenants, array_agg(c.exception_id) as ids, array_agg(c.due_at) as due_ats, array_agg(c.position) as positions
  into late
  from (
    select c.* from unnest(tenants, ids) as asked (tenant_id, exception_id)
    join private.exception_clocks c on c.tenant_id = asked.tenant_id and c.exception_id = asked.exception_id
    where c.next_at <= now()
    order by c.tenant_id, c.exception_id for update of c
  ) c;
  if late.ids is null then
    return;
  end if;
  with fresh as (
    select * from private.place_clocks(late.tenants, late.ids, late.due_ats, late.positions)
  ), written as (
    update private.exception_clocks c set position = f.position, next_at = f.next_at
    from fresh f where c.tenant_id = f.tenant_id and c.exception_id = f.exception_id
  )
  select array_agg(f.tenant_id) as tenants, array_agg(f.exception_id) as ids, array_agg(f.due_at) as due_ats,
    array_agg(f.old_position) as old_positions, array_agg(f.position) as new_positions
  into moved from fresh f;
  perform private.count_positions(shard, moved.tenants || moved.tenants, moved.old_positions || moved.new_positions,
    array_fill(-1, array[cardinality(moved.ids)]) || array_fill(1, array[cardinality(moved.ids)]));
  select array_agg(m.tenant_id) as tenants, array_agg(m.exception_id) as ids, array_agg(b.boundary) as boundaries, array_agg(m.due_at) as due_ats
  into crossed
  from unnest(moved.tenants, moved.ids, moved.old_positions, moved.new_positions, moved.due_ats)
    as m (tenant_id, exception_id, old_position, new_position, due_at)
  join private.sla_boundaries(moved.tenants) b
    on b.tenant_id = m.tenant_id and b.announced and b.boundary < m.old_position and b.boundary >= m.new_position;
  if crossed.ids is not null then
    perform private.announce_crossings(crossed.tenants, crossed.ids, crossed.boundaries, crossed.due_ats);
  end if;
end $$;

-- The worker's step: moves on up to `batch` clocks whose next boundary has passed. Any number of workers may call it at once.
-- Answers { moved, wait_ms }: how long until the next boundary of any clock, null where none is ahead.
create function private.tick_sla_clock(batch integer default 5000) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  due record;
begin
  select array_agg(c.tenant_id) as tenants, array_agg(c.exception_id) as ids into due
  from (
    select x.tenant_id, x.exception_id from private.exception_clocks x
    where x.next_at <= now() order by x.next_at limit batch for update skip locked
  ) c;
  if due.ids is not null then
    perform private.advance_clocks(due.tenants, due.ids, 0);
  end if;
  return jsonb_build_object(
    'moved', coalesce(cardinality(due.ids), 0),
    'wait_ms', (select ceil(extract(epoch from min(next_at) - clock_timestamp()) * 1000) from private.exception_clocks where next_at is not null)
  );
end $$;
grant execute on function private.tick_sla_clock(integer) to service_role;

-- What a change of an exception does to its clock: it starts, stops or moves it, in the same transaction.

-- Starts clocks. Where one starts inside a threshold, the nearest crossing only is reported.
create function private.start_clocks(tenants text[], ids text[], due_ats timestamptz[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  started record;
begin
  with fresh as (
    select * from private.place_clocks(tenants, ids, due_ats)
  ), written as (
    insert into private.exception_clocks (tenant_id, exception_id, due_at, position, next_at)
    select tenant_id, exception_id, due_at, position, next_at from fresh
  )
  select array_agg(f.tenant_id) as tenants, array_agg(f.position) as positions,
    array_agg(f.tenant_id) filter (where f.nearest is not null) as crossed_tenants,
    array_agg(f.exception_id) filter (where f.nearest is not null) as crossed_ids,
    array_agg(f.nearest) filter (where f.nearest is not null) as boundaries,
    array_agg(f.due_at) filter (where f.nearest is not null) as due_ats
  into started from fresh f;
  perform private.count_positions(private.own_shard(), started.tenants, started.positions, array_fill(1, array[cardinality(started.tenants)]));
  if started.crossed_ids is not null then
    perform private.announce_crossings(started.crossed_tenants, started.crossed_ids, started.boundaries, started.due_ats);
  end if;
end $$;

-- Stops clocks, after what they passed was reported.
create function private.stop_clocks(tenants text[], ids text[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  stopped record;
begin
  perform private.advance_clocks(tenants, ids, private.own_shard());
  with gone as (
    delete from private.exception_clocks c using unnest(tenants, ids) as asked (tenant_id, exception_id)
    where c.tenant_id = asked.tenant_id and c.exception_id = asked.exception_id
    returning c.tenant_id, c.position
  )
  select array_agg(g.tenant_id) as tenants, array_agg(g.position) as positions into stopped from gone g;
  if stopped.tenants is not null then
    perform private.count_positions(private.own_shard(), stopped.tenants, stopped.positions, array_fill(-1, array[cardinality(stopped.tenants)]));
  end if;
end $$;

-- Sets clocks, moved on to now before, to new deadlines. The crossings ahead are armed; one that the move itself makes, by going
-- nearer, is reported.
create function private.move_clocks(tenants text[], ids text[], due_ats timestamptz[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  moved record;
begin
  with fresh as (
    select p.tenant_id, p.exception_id, p.due_at, p.position, p.next_at, c.position as old_position,
      case when p.nearest < c.position then p.nearest end as crossed
    from private.place_clocks(tenants, ids, due_ats) p
    join private.exception_clocks c on c.tenant_id = p.tenant_id and c.exception_id = p.exception_id
  ), written as (
    update private.exception_clocks c set due_at = f.due_at, position = f.position, next_at = f.next_at
    from fresh f where c.tenant_id = f.tenant_id and c.exception_id = f.exception_id
  )
  select array_agg(f.tenant_id) as tenants, array_agg(f.old_position) as old_positions, array_agg(f.position) as new_positions,
    array_agg(f.tenant_id) filter (where f.crossed is not null) as crossed_tenants,
    array_agg(f.exception_id) filter (where f.crossed is not null) as crossed_ids,
    array_agg(f.crossed) filter (where f.crossed is not null) as boundaries,
    array_agg(f.due_at) filter (where f.crossed is not null) as due_ats
  into moved from fresh f;
  if moved.tenants is null then
    return;
  end if;
  perform private.count_positions(private.own_shard(), moved.tenants || moved.tenants, moved.old_positions || moved.new_positions,
    array_fill(-1, array[cardinality(moved.tenants)]) || array_fill(1, array[cardinality(moved.tenants)]));
  if moved.crossed_ids is not null then
    perform private.announce_crossings(moved.crossed_tenants, moved.crossed_ids, moved.boundaries, moved.due_ats);
  end if;
end $$;

create function private.clock_inserted_exceptions() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  opened record;
begin
  insert into public.exception_ledger (tenant_id, exception_id, kind, due_at)
  select a.tenant_id, a.id, 'set', a.due_at from added a where a.status in ('open', 'in_review');
  select array_agg(a.tenant_id) as tenants, array_agg(a.id) as ids, array_agg(a.due_at) as due_ats into opened
  from added a where a.status in ('open', 'in_review');
  if opened.ids is not null then
    perform private.start_clocks(opened.tenants, opened.ids, opened.due_ats);
  end if;
  return null;
end $$;
create trigger clock_inserted after insert on public.exceptions
  referencing new table as added for each statement execute function private.clock_inserted_exceptions();

-- Closed, moved and reopened exceptions, each as arrays: what one statement changed.
create function private.clock_updated_exceptions() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  c record;
begin
  select
    array_agg(x.tenant_id) filter (where x.kind = 'closed') as closed_tenants, array_agg(x.id) filter (where x.kind = 'closed') as closed_ids,
    array_agg(x.tenant_id) filter (where x.kind = 'moved') as moved_tenants, array_agg(x.id) filter (where x.kind = 'moved') as moved_ids,
    array_agg(x.due_at) filter (where x.kind = 'moved') as moved_due_ats,
    array_agg(x.tenant_id) filter (where x.kind = 'reopened') as reopened_tenants, array_agg(x.id) filter (where x.kind = 'reopened') as reopened_ids,
    array_agg(x.due_at) filter (where x.kind = 'reopened') as reopened_due_ats,
    array_agg(x.tenant_id) as tenants, array_agg(x.id) as ids, array_agg(x.due_at) as due_ats,
    array_agg(case x.kind when 'closed' then x.status else x.kind end) as ledger_kinds
  into c
  from (
    select n.tenant_id, n.id, n.due_at, n.status, case
      when not o.status in ('open', 'in_review') then 'reopened'
      when not n.status in ('open', 'in_review') then 'closed'
      else 'moved'
    end as kind
    from after_update n join before_update o on o.tenant_id = n.tenant_id and o.id = n.id
    where n.due_at <> o.due_at or (o.status in ('open', 'in_review')) <> (n.status in ('open', 'in_review'))
  ) x;
  if c.ids is null then
    return null;
  end if;
  perform from unnest(c.closed_tenants || c.moved_tenants, c.closed_ids || c.moved_ids) as asked (tenant_id, exception_id)
  join private.exception_clocks k on k.tenant_id = asked.tenant_id and k.exception_id = asked.exception_id
  order by k.tenant_id, k.exception_id for update of k;
  if c.closed_ids is not null then
    perform private.stop_clocks(c.closed_tenants, c.closed_ids);
  end if;
  if c.moved_ids is not null then
    perform private.advance_clocks(c.moved_tenants, c.moved_ids, private.own_shard());
  end if;
  insert into public.exception_ledger (tenant_id, exception_id, kind, due_at)
  select x.tenant_id, x.exception_id, x.kind, x.due_at
  from unnest(c.tenants, c.ids, c.ledger_kinds, c.due_ats) as x (tenant_id, exception_id, kind, due_at);
  if c.moved_ids is not null then
    perform private.move_clocks(c.moved_tenants, c.moved_ids, c.moved_due_ats);
  end if;
  if c.reopened_ids is not null then
    perform private.start_clocks(c.reopened_tenants, c.reopened_ids, c.reopened_due_ats);
  end if;
  return null;
end $$;
create trigger clock_updated after update on public.exceptions
  referencing old table as before_update new table as after_update
  for each statement execute function private.clock_updated_exceptions();

-- Arms every clock of the caller's tenant by its thresholds as they are now. What was passed before is not reported again: neither
-- by this moment nor by a worker that has been further on since this change began. A clock that has passed its deadline has no
-- boundary ahead, whatever the thresholds.
create function private.rearm_clocks() returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  late record;
begin
  perform from private.exception_clocks c where c.tenant_id = tenant and c.next_at is not null order by c.exception_id for update;
  select array_agg(c.tenant_id) as tenants, array_agg(c.exception_id) as ids into late
  from private.exception_clocks c where c.tenant_id = tenant and c.next_at <= now();
  if late.ids is not null then
    perform private.advance_clocks(late.tenants, late.ids, private.own_shard());
  end if;
  with boundaries as materialized (
    select s.boundary from private.sla_boundaries(array[tenant]) s
  ), fresh as (
    select o.exception_id, b.position, o.due_at - make_interval(mins => b.next_boundary) as next_at
    from private.exception_clocks o cross join lateral (
      select least(o.position, min(x.boundary) filter (where x.passed)) as position,
        max(x.boundary) filter (where not x.passed and x.boundary < o.position) as next_boundary
      from (select s.boundary, o.due_at - make_interval(mins => s.boundary) <= now() as passed from boundaries s) x
    ) b
    where o.tenant_id = tenant and o.next_at is not null
  )
  update private.exception_clocks c set position = f.position, next_at = f.next_at
  from fresh f
  where c.tenant_id = tenant and c.exception_id = f.exception_id and (c.position, c.next_at) is distinct from (f.position, f.next_at);
end $$;
grant execute on function private.rearm_clocks() to authenticated;

-- Exceptions over the wire, one at a time: create, get, change, list.

-- The exception of the caller's tenant. Refuses: not_found.
create function private.find_exception(id text) returns public.exceptions
language plpgsql stable set search_path = '' as $$
declare
  e public.exceptions;
begin
  select * into e from public.exceptions x where x.tenant_id = private.tenant_id() and x.id = $1;
  if not found then
    perform private.refuse_missing('exception');
  end if;
  return e;
end $$;

-- Of what somebody sets: no clock, no counter, nothing that others' work adds.
create function private.exception_version(e public.exceptions) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(jsonb_build_array(
    e.title, e.severity, e.assigned_to, private.iso(e.due_at), e.status, e.reason_code, e.amount_minor, e.currency, e.reconciliation_id,
    e.details, e.resolution, private.iso(e.closed_at)
  ));
end $$;

-- Refuses: invalid_request where the tenant has no such reconciliation.
create function private.require_reconciliation(id text) returns void
language plpgsql stable set search_path = '' as $$
begin
  if id is not null and not exists (select from public.reconciliations r where r.tenant_id = private.tenant_id() and r.id = $1) then
    perform private.refuse_field('reconciliation_id', 'There is no such reconciliation.');
  end if;
end $$;

-- rows: [{ title, severity, … }], the columns a caller may set. Without due_at the policy's deadline for the severity, rounded to the
-- millisecond before it: after it, the deadline could count as one minute more.
create function private.insert_exceptions(rows jsonb) returns setof public.exceptions
language plpgsql volatile set search_path = '' as $$
begin
  return query
  insert into public.exceptions
    (title, severity, assigned_to, due_at, due_from_policy, status, reason_code, amount_minor, currency, reconciliation_id, details)
  select
    r.title, r.severity, r.assigned_to,
    coalesce(r.due_at, date_trunc('milliseconds', now()) + make_interval(mins => private.minutes_to_resolve(p, r.severity))),
    r.due_at is null, coalesce(r.status, 'open'), r.reason_code, r.amount_minor, r.currency, r.reconciliation_id,
    coalesce(nullif(r.details, 'null'), '{}')
  from jsonb_to_recordset(rows) as r (
    title text, severity text, assigned_to text, due_at timestamptz, status text, reason_code text, amount_minor bigint, currency text,
    reconciliation_id text, details jsonb
  )
  join public.sla_policies p on p.tenant_id = private.tenant_id()
  returning *;
end $$;

-- input: the columns. Refuses: invalid_request.
create function public.create_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'create_exception');
  created public.exceptions;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_reconciliation(input ->> 'reconciliation_id');
  select * into created from private.insert_exceptions(jsonb_build_array(input));
  return private.answer(request, private.exception_json(created) || jsonb_build_object('version', private.exception_version(created)));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  e public.exceptions;
begin
  perform private.enter(request, 'get_exception');
  e := private.find_exception(input ->> 'id');
  return private.exception_json(e) || jsonb_build_object('version', private.exception_version(e));
end $$;

-- The columns of `before` as a merge patch leaves them.
create function private.patch_exception(before public.exceptions, patch jsonb) returns public.exceptions
language plpgsql stable set search_path = '' as $$
declare
  after public.exceptions;
begin
  after := jsonb_populate_record(before, patch - 'details');
  if patch ? 'details' then
    after.details := private.merge_patch(before.details, coalesce(nullif(patch -> 'details', 'null'), '{}'));
  end if;
  after.due_from_policy := before.due_from_policy and not patch ? 'due_at';
  return after;
end $$;

-- input: { id, patch }, a merge patch of the columns that may change. Refuses: not_found, precondition_failed,
-- invalid_transition, invalid_request.
create function public.update_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'update_exception');
  patch constant jsonb := input -> 'patch';
  before public.exceptions;
  after public.exceptions;
begin
  if kept is not null then
    return kept;
  end if;
  select * into before from public.exceptions e where e.tenant_id = private.tenant_id() and e.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('exception');
  end if;
  perform private.require_version(private.exception_version(before), request -> 'versions');
  perform private.require_reconciliation(patch ->> 'reconciliation_id');
  after := private.patch_exception(before, patch);
  if after is distinct from before then
    update public.exceptions e set
      title = after.title, severity = after.severity, assigned_to = after.assigned_to, due_at = after.due_at,
      due_from_policy = after.due_from_policy, status = after.status, reason_code = after.reason_code, amount_minor = after.amount_minor,
      currency = after.currency, reconciliation_id = after.reconciliation_id, details = after.details, resolution = after.resolution
    where e.tenant_id = before.tenant_id and e.id = before.id
    returning * into after;
  end if;
  return private.answer(request, private.exception_json(after) || jsonb_build_object('version', private.exception_version(after)));
end $$;

-- Newest first. input: { limit, after: [id] | null, status, severity, assigned_to, reconciliation_id, q }. A search reads the tenant's
-- exceptions in this order until its page is full; an index of words would cost every write what few searches gain.
create function public.list_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  words constant text[] := private.word_patterns(input ->> 'q');
  items jsonb;
begin
  perform private.enter(request, 'list_exceptions');
  select jsonb_agg(private.exception_json(e) order by e.id desc) into items
  from (
    select * from public.exceptions x
    where x.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or x.status = input ->> 'status')
      and (input ->> 'severity' is null or x.severity = input ->> 'severity')
      and (input ->> 'assigned_to' is null or x.assigned_to = input ->> 'assigned_to')
      and (input ->> 'reconciliation_id' is null or x.reconciliation_id = input ->> 'reconciliation_id')
      and (words = '{}' or lower(concat_ws(' ', x.title, x.reason_code, x.id)) like all (words))
    order by x.id desc
    limit page_size + 1
  ) e;
  return private.page(items, page_size, 'id');
end $$;

grant execute on function
  private.find_exception(text), private.exception_version(public.exceptions), private.require_reconciliation(text), private.insert_exceptions(jsonb),
  private.patch_exception(public.exceptions, jsonb)
to authenticated;

-- Many exceptions at once: a bulk change, all or nothing, and an import, line by line.

-- input: { ids, patch }, at most 500: all of them or none. Refuses: not_found and invalid_transition with the place of each in ids,
-- invalid_request. Records: exceptions.bulk_updated.
create function public.update_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'update_exceptions');
  tenant constant text := private.tenant_id();
  patch constant jsonb := input -> 'patch';
  ids constant text[] := private.text_array(input -> 'ids');
  refused jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  perform from public.exceptions e where e.tenant_id = tenant and e.id = any (ids) order by e.id for no key update;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such exception.') order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n)
  where not exists (select from public.exceptions e where e.tenant_id = tenant and e.id = i.id);
  if refused is not null then
    perform private.refuse('not_found', 'There is no such exception. Nothing was changed.', refused);
  end if;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1),
    'message', format('An exception cannot move from %s to %s.', e.status, patch ->> 'status')) order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.tenant_id = tenant and e.id = i.id
  where patch ? 'status' and not private.exception_may_move(e.status, patch ->> 'status');
  if refused is not null then
    perform private.refuse('invalid_transition', 'Some of these exceptions cannot move to that status. Nothing was changed.', refused);
  end if;
  update public.exceptions e set
    severity = (x.after).severity, assigned_to = (x.after).assigned_to, due_at = (x.after).due_at,
    due_from_policy = (x.after).due_from_policy, status = (x.after).status, reason_code = (x.after).reason_code, resolution = (x.after).resolution
  from (
    select b.id, private.patch_exception(b, patch) as after from public.exceptions b where b.tenant_id = tenant and b.id = any (ids)
  ) x
  where e.tenant_id = tenant and e.id = x.id;
  perform private.record_security_event('exceptions.bulk_updated', null, null, jsonb_build_object('count', cardinality(ids), 'patch', patch));
  return private.answer(request, jsonb_build_object(
    'updated', cardinality(ids),
    'items', (
      select jsonb_agg(private.exception_json(e) order by i.n)
      from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.tenant_id = tenant and e.id = i.id
    )
  ));
end $$;

-- input: { rows: [{ line, …columns }] }. Rows that name an unknown reconciliation are refused by line, the others are created. Each
-- batch of an import is a change of its own. Records: exceptions.imported.
create function public.import_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'import_exceptions');
  refused jsonb;
  accepted integer;
begin
  if kept is not null then
    return kept;
  end if;
  select jsonb_agg(jsonb_build_object('line', r ->> 'line', 'path', 'reconciliation_id', 'message', 'There is no such reconciliation.')) into refused
  from jsonb_array_elements(input -> 'rows') r
  where r ->> 'reconciliation_id' is not null and not exists (
    select from public.reconciliations c where c.tenant_id = private.tenant_id() and c.id = r ->> 'reconciliation_id'
  );
  select count(*) into accepted from private.insert_exceptions(case when refused is null then input -> 'rows' else (
    select coalesce(jsonb_agg(r), '[]') from jsonb_array_elements(input -> 'rows') r
    where not exists (select from jsonb_array_elements(refused) f where f ->> 'line' = r ->> 'line')
  ) end);
  if not (private.principal_type() = 'service_role' and coalesce((request ->> 'continues')::boolean, false)) then
    perform private.record_security_event('exceptions.imported', null, null,
      jsonb_build_object('accepted', accepted, 'refused', jsonb_array_length(coalesce(refused, '[]'))));
  end if;
  return private.answer(request, jsonb_build_object('accepted', accepted, 'refused', coalesce(refused, '[]')));
end $$;

-- SLA monitor: open exceptions by time to breach, and counts of all of them, at any size.

-- The summary as of a moment: the stored counts, corrected by the clocks that are due and not advanced yet.
create function private.sla_summary(as_of timestamptz) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    with counted as (
      select coalesce(sum(breached), 0) as breached, coalesce(sum(at_risk), 0) as at_risk, coalesce(sum(on_track), 0) as on_track
      from private.sla_counts where tenant_id = private.tenant_id()
    ), late as (
      select
        count(*) filter (where due_at <= as_of) - count(*) filter (where position <= 0) as breached,
        count(*) filter (where due_at > as_of and due_at <= as_of + make_interval(mins => private.medium_risk_up_to()))
          - count(*) filter (where position between 1 and private.medium_risk_up_to()) as at_risk,
        count(*) filter (where due_at > as_of + make_interval(mins => private.medium_risk_up_to()))
          - count(*) filter (where position > private.medium_risk_up_to()) as on_track
      from private.exception_clocks where tenant_id = private.tenant_id() and next_at <= as_of
    )
    select jsonb_build_object(
      'breached_count', c.breached + l.breached, 'at_risk_count', c.at_risk + l.at_risk, 'on_track_count', c.on_track + l.on_track,
      'total_open', c.breached + c.at_risk + c.on_track
    )
    from counted c, late l
  );
end $$;

-- input: { sort_by, limit, after: [rank, due_at, id] | null, within_minutes, severity, assigned_to, status, breach_risk, q }.
-- The risk falls as the deadline recedes, so sorting by breach_risk is sorting by due_at. at_risk is high and medium.
create function public.list_sla_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  as_of constant timestamptz(3) := now();
  page_size constant integer := (input ->> 'limit')::integer;
  rank_expression constant text := case input ->> 'sort_by'
    when 'severity' then 'e.severity_rank'
    when 'assigned_to' then $q$coalesce('0' || e.assigned_to, '1')$q$
  end;
  sort_key constant text := concat_ws(', ', rank_expression, 'e.due_at', 'e.id');
  risk constant text := input ->> 'breach_risk';
  -- minutes_to_breach is rounded up, so what is below 60 has at most 59 minutes left.
  high constant interval := make_interval(mins => private.high_risk_below() - 1);
  medium constant interval := make_interval(mins => private.medium_risk_up_to());
  conditions text := $q$e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')$q$;
  items jsonb;
begin
  perform private.enter(request, 'list_sla_exceptions');
  if input ->> 'within_minutes' is not null then
    conditions := conditions || format(' and e.due_at <= %L::timestamptz',
      as_of + make_interval(mins => least((input ->> 'within_minutes')::bigint, 1000000000)::integer));
  end if;
  if input ->> 'severity' is not null then
    conditions := conditions || format(' and e.severity_rank = %s', private.severity_rank(input ->> 'severity'));
  end if;
  if input ->> 'assigned_to' is not null then
    conditions := conditions || format($q$ and coalesce('0' || e.assigned_to, '1') = %L$q$, '0' || (input ->> 'assigned_to'));
  end if;
  if input ->> 'status' is not null then
    conditions := conditions || format(' and e.status = %L', input ->> 'status');
  end if;
  if input ->> 'q' is not null then
    conditions := conditions || format($q$ and lower(concat_ws(' ', e.title, e.reason_code, e.id)) like all (%L::text[])$q$,
      private.word_patterns(input ->> 'q'));
  end if;
  if risk <> 'breached' then
    conditions := conditions || format(' and e.due_at > %L::timestamptz',
      as_of + case risk when 'medium' then high when 'low' then medium else interval '0' end);
  end if;
  if risk <> 'low' then
    conditions := conditions || format(' and e.due_at <= %L::timestamptz',
      as_of + case risk when 'breached' then interval '0' when 'high' then high else medium end);
  end if;
  if jsonb_typeof(input -> 'after') = 'array' then
    conditions := conditions || format(' and (%s) > (%s%L::timestamptz, %L)', sort_key,
      case when rank_expression is not null then quote_literal(input -> 'after' ->> 0) || ', ' else '' end,
      input -> 'after' ->> 1, input -> 'after' ->> 2);
  end if;
  -- The rank is for the cursor; the contract leaves it out.
  execute format($q$
    select jsonb_agg(private.exception_json(p.e, $1) || jsonb_build_object('rank', p.rank) order by p.rank, (p.e).due_at, (p.e).id)
    from (select e, %1$s as rank from public.exceptions e where %2$s order by %3$s limit $2 + 1) p
  $q$, coalesce(rank_expression, $q$''::text$q$), conditions, sort_key)
  into items using as_of, page_size;
  return private.page(items, page_size, 'rank', 'due_at', 'id')
    || jsonb_build_object('summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $$;

-- How many open exceptions are how far from their deadline. Exact, and agreeing with the summary: what is due within a day of now is
-- counted by the index, the rest is what the summary says is left of each risk. It costs as much as there is due within that day.
create function private.time_to_breach(as_of timestamptz) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  day constant integer := 1440;
  high constant integer := private.high_risk_below();
  medium constant integer := private.medium_risk_up_to();
  counts constant jsonb := private.sla_summary(as_of);
  late_a_day bigint;
  within_high bigint;
  beyond_medium bigint;
begin
  select count(*) filter (where e.due_at <= as_of),
    count(*) filter (where e.due_at > as_of and e.due_at <= as_of + make_interval(mins => high - 1)),
    count(*) filter (where e.due_at > as_of + make_interval(mins => medium))
  into late_a_day, within_high, beyond_medium
  from public.exceptions e
  where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
    and e.due_at > as_of - make_interval(mins => day + 1) and e.due_at <= as_of + make_interval(mins => day);
  return jsonb_build_object(
    'buckets', (
      select jsonb_agg(jsonb_build_object('from_minutes', b.lowest, 'to_minutes', b.highest, 'breach_risk', b.risk, 'open_count', b.open_count) order by b.place)
      from (values
        (1, null, -day - 1, 'breached', (counts -> 'breached_count')::bigint - late_a_day),
        (2, -day, 0, 'breached', late_a_day),
        (3, 1, high - 1, 'high', within_high),
        (4, high, medium, 'medium', (counts -> 'at_risk_count')::bigint - within_high),
        (5, medium + 1, day, 'low', beyond_medium),
        (6, day + 1, null, 'low', (counts -> 'on_track_count')::bigint - beyond_medium)
      ) as b (place, lowest, highest, risk, open_count)
    ),
    'summary', counts,
    'as_of', private.iso(as_of)
  );
end $$;

-- input: {}.
create function public.get_time_to_breach(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, 'get_time_to_breach');
  return private.time_to_breach(now()::timestamptz(3));
end $$;

grant execute on function private.sla_summary(timestamptz), private.time_to_breach(timestamptz) to authenticated;

-- The SLA policy over the wire. A change can name the version it was made on, and then overwrites no other change unseen.

create function private.sla_policy_json(p public.sla_policies) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'minutes_to_resolve', jsonb_build_object('critical', p.critical_minutes, 'high', p.high_minutes, 'medium', p.medium_minutes, 'low', p.low_minutes),
    'at_risk_thresholds', p.at_risk_thresholds, 'updated_at', private.iso(p.updated_at), 'updated_by', p.updated_by
  );
end $$;

-- input: {}. Answers the policy and its version.
create function public.get_sla_policy(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, 'get_sla_policy');
  return (
    select private.sla_policy_json(p) || jsonb_build_object('version', p.version)
    from public.sla_policies p where p.tenant_id = private.tenant_id()
  );
end $$;

-- input: { minutes_to_resolve, at_risk_thresholds, dry_run }. Deadlines that came
-- from the policy follow it. Refuses: precondition_failed. Records: sla_policy.updated.
create function public.put_sla_policy(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  before public.sla_policies;
  after public.sla_policies;
  impact jsonb;
begin
  perform private.enter(request, 'put_sla_policy');
  select * into before from public.sla_policies where tenant_id = private.tenant_id() for update;
  if jsonb_typeof(request -> 'versions') = 'array' and not request -> 'versions' @> to_jsonb(before.version) then
    perform private.refuse('precondition_failed',
      format('The policy has changed since the version in If-Match, last by %s. Get it again and repeat your change.', before.updated_by));
  end if;
  after := before;
  after.critical_minutes := input -> 'minutes_to_resolve' ->> 'critical';
  after.high_minutes := input -> 'minutes_to_resolve' ->> 'high';
  after.medium_minutes := input -> 'minutes_to_resolve' ->> 'medium';
  after.low_minutes := input -> 'minutes_to_resolve' ->> 'low';
  after.at_risk_thresholds := array(select distinct value::integer from jsonb_array_elements_text(input -> 'at_risk_thresholds') order by 1 desc);

  with moved as (
    select e.severity, e.due_at, e.created_at + make_interval(mins => private.minutes_to_resolve(after, e.severity)) as new_due_at
    from public.exceptions e
    where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review') and e.due_from_policy
      and private.minutes_to_resolve(after, e.severity) <> private.minutes_to_resolve(before, e.severity)
  )
  select jsonb_build_object(
    'changed', count(*), 'earlier', count(*) filter (where new_due_at < due_at), 'later', count(*) filter (where new_due_at > due_at),
    'newly_breached', count(*) filter (where due_at > now() and new_due_at <= now()),
    'no_longer_breached', count(*) filter (where due_at <= now() and new_due_at > now()),
    'by_severity', jsonb_build_object(
      'critical', count(*) filter (where severity = 'critical'), 'high', count(*) filter (where severity = 'high'),
      'medium', count(*) filter (where severity = 'medium'), 'low', count(*) filter (where severity = 'low')
    )
  ) into impact from moved;

  if not dry_run and after is distinct from before then
    update public.sla_policies set
      critical_minutes = after.critical_minutes, high_minutes = after.high_minutes, medium_minutes = after.medium_minutes,
      low_minutes = after.low_minutes, at_risk_thresholds = after.at_risk_thresholds, updated_at = now(), updated_by = private.actor(),
      version = before.version + 1
    where tenant_id = before.tenant_id returning * into after;
    update public.exceptions e set due_at = e.created_at + make_interval(mins => private.minutes_to_resolve(after, e.severity))
    where e.tenant_id = before.tenant_id and e.status in ('open', 'in_review') and e.due_from_policy
      and private.minutes_to_resolve(after, e.severity) <> private.minutes_to_resolve(before, e.severity);
    if after.at_risk_thresholds <> before.at_risk_thresholds then
      perform private.rearm_clocks();
    end if;
    perform private.record_security_event('sla_policy.updated', null, null,
      jsonb_build_object('from', private.sla_policy_json(before), 'to', private.sla_policy_json(after)));
  end if;
  return private.sla_policy_json(after) || jsonb_build_object('version', after.version, 'dry_run', dry_run, 'impact', impact);
end $$;

grant execute on function private.sla_policy_json(public.sla_policies) to authenticated;

-- The ledger over the wire: one exception's clock explained, and how a tenant keeps its deadlines.

-- input: { id }. Each change of the clock since it was set. Refuses: not_found.
create function public.get_exception_ledger(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  e public.exceptions;
begin
  perform private.enter(request, 'get_exception_ledger');
  e := private.find_exception(input ->> 'id');
  return jsonb_build_object(
    'as_of', private.iso(now()), 'exception', private.exception_json(e),
    'rows', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'at', private.iso(l.at), 'kind', l.kind, 'due_at', private.iso(l.due_at), 'threshold_minutes', l.threshold_minutes,
        'actor', l.actor, 'request_id', l.request_id
      ) order by l.at, l.id), '[]')
      from public.exception_ledger l where l.tenant_id = e.tenant_id and l.exception_id = e.id
    )
  );
end $$;

-- input: { since, until, by: day | severity | assigned_to }. Counted from the ledger, so that later changes rewrite nothing.
create function public.get_sla_report(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  since constant timestamptz := input ->> 'since';
  until constant timestamptz := input ->> 'until';
begin
  perform private.enter(request, 'get_sla_report');
  return jsonb_build_object('since', private.iso(since), 'until', private.iso(until), 'by', input ->> 'by', 'rows', coalesce((
    select jsonb_agg(jsonb_build_object(
      'key', g.key, 'opened', g.opened, 'resolved', g.resolved, 'breached', g.breached,
      'breach_rate', round(g.breached::numeric / nullif(g.settled, 0), 4),
      'median_minutes_to_resolve', round(g.median::numeric, 1), 'p90_minutes_to_resolve', round(g.p90::numeric, 1)
    ) order by g.key)
    from (
      select x.key,
        count(*) filter (where x.kind = 'set') as opened,
        count(*) filter (where x.kind in ('resolved', 'dismissed')) as resolved,
        count(distinct x.exception_id) filter (where x.kind = 'crossed') as breached,
        count(distinct x.exception_id) filter (where x.kind <> 'set') as settled,
        percentile_cont(0.5) within group (order by x.minutes) filter (where x.kind in ('resolved', 'dismissed')) as median,
        percentile_cont(0.9) within group (order by x.minutes) filter (where x.kind in ('resolved', 'dismissed')) as p90
      from (
        select l.kind, l.exception_id, extract(epoch from l.at - e.created_at) / 60 as minutes,
          case input ->> 'by'
            when 'day' then to_char(l.at at time zone 'UTC', 'YYYY-MM-DD')
            when 'severity' then e.severity
            else e.assigned_to
          end as key
        from public.exception_ledger l join public.exceptions e on e.tenant_id = l.tenant_id and e.id = l.exception_id
        where l.tenant_id = private.tenant_id() and l.at >= since and l.at < until
          and (l.kind in ('set', 'resolved', 'dismissed') or (l.kind = 'crossed' and l.threshold_minutes = 0))
      ) x
      group by x.key
    ) g
  ), '[]'));
end $$;

-- API keys: credentials of a tenant's servers. Of the secret only a SHA-256 digest is kept.

create table public.api_keys (
  id text not null default private.new_id('key'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  -- The public part of the credential; private.api_key_secrets holds that no two keys have the same.
  key_id text not null,
  name text not null check (length(name) between 1 and 120),
  description text check (length(description) <= 1000),
  scopes text[] not null check (cardinality(scopes) >= 1),
  ip_allowlist text[] not null default '{}' check (cardinality(ip_allowlist) <= 50),
  expires_at timestamptz(3),
  grace_expires_at timestamptz(3),
  rotated_from text,
  -- The first key of its line: itself, or its predecessor's. A key and its rotated successors are one principal, so that a retry with the
  -- successor replays what its predecessor did.
  lineage_id text not null,
  rotated_to text,
  revoked_at timestamptz(3),
  revoked_by text,
  revoke_reason text check (length(revoke_reason) <= 500),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, rotated_from) references public.api_keys (tenant_id, id),
  foreign key (tenant_id, rotated_to) references public.api_keys (tenant_id, id),
  check ((rotated_to is null) = (grace_expires_at is null))
);
create index api_keys_by_expiry on public.api_keys (expires_at) where revoked_at is null and expires_at is not null;
create index api_keys_by_rotated_from on public.api_keys (tenant_id, rotated_from) where rotated_from is not null;
create index api_keys_by_rotated_to on public.api_keys (tenant_id, rotated_to) where rotated_to is not null;

create function private.set_api_key_lineage() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.lineage_id := coalesce((select k.lineage_id from public.api_keys k where k.tenant_id = new.tenant_id and k.id = new.rotated_from), new.id);
  return new;
end $$;
create trigger set_lineage before insert on public.api_keys for each row execute function private.set_api_key_lineage();

-- Key management is a user's act: no API key and no service-role key has it.
alter table public.api_keys enable row level security;
grant select,
  insert (key_id, name, description, scopes, ip_allowlist, expires_at, rotated_from),
  update (name, description, scopes, ip_allowlist, expires_at, grace_expires_at, rotated_to, revoked_at, revoked_by, revoke_reason, updated_at)
on public.api_keys to authenticated;
grant select on public.api_keys to service_role;
create policy api_keys_read on public.api_keys for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:api-keys')));
create policy api_keys_insert on public.api_keys for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.may('write:api-keys')));
create policy api_keys_update on public.api_keys for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('write:api-keys')))
  with check (tenant_id = (select private.tenant_id()));

-- The directory of credentials: whose a key_id is, and its digest. A credential is verified before its tenant is known, so this one
-- table is looked up across tenants. In a schema that no API role can read.
create table private.api_key_secrets (
  key_id text primary key,
  tenant_id text not null,
  api_key_id text not null,
  digest text not null check (digest ~ '^[0-9a-f]{64}$'),
  foreign key (tenant_id, api_key_id) references public.api_keys (tenant_id, id) on delete cascade
);
create index api_key_secrets_by_api_key on private.api_key_secrets (tenant_id, api_key_id);
alter table private.api_key_secrets enable row level security;

-- What a process needs to verify a credential, by the database's clock. Null for an unknown key_id.
create function private.find_api_key(key_id text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select jsonb_build_object(
      'id', k.id, 'lineage_id', k.lineage_id, 'tenant_id', k.tenant_id, 'name', k.name, 'secret_digest', s.digest, 'scopes', k.scopes,
      'ip_allowlist', k.ip_allowlist, 'expires_at', private.iso(k.expires_at), 'grace_expires_at', private.iso(k.grace_expires_at),
      'revoked', k.revoked_at is not null, 'now', private.iso(clock_timestamp())
    )
    from private.api_key_secrets s join public.api_keys k on k.tenant_id = s.tenant_id and k.id = s.api_key_id
    where s.key_id = find_api_key.key_id
  );
end $$;
create function public.find_api_key(key_id text) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return private.find_api_key(key_id);
end $$;
grant execute on function private.find_api_key(text), public.find_api_key(text) to service_role;

-- Of one's own tenant's key, in the transaction that creates it.
create function private.keep_api_key_secret(api_key_id text, digest text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into private.api_key_secrets (key_id, tenant_id, api_key_id, digest)
  select k.key_id, k.tenant_id, k.id, $2 from public.api_keys k where k.tenant_id = private.tenant_id() and k.id = $1;
end $$;

-- Reports keys that expire within 14, 3 and 1 days: once for each threshold and expiry, the nearest one where several passed.
-- Answers how many keys it looked at.
create function private.announce_expiring_api_keys() returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  announced integer := 0;
  k record;
begin
  for k in
    select a.id, a.tenant_id, a.name, a.key_id, a.expires_at,
      (select min(d) from unnest('{1,3,14}'::integer[]) d where a.expires_at <= now() + make_interval(days => d)) as days
    from public.api_keys a
    where a.revoked_at is null and a.rotated_to is null and a.expires_at > now() and a.expires_at <= now() + interval '14 days'
  loop
    perform private.emit(k.tenant_id, 'api_key.expiring',
      jsonb_build_object('id', k.id, 'name', k.name, 'key_id', k.key_id, 'expires_at', private.iso(k.expires_at), 'days_before', k.days),
      format('%s:%s:%s', k.id, private.iso(k.expires_at), k.days));
    announced := announced + 1;
  end loop;
  return announced;
end $$;
grant execute on function private.keep_api_key_secret(text, text) to authenticated;
grant execute on function private.announce_expiring_api_keys() to service_role;

-- Usage of API keys: counted by the processes that serve, written once a second. A call waits for none of it.

create table public.api_key_totals (
  api_key_id text not null,
  tenant_id text not null,
  request_count bigint not null,
  last_used_at timestamptz(3) not null,
  last_used_ip inet,
  primary key (tenant_id, api_key_id),
  foreign key (tenant_id, api_key_id) references public.api_keys (tenant_id, id) on delete cascade
);

-- Outcome: accepted, accepted_in_grace, or the reason of a refusal. Hours are kept for 8 days, days for 91.
create table public.api_key_usage_hourly (
  api_key_id text not null,
  tenant_id text not null,
  hour timestamptz not null,
  operation text not null,
  address inet not null,
  outcome text not null,
  calls bigint not null,
  last_seen_at timestamptz(3) not null,
  primary key (tenant_id, api_key_id, hour, operation, address, outcome),
  foreign key (tenant_id, api_key_id) references public.api_keys (tenant_id, id) on delete cascade
);
create index api_key_usage_hourly_by_age on public.api_key_usage_hourly (hour);

create table public.api_key_usage_daily (
  api_key_id text not null,
  tenant_id text not null,
  day date not null,
  operation text not null,
  outcome text not null,
  calls bigint not null,
  primary key (tenant_id, api_key_id, day, operation, outcome),
  foreign key (tenant_id, api_key_id) references public.api_keys (tenant_id, id) on delete cascade
);
create index api_key_usage_daily_by_age on public.api_key_usage_daily (day);

alter table public.api_key_totals enable row level security;
alter table public.api_key_usage_hourly enable row level security;
alter table public.api_key_usage_daily enable row level security;
grant select on public.api_key_totals, public.api_key_usage_hourly, public.api_key_usage_daily to authenticated, service_role;
create policy api_key_totals_read on public.api_key_totals for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:api-keys')));
create policy api_key_usage_hourly_read on public.api_key_usage_hourly for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:api-keys')));
create policy api_key_usage_daily_read on public.api_key_usage_daily for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:api-keys')));

-- A batch is counted once, however often it is sent. A server's batch holds several tenants' calls.
create table private.usage_batches (
  id uuid primary key,
  at timestamptz(3) not null default now()
);
create index usage_batches_by_age on private.usage_batches (at);
alter table private.usage_batches enable row level security;

-- rows: [{ api_key_id, tenant_id, operation, address, outcome, calls, age_ms }], one per combination. Sorted: one order of locks for
-- every process.
create function private.record_api_key_usage(batch uuid, rows jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into private.usage_batches (id) values (batch) on conflict do nothing;
  if not found then
    return;
  end if;
  with used as materialized (
    select k.tenant_id, k.id as api_key_id, u.operation, u.address, u.outcome, u.calls, now() - make_interval(secs => u.age_ms / 1000.0) as seen_at
    from jsonb_to_recordset(rows)
      as u (api_key_id text, tenant_id text, operation text, address inet, outcome text, calls bigint, age_ms bigint)
    join public.api_keys k on k.tenant_id = u.tenant_id and k.id = u.api_key_id
  ), hourly as (
    insert into public.api_key_usage_hourly as h (api_key_id, tenant_id, hour, operation, address, outcome, calls, last_seen_at)
    select u.api_key_id, u.tenant_id, date_trunc('hour', u.seen_at, 'UTC'), u.operation, u.address, u.outcome, sum(u.calls), max(u.seen_at)
    from used u group by 1, 2, 3, 4, 5, 6 order by 2, 1, 3, 4, 5, 6
    on conflict (tenant_id, api_key_id, hour, operation, address, outcome) do update
      set calls = h.calls + excluded.calls, last_seen_at = greatest(h.last_seen_at, excluded.last_seen_at)
  ), daily as (
    insert into public.api_key_usage_daily as d (api_key_id, tenant_id, day, operation, outcome, calls)
    select u.api_key_id, u.tenant_id, (u.seen_at at time zone 'UTC')::date, u.operation, u.outcome, sum(u.calls)
    from used u group by 1, 2, 3, 4, 5 order by 2, 1, 3, 4, 5
    on conflict (tenant_id, api_key_id, day, operation, outcome) do update set calls = d.calls + excluded.calls
  )
  insert into public.api_key_totals as t (api_key_id, tenant_id, request_count, last_used_at, last_used_ip)
  select u.api_key_id, u.tenant_id, sum(u.calls), max(u.seen_at), (array_agg(u.address order by u.seen_at desc))[1]
  from used u where u.outcome like 'accepted%' group by 1, 2 order by 2, 1
  on conflict (tenant_id, api_key_id) do update set
    request_count = t.request_count + excluded.request_count,
    last_used_ip = case when excluded.last_used_at >= t.last_used_at then excluded.last_used_ip else t.last_used_ip end,
    last_used_at = greatest(t.last_used_at, excluded.last_used_at);
end $$;
create function public.record_api_key_usage(batch uuid, rows jsonb) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.record_api_key_usage(batch, rows);
end $$;
grant execute on function private.record_api_key_usage(uuid, jsonb), public.record_api_key_usage(uuid, jsonb) to service_role;

-- Deletes usage past its time, at most `batch` rows of each kind; answers how many.
create function private.purge_api_key_usage(batch integer default 10000) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  hours integer;
  days integer;
begin
  delete from public.api_key_usage_hourly where ctid = any (array(
    select ctid from public.api_key_usage_hourly where hour < now() - interval '8 days' limit batch
  ));
  get diagnostics hours = row_count;
  delete from public.api_key_usage_daily where ctid = any (array(
    select ctid from public.api_key_usage_daily where day < (now() at time zone 'UTC')::date - 91 limit batch
  ));
  get diagnostics days = row_count;
  delete from private.usage_batches where at < now() - interval '1 day';
  return hours + days;
end $$;
grant execute on function private.purge_api_key_usage(integer) to service_role;

-- input: { id }. Hours of 7 days, days of 90, and the addresses of 7 days; refusals by reason beside the accepted calls.
-- Refuses: not_found.
create function public.get_api_key_usage(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  k public.api_keys;
begin
  perform private.enter(request, 'get_api_key_usage');
  k := private.find_own_api_key(input ->> 'id');
  return jsonb_build_object(
    'as_of', private.iso(now()),
    'hours', coalesce((
      select jsonb_agg(jsonb_build_object('start', private.iso(h.hour), 'accepted', h.accepted, 'refused', h.calls - h.accepted) order by h.hour)
      from (
        select u.hour, sum(u.calls) as calls, coalesce(sum(u.calls) filter (where u.outcome like 'accepted%'), 0) as accepted
        from public.api_key_usage_hourly u
        where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.hour > now() - interval '7 days' group by 1
      ) h
    ), '[]'),
    'days', coalesce((
      select jsonb_agg(jsonb_build_object('start', private.iso(d.day::timestamp at time zone 'UTC'), 'accepted', d.accepted, 'refused', d.calls - d.accepted) order by d.day)
      from (
        select u.day, sum(u.calls) as calls, coalesce(sum(u.calls) filter (where u.outcome like 'accepted%'), 0) as accepted
        from public.api_key_usage_daily u
        where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.day > (now() at time zone 'UTC')::date - 90 group by 1
      ) d
    ), '[]'),
    'addresses', coalesce((
      select jsonb_agg(jsonb_build_object('address', host(a.address), 'calls', a.calls, 'in_grace', a.in_grace, 'last_seen_at', private.iso(a.last_seen)) order by a.last_seen desc)
      from (
        select u.address, sum(u.calls) as calls, coalesce(sum(u.calls) filter (where u.outcome = 'accepted_in_grace'), 0) as in_grace,
          max(u.last_seen_at) as last_seen
        from public.api_key_usage_hourly u
        where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.hour > now() - interval '7 days' and u.outcome like 'accepted%'
        group by 1 order by max(u.last_seen_at) desc limit 100
      ) a
    ), '[]'),
    'refusals', coalesce((
      select jsonb_object_agg(r.outcome, r.calls)
      from (
        select u.outcome, sum(u.calls) as calls from public.api_key_usage_daily u
        where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.outcome not like 'accepted%' group by 1
      ) r
    ), '{}')
  );
end $$;

-- input: { id, … }, the rest is for the security event of a dry run. The accepted calls of 7 days by operation, address and hour: what a
-- proposed change is tried against. Refuses: not_found.
create function public.estimate_api_key_impact(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'estimate_api_key_impact');
  k public.api_keys;
begin
  if kept is not null then
    return kept;
  end if;
  k := private.find_own_api_key(input ->> 'id');
  return private.answer(request, jsonb_build_object(
    'as_of', private.iso(now()),
    'calls', coalesce((
      select jsonb_agg(jsonb_build_object(
        'operation', u.operation, 'address', host(u.address), 'hour', private.iso(u.hour), 'calls', u.calls, 'last_seen_at', private.iso(u.last_seen_at)
      ))
      from public.api_key_usage_hourly u
      where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.hour > now() - interval '7 days' and u.outcome like 'accepted%'
    ), '[]')
  ));
end $$;

-- API keys over the wire. For users who are admins of the tenant.

-- The wire form, without any secret. A grace period that has elapsed is a revocation, whether or not anything ran.
create function private.api_key_json(k public.api_keys) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  grace_is_over constant boolean := coalesce(k.grace_expires_at <= now(), false);
  today constant date := (now() at time zone 'UTC')::date;
  t public.api_key_totals;
begin
  select * into t from public.api_key_totals x where x.tenant_id = k.tenant_id and x.api_key_id = k.id;
  return jsonb_build_object(
    'id', k.id, 'name', k.name, 'description', k.description, 'key_id', k.key_id, 'scopes', k.scopes,
    'ip_allowlist', k.ip_allowlist, 'expires_at', private.iso(k.expires_at), 'created_at', private.iso(k.created_at),
    'created_by', k.created_by,
    'status', case
      when k.revoked_at is not null or grace_is_over then 'revoked'
      when k.expires_at <= now() then 'expired'
      when k.rotated_to is not null then 'rotating'
      else 'active'
    end,
    'last_used_at', private.iso(t.last_used_at), 'request_count', coalesce(t.request_count, 0), 'last_used_ip', host(t.last_used_ip),
    'grace_expires_at', private.iso(k.grace_expires_at), 'rotated_from', k.rotated_from, 'rotated_to', k.rotated_to,
    'revoked_at', private.iso(coalesce(k.revoked_at, case when grace_is_over then k.grace_expires_at end)),
    'revoked_by', coalesce(k.revoked_by, case when grace_is_over then 'system' end),
    'revoke_reason', coalesce(k.revoke_reason, case when grace_is_over then 'The grace period of its rotation ended.' end),
    'rotation_recommended_at', private.iso(k.created_at + interval '90 days'),
    'as_of', private.iso(now()),
    'operations_used', coalesce((
      select jsonb_agg(distinct u.operation) from public.api_key_usage_daily u
      where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.outcome like 'accepted%' and u.day > today - 30
    ), '[]'),
    'calls_by_day', (
      select jsonb_agg(coalesce(u.calls, 0) order by ago.days desc)
      from generate_series(0, 6) as ago (days)
      left join lateral (
        select sum(d.calls) as calls from public.api_key_usage_daily d
        where d.tenant_id = k.tenant_id and d.api_key_id = k.id and d.day = today - ago.days and d.outcome like 'accepted%'
      ) u on true
    )
  );
end $$;

-- Of what somebody sets: no clock, no counter, nothing that others' work adds.
create function private.api_key_version(k public.api_keys) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(jsonb_build_array(
    k.name, k.description, k.scopes, k.ip_allowlist, private.iso(k.expires_at), k.rotated_to, private.iso(k.grace_expires_at),
    private.iso(k.revoked_at)
  ));
end $$;

-- The key of the caller's tenant. Refuses: not_found.
create function private.find_own_api_key(id text) returns public.api_keys
language plpgsql stable set search_path = '' as $$
declare
  k public.api_keys;
begin
  select * into k from public.api_keys a where a.tenant_id = private.tenant_id() and a.id = $1;
  if not found then
    perform private.refuse_missing('API key');
  end if;
  return k;
end $$;

-- The same, locked until the transaction ends, and usable. Refuses: not_found, conflict for a key that is revoked or expired.
create function private.lock_usable_api_key(id text) returns public.api_keys
language plpgsql volatile set search_path = '' as $$
declare
  k public.api_keys;
begin
  k := private.lock_api_key(id);
  if k.revoked_at is not null or k.grace_expires_at <= now() then
    perform private.refuse('conflict', 'This API key is revoked.');
  elsif k.expires_at <= now() then
    perform private.refuse('conflict', 'This API key has expired.');
  end if;
  return k;
end $$;

create function private.lock_api_key(id text) returns public.api_keys
language plpgsql volatile set search_path = '' as $$
declare
  k public.api_keys;
begin
  select * into k from public.api_keys a where a.tenant_id = private.tenant_id() and a.id = $1 for update;
  if not found then
    perform private.refuse_missing('API key');
  end if;
  return k;
end $$;

-- Refuses: invalid_request for an expiry in the past, or more than 10 years ahead.
create function private.require_expiry(expires_at timestamptz) returns void
language plpgsql stable set search_path = '' as $$
begin
  if expires_at <= now() or expires_at > now() + interval '10 years' then
    perform private.refuse_field('expires_at', 'Must be null or a time in the future, at most 10 years away.');
  end if;
end $$;

create function private.insert_api_key(input jsonb, rotated_from text default null) returns public.api_keys
language plpgsql volatile set search_path = '' as $$
declare
  created public.api_keys;
begin
  insert into public.api_keys (key_id, name, description, scopes, ip_allowlist, expires_at, rotated_from)
  values (
    input ->> 'key_id', input ->> 'name', input ->> 'description', private.text_array(input -> 'scopes'),
    private.text_array(input -> 'ip_allowlist'), (input ->> 'expires_at')::timestamptz, insert_api_key.rotated_from
  )
  returning * into created;
  perform private.keep_api_key_secret(created.id, input ->> 'secret_digest');
  return created;
end $$;

-- input: the columns, with secret_digest and `sealed`, the secret as only the holder of the idempotency key can read it.
-- Refuses: invalid_request. Records: api_key.created.
create function public.create_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'create_api_key');
  created public.api_keys;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_expiry((input ->> 'expires_at')::timestamptz);
  created := private.insert_api_key(input);
  perform private.record_security_event('api_key.created', created.id, null,
    jsonb_build_object('name', created.name, 'scopes', created.scopes, 'ip_allowlist', created.ip_allowlist, 'expires_at', private.iso(created.expires_at)));
  return private.answer(request, private.api_key_json(created) || jsonb_build_object('version', private.api_key_version(created))
    || jsonb_build_object('sealed', input -> 'sealed'));
end $$;

-- input: { id, grace_period_seconds, key_id, secret_digest, sealed }. The successor keeps name, description, scopes and allowlist, and gets
-- the same length of life. Refuses: not_found, conflict. Records: api_key.rotated.
create function public.rotate_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'rotate_api_key');
  old public.api_keys;
  successor public.api_keys;
begin
  if kept is not null then
    return kept;
  end if;
  old := private.lock_usable_api_key(input ->> 'id');
  if old.rotated_to is not null then
    perform private.refuse('conflict', 'This API key has already been rotated. Rotate its successor.');
  end if;
  successor := private.insert_api_key(input || jsonb_build_object(
    'name', old.name, 'description', old.description, 'scopes', old.scopes, 'ip_allowlist', old.ip_allowlist,
    'expires_at', now() + (old.expires_at - old.created_at)
  ), old.id);
  update public.api_keys k set
    rotated_to = successor.id, grace_expires_at = now() + make_interval(secs => (input ->> 'grace_period_seconds')::integer), updated_at = now()
  where k.tenant_id = old.tenant_id and k.id = old.id;
  perform private.record_security_event('api_key.rotated', old.id, null,
    jsonb_build_object('successor', successor.id, 'grace_period_seconds', input -> 'grace_period_seconds'));
  return private.answer(request, private.api_key_json(successor) || jsonb_build_object('version', private.api_key_version(successor))
    || jsonb_build_object('sealed', input -> 'sealed'));
end $$;

-- input: { id, reason }. Revoking a revoked key returns it unchanged. Refuses: not_found, precondition_failed. Records: api_key.revoked, and sends the event.
create function public.revoke_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'revoke_api_key');
  k public.api_keys;
begin
  if kept is not null then
    return kept;
  end if;
  k := private.lock_api_key(input ->> 'id');
  perform private.require_version(private.api_key_version(k), request -> 'versions');
  if k.revoked_at is null and (k.grace_expires_at is null or k.grace_expires_at > now()) then
    update public.api_keys a set revoked_at = now(), revoked_by = private.actor(), revoke_reason = input ->> 'reason', updated_at = now()
    where a.tenant_id = k.tenant_id and a.id = k.id returning * into k;
    perform private.record_security_event('api_key.revoked', k.id, input ->> 'reason', jsonb_build_object('name', k.name));
    perform private.emit_own('api_key.revoked', jsonb_build_object(
      'id', k.id, 'name', k.name, 'key_id', k.key_id, 'revoked_at', private.iso(k.revoked_at), 'revoked_by', k.revoked_by, 'reason', k.revoke_reason
    ), k.id);
  end if;
  return private.answer(request, private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k)));
end $$;

-- input: { id, patch }. Refuses: not_found, conflict, precondition_failed, invalid_request. Records: api_key.updated, where something changed.
create function public.update_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'update_api_key');
  -- Usage, which calls and time change: not part of an update.
  use constant text[] := '{as_of,request_count,last_used_at,last_used_ip,operations_used,calls_by_day}';
  patch constant jsonb := input -> 'patch';
  k public.api_keys;
  before jsonb;
  changes jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  k := private.lock_usable_api_key(input ->> 'id');
  perform private.require_version(private.api_key_version(k), request -> 'versions');
  perform private.require_expiry((patch ->> 'expires_at')::timestamptz);
  before := private.api_key_json(k) - use;
  update public.api_keys a set
    name = case when patch ? 'name' then patch ->> 'name' else a.name end,
    description = case when patch ? 'description' then patch ->> 'description' else a.description end,
    scopes = case when patch ? 'scopes' then private.text_array(patch -> 'scopes') else a.scopes end,
    ip_allowlist = case when patch ? 'ip_allowlist' then private.text_array(patch -> 'ip_allowlist') else a.ip_allowlist end,
    expires_at = case when patch ? 'expires_at' then (patch ->> 'expires_at')::timestamptz else a.expires_at end,
    updated_at = now()
  where a.tenant_id = k.tenant_id and a.id = k.id returning * into k;
  changes := private.changes(before, private.api_key_json(k) - use);
  if changes is not null then
    perform private.record_security_event('api_key.updated', k.id, null, changes);
  end if;
  return private.answer(request, private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k)));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  k public.api_keys;
begin
  perform private.enter(request, 'get_api_key');
  k := private.find_own_api_key(input ->> 'id');
  return private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k));
end $$;

-- Newest first. input: { limit, after: [id] | null, status, q }; q is part of the name or of the key_id, or the id.
create function public.list_api_keys(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  sought constant text := lower(input ->> 'q');
  items jsonb;
begin
  perform private.enter(request, 'list_api_keys');
  select jsonb_agg(k.json order by k.id desc) into items
  from (
    select a.id, j.json from public.api_keys a cross join lateral (select private.api_key_json(a) as json) j
    where a.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or a.id < input -> 'after' ->> 0)
      and (sought is null or strpos(lower(a.name), sought) > 0 or strpos(lower(a.key_id), sought) > 0 or a.id = sought)
      and (input ->> 'status' is null or j.json ->> 'status' = input ->> 'status')
    order by a.id desc
    limit page_size + 1
  ) k;
  return private.page(items, page_size, 'id') || jsonb_build_object('as_of', private.iso(now()));
end $$;

grant execute on function
  private.api_key_json(public.api_keys), private.api_key_version(public.api_keys), private.find_own_api_key(text), private.lock_api_key(text), private.lock_usable_api_key(text),
  private.require_expiry(timestamptz), private.insert_api_key(jsonb, text)
to authenticated;

-- Events: what a tenant's receivers are sent. An event exists if and only if the change it reports committed.

create table public.events (
  id text not null default private.new_id('evt'),
  tenant_id text not null references public.tenants (id),
  type text not null check (type ~ '^[a-z_]+(\.[a-z_]+)+$'),
  at timestamptz(3) not null default date_trunc('milliseconds', now()),
  data jsonb not null,
  -- What makes the event one of a kind, where a second one would be wrong.
  once_key text,
  primary key (tenant_id, id),
  constraint events_tenant_id_type_once_key_key unique (tenant_id, type, once_key)
);
create index events_by_age on public.events using brin (at);

alter table public.events enable row level security;
grant select on public.events to authenticated, service_role;
create policy events_read on public.events for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:webhooks')));

-- Emits once: a second call with the same once_key does nothing.
create function private.emit(tenant_id text, type text, data jsonb, once_key text default null) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into public.events (tenant_id, type, data, once_key) values ($1, $2, $3, $4)
  on conflict on constraint events_tenant_id_type_once_key_key do nothing;
end $$;

-- The same for the caller's own tenant: all that a request may emit.
create function private.emit_own(type text, data jsonb, once_key text default null) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.emit(private.tenant_id(), $1, $2, $3);
end $$;
grant execute on function private.emit_own(text, jsonb, text) to authenticated;

-- exception.created, exception.updated, exception.resolved: as the history has it, whichever way the change came.
create function private.tell_exception_history() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.events (tenant_id, type, data)
  select e.tenant_id,
    case
      when h.kind = 'created' then 'exception.created'
      when h.changes #>> '{status,to}' in ('resolved', 'dismissed') then 'exception.resolved'
      else 'exception.updated'
    end,
    jsonb_build_object('exception', private.exception_json(e))
      || case h.kind when 'created' then '{}' else jsonb_build_object('changes', h.changes) end
  from happened h join public.exceptions e on e.tenant_id = h.tenant_id and e.id = h.exception_id;
  return null;
end $$;
create trigger tell after insert on public.exception_history referencing new table as happened
  for each statement execute function private.tell_exception_history();

-- Webhooks: where a tenant's events are sent, each delivery with its attempts, and how well a receiver answers.

create table public.webhooks (
  id text not null default private.new_id('whk'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  url text not null check (length(url) <= 2048 and url ~ '^https?://'),
  description text check (length(description) <= 1000),
  events text[] not null check (cardinality(events) between 1 and 50),
  status text not null default 'active' check (status in ('active', 'disabled')),
  disabled_at timestamptz(3),
  disabled_by text,
  disabled_reason text check (disabled_reason in ('manual', 'failing', 'gone')),
  disabled_detail text check (length(disabled_detail) <= 500),
  secret_changed_at timestamptz(3),
  previous_secret_expires_at timestamptz(3),
  failing_since timestamptz(3),
  last_success_at timestamptz(3),
  last_failure_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  primary key (tenant_id, id),
  check ((status = 'disabled') = (disabled_at is not null)),
  check ((disabled_at is null) = (disabled_reason is null))
);
create index webhooks_by_tenant on public.webhooks (tenant_id, id desc) where deleted_at is null;
-- For the worker, which is woken with identifiers of any tenant's.
create index webhooks_by_id on public.webhooks (id);

-- Changing a webhook reads it on the way, so writers pass this policy too; `private.enter` decides who may ask for one.
alter table public.webhooks enable row level security;
grant select,
  insert (url, description, events),
  update (url, description, events, status, disabled_at, disabled_by, disabled_reason, disabled_detail, secret_changed_at,
    previous_secret_expires_at, failing_since, updated_at, deleted_at)
on public.webhooks to authenticated;
grant select on public.webhooks to service_role;
create policy webhooks_read on public.webhooks for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:webhooks', 'write:webhooks')));
create policy webhooks_insert on public.webhooks for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.may('write:webhooks')));
create policy webhooks_update on public.webhooks for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('write:webhooks')))
  with check (tenant_id = (select private.tenant_id()));

-- In a schema that no API role can read, and sealed by a key that the database does not know. The one without an end is current;
-- the others sign beside it until their end.
create table private.webhook_secrets (
  id text not null,
  tenant_id text not null,
  webhook_id text not null,
  sealed text not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, webhook_id) references public.webhooks (tenant_id, id) on delete cascade
);
create index webhook_secrets_by_webhook on private.webhook_secrets (tenant_id, webhook_id);
create unique index webhook_secrets_current on private.webhook_secrets (tenant_id, webhook_id) where expires_at is null;
alter table private.webhook_secrets enable row level security;

-- One per webhook and event. While an attempt is under way, `lease` is its id and `next_attempt_at` the moment at which
-- any worker may take the delivery again: one that dies holds it for no longer.
create table public.webhook_deliveries (
  id text not null default private.new_id('dlv'),
  tenant_id text not null,
  webhook_id text not null,
  event_id text not null,
  type text not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  failure_kind text check (failure_kind in ('retries_exhausted', 'webhook_disabled')),
  -- What the next attempt is for.
  cause text not null default 'event' check (cause in ('event', 'retry', 'resend', 'recover')),
  attempt_count integer not null default 0,
  -- Failures since the event, or since it was sent again by hand: the place in the schedule.
  failure_count integer not null default 0,
  next_attempt_at timestamptz,
  lease bigint,
  created_at timestamptz(3) not null default now(),
  delivered_at timestamptz(3),
  primary key (tenant_id, id),
  unique (tenant_id, event_id, webhook_id),
  foreign key (tenant_id, webhook_id) references public.webhooks (tenant_id, id) on delete cascade,
  foreign key (tenant_id, event_id) references public.events (tenant_id, id),
  check ((status = 'pending') = (next_attempt_at is not null)),
  check (lease is null or status = 'pending'),
  check ((status = 'failed') = (failure_kind is not null))
);
create index webhook_deliveries_by_webhook on public.webhook_deliveries (tenant_id, webhook_id, id desc);
create index webhook_deliveries_due on public.webhook_deliveries (webhook_id, next_attempt_at) where status = 'pending';
create index webhook_deliveries_missed on public.webhook_deliveries (webhook_id, id desc) where status = 'failed';
create index webhook_deliveries_leased on public.webhook_deliveries (lease) where lease is not null;
create index webhook_deliveries_under_way on public.webhook_deliveries (tenant_id, webhook_id) include (next_attempt_at) where lease is not null;
create index webhook_deliveries_by_age on public.webhook_deliveries using brin (created_at);

-- An attempt is written before it is made, so that none can vanish. `interrupted`: we stopped before the answer came.
create table public.webhook_attempts (
  id bigint generated by default as identity,
  tenant_id text not null,
  delivery_id text not null,
  number integer not null,
  cause text not null check (cause in ('event', 'retry', 'resend', 'recover')),
  status text not null default 'in_flight' check (status in ('in_flight', 'succeeded', 'failed', 'interrupted')),
  failure_kind text check (failure_kind in (
    'signature_failed', 'stale_secret', 'timeout', 'connection_failed', 'blocked_address', 'http_error')),
  started_at timestamptz(3) not null default now(),
  duration_ms integer,
  status_code integer,
  detail text,
  response_headers jsonb,
  response_body text,
  response_truncated boolean,
  primary key (tenant_id, id),
  unique (tenant_id, delivery_id, number),
  foreign key (tenant_id, delivery_id) references public.webhook_deliveries (tenant_id, id) on delete cascade,
  check ((status = 'failed') = (failure_kind is not null))
);

-- Attempts counted by how long the answer took: bucket n is 1.1^n to 1.1^(n+1) ms, -1 is no answer. Kept for 8 days.
create table public.webhook_answer_times (
  webhook_id text not null,
  tenant_id text not null,
  hour timestamptz not null,
  succeeded boolean not null,
  bucket smallint not null,
  attempts bigint not null,
  primary key (tenant_id, webhook_id, hour, succeeded, bucket),
  foreign key (tenant_id, webhook_id) references public.webhooks (tenant_id, id) on delete cascade
);
create index webhook_answer_times_by_age on public.webhook_answer_times (hour);

alter table public.webhook_deliveries enable row level security;
alter table public.webhook_attempts enable row level security;
alter table public.webhook_answer_times enable row level security;
grant select on public.webhook_deliveries, public.webhook_attempts, public.webhook_answer_times to authenticated, service_role;
create policy webhook_deliveries_read on public.webhook_deliveries for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:webhooks', 'write:webhooks')));
create policy webhook_attempts_read on public.webhook_attempts for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:webhooks', 'write:webhooks')));
create policy webhook_answer_times_read on public.webhook_answer_times for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:webhooks', 'write:webhooks')));

-- Fan-out: an event, its deliveries and the job that starts them commit together, however many events a statement has.

-- A job wakes the sender for a webhook; what is due is in webhook_deliveries. No job_key: two transactions that send the same webhook
-- something must not wait for each other. plpgsql, so that the schema can be made where graphile_worker is installed later.
create function private.wake_webhook(webhook_id text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform graphile_worker.add_job('deliver_webhook', json_build_object('webhook_id', webhook_id));
end $$;

-- webhook.test goes to the webhook it tests; what is reported of a webhook is not sent to that webhook. What a disabled webhook
-- misses is recorded, so that it can be recovered.
create function private.fan_out_events() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  awaiting record;
begin
  for awaiting in
    with fanned_out as (
      insert into public.webhook_deliveries (tenant_id, webhook_id, event_id, type, status, failure_kind, next_attempt_at)
      select e.tenant_id, w.id, e.id, e.type,
        case w.status when 'active' then 'pending' else 'failed' end,
        case w.status when 'disabled' then 'webhook_disabled' end,
        case w.status when 'active' then now() end
      from emitted e join public.webhooks w on w.tenant_id = e.tenant_id
      where w.deleted_at is null and case
        when e.type = 'webhook.test' then w.id = e.data ->> 'id'
        when e.type in ('webhook.failing', 'webhook.disabled') then e.type = any (w.events) and w.id <> e.data ->> 'id'
        else e.type = any (w.events)
      end
      returning webhook_id, status
    )
    select distinct webhook_id from fanned_out where status = 'pending' order by webhook_id
  loop
    perform private.wake_webhook(awaiting.webhook_id);
  end loop;
  return null;
end $$;
create trigger fan_out after insert on public.events referencing new table as emitted
  for each statement execute function private.fan_out_events();

-- A webhook's life: its secrets, disabled by a user or by its receiver's answers, enabled again.

-- The webhook of the caller's tenant. Refuses: not_found.
create function private.find_webhook(id text) returns public.webhooks
language plpgsql stable set search_path = '' as $$
declare
  w public.webhooks;
begin
  select * into w from public.webhooks x where x.tenant_id = private.tenant_id() and x.id = $1 and x.deleted_at is null;
  if not found then
    perform private.refuse_missing('webhook');
  end if;
  return w;
end $$;

-- The same, locked until the transaction ends.
create function private.lock_webhook(id text) returns public.webhooks
language plpgsql volatile set search_path = '' as $$
declare
  w public.webhooks;
begin
  select * into w from public.webhooks x where x.tenant_id = private.tenant_id() and x.id = $1 and x.deleted_at is null
  for no key update;
  if not found then
    perform private.refuse_missing('webhook');
  end if;
  return w;
end $$;

-- Refuses: conflict for a disabled webhook.
create function private.require_active_webhook(w public.webhooks) returns void
language plpgsql stable set search_path = '' as $$
begin
  if w.status = 'disabled' then
    perform private.refuse('conflict', 'This webhook is disabled. Enable it first.');
  end if;
end $$;

-- The new secret signs from now on; the others stop when `grace` is over, or earlier where that was decided before.
create function private.keep_webhook_secret(webhook_id text, id text, sealed text, grace interval default '0') returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  update private.webhook_secrets s set expires_at = least(s.expires_at, now() + grace)
  where s.tenant_id = private.tenant_id() and s.webhook_id = $1;
  insert into private.webhook_secrets (id, tenant_id, webhook_id, sealed)
  select $2, w.tenant_id, w.id, $3 from public.webhooks w where w.tenant_id = private.tenant_id() and w.id = $1;
end $$;

create function private.forget_webhook_secrets(webhook_id text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  delete from private.webhook_secrets s where s.tenant_id = private.tenant_id() and s.webhook_id = $1;
end $$;

-- What waits is given up. What is under way just now is settled by its worker. The worker acts for no tenant in particular.
create function private.drop_waiting_deliveries(webhook_id text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  update public.webhook_deliveries d set status = 'failed', failure_kind = 'webhook_disabled', next_attempt_at = null
  where d.webhook_id = $1 and d.tenant_id = coalesce(private.tenant_id(), d.tenant_id) and d.status = 'pending' and d.lease is null;
end $$;

create function private.webhook_disable_at(failing_since timestamptz) returns timestamptz
language plpgsql immutable set search_path = '' as $$
begin
  return failing_since + interval '5 days';
end $$;

-- By a user, or by the worker, which acts for no tenant in particular. Records and sends: webhook.disabled.
create function private.disable_webhook(id text, reason text, detail text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  w public.webhooks;
begin
  update public.webhooks x set
    status = 'disabled', disabled_at = now(), disabled_by = private.actor(), disabled_reason = reason, disabled_detail = left(detail, 500),
    updated_at = now()
  where x.id = $1 and x.tenant_id = coalesce(private.tenant_id(), x.tenant_id) and x.status = 'active' and x.deleted_at is null
  returning * into w;
  if not found then
    return;
  end if;
  perform private.drop_waiting_deliveries(w.id);
  perform private.write_security_event(private.new_id('sev'), w.tenant_id, 'webhook.disabled', w.id, detail,
    jsonb_build_object('reason', reason, 'url', w.url));
  perform private.emit(w.tenant_id, 'webhook.disabled', jsonb_build_object(
    'id', w.id, 'url', w.url, 'reason', reason, 'detail', detail,
    'disabled_at', private.iso(w.disabled_at), 'disabled_by', w.disabled_by
  ));
end $$;

-- Records: webhook.enabled, unless it is active.
create function private.enable_webhook(w public.webhooks) returns public.webhooks
language plpgsql volatile set search_path = '' as $$
begin
  if w.status = 'active' then
    return w;
  end if;
  update public.webhooks x set
    status = 'active', disabled_at = null, disabled_by = null, disabled_reason = null, disabled_detail = null, failing_since = null,
    updated_at = now()
  where x.tenant_id = w.tenant_id and x.id = w.id
  returning * into w;
  perform private.record_security_event('webhook.enabled', w.id, null, jsonb_build_object('url', w.url));
  return w;
end $$;

-- The last failed attempt, among the newest deliveries: while a webhook fails, few are tried at once.
create function private.last_failure(w public.webhooks) returns public.webhook_attempts
language plpgsql stable set search_path = '' as $$
declare
  failed public.webhook_attempts;
begin
  select a.* into failed
  from (
    select d.id from public.webhook_deliveries d
    where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.attempt_count > 0 order by d.id desc limit 50
  ) recent
  join public.webhook_attempts a on a.tenant_id = w.tenant_id and a.delivery_id = recent.id and a.status = 'failed'
  order by a.id desc limit 1;
  return failed;
end $$;

-- Two days before it is disabled, and one day before: once for each. Records and sends: webhook.failing.
create function private.warn_of_failing_webhook(w public.webhooks, detail text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  days_left constant integer := case when private.webhook_disable_at(w.failing_since) <= now() + interval '1 day' then 1 else 2 end;
  warning constant text := format('%s:%s:%s', w.id, private.iso(w.failing_since), days_left);
  facts constant jsonb := jsonb_build_object('url', w.url, 'failing_since', private.iso(w.failing_since),
    'disable_at', private.iso(private.webhook_disable_at(w.failing_since)));
begin
  if w.status <> 'active' or exists (
    select from public.events e where e.tenant_id = w.tenant_id and e.type = 'webhook.failing' and e.once_key = warning
  ) then
    return;
  end if;
  perform private.write_security_event(private.new_id('sev'), w.tenant_id, 'webhook.failing', w.id, detail, facts);
  perform private.emit(w.tenant_id, 'webhook.failing', facts || jsonb_build_object('id', w.id, 'detail', detail), warning);
end $$;

-- Warnings come with time, not with the next attempt: a webhook that has little to send would be disabled unwarned.
create function private.warn_of_failing_webhooks() returns void
language plpgsql volatile set search_path = '' as $$
declare
  w public.webhooks;
begin
  for w in
    select * from public.webhooks x
    where x.status = 'active' and x.deleted_at is null and private.webhook_disable_at(x.failing_since) <= now() + interval '2 days'
    order by x.tenant_id, x.id for no key update skip locked
  loop
    perform private.warn_of_failing_webhook(w, (private.last_failure(w)).detail);
  end loop;
end $$;
grant execute on function private.warn_of_failing_webhooks() to service_role;

grant execute on function
  private.find_webhook(text), private.lock_webhook(text), private.require_active_webhook(public.webhooks),
  private.keep_webhook_secret(text, text, text, interval), private.forget_webhook_secrets(text), private.drop_waiting_deliveries(text),
  private.webhook_disable_at(timestamptz), private.disable_webhook(text, text, text), private.enable_webhook(public.webhooks),
  private.last_failure(public.webhooks)
to authenticated;

-- Webhooks over the wire: register, change, rotate the secret, test, enable, delete.

-- Attempts of the last hours, counted by bucket. Answer times are the middle of their bucket: within 5 %.
create function private.webhook_health(w public.webhooks, span interval) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    with counted as (
      select t.succeeded, t.bucket, t.attempts from public.webhook_answer_times t
      where t.tenant_id = w.tenant_id and t.webhook_id = w.id and t.hour > now() - span
    ), answered as (
      select bucket, sum(attempts) as attempts, sum(sum(attempts)) over (order by bucket) as up_to, sum(sum(attempts)) over () as total
      from counted where bucket >= 0 group by bucket
    )
    select jsonb_build_object(
      'attempts', coalesce(sum(attempts), 0),
      'failures', coalesce(sum(attempts) filter (where not succeeded), 0),
      'success_rate', round(coalesce(sum(attempts) filter (where succeeded), 0) / nullif(sum(attempts), 0), 4),
      'p50_ms', (select round(1.1 ^ (min(bucket) + 0.5)) from answered where up_to >= total * 0.5),
      'p95_ms', (select round(1.1 ^ (min(bucket) + 0.5)) from answered where up_to >= total * 0.95)
    )
    from counted
  );
end $$;

create function private.webhook_json(w public.webhooks) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  last_day constant jsonb := private.webhook_health(w, interval '24 hours');
begin
  return jsonb_build_object(
    'id', w.id, 'url', w.url, 'description', w.description, 'events', w.events, 'status', w.status,
    'disabled_at', private.iso(w.disabled_at), 'disabled_by', w.disabled_by, 'disabled_reason', w.disabled_reason,
    'disabled_detail', w.disabled_detail,
    'health', case
      when w.status = 'disabled' then 'disabled'
      when w.failing_since is not null then 'failing'
      when last_day -> 'success_rate' = 'null' then 'idle'
      when (last_day ->> 'success_rate')::numeric < 0.95 then 'degraded'
      else 'healthy'
    end,
    'last_24h', last_day, 'last_7d', private.webhook_health(w, interval '7 days'),
    'failing_since', private.iso(w.failing_since),
    'disable_at', case when w.status = 'active' then private.iso(private.webhook_disable_at(w.failing_since)) end,
    'last_success_at', private.iso(w.last_success_at), 'last_failure_at', private.iso(w.last_failure_at),
    'last_failure_kind', case when w.failing_since is not null then (private.last_failure(w)).failure_kind end,
    'next_attempt_at', (
      select private.iso(d.next_attempt_at) from public.webhook_deliveries d
      where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.status = 'pending' and d.lease is null order by d.next_attempt_at limit 1
    ),
    'missed_since', (
      select private.iso(d.created_at) from public.webhook_deliveries d
      where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.status = 'failed' order by d.id limit 1
    ),
    'secret_changed_at', private.iso(w.secret_changed_at),
    'previous_secret_expires_at', case when w.previous_secret_expires_at > now() then private.iso(w.previous_secret_expires_at) end,
    'created_at', private.iso(w.created_at), 'created_by', w.created_by, 'updated_at', private.iso(w.updated_at)
  );
end $$;

-- Of what somebody sets: no clock, no counter, nothing that others' work adds.
create function private.webhook_version(w public.webhooks) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(jsonb_build_array(
    w.url, w.description, w.events, w.status, private.iso(w.disabled_at), private.iso(w.secret_changed_at), private.iso(w.deleted_at)
  ));
end $$;

-- input: { url, description, events, secret_id, sealed_secret, sealed }; sealed: a secret that was made for the caller, as only the holder
-- of the idempotency key can read it. Refuses: conflict beyond 250 webhooks. Records: webhook.created.
create function public.create_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'create_webhook');
  w public.webhooks;
begin
  if kept is not null then
    return kept;
  end if;
  if (select count(*) >= 250 from public.webhooks x where x.tenant_id = private.tenant_id() and x.deleted_at is null) then
    perform private.refuse('conflict', 'A tenant can have at most 250 webhooks. Delete one first.');
  end if;
  insert into public.webhooks (url, description, events)
  values (input ->> 'url', input ->> 'description', private.text_array(input -> 'events'))
  returning * into w;
  perform private.keep_webhook_secret(w.id, input ->> 'secret_id', input ->> 'sealed_secret');
  perform private.record_security_event('webhook.created', w.id, null, jsonb_build_object('url', w.url, 'events', w.events));
  return private.answer(request, private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)) || jsonb_build_object('sealed', input -> 'sealed'));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  w public.webhooks;
begin
  perform private.enter(request, 'get_webhook');
  w := private.find_webhook(input ->> 'id');
  return private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w));
end $$;

-- Newest first. input: { limit, after: [id] | null, status }.
create function public.list_webhooks(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.enter(request, 'list_webhooks');
  select jsonb_agg(private.webhook_json(w) order by w.id desc) into items
  from (
    select * from public.webhooks x
    where x.tenant_id = private.tenant_id() and x.deleted_at is null
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or x.status = input ->> 'status')
    order by x.id desc
    limit page_size + 1
  ) w;
  return private.page(items, page_size, 'id') || jsonb_build_object('as_of', private.iso(now()));
end $$;

-- input: { id, patch: { url, description, events, status, reason } }. A new address starts with a clean record.
-- Refuses: not_found, precondition_failed. Records: webhook.updated, webhook.enabled, webhook.disabled.
create function public.update_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'update_webhook');
  fields constant text[] := '{url,description,events}';
  patch constant jsonb := input -> 'patch';
  before public.webhooks;
  w public.webhooks;
begin
  if kept is not null then
    return kept;
  end if;
  before := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(before), request -> 'versions');
  w := jsonb_populate_record(before, (select jsonb_object_agg(key, value) from jsonb_each(patch) where key = any (fields)));
  if w is distinct from before then
    update public.webhooks x set
      url = w.url, description = w.description, events = w.events,
      failing_since = case when w.url = before.url then x.failing_since end, updated_at = now()
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into w;
    perform private.record_security_event('webhook.updated', w.id, null, (
      select private.changes(jsonb_object_agg(field, to_jsonb(before) -> field), jsonb_object_agg(field, to_jsonb(w) -> field)) from unnest(fields) field
    ));
  end if;
  if patch ->> 'status' = 'active' then
    w := private.enable_webhook(w);
  elsif patch ->> 'status' = 'disabled' and w.status = 'active' then
    perform private.disable_webhook(w.id, 'manual', patch ->> 'reason');
    w := private.find_webhook(w.id);
  end if;
  return private.answer(request, private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)));
end $$;

-- input: { id }. Its secrets go at once, its log with the 30 days. Refuses: not_found, precondition_failed. Records: webhook.deleted.
create function public.delete_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'delete_webhook');
  w public.webhooks;
begin
  if kept is not null then
    return kept;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(w), request -> 'versions');
  perform private.drop_waiting_deliveries(w.id), private.forget_webhook_secrets(w.id);
  update public.webhooks x set deleted_at = now(), updated_at = now() where x.tenant_id = w.tenant_id and x.id = w.id;
  perform private.record_security_event('webhook.deleted', w.id, null, jsonb_build_object('url', w.url));
  return private.answer(request, jsonb_build_object('id', w.id, 'deleted', true));
end $$;

-- input: { id, grace_period_seconds, secret_id, sealed_secret, sealed }. Refuses: not_found. Records: webhook.secret_rotated.
create function public.rotate_webhook_secret(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'rotate_webhook_secret');
  grace constant interval := make_interval(secs => (input ->> 'grace_period_seconds')::integer);
  w public.webhooks;
begin
  if kept is not null then
    return kept;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.keep_webhook_secret(w.id, input ->> 'secret_id', input ->> 'sealed_secret', grace);
  update public.webhooks x set secret_changed_at = now(), previous_secret_expires_at = now() + grace, updated_at = now()
  where x.tenant_id = w.tenant_id and x.id = w.id
  returning * into w;
  perform private.record_security_event('webhook.secret_rotated', w.id, null,
    jsonb_build_object('previous_secret_expires_at', private.iso(w.previous_secret_expires_at)));
  return private.answer(request, private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)) || jsonb_build_object('sealed', input -> 'sealed'));
end $$;

-- input: { id }. Refuses: not_found. Records: webhook.enabled.
create function public.enable_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'enable_webhook');
begin
  if kept is not null then
    return kept;
  end if;
  return private.answer(request, private.webhook_json(private.enable_webhook(private.lock_webhook(input ->> 'id'))));
end $$;

-- input: { id }. Answers the delivery. Refuses: not_found, conflict.
create function public.test_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'test_webhook');
  w public.webhooks;
  d public.webhook_deliveries;
begin
  if kept is not null then
    return kept;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.require_active_webhook(w);
  perform private.emit_own('webhook.test',
    jsonb_build_object('id', w.id, 'message', 'It works.', 'sent_by', private.actor()));
  -- The webhook is locked: no other test of it can be the newest.
  select * into d from public.webhook_deliveries x
  where x.tenant_id = w.tenant_id and x.webhook_id = w.id and x.type = 'webhook.test' order by x.id desc limit 1;
  return private.answer(request, private.delivery_json(d));
end $$;

grant execute on function
  private.webhook_health(public.webhooks, interval), private.webhook_json(public.webhooks),
  private.webhook_version(public.webhooks)
to authenticated;

-- A webhook's log over the wire: what was sent, what was answered, and sending it again.

-- On the wire `pending` is one of three: pending (not tried yet), sending, retrying (waiting for its next try).
create function private.delivery_status(d public.webhook_deliveries) returns text
language plpgsql stable set search_path = '' as $$
begin
  return case
    when d.status <> 'pending' then d.status
    when d.lease is not null and d.next_attempt_at > now() then 'sending'
    when d.attempt_count > 0 then 'retrying'
    else 'pending'
  end;
end $$;

create function private.attempt_json(a public.webhook_attempts) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'number', a.number, 'cause', a.cause, 'status', a.status, 'failure_kind', a.failure_kind, 'detail', a.detail,
    'started_at', private.iso(a.started_at), 'duration_ms', a.duration_ms, 'status_code', a.status_code
  );
end $$;

create function private.delivery_json(d public.webhook_deliveries) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  wire_status constant text := private.delivery_status(d);
  last_attempt public.webhook_attempts;
begin
  select * into last_attempt from public.webhook_attempts a
  where a.tenant_id = d.tenant_id and a.delivery_id = d.id order by a.number desc limit 1;
  return jsonb_build_object(
    'id', d.id, 'webhook_id', d.webhook_id, 'event_id', d.event_id, 'type', d.type,
    'status', wire_status, 'failure_kind', d.failure_kind,
    'reason', case
      when wire_status = 'retrying' then last_attempt.detail
      when d.failure_kind = 'retries_exhausted' then concat_ws(' ', format('All %s attempts failed.', d.attempt_count), last_attempt.detail)
      when d.failure_kind = 'webhook_disabled' then concat_ws(' ', 'The webhook was disabled.', last_attempt.detail)
    end,
    'attempt_count', d.attempt_count,
    'next_attempt_at', case when wire_status in ('pending', 'retrying') then private.iso(d.next_attempt_at) end,
    'created_at', private.iso(d.created_at), 'delivered_at', private.iso(d.delivered_at),
    'last_attempt', case when last_attempt.id is not null then private.attempt_json(last_attempt) end
  );
end $$;

-- Refuses: not_found.
create function private.find_delivery(webhook_id text, id text) returns public.webhook_deliveries
language plpgsql stable set search_path = '' as $$
declare
  d public.webhook_deliveries;
begin
  select * into d from public.webhook_deliveries x where x.tenant_id = private.tenant_id() and x.id = $2 and x.webhook_id = $1;
  if not found then
    perform private.refuse_missing('delivery');
  end if;
  return d;
end $$;

-- Newest first. input: { id, limit, after: [id] | null, status, type, event_id, since, until }. Refuses: not_found.
create function public.list_webhook_deliveries(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  wanted constant text := input ->> 'status';
  w public.webhooks;
  conditions text;
  items jsonb;
begin
  perform private.enter(request, 'list_webhook_deliveries');
  w := private.find_webhook(input ->> 'id');
  conditions := format('d.tenant_id = %L and d.webhook_id = %L', w.tenant_id, w.id);
  if input -> 'after' ->> 0 is not null then
    conditions := conditions || format(' and d.id < %L', input -> 'after' ->> 0);
  end if;
  if wanted in ('delivered', 'failed') then
    conditions := conditions || format(' and d.status = %L', wanted);
  elsif wanted is not null then
    conditions := conditions || format(' and d.status = ''pending'' and private.delivery_status(d) = %L', wanted);
  end if;
  if input ->> 'type' is not null then
    conditions := conditions || format(' and d.type = %L', input ->> 'type');
  end if;
  if input ->> 'event_id' is not null then
    conditions := conditions || format(' and d.event_id = %L', input ->> 'event_id');
  end if;
  if input ->> 'since' is not null then
    conditions := conditions || format(' and d.created_at >= %L::timestamptz', input ->> 'since');
  end if;
  if input ->> 'until' is not null then
    conditions := conditions || format(' and d.created_at < %L::timestamptz', input ->> 'until');
  end if;
  execute format($q$
    select jsonb_agg(private.delivery_json(p.d) order by (p.d).id desc)
    from (select d from public.webhook_deliveries d where %s order by d.id desc limit $1 + 1) p
  $q$, conditions) into items using page_size;
  return private.page(items, page_size, 'id') || jsonb_build_object('as_of', private.iso(now()));
end $$;

-- input: { id, delivery_id }. Refuses: not_found.
create function public.get_webhook_delivery(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  d public.webhook_deliveries;
begin
  perform private.enter(request, 'get_webhook_delivery');
  perform private.find_webhook(input ->> 'id');
  d := private.find_delivery(input ->> 'id', input ->> 'delivery_id');
  return private.delivery_json(d) || jsonb_build_object(
    'payload', (
      select jsonb_build_object('type', e.type, 'timestamp', private.iso(e.at), 'data', e.data)
      from public.events e where e.tenant_id = d.tenant_id and e.id = d.event_id
    ),
    'attempts', coalesce((
      select jsonb_agg(private.attempt_json(a) || jsonb_build_object(
        'response', case when a.status_code is not null then jsonb_build_object(
          'headers', coalesce(a.response_headers, '{}'), 'body', coalesce(a.response_body, ''), 'truncated', coalesce(a.response_truncated, false)
        ) end
      ) order by a.number)
      from public.webhook_attempts a where a.tenant_id = d.tenant_id and a.delivery_id = d.id
    ), '[]')
  );
end $$;

-- Attempts whose lease is over: their result will not come any more.
create function private.interrupt_lapsed_attempts(webhook_ids text[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  update public.webhook_attempts a set status = 'interrupted', duration_ms = extract(epoch from now() - a.started_at) * 1000,
    detail = 'The worker that made this attempt stopped responding.'
  from public.webhook_deliveries d
  where a.tenant_id = d.tenant_id and a.id = d.lease and a.status = 'in_flight' and d.next_attempt_at <= now()
    and d.webhook_id = any (webhook_ids) and d.tenant_id = coalesce(private.tenant_id(), d.tenant_id);
end $$;

-- Sends again what the caller may see, from the start of the schedule; answers how many. What is under way is left alone.
create function private.requeue_deliveries(webhook_id text, ids text[], cause text) returns bigint
language plpgsql volatile security definer set search_path = '' as $$
declare
  requeued bigint;
begin
  perform private.interrupt_lapsed_attempts(array[$1]);
  update public.webhook_deliveries d set
    status = 'pending', failure_kind = null, failure_count = 0, cause = $3, next_attempt_at = now(), lease = null
  where d.tenant_id = private.tenant_id() and d.id = any (ids) and d.webhook_id = $1
    and (d.lease is null or d.next_attempt_at <= now());
  get diagnostics requeued = row_count;
  if requeued > 0 then
    perform private.wake_webhook($1);
  end if;
  return requeued;
end $$;

-- input: { id, delivery_id }. Refuses: not_found; conflict while it is being sent, or for a disabled webhook.
create function public.resend_webhook_delivery(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'resend_webhook_delivery');
  d public.webhook_deliveries;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_active_webhook(private.lock_webhook(input ->> 'id'));
  d := private.find_delivery(input ->> 'id', input ->> 'delivery_id');
  if private.requeue_deliveries(d.webhook_id, array[d.id], 'resend') = 0 then
    perform private.refuse('conflict', 'This delivery is being sent. Wait for its result.');
  end if;
  return private.answer(request, private.delivery_json(private.find_delivery(d.webhook_id, d.id)));
end $$;

-- input: { id, since, dry_run }. Missed is what failed, or failed so far and waits for another try. Refuses: not_found; conflict for a
-- disabled webhook, unless with dry_run. Records: webhook.recovered.
create function public.recover_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'recover_webhook');
  since constant timestamptz := (input ->> 'since')::timestamptz;
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  w public.webhooks;
  missed text[];
  recovered bigint;
begin
  if kept is not null then
    return kept;
  end if;
  w := private.lock_webhook(input ->> 'id');
  if not dry_run then
    perform private.require_active_webhook(w);
  end if;
  missed := array(
    select d.id from public.webhook_deliveries d
    where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.created_at >= since and d.status = 'failed'
    union all
    select d.id from public.webhook_deliveries d
    where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.created_at >= since and d.status = 'pending'
      and private.delivery_status(d) = 'retrying'
  );
  recovered := case when dry_run then cardinality(missed) else private.requeue_deliveries(w.id, missed, 'recover') end;
  if not dry_run and recovered > 0 then
    perform private.record_security_event('webhook.recovered', w.id, null,
      jsonb_build_object('since', private.iso(since), 'count', recovered));
  end if;
  return private.answer(request, jsonb_build_object('since', private.iso(since), 'dry_run', dry_run, 'count', recovered));
end $$;

grant execute on function
  private.delivery_status(public.webhook_deliveries), private.attempt_json(public.webhook_attempts),
  private.delivery_json(public.webhook_deliveries), private.find_delivery(text, text), private.requeue_deliveries(text, text[], text)
to authenticated;

-- Sending: claim what is due under a lease, settle what came of it, take over what a dead worker held. For the worker alone.

-- Takes up to `room` due deliveries of the named webhooks for 30 seconds. Caps, so that a receiver that hangs costs others
-- nothing: 20 at once per webhook, 2 while it fails; 200 per tenant, beyond the first of each webhook, which is always let
-- through. Whoever settles a delivery claims for its webhook again, so a claim that a cap cut short is never forgotten.
create function private.claim_webhook_deliveries(webhook_ids text[], room integer)
returns table (
  attempt_id bigint, delivery_id text, webhook_id text, tenant_id text, event_id text, url text, body text, secrets jsonb, sent_at bigint
)
-- Planned once a connection, and by indexes, whatever the tables looked like then: planning costs more than claiming.
language plpgsql volatile set search_path = '' set plan_cache_mode = 'force_generic_plan'
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  inactive text[];
begin
  -- One claim at a time: the caps hold over all workers.
  perform pg_advisory_xact_lock(hashtextextended('tieout.claim_webhook_deliveries', 0));

  perform private.interrupt_lapsed_attempts(webhook_ids);
  inactive := array(select w.id from public.webhooks w where w.id = any (webhook_ids) and (w.status <> 'active' or w.deleted_at is not null));
  if cardinality(inactive) > 0 then
    update public.webhook_deliveries d set status = 'failed', failure_kind = 'webhook_disabled', next_attempt_at = null, lease = null
    where d.webhook_id = any (inactive) and d.status = 'pending' and d.next_attempt_at <= now();
  end if;

  return query
  with asked as (
    select w.id, w.tenant_id, w.url, case when w.failing_since is null then 20 else 2 end as cap
    from public.webhooks w
    where w.id = any (webhook_ids) and w.status = 'active' and w.deleted_at is null
  ), busy as (
    select d.tenant_id, d.webhook_id, count(*) as deliveries from public.webhook_deliveries d
    where d.lease is not null and d.next_attempt_at > now() and d.tenant_id in (select tenant_id from asked)
    group by 1, 2
  ), due as (
    select a.tenant_id, a.id as webhook_id, a.url, d.id, d.next_attempt_at,
      coalesce(b.deliveries, 0) + row_number() over (partition by a.id order by d.next_attempt_at) as place
    from asked a
    left join busy b on b.webhook_id = a.id
    cross join lateral (
      select x.id, x.next_attempt_at from public.webhook_deliveries x
      where x.webhook_id = a.id and x.status = 'pending' and x.next_attempt_at <= now()
      order by x.next_attempt_at limit greatest(0, a.cap - coalesce(b.deliveries, 0))
      for no key update skip locked
    ) d
  ), ranked as (
    select *, coalesce((select sum(b.deliveries - 1) from busy b where b.tenant_id = due.tenant_id), 0)
      + count(*) filter (where place > 1) over (partition by tenant_id order by place, next_attempt_at, id) as beyond_the_first
    from due
  ), chosen as (
    select * from ranked where place = 1 or beyond_the_first <= 200
    order by place, next_attempt_at limit room
  ), leased as (
    update public.webhook_deliveries d set
      lease = nextval('public.webhook_attempts_id_seq'), next_attempt_at = now() + interval '30 seconds', attempt_count = d.attempt_count + 1
    from chosen c where d.tenant_id = c.tenant_id and d.id = c.id
    returning d.id, d.tenant_id, d.webhook_id, d.event_id, d.lease, d.attempt_count, d.cause, c.url, c.place
  ), begun as (
    insert into public.webhook_attempts (id, tenant_id, delivery_id, number, cause)
    select l.lease, l.tenant_id, l.id, l.attempt_count, l.cause from leased l
  )
  select l.lease, l.id, l.webhook_id, l.tenant_id, l.event_id, l.url,
    format('{"type":%s,"timestamp":%s,"data":%s}', to_json(e.type), to_json(private.iso(e.at)), e.data),
    (
      select jsonb_agg(jsonb_build_object('id', s.id, 'sealed', s.sealed) order by s.created_at desc)
      from private.webhook_secrets s
      where s.tenant_id = l.tenant_id and s.webhook_id = l.webhook_id and (s.expires_at is null or s.expires_at > now())
    ),
    floor(extract(epoch from clock_timestamp()))::bigint
  from leased l join public.events e on e.tenant_id = l.tenant_id and e.id = l.event_id
  order by l.place;
end $$;

-- Webhooks with something due for two seconds that no job or timer has taken care of: a worker died, or its lease is over.
create function private.overdue_webhooks() returns setof text
language plpgsql stable set search_path = '' as $$
begin
  return query
  with recursive waiting as (
    (select d.webhook_id, d.next_attempt_at from public.webhook_deliveries d where d.status = 'pending'
      order by d.webhook_id, d.next_attempt_at limit 1)
    union all
    select n.webhook_id, n.next_attempt_at from waiting w cross join lateral (
      select d.webhook_id, d.next_attempt_at from public.webhook_deliveries d
      where d.status = 'pending' and d.webhook_id > w.webhook_id
      order by d.webhook_id, d.next_attempt_at limit 1
    ) n
  )
  select w.webhook_id from waiting w where w.next_attempt_at <= now() - interval '2 seconds';
end $$;

-- The pause before the next try: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, each 20 % more or less; then none.
create function private.retry_pause(failures integer) returns interval
language plpgsql volatile strict set search_path = '' as $$
begin
  return (array[5, 300, 1800, 7200, 18000, 36000, 36000])[failures] * (0.8 + 0.4 * random()) * interval '1 second';
end $$;

-- What a receiver asked for by Retry-After, from 5 seconds to 10 hours, and up to a tenth later, so that not all come at once.
create function private.retry_after_pause(seconds integer) returns interval
language plpgsql volatile strict set search_path = '' as $$
begin
  return least(greatest(seconds, 5), 36000) * (1 + 0.1 * random()) * interval '1 second';
end $$;

-- results: [{ attempt_id, status_code, failure_kind, detail, interrupted, pause_seconds, duration_ms, retry_after_seconds,
-- response_headers, response_body, response_truncated }]. A result counts while its attempt holds the lease; a zombie's
-- late one changes nothing. Answers which webhooks to claim for now, when their next retry is due, and which attempts wait for
-- a webhook that is being changed: those are settled later.
create function private.settle_webhook_attempts(results jsonb)
returns table (webhook_id text, retry_in_ms double precision, waiting_attempts bigint[])
language plpgsql volatile set search_path = '' set plan_cache_mode = 'force_generic_plan'
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  touched text[];
  locked text[];
  verdicts jsonb;
  verdict record;
  w public.webhooks;
begin
  touched := array(
    select distinct d.webhook_id from jsonb_to_recordset(results) as r (attempt_id bigint)
    join public.webhook_deliveries d on d.lease = r.attempt_id
  );
  -- Webhook before delivery, as everyone else locks them.
  locked := array(select x.id from public.webhooks x where x.id = any (touched) for no key update skip locked);

  with given as (
    select * from jsonb_to_recordset(results) as r (
      attempt_id bigint, status_code integer, failure_kind text, detail text, interrupted boolean, pause_seconds integer, duration_ms integer,
      retry_after_seconds integer, response_headers jsonb, response_body text, response_truncated boolean
    )
  ), held as (
    select d.id, d.webhook_id, d.tenant_id, d.failure_count, d.attempt_count, g.*,
      x.status = 'active' and x.deleted_at is null as active,
      -- The last change of secrets that a receiver could have slept through: a new one came, or the old one ceased to sign.
      greatest(x.secret_changed_at, case when x.previous_secret_expires_at <= now() then x.previous_secret_expires_at end) as secret_changed_at,
      x.last_success_at
    from given g
    join public.webhook_deliveries d on d.lease = g.attempt_id
    join public.webhooks x on x.tenant_id = d.tenant_id and x.id = d.webhook_id
    where d.webhook_id = any (locked)
    for no key update of d
  ), judged as (
    select h.*,
      case when h.interrupted then 'interrupted' when h.status_code between 200 and 299 then 'succeeded' else 'failed' end as outcome,
      case
        when h.interrupted or h.status_code between 200 and 299 then null
        when h.status_code in (401, 403) then
          case when h.secret_changed_at is not null and (h.last_success_at is null or h.last_success_at < h.secret_changed_at)
            then 'stale_secret' else 'signature_failed' end
        else coalesce(h.failure_kind, 'http_error')
      end as kind,
      case
        when h.interrupted then make_interval(secs => coalesce(h.pause_seconds, 0))
        when h.status_code between 200 and 299 or h.status_code = 410 or not h.active or h.failure_count >= 7 then null
        else coalesce(private.retry_after_pause(h.retry_after_seconds), private.retry_pause(h.failure_count + 1))
      end as pause
    from held h
  ), attempts as (
    update public.webhook_attempts a set
      status = j.outcome, failure_kind = j.kind, duration_ms = j.duration_ms, status_code = j.status_code,
      detail = case j.kind
        when 'stale_secret' then format('The receiver responded with %s after the secret was changed at %s. It seems to verify with the old one.',
          j.status_code, private.iso(j.secret_changed_at))
        when 'signature_failed' then format('The receiver responded with %s: it did not accept the signature.', j.status_code)
        else j.detail
      end,
      response_headers = j.response_headers, response_body = j.response_body,
      response_truncated = j.response_truncated
    from judged j where a.tenant_id = j.tenant_id and a.id = j.attempt_id
  ), deliveries as (
    update public.webhook_deliveries d set
      lease = null,
      status = case when j.outcome = 'succeeded' then 'delivered' when j.pause is null then 'failed' else 'pending' end,
      failure_kind = case when j.outcome = 'failed' and j.pause is null then
        case when j.active and j.status_code is distinct from 410 then 'retries_exhausted' else 'webhook_disabled' end end,
      failure_count = case j.outcome when 'failed' then d.failure_count + 1 else d.failure_count end,
      cause = case j.outcome when 'failed' then 'retry' else d.cause end,
      next_attempt_at = now() + j.pause,
      delivered_at = case j.outcome when 'succeeded' then now() else d.delivered_at end
    from judged j where d.tenant_id = j.tenant_id and d.id = j.id
  ), answer_times as (
    insert into public.webhook_answer_times as t (webhook_id, tenant_id, hour, succeeded, bucket, attempts)
    select j.webhook_id, j.tenant_id, date_trunc('hour', now(), 'UTC'), j.outcome = 'succeeded',
      case when j.status_code is null then -1 else floor(ln(greatest(j.duration_ms, 1)) / ln(1.1)) end, count(*)
    from judged j where j.outcome <> 'interrupted'
    group by 1, 2, 3, 4, 5 order by 2, 1, 3, 4, 5
    on conflict (tenant_id, webhook_id, hour, succeeded, bucket) do update set attempts = t.attempts + excluded.attempts
  )
  select jsonb_agg(jsonb_build_object(
    'webhook_id', j.webhook_id, 'outcome', j.outcome, 'gone', j.active and j.status_code = 410, 'detail', j.detail,
    'retry_in_ms', extract(epoch from j.pause) * 1000
  )) into verdicts from judged j;

  for verdict in
    select v.webhook_id, bool_or(v.outcome = 'succeeded') as succeeded, bool_or(v.outcome = 'failed') as failed, bool_or(v.gone) as gone,
      max(v.detail) filter (where v.outcome = 'failed') as detail
    from jsonb_to_recordset(verdicts) as v (webhook_id text, outcome text, gone boolean, detail text)
    where v.outcome <> 'interrupted'
    group by 1 order by 1
  loop
    update public.webhooks x set
      last_success_at = case when verdict.succeeded then now() else x.last_success_at end,
      last_failure_at = case when verdict.failed then now() else x.last_failure_at end,
      failing_since = case when verdict.succeeded then null else coalesce(x.failing_since, now()) end
    where x.id = verdict.webhook_id
    returning * into w;
    if verdict.gone then
      perform private.disable_webhook(w.id, 'gone', 'The receiver responded with 410 Gone: it wants no more events.');
    elsif private.webhook_disable_at(w.failing_since) <= now() then
      perform private.disable_webhook(w.id, 'failing', concat_ws(' ',
        format('Every attempt has failed since %s, for 5 days.', private.iso(w.failing_since)), 'The last one: ' || verdict.detail));
    elsif private.webhook_disable_at(w.failing_since) <= now() + interval '2 days' then
      perform private.warn_of_failing_webhook(w, verdict.detail);
    end if;
  end loop;

  return query
  select v.webhook_id, min(v.retry_in_ms), null::bigint[]
  from jsonb_to_recordset(verdicts) as v (webhook_id text, retry_in_ms double precision) group by 1
  union all
  select d.webhook_id, null, array_agg(r.attempt_id)
  from jsonb_to_recordset(results) as r (attempt_id bigint)
  join public.webhook_deliveries d on d.lease = r.attempt_id
  where d.webhook_id <> all (locked) group by 1;
end $$;

-- Deletes deliveries, attempts, payloads and deleted webhooks after 30 days, at most `batch` of each; answers how many.
create function private.purge_webhook_deliveries(batch integer default 5000) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  deliveries integer;
  events integer;
begin
  delete from public.webhook_deliveries d using (
    select x.tenant_id, x.id from public.webhook_deliveries x where x.created_at < now() - interval '30 days' and x.lease is null limit batch
  ) old
  where d.tenant_id = old.tenant_id and d.id = old.id;
  get diagnostics deliveries = row_count;
  delete from public.events e using (
    select x.tenant_id, x.id from public.events x where x.at < now() - interval '30 days'
      and not exists (select from public.webhook_deliveries d where d.tenant_id = x.tenant_id and d.event_id = x.id)
    limit batch
  ) old
  where e.tenant_id = old.tenant_id and e.id = old.id;
  get diagnostics events = row_count;
  delete from public.webhooks w where w.deleted_at < now() - interval '30 days'
    and not exists (select from public.webhook_deliveries d where d.tenant_id = w.tenant_id and d.webhook_id = w.id);
  delete from private.webhook_secrets s where s.expires_at < now();
  delete from public.webhook_answer_times t where t.hour < now() - interval '8 days';
  return deliveries + events;
end $$;

grant execute on function
  private.claim_webhook_deliveries(text[], integer), private.overdue_webhooks(), private.settle_webhook_attempts(jsonb),
  private.purge_webhook_deliveries(integer)
to service_role;

-- Records: the tenant's own JSON objects under the names of the generic surfaces, searchable, deleted softly, purged later.
-- A surface is declared in lib/records/surfaces; the database knows it by its permissions, read:<surface> and so on.

-- Lower case, and one full stop for all that stands between letters of one word: "Stripe_Payouts" is "stripe.payouts".
create function private.record_words(content text) returns text
language sql immutable set search_path = ''
return regexp_replace(translate(lower(content), '!"#$%&''()*+,-/:;<=>?@[\]^_`{|}~', repeat('.', 31)), '\.{2,}', '.', 'g');

-- Words are kept with a mark of their tenant and surface, so that a prefix never runs over another's words. Two surfaces with one mark
-- would slow each other down, no more: the rows say whose they are.
create function private.record_mark(tenant_id text, surface text) returns text
language sql immutable set search_path = ''
return left(md5(tenant_id || '/' || surface), 8);

-- The words of every text and number in a record, however deep. Of "stripe.payouts.de" also "payouts.de" and "de", so that the
-- beginning of each part finds it. Bounded in every way: a part of more than 60 characters, a word of more than 100 parts and a record
-- of more than 10,000 are found by what is kept.
create function private.record_search(tenant_id text, surface text, data jsonb) returns tsvector
language sql immutable set search_path = ''
return (
  select coalesce(array_to_tsvector(array_agg(distinct found.lexeme)), '')
  from (
    select private.record_mark($1, $2) || left(array_to_string(word.parts[i:i + 19], '.'), 60) as lexeme
    from jsonb_path_query(data - '{tenantId,idempotencyKey}'::text[], 'strict $.**') value
    cross join regexp_split_to_table(private.record_words(value #>> '{}'), '\s+') token
    cross join lateral (select (string_to_array(btrim(token, '.'), '.'))[1:100] as parts) word
    cross join generate_subscripts(word.parts, 1) i
    where jsonb_typeof(value) in ('string', 'number') and btrim(token, '.') <> ''
    limit 10000
  ) found
);

-- Each word of `q` begins a part of a word of the record.
create function private.record_query(tenant_id text, surface text, q text) returns tsquery
language sql immutable set search_path = ''
return coalesce((
  select string_agg(
    format('''%s%s'':*', private.record_mark($1, $2), left(btrim(token, '.'), 60)), ' & '
  )
  from regexp_split_to_table(private.record_words(q), '\s+') token
  where btrim(token, '.') <> ''
), '')::tsquery;

create table public.records (
  id text not null default private.new_id('rec'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  surface text not null check (surface ~ '^[a-z][a-z0-9-]{0,62}$'),
  data jsonb not null,
  -- Grows with every change; the ETag.
  version bigint not null default 1,
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  operation text generated always as (data ->> 'operation') stored check (length(operation) <= 200),
  published boolean not null generated always as (coalesce(data -> 'published' = 'true', false)) stored,
  search tsvector not null generated always as (private.record_search(tenant_id, surface, data)) stored,
  primary key (tenant_id, id),
  -- The server's own fields are columns, for every writer.
  check (jsonb_typeof(data) = 'object'
    and not data ?| '{id,tenant_id,created_at,created_by,updated_at,soft_delete,deleted_at,purge_at}')
);
create index records_by_surface on public.records (tenant_id, surface, id desc) where deleted_at is null;
create index records_deleted on public.records (tenant_id, surface, id desc) where deleted_at is not null;
create index records_published on public.records (tenant_id, surface, id desc) where published and deleted_at is null;
create index records_by_operation on public.records (tenant_id, surface, operation, id desc) where deleted_at is null;
create index records_by_update on public.records (tenant_id, surface, updated_at) where deleted_at is null;
create index records_by_deletion on public.records (deleted_at) where deleted_at is not null;
create index records_by_words on public.records using gin (search);

-- 30 days, by the hour: a day may have 23 of them where a session's zone is not UTC.
create function private.record_retention() returns interval
language sql immutable set search_path = ''
return interval '720 hours';

create function private.record_purge_at(deleted_at timestamptz) returns timestamptz
language plpgsql immutable set search_path = '' as $$
begin
  return deleted_at + private.record_retention();
end $$;

create function private.guard_record_update() returns trigger
language plpgsql set search_path = '' as $$
begin
  new.version := old.version + 1;
  new.updated_at := now();
  return new;
end $$;
create trigger guard_update before update on public.records
  for each row execute function private.guard_record_update();

-- No row is purged before its time, for any role and any filter.
create function private.guard_record_purge() returns trigger
language plpgsql set search_path = '' as $$
begin
  if old.deleted_at is null or private.record_purge_at(old.deleted_at) > now() then
    raise exception 'Record % may not be purged: it was not deleted 30 days ago.', old.id;
  end if;
  return old;
end $$;
create trigger guard_purge before delete on public.records
  for each row execute function private.guard_record_purge();

-- Writers see the rows they write; the functions decide what they are answered. Deleted rows are visible with the permission to restore.
-- The publishable key sees published records of the public surfaces.
alter table public.records enable row level security;
grant select on public.records to anon, authenticated, service_role;
grant insert (surface, data), update (data) on public.records to authenticated;
create policy records_read on public.records for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and surface = any ((select private.permitted('read', 'write'))::text[])
    and (deleted_at is null or surface = any ((select private.permitted('restore'))::text[])));
create policy records_read_published on public.records for select to anon
  using (tenant_id = (select private.tenant_id())
    and (select private.principal_type()) = 'publishable_key'
    and surface = any ((select private.permitted('read'))::text[]) and published and deleted_at is null);
create policy records_insert on public.records for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and deleted_at is null
    and surface = any ((select private.permitted('write'))::text[]));
create policy records_update on public.records for update to authenticated
  using (tenant_id = (select private.tenant_id()) and deleted_at is null
    and surface = any ((select private.permitted('write'))::text[]))
  with check (tenant_id = (select private.tenant_id()));

grant execute on function
  private.record_words(text), private.record_mark(text, text), private.record_search(text, text, jsonb),
  private.record_query(text, text, text), private.record_retention(), private.record_purge_at(timestamptz)
to anon, authenticated;

-- Deletes records that were deleted 30 days ago, at most `batch` at a time; answers how many. One that is being restored is skipped.
create function private.purge_records(batch integer default 1000) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  purged integer;
begin
  delete from public.records d using (
    select r.tenant_id, r.id from public.records r where r.deleted_at <= now() - private.record_retention()
    order by r.deleted_at limit batch for update skip locked
  ) old
  where d.tenant_id = old.tenant_id and d.id = old.id;
  get diagnostics purged = row_count;
  return purged;
end $$;
grant execute on function private.purge_records(integer) to service_role;

-- Records over the wire. `surface` is the path's name; what its fields mean is the contract's to say.

-- The wire form and the version its ETag is made of. The record's own fields come first, so none can pose as the server's.
create function private.record_json(r public.records) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  deletion jsonb := '{"soft_delete": false, "deleted_at": null, "purge_at": null}';
begin
  if r.deleted_at is not null then
    deletion := jsonb_build_object('soft_delete', true, 'deleted_at', private.iso(r.deleted_at),
      'purge_at', private.iso(private.record_purge_at(r.deleted_at)));
  end if;
  return jsonb_build_object('version', r.version, 'record', r.data || deletion || jsonb_build_object(
    'id', r.id, 'created_at', private.iso(r.created_at), 'created_by', r.created_by, 'updated_at', private.iso(r.updated_at)
  ));
end $$;

-- Whether deleted records are asked for. Refuses: role_required for callers who may not restore.
create function private.with_deleted(input jsonb) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  if coalesce(input ->> 'include_deleted', 'false') not in ('true', 'only') then
    return false;
  elsif not private.may('restore:' || (input ->> 'surface')) then
    perform private.refuse('role_required', 'Deleted records require the role tenant_admin. Ask a tenant admin.');
  end if;
  return true;
end $$;

-- 64 kB as sent is at most 96 kB with the spaces that Postgres writes. Refuses: payload_too_large.
create function private.require_record_size(data jsonb) returns void
language plpgsql immutable set search_path = '' as $$
begin
  if octet_length(data::text) > 98304 then
    perform private.refuse('payload_too_large', 'A record can have at most 64 kB of JSON.');
  end if;
end $$;

-- The record that a caller changes, locked until the transaction ends. Refuses: not_found, precondition_failed.
create function private.lock_record(input jsonb, request jsonb) returns public.records
language plpgsql volatile set search_path = '' as $$
declare
  r public.records;
begin
  select * into r from public.records x
  where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' and x.surface = input ->> 'surface' and x.deleted_at is null
  for no key update;
  if not found then
    perform private.refuse_missing('record');
  end if;
  perform private.require_version(r.version, request -> 'versions');
  return r;
end $$;

-- Into the bin and out of it. Not an update by the caller: who may delete need not be one who sees what is deleted.
create function private.bin_record(id text) returns public.records
language plpgsql volatile security definer set search_path = '' as $$
declare
  r public.records;
begin
  update public.records x set deleted_at = now()
  where x.tenant_id = private.tenant_id() and x.id = $1 and x.deleted_at is null and private.may('write:' || x.surface)
  returning * into r;
  return r;
end $$;

-- Refuses: not_found.
create function private.unbin_record(surface text, id text) returns public.records
language plpgsql volatile security definer set search_path = '' as $$
declare
  r public.records;
begin
  select * into r from public.records x
  where x.tenant_id = private.tenant_id() and x.id = $2 and x.surface = $1 and private.may('restore:' || x.surface) for update;
  if not found then
    perform private.refuse_missing('record');
  end if;
  if r.deleted_at is not null then
    update public.records x set deleted_at = null where x.tenant_id = r.tenant_id and x.id = r.id returning * into r;
  end if;
  return r;
end $$;

-- The newest identifiers out of several sources, each of which has an index in their order.
create function private.newest_records(sources text[], filters text, page_size integer) returns text[]
language plpgsql stable set search_path = '' as $$
declare
  scans text;
  ids text[];
begin
  select string_agg(format('(select r.id from (%s) r where %s order by r.id desc limit %s)', source, filters, page_size), ' union all ')
  into scans from unnest(sources) source;
  execute format('select array_agg(f.id order by f.id desc) from (select s.id from (%s) s order by s.id desc limit %s) f', scans, page_size)
  into ids;
  return coalesce(ids, '{}');
end $$;

-- The identifiers of a page and one more, newest first; see list_records for the input. Identifiers only, and above row-level
-- security, which would keep the search from its index; the records are then read below it.
create function private.find_records(input jsonb) returns text[]
language plpgsql stable security definer set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer + 1;
  own text := format('select * from public.records r where r.tenant_id = %L and r.surface = %L', private.tenant_id(), input ->> 'surface');
  sources text[];
  filters text := 'true';
  ids text[];
begin
  if input -> 'after' ->> 0 is not null then
    own := own || format(' and r.id < %L', input -> 'after' ->> 0);
  end if;
  sources := case input ->> 'include_deleted'
    when 'true' then array[own || ' and r.deleted_at is null', own || ' and r.deleted_at is not null']
    when 'only' then array[own || ' and r.deleted_at is not null']
    else array[own || ' and r.deleted_at is null']
  end;
  if private.principal_type() = 'publishable_key' then
    filters := filters || ' and r.published';
  end if;
  if input ->> 'operation' is not null then
    filters := filters || format(' and r.operation = %L', input ->> 'operation');
  end if;
  if input ->> 'updated_since' is not null then
    filters := filters || format(' and r.updated_at >= %L::timestamptz', input ->> 'updated_since');
  end if;
  if input ->> 'q' is not null then
    filters := filters || format(' and r.search @@ %L::tsquery', private.record_query(private.tenant_id(), input ->> 'surface', input ->> 'q'));
    -- What many records have, the newest have as well: no index of words is as fast as a look at those.
    ids := private.newest_records(array(select source || ' order by r.id desc limit 2000' from unnest(sources) source), filters, page_size);
    if cardinality(ids) = page_size then
      return ids;
    end if;
  end if;
  return private.newest_records(sources, filters, page_size);
end $$;

-- Newest first. input: { surface, limit, after: [id] | null, operation, q, updated_since, include_deleted: "true" | "only" | null }.
-- Refuses: role_required for deleted records.
create function public.list_records(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.enter(request, 'list_records', coalesce(input ->> 'surface', ''));
  perform private.with_deleted(input);
  select jsonb_agg(private.record_json(r) -> 'record' order by r.id desc) into items
  from public.records r
  where r.tenant_id = private.tenant_id() and r.id = any ((select private.find_records(input))::text[]) and r.surface = input ->> 'surface';
  return private.page(items, page_size, 'id');
end $$;

-- input: { surface, data }. Refuses: payload_too_large.
create function public.create_record(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'create_record', coalesce(input ->> 'surface', ''));
  created public.records;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_record_size(input -> 'data');
  insert into public.records (surface, data) values (input ->> 'surface', input -> 'data') returning * into created;
  return private.answer(request, private.record_json(created));
end $$;

-- input: { surface, id, include_deleted }. Refuses: role_required for deleted records, not_found.
create function public.get_record(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  with_deleted boolean;
  answer jsonb;
begin
  perform private.enter(request, 'get_record', coalesce(input ->> 'surface', ''));
  with_deleted := private.with_deleted(input);
  select private.record_json(r) into answer from public.records r
  where r.tenant_id = private.tenant_id() and r.id = input ->> 'id' and r.surface = input ->> 'surface'
    and (r.deleted_at is null or with_deleted);
  if answer is null then
    perform private.refuse_missing('record');
  end if;
  return answer;
end $$;

-- input: { surface, id, patch }: a merge patch. Refuses: not_found, precondition_failed, payload_too_large.
create function public.update_record(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'update_record', coalesce(input ->> 'surface', ''));
  r public.records;
  patched jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  r := private.lock_record(input, request);
  patched := private.merge_patch(r.data, input -> 'patch');
  if patched <> r.data then
    perform private.require_record_size(patched);
    update public.records x set data = patched where x.tenant_id = r.tenant_id and x.id = r.id returning * into r;
  end if;
  return private.answer(request, private.record_json(r));
end $$;

-- input: { surface, id }. Refuses: not_found, precondition_failed.
create function public.delete_record(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'delete_record', coalesce(input ->> 'surface', ''));
  r public.records;
begin
  if kept is not null then
    return kept;
  end if;
  r := private.lock_record(input, request);
  return private.answer(request, private.record_json(private.bin_record(r.id)));
end $$;

-- input: { surface, id }. Restoring what is not deleted returns it unchanged. Refuses: not_found.
create function public.restore_record(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'restore_record', coalesce(input ->> 'surface', ''));
begin
  if kept is not null then
    return kept;
  end if;
  return private.answer(request, private.record_json(private.unbin_record(input ->> 'surface', input ->> 'id')));
end $$;

grant execute on function private.record_json(public.records), private.with_deleted(jsonb), private.find_records(jsonb) to anon, authenticated;
grant execute on function
  private.require_record_size(jsonb), private.lock_record(jsonb, jsonb), private.bin_record(text),
  private.unbin_record(text, text)
to authenticated;

-- Members: whom a tenant's exceptions can be assigned to, and the accounts that Supabase Auth has.

-- The people whom Supabase Auth has in the tenant, and those who were assigned an exception before: an identity provider's users may be
-- unknown to it. As the server reads a token (lib/auth/principal.ts): the name is the local part of the address, `tenants` an object of
-- roles by tenant, or an array with `roles` beside it. Accounts that cannot sign in are left out.
create function private.members() returns table (name text, roles text[], source text)
language plpgsql stable security definer set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
begin
  return query
  with recursive assignee (reference) as (
    -- One step of the index a name, however many exceptions each has.
    (select e.assigned_to from public.exceptions e where e.tenant_id = tenant and e.assigned_to is not null order by 1 limit 1)
    union all
    select (select e.assigned_to from public.exceptions e where e.tenant_id = tenant and e.assigned_to > a.reference order by 1 limit 1)
    from assignee a where a.reference is not null
  ), person (name, role, source) as (
    select
      left(regexp_replace(btrim(case when strpos(u.email, '@') > 1 then split_part(u.email, '@', 1) else u.id::text end), '\s+', '_', 'g'), 120),
      r.role, 'directory'
    from auth.users u
    cross join lateral (
      select case jsonb_typeof(u.raw_app_meta_data -> 'tenants')
        when 'object' then u.raw_app_meta_data -> 'tenants' -> tenant
        when 'array' then case when u.raw_app_meta_data -> 'tenants' ? tenant then coalesce(u.raw_app_meta_data -> 'roles', '[]') end
      end as roles
    ) m
    left join lateral unnest(private.roles()) as r (role) on m.roles ? r.role
    where jsonb_typeof(m.roles) = 'array' and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
    union all
    select substr(a.reference, 6), null, 'assignment' from assignee a where a.reference is not null
  )
  select p.name, coalesce(array_agg(distinct p.role) filter (where p.role is not null), '{}'), max(p.source)
  from person p group by p.name;
end $$;

-- By name. input: { limit, after: [name] | null, q }; q is part of the name.
create function public.list_members(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  sought constant text := lower(input ->> 'q');
  items jsonb;
begin
  perform private.enter(request, 'list_members');
  select jsonb_agg(jsonb_build_object('name', m.name, 'user', 'user:' || m.name, 'roles', m.roles, 'source', m.source) order by m.name) into items
  from (
    select * from private.members() x
    where (input -> 'after' ->> 0 is null or x.name > input -> 'after' ->> 0) and (sought is null or strpos(lower(x.name), sought) > 0)
    order by x.name
    limit page_size + 1
  ) m;
  return private.page(items, page_size, 'name');
end $$;
grant execute on function private.members() to authenticated;

-- Called by `npm run tenant -- admit`, over the operator's connection. The roles take the place of those the account had there.
-- Refuses: not_found for an unknown tenant or account. Records: member.admitted.
create function private.admit_member(tenant_id text, email text, roles text[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  account auth.users;
  claims jsonb;
  tenants jsonb;
begin
  if not exists (select from public.tenants t where t.id = $1) then
    perform private.refuse('not_found', format('There is no tenant %s.', $1));
  end if;
  select * into account from auth.users u where lower(u.email) = lower($2) and u.deleted_at is null for no key update;
  if not found then
    perform private.refuse('not_found', format('Supabase Auth has no account with the address %s. Create it there first.', $2));
  end if;
  claims := coalesce(account.raw_app_meta_data, '{}');
  if jsonb_typeof(claims -> 'tenants') = 'array' then
    claims := claims - 'roles' || jsonb_build_object('tenants', coalesce((
      select jsonb_object_agg(t, coalesce(claims -> 'roles', '[]')) from jsonb_array_elements_text(claims -> 'tenants') t
    ), '{}'));
  end if;
  tenants := case jsonb_typeof(claims -> 'tenants') when 'object' then claims -> 'tenants' else '{}' end;
  update auth.users u set raw_app_meta_data = claims || jsonb_build_object('tenants', tenants || jsonb_build_object($1, to_jsonb($3)))
  where u.id = account.id;
  perform private.append_security_event(jsonb_build_object(
    'tenant_id', $1, 'type', 'member.admitted', 'actor', 'operator', 'credential', 'system', 'target', 'user:' || split_part(account.email, '@', 1),
    'details', jsonb_build_object('roles', jsonb_build_object('from', coalesce(tenants -> $1, '[]'), 'to', to_jsonb($3)))
  ));
end $$;

-- What Supabase Auth knows of a signed-in user now: a session's roles are those of the moment, not those of its sign-in.
-- Null for a user who is deleted or banned, or never was.
create function private.find_session_user(user_id uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select jsonb_build_object('app_metadata', coalesce(u.raw_app_meta_data, '{}'))
    from auth.users u
    where u.id = user_id and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
  );
end $$;
create function public.find_session_user(user_id uuid) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return private.find_session_user(user_id);
end $$;
grant execute on function private.find_session_user(uuid), public.find_session_user(uuid) to service_role;

-- First steps: how far a tenant has come from nothing to a received event, and which admin no longer wants to see it.

create table public.first_steps_dismissals (
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  principal_id text not null default auth.jwt() ->> 'principal_id',
  dismissed_at timestamptz(3) not null default now(),
  primary key (tenant_id, principal_id)
);

alter table public.first_steps_dismissals enable row level security;
grant select, insert (tenant_id, principal_id), delete on public.first_steps_dismissals to authenticated;
create policy first_steps_dismissals_read on public.first_steps_dismissals for select to authenticated
  using (tenant_id = (select private.tenant_id()) and principal_id = (select auth.jwt()) ->> 'principal_id'
    and (select private.may('read:first-steps')));
create policy first_steps_dismissals_insert on public.first_steps_dismissals for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and principal_id = (select auth.jwt()) ->> 'principal_id'
    and (select private.may('write:first-steps')));
create policy first_steps_dismissals_delete on public.first_steps_dismissals for delete to authenticated
  using (tenant_id = (select private.tenant_id()) and principal_id = (select auth.jwt()) ->> 'principal_id'
    and (select private.may('write:first-steps')));

-- What was done stays done: revoked keys and deleted webhooks count.
create function private.first_steps_json() returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
begin
  return jsonb_build_object(
    'steps', jsonb_build_array(
      jsonb_build_object('step', 'create_key', 'done', exists (select from public.api_keys k where k.tenant_id = tenant)),
      jsonb_build_object('step', 'call_api', 'done', exists (select from public.api_key_totals u where u.tenant_id = tenant)),
      jsonb_build_object('step', 'register_webhook', 'done', exists (select from public.webhooks w where w.tenant_id = tenant)),
      jsonb_build_object('step', 'receive_event', 'done', exists (
        select from public.webhooks w where w.tenant_id = tenant and w.last_success_at is not null))
    ),
    'key_id', (select max(k.id) from public.api_keys k where k.tenant_id = tenant and k.revoked_at is null),
    'webhook_id', (select max(w.id) from public.webhooks w where w.tenant_id = tenant and w.deleted_at is null),
    'dismissed', exists (
      select from public.first_steps_dismissals d where d.tenant_id = tenant and d.principal_id = auth.jwt() ->> 'principal_id')
  );
end $$;

-- What one sets of the first steps is whether to see them.
create function private.first_steps_version() returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return (
    select 1 + count(*) from public.first_steps_dismissals d
    where d.tenant_id = private.tenant_id() and d.principal_id = auth.jwt() ->> 'principal_id'
  );
end $$;

-- input: {}.
create function public.get_first_steps(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, 'get_first_steps');
  return private.first_steps_json() || jsonb_build_object('version', private.first_steps_version());
end $$;

-- input: { dismissed }. For oneself alone. Refuses: precondition_failed.
create function public.put_first_steps(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, 'put_first_steps');
  perform private.require_version(private.first_steps_version(), request -> 'versions');
  if (input ->> 'dismissed')::boolean then
    insert into public.first_steps_dismissals (tenant_id) values (private.tenant_id()) on conflict do nothing;
  else
    delete from public.first_steps_dismissals d
    where d.tenant_id = private.tenant_id() and d.principal_id = auth.jwt() ->> 'principal_id';
  end if;
  return private.first_steps_json() || jsonb_build_object('version', private.first_steps_version());
end $$;

grant execute on function private.first_steps_json(), private.first_steps_version() to authenticated;

-- Health: which workers are alive, whether the service is ready, and how far behind the background work is.

-- A pool that is silent for 30 seconds has died, and its jobs are freed.
create table private.worker_heartbeats (
  pool text primary key,
  beat_at timestamptz(3) not null default now()
);
alter table private.worker_heartbeats enable row level security;
grant select on private.worker_heartbeats to service_role;

create function private.beat(pool text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into private.worker_heartbeats (pool) values ($1)
  on conflict on constraint worker_heartbeats_pkey do update set beat_at = now();
end $$;

-- Removes the pools that fell silent and names them, so that the caller can free their jobs.
create function private.bury_silent_pools() returns setof text
language plpgsql volatile security definer set search_path = '' as $$
begin
  return query delete from private.worker_heartbeats h where h.beat_at < now() - interval '30 seconds' returning h.pool;
end $$;

-- GET /readyz: { read_only, worker_silence_seconds }, the latter null where no worker ever ran. A database that takes no writes is not
-- ready, and a worker that fell silent isn't either.
create function public.readiness() returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  return jsonb_build_object(
    'read_only', pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on',
    'worker_silence_seconds', (select extract(epoch from now() - max(h.beat_at)) from private.worker_heartbeats h)
  );
end $$;

-- GET /metrics: over all tenants.
create function private.service_metrics() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return jsonb_build_object(
    'worker_silence_seconds', (select extract(epoch from now() - max(beat_at)) from private.worker_heartbeats),
    'sla_clock_lag_seconds', (
      select greatest(0, coalesce(extract(epoch from now() - min(next_at)), 0)) from private.exception_clocks where next_at is not null
    ),
    'webhooks', (
      select jsonb_build_object('active', count(*) filter (where status = 'active'), 'disabled', count(*) filter (where status = 'disabled'))
      from public.webhooks where deleted_at is null
    ),
    'deliveries', (
      select jsonb_build_object(
        'pending', count(*),
        'due', count(*) filter (where next_attempt_at <= now()),
        'lag_seconds', greatest(0, coalesce(extract(epoch from now() - min(next_attempt_at)), 0))
      )
      from public.webhook_deliveries where status = 'pending'
    ),
    'jobs', (
      select jsonb_build_object(
        'ready', count(*) filter (where attempts < max_attempts and run_at <= now()),
        'failed', count(*) filter (where attempts >= max_attempts)
      )
      from graphile_worker.jobs
    )
  );
end $$;
create function public.service_metrics() returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return private.service_metrics();
end $$;

grant execute on function
  private.beat(text), private.bury_silent_pools(), public.readiness(), private.service_metrics(), public.service_metrics()
to service_role;

-- Written by `npm run generate` from lib/wire/access.ts and the contracts: who may do what, which function serves which operation of /v1,
-- and who may call it at the Data API at all.

create function private.roles() returns text[]
language sql immutable set search_path = ''
return '{tenant_admin,tenant_analyst,tenant_lead}'::text[];

insert into private.permissions (permission, principals, roles, scope) values
  ('read:api-keys', '{user}', '{tenant_admin}', null),
  ('read:exceptions', '{user,api_key,service_role}', '{tenant_admin,tenant_analyst,tenant_lead}', 'read:exceptions'),
  ('read:first-steps', '{user}', '{tenant_admin}', null),
  ('read:integrations', '{user,api_key,service_role}', '{tenant_admin,tenant_analyst,tenant_lead}', 'read:integrations'),
  ('read:me', '{user,api_key,service_role,publishable_key}', null, null),
  ('read:members', '{user,service_role}', '{tenant_admin,tenant_analyst,tenant_lead}', null),
  ('read:reconciliations', '{user,api_key,service_role}', '{tenant_admin,tenant_analyst,tenant_lead}', 'read:reconciliations'),
  ('read:release-notes', '{user,api_key,service_role,publishable_key}', '{tenant_admin,tenant_analyst,tenant_lead}', 'read:release-notes'),
  ('read:security-events', '{user,service_role}', '{tenant_admin}', null),
  ('read:sla', '{user,service_role}', '{tenant_admin,tenant_analyst,tenant_lead}', null),
  ('read:sla-policy', '{user,service_role}', '{tenant_admin,tenant_analyst,tenant_lead}', null),
  ('read:troubleshooting', '{user,api_key,service_role,publishable_key}', '{tenant_admin,tenant_analyst,tenant_lead}', 'read:troubleshooting'),
  ('read:webhooks', '{user,api_key,service_role}', '{tenant_admin}', 'read:webhooks'),
  ('restore:integrations', '{user,service_role}', '{tenant_admin}', null),
  ('restore:release-notes', '{user,service_role}', '{tenant_admin}', null),
  ('restore:troubleshooting', '{user,service_role}', '{tenant_admin}', null),
  ('write:api-keys', '{user}', '{tenant_admin}', null),
  ('write:exceptions', '{user,api_key,service_role}', '{tenant_admin,tenant_analyst,tenant_lead}', 'write:exceptions'),
  ('write:first-steps', '{user}', '{tenant_admin}', null),
  ('write:integrations', '{user,api_key,service_role}', '{tenant_admin,tenant_lead}', 'write:integrations'),
  ('write:reconciliations', '{user,api_key,service_role}', '{tenant_admin,tenant_lead}', 'write:reconciliations'),
  ('write:release-notes', '{user,api_key,service_role}', '{tenant_admin,tenant_lead}', 'write:release-notes'),
  ('write:sla-policy', '{user,service_role}', '{tenant_admin,tenant_lead}', null),
  ('write:troubleshooting', '{user,api_key,service_role}', '{tenant_admin,tenant_lead}', 'write:troubleshooting'),
  ('write:webhooks', '{user,api_key,service_role}', '{tenant_admin}', 'write:webhooks');

insert into private.operations (verb, operation, permission) values
  ('get_me', 'getMe', 'read:me'),
  ('get_first_steps', 'getFirstSteps', 'read:first-steps'),
  ('put_first_steps', 'putFirstSteps', 'write:first-steps'),
  ('list_members', 'listMembers', 'read:members'),
  ('list_api_keys', 'listApiKeys', 'read:api-keys'),
  ('create_api_key', 'createApiKey', 'write:api-keys'),
  ('get_api_key', 'getApiKey', 'read:api-keys'),
  ('update_api_key', 'updateApiKey', 'write:api-keys'),
  ('revoke_api_key', 'revokeApiKey', 'write:api-keys'),
  ('rotate_api_key', 'rotateApiKey', 'write:api-keys'),
  ('get_api_key_usage', 'getApiKeyUsage', 'read:api-keys'),
  ('estimate_api_key_impact', 'estimateApiKeyImpact', 'read:api-keys'),
  ('list_sla_exceptions', 'listSlaExceptions', 'read:sla'),
  ('list_sla_exceptions', 'exportSlaExceptions', 'read:sla'),
  ('list_exceptions', 'listExceptions', 'read:exceptions'),
  ('create_exception', 'createException', 'write:exceptions'),
  ('get_exception', 'getException', 'read:exceptions'),
  ('update_exception', 'updateException', 'write:exceptions'),
  ('update_exceptions', 'updateExceptions', 'write:exceptions'),
  ('import_exceptions', 'importExceptions', 'write:exceptions'),
  ('list_exception_history', 'listExceptionHistory', 'read:exceptions'),
  ('get_time_to_breach', 'getTimeToBreach', 'read:sla'),
  ('get_exception_ledger', 'getExceptionLedger', 'read:exceptions'),
  ('get_sla_report', 'getSlaReport', 'read:sla'),
  ('get_sla_report', 'exportSlaReport', 'read:sla'),
  ('get_sla_policy', 'getSlaPolicy', 'read:sla-policy'),
  ('put_sla_policy', 'putSlaPolicy', 'write:sla-policy'),
  ('list_reconciliations', 'listReconciliations', 'read:reconciliations'),
  ('create_reconciliation', 'createReconciliation', 'write:reconciliations'),
  ('get_reconciliation', 'getReconciliation', 'read:reconciliations'),
  ('update_reconciliation', 'updateReconciliation', 'write:reconciliations'),
  ('list_records', 'listIntegrations', 'read:integrations'),
  ('create_record', 'createIntegration', 'write:integrations'),
  ('get_record', 'getIntegration', 'read:integrations'),
  ('update_record', 'updateIntegration', 'write:integrations'),
  ('delete_record', 'deleteIntegration', 'write:integrations'),
  ('restore_record', 'restoreIntegration', 'restore:integrations'),
  ('list_records', 'listTroubleshooting', 'read:troubleshooting'),
  ('create_record', 'createTroubleshootingGuide', 'write:troubleshooting'),
  ('get_record', 'getTroubleshootingGuide', 'read:troubleshooting'),
  ('update_record', 'updateTroubleshootingGuide', 'write:troubleshooting'),
  ('delete_record', 'deleteTroubleshootingGuide', 'write:troubleshooting'),
  ('restore_record', 'restoreTroubleshootingGuide', 'restore:troubleshooting'),
  ('list_records', 'listReleaseNotes', 'read:release-notes'),
  ('create_record', 'createReleaseNote', 'write:release-notes'),
  ('get_record', 'getReleaseNote', 'read:release-notes'),
  ('update_record', 'updateReleaseNote', 'write:release-notes'),
  ('delete_record', 'deleteReleaseNote', 'write:release-notes'),
  ('restore_record', 'restoreReleaseNote', 'restore:release-notes'),
  ('list_webhooks', 'listWebhooks', 'read:webhooks'),
  ('create_webhook', 'createWebhook', 'write:webhooks'),
  ('get_webhook', 'getWebhook', 'read:webhooks'),
  ('update_webhook', 'updateWebhook', 'write:webhooks'),
  ('delete_webhook', 'deleteWebhook', 'write:webhooks'),
  ('rotate_webhook_secret', 'rotateWebhookSecret', 'write:webhooks'),
  ('test_webhook', 'testWebhook', 'write:webhooks'),
  ('enable_webhook', 'enableWebhook', 'write:webhooks'),
  ('recover_webhook', 'recoverWebhook', 'write:webhooks'),
  ('list_webhook_deliveries', 'listWebhookDeliveries', 'read:webhooks'),
  ('get_webhook_delivery', 'getWebhookDelivery', 'read:webhooks'),
  ('resend_webhook_delivery', 'resendWebhookDelivery', 'write:webhooks'),
  ('list_security_events', 'listSecurityEvents', 'read:security-events'),
  ('open_security_event_export', 'exportSecurityEvents', 'read:security-events'),
  ('continue_security_event_export', 'exportSecurityEvents', 'read:security-events'),
  ('get_security_event', 'getSecurityEvent', 'read:security-events'),
  ('open_security_event_chain', 'verifySecurityEvents', 'read:security-events'),
  ('walk_security_event_chain', 'verifySecurityEvents', 'read:security-events');

grant execute on function
  public.continue_security_event_export(jsonb, jsonb),
  public.create_api_key(jsonb, jsonb),
  public.create_exception(jsonb, jsonb),
  public.create_reconciliation(jsonb, jsonb),
  public.create_record(jsonb, jsonb),
  public.create_webhook(jsonb, jsonb),
  public.delete_record(jsonb, jsonb),
  public.delete_webhook(jsonb, jsonb),
  public.enable_webhook(jsonb, jsonb),
  public.estimate_api_key_impact(jsonb, jsonb),
  public.get_api_key(jsonb, jsonb),
  public.get_api_key_usage(jsonb, jsonb),
  public.get_exception(jsonb, jsonb),
  public.get_exception_ledger(jsonb, jsonb),
  public.get_first_steps(jsonb, jsonb),
  public.get_me(jsonb, jsonb),
  public.get_reconciliation(jsonb, jsonb),
  public.get_record(jsonb, jsonb),
  public.get_security_event(jsonb, jsonb),
  public.get_sla_policy(jsonb, jsonb),
  public.get_sla_report(jsonb, jsonb),
  public.get_time_to_breach(jsonb, jsonb),
  public.get_webhook(jsonb, jsonb),
  public.get_webhook_delivery(jsonb, jsonb),
  public.import_exceptions(jsonb, jsonb),
  public.list_api_keys(jsonb, jsonb),
  public.list_exception_history(jsonb, jsonb),
  public.list_exceptions(jsonb, jsonb),
  public.list_members(jsonb, jsonb),
  public.list_reconciliations(jsonb, jsonb),
  public.list_records(jsonb, jsonb),
  public.list_security_events(jsonb, jsonb),
  public.list_sla_exceptions(jsonb, jsonb),
  public.list_webhook_deliveries(jsonb, jsonb),
  public.list_webhooks(jsonb, jsonb),
  public.open_security_event_chain(jsonb, jsonb),
  public.open_security_event_export(jsonb, jsonb),
  public.put_first_steps(jsonb, jsonb),
  public.put_sla_policy(jsonb, jsonb),
  public.recover_webhook(jsonb, jsonb),
  public.resend_webhook_delivery(jsonb, jsonb),
  public.restore_record(jsonb, jsonb),
  public.revoke_api_key(jsonb, jsonb),
  public.rotate_api_key(jsonb, jsonb),
  public.rotate_webhook_secret(jsonb, jsonb),
  public.test_webhook(jsonb, jsonb),
  public.update_api_key(jsonb, jsonb),
  public.update_exception(jsonb, jsonb),
  public.update_exceptions(jsonb, jsonb),
  public.update_reconciliation(jsonb, jsonb),
  public.update_record(jsonb, jsonb),
  public.update_webhook(jsonb, jsonb),
  public.walk_security_event_chain(jsonb, jsonb)
to authenticated;

grant execute on function
  public.get_me(jsonb, jsonb),
  public.get_record(jsonb, jsonb),
  public.list_records(jsonb, jsonb)
to anon;
