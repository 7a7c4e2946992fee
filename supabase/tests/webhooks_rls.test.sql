-- Webhooks, deliveries and attempts are an admin's and those of keys with a webhook scope; secrets are read by no API role.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into webhooks (id, tenant_id, url, events)
select 'whk_' || t, t, 'https://hooks.example.com/', '{webhook.test}' from unnest('{one,two}'::text[]) t;
insert into private.webhook_secrets (id, tenant_id, webhook_id, sealed) values ('whs_one', 'one', 'whk_one', 'x'), ('whs_two', 'two', 'whk_two', 'x');
select private.emit(t, 'webhook.test', jsonb_build_object('id', 'whk_' || t)) from unnest('{one,two}'::text[]) t;
select private.claim_webhook_deliveries('{whk_one,whk_two}', 10);
select private.settle_webhook_attempts(jsonb_agg(jsonb_build_object('attempt_id', id, 'status_code', 500, 'detail', 'x', 'duration_ms', 5)))
from webhook_attempts where tenant_id in ('one', 'two');

select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.expect_rows('an admin sees its own tenant''s webhooks', 'select from webhooks', 1);
select pg_temp.expect_rows('an admin sees its own tenant''s deliveries', 'select from webhook_deliveries', 1);
select pg_temp.expect_rows('an admin sees its own tenant''s attempts', 'select from webhook_attempts', 1);
select pg_temp.expect_rows('an admin sees its own tenant''s answer times', 'select from webhook_answer_times', 1);
select pg_temp.expect_refused('an admin reads no secret', 'select from private.webhook_secrets');
select pg_temp.expect_refused('an admin claims nothing', $$select private.claim_webhook_deliveries('{whk_one}', 1)$$);
select pg_temp.expect_refused('an admin settles nothing', $$select private.settle_webhook_attempts('[]')$$);
select pg_temp.expect_refused('nobody keeps a secret but by the verbs', $$select private.store_webhook_secret('whk_one', 'whs_evil', 'y')$$);
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_analyst,tenant_lead}');
select pg_temp.expect_rows('who is no admin sees no webhook', 'select from webhooks', 0);
select pg_temp.expect_rows('who is no admin sees no delivery', 'select from webhook_deliveries', 0);
select pg_temp.expect_rows('who is no admin sees no attempt', 'select from webhook_attempts', 0);
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:webhooks}');
select pg_temp.expect_rows('a key that may read sees them', 'select from webhooks', 1);
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:exceptions,write:exceptions}');
select pg_temp.expect_rows('another key sees none', 'select from webhooks', 0);
select pg_temp.expect_rows('another key sees no delivery', 'select from webhook_deliveries', 0);
select pg_temp.become_owner();

select pg_temp.become('anon', '{"tenant_id": "one", "principal_type": "publishable_key"}');
select pg_temp.expect_refused('the publishable key sees no webhook', 'select from webhooks');
select pg_temp.expect_refused('the publishable key sees no delivery', 'select from webhook_deliveries');
select pg_temp.become_owner();

select pg_temp.become('service_role');
select pg_temp.expect_refused('the server reads no secret past its function', 'select from private.webhook_secrets');
select pg_temp.become_owner();

insert into private.webhook_headers (id, tenant_id, webhook_id, name, sealed) values ('whs_header', 'one', 'whk_one', 'X-Key', 'x');
select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.expect_refused('an admin reads no value of a header', 'select from private.webhook_headers');
select pg_temp.expect_refused('an admin reads no client secret', 'select from private.webhook_clients');
select pg_temp.expect_refused('an admin reads no rate', 'select from private.webhook_rates');
select pg_temp.expect_refused('nobody stores a header but by the verbs',
  $$select private.store_webhook_headers(w, '[]') from webhooks w$$);
