-- What the persona tests are written with. Each test file runs after this one, in a transaction that is rolled back; every expectation
-- leaves a row, and e2e/api/database/row-security.test.ts reports each as a test.

create temporary table guarantees (
  n integer generated always as identity,
  guarantee text not null,
  statement text not null,
  -- What happened instead; null if it holds.
  fault text
) on commit drop;
grant insert on guarantees to public;

create function pg_temp.found(guarantee text, statement text, fault text) returns void
language sql as $$
  insert into guarantees (guarantee, statement, fault) values ($1, $2, $3);
$$;

-- From here on the session is this persona: the role and the claims that a request's token would carry.
create function pg_temp.become(role text, claims jsonb default '{}') returns void
language sql as $$
  select set_config('request.jwt.claims', (claims || jsonb_build_object('role', $1))::text, true), set_config('role', $1, true);
$$;

create function pg_temp.become_user(tenant text, roles text[], name text default 'ada') returns void
language sql as $$
  select pg_temp.become('authenticated', jsonb_build_object(
    'tenant_id', tenant, 'principal_type', 'user', 'principal_id', 'user:' || name, 'actor', 'user:' || name, 'roles', roles, 'scopes', '{}'::text[]
  ));
$$;

create function pg_temp.become_api_key(tenant text, scopes text[]) returns void
language sql as $$
  select pg_temp.become('authenticated', jsonb_build_object(
    'tenant_id', tenant, 'principal_type', 'api_key', 'principal_id', 'api_key:key_1', 'actor', 'api_key:key_1', 'roles', '{}'::text[], 'scopes', scopes
  ));
$$;

-- Becomes the owner again, who is exempt from the policies.
create function pg_temp.become_owner() returns void
language sql as $$
  select set_config('role', 'none', true), set_config('request.jwt.claims', '', true);
$$;

create function pg_temp.expect_rows(guarantee text, query text, expected bigint) returns void
language plpgsql as $$
declare
  actual bigint;
begin
  execute format('select count(*) from (%s) counted', query) into actual;
  perform pg_temp.found(guarantee, query, case when actual is distinct from expected then format('%s rows instead of %s', actual, expected) end);
exception when others then
  perform pg_temp.found(guarantee, query, sqlerrm);
end $$;

-- Expects that a statement touches this many rows.
create function pg_temp.expect_changed(guarantee text, statement text, expected bigint) returns void
language plpgsql as $$
declare
  actual bigint;
begin
  execute statement;
  get diagnostics actual = row_count;
  perform pg_temp.found(guarantee, statement, case when actual is distinct from expected then format('%s rows changed instead of %s', actual, expected) end);
exception when others then
  perform pg_temp.found(guarantee, statement, sqlerrm);
end $$;

-- Expects an error of one of these codes: by default, that the database itself refuses.
create function pg_temp.expect_refused(guarantee text, statement text, codes text[] default '{42501}') returns void
language plpgsql as $$
declare
  refusal text := 'nothing refused it';
begin
  begin
    execute statement;
  exception when others then
    refusal := case when sqlstate = any (codes) then null else format('%s (%s) instead of a refusal', sqlerrm, sqlstate) end;
  end;
  perform pg_temp.found(guarantee, statement, refusal);
end $$;

grant execute on all functions in schema pg_temp to public;
