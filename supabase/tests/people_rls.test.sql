-- Only a tenant's admins see and change its members and invitations; nobody reaches links and
-- passwords.
select private.create_tenant('one', 'One'), private.create_tenant('two', 'Two');
insert into auth.users (id, email, raw_app_meta_data) values
  ('00000000-0000-4000-8000-000000000001', 'ann@one.example', '{"tenants": {"one": ["tenant_admin"]}}'),
  ('00000000-0000-4000-8000-000000000002', 'bob@one.example', '{"tenants": {"one": ["tenant_analyst"], "two": ["tenant_lead"]}}'),
  ('00000000-0000-4000-8000-000000000003', 'cat@two.example', '{"tenants": {"two": ["tenant_admin"]}}');
insert into invitations (id, tenant_id, email, roles) select 'inv_' || t, t, 'nia@mail.example', '{tenant_lead}' from unnest('{one,two}'::text[]) t;
insert into private.invitation_tokens (token_hash, tenant_id, invitation_id) select repeat('a', 64), 'two', 'inv_two';

select pg_temp.become_user('one', '{tenant_admin}');
select pg_temp.expect_rows('an admin sees its own tenant''s invitations', 'select from invitations', 1);
select pg_temp.expect_rows('and its own tenant''s accounts', 'select jsonb_array_elements(private.tenant_account_page(null, null, 10))', 2);
select pg_temp.expect_refused('an admin reads no link', 'select from private.invitation_tokens');
select pg_temp.expect_refused('nor anybody''s password', 'select from private.password_resets');
select pg_temp.expect_refused('nor which tenants an address is of', 'select from private.account_index');
select pg_temp.expect_refused('nor sets one', $$select public.reset_password('x', 'x', 'x', '{}')$$);
select pg_temp.expect_refused('nor makes a link', $$select private.begin_invitation_mail('one', 'inv_one', repeat('b', 64))$$);
select pg_temp.expect_refused('nor accepts by itself', $$select public.accept_invitation(repeat('a', 64), null, 'x', '{}')$$);
select pg_temp.expect_refused('another tenant''s member is nobody here',
  $$select public.remove_tenant_member('{"id": "00000000-0000-4000-8000-000000000003", "issuer": "x"}', '{"operation": "removeTenantMember"}')$$, '{TO001}');
select pg_temp.expect_refused('the last admin stays one',
  $$select public.update_tenant_member('{"id": "00000000-0000-4000-8000-000000000001", "roles": ["tenant_lead"], "issuer": "x"}', '{"operation": "updateTenantMember"}')$$,
  '{TO001}');
select pg_temp.expect_rows('a member is removed',
  $$select public.remove_tenant_member('{"id": "00000000-0000-4000-8000-000000000002", "issuer": "x"}', '{"operation": "removeTenantMember"}')$$, 1);
select pg_temp.expect_refused('another tenant''s link is not ended',
  $$select public.revoke_invitation('{"id": "inv_two"}', '{"operation": "revokeInvitation"}')$$, '{TO001}');
select pg_temp.become_owner();
select pg_temp.expect_rows('and keeps the other tenant', $$select from auth.users where email = 'bob@one.example' and raw_app_meta_data -> 'tenants' = '{"two": ["tenant_lead"]}'$$, 1);
select pg_temp.expect_rows('and the link works', $$select from private.invitation_tokens where tenant_id = 'two' and invitation_id = 'inv_two'$$, 1);

select pg_temp.become_user('one', '{tenant_analyst,tenant_lead}');
select pg_temp.expect_rows('without the role there are no invitations', 'select from invitations', 0);
select pg_temp.expect_rows('and no accounts', 'select jsonb_array_elements(private.tenant_account_page(null, null, 10))', 0);
select pg_temp.expect_rows('not one by its id', $$select from (select private.tenant_account('00000000-0000-4000-8000-000000000001') a) x where a is not null$$, 0);
select pg_temp.expect_refused('nobody changes an account but by the verbs',
  $$select private.change_account('00000000-0000-4000-8000-000000000001', null, null, 'x')$$);
select pg_temp.expect_refused('and no mail is sent', $$select private.send_invitation('inv_one')$$);
select pg_temp.become_owner();

select pg_temp.become_api_key('one', '{read:webhooks,write:webhooks}');
select pg_temp.expect_rows('an API key sees no invitations', 'select from invitations', 0);
select pg_temp.become_owner();

select pg_temp.become('anon');
select pg_temp.expect_refused('nobody reads invitations', 'select from invitations');
