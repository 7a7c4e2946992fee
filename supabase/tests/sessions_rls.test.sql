-- A session is its person's own, whichever tenant they name.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into private.sessions (id, issuer, subject, provider, expires_at) values
  ('ses_ann', 'https://idp.example', 'ann', 'corp', now() + interval '1 hour'),
  ('ses_bob', 'https://idp.example', 'bob', 'corp', now() + interval '1 hour'),
  ('ses_twin', 'https://other.example', 'ann', 'corp', now() + interval '1 hour');

select pg_temp.become_user('one', '{tenant_analyst}');
select pg_temp.expect_refused('nobody reads the table', 'select from private.sessions');
select pg_temp.expect_refused('nor begins one', $$select public.begin_session('{}')$$);
select pg_temp.expect_refused('nor asks for another person''s', $$select public.check_session('ses_bob', 0, false)$$);
select pg_temp.expect_refused('nor ends it', $$select public.leave_session('ses_bob')$$);
select pg_temp.become_owner();

select pg_temp.become('anon');
select pg_temp.expect_refused('the publishable key sees none', 'select private.sessions_of_caller(0)');
select pg_temp.become_owner();

select pg_temp.become('authenticated', '{"tenant_id": "one", "principal_type": "user", "issuer": "https://idp.example", "sub": "ann", "roles": ["tenant_lead"]}');
select pg_temp.expect_rows('a person sees their own, and no namesake''s at another issuer', 'select private.sessions_of_caller(0)', 1);
select pg_temp.expect_rows('another person''s is not theirs to end', $$select jsonb_array_elements(
  public.end_sessions('{"ids": ["ses_bob", "ses_twin"]}', '{"operation": "endSessions"}') -> 'body' -> 'ended')$$, 0);
select pg_temp.expect_rows('their own is', $$select jsonb_array_elements(public.end_sessions('{"ids": null}', '{"operation": "endSessions"}') -> 'body' -> 'ended')$$, 1);
select pg_temp.become_owner();
select pg_temp.expect_rows('and no other ended by it', $$select from private.sessions where ended_at is null and id in ('ses_bob', 'ses_twin')$$, 2);
