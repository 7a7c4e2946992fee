-- Members: whom a tenant's exceptions can be given to. The people whom Supabase Auth has in the tenant, and those who were
-- given one before: an identity provider's users may be unknown to it.

-- Also what a list of one assignee's exceptions goes by.
create index exceptions_of_assignee on public.exceptions (tenant_id, assigned_to, id) where assigned_to is not null;

-- As the server reads a token (lib/auth/principal.ts): the name is the local part of the address, `tenants` an object of roles
-- by tenant, or an array with `roles` beside it. Who cannot sign in is left out.
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
    left join lateral unnest('{tenant_admin,tenant_analyst,tenant_lead}'::text[]) as r (role) on m.roles ? r.role
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
  page jsonb;
begin
  perform private.enter(request, '{tenant_admin,tenant_analyst,tenant_lead}', '{}');
  select jsonb_agg(jsonb_build_object('name', m.name, 'user', 'user:' || m.name, 'roles', m.roles, 'source', m.source) order by m.name) into page
  from (
    select * from private.members() x
    where (input -> 'after' ->> 0 is null or x.name > input -> 'after' ->> 0) and (sought is null or strpos(lower(x.name), sought) > 0)
    order by x.name
    limit page_size + 1
  ) m;
  return private.page(page, page_size,
    case when jsonb_array_length(coalesce(page, '[]')) > page_size then jsonb_build_array(page -> (page_size - 1) -> 'name') end);
end $$;

grant execute on function private.members(), public.list_members(jsonb, jsonb) to authenticated;
