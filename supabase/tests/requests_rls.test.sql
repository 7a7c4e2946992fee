-- No API role reaches stored responses and the worker's bookkeeping; a request enters only its own
-- tenant.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into private.idempotency_keys (tenant_id, principal, operation, key_hash, fingerprint) values ('one', 'user:ada', 'createException', 'h', 'f');

select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.expect_refused('a user reads no kept answer', 'select from private.idempotency_keys');
select pg_temp.expect_refused('a user reads no heartbeat', 'select from private.heartbeats');
select pg_temp.expect_refused('a user forgets no kept answer', 'select private.purge_idempotency_keys()');
select pg_temp.expect_refused('a user beats for no worker', $$select private.record_heartbeat('x', 'worker')$$);
select pg_temp.expect_refused('a user buries no worker', 'select private.unlock_dead_workers()');
select pg_temp.expect_refused('a user reads no permission', 'select from private.permissions');
select pg_temp.expect_refused('a user reads no operation', 'select from private.operations');
select pg_temp.expect_refused('a user reads no kind of event', 'select from private.event_kinds');
select pg_temp.expect_rows('a user enters its own tenant', $$select private.begin_request('{"operation": "listWebhooks"}', 'list_webhooks')$$, 1);
select pg_temp.expect_refused('a function is not entered for another''s operation', $$select private.begin_request('{"operation": "getMe"}', 'list_webhooks')$$, '{TO001}');
select pg_temp.expect_refused('a function is not entered for no operation', $$select private.begin_request('{}', 'list_webhooks')$$, '{TO001}');
select pg_temp.expect_refused('a surface is not entered by another''s operation',
  $$select private.begin_request('{"operation": "listIntegrations"}', 'list_records', 'release-notes')$$, '{TO001}');
select pg_temp.expect_refused('a surface that nobody declared is not entered',
  $$select private.begin_request('{"operation": "listIntegrations"}', 'list_records', 'runbooks')$$, '{TO001}');
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_analyst,tenant_lead}');
select pg_temp.expect_refused('a user without the role does not enter', $$select private.begin_request('{"operation": "listWebhooks"}', 'list_webhooks')$$, '{TO001}');
select pg_temp.become_owner();

select pg_temp.become_user('three', '{tenant_admin}');
select pg_temp.expect_refused('a tenant that does not exist is entered by nobody', $$select private.begin_request('{"operation": "getMe"}', 'get_me')$$, '{TO001}');
select pg_temp.become_owner();

select pg_temp.become('authenticated');
select pg_temp.expect_refused('a token without a tenant enters nothing', $$select private.begin_request('{"operation": "getMe"}', 'get_me')$$, '{TO001}');
select pg_temp.become_owner();

select pg_temp.become('service_role');
select pg_temp.expect_refused('the server reads no kept answer', 'select from private.idempotency_keys');
