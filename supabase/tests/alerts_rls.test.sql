-- What one is mailed is one's own to choose, in one tenant; channels are its admins', and their URLs are read by no API role.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into alert_channels (id, tenant_id, name, url_hint, kinds)
select 'ach_' || t, t, 'Ops', 'hooks.example/…1234', '{exception_breached}' from unnest('{one,two}'::text[]) t;
insert into private.alert_channel_urls (tenant_id, channel_id, url_id, sealed) select t, 'ach_' || t, 'acu_' || t, 'x' from unnest('{one,two}'::text[]) t;
insert into notification_settings (tenant_id, subject) values ('one', 'ann'), ('one', 'bob'), ('two', 'ann');

select pg_temp.become('authenticated', '{"tenant_id": "one", "principal_type": "user", "sub": "ann", "roles": ["tenant_analyst"]}');
select pg_temp.expect_rows('a person sees their own settings, in this tenant', 'select from notification_settings', 1);
select pg_temp.expect_rows('without the role there are no channels', 'select from alert_channels', 0);
select pg_temp.expect_refused('nor its URL kept', $$select private.store_alert_channel_url('ach_one', 'acu_x', 'y')$$);
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.expect_rows('an admin sees its own tenant''s channels', 'select from alert_channels', 1);
select pg_temp.expect_refused('an admin reads no URL', 'select from private.alert_channel_urls');
select pg_temp.expect_refused('nor reads what others are told', 'select from private.alerts');
select pg_temp.expect_refused('nor what happened', 'select from private.alert_events');
select pg_temp.expect_refused('nor what was sent', 'select from private.alert_bundles');
select pg_temp.expect_refused('an admin gathers nothing', 'select private.collect_alerts()');
select pg_temp.expect_refused('nor opens what is to be sent', $$select private.open_alert_bundle('one', 'alb_x')$$);
select pg_temp.expect_refused('nor settles it', $$select private.settle_alert_bundle('one', 'alb_x', null)$$);
select pg_temp.expect_refused('another tenant''s channel gets no URL',
  $$select public.update_alert_channel('{"id": "ach_two", "url_id": "acu_evil", "sealed": "y"}', '{"operation": "updateAlertChannel"}')$$, '{TO001}');
select pg_temp.become_owner();
select pg_temp.expect_rows('another tenant''s URL stays', $$select from private.alert_channel_urls where channel_id = 'ach_two' and sealed = 'x'$$, 1);

select pg_temp.become_api_key('one', '{read:webhooks,write:webhooks}');
select pg_temp.expect_rows('an API key sees no channels', 'select from alert_channels', 0);
select pg_temp.become_owner();

select pg_temp.become('anon');
select pg_temp.expect_refused('nobody reads channels', 'select from alert_channels');
select pg_temp.expect_refused('nor settings', 'select from notification_settings');
