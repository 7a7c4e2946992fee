-- Admins and keys with its scope read their tenant's request log. Only the server writes
-- it, by its function.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into api_keys (id, tenant_id, key_id, name, scopes) values ('key_two', 'two', 'tk_two', 'Two', '{read:exceptions}');
insert into private.api_key_secrets (key_id, tenant_id, api_key_id, digest) values ('tk_two', 'two', 'key_two', repeat('a', 64));
create function pg_temp.call(id text, tenant text, key_id text default null) returns jsonb language sql as $$
  select jsonb_build_object('id', id, 'tenant_id', tenant, 'key_id', key_id, 'age_ms', 5, 'operation', 'listExceptions', 'method', 'GET',
    'path', '/v1/exceptions', 'query', '', 'status', 200, 'duration_ms', 3, 'credential', 'api_key', 'request', '{}'::jsonb, 'response', '{}'::jsonb)
$$;
grant execute on function pg_temp.call(text, text, text) to service_role;
select pg_temp.become('service_role');
select pg_temp.expect_rows('the server writes calls of several tenants', $$select from generate_series(1, private.record_requests(
  '019a9f4b-e2c0-4d6f-8a1b-3c5d7e9f0a2b', jsonb_build_array(pg_temp.call('req_one', 'one'), pg_temp.call('req_two', 'two'),
    pg_temp.call('req_named', null, 'tk_two'), pg_temp.call('req_unknown', null, 'tk_nobody'), pg_temp.call('req_gone', 'three'))))$$, 3);
select pg_temp.expect_rows('and the same batch once', $$select from generate_series(1, private.record_requests(
  '019a9f4b-e2c0-4d6f-8a1b-3c5d7e9f0a2b', jsonb_build_array(pg_temp.call('req_again', 'one'))))$$, 0);
select pg_temp.become_owner();
select pg_temp.expect_rows('a call that only names a key is its tenant''s', $$select from request_log where id = 'req_named' and tenant_id = 'two'
  and api_key_id = 'key_two'$$, 1);

select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.expect_rows('an admin sees its own tenant''s calls', 'select from request_log', 1);
select pg_temp.expect_refused('an admin records no call', $$select private.record_requests(gen_random_uuid(), '[]')$$);
select pg_temp.expect_refused('an admin drops no day', 'select private.roll_partitions()');
select pg_temp.expect_refused('an admin reads no partition past the table',
  format('select from %s', (select inhrelid::regclass from pg_inherits where inhparent = 'request_log'::regclass limit 1)));
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_analyst,tenant_lead}');
select pg_temp.expect_rows('who is no admin sees no call', 'select from request_log', 0);
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:requests}');
select pg_temp.expect_rows('a key that may read sees them', 'select from request_log', 1);
select pg_temp.become_owner();
select pg_temp.become_api_key('one', '{read:exceptions,write:exceptions,read:webhooks}');
select pg_temp.expect_rows('another key sees none', 'select from request_log', 0);
select pg_temp.become_owner();

select pg_temp.become('anon', '{"tenant_id": "one", "principal_type": "publishable_key"}');
select pg_temp.expect_refused('the publishable key sees no call', 'select from request_log');
select pg_temp.become_owner();
