-- Accounts: what people do before they are signed in: accept an invitation, and set a new password.
-- Only for the server: links carry a token of 256 random bits, of which only the SHA-256 digest is
-- stored here, and passwords arrive as bcrypt hashes.

create table private.password_resets (
  token_hash text primary key check (token_hash ~ '^[0-9a-f]{64}$'),
  user_id uuid not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null default now() + interval '1 hour'
);
create index password_resets_by_user on private.password_resets (user_id, created_at);
create index password_resets_by_age on private.password_resets (created_at);
alter table private.password_resets enable row level security;

-- An account that can sign in, by its address.
create function private.find_account(email text) returns auth.users
language plpgsql stable security definer set search_path = '' as $$
declare
  account auth.users;
begin
  select users.* into account from private.account_index indexed_account
    join auth.users on users.id = indexed_account.user_id
  where indexed_account.address = private.address_key($1) and lower(users.email) = lower($1)
    and users.deleted_at is null
    order by users.created_at limit 1;
  return account;
end $$;

-- Reported to every tenant of the account. `origin`: { address, request_id }.
create function private.record_account_event(account auth.users, type text, origin jsonb,
  details jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.append_security_event(jsonb_build_object(
    'tenant_id', tenant.id, 'type', $2,
    'actor', 'user:' || private.account_name(account.email, account.id), 'credential', 'none',
    'target', 'user:' || private.account_name(account.email, account.id), 'address',
    origin ->> 'address', 'request_id', origin ->> 'request_id',
    'details', $4))
  from public.tenants tenant
  where tenant.id = any (private.tenants_of_claims(account.raw_app_meta_data))
    order by tenant.id;
end $$;

-- Sets a password, and ends every other session of the account and every link to reset it. Returns
-- the sessions that ended.
create function private.set_password(account auth.users, password_hash text, issuer text,
  kept_session text) returns text[]
language plpgsql volatile security definer set search_path = '' as $$
declare
  ended text[];
begin
  update auth.users set encrypted_password = $2, updated_at = now() where users.id = account.id;
  delete from private.password_resets password_reset where password_reset.user_id = account.id;
  -- Supabase Auth's own sessions, which refresh its tokens.
  if to_regclass('auth.sessions') is not null then
    execute 'delete from auth.sessions where user_id = $1' using account.id;
  end if;
  with removed as (
    update private.sessions session set ended_at = now()
    where session.issuer = $3 and session.subject = account.id::text and session.ended_at is null
      and session.id is distinct from kept_session
      returning session.id
  )
  select coalesce(array_agg(removed.id), '{}') into ended from removed;
  return ended;
end $$;

-- Queues a mail with a link to the address, if it has an account. The caller cannot tell whether it
-- has one, not even from the response time.
create function private.request_password_reset(email text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform graphile_worker.add_job('send_password_reset', json_build_object('email', lower($1)),
    max_attempts => 6);
end $$;

-- For the worker that writes the mail. Null if the address has no account, or five mails were sent
-- within the hour.
create function private.begin_password_reset_mail(email text, token_hash text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  account constant auth.users := private.find_account($1);
begin
  perform pg_advisory_xact_lock(hashtextextended('password reset ' || account.id, 0));
  if account.id is null or account.banned_until > now() or (
    select count(*)
    from private.password_resets password_reset
    where password_reset.user_id = account.id
      and password_reset.created_at > now() - interval '1 hour'
  ) >= 5 then
    return null;
  end if;
  delete from private.password_resets password_reset
  where password_reset.created_at < now() - interval '1 day';
  insert into private.password_resets (token_hash, user_id) values ($2, account.id);
  return jsonb_build_object('email', account.email);
end $$;

-- The mail could not be sent: the link is deleted, and doesn't count towards the five.
create function private.delete_password_reset(token_hash text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  delete from private.password_resets password_reset where password_reset.token_hash = $1;
end $$;

-- Sets the password of the account that the link was sent to; the link works once. Null if the link
-- is unknown, used or expired. Returns the account's ID and the sessions that ended. Records:
-- member.password_reset.
create function private.reset_password(token_hash text, password_hash text, issuer text,
  origin jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  account auth.users;
  ended text[];
begin
  select users.* into account from private.password_resets password_reset
    join auth.users on users.id = password_reset.user_id
  where password_reset.token_hash = $1 and password_reset.expires_at > now()
    and users.deleted_at is null
    and (users.banned_until is null or users.banned_until <= now())
  for no key update of users;
  -- The second of two concurrent calls finds it deleted.
  delete from private.password_resets password_reset where password_reset.token_hash = $1;
  if account.id is null or not found then
    return null;
  end if;
  ended := private.set_password(account, $2, $3, null);
  perform private.record_account_event(account, 'member.password_reset', $4,
    jsonb_build_object('sessions_ended', cardinality(ended)));
  return jsonb_build_object('id', account.id, 'ended', to_jsonb(ended));
end $$;

-- Whether a link still works.
create function private.is_password_reset(token_hash text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return exists (select from private.password_resets password_reset
    where password_reset.token_hash = $1 and password_reset.expires_at > now());
end $$;

-- Called for a signed-in person who gave their present password. Records: member.password_changed.
create function private.change_password(user_id uuid, password_hash text, issuer text,
  kept_session text, origin jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  account auth.users;
  ended text[];
begin
  select * into account
  from auth.users
  where users.id = $1 and users.deleted_at is null for no key update;
  if not found then
    return null;
  end if;
  ended := private.set_password(account, $2, $3, $4);
  perform private.record_account_event(account, 'member.password_changed', $5,
    jsonb_build_object('sessions_ended', cardinality(ended)));
  return jsonb_build_object('id', account.id, 'ended', to_jsonb(ended));
end $$;

-- The open invitation of a link; null for any other link.
create function private.open_invitation(token_hash text) returns public.invitations
language plpgsql volatile security definer set search_path = '' as $$
declare
  found_one public.invitations;
begin
  select invitation.* into found_one
  from private.invitation_tokens token
    join public.invitations invitation on invitation.tenant_id = token.tenant_id
      and invitation.id = token.invitation_id
  where token.token_hash = $1 and private.invitation_status(invitation) = 'pending'
  for no key update of invitation;
  return found_one;
end $$;

-- What the holder of a link may know of its invitation, null if none is open. `account_id`: the
-- account of its address, whose owner signs in instead of setting a password.
create function private.find_invitation(token_hash text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  invitation constant public.invitations := private.open_invitation($1);
begin
  if invitation.id is null then
    return null;
  end if;
  return jsonb_build_object('tenant_id', invitation.tenant_id, 'tenant_name',
    (select tenant.name from public.tenants tenant where tenant.id = invitation.tenant_id),
    'email', invitation.email, 'roles', invitation.roles, 'invited_by', invitation.created_by,
    'expires_at', private.iso(invitation.expires_at),
    'account_id', (private.confirmed_account(invitation.email)).id);
end $$;

-- The account whose owner has proved that the address is theirs. Anyone can start to sign up with
-- an invited address: such an account must neither block the invitation nor profit from it.
create function private.confirmed_account(email text) returns auth.users
language plpgsql stable security definer set search_path = '' as $$
declare
  account auth.users := private.find_account($1);
begin
  if account.email_confirmed_at is null then
    return null;
  end if;
  return account;
end $$;

-- Gives an unconfirmed account to the holder of a link that was mailed to its address, and removes
-- everything that the person who started to sign up has left.
create function private.take_over_account(account auth.users, password_hash text) returns auth.users
language plpgsql volatile security definer set search_path = '' as $$
begin
  delete from auth.identities identity where identity.user_id = account.id
    and identity.provider <> 'email';
  if to_regclass('auth.sessions') is not null then
    execute 'delete from auth.sessions where user_id = $1' using account.id;
  end if;
  update auth.users set encrypted_password = $2, email_confirmed_at = now(), updated_at = now(),
    raw_user_meta_data = '{}', confirmation_token = '', recovery_token = ''
  where users.id = account.id returning * into account;
  return account;
end $$;

-- Creates an account that signs in with this password, as Supabase Auth does: its token columns are
-- text that is never null.
create function private.create_account(email text, password_hash text) returns auth.users
language plpgsql volatile security definer set search_path = '' as $$
declare
  account auth.users;
begin
  insert into auth.users (
    instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data,
    raw_user_meta_data,
    confirmation_token, recovery_token, email_change, email_change_token_new,
    email_change_token_current,
    phone_change, phone_change_token, reauthentication_token, created_at, updated_at
  ) values (
    '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', $1,
    $2, now(),
    '{"provider": "email", "providers": ["email"]}', '{}', '', '', '', '', '', '', '', '', now(),
    now()
  ) returning * into account;
  insert into auth.identities (id, provider, provider_id, user_id, identity_data, last_sign_in_at,
    created_at, updated_at)
  values (gen_random_uuid(), 'email', account.id::text, account.id,
    jsonb_build_object('sub', account.id, 'email', account.email, 'email_verified', true), now(),
    now(), now());
  return account;
end $$;

-- Admits the invited person: with a new account and this password, or with the account of their
-- address, which has to be the signed-in one (`user_id`). The link works once. Null if the link has
-- no open invitation. Returns { outcome: accepted | sign_in, tenant_id, id }. Records:
-- member.admitted.
create function private.accept_invitation(token_hash text, user_id uuid, password_hash text,
  origin jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  invitation constant public.invitations := private.open_invitation($1);
  account auth.users;
  before jsonb;
begin
  if invitation.id is null then
    return null;
  end if;
  -- Two links to one address create one account.
  perform pg_advisory_xact_lock(hashtextextended('account ' || invitation.email, 0));
  account := private.find_account(invitation.email);
  if account.id is null and $3 is not null then
    account := private.create_account(invitation.email, $3);
  elsif account.email_confirmed_at is null and $3 is not null
    and (account.banned_until is null or account.banned_until <= now()) then
    account := private.take_over_account(account, $3);
  elsif account.id is null or $2 is distinct from account.id or account.banned_until > now() then
    return jsonb_build_object('outcome', 'sign_in');
  end if;
  perform pg_advisory_xact_lock(hashtextextended('members ' || invitation.tenant_id, 0));
  before := coalesce(private.roles_of_account(account.raw_app_meta_data, invitation.tenant_id),
    '[]');
  -- A member keeps the roles they have: an old invitation neither raises nor lowers them.
  if before = '[]' then
    update auth.users set updated_at = now(),
      raw_app_meta_data = private.claims_with_roles(users.raw_app_meta_data, invitation.tenant_id,
        to_jsonb(invitation.roles))
    where users.id = account.id;
  end if;
  update public.invitations
  set accepted_at = now()
  where invitations.tenant_id = invitation.tenant_id and invitations.id = invitation.id;
  delete
  from private.invitation_tokens token
  where token.tenant_id = invitation.tenant_id and token.invitation_id = invitation.id;
  perform private.append_security_event(jsonb_build_object(
    'tenant_id', invitation.tenant_id, 'type', 'member.admitted',
    'actor', 'user:' || private.account_name(account.email, account.id),
    'credential', 'none', 'target', 'user:' || private.account_name(account.email, account.id),
    'address', $4 ->> 'address',
    'request_id', $4 ->> 'request_id',
    'details', jsonb_build_object('invitation', invitation.id, 'invited_by', invitation.created_by,
      'email', invitation.email,
      'roles', jsonb_build_object('from', before, 'to',
        case when before = '[]' then to_jsonb(invitation.roles) else before end))));
  return jsonb_build_object('outcome', 'accepted', 'tenant_id', invitation.tenant_id,
    'id', account.id);
end $$;

create function public.request_password_reset(email text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.request_password_reset(email);
end $$;

create function public.is_password_reset(token_hash text) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return private.is_password_reset(token_hash);
end $$;

create function public.reset_password(token_hash text, password_hash text, issuer text,
  origin jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  return private.reset_password(token_hash, password_hash, issuer, origin);
end $$;

create function public.change_password(user_id uuid, password_hash text, issuer text,
  kept_session text, origin jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  return private.change_password(user_id, password_hash, issuer, kept_session, origin);
end $$;

create function public.find_invitation(token_hash text) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  return private.find_invitation(token_hash);
end $$;

create function public.accept_invitation(token_hash text, user_id uuid, password_hash text,
  origin jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  return private.accept_invitation(token_hash, user_id, password_hash, origin);
end $$;

grant execute on function private.request_password_reset(text), public.request_password_reset(text),
  private.is_password_reset(text), public.is_password_reset(text),
  private.begin_password_reset_mail(text, text), private.delete_password_reset(text),
  private.reset_password(text, text, text, jsonb), public.reset_password(text, text, text, jsonb),
  private.change_password(uuid, text, text, text, jsonb),
  public.change_password(uuid, text, text, text, jsonb),
  private.find_invitation(text), public.find_invitation(text),
  private.accept_invitation(text, uuid, text, jsonb),
  public.accept_invitation(text, uuid, text, jsonb) to service_role;
