-- Quotas and their counts belong to the operator: callers are limited by their tenant's, and can
-- neither read nor change them.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into private.quotas (kind, maximum) values ('sources', 1)
  on conflict (kind) do update set maximum = 1;
insert into public.sources (tenant_id, name, kind, currency) values ('two', 'Bank', 'bank_statement', 'EUR');

select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.expect_refused('a user reads no quota', 'select from private.quotas');
select pg_temp.expect_refused('a user reads no count of rows', 'select from private.row_counts');
select pg_temp.expect_refused('a user asks for nobody else''s quota', $$select private.enforce_quota('two', 'sources', 1)$$);
select pg_temp.expect_refused('nor for what counts against it', $$select private.quota_usage('two', 'sources')$$);
select pg_temp.expect_rows('what others have takes no room',
  $$select public.create_source('{"name": "Bank", "kind": "ledger", "currency": "EUR"}', '{"operation": "createSource"}')$$, 1);
select pg_temp.become_owner();

select pg_temp.become_user('two', '{tenant_admin}');
select pg_temp.expect_refused('what one has oneself does',
  $$select public.create_source('{"name": "Ledger", "kind": "ledger", "currency": "EUR"}', '{"operation": "createSource"}')$$, '{TO001}');
select pg_temp.become_owner();

select pg_temp.become('service_role');
select pg_temp.become_owner();

select pg_temp.become('anon');
select pg_temp.expect_refused('nobody reads quotas', 'select from private.quotas');
