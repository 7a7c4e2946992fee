-- Claims: who is calling, and for which tenant.
-- Every request's token is signed by the server for exactly one tenant
-- (lib/auth/internal-token.ts). Its claims: tenant_id, principal_type (user | api_key |
-- publishable_key | service_role), principal_id, actor, roles[], scopes[]; for a user also issuer
-- and sub; for our own pages also session_id. A Supabase Auth session token has none of them and
-- therefore sees nothing.
-- Helpers that run for every row or in every policy are plpgsql, whose plans are cached for the
-- connection. A function in language sql with its own search_path is planned again in each query.

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

-- How history and events name the caller: user:<name>, api_key:<id>, service_role; `system` for the
-- worker and the operator.
create function private.actor() returns text
language plpgsql stable set search_path = '' as $$
begin
  return coalesce(auth.jwt() ->> 'actor', 'system');
end $$;

-- A person is identified by the issuer and subject of their token. The name in `actor` is for
-- display, and several people may share it. Null if the caller is not a person.
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

grant execute
  on function private.tenant_id(), private.principal_type(), private.actor() to anon, authenticated,
    service_role;
