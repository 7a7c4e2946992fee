-- An exception belongs to its tenant: it is read and changed within it, never moved out of it, and
-- never deleted.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into reconciliations (id, tenant_id, name, period_start, period_end, left_source, right_source)
values ('rcn_two', 'two', 'Foreign', '2026-10-01', '2026-10-31', 'left', 'right');
select private.change_exceptions('create', array[
  jsonb_build_object('id', 'exc_one', 'tenant_id', 'one', 'title', 'Own', 'severity', 'high', 'due_at', now()),
  jsonb_build_object('id', 'exc_two', 'tenant_id', 'two', 'title', 'Foreign', 'severity', 'high', 'due_at', now())]);
select pg_temp.expect_refused('not even the owner inserts past change_exceptions',
  $$insert into exceptions (tenant_id, title, severity, due_at) values ('one', 'New', 'low', now())$$);
select pg_temp.expect_refused('not even the owner updates past change_exceptions', $$update exceptions set title = 'Hacked'$$);
select pg_temp.expect_refused('not even the owner deletes an exception', 'delete from exceptions');

create function pg_temp.patching(id text, patch text) returns text
language sql as $$
  select format($q$select public.update_exception('{"id": "%s", "patch": %s}', '{"operation": "updateException"}')$q$, id, patch);
$$;
grant execute on function pg_temp.patching(text, text) to public;

select pg_temp.become_user('one', '{tenant_analyst}');
select pg_temp.expect_rows('a user sees its own tenant''s exceptions', 'select from exceptions', 1);
select pg_temp.expect_rows('a user sees its own tenant''s history', 'select from exception_history', 1);
select pg_temp.expect_rows('a user sees its own tenant''s policy', 'select from sla_policies', 1);
select pg_temp.expect_rows('a user sees its own tenant''s ledger', 'select from exception_ledger where kind = ''set''', 1);
select pg_temp.expect_refused('a user sees no clock', 'select from private.exception_clocks');
select pg_temp.expect_refused('a user sees no warning ahead', 'select from private.business_warnings');
select pg_temp.expect_refused('a user sees no count', 'select from private.sla_counts');
select pg_temp.expect_refused('a user sees no sum by deadline', 'select from private.open_by_deadline');
select pg_temp.expect_refused('a user sees no sum by assignee', 'select from private.open_by_assignee');
select pg_temp.expect_refused('a user sees no sum by reconciliation', 'select from private.open_by_reconciliation');
select pg_temp.expect_refused('a user sees no count of an hour', 'select from private.exception_hours');
select pg_temp.expect_refused('nobody changes one but by the verbs',
  $$select private.change_exceptions('edit', array['{"id": "exc_one", "tenant_id": "one", "title": "Hacked"}'::jsonb])$$);
select pg_temp.expect_refused('not even in its own tenant',
  $$select private.change_exceptions_for_caller('edit', array['{"id": "exc_one", "title": "Hacked"}'::jsonb])$$);
select pg_temp.expect_rows('a user changes its own', pg_temp.patching('exc_one', '{"title": "Renamed"}'), 1);
select pg_temp.expect_rows('the change is history at once', $$select from exception_history where exception_id = 'exc_one' and kind = 'updated' and actor = 'user:ada'$$, 1);
select pg_temp.expect_refused('another tenant''s exception does not change', pg_temp.patching('exc_two', '{"title": "Hacked"}'), '{TO001}');
select pg_temp.expect_refused('another tenant''s reconciliation is none', pg_temp.patching('exc_one', '{"reconciliation_id": "rcn_two"}'), '{TO001}');
select pg_temp.expect_refused('a closed exception says how', pg_temp.patching('exc_one', '{"status": "resolved"}'), '{TO001}');
select pg_temp.expect_rows('what a user creates is its own, whatever it names', $$select public.create_exception(
  '{"id": "exc_three", "tenant_id": "two", "created_by": "user:eve", "created_at": "2020-01-01", "title": "New", "severity": "low"}',
  '{"operation": "createException"}')$$, 1);
