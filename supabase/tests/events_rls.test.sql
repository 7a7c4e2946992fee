-- What receivers are told is read by admins and by keys that may read webhooks, and written by no API role.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
select private.emit('one', 'webhook.test', '{}'), private.emit('two', 'webhook.test', '{}');

select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.expect_rows('an admin reads its own tenant''s events', 'select from events', 1);
select pg_temp.expect_refused('an admin tells nothing to another tenant''s receivers', $$select private.emit('two', 'webhook.test', '{}')$$);
select pg_temp.expect_refused('an admin reads no key of what is told once', 'select from private.event_once');
select pg_temp.expect_refused('an admin reads no partition past the table',
  format('select from %s', (select inhrelid::regclass from pg_inherits where inhparent = 'events'::regclass limit 1)));
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:webhooks}');
select pg_temp.expect_rows('a key that may read webhooks reads its own tenant''s', 'select from events', 1);
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{write:webhooks,read:exceptions}');
select pg_temp.expect_rows('another key reads none', 'select from events', 0);
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_analyst,tenant_lead}');
select pg_temp.expect_rows('who is no admin reads none', 'select from events', 0);
