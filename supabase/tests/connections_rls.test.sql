-- Connections belong to their tenant, for members who may read its sources. No API role sees a
-- credential, and only functions write.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into sources (id, tenant_id, name, kind, currency)
select 'src_' || t, t, t, 'ledger', 'EUR' from unnest('{one,two}'::text[]) t;
insert into connections (id, tenant_id, source_no, kind, address, auth)
select 'con_' || s.tenant_id, s.tenant_id, s.source_no, 'https', 'https://bank.example/a', 'bearer'
from sources s where s.id in ('src_one', 'src_two');
insert into private.connection_credentials (id, tenant_id, connection_id, sealed)
select 'cnc_' || c.tenant_id, c.tenant_id, c.id, 'sealed' from connections c
where c.id in ('con_one', 'con_two');
insert into connection_files (tenant_id, connection_id, source_no, path)
select c.tenant_id, c.id, c.source_no, 'a' from connections c where c.id in ('con_one', 'con_two');

select pg_temp.become_user('one', '{tenant_analyst}');
select pg_temp.expect_rows('an analyst sees its tenant''s connections', 'select from connections', 1);
select pg_temp.expect_rows('an analyst sees their files', 'select from connection_files', 1);
select pg_temp.expect_refused('nobody reads a credential', 'select from private.connection_credentials');
select pg_temp.expect_refused('nobody reads what is missing', 'select from private.missing_files');
select pg_temp.expect_refused('nobody writes a connection', 'update connections set address = ''x''');
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:exceptions}');
select pg_temp.expect_rows('a key for exceptions sees no connection', 'select from connections', 0);
select pg_temp.expect_rows('a key for exceptions sees no file', 'select from connection_files', 0);
select pg_temp.become_owner();

select pg_temp.become('anon', '{"tenant_id": "one", "principal_type": "publishable_key"}');
select pg_temp.expect_refused('the publishable key sees no connection', 'select from connections');
select pg_temp.become_owner();
