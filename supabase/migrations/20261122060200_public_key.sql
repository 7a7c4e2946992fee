-- The publishable key is in everybody's hands: for it, a tenant that exists and one that does not are the same.

-- As before, but that a tenant nobody has made is, for the publishable key, one that has published nothing.
create or replace function private.enter(request jsonb, roles text[], scopes text[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform set_config('tieout.operation', coalesce(request ->> 'operation', ''), true),
    set_config('tieout.request_id', coalesce(request ->> 'request_id', ''), true),
    set_config('tieout.address', coalesce(request ->> 'address', ''), true);
  if private.principal_type() <> 'publishable_key' and not exists (select from public.tenants where id = private.tenant_id()) then
    perform private.refuse('tenant_forbidden', 'This credential does not belong to the tenant named by X-Tenant-Id.');
  end if;
  if roles is not null and not private.allows(roles, scopes) then
    perform private.refuse('role_required', 'This credential may not call this operation.');
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

-- GET /v1/me: the tenant's name, but for the publishable key.
create or replace function public.get_me(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, null, null);
  return jsonb_build_object('tenant_id', private.tenant_id(), 'tenant_name', (
    select t.name from public.tenants t where t.id = private.tenant_id() and private.principal_type() <> 'publishable_key'
  ));
end $$;

-- As before, and every version of the API, whether or not there is one.
create or replace function private.create_tenant(id text, name text) returns void
language plpgsql set search_path = '' as $$
begin
  if id !~ '^[a-z0-9][a-z0-9_-]{0,62}$' then
    perform private.refuse('invalid_request', 'An id is 1 to 63 lower-case letters, digits, - and _, and begins with a letter or digit.');
  elsif id in ('api', 'design', 'docs', 'healthz', 'metrics', 'readyz', 'sign-in') or id ~ '^v[0-9]+$' then
    perform private.refuse('invalid_request', format('The id %s is reserved. Choose another one.', id));
  end if;
  insert into public.tenants (id, name) values ($1, $2);
  insert into public.sla_policies (tenant_id) values ($1);
end $$;