select pg_temp.expect_rows('an exception does not change its author or its birth',
  pg_temp.patching('exc_one', '{"created_by": "user:eve", "created_at": "2020-01-01", "title": "Again"}'), 1);
select pg_temp.become_owner();
select pg_temp.expect_rows('it names neither its tenant, nor its author, nor its birth', $$select from exceptions
  where tenant_id = 'one' and id <> 'exc_three' and title = 'New' and created_by = 'user:ada' and created_at > '2020-01-01'$$, 1);
select pg_temp.expect_rows('nor later', $$select from exceptions
  where id = 'exc_one' and title = 'Again' and created_by <> 'user:eve' and created_at > '2020-01-01'$$, 1);

select pg_temp.become_user('one', '{}');
select pg_temp.expect_rows('a user without a role sees no exception', 'select from exceptions', 0);
select pg_temp.expect_rows('a user without a role sees no history', 'select from exception_history', 0);
select pg_temp.expect_rows('a user without a role sees no ledger', 'select from exception_ledger', 0);
select pg_temp.expect_rows('a user without a role sees no policy', 'select from sla_policies', 0);
select pg_temp.expect_refused('a user without a role changes nothing', pg_temp.patching('exc_one', '{"title": "Hacked"}'), '{TO001}');
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:exceptions}');
select pg_temp.expect_refused('a key that may read changes nothing', pg_temp.patching('exc_one', '{"title": "Hacked"}'), '{TO001}');
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{write:exceptions}');
select pg_temp.expect_rows('a key that may write creates',
  $$select public.create_exception('{"title": "By key", "severity": "low"}', '{"operation": "createException"}')$$, 1);
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:webhooks}');
select pg_temp.expect_rows('a key for something else sees no exception', 'select from exceptions', 0);
select pg_temp.become_owner();

select pg_temp.become('anon', '{"tenant_id": "one", "principal_type": "publishable_key"}');
select pg_temp.expect_refused('the publishable key sees no exception', 'select from exceptions');
select pg_temp.become_owner();

select pg_temp.become('authenticated');
select pg_temp.expect_rows('a token without a tenant sees no exception', 'select from exceptions', 0);
select pg_temp.expect_rows('a token without a tenant sees no history', 'select from exception_history', 0);
select pg_temp.become_owner();

-- A comment belongs to the tenant of its exception, not to its author's.
select pg_temp.become_user('one', '{tenant_analyst}');
select pg_temp.expect_rows('a user comments in its own tenant', $$select public.create_exception_comment(
  '{"id": "exc_one", "body": "Ask <@user:leo> and <@user:zoe>, <@user:leo> knows. a@user:b <@ user:c>"}', '{"operation": "createExceptionComment"}')$$, 1);
select pg_temp.expect_rows('what it says is its own, with whom it mentions, each once',
  $$select from exception_comments where tenant_id = 'one' and created_by = 'user:ada' and mentions = '{user:leo,user:zoe}'$$, 1);
select pg_temp.expect_refused('another tenant''s exception takes no comment',
  $$select public.create_exception_comment('{"id": "exc_two", "body": "Hi"}', '{"operation": "createExceptionComment"}')$$, '{TO001}');
select pg_temp.become_owner();
select pg_temp.expect_refused('an exception takes 1,000 comments',
  $$insert into exception_comments (tenant_id, exception_id, body) select 'one', 'exc_one', 'No. ' || i from generate_series(1, 1000) i$$, '{TO001}');
select pg_temp.expect_rows('each comment is an event', $$select from events where tenant_id = 'one' and type = 'exception.commented' and data #>> '{comment,mentions,0}' = 'user:leo'$$, 1);

select pg_temp.become_user('two', '{tenant_admin}');
select pg_temp.expect_rows('another tenant reads no comment', 'select from exception_comments', 0);
select pg_temp.become_owner();

select pg_temp.become_user('one', '{}');
select pg_temp.expect_rows('a user without a role reads no comment', 'select from exception_comments', 0);
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:exceptions}');
select pg_temp.expect_rows('a key that may read reads comments', 'select from exception_comments', 1);
select pg_temp.become_owner();
