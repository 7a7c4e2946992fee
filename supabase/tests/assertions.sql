-- What the persona tests are written with. Each test file runs after this one, in a transaction that is rolled back.

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

-- The owner again, whom no policy holds back.
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
  if actual is distinct from expected then
    raise exception '%: % rows instead of % by %', guarantee, actual, expected, query;
  end if;
end $$;

-- Expects that a statement touches this many rows.
create function pg_temp.expect_changed(guarantee text, statement text, expected bigint) returns void
language plpgsql as $$
declare
  actual bigint;
begin
  execute statement;
  get diagnostics actual = row_count;
  if actual is distinct from expected then
    raise exception '%: % rows changed instead of % by %', guarantee, actual, expected, statement;
  end if;
end $$;

-- Expects an error of one of these codes: by default, that the database itself refuses.
create function pg_temp.expect_refused(guarantee text, statement text, codes text[] default '{42501}') returns void
language plpgsql as $$
begin
  begin
    execute statement;
  exception when others then
    if sqlstate = any (codes) then
      return;
    end if;
    raise exception '%: % (%) instead of a refusal by %', guarantee, sqlerrm, sqlstate, statement;
  end;
  raise exception '%: nothing refused %', guarantee, statement;
end $$;

grant execute on all functions in schema pg_temp to public;
