-- A reconciliation is its tenant's; admins and leads write, analysts read.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into reconciliations (id, tenant_id, name, period_start, period_end, left_source, right_source)
select 'rcn_' || t, t, 'Payouts', '2026-10-01', '2026-10-31', 'left', 'right' from unnest('{one,two}'::text[]) t;

create function pg_temp.new_one(extra_column text default null, extra_value text default null) returns text
language sql as $$
  select format('insert into reconciliations (name, period_start, period_end, left_source, right_source%s) values (%L, %L, %L, %L, %L%s)',
    ', ' || extra_column, 'New', '2026-10-01', '2026-10-31', 'left', 'right', ', ' || quote_literal(extra_value));
$$;
grant execute on function pg_temp.new_one(text, text) to public;

select pg_temp.become_user('one', '{tenant_lead}');
select pg_temp.expect_rows('a lead sees its own tenant''s', 'select from reconciliations', 1);
select pg_temp.expect_changed('a lead creates', pg_temp.new_one(), 1);
select pg_temp.expect_changed('a lead changes', $$update reconciliations set name = 'Renamed' where id = 'rcn_one'$$, 1);
select pg_temp.expect_changed('another tenant''s does not change', $$update reconciliations set name = 'Hacked' where id = 'rcn_two'$$, 0);
select pg_temp.expect_refused('a lead names no tenant', pg_temp.new_one('tenant_id', 'two'));
select pg_temp.expect_refused('a lead names no author', pg_temp.new_one('created_by', 'user:eve'));
select pg_temp.expect_refused('a reconciliation does not change its tenant', $$update reconciliations set tenant_id = 'two'$$);
select pg_temp.expect_refused('nobody deletes one', 'delete from reconciliations');
select pg_temp.expect_refused('nobody empties the table', 'truncate reconciliations cascade');
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_analyst}');
select pg_temp.expect_rows('an analyst reads', $$select from reconciliations where id = 'rcn_one'$$, 1);
select pg_temp.expect_changed('an analyst changes nothing', $$update reconciliations set name = 'Hacked'$$, 0);
select pg_temp.expect_refused('an analyst creates nothing', pg_temp.new_one());
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:reconciliations,write:exceptions}');
select pg_temp.expect_changed('a key that may read changes nothing', $$update reconciliations set name = 'Hacked'$$, 0);
select pg_temp.expect_refused('a key that may read creates nothing', pg_temp.new_one());
select pg_temp.become_owner();

select pg_temp.become('anon', '{"tenant_id": "one", "principal_type": "publishable_key"}');
select pg_temp.expect_refused('the publishable key sees none', 'select from reconciliations');
