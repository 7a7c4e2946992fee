-- The schema as it was on 26 November 2026, when the migrations began anew: nothing had been released.
-- Read supabase/schemas instead. From here on, migrations are never changed.

-- Schemas: the Data API exposes `public`; `private` holds what only our own functions and the server reach.

create extension if not exists pg_trgm with schema extensions;
create schema private;
grant usage on schema private to anon, authenticated, service_role;
-- Parts of tables, by time. Nobody reaches them but by the table.
create schema partitions;

-- The platform grants everything in public to the API roles by default, TRUNCATE included, which row-level
-- security does not stop. Here a table or function is out of reach until it is granted by name.
alter default privileges revoke execute on functions from public;
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges in schema public revoke all on functions from anon, authenticated, service_role;

-- Claims: who is asking, for which tenant.
--
-- Every request's token is signed by the server for exactly one tenant (lib/auth/internal-token.ts). Its claims:
--   tenant_id, principal_type (user | api_key | publishable_key | service_role), principal_id, actor, roles[], scopes[]; of a user issuer
--   and sub; of our own pages session_id.
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

-- Who a person is: the issuer and the subject of their token. The name in `actor` is for display, and may be another's too. Null for what
-- is no person.
create function private.actor_issuer() returns text
language plpgsql stable set search_path = '' as $$
declare
  claims constant jsonb := auth.jwt();
begin
  return case when claims ->> 'principal_type' = 'user' then coalesce(claims ->> 'issuer', '') end;
end $$;

create function private.actor_subject() returns text
language plpgsql stable set search_path = '' as $$
declare
  claims constant jsonb := auth.jwt();
begin
  return case when claims ->> 'principal_type' = 'user' then claims ->> 'sub' end;
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

grant execute on function private.iso(timestamptz) to anon, authenticated, service_role;
grant execute on function
  private.text_array(jsonb), private.changes(jsonb, jsonb), private.version_of(jsonb), private.word_patterns(text)
to authenticated;
grant execute on function private.page(jsonb, integer, text[]) to anon, authenticated;

-- Tables in partitions by time, which are dropped whole, in a schema of their own that nobody reaches. The first has no beginning, and
-- the last no end until the next is made: a row is never without a place.

-- By what each is divided: by time, or by IDs of a prefix, which begin with their millisecond. A partition is dropped `kept` after its end,
-- while no row of it is as `unless` says, and `goes_after` has none that is as old.
create function private.partitioned()
returns table (parent text, prefix text, span interval, kept interval, unless text, goes_after text)
language plpgsql immutable set search_path = '' as $$
begin
  return query values
    ('request_log', null, interval '1 day', interval '14 days', 'false', null),
    ('webhook_deliveries', 'dlv', interval '10 days', interval '30 days', 'status = ''pending''', null),
    ('webhook_attempts', 'dlv', interval '10 days', interval '30 days', 'false', 'webhook_deliveries'),
    ('events', 'evt', interval '10 days', interval '30 days', 'false', 'webhook_deliveries');
end $$;

-- A moment as the bound of a partition, and back.
create function private.partition_bound(prefix text, at timestamptz) returns text
language plpgsql stable set search_path = '' as $$
begin
  return case
    when at = '-infinity' then 'minvalue'
    when at = 'infinity' then 'maxvalue'
    when prefix is null then quote_literal(at)
    else quote_literal(prefix || '_' || lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'))
  end;
end $$;
create function private.partition_moment(bound text) returns timestamptz
language plpgsql stable set search_path = '' as $$
begin
  return case
    when bound = 'MINVALUE' then '-infinity'
    when bound = 'MAXVALUE' then 'infinity'
    when bound ~ '^''[a-z]+_' then to_timestamp(('x' || substr(bound, strpos(bound, '_') + 1, 12))::bit(48)::bigint / 1000.0)
    else trim(bound, '''')::timestamptz
  end;
end $$;

create function private.partitions_of(parent text) returns table (name text, begins timestamptz, ends timestamptz)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select c.relname::text, private.partition_moment(b.bounds[1]), private.partition_moment(b.bounds[2])
  from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
  cross join lateral regexp_match(pg_catalog.pg_get_expr(c.relpartbound, c.oid), '^FOR VALUES FROM \((.*)\) TO \((.*)\)$') b (bounds)
  where i.inhparent = to_regclass('public.' || quote_ident($1));
end $$;

-- Gives the last partition an end, and makes the next one after it: a day before that is needed, while the last is empty, which makes
-- both quick. What it has from beyond that end, of a clock that was ahead, moves on. Answers whether it did.
create function private.extend_partitions(parent text, prefix text, span interval, at timestamptz) returns boolean
language plpgsql volatile set search_path = '' as $$
declare
  ending record;
  next_begins timestamptz;
  next_name text;
  bound text;
  columns text;
begin
  select * into ending from private.partitions_of(parent) p where p.ends = 'infinity';
  if ending.begins > at + interval '1 day' then
    return false;
  end if;
  next_begins := date_bin(span, greatest(at + interval '1 day', ending.begins), '2024-01-01 00:00:00+00') + span;
  bound := private.partition_bound(prefix, next_begins);
  next_name := parent || '_' || to_char(next_begins at time zone 'UTC', 'YYYYMMDD');
  execute format('create table partitions.%I (like public.%I including all excluding identity)', next_name, parent);
  execute format('alter table partitions.%I enable row level security', next_name);
  execute format('alter table public.%I detach partition partitions.%I', parent, ending.name);
  select string_agg(quote_ident(a.attname), ', ') into columns
  from pg_catalog.pg_attribute a where a.attrelid = to_regclass('public.' || quote_ident(parent)) and a.attnum > 0 and not a.attisdropped;
  execute format('with ahead as (delete from partitions.%I where %s >= %s returning %s) insert into partitions.%I (%4$s) select %4$s from ahead',
    ending.name, substring(pg_catalog.pg_get_partkeydef(to_regclass('public.' || quote_ident(parent))) from '\((.*)\)'), bound, columns, next_name);
  execute format('alter table public.%I attach partition partitions.%I for values from (%s) to (%s)',
    parent, ending.name, private.partition_bound(prefix, ending.begins), bound);
  execute format('alter table public.%I attach partition partitions.%I for values from (%s) to (maxvalue)', parent, next_name, bound);
  return true;
end $$;

-- Does one thing that is due: makes a table's next partition, or drops the oldest that is past. Answers how many it made or dropped. A
-- reader holds it up for no longer than lock_timeout, and nobody waits behind it for longer; it is tried again then.
create function private.roll_partitions(at timestamptz default now()) returns integer
language plpgsql volatile security definer set search_path = '' set lock_timeout = '500ms' as $$
declare
  divided record;
  past record;
  is_needed boolean;
begin
  perform pg_advisory_xact_lock(hashtextextended('roll_partitions', 0));
  for divided in select * from private.partitioned() loop
    if private.extend_partitions(divided.parent, divided.prefix, divided.span, at) then
      return 1;
    end if;
  end loop;
  for past in
    select t.parent, t.unless, p.name from private.partitioned() t cross join lateral private.partitions_of(t.parent) p
    where p.ends <= at - t.kept and not exists (select from private.partitions_of(t.goes_after) g where g.begins < p.ends)
    order by p.ends, t.parent
  loop
    execute format('lock table only public.%I in access exclusive mode', past.parent);
    execute format('select exists (select from partitions.%I where %s)', past.name, past.unless) into is_needed;
    if not is_needed then
      execute format('drop table partitions.%I', past.name);
      return 1;
    end if;
  end loop;
  return 0;
end $$;
grant execute on function private.roll_partitions(timestamptz) to service_role;

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

-- What one needs to read what an event of this kind carries.
create table private.event_kinds (
  kind text primary key,
  permission text not null references private.permissions (permission)
);
create index event_kinds_by_permission on private.event_kinds (permission);

alter table private.permissions enable row level security;
alter table private.operations enable row level security;
alter table private.event_kinds enable row level security;

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

-- The kinds of events that the caller may read.
create function private.readable_events() returns text[]
language plpgsql stable security definer set search_path = '' as $$
begin
  return array(select k.kind from private.event_kinds k where private.may(k.permission));
end $$;

-- Refuses: scope_required, role_required where the caller may not read what events of these kinds carry.
create function private.require_readable_events(kinds text[]) returns void
language plpgsql stable set search_path = '' as $$
declare
  unreadable constant text := (select min(k) from unnest(kinds) k where k <> all (private.readable_events()));
  scope constant text := (
    select p.scope from private.event_kinds k join private.permissions p on p.permission = k.permission where k.kind = unreadable
  );
begin
  if unreadable is null then
    return;
  elsif private.principal_type() = 'api_key' and scope is not null then
    perform private.refuse('scope_required', format('To be sent %s, an API key needs the scope %s.', unreadable, scope));
  end if;
  perform private.refuse('role_required',
    format('This credential may not read what %s carries. Leave it out, or ask a tenant admin to register for it.', unreadable));
end $$;

grant execute on function private.may(text[]), private.permitted(text[]) to anon, authenticated;
grant execute on function private.readable_events() to authenticated;

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
  claims constant jsonb := auth.jwt();
  needed private.permissions;
begin
  perform set_config('tieout.operation', coalesce(request ->> 'operation', ''), true),
    set_config('tieout.request_id', coalesce(request ->> 'request_id', ''), true),
    set_config('tieout.address', coalesce(request ->> 'address', ''), true);
  if claims ->> 'tenant_id' is null or claims ->> 'principal_type' is distinct from 'publishable_key'
    and not exists (select from public.tenants t where t.id = private.tenant_id()) then
    perform private.refuse('tenant_forbidden', 'This credential does not belong to the tenant named by X-Tenant-Id.');
  end if;
  select p.* into needed
  from private.operations o join private.permissions p on p.permission = o.permission
  where o.verb = enter.verb and o.operation = request ->> 'operation'
    and (enter.resource is null or split_part(o.permission, ':', 2) = enter.resource);
  if not found or not private.holds(needed, claims) then
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

-- A job's payload with the ID of the request that asks for it, so that what the job writes and its trace are that request's; null where none does.
create function private.of_request(payload jsonb) returns json
language plpgsql stable set search_path = '' as $$
begin
  return payload || jsonb_build_object('request_id', nullif(current_setting('tieout.request_id', true), ''));
end $$;

-- The flags of a job: its kind, and its kind and tenant, of which a process does so many at a time (matcher/main.ts).
create function private.places_of(tenant text, kind text) returns text[]
language sql immutable set search_path = ''
return array[kind, kind || ':' || tenant];

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
grant execute on function private.enter_write(jsonb, text, text), private.answer(jsonb, jsonb) to authenticated;
grant execute on function private.purge_idempotency_keys(integer) to service_role;

-- Where the accounts of Supabase Auth are found by tenant and by address: its own table, which is not ours to index, has neither index.

create table private.account_index (
  user_id uuid primary key references auth.users (id) on delete cascade,
  address text,
  tenants text[] not null
);
create index account_index_by_address on private.account_index (address);
create index account_index_by_tenant on private.account_index using gin (tenants);
alter table private.account_index enable row level security;

-- As an index can hold it.
create function private.address_key(email text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return left(lower(email), 320);
end $$;

-- A claim names whatever it likes; a longer name is no tenant's.
create function private.index_account() returns trigger
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into private.account_index as i (user_id, address, tenants)
  values (new.id, private.address_key(new.email),
    array(select t from unnest(private.tenants_of_claims(new.raw_app_meta_data)) t where length(t) <= 100))
  on conflict (user_id) do update set address = excluded.address, tenants = excluded.tenants;
  return null;
end $$;
create trigger tieout_index_account after insert or update of email, raw_app_meta_data on auth.users
  for each row execute function private.index_account();

-- The accounts that have a tenant in their claims, those that cannot sign in included.
create function private.accounts_of(tenant text) returns setof auth.users
language plpgsql stable set search_path = '' as $$
begin
  return query
  select u.* from private.account_index i join auth.users u on u.id = i.user_id
  where i.tenants @> array[tenant] and u.deleted_at is null and private.roles_of_account(u.raw_app_meta_data, tenant) is not null;
end $$;

-- Quotas: how many of a kind a tenant can have. The operator sets them by the QUOTA_ variables, which each start writes here.

create table private.quotas (
  kind text primary key check (kind in ('api_keys', 'webhooks', 'reconciliations', 'sources', 'records', 'exceptions', 'lines', 'members')),
  most bigint not null check (most > 0)
);
alter table private.quotas enable row level security;

-- Rows of kinds too many to be counted again and again, in shards: writers of one tenant do not queue for one row.
create table private.row_counts (
  tenant_id text not null references public.tenants (id),
  kind text not null,
  shard integer not null,
  rows bigint not null,
  primary key (tenant_id, kind, shard)
) with (fillfactor = 50);
alter table private.row_counts enable row level security;

-- Counts what a statement added (tg_argv: its kind, 1) or removed (-1).
create function private.count_rows() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into private.row_counts as c (tenant_id, kind, shard, rows)
  select r.tenant_id, tg_argv[0], private.own_shard(), count(*) * tg_argv[1]::bigint from changed r group by 1 order by 1
  on conflict on constraint row_counts_pkey do update set rows = c.rows + excluded.rows;
  return null;
end $$;

-- How many of a kind count against the tenant's quota.
create function private.used_of_quota(tenant_id text, kind text) returns bigint
language plpgsql stable security definer set search_path = '' as $$
begin
  return case kind
    when 'api_keys' then (
      select count(*) from public.api_keys k where k.tenant_id = $1 and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > now()) and (k.grace_expires_at is null or k.grace_expires_at > now()))
    when 'webhooks' then (select count(*) from public.webhooks w where w.tenant_id = $1 and w.deleted_at is null)
    when 'reconciliations' then (select count(*) from public.reconciliations r where r.tenant_id = $1)
    when 'sources' then (select count(*) from public.sources s where s.tenant_id = $1)
    when 'exceptions' then (select sum(c.breached + c.at_risk + c.on_track) from private.sla_counts c where c.tenant_id = $1)
    when 'members' then (
      select count(*) from private.accounts_of($1)
    ) + (
      select count(*) from public.invitations i where i.tenant_id = $1 and private.invitation_status(i) = 'pending')
    when 'lines' then (select sum(s.line_count) from public.sources s where s.tenant_id = $1)
    else (select sum(c.rows) from private.row_counts c where c.tenant_id = $1 and c.kind = $2)
  end;
end $$;

-- Refuses: conflict where the tenant would have more of a kind than its quota. Of kinds that are few it is exact; of records, exceptions
-- and lines those under way at the same time are not seen, so that nobody queues.
create function private.hold_to_quota(tenant_id text, kind text, added bigint) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  quota constant bigint := (select q.most from private.quotas q where q.kind = $2);
begin
  if quota is null then
    return;
  end if;
  if kind in ('api_keys', 'webhooks', 'reconciliations', 'sources', 'members') then
    perform pg_advisory_xact_lock(hashtextextended('quota ' || $1 || ' ' || kind, 0));
  end if;
  if coalesce(private.used_of_quota($1, kind), 0) + added > quota then
    perform private.refuse('conflict', format('A tenant can have at most %s %s (QUOTA_%s). %s, or ask your operator for a larger quota.',
      quota,
      case kind when 'api_keys' then 'active API keys' when 'exceptions' then 'open exceptions'
        when 'members' then 'members and open invitations' else kind end,
      upper(kind),
      case kind when 'api_keys' then 'Revoke one' when 'exceptions' then 'Resolve or dismiss some' when 'webhooks' then 'Delete one'
        when 'members' then 'Remove a member, or revoke an invitation'
        when 'records' then 'Delete some: they count until they are purged' when 'lines' then 'Undo an import' else 'Use those you have' end));
  end if;
end $$;

-- The same of the caller's tenant.
create function private.require_quota(kind text, added bigint default 1) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.hold_to_quota(private.tenant_id(), kind, added);
end $$;

-- Notifications: one channel says what to look for. What is due is in tables, and is found there should a notification be missed.

-- Notifies when this transaction commits, once however often it is called. `what` has no spaces.
create function private.notify(topic text, what text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform pg_notify('tieout', topic || ' ' || what);
end $$;

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
  -- Who that is, where a person: names are not one person's alone.
  actor_issuer text,
  actor_subject text,
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

-- The SHA-256 of a JSON array of texts. A person's event has the second form, which names them; any other, and every event from before
-- there were two, has the first: so neither can a person be taken from an event nor be given to one. lib/security-events/chain.ts says the same in TypeScript: a verifier outside of
-- the database need not believe this function.
create function private.security_event_hash(e public.security_events) returns text
language plpgsql stable set search_path = '' as $$
begin
  return encode(sha256(convert_to(case when e.actor_issuer is null and e.actor_subject is null then json_build_array(
    'tieout.security_event.v1', e.tenant_id, e.seq::text, e.prev_hash, e.id, private.iso(e.at), e.type, e.actor, e.credential,
    e.home_tenant_id, e.cross_tenant::text, e.operation, e.target, host(e.address), e.request_id, e.reason, e.details::text
  ) else json_build_array(
    'tieout.security_event.v2', e.tenant_id, e.seq::text, e.prev_hash, e.id, private.iso(e.at), e.type, e.actor, e.credential,
    e.home_tenant_id, e.cross_tenant::text, e.operation, e.target, host(e.address), e.request_id, e.reason, e.details::text,
    e.actor_issuer, e.actor_subject
  ) end::text, 'UTF8')), 'hex');
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
  insert into public.security_events
    (id, tenant_id, type, actor, actor_issuer, actor_subject, operation, target, address, request_id, reason, details)
  values (
    $1, $2, $3, private.actor(), private.actor_issuer(), private.actor_subject(), nullif(current_setting('tieout.operation', true), ''), $4,
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
    (tenant_id, type, actor, actor_issuer, actor_subject, credential, home_tenant_id, cross_tenant, operation, target, address, request_id,
      reason, details)
  values (
    event ->> 'tenant_id', event ->> 'type', event ->> 'actor', event ->> 'actor_issuer', event ->> 'actor_subject',
    event ->> 'credential', event ->> 'home_tenant_id',
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
begin
  return private.tenants_of_claims((private.find_account($1)).raw_app_meta_data);
end $$;

-- What the server saw before, after or without a function of the database: refusals, sign-ins, calls that failed.
-- events: [{ tenant_id, email, type, actor, actor_issuer, actor_subject, credential, home_tenant_id, cross_tenant, operation, target, address, request_id,
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
create function private.report_security_event_counts() returns integer
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
    'id', e.id, 'seq', e.seq, 'at', private.iso(e.at), 'type', e.type, 'actor', e.actor, 'actor_issuer', e.actor_issuer,
    'actor_subject', e.actor_subject, 'credential', e.credential,
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
      select x.seq::text, x.prev_hash, x.hash, x.id, private.iso(x.at) as at, x.type, x.actor, x.actor_issuer, x.actor_subject, x.credential,
        x.home_tenant_id, x.cross_tenant::text, x.operation, x.target, host(x.address) as address, x.request_id, x.reason, x.details::text
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
  -- What JSON's numbers hold, and days of four-digit years.
  matched_count bigint not null default 0 check (matched_count between 0 and 9007199254740991),
  unmatched_count bigint not null default 0 check (unmatched_count between 0 and 9007199254740991),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default now(),
  -- The pair whose lines the period compares; null where its counts are told.
  pair_no integer,
  left_source_id text,
  right_source_id text,
  -- Whether new lines start a run.
  auto_run boolean not null default true,
  closed_at timestamptz(3),
  closed_by text,
  primary key (tenant_id, id),
  check (period_end >= period_start),
  constraint reconciliations_days_check check (period_start >= '0001-01-01' and period_end <= '9999-12-31')
);

alter table public.reconciliations enable row level security;
grant select on public.reconciliations to authenticated, service_role;
-- Exceptions and reconciliations reference each other: access to one of them includes the rows of both.
create policy reconciliations_read on public.reconciliations for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may(
    'read:reconciliations', 'write:reconciliations', 'read:exceptions', 'write:exceptions')));

-- open and in_progress lead to each other; in_progress to completed; completed back to in_progress; archived is the end.
create function private.reconciliation_may_move(before text, after text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return before = after or (before, after) in (
    ('open', 'in_progress'), ('in_progress', 'open'), ('in_progress', 'completed'), ('completed', 'in_progress'),
    ('open', 'archived'), ('in_progress', 'archived'), ('completed', 'archived')
  );
end $$;

-- Refuses: invalid_transition; invalid_request for a period that ends before it starts, or of another pair than its sources'; conflict for what
-- matching computes or has frozen, and beyond the quota.
create function private.guard_reconciliation() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' and private.tenant_id() is not null then
    perform private.require_quota('reconciliations');
  end if;
  if new.period_end < new.period_start then
    perform private.refuse_field('period_end', 'The period cannot end before it starts.');
  end if;
  if tg_op = 'UPDATE' then
    if not private.reconciliation_may_move(old.status, new.status) then
      perform private.refuse('invalid_transition', format('A reconciliation cannot move from %s to %s.', old.status, new.status));
    end if;
    new.updated_at := now();
  end if;
  if num_nonnulls(new.pair_no, new.left_source_id, new.right_source_id) > 0 then
    perform private.guard_period(new, case when tg_op = 'UPDATE' then old end);
  end if;
  return new;
end $$;
create trigger guard before insert or update on public.reconciliations
  for each row execute function private.guard_reconciliation();

-- Of a reconciliation with sources. Refuses: conflict; invalid_request.
create function private.guard_period(after public.reconciliations, before public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := after.tenant_id;
begin
  if (after.matched_count, after.unmatched_count) is distinct from (0::bigint, 0::bigint) then
    perform private.refuse('conflict', 'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
  elsif before.closed_at is not null and after.closed_at is not null
    and (after.name, after.period_start, after.period_end, after.left_source, after.right_source) is distinct from
      (before.name, before.period_start, before.period_end, before.left_source, before.right_source) then
    perform private.refuse('conflict', 'The period is closed. Reopen it first.');
  elsif after.status = 'completed' and after.closed_at is null then
    perform private.refuse('conflict', 'This reconciliation is completed by closing it: POST to its /close.');
  elsif after.closed_at is not null and after.status not in ('completed', 'archived') then
    perform private.refuse('conflict', 'The period is closed. Reopen it by POST to its /reopen.');
  end if;
  if before.id is not null then
    perform private.require_not_closing(tenant, after.pair_no, after.id);
  end if;
  if before.id is not null and (after.period_start, after.period_end) = (before.period_start, before.period_end) then
    return;
  end if;
  if not exists (
    select from public.pairs p
    join public.sources l on l.tenant_id = p.tenant_id and l.source_no = p.left_source_no and l.id = after.left_source_id
    join public.sources r on r.tenant_id = p.tenant_id and r.source_no = p.right_source_no and r.id = after.right_source_id
    where p.tenant_id = tenant and p.pair_no = after.pair_no
  ) then
    perform private.refuse_field('left_source_id', 'These are not the sources of this pair. Create the reconciliation by POST /v1/reconciliations.');
  end if;
  perform private.hold_pair(tenant, after.pair_no);
  if before.id is not null and (
    exists (select from public.matches m where m.tenant_id = tenant and m.reconciliation_id = after.id)
    or exists (select from public.exclusions x where x.tenant_id = tenant and x.reconciliation_id = after.id)
  ) then
    perform private.refuse('conflict', 'The period has matches or excluded lines, and keeps its dates.');
  elsif exists (
    select from public.reconciliations r
    where r.tenant_id = tenant and r.pair_no = after.pair_no and r.id <> after.id
      and r.period_start <= after.period_end and r.period_end >= after.period_start
  ) then
    perform private.refuse('conflict', 'Another reconciliation of these two sources covers some of these days. Periods of a pair may not overlap.');
  elsif exists (
    select from public.reconciliations r
    where r.tenant_id = tenant and r.pair_no = after.pair_no and r.id <> after.id and r.closed_at is not null
      and r.period_start > after.period_end
  ) then
    perform private.refuse('conflict', 'A later period of these two sources is closed, and carried forward what was open of these days. '
      'Choose days after it, or reopen it first.');
  end if;
  perform private.require_not_closing(tenant, r.pair_no, r.id) from public.reconciliations r
  where r.tenant_id = tenant and r.pair_no = after.pair_no and r.id <> after.id and r.period_start > after.period_end;
end $$;

-- Reconciliations over the wire. Open exceptions are counted when asked: a count that is kept can be wrong.

create function private.reconciliation_json(r public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', r.id, 'name', r.name, 'status', r.status, 'period_start', r.period_start, 'period_end', r.period_end,
    'left_source', r.left_source, 'right_source', r.right_source, 'left_source_id', r.left_source_id, 'right_source_id', r.right_source_id,
    'auto_run', r.auto_run, 'preparing', private.is_preparing(r.tenant_id, r.pair_no),
    'matched_count', case when r.pair_no is null then r.matched_count else coalesce((
      select c.lines from private.matched_counts c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id), 0) end,
    'unmatched_count', case when r.pair_no is null then r.unmatched_count when r.closed_at is not null then (
      select count(*) from public.carried_lines c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id)
    else (
      select count(*) from private.open_lines o where o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.value_date <= r.period_end) end,
    'excluded_count', (select count(*) from public.exclusions e where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id),
    'closed_at', private.iso(r.closed_at), 'closed_by', r.closed_by,
    'closing', private.is_closing(r.tenant_id, r.pair_no, r.id), 'closing_failure', (
      select q.failure from private.closing_requests q where q.tenant_id = r.tenant_id and q.reconciliation_id = r.id and r.status <> 'archived'),
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
    r.name, r.status, r.period_start, r.period_end, r.left_source, r.right_source, r.matched_count, r.unmatched_count, r.left_source_id,
    r.right_source_id, r.auto_run, r.closed_at
  ));
end $$;

-- input: the columns; with left_source_id and right_source_id it compares the lines of these sources, and is being prepared where they have many.
-- Refuses: invalid_request, conflict.
create function public.create_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'create_reconciliation');
  pair integer;
  is_open boolean;
  created public.reconciliations;
begin
  if kept is not null then
    return kept;
  end if;
  if input ->> 'left_source_id' is not null then
    if input ? 'matched_count' or input ? 'unmatched_count' then
      perform private.refuse('conflict', 'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
    end if;
    select o.pair_no, o.is_open into pair, is_open from private.open_pair(input ->> 'left_source_id', input ->> 'right_source_id') o;
  end if;
  insert into public.reconciliations (name, status, period_start, period_end, left_source, right_source, matched_count, unmatched_count, pair_no,
    left_source_id, right_source_id, auto_run)
  values (
    input ->> 'name', coalesce(input ->> 'status', 'open'), (input ->> 'period_start')::date, (input ->> 'period_end')::date,
    coalesce(input ->> 'left_source', (select s.name from public.sources s where s.tenant_id = private.tenant_id() and s.id = input ->> 'left_source_id')),
    coalesce(input ->> 'right_source', (select s.name from public.sources s where s.tenant_id = private.tenant_id() and s.id = input ->> 'right_source_id')),
    coalesce((input ->> 'matched_count')::bigint, 0), coalesce((input ->> 'unmatched_count')::bigint, 0), pair,
    input ->> 'left_source_id', input ->> 'right_source_id', coalesce((input ->> 'auto_run')::boolean, true)
  )
  returning * into created;
  if is_open then
    perform private.ask_for_runs(private.tenant_id(), pair);
  elsif pair is not null then
    perform private.queue_preparing(private.tenant_id(), pair, interval '0');
  end if;
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
-- invalid_transition, invalid_request, conflict.
create function public.update_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'update_reconciliation');
  before public.reconciliations;
  after public.reconciliations;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.hold_pair_of(input ->> 'id');
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
      matched_count = after.matched_count, unmatched_count = after.unmatched_count, auto_run = after.auto_run
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into after;
  end if;
  return private.answer(request, private.reconciliation_json(after) || jsonb_build_object('version', private.reconciliation_version(after)));
end $$;

-- Newest first. input: { limit, after: [id] | null, status, period_from, period_to, left_source_id, right_source_id }: periods that overlap the span.
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
      and (input ->> 'left_source_id' is null or x.left_source_id = input ->> 'left_source_id')
      and (input ->> 'right_source_id' is null or x.right_source_id = input ->> 'right_source_id')
      and (input ->> 'period_from' is null or x.period_end >= (input ->> 'period_from')::date)
      and (input ->> 'period_to' is null or x.period_start <= (input ->> 'period_to')::date)
    order by x.id desc
    limit page_size + 1
  ) r;
  return private.page(items, page_size, 'id');
end $$;

grant execute on function
  private.reconciliation_json(public.reconciliations), private.reconciliation_version(public.reconciliations)
to authenticated;

-- Sources: where lines come from. A bank account's statements, a ledger account, a processor's payouts.

create table public.sources (
  id text not null default private.new_id('src'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  -- What narrow tables hold in place of the id; never leaves the database.
  source_no integer not null generated always as identity,
  name text not null check (length(name) between 1 and 200),
  kind text not null check (kind in ('bank_statement', 'ledger', 'processor', 'orders', 'other')),
  -- ISO 4217, of lines that name none.
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  -- IANA name: a time in a file falls on this zone's day.
  time_zone text not null default 'UTC' check (length(time_zone) between 1 and 64),
  -- inverted: the source books the other way round. Lines keep their posted amount; a pair counts the negated one.
  sign text not null default 'as_is' check (sign in ('as_is', 'inverted')),
  -- How its files are read (lib/imports/formats/mapping.ts); null until one is kept.
  mapping jsonb check (jsonb_typeof(mapping) = 'object'),
  -- Business days a line may stay open before it becomes an exception.
  grace_days smallint not null default 3 check (grace_days between 0 and 90),
  line_count bigint not null default 0 check (line_count >= 0),
  last_import_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, source_no)
);

alter table public.sources enable row level security;
grant select on public.sources to authenticated, service_role;
create policy sources_read on public.sources for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));

-- Refuses: conflict for another currency or sign once there are lines, whose amounts were read by them.
create function private.guard_source() returns trigger
language plpgsql set search_path = '' as $$
begin
  if old.line_count > 0 and (new.currency, new.sign) is distinct from (old.currency, old.sign) then
    perform private.refuse('conflict', 'The source has lines, which were read by its currency and sign: these stay as they are. Make another source.');
  -- Held before already by whoever comes by update_source: to wait here, with the row locked, would be the wrong order.
  elsif (new.currency, new.sign) is distinct from (old.currency, old.sign)
    and not pg_try_advisory_xact_lock(private.lock_of_source(old.tenant_id, old.source_no)) then
    perform private.refuse('conflict', 'Lines of this source are coming in. Wait until that is done, and send the call again.');
  end if;
  if (new.name, new.kind, new.currency, new.time_zone, new.sign, new.mapping, new.grace_days)
    is distinct from (old.name, old.kind, old.currency, old.time_zone, old.sign, old.mapping, old.grace_days) then
    new.updated_at := now();
  end if;
  return new;
end $$;
create trigger guard before update on public.sources
  for each row execute function private.guard_source();

-- Sources over the wire.

create function private.source_json(s public.sources) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', s.id, 'name', s.name, 'kind', s.kind, 'currency', s.currency, 'time_zone', s.time_zone, 'sign', s.sign, 'mapping', s.mapping,
    'grace_days', s.grace_days, 'line_count', s.line_count, 'last_import_at', private.iso(s.last_import_at),
    'created_at', private.iso(s.created_at), 'created_by', s.created_by, 'updated_at', private.iso(s.updated_at)
  );
end $$;

-- Of what somebody sets: no clock, no counter, nothing that others' work adds.
create function private.source_version(s public.sources) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(jsonb_build_array(s.name, s.kind, s.currency, s.time_zone, s.sign, s.mapping, s.grace_days));
end $$;

-- The source of the caller's tenant. Refuses: not_found.
create function private.find_source(id text) returns public.sources
language plpgsql stable set search_path = '' as $$
declare
  s public.sources;
begin
  select * into s from public.sources x where x.tenant_id = private.tenant_id() and x.id = $1;
  if not found then
    perform private.refuse_missing('source');
  end if;
  return s;
end $$;

-- input: the columns.
create function public.create_source(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'create_source');
  created public.sources;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_quota('sources');
  insert into public.sources (name, kind, currency, time_zone, sign, mapping, grace_days)
  values (
    input ->> 'name', input ->> 'kind', input ->> 'currency', coalesce(input ->> 'time_zone', 'UTC'), coalesce(input ->> 'sign', 'as_is'),
    nullif(input -> 'mapping', 'null'), coalesce((input ->> 'grace_days')::smallint, 3)
  )
  returning * into created;
  return private.answer(request, private.source_json(created) || jsonb_build_object('version', private.source_version(created)));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_source(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  s public.sources;
begin
  perform private.enter(request, 'get_source');
  s := private.find_source(input ->> 'id');
  return private.source_json(s) || jsonb_build_object('version', private.source_version(s));
end $$;

-- input: { id, patch }, the columns that may change; `mapping` is taken whole. Refuses: not_found, precondition_failed, conflict.
create function public.update_source(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'update_source');
  before public.sources;
  after public.sources;
begin
  if kept is not null then
    return kept;
  end if;
  -- Alone where its currency or sign is to change, by which its lines are read.
  perform private.hold_sources_alone(s.tenant_id, array[s.source_no]) from public.sources s
  where s.tenant_id = private.tenant_id() and s.id = input ->> 'id'
    and (coalesce(input #>> '{patch,currency}', s.currency), coalesce(input #>> '{patch,sign}', s.sign)) <> (s.currency, s.sign);
  select * into before from public.sources x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('source');
  end if;
  perform private.require_version(private.source_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  after.mapping := nullif(after.mapping, 'null');
  if after is distinct from before then
    update public.sources x set
      name = after.name, kind = after.kind, currency = after.currency, time_zone = after.time_zone, sign = after.sign,
      mapping = after.mapping, grace_days = after.grace_days
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into after;
  end if;
  return private.answer(request, private.source_json(after) || jsonb_build_object('version', private.source_version(after)));
end $$;

-- Newest first. input: { limit, after: [id] | null, kind, q }: every word of q stands in the name.
create function public.list_sources(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  patterns constant text[] := private.word_patterns(coalesce(input ->> 'q', ''));
  items jsonb;
begin
  perform private.enter(request, 'list_sources');
  select jsonb_agg(private.source_json(s) order by s.id desc) into items
  from (
    select * from public.sources x
    where x.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'kind' is null or x.kind = input ->> 'kind')
      and lower(x.name) like all (patterns)
    order by x.id desc
    limit page_size + 1
  ) s;
  return private.page(items, page_size, 'id');
end $$;

grant execute on function
  private.source_json(public.sources), private.source_version(public.sources), private.find_source(text)
to authenticated;

-- Lines: one amount on one day, written once. What is open of a line stands in private.open_lines, per pair.

create table public.lines (
  -- No foreign keys: each would be looked up for every one of a million lines. private.keep_staged_lines alone inserts.
  tenant_id text not null,
  -- 128 bits of SHA-256 over source and external_id, or over source, content and the number among equals of its file or call:
  -- what is sent again has the same id. On the wire: lin_ and its 32 hexadecimal digits.
  id uuid not null,
  -- Order of arrival, the key of narrow tables; never leaves the database.
  line_no bigint not null generated always as identity,
  source_no integer not null,
  -- Line of the imported file; null for what came by POST …/lines.
  file_line integer,
  import_id text,
  external_id text,
  amount_minor bigint not null check (amount_minor between -9007199254740991 and 9007199254740991),
  -- What was kept of the amount: amount − fee was paid out. Negative: given back.
  fee_minor bigint check (
    fee_minor between -9007199254740991 and 9007199254740991 and amount_minor - fee_minor between -9007199254740991 and 9007199254740991),
  currency text not null,
  value_date date not null,
  booked_date date,
  reference text,
  counterparty text,
  description text,
  group_key text,
  details jsonb,
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, line_no)
);
create index lines_by_source on public.lines (tenant_id, source_no, value_date, line_no);
create index lines_with_fee on public.lines (tenant_id, fee_minor) where fee_minor <> 0;

alter table public.lines enable row level security;
grant select on public.lines to authenticated, service_role;
create policy lines_read on public.lines for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));

-- At most so many lines are worked on while a caller waits; more are a matcher's work.
create function private.lines_at_once() returns integer
language sql immutable set search_path = ''
return 20000;

-- The form of a line's id on the wire, and back; null for what has not that form.
create function private.line_id_text(id uuid) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return 'lin_' || replace(id::text, '-', '');
end $$;

create function private.line_id(id text) returns uuid
language plpgsql immutable set search_path = '' as $$
begin
  return case when id ~ '^lin_[0-9a-f]{32}$' then substr(id, 5)::uuid end;
end $$;

-- The number of one of the caller's lines, null for none. Asked as a range in the order of IDs, which the index by ID alone gives: with statistics
-- that are of other tenants, equality lets each of the tenant's indexes seem as short, and another one reads all of its lines.
create function private.line_no_of(id text) returns bigint
language plpgsql stable set search_path = '' set enable_sort = off as $$
declare
  sought constant uuid := private.line_id($1);
begin
  return (select x.line_no from public.lines x where x.tenant_id = private.tenant_id() and x.id >= sought and x.id <= sought order by x.id limit 1);
end $$;

-- The fee of a line of which a pair counts so much, which may be negated; 0 where it has none, where that is part of it (the fee went with the rest), and
-- where nothing of its sign would be left.
create function private.fee_of_whole(l public.lines, minor bigint) returns bigint
language plpgsql immutable set search_path = '' as $$
begin
  return case
    when l.fee_minor is null or sign(l.amount_minor - l.fee_minor) <> sign(l.amount_minor) then 0
    when minor = l.amount_minor then l.fee_minor when minor = -l.amount_minor then -l.fee_minor else 0
  end;
end $$;

grant execute on function private.line_id_text(uuid), private.line_id(text), private.line_no_of(text), private.fee_of_whole(public.lines, bigint)
to authenticated;
grant execute on function private.fee_of_whole(public.lines, bigint) to service_role;

-- Line texts: what lines are searched by. An index of trigrams costs several times what the lines themselves do, so texts are written in
-- the background; the lines that wait for it are searched one by one.

create table private.line_texts (
  tenant_id text not null,
  line_no bigint not null,
  source_no integer not null,
  text text not null,
  primary key (tenant_id, line_no)
);
create index line_texts_by_trigram on private.line_texts using gin (text extensions.gin_trgm_ops);

-- Lines of a source that wait: all of its between two numbers.
create table private.line_spans (
  tenant_id text not null,
  span_no bigint not null generated always as identity,
  source_no integer not null,
  first_line_no bigint not null,
  last_line_no bigint not null,
  primary key (tenant_id, span_no)
);

alter table private.line_texts enable row level security;
alter table private.line_spans enable row level security;

-- The texts of a line, and its amount in minor units with the sign behind it: "rg-4711 kunde 17 gmbh =1250-".
create function private.line_text(l public.lines) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return lower(concat_ws(' ', l.reference, l.counterparty, l.description, l.external_id)) || ' =' || abs(l.amount_minor)
    || case when l.amount_minor < 0 then '-' else '+' end;
end $$;

-- What a word of a search is as an amount in the currency's unit, with or without separators and sign: in minor units; null: none.
create function private.amount_of_word(word text) returns bigint
language plpgsql immutable set search_path = '' as $$
declare
  parts constant text[] := regexp_match(word, '^[-+]?(\d[\d.,'']*?)(?:[.,](\d{1,2}))?$');
  digits constant text := regexp_replace(parts[1], '\D', '', 'g') || rpad(coalesce(parts[2], ''), 2, '0');
begin
  return case when length(digits) <= 18 then digits::bigint end;
end $$;

-- A word of a search as patterns, one of which a text has to have: it stands in a text, or is the amount.
create function private.line_patterns(word text) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return private.word_patterns(word) || ('%=' || private.amount_of_word(word) || coalesce(substring(word from '^[-+]'), '_'));
end $$;

-- SQL that says whether a text, an expression of SQL, has every word of q.
create function private.line_search(q text, text_of text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return (
    select string_agg('(' || (
      select string_agg(format('%s like %L', text_of, pattern), ' or ') from unnest(private.line_patterns(word)) pattern where pattern is not null
    ) || ')', ' and ')
    from regexp_split_to_table(lower(q), '\s+') word where word <> ''
  );
end $$;

-- Whether the index of trigrams can look for a word of q: for a pattern that is shorter than a trigram it would find every line.
create function private.has_trigrams(q text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return exists (
    select from regexp_split_to_table(lower(q), '\s+') word
    where word <> '' and (select bool_and(pattern ~ '[[:alnum:]]{3}') from unnest(private.line_patterns(word)) pattern where pattern is not null)
  );
end $$;

-- The numbers of the caller's own lines of these sources that q finds; null where there are more than `most`. Which way is short depends on
-- how many lines the tenant has: the planner could not know it from statistics that are of all tenants, or of a time before a large file,
-- so that each statement leaves it one way. Of few lines all texts are read; of many those that the index of trigrams names.
create function private.find_own_lines(q text, source_nos integer[], most integer) returns bigint[]
language plpgsql stable security definer set search_path = '' set enable_seqscan = off as $$
declare
  tenant constant text := private.tenant_id();
  is_named constant boolean := private.has_trigrams(q)
    and (select sum(s.line_count) from public.sources s where s.tenant_id = tenant) > 50000;
  found bigint[];
  waiting bigint[];
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return '{}';
  end if;
  -- What is an expression has no index.
  execute format('select array(select t.line_no from private.line_texts t where %s = $1 and t.source_no = any ($2) and %s limit $3)',
    case when is_named then $c$(t.tenant_id || '')$c$ else 't.tenant_id' end,
    private.line_search(q, case when is_named then 't.text' else $c$(t.text || '')$c$ end))
  into found using tenant, source_nos, most + 1;
  if cardinality(found) > most then
    return null;
  end if;
  execute 'select array(
      select l.line_no from private.line_spans s cross join lateral (
        select x.line_no, x.source_no, private.line_text(x) as text from public.lines x
        where x.tenant_id = $1 and x.line_no between s.first_line_no and s.last_line_no offset 0
      ) l
      where s.tenant_id = $1 and s.source_no = any ($2) and l.source_no = s.source_no and ' || private.line_search(q, 'l.text') || ' limit $3)'
  into waiting using tenant, source_nos, most + 1;
  return case when cardinality(found) + cardinality(waiting) <= most then found || waiting end;
end $$;

-- Writes the texts of at most `batch` lines that wait, shared among the tenants who have some. Answers whether others still wait.
create function private.index_lines(batch integer default 5000) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  with recursive waiting as (
    (select x.tenant_id from private.line_spans x order by x.tenant_id limit 1)
    union all
    select (select x.tenant_id from private.line_spans x where x.tenant_id > w.tenant_id order by x.tenant_id limit 1)
    from waiting w where w.tenant_id is not null
  ), tenants as materialized (
    select w.tenant_id, greatest(1, batch / count(*) over ()) as share from waiting w where w.tenant_id is not null limit batch
  ), held as materialized (
    select t.share, s.* from tenants t cross join lateral (
      select x.tenant_id, x.span_no, x.source_no, x.first_line_no, x.last_line_no from private.line_spans x
      where x.tenant_id = t.tenant_id order by x.span_no limit t.share for update skip locked
    ) s
  ), spans as materialized (
    -- Of the span that goes beyond the share, its beginning.
    select h.*, least(h.last_line_no, h.first_line_no + h.share - h.before - 1) as up_to from (
      select x.*, coalesce(sum(x.last_line_no - x.first_line_no + 1) over (
        partition by x.tenant_id order by x.span_no rows between unbounded preceding and 1 preceding), 0)::bigint as before
      from held x
    ) h where h.before < h.share
  ), written as (
    insert into private.line_texts (tenant_id, line_no, source_no, text)
    select l.tenant_id, l.line_no, l.source_no, private.line_text(l) from spans s
    cross join lateral (
      select * from public.lines x where x.tenant_id = s.tenant_id and x.line_no between s.first_line_no and s.up_to offset 0
    ) l
    where l.source_no = s.source_no
    on conflict on constraint line_texts_pkey do nothing
  ), begun as (
    update private.line_spans x set first_line_no = s.up_to + 1 from spans s
    where s.up_to < s.last_line_no and x.tenant_id = s.tenant_id and x.span_no = s.span_no
  )
  delete from private.line_spans x using spans s where s.up_to = s.last_line_no and x.tenant_id = s.tenant_id and x.span_no = s.span_no;
  return exists (select from private.line_spans);
end $$;

grant execute on function private.line_text(public.lines), private.amount_of_word(text), private.line_patterns(text), private.line_search(text, text),
  private.find_own_lines(text, integer[], integer)
to authenticated;
grant execute on function private.index_lines(integer) to service_role;

-- Arrival of lines: whichever way they come, they are staged, told apart from those there are, and kept by one statement.

-- What tells a line from another: its external_id, else its content. JSON keeps the parts apart.
create function private.line_key(
  external_id text, amount_minor bigint, currency text, value_date date, booked_date date, reference text, counterparty text,
  description text, group_key text, details jsonb
) returns bytea
language plpgsql immutable set search_path = '' as $$
begin
  if external_id is not null then
    return sha256(convert_to('external_id ' || external_id, 'UTF8'));
  end if;
  return sha256(convert_to(json_build_array(
    amount_minor, currency, value_date, booked_date, reference, counterparty, description, group_key, details ->> 'bank_reference'
  )::text, 'UTF8'));
end $$;

-- `nth`: the line's number among equals of its file or call.
create function private.line_identity(source_id text, key bytea, nth integer) returns uuid
language plpgsql immutable set search_path = '' as $$
begin
  return encode(substring(sha256(convert_to(source_id, 'UTF8') || key || int4send(nth)) for 16), 'hex')::uuid;
end $$;

-- Makes the tables of this session in which lines wait to be kept; empty again after each transaction.
create function private.stage_lines() returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  if to_regclass('pg_temp.staged_lines') is not null then
    if exists (select from pg_class c where c.oid = to_regclass('pg_temp.staged_lines') and c.relowner <> current_user::regrole) then
      raise exception 'staged_lines is not ours';
    end if;
    return;
  end if;
  create temporary table staged_lines (
    position integer not null,
    file_line integer,
    external_id text,
    amount_minor bigint not null,
    fee_minor bigint,
    currency text not null,
    value_date date not null,
    booked_date date,
    reference text,
    counterparty text,
    description text,
    group_key text,
    details jsonb,
    key bytea not null generated always as (private.line_key(
      external_id, amount_minor, currency, value_date, booked_date, reference, counterparty, description, group_key, details
    )) stored
  ) on commit delete rows;
  create temporary table repeated_lines (position integer not null, nth integer not null) on commit delete rows;
end $$;

-- The statement that keeps what is staged. $1 tenant, $2 source_no, $3 import, $4 source, $5 sign. `looks`: whether lines that are there
-- already are left out, or an error.
create function private.insert_of_staged(looks boolean) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return $sql$
    with kept as (
      insert into public.lines as line (
        tenant_id, id, source_no, file_line, import_id, external_id, amount_minor, fee_minor, currency, value_date, booked_date, reference,
        counterparty, description, group_key, details
      )
      select $1, private.line_identity($4, l.key, case when l.external_id is null then coalesce(r.nth, 1) else 0 end), $2, l.file_line, $3,
        l.external_id, l.amount_minor, l.fee_minor, l.currency, l.value_date, l.booked_date, l.reference, l.counterparty, l.description, l.group_key,
        nullif(l.details, '{}')
      from pg_temp.staged_lines l left join pg_temp.repeated_lines r on r.position = l.position
      where l.external_id is null or coalesce(r.nth, 1) = 1
  $sql$ || case when looks then 'on conflict on constraint lines_pkey do nothing' else '' end || $sql$
      returning line.line_no, line.id, line.amount_minor, line.currency, line.value_date
    ), opened as (
      insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor, open_minor, value_date)
      select $1, p.pair_no, k.line_no, case p.left_source_no when $2 then 'left' else 'right' end, k.currency, effective, effective, k.value_date
      from kept k cross join public.pairs p
      cross join lateral (select case $5 when 'inverted' then -k.amount_minor else k.amount_minor end as effective) e
      where p.tenant_id = $1 and $2 in (p.left_source_no, p.right_source_no)
    ), waiting as (
      insert into private.line_spans (tenant_id, source_no, first_line_no, last_line_no)
      select $1, $2, min(k.line_no), max(k.line_no) from kept k having count(*) > 0
    )
    select count(*), case when $3 is null then coalesce(array_agg(k.id), '{}') end from kept k
  $sql$;
end $$;

-- Keeps what is staged and not there yet, and opens it in each pair of its source.
-- Answers { staged, accepted, duplicates, conflicts, conflict_count, items }. A conflict has the external_id of another line and another
-- amount; it is not kept: [{ position, file_line, external_id, found, wanted }], the first 100. items, for a call:
-- [{ index, id, duplicate }] in the order of positions.
create function private.keep_staged_lines(tenant_id text, source_no integer, import_id text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  s public.sources;
  staged constant bigint := (select count(*) from pg_temp.staged_lines);
  accepted bigint;
  kept_ids uuid[];
  conflicts jsonb := '[]';
  conflict_count bigint := 0;
  items jsonb;
begin
  perform private.hold_source($1, $2);
  select * into strict s from public.sources x where x.tenant_id = $1 and x.source_no = $2;
  if staged > 10000 then
    analyze pg_temp.staged_lines (key);
  end if;
  insert into pg_temp.repeated_lines (position, nth)
  select l.position, row_number() over (partition by l.key order by l.position)
  from pg_temp.staged_lines l
  where l.key in (select g.key from pg_temp.staged_lines g group by g.key having count(*) > 1);

  -- Where nothing can be there yet, nothing is looked for: half the time. Should others add to the source meanwhile, it is.
  begin
    execute private.insert_of_staged(s.line_count > 0 or $3 is null) into accepted, kept_ids using $1, $2, $3, s.id, s.sign;
  exception when unique_violation then
    execute private.insert_of_staged(true) into accepted, kept_ids using $1, $2, $3, s.id, s.sign;
  end;

  if accepted < staged then
    select count(*), coalesce(jsonb_agg(to_jsonb(c) - 'n' order by c.position) filter (where c.n <= 100), '[]') into conflict_count, conflicts
    from (
      select row_number() over (order by l.position) as n, l.position, l.file_line, l.external_id,
        l.amount_minor || ' ' || l.currency as found, k.amount_minor || ' ' || k.currency as wanted
      from pg_temp.staged_lines l
      join public.lines k on k.tenant_id = $1 and k.id = private.line_identity(s.id, l.key, 0)
      where l.external_id is not null and (k.amount_minor, k.currency) is distinct from (l.amount_minor, l.currency)
    ) c;
  end if;
  if $3 is null then
    select jsonb_agg(jsonb_build_object('index', i.position, 'id', private.line_id_text(i.id), 'duplicate', i.nth > 1 or i.id <> all (kept_ids)) order by i.position)
    into items
    from (
      select l.position, case when l.external_id is null then 1 else coalesce(r.nth, 1) end as nth,
        private.line_identity(s.id, l.key, case when l.external_id is null then coalesce(r.nth, 1) else 0 end) as id
      from pg_temp.staged_lines l left join pg_temp.repeated_lines r on r.position = l.position
    ) i;
  end if;

  if accepted > 0 then
    perform private.hold_to_quota($1, 'lines', accepted);
    update public.sources x set line_count = x.line_count + accepted where x.tenant_id = $1 and x.source_no = $2;
    perform private.lines_arrived($1, $2);
  end if;
  return jsonb_build_object(
    'staged', staged, 'accepted', accepted, 'duplicates', staged - accepted - conflict_count, 'conflicts', conflicts,
    'conflict_count', conflict_count, 'items', items
  );
end $$;

-- lines: [{ amount_minor, currency, value_date, … }], at most 1,000; they stand at their places from 0.
create function private.stage_lines_of(lines jsonb) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.stage_lines();
  insert into pg_temp.staged_lines (
    position, external_id, amount_minor, fee_minor, currency, value_date, booked_date, reference, counterparty, description, group_key, details
  )
  select l.n - 1, l.line ->> 'external_id', (l.line ->> 'amount_minor')::bigint, (l.line ->> 'fee_minor')::bigint, l.line ->> 'currency', (l.line ->> 'value_date')::date,
    (l.line ->> 'booked_date')::date, l.line ->> 'reference', l.line ->> 'counterparty', l.line ->> 'description', l.line ->> 'group_key',
    nullif(l.line -> 'details', 'null')
  from jsonb_array_elements(lines) with ordinality l (line, n);
end $$;

-- Keeps lines of a source of the caller's tenant. Refuses: invalid_request for an external_id that another line has, with another amount.
create function private.add_lines(source_no integer, lines jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept jsonb;
begin
  perform private.stage_lines_of(lines);
  kept := private.keep_staged_lines(private.tenant_id(), source_no, null);
  if (kept ->> 'conflict_count')::bigint > 0 then
    perform private.refuse('invalid_request', 'The request is not valid: see errors for each place.', (
      select jsonb_agg(jsonb_build_object(
        'path', format('lines.%s.external_id', c ->> 'position'),
        'message', format('There is a line with this external_id and another amount, %s in minor units: give each line its own.', c ->> 'wanted')
      )) from jsonb_array_elements(kept -> 'conflicts') c
    ));
  end if;
  return kept;
end $$;

-- The places of those lines that a source of the caller's tenant has already, or that are twice among them.
create function private.known_lines(source_no integer, lines jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  known jsonb;
begin
  perform private.stage_lines_of(lines);
  select coalesce(jsonb_agg(l.position order by l.position), '[]') into known
  from public.sources s cross join (
    select x.position, x.key, x.external_id, row_number() over (partition by x.key order by x.position)::integer as nth from pg_temp.staged_lines x
  ) l
  where s.tenant_id = private.tenant_id() and s.source_no = known_lines.source_no and (
    l.external_id is not null and l.nth > 1 or exists (
      select from public.lines k where k.tenant_id = s.tenant_id
        and k.id = private.line_identity(s.id, l.key, case when l.external_id is null then l.nth else 0 end)
    )
  );
  delete from pg_temp.staged_lines;
  return known;
end $$;

-- Lines over the wire.

-- What a line is in a pair; where no pair is named, in the one of its source's where most of it is open. A source in no pair: all is open. So it is in
-- one that is being prepared.
create function private.line_standing(l public.lines, pair_no integer, out state text, out open_minor bigint)
language plpgsql stable set search_path = '' as $$
declare
  is_in_pair boolean := false;
  pair record;
begin
  for pair in
    select o.line_no is not null as is_open, o.open_minor, o.amount_minor,
      exists (select from public.exclusions e where e.tenant_id = l.tenant_id and e.pair_no = p.pair_no and e.line_no = l.line_no) as is_excluded
    from public.pairs p
    left join private.open_lines o on o.tenant_id = l.tenant_id and o.pair_no = p.pair_no and o.line_no = l.line_no
    where p.tenant_id = l.tenant_id and l.source_no in (p.left_source_no, p.right_source_no)
      and (line_standing.pair_no is null or p.pair_no = line_standing.pair_no) and p.opening is null
    order by abs(o.open_minor) desc nulls last, p.pair_no limit 1
  loop
    is_in_pair := true;
    state := case
      when pair.is_open then case when pair.open_minor = pair.amount_minor then 'open' else 'partly_matched' end
      when pair.is_excluded then 'excluded' else 'matched'
    end;
    -- As it was posted: a pair counts the negated amount of an inverted source.
    open_minor := case when not pair.is_open then 0 when sign(pair.amount_minor) = sign(l.amount_minor) then pair.open_minor else -pair.open_minor end;
  end loop;
  if not is_in_pair then
    state := 'open';
    open_minor := l.amount_minor;
  end if;
end $$;

create function private.line_json(l public.lines, source_id text, pair_no integer) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  standing record;
begin
  standing := private.line_standing(l, pair_no);
  return jsonb_build_object(
    'id', private.line_id_text(l.id), 'source_id', source_id, 'import_id', l.import_id, 'file_line', l.file_line,
    'external_id', l.external_id, 'amount_minor', l.amount_minor, 'fee_minor', l.fee_minor, 'currency', l.currency, 'value_date', l.value_date,
    'booked_date', l.booked_date, 'reference', l.reference, 'counterparty', l.counterparty, 'description', l.description,
    'group_key', l.group_key, 'details', coalesce(l.details, '{}'), 'state', standing.state, 'open_minor', standing.open_minor,
    'match_ids', (
      select coalesce(jsonb_agg('mat_' || replace(m.id::text, '-', '') order by m.id), '[]')
      from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
      where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no and m.state = 'confirmed'
        and (line_json.pair_no is null or mm.pair_no = line_json.pair_no)
    ),
    'exception_id', (
      select e.id from (
        select x.exception_id from private.exception_lines x where x.tenant_id = l.tenant_id and x.line_no = l.line_no offset 0
      ) x cross join lateral (
        select y.id from public.exceptions y where y.tenant_id = l.tenant_id and y.id = x.exception_id and y.status in ('open', 'in_review') offset 0
      ) e
      order by e.id desc limit 1
    ),
    'created_at', private.iso(l.created_at)
  );
end $$;

-- input: { source_id, lines }: each { amount_minor, currency, value_date, … }. Refuses: not_found, invalid_request.
create function public.add_lines(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'add_lines');
  s public.sources;
  added jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  s := private.find_source(input ->> 'source_id');
  added := private.add_lines(s.source_no, (
    select jsonb_agg(jsonb_build_object('currency', s.currency) || l.line order by l.n)
    from jsonb_array_elements(input -> 'lines') with ordinality l (line, n)
  ));
  return private.answer(request, jsonb_build_object(
    'accepted_count', added -> 'accepted', 'duplicate_count', added -> 'duplicates', 'items', added -> 'items'
  ));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_line(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  l public.lines;
begin
  perform private.enter(request, 'get_line');
  select * into l from public.lines x where x.tenant_id = private.tenant_id() and x.id = private.line_id(input ->> 'id');
  if not found then
    perform private.refuse_missing('line');
  end if;
  return private.line_json(l, (select s.id from public.sources s where s.tenant_id = l.tenant_id and s.source_no = l.source_no), null);
end $$;

grant execute on function private.line_standing(public.lines, integer), private.line_json(public.lines, text, integer) to authenticated;

-- Lists of lines over the wire: a source's, and a period's as it stands or as it closed.

-- SQL that says whether line x of source s is in this state: in the pair of s.pair_nos where most of it is open, else in s.pair_no, the first. As
-- line_standing, which costs ten times as much. Each lookup is one by the whole key: `offset 0` keeps the planner from joining what it takes for few.
create function private.line_state_is(state text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  opened constant text := 'exists (select from private.open_lines o where o.tenant_id = $1 and o.pair_no = any (s.pair_nos) and o.line_no = x.line_no %s offset 0)';
  excluded constant text := 'exists (select from public.exclusions e where e.tenant_id = $1 and e.pair_no = s.pair_no and e.line_no = x.line_no offset 0)';
begin
  return case state
    when 'outstanding' then '(s.pair_no is null or ' || format(opened, '') || ')'
    when 'open' then '(s.pair_no is null or ' || format(opened, 'and o.open_minor = o.amount_minor') || ')'
    when 'partly_matched' then format(opened, '') || ' and not ' || format(opened, 'and o.open_minor = o.amount_minor')
    when 'excluded' then excluded || ' and not ' || format(opened, '')
    when 'matched' then 's.pair_no is not null and not ' || format(opened, '') || ' and not ' || excluded
  end;
end $$;

-- The same of a line that belongs to a closed period ($3), as it was when that closed.
create function private.line_state_was(state text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  carried constant text := private.line_was('carried');
  matched constant text := private.line_was('matched');
begin
  return case state
    when 'outstanding' then carried
    when 'open' then carried || ' and not ' || matched
    when 'partly_matched' then carried || ' and ' || matched
    when 'matched' then matched || ' and not ' || carried
    when 'excluded' then 'not ' || matched || ' and not ' || carried
  end;
end $$;

-- SQL that says whether the period ($3) matched line x, excluded it, sees it open, or closed with it open.
create function private.line_was(what text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return case what
    when 'matched' then $c$exists (
      select from public.match_members mm cross join lateral (
        select from public.matches m
        where m.tenant_id = $1 and m.id = mm.match_id and m.reconciliation_id = $3.id and m.state = 'confirmed' offset 0
      ) m where mm.tenant_id = $1 and mm.line_no = x.line_no and mm.pair_no = $3.pair_no offset 0)$c$
    when 'excluded' then $c$exists (
      select from public.exclusions e
      where e.tenant_id = $1 and e.pair_no = $3.pair_no and e.line_no = x.line_no and e.reconciliation_id = $3.id offset 0)$c$
    when 'open' then 'exists (select from private.open_lines o where o.tenant_id = $1 and o.pair_no = $3.pair_no and o.line_no = x.line_no offset 0)'
    when 'carried' then
      'exists (select from public.carried_lines c where c.tenant_id = $1 and c.reconciliation_id = $3.id and c.line_no = x.line_no offset 0)'
  end;
end $$;

-- Lines that are few: those that a period matched, or that were excluded in its pair, or in any of these sources' where no period is named. Null where
-- they may be more than `most`, or the state is another.
create function private.few_own_lines(r public.reconciliations, state text, source_nos integer[], most integer) returns bigint[]
language plpgsql stable security definer set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  pair_nos integer[];
  line_nos bigint[];
begin
  if state = 'matched' and r.id is not null and coalesce((
    select c.lines from private.matched_counts c where c.tenant_id = tenant and c.reconciliation_id = r.id), 0) <= most
  then
    return array(
      select distinct mm.line_no from public.matches m
      cross join lateral (select x.line_no from public.match_members x where x.tenant_id = tenant and x.match_id = m.id offset 0) mm
      where m.tenant_id = tenant and m.reconciliation_id = r.id and m.state = 'confirmed'
    );
  elsif state = 'excluded' then
    pair_nos := case when r.id is not null then array[r.pair_no] else array(
      select p.pair_no from public.pairs p
      where p.tenant_id = tenant and (p.left_source_no = any (source_nos) or p.right_source_no = any (source_nos))) end;
    line_nos := array(select distinct e.line_no from public.exclusions e where e.tenant_id = tenant and e.pair_no = any (pair_nos) limit most + 1);
    return case when cardinality(line_nos) <= most then line_nos end;
  end if;
  return null;
end $$;

-- The caller's own lines, latest first, as list_lines asks for them, of the sources that are named. Where few are in question, these are
-- looked up and sorted; what is open is read where only that stands; all else in the order of the lines' index until the page is full. The
-- planner could not know which of its ways is short, from statistics that are of all tenants: it is left only the one that needs no sort.
create function private.own_lines(r public.reconciliations, input jsonb, source_nos integer[], most integer)
returns table (n bigint, line_no bigint)
language plpgsql stable security definer set search_path = '' set enable_sort = off set jit = off as $$
declare
  tenant constant text := private.tenant_id();
  q constant text := nullif(btrim(input ->> 'q'), '');
  state constant text := input ->> 'state';
  after_date constant date := (input -> 'after' ->> 0)::date;
  -- Of a line that is gone meanwhile: its day is begun anew.
  after_no constant bigint := coalesce(private.line_no_of(input -> 'after' ->> 1), 9223372036854775807);
  few bigint[];
  is_searched boolean := false;
  stands text;
  of_standing text;
  unpaired text;
  filters text;
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  if q is not null then
    few := private.find_own_lines(q, source_nos, 5000);
    is_searched := few is not null;
  end if;
  if few is null then
    few := private.few_own_lines(r, state, source_nos, 5000);
  end if;
  stands := case when few is null and state in ('open', 'partly_matched', 'outstanding') then
    case when r.closed_at is null then 'private.open_lines w where w.tenant_id = $1 and w.pair_no = s.pair_no'
    else 'public.carried_lines w where w.tenant_id = $1 and w.reconciliation_id = $3.id' end end;
  filters := concat_ws(' and ',
    case when q is not null and not is_searched then private.line_search(q, 'private.line_text(x)') end,
    case when stands is null and after_date is not null then '(x.value_date, x.line_no) < ($6, $7)' end,
    case when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$ end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$ end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case when input ->> 'amount_from' is not null then $c$x.amount_minor >= ($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then $c$x.amount_minor <= ($2 ->> 'amount_to')::bigint$c$ end,
    case when input ->> 'import_id' is not null then $c$x.import_id = $2 ->> 'import_id' and x.line_no between
      (select i.first_line_no from public.imports i where i.tenant_id = $1 and i.id = $2 ->> 'import_id') and
      (select i.last_line_no from public.imports i where i.tenant_id = $1 and i.id = $2 ->> 'import_id')$c$ end,
    case when r.id is not null then 'x.value_date <= $3.period_end' end,
    case when r.id is not null and stands is null then format('(%s or %s or %s)',
      private.line_was(case when r.closed_at is null then 'open' else 'carried' end), private.line_was('matched'), private.line_was('excluded')) end,
    case when r.closed_at is not null then case when stands is null or state <> 'outstanding' then private.line_state_was(state) end
      when stands is null then private.line_state_is(state) end,
    'true'
  );
  of_standing := concat_ws(' and ', 'w.side = s.side', case when r.id is not null then 'w.value_date <= $3.period_end' end,
    case when after_date is not null then '(w.value_date, w.line_no) < ($6, $7)' end,
    case when r.closed_at is null then
      case state when 'open' then 'w.open_minor = w.amount_minor' when 'partly_matched' then 'w.open_minor <> w.amount_minor' end end,
    -- Not all of it in another pair.
    case when r.id is null and state = 'partly_matched' then 'not exists (select from private.open_lines o
      where o.tenant_id = $1 and o.pair_no = any (s.pair_nos) and o.line_no = w.line_no and o.open_minor = o.amount_minor offset 0)' end);
  -- Of a source in no pair all is open.
  unpaired := case when stands is not null and r.id is null and state <> 'partly_matched' then format($sql$
    union all (
      select x.value_date, x.line_no from public.lines x
      where s.pair_no is null and x.tenant_id = $1 and x.source_no = s.source_no and %s
      order by x.value_date desc, x.line_no desc limit $8
    ) $sql$, concat_ws(' and ', case when after_date is not null then '(x.value_date, x.line_no) < ($6, $7)' end, filters)) end;
  return query execute format($sql$
    with sources as materialized (
      select x.source_no, case when $3.id is not null then array[$3.pair_no] else array(
        select p.pair_no from public.pairs p
        where p.tenant_id = $1 and x.source_no in (p.left_source_no, p.right_source_no) and p.opening is null order by p.pair_no) end as pair_nos
      from unnest($4) x (source_no)
    ), s as materialized (
      select x.source_no, x.pair_nos, p.pair_no, case x.source_no when p.left_source_no then 'left' else 'right' end as side
      from sources x left join public.pairs p on p.tenant_id = $1 and p.pair_no = any (%s)
    )
    select row_number() over (order by l.value_date desc, l.line_no desc), l.line_no
    from (%s) l order by l.value_date desc, l.line_no desc limit $8 $sql$,
    case when stands is null then 'x.pair_nos[:1]' else 'x.pair_nos' end, case
    when few is not null then format($sql$
      select x.value_date, x.line_no from unnest($5) h (line_no)
      cross join lateral (select * from public.lines y where y.tenant_id = $1 and y.line_no = h.line_no offset 0) x
      join s on s.source_no = x.source_no where %s $sql$, filters)
    -- What is open in several pairs is listed once.
    when stands is not null then format($sql$
      select distinct w.value_date, w.line_no from s cross join lateral ((
        select w.value_date, w.line_no from %s and %s and exists (
          select from (select * from public.lines y where y.tenant_id = $1 and y.line_no = w.line_no offset 0) x where %s offset 0
        ) order by w.value_date desc, w.line_no desc limit $8
      ) %s) w $sql$, stands, of_standing, filters, unpaired)
    else format($sql$
      select w.value_date, w.line_no from s cross join lateral (
        select x.value_date, x.line_no from public.lines x
        where x.tenant_id = $1 and x.source_no = s.source_no and %s order by x.value_date desc, x.line_no desc limit $8
      ) w $sql$, filters)
    end)
  using tenant, input, r, source_nos, few, after_date, after_no, most;
end $$;

-- Latest first. input: { limit, after: [value_date, id] | null, source_id, reconciliation_id, side, state, currency, date_from, date_to,
-- amount_from, amount_to, import_id, q }: every word of q stands in reference, counterparty, description or external_id, or is the
-- amount. Of a reconciliation: what it settled, and what is open in it; of a closed one as it closed. Refuses: not_found.
create function public.list_lines(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  r public.reconciliations;
  source_nos integer[];
  items jsonb;
begin
  perform private.enter(request, 'list_lines');
  if input ->> 'source_id' is not null then
    perform private.find_source(input ->> 'source_id');
  end if;
  if input ->> 'reconciliation_id' is not null then
    select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = input ->> 'reconciliation_id';
    if not found then
      perform private.refuse_missing('reconciliation');
    end if;
  end if;
  source_nos := array(
    select s.source_no
    from public.sources s
    left join public.pairs p on p.tenant_id = tenant and p.pair_no = r.pair_no
    where s.tenant_id = tenant
      and (input ->> 'source_id' is null or s.id = input ->> 'source_id')
      and (r.id is null or s.source_no in (p.left_source_no, p.right_source_no))
      and (input ->> 'side' is null or s.source_no = case input ->> 'side' when 'left' then p.left_source_no else p.right_source_no end)
  );
  select jsonb_agg(private.line_json(l, s.id, r.pair_no) || private.line_in_closed(l, r) order by f.n) into items
  from private.own_lines(r, input, source_nos, page_size + 1) f
  cross join lateral (select * from public.lines y where y.tenant_id = tenant and y.line_no = f.line_no offset 0) l
  join public.sources s on s.tenant_id = tenant and s.source_no = l.source_no;
  return private.page(items, page_size, 'value_date', 'id');
end $$;

-- What a line of a closed period was in it: { state, open_minor, match_ids }. Of another period: {}.
create function private.line_in_closed(l public.lines, r public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  carried bigint;
  ids jsonb;
begin
  if r.closed_at is null then
    return '{}';
  end if;
  select c.open_minor into carried from public.carried_lines c
  where c.tenant_id = l.tenant_id and c.reconciliation_id = r.id and c.line_no = l.line_no;
  select coalesce(jsonb_agg(private.match_id_text(m.id) order by m.id), '[]') into ids
  from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
  where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no and m.reconciliation_id = r.id and m.state = 'confirmed';
  return jsonb_build_object('match_ids', ids,
    'state', case when carried is null then case when ids = '[]' then 'excluded' else 'matched' end
      when ids = '[]' then 'open' else 'partly_matched' end,
    -- As it was posted, as in line_standing.
    'open_minor', case when carried is null then 0 when sign(carried) = sign(l.amount_minor) then carried else -carried end);
end $$;

grant execute on function private.own_lines(public.reconciliations, jsonb, integer[], integer),
  private.line_in_closed(public.lines, public.reconciliations)
to authenticated;

-- Imports: files of lines. The body is kept in chunks until it was read, so that any matcher on any machine can read it.

create table public.imports (
  id text not null default private.new_id('imp'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  source_no integer not null,
  -- receiving: the body is still coming in, and nobody sees it.
  status text not null default 'receiving' check (status in ('receiving', 'queued', 'reading', 'done', 'failed', 'undoing', 'undone')),
  format text not null,
  mapping jsonb,
  file_name text check (length(file_name) between 1 and 255),
  read_count bigint not null default 0,
  accepted_count bigint not null default 0,
  duplicate_count bigint not null default 0,
  refused_count bigint not null default 0,
  -- Entries that are no booked money.
  skipped_count bigint not null default 0,
  -- The first 100: [{ line, field, message }].
  refusals jsonb not null default '[]',
  -- The first 100, as lib/imports/formats/line.ts has them.
  statements jsonb not null default '[]',
  opening_balance_minor bigint,
  closing_balance_minor bigint,
  balance_holds boolean,
  bytes_read bigint not null default 0,
  bytes_total bigint not null default 0,
  -- Why it failed, in words for the caller.
  failure text,
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  finished_at timestamptz(3),
  undone_at timestamptz(3),
  undone_by text,
  -- Between them lie all of its lines, and others that came at the same time: an index of lines by import would cost every line.
  first_line_no bigint,
  last_line_no bigint,
  primary key (tenant_id, id),
  foreign key (tenant_id, source_no) references public.sources (tenant_id, source_no)
);
create index imports_by_source on public.imports (tenant_id, source_no, id);
create index imports_at_work on public.imports (tenant_id, status, id) where status in ('receiving', 'queued', 'reading', 'undoing');

create table private.import_chunks (
  tenant_id text not null,
  import_id text not null,
  seq integer not null check (seq >= 0),
  bytes bytea not null check (octet_length(bytes) between 1 and 1048576),
  primary key (tenant_id, import_id, seq),
  foreign key (tenant_id, import_id) references public.imports (tenant_id, id) on delete cascade
);
alter table private.import_chunks alter column bytes set storage external;

alter table public.imports enable row level security;
alter table private.import_chunks enable row level security;
grant select on public.imports to authenticated, service_role;
create policy imports_read on public.imports for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));

-- Imports over the wire. Taking a file in has three steps of one request: open_import, keep_import_chunk for each part, create_import.

create function private.import_json(i public.imports) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', i.id, 'source_id', (select s.id from public.sources s where s.tenant_id = i.tenant_id and s.source_no = i.source_no),
    'status', i.status, 'format', i.format, 'file_name', i.file_name, 'read_count', i.read_count, 'accepted_count', i.accepted_count,
    'duplicate_count', i.duplicate_count, 'refused_count', i.refused_count, 'skipped_count', i.skipped_count, 'refusals', i.refusals,
    'statements', i.statements, 'opening_balance_minor', i.opening_balance_minor, 'closing_balance_minor', i.closing_balance_minor,
    'balance_holds', i.balance_holds, 'bytes_read', i.bytes_read, 'bytes_total', i.bytes_total, 'failure', i.failure,
    'created_at', private.iso(i.created_at), 'created_by', i.created_by, 'finished_at', private.iso(i.finished_at),
    'undone_at', private.iso(i.undone_at), 'undone_by', i.undone_by
  );
end $$;

-- What a tenant may have waiting, and what a database may hold: asked before a byte is kept. A byte of a file takes about ten until it is
-- lines, indexes and the log of both. Refuses: conflict, unavailable.
create function private.require_room(files integer, bytes bigint, database_max_bytes bigint) returns void
language plpgsql stable set search_path = '' as $$
declare
  waiting record;
begin
  select count(*) as files, coalesce(sum(greatest(i.bytes_total, i.bytes_read)), 0) as bytes into waiting
  from public.imports i where i.tenant_id = private.tenant_id() and i.status in ('receiving', 'queued', 'reading');
  if waiting.files + require_room.files > 20 or waiting.bytes + require_room.bytes > 4294967296 then
    perform private.refuse('conflict', 'At most 20 imports of 4 GiB in all can wait or be read at a time. Wait until one is done, and upload the file again.');
  end if;
  if pg_database_size(current_database()) + 10 * (waiting.bytes + require_room.bytes) > database_max_bytes then
    perform private.refuse('unavailable', 'There is not enough disk space for this file. Nothing of it was kept.');
  end if;
end $$;

-- input: { source_id, format, file_name, bytes, database_max_bytes, preview }. Answers { id, source: { currency, time_zone, mapping } };
-- id is null for a preview, which keeps nothing. Refuses: not_found, conflict, unavailable.
create function public.open_import(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  s public.sources;
  opened text;
begin
  perform private.enter(request, 'open_import');
  s := private.find_source(input ->> 'source_id');
  if not coalesce((input ->> 'preview')::boolean, false) then
    perform private.require_room(1, coalesce((input ->> 'bytes')::bigint, 0), (input ->> 'database_max_bytes')::bigint);
    insert into public.imports (tenant_id, source_no, format, file_name, bytes_total)
    values (s.tenant_id, s.source_no, input ->> 'format', input ->> 'file_name', coalesce((input ->> 'bytes')::bigint, 0))
    returning id into opened;
  end if;
  return jsonb_build_object(
    'id', opened,
    'source', jsonb_build_object('currency', s.currency, 'time_zone', s.time_zone, 'mapping', s.mapping)
  );
end $$;

-- input: { id, seq, bytes, database_max_bytes }: bytes in base64, a part of at most 1 MiB. Refuses: not_found, conflict, unavailable.
create function public.keep_import_chunk(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  part bytea;
begin
  perform private.enter(request, 'keep_import_chunk');
  -- Its length may have been said by nobody.
  if (input ->> 'seq')::integer % 64 = 63 then
    perform private.require_room(0, 0, (input ->> 'database_max_bytes')::bigint);
  end if;
  part := decode(input ->> 'bytes', 'base64');
  update public.imports i set bytes_read = i.bytes_read + octet_length(part)
  where i.tenant_id = private.tenant_id() and i.id = input ->> 'id' and i.status = 'receiving';
  if not found then
    perform private.refuse_missing('import');
  end if;
  insert into private.import_chunks (tenant_id, import_id, seq, bytes)
  values (private.tenant_id(), input ->> 'id', (input ->> 'seq')::integer, part)
  on conflict on constraint import_chunks_pkey do nothing;
  return '{}';
end $$;

-- Has a matcher read what came in. Refuses: not_found.
create function private.queue_import(import_id text, mapping jsonb, bytes bigint) returns public.imports
language plpgsql volatile set search_path = '' as $$
declare
  queued public.imports;
begin
  update public.imports i set status = 'queued', mapping = queue_import.mapping, bytes_total = bytes, bytes_read = 0
  where i.tenant_id = private.tenant_id() and i.id = $1 and i.status = 'receiving'
  returning * into queued;
  if not found then
    perform private.refuse_missing('import');
  end if;
  -- One file of a source at a time: two with the same lines would wait for each other.
  perform graphile_worker.add_job(
    'read_import', private.of_request(jsonb_build_object('tenant_id', queued.tenant_id, 'import_id', queued.id)),
    queue_name => 'source:' || queued.tenant_id || ':' || queued.source_no, max_attempts => 6, flags => private.places_of(queued.tenant_id, 'lines')
  );
  return queued;
end $$;

create function private.drop_received(import_id text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  delete from public.imports i where i.tenant_id = private.tenant_id() and i.id = $1 and i.status = 'receiving';
end $$;

-- The last step: the file came in whole. input: { id, mapping, bytes }. Under an idempotency key that was used the file is dropped, and
-- the first answer given. Refuses: not_found.
create function public.create_import(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'create_import');
begin
  if kept is not null then
    perform private.drop_received(input ->> 'id');
    return kept;
  end if;
  return private.answer(request, private.import_json(
    private.queue_import(input ->> 'id', nullif(input -> 'mapping', 'null'), (input ->> 'bytes')::bigint)
  ));
end $$;

-- The file did not come in whole, or is not to be read. input: { id }.
create function public.drop_import(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.enter(request, 'drop_import');
  perform private.drop_received(input ->> 'id');
  return '{}';
end $$;

-- input: { source_id, lines }. Answers { positions }: of the lines that are there already. Refuses: not_found.
create function public.preview_import(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.enter(request, 'preview_import');
  return jsonb_build_object(
    'positions', private.known_lines((private.find_source(input ->> 'source_id')).source_no, input -> 'lines')
  );
end $$;

-- The import of the caller's tenant, once it came in. Refuses: not_found.
create function private.find_import(id text) returns public.imports
language plpgsql stable set search_path = '' as $$
declare
  i public.imports;
begin
  select * into i from public.imports x where x.tenant_id = private.tenant_id() and x.id = $1 and x.status <> 'receiving';
  if not found then
    perform private.refuse_missing('import');
  end if;
  return i;
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_import(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, 'get_import');
  return private.import_json(private.find_import(input ->> 'id'));
end $$;

-- Newest first. input: { limit, after: [id] | null, source_id, status }. Refuses: not_found.
create function public.list_imports(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  wanted integer;
  items jsonb;
begin
  perform private.enter(request, 'list_imports');
  if input ->> 'source_id' is not null then
    wanted := (private.find_source(input ->> 'source_id')).source_no;
  end if;
  select jsonb_agg(private.import_json(i) order by i.id desc) into items
  from (
    select * from public.imports x
    where x.tenant_id = private.tenant_id() and x.status <> 'receiving'
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (wanted is null or x.source_no = wanted)
      and (input ->> 'status' is null or x.status = input ->> 'status')
    order by x.id desc
    limit page_size + 1
  ) i;
  return private.page(items, page_size, 'id');
end $$;

grant execute on function private.import_json(public.imports), private.find_import(text) to authenticated;

-- Reading of imports: what a matcher does with a file that came in. It reads on a connection of its own, in one transaction: a matcher
-- that dies leaves nothing, and another one takes the file up again.

-- Answers what is needed to read it: { format, mapping, currency, time_zone, source_no, bytes_total }, or null where there is nothing to do.
create function private.claim_import(tenant_id text, import_id text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  i public.imports;
begin
  update public.imports x set status = 'reading', bytes_read = 0, read_count = 0, refused_count = 0
  where x.tenant_id = $1 and x.id = $2 and x.status in ('queued', 'reading')
  returning * into i;
  return (
    select jsonb_build_object('format', i.format, 'mapping', i.mapping, 'currency', s.currency, 'time_zone', s.time_zone,
      'source_no', i.source_no, 'bytes_total', i.bytes_total)
    from public.sources s where s.tenant_id = i.tenant_id and s.source_no = i.source_no
  );
end $$;

-- How far it is; answers whether to go on, which is no longer so once somebody undid it.
create function private.report_import_progress(tenant_id text, import_id text, progress jsonb) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
begin
  update public.imports x set
    bytes_read = (progress ->> 'bytes_read')::bigint, read_count = (progress ->> 'read_count')::bigint,
    refused_count = (progress ->> 'refused_count')::bigint
  where x.tenant_id = $1 and x.id = $2 and x.status = 'reading';
  return found;
end $$;

create function private.emit_import_done(i public.imports) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.emit(i.tenant_id, 'import.done', jsonb_build_object('import', private.import_json(i) - '{refusals,statements}'::text[]));
end $$;

-- Keeps what was staged in this transaction. outcome: { read_count, refused_count, skipped_count, refusals, statements,
-- opening_balance_minor, closing_balance_minor, balance_holds, bytes_read }. Answers the import's status; the caller commits only where it
-- is done.
create function private.finish_import(tenant_id text, import_id text, outcome jsonb) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  i public.imports;
  kept jsonb;
  lines_at constant regclass := pg_get_serial_sequence('public.lines', 'line_no');
  first_no constant bigint := pg_sequence_last_value(lines_at);
begin
  select * into strict i from public.imports x where x.tenant_id = $1 and x.id = $2;
  kept := private.keep_staged_lines($1, i.source_no, $2);
  update public.imports x set
    status = 'done', finished_at = now(), bytes_read = x.bytes_total,
    read_count = (outcome ->> 'read_count')::bigint,
    accepted_count = (kept ->> 'accepted')::bigint,
    duplicate_count = (kept ->> 'duplicates')::bigint,
    refused_count = (outcome ->> 'refused_count')::bigint + (kept ->> 'conflict_count')::bigint,
    skipped_count = (outcome ->> 'skipped_count')::bigint,
    refusals = private.first_of(outcome -> 'refusals' || (
      select coalesce(jsonb_agg(jsonb_build_object('line', c -> 'file_line', 'field', 'external_id', 'message', format(
        'A line with this external_id has another amount. Found "%s", expected %s.', c ->> 'found', c ->> 'wanted'
      ))), '[]') from jsonb_array_elements(kept -> 'conflicts') c
    ), 100),
    statements = private.first_of(outcome -> 'statements', 100),
    opening_balance_minor = (outcome ->> 'opening_balance_minor')::bigint,
    closing_balance_minor = (outcome ->> 'closing_balance_minor')::bigint,
    balance_holds = (outcome ->> 'balance_holds')::boolean,
    first_line_no = coalesce(first_no, 0), last_line_no = pg_sequence_last_value(lines_at)
  where x.tenant_id = $1 and x.id = $2 and x.status = 'reading'
  returning * into i;
  if not found then
    return (select x.status from public.imports x where x.tenant_id = $1 and x.id = $2);
  end if;
  delete from private.import_chunks c where c.tenant_id = $1 and c.import_id = $2;
  update public.sources s set last_import_at = now() where s.tenant_id = $1 and s.source_no = i.source_no;
  perform private.emit_import_done(i);
  return 'done';
end $$;

create function private.first_of(list jsonb, most integer) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return coalesce((select jsonb_agg(e.value order by e.n) from jsonb_array_elements(list) with ordinality e (value, n) where e.n <= most), '[]');
end $$;

-- It cannot be read, and nothing of it is kept. refusals: as in an import.
create function private.fail_import(tenant_id text, import_id text, failure text, refusals jsonb default '[]') returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  i public.imports;
begin
  update public.imports x set
    status = 'failed', finished_at = now(), failure = fail_import.failure, refusals = private.first_of(fail_import.refusals, 100)
  where x.tenant_id = $1 and x.id = $2 and x.status in ('queued', 'reading')
  returning * into i;
  if found then
    delete from private.import_chunks c where c.tenant_id = $1 and c.import_id = $2;
    perform private.emit_import_done(i);
  end if;
end $$;

-- Files that nobody went on sending. Answers how many.
create function private.purge_imports(batch integer default 100) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  deleted integer;
begin
  delete from public.imports where (tenant_id, id) in (
    select i.tenant_id, i.id from public.imports i where i.status = 'receiving' and i.created_at < now() - interval '2 hours' limit batch
  );
  get diagnostics deleted = row_count;
  return deleted;
end $$;

grant execute on function private.claim_import(text, text), private.report_import_progress(text, text, jsonb), private.stage_lines(),
  private.finish_import(text, text, jsonb), private.fail_import(text, text, text, jsonb), private.purge_imports(integer)
to service_role;

-- Undoing of imports, whole: while it waits or is read nothing of it is kept, afterwards its lines go, and the matches that they are in.

-- Removes the import's lines. Refuses: conflict where a closed or archived period needs one of them.
create function private.remove_import(tenant_id text, import_id text, undone_by text) returns public.imports
language plpgsql volatile security definer set search_path = '' as $$
declare
  i public.imports;
  removed bigint;
begin
  perform private.lines_leave($1, $2);
  delete from public.lines l using public.imports x
  where x.tenant_id = $1 and x.id = $2 and l.tenant_id = $1 and l.line_no between x.first_line_no and x.last_line_no and l.import_id = $2;
  get diagnostics removed = row_count;
  update public.imports x set status = 'undone', undone_at = now(), undone_by = coalesce(x.undone_by, $3)
  where x.tenant_id = $1 and x.id = $2
  returning * into i;
  if removed > 0 then
    update public.sources s set line_count = s.line_count - removed where s.tenant_id = $1 and s.source_no = i.source_no;
  end if;
  return i;
end $$;

-- Of the caller's tenant: at once, or by a matcher where it is large. Refuses: not_found, conflict.
create function private.begin_undoing(import_id text) returns public.imports
language plpgsql volatile set search_path = '' as $$
declare
  i public.imports;
begin
  select * into i from public.imports x where x.tenant_id = private.tenant_id() and x.id = $1 and x.status <> 'receiving' for update;
  if not found then
    perform private.refuse_missing('import');
  end if;
  if i.status in ('queued', 'reading') then
    update public.imports x set status = 'undone', undone_at = now(), undone_by = private.actor(), finished_at = now()
    where x.tenant_id = i.tenant_id and x.id = i.id
    returning * into i;
    delete from private.import_chunks c where c.tenant_id = i.tenant_id and c.import_id = i.id;
    return i;
  elsif i.status = 'done' and i.accepted_count <= private.lines_at_once() then
    return private.remove_import(i.tenant_id, i.id, private.actor());
  elsif i.status = 'done' then
    -- So that no closing of theirs begins unseen.
    perform private.hold_pairs_of_source(i.tenant_id, i.source_no);
    perform private.require_undoable(i.tenant_id, i.source_no, private.line_nos_of_import(i.tenant_id, i.id));
    update public.imports x set status = 'undoing', undone_by = private.actor() where x.tenant_id = i.tenant_id and x.id = i.id
    returning * into i;
    perform graphile_worker.add_job(
      'undo_import', private.of_request(jsonb_build_object('tenant_id', i.tenant_id, 'import_id', i.id)),
      queue_name => 'source:' || i.tenant_id || ':' || i.source_no, max_attempts => 6, flags => private.places_of(i.tenant_id, 'lines')
    );
    return i;
  end if;
  perform private.refuse('conflict', case i.status
    when 'failed' then 'This import failed, and nothing of it was kept: there is nothing to undo.'
    else 'This import is undone already.'
  end);
end $$;

-- Of one that is undoing; what became impossible meanwhile leaves it done.
create function private.finish_undoing(tenant_id text, import_id text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  if exists (select from public.imports x where x.tenant_id = $1 and x.id = $2 and x.status = 'undoing' for update) then
    perform private.remove_import($1, $2, null);
  end if;
exception when sqlstate 'TO001' then
  update public.imports x set status = 'done', undone_by = null where x.tenant_id = $1 and x.id = $2;
end $$;

-- input: { id }. Refuses: not_found, conflict.
create function public.undo_import(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'undo_import');
begin
  if kept is not null then
    return kept;
  end if;
  return private.answer(request, private.import_json(private.begin_undoing(input ->> 'id')));
end $$;

grant execute on function private.finish_undoing(text, text) to service_role;

-- Pairs: the left and the right source that reconciliations of successive periods compare. Made with the first of them.

create table public.pairs (
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  -- What narrow tables hold; never leaves the database.
  pair_no integer not null generated always as identity,
  left_source_no integer not null,
  right_source_no integer not null,
  -- Of the newest row of pair_rules; 0: the defaults.
  rules_version integer not null default 0,
  -- What people's decisions taught (matcher/engine/weights.ts); null: nothing yet.
  weights jsonb,
  -- How far the lines that came before it are open: { source_no, value_date, line_no }, {}: none yet; null: all of them.
  opening jsonb,
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  primary key (tenant_id, pair_no),
  unique (tenant_id, left_source_no, right_source_no),
  check (left_source_no <> right_source_no),
  foreign key (tenant_id, left_source_no) references public.sources (tenant_id, source_no),
  foreign key (tenant_id, right_source_no) references public.sources (tenant_id, source_no)
);
create index pairs_by_right_source on public.pairs (tenant_id, right_source_no);

-- The rules of a pair and what goes with them, each change a version.
create table public.pair_rules (
  tenant_id text not null default private.tenant_id(),
  pair_no integer not null,
  version integer not null check (version >= 1),
  rules jsonb not null check (jsonb_typeof(rules) = 'array'),
  -- { automatic, fees, four_eyes, calendar_id, exceptions: { assigned_to, severities, most_a_run } } (lib/matching/rules/contract.ts)
  policy jsonb not null check (jsonb_typeof(policy) = 'object'),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  primary key (tenant_id, pair_no, version),
  foreign key (tenant_id, pair_no) references public.pairs (tenant_id, pair_no)
);

create index reconciliations_by_pair on public.reconciliations (tenant_id, pair_no, period_end) where pair_no is not null;

alter table public.pairs enable row level security;
alter table public.pair_rules enable row level security;
grant select on public.pairs, public.pair_rules to authenticated, service_role;
create policy pairs_read on public.pairs for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));
create policy pair_rules_read on public.pair_rules for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));

-- What stands where nobody changed it.
create function private.default_policy() returns jsonb
language sql immutable set search_path = ''
return '{"automatic": "earned", "fees": "deduct", "four_eyes": false, "calendar_id": null, "exceptions": {"assigned_to": null, "most_a_run": 1000,
  "severities": [{"from_minor": 0, "severity": "low"}, {"from_minor": 100000, "severity": "medium"}, {"from_minor": 1000000, "severity": "high"},
  {"from_minor": 10000000, "severity": "critical"}]}}'::jsonb;

create function private.policy_of_pair(tenant text, pair integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return private.default_policy() || coalesce((
    select r.policy from public.pairs p join public.pair_rules r on r.tenant_id = p.tenant_id and r.pair_no = p.pair_no and r.version = p.rules_version
    where p.tenant_id = tenant and p.pair_no = pair
  ), '{}');
end $$;
grant execute on function private.default_policy(), private.policy_of_pair(text, integer) to authenticated;

-- Preparing: what a pair's sources have when it is made is opened in it, a few lines at once, more by the matcher in steps that are transactions of their
-- own. Until all is, nothing of the pair is settled: a step would open again what was taken.

-- Whether lines that came before the pair are still to be opened in it. Once they are, it stays so.
create function private.is_preparing(tenant text, pair integer) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (select from public.pairs p where p.tenant_id = tenant and p.pair_no = pair and p.opening is not null);
end $$;

-- Refuses: conflict.
create function private.require_prepared(tenant text, pair integer) returns void
language plpgsql stable set search_path = '' as $$
begin
  if private.is_preparing(tenant, pair) then
    perform private.refuse('conflict', 'The lines of its sources are still coming in. Wait until preparing is false in the reconciliation, and send the '
      'call again.');
  end if;
end $$;

-- Opens what the next lines of each source have open in the pair, at most so many of each. Answers whether all are open.
create function private.open_earlier_lines(pair public.pairs, most integer) returns boolean
language plpgsql volatile set search_path = '' as $$
declare
  side record;
  opened record;
begin
  if pair.opening is null then
    return true;
  end if;
  for side in
    select s.source_no, case s.source_no when pair.left_source_no then 'left' else 'right' end as name,
      case s.sign when 'inverted' then -1 else 1 end as factor,
      case s.source_no when (pair.opening ->> 'source_no')::integer then (pair.opening ->> 'value_date')::date else '-infinity' end as after_date,
      coalesce((pair.opening ->> 'line_no')::bigint, 0) as after_no
    from public.sources s
    where s.tenant_id = pair.tenant_id and s.source_no in (pair.left_source_no, pair.right_source_no)
      and s.source_no >= coalesce((pair.opening ->> 'source_no')::integer, 0)
    order by s.source_no
  loop
    with next as materialized (
      select l.source_no, l.value_date, l.line_no, l.currency, side.factor * l.amount_minor as effective
      from public.lines l
      where l.tenant_id = pair.tenant_id and l.source_no = side.source_no and (l.value_date, l.line_no) > (side.after_date, side.after_no)
      order by l.value_date, l.line_no limit most
    ), written as (
      insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor, open_minor, value_date)
      select pair.tenant_id, pair.pair_no, n.line_no, side.name, n.currency, n.effective, n.effective, n.value_date from next n
      -- It came after the pair was made.
      on conflict do nothing
    )
    select (select count(*) from next) as lines, (
      select jsonb_build_object('source_no', n.source_no, 'value_date', n.value_date, 'line_no', n.line_no)
      from next n order by n.value_date desc, n.line_no desc limit 1
    ) as up_to
    into opened;
    if opened.lines = most then
      update public.pairs p set opening = opened.up_to where p.tenant_id = pair.tenant_id and p.pair_no = pair.pair_no;
      return false;
    end if;
  end loop;
  update public.pairs p set opening = null where p.tenant_id = pair.tenant_id and p.pair_no = pair.pair_no;
  return true;
end $$;

-- The caller's pair of these sources, made where there is none, and whether all that was there before is open in it: of a new one up to a thousand
-- lines of each are opened here, unless lines come in just now. If not, the caller asks for the rest. Refuses: invalid_request for a source the tenant
-- does not have.
create function private.open_pair(left_source_id text, right_source_id text, out pair_no integer, out is_open boolean)
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  left_no integer;
  right_no integer;
  stand_still boolean;
  pair public.pairs;
begin
  select s.source_no into left_no from public.sources s where s.tenant_id = tenant and s.id = $1;
  select s.source_no into right_no from public.sources s where s.tenant_id = tenant and s.id = $2;
  if left_no is null then
    perform private.refuse_field('left_source_id', 'There is no such source.');
  elsif right_no is null then
    perform private.refuse_field('right_source_id', 'There is no such source.');
  elsif left_no = right_no then
    perform private.refuse_field('right_source_id', 'Name two sources: a source is not compared with itself.');
  end if;
  stand_still := private.try_sources_alone(tenant, array[left_no, right_no]);
  -- None is made but for a reconciliation.
  perform private.require_quota('reconciliations');
  insert into public.pairs (tenant_id, left_source_no, right_source_no, opening) values (tenant, left_no, right_no, '{}')
  on conflict (tenant_id, left_source_no, right_source_no) do nothing
  returning * into pair;
  if not found then
    select * into strict pair from public.pairs p where p.tenant_id = tenant and p.left_source_no = left_no and p.right_source_no = right_no;
    is_open := stand_still and pair.opening is null;
  elsif stand_still then
    is_open := private.open_earlier_lines(pair, 1000);
  else
    is_open := false;
  end if;
  pair_no := pair.pair_no;
end $$;

-- Has the matcher open the rest. In the queue of the pair's runs: they take turns.
create function private.queue_preparing(tenant text, pair integer, delay interval) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform graphile_worker.add_job('prepare_pair', private.of_request(jsonb_build_object('tenant_id', tenant, 'pair_no', pair)),
    queue_name => 'pair:' || pair, run_at => now() + delay, job_key => 'prepare:' || pair, flags => private.places_of(tenant, 'lines'));
end $$;

-- Opens the next lines of a pair. Once all are open, asks for the runs that waited for them. Answers whether its job goes on: it does not where lines
-- come in for longer than anybody should wait, and another job takes its turn later.
create function private.prepare_pair(tenant text, pair integer) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  p public.pairs;
begin
  begin
    perform private.hold_sources_alone(x.tenant_id, array[x.left_source_no, x.right_source_no]) from public.pairs x
    where x.tenant_id = tenant and x.pair_no = pair;
  exception when sqlstate 'TO001' then
    perform private.queue_preparing(tenant, pair, interval '5 seconds');
    return false;
  end;
  select * into strict p from public.pairs x where x.tenant_id = tenant and x.pair_no = pair for no key update;
  if not private.open_earlier_lines(p, 25000) then
    return true;
  end if;
  perform private.queue_run(w.tenant_id, w.pair_no, w.reconciliation_id, w.asked, interval '0') from (
    select r.tenant_id, r.pair_no, r.reconciliation_id, case when r.dry_run is not null then r.id end as asked
    from public.runs r join public.reconciliations c on c.tenant_id = r.tenant_id and c.id = r.reconciliation_id
    where r.tenant_id = tenant and r.pair_no = pair and r.status = 'queued' order by c.period_end, r.id
  ) w;
  perform private.ask_for_runs(tenant, pair);
  return false;
end $$;

grant execute on function private.is_preparing(text, integer) to authenticated;
grant execute on function private.prepare_pair(text, integer) to service_role;

-- Open lines: what is open of each line in each pair its source stands in. A row exists only while something is, so that a run reads
-- what is open and not all there ever was.

-- Amounts are effective: negated where the source's sign is inverted. Written by our functions alone, which have found the pair and the
-- line: foreign keys would check each of millions again.
create table private.open_lines (
  tenant_id text not null,
  pair_no integer not null,
  line_no bigint not null,
  side text not null check (side in ('left', 'right')),
  currency text not null,
  amount_minor bigint not null,
  -- Of the sign of amount_minor, and not beyond it.
  open_minor bigint not null check (open_minor between least(amount_minor, 0) and greatest(amount_minor, 0)),
  value_date date not null,
  primary key (tenant_id, pair_no, line_no)
) with (fillfactor = 95, autovacuum_vacuum_scale_factor = 0.05);
-- The two orders of a workbench.
create index open_lines_by_date on private.open_lines (tenant_id, pair_no, side, value_date, line_no);
create index open_lines_by_amount on private.open_lines (tenant_id, pair_no, side, (-abs(open_minor)), line_no);
alter table private.open_lines enable row level security;
grant select on private.open_lines to authenticated;
create policy open_lines_read on private.open_lines for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));

-- Locks of a pair, in the one order in which all take them: its sources, the pair, its period, its lines. Why: docs/decisions/0022-lock-order.md.
-- Whatever is read after one of these functions, by a statement of its own, sees what those that held it before have done.

create function private.lock_of_source(tenant text, source_no integer) returns bigint
language plpgsql immutable set search_path = '' as $$
begin
  return hashtextextended('source ' || tenant || ' ' || source_no, 0);
end $$;

-- For whoever adds or removes lines of a source, as others may at the same time.
create function private.hold_source(tenant text, source_no integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform pg_advisory_xact_lock_shared(private.lock_of_source(tenant, source_no));
end $$;

-- For whoever needs all lines of sources as they are: another sign or currency, a pair that opens, a period that closes. Nobody adds or removes
-- any until the transaction ends. Refuses: conflict where it waits for longer than a call should, and those behind it with it.
create function private.hold_sources_alone(tenant text, source_nos integer[]) returns void
language plpgsql volatile set search_path = '' set lock_timeout = '4s' as $$
declare
  source_no integer;
begin
  for source_no in select n from unnest(source_nos) n order by n loop
    perform pg_advisory_xact_lock(private.lock_of_source(tenant, source_no));
  end loop;
exception when lock_not_available then
  perform private.refuse('conflict', 'Lines of these sources are coming in or being removed. Wait until that is done, and send the call again.');
end $$;

-- The same without a wait, for whoever can leave it to others. Answers whether all are held.
create function private.try_sources_alone(tenant text, source_nos integer[]) returns boolean
language plpgsql volatile set search_path = '' as $$
begin
  return (select bool_and(pg_try_advisory_xact_lock(private.lock_of_source(tenant, n))) from unnest(source_nos) n);
end $$;

create function private.hold_pair(tenant text, pair integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform from public.pairs p where p.tenant_id = tenant and p.pair_no = pair for no key update;
end $$;

create function private.hold_pairs_of_source(tenant text, source_no integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform from public.pairs p
  where p.tenant_id = tenant and hold_pairs_of_source.source_no in (p.left_source_no, p.right_source_no)
  order by p.pair_no for no key update;
end $$;

-- The pair of one of the caller's reconciliations, before its row is locked; nothing where it has none.
create function private.hold_pair_of(reconciliation text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.hold_pair(r.tenant_id, r.pair_no) from public.reconciliations r
  where r.tenant_id = private.tenant_id() and r.id = reconciliation and r.pair_no is not null;
end $$;

-- The tenant's period to write in, with its pair. Refuses: not_found; conflict where it has no sources, is being prepared or closed, is closed
-- or archived.
create function private.hold_period(tenant text, reconciliation text) returns public.reconciliations
language plpgsql volatile security definer set search_path = '' as $$
declare
  r public.reconciliations;
begin
  select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  if not found then
    perform private.refuse_missing('reconciliation');
  elsif r.pair_no is null then
    perform private.refuse('conflict', 'This reconciliation has no sources. Create one with left_source_id and right_source_id to match lines.');
  end if;
  perform private.require_prepared(tenant, r.pair_no);
  perform private.hold_pair(tenant, r.pair_no);
  select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation for no key update;
  if r.closed_at is not null then
    perform private.refuse('conflict', 'The period is closed. Reopen it first.');
  elsif r.status = 'archived' then
    perform private.refuse('conflict', 'The reconciliation is archived: it does not change any more.');
  end if;
  perform private.require_not_closing(tenant, r.pair_no, r.id);
  return r;
end $$;

-- The same, with the period's sources before them.
create function private.hold_period_alone(tenant text, reconciliation text) returns public.reconciliations
language plpgsql volatile security definer set search_path = '' as $$
begin
  -- Whoever prepares it holds them again and again.
  perform private.require_prepared(r.tenant_id, r.pair_no) from public.reconciliations r where r.tenant_id = tenant and r.id = reconciliation;
  perform private.hold_sources_alone(tenant, array[p.left_source_no, p.right_source_no])
  from public.reconciliations r join public.pairs p on p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  where r.tenant_id = tenant and r.id = reconciliation;
  return private.hold_period(tenant, reconciliation);
end $$;

-- What a pair does when lines come and go. Called in the transaction that adds or removes them.

-- Lines of the source were added, and their rows in open_lines: they are asked to be matched.
create function private.lines_arrived(tenant_id text, source_no integer) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.ask_for_runs(p.tenant_id, p.pair_no) from (
    select x.tenant_id, x.pair_no from public.pairs x
    where x.tenant_id = $1 and $2 in (x.left_source_no, x.right_source_no) order by x.pair_no
  ) p;
end $$;

-- The numbers of an import's lines, found by the span that they lie in: lines have no index by import.
create function private.line_nos_of_import(tenant_id text, import_id text) returns bigint[]
language plpgsql stable security definer set search_path = '' as $$
begin
  return array(
    select l.line_no from public.imports i
    join public.lines l on l.tenant_id = i.tenant_id and l.line_no between i.first_line_no and i.last_line_no and l.import_id = i.id
    where i.tenant_id = $1 and i.id = $2
  );
end $$;

-- Refuses: conflict where a closed or archived period matched, excluded or carried one of these lines of a source, or a period of it is being
-- closed.
create function private.require_undoable(tenant_id text, source_no integer, line_nos bigint[]) returns void
language plpgsql stable security definer set search_path = '' as $$
declare
  held public.reconciliations;
begin
  perform private.require_not_closing(p.tenant_id, p.pair_no) from public.pairs p
  where p.tenant_id = $1 and $2 in (p.left_source_no, p.right_source_no);
  select r.* into held from (
    select m.reconciliation_id as id from public.match_members mm
    join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id and m.state = 'confirmed'
    where mm.tenant_id = $1 and mm.line_no = any (line_nos)
    union all
    select x.reconciliation_id from public.exclusions x where x.tenant_id = $1 and x.line_no = any (line_nos)
    union all
    select c.reconciliation_id from public.pairs p
    join public.reconciliations q on q.tenant_id = p.tenant_id and q.pair_no = p.pair_no and q.closed_at is not null
    join public.carried_lines c on c.tenant_id = q.tenant_id and c.reconciliation_id = q.id and c.line_no = any (line_nos)
    where p.tenant_id = $1 and $2 in (p.left_source_no, p.right_source_no)
  ) x
  join public.reconciliations r on r.tenant_id = $1 and r.id = x.id and (r.closed_at is not null or r.status = 'archived')
  limit 1;
  if found then
    perform private.refuse('conflict', format('%s, which is %s, matched, excluded or carried forward a line of this import. %s',
      held.name, case held.status when 'archived' then 'archived' else 'closed' end,
      case held.status when 'archived' then 'Exclude the lines in an open period instead.' else 'Reopen it first.' end));
  end if;
end $$;

-- The import's lines are about to be removed: undoes the matches that they are in, with what was open, excluded and suggested of them.
-- A match of a line that is gone shows nothing: it goes, too. Refuses: conflict, as above.
create function private.lines_leave(tenant_id text, import_id text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  source constant integer := (select i.source_no from public.imports i where i.tenant_id = $1 and i.id = $2);
  line_nos bigint[];
  touched record;
begin
  perform private.hold_source($1, source);
  perform private.hold_pairs_of_source($1, source);
  line_nos := private.line_nos_of_import($1, $2);
  perform private.require_undoable($1, source, line_nos);
  for touched in
    select mm.pair_no, array_agg(distinct mm.match_id) as ids from public.match_members mm
    where mm.tenant_id = $1 and mm.line_no = any (line_nos) group by mm.pair_no order by mm.pair_no
  loop
    perform private.undo_matches($1, touched.ids, null);
    perform private.delete_matches($1, touched.ids);
  end loop;
  for touched in select p.pair_no from public.pairs p where p.tenant_id = $1 loop
    delete from public.exclusions x where x.tenant_id = $1 and x.pair_no = touched.pair_no and x.line_no = any (line_nos);
    delete from private.open_lines o where o.tenant_id = $1 and o.pair_no = touched.pair_no and o.line_no = any (line_nos);
    perform private.resolve_line_exceptions($1, touched.pair_no, line_nos, 'The import of the line was undone.');
  end loop;
  delete from private.line_texts t where t.tenant_id = $1 and t.line_no = any (line_nos);
end $$;

-- Statistics: of a tenant that came since a table was looked at the planner expects hardly a row. Whoever has written many of a tenant's rows sees to
-- it, once they are committed, that it knows of them.

-- How many rows of the tenant's the planner expects in a table.
create function private.expected_rows(tenant text, of_table text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  plan json;
begin
  execute format('explain (format json) select from %s where tenant_id = %L', of_table, tenant) into plan;
  return (plan #>> '{0,Plan,Plan Rows}')::bigint;
end $$;

-- Has the planner look at those of the tenant's tables of which it expects a quarter of the rows that there are, or less, by the counts that are kept;
-- `anyway`: at all of them, and at those of exceptions. Not where there are few rows, or so small a share of a table that its sample would miss
-- them. Where somebody else looks just now, that will do.
create function private.refresh_statistics(tenant text, anyway boolean default false) returns void
language plpgsql volatile security definer set search_path = '' set lock_timeout = '5s' as $$
declare
  lines constant bigint := coalesce((select sum(s.line_count) from public.sources s where s.tenant_id = tenant), 0);
  in_pairs constant bigint := coalesce((
    select sum(s.line_count) from public.pairs p join public.sources s on s.tenant_id = p.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
    where p.tenant_id = tenant and p.opening is null), 0);
  matched constant bigint := coalesce((select sum(c.lines) from private.matched_counts c where c.tenant_id = tenant), 0);
  x record;
begin
  for x in
    -- A match has two lines, and seldom more than four.
    select * from (values ('public.lines', lines), ('private.open_lines', in_pairs - matched), ('public.match_members', matched),
      ('public.matches', matched / 4), ('public.exceptions', 0), ('private.exception_lines', 0)) t (of_table, rows)
  loop
    if anyway or x.rows > 10000 and x.rows > (select c.reltuples / 300 from pg_class c where c.oid = x.of_table::regclass)
      and private.expected_rows(tenant, x.of_table) <= x.rows / 4 then
      execute 'analyze ' || x.of_table;
    end if;
  end loop;
exception when lock_not_available then
  null;
end $$;
grant execute on function private.refresh_statistics(text, boolean) to service_role;

-- Matches: lines of both sides whose allocated amounts agree, or of one side that cancel each other. Left − right = adjustments + residual.

-- A run writes a million of them: our functions alone write here, which have found the pair and the period, so that no foreign key need
-- check each row again.
create table public.matches (
  tenant_id text not null default private.tenant_id(),
  -- In order of time. On the wire: mat_ and its 32 hexadecimal digits.
  id uuid not null,
  pair_no integer not null,
  reconciliation_id text not null,
  -- The run that made it last; null where a person did.
  run_id text,
  state text not null check (state in ('suggested', 'confirmed', 'rejected', 'undone')),
  shape text not null check (shape in ('1:1', '1:n', 'n:1', 'n:m', 'reversal')),
  -- The rule's name, or manual.
  method text not null,
  -- By an exact rule before which there are only such: what later runs leave alone, but for new lines of its amount.
  settled boolean not null default false,
  score real,
  margin real,
  currency text not null,
  -- The left side's, or the positive half of a reversal.
  amount_minor bigint not null,
  residual_minor bigint not null default 0,
  -- [{ kind, amount_minor, note }]
  adjustments jsonb not null default '[]',
  note text check (length(note) between 1 and 1000),
  -- As matcher/engine/explain.ts has it; null where it follows from the members: a settled match, or one by hand.
  explanation jsonb,
  -- The halves of the engine's hash: its state, rule, lines and amounts. Null of a match by hand.
  hash_high bigint,
  hash_low bigint,
  -- Who confirmed, rejected, undid or made it; null: the engine alone.
  decided_by text,
  decided_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  primary key (tenant_id, id)
) with (fillfactor = 95);
create index matches_by_reconciliation on public.matches (tenant_id, reconciliation_id, id);
create index matches_suggested on public.matches (tenant_id, reconciliation_id, id) where state = 'suggested';
create index matches_settled_by_amount on public.matches (tenant_id, reconciliation_id, amount_minor, currency)
  where settled and state = 'confirmed' and decided_by is null;
-- What people decided on proposals: how right those of a rule and score were.
create index matches_decided on public.matches (tenant_id, pair_no) where decided_by is not null and method <> 'manual';
-- What people refused: never made again.
create index matches_refused on public.matches (tenant_id, pair_no) where decided_by is not null and state in ('rejected', 'undone');

create table public.match_members (
  tenant_id text not null default private.tenant_id(),
  match_id uuid not null,
  pair_no integer not null,
  line_no bigint not null,
  side text not null check (side in ('left', 'right')),
  -- Effective, as in open_lines.
  allocated_minor bigint not null,
  primary key (tenant_id, match_id, line_no)
);
create index match_members_by_line on public.match_members (tenant_id, line_no, pair_no);

-- Lines that a person took out of a period: bank fees known elsewhere, a line that should never have been there.
create table public.exclusions (
  tenant_id text not null default private.tenant_id(),
  pair_no integer not null,
  line_no bigint not null,
  reconciliation_id text not null,
  side text not null check (side in ('left', 'right')),
  currency text not null,
  excluded_minor bigint not null,
  reason text not null check (length(reason) between 1 and 1000),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  primary key (tenant_id, pair_no, line_no),
  foreign key (tenant_id, reconciliation_id) references public.reconciliations (tenant_id, id)
);
create index exclusions_by_reconciliation on public.exclusions (tenant_id, reconciliation_id);

-- What people decided on a pair and its weights were not taught yet.
create table private.decisions (
  tenant_id text not null,
  pair_no integer not null,
  id bigint not null generated always as identity,
  match_id uuid not null,
  confirmed boolean not null,
  -- As it was proposed; null of a match by hand.
  score real,
  primary key (tenant_id, pair_no, id)
);
alter table private.decisions enable row level security;

-- How many lines the matches of a period hold, kept in the transaction of every change.
create table private.matched_counts (
  tenant_id text not null,
  reconciliation_id text not null,
  lines bigint not null default 0 check (lines >= 0),
  primary key (tenant_id, reconciliation_id)
);
alter table private.matched_counts enable row level security;
grant select on private.matched_counts to authenticated;
create policy matched_counts_read on private.matched_counts for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may(
    'read:reconciliations', 'write:reconciliations', 'read:exceptions', 'write:exceptions')));

alter table public.matches enable row level security;
alter table public.match_members enable row level security;
alter table public.exclusions enable row level security;
grant select on public.matches, public.match_members, public.exclusions to authenticated, service_role;
create policy matches_read on public.matches for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));
create policy match_members_read on public.match_members for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));
create policy exclusions_read on public.exclusions for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));

-- A closed or archived period never changes: whatever way a change came. What was undone or rejected in it may go with its lines.
create function private.refuse_change_of_closed() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  if exists (
    select from (
      select distinct c.tenant_id, c.reconciliation_id from changed c where tg_op <> 'DELETE' or tg_table_name <> 'matches' or to_jsonb(c) ->> 'state' = 'confirmed'
    ) x
    join public.reconciliations r on r.tenant_id = x.tenant_id and r.id = x.reconciliation_id
    where r.closed_at is not null or r.status = 'archived'
  ) then
    perform private.refuse('conflict', 'The period is closed or archived. Reopen a closed one first; an archived one does not change any more.');
  end if;
  return null;
end $$;
create trigger closed_inserted after insert on public.matches referencing new table as changed
  for each statement execute function private.refuse_change_of_closed();
create trigger closed_updated after update on public.matches referencing old table as changed
  for each statement execute function private.refuse_change_of_closed();
create trigger closed_deleted after delete on public.matches referencing old table as changed
  for each statement execute function private.refuse_change_of_closed();
create trigger closed_inserted after insert on public.exclusions referencing new table as changed
  for each statement execute function private.refuse_change_of_closed();
create trigger closed_deleted after delete on public.exclusions referencing old table as changed
  for each statement execute function private.refuse_change_of_closed();

-- The form of a match's id on the wire, and back; null for what has not that form.
create function private.match_id_text(id uuid) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return 'mat_' || replace(id::text, '-', '');
end $$;
create function private.match_id(id text) returns uuid
language plpgsql immutable set search_path = '' as $$
begin
  return case when id ~ '^mat_[0-9a-f]{32}$' then substr(id, 5)::uuid end;
end $$;
-- In order of time, as private.new_id.
create function private.new_uuid() returns uuid
language plpgsql volatile set search_path = '' as $$
begin
  return substr(private.new_id('x'), 3)::uuid;
end $$;
grant execute on function private.match_id_text(uuid), private.match_id(text) to authenticated;

-- The wire form. Without an explanation of its own, `plain` has the lines it follows from; the contract leaves it out.
create function private.match_json(m public.matches) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', private.match_id_text(m.id), 'reconciliation_id', m.reconciliation_id, 'run_id', m.run_id, 'state', m.state, 'shape', m.shape,
    'method', m.method, 'score', m.score, 'margin', m.margin, 'currency', m.currency, 'amount_minor', m.amount_minor,
    'residual_minor', m.residual_minor, 'adjustments', m.adjustments, 'note', m.note,
    'explanation', m.explanation || case when jsonb_typeof(m.explanation -> 'runner_up') = 'object' then jsonb_build_object('runner_up', (
      select jsonb_build_object('side', m.explanation #> '{runner_up,side}', 'line_id', private.line_id_text(l.id))
      from public.lines l where l.tenant_id = m.tenant_id and l.line_no = (m.explanation #>> '{runner_up,handle}')::bigint
    )) else '{}' end,
    'decided_by', m.decided_by, 'decided_at', private.iso(m.decided_at), 'created_at', private.iso(m.created_at), 'created_by', m.created_by
  ) || (
    select jsonb_build_object(
      'members', coalesce(jsonb_agg(jsonb_build_object(
        'line_id', private.line_id_text(l.id), 'side', mm.side, 'allocated_minor', mm.allocated_minor, 'value_date', l.value_date,
        'reference', l.reference, 'counterparty', l.counterparty) order by mm.side, l.value_date, l.line_no), '[]'),
      'plain', case when m.explanation is null then jsonb_agg(jsonb_build_object('side', mm.side, 'amount_minor', mm.allocated_minor,
        'currency', l.currency, 'value_date', l.value_date - date '1970-01-01', 'reference', l.reference, 'counterparty', l.counterparty,
        'description', l.description, 'group_key', l.group_key) order by mm.side, l.value_date, l.line_no) end
    )
    from public.match_members mm join public.lines l on l.tenant_id = mm.tenant_id and l.line_no = mm.line_no
    where mm.tenant_id = m.tenant_id and mm.match_id = m.id
  );
end $$;
grant execute on function private.match_json(public.matches) to authenticated;

-- Acts: what people decided in a period, each as one thing to take back, however many matches it held.

create table private.acts (
  tenant_id text not null,
  id text not null default private.new_id('dec'),
  reconciliation_id text not null,
  kind text not null check (kind in ('confirm', 'reject', 'match', 'exclude')),
  match_ids uuid[] not null default '{}',
  -- Of an exclusion.
  line_id uuid,
  reason text,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  undone_at timestamptz(3),
  undone_by text,
  primary key (tenant_id, id)
);
create index acts_by_reconciliation on private.acts (tenant_id, reconciliation_id, id);
create index acts_by_line on private.acts (tenant_id, line_id) where line_id is not null;
alter table private.acts enable row level security;
grant select on private.acts to authenticated;
create policy acts_read on private.acts for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));

-- Remembers what a person did with matches of one or several periods.
create function private.remember_act(kind text, ids uuid[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into private.acts (tenant_id, reconciliation_id, kind, match_ids, created_by)
  select m.tenant_id, m.reconciliation_id, remember_act.kind, array_agg(m.id order by m.id), private.actor()
  from public.matches m where m.tenant_id = private.tenant_id() and m.id = any (ids)
  group by m.tenant_id, m.reconciliation_id order by m.reconciliation_id;
end $$;

-- The first 500 of its matches: a decision by filter may have thousands.
create function private.act_json(a private.acts) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', a.id, 'reconciliation_id', a.reconciliation_id, 'action', a.kind,
    'match_count', cardinality(a.match_ids),
    'match_ids', (select coalesce(jsonb_agg(private.match_id_text(m) order by m), '[]') from unnest(a.match_ids[:500]) m),
    'line_id', private.line_id_text(a.line_id), 'created_at', private.iso(a.created_at), 'created_by', a.created_by,
    'undone_at', private.iso(a.undone_at), 'undone_by', a.undone_by
  );
end $$;
grant execute on function private.act_json(private.acts) to authenticated;

-- One security event for a decision on matches, however many there are. Records: matching.confirmed, matching.rejected, matching.undone.
create function private.record_decided_matches(action text, ids uuid[], details jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  target constant text := case when cardinality(ids) = 1 then private.match_id_text(ids[1]) end;
  periods constant text[] := array(
    select distinct m.reconciliation_id from public.matches m where m.tenant_id = private.tenant_id() and m.id = any (ids));
  told constant jsonb := details || jsonb_build_object('count', cardinality(ids),
    'reconciliation_id', case when cardinality(periods) = 1 then periods[1] end);
begin
  if cardinality(ids) = 0 then
    return;
  end if;
  case action
    when 'confirm' then perform private.record_security_event('matching.confirmed', target, null, told);
    when 'reject' then perform private.record_security_event('matching.rejected', target, null, told);
    when 'undo' then perform private.record_security_event('matching.undone', target, null, told);
  end case;
end $$;

-- The same for a match by hand. Records: matching.written_off where some of it is, else matching.matched.
create function private.record_hand_match(m public.matches) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  told constant jsonb := jsonb_build_object('reconciliation_id', m.reconciliation_id, 'currency', m.currency, 'amount_minor', m.amount_minor,
    'adjustments', m.adjustments);
begin
  if m.adjustments @> '[{"kind": "write_off"}]' then
    perform private.record_security_event('matching.written_off', private.match_id_text(m.id), m.note, told);
  else
    perform private.record_security_event('matching.matched', private.match_id_text(m.id), m.note, told);
  end if;
end $$;

-- States of matches: suggested leads to confirmed and rejected, confirmed to undone. Whoever changes a pair's matches holds its period
-- (353_pair_locks.sql): people and runs take turns, a transaction at a time, so that no line is given twice.

create function private.count_matched(tenant text, ids uuid[], sign integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into private.matched_counts as c (tenant_id, reconciliation_id, lines)
  select m.tenant_id, m.reconciliation_id, greatest(0, sign) * sum(mm.lines)
  from public.matches m
  cross join lateral (select count(*) as lines from public.match_members x where x.tenant_id = tenant and x.match_id = m.id) mm
  where m.tenant_id = tenant and m.id = any (ids)
  group by m.tenant_id, m.reconciliation_id order by m.reconciliation_id
  on conflict (tenant_id, reconciliation_id) do update set lines = c.lines + case when sign > 0 then excluded.lines else -(
    select sum(mm.lines) from public.matches m
    cross join lateral (select count(*) as lines from public.match_members x where x.tenant_id = tenant and x.match_id = m.id) mm
    where m.tenant_id = tenant and m.id = any (ids) and m.reconciliation_id = excluded.reconciliation_id
  ) end;
end $$;

-- What is open of lines, each at its place among them and beside an amount; nothing of one that has no row. Found in the order of their numbers, which
-- one index alone gives: it is read once, whatever the planner expects of a tenant or a pair that is new.
create function private.find_open(tenant text, pair integer, line_nos bigint[], minors bigint[])
returns table (n bigint, minor bigint, place tid, open_minor bigint)
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
begin
  return query
  select s.n, s.minor, o.place, o.open_minor
  from unnest(line_nos, minors) with ordinality s (line_no, minor, n)
  left join (
    select x.line_no, x.ctid as place, x.open_minor from private.open_lines x
    where x.tenant_id = tenant and x.pair_no = pair and x.line_no = any ((select line_nos)::bigint[]) order by x.line_no
  ) o on o.line_no = s.line_no;
end $$;

-- Lowers what is open of lines by these amounts; what has nothing open any more has no row.
create function private.lower_open(tenant text, pair integer, line_nos bigint[], minors bigint[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  places record;
begin
  select array_agg(o.place) filter (where o.open_minor = o.minor) as whole, array_agg(o.place) filter (where o.open_minor <> o.minor) as part,
    array_agg(o.minor) filter (where o.open_minor <> o.minor) as part_minors
  into places
  from private.find_open(tenant, pair, line_nos, minors) o where o.place is not null;
  delete from private.open_lines o where o.ctid = any (places.whole);
  update private.open_lines o set open_minor = o.open_minor - s.minor
  from unnest(places.part, places.part_minors) as s (place, minor) where o.ctid = s.place;
end $$;

-- Takes what these matches are allocated from what is open. Refuses: conflict, with the place among `ids`, where it is not open any more.
create function private.take_open(tenant text, ids uuid[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  short jsonb;
  taken record;
begin
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'A line of this match is not open any more.') order by i.n) into short
  from unnest(ids) with ordinality as i (id, n)
  where exists (
    select from public.match_members mm
    left join private.open_lines o on o.tenant_id = mm.tenant_id and o.pair_no = mm.pair_no and o.line_no = mm.line_no
    where mm.tenant_id = tenant and mm.match_id = i.id
      and coalesce(mm.allocated_minor not between least(o.open_minor, 0) and greatest(o.open_minor, 0), true)
  ) or exists (
    select from public.match_members mm join public.match_members other
      on other.tenant_id = mm.tenant_id and other.line_no = mm.line_no and other.match_id = any (ids) and other.match_id < mm.match_id
    where mm.tenant_id = tenant and mm.match_id = i.id
  );
  if short is not null then
    perform private.refuse('conflict', 'What it needs is not open any more. Nothing was changed.', short);
  end if;
  for taken in
    select mm.pair_no, array_agg(mm.line_no) as line_nos, array_agg(mm.allocated_minor) as minors
    from public.match_members mm where mm.tenant_id = tenant and mm.match_id = any (ids) group by mm.pair_no
  loop
    perform private.lower_open(tenant, taken.pair_no, taken.line_nos, taken.minors);
  end loop;
  perform private.count_matched(tenant, ids, 1);
end $$;

-- Gives it back.
create function private.give_back(tenant text, ids uuid[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into private.open_lines as o (tenant_id, pair_no, line_no, side, currency, amount_minor, open_minor, value_date)
  select mm.tenant_id, mm.pair_no, mm.line_no, mm.side, l.currency, x.factor * l.amount_minor, sum(mm.allocated_minor), l.value_date
  from public.match_members mm
  join public.lines l on l.tenant_id = mm.tenant_id and l.line_no = mm.line_no
  join public.sources s on s.tenant_id = l.tenant_id and s.source_no = l.source_no
  cross join lateral (select case s.sign when 'inverted' then -1 else 1 end as factor) x
  where mm.tenant_id = tenant and mm.match_id = any (ids)
  group by mm.tenant_id, mm.pair_no, mm.line_no, mm.side, l.currency, x.factor, l.amount_minor, l.value_date
  on conflict (tenant_id, pair_no, line_no) do update set open_minor = o.open_minor + excluded.open_minor;
  perform private.count_matched(tenant, ids, -1);
end $$;

-- Deletes the suggestions that share a line with these matches, or of these lines: they would give a line twice.
create function private.drop_suggestions(tenant text, pair integer, line_nos bigint[], but uuid[] default '{}') returns void
language plpgsql volatile set search_path = '' as $$
declare
  stale uuid[];
begin
  select array_agg(distinct m.id) into stale
  from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
  where mm.tenant_id = tenant and mm.line_no = any (line_nos) and mm.pair_no = pair and m.state = 'suggested' and m.id <> all (but);
  if stale is not null then
    perform private.delete_matches(tenant, stale);
  end if;
end $$;

create function private.delete_matches(tenant text, ids uuid[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.forget_suggestions(tenant, ids);
  delete from public.match_members mm where mm.tenant_id = tenant and mm.match_id = any (ids);
  delete from public.matches m where m.tenant_id = tenant and m.id = any (ids);
end $$;

-- Undoes confirmed matches of one pair, which is held, and tells it; deletes suggested ones. `who`: the person; null: the engine.
-- Returns how many were undone.
create function private.undo_matches(tenant text, ids uuid[], who text) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  confirmed uuid[];
  suggested uuid[];
  touched record;
begin
  select array_agg(m.id order by m.id) filter (where m.state = 'confirmed'), array_agg(m.id order by m.id) filter (where m.state = 'suggested')
  into confirmed, suggested
  from public.matches m where m.tenant_id = tenant and m.id = any (ids);
  if suggested is not null then
    perform private.delete_matches(tenant, suggested);
  end if;
  if confirmed is null then
    return 0;
  end if;
  perform private.give_back(tenant, confirmed);
  if who is not null then
    insert into private.decisions (tenant_id, pair_no, match_id, confirmed, score)
    select m.tenant_id, m.pair_no, m.id, false, m.score from public.matches m
    where m.tenant_id = tenant and m.id = any (confirmed) and m.decided_by is null and not m.settled and m.shape = '1:1' order by m.id;
  end if;
  update public.matches m set state = 'undone', decided_by = coalesce(who, m.decided_by), decided_at = now()
  where m.tenant_id = tenant and m.id = any (confirmed);
  insert into public.events (tenant_id, type, data)
  select m.tenant_id, 'match.undone', jsonb_build_object('match', private.match_event(m), 'undone_by', coalesce(who, 'system'))
  from public.matches m where m.tenant_id = tenant and m.id = any (confirmed) order by m.id;
  for touched in
    select mm.pair_no, array_agg(distinct mm.line_no) as line_nos from public.match_members mm
    where mm.tenant_id = tenant and mm.match_id = any (confirmed) group by mm.pair_no
  loop
    perform private.reopen_line_exceptions(tenant, touched.pair_no, touched.line_nos);
  end loop;
  return cardinality(confirmed);
end $$;

-- What events tell of a match.
create function private.match_event(m public.matches) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object('id', private.match_id_text(m.id), 'reconciliation_id', m.reconciliation_id, 'shape', m.shape,
    'method', m.method, 'currency', m.currency, 'amount_minor', m.amount_minor, 'residual_minor', m.residual_minor,
    'line_ids', (
      select jsonb_agg(private.line_id_text(l.id) order by l.line_no) from public.match_members mm
      join public.lines l on l.tenant_id = mm.tenant_id and l.line_no = mm.line_no
      where mm.tenant_id = m.tenant_id and mm.match_id = m.id
    ));
end $$;

-- Confirms suggested matches of one pair, which is held. Refuses: conflict where what one needs is not open any more.
create function private.confirm_matches(tenant text, pair integer, ids uuid[], who text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  line_nos bigint[];
begin
  perform private.take_open(tenant, ids);
  update public.matches m set state = 'confirmed', decided_by = who, decided_at = now() where m.tenant_id = tenant and m.id = any (ids);
  insert into private.decisions (tenant_id, pair_no, match_id, confirmed, score)
  select m.tenant_id, m.pair_no, m.id, true, m.score from public.matches m
  where m.tenant_id = tenant and m.id = any (ids) and m.shape = '1:1' order by m.id;
  select array_agg(distinct mm.line_no) into line_nos from public.match_members mm where mm.tenant_id = tenant and mm.match_id = any (ids);
  perform private.drop_suggestions(tenant, pair, line_nos, ids);
  perform private.resolve_matched_exceptions(tenant, pair, ids);
end $$;

create function private.reject_matches(tenant text, ids uuid[], who text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.forget_suggestions(tenant, ids);
  update public.matches m set state = 'rejected', decided_by = who, decided_at = now() where m.tenant_id = tenant and m.id = any (ids);
  insert into private.decisions (tenant_id, pair_no, match_id, confirmed, score)
  select m.tenant_id, m.pair_no, m.id, false, m.score from public.matches m
  where m.tenant_id = tenant and m.id = any (ids) and m.shape = '1:1' order by m.id;
end $$;

-- Matches over the wire: list, get, confirm, reject, undo; one at a time and many at once.

-- The match of the caller's tenant. Refuses: not_found.
create function private.find_match(id text) returns public.matches
language plpgsql stable set search_path = '' as $$
declare
  m public.matches;
begin
  select * into m from public.matches x where x.tenant_id = private.tenant_id() and x.id = private.match_id($1);
  if not found then
    perform private.refuse_missing('match');
  end if;
  return m;
end $$;

-- The reconciliation of the caller's tenant that has sources. Refuses: not_found; conflict where it has none.
create function private.find_period(id text) returns public.reconciliations
language plpgsql stable set search_path = '' as $$
declare
  r public.reconciliations;
begin
  select * into r from public.reconciliations x where x.tenant_id = private.tenant_id() and x.id = $1;
  if not found then
    perform private.refuse_missing('reconciliation');
  elsif r.pair_no is null then
    perform private.refuse('conflict', 'This reconciliation has no sources. Create one with left_source_id and right_source_id to match lines.');
  end if;
  return r;
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_match(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, 'get_match');
  return private.match_json(private.find_match(input ->> 'id'));
end $$;

-- Confirms, rejects or undoes matches of the caller's tenant: all of them or none. Answers them as they are now, in this order. What is decided
-- by filter, `seen` by nobody one by one, teaches what lines are alike, and is no proof that the engine may match by itself. Records: one event.
-- Refuses: not_found, invalid_transition and conflict with the place of each in ids; conflict where a period is closed.
create function private.change_matches(action text, ids uuid[], seen boolean default true) returns setof public.matches
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  who constant text := private.actor();
  wanted constant text := case action when 'undo' then 'confirmed' else 'suggested' end;
  touched record;
  refused jsonb;
begin
  for touched in
    select m.pair_no, array_agg(distinct m.reconciliation_id) as periods from public.matches m
    where m.tenant_id = tenant and m.id = any (ids) group by m.pair_no order by m.pair_no
  loop
    perform private.hold_period(tenant, p.id) from unnest(touched.periods) as p (id);
  end loop;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such match.') order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n) left join public.matches m on m.tenant_id = tenant and m.id = i.id where m.id is null;
  if refused is not null then
    perform private.refuse('not_found', 'There is no such match.', refused);
  end if;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1),
    'message', format('This match is %s: only one that is %s can be %s.', m.state, wanted,
      case action when 'undo' then 'undone' when 'confirm' then 'confirmed' else 'rejected' end)) order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n) join public.matches m on m.tenant_id = tenant and m.id = i.id where m.state <> wanted;
  if refused is not null then
    perform private.refuse('invalid_transition', format('Only a match that is %s can be %s. Nothing was changed.', wanted,
      case action when 'undo' then 'undone' when 'confirm' then 'confirmed' else 'rejected' end), refused);
  end if;
  for touched in
    select m.pair_no, array_agg(m.id order by m.id) as ids from public.matches m
    where m.tenant_id = tenant and m.id = any (change_matches.ids) group by m.pair_no order by m.pair_no
  loop
    case action
      when 'confirm' then perform private.confirm_matches(tenant, touched.pair_no, touched.ids, who);
      when 'reject' then perform private.reject_matches(tenant, touched.ids, who);
      when 'undo' then perform private.undo_matches(tenant, touched.ids, who);
    end case;
  end loop;
  if not seen then
    update private.decisions d set score = null where d.tenant_id = tenant and d.match_id = any (change_matches.ids);
  end if;
  if action <> 'undo' then
    perform private.remember_act(action, change_matches.ids);
  end if;
  perform private.record_decided_matches(action, change_matches.ids, jsonb_build_object('by_filter', not seen));
  return query
  select m.* from unnest(ids) with ordinality as i (id, n) join public.matches m on m.tenant_id = tenant and m.id = i.id order by i.n;
end $$;
grant execute on function private.find_match(text), private.find_period(text) to authenticated;

-- input: { id }. Refuses: not_found; invalid_transition; conflict where a line is not open any more, or the period is closed.
create function public.confirm_match(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'confirm_match');
  m public.matches;
begin
  if kept is not null then
    return kept;
  end if;
  m := private.find_match(input ->> 'id');
  select * into m from private.change_matches('confirm', array[m.id]);
  return private.answer(request, private.match_json(m));
end $$;

-- input: { id }. The combination is not suggested again. Refuses: not_found; invalid_transition; conflict where the period is closed.
create function public.reject_match(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'reject_match');
  m public.matches;
begin
  if kept is not null then
    return kept;
  end if;
  m := private.find_match(input ->> 'id');
  select * into m from private.change_matches('reject', array[m.id]);
  return private.answer(request, private.match_json(m));
end $$;

-- input: { id }. Its lines are open again; the combination is not made again. Refuses: as above.
create function public.undo_match(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'undo_match');
  m public.matches;
begin
  if kept is not null then
    return kept;
  end if;
  m := private.find_match(input ->> 'id');
  select * into m from private.change_matches('undo', array[m.id]);
  return private.answer(request, private.match_json(m));
end $$;

-- A probability as it is kept. What lies below a millionth would be out of a real's range.
create function private.score(given text) returns real
language sql immutable set search_path = '' as $$ select round(given::numeric, 6)::real $$;
grant execute on function private.score(text) to authenticated;

-- input: { action, ids } or { action, filter: { reconciliation_id, method, shape, score_from, score_below, run_id }, expected_count }: at most 500,
-- by filter 5,000, all of them or none; answers the first 500. Refuses: not_found, invalid_transition and conflict with the place of each in ids; conflict where the filter finds
-- another number of matches than was expected; role_required for undoing without the right to change reconciliations.
create function public.decide_matches(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'decide_matches');
  tenant constant text := private.tenant_id();
  action constant text := input ->> 'action';
  filter constant jsonb := nullif(input -> 'filter', 'null');
  found_ids uuid[];
  missing jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  if action = 'undo' and not private.may('write:reconciliations') then
    perform private.refuse('role_required', 'This credential may confirm and reject suggestions, and not undo matches.');
  end if;
  if filter is null then
    select array_agg(private.match_id(i.id) order by i.n),
      jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such match.') order by i.n)
        filter (where private.match_id(i.id) is null)
    into found_ids, missing
    from jsonb_array_elements_text(input -> 'ids') with ordinality as i (id, n);
    if missing is not null then
      perform private.refuse('not_found', 'There is no such match.', missing);
    end if;
  else
    perform private.find_period(filter ->> 'reconciliation_id');
    select coalesce(array_agg(m.id order by m.id), '{}') into found_ids
    from (
      select x.id from public.matches x
      where x.tenant_id = tenant and x.reconciliation_id = filter ->> 'reconciliation_id'
        and x.state = case action when 'undo' then 'confirmed' else 'suggested' end
        and (filter ->> 'method' is null or x.method = filter ->> 'method')
        and (filter ->> 'shape' is null or x.shape = filter ->> 'shape')
        and (filter ->> 'run_id' is null or x.run_id = filter ->> 'run_id')
        and (filter ->> 'score_from' is null or x.score >= private.score(filter ->> 'score_from'))
        and (filter ->> 'score_below' is null or x.score < private.score(filter ->> 'score_below'))
      order by x.id limit 5001
    ) m;
    if cardinality(found_ids) > 5000 then
      perform private.refuse_field('filter', 'The filter finds more than 5,000 matches. Narrow it.');
    elsif cardinality(found_ids) <> (input ->> 'expected_count')::integer then
      perform private.refuse('conflict', format('The filter finds %s matches, not %s. Look at them again. Nothing was changed.',
        cardinality(found_ids), input ->> 'expected_count'));
    end if;
  end if;
  return private.answer(request, (
    select jsonb_build_object('count', count(*), 'items', coalesce(jsonb_agg(private.match_json(m) order by d.ordinality) filter (where d.ordinality <= 500), '[]'))
    from private.change_matches(action, found_ids, filter is null) with ordinality d
    join public.matches m on m.tenant_id = d.tenant_id and m.id = d.id
  ));
end $$;

-- Lists of a period's matches over the wire.

-- SQL that says whether line l is one that list_matches is asked for; null where any is.
create function private.line_asked_for(input jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return nullif(concat_ws(' and ',
    case when input ->> 'line_id' is not null then $c$l.id = private.line_id($4 ->> 'line_id')$c$ end,
    case when input ->> 'date_from' is not null then $c$l.value_date >= ($4 ->> 'date_from')::date$c$ end,
    case when input ->> 'date_to' is not null then $c$l.value_date <= ($4 ->> 'date_to')::date$c$ end,
    case when nullif(btrim(input ->> 'q'), '') is not null then private.line_search(input ->> 'q', 'private.line_text(l)') end
  ), '');
end $$;

-- The numbers of lines among which are all that list_matches is asked for, where these are few: by id, by words, else by days. Null where they may
-- be more than `most`.
create function private.few_lines_asked_for(r public.reconciliations, input jsonb, most integer) returns bigint[]
language plpgsql stable set search_path = '' as $$
declare
  source_nos constant integer[] := (
    select array[p.left_source_no, p.right_source_no] from public.pairs p where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no);
  q constant text := nullif(btrim(input ->> 'q'), '');
  line_nos bigint[];
begin
  if input ->> 'line_id' is not null then
    return array(select l.line_no from public.lines l where l.tenant_id = r.tenant_id and l.id = private.line_id(input ->> 'line_id'));
  end if;
  if q is not null then
    line_nos := private.find_own_lines(q, source_nos, most);
  end if;
  if line_nos is null and coalesce(input ->> 'date_from', input ->> 'date_to') is not null then
    line_nos := array(
      select l.line_no from unnest(source_nos) s (source_no) cross join lateral (
        select x.line_no from public.lines x
        where x.tenant_id = r.tenant_id and x.source_no = s.source_no
          and x.value_date between coalesce((input ->> 'date_from')::date, '-infinity') and least((input ->> 'date_to')::date, r.period_end)
        limit most + 1
      ) l
    );
  end if;
  return case when cardinality(line_nos) <= most then line_nos end;
end $$;
grant execute on function private.line_asked_for(jsonb), private.few_lines_asked_for(public.reconciliations, jsonb, integer) to authenticated;

-- Newest first. input: { id, limit, after: [match id] | null, state, method, shape, run_id, amount_from, amount_to, line_id, date_from, date_to,
-- q }, `id` the reconciliation's; the last four are of one line of the match. Refuses: not_found, conflict.
create function public.list_matches(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  tenant constant text := private.tenant_id();
  behind constant uuid := private.match_id(input -> 'after' ->> 0);
  of_line constant text := private.line_asked_for(input);
  r public.reconciliations;
  few bigint[];
  filters text;
  items jsonb;
begin
  perform private.enter(request, 'list_matches');
  r := private.find_period(input ->> 'id');
  if of_line is not null then
    few := private.few_lines_asked_for(r, input, 5000);
  end if;
  -- The state is written out: suggestions have an index of their own. What is asked of a line is looked up match by match, by whole keys.
  filters := concat_ws(' and ', 'm.tenant_id = $1 and m.reconciliation_id = $2',
    case when behind is not null then 'm.id < $3' end,
    case when input ->> 'state' is not null then format('m.state = %L', input ->> 'state') end,
    case when input ->> 'method' is not null then $c$m.method = $4 ->> 'method'$c$ end,
    case when input ->> 'shape' is not null then $c$m.shape = $4 ->> 'shape'$c$ end,
    case when input ->> 'run_id' is not null then $c$m.run_id = $4 ->> 'run_id'$c$ end,
    case when input ->> 'amount_from' is not null then $c$m.amount_minor >= ($4 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then $c$m.amount_minor <= ($4 ->> 'amount_to')::bigint$c$ end,
    'exists (
      select from public.match_members mm
      cross join lateral (select * from public.lines x where x.tenant_id = $1 and x.line_no = mm.line_no offset 0) l
      where mm.tenant_id = $1 and mm.match_id = m.id and ' || of_line || ' offset 0)');
  execute format('select jsonb_agg(private.match_json(x) order by x.id desc) from (
      select m.* from %s where %s order by m.id desc limit $6
    ) x', case when few is null then 'public.matches m' else '(
      select distinct mm.match_id from public.match_members mm where mm.tenant_id = $1 and mm.line_no = any ($5)
    ) f cross join lateral (select * from public.matches y where y.tenant_id = $1 and y.id = f.match_id offset 0) m' end, filters)
  into items using tenant, r.id, behind, input, few, page_size + 1;
  return private.page(items, page_size, 'id');
end $$;

-- What people do with lines themselves: match them by hand, exclude them from a period, include them again.

-- The caller's lines in their order, as they stand in a pair. Refuses: invalid_request with the place of each that is no line of it.
create function private.lines_of_pair(pair integer, ids jsonb)
returns table (n bigint, line_no bigint, side text, currency text, open_minor bigint, value_date date)
language plpgsql stable set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  missing jsonb;
begin
  select jsonb_agg(jsonb_build_object('path', 'line_ids.' || (i.n - 1), 'message', 'There is no such line in the two sources.') order by i.n) into missing
  from jsonb_array_elements_text(ids) with ordinality as i (id, n)
  where not exists (
    select from public.lines l join public.sources s on s.tenant_id = l.tenant_id and s.source_no = l.source_no
    join public.pairs p on p.tenant_id = s.tenant_id and p.pair_no = pair and s.source_no in (p.left_source_no, p.right_source_no)
    where l.tenant_id = tenant and l.id = private.line_id(i.id)
  );
  if missing is not null then
    perform private.refuse('invalid_request', 'The request is not valid: see errors for each place.', missing);
  end if;
  return query
  select i.n, l.line_no, case l.source_no when p.left_source_no then 'left' else 'right' end, l.currency, coalesce(o.open_minor, 0), l.value_date
  from jsonb_array_elements_text(ids) with ordinality as i (id, n)
  join public.lines l on l.tenant_id = tenant and l.id = private.line_id(i.id)
  join public.pairs p on p.tenant_id = tenant and p.pair_no = pair
  left join private.open_lines o on o.tenant_id = tenant and o.pair_no = pair and o.line_no = l.line_no
  order by i.n;
end $$;

-- What a key explains stays within what the pair's rules let a match keep, whatever it is called. Refuses: role_required.
create function private.require_adjustable(r public.reconciliations, adjustments jsonb, larger numeric, currency text) returns void
language plpgsql stable set search_path = '' as $$
declare
  adjusted constant numeric := (select coalesce(sum(abs((a ->> 'amount_minor')::numeric)), 0) from jsonb_array_elements(coalesce($2, '[]')) a);
  most numeric;
begin
  if private.principal_type() = 'user' then
    return;
  elsif adjustments @> '[{"kind": "write_off"}]' then
    perform private.refuse('role_required', 'A write-off is a person''s to decide: sign in as tenant_admin or tenant_lead.');
  end if;
  most := private.tolerance_of_pair(r.tenant_id, r.pair_no, larger);
  if adjusted > most then
    perform private.refuse('role_required', format('An API key can adjust at most %s in minor units of %s here, by the tolerance of the rules, not %s. '
      'Leave the difference open with split_line_id, or have a tenant_admin or tenant_lead match these lines.', most, currency, adjusted));
  end if;
end $$;

-- Makes a confirmed match of all that is open of these lines; `split`: the one of which the difference stays open. Refuses:
-- invalid_request where they do not add up, naming by how much, or to more than JSON's numbers hold; role_required for what only a person may
-- adjust; conflict where one is not open; not_found and conflict of the period. Records: matching.matched or matching.written_off.
create function private.match_by_hand(period text, line_ids jsonb, adjustments jsonb, note text, split text) returns public.matches
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  bad jsonb;
  asked record;
  made public.matches;
  difference bigint;
  explained jsonb := coalesce(match_by_hand.adjustments, '[]');
  split_no bigint;
  split_side text;
  split_open bigint;
  -- What the match takes of the split line: all that is open, less the difference.
  split_minor bigint;
  -- What it takes of each side.
  left_taken numeric;
  right_taken numeric;
  amount numeric;
begin
  r := private.hold_period(tenant, period);
  select jsonb_agg(jsonb_build_object('path', 'line_ids.' || (l.n - 1), 'message', case
      when o.line_no is null then 'This line is matched or excluded already.'
      else format('This line is dated after the period, which ends on %s.', r.period_end) end) order by l.n) into bad
  from private.lines_of_pair(r.pair_no, match_by_hand.line_ids) l
  left join private.open_lines o on o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = l.line_no
  where o.line_no is null or l.value_date > r.period_end;
  if bad is not null then
    perform private.refuse('conflict', 'Not all of these lines are open in the period. Nothing was changed.', bad);
  end if;
  select count(*) filter (where l.side = 'left') as lefts, count(*) filter (where l.side = 'right') as rights, count(distinct l.currency) as currencies,
    min(l.currency) as currency, coalesce(sum(l.open_minor) filter (where l.side = 'left'), 0) as left_minor,
    coalesce(sum(l.open_minor) filter (where l.side = 'right'), 0) as right_minor,
    sum(greatest(l.open_minor, 0)) as positive_minor, sum(case l.side when 'left' then 1 else -1 end * private.fee_of_whole(x, l.open_minor)) as fees
  into asked
  from private.lines_of_pair(r.pair_no, match_by_hand.line_ids) l join public.lines x on x.tenant_id = tenant and x.line_no = l.line_no;
  if asked.currencies > 1 then
    perform private.refuse_field('line_ids', 'All lines of a match need one currency.');
  end if;
  select asked.left_minor - asked.right_minor - coalesce(sum((a ->> 'amount_minor')::bigint), 0) into difference
  from jsonb_array_elements(coalesce(match_by_hand.adjustments, '[]')) a;
  if split is not null then
    select l.line_no, l.side, l.open_minor, l.open_minor - case l.side when 'left' then difference else -difference end
    into split_no, split_side, split_open, split_minor
    from private.lines_of_pair(r.pair_no, match_by_hand.line_ids) l
    join public.lines x on x.tenant_id = tenant and x.line_no = l.line_no and x.id = private.line_id(split);
    if not found then
      perform private.refuse_field('split_line_id', 'Name one of line_ids.');
    elsif asked.lefts = 0 or asked.rights = 0 then
      perform private.refuse_field('split_line_id', 'Only a match of both sides can leave part of a line open.');
    elsif difference = 0 or sign(split_minor) <> sign(split_open) or abs(split_minor) >= abs(split_open) then
      perform private.refuse_field('split_line_id', format(
        'Left − right is %s in minor units of %s, which is no part of this line. Choose the larger line.', difference, asked.currency));
    end if;
  elsif difference <> 0 and difference = asked.fees then
    explained := explained || jsonb_build_object('kind', 'fee', 'amount_minor', asked.fees, 'note', null);
  elsif difference <> 0 then
    perform private.refuse_field('adjustments', format(
      'Left is %s and right is %s in minor units of %s: %s is not explained. Add adjustments of %s, or choose other lines.',
      asked.left_minor, asked.right_minor, asked.currency, difference, difference));
  end if;
  left_taken := asked.left_minor - case split_side when 'left' then difference else 0 end;
  right_taken := asked.right_minor + case split_side when 'right' then difference else 0 end;
  amount := case when asked.lefts = 0 or asked.rights = 0 then asked.positive_minor else left_taken end;
  if greatest(abs(left_taken), abs(right_taken), abs(amount)) > 9007199254740991 then
    perform private.refuse_field('line_ids', 'These lines come to more than 9007199254740991 in minor units. Match fewer of them at a time.');
  end if;
  perform private.require_adjustable(r, match_by_hand.adjustments, greatest(abs(left_taken), abs(right_taken), amount), asked.currency);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method, currency, amount_minor, adjustments, note, decided_by, decided_at)
  values (tenant, private.new_uuid(), r.pair_no, r.id, 'confirmed',
    case when asked.lefts = 0 or asked.rights = 0 then 'reversal' when asked.lefts = 1 and asked.rights = 1 then '1:1'
      when asked.lefts = 1 then '1:n' when asked.rights = 1 then 'n:1' else 'n:m' end,
    'manual', asked.currency, amount, explained, match_by_hand.note, private.actor(), now())
  returning * into made;
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, made.id, r.pair_no, l.line_no, l.side, case when l.line_no = split_no then split_minor else l.open_minor end
  from private.lines_of_pair(r.pair_no, match_by_hand.line_ids) l;
  perform private.confirm_matches(tenant, r.pair_no, array[made.id], private.actor());
  perform private.remember_act('match', array[made.id]);
  perform private.record_hand_match(made);
  return made;
end $$;

-- input: { id, line_ids, adjustments, note, split_line_id }, `id` the reconciliation's. Refuses: as above.
create function public.create_match(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'create_match');
begin
  if kept is not null then
    return kept;
  end if;
  return private.answer(request, private.match_json(
    private.match_by_hand(input ->> 'id', input -> 'line_ids', nullif(input -> 'adjustments', 'null'), input ->> 'note',
      input ->> 'split_line_id')));
end $$;

-- The period in which a line is to be excluded or matched now: the earliest open one that reaches its day. Refuses: not_found for a line
-- the tenant does not have; invalid_request where the source stands in several pairs and none is named; conflict where no period is open.
create function private.open_period_of_line(id text, reconciliation text) returns text
language plpgsql stable set search_path = '' as $$
declare
  l public.lines;
  pairs integer[];
  period text;
begin
  select * into l from public.lines x where x.tenant_id = private.tenant_id() and x.id = private.line_id($1);
  if not found then
    perform private.refuse_missing('line');
  end if;
  if reconciliation is not null then
    perform from public.reconciliations r join public.pairs p on p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
    where r.tenant_id = l.tenant_id and r.id = reconciliation and l.source_no in (p.left_source_no, p.right_source_no);
    if not found then
      perform private.refuse_field('reconciliation_id', 'There is no such reconciliation of the line''s source.');
    end if;
    return reconciliation;
  end if;
  select array_agg(p.pair_no) into pairs from public.pairs p
  where p.tenant_id = l.tenant_id and l.source_no in (p.left_source_no, p.right_source_no);
  if cardinality(pairs) > 1 then
    perform private.refuse_field('reconciliation_id', 'The line''s source is compared with several others: name the reconciliation.');
  end if;
  select r.id into period from public.reconciliations r
  where r.tenant_id = l.tenant_id and r.pair_no = any (pairs) and r.closed_at is null and r.status <> 'archived' and r.period_end >= l.value_date
  order by r.period_end limit 1;
  if not found then
    perform private.refuse('conflict', 'No reconciliation of the line''s source is open for its day.');
  end if;
  return period;
end $$;
grant execute on function private.open_period_of_line(text, text) to authenticated;

-- Takes all that is open of a line out of a period. Records: line.excluded. Refuses: conflict where nothing of it is open, or another period
-- excluded part of it.
create function private.exclude_line(id text, period text, reason text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  o private.open_lines;
begin
  r := private.hold_period(tenant, period);
  delete from private.open_lines x using public.lines l
  where l.tenant_id = tenant and l.id = private.line_id($1) and x.tenant_id = tenant and x.pair_no = r.pair_no and x.line_no = l.line_no
    and x.value_date <= r.period_end
  returning x.* into o;
  if not found then
    perform private.refuse('conflict', 'Nothing of this line is open in the period: it is matched, excluded, or dated after it.');
  end if;
  -- Part of it was excluded while the rest was matched, and that match was undone since.
  insert into public.exclusions as e (tenant_id, pair_no, line_no, reconciliation_id, side, currency, excluded_minor, reason)
  values (tenant, r.pair_no, o.line_no, r.id, o.side, o.currency, o.open_minor, $3)
  on conflict (tenant_id, pair_no, line_no) do update set excluded_minor = e.excluded_minor + excluded.excluded_minor, reason = excluded.reason,
    created_at = now(), created_by = private.actor()
  where e.reconciliation_id = excluded.reconciliation_id;
  if not found then
    perform private.refuse('conflict', 'Another period excluded part of this line. Include it there first, or match what is open of it.');
  end if;
  perform private.drop_suggestions(tenant, r.pair_no, array[o.line_no]);
  perform private.resolve_line_exceptions(tenant, r.pair_no, array[o.line_no], left('Excluded: ' || $3, 1000));
  insert into private.acts (tenant_id, reconciliation_id, kind, line_id, reason, created_by)
  values (tenant, r.id, 'exclude', private.line_id($1), $3, private.actor());
  perform private.record_security_event('line.excluded', $1, null, jsonb_build_object('reconciliation_id', r.id, 'reason', $3));
end $$;

-- Takes an exclusion back; answers its period. Records: line.included. Refuses: conflict where the line is not excluded.
create function private.include_line(id text, period text, reason text) returns text
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  x public.exclusions;
begin
  select r2.* into r from public.lines l
  join public.exclusions e on e.tenant_id = l.tenant_id and e.line_no = l.line_no
  join public.reconciliations r2 on r2.tenant_id = e.tenant_id and r2.id = e.reconciliation_id
  where l.tenant_id = tenant and l.id = private.line_id($1) and (period is null or r2.id = period)
  order by r2.period_end desc limit 1;
  if not found then
    perform private.refuse('conflict', 'This line is not excluded.');
  end if;
  r := private.hold_period(tenant, r.id);
  delete from public.exclusions e using public.lines l
  where l.tenant_id = tenant and l.id = private.line_id($1) and e.tenant_id = tenant and e.pair_no = r.pair_no and e.line_no = l.line_no
  returning e.* into x;
  if not found then
    perform private.refuse('conflict', 'This line is not excluded.');
  end if;
  insert into private.open_lines as o (tenant_id, pair_no, line_no, side, currency, amount_minor, open_minor, value_date)
  select tenant, x.pair_no, l.line_no, x.side, l.currency, case s.sign when 'inverted' then -l.amount_minor else l.amount_minor end,
    x.excluded_minor, l.value_date
  from public.lines l join public.sources s on s.tenant_id = l.tenant_id and s.source_no = l.source_no
  where l.tenant_id = tenant and l.line_no = x.line_no
  on conflict (tenant_id, pair_no, line_no) do update set open_minor = o.open_minor + excluded.open_minor;
  perform private.reopen_line_exceptions(tenant, x.pair_no, array[x.line_no]);
  update private.acts a set undone_at = now(), undone_by = private.actor()
  where a.tenant_id = tenant and a.line_id = private.line_id($1) and a.reconciliation_id = r.id and a.undone_at is null;
  perform private.record_security_event('line.included', $1, null, jsonb_build_object('reconciliation_id', r.id, 'reason', $3));
  return r.id;
end $$;

-- The line as it stands in the period's pair.
create function private.line_of_period(id text, period text) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select private.line_json(l, s.id, r.pair_no)
    from public.lines l join public.sources s on s.tenant_id = l.tenant_id and s.source_no = l.source_no
    join public.reconciliations r on r.tenant_id = l.tenant_id and r.id = period
    where l.tenant_id = private.tenant_id() and l.id = private.line_id($1)
  );
end $$;

-- input: { id, reason, reconciliation_id }. Answers the line. Refuses: not_found, conflict, invalid_request.
create function public.exclude_line(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'exclude_line');
  period text;
begin
  if kept is not null then
    return kept;
  end if;
  period := private.open_period_of_line(input ->> 'id', input ->> 'reconciliation_id');
  perform private.exclude_line(input ->> 'id', period, input ->> 'reason');
  return private.answer(request, private.line_of_period(input ->> 'id', period));
end $$;

-- input: { id, reason, reconciliation_id }. Answers the line. Refuses: not_found, conflict.
create function public.include_line(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'include_line');
  period text;
begin
  if kept is not null then
    return kept;
  end if;
  if not exists (select from public.lines l where l.tenant_id = private.tenant_id() and l.id = private.line_id(input ->> 'id')) then
    perform private.refuse_missing('line');
  end if;
  period := private.include_line(input ->> 'id', input ->> 'reconciliation_id', input ->> 'reason');
  return private.answer(request, private.line_of_period(input ->> 'id', period));
end $$;

-- Acts over the wire: what was decided in a period, and taking it back.

-- Newest first. input: { id, limit, after: [act id] | null }, `id` the reconciliation's. Refuses: not_found, conflict.
create function public.list_decisions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  r public.reconciliations;
  items jsonb;
begin
  perform private.enter(request, 'list_decisions');
  r := private.find_period(input ->> 'id');
  select jsonb_agg(private.act_json(x) order by x.id desc) into items
  from (
    select * from private.acts a
    where a.tenant_id = r.tenant_id and a.reconciliation_id = r.id and (input -> 'after' ->> 0 is null or a.id < input -> 'after' ->> 0)
    order by a.id desc limit page_size + 1
  ) x;
  return private.page(items, page_size, 'id');
end $$;

-- What was confirmed is suggested again, what was rejected too; what was matched by hand is undone; what was excluded is included.
-- Refuses: conflict where it was taken back before, or things have moved on. Records: matching.undone, or line.included.
create function private.take_back_act(id text) returns private.acts
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  a private.acts;
  r public.reconciliations;
  wanted text;
begin
  select * into a from private.acts x where x.tenant_id = tenant and x.id = $1;
  r := private.hold_period(tenant, a.reconciliation_id);
  select * into a from private.acts x where x.tenant_id = tenant and x.id = $1 for update;
  if a.undone_at is not null then
    perform private.refuse('conflict', 'This decision was undone already.');
  end if;
  wanted := case a.kind when 'reject' then 'rejected' else 'confirmed' end;
  if (select count(*) from public.matches m where m.tenant_id = tenant and m.id = any (a.match_ids) and m.state = wanted) <> cardinality(a.match_ids) then
    perform private.refuse('conflict', format('Not all of its matches are still %s. Nothing was changed.', wanted));
  end if;
  case a.kind
    when 'confirm' then perform private.suggest_again(tenant, r.pair_no, a.match_ids, true);
    when 'reject' then perform private.suggest_again(tenant, r.pair_no, a.match_ids, false);
    when 'match' then perform private.undo_matches(tenant, a.match_ids, private.actor());
    when 'exclude' then perform private.include_line(private.line_id_text(a.line_id), r.id, 'Undone');
  end case;
  update private.acts x set undone_at = now(), undone_by = private.actor() where x.tenant_id = tenant and x.id = a.id returning * into a;
  if a.kind <> 'exclude' then
    perform private.record_security_event('matching.undone', a.id, null, jsonb_build_object(
      'decision', a.kind, 'count', cardinality(a.match_ids), 'reconciliation_id', a.reconciliation_id));
  end if;
  -- Suggestions that had to go for it may come again.
  if r.auto_run then
    perform private.ask_for_runs(tenant, r.pair_no);
  end if;
  return a;
end $$;

-- Matches of one pair, which is held, are as they were proposed. `taken`: they were confirmed. Refuses: conflict where a line of them is
-- not open any more.
create function private.suggest_again(tenant text, pair integer, ids uuid[], taken boolean) returns void
language plpgsql volatile set search_path = '' as $$
declare
  line_nos bigint[];
begin
  select array_agg(distinct mm.line_no) into line_nos from public.match_members mm where mm.tenant_id = tenant and mm.match_id = any (ids);
  if taken then
    perform private.give_back(tenant, ids);
    insert into public.events (tenant_id, type, data)
    select m.tenant_id, 'match.undone', jsonb_build_object('match', private.match_event(m), 'undone_by', private.actor())
    from public.matches m where m.tenant_id = tenant and m.id = any (ids) order by m.id;
  elsif exists (
    select from public.match_members mm
    left join private.open_lines o on o.tenant_id = mm.tenant_id and o.pair_no = mm.pair_no and o.line_no = mm.line_no
    where mm.tenant_id = tenant and mm.match_id = any (ids)
      and coalesce(mm.allocated_minor not between least(o.open_minor, 0) and greatest(o.open_minor, 0), true)
  ) then
    perform private.refuse('conflict', 'A line of it is not open any more. Nothing was changed.');
  end if;
  delete from private.decisions d where d.tenant_id = tenant and d.pair_no = pair and d.match_id = any (ids);
  perform private.drop_suggestions(tenant, pair, line_nos);
  update public.matches m set state = 'suggested', decided_by = null, decided_at = null where m.tenant_id = tenant and m.id = any (ids);
  if taken then
    perform private.reopen_line_exceptions(tenant, pair, line_nos);
  end if;
end $$;

-- input: { id }. One's own; another person's, matches by hand and exclusions need the right to write reconciliations.
-- Refuses: not_found, role_required, conflict.
create function public.undo_decision(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'undo_decision');
  a private.acts;
begin
  if kept is not null then
    return kept;
  end if;
  select * into a from private.acts x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('decision');
  elsif (a.created_by <> private.actor() or a.kind in ('match', 'exclude')) and not private.may('write:reconciliations') then
    perform private.refuse('role_required', 'You can undo what you confirmed or rejected yourself. Ask an admin or a lead to undo this.');
  end if;
  return private.answer(request, private.act_json(private.take_back_act(a.id)));
end $$;

-- Suggestions for one line on demand: what the engine needs to look for counterparts among the open lines that are near.

create function private.engine_line(l public.lines, open_minor bigint, policy jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object('id', private.line_id_text(l.id), 'handle', l.line_no,
    'amount_minor', open_minor - case policy ->> 'fees' when 'deduct' then private.fee_of_whole(l, open_minor) else 0 end,
    'currency', l.currency, 'value_date', l.value_date - date '1970-01-01', 'booked_date', l.booked_date - date '1970-01-01',
    'reference', l.reference, 'counterparty', l.counterparty, 'description', l.description, 'group_key', l.group_key);
end $$;
grant execute on function private.engine_line(public.lines, bigint, jsonb) to authenticated;

-- input: { id, reconciliation_id }. Candidates: open lines of the other side in the period and of the line's currency, the 200 nearest in amount and
-- the 200 nearest in time. Refuses: not_found, invalid_request, conflict.
create function public.list_line_suggestions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  r public.reconciliations;
  l public.lines;
  o private.open_lines;
  p public.pairs;
  policy jsonb;
begin
  perform private.enter(request, 'list_line_suggestions');
  r := private.find_period(private.open_period_of_line(input ->> 'id', input ->> 'reconciliation_id'));
  select * into l from public.lines x where x.tenant_id = r.tenant_id and x.id = private.line_id(input ->> 'id');
  select * into o from private.open_lines x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.line_no = l.line_no;
  select * into p from public.pairs x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no;
  policy := private.policy_of_pair(r.tenant_id, r.pair_no);
  return jsonb_build_object(
    'reconciliation_id', r.id, 'side', o.side, 'weights', p.weights,
    'open_days', private.open_days(r.tenant_id, policy ->> 'calendar_id') -> 'open_days',
    'line', case when o.line_no is not null then private.engine_line(l, o.open_minor, policy) end,
    'rules', (select x.rules from public.pair_rules x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.version = p.rules_version),
    'candidates', (
      with others as materialized (
        select * from private.open_lines x
        where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.side <> o.side and x.currency = o.currency and x.value_date <= r.period_end
      ), near as (
        (select x.line_no, x.open_minor from others x order by abs(x.open_minor - o.open_minor), x.line_no limit 200)
        union
        (select x.line_no, x.open_minor from others x order by abs(x.value_date - o.value_date), x.line_no limit 200)
      )
      select coalesce(jsonb_agg(private.engine_line(c, n.open_minor, policy) order by n.line_no), '[]')
      from near n join public.lines c on c.tenant_id = r.tenant_id and c.line_no = n.line_no
    ),
    'rejected', (
      select coalesce(jsonb_agg(jsonb_build_object('left', x.lefts, 'right', x.rights)), '[]')
      from (
        select coalesce(jsonb_agg(private.line_id_text(ml.id)) filter (where other.side = 'left'), '[]') as lefts,
          coalesce(jsonb_agg(private.line_id_text(ml.id)) filter (where other.side = 'right'), '[]') as rights
        from public.match_members mine
        join public.matches m on m.tenant_id = mine.tenant_id and m.id = mine.match_id and m.decided_by is not null and m.state in ('rejected', 'undone')
        join public.match_members other on other.tenant_id = m.tenant_id and other.match_id = m.id
        join public.lines ml on ml.tenant_id = other.tenant_id and ml.line_no = other.line_no
        where mine.tenant_id = r.tenant_id and mine.line_no = l.line_no and mine.pair_no = r.pair_no
        group by m.id
      ) x
    )
  );
end $$;

-- Open lines over the wire: what a person works through in a period, found where only what is open stands.

-- The caller's own lines that are open in a period, in the order of a list that begins behind line `after_no`; `hits`: only these, or what is
-- open of `amount`. Row security lets an index serve the order by amount only without it.
create function private.own_open_lines(r public.reconciliations, input jsonb, hits bigint[], amount bigint, after_no bigint, most integer)
returns table (n bigint, line_no bigint, side text, amount_minor bigint, open_minor bigint)
language plpgsql stable security definer set search_path = '' as $$
declare
  by_amount constant boolean := input ->> 'sort' = 'amount';
  q constant text := nullif(btrim(input ->> 'q'), '');
  sort_key constant text := case when by_amount then '(-abs(x.open_minor))' else 'x.value_date' end;
  filters constant text := concat_ws(' and ',
    'x.tenant_id = $1 and x.pair_no = $3 and x.side = s.side and x.value_date <= $4',
    case when hits is not null then '(x.line_no = any ($5)' || case when amount is not null then ' or (-abs(x.open_minor)) = -$6' else '' end || ')'
      when q is not null then 'exists (select from public.lines l where l.tenant_id = $1 and l.line_no = x.line_no and '
        || private.line_search(q, 'private.line_text(l)') || ')' end,
    case when after_no is not null then format('(%s, x.line_no) > (%s, $7)', sort_key,
      case when by_amount then $c$-abs(($2 -> 'after' ->> 0)::bigint)$c$ else $c$($2 -> 'after' ->> 0)::date$c$ end) end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$ end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$ end,
    case when input ->> 'amount_from' is not null then $c$x.open_minor >= ($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then $c$x.open_minor <= ($2 ->> 'amount_to')::bigint$c$ end,
    case (input ->> 'suggested')::boolean
      -- Few have one: they are looked up.
      when true then $c$x.line_no = any (array(
        select mm.line_no from public.matches m join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
        where m.tenant_id = $1 and m.reconciliation_id = $8 and m.state = 'suggested'))$c$
      -- By a lookup for each line until the page is full.
      when false then $c$(
        select true from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
        where mm.tenant_id = $1 and mm.line_no = x.line_no and mm.pair_no = $3 and m.state = 'suggested' and m.reconciliation_id = $8
        limit 1) is null$c$
    end
  );
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  -- Planned for what is asked, each side in the order of its index until the page is full. How many lines have a suggestion the planner cannot know: taking
  -- them for few, it would read and sort them all.
  perform set_config('enable_bitmapscan', (hits is not null)::text, true), set_config('enable_seqscan', (hits is not null)::text, true);
  return query execute format($sql$
    select row_number() over (order by o.sort_key, o.line_no), o.line_no, o.side, o.amount_minor, o.open_minor
    from unnest($9) s (side) cross join lateral (
      select x.line_no, x.side, x.amount_minor, x.open_minor, %2$s as sort_key from private.open_lines x
      where %1$s order by %2$s, x.line_no limit $10
    ) o order by o.sort_key, o.line_no limit $10 $sql$, filters, sort_key)
  using private.tenant_id(), input, r.pair_no, r.period_end, hits, amount, after_no, r.id,
    case when input ->> 'side' is null then array['left', 'right'] else array[input ->> 'side'] end, most;
  perform set_config('enable_bitmapscan', 'true', true), set_config('enable_seqscan', 'true', true);
end $$;
grant execute on function private.own_open_lines(public.reconciliations, jsonb, bigint[], bigint, bigint, integer) to authenticated;

-- Oldest first, or the most money first. input: { id, limit, after: [key, id] | null, side, currency, sort: value_date | amount, amount_from,
-- amount_to, date_from, date_to, q, suggested }, `id` the reconciliation's; amounts are what is open, as the pair counts it. q as in list_lines;
-- alone, an amount is also what is open. None of a closed period. Refuses: not_found, conflict.
create function public.list_open_lines(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  q constant text := nullif(btrim(input ->> 'q'), '');
  r public.reconciliations;
  -- Of a line that is gone meanwhile: its day or amount is begun anew.
  after_no bigint;
  hits bigint[];
  items jsonb;
begin
  perform private.enter(request, 'list_open_lines');
  r := private.find_period(input ->> 'id');
  if r.closed_at is not null then
    return private.page(null, page_size, 'id');
  end if;
  if input ->> 'after' is not null then
    after_no := coalesce(private.line_no_of(input -> 'after' ->> 1), 0);
  end if;
  if q is not null then
    hits := private.find_own_lines(q, (
      select array[p.left_source_no, p.right_source_no] from public.pairs p where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no), 5000);
  end if;
  select jsonb_agg(private.open_line_json(l, o.side, o.amount_minor, o.open_minor, r) order by o.n) into items
  from private.own_open_lines(r, input, hits, private.amount_of_word(q), after_no, page_size + 1) o
  cross join lateral (select * from public.lines y where y.tenant_id = r.tenant_id and y.line_no = o.line_no offset 0) l;
  return private.page(items, page_size, case input ->> 'sort' when 'amount' then 'open_minor' else 'value_date' end, 'id');
end $$;

create function private.open_line_json(l public.lines, side text, amount_minor bigint, open_minor bigint, r public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', private.line_id_text(l.id), 'side', side, 'currency', l.currency, 'amount_minor', amount_minor, 'open_minor', open_minor,
    'fee_minor', nullif(private.fee_of_whole(l, open_minor), 0), 'value_date', l.value_date, 'booked_date', l.booked_date,
    'reference', l.reference, 'counterparty', l.counterparty, 'description', l.description, 'group_key', l.group_key, 'external_id', l.external_id,
    'suggestion', (
      select jsonb_build_object('match_id', private.match_id_text(m.id), 'score', m.score, 'shape', m.shape)
      from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
      where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no and mm.pair_no = r.pair_no and m.state = 'suggested' and m.reconciliation_id = r.id
      order by m.score desc nulls last, m.id limit 1
    ),
    'exception_id', (
      select e.id from (
        select x.exception_id from private.exception_lines x
        where x.tenant_id = l.tenant_id and x.line_no = l.line_no and x.pair_no = r.pair_no offset 0
      ) x cross join lateral (
        select y.id from public.exceptions y where y.tenant_id = l.tenant_id and y.id = x.exception_id and y.status in ('open', 'in_review') offset 0
      ) e
      limit 1
    )
  );
end $$;
grant execute on function private.open_line_json(public.lines, text, bigint, bigint, public.reconciliations) to authenticated;

-- Runs: one pass of the rules over a period of a pair.

create table public.runs (
  id text not null default private.new_id('run'),
  tenant_id text not null default private.tenant_id(),
  reconciliation_id text not null,
  pair_no integer not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed')),
  -- What would happen, nothing kept: { rules, calendar_id } where others than the pair's are tried.
  dry_run jsonb check (jsonb_typeof(dry_run) = 'object'),
  stage text,
  lines_done bigint not null default 0,
  lines_total bigint not null default 0,
  waterfall jsonb not null default '[]',
  -- Of a dry run: what would newly match, no longer match and change.
  impact jsonb,
  -- What it changed: { added, kept, replaced, undone, read }.
  changed jsonb,
  suggested_count bigint not null default 0,
  open_count bigint not null default 0,
  exceptions_opened integer not null default 0,
  -- Beyond the run's cap: left for the next.
  exceptions_held_back integer not null default 0,
  rules_version integer,
  -- By which it counted business days; null: Monday to Friday.
  calendar_id text,
  calendar_version integer,
  engine_version text,
  -- The engine's version and 128 bits in hexadecimal: the sum of the hashes of the period's engine matches.
  digest text,
  failure text,
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  -- How often it was taken up: what an attempt writes that isn't the newest is refused.
  attempt integer not null default 0,
  primary key (tenant_id, id),
  foreign key (tenant_id, reconciliation_id) references public.reconciliations (tenant_id, id)
);
create index runs_by_reconciliation on public.runs (tenant_id, reconciliation_id, id);
create unique index runs_waiting on public.runs (tenant_id, reconciliation_id) where status = 'queued' and dry_run is null;
create index runs_unended on public.runs (tenant_id, id) where status in ('queued', 'running');

alter table public.runs enable row level security;
grant select on public.runs to authenticated, service_role;
create policy runs_read on public.runs for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));

create function private.run_json(r public.runs) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', r.id, 'reconciliation_id', r.reconciliation_id, 'status', r.status, 'dry_run', r.dry_run is not null, 'stage', r.stage,
    'lines_done', r.lines_done, 'lines_total', r.lines_total, 'waterfall', r.waterfall,
    'impact', '{"exceptions": {"avoided": 0, "added": 0}}'::jsonb || r.impact, 'changed', r.changed,
    'suggested_count', r.suggested_count, 'open_count', r.open_count, 'exceptions_opened', r.exceptions_opened,
    'exceptions_held_back', r.exceptions_held_back, 'rules_version', r.rules_version, 'calendar_id', r.calendar_id,
    'calendar_version', r.calendar_version, 'engine_version', r.engine_version,
    'digest', r.digest, 'failure', r.failure,
    'duration_ms', round(extract(epoch from r.finished_at - r.started_at) * 1000),
    'created_at', private.iso(r.created_at), 'created_by', r.created_by, 'started_at', private.iso(r.started_at),
    'finished_at', private.iso(r.finished_at)
  );
end $$;

-- Whether a run of a pair may take minutes.
create function private.is_large(tenant text, pair integer) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return 200000 < (
    select sum(s.line_count) from public.pairs p
    join public.sources s on s.tenant_id = p.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
    where p.tenant_id = tenant and p.pair_no = pair
  );
end $$;

-- One at a time in a pair, the earlier period first; of those asked for while one waits there is one, which is the last asker's.
create function private.queue_run(tenant text, pair integer, reconciliation text, run text, delay interval) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform graphile_worker.add_job('match_pair',
    private.of_request(jsonb_build_object('tenant_id', tenant, 'reconciliation_id', reconciliation, 'run_id', run)),
    queue_name => 'pair:' || pair, run_at => now() + delay, max_attempts => 5, job_key => 'match:' || coalesce(run, reconciliation),
    job_key_mode => 'preserve_run_at', flags => private.places_of(tenant, 'run') || case when private.is_large(tenant, pair)
      then private.places_of(tenant, 'large run') end);
end $$;

-- Asks for a run of every open period of a pair that runs by itself. After a second, in which more may come.
create function private.ask_for_runs(tenant text, pair integer) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.queue_run(r.tenant_id, r.pair_no, r.id, null, interval '1 second') from (
    select * from public.reconciliations x
    where x.tenant_id = tenant and x.pair_no = pair and x.auto_run and x.closed_at is null and x.status <> 'archived'
      and not private.is_closing(tenant, pair, x.id)
    order by x.period_end
  ) r;
end $$;

-- The same for every pair of the caller's tenant that counts business days by a calendar. Answers how many open periods there are to run.
create function private.ask_for_runs_by_calendar(calendar text) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  pairs constant integer[] := array(
    select p.pair_no from public.pairs p join public.pair_rules r on r.tenant_id = p.tenant_id and r.pair_no = p.pair_no and r.version = p.rules_version
    where p.tenant_id = private.tenant_id() and r.policy ->> 'calendar_id' = calendar
  );
begin
  perform private.ask_for_runs(private.tenant_id(), pair) from unnest(pairs) pair;
  return (
    select count(*) from public.reconciliations x
    where x.tenant_id = private.tenant_id() and x.pair_no = any (pairs) and x.closed_at is null and x.status <> 'archived'
  );
end $$;

-- The run of the caller's tenant that waits for this, or a new one. `trial`: of a dry run, which a closed period can have, too.
create function private.ask_for_run(reconciliation text, trial jsonb) returns public.runs
language plpgsql volatile set search_path = '' as $$
declare
  r public.reconciliations;
  asked public.runs;
begin
  select * into r from public.reconciliations x where x.tenant_id = private.tenant_id() and x.id = reconciliation for no key update;
  if r.closed_at is not null and trial is null then
    perform private.refuse('conflict', 'The period is closed. Reopen it first.');
  elsif r.status = 'archived' then
    perform private.refuse('conflict', 'The reconciliation is archived: it does not change any more.');
  end if;
  if trial is null then
    perform private.require_not_closing(r.tenant_id, r.pair_no, r.id);
    select * into asked from public.runs x
    where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id and x.status = 'queued' and x.dry_run is null;
    if found then
      return asked;
    end if;
  end if;
  insert into public.runs (reconciliation_id, pair_no, dry_run, stage) values (r.id, r.pair_no, trial, 'queued') returning * into asked;
  perform private.queue_run(r.tenant_id, r.pair_no, r.id, case when trial is not null then asked.id end, interval '0');
  return asked;
end $$;
-- What a dry run tries instead of what the pair has. Refuses: invalid_request for a calendar that the tenant doesn't have.
create function private.trial_of(input jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  perform private.require_calendar(input);
  return jsonb_strip_nulls(jsonb_build_object('rules', input -> 'rules'))
    || case when input ? 'calendar_id' then jsonb_build_object('calendar_id', input -> 'calendar_id') else '{}' end
    || case when input ? 'fees' then jsonb_build_object('fees', input -> 'fees') else '{}' end;
end $$;

grant execute on function private.run_json(public.runs) to authenticated;

-- input: { id, dry_run, rules, fees, calendar_id }, `id` the reconciliation's. Records: matching.run_requested; a dry run is recorded as every one is.
-- Refuses: not_found, conflict, invalid_request.
create function public.create_run(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'create_run');
  asked public.runs;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.find_period(input ->> 'id');
  asked := private.ask_for_run(input ->> 'id', case when (input ->> 'dry_run')::boolean then private.trial_of(input) end);
  if asked.dry_run is null then
    perform private.record_security_event('matching.run_requested', asked.id, null, jsonb_build_object('reconciliation_id', asked.reconciliation_id));
  end if;
  return private.answer(request, private.run_json(asked));
end $$;

-- Newest first. input: { id, limit, after: [id] | null, status }, `id` the reconciliation's. Refuses: not_found, conflict.
create function public.list_runs(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  r public.reconciliations;
  items jsonb;
begin
  perform private.enter(request, 'list_runs');
  r := private.find_period(input ->> 'id');
  select jsonb_agg(private.run_json(x) order by x.id desc) into items
  from (
    select * from public.runs y
    where y.tenant_id = r.tenant_id and y.reconciliation_id = r.id
      and (input -> 'after' ->> 0 is null or y.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or y.status = input ->> 'status')
    order by y.id desc limit page_size + 1
  ) x;
  return private.page(items, page_size, 'id');
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_run(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  found_run public.runs;
begin
  perform private.enter(request, 'get_run');
  select * into found_run from public.runs x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('run');
  end if;
  return private.run_json(found_run);
end $$;

-- Suggestions in bands of a rule and a range of scores: what can be accepted at once, and how right such were.

-- Where the band of a score begins; the next one is where it ends.
create function private.score_bands() returns real[]
language sql immutable set search_path = ''
return array[0, 0.5, 0.8, 0.9, 0.95, 0.99]::real[];

create function private.score_band(score real) returns integer
language plpgsql immutable set search_path = '' as $$
begin
  return width_bucket(coalesce(score, 0), private.score_bands());
end $$;
grant execute on function private.score_bands(), private.score_band(real) to authenticated;

-- The open lines that a suggestion takes, each once.
create function private.suggested_lines(r public.reconciliations)
returns table (currency text, side text, lines bigint, minor numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select o.currency, o.side, count(*), sum(o.open_minor)
  from (
    select distinct mm.line_no
    from public.matches m cross join lateral (
      select x.line_no from public.match_members x where x.tenant_id = m.tenant_id and x.match_id = m.id offset 0
    ) mm
    where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested'
  ) s cross join lateral (
    select y.currency, y.side, y.open_minor from private.open_lines y
    where y.tenant_id = r.tenant_id and y.pair_no = r.pair_no and y.line_no = s.line_no offset 0
  ) o
  group by o.currency, o.side;
end $$;
grant execute on function private.suggested_lines(public.reconciliations) to authenticated;

-- The most probable first. input: { id }, the reconciliation's. What people decided one by one on the pair's proposals of the rule and the band
-- measures it; what they decided many at once does not. `suggested`: the open lines that any of them takes. Refuses: not_found, conflict.
create function public.list_suggestion_bands(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  bands constant real[] := private.score_bands();
  r public.reconciliations;
begin
  perform private.enter(request, 'list_suggestion_bands');
  r := private.find_period(input ->> 'id');
  return (
    with suggested as (
      select m.method, private.score_band(m.score) as band, m.currency, count(*) as matches, sum(m.amount_minor) as minor
      from public.matches m where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested'
      group by 1, 2, 3
    ), decided as (
      select d.method, d.band, count(*) filter (where d.state = 'confirmed') as confirmed, count(*) filter (where d.state <> 'confirmed') as refused
      from (
        select m.method, private.score_band(m.score) as band, m.state, count(*) over (partition by m.decided_by, m.decided_at) as together
        from public.matches m where m.tenant_id = r.tenant_id and m.pair_no = r.pair_no and m.decided_by is not null and m.method <> 'manual'
      ) d where d.together = 1 group by 1, 2
    )
    select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object(
      'method', s.method, 'score_from', bands[s.band], 'score_below', bands[s.band + 1], 'count', s.matches, 'amounts', s.amounts,
      'confirmed_count', coalesce(d.confirmed, 0), 'rejected_count', coalesce(d.refused, 0)) order by s.band desc, s.matches desc, s.method), '[]'),
      'suggested', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', o.currency, 'side', o.side, 'line_count', o.lines,
          'open_minor', private.exact_sum(o.minor)) order by o.currency, o.side), '[]')
        from private.suggested_lines(r) o))
    from (
      select x.method, x.band, sum(x.matches) as matches, jsonb_agg(jsonb_build_object(
        'currency', x.currency, 'amount_minor', private.exact_sum(x.minor)) order by x.currency) as amounts
      from suggested x group by 1, 2
    ) s left join decided d on d.method = s.method and d.band = s.band
  );
end $$;

-- input: { id, method, score_from, score_below | null }: { count, amounts, items }, the items 20 of them, evenly from the least probable to the most.
-- Refuses: not_found, conflict.
create function public.sample_suggestions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  r public.reconciliations;
begin
  perform private.enter(request, 'sample_suggestions');
  r := private.find_period(input ->> 'id');
  return (
    with found as materialized (
      select m.id, m.currency, m.amount_minor, row_number() over (order by m.score, m.id) - 1 as n, count(*) over () as total
      from public.matches m
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested' and m.method = input ->> 'method'
        and m.score >= private.score(input ->> 'score_from') and (input ->> 'score_below' is null or m.score < private.score(input ->> 'score_below'))
    )
    select jsonb_build_object(
      'count', (select count(*) from found),
      'amounts', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', x.currency, 'amount_minor', private.exact_sum(x.minor)) order by x.currency), '[]')
        from (select f.currency, sum(f.amount_minor) as minor from found f group by 1) x
      ),
      'items', (
        select coalesce(jsonb_agg(private.match_json(m) order by f.n), '[]')
        from found f join public.matches m on m.tenant_id = r.tenant_id and m.id = f.id
        where f.n = 0 or f.n * 20 / f.total <> (f.n - 1) * 20 / f.total
      )
    )
  );
end $$;

-- Running: what a matcher does for a run. It reads what is open and what the engine made before, and keeps the difference in chunks of
-- whole matches: after every commit the proof holds, and a matcher that dies leaves nothing half done. Whatever it writes names its attempt.

-- Takes up the run that waits for a period, or starts one nobody asked for; one that was running when its matcher died is begun again.
-- `asked`: a dry run's. Answers what it needs, or null where there is nothing to do any more, or not yet: once its pair is prepared, it is asked for again.
create function private.begin_run(tenant text, reconciliation text, asked text, engine text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  r public.reconciliations;
  p public.pairs;
  begun public.runs;
  rule_set public.pair_rules;
  last_run public.runs;
  policy jsonb;
  calendar jsonb;
begin
  select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  select * into begun from public.runs x
  where x.tenant_id = tenant and x.reconciliation_id = reconciliation and x.status in ('queued', 'running')
    and case when asked is null then x.dry_run is null else x.id = asked end
  order by x.id limit 1 for update;
  if r.pair_no is null or r.status = 'archived'
    or begun.dry_run is null and (r.closed_at is not null or private.is_closing(tenant, r.pair_no, r.id)) then
    update public.runs x set status = 'failed', finished_at = now(), failure = 'The period was closed before the run began.'
    where x.tenant_id = tenant and x.id = begun.id;
    return null;
  end if;
  select * into p from public.pairs x where x.tenant_id = tenant and x.pair_no = r.pair_no;
  if p.opening is not null then
    return null;
  end if;
  if begun.id is null then
    if asked is not null then
      return null;
    end if;
    insert into public.runs (tenant_id, reconciliation_id, pair_no) values (tenant, r.id, r.pair_no) returning * into begun;
  end if;
  select * into rule_set from public.pair_rules x where x.tenant_id = tenant and x.pair_no = p.pair_no and x.version = p.rules_version;
  select * into last_run from public.runs x
  where x.tenant_id = tenant and x.reconciliation_id = r.id and x.status = 'done' and x.dry_run is null order by x.id desc limit 1;
  policy := private.default_policy() || coalesce(rule_set.policy, '{}')
    || jsonb_strip_nulls(jsonb_build_object('fees', begun.dry_run -> 'fees'));
  calendar := private.open_days(tenant, case when begun.dry_run ? 'calendar_id' then begun.dry_run else policy end ->> 'calendar_id');
  update public.runs x set status = 'running', stage = 'reading', started_at = now(), rules_version = p.rules_version, engine_version = engine,
    calendar_id = calendar ->> 'calendar_id', calendar_version = (calendar ->> 'calendar_version')::integer, lines_done = 0, lines_total = 0,
    attempt = x.attempt + 1
  where x.tenant_id = tenant and x.id = begun.id returning * into begun;
  return jsonb_build_object(
    'run_id', begun.id, 'attempt', begun.attempt, 'dry_run', begun.dry_run, 'pair_no', p.pair_no, 'lines', (
      select sum(s.line_count) from public.sources s where s.tenant_id = tenant and s.source_no in (p.left_source_no, p.right_source_no)
    ), 'period_end', r.period_end, 'closed', r.closed_at is not null, 'weights', p.weights,
    'rules', coalesce(begun.dry_run -> 'rules', rule_set.rules), 'policy', policy, 'open_days', calendar -> 'open_days',
    -- Whether all that the engine made is weighed again, or what it settled by its first rules stands.
    'whole', begun.dry_run is not null or last_run.id is null or last_run.rules_version is distinct from p.rules_version
      or last_run.engine_version is distinct from engine
      or (last_run.calendar_id, last_run.calendar_version::text) is distinct from (calendar ->> 'calendar_id', calendar ->> 'calendar_version')
  );
end $$;

-- Refuses what an attempt writes after another matcher has taken the run up, as one that was silent for long isn't always dead. Holds the run, so
-- that none takes it up before this is kept; who holds the pair, too, holds it first. Refuses: conflict.
create function private.require_attempt(tenant text, run text, attempt integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform from public.runs x
  where x.tenant_id = tenant and x.id = run and x.attempt = require_attempt.attempt and x.status = 'running' for no key update;
  if not found then
    perform private.refuse('conflict', 'The run has ended, or another matcher has taken it up.');
  end if;
end $$;

-- Refuses: conflict, so that an attempt that isn't the newest stops.
create function private.report_run_progress(tenant text, run text, attempt integer, stage text, done bigint, total bigint) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_attempt(tenant, run, attempt);
  update public.runs x set stage = left(report_run_progress.stage, 200), lines_done = done, lines_total = greatest(total, x.lines_total)
  where x.tenant_id = tenant and x.id = run;
end $$;

-- Keeps a chunk: undoes what the engine made and does not make any more, then makes new matches, in columns. Those whose lines somebody took
-- meanwhile are left out. Matches that come without members are there already, and were made by another rule, or have other fees now. Answers how many were left out.
-- Refuses: conflict where the period was closed or the run taken up meanwhile.
create function private.keep_matches(
  tenant text, reconciliation text, run text, attempt integer, gone uuid[],
  ids uuid[], states text[], shapes text[], methods text[], settled boolean[], scores real[], margins real[], currencies text[],
  amounts bigint[], residuals bigint[], explanations jsonb, highs bigint[], lows bigint[],
  member_ids uuid[], member_lines bigint[], member_sides text[], member_amounts bigint[], adjustments jsonb default '{}'
) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  r public.reconciliations;
  lost uuid[];
  confirmed uuid[];
begin
  r := private.hold_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  if cardinality(gone) > 0 then
    perform private.undo_matches(tenant, array(
      select m.id from public.matches m where m.tenant_id = tenant and m.id = any (gone) and m.decided_by is null), null);
  end if;
  if cardinality(member_ids) = 0 then
    update public.matches m set run_id = run, method = s.method, settled = s.settled, score = s.score, margin = s.margin, residual_minor = s.residual,
      adjustments = coalesce(keep_matches.adjustments -> s.id::text, '[]'), explanation = explanations -> s.id::text, hash_high = s.high, hash_low = s.low
    from unnest(ids, states, methods, keep_matches.settled, scores, margins, residuals, highs, lows)
      as s (id, state, method, settled, score, margin, residual, high, low)
    where m.tenant_id = tenant and m.id = s.id and m.decided_by is null and m.state = s.state;
    return 0;
  end if;
  select coalesce(array_agg(distinct member_ids[o.n]), '{}') into lost
  from private.find_open(tenant, r.pair_no, member_lines, member_amounts) o
  where o.place is null or o.minor not between least(o.open_minor, 0) and greatest(o.open_minor, 0);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, run_id, state, shape, method, settled, score, margin, currency,
    amount_minor, residual_minor, adjustments, explanation, hash_high, hash_low, created_by)
  select tenant, s.id, r.pair_no, r.id, run, s.state, s.shape, s.method, s.settled, s.score, s.margin, s.currency, s.amount, s.residual,
    coalesce(keep_matches.adjustments -> s.id::text, '[]'), explanations -> s.id::text, s.high, s.low, 'system'
  from unnest(ids, states, shapes, methods, settled, scores, margins, currencies, amounts, residuals, highs, lows)
    as s (id, state, shape, method, settled, score, margin, currency, amount, residual, high, low)
  where cardinality(lost) = 0 or s.id <> all (lost);
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, s.match_id, r.pair_no, s.line_no, s.side, s.minor
  from unnest(member_ids, member_lines, member_sides, member_amounts) as s (match_id, line_no, side, minor)
  where cardinality(lost) = 0 or s.match_id <> all (lost);
  confirmed := array(select s.id from unnest(ids, states) as s (id, state) where s.state = 'confirmed' and (cardinality(lost) = 0 or s.id <> all (lost)));
  if cardinality(confirmed) > 0 then
    perform private.take_lines(tenant, r, member_ids, member_lines, member_amounts, confirmed, cardinality(confirmed) = cardinality(ids));
  end if;
  return cardinality(lost);
end $$;

-- What confirmed matches of a run take: from what is open, from suggestions of other periods, from exceptions. `all_of`: every member is of
-- one of them.
create function private.take_lines(
  tenant text, r public.reconciliations, member_ids uuid[], member_lines bigint[], member_amounts bigint[], confirmed uuid[], all_of boolean
) returns void
language plpgsql volatile set search_path = '' as $$
declare
  lines bigint[] := member_lines;
  minors bigint[] := member_amounts;
begin
  if not all_of then
    select array_agg(s.line_no), array_agg(s.minor) into lines, minors
    from unnest(member_ids, member_lines, member_amounts) as s (match_id, line_no, minor) where s.match_id = any (confirmed);
  end if;
  perform private.lower_open(tenant, r.pair_no, lines, minors);
  insert into private.matched_counts as c (tenant_id, reconciliation_id, lines) values (tenant, r.id, cardinality(lines))
  on conflict (tenant_id, reconciliation_id) do update set lines = c.lines + excluded.lines;
  if exists (
    select from public.reconciliations other
    where other.tenant_id = tenant and other.pair_no = r.pair_no and other.id <> r.id
      and exists (select from public.matches m where m.tenant_id = tenant and m.reconciliation_id = other.id and m.state = 'suggested')
  ) then
    perform private.drop_suggestions(tenant, r.pair_no, lines);
  end if;
  if exists (select from public.exceptions e where e.tenant_id = tenant and e.pair_no = r.pair_no and e.status in ('open', 'in_review')) then
    perform private.resolve_matched_exceptions(tenant, r.pair_no, confirmed);
  end if;
end $$;

-- What the engine made of a period: the sum of its hashes modulo 2^128, and how many it only suggests.
create function private.digest_of_period(tenant text, reconciliation text, out digest text, out suggested bigint)
language plpgsql stable set search_path = '' as $$
declare
  two_64 constant numeric := 18446744073709551616;
  high numeric;
  low numeric;
  carried bigint;
begin
  -- As signed numbers: a low half below zero is worth one in the high half.
  select coalesce(sum(m.hash_high), 0), coalesce(sum(m.hash_low), 0), count(*) filter (where m.hash_low < 0), count(*) filter (where m.state = 'suggested')
  into high, low, carried, suggested
  from public.matches m
  where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state in ('confirmed', 'suggested') and m.decided_by is null;
  high := high + carried + floor(low / two_64);
  low := low - floor(low / two_64) * two_64;
  high := high - floor(high / two_64) * two_64;
  digest := private.hex_of(high) || private.hex_of(low);
end $$;

-- 16 hexadecimal digits of a whole number below 2^64.
create function private.hex_of(number numeric) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return lpad(to_hex(floor(number / 4294967296)::bigint), 8, '0') || lpad(to_hex((number - floor(number / 4294967296) * 4294967296)::bigint), 8, '0');
end $$;

-- Ends a run that kept everything. outcome: { waterfall, changed, exceptions_opened, exceptions_held_back }, of whose waterfall the rules are taken: the
-- books say what they matched. Checks what must hold; answers the sentences of what does not. Refuses: conflict.
create function private.finish_run(tenant text, run text, attempt integer, outcome jsonb) returns text[]
language plpgsql volatile security definer set search_path = '' as $$
declare
  x public.runs;
  p public.reconciliations;
  totals record;
  violations text[];
begin
  perform private.require_attempt(tenant, run, attempt);
  select * into strict x from public.runs y where y.tenant_id = tenant and y.id = run;
  select * into p from public.reconciliations r where r.tenant_id = tenant and r.id = x.reconciliation_id;
  select * into totals from private.digest_of_period(tenant, x.reconciliation_id);
  violations := private.violations_of_period(tenant, x.reconciliation_id, run);
  update public.runs y set
    status = case when cardinality(violations) = 0 then 'done' else 'failed' end, stage = null, finished_at = clock_timestamp(),
    failure = case when cardinality(violations) > 0 then
      'An internal check failed after this run. It has been logged: send us the run''s id.' end,
    lines_done = y.lines_total, digest = y.engine_version || ':' || totals.digest, suggested_count = totals.suggested,
    open_count = (
      select count(*) from private.open_lines o where o.tenant_id = tenant and o.pair_no = p.pair_no and o.value_date <= p.period_end),
    waterfall = private.whole_waterfall(p, private.rules_of_waterfall(outcome -> 'waterfall')), changed = outcome -> 'changed',
    exceptions_opened = (outcome ->> 'exceptions_opened')::integer, exceptions_held_back = (outcome ->> 'exceptions_held_back')::integer
  where y.tenant_id = tenant and y.id = run
  returning * into x;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(x)), run);
  return violations;
end $$;

-- What a dry run would change of exceptions, by the numbers of the lines that it would newly match and would leave open: those it would have
-- spared, and those it would open. Of a closed period those that there were, too.
create function private.exceptions_at_stake(tenant text, reconciliation text, matched bigint[], opened bigint[]) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    with grace as materialized (
      select s.source_no, private.last_day_of_grace(s, private.policy_of_pair(tenant, r.pair_no) ->> 'calendar_id') as day
      from public.reconciliations r
      join public.pairs p on p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
      join public.sources s on s.tenant_id = r.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
      where r.tenant_id = tenant and r.id = reconciliation
    )
    select jsonb_build_object(
      'avoided', (
        select count(distinct x.exception_id) from unnest(matched) m (line_no) cross join lateral (
          select y.exception_id from private.exception_lines y where y.tenant_id = tenant and y.line_no = m.line_no and y.pair_no = r.pair_no offset 0
        ) x cross join lateral (
          select from public.exceptions e
          where e.tenant_id = tenant and e.id = x.exception_id and (r.closed_at is not null or e.status in ('open', 'in_review')) offset 0
        ) e
      ),
      'added', (
        select count(*) from unnest(opened) o (line_no)
        cross join lateral (select x.source_no, x.value_date from public.lines x where x.tenant_id = tenant and x.line_no = o.line_no offset 0) l
        join grace g on g.source_no = l.source_no
        where l.value_date < g.day
          and (
            select e.id from (
              select y.exception_id from private.exception_lines y where y.tenant_id = tenant and y.line_no = o.line_no and y.pair_no = r.pair_no offset 0
            ) x cross join lateral (
              select z.id from public.exceptions z where z.tenant_id = tenant and z.id = x.exception_id and z.status in ('open', 'in_review') offset 0
            ) e
          ) is null
      )
    )
    from public.reconciliations r where r.tenant_id = tenant and r.id = reconciliation
  );
end $$;

-- Ends a run that keeps nothing. Refuses: conflict.
create function private.finish_dry_run(tenant text, run text, attempt integer, outcome jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  x public.runs;
begin
  perform private.require_attempt(tenant, run, attempt);
  update public.runs y set status = 'done', stage = null, finished_at = clock_timestamp(), lines_done = y.lines_total,
    impact = outcome -> 'impact', digest = outcome ->> 'digest', suggested_count = (outcome ->> 'suggested_count')::bigint,
    open_count = (outcome ->> 'open_count')::bigint, waterfall = outcome -> 'waterfall'
  where y.tenant_id = tenant and y.id = run
  returning * into x;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(x)), run);
end $$;

grant execute on function
  private.exceptions_at_stake(text, text, bigint[], bigint[]), private.begin_run(text, text, text, text), private.report_run_progress(text, text, integer, text, bigint, bigint),
  private.keep_matches(text, text, text, integer, uuid[], uuid[], text[], text[], text[], boolean[], real[], real[], text[], bigint[], bigint[], jsonb,
    bigint[], bigint[], uuid[], bigint[], text[], bigint[], jsonb),
  private.finish_run(text, text, integer, jsonb), private.finish_dry_run(text, text, integer, jsonb)
to service_role;

-- Written by `npm run generate` from matcher/engine/rules.ts: the rules of a pair that has none of its own.

create function private.default_rules() returns jsonb
language sql immutable set search_path = ''
return '[
  {"name":"Same reference and date","kind":"exact","on":["reference","value_date"],"then":"match"},
  {"name":"Same reference","kind":"exact","on":["reference"],"days_before":10,"days_after":31,"then":"match"},
  {"name":"Reversals","kind":"reversal","on":["reference"],"days_before":5,"days_after":45,"then":"match"},
  {"name":"Group key","kind":"group","on":["group_key"],"days_before":3,"days_after":10,"then":"match"},
  {"name":"Same amount","kind":"score","days_before":4,"days_after":12,"then":"match"},
  {"name":"Fees","kind":"score","amount_tolerance_bps":500,"amount_tolerance_minor":2500,"days_before":3,"days_after":12,"residual":"keep","then":"match"},
  {"name":"Sums","kind":"group","days_before":4,"days_after":10,"max_group_size":8,"then":"match"},
  {"name":"Part payments","kind":"score","amount_tolerance_bps":9500,"days_before":5,"days_after":31,"residual":"none","then":"suggest"}
]'::jsonb;

-- Rules of a pair over the wire, with what goes with them and what was learnt. Each change is a version; a period follows the newest.

create function private.rules_json(p public.pairs) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  r public.pair_rules;
begin
  select * into r from public.pair_rules x where x.tenant_id = p.tenant_id and x.pair_no = p.pair_no and x.version = p.rules_version;
  -- Null rules: the defaults, which the engine has. The contract shows what `weights` say, not the counts.
  return jsonb_build_object('rules', r.rules, 'version', p.rules_version, 'weights', p.weights, 'updated_at', private.iso(r.created_at),
    'updated_by', r.created_by) || private.default_policy() || coalesce(r.policy, '{}');
end $$;

-- input: { id }, the reconciliation's. Refuses: not_found, conflict.
create function public.get_rules(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  r public.reconciliations;
begin
  perform private.enter(request, 'get_rules');
  r := private.find_period(input ->> 'id');
  return (select private.rules_json(p) from public.pairs p where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no);
end $$;

-- How much the sides of a match of this size may differ by the rules of a pair, the match keeping the difference.
create function private.tolerance_of_pair(tenant text, pair integer, larger numeric) returns numeric
language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(max(greatest((x.rule ->> 'amount_tolerance_minor')::numeric, floor(larger * (x.rule ->> 'amount_tolerance_bps')::numeric / 10000))), 0)
    from public.pairs p left join public.pair_rules r on r.tenant_id = p.tenant_id and r.pair_no = p.pair_no and r.version = p.rules_version
    cross join jsonb_array_elements(coalesce(r.rules, private.default_rules())) as x (rule)
    where p.tenant_id = tenant and p.pair_no = pair and coalesce(x.rule ->> 'residual', 'keep') = 'keep'
  );
end $$;

create function private.without_names(weights jsonb, names jsonb) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return case when weights ? 'names' then jsonb_set(weights, '{names}', (
    select coalesce(jsonb_agg(n.name order by n.place), '[]') from jsonb_array_elements(weights -> 'names') with ordinality n (name, place)
    where not names @> jsonb_build_array(n.name - 'confirmed')
  )) else weights end;
end $$;

-- Gives the caller's pair of a period a new version of its rules, or forgets what was learnt: all of it, or these names, [{ left, right }]. Refuses:
-- precondition_failed; role_required where four eyes are turned off by anyone but an admin.
create function private.set_rules(period text, rules jsonb, policy jsonb, forget boolean, names jsonb, versions jsonb) returns public.pairs
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  before jsonb;
  p public.pairs;
begin
  perform private.hold_pair_of(period);
  select x.* into p from public.reconciliations r join public.pairs x on x.tenant_id = r.tenant_id and x.pair_no = r.pair_no
  where r.tenant_id = tenant and r.id = period;
  perform private.require_version(p.rules_version, versions);
  if (private.policy_of_pair(tenant, p.pair_no) ->> 'four_eyes')::boolean and not (policy ->> 'four_eyes')::boolean
    and not (private.principal_type() = 'user' and auth.jwt() -> 'roles' ? 'tenant_admin') then
    perform private.refuse('role_required', 'Only a tenant_admin can turn four_eyes off. Leave it out, or ask a tenant admin.');
  end if;
  before := private.rules_json(p);
  insert into public.pair_rules (tenant_id, pair_no, version, rules, policy) values (tenant, p.pair_no, p.rules_version + 1, rules,
    private.policy_of_pair(tenant, p.pair_no) || policy);
  update public.pairs x set rules_version = p.rules_version + 1, weights = case when not forget then private.without_names(x.weights, names) end
  where x.tenant_id = tenant and x.pair_no = p.pair_no
  returning * into p;
  if forget then
    delete from private.decisions d where d.tenant_id = tenant and d.pair_no = p.pair_no;
  end if;
  perform private.record_security_event('matching.rules_updated', period, null,
    jsonb_build_object('from', before - '{weights}'::text[], 'to', private.rules_json(p) - '{weights}'::text[], 'learning_reset', forget));
  perform private.ask_for_runs(tenant, p.pair_no);
  return p;
end $$;
grant execute on function private.rules_json(public.pairs) to authenticated;

-- input: { id, rules, automatic, fees, four_eyes, calendar_id, exceptions, reset_learning, forget_names, dry_run }, `id` the reconciliation's. A dry run is asked for as one
-- of `create_run`, whose id is `run_id`. Refuses: not_found, conflict, precondition_failed, invalid_request. Records: matching.rules_updated.
create function public.put_rules(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  dry_run constant boolean := coalesce((input ->> 'dry_run')::boolean, false);
  r public.reconciliations;
  p public.pairs;
  -- What is left out stays.
  policy constant jsonb := coalesce((
    select jsonb_object_agg(k, input -> k) from unnest('{automatic,fees,four_eyes,calendar_id,exceptions}'::text[]) k where input ? k), '{}');
begin
  perform private.enter(request, 'put_rules');
  r := private.find_period(input ->> 'id');
  if dry_run then
    select * into p from public.pairs x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no;
    return private.rules_json(p) || policy || jsonb_build_object('rules', input -> 'rules', 'dry_run', true,
      'run_id', (private.ask_for_run(r.id, private.trial_of(input))).id);
  end if;
  perform private.require_calendar(input);
  p := private.set_rules(r.id, input -> 'rules', policy, coalesce((input ->> 'reset_learning')::boolean, false),
    coalesce(input -> 'forget_names', '[]'), request -> 'versions');
  return private.rules_json(p) || jsonb_build_object('dry_run', false, 'run_id', null);
end $$;

-- Decisions that the pair's weights do not know of yet, oldest first, with the two lines of each, as a run weighs them:
-- [{ id, confirmed, score, left, right }], dates as days since 1970-01-01.
create function private.decisions_to_learn(tenant text, pair integer, most integer) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'confirmed', d.confirmed, 'score', d.score, 'left', x.left_line, 'right', x.right_line)
      order by d.id), '[]')
    from (
      select * from private.decisions y where y.tenant_id = tenant and y.pair_no = pair order by y.id limit most
    ) d
    cross join lateral (
      select min(v.line::text) filter (where v.side = 'left')::jsonb as left_line, min(v.line::text) filter (where v.side = 'right')::jsonb as right_line
      from (
        select mm.side, jsonb_build_object(
          'amount_minor', mm.allocated_minor - case when m.adjustments @> '[{"kind": "fee"}]' then private.fee_of_whole(l, mm.allocated_minor) else 0 end,
          'currency', l.currency, 'value_date', l.value_date - date '1970-01-01', 'reference', l.reference,
          'counterparty', l.counterparty, 'description', l.description, 'group_key', l.group_key) as line
        from public.match_members mm join public.lines l on l.tenant_id = mm.tenant_id and l.line_no = mm.line_no
        join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
        where mm.tenant_id = tenant and mm.match_id = d.match_id
      ) v
    ) x
  );
end $$;

-- Keeps what a run learnt up to a decision, unless it was reset, or rules were changed and names forgotten, meanwhile. Refuses: conflict where the run was taken up meanwhile.
create function private.keep_weights(tenant text, pair integer, run text, attempt integer, weights jsonb, up_to bigint) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  taken integer;
begin
  perform from public.pairs p where p.tenant_id = tenant and p.pair_no = pair for no key update;
  if exists (
    select from public.runs x join public.pairs p on p.tenant_id = x.tenant_id and p.pair_no = x.pair_no
    where x.tenant_id = tenant and x.id = run and x.rules_version <> p.rules_version
  ) then
    return;
  end if;
  delete from private.decisions d where d.tenant_id = tenant and d.pair_no = pair and d.id <= up_to;
  get diagnostics taken = row_count;
  if taken > 0 then
    update public.pairs p set weights = keep_weights.weights where p.tenant_id = tenant and p.pair_no = pair;
  end if;
  perform private.require_attempt(tenant, run, attempt);
end $$;
grant execute on function
  private.decisions_to_learn(text, integer, integer), private.keep_weights(text, integer, text, integer, jsonb, bigint)
to service_role;

-- Runs that fail: by what their matcher met, or since no matcher came to their end.

-- Answers whether this attempt's run failed by it: it hasn't where the run has ended, or another matcher has taken it up.
create function private.fail_run(tenant text, run text, attempt integer, failure text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  x public.runs;
begin
  update public.runs y set status = 'failed', stage = null, finished_at = clock_timestamp(), failure = fail_run.failure
  where y.tenant_id = tenant and y.id = run and y.attempt = fail_run.attempt and y.status in ('queued', 'running')
  returning * into x;
  if not found then
    return false;
  end if;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(x)), run);
  return true;
end $$;

-- Ends the runs whose matchers died at every attempt: their job has none left, or is gone for an hour. One that waits without a job, since the
-- job it came with took up a run before it, gets another. Answers the IDs of those that failed.
create function private.end_abandoned_runs(failure text) returns setof text
language plpgsql volatile security definer set search_path = '' as $$
declare
  x record;
begin
  for x in
    with unended as (
      select r.*, case when r.dry_run is not null then r.id end as asked from public.runs r where r.status in ('queued', 'running')
    )
    select u.*, j.id as job from unended u left join graphile_worker.jobs j on j.key = 'match:' || coalesce(u.asked, u.reconciliation_id)
    where case when j.id is not null then j.attempts >= j.max_attempts and j.locked_at is null
      else u.status = 'queued' or u.started_at < now() - interval '1 hour' end
  loop
    if x.status = 'queued' and x.job is null then
      perform private.queue_run(x.tenant_id, x.pair_no, x.reconciliation_id, x.asked, interval '0');
    elsif private.fail_run(x.tenant_id, x.id, x.attempt, failure) then
      return next x.id;
    end if;
  end loop;
end $$;

grant execute on function private.fail_run(text, text, integer, text), private.end_abandoned_runs(text) to service_role;

-- Proof: per currency and side, what came in = what was matched + excluded + what is open. From the lines themselves, not from counts.

-- Of a tenant or a pair that is new, the planner takes for granted that it has hardly a row, and would read all it has for each row of another. So these
-- functions read the members of many matches, and the lines of many members, once: in the order of their keys, which one index alone gives.

-- Members of matches; with `until`, of lines up to that day.
create function private.members_of(tenant text, match_ids uuid[], until date default null)
returns table (match_id uuid, line_no bigint, side text, allocated_minor bigint)
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
begin
  if until is null then
    return query select x.match_id, x.line_no, x.side, x.allocated_minor from public.match_members x
      where x.tenant_id = tenant and x.match_id = any ((select match_ids)::uuid[]) order by x.match_id;
  else
    return query
    with members as materialized (select * from private.members_of(tenant, match_ids))
    select m.match_id, m.line_no, m.side, m.allocated_minor from members m
    join (
      select x.line_no from public.lines x
      where x.tenant_id = tenant and x.line_no = any (array(select y.line_no from members y)) and x.value_date <= until order by x.line_no
    ) l on l.line_no = m.line_no;
  end if;
end $$;

-- Currencies and sides of what is open in a pair up to a day and is no line.
create function private.open_without_line(tenant text, pair integer, until date) returns table (currency text, side text)
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
begin
  return query
  with open_lines as materialized (
    select x.line_no, x.currency, x.side from private.open_lines x where x.tenant_id = tenant and x.pair_no = pair and x.value_date <= until
  )
  select distinct o.currency, o.side from open_lines o
  left join (
    select x.line_no from public.lines x where x.tenant_id = tenant and x.line_no = any (array(select y.line_no from open_lines y)) order by x.line_no
  ) l on l.line_no = o.line_no
  where l.line_no is null;
end $$;

-- The first hundred matches of a run whose members do not come to their residual and adjustments.
create function private.unbalanced_matches(tenant text, reconciliation text, run text) returns uuid[]
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
begin
  return array(
    with made as materialized (
      select m.id, m.residual_minor + case m.adjustments when '[]' then 0 else (
        select coalesce(sum((a ->> 'amount_minor')::bigint), 0) from jsonb_array_elements(m.adjustments) a
      ) end as left_over from public.matches m
      where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.run_id = run and m.state in ('confirmed', 'suggested')
    )
    select m.id from made m join private.members_of(tenant, array(select x.id from made x)) mm on mm.match_id = m.id
    group by m.id, m.left_over
    having sum(case mm.side when 'left' then mm.allocated_minor else -mm.allocated_minor end) <> m.left_over
    limit 100
  );
end $$;
grant execute on function private.members_of(text, uuid[], date), private.open_without_line(text, integer, date) to authenticated;

-- What a period sees: every line of its pair up to its end, less what earlier periods settled. What later ones settled was open in it.
-- Adjustments and residuals stand on the side they make the larger one.
create function private.proof_rows(r public.reconciliations)
returns table (currency text, side text, line_count bigint, lines numeric, matched numeric, excluded numeric, open numeric, adjustments numeric, residual numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  with of_pair as materialized (
    select x.id, case when x.id = r.id then 0 when x.period_end < r.period_start then -1 else 1 end as place
    from public.reconciliations x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no
  ), sides as materialized (
    select s.source_no, case s.source_no when p.left_source_no then 'left' else 'right' end as side, case s.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs p join public.sources s on s.tenant_id = p.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
    where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  ), came as (
    select l.currency, s.side, count(*) as line_count, sum(s.factor * l.amount_minor) as minor
    from sides s join public.lines l on l.tenant_id = r.tenant_id and l.source_no = s.source_no and l.value_date <= r.period_end
    group by 1, 2
  ), confirmed as (
    select m.currency, o.place, array_agg(m.id) as ids
    from of_pair o join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = o.id and m.state = 'confirmed'
    group by 1, 2
  ), settled as materialized (
    -- Of what later periods settled only what this one saw.
    select c.currency, mm.side, c.place, sum(mm.allocated_minor) as minor
    from confirmed c cross join lateral private.members_of(r.tenant_id, c.ids, case when c.place = 1 then r.period_end end) mm
    group by 1, 2, 3
  ), taken_out as (
    select x.currency, x.side, o.place, sum(x.excluded_minor) as minor
    from of_pair o join public.exclusions x on x.tenant_id = r.tenant_id and x.reconciliation_id = o.id
    join public.lines l on l.tenant_id = x.tenant_id and l.line_no = x.line_no and l.value_date <= r.period_end
    group by 1, 2, 3
  ), still_open as (
    select o.currency, o.side, sum(o.open_minor) as minor from private.open_lines o
    where o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.value_date <= r.period_end
    group by 1, 2
  ), explained as (
    select m.currency, sum(m.residual_minor) as residual, sum(coalesce(a.minor, 0)) as adjustments
    from public.matches m
    left join lateral (select sum((e ->> 'amount_minor')::bigint) as minor from jsonb_array_elements(m.adjustments) e) a on m.adjustments <> '[]'
    where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed' and (m.residual_minor <> 0 or m.adjustments <> '[]')
    group by 1
  ), rows as (
    select x.currency, s.side from (
      select c.currency from came c union select s.currency from settled s union select o.currency from still_open o
      union select e.currency from explained e
    ) x cross join (values ('left'), ('right')) s (side)
  )
  select w.currency, w.side, coalesce(c.line_count, 0),
    coalesce(c.minor, 0) - coalesce((select sum(s.minor) from settled s where s.currency = w.currency and s.side = w.side and s.place = -1), 0)
      - coalesce((select sum(s.minor) from taken_out s where s.currency = w.currency and s.side = w.side and s.place = -1), 0),
    coalesce((select sum(s.minor) from settled s where s.currency = w.currency and s.side = w.side and s.place = 0), 0),
    coalesce((select sum(s.minor) from taken_out s where s.currency = w.currency and s.side = w.side and s.place = 0), 0),
    coalesce((select s.minor from still_open s where s.currency = w.currency and s.side = w.side), 0)
      + coalesce((select sum(s.minor) from settled s where s.currency = w.currency and s.side = w.side and s.place = 1), 0)
      + coalesce((select sum(s.minor) from taken_out s where s.currency = w.currency and s.side = w.side and s.place = 1), 0),
    case w.side when 'left' then greatest(coalesce(e.adjustments, 0), 0) else greatest(-coalesce(e.adjustments, 0), 0) end,
    case w.side when 'left' then greatest(coalesce(e.residual, 0), 0) else greatest(-coalesce(e.residual, 0), 0) end
  from rows w left join came c on c.currency = w.currency and c.side = w.side left join explained e on e.currency = w.currency
  order by w.currency, w.side;
end $$;

-- A sum on the wire: a number as long as JSON's keep it exact, its digits beyond 2^53 - 1.
create function private.exact_sum(sum numeric) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return case when abs(sum) <= 9007199254740991 then to_jsonb(sum) else to_jsonb(sum::text) end;
end $$;
grant execute on function private.exact_sum(numeric) to authenticated;

-- { items: [{ currency, side, lines, matched, excluded, open, adjustments, residual, holds }], holds }, in minor units. It holds where lines =
-- matched + excluded + open on each side, matched less what explains it is the same on both, and each that is open is a line: the amounts of some
-- that are none could cancel each other. So could those that are not open yet: while the pair is being prepared nothing holds.
create function private.proof_json(r public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  preparing constant boolean := private.is_preparing(r.tenant_id, r.pair_no);
begin
  return (
    with sums as materialized (
      select * from private.proof_rows(r)
    ), without_line as materialized (
      select * from private.open_without_line(r.tenant_id, r.pair_no, r.period_end)
    ), rows as (
      select x.*, not preparing and x.lines = x.matched + x.excluded + x.open and b.balanced
        and not exists (select from without_line o where o.currency = x.currency and o.side = x.side) as holds
      from sums x join (
        select y.currency, sum(case y.side when 'left' then 1 else -1 end * (y.matched - y.adjustments - y.residual)) = 0 as balanced
        from sums y group by y.currency
      ) b on b.currency = x.currency
    )
    select jsonb_build_object(
      'items', coalesce(jsonb_agg(jsonb_build_object('currency', w.currency, 'side', w.side, 'lines', private.exact_sum(w.lines),
        'matched', private.exact_sum(w.matched), 'excluded', private.exact_sum(w.excluded), 'open', private.exact_sum(w.open),
        'adjustments', private.exact_sum(w.adjustments), 'residual', private.exact_sum(w.residual), 'holds', w.holds)
        order by w.currency, w.side), '[]'),
      'holds', coalesce(bool_and(w.holds), not preparing)
    ) from rows w
  );
end $$;

-- Sentences for what must hold and does not, of a period and the matches of one of its runs; none where all does.
create function private.violations_of_period(tenant text, reconciliation text, run text) returns text[]
language plpgsql stable set search_path = '' as $$
declare
  r public.reconciliations;
  found text[];
begin
  select * into strict r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  select coalesce(array_agg(format('%s %s: lines are not matched + excluded + open, or the sides do not agree.', p ->> 'currency', p ->> 'side')), '{}')
  into found
  from jsonb_array_elements(private.proof_json(r) -> 'items') p where not (p ->> 'holds')::boolean;
  return found || array(
    select format('Match %s does not add up.', x.id) from unnest(private.unbalanced_matches(tenant, reconciliation, run)) x (id));
end $$;
grant execute on function private.proof_rows(public.reconciliations), private.proof_json(public.reconciliations) to authenticated;

-- input: { id }, the reconciliation's. Of a closed period as it was when it closed, and whether what closed is still the same. Refuses: not_found,
-- conflict.
create function public.get_proof(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  r public.reconciliations;
begin
  perform private.enter(request, 'get_proof');
  r := private.find_period(input ->> 'id');
  if r.closed_at is not null then
    return (
      select c.statement -> 'proof' || jsonb_build_object('closing', jsonb_build_object(
        'digest', c.digest, 'holds', c.digest = private.closing_digest(r.tenant_id, r.id)))
      from public.closings c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
    );
  end if;
  return private.proof_json(r) || '{"closing": null}';
end $$;

-- Waterfalls: where each line of a period is, counted from the books: what each rule matched, what people matched, what is excluded. With the lines
-- that are open they are all lines of the period, each once, and to the cent the sums of its proof.

-- One step for each of these rules, in their order, and for others whose matches stand; then people's and excluded lines:
-- [{ kind, rule, matches, suggested, left_lines, right_lines, amounts }]. A line is counted at the first step that took of it, once nothing of it is
-- open. Of a closed period as it closed.
create function private.whole_waterfall(r public.reconciliations, rules text[]) returns jsonb
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
declare
  people constant integer := 1000;
  excluded constant integer := 1001;
begin
  return (
    -- Of the rules whose matches later runs leave alone there may be a million: each is of two whole lines.
    with settled as materialized (
      select coalesce(array_position(rules, m.method), 999) as place, m.method as rule, m.currency, count(*) as matches, sum(m.amount_minor) as minor
      from public.matches m
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.settled and m.state = 'confirmed' and m.decided_by is null
      group by 1, 2, 3
    ), made as materialized (
      select case when m.decided_by is not null then people else coalesce(array_position(rules, m.method), 999) end as place,
        case when m.decided_by is not null then 'manual' else m.method end as rule, m.id, m.currency
      from public.matches m
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed' and not (m.settled and m.decided_by is null)
    ), taken as materialized (
      select d.place, d.rule, d.currency, mm.line_no, mm.side, mm.allocated_minor as minor
      from made d join private.members_of(r.tenant_id, array(select x.id from made x)) mm on mm.match_id = d.id
      union all
      select excluded, 'excluded', e.currency, e.line_no, e.side, e.excluded_minor
      from public.exclusions e where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id
    ), first_taken as materialized (
      select distinct on (x.line_no) x.place, x.rule, x.side, x.line_no from taken x order by x.line_no, x.place
    ), partly_open as materialized (
      (select o.line_no from private.open_lines o
       where r.closed_at is null and o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.line_no = any (array(select x.line_no from first_taken x))
       order by o.line_no)
      union all
      select c.line_no from public.carried_lines c where r.closed_at is not null and c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
    ), counted as materialized (
      select f.place, f.rule, count(*) filter (where f.side = 'left') as lefts, count(*) filter (where f.side = 'right') as rights
      from first_taken f left join partly_open o on o.line_no = f.line_no
      where o.line_no is null
        -- Of which an exact rule took the rest.
        and (f.place < people or (
          select m.id from (
            select x.match_id from public.match_members x
            where x.tenant_id = r.tenant_id and x.line_no = f.line_no and x.pair_no = r.pair_no offset 0
          ) mm cross join lateral (
            select x.id from public.matches x where x.tenant_id = r.tenant_id and x.id = mm.match_id and x.reconciliation_id = r.id
              and x.settled and x.state = 'confirmed' and x.decided_by is null offset 0
          ) m limit 1
        ) is null)
      group by 1, 2
    ), amounts as materialized (
      select a.place, a.rule, jsonb_agg(jsonb_build_object('currency', a.currency, 'left_minor', private.exact_sum(a.left_minor),
        'right_minor', private.exact_sum(a.right_minor)) order by a.currency) as amounts
      from (
        select z.place, z.rule, z.currency, sum(z.left_minor) as left_minor, sum(z.right_minor) as right_minor from (
          select s.place, s.rule, s.currency, s.minor as left_minor, s.minor as right_minor from settled s
          union all
          select x.place, x.rule, x.currency, case x.side when 'left' then x.minor else 0 end, case x.side when 'right' then x.minor else 0 end from taken x
        ) z group by 1, 2, 3
      ) a group by 1, 2
    ), matched as materialized (
      select z.place, z.rule, sum(z.matches) as matches, sum(z.settled) as settled from (
        select s.place, s.rule, s.matches, s.matches as settled from settled s
        union all
        select d.place, d.rule, 1, 0 from made d
      ) z group by 1, 2
    ), suggested as materialized (
      select m.method as rule, count(*) as suggested from public.matches m
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested' group by 1
    ), steps as (
      select n.place::integer as place, n.rule, 'rule' as kind from unnest(rules) with ordinality n (rule, place)
      union
      select m.place, m.rule, 'rule' from matched m where m.place = 999
      union all
      values (people, 'manual', 'people'), (excluded, 'excluded', 'excluded')
    )
    select jsonb_agg(jsonb_build_object('kind', t.kind, 'rule', t.rule, 'matches', coalesce(m.matches, 0),
      'suggested', case t.kind when 'rule' then coalesce(g.suggested, 0) else 0 end,
      'left_lines', coalesce(m.settled, 0) + coalesce(c.lefts, 0), 'right_lines', coalesce(m.settled, 0) + coalesce(c.rights, 0),
      'amounts', coalesce(a.amounts, '[]')) order by t.place, t.rule)
    from steps t
    left join matched m on m.place = t.place and m.rule = t.rule
    left join counted c on c.place = t.place and c.rule = t.rule
    left join amounts a on a.place = t.place and a.rule = t.rule
    left join suggested g on g.rule = t.rule
  );
end $$;

-- The names of the rules that a waterfall has, in their order.
create function private.rules_of_waterfall(waterfall jsonb) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select s.step ->> 'rule' from jsonb_array_elements(waterfall) with ordinality s (step, n)
    where coalesce(s.step ->> 'kind', 'rule') = 'rule' order by s.n);
end $$;

-- The last run of a period that is closed tells where its lines are now, whatever people did after it.
create function private.complete_last_run(r public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
begin
  update public.runs x set waterfall = private.whole_waterfall(r, private.rules_of_waterfall(x.waterfall)), suggested_count = 0, open_count = (
      select count(*) from public.carried_lines c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id)
  where x.tenant_id = r.tenant_id and x.id = (
    select y.id from public.runs y
    where y.tenant_id = r.tenant_id and y.reconciliation_id = r.id and y.status = 'done' and y.dry_run is null order by y.id desc limit 1);
end $$;

-- What a run reads: all of one moment. private.gather_run finds it and leaves it in tables and views of the session until the transaction ends; the
-- matcher copies the views row by row, so that neither side holds a million lines twice.

-- Statements over rows that were just written are planned on what the planner knew before. So each reads a table once, by numbers in their order,
-- which one index alone gives, and joins what comes in that order: no estimate can make it look up line by line, or in another index.
create function private.plan_by_sets() returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform set_config(s.name, s.value, true)
  from (values ('enable_nestloop', 'off'), ('enable_hashjoin', 'off'), ('enable_sort', 'off'), ('work_mem', '64MB')) s (name, value);
end $$;

-- Gives the run the lines of matches that it has taken up, by what they took of each.
create function private.give_lines_of_matches(tenant text, of_settled boolean) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into pg_temp.given_lines
  select mm.line_no, mm.side, mm.allocated_minor, t.currency
  from (select x.id, x.currency from pg_temp.taken_up x where x.settled = of_settled order by x.id) t
  join (
    select x.match_id, x.line_no, x.side, x.allocated_minor from public.match_members x
    where x.tenant_id = tenant and x.match_id = any (array(select y.id from pg_temp.taken_up y where y.settled = of_settled))
    order by x.match_id
  ) mm on mm.match_id = t.id;
end $$;

-- Fees of the given lines, each of which is there with all that a run may take of it.
create function private.find_line_fees(tenant text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  -- Most tenants have no line with a fee. In an order that one index alone gives.
  perform from public.lines l where l.tenant_id = tenant and l.fee_minor <> 0 order by l.fee_minor limit 1;
  if not found then
    return;
  end if;
  insert into pg_temp.line_fees
  select g.line_no, private.fee_of_whole(l.line, g.minor)
  from (select x.line_no, sum(x.minor)::bigint as minor from pg_temp.given_lines x group by 1 order by 1) g
  join (
    select x.line_no, x as line from public.lines x
    where x.tenant_id = tenant and x.fee_minor <> 0 and x.line_no = any (array(select y.line_no from pg_temp.given_lines y)) order by x.line_no
  ) l on l.line_no = g.line_no
  where private.fee_of_whole(l.line, g.minor) <> 0;
end $$;

-- Takes up those matches of leading exact rules that share amount and currency with any line that is given, with or without its fee: with them a
-- run decides what one over all lines would (matcher/engine/README.md).
create function private.take_up_settled(tenant text, reconciliation text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  create temp table given_amounts (minor bigint not null, currency text not null) on commit drop;
  insert into pg_temp.given_amounts select distinct g.minor, g.currency from pg_temp.given_lines g;
  if exists (select from pg_temp.line_fees) then
    insert into pg_temp.given_amounts
    select g.minor - f.minor, g.currency from pg_temp.given_lines g join pg_temp.line_fees f on f.line_no = g.line_no;
  end if;
  insert into pg_temp.taken_up (id, currency, settled)
  select m.id, m.currency, true
  from (select distinct x.minor, x.currency from pg_temp.given_amounts x order by x.minor, x.currency) g
  join (
    select x.id, x.amount_minor, x.currency from public.matches x
    where x.tenant_id = tenant and x.reconciliation_id = reconciliation and x.settled and x.state = 'confirmed' and x.decided_by is null
      and x.amount_minor = any (array(select distinct y.minor from pg_temp.given_amounts y))
    order by x.amount_minor, x.currency
  ) m on m.amount_minor = g.minor and m.currency = g.currency;
end $$;

-- Gathers what a run weighs: what is open up to the period's end (of a closed period what was carried forward), what the engine made and may make
-- otherwise, and what it takes up of what is settled. Answers how many lines may come, a side. Leaves lines_to_weigh, matches_made and line_fees.
create function private.gather_run(
  tenant text, reconciliation text, pair integer, period_end date, is_closed boolean, whole boolean, deducts_fees boolean
) returns table (left_lines bigint, right_lines bigint)
language plpgsql volatile set search_path = '' as $$
begin
  perform private.plan_by_sets();
  create temp table run_scope on commit drop as select tenant as tenant_id;
  create temp table taken_up (id uuid not null, currency text not null, settled boolean not null) on commit drop;
  create temp table given_lines (line_no bigint not null, side text not null, minor bigint not null, currency text not null) on commit drop;
  create temp table line_fees (line_no bigint not null, minor bigint not null) on commit drop;
  insert into pg_temp.taken_up
  select m.id, m.currency, false from public.matches m
  where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'confirmed' and m.decided_by is null and (whole or not m.settled);
  if is_closed then
    insert into pg_temp.given_lines
    select c.line_no, c.side, c.open_minor, c.currency from public.carried_lines c
    where c.tenant_id = tenant and c.reconciliation_id = reconciliation;
  else
    insert into pg_temp.given_lines
    select o.line_no, o.side, o.open_minor, o.currency from private.open_lines o
    where o.tenant_id = tenant and o.pair_no = pair and o.value_date <= period_end;
  end if;
  perform private.give_lines_of_matches(tenant, false);
  if deducts_fees then
    perform private.find_line_fees(tenant);
  end if;
  if not whole then
    perform private.take_up_settled(tenant, reconciliation);
    perform private.give_lines_of_matches(tenant, true);
  end if;
  -- A line that is partly matched is given what is open of it and what its matches took.
  if exists (select from pg_temp.taken_up) then
    create temp view lines_once as select g.line_no, g.side, sum(g.minor)::bigint as minor from pg_temp.given_lines g group by 1, 2;
  else
    create temp view lines_once as select g.line_no, g.side, g.minor from pg_temp.given_lines g;
  end if;
  create temp view lines_to_weigh as
  select g.side = 'left' as is_left, g.line_no, l.id, g.minor, l.currency, l.value_date, l.booked_date, l.reference, l.counterparty, l.description, l.group_key
  from (select x.line_no, x.side, x.minor from pg_temp.lines_once x order by x.line_no) g
  join (
    select * from public.lines x
    where x.tenant_id = (select s.tenant_id from pg_temp.run_scope s) and x.line_no = any (array(select y.line_no from pg_temp.given_lines y))
    order by x.line_no
  ) l on l.line_no = g.line_no;
  insert into pg_temp.taken_up
  select m.id, m.currency, false from public.matches m
  where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'suggested';
  create temp view matches_made as
  select m.id, m.state, m.method, m.score, m.currency, m.amount_minor, m.hash_high, m.hash_low, mm.line_no, mm.allocated_minor
  from (
    select * from public.matches x
    where x.tenant_id = (select s.tenant_id from pg_temp.run_scope s) and x.id = any (array(select y.id from pg_temp.taken_up y)) order by x.id
  ) m
  join (
    select x.match_id, x.line_no, x.allocated_minor from public.match_members x
    where x.tenant_id = (select s.tenant_id from pg_temp.run_scope s) and x.match_id = any (array(select y.id from pg_temp.taken_up y))
    order by x.match_id
  ) mm on mm.match_id = m.id;
  return query select count(*) filter (where g.side = 'left'), count(*) filter (where g.side = 'right') from pg_temp.given_lines g;
end $$;

-- The lines, by their IDs, of each combination of a pair that people rejected or undid.
create function private.refused_combinations(tenant text, pair integer) returns table (left_ids text[], right_ids text[])
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
begin
  return query
  with members as materialized (
    select x.match_id, x.line_no, x.side from public.match_members x
    where x.tenant_id = tenant and x.match_id = any (array(
      select m.id from public.matches m
      where m.tenant_id = tenant and m.pair_no = pair and m.decided_by is not null and m.state in ('rejected', 'undone')))
    order by x.match_id
  )
  select array_agg(l.id::text) filter (where mm.side = 'left'), array_agg(l.id::text) filter (where mm.side = 'right')
  from members mm
  join (
    select x.id, x.line_no from public.lines x
    where x.tenant_id = tenant and x.line_no = any (array(select y.line_no from members y)) order by x.line_no
  ) l on l.line_no = mm.line_no
  group by mm.match_id;
end $$;

-- Closings: a closed period never changes. What it said is kept as it was said.

create table public.closings (
  tenant_id text not null default private.tenant_id(),
  reconciliation_id text not null,
  -- As private.statement_json has it, the proof with it.
  statement jsonb not null,
  closed_at timestamptz(3) not null default now(),
  closed_by text not null default private.actor(),
  -- private.closing_digest at that moment; null of those closed before there was one.
  digest text check (digest ~ '^[0-9a-f]{64}$'),
  primary key (tenant_id, reconciliation_id),
  foreign key (tenant_id, reconciliation_id) references public.reconciliations (tenant_id, id)
);

-- Lines that were open when the period closed, carried into the next.
create table public.carried_lines (
  tenant_id text not null default private.tenant_id(),
  reconciliation_id text not null,
  line_no bigint not null,
  side text not null check (side in ('left', 'right')),
  open_minor bigint not null,
  -- The line's, so that lists and sums look up none of a hundred thousand.
  currency text not null,
  value_date date not null,
  primary key (tenant_id, reconciliation_id, line_no)
);
create index carried_lines_by_date on public.carried_lines (tenant_id, reconciliation_id, side, value_date, line_no);

alter table public.closings enable row level security;
alter table public.carried_lines enable row level security;
grant select on public.closings, public.carried_lines to authenticated, service_role;
create policy closings_read on public.closings for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));
create policy carried_lines_read on public.carried_lines for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations',
    'read:exceptions', 'write:exceptions')));

-- Whether somebody else has to close the period than who worked in it: the pair's policy asks for it, or did at any time since the period was opened.
create function private.needs_other_eyes(r public.reconciliations) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from (
      select (v.policy ->> 'four_eyes')::boolean as asked, lead(v.created_at) over (order by v.version) as until
      from public.pair_rules v where v.tenant_id = r.tenant_id and v.pair_no = r.pair_no
    ) x where x.asked and coalesce(x.until >= r.created_at, true)
  );
end $$;

-- Whether somebody matched by hand, wrote off, excluded or undid in the period, taken back since or not.
create function private.worked_in_period(r public.reconciliations, who text) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from public.matches m where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id
      and (m.method = 'manual' and m.created_by = who or m.state = 'undone' and m.decided_by = who)
  ) or exists (
    select from private.acts a where a.tenant_id = r.tenant_id and a.reconciliation_id = r.id
      and (a.kind in ('match', 'exclude') and a.created_by = who or a.undone_by = who)
  );
end $$;

-- What can be known of a period, which is held, without looking at its lines. Refuses: conflict where an earlier one is open, a run or the
-- undoing of an import is under way, or the pair's policy asks for other eyes.
create function private.require_closable(r public.reconciliations) returns void
language plpgsql stable set search_path = '' as $$
begin
  if exists (
    select from public.reconciliations x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_end < r.period_start and x.closed_at is null and x.status <> 'archived'
  ) then
    perform private.refuse('conflict', 'An earlier period of these sources is open. Close that one first.');
  elsif exists (
    select from public.runs x
    where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id and x.status in ('queued', 'running') and x.dry_run is null
  ) then
    perform private.refuse('conflict', 'A run of this period is under way. Close it when the run is done.');
  elsif exists (
    select from public.pairs p join public.imports i
      on i.tenant_id = p.tenant_id and i.source_no in (p.left_source_no, p.right_source_no) and i.status = 'undoing'
    where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  ) then
    perform private.refuse('conflict', 'An import of its sources is being undone. Close it when that is done.');
  end if;
  if private.needs_other_eyes(r) and private.worked_in_period(r, private.actor()) then
    perform private.refuse('conflict', 'You matched, wrote off, excluded or undid something in this period by hand. Ask somebody who did not to close it.');
  end if;
end $$;

-- Writes down what a period carries and states: all of one moment, since nothing of the pair changes meanwhile, or the transaction reads one
-- snapshot. Nobody sees it until the period is closed. Refuses: conflict where the proof does not hold or a difference is left.
create function private.write_closing(r public.reconciliations, closed_by text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  statement jsonb;
  unexplained jsonb;
begin
  insert into public.carried_lines (tenant_id, reconciliation_id, line_no, side, open_minor, currency, value_date)
  select o.tenant_id, r.id, o.line_no, o.side, o.open_minor, o.currency, o.value_date from private.open_in_period(r) o order by o.line_no;
  r.closed_at := now();
  r.closed_by := write_closing.closed_by;
  statement := private.statement_json(r);
  if not (statement #>> '{proof,holds}')::boolean then
    perform private.refuse('conflict', 'The proof does not hold: matched, excluded and open lines are not all lines. Tell us before you close.');
  end if;
  select d into unexplained from jsonb_array_elements(statement -> 'differences') d where d -> 'difference_minor' <> '0' limit 1;
  if found then
    perform private.refuse('conflict', format('The statement leaves a difference of %s in minor units of %s, which nothing explains. '
      'Reopen and look at earlier periods of these sources, or tell us before you close.', unexplained ->> 'difference_minor', unexplained ->> 'currency'));
  end if;
  insert into public.closings (tenant_id, reconciliation_id, statement, closed_at, closed_by)
  values (r.tenant_id, r.id, statement, r.closed_at, r.closed_by);
  update public.closings c set digest = private.closing_digest(r.tenant_id, r.id)
  where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
end $$;

create function private.forget_closing(r public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
begin
  delete from public.closings c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
  delete from public.carried_lines c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
end $$;

-- Closes a period, which is held, by what was written down of it: at once for whoever looks. Records and emits: reconciliation.closed.
create function private.complete_closing(before public.reconciliations) returns public.reconciliations
language plpgsql volatile set search_path = '' as $$
declare
  c public.closings;
  r public.reconciliations;
begin
  select * into strict c from public.closings x where x.tenant_id = before.tenant_id and x.reconciliation_id = before.id;
  delete from private.closing_requests q where q.tenant_id = before.tenant_id and q.reconciliation_id = before.id;
  if before.status = 'open' then
    update public.reconciliations x set status = 'in_progress' where x.tenant_id = before.tenant_id and x.id = before.id;
  end if;
  update public.reconciliations x set status = 'completed', closed_at = c.closed_at, closed_by = c.closed_by
  where x.tenant_id = before.tenant_id and x.id = before.id
  returning * into r;
  perform private.complete_last_run(r);
  perform private.record_security_event('reconciliation.closed', r.id, null, jsonb_build_object('digest', c.digest));
  perform private.queue_book_examination(r.tenant_id, r.pair_no);
  perform private.emit(r.tenant_id, 'reconciliation.closed', jsonb_build_object('reconciliation', private.reconciliation_json(r)));
  return r;
end $$;

-- Closes a period of the caller's, or has a matcher close it where its sources have many lines. Refuses: conflict, as require_closable and
-- write_closing, and where it is closed or being closed; what write_closing refuses comes later of one that a matcher closes.
create function private.close_period(id text) returns public.reconciliations
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  lines constant bigint := (
    select sum(s.line_count) from public.reconciliations r
    join public.sources s on s.tenant_id = r.tenant_id and s.id in (r.left_source_id, r.right_source_id)
    where r.tenant_id = tenant and r.id = $1
  );
  r public.reconciliations;
begin
  if lines > private.lines_at_once() then
    r := private.hold_period(tenant, $1);
    perform private.require_closable(r);
    perform private.request_closing(r);
    return r;
  end if;
  r := private.hold_period_alone(tenant, $1);
  perform private.require_closable(r);
  perform private.write_closing(r, private.actor());
  -- The next period has its own look at what is open.
  perform private.delete_matches(r.tenant_id, private.suggested_of(r.tenant_id, r.id));
  return private.complete_closing(r);
end $$;

-- Refuses: conflict where the period is not closed, or a later one is or is being closed. Records and emits: reconciliation.reopened.
create function private.reopen_period(id text, reason text) returns public.reconciliations
language plpgsql volatile set search_path = '' as $$
declare
  r public.reconciliations;
begin
  perform private.hold_pair_of($1);
  select * into r from public.reconciliations x where x.tenant_id = private.tenant_id() and x.id = $1 for no key update;
  if r.closed_at is null then
    perform private.refuse('conflict', 'The period is not closed.');
  elsif exists (
    select from public.reconciliations x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_start > r.period_end and x.closed_at is not null
  ) then
    perform private.refuse('conflict', 'A later period of these sources is closed, and builds on this one. Reopen that one first.');
  end if;
  perform private.require_not_closing(r.tenant_id, r.pair_no);
  update public.reconciliations x set status = 'in_progress', closed_at = null, closed_by = null
  where x.tenant_id = r.tenant_id and x.id = r.id
  returning * into r;
  perform private.forget_closing(r);
  perform private.record_security_event('reconciliation.reopened', r.id, reason);
  perform private.emit(r.tenant_id, 'reconciliation.reopened', jsonb_build_object('reconciliation', private.reconciliation_json(r), 'reason', reason));
  return r;
end $$;

-- input: { id }. Closed when it answers, or `closing`. Refuses: not_found, conflict.
create function public.close_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'close_reconciliation');
  r public.reconciliations;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.find_period(input ->> 'id');
  r := private.close_period(input ->> 'id');
  return private.answer(request, private.reconciliation_json(r) || jsonb_build_object('version', private.reconciliation_version(r)));
end $$;

-- input: { id, reason }. Refuses: not_found, conflict.
create function public.reopen_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'reopen_reconciliation');
  r public.reconciliations;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.find_period(input ->> 'id');
  r := private.reopen_period(input ->> 'id', input ->> 'reason');
  return private.answer(request, private.reconciliation_json(r) || jsonb_build_object('version', private.reconciliation_version(r)));
end $$;

-- Closing requests: a period whose sources have many lines is closed by a matcher. Until it is, it is open to whoever looks, and changes for
-- nobody: what was decided in it stands still, and lines that come belong to the next. Why: docs/decisions/0022-lock-order.md.

create table private.closing_requests (
  tenant_id text not null,
  reconciliation_id text not null,
  pair_no integer not null,
  -- { claims, operation, address }: it is closed in the name of whoever asked.
  asked_by jsonb not null,
  asked_at timestamptz(3) not null default now(),
  -- Why it could not be closed, until it is asked for again; null while it is being closed.
  failure text,
  primary key (tenant_id, reconciliation_id)
);
alter table private.closing_requests enable row level security;
grant select (tenant_id, reconciliation_id, pair_no, failure) on private.closing_requests to authenticated;
create policy closing_requests_read on private.closing_requests for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may(
    'read:reconciliations', 'write:reconciliations', 'read:exceptions', 'write:exceptions')));

-- Whether a period of a pair is being closed; without one, any of its periods.
create function private.is_closing(tenant text, pair integer, reconciliation text default null) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from private.closing_requests q
    where q.tenant_id = tenant and q.pair_no = pair and q.failure is null
      and (reconciliation is null or q.reconciliation_id = reconciliation)
  );
end $$;

-- Refuses: conflict.
create function private.require_not_closing(tenant text, pair integer, reconciliation text default null) returns void
language plpgsql stable set search_path = '' as $$
begin
  if private.is_closing(tenant, pair, reconciliation) then
    perform private.refuse('conflict', 'A period of these sources is being closed. Try again once that is done: its reconciliation then has '
      '"closing": false.');
  end if;
end $$;
grant execute on function private.is_closing(text, integer, text) to authenticated;

-- Has a matcher close a period, which is held, in the caller's name. In the queue of the pair's runs: they take turns.
create function private.request_closing(r public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
begin
  -- Of an attempt that was taken for dead, and was not.
  perform private.forget_closing(r);
  insert into private.closing_requests as q (tenant_id, reconciliation_id, pair_no, asked_by)
  values (r.tenant_id, r.id, r.pair_no, jsonb_build_object('claims', auth.jwt(), 'operation', current_setting('tieout.operation', true),
    'address', current_setting('tieout.address', true)))
  on conflict (tenant_id, reconciliation_id) do update set asked_by = excluded.asked_by, asked_at = excluded.asked_at, failure = null;
  perform graphile_worker.add_job('close_period',
    private.of_request(jsonb_build_object('tenant_id', r.tenant_id, 'reconciliation_id', r.id)),
    queue_name => 'pair:' || r.pair_no, job_key => 'close:' || r.id, max_attempts => 6, flags => private.places_of(r.tenant_id, 'lines'));
end $$;

-- Writes the closing down, for a transaction that reads one snapshot: lines may come in meanwhile, and wait for nobody. Answers whether it is
-- to be completed. Refuses: conflict.
create function private.write_requested_closing(tenant text, reconciliation text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  q private.closing_requests;
begin
  if current_setting('transaction_isolation') = 'read committed' then
    raise exception 'A closing is written down of one snapshot.';
  end if;
  select * into q from private.closing_requests x where x.tenant_id = tenant and x.reconciliation_id = reconciliation and x.failure is null;
  if not found then
    return false;
  end if;
  -- By an attempt before this one.
  if not exists (select from public.closings c where c.tenant_id = tenant and c.reconciliation_id = reconciliation) then
    perform private.write_closing(r, q.asked_by #>> '{claims,actor}') from public.reconciliations r
    where r.tenant_id = tenant and r.id = reconciliation;
  end if;
  return true;
end $$;

-- Deletes the next suggestions of a period that is being closed. Answers how many.
create function private.delete_suggestions_of_closing(tenant text, reconciliation text) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  ids uuid[];
begin
  perform private.hold_pair(q.tenant_id, q.pair_no) from private.closing_requests q
  where q.tenant_id = tenant and q.reconciliation_id = reconciliation;
  perform from private.closing_requests q where q.tenant_id = tenant and q.reconciliation_id = reconciliation and q.failure is null;
  if not found then
    return 0;
  end if;
  ids := array(
    select m.id from public.matches m where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'suggested'
    order by m.id limit 5000
  );
  perform private.delete_matches(tenant, ids);
  return cardinality(ids);
end $$;

create function private.complete_requested_closing(tenant text, reconciliation text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  q private.closing_requests;
  r public.reconciliations;
begin
  perform private.hold_pair(x.tenant_id, x.pair_no) from private.closing_requests x
  where x.tenant_id = tenant and x.reconciliation_id = reconciliation;
  select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation for no key update;
  select * into q from private.closing_requests x where x.tenant_id = tenant and x.reconciliation_id = reconciliation and x.failure is null;
  if found then
    perform set_config('request.jwt.claims', q.asked_by ->> 'claims', true);
    perform set_config('tieout.operation', coalesce(q.asked_by ->> 'operation', ''), true);
    perform set_config('tieout.address', coalesce(q.asked_by ->> 'address', ''), true);
    perform private.complete_closing(r);
  end if;
end $$;

-- Leaves the period open, and says why; asks for a run, which makes its suggestions again. Answers whether it was being closed.
create function private.fail_closing(tenant text, reconciliation text, failure text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  r public.reconciliations;
begin
  select * into strict r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  perform private.hold_pair(tenant, r.pair_no);
  update private.closing_requests q set failure = fail_closing.failure
  where q.tenant_id = tenant and q.reconciliation_id = reconciliation and q.failure is null;
  if not found then
    return false;
  end if;
  perform private.forget_closing(r);
  perform private.ask_for_runs(tenant, r.pair_no);
  -- Its suggestions may be gone by now, and come again with a run, whether or not it runs by itself.
  perform private.queue_run(tenant, r.pair_no, r.id, null, interval '1 second');
  return true;
end $$;

-- Ends the closings whose matchers died at every attempt: their job has none left, or is gone. Answers the IDs of the periods.
create function private.end_abandoned_closings(failure text) returns setof text
language plpgsql volatile security definer set search_path = '' as $$
declare
  q private.closing_requests;
begin
  -- One by one: in the condition of the query a closing would be ended before its job is looked at.
  for q in
    select x.* from private.closing_requests x left join graphile_worker.jobs j on j.key = 'close:' || x.reconciliation_id
    where x.failure is null
      and case when j.id is null then x.asked_at < now() - interval '1 hour' else j.attempts >= j.max_attempts and j.locked_at is null end
    order by x.tenant_id, x.pair_no
  loop
    if private.fail_closing(q.tenant_id, q.reconciliation_id, failure) then
      return next q.reconciliation_id;
    end if;
  end loop;
end $$;

grant execute on function
  private.write_requested_closing(text, text), private.delete_suggestions_of_closing(text, text),
  private.complete_requested_closing(text, text), private.fail_closing(text, text, text), private.end_abandoned_closings(text)
to service_role;

-- Statement items: what the sums of a statement are made of, one by one. Lines, matches and exclusions of a closed period change no more, and what it
-- carried was written down: its items are the same for ever.

-- Each of these answers at most so many as a JSON array, those behind the one that is named; null where there is none.

-- Outstanding lines, oldest first.
create function private.outstanding_items(r public.reconciliations, after_date date, after_no bigint, most integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(private.outstanding_json(r, x.line_no, x.side, x.open_minor) order by x.value_date, x.line_no)
    from (
      select o.line_no, o.side, o.open_minor, o.value_date
      from private.outstanding_of(r) o
      where after_date is null or (o.value_date, o.line_no) > (after_date, coalesce(after_no, 0))
      order by o.value_date, o.line_no limit most
    ) x
  );
end $$;

-- The adjustments of a period's matches; `place`: among those of its match.
create function private.adjustment_items(r public.reconciliations, after_id uuid, after_place bigint, most integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(jsonb_build_object('match_id', private.match_id_text(x.id), 'place', x.place, 'currency', x.currency, 'kind', x.a -> 'kind',
      'amount_minor', x.a -> 'amount_minor', 'note', x.a -> 'note', 'decided_by', x.decided_by, 'decided_at', private.iso(x.decided_at))
      order by x.id, x.place)
    from (
      select m.id, m.currency, m.decided_by, coalesce(m.decided_at, m.created_at) as decided_at, a.a, a.place
      from public.matches m cross join lateral jsonb_array_elements(m.adjustments) with ordinality as a (a, place)
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed' and m.adjustments <> '[]'
        and m.id >= coalesce(after_id, '00000000-0000-0000-0000-000000000000')
        and (m.id > after_id or a.place > after_place) is not false
      order by m.id, a.place limit most
    ) x
  );
end $$;

-- What a period's matches leave over, each with the largest line of its match.
create function private.residual_items(r public.reconciliations, after_id uuid, most integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(jsonb_build_object('match_id', private.match_id_text(m.id), 'line_id', private.line_id_text(l.id), 'value_date', l.value_date,
      'currency', m.currency, 'amount_minor', m.residual_minor, 'reference', l.reference, 'counterparty', l.counterparty,
      'description', l.description, 'reason', m.method, 'decided_by', m.decided_by, 'decided_at', private.iso(m.decided_at)) order by m.id)
    from (
      select x.id, x.currency, x.residual_minor, x.method, x.decided_by, coalesce(x.decided_at, x.created_at) as decided_at
      from public.matches x
      where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id and x.state = 'confirmed' and x.residual_minor <> 0
        and x.id > coalesce(after_id, '00000000-0000-0000-0000-000000000000')
      order by x.id limit most
    ) m
    cross join lateral (
      select mm.line_no from public.match_members mm where mm.tenant_id = r.tenant_id and mm.match_id = m.id
      order by abs(mm.allocated_minor) desc, mm.line_no limit 1
    ) largest
    cross join lateral (
      select x.* from public.lines x where x.tenant_id = r.tenant_id and x.line_no = largest.line_no offset 0
    ) l
  );
end $$;

-- Lines that the period excluded, in order of arrival.
create function private.exclusion_items(r public.reconciliations, after_no bigint, most integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(jsonb_build_object('line_id', private.line_id_text(l.id), 'side', e.side, 'value_date', l.value_date, 'currency', e.currency,
      'amount_minor', e.excluded_minor, 'reference', l.reference, 'counterparty', l.counterparty, 'description', l.description,
      'reason', e.reason, 'decided_by', e.created_by, 'decided_at', private.iso(e.created_at)) order by e.line_no)
    from (
      select x.line_no, x.side, x.currency, x.excluded_minor, x.reason, x.created_by, x.created_at from public.exclusions x
      where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id and x.line_no > coalesce(after_no, 0)
      order by x.line_no limit most
    ) e
    cross join lateral (
      select x.* from public.lines x where x.tenant_id = r.tenant_id and x.line_no = e.line_no offset 0
    ) l
  );
end $$;

-- The lines of a period's matches, match by match.
create function private.matched_line_items(r public.reconciliations, after_id uuid, after_no bigint, most integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(jsonb_build_object('match_id', private.match_id_text(x.id), 'line_id', private.line_id_text(l.id), 'side', x.side,
      'value_date', l.value_date, 'currency', x.currency, 'amount_minor', x.allocated_minor, 'reference', l.reference,
      'counterparty', l.counterparty, 'description', l.description, 'method', x.method, 'note', x.note, 'decided_by', x.decided_by,
      'decided_at', private.iso(x.decided_at)) order by x.id, x.line_no)
    from (
      select m.*, mm.line_no, mm.side, mm.allocated_minor
      from (
        select y.id, y.currency, y.method, y.note, y.decided_by, coalesce(y.decided_at, y.created_at) as decided_at
        from public.matches y
        where y.tenant_id = r.tenant_id and y.reconciliation_id = r.id and y.state = 'confirmed'
          and y.id >= coalesce(after_id, '00000000-0000-0000-0000-000000000000')
        -- Each has a line at least; of the first, all may have been answered.
        order by y.id limit most + 1
      ) m
      cross join lateral (
        select z.line_no, z.side, z.allocated_minor from public.match_members z where z.tenant_id = r.tenant_id and z.match_id = m.id offset 0
      ) mm
      where (m.id > after_id or mm.line_no > after_no) is not false
      order by m.id, mm.line_no limit most
    ) x
    cross join lateral (
      select y.* from public.lines y where y.tenant_id = r.tenant_id and y.line_no = x.line_no offset 0
    ) l
  );
end $$;
grant execute on function
  private.outstanding_items(public.reconciliations, date, bigint, integer), private.adjustment_items(public.reconciliations, uuid, bigint, integer),
  private.residual_items(public.reconciliations, uuid, integer), private.exclusion_items(public.reconciliations, bigint, integer),
  private.matched_line_items(public.reconciliations, uuid, bigint, integer)
to authenticated;

-- input: { id, kind: outstanding | adjustment | residual | exclusion | match, limit, after: [key, …] | null }, `id` the reconciliation's.
-- Refuses: not_found, conflict.
create function public.list_statement_items(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  most constant integer := page_size + 1;
  -- What the last page ended with.
  first_key constant text := input -> 'after' ->> 0;
  second_key constant text := input -> 'after' ->> 1;
  r public.reconciliations;
begin
  perform private.enter(request, 'list_statement_items');
  r := private.find_period(input ->> 'id');
  case input ->> 'kind'
    when 'outstanding' then
      return private.page(private.outstanding_items(r, first_key::date, private.line_no_of(second_key), most), page_size, 'value_date', 'line_id');
    when 'adjustment' then
      return private.page(private.adjustment_items(r, private.match_id(first_key), second_key::bigint, most), page_size, 'match_id', 'place');
    when 'residual' then
      return private.page(private.residual_items(r, private.match_id(first_key), most), page_size, 'match_id');
    when 'exclusion' then
      return private.page(private.exclusion_items(r, private.line_no_of(first_key), most), page_size, 'line_id');
    when 'match' then
      return private.page(private.matched_line_items(r, private.match_id(first_key), private.line_no_of(second_key), most), page_size,
        'match_id', 'line_id');
  end case;
end $$;

-- Statements: what a period says to who signs it. Balances, what explains the difference of the two sides, what is outstanding and how old.

-- What was open at the end of a period: now open, or settled by a later period.
create function private.open_in_period(r public.reconciliations)
returns table (tenant_id text, line_no bigint, side text, currency text, value_date date, open_minor bigint)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select r.tenant_id, x.line_no, x.side, x.currency, x.value_date, sum(x.minor)::bigint
  from (
    select o.line_no, o.side, o.currency, o.value_date, o.open_minor as minor from private.open_lines o
    where o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.value_date <= r.period_end
    union all
    select mm.line_no, mm.side, m.currency, l.value_date, mm.allocated_minor
    from public.reconciliations later
    join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = later.id and m.state = 'confirmed'
    cross join lateral (
      select mm.line_no, mm.side, mm.allocated_minor from public.match_members mm where mm.tenant_id = m.tenant_id and mm.match_id = m.id offset 0
    ) mm
    cross join lateral (
      select x.value_date from public.lines x where x.tenant_id = m.tenant_id and x.line_no = mm.line_no and x.value_date <= r.period_end offset 0
    ) l
    where later.tenant_id = r.tenant_id and later.pair_no = r.pair_no and later.period_start > r.period_end
    union all
    select e.line_no, e.side, e.currency, l.value_date, e.excluded_minor
    from public.reconciliations later
    join public.exclusions e on e.tenant_id = r.tenant_id and e.reconciliation_id = later.id
    join public.lines l on l.tenant_id = e.tenant_id and l.line_no = e.line_no and l.value_date <= r.period_end
    where later.tenant_id = r.tenant_id and later.pair_no = r.pair_no and later.period_start > r.period_end
  ) x
  group by x.line_no, x.side, x.currency, x.value_date;
end $$;

-- Of an open period as it stands now, of a closed one as it closed.
create function private.outstanding_of(r public.reconciliations)
returns table (tenant_id text, line_no bigint, side text, currency text, value_date date, open_minor bigint)
language plpgsql stable set search_path = '' as $$
begin
  if r.closed_at is null then
    return query select * from private.open_in_period(r);
  else
    return query select c.tenant_id, c.line_no, c.side, c.currency, c.value_date, c.open_minor
    from public.carried_lines c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
  end if;
end $$;

create function private.statement_json(r public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    with sides as materialized (
      select s.source_no, s.id, s.name, case s.source_no when p.left_source_no then 'left' else 'right' end as side, case s.sign when 'inverted' then -1 else 1 end as factor
      from public.pairs p join public.sources s on s.tenant_id = p.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
      where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
    ), balances as materialized (
      select l.currency, s.side, coalesce(sum(s.factor * l.amount_minor) filter (where l.value_date < r.period_start), 0) as opening,
        sum(s.factor * l.amount_minor) as closing, count(*) filter (where l.value_date >= r.period_start) as line_count
      from sides s join public.lines l on l.tenant_id = r.tenant_id and l.source_no = s.source_no and l.value_date <= r.period_end
      group by 1, 2
    ), outstanding as materialized (
      select o.line_no, o.side, o.open_minor, o.currency, r.period_end - o.value_date as age from private.outstanding_of(r) o
    ), until_now as materialized (
      select x.id from public.reconciliations x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_end <= r.period_end
    ), excluded as materialized (
      select e.currency, e.side, sum(e.excluded_minor) as minor
      from until_now u join public.exclusions e on e.tenant_id = r.tenant_id and e.reconciliation_id = u.id group by 1, 2
    ), explaining as materialized (
      select m.reconciliation_id, m.currency, m.residual_minor, m.adjustments
      from until_now u join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = u.id and m.state = 'confirmed'
      where m.residual_minor <> 0 or m.adjustments <> '[]'
    ), explained as materialized (
      select m.currency, sum(m.residual_minor) as residual, sum((select coalesce(sum((a ->> 'amount_minor')::bigint), 0) from jsonb_array_elements(m.adjustments) a)) as adjusted
      from explaining m group by 1
    ), counts as materialized (
      select coalesce(sum(jsonb_array_length(m.adjustments)), 0) as adjustments, count(*) filter (where m.residual_minor <> 0) as residuals,
        (select count(*) from public.exclusions e where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id) as exclusions
      from explaining m where m.reconciliation_id = r.id
    ), currencies as (
      select b.currency from balances b union select e.currency from explained e
    ), sums as (
      select c.currency, s.side, coalesce(b.opening, 0) as opening, coalesce(b.closing, 0) as closing, coalesce(b.line_count, 0) as line_count,
        coalesce((select sum(o.open_minor) from outstanding o where o.currency = c.currency and o.side = s.side), 0) as outstanding,
        coalesce((select e.minor from excluded e where e.currency = c.currency and e.side = s.side), 0) as excluded
      from currencies c cross join (values ('left'), ('right')) s (side) left join balances b on b.currency = c.currency and b.side = s.side
    )
    select jsonb_build_object(
      'reconciliation_id', r.id, 'name', r.name, 'period_start', r.period_start, 'period_end', r.period_end, 'left_source', r.left_source,
      'right_source', r.right_source, 'as_of', private.iso(coalesce(r.closed_at, now())), 'closed_at', private.iso(r.closed_at), 'closed_by', r.closed_by,
      'balances', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', x.currency, 'side', x.side, 'opening_minor', private.exact_sum(x.opening),
          'lines_minor', private.exact_sum(x.closing - x.opening), 'line_count', x.line_count, 'closing_minor', private.exact_sum(x.closing),
          'outstanding_minor', private.exact_sum(x.outstanding), 'excluded_minor', private.exact_sum(x.excluded)) order by x.currency, x.side), '[]')
        from sums x
      ),
      'differences', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', x.currency, 'adjustments_minor', private.exact_sum(coalesce(e.adjusted, 0)),
          'residual_minor', private.exact_sum(coalesce(e.residual, 0)),
          'difference_minor', private.exact_sum(x.settled - coalesce(e.adjusted, 0) - coalesce(e.residual, 0))) order by x.currency), '[]')
        from (
          select y.currency, sum(case y.side when 'left' then 1 else -1 end * (y.closing - y.outstanding - y.excluded)) as settled from sums y group by 1
        ) x left join explained e on e.currency = x.currency
      ),
      'aging', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', x.currency, 'side', x.side, 'days_from', x.days_from, 'line_count', x.line_count, 'open_minor', private.exact_sum(x.minor))
          order by x.currency, x.side, x.days_from), '[]')
        from (
          select o.currency, o.side, a.days_from, count(*) as line_count, sum(o.open_minor) as minor
          from outstanding o cross join lateral (
            select case when o.age > 90 then 91 when o.age > 60 then 61 when o.age > 30 then 31 when o.age > 7 then 8 else 0 end as days_from
          ) a group by 1, 2, 3
        ) x
      ),
      'outstanding_count', (select count(*) from outstanding),
      'outstanding', (
        select coalesce(jsonb_agg(private.outstanding_json(r, x.line_no, x.side, x.open_minor) order by x.n), '[]')
        from (select o.*, row_number() over (order by abs(o.open_minor) desc, o.line_no) as n from outstanding o) x where x.n <= 250
      ),
      'adjustment_count', c.adjustments, 'residual_count', c.residuals, 'exclusion_count', c.exclusions,
      -- Where there is none, the matches need not be searched again.
      'adjustments', coalesce(case when c.adjustments > 0 then private.adjustment_items(r, null, null, 1000) end, '[]'),
      'residuals', coalesce(case when c.residuals > 0 then private.residual_items(r, null, 1000) end, '[]'),
      'exclusions', coalesce(private.exclusion_items(r, null, 1000), '[]'),
      'proof', private.proof_json(r)
    ) from counts c
  );
end $$;

-- One outstanding line, as the statement lists it.
create function private.outstanding_json(r public.reconciliations, line_no bigint, side text, open_minor bigint) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_build_object('line_id', private.line_id_text(l.id), 'side', $3, 'value_date', l.value_date, 'age_days', r.period_end - l.value_date,
      'currency', l.currency, 'open_minor', $4, 'reference', l.reference, 'counterparty', l.counterparty, 'description', l.description)
    from public.lines l where l.tenant_id = r.tenant_id and l.line_no = $2
  );
end $$;
grant execute on function
  private.open_in_period(public.reconciliations), private.outstanding_of(public.reconciliations), private.statement_json(public.reconciliations),
  private.outstanding_json(public.reconciliations, bigint, text, bigint)
to authenticated;

-- input: { id }, the reconciliation's. Of a closed period as it was when it closed. Refuses: not_found, conflict.
create function public.get_statement(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  r public.reconciliations;
begin
  perform private.enter(request, 'get_statement');
  r := private.find_period(input ->> 'id');
  if r.closed_at is not null then
    return (select c.statement from public.closings c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id);
  end if;
  return private.statement_json(r);
end $$;

-- Books: a pair computed anew from its lines, decisions and closings alone, and compared with all that is shown of it. Nothing here reads the
-- proof, a count or what is open but to compare it. In one statement, so of one moment, without a lock.

-- Each line of a pair as its decisions leave it.
create function private.lines_by_decisions(tenant text, pair integer)
returns table (line_no bigint, id uuid, side text, currency text, value_date date, amount_minor bigint, matched_minor numeric, excluded_minor numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  with matched as materialized (
    select mm.line_no, sum(mm.allocated_minor) as minor from public.reconciliations r
    join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed'
    join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
    where r.tenant_id = tenant and r.pair_no = pair group by 1
  ), excluded as materialized (
    select x.line_no, sum(x.excluded_minor) as minor from public.exclusions x where x.tenant_id = tenant and x.pair_no = pair group by 1
  ), came as materialized (
    select l.line_no, l.id, case s.source_no when p.left_source_no then 'left' else 'right' end as side, l.currency, l.value_date,
      case s.sign when 'inverted' then -l.amount_minor else l.amount_minor end as minor
    from public.pairs p
    join public.sources s on s.tenant_id = p.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
    join public.lines l on l.tenant_id = s.tenant_id and l.source_no = s.source_no
    where p.tenant_id = tenant and p.pair_no = pair
  )
  select coalesce(c.line_no, m.line_no, e.line_no), c.id, c.side, c.currency, c.value_date, c.minor, coalesce(m.minor, 0), coalesce(e.minor, 0)
  from came c full join matched m on m.line_no = c.line_no full join excluded e on e.line_no = coalesce(c.line_no, m.line_no);
end $$;

-- What differs in a pair: what it is of, and what was computed and what is shown there. No row where the books are right. Of a pair that
-- is being prepared only what was decided.
create function private.books_differences(tenant text, pair integer) returns table (what text, subject text, computed text, shown text)
language plpgsql stable set search_path = '' as $$
begin
  return query
  with lines as materialized (
    select *, coalesce(private.line_id_text(x.id), 'line ' || x.line_no) as name from private.lines_by_decisions(tenant, pair) x
  ), periods as materialized (
    select r.*, c.statement, c.digest from public.reconciliations r
    left join public.closings c on c.tenant_id = r.tenant_id and c.reconciliation_id = r.id and r.closed_at is not null
    where r.tenant_id = tenant and r.pair_no = pair
  ), matches as materialized (
    select m.id, m.reconciliation_id, m.state, m.currency, mm.line_no, mm.side, mm.allocated_minor,
      m.residual_minor + (select coalesce(sum((a ->> 'amount_minor')::bigint), 0) from jsonb_array_elements(m.adjustments) a) as explained
    from periods r
    join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state in ('confirmed', 'suggested')
    join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
  ), still_open as materialized (
    select * from private.open_lines o where o.tenant_id = tenant and o.pair_no = pair
  ), settled as materialized (
    -- What each closed period saw settled, by itself or an earlier one.
    select r.id as period, x.line_no, x.side, x.currency, sum(x.minor) as minor
    from periods r join periods earlier on earlier.period_end <= r.period_end
    join (
      select m.reconciliation_id, m.line_no, m.side, m.currency, m.allocated_minor as minor from matches m where m.state = 'confirmed'
      union all
      select e.reconciliation_id, e.line_no, e.side, e.currency, e.excluded_minor from public.exclusions e where e.tenant_id = tenant and e.pair_no = pair
    ) x on x.reconciliation_id = earlier.id
    where r.closed_at is not null group by 1, 2, 3, 4
  ), digests as materialized (
    select r.id, r.digest, private.closing_digest(r.tenant_id, r.id) as computed from periods r where r.closed_at is not null and r.digest is not null
  ), carried as materialized (
    select c.* from periods r join public.carried_lines c on c.tenant_id = r.tenant_id and c.reconciliation_id = r.id where r.closed_at is not null
  )
  select 'decided of no line', l.name, null::text, concat_ws(' + ', l.matched_minor, l.excluded_minor) from lines l where l.amount_minor is null
  union all
  select 'given more than once', l.name, l.amount_minor::text, (l.matched_minor + l.excluded_minor)::text from lines l
  where l.matched_minor + l.excluded_minor not between least(l.amount_minor, 0) and greatest(l.amount_minor, 0)
    or l.matched_minor not between least(l.amount_minor, 0) and greatest(l.amount_minor, 0)
  union all
  select 'open', coalesce(l.name, 'line ' || o.line_no),
    l.amount_minor - l.matched_minor - l.excluded_minor || ' of ' || l.amount_minor || ' ' || l.currency || ' on ' || l.value_date || ', ' || l.side,
    o.open_minor || ' of ' || o.amount_minor || ' ' || o.currency || ' on ' || o.value_date || ', ' || o.side
  from (select * from lines x where x.amount_minor is not null) l full join still_open o on o.line_no = l.line_no
  where not private.is_preparing(tenant, pair) and (
    l.line_no is null or coalesce(o.open_minor, 0) <> l.amount_minor - l.matched_minor - l.excluded_minor
    or o.line_no is not null and (o.amount_minor, o.currency, o.value_date, o.side) is distinct from (l.amount_minor, l.currency, l.value_date, l.side)
  )
  union all
  select 'match', private.match_id_text(m.id), min(m.explained)::text, sum(case m.side when 'left' then m.allocated_minor else -m.allocated_minor end)::text
  from matches m group by m.id having min(m.explained) <> sum(case m.side when 'left' then m.allocated_minor else -m.allocated_minor end)
  union all
  select 'side or currency of a match', private.match_id_text(m.id), l.side || ' ' || l.currency, m.side || ' ' || m.currency
  from matches m join lines l on l.line_no = m.line_no where (l.side, l.currency) <> (m.side, m.currency)
  union all
  select 'suggested though settled, or twice', l.name || ' in ' || m.reconciliation_id, 'at most 1 while it is open', count(*)::text
  from matches m join lines l on l.line_no = m.line_no left join still_open o on o.line_no = m.line_no
  where m.state = 'suggested' group by l.name, m.reconciliation_id having count(*) > 1 or bool_or(o.line_no is null)
  union all
  select 'matched lines', r.id, x.count::text, coalesce(c.lines, 0)::text
  from periods r left join private.matched_counts c on c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
  cross join lateral (select count(*) from matches m where m.reconciliation_id = r.id and m.state = 'confirmed') x
  where x.count <> coalesce(c.lines, 0)
  union all
  select 'open exceptions', coalesce(l.name, 'line ' || e.line_no), 'at most 1', count(*)::text
  from public.exceptions e left join lines l on l.line_no = e.line_no
  where e.tenant_id = tenant and e.pair_no = pair and e.line_no is not null and e.status in ('open', 'in_review')
  group by e.line_no, l.name having count(*) > 1
  union all
  select 'exception', e.id, 'closed: nothing of its lines is open', e.status from public.exceptions e
  where e.tenant_id = tenant and e.pair_no = pair and e.line_no is not null and e.status in ('open', 'in_review') and not exists (
    select from private.exception_lines x join still_open o on o.line_no = x.line_no
    where x.tenant_id = tenant and x.exception_id = e.id and x.pair_no = pair
  )
  union all
  select 'carried', coalesce(l.name, 'line ' || c.line_no) || ' at the end of ' || c.reconciliation_id,
    (l.amount_minor - coalesce(s.minor, 0))::text, c.open_minor::text
  from carried c left join lines l on l.line_no = c.line_no left join settled s on s.period = c.reconciliation_id and s.line_no = c.line_no
  where l.amount_minor is null or l.amount_minor - coalesce(s.minor, 0) <> c.open_minor
  union all
  -- What a closed period stated is what it settled, with those before it, and carried: not what came for it since.
  select 'closing balance', r.id || ' ' || (b ->> 'side') || ' ' || (b ->> 'currency'), x.minor::text, b ->> 'closing_minor'
  from periods r cross join lateral jsonb_array_elements(r.statement -> 'balances') b
  cross join lateral (
    select coalesce((select sum(s.minor) from settled s where s.period = r.id and s.side = b ->> 'side' and s.currency = b ->> 'currency'), 0)
      + coalesce((select sum(c.open_minor) from carried c where c.reconciliation_id = r.id and c.side = b ->> 'side' and c.currency = b ->> 'currency'), 0) as minor
  ) x
  where x.minor <> (b ->> 'closing_minor')::numeric
  union all
  select 'proof', r.id, 'holds', 'does not hold' from public.reconciliations r
  where r.tenant_id = tenant and r.pair_no = pair and not private.is_preparing(tenant, pair) and not coalesce((
    select (c.statement #>> '{proof,holds}')::boolean from periods c where c.id = r.id and c.closed_at is not null
  ), (private.proof_json(r) ->> 'holds')::boolean)
  union all
  select 'closing', d.id, d.computed, d.digest from digests d where d.digest <> d.computed;
end $$;

-- SHA-256 over what a closing settled: its statement, its confirmed matches with their lines, what it excluded and what it carried.
create function private.closing_digest(tenant text, reconciliation text) returns text
language plpgsql stable set search_path = '' as $$
begin
  return encode(sha256(
    sha256(convert_to(coalesce((
      select c.statement::text from public.closings c where c.tenant_id = tenant and c.reconciliation_id = reconciliation
    ), ''), 'UTF8'))
    || sha256(coalesce((
      select string_agg(sha256(convert_to(row(m.id, m.shape, m.method, m.currency, m.amount_minor, m.residual_minor, m.adjustments, m.note,
        m.decided_by, m.created_by)::text, 'UTF8')), '' order by m.id)
      from public.matches m where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'confirmed'
    ), ''))
    || sha256(coalesce((
      select string_agg(sha256(convert_to(row(mm.match_id, mm.line_no, mm.side, mm.allocated_minor)::text, 'UTF8')), '' order by mm.match_id, mm.line_no)
      from public.matches m join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
      where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'confirmed'
    ), ''))
    || sha256(coalesce((
      select string_agg(sha256(convert_to(row(x.line_no, x.side, x.currency, x.excluded_minor, x.reason, x.created_by)::text, 'UTF8')), '' order by x.line_no)
      from public.exclusions x where x.tenant_id = tenant and x.reconciliation_id = reconciliation
    ), ''))
    || sha256(coalesce((
      select string_agg(sha256(convert_to(row(c.line_no, c.side, c.currency, c.open_minor, c.value_date::text)::text, 'UTF8')), '' order by c.line_no)
      from public.carried_lines c where c.tenant_id = tenant and c.reconciliation_id = reconciliation
    ), ''))
  ), 'hex');
end $$;
grant execute on function private.closing_digest(text, text) to authenticated;

-- Examines one pair. Emits: books.differ, once a day for the same differences. Answers how many there are.
create function private.examine_books(tenant text, pair integer) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  found_count bigint;
  first_ones jsonb;
begin
  select count(*), coalesce(jsonb_agg(jsonb_build_object('what', d.what, 'subject', d.subject, 'computed', d.computed, 'shown', d.shown)
    order by d.what, d.subject) filter (where d.place <= 20), '[]')
  into found_count, first_ones
  from (select *, row_number() over (order by x.what, x.subject) as place from private.books_differences(tenant, pair) x) d;
  if found_count > 0 then
    perform private.emit(tenant, 'books.differ', (
      select jsonb_build_object('reconciliation_ids', coalesce(jsonb_agg(r.id order by r.period_end desc), '[]'),
        'difference_count', found_count, 'differences', first_ones)
      from (
        select x.id, x.period_end from public.reconciliations x where x.tenant_id = tenant and x.pair_no = pair order by x.period_end desc limit 100
      ) r
    ), format('%s %s %s', pair, (now() at time zone 'UTC')::date, md5(first_ones::text)));
  end if;
  return found_count;
end $$;

-- Has a pair examined, after those that wait already.
create function private.queue_book_examination(tenant text, pair integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform graphile_worker.add_job('examine_books', json_build_object('tenant_id', tenant, 'pair_no', pair),
    queue_name => 'examine_books', job_key => format('examine_books:%s:%s', tenant, pair), max_attempts => 5);
end $$;

-- Has every pair examined, one after another.
create function private.queue_book_examinations() returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.queue_book_examination(p.tenant_id, p.pair_no) from public.pairs p;
end $$;

-- A line's history: what became of it, by whom, gathered from where each thing is recorded.

-- Oldest first, the latest 200: { type, at, actor, reconciliation_id, match_id, exception_id, import_id, note }; an import's note is its file's
-- name. input: { id }. Refuses: not_found.
create function public.list_line_history(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  l public.lines;
begin
  perform private.enter(request, 'list_line_history');
  select * into l from public.lines x where x.tenant_id = private.tenant_id() and x.id = private.line_id(input ->> 'id');
  if not found then
    perform private.refuse_missing('line');
  end if;
  return (
    with matched as materialized (
      select m.* from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
      where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no
    ), decided as materialized (
      select m.id as match_id, a.kind, a.reconciliation_id, a.created_at, a.created_by, a.undone_at, a.undone_by
      from matched m join private.acts a on a.tenant_id = m.tenant_id and a.reconciliation_id = m.reconciliation_id and m.id = any (a.match_ids)
    ), about as materialized (
      select e.* from public.exceptions e where e.tenant_id = l.tenant_id and e.id = any (array(
        select x.exception_id from private.exception_lines x where x.tenant_id = l.tenant_id and x.line_no = l.line_no))
      union
      select e.* from public.exceptions e where e.tenant_id = l.tenant_id and e.line_no = l.line_no
    ), told (type, at, actor, reconciliation_id, match_id, exception_id, import_id, note) as (
      select 'added', l.created_at, i.created_by, null, null::uuid, null, i.id, i.file_name
      from (select 1) one left join public.imports i on i.tenant_id = l.tenant_id and i.id = l.import_id
      union all
      -- Of the engine's: what was decided since began as a suggestion.
      select case when m.state in ('suggested', 'rejected') or exists (select from decided d where d.match_id = m.id) then 'suggested' else 'matched' end,
        m.created_at, m.created_by, m.reconciliation_id, m.id, null, null, m.method
      from matched m where m.method <> 'manual'
      union all
      select case d.kind when 'match' then 'matched' when 'confirm' then 'confirmed' else 'rejected' end, d.created_at, d.created_by,
        d.reconciliation_id, d.match_id, null, null, null
      from decided d
      union all
      select 'undone', d.undone_at, d.undone_by, d.reconciliation_id, d.match_id, null, null, null from decided d where d.undone_at is not null
      union all
      select 'undone', m.decided_at, coalesce(m.decided_by, 'system'), m.reconciliation_id, m.id, null, null, null
      from matched m where m.state = 'undone' and not exists (select from decided d where d.match_id = m.id and d.undone_at = m.decided_at)
      union all
      select 'excluded', a.created_at, a.created_by, a.reconciliation_id, null, null, null, a.reason
      from private.acts a where a.tenant_id = l.tenant_id and a.line_id = l.id
      union all
      select 'included', a.undone_at, a.undone_by, a.reconciliation_id, null, null, null, null
      from private.acts a where a.tenant_id = l.tenant_id and a.line_id = l.id and a.undone_at is not null
      union all
      select 'exception_opened', e.created_at, e.created_by, e.reconciliation_id, null, e.id, null, e.reason_code
      from about e
      union all
      select case e.status when 'dismissed' then 'exception_dismissed' else 'exception_resolved' end, e.closed_at,
        case when e.resolved_by_matching then 'system' end, e.reconciliation_id, null, e.id, null, e.resolution
      from about e where e.closed_at is not null
    )
    select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object('type', t.type, 'at', private.iso(t.at), 'actor', t.actor,
      'reconciliation_id', t.reconciliation_id, 'match_id', private.match_id_text(t.match_id), 'exception_id', t.exception_id,
      'import_id', t.import_id, 'note', t.note) order by t.at, t.place), '[]'))
    from (select x.*, array_position(array['added', 'exception_opened', 'suggested', 'confirmed', 'matched'], x.type) as place from told x
      order by x.at desc limit 200) t
  );
end $$;

-- Calendars: when a tenant works, for deadlines that count business time. A change makes a new version; earlier ones stay as they were.

create table public.calendars (
  id text not null default private.new_id('cal'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  name text not null check (length(name) between 1 and 200),
  -- The current one.
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default now(),
  updated_by text not null default private.actor(),
  primary key (tenant_id, id)
);

-- weekly: [{ day: monday…sunday, from, to }], special_days: [{ date, name, intervals: [{ from, to }] }], both in the zone's local time, HH:MM.
-- An interval whose `to` isn't after its `from` ends on the day after. It belongs to the day it starts on; a special day replaces what starts on it.
create table public.calendar_versions (
  tenant_id text not null default private.tenant_id(),
  calendar_id text not null,
  version integer not null,
  -- What spans and deadlines hold in place of the two; never leaves the database.
  calendar_no bigint not null generated always as identity,
  time_zone text not null check (length(time_zone) between 1 and 64),
  weekly jsonb not null check (jsonb_array_length(weekly) between 1 and 140),
  special_days jsonb not null check (jsonb_array_length(special_days) <= 1000),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  primary key (tenant_id, calendar_id, version),
  unique (tenant_id, calendar_no),
  foreign key (tenant_id, calendar_id) references public.calendars (tenant_id, id)
);

alter table public.calendars enable row level security;
grant select on public.calendars to authenticated, service_role;
create policy calendars_read on public.calendars for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:calendars', 'write:calendars')));

alter table public.calendar_versions enable row level security;
grant select on public.calendar_versions to authenticated, service_role;
create policy calendar_versions_read on public.calendar_versions for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:calendars', 'write:calendars')));

-- Business time: B(t), the open milliseconds of a calendar before t, and its inverse. Both are one look into an index of spans, which are
-- precomputed for three years ahead and extended where somebody asks beyond.
--
-- A moment is open if the clock on the wall of the calendar's zone then shows a time inside an interval. So a time that the clocks skip in spring
-- is never open, and one that they repeat in autumn is open twice.
-- Only differences of B mean anything: it is 0 where the spans of a version began.

-- Open spans of a version: `open_before` is B(starts_at).
create table private.calendar_spans (
  tenant_id text not null,
  calendar_no bigint not null,
  starts_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  open_before bigint not null,
  primary key (tenant_id, calendar_no, starts_at),
  foreign key (tenant_id, calendar_no) references public.calendar_versions (tenant_id, calendar_no)
);
create index calendar_spans_by_time on private.calendar_spans (tenant_id, calendar_no, open_before);
alter table private.calendar_spans enable row level security;

-- From when to when the spans of a version are all there, and B at both ends.
create table private.calendar_coverage (
  tenant_id text not null,
  calendar_no bigint not null,
  covered_from timestamptz(3) not null,
  covered_until timestamptz(3) not null,
  open_from bigint not null,
  open_until bigint not null,
  -- Of the zone's offsets from covered_from to covered_until: when the time zone data changes, so does this.
  zone_print text not null,
  -- When it was last compared with the data; -infinity: to be compared now.
  zone_checked_at timestamptz not null default now(),
  primary key (tenant_id, calendar_no),
  foreign key (tenant_id, calendar_no) references public.calendar_versions (tenant_id, calendar_no)
);
alter table private.calendar_coverage enable row level security;

-- How far from now business time is counted. Beyond it lies no deadline that a calendar could set.
create function private.business_time_reach() returns interval
language sql immutable set search_path = ''
return interval '25 years';

create function private.utc_offset(zone text, moment timestamptz) returns interval
language plpgsql stable set search_path = '' as $$
begin
  return (moment at time zone zone) - (moment at time zone 'UTC');
end $$;

-- The zone's offsets from `since` to `until`, each with when it holds, to the second. No zone changes its clocks twice in a day.
create function private.zone_offsets(zone text, since timestamptz, until timestamptz)
returns table (starts_at timestamptz, ends_at timestamptz, utc_offset interval)
language plpgsql stable set search_path = '' as $$
declare
  known timestamptz := since;
  next_known timestamptz;
  low timestamptz;
  high timestamptz;
  middle timestamptz;
  next_offset interval;
begin
  starts_at := since;
  utc_offset := private.utc_offset(zone, since);
  while known < until loop
    next_known := least(known + interval '24 hours', until);
    next_offset := (next_known at time zone zone) - (next_known at time zone 'UTC');
    if next_offset <> utc_offset then
      low := known;
      high := next_known;
      while high - low > interval '1 second' loop
        middle := low + date_trunc('second', (high - low) / 2);
        if private.utc_offset(zone, middle) = utc_offset then
          low := middle;
        else
          high := middle;
        end if;
      end loop;
      ends_at := high;
      return next;
      starts_at := high;
      utc_offset := next_offset;
    end if;
    known := next_known;
  end loop;
  if starts_at < until then
    ends_at := until;
    return next;
  end if;
end $$;

-- When a calendar is open between two moments of whole seconds, merged and in order.
create function private.open_spans(zone text, weekly jsonb, special_days jsonb, since timestamptz, until timestamptz)
returns table (starts_at timestamptz, ends_at timestamptz)
language plpgsql stable set search_path = '' as $$
begin
  return query
  with days as materialized (
    select x.first_day + n as day
    from (select (since at time zone zone)::date - 2 as first_day, (until at time zone zone)::date + 1 as last_day) x
    cross join lateral generate_series(0, x.last_day - x.first_day) n
  ), special as materialized (
    select (s ->> 'date')::date as day, s -> 'intervals' as intervals from jsonb_array_elements(special_days) s
  ), intervals as (
    select d.day, w as hours from days d join jsonb_array_elements(weekly) w
      on w ->> 'day' = ('{monday,tuesday,wednesday,thursday,friday,saturday,sunday}'::text[])[extract(isodow from d.day)]
    where d.day not in (select s.day from special s)
    union all
    select s.day, i from days d join special s on s.day = d.day cross join lateral jsonb_array_elements(s.intervals) i
  ), local_spans as (
    select i.day + x.opens as opens_at, i.day + x.closes + case when x.closes <= x.opens then interval '24 hours' else interval '0' end as closes_at
    from intervals i cross join lateral (select (i.hours ->> 'from')::interval as opens, (i.hours ->> 'to')::interval as closes) x
  ), moments as (
    select greatest((l.opens_at - o.utc_offset) at time zone 'UTC', o.starts_at) as opens_at,
      least((l.closes_at - o.utc_offset) at time zone 'UTC', o.ends_at) as closes_at
    from local_spans l join private.zone_offsets(zone, since, until) o
      on l.opens_at - o.utc_offset < o.ends_at at time zone 'UTC' and l.closes_at - o.utc_offset > o.starts_at at time zone 'UTC'
  )
  select lower(r), upper(r)
  from unnest((select range_agg(tstzrange(m.opens_at, m.closes_at)) from moments m where m.opens_at < m.closes_at)) r
  order by 1;
end $$;

create function private.zone_print(zone text, since timestamptz, until timestamptz) returns text
language plpgsql stable set search_path = '' as $$
begin
  return (
    select md5(string_agg(extract(epoch from o.starts_at) || ' ' || extract(epoch from o.utc_offset), ',' order by o.starts_at))
    from private.zone_offsets(zone, since, until) o
  );
end $$;

-- Starts the spans of a version.
create function private.start_business_time(tenant text, calendar_no bigint, since timestamptz, until timestamptz) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into private.calendar_coverage (tenant_id, calendar_no, covered_from, covered_until, open_from, open_until, zone_print)
  values (tenant, calendar_no, since, since, 0, 0, '');
  perform private.extend_business_time(tenant, calendar_no, since, until);
end $$;

-- Sees to it that the spans of a version reach from `since` to `until`. One that extends them meanwhile is waited for.
create function private.extend_business_time(tenant text, no bigint, since timestamptz, until timestamptz) returns void
language plpgsql volatile set search_path = '' as $$
declare
  covered private.calendar_coverage;
  v public.calendar_versions;
  earliest timestamptz;
  latest timestamptz;
  added bigint;
  is_stale boolean;
begin
  select * into covered from private.calendar_coverage c where c.tenant_id = tenant and c.calendar_no = no for update;
  select * into v from public.calendar_versions x where x.tenant_id = tenant and x.calendar_no = no;
  is_stale := covered.covered_from < covered.covered_until
    and covered.zone_print <> private.zone_print(v.time_zone, covered.covered_from, covered.covered_until);
  earliest := least(covered.covered_from, date_trunc('hour', since));
  latest := greatest(covered.covered_until, date_trunc('hour', until) + interval '1 hour');
  if latest > covered.covered_until then
    insert into private.calendar_spans (tenant_id, calendar_no, starts_at, ends_at, open_before)
    select tenant, no, s.starts_at, s.ends_at,
      covered.open_until + coalesce(sum(x.open) over (order by s.starts_at rows between unbounded preceding and 1 preceding), 0)
    from private.open_spans(v.time_zone, v.weekly, v.special_days, covered.covered_until, latest) s
    cross join lateral (select (extract(epoch from s.ends_at - s.starts_at) * 1000)::bigint as open) x;
    select coalesce(sum(extract(epoch from s.ends_at - s.starts_at) * 1000), 0)::bigint into added
    from private.calendar_spans s where s.tenant_id = tenant and s.calendar_no = no and s.starts_at >= covered.covered_until;
    covered.open_until := covered.open_until + added;
  end if;
  if earliest < covered.covered_from then
    insert into private.calendar_spans (tenant_id, calendar_no, starts_at, ends_at, open_before)
    select tenant, no, s.starts_at, s.ends_at,
      covered.open_from - sum(x.open) over (order by s.starts_at desc)
    from private.open_spans(v.time_zone, v.weekly, v.special_days, earliest, covered.covered_from) s
    cross join lateral (select (extract(epoch from s.ends_at - s.starts_at) * 1000)::bigint as open) x;
    select coalesce(sum(extract(epoch from s.ends_at - s.starts_at) * 1000), 0)::bigint into added
    from private.calendar_spans s where s.tenant_id = tenant and s.calendar_no = no and s.starts_at < covered.covered_from;
    covered.open_from := covered.open_from - added;
  end if;
  -- Spans of other time zone data than these stay marked, until the worker rebuilds them.
  update private.calendar_coverage c set covered_from = earliest, covered_until = latest, open_from = covered.open_from, open_until = covered.open_until,
    zone_print = case when is_stale then covered.zone_print else private.zone_print(v.time_zone, earliest, latest) end,
    zone_checked_at = case when is_stale then '-infinity' else c.zone_checked_at end
  where c.tenant_id = tenant and c.calendar_no = no;
end $$;

-- B(t) in milliseconds. Outside the spans it is counted there and then, as far as the reach; null beyond.
create function private.open_ms(tenant text, no bigint, moment timestamptz) returns bigint
language plpgsql stable set search_path = '' as $$
declare
  covered private.calendar_coverage;
  v public.calendar_versions;
  open bigint;
begin
  select * into covered from private.calendar_coverage c where c.tenant_id = tenant and c.calendar_no = no;
  if moment between covered.covered_from and covered.covered_until then
    select s.open_before + (extract(epoch from least(moment, s.ends_at) - s.starts_at) * 1000)::bigint into open
    from private.calendar_spans s
    where s.tenant_id = tenant and s.calendar_no = no and s.starts_at <= moment order by s.starts_at desc limit 1;
    return coalesce(open, covered.open_from);
  elsif moment > greatest(now(), covered.covered_until) + private.business_time_reach()
    or moment < least(now(), covered.covered_from) - private.business_time_reach() then
    return null;
  end if;
  select * into v from public.calendar_versions x where x.tenant_id = tenant and x.calendar_no = no;
  select coalesce(sum(extract(epoch from least(s.ends_at, greatest(moment, covered.covered_from))
    - greatest(s.starts_at, least(moment, covered.covered_until))) * 1000), 0)::bigint into open
  from private.open_spans(v.time_zone, v.weekly, v.special_days,
    case when moment > covered.covered_until then covered.covered_until else date_trunc('hour', moment) end,
    case when moment > covered.covered_until then date_trunc('hour', moment) + interval '1 hour' else covered.covered_from end) s
  where case when moment > covered.covered_until then s.starts_at < moment else s.ends_at > moment end;
  return case when moment > covered.covered_until then covered.open_until + open else covered.open_from - open end;
end $$;

-- The inverse of B: the first moment before which the calendar was open so long. Null where none is within reach.
create function private.moment_at(tenant text, no bigint, open_ms bigint) returns timestamptz
language plpgsql volatile set search_path = '' as $$
declare
  covered private.calendar_coverage;
  found_at timestamptz;
begin
  loop
    select * into covered from private.calendar_coverage c where c.tenant_id = tenant and c.calendar_no = no;
    if open_ms > covered.open_until then
      if covered.covered_until > now() + private.business_time_reach() then
        return null;
      end if;
      perform private.extend_business_time(tenant, no, covered.covered_from, covered.covered_until + interval '8784 hours');
    elsif open_ms <= covered.open_from then
      if covered.covered_from < now() - private.business_time_reach() then
        return null;
      end if;
      perform private.extend_business_time(tenant, no, covered.covered_from - interval '8784 hours', covered.covered_until);
    else
      select s.starts_at + (moment_at.open_ms - s.open_before) * interval '1 millisecond' into found_at
      from private.calendar_spans s
      where s.tenant_id = tenant and s.calendar_no = no and s.open_before < moment_at.open_ms order by s.open_before desc limit 1;
      return found_at;
    end if;
  end loop;
end $$;

-- The days on which a calendar opens, by its current version: { calendar_id, calendar_version, open_days: { weekdays, opened, closed } }, weekdays from 1
-- (Monday), the others as days since 1970-01-01 in order (matcher/engine/prepare/days.ts). Null for none.
create function private.open_days(tenant text, calendar text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select jsonb_build_object('calendar_id', v.calendar_id, 'calendar_version', v.version, 'open_days', jsonb_build_object(
      'weekdays', (
        select jsonb_agg(distinct array_position('{monday,tuesday,wednesday,thursday,friday,saturday,sunday}'::text[], w ->> 'day'))
        from jsonb_array_elements(v.weekly) w
      ), 'opened', coalesce(s.opened, '[]'), 'closed', coalesce(s.closed, '[]')))
    from public.calendars c join public.calendar_versions v on v.tenant_id = c.tenant_id and v.calendar_id = c.id and v.version = c.version
    cross join lateral (
      select jsonb_agg(x.day order by x.day) filter (where x.opens) as opened, jsonb_agg(x.day order by x.day) filter (where not x.opens) as closed
      from (
        select (d ->> 'date')::date - date '1970-01-01' as day, jsonb_array_length(d -> 'intervals') > 0 as opens
        from jsonb_array_elements(v.special_days) d
      ) x
    ) s
    where c.tenant_id = tenant and c.id = calendar and tenant = coalesce(private.tenant_id(), tenant)
  );
end $$;

-- Extends the spans that reach less than three years ahead, at most `batch` versions at a time; answers how many. Only of versions in use: those that
-- the SLA policy gives deadlines by, and those that open exceptions count by. One that comes into use again is extended when it sets a deadline.
create function private.extend_calendars(batch integer default 20) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  c record;
  extended integer := 0;
begin
  for c in
    select x.tenant_id, x.calendar_no from private.calendar_coverage x
    where x.covered_until < now() + interval '3 years' and (
      exists (
        select from public.exceptions e
        where e.tenant_id = x.tenant_id and e.calendar_no = x.calendar_no and e.status in ('open', 'in_review')
      ) or exists (
        select from public.sla_policies p, unnest(array['critical', 'high', 'medium', 'low']) severity
        where p.tenant_id = x.tenant_id
          and private.current_calendar_no(p.tenant_id, private.policy_calendar(p, severity)) = x.calendar_no
      )
    ) order by x.covered_until limit batch for update skip locked
  loop
    perform private.extend_business_time(c.tenant_id, c.calendar_no, now(), now() + interval '3 years 1 month');
    extended := extended + 1;
  end loop;
  return extended;
end $$;
grant execute on function private.open_days(text, text) to authenticated;
grant execute on function private.extend_calendars(integer) to service_role;

-- Calendars over the wire.

create function private.calendar_json(c public.calendars, v public.calendar_versions) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', c.id, 'name', c.name, 'calendar_version', c.version, 'time_zone', v.time_zone, 'weekly', v.weekly, 'special_days', v.special_days,
    'created_at', private.iso(c.created_at), 'created_by', c.created_by, 'updated_at', private.iso(c.updated_at), 'updated_by', c.updated_by,
    'version', private.version_of(jsonb_build_array(c.name, c.version))
  );
end $$;

-- The calendar of the caller's tenant as it is now. Refuses: not_found.
create function private.find_calendar(id text) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  found_calendar jsonb;
begin
  select private.calendar_json(c, v) into found_calendar
  from public.calendars c join public.calendar_versions v on v.tenant_id = c.tenant_id and v.calendar_id = c.id and v.version = c.version
  where c.tenant_id = private.tenant_id() and c.id = $1;
  if not found then
    perform private.refuse_missing('calendar');
  end if;
  return found_calendar;
end $$;

-- Starts the spans of a version of the caller's tenant.
create function private.start_calendar_version(no bigint) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.start_business_time(private.tenant_id(), no, date_trunc('hour', now()) - interval '35 days', now() + interval '3 years 1 month');
end $$;

-- input: { name, time_zone, weekly, special_days }. Refuses: invalid_request; conflict beyond 100 calendars. Records: calendar.created.
create function public.create_calendar(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'create_calendar');
  created public.calendars;
  no bigint;
  answer jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  if (select count(*) from public.calendars c where c.tenant_id = private.tenant_id()) >= 100 then
    perform private.refuse('conflict', 'A tenant has at most 100 calendars. Change one of them instead.');
  end if;
  insert into public.calendars (name) values (input ->> 'name') returning * into created;
  insert into public.calendar_versions (calendar_id, version, time_zone, weekly, special_days)
  values (created.id, 1, input ->> 'time_zone', input -> 'weekly', input -> 'special_days') returning calendar_no into no;
  perform private.start_calendar_version(no);
  answer := private.find_calendar(created.id);
  perform private.record_security_event('calendar.created', created.id, null, jsonb_build_object('name', created.name, 'time_zone', input ->> 'time_zone'));
  return private.answer(request, answer);
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_calendar(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, 'get_calendar');
  return private.find_calendar(input ->> 'id');
end $$;

-- Open exceptions of the caller's tenant that count by another version of a calendar, and their deadline by this one. One that a person set stays
-- where it is.
create function private.recalculated_deadlines(calendar text, no bigint)
returns table (id text, severity text, due_at timestamptz, new_due_at timestamptz)
language plpgsql volatile set search_path = '' as $$
begin
  return query
  select (x.e).id, (x.e).severity, x.due_at, case when (x.e).due_from_policy then private.policy_deadline(x.e, x.minutes, no) else x.due_at end
  from (
    select e, coalesce(e.held_due_at, e.due_at) as due_at, private.minutes_to_resolve(p, e.severity) as minutes
    from public.exceptions e join public.sla_policies p on p.tenant_id = e.tenant_id
    where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review') and e.calendar_id = calendar and e.calendar_no <> no
  ) x;
end $$;

-- input: { id, name, time_zone, weekly, special_days, apply_to: new | open, dry_run }. Other hours make a new version, by which new exceptions count;
-- with `open`, open ones too; and by which open periods that count business days by it run again. Refuses: not_found, precondition_failed, invalid_request. Records: calendar.updated.
create function public.put_calendar(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  hours constant jsonb := jsonb_build_object('time_zone', input -> 'time_zone', 'weekly', input -> 'weekly', 'special_days', input -> 'special_days');
  unlisted constant text[] := '{version,updated_at,updated_by}';
  before jsonb;
  after jsonb;
  has_other_hours boolean;
  no bigint;
  moved record;
  impact jsonb;
  periods integer := 0;
begin
  perform private.enter(request, 'put_calendar');
  perform from public.calendars c where c.tenant_id = private.tenant_id() and c.id = input ->> 'id' for update;
  before := private.find_calendar(input ->> 'id');
  perform private.require_version((before ->> 'version')::bigint, request -> 'versions');
  has_other_hours := (before -> 'time_zone', before -> 'weekly', before -> 'special_days')
    is distinct from (hours -> 'time_zone', hours -> 'weekly', hours -> 'special_days');
  -- What a dry run does is undone with this block.
  begin
    if has_other_hours then
      insert into public.calendar_versions (calendar_id, version, time_zone, weekly, special_days)
      values (input ->> 'id', (before ->> 'calendar_version')::integer + 1, input ->> 'time_zone', input -> 'weekly', input -> 'special_days')
      returning calendar_no into no;
      perform private.start_calendar_version(no);
    else
      no := private.current_calendar_no(private.tenant_id(), input ->> 'id');
    end if;
    if has_other_hours or before -> 'name' <> input -> 'name' then
      update public.calendars c set name = input ->> 'name', updated_at = now(), updated_by = private.actor(),
        version = c.version + case when has_other_hours then 1 else 0 end
      where c.tenant_id = private.tenant_id() and c.id = input ->> 'id';
    end if;
    if has_other_hours then
      periods := private.ask_for_runs_by_calendar(input ->> 'id');
    end if;
    after := private.find_calendar(input ->> 'id');
    select array_agg(d.id) as ids, array_agg(d.severity) as severities, array_agg(d.due_at) as due_ats, array_agg(d.new_due_at) as new_due_ats
    into moved from private.recalculated_deadlines(input ->> 'id', no) d where input ->> 'apply_to' = 'open';
    impact := private.impact_of(moved.severities, moved.due_ats, moved.new_due_ats);
    if moved.ids is not null then
      perform private.move_deadlines(moved.ids, array_fill(input ->> 'id', array[cardinality(moved.ids)]),
        array_fill(no, array[cardinality(moved.ids)]), moved.new_due_ats);
    end if;
    if dry_run then
      raise exception using errcode = 'TO002', message = 'dry run';
    end if;
  exception when sqlstate 'TO002' then
    null;
  end;
  if not dry_run and after - unlisted <> before - unlisted then
    perform private.record_security_event('calendar.updated', input ->> 'id', null,
      private.changes(before - unlisted, after - unlisted) || jsonb_build_object('apply_to', input -> 'apply_to'));
  end if;
  return after || jsonb_build_object('dry_run', dry_run, 'impact', impact || jsonb_build_object('periods', periods));
end $$;

-- Newest first. input: { limit, after: [id] | null }.
create function public.list_calendars(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.enter(request, 'list_calendars');
  select jsonb_agg(private.calendar_json(x.c, x.v) order by (x.c).id desc) into items
  from (
    select c, v from public.calendars c
    join public.calendar_versions v on v.tenant_id = c.tenant_id and v.calendar_id = c.id and v.version = c.version
    where c.tenant_id = private.tenant_id() and (input -> 'after' ->> 0 is null or c.id < input -> 'after' ->> 0)
    order by c.id desc
    limit page_size + 1
  ) x;
  return private.page(items, page_size, 'id');
end $$;

-- Every version of a calendar's hours, newest first, and how many open exceptions count by it. input: { id, limit, after: [version] | null }.
-- Refuses: not_found.
create function public.list_calendar_versions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.enter(request, 'list_calendar_versions');
  perform private.find_calendar(input ->> 'id');
  select jsonb_agg(jsonb_build_object(
    'calendar_version', x.version, 'time_zone', x.time_zone, 'weekly', x.weekly, 'special_day_count', jsonb_array_length(x.special_days),
    'open_exceptions', (
      select count(*) from public.exceptions e
      where e.tenant_id = x.tenant_id and e.calendar_no = x.calendar_no and e.status in ('open', 'in_review')
    ),
    'created_at', private.iso(x.created_at), 'created_by', x.created_by
  ) order by x.version desc) into items
  from (
    select v.* from public.calendar_versions v
    where v.tenant_id = private.tenant_id() and v.calendar_id = input ->> 'id'
      and (input -> 'after' ->> 0 is null or v.version < (input -> 'after' ->> 0)::integer)
    order by v.version desc
    limit page_size + 1
  ) x;
  return private.page(items, page_size, 'calendar_version');
end $$;

-- input: { id, since, until }, at most 366 days: when it is open. Refuses: not_found.
create function public.list_open_hours(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  c jsonb;
  since constant timestamptz := input ->> 'since';
  until constant timestamptz := input ->> 'until';
begin
  perform private.enter(request, 'list_open_hours');
  c := private.find_calendar(input ->> 'id');
  return (
    select jsonb_build_object(
      'since', private.iso(since), 'until', private.iso(until),
      'open_minutes', coalesce(floor(sum(extract(epoch from x.ends_at - x.starts_at)) / 60), 0)::bigint,
      'spans', coalesce(jsonb_agg(jsonb_build_object('starts_at', private.iso(x.starts_at), 'ends_at', private.iso(x.ends_at)) order by x.starts_at), '[]')
    )
    from (
      select greatest(s.starts_at, since) as starts_at, least(s.ends_at, until) as ends_at
      from private.open_spans(c ->> 'time_zone', c -> 'weekly', c -> 'special_days', date_trunc('hour', since), date_trunc('hour', until) + interval '1 hour') s
      where s.ends_at > since and s.starts_at < until
    ) x
  );
end $$;

-- Whether the caller may read holidays, which are the server's to know. input: {}.
create function public.list_holidays(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, 'list_holidays');
  return '{}';
end $$;

-- input: { special_days, skipped }, what the server read of a file. Kept under the idempotency key, and changes nothing.
create function public.read_ics(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'read_ics');
begin
  return coalesce(kept, private.answer(request, input));
end $$;

grant execute on function
  private.calendar_json(public.calendars, public.calendar_versions), private.find_calendar(text),
  private.utc_offset(text, timestamptz), private.zone_offsets(text, timestamptz, timestamptz),
  private.open_spans(text, jsonb, jsonb, timestamptz, timestamptz)
to authenticated;

-- SLA policies: how long a tenant gives an exception of each severity, by which calendar, when it is warned before the deadline, and what pauses it.

create table public.sla_policies (
  tenant_id text primary key references public.tenants (id),
  critical_minutes integer not null default 240 check (critical_minutes between 1 and 525600),
  high_minutes integer not null default 480 check (high_minutes between 1 and 525600),
  medium_minutes integer not null default 1440 check (medium_minutes between 1 and 525600),
  low_minutes integer not null default 4320 check (low_minutes between 1 and 525600),
  -- Minutes before the deadline at which exception.sla.at_risk fires.
  at_risk_thresholds integer[] not null default '{240,60}'
    check (cardinality(at_risk_thresholds) between 0 and 10 and 0 < all (at_risk_thresholds) and 525600 >= all (at_risk_thresholds)),
  -- The same in minutes that the exception's calendar is open; one of either at least.
  at_risk_business_thresholds integer[] not null default '{}' check (cardinality(at_risk_business_thresholds) <= 10
    and 0 < all (at_risk_business_thresholds) and 525600 >= all (at_risk_business_thresholds)),
  -- By which minutes_to_resolve count; null: round the clock. calendar_by_severity: { severity: calendar id | null }, where it differs.
  calendar_id text,
  calendar_by_severity jsonb not null default '{}' check (jsonb_typeof(calendar_by_severity) = 'object'),
  -- How long a pause may last, and how often an exception may be paused; null: no limit.
  pause_max_minutes integer check (pause_max_minutes between 1 and 525600),
  pause_max_count integer check (pause_max_count between 0 and 1000),
  -- [{ status, reason_code }]: what pauses an exception while it has both, where given.
  pause_rules jsonb not null default '[]' check (jsonb_array_length(pause_rules) <= 20),
  -- Grows with every change; the ETag.
  version integer not null default 1,
  updated_at timestamptz(3) not null default now(),
  updated_by text not null default private.actor(),
  foreign key (tenant_id, calendar_id) references public.calendars (tenant_id, id)
);

alter table public.sla_policies enable row level security;
grant select on public.sla_policies to authenticated, service_role;
-- Whoever creates an exception gets its deadline from the policy.
create policy sla_policies_read on public.sla_policies for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:sla-policy', 'write:sla-policy', 'write:exceptions')));

-- How long the tenant gives an exception of a severity.
create function private.minutes_to_resolve(p public.sla_policies, severity text) returns integer
language plpgsql immutable set search_path = '' as $$
begin
  return case severity
    when 'critical' then p.critical_minutes when 'high' then p.high_minutes when 'medium' then p.medium_minutes else p.low_minutes
  end;
end $$;

-- The calendar by which exceptions of a severity count; null: none.
create function private.policy_calendar(p public.sla_policies, severity text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return case when p.calendar_by_severity ? severity then p.calendar_by_severity ->> severity else p.calendar_id end;
end $$;

-- The current version of a calendar, by which a new deadline counts; null for none.
create function private.current_calendar_no(tenant text, calendar text) returns bigint
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select v.calendar_no from public.calendars c
    join public.calendar_versions v on v.tenant_id = c.tenant_id and v.calendar_id = c.id and v.version = c.version
    where c.tenant_id = tenant and c.id = calendar and tenant = coalesce(private.tenant_id(), tenant)
  );
end $$;

-- input: { calendar_id }. Refuses: invalid_request for a calendar that the caller's tenant doesn't have.
create function private.require_calendar(input jsonb) returns void
language plpgsql stable set search_path = '' as $$
begin
  if input ->> 'calendar_id' is not null and private.current_calendar_no(private.tenant_id(), input ->> 'calendar_id') is null then
    perform private.refuse_field('calendar_id', 'There is no such calendar.');
  end if;
end $$;

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
  -- The calendar that its deadline counts by, and the version of it; null: round the clock.
  calendar_id text,
  calendar_no bigint,
  -- B(due_at), or of a paused one B(held_due_at): see 392_business_time.sql. Null beyond the reach.
  due_open_ms bigint,
  -- Paused: due_at is infinity, so that nothing counts it, and held_due_at what it was.
  paused_at timestamptz(3),
  paused_until timestamptz(3),
  pause_reason text check (length(pause_reason) between 1 and 500),
  paused_by_rule boolean not null default false,
  held_due_at timestamptz(3),
  pause_count integer not null default 0,
  -- Of pauses that are over.
  paused_ms bigint not null default 0,
  status text not null default 'open' check (status in ('open', 'in_review', 'resolved', 'dismissed')),
  reason_code text check (length(reason_code) between 1 and 64),
  amount_minor bigint check (amount_minor between 0 and 9007199254740991),
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
  -- The line that stayed open past its source's grace, and what the engine would match it with.
  pair_no integer,
  line_no bigint,
  line_id uuid,
  suggested_match_id uuid,
  -- The suggestion whose lines it is about together; null: its line alone.
  grouped_match_id uuid,
  -- What settled its line resolved it: undoing that reopens it.
  resolved_by_matching boolean not null default false,
  primary key (tenant_id, id),
  check ((amount_minor is null) = (currency is null)),
  check ((status in ('resolved', 'dismissed')) = (resolution is not null)),
  check ((status in ('resolved', 'dismissed')) = (closed_at is not null)),
  check ((paused_at is null) = (held_due_at is null)),
  check ((paused_at is null) = (due_at < 'infinity')),
  foreign key (tenant_id, reconciliation_id) references public.reconciliations (tenant_id, id),
  foreign key (tenant_id, calendar_no) references public.calendar_versions (tenant_id, calendar_no)
);
create index exceptions_by_calendar on public.exceptions (tenant_id, calendar_no) where calendar_no is not null and status in ('open', 'in_review');
create index exceptions_paused_until on public.exceptions (paused_until) where paused_until is not null;
create index exceptions_by_deadline on public.exceptions (tenant_id, due_at, id) where status in ('open', 'in_review');
create index exceptions_in_review on public.exceptions (tenant_id, due_at, id) where status = 'in_review';
create index exceptions_by_severity on public.exceptions (tenant_id, severity_rank, due_at, id) where status in ('open', 'in_review');
-- Of the column itself: under row-level security an index serves conditions of leakproof operators alone, and || is none.
create index exceptions_by_assignee on public.exceptions (tenant_id, assigned_to, due_at, id) where status in ('open', 'in_review');
create unique index exceptions_open_of_line on public.exceptions (tenant_id, line_no, pair_no) where line_no is not null and status in ('open', 'in_review');
create index exceptions_by_line on public.exceptions (tenant_id, line_no, id) where line_no is not null;
create index exceptions_by_suggestion on public.exceptions (tenant_id, suggested_match_id) where suggested_match_id is not null;
create index exceptions_grouped on public.exceptions (tenant_id, pair_no) where grouped_match_id is not null and status in ('open', 'in_review');
create index exceptions_open_by_pair on public.exceptions (tenant_id, pair_no) where pair_no is not null and status in ('open', 'in_review');
-- Also what the list of members goes by.
create index exceptions_of_assignee on public.exceptions (tenant_id, assigned_to, id) where assigned_to is not null;
-- Finds words of three letters or more.
create index exceptions_by_words on public.exceptions
  using gin (lower(title || ' ' || coalesce(reason_code, '')) extensions.gin_trgm_ops);
create index exceptions_by_reconciliation on public.exceptions (tenant_id, reconciliation_id) where reconciliation_id is not null;
create index exceptions_open_by_reconciliation on public.exceptions (tenant_id, reconciliation_id, due_at, id)
  where reconciliation_id is not null and status in ('open', 'in_review');
create index exceptions_by_reason on public.exceptions (tenant_id, reason_code, due_at, id)
  where reason_code is not null and status in ('open', 'in_review');
create index exceptions_by_amount on public.exceptions (tenant_id, currency, amount_minor desc, due_at, id) where status in ('open', 'in_review');
create index exceptions_by_closing on public.exceptions (tenant_id, closed_at, id) where closed_at is not null;
create index exceptions_by_change on public.exceptions (tenant_id, updated_at, id);

alter table public.exceptions enable row level security;
-- Written by private.change_exceptions alone (412_exception_changes.sql).
grant select on public.exceptions to authenticated, service_role;
create policy exceptions_read on public.exceptions for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may(
    'read:exceptions', 'write:exceptions', 'read:sla', 'read:reconciliations', 'write:reconciliations')));

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

-- Spec 3.2: high below 60 minutes, medium up to 240. The only place of these figures: `npm run generate` writes them into lib/wire/facts.gen.ts.
create function private.high_risk_below() returns integer
language sql immutable set search_path = ''
return 60;
create function private.medium_risk_up_to() returns integer
language sql immutable set search_path = ''
return 240;

-- The nearer the deadline, the earlier.
create function private.breach_risks() returns text[]
language sql immutable set search_path = ''
return '{breached,high,medium,low}'::text[];

-- The wire form. A closed exception has no clock: minutes_to_breach and breach_risk are null. A paused one's stands still: it has the deadline
-- that resuming now would give it, and is at no risk.
create type private.exception_item as (
  id text, title text, severity text, assigned_to text, due_at text, minutes_to_breach bigint, breach_risk text, business_minutes_remaining bigint,
  calendar_id text, paused_at text, paused_until text, pause_reason text, status text, reason_code text, amount_minor bigint, currency text,
  reconciliation_id text, line_id text, suggested_match_id text, details jsonb, resolution text, created_at text, created_by text, updated_at text,
  closed_at text
);

-- Lists call it for each row: a function that it called would cost as much as all that it does itself, and json_build_object twice as much as row_to_json.
create function private.exception_json(e public.exceptions, as_of timestamptz default now()) returns json
language plpgsql stable set search_path = '' as $$
declare
  iso constant text := 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';
  is_paused constant boolean := e.paused_at is not null and coalesce(e.paused_until > as_of, true);
  due_at constant timestamptz := case when e.paused_at is null then e.due_at else private.deadline(e, as_of) end;
  -- Rounded up: zero or negative once it has passed (spec 2.2).
  minutes constant bigint := case when e.status in ('open', 'in_review') then ceil(extract(epoch from due_at - as_of) / 60) end;
begin
  return row_to_json(row(
    e.id, e.title, e.severity, e.assigned_to, to_char(due_at at time zone 'UTC', iso), minutes,
    case
      when is_paused then 'low'
      when minutes is null then null
      when minutes <= 0 then 'breached'
      when minutes < private.high_risk_below() then 'high'
      when minutes <= private.medium_risk_up_to() then 'medium'
      else 'low'
    end,
    case when minutes is not null and e.calendar_no is not null then private.business_minutes_remaining(e, as_of) end,
    e.calendar_id, case when is_paused then private.iso(e.paused_at) end, case when is_paused then private.iso(e.paused_until) end,
    case when is_paused then e.pause_reason end, e.status, e.reason_code, e.amount_minor, e.currency, e.reconciliation_id,
    'lin_' || replace(e.line_id::text, '-', ''), 'mat_' || replace(e.suggested_match_id::text, '-', ''), e.details, e.resolution,
    to_char(e.created_at at time zone 'UTC', iso), e.created_by, to_char(e.updated_at at time zone 'UTC', iso),
    to_char(e.closed_at at time zone 'UTC', iso)
  )::private.exception_item);
end $$;

grant execute on function
  private.severity_rank(text), private.high_risk_below(), private.medium_risk_up_to(), private.breach_risks(),
  private.exception_json(public.exceptions, timestamptz)
to authenticated;

-- Every change of an exception. private.change_exceptions alone writes public.exceptions; what a change leaves is read from here downwards: the row, its
-- clock and ledger, the counters, its history and its events, which 620_webhook_fan_out.sql gives to webhooks.

-- An exception as it was and as it is to be; `before` is null where it is created.
create type private.exception_change as (before public.exceptions, after public.exceptions);

-- Acts: create; edit, which also assigns, closes and reopens, since the columns say so; pause; resume; recalculate, where the policy or its calendar moves
-- a deadline. A threshold that is crossed changes the clock alone (430_sla_clock.sql).
-- A change names its exception and the columns to set: { tenant_id, id, assigned_to }. Who decides by what an exception is like holds it first (for no key
-- update, in the order of ids). Answers the exceptions as they are then. Any number: batches are what stays in memory.
-- Refuses: invalid_transition; invalid_request for what does not fit together; conflict for what cannot be paused, and for a deadline moved while paused.
create function private.change_exceptions(act text, changes jsonb[]) returns setof public.exceptions
language plpgsql volatile security definer set search_path = '' set enable_nestloop = on set enable_sort = on as $$
declare
  most constant integer := 1000;
  batch jsonb[];
  made private.exception_change[];
begin
  if act <> all ('{create,edit,pause,resume,recalculate}') then
    raise exception 'There is no act % on exceptions.', act;
  end if;
  for batch in
    select array_agg(c.change order by c.place) from unnest(changes) with ordinality c (change, place)
    group by (c.place - 1) / most order by (c.place - 1) / most
  loop
    made := private.exceptions_to_be(act, batch);
    perform private.write_exceptions(act, made);
    -- 440_sla_clock_changes.sql, 465_exception_counters.sql, 420_exception_history.sql.
    perform private.keep_clocks(made);
    perform private.keep_counters(made);
    perform private.record_changes(made);
    return query select (m.after).* from unnest(made) m;
  end loop;
end $$;

-- Holds the exceptions, in the order of their ids, and says what each is to be.
create function private.exceptions_to_be(act text, changes jsonb[]) returns private.exception_change[]
language plpgsql volatile set search_path = '' as $$
begin
  if act = 'create' then
    return array(
      select row(null::public.exceptions, private.exception_to_be(act, null, c.change, p))::private.exception_change
      from unnest(changes) c (change)
      cross join lateral (select x from public.sla_policies x where x.tenant_id = c.change ->> 'tenant_id' offset 0) p (p)
    );
  end if;
  return array(
    with held as materialized (
      select e, c.change from unnest(changes) c (change)
      join public.exceptions e on e.tenant_id = c.change ->> 'tenant_id' and e.id = c.change ->> 'id'
      order by e.tenant_id, e.id for no key update of e
    )
    select row(h.e, private.exception_to_be(act, h.e, h.change, p))::private.exception_change
    from held h
    cross join lateral (select x from public.sla_policies x where x.tenant_id = (h.e).tenant_id offset 0) p (p)
  );
end $$;

-- What one exception is to be, by what it is, the columns to set and the policy: all rules of exceptions in the order in which they are asked.
create function private.exception_to_be(act text, before public.exceptions, change jsonb, p public.sla_policies) returns public.exceptions
language plpgsql volatile set search_path = '' as $$
declare
  e public.exceptions := case act when 'create' then private.new_exception(change, p) else private.edited_exception(act, before, change) end;
  is_closed constant boolean := e.status in ('resolved', 'dismissed');
begin
  if is_closed and e.resolution is null then
    perform private.refuse_field('resolution', 'Required with the status resolved or dismissed.');
  elsif not is_closed and e.resolution is not null then
    perform private.refuse_field('resolution', 'Only allowed with the status resolved or dismissed.');
  elsif (e.amount_minor is null) <> (e.currency is null) then
    perform private.refuse_field('currency', 'amount_minor and currency must be sent together.');
  elsif octet_length(e.details::text) > 24576 then
    perform private.refuse_field('details', 'Must be at most 16 kB of JSON.');
  end if;
  e.closed_at := case when is_closed then coalesce(e.closed_at, now()) end;
  if before.paused_at is not null then
    e := private.with_pause_ended(act, before, e, p);
  end if;
  if act = 'pause' or p.pause_rules <> '[]' then
    e := private.with_pause_begun(act, before, e, p);
  end if;
  if e.calendar_no is null then
    e.due_open_ms := null;
  elsif act in ('create', 'recalculate') or not is_closed and before.status in ('resolved', 'dismissed')
    or coalesce(e.held_due_at, e.due_at) is distinct from coalesce(before.held_due_at, before.due_at) then
    e.due_open_ms := private.open_ms(e.tenant_id, e.calendar_no, coalesce(e.held_due_at, e.due_at));
  end if;
  return e;
end $$;

-- One that is created. Without due_at it has the policy's minutes from its creation, which is in whole milliseconds, by the policy's calendar.
create function private.new_exception(change jsonb, p public.sla_policies) returns public.exceptions
language plpgsql volatile set search_path = '' as $$
declare
  e public.exceptions := jsonb_populate_record(null::public.exceptions, change);
begin
  e.id := coalesce(e.id, private.new_id('exc'));
  e.severity_rank := private.severity_rank(e.severity);
  e.status := coalesce(e.status, 'open');
  e.details := coalesce(e.details, '{}');
  e.created_at := coalesce(e.created_at, date_trunc('milliseconds', now()));
  e.created_by := coalesce(e.created_by, private.actor());
  e.updated_at := coalesce(e.updated_at, date_trunc('milliseconds', now()));
  e.paused_by_rule := false;
  e.pause_count := 0;
  e.paused_ms := 0;
  e.resolved_by_matching := false;
  e.calendar_id := private.policy_calendar(p, e.severity);
  if e.calendar_id is not null then
    e.calendar_no := private.current_calendar_no(e.tenant_id, e.calendar_id);
  end if;
  e.due_from_policy := e.due_at is null;
  if e.due_from_policy then
    e.due_at := private.policy_deadline(e, private.minutes_to_resolve(p, e.severity), e.calendar_no);
  end if;
  return e;
end $$;

-- One that is changed. Of a paused one a recalculation moves the deadline that it is held at.
create function private.edited_exception(act text, before public.exceptions, change jsonb) returns public.exceptions
language plpgsql volatile set search_path = '' as $$
declare
  e public.exceptions := jsonb_populate_record(before, change);
begin
  if not private.exception_may_move(before.status, e.status) then
    perform private.refuse('invalid_transition', format('An exception cannot move from %s to %s.', before.status, e.status));
  elsif before.status in ('resolved', 'dismissed') and e.status in ('open', 'in_review') then
    e.resolution := null;
  end if;
  if e.severity <> before.severity then
    e.severity_rank := private.severity_rank(e.severity);
  end if;
  -- Never before the change that this one waited for, in whichever order the two began.
  e.updated_at := greatest(date_trunc('milliseconds', now()), before.updated_at);
  if act = 'edit' and change ? 'due_at' then
    e.due_from_policy := false;
  elsif act = 'recalculate' and before.paused_at is not null then
    e.held_due_at := e.due_at;
    e.due_at := before.due_at;
  end if;
  return e;
end $$;

-- One that is paused, its pause ended where it is over, resumed, closed, or the rule that began it holds no longer. What is left of its time goes on.
create function private.with_pause_ended(act text, before public.exceptions, e public.exceptions, p public.sla_policies) returns public.exceptions
language plpgsql volatile set search_path = '' as $$
declare
  has_moved constant boolean := (e.status, e.reason_code) is distinct from (before.status, before.reason_code);
  was public.exceptions := before;
  ended_at constant timestamptz(3) := case
    when before.paused_until <= e.updated_at then before.paused_until
    when act = 'resume' or e.status in ('resolved', 'dismissed')
      or has_moved and before.paused_by_rule and not private.pause_rule_holds(p, e.status, e.reason_code) then e.updated_at
  end;
begin
  if ended_at is null and e.due_at <> before.due_at then
    perform private.refuse('conflict', 'The exception is paused. Resume it before you move its deadline.');
  elsif ended_at is not null then
    if e.due_at = before.due_at then
      was.calendar_no := e.calendar_no;
      e.due_at := private.deadline(was, ended_at);
    end if;
    e.paused_ms := before.paused_ms + (extract(epoch from ended_at - before.paused_at) * 1000)::bigint;
    e.paused_at := null;
    e.held_due_at := null;
    e.paused_until := null;
    e.pause_reason := null;
    e.paused_by_rule := false;
  end if;
  return e;
end $$;

-- One that is paused by the act, which is refused where it can't be, or by a rule of the policy that holds since this change, which is not.
create function private.with_pause_begun(act text, before public.exceptions, e public.exceptions, p public.sla_policies) returns public.exceptions
language plpgsql volatile set search_path = '' as $$
declare
  by_rule constant boolean := act <> 'pause' and e.paused_at is null and e.status in ('open', 'in_review')
    and (e.status, e.reason_code) is distinct from (before.status, before.reason_code) and private.pause_rule_holds(p, e.status, e.reason_code)
    and (before.status is null or before.status in ('resolved', 'dismissed') or not private.pause_rule_holds(p, before.status, before.reason_code));
  fault constant text := case when by_rule or act = 'pause' then private.pause_fault(e, p) end;
begin
  if act = 'pause' and fault is not null then
    perform private.refuse('conflict', fault);
  elsif fault is not null or not by_rule and act <> 'pause' then
    return e;
  end if;
  e.paused_at := e.updated_at;
  e.held_due_at := e.due_at;
  e.due_at := 'infinity';
  e.paused_until := least(case when not by_rule then e.paused_until end, e.paused_at + make_interval(mins => p.pause_max_minutes));
  e.paused_by_rule := by_rule;
  e.pause_reason := case when by_rule then 'By a rule of the SLA policy' else e.pause_reason end;
  e.pause_count := e.pause_count + 1;
  return e;
end $$;

create function private.write_exceptions(act text, made private.exception_change[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform set_config('tieout.writes_exceptions', 'on', true);
  if act = 'create' then
    insert into public.exceptions (id, tenant_id, title, severity, assigned_to, due_at, due_from_policy, calendar_id, calendar_no, due_open_ms, paused_at,
      paused_until, pause_reason, paused_by_rule, held_due_at, pause_count, paused_ms, status, reason_code, amount_minor, currency, reconciliation_id,
      details, resolution, created_at, created_by, updated_at, closed_at, pair_no, line_no, line_id, suggested_match_id, grouped_match_id,
      resolved_by_matching)
    select n.id, n.tenant_id, n.title, n.severity, n.assigned_to, n.due_at, n.due_from_policy, n.calendar_id, n.calendar_no, n.due_open_ms, n.paused_at,
      n.paused_until, n.pause_reason, n.paused_by_rule, n.held_due_at, n.pause_count, n.paused_ms, n.status, n.reason_code, n.amount_minor, n.currency,
      n.reconciliation_id, n.details, n.resolution, n.created_at, n.created_by, n.updated_at, n.closed_at, n.pair_no, n.line_no, n.line_id,
      n.suggested_match_id, n.grouped_match_id, n.resolved_by_matching
    from (select (m.after).* from unnest(made) m) n;
  else
    update public.exceptions e set title = n.title, severity = n.severity, assigned_to = n.assigned_to, due_at = n.due_at,
      due_from_policy = n.due_from_policy, calendar_id = n.calendar_id, calendar_no = n.calendar_no, due_open_ms = n.due_open_ms,
      paused_at = n.paused_at, paused_until = n.paused_until, pause_reason = n.pause_reason, paused_by_rule = n.paused_by_rule,
      held_due_at = n.held_due_at, pause_count = n.pause_count, paused_ms = n.paused_ms, status = n.status, reason_code = n.reason_code,
      amount_minor = n.amount_minor, currency = n.currency, reconciliation_id = n.reconciliation_id, details = n.details, resolution = n.resolution,
      updated_at = n.updated_at, closed_at = n.closed_at, line_no = n.line_no, line_id = n.line_id, suggested_match_id = n.suggested_match_id,
      grouped_match_id = n.grouped_match_id, resolved_by_matching = n.resolved_by_matching
    from (select (m.after).* from unnest(made) m) n
    where e.tenant_id = n.tenant_id and e.id = n.id;
  end if;
  perform set_config('tieout.writes_exceptions', '', true);
end $$;

-- Refuses what does not come by change_exceptions, and would leave clock, counters and history as they were.
create function private.guard_exceptions() returns trigger
language plpgsql set search_path = '' as $$
begin
  if coalesce(current_setting('tieout.writes_exceptions', true), '') <> 'on' then
    raise exception using errcode = 'insufficient_privilege', message = 'Exceptions are changed by private.change_exceptions alone.';
  end if;
  return null;
end $$;
create trigger guard before insert or update or delete or truncate on public.exceptions
  for each statement execute function private.guard_exceptions();

-- Exceptions of the caller's tenant, held in the order of their ids.
create function private.hold_exceptions(ids text[]) returns setof public.exceptions
language plpgsql volatile set search_path = '' as $$
begin
  return query select * from public.exceptions e where e.tenant_id = private.tenant_id() and e.id = any (ids) order by e.id for no key update;
end $$;

-- The same as change_exceptions for the caller's tenant, and of an exception what a person may set: for verbs, which pass on what a request
-- asks. A change names no tenant.
create function private.change_exceptions_as_asked(act text, changes jsonb[]) returns setof public.exceptions
language plpgsql volatile set search_path = '' as $$
declare
  settable constant text[] := '{title,severity,assigned_to,due_at,calendar_id,calendar_no,paused_until,pause_reason,status,reason_code,amount_minor,currency,reconciliation_id,details,resolution}';
begin
  return query select * from private.change_exceptions(act, array(
    select jsonb_object_agg(k.key, k.value) || jsonb_build_object('tenant_id', private.tenant_id())
    from unnest(changes) with ordinality c (change, place)
    cross join lateral jsonb_each(c.change) k
    where k.key = any (settable) or k.key = 'id' and act <> 'create'
    group by c.place order by c.place
  ));
end $$;

-- Deadlines: by which time an exception's deadline counts, and the pauses in which it doesn't.

-- The deadline; of a paused exception as it would be, were it resumed at `as_of`. In wall-clock time it recedes as long as the pause lasts, by a
-- calendar as long as that was open; never is it nearer than before the pause.
create function private.deadline(e public.exceptions, as_of timestamptz) returns timestamptz
language plpgsql stable security definer set search_path = '' as $$
declare
  -- A pause of which nobody has seen the end yet ended when it should.
  resumed_at constant timestamptz := greatest(e.paused_at, least(as_of, coalesce(e.paused_until, as_of)));
begin
  if e.paused_at is null or e.tenant_id <> coalesce(private.tenant_id(), e.tenant_id) then
    return e.due_at;
  elsif e.calendar_no is null or e.due_open_ms is null then
    return e.held_due_at + (resumed_at - e.paused_at);
  end if;
  return greatest(e.held_due_at, private.moment_at(e.tenant_id, e.calendar_no, e.due_open_ms
    + private.open_ms(e.tenant_id, e.calendar_no, resumed_at) - private.open_ms(e.tenant_id, e.calendar_no, e.paused_at)));
end $$;

-- Open minutes until the deadline, rounded up; null beyond the reach of its calendar.
create function private.business_minutes_remaining(e public.exceptions, as_of timestamptz) returns bigint
language plpgsql stable security definer set search_path = '' as $$
declare
  asked constant text := concat_ws(' ', e.tenant_id, e.calendar_no, extract(epoch from as_of), '');
  known text := current_setting('tieout.open_ms', true);
begin
  if e.tenant_id <> coalesce(private.tenant_id(), e.tenant_id) then
    return null;
  end if;
  -- A list or a batch of events asks it of many by one calendar as of one moment: B(as_of) is remembered within the transaction.
  if e.paused_at is null and e.due_open_ms is not null then
    if not starts_with(coalesce(known, ''), asked) then
      known := set_config('tieout.open_ms', asked || coalesce(private.open_ms(e.tenant_id, e.calendar_no, as_of)::text, ''), true);
    end if;
    return ceil((e.due_open_ms - nullif(substr(known, length(asked) + 1), '')::bigint) / 60000.0)::bigint;
  end if;
  return ceil((
    case when e.paused_until <= as_of then private.open_ms(e.tenant_id, e.calendar_no, private.deadline(e, as_of)) else e.due_open_ms end
    - private.open_ms(e.tenant_id, e.calendar_no, case when coalesce(e.paused_until > as_of, true) then coalesce(e.paused_at, as_of) else as_of end)
  ) / 60000.0)::bigint;
end $$;

-- What the policy's minutes from its creation come to by a calendar (null: round the clock), pauses that are over added. Null where no deadline is
-- within reach.
create function private.policy_deadline(e public.exceptions, minutes integer, no bigint) returns timestamptz
language plpgsql volatile set search_path = '' as $$
declare
  paused bigint := 0;
begin
  if no is null then
    return e.created_at + make_interval(mins => minutes) + e.paused_ms * interval '1 millisecond';
  end if;
  if e.pause_count > 0 then
    select coalesce(sum(private.open_ms(e.tenant_id, no, l.resumed_at) - private.open_ms(e.tenant_id, no, l.at)), 0) into paused
    from (
      select x.kind, x.at, lead(x.at) over (order by x.id) as resumed_at
      from public.exception_ledger x
      where x.tenant_id = e.tenant_id and x.exception_id = e.id and x.kind in ('paused', 'resumed')
    ) l
    where l.kind = 'paused' and l.resumed_at is not null;
  end if;
  return private.moment_at(e.tenant_id, no, private.open_ms(e.tenant_id, no, e.created_at) + minutes * 60000::bigint + paused);
end $$;

-- When so many minutes from now are over by a calendar of the caller's tenant; null where that is beyond reach.
create function private.first_deadline(no bigint, minutes integer) returns timestamptz
language plpgsql volatile set search_path = '' as $$
begin
  return private.moment_at(private.tenant_id(), no, private.open_ms(private.tenant_id(), no, now()) + minutes * 60000::bigint);
end $$;

-- Why an exception cannot be paused now; null: it can.
create function private.pause_fault(e public.exceptions, p public.sla_policies) returns text
language plpgsql stable set search_path = '' as $$
begin
  return case
    when e.status not in ('open', 'in_review') then 'It is closed, and its clock has stopped. Reopen it first.'
    when e.paused_at is not null and coalesce(e.paused_until > now(), true) then 'It is paused already. Resume it first.'
    when private.deadline(e, now()) <= now() then 'Its deadline has passed: there is no time left to hold. Move the deadline first.'
    when e.pause_count >= p.pause_max_count then
      format('The SLA policy allows %s pauses of an exception, and it has had them. Resolve it, or move its deadline.', p.pause_max_count)
  end;
end $$;

create function private.pause_rule_holds(p public.sla_policies, status text, reason_code text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return exists (
    select from jsonb_array_elements(p.pause_rules) r
    where coalesce(r ->> 'status' = pause_rule_holds.status, r ->> 'status' is null)
      and coalesce(r ->> 'reason_code' = pause_rule_holds.reason_code, r ->> 'reason_code' is null)
  );
end $$;

grant execute on function
  private.deadline(public.exceptions, timestamptz), private.business_minutes_remaining(public.exceptions, timestamptz)
to authenticated;

-- History: each change of an exception with its actor, and the event that reports it. By sets, so that a bulk change costs one insert. A creation keeps
-- the facts as they were, an update what changed from what.

-- Without a foreign key: only changes of exceptions write here, and exceptions are never deleted.
create table public.exception_history (
  id bigint generated always as identity,
  tenant_id text not null,
  exception_id text not null,
  at timestamptz(3) not null default now(),
  actor text not null default private.actor(),
  actor_issuer text default private.actor_issuer(),
  actor_subject text default private.actor_subject(),
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
  return (to_jsonb(e) - '{id,tenant_id,created_at,created_by,updated_at,closed_at,severity_rank,due_from_policy,calendar_no,due_open_ms,paused_by_rule,held_due_at,pause_count,paused_ms,pair_no,line_no,line_id,suggested_match_id,grouped_match_id,resolved_by_matching}'::text[])
    || jsonb_build_object('due_at', private.iso(coalesce(e.held_due_at, e.due_at)), 'paused_at', private.iso(e.paused_at),
      'paused_until', private.iso(e.paused_until));
end $$;

-- Records what was changed and reports it, each exception by itself: exception.created, exception.updated, exception.resolved, exception.paused,
-- exception.resumed. A change that only pauses or resumes is no other change besides.
create function private.record_changes(made private.exception_change[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  with change as materialized (
    select m.after, 'created' as kind, private.exception_facts(m.after) as changes from unnest(made) m where (m.before).id is null
    union all
    select m.after, 'updated', x.changes
    from unnest(made) m
    cross join lateral (select private.changes(private.exception_facts(m.before), private.exception_facts(m.after)) as changes) x
    where (m.before).id is not null and x.changes is not null
  ), recorded as (
    insert into public.exception_history (tenant_id, exception_id, kind, changes)
    select (c.after).tenant_id, (c.after).id, c.kind, c.changes from change c
  )
  insert into public.events (tenant_id, type, data)
  select (c.after).tenant_id, t.type, jsonb_build_object('exception', private.exception_json(c.after))
      || case when t.type = 'exception.created' then '{}' when c.kind = 'created' then jsonb_build_object('changes',
          private.changes('{}', jsonb_build_object('paused_at', c.changes -> 'paused_at', 'pause_reason', c.changes -> 'pause_reason')))
        else jsonb_build_object('changes', c.changes) end
  from change c
  cross join lateral (values
    (1, case
      when c.kind = 'created' then 'exception.created'
      when c.changes #>> '{status,to}' in ('resolved', 'dismissed') then 'exception.resolved'
      when c.changes ? 'paused_at' and c.changes - '{paused_at,paused_until,pause_reason,due_at}'::text[] = '{}' then null
      else 'exception.updated'
    end),
    (2, case
      when c.kind = 'created' then case when c.changes ->> 'paused_at' is not null then 'exception.paused' end
      when c.changes #>> '{paused_at,to}' is not null then 'exception.paused'
      when c.changes ? 'paused_at' then 'exception.resumed'
    end)
  ) t (place, type)
  where t.type is not null
  order by t.place;
end $$;

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
    'id', h.id, 'at', private.iso(h.at), 'actor', h.actor, 'actor_issuer', h.actor_issuer, 'actor_subject', h.actor_subject,
    'request_id', h.request_id, 'kind', h.kind,
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

-- Filters of exceptions: what the lists, their counts, what changed in them and a bulk change mean by one filter, written once.

-- The conditions of these breach risks on an exception e, those that adjoin as one range of due_at. at_risk is high and medium.
create function private.risk_ranges(wanted text[], as_of timestamptz) returns text[]
language plpgsql immutable set search_path = '' as $$
declare
  risks constant text[] := private.breach_risks();
  -- minutes_to_breach is rounded up, so what is below 60 has at most 59 minutes left.
  ends constant timestamptz[] := array[as_of, as_of + make_interval(mins => private.high_risk_below() - 1),
    as_of + make_interval(mins => private.medium_risk_up_to())];
  given constant text[] := case when 'at_risk' = any (wanted) then wanted || '{high,medium}'::text[] else wanted end;
  ranges text[] := '{}';
  first integer;
begin
  for i in 1 .. 4 loop
    if not risks[i] = any (given) then
      continue;
    end if;
    first := coalesce(first, i);
    if i = 4 or not risks[i + 1] = any (given) then
      ranges := ranges || coalesce(nullif(concat_ws(' and ',
        case when first > 1 then format('e.due_at > %L::timestamptz', ends[first - 1]) end,
        case when i < 4 then format('e.due_at <= %L::timestamptz', ends[i]) end), ''), 'true');
      first := null;
    end if;
  end loop;
  return ranges;
end $$;

-- One of `wanted`: by `=` where it is one, which an index takes in the order of what comes next in it.
create function private.one_of(field text, wanted text[]) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return case when cardinality(wanted) = 1 then format('%s = %L', field, wanted[1]) else format('%s = any (%L)', field, wanted) end;
end $$;

-- What a filter asks of an exception e, as SQL; null where the input doesn't have it. Each takes several values: { severity: [high, critical] }. Of the
-- assignee, the reconciliation and the currency `none` is null; of the assignee, `me` is the caller.
create function private.exception_condition(filter text, input jsonb, as_of timestamptz) returns text
language plpgsql stable set search_path = '' as $$
declare
  -- One value alone is as the release before sends it.
  wanted text[] := case jsonb_typeof(input -> filter) when 'string' then array[input ->> filter] else private.text_array(input -> filter) end;
begin
  if cardinality(wanted) = 0 then
    return null;
  elsif filter = 'breach_risk' then
    return '(' || array_to_string(private.risk_ranges(wanted, as_of), ' or ') || ')';
  elsif filter = 'severity' then
    return private.one_of('e.severity_rank', array(select private.severity_rank(s)::text from unnest(wanted) s));
  elsif filter = 'assigned_to' then
    wanted := array_replace(wanted, 'me', private.actor());
  end if;
  return case
    when filter in ('status', 'reason_code') then private.one_of('e.' || filter, wanted)
    when wanted = '{none}' then format('e.%I is null', filter)
    when 'none' = any (wanted) then format('(e.%I is null or %s)', filter, private.one_of('e.' || filter, array_remove(wanted, 'none')))
    else private.one_of('e.' || filter, wanted)
  end;
end $$;

-- The filters that take several values and have counts (472_sla_facets.sql).
create function private.exception_facets() returns text[]
language sql immutable set search_path = ''
return '{breach_risk,severity,status,assigned_to,reason_code,reconciliation_id,currency}'::text[];

-- That an exception e has a row of its ledger of these kinds from one moment to before another; null without either.
create function private.had_between(kinds text, starts_at timestamptz, ends_at timestamptz) returns text
language plpgsql stable set search_path = '' as $$
begin
  if starts_at is null and ends_at is null then
    return null;
  end if;
  return format('e.id in (select l.exception_id from public.exception_ledger l where l.tenant_id = %L and l.at >= %L and l.at < %L and %s)',
    private.tenant_id(), coalesce(starts_at, '-infinity'), coalesce(ends_at, 'infinity'), kinds);
end $$;

-- { amount_from, due_before, breached_from, breached_before, closed_from, closed_before }: minor units, a moment that the deadline comes before (a
-- paused one has none), and when it breached or was closed, whatever came after; null without them.
create function private.bound_conditions(input jsonb) returns text
language plpgsql stable set search_path = '' as $$
begin
  return nullif(concat_ws(' and ', 'e.amount_minor >= ' || (input ->> 'amount_from')::bigint::text,
    'e.due_at < ' || quote_literal((input ->> 'due_before')::timestamptz) || '::timestamptz',
    private.had_between($q$l.kind = 'crossed' and l.threshold_minutes = 0$q$,
      (input ->> 'breached_from')::timestamptz, (input ->> 'breached_before')::timestamptz),
    private.had_between($q$l.kind in ('resolved', 'dismissed')$q$, (input ->> 'closed_from')::timestamptz, (input ->> 'closed_before')::timestamptz)), '');
end $$;

-- All of them.
create function private.exception_conditions(input jsonb, as_of timestamptz) returns text
language plpgsql stable set search_path = '' as $$
begin
  return concat_ws(' and ', 'true', private.bound_conditions(input), (
    select string_agg(private.exception_condition(f, input, as_of), ' and ')
    from unnest(private.exception_facets()) f
  ));
end $$;

grant execute on function
  private.risk_ranges(text[], timestamptz), private.one_of(text, text[]), private.exception_condition(text, jsonb, timestamptz), private.exception_facets(),
  private.had_between(text, timestamptz, timestamptz), private.bound_conditions(jsonb), private.exception_conditions(jsonb, timestamptz)
to authenticated;

-- SLA clock: where each open exception stands before its deadline, kept in the transaction of every change, moved on by the
-- worker, and right without it: whatever has passed and was not processed yet is counted when it is asked for.
--
-- Boundaries are minutes before due_at: the tenant's at-risk thresholds, 0 (the breach), and 240, which parts at risk from on
-- track (spec 3.2). A clock's position is the last boundary it passed; next_at is when it passes the next one.
-- Whoever changes a clock locks it before reading it: one that a worker moves on just then would be counted at two positions.

-- Written by changes of exceptions alone, which are never deleted: a foreign key would check each row again.
create table private.exception_clocks (
  tenant_id text not null,
  exception_id text not null,
  due_at timestamptz(3) not null,
  position integer not null,
  next_at timestamptz(3),
  -- Paused: the position it had. What it passed before the pause is not reported again after it.
  held_position integer,
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
  at timestamptz(3) not null default date_trunc('milliseconds', now()),
  kind text not null check (kind in ('set', 'moved', 'crossed', 'paused', 'resumed', 'recalculated', 'resolved', 'dismissed', 'reopened')),
  due_at timestamptz(3) not null,
  threshold_minutes integer,
  -- Whether those are open minutes of the calendar.
  in_business_time boolean not null default false,
  -- By which the deadline counted from here on; null: round the clock.
  calendar_no bigint,
  actor text not null default private.actor(),
  actor_issuer text default private.actor_issuer(),
  actor_subject text default private.actor_subject(),
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

-- Where clocks with these deadlines (infinity: paused) stand now: their position, when they pass the next boundary (null where none is ahead), and
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
    nullif(c.due_at - make_interval(mins => b.next_boundary), 'infinity'), b.nearest
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
          else jsonb_build_object('threshold_minutes', x.boundary, 'threshold_kind', 'wall_clock', 'next_threshold_minutes', x.next_boundary) end,
      x.once_key
    from crossing x
    order by x.due_at - make_interval(mins => x.boundary)
    returning tenant_id, data
  )
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, threshold_minutes, calendar_no, actor,
    actor_issuer, actor_subject, request_id)
  select r.tenant_id, r.data #>> '{exception,id}', now(), 'crossed', (r.data ->> 'due_at')::timestamptz,
    coalesce((r.data -> 'threshold_minutes')::integer, 0),
    -- Looked up, not joined: a kept plan takes the batch for a handful, and would compare each row with every other.
    (select e.calendar_no from public.exceptions e where e.tenant_id = r.tenant_id and e.id = r.data #>> '{exception,id}'),
    'system', null, null, null
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
  select array_agg(m.tenant_id) as tenants, array_agg(m.exception_id) as ids, array_agg(b.boundary) as boundaries, array_agg(m.due_at) as due_ats
  into crossed
  from unnest(moved.tenants, moved.ids, moved.old_positions, moved.new_positions, moved.due_ats)
    as m (tenant_id, exception_id, old_position, new_position, due_at)
  join private.sla_boundaries(moved.tenants) b
    on b.tenant_id = m.tenant_id and b.announced and b.boundary < m.old_position and b.boundary >= m.new_position;
  if crossed.ids is not null then
    perform private.announce_crossings(crossed.tenants, crossed.ids, crossed.boundaries, crossed.due_ats);
  end if;
  -- Last: workers queue for this row alone.
  perform private.count_positions(shard, moved.tenants || moved.tenants, moved.old_positions || moved.new_positions,
    array_fill(-1, array[cardinality(moved.ids)]) || array_fill(1, array[cardinality(moved.ids)]));
end $$;

-- Ends pauses whose time has come, as of then; answers how many. One that somebody else holds ends with the next look.
create function private.end_pauses(batch integer) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  ended integer;
begin
  select count(*) into ended from private.change_exceptions('resume', array(
    select jsonb_build_object('tenant_id', e.tenant_id, 'id', e.id) from public.exceptions e
    where e.paused_until <= now() order by e.paused_until limit batch for no key update skip locked
  ));
  return ended;
end $$;

-- The worker's step: ends pauses, reports up to `batch` warnings in business minutes and moves on as many clocks whose next boundary has passed. Any number of workers may call it at once.
-- Answers { moved, wait_ms }: how long until the next boundary of any clock, warning or end of any pause, null where none is ahead.
create function private.tick_sla_clock(batch integer default 5000) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  due record;
  others constant integer := private.end_pauses(batch) + private.tick_business_warnings(batch);
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
    'moved', coalesce(cardinality(due.ids), 0) + others,
    'wait_ms', (
      select ceil(extract(epoch from min(x.at) - clock_timestamp()) * 1000) from (
        select min(next_at) as at from private.exception_clocks where next_at is not null
        union all
        select min(w.at) from private.business_warnings w where w.at < 'infinity'
        union all
        select min(paused_until) from public.exceptions where paused_until is not null
      ) x
    )
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
  perform private.arm_business_warnings(tenants, ids, true);
end $$;

-- Stops clocks, after what they passed was reported.
create function private.stop_clocks(tenants text[], ids text[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  stopped record;
begin
  perform private.advance_clocks(tenants, ids, private.own_shard());
  delete from private.business_warnings w using unnest(tenants, ids) as asked (tenant_id, exception_id)
  where w.tenant_id = asked.tenant_id and w.exception_id = asked.exception_id;
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
-- nearer, is reported. A pause keeps where the clock stood, and what it passed before is not reported after.
create function private.move_clocks(tenants text[], ids text[], due_ats timestamptz[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  moved record;
begin
  with fresh as (
    select p.tenant_id, p.exception_id, p.due_at, p.position, p.next_at, c.position as old_position,
      case when p.nearest < coalesce(c.held_position, c.position) then p.nearest end as crossed,
      case when p.due_at = 'infinity' then coalesce(c.held_position, c.position) end as held_position
    from private.place_clocks(tenants, ids, due_ats) p
    join private.exception_clocks c on c.tenant_id = p.tenant_id and c.exception_id = p.exception_id
  ), written as (
    update private.exception_clocks c set due_at = f.due_at, position = f.position, next_at = f.next_at, held_position = f.held_position
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
  perform private.arm_business_warnings(tenants, ids, false);
end $$;

-- What changed exceptions do to their clocks: `clock` is opened, moved or closed, `kinds` what the ledger says of it. What stays closed has no clock, wherever
-- its deadline is moved. Closing what is paused ends the pause first.
create function private.clock_moves(made private.exception_change[])
returns table (
  tenant_id text, exception_id text, clock text, kinds text[], due_at timestamptz, shown_due_at timestamptz, calendar_no bigint, changed_at timestamptz,
  resumed_at timestamptz
)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select n.tenant_id, n.id, case when not n.is_open then 'closed' when o.is_open then 'moved' else 'opened' end,
    case
      when o.id is null then case when n.paused_at is null then '{set}'::text[] else '{set,paused}' end
      when not n.is_open then case when o.paused_at is null then array[n.status] else array['resumed', n.status] end
      when not o.is_open then '{reopened}'
      when n.paused_at is not null and o.paused_at is null then '{paused}'
      when n.paused_at is null and o.paused_at is not null then '{resumed}'
      when n.calendar_no is distinct from o.calendar_no or n.calendar_no is not null and private.actor() = 'system' then '{recalculated}'
      else '{moved}'
    end,
    n.due_at::timestamptz, coalesce(n.held_due_at, n.due_at)::timestamptz, n.calendar_no,
    case when o.id is null then date_trunc('milliseconds', now()) else n.updated_at end,
    case when n.paused_at is null then o.paused_at + (n.paused_ms - o.paused_ms) * interval '1 millisecond' end
  from unnest(made) m
  cross join lateral (select (m.before).*, (m.before).status in ('open', 'in_review') as is_open) o
  cross join lateral (select (m.after).*, (m.after).status in ('open', 'in_review') as is_open) n
  where case when o.id is null then n.is_open else (o.is_open or n.is_open)
    and (n.due_at <> o.due_at or o.is_open <> n.is_open or n.held_due_at <> o.held_due_at or n.calendar_no is distinct from o.calendar_no) end;
end $$;

-- Starts, stops and moves the clocks of changed exceptions and writes their ledger. What a clock has passed before is reported before.
create function private.keep_clocks(made private.exception_change[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  c record;
begin
  select
    array_agg(x.tenant_id) filter (where x.clock = 'closed') as closed_tenants, array_agg(x.exception_id) filter (where x.clock = 'closed') as closed_ids,
    array_agg(x.tenant_id) filter (where x.clock = 'moved') as moved_tenants, array_agg(x.exception_id) filter (where x.clock = 'moved') as moved_ids,
    array_agg(x.due_at) filter (where x.clock = 'moved') as moved_due_ats,
    array_agg(x.tenant_id) filter (where x.clock = 'opened') as opened_tenants, array_agg(x.exception_id) filter (where x.clock = 'opened') as opened_ids,
    array_agg(x.due_at) filter (where x.clock = 'opened') as opened_due_ats
  into c from private.clock_moves(made) x;
  if c.closed_ids is not null or c.moved_ids is not null then
    perform from unnest(c.closed_tenants || c.moved_tenants, c.closed_ids || c.moved_ids) as asked (tenant_id, exception_id)
    join private.exception_clocks k on k.tenant_id = asked.tenant_id and k.exception_id = asked.exception_id
    order by k.tenant_id, k.exception_id for update of k;
    perform private.pass_business_warnings(c.closed_tenants || c.moved_tenants, c.closed_ids || c.moved_ids);
  end if;
  if c.closed_ids is not null then
    perform private.stop_clocks(c.closed_tenants, c.closed_ids);
  end if;
  if c.moved_ids is not null then
    perform private.advance_clocks(c.moved_tenants, c.moved_ids, private.own_shard());
  end if;
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, calendar_no)
  select x.tenant_id, x.exception_id, case when k.kind = 'resumed' then x.resumed_at else x.changed_at end, k.kind, x.shown_due_at, x.calendar_no
  from private.clock_moves(made) x cross join lateral unnest(x.kinds) with ordinality as k (kind, place)
  order by k.place;
  if c.moved_ids is not null then
    perform private.move_clocks(c.moved_tenants, c.moved_ids, c.moved_due_ats);
  end if;
  if c.opened_ids is not null then
    perform private.start_clocks(c.opened_tenants, c.opened_ids, c.opened_due_ats);
  end if;
end $$;

-- Arms every clock of the caller's tenant by its thresholds as they are now. What was passed before is not reported again: neither
-- by this moment nor by a worker that has been further on since this change began. A clock that has passed its deadline has no
-- boundary ahead, whatever the thresholds.
create function private.rearm_clocks() returns void
language plpgsql volatile set search_path = '' as $$
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

-- Warnings in business minutes: rows, each with the moment at which so much open time is left before a deadline, B⁻¹(B(due_at) − minutes). Whatever changes
-- a deadline writes them anew in its transaction; the worker takes those whose moment has come. Of an exception that counts round the clock, every
-- minute is open. A paused exception's wait at infinity, so that one it has not passed is still reported after.

-- Written by changes of exceptions alone, which are never deleted: a foreign key would check each row again.
create table private.business_warnings (
  tenant_id text not null,
  exception_id text not null,
  minutes integer not null,
  at timestamptz(3) not null,
  -- The deadline that it warns of.
  due_at timestamptz(3) not null,
  primary key (tenant_id, exception_id, minutes)
);
create index business_warnings_next on private.business_warnings (at) where at < 'infinity';
alter table private.business_warnings enable row level security;

-- When a warning comes: null where its moment has passed, infinity while the exception is paused.
create function private.business_warning_at(e public.exceptions, minutes integer) returns timestamptz
language plpgsql volatile set search_path = '' as $$
declare
  due_at constant timestamptz := coalesce(e.held_due_at, e.due_at);
  as_of constant timestamptz := coalesce(e.paused_at, now());
  open_ms constant bigint := e.due_open_ms - minutes * 60000::bigint;
  has_passed constant boolean := due_at <= as_of or case
    when e.due_open_ms is null then due_at - make_interval(mins => minutes) <= as_of
    else open_ms <= private.open_ms(e.tenant_id, e.calendar_no, as_of)
  end;
begin
  return case
    when has_passed then null
    when e.paused_at is not null then 'infinity'
    when e.due_open_ms is null then due_at - make_interval(mins => minutes)
    else private.moment_at(e.tenant_id, e.calendar_no, open_ms)
  end;
end $$;

-- Reports warnings, once each, and writes them into the ledger. One that the policy doesn't have any more is not reported.
create function private.announce_business_warnings(tenants text[], ids text[], minutes integer[], due_ats timestamptz[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  with reported as (
    insert into public.events (tenant_id, type, data, once_key)
    select e.tenant_id, 'exception.sla.at_risk', jsonb_build_object(
        'exception', private.exception_json(e), 'due_at', private.iso(w.due_at), 'threshold_minutes', w.minutes, 'threshold_kind', 'business',
        'next_threshold_minutes', (select max(t) from unnest(p.at_risk_business_thresholds || 0) t where t < w.minutes)),
      concat_ws(':', e.id, private.iso(w.due_at), w.minutes, 'business')
    from unnest(tenants, ids, minutes, due_ats) as w (tenant_id, exception_id, minutes, due_at)
    join public.exceptions e on e.tenant_id = w.tenant_id and e.id = w.exception_id
    join public.sla_policies p on p.tenant_id = w.tenant_id and w.minutes = any (p.at_risk_business_thresholds)
    order by w.minutes desc
    returning tenant_id, data
  )
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, threshold_minutes, in_business_time, calendar_no, actor,
    actor_issuer, actor_subject, request_id)
  select r.tenant_id, e.id, now(), 'crossed', (r.data ->> 'due_at')::timestamptz, (r.data -> 'threshold_minutes')::integer, true, e.calendar_no,
    'system', null, null, null
  from reported r join public.exceptions e on e.tenant_id = r.tenant_id and e.id = r.data #>> '{exception,id}'
  order by (r.data -> 'threshold_minutes')::integer desc;
end $$;

-- Reports what the given exceptions have passed and nobody has reported yet.
create function private.pass_business_warnings(tenants text[], ids text[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  passed record;
begin
  with taken as (
    delete from private.business_warnings w using unnest(tenants, ids) as asked (tenant_id, exception_id)
    where w.tenant_id = asked.tenant_id and w.exception_id = asked.exception_id and w.at <= now()
    returning w.*
  )
  select array_agg(t.tenant_id) as tenants, array_agg(t.exception_id) as ids, array_agg(t.minutes) as minutes, array_agg(t.due_at) as due_ats
  into passed from taken t;
  if passed.ids is not null then
    perform private.announce_business_warnings(passed.tenants, passed.ids, passed.minutes, passed.due_ats);
  end if;
end $$;

-- Arms the warnings of exceptions whose clock starts, or that were moved, paused or resumed. Of those that the change itself passes, the nearest
-- only is reported.
create function private.arm_business_warnings(tenants text[], ids text[], starts boolean) returns void
language plpgsql volatile set search_path = '' as $$
declare
  armed text[];
  passed record;
begin
  if not exists (select from public.sla_policies p where p.tenant_id = any (tenants) and p.at_risk_business_thresholds <> '{}') then
    return;
  end if;
  if not starts then
    update private.business_warnings w set at = 'infinity'
    from unnest(tenants, ids) as asked (tenant_id, exception_id)
    join public.exceptions e on e.tenant_id = asked.tenant_id and e.id = asked.exception_id and e.paused_at is not null
    where w.tenant_id = e.tenant_id and w.exception_id = e.id;
    with taken as (
      delete from private.business_warnings w using unnest(tenants, ids) as asked (tenant_id, exception_id)
      join public.exceptions e on e.tenant_id = asked.tenant_id and e.id = asked.exception_id and e.paused_at is null
      where w.tenant_id = e.tenant_id and w.exception_id = e.id
      returning w.*
    )
    select array_agg(t.exception_id || ':' || t.minutes) into armed from taken t;
  end if;
  with placed as materialized (
    select e.tenant_id, e.id, e.due_at, t.minutes, case when e.paused_at is null then private.business_warning_at(e, t.minutes) else 'infinity' end as at
    from unnest(tenants, ids) as asked (tenant_id, exception_id)
    join public.exceptions e on e.tenant_id = asked.tenant_id and e.id = asked.exception_id and e.status in ('open', 'in_review')
    join public.sla_policies p on p.tenant_id = e.tenant_id
    cross join lateral unnest(p.at_risk_business_thresholds) as t (minutes)
    where starts or e.paused_at is null
  ), written as (
    insert into private.business_warnings (tenant_id, exception_id, minutes, at, due_at)
    select p.tenant_id, p.id, p.minutes, p.at, p.due_at from placed p where p.at is not null
  )
  select array_agg(x.tenant_id) as tenants, array_agg(x.id) as ids, array_agg(x.minutes) as minutes, array_agg(x.due_at) as due_ats
  into passed
  from (
    select p.tenant_id, p.id, p.due_at, min(p.minutes) as minutes from placed p
    where p.at is null and p.due_at > now() and (starts or p.id || ':' || p.minutes = any (armed))
    group by p.tenant_id, p.id, p.due_at
  ) x;
  if passed.ids is not null then
    perform private.announce_business_warnings(passed.tenants, passed.ids, passed.minutes, passed.due_ats);
  end if;
end $$;

-- Gives the open exceptions of the caller's tenant the thresholds of its policy that `before` didn't have, and takes away those that it has no more. What is
-- passed already is not reported.
create function private.rearm_business_warnings(before integer[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  thresholds constant integer[] := (select p.at_risk_business_thresholds from public.sla_policies p where p.tenant_id = tenant);
begin
  delete from private.business_warnings w where w.tenant_id = tenant and w.minutes <> all (thresholds);
  insert into private.business_warnings (tenant_id, exception_id, minutes, at, due_at)
  select x.tenant_id, x.id, x.minutes, x.at, x.due_at
  from (
    select e.tenant_id, e.id, e.due_at, t.minutes, private.business_warning_at(e, t.minutes) as at
    from public.exceptions e cross join unnest(thresholds) as t (minutes)
    where e.tenant_id = tenant and e.status in ('open', 'in_review') and e.due_at > now() and t.minutes <> all (before)
  ) x
  where x.at is not null
  on conflict (tenant_id, exception_id, minutes) do nothing;
end $$;

-- Takes up to `batch` warnings whose moment has come. Planned for each batch: a plan kept from when the table was empty would look for each by reading it all.
create function private.take_business_warnings(batch integer) returns setof private.business_warnings
language plpgsql volatile set search_path = '' set plan_cache_mode = force_custom_plan as $$
begin
  return query
  with due as (
    select w.tenant_id, w.exception_id, w.minutes from private.business_warnings w
    where w.at <= now() and w.at < 'infinity' order by w.at limit batch for update skip locked
  )
  delete from private.business_warnings w using due d
  where w.tenant_id = d.tenant_id and w.exception_id = d.exception_id and w.minutes = d.minutes
  returning w.*;
end $$;

-- The worker's part: reports up to `batch` warnings whose moment has come. Answers how many.
create function private.tick_business_warnings(batch integer) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  passed record;
begin
  select array_agg(t.tenant_id) as tenants, array_agg(t.exception_id) as ids, array_agg(t.minutes) as minutes, array_agg(t.due_at) as due_ats
  into passed from private.take_business_warnings(batch) t;
  if passed.ids is null then
    return 0;
  end if;
  perform private.announce_business_warnings(passed.tenants, passed.ids, passed.minutes, passed.due_ats);
  return cardinality(passed.ids);
end $$;

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
    e.title, e.severity, e.assigned_to, private.iso(coalesce(e.held_due_at, e.due_at)), e.status, e.reason_code, e.amount_minor, e.currency, e.reconciliation_id,
    e.details, e.resolution, private.iso(e.closed_at), private.iso(e.paused_at), private.iso(e.paused_until), e.pause_reason
  ));
end $$;

-- The wire form of one, with what its entity tag is made of.
create function private.versioned_exception_json(e public.exceptions) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return private.exception_json(e)::jsonb || jsonb_build_object('version', private.exception_version(e));
end $$;

-- Refuses: invalid_request where the tenant has no such reconciliation.
create function private.require_reconciliation(id text) returns void
language plpgsql stable set search_path = '' as $$
begin
  if id is not null and not exists (select from public.reconciliations r where r.tenant_id = private.tenant_id() and r.id = $1) then
    perform private.refuse_field('reconciliation_id', 'There is no such reconciliation.');
  end if;
end $$;

-- rows: [{ title, severity, … }], the columns a caller may set. Refuses: conflict beyond the quota.
create function private.insert_exceptions(rows jsonb) returns setof public.exceptions
language plpgsql volatile set search_path = '' as $$
begin
  perform private.require_quota('exceptions', jsonb_array_length(rows));
  return query select * from private.change_exceptions_as_asked('create', array(
    select r.value - '{calendar_id,calendar_no,paused_until,pause_reason,resolution}'::text[] from jsonb_array_elements(rows) r
  ));
end $$;

-- input: the columns. Refuses: invalid_request.
create function public.create_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'create_exception');
  created public.exceptions;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_reconciliation(input ->> 'reconciliation_id');
  select * into created from private.insert_exceptions(jsonb_build_array(input));
  return private.answer(request, private.versioned_exception_json(created));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  e public.exceptions;
begin
  perform private.enter(request, 'get_exception');
  e := private.find_exception(input ->> 'id');
  return private.versioned_exception_json(e);
end $$;

-- The columns that a merge patch sets: of details, what it leaves of them.
create function private.patched_columns(before public.exceptions, patch jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return case when patch ? 'details'
    then patch || jsonb_build_object('details', private.merge_patch(before.details, coalesce(nullif(patch -> 'details', 'null'), '{}')))
    else patch end;
end $$;

-- input: { id, patch }, a merge patch of the columns that may change. Refuses: not_found, precondition_failed,
-- invalid_transition, invalid_request; conflict for the deadline of a paused one.
create function public.update_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'update_exception');
  patch jsonb := input -> 'patch';
  before public.exceptions;
  after public.exceptions;
begin
  if kept is not null then
    return kept;
  end if;
  select * into before from private.hold_exceptions(array[input ->> 'id']);
  if not found then
    perform private.refuse_missing('exception');
  end if;
  perform private.require_version(private.exception_version(before), request -> 'versions');
  perform private.require_reconciliation(patch ->> 'reconciliation_id');
  patch := private.patched_columns(before, patch);
  after := jsonb_populate_record(before, patch);
  if after is distinct from before or before.due_from_policy and patch ? 'due_at' then
    select * into after from private.change_exceptions_as_asked('edit', array[patch || jsonb_build_object('id', before.id)]);
  end if;
  return private.answer(request, private.versioned_exception_json(after));
end $$;

-- What a search asks of an exception e, as SQL: each word of q is part of the title or the reason_code; one of exc_ and hexadecimal
-- digits begins the id.
create function private.has_words(q text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  condition text := 'true';
  word text;
begin
  foreach word in array regexp_split_to_array(btrim(lower(q)), '\s+') loop
    condition := condition || case when word ~ '^exc_[0-9a-f]*$' then format(' and e.id >= %L and e.id < %L', word, word || 'g')
      else format(' and lower(e.title || '' '' || coalesce(e.reason_code, '''')) like %L', (private.word_patterns(word))[1]) end;
  end loop;
  return condition;
end $$;

-- All that a filter asks of an exception e, its words included.
create function private.filter_conditions(filters jsonb, as_of timestamptz) returns text
language plpgsql stable set search_path = '' as $$
begin
  return private.exception_conditions(filters, as_of)
    || case when filters ->> 'q' is null then '' else ' and ' || private.has_words(filters ->> 'q') end;
end $$;

-- The ids of those of the tenant's exceptions that a search finds; null where they are more than 5,000: then a look through the list in
-- its order fills a page sooner. Above row-level security, below which no index of words is used: ids alone, of this tenant alone.
create function private.few_with_words(q text) returns text[]
language plpgsql stable security definer set search_path = '' as $$
declare
  most constant integer := 5000;
  ids text[];
begin
  execute format('select array(select e.id from public.exceptions e where e.tenant_id = %L and %s limit %s)',
    private.tenant_id(), private.has_words(q), most + 1) into ids;
  return case when cardinality(ids) <= most then ids end;
end $$;

-- Newest first; with sort_by closed_at the closed ones, last closed first. input: { limit, sort_by, after: [id] or [closed_at, id] | null, q, and the
-- filters of 425_exception_filters.sql }.
create function public.list_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  by_closing constant boolean := input ->> 'sort_by' = 'closed_at';
  sort_key constant text := case when by_closing then 'e.closed_at desc, e.id desc' else 'e.id desc' end;
  conditions text := 'e.tenant_id = private.tenant_id() and ' || private.exception_conditions(input, now());
  few text[];
  items jsonb;
begin
  perform private.enter(request, 'list_exceptions');
  if by_closing then
    conditions := conditions || ' and e.closed_at is not null'
      || case when jsonb_typeof(input -> 'after') = 'array'
        then format(' and (e.closed_at, e.id) < (%L::timestamptz, %L)', input -> 'after' ->> 0, input -> 'after' ->> 1) else '' end;
  elsif input -> 'after' ->> 0 is not null then
    conditions := conditions || format(' and e.id < %L', input -> 'after' ->> 0);
  end if;
  if input ->> 'q' is not null then
    few := private.few_with_words(input ->> 'q');
    conditions := conditions || ' and ' || case when few is null then private.has_words(input ->> 'q') else 'e.id = any ($1)' end;
    -- The planner expects fewer than there are, which it would sort.
    perform set_config('enable_sort', (few is not null)::text, true);
  end if;
  execute format($q$
    select jsonb_agg(private.exception_json(e) order by %s)
    from (select * from public.exceptions e where %s order by %s limit %s) e
  $q$, sort_key, conditions, sort_key, page_size + 1) into items using few;
  return case when by_closing then private.page(items, page_size, 'closed_at', 'id') else private.page(items, page_size, 'id') end;
end $$;

grant execute on function
  private.find_exception(text), private.has_words(text), private.filter_conditions(jsonb, timestamptz), private.few_with_words(text),
  private.exception_version(public.exceptions), private.versioned_exception_json(public.exceptions)
to authenticated;

-- Exceptions of lines that stay open past their source's grace: one for a line alone, one for all lines of a suggestion. Resolved by what settles
-- them, reopened when that is undone. How they are put together: 456_line_exception_groups.sql.

-- The exception that a line has or had in a pair. Written by our functions alone, which have found the line and hold the pair.
create table private.exception_lines (
  tenant_id text not null,
  line_no bigint not null,
  pair_no integer not null,
  exception_id text not null,
  primary key (tenant_id, line_no, pair_no)
);
create index exception_lines_by_exception on private.exception_lines (tenant_id, exception_id);
alter table private.exception_lines enable row level security;
grant select on private.exception_lines to authenticated;
create policy exception_lines_read on private.exception_lines for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));

-- The day so many business days before today as a source's grace lasts: days on which the calendar opens, or of none Monday to Friday.
create function private.last_day_of_grace(s public.sources, calendar text) returns date
language plpgsql stable set search_path = '' as $$
declare
  open_days constant jsonb := private.open_days(s.tenant_id, calendar) -> 'open_days';
  found_day date := (now() at time zone s.time_zone)::date;
  left_over integer := s.grace_days;
  number integer;
begin
  while left_over > 0 loop
    found_day := found_day - 1;
    number := found_day - date '1970-01-01';
    if open_days is null and extract(isodow from found_day) < 6
      or open_days -> 'opened' @> to_jsonb(number)
      or open_days -> 'weekdays' @> to_jsonb(extract(isodow from found_day)::integer) and not open_days -> 'closed' @> to_jsonb(number) then
      left_over := left_over - 1;
    end if;
  end loop;
  return found_day;
end $$;

-- What exceptions are about, each by its place in the arrays: the lines of a suggestion, and this one; no row where none of it is open. { match_id,
-- currency, difference_minor, is_late, lines: [{ line_no, id, side, source, open_minor, value_date, reference, is_free }] }, difference_minor left − right
-- less what the suggestion's adjustments explain, and free what has no exception yet.
create function private.subjects_of_exceptions(r public.reconciliations, suggestions uuid[], line_nos bigint[]) returns table (n bigint, subject jsonb)
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
begin
  return query
  with asked as materialized (
    select a.n, a.suggestion, a.line_no from unnest(suggestions, line_nos) with ordinality a (suggestion, line_no, n)
  ), about as materialized (
    select a.n, m.line_no from asked a join private.members_of(r.tenant_id, suggestions) m on m.match_id = a.suggestion
    union
    select a.n, a.line_no from asked a where a.line_no is not null
  ), open_ones as materialized (
    select x.line_no, x.side, x.currency, x.open_minor, x.value_date from private.open_lines x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.line_no = any (array(select y.line_no from about y)) order by x.line_no
  ), closed as materialized (
    select c.id, c.period_start, c.period_end from public.reconciliations c
    where c.tenant_id = r.tenant_id and c.pair_no = r.pair_no and c.closed_at is not null
  ), late as materialized (
    -- What was there when a period closed was carried. Times of transactions don't say which came first.
    select distinct o.line_no from open_ones o join closed c on o.value_date between c.period_start and c.period_end
    where (
      select k.line_no from public.carried_lines k where k.tenant_id = r.tenant_id and k.reconciliation_id = c.id and k.line_no = o.line_no
    ) is null
  ), explained as materialized (
    select m.id, (select sum((x.adjustment ->> 'amount_minor')::bigint) from jsonb_array_elements(m.adjustments) x (adjustment)) as minor
    from (select x.id, x.adjustments from public.matches x where x.tenant_id = r.tenant_id and x.id = any (suggestions) order by x.id) m
    where m.adjustments <> '[]'
  )
  select a.n, jsonb_build_object('match_id', q.suggestion, 'currency', min(o.currency),
    'difference_minor', greatest(-9007199254740991, least(9007199254740991,
      sum(case o.side when 'left' then o.open_minor else -o.open_minor end) - coalesce(d.minor, 0))),
    'is_late', bool_or(t.line_no is not null),
    'lines', jsonb_agg(jsonb_build_object('line_no', o.line_no, 'id', private.line_id_text(l.id), 'side', o.side, 'source', s.name,
      'open_minor', o.open_minor, 'value_date', o.value_date, 'reference', coalesce(l.reference, l.external_id, l.counterparty),
      'is_free', e.line_no is null) order by o.side, abs(o.open_minor) desc, o.line_no))
  from about a
  join asked q on q.n = a.n
  join open_ones o on o.line_no = a.line_no
  join (
    select * from public.lines x where x.tenant_id = r.tenant_id and x.line_no = any (array(select y.line_no from open_ones y)) order by x.line_no
  ) l on l.line_no = a.line_no
  join public.sources s on s.tenant_id = r.tenant_id and s.source_no = l.source_no
  left join late t on t.line_no = a.line_no
  left join (
    select x.line_no from private.exception_lines x
    where x.tenant_id = r.tenant_id and x.line_no = any (array(select y.line_no from open_ones y)) and x.pair_no = r.pair_no order by x.line_no
  ) e on e.line_no = a.line_no
  left join explained d on d.id = q.suggestion
  group by a.n, q.suggestion, d.minor;
end $$;

-- What exceptions are to be opened about in a period: lines that are open past grace and have none yet, those of a suggestion together. The most money
-- first, at most `most`; `held_back` counts the others. What a person closed has had its look.
create function private.lines_past_grace(tenant text, reconciliation text, most integer, out lines jsonb, out held_back bigint)
language plpgsql stable security definer set search_path = '' set enable_sort = off set enable_nestloop = off as $$
declare
  r public.reconciliations;
begin
  select * into strict r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  -- The last day is looked for once a side, never once a line.
  with due as materialized (
    select case s.source_no when p.left_source_no then 'left' else 'right' end as side,
      private.last_day_of_grace(s, private.policy_of_pair(tenant, r.pair_no) ->> 'calendar_id') as day
    from public.pairs p
    join public.sources s on s.tenant_id = tenant and s.source_no in (p.left_source_no, p.right_source_no)
    where p.tenant_id = tenant and p.pair_no = r.pair_no
  ), past_grace as materialized (
    select o.line_no, abs(o.open_minor) as minor
    from due d
    join private.open_lines o on o.tenant_id = tenant and o.pair_no = r.pair_no and o.side = d.side and o.value_date <= r.period_end
      and o.value_date < d.day
  ), suggested as materialized (
    select m.id, abs(m.residual_minor) as minor from public.matches m
    where m.tenant_id = tenant and m.reconciliation_id = r.id and m.state = 'suggested'
  ), overdue as materialized (
    select g.line_no, g.minor, s.match_id
    from past_grace g
    left join (
      select mm.line_no, (array_agg(mm.match_id order by mm.match_id))[1] as match_id
      from private.members_of(tenant, array(select x.id from suggested x)) mm group by mm.line_no
    ) s on s.line_no = g.line_no
    left join (
      select x.line_no from private.exception_lines x
      where x.tenant_id = tenant and x.line_no = any (array(select y.line_no from past_grace y)) and x.pair_no = r.pair_no order by x.line_no
    ) e on e.line_no = g.line_no
    where e.line_no is null
  ), subjects as materialized (
    select null::uuid as match_id, v.line_no, v.minor from overdue v where v.match_id is null
    union all
    select s.id, min(v.line_no), s.minor from overdue v join suggested s on s.id = v.match_id group by s.id, s.minor
  ), chosen as materialized (
    select * from subjects order by minor desc, line_no limit most
  )
  select coalesce(jsonb_agg(x.subject order by x.n), '[]'), (select count(*) from subjects) - (select count(*) from chosen)
  into lines, held_back
  from private.subjects_of_exceptions(r, array(select c.match_id from chosen c order by c.minor desc, c.line_no),
    array(select c.line_no from chosen c order by c.minor desc, c.line_no)) x;
end $$;

-- rows: [{ match_id, line_nos, title, severity, assigned_to, reason_code, amount_minor, currency, details }], the first of line_nos its own. Those
-- that are settled meanwhile, or have one, are left out. Answers how many were opened. Refuses: conflict where the run was taken up meanwhile.
create function private.open_line_exceptions(tenant text, reconciliation text, run text, attempt integer, rows jsonb) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  r public.reconciliations;
  opened integer;
begin
  r := private.hold_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  with wanted as materialized (
    select x.*, x.line_nos[1] as line_no from jsonb_to_recordset(rows) as x (
      match_id uuid, line_nos bigint[], title text, severity text, assigned_to text, reason_code text, amount_minor bigint, currency text, details jsonb)
    where x.match_id is null
      or exists (select from public.matches m where m.tenant_id = tenant and m.id = x.match_id and m.state = 'suggested')
  ), made as (
    select e.id, e.line_no from private.change_exceptions('create', array(
      select jsonb_build_object('tenant_id', tenant, 'title', x.title, 'severity', x.severity, 'assigned_to', x.assigned_to,
        'reason_code', x.reason_code, 'amount_minor', x.amount_minor, 'currency', x.currency, 'reconciliation_id', r.id, 'details', x.details,
        'pair_no', r.pair_no, 'line_no', l.line_no, 'line_id', l.id, 'suggested_match_id', x.match_id, 'grouped_match_id', x.match_id)
      from wanted x
      join public.lines l on l.tenant_id = tenant and l.line_no = x.line_no
      join private.open_lines o on o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = l.line_no
      where not exists (
        select from private.exception_lines e where e.tenant_id = tenant and e.line_no = x.line_no and e.pair_no = r.pair_no)
    )) e
  ), about as (
    insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id)
    select tenant, n.line_no, r.pair_no, m.id from made m join wanted x on x.line_no = m.line_no cross join unnest(x.line_nos) n (line_no)
    on conflict do nothing
  )
  select count(*) into opened from made;
  return opened;
end $$;

create function private.suggested_of(tenant text, reconciliation text) returns uuid[]
language plpgsql stable set search_path = '' as $$
begin
  return array(select m.id from public.matches m where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'suggested');
end $$;

-- Those of a period's pair that are open, each by its own line.
create function private.open_line_exceptions_of(tenant text, reconciliation text) returns setof public.exceptions
language plpgsql stable set search_path = '' as $$
begin
  return query
  select e.* from public.exceptions e
  where e.tenant_id = tenant and e.line_no is not null and e.status in ('open', 'in_review')
    and e.pair_no = (select r.pair_no from public.reconciliations r where r.tenant_id = tenant and r.id = reconciliation);
end $$;

-- Of exceptions that are open: what the engine would match their line with now. Refuses: conflict where the run was taken up meanwhile.
create function private.point_exceptions_at_suggestions(tenant text, reconciliation text, run text, attempt integer) returns void
language plpgsql volatile security definer set search_path = '' set enable_sort = off set enable_nestloop = off as $$
begin
  perform private.require_attempt(tenant, run, attempt);
  perform private.change_exceptions('edit', array(
    select distinct on (e.id) jsonb_build_object('tenant_id', tenant, 'id', e.id, 'suggested_match_id', s.match_id)
    from private.members_of(tenant, private.suggested_of(tenant, reconciliation)) s
    join private.open_line_exceptions_of(tenant, reconciliation) e on e.line_no = s.line_no and e.suggested_match_id is distinct from s.match_id
  ));
end $$;

-- Of exceptions that point at these suggestions, which are gone.
create function private.forget_suggestions(tenant text, matches uuid[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'suggested_match_id', null)
    from public.exceptions e where e.tenant_id = tenant and e.suggested_match_id = any (matches) order by e.id for no key update
  ));
end $$;

-- Whether anything is open of what an exception is about.
create function private.has_open_lines(e public.exceptions) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from (
      select x.line_no, x.pair_no from private.exception_lines x where x.tenant_id = e.tenant_id and x.exception_id = e.id offset 0
    ) x cross join lateral (
      select from private.open_lines o where o.tenant_id = e.tenant_id and o.pair_no = x.pair_no and o.line_no = x.line_no offset 0
    ) o
  );
end $$;

-- The exceptions that these lines have or had, each once.
create function private.exceptions_of_lines(tenant text, pair integer, line_nos bigint[]) returns text[]
language plpgsql stable set search_path = '' as $$
begin
  return array(
    select distinct x.exception_id from private.exception_lines x
    where x.tenant_id = tenant and x.line_no = any (line_nos) and x.pair_no = pair);
end $$;

-- Resolves the open exceptions of lines, where nothing is open any more of all that they are about.
create function private.resolve_line_exceptions(tenant text, pair integer, line_nos bigint[], resolution text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'status', 'resolved', 'resolution', resolve_line_exceptions.resolution,
      'resolved_by_matching', true, 'suggested_match_id', null)
    from public.exceptions e
    where e.tenant_id = tenant and e.id = any ((select private.exceptions_of_lines(tenant, pair, line_nos))::text[]) and e.status in ('open', 'in_review')
      and not private.has_open_lines(e)
    order by e.id for no key update
  ));
end $$;

-- The exceptions that lines of matches have or had, each with the first of these matches.
create function private.exceptions_of_matches(tenant text, pair integer, matches uuid[]) returns table (exception_id text, match_id uuid)
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
begin
  return query
  with members as materialized (select m.match_id, m.line_no from private.members_of(tenant, matches) m)
  select e.exception_id, (array_agg(m.match_id order by m.match_id))[1]
  from members m join (
    select x.line_no, x.exception_id from private.exception_lines x
    where x.tenant_id = tenant and x.line_no = any (array(select y.line_no from members y)) and x.pair_no = pair order by x.line_no
  ) e on e.line_no = m.line_no
  group by e.exception_id;
end $$;

-- The same for the lines of matches, each by its own; of several the first.
create function private.resolve_matched_exceptions(tenant text, pair integer, matches uuid[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'status', 'resolved', 'resolution', format('Matched by %s.', private.match_id_text(x.match_id)),
      'resolved_by_matching', true, 'suggested_match_id', null)
    from private.exceptions_of_matches(tenant, pair, matches) x
    join public.exceptions e on e.tenant_id = tenant and e.id = x.exception_id
    where e.status in ('open', 'in_review') and not private.has_open_lines(e)
    order by e.id for no key update of e
  ));
end $$;

-- Reopens what matching had resolved of lines that are open again.
create function private.reopen_line_exceptions(tenant text, pair integer, line_nos bigint[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'status', 'open', 'resolved_by_matching', false)
    from public.exceptions e
    where e.tenant_id = tenant and e.id = any ((select private.exceptions_of_lines(tenant, pair, line_nos))::text[]) and e.status = 'resolved'
      and e.resolved_by_matching and private.has_open_lines(e)
    order by e.id for no key update
  ));
end $$;

grant execute on function
  private.lines_past_grace(text, text, integer), private.open_line_exceptions(text, text, text, integer, jsonb),
  private.point_exceptions_at_suggestions(text, text, text, integer)
to service_role;

-- Exceptions put together and apart: lines of one suggestion are one exception over their difference, so that no money is at risk twice. Without
-- the suggestion each line is one of its own again.

-- Whether somebody gave an exception its title: it stays, as a run's would not.
create function private.has_own_title(tenant text, given_id text) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from public.exception_history h
    where h.tenant_id = tenant and h.exception_id = given_id and h.kind = 'updated' and h.changes ? 'title' and h.actor <> 'system'
  );
end $$;

-- Open exceptions that are about other lines than a run left them with: of the lines of a suggestion the oldest, before it one with a title that
-- somebody gave, with those to merge into it; of those whose suggestion is gone each, about one line that is open.
-- [{ exception_id, merged, line_no, severity, amount_minor, … }], as subjects_of_exceptions; line_no: the exception's own line.
create function private.exceptions_to_regroup(tenant text, reconciliation text) returns jsonb
language plpgsql stable security definer set search_path = '' set enable_sort = off set enable_nestloop = off as $$
declare
  r public.reconciliations;
begin
  select * into strict r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  return (
    with held as materialized (
      select mm.match_id, e.id as exception_id, e.line_no, e.grouped_match_id
      from private.members_of(tenant, private.suggested_of(tenant, r.id)) mm
      join private.open_line_exceptions_of(tenant, r.id) e on e.line_no = mm.line_no
    ), put_together as (
      select h.match_id, array_agg(h.exception_id order by h.exception_id) as ids, array_agg(h.line_no order by h.exception_id) as line_nos
      from held h group by h.match_id
      having count(*) > 1 or bool_or(h.grouped_match_id is distinct from h.match_id)
    ), grouped as materialized (
      select e.id, e.line_no, e.grouped_match_id from public.exceptions e
      where e.tenant_id = tenant and e.pair_no = r.pair_no and e.grouped_match_id is not null and e.status in ('open', 'in_review')
    ), left_over as materialized (
      select g.id, g.line_no from grouped g
      left join (
        select x.id from public.matches x
        where x.tenant_id = tenant and x.id = any (array(select y.grouped_match_id from grouped y)) and x.state = 'suggested' order by x.id
      ) m on m.id = g.grouped_match_id
      where m.id is null
    ), changed as (
      select o.ids[1] as exception_id, o.ids[2:] as merged, o.line_nos[1] as line_no, p.match_id
      from put_together p cross join lateral (
        select array_agg(i.id order by t.is_own desc, i.id) as ids, array_agg(i.line_no order by t.is_own desc, i.id) as line_nos
        from unnest(p.ids, p.line_nos) i (id, line_no) cross join lateral (select private.has_own_title(tenant, i.id) as is_own) t
      ) o
      union all
      select p.id, '{}', o.line_no, null
      from left_over p cross join lateral (
        select x.line_no from private.exception_lines x cross join lateral (
          select abs(y.open_minor) as minor from private.open_lines y
          where y.tenant_id = tenant and y.pair_no = r.pair_no and y.line_no = x.line_no and y.value_date <= r.period_end offset 0
        ) o
        where x.tenant_id = tenant and x.exception_id = p.id
        order by x.line_no <> p.line_no, o.minor desc, x.line_no limit 1
      ) o
      where not exists (select from held h where h.exception_id = p.id)
    ), numbered as materialized (
      select row_number() over () as n, c.* from changed c
    )
    select coalesce(jsonb_agg(x.subject || jsonb_build_object('exception_id', c.exception_id, 'merged', c.merged, 'line_no', c.line_no,
      'severity', e.severity, 'amount_minor', e.amount_minor) order by c.exception_id), '[]')
    -- A suggestion has its lines itself.
    from private.subjects_of_exceptions(r, array(select y.match_id from numbered y order by y.n),
      array(select case when y.match_id is null then y.line_no end from numbered y order by y.n)) x
    join numbered c on c.n = x.n
    join public.exceptions e on e.tenant_id = tenant and e.id = c.exception_id
  );
end $$;

-- rows: [{ exception_id, merged, match_id, line_nos, title, severity, reason_code, amount_minor, currency, details }], the first of line_nos its own.
-- What a person closed, settled or decided meanwhile stays as it is, and a title that somebody gave. Refuses: conflict where the run was taken up meanwhile.
create function private.regroup_exceptions(tenant text, reconciliation text, run text, attempt integer, rows jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  r public.reconciliations;
  x record;
begin
  r := private.hold_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  for x in
    select * from jsonb_to_recordset(rows) as s (exception_id text, merged text[], match_id uuid, line_nos bigint[], title text, severity text,
      reason_code text, amount_minor bigint, currency text, details jsonb)
  loop
    -- Somebody may have settled or decided it since the run looked. The next run looks again.
    continue when not exists (select from private.open_lines o where o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = x.line_nos[1])
      or x.match_id is not null and not exists (
        select from public.matches m where m.tenant_id = tenant and m.id = x.match_id and m.state = 'suggested'
      );
    perform private.change_exceptions('edit', array(
      select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'title', case when private.has_own_title(tenant, e.id) then e.title else x.title end,
        'severity', x.severity, 'reason_code', x.reason_code, 'amount_minor', x.amount_minor, 'currency', x.currency,
        'details', e.details - 'lines' - 'side' || x.details, 'line_no', l.line_no, 'line_id', l.id,
        'suggested_match_id', x.match_id, 'grouped_match_id', x.match_id)
      from public.lines l join public.exceptions e on e.tenant_id = tenant and e.id = x.exception_id and e.status in ('open', 'in_review')
      where l.tenant_id = tenant and l.line_no = x.line_nos[1] for no key update of e
    ));
    continue when not found;
    -- Without a line of its own it is no line's any more, whoever reopens it.
    perform private.change_exceptions('edit', array(
      select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'status', 'resolved', 'line_no', null, 'suggested_match_id', null,
        'grouped_match_id', null, 'resolution', format('Merged into %s: a match is suggested for the lines of both.', x.exception_id))
      from public.exceptions e where e.tenant_id = tenant and e.id = any (x.merged) and e.status in ('open', 'in_review')
      order by e.id for no key update
    ));
    delete from private.exception_lines y where y.tenant_id = tenant and y.exception_id = any (x.merged || x.exception_id);
    insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id)
    select tenant, n.line_no, r.pair_no, x.exception_id from unnest(x.line_nos) n (line_no)
    on conflict do nothing;
  end loop;
end $$;

grant execute on function private.exceptions_to_regroup(text, text), private.regroup_exceptions(text, text, text, integer, jsonb) to service_role;

-- Pauses over the wire, one at a time.

-- The exception of the caller's tenant, locked, a pause ended that is over. Refuses: not_found.
create function private.hold_exception(id text) returns public.exceptions
language plpgsql volatile set search_path = '' as $$
declare
  e public.exceptions;
begin
  select * into e from private.hold_exceptions(array[hold_exception.id]);
  if not found then
    perform private.refuse_missing('exception');
  elsif e.paused_until <= now() then
    select * into e from private.change_exceptions_as_asked('resume', array[jsonb_build_object('id', e.id)]);
  end if;
  return e;
end $$;

-- Refuses: invalid_request for an end that has passed, or is later than the policy allows.
create function private.require_pause_end(until timestamptz, p public.sla_policies) returns void
language plpgsql stable set search_path = '' as $$
begin
  if until <= now() then
    perform private.refuse_field('until', 'Must be in the future.');
  elsif until > now() + make_interval(mins => p.pause_max_minutes) then
    perform private.refuse_field('until', format('The SLA policy allows pauses of at most %s minutes.', p.pause_max_minutes));
  end if;
end $$;

-- input: { id, reason, until }. Refuses: not_found, invalid_request, conflict.
create function public.pause_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'pause_exception');
  e public.exceptions;
  p public.sla_policies;
  fault text;
begin
  if kept is not null then
    return kept;
  end if;
  e := private.hold_exception(input ->> 'id');
  select * into p from public.sla_policies x where x.tenant_id = e.tenant_id;
  perform private.require_pause_end((input ->> 'until')::timestamptz, p);
  fault := private.pause_fault(e, p);
  if fault is not null then
    perform private.refuse('conflict', fault);
  end if;
  select * into e from private.change_exceptions_as_asked('pause', array[
    jsonb_build_object('id', e.id, 'paused_until', input -> 'until', 'pause_reason', input -> 'reason')]);
  return private.answer(request, private.versioned_exception_json(e));
end $$;

-- input: { id }. Refuses: not_found, conflict.
create function public.resume_exception(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'resume_exception');
  e public.exceptions;
begin
  if kept is not null then
    return kept;
  end if;
  e := private.hold_exception(input ->> 'id');
  if e.paused_at is null then
    perform private.refuse('conflict', 'It is not paused.');
  end if;
  select * into e from private.change_exceptions_as_asked('resume', array[jsonb_build_object('id', e.id)]);
  return private.answer(request, private.versioned_exception_json(e));
end $$;

-- Many exceptions at once: a bulk change, all or nothing, and an import, line by line.

-- Open exceptions of the caller's tenant that a filter matches, in the order of their ids.
create function private.matching_exceptions(filters jsonb, after text, most integer) returns text[]
language plpgsql stable set search_path = '' as $$
declare
  ids text[];
begin
  execute format($q$select array(select e.id from public.exceptions e where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
    and e.id > %L and %s order by e.id limit %s)$q$, coalesce(after, ''), private.filter_conditions(filters, now()), most) into ids;
  return ids;
end $$;

-- What a bulk change by filter leaves as it is: refused as { path: ids.<place>, message }.
create function private.skipped_exceptions(ids text[], refused jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(jsonb_build_object('id', e.id, 'title', e.title, 'message', r ->> 'message') order by e.id)
    from jsonb_array_elements(refused) r
    join public.exceptions e on e.tenant_id = private.tenant_id() and e.id = ids[substr(r ->> 'path', 5)::integer + 1]
  );
end $$;
create function private.not_skipped(ids text[], refused jsonb) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select i.id from unnest(ids) with ordinality as i (id, n)
    where not exists (select from jsonb_array_elements(refused) r where r ->> 'path' = 'ids.' || (i.n - 1)) order by i.n);
end $$;

-- input: { ids, and one of patch, pause: { reason, until }, resume: true }, at most 500: all of them or none. Or in place of ids { filter,
-- expected_count, after: [id] | null }: the next 500 that match; those that can't be changed are skipped and named. Refuses: not_found,
-- invalid_transition and conflict with the place of each in ids, invalid_request; conflict where other than expected_count match. Records:
-- exceptions.bulk_updated.
create function public.update_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'update_exceptions');
  tenant constant text := private.tenant_id();
  patch constant jsonb := coalesce(input -> 'patch', '{}');
  pause constant jsonb := input -> 'pause';
  p public.sla_policies;
  by_filter constant boolean := input ? 'filter';
  batch constant integer := 500;
  ids text[] := private.text_array(input -> 'ids');
  next_id text;
  matching bigint;
  refused jsonb;
  skipped jsonb := '[]';
  act text;
  columns jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  if by_filter then
    if jsonb_typeof(input -> 'after') is distinct from 'array' then
      matching := private.count_of_view(input -> 'filter');
      if matching <> (input ->> 'expected_count')::bigint then
        perform private.refuse('conflict', format('%s match now, not %s. Check them and send the new expected_count. Nothing was changed.',
          matching, input ->> 'expected_count'));
      end if;
    end if;
    ids := private.matching_exceptions(input -> 'filter', input -> 'after' ->> 0, batch + 1);
    if cardinality(ids) > batch then
      ids := ids[:batch];
      next_id := ids[batch];
    end if;
  end if;
  perform private.hold_exceptions(ids);
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
  if refused is not null and by_filter then
    skipped := private.skipped_exceptions(ids, refused);
    ids := private.not_skipped(ids, refused);
  elsif refused is not null then
    perform private.refuse('invalid_transition', 'Some of these exceptions cannot move to that status. Nothing was changed.', refused);
  end if;
  if pause is not null or input ? 'resume' then
    perform private.change_exceptions_as_asked('resume', array(
      select jsonb_build_object('id', e.id) from public.exceptions e where e.tenant_id = tenant and e.id = any (ids) and e.paused_until <= now()
    ));
    select * into p from public.sla_policies x where x.tenant_id = tenant;
    perform private.require_pause_end((pause ->> 'until')::timestamptz, p);
    select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', f.fault) order by i.n) into refused
    from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.tenant_id = tenant and e.id = i.id
    cross join lateral (
      select case when pause is not null then private.pause_fault(e, p) when e.paused_at is null then 'It is not paused.' end
    ) f (fault)
    where f.fault is not null;
    if refused is not null and by_filter then
      skipped := private.skipped_exceptions(ids, refused);
      ids := private.not_skipped(ids, refused);
    elsif refused is not null then
      perform private.refuse('conflict', format('Some of these exceptions cannot be %s. Nothing was changed.',
        case when pause is not null then 'paused' else 'resumed' end), refused);
    end if;
  end if;
  act := case when pause is not null then 'pause' when input ? 'resume' then 'resume' else 'edit' end;
  columns := case act when 'pause' then jsonb_build_object('paused_until', pause -> 'until', 'pause_reason', pause -> 'reason') else patch end;
  perform private.change_exceptions_as_asked(act, array(select columns || jsonb_build_object('id', i.id) from unnest(ids) i (id)));
  perform private.record_security_event('exceptions.bulk_updated', null, null, jsonb_build_object('count', cardinality(ids)) || (input - '{ids,after}'::text[]));
  return private.answer(request, jsonb_build_object(
    'updated', cardinality(ids), 'skipped', skipped, 'next', case when next_id is not null then jsonb_build_array(next_id) end,
    'items', (
      select coalesce(jsonb_agg(private.exception_json(e) order by i.n), '[]')
      from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.tenant_id = tenant and e.id = i.id
    )
  ));
end $$;

-- input: { rows: [{ line, …columns }] }. Rows that name an unknown reconciliation are refused by line, the others are created. Each
-- batch of an import is a change of its own. Records: exceptions.imported.
create function public.import_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
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

-- Exception counters: how many are open and what money they hold, by deadline, assignee and reconciliation; and what was breached and closed in each
-- hour. Kept in the transaction of each change, so that a page of sums costs as much with a million exceptions as with ten.
--
-- Rows of a shard are written by one process after another, which its row of private.sla_counts sees to, so that none waits for another's. Shard 0
-- holds what the worker has folded.

-- `due_from`: the UTC hour of the deadline; infinity: paused; -infinity: of deadlines that passed in an hour before. Empty: nobody, no amount.
create table private.open_by_deadline (
  tenant_id text not null,
  due_from timestamptz not null,
  assigned_to text not null,
  currency text not null,
  shard integer not null,
  open_count bigint not null,
  amount_minor numeric not null,
  primary key (tenant_id, due_from, assigned_to, currency, shard)
) with (fillfactor = 70);
create index open_by_deadline_unfolded on private.open_by_deadline (tenant_id) where shard <> 0;

-- The same of all deadlines together.
create table private.open_by_assignee (
  tenant_id text not null,
  assigned_to text not null,
  currency text not null,
  shard integer not null,
  open_count bigint not null,
  amount_minor numeric not null,
  primary key (tenant_id, assigned_to, currency, shard)
) with (fillfactor = 70);
create index open_by_assignee_unfolded on private.open_by_assignee (tenant_id) where shard <> 0;

create table private.open_by_reconciliation (
  tenant_id text not null,
  reconciliation_id text not null,
  currency text not null,
  shard integer not null,
  open_count bigint not null,
  amount_minor numeric not null,
  primary key (tenant_id, reconciliation_id, currency, shard)
) with (fillfactor = 70);
create index open_by_reconciliation_unfolded on private.open_by_reconciliation (tenant_id) where shard <> 0;

-- Exceptions, by the ledger: each at most once a UTC day, however often it was reopened.
create table private.exception_hours (
  tenant_id text not null,
  hour timestamptz not null,
  shard integer not null,
  breached_count bigint not null,
  closed_count bigint not null,
  primary key (tenant_id, hour, shard)
) with (fillfactor = 70);

alter table private.open_by_deadline enable row level security;
alter table private.open_by_assignee enable row level security;
alter table private.open_by_reconciliation enable row level security;
alter table private.exception_hours enable row level security;

-- Adds exceptions to the counters: `signs` are 1 for what is open now, -1 for what was before.
create function private.count_open(
  tenants text[], due_ats timestamptz[], assignees text[], reconciliations text[], currencies text[], amounts bigint[], signs integer[]
) returns void
language plpgsql volatile set search_path = '' as $$
declare
  own constant integer := private.own_shard();
begin
  perform from private.sla_counts c where c.tenant_id = any (tenants) and c.shard = own order by c.tenant_id for update;
  with changed as materialized (
    select c.tenant_id, date_trunc('hour', c.due_at, 'UTC') as due_from, coalesce(c.assigned_to, '') as assigned_to,
      coalesce(c.reconciliation_id, '') as reconciliation_id, coalesce(c.currency, '') as currency, c.sign,
      c.sign * coalesce(c.amount_minor, 0)::numeric as minor
    from unnest(tenants, due_ats, assignees, reconciliations, currencies, amounts, signs)
      as c (tenant_id, due_at, assigned_to, reconciliation_id, currency, amount_minor, sign)
  ), by_deadline as (
    insert into private.open_by_deadline as o (tenant_id, due_from, assigned_to, currency, shard, open_count, amount_minor)
    select c.tenant_id, c.due_from, c.assigned_to, c.currency, own, sum(c.sign), sum(c.minor)
    from changed c group by 1, 2, 3, 4 having sum(c.sign) <> 0 or sum(c.minor) <> 0 order by 1, 2, 3, 4
    on conflict on constraint open_by_deadline_pkey do update set
      open_count = o.open_count + excluded.open_count, amount_minor = o.amount_minor + excluded.amount_minor
  ), by_assignee as (
    insert into private.open_by_assignee as o (tenant_id, assigned_to, currency, shard, open_count, amount_minor)
    select c.tenant_id, c.assigned_to, c.currency, own, sum(c.sign), sum(c.minor)
    from changed c group by 1, 2, 3 having sum(c.sign) <> 0 or sum(c.minor) <> 0 order by 1, 2, 3
    on conflict on constraint open_by_assignee_pkey do update set
      open_count = o.open_count + excluded.open_count, amount_minor = o.amount_minor + excluded.amount_minor
  )
  insert into private.open_by_reconciliation as o (tenant_id, reconciliation_id, currency, shard, open_count, amount_minor)
  select c.tenant_id, c.reconciliation_id, c.currency, own, sum(c.sign), sum(c.minor)
  from changed c group by 1, 2, 3 having sum(c.sign) <> 0 or sum(c.minor) <> 0 order by 1, 2, 3
  on conflict on constraint open_by_reconciliation_pkey do update set
    open_count = o.open_count + excluded.open_count, amount_minor = o.amount_minor + excluded.amount_minor;
end $$;

-- Counts changed exceptions. After keep_clocks, which takes the row of the shard first.
create function private.keep_counters(made private.exception_change[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  c record;
begin
  with changed as (
    select m.before, m.after
    from unnest(made) m cross join lateral (select (m.before).*) o cross join lateral (select (m.after).*) n
    where (o.status in ('open', 'in_review'), o.due_at, o.assigned_to, o.reconciliation_id, o.currency, o.amount_minor)
      is distinct from (n.status in ('open', 'in_review'), n.due_at, n.assigned_to, n.reconciliation_id, n.currency, n.amount_minor)
  )
  select array_agg(x.tenant_id) as tenants, array_agg(x.due_at) as due_ats, array_agg(x.assigned_to) as assignees,
    array_agg(x.reconciliation_id) as reconciliations, array_agg(x.currency) as currencies, array_agg(x.amount_minor) as amounts,
    array_agg(x.sign) as signs
  into c
  from (select (before).*, -1 as sign from changed union all select (after).*, 1 from changed) x
  where x.status in ('open', 'in_review');
  if c.tenants is not null then
    perform private.count_open(c.tenants, c.due_ats, c.assignees, c.reconciliations, c.currencies, c.amounts, c.signs);
  end if;
end $$;

create function private.is_breach(kind text, threshold_minutes integer) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return kind = 'crossed' and threshold_minutes = 0;
end $$;

create function private.count_ledger_rows() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into private.exception_hours as h (tenant_id, hour, shard, breached_count, closed_count)
  select l.tenant_id, date_trunc('hour', l.at, 'UTC'), private.own_shard(),
    count(*) filter (where l.kind = 'crossed'), count(*) filter (where l.kind <> 'crossed')
  from written l
  where (private.is_breach(l.kind, l.threshold_minutes) or l.kind in ('resolved', 'dismissed')) and not exists (
    select from public.exception_ledger x
    where x.tenant_id = l.tenant_id and x.exception_id = l.exception_id and x.id < l.id and x.at >= date_trunc('day', l.at, 'UTC')
      and case when l.kind = 'crossed' then private.is_breach(x.kind, x.threshold_minutes) else x.kind in ('resolved', 'dismissed') end
  )
  group by 1, 2 order by 1, 2
  on conflict on constraint exception_hours_pkey do update set
    breached_count = h.breached_count + excluded.breached_count, closed_count = h.closed_count + excluded.closed_count;
  return null;
end $$;
create trigger count_written after insert on public.exception_ledger
  referencing new table as written for each statement execute function private.count_ledger_rows();

-- Folds shards into one, and what has passed into one row; forgets hours after 31 days. Answers how many rows it took in
-- where that was a whole batch, else 0. One at a time: of the rows of shard 0 there is then no second writer.
create function private.fold_exception_counters(batch integer default 10000) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  this_hour constant timestamptz := date_trunc('hour', now(), 'UTC');
  deadlines integer;
  assignees integer;
  reconciliations integer;
  hours integer;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('fold_exception_counters', 0)) then
    return 0;
  end if;
  with gone as (
    delete from private.open_by_deadline d where d.ctid = any (array(
      select x.ctid from private.open_by_deadline x
      where x.shard <> 0 or (x.due_from < this_hour and x.due_from > '-infinity') limit batch for update skip locked
    )) returning d.*
  ), folded as (
    insert into private.open_by_deadline as o (tenant_id, due_from, assigned_to, currency, shard, open_count, amount_minor)
    select g.tenant_id, case when g.due_from < this_hour then '-infinity' else g.due_from end, g.assigned_to, g.currency, 0,
      sum(g.open_count), sum(g.amount_minor)
    from gone g group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict on constraint open_by_deadline_pkey do update set
      open_count = o.open_count + excluded.open_count, amount_minor = o.amount_minor + excluded.amount_minor
  )
  select count(*) into deadlines from gone;
  with gone as (
    delete from private.open_by_assignee d where d.ctid = any (array(
      select x.ctid from private.open_by_assignee x where x.shard <> 0 limit batch for update skip locked
    )) returning d.*
  ), folded as (
    insert into private.open_by_assignee as o (tenant_id, assigned_to, currency, shard, open_count, amount_minor)
    select g.tenant_id, g.assigned_to, g.currency, 0, sum(g.open_count), sum(g.amount_minor) from gone g group by 1, 2, 3 order by 1, 2, 3
    on conflict on constraint open_by_assignee_pkey do update set
      open_count = o.open_count + excluded.open_count, amount_minor = o.amount_minor + excluded.amount_minor
  )
  select count(*) into assignees from gone;
  with gone as (
    delete from private.open_by_reconciliation d where d.ctid = any (array(
      select x.ctid from private.open_by_reconciliation x where x.shard <> 0 limit batch for update skip locked
    )) returning d.*
  ), folded as (
    insert into private.open_by_reconciliation as o (tenant_id, reconciliation_id, currency, shard, open_count, amount_minor)
    select g.tenant_id, g.reconciliation_id, g.currency, 0, sum(g.open_count), sum(g.amount_minor) from gone g group by 1, 2, 3 order by 1, 2, 3
    on conflict on constraint open_by_reconciliation_pkey do update set
      open_count = o.open_count + excluded.open_count, amount_minor = o.amount_minor + excluded.amount_minor
  )
  select count(*) into reconciliations from gone;
  with gone as (
    delete from private.exception_hours d where d.ctid = any (array(
      select x.ctid from private.exception_hours x
      where x.shard <> 0 and x.hour < this_hour or x.hour < now() - interval '31 days' limit batch for update skip locked
    )) returning d.*
  ), folded as (
    insert into private.exception_hours as o (tenant_id, hour, shard, breached_count, closed_count)
    select g.tenant_id, g.hour, 0, sum(g.breached_count), sum(g.closed_count)
    from gone g where g.hour >= now() - interval '31 days' group by 1, 2 order by 1, 2
    on conflict on constraint exception_hours_pkey do update set
      breached_count = o.breached_count + excluded.breached_count, closed_count = o.closed_count + excluded.closed_count
  )
  select count(*) into hours from gone;
  delete from private.open_by_deadline d where d.shard = 0 and d.open_count = 0 and d.amount_minor = 0;
  delete from private.open_by_assignee d where d.shard = 0 and d.open_count = 0 and d.amount_minor = 0;
  delete from private.open_by_reconciliation d where d.shard = 0 and d.open_count = 0 and d.amount_minor = 0;
  return case when greatest(deadlines, assignees, reconciliations, hours) >= batch then deadlines + assignees + reconciliations + hours else 0 end;
end $$;

-- Counts anew what there is. For a database whose exceptions are older than the counters, and for what changed the ledger by hand.
create function private.recount_exceptions() returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  lock table public.exceptions, public.exception_ledger in share row exclusive mode;
  delete from private.open_by_deadline;
  insert into private.open_by_deadline (tenant_id, due_from, assigned_to, currency, shard, open_count, amount_minor)
  select e.tenant_id, date_trunc('hour', e.due_at, 'UTC'), coalesce(e.assigned_to, ''), coalesce(e.currency, ''), 0, count(*), coalesce(sum(e.amount_minor), 0)
  from public.exceptions e where e.status in ('open', 'in_review') group by 1, 2, 3, 4;
  delete from private.open_by_assignee;
  insert into private.open_by_assignee (tenant_id, assigned_to, currency, shard, open_count, amount_minor)
  select o.tenant_id, o.assigned_to, o.currency, 0, sum(o.open_count), sum(o.amount_minor) from private.open_by_deadline o group by 1, 2, 3;
  delete from private.open_by_reconciliation;
  insert into private.open_by_reconciliation (tenant_id, reconciliation_id, currency, shard, open_count, amount_minor)
  select e.tenant_id, coalesce(e.reconciliation_id, ''), coalesce(e.currency, ''), 0, count(*), coalesce(sum(e.amount_minor), 0)
  from public.exceptions e where e.status in ('open', 'in_review') group by 1, 2, 3;
  delete from private.exception_hours;
  insert into private.exception_hours (tenant_id, hour, shard, breached_count, closed_count)
  select x.tenant_id, x.hour, 0, count(*) filter (where x.is_breach), count(*) filter (where not x.is_breach)
  from (
    select distinct on (l.tenant_id, l.exception_id, l.kind = 'crossed', date_trunc('day', l.at, 'UTC'))
      l.tenant_id, date_trunc('hour', l.at, 'UTC') as hour, l.kind = 'crossed' as is_breach
    from public.exception_ledger l
    where l.at >= now() - interval '31 days' and (private.is_breach(l.kind, l.threshold_minutes) or l.kind in ('resolved', 'dismissed'))
    order by l.tenant_id, l.exception_id, l.kind = 'crossed', date_trunc('day', l.at, 'UTC'), l.at
  ) x
  group by 1, 2;
end $$;

grant execute on function private.fold_exception_counters(integer) to service_role;

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

-- The conditions of what comes after a cursor [rank, due_at, id], each of them one range of an index by (ranked_by, due_at, id). Those
-- assigned to nobody, or without an amount, come last, and null is greater than nothing.
create function private.stretches_after(sort_by text, after jsonb) returns text[]
language plpgsql immutable set search_path = '' as $$
declare
  later constant text := format('%L::timestamptz, %L', after ->> 1, after ->> 2);
  currency constant text := quote_literal(substr(after ->> 0, 2, 3));
  amount bigint;
begin
  if jsonb_typeof(after) is distinct from 'array' then
    return array['true'];
  elsif sort_by = 'severity' then
    return array[format('(e.severity_rank, e.due_at, e.id) > (%L::smallint, %s)', after ->> 0, later)];
  elsif sort_by = 'assigned_to' and after ->> 0 <> '1' then
    return array[format('(e.assigned_to, e.due_at, e.id) > (%L, %s)', substr(after ->> 0, 2), later), 'e.assigned_to is null'];
  elsif sort_by = 'amount' and after ->> 0 <> '1' then
    amount := private.amount_of_rank(after ->> 0);
    return array[
      format('e.currency = %s and e.amount_minor = %s and (e.due_at, e.id) > (%s)', currency, amount, later),
      format('e.currency = %s and e.amount_minor < %s', currency, amount), format('e.currency > %s', currency), 'e.currency is null'];
  end if;
  return array[concat_ws(' and ', case sort_by when 'assigned_to' then 'e.assigned_to is null' when 'amount' then 'e.currency is null' end,
    format('(e.due_at, e.id) > (%s)', later))];
end $$;

-- The place of an amount in the order by currency, then the largest first, as a text; and the amount again.
create function private.amount_rank(currency text, amount_minor bigint) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return coalesce('0' || currency || lpad((9223372036854775807 - amount_minor)::text, 19, '0'), '1');
end $$;
create function private.amount_of_rank(rank text) returns bigint
language plpgsql immutable set search_path = '' as $$
begin
  return (9223372036854775807 - substr(rank, 5)::numeric)::bigint;
end $$;

-- Several values of a filter as stretches, each of them a range of an index by (value, due_at, id), so that their union is merged and not all of them
-- sorted. Of one filter alone: another's stay conditions.
create function private.stretches_of(input jsonb, as_of timestamptz) returns text[]
language plpgsql stable set search_path = '' as $$
declare
  risks constant text[] := private.risk_ranges(private.text_array(input -> 'breach_risk'), as_of);
  filter text;
begin
  if input ->> 'sort_by' in ('due_at', 'breach_risk') then
    foreach filter in array '{assigned_to,reconciliation_id,reason_code,severity}'::text[] loop
      if cardinality(private.text_array(input -> filter)) > 1 then
        return array(select private.exception_condition(filter, jsonb_build_object(filter, jsonb_build_array(v)), as_of)
          from (select distinct case when filter = 'assigned_to' and v = 'me' then private.actor() else v end
            from unnest(private.text_array(input -> filter)) v) d (v));
      end if;
    end loop;
    if cardinality(risks) > 1 then
      return risks;
    end if;
  end if;
  return array['true'];
end $$;

-- The open exceptions that come next by deadline, whatever they are: what a board without filters shows, the most frequent of lists, by a plan that is
-- kept. One more than `most` are items where there are more; last_due_at and last_id are of the last before it.
create function private.next_by_deadline(
  after_due_at timestamptz, after_id text, most integer, as_of timestamptz, out items json[], out last_due_at timestamptz, out last_id text
)
language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
declare
  tenant constant text := private.tenant_id();
begin
  select array_agg(p.item), (array_agg(p.due_at))[most], (array_agg(p.id))[most] into items, last_due_at, last_id
  from (
    select private.exception_json(e, as_of) as item, e.due_at, e.id from public.exceptions e
    where e.tenant_id = tenant and e.status in ('open', 'in_review') and (e.due_at, e.id) > (after_due_at, after_id)
    order by e.due_at, e.id limit most + 1
  ) p;
end $$;

-- input: { sort_by, limit, after: [rank, due_at, id] | null, within_minutes, q, and the filters of 425_exception_filters.sql }.
-- The risk falls as the deadline recedes, so sorting by breach_risk is sorting by due_at. Amounts of different currencies don't compare, so that
-- sorting by amount is by currency first.
create function public.list_sla_exceptions(input jsonb, request jsonb) returns json
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  as_of constant timestamptz(3) := now();
  page_size constant integer := (input ->> 'limit')::integer;
  sort_by constant text := input ->> 'sort_by';
  sort_key constant text := concat_ws(', ', case sort_by when 'severity' then 'e.severity_rank' when 'assigned_to' then 'e.assigned_to'
    when 'amount' then 'e.currency, e.amount_minor desc' end, 'e.due_at', 'e.id');
  -- As a cursor says it: nobody comes last.
  rank constant text := case sort_by
    when 'severity' then 'e.severity_rank::text' when 'assigned_to' then $q$coalesce('0' || e.assigned_to, '1')$q$
    when 'amount' then 'private.amount_rank(e.currency, e.amount_minor)' else $q$''::text$q$
  end;
  conditions text := $q$e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')$q$;
  few text[];
  items json[];
  last_rank text := '';
  last_due_at timestamptz;
  last_id text;
begin
  perform private.enter(request, 'list_sla_exceptions');
  if sort_by in ('due_at', 'breach_risk') and input - '{sort_by,limit,after}'::text[] = '{}' then
    select * into items, last_due_at, last_id from private.next_by_deadline(
      coalesce((input -> 'after' ->> 1)::timestamptz, '-infinity'), coalesce(input -> 'after' ->> 2, ''), page_size, as_of);
  else
    conditions := conditions || ' and ' || private.exception_conditions(input, as_of);
    if input ->> 'within_minutes' is not null then
      conditions := conditions || private.due_within(input, as_of);
    end if;
    if input ->> 'q' is not null then
      few := private.few_with_words(input ->> 'q');
      conditions := conditions || ' and ' || case when few is null then private.has_words(input ->> 'q') else 'e.id = any ($3)' end;
      perform set_config('enable_sort', (few is not null)::text, true);
    end if;
    execute (
      select format($q$
        select array_agg(private.exception_json(p.e, $2)), (array_agg(p.rank))[$1], (array_agg((p.e).due_at))[$1], (array_agg((p.e).id))[$1]
        from (select u.e, u.rank from (%s) u order by u.rank, (u.e).due_at, (u.e).id limit $1 + 1) p
      $q$, string_agg(format('(select e, %s as rank from public.exceptions e where %s and %s and %s order by %s limit $1 + 1)', rank, conditions, a, v,
        sort_key), ' union all '))
      from unnest(private.stretches_after(sort_by, input -> 'after')) a cross join unnest(private.stretches_of(input, as_of)) v
    )
    into items, last_rank, last_due_at, last_id using page_size, as_of, few;
  end if;
  -- As json, whose texts are joined where jsonb's trees would be built anew at each step: half the time of this, the most frequent of lists.
  return json_build_object('items', array_to_json(coalesce(items[:page_size], '{}')),
    'next', case when cardinality(items) > page_size then
      json_build_array(last_rank, case when last_due_at = 'infinity' then 'infinity' else private.iso(last_due_at) end, last_id) end,
    'summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $$;

create function private.due_within(input jsonb, as_of timestamptz) returns text
language plpgsql stable set search_path = '' as $$
begin
  return format(' and e.due_at <= %L::timestamptz', as_of + make_interval(mins => least((input ->> 'within_minutes')::bigint, 1000000000)::integer));
end $$;

-- What happened in a list of open exceptions since a moment: each exception that was changed since, and each whose risk changed because time passed, as
-- it is now, or null where the filters don't match it any more. input: { since, limit, after: [at, id] | null, within_minutes, q, the filters }. Each
-- part is a range of an index. A change is as old as the start of its transaction, so that some time before `since` is read again.
create function public.list_sla_changes(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  as_of constant timestamptz(3) := now();
  overlap constant interval := interval '15 seconds';
  page_size constant integer := (input ->> 'limit')::integer;
  start constant timestamptz := (input ->> 'since')::timestamptz - overlap;
  later_at constant timestamptz := coalesce((input -> 'after' ->> 0)::timestamptz, start);
  later_id constant text := coalesce(input -> 'after' ->> 1, '');
  conditions text := $q$e.status in ('open', 'in_review') and $q$ || private.filter_conditions(input, as_of);
  items jsonb;
begin
  perform private.enter(request, 'list_sla_changes');
  if (input ->> 'since')::timestamptz < as_of - interval '1 day' then
    perform private.refuse_field('since', 'Must be within the last 24 hours. Read the list again instead.');
  end if;
  if input ->> 'within_minutes' is not null then
    conditions := conditions || private.due_within(input, as_of);
  end if;
  execute format($q$
    with crossed as (
      select c.* from unnest(array[0, private.high_risk_below() - 1, private.medium_risk_up_to(), $6]) t (minutes)
      cross join lateral (
        select e.id, e.due_at - make_interval(mins => t.minutes) as at
        from public.exceptions e
        where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
          and (e.due_at, e.id) > ($3 + make_interval(mins => t.minutes), $4) and e.due_at <= $1 + make_interval(mins => t.minutes)
          and e.updated_at <= $5
        order by e.due_at, e.id limit $2 + 1
      ) c
    ), changed as (
      select e.id, e.updated_at as at from public.exceptions e
      where e.tenant_id = private.tenant_id() and (e.updated_at, e.id) > ($3, $4) order by e.updated_at, e.id limit $2 + 1
    ), of_page as (
      select u.id, u.at from (select * from changed union all select * from crossed) u order by u.at, u.id limit $2 + 1
    )
    select jsonb_agg(jsonb_build_object('id', e.id, 'changed_at', private.iso(p.at), 'exception', case when %s then private.exception_json(e, $1) end)
      order by p.at, e.id)
    from of_page p join public.exceptions e on e.tenant_id = private.tenant_id() and e.id = p.id
  $q$, conditions) into items using as_of, page_size, later_at, later_id, start, least((input ->> 'within_minutes')::bigint, 1000000000)::integer;
  return private.page(items, page_size, 'changed_at', 'id')
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

grant execute on function
  private.sla_summary(timestamptz), private.next_by_deadline(timestamptz, text, integer, timestamptz), private.stretches_after(text, jsonb), private.amount_rank(text, bigint), private.amount_of_rank(text),
  private.stretches_of(jsonb, timestamptz), private.due_within(jsonb, timestamptz), private.time_to_breach(timestamptz)
to authenticated;

-- Facets: how many exceptions each value of each filter would leave, the other filters applied, so that a filter's own counts don't shrink with it.

-- input: { state: open | closed | all, q, within_minutes, and the filters of 425_exception_filters.sql }. Counts the 20,000 that come first (`complete`:
-- that is all of them): a look costs at most that. Values of a filter with many: the 50 most frequent.
create function private.sla_facets(input jsonb, as_of timestamptz) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  most constant integer := 20000;
  values_most constant integer := 50;
  facets constant text[] := private.exception_facets();
  conditions text := format('e.tenant_id = %L', private.tenant_id()) || coalesce(' and ' || private.bound_conditions(input), '');
  sort_key text := 'e.id desc';
  -- 0: every filter matches; n: all but the nth; -1: two or more don't, which counts nowhere.
  misses text;
  answer jsonb;
begin
  if input ->> 'state' = 'open' then
    conditions := conditions || $q$ and e.status in ('open', 'in_review')$q$;
    sort_key := 'e.due_at, e.id';
  elsif input ->> 'state' = 'closed' then
    conditions := conditions || ' and e.closed_at is not null';
    sort_key := 'e.closed_at desc, e.id desc';
  end if;
  if input ->> 'within_minutes' is not null then
    conditions := conditions || private.due_within(input, as_of);
  end if;
  if input ->> 'q' is not null then
    conditions := conditions || ' and ' || private.has_words(input ->> 'q');
  end if;
  select case when count(*) = 0 then '0' else format('case when %s > 1 then -1 else %s end',
      string_agg(format('((%s) is not true)::integer', c.condition), ' + '), string_agg(format('%s * ((%s) is not true)::integer', c.n, c.condition), ' + ')) end
  into misses
  from (select n, private.exception_condition(f, input, as_of) as condition from unnest(facets) with ordinality as x (f, n)) c
  where c.condition is not null;
  -- `left_out`: one bit for each facet that isn't grouped by, the first facet's the highest. All in one pass.
  execute format($q$
    with grouped as materialized (
      select s.missed, s.breach_risk, s.severity, s.status, s.assigned_to, s.reason_code, s.reconciliation_id, s.currency,
        grouping(s.breach_risk, s.severity, s.status, s.assigned_to, s.reason_code, s.reconciliation_id, s.currency) as left_out,
        count(*) as n, count(*) filter (where s.paused) as paused, sum(s.amount_minor) as amount
      from (
        select e.status, e.severity, e.assigned_to, e.reason_code, e.reconciliation_id, e.currency, e.amount_minor, e.paused_at is not null as paused,
          case when e.closed_at is not null then null when e.due_at <= $1 then 'breached'
            when e.due_at <= $1 + make_interval(mins => private.high_risk_below() - 1) then 'high'
            when e.due_at <= $1 + make_interval(mins => private.medium_risk_up_to()) then 'medium' else 'low' end as breach_risk,
          %s as missed
        from public.exceptions e where %s order by %s limit $2
      ) s
      group by grouping sets ((s.missed), (s.missed, s.breach_risk), (s.missed, s.severity), (s.missed, s.status), (s.missed, s.assigned_to),
        (s.missed, s.reason_code), (s.missed, s.reconciliation_id), (s.missed, s.currency))
    ), counted as (
      select f.facet, v.value, sum(g.n) as n, sum(g.amount) as amount
      from unnest($3::text[]) with ordinality as f (facet, place)
      join grouped g on g.left_out = 127 - (64 >> f.place::integer - 1) and g.missed in (0, f.place)
      cross join lateral (select case f.facet when 'breach_risk' then g.breach_risk when 'severity' then g.severity when 'status' then g.status
        when 'assigned_to' then coalesce(g.assigned_to, 'none') when 'reason_code' then g.reason_code
        when 'reconciliation_id' then coalesce(g.reconciliation_id, 'none') when 'currency' then coalesce(g.currency, 'none') end) v (value)
      where v.value is not null
      group by 1, 2
    ), ranked as (
      select *, row_number() over (partition by facet order by n desc, value) as rank from counted
    )
    select jsonb_build_object(
      'total', (select coalesce(sum(n), 0) from grouped where left_out = 127 and missed = 0),
      'paused_count', (select coalesce(sum(paused), 0) from grouped where left_out = 63 and missed in (0, 1) and breach_risk = 'low'),
      'complete', (select coalesce(sum(n), 0) from grouped where left_out = 127) < $2,
      'facets', (
        select jsonb_object_agg(f, coalesce((
          select jsonb_agg(jsonb_build_object('value', r.value, 'count', r.n,
            'name', case when f = 'reconciliation_id' then (select c.name from public.reconciliations c where c.tenant_id = $4 and c.id = r.value) end,
            'amount_minor', case when f = 'currency' and r.amount is not null then least(r.amount, 9007199254740991) end) order by r.rank)
          from ranked r where r.facet = f and r.rank <= $5), '[]'))
        from unnest($3::text[]) f
      )
    )
  $q$, misses, conditions, sort_key) into answer using as_of, most, facets, private.tenant_id(), values_most;
  return answer || jsonb_build_object('as_of', private.iso(as_of));
end $$;

-- input: as above.
create function public.get_sla_facets(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
begin
  perform private.enter(request, 'get_sla_facets');
  return private.sla_facets(input, now()::timestamptz(3));
end $$;

grant execute on function private.sla_facets(jsonb, timestamptz) to authenticated;

-- Time zones change: a government moves a change of the clocks, and a release of Postgres brings it. Spans and deadlines counted before are then
-- counted anew. No release names itself in SQL, so what is compared is what it says: the offsets of the zone, recorded with the spans.

-- Counts a version's spans anew, and by them the deadlines ahead that the policy set. Deadlines that have passed, or that a person set, stay.
-- Exceptions are locked before the spans, as by everybody who changes one.
create function private.rebuild_business_time(tenant text, no bigint) returns void
language plpgsql volatile set search_path = '' as $$
declare
  covered private.calendar_coverage;
  recalculated jsonb[];
begin
  perform from public.exceptions e
  where e.tenant_id = tenant and e.calendar_no = no and e.status in ('open', 'in_review') order by e.id for no key update;
  select * into covered from private.calendar_coverage c where c.tenant_id = tenant and c.calendar_no = no for update;
  delete from private.calendar_spans s where s.tenant_id = tenant and s.calendar_no = no;
  update private.calendar_coverage c set covered_until = c.covered_from, open_until = c.open_from, zone_checked_at = now()
  where c.tenant_id = tenant and c.calendar_no = no;
  perform private.extend_business_time(tenant, no, covered.covered_from, covered.covered_until);
  -- What business_minutes_remaining remembers is of the spans before.
  perform set_config('tieout.open_ms', '', true);
  with counted as materialized (
    select e.id, case when e.due_from_policy and coalesce(e.held_due_at, e.due_at) > now()
      then coalesce(private.policy_deadline(e, private.minutes_to_resolve(p, e.severity), no), coalesce(e.held_due_at, e.due_at))
      else coalesce(e.held_due_at, e.due_at) end as due_at
    from public.exceptions e join public.sla_policies p on p.tenant_id = e.tenant_id
    where e.tenant_id = tenant and e.calendar_no = no and e.status in ('open', 'in_review')
  )
  select array_agg(jsonb_build_object('tenant_id', tenant, 'id', e.id, 'due_at', c.due_at) order by e.id) into recalculated
  from counted c join public.exceptions e on e.tenant_id = tenant and e.id = c.id
  where (coalesce(e.held_due_at, e.due_at), e.due_open_ms) is distinct from (c.due_at, private.open_ms(tenant, no, c.due_at));
  perform private.change_exceptions('recalculate', recalculated);
  perform private.arm_business_warnings(array_fill(tenant, array[cardinality(x.ids)]), x.ids, false)
  from (
    select array_agg(e.id) as ids from public.exceptions e
    where e.tenant_id = tenant and e.calendar_no = no and e.status in ('open', 'in_review')
  ) x where x.ids is not null;
end $$;

-- Compares calendars with the time zone data, each once a day and at most `batch` at a time, and rebuilds those that it has changed; answers how
-- many it compared.
create function private.rebuild_calendars(batch integer default 20) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  c record;
  compared integer := 0;
begin
  for c in
    select x.*, v.time_zone from private.calendar_coverage x
    join public.calendar_versions v on v.tenant_id = x.tenant_id and v.calendar_no = x.calendar_no
    where x.zone_checked_at < now() - interval '1 day' order by x.zone_checked_at, x.tenant_id, x.calendar_no limit batch
  loop
    if c.zone_print <> private.zone_print(c.time_zone, c.covered_from, c.covered_until) then
      perform private.rebuild_business_time(c.tenant_id, c.calendar_no);
    else
      update private.calendar_coverage x set zone_checked_at = now() where x.tenant_id = c.tenant_id and x.calendar_no = c.calendar_no;
    end if;
    compared := compared + 1;
  end loop;
  return compared;
end $$;
grant execute on function private.rebuild_calendars(integer) to service_role;

-- Views: filters of exceptions under a name, a person's own or shared with their tenant, and how many open exceptions each shows.

create table public.views (
  id text not null default private.new_id('viw'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  principal_id text not null default auth.jwt() ->> 'principal_id',
  name text not null check (length(name) between 1 and 80),
  shared boolean not null default false,
  filters jsonb not null default '{}' check (jsonb_typeof(filters) = 'object' and octet_length(filters::text) <= 16384),
  sort_by text not null default 'due_at' check (sort_by in ('due_at', 'severity', 'assigned_to', 'breach_risk', 'amount')),
  created_at timestamptz(3) not null default date_trunc('milliseconds', now()),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default date_trunc('milliseconds', now()),
  primary key (tenant_id, id)
);
create index views_of_principal on public.views (tenant_id, principal_id, id);

alter table public.views enable row level security;
grant select on public.views to authenticated, service_role;
create policy views_read on public.views for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (shared or principal_id = (select auth.jwt()) ->> 'principal_id')
    and (select private.may('read:views', 'write:views')));

-- How many open exceptions match, up to 10,000.
create function private.count_of_view(filters jsonb) returns bigint
language plpgsql stable security definer set search_path = '' as $$
declare
  most constant integer := 10000;
  counted bigint;
begin
  execute format($q$select count(*) from (select from public.exceptions e where e.tenant_id = %L and e.status in ('open', 'in_review') and %s limit %s) x$q$,
    private.tenant_id(), private.filter_conditions(filters, now()), most) into counted;
  return counted;
end $$;

create function private.view_json(v public.views, is_counted boolean default true) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', v.id, 'name', v.name, 'shared', v.shared, 'filters', v.filters, 'sort_by', v.sort_by,
    'open_count', case when is_counted then private.count_of_view(v.filters) end,
    'created_at', private.iso(v.created_at), 'created_by', v.created_by, 'updated_at', private.iso(v.updated_at)
  );
end $$;

create function private.view_version(v public.views) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(jsonb_build_array(v.name, v.shared, v.filters, v.sort_by));
end $$;

-- One that the caller sees: their own or a shared one. With `to_change` locked, and one that they may change: their own, and as an admin a
-- shared one. Refuses: not_found, role_required.
create function private.find_view(id text, to_change boolean default false) returns public.views
language plpgsql volatile set search_path = '' as $$
declare
  v public.views;
  caller constant text := auth.jwt() ->> 'principal_id';
begin
  select * into v from public.views x where x.tenant_id = private.tenant_id() and x.id = $1 and (x.shared or x.principal_id = caller);
  if not found then
    perform private.refuse_missing('view');
  elsif to_change then
    select * into v from public.views x where x.tenant_id = private.tenant_id() and x.id = $1
      and (x.principal_id = caller or x.shared and auth.jwt() -> 'roles' ? 'tenant_admin')
    for update;
    if not found then
      perform private.refuse('role_required', 'Only who made this view, or an admin, can change it. Save your own instead.');
    end if;
  end if;
  return v;
end $$;

-- input: { name, shared, filters, sort_by }. Refuses: conflict beyond 50 views of one person. Records: view.created where it is shared.
create function public.create_view(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'create_view');
  created public.views;
begin
  if kept is not null then
    return kept;
  end if;
  if (select count(*) from public.views v where v.tenant_id = private.tenant_id() and v.principal_id = auth.jwt() ->> 'principal_id') >= 50 then
    perform private.refuse('conflict', 'You can have at most 50 views. Delete one, then save this one again.');
  end if;
  insert into public.views (name, shared, filters, sort_by)
  values (input ->> 'name', (input ->> 'shared')::boolean, input -> 'filters', input ->> 'sort_by') returning * into created;
  if created.shared then
    perform private.record_security_event('view.created', created.id, null, jsonb_build_object('name', created.name));
  end if;
  return private.answer(request, private.view_json(created) || jsonb_build_object('version', private.view_version(created)));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_view(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  v public.views;
begin
  perform private.enter(request, 'get_view');
  v := private.find_view(input ->> 'id');
  return private.view_json(v) || jsonb_build_object('version', private.view_version(v));
end $$;

-- input: { id, patch }. Refuses: not_found, role_required, precondition_failed. Records: view.updated where it is or was shared.
create function public.update_view(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'update_view');
  before public.views;
  after public.views;
begin
  if kept is not null then
    return kept;
  end if;
  before := private.find_view(input ->> 'id', true);
  perform private.require_version(private.view_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  if not after.shared and before.principal_id is distinct from auth.jwt() ->> 'principal_id' then
    perform private.refuse('role_required', 'This credential isn''t allowed to do this.');
  end if;
  if after is distinct from before then
    update public.views x set name = after.name, shared = after.shared, filters = after.filters, sort_by = after.sort_by, updated_at = now()
    where x.tenant_id = before.tenant_id and x.id = before.id returning * into after;
    if before.shared or after.shared then
      perform private.record_security_event('view.updated', before.id, null,
        private.changes(jsonb_build_object('name', before.name, 'shared', before.shared, 'filters', before.filters, 'sort_by', before.sort_by),
          jsonb_build_object('name', after.name, 'shared', after.shared, 'filters', after.filters, 'sort_by', after.sort_by)));
    end if;
  end if;
  return private.answer(request, private.view_json(after) || jsonb_build_object('version', private.view_version(after)));
end $$;

-- input: { id }. Refuses: not_found, role_required, precondition_failed. Records: view.deleted where it was shared.
create function public.delete_view(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'delete_view');
  v public.views;
begin
  if kept is not null then
    return kept;
  end if;
  v := private.find_view(input ->> 'id', true);
  perform private.require_version(private.view_version(v), request -> 'versions');
  delete from public.views x where x.tenant_id = v.tenant_id and x.id = v.id;
  if v.shared then
    perform private.record_security_event('view.deleted', v.id, null, jsonb_build_object('name', v.name));
  end if;
  return private.answer(request, jsonb_build_object('id', v.id, 'deleted', true));
end $$;

-- Oldest first, so that each keeps its place. Counting stops after half a second, since everyone with a board open asks again and again.
-- input: { limit, after: [id] | null }.
create function public.list_views(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  counted_until constant timestamptz := clock_timestamp() + interval '500 milliseconds';
  items jsonb;
begin
  perform private.enter(request, 'list_views');
  select jsonb_agg(private.view_json(v, clock_timestamp() < counted_until) order by v.id) into items
  from (
    select * from public.views x
    where x.tenant_id = private.tenant_id() and x.id > coalesce(input -> 'after' ->> 0, '')
    order by x.id limit page_size + 1
  ) v;
  return private.page(items, page_size, 'id');
end $$;

grant execute on function
  private.count_of_view(jsonb), private.view_json(public.views, boolean), private.view_version(public.views), private.find_view(text, boolean)
to authenticated;

-- The SLA policy over the wire. A change can name the version it was made on, and then overwrites no other change unseen.

create function private.sla_policy_json(p public.sla_policies) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'minutes_to_resolve', jsonb_build_object('critical', p.critical_minutes, 'high', p.high_minutes, 'medium', p.medium_minutes, 'low', p.low_minutes),
    'at_risk_thresholds', p.at_risk_thresholds, 'at_risk_business_thresholds', p.at_risk_business_thresholds, 'calendar_id', p.calendar_id, 'calendar_by_severity', p.calendar_by_severity,
    'pause', jsonb_build_object('max_minutes', p.pause_max_minutes, 'max_count', p.pause_max_count, 'rules', p.pause_rules), 'updated_at', private.iso(p.updated_at), 'updated_by', p.updated_by
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

-- Open exceptions of the caller's tenant with a deadline from the policy that another one may move, and where to: by the current version of another
-- calendar, else by the version that they have.
create function private.moved_deadlines(before public.sla_policies, after public.sla_policies)
returns table (id text, severity text, calendar_id text, calendar_no bigint, due_at timestamptz, new_due_at timestamptz)
language plpgsql volatile set search_path = '' as $$
begin
  return query
  with severities as materialized (
    select s.severity, private.minutes_to_resolve(after, s.severity) as minutes, private.policy_calendar(after, s.severity) as calendar,
      private.policy_calendar(after, s.severity) is distinct from private.policy_calendar(before, s.severity) as is_other
    from unnest('{critical,high,medium,low}'::text[]) s (severity)
    where private.minutes_to_resolve(after, s.severity) <> private.minutes_to_resolve(before, s.severity)
      or private.policy_calendar(after, s.severity) is distinct from private.policy_calendar(before, s.severity)
  ), current as materialized (
    select s.*, private.current_calendar_no(private.tenant_id(), s.calendar) as no from severities s
  )
  select x.id, x.severity, x.to_calendar, x.no, x.due_at, private.policy_deadline(x.e, x.minutes, x.no)
  from (
    select e, e.id, e.severity, coalesce(e.held_due_at, e.due_at) as due_at, c.minutes,
      case when c.is_other then c.calendar else e.calendar_id end as to_calendar, case when c.is_other then c.no else e.calendar_no end as no
    from public.exceptions e join current c on c.severity = e.severity
    where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review') and e.due_from_policy
  ) x;
end $$;

-- What a move of deadlines comes to.
create function private.impact_of(severities text[], due_ats timestamptz[], new_due_ats timestamptz[]) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_build_object(
      'changed', count(*) filter (where m.new_due_at <> m.due_at),
      'earlier', count(*) filter (where m.new_due_at < m.due_at), 'later', count(*) filter (where m.new_due_at > m.due_at),
      'newly_breached', count(*) filter (where m.due_at > now() and m.new_due_at <= now()),
      'no_longer_breached', count(*) filter (where m.due_at <= now() and m.new_due_at > now()),
      'by_severity', (
        select jsonb_object_agg(s.severity, (
          select count(*) from unnest(severities, due_ats, new_due_ats) as x (severity, due_at, new_due_at)
          where x.severity = s.severity and x.new_due_at <> x.due_at
        )) from unnest('{critical,high,medium,low}'::text[]) s (severity)
      )
    )
    from unnest(severities, due_ats, new_due_ats) as m (severity, due_at, new_due_at)
  );
end $$;

-- Sets open exceptions of the caller's tenant to the deadlines of `private.moved_deadlines`. Of a paused one, the deadline that it is held at.
-- Refuses: invalid_request where a calendar opens too rarely for a deadline.
create function private.move_deadlines(ids text[], calendars text[], calendar_nos bigint[], due_ats timestamptz[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  if array_position(due_ats, null) is not null then
    perform private.refuse_field('calendar_id', 'This calendar opens too rarely: some deadlines would be more than 25 years away.');
  end if;
  perform private.change_exceptions_as_asked('recalculate', array(
    select jsonb_build_object('id', e.id, 'calendar_id', m.calendar_id, 'calendar_no', m.calendar_no, 'due_at', m.due_at)
    from unnest(ids, calendars, calendar_nos, due_ats) as m (id, calendar_id, calendar_no, due_at)
    join public.exceptions e on e.tenant_id = private.tenant_id() and e.id = m.id
    where e.calendar_no is distinct from m.calendar_no or coalesce(e.held_due_at, e.due_at) <> m.due_at
    order by e.id
  ));
end $$;

-- Refuses: invalid_request for a calendar that the tenant doesn't have, or that opens too rarely for the minutes.
create function private.require_calendars(p public.sla_policies) returns void
language plpgsql volatile set search_path = '' as $$
declare
  s record;
  no bigint;
begin
  for s in select x.severity, private.policy_calendar(p, x.severity) as calendar from unnest('{critical,high,medium,low}'::text[]) x (severity) loop
    if s.calendar is not null then
      no := private.current_calendar_no(p.tenant_id, s.calendar);
      if no is null then
        perform private.refuse_field(case when p.calendar_by_severity ? s.severity then 'calendar_by_severity.' || s.severity else 'calendar_id' end,
          'There is no such calendar.');
      elsif private.first_deadline(no, private.minutes_to_resolve(p, s.severity)) is null then
        perform private.refuse_field('minutes_to_resolve.' || s.severity,
          'The calendar opens too rarely: this deadline would be more than 25 years away.');
      end if;
    end if;
  end loop;
end $$;

-- input: { minutes_to_resolve, at_risk_thresholds, dry_run, and where they change at_risk_business_thresholds, calendar_id, calendar_by_severity, pause }. Deadlines that came
-- from the policy follow it. Refuses: precondition_failed, invalid_request. Records: sla_policy.updated.
create function public.put_sla_policy(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  before public.sla_policies;
  after public.sla_policies;
  moved record;
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
  if input ? 'at_risk_business_thresholds' then
    after.at_risk_business_thresholds := array(
      select distinct value::integer from jsonb_array_elements_text(input -> 'at_risk_business_thresholds') order by 1 desc);
  end if;
  if after.at_risk_thresholds = '{}' and after.at_risk_business_thresholds = '{}' then
    perform private.refuse_field('at_risk_thresholds', 'Include a threshold here or in at_risk_business_thresholds.');
  end if;
  if input ? 'calendar_id' then
    after.calendar_id := input ->> 'calendar_id';
  end if;
  if input ? 'calendar_by_severity' then
    after.calendar_by_severity := input -> 'calendar_by_severity';
  end if;
  if input ? 'pause' then
    after.pause_max_minutes := input -> 'pause' ->> 'max_minutes';
    after.pause_max_count := input -> 'pause' ->> 'max_count';
    after.pause_rules := input -> 'pause' -> 'rules';
  end if;
  if (after.calendar_id, after.calendar_by_severity) is distinct from (before.calendar_id, before.calendar_by_severity)
    or after.calendar_id is not null or after.calendar_by_severity <> '{}' then
    perform private.require_calendars(after);
  end if;
  select array_agg(d.id) as ids, array_agg(d.severity) as severities, array_agg(d.calendar_id) as calendars, array_agg(d.calendar_no) as calendar_nos,
    array_agg(d.due_at) as due_ats, array_agg(d.new_due_at) as new_due_ats
  into moved from private.moved_deadlines(before, after) d;
  impact := private.impact_of(moved.severities, moved.due_ats, moved.new_due_ats);

  if not dry_run and after is distinct from before then
    update public.sla_policies p set
      critical_minutes = after.critical_minutes, high_minutes = after.high_minutes, medium_minutes = after.medium_minutes,
      low_minutes = after.low_minutes, at_risk_thresholds = after.at_risk_thresholds, at_risk_business_thresholds = after.at_risk_business_thresholds,
      calendar_id = after.calendar_id, calendar_by_severity = after.calendar_by_severity, pause_max_minutes = after.pause_max_minutes, pause_max_count = after.pause_max_count,
      pause_rules = after.pause_rules, updated_at = now(), updated_by = private.actor(), version = before.version + 1
    where p.tenant_id = before.tenant_id returning * into after;
    if moved.ids is not null then
      perform private.move_deadlines(moved.ids, moved.calendars, moved.calendar_nos, moved.new_due_ats);
    end if;
    if after.at_risk_thresholds <> before.at_risk_thresholds then
      perform private.rearm_clocks();
    end if;
    if after.at_risk_business_thresholds <> before.at_risk_business_thresholds then
      perform private.rearm_business_warnings(before.at_risk_business_thresholds);
    end if;
    perform private.record_security_event('sla_policy.updated', null, null,
      jsonb_build_object('from', private.sla_policy_json(before), 'to', private.sla_policy_json(after)));
  end if;
  return private.sla_policy_json(after) || jsonb_build_object('version', after.version, 'dry_run', dry_run, 'impact', impact);
end $$;

grant execute on function private.sla_policy_json(public.sla_policies) to authenticated;

-- The ledger over the wire: one exception's clock explained, and how a tenant keeps its deadlines.

-- When a version is open between two moments, as [{ starts_at, ends_at }] in order; at most 2,000 spans, the last ones left out.
create function private.open_between(tenant text, no bigint, since timestamptz, until timestamptz) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    with covered as materialized (
      select c.covered_from <= since and c.covered_until >= until as wholly
      from private.calendar_coverage c where c.tenant_id = tenant and c.calendar_no = no
    ), spans as (
      select s.starts_at, s.ends_at from private.calendar_spans s
      where (select wholly from covered) and s.tenant_id = tenant and s.calendar_no = no and s.ends_at > since and s.starts_at < until
      union all
      select s.starts_at, s.ends_at from public.calendar_versions v
      cross join lateral private.open_spans(v.time_zone, v.weekly, v.special_days, date_trunc('hour', since), date_trunc('hour', until) + interval '1 hour') s
      where not (select wholly from covered) and v.tenant_id = tenant and v.calendar_no = no and s.ends_at > since and s.starts_at < until
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'starts_at', private.iso(greatest(x.starts_at, since)), 'ends_at', private.iso(least(x.ends_at, until))
    ) order by x.starts_at), '[]')
    from (select * from spans order by starts_at limit 2000) x
  );
end $$;

-- When the calendar of an exception of the caller's tenant is open between two moments. Null: it counts round the clock.
create function private.open_hours_of(e public.exceptions, since timestamptz, until timestamptz) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  if e.tenant_id = private.tenant_id() and e.calendar_no is not null then
    return private.open_between(e.tenant_id, e.calendar_no, since, until);
  end if;
  return null;
end $$;
grant execute on function private.open_hours_of(public.exceptions, timestamptz, timestamptz) to authenticated;

-- Each change of an exception's clock, by both clocks: what passed since the change before, of that the open part, and what is left. In
-- milliseconds; of the calendar that counted at the time. Of business time null where there is none.
create function private.ledger_rows(exception_id text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    with lines as (
      select l.*, lag(l.at) over w as before_at, lag(l.calendar_no) over w as before_no, lag(l.due_at) over w as before_due_at
      from public.exception_ledger l
      where l.tenant_id = private.tenant_id() and l.exception_id = ledger_rows.exception_id
      window w as (order by l.at, l.id)
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'at', private.iso(l.at), 'kind', l.kind, 'due_at', private.iso(l.due_at), 'threshold_minutes', l.threshold_minutes,
      'threshold_kind', case when l.threshold_minutes is not null then case when l.in_business_time then 'business' else 'wall_clock' end end,
      'open_ms', case when l.before_no is not null then
        private.open_ms(l.tenant_id, l.before_no, l.at) - private.open_ms(l.tenant_id, l.before_no, l.before_at) end,
      'open_spans', case when l.before_no is not null then private.open_between(l.tenant_id, l.before_no, l.before_at, l.at) end,
      'due_moved_ms', case when l.calendar_no = l.before_no then
        private.open_ms(l.tenant_id, l.calendar_no, l.due_at) - private.open_ms(l.tenant_id, l.calendar_no, l.before_due_at) end,
      'business_ms_left', case when l.calendar_no is not null then
        private.open_ms(l.tenant_id, l.calendar_no, l.due_at) - private.open_ms(l.tenant_id, l.calendar_no, l.at) end,
      'actor', l.actor, 'actor_issuer', l.actor_issuer, 'actor_subject', l.actor_subject, 'request_id', l.request_id
    ) order by l.at, l.id), '[]')
    from lines l
  );
end $$;
grant execute on function private.ledger_rows(text) to authenticated;

-- input: { id }. Each change of the clock since it was set, and when the calendar is open from the last of them to `until`: of an open exception to its
-- deadline or now, at most 92 days ahead. Refuses: not_found.
create function public.get_exception_ledger(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  e public.exceptions;
  rows jsonb;
  last_at timestamptz;
  until timestamptz;
begin
  perform private.enter(request, 'get_exception_ledger');
  e := private.find_exception(input ->> 'id');
  rows := private.ledger_rows(e.id);
  last_at := rows -> -1 ->> 'at';
  until := case when e.status in ('open', 'in_review') then greatest(now(), least(private.deadline(e, now()), now() + interval '92 days')) else last_at end;
  return jsonb_build_object(
    'as_of', private.iso(now()), 'exception', private.exception_json(e), 'rows', rows, 'until', private.iso(until),
    'open_spans', private.open_hours_of(e, last_at, until)
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
  check ((rotated_to is null) = (grace_expires_at is null)),
  check (grace_expires_at <= expires_at)
);
create index api_keys_by_expiry on public.api_keys (expires_at) where revoked_at is null and expires_at is not null;
create index api_keys_by_grace on public.api_keys (grace_expires_at) where revoked_at is null and grace_expires_at is not null;
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
grant select on public.api_keys to authenticated, service_role;
create policy api_keys_read on public.api_keys for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:api-keys')));

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
-- What api_key.revoked says.
create function private.revocation_json(k public.api_keys) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', k.id, 'name', k.name, 'key_id', k.key_id, 'revoked_at', private.iso(k.revoked_at), 'revoked_by', k.revoked_by, 'reason', k.revoke_reason
  );
end $$;

-- Revokes the keys whose grace period is over; callers are refused since that moment, whether or not this ran. Answers how many.
-- Records and sends: api_key.revoked, once for each.
create function private.end_grace_periods() returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  ended integer := 0;
  k public.api_keys;
begin
  for k in
    update public.api_keys a set
      revoked_at = a.grace_expires_at, revoked_by = 'system', revoke_reason = 'The grace period of its rotation elapsed.', updated_at = now()
    where (a.tenant_id, a.id) in (
      select x.tenant_id, x.id from public.api_keys x
      where x.revoked_at is null and x.grace_expires_at <= now() for update skip locked
    )
    returning a.*
  loop
    perform private.write_security_event(private.new_id('sev'), k.tenant_id, 'api_key.revoked', k.id, k.revoke_reason,
      jsonb_build_object('name', k.name));
    perform private.emit(k.tenant_id, 'api_key.revoked', private.revocation_json(k), k.id);
    ended := ended + 1;
  end loop;
  return ended;
end $$;
grant execute on function private.announce_expiring_api_keys(), private.end_grace_periods() to service_role;

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

-- When the last 7 days began: whole days in UTC, today the last, however they are counted: by hour, day, address or operation.
create function private.usage_week() returns timestamptz
language plpgsql stable set search_path = '' as $$
begin
  return date_trunc('day', now(), 'UTC') - make_interval(hours => 6 * 24);
end $$;
grant execute on function private.usage_week() to authenticated;

-- input: { id }. Hours and addresses of private.usage_week, days and refusals by reason of 90 days.
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
        where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.hour >= private.usage_week() group by 1
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
        where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.hour >= private.usage_week() and u.outcome like 'accepted%'
        group by 1 order by max(u.last_seen_at) desc limit 100
      ) a
    ), '[]'),
    'refusals', coalesce((
      select jsonb_object_agg(r.outcome, r.calls)
      from (
        select u.outcome, sum(u.calls) as calls from public.api_key_usage_daily u
        where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.day > (now() at time zone 'UTC')::date - 90 and u.outcome not like 'accepted%'
        group by 1
      ) r
    ), '{}')
  );
end $$;

-- input: { id, … }, the rest is for the security event of a dry run. The accepted calls of private.usage_week by operation, address and hour: what a
-- proposed change is tried against; and what the key registered. Refuses: not_found.
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
    'since', private.iso(private.usage_week()),
    'calls', coalesce((
      select jsonb_agg(jsonb_build_object(
        'operation', u.operation, 'address', host(u.address), 'hour', private.iso(u.hour), 'calls', u.calls, 'last_seen_at', private.iso(u.last_seen_at)
      ))
      from public.api_key_usage_hourly u
      where u.tenant_id = k.tenant_id and u.api_key_id = k.id and u.hour >= private.usage_week() and u.outcome like 'accepted%'
    ), '[]'),
    'webhooks', coalesce((
      select jsonb_agg(jsonb_build_object('id', w.id, 'url', w.url) order by w.id)
      from public.webhooks w where w.tenant_id = k.tenant_id and w.id = any (private.webhooks_of_api_key(k))
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
  -- Who has as many as they may still rotates one.
  perform private.require_quota('api_keys', (rotated_from is null)::integer);
  insert into public.api_keys (key_id, name, description, scopes, ip_allowlist, expires_at, rotated_from)
  values (
    input ->> 'key_id', input ->> 'name', input ->> 'description', private.text_array(input -> 'scopes'),
    private.text_array(input -> 'ip_allowlist'), (input ->> 'expires_at')::timestamptz, insert_api_key.rotated_from
  )
  returning * into created;
  insert into private.api_key_secrets (key_id, tenant_id, api_key_id, digest)
  values (created.key_id, created.tenant_id, created.id, input ->> 'secret_digest');
  return created;
end $$;

-- input: the columns, with secret_digest and `sealed`, the secret as only the holder of the idempotency key can read it.
-- Refuses: invalid_request. Records: api_key.created.
create function public.create_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
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

-- input: { id, grace_period_seconds, key_id, secret_digest, sealed }. The grace period ends with the key's own expiry at the latest.
-- The successor keeps name, description, scopes and allowlist, and gets the same length of life. Refuses: not_found, conflict. Records: api_key.rotated.
create function public.rotate_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
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
    rotated_to = successor.id, updated_at = now(),
    grace_expires_at = least(now() + make_interval(secs => (input ->> 'grace_period_seconds')::integer), k.expires_at)
  where k.tenant_id = old.tenant_id and k.id = old.id;
  perform private.record_security_event('api_key.rotated', old.id, null,
    jsonb_build_object('successor', successor.id, 'grace_period_seconds', input -> 'grace_period_seconds'));
  return private.answer(request, private.api_key_json(successor) || jsonb_build_object('version', private.api_key_version(successor))
    || jsonb_build_object('sealed', input -> 'sealed'));
end $$;

-- The active webhooks that the key registered, or one of its line.
create function private.webhooks_of_api_key(k public.api_keys) returns text[]
language plpgsql stable set search_path = '' as $$
begin
  return array(
    select w.id from public.webhooks w
    where w.tenant_id = k.tenant_id and w.deleted_at is null and w.status = 'active' and w.created_by in (
      select 'api_key:' || x.id from public.api_keys x where x.tenant_id = k.tenant_id and x.lineage_id = k.lineage_id
    )
  );
end $$;

-- input: { id, reason, disable_webhooks }; disable_webhooks: those that it registered as well. Revoking a revoked key returns it unchanged. Refuses: not_found, precondition_failed. Records: api_key.revoked, and sends the event.
create function public.revoke_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
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
    perform private.emit(k.tenant_id, 'api_key.revoked', private.revocation_json(k), k.id);
    if (input ->> 'disable_webhooks')::boolean then
      perform private.disable_webhook(w, 'manual', format('The API key %s, which registered it, was revoked.', k.name))
      from unnest(private.webhooks_of_api_key(k)) w;
    end if;
  end if;
  return private.answer(request, private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k)));
end $$;

-- input: { id, patch }. Refuses: not_found, conflict, precondition_failed, invalid_request. Records: api_key.updated, where something changed.
create function public.update_api_key(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
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
    -- `least` passes over nulls: a key without a grace period has none now.
    grace_expires_at = case when a.grace_expires_at is not null then least(a.grace_expires_at, (patch ->> 'expires_at')::timestamptz) end,
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
  private.api_key_json(public.api_keys), private.api_key_version(public.api_keys), private.find_own_api_key(text),
  private.webhooks_of_api_key(public.api_keys)
to authenticated;

-- Events: what a tenant's receivers are sent. An event exists if and only if the change it reports committed. After 30 days nobody sees
-- it, and it goes with its partition (private.roll_partitions).

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
  primary key (tenant_id, id)
) partition by range (id);
create table partitions.events_first partition of public.events for values from (minvalue) to (maxvalue);
alter table partitions.events_first enable row level security;
create index events_by_request on public.events (tenant_id, request_id) where request_id is not null;

alter table public.events enable row level security;
grant select on public.events to authenticated, service_role;
create policy events_read on public.events for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:webhooks')) and at > now() - interval '30 days'
    and type = any ((select private.readable_events())::text[]));

-- The keys of events that are one of a kind: a key of public.events would hold within each partition alone. Forgotten after 30 days, too.
create table private.event_once (
  tenant_id text not null,
  type text not null,
  once_key text not null,
  at timestamptz(3) not null default now(),
  primary key (tenant_id, type, once_key)
);
create index event_once_by_age on private.event_once using brin (at);
alter table private.event_once enable row level security;

-- A second event of the kind is left out of whatever statement inserts it.
create function private.keep_event_once() returns trigger
language plpgsql set search_path = '' as $$
begin
  insert into private.event_once (tenant_id, type, once_key) values (new.tenant_id, new.type, new.once_key) on conflict do nothing;
  return case when found then new end;
end $$;
create trigger once before insert on public.events
  for each row when (new.once_key is not null) execute function private.keep_event_once();

-- With a once_key that was there before it does nothing.
create function private.emit(tenant_id text, type text, data jsonb, once_key text default null) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into public.events (tenant_id, type, data, once_key) values ($1, $2, $3, $4);
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

-- Comments: what people say to each other about an exception. Plain text, in which <@user:ada> mentions a person. Like the history, a
-- comment is neither changed nor deleted.

create table public.exception_comments (
  id text not null default private.new_id('cmt'),
  tenant_id text not null default private.tenant_id(),
  exception_id text not null,
  body text not null check (length(body) between 1 and 4000),
  -- Of the body, each person once.
  mentions text[] not null default '{}' check (cardinality(mentions) <= 20),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  actor_issuer text default private.actor_issuer(),
  actor_subject text default private.actor_subject(),
  request_id text default nullif(current_setting('tieout.request_id', true), ''),
  primary key (tenant_id, exception_id, id),
  foreign key (tenant_id, exception_id) references public.exceptions (tenant_id, id)
);
alter table public.exception_comments enable row level security;
grant select on public.exception_comments to authenticated, service_role;
create policy exception_comments_read on public.exception_comments for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:exceptions', 'write:exceptions')));

-- Refuses: invalid_request beyond 20 people; conflict beyond 1,000 comments of one exception (those under way at the same time are not
-- seen).
create function private.guard_exception_comment() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  new.mentions := array(select distinct m[1] from regexp_matches(new.body, '<@(user:[^[:space:]<>]{1,120})>', 'g') m order by 1);
  if cardinality(new.mentions) > 20 then
    perform private.refuse_field('body', 'Mention at most 20 people.');
  elsif (select count(*) from public.exception_comments c where c.tenant_id = new.tenant_id and c.exception_id = new.exception_id) >= 1000 then
    perform private.refuse('conflict', 'An exception can have at most 1,000 comments.');
  end if;
  return new;
end $$;
create trigger guard before insert on public.exception_comments
  for each row execute function private.guard_exception_comment();

create function private.exception_comment_json(c public.exception_comments) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object('id', c.id, 'exception_id', c.exception_id, 'body', c.body, 'mentions', c.mentions, 'created_at', private.iso(c.created_at),
    'created_by', c.created_by, 'actor_issuer', c.actor_issuer, 'actor_subject', c.actor_subject);
end $$;

-- exception.commented, whichever way the comment came.
create function private.emit_exception_comments() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.events (tenant_id, type, data)
  select c.tenant_id, 'exception.commented', jsonb_build_object('exception', private.exception_json(e), 'comment', private.exception_comment_json(c))
  from added a
  join public.exception_comments c on c.tenant_id = a.tenant_id and c.exception_id = a.exception_id and c.id = a.id
  join public.exceptions e on e.tenant_id = a.tenant_id and e.id = a.exception_id
  order by c.id;
  return null;
end $$;
create trigger emit_events after insert on public.exception_comments referencing new table as added
  for each statement execute function private.emit_exception_comments();

-- input: { id, limit, after: [comment id] | null }. Newest first. Refuses: not_found.
create function public.list_exception_comments(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  e public.exceptions;
  items jsonb;
begin
  perform private.enter(request, 'list_exception_comments');
  e := private.find_exception(input ->> 'id');
  select jsonb_agg(private.exception_comment_json(c) order by c.id desc) into items
  from (
    select * from public.exception_comments x
    where x.tenant_id = e.tenant_id and x.exception_id = e.id
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
    order by x.id desc limit page_size + 1
  ) c;
  return private.page(items, page_size, 'id');
end $$;

-- input: { id, body }. Refuses: not_found, invalid_request, conflict. Emits: exception.commented.
create function public.create_exception_comment(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'create_exception_comment');
  e public.exceptions;
  c public.exception_comments;
begin
  if kept is not null then
    return kept;
  end if;
  e := private.find_exception(input ->> 'id');
  insert into public.exception_comments (exception_id, body) values (e.id, input ->> 'body') returning * into c;
  return private.answer(request, private.exception_comment_json(c));
end $$;

grant execute on function private.exception_comment_json(public.exception_comments) to authenticated;

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

alter table public.webhooks enable row level security;
grant select on public.webhooks to authenticated, service_role;
create policy webhooks_read on public.webhooks for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:webhooks', 'write:webhooks')));

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

-- One per webhook and event, since its ID is made of both. While an attempt is under way, `lease` is its id and `next_attempt_at` the
-- moment at which any worker may take the delivery again: one that dies holds it for no longer. Partitions go whole, so no key refers to
-- their rows: only the fan-out writes deliveries, and only a claim writes attempts.
create table public.webhook_deliveries (
  id text not null,
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
  foreign key (tenant_id, webhook_id) references public.webhooks (tenant_id, id) on delete cascade,
  check ((status = 'pending') = (next_attempt_at is not null)),
  check (lease is null or status = 'pending'),
  check ((status = 'failed') = (failure_kind is not null))
) partition by range (id);
create table partitions.webhook_deliveries_first partition of public.webhook_deliveries for values from (minvalue) to (maxvalue);
alter table partitions.webhook_deliveries_first enable row level security;
create index webhook_deliveries_by_event on public.webhook_deliveries (tenant_id, event_id);
create index webhook_deliveries_by_webhook on public.webhook_deliveries (tenant_id, webhook_id, id desc);
create index webhook_deliveries_due on public.webhook_deliveries (webhook_id, next_attempt_at) where status = 'pending';
create index webhook_deliveries_missed on public.webhook_deliveries (webhook_id, id desc) where status = 'failed';
create index webhook_deliveries_leased on public.webhook_deliveries (lease) where lease is not null;
create index webhook_deliveries_under_way on public.webhook_deliveries (tenant_id, webhook_id) include (next_attempt_at) where lease is not null;

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
  primary key (tenant_id, delivery_id, number),
  check ((status = 'failed') = (failure_kind is not null))
) partition by range (delivery_id);
create table partitions.webhook_attempts_first partition of public.webhook_attempts for values from (minvalue) to (maxvalue);
alter table partitions.webhook_attempts_first enable row level security;

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
  using (tenant_id = (select private.tenant_id()) and created_at > now() - interval '30 days'
    and (select private.may('read:webhooks', 'write:webhooks')));
create policy webhook_attempts_read on public.webhook_attempts for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:webhooks', 'write:webhooks')));
create policy webhook_answer_times_read on public.webhook_answer_times for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:webhooks', 'write:webhooks')));

-- Fan-out: an event and its deliveries commit together, however many events a statement has, and notify the sender.

-- A notification instead of a job: a job would be three more writes a delivery, for what webhook_deliveries says anyway.
create function private.wake_webhook(webhook_id text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.notify('deliveries', webhook_id);
end $$;

-- Of the event's time, and the same however often it is made: a second delivery of the event to the webhook is a second row of its key.
create function private.delivery_id(event_id text, webhook_id text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return 'dlv_' || substr(event_id, 5, 12) || left(encode(sha256(convert_to(event_id || webhook_id, 'UTF8')), 'hex'), 20);
end $$;

-- A test goes to the webhook it tests; what is reported of a webhook is not sent to that webhook. What a disabled webhook
-- misses is recorded, so that it can be recovered.
create function private.fan_out_events() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  awaiting record;
begin
  for awaiting in
    with fanned_out as (
      insert into public.webhook_deliveries (id, tenant_id, webhook_id, event_id, type, status, failure_kind, next_attempt_at)
      select private.delivery_id(e.id, w.id), e.tenant_id, w.id, e.id, e.type,
        case w.status when 'active' then 'pending' else 'failed' end,
        case w.status when 'disabled' then 'webhook_disabled' end,
        case w.status when 'active' then now() end
      from emitted e join public.webhooks w on w.tenant_id = e.tenant_id
      where w.deleted_at is null and case
        when e.test_of is not null then w.id = e.test_of
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
language plpgsql volatile set search_path = '' as $$
begin
  update private.webhook_secrets s set expires_at = least(s.expires_at, now() + grace)
  where s.tenant_id = private.tenant_id() and s.webhook_id = $1;
  insert into private.webhook_secrets (id, tenant_id, webhook_id, sealed)
  select $2, w.tenant_id, w.id, $3 from public.webhooks w where w.tenant_id = private.tenant_id() and w.id = $1;
end $$;

create function private.forget_webhook_secrets(webhook_id text) returns void
language plpgsql volatile set search_path = '' as $$
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
    select from private.event_once o where o.tenant_id = w.tenant_id and o.type = 'webhook.failing' and o.once_key = warning
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
  private.find_webhook(text), private.webhook_disable_at(timestamptz), private.last_failure(public.webhooks)
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
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_generic_plan' as $$
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
      where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.status = 'failed' and d.created_at > now() - interval '30 days'
      order by d.id limit 1
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
-- of the idempotency key can read it. Refuses: scope_required and role_required for events that the caller may not
-- read, conflict beyond 250 webhooks. Records: webhook.created.
create function public.create_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'create_webhook');
  w public.webhooks;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_readable_events(private.text_array(input -> 'events'));
  perform private.require_quota('webhooks');
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

-- Kinds of events that the caller may not read and that can still be sent to this webhook: waiting, or again.
create function private.unreadable_sent(webhook_id text) returns text[]
language plpgsql stable set search_path = '' as $$
begin
  return array(
    select k.kind from private.event_kinds k
    where k.kind <> all (private.readable_events()) and exists (
      select from public.webhook_deliveries d where d.tenant_id = private.tenant_id() and d.webhook_id = $1 and d.type = k.kind)
  );
end $$;

-- input: { id, patch: { url, description, events, status, reason } }. A new address starts with a clean record.
-- Who may not read its events changes neither them nor the address; nor the address, where such were sent before. Refuses: not_found, precondition_failed, scope_required,
-- role_required. Records: webhook.updated, webhook.enabled, webhook.disabled.
create function public.update_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
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
  if w.url <> before.url or w.events <> before.events then
    perform private.require_readable_events(w.events);
  end if;
  if w.url <> before.url then
    perform private.require_readable_events(private.unreadable_sent(w.id));
  end if;
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
language plpgsql volatile security definer set search_path = '' as $$
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
language plpgsql volatile security definer set search_path = '' as $$
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
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'enable_webhook');
begin
  if kept is not null then
    return kept;
  end if;
  return private.answer(request, private.webhook_json(private.enable_webhook(private.lock_webhook(input ->> 'id'))));
end $$;

-- input: { id, type, data }: an event of this type, with example data where it is not webhook.test. Answers the delivery.
-- Refuses: not_found, conflict; scope_required and role_required for an event that the caller may not read.
create function public.test_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'test_webhook');
  w public.webhooks;
  d public.webhook_deliveries;
  event text;
begin
  if kept is not null then
    return kept;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.require_active_webhook(w);
  if input ->> 'type' <> 'webhook.test' then
    perform private.require_readable_events(array[input ->> 'type']);
  end if;
  event := private.emit_test(w.id, input ->> 'type', coalesce(nullif(input -> 'data', 'null'),
    jsonb_build_object('id', w.id, 'message', 'It works.', 'sent_by', private.actor())));
  select * into d from public.webhook_deliveries x where x.tenant_id = w.tenant_id and x.id = private.delivery_id(event, w.id);
  return private.answer(request, private.delivery_json(d));
end $$;

grant execute on function
  private.webhook_health(public.webhooks, interval), private.webhook_json(public.webhooks), private.webhook_version(public.webhooks)
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

create function private.delivery_json(d public.webhook_deliveries, last_attempt public.webhook_attempts) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  wire_status constant text := private.delivery_status(d);
begin
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

create function private.delivery_json(d public.webhook_deliveries) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  last_attempt public.webhook_attempts;
begin
  select * into last_attempt from public.webhook_attempts a
  where a.tenant_id = d.tenant_id and a.delivery_id = d.id order by a.number desc limit 1;
  return private.delivery_json(d, last_attempt);
end $$;

-- Refuses: not_found.
create function private.find_delivery(webhook_id text, id text) returns public.webhook_deliveries
language plpgsql stable set search_path = '' as $$
declare
  d public.webhook_deliveries;
begin
  select * into d from public.webhook_deliveries x where x.tenant_id = private.tenant_id() and x.id = $2 and x.webhook_id = $1
    and x.created_at > now() - interval '30 days';
  if not found then
    perform private.refuse_missing('delivery');
  end if;
  return d;
end $$;

-- Newest first. input: { limit, after: [id] | null, webhook_id, status, type, event_id, request_id, since, until }.
create function private.deliveries_page(input jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  wanted constant text := input ->> 'status';
  items jsonb;
begin
  execute format($q$
    select jsonb_agg(private.delivery_json(p.d, a.a) order by (p.d).id desc)
    from (select d from public.webhook_deliveries d where %s order by d.id desc limit $1 + 1) p
    left join lateral (
      select a from public.webhook_attempts a
      where a.tenant_id = (p.d).tenant_id and a.delivery_id = (p.d).id order by a.number desc limit 1
    ) a on true
  $q$, concat_ws(' and ',
    format('d.tenant_id = %L', private.tenant_id()),
    (
      select string_agg(format('d.%I = %L', name, input ->> name), ' and ')
      from unnest('{webhook_id,type,event_id}'::text[]) name where input ->> name is not null
    ),
    case when input -> 'after' ->> 0 is not null then format('d.id < %L', input -> 'after' ->> 0) end,
    case when wanted in ('delivered', 'failed') then format('d.status = %L', wanted)
      when wanted is not null then format('d.status = ''pending'' and private.delivery_status(d) = %L', wanted) end,
    case when input ->> 'request_id' is not null then
      format('d.event_id in (select e.id from public.events e where e.tenant_id = %L and e.request_id = %L)', private.tenant_id(), input ->> 'request_id') end,
    case when input ->> 'since' is not null then format('d.created_at >= %L::timestamptz', input ->> 'since') end,
    case when input ->> 'until' is not null then format('d.created_at < %L::timestamptz', input ->> 'until') end
  )) into items using page_size;
  return private.page(items, page_size, 'id') || jsonb_build_object('as_of', private.iso(now()));
end $$;

-- One webhook's. input: { id, … as private.deliveries_page }. Refuses: not_found.
create function public.list_webhook_deliveries(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, 'list_webhook_deliveries');
  return private.deliveries_page(input || jsonb_build_object('webhook_id', (private.find_webhook(input ->> 'id')).id));
end $$;

-- Every webhook's. input: as private.deliveries_page.
create function public.list_deliveries(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, 'list_deliveries');
  return private.deliveries_page(input);
end $$;

-- Attempts and response times by hour of the last 7 days, without the hours that had none. Of all webhooks where `webhook_id` is null.
-- Planned each time: one plan for both reads every webhook's attempts for the sake of one.
create function private.attempts_by_hour(webhook_id text) returns jsonb
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
begin
  return jsonb_build_object('as_of', private.iso(now()), 'hours', coalesce((
    with counted as (
      select t.hour, t.succeeded, t.bucket, sum(t.attempts) as attempts,
        sum(sum(t.attempts)) filter (where t.bucket >= 0) over (partition by t.hour order by t.bucket) as up_to,
        sum(sum(t.attempts)) filter (where t.bucket >= 0) over (partition by t.hour) as total
      from public.webhook_answer_times t
      where t.tenant_id = private.tenant_id() and (attempts_by_hour.webhook_id is null or t.webhook_id = attempts_by_hour.webhook_id)
        and t.hour > now() - interval '7 days'
      group by t.hour, t.succeeded, t.bucket
    )
    select jsonb_agg(h.found order by h.hour) from (
      select c.hour, jsonb_build_object(
        'start', private.iso(c.hour),
        'succeeded', coalesce(sum(c.attempts) filter (where c.succeeded), 0), 'failed', coalesce(sum(c.attempts) filter (where not c.succeeded), 0),
        'p50_ms', round(1.1 ^ (min(c.bucket) filter (where c.bucket >= 0 and c.up_to >= c.total * 0.5) + 0.5)),
        'p95_ms', round(1.1 ^ (min(c.bucket) filter (where c.bucket >= 0 and c.up_to >= c.total * 0.95) + 0.5))
      ) as found
      from counted c group by c.hour
    ) h
  ), '[]'));
end $$;

-- One webhook's. input: { id }. Refuses: not_found.
create function public.get_webhook_stats(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, 'get_webhook_stats');
  return private.attempts_by_hour((private.find_webhook(input ->> 'id')).id);
end $$;

-- Every webhook's, together. input: {}.
create function public.get_delivery_stats(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
begin
  perform private.enter(request, 'get_delivery_stats');
  return private.attempts_by_hour(null);
end $$;

-- input: { id, delivery_id }. The payload, and the response, which may repeat it, are null where the caller may not read events of its
-- kind. Refuses: not_found.
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
        || case when e.test_of is not null then '{"test": true}' else '{}'::jsonb end
      from public.events e where e.tenant_id = d.tenant_id and e.id = d.event_id
    ),
    'request_id', (select e.request_id from public.events e where e.tenant_id = d.tenant_id and e.id = d.event_id),
    'attempts', coalesce((
      select jsonb_agg(private.attempt_json(a) || jsonb_build_object(
        'response', case when a.status_code is not null and d.type = any (private.readable_events()) then jsonb_build_object(
          'headers', coalesce(a.response_headers, '{}'), 'body', coalesce(a.response_body, ''), 'truncated', coalesce(a.response_truncated, false)
        ) end
      ) order by a.number)
      from public.webhook_attempts a where a.tenant_id = d.tenant_id and a.delivery_id = d.id
    ), '[]')
  );
end $$;

-- Attempts whose lease is over: their result will not come any more. There are seldom any.
create function private.interrupt_lapsed_attempts(webhook_ids text[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  lapsed record;
begin
  for lapsed in
    select d.tenant_id, d.id, d.lease from public.webhook_deliveries d
    where d.lease is not null and d.next_attempt_at <= now() and d.webhook_id = any (webhook_ids)
      and d.tenant_id = coalesce(private.tenant_id(), d.tenant_id)
  loop
    update public.webhook_attempts a set status = 'interrupted', duration_ms = extract(epoch from now() - a.started_at) * 1000,
      detail = 'The worker that made this attempt stopped responding.'
    where a.tenant_id = lapsed.tenant_id and a.delivery_id = lapsed.id and a.id = lapsed.lease and a.status = 'in_flight';
  end loop;
end $$;

-- Sends again what the caller may see, from the start of the schedule; answers how many. What is under way is left alone.
create function private.requeue_deliveries(webhook_id text, ids text[], cause text) returns bigint
language plpgsql volatile set search_path = '' as $$
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
language plpgsql volatile security definer set search_path = '' as $$
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
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'recover_webhook');
  since constant timestamptz := (input ->> 'since')::timestamptz;
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  oldest constant timestamptz := greatest(since, now() - interval '30 days');
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
    where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.created_at >= oldest and d.status = 'failed'
    union all
    select d.id from public.webhook_deliveries d
    where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.created_at >= oldest and d.status = 'pending'
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
  private.delivery_json(public.webhook_deliveries, public.webhook_attempts), private.delivery_json(public.webhook_deliveries),
  private.deliveries_page(jsonb), private.find_delivery(text, text), private.attempts_by_hour(text)
to authenticated;

-- Sending: claim what is due under a lease, settle what came of it, take over what a dead worker held. For the worker alone.

-- Takes up to `room` due deliveries of the named webhooks for 23 seconds. Caps, so that a receiver that hangs costs others
-- nothing: 20 at once per webhook, 2 while it fails; 200 per tenant, beyond the first of each webhook, which is always let
-- through. Whoever settles a delivery claims for its webhook again, so a claim that a cap cut short is never forgotten.
create function private.claim_webhook_deliveries(webhook_ids text[], room integer)
returns table (
  attempt_id bigint, delivery_id text, webhook_id text, tenant_id text, event_id text, url text, body text, secrets jsonb, sent_at bigint,
  type text, request_id text
)
-- Planned once a connection, and by indexes, whatever the tables looked like then: planning costs more than claiming. By no bitmaps: they
-- read again and again what other scans of an index leave out for good, the places that deliveries had before they were claimed.
language plpgsql volatile set search_path = '' set plan_cache_mode = 'force_generic_plan'
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  inactive text[];
  chosen record;
begin
  -- One claim at a time: the caps hold over all workers.
  perform pg_advisory_xact_lock(hashtextextended('tieout.claim_webhook_deliveries', 0));

  perform private.interrupt_lapsed_attempts(webhook_ids);
  inactive := array(select w.id from public.webhooks w where w.id = any (webhook_ids) and (w.status <> 'active' or w.deleted_at is not null));
  if cardinality(inactive) > 0 then
    update public.webhook_deliveries d set status = 'failed', failure_kind = 'webhook_disabled', next_attempt_at = null, lease = null
    where d.webhook_id = any (inactive) and d.status = 'pending' and d.next_attempt_at <= now();
  end if;

  with asked as (
    select w.id, w.tenant_id, w.url, case when w.failing_since is null then 20 else 2 end as cap
    from public.webhooks w
    where w.id = any (webhook_ids) and w.status = 'active' and w.deleted_at is null
  ), busy as (
    select d.tenant_id, d.webhook_id, count(*) as deliveries from public.webhook_deliveries d
    where d.lease is not null and d.next_attempt_at > now() and d.tenant_id in (select tenant_id from asked)
    group by 1, 2
  ), due as (
    select a.tenant_id, a.id as webhook_id, a.url, d.id, d.event_id, d.next_attempt_at,
      coalesce(b.deliveries, 0) + row_number() over (partition by a.id order by d.next_attempt_at) as place
    from asked a
    left join busy b on b.webhook_id = a.id
    cross join lateral (
      select x.id, x.event_id, x.next_attempt_at from public.webhook_deliveries x
      where x.webhook_id = a.id and x.status = 'pending' and x.next_attempt_at <= now()
      order by x.next_attempt_at limit greatest(0, a.cap - coalesce(b.deliveries, 0))
      for no key update skip locked
    ) d
  ), ranked as (
    select *, coalesce((select sum(b.deliveries - 1) from busy b where b.tenant_id = due.tenant_id), 0)
      + count(*) filter (where place > 1) over (partition by tenant_id order by place, next_attempt_at, id) as beyond_the_first
    from due
  ), first as (
    select * from ranked where place = 1 or beyond_the_first <= 200
    order by place, next_attempt_at limit room
  )
  select array_agg(f.tenant_id) as tenants, array_agg(f.id) as ids, array_agg(f.url) as urls, array_agg(f.place) as places
  into chosen from first f;
  if chosen.ids is null then
    return;
  end if;

  return query
  with leased as (
    update public.webhook_deliveries d set
      lease = nextval('public.webhook_attempts_id_seq'), next_attempt_at = now() + interval '23 seconds', attempt_count = d.attempt_count + 1
    from unnest(chosen.tenants, chosen.ids, chosen.urls, chosen.places) as c (tenant_id, id, url, place)
    where d.tenant_id = c.tenant_id and d.id = c.id
    returning d.id, d.tenant_id, d.webhook_id, d.event_id, d.lease, d.attempt_count, d.cause, c.url, c.place
  ), begun as (
    insert into public.webhook_attempts (id, tenant_id, delivery_id, number, cause)
    select l.lease, l.tenant_id, l.id, l.attempt_count, l.cause from leased l
  )
  select l.lease, l.id, l.webhook_id, l.tenant_id, l.event_id, l.url,
    format('{"type":%s,"timestamp":%s,%s"data":%s}', to_json(e.type), to_json(private.iso(e.at)),
      case when e.test_of is not null then '"test":true,' end, e.data),
    (
      select jsonb_agg(jsonb_build_object('id', s.id, 'sealed', s.sealed) order by s.created_at desc)
      from private.webhook_secrets s
      where s.tenant_id = l.tenant_id and s.webhook_id = l.webhook_id and (s.expires_at is null or s.expires_at > now())
    ),
    floor(extract(epoch from clock_timestamp()))::bigint, e.type, e.request_id
  from leased l join public.events e on e.tenant_id = l.tenant_id and e.id = l.event_id
  order by l.place;
end $$;

-- Webhooks with something due for a second that no notification or timer has taken care of: a worker died, or its lease is over.
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
  select w.webhook_id from waiting w where w.next_attempt_at <= now() - interval '1 second';
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
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
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
    from judged j where a.tenant_id = j.tenant_id and a.delivery_id = j.id and a.id = j.attempt_id
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

-- Deletes deleted webhooks, old secrets, counts and the keys of events that are gone, at most `batch` of the last; answers how many.
-- Deliveries, attempts and events go with their partitions (private.roll_partitions).
create function private.purge_webhook_deliveries(batch integer default 5000) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  keys integer;
begin
  delete from private.event_once o using (
    select x.tenant_id, x.type, x.once_key from private.event_once x where x.at < now() - interval '30 days' limit batch
  ) old
  where o.tenant_id = old.tenant_id and o.type = old.type and o.once_key = old.once_key;
  get diagnostics keys = row_count;
  delete from public.webhooks w where w.deleted_at < now() - interval '30 days'
    and not exists (select from public.webhook_deliveries d where d.tenant_id = w.tenant_id and d.webhook_id = w.id);
  delete from private.webhook_secrets s where s.expires_at < now();
  delete from public.webhook_answer_times t where t.hour < now() - interval '8 days';
  return keys;
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
-- of more than 10,000 parts or 256 KiB of them are found by what is kept. Beyond 1 MiB a tsvector reads its own words wrongly.
create function private.record_search(tenant_id text, surface text, data jsonb) returns tsvector
language sql immutable set search_path = ''
return (
  select coalesce(array_to_tsvector(array_agg(distinct kept.lexeme)), '')
  from (
    select found.lexeme, sum(octet_length(found.lexeme)) over (rows unbounded preceding) as bytes
    from (
      select private.record_mark($1, $2) || left(array_to_string(word.parts[i:i + 19], '.'), 60) as lexeme
      from jsonb_path_query(data - '{tenantId,idempotencyKey}'::text[], 'strict $.**') value
      cross join regexp_split_to_table(private.record_words(value #>> '{}'), '\s+') token
      cross join lateral (select (string_to_array(btrim(token, '.'), '.'))[1:100] as parts) word
      cross join generate_subscripts(word.parts, 1) i
      where jsonb_typeof(value) in ('string', 'number') and btrim(token, '.') <> ''
      limit 10000
    ) found
  ) kept
  where kept.bytes <= 262144
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

-- Deleted, and not for good: what the bin holds. Past its time a record is gone, whether or not it was purged.
create function private.in_bin(deleted_at timestamptz) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return private.record_purge_at(deleted_at) > now();
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

create trigger count_new after insert on public.records referencing new table as changed
  for each statement execute function private.count_rows('records', '1');
create trigger count_gone after delete on public.records referencing old table as changed
  for each statement execute function private.count_rows('records', '-1');

-- Who may write a surface sees what it writes. Deleted rows are visible with the permission to restore.
-- The publishable key sees published records of the public surfaces.
alter table public.records enable row level security;
grant select on public.records to anon, authenticated, service_role;
create policy records_read on public.records for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and surface = any ((select private.permitted('read', 'write'))::text[])
    and (deleted_at is null or private.in_bin(deleted_at) and surface = any ((select private.permitted('restore'))::text[])));
create policy records_read_published on public.records for select to anon
  using (tenant_id = (select private.tenant_id())
    and (select private.principal_type()) = 'publishable_key'
    and surface = any ((select private.permitted('read'))::text[]) and published and deleted_at is null);

grant execute on function
  private.record_retention(), private.record_purge_at(timestamptz), private.in_bin(timestamptz)
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

-- The wire form and the version its ETag is made of. The record's own fields come first, so none can pose as the server's. Who made it
-- is not for the publishable key.
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
    'id', r.id, 'created_at', private.iso(r.created_at), 'updated_at', private.iso(r.updated_at),
    'created_by', case when private.principal_type() <> 'publishable_key' then r.created_by end
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
    when 'true' then array[own || ' and r.deleted_at is null', own || ' and r.deleted_at is not null and private.in_bin(r.deleted_at)']
    when 'only' then array[own || ' and r.deleted_at is not null and private.in_bin(r.deleted_at)']
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
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
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
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'create_record', coalesce(input ->> 'surface', ''));
  created public.records;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_record_size(input -> 'data');
  perform private.require_quota('records');
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
language plpgsql volatile security definer set search_path = '' as $$
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
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'delete_record', coalesce(input ->> 'surface', ''));
  r public.records;
begin
  if kept is not null then
    return kept;
  end if;
  r := private.lock_record(input, request);
  update public.records x set deleted_at = now() where x.tenant_id = r.tenant_id and x.id = r.id returning * into r;
  return private.answer(request, private.record_json(r));
end $$;

-- input: { surface, id }. Restoring what is not deleted returns it unchanged. Refuses: not_found.
create function public.restore_record(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'restore_record', coalesce(input ->> 'surface', ''));
  r public.records;
begin
  if kept is not null then
    return kept;
  end if;
  select * into r from public.records x
  where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' and x.surface = input ->> 'surface'
    and (x.deleted_at is null or private.in_bin(x.deleted_at)) for update;
  if not found then
    perform private.refuse_missing('record');
  end if;
  if r.deleted_at is not null then
    update public.records x set deleted_at = null where x.tenant_id = r.tenant_id and x.id = r.id returning * into r;
  end if;
  return private.answer(request, private.record_json(r));
end $$;

grant execute on function
  private.record_json(public.records), private.with_deleted(jsonb), private.find_records(jsonb)
to anon, authenticated;

-- Members: whom a tenant's exceptions can be assigned to, and the accounts that Supabase Auth has.

-- What an account is called: the local part of its address, as the server reads a token (lib/auth/claims.ts).
create function private.account_name(email text, id uuid) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return left(regexp_replace(btrim(case when strpos(email, '@') > 1 then split_part(email, '@', 1) else id::text end), '\s+', '_', 'g'), 120);
end $$;

-- An account's roles in a tenant, null where it is no member: `tenants` is an object of roles by tenant, or an array with `roles` beside it.
create function private.roles_of_account(claims jsonb, tenant text) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare
  roles constant jsonb := case jsonb_typeof(claims -> 'tenants')
    when 'object' then claims -> 'tenants' -> tenant
    when 'array' then case when claims -> 'tenants' ? tenant then coalesce(claims -> 'roles', '[]') end
  end;
begin
  return case when jsonb_typeof(roles) = 'array' then roles end;
end $$;

-- The tenants that an account's claims name.
create function private.tenants_of_claims(claims jsonb) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return case jsonb_typeof(claims -> 'tenants')
    when 'object' then array(select jsonb_object_keys(claims -> 'tenants'))
    when 'array' then array(select t #>> '{}' from jsonb_array_elements(claims -> 'tenants') t where jsonb_typeof(t) = 'string')
    else '{}'
  end;
end $$;

-- The claims with these roles in the tenant; null: without the tenant. Always in the form of an object.
create function private.claims_with_roles(claims jsonb, tenant text, roles jsonb) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare
  base jsonb := coalesce(claims, '{}');
  tenants jsonb;
begin
  if jsonb_typeof(base -> 'tenants') = 'array' then
    base := base - 'roles' || jsonb_build_object('tenants', coalesce((
      select jsonb_object_agg(t, coalesce(base -> 'roles', '[]')) from jsonb_array_elements_text(base -> 'tenants') t
    ), '{}'));
  end if;
  tenants := (case jsonb_typeof(base -> 'tenants') when 'object' then base -> 'tenants' else '{}' end) - tenant;
  return base || jsonb_build_object('tenants', case when roles is null then tenants else tenants || jsonb_build_object(tenant, roles) end);
end $$;

-- The people whom Supabase Auth has in the tenant, and those who were assigned an exception before: an identity provider's users may be
-- unknown to it. Accounts that cannot sign in are left out.
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
    select private.account_name(u.email, u.id), r.role, 'directory'
    from private.accounts_of(tenant) u
    left join lateral unnest(private.roles()) as r (role) on private.roles_of_account(u.raw_app_meta_data, tenant) ? r.role
    where u.banned_until is null or u.banned_until <= now()
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
begin
  if not exists (select from public.tenants t where t.id = $1) then
    perform private.refuse('not_found', format('There is no tenant %s.', $1));
  end if;
  select * into account from auth.users u where u.id = (private.find_account($2)).id for no key update;
  if not found then
    perform private.refuse('not_found', format('Supabase Auth has no account with the address %s. Create it there first.', $2));
  end if;
  update auth.users u set raw_app_meta_data = private.claims_with_roles(u.raw_app_meta_data, $1, to_jsonb($3)) where u.id = account.id;
  perform private.append_security_event(jsonb_build_object(
    'tenant_id', $1, 'type', 'member.admitted', 'actor', 'operator', 'credential', 'system', 'target', 'user:' || private.account_name(account.email, account.id),
    'details', jsonb_build_object('roles', jsonb_build_object(
      'from', coalesce(private.roles_of_account(account.raw_app_meta_data, $1), '[]'), 'to', to_jsonb($3)))
  ));
end $$;

-- What Supabase Auth knows of a signed-in user now: a session's roles are those of the moment, not those of its sign-in.
-- Null for a user who is deleted or banned, or never was.
create function private.find_session_user(user_id uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select jsonb_build_object('app_metadata', coalesce(u.raw_app_meta_data, '{}'), 'email', u.email)
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

-- A tenant's accounts: who is a member, with which roles. An admin changes and removes them; what somebody else's identity provider
-- says of its users is that provider's to change.

-- As an admin sees it. `open_exceptions` is counted to 1,000.
create function private.account_json(u auth.users, tenant text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  name constant text := private.account_name(u.email, u.id);
  roles constant jsonb := private.roles_of_account(u.raw_app_meta_data, tenant);
begin
  return jsonb_build_object(
    'id', u.id, 'name', name, 'user', 'user:' || name, 'email', u.email,
    'roles', to_jsonb(array(select r from unnest(private.roles()) r where roles ? r)),
    'status', case when u.banned_until > now() then 'suspended' else 'active' end,
    'created_at', private.iso(u.created_at), 'last_sign_in_at', private.iso(u.last_sign_in_at),
    'open_exceptions', (select count(*) from (
      select from public.exceptions e
      where e.tenant_id = tenant and e.assigned_to = 'user:' || name and e.status in ('open', 'in_review') limit 1000
    ) counted),
    'version', private.version_of(roles)
  );
end $$;

-- The accounts of the caller's tenant, for who may manage them.
create function private.tenant_accounts() returns setof auth.users
language plpgsql stable security definer set search_path = '' as $$
begin
  if private.may('read:people') then
    return query select * from private.accounts_of(private.tenant_id());
  end if;
end $$;

-- One of them; null: there is none.
create function private.tenant_account(id uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select private.account_json(u, private.tenant_id()) from auth.users u
    where u.id = $1 and private.may('read:people') and u.deleted_at is null
      and private.roles_of_account(u.raw_app_meta_data, private.tenant_id()) is not null
  );
end $$;

-- A page of them by address, after this one.
create function private.tenant_account_page(after text, sought text, most integer) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select jsonb_agg(private.account_json(u.account, private.tenant_id()) || jsonb_build_object('key', u.key) order by u.key)
    from (
      select a as account, coalesce(a.email, '') || ' ' || a.id as key from private.tenant_accounts() a
      where (after is null or coalesce(a.email, '') || ' ' || a.id > after) and (sought is null or strpos(lower(a.email), sought) > 0)
      order by 2 limit most
    ) u
  );
end $$;

-- Gives an account other roles in the caller's tenant; null: removes it from there, and ends its sessions where it has no other tenant.
-- One at a time in a tenant: two admins who remove each other would leave none. `issuer`: of Supabase Auth's accounts. Answers its name,
-- its roles before and which sessions ended. Refuses: not_found, precondition_failed, conflict for the last admin.
create function private.change_account(id uuid, roles jsonb, versions jsonb, issuer text) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  account auth.users;
  before jsonb;
  ended text[] := '{}';
begin
  perform pg_advisory_xact_lock(hashtextextended('members ' || tenant, 0));
  select * into account from auth.users u
  where u.id = $1 and u.deleted_at is null and private.roles_of_account(u.raw_app_meta_data, tenant) is not null for no key update;
  before := private.roles_of_account(account.raw_app_meta_data, tenant);
  if before is null then
    perform private.refuse_missing('member');
  end if;
  perform private.require_version(private.version_of(before), versions);
  if before ? 'tenant_admin' and not coalesce(roles ? 'tenant_admin', false) and not exists (
    select from private.accounts_of(tenant) u
    where u.id <> account.id and (u.banned_until is null or u.banned_until <= now())
      and private.roles_of_account(u.raw_app_meta_data, tenant) ? 'tenant_admin'
  ) then
    perform private.refuse('conflict', 'This is the tenant''s last admin. Make another member an admin first.');
  end if;
  update auth.users u set raw_app_meta_data = private.claims_with_roles(u.raw_app_meta_data, tenant, roles), updated_at = now()
  where u.id = account.id returning * into account;
  if roles is null and account.raw_app_meta_data -> 'tenants' = '{}' then
    with gone as (
      update private.sessions s set ended_at = now()
      where s.issuer = change_account.issuer and s.subject = account.id::text and s.ended_at is null returning s.id
    )
    select coalesce(array_agg(g.id), '{}') into ended from gone g;
  end if;
  return jsonb_build_object('name', private.account_name(account.email, account.id), 'before', before, 'ended', to_jsonb(ended));
end $$;

-- Whether several accounts of the caller's tenant are called this.
create function private.has_namesake(name text) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return (select count(*) > 1 from private.accounts_of(private.tenant_id()) u where private.account_name(u.email, u.id) = $1);
end $$;

grant execute on function private.tenant_account(uuid), private.tenant_account_page(text, text, integer) to authenticated;

-- input: { limit, after: [key] | null, q }. By address; q is part of it.
create function public.list_tenant_members(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
begin
  perform private.enter(request, 'list_tenant_members');
  return private.page(private.tenant_account_page(input -> 'after' ->> 0, lower(input ->> 'q'), page_size + 1), page_size, 'key');
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_tenant_member(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  member jsonb;
begin
  perform private.enter(request, 'get_tenant_member');
  member := private.tenant_account((input ->> 'id')::uuid);
  if member is null then
    perform private.refuse_missing('member');
  end if;
  return member;
end $$;

-- input: { id, roles, issuer }. Refuses: not_found, precondition_failed, conflict for the last admin. Records: member.role_changed, where it is a change.
create function public.update_tenant_member(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'update_tenant_member');
  member constant uuid := (input ->> 'id')::uuid;
  changed jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  changed := private.change_account(member, input -> 'roles', request -> 'versions', input ->> 'issuer');
  if changed -> 'before' <> input -> 'roles' then
    perform private.record_security_event('member.role_changed', 'user:' || (changed ->> 'name'), null, jsonb_build_object(
      'member_id', member, 'roles', jsonb_build_object('from', changed -> 'before', 'to', input -> 'roles')));
  end if;
  return private.answer(request, private.tenant_account(member));
end $$;

create function private.open_exceptions_of(assignee text) returns text[]
language plpgsql stable set search_path = '' as $$
begin
  return array(
    select e.id from public.exceptions e where e.tenant_id = private.tenant_id() and e.assigned_to = assignee and e.status in ('open', 'in_review'));
end $$;

-- input: { id, reason, issuer, hand_over, hand_over_to }. With hand_over, the open exceptions assigned to them go to hand_over_to, or to
-- nobody. Refuses: not_found, precondition_failed, conflict for the last admin, and to hand over what a namesake has too, or more than fit one call.
-- Records: member.removed.
create function public.remove_tenant_member(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'remove_tenant_member');
  member constant uuid := (input ->> 'id')::uuid;
  before constant jsonb := case when kept is null then private.tenant_account((input ->> 'id')::uuid) end;
  changed jsonb;
  handed_over integer := 0;
begin
  if kept is not null then
    return kept;
  end if;
  if (input ->> 'hand_over')::boolean and private.has_namesake(before ->> 'name') then
    perform private.refuse('conflict', format('Another member is called %s too. Reassign the exceptions on the board first, then remove the member without handing over.', before ->> 'name'));
  -- Counted to 1,000.
  elsif (input ->> 'hand_over')::boolean and (before ->> 'open_exceptions')::integer >= 1000 then
    perform private.refuse('conflict', format('%s has 1,000 open exceptions or more. Reassign them on the board first, then remove the member without handing over.', before ->> 'name'));
  end if;
  changed := private.change_account(member, null, request -> 'versions', input ->> 'issuer');
  if (input ->> 'hand_over')::boolean then
    select count(*) into handed_over from private.change_exceptions_as_asked('edit', array(
      select jsonb_build_object('id', h.id, 'assigned_to', input -> 'hand_over_to')
      from private.hold_exceptions(private.open_exceptions_of('user:' || (changed ->> 'name'))) h
      where h.assigned_to = 'user:' || (changed ->> 'name') and h.status in ('open', 'in_review')
    ));
  end if;
  perform private.record_security_event('member.removed', 'user:' || (changed ->> 'name'), input ->> 'reason', jsonb_build_object(
    'member_id', member, 'roles', changed -> 'before', 'sessions_ended', jsonb_array_length(changed -> 'ended'),
    'handed_over', handed_over, 'handed_over_to', input ->> 'hand_over_to'));
  return private.answer(request, before || jsonb_build_object('handed_over', handed_over, 'ended', changed -> 'ended'));
end $$;

-- Invitations: who is asked to join a tenant, by e-mail. Of the link's token only a SHA-256 digest is kept, and that from the moment
-- that the mail is made: nobody but the invited ever has it.

create table public.invitations (
  id text not null default private.new_id('inv'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  email text not null check (length(email) between 3 and 254),
  roles text[] not null check (cardinality(roles) between 1 and 3),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  -- When its mail was last asked for, and when that mail was handed over.
  requested_at timestamptz(3) not null default now(),
  -- When a mail was asked for within the day up to the last.
  requests timestamptz(3)[] not null default array[now()],
  sent_at timestamptz(3),
  expires_at timestamptz(3) not null default now() + interval '7 days',
  accepted_at timestamptz(3),
  revoked_at timestamptz(3),
  revoked_by text,
  primary key (tenant_id, id),
  check (email = lower(email)),
  check (accepted_at is null or revoked_at is null)
);
create unique index invitations_open on public.invitations (tenant_id, email) where accepted_at is null and revoked_at is null;
create index invitations_requested on public.invitations (tenant_id, requested_at);

alter table public.invitations enable row level security;
grant select on public.invitations to authenticated;
create policy invitations_read on public.invitations for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:people')));

-- The digests of links, which are looked up before a tenant is known. One an invitation: a new link ends the one before.
create table private.invitation_tokens (
  token_hash text primary key check (token_hash ~ '^[0-9a-f]{64}$'),
  tenant_id text not null,
  invitation_id text not null,
  unique (tenant_id, invitation_id),
  foreign key (tenant_id, invitation_id) references public.invitations (tenant_id, id)
);
alter table private.invitation_tokens enable row level security;

create function private.invitation_status(i public.invitations) returns text
language plpgsql stable set search_path = '' as $$
begin
  return case when i.accepted_at is not null then 'accepted' when i.revoked_at is not null then 'revoked'
    when i.expires_at <= now() then 'expired' else 'pending' end;
end $$;

create function private.invitation_json(i public.invitations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', i.id, 'email', i.email, 'roles', i.roles, 'status', private.invitation_status(i), 'created_at', private.iso(i.created_at),
    'created_by', i.created_by, 'sent_at', private.iso(i.sent_at), 'expires_at', private.iso(i.expires_at),
    'accepted_at', private.iso(i.accepted_at), 'revoked_at', private.iso(i.revoked_at), 'revoked_by', i.revoked_by
  );
end $$;

-- Of what a person can change: it was sent again, accepted or revoked.
create function private.invitation_version(i public.invitations) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(jsonb_build_array(i.requested_at, i.accepted_at, i.revoked_at));
end $$;

-- Locks one of the caller's tenant. Refuses: not_found.
create function private.lock_invitation(id text) returns public.invitations
language plpgsql volatile set search_path = '' as $$
declare
  found_one public.invitations;
begin
  select * into found_one from public.invitations i where i.tenant_id = private.tenant_id() and i.id = $1 for no key update;
  if not found then
    perform private.refuse_missing('invitation');
  end if;
  return found_one;
end $$;

-- How many mails the caller's tenant asked for since then, to one address or to any.
create function private.invitation_mails(since timestamptz, email text) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return (
    select count(*) from public.invitations i cross join unnest(i.requests) at
    where i.tenant_id = private.tenant_id() and i.requested_at > since and at > since and ($2 is null or i.email = $2)
  );
end $$;

-- Has the mail of one of the caller's invitations made and sent.
-- Refuses: rate_limited beyond 100 mails an hour, or to one address beyond 5 an hour or 10 a day.
create function private.send_invitation(id text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  address constant text := (select i.email from public.invitations i where i.tenant_id = tenant and i.id = $1);
begin
  if private.invitation_mails(now() - interval '1 hour', null) > 100 then
    perform private.refuse('rate_limited', 'A tenant can send 100 invitations an hour. Try again later.');
  end if;
  if private.invitation_mails(now() - interval '1 hour', address) > 5 then
    perform private.refuse('rate_limited', 'This address was invited 5 times within the hour. Try again later.');
  end if;
  if private.invitation_mails(now() - interval '1 day', address) > 10 then
    perform private.refuse('rate_limited', 'This address was invited 10 times within a day. Try again tomorrow.');
  end if;
  perform graphile_worker.add_job('send_invitation', private.of_request(jsonb_build_object('tenant_id', tenant, 'invitation_id', i.id)),
    max_attempts => 12, job_key => 'invitation:' || tenant || ':' || i.id)
  from public.invitations i where i.tenant_id = tenant and i.id = $1;
end $$;

-- The link is worth nothing from here on.
create function private.end_invitation_link(id text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  delete from private.invitation_tokens t where t.tenant_id = private.tenant_id() and t.invitation_id = $1;
end $$;

-- Whether the tenant has a member with this address.
create function private.is_member_address(email text) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (select from private.accounts_of(private.tenant_id()) u where lower(u.email) = $1);
end $$;

grant execute on function
  private.invitation_version(public.invitations), private.invitation_status(public.invitations), private.invitation_json(public.invitations)
to authenticated;

-- input: { limit, after: [id] | null, status }. Newest first.
create function public.list_invitations(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.enter(request, 'list_invitations');
  select jsonb_agg(private.invitation_json(i) order by i.id desc) into items
  from (
    select * from public.invitations x
    where x.tenant_id = private.tenant_id() and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or private.invitation_status(x) = input ->> 'status')
    order by x.id desc limit page_size + 1
  ) i;
  return private.page(items, page_size, 'id');
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_invitation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  i public.invitations;
begin
  perform private.enter(request, 'get_invitation');
  select * into i from public.invitations x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('invitation');
  end if;
  return private.invitation_json(i) || jsonb_build_object('version', private.invitation_version(i));
end $$;

-- input: { email, roles }. One that expired gives way. Refuses: conflict for a member, for one invited already and beyond the quota;
-- rate_limited. Records: member.invited.
create function public.create_invitation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'create_invitation');
  created public.invitations;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_quota('members');
  if private.is_member_address(input ->> 'email') then
    perform private.refuse('conflict', 'This person is a member already. Change their roles instead.');
  end if;
  update public.invitations i set revoked_at = now(), revoked_by = private.actor()
  where i.tenant_id = private.tenant_id() and i.email = input ->> 'email' and i.accepted_at is null and i.revoked_at is null
    and i.expires_at <= now();
  insert into public.invitations (email, roles) values (input ->> 'email', private.text_array(input -> 'roles'))
  on conflict (tenant_id, email) where accepted_at is null and revoked_at is null do nothing
  returning * into created;
  if not found then
    perform private.refuse('conflict', 'This address has an invitation that is still open. Resend that one, or revoke it first.');
  end if;
  perform private.send_invitation(created.id);
  perform private.record_security_event('member.invited', created.id, null, jsonb_build_object('email', created.email, 'roles', created.roles));
  return private.answer(request, private.invitation_json(created) || jsonb_build_object('version', private.invitation_version(created)));
end $$;

-- input: { id }. A new link for seven more days; the one before ends. Refuses: not_found, conflict where it was accepted or revoked,
-- rate_limited within a minute of the mail before, and as private.send_invitation. Records: member.invited.
create function public.resend_invitation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'resend_invitation');
  i public.invitations;
begin
  if kept is not null then
    return kept;
  end if;
  i := private.lock_invitation(input ->> 'id');
  if private.invitation_status(i) not in ('pending', 'expired') then
    perform private.refuse('conflict', format('This invitation was %s. Create a new one.', private.invitation_status(i)));
  elsif i.requested_at > now() - interval '1 minute' then
    perform private.refuse('rate_limited', 'This invitation was sent less than a minute ago. Try again in a minute.');
  end if;
  update public.invitations x set requested_at = now(), expires_at = now() + interval '7 days', sent_at = null,
    requests = array(select at from unnest(x.requests) at where at > now() - interval '1 day') || now()::timestamptz(3)
  where x.tenant_id = i.tenant_id and x.id = i.id returning * into i;
  perform private.end_invitation_link(i.id);
  perform private.send_invitation(i.id);
  perform private.record_security_event('member.invited', i.id, null, jsonb_build_object('email', i.email, 'roles', i.roles, 'again', true));
  return private.answer(request, private.invitation_json(i) || jsonb_build_object('version', private.invitation_version(i)));
end $$;

-- input: { id }. Revoking a revoked one returns it unchanged. Refuses: not_found, conflict where it was accepted. Records: member.invitation_revoked.
create function public.revoke_invitation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'revoke_invitation');
  i public.invitations;
begin
  if kept is not null then
    return kept;
  end if;
  i := private.lock_invitation(input ->> 'id');
  perform private.require_version(private.invitation_version(i), request -> 'versions');
  if i.accepted_at is not null then
    perform private.refuse('conflict', 'This invitation was accepted. Remove the member instead.');
  elsif i.revoked_at is null then
    update public.invitations x set revoked_at = now(), revoked_by = private.actor()
    where x.tenant_id = i.tenant_id and x.id = i.id returning * into i;
    perform private.end_invitation_link(i.id);
    perform private.record_security_event('member.invitation_revoked', i.id, null, jsonb_build_object('email', i.email));
  end if;
  return private.answer(request, private.invitation_json(i) || jsonb_build_object('version', private.invitation_version(i)));
end $$;

-- For the worker that makes the mail: keeps the digest of its link in place of the one before. Null: there is nothing to send.
create function private.begin_invitation_mail(tenant_id text, invitation_id text, token_hash text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  i public.invitations;
begin
  select * into i from public.invitations x where x.tenant_id = $1 and x.id = $2 for no key update;
  if not found or private.invitation_status(i) <> 'pending' then
    return null;
  end if;
  delete from private.invitation_tokens t where t.tenant_id = $1 and t.invitation_id = $2;
  insert into private.invitation_tokens (token_hash, tenant_id, invitation_id) values ($3, $1, $2);
  return jsonb_build_object('email', i.email, 'tenant_name', (select t.name from public.tenants t where t.id = $1), 'invited_by', i.created_by,
    'roles', i.roles, 'expires_at', private.iso(i.expires_at));
end $$;

create function private.end_invitation_mail(tenant_id text, invitation_id text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  update public.invitations i set sent_at = now() where i.tenant_id = $1 and i.id = $2;
end $$;
grant execute on function private.begin_invitation_mail(text, text, text), private.end_invitation_mail(text, text) to service_role;

-- Accounts: what people do to their own before they are in: accept an invitation, and set a new password. The server's alone: links
-- carry a token of 256 random bits, of which only the SHA-256 digest is known here, and passwords come as bcrypt hashes.

create table private.password_resets (
  token_hash text primary key check (token_hash ~ '^[0-9a-f]{64}$'),
  user_id uuid not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null default now() + interval '1 hour'
);
create index password_resets_by_user on private.password_resets (user_id, created_at);
create index password_resets_by_age on private.password_resets (created_at);
alter table private.password_resets enable row level security;

-- An account that can sign in, by its address.
create function private.find_account(email text) returns auth.users
language plpgsql stable security definer set search_path = '' as $$
declare
  account auth.users;
begin
  select u.* into account from private.account_index i join auth.users u on u.id = i.user_id
  where i.address = private.address_key($1) and lower(u.email) = lower($1) and u.deleted_at is null order by u.created_at limit 1;
  return account;
end $$;

-- Reported to every tenant of the account. `origin`: { address, request_id }.
create function private.record_account_event(account auth.users, type text, origin jsonb, details jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.append_security_event(jsonb_build_object(
    'tenant_id', t.id, 'type', $2, 'actor', 'user:' || private.account_name(account.email, account.id), 'credential', 'none',
    'target', 'user:' || private.account_name(account.email, account.id), 'address', origin ->> 'address', 'request_id', origin ->> 'request_id',
    'details', $4))
  from public.tenants t where t.id = any (private.tenants_of_claims(account.raw_app_meta_data)) order by t.id;
end $$;

-- Sets a password, ends every session of the account but this one, and every link to reset it. Answers which sessions ended.
create function private.set_password(account auth.users, password_hash text, issuer text, kept_session text) returns text[]
language plpgsql volatile security definer set search_path = '' as $$
declare
  ended text[];
begin
  update auth.users u set encrypted_password = $2, updated_at = now() where u.id = account.id;
  delete from private.password_resets r where r.user_id = account.id;
  -- Supabase Auth's own, which refresh its tokens.
  if to_regclass('auth.sessions') is not null then
    execute 'delete from auth.sessions where user_id = $1' using account.id;
  end if;
  with gone as (
    update private.sessions s set ended_at = now()
    where s.issuer = $3 and s.subject = account.id::text and s.ended_at is null and s.id is distinct from kept_session returning s.id
  )
  select coalesce(array_agg(g.id), '{}') into ended from gone g;
  return ended;
end $$;

-- Has a mail with a link sent to the address, if it has an account: which nobody who asks is told, nor by the time it takes.
create function private.request_password_reset(email text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform graphile_worker.add_job('send_password_reset', json_build_object('email', lower($1)), max_attempts => 6);
end $$;

-- For the worker that makes the mail. Null: there is nobody to send it to, or five were sent within the hour.
create function private.begin_password_reset_mail(email text, token_hash text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  account constant auth.users := private.find_account($1);
begin
  if account.id is null or account.banned_until > now() or (
    select count(*) from private.password_resets r where r.user_id = account.id and r.created_at > now() - interval '1 hour'
  ) >= 5 then
    return null;
  end if;
  delete from private.password_resets r where r.created_at < now() - interval '1 day';
  insert into private.password_resets (token_hash, user_id) values ($2, account.id);
  return jsonb_build_object('email', account.email);
end $$;

-- Its mail could not be sent: nobody has the link, and it doesn't count against the five.
create function private.forget_password_reset(token_hash text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  delete from private.password_resets r where r.token_hash = $1;
end $$;

-- Sets the password of whom the link was sent to; the link works once. Null: it never was one, was used, or is over. Answers the account's
-- id and which sessions ended. Records: member.password_reset.
create function private.reset_password(token_hash text, password_hash text, issuer text, origin jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  account auth.users;
  ended text[];
begin
  select u.* into account from private.password_resets r join auth.users u on u.id = r.user_id
  where r.token_hash = $1 and r.expires_at > now() and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
  for no key update of u;
  -- Of two at once, the second finds it gone.
  delete from private.password_resets r where r.token_hash = $1;
  if account.id is null or not found then
    return null;
  end if;
  ended := private.set_password(account, $2, $3, null);
  perform private.record_account_event(account, 'member.password_reset', $4, jsonb_build_object('sessions_ended', cardinality(ended)));
  return jsonb_build_object('id', account.id, 'ended', to_jsonb(ended));
end $$;

-- Whether a link still works.
create function private.is_password_reset(token_hash text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from private.password_resets r where r.token_hash = $1 and r.expires_at > now());
end $$;

-- By who is signed in and gave the present one. Records: member.password_changed.
create function private.change_password(user_id uuid, password_hash text, issuer text, kept_session text, origin jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  account auth.users;
  ended text[];
begin
  select * into account from auth.users u where u.id = $1 and u.deleted_at is null for no key update;
  if not found then
    return null;
  end if;
  ended := private.set_password(account, $2, $3, $4);
  perform private.record_account_event(account, 'member.password_changed', $5, jsonb_build_object('sessions_ended', cardinality(ended)));
  return jsonb_build_object('id', account.id, 'ended', to_jsonb(ended));
end $$;

-- The invitation that a link is of, while it is open; null for any other.
create function private.open_invitation(token_hash text) returns public.invitations
language plpgsql volatile security definer set search_path = '' as $$
declare
  found_one public.invitations;
begin
  select i.* into found_one
  from private.invitation_tokens t join public.invitations i on i.tenant_id = t.tenant_id and i.id = t.invitation_id
  where t.token_hash = $1 and private.invitation_status(i) = 'pending'
  for no key update of i;
  return found_one;
end $$;

-- What the holder of a link may know of it, null for none that is open. `account_id`: of the account of its address, who signs in instead of setting a password.
create function private.find_invitation(token_hash text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  i constant public.invitations := private.open_invitation($1);
begin
  if i.id is null then
    return null;
  end if;
  return jsonb_build_object('tenant_id', i.tenant_id, 'tenant_name', (select t.name from public.tenants t where t.id = i.tenant_id),
    'email', i.email, 'roles', i.roles, 'invited_by', i.created_by, 'expires_at', private.iso(i.expires_at),
    'account_id', (private.find_account(i.email)).id);
end $$;

-- An account that signs in by this password, as Supabase Auth makes one: its token columns are text that is never null.
create function private.create_account(email text, password_hash text) returns auth.users
language plpgsql volatile security definer set search_path = '' as $$
declare
  account auth.users;
begin
  insert into auth.users (
    instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data, raw_user_meta_data,
    confirmation_token, recovery_token, email_change, email_change_token_new, email_change_token_current,
    phone_change, phone_change_token, reauthentication_token, created_at, updated_at
  ) values (
    '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', $1, $2, now(),
    '{"provider": "email", "providers": ["email"]}', '{}', '', '', '', '', '', '', '', '', now(), now()
  ) returning * into account;
  insert into auth.identities (id, provider, provider_id, user_id, identity_data, last_sign_in_at, created_at, updated_at)
  values (gen_random_uuid(), 'email', account.id::text, account.id,
    jsonb_build_object('sub', account.id, 'email', account.email, 'email_verified', true), now(), now(), now());
  return account;
end $$;

-- Lets the invited in: by a new account with this password, or by the account of their address, which has to be the one that is signed in
-- (`user_id`). The link works once. Null: it is none that is open. Answers { outcome: accepted | sign_in, tenant_id, id }.
-- Records: member.admitted.
create function private.accept_invitation(token_hash text, user_id uuid, password_hash text, origin jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  i constant public.invitations := private.open_invitation($1);
  account auth.users;
  before jsonb;
begin
  if i.id is null then
    return null;
  end if;
  -- Two links to one address make one account.
  perform pg_advisory_xact_lock(hashtextextended('account ' || i.email, 0));
  account := private.find_account(i.email);
  if account.id is null and $3 is not null then
    account := private.create_account(i.email, $3);
  elsif account.id is null or $2 is distinct from account.id or account.banned_until > now() then
    return jsonb_build_object('outcome', 'sign_in');
  end if;
  perform pg_advisory_xact_lock(hashtextextended('members ' || i.tenant_id, 0));
  before := coalesce(private.roles_of_account(account.raw_app_meta_data, i.tenant_id), '[]');
  update auth.users u set raw_app_meta_data = private.claims_with_roles(u.raw_app_meta_data, i.tenant_id, to_jsonb(i.roles)), updated_at = now()
  where u.id = account.id;
  update public.invitations x set accepted_at = now() where x.tenant_id = i.tenant_id and x.id = i.id;
  delete from private.invitation_tokens t where t.tenant_id = i.tenant_id and t.invitation_id = i.id;
  perform private.append_security_event(jsonb_build_object(
    'tenant_id', i.tenant_id, 'type', 'member.admitted', 'actor', 'user:' || private.account_name(account.email, account.id),
    'credential', 'none', 'target', 'user:' || private.account_name(account.email, account.id), 'address', $4 ->> 'address',
    'request_id', $4 ->> 'request_id', 'details', jsonb_build_object('invitation', i.id, 'invited_by', i.created_by, 'email', i.email,
      'roles', jsonb_build_object('from', before, 'to', to_jsonb(i.roles)))));
  return jsonb_build_object('outcome', 'accepted', 'tenant_id', i.tenant_id, 'id', account.id);
end $$;

create function public.request_password_reset(email text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.request_password_reset(email);
end $$;

create function public.is_password_reset(token_hash text) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return private.is_password_reset(token_hash);
end $$;

create function public.reset_password(token_hash text, password_hash text, issuer text, origin jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  return private.reset_password(token_hash, password_hash, issuer, origin);
end $$;

create function public.change_password(user_id uuid, password_hash text, issuer text, kept_session text, origin jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  return private.change_password(user_id, password_hash, issuer, kept_session, origin);
end $$;

create function public.find_invitation(token_hash text) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  return private.find_invitation(token_hash);
end $$;

create function public.accept_invitation(token_hash text, user_id uuid, password_hash text, origin jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  return private.accept_invitation(token_hash, user_id, password_hash, origin);
end $$;

grant execute on function private.request_password_reset(text), public.request_password_reset(text),
  private.is_password_reset(text), public.is_password_reset(text), private.begin_password_reset_mail(text, text), private.forget_password_reset(text), private.reset_password(text, text, text, jsonb), public.reset_password(text, text, text, jsonb),
  private.change_password(uuid, text, text, text, jsonb), public.change_password(uuid, text, text, text, jsonb),
  private.find_invitation(text), public.find_invitation(text),
  private.accept_invitation(text, uuid, text, jsonb), public.accept_invitation(text, uuid, text, jsonb) to service_role;

-- First steps: how far a tenant has come from nothing to a received event, and which admin no longer wants to see it.

create table public.first_steps_dismissals (
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  principal_id text not null default auth.jwt() ->> 'principal_id',
  dismissed_at timestamptz(3) not null default now(),
  primary key (tenant_id, principal_id)
);

alter table public.first_steps_dismissals enable row level security;
grant select on public.first_steps_dismissals to authenticated;
create policy first_steps_dismissals_read on public.first_steps_dismissals for select to authenticated
  using (tenant_id = (select private.tenant_id()) and principal_id = (select auth.jwt()) ->> 'principal_id'
    and (select private.may('read:first-steps')));

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
language plpgsql volatile security definer set search_path = '' as $$
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

-- Health: which background processes do their work, whether the service is ready, and how far behind the background work is.

-- By kind. One that lives and does nothing does not beat; one that is silent for 20 seconds has died.
create table private.heartbeats (
  pool text primary key,
  kind text not null,
  beat_at timestamptz(3) not null default now()
);
alter table private.heartbeats enable row level security;
grant select on private.heartbeats to service_role;

-- `pool`: by which graphile-worker knows the process's jobs. Answers which processes of its kind beat lately, this one included.
create function private.beat(pool text, kind text) returns text[]
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into private.heartbeats (pool, kind) values ($1, $2)
  on conflict on constraint heartbeats_pkey do update set beat_at = now();
  return array(select h.pool from private.heartbeats h where h.kind = $2 and h.beat_at > now() - interval '10 seconds');
end $$;

-- Removes the pools that fell silent and names them, so that the caller can free their jobs.
create function private.bury_silent_pools() returns setof text
language plpgsql volatile security definer set search_path = '' as $$
begin
  return query delete from private.heartbeats h where h.beat_at < now() - interval '20 seconds' returning h.pool;
end $$;

-- GET /readyz: { read_only, working: how many processes of each kind beat within 15 s }. A database that takes no writes is not ready,
-- and without a worker that works the service isn't either.
create function public.readiness() returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  return jsonb_build_object(
    'read_only', pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on',
    'working', (
      select coalesce(jsonb_object_agg(kind, processes), '{}')
      from (select kind, count(*) as processes from private.heartbeats where beat_at > now() - interval '15 seconds' group by kind) b
    )
  );
end $$;

-- GET /metrics: over all tenants.
create function private.service_metrics() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return jsonb_build_object(
    'worker_silence_seconds', (select extract(epoch from now() - max(beat_at)) from private.heartbeats where kind = 'worker'),
    -- One that fell silent is buried, so that its silence can't be told: none is left.
    'working', (
      select jsonb_build_object('worker', count(*) filter (where kind = 'worker'), 'matcher', count(*) filter (where kind = 'matcher'))
      from private.heartbeats where beat_at > now() - interval '15 seconds'
    ),
    'sla_clock_lag_seconds', (
      select greatest(0, coalesce(extract(epoch from now() - least(
        (select min(next_at) from private.exception_clocks where next_at is not null),
        (select min(w.at) from private.business_warnings w where w.at < 'infinity')
      )), 0))
    ),
    'webhooks', (
      select jsonb_build_object(
        'active', count(*) filter (where status = 'active'),
        'disabled', count(*) filter (where status = 'disabled'),
        'given_up', count(*) filter (where disabled_reason <> 'manual' and disabled_at > now() - interval '1 day')
      )
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
        'ready', count(*) filter (where attempts < max_attempts and run_at <= now() and locked_at is null),
        'running', count(*) filter (where locked_at is not null),
        'failed', count(*) filter (where attempts >= max_attempts),
        'oldest_seconds', coalesce(extract(epoch from now() - min(run_at) filter (where attempts < max_attempts and run_at <= now() and locked_at is null)), 0),
        -- A worker that falls silent is buried after 20 seconds, and its jobs are freed.
        'locked_by_the_dead', count(*) filter (where locked_at < now() - interval '1 minute'
          and locked_by not in (select pool from private.heartbeats where beat_at > now() - interval '1 minute'))
      )
      from graphile_worker.jobs
    ),
    -- By task, how long ago its schedule gave it to the workers.
    'scheduled', (
      select coalesce(jsonb_object_agg(identifier, extract(epoch from now() - coalesce(last_execution, known_since))), '{}')
      from graphile_worker._private_known_crontabs
    ),
    -- Of what the signer did not get to yet, the oldest.
    'unsigned_seconds', (
      select coalesce(extract(epoch from now() - min(e.at)), 0)
      from private.unsigned_security_event_chains() u
      join public.security_events e on e.chain = u.chain and e.seq = coalesce((u.signed ->> 'seq')::bigint, 0) + 1
    ),
    'database', jsonb_build_object(
      'bytes', pg_database_size(current_database()),
      'connections', (select sum(numbackends) from pg_stat_database),
      'connections_max', current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
      'migrating', exists (
        select from pg_locks where locktype = 'advisory' and granted and objsubid = 1
          and (classid::bigint << 32 | objid::bigint) = hashtext('tieout migrations')::bigint
      )
    )
  );
end $$;
create function public.service_metrics() returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return private.service_metrics();
end $$;

grant execute on function
  private.beat(text, text), private.bury_silent_pools(), public.readiness(), private.service_metrics(), public.service_metrics()
to service_role;

-- Sessions: the browsers that a person is signed in with, so that a session can end before its cookie does. A session is a person's,
-- known by issuer and subject, and no tenant's. Why: docs/decisions/0011-sessions.md.

create table private.sessions (
  id text primary key default private.new_id('ses'),
  issuer text not null,
  subject text not null,
  provider text not null,
  address inet,
  user_agent text,
  started_at timestamptz(3) not null default now(),
  -- By an act of the person, not by a page that refreshes itself.
  seen_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3)
);
create index sessions_by_person on private.sessions (issuer, subject, id) where ended_at is null;
create index sessions_by_expiry on private.sessions (expires_at);
alter table private.sessions enable row level security;

-- Whether it still counts. `idle_seconds`: how long without an act of the person; 0: for ever.
create function private.is_live(s private.sessions, idle_seconds integer) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return s.ended_at is null and s.expires_at > now() and (idle_seconds = 0 or s.seen_at > now() - make_interval(secs => idle_seconds));
end $$;

-- session: { issuer, subject, provider, address, user_agent, seconds }. Answers its id. Of one person's the newest 100 go on.
create function private.begin_session(session jsonb) returns text
language plpgsql volatile security definer set search_path = '' as $$
declare
  begun text;
begin
  insert into private.sessions (issuer, subject, provider, address, user_agent, expires_at)
  values (
    session ->> 'issuer', session ->> 'subject', session ->> 'provider', (session ->> 'address')::inet, left(session ->> 'user_agent', 300),
    now() + make_interval(secs => (session ->> 'seconds')::integer)
  ) returning id into begun;
  update private.sessions s set ended_at = now()
  where s.ended_at is null and s.issuer = session ->> 'issuer' and s.subject = session ->> 'subject' and s.id not in (
    select k.id from private.sessions k
    where k.ended_at is null and k.issuer = session ->> 'issuer' and k.subject = session ->> 'subject' order by k.id desc limit 100
  );
  return begun;
end $$;

-- Whose session it is, null where it no longer counts. `seen`: by an act of the person.
create function private.check_session(session_id text, idle_seconds integer, seen boolean) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  s private.sessions;
begin
  select * into s from private.sessions x where x.id = session_id;
  if not found or not private.is_live(s, idle_seconds) then
    return null;
  end if;
  if seen then
    update private.sessions x set seen_at = now() where x.id = s.id and x.ended_at is null;
  end if;
  return jsonb_build_object('issuer', s.issuer, 'subject', s.subject);
end $$;

-- Signing out. One that has ended stays as it is.
create function private.leave_session(session_id text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  update private.sessions s set ended_at = now() where s.id = session_id and s.ended_at is null;
end $$;

create function public.begin_session(session jsonb) returns text
language plpgsql volatile set search_path = '' as $$
begin
  return private.begin_session(session);
end $$;

create function public.check_session(session_id text, idle_seconds integer, seen boolean) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  return private.check_session(session_id, idle_seconds, seen);
end $$;

create function public.leave_session(session_id text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.leave_session(session_id);
end $$;

grant execute on function private.begin_session(jsonb), private.check_session(text, integer, boolean), private.leave_session(text),
  public.begin_session(jsonb), public.check_session(text, integer, boolean), public.leave_session(text) to service_role;

-- The caller's own that count, newest first.
create function private.own_sessions(idle_seconds integer) returns setof private.sessions
language plpgsql stable security definer set search_path = '' as $$
declare
  claims constant jsonb := auth.jwt();
begin
  return query
  select * from private.sessions s
  where s.issuer = claims ->> 'issuer' and s.subject = claims ->> 'sub' and s.ended_at is null and private.is_live(s, idle_seconds)
  order by s.id desc;
end $$;

create function private.session_json(s private.sessions) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', s.id, 'provider', s.provider, 'address', host(s.address), 'user_agent', s.user_agent, 'started_at', private.iso(s.started_at),
    'seen_at', private.iso(s.seen_at), 'expires_at', private.iso(s.expires_at), 'ended_at', private.iso(s.ended_at),
    'current', coalesce(s.id = auth.jwt() ->> 'session_id', false)
  );
end $$;
grant execute on function private.own_sessions(integer), private.session_json(private.sessions) to authenticated;

-- input: { limit, after: [id] | null, idle_seconds }. Newest first.
create function public.list_sessions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.enter(request, 'list_sessions');
  select jsonb_agg(private.session_json(s) order by s.id desc) into items
  from (
    select * from private.own_sessions((input ->> 'idle_seconds')::integer) x
    where input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0
    order by x.id desc limit page_size + 1
  ) s;
  return private.page(items, page_size, 'id');
end $$;

-- input: { ids } or null for all. Answers which of the caller's own ended by it. Records: session.ended, session.ended_everywhere.
create function public.end_sessions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'end_sessions');
  everywhere constant boolean := jsonb_typeof(input -> 'ids') is distinct from 'array';
  claims constant jsonb := auth.jwt();
  ended text[];
begin
  if kept is not null then
    return kept;
  end if;
  with gone as (
    update private.sessions s set ended_at = now()
    where s.issuer = claims ->> 'issuer' and s.subject = claims ->> 'sub' and s.ended_at is null
      and (everywhere or s.id = any (private.text_array(input -> 'ids')))
    returning s.id
  )
  select coalesce(array_agg(g.id order by g.id), '{}') into ended from gone g;
  if everywhere then
    perform private.record_security_event('session.ended_everywhere', null, null, jsonb_build_object('sessions', cardinality(ended)));
  else
    perform private.record_security_event('session.ended', id, null, '{}') from unnest(ended) id;
  end if;
  return private.answer(request, jsonb_build_object('ended', to_jsonb(ended)));
end $$;

-- Deletes what ended or expired 30 days ago, at most `batch` at a time; answers how many.
create function private.purge_sessions(batch integer default 10000) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  deleted integer;
begin
  delete from private.sessions where ctid = any (array(
    select ctid from private.sessions where expires_at < now() - interval '30 days' limit batch
  ));
  get diagnostics deleted = row_count;
  return deleted;
end $$;
grant execute on function private.purge_sessions(integer) to service_role;

-- Overview: what a tenant's home page shows, in one answer. Of sums and of the first few of each; it costs as much with a million exceptions.

-- Open exceptions and their money by assignee and currency, as of a moment: those that have breached and those due in each of the next hours. From the
-- counters, corrected within the hour that is running. `hours`: how many clock hours from the one running on.
create function private.due_sums(as_of timestamptz, hours integer)
returns table (assigned_to text, currency text, due_before timestamptz, open_count bigint, amount_minor numeric)
language plpgsql stable set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  this_hour constant timestamptz := date_trunc('hour', as_of, 'UTC');
begin
  return query
  with counted as (
    select o.assigned_to, o.currency, o.open_count, o.amount_minor,
      case when o.due_from < this_hour then as_of else o.due_from + interval '1 hour' end as due_before
    from private.open_by_deadline o where o.tenant_id = tenant and o.due_from < this_hour + make_interval(hours => hours)
  ), late as (
    -- Of the hour that is running, those whose deadline has passed.
    select coalesce(e.assigned_to, '') as assigned_to, coalesce(e.currency, '') as currency, count(*) as open_count,
      coalesce(sum(e.amount_minor), 0) as amount_minor
    from public.exceptions e
    where e.tenant_id = tenant and e.status in ('open', 'in_review') and e.due_at >= this_hour and e.due_at <= as_of
    group by 1, 2
  )
  select x.assigned_to, x.currency, x.due_before, sum(x.open_count)::bigint, sum(x.amount_minor)
  from (
    select c.assigned_to, c.currency, c.due_before, c.open_count, c.amount_minor from counted c
    union all select l.assigned_to, l.currency, as_of, l.open_count, l.amount_minor from late l
    union all select l.assigned_to, l.currency, this_hour + interval '1 hour', -l.open_count, -l.amount_minor from late l
  ) x
  group by 1, 2, 3
  having sum(x.open_count) <> 0;
end $$;

create function private.overview_exceptions(as_of timestamptz) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  self constant text := private.actor();
  -- Clock hours that the outlook covers; with the one running it is eight hours and a part.
  hours constant integer := 9;
  this_hour constant timestamptz := date_trunc('hour', as_of, 'UTC');
  rate_since constant timestamptz := this_hour - interval '8 hours';
  until constant timestamptz := this_hour + make_interval(hours => hours);
begin
  return (
    with sums as materialized (
      select * from private.due_sums(as_of, hours)
    ), totals as materialized (
      select o.assigned_to, o.currency, sum(o.open_count) as open_count, sum(o.amount_minor) as amount_minor
      from private.open_by_assignee o where o.tenant_id = tenant group by 1, 2
    ), hourly as materialized (
      select h.hour, sum(h.breached_count) as breached, sum(h.closed_count) as closed
      from private.exception_hours h where h.tenant_id = tenant and h.hour >= date_trunc('day', as_of, 'UTC') - interval '29 days' group by 1
    )
    select jsonb_build_object(
      'summary', private.sla_summary(as_of),
      'mine', (
        select jsonb_build_object('breached_count', coalesce(sum(s.open_count) filter (where s.due_before <= as_of), 0),
          'due_count', coalesce(sum(s.open_count) filter (where s.due_before > as_of), 0),
          'open_count', (select coalesce(sum(t.open_count), 0) from totals t where t.assigned_to = self))
        from sums s where s.assigned_to = self
      ),
      'unassigned_count', (select coalesce(sum(t.open_count), 0) from totals t where t.assigned_to = ''),
      'money', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', m.currency, 'open_count', m.open_count, 'open_minor', private.exact_sum(m.minor),
          'breached_count', m.breached_count, 'breached_minor', private.exact_sum(m.breached_minor),
          'due_count', m.due_count, 'due_minor', private.exact_sum(m.due_minor)) order by m.open_count desc, m.currency), '[]')
        from (
          select t.*, d.*
          from (
            select x.currency, sum(x.open_count) as open_count, sum(x.amount_minor) as minor
            from totals x where x.currency <> '' group by 1 having sum(x.open_count) > 0
          ) t cross join lateral (
            select coalesce(sum(s.open_count) filter (where s.due_before <= as_of), 0) as breached_count,
              coalesce(sum(s.amount_minor) filter (where s.due_before <= as_of), 0) as breached_minor,
              coalesce(sum(s.open_count) filter (where s.due_before > as_of), 0) as due_count,
              coalesce(sum(s.amount_minor) filter (where s.due_before > as_of), 0) as due_minor
            from sums s where s.currency = t.currency
          ) d
        ) m
      ),
      'outlook', jsonb_build_object(
        'rate_since', private.iso(rate_since),
        'closed_count', (select coalesce(sum(h.closed), 0) from hourly h where h.hour >= rate_since),
        'closed_per_hour', round((select coalesce(sum(h.closed), 0) from hourly h where h.hour >= rate_since)
          / (extract(epoch from as_of - rate_since) / 3600)::numeric, 2),
        'hours', (
          select jsonb_agg(jsonb_build_object('due_before', private.iso(t.due_before), 'due_count', coalesce(d.due_count, 0)) order by t.due_before)
          from generate_series(this_hour + interval '1 hour', until, interval '1 hour') as t (due_before)
          left join (select s.due_before, sum(s.open_count) as due_count from sums s group by 1) d on d.due_before = t.due_before
        )
      ),
      'days', (
        select jsonb_agg(jsonb_build_object('day', to_char(t.day at time zone 'UTC', 'YYYY-MM-DD'), 'breached_count', coalesce(d.breached, 0),
          'closed_count', coalesce(d.closed, 0)) order by t.day)
        from generate_series(date_trunc('day', as_of, 'UTC') - interval '29 days', as_of, interval '1 day') as t (day)
        left join (
          select date_trunc('day', h.hour, 'UTC') as day, sum(h.breached) as breached, sum(h.closed) as closed from hourly h group by 1
        ) d on d.day = t.day
      )
    )
  );
end $$;

-- Reconciliations with the most open exceptions.
create function private.overview_reconciliations(most integer) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
begin
  return (
    with sums as materialized (
      select o.reconciliation_id, o.currency, sum(o.open_count) as open_count, sum(o.amount_minor) as minor
      from private.open_by_reconciliation o where o.tenant_id = tenant and o.reconciliation_id <> '' group by 1, 2 having sum(o.open_count) > 0
    ), foremost as (
      select s.reconciliation_id, sum(s.open_count) as open_count from sums s group by 1 order by 2 desc, 1 limit most
    )
    select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'open_count', f.open_count, 'money', (
      select coalesce(jsonb_agg(jsonb_build_object('currency', s.currency, 'open_count', s.open_count, 'open_minor', private.exact_sum(s.minor))
        order by s.open_count desc, s.currency), '[]')
      from sums s where s.reconciliation_id = f.reconciliation_id and s.currency <> ''
    )) order by f.open_count desc, r.id), '[]')
    from foremost f join public.reconciliations r on r.tenant_id = tenant and r.id = f.reconciliation_id
  );
end $$;

-- Calls of the last days by the keys that made most, and keys that expire.
create function private.overview_keys(as_of timestamptz, most integer) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  since constant date := (as_of at time zone 'UTC')::date - 6;
begin
  return jsonb_build_object(
    'since', private.iso(since::timestamp at time zone 'UTC'),
    'calls', (
      select coalesce(jsonb_agg(jsonb_build_object('id', k.id, 'name', k.name, 'call_count', u.calls, 'refused_count', u.refused)
        order by u.calls desc, k.id), '[]')
      from (
        select d.api_key_id, sum(d.calls) as calls, coalesce(sum(d.calls) filter (where d.outcome not like 'accepted%'), 0) as refused
        from public.api_key_usage_daily d where d.tenant_id = tenant and d.day >= since group by 1 order by 2 desc, 1 limit most
      ) u join public.api_keys k on k.tenant_id = tenant and k.id = u.api_key_id
    ),
    'expiring', (
      select coalesce(jsonb_agg(jsonb_build_object('id', k.id, 'name', k.name, 'expires_at', private.iso(k.expires_at)) order by k.expires_at, k.id), '[]')
      from (
        select x.id, x.name, x.expires_at from public.api_keys x
        where x.tenant_id = tenant and x.revoked_at is null and x.rotated_to is null and x.expires_at > as_of and x.expires_at <= as_of + interval '14 days'
        order by x.expires_at, x.id limit most
      ) k
    )
  );
end $$;

-- Webhooks by health, those that fail first.
create function private.overview_webhooks(as_of timestamptz, most integer) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
begin
  return (
    with hooks as materialized (
      select w.id, w.url, w.status, w.failing_since, t.attempts, t.failures
      from public.webhooks w
      cross join lateral (
        select coalesce(sum(a.attempts), 0) as attempts, coalesce(sum(a.attempts) filter (where not a.succeeded), 0) as failures
        from public.webhook_answer_times a where a.tenant_id = w.tenant_id and a.webhook_id = w.id and a.hour > as_of - interval '24 hours'
      ) t
      where w.tenant_id = tenant and w.deleted_at is null
    )
    select jsonb_build_object(
      'active_count', (select count(*) from hooks h where h.status = 'active'),
      'disabled_count', (select count(*) from hooks h where h.status = 'disabled'),
      'items', coalesce((
        select jsonb_agg(jsonb_build_object('id', x.id, 'url', x.url, 'status', x.status, 'failing_since', private.iso(x.failing_since),
          'attempt_count', x.attempts, 'failure_count', x.failures) order by x.place, x.failures desc, x.id desc)
        from (
          select h.*, case when h.failing_since is not null and h.status = 'active' then 0 when h.status = 'disabled' then 1 else 2 end as place
          from hooks h order by place, h.failures desc, h.id desc limit most
        ) x
      ), '[]')
    )
  );
end $$;

-- input: {}. Mine is what is assigned to the caller. `keys` and `webhooks` are null to those who may not read them.
create function public.get_overview(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  as_of constant timestamptz(3) := now();
  tenant constant text := private.tenant_id();
  self constant text := private.actor();
  shown constant integer := 5;
begin
  perform private.enter(request, 'get_overview');
  return private.overview_exceptions(as_of) || jsonb_build_object(
    'next', (
      select coalesce(jsonb_agg(private.exception_json(x, as_of) order by x.due_at, x.id), '[]')
      from (
        select * from public.exceptions e
        where e.tenant_id = tenant and e.status in ('open', 'in_review') and e.due_at > as_of and e.due_at < 'infinity'
        order by e.due_at, e.id limit shown
      ) x
    ),
    'my_next', (
      select coalesce(jsonb_agg(private.exception_json(x, as_of) order by x.due_at, x.id), '[]')
      from (
        select * from public.exceptions e
        where e.tenant_id = tenant and e.status in ('open', 'in_review') and e.assigned_to = self
        order by e.due_at, e.id limit shown
      ) x
    ),
    'reconciliations', private.overview_reconciliations(8),
    'imports', (
      select coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'source_id', s.id, 'source_name', s.name, 'file_name', i.file_name, 'status', i.status,
        'accepted_count', i.accepted_count, 'refused_count', i.refused_count, 'created_at', private.iso(i.created_at)) order by i.id desc), '[]')
      from (select * from public.imports x where x.tenant_id = tenant and x.status <> 'receiving' order by x.id desc limit shown) i
      join public.sources s on s.tenant_id = i.tenant_id and s.source_no = i.source_no
    ),
    'runs', (
      select coalesce(jsonb_agg(jsonb_build_object('id', x.id, 'reconciliation_id', x.reconciliation_id, 'reconciliation_name', r.name, 'status', x.status,
        'suggested_count', x.suggested_count, 'open_count', x.open_count, 'exceptions_opened', x.exceptions_opened,
        'created_at', private.iso(x.created_at)) order by x.id desc), '[]')
      from (select * from public.runs y where y.tenant_id = tenant and y.dry_run is null order by y.id desc limit shown) x
      join public.reconciliations r on r.tenant_id = x.tenant_id and r.id = x.reconciliation_id
    ),
    'keys', case when private.may('read:api-keys') then private.overview_keys(as_of, shown) end,
    'webhooks', case when private.may('read:webhooks') then private.overview_webhooks(as_of, shown) end,
    'as_of', private.iso(as_of)
  );
end $$;

grant execute on function
  private.overview_exceptions(timestamptz), private.overview_reconciliations(integer),
  private.overview_keys(timestamptz, integer), private.overview_webhooks(timestamptz, integer)
to authenticated;

-- Request log: each call of /v1 with its outcome, for 14 days. Written by the processes that serve, about once a second; a call waits for none of it.

-- In partitions of one day (UTC). `actor` is null where nobody proved who they were: such a row is its tenant's
-- because the credential named a key of it. `request` and `response`: { headers, body, bytes, truncated }, bounded and without secrets
-- (lib/request-log/masked.ts).
create table public.request_log (
  id text not null,
  tenant_id text not null,
  at timestamptz(3) not null,
  -- Null where the path or method is none of the API's.
  operation text,
  method text not null,
  path text not null,
  query text not null default '',
  -- The ID in the path, or of what the call made.
  resource text,
  status smallint not null,
  error_code text,
  duration_ms integer not null,
  credential text not null check (credential in ('session', 'token', 'api_key', 'publishable_key', 'service_role')),
  actor text,
  api_key_id text,
  address inet,
  request jsonb not null,
  response jsonb not null,
  -- Turned away before it ran, as an API key's usage counts it.
  refused boolean not null default false,
  primary key (tenant_id, id, at)
) partition by range (at);
create table partitions.request_log_first partition of public.request_log for values from (minvalue) to (maxvalue);
alter table partitions.request_log_first enable row level security;
-- What a list filters by is in it, so that what does not match is passed by without being read.
create index request_log_by_time on public.request_log (tenant_id, at desc, id desc)
  include (status, duration_ms, operation, actor, api_key_id, credential, error_code);
create index request_log_by_resource on public.request_log (tenant_id, resource, at desc) where resource is not null;

alter table public.request_log enable row level security;
grant select on public.request_log to authenticated, service_role;
create policy request_log_read on public.request_log for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:requests')));

-- rows: [{ id, tenant_id, key_id, age_ms, … }], the columns by their names. One without a tenant is its key's, by the public part of the
-- credential; one of no tenant is left out. A batch is written once, however often it is sent. Answers how many rows it wrote.
create function private.record_requests(batch uuid, rows jsonb) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  written integer;
begin
  insert into private.usage_batches (id) values (batch) on conflict do nothing;
  if not found then
    return 0;
  end if;
  insert into public.request_log (id, tenant_id, at, operation, method, path, query, resource, status, error_code, duration_ms, credential,
    actor, api_key_id, address, request, response, refused)
  select r.id, t.id, now() - make_interval(secs => r.age_ms / 1000.0), r.operation, r.method, r.path, r.query, r.resource, r.status,
    r.error_code, r.duration_ms, r.credential, r.actor, coalesce(r.api_key_id, s.api_key_id), r.address, r.request, r.response,
    coalesce(r.refused, false)
  from jsonb_to_recordset(rows) as r (
    id text, tenant_id text, key_id text, age_ms bigint, operation text, method text, path text, query text, resource text, status smallint,
    error_code text, duration_ms integer, credential text, actor text, api_key_id text, address inet, request jsonb, response jsonb,
    refused boolean
  )
  left join private.api_key_secrets s on r.tenant_id is null and s.key_id = r.key_id
  join public.tenants t on t.id = coalesce(r.tenant_id, s.tenant_id);
  get diagnostics written = row_count;
  return written;
end $$;
create function public.record_requests(batch uuid, rows jsonb) returns integer
language plpgsql volatile set search_path = '' as $$
begin
  return private.record_requests(batch, rows);
end $$;

grant execute on function private.record_requests(uuid, jsonb), public.record_requests(uuid, jsonb) to service_role;

-- Reading the request log. For admins of the tenant, and API keys with its scope.

-- Whether the caller may see what the operation was sent and answered: they may call it, it is nobody's own, and what it answers is the same
-- for all who may: a delivery's payload depends on which events they may read.
create function private.may_call(operation text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return operation is null or exists (
    select from private.operations o
    where o.operation = $1 and private.may(o.permission) and o.permission !~ ':(views|sessions|notifications)$'
      and (o.operation <> 'getWebhookDelivery' or not exists (select from private.event_kinds k where k.kind <> all (private.readable_events())))
  );
end $$;

create function private.logged_request_json(r public.request_log) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', r.id, 'at', private.iso(r.at), 'operation', r.operation, 'method', r.method, 'path', r.path, 'query', r.query,
    'resource', r.resource, 'status', r.status, 'error_code', r.error_code, 'refused', r.refused,
    'duration_ms', r.duration_ms, 'credential', r.credential,
    'actor', r.actor, 'api_key_id', r.api_key_id, 'address', host(r.address)
  );
end $$;

-- The conditions of a list's filters, as SQL. input: { status, operation, credential, api_key_id, actor, error_code, resource, since, until }.
create function private.request_log_conditions(input jsonb) returns text
language plpgsql stable set search_path = '' as $$
declare
  wanted constant text := input ->> 'status';
begin
  return concat_ws(' and ',
    format('r.tenant_id = %L', private.tenant_id()),
    case when wanted = 'failed' then 'r.status >= 400'
      when wanted = 'refused' then 'r.status >= 400 and r.refused'
      when wanted is not null then format('r.status between %s and %s', left(wanted, 1) || '00', left(wanted, 1) || '99') end,
    (
      select string_agg(format('r.%I = %L', name, input ->> name), ' and ')
      from unnest('{operation,credential,api_key_id,actor,error_code,resource}'::text[]) name where input ->> name is not null
    ),
    case when input ->> 'since' is not null then format('r.at >= %L::timestamptz', input ->> 'since') end,
    case when input ->> 'until' is not null then format('r.at < %L::timestamptz', input ->> 'until') end
  );
end $$;

-- Newest first. input: { limit, after: [at, id] | null, request_id, … as private.request_log_conditions }.
create function public.list_requests(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.enter(request, 'list_requests');
  execute format($q$
    select jsonb_agg(private.logged_request_json(p.r) order by (p.r).at desc, (p.r).id desc)
    from (select r from public.request_log r where %s order by r.at desc, r.id desc limit $1 + 1) p
  $q$, concat_ws(' and ', private.request_log_conditions(input),
    case when input ->> 'request_id' is not null then format('r.id = %L', input ->> 'request_id') end,
    case when input -> 'after' ->> 0 is not null
      then format('(r.at, r.id) < (%L::timestamptz, %L)', input -> 'after' ->> 0, input -> 'after' ->> 1) end
  )) into items using page_size;
  return private.page(items, page_size, 'at', 'id') || jsonb_build_object('as_of', private.iso(now()));
end $$;

-- input: { id }. What was sent and answered is null where private.may_call says no. Refuses: not_found.
create function public.get_request(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  r public.request_log;
  readable boolean;
begin
  perform private.enter(request, 'get_request');
  select * into r from public.request_log x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('request');
  end if;
  readable := private.may_call(r.operation);
  return private.logged_request_json(r) || jsonb_build_object(
    'request', case when readable then r.request end, 'response', case when readable then r.response end
  );
end $$;

-- The step of a chart over so much time: some 60 to 120 steps, of a length that clocks have.
create function private.chart_step(span interval) returns interval
language plpgsql immutable set search_path = '' as $$
begin
  return case
    when span <= interval '2 hours' then interval '1 minute'
    when span <= interval '8 hours' then interval '5 minutes'
    when span <= interval '1 day' then interval '15 minutes'
    when span <= interval '4 days' then interval '1 hour'
    else interval '3 hours'
  end;
end $$;

-- Counts and response times by steps of private.chart_step, without the steps that had no call. Steps begin at whole multiples (UTC).
-- input: as private.request_log_conditions; without `since`, of the last day.
create function public.get_request_stats(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  until constant timestamptz := coalesce((input ->> 'until')::timestamptz, now());
  since constant timestamptz := coalesce((input ->> 'since')::timestamptz, until - interval '1 day');
  step constant interval := private.chart_step(until - since);
  steps jsonb;
begin
  perform private.enter(request, 'get_request_stats');
  execute format($q$
    select jsonb_agg(jsonb_build_object(
      'start', private.iso(s.start), 'calls', s.calls, 'client_errors', s.client_errors, 'server_errors', s.server_errors,
      'p50_ms', s.times[1], 'p99_ms', s.times[2]
    ) order by s.start)
    from (
      select date_bin($1, r.at, 'epoch') as start, count(*) as calls, count(*) filter (where r.status between 400 and 499) as client_errors,
        count(*) filter (where r.status >= 500) as server_errors,
        percentile_disc('{0.5,0.99}'::double precision[]) within group (order by r.duration_ms) as times
      from public.request_log r where %s group by 1
    ) s
  $q$, private.request_log_conditions(input || jsonb_build_object('since', private.iso(since), 'until', private.iso(until))))
  into steps using step;
  return jsonb_build_object(
    'as_of', private.iso(now()), 'since', private.iso(since), 'until', private.iso(until),
    'step_seconds', extract(epoch from step)::integer, 'steps', coalesce(steps, '[]')
  );
end $$;

grant execute on function
  private.may_call(text), private.logged_request_json(public.request_log), private.request_log_conditions(jsonb), private.chart_step(interval)
to authenticated;

-- Alerts: what a person is mailed, and what a tenant's channels are sent, once for an event. A channel is a Slack-compatible incoming
-- webhook; its URL is a secret, sealed by a key that the database does not know.

-- A person's own choices in a tenant; without a row, the defaults. For exceptions: of those assigned to them, of all, or of none.
create table public.notification_settings (
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  subject text not null default auth.jwt() ->> 'sub',
  -- Whether the subject is an account of Supabase Auth, which the server knows by its issuer: another provider may call somebody the same.
  is_account boolean not null default false,
  exception_breached text not null default 'mine' check (exception_breached in ('mine', 'all', 'off')),
  exception_at_risk text not null default 'off' check (exception_at_risk in ('mine', 'all', 'off')),
  assigned boolean not null default true,
  mentioned boolean not null default true,
  webhook_failing boolean not null default true,
  api_key_expiring boolean not null default true,
  primary key (tenant_id, subject, is_account)
);
alter table public.notification_settings enable row level security;
grant select on public.notification_settings to authenticated;
create policy notification_settings_read on public.notification_settings for select to authenticated
  using (tenant_id = (select private.tenant_id()) and subject = (select auth.jwt()) ->> 'sub' and (select private.may('read:notifications')));

create table public.alert_channels (
  id text not null default private.new_id('ach'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  name text not null check (length(name) between 1 and 120),
  -- The host and the last characters of the URL: enough to tell one from another.
  url_hint text not null check (length(url_hint) between 1 and 300),
  kinds text[] not null check (cardinality(kinds) between 1 and 4)
    check (kinds <@ '{exception_breached,exception_at_risk,webhook_failing,api_key_expiring}'),
  last_sent_at timestamptz(3),
  last_failure_at timestamptz(3),
  last_failure text check (length(last_failure) <= 500),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  deleted_at timestamptz(3),
  primary key (tenant_id, id)
);
create index alert_channels_by_tenant on public.alert_channels (tenant_id, id desc) where deleted_at is null;
alter table public.alert_channels enable row level security;
grant select on public.alert_channels to authenticated;
create policy alert_channels_read on public.alert_channels for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:alert-channels')));

create table private.alert_channel_urls (
  tenant_id text not null,
  channel_id text not null,
  -- What it is sealed for, beside the tenant.
  url_id text not null,
  sealed text not null,
  primary key (tenant_id, channel_id),
  foreign key (tenant_id, channel_id) references public.alert_channels (tenant_id, id)
);
alter table private.alert_channel_urls enable row level security;

-- What happened that somebody may want to know: written with the event, so that there is none without the other. The worker finds whom
-- it concerns. `actor`: who did it, and is not told of it.
create table private.alert_events (
  tenant_id text not null,
  event_id text not null,
  actor text not null default private.actor(),
  primary key (tenant_id, event_id)
);
alter table private.alert_events enable row level security;

-- What goes in one message: of one kind, to one recipient (`account:<id>` or a channel's id).
create table private.alert_bundles (
  tenant_id text not null,
  id text not null default private.new_id('alb'),
  recipient text not null,
  kind text not null,
  created_at timestamptz(3) not null default now(),
  -- Sent, or quiet: what it was about has passed.
  settled_at timestamptz(3),
  primary key (tenant_id, id)
);
create index alert_bundles_by_recipient on private.alert_bundles (tenant_id, recipient, kind, created_at);
create index alert_bundles_by_age on private.alert_bundles (created_at);
alter table private.alert_bundles enable row level security;

-- One for a recipient, kind and event: never a second.
create table private.alerts (
  tenant_id text not null,
  recipient text not null,
  kind text not null,
  event_id text not null,
  -- What it is about: an exception, a webhook or a key.
  subject text not null,
  created_at timestamptz(3) not null default now(),
  bundle_id text,
  primary key (tenant_id, recipient, kind, event_id)
);
create index alerts_waiting on private.alerts (tenant_id, recipient, kind) where bundle_id is null;
create index alerts_by_bundle on private.alerts (tenant_id, bundle_id);
create index alerts_by_age on private.alerts (created_at);
alter table private.alerts enable row level security;

-- The kind of alert that an event of this type and content is; null: none.
create function private.alert_kind(type text, data jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return case type
    when 'exception.sla.breached' then 'exception_breached'
    when 'exception.sla.at_risk' then 'exception_at_risk'
    when 'exception.created' then case when data #>> '{exception,assigned_to}' is not null then 'assigned' end
    when 'exception.updated' then case when data #>> '{changes,assigned_to,to}' is not null then 'assigned' end
    when 'exception.commented' then case when jsonb_array_length(private.mentions(data)) > 0 then 'mentioned' end
    when 'webhook.failing' then 'webhook_failing'
    when 'webhook.disabled' then 'webhook_failing'
    when 'api_key.expiring' then 'api_key_expiring'
  end;
end $$;

-- Whom a comment names: user:<name>.
create function private.mentions(data jsonb) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare
  named constant jsonb := data #> '{comment,mentions}';
begin
  return case when jsonb_typeof(named) = 'array' then named else '[]' end;
end $$;

create function private.keep_alert_events() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into private.alert_events (tenant_id, event_id)
  select e.tenant_id, e.id from emitted e
  -- A test of a webhook carries example data: nothing happened.
  where e.test_of is null and private.alert_kind(e.type, e.data) is not null;
  return null;
end $$;
create trigger keep_alerts after insert on public.events referencing new table as emitted
  for each statement execute function private.keep_alert_events();

-- What people and tenants choose to be told, and how they change it.

-- The address of the caller's own account, where Supabase Auth vouches for them.
create function private.own_address() returns text
language plpgsql stable security definer set search_path = '' as $$
begin
  if private.principal_type() <> 'user' or auth.jwt() ->> 'sub' !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return null;
  end if;
  return (select u.email from auth.users u where u.id = (auth.jwt() ->> 'sub')::uuid);
end $$;

-- Its version doesn't count the address, which is the account's.
create function private.notification_settings_json(is_account boolean) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  s public.notification_settings;
  settings jsonb;
begin
  select * into s from public.notification_settings x
  where x.tenant_id = private.tenant_id() and x.subject = auth.jwt() ->> 'sub' and x.is_account = $1;
  settings := jsonb_build_object(
    'exception_breached', coalesce(s.exception_breached, 'mine'), 'exception_at_risk', coalesce(s.exception_at_risk, 'off'),
    'assigned', coalesce(s.assigned, true), 'mentioned', coalesce(s.mentioned, true),
    'webhook_failing', coalesce(s.webhook_failing, true), 'api_key_expiring', coalesce(s.api_key_expiring, true)
  );
  return settings || jsonb_build_object('email', case when $1 then private.own_address() end, 'version', private.version_of(settings));
end $$;

create function private.alert_channel_json(c public.alert_channels) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', c.id, 'name', c.name, 'url_hint', c.url_hint, 'kinds', c.kinds, 'last_sent_at', private.iso(c.last_sent_at),
    'last_failure_at', private.iso(c.last_failure_at), 'last_failure', c.last_failure, 'created_at', private.iso(c.created_at),
    'created_by', c.created_by, 'version', private.version_of(jsonb_build_array(c.name, c.url_hint, c.kinds, c.deleted_at))
  );
end $$;

-- Locks one of the caller's tenant. Refuses: not_found, precondition_failed.
create function private.lock_alert_channel(id text, versions jsonb) returns public.alert_channels
language plpgsql volatile set search_path = '' as $$
declare
  c public.alert_channels;
begin
  select * into c from public.alert_channels x where x.tenant_id = private.tenant_id() and x.id = $1 and x.deleted_at is null for no key update;
  if not found then
    perform private.refuse_missing('alert channel');
  end if;
  perform private.require_version((private.alert_channel_json(c) ->> 'version')::bigint, versions);
  return c;
end $$;

-- Of one's own tenant's channel; null forgets it.
create function private.keep_alert_channel_url(channel_id text, url_id text, sealed text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  delete from private.alert_channel_urls x where x.tenant_id = private.tenant_id() and x.channel_id = $1;
  insert into private.alert_channel_urls (tenant_id, channel_id, url_id, sealed)
  select c.tenant_id, c.id, $2, $3 from public.alert_channels c where c.tenant_id = private.tenant_id() and c.id = $1 and $3 is not null;
end $$;

grant execute on function
  private.own_address(), private.notification_settings_json(boolean), private.alert_channel_json(public.alert_channels)
to authenticated;

-- input: { is_account }.
create function public.get_notification_settings(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, 'get_notification_settings');
  return private.notification_settings_json(coalesce((input ->> 'is_account')::boolean, false));
end $$;

-- input: { settings, is_account }. Refuses: precondition_failed.
create function public.put_notification_settings(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'put_notification_settings');
  given constant jsonb := input -> 'settings';
  is_account constant boolean := coalesce((input ->> 'is_account')::boolean, false);
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_version((private.notification_settings_json(is_account) ->> 'version')::bigint, request -> 'versions');
  insert into public.notification_settings as s (is_account, exception_breached, exception_at_risk, assigned, mentioned, webhook_failing, api_key_expiring)
  values (is_account, given ->> 'exception_breached', given ->> 'exception_at_risk', (given ->> 'assigned')::boolean, (given ->> 'mentioned')::boolean,
    (given ->> 'webhook_failing')::boolean, (given ->> 'api_key_expiring')::boolean)
  on conflict on constraint notification_settings_pkey do update set exception_breached = excluded.exception_breached, exception_at_risk = excluded.exception_at_risk,
    assigned = excluded.assigned, mentioned = excluded.mentioned, webhook_failing = excluded.webhook_failing,
    api_key_expiring = excluded.api_key_expiring;
  return private.answer(request, private.notification_settings_json(is_account));
end $$;

-- input: { limit, after: [id] | null }. Newest first.
create function public.list_alert_channels(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.enter(request, 'list_alert_channels');
  select jsonb_agg(private.alert_channel_json(c) order by c.id desc) into items
  from (
    select * from public.alert_channels x
    where x.tenant_id = private.tenant_id() and x.deleted_at is null and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
    order by x.id desc limit page_size + 1
  ) c;
  return private.page(items, page_size, 'id');
end $$;

-- input: { name, kinds, url_hint, url_id, sealed }. Refuses: conflict beyond 20. Records: alert_channel.created.
create function public.create_alert_channel(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'create_alert_channel');
  c public.alert_channels;
begin
  if kept is not null then
    return kept;
  end if;
  if (select count(*) from public.alert_channels x where x.tenant_id = private.tenant_id() and x.deleted_at is null) >= 20 then
    perform private.refuse('conflict', 'A tenant can have 20 alert channels. Delete one first.');
  end if;
  insert into public.alert_channels (name, url_hint, kinds) values (input ->> 'name', input ->> 'url_hint', private.text_array(input -> 'kinds'))
  returning * into c;
  perform private.keep_alert_channel_url(c.id, input ->> 'url_id', input ->> 'sealed');
  perform private.record_security_event('alert_channel.created', c.id, null, jsonb_build_object('name', c.name, 'url', c.url_hint, 'kinds', c.kinds));
  return private.answer(request, private.alert_channel_json(c));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_alert_channel(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  c public.alert_channels;
begin
  perform private.enter(request, 'get_alert_channel');
  select * into c from public.alert_channels x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' and x.deleted_at is null;
  if not found then
    perform private.refuse_missing('alert channel');
  end if;
  return private.alert_channel_json(c);
end $$;

-- input: { id, patch: { name, kinds }, and with another URL url_hint, url_id, sealed }. Refuses: not_found, precondition_failed.
-- Records: alert_channel.updated.
create function public.update_alert_channel(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'update_alert_channel');
  patch constant jsonb := coalesce(input -> 'patch', '{}');
  before public.alert_channels;
  c public.alert_channels;
begin
  if kept is not null then
    return kept;
  end if;
  before := private.lock_alert_channel(input ->> 'id', request -> 'versions');
  update public.alert_channels x set name = coalesce(patch ->> 'name', x.name), url_hint = coalesce(input ->> 'url_hint', x.url_hint),
    kinds = case when patch ? 'kinds' then private.text_array(patch -> 'kinds') else x.kinds end,
    last_failure = case when input ? 'sealed' then null else x.last_failure end,
    last_failure_at = case when input ? 'sealed' then null else x.last_failure_at end
  where x.tenant_id = before.tenant_id and x.id = before.id returning * into c;
  if input ? 'sealed' then
    perform private.keep_alert_channel_url(c.id, input ->> 'url_id', input ->> 'sealed');
  end if;
  perform private.record_security_event('alert_channel.updated', c.id, null, coalesce(private.changes(
    jsonb_build_object('name', before.name, 'url', before.url_hint, 'kinds', before.kinds),
    jsonb_build_object('name', c.name, 'url', c.url_hint, 'kinds', c.kinds)), '{}'));
  return private.answer(request, private.alert_channel_json(c));
end $$;

-- input: { id }. Its URL is forgotten. Refuses: not_found, precondition_failed. Records: alert_channel.deleted.
create function public.delete_alert_channel(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'delete_alert_channel');
  c public.alert_channels;
begin
  if kept is not null then
    return kept;
  end if;
  c := private.lock_alert_channel(input ->> 'id', request -> 'versions');
  update public.alert_channels x set deleted_at = now() where x.tenant_id = c.tenant_id and x.id = c.id returning * into c;
  perform private.keep_alert_channel_url(c.id, null, null);
  perform private.record_security_event('alert_channel.deleted', c.id, null, jsonb_build_object('name', c.name, 'url', c.url_hint));
  return private.answer(request, private.alert_channel_json(c));
end $$;

-- input: { id }. Refuses: not_found.
create function public.test_alert_channel(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'test_alert_channel');
  c public.alert_channels;
begin
  if kept is not null then
    return kept;
  end if;
  c := private.lock_alert_channel(input ->> 'id', null);
  perform graphile_worker.add_job('send_test_alert', private.of_request(jsonb_build_object('tenant_id', c.tenant_id, 'channel_id', c.id)),
    max_attempts => 1, job_key => 'test-alert:' || c.tenant_id || ':' || c.id);
  return private.answer(request, private.alert_channel_json(c));
end $$;

-- For the worker that tests one: { url_id, sealed, name, tenant_name }, null for one that is gone.
create function private.alert_channel_url(tenant_id text, channel_id text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select jsonb_build_object('url_id', x.url_id, 'sealed', x.sealed, 'name', c.name, 'tenant_name', t.name)
    from public.alert_channels c
    join private.alert_channel_urls x on x.tenant_id = c.tenant_id and x.channel_id = c.id
    join public.tenants t on t.id = c.tenant_id
    where c.tenant_id = $1 and c.id = $2 and c.deleted_at is null
  );
end $$;

-- What became of a message to a channel.
create function private.settle_channel_message(tenant_id text, channel_id text, failure text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  update public.alert_channels c set
    last_sent_at = case when failure is null then now() else c.last_sent_at end,
    last_failure_at = case when failure is null then null else now() end, last_failure = left(failure, 500)
  where c.tenant_id = $1 and c.id = $2;
end $$;

create function private.settle_test_alert(tenant_id text, channel_id text, failure text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.settle_channel_message($1, $2, $3);
end $$;
grant execute on function private.alert_channel_url(text, text), private.settle_test_alert(text, text, text) to service_role;

-- Alerts are gathered once a minute, so that many are one message, and sent by a job each, which is tried again until it succeeds.

-- Null for a channel.
create function private.account_of_recipient(recipient text) returns uuid
language plpgsql immutable set search_path = '' as $$
begin
  return case when recipient like 'account:%' then substr(recipient, length('account:') + 1)::uuid end;
end $$;

-- Takes up to `batch` of what happened. Planned for each batch: a plan kept from when the table was empty would compare each with every other.
create function private.take_alert_events(batch integer) returns setof private.alert_events
language plpgsql volatile set search_path = '' set plan_cache_mode = force_custom_plan as $$
begin
  return query
  delete from private.alert_events q where (q.tenant_id, q.event_id) in (
    select x.tenant_id, x.event_id from private.alert_events x limit batch for update skip locked
  ) returning q.*;
end $$;

-- Finds whom what happened concerns, and bundles what waits: at most one message a minute for a recipient and kind. Answers how many
-- events it looked at.
create function private.gather_alerts(batch integer default 5000) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  looked_at integer;
  bundle record;
begin
  -- Two at once would each make a bundle of what waits.
  perform pg_advisory_xact_lock(hashtextextended('gather_alerts', 0));
  with taken as materialized (
    select * from private.take_alert_events(batch)
  ), happened as materialized (
    select t.tenant_id, e.id as event_id, t.actor, private.alert_kind(e.type, e.data) as kind, e.data,
      coalesce(e.data #>> '{exception,id}', e.data ->> 'id') as subject
    from taken t join public.events e on e.tenant_id = t.tenant_id and e.id = t.event_id
  ), person as materialized (
    select t.tenant_id, u.id, 'user:' || private.account_name(u.email, u.id) as reference, r.roles ? 'tenant_admin' as is_admin,
      coalesce(s.exception_breached, 'mine') as breached, coalesce(s.exception_at_risk, 'off') as at_risk,
      coalesce(s.assigned, true) as assigned, coalesce(s.mentioned, true) as mentioned,
      coalesce(s.webhook_failing, true) as webhook_failing, coalesce(s.api_key_expiring, true) as api_key_expiring
    from (select distinct h.tenant_id from happened h) t
    cross join lateral private.accounts_of(t.tenant_id) u
    cross join lateral (select private.roles_of_account(u.raw_app_meta_data, t.tenant_id) as roles) r
    left join public.notification_settings s on s.tenant_id = t.tenant_id and s.subject = u.id::text and s.is_account
    where u.email is not null and (u.banned_until is null or u.banned_until <= now()) and r.roles ?| private.roles()
  ), mailed as (
    insert into private.alerts (tenant_id, recipient, kind, event_id, subject)
    select h.tenant_id, 'account:' || p.id, h.kind, h.event_id, h.subject
    from happened h join person p on p.tenant_id = h.tenant_id
    where case h.kind
      when 'exception_breached' then p.breached = 'all' or (p.breached = 'mine' and p.reference = h.data #>> '{exception,assigned_to}')
      when 'exception_at_risk' then p.at_risk = 'all' or (p.at_risk = 'mine' and p.reference = h.data #>> '{exception,assigned_to}')
      when 'assigned' then p.assigned and p.reference = h.data #>> '{exception,assigned_to}' and p.reference <> h.actor
      when 'mentioned' then p.mentioned and private.mentions(h.data) ? p.reference and p.reference <> h.actor
      when 'webhook_failing' then p.webhook_failing and p.is_admin
      when 'api_key_expiring' then p.api_key_expiring and p.is_admin
    end
    on conflict do nothing
  ), posted as (
    insert into private.alerts (tenant_id, recipient, kind, event_id, subject)
    select h.tenant_id, c.id, h.kind, h.event_id, h.subject
    from happened h join public.alert_channels c on c.tenant_id = h.tenant_id and c.deleted_at is null and h.kind = any (c.kinds)
    on conflict do nothing
  )
  select count(*) into looked_at from taken;

  for bundle in
    with waiting as (
      select distinct a.tenant_id, a.recipient, a.kind from private.alerts a where a.bundle_id is null
    ), bundled as (
      insert into private.alert_bundles (tenant_id, recipient, kind)
      select w.tenant_id, w.recipient, w.kind from waiting w
      where not exists (
        select from private.alert_bundles b
        where b.tenant_id = w.tenant_id and b.recipient = w.recipient and b.kind = w.kind and b.created_at > now() - interval '50 seconds'
      )
      returning *
    ), filled as (
      update private.alerts a set bundle_id = b.id from bundled b
      where a.tenant_id = b.tenant_id and a.recipient = b.recipient and a.kind = b.kind and a.bundle_id is null
    )
    select * from bundled
  loop
    perform graphile_worker.add_job('send_alerts', json_build_object('tenant_id', bundle.tenant_id, 'bundle_id', bundle.id), max_attempts => 15);
  end loop;
  return looked_at;
end $$;

-- The alerts of a bundle that still hold: an exception resolved or a webhook that works again is told to nobody.
create function private.lasting_alerts(b private.alert_bundles) returns setof private.alerts
language plpgsql stable security definer set search_path = '' as $$
begin
  return query
  select a.* from private.alerts a
  where a.tenant_id = b.tenant_id and a.bundle_id = b.id and case a.kind
    when 'exception_breached' then exists (select from public.exceptions e
      where e.tenant_id = a.tenant_id and e.id = a.subject and e.status in ('open', 'in_review') and e.due_at <= now())
    when 'exception_at_risk' then exists (select from public.exceptions e
      where e.tenant_id = a.tenant_id and e.id = a.subject and e.status in ('open', 'in_review') and e.due_at > now() and e.paused_at is null)
    when 'assigned' then exists (select from public.exceptions e
      where e.tenant_id = a.tenant_id and e.id = a.subject and e.status in ('open', 'in_review') and (a.recipient not like 'account:%' or e.assigned_to = (
        select 'user:' || private.account_name(u.email, u.id) from auth.users u where u.id = private.account_of_recipient(a.recipient))))
    when 'webhook_failing' then exists (select from public.webhooks w
      where w.tenant_id = a.tenant_id and w.id = a.subject and w.deleted_at is null and (w.status = 'disabled' or w.failing_since is not null))
    when 'api_key_expiring' then exists (select from public.api_keys k
      where k.tenant_id = a.tenant_id and k.id = a.subject and k.revoked_at is null and k.rotated_to is null and k.expires_at > now())
    else true
  end
  order by a.event_id;
end $$;

-- How an alert reads: { id, title, detail }.
create function private.alert_line(a private.alerts) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return case
    when a.kind = 'webhook_failing' then (
      select jsonb_build_object('id', w.id, 'title', regexp_replace(w.url, '[?#].*$', ''), 'detail', case w.status when 'disabled' then 'Disabled' else 'Failing since ' || private.iso(w.failing_since) end)
      from public.webhooks w where w.tenant_id = a.tenant_id and w.id = a.subject)
    when a.kind = 'api_key_expiring' then (
      select jsonb_build_object('id', k.id, 'title', k.name, 'detail', 'Expires ' || private.iso(k.expires_at))
      from public.api_keys k where k.tenant_id = a.tenant_id and k.id = a.subject)
    else (
      select jsonb_build_object('id', e.id, 'title', e.title, 'detail',
        initcap(e.severity) || ', ' || case when e.paused_at is not null then 'paused' else 'due ' || private.iso(e.due_at) end
        || coalesce(', assigned to ' || substr(e.assigned_to, 6), ', unassigned'))
      from public.exceptions e where e.tenant_id = a.tenant_id and e.id = a.subject)
  end;
end $$;

-- What the worker sends for a bundle: { tenant_name, kind, count, items, email | url_id, sealed }. Null: it was sent, or there is nothing
-- left to say or nobody left to say it to; it is settled then.
create function private.open_alert_bundle(tenant_id text, bundle_id text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  b private.alert_bundles;
  addressed jsonb;
  lasting jsonb;
begin
  select * into b from private.alert_bundles x where x.tenant_id = $1 and x.id = $2 for no key update;
  if not found or b.settled_at is not null then
    return null;
  end if;
  if b.recipient like 'account:%' then
    select jsonb_build_object('email', u.email) into addressed from auth.users u
    where u.id = private.account_of_recipient(b.recipient) and u.deleted_at is null and (u.banned_until is null or u.banned_until <= now())
      and private.roles_of_account(u.raw_app_meta_data, $1) ?| private.roles();
  else
    select jsonb_build_object('url_id', x.url_id, 'sealed', x.sealed) into addressed
    from public.alert_channels c join private.alert_channel_urls x on x.tenant_id = c.tenant_id and x.channel_id = c.id
    where c.tenant_id = $1 and c.id = b.recipient and c.deleted_at is null;
  end if;
  select jsonb_build_object('count', count(*), 'items', jsonb_agg(private.alert_line(a.alert) order by a.nth) filter (where a.nth <= 10)) into lasting
  from (select l as alert, row_number() over (order by l.event_id) as nth from private.lasting_alerts(b) l) a;
  if addressed is null or (lasting -> 'count')::integer = 0 then
    -- The channel's last message stays what it was: none was sent.
    update private.alert_bundles x set settled_at = now() where x.tenant_id = $1 and x.id = $2;
    return null;
  end if;
  return addressed || lasting || jsonb_build_object(
    'tenant_name', (select t.name from public.tenants t where t.id = $1), 'kind', b.kind, 'recipient', b.recipient
  );
end $$;

-- Sent, or not to be sent; with a failure, it stays to be tried again.
create function private.settle_alert_bundle(tenant_id text, bundle_id text, failure text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  b private.alert_bundles;
begin
  update private.alert_bundles x set settled_at = case when failure is null then now() end where x.tenant_id = $1 and x.id = $2 returning * into b;
  perform private.settle_channel_message($1, b.recipient, failure);
end $$;

-- Forgets what was told 30 days ago. Answers how many at most of either table: less than `batch` means that none are left.
create function private.purge_alerts(batch integer default 10000) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  bundles integer;
  deleted integer;
begin
  delete from private.alert_bundles where ctid = any (array(
    select ctid from private.alert_bundles where created_at < now() - interval '30 days' limit batch));
  get diagnostics bundles = row_count;
  delete from private.alerts where ctid = any (array(
    select ctid from private.alerts where created_at < now() - interval '30 days' limit batch));
  get diagnostics deleted = row_count;
  return greatest(bundles, deleted);
end $$;

grant execute on function private.gather_alerts(integer), private.open_alert_bundle(text, text), private.settle_alert_bundle(text, text, text),
  private.purge_alerts(integer) to service_role;

-- Written by `npm run generate` from lib/wire/access.ts and the contracts: who may do what, which function serves which operation of /v1,
-- who may call it at the Data API at all, and what one needs to read an event.

create function private.roles() returns text[]
language sql immutable set search_path = ''
return '{tenant_admin,tenant_analyst,tenant_lead}'::text[];

insert into private.permissions (permission, principals, roles, scope) values
  ('close:reconciliations', '{user}', '{tenant_admin,tenant_lead}', null),
  ('decide:matches', '{user,api_key,service_role}', '{tenant_admin,tenant_analyst,tenant_lead}', 'write:reconciliations'),
  ('read:alert-channels', '{user,service_role}', '{tenant_admin}', null),
  ('read:api-keys', '{user}', '{tenant_admin}', null),
  ('read:calendars', '{user,api_key,service_role}', '{tenant_admin,tenant_analyst,tenant_lead}', 'read:exceptions'),
  ('read:exceptions', '{user,api_key,service_role}', '{tenant_admin,tenant_analyst,tenant_lead}', 'read:exceptions'),
  ('read:first-steps', '{user}', '{tenant_admin}', null),
  ('read:integrations', '{user,api_key,service_role}', '{tenant_admin,tenant_analyst,tenant_lead}', 'read:integrations'),
  ('read:me', '{user,api_key,service_role,publishable_key}', null, null),
  ('read:members', '{user,service_role}', '{tenant_admin,tenant_analyst,tenant_lead}', null),
  ('read:notifications', '{user}', '{tenant_admin,tenant_analyst,tenant_lead}', null),
  ('read:overview', '{user,service_role}', '{tenant_admin,tenant_analyst,tenant_lead}', null),
  ('read:people', '{user}', '{tenant_admin}', null),
  ('read:reconciliations', '{user,api_key,service_role}', '{tenant_admin,tenant_analyst,tenant_lead}', 'read:reconciliations'),
  ('read:release-notes', '{user,api_key,service_role,publishable_key}', '{tenant_admin,tenant_analyst,tenant_lead}', 'read:release-notes'),
  ('read:requests', '{user,api_key,service_role}', '{tenant_admin}', 'read:requests'),
  ('read:security-events', '{user,service_role}', '{tenant_admin}', null),
  ('read:sessions', '{user}', '{tenant_admin,tenant_analyst,tenant_lead}', null),
  ('read:sla', '{user,service_role}', '{tenant_admin,tenant_analyst,tenant_lead}', null),
  ('read:sla-policy', '{user,service_role}', '{tenant_admin,tenant_analyst,tenant_lead}', null),
  ('read:troubleshooting', '{user,api_key,service_role,publishable_key}', '{tenant_admin,tenant_analyst,tenant_lead}', 'read:troubleshooting'),
  ('read:views', '{user}', '{tenant_admin,tenant_analyst,tenant_lead}', null),
  ('read:webhooks', '{user,api_key,service_role}', '{tenant_admin}', 'read:webhooks'),
  ('restore:integrations', '{user,service_role}', '{tenant_admin}', null),
  ('restore:release-notes', '{user,service_role}', '{tenant_admin}', null),
  ('restore:troubleshooting', '{user,service_role}', '{tenant_admin}', null),
  ('write:alert-channels', '{user,service_role}', '{tenant_admin}', null),
  ('write:api-keys', '{user}', '{tenant_admin}', null),
  ('write:calendars', '{user,service_role}', '{tenant_admin}', null),
  ('write:exceptions', '{user,api_key,service_role}', '{tenant_admin,tenant_analyst,tenant_lead}', 'write:exceptions'),
  ('write:first-steps', '{user}', '{tenant_admin}', null),
  ('write:integrations', '{user,api_key,service_role}', '{tenant_admin,tenant_lead}', 'write:integrations'),
  ('write:notifications', '{user}', '{tenant_admin,tenant_analyst,tenant_lead}', null),
  ('write:people', '{user}', '{tenant_admin}', null),
  ('write:reconciliations', '{user,api_key,service_role}', '{tenant_admin,tenant_lead}', 'write:reconciliations'),
  ('write:release-notes', '{user,api_key,service_role}', '{tenant_admin,tenant_lead}', 'write:release-notes'),
  ('write:sessions', '{user}', '{tenant_admin,tenant_analyst,tenant_lead}', null),
  ('write:sla-policy', '{user,service_role}', '{tenant_admin,tenant_lead}', null),
  ('write:troubleshooting', '{user,api_key,service_role}', '{tenant_admin,tenant_lead}', 'write:troubleshooting'),
  ('write:views', '{user}', '{tenant_admin,tenant_analyst,tenant_lead}', null),
  ('write:webhooks', '{user,api_key,service_role}', '{tenant_admin}', 'write:webhooks');

insert into private.operations (verb, operation, permission) values
  ('get_me', 'getMe', 'read:me'),
  ('list_sessions', 'listSessions', 'read:sessions'),
  ('end_sessions', 'endSessions', 'write:sessions'),
  ('get_first_steps', 'getFirstSteps', 'read:first-steps'),
  ('put_first_steps', 'putFirstSteps', 'write:first-steps'),
  ('list_members', 'listMembers', 'read:members'),
  ('get_overview', 'getOverview', 'read:overview'),
  ('list_tenant_members', 'listTenantMembers', 'read:people'),
  ('get_tenant_member', 'getTenantMember', 'read:people'),
  ('update_tenant_member', 'updateTenantMember', 'write:people'),
  ('remove_tenant_member', 'removeTenantMember', 'write:people'),
  ('list_invitations', 'listInvitations', 'read:people'),
  ('create_invitation', 'createInvitation', 'write:people'),
  ('get_invitation', 'getInvitation', 'read:people'),
  ('resend_invitation', 'resendInvitation', 'write:people'),
  ('revoke_invitation', 'revokeInvitation', 'write:people'),
  ('get_notification_settings', 'getNotificationSettings', 'read:notifications'),
  ('put_notification_settings', 'putNotificationSettings', 'write:notifications'),
  ('list_alert_channels', 'listAlertChannels', 'read:alert-channels'),
  ('create_alert_channel', 'createAlertChannel', 'write:alert-channels'),
  ('get_alert_channel', 'getAlertChannel', 'read:alert-channels'),
  ('update_alert_channel', 'updateAlertChannel', 'write:alert-channels'),
  ('delete_alert_channel', 'deleteAlertChannel', 'write:alert-channels'),
  ('test_alert_channel', 'testAlertChannel', 'write:alert-channels'),
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
  ('list_exceptions', 'exportExceptions', 'read:exceptions'),
  ('create_exception', 'createException', 'write:exceptions'),
  ('get_exception', 'getException', 'read:exceptions'),
  ('update_exception', 'updateException', 'write:exceptions'),
  ('pause_exception', 'pauseException', 'write:exceptions'),
  ('resume_exception', 'resumeException', 'write:exceptions'),
  ('update_exceptions', 'updateExceptions', 'write:exceptions'),
  ('import_exceptions', 'importExceptions', 'write:exceptions'),
  ('list_exception_history', 'listExceptionHistory', 'read:exceptions'),
  ('list_sla_changes', 'listSlaChanges', 'read:sla'),
  ('get_sla_facets', 'getSlaFacets', 'read:sla'),
  ('list_exception_comments', 'listExceptionComments', 'read:exceptions'),
  ('create_exception_comment', 'createExceptionComment', 'write:exceptions'),
  ('get_time_to_breach', 'getTimeToBreach', 'read:sla'),
  ('get_exception_ledger', 'getExceptionLedger', 'read:exceptions'),
  ('get_sla_report', 'getSlaReport', 'read:sla'),
  ('get_sla_report', 'exportSlaReport', 'read:sla'),
  ('list_views', 'listViews', 'read:views'),
  ('create_view', 'createView', 'write:views'),
  ('get_view', 'getView', 'read:views'),
  ('update_view', 'updateView', 'write:views'),
  ('delete_view', 'deleteView', 'write:views'),
  ('get_sla_policy', 'getSlaPolicy', 'read:sla-policy'),
  ('put_sla_policy', 'putSlaPolicy', 'write:sla-policy'),
  ('list_calendars', 'listCalendars', 'read:calendars'),
  ('create_calendar', 'createCalendar', 'write:calendars'),
  ('get_calendar', 'getCalendar', 'read:calendars'),
  ('put_calendar', 'putCalendar', 'write:calendars'),
  ('list_calendar_versions', 'listCalendarVersions', 'read:calendars'),
  ('list_open_hours', 'listOpenHours', 'read:calendars'),
  ('list_holidays', 'listHolidays', 'read:calendars'),
  ('list_holidays', 'listHolidayCountries', 'read:calendars'),
  ('read_ics', 'readIcs', 'write:calendars'),
  ('get_calendar', 'getCalendarIcs', 'read:calendars'),
  ('list_reconciliations', 'listReconciliations', 'read:reconciliations'),
  ('create_reconciliation', 'createReconciliation', 'write:reconciliations'),
  ('get_reconciliation', 'getReconciliation', 'read:reconciliations'),
  ('update_reconciliation', 'updateReconciliation', 'write:reconciliations'),
  ('get_rules', 'getRules', 'read:reconciliations'),
  ('put_rules', 'putRules', 'write:reconciliations'),
  ('create_run', 'createRun', 'write:reconciliations'),
  ('list_runs', 'listRuns', 'read:reconciliations'),
  ('get_run', 'getRun', 'read:reconciliations'),
  ('list_suggestion_bands', 'listSuggestionBands', 'read:reconciliations'),
  ('sample_suggestions', 'sampleSuggestions', 'read:reconciliations'),
  ('list_matches', 'listMatches', 'read:reconciliations'),
  ('list_matches', 'exportMatches', 'read:reconciliations'),
  ('create_match', 'createMatch', 'write:reconciliations'),
  ('get_match', 'getMatch', 'read:reconciliations'),
  ('confirm_match', 'confirmMatch', 'decide:matches'),
  ('reject_match', 'rejectMatch', 'decide:matches'),
  ('undo_match', 'undoMatch', 'write:reconciliations'),
  ('decide_matches', 'decideMatches', 'decide:matches'),
  ('list_open_lines', 'listOpenLines', 'read:reconciliations'),
  ('list_decisions', 'listDecisions', 'read:reconciliations'),
  ('undo_decision', 'undoDecision', 'decide:matches'),
  ('list_line_suggestions', 'listLineSuggestions', 'read:reconciliations'),
  ('exclude_line', 'excludeLine', 'write:reconciliations'),
  ('include_line', 'includeLine', 'write:reconciliations'),
  ('get_proof', 'getProof', 'read:reconciliations'),
  ('get_statement', 'getStatement', 'read:reconciliations'),
  ('get_statement', 'exportStatement', 'read:reconciliations'),
  ('list_statement_items', 'exportStatement', 'read:reconciliations'),
  ('close_reconciliation', 'closeReconciliation', 'close:reconciliations'),
  ('reopen_reconciliation', 'reopenReconciliation', 'close:reconciliations'),
  ('list_sources', 'listSources', 'read:reconciliations'),
  ('create_source', 'createSource', 'write:reconciliations'),
  ('get_source', 'getSource', 'read:reconciliations'),
  ('update_source', 'updateSource', 'write:reconciliations'),
  ('add_lines', 'addLines', 'write:reconciliations'),
  ('get_source', 'addLines', 'write:reconciliations'),
  ('list_lines', 'listLines', 'read:reconciliations'),
  ('get_line', 'getLine', 'read:reconciliations'),
  ('list_line_history', 'listLineHistory', 'read:reconciliations'),
  ('open_import', 'createImport', 'write:reconciliations'),
  ('keep_import_chunk', 'createImport', 'write:reconciliations'),
  ('create_import', 'createImport', 'write:reconciliations'),
  ('drop_import', 'createImport', 'write:reconciliations'),
  ('preview_import', 'createImport', 'write:reconciliations'),
  ('list_imports', 'listImports', 'read:reconciliations'),
  ('get_import', 'getImport', 'read:reconciliations'),
  ('undo_import', 'undoImport', 'write:reconciliations'),
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
  ('get_webhook_stats', 'getWebhookStats', 'read:webhooks'),
  ('list_deliveries', 'listDeliveries', 'read:webhooks'),
  ('get_delivery_stats', 'getDeliveryStats', 'read:webhooks'),
  ('list_webhook_deliveries', 'listWebhookDeliveries', 'read:webhooks'),
  ('get_webhook_delivery', 'getWebhookDelivery', 'read:webhooks'),
  ('resend_webhook_delivery', 'resendWebhookDelivery', 'write:webhooks'),
  ('list_security_events', 'listSecurityEvents', 'read:security-events'),
  ('open_security_event_export', 'exportSecurityEvents', 'read:security-events'),
  ('continue_security_event_export', 'exportSecurityEvents', 'read:security-events'),
  ('get_security_event', 'getSecurityEvent', 'read:security-events'),
  ('open_security_event_chain', 'verifySecurityEvents', 'read:security-events'),
  ('walk_security_event_chain', 'verifySecurityEvents', 'read:security-events'),
  ('list_requests', 'listRequests', 'read:requests'),
  ('get_request', 'getRequest', 'read:requests'),
  ('get_request_stats', 'getRequestStats', 'read:requests');

insert into private.event_kinds (kind, permission) values
  ('exception.sla.at_risk', 'read:exceptions'),
  ('exception.sla.breached', 'read:exceptions'),
  ('exception.created', 'read:exceptions'),
  ('exception.updated', 'read:exceptions'),
  ('exception.resolved', 'read:exceptions'),
  ('exception.paused', 'read:exceptions'),
  ('exception.resumed', 'read:exceptions'),
  ('exception.commented', 'read:exceptions'),
  ('run.done', 'read:reconciliations'),
  ('match.undone', 'read:reconciliations'),
  ('reconciliation.closed', 'read:reconciliations'),
  ('reconciliation.reopened', 'read:reconciliations'),
  ('books.differ', 'read:reconciliations'),
  ('import.done', 'read:reconciliations'),
  ('api_key.expiring', 'read:api-keys'),
  ('api_key.revoked', 'read:api-keys'),
  ('webhook.failing', 'read:webhooks'),
  ('webhook.disabled', 'read:webhooks'),
  ('webhook.test', 'read:webhooks');

grant execute on function
  public.add_lines(jsonb, jsonb),
  public.close_reconciliation(jsonb, jsonb),
  public.confirm_match(jsonb, jsonb),
  public.continue_security_event_export(jsonb, jsonb),
  public.create_alert_channel(jsonb, jsonb),
  public.create_api_key(jsonb, jsonb),
  public.create_calendar(jsonb, jsonb),
  public.create_exception(jsonb, jsonb),
  public.create_exception_comment(jsonb, jsonb),
  public.create_import(jsonb, jsonb),
  public.create_invitation(jsonb, jsonb),
  public.create_match(jsonb, jsonb),
  public.create_reconciliation(jsonb, jsonb),
  public.create_record(jsonb, jsonb),
  public.create_run(jsonb, jsonb),
  public.create_source(jsonb, jsonb),
  public.create_view(jsonb, jsonb),
  public.create_webhook(jsonb, jsonb),
  public.decide_matches(jsonb, jsonb),
  public.delete_alert_channel(jsonb, jsonb),
  public.delete_record(jsonb, jsonb),
  public.delete_view(jsonb, jsonb),
  public.delete_webhook(jsonb, jsonb),
  public.drop_import(jsonb, jsonb),
  public.enable_webhook(jsonb, jsonb),
  public.end_sessions(jsonb, jsonb),
  public.estimate_api_key_impact(jsonb, jsonb),
  public.exclude_line(jsonb, jsonb),
  public.get_alert_channel(jsonb, jsonb),
  public.get_api_key(jsonb, jsonb),
  public.get_api_key_usage(jsonb, jsonb),
  public.get_calendar(jsonb, jsonb),
  public.get_delivery_stats(jsonb, jsonb),
  public.get_exception(jsonb, jsonb),
  public.get_exception_ledger(jsonb, jsonb),
  public.get_first_steps(jsonb, jsonb),
  public.get_import(jsonb, jsonb),
  public.get_invitation(jsonb, jsonb),
  public.get_line(jsonb, jsonb),
  public.get_match(jsonb, jsonb),
  public.get_me(jsonb, jsonb),
  public.get_notification_settings(jsonb, jsonb),
  public.get_overview(jsonb, jsonb),
  public.get_proof(jsonb, jsonb),
  public.get_reconciliation(jsonb, jsonb),
  public.get_record(jsonb, jsonb),
  public.get_request(jsonb, jsonb),
  public.get_request_stats(jsonb, jsonb),
  public.get_rules(jsonb, jsonb),
  public.get_run(jsonb, jsonb),
  public.get_security_event(jsonb, jsonb),
  public.get_sla_facets(jsonb, jsonb),
  public.get_sla_policy(jsonb, jsonb),
  public.get_sla_report(jsonb, jsonb),
  public.get_source(jsonb, jsonb),
  public.get_statement(jsonb, jsonb),
  public.get_tenant_member(jsonb, jsonb),
  public.get_time_to_breach(jsonb, jsonb),
  public.get_view(jsonb, jsonb),
  public.get_webhook(jsonb, jsonb),
  public.get_webhook_delivery(jsonb, jsonb),
  public.get_webhook_stats(jsonb, jsonb),
  public.import_exceptions(jsonb, jsonb),
  public.include_line(jsonb, jsonb),
  public.keep_import_chunk(jsonb, jsonb),
  public.list_alert_channels(jsonb, jsonb),
  public.list_api_keys(jsonb, jsonb),
  public.list_calendar_versions(jsonb, jsonb),
  public.list_calendars(jsonb, jsonb),
  public.list_decisions(jsonb, jsonb),
  public.list_deliveries(jsonb, jsonb),
  public.list_exception_comments(jsonb, jsonb),
  public.list_exception_history(jsonb, jsonb),
  public.list_exceptions(jsonb, jsonb),
  public.list_holidays(jsonb, jsonb),
  public.list_imports(jsonb, jsonb),
  public.list_invitations(jsonb, jsonb),
  public.list_line_history(jsonb, jsonb),
  public.list_line_suggestions(jsonb, jsonb),
  public.list_lines(jsonb, jsonb),
  public.list_matches(jsonb, jsonb),
  public.list_members(jsonb, jsonb),
  public.list_open_hours(jsonb, jsonb),
  public.list_open_lines(jsonb, jsonb),
  public.list_reconciliations(jsonb, jsonb),
  public.list_records(jsonb, jsonb),
  public.list_requests(jsonb, jsonb),
  public.list_runs(jsonb, jsonb),
  public.list_security_events(jsonb, jsonb),
  public.list_sessions(jsonb, jsonb),
  public.list_sla_changes(jsonb, jsonb),
  public.list_sla_exceptions(jsonb, jsonb),
  public.list_sources(jsonb, jsonb),
  public.list_statement_items(jsonb, jsonb),
  public.list_suggestion_bands(jsonb, jsonb),
  public.list_tenant_members(jsonb, jsonb),
  public.list_views(jsonb, jsonb),
  public.list_webhook_deliveries(jsonb, jsonb),
  public.list_webhooks(jsonb, jsonb),
  public.open_import(jsonb, jsonb),
  public.open_security_event_chain(jsonb, jsonb),
  public.open_security_event_export(jsonb, jsonb),
  public.pause_exception(jsonb, jsonb),
  public.preview_import(jsonb, jsonb),
  public.put_calendar(jsonb, jsonb),
  public.put_first_steps(jsonb, jsonb),
  public.put_notification_settings(jsonb, jsonb),
  public.put_rules(jsonb, jsonb),
  public.put_sla_policy(jsonb, jsonb),
  public.read_ics(jsonb, jsonb),
  public.recover_webhook(jsonb, jsonb),
  public.reject_match(jsonb, jsonb),
  public.remove_tenant_member(jsonb, jsonb),
  public.reopen_reconciliation(jsonb, jsonb),
  public.resend_invitation(jsonb, jsonb),
  public.resend_webhook_delivery(jsonb, jsonb),
  public.restore_record(jsonb, jsonb),
  public.resume_exception(jsonb, jsonb),
  public.revoke_api_key(jsonb, jsonb),
  public.revoke_invitation(jsonb, jsonb),
  public.rotate_api_key(jsonb, jsonb),
  public.rotate_webhook_secret(jsonb, jsonb),
  public.sample_suggestions(jsonb, jsonb),
  public.test_alert_channel(jsonb, jsonb),
  public.test_webhook(jsonb, jsonb),
  public.undo_decision(jsonb, jsonb),
  public.undo_import(jsonb, jsonb),
  public.undo_match(jsonb, jsonb),
  public.update_alert_channel(jsonb, jsonb),
  public.update_api_key(jsonb, jsonb),
  public.update_exception(jsonb, jsonb),
  public.update_exceptions(jsonb, jsonb),
  public.update_reconciliation(jsonb, jsonb),
  public.update_record(jsonb, jsonb),
  public.update_source(jsonb, jsonb),
  public.update_tenant_member(jsonb, jsonb),
  public.update_view(jsonb, jsonb),
  public.update_webhook(jsonb, jsonb),
  public.walk_security_event_chain(jsonb, jsonb)
to authenticated;

grant execute on function
  public.get_me(jsonb, jsonb),
  public.get_record(jsonb, jsonb),
  public.list_records(jsonb, jsonb)
to anon;

-- What background processes of the release before call while they are replaced by this one. The next release drops it.

create function private.roll_request_log() returns integer
language plpgsql volatile security definer set search_path = '' as $$
begin
  return private.roll_partitions();
end $$;
grant execute on function private.roll_request_log() to service_role;
