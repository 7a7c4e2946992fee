-- Claims: who is asking, for which tenant, and how the database says no.
--
-- Every request's token is signed by the server for exactly one tenant. Its claims:
--   tenant_id, principal_type (user | api_key | publishable_key | service_role), principal_id, actor, roles[], scopes[].
-- A Supabase Auth session token has none of them and therefore sees nothing.

create schema private;
grant usage on schema private to anon, authenticated, service_role;

-- The platform grants everything in public to the API roles by default, TRUNCATE included, which row-level
-- security does not stop. Here a table or function is out of reach until a migration grants it.
alter default privileges revoke execute on functions from public;
alter default privileges in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges in schema public revoke all on functions from anon, authenticated, service_role;

create function private.tenant_id() returns text
language sql stable set search_path = ''
return auth.jwt() ->> 'tenant_id';

create function private.principal_type() returns text
language sql stable set search_path = ''
return auth.jwt() ->> 'principal_type';

create function private.actor() returns text
language sql stable set search_path = ''
return coalesce(auth.jwt() ->> 'actor', 'system');

-- True where the principal holds one of the roles (users) or one of the scopes (API keys).
create function private.allows(roles text[], scopes text[]) returns boolean
language sql stable set search_path = ''
return case private.principal_type()
  when 'user' then coalesce(auth.jwt() -> 'roles' ?| roles, false)
  when 'api_key' then coalesce(auth.jwt() -> 'scopes' ?| scopes, false)
  when 'service_role' then true
  else false
end;

-- ISO 8601 UTC with milliseconds: the only form in which a time leaves the database.
create function private.iso(moment timestamptz) returns text
language sql stable set search_path = ''
return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Typed, time-sortable identifier: 48 bits of milliseconds, then 74 random bits.
create function private.new_id(prefix text) returns text
language sql volatile set search_path = ''
return prefix || '_'
  || lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
  || substr(replace(gen_random_uuid()::text, '-', ''), 13);

-- Refuses with one of the codes of lib/errors.ts. The detail is a sentence for the caller; `errors` is [{path, message}].
create function private.refuse(code text, detail text, errors jsonb default null) returns void
language plpgsql stable set search_path = '' as $$
begin
  raise exception using errcode = 'TO001', message = code, detail = detail, hint = coalesce(errors::text, '');
end $$;

-- JSON merge patch (RFC 7396).
create function private.merge_patch(target jsonb, patch jsonb) returns jsonb
language plpgsql immutable set search_path = '' as $$
declare
  merged jsonb := case when jsonb_typeof(target) = 'object' then target else '{}'::jsonb end;
  field record;
begin
  if jsonb_typeof(patch) <> 'object' then
    return patch;
  end if;
  for field in select key, value from jsonb_each(patch) loop
    if field.value = 'null'::jsonb then
      merged := merged - field.key;
    else
      merged := merged || jsonb_build_object(field.key, private.merge_patch(merged -> field.key, field.value));
    end if;
  end loop;
  return merged;
end $$;

grant execute on function
  private.tenant_id(), private.principal_type(), private.actor(), private.allows(text[], text[]), private.iso(timestamptz),
  private.new_id(text), private.refuse(text, text, jsonb), private.merge_patch(jsonb, jsonb)
to anon, authenticated, service_role;
