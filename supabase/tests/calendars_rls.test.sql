-- A calendar belongs to its tenant: its users read it, admins write it, its versions never change,
-- and only functions reach its spans.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into calendars (id, tenant_id, name) values ('cal_one', 'one', 'Own'), ('cal_two', 'two', 'Foreign');
insert into calendar_versions (tenant_id, calendar_id, version, time_zone, weekly, special_days)
select c.tenant_id, c.id, 1, 'UTC', '[{"day": "monday", "from": "09:00", "to": "17:00"}]', '[]' from calendars c where c.id in ('cal_one', 'cal_two');
select private.start_business_time(v.tenant_id, v.calendar_no, now(), now() + interval '30 days') from calendar_versions v where v.tenant_id in ('one', 'two');

select pg_temp.become_user('one', '{tenant_analyst}');
select pg_temp.expect_rows('an analyst sees its tenant''s calendars', 'select from calendars', 1);
select pg_temp.expect_rows('an analyst sees their versions', 'select from calendar_versions', 1);
select pg_temp.expect_refused('a user sees no span', 'select from private.calendar_spans');
select pg_temp.expect_refused('a user sees no coverage', 'select from private.calendar_coverage');
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:exceptions}');
select pg_temp.expect_rows('a key that reads exceptions sees calendars', $$select from calendars where id = 'cal_one'$$, 1);
select pg_temp.become_owner();
select pg_temp.become_api_key('one', '{read:webhooks}');
select pg_temp.expect_rows('a key for webhooks sees none', 'select from calendars', 0);
select pg_temp.become_owner();
