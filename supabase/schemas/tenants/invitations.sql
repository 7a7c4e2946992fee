-- Invitations: people asked by e-mail to join a tenant. Only a SHA-256 digest of the link's token
-- is stored, once the mail is written: only the invited person ever has the token.

create table public.invitations (
  id text not null default private.new_id('inv'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  email text not null check (length(email) between 3 and 254),
  roles text[] not null check (cardinality(roles) between 1 and 3),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  -- When its mail was last requested, and when that mail was sent.
  requested_at timestamptz(3) not null default now(),
  -- When mails were requested within the day before the last.
  requests timestamptz(3)[] not null default array[now()],
  sent_at timestamptz(3),
  expires_at timestamptz(3) not null default now() + interval '7 days',
  accepted_at timestamptz(3),
  revoked_at timestamptz(3),
  revoked_by text,
  primary key (tenant_id, id),
  check (email = lower(email)),
  check (accepted_at is null or revoked_at is null)
);
create unique index invitations_open on public.invitations (tenant_id, email)
where accepted_at is null and revoked_at is null;
create index invitations_requested on public.invitations (tenant_id, requested_at);

alter table public.invitations enable row level security;
grant select on public.invitations to authenticated;
create policy invitations_read on public.invitations for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:people')));

-- The digests of links, which are looked up before a tenant is known. One per invitation: a new
-- link ends the previous one.
create table private.invitation_tokens (
  token_hash text primary key check (token_hash ~ '^[0-9a-f]{64}$'),
  tenant_id text not null,
  invitation_id text not null,
  unique (tenant_id, invitation_id),
  foreign key (tenant_id, invitation_id) references public.invitations (tenant_id, id)
);
alter table private.invitation_tokens enable row level security;

create function private.invitation_status(invitation public.invitations) returns text
language plpgsql stable set search_path = '' as $$
begin
  return case when invitation.accepted_at is not null then 'accepted'
    when invitation.revoked_at is not null then 'revoked'
    when invitation.expires_at <= now() then 'expired' else 'pending' end;
end $$;

create function private.invitation_json(invitation public.invitations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', invitation.id, 'email', invitation.email, 'roles', invitation.roles,
    'status', private.invitation_status(invitation),
    'created_at', private.iso(invitation.created_at),
    'created_by', invitation.created_by, 'sent_at', private.iso(invitation.sent_at),
    'expires_at', private.iso(invitation.expires_at),
    'accepted_at', private.iso(invitation.accepted_at),
    'revoked_at', private.iso(invitation.revoked_at),
    'revoked_by', invitation.revoked_by
  );
end $$;

-- Covers what people can change: whether it was sent again, accepted or revoked.
create function private.invitation_version(invitation public.invitations) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return private.version_of(jsonb_build_array(invitation.requested_at, invitation.accepted_at,
    invitation.revoked_at));
end $$;

-- Locks an invitation of the caller's tenant. Refuses: not_found.
create function private.lock_invitation(id text) returns public.invitations
language plpgsql volatile set search_path = '' as $$
declare
  found_one public.invitations;
begin
  select * into found_one
  from public.invitations invitation
  where invitation.tenant_id = private.tenant_id() and invitation.id = $1 for no key update;
  if not found then
    perform private.refuse_missing('invitation');
  end if;
  return found_one;
end $$;

-- How many mails the caller's tenant has requested since then, to one address or to any.
create function private.invitation_mails(since timestamptz, email text) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return (
    select count(*) from public.invitations invitation cross join unnest(invitation.requests) at
    where invitation.tenant_id = private.tenant_id() and invitation.requested_at > since
      and at > since
      and ($2 is null or invitation.email = $2)
  );
end $$;

-- Queues the mail of one of the caller's invitations. Refuses: rate_limited beyond 100 mails an
-- hour, or to one address beyond 5 an hour or 10 a day.
create function private.send_invitation(id text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  address constant text := (select invitation.email from public.invitations invitation
    where invitation.tenant_id = tenant and invitation.id = $1);
begin
  if private.invitation_mails(now() - interval '1 hour', null) > 100 then
    perform private.refuse('rate_limited',
      'A tenant can send 100 invitations an hour. Try again later.');
  end if;
  if private.invitation_mails(now() - interval '1 hour', address) > 5 then
    perform private.refuse('rate_limited',
      'This address was invited 5 times within the hour. Try again later.');
  end if;
  if private.invitation_mails(now() - interval '1 day', address) > 10 then
    perform private.refuse('rate_limited',
      'This address was invited 10 times within a day. Try again tomorrow.');
  end if;
  perform graphile_worker.add_job('send_invitation',
    private.with_request_id(jsonb_build_object('tenant_id', tenant,
      'invitation_id', invitation.id)),
    max_attempts => 12, job_key => 'invitation:' || tenant || ':' || invitation.id)
  from public.invitations invitation where invitation.tenant_id = tenant and invitation.id = $1;
end $$;

-- From now on the link is worthless.
create function private.end_invitation_link(id text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  delete
  from private.invitation_tokens token
  where token.tenant_id = private.tenant_id() and token.invitation_id = $1;
end $$;

-- Whether the tenant has a member with this address.
create function private.is_member_address(email text) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (select from private.accounts_of(private.tenant_id()) account
    where lower(account.email) = $1);
end $$;

grant execute on function
  private.invitation_version(public.invitations), private.invitation_status(public.invitations),
  private.invitation_json(public.invitations)
to authenticated;

-- input: { limit, after: [id] | null, status }. Newest first.
create function public.list_invitations(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_invitations');
  select jsonb_agg(private.invitation_json(invitation) order by invitation.id desc) into items
  from (
    select * from public.invitations invitation
    where invitation.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or invitation.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or private.invitation_status(invitation) = input ->> 'status')
    order by invitation.id desc limit page_size + 1
  ) invitation;
  return private.page(items, page_size, 'id');
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_invitation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  invitation public.invitations;
begin
  perform private.begin_request(request, 'get_invitation');
  select * into invitation
  from public.invitations
  where invitations.tenant_id = private.tenant_id() and invitations.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('invitation');
  end if;
  return private.invitation_json(invitation)
    || jsonb_build_object('version', private.invitation_version(invitation));
end $$;

-- input: { email, roles }. Replaces an expired invitation. Refuses: conflict for a member, for an
-- address with an open invitation, beyond the quota and in a sandbox; rate_limited.
-- Records: member.invited.
create function public.create_invitation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'create_invitation');
  created public.invitations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_live_tenant(
    'No mail leaves a sandbox. Invite people to its live tenant: they can use the sandbox, too.');
  perform private.serialize_counting('invitation_mails');
  perform private.require_quota('members');
  if private.is_member_address(input ->> 'email') then
    perform private.refuse_conflict('already_member',
      'This person is already a member. Change their roles instead.');
  end if;
  update public.invitations invitation set revoked_at = now(), revoked_by = private.actor()
  where invitation.tenant_id = private.tenant_id() and invitation.email = input ->> 'email'
    and invitation.accepted_at is null
    and invitation.revoked_at is null
    and invitation.expires_at <= now();
  insert into public.invitations (email, roles)
  values (input ->> 'email', private.text_array(input -> 'roles'))
  on conflict (tenant_id, email) where accepted_at is null and revoked_at is null do nothing
  returning * into created;
  if not found then
    perform private.refuse_conflict('invitation_open',
      'This address has an invitation that is still open. Resend that one, or revoke it first.');
  end if;
  perform private.send_invitation(created.id);
  perform private.record_security_event('member.invited', created.id, null,
    jsonb_build_object('email', created.email, 'roles', created.roles));
  return private.finish_request(request,
    private.invitation_json(created)
      || jsonb_build_object('version', private.invitation_version(created)));
end $$;

-- input: { id }. Sends a new link for seven more days; the previous one ends. Refuses: not_found;
-- conflict if it was accepted or revoked; rate_limited within a minute of the previous mail, and as
-- private.send_invitation. Records: member.invited.
create function public.resend_invitation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'resend_invitation');
  invitation public.invitations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.serialize_counting('invitation_mails');
  invitation := private.lock_invitation(input ->> 'id');
  -- An expired invitation counts towards the quota again.
  if private.invitation_status(invitation) = 'expired' then
    perform private.require_quota('members');
  end if;
  if private.invitation_status(invitation) not in ('pending', 'expired') then
    perform private.refuse_conflict('invitation_ended',
      format('This invitation was %s. Create a new one.', private.invitation_status(invitation)));
  elsif invitation.requested_at > now() - interval '1 minute' then
    perform private.refuse('rate_limited',
      'This invitation was sent less than a minute ago. Try again in a minute.');
  end if;
  update public.invitations
  set requested_at = now(), expires_at = now() + interval '7 days', sent_at = null,
    requests = array(select at from unnest(invitations.requests) at
      where at > now() - interval '1 day')
      || now()::timestamptz(3)
  where invitations.tenant_id = invitation.tenant_id and invitations.id = invitation.id
  returning * into invitation;
  perform private.end_invitation_link(invitation.id);
  perform private.send_invitation(invitation.id);
  perform private.record_security_event('member.invited', invitation.id, null,
    jsonb_build_object('email', invitation.email, 'roles', invitation.roles, 'again', true));
  return private.finish_request(request,
    private.invitation_json(invitation)
      || jsonb_build_object('version', private.invitation_version(invitation)));
end $$;

-- input: { id }. Revoking a revoked one returns it unchanged. Refuses: not_found; conflict if it
-- was accepted. Records: member.invitation_revoked.
create function public.revoke_invitation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'revoke_invitation');
  invitation public.invitations;
