-- A record belongs to its tenant; the publishable key sees published records of the public
-- surfaces, and nothing else.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into records (id, tenant_id, surface, data) values
  ('rec_one', 'one', 'integrations', '{"name": "Own", "published": true}'),
  ('rec_two', 'two', 'integrations', '{"name": "Foreign"}'),
  ('rec_note', 'one', 'release-notes', '{"title": "Out", "published": true}'),
  ('rec_draft', 'one', 'release-notes', '{"title": "Draft", "published": false}'),
  ('rec_words', 'one', 'release-notes', '{"title": "Words", "published": "true"}'),
  ('rec_foreign_note', 'two', 'release-notes', '{"title": "Foreign", "published": true}');
insert into records (id, tenant_id, surface, data, deleted_at) values ('rec_gone', 'one', 'release-notes', '{"published": true}', now());

select pg_temp.expect_refused('the server''s fields are no data',
  $$update records set data = '{"soft_delete": true}' where id = 'rec_one'$$, '{23514}');

select pg_temp.become_user('one', '{tenant_lead}');
select pg_temp.expect_rows('a lead sees its own tenant''s', 'select from records', 4);
select pg_temp.expect_rows('a lead does not see the bin', $$select from records where id = 'rec_gone'$$, 0);
select pg_temp.become_owner();

select pg_temp.become_user('one', '{tenant_analyst}');
select pg_temp.expect_rows('an analyst reads', $$select from records where id = 'rec_draft'$$, 1);
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:integrations}');
select pg_temp.expect_rows('a key sees the surface of its scope', $$select from records where surface = 'integrations'$$, 1);
select pg_temp.expect_rows('a key sees no other surface', $$select from records where surface <> 'integrations'$$, 0);
select pg_temp.become_owner();

select pg_temp.become('anon', '{"tenant_id": "one", "principal_type": "publishable_key"}');
select pg_temp.expect_rows('the publishable key sees what is published, and true is no text', 'select from records', 1);
select pg_temp.expect_rows('that is the one note', $$select from records where id = 'rec_note'$$, 1);
select pg_temp.become_owner();

select pg_temp.become('anon');
select pg_temp.expect_rows('nobody sees nothing', 'select from records', 0);
