-- A view is its maker's, and where it is shared its tenant's to see; makers change theirs, admins what is shared.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');

select pg_temp.become_user('one', '{tenant_analyst}', 'ada');
select pg_temp.expect_changed('an analyst saves a view', $$insert into views (name) values ('Own')$$, 1);
select pg_temp.expect_changed('and a shared one', $$insert into views (name, shared) values ('Shared', true)$$, 1);
select pg_temp.expect_refused('not in another''s name', $$insert into views (name, principal_id) values ('Theirs', 'user:bob')$$);
select pg_temp.expect_refused('nor in another tenant', $$insert into views (name, tenant_id) values ('Theirs', 'two')$$);
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_analyst}', 'bob');
select pg_temp.expect_rows('another sees what is shared alone', 'select from views', 1);
select pg_temp.expect_changed('and does not change it', $$update views set name = 'Hacked'$$, 0);
select pg_temp.expect_changed('nor deletes it', 'delete from views', 0);
select pg_temp.expect_refused('nor makes it his', $$update views set principal_id = 'user:bob'$$);
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_admin}', 'eve');
select pg_temp.expect_rows('an admin sees no other''s own', $$select from views where not shared$$, 0);
select pg_temp.expect_changed('but changes what is shared', $$update views set name = 'Renamed'$$, 1);
select pg_temp.become_owner();

select pg_temp.become_user('two', '{tenant_admin}', 'ada');
select pg_temp.expect_rows('nobody sees another tenant''s', 'select from views', 0);
select pg_temp.expect_changed('nor deletes them', 'delete from views', 0);
select pg_temp.become_owner();

select pg_temp.become_user('one', '{}', 'ada');
select pg_temp.expect_rows('without a role there is none', 'select from views', 0);
select pg_temp.expect_refused('and none is made', $$insert into views (name) values ('Own')$$);
select pg_temp.become_owner();

select pg_temp.become('anon');
select pg_temp.expect_refused('nobody reads them', 'select from views');
