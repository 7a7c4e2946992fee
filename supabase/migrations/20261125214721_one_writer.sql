-- Verbs write with their owner's rights, and no API role may write a table.

-- contracts: the functions that wrote by these are replaced with this migration
revoke insert, update, delete on
  public.alert_channels, public.api_keys, public.calendar_versions, public.calendars, public.exception_comments,
  public.first_steps_dismissals, public.invitations, public.notification_settings, public.reconciliations, public.records,
  public.sla_policies, public.sources, public.views, public.webhooks
from authenticated;

-- contracts: functions alone called them, which are replaced with this migration
revoke execute on function
  private.actor_issuer(), private.actor_subject(), private.merge_patch(jsonb,jsonb), private.new_id(text), private.record_mark(text,text),
  private.record_query(text,text,text), private.record_search(text,text,jsonb), private.record_words(text)
from anon;

-- contracts: functions alone called them, which are replaced with this migration
revoke execute on function
  private.actor_issuer(), private.actor_subject(), private.ask_for_runs_by_calendar(text), private.change_account(uuid,jsonb,jsonb,text),
  private.current_calendar_no(text,text), private.disable_webhook(text,text,text), private.drop_waiting_deliveries(text),
  private.emit_test(text,text,jsonb), private.enable_webhook(public.webhooks),
  private.end_invitation_link(text), private.exception_may_move(text,text), private.first_deadline(bigint,integer),
  private.forget_webhook_secrets(text), private.guard_period(public.reconciliations,public.reconciliations), private.has_namesake(text),
  private.hold_exception(text),
  private.impact_of(text[],timestamp with time zone[],timestamp with time zone[]), private.insert_api_key(jsonb,text),
  private.insert_exceptions(jsonb), private.is_member_address(text), private.keep_alert_channel_url(text,text,text),
  private.keep_webhook_secret(text,text,text,interval), private.line_of_period(text,text), private.lines_of_pair(integer,jsonb),
  private.lock_alert_channel(text,jsonb), private.lock_api_key(text), private.lock_invitation(text), private.lock_record(jsonb,jsonb),
  private.lock_usable_api_key(text), private.lock_webhook(text), private.matching_exceptions(jsonb,text,integer),
  private.merge_patch(jsonb,jsonb), private.minutes_to_resolve(public.sla_policies,text),
  private.move_deadlines(text[],text[],bigint[],timestamp with time zone[]),
  private.moved_deadlines(public.sla_policies,public.sla_policies), private.new_id(text), private.not_skipped(text[],jsonb),
  private.open_exceptions_of(text), private.patched_columns(public.exceptions,jsonb),
  private.pause_fault(public.exceptions,public.sla_policies), private.policy_calendar(public.sla_policies,text),
  private.policy_deadline(public.exceptions,integer,bigint), private.rearm_business_warnings(integer[]), private.rearm_clocks(),
  private.recalculated_deadlines(text,bigint), private.reconciliation_may_move(text,text), private.record_mark(text,text),
  private.record_query(text,text,text), private.record_search(text,text,jsonb), private.record_security_event(text,text,text,jsonb),
  private.record_words(text), private.requeue_deliveries(text,text[],text), private.require_active_webhook(public.webhooks),
  private.require_calendar(jsonb), private.require_calendars(public.sla_policies), private.require_expiry(timestamp with time zone),
  private.require_pause_end(timestamp with time zone,public.sla_policies), private.require_quota(text,bigint),
  private.require_readable_events(text[]), private.require_reconciliation(text), private.require_record_size(jsonb),
  private.require_room(integer,bigint,bigint), private.require_version(bigint,jsonb), private.revocation_json(public.api_keys),
  private.send_invitation(text), private.skipped_exceptions(text[],jsonb), private.trial_of(jsonb), private.unreadable_sent(text),
  private.without_names(jsonb,jsonb)
from authenticated;

-- contracts: functions alone called them, which are replaced with this migration
revoke execute on function
  private.actor_issuer(), private.actor_subject(), private.merge_patch(jsonb,jsonb), private.new_id(text),
  private.require_quota(text,bigint)
from service_role;

