-- A dismissal of the first steps is an admin's own, in one tenant.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into first_steps_dismissals (tenant_id, principal_id) values ('one', 'user:ada'), ('one', 'user:eve'), ('two', 'user:bob');

select pg_temp.become_user('one', '{tenant_admin}', 'bob');
select pg_temp.expect_rows('another admin does not see it', 'select from first_steps_dismissals', 0);
select pg_temp.expect_rows('and has nothing to take back', $$select public.put_first_steps('{"dismissed": false}', '{"operation": "putFirstSteps"}')$$, 1);
select pg_temp.become_owner();
select pg_temp.expect_rows('nor takes it back', 'select from first_steps_dismissals where tenant_id in (''one'', ''two'')', 3);

select pg_temp.become_user('two', '{tenant_admin}');
select pg_temp.expect_rows('nor the same person in another tenant', 'select from first_steps_dismissals', 0);
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_analyst}');
select pg_temp.expect_rows('without the role there is none', 'select from first_steps_dismissals', 0);
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.expect_rows('an admin sees its own', 'select from first_steps_dismissals', 1);
select pg_temp.expect_rows('its own it takes back', $$select public.put_first_steps('{"dismissed": false}', '{"operation": "putFirstSteps"}')$$, 1);
select pg_temp.expect_rows('and it is gone', 'select from first_steps_dismissals', 0);
select pg_temp.become_owner();

select pg_temp.become('anon');
select pg_temp.expect_refused('nobody reads them', 'select from first_steps_dismissals');
