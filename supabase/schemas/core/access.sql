-- Access: who may do what. It is defined in lib/wire/access.ts and the contracts; `npm run
-- generate` writes both tables (core/operations.gen.sql). `private.begin_request` checks operations
-- against them, and policies check rows.

-- action:resource, for example write:exceptions. `principals`: the kinds of caller that may hold
-- it.
create table private.permissions (
  permission text primary key check (permission ~ '^[a-z]+:[a-z-]+$'),
  principals text[] not null,
  -- A user needs one of these; null: any user of the tenant.
  roles text[],
  -- An API key needs this scope; null: any key, if `principals` includes api_key.
  scope text
);

-- Which exposed function serves which operation of /v1, and which permission the operation needs.
create table private.operations (
  verb text not null,
  operation text not null,
  permission text not null references private.permissions (permission),
  primary key (verb, operation)
);
create index operations_by_permission on private.operations (permission);

-- The permission to read the content of an event of this kind.
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

-- Whether the caller holds one of these permissions. In policies, write (select
-- private.may('write:exceptions')), so that it runs once a statement.
create function private.may(variadic permissions text[]) returns boolean
language plpgsql stable security definer set search_path = '' as $$
declare
  claims constant jsonb := auth.jwt();
begin
  return exists (select from private.permissions granted
    where granted.permission = any (permissions) and private.holds(granted, claims));
end $$;

-- The resources on which the caller may perform one of these actions, for tables that hold several
-- resources, such as records.
create function private.permitted(variadic actions text[]) returns text[]
language plpgsql stable security definer set search_path = '' as $$
declare
  claims constant jsonb := auth.jwt();
begin
  return array(
    select split_part(granted.permission, ':', 2) from private.permissions granted
    where split_part(granted.permission, ':', 1) = any (actions)
      and private.holds(granted, claims)
  );
end $$;

-- The kinds of events that the caller may read.
create function private.readable_events() returns text[]
language plpgsql stable security definer set search_path = '' as $$
begin
  return array(select event_kind.kind from private.event_kinds event_kind
    where private.may(event_kind.permission));
end $$;

-- Refuses: scope_required, role_required if the caller may not read the content of events of these
-- kinds.
create function private.require_readable_events(kinds text[]) returns void
language plpgsql stable security definer set search_path = '' as $$
declare
  unreadable constant text := (select min(kind) from unnest(kinds) kind
    where kind <> all (private.readable_events()));
  scope constant text := (
    select permissions.scope
    from private.event_kinds event_kind
    join private.permissions on permissions.permission = event_kind.permission
    where event_kind.kind = unreadable
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