-- contracts: functions alone called them, which are replaced with this migration
drop function
  private.close_own_period(text), private.reopen_own_period(text,text), private.emit_own(text,jsonb,text), private.hold_pair_of_own(text),
  private.add_own_lines(integer,jsonb), private.ask_for_own_preparing(integer), private.ask_for_own_run(text,jsonb),
  private.ask_for_own_runs(integer), private.bin_record(text), private.change_own_exceptions(text,jsonb[]),
  private.decide_own_matches(text,uuid[],boolean), private.drop_own_import(text), private.end_own_sessions(text[]),
  private.exclude_own_line(text,text,text), private.hold_own_exceptions(text[]), private.hold_own_source(text,jsonb),
  private.include_own_line(text,text,text), private.keep_api_key_secret(text,text), private.keep_own_import_chunk(text,integer,bytea),
  private.known_own_lines(integer,jsonb), private.match_own_lines(text,jsonb,jsonb,text,text), private.open_own_import(integer,jsonb),
  private.open_own_pair(text,text), private.own_calendar(text), private.own_import(text), private.own_source(text),
  private.put_own_rules(text,jsonb,jsonb,boolean,jsonb,jsonb), private.queue_own_import(text,jsonb,bigint),
  private.queue_test_alert(text), private.require(text), private.require_own_adjustments(public.reconciliations,jsonb,numeric,text),
  private.require_to_write(), private.stage_own_lines(jsonb), private.start_own_business_time(bigint), private.take_back_own_act(text),
  private.unbin_record(text,text), private.undo_own_import(text);

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop policy webhooks_update on public.webhooks;
drop policy webhooks_insert on public.webhooks;
drop policy views_update on public.views;
drop policy views_insert on public.views;
drop policy views_delete on public.views;
drop policy sources_update on public.sources;
drop policy sources_insert on public.sources;
drop policy sla_policies_update on public.sla_policies;
drop policy records_update on public.records;
drop policy records_insert on public.records;
drop policy reconciliations_update on public.reconciliations;
drop policy reconciliations_insert on public.reconciliations;
drop policy notification_settings_update on public.notification_settings;
drop policy notification_settings_insert on public.notification_settings;
drop policy invitations_update on public.invitations;
drop policy invitations_insert on public.invitations;
drop policy first_steps_dismissals_insert on public.first_steps_dismissals;
drop policy first_steps_dismissals_delete on public.first_steps_dismissals;
drop policy exception_comments_insert on public.exception_comments;
drop policy calendars_update on public.calendars;
drop policy calendars_insert on public.calendars;
drop policy calendar_versions_insert on public.calendar_versions;
drop policy api_keys_update on public.api_keys;
drop policy api_keys_insert on public.api_keys;
drop policy alert_channels_update on public.alert_channels;
drop policy alert_channels_insert on public.alert_channels;
CREATE OR REPLACE FUNCTION private.require_readable_events(kinds text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  unreadable constant text := (select min(k) from unnest(kinds) k where k <> all (private.readable_events()));
  scope constant text := (
    select p.scope from private.event_kinds k join private.permissions p on p.permission = k.permission where k.kind = unreadable
  );
begin
  if unreadable is null then
    return;
  elsif private.principal_type() = 'api_key' and scope is not null then
    perform private.refuse('scope_required', format('To be sent %s, an API key needs the scope %s.', unreadable, scope));
  end if;
  perform private.refuse('role_required',
    format('This credential may not read what %s carries. Leave it out, or ask a tenant admin to register for it.', unreadable));
end $function$;
CREATE OR REPLACE FUNCTION private.require_quota(kind text, added bigint DEFAULT 1)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.hold_to_quota(private.tenant_id(), kind, added);
end $function$;
CREATE OR REPLACE FUNCTION private.guard_period(after public.reconciliations, before public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := after.tenant_id;
begin
  if (after.matched_count, after.unmatched_count) is distinct from (0::bigint, 0::bigint) then
    perform private.refuse('conflict', 'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
  elsif before.closed_at is not null and after.closed_at is not null
    and (after.name, after.period_start, after.period_end, after.left_source, after.right_source) is distinct from
      (before.name, before.period_start, before.period_end, before.left_source, before.right_source) then
    perform private.refuse('conflict', 'The period is closed. Reopen it first.');
  elsif after.status = 'completed' and after.closed_at is null then
    perform private.refuse('conflict', 'This reconciliation is completed by closing it: POST to its /close.');
  elsif after.closed_at is not null and after.status not in ('completed', 'archived') then
    perform private.refuse('conflict', 'The period is closed. Reopen it by POST to its /reopen.');
  end if;
  if before.id is not null then
    perform private.require_not_closing(tenant, after.pair_no, after.id);
  end if;
  if before.id is not null and (after.period_start, after.period_end) = (before.period_start, before.period_end) then
    return;
  end if;
  if not exists (
    select from public.pairs p
    join public.sources l on l.tenant_id = p.tenant_id and l.source_no = p.left_source_no and l.id = after.left_source_id
    join public.sources r on r.tenant_id = p.tenant_id and r.source_no = p.right_source_no and r.id = after.right_source_id
    where p.tenant_id = tenant and p.pair_no = after.pair_no
  ) then
    perform private.refuse_field('left_source_id', 'These are not the sources of this pair. Create the reconciliation by POST /v1/reconciliations.');
  end if;
  perform private.hold_pair(tenant, after.pair_no);
  if before.id is not null and (
    exists (select from public.matches m where m.tenant_id = tenant and m.reconciliation_id = after.id)
    or exists (select from public.exclusions x where x.tenant_id = tenant and x.reconciliation_id = after.id)
  ) then
    perform private.refuse('conflict', 'The period has matches or excluded lines, and keeps its dates.');
  elsif exists (
    select from public.reconciliations r
    where r.tenant_id = tenant and r.pair_no = after.pair_no and r.id <> after.id
      and r.period_start <= after.period_end and r.period_end >= after.period_start
  ) then
    perform private.refuse('conflict', 'Another reconciliation of these two sources covers some of these days. Periods of a pair may not overlap.');
  elsif exists (
    select from public.reconciliations r
    where r.tenant_id = tenant and r.pair_no = after.pair_no and r.id <> after.id and r.closed_at is not null
      and r.period_start > after.period_end
  ) then
    perform private.refuse('conflict', 'A later period of these two sources is closed, and carried forward what was open of these days. '
      'Choose days after it, or reopen it first.');
  end if;
  perform private.require_not_closing(tenant, r.pair_no, r.id) from public.reconciliations r
  where r.tenant_id = tenant and r.pair_no = after.pair_no and r.id <> after.id and r.period_start > after.period_end;
end $function$;
CREATE OR REPLACE FUNCTION public.create_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_reconciliation');
  pair integer;
  is_open boolean;
  created public.reconciliations;
begin
  if kept is not null then
    return kept;
  end if;
  if input ->> 'left_source_id' is not null then
    if input ? 'matched_count' or input ? 'unmatched_count' then
      perform private.refuse('conflict', 'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
    end if;
    select o.pair_no, o.is_open into pair, is_open from private.open_pair(input ->> 'left_source_id', input ->> 'right_source_id') o;
  end if;
  insert into public.reconciliations (name, status, period_start, period_end, left_source, right_source, matched_count, unmatched_count, pair_no,
    left_source_id, right_source_id, auto_run)
  values (
    input ->> 'name', coalesce(input ->> 'status', 'open'), (input ->> 'period_start')::date, (input ->> 'period_end')::date,
    coalesce(input ->> 'left_source', (select s.name from public.sources s where s.tenant_id = private.tenant_id() and s.id = input ->> 'left_source_id')),
    coalesce(input ->> 'right_source', (select s.name from public.sources s where s.tenant_id = private.tenant_id() and s.id = input ->> 'right_source_id')),
    coalesce((input ->> 'matched_count')::bigint, 0), coalesce((input ->> 'unmatched_count')::bigint, 0), pair,
    input ->> 'left_source_id', input ->> 'right_source_id', coalesce((input ->> 'auto_run')::boolean, true)
  )
  returning * into created;
  if is_open then
    perform private.ask_for_runs(private.tenant_id(), pair);
  elsif pair is not null then
    perform private.queue_preparing(private.tenant_id(), pair, interval '0');
  end if;
  return private.answer(request, private.reconciliation_json(created) || jsonb_build_object('version', private.reconciliation_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION public.update_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_reconciliation');
  before public.reconciliations;
  after public.reconciliations;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.hold_pair_of(input ->> 'id');
  select * into before from public.reconciliations x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('reconciliation');
  end if;
  perform private.require_version(private.reconciliation_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  if after is distinct from before then
    update public.reconciliations x set
      name = after.name, status = after.status, period_start = after.period_start, period_end = after.period_end,
      left_source = after.left_source, right_source = after.right_source,
      matched_count = after.matched_count, unmatched_count = after.unmatched_count, auto_run = after.auto_run
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into after;
  end if;
  return private.answer(request, private.reconciliation_json(after) || jsonb_build_object('version', private.reconciliation_version(after)));
end $function$;
CREATE OR REPLACE FUNCTION private.find_source(id text)
 RETURNS public.sources
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  s public.sources;
begin
  select * into s from public.sources x where x.tenant_id = private.tenant_id() and x.id = $1;
  if not found then
    perform private.refuse_missing('source');
  end if;
  return s;
end $function$;
CREATE OR REPLACE FUNCTION public.create_source(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_source');
  created public.sources;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_quota('sources');
  insert into public.sources (name, kind, currency, time_zone, sign, mapping, grace_days)
  values (
    input ->> 'name', input ->> 'kind', input ->> 'currency', coalesce(input ->> 'time_zone', 'UTC'), coalesce(input ->> 'sign', 'as_is'),
    nullif(input -> 'mapping', 'null'), coalesce((input ->> 'grace_days')::smallint, 3)
  )
  returning * into created;
  return private.answer(request, private.source_json(created) || jsonb_build_object('version', private.source_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION public.get_source(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  s public.sources;
begin
  perform private.enter(request, 'get_source');
  s := private.find_source(input ->> 'id');
  return private.source_json(s) || jsonb_build_object('version', private.source_version(s));
end $function$;
CREATE OR REPLACE FUNCTION public.update_source(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_source');
  before public.sources;
  after public.sources;
begin
  if kept is not null then
    return kept;
  end if;
  -- Alone where its currency or sign is to change, by which its lines are read.
  perform private.hold_sources_alone(s.tenant_id, array[s.source_no]) from public.sources s
  where s.tenant_id = private.tenant_id() and s.id = input ->> 'id'
    and (coalesce(input #>> '{patch,currency}', s.currency), coalesce(input #>> '{patch,sign}', s.sign)) <> (s.currency, s.sign);
  select * into before from public.sources x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('source');
  end if;
  perform private.require_version(private.source_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  after.mapping := nullif(after.mapping, 'null');
  if after is distinct from before then
    update public.sources x set
      name = after.name, kind = after.kind, currency = after.currency, time_zone = after.time_zone, sign = after.sign,
      mapping = after.mapping, grace_days = after.grace_days
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into after;
  end if;
  return private.answer(request, private.source_json(after) || jsonb_build_object('version', private.source_version(after)));
end $function$;
CREATE OR REPLACE FUNCTION private.stage_lines_of(lines jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.stage_lines();
  insert into pg_temp.staged_lines (
    position, external_id, amount_minor, fee_minor, currency, value_date, booked_date, reference, counterparty, description, group_key, details
  )
  select l.n - 1, l.line ->> 'external_id', (l.line ->> 'amount_minor')::bigint, (l.line ->> 'fee_minor')::bigint, l.line ->> 'currency', (l.line ->> 'value_date')::date,
    (l.line ->> 'booked_date')::date, l.line ->> 'reference', l.line ->> 'counterparty', l.line ->> 'description', l.line ->> 'group_key',
    nullif(l.line -> 'details', 'null')
  from jsonb_array_elements(lines) with ordinality l (line, n);
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
  kept := private.keep_staged_lines(private.tenant_id(), source_no, null);
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
CREATE OR REPLACE FUNCTION private.known_lines(source_no integer, lines jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  known jsonb;
begin
  perform private.stage_lines_of(lines);
  select coalesce(jsonb_agg(l.position order by l.position), '[]') into known
  from public.sources s cross join (
    select x.position, x.key, x.external_id, row_number() over (partition by x.key order by x.position)::integer as nth from pg_temp.staged_lines x
  ) l
  where s.tenant_id = private.tenant_id() and s.source_no = known_lines.source_no and (
    l.external_id is not null and l.nth > 1 or exists (
      select from public.lines k where k.tenant_id = s.tenant_id
        and k.id = private.line_identity(s.id, l.key, case when l.external_id is null then l.nth else 0 end)
    )
  );
  delete from pg_temp.staged_lines;
  return known;
end $function$;
CREATE OR REPLACE FUNCTION public.add_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'add_lines');
  s public.sources;
  added jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  s := private.find_source(input ->> 'source_id');
  added := private.add_lines(s.source_no, (
    select jsonb_agg(jsonb_build_object('currency', s.currency) || l.line order by l.n)
    from jsonb_array_elements(input -> 'lines') with ordinality l (line, n)
  ));
  return private.answer(request, jsonb_build_object(
    'accepted_count', added -> 'accepted', 'duplicate_count', added -> 'duplicates', 'items', added -> 'items'
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.list_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  r public.reconciliations;
  source_nos integer[];
  items jsonb;
begin
  perform private.enter(request, 'list_lines');
  if input ->> 'source_id' is not null then
    perform private.find_source(input ->> 'source_id');
  end if;
  if input ->> 'reconciliation_id' is not null then
    select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = input ->> 'reconciliation_id';
    if not found then
      perform private.refuse_missing('reconciliation');
    end if;
  end if;
  source_nos := array(
    select s.source_no
    from public.sources s
    left join public.pairs p on p.tenant_id = tenant and p.pair_no = r.pair_no
    where s.tenant_id = tenant
      and (input ->> 'source_id' is null or s.id = input ->> 'source_id')
      and (r.id is null or s.source_no in (p.left_source_no, p.right_source_no))
      and (input ->> 'side' is null or s.source_no = case input ->> 'side' when 'left' then p.left_source_no else p.right_source_no end)
  );
  select jsonb_agg(private.line_json(l, s.id, r.pair_no) || private.line_in_closed(l, r) order by f.n) into items
  from private.own_lines(r, input, source_nos, page_size + 1) f
  cross join lateral (select * from public.lines y where y.tenant_id = tenant and y.line_no = f.line_no offset 0) l
  join public.sources s on s.tenant_id = tenant and s.source_no = l.source_no;
  return private.page(items, page_size, 'value_date', 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.require_room(files integer, bytes bigint, database_max_bytes bigint)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  waiting record;
begin
  select count(*) as files, coalesce(sum(greatest(i.bytes_total, i.bytes_read)), 0) as bytes into waiting
  from public.imports i where i.tenant_id = private.tenant_id() and i.status in ('receiving', 'queued', 'reading');
  if waiting.files + require_room.files > 20 or waiting.bytes + require_room.bytes > 4294967296 then
    perform private.refuse('conflict', 'At most 20 imports of 4 GiB in all can wait or be read at a time. Wait until one is done, and upload the file again.');
  end if;
  if pg_database_size(current_database()) + 10 * (waiting.bytes + require_room.bytes) > database_max_bytes then
    perform private.refuse('unavailable', 'There is not enough disk space for this file. Nothing of it was kept.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.open_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  s public.sources;
  opened text;
begin
  perform private.enter(request, 'open_import');
  s := private.find_source(input ->> 'source_id');
  if not coalesce((input ->> 'preview')::boolean, false) then
    perform private.require_room(1, coalesce((input ->> 'bytes')::bigint, 0), (input ->> 'database_max_bytes')::bigint);
    insert into public.imports (tenant_id, source_no, format, file_name, bytes_total)
    values (s.tenant_id, s.source_no, input ->> 'format', input ->> 'file_name', coalesce((input ->> 'bytes')::bigint, 0))
    returning id into opened;
  end if;
  return jsonb_build_object(
    'id', opened,
    'source', jsonb_build_object('currency', s.currency, 'time_zone', s.time_zone, 'mapping', s.mapping)
  );
end $function$;
CREATE OR REPLACE FUNCTION public.keep_import_chunk(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  part bytea;
begin
  perform private.enter(request, 'keep_import_chunk');
  -- Its length may have been said by nobody.
  if (input ->> 'seq')::integer % 64 = 63 then
    perform private.require_room(0, 0, (input ->> 'database_max_bytes')::bigint);
  end if;
  part := decode(input ->> 'bytes', 'base64');
  update public.imports i set bytes_read = i.bytes_read + octet_length(part)
  where i.tenant_id = private.tenant_id() and i.id = input ->> 'id' and i.status = 'receiving';
  if not found then
    perform private.refuse_missing('import');
  end if;
  insert into private.import_chunks (tenant_id, import_id, seq, bytes)
  values (private.tenant_id(), input ->> 'id', (input ->> 'seq')::integer, part)
  on conflict on constraint import_chunks_pkey do nothing;
  return '{}';
end $function$;
CREATE OR REPLACE FUNCTION private.queue_import(import_id text, mapping jsonb, bytes bigint)
 RETURNS public.imports
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  queued public.imports;
begin
  update public.imports i set status = 'queued', mapping = queue_import.mapping, bytes_total = bytes, bytes_read = 0
  where i.tenant_id = private.tenant_id() and i.id = $1 and i.status = 'receiving'
  returning * into queued;
  if not found then
    perform private.refuse_missing('import');
  end if;
  -- One file of a source at a time: two with the same lines would wait for each other.
  perform graphile_worker.add_job(
    'read_import', private.of_request(jsonb_build_object('tenant_id', queued.tenant_id, 'import_id', queued.id)),
    queue_name => 'source:' || queued.tenant_id || ':' || queued.source_no, max_attempts => 6, flags => private.places_of(queued.tenant_id, 'lines')
  );
  return queued;
end $function$;
CREATE OR REPLACE FUNCTION private.drop_received(import_id text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from public.imports i where i.tenant_id = private.tenant_id() and i.id = $1 and i.status = 'receiving';
end $function$;
CREATE OR REPLACE FUNCTION public.create_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_import');
begin
  if kept is not null then
    perform private.drop_received(input ->> 'id');
    return kept;
  end if;
  return private.answer(request, private.import_json(
    private.queue_import(input ->> 'id', nullif(input -> 'mapping', 'null'), (input ->> 'bytes')::bigint)
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.drop_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, 'drop_import');
  perform private.drop_received(input ->> 'id');
  return '{}';
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
    'positions', private.known_lines((private.find_source(input ->> 'source_id')).source_no, input -> 'lines')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.find_import(id text)
 RETURNS public.imports
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  i public.imports;
begin
  select * into i from public.imports x where x.tenant_id = private.tenant_id() and x.id = $1 and x.status <> 'receiving';
  if not found then
    perform private.refuse_missing('import');
  end if;
  return i;
end $function$;
CREATE OR REPLACE FUNCTION public.get_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, 'get_import');
  return private.import_json(private.find_import(input ->> 'id'));
end $function$;
CREATE OR REPLACE FUNCTION public.list_imports(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  wanted integer;
  items jsonb;
begin
  perform private.enter(request, 'list_imports');
  if input ->> 'source_id' is not null then
    wanted := (private.find_source(input ->> 'source_id')).source_no;
  end if;
  select jsonb_agg(private.import_json(i) order by i.id desc) into items
  from (
    select * from public.imports x
    where x.tenant_id = private.tenant_id() and x.status <> 'receiving'
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (wanted is null or x.source_no = wanted)
      and (input ->> 'status' is null or x.status = input ->> 'status')
    order by x.id desc
    limit page_size + 1
  ) i;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.begin_undoing(import_id text)
 RETURNS public.imports
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  i public.imports;
begin
  select * into i from public.imports x where x.tenant_id = private.tenant_id() and x.id = $1 and x.status <> 'receiving' for update;
  if not found then
    perform private.refuse_missing('import');
  end if;
  if i.status in ('queued', 'reading') then
    update public.imports x set status = 'undone', undone_at = now(), undone_by = private.actor(), finished_at = now()
    where x.tenant_id = i.tenant_id and x.id = i.id
    returning * into i;
    delete from private.import_chunks c where c.tenant_id = i.tenant_id and c.import_id = i.id;
    return i;
  elsif i.status = 'done' and i.accepted_count <= private.lines_at_once() then
    return private.remove_import(i.tenant_id, i.id, private.actor());
  elsif i.status = 'done' then
    perform private.require_undoable(i.tenant_id, i.source_no, private.line_nos_of_import(i.tenant_id, i.id));
    update public.imports x set status = 'undoing', undone_by = private.actor() where x.tenant_id = i.tenant_id and x.id = i.id
    returning * into i;
    perform graphile_worker.add_job(
      'undo_import', private.of_request(jsonb_build_object('tenant_id', i.tenant_id, 'import_id', i.id)),
      queue_name => 'source:' || i.tenant_id || ':' || i.source_no, max_attempts => 6, flags => private.places_of(i.tenant_id, 'lines')
    );
    return i;
  end if;
  perform private.refuse('conflict', case i.status
    when 'failed' then 'This import failed, and nothing of it was kept: there is nothing to undo.'
    else 'This import is undone already.'
  end);
end $function$;
CREATE OR REPLACE FUNCTION public.undo_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'undo_import');
begin
  if kept is not null then
    return kept;
  end if;
  return private.answer(request, private.import_json(private.begin_undoing(input ->> 'id')));
end $function$;
CREATE OR REPLACE FUNCTION private.open_pair(left_source_id text, right_source_id text, OUT pair_no integer, OUT is_open boolean)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  left_no integer;
  right_no integer;
  stand_still boolean;
  pair public.pairs;
begin
  select s.source_no into left_no from public.sources s where s.tenant_id = tenant and s.id = $1;
  select s.source_no into right_no from public.sources s where s.tenant_id = tenant and s.id = $2;
  if left_no is null then
    perform private.refuse_field('left_source_id', 'There is no such source.');
  elsif right_no is null then
    perform private.refuse_field('right_source_id', 'There is no such source.');
  elsif left_no = right_no then
    perform private.refuse_field('right_source_id', 'Name two sources: a source is not compared with itself.');
  end if;
  stand_still := private.try_sources_alone(tenant, array[left_no, right_no]);
  -- None is made but for a reconciliation.
  perform private.require_quota('reconciliations');
  insert into public.pairs (tenant_id, left_source_no, right_source_no, opening) values (tenant, left_no, right_no, '{}')
  on conflict (tenant_id, left_source_no, right_source_no) do nothing
  returning * into pair;
  if not found then
    select * into strict pair from public.pairs p where p.tenant_id = tenant and p.left_source_no = left_no and p.right_source_no = right_no;
    is_open := stand_still and pair.opening is null;
  elsif stand_still then
    is_open := private.open_earlier_lines(pair, 1000);
  else
    is_open := false;
  end if;
  pair_no := pair.pair_no;
end $function$;
CREATE OR REPLACE FUNCTION private.hold_pair_of(reconciliation text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.hold_pair(r.tenant_id, r.pair_no) from public.reconciliations r
  where r.tenant_id = private.tenant_id() and r.id = reconciliation and r.pair_no is not null;
end $function$;
CREATE OR REPLACE FUNCTION private.change_matches(action text, ids uuid[], seen boolean DEFAULT true)
 RETURNS SETOF public.matches
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  who constant text := private.actor();
  wanted constant text := case action when 'undo' then 'confirmed' else 'suggested' end;
  touched record;
  refused jsonb;
begin
  for touched in
    select m.pair_no, array_agg(distinct m.reconciliation_id) as periods from public.matches m
    where m.tenant_id = tenant and m.id = any (ids) group by m.pair_no order by m.pair_no
  loop
    perform private.hold_period(tenant, p.id) from unnest(touched.periods) as p (id);
  end loop;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such match.') order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n) left join public.matches m on m.tenant_id = tenant and m.id = i.id where m.id is null;
  if refused is not null then
    perform private.refuse('not_found', 'There is no such match.', refused);
  end if;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1),
    'message', format('This match is %s: only one that is %s can be %s.', m.state, wanted,
      case action when 'undo' then 'undone' when 'confirm' then 'confirmed' else 'rejected' end)) order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n) join public.matches m on m.tenant_id = tenant and m.id = i.id where m.state <> wanted;
  if refused is not null then
    perform private.refuse('invalid_transition', format('Only a match that is %s can be %s. Nothing was changed.', wanted,
      case action when 'undo' then 'undone' when 'confirm' then 'confirmed' else 'rejected' end), refused);
  end if;
  for touched in
    select m.pair_no, array_agg(m.id order by m.id) as ids from public.matches m
    where m.tenant_id = tenant and m.id = any (change_matches.ids) group by m.pair_no order by m.pair_no
  loop
    case action
      when 'confirm' then perform private.confirm_matches(tenant, touched.pair_no, touched.ids, who);
      when 'reject' then perform private.reject_matches(tenant, touched.ids, who);
      when 'undo' then perform private.undo_matches(tenant, touched.ids, who);
    end case;
  end loop;
  if not seen then
    update private.decisions d set score = null where d.tenant_id = tenant and d.match_id = any (change_matches.ids);
  end if;
  if action <> 'undo' then
    perform private.remember_act(action, change_matches.ids);
  end if;
  perform private.record_decided_matches(action, change_matches.ids, jsonb_build_object('by_filter', not seen));
  return query
  select m.* from unnest(ids) with ordinality as i (id, n) join public.matches m on m.tenant_id = tenant and m.id = i.id order by i.n;
end $function$;
CREATE OR REPLACE FUNCTION public.confirm_match(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'confirm_match');
  m public.matches;
begin
  if kept is not null then
    return kept;
  end if;
  m := private.find_match(input ->> 'id');
  select * into m from private.change_matches('confirm', array[m.id]);
  return private.answer(request, private.match_json(m));
end $function$;
CREATE OR REPLACE FUNCTION public.reject_match(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'reject_match');
  m public.matches;
begin
  if kept is not null then
    return kept;
  end if;
  m := private.find_match(input ->> 'id');
  select * into m from private.change_matches('reject', array[m.id]);
  return private.answer(request, private.match_json(m));
end $function$;
CREATE OR REPLACE FUNCTION public.undo_match(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'undo_match');
  m public.matches;
begin
  if kept is not null then
    return kept;
  end if;
  m := private.find_match(input ->> 'id');
  select * into m from private.change_matches('undo', array[m.id]);
  return private.answer(request, private.match_json(m));
end $function$;
CREATE OR REPLACE FUNCTION public.decide_matches(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'decide_matches');
  tenant constant text := private.tenant_id();
  action constant text := input ->> 'action';
  filter constant jsonb := nullif(input -> 'filter', 'null');
  found_ids uuid[];
  missing jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  if action = 'undo' and not private.may('write:reconciliations') then
    perform private.refuse('role_required', 'This credential may confirm and reject suggestions, and not undo matches.');
  end if;
  if filter is null then
    select array_agg(private.match_id(i.id) order by i.n),
      jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such match.') order by i.n)
        filter (where private.match_id(i.id) is null)
    into found_ids, missing
    from jsonb_array_elements_text(input -> 'ids') with ordinality as i (id, n);
    if missing is not null then
      perform private.refuse('not_found', 'There is no such match.', missing);
    end if;
  else
    perform private.find_period(filter ->> 'reconciliation_id');
    select coalesce(array_agg(m.id order by m.id), '{}') into found_ids
    from (
      select x.id from public.matches x
      where x.tenant_id = tenant and x.reconciliation_id = filter ->> 'reconciliation_id'
        and x.state = case action when 'undo' then 'confirmed' else 'suggested' end
        and (filter ->> 'method' is null or x.method = filter ->> 'method')
        and (filter ->> 'shape' is null or x.shape = filter ->> 'shape')
        and (filter ->> 'run_id' is null or x.run_id = filter ->> 'run_id')
        and (filter ->> 'score_from' is null or x.score >= private.score(filter ->> 'score_from'))
        and (filter ->> 'score_below' is null or x.score < private.score(filter ->> 'score_below'))
      order by x.id limit 5001
    ) m;
    if cardinality(found_ids) > 5000 then
      perform private.refuse_field('filter', 'The filter finds more than 5,000 matches. Narrow it.');
    elsif cardinality(found_ids) <> (input ->> 'expected_count')::integer then
      perform private.refuse('conflict', format('The filter finds %s matches, not %s. Look at them again. Nothing was changed.',
        cardinality(found_ids), input ->> 'expected_count'));
    end if;
  end if;
  return private.answer(request, (
    select jsonb_build_object('count', count(*), 'items', coalesce(jsonb_agg(private.match_json(m) order by d.ordinality) filter (where d.ordinality <= 500), '[]'))
    from private.change_matches(action, found_ids, filter is null) with ordinality d
    join public.matches m on m.tenant_id = d.tenant_id and m.id = d.id
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.lines_of_pair(pair integer, ids jsonb)
 RETURNS TABLE(n bigint, line_no bigint, side text, currency text, open_minor bigint, value_date date)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  missing jsonb;
begin
  select jsonb_agg(jsonb_build_object('path', 'line_ids.' || (i.n - 1), 'message', 'There is no such line in the two sources.') order by i.n) into missing
  from jsonb_array_elements_text(ids) with ordinality as i (id, n)
  where not exists (
    select from public.lines l join public.sources s on s.tenant_id = l.tenant_id and s.source_no = l.source_no
    join public.pairs p on p.tenant_id = s.tenant_id and p.pair_no = pair and s.source_no in (p.left_source_no, p.right_source_no)
    where l.tenant_id = tenant and l.id = private.line_id(i.id)
  );
  if missing is not null then
    perform private.refuse('invalid_request', 'The request is not valid: see errors for each place.', missing);
  end if;
  return query
  select i.n, l.line_no, case l.source_no when p.left_source_no then 'left' else 'right' end, l.currency, coalesce(o.open_minor, 0), l.value_date
  from jsonb_array_elements_text(ids) with ordinality as i (id, n)
  join public.lines l on l.tenant_id = tenant and l.id = private.line_id(i.id)
  join public.pairs p on p.tenant_id = tenant and p.pair_no = pair
  left join private.open_lines o on o.tenant_id = tenant and o.pair_no = pair and o.line_no = l.line_no
  order by i.n;
end $function$;
CREATE OR REPLACE FUNCTION private.require_adjustable(r public.reconciliations, adjustments jsonb, larger numeric, currency text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  adjusted constant numeric := (select coalesce(sum(abs((a ->> 'amount_minor')::numeric)), 0) from jsonb_array_elements(coalesce($2, '[]')) a);
  most numeric;
begin
  if private.principal_type() = 'user' then
    return;
  elsif adjustments @> '[{"kind": "write_off"}]' then
    perform private.refuse('role_required', 'A write-off is a person''s to decide: sign in as tenant_admin or tenant_lead.');
  end if;
  most := private.tolerance_of_pair(r.tenant_id, r.pair_no, larger);
  if adjusted > most then
    perform private.refuse('role_required', format('An API key can adjust at most %s in minor units of %s here, by the tolerance of the rules, not %s. '
      'Leave the difference open with split_line_id, or have a tenant_admin or tenant_lead match these lines.', most, currency, adjusted));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.match_by_hand(period text, line_ids jsonb, adjustments jsonb, note text, split text)
 RETURNS public.matches
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  bad jsonb;
  asked record;
  made public.matches;
  difference bigint;
  explained jsonb := coalesce(match_by_hand.adjustments, '[]');
  split_no bigint;
  split_side text;
  split_open bigint;
  -- What the match takes of the split line: all that is open, less the difference.
  split_minor bigint;
  -- What it takes of each side.
  left_taken numeric;
  right_taken numeric;
  amount numeric;
begin
  r := private.hold_period(tenant, period);
  select jsonb_agg(jsonb_build_object('path', 'line_ids.' || (l.n - 1), 'message', case
      when o.line_no is null then 'This line is matched or excluded already.'
      else format('This line is dated after the period, which ends on %s.', r.period_end) end) order by l.n) into bad
  from private.lines_of_pair(r.pair_no, match_by_hand.line_ids) l
  left join private.open_lines o on o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = l.line_no
  where o.line_no is null or l.value_date > r.period_end;
  if bad is not null then
    perform private.refuse('conflict', 'Not all of these lines are open in the period. Nothing was changed.', bad);
  end if;
  select count(*) filter (where l.side = 'left') as lefts, count(*) filter (where l.side = 'right') as rights, count(distinct l.currency) as currencies,
    min(l.currency) as currency, coalesce(sum(l.open_minor) filter (where l.side = 'left'), 0) as left_minor,
    coalesce(sum(l.open_minor) filter (where l.side = 'right'), 0) as right_minor,
    sum(greatest(l.open_minor, 0)) as positive_minor, sum(case l.side when 'left' then 1 else -1 end * private.fee_of_whole(x, l.open_minor)) as fees
  into asked
  from private.lines_of_pair(r.pair_no, match_by_hand.line_ids) l join public.lines x on x.tenant_id = tenant and x.line_no = l.line_no;
  if asked.currencies > 1 then
    perform private.refuse_field('line_ids', 'All lines of a match need one currency.');
  end if;
  select asked.left_minor - asked.right_minor - coalesce(sum((a ->> 'amount_minor')::bigint), 0) into difference
  from jsonb_array_elements(coalesce(match_by_hand.adjustments, '[]')) a;
  if split is not null then
    select l.line_no, l.side, l.open_minor, l.open_minor - case l.side when 'left' then difference else -difference end
    into split_no, split_side, split_open, split_minor
    from private.lines_of_pair(r.pair_no, match_by_hand.line_ids) l
    join public.lines x on x.tenant_id = tenant and x.line_no = l.line_no and x.id = private.line_id(split);
    if not found then
      perform private.refuse_field('split_line_id', 'Name one of line_ids.');
    elsif asked.lefts = 0 or asked.rights = 0 then
      perform private.refuse_field('split_line_id', 'Only a match of both sides can leave part of a line open.');
    elsif difference = 0 or sign(split_minor) <> sign(split_open) or abs(split_minor) >= abs(split_open) then
      perform private.refuse_field('split_line_id', format(
        'Left − right is %s in minor units of %s, which is no part of this line. Choose the larger line.', difference, asked.currency));
    end if;
  elsif difference <> 0 and difference = asked.fees then
    explained := explained || jsonb_build_object('kind', 'fee', 'amount_minor', asked.fees, 'note', null);
  elsif difference <> 0 then
    perform private.refuse_field('adjustments', format(
      'Left is %s and right is %s in minor units of %s: %s is not explained. Add adjustments of %s, or choose other lines.',
      asked.left_minor, asked.right_minor, asked.currency, difference, difference));
  end if;
  left_taken := asked.left_minor - case split_side when 'left' then difference else 0 end;
  right_taken := asked.right_minor + case split_side when 'right' then difference else 0 end;
  amount := case when asked.lefts = 0 or asked.rights = 0 then asked.positive_minor else left_taken end;
  if greatest(abs(left_taken), abs(right_taken), abs(amount)) > 9007199254740991 then
    perform private.refuse_field('line_ids', 'These lines come to more than 9007199254740991 in minor units. Match fewer of them at a time.');
  end if;
  perform private.require_adjustable(r, match_by_hand.adjustments, greatest(abs(left_taken), abs(right_taken), amount), asked.currency);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method, currency, amount_minor, adjustments, note, decided_by, decided_at)
  values (tenant, private.new_uuid(), r.pair_no, r.id, 'confirmed',
    case when asked.lefts = 0 or asked.rights = 0 then 'reversal' when asked.lefts = 1 and asked.rights = 1 then '1:1'
      when asked.lefts = 1 then '1:n' when asked.rights = 1 then 'n:1' else 'n:m' end,
    'manual', asked.currency, amount, explained, match_by_hand.note, private.actor(), now())
  returning * into made;
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, made.id, r.pair_no, l.line_no, l.side, case when l.line_no = split_no then split_minor else l.open_minor end
  from private.lines_of_pair(r.pair_no, match_by_hand.line_ids) l;
  perform private.confirm_matches(tenant, r.pair_no, array[made.id], private.actor());
  perform private.remember_act('match', array[made.id]);
  perform private.record_hand_match(made);
  return made;
end $function$;
CREATE OR REPLACE FUNCTION public.create_match(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_match');
begin
  if kept is not null then
    return kept;
  end if;
  return private.answer(request, private.match_json(
    private.match_by_hand(input ->> 'id', input -> 'line_ids', nullif(input -> 'adjustments', 'null'), input ->> 'note',
      input ->> 'split_line_id')));
end $function$;
CREATE OR REPLACE FUNCTION private.exclude_line(id text, period text, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  o private.open_lines;
begin
  r := private.hold_period(tenant, period);
  delete from private.open_lines x using public.lines l
  where l.tenant_id = tenant and l.id = private.line_id($1) and x.tenant_id = tenant and x.pair_no = r.pair_no and x.line_no = l.line_no
    and x.value_date <= r.period_end
  returning x.* into o;
  if not found then
    perform private.refuse('conflict', 'Nothing of this line is open in the period: it is matched, excluded, or dated after it.');
  end if;
  -- Part of it was excluded while the rest was matched, and that match was undone since.
  insert into public.exclusions as e (tenant_id, pair_no, line_no, reconciliation_id, side, currency, excluded_minor, reason)
  values (tenant, r.pair_no, o.line_no, r.id, o.side, o.currency, o.open_minor, $3)
  on conflict (tenant_id, pair_no, line_no) do update set excluded_minor = e.excluded_minor + excluded.excluded_minor, reason = excluded.reason,
    created_at = now(), created_by = private.actor()
  where e.reconciliation_id = excluded.reconciliation_id;
  if not found then
    perform private.refuse('conflict', 'Another period excluded part of this line. Include it there first, or match what is open of it.');
  end if;
  perform private.drop_suggestions(tenant, r.pair_no, array[o.line_no]);
  perform private.resolve_line_exceptions(tenant, r.pair_no, array[o.line_no], left('Excluded: ' || $3, 1000));
  insert into private.acts (tenant_id, reconciliation_id, kind, line_id, reason, created_by)
  values (tenant, r.id, 'exclude', private.line_id($1), $3, private.actor());
  perform private.record_security_event('line.excluded', $1, null, jsonb_build_object('reconciliation_id', r.id, 'reason', $3));
end $function$;
CREATE OR REPLACE FUNCTION private.include_line(id text, period text, reason text)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  x public.exclusions;
begin
  select r2.* into r from public.lines l
  join public.exclusions e on e.tenant_id = l.tenant_id and e.line_no = l.line_no
  join public.reconciliations r2 on r2.tenant_id = e.tenant_id and r2.id = e.reconciliation_id
  where l.tenant_id = tenant and l.id = private.line_id($1) and (period is null or r2.id = period)
  order by r2.period_end desc limit 1;
  if not found then
    perform private.refuse('conflict', 'This line is not excluded.');
  end if;
  r := private.hold_period(tenant, r.id);
  delete from public.exclusions e using public.lines l
  where l.tenant_id = tenant and l.id = private.line_id($1) and e.tenant_id = tenant and e.pair_no = r.pair_no and e.line_no = l.line_no
  returning e.* into x;
  if not found then
    perform private.refuse('conflict', 'This line is not excluded.');
  end if;
  insert into private.open_lines as o (tenant_id, pair_no, line_no, side, currency, amount_minor, open_minor, value_date)
  select tenant, x.pair_no, l.line_no, x.side, l.currency, case s.sign when 'inverted' then -l.amount_minor else l.amount_minor end,
    x.excluded_minor, l.value_date
  from public.lines l join public.sources s on s.tenant_id = l.tenant_id and s.source_no = l.source_no
  where l.tenant_id = tenant and l.line_no = x.line_no
  on conflict (tenant_id, pair_no, line_no) do update set open_minor = o.open_minor + excluded.open_minor;
  perform private.reopen_line_exceptions(tenant, x.pair_no, array[x.line_no]);
  update private.acts a set undone_at = now(), undone_by = private.actor()
  where a.tenant_id = tenant and a.line_id = private.line_id($1) and a.reconciliation_id = r.id and a.undone_at is null;
  perform private.record_security_event('line.included', $1, null, jsonb_build_object('reconciliation_id', r.id, 'reason', $3));
  return r.id;
end $function$;
CREATE OR REPLACE FUNCTION public.exclude_line(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'exclude_line');
  period text;
begin
  if kept is not null then
    return kept;
  end if;
  period := private.open_period_of_line(input ->> 'id', input ->> 'reconciliation_id');
  perform private.exclude_line(input ->> 'id', period, input ->> 'reason');
  return private.answer(request, private.line_of_period(input ->> 'id', period));
end $function$;
CREATE OR REPLACE FUNCTION public.include_line(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'include_line');
  period text;
begin
  if kept is not null then
    return kept;
  end if;
  if not exists (select from public.lines l where l.tenant_id = private.tenant_id() and l.id = private.line_id(input ->> 'id')) then
    perform private.refuse_missing('line');
  end if;
  period := private.include_line(input ->> 'id', input ->> 'reconciliation_id', input ->> 'reason');
  return private.answer(request, private.line_of_period(input ->> 'id', period));
end $function$;
CREATE OR REPLACE FUNCTION private.take_back_act(id text)
 RETURNS private.acts
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  a private.acts;
  r public.reconciliations;
  wanted text;
begin
  select * into a from private.acts x where x.tenant_id = tenant and x.id = $1;
  r := private.hold_period(tenant, a.reconciliation_id);
  select * into a from private.acts x where x.tenant_id = tenant and x.id = $1 for update;
  if a.undone_at is not null then
    perform private.refuse('conflict', 'This decision was undone already.');
  end if;
  wanted := case a.kind when 'reject' then 'rejected' else 'confirmed' end;
  if (select count(*) from public.matches m where m.tenant_id = tenant and m.id = any (a.match_ids) and m.state = wanted) <> cardinality(a.match_ids) then
    perform private.refuse('conflict', format('Not all of its matches are still %s. Nothing was changed.', wanted));
  end if;
  case a.kind
    when 'confirm' then perform private.suggest_again(tenant, r.pair_no, a.match_ids, true);
    when 'reject' then perform private.suggest_again(tenant, r.pair_no, a.match_ids, false);
    when 'match' then perform private.undo_matches(tenant, a.match_ids, private.actor());
    when 'exclude' then perform private.include_line(private.line_id_text(a.line_id), r.id, 'Undone');
  end case;
  update private.acts x set undone_at = now(), undone_by = private.actor() where x.tenant_id = tenant and x.id = a.id returning * into a;
  if a.kind <> 'exclude' then
    perform private.record_security_event('matching.undone', a.id, null, jsonb_build_object(
      'decision', a.kind, 'count', cardinality(a.match_ids), 'reconciliation_id', a.reconciliation_id));
  end if;
  -- Suggestions that had to go for it may come again.
  if r.auto_run then
    perform private.ask_for_runs(tenant, r.pair_no);
  end if;
  return a;
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
  elsif (a.created_by <> private.actor() or a.kind in ('match', 'exclude')) and not private.may('write:reconciliations') then
    perform private.refuse('role_required', 'You can undo what you confirmed or rejected yourself. Ask an admin or a lead to undo this.');
  end if;
  return private.answer(request, private.act_json(private.take_back_act(a.id)));
end $function$;
CREATE OR REPLACE FUNCTION private.ask_for_run(reconciliation text, trial jsonb)
 RETURNS public.runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  asked public.runs;
begin
  select * into r from public.reconciliations x where x.tenant_id = private.tenant_id() and x.id = reconciliation for no key update;
  if r.closed_at is not null and trial is null then
    perform private.refuse('conflict', 'The period is closed. Reopen it first.');
  elsif r.status = 'archived' then
    perform private.refuse('conflict', 'The reconciliation is archived: it does not change any more.');
  end if;
  if trial is null then
    perform private.require_not_closing(r.tenant_id, r.pair_no, r.id);
    select * into asked from public.runs x
    where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id and x.status = 'queued' and x.dry_run is null;
    if found then
      return asked;
    end if;
  end if;
  insert into public.runs (reconciliation_id, pair_no, dry_run, stage) values (r.id, r.pair_no, trial, 'queued') returning * into asked;
  perform private.queue_run(r.tenant_id, r.pair_no, r.id, case when trial is not null then asked.id end, interval '0');
  return asked;
end $function$;
CREATE OR REPLACE FUNCTION public.create_run(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_run');
  asked public.runs;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.find_period(input ->> 'id');
  asked := private.ask_for_run(input ->> 'id', case when (input ->> 'dry_run')::boolean then private.trial_of(input) end);
  if asked.dry_run is null then
    perform private.record_security_event('matching.run_requested', asked.id, null, jsonb_build_object('reconciliation_id', asked.reconciliation_id));
  end if;
  return private.answer(request, private.run_json(asked));
end $function$;
CREATE OR REPLACE FUNCTION private.set_rules(period text, rules jsonb, policy jsonb, forget boolean, names jsonb, versions jsonb)
 RETURNS public.pairs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  before jsonb;
  p public.pairs;
begin
  perform private.hold_pair_of(period);
  select x.* into p from public.reconciliations r join public.pairs x on x.tenant_id = r.tenant_id and x.pair_no = r.pair_no
  where r.tenant_id = tenant and r.id = period;
  perform private.require_version(p.rules_version, versions);
  if (private.policy_of_pair(tenant, p.pair_no) ->> 'four_eyes')::boolean and not (policy ->> 'four_eyes')::boolean
    and not (private.principal_type() = 'user' and auth.jwt() -> 'roles' ? 'tenant_admin') then
    perform private.refuse('role_required', 'Only a tenant_admin can turn four_eyes off. Leave it out, or ask a tenant admin.');
  end if;
  before := private.rules_json(p);
  insert into public.pair_rules (tenant_id, pair_no, version, rules, policy) values (tenant, p.pair_no, p.rules_version + 1, rules,
    private.policy_of_pair(tenant, p.pair_no) || policy);
  update public.pairs x set rules_version = p.rules_version + 1, weights = case when not forget then private.without_names(x.weights, names) end
  where x.tenant_id = tenant and x.pair_no = p.pair_no
  returning * into p;
  if forget then
    delete from private.decisions d where d.tenant_id = tenant and d.pair_no = p.pair_no;
  end if;
  perform private.record_security_event('matching.rules_updated', period, null,
    jsonb_build_object('from', before - '{weights}'::text[], 'to', private.rules_json(p) - '{weights}'::text[], 'learning_reset', forget));
  perform private.ask_for_runs(tenant, p.pair_no);
  return p;
end $function$;
CREATE OR REPLACE FUNCTION public.put_rules(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  dry_run constant boolean := coalesce((input ->> 'dry_run')::boolean, false);
  r public.reconciliations;
  p public.pairs;
  -- What is left out stays.
  policy constant jsonb := coalesce((
    select jsonb_object_agg(k, input -> k) from unnest('{automatic,fees,four_eyes,calendar_id,exceptions}'::text[]) k where input ? k), '{}');
begin
  perform private.enter(request, 'put_rules');
  r := private.find_period(input ->> 'id');
  if dry_run then
    select * into p from public.pairs x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no;
    return private.rules_json(p) || policy || jsonb_build_object('rules', input -> 'rules', 'dry_run', true,
      'run_id', (private.ask_for_run(r.id, private.trial_of(input))).id);
  end if;
  perform private.require_calendar(input);
  p := private.set_rules(r.id, input -> 'rules', policy, coalesce((input ->> 'reset_learning')::boolean, false),
    coalesce(input -> 'forget_names', '[]'), request -> 'versions');
  return private.rules_json(p) || jsonb_build_object('dry_run', false, 'run_id', null);
end $function$;
CREATE OR REPLACE FUNCTION private.complete_closing(before public.reconciliations)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  c public.closings;
  r public.reconciliations;
begin
  select * into strict c from public.closings x where x.tenant_id = before.tenant_id and x.reconciliation_id = before.id;
  delete from private.closing_requests q where q.tenant_id = before.tenant_id and q.reconciliation_id = before.id;
  if before.status = 'open' then
    update public.reconciliations x set status = 'in_progress' where x.tenant_id = before.tenant_id and x.id = before.id;
  end if;
  update public.reconciliations x set status = 'completed', closed_at = c.closed_at, closed_by = c.closed_by
  where x.tenant_id = before.tenant_id and x.id = before.id
  returning * into r;
  perform private.complete_last_run(r);
  perform private.record_security_event('reconciliation.closed', r.id, null, jsonb_build_object('digest', c.digest));
  perform private.queue_book_examination(r.tenant_id, r.pair_no);
  perform private.emit(r.tenant_id, 'reconciliation.closed', jsonb_build_object('reconciliation', private.reconciliation_json(r)));
  return r;
end $function$;
CREATE OR REPLACE FUNCTION private.close_period(id text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  lines constant bigint := (
    select sum(s.line_count) from public.reconciliations r
    join public.sources s on s.tenant_id = r.tenant_id and s.id in (r.left_source_id, r.right_source_id)
    where r.tenant_id = tenant and r.id = $1
  );
  r public.reconciliations;
begin
  if lines > private.lines_at_once() then
    r := private.hold_period(tenant, $1);
    perform private.require_closable(r);
    perform private.request_closing(r);
    return r;
  end if;
  r := private.hold_period_alone(tenant, $1);
  perform private.require_closable(r);
  perform private.write_closing(r, private.actor());
  -- The next period has its own look at what is open.
  perform private.delete_matches(r.tenant_id, private.suggested_of(r.tenant_id, r.id));
  return private.complete_closing(r);
end $function$;
CREATE OR REPLACE FUNCTION private.reopen_period(id text, reason text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  perform private.hold_pair_of($1);
  select * into r from public.reconciliations x where x.tenant_id = private.tenant_id() and x.id = $1 for no key update;
  if r.closed_at is null then
    perform private.refuse('conflict', 'The period is not closed.');
  elsif exists (
    select from public.reconciliations x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_start > r.period_end and x.closed_at is not null
  ) then
    perform private.refuse('conflict', 'A later period of these sources is closed, and builds on this one. Reopen that one first.');
  end if;
  perform private.require_not_closing(r.tenant_id, r.pair_no);
  update public.reconciliations x set status = 'in_progress', closed_at = null, closed_by = null
  where x.tenant_id = r.tenant_id and x.id = r.id
  returning * into r;
  perform private.forget_closing(r);
  perform private.record_security_event('reconciliation.reopened', r.id, reason);
  perform private.emit(r.tenant_id, 'reconciliation.reopened', jsonb_build_object('reconciliation', private.reconciliation_json(r), 'reason', reason));
  return r;
end $function$;
CREATE OR REPLACE FUNCTION public.close_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'close_reconciliation');
  r public.reconciliations;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.find_period(input ->> 'id');
  r := private.close_period(input ->> 'id');
  return private.answer(request, private.reconciliation_json(r) || jsonb_build_object('version', private.reconciliation_version(r)));
end $function$;
CREATE OR REPLACE FUNCTION public.reopen_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'reopen_reconciliation');
  r public.reconciliations;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.find_period(input ->> 'id');
  r := private.reopen_period(input ->> 'id', input ->> 'reason');
  return private.answer(request, private.reconciliation_json(r) || jsonb_build_object('version', private.reconciliation_version(r)));
end $function$;
CREATE OR REPLACE FUNCTION private.find_calendar(id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  found_calendar jsonb;
begin
  select private.calendar_json(c, v) into found_calendar
  from public.calendars c join public.calendar_versions v on v.tenant_id = c.tenant_id and v.calendar_id = c.id and v.version = c.version
  where c.tenant_id = private.tenant_id() and c.id = $1;
  if not found then
    perform private.refuse_missing('calendar');
  end if;
  return found_calendar;
end $function$;
CREATE OR REPLACE FUNCTION private.start_calendar_version(no bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.start_business_time(private.tenant_id(), no, date_trunc('hour', now()) - interval '35 days', now() + interval '3 years 1 month');
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
CREATE OR REPLACE FUNCTION public.get_calendar(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, 'get_calendar');
  return private.find_calendar(input ->> 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.put_calendar(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  hours constant jsonb := jsonb_build_object('time_zone', input -> 'time_zone', 'weekly', input -> 'weekly', 'special_days', input -> 'special_days');
  unlisted constant text[] := '{version,updated_at,updated_by}';
  before jsonb;
  after jsonb;
  has_other_hours boolean;
  no bigint;
  moved record;
  impact jsonb;
  periods integer := 0;
begin
  perform private.enter(request, 'put_calendar');
  perform from public.calendars c where c.tenant_id = private.tenant_id() and c.id = input ->> 'id' for update;
  before := private.find_calendar(input ->> 'id');
  perform private.require_version((before ->> 'version')::bigint, request -> 'versions');
  has_other_hours := (before -> 'time_zone', before -> 'weekly', before -> 'special_days')
    is distinct from (hours -> 'time_zone', hours -> 'weekly', hours -> 'special_days');
  -- What a dry run does is undone with this block.
  begin
    if has_other_hours then
      insert into public.calendar_versions (calendar_id, version, time_zone, weekly, special_days)
      values (input ->> 'id', (before ->> 'calendar_version')::integer + 1, input ->> 'time_zone', input -> 'weekly', input -> 'special_days')
      returning calendar_no into no;
      perform private.start_calendar_version(no);
    else
      no := private.current_calendar_no(private.tenant_id(), input ->> 'id');
    end if;
    if has_other_hours or before -> 'name' <> input -> 'name' then
      update public.calendars c set name = input ->> 'name', updated_at = now(), updated_by = private.actor(),
        version = c.version + case when has_other_hours then 1 else 0 end
      where c.tenant_id = private.tenant_id() and c.id = input ->> 'id';
    end if;
    if has_other_hours then
      periods := private.ask_for_runs_by_calendar(input ->> 'id');
    end if;
    after := private.find_calendar(input ->> 'id');
    select array_agg(d.id) as ids, array_agg(d.severity) as severities, array_agg(d.due_at) as due_ats, array_agg(d.new_due_at) as new_due_ats
    into moved from private.recalculated_deadlines(input ->> 'id', no) d where input ->> 'apply_to' = 'open';
    impact := private.impact_of(moved.severities, moved.due_ats, moved.new_due_ats);
    if moved.ids is not null then
      perform private.move_deadlines(moved.ids, array_fill(input ->> 'id', array[cardinality(moved.ids)]),
        array_fill(no, array[cardinality(moved.ids)]), moved.new_due_ats);
    end if;
    if dry_run then
      raise exception using errcode = 'TO002', message = 'dry run';
    end if;
  exception when sqlstate 'TO002' then
    null;
  end;
  if not dry_run and after - unlisted <> before - unlisted then
    perform private.record_security_event('calendar.updated', input ->> 'id', null,
      private.changes(before - unlisted, after - unlisted) || jsonb_build_object('apply_to', input -> 'apply_to'));
  end if;
  return after || jsonb_build_object('dry_run', dry_run, 'impact', impact || jsonb_build_object('periods', periods));
end $function$;
CREATE OR REPLACE FUNCTION public.list_calendar_versions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.enter(request, 'list_calendar_versions');
  perform private.find_calendar(input ->> 'id');
  select jsonb_agg(jsonb_build_object(
    'calendar_version', x.version, 'time_zone', x.time_zone, 'weekly', x.weekly, 'special_day_count', jsonb_array_length(x.special_days),
    'open_exceptions', (
      select count(*) from public.exceptions e
      where e.tenant_id = x.tenant_id and e.calendar_no = x.calendar_no and e.status in ('open', 'in_review')
    ),
    'created_at', private.iso(x.created_at), 'created_by', x.created_by
  ) order by x.version desc) into items
  from (
    select v.* from public.calendar_versions v
    where v.tenant_id = private.tenant_id() and v.calendar_id = input ->> 'id'
      and (input -> 'after' ->> 0 is null or v.version < (input -> 'after' ->> 0)::integer)
    order by v.version desc
    limit page_size + 1
  ) x;
  return private.page(items, page_size, 'calendar_version');
end $function$;
CREATE OR REPLACE FUNCTION public.list_open_hours(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  c jsonb;
  since constant timestamptz := input ->> 'since';
  until constant timestamptz := input ->> 'until';
begin
  perform private.enter(request, 'list_open_hours');
  c := private.find_calendar(input ->> 'id');
  return (
    select jsonb_build_object(
      'since', private.iso(since), 'until', private.iso(until),
      'open_minutes', coalesce(floor(sum(extract(epoch from x.ends_at - x.starts_at)) / 60), 0)::bigint,
      'spans', coalesce(jsonb_agg(jsonb_build_object('starts_at', private.iso(x.starts_at), 'ends_at', private.iso(x.ends_at)) order by x.starts_at), '[]')
    )
    from (
      select greatest(s.starts_at, since) as starts_at, least(s.ends_at, until) as ends_at
      from private.open_spans(c ->> 'time_zone', c -> 'weekly', c -> 'special_days', date_trunc('hour', since), date_trunc('hour', until) + interval '1 hour') s
      where s.ends_at > since and s.starts_at < until
    ) x
  );
end $function$;
CREATE OR REPLACE FUNCTION public.read_ics(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'read_ics');
begin
  return coalesce(kept, private.answer(request, input));
end $function$;
CREATE OR REPLACE FUNCTION private.hold_exceptions(ids text[])
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return query select * from public.exceptions e where e.tenant_id = private.tenant_id() and e.id = any (ids) order by e.id for no key update;
end $function$;
CREATE OR REPLACE FUNCTION private.change_exceptions_as_asked(act text, changes jsonb[])
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  settable constant text[] := '{title,severity,assigned_to,due_at,calendar_id,calendar_no,paused_until,pause_reason,status,reason_code,amount_minor,currency,reconciliation_id,details,resolution}';
begin
  return query select * from private.change_exceptions(act, array(
    select jsonb_object_agg(k.key, k.value) || jsonb_build_object('tenant_id', private.tenant_id())
    from unnest(changes) with ordinality c (change, place)
    cross join lateral jsonb_each(c.change) k
    where k.key = any (settable) or k.key = 'id' and act <> 'create'
    group by c.place order by c.place
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.policy_deadline(e public.exceptions, minutes integer, no bigint)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  paused bigint := 0;
begin
  if no is null then
    return e.created_at + make_interval(mins => minutes) + e.paused_ms * interval '1 millisecond';
  end if;
  if e.pause_count > 0 then
    select coalesce(sum(private.open_ms(e.tenant_id, no, l.resumed_at) - private.open_ms(e.tenant_id, no, l.at)), 0) into paused
    from (
      select x.kind, x.at, lead(x.at) over (order by x.id) as resumed_at
      from public.exception_ledger x
      where x.tenant_id = e.tenant_id and x.exception_id = e.id and x.kind in ('paused', 'resumed')
    ) l
    where l.kind = 'paused' and l.resumed_at is not null;
  end if;
  return private.moment_at(e.tenant_id, no, private.open_ms(e.tenant_id, no, e.created_at) + minutes * 60000::bigint + paused);
end $function$;
CREATE OR REPLACE FUNCTION private.first_deadline(no bigint, minutes integer)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.moment_at(private.tenant_id(), no, private.open_ms(private.tenant_id(), no, now()) + minutes * 60000::bigint);
end $function$;
CREATE OR REPLACE FUNCTION private.rearm_clocks()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  late record;
begin
  perform from private.exception_clocks c where c.tenant_id = tenant and c.next_at is not null order by c.exception_id for update;
  select array_agg(c.tenant_id) as tenants, array_agg(c.exception_id) as ids into late
  from private.exception_clocks c where c.tenant_id = tenant and c.next_at <= now();
  if late.ids is not null then
    perform private.advance_clocks(late.tenants, late.ids, private.own_shard());
  end if;
  with boundaries as materialized (
    select s.boundary from private.sla_boundaries(array[tenant]) s
  ), fresh as (
    select o.exception_id, b.position, o.due_at - make_interval(mins => b.next_boundary) as next_at
    from private.exception_clocks o cross join lateral (
      select least(o.position, min(x.boundary) filter (where x.passed)) as position,
        max(x.boundary) filter (where not x.passed and x.boundary < o.position) as next_boundary
      from (select s.boundary, o.due_at - make_interval(mins => s.boundary) <= now() as passed from boundaries s) x
    ) b
    where o.tenant_id = tenant and o.next_at is not null
  )
  update private.exception_clocks c set position = f.position, next_at = f.next_at
  from fresh f
  where c.tenant_id = tenant and c.exception_id = f.exception_id and (c.position, c.next_at) is distinct from (f.position, f.next_at);
end $function$;
CREATE OR REPLACE FUNCTION private.rearm_business_warnings(before integer[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  thresholds constant integer[] := (select p.at_risk_business_thresholds from public.sla_policies p where p.tenant_id = tenant);
begin
  delete from private.business_warnings w where w.tenant_id = tenant and w.minutes <> all (thresholds);
  insert into private.business_warnings (tenant_id, exception_id, minutes, at, due_at)
  select x.tenant_id, x.id, x.minutes, x.at, x.due_at
  from (
    select e.tenant_id, e.id, e.due_at, t.minutes, private.business_warning_at(e, t.minutes) as at
    from public.exceptions e cross join unnest(thresholds) as t (minutes)
    where e.tenant_id = tenant and e.status in ('open', 'in_review') and e.due_at > now() and t.minutes <> all (before)
  ) x
  where x.at is not null
  on conflict (tenant_id, exception_id, minutes) do nothing;
end $function$;
CREATE OR REPLACE FUNCTION private.insert_exceptions(rows jsonb)
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_quota('exceptions', jsonb_array_length(rows));
  return query select * from private.change_exceptions_as_asked('create', array(
    select r.value - '{calendar_id,calendar_no,paused_until,pause_reason,resolution}'::text[] from jsonb_array_elements(rows) r
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.create_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_exception');
  created public.exceptions;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_reconciliation(input ->> 'reconciliation_id');
  select * into created from private.insert_exceptions(jsonb_build_array(input));
  return private.answer(request, private.versioned_exception_json(created));
end $function$;
CREATE OR REPLACE FUNCTION public.update_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_exception');
  patch jsonb := input -> 'patch';
  before public.exceptions;
  after public.exceptions;
begin
  if kept is not null then
    return kept;
  end if;
  select * into before from private.hold_exceptions(array[input ->> 'id']);
  if not found then
    perform private.refuse_missing('exception');
  end if;
  perform private.require_version(private.exception_version(before), request -> 'versions');
  perform private.require_reconciliation(patch ->> 'reconciliation_id');
  patch := private.patched_columns(before, patch);
  after := jsonb_populate_record(before, patch);
  if after is distinct from before or before.due_from_policy and patch ? 'due_at' then
    select * into after from private.change_exceptions_as_asked('edit', array[patch || jsonb_build_object('id', before.id)]);
  end if;
  return private.answer(request, private.versioned_exception_json(after));
end $function$;
CREATE OR REPLACE FUNCTION private.hold_exception(id text)
 RETURNS public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  e public.exceptions;
begin
  select * into e from private.hold_exceptions(array[hold_exception.id]);
  if not found then
    perform private.refuse_missing('exception');
  elsif e.paused_until <= now() then
    select * into e from private.change_exceptions_as_asked('resume', array[jsonb_build_object('id', e.id)]);
  end if;
  return e;
end $function$;
CREATE OR REPLACE FUNCTION public.pause_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'pause_exception');
  e public.exceptions;
  p public.sla_policies;
  fault text;
begin
  if kept is not null then
    return kept;
  end if;
  e := private.hold_exception(input ->> 'id');
  select * into p from public.sla_policies x where x.tenant_id = e.tenant_id;
  perform private.require_pause_end((input ->> 'until')::timestamptz, p);
  fault := private.pause_fault(e, p);
  if fault is not null then
    perform private.refuse('conflict', fault);
  end if;
  select * into e from private.change_exceptions_as_asked('pause', array[
    jsonb_build_object('id', e.id, 'paused_until', input -> 'until', 'pause_reason', input -> 'reason')]);
  return private.answer(request, private.versioned_exception_json(e));
end $function$;
CREATE OR REPLACE FUNCTION public.resume_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'resume_exception');
  e public.exceptions;
begin
  if kept is not null then
    return kept;
  end if;
  e := private.hold_exception(input ->> 'id');
  if e.paused_at is null then
    perform private.refuse('conflict', 'It is not paused.');
  end if;
  select * into e from private.change_exceptions_as_asked('resume', array[jsonb_build_object('id', e.id)]);
  return private.answer(request, private.versioned_exception_json(e));
end $function$;
CREATE OR REPLACE FUNCTION public.update_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_exceptions');
  tenant constant text := private.tenant_id();
  patch constant jsonb := coalesce(input -> 'patch', '{}');
  pause constant jsonb := input -> 'pause';
  p public.sla_policies;
  by_filter constant boolean := input ? 'filter';
  batch constant integer := 500;
  ids text[] := private.text_array(input -> 'ids');
  next_id text;
  matching bigint;
  refused jsonb;
  skipped jsonb := '[]';
  act text;
  columns jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  if by_filter then
    if jsonb_typeof(input -> 'after') is distinct from 'array' then
      matching := private.count_of_view(input -> 'filter');
      if matching <> (input ->> 'expected_count')::bigint then
        perform private.refuse('conflict', format('%s match now, not %s. Check them and send the new expected_count. Nothing was changed.',
          matching, input ->> 'expected_count'));
      end if;
    end if;
    ids := private.matching_exceptions(input -> 'filter', input -> 'after' ->> 0, batch + 1);
    if cardinality(ids) > batch then
      ids := ids[:batch];
      next_id := ids[batch];
    end if;
  end if;
  perform private.hold_exceptions(ids);
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such exception.') order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n)
  where not exists (select from public.exceptions e where e.tenant_id = tenant and e.id = i.id);
  if refused is not null then
    perform private.refuse('not_found', 'There is no such exception. Nothing was changed.', refused);
  end if;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1),
    'message', format('An exception cannot move from %s to %s.', e.status, patch ->> 'status')) order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.tenant_id = tenant and e.id = i.id
  where patch ? 'status' and not private.exception_may_move(e.status, patch ->> 'status');
  if refused is not null and by_filter then
    skipped := private.skipped_exceptions(ids, refused);
    ids := private.not_skipped(ids, refused);
  elsif refused is not null then
    perform private.refuse('invalid_transition', 'Some of these exceptions cannot move to that status. Nothing was changed.', refused);
  end if;
  if pause is not null or input ? 'resume' then
    perform private.change_exceptions_as_asked('resume', array(
      select jsonb_build_object('id', e.id) from public.exceptions e where e.tenant_id = tenant and e.id = any (ids) and e.paused_until <= now()
    ));
    select * into p from public.sla_policies x where x.tenant_id = tenant;
    perform private.require_pause_end((pause ->> 'until')::timestamptz, p);
    select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', f.fault) order by i.n) into refused
    from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.tenant_id = tenant and e.id = i.id
    cross join lateral (
      select case when pause is not null then private.pause_fault(e, p) when e.paused_at is null then 'It is not paused.' end
    ) f (fault)
    where f.fault is not null;
    if refused is not null and by_filter then
      skipped := private.skipped_exceptions(ids, refused);
      ids := private.not_skipped(ids, refused);
    elsif refused is not null then
      perform private.refuse('conflict', format('Some of these exceptions cannot be %s. Nothing was changed.',
        case when pause is not null then 'paused' else 'resumed' end), refused);
    end if;
  end if;
  act := case when pause is not null then 'pause' when input ? 'resume' then 'resume' else 'edit' end;
  columns := case act when 'pause' then jsonb_build_object('paused_until', pause -> 'until', 'pause_reason', pause -> 'reason') else patch end;
  perform private.change_exceptions_as_asked(act, array(select columns || jsonb_build_object('id', i.id) from unnest(ids) i (id)));
  perform private.record_security_event('exceptions.bulk_updated', null, null, jsonb_build_object('count', cardinality(ids)) || (input - '{ids,after}'::text[]));
  return private.answer(request, jsonb_build_object(
    'updated', cardinality(ids), 'skipped', skipped, 'next', case when next_id is not null then jsonb_build_array(next_id) end,
    'items', (
      select coalesce(jsonb_agg(private.exception_json(e) order by i.n), '[]')
      from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.tenant_id = tenant and e.id = i.id
    )
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.import_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'import_exceptions');
  refused jsonb;
  accepted integer;
begin
  if kept is not null then
    return kept;
  end if;
  select jsonb_agg(jsonb_build_object('line', r ->> 'line', 'path', 'reconciliation_id', 'message', 'There is no such reconciliation.')) into refused
  from jsonb_array_elements(input -> 'rows') r
  where r ->> 'reconciliation_id' is not null and not exists (
    select from public.reconciliations c where c.tenant_id = private.tenant_id() and c.id = r ->> 'reconciliation_id'
  );
  select count(*) into accepted from private.insert_exceptions(case when refused is null then input -> 'rows' else (
    select coalesce(jsonb_agg(r), '[]') from jsonb_array_elements(input -> 'rows') r
    where not exists (select from jsonb_array_elements(refused) f where f ->> 'line' = r ->> 'line')
  ) end);
  if not (private.principal_type() = 'service_role' and coalesce((request ->> 'continues')::boolean, false)) then
    perform private.record_security_event('exceptions.imported', null, null,
      jsonb_build_object('accepted', accepted, 'refused', jsonb_array_length(coalesce(refused, '[]'))));
  end if;
  return private.answer(request, jsonb_build_object('accepted', accepted, 'refused', coalesce(refused, '[]')));
end $function$;
CREATE OR REPLACE FUNCTION private.find_view(id text, to_change boolean DEFAULT false)
 RETURNS public.views
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v public.views;
  caller constant text := auth.jwt() ->> 'principal_id';
begin
  select * into v from public.views x where x.tenant_id = private.tenant_id() and x.id = $1 and (x.shared or x.principal_id = caller);
  if not found then
    perform private.refuse_missing('view');
  elsif to_change then
    select * into v from public.views x where x.tenant_id = private.tenant_id() and x.id = $1
      and (x.principal_id = caller or x.shared and auth.jwt() -> 'roles' ? 'tenant_admin')
    for update;
    if not found then
      perform private.refuse('role_required', 'Only who made this view, or an admin, can change it. Save your own instead.');
    end if;
  end if;
  return v;
end $function$;
CREATE OR REPLACE FUNCTION public.create_view(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_view');
  created public.views;
begin
  if kept is not null then
    return kept;
  end if;
  if (select count(*) from public.views v where v.tenant_id = private.tenant_id() and v.principal_id = auth.jwt() ->> 'principal_id') >= 50 then
    perform private.refuse('conflict', 'You can have at most 50 views. Delete one, then save this one again.');
  end if;
  insert into public.views (name, shared, filters, sort_by)
  values (input ->> 'name', (input ->> 'shared')::boolean, input -> 'filters', input ->> 'sort_by') returning * into created;
  if created.shared then
    perform private.record_security_event('view.created', created.id, null, jsonb_build_object('name', created.name));
  end if;
  return private.answer(request, private.view_json(created) || jsonb_build_object('version', private.view_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION public.update_view(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_view');
  before public.views;
  after public.views;
begin
  if kept is not null then
    return kept;
  end if;
  before := private.find_view(input ->> 'id', true);
  perform private.require_version(private.view_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  if not after.shared and before.principal_id <> auth.jwt() ->> 'principal_id' then
    perform private.refuse('role_required', 'This credential isn''t allowed to do this.');
  end if;
  if after is distinct from before then
    update public.views x set name = after.name, shared = after.shared, filters = after.filters, sort_by = after.sort_by, updated_at = now()
    where x.tenant_id = before.tenant_id and x.id = before.id returning * into after;
    if before.shared or after.shared then
      perform private.record_security_event('view.updated', before.id, null,
        private.changes(jsonb_build_object('name', before.name, 'shared', before.shared, 'filters', before.filters, 'sort_by', before.sort_by),
          jsonb_build_object('name', after.name, 'shared', after.shared, 'filters', after.filters, 'sort_by', after.sort_by)));
    end if;
  end if;
  return private.answer(request, private.view_json(after) || jsonb_build_object('version', private.view_version(after)));
end $function$;
CREATE OR REPLACE FUNCTION public.delete_view(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'delete_view');
  v public.views;
begin
  if kept is not null then
    return kept;
  end if;
  v := private.find_view(input ->> 'id', true);
  perform private.require_version(private.view_version(v), request -> 'versions');
  delete from public.views x where x.tenant_id = v.tenant_id and x.id = v.id;
  if v.shared then
    perform private.record_security_event('view.deleted', v.id, null, jsonb_build_object('name', v.name));
  end if;
  return private.answer(request, jsonb_build_object('id', v.id, 'deleted', true));
end $function$;
CREATE OR REPLACE FUNCTION private.move_deadlines(ids text[], calendars text[], calendar_nos bigint[], due_ats timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if array_position(due_ats, null) is not null then
    perform private.refuse_field('calendar_id', 'This calendar opens too rarely: some deadlines would be more than 25 years away.');
  end if;
  perform private.change_exceptions_as_asked('recalculate', array(
    select jsonb_build_object('id', e.id, 'calendar_id', m.calendar_id, 'calendar_no', m.calendar_no, 'due_at', m.due_at)
    from unnest(ids, calendars, calendar_nos, due_ats) as m (id, calendar_id, calendar_no, due_at)
    join public.exceptions e on e.tenant_id = private.tenant_id() and e.id = m.id
    where e.calendar_no is distinct from m.calendar_no or coalesce(e.held_due_at, e.due_at) <> m.due_at
    order by e.id
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.put_sla_policy(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  before public.sla_policies;
  after public.sla_policies;
  moved record;
  impact jsonb;
begin
  perform private.enter(request, 'put_sla_policy');
  select * into before from public.sla_policies where tenant_id = private.tenant_id() for update;
  if jsonb_typeof(request -> 'versions') = 'array' and not request -> 'versions' @> to_jsonb(before.version) then
    perform private.refuse('precondition_failed',
      format('The policy has changed since the version in If-Match, last by %s. Get it again and repeat your change.', before.updated_by));
  end if;
  after := before;
  after.critical_minutes := input -> 'minutes_to_resolve' ->> 'critical';
  after.high_minutes := input -> 'minutes_to_resolve' ->> 'high';
  after.medium_minutes := input -> 'minutes_to_resolve' ->> 'medium';
  after.low_minutes := input -> 'minutes_to_resolve' ->> 'low';
  after.at_risk_thresholds := array(select distinct value::integer from jsonb_array_elements_text(input -> 'at_risk_thresholds') order by 1 desc);
  if input ? 'at_risk_business_thresholds' then
    after.at_risk_business_thresholds := array(
      select distinct value::integer from jsonb_array_elements_text(input -> 'at_risk_business_thresholds') order by 1 desc);
  end if;
  if after.at_risk_thresholds = '{}' and after.at_risk_business_thresholds = '{}' then
    perform private.refuse_field('at_risk_thresholds', 'Include a threshold here or in at_risk_business_thresholds.');
  end if;
  if input ? 'calendar_id' then
    after.calendar_id := input ->> 'calendar_id';
  end if;
  if input ? 'calendar_by_severity' then
    after.calendar_by_severity := input -> 'calendar_by_severity';
  end if;
  if input ? 'pause' then
    after.pause_max_minutes := input -> 'pause' ->> 'max_minutes';
    after.pause_max_count := input -> 'pause' ->> 'max_count';
    after.pause_rules := input -> 'pause' -> 'rules';
  end if;
  if (after.calendar_id, after.calendar_by_severity) is distinct from (before.calendar_id, before.calendar_by_severity)
    or after.calendar_id is not null or after.calendar_by_severity <> '{}' then
    perform private.require_calendars(after);
  end if;
  select array_agg(d.id) as ids, array_agg(d.severity) as severities, array_agg(d.calendar_id) as calendars, array_agg(d.calendar_no) as calendar_nos,
    array_agg(d.due_at) as due_ats, array_agg(d.new_due_at) as new_due_ats
  into moved from private.moved_deadlines(before, after) d;
  impact := private.impact_of(moved.severities, moved.due_ats, moved.new_due_ats);

  if not dry_run and after is distinct from before then
    update public.sla_policies p set
      critical_minutes = after.critical_minutes, high_minutes = after.high_minutes, medium_minutes = after.medium_minutes,
      low_minutes = after.low_minutes, at_risk_thresholds = after.at_risk_thresholds, at_risk_business_thresholds = after.at_risk_business_thresholds,
      calendar_id = after.calendar_id, calendar_by_severity = after.calendar_by_severity, pause_max_minutes = after.pause_max_minutes, pause_max_count = after.pause_max_count,
      pause_rules = after.pause_rules, updated_at = now(), updated_by = private.actor(), version = before.version + 1
    where p.tenant_id = before.tenant_id returning * into after;
    if moved.ids is not null then
      perform private.move_deadlines(moved.ids, moved.calendars, moved.calendar_nos, moved.new_due_ats);
    end if;
    if after.at_risk_thresholds <> before.at_risk_thresholds then
      perform private.rearm_clocks();
    end if;
    if after.at_risk_business_thresholds <> before.at_risk_business_thresholds then
      perform private.rearm_business_warnings(before.at_risk_business_thresholds);
    end if;
    perform private.record_security_event('sla_policy.updated', null, null,
      jsonb_build_object('from', private.sla_policy_json(before), 'to', private.sla_policy_json(after)));
  end if;
  return private.sla_policy_json(after) || jsonb_build_object('version', after.version, 'dry_run', dry_run, 'impact', impact);
end $function$;
CREATE OR REPLACE FUNCTION private.insert_api_key(input jsonb, rotated_from text DEFAULT NULL::text)
 RETURNS public.api_keys
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  created public.api_keys;
begin
  -- Who has as many as they may still rotates one.
  perform private.require_quota('api_keys', (rotated_from is null)::integer);
  insert into public.api_keys (key_id, name, description, scopes, ip_allowlist, expires_at, rotated_from)
  values (
    input ->> 'key_id', input ->> 'name', input ->> 'description', private.text_array(input -> 'scopes'),
    private.text_array(input -> 'ip_allowlist'), (input ->> 'expires_at')::timestamptz, insert_api_key.rotated_from
  )
  returning * into created;
  insert into private.api_key_secrets (key_id, tenant_id, api_key_id, digest)
  values (created.key_id, created.tenant_id, created.id, input ->> 'secret_digest');
  return created;
end $function$;
CREATE OR REPLACE FUNCTION public.create_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_api_key');
  created public.api_keys;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_expiry((input ->> 'expires_at')::timestamptz);
  created := private.insert_api_key(input);
  perform private.record_security_event('api_key.created', created.id, null,
    jsonb_build_object('name', created.name, 'scopes', created.scopes, 'ip_allowlist', created.ip_allowlist, 'expires_at', private.iso(created.expires_at)));
  return private.answer(request, private.api_key_json(created) || jsonb_build_object('version', private.api_key_version(created))
    || jsonb_build_object('sealed', input -> 'sealed'));
end $function$;
CREATE OR REPLACE FUNCTION public.rotate_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'rotate_api_key');
  old public.api_keys;
  successor public.api_keys;
begin
  if kept is not null then
    return kept;
  end if;
  old := private.lock_usable_api_key(input ->> 'id');
  if old.rotated_to is not null then
    perform private.refuse('conflict', 'This API key has already been rotated. Rotate its successor.');
  end if;
  successor := private.insert_api_key(input || jsonb_build_object(
    'name', old.name, 'description', old.description, 'scopes', old.scopes, 'ip_allowlist', old.ip_allowlist,
    'expires_at', now() + (old.expires_at - old.created_at)
  ), old.id);
  update public.api_keys k set
    rotated_to = successor.id, updated_at = now(),
    grace_expires_at = least(now() + make_interval(secs => (input ->> 'grace_period_seconds')::integer), k.expires_at)
  where k.tenant_id = old.tenant_id and k.id = old.id;
  perform private.record_security_event('api_key.rotated', old.id, null,
    jsonb_build_object('successor', successor.id, 'grace_period_seconds', input -> 'grace_period_seconds'));
  return private.answer(request, private.api_key_json(successor) || jsonb_build_object('version', private.api_key_version(successor))
    || jsonb_build_object('sealed', input -> 'sealed'));
end $function$;
CREATE OR REPLACE FUNCTION public.revoke_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'revoke_api_key');
  k public.api_keys;
begin
  if kept is not null then
    return kept;
  end if;
  k := private.lock_api_key(input ->> 'id');
  perform private.require_version(private.api_key_version(k), request -> 'versions');
  if k.revoked_at is null and (k.grace_expires_at is null or k.grace_expires_at > now()) then
    update public.api_keys a set revoked_at = now(), revoked_by = private.actor(), revoke_reason = input ->> 'reason', updated_at = now()
    where a.tenant_id = k.tenant_id and a.id = k.id returning * into k;
    perform private.record_security_event('api_key.revoked', k.id, input ->> 'reason', jsonb_build_object('name', k.name));
    perform private.emit(k.tenant_id, 'api_key.revoked', private.revocation_json(k), k.id);
    if (input ->> 'disable_webhooks')::boolean then
      perform private.disable_webhook(w, 'manual', format('The API key %s, which registered it, was revoked.', k.name))
      from unnest(private.webhooks_of_api_key(k)) w;
    end if;
  end if;
  return private.answer(request, private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k)));
end $function$;
CREATE OR REPLACE FUNCTION public.update_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_api_key');
  -- Usage, which calls and time change: not part of an update.
  use constant text[] := '{as_of,request_count,last_used_at,last_used_ip,operations_used,calls_by_day}';
  patch constant jsonb := input -> 'patch';
  k public.api_keys;
  before jsonb;
  changes jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  k := private.lock_usable_api_key(input ->> 'id');
  perform private.require_version(private.api_key_version(k), request -> 'versions');
  perform private.require_expiry((patch ->> 'expires_at')::timestamptz);
  before := private.api_key_json(k) - use;
  update public.api_keys a set
    name = case when patch ? 'name' then patch ->> 'name' else a.name end,
    description = case when patch ? 'description' then patch ->> 'description' else a.description end,
    scopes = case when patch ? 'scopes' then private.text_array(patch -> 'scopes') else a.scopes end,
    ip_allowlist = case when patch ? 'ip_allowlist' then private.text_array(patch -> 'ip_allowlist') else a.ip_allowlist end,
    expires_at = case when patch ? 'expires_at' then (patch ->> 'expires_at')::timestamptz else a.expires_at end,
    -- `least` passes over nulls: a key without a grace period has none now.
    grace_expires_at = case when a.grace_expires_at is not null then least(a.grace_expires_at, (patch ->> 'expires_at')::timestamptz) end,
    updated_at = now()
  where a.tenant_id = k.tenant_id and a.id = k.id returning * into k;
  changes := private.changes(before, private.api_key_json(k) - use);
  if changes is not null then
    perform private.record_security_event('api_key.updated', k.id, null, changes);
  end if;
  return private.answer(request, private.api_key_json(k) || jsonb_build_object('version', private.api_key_version(k)));
end $function$;
CREATE OR REPLACE FUNCTION private.emit_test(webhook_id text, type text, data jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  made text;
begin
  insert into public.events (tenant_id, type, data, test_of) values (private.tenant_id(), $2, $3, $1) returning id into made;
  return made;
end $function$;
CREATE OR REPLACE FUNCTION public.create_exception_comment(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_exception_comment');
  e public.exceptions;
  c public.exception_comments;
begin
  if kept is not null then
    return kept;
  end if;
  e := private.find_exception(input ->> 'id');
  insert into public.exception_comments (exception_id, body) values (e.id, input ->> 'body') returning * into c;
  return private.answer(request, private.exception_comment_json(c));
end $function$;
CREATE OR REPLACE FUNCTION private.keep_webhook_secret(webhook_id text, id text, sealed text, grace interval DEFAULT '00:00:00'::interval)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update private.webhook_secrets s set expires_at = least(s.expires_at, now() + grace)
  where s.tenant_id = private.tenant_id() and s.webhook_id = $1;
  insert into private.webhook_secrets (id, tenant_id, webhook_id, sealed)
  select $2, w.tenant_id, w.id, $3 from public.webhooks w where w.tenant_id = private.tenant_id() and w.id = $1;
end $function$;
CREATE OR REPLACE FUNCTION private.forget_webhook_secrets(webhook_id text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from private.webhook_secrets s where s.tenant_id = private.tenant_id() and s.webhook_id = $1;
end $function$;
CREATE OR REPLACE FUNCTION public.create_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_webhook');
  w public.webhooks;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_readable_events(private.text_array(input -> 'events'));
  perform private.require_quota('webhooks');
  insert into public.webhooks (url, description, events)
  values (input ->> 'url', input ->> 'description', private.text_array(input -> 'events'))
  returning * into w;
  perform private.keep_webhook_secret(w.id, input ->> 'secret_id', input ->> 'sealed_secret');
  perform private.record_security_event('webhook.created', w.id, null, jsonb_build_object('url', w.url, 'events', w.events));
  return private.answer(request, private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)) || jsonb_build_object('sealed', input -> 'sealed'));
end $function$;
CREATE OR REPLACE FUNCTION private.unreadable_sent(webhook_id text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array(
    select k.kind from private.event_kinds k
    where k.kind <> all (private.readable_events()) and exists (
      select from public.webhook_deliveries d where d.tenant_id = private.tenant_id() and d.webhook_id = $1 and d.type = k.kind)
  );
end $function$;
CREATE OR REPLACE FUNCTION public.update_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_webhook');
  fields constant text[] := '{url,description,events}';
  patch constant jsonb := input -> 'patch';
  before public.webhooks;
  w public.webhooks;
begin
  if kept is not null then
    return kept;
  end if;
  before := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(before), request -> 'versions');
  w := jsonb_populate_record(before, (select jsonb_object_agg(key, value) from jsonb_each(patch) where key = any (fields)));
  if w.url <> before.url or w.events <> before.events then
    perform private.require_readable_events(w.events);
  end if;
  if w.url <> before.url then
    perform private.require_readable_events(private.unreadable_sent(w.id));
  end if;
  if w is distinct from before then
    update public.webhooks x set
      url = w.url, description = w.description, events = w.events,
      failing_since = case when w.url = before.url then x.failing_since end, updated_at = now()
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into w;
    perform private.record_security_event('webhook.updated', w.id, null, (
      select private.changes(jsonb_object_agg(field, to_jsonb(before) -> field), jsonb_object_agg(field, to_jsonb(w) -> field)) from unnest(fields) field
    ));
  end if;
  if patch ->> 'status' = 'active' then
    w := private.enable_webhook(w);
  elsif patch ->> 'status' = 'disabled' and w.status = 'active' then
    perform private.disable_webhook(w.id, 'manual', patch ->> 'reason');
    w := private.find_webhook(w.id);
  end if;
  return private.answer(request, private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)));
end $function$;
CREATE OR REPLACE FUNCTION public.delete_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'delete_webhook');
  w public.webhooks;
begin
  if kept is not null then
    return kept;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(w), request -> 'versions');
  perform private.drop_waiting_deliveries(w.id), private.forget_webhook_secrets(w.id);
  update public.webhooks x set deleted_at = now(), updated_at = now() where x.tenant_id = w.tenant_id and x.id = w.id;
  perform private.record_security_event('webhook.deleted', w.id, null, jsonb_build_object('url', w.url));
  return private.answer(request, jsonb_build_object('id', w.id, 'deleted', true));
end $function$;
CREATE OR REPLACE FUNCTION public.rotate_webhook_secret(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'rotate_webhook_secret');
  grace constant interval := make_interval(secs => (input ->> 'grace_period_seconds')::integer);
  w public.webhooks;
begin
  if kept is not null then
    return kept;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.keep_webhook_secret(w.id, input ->> 'secret_id', input ->> 'sealed_secret', grace);
  update public.webhooks x set secret_changed_at = now(), previous_secret_expires_at = now() + grace, updated_at = now()
  where x.tenant_id = w.tenant_id and x.id = w.id
  returning * into w;
  perform private.record_security_event('webhook.secret_rotated', w.id, null,
    jsonb_build_object('previous_secret_expires_at', private.iso(w.previous_secret_expires_at)));
  return private.answer(request, private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)) || jsonb_build_object('sealed', input -> 'sealed'));
end $function$;
CREATE OR REPLACE FUNCTION public.enable_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'enable_webhook');
begin
  if kept is not null then
    return kept;
  end if;
  return private.answer(request, private.webhook_json(private.enable_webhook(private.lock_webhook(input ->> 'id'))));
end $function$;
CREATE OR REPLACE FUNCTION public.test_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'test_webhook');
  w public.webhooks;
  d public.webhook_deliveries;
  event text;
begin
  if kept is not null then
    return kept;
  end if;
  w := private.lock_webhook(input ->> 'id');
  perform private.require_active_webhook(w);
  if input ->> 'type' <> 'webhook.test' then
    perform private.require_readable_events(array[input ->> 'type']);
  end if;
  event := private.emit_test(w.id, input ->> 'type', coalesce(nullif(input -> 'data', 'null'),
    jsonb_build_object('id', w.id, 'message', 'It works.', 'sent_by', private.actor())));
  select * into d from public.webhook_deliveries x where x.tenant_id = w.tenant_id and x.webhook_id = w.id and x.event_id = event;
  return private.answer(request, private.delivery_json(d));
end $function$;
CREATE OR REPLACE FUNCTION private.requeue_deliveries(webhook_id text, ids text[], cause text)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  requeued bigint;
begin
  perform private.interrupt_lapsed_attempts(array[$1]);
  update public.webhook_deliveries d set
    status = 'pending', failure_kind = null, failure_count = 0, cause = $3, next_attempt_at = now(), lease = null
  where d.tenant_id = private.tenant_id() and d.id = any (ids) and d.webhook_id = $1
    and (d.lease is null or d.next_attempt_at <= now());
  get diagnostics requeued = row_count;
  if requeued > 0 then
    perform private.wake_webhook($1);
  end if;
  return requeued;
end $function$;
CREATE OR REPLACE FUNCTION public.resend_webhook_delivery(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'resend_webhook_delivery');
  d public.webhook_deliveries;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_active_webhook(private.lock_webhook(input ->> 'id'));
  d := private.find_delivery(input ->> 'id', input ->> 'delivery_id');
  if private.requeue_deliveries(d.webhook_id, array[d.id], 'resend') = 0 then
    perform private.refuse('conflict', 'This delivery is being sent. Wait for its result.');
  end if;
  return private.answer(request, private.delivery_json(private.find_delivery(d.webhook_id, d.id)));
end $function$;
CREATE OR REPLACE FUNCTION public.recover_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'recover_webhook');
  since constant timestamptz := (input ->> 'since')::timestamptz;
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  w public.webhooks;
  missed text[];
  recovered bigint;
begin
  if kept is not null then
    return kept;
  end if;
  w := private.lock_webhook(input ->> 'id');
  if not dry_run then
    perform private.require_active_webhook(w);
  end if;
  missed := array(
    select d.id from public.webhook_deliveries d
    where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.created_at >= since and d.status = 'failed'
    union all
    select d.id from public.webhook_deliveries d
    where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.created_at >= since and d.status = 'pending'
      and private.delivery_status(d) = 'retrying'
  );
  recovered := case when dry_run then cardinality(missed) else private.requeue_deliveries(w.id, missed, 'recover') end;
  if not dry_run and recovered > 0 then
    perform private.record_security_event('webhook.recovered', w.id, null,
      jsonb_build_object('since', private.iso(since), 'count', recovered));
  end if;
  return private.answer(request, jsonb_build_object('since', private.iso(since), 'dry_run', dry_run, 'count', recovered));
end $function$;
CREATE OR REPLACE FUNCTION public.create_record(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_record', coalesce(input ->> 'surface', ''));
  created public.records;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_record_size(input -> 'data');
  perform private.require_quota('records');
  insert into public.records (surface, data) values (input ->> 'surface', input -> 'data') returning * into created;
  return private.answer(request, private.record_json(created));
end $function$;
CREATE OR REPLACE FUNCTION public.update_record(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_record', coalesce(input ->> 'surface', ''));
  r public.records;
  patched jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  r := private.lock_record(input, request);
  patched := private.merge_patch(r.data, input -> 'patch');
  if patched <> r.data then
    perform private.require_record_size(patched);
    update public.records x set data = patched where x.tenant_id = r.tenant_id and x.id = r.id returning * into r;
  end if;
  return private.answer(request, private.record_json(r));
end $function$;
CREATE OR REPLACE FUNCTION public.delete_record(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'delete_record', coalesce(input ->> 'surface', ''));
  r public.records;
begin
  if kept is not null then
    return kept;
  end if;
  r := private.lock_record(input, request);
  update public.records x set deleted_at = now() where x.tenant_id = r.tenant_id and x.id = r.id returning * into r;
  return private.answer(request, private.record_json(r));
end $function$;
CREATE OR REPLACE FUNCTION public.restore_record(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'restore_record', coalesce(input ->> 'surface', ''));
  r public.records;
begin
  if kept is not null then
    return kept;
  end if;
  select * into r from public.records x
  where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' and x.surface = input ->> 'surface'
    and (x.deleted_at is null or private.in_bin(x.deleted_at)) for update;
  if not found then
    perform private.refuse_missing('record');
  end if;
  if r.deleted_at is not null then
    update public.records x set deleted_at = null where x.tenant_id = r.tenant_id and x.id = r.id returning * into r;
  end if;
  return private.answer(request, private.record_json(r));
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
  perform pg_advisory_xact_lock(hashtextextended('members ' || tenant, 0));
  select * into account from auth.users u where u.id = $1 and u.deleted_at is null for no key update;
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
    perform private.refuse('conflict', 'This is the tenant''s last admin. Make another member an admin first.');
  end if;
  update auth.users u set raw_app_meta_data = private.claims_with_roles(u.raw_app_meta_data, tenant, roles), updated_at = now()
  where u.id = account.id returning * into account;
  if roles is null and account.raw_app_meta_data -> 'tenants' = '{}' then
    with gone as (
      update private.sessions s set ended_at = now()
      where s.issuer = change_account.issuer and s.subject = account.id::text and s.ended_at is null returning s.id
    )
    select coalesce(array_agg(g.id), '{}') into ended from gone g;
  end if;
  return jsonb_build_object('name', private.account_name(account.email, account.id), 'before', before, 'ended', to_jsonb(ended));
end $function$;
CREATE OR REPLACE FUNCTION private.has_namesake(name text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (select count(*) > 1 from private.accounts_of(private.tenant_id()) u where private.account_name(u.email, u.id) = $1);
end $function$;
CREATE OR REPLACE FUNCTION public.update_tenant_member(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_tenant_member');
  member constant uuid := (input ->> 'id')::uuid;
  changed jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  changed := private.change_account(member, input -> 'roles', request -> 'versions', input ->> 'issuer');
  if changed -> 'before' <> input -> 'roles' then
    perform private.record_security_event('member.role_changed', 'user:' || (changed ->> 'name'), null, jsonb_build_object(
      'member_id', member, 'roles', jsonb_build_object('from', changed -> 'before', 'to', input -> 'roles')));
  end if;
  return private.answer(request, private.tenant_account(member));
end $function$;
CREATE OR REPLACE FUNCTION public.remove_tenant_member(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'remove_tenant_member');
  member constant uuid := (input ->> 'id')::uuid;
  before constant jsonb := case when kept is null then private.tenant_account((input ->> 'id')::uuid) end;
  changed jsonb;
  handed_over integer := 0;
begin
  if kept is not null then
    return kept;
  end if;
  if (input ->> 'hand_over')::boolean and private.has_namesake(before ->> 'name') then
    perform private.refuse('conflict', format('Another member is called %s too. Reassign the exceptions on the board first, then remove the member without handing over.', before ->> 'name'));
  -- Counted to 1,000.
  elsif (input ->> 'hand_over')::boolean and (before ->> 'open_exceptions')::integer >= 1000 then
    perform private.refuse('conflict', format('%s has 1,000 open exceptions or more. Reassign them on the board first, then remove the member without handing over.', before ->> 'name'));
  end if;
  changed := private.change_account(member, null, request -> 'versions', input ->> 'issuer');
  if (input ->> 'hand_over')::boolean then
    select count(*) into handed_over from private.change_exceptions_as_asked('edit', array(
      select jsonb_build_object('id', h.id, 'assigned_to', input -> 'hand_over_to')
      from private.hold_exceptions(private.open_exceptions_of('user:' || (changed ->> 'name'))) h
      where h.assigned_to = 'user:' || (changed ->> 'name') and h.status in ('open', 'in_review')
    ));
  end if;
  perform private.record_security_event('member.removed', 'user:' || (changed ->> 'name'), input ->> 'reason', jsonb_build_object(
    'member_id', member, 'roles', changed -> 'before', 'sessions_ended', jsonb_array_length(changed -> 'ended'),
    'handed_over', handed_over, 'handed_over_to', input ->> 'hand_over_to'));
  return private.answer(request, before || jsonb_build_object('handed_over', handed_over, 'ended', changed -> 'ended'));
end $function$;
CREATE OR REPLACE FUNCTION private.send_invitation(id text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  address constant text := (select i.email from public.invitations i where i.tenant_id = tenant and i.id = $1);
begin
  if private.invitation_mails(now() - interval '1 hour', null) > 100 then
    perform private.refuse('rate_limited', 'A tenant can send 100 invitations an hour. Try again later.');
  end if;
  if private.invitation_mails(now() - interval '1 hour', address) > 5 then
    perform private.refuse('rate_limited', 'This address was invited 5 times within the hour. Try again later.');
  end if;
  if private.invitation_mails(now() - interval '1 day', address) > 10 then
    perform private.refuse('rate_limited', 'This address was invited 10 times within a day. Try again tomorrow.');
  end if;
  perform graphile_worker.add_job('send_invitation', private.of_request(jsonb_build_object('tenant_id', tenant, 'invitation_id', i.id)),
    max_attempts => 12, job_key => 'invitation:' || tenant || ':' || i.id)
  from public.invitations i where i.tenant_id = tenant and i.id = $1;
end $function$;
CREATE OR REPLACE FUNCTION private.end_invitation_link(id text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from private.invitation_tokens t where t.tenant_id = private.tenant_id() and t.invitation_id = $1;
end $function$;
CREATE OR REPLACE FUNCTION private.is_member_address(email text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (select from private.accounts_of(private.tenant_id()) u where lower(u.email) = $1);
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
  i := private.lock_invitation(input ->> 'id');
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
CREATE OR REPLACE FUNCTION public.revoke_invitation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'revoke_invitation');
  i public.invitations;
begin
  if kept is not null then
    return kept;
  end if;
  i := private.lock_invitation(input ->> 'id');
  perform private.require_version(private.invitation_version(i), request -> 'versions');
  if i.accepted_at is not null then
    perform private.refuse('conflict', 'This invitation was accepted. Remove the member instead.');
  elsif i.revoked_at is null then
    update public.invitations x set revoked_at = now(), revoked_by = private.actor()
    where x.tenant_id = i.tenant_id and x.id = i.id returning * into i;
    perform private.end_invitation_link(i.id);
    perform private.record_security_event('member.invitation_revoked', i.id, null, jsonb_build_object('email', i.email));
  end if;
  return private.answer(request, private.invitation_json(i) || jsonb_build_object('version', private.invitation_version(i)));
end $function$;
CREATE OR REPLACE FUNCTION public.put_first_steps(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, 'put_first_steps');
  perform private.require_version(private.first_steps_version(), request -> 'versions');
  if (input ->> 'dismissed')::boolean then
    insert into public.first_steps_dismissals (tenant_id) values (private.tenant_id()) on conflict do nothing;
  else
    delete from public.first_steps_dismissals d
    where d.tenant_id = private.tenant_id() and d.principal_id = auth.jwt() ->> 'principal_id';
  end if;
  return private.first_steps_json() || jsonb_build_object('version', private.first_steps_version());
end $function$;
CREATE OR REPLACE FUNCTION public.end_sessions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'end_sessions');
  everywhere constant boolean := jsonb_typeof(input -> 'ids') is distinct from 'array';
  claims constant jsonb := auth.jwt();
  ended text[];
begin
  if kept is not null then
    return kept;
  end if;
  with gone as (
    update private.sessions s set ended_at = now()
    where s.issuer = claims ->> 'issuer' and s.subject = claims ->> 'sub' and s.ended_at is null
      and (everywhere or s.id = any (private.text_array(input -> 'ids')))
    returning s.id
  )
  select coalesce(array_agg(g.id order by g.id), '{}') into ended from gone g;
  if everywhere then
    perform private.record_security_event('session.ended_everywhere', null, null, jsonb_build_object('sessions', cardinality(ended)));
  else
    perform private.record_security_event('session.ended', id, null, '{}') from unnest(ended) id;
  end if;
  return private.answer(request, jsonb_build_object('ended', to_jsonb(ended)));
end $function$;
CREATE OR REPLACE FUNCTION private.keep_alert_channel_url(channel_id text, url_id text, sealed text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from private.alert_channel_urls x where x.tenant_id = private.tenant_id() and x.channel_id = $1;
  insert into private.alert_channel_urls (tenant_id, channel_id, url_id, sealed)
  select c.tenant_id, c.id, $2, $3 from public.alert_channels c where c.tenant_id = private.tenant_id() and c.id = $1 and $3 is not null;
end $function$;
CREATE OR REPLACE FUNCTION public.put_notification_settings(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'put_notification_settings');
  given constant jsonb := input -> 'settings';
  is_account constant boolean := coalesce((input ->> 'is_account')::boolean, false);
begin
  if kept is not null then
    return kept;
  end if;
  perform private.require_version((private.notification_settings_json(is_account) ->> 'version')::bigint, request -> 'versions');
  insert into public.notification_settings as s (is_account, exception_breached, exception_at_risk, assigned, mentioned, webhook_failing, api_key_expiring)
  values (is_account, given ->> 'exception_breached', given ->> 'exception_at_risk', (given ->> 'assigned')::boolean, (given ->> 'mentioned')::boolean,
    (given ->> 'webhook_failing')::boolean, (given ->> 'api_key_expiring')::boolean)
  on conflict on constraint notification_settings_pkey do update set exception_breached = excluded.exception_breached, exception_at_risk = excluded.exception_at_risk,
    assigned = excluded.assigned, mentioned = excluded.mentioned, webhook_failing = excluded.webhook_failing,
    api_key_expiring = excluded.api_key_expiring;
  return private.answer(request, private.notification_settings_json(is_account));
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
  if (select count(*) from public.alert_channels x where x.tenant_id = private.tenant_id() and x.deleted_at is null) >= 20 then
    perform private.refuse('conflict', 'A tenant can have 20 alert channels. Delete one first.');
  end if;
  insert into public.alert_channels (name, url_hint, kinds) values (input ->> 'name', input ->> 'url_hint', private.text_array(input -> 'kinds'))
  returning * into c;
  perform private.keep_alert_channel_url(c.id, input ->> 'url_id', input ->> 'sealed');
  perform private.record_security_event('alert_channel.created', c.id, null, jsonb_build_object('name', c.name, 'url', c.url_hint, 'kinds', c.kinds));
  return private.answer(request, private.alert_channel_json(c));
end $function$;
CREATE OR REPLACE FUNCTION public.update_alert_channel(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_alert_channel');
  patch constant jsonb := coalesce(input -> 'patch', '{}');
  before public.alert_channels;
  c public.alert_channels;
begin
  if kept is not null then
    return kept;
  end if;
  before := private.lock_alert_channel(input ->> 'id', request -> 'versions');
  update public.alert_channels x set name = coalesce(patch ->> 'name', x.name), url_hint = coalesce(input ->> 'url_hint', x.url_hint),
    kinds = case when patch ? 'kinds' then private.text_array(patch -> 'kinds') else x.kinds end,
    last_failure = case when input ? 'sealed' then null else x.last_failure end,
    last_failure_at = case when input ? 'sealed' then null else x.last_failure_at end
  where x.tenant_id = before.tenant_id and x.id = before.id returning * into c;
  if input ? 'sealed' then
    perform private.keep_alert_channel_url(c.id, input ->> 'url_id', input ->> 'sealed');
  end if;
  perform private.record_security_event('alert_channel.updated', c.id, null, coalesce(private.changes(
    jsonb_build_object('name', before.name, 'url', before.url_hint, 'kinds', before.kinds),
    jsonb_build_object('name', c.name, 'url', c.url_hint, 'kinds', c.kinds)), '{}'));
  return private.answer(request, private.alert_channel_json(c));
end $function$;
CREATE OR REPLACE FUNCTION public.delete_alert_channel(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'delete_alert_channel');
  c public.alert_channels;
begin
  if kept is not null then
    return kept;
  end if;
  c := private.lock_alert_channel(input ->> 'id', request -> 'versions');
  update public.alert_channels x set deleted_at = now() where x.tenant_id = c.tenant_id and x.id = c.id returning * into c;
  perform private.keep_alert_channel_url(c.id, null, null);
  perform private.record_security_event('alert_channel.deleted', c.id, null, jsonb_build_object('name', c.name, 'url', c.url_hint));
  return private.answer(request, private.alert_channel_json(c));
end $function$;
CREATE OR REPLACE FUNCTION public.test_alert_channel(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'test_alert_channel');
  c public.alert_channels;
begin
  if kept is not null then
    return kept;
  end if;
  c := private.lock_alert_channel(input ->> 'id', null);
  perform graphile_worker.add_job('send_test_alert', private.of_request(jsonb_build_object('tenant_id', c.tenant_id, 'channel_id', c.id)),
    max_attempts => 1, job_key => 'test-alert:' || c.tenant_id || ':' || c.id);
  return private.answer(request, private.alert_channel_json(c));
end $function$;
grant execute on function private.find_calendar(text) to authenticated;
grant execute on function private.find_import(text) to authenticated;
grant execute on function private.find_source(text) to authenticated;
