-- An event is readable with the permission to read its content, and writable by no API role.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
select private.emit('one', 'webhook.test', '{}'), private.emit('two', 'webhook.test', '{}');
select private.emit('one', 'exception.created', '{}'), private.emit('two', 'exception.created', '{}');

select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.expect_rows('an admin reads its own tenant''s events', 'select from events', 2);
select pg_temp.expect_refused('an admin tells nothing to another tenant''s receivers', $$select private.emit('two', 'webhook.test', '{}')$$);
select pg_temp.expect_refused('an admin reads no key of what is told once', 'select from private.event_once');
select pg_temp.expect_refused('an admin reads no partition past the table',
  format('select from %s', (select inhrelid::regclass from pg_inherits where inhparent = 'events'::regclass limit 1)));
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:webhooks}');
select pg_temp.expect_rows('a key that may read webhooks reads its own tenant''s', 'select from events', 1);
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{write:webhooks,read:exceptions}');
select pg_temp.expect_rows('another key reads those that its scopes let it read',
  $$select from events where type = 'exception.created'$$, 1);
select pg_temp.expect_rows('another key reads no others', 'select from events', 1);
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:integrations}');
select pg_temp.expect_rows('a key that may read nothing of what events carry reads none', 'select from events', 0);
select pg_temp.expect_refused('no key takes a position', $$select nextval('private.event_positions')$$);
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_analyst,tenant_lead}');
select pg_temp.expect_rows('who is no admin reads no events of webhooks', $$select from events where type = 'webhook.test'$$, 0);
select pg_temp.expect_rows('who is no admin reads those of exceptions', 'select from events', 1);
