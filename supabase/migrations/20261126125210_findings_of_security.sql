alter table private.acts add column actor_issuer text, add column actor_subject text; alter table private.acts alter column actor_issuer set default private.actor_issuer(), alter column actor_subject set default private.actor_subject();

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.queue_to_count(kind text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform pg_advisory_xact_lock(
    hashtextextended('count ' || private.tenant_id() || ' ' || kind, 0)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_room(files integer, bytes bigint, database_max_bytes bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  waiting record;
begin
  if require_room.files > 0 then
    perform private.queue_to_count('imports');
  end if;
  select count(*) as files, coalesce(sum(greatest(i.bytes_total, i.bytes_read)), 0) as bytes into waiting
  from public.imports i where i.tenant_id = private.tenant_id() and i.status in ('receiving', 'queued', 'reading');
  if waiting.files + require_room.files > 20 or waiting.bytes + require_room.bytes > 4294967296 then
    perform private.refuse('conflict', 'At most 20 imports of 4 GiB in all can wait or be read at a time. Wait until one is done, and upload the file again.');
  end if;
  if pg_database_size(current_database()) + 10 * (waiting.bytes + require_room.bytes) > database_max_bytes then
    perform private.refuse('unavailable', 'There is not enough disk space for this file. Nothing of it was kept.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.undo_decision(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'undo_decision');
  a private.acts;
begin
  if kept is not null then
    return kept;
  end if;
  select * into a from private.acts x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('decision');
  elsif not private.may('write:reconciliations') and (
    a.kind in ('match', 'exclude')
    or (a.actor_issuer, a.actor_subject)
      is distinct from (private.actor_issuer(), private.actor_subject())
    or a.actor_subject is null
  ) then
    perform private.refuse('role_required', 'You can undo what you confirmed or rejected yourself. Ask an admin or a lead to undo this.');
  end if;
  return private.answer(request, private.act_json(private.take_back_act(a.id)));
end $function$;
CREATE OR REPLACE FUNCTION public.create_calendar(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_calendar');
  created public.calendars;
  no bigint;
  answer jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.queue_to_count('calendars');
  if (select count(*) from public.calendars c where c.tenant_id = private.tenant_id()) >= 100 then
    perform private.refuse('conflict', 'A tenant has at most 100 calendars. Change one of them instead.');
  end if;
  insert into public.calendars (name) values (input ->> 'name') returning * into created;
  insert into public.calendar_versions (calendar_id, version, time_zone, weekly, special_days)
  values (created.id, 1, input ->> 'time_zone', input -> 'weekly', input -> 'special_days') returning calendar_no into no;
  perform private.start_calendar_version(no);
  answer := private.find_calendar(created.id);
  perform private.record_security_event('calendar.created', created.id, null, jsonb_build_object('name', created.name, 'time_zone', input ->> 'time_zone'));
  return private.answer(request, answer);
end $function$;
CREATE OR REPLACE FUNCTION private.retry_pause(failures integer, retry_after_seconds integer)
 RETURNS interval
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  scheduled constant double precision := (private.retry_schedule())[failures] * (0.8 + 0.4 * random());
  -- least() passes over nulls.
  asked_for constant double precision := least(coalesce(retry_after_seconds, 0), 86400);
begin
  if scheduled is null then
    return null;
  end if;
  -- Of a longer wait, up to a tenth more, for the same reason.
  return make_interval(secs => case
    when asked_for > scheduled then least(asked_for * (1 + 0.1 * random()), 86400) else scheduled
  end);
end $function$;
CREATE OR REPLACE FUNCTION public.create_invitation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_invitation');
  created public.invitations;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.queue_to_count('invitation_mails');
  perform private.require_quota('members');
  if private.is_member_address(input ->> 'email') then
    perform private.refuse('conflict', 'This person is a member already. Change their roles instead.');
  end if;
  update public.invitations i set revoked_at = now(), revoked_by = private.actor()
  where i.tenant_id = private.tenant_id() and i.email = input ->> 'email' and i.accepted_at is null and i.revoked_at is null
    and i.expires_at <= now();
  insert into public.invitations (email, roles) values (input ->> 'email', private.text_array(input -> 'roles'))
  on conflict (tenant_id, email) where accepted_at is null and revoked_at is null do nothing
  returning * into created;
  if not found then
    perform private.refuse('conflict', 'This address has an invitation that is still open. Resend that one, or revoke it first.');
  end if;
  perform private.send_invitation(created.id);
  perform private.record_security_event('member.invited', created.id, null, jsonb_build_object('email', created.email, 'roles', created.roles));
  return private.answer(request, private.invitation_json(created) || jsonb_build_object('version', private.invitation_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION public.resend_invitation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'resend_invitation');
  i public.invitations;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.queue_to_count('invitation_mails');
  i := private.lock_invitation(input ->> 'id');
  -- One that expired counts again from here on.
  if private.invitation_status(i) = 'expired' then
    perform private.require_quota('members');
  end if;
  if private.invitation_status(i) not in ('pending', 'expired') then
    perform private.refuse('conflict', format('This invitation was %s. Create a new one.', private.invitation_status(i)));
  elsif i.requested_at > now() - interval '1 minute' then
    perform private.refuse('rate_limited', 'This invitation was sent less than a minute ago. Try again in a minute.');
  end if;
  update public.invitations x set requested_at = now(), expires_at = now() + interval '7 days', sent_at = null,
    requests = array(select at from unnest(x.requests) at where at > now() - interval '1 day') || now()::timestamptz(3)
  where x.tenant_id = i.tenant_id and x.id = i.id returning * into i;
  perform private.end_invitation_link(i.id);
  perform private.send_invitation(i.id);
  perform private.record_security_event('member.invited', i.id, null, jsonb_build_object('email', i.email, 'roles', i.roles, 'again', true));
  return private.answer(request, private.invitation_json(i) || jsonb_build_object('version', private.invitation_version(i)));
end $function$;
CREATE OR REPLACE FUNCTION private.begin_password_reset_mail(email text, token_hash text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  account constant auth.users := private.find_account($1);
begin
  perform pg_advisory_xact_lock(hashtextextended('password reset ' || account.id, 0));
  if account.id is null or account.banned_until > now() or (
    select count(*) from private.password_resets r where r.user_id = account.id and r.created_at > now() - interval '1 hour'
  ) >= 5 then
    return null;
  end if;
  delete from private.password_resets r where r.created_at < now() - interval '1 day';
  insert into private.password_resets (token_hash, user_id) values ($2, account.id);
  return jsonb_build_object('email', account.email);
end $function$;
CREATE OR REPLACE FUNCTION private.find_invitation(token_hash text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i constant public.invitations := private.open_invitation($1);
begin
  if i.id is null then
    return null;
  end if;
  return jsonb_build_object('tenant_id', i.tenant_id, 'tenant_name', (select t.name from public.tenants t where t.id = i.tenant_id),
    'email', i.email, 'roles', i.roles, 'invited_by', i.created_by, 'expires_at', private.iso(i.expires_at),
    'account_id', (private.confirmed_account(i.email)).id);
end $function$;
CREATE OR REPLACE FUNCTION private.confirmed_account(email text)
 RETURNS auth.users
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  account auth.users := private.find_account($1);
begin
  if account.email_confirmed_at is null then
    return null;
  end if;
  return account;
end $function$;
CREATE OR REPLACE FUNCTION private.take_over_account(account auth.users, password_hash text)
 RETURNS auth.users
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from auth.identities i where i.user_id = account.id and i.provider <> 'email';
  if to_regclass('auth.sessions') is not null then
    execute 'delete from auth.sessions where user_id = $1' using account.id;
  end if;
  update auth.users u set encrypted_password = $2, email_confirmed_at = now(), updated_at = now(),
    raw_user_meta_data = '{}', confirmation_token = '', recovery_token = ''
  where u.id = account.id returning * into account;
  return account;
end $function$;
CREATE OR REPLACE FUNCTION private.accept_invitation(token_hash text, user_id uuid, password_hash text, origin jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i constant public.invitations := private.open_invitation($1);
  account auth.users;
  before jsonb;
begin
  if i.id is null then
    return null;
  end if;
  -- Two links to one address make one account.
  perform pg_advisory_xact_lock(hashtextextended('account ' || i.email, 0));
  account := private.find_account(i.email);
  if account.id is null and $3 is not null then
    account := private.create_account(i.email, $3);
  elsif account.email_confirmed_at is null and $3 is not null
    and (account.banned_until is null or account.banned_until <= now()) then
    account := private.take_over_account(account, $3);
  elsif account.id is null or $2 is distinct from account.id or account.banned_until > now() then
    return jsonb_build_object('outcome', 'sign_in');
  end if;
  perform pg_advisory_xact_lock(hashtextextended('members ' || i.tenant_id, 0));
  before := coalesce(private.roles_of_account(account.raw_app_meta_data, i.tenant_id), '[]');
  -- A member keeps the roles they have: an old invitation neither raises nor lowers them.
  if before = '[]' then
    update auth.users u set updated_at = now(),
      raw_app_meta_data = private.claims_with_roles(u.raw_app_meta_data, i.tenant_id, to_jsonb(i.roles))
    where u.id = account.id;
  end if;
  update public.invitations x set accepted_at = now() where x.tenant_id = i.tenant_id and x.id = i.id;
  delete from private.invitation_tokens t where t.tenant_id = i.tenant_id and t.invitation_id = i.id;
  perform private.append_security_event(jsonb_build_object(
    'tenant_id', i.tenant_id, 'type', 'member.admitted', 'actor', 'user:' || private.account_name(account.email, account.id),
    'credential', 'none', 'target', 'user:' || private.account_name(account.email, account.id), 'address', $4 ->> 'address',
    'request_id', $4 ->> 'request_id', 'details', jsonb_build_object('invitation', i.id, 'invited_by', i.created_by, 'email', i.email,
      'roles', jsonb_build_object('from', before, 'to',
        case when before = '[]' then to_jsonb(i.roles) else before end))));
  return jsonb_build_object('outcome', 'accepted', 'tenant_id', i.tenant_id, 'id', account.id);
end $function$;
CREATE OR REPLACE FUNCTION private.logged_request_json(r public.request_log)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', r.id, 'at', private.iso(r.at), 'operation', r.operation, 'method', r.method, 'path', r.path,
    'query', case when private.may_call(r.operation) then r.query else '' end,
    'resource', r.resource, 'status', r.status, 'error_code', r.error_code, 'refused', r.refused,
    'duration_ms', r.duration_ms, 'credential', r.credential,
    'actor', r.actor, 'api_key_id', r.api_key_id, 'address', host(r.address)
  );
end $function$;
CREATE OR REPLACE FUNCTION public.create_alert_channel(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_alert_channel');
  c public.alert_channels;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.queue_to_count('alert_channels');
  if (select count(*) from public.alert_channels x where x.tenant_id = private.tenant_id() and x.deleted_at is null) >= 20 then
    perform private.refuse('conflict', 'A tenant can have 20 alert channels. Delete one first.');
  end if;
  insert into public.alert_channels (name, url_hint, kinds) values (input ->> 'name', input ->> 'url_hint', private.text_array(input -> 'kinds'))
  returning * into c;
  perform private.keep_alert_channel_url(c.id, input ->> 'url_id', input ->> 'sealed');
  perform private.record_security_event('alert_channel.created', c.id, null, jsonb_build_object('name', c.name, 'url', c.url_hint, 'kinds', c.kinds));
  return private.answer(request, private.alert_channel_json(c));
end $function$;
