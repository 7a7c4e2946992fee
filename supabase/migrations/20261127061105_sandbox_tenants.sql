alter table public.tenants drop constraint tenants_id_check;
alter table public.tenants
  add column kind text not null
    generated always as (case when id ~ '\.' then 'sandbox' else 'live' end) stored,
  add check (id ~ '^[a-z0-9][a-z0-9_-]{0,62}(\.sandbox)?$');

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.is_sandbox(tenant text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce(tenant ~ '\.sandbox$', false);
end $function$;
CREATE OR REPLACE FUNCTION private.live_tenant(tenant text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return regexp_replace(tenant, '\.sandbox$', '');
end $function$;
CREATE OR REPLACE FUNCTION private.require_live_tenant(detail text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if private.is_sandbox(private.tenant_id()) then
    perform private.refuse_conflict('tenant_kind', detail);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.is_being_reset(tenant text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return current_setting('app.resets', true) = tenant
    and exists (select from public.tenants t where t.id = tenant and t.kind = 'sandbox');
end $function$;
CREATE OR REPLACE FUNCTION private.own_sandbox()
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select t.id from public.tenants t where t.id = private.tenant_id() || '.sandbox');
end $function$;
CREATE OR REPLACE FUNCTION public.get_me(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  answers constant boolean := private.principal_type() <> 'publishable_key';
begin
  perform private.begin_request(request, 'get_me');
  return jsonb_build_object('tenant_id', tenant,
    'tenant_name', (select t.name from public.tenants t where t.id = tenant and answers),
    'kind', case when private.is_sandbox(tenant) then 'sandbox' else 'live' end,
    'sandbox_id', case when answers then private.own_sandbox() end);
end $function$;
CREATE OR REPLACE FUNCTION private.accounts_of(tenant text)
 RETURNS SETOF auth.users
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select u.* from private.account_index i join auth.users u on u.id = i.user_id
  where i.tenants @> array[private.live_tenant(tenant)] and u.deleted_at is null
    and private.roles_of_account(u.raw_app_meta_data, tenant) is not null;
end $function$;
CREATE OR REPLACE FUNCTION private.quota_of(tenant_id text, kind text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return least((select q.most from private.quotas q where q.kind = $2),
    case when private.is_sandbox($1) then
      case kind when 'lines' then 50000 when 'exceptions' then 5000 when 'records' then 5000
        when 'evidence_mib' then 100 else 50 end
    end);
end $function$;
CREATE OR REPLACE FUNCTION private.enforce_quota(tenant_id text, kind text, added bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  quota constant bigint := private.quota_of($1, $2);
begin
  if quota is null then
    return;
  end if;
  if kind in ('api_keys', 'webhooks', 'reconciliations', 'sources', 'members') then
    perform pg_advisory_xact_lock(hashtextextended('quota ' || $1 || ' ' || kind, 0));
  end if;
  if coalesce(private.used_of_quota($1, kind), 0) + added <= quota then
    return;
  elsif private.is_sandbox($1) then
    perform private.refuse_conflict('quota', format(
      'A sandbox can have at most %s %s. Reset it, or delete some.', quota,
      case kind when 'evidence_mib' then 'MiB of evidence' else replace(kind, '_', ' ') end));
  else
    perform private.refuse_conflict('quota',
      format(
        'A tenant can have at most %s %s (QUOTA_%s). %s, or ask your operator for a larger quota.',
      quota,
      case kind when 'api_keys' then 'active API keys' when 'exceptions' then 'open exceptions'
        when 'members' then 'members and open invitations'
        when 'evidence_mib' then 'MiB of evidence' else kind end,
      upper(kind),
      case kind when 'api_keys' then 'Revoke one' when 'exceptions' then 'Resolve or dismiss some'
        when 'webhooks' then 'Delete one'
        when 'members' then 'Remove a member, or revoke an invitation'
        when 'records' then 'Delete some: they count until they are purged' when 'lines'
          then 'Undo an import'
        when 'evidence_mib' then 'Remove files'
        else 'Use those you have' end));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.create_source(input jsonb)
 RETURNS public.sources
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  created public.sources;
begin
  perform private.require_quota('sources');
  insert into public.sources (name, kind, currency, time_zone, sign, mapping, grace_days)
  values (
    input ->> 'name', input ->> 'kind', input ->> 'currency',
    coalesce(input ->> 'time_zone', 'UTC'), coalesce(input ->> 'sign', 'as_is'),
    nullif(input -> 'mapping', 'null'), coalesce((input ->> 'grace_days')::smallint, 3)
  )
  returning * into created;
  perform private.record_security_event('source.created', created.id, null,
    private.source_facts(created));
  return created;
end $function$;
CREATE OR REPLACE FUNCTION public.create_source(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_source');
  created public.sources;
begin
  if replayed is not null then
    return replayed;
  end if;
  created := private.create_source(input);
  return private.finish_request(request,
    private.source_json(created) || jsonb_build_object('version', private.source_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION private.refuse_change_of_closed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- private.move_suggestions may: suggestions do not belong to what a period closed with.
  if tg_op = 'UPDATE' and current_setting('app.moves_suggestions', true) = 'on' then
    return null;
  end if;
  if exists (
    select from (
      select distinct c.tenant_id, c.reconciliation_id
      from changed c
      where tg_op <> 'DELETE' or tg_table_name <> 'matches' or to_jsonb(c) ->> 'state' = 'confirmed'
    ) x
    join public.reconciliations r on r.tenant_id = x.tenant_id and r.id = x.reconciliation_id
    where (r.closed_at is not null or r.status = 'archived')
      and not (tg_op = 'DELETE' and private.is_being_reset(r.tenant_id))
  ) then
    perform private.refuse_conflict('period_closed',
      'The period is closed or archived. Reopen a closed one first; an archived one does not change any more.');
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.guard_record_purge()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if (old.deleted_at is null or private.record_purge_at(old.deleted_at) > now())
    and not private.is_being_reset(old.tenant_id) then
    raise exception 'Record % may not be purged: it was not deleted 30 days ago.', old.id;
  end if;
  return old;
end $function$;
CREATE OR REPLACE FUNCTION private.roles_of_account(claims jsonb, tenant text)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  live constant text := private.live_tenant(tenant);
  roles constant jsonb := case jsonb_typeof(claims -> 'tenants')
    when 'object' then claims -> 'tenants' -> live
    when 'array' then case when claims -> 'tenants' ? live then coalesce(claims -> 'roles', '[]')
    end
  end;
begin
  return case when jsonb_typeof(roles) = 'array' then roles end;
end $function$;
CREATE OR REPLACE FUNCTION private.admit_member(tenant_id text, email text, roles text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  account auth.users;
begin
  if not exists (select from public.tenants t where t.id = $1) then
    perform private.refuse('not_found', format('There is no tenant %s.', $1));
  elsif private.is_sandbox($1) then
    perform private.refuse('not_found',
      format('%s is a sandbox. Admit people to its live tenant, %s.', $1, private.live_tenant($1)));
  end if;
  select * into account
  from auth.users u
  where u.id = (private.find_account($2)).id for no key update;
  if not found then
    perform private.refuse('not_found',
      format('Supabase Auth has no account with the address %s. Create it there first.', $2));
  end if;
  update auth.users u
  set raw_app_meta_data = private.claims_with_roles(u.raw_app_meta_data, $1, to_jsonb($3))
  where u.id = account.id;
  perform private.append_security_event(jsonb_build_object(
    'tenant_id', $1, 'type', 'member.admitted', 'actor', 'operator', 'credential', 'system',
    'target', 'user:' || private.account_name(account.email, account.id),
    'details', jsonb_build_object('roles', jsonb_build_object(
      'from', coalesce(private.roles_of_account(account.raw_app_meta_data, $1), '[]'), 'to',
      to_jsonb($3)))
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.change_account(id uuid, roles jsonb, versions jsonb, issuer text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  account auth.users;
  before jsonb;
  ended text[] := '{}';
begin
  perform private.require_live_tenant(
    'A sandbox has the people of its live tenant. Change their roles there.');
  perform pg_advisory_xact_lock(hashtextextended('members ' || tenant, 0));
  select * into account from auth.users u
  where u.id = $1 and u.deleted_at is null
    and private.roles_of_account(u.raw_app_meta_data, tenant) is not null for no key update;
  before := private.roles_of_account(account.raw_app_meta_data, tenant);
  if before is null then
    perform private.refuse_missing('member');
  end if;
  perform private.require_version(private.version_of(before), versions);
  if before ? 'tenant_admin' and not coalesce(roles ? 'tenant_admin', false) and not exists (
    select from private.accounts_of(tenant) u
    where u.id <> account.id and (u.banned_until is null or u.banned_until <= now())
      and private.roles_of_account(u.raw_app_meta_data, tenant) ? 'tenant_admin'
  ) then
    perform private.refuse_conflict('last_admin',
      'This is the tenant''s last admin. Make another member an admin first.');
  end if;
  update auth.users u
  set raw_app_meta_data = private.claims_with_roles(u.raw_app_meta_data, tenant, roles),
    updated_at = now()
  where u.id = account.id returning * into account;
  if roles is null and account.raw_app_meta_data -> 'tenants' = '{}' then
    with gone as (
      update private.sessions s set ended_at = now()
      where s.issuer = change_account.issuer and s.subject = account.id::text and s.ended_at is null
        returning s.id
    )
    select coalesce(array_agg(g.id), '{}') into ended from gone g;
  end if;
  return jsonb_build_object('name', private.account_name(account.email, account.id), 'before',
    before, 'ended', to_jsonb(ended));
end $function$;
CREATE OR REPLACE FUNCTION public.create_invitation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
      'This person is a member already. Change their roles instead.');
  end if;
  update public.invitations i set revoked_at = now(), revoked_by = private.actor()
  where i.tenant_id = private.tenant_id() and i.email = input ->> 'email' and i.accepted_at is null
    and i.revoked_at is null
    and i.expires_at <= now();
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
end $function$;
CREATE OR REPLACE FUNCTION private.begin_invitation_mail(tenant_id text, invitation_id text, token_hash text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i public.invitations;
begin
  select * into i from public.invitations x where x.tenant_id = $1 and x.id = $2 for no key update;
  if not found or private.invitation_status(i) <> 'pending' or private.is_sandbox($1) then
    return null;
  end if;
  delete from private.invitation_tokens t where t.tenant_id = $1 and t.invitation_id = $2;
  insert into private.invitation_tokens (token_hash, tenant_id, invitation_id) values ($3, $1, $2);
  return jsonb_build_object('email', i.email, 'tenant_name',
    (select t.name from public.tenants t where t.id = $1), 'invited_by', i.created_by,
    'roles', i.roles, 'expires_at', private.iso(i.expires_at));
end $function$;
CREATE OR REPLACE FUNCTION private.collect_alerts(batch integer DEFAULT 5000)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  looked_at integer;
begin
  -- Two concurrent calls would each create a bundle of the same alerts.
  perform pg_advisory_xact_lock(hashtextextended('gather_alerts', 0));
  with taken as materialized (
    select * from private.take_alert_events(batch)
  ), happened as materialized (
    select t.tenant_id, e.id as event_id, t.actor, private.alert_kind(e.type, e.data) as kind,
      e.data,
      coalesce(e.data #>> '{exception,id}', e.data #>> '{connection,source_id}',
        e.data ->> 'id') as subject
    from taken t join public.events e on e.tenant_id = t.tenant_id and e.id = t.event_id
  ), person as materialized (
    select t.tenant_id, u.id, 'user:' || private.account_name(u.email, u.id) as reference,
      r.roles ? 'tenant_admin' as is_admin,
      coalesce(s.exception_breached, 'mine') as breached,
      coalesce(s.exception_at_risk, 'off') as at_risk,
      coalesce(s.assigned, true) as assigned, coalesce(s.mentioned, true) as mentioned,
      coalesce(s.webhook_failing, true) as webhook_failing,
      coalesce(s.api_key_expiring, true) as api_key_expiring,
      coalesce(s.connection_failing, true) as connection_failing
    from (select distinct h.tenant_id from happened h) t
    cross join lateral private.accounts_of(t.tenant_id) u
    cross join lateral (
      select private.roles_of_account(u.raw_app_meta_data, t.tenant_id) as roles) r
    left join public.notification_settings s on s.tenant_id = t.tenant_id and s.subject = u.id::text
      and s.is_account
    -- No mail leaves a sandbox.
    where not private.is_sandbox(t.tenant_id)
      and u.email is not null and (u.banned_until is null or u.banned_until <= now())
      and r.roles ?| private.roles()
  ), mailed as (
    insert into private.alerts (tenant_id, recipient, kind, event_id, subject)
    select h.tenant_id, 'account:' || p.id, h.kind, h.event_id, h.subject
    from happened h join person p on p.tenant_id = h.tenant_id
    where case h.kind
      when 'exception_breached' then p.breached = 'all'
      or (p.breached = 'mine' and p.reference = h.data #>> '{exception,assigned_to}')
      when 'exception_at_risk' then p.at_risk = 'all'
      or (p.at_risk = 'mine' and p.reference = h.data #>> '{exception,assigned_to}')
      when 'assigned' then p.assigned and p.reference = h.data #>> '{exception,assigned_to}'
      and p.reference <> h.actor
      when 'mentioned' then p.mentioned and private.mentions(h.data) ? p.reference
      and p.reference <> h.actor
      when 'webhook_failing' then p.webhook_failing and p.is_admin
      when 'api_key_expiring' then p.api_key_expiring and p.is_admin
      when 'connection_failing' then p.connection_failing and p.is_admin
    end
    on conflict do nothing
  ), posted as (
    insert into private.alerts (tenant_id, recipient, kind, event_id, subject)
    select h.tenant_id, c.id, h.kind, h.event_id, h.subject
    from happened h
      join public.alert_channels c on c.tenant_id = h.tenant_id and c.deleted_at is null
        and h.kind = any (c.kinds)
    on conflict do nothing
  )
  select count(*) into looked_at from taken;
  perform private.bundle_alerts();
  return looked_at;
end $function$;
CREATE OR REPLACE FUNCTION private.open_alert_bundle(tenant_id text, bundle_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  b private.alert_bundles;
  addressed jsonb;
  lasting jsonb;
begin
  select * into b
  from private.alert_bundles x
  where x.tenant_id = $1 and x.id = $2 for no key update;
  if not found or b.settled_at is not null then
    return null;
  end if;
  if b.recipient like 'account:%' then
    select jsonb_build_object('email', u.email) into addressed from auth.users u
    where u.id = private.account_of_recipient(b.recipient) and u.deleted_at is null
      and not private.is_sandbox($1) and (u.banned_until is null or u.banned_until <= now())
      and private.roles_of_account(u.raw_app_meta_data, $1) ?| private.roles();
  else
    select jsonb_build_object('url_id', x.url_id, 'sealed', x.sealed) into addressed
    from public.alert_channels c
      join private.alert_channel_urls x on x.tenant_id = c.tenant_id and x.channel_id = c.id
    where c.tenant_id = $1 and c.id = b.recipient and c.deleted_at is null;
  end if;
  select jsonb_build_object('count', count(*), 'items',
    jsonb_agg(private.alert_line(a.alert) order by a.nth) filter (where a.nth <= 10)) into lasting
  from (select l as alert, row_number() over (order by l.event_id) as nth
    from private.lasting_alerts(b) l) a;
  if addressed is null or (lasting -> 'count')::integer = 0 then
    -- Nothing was sent, so the channel's last message stays as it was.
    update private.alert_bundles x set settled_at = now() where x.tenant_id = $1 and x.id = $2;
    return null;
  end if;
  return addressed || lasting || jsonb_build_object(
    'tenant_name', (select t.name from public.tenants t where t.id = $1), 'kind', b.kind,
    'recipient', b.recipient
  );
end $function$;
CREATE OR REPLACE FUNCTION public.create_sandbox(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_sandbox');
  sandbox constant text := private.tenant_id() || '.sandbox';
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_live_tenant('This is a sandbox already. Create one of a live tenant.');
  insert into public.tenants (id, name)
  select sandbox, t.name from public.tenants t where t.id = private.tenant_id()
  on conflict do nothing;
  if found then
    insert into public.sla_policies (tenant_id) values (sandbox);
    perform private.record_security_event('sandbox.created');
  end if;
  return private.finish_request(request,
    jsonb_build_object('tenant_id', sandbox, 'reconciliation_id', null));
end $function$;
CREATE OR REPLACE FUNCTION private.emptied_by_reset()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ARRAY['private.alert_events'::text, 'private.alerts'::text, 'private.alert_bundles'::text, 'public.webhook_attempts'::text, 'public.webhook_deliveries'::text, 'public.webhook_answer_times'::text, 'private.event_once'::text, 'public.events'::text, 'public.statement_evidence'::text, 'private.evidence_contents'::text, 'public.evidence'::text, 'public.entries'::text, 'public.entry_batches'::text, 'private.entry_batch_numbers'::text, 'public.entry_rules'::text, 'private.reopened_items'::text, 'public.statements'::text, 'public.period_signatures'::text, 'public.carried_lines'::text, 'public.closings'::text, 'private.period_workers'::text, 'private.closing_requests'::text, 'public.exclusions'::text, 'public.match_members'::text, 'private.decisions'::text, 'public.matches'::text, 'private.acts'::text, 'private.matched_counts'::text, 'private.run_changes'::text, 'private.held_back_reasons'::text, 'public.runs'::text, 'public.exception_comments'::text, 'public.exception_history'::text, 'public.exception_ledger'::text, 'private.exception_clocks'::text, 'private.exception_lines'::text, 'private.business_warnings'::text, 'public.exceptions'::text, 'private.sla_counts'::text, 'private.open_by_deadline'::text, 'private.open_by_assignee'::text, 'private.open_by_reconciliation'::text, 'private.exception_hours'::text, 'public.views'::text, 'public.connection_files'::text, 'private.missing_files'::text, 'private.connection_credentials'::text, 'public.connections'::text, 'public.source_balances'::text, 'private.import_chunks'::text, 'public.imports'::text, 'private.open_lines'::text, 'private.line_texts'::text, 'private.line_spans'::text, 'public.lines'::text, 'public.pair_rules'::text, 'public.reconciliations'::text, 'public.pairs'::text, 'public.sources'::text, 'public.records'::text, 'private.row_counts'::text, 'public.sla_policies'::text, 'private.calendar_spans'::text, 'private.calendar_coverage'::text, 'public.calendar_versions'::text, 'public.calendars'::text];
CREATE OR REPLACE FUNCTION private.lock_sandbox()
 RETURNS public.tenants
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  sandbox public.tenants;
begin
  select * into sandbox from public.tenants t
  where t.id = tenant and t.kind = 'sandbox' for no key update;
  if not found then
    perform private.refuse_conflict('tenant_kind',
      'Only a sandbox can be reset, and this tenant is live. Nothing was deleted.');
  end if;
  perform private.lock_sources_exclusively(tenant,
    array(select s.source_no from public.sources s where s.tenant_id = tenant));
  perform from public.pairs p where p.tenant_id = tenant order by p.pair_no for update;
  if exists (select from public.runs r where r.tenant_id = tenant and r.status = 'running')
    or exists (select from public.imports i
      where i.tenant_id = tenant and i.status in ('reading', 'undoing'))
    or exists (select from public.pairs p where p.tenant_id = tenant and p.opening is not null)
    or exists (select from private.closing_requests q
      where q.tenant_id = tenant and q.failure is null) then
    perform private.refuse_conflict('sandbox_busy',
      'A run, an import or a closing is at work in this sandbox. Send the call again when it is done.');
  end if;
  return sandbox;
end $function$;
CREATE OR REPLACE FUNCTION private.empty_sandbox(tenant text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  emptied text;
begin
  perform set_config('app.resets', tenant, true), set_config('app.writes_exceptions', 'on', true);
  foreach emptied in array private.emptied_by_reset() loop
    execute format('delete from %s x where x.tenant_id = $1 and private.is_being_reset($1)',
      emptied::regclass) using tenant;
  end loop;
  perform set_config('app.resets', '', true), set_config('app.writes_exceptions', '', true);
  insert into public.sla_policies (tenant_id) values (tenant);
  delete from private.idempotency_keys k
  where k.tenant_id = tenant and k.operation <> 'resetSandbox';
exception when foreign_key_violation or deadlock_detected then
  perform private.refuse_conflict('sandbox_busy',
    'Others were writing into this sandbox. Send the call again.');
end $function$;
CREATE OR REPLACE FUNCTION private.add_sample_source(source jsonb, month date)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  created constant public.sources := private.create_source(source - 'lines');
begin
  perform private.add_lines(created.source_no, (
    select jsonb_agg(l.line - 'day' || jsonb_build_object('currency', created.currency,
      'value_date', month + (l.line ->> 'day')::integer - 1) order by l.n)
    from jsonb_array_elements(source -> 'lines') with ordinality l (line, n)
  ));
  -- They would wait until the commit, and the next source would get them.
  delete from pg_temp.staged_lines;
  delete from pg_temp.repeated_lines;
  return created.id;
end $function$;
CREATE OR REPLACE FUNCTION private.load_sample_month(sample jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  month constant date := date_trunc('month', now() at time zone 'UTC') - interval '1 month';
  compared public.reconciliations;
begin
  compared := private.create_reconciliation(jsonb_build_object(
    'name', sample #>> '{name}', 'period_start', month,
    'period_end', (month + interval '1 month')::date - 1,
    'left_source_id', private.add_sample_source(sample #> '{sources,0}', month),
    'right_source_id', private.add_sample_source(sample #> '{sources,1}', month)));
  perform private.change_exceptions('create', array(
    select e - 'due_in_minutes' || jsonb_build_object('tenant_id', compared.tenant_id,
      'reconciliation_id', compared.id, 'created_at', now() - interval '2 days',
      'due_at', now() + make_interval(mins => (e ->> 'due_in_minutes')::integer))
    from jsonb_array_elements(sample -> 'exceptions') e
  ));
  perform private.record_security_event('sandbox.sample_loaded', compared.id);
  return compared.id;
end $function$;
CREATE OR REPLACE FUNCTION public.reset_sandbox(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET statement_timeout TO '30s'
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'reset_sandbox');
  sandbox public.tenants;
  reconciliation text;
begin
  if replayed is not null then
    return replayed;
  end if;
  sandbox := private.lock_sandbox();
  perform private.empty_sandbox(sandbox.id);
  perform private.record_security_event('sandbox.reset');
  if jsonb_typeof(input -> 'sample') = 'object' then
    reconciliation := private.load_sample_month(input -> 'sample');
  end if;
  return private.finish_request(request, jsonb_build_object('tenant_id', sandbox.id,
    'reconciliation_id', reconciliation));
end $function$;
grant execute on function private.is_sandbox(text) to anon;
grant execute on function private.is_sandbox(text) to authenticated;
grant execute on function private.own_sandbox() to anon;
grant execute on function private.own_sandbox() to authenticated;
grant execute on function public.create_sandbox(jsonb,jsonb) to authenticated;
grant execute on function public.reset_sandbox(jsonb,jsonb) to authenticated;
insert into private.permissions select ('(create:sandbox,{user},{tenant_admin},)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.permissions select ('(reset:sandbox,"{user,api_key,service_role}",{tenant_admin},write:reconciliations)'::private.permissions).* on conflict (permission) do update set principals = excluded.principals, roles = excluded.roles, scope = excluded.scope;
insert into private.operations select ('(create_sandbox,createSandbox,create:sandbox)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(reset_sandbox,resetSandbox,reset:sandbox)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
