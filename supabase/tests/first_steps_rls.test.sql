-- A dismissal of the first steps is an admin's own, in one tenant.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');

select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.expect_changed('an admin dismisses for itself', $$insert into first_steps_dismissals (tenant_id) values ('one')$$, 1);
select pg_temp.expect_refused('not for another', $$insert into first_steps_dismissals (tenant_id, principal_id) values ('one', 'user:bob')$$);
select pg_temp.expect_refused('nor in another tenant', $$insert into first_steps_dismissals (tenant_id) values ('two')$$);
select pg_temp.expect_refused('nor at a time of its choice', $$update first_steps_dismissals set dismissed_at = now()$$);
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_admin}', 'bob');
select pg_temp.expect_rows('another admin does not see it', 'select from first_steps_dismissals', 0);
select pg_temp.expect_changed('nor take it back', 'delete from first_steps_dismissals', 0);
select pg_temp.become_owner();

select pg_temp.become_user('two', '{tenant_admin}');
select pg_temp.expect_rows('nor the same person in another tenant', 'select from first_steps_dismissals', 0);
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_analyst}');
select pg_temp.expect_rows('without the role there is none', 'select from first_steps_dismissals', 0);
select pg_temp.expect_refused('and none is made', $$insert into first_steps_dismissals (tenant_id) values ('one')$$);
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.expect_changed('its own it takes back', 'delete from first_steps_dismissals', 1);
select pg_temp.become_owner();

select pg_temp.become('anon');
select pg_temp.expect_refused('nobody reads them', 'select from first_steps_dismissals');
