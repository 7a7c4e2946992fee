-- A tenant's accounts: its members and their roles. An admin changes and removes them. Users of
-- another identity provider are changed there.

-- An account as an admin sees it. `open_exceptions` is counted up to 1,000.
create function private.account_json(account auth.users, tenant text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  name constant text := private.account_name(account.email, account.id);
  roles constant jsonb := private.roles_of_account(account.raw_app_meta_data, tenant);
begin
  return jsonb_build_object(
    'id', account.id, 'name', name, 'user', 'user:' || name, 'email', account.email,
    'roles', to_jsonb(array(select role from unnest(private.roles()) role where roles ? role)),
    'status', case when account.banned_until > now() then 'suspended' else 'active' end,
    'created_at', private.iso(account.created_at),
    'last_sign_in_at', private.iso(account.last_sign_in_at),
    'open_exceptions', (select count(*) from (
      select from public.exceptions exception
      where exception.tenant_id = tenant and exception.assigned_to = 'user:' || name
        and exception.status in ('open', 'in_review')
        limit 1000
    ) counted),
    'version', private.version_of(roles)
  );
end $$;

-- The accounts of the caller's tenant, for callers who may manage them.
create function private.tenant_accounts() returns setof auth.users
language plpgsql stable security definer set search_path = '' as $$
begin
  if private.may('read:people') then
    return query select * from private.accounts_of(private.tenant_id());
  end if;
end $$;

-- An account of the caller's tenant; null if there is none.
create function private.tenant_account(id uuid) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select private.account_json(account, private.tenant_id()) from auth.users account
    where account.id = $1 and private.may('read:people') and account.deleted_at is null
      and private.roles_of_account(account.raw_app_meta_data, private.tenant_id()) is not null
  );
end $$;

-- Accounts of the caller's tenant by address, after this key.
create function private.tenant_account_page(after text, sought text,
  max_count integer) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select jsonb_agg(private.account_json(account.account, private.tenant_id())
      || jsonb_build_object('key', account.key)
    order by account.key)
    from (
      select account as account, coalesce(account.email, '') || ' ' || account.id as key
      from private.tenant_accounts() account
      where (after is null or coalesce(account.email, '') || ' ' || account.id > after)
        and (sought is null or strpos(lower(account.email), sought) > 0)
      order by 2 limit max_count
    ) account
  );
end $$;

-- Gives an account other roles in the caller's tenant; null removes it from the tenant, and ends
-- its sessions if it has no other tenant. One call at a time per tenant: two admins who remove each
-- other would leave none. `issuer`: of Supabase Auth's accounts. Returns its name, its previous
-- roles and the sessions that ended. Refuses: not_found, precondition_failed; conflict for the last
-- admin and in a sandbox.
create function private.change_account(id uuid, roles jsonb, versions jsonb,
  issuer text) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  account auth.users;
  before jsonb;
  ended text[] := '{}';
begin
  perform private.require_live_tenant(
    'A sandbox has the people of its live tenant. Change their roles there.');
  perform pg_advisory_xact_lock(hashtextextended('members ' || tenant, 0));
  select * into account from auth.users
  where users.id = $1 and users.deleted_at is null
    and private.roles_of_account(users.raw_app_meta_data, tenant) is not null for no key update;
  before := private.roles_of_account(account.raw_app_meta_data, tenant);
  if before is null then
    perform private.refuse_missing('member');
  end if;
  perform private.require_version(private.version_of(before), versions);
  if before ? 'tenant_admin' and not coalesce(roles ? 'tenant_admin', false) and not exists (
    select from private.accounts_of(tenant) other_account
    where other_account.id <> account.id
      and (other_account.banned_until is null or other_account.banned_until <= now())
      and private.roles_of_account(other_account.raw_app_meta_data, tenant) ? 'tenant_admin'
  ) then
    perform private.refuse_conflict('last_admin',
      'This is the tenant''s last admin. Make another member an admin first.');
  end if;
  update auth.users
  set raw_app_meta_data = private.claims_with_roles(users.raw_app_meta_data, tenant, roles),
    updated_at = now()
  where users.id = account.id returning * into account;
  if roles is null and account.raw_app_meta_data -> 'tenants' = '{}' then
    with removed as (
      update private.sessions session set ended_at = now()
      where session.issuer = change_account.issuer and session.subject = account.id::text
        and session.ended_at is null
        returning session.id
    )
    select coalesce(array_agg(removed.id), '{}') into ended from removed;
  end if;
  return jsonb_build_object('name', private.account_name(account.email, account.id),
    'before', before, 'ended', to_jsonb(ended));
