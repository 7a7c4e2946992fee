-- A view belongs to its author, and if it is shared, its tenant sees it; authors change their
-- views, admins shared ones.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into views (id, tenant_id, principal_id, name, shared) values
  ('viw_own', 'one', 'user:ada', 'Own', false), ('viw_shared', 'one', 'user:ada', 'Shared', true), ('viw_two', 'two', 'user:ada', 'Foreign', true);

create function pg_temp.renaming(id text) returns text
language sql as $$
  select format($q$select public.update_view('{"id": "%s", "patch": {"name": "Renamed"}}', '{"operation": "updateView"}')$q$, id);
$$;
create function pg_temp.deleting(id text) returns text
language sql as $$
  select format($q$select public.delete_view('{"id": "%s"}', '{"operation": "deleteView"}')$q$, id);
$$;
grant execute on function pg_temp.renaming(text), pg_temp.deleting(text) to public;

select pg_temp.become_user('one', '{tenant_analyst}', 'bob');
select pg_temp.expect_rows('another sees what is shared alone', 'select from views', 1);
select pg_temp.expect_refused('and does not change it', pg_temp.renaming('viw_shared'), '{TO001}');
select pg_temp.expect_refused('nor deletes it', pg_temp.deleting('viw_shared'), '{TO001}');
select pg_temp.expect_refused('nor what is not', pg_temp.deleting('viw_own'), '{TO001}');
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_admin}', 'eve');
select pg_temp.expect_rows('an admin sees no other''s own', $$select from views where not shared$$, 0);
select pg_temp.expect_refused('and does not change it', pg_temp.renaming('viw_own'), '{TO001}');
select pg_temp.expect_rows('but changes what is shared', pg_temp.renaming('viw_shared'), 1);
select pg_temp.expect_refused('nor takes it back from the others',
  $$select public.update_view('{"id": "viw_shared", "patch": {"shared": false}}', '{"operation": "updateView"}')$$, '{TO001}');
select pg_temp.become_owner();

select pg_temp.become('authenticated', '{"tenant_id": "one", "principal_type": "user", "roles": ["tenant_admin"]}');
select pg_temp.expect_refused('nor does who is nobody',
  $$select public.update_view('{"id": "viw_shared", "patch": {"shared": false}}', '{"operation": "updateView"}')$$, '{TO001}');
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_analyst}', 'ada');
select pg_temp.expect_rows('its maker changes it', pg_temp.renaming('viw_own'), 1);
select pg_temp.expect_rows('and deletes it', pg_temp.deleting('viw_own'), 1);
select pg_temp.become_owner();

select pg_temp.become_user('two', '{tenant_admin}', 'ada');
select pg_temp.expect_rows('nobody sees another tenant''s', 'select from views', 1);
select pg_temp.expect_refused('nor deletes them', pg_temp.deleting('viw_shared'), '{TO001}');
select pg_temp.become_owner();

select pg_temp.become_user('one', '{}', 'ada');
select pg_temp.expect_rows('without a role there is none', 'select from views', 0);
select pg_temp.become_owner();

select pg_temp.become('anon');
select pg_temp.expect_refused('nobody reads them', 'select from views');
