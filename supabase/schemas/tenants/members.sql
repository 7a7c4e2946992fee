-- Members: people to assign a tenant's exceptions to, and the accounts of Supabase Auth.

-- The name of an account: the local part of its address, as the server reads a token
-- (lib/auth/claims.ts).
create function private.account_name(email text, id uuid) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return left(
    regexp_replace(
      btrim(case when strpos(email, '@') > 1 then split_part(email, '@', 1) else id::text end),
      '\s+', '_', 'g'),
    120);
end $$;

-- An account's roles in a tenant, null if it is not a member: `tenants` is an object of roles by
-- tenant, or an array with `roles` next to it. In a sandbox, those in its live tenant.
create function private.roles_of_account(claims jsonb, tenant text) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare
  live constant text := private.live_tenant(tenant);
  roles constant jsonb := case jsonb_typeof(claims -> 'tenants')
    when 'object' then claims -> 'tenants' -> live
    when 'array' then case when claims -> 'tenants' ? live then coalesce(claims -> 'roles', '[]')
    end
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
    when 'array' then array(select tenant #>> '{}'
      from jsonb_array_elements(claims -> 'tenants') tenant
      where jsonb_typeof(tenant) = 'string')
    else '{}'
  end;
end $$;

-- The claims with these roles in the tenant; null removes the tenant. Always in the form of an
-- object.
create function private.claims_with_roles(claims jsonb, tenant text, roles jsonb) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare
  base jsonb := coalesce(claims, '{}');
  tenants jsonb;
begin
  if jsonb_typeof(base -> 'tenants') = 'array' then
    base := base - 'roles' || jsonb_build_object('tenants', coalesce((
      select jsonb_object_agg(listed_tenant, coalesce(base -> 'roles', '[]'))
      from jsonb_array_elements_text(base -> 'tenants') listed_tenant
    ), '{}'));
  end if;
  tenants := (case jsonb_typeof(base -> 'tenants') when 'object' then base -> 'tenants'
    else '{}' end)
    - tenant;
  return base
    || jsonb_build_object('tenants',
      case when roles is null then tenants else tenants || jsonb_build_object(tenant, roles) end);
end $$;

-- The people that Supabase Auth knows in the tenant, and those who were assigned an exception
-- before, since it may not know the users of an identity provider. Accounts that cannot sign in are
-- left out.
create function private.members() returns table (name text, roles text[], source text)
language plpgsql stable security definer set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
begin
  return query
  with recursive assignee (reference) as (
    -- One step in the index per name, however many exceptions each has.
    (select exception.assigned_to from public.exceptions exception
      where exception.tenant_id = tenant and exception.assigned_to is not null order by 1 limit 1)
    union all
    select (select exception.assigned_to
    from public.exceptions exception
    where exception.tenant_id = tenant and exception.assigned_to > assignee.reference
    order by 1
    limit 1)
    from assignee where assignee.reference is not null
  ), person (name, role, source) as (
    select private.account_name(account.email, account.id), of_role.role, 'directory'
    from private.accounts_of(tenant) account
    left join lateral unnest(private.roles()) as of_role (role)
      on private.roles_of_account(account.raw_app_meta_data, tenant) ? of_role.role
    where account.banned_until is null or account.banned_until <= now()
    union all
    select substr(assignee.reference, 6), null, 'assignment' from assignee
    where assignee.reference is not null
  )
  select person_row.name,
    coalesce(array_agg(distinct person_row.role) filter (where person_row.role is not null), '{}'),
    max(person_row.source)
  from person person_row group by person_row.name;
end $$;

-- By name. input: { limit, after: [name] | null, q }; q is part of the name.
create function public.list_members(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  sought constant text := lower(input ->> 'q');
  items jsonb;
begin
  perform private.begin_request(request, 'list_members');
  select jsonb_agg(
    jsonb_build_object('name', member.name, 'user', 'user:' || member.name, 'roles', member.roles,
      'source', member.source)
  order by member.name) into items
  from (
    select * from private.members() member
    where (input -> 'after' ->> 0 is null or member.name > input -> 'after' ->> 0)
      and (sought is null or strpos(lower(member.name), sought) > 0)
    order by member.name
    limit page_size + 1
  ) member;
  return private.page(items, page_size, 'name');
end $$;
grant execute on function private.members() to authenticated;

-- Called by `npm run tenant -- admit`, over the operator's connection. Replaces the roles that the
-- account had in the tenant. Refuses: not_found for an unknown tenant or account. Records:
-- member.admitted.
create function private.admit_member(tenant_id text, email text, roles text[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  account auth.users;
begin
  if not exists (select from public.tenants tenant where tenant.id = $1) then
    perform private.refuse('not_found', format('There is no tenant %s.', $1));
  elsif private.is_sandbox($1) then
    perform private.refuse('not_found',
      format('%s is a sandbox. Admit people to its live tenant, %s.', $1, private.live_tenant($1)));
  end if;
  select * into account
  from auth.users
  where users.id = (private.find_account($2)).id for no key update;
  if not found then
    perform private.refuse('not_found',
      format('Supabase Auth has no account with the address %s. Create it there first.', $2));
  end if;
  update auth.users
  set raw_app_meta_data = private.claims_with_roles(users.raw_app_meta_data, $1, to_jsonb($3))
  where users.id = account.id;
  perform private.append_security_event(jsonb_build_object(
    'tenant_id', $1, 'type', 'member.admitted', 'actor', 'operator', 'credential', 'system',
    'target', 'user:' || private.account_name(account.email, account.id),
    'details', jsonb_build_object('roles', jsonb_build_object(
      'from', coalesce(private.roles_of_account(account.raw_app_meta_data, $1), '[]'),
      'to', to_jsonb($3)))
  ));
end $$;

-- What Supabase Auth knows of a signed-in user now: a session has the present roles, not those of
-- its sign-in. Null for a user who is deleted, banned or unknown.
create function private.find_session_user(user_id uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select jsonb_build_object('app_metadata', coalesce(account.raw_app_meta_data, '{}'),
      'email', account.email)
    from auth.users account
    where account.id = user_id and account.deleted_at is null
      and (account.banned_until is null or account.banned_until <= now())
  );
end $$;
create function public.find_session_user(user_id uuid) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return private.find_session_user(user_id);
end $$;
grant execute
  on function private.find_session_user(uuid), public.find_session_user(uuid) to service_role;