begin
  if replayed is not null then
    return replayed;
  end if;
  invitation := private.lock_invitation(input ->> 'id');
  perform private.require_version(private.invitation_version(invitation), request -> 'versions');
  if invitation.accepted_at is not null then
    perform private.refuse_conflict('invitation_ended',
      'This invitation was accepted. Remove the member instead.');
  elsif invitation.revoked_at is null then
    update public.invitations set revoked_at = now(), revoked_by = private.actor()
    where invitations.tenant_id = invitation.tenant_id and invitations.id = invitation.id
    returning * into invitation;
    perform private.end_invitation_link(invitation.id);
    perform private.record_security_event('member.invitation_revoked', invitation.id, null,
      jsonb_build_object('email', invitation.email));
  end if;
  return private.finish_request(request,
    private.invitation_json(invitation)
      || jsonb_build_object('version', private.invitation_version(invitation)));
end $$;

-- For the worker that writes the mail: replaces the digest of the invitation's link. Null if there
-- is nothing to send.
create function private.begin_invitation_mail(tenant_id text, invitation_id text,
  token_hash text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  invitation public.invitations;
begin
  select * into invitation from public.invitations
  where invitations.tenant_id = $1 and invitations.id = $2 for no key update;
  if not found or private.invitation_status(invitation) <> 'pending' or private.is_sandbox($1) then
    return null;
  end if;
  delete from private.invitation_tokens token
  where token.tenant_id = $1 and token.invitation_id = $2;
  insert into private.invitation_tokens (token_hash, tenant_id, invitation_id) values ($3, $1, $2);
  return jsonb_build_object('email', invitation.email, 'tenant_name',
    (select tenant.name from public.tenants tenant where tenant.id = $1), 'invited_by',
    invitation.created_by, 'roles', invitation.roles,
    'expires_at', private.iso(invitation.expires_at));
end $$;

create function private.end_invitation_mail(tenant_id text, invitation_id text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  update public.invitations invitation set sent_at = now() where invitation.tenant_id = $1
    and invitation.id = $2;
end $$;
grant execute
  on function private.begin_invitation_mail(text, text, text),
    private.end_invitation_mail(text, text) to service_role;
