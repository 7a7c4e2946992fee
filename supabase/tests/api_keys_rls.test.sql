-- Keys are managed by a user who is an admin of their tenant; their secrets are read by no API role at all.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into api_keys (id, tenant_id, key_id, name, scopes)
select 'key_' || t, t, 'tk_' || t, 'Key', '{read:exceptions}' from unnest('{one,two}'::text[]) t;
insert into private.api_key_secrets (key_id, tenant_id, api_key_id, digest)
values ('tk_one', 'one', 'key_one', repeat('a', 64)), ('tk_two', 'two', 'key_two', repeat('b', 64));
insert into api_key_totals (api_key_id, tenant_id, request_count, last_used_at) select 'key_' || t, t, 1, now() from unnest('{one,two}'::text[]) t;
insert into api_key_usage_hourly (api_key_id, tenant_id, hour, operation, address, outcome, calls, last_seen_at)
select 'key_' || t, t, now(), 'getMe', '192.0.2.1', 'accepted', 1, now() from unnest('{one,two}'::text[]) t;
insert into api_key_usage_daily (api_key_id, tenant_id, day, operation, outcome, calls)
select 'key_' || t, t, now(), 'getMe', 'accepted', 1 from unnest('{one,two}'::text[]) t;

select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.expect_rows('an admin sees its own tenant''s keys', 'select from api_keys', 1);
select pg_temp.expect_rows('an admin sees its own tenant''s totals', 'select from api_key_totals', 1);
select pg_temp.expect_rows('an admin sees its own tenant''s hours', 'select from api_key_usage_hourly', 1);
select pg_temp.expect_rows('an admin sees its own tenant''s days', 'select from api_key_usage_daily', 1);
select pg_temp.expect_refused('an admin sees no batches', 'select from private.usage_batches');
select pg_temp.expect_refused('an admin reads no secret', 'select from private.api_key_secrets');
select pg_temp.expect_refused('an admin looks up no credential', $$select find_api_key('tk_one')$$);
select pg_temp.expect_refused('an admin counts no use', $$select record_api_key_usage(gen_random_uuid(), '[]')$$);
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_analyst,tenant_lead}');
select pg_temp.expect_rows('who is no admin sees no key', 'select from api_keys', 0);
select pg_temp.expect_rows('who is no admin sees no totals', 'select from api_key_totals', 0);
select pg_temp.expect_rows('who is no admin sees no hours', 'select from api_key_usage_hourly', 0);
select pg_temp.expect_rows('who is no admin sees no days', 'select from api_key_usage_daily', 0);
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:exceptions,write:exceptions,read:webhooks,write:webhooks}');
select pg_temp.expect_rows('a key sees no key', 'select from api_keys', 0);
select pg_temp.become_owner();

select pg_temp.become('authenticated', '{"tenant_id": "one", "principal_type": "service_role", "roles": ["tenant_admin"]}');
select pg_temp.expect_rows('the service-role key manages no key', 'select from api_keys', 0);
select pg_temp.become_owner();

select pg_temp.become('anon', '{"tenant_id": "one", "principal_type": "publishable_key"}');
select pg_temp.expect_refused('the publishable key sees no key', 'select from api_keys');
select pg_temp.become_owner();

select pg_temp.become('service_role');
select pg_temp.expect_refused('the server reads no secret past its function', 'select from private.api_key_secrets');
