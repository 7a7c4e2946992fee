-- Sources, lines and imports are their tenant's; admins and leads write sources, lines come by the verbs alone.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into sources (id, tenant_id, name, kind, currency) select 'src_' || t, t, 'Bank', 'bank_statement', 'EUR' from unnest('{one,two}'::text[]) t;
insert into lines (tenant_id, id, source_no, amount_minor, currency, value_date)
select s.tenant_id, gen_random_uuid(), s.source_no, 1250, 'EUR', '2026-10-01' from sources s where s.tenant_id in ('one', 'two');
insert into imports (id, tenant_id, source_no, status, format)
select 'imp_' || s.tenant_id, s.tenant_id, s.source_no, 'queued', 'csv' from sources s where s.tenant_id in ('one', 'two');
insert into private.line_spans (tenant_id, source_no, first_line_no, last_line_no)
select l.tenant_id, l.source_no, l.line_no, l.line_no from lines l where l.tenant_id in ('one', 'two');
insert into private.line_texts (tenant_id, line_no, source_no, text)
select s.tenant_id, 0, s.source_no, 'indexed =1250+' from sources s where s.tenant_id in ('one', 'two');
insert into private.import_chunks (tenant_id, import_id, seq, bytes) values ('one', 'imp_one', 0, 'a'), ('two', 'imp_two', 0, 'a');

select pg_temp.become_user('one', '{tenant_lead}');
select pg_temp.expect_rows('a lead sees its own tenant''s sources', 'select from sources', 1);
select pg_temp.expect_rows('a lead sees its own tenant''s lines', 'select from lines', 1);
select pg_temp.expect_rows('a lead sees its own tenant''s imports', 'select from imports', 1);
select pg_temp.expect_refused('nobody reads a file that came in', 'select from private.import_chunks');
select pg_temp.expect_refused('nobody reads the texts of lines', 'select from private.line_texts');
select pg_temp.expect_refused('nobody reads which lines wait for theirs', 'select from private.line_spans');
select pg_temp.expect_refused('nobody writes the texts of lines but a matcher', 'select private.index_lines()');
select pg_temp.expect_rows('a lead finds its own tenant''s lines alone, whatever sources are named',
  $$select from unnest(private.find_lines_of_caller('1250', array(select n from generate_series(1, 10000) n), 100))$$, 2);
select pg_temp.expect_refused('nobody stages lines on their own', 'select private.stage_lines()');
select pg_temp.expect_refused('nobody keeps staged lines on their own', $$select private.insert_staged_lines('one', 1, null, true)$$);
select pg_temp.expect_refused('nobody claims an import but a matcher', $$select private.claim_import('one', 'imp_one')$$);
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_analyst}');
select pg_temp.expect_rows('an analyst reads lines', 'select from lines', 1);
select pg_temp.expect_refused('nobody adds lines but by the verbs', $$select private.add_lines(1, '[]')$$);
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.expect_refused('an admin undoes no import of another tenant',
  $$select public.undo_import('{"id": "imp_two"}', '{"operation": "undoImport"}')$$, '{TO001}');
select pg_temp.expect_refused('an admin puts nothing into a file of another tenant',
  $$select public.keep_import_chunk('{"id": "imp_two", "seq": 1, "bytes": "YQ=="}', '{"operation": "createImport"}')$$, '{TO001}');
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:exceptions}');
select pg_temp.expect_rows('a key without the scope sees no line', 'select from lines', 0);
select pg_temp.expect_rows('a key without the scope finds no line',
  $$select from unnest(private.find_lines_of_caller('1250', array(select n from generate_series(1, 10000) n), 100))$$, 0);
select pg_temp.expect_rows('a key without the scope sees no source', 'select from sources', 0);
select pg_temp.expect_rows('a key without the scope sees no import', 'select from imports', 0);
select pg_temp.become_owner();

select pg_temp.become('anon', '{"tenant_id": "one", "principal_type": "publishable_key"}');
select pg_temp.expect_refused('the publishable key sees no source', 'select from sources');
select pg_temp.expect_refused('the publishable key sees no line', 'select from lines');
select pg_temp.expect_refused('the publishable key sees no import', 'select from imports');
