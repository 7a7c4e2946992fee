alter table private.acts add column actor_issuer text, add column actor_subject text; alter table private.acts alter column actor_issuer set default private.actor_issuer(), alter column actor_subject set default private.actor_subject();

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.known_lines(integer,jsonb);
drop function private.keep_staged_lines(text,integer,text);
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
CREATE OR REPLACE FUNCTION private.keep_staged_lines(tenant_id text, source_no integer, import_id text, ids_are_unique boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  s public.sources;
  staged constant bigint := (select count(*) from pg_temp.staged_lines);
  accepted bigint;
  accepted_again bigint;
  kept_ids uuid[];
  conflicts jsonb := '[]';
  conflict_count bigint := 0;
  items jsonb;
begin
  perform private.hold_source($1, $2);
  select * into strict s from public.sources x where x.tenant_id = $1 and x.source_no = $2;
  if staged > 10000 then
    analyze pg_temp.staged_lines (key);
  end if;
  if not ids_are_unique then
    perform private.mark_ids_reused_in_file($1, s.id);
  end if;
  perform private.number_repeated_lines(false);

  -- Where nothing can be there yet, nothing is looked for: half the time. Should others add to the source meanwhile, it is.
  begin
    execute private.insert_of_staged(s.line_count > 0 or $3 is null) into accepted, kept_ids using $1, $2, $3, s.id, s.sign, false;
  exception when unique_violation then
    execute private.insert_of_staged(true) into accepted, kept_ids using $1, $2, $3, s.id, s.sign, false;
  end;
  if accepted < staged and not ids_are_unique and private.mark_ids_reused_in_source($1, s.id) > 0 then
    perform private.number_repeated_lines(true);
    execute private.insert_of_staged(true) into accepted_again, kept_ids
    using $1, $2, $3, s.id, s.sign, true;
    accepted := accepted + accepted_again;
  end if;

  if accepted < staged and ids_are_unique then
    select count(*), coalesce(jsonb_agg(to_jsonb(c) - 'n' order by c.position) filter (where c.n <= 100), '[]') into conflict_count, conflicts
    from (
      select row_number() over (order by l.position) as n, l.position, l.file_line, l.external_id,
        l.amount_minor || ' ' || l.currency as found, k.amount_minor || ' ' || k.currency as wanted
      from pg_temp.staged_lines l
      join public.lines k on k.tenant_id = $1 and k.id = private.line_identity(s.id, l.key, 0)
      where l.external_id is not null and (k.amount_minor, k.currency) is distinct from (l.amount_minor, l.currency)
    ) c;
  end if;
  if $3 is null then
    select jsonb_agg(jsonb_build_object('index', i.position, 'id', private.line_id_text(i.id), 'duplicate', i.nth > 1 or i.id <> all (kept_ids)) order by i.position)
    into items
    from (
      select l.position, case when l.external_id is null then 1 else coalesce(r.nth, 1) end as nth,
        private.line_identity(s.id, l.key, case when l.external_id is null then coalesce(r.nth, 1) else 0 end) as id
      from pg_temp.staged_lines l left join pg_temp.repeated_lines r on r.position = l.position
    ) i;
  end if;

  if accepted > 0 then
    perform private.hold_to_quota($1, 'lines', accepted);
    update public.sources x set line_count = x.line_count + accepted where x.tenant_id = $1 and x.source_no = $2;
    perform private.lines_arrived($1, $2);
  end if;
  return jsonb_build_object(
    'staged', staged, 'accepted', accepted, 'duplicates', staged - accepted - conflict_count, 'conflicts', conflicts,
    'conflict_count', conflict_count, 'items', items
  );
end $function$;
CREATE OR REPLACE FUNCTION private.add_lines(source_no integer, lines jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept jsonb;
begin
  perform private.stage_lines_of(lines);
  kept := private.keep_staged_lines(private.tenant_id(), source_no, null, true);
  if (kept ->> 'conflict_count')::bigint > 0 then
    perform private.refuse('invalid_request', 'The request is not valid: see errors for each place.', (
      select jsonb_agg(jsonb_build_object(
        'path', format('lines.%s.external_id', c ->> 'position'),
        'message', format('There is a line with this external_id and another amount, %s in minor units: give each line its own.', c ->> 'wanted')
      )) from jsonb_array_elements(kept -> 'conflicts') c
    ));
  end if;
  return kept;
end $function$;
CREATE OR REPLACE FUNCTION private.known_lines(source_no integer, lines jsonb, ids_are_unique boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  s public.sources;
  known jsonb;
begin
  select * into strict s from public.sources x
  where x.tenant_id = private.tenant_id() and x.source_no = known_lines.source_no;
  perform private.stage_lines_of(lines);
  if not ids_are_unique then
    perform private.mark_ids_reused_in_file(s.tenant_id, s.id);
    perform private.mark_ids_reused_in_source(s.tenant_id, s.id);
  end if;
  perform private.number_repeated_lines(false);
  perform private.number_repeated_lines(true);
  select coalesce(jsonb_agg(l.position order by l.position), '[]') into known
  from pg_temp.staged_lines l left join pg_temp.repeated_lines r on r.position = l.position
  cross join lateral (select coalesce(r.nth, 1) as nth) n
  where l.external_id is not null and not l.id_is_shared and n.nth > 1 or exists (
    select from public.lines k
    where k.tenant_id = s.tenant_id
      and k.id = private.line_identity(s.id, l.key, n.nth - (l.external_id is not null)::integer)
  );
  delete from pg_temp.repeated_lines;
  delete from pg_temp.staged_lines;
  return known;
end $function$;
CREATE OR REPLACE FUNCTION private.ids_are_unique(format text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
AS $function$
  select format in ('ndjson', 'json')
$function$;
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
CREATE OR REPLACE FUNCTION public.preview_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, 'preview_import');
  return jsonb_build_object(
    'positions', private.known_lines(
      (private.find_source(input ->> 'source_id')).source_no, input -> 'lines',
      private.ids_are_unique(input ->> 'format')
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.finish_import(tenant_id text, import_id text, outcome jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i public.imports;
  kept jsonb;
  lines_at constant regclass := pg_get_serial_sequence('public.lines', 'line_no');
  first_no constant bigint := pg_sequence_last_value(lines_at);
begin
  select * into strict i from public.imports x where x.tenant_id = $1 and x.id = $2;
  kept := private.keep_staged_lines($1, i.source_no, $2, private.ids_are_unique(i.format));
  update public.imports x set
    status = 'done', finished_at = now(), bytes_read = x.bytes_total,
    read_count = (outcome ->> 'read_count')::bigint,
    accepted_count = (kept ->> 'accepted')::bigint,
    duplicate_count = (kept ->> 'duplicates')::bigint,
    refused_count = (outcome ->> 'refused_count')::bigint + (kept ->> 'conflict_count')::bigint,
    skipped_count = (outcome ->> 'skipped_count')::bigint,
    refusals = private.first_of(outcome -> 'refusals' || (
      select coalesce(jsonb_agg(jsonb_build_object(
        'line', c -> 'file_line', 'field', 'external_id', 'message', format(
          'A line with this external_id has another amount. Found "%s", expected %s.',
          c ->> 'found', c ->> 'wanted'
        )
      )), '[]') from jsonb_array_elements(kept -> 'conflicts') c
    ), 100),
    skips = private.first_of(outcome -> 'skips', 100),
    warnings = case when (kept ->> 'accepted')::bigint = 0 and outcome ? 'nothing_stored'
      then jsonb_build_array(outcome -> 'nothing_stored') else '[]' end
      || coalesce(outcome -> 'warnings', '[]'),
    statements = private.first_of(outcome -> 'statements', 100),
    opening_balance_minor = (outcome ->> 'opening_balance_minor')::bigint,
    closing_balance_minor = (outcome ->> 'closing_balance_minor')::bigint,
    balance_holds = (outcome ->> 'balance_holds')::boolean,
    first_line_no = coalesce(first_no, 0), last_line_no = pg_sequence_last_value(lines_at)
  where x.tenant_id = $1 and x.id = $2 and x.status = 'reading'
  returning * into i;
  if not found then
    return (select x.status from public.imports x where x.tenant_id = $1 and x.id = $2);
  end if;
  delete from private.import_chunks c where c.tenant_id = $1 and c.import_id = $2;
  update public.sources s set last_import_at = now() where s.tenant_id = $1 and s.source_no = i.source_no;
  perform private.emit_import_done(i);
  return 'done';
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
