-- Admitting a member: an account of Supabase Auth is given roles in a tenant, and the tenant's audit trail says so.

-- Called by `npm run tenant -- admit`, over the operator's connection. The roles take the place of those the account had there.
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
    perform private.refuse('not_found', format('Nobody of Supabase Auth has the address %s. Create the account there first.', $2));
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
