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
