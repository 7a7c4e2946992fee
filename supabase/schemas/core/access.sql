-- Access: who may do what. lib/wire/access.ts and the contracts say it; `npm run generate` writes
-- both tables (core/operations.gen.sql). `private.begin_request` decides operations by them, and
-- policies decide rows.

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
  return coalesce(claims ->> 'principal_type' = any (needed.principals)
    and case claims ->> 'principal_type'
    when 'user' then needed.roles is null or claims -> 'roles' ?| needed.roles
    when 'api_key' then needed.scope is null or claims -> 'scopes' ? needed.scope
    else true
  end, false);
end $$;

-- Whether the caller holds one of these permissions. In policies: (select
-- private.may('write:exceptions')), once a statement.
create function private.may(variadic permissions text[]) returns boolean
language plpgsql stable security definer set search_path = '' as $$
declare
  claims constant jsonb := auth.jwt();
begin
  return exists (select from private.permissions p
    where p.permission = any (permissions) and private.holds(p, claims));
end $$;

-- The resources on which the caller may do one of these actions: for tables that hold several, as
-- records do.
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

-- Refuses: scope_required, role_required where the caller may not read what events of these kinds
-- carry.
create function private.require_readable_events(kinds text[]) returns void
language plpgsql stable security definer set search_path = '' as $$
declare
  unreadable constant text := (select min(k) from unnest(kinds) k
    where k <> all (private.readable_events()));
  scope constant text := (
    select p.scope
    from private.event_kinds k
    join private.permissions p on p.permission = k.permission
    where k.kind = unreadable
  );
begin
  if unreadable is null then
    return;
  elsif private.principal_type() = 'api_key' and scope is not null then
    perform private.refuse('scope_required',
      format('To be sent %s, an API key needs the scope %s.', unreadable, scope));
  end if;
  perform private.refuse('role_required',
    format(
      'This credential may not read what %s carries. Leave it out, or ask a tenant admin to register for it.',
      unreadable));
end $$;

grant execute on function private.may(text[]), private.permitted(text[]) to anon, authenticated;
grant execute on function private.readable_events() to authenticated;
