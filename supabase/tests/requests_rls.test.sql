-- Kept answers and the worker's bookkeeping are out of every API role's reach; a request enters its own tenant alone.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into private.idempotency_keys (tenant_id, principal, operation, key_hash, fingerprint) values ('one', 'user:ada', 'createException', 'h', 'f');

select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.expect_refused('a user reads no kept answer', 'select from private.idempotency_keys');
select pg_temp.expect_refused('a user reads no heartbeat', 'select from private.worker_heartbeats');
select pg_temp.expect_refused('a user forgets no kept answer', 'select private.purge_idempotency_keys()');
select pg_temp.expect_refused('a user beats for no worker', $$select private.beat('x')$$);
select pg_temp.expect_refused('a user buries no worker', 'select private.bury_silent_pools()');
select pg_temp.expect_rows('a user enters its own tenant', $$select private.enter('{}', '{tenant_admin}', '{}')$$, 1);
select pg_temp.expect_refused('a user without the role does not enter', $$select private.enter('{}', '{tenant_lead}', '{}')$$, '{TO001}');
select pg_temp.become_owner();

select pg_temp.become_user('three', '{tenant_admin}');
select pg_temp.expect_refused('a tenant that does not exist is entered by nobody', $$select private.enter('{}', null, null)$$, '{TO001}');
select pg_temp.become_owner();

select pg_temp.become('authenticated');
select pg_temp.expect_refused('a token without a tenant enters nothing', $$select private.enter('{}', null, null)$$, '{TO001}');
select pg_temp.become_owner();

select pg_temp.become('service_role');
select pg_temp.expect_refused('the server reads no kept answer', 'select from private.idempotency_keys');
