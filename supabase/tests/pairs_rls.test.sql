-- Pairs, what is open in them, matches and runs are read by those who may read reconciliations, and written by the verbs alone.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into sources (id, tenant_id, name, kind, currency)
select 'src_' || t || side, t, side, 'other', 'EUR' from unnest('{one,two}'::text[]) t, unnest('{left,right}'::text[]) side;
insert into pairs (tenant_id, left_source_no, right_source_no)
select l.tenant_id, l.source_no, r.source_no from sources l join sources r on r.tenant_id = l.tenant_id and r.name = 'right' where l.name = 'left';
insert into pair_rules (tenant_id, pair_no, version, rules) select p.tenant_id, p.pair_no, 1, '[]' from pairs p;
insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor, open_minor, value_date)
select p.tenant_id, p.pair_no, 1, 'left', 'EUR', 100, 100, '2026-10-01' from pairs p;
insert into reconciliations (id, tenant_id, name, period_start, period_end, left_source, right_source)
select 'rcn_' || t, t, 'Payouts', '2026-10-01', '2026-10-31', 'left', 'right' from unnest('{one,two}'::text[]) t;
insert into matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method, currency, combination_hash)
select p.tenant_id, gen_random_uuid(), p.pair_no, 'rcn_' || p.tenant_id, 'confirmed', '1:1', 'manual', 'EUR', gen_random_uuid() from pairs p;
insert into match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor) select m.tenant_id, m.id, m.pair_no, 1, 'left', 100 from matches m;
insert into exclusions (tenant_id, pair_no, line_no, reconciliation_id, reason) select p.tenant_id, p.pair_no, 2, 'rcn_' || p.tenant_id, 'Test' from pairs p;
insert into runs (tenant_id, reconciliation_id, pair_no) select p.tenant_id, 'rcn_' || p.tenant_id, p.pair_no from pairs p;
insert into closings (tenant_id, reconciliation_id, statement) select t, 'rcn_' || t, '{}' from unnest('{one,two}'::text[]) t;
insert into carried_lines (tenant_id, reconciliation_id, line_no, side, open_minor) select t, 'rcn_' || t, 1, 'left', 1 from unnest('{one,two}'::text[]) t;

select pg_temp.become_user('one', '{tenant_analyst}');
select pg_temp.expect_rows('an analyst sees the pairs of its own tenant', 'select from pairs', 1);
select pg_temp.expect_rows('an analyst sees the rules of its own tenant', 'select from pair_rules', 1);
select pg_temp.expect_rows('an analyst sees what is open in its own tenant', 'select from private.open_lines', 1);
select pg_temp.expect_rows('an analyst sees the matches of its own tenant', 'select from matches', 1);
select pg_temp.expect_rows('an analyst sees the members of its own tenant''s matches', 'select from match_members', 1);
select pg_temp.expect_rows('an analyst sees the exclusions of its own tenant', 'select from exclusions', 1);
select pg_temp.expect_rows('an analyst sees the runs of its own tenant', 'select from runs', 1);
select pg_temp.expect_rows('an analyst sees the closings of its own tenant', 'select from closings', 1);
select pg_temp.expect_rows('an analyst sees the carried lines of its own tenant', 'select from carried_lines', 1);
select pg_temp.expect_refused('what was refused is the engine''s to read', 'select from private.rejected_combinations');
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.expect_refused('nobody changes what is open but by the verbs', 'update private.open_lines set open_minor = 0');
select pg_temp.expect_refused('nobody deletes a closing', 'delete from closings');
select pg_temp.expect_refused('nobody deletes a match', 'delete from matches');
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:exceptions}');
select pg_temp.expect_rows('a key without the scope sees no match', 'select from matches', 0);
select pg_temp.expect_rows('a key without the scope sees nothing of what is open', 'select from private.open_lines', 0);
