-- Matches belong to their tenant, for members who may read reconciliations. Only the functions that
-- keep the proof write these tables.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into sources (id, tenant_id, name, kind, currency)
select s || '_' || t, t, s, 'ledger', 'EUR' from unnest('{one,two}'::text[]) t, unnest('{left,right}'::text[]) s;
insert into pairs (tenant_id, left_source_no, right_source_no)
select l.tenant_id, l.source_no, r.source_no from sources l join sources r on r.tenant_id = l.tenant_id and r.name = 'right' where l.name = 'left' and l.tenant_id in ('one', 'two');
insert into pair_rules (tenant_id, pair_no, version, rules, policy) select p.tenant_id, p.pair_no, 1, '[]', '{}' from pairs p where p.tenant_id in ('one', 'two');
insert into reconciliations (id, tenant_id, name, period_start, period_end, left_source, right_source, pair_no, left_source_id, right_source_id)
select 'rcn_' || p.tenant_id, p.tenant_id, 'October', '2026-10-01', '2026-10-31', 'left', 'right', p.pair_no, 'left_' || p.tenant_id, 'right_' || p.tenant_id
from pairs p where p.tenant_id in ('one', 'two');
insert into matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method, currency, amount_minor)
select p.tenant_id, gen_random_uuid(), p.pair_no, 'rcn_' || p.tenant_id, 'confirmed', '1:1', 'manual', 'EUR', 1 from pairs p where p.tenant_id in ('one', 'two');
insert into match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor) select m.tenant_id, m.id, m.pair_no, 1, 'left', 1 from matches m where m.tenant_id in ('one', 'two');
insert into exclusions (tenant_id, pair_no, line_no, reconciliation_id, side, currency, excluded_minor, reason)
select p.tenant_id, p.pair_no, 2, 'rcn_' || p.tenant_id, 'left', 'EUR', 1, 'Not ours' from pairs p where p.tenant_id in ('one', 'two');
insert into runs (id, tenant_id, reconciliation_id, pair_no) select 'run_' || p.tenant_id, p.tenant_id, 'rcn_' || p.tenant_id, p.pair_no from pairs p where p.tenant_id in ('one', 'two');
insert into closings (tenant_id, reconciliation_id, statement) select p.tenant_id, 'rcn_' || p.tenant_id, '{}' from pairs p where p.tenant_id in ('one', 'two');
insert into statements (tenant_id, reconciliation_id, number, statement, closed_by, closed_at)
select p.tenant_id, 'rcn_' || p.tenant_id, 1, '{}', 'user:ada', now() from pairs p where p.tenant_id in ('one', 'two');
insert into private.reopened_items (tenant_id, reconciliation_id, number, kind, seq, rows)
select p.tenant_id, 'rcn_' || p.tenant_id, 1, 'matches', 0, '{}' from pairs p where p.tenant_id in ('one', 'two');
insert into period_signatures (tenant_id, reconciliation_id, number, pair_no, period_end, kind, level, signed_by, issuer, subject, digest)
select p.tenant_id, 'rcn_' || p.tenant_id, 1, p.pair_no, '2026-10-31', 'prepared', 0, 'user:ada', '', 'ada', repeat('0', 64) from pairs p where p.tenant_id in ('one', 'two');
insert into source_balances (tenant_id, id, source_no, currency, period_end, closing_minor, reason, created_by)
select p.tenant_id, 'bal_' || p.tenant_id, p.left_source_no, 'EUR', '2026-10-31', 1, 'Trial balance', 'user:ada' from pairs p where p.tenant_id in ('one', 'two');
insert into entry_rules (tenant_id, pair_no, version, rules, ledger, created_by) select p.tenant_id, p.pair_no, 1, '{}', '{}', 'user:ada' from pairs p where p.tenant_id in ('one', 'two');
insert into entry_batches (tenant_id, id, pair_no, reconciliation_id, statement_number, posting_date, number, entry_count, reversal_count, sums, digest, created_by)
select p.tenant_id, 'bat_' || n || '_' || p.tenant_id, p.pair_no, 'rcn_' || p.tenant_id, n, '2026-10-31', case n when 1 then 1 end, 1, 0, '[]', repeat('0', 64), 'user:ada'
from pairs p, generate_series(1, 2) n where p.tenant_id in ('one', 'two');
insert into entries (tenant_id, batch_id, place, pair_no, reconciliation_id, kind, subject_id, subject_place, currency, amount_minor, difference_minor, debit_account, credit_account, text, value_date)
select p.tenant_id, 'bat_1_' || p.tenant_id, 1, p.pair_no, 'rcn_' || p.tenant_id, 'fee', 'mat_1', 1, 'EUR', 1, -1, '4970', '1200', 'Fee', '2026-10-05' from pairs p where p.tenant_id in ('one', 'two');
insert into private.entry_batch_numbers (tenant_id, year, last_number) values ('one', 2026, 1), ('two', 2026, 1);
insert into evidence (tenant_id, id, subject_type, subject_id, file_name, media_type, bytes, sha256, created_by)
select t, 'evd_' || s || '_' || t, s, s || '_' || t, 'note.txt', 'text/plain', 1, repeat('0', 64), 'user:ada'
from unnest('{one,two}'::text[]) t, unnest('{exception,reconciliation}'::text[]) s;
insert into private.evidence_contents (tenant_id, evidence_id, content) select e.tenant_id, e.id, 'x' from evidence e where e.tenant_id in ('one', 'two');
insert into statement_evidence (tenant_id, reconciliation_id, number, evidence_id, content)
select p.tenant_id, 'rcn_' || p.tenant_id, 1, 'evd_reconciliation_' || p.tenant_id, '' from pairs p where p.tenant_id in ('one', 'two');
insert into carried_lines (tenant_id, reconciliation_id, line_no, side, open_minor, currency, value_date) select p.tenant_id, 'rcn_' || p.tenant_id, 3, 'left', 1, 'EUR', '2026-10-05' from pairs p where p.tenant_id in ('one', 'two');
insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor, open_minor, value_date)
select p.tenant_id, p.pair_no, 3, 'left', 'EUR', 1, 1, '2026-10-01' from pairs p where p.tenant_id in ('one', 'two');
insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id) select p.tenant_id, 3, p.pair_no, 'exc_' || p.tenant_id from pairs p where p.tenant_id in ('one', 'two');
insert into private.matched_counts (tenant_id, reconciliation_id, lines) select p.tenant_id, 'rcn_' || p.tenant_id, 1 from pairs p where p.tenant_id in ('one', 'two');
insert into private.decisions (tenant_id, reconciliation_id, kind, created_by) select p.tenant_id, 'rcn_' || p.tenant_id, 'exclude', 'user:ada' from pairs p where p.tenant_id in ('one', 'two');
insert into private.closing_requests (tenant_id, reconciliation_id, pair_no, asked_by)
select p.tenant_id, 'rcn_' || p.tenant_id, p.pair_no, '{}' from pairs p where p.tenant_id in ('one', 'two');
insert into private.period_workers (tenant_id, reconciliation_id, subject)
select p.tenant_id, 'rcn_' || p.tenant_id, 'ada' from pairs p where p.tenant_id in ('one', 'two');

