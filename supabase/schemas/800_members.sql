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
