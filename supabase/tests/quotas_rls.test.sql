-- Quotas and what is counted for them are the operator's: a caller is held to those of its own tenant, and neither reads nor changes one.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into private.quotas (kind, most) values ('sources', 1) on conflict (kind) do update set most = 1;
insert into public.sources (tenant_id, name, kind, currency) values ('two', 'Bank', 'bank_statement', 'EUR');

select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.expect_refused('a user reads no quota', 'select from private.quotas');
select pg_temp.expect_refused('a user sets no quota', $$update private.quotas set most = 1000000$$);
select pg_temp.expect_refused('a user reads no count of rows', 'select from private.row_counts');
select pg_temp.expect_refused('a user makes room by no count of rows', $$insert into private.row_counts values ('one', 'records', 1, -1000000)$$);
select pg_temp.expect_refused('a user asks for nobody else''s quota', $$select private.hold_to_quota('two', 'sources', 1)$$);
select pg_temp.expect_refused('nor for what counts against it', $$select private.used_of_quota('two', 'sources')$$);
select pg_temp.expect_rows('what others have takes no room', $$select private.require_quota('sources')$$, 1);
select pg_temp.become_owner();

select pg_temp.become_user('two', '{tenant_admin}');
select pg_temp.expect_refused('what one has oneself does', $$select private.require_quota('sources')$$, '{TO001}');
select pg_temp.become_owner();

select pg_temp.become('service_role');
select pg_temp.expect_refused('the server sets no quota', $$delete from private.quotas$$);
select pg_temp.expect_refused('the server changes no count of rows', $$update private.row_counts set rows = 0$$);
select pg_temp.become_owner();

select pg_temp.become('anon');
select pg_temp.expect_refused('nobody reads quotas', 'select from private.quotas');
