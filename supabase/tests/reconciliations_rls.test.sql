-- A reconciliation is its tenant's, for those who may read it.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into reconciliations (id, tenant_id, name, period_start, period_end, left_source, right_source)
select 'rcn_' || t, t, 'Payouts', '2026-10-01', '2026-10-31', 'left', 'right' from unnest('{one,two}'::text[]) t;

select pg_temp.become_user('one', '{tenant_lead}');
select pg_temp.expect_rows('a lead sees its own tenant''s', 'select from reconciliations', 1);
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_analyst}');
select pg_temp.expect_rows('an analyst reads', $$select from reconciliations where id = 'rcn_one'$$, 1);
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:webhooks}');
select pg_temp.expect_rows('a key for something else sees none', 'select from reconciliations', 0);
select pg_temp.become_owner();

select pg_temp.become('anon', '{"tenant_id": "one", "principal_type": "publishable_key"}');
select pg_temp.expect_refused('the publishable key sees none', 'select from reconciliations');