select pg_temp.become_user('one', '{tenant_analyst}');
select pg_temp.expect_rows('an analyst sees what people decided', 'select from private.decisions', 1);
select pg_temp.expect_rows('an analyst sees its tenant''s pairs', 'select from pairs', 1);
select pg_temp.expect_rows('an analyst sees its tenant''s rules', 'select from pair_rules', 1);
select pg_temp.expect_rows('an analyst sees its tenant''s matches', 'select from matches', 1);
select pg_temp.expect_rows('an analyst sees what they are made of', 'select from match_members', 1);
select pg_temp.expect_rows('an analyst sees its tenant''s exclusions', 'select from exclusions', 1);
select pg_temp.expect_rows('an analyst sees its tenant''s runs', 'select from runs', 1);
select pg_temp.expect_rows('an analyst sees its tenant''s closings', 'select from closings', 1);
select pg_temp.expect_rows('an analyst sees its tenant''s signed statements', 'select from statements', 1);
select pg_temp.expect_rows('an analyst sees who signed its tenant''s periods', 'select from period_signatures', 1);
select pg_temp.expect_rows('an analyst sees its tenant''s balances', 'select from source_balances', 1);
select pg_temp.expect_rows('an analyst sees its tenant''s entry rules', 'select from entry_rules', 1);
select pg_temp.expect_rows('an analyst sees its tenant''s entry batches, without that of a close under way', 'select from entry_batches', 1);
select pg_temp.expect_rows('an analyst sees its tenant''s entries', 'select from entries', 1);
select pg_temp.expect_refused('nobody sees the last numbers of entry batches', 'select from private.entry_batch_numbers');
select pg_temp.expect_rows('an analyst sees its tenant''s evidence', 'select from evidence', 2);
select pg_temp.expect_rows('an analyst sees what its tenant''s statements list', 'select from statement_evidence', 1);
select pg_temp.expect_refused('nobody reads contents but by the function that reads one', 'select from private.evidence_contents');
select pg_temp.expect_rows('an analyst reads the content of its tenant''s file', $$select where private.evidence_part('evd_exception_one', 0, 9) is not null$$, 1);
select pg_temp.expect_rows('an analyst reads no content of another tenant''s file', $$select where private.evidence_part('evd_exception_two', 0, 9) is not null$$, 0);
select pg_temp.expect_rows('an analyst sees what a closed period carried on', 'select from carried_lines', 1);
select pg_temp.expect_rows('an analyst sees what is open', 'select from private.open_lines', 1);
select pg_temp.expect_rows('an analyst sees which exception a line has', 'select from private.exception_lines', 1);
select pg_temp.expect_rows('an analyst sees how much is matched', 'select from private.matched_counts', 1);
select pg_temp.expect_rows('an analyst sees what is being closed', 'select failure from private.closing_requests', 1);
select pg_temp.expect_refused('an analyst does not see who worked in a period', 'select from private.period_workers');
select pg_temp.expect_refused('an analyst sees nobody''s claims', 'select asked_by from private.closing_requests');
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.expect_refused('an admin does not see in whose name a period is closed', 'select asked_by from private.closing_requests');
select pg_temp.expect_refused('nobody reads what a reopened statement was made of', 'select from private.reopened_items');
select pg_temp.expect_refused('nobody reads how far a copy is', 'select from private.signed_copies');
select pg_temp.expect_refused('nobody reads what has changed for the next run', 'select from private.run_changes');
select pg_temp.expect_refused('nobody reads what a run estimated', 'select from private.pair_estimates');
select pg_temp.expect_refused('nobody reads why held-back lines are open', 'select from private.held_back_reasons');
select pg_temp.expect_refused('nobody reads decisions that wait to be learnt', 'select from private.unlearned_decisions');
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:exceptions,write:exceptions}');
select pg_temp.expect_rows('a key for exceptions sees no match', 'select from matches', 0);
select pg_temp.expect_rows('a key for exceptions sees no signed statement', 'select from statements', 0);
select pg_temp.expect_rows('a key for exceptions sees no signature', 'select from period_signatures', 0);
select pg_temp.expect_rows('a key for exceptions sees no balance', 'select from source_balances', 0);
select pg_temp.expect_rows('a key for exceptions sees no entry rules', 'select from entry_rules', 0);
select pg_temp.expect_rows('a key for exceptions sees no entry batch', 'select from entry_batches', 0);
select pg_temp.expect_rows('a key for exceptions sees no entry', 'select from entries', 0);
select pg_temp.expect_rows('a key for exceptions sees no evidence', 'select from evidence', 0);
select pg_temp.expect_rows('a key for exceptions sees nothing that a statement lists', 'select from statement_evidence', 0);
select pg_temp.expect_rows('a key for exceptions reads no content', $$select where private.evidence_part('evd_exception_one', 0, 9) is not null$$, 0);
select pg_temp.expect_rows('a key for exceptions sees no run', 'select from runs', 0);
select pg_temp.expect_rows('a key for exceptions sees nothing open', 'select from private.open_lines', 0);
select pg_temp.expect_rows('a key for exceptions sees no exception''s lines', 'select from private.exception_lines', 0);
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:reconciliations}');
select pg_temp.expect_rows('a key for reconciliations sees no evidence of exceptions', 'select from evidence', 1);
select pg_temp.become_owner();

select pg_temp.become('anon', '{"tenant_id": "one", "principal_type": "publishable_key"}');
select pg_temp.expect_refused('the publishable key sees no match', 'select from matches');
select pg_temp.expect_refused('the publishable key sees nothing open', 'select from private.open_lines');
select pg_temp.become_owner();
