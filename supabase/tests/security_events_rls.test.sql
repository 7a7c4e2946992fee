-- An audit trail is read by the tenant's admins and written by the database alone.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into security_events (tenant_id, type, actor) values ('one', 'test.done', 'user:ada'), ('two', 'test.done', 'user:bob');

select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.expect_rows('an admin reads its own tenant''s events', 'select from security_events', 1);
select pg_temp.expect_refused('an admin sees no head of a chain', 'select from private.security_event_heads');
select pg_temp.expect_refused('an admin sees no checkpoint', 'select from private.security_event_checkpoints');
select pg_temp.expect_refused('an admin sees no count', 'select from private.security_event_counts');
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_analyst,tenant_lead}');
select pg_temp.expect_rows('who is no admin reads none', 'select from security_events', 0);
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:exceptions,write:exceptions,read:webhooks}');
select pg_temp.expect_rows('a key without the scope reads none', 'select from security_events', 0);
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:security-events}');
select pg_temp.expect_rows('a key with the scope reads its own tenant''s', 'select from security_events', 1);
select pg_temp.become_owner();

select pg_temp.become('anon', '{"tenant_id": "one", "principal_type": "publishable_key"}');
select pg_temp.expect_refused('the publishable key reads none', 'select from security_events');