end $$;

-- Whether several accounts of the caller's tenant have this name.
create function private.has_namesake(name text) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return (select count(*) > 1 from private.accounts_of(private.tenant_id()) account
    where private.account_name(account.email, account.id) = $1);
end $$;

grant execute
  on function private.tenant_account(uuid),
    private.tenant_account_page(text, text, integer) to authenticated;

-- input: { limit, after: [key] | null, q }. By address; q is part of it.
create function public.list_tenant_members(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
begin
  perform private.begin_request(request, 'list_tenant_members');
  return private.page(
    private.tenant_account_page(input -> 'after' ->> 0, lower(input ->> 'q'), page_size + 1),
    page_size, 'key');
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_tenant_member(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  member jsonb;
begin
  perform private.begin_request(request, 'get_tenant_member');
  member := private.tenant_account((input ->> 'id')::uuid);
  if member is null then
    perform private.refuse_missing('member');
  end if;
  return member;
end $$;

-- input: { id, roles, issuer }. Refuses: not_found, precondition_failed; conflict for the last
-- admin. Records: member.role_changed, if the roles change.
create function public.update_tenant_member(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'update_tenant_member');
  member constant uuid := (input ->> 'id')::uuid;
  changed jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  changed := private.change_account(member, input -> 'roles', request -> 'versions',
    input ->> 'issuer');
  if changed -> 'before' <> input -> 'roles' then
    perform private.record_security_event('member.role_changed', 'user:' || (changed ->> 'name'),
      null, jsonb_build_object(
      'member_id', member,
      'roles', jsonb_build_object('from', changed -> 'before', 'to', input -> 'roles')));
  end if;
  return private.finish_request(request, private.tenant_account(member));
end $$;

create function private.open_exceptions_of(assignee text) returns text[]
language plpgsql stable set search_path = '' as $$
begin
  return array(
    select exception.id
    from public.exceptions exception
    where exception.tenant_id = private.tenant_id() and exception.assigned_to = assignee
      and exception.status in ('open', 'in_review'));
end $$;

-- input: { id, reason, issuer, hand_over, hand_over_to }. With hand_over, the open exceptions
-- assigned to the member go to hand_over_to, or to nobody. Refuses: not_found, precondition_failed;
-- conflict for the last admin, for exceptions of a name that several members have, and for more
-- exceptions than fit one call. Records: member.removed.
create function public.remove_tenant_member(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'remove_tenant_member');
  member constant uuid := (input ->> 'id')::uuid;
  before constant jsonb := case
    when replayed is null then private.tenant_account((input ->> 'id')::uuid) end;
  changed jsonb;
  handed_over integer := 0;
begin
  if replayed is not null then
    return replayed;
  end if;
  if (input ->> 'hand_over')::boolean and private.has_namesake(before ->> 'name') then
    perform private.refuse_conflict('same_name',
      format(
        'Another member is called %s too. Reassign the exceptions on the board first, then remove the member without handing over.',
        before ->> 'name'));
  -- Counted up to 1,000.
  elsif (input ->> 'hand_over')::boolean and (before ->> 'open_exceptions')::integer >= 1000 then
    perform private.refuse_conflict('too_many_exceptions',
      format(
        '%s has 1,000 open exceptions or more. Reassign them on the board first, then remove the member without handing over.',
        before ->> 'name'));
  end if;
  changed := private.change_account(member, null, request -> 'versions', input ->> 'issuer');
  if (input ->> 'hand_over')::boolean then
    select count(*) into handed_over from private.change_exceptions_for_caller('edit', array(
      select jsonb_build_object('id', exception.id, 'assigned_to', input -> 'hand_over_to')
      from private.lock_exceptions(private.open_exceptions_of('user:'
        || (changed ->> 'name'))) exception
      where exception.assigned_to = 'user:' || (changed ->> 'name')
        and exception.status in ('open', 'in_review')
    ));
  end if;
  perform private.record_security_event('member.removed', 'user:' || (changed ->> 'name'),
    input ->> 'reason', jsonb_build_object(
    'member_id', member, 'roles', changed -> 'before',
    'sessions_ended', jsonb_array_length(changed -> 'ended'),
    'handed_over', handed_over, 'handed_over_to', input ->> 'hand_over_to'));
  return private.finish_request(request,
    before || jsonb_build_object('handed_over', handed_over, 'ended', changed -> 'ended'));
end $$;
