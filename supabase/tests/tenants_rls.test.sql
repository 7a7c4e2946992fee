-- A tenant is seen by its own principals alone, and made by the operator alone.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');

select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.expect_rows('an admin sees its own tenant', 'select from tenants', 1);
select pg_temp.expect_rows('an admin does not see another tenant', $$select from tenants where id = 'two'$$, 0);
select pg_temp.expect_refused('an admin calls no function of the operator', $$select private.create_tenant('three', 'Three')$$);
select pg_temp.become_owner();

select pg_temp.become('anon', '{"tenant_id": "one", "principal_type": "publishable_key"}');
select pg_temp.expect_rows('the publishable key sees the tenant it names', 'select from tenants', 1);
select pg_temp.become_owner();

select pg_temp.become('authenticated');
select pg_temp.expect_rows('a token without a tenant sees none', 'select from tenants', 0);
select pg_temp.become_owner();

select pg_temp.become('anon');
select pg_temp.expect_rows('nobody sees none', 'select from tenants', 0);
select pg_temp.become_owner();

select pg_temp.become('service_role');
select pg_temp.expect_rows('the server sees every tenant', $$select from tenants where id in ('one', 'two')$$, 2);

-- A sandbox is made through the API, by an admin of its live tenant, and only a sandbox is emptied.
select pg_temp.become_user('one', '{tenant_lead}');
select pg_temp.expect_refused('a lead creates no sandbox', $$select create_sandbox('{}', '{"operation": "createSandbox"}')$$, '{TO001}');
select pg_temp.become_owner();
select pg_temp.become_user('one', '{tenant_admin}');
select create_sandbox('{}', '{"operation": "createSandbox"}');
select pg_temp.expect_rows('an admin sees the live tenant alone', 'select from tenants', 1);
select pg_temp.expect_refused('a live tenant is not reset', $$select reset_sandbox('{}', '{"operation": "resetSandbox"}')$$, '{TO001}');
select pg_temp.expect_refused('an admin calls no inner function of a reset', $$select private.empty_sandbox('one.sandbox')$$);
select pg_temp.become_owner();
select pg_temp.become_user('one.sandbox', '{tenant_admin}');
select pg_temp.expect_rows('in the sandbox, an admin sees the sandbox alone', $$select from tenants where id = 'one.sandbox'$$, 1);
select pg_temp.expect_rows('in the sandbox, the live tenant is not seen', $$select from tenants where id = 'one'$$, 0);
select pg_temp.expect_refused('a sandbox has no sandbox', $$select create_sandbox('{}', '{"operation": "createSandbox"}')$$, '{TO001}');
select pg_temp.become_owner();

select set_config('app.resets', 'one', true);
select pg_temp.expect_rows('no setting makes a live tenant one that is reset', $$select where private.is_being_reset('one')$$, 0);
select pg_temp.expect_rows('every table of tenants is emptied by a reset or kept on purpose', $$
  select c.table_schema || '.' || c.table_name from information_schema.columns c
  join information_schema.tables t using (table_schema, table_name)
  where c.column_name = 'tenant_id' and c.table_schema in ('public', 'private') and t.table_type = 'BASE TABLE'
  except select unnest(private.tables_emptied_by_reset())
  except select unnest(array[
    'private.idempotency_keys', 'private.api_key_secrets', 'private.invitation_tokens', 'private.security_event_counts',
    'private.webhook_clients', 'private.webhook_headers', 'private.webhook_rates', 'private.webhook_secrets',
    'private.alert_channel_urls', 'public.alert_channels', 'public.notification_settings', 'public.first_steps_dismissals',
    'public.api_keys', 'public.api_key_totals', 'public.api_key_usage_daily', 'public.api_key_usage_hourly',
    'public.invitations', 'public.request_log', 'public.security_events', 'public.webhooks'])$$, 0);
