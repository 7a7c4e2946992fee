-- sql names

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop policy records_read on public.records;
drop trigger once on public.events;
drop trigger keep_alerts on public.events;
drop function private.allocated_in(text,uuid[],date);
drop function private.shape_of(bigint,bigint);
drop function private.sides_to_open(public.pairs);
drop function private.emptied_by_reset();
drop function private.until_full_run();
drop function private.show_matches_made();
drop function private.show_lines_to_weigh();
drop function private.quota_of(text,text);
drop function private.caller_or_holder_worked_in(public.reconciliations);
drop function private.standing_entries(public.reconciliations);
drop function private.standing_filters(public.reconciliations,text,boolean);
drop function private.standing_lines(public.reconciliations,text);
drop function private.keep_held_back_reasons(text,text,jsonb);
drop function private.judge_attempts(jsonb,text[]);
drop function private.keep_signed_items(public.reconciliations);
drop function private.counted(bigint,text,text);
drop function private.keep_balances_of_import(public.imports);
drop function private.bring_back(public.reconciliations);
drop function private.lasting_alerts(private.alert_bundles);
drop function private.keep_alert_events();
drop function private.is_live(private.sessions,integer);
drop function private.with_deleted(jsonb);
drop function private.in_bin(timestamp with time zone);
drop function private.keep_event_once();
drop function private.keep_counters(private.exception_change[]);
drop function private.suggested_of(text,text);
drop function private.keep_clocks(private.exception_change[]);
drop function private.had_between(text,timestamp with time zone,timestamp with time zone);
drop function private.one_of(text,text[]);
drop function private.outstanding_of(public.reconciliations);
drop function private.take_up_settled(text,text);
drop function private.plan_by_sets();
drop function private.hex_of(numeric);
drop function private.trial_of(jsonb);
drop function private.suggest_again(text,integer,uuid[],boolean);
drop function private.find_open(text,integer,bigint[],bigint[]);
drop function private.first_of(jsonb,integer);
drop function private.drop_received(text);
drop function private.lines_at_once();
drop function private.some_of(text[],text[]);
drop function private.may_forget(public.security_events);
drop function private.used_of_quota(text,text);
drop function private.alert_line(private.alerts);
drop function private.alert_channel_json(public.alert_channels);
drop function private.logged_request_json(public.request_log);
drop function private.overview_webhooks(timestamp with time zone,integer);
drop function private.overview_keys(timestamp with time zone,integer);
drop function private.overview_reconciliations(integer);
drop function private.session_json(private.sessions);
drop function private.invitation_version(public.invitations);
drop function private.invitation_json(public.invitations);
drop function private.invitation_status(public.invitations);
drop function private.tenant_account_page(text,text,integer);
drop function private.account_json(auth.users,text);
drop function private.record_json(public.records);
drop function private.record_query(text,text,text);
drop function private.mark_webhook(text,boolean,boolean,boolean,text);
drop function private.signature_failure(public.webhooks,integer);
drop function private.claim_webhook_deliveries(text[],integer);
drop function private.deliveries_to_send(text[],integer);
drop function private.delivery_json(public.webhook_deliveries);
drop function private.delivery_json(public.webhook_deliveries,public.webhook_attempts);
drop function private.attempt_json(public.webhook_attempts);
drop function private.delivery_status(public.webhook_deliveries);
drop function private.require_webhook_change(public.webhooks,public.webhooks,jsonb);
drop function private.store_webhook_client(public.webhooks,jsonb,boolean);
drop function private.webhook_version(public.webhooks);
drop function private.webhook_json(public.webhooks);
drop function private.webhook_health(public.webhooks,interval);
drop function private.store_webhook_headers(public.webhooks,jsonb,boolean);
drop function private.warn_of_failing_webhook(public.webhooks,text);
drop function private.last_failure(public.webhooks);
drop function private.enable_webhook(public.webhooks);
drop function private.require_active_webhook(public.webhooks);
drop function private.queue_entry_push(public.entry_batches);
drop function private.push_settings(public.entry_batches);
drop function private.resolve_missing_file(public.connection_files);
drop function private.open_missing_file(public.connections);
drop function private.expect_next_file(public.connections);
drop function private.note_failure(public.connections,text,boolean);
drop function private.queue_look(public.connections,boolean);
drop function private.sealed_credential(public.connections);
drop function private.write_connection(public.connections,public.connections,jsonb);
drop function private.connection_facts(public.connections);
drop function private.store_connection_credential(public.connections,public.connections,jsonb);
drop function private.require_connection(public.connections);
drop function private.plan_connection(public.connections);
drop function private.has_file_of_day(public.connections,timestamp with time zone);
drop function private.clock_of_connection(public.connections);
drop function private.connection_file_json(public.connection_files);
drop function private.versioned_connection_json(public.connections);
drop function private.connection_version(public.connections);
drop function private.connection_json(public.connections);
drop function private.record_evidence(text,public.evidence,jsonb,text);
drop function private.missing_evidence(public.reconciliations);
drop function private.withdraw_evidence_of_closing(public.reconciliations);
drop function private.list_evidence_on_statement(public.reconciliations);
drop function private.is_line_of_period(public.reconciliations,text);
drop function private.evidence_row(public.evidence);
drop function private.evidence_json(public.evidence);
drop function private.exception_comment_json(public.exception_comments);
drop function private.event_json(public.events);
drop function private.webhooks_of_api_key(public.api_keys);
drop function private.api_key_version(public.api_keys);
drop function private.api_key_json(public.api_keys);
drop function private.usage_by_day(public.api_keys);
drop function private.usage_by_hour(public.api_keys);
drop function private.revocation_json(public.api_keys);
drop function private.open_hours_of(public.exceptions,timestamp with time zone,timestamp with time zone);
drop function private.open_between(text,bigint,timestamp with time zone,timestamp with time zone);
drop function private.require_calendars(public.sla_policies);
drop function private.sla_policy_json(public.sla_policies);
drop function private.view_version(public.views);
drop function private.view_json(public.views,boolean);
drop function private.rebuild_business_time(text,bigint);
drop function private.next_by_deadline(timestamp with time zone,text,integer,timestamp with time zone);
drop function private.refuse_bulk(text,jsonb);
drop function private.require_pause_end(timestamp with time zone,public.sla_policies);
drop function private.deadline_of_severity(public.exceptions,text);
drop function private.exceptions_without_suggestion(public.reconciliations);
drop function private.move_from_closed(public.exceptions);
drop function private.has_open_lines(public.exceptions);
drop function private.subjects_of_exceptions(public.reconciliations,uuid[],bigint[]);
drop function private.late_lines(public.reconciliations,bigint[],date[]);
drop function private.open_among(public.reconciliations,bigint[]);
drop function private.open_past_grace(public.reconciliations);
drop function private.last_day_of_grace(public.sources,text);
drop function private.narrow_by_search(text);
drop function private.has_words(text);
drop function private.versioned_exception_json(public.exceptions);
drop function private.exception_version(public.exceptions);
drop function private.business_warning_at(public.exceptions,integer);
drop function private.clock_moves(private.exception_change[]);
drop function private.record_changes(private.exception_change[]);
drop function private.exception_facts(public.exceptions);
drop function private.pause_rule_holds(public.sla_policies,text,text);
drop function private.pause_fault(public.exceptions,public.sla_policies);
drop function private.first_deadline(bigint,integer);
drop function private.policy_deadline(public.exceptions,integer,bigint);
drop function private.business_minutes_remaining(public.exceptions,timestamp with time zone);
drop function private.deadline(public.exceptions,timestamp with time zone);
drop function private.update_exceptions(private.exception_change[]);
drop function private.insert_exceptions(private.exception_change[]);
drop function private.change_exceptions_for_caller(text,jsonb[]);
drop function private.write_exceptions(text,private.exception_change[]);
drop function private.with_pause_begun(text,public.exceptions,public.exceptions,public.sla_policies);
drop function private.with_pause_ended(text,public.exceptions,public.exceptions,public.sla_policies);
drop function private.edited_exception(text,public.exceptions,jsonb);
drop function private.new_exception(jsonb,public.sla_policies);
drop function private.resulting_exception(text,public.exceptions,jsonb,public.sla_policies);
drop function private.resulting_exceptions(text,jsonb[]);
drop function private.change_exceptions(text,jsonb[]);
drop function private.exception_json(public.exceptions,timestamp with time zone);
drop function private.policy_calendar(public.sla_policies,text);
drop function private.minutes_to_resolve(public.sla_policies,text);
drop function private.apply_calendar(text,bigint,boolean);
drop function private.recalculated_deadlines(text,bigint);
drop function private.start_calendar_version(bigint);
drop function private.calendar_json(public.calendars,public.calendar_versions);
drop function private.moment_at(text,bigint,bigint);
drop function private.open_ms(text,bigint,timestamp with time zone);
drop function private.extend_business_time(text,bigint,timestamp with time zone,timestamp with time zone);
drop function private.board_period_json(public.reconciliations,boolean,date,date);
drop function private.board_sums(public.reconciliations);
drop function private.entry_rows(public.statements,integer,integer);
drop function private.record_export(public.entry_batches);
drop function private.entry_json(public.entries);
drop function private.complete_entry_batch(public.reconciliations);
drop function private.entry_batch_json(public.entry_batches);
drop function private.entry_batch_name(public.entry_batches);
drop function private.withdraw_entries(public.reconciliations);
drop function private.write_entries(public.reconciliations);
drop function private.insert_entries(public.reconciliations,text,jsonb);
drop function private.entry_row(public.entries);
drop function private.entries_preview_json(public.reconciliations,jsonb);
drop function private.entry_drafts(public.reconciliations,jsonb);
drop function private.entry_items(public.reconciliations,text[]);
drop function private.entry_rules_json(public.entry_rules);
drop function private.signature_json(public.statements);
drop function private.reopen_statement(public.reconciliations,text);
drop function private.sign_statement(public.closings);
drop function private.decisions_about_line(public.lines);
drop function private.outstanding_json(public.reconciliations,bigint,text,bigint);
drop function private.statement_json(public.reconciliations);
drop function private.statement_items(public.reconciliations);
drop function private.statement_outstanding(public.reconciliations);
drop function private.statement_totals(public.reconciliations);
drop function private.statement_sums(public.reconciliations);
drop function private.booked_balances(public.reconciliations);
drop function private.statement_explained(public.reconciliations);
drop function private.stated_balances(public.reconciliations);
drop function private.open_in_period(public.reconciliations);
drop function private.matched_line_items(public.reconciliations,uuid,bigint,integer);
drop function private.exclusion_items(public.reconciliations,bigint,integer);
drop function private.residual_items(public.reconciliations,uuid,integer);
drop function private.adjustment_items(public.reconciliations,uuid,bigint,integer);
drop function private.outstanding_items(public.reconciliations,date,bigint,integer);
drop function private.carry_forward(public.reconciliations);
drop function private.next_open_period(public.reconciliations);
drop function private.request_closing(public.reconciliations);
drop function private.worked_in_period(public.reconciliations);
drop function private.delete_closing(public.reconciliations);
drop function private.write_closing(public.reconciliations,text);
drop function private.require_closable(public.reconciliations);
drop function private.run_is_under_way(public.reconciliations);
drop function private.requires_second_person(public.reconciliations);
drop function private.require_signatures(public.reconciliations);
drop function private.require_checks(public.reconciliations);
drop function private.checks_of(public.reconciliations);
drop function private.checks_of_people(public.reconciliations);
drop function private.coverage_of(public.reconciliations);
drop function private.require_no_run(public.reconciliations);
drop function private.sign_period(public.reconciliations,text,integer,text);
drop function private.period_digest(public.reconciliations);
drop function private.sign_off_json(public.reconciliations);
drop function private.review_levels(public.reconciliations);
drop function private.period_signature_json(public.period_signatures);
drop function private.load_weighed_lines(public.reconciliations,bigint[]);
drop function private.queue_full_run(public.reconciliations);
drop function private.may_be_short(public.reconciliations,public.runs,jsonb,jsonb);
drop function private.new_open_lines(public.reconciliations,integer);
drop function private.complete_last_run(public.reconciliations);
drop function private.full_waterfall(public.reconciliations,text[]);
drop function private.close_preview(public.reconciliations);
drop function private.proof_json(public.reconciliations);
drop function private.proof_rows(public.reconciliations);
drop function private.explained_in_period(public.reconciliations);
drop function private.settled_around(public.reconciliations);
drop function private.lines_up_to_end(public.reconciliations);
drop function private.rules_json(public.pairs);
drop function private.claim_matched_lines(text,public.reconciliations,uuid[],bigint[],bigint[],uuid[],boolean);
drop function private.drop_moved_suggestions(public.reconciliations,bigint[],uuid[]);
drop function private.start_run(public.reconciliations,public.pairs,public.runs,text,jsonb,jsonb);
drop function private.run_policy(public.pairs,jsonb);
drop function private.run_order(public.reconciliations,public.pairs,public.runs,jsonb,jsonb);
drop function private.run_to_begin(public.reconciliations,text);
drop function private.suggested_lines(public.reconciliations);
drop function private.reasons_held_back(public.reconciliations);
drop function private.has_nothing_new(public.reconciliations,public.runs,jsonb);
drop function private.run_conditions(public.reconciliations,public.pairs,text,jsonb,jsonb);
drop function private.newest_run(public.reconciliations,text[]);
drop function private.run_json(public.runs);
drop function private.open_line_json(public.lines,text,bigint,bigint,public.reconciliations);
drop function private.open_lines_of_caller(public.reconciliations,jsonb,bigint[],bigint,bigint,integer);
drop function private.rejected_matches_of_line(public.reconciliations,bigint);
drop function private.suggestion_candidates(public.reconciliations,private.open_lines,jsonb);
drop function private.engine_line(public.lines,bigint,jsonb);
drop function private.split_of_match(public.reconciliations,jsonb,text,bigint,text);
drop function private.sums_of_lines(public.reconciliations,jsonb);
drop function private.require_open_in_period(public.reconciliations,jsonb);
drop function private.require_adjustable(public.reconciliations,jsonb,numeric,text);
drop function private.lines_of_pair(integer,jsonb);
drop function private.match_filters(jsonb,uuid,text,boolean,boolean);
drop function private.matches_since(public.reconciliations,timestamp with time zone);
drop function private.narrow_by_filters(public.reconciliations,jsonb,integer);
drop function private.reject_matches(text,uuid[],text);
drop function private.confirm_matches(text,integer,uuid[],text);
drop function private.match_event(public.matches);
drop function private.undo_matches(text,uuid[],text);
drop function private.drop_suggestions(text,integer,bigint[],uuid[]);
drop function private.record_hand_match(public.matches);
drop function private.act_json(private.acts);
drop function private.match_json(public.matches);
drop function private.open_earlier_lines(public.pairs,integer);
drop function private.emit_import_done(public.imports);
drop function private.import_json(public.imports);
drop function private.source_balance_json(public.source_balances);
drop function private.line_in_closed(public.lines,public.reconciliations);
drop function private.lines_of_caller(public.reconciliations,jsonb,integer[],integer);
drop function private.line_page(public.reconciliations,text,text,boolean,boolean,text);
drop function private.line_period_filters(public.reconciliations,text,boolean);
drop function private.narrow_by_state(public.reconciliations,text,integer[],integer);
drop function private.lines_since(timestamp with time zone,bigint,integer);
drop function private.lines_handled_since(timestamp with time zone,integer);
drop function private.lines_matched_since(timestamp with time zone,integer);
drop function private.conflicts_of_staged(text,text);
drop function private.find_lines_of_caller(text,integer[],integer);
drop function private.has_trigrams(text);
drop function private.line_search(text,text);
drop function private.line_text(public.lines);
drop function private.fee_of_whole(public.lines,bigint);
drop function private.source_facts(public.sources);
drop function private.source_version(public.sources);
drop function private.source_json(public.sources);
drop function private.reconciliation_version(public.reconciliations);
drop function private.reconciliation_json(public.reconciliations);
drop function private.forgettable_security_events(integer);
drop function private.checkpoint_json(private.security_event_checkpoints);
drop function private.security_event_search_text(public.security_events);
drop function private.security_event_json(public.security_events);
drop function private.security_event_hash(public.security_events);
drop function private.word_patterns(text);
CREATE OR REPLACE FUNCTION private.merge_patch(target jsonb, patch jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  base constant jsonb := case when jsonb_typeof(target) = 'object' then target else '{}' end;
begin
  if jsonb_typeof(patch) <> 'object' then
    return patch;
  end if;
  return (
    select coalesce(jsonb_object_agg(merged.key, merged.value), '{}')
    from (
      select target_field.key, target_field.value from jsonb_each(base) target_field
      where not patch ? target_field.key
      union all
      select patch_field.key,
        case when jsonb_typeof(patch_field.value) = 'object'
          then private.merge_patch(base -> patch_field.key, patch_field.value)
          else patch_field.value end
      from jsonb_each(patch) patch_field where patch_field.value <> 'null'
    ) merged
  );
end $function$;
CREATE OR REPLACE FUNCTION private.word_patterns(search text)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((
    select array_agg('%' || replace(replace(replace(word, '\', '\\'), '%', '\%'), '_', '\_') || '%')
    from regexp_split_to_table(lower(search), '\s+') word where word <> ''
  ), '{}');
end $function$;
CREATE OR REPLACE FUNCTION private.partitions_of(parent text)
 RETURNS TABLE(name text, begins timestamp with time zone, ends timestamp with time zone)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select class.relname::text, private.partition_moment(range.bounds[1]),
    private.partition_moment(range.bounds[2])
  from pg_catalog.pg_inherits inheritance join pg_catalog.pg_class class
    on class.oid = inheritance.inhrelid
  cross join lateral regexp_match(pg_catalog.pg_get_expr(class.relpartbound, class.oid),
    '^FOR VALUES FROM \((.*)\) TO \((.*)\)$') range (bounds)
  where inheritance.inhparent = to_regclass('public.' || quote_ident($1));
end $function$;
CREATE OR REPLACE FUNCTION private.extend_partitions(parent text, prefix text, span interval, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  ending record;
  next_begins timestamptz;
  next_name text;
  bound text;
  columns text;
begin
  select * into ending from private.partitions_of(parent) partition
  where partition.ends = 'infinity';
  if ending.begins > at + interval '1 day' then
    return false;
  end if;
  next_begins := date_bin(span, greatest(at + interval '1 day', ending.begins),
    '2024-01-01 00:00:00+00')
    + span;
  bound := private.partition_bound(prefix, next_begins);
  next_name := parent || '_' || to_char(next_begins at time zone 'UTC', 'YYYYMMDD');
  execute format('create table partitions.%I (like public.%I including all excluding identity)',
    next_name, parent);
  execute format('alter table partitions.%I enable row level security', next_name);
  execute format('alter table public.%I detach partition partitions.%I', parent, ending.name);
  select string_agg(quote_ident(attribute.attname), ', ') into columns
  from pg_catalog.pg_attribute attribute
    where attribute.attrelid = to_regclass('public.' || quote_ident(parent))
      and attribute.attnum > 0
      and not attribute.attisdropped;
  execute format(
    'with ahead as (delete from partitions.%I where %s >= %s returning %s) insert into partitions.%I (%4$s) select %4$s from ahead',
    ending.name,
    substring(
      pg_catalog.pg_get_partkeydef(to_regclass('public.' || quote_ident(parent))) from '\((.*)\)'),
    bound, columns, next_name);
  execute format(
    'alter table public.%I attach partition partitions.%I for values from (%s) to (%s)',
    parent, ending.name, private.partition_bound(prefix, ending.begins), bound);
  execute format(
    'alter table public.%I attach partition partitions.%I for values from (%s) to (maxvalue)',
    parent, next_name, bound);
  return true;
end $function$;
CREATE OR REPLACE FUNCTION private.roll_partitions(at timestamp with time zone DEFAULT now())
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '500ms'
AS $function$
declare
  divided record;
  past record;
  is_needed boolean;
begin
  perform pg_advisory_xact_lock(hashtextextended('roll_partitions', 0));
  for divided in select * from private.partitioned() loop
    if private.extend_partitions(divided.parent, divided.prefix, divided.span, at) then
      return 1;
    end if;
  end loop;
  for past in
    select partitioned_table.parent, partitioned_table.unless, partition.name
    from private.partitioned() partitioned_table
    cross join lateral private.partitions_of(partitioned_table.parent) partition
    where partition.ends <= at - partitioned_table.kept
      and not exists (select
        from private.partitions_of(partitioned_table.goes_after) prior_partition
        where prior_partition.begins < partition.ends)
    order by partition.ends, partitioned_table.parent
  loop
    execute format('lock table only public.%I in access exclusive mode', past.parent);
    execute format('select exists (select from partitions.%I where %s)', past.name,
      past.unless) into is_needed;
    if not is_needed then
      execute format('drop table partitions.%I', past.name);
      return 1;
    end if;
  end loop;
  return 0;
end $function$;
CREATE OR REPLACE FUNCTION private.is_being_reset(tenant text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return current_setting('app.resets', true) = tenant
    and exists (select from public.tenants where tenants.id = tenant and tenants.kind = 'sandbox');
end $function$;
CREATE OR REPLACE FUNCTION private.own_sandbox()
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select tenant.id from public.tenants tenant
    where tenant.id = private.tenant_id() || '.sandbox');
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
    'tenant_name', (select tenants.name from public.tenants where tenants.id = tenant and answers),
    'kind', case when private.is_sandbox(tenant) then 'sandbox' else 'live' end,
    'sandbox_id', case when answers then private.own_sandbox() end);
end $function$;
CREATE OR REPLACE FUNCTION private.may(VARIADIC permissions text[])
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  claims constant jsonb := auth.jwt();
begin
  return exists (select from private.permissions granted
    where granted.permission = any (permissions) and private.holds(granted, claims));
end $function$;
CREATE OR REPLACE FUNCTION private.permitted(VARIADIC actions text[])
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  claims constant jsonb := auth.jwt();
begin
  return array(
    select split_part(granted.permission, ':', 2) from private.permissions granted
    where split_part(granted.permission, ':', 1) = any (actions)
      and private.holds(granted, claims)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.readable_events()
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return array(select event_kind.kind from private.event_kinds event_kind
    where private.may(event_kind.permission));
end $function$;
CREATE OR REPLACE FUNCTION private.require_readable_events(kinds text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  unreadable constant text := (select min(kind) from unnest(kinds) kind
    where kind <> all (private.readable_events()));
  scope constant text := (
    select permissions.scope
    from private.event_kinds event_kind
    join private.permissions on permissions.permission = event_kind.permission
    where event_kind.kind = unreadable
  );
begin
  if unreadable is null then
    return;
  elsif private.principal_type() = 'api_key' and scope is not null then
    perform private.refuse('scope_required',
      format('To be sent %s, an API key needs the scope %s.', unreadable, scope));
  end if;
  perform private.refuse('role_required',
    format(
      'This credential may not read what %s carries. Leave it out, or ask a tenant admin to register for it.',
      unreadable));
end $function$;
CREATE OR REPLACE FUNCTION private.begin_request(request jsonb, verb text, resource text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  claims constant jsonb := auth.jwt();
  needed private.permissions;
begin
  perform set_config('app.operation', coalesce(request ->> 'operation', ''), true),
    set_config('app.request_id', coalesce(request ->> 'request_id', ''), true),
    set_config('app.address', coalesce(request ->> 'address', ''), true);
  if claims ->> 'tenant_id' is null
    or claims ->> 'principal_type' is distinct from 'publishable_key'
    and not exists (select from public.tenants tenant where tenant.id = private.tenant_id()) then
    perform private.refuse('tenant_forbidden',
      'This credential does not belong to the tenant named by X-Tenant-Id.');
  end if;
  select permissions.* into needed
  from private.operations
  join private.permissions on permissions.permission = operations.permission
  where operations.verb = begin_request.verb and operations.operation = request ->> 'operation'
    and (begin_request.resource is null
    or split_part(operations.permission, ':', 2) = begin_request.resource);
  if not found or not private.holds(needed, claims) then
    perform private.refuse('role_required', 'This credential does not allow this operation.');
  end if;
  if coalesce((request ->> 'continues')::boolean, false) then
    return;
  end if;
  if private.principal_type() = 'service_role' then
    perform private.record_service_call(left(request ->> 'audit_reason', 1000));
  end if;
  if jsonb_typeof(request -> 'export') = 'object' then
    perform private.record_security_event('data.exported', null, null, request -> 'export');
  elsif jsonb_typeof(request -> 'dry_run') = 'object' then
    perform private.record_security_event('dry_run.done', request -> 'dry_run' ->> 'id', null,
      request -> 'dry_run');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_write(request jsonb, verb text, resource text DEFAULT NULL::text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  key constant jsonb := nullif(request -> 'idempotency', 'null'::jsonb);
  caller constant text := auth.jwt() ->> 'principal_id';
  stored private.idempotency_keys;
begin
  perform private.begin_request(request, verb, resource);
  if key is null then
    return null;
  end if;
  loop
    insert into private.idempotency_keys (tenant_id, principal, operation, key_hash, fingerprint)
    values (private.tenant_id(), caller, request ->> 'operation', key ->> 'key_hash',
      key ->> 'fingerprint')
    on conflict do nothing;
    if found then
      return null;
    end if;
    select * into stored from private.idempotency_keys idempotency_key
    where idempotency_key.tenant_id = private.tenant_id() and idempotency_key.principal = caller
      and idempotency_key.operation = request ->> 'operation'
      and idempotency_key.key_hash = key ->> 'key_hash';
    continue when not found;
    if stored.created_at < now() - interval '24 hours' then
      delete from private.idempotency_keys idempotency_key
      where idempotency_key.tenant_id = stored.tenant_id
        and idempotency_key.principal = stored.principal
        and idempotency_key.operation = stored.operation
        and idempotency_key.key_hash = stored.key_hash
        and idempotency_key.created_at = stored.created_at;
      continue;
    end if;
    if stored.fingerprint <> key ->> 'fingerprint' then
      perform private.refuse('idempotency_mismatch',
        'This idempotency key was used with a different request. Use a new key for a new request.');
    end if;
    return jsonb_build_object('replayed', true, 'body', stored.answer);
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.finish_request(request jsonb, body jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  key constant jsonb := nullif(request -> 'idempotency', 'null'::jsonb);
begin
  if key is not null then
    update private.idempotency_keys idempotency_key set answer = body
    where idempotency_key.tenant_id = private.tenant_id()
      and idempotency_key.principal = auth.jwt() ->> 'principal_id'
      and idempotency_key.operation = request ->> 'operation'
      and idempotency_key.key_hash = key ->> 'key_hash';
  end if;
  return jsonb_build_object('replayed', false, 'body', body);
end $function$;
CREATE OR REPLACE FUNCTION private.index_account()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.account_index as indexed_account (user_id, address, tenants)
  values (new.id, private.address_key(new.email),
    array(select tenant from unnest(private.tenants_of_claims(new.raw_app_meta_data)) tenant
      where length(tenant) <= 100))
  on conflict (user_id) do update set address = excluded.address, tenants = excluded.tenants;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.accounts_of(tenant text)
 RETURNS SETOF auth.users
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select account.* from private.account_index indexed_account
    join auth.users account on account.id = indexed_account.user_id
  where indexed_account.tenants @> array[private.live_tenant(tenant)] and account.deleted_at is null
    and private.roles_of_account(account.raw_app_meta_data, tenant) is not null;
end $function$;
CREATE OR REPLACE FUNCTION private.count_rows()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.row_counts as row_count (tenant_id, kind, shard, rows)
  select changed_row.tenant_id, tg_argv[0], private.own_shard(), count(*) * tg_argv[1]::bigint
  from changed changed_row
  group by 1
  order by 1
  on conflict on constraint row_counts_pkey do update set rows = row_count.rows + excluded.rows;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.quota_usage(tenant_id text, kind text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return case kind
    when 'api_keys' then (
      select count(*) from public.api_keys api_key
      where api_key.tenant_id = $1 and api_key.revoked_at is null
        and (api_key.expires_at is null or api_key.expires_at > now())
        and (api_key.grace_expires_at is null or api_key.grace_expires_at > now()))
    when 'webhooks' then (select count(*) from public.webhooks webhook
      where webhook.tenant_id = $1 and webhook.deleted_at is null)
    when 'reconciliations' then (select count(*) from public.reconciliations period
      where period.tenant_id = $1)
    when 'sources' then (select count(*) from public.sources source where source.tenant_id = $1)
    when 'exceptions' then (select sum(counter.breached + counter.at_risk + counter.on_track)
      from private.sla_counts counter where counter.tenant_id = $1)
    when 'members' then (
      select count(*) from private.accounts_of($1)
    ) + (
      select count(*)
      from public.invitations invitation
      where invitation.tenant_id = $1 and private.invitation_status(invitation) = 'pending')
    when 'lines' then (select sum(source.line_count) from public.sources source
      where source.tenant_id = $1)
    when 'evidence_mib' then (
      select ceil(sum(evidence.bytes)::numeric / 1048576) from public.evidence evidence
      where evidence.tenant_id = $1 and evidence.removed_at is null)
    else (select sum(counter.rows) from private.row_counts counter
      where counter.tenant_id = $1 and counter.kind = $2)
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.quota_limit(tenant_id text, kind text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return least((select quota.maximum from private.quotas quota where quota.kind = $2),
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
  quota constant bigint := private.quota_limit($1, $2);
begin
  if quota is null then
    return;
  end if;
  if kind in ('api_keys', 'webhooks', 'reconciliations', 'sources', 'members') then
    perform pg_advisory_xact_lock(hashtextextended('quota ' || $1 || ' ' || kind, 0));
  end if;
  if coalesce(private.quota_usage($1, kind), 0) + added <= quota then
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
CREATE OR REPLACE FUNCTION private.security_event_hash(event public.security_events)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return encode(
    sha256(
      convert_to(case when event.actor_issuer is null
        and event.actor_subject is null then json_build_array(
    'tieout.security_event.v1', event.tenant_id, event.seq::text, event.prev_hash, event.id,
    private.iso(event.at),
    event.type, event.actor, event.credential,
    event.home_tenant_id, event.cross_tenant::text, event.operation, event.target,
    host(event.address), event.request_id,
    event.reason, event.details::text
  ) else json_build_array(
    'tieout.security_event.v2', event.tenant_id, event.seq::text, event.prev_hash, event.id,
    private.iso(event.at),
    event.type, event.actor, event.credential,
    event.home_tenant_id, event.cross_tenant::text, event.operation, event.target,
    host(event.address), event.request_id,
    event.reason, event.details::text,
    event.actor_issuer, event.actor_subject
  ) end::text, 'UTF8')), 'hex');
end $function$;
CREATE OR REPLACE FUNCTION private.is_forgettable(event public.security_events)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return event.at < now(
    ) - make_interval(
      days => coalesce(
        (select tenant.security_event_retention_days from public.tenants tenant
          where tenant.id = event.tenant_id),
      400))
    and exists (select from private.security_event_checkpoints checkpoint
      where checkpoint.chain = event.chain and checkpoint.kind = 'prefix'
        and checkpoint.seq >= event.seq);
end $function$;
CREATE OR REPLACE FUNCTION private.guard_security_events()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'UPDATE' and old.hash is null then
    return new;
  elsif tg_op = 'DELETE' and private.is_forgettable(old) then
    return old;
  end if;
  raise exception using errcode = '42501', message = 'Security events are only ever added.';
end $function$;
CREATE OR REPLACE FUNCTION private.guard_security_event_checkpoints()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'DELETE' and old.at < now() - interval '1 hour' and exists (
    select
    from private.security_event_checkpoints checkpoint
    where checkpoint.chain = old.chain and checkpoint.kind = old.kind and checkpoint.seq > old.seq
  ) then
    return old;
  end if;
  raise exception using errcode = '42501', message = 'Checkpoints are only ever added.';
end $function$;
CREATE OR REPLACE FUNCTION private.complete_security_event()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  call_id text := nullif(current_setting('app.call_event', true), '');
begin
  new.credential := coalesce(new.credential, private.principal_type(), 'system');
  new.cross_tenant := new.cross_tenant or new.credential = 'service_role';
  new.seq := null;
  new.prev_hash := null;
  new.hash := null;
  if call_id is null or new.id = call_id then
    return new;
  end if;
  perform set_config('app.call_event', '', true);
  update public.security_events event set
    type = new.type, target = new.target, details = event.details || new.details || case
      when event.reason is not null
      and new.reason is not null then jsonb_build_object('reason', new.reason) else '{}' end,
    reason = coalesce(event.reason, new.reason)
  where event.chain = private.tenant_id() and event.id = call_id;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.chain_security_event()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  head private.security_event_heads;
  event public.security_events;
begin
  select * into head
  from private.security_event_heads chain_head
  where chain_head.chain = new.chain for no key update;
  if not found then
    insert into private.security_event_heads (chain) values (new.chain) on conflict do nothing;
    select * into head
    from private.security_event_heads chain_head
    where chain_head.chain = new.chain for no key update;
  end if;
  select * into event from public.security_events
  where security_events.chain = new.chain and security_events.id = new.id;
  event.seq := head.seq + 1;
  event.prev_hash := head.hash;
  event.hash := private.security_event_hash(event);
  update public.security_events
  set seq = event.seq, prev_hash = event.prev_hash, hash = event.hash
  where security_events.chain = event.chain and security_events.id = event.id;
  update private.security_event_heads chain_head set seq = event.seq, hash = event.hash
  where chain_head.chain = event.chain;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.merge_top_ten(left_side text[], right_side text[])
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return array(select distinct value from unnest(left_side || right_side) value
    where value is not null
    order by value limit 10);
end $function$;
CREATE OR REPLACE FUNCTION private.record_security_events(events jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  event jsonb;
  is_first boolean;
begin
  for event in
    select event.value || jsonb_build_object('tenant_id', known.tenant_id)
    from jsonb_array_elements(events) event
    cross join lateral (
      select case when event.value ->> 'email' is null then array[event.value ->> 'tenant_id']
        else private.tenants_of_email(event.value ->> 'email') end as ids
    ) named
    left join public.tenants tenant on tenant.id = any (named.ids)
    cross join lateral (select tenant.id as tenant_id) known
    where tenant.id is not null or coalesce((event.value ->> 'elsewhere')::boolean, false)
    order by known.tenant_id
  loop
    if event ->> 'bucket' is null then
      perform private.append_security_event(event);
      continue;
    end if;
    insert into private.security_event_counts as event_count (chain, bucket, minute, count, first,
      operations,
      targets, addresses)
    values (
      coalesce(event ->> 'tenant_id', '*'), event ->> 'bucket',
      date_trunc('minute', clock_timestamp()), (event ->> 'count')::bigint,
      event - '{request_id,bucket,count,email,elsewhere}'::text[],
      private.merge_top_ten('{}', array[event ->> 'operation']),
      private.merge_top_ten('{}', array[event ->> 'target']),
      private.merge_top_ten('{}', array[event ->> 'address'])
    )
    on conflict (chain, bucket, minute) do update set
      count = event_count.count + excluded.count,
      operations = private.merge_top_ten(event_count.operations, excluded.operations),
      targets = private.merge_top_ten(event_count.targets, excluded.targets),
      addresses = private.merge_top_ten(event_count.addresses, excluded.addresses)
    returning event_count.count = (event ->> 'count')::bigint into is_first;
    if is_first then
      perform private.append_security_event(event);
    end if;
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.report_security_event_counts()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  reported integer := 0;
  counted private.security_event_counts;
begin
  for counted in
    with over as (
      delete
      from private.security_event_counts event_count
      where event_count.minute < date_trunc('minute', clock_timestamp() - interval '5 seconds')
      returning event_count.*
    )
    select * from over order by chain, minute, bucket
  loop
    if counted.count > 1 then
      perform private.append_security_event(counted.first || jsonb_build_object(
        'operation', case when cardinality(counted.operations) = 1 then counted.operations[1] end,
        'target', case when cardinality(counted.targets) = 1 then counted.targets[1] end,
        'address', case when cardinality(counted.addresses) = 1 then counted.addresses[1] end,
        'details', coalesce(nullif(counted.first -> 'details', 'null'), '{}') || jsonb_build_object(
          'count', counted.count - 1, 'minute', private.iso(counted.minute),
          'operations', counted.operations,
          'targets', counted.targets, 'addresses', counted.addresses
        )
      ));
      reported := reported + 1;
    end if;
  end loop;
  return reported;
end $function$;
CREATE OR REPLACE FUNCTION private.security_event_json(event public.security_events)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', event.id, 'seq', event.seq, 'at', private.iso(event.at), 'type', event.type,
    'actor', event.actor,
    'actor_issuer', event.actor_issuer,
    'actor_subject', event.actor_subject, 'credential', event.credential,
    'home_tenant_id', event.home_tenant_id, 'cross_tenant', event.cross_tenant,
    'operation', event.operation,
    'target', event.target,
    'address', host(event.address), 'request_id', event.request_id, 'reason', event.reason,
    'details', event.details,
    'hash', event.hash, 'prev_hash', event.prev_hash
  );
end $function$;
CREATE OR REPLACE FUNCTION private.security_event_search_text(event public.security_events)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return lower(concat_ws(' ', event.actor, event.target, event.reason, event.details ->> 'name',
    event.details ->> 'target_name', event.details ->> 'reconciliation_name', event.details
      ->> 'file_name',
    event.details ->> 'email', event.details ->> 'url'));
end $function$;
CREATE OR REPLACE FUNCTION private.security_events_page(input jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  kind constant text := case when input ->> 'type' like '%.*' then left(input ->> 'type', -1) end;
  words constant text[] := private.word_patterns(input ->> 'q');
  items jsonb;
begin
  select jsonb_agg(private.security_event_json(event)
    order by event.at desc, event.seq desc) into items
  from (
    select * from public.security_events event
    where event.tenant_id = private.tenant_id() and event.seq is not null
      and (input -> 'after' ->> 0 is null
      or (event.at, event.seq) < ((input -> 'after' ->> 0)::timestamptz,
        (input -> 'after' ->> 1)::bigint))
      and (input ->> 'through' is null or event.seq <= (input ->> 'through')::bigint)
      and (input ->> 'type' is null or kind is not null or event.type = input ->> 'type')
      and (kind is null or starts_with(event.type, kind))
      and (input ->> 'actor' is null or event.actor = input ->> 'actor')
      and (input ->> 'target' is null or event.target = input ->> 'target')
      and (words = '{}' or private.security_event_search_text(event) like all (words))
      and (input ->> 'cross_tenant' is null
      or event.cross_tenant = (input ->> 'cross_tenant')::boolean)
      and (input ->> 'since' is null or event.at >= (input ->> 'since')::timestamptz)
      and (input ->> 'until' is null or event.at < (input ->> 'until')::timestamptz)
    order by event.at desc, event.seq desc
    limit page_size + 1
  ) event;
  return private.page(items, page_size, 'at', 'seq');
end $function$;
CREATE OR REPLACE FUNCTION public.get_security_event(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  event public.security_events;
begin
  perform private.begin_request(request, 'get_security_event');
  select * into event from public.security_events
  where security_events.chain = private.tenant_id() and security_events.id = input ->> 'id'
    and security_events.tenant_id = private.tenant_id() and security_events.seq is not null;
  if not found then
    perform private.refuse_missing('security event');
  end if;
  return private.security_event_json(event);
end $function$;
CREATE OR REPLACE FUNCTION private.checkpoint_json(checkpoint private.security_event_checkpoints)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'kind', checkpoint.kind, 'seq', checkpoint.seq, 'hash', checkpoint.hash,
    'at', private.iso(checkpoint.at), 'key_id', checkpoint.key_id,
    'signature', checkpoint.signature
  );
end $function$;
CREATE OR REPLACE FUNCTION private.security_event_texts(after bigint, through bigint, page_size integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(to_jsonb(event) order by event.seq::bigint, event.id)
    from (
      select event.seq::text, event.prev_hash, event.hash, event.id, private.iso(event.at) as at,
        event.type, event.actor,
        event.actor_issuer, event.actor_subject, event.credential,
        event.home_tenant_id, event.cross_tenant::text, event.operation, event.target,
        host(event.address) as address,
        event.request_id, event.reason, event.details::text
      from public.security_events event
      where event.chain = private.tenant_id() and event.tenant_id = private.tenant_id()
        and event.seq > after
        and event.seq <= through
      order by event.seq, event.id
      limit page_size
    ) event
  );
end $function$;
CREATE OR REPLACE FUNCTION public.open_security_event_export(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'open_security_event_export');
  return jsonb_build_object('through', (
    select coalesce(max(event.seq), 0)::text from public.security_events event
    where event.chain = private.tenant_id() and event.tenant_id = private.tenant_id()
      and event.seq is not null
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.unsigned_security_event_chains()
 RETURNS TABLE(chain text, seq bigint, hash text, at text, signed jsonb)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select chain_head.chain, chain_head.seq, chain_head.hash, private.iso(now()), last.signed
  from private.security_event_heads chain_head left join lateral (
    select checkpoint.seq, private.checkpoint_json(checkpoint) as signed
    from private.security_event_checkpoints checkpoint where checkpoint.chain = chain_head.chain
      and checkpoint.kind = 'head'
      order by checkpoint.seq desc limit 1
  ) last on true
  where chain_head.seq > coalesce(last.seq, 0);
end $function$;
CREATE OR REPLACE FUNCTION private.forgettable_security_events(max_count integer DEFAULT 50000)
 RETURNS TABLE(chain text, after bigint, through bigint, hash text, at text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select chain_head.chain, first.seq - 1, last.seq, last.hash, private.iso(now())
  from private.security_event_heads chain_head
  left join public.tenants tenant on tenant.id = chain_head.chain
  cross join lateral (select now()
    - make_interval(days => coalesce(tenant.security_event_retention_days, 400)) as moment) over
  cross join lateral (
    select event.seq, event.at
    from public.security_events event
    where event.chain = chain_head.chain and event.seq is not null
    order by event.seq
    limit 1
  ) first
  left join lateral (
    select event.seq from public.security_events event
    where event.chain = chain_head.chain and event.seq >= first.seq
      and (event.at >= over.moment or event.seq >= first.seq + max_count)
      order by event.seq limit 1
  ) kept on true
  cross join lateral (
    select event.seq, event.hash from public.security_events event
    where event.chain = chain_head.chain and event.seq < coalesce(kept.seq, chain_head.seq + 1)
    order by event.seq desc limit 1
  ) last
  where first.at < over.moment;
end $function$;
CREATE OR REPLACE FUNCTION private.purge_security_events(batch integer DEFAULT 5000)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  events integer;
  checkpoints integer;
begin
  delete from public.security_events event using (
    select forgotten.chain, forgotten.id from (
      select checkpoint.chain, max(checkpoint.seq) as seq
      from private.security_event_checkpoints checkpoint
      where checkpoint.kind = 'prefix'
      group by 1
    ) removed
    join public.security_events forgotten on forgotten.chain = removed.chain
      and forgotten.seq <= removed.seq
    limit batch
  ) old
  where event.chain = old.chain and event.id = old.id;
  get diagnostics events = row_count;
  delete from private.security_event_checkpoints checkpoint using (
    select aged.chain, aged.kind, aged.seq,
      max(aged.seq) over (partition by aged.chain, aged.kind) as newest,
      row_number() over (
      partition by aged.chain, aged.kind,
      date_trunc(case when aged.at > now() - interval '1 day' then 'hour'
        else 'day' end, aged.at at time zone 'UTC')
      order by aged.seq desc
    ) as nth
    from private.security_event_checkpoints aged
    where aged.at < now() - interval '1 hour'
  ) older
  where checkpoint.chain = older.chain and checkpoint.kind = older.kind
    and checkpoint.seq = older.seq and older.nth > 1
    and older.seq < older.newest;
  get diagnostics checkpoints = row_count;
  return events + checkpoints;
end $function$;
CREATE OR REPLACE FUNCTION private.set_security_event_retention(tenant_id text, days integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  before integer;
begin
  select tenant.security_event_retention_days into before
  from public.tenants tenant
  where tenant.id = $1 for no key update;
  if not found then
    perform private.refuse('not_found', format('There is no tenant %s.', $1));
  elsif days is null or days not between 30 and 3660 then
    perform private.refuse('invalid_request', 'Must be 30 to 3660 days.');
  end if;
  if days <> before then
    update public.tenants tenant set security_event_retention_days = days where tenant.id = $1;
    perform private.append_security_event(jsonb_build_object(
      'tenant_id', $1, 'type', 'security_events.retention_changed', 'actor', 'operator',
      'credential', 'system',
      'details', jsonb_build_object('days', jsonb_build_object('from', before, 'to', days))
    ));
  end if;
  return before;
end $function$;
CREATE OR REPLACE FUNCTION private.guard_period(after public.reconciliations, before public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := after.tenant_id;
begin
  perform private.require_computed_fields(after, before);
  if before.id is not null then
    perform private.require_not_closing(tenant, after.pair_no, after.id);
  end if;
  if before.id is not null
    and (after.period_start, after.period_end) = (before.period_start, before.period_end) then
    return;
  end if;
  if not exists (
    select from public.pairs pair
    join public.sources left_source on left_source.tenant_id = pair.tenant_id
      and left_source.source_no = pair.left_source_no
      and left_source.id = after.left_source_id
    join public.sources right_source on right_source.tenant_id = pair.tenant_id
      and right_source.source_no = pair.right_source_no
      and right_source.id = after.right_source_id
    where pair.tenant_id = tenant and pair.pair_no = after.pair_no
  ) then
    perform private.refuse_field('left_source_id',
      'These are not the sources of this pair. Create the reconciliation by POST /v1/reconciliations.');
  end if;
  perform private.require_free_days(after, before);
end $function$;
CREATE OR REPLACE FUNCTION private.reconciliation_json(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', period.id, 'name', period.name, 'status', period.status,
    'period_start', period.period_start,
    'period_end', period.period_end,
    'left_source', period.left_source, 'right_source', period.right_source,
    'left_source_id', period.left_source_id, 'right_source_id', period.right_source_id,
    'auto_run', period.auto_run,
    'preparing', private.is_preparing(period.tenant_id, period.pair_no),
    'matched_count', case when period.pair_no is null then period.matched_count else coalesce((
      select matched_count.lines
      from private.matched_counts matched_count
      where matched_count.tenant_id = period.tenant_id
        and matched_count.reconciliation_id = period.id),
        0) end,
    'unmatched_count',
    case when period.pair_no is null then period.unmatched_count when period.closed_at is not null
      then (
      select count(*)
      from public.carried_lines carried_line
      where carried_line.tenant_id = period.tenant_id
        and carried_line.reconciliation_id = period.id)
    else (
      select count(*)
      from private.open_lines open_line
      where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
        and open_line.value_date <= period.period_end) end,
    'excluded_count', (select count(*) from public.exclusions exclusion
      where exclusion.tenant_id = period.tenant_id and exclusion.reconciliation_id = period.id),
    'closed_at', private.iso(period.closed_at), 'closed_by', period.closed_by,
    'sign_off', case when period.pair_no is not null then private.sign_off_json(period) end,
    'closing', private.is_closing(period.tenant_id, period.pair_no, period.id), 'closing_failure', (
      select closing_request.failure
      from private.closing_requests closing_request
      where closing_request.tenant_id = period.tenant_id
        and closing_request.reconciliation_id = period.id
        and period.status <> 'archived'),
    'open_exceptions', (
      select count(*) from public.exceptions exception
      where exception.tenant_id = period.tenant_id and exception.reconciliation_id = period.id
        and exception.status in ('open', 'in_review')
    ),
    'created_at', private.iso(period.created_at), 'created_by', period.created_by,
    'updated_at', private.iso(period.updated_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.reconciliation_version(period public.reconciliations)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.version_of(jsonb_build_array(
    period.name, period.status, period.period_start, period.period_end, period.left_source,
    period.right_source, period.matched_count,
    period.unmatched_count, period.left_source_id,
    period.right_source_id, period.auto_run, period.closed_at
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.get_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
begin
  perform private.begin_request(request, 'get_reconciliation');
  select * into period
  from public.reconciliations
  where reconciliations.tenant_id = private.tenant_id() and reconciliations.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('reconciliation');
  end if;
  return private.reconciliation_json(period)
    || jsonb_build_object('version', private.reconciliation_version(period));
end $function$;
CREATE OR REPLACE FUNCTION public.update_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_reconciliation');
  before public.reconciliations;
  after public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.lock_pair_of(input ->> 'id');
  select * into before
  from public.reconciliations period
  where period.tenant_id = private.tenant_id() and period.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('reconciliation');
  end if;
  perform private.require_version(private.reconciliation_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  if after is distinct from before then
    update public.reconciliations period set
      name = after.name, status = after.status, period_start = after.period_start,
      period_end = after.period_end,
      left_source = after.left_source, right_source = after.right_source,
      matched_count = after.matched_count, unmatched_count = after.unmatched_count,
      auto_run = after.auto_run
    where period.tenant_id = before.tenant_id and period.id = before.id
    returning * into after;
  end if;
  return private.finish_request(request,
    private.reconciliation_json(after)
      || jsonb_build_object('version', private.reconciliation_version(after)));
end $function$;
CREATE OR REPLACE FUNCTION public.list_reconciliations(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_reconciliations');
  select jsonb_agg(private.reconciliation_json(period) order by period.id desc) into items
  from (
    select * from public.reconciliations period
    where period.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or period.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or period.status = input ->> 'status')
      and (input ->> 'left_source_id' is null or period.left_source_id = input ->> 'left_source_id')
      and (input ->> 'right_source_id' is null
      or period.right_source_id = input ->> 'right_source_id')
      and (input ->> 'period_from' is null or period.period_end >= (input ->> 'period_from')::date)
      and (input ->> 'period_to' is null or period.period_start <= (input ->> 'period_to')::date)
    order by period.id desc
    limit page_size + 1
  ) period;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.source_json(source public.sources)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', source.id, 'name', source.name, 'kind', source.kind, 'currency', source.currency,
    'time_zone', source.time_zone,
    'sign', source.sign, 'mapping', source.mapping,
    'grace_days', source.grace_days, 'line_count', source.line_count,
    'last_import_at', private.iso(source.last_import_at),
    'created_at', private.iso(source.created_at), 'created_by', source.created_by,
    'updated_at', private.iso(source.updated_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.source_version(source public.sources)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.version_of(
    jsonb_build_array(source.name, source.kind, source.currency, source.time_zone, source.sign,
      source.mapping, source.grace_days));
end $function$;
CREATE OR REPLACE FUNCTION private.find_source(id text)
 RETURNS public.sources
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  source public.sources;
begin
  select * into source from public.sources where sources.tenant_id = private.tenant_id()
    and sources.id = $1;
  if not found then
    perform private.refuse_missing('source');
  end if;
  return source;
end $function$;
CREATE OR REPLACE FUNCTION private.source_facts(source public.sources)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('name', source.name, 'kind', source.kind, 'currency', source.currency,
    'time_zone', source.time_zone, 'sign', source.sign, 'grace_days', source.grace_days,
    'mapping', source.mapping);
end $function$;
CREATE OR REPLACE FUNCTION public.get_source(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  source public.sources;
begin
  perform private.begin_request(request, 'get_source');
  source := private.find_source(input ->> 'id');
  return private.source_json(source)
    || jsonb_build_object('version', private.source_version(source));
end $function$;
CREATE OR REPLACE FUNCTION public.update_source(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_source');
  before public.sources;
  after public.sources;
begin
  if replayed is not null then
    return replayed;
  end if;
  -- Exclusively if its currency or sign changes, with which its lines are read.
  perform private.lock_sources_exclusively(source.tenant_id, array[source.source_no])
    from public.sources source
  where source.tenant_id = private.tenant_id() and source.id = input ->> 'id'
    and (coalesce(input #>> '{patch,currency}', source.currency),
      coalesce(input #>> '{patch,sign}', source.sign)) <> (source.currency, source.sign);
  select * into before
  from public.sources source
  where source.tenant_id = private.tenant_id() and source.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('source');
  end if;
  perform private.require_version(private.source_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  after.mapping := nullif(after.mapping, 'null');
  if after is distinct from before then
    update public.sources source set
      name = after.name, kind = after.kind, currency = after.currency, time_zone = after.time_zone,
      sign = after.sign,
      mapping = after.mapping, grace_days = after.grace_days
    where source.tenant_id = before.tenant_id and source.id = before.id
    returning * into after;
    perform private.record_security_event('source.updated', after.id, null, (
      select jsonb_build_object('name', after.name, 'changes', coalesce(jsonb_object_agg(
        new_field.key, jsonb_build_object('from', old_field.value, 'to', new_field.value)), '{}'))
      from jsonb_each(private.source_facts(after)) new_field
      join jsonb_each(private.source_facts(before)) old_field on old_field.key = new_field.key
      where old_field.value is distinct from new_field.value
    ));
  end if;
  return private.finish_request(request,
    private.source_json(after) || jsonb_build_object('version', private.source_version(after)));
end $function$;
CREATE OR REPLACE FUNCTION public.list_sources(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  patterns constant text[] := private.word_patterns(coalesce(input ->> 'q', ''));
  items jsonb;
begin
  perform private.begin_request(request, 'list_sources');
  select jsonb_agg(private.source_json(source) order by source.id desc) into items
  from (
    select * from public.sources source
    where source.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or source.id < input -> 'after' ->> 0)
      and (input ->> 'kind' is null or source.kind = input ->> 'kind')
      and lower(source.name) like all (patterns)
    order by source.id desc
    limit page_size + 1
  ) source;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.max_lines_in_request()
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN 20000;
CREATE OR REPLACE FUNCTION private.line_no_of(id text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
AS $function$
declare
  sought constant uuid := private.line_id($1);
begin
  return (select line.line_no from public.lines line
    where line.tenant_id = private.tenant_id() and line.id >= sought and line.id <= sought
    order by line.id
    limit 1);
end $function$;
CREATE OR REPLACE FUNCTION private.fee_of_whole(line public.lines, minor bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case
    when line.fee_minor is null
      or sign(line.amount_minor - line.fee_minor) <> sign(line.amount_minor) then 0
    when minor = line.amount_minor then line.fee_minor when minor = -line.amount_minor
      then -line.fee_minor
    else 0
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.line_text(line public.lines)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return lower(concat_ws(' ', line.reference, line.counterparty, line.description,
    line.external_id)) || ' ='
    || abs(line.amount_minor)
    || case when line.amount_minor < 0 then '-' else '+' end;
end $function$;
CREATE OR REPLACE FUNCTION private.line_search(search text, text_of text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select string_agg('(' || (
      select string_agg(format('%s like %L', text_of, pattern), ' or ')
      from unnest(private.line_patterns(word)) pattern
      where pattern is not null
    ) || ')', ' and ')
    from regexp_split_to_table(lower(search), '\s+') word where word <> ''
  );
end $function$;
CREATE OR REPLACE FUNCTION private.has_trigrams(search text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from regexp_split_to_table(lower(search), '\s+') word
    where word <> ''
      and (select bool_and(pattern ~ '[[:alnum:]]{3}')
        from unnest(private.line_patterns(word)) pattern where pattern is not null)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.find_lines_of_caller(search text, source_nos integer[], max_count integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  is_named constant boolean := private.has_trigrams(search)
    and (select sum(source.line_count) from public.sources source
      where source.tenant_id = tenant) > 50000;
  found bigint[];
  waiting bigint[];
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return '{}';
  end if;
  -- An expression has no index.
  execute format(
    'select array(
      select line_text.line_no from private.line_texts line_text
      where %s = $1 and line_text.source_no = any ($2) and %s limit $3)',
    case when is_named then $c$(line_text.tenant_id || '')$c$ else 'line_text.tenant_id' end,
    private.line_search(search,
      case when is_named then 'line_text.text' else $c$(line_text.text || '')$c$ end))
  into found using tenant, source_nos, max_count + 1;
  if cardinality(found) > max_count then
    return null;
  end if;
  execute 'select array(
      select line.line_no from private.line_spans span cross join lateral (
        select line.line_no, line.source_no, private.line_text(line) as text from public.lines line
        where line.tenant_id = $1 and line.line_no between span.first_line_no and span.last_line_no
        offset 0
      ) line
      where span.tenant_id = $1 and span.source_no = any ($2) and line.source_no = span.source_no
        and ' || private.line_search(search, 'line.text') || ' limit $3)'
  into waiting using tenant, source_nos, max_count + 1;
  return case when cardinality(found) + cardinality(waiting) <= max_count then found || waiting end;
end $function$;
CREATE OR REPLACE FUNCTION private.stage_lines()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if to_regclass('pg_temp.staged_lines') is not null then
    if exists (select from pg_class class
      where class.oid = to_regclass('pg_temp.staged_lines')
        and class.relowner <> current_user::regrole) then
      raise exception 'staged_lines is not ours';
    end if;
    return;
  end if;
  create temporary table staged_lines (
    position integer not null,
    file_line integer,
    external_id text,
    amount_minor bigint not null,
    fee_minor bigint,
    currency text not null,
    value_date date not null,
    booked_date date,
    reference text,
    counterparty text,
    description text,
    group_key text,
    details jsonb,
    -- Another line has the same external_id: see private.mark_ids_reused_in_file.
    reused boolean not null default false,
    -- Several lines of the file have this external_id, so that equal ones are numbered.
    id_is_shared boolean not null default false,
    is_second_pass boolean not null default false,
    key bytea not null generated always as (private.line_key(
      external_id, amount_minor, currency, value_date, booked_date, reference, counterparty,
      description, group_key, details, reused
    )) stored
  ) on commit delete rows;
  create temporary table repeated_lines (position integer not null, nth integer not null)
    on commit delete rows;
end $function$;
CREATE OR REPLACE FUNCTION private.number_repeated_lines(is_second_pass boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into pg_temp.repeated_lines (position, nth)
  select staged_lines.position, row_number() over (partition by staged_lines.key
    order by staged_lines.position)
  from pg_temp.staged_lines
  where staged_lines.is_second_pass = $1 and staged_lines.key in (
    select staged_lines.key from pg_temp.staged_lines where staged_lines.is_second_pass = $1
    group by staged_lines.key having count(*) > 1
  );
end $function$;
CREATE OR REPLACE FUNCTION private.conflicts_of_staged(tenant text, source text, OUT conflict_count bigint, OUT conflicts jsonb)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  select count(*), coalesce(jsonb_agg(to_jsonb(conflict) - 'place' order by conflict.position)
    filter (where conflict.place <= 100), '[]')
  into conflict_count, conflicts
  from (
    select row_number() over (order by staged_lines.position) as place, staged_lines.position,
      staged_lines.file_line, staged_lines.external_id,
      staged_lines.amount_minor || ' ' || staged_lines.currency as found,
      line.amount_minor || ' ' || line.currency as wanted
    from pg_temp.staged_lines
    join public.lines line on line.tenant_id = tenant
      and line.id = private.line_identity(source, staged_lines.key, 0)
    where staged_lines.external_id is not null
      and (line.amount_minor, line.currency) is distinct from (staged_lines.amount_minor,
        staged_lines.currency)
  ) conflict;
end $function$;
CREATE OR REPLACE FUNCTION private.items_of_staged(source text, kept_ids uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(
      jsonb_build_object('index', item.position, 'id', private.line_id_text(item.id),
        'duplicate', item.nth > 1 or item.id <> all (kept_ids))
      order by item.position)
    from (
      select staged_lines.position, case when staged_lines.external_id is null then 1
        else coalesce(repeated_lines.nth, 1) end as nth,
        private.line_identity(source, staged_lines.key,
          case when staged_lines.external_id is null then coalesce(repeated_lines.nth, 1)
            else 0 end) as id
      from pg_temp.staged_lines left join pg_temp.repeated_lines
        on repeated_lines.position = staged_lines.position
    ) item
  );
end $function$;
CREATE OR REPLACE FUNCTION private.count_arrived(tenant text, source_no integer, accepted bigint, first_line_no bigint, last_line_no bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enforce_quota(tenant, 'lines', accepted);
  update public.sources source
  set line_count = source.line_count + accepted
  where source.tenant_id = tenant and source.source_no = count_arrived.source_no;
  perform private.lines_arrived(tenant, source_no, first_line_no, last_line_no);
  if exists (select from public.period_signatures signature
    where signature.tenant_id = tenant and signature.revoked_at is null) then
    perform private.revoke_signatures_of_source(tenant, source_no,
      (select min(staged_lines.value_date) from pg_temp.staged_lines), 'Lines arrived.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.insert_staged_lines(tenant_id text, source_no integer, import_id text, ids_are_unique boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  source public.sources;
  staged constant bigint := (select count(*) from pg_temp.staged_lines);
  accepted bigint;
  accepted_again bigint;
  kept_ids uuid[];
  first_no bigint;
  last_no bigint;
  first_no_again bigint;
  last_no_again bigint;
  conflict_count bigint := 0;
  conflicts jsonb := '[]';
begin
  perform private.lock_source($1, $2);
  select * into strict source from public.sources where sources.tenant_id = $1
    and sources.source_no = $2;
  if staged > 10000 then
    analyze pg_temp.staged_lines (key);
  end if;
  if not ids_are_unique then
    perform private.mark_ids_reused_in_file($1, source.id);
  end if;
  perform private.number_repeated_lines(false);
  -- If the source can't have any of them yet, nothing is looked up, which halves the time. If
  -- others add lines to the source at the same time, the lookup is made.
  begin
    execute private.insert_of_staged(source.line_count > 0 or $3 is null)
      into accepted, kept_ids, first_no, last_no
      using $1, $2, $3, source.id, source.sign, false;
  exception when unique_violation then
    execute private.insert_of_staged(true) into accepted, kept_ids, first_no, last_no
      using $1, $2, $3, source.id, source.sign, false;
  end;
  if accepted < staged and not ids_are_unique
    and private.mark_ids_reused_in_source($1, source.id) > 0 then
    perform private.number_repeated_lines(true);
    execute private.insert_of_staged(true)
      into accepted_again, kept_ids, first_no_again, last_no_again
      using $1, $2, $3, source.id, source.sign, true;
    accepted := accepted + accepted_again;
  end if;
  if accepted < staged and ids_are_unique then
    select conflict.conflict_count, conflict.conflicts into conflict_count, conflicts
    from private.conflicts_of_staged($1, source.id) conflict;
  end if;
  if accepted > 0 then
    perform private.count_arrived($1, $2, accepted, least(first_no, first_no_again),
      greatest(last_no, last_no_again));
  end if;
  return jsonb_build_object(
    'staged', staged, 'accepted', accepted, 'duplicates', staged - accepted - conflict_count,
    'conflicts', conflicts, 'conflict_count', conflict_count,
    'items', case when $3 is null then private.items_of_staged(source.id, kept_ids) end
  );
end $function$;
CREATE OR REPLACE FUNCTION private.stage_lines_of(lines jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.stage_lines();
  insert into pg_temp.staged_lines (
    position, external_id, amount_minor, fee_minor, currency, value_date, booked_date, reference,
    counterparty, description, group_key, details
  )
  select input_line.place - 1,
    input_line.line ->> 'external_id', (input_line.line ->> 'amount_minor')::bigint,
    (input_line.line ->> 'fee_minor')::bigint,
    input_line.line ->> 'currency', (input_line.line ->> 'value_date')::date,
    (input_line.line ->> 'booked_date')::date,
    input_line.line ->> 'reference', input_line.line ->> 'counterparty',
    input_line.line ->> 'description', input_line.line ->> 'group_key',
    nullif(input_line.line -> 'details', 'null')
  from jsonb_array_elements(lines) with ordinality input_line (line, place);
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
  kept := private.insert_staged_lines(private.tenant_id(), source_no, null, true);
  if (kept ->> 'conflict_count')::bigint > 0 then
    perform private.refuse('invalid_request',
      'The request is not valid: see errors for each place.', (
      select jsonb_agg(jsonb_build_object(
        'path', format('lines.%s.external_id', conflict ->> 'position'),
        'message', format(
          'There is a line with this external_id and another amount, %s in minor units: give each line its own.',
          conflict ->> 'wanted')
      )) from jsonb_array_elements(kept -> 'conflicts') conflict
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
  source public.sources;
  known jsonb;
begin
  select * into strict source from public.sources
  where sources.tenant_id = private.tenant_id() and sources.source_no = known_lines.source_no;
  perform private.stage_lines_of(lines);
  if not ids_are_unique then
    perform private.mark_ids_reused_in_file(source.tenant_id, source.id);
    perform private.mark_ids_reused_in_source(source.tenant_id, source.id);
  end if;
  perform private.number_repeated_lines(false);
  perform private.number_repeated_lines(true);
  select coalesce(jsonb_agg(staged_lines.position order by staged_lines.position), '[]') into known
  from pg_temp.staged_lines left join pg_temp.repeated_lines
    on repeated_lines.position = staged_lines.position
  cross join lateral (select coalesce(repeated_lines.nth, 1) as nth) numbered
  where staged_lines.external_id is not null and not staged_lines.id_is_shared and numbered.nth > 1
    or exists (
    select from public.lines line
    where line.tenant_id = source.tenant_id
      and line.id = private.line_identity(source.id, staged_lines.key,
        numbered.nth - (staged_lines.external_id is not null)::integer)
  );
  delete from pg_temp.repeated_lines;
  delete from pg_temp.staged_lines;
  return known;
end $function$;
CREATE OR REPLACE FUNCTION private.mark_ids_reused_in_file(tenant_id text, source_id text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  with repeated as (
    select reused.external_id from pg_temp.staged_lines reused
    where reused.external_id is not null
    group by reused.external_id having count(*) > 1
  ), shared as (
    select reused.external_id,
      (array_agg(reused.position order by reused.position))[1] as first_position,
      (array_agg(reused.key order by reused.position))[1] as key
    from pg_temp.staged_lines reused join repeated on repeated.external_id = reused.external_id
    group by reused.external_id
    having count(distinct private.content_of_id(
      reused.amount_minor, reused.currency, reused.value_date, reused.counterparty,
      reused.description
    )) > 1
  ), owned as (
    select shared.external_id, private.content_of_id(
      coalesce(known.amount_minor, staged_lines.amount_minor),
      coalesce(known.currency, staged_lines.currency),
      coalesce(known.value_date, staged_lines.value_date),
      case when known.id is null then staged_lines.counterparty else known.counterparty end,
      case when known.id is null then staged_lines.description else known.description end
    ) as content
    from shared
    join pg_temp.staged_lines on staged_lines.position = shared.first_position
    left join public.lines known
      on known.tenant_id = $1 and known.id = private.line_identity($2, shared.key, 0)
  )
  update pg_temp.staged_lines line
  set id_is_shared = true, reused = owned.content <> private.content_of_id(
    line.amount_minor, line.currency, line.value_date, line.counterparty, line.description
  )
  from owned
  where line.external_id = owned.external_id;
end $function$;
CREATE OR REPLACE FUNCTION private.mark_ids_reused_in_source(tenant_id text, source_id text)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  marked bigint;
begin
  update pg_temp.staged_lines set reused = true, is_second_pass = true
  from public.lines known
  where staged_lines.external_id is not null and not staged_lines.reused
    and known.tenant_id = $1 and known.id = private.line_identity($2, staged_lines.key, 0)
    and private.content_of_id(
      known.amount_minor, known.currency, known.value_date, known.counterparty, known.description
    ) <> private.content_of_id(
      staged_lines.amount_minor, staged_lines.currency, staged_lines.value_date,
      staged_lines.counterparty, staged_lines.description
    );
  get diagnostics marked = row_count;
  return marked;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_json(tenant text, pair integer, line_nos bigint[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
begin
  return (
    with found as materialized (
      select requested.place, line.*
      from unnest(line_nos) with ordinality requested (line_no, place)
      cross join lateral (
        select * from public.lines line
        where line.tenant_id = tenant and line.line_no = requested.line_no offset 0
      ) line
    ), of_sources as materialized (
      select source.source_no, source.id, array(
        select pairs.pair_no from public.pairs
        where pairs.tenant_id = tenant
          and source.source_no in (pairs.left_source_no, pairs.right_source_no)
          and (pair is null or pairs.pair_no = pair) and pairs.opening is null
        order by pairs.pair_no
      ) as pair_nos
      from public.sources source
      where source.tenant_id = tenant
        and source.source_no in (select line.source_no from found line)
    )
    select jsonb_agg(jsonb_build_object(
      'id', private.line_id_text(line.id), 'source_id', source.id, 'import_id', line.import_id,
      'file_line', line.file_line, 'external_id', line.external_id,
      'amount_minor', line.amount_minor, 'fee_minor', line.fee_minor, 'currency', line.currency,
      'value_date', line.value_date, 'booked_date', line.booked_date, 'reference', line.reference,
      'counterparty', line.counterparty, 'description', line.description,
      'group_key', line.group_key, 'details', coalesce(line.details, '{}'),
      'state', case
        when source.pair_nos = '{}' or standing.open_minor = standing.amount_minor then 'open'
        when standing.open_minor is not null then 'partly_matched'
        when exists (
          select from public.exclusions exclusion
          where exclusion.tenant_id = tenant and exclusion.pair_no = standing.pair_no
            and exclusion.line_no = line.line_no offset 0
        ) then 'excluded'
        else 'matched' end,
      -- With the sign as posted: a pair negates the amounts of an inverted source.
      'open_minor', case
        when source.pair_nos = '{}' then line.amount_minor
        when standing.open_minor is null then 0
        when sign(standing.amount_minor) = sign(line.amount_minor) then standing.open_minor
        else -standing.open_minor end,
      'match_ids', (
        select coalesce(jsonb_agg(private.match_id_text(match.id) order by match.id), '[]')
        from public.match_members member
        cross join lateral (
          select match.id from public.matches match
          where match.tenant_id = tenant and match.id = member.match_id
            and match.state = 'confirmed'
          offset 0
        ) match
        where member.tenant_id = tenant and member.line_no = line.line_no
          and (pair is null or member.pair_no = pair)
      ),
      'exception_id', (
        select exception.id
        from (
          select exception_line.exception_id from private.exception_lines exception_line
          where exception_line.tenant_id = tenant and exception_line.line_no = line.line_no offset 0
        ) exception_line cross join lateral (
          select exception.id from public.exceptions exception
          where exception.tenant_id = tenant and exception.id = exception_line.exception_id
            and exception.status in ('open', 'in_review') offset 0
        ) exception
        order by exception.id desc limit 1
      ),
      'created_at', private.iso(line.created_at)
    ) order by line.place)
    from found line
    join of_sources source on source.source_no = line.source_no
    left join lateral (
      select own_pair.pair_no, open_line.amount_minor, open_line.open_minor
      from unnest(source.pair_nos) own_pair (pair_no)
      left join lateral (
        select open_line.amount_minor, open_line.open_minor from private.open_lines open_line
        where open_line.tenant_id = tenant and open_line.pair_no = own_pair.pair_no
          and open_line.line_no = line.line_no offset 0
      ) open_line on true
      order by abs(open_line.open_minor) desc nulls last, own_pair.pair_no limit 1
    ) standing on true
  );
end $function$;
CREATE OR REPLACE FUNCTION public.add_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'add_lines');
  source public.sources;
  added jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  source := private.find_source(input ->> 'source_id');
  added := private.add_lines(source.source_no, (
    select jsonb_agg(jsonb_build_object('currency', source.currency) || input_line.line
      order by input_line.place)
    from jsonb_array_elements(input -> 'lines') with ordinality input_line (line, place)
  ));
  -- After the locks of the pair: decisions record their work with these held.
  perform private.record_source_work(source.source_no);
  return private.finish_request(request, jsonb_build_object(
    'accepted_count', added -> 'accepted', 'duplicate_count', added -> 'duplicates',
    'items', added -> 'items'
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.get_line(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  line public.lines;
begin
  perform private.begin_request(request, 'get_line');
  select * into line
  from public.lines
  where lines.tenant_id = private.tenant_id() and lines.id = private.line_id(input ->> 'id');
  if not found then
    perform private.refuse_missing('line');
  end if;
  return private.lines_json(line.tenant_id, null, array[line.line_no]) -> 0;
end $function$;
CREATE OR REPLACE FUNCTION private.first_line_since(since timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  low bigint := 0;
  high bigint;
  middle bigint;
  probe record;
begin
  select line.line_no + 1 into high from public.lines line
  where line.tenant_id = tenant order by line.line_no desc limit 1;
  while low < high loop
    middle := (low + high) / 2;
    select line.line_no, line.created_at into probe from public.lines line
    where line.tenant_id = tenant and line.line_no >= middle order by line.line_no limit 1;
    if probe.created_at < since - interval '1 hour' then
      low := probe.line_no + 1;
    else
      high := middle;
    end if;
  end loop;
  return low;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_matched_since(since timestamp with time zone, max_count integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET jit TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  first_id constant uuid := rpad(private.id_time(since - interval '10 minutes'), 32, '0');
begin
  return array(
    select settled_member.line_no from (
      select match.id from public.matches match
      where match.tenant_id = tenant and match.id >= first_id and match.created_at >= since
        and match.state <> 'suggested'
      union all
      select match.id from public.matches match
      where match.tenant_id = tenant and match.decided_at >= since
      union all
      select unnest(act.match_ids) from private.acts act
      where act.tenant_id = tenant and act.undone_at >= since
    ) match
    cross join lateral (select member.line_no from public.match_members member
      where member.tenant_id = tenant and member.match_id = match.id offset 0) settled_member
    limit max_count + 1
  );
end $function$;
CREATE OR REPLACE FUNCTION private.lines_handled_since(since timestamp with time zone, max_count integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET jit TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  first_id constant text := 'dec_' || private.id_time(since - interval '10 minutes');
begin
  return array(
    select line.line_no from (
      select act.line_id from private.acts act
      where act.tenant_id = tenant and act.id >= first_id and act.created_at >= since
      union all
      select act.line_id from private.acts act
      where act.tenant_id = tenant and act.undone_at >= since
    ) act
    cross join lateral (select line.line_no from public.lines line
      where line.tenant_id = tenant and line.id = act.line_id offset 0) line
    union all
    select exception_line.line_no
    from (select exception.id from public.exceptions exception
      where exception.tenant_id = tenant and exception.updated_at >= since) exception
    cross join lateral (select exception_line.line_no from private.exception_lines exception_line
      where exception_line.tenant_id = tenant and exception_line.exception_id = exception.id
      offset 0) exception_line
    limit max_count + 1
  );
end $function$;
CREATE OR REPLACE FUNCTION private.lines_since(since timestamp with time zone, first_no bigint, max_count integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  line_nos bigint[] := array(
    select line.line_no from public.lines line
    where line.tenant_id = tenant and line.line_no >= first_no and line.created_at >= since
    limit max_count + 1
  );
begin
  if cardinality(line_nos) <= max_count then
    line_nos := line_nos || private.lines_matched_since(since, max_count);
  end if;
  if cardinality(line_nos) <= max_count then
    line_nos := line_nos || private.lines_handled_since(since, max_count);
  end if;
  return case when cardinality(line_nos) <= max_count then array(
    select distinct touched.line_no from unnest(line_nos) touched (line_no)) end;
end $function$;
CREATE OR REPLACE FUNCTION private.line_changed_since()
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return $c$(x.line_no >= $10 and x.created_at >= $9
    or exists (
      select from public.match_members member
      cross join lateral (select match.* from public.matches match
        where match.tenant_id = $1 and match.id = member.match_id offset 0) match
      where member.tenant_id = $1 and member.line_no = x.line_no
        and (match.decided_at >= $9 or match.created_at >= $9 and match.state <> 'suggested')
      offset 0)
    or exists (
      select from private.acts act
      where act.tenant_id = $1 and act.line_id = x.id
        and greatest(act.created_at, act.undone_at) >= $9
      offset 0)
    or exists (
      select from private.exception_lines exception_line
      cross join lateral (select exception.updated_at from public.exceptions exception
        where exception.tenant_id = $1 and exception.id = exception_line.exception_id
        offset 0) exception
      where exception_line.tenant_id = $1 and exception_line.line_no = x.line_no
        and exception.updated_at >= $9 offset 0))$c$;
end $function$;
CREATE OR REPLACE FUNCTION private.line_state_condition(what text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case what
    when 'matched' then $c$exists (
      select from public.match_members member cross join lateral (
        select from public.matches match
        where match.tenant_id = $1 and match.id = member.match_id
          and match.reconciliation_id = $3.id
          and match.state = 'confirmed' offset 0
      ) match
        where member.tenant_id = $1 and member.line_no = x.line_no
          and member.pair_no = $3.pair_no offset 0)$c$
    when 'excluded' then $c$exists (
      select from public.exclusions exclusion
      where exclusion.tenant_id = $1 and exclusion.pair_no = $3.pair_no
        and exclusion.line_no = x.line_no
        and exclusion.reconciliation_id = $3.id offset 0)$c$
    when 'open'
      then 'exists (
      select from private.open_lines open_line
      where open_line.tenant_id = $1 and open_line.pair_no = $3.pair_no
        and open_line.line_no = x.line_no offset 0)'
    when 'carried' then
      'exists (
      select from public.carried_lines carried_line
      where carried_line.tenant_id = $1 and carried_line.reconciliation_id = $3.id
        and carried_line.line_no = x.line_no offset 0)'
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.narrow_by_state(period public.reconciliations, state text, source_nos integer[], max_count integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  pair_nos integer[];
  line_nos bigint[];
begin
  if state = 'matched' and period.id is not null and coalesce((
    select matched_count.lines
    from private.matched_counts matched_count
    where matched_count.tenant_id = tenant and matched_count.reconciliation_id = period.id),
      0) <= max_count
  then
    return array(
      select distinct settled_member.line_no from public.matches match
      cross join lateral (select member.line_no from public.match_members member
        where member.tenant_id = tenant and member.match_id = match.id offset 0) settled_member
      where match.tenant_id = tenant and match.reconciliation_id = period.id
        and match.state = 'confirmed'
    );
  elsif state = 'excluded' then
    pair_nos := case when period.id is not null then array[period.pair_no] else array(
      select pair.pair_no from public.pairs pair
      where pair.tenant_id = tenant and (pair.left_source_no = any (source_nos)
        or pair.right_source_no = any (source_nos))) end;
    line_nos := array(select distinct exclusion.line_no from public.exclusions exclusion
      where exclusion.tenant_id = tenant and exclusion.pair_no = any (pair_nos)
      limit max_count + 1);
    return case when cardinality(line_nos) <= max_count then line_nos end;
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_by_state(period public.reconciliations, state text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case
    when state is null or state not in ('open', 'partly_matched', 'outstanding') then null
    when period.closed_at is null
      then 'private.open_lines w where w.tenant_id = $1 and w.pair_no = s.pair_no'
    else 'public.carried_lines w where w.tenant_id = $1 and w.reconciliation_id = $3.id'
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.line_period_filters(period public.reconciliations, state text, is_found_by_state boolean)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return concat_ws(' and ', 'true',
    case when period.id is not null then 'x.value_date <= $3.period_end' end,
    case when period.id is not null and not is_found_by_state then format('(%s or %s or %s)',
      private.line_state_condition(case when period.closed_at is null then 'open'
        else 'carried' end),
      private.line_state_condition('matched'), private.line_state_condition('excluded')) end,
    case
      when period.closed_at is not null then
        case when not is_found_by_state or state <> 'outstanding'
          then private.line_state_was(state) end
      when not is_found_by_state then private.line_state_is(state) end);
end $function$;
CREATE OR REPLACE FUNCTION private.lines_by_state_filters(period public.reconciliations, state text, has_cursor boolean)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return concat_ws(' and ', 'w.side = s.side',
    case when period.id is not null then 'w.value_date <= $3.period_end' end,
    case when has_cursor then '(w.value_date, w.line_no) < ($6, $7)' end,
    case when period.closed_at is null then
      case state when 'open' then 'w.open_minor = w.amount_minor'
        when 'partly_matched' then 'w.open_minor <> w.amount_minor' end end,
    -- Not completely matched in another pair.
    case when period.id is null and state = 'partly_matched' then $c$not exists (
      select from private.open_lines o
      where o.tenant_id = $1 and o.pair_no = any (s.pair_nos) and o.line_no = w.line_no
        and o.open_minor = o.amount_minor offset 0)$c$ end);
end $function$;
CREATE OR REPLACE FUNCTION private.line_page(period public.reconciliations, state text, stands text, is_few boolean, has_cursor boolean, filters text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  after constant text := case when has_cursor then '(x.value_date, x.line_no) < ($6, $7)'
    else 'true' end;
  of_source constant text := $q$
    select x.value_date, x.line_no from public.lines x
    where %s and x.tenant_id = $1 and x.source_no = s.source_no and %s and %s
    order by x.value_date desc, x.line_no desc limit $8 $q$;
begin
  if is_few then
    return format($q$
      select x.value_date, x.line_no from unnest($5) h (line_no)
      cross join lateral (select * from public.lines y
        where y.tenant_id = $1 and y.line_no = h.line_no offset 0) x
      join s on s.source_no = x.source_no where %s and %s $q$, after, filters);
  elsif stands is null then
    return format('select w.value_date, w.line_no from s cross join lateral (%s) w',
      format(of_source, 'true', after, filters));
  end if;
  -- A line that is open in several pairs is listed once. A source without a pair has only open
  -- lines.
  return format($q$
    select distinct w.value_date, w.line_no from s cross join lateral ((
      select w.value_date, w.line_no from %s and %s and exists (
        select
        from (select * from public.lines y
          where y.tenant_id = $1 and y.line_no = w.line_no offset 0) x
        where %s offset 0
      ) order by w.value_date desc, w.line_no desc limit $8
    ) %s) w $q$, stands, private.lines_by_state_filters(period, state, has_cursor), filters,
    case when period.id is null and state <> 'partly_matched' then
      format('union all (%s)', format(of_source, 's.pair_no is null', after, filters)) end);
end $function$;
CREATE OR REPLACE FUNCTION private.lines_of_caller(period public.reconciliations, input jsonb, source_nos integer[], max_count integer)
 RETURNS TABLE(place bigint, line_no bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET jit TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  search constant text := nullif(btrim(input ->> 'q'), '');
  state constant text := input ->> 'state';
  after_date constant date := (input -> 'after' ->> 0)::date;
  -- If the cursor's line was removed, its day is read from the start.
  after_no constant bigint := coalesce(private.line_no_of(input -> 'after' ->> 1),
    9223372036854775807);
  since constant timestamptz := (input ->> 'updated_since')::timestamptz;
  first_no constant bigint := case when since is not null then private.first_line_since(since) end;
  found_lines bigint[];
  is_searched boolean := false;
  is_changed boolean := false;
  stands text;
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  if since is not null then
    found_lines := private.lines_since(since, first_no, 200000);
    is_changed := found_lines is not null;
  end if;
  if search is not null and found_lines is null then
    found_lines := private.find_lines_of_caller(search, source_nos, 5000);
    is_searched := found_lines is not null;
  end if;
  found_lines := coalesce(found_lines, private.narrow_by_state(period, state, source_nos, 5000));
  stands := case when found_lines is null then private.lines_by_state(period, state) end;
  return query execute format($sql$
    with sources as materialized (
      select x.source_no, case when $3.id is not null then array[$3.pair_no] else array(
        select p.pair_no from public.pairs p
        where p.tenant_id = $1 and x.source_no in (p.left_source_no, p.right_source_no)
          and p.opening is null order by p.pair_no) end as pair_nos
      from unnest($4) x (source_no)
    ), s as materialized (
      select x.source_no, x.pair_nos, p.pair_no,
        case x.source_no when p.left_source_no then 'left' else 'right' end as side
      from sources x left join public.pairs p on p.tenant_id = $1 and p.pair_no = any (%s)
    )
    select row_number() over (order by l.value_date desc, l.line_no desc), l.line_no
    from (%s) l order by l.value_date desc, l.line_no desc limit $8 $sql$,
    case when stands is null then 'x.pair_nos[:1]' else 'x.pair_nos' end,
    private.line_page(period, state, stands, found_lines is not null, after_date is not null,
      concat_ws(' and ', private.line_field_filters(input),
        private.line_period_filters(period, state, stands is not null),
        case when since is not null and not is_changed then private.line_changed_since() end,
        case when search is not null and not is_searched
          then private.line_search(search, 'private.line_text(x)') end)))
  using tenant, input, period, source_nos, found_lines, after_date, after_no, max_count, since,
    first_no;
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
  period public.reconciliations;
  source_nos integer[];
  line_nos bigint[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_lines');
  if input ->> 'source_id' is not null then
    perform private.find_source(input ->> 'source_id');
  end if;
  if input ->> 'reconciliation_id' is not null then
    select * into period
    from public.reconciliations
    where reconciliations.tenant_id = tenant and reconciliations.id = input ->> 'reconciliation_id';
    if not found then
      perform private.refuse_missing('reconciliation');
    end if;
  end if;
  source_nos := array(
    select source.source_no
    from public.sources source
    left join public.pairs pair on pair.tenant_id = tenant and pair.pair_no = period.pair_no
    where source.tenant_id = tenant
      and (input ->> 'source_id' is null or source.id = input ->> 'source_id')
      and (period.id is null or source.source_no in (pair.left_source_no, pair.right_source_no))
      and (input ->> 'side' is null
      or source.source_no = case input ->> 'side' when 'left' then pair.left_source_no
      else pair.right_source_no end)
  );
  line_nos := array(
    select page_line.line_no
    from private.lines_of_caller(period, input, source_nos, page_size + 1) page_line
    order by page_line.place);
  items := private.lines_json(tenant, period.pair_no, line_nos);
  if period.closed_at is not null then
    select jsonb_agg(listed.item || private.line_in_closed(line, period)
      order by listed.place) into items
    from jsonb_array_elements(items) with ordinality listed (item, place)
    cross join lateral (select * from public.lines line
      where line.tenant_id = tenant and line.line_no = line_nos[listed.place] offset 0) line;
  end if;
  return private.page(items, page_size, 'value_date', 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.line_in_closed(line public.lines, period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  carried bigint;
  ids jsonb;
begin
  if period.closed_at is null then
    return '{}';
  end if;
  select carried_line.open_minor into carried from public.carried_lines carried_line
  where carried_line.tenant_id = line.tenant_id and carried_line.reconciliation_id = period.id
    and carried_line.line_no = line.line_no;
  select coalesce(jsonb_agg(private.match_id_text(match.id) order by match.id), '[]') into ids
  from public.match_members member
    join public.matches match on match.tenant_id = member.tenant_id
      and match.id = member.match_id
  where member.tenant_id = line.tenant_id and member.line_no = line.line_no
    and match.reconciliation_id = period.id
    and match.state = 'confirmed';
  return jsonb_build_object('match_ids', ids,
    'state', case when carried is null then case when ids = '[]' then 'excluded' else 'matched' end
      when ids = '[]' then 'open' else 'partly_matched' end,
    -- With the sign as posted, as in lines_json.
    'open_minor',
    case when carried is null then 0 when sign(carried) = sign(line.amount_minor) then carried
      else -carried end);
end $function$;
CREATE OR REPLACE FUNCTION private.source_balance_json(balance public.source_balances)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', balance.id,
    'source_id', (
      select source.id from public.sources source
      where source.tenant_id = balance.tenant_id and source.source_no = balance.source_no
    ),
    'currency', balance.currency, 'account', balance.account, 'period_start', balance.period_start,
    'period_end', balance.period_end, 'opening_minor', balance.opening_minor,
    'closing_minor', balance.closing_minor, 'import_id', balance.import_id,
    'reason', balance.reason,
    'created_at', private.iso(balance.created_at), 'created_by', balance.created_by
  );
end $function$;
CREATE OR REPLACE FUNCTION private.booked_between(tenant text, source integer, currency text, first date, last date)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((
    select sum(line.amount_minor) from public.lines line
    where line.tenant_id = tenant and line.source_no = source
      and line.currency = booked_between.currency
      -- A value date is seldom far from the booking date.
      and line.value_date between first - 60 and last + 60
      and coalesce(line.booked_date, line.value_date) between first and last
  ), 0);
end $function$;
CREATE OR REPLACE FUNCTION private.total_of_accounts(tenant text, source integer, currency text, day date, accounts integer)
 RETURNS TABLE(minor numeric, stated_on date, balance_id text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
#variable_conflict use_column
begin
  return query
  with latest as (
    select distinct on (balance.account) balance.account, balance.period_end, balance.closing_minor,
      balance.id
    from public.source_balances balance
    where balance.tenant_id = tenant and balance.source_no = source
      and balance.currency = total_of_accounts.currency
      and balance.account is not null and balance.period_end <= day
    order by balance.account, balance.period_end desc, balance.created_at desc, balance.id desc
  )
  select sum(latest.closing_minor)
      + private.booked_between(tenant, source, total_of_accounts.currency,
        min(latest.period_end) + 1, day),
    min(latest.period_end), min(latest.id)
  from latest
  having count(*) = accounts and min(latest.period_end) = max(latest.period_end);
end $function$;
CREATE OR REPLACE FUNCTION private.balance_on(tenant text, source integer, currency text, day date)
 RETURNS TABLE(minor numeric, stated_on date, balance_id text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
#variable_conflict use_column
declare
  accounts integer;
  balance public.source_balances;
begin
  select count(distinct source_balances.account) into accounts from public.source_balances
  where source_balances.tenant_id = tenant and source_balances.source_no = source
    and source_balances.currency = balance_on.currency;
  if accounts > 1 then
    return query select *
    from private.total_of_accounts(tenant, source, balance_on.currency, day, accounts);
    return;
  end if;
  select * into balance from public.source_balances
  where source_balances.tenant_id = tenant and source_balances.source_no = source
    and source_balances.currency = balance_on.currency
    and source_balances.period_end <= day
  order by source_balances.period_end desc, source_balances.created_at desc, source_balances.id desc
    limit 1;
  if found then
    return query select balance.closing_minor
      + private.booked_between(tenant, source, balance.currency, balance.period_end + 1, day),
      balance.period_end, balance.id;
    return;
  end if;
  select * into balance from public.source_balances
  where source_balances.tenant_id = tenant and source_balances.source_no = source
    and source_balances.currency = balance_on.currency
    and source_balances.opening_minor is not null
  order by source_balances.period_start, source_balances.created_at, source_balances.id limit 1;
  if found then
    return query select balance.opening_minor
      + private.booked_between(tenant, source, balance.currency, balance.period_start, day)
      - private.booked_between(tenant, source, balance.currency, day + 1, balance.period_start - 1),
      balance.period_start, balance.id;
    return;
  end if;
  select * into balance from public.source_balances
  where source_balances.tenant_id = tenant and source_balances.source_no = source
    and source_balances.currency = balance_on.currency
  order by source_balances.period_end, source_balances.created_at desc, source_balances.id desc
    limit 1;
  if found then
    return query select balance.closing_minor
      - private.booked_between(tenant, source, balance.currency, day + 1, balance.period_end),
      balance.period_end, balance.id;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.balance_breaks(tenant text, source integer, currency text, first date, last date)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  before public.source_balances;
  balance public.source_balances;
  expected numeric;
  breaks jsonb := '[]';
begin
  for balance in
    select distinct on (source_balances.account, source_balances.period_end,
      source_balances.period_start, source_balances.opening_minor, source_balances.closing_minor)
      source_balances.*
    from public.source_balances
    where source_balances.tenant_id = tenant and source_balances.source_no = source
      and source_balances.currency = balance_breaks.currency
      and source_balances.period_start <= last
      and source_balances.period_end >= coalesce((
        select max(earlier.period_end) from public.source_balances earlier
        where earlier.tenant_id = tenant and earlier.source_no = source
          and earlier.currency = balance_breaks.currency and earlier.period_end < first
      ), first)
    order by source_balances.account, source_balances.period_end, source_balances.period_start,
    source_balances.opening_minor, source_balances.closing_minor, source_balances.id
  loop
    if before.account is not distinct from balance.account and before.id is not null
      and balance.opening_minor <> before.closing_minor then
      expected := case when balance.period_start > before.period_end then before.closing_minor
          + private.booked_between(tenant, source, currency, before.period_end + 1,
            balance.period_start - 1)
        else before.opening_minor
          + private.booked_between(tenant, source, currency, before.period_start,
            balance.period_start - 1)
        end;
      if expected is distinct from balance.opening_minor then
        breaks := breaks || jsonb_build_object(
          'kind', case when balance.period_start > before.period_end then 'gap' else 'overlap' end,
          'from', least(before.period_end, balance.period_start),
          'to', greatest(before.period_end, balance.period_start),
          'minor', private.exact_sum(balance.opening_minor - coalesce(expected,
            before.closing_minor)));
      end if;
    end if;
    before := balance;
  end loop;
  return breaks;
end $function$;
CREATE OR REPLACE FUNCTION private.store_import_balances(import public.imports)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  first_day date;
begin
  with kept as (
    insert into public.source_balances (tenant_id, source_no, currency, account, period_start,
      period_end, opening_minor, closing_minor, import_id, created_by)
    select import.tenant_id, import.source_no, coalesce(stated.currency, source.currency),
      stated.account,
      case when stated.opening_balance_minor is not null then coalesce(stated.period_start,
        stated.period_end) end,
      stated.period_end, stated.opening_balance_minor, stated.closing_balance_minor, import.id,
      import.created_by
    from public.sources source
    cross join jsonb_to_recordset(import.statements) as stated (currency text, account text,
      period_start date, period_end date, opening_balance_minor bigint,
      closing_balance_minor bigint, balance_holds boolean)
    where source.tenant_id = import.tenant_id and source.source_no = import.source_no
      and stated.closing_balance_minor is not null and stated.period_end is not null
      and coalesce(stated.period_start <= stated.period_end, true)
      -- A statement from which a line is missing says nothing about the lines that are there.
      and stated.balance_holds is distinct from false
    returning period_start, period_end
  )
  select min(coalesce(kept.period_start, kept.period_end)) into first_day from kept;
  if first_day is not null then
    perform private.revoke_signatures_of_source(import.tenant_id, import.source_no, first_day,
      'A file brought balances.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.drop_balances_of_import(tenant text, import_id text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from public.source_balances balance where balance.tenant_id = tenant
    and balance.import_id = $2;
end $function$;
CREATE OR REPLACE FUNCTION public.list_source_balances(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  source public.sources;
  items jsonb;
begin
  perform private.begin_request(request, 'list_source_balances');
  source := private.find_source(input ->> 'source_id');
  select jsonb_agg(private.source_balance_json(balance) order by balance.period_end desc,
    balance.id desc) into items
  from (
    select * from public.source_balances balance
    where balance.tenant_id = source.tenant_id and balance.source_no = source.source_no
      and (input -> 'after' ->> 0 is null or (balance.period_end, balance.id)
        < ((input -> 'after' ->> 0)::date, input -> 'after' ->> 1))
    order by balance.period_end desc, balance.id desc limit page_size + 1
  ) balance;
  return private.page(items, page_size, 'period_end', 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.get_source_balance(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  source public.sources;
  balance public.source_balances;
begin
  perform private.begin_request(request, 'get_source_balance');
  source := private.find_source(input ->> 'source_id');
  select * into balance from public.source_balances
  where source_balances.tenant_id = source.tenant_id
    and source_balances.source_no = source.source_no and source_balances.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('balance');
  end if;
  return private.source_balance_json(balance)
    || jsonb_build_object('version', private.version_of(private.source_balance_json(balance)));
end $function$;
CREATE OR REPLACE FUNCTION public.state_source_balance(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'state_source_balance');
  source public.sources;
  balance public.source_balances;
begin
  if replayed is not null then
    return replayed;
  end if;
  source := private.find_source(input ->> 'source_id');
  perform private.serialize_counting('stated_balances');
  if (select count(*) from public.source_balances
    where source_balances.tenant_id = source.tenant_id
      and source_balances.source_no = source.source_no and source_balances.reason is not null)
        >= 4000
  then
    perform private.refuse_conflict('quota',
      'A source can have at most 4,000 stated balances. Remove some of earlier years.');
  end if;
  insert into public.source_balances (source_no, currency, period_end, closing_minor, reason)
  values (source.source_no, coalesce(input ->> 'currency', source.currency),
    (input ->> 'day')::date,
    (input ->> 'amount_minor')::bigint, input ->> 'reason')
  returning * into balance;
  perform private.record_source_work(source.source_no);
  perform private.revoke_signatures_of_source(source.tenant_id, source.source_no,
    balance.period_end,
    'A balance was stated.');
  perform private.record_security_event('balance.stated', source.id, balance.reason,
    jsonb_build_object(
    'name', source.name, 'balance_id', balance.id, 'day', balance.period_end,
    'currency', balance.currency,
    'amount_minor', balance.closing_minor));
  return private.finish_request(request, private.source_balance_json(balance)
    || jsonb_build_object('version', private.version_of(private.source_balance_json(balance))));
end $function$;
CREATE OR REPLACE FUNCTION public.remove_source_balance(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'remove_source_balance');
  source public.sources;
  balance public.source_balances;
begin
  if replayed is not null then
    return replayed;
  end if;
  source := private.find_source(input ->> 'source_id');
  select * into balance from public.source_balances
  where source_balances.tenant_id = source.tenant_id
    and source_balances.source_no = source.source_no and source_balances.id = input ->> 'id'
  for update;
  if not found then
    perform private.refuse_missing('balance');
  end if;
  perform private.require_version(private.version_of(private.source_balance_json(balance)),
    request -> 'versions');
  if balance.import_id is not null then
    perform private.refuse_conflict('stated_by_file',
      'A file states this balance. Undo its import to remove it.');
  end if;
  delete from public.source_balances where source_balances.tenant_id = balance.tenant_id
    and source_balances.id = balance.id;
  perform private.record_source_work(source.source_no);
  perform private.revoke_signatures_of_source(source.tenant_id, source.source_no,
    balance.period_end,
    'A balance was removed.');
  perform private.record_security_event('balance.removed', source.id, null, jsonb_build_object(
    'name', source.name, 'balance_id', balance.id, 'day', balance.period_end,
    'currency', balance.currency,
    'amount_minor', balance.closing_minor));
  return private.finish_request(request, private.source_balance_json(balance)
    || jsonb_build_object('version', private.version_of(private.source_balance_json(balance))));
end $function$;
CREATE OR REPLACE FUNCTION private.import_json(import public.imports)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', import.id,
    'source_id', (select source.id from public.sources source
      where source.tenant_id = import.tenant_id and source.source_no = import.source_no),
    'status', import.status, 'format', import.format, 'file_name', import.file_name,
    'read_count', import.read_count,
    'accepted_count', import.accepted_count,
    'duplicate_count', import.duplicate_count, 'refused_count', import.refused_count,
    'skipped_count', import.skipped_count, 'refusals', import.refusals,
    'skips', import.skips, 'warnings', import.warnings,
    'statements', import.statements, 'opening_balance_minor', import.opening_balance_minor,
    'closing_balance_minor', import.closing_balance_minor,
    'balance_holds', import.balance_holds, 'bytes_read', import.bytes_read,
    'bytes_total', import.bytes_total,
    'failure', import.failure,
    'created_at', private.iso(import.created_at), 'created_by', import.created_by,
    'finished_at', private.iso(import.finished_at),
    'undone_at', private.iso(import.undone_at), 'undone_by', import.undone_by
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
    perform private.serialize_counting('imports');
  end if;
  select count(*) as files,
    coalesce(sum(greatest(import.bytes_total, import.bytes_read)), 0) as bytes into waiting
  from public.imports import
    where import.tenant_id = private.tenant_id()
      and import.status in ('receiving', 'queued', 'reading');
  if waiting.files + require_room.files > 20 or waiting.bytes + require_room.bytes > 4294967296 then
    perform private.refuse_conflict('import_queue_full',
      'At most 20 imports of 4 GiB in all can wait or be read at a time. Wait until one is done, and upload the file again.');
  end if;
  if pg_database_size(current_database())
    + 10 * (waiting.bytes + require_room.bytes) > database_max_bytes then
    perform private.refuse('unavailable',
      'There is not enough disk space for this file. Nothing of it was kept.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.open_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  source public.sources;
  opened text;
begin
  perform private.begin_request(request, 'open_import');
  source := private.find_source(input ->> 'source_id');
  if not coalesce((input ->> 'preview')::boolean, false) then
    perform private.require_room(1, coalesce((input ->> 'bytes')::bigint, 0),
      (input ->> 'database_max_bytes')::bigint);
    insert into public.imports (tenant_id, source_no, format, file_name, bytes_total)
    values (source.tenant_id, source.source_no, input ->> 'format', input ->> 'file_name',
      coalesce((input ->> 'bytes')::bigint, 0))
    returning id into opened;
  end if;
  return jsonb_build_object(
    'id', opened,
    'source', jsonb_build_object('currency', source.currency, 'time_zone', source.time_zone,
      'mapping', source.mapping)
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
  perform private.begin_request(request, 'keep_import_chunk');
  -- The length of the file may be unknown.
  if (input ->> 'seq')::integer % 64 = 63 then
    perform private.require_room(0, 0, (input ->> 'database_max_bytes')::bigint);
  end if;
  part := decode(input ->> 'bytes', 'base64');
  update public.imports import set bytes_read = import.bytes_read + octet_length(part)
  where import.tenant_id = private.tenant_id() and import.id = input ->> 'id'
    and import.status = 'receiving';
  if not found then
    perform private.refuse_missing('import');
  end if;
  insert into private.import_chunks (tenant_id, import_id, seq, bytes)
  values (private.tenant_id(), input ->> 'id', (input ->> 'seq')::integer, part)
  on conflict on constraint import_chunks_pkey do nothing;
  return '{}';
end $function$;
CREATE OR REPLACE FUNCTION private.queue_import(import_id text, mapping jsonb, bytes bigint, sha256 text)
 RETURNS public.imports
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  queued public.imports;
begin
  update public.imports import
  set status = 'queued', mapping = queue_import.mapping, bytes_total = bytes, bytes_read = 0
  where import.tenant_id = private.tenant_id() and import.id = $1 and import.status = 'receiving'
  returning * into queued;
  if not found then
    perform private.refuse_missing('import');
  end if;
  perform private.record_source_work(queued.source_no);
  perform private.record_security_event('import.created', queued.id, null, jsonb_build_object(
    'file_name', queued.file_name, 'format', queued.format, 'bytes', bytes, 'sha256', sha256,
    'source_id', (
      select source.id from public.sources source
      where source.tenant_id = queued.tenant_id and source.source_no = queued.source_no
    )
  ));
  -- One file of a source at a time: two files with the same lines would wait for each other.
  perform graphile_worker.add_job(
    'read_import', private.with_request_id(
      jsonb_build_object('tenant_id', queued.tenant_id, 'import_id', queued.id)),
    queue_name => 'source:' || queued.tenant_id || ':' || queued.source_no, max_attempts => 6,
    flags => private.job_flags(queued.tenant_id, 'lines')
  );
  return queued;
end $function$;
CREATE OR REPLACE FUNCTION private.drop_receiving_import(import_id text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete
  from public.imports import
  where import.tenant_id = private.tenant_id() and import.id = $1 and import.status = 'receiving';
end $function$;
CREATE OR REPLACE FUNCTION public.create_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_import');
begin
  if replayed is not null then
    perform private.drop_receiving_import(input ->> 'id');
    return replayed;
  end if;
  return private.finish_request(request, private.import_json(
    private.queue_import(input ->> 'id', nullif(input -> 'mapping', 'null'),
      (input ->> 'bytes')::bigint,
      input ->> 'sha256')
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.drop_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'drop_import');
  perform private.drop_receiving_import(input ->> 'id');
  return '{}';
end $function$;
CREATE OR REPLACE FUNCTION private.find_import(id text)
 RETURNS public.imports
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  import public.imports;
begin
  select * into import
  from public.imports
  where imports.tenant_id = private.tenant_id() and imports.id = $1
    and imports.status <> 'receiving';
  if not found then
    perform private.refuse_missing('import');
  end if;
  return import;
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
  perform private.begin_request(request, 'list_imports');
  if input ->> 'source_id' is not null then
    wanted := (private.find_source(input ->> 'source_id')).source_no;
  end if;
  select jsonb_agg(private.import_json(import) order by import.id desc) into items
  from (
    select * from public.imports import
    where import.tenant_id = private.tenant_id() and import.status <> 'receiving'
      and (input -> 'after' ->> 0 is null or import.id < input -> 'after' ->> 0)
      and (wanted is null or import.source_no = wanted)
      and (input ->> 'status' is null or import.status = input ->> 'status')
    order by import.id desc
    limit page_size + 1
  ) import;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.claim_import(tenant_id text, import_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  import public.imports;
begin
  update public.imports set status = 'reading', bytes_read = 0, read_count = 0, refused_count = 0
  where imports.tenant_id = $1 and imports.id = $2 and imports.status in ('queued', 'reading')
  returning * into import;
  return (
    select jsonb_build_object('format', import.format, 'mapping', import.mapping,
      'currency', source.currency,
      'time_zone', source.time_zone,
      'source_no', import.source_no, 'bytes_total', import.bytes_total)
    from public.sources source where source.tenant_id = import.tenant_id
      and source.source_no = import.source_no
  );
end $function$;
CREATE OR REPLACE FUNCTION private.report_import_progress(tenant_id text, import_id text, progress jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.imports import set
    bytes_read = (progress ->> 'bytes_read')::bigint,
    read_count = (progress ->> 'read_count')::bigint,
    refused_count = (progress ->> 'refused_count')::bigint
  where import.tenant_id = $1 and import.id = $2 and import.status = 'reading';
  return found;
end $function$;
CREATE OR REPLACE FUNCTION private.emit_import_done(import public.imports)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit(import.tenant_id, 'import.done',
    jsonb_build_object('import', private.import_json(import)
      - '{refusals,skips,statements}'::text[]));
end $function$;
CREATE OR REPLACE FUNCTION private.finish_import(tenant_id text, import_id text, outcome jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  import public.imports;
  kept jsonb;
  lines_at constant regclass := pg_get_serial_sequence('public.lines', 'line_no');
  first_no constant bigint := pg_sequence_last_value(lines_at);
begin
  select * into strict import from public.imports where imports.tenant_id = $1 and imports.id = $2;
  kept := private.insert_staged_lines($1, import.source_no, $2,
    private.ids_are_unique(import.format));
  update public.imports set
    status = 'done', finished_at = now(), bytes_read = imports.bytes_total,
    read_count = (outcome ->> 'read_count')::bigint,
    accepted_count = (kept ->> 'accepted')::bigint,
    duplicate_count = (kept ->> 'duplicates')::bigint,
    refused_count = (outcome ->> 'refused_count')::bigint + (kept ->> 'conflict_count')::bigint,
    skipped_count = (outcome ->> 'skipped_count')::bigint,
    refusals = private.first_items(outcome -> 'refusals' || (
      select coalesce(jsonb_agg(jsonb_build_object(
        'line', conflict -> 'file_line', 'field', 'external_id', 'message', format(
          'A line with this external_id has another amount. Found "%s", expected %s.',
          conflict ->> 'found', conflict ->> 'wanted'
        )
      )), '[]') from jsonb_array_elements(kept -> 'conflicts') conflict
    ), 100),
    skips = private.first_items(outcome -> 'skips', 100),
    warnings = case when (kept ->> 'accepted')::bigint = 0 and outcome ? 'nothing_stored'
      then jsonb_build_array(outcome -> 'nothing_stored') else '[]' end
      || coalesce(outcome -> 'warnings', '[]'),
    statements = private.first_items(outcome -> 'statements', 100),
    opening_balance_minor = (outcome ->> 'opening_balance_minor')::bigint,
    closing_balance_minor = (outcome ->> 'closing_balance_minor')::bigint,
    balance_holds = (outcome ->> 'balance_holds')::boolean,
    first_line_no = coalesce(first_no, 0), last_line_no = pg_sequence_last_value(lines_at)
  where imports.tenant_id = $1 and imports.id = $2 and imports.status = 'reading'
  returning * into import;
  if not found then
    return (select imports.status from public.imports
      where imports.tenant_id = $1 and imports.id = $2);
  end if;
  delete from private.import_chunks chunk where chunk.tenant_id = $1 and chunk.import_id = $2;
  update public.sources source
  set last_import_at = now()
  where source.tenant_id = $1 and source.source_no = import.source_no;
  perform private.store_import_balances(import);
  perform private.emit_import_done(import);
  return 'done';
end $function$;
CREATE OR REPLACE FUNCTION private.first_items(list jsonb, max_count integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce(
    (select jsonb_agg(element.value order by element.place)
      from jsonb_array_elements(list) with ordinality element (value, place)
      where element.place <= max_count),
    '[]');
end $function$;
CREATE OR REPLACE FUNCTION private.fail_import(tenant_id text, import_id text, failure text, refusals jsonb DEFAULT '[]'::jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  import public.imports;
begin
  update public.imports set
    status = 'failed', finished_at = now(), failure = fail_import.failure,
    refusals = private.first_items(fail_import.refusals, 100)
  where imports.tenant_id = $1 and imports.id = $2 and imports.status in ('queued', 'reading')
  returning * into import;
  if found then
    delete from private.import_chunks chunk where chunk.tenant_id = $1 and chunk.import_id = $2;
    perform private.emit_import_done(import);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.purge_imports(batch integer DEFAULT 100)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  deleted integer;
begin
  delete from public.imports where (tenant_id, id) in (
    select import.tenant_id, import.id
    from public.imports import
    where import.status = 'receiving' and import.created_at < now() - interval '2 hours'
    limit batch
  );
  get diagnostics deleted = row_count;
  return deleted;
end $function$;
CREATE OR REPLACE FUNCTION private.remove_import(tenant_id text, import_id text, undone_by text)
 RETURNS public.imports
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  import public.imports;
  removed bigint;
begin
  perform private.detach_removed_lines($1, $2);
  perform private.drop_balances_of_import($1, $2);
  delete from public.lines line using public.imports
  where imports.tenant_id = $1 and imports.id = $2 and line.tenant_id = $1
    and line.line_no between imports.first_line_no and imports.last_line_no and line.import_id = $2;
  get diagnostics removed = row_count;
  update public.imports
  set status = 'undone', undone_at = now(), undone_by = coalesce(imports.undone_by, $3)
  where imports.tenant_id = $1 and imports.id = $2
  returning * into import;
  if removed > 0 then
    update public.sources source
    set line_count = source.line_count - removed
    where source.tenant_id = $1 and source.source_no = import.source_no;
  end if;
  return import;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_undoing(import_id text)
 RETURNS public.imports
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  import public.imports;
begin
  select * into import
  from public.imports
  where imports.tenant_id = private.tenant_id() and imports.id = $1
    and imports.status <> 'receiving' for update;
  if not found then
    perform private.refuse_missing('import');
  end if;
  if import.status in ('queued', 'reading') then
    update public.imports
    set status = 'undone', undone_at = now(), undone_by = private.actor(), finished_at = now()
    where imports.tenant_id = import.tenant_id and imports.id = import.id
    returning * into import;
    delete from private.import_chunks chunk where chunk.tenant_id = import.tenant_id
      and chunk.import_id = import.id;
    return import;
  elsif import.status = 'done' and import.accepted_count <= private.max_lines_in_request() then
    return private.remove_import(import.tenant_id, import.id, private.actor());
  elsif import.status = 'done' then
    -- So that no period of these pairs starts to close unseen.
    perform private.lock_pairs_of_source(import.tenant_id, import.source_no);
    perform private.require_undoable(import.tenant_id, import.source_no,
      private.line_nos_of_import(import.tenant_id, import.id));
    update public.imports
    set status = 'undoing', undone_by = private.actor()
    where imports.tenant_id = import.tenant_id and imports.id = import.id
    returning * into import;
    perform graphile_worker.add_job(
      'undo_import', private.with_request_id(jsonb_build_object('tenant_id', import.tenant_id,
        'import_id', import.id)),
      queue_name => 'source:' || import.tenant_id || ':' || import.source_no, max_attempts => 6,
      flags => private.job_flags(import.tenant_id, 'lines')
    );
    return import;
  end if;
  perform private.refuse_conflict(
    case import.status when 'failed' then 'import_failed' else 'already_undone' end,
      case import.status
    when 'failed' then 'This import failed, and nothing of it was kept: there is nothing to undo.'
    else 'This import is undone already.'
  end);
end $function$;
CREATE OR REPLACE FUNCTION private.finish_undoing(tenant_id text, import_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from public.imports import
    where import.tenant_id = $1 and import.id = $2 and import.status = 'undoing' for update) then
    perform private.remove_import($1, $2, null);
  end if;
exception when sqlstate 'TO001' then
  update public.imports import
  set status = 'done', undone_by = null
  where import.tenant_id = $1 and import.id = $2;
end $function$;
CREATE OR REPLACE FUNCTION public.undo_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'undo_import');
  import public.imports;
begin
  if replayed is not null then
    return replayed;
  end if;
  import := private.begin_undoing(input ->> 'id');
  perform private.record_source_work(import.source_no);
  perform private.record_security_event('import.undone', import.id, null, jsonb_build_object(
    'file_name', import.file_name, 'accepted_count', import.accepted_count
  ));
  return private.finish_request(request, private.import_json(import));
end $function$;
CREATE OR REPLACE FUNCTION private.policy_of_pair(tenant text, pair integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.default_policy() || coalesce((
    select pair_rules.policy
    from public.pairs
    join public.pair_rules on pair_rules.tenant_id = pairs.tenant_id
      and pair_rules.pair_no = pairs.pair_no
      and pair_rules.version = pairs.rules_version
    where pairs.tenant_id = tenant and pairs.pair_no = pair
  ), '{}');
end $function$;
CREATE OR REPLACE FUNCTION private.is_preparing(tenant text, pair integer)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (select from public.pairs
    where pairs.tenant_id = tenant and pairs.pair_no = pair and pairs.opening is not null);
end $function$;
CREATE OR REPLACE FUNCTION private.unopened_sides(pair public.pairs)
 RETURNS TABLE(source_no integer, name text, factor integer, after_date date, after_no bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select source.source_no, case source.source_no when pair.left_source_no then 'left'
    else 'right' end,
    case source.sign when 'inverted' then -1 else 1 end,
    case source.source_no
      when (pair.opening ->> 'source_no')::integer then (pair.opening ->> 'value_date')::date
      else '-infinity' end,
    coalesce((pair.opening ->> 'line_no')::bigint, 0)
  from public.sources source
  where source.tenant_id = pair.tenant_id
    and source.source_no in (pair.left_source_no, pair.right_source_no)
    and source.source_no >= coalesce((pair.opening ->> 'source_no')::integer, 0)
  order by source.source_no;
end $function$;
CREATE OR REPLACE FUNCTION private.open_earlier_lines(pair public.pairs, max_count integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  side record;
  opened record;
begin
  if pair.opening is null then
    return true;
  end if;
  for side in select * from private.unopened_sides(pair) loop
    with next as materialized (
      select line.source_no, line.value_date, line.line_no, line.currency,
        side.factor * line.amount_minor as effective
      from public.lines line
      where line.tenant_id = pair.tenant_id and line.source_no = side.source_no
        and (line.value_date, line.line_no) > (side.after_date, side.after_no)
      order by line.value_date, line.line_no limit max_count
    ), written as (
      insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor,
        open_minor, value_date)
      select pair.tenant_id, pair.pair_no, line.line_no, side.name, line.currency, line.effective,
        line.effective, line.value_date
      from next line
      -- The line arrived after the pair was created.
      on conflict do nothing
    )
    select (select count(*) from next) as lines, (
      select jsonb_build_object('source_no', line.source_no, 'value_date', line.value_date,
        'line_no', line.line_no)
      from next line order by line.value_date desc, line.line_no desc limit 1
    ) as up_to
    into opened;
    if opened.lines = max_count then
      update public.pairs
      set opening = opened.up_to
      where pairs.tenant_id = pair.tenant_id and pairs.pair_no = pair.pair_no;
      return false;
    end if;
  end loop;
  update public.pairs
  set opening = null
  where pairs.tenant_id = pair.tenant_id and pairs.pair_no = pair.pair_no;
  return true;
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
  are_locked boolean;
  pair public.pairs;
begin
  select source.source_no into left_no from public.sources source
  where source.tenant_id = tenant and source.id = $1;
  select source.source_no into right_no from public.sources source
  where source.tenant_id = tenant and source.id = $2;
  if left_no is null then
    perform private.refuse_field('left_source_id', 'There is no such source.');
  elsif right_no is null then
    perform private.refuse_field('right_source_id', 'There is no such source.');
  elsif left_no = right_no then
    perform private.refuse_field('right_source_id',
      'Name two sources: a source is not compared with itself.');
  end if;
  are_locked := private.try_lock_sources_exclusively(tenant, array[left_no, right_no]);
  -- A pair is only created for a reconciliation.
  perform private.require_quota('reconciliations');
  insert into public.pairs (tenant_id, left_source_no, right_source_no, opening)
  values (tenant, left_no, right_no, '{}')
  on conflict (tenant_id, left_source_no, right_source_no) do nothing
  returning * into pair;
  if not found then
    select * into strict pair
    from public.pairs
    where pairs.tenant_id = tenant and pairs.left_source_no = left_no
      and pairs.right_source_no = right_no;
    is_open := are_locked and pair.opening is null;
  elsif are_locked then
    is_open := private.open_earlier_lines(pair, 1000);
  else
    is_open := false;
  end if;
  pair_no := pair.pair_no;
end $function$;
CREATE OR REPLACE FUNCTION private.prepare_pair(tenant text, pair integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  pair_row public.pairs;
begin
  begin
    perform private.lock_sources_exclusively(pairs.tenant_id,
      array[pairs.left_source_no, pairs.right_source_no])
    from public.pairs
    where pairs.tenant_id = tenant and pairs.pair_no = pair;
  exception when sqlstate 'TO001' then
    perform private.queue_preparing(tenant, pair, interval '5 seconds');
    return false;
  end;
  select * into strict pair_row
  from public.pairs
  where pairs.tenant_id = tenant and pairs.pair_no = pair for no key update;
  if not private.open_earlier_lines(pair_row, 25000) then
    return true;
  end if;
  perform private.queue_run(queued.tenant_id, queued.pair_no, queued.reconciliation_id,
    queued.requested_run, interval '0')
  from (
    select run.tenant_id, run.pair_no, run.reconciliation_id,
      case when run.dry_run is not null then run.id end as requested_run
    from public.runs run
      join public.reconciliations period on period.tenant_id = run.tenant_id
        and period.id = run.reconciliation_id
    where run.tenant_id = tenant and run.pair_no = pair and run.status = 'queued'
      order by period.period_end, run.id
  ) queued;
  perform private.request_runs(tenant, pair);
  return false;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_sources_exclusively(tenant text, source_nos integer[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
 SET lock_timeout TO '4s'
AS $function$
declare
  source_no integer;
begin
  for source_no in select listed.no from unnest(source_nos) listed (no) order by listed.no loop
    perform pg_advisory_xact_lock(private.lock_of_source(tenant, source_no));
  end loop;
exception when lock_not_available then
  perform private.refuse_conflict('lines_changing',
    'Lines of these sources are coming in or being removed. Wait until that is done, and send the call again.');
end $function$;
CREATE OR REPLACE FUNCTION private.try_lock_sources_exclusively(tenant text, source_nos integer[])
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return (select bool_and(pg_try_advisory_xact_lock(private.lock_of_source(tenant, source_no)))
    from unnest(source_nos) source_no);
end $function$;
CREATE OR REPLACE FUNCTION private.lock_pair(tenant text, pair integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform from public.pairs where pairs.tenant_id = tenant and pairs.pair_no = pair
    for no key update;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_pairs_of_source(tenant text, source_no integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform from public.pairs pair
  where pair.tenant_id = tenant
    and lock_pairs_of_source.source_no in (pair.left_source_no, pair.right_source_no)
  order by pair.pair_no for no key update;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_pair_of(reconciliation text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.lock_pair(period.tenant_id, period.pair_no) from public.reconciliations period
  where period.tenant_id = private.tenant_id() and period.id = reconciliation
    and period.pair_no is not null;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_period(tenant text, reconciliation text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
begin
  select * into period
  from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation;
  if not found then
    perform private.refuse_missing('reconciliation');
  elsif period.pair_no is null then
    perform private.refuse_conflict('no_sources',
      'This reconciliation has no sources. Create one with left_source_id and right_source_id to match lines.');
  end if;
  perform private.require_prepared(tenant, period.pair_no);
  perform private.lock_pair(tenant, period.pair_no);
  select * into period
  from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation
    for no key update;
  if period.closed_at is not null then
    perform private.refuse_conflict('period_closed', 'The period is closed. Reopen it first.');
  elsif period.status = 'archived' then
    perform private.refuse_conflict('archived',
      'The reconciliation is archived: it does not change any more.');
  end if;
  perform private.require_not_closing(tenant, period.pair_no, period.id);
  return period;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_period_exclusively(tenant text, reconciliation text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- The transaction that prepares it locks them again and again.
  perform private.require_prepared(period.tenant_id, period.pair_no)
  from public.reconciliations period
  where period.tenant_id = tenant and period.id = reconciliation;
  perform private.lock_sources_exclusively(tenant, array[pair.left_source_no, pair.right_source_no])
  from public.reconciliations period
    join public.pairs pair on pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
  where period.tenant_id = tenant and period.id = reconciliation;
  return private.lock_period(tenant, reconciliation);
end $function$;
CREATE OR REPLACE FUNCTION private.lines_arrived(tenant_id text, source_no integer, first_line_no bigint, last_line_no bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.request_runs(pair.tenant_id, pair.pair_no, first_line_no, last_line_no) from (
    select pair.tenant_id, pair.pair_no from public.pairs pair
    where pair.tenant_id = $1 and $2 in (pair.left_source_no, pair.right_source_no)
    order by pair.pair_no
  ) pair;
end $function$;
CREATE OR REPLACE FUNCTION private.line_nos_of_import(tenant_id text, import_id text)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return array(
    select line.line_no from public.imports import
    join public.lines line on line.tenant_id = import.tenant_id
      and line.line_no between import.first_line_no and import.last_line_no
      and line.import_id = import.id
    where import.tenant_id = $1 and import.id = $2
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_undoable(tenant_id text, source_no integer, line_nos bigint[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  held public.reconciliations;
begin
  perform private.require_not_closing(pair.tenant_id, pair.pair_no) from public.pairs pair
  where pair.tenant_id = $1 and $2 in (pair.left_source_no, pair.right_source_no);
  select period.* into held from (
    select match.reconciliation_id as id from public.match_members member
    join public.matches match on match.tenant_id = member.tenant_id and match.id = member.match_id
      and match.state = 'confirmed'
    where member.tenant_id = $1 and member.line_no = any (line_nos)
    union all
    select exclusion.reconciliation_id
    from public.exclusions exclusion
    where exclusion.tenant_id = $1 and exclusion.line_no = any (line_nos)
    union all
    select carried_line.reconciliation_id from public.pairs pair
    join public.reconciliations period on period.tenant_id = pair.tenant_id
      and period.pair_no = pair.pair_no
      and period.closed_at is not null
    join public.carried_lines carried_line on carried_line.tenant_id = period.tenant_id
      and carried_line.reconciliation_id = period.id
      and carried_line.line_no = any (line_nos)
    where pair.tenant_id = $1 and $2 in (pair.left_source_no, pair.right_source_no)
  ) used_in
  join public.reconciliations period on period.tenant_id = $1 and period.id = used_in.id
    and (period.closed_at is not null or period.status = 'archived')
  limit 1;
  if found then
    perform private.refuse_conflict(
      case held.status when 'archived' then 'archived' else 'period_closed' end,
      format('%s, which is %s, matched, excluded or carried forward a line of this import. %s',
      held.name, case held.status when 'archived' then 'archived' else 'closed' end,
      case held.status when 'archived' then 'Exclude the lines in an open period instead.'
        else 'Reopen it first.' end));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.detach_removed_lines(tenant_id text, import_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  source constant integer := (select import.source_no from public.imports import
    where import.tenant_id = $1 and import.id = $2);
  line_nos bigint[];
  touched record;
begin
  perform private.lock_source($1, source);
  perform private.lock_pairs_of_source($1, source);
  perform private.mark_pair_changed(pair.tenant_id, pair.pair_no) from public.pairs pair
  where pair.tenant_id = $1 and source in (pair.left_source_no, pair.right_source_no);
  line_nos := private.line_nos_of_import($1, $2);
  perform private.require_undoable($1, source, line_nos);
  perform private.revoke_signatures_of_source($1, source, '-infinity', 'An import was undone.');
  for touched in
    select member.pair_no, array_agg(distinct member.match_id) as ids
    from public.match_members member
    where member.tenant_id = $1 and member.line_no = any (line_nos) group by member.pair_no
    order by member.pair_no
  loop
    perform private.undo_matches($1, touched.ids, null);
    perform private.delete_matches($1, touched.ids);
  end loop;
  for touched in select pair.pair_no from public.pairs pair where pair.tenant_id = $1 loop
    delete
    from public.exclusions exclusion
    where exclusion.tenant_id = $1 and exclusion.pair_no = touched.pair_no
      and exclusion.line_no = any (line_nos);
    delete
    from private.open_lines open_line
    where open_line.tenant_id = $1 and open_line.pair_no = touched.pair_no
      and open_line.line_no = any (line_nos);
    perform private.resolve_line_exceptions($1, touched.pair_no, line_nos,
      'The import of the line was undone.');
  end loop;
  delete from private.line_texts line_text
  where line_text.tenant_id = $1 and line_text.line_no = any (line_nos);
end $function$;
CREATE OR REPLACE FUNCTION private.refresh_statistics(tenant text, anyway boolean DEFAULT false)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
AS $function$
declare
  lines constant bigint := coalesce(
    (select sum(source.line_count) from public.sources source where source.tenant_id = tenant),
    0);
  in_pairs constant bigint := coalesce((
    select sum(source.line_count)
    from public.pairs pair
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = tenant and pair.opening is null), 0);
  matched constant bigint := coalesce(
    (select sum(matched_count.lines) from private.matched_counts matched_count
      where matched_count.tenant_id = tenant),
    0);
  stale record;
begin
  for stale in
    -- A match has two lines, and seldom more than four.
    select *
    from (values ('public.lines', lines), ('private.open_lines', in_pairs - matched),
      ('public.match_members', matched),
      ('public.matches', matched / 4), ('public.exceptions', 0),
      ('private.exception_lines', 0)) expected (of_table, rows)
  loop
    if anyway or stale.rows > 10000
      and stale.rows > (select relation.reltuples / 300 from pg_class relation
        where relation.oid = stale.of_table::regclass)
      and private.expected_rows(tenant, stale.of_table) <= stale.rows / 4 then
      execute 'analyze ' || stale.of_table;
    end if;
  end loop;
exception when lock_not_available then
  null;
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
      select distinct changed_row.tenant_id, changed_row.reconciliation_id
      from changed changed_row
      where tg_op <> 'DELETE' or tg_table_name <> 'matches'
        or to_jsonb(changed_row) ->> 'state' = 'confirmed'
    ) closed_pair
    join public.reconciliations period on period.tenant_id = closed_pair.tenant_id
      and period.id = closed_pair.reconciliation_id
    where (period.closed_at is not null or period.status = 'archived')
      and not (tg_op = 'DELETE' and private.is_being_reset(period.tenant_id))
  ) then
    perform private.refuse_conflict('period_closed',
      'The period is closed or archived. Reopen a closed one first; an archived one does not change any more.');
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.match_json(match public.matches)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', private.match_id_text(match.id), 'reconciliation_id', match.reconciliation_id,
    'run_id', match.run_id,
    'state', match.state, 'shape', match.shape,
    'method', match.method, 'score', match.score, 'margin', match.margin,
    'currency', match.currency,
    'amount_minor', match.amount_minor,
    'residual_minor', match.residual_minor, 'adjustments', match.adjustments, 'note', match.note,
    'explanation', match.explanation
      || case
        when jsonb_typeof(
          match.explanation -> 'runner_up') = 'object' then jsonb_build_object('runner_up',
          (
      select jsonb_build_object('side', match.explanation #> '{runner_up,side}',
        'line_id', private.line_id_text(line.id))
      from public.lines line
        where line.tenant_id = match.tenant_id
          and line.line_no = (match.explanation #>> '{runner_up,handle}')::bigint
    )) else '{}' end,
    'decided_by', match.decided_by, 'decided_at', private.iso(match.decided_at),
    'created_at', private.iso(match.created_at), 'created_by', match.created_by
  ) || (
    select jsonb_build_object(
      'members', coalesce(jsonb_agg(jsonb_build_object(
        'line_id', private.line_id_text(line.id), 'side', member.side,
        'allocated_minor', member.allocated_minor, 'value_date', line.value_date,
        'reference', line.reference, 'counterparty', line.counterparty)
          order by member.side, line.value_date, line.line_no),
        '[]'),
      'plain', case
        when match.explanation is null then jsonb_agg(
          jsonb_build_object('side', member.side, 'amount_minor', member.allocated_minor,
        'currency', line.currency, 'value_date', line.value_date - date '1970-01-01',
        'reference', line.reference, 'counterparty', line.counterparty,
        'description', line.description, 'group_key', line.group_key)
          order by member.side, line.value_date, line.line_no) end
    )
    from public.match_members member
      join public.lines line on line.tenant_id = member.tenant_id and line.line_no = member.line_no
    where member.tenant_id = match.tenant_id and member.match_id = match.id
  );
end $function$;
CREATE OR REPLACE FUNCTION private.record_act(kind text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.acts (tenant_id, reconciliation_id, kind, match_ids, created_by)
  select match.tenant_id, match.reconciliation_id, record_act.kind,
    array_agg(match.id order by match.id),
    private.actor()
  from public.matches match where match.tenant_id = private.tenant_id() and match.id = any (ids)
  group by match.tenant_id, match.reconciliation_id order by match.reconciliation_id;
end $function$;
CREATE OR REPLACE FUNCTION private.act_json(action private.acts)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', action.id, 'reconciliation_id', action.reconciliation_id, 'action', action.kind,
    'match_count', cardinality(action.match_ids),
    'match_ids',
    (select coalesce(jsonb_agg(private.match_id_text(match_id) order by match_id), '[]')
      from unnest(action.match_ids[:500]) match_id),
    'line_id', private.line_id_text(action.line_id), 'created_at', private.iso(action.created_at),
    'created_by', action.created_by,
    'undone_at', private.iso(action.undone_at), 'undone_by', action.undone_by
  );
end $function$;
CREATE OR REPLACE FUNCTION private.record_decided_matches(action text, ids uuid[], details jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  target constant text := case when cardinality(ids) = 1 then private.match_id_text(ids[1]) end;
  periods constant text[] := array(
    select distinct match.reconciliation_id
    from public.matches match
    where match.tenant_id = private.tenant_id() and match.id = any (ids)
    order by match.reconciliation_id);
  event_details constant jsonb := details || jsonb_build_object('count', cardinality(ids),
    'reconciliation_id', case when cardinality(periods) = 1 then periods[1] end);
begin
  if cardinality(ids) = 0 then
    return;
  end if;
  if action in ('confirm', 'undo') then
    perform private.record_period_work(decided.id) from unnest(periods) as decided (id);
  end if;
  case action
    when 'confirm' then perform private.record_security_event('matching.confirmed', target, null,
      event_details);
    when 'reject' then perform private.record_security_event('matching.rejected', target, null,
      event_details);
    when 'undo' then perform private.record_security_event('matching.undone', target, null,
      event_details);
  end case;
end $function$;
CREATE OR REPLACE FUNCTION private.record_hand_match(match public.matches)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  event_details constant jsonb := jsonb_build_object('reconciliation_id', match.reconciliation_id,
    'currency', match.currency, 'amount_minor', match.amount_minor,
    'adjustments', match.adjustments);
begin
  perform private.record_period_work(match.reconciliation_id);
  if match.adjustments @> '[{"kind": "write_off"}]' then
    perform private.record_security_event('matching.written_off', private.match_id_text(match.id),
      match.note, event_details);
  else
    perform private.record_security_event('matching.matched', private.match_id_text(match.id),
      match.note,
      event_details);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.count_matched(tenant text, ids uuid[], sign integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.matched_counts as matched_count (tenant_id, reconciliation_id, lines)
  select match.tenant_id, match.reconciliation_id, greatest(0, sign) * sum(member_count.lines)
  from public.matches match
  cross join lateral (select count(*) as lines from public.match_members member
    where member.tenant_id = tenant and member.match_id = match.id) member_count
  where match.tenant_id = tenant and match.id = any (ids)
  group by match.tenant_id, match.reconciliation_id order by match.reconciliation_id
  on conflict (tenant_id, reconciliation_id)
    do update set lines = matched_count.lines + case when sign > 0 then excluded.lines else -(
    select sum(member_count.lines) from public.matches match
    cross join lateral (select count(*) as lines from public.match_members member
      where member.tenant_id = tenant and member.match_id = match.id) member_count
    where match.tenant_id = tenant and match.id = any (ids)
      and match.reconciliation_id = excluded.reconciliation_id
  ) end;
end $function$;
CREATE OR REPLACE FUNCTION private.find_open_amounts(tenant text, pair integer, line_nos bigint[], minors bigint[])
 RETURNS TABLE(nth bigint, minor bigint, place tid, open_minor bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  return query
  select sought.place, sought.minor, open_line.place, open_line.open_minor
  from unnest(line_nos, minors) with ordinality sought (line_no, minor, place)
  left join (
    select open_line.line_no, open_line.ctid as place, open_line.open_minor
    from private.open_lines open_line
    where open_line.tenant_id = tenant and open_line.pair_no = pair
      and open_line.line_no = any ((select line_nos)::bigint[])
      order by open_line.line_no
  ) open_line on open_line.line_no = sought.line_no;
end $function$;
CREATE OR REPLACE FUNCTION private.reduce_open_amounts(tenant text, pair integer, line_nos bigint[], minors bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  places record;
begin
  select array_agg(open_line.place) filter (where open_line.open_minor = open_line.minor) as whole,
    array_agg(open_line.place) filter (where open_line.open_minor <> open_line.minor) as part,
    array_agg(open_line.minor) filter (where open_line.open_minor <> open_line.minor) as part_minors
  into places
  from private.find_open_amounts(tenant, pair, line_nos, minors) open_line
  where open_line.place is not null;
  delete from private.open_lines open_line where open_line.ctid = any (places.whole);
  update private.open_lines open_line set open_minor = open_line.open_minor - reduced.minor
  from unnest(places.part, places.part_minors) as reduced (place, minor)
  where open_line.ctid = reduced.place;
end $function$;
CREATE OR REPLACE FUNCTION private.allocate_open_amounts(tenant text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  short jsonb;
  taken record;
begin
  select jsonb_agg(
    jsonb_build_object('path', 'ids.' || (item.place - 1), 'message',
      'A line of this match is not open any more.')
  order by item.place) into short
  from unnest(ids) with ordinality as item (id, place)
  where exists (
    select from public.match_members member
    left join private.open_lines open_line on open_line.tenant_id = member.tenant_id
      and open_line.pair_no = member.pair_no
      and open_line.line_no = member.line_no
    where member.tenant_id = tenant and member.match_id = item.id
      and coalesce(
        member.allocated_minor not between least(open_line.open_minor, 0)
          and greatest(open_line.open_minor, 0),
        true)
  ) or exists (
    select from public.match_members member join public.match_members other
      on other.tenant_id = member.tenant_id and other.line_no = member.line_no
        and other.match_id = any (ids) and other.match_id < member.match_id
    where member.tenant_id = tenant and member.match_id = item.id
  );
  if short is not null then
    perform private.refuse_conflict('state_changed',
      'What it needs is not open any more. Nothing was changed.',
      short);
  end if;
  for taken in
    select member.pair_no, array_agg(member.line_no) as line_nos,
      array_agg(member.allocated_minor) as minors
    from public.match_members member where member.tenant_id = tenant and member.match_id = any (ids)
      group by member.pair_no
  loop
    perform private.reduce_open_amounts(tenant, taken.pair_no, taken.line_nos, taken.minors);
  end loop;
  perform private.count_matched(tenant, ids, 1);
  perform private.revoke_signatures_of_matches(tenant, ids, 'Lines were matched.');
end $function$;
CREATE OR REPLACE FUNCTION private.release_open_amounts(tenant text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.open_lines as open_line (tenant_id, pair_no, line_no, side, currency,
    amount_minor, open_minor, value_date)
  select member.tenant_id, member.pair_no, member.line_no, member.side, line.currency,
    direction.factor * line.amount_minor, sum(member.allocated_minor), line.value_date
  from public.match_members member
  join public.lines line on line.tenant_id = member.tenant_id and line.line_no = member.line_no
  join public.sources source on source.tenant_id = line.tenant_id
    and source.source_no = line.source_no
  cross join lateral (
    select case source.sign when 'inverted' then -1 else 1 end as factor) direction
  where member.tenant_id = tenant and member.match_id = any (ids)
  group by member.tenant_id, member.pair_no, member.line_no, member.side, line.currency,
    direction.factor,
    line.amount_minor, line.value_date
  on conflict (tenant_id, pair_no, line_no)
    do update set open_minor = open_line.open_minor + excluded.open_minor;
  perform private.count_matched(tenant, ids, -1);
  perform private.revoke_signatures_of_matches(tenant, ids, 'A match was undone.');
end $function$;
CREATE OR REPLACE FUNCTION private.drop_suggestions(tenant text, pair integer, line_nos bigint[], except_ids uuid[] DEFAULT '{}'::uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  stale uuid[];
begin
  select array_agg(distinct match.id) into stale
  from public.match_members member
    join public.matches match on match.tenant_id = member.tenant_id and match.id = member.match_id
  where member.tenant_id = tenant and member.line_no = any (line_nos) and member.pair_no = pair
    and match.state = 'suggested' and match.id <> all (except_ids);
  if stale is not null then
    perform private.delete_matches(tenant, stale);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.delete_matches(tenant text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.delete_open_suggestions(tenant, ids);
  delete from public.match_members member where member.tenant_id = tenant
    and member.match_id = any (ids);
  delete from public.matches match where match.tenant_id = tenant and match.id = any (ids);
end $function$;
CREATE OR REPLACE FUNCTION private.undo_matches(tenant text, ids uuid[], actor text)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  confirmed uuid[];
  suggested uuid[];
  touched record;
begin
  select array_agg(match.id order by match.id) filter (where match.state = 'confirmed'),
    array_agg(match.id order by match.id) filter (where match.state = 'suggested')
  into confirmed, suggested
  from public.matches match where match.tenant_id = tenant and match.id = any (ids);
  if suggested is not null then
    perform private.delete_matches(tenant, suggested);
  end if;
  if confirmed is null then
    return 0;
  end if;
  perform private.release_open_amounts(tenant, confirmed);
  if actor is not null then
    insert into private.decisions (tenant_id, pair_no, match_id, confirmed, score)
    select match.tenant_id, match.pair_no, match.id, false, match.score from public.matches match
    where match.tenant_id = tenant and match.id = any (confirmed) and match.decided_by is null
      and not match.settled and match.shape = '1:1'
      order by match.id;
  end if;
  update public.matches match
  set state = 'undone', decided_by = coalesce(actor, match.decided_by), decided_at = now()
  where match.tenant_id = tenant and match.id = any (confirmed);
  insert into public.events (tenant_id, type, data)
  select match.tenant_id, 'match.undone',
    jsonb_build_object('match', private.match_event(match), 'undone_by', coalesce(actor, 'system'))
  from public.matches match where match.tenant_id = tenant and match.id = any (confirmed)
  order by match.id;
  for touched in
    select member.pair_no, array_agg(distinct member.line_no) as line_nos
    from public.match_members member
    where member.tenant_id = tenant and member.match_id = any (confirmed) group by member.pair_no
  loop
    perform private.reopen_line_exceptions(tenant, touched.pair_no, touched.line_nos);
  end loop;
  return cardinality(confirmed);
end $function$;
CREATE OR REPLACE FUNCTION private.match_event(match public.matches)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('id', private.match_id_text(match.id),
    'reconciliation_id', match.reconciliation_id, 'shape', match.shape,
    'method', match.method, 'currency', match.currency, 'amount_minor', match.amount_minor,
    'residual_minor', match.residual_minor,
    'line_ids', (
      select jsonb_agg(private.line_id_text(line.id) order by line.line_no)
      from public.match_members member
      join public.lines line on line.tenant_id = member.tenant_id and line.line_no = member.line_no
      where member.tenant_id = match.tenant_id and member.match_id = match.id
    ));
end $function$;
CREATE OR REPLACE FUNCTION private.confirm_matches(tenant text, pair integer, ids uuid[], actor text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  line_nos bigint[];
begin
  perform private.allocate_open_amounts(tenant, ids);
  update public.matches match
  set state = 'confirmed', decided_by = actor, decided_at = now()
  where match.tenant_id = tenant and match.id = any (ids);
  insert into private.decisions (tenant_id, pair_no, match_id, confirmed, score)
  select match.tenant_id, match.pair_no, match.id, true, match.score from public.matches match
  where match.tenant_id = tenant and match.id = any (ids) and match.shape = '1:1' order by match.id;
  select array_agg(distinct member.line_no) into line_nos
  from public.match_members member
  where member.tenant_id = tenant and member.match_id = any (ids);
  perform private.drop_suggestions(tenant, pair, line_nos, ids);
  perform private.resolve_matched_exceptions(tenant, pair, ids);
end $function$;
CREATE OR REPLACE FUNCTION private.reject_matches(tenant text, ids uuid[], actor text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.delete_open_suggestions(tenant, ids);
  update public.matches match
  set state = 'rejected', decided_by = actor, decided_at = now()
  where match.tenant_id = tenant and match.id = any (ids);
  insert into private.decisions (tenant_id, pair_no, match_id, confirmed, score)
  select match.tenant_id, match.pair_no, match.id, false, match.score from public.matches match
  where match.tenant_id = tenant and match.id = any (ids) and match.shape = '1:1' order by match.id;
end $function$;
CREATE OR REPLACE FUNCTION private.find_match(id text)
 RETURNS public.matches
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  match public.matches;
begin
  select * into match
  from public.matches
  where matches.tenant_id = private.tenant_id() and matches.id = private.match_id($1);
  if not found then
    perform private.refuse_missing('match');
  end if;
  return match;
end $function$;
CREATE OR REPLACE FUNCTION private.find_period(id text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
begin
  select * into period
  from public.reconciliations
  where reconciliations.tenant_id = private.tenant_id() and reconciliations.id = $1;
  if not found then
    perform private.refuse_missing('reconciliation');
  elsif period.pair_no is null then
    perform private.refuse_conflict('no_sources',
      'This reconciliation has no sources. Create one with left_source_id and right_source_id to match lines.');
  end if;
  return period;
end $function$;
CREATE OR REPLACE FUNCTION private.require_changeable(action text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  wanted constant text := case action when 'undo' then 'confirmed' else 'suggested' end;
  done constant text := case action when 'undo' then 'undone' when 'confirm' then 'confirmed'
    else 'rejected' end;
  refused jsonb;
begin
  select jsonb_agg(
    jsonb_build_object('path', 'ids.' || (item.place - 1), 'message', 'There is no such match.')
    order by item.place) into refused
  from unnest(ids) with ordinality as item (id, place)
  left join public.matches match on match.tenant_id = tenant and match.id = item.id
  where match.id is null;
  if refused is not null then
    perform private.refuse('not_found', 'There is no such match.', refused);
  end if;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (item.place - 1),
    'message', format('This match is %s: only one that is %s can be %s.', match.state, wanted,
      done))
    order by item.place) into refused
  from unnest(ids) with ordinality as item (id, place)
  join public.matches match on match.tenant_id = tenant and match.id = item.id
  where match.state <> wanted;
  if refused is not null then
    perform private.refuse('invalid_transition',
      format('Only a match that is %s can be %s. Nothing was changed.', wanted, done), refused);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.change_matches(action text, ids uuid[], seen boolean DEFAULT true)
 RETURNS SETOF public.matches
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  actor constant text := private.actor();
  touched record;
begin
  for touched in
    select match.pair_no, array_agg(distinct match.reconciliation_id) as periods
    from public.matches match
    where match.tenant_id = tenant and match.id = any (ids) group by match.pair_no
    order by match.pair_no
  loop
    perform private.lock_period(tenant, period_ids.id)
      from unnest(touched.periods) as period_ids (id);
  end loop;
  perform private.require_changeable(action, ids);
  for touched in
    select match.pair_no, array_agg(match.id order by match.id) as ids from public.matches match
    where match.tenant_id = tenant and match.id = any (change_matches.ids) group by match.pair_no
      order by match.pair_no
  loop
    case action
      when 'confirm' then perform private.confirm_matches(tenant, touched.pair_no, touched.ids,
        actor);
      when 'reject' then perform private.reject_matches(tenant, touched.ids, actor);
      when 'undo' then perform private.undo_matches(tenant, touched.ids, actor);
    end case;
  end loop;
  if not seen then
    update private.decisions decision
    set score = null
    where decision.tenant_id = tenant and decision.match_id = any (change_matches.ids);
  end if;
  if action <> 'undo' then
    perform private.record_act(action, change_matches.ids);
  end if;
  perform private.record_decided_matches(action, change_matches.ids,
    jsonb_build_object('by_filter', not seen));
  return query
  select match.*
  from unnest(ids) with ordinality as item (id, place)
  join public.matches match on match.tenant_id = tenant and match.id = item.id
  order by item.place;
end $function$;
CREATE OR REPLACE FUNCTION public.confirm_match(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'confirm_match');
  match public.matches;
begin
  if replayed is not null then
    return replayed;
  end if;
  match := private.find_match(input ->> 'id');
  select * into match from private.change_matches('confirm', array[match.id]);
  return private.finish_request(request, private.match_json(match));
end $function$;
CREATE OR REPLACE FUNCTION public.reject_match(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'reject_match');
  match public.matches;
begin
  if replayed is not null then
    return replayed;
  end if;
  match := private.find_match(input ->> 'id');
  select * into match from private.change_matches('reject', array[match.id]);
  return private.finish_request(request, private.match_json(match));
end $function$;
CREATE OR REPLACE FUNCTION public.undo_match(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'undo_match');
  match public.matches;
begin
  if replayed is not null then
    return replayed;
  end if;
  match := private.find_match(input ->> 'id');
  select * into match from private.change_matches('undo', array[match.id]);
  return private.finish_request(request, private.match_json(match));
end $function$;
CREATE OR REPLACE FUNCTION private.match_ids(ids jsonb)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  found_ids uuid[];
  missing jsonb;
begin
  select array_agg(private.match_id(item.id) order by item.place),
    jsonb_agg(
      jsonb_build_object('path', 'ids.' || (item.place - 1), 'message', 'There is no such match.')
      order by item.place)
      filter (where private.match_id(item.id) is null)
  into found_ids, missing
  from jsonb_array_elements_text(ids) with ordinality as item (id, place);
  if missing is not null then
    perform private.refuse('not_found', 'There is no such match.', missing);
  end if;
  return found_ids;
end $function$;
CREATE OR REPLACE FUNCTION private.matches_to_decide(action text, filter jsonb, expected integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  found_ids uuid[];
begin
  perform private.find_period(filter ->> 'reconciliation_id');
  select coalesce(array_agg(match.id order by match.id), '{}') into found_ids
  from (
    select match.id from public.matches match
    where match.tenant_id = tenant and match.reconciliation_id = filter ->> 'reconciliation_id'
      and match.state = case action when 'undo' then 'confirmed' else 'suggested' end
      and (filter ->> 'method' is null or match.method = filter ->> 'method')
      and (filter ->> 'shape' is null or match.shape = filter ->> 'shape')
      and (filter ->> 'run_id' is null or match.run_id = filter ->> 'run_id')
      and (filter ->> 'score_from' is null or match.score >= private.score(filter ->> 'score_from'))
      and (filter ->> 'score_below' is null
      or match.score < private.score(filter ->> 'score_below'))
    order by match.id limit 5001
  ) match;
  if cardinality(found_ids) > 5000 then
    perform private.refuse_field('filter',
      'The filter finds more than 5,000 matches. Narrow it.');
  elsif cardinality(found_ids) <> expected then
    perform private.refuse_conflict('count_changed',
      format('The filter finds %s matches, not %s. Look at them again. Nothing was changed.',
        cardinality(found_ids), expected));
  end if;
  return found_ids;
end $function$;
CREATE OR REPLACE FUNCTION public.decide_matches(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'decide_matches');
  tenant constant text := private.tenant_id();
  action constant text := input ->> 'action';
  filter constant jsonb := nullif(input -> 'filter', 'null');
  found_ids uuid[];
begin
  if replayed is not null then
    return replayed;
  end if;
  if action = 'undo' and not private.may('write:reconciliations') then
    perform private.refuse('role_required',
      'This credential may confirm and reject suggestions, and not undo matches.');
  end if;
  found_ids := case when filter is null then private.match_ids(input -> 'ids')
    else private.matches_to_decide(action, filter, (input ->> 'expected_count')::integer) end;
  return private.finish_request(request, (
    select jsonb_build_object('count', count(*), 'items',
      coalesce(
        jsonb_agg(private.match_json(match)
          order by changed.ordinality) filter (where changed.ordinality <= 500),
        '[]'))
    from private.change_matches(action, found_ids, filter is null) with ordinality changed
    join public.matches match on match.tenant_id = changed.tenant_id and match.id = changed.id
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.narrow_by_filters(period public.reconciliations, input jsonb, max_count integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  source_nos constant integer[] := (
    select array[pair.left_source_no, pair.right_source_no]
    from public.pairs pair
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no);
  search constant text := nullif(btrim(input ->> 'q'), '');
  line_nos bigint[];
begin
  if input ->> 'line_id' is not null then
    return array(select line.line_no from public.lines line
      where line.tenant_id = period.tenant_id and line.id = private.line_id(input ->> 'line_id'));
  end if;
  if search is not null then
    line_nos := private.find_lines_of_caller(search, source_nos, max_count);
  end if;
  if line_nos is null and coalesce(input ->> 'date_from', input ->> 'date_to') is not null then
    line_nos := array(
      select of_source.line_no from unnest(source_nos) wanted_source (source_no) cross
        join lateral (
        select line.line_no from public.lines line
        where line.tenant_id = period.tenant_id and line.source_no = wanted_source.source_no
          and line.value_date between coalesce((input ->> 'date_from')::date,
            '-infinity') and least((input ->> 'date_to')::date, period.period_end)
        limit max_count + 1
      ) of_source
    );
  end if;
  return case when cardinality(line_nos) <= max_count then line_nos end;
end $function$;
CREATE OR REPLACE FUNCTION private.matches_since(period public.reconciliations, since timestamp with time zone)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  first_id constant uuid := rpad(private.id_time(since - interval '10 minutes'), 32, '0');
  max_count constant integer := 50000;
  ids constant uuid[] := array(
    select match.id from (
      (
        select match.id from public.matches match
        where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
          and match.id >= first_id
          and match.created_at >= since
        limit max_count + 1
      )
      union
      select match.id from public.matches match
      where match.tenant_id = period.tenant_id and match.decided_at >= since
        and match.reconciliation_id = period.id
    ) match
    limit max_count + 1
  );
begin
  return case when cardinality(ids) <= max_count then ids end;
end $function$;
CREATE OR REPLACE FUNCTION private.match_filters(input jsonb, after_id uuid, of_line text, is_changed boolean, is_closed boolean)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  by_line constant text := 'exists (
    select from public.match_members member
    cross join lateral (
      select * from public.lines x where x.tenant_id = $1 and x.line_no = member.line_no offset 0
    ) l
    where member.tenant_id = $1 and member.match_id = m.id and ';
begin
  return concat_ws(' and ', 'm.tenant_id = $1 and m.reconciliation_id = $2',
    case when after_id is not null then 'm.id < $3' end,
    case when is_changed then 'm.id = any ($7)'
      when input ->> 'updated_since' is not null then $c$(
        m.created_at >= ($4 ->> 'updated_since')::timestamptz
        or m.decided_at >= ($4 ->> 'updated_since')::timestamptz)$c$
    end,
    case when input ->> 'state' is not null then format('m.state = %L', input ->> 'state') end,
    -- Suggestions that wait for the next period do not belong to a closed one.
    case when is_closed then $c$m.state <> 'suggested'$c$ end,
    case when input ->> 'method' is not null then $c$m.method = $4 ->> 'method'$c$ end,
    case when input ->> 'shape' is not null then $c$m.shape = $4 ->> 'shape'$c$ end,
    case when input ->> 'run_id' is not null then $c$m.run_id = $4 ->> 'run_id'$c$ end,
    case when input ->> 'amount_from' is not null then
      $c$m.amount_minor >= ($4 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then
      $c$m.amount_minor <= ($4 ->> 'amount_to')::bigint$c$ end,
    by_line || of_line || ' offset 0)');
end $function$;
CREATE OR REPLACE FUNCTION public.list_matches(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  tenant constant text := private.tenant_id();
  after_id constant uuid := private.match_id(input -> 'after' ->> 0);
  of_line constant text := private.requested_line(input);
  period public.reconciliations;
  found_lines bigint[];
  changed uuid[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_matches');
  period := private.find_period(input ->> 'id');
  if of_line is not null then
    found_lines := private.narrow_by_filters(period, input, 5000);
  end if;
  if input ->> 'updated_since' is not null then
    changed := private.matches_since(period, (input ->> 'updated_since')::timestamptz);
  end if;
  execute format('select jsonb_agg(private.match_json(x) order by x.id desc) from (
      select m.* from %s where %s order by m.id desc limit $6
    ) x',
    case when found_lines is null then 'public.matches m' else '(
      select distinct member.match_id from public.match_members member
      where member.tenant_id = $1 and member.line_no = any ($5)
    ) f cross join lateral (
      select * from public.matches y where y.tenant_id = $1 and y.id = f.match_id offset 0
    ) m' end,
    private.match_filters(input, after_id, of_line, changed is not null,
      period.closed_at is not null))
  into items using tenant, period.id, after_id, input, found_lines, page_size + 1, changed;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.lines_of_pair(pair integer, ids jsonb)
 RETURNS TABLE(place bigint, line_no bigint, side text, currency text, open_minor bigint, value_date date)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  missing jsonb;
begin
  select jsonb_agg(
    jsonb_build_object('path', 'line_ids.' || (item.place - 1), 'message',
      'There is no such line in the two sources.')
  order by item.place) into missing
  from jsonb_array_elements_text(ids) with ordinality as item (id, place)
  where not exists (
    select
    from public.lines line
    join public.sources source on source.tenant_id = line.tenant_id
      and source.source_no = line.source_no
    join public.pairs on pairs.tenant_id = source.tenant_id and pairs.pair_no = pair
      and source.source_no in (pairs.left_source_no, pairs.right_source_no)
    where line.tenant_id = tenant and line.id = private.line_id(item.id)
  );
  if missing is not null then
    perform private.refuse('invalid_request',
      'The request is not valid: see errors for each place.', missing);
  end if;
  return query
  select item.place, line.line_no,
    case line.source_no when pairs.left_source_no then 'left' else 'right' end,
    line.currency, coalesce(open_line.open_minor, 0), line.value_date
  from jsonb_array_elements_text(ids) with ordinality as item (id, place)
  join public.lines line on line.tenant_id = tenant and line.id = private.line_id(item.id)
  join public.pairs on pairs.tenant_id = tenant and pairs.pair_no = pair
  left join private.open_lines open_line on open_line.tenant_id = tenant
    and open_line.pair_no = pair and open_line.line_no = line.line_no
  order by item.place;
end $function$;
CREATE OR REPLACE FUNCTION private.require_adjustable(period public.reconciliations, adjustments jsonb, larger numeric, currency text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  adjusted constant numeric := (select coalesce(sum(abs((adjustment ->> 'amount_minor')::numeric)),
    0)
    from jsonb_array_elements(coalesce($2, '[]')) adjustment);
  max_count numeric;
begin
  if private.principal_type() = 'user' then
    return;
  elsif adjustments @> '[{"kind": "write_off"}]' then
    perform private.refuse('role_required',
      'A write-off is a person''s to decide: sign in as tenant_admin or tenant_lead.');
  end if;
  max_count := private.tolerance_of_pair(period.tenant_id, period.pair_no, larger);
  if adjusted > max_count then
    perform private.refuse('role_required',
      format(
        'An API key can adjust at most %s in minor units of %s here, by the tolerance of the rules, not %s. '
      'Leave the difference open with split_line_id, or have a tenant_admin or tenant_lead match these lines.',
      max_count, currency, adjusted));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.require_open_in_period(period public.reconciliations, line_ids jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  faults jsonb;
begin
  select jsonb_agg(jsonb_build_object('path', 'line_ids.' || (pair_line.place - 1), 'message', case
      when open_line.line_no is null then 'This line is matched or excluded already.'
      else format('This line is dated after the period, which ends on %s.', period.period_end) end)
        order by pair_line.place) into faults
  from private.lines_of_pair(period.pair_no, line_ids) pair_line
  left join private.open_lines open_line on open_line.tenant_id = period.tenant_id
    and open_line.pair_no = period.pair_no
    and open_line.line_no = pair_line.line_no
  where open_line.line_no is null or pair_line.value_date > period.period_end;
  if faults is not null then
    perform private.refuse_conflict('state_changed',
      'Not all of these lines are open in the period. Nothing was changed.', faults);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.sums_of_lines(period public.reconciliations, line_ids jsonb, OUT left_count bigint, OUT right_count bigint, OUT currency text, OUT left_minor numeric, OUT right_minor numeric, OUT positive_minor numeric, OUT fees numeric)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  currencies bigint;
begin
  select count(*) filter (where pair_line.side = 'left'),
    count(*) filter (where pair_line.side = 'right'),
    count(distinct pair_line.currency), min(pair_line.currency),
    coalesce(sum(pair_line.open_minor) filter (where pair_line.side = 'left'), 0),
    coalesce(sum(pair_line.open_minor) filter (where pair_line.side = 'right'), 0),
    sum(greatest(pair_line.open_minor, 0)),
    sum(case pair_line.side when 'left' then 1 else -1 end * private.fee_of_whole(line,
      pair_line.open_minor))
  into left_count, right_count, currencies, currency, left_minor, right_minor, positive_minor, fees
  from private.lines_of_pair(period.pair_no, line_ids) pair_line
  join public.lines line on line.tenant_id = period.tenant_id and line.line_no = pair_line.line_no;
  if currencies > 1 then
    perform private.refuse_field('line_ids', 'All lines of a match need one currency.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.split_of_match(period public.reconciliations, line_ids jsonb, split text, difference bigint, currency text, OUT line_no bigint, OUT side text, OUT taken_minor bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  open_minor bigint;
begin
  select pair_line.line_no, pair_line.side, pair_line.open_minor,
    pair_line.open_minor - case pair_line.side when 'left' then difference else -difference end
  into line_no, side, open_minor, taken_minor
  from private.lines_of_pair(period.pair_no, line_ids) pair_line
  join public.lines line on line.tenant_id = period.tenant_id and line.line_no = pair_line.line_no
    and line.id = private.line_id(split);
  if not found then
    perform private.refuse_field('split_line_id', 'Name one of line_ids.');
  elsif difference = 0 or sign(taken_minor) <> sign(open_minor)
    or abs(taken_minor) >= abs(open_minor) then
    perform private.refuse_field('split_line_id', format(
      'Left − right is %s in minor units of %s, which is no part of this line. Choose the larger line.',
      difference, currency));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.match_shape(left_count bigint, right_count bigint)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when left_count = 0 or right_count = 0 then 'reversal'
    when left_count = 1 and right_count = 1 then '1:1'
    when left_count = 1 then '1:n'
    when right_count = 1 then 'n:1'
    else 'n:m' end;
end $function$;
CREATE OR REPLACE FUNCTION private.sum_of_adjustments(adjustments jsonb)
 RETURNS numeric
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(sum((adjustment ->> 'amount_minor')::bigint), 0)
    from jsonb_array_elements(adjustments) adjustment
  );
end $function$;
CREATE OR REPLACE FUNCTION private.take_lines_by_hand(match public.matches, line_ids jsonb, split_no bigint, split_minor bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select match.tenant_id, match.id, match.pair_no, pair_line.line_no, pair_line.side,
    case when pair_line.line_no = split_no then split_minor else pair_line.open_minor end
  from private.lines_of_pair(match.pair_no, line_ids) pair_line;
  perform private.confirm_matches(match.tenant_id, match.pair_no, array[match.id],
    private.actor());
  perform private.record_act('match', array[match.id]);
  perform private.record_hand_match(match);
end $function$;
CREATE OR REPLACE FUNCTION private.match_by_hand(period text, line_ids jsonb, adjustments jsonb, note text, split text)
 RETURNS public.matches
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  period_row public.reconciliations;
  sums record;
  split_no bigint;
  split_side text;
  split_minor bigint;
  match public.matches;
  difference bigint;
  explained jsonb := coalesce(match_by_hand.adjustments, '[]');
  is_reversal boolean;
  -- What the match takes of each side.
  left_taken numeric;
  right_taken numeric;
  amount numeric;
begin
  period_row := private.lock_period(tenant, period);
  perform private.require_open_in_period(period_row, match_by_hand.line_ids);
  sums := private.sums_of_lines(period_row, match_by_hand.line_ids);
  is_reversal := sums.left_count = 0 or sums.right_count = 0;
  if split is not null and is_reversal then
    perform private.refuse_field('split_line_id',
      'Only a match of both sides can leave part of a line open.');
  end if;
  if split is null then
    explained := private.explain_difference(explained, sums.left_minor, sums.right_minor,
      sums.fees, sums.currency);
  else
    difference := sums.left_minor - sums.right_minor - private.sum_of_adjustments(explained);
    select part.line_no, part.side, part.taken_minor into split_no, split_side, split_minor
    from private.split_of_match(period_row, match_by_hand.line_ids, split, difference,
      sums.currency) part;
  end if;
  left_taken := sums.left_minor - case split_side when 'left' then difference else 0 end;
  right_taken := sums.right_minor + case split_side when 'right' then difference else 0 end;
  amount := case when is_reversal then sums.positive_minor else left_taken end;
  if greatest(abs(left_taken), abs(right_taken), abs(amount)) > 9007199254740991 then
    perform private.refuse_field('line_ids',
      'These lines come to more than 9007199254740991 in minor units. Match fewer of them at a time.');
  end if;
  perform private.require_adjustable(period_row, match_by_hand.adjustments,
    greatest(abs(left_taken), abs(right_taken), amount), sums.currency);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method,
    currency, amount_minor, adjustments, note, decided_by, decided_at)
  values (tenant, private.new_uuid(), period_row.pair_no, period_row.id, 'confirmed',
    private.match_shape(sums.left_count, sums.right_count), 'manual', sums.currency, amount,
    explained,
    match_by_hand.note, private.actor(), now()) returning * into match;
  perform private.take_lines_by_hand(match, match_by_hand.line_ids, split_no, split_minor);
  return match;
end $function$;
CREATE OR REPLACE FUNCTION private.open_period_of_line(id text, reconciliation text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  line public.lines;
  pairs integer[];
  period text;
begin
  select * into line
  from public.lines
  where lines.tenant_id = private.tenant_id() and lines.id = private.line_id($1);
  if not found then
    perform private.refuse_missing('line');
  end if;
  if reconciliation is not null then
    perform
    from public.reconciliations
    join public.pairs pair on pair.tenant_id = reconciliations.tenant_id
      and pair.pair_no = reconciliations.pair_no
    where reconciliations.tenant_id = line.tenant_id and reconciliations.id = reconciliation
      and line.source_no in (pair.left_source_no, pair.right_source_no);
    if not found then
      perform private.refuse_field('reconciliation_id',
        'There is no such reconciliation of the line''s source.');
    end if;
    return reconciliation;
  end if;
  select array_agg(pair.pair_no) into pairs from public.pairs pair
  where pair.tenant_id = line.tenant_id
    and line.source_no in (pair.left_source_no, pair.right_source_no);
  if cardinality(pairs) > 1 then
    perform private.refuse_field('reconciliation_id',
      'The line''s source is compared with several others: name the reconciliation.');
  end if;
  select reconciliations.id into period from public.reconciliations
  where reconciliations.tenant_id = line.tenant_id and reconciliations.pair_no = any (pairs)
    and reconciliations.closed_at is null and reconciliations.status <> 'archived'
    and reconciliations.period_end >= line.value_date
  order by reconciliations.period_end limit 1;
  if not found then
    perform private.refuse_conflict('no_open_period',
      'No reconciliation of the line''s source is open for its day.');
  end if;
  return period;
end $function$;
CREATE OR REPLACE FUNCTION private.exclude_line(id text, period text, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  period_row public.reconciliations;
  open_line private.open_lines;
begin
  period_row := private.lock_period(tenant, period);
  delete from private.open_lines using public.lines line
  where line.tenant_id = tenant and line.id = private.line_id($1) and open_lines.tenant_id = tenant
    and open_lines.pair_no = period_row.pair_no and open_lines.line_no = line.line_no
    and open_lines.value_date <= period_row.period_end
  returning open_lines.* into open_line;
  if not found then
    perform private.refuse_conflict('line_not_open',
      'Nothing of this line is open in the period: it is matched, excluded, or dated after it.');
  end if;
  -- Part of it was excluded while the rest was matched, and that match was undone later.
  insert into public.exclusions as exclusion (tenant_id, pair_no, line_no, reconciliation_id, side,
    currency, excluded_minor, reason)
  values (tenant, period_row.pair_no, open_line.line_no, period_row.id, open_line.side,
    open_line.currency, open_line.open_minor, $3)
  on conflict (tenant_id, pair_no, line_no)
    do update set excluded_minor = exclusion.excluded_minor + excluded.excluded_minor,
    reason = excluded.reason,
    created_at = now(), created_by = private.actor()
  where exclusion.reconciliation_id = excluded.reconciliation_id;
  if not found then
    perform private.refuse_conflict('excluded_elsewhere',
      'Another period excluded part of this line. Include it there first, or match what is open of it.');
  end if;
  perform private.drop_suggestions(tenant, period_row.pair_no, array[open_line.line_no]);
  perform private.resolve_line_exceptions(tenant, period_row.pair_no, array[open_line.line_no],
    left('Excluded: ' || $3, 1000));
  insert into private.acts (tenant_id, reconciliation_id, kind, line_id, reason, created_by)
  values (tenant, period_row.id, 'exclude', private.line_id($1), $3, private.actor());
  perform private.record_period_work(period_row.id);
  perform private.revoke_signatures(tenant, array[period_row.id], 'A line was excluded.');
  perform private.record_security_event('line.excluded', $1, null,
    jsonb_build_object('reconciliation_id', period_row.id, 'reason', $3));
end $function$;
CREATE OR REPLACE FUNCTION private.include_line(id text, period text, reason text)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  period_row public.reconciliations;
  exclusion public.exclusions;
begin
  select current_period.* into period_row from public.lines line
  join public.exclusions on exclusions.tenant_id = line.tenant_id
    and exclusions.line_no = line.line_no
  join public.reconciliations current_period on current_period.tenant_id = exclusions.tenant_id
    and current_period.id = exclusions.reconciliation_id
  where line.tenant_id = tenant and line.id = private.line_id($1)
    and (period is null or current_period.id = period)
  order by current_period.period_end desc limit 1;
  if not found then
    perform private.refuse_conflict('not_excluded', 'This line is not excluded.');
  end if;
  period_row := private.lock_period(tenant, period_row.id);
  delete from public.exclusions using public.lines line
  where line.tenant_id = tenant and line.id = private.line_id($1) and exclusions.tenant_id = tenant
    and exclusions.pair_no = period_row.pair_no and exclusions.line_no = line.line_no
  returning exclusions.* into exclusion;
  if not found then
    perform private.refuse_conflict('not_excluded', 'This line is not excluded.');
  end if;
  insert into private.open_lines as open_line (tenant_id, pair_no, line_no, side, currency,
    amount_minor, open_minor, value_date)
  select tenant, exclusion.pair_no, line.line_no, exclusion.side, line.currency,
    case source.sign when 'inverted' then -line.amount_minor else line.amount_minor end,
    exclusion.excluded_minor, line.value_date
  from public.lines line
    join public.sources source on source.tenant_id = line.tenant_id
      and source.source_no = line.source_no
  where line.tenant_id = tenant and line.line_no = exclusion.line_no
  on conflict (tenant_id, pair_no, line_no)
    do update set open_minor = open_line.open_minor + excluded.open_minor;
  perform private.reopen_line_exceptions(tenant, exclusion.pair_no, array[exclusion.line_no]);
  update private.acts act set undone_at = now(), undone_by = private.actor()
  where act.tenant_id = tenant and act.line_id = private.line_id($1)
    and act.reconciliation_id = period_row.id and act.undone_at is null;
  perform private.record_period_work(period_row.id);
  perform private.revoke_signatures(tenant, array[period_row.id], 'A line was included again.');
  perform private.record_security_event('line.included', $1, null,
    jsonb_build_object('reconciliation_id', period_row.id, 'reason', $3));
  return period_row.id;
end $function$;
CREATE OR REPLACE FUNCTION private.line_of_period(id text, period text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select private.lines_json(line.tenant_id, reconciliations.pair_no, array[line.line_no]) -> 0
    from public.lines line
    join public.reconciliations on reconciliations.tenant_id = line.tenant_id
      and reconciliations.id = period
    where line.tenant_id = private.tenant_id() and line.id = private.line_id($1)
  );
end $function$;
CREATE OR REPLACE FUNCTION public.include_line(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'include_line');
  period text;
begin
  if replayed is not null then
    return replayed;
  end if;
  if not exists (select from public.lines line
    where line.tenant_id = private.tenant_id() and line.id = private.line_id(input ->> 'id')) then
    perform private.refuse_missing('line');
  end if;
  period := private.include_line(input ->> 'id', input ->> 'reconciliation_id', input ->> 'reason');
  return private.finish_request(request, private.line_of_period(input ->> 'id', period));
end $function$;
CREATE OR REPLACE FUNCTION public.list_decisions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  period public.reconciliations;
  items jsonb;
begin
  perform private.begin_request(request, 'list_decisions');
  period := private.find_period(input ->> 'id');
  select jsonb_agg(private.act_json(act) order by act.id desc) into items
  from (
    select * from private.acts act
    where act.tenant_id = period.tenant_id and act.reconciliation_id = period.id
      and (input -> 'after' ->> 0 is null or act.id < input -> 'after' ->> 0)
    order by act.id desc limit page_size + 1
  ) act;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.undo_act(id text)
 RETURNS private.acts
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  action private.acts;
  period public.reconciliations;
  wanted text;
begin
  select * into action from private.acts where acts.tenant_id = tenant and acts.id = $1;
  period := private.lock_period(tenant, action.reconciliation_id);
  select * into action from private.acts where acts.tenant_id = tenant and acts.id = $1 for update;
  if action.undone_at is not null then
    perform private.refuse_conflict('already_undone', 'This decision was undone already.');
  end if;
  wanted := case action.kind when 'reject' then 'rejected' else 'confirmed' end;
  if (select count(*) from public.matches match
    where match.tenant_id = tenant and match.id = any (action.match_ids)
      and match.state = wanted) <> cardinality(action.match_ids) then
    perform private.refuse_conflict('state_changed',
      format('Not all of its matches are still %s. Nothing was changed.', wanted));
  end if;
  case action.kind
    when 'confirm' then perform private.return_to_suggestions(tenant, period.pair_no,
      action.match_ids, true);
    when 'reject' then perform private.return_to_suggestions(tenant, period.pair_no,
      action.match_ids, false);
    when 'match' then perform private.undo_matches(tenant, action.match_ids, private.actor());
    when 'exclude' then perform private.include_line(private.line_id_text(action.line_id),
      period.id,
      'Undone');
  end case;
  perform private.record_period_work(action.reconciliation_id);
  update private.acts
  set undone_at = now(), undone_by = private.actor()
  where acts.tenant_id = tenant and acts.id = action.id
  returning * into action;
  if action.kind <> 'exclude' then
    perform private.record_security_event('matching.undone', action.id, null, jsonb_build_object(
      'decision', action.kind, 'count', cardinality(action.match_ids),
      'reconciliation_id', action.reconciliation_id));
  end if;
  -- Suggestions that were removed for it may come again.
  if period.auto_run then
    perform private.request_runs(tenant, period.pair_no);
  end if;
  return action;
end $function$;
CREATE OR REPLACE FUNCTION private.return_to_suggestions(tenant text, pair integer, ids uuid[], taken boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  line_nos bigint[];
begin
  select array_agg(distinct member.line_no) into line_nos
  from public.match_members member
  where member.tenant_id = tenant and member.match_id = any (ids);
  if taken then
    perform private.release_open_amounts(tenant, ids);
    insert into public.events (tenant_id, type, data)
    select match.tenant_id, 'match.undone',
      jsonb_build_object('match', private.match_event(match), 'undone_by', private.actor())
    from public.matches match where match.tenant_id = tenant and match.id = any (ids)
    order by match.id;
  elsif exists (
    select from public.match_members member
    left join private.open_lines open_line on open_line.tenant_id = member.tenant_id
      and open_line.pair_no = member.pair_no and open_line.line_no = member.line_no
    where member.tenant_id = tenant and member.match_id = any (ids)
      and coalesce(
        member.allocated_minor not between
          least(open_line.open_minor, 0) and greatest(open_line.open_minor, 0),
        true)
  ) then
    perform private.refuse_conflict('state_changed',
      'A line of it is not open any more. Nothing was changed.');
  end if;
  delete
  from private.decisions decision
  where decision.tenant_id = tenant and decision.pair_no = pair and decision.match_id = any (ids);
  perform private.drop_suggestions(tenant, pair, line_nos);
  update public.matches match
  set state = 'suggested', decided_by = null, decided_at = null
  where match.tenant_id = tenant and match.id = any (ids);
  if taken then
    perform private.reopen_line_exceptions(tenant, pair, line_nos);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.undo_decision(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'undo_decision');
  action private.acts;
begin
  if replayed is not null then
    return replayed;
  end if;
  select * into action
  from private.acts
  where acts.tenant_id = private.tenant_id() and acts.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('decision');
  elsif not private.may('write:reconciliations') and (
    action.kind in ('match', 'exclude')
    or (action.actor_issuer, action.actor_subject)
      is distinct from (private.actor_issuer(), private.actor_subject())
    or action.actor_subject is null
  ) then
    perform private.refuse('role_required',
      'You can undo what you confirmed or rejected yourself. Ask an admin or a lead to undo this.');
  end if;
  return private.finish_request(request, private.act_json(private.undo_act(action.id)));
end $function$;
CREATE OR REPLACE FUNCTION private.engine_line(line public.lines, open_minor bigint, policy jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('id', private.line_id_text(line.id), 'handle', line.line_no,
    'amount_minor', open_minor
      - case policy ->> 'fees' when 'deduct' then private.fee_of_whole(line, open_minor) else 0 end,
    'currency', line.currency, 'value_date', line.value_date - date '1970-01-01',
    'booked_date', line.booked_date - date '1970-01-01',
    'reference', line.reference, 'counterparty', line.counterparty, 'description', line.description,
    'group_key', line.group_key);
end $function$;
CREATE OR REPLACE FUNCTION private.suggestion_candidates(period public.reconciliations, open_line private.open_lines, policy jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with others as materialized (
      select * from private.open_lines
      where open_lines.tenant_id = period.tenant_id and open_lines.pair_no = period.pair_no
        and open_lines.side <> open_line.side
        and open_lines.currency = open_line.currency and open_lines.value_date <= period.period_end
    ), near as (
      (select others.line_no, others.open_minor from others
        order by abs(others.open_minor - open_line.open_minor), others.line_no limit 200)
      union
      (select others.line_no, others.open_minor from others
        order by abs(others.value_date - open_line.value_date), others.line_no limit 200)
    )
    select coalesce(jsonb_agg(private.engine_line(line, near.open_minor, policy)
      order by near.line_no),
      '[]')
    from near join public.lines line on line.tenant_id = period.tenant_id
      and line.line_no = near.line_no
  );
end $function$;
CREATE OR REPLACE FUNCTION private.rejected_matches_of_line(period public.reconciliations, line_no bigint)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('left', rejected.lefts, 'right', rejected.rights)),
      '[]')
    from (
      select coalesce(jsonb_agg(private.line_id_text(line.id)) filter (where other.side = 'left'),
        '[]') as lefts,
        coalesce(jsonb_agg(private.line_id_text(line.id)) filter (where other.side = 'right'),
          '[]') as rights
      from public.match_members mine
      join public.matches match on match.tenant_id = mine.tenant_id and match.id = mine.match_id
        and match.decided_by is not null and match.state in ('rejected', 'undone')
      join public.match_members other on other.tenant_id = match.tenant_id
        and other.match_id = match.id
      join public.lines line on line.tenant_id = other.tenant_id and line.line_no = other.line_no
      where mine.tenant_id = period.tenant_id and mine.line_no = rejected_matches_of_line.line_no
        and mine.pair_no = period.pair_no
      group by match.id
    ) rejected
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_line_suggestions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  line public.lines;
  open_line private.open_lines;
  pair public.pairs;
  policy jsonb;
begin
  perform private.begin_request(request, 'list_line_suggestions');
  period := private.find_period(
    private.open_period_of_line(input ->> 'id', input ->> 'reconciliation_id'));
  select * into line
  from public.lines
  where lines.tenant_id = period.tenant_id and lines.id = private.line_id(input ->> 'id');
  select * into open_line
  from private.open_lines
  where open_lines.tenant_id = period.tenant_id and open_lines.pair_no = period.pair_no
    and open_lines.line_no = line.line_no;
  select * into pair from public.pairs
  where pairs.tenant_id = period.tenant_id and pairs.pair_no = period.pair_no;
  policy := private.policy_of_pair(period.tenant_id, period.pair_no);
  return jsonb_build_object(
    'reconciliation_id', period.id, 'side', open_line.side, 'weights', pair.weights,
    'open_days', private.open_days(period.tenant_id, policy ->> 'calendar_id') -> 'open_days',
    'line', case when open_line.line_no is not null then private.engine_line(line,
      open_line.open_minor, policy) end,
    'rules', (select rules_version.rules from public.pair_rules rules_version
      where rules_version.tenant_id = period.tenant_id and rules_version.pair_no = period.pair_no
        and rules_version.version = pair.rules_version),
    'candidates', private.suggestion_candidates(period, open_line, policy),
    'rejected', private.rejected_matches_of_line(period, line.line_no)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_filters(input jsonb, hits bigint[], amount bigint, after_no bigint, sort_key text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  search constant text := nullif(btrim(input ->> 'q'), '');
begin
  return concat_ws(' and ',
    'x.pair_no = $3 and x.side = s.side and x.value_date <= $4',
    case
      when hits is not null then '(x.line_no = any ($5)'
        || case when amount is not null then ' or (-abs(x.open_minor)) = -$6' else '' end || ')'
      when search is not null
        then 'exists (select from public.lines line
          where line.tenant_id = $1 and line.line_no = x.line_no and '
        || private.line_search(search, 'private.line_text(line)') || ')' end,
    case when after_no is not null then format('(%s, x.line_no) > (%s, $7)', sort_key,
      case when input ->> 'sort' = 'amount' then $c$-abs(($2 -> 'after' ->> 0)::bigint)$c$
        else $c$($2 -> 'after' ->> 0)::date$c$ end) end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case
      when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$
      end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$
      end,
    case
      when input ->> 'amount_from' is not null then $c$x.open_minor >= (
        $2 ->> 'amount_from')::bigint$c$
      end,
    case
      when input ->> 'amount_to' is not null then $c$x.open_minor <= ($2 ->> 'amount_to')::bigint$c$
      end,
    case (input ->> 'suggested')::boolean
      -- Few lines have a suggestion: they are looked up.
      when true then $c$x.line_no = any (array(
        select member.line_no
        from public.matches match
        join public.match_members member on member.tenant_id = match.tenant_id
          and member.match_id = match.id
        where match.tenant_id = $1 and match.reconciliation_id = $8
          and match.state = 'suggested'))$c$
      -- With a lookup for each line until the page is full.
      when false then $c$(
        select true
        from public.match_members member
        join public.matches match on match.tenant_id = member.tenant_id
          and match.id = member.match_id
        where member.tenant_id = $1 and member.line_no = x.line_no and member.pair_no = $3
          and match.state = 'suggested' and match.reconciliation_id = $8
        limit 1) is null$c$
    end
  );
end $function$;
CREATE OR REPLACE FUNCTION private.open_lines_of_caller(period public.reconciliations, input jsonb, hits bigint[], amount bigint, after_no bigint, max_count integer)
 RETURNS TABLE(place bigint, line_no bigint, side text, amount_minor bigint, open_minor bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  by_amount constant boolean := input ->> 'sort' = 'amount';
  sort_key constant text := case when by_amount then '(-abs(x.open_minor))' else 'x.value_date' end;
  filters constant text := private.open_line_filters(input, hits, amount, after_no, sort_key);
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  -- Planned for these filters, each side in the order of its index until the page is full. The
  -- planner can't know how many lines have a suggestion: assuming few, it would read and sort them
  -- all.
  perform set_config('enable_bitmapscan', (hits is not null)::text, true),
    set_config('enable_seqscan', (hits is not null)::text, true);
  return query execute format($sql$
    select row_number() over (order by o.sort_key, o.line_no), o.line_no, o.side, o.amount_minor,
      o.open_minor
    from unnest($9) s (side) cross join lateral (
      select x.line_no, x.side, x.amount_minor, x.open_minor, %2$s as sort_key
      from private.open_lines x
      where x.tenant_id = $1 and %1$s order by %2$s, x.line_no limit $10
    ) o order by o.sort_key, o.line_no limit $10 $sql$, filters, sort_key)
  using private.tenant_id(), input, period.pair_no, period.period_end, hits, amount, after_no,
    period.id,
    case when input ->> 'side' is null then array['left', 'right'] else array[input ->> 'side'] end,
    max_count;
  perform set_config('enable_bitmapscan', 'true', true), set_config('enable_seqscan', 'true', true);
end $function$;
CREATE OR REPLACE FUNCTION public.list_open_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  search constant text := nullif(btrim(input ->> 'q'), '');
  period public.reconciliations;
  -- If the cursor's line was removed, its day or amount is read from the start.
  after_no bigint;
  hits bigint[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_open_lines');
  period := private.find_period(input ->> 'id');
  if period.closed_at is not null then
    return private.page(null, page_size, 'id');
  end if;
  if input ->> 'after' is not null then
    after_no := coalesce(private.line_no_of(input -> 'after' ->> 1), 0);
  end if;
  if search is not null then
    hits := private.find_lines_of_caller(search, (
      select array[pair.left_source_no, pair.right_source_no]
      from public.pairs pair
      where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no),
        5000);
  end if;
  select jsonb_agg(private.open_line_json(line, open_line.side, open_line.amount_minor,
    open_line.open_minor, period)
  order by open_line.place) into items
  from private.open_lines_of_caller(period, input, hits, private.amount_of_word(search), after_no,
    page_size + 1) open_line
  cross join lateral (select * from public.lines line
    where line.tenant_id = period.tenant_id and line.line_no = open_line.line_no offset 0) line;
  return private.page(items, page_size,
    case input ->> 'sort' when 'amount' then 'open_minor' else 'value_date' end, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_json(line public.lines, side text, amount_minor bigint, open_minor bigint, period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', private.line_id_text(line.id), 'side', side, 'currency', line.currency,
    'amount_minor', amount_minor, 'open_minor', open_minor,
    'fee_minor', nullif(private.fee_of_whole(line, open_minor), 0), 'value_date', line.value_date,
    'booked_date', line.booked_date,
    'reference', line.reference, 'counterparty', line.counterparty, 'description', line.description,
    'group_key', line.group_key, 'external_id', line.external_id,
    'suggestion', (
      select jsonb_build_object('match_id', private.match_id_text(match.id), 'score', match.score,
        'shape', match.shape)
      from public.match_members member
        join public.matches match on match.tenant_id = member.tenant_id
          and match.id = member.match_id
      where member.tenant_id = line.tenant_id and member.line_no = line.line_no
        and member.pair_no = period.pair_no
        and match.state = 'suggested' and match.reconciliation_id = period.id
      order by match.score desc nulls last, match.id limit 1
    ),
    'exception_id', (
      select exception.id from (
        select exception_line.exception_id from private.exception_lines exception_line
        where exception_line.tenant_id = line.tenant_id and exception_line.line_no = line.line_no
          and exception_line.pair_no = period.pair_no offset 0
      ) exception_line cross join lateral (
        select exception.id
        from public.exceptions exception
        where exception.tenant_id = line.tenant_id and exception.id = exception_line.exception_id
          and exception.status in ('open', 'in_review') offset 0
      ) exception
      limit 1
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.run_json(run public.runs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', run.id, 'reconciliation_id', run.reconciliation_id, 'status', run.status,
    'dry_run', run.dry_run is not null, 'stage', run.stage,
    'lines_done', run.lines_done, 'lines_total', run.lines_total, 'waterfall', run.waterfall,
    'impact', '{"exceptions": {"avoided": 0, "added": 0}}'::jsonb || run.impact,
    'changed', run.changed,
    'suggested_count', run.suggested_count, 'open_count', run.open_count,
    'exceptions_opened', run.exceptions_opened,
    'exceptions_held_back', run.exceptions_held_back, 'rules_version', run.rules_version,
    'calendar_id', run.calendar_id,
    'calendar_version', run.calendar_version, 'engine_version', run.engine_version,
    'digest', run.digest, 'failure', run.failure,
    'duration_ms', round(extract(epoch from run.finished_at - run.started_at) * 1000),
    'created_at', private.iso(run.created_at), 'created_by', run.created_by,
    'started_at', private.iso(run.started_at),
    'finished_at', private.iso(run.finished_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.is_large(tenant text, pair integer)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return 200000 < (
    select sum(source.line_count) from public.pairs
    join public.sources source on source.tenant_id = pairs.tenant_id
      and source.source_no in (pairs.left_source_no, pairs.right_source_no)
    where pairs.tenant_id = tenant and pairs.pair_no = pair
  );
end $function$;
CREATE OR REPLACE FUNCTION private.queue_run(tenant text, pair integer, reconciliation text, run text, delay interval)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  job_of_run constant text := 'match:' || coalesce(run, reconciliation);
begin
  perform graphile_worker.add_job('match_pair',
    private.with_request_id(
      jsonb_build_object('tenant_id', tenant, 'reconciliation_id', reconciliation, 'run_id', run)),
    queue_name => 'pair:' || pair, max_attempts => 5, job_key => job_of_run,
    run_at => least(now() + delay, (
      select job.run_at from graphile_worker.jobs job
      where job.key = job_of_run and job.locked_at is null
    )),
    flags => private.job_flags(tenant, 'run') || case when private.is_large(tenant, pair)
      then private.job_flags(tenant, 'large run') end);
end $function$;
CREATE OR REPLACE FUNCTION private.request_runs(tenant text, pair integer, first_line_no bigint DEFAULT NULL::bigint, last_line_no bigint DEFAULT NULL::bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.mark_pair_changed(tenant, pair, first_line_no, last_line_no);
  perform private.queue_run(period.tenant_id, period.pair_no, period.id, null, interval '1 second')
    from (
    select * from public.reconciliations period
    where period.tenant_id = tenant and period.pair_no = pair and period.auto_run
      and period.closed_at is null
      and period.status <> 'archived'
      and not private.is_closing(tenant, pair, period.id)
    order by period.period_end
  ) period;
end $function$;
CREATE OR REPLACE FUNCTION private.request_runs_by_calendar(calendar text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  pairs constant integer[] := array(
    select pair.pair_no
    from public.pairs pair
    join public.pair_rules pair_rule on pair_rule.tenant_id = pair.tenant_id
      and pair_rule.pair_no = pair.pair_no and pair_rule.version = pair.rules_version
    where pair.tenant_id = private.tenant_id() and pair_rule.policy ->> 'calendar_id' = calendar
  );
begin
  perform private.request_runs(private.tenant_id(), pair) from unnest(pairs) pair;
  return (
    select count(*) from public.reconciliations period
    where period.tenant_id = private.tenant_id() and period.pair_no = any (pairs)
      and period.closed_at is null and period.status <> 'archived'
  );
end $function$;
CREATE OR REPLACE FUNCTION private.request_run(reconciliation text, trial jsonb)
 RETURNS public.runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  requested_run public.runs;
begin
  select * into period
  from public.reconciliations
  where reconciliations.tenant_id = private.tenant_id() and reconciliations.id = reconciliation
    for no key update;
  if period.closed_at is not null and trial is null then
    perform private.refuse_conflict('period_closed', 'The period is closed. Reopen it first.');
  elsif period.status = 'archived' then
    perform private.refuse_conflict('archived',
      'The reconciliation is archived: it does not change any more.');
  end if;
  if trial is null then
    perform private.require_not_closing(period.tenant_id, period.pair_no, period.id);
    select * into requested_run from public.runs run
    where run.tenant_id = period.tenant_id and run.reconciliation_id = period.id
      and run.status = 'queued'
      and run.dry_run is null;
    if found then
      return requested_run;
    end if;
  end if;
  insert into public.runs (reconciliation_id, pair_no, dry_run, stage)
  values (period.id, period.pair_no, trial, 'queued')
  returning * into requested_run;
  perform private.queue_run(period.tenant_id, period.pair_no, period.id,
    case when trial is not null then requested_run.id end, interval '0');
  return requested_run;
end $function$;
CREATE OR REPLACE FUNCTION private.dry_run_settings(input jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_calendar(input);
  return jsonb_strip_nulls(jsonb_build_object('rules', input -> 'rules'))
    || case
      when input ? 'calendar_id' then jsonb_build_object('calendar_id', input -> 'calendar_id')
      else '{}' end
    || case when input ? 'fees' then jsonb_build_object('fees', input -> 'fees') else '{}' end;
end $function$;
CREATE OR REPLACE FUNCTION public.create_run(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_run');
  requested_run public.runs;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  requested_run := private.request_run(input ->> 'id',
    case when (input ->> 'dry_run')::boolean then private.dry_run_settings(input) end);
  if requested_run.dry_run is null then
    perform private.record_security_event('matching.run_requested', requested_run.id, null,
      jsonb_build_object('reconciliation_id', requested_run.reconciliation_id));
  end if;
  return private.finish_request(request, private.run_json(requested_run));
end $function$;
CREATE OR REPLACE FUNCTION public.list_runs(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  period public.reconciliations;
  items jsonb;
begin
  perform private.begin_request(request, 'list_runs');
  period := private.find_period(input ->> 'id');
  select jsonb_agg(private.run_json(run) order by run.id desc) into items
  from (
    select * from public.runs run
    where run.tenant_id = period.tenant_id and run.reconciliation_id = period.id
      and (input -> 'after' ->> 0 is null or run.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or run.status = input ->> 'status')
    order by run.id desc limit page_size + 1
  ) run;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.get_run(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  found_run public.runs;
begin
  perform private.begin_request(request, 'get_run');
  select * into found_run
  from public.runs run
  where run.tenant_id = private.tenant_id() and run.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('run');
  end if;
  return private.run_json(found_run);
end $function$;
CREATE OR REPLACE FUNCTION private.newest_run(period public.reconciliations, statuses text[])
 RETURNS public.runs
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  newest public.runs;
begin
  select * into newest from public.runs run
  where run.tenant_id = period.tenant_id and run.reconciliation_id = period.id
    and run.status = any (statuses)
    and run.dry_run is null
  order by run.id desc limit 1;
  return newest;
end $function$;
CREATE OR REPLACE FUNCTION private.mark_pair_changed(tenant text, pair integer, first_line_no bigint DEFAULT NULL::bigint, last_line_no bigint DEFAULT NULL::bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.run_changes (tenant_id, reconciliation_id, first_line_no, last_line_no)
  select period.tenant_id, period.id, mark_pair_changed.first_line_no,
    mark_pair_changed.last_line_no
  from public.reconciliations period
  where period.tenant_id = tenant and period.pair_no = pair and period.closed_at is null
    and period.status <> 'archived'
    and period.id is distinct from current_setting('app.written_by_run_of', true);
end $function$;
CREATE OR REPLACE FUNCTION private.mark_changed_pairs()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- A run writes thousands of rows of one pair.
  if current_setting('app.written_by_run_of', true) <> '' then
    perform private.mark_pair_changed(touched.tenant_id, touched.pair_no)
    from (select changed_row.tenant_id, changed_row.pair_no from changed changed_row
      limit 1) touched;
    return null;
  end if;
  perform private.mark_pair_changed(touched.tenant_id, touched.pair_no)
  from (select distinct changed_row.tenant_id, changed_row.pair_no
    from changed changed_row) touched;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.run_conditions(period public.reconciliations, pair public.pairs, engine text, policy jsonb, calendar jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('engine', engine, 'rules_version', pair.rules_version,
    'period_end', period.period_end, 'calendar_id', calendar -> 'calendar_id',
    'calendar_version', calendar -> 'calendar_version',
    'days_of_grace', (
      select jsonb_object_agg(source.source_no,
        private.last_day_of_grace(source, policy ->> 'calendar_id'))
      from public.sources source
      where source.tenant_id = period.tenant_id
        and source.source_no in (pair.left_source_no, pair.right_source_no)
    ));
end $function$;
CREATE OR REPLACE FUNCTION private.has_nothing_new(period public.reconciliations, last_run public.runs, conditions jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return last_run.status = 'done' and last_run.conditions = has_nothing_new.conditions
    and not exists (select from private.run_changes run_change
      where run_change.tenant_id = period.tenant_id and run_change.reconciliation_id = period.id)
    and not exists (select from private.decisions decision
      where decision.tenant_id = period.tenant_id and decision.pair_no = period.pair_no);
end $function$;
CREATE OR REPLACE FUNCTION private.forget_read_changes(tenant text, reconciliation text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from private.run_changes run_change
  where run_change.tenant_id = tenant and run_change.reconciliation_id = reconciliation;
end $function$;
CREATE OR REPLACE FUNCTION private.store_held_back_reasons(tenant text, reconciliation text, reasons jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from private.held_back_reasons reason
  where reason.tenant_id = tenant and reason.reconciliation_id = reconciliation;
  if reasons is not null then
    insert into private.held_back_reasons (tenant_id, reconciliation_id, reasons)
    values (tenant, reconciliation, store_held_back_reasons.reasons);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.reasons_held_back(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((
    select reason.reasons from private.held_back_reasons reason
    where reason.tenant_id = period.tenant_id and reason.reconciliation_id = period.id
  ), '{}');
end $function$;
CREATE OR REPLACE FUNCTION private.end_unchanged_run(tenant text, run text, last_run public.runs, opened integer, held_back integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  ended public.runs;
begin
  update public.runs
  set status = 'done', stage = null, started_at = coalesce(runs.started_at, now()),
    finished_at = clock_timestamp(), rules_version = last_run.rules_version,
    engine_version = last_run.engine_version, calendar_id = last_run.calendar_id,
    calendar_version = last_run.calendar_version, conditions = last_run.conditions,
    lines_done = last_run.lines_total, lines_total = last_run.lines_total,
    digest = last_run.digest, suggested_count = last_run.suggested_count,
    open_count = last_run.open_count, waterfall = last_run.waterfall,
    exceptions_opened = opened, exceptions_held_back = held_back,
    changed = last_run.changed || jsonb_build_object('added', 0, 'replaced', 0, 'undone', 0,
      'left_out', 0, 'kept', (last_run.changed ->> 'kept')::bigint
        + (last_run.changed ->> 'added')::bigint + (last_run.changed ->> 'replaced')::bigint)
  where runs.tenant_id = tenant and runs.id = run
  returning * into ended;
  perform private.emit(tenant, 'run.done',
    jsonb_build_object('run', private.run_json(ended)), run);
end $function$;
CREATE OR REPLACE FUNCTION private.finish_unchanged_run(tenant text, run text, attempt integer, opened integer, held_back integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  run_row public.runs;
  last_run public.runs;
begin
  perform private.require_attempt(tenant, run, attempt);
  select * into strict run_row from public.runs where runs.tenant_id = tenant and runs.id = run;
  select * into strict last_run from public.runs
  where runs.tenant_id = tenant and runs.reconciliation_id = run_row.reconciliation_id
    and runs.status = 'done'
    and runs.dry_run is null
  order by runs.id desc limit 1;
  perform private.end_unchanged_run(tenant, run, last_run, opened, held_back);
end $function$;
CREATE OR REPLACE FUNCTION private.suggested_lines(period public.reconciliations)
 RETURNS TABLE(currency text, side text, lines bigint, minor numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select open_line.currency, open_line.side, count(*), sum(open_line.open_minor)
  from (
    select distinct suggested_member.line_no
    from public.matches match cross join lateral (
      select member.line_no
      from public.match_members member
      where member.tenant_id = match.tenant_id and member.match_id = match.id offset 0
    ) suggested_member
    where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
      and match.state = 'suggested'
  ) suggested cross join lateral (
    select open_line.currency, open_line.side, open_line.open_minor
    from private.open_lines open_line
    where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
      and open_line.line_no = suggested.line_no offset 0
  ) open_line
  group by open_line.currency, open_line.side;
end $function$;
CREATE OR REPLACE FUNCTION public.list_suggestion_bands(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  bands constant real[] := private.score_bands();
  period public.reconciliations;
begin
  perform private.begin_request(request, 'list_suggestion_bands');
  period := private.find_period(input ->> 'id');
  return (
    with suggested as (
      select match.method, private.score_band(match.score) as band, match.currency,
        count(*) as matches, sum(match.amount_minor) as minor
      from public.matches match
        where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
          and match.state = 'suggested'
      group by 1, 2, 3
    ), decided as (
      select match.method, match.band,
        count(*) filter (where match.state = 'confirmed') as confirmed,
        count(*) filter (where match.state <> 'confirmed') as refused
      from (
        select match.method, private.score_band(match.score) as band, match.state,
          count(*) over (partition by match.decided_by, match.decided_at) as together
        from public.matches match
          where match.tenant_id = period.tenant_id and match.pair_no = period.pair_no
            and match.decided_by is not null and match.method <> 'manual'
      ) match where match.together = 1 group by 1, 2
    )
    select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object(
      'method', counted.method, 'score_from', bands[counted.band],
      'score_below', bands[counted.band + 1],
      'count', counted.matches, 'amounts', counted.amounts,
      'confirmed_count', coalesce(decided.confirmed, 0),
      'rejected_count', coalesce(decided.refused, 0))
        order by counted.band desc, counted.matches desc, counted.method),
      '[]'), 'suggested', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object('currency', suggestion.currency, 'side', suggestion.side,
              'line_count', suggestion.lines,
          'open_minor', private.exact_sum(suggestion.minor)) order by suggestion.currency,
            suggestion.side), '[]')
        from private.suggested_lines(period) suggestion))
    from (
      select suggested.method, suggested.band, sum(suggested.matches) as matches,
        jsonb_agg(jsonb_build_object(
        'currency', suggested.currency, 'amount_minor', private.exact_sum(suggested.minor))
          order by suggested.currency) as amounts
      from suggested group by 1, 2
    ) counted left join decided on decided.method = counted.method and decided.band = counted.band
  );
end $function$;
CREATE OR REPLACE FUNCTION public.sample_suggestions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  period public.reconciliations;
begin
  perform private.begin_request(request, 'sample_suggestions');
  period := private.find_period(input ->> 'id');
  return (
    with found as materialized (
      select match.id, match.currency, match.amount_minor,
        row_number() over (order by match.score, match.id) - 1 as place,
        count(*) over () as total
      from public.matches match
      where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
        and match.state = 'suggested'
        and match.method = input ->> 'method'
        and match.score >= private.score(input ->> 'score_from')
        and (input ->> 'score_below' is null
        or match.score < private.score(input ->> 'score_below'))
    )
    select jsonb_build_object(
      'count', (select count(*) from found),
      'amounts', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object('currency', sampled.currency,
              'amount_minor', private.exact_sum(sampled.minor))
            order by sampled.currency),
          '[]')
        from (select found.currency, sum(found.amount_minor) as minor from found group by 1) sampled
      ),
      'items', (
        select coalesce(jsonb_agg(private.match_json(match) order by found.place), '[]')
        from found join public.matches match on match.tenant_id = period.tenant_id
          and match.id = found.id
        where found.place = 0
          or found.place * 20 / found.total <> (found.place - 1) * 20 / found.total
      )
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.run_to_begin(period public.reconciliations, requested_id text, OUT run public.runs, OUT is_over boolean)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  select * into run from public.runs
  where runs.tenant_id = period.tenant_id and runs.reconciliation_id = period.id
    and runs.status in ('queued', 'running')
    and case when requested_id is null then runs.dry_run is null else runs.id = requested_id end
  order by runs.id limit 1 for update;
  is_over := period.pair_no is null or period.status = 'archived'
    or run.dry_run is null
    and (period.closed_at is not null
    or private.is_closing(period.tenant_id, period.pair_no, period.id));
  if is_over then
    update public.runs
    set status = 'failed', finished_at = now(),
      failure = 'The period was closed before the run began.'
    where runs.tenant_id = period.tenant_id and runs.id = run.id;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.run_order(period public.reconciliations, pair public.pairs, begun public.runs, policy jsonb, calendar jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  last_run constant public.runs := private.newest_run(period, '{done}');
begin
  return jsonb_build_object(
    'run_id', begun.id, 'attempt', begun.attempt, 'dry_run', begun.dry_run, 'pair_no', pair.pair_no,
    'lines', (
      select sum(source.line_count)
      from public.sources source
      where source.tenant_id = period.tenant_id
        and source.source_no in (pair.left_source_no, pair.right_source_no)
    ), 'period_end', period.period_end, 'closed', period.closed_at is not null,
      'weights', pair.weights,
    'rules', coalesce(begun.dry_run -> 'rules', (
      select rules_version.rules from public.pair_rules rules_version
      where rules_version.tenant_id = period.tenant_id and rules_version.pair_no = pair.pair_no
        and rules_version.version = pair.rules_version
    )), 'policy', policy, 'open_days', calendar -> 'open_days',
    -- Whether everything that the engine made is weighed again, or what its leading rules settled
    -- stays.
    'whole', begun.dry_run is not null or last_run.id is null
      or last_run.rules_version is distinct from pair.rules_version
      or last_run.engine_version is distinct from begun.engine_version
      or (last_run.calendar_id,
        last_run.calendar_version::text) is distinct from (calendar ->> 'calendar_id',
        calendar ->> 'calendar_version')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.run_policy(pair public.pairs, dry_run jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.default_policy()
    || coalesce((
      select rules_version.policy from public.pair_rules rules_version
      where rules_version.tenant_id = pair.tenant_id and rules_version.pair_no = pair.pair_no
        and rules_version.version = pair.rules_version
    ), '{}')
    || jsonb_strip_nulls(jsonb_build_object('fees', dry_run -> 'fees'));
end $function$;
CREATE OR REPLACE FUNCTION private.start_run(period public.reconciliations, pair public.pairs, queued public.runs, engine text, circumstances jsonb, calendar jsonb)
 RETURNS public.runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  run public.runs := queued;
begin
  if run.id is null then
    insert into public.runs (tenant_id, reconciliation_id, pair_no)
    select reconciliations.tenant_id, reconciliations.id, reconciliations.pair_no
    from public.reconciliations
    where reconciliations.tenant_id = period.tenant_id
      and reconciliations.id = period.id for key share
    returning * into run;
  end if;
  update public.runs
  set status = 'running', stage = 'reading', started_at = now(), rules_version = pair.rules_version,
    engine_version = engine, conditions = circumstances,
    calendar_id = calendar ->> 'calendar_id',
    calendar_version = (calendar ->> 'calendar_version')::integer, lines_done = 0, lines_total = 0,
    attempt = runs.attempt + 1
  where runs.tenant_id = period.tenant_id and runs.id = run.id returning * into run;
  return run;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_run(tenant text, reconciliation text, asked text, engine text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  pair public.pairs;
  waiting record;
  run public.runs;
  last_ended public.runs;
  policy jsonb;
  calendar jsonb;
  circumstances jsonb;
  held_back jsonb;
  is_short boolean;
begin
  select * into period from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation;
  waiting := private.run_to_begin(period, asked);
  run := waiting.run;
  select * into pair from public.pairs 
  where pairs.tenant_id = tenant and pairs.pair_no = period.pair_no;
  if waiting.is_over or pair.opening is not null or run.id is null and asked is not null then
    return null;
  end if;
  policy := private.run_policy(pair, run.dry_run);
  calendar := private.open_days(tenant,
    case when run.dry_run ? 'calendar_id' then run.dry_run else policy end ->> 'calendar_id');
  circumstances := private.run_conditions(period, pair, engine, policy, calendar);
  last_ended := private.newest_run(period, '{done,failed}');
  if run.dry_run is null and run.status is distinct from 'running'
    and private.has_nothing_new(period, last_ended, circumstances) then
    if run.id is null then
      return null;
    elsif last_ended.exceptions_held_back = 0 then
      perform private.end_unchanged_run(tenant, run.id, last_ended, 0, 0);
      return null;
    end if;
    held_back := private.reasons_held_back(period);
  end if;
  is_short := run.id is null and private.may_be_short(period, last_ended, circumstances, policy);
  if is_short and not exists (select from private.new_open_lines(period, 1)) then
    perform private.queue_full_run(period);
    return null;
  end if;
  run := private.start_run(period, pair, run, engine, circumstances, calendar);
  if run.id is null then
    return null;
  end if;
  -- held_back: why lines are open, if only exceptions are left to open. short_after: the last run,
  -- if what is new may be decided first.
  return private.run_order(period, pair, run, policy, calendar) || jsonb_build_object(
    'held_back', held_back, 'short_after', case when is_short then to_jsonb(last_ended) end);
end $function$;
CREATE OR REPLACE FUNCTION private.require_attempt(tenant text, run text, attempt integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform from public.runs
  where runs.tenant_id = tenant and runs.id = run and runs.attempt = require_attempt.attempt
    and runs.status = 'running' for no key update;
  if not found then
    perform private.refuse_conflict('state_changed',
      'The run has ended, or another matcher has taken it up.');
  end if;
  -- What the attempt writes is news to other periods only.
  perform set_config('app.written_by_run_of', runs.reconciliation_id, true)
  from public.runs where runs.tenant_id = tenant and runs.id = run;
end $function$;
CREATE OR REPLACE FUNCTION private.report_run_progress(tenant text, run text, attempt integer, stage text, done bigint, total bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_attempt(tenant, run, attempt);
  update public.runs
  set stage = left(report_run_progress.stage, 200), lines_done = done,
    lines_total = greatest(total, runs.lines_total)
  where runs.tenant_id = tenant and runs.id = run;
end $function$;
CREATE OR REPLACE FUNCTION private.digest_of_period(tenant text, reconciliation text, OUT digest text, OUT suggested bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  two_64 constant numeric := 18446744073709551616;
  high numeric;
  low numeric;
  carried bigint;
begin
  -- As signed numbers: a negative low half carries one into the high half.
  select coalesce(sum(match.hash_high), 0), coalesce(sum(match.hash_low), 0),
    count(*) filter (where match.hash_low < 0), count(*) filter (where match.state = 'suggested')
  into high, low, carried, suggested
  from public.matches match
  where match.tenant_id = tenant and match.reconciliation_id = reconciliation
    and match.state in ('confirmed', 'suggested') and match.decided_by is null;
  high := high + carried + floor(low / two_64);
  low := low - floor(low / two_64) * two_64;
  high := high - floor(high / two_64) * two_64;
  digest := private.to_hex_64(high) || private.to_hex_64(low);
end $function$;
CREATE OR REPLACE FUNCTION private.to_hex_64(number numeric)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return lpad(to_hex(floor(number / 4294967296)::bigint), 8, '0')
    || lpad(to_hex((number - floor(number / 4294967296) * 4294967296)::bigint), 8, '0');
end $function$;
CREATE OR REPLACE FUNCTION private.run_totals(tenant text, reconciliation text, run text, rules text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  totals record;
begin
  select * into strict period
  from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation;
  select * into totals from private.digest_of_period(tenant, period.id);
  return jsonb_build_object('digest', totals.digest, 'suggested_count', totals.suggested,
    'open_count', (
      select count(*)
      from private.open_lines open_line
      where open_line.tenant_id = tenant and open_line.pair_no = period.pair_no
        and open_line.value_date <= period.period_end),
    'waterfall', private.full_waterfall(period, rules),
    'violations', private.violations_of_period(tenant, period.id, run));
end $function$;
CREATE OR REPLACE FUNCTION private.finish_run(tenant text, run text, attempt integer, totals jsonb, outcome jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  run_row public.runs;
  violations constant text[] := array(select jsonb_array_elements_text(totals -> 'violations'));
begin
  perform private.require_attempt(tenant, run, attempt);
  select * into strict run_row from public.runs where runs.tenant_id = tenant and runs.id = run;
  perform private.store_held_back_reasons(tenant, run_row.reconciliation_id,
    outcome -> 'held_back_reasons');
  update public.runs set
    status = case when cardinality(violations) = 0 then 'done' else 'failed' end, stage = null,
    finished_at = clock_timestamp(),
    failure = case when cardinality(violations) > 0 then
      'An internal check failed after this run. It has been logged: send us the run''s id.' end,
    lines_done = runs.lines_total, digest = runs.engine_version || ':' || (totals ->> 'digest'),
    suggested_count = (totals ->> 'suggested_count')::bigint,
    open_count = (totals ->> 'open_count')::bigint, waterfall = totals -> 'waterfall',
    changed = outcome -> 'changed',
    exceptions_opened = (outcome ->> 'exceptions_opened')::integer,
    exceptions_held_back = (outcome ->> 'exceptions_held_back')::integer
  where runs.tenant_id = tenant and runs.id = run
  returning * into run_row;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(run_row)),
    run);
  return violations;
end $function$;
CREATE OR REPLACE FUNCTION private.save_matches(tenant text, reconciliation text, run text, attempt integer, gone uuid[], ids uuid[], states text[], shapes text[], methods text[], settled boolean[], scores real[], margins real[], currencies text[], amounts bigint[], residuals bigint[], explanations jsonb, highs bigint[], lows bigint[], member_ids uuid[], member_lines bigint[], member_sides text[], member_amounts bigint[], adjustments jsonb DEFAULT '{}'::jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  lost_ids uuid[];
  confirmed uuid[];
begin
  period := private.lock_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  if cardinality(gone) > 0 then
    perform private.undo_matches(tenant, array(
      select match.id from public.matches match
      where match.tenant_id = tenant and match.id = any (gone) and match.decided_by is null),
        null);
  end if;
  if cardinality(member_ids) = 0 then
    update public.matches match
    set run_id = run, method = item.method, settled = item.settled, score = item.score,
      margin = item.margin, residual_minor = item.residual,
      adjustments = coalesce(save_matches.adjustments -> item.id::text, '[]'),
      explanation = explanations -> item.id::text, hash_high = item.high, hash_low = item.low
    from unnest(ids, states, methods, save_matches.settled, scores, margins, residuals, highs, lows)
      as item (id, state, method, settled, score, margin, residual, high, low)
    where match.tenant_id = tenant and match.id = item.id and match.decided_by is null
      and match.state = item.state;
    return 0;
  end if;
  select coalesce(array_agg(distinct member_ids[found.nth]), '{}') into lost_ids
  from private.find_open_amounts(tenant, period.pair_no, member_lines, member_amounts) found
  where found.place is null
    or found.minor not between least(found.open_minor, 0) and greatest(found.open_minor, 0);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, run_id, state, shape,
    method, settled, score, margin, currency,
    amount_minor, residual_minor, adjustments, explanation, hash_high, hash_low, created_by)
  select tenant, item.id, period.pair_no, period.id, run, item.state, item.shape, item.method,
    item.settled, item.score, item.margin, item.currency, item.amount, item.residual,
    coalesce(save_matches.adjustments -> item.id::text, '[]'), explanations -> item.id::text,
    item.high, item.low, 'system'
  from unnest(ids, states, shapes, methods, settled, scores, margins, currencies, amounts,
    residuals, highs, lows) as item (id, state, shape, method, settled, score, margin, currency,
    amount, residual, high, low) where cardinality(lost_ids) = 0 or item.id <> all (lost_ids);
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, item.match_id, period.pair_no, item.line_no, item.side, item.minor
  from unnest(member_ids, member_lines, member_sides, member_amounts) as item (match_id,
    line_no, side, minor) where cardinality(lost_ids) = 0 or item.match_id <> all (lost_ids);
  if 'suggested' = any (states) then
    perform private.drop_moved_suggestions(period, member_lines, ids);
  end if;
  confirmed := array(select item.id from unnest(ids, states) as item (id, state)
    where item.state = 'confirmed' and (cardinality(lost_ids) = 0 or item.id <> all (lost_ids)));
  if cardinality(confirmed) > 0 then
    perform private.claim_matched_lines(tenant, period, member_ids, member_lines, member_amounts,
      confirmed, cardinality(confirmed) = cardinality(ids));
  end if;
  return cardinality(lost_ids);
end $function$;
CREATE OR REPLACE FUNCTION private.drop_moved_suggestions(period public.reconciliations, lines bigint[], new_ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  moved constant uuid[] := array(
    select match.id from public.matches match
    join public.runs run on run.tenant_id = match.tenant_id and run.id = match.run_id
    where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
      and match.state = 'suggested' and run.reconciliation_id <> period.id
      and match.id <> all (new_ids)
  );
  repeated_ids uuid[];
begin
  if cardinality(moved) = 0 then
    return;
  end if;
  select array_agg(distinct member.match_id) into repeated_ids
  from private.members_of(period.tenant_id, moved) member where member.line_no = any (lines);
  if repeated_ids is not null then
    perform private.delete_matches(period.tenant_id, repeated_ids);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.claim_matched_lines(tenant text, period public.reconciliations, member_ids uuid[], member_lines bigint[], member_amounts bigint[], confirmed uuid[], all_of boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  lines bigint[] := member_lines;
  minors bigint[] := member_amounts;
begin
  if not all_of then
    select array_agg(item.line_no), array_agg(item.minor) into lines, minors
    from unnest(member_ids, member_lines, member_amounts) as item (match_id, line_no, minor)
      where item.match_id = any (confirmed);
  end if;
  perform private.reduce_open_amounts(tenant, period.pair_no, lines, minors);
  perform private.revoke_signatures(tenant, array[period.id], 'A run matched lines.');
  insert into private.matched_counts as matched_count (tenant_id, reconciliation_id, lines)
  values (tenant, period.id, cardinality(lines))
  on conflict (tenant_id, reconciliation_id) do update set lines = matched_count.lines
    + excluded.lines;
  if exists (
    select from public.reconciliations other
    where other.tenant_id = tenant and other.pair_no = period.pair_no and other.id <> period.id
      and exists (select from public.matches match
        where match.tenant_id = tenant and match.reconciliation_id = other.id
          and match.state = 'suggested')
  ) then
    perform private.drop_suggestions(tenant, period.pair_no, lines);
  end if;
  if exists (select from public.exceptions exception
    where exception.tenant_id = tenant and exception.pair_no = period.pair_no
      and exception.status in ('open', 'in_review')) then
    perform private.resolve_matched_exceptions(tenant, period.pair_no, confirmed);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_at_stake(tenant text, reconciliation text, matched bigint[], opened bigint[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    with grace as materialized (
      select source.source_no,
        private.last_day_of_grace(source,
          private.policy_of_pair(tenant, period.pair_no) ->> 'calendar_id') as day
      from public.reconciliations period
      join public.pairs pair on pair.tenant_id = period.tenant_id
        and pair.pair_no = period.pair_no
      join public.sources source on source.tenant_id = period.tenant_id
        and source.source_no in (pair.left_source_no, pair.right_source_no)
      where period.tenant_id = tenant and period.id = reconciliation
    )
    select jsonb_build_object(
      'avoided', (
        select count(distinct held.exception_id) from unnest(matched) matched_line (line_no)
        cross join lateral (
          select exception_line.exception_id from private.exception_lines exception_line
          where exception_line.tenant_id = tenant and exception_line.line_no = matched_line.line_no
            and exception_line.pair_no = period.pair_no offset 0
        ) held cross join lateral (
          select from public.exceptions exception
          where exception.tenant_id = tenant and exception.id = held.exception_id
            and (period.closed_at is not null or exception.status in ('open', 'in_review')) offset 0
        ) avoided
      ),
      'added', (
        select count(*) from unnest(opened) opened_line (line_no)
        cross join lateral (select line.source_no, line.value_date from public.lines line
          where line.tenant_id = tenant and line.line_no = opened_line.line_no offset 0) late
        join grace grace_of_source on grace_of_source.source_no = late.source_no
        where late.value_date < grace_of_source.day
          and (
            select still_open.id from (
              select exception_line.exception_id from private.exception_lines exception_line
              where exception_line.tenant_id = tenant
                and exception_line.line_no = opened_line.line_no
                and exception_line.pair_no = period.pair_no offset 0
            ) held cross join lateral (
              select exception.id from public.exceptions exception
              where exception.tenant_id = tenant and exception.id = held.exception_id
                and exception.status in ('open', 'in_review') offset 0
            ) still_open
          ) is null
      )
    )
    from public.reconciliations period where period.tenant_id = tenant
      and period.id = reconciliation
  );
end $function$;
CREATE OR REPLACE FUNCTION private.finish_dry_run(tenant text, run text, attempt integer, outcome jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  run_row public.runs;
begin
  perform private.require_attempt(tenant, run, attempt);
  update public.runs
  set status = 'done', stage = null, finished_at = clock_timestamp(), lines_done = runs.lines_total,
    impact = outcome -> 'impact', digest = outcome ->> 'digest',
    suggested_count = (outcome ->> 'suggested_count')::bigint,
    open_count = (outcome ->> 'open_count')::bigint, waterfall = outcome -> 'waterfall'
  where runs.tenant_id = tenant and runs.id = run
  returning * into run_row;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(run_row)),
    run);
end $function$;
CREATE OR REPLACE FUNCTION private.rules_json(pair public.pairs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  rules_version public.pair_rules;
begin
  select * into rules_version
  from public.pair_rules
  where pair_rules.tenant_id = pair.tenant_id and pair_rules.pair_no = pair.pair_no
    and pair_rules.version = pair.rules_version;
  -- Null rules: the defaults, which the engine has. The contract shows what `weights` mean, not
  -- their counts.
  return jsonb_build_object('rules', rules_version.rules, 'version', pair.rules_version,
    'weights', pair.weights,
    'updated_at', private.iso(rules_version.created_at),
    'updated_by', rules_version.created_by) || private.default_policy()
      || coalesce(rules_version.policy, '{}');
end $function$;
CREATE OR REPLACE FUNCTION public.get_rules(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
begin
  perform private.begin_request(request, 'get_rules');
  period := private.find_period(input ->> 'id');
  return (select private.rules_json(pair) from public.pairs pair
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no);
end $function$;
CREATE OR REPLACE FUNCTION private.tolerance_of_pair(tenant text, pair integer, larger numeric)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(
      max(
        greatest((listed.rule ->> 'amount_tolerance_minor')::numeric,
          floor(larger * (listed.rule ->> 'amount_tolerance_bps')::numeric / 10000))),
      0)
    from public.pairs
      left join public.pair_rules on pair_rules.tenant_id = pairs.tenant_id
        and pair_rules.pair_no = pairs.pair_no
        and pair_rules.version = pairs.rules_version
    cross join jsonb_array_elements(coalesce(pair_rules.rules,
      private.default_rules())) as listed (rule)
    where pairs.tenant_id = tenant and pairs.pair_no = pair
      and coalesce(listed.rule ->> 'residual', 'keep') = 'keep'
  );
end $function$;
CREATE OR REPLACE FUNCTION private.without_names(weights jsonb, names jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when weights ? 'names' then jsonb_set(weights, '{names}', (
    select coalesce(jsonb_agg(named.name order by named.place), '[]')
    from jsonb_array_elements(weights -> 'names') with ordinality named (name, place)
    where not names @> jsonb_build_array(named.name - 'confirmed')
  )) else weights end;
end $function$;
CREATE OR REPLACE FUNCTION private.set_rules(period text, rules jsonb, policy jsonb, forget boolean, names jsonb, versions jsonb)
 RETURNS public.pairs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  before jsonb;
  pair public.pairs;
begin
  perform private.lock_pair_of(period);
  select pairs.* into pair
  from public.reconciliations
  join public.pairs on pairs.tenant_id = reconciliations.tenant_id
    and pairs.pair_no = reconciliations.pair_no
  where reconciliations.tenant_id = tenant and reconciliations.id = period;
  perform private.require_version(pair.rules_version, versions);
  if (private.policy_of_pair(tenant, pair.pair_no) ->> 'four_eyes')::boolean
    and not (policy ->> 'four_eyes')::boolean
    and not (private.principal_type() = 'user' and auth.jwt() -> 'roles' ? 'tenant_admin') then
    perform private.refuse('role_required',
      'Only a tenant_admin can turn four_eyes off. Leave it out, or ask a tenant admin.');
  end if;
  if (private.policy_of_pair(tenant, pair.pair_no) ->> 'review_levels')::integer
      > (policy ->> 'review_levels')::integer
    and not (private.principal_type() = 'user' and auth.jwt() -> 'roles' ? 'tenant_admin') then
    perform private.refuse('role_required',
      'Only a tenant_admin can lower review_levels. Leave it out, or ask a tenant admin.');
  end if;
  before := private.rules_json(pair);
  insert into public.pair_rules (tenant_id, pair_no, version, rules, policy)
  values (tenant, pair.pair_no, pair.rules_version + 1, rules,
    private.policy_of_pair(tenant, pair.pair_no) || policy);
  update public.pairs
  set rules_version = pair.rules_version + 1,
    weights = case when not forget then private.without_names(pairs.weights, names) end
  where pairs.tenant_id = tenant and pairs.pair_no = pair.pair_no
  returning * into pair;
  if forget then
    delete from private.decisions decision
    where decision.tenant_id = tenant and decision.pair_no = pair.pair_no;
  end if;
  perform private.record_security_event('matching.rules_updated', period, null,
    jsonb_build_object('from', before - '{weights}'::text[],
      'to', private.rules_json(pair) - '{weights}'::text[], 'learning_reset', forget));
  perform private.request_runs(tenant, pair.pair_no);
  return pair;
end $function$;
CREATE OR REPLACE FUNCTION public.put_rules(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  dry_run constant boolean := coalesce((input ->> 'dry_run')::boolean, false);
  period public.reconciliations;
  pair public.pairs;
  -- Settings that are left out stay.
  policy constant jsonb := coalesce((
    select jsonb_object_agg(key, input -> key)
    from unnest('{automatic,fees,four_eyes,review_levels,close_days,checks,evidence_from_minor,
      calendar_id,exceptions}'::text[]) key
    where input ? key),
      '{}');
begin
  perform private.begin_request(request, 'put_rules');
  period := private.find_period(input ->> 'id');
  if dry_run then
    select * into pair from public.pairs where pairs.tenant_id = period.tenant_id
      and pairs.pair_no = period.pair_no;
    return private.rules_json(pair) || policy
      || jsonb_build_object('rules', input -> 'rules', 'dry_run', true,
      'run_id', (private.request_run(period.id, private.dry_run_settings(input))).id);
  end if;
  perform private.require_calendar(input);
  pair := private.set_rules(period.id, input -> 'rules', policy,
    coalesce((input ->> 'reset_learning')::boolean, false),
    coalesce(input -> 'forget_names', '[]'), request -> 'versions');
  return private.rules_json(pair) || jsonb_build_object('dry_run', false, 'run_id', null);
end $function$;
CREATE OR REPLACE FUNCTION private.decisions_to_learn(tenant text, pair integer, most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(
      jsonb_agg(
        jsonb_build_object('id', chosen.id, 'confirmed', chosen.confirmed, 'score', chosen.score,
          'left', seen.left_line, 'right', seen.right_line)
      order by chosen.id), '[]')
    from (
      select *
      from private.decisions decision
      where decision.tenant_id = tenant and decision.pair_no = pair
      order by decision.id
      limit most
    ) chosen
    cross join lateral (
      select min(member.line::text) filter (where member.side = 'left')::jsonb as left_line,
        min(member.line::text) filter (where member.side = 'right')::jsonb as right_line
      from (
        select member.side, jsonb_build_object(
          'amount_minor', member.allocated_minor
            - case
              when match.adjustments @> '[{"kind": "fee"}]' then private.fee_of_whole(line,
                member.allocated_minor)
              else 0 end,
          'currency', line.currency, 'value_date', line.value_date - date '1970-01-01',
          'reference', line.reference,
          'counterparty', line.counterparty, 'description', line.description,
          'group_key', line.group_key) as line
        from public.match_members member
          join public.lines line on line.tenant_id = member.tenant_id
            and line.line_no = member.line_no
        join public.matches match on match.tenant_id = member.tenant_id
          and match.id = member.match_id
        where member.tenant_id = tenant and member.match_id = chosen.match_id
      ) member
    ) seen
  );
end $function$;
CREATE OR REPLACE FUNCTION private.save_weights(tenant text, pair integer, run text, attempt integer, weights jsonb, up_to bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  taken integer;
begin
  perform from public.pairs where pairs.tenant_id = tenant and pairs.pair_no = pair
    for no key update;
  if exists (
    select
    from public.runs
    join public.pairs on pairs.tenant_id = runs.tenant_id
      and pairs.pair_no = runs.pair_no
    where runs.tenant_id = tenant and runs.id = run
      and runs.rules_version <> pairs.rules_version
  ) then
    return;
  end if;
  delete from private.decisions decision
  where decision.tenant_id = tenant and decision.pair_no = pair and decision.id <= up_to;
  get diagnostics taken = row_count;
  if taken > 0 then
    update public.pairs
    set weights = save_weights.weights
    where pairs.tenant_id = tenant and pairs.pair_no = pair;
  end if;
  perform private.require_attempt(tenant, run, attempt);
end $function$;
CREATE OR REPLACE FUNCTION private.fail_run(tenant text, run text, attempt integer, failure text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  run_row public.runs;
begin
  update public.runs
  set status = 'failed', stage = null, finished_at = clock_timestamp(), failure = fail_run.failure
  where runs.tenant_id = tenant and runs.id = run and runs.attempt = fail_run.attempt
    and runs.status in ('queued', 'running')
  returning * into run_row;
  if not found then
    return false;
  end if;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(run_row)),
    run);
  return true;
end $function$;
CREATE OR REPLACE FUNCTION private.end_abandoned_runs(failure text)
 RETURNS SETOF text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  abandoned record;
begin
  for abandoned in
    with unended as (
      select run.*, case when run.dry_run is not null then run.id end as requested_run
      from public.runs run
      where run.status in ('queued', 'running')
    )
    select unended.*, job.id as job
    from unended
    left join graphile_worker.jobs job
      on job.key = 'match:' || coalesce(unended.requested_run, unended.reconciliation_id)
    where case when job.id is not null then job.attempts >= job.max_attempts
      and job.locked_at is null
      else unended.status = 'queued' or unended.started_at < now() - interval '1 hour' end
  loop
    if abandoned.status = 'queued' and abandoned.job is null then
      perform private.queue_run(abandoned.tenant_id, abandoned.pair_no, abandoned.reconciliation_id,
        abandoned.requested_run, interval '0');
    elsif private.fail_run(abandoned.tenant_id, abandoned.id, abandoned.attempt, failure) then
      return next abandoned.id;
    end if;
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.allocated_amounts(tenant text, match_ids uuid[], until date)
 RETURNS TABLE(side text, minor numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  if until is null then
    return query select member.side, sum(member.allocated_minor) from public.match_members member
      where member.tenant_id = tenant and member.match_id = any ((select match_ids)::uuid[])
      group by 1;
  else
    return query select member.side, sum(member.allocated_minor)
      from private.members_of(tenant, match_ids, until) member group by 1;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.open_without_line(tenant text, pair integer, until date)
 RETURNS TABLE(currency text, side text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  return query
  with open_lines as materialized (
    select open_line.line_no, open_line.currency, open_line.side
    from private.open_lines open_line
    where open_line.tenant_id = tenant and open_line.pair_no = pair
      and open_line.value_date <= until
  )
  select distinct open_lines.currency, open_lines.side from open_lines
  left join (
    select line.line_no
    from public.lines line
    where line.tenant_id = tenant
      and line.line_no = any (array(select open_lines.line_no from open_lines))
    order by line.line_no
  ) line on line.line_no = open_lines.line_no
  where line.line_no is null;
end $function$;
CREATE OR REPLACE FUNCTION private.unbalanced_matches(tenant text, reconciliation text, run text)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  return array(
    with made_matches as materialized (
      select match.id, match.residual_minor + case match.adjustments when '[]' then 0 else (
        select coalesce(sum((adjustment ->> 'amount_minor')::bigint), 0)
        from jsonb_array_elements(match.adjustments) adjustment
      ) end as left_over from public.matches match
      where match.tenant_id = tenant and match.reconciliation_id = reconciliation
        and match.run_id = run
        and match.state in ('confirmed', 'suggested')
    )
    select made_matches.id
    from made_matches
    join private.members_of(tenant, array(select made_matches.id from made_matches)) member
      on member.match_id = made_matches.id
    group by made_matches.id, made_matches.left_over
    having sum(case member.side when 'left' then member.allocated_minor
      else -member.allocated_minor end) <> made_matches.left_over
    limit 100
  );
end $function$;
CREATE OR REPLACE FUNCTION private.lines_up_to_end(period public.reconciliations)
 RETURNS TABLE(currency text, side text, line_count bigint, minor numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with sides as materialized (
    select source.source_no,
      case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
      case source.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs pair
      join public.sources source on source.tenant_id = pair.tenant_id
        and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
  )
  select line.currency, source.side, count(*), sum(source.factor * line.amount_minor)
  from sides source
    join public.lines line on line.tenant_id = period.tenant_id
      and line.source_no = source.source_no
      and line.value_date <= period.period_end
  group by 1, 2;
end $function$;
CREATE OR REPLACE FUNCTION private.settled_around(period public.reconciliations)
 RETURNS TABLE(currency text, side text, earlier numeric, matched numeric, excluded numeric, later numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with of_pair as materialized (
    select reconciliations.id,
      case when reconciliations.id = period.id then 0
        when reconciliations.period_end < period.period_start then -1 else 1 end as place
    from public.reconciliations
    where reconciliations.tenant_id = period.tenant_id and reconciliations.pair_no = period.pair_no
  ), confirmed as (
    select match.currency, of_pair.place, array_agg(match.id) as ids
    from of_pair
      join public.matches match on match.tenant_id = period.tenant_id
        and match.reconciliation_id = of_pair.id and match.state = 'confirmed'
    group by 1, 2
  ), settled as (
    -- What later periods settled, only of lines that this period covers.
    select match_group.currency, allocation.side, match_group.place, allocation.minor as matched,
      0 as excluded
    from confirmed match_group
      cross join lateral private.allocated_amounts(period.tenant_id, match_group.ids,
        case when match_group.place = 1 then period.period_end end) allocation
    union all
    select exclusion.currency, exclusion.side, of_pair.place, 0, sum(exclusion.excluded_minor)
    from of_pair
      join public.exclusions exclusion on exclusion.tenant_id = period.tenant_id
        and exclusion.reconciliation_id = of_pair.id
      join public.lines line on line.tenant_id = exclusion.tenant_id
        and line.line_no = exclusion.line_no and line.value_date <= period.period_end
    group by 1, 2, 3
  )
  select settlement.currency, settlement.side,
    coalesce(sum(settlement.matched + settlement.excluded) filter (where settlement.place = -1), 0),
    coalesce(sum(settlement.matched) filter (where settlement.place = 0), 0),
    coalesce(sum(settlement.excluded) filter (where settlement.place = 0), 0),
    coalesce(sum(settlement.matched + settlement.excluded) filter (where settlement.place = 1), 0)
  from settled settlement
  group by 1, 2;
end $function$;
CREATE OR REPLACE FUNCTION private.explained_in_period(period public.reconciliations)
 RETURNS TABLE(currency text, adjustments numeric, residual numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select match.currency, sum(coalesce(summed.minor, 0)), sum(match.residual_minor)
  from public.matches match
  left join lateral (select sum((adjustment ->> 'amount_minor')::bigint) as minor
    from jsonb_array_elements(match.adjustments) adjustment) summed
    on match.adjustments <> '[]'
  where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
    and match.state = 'confirmed'
    and (match.residual_minor <> 0 or match.adjustments <> '[]')
  group by 1;
end $function$;
CREATE OR REPLACE FUNCTION private.proof_rows(period public.reconciliations)
 RETURNS TABLE(currency text, side text, line_count bigint, lines numeric, matched numeric, excluded numeric, open numeric, adjustments numeric, residual numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with came as materialized (
    select * from private.lines_up_to_end(period)
  ), settled as materialized (
    select * from private.settled_around(period)
  ), still_open as materialized (
    select open_line.currency, open_line.side, sum(open_line.open_minor) as minor
    from private.open_lines open_line
    where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
      and open_line.value_date <= period.period_end
    group by 1, 2
  ), explained as materialized (
    select explanation.currency, explanation.residual, explanation.adjustments
    from private.explained_in_period(period) explanation
  ), rows as (
    select used.currency, sides.side, case sides.side when 'left' then 1 else -1 end as sign
    from (
      select arrival.currency from came arrival
      union select settlement.currency from settled settlement
      union select open_sum.currency from still_open open_sum
      union select explanation.currency from explained explanation
    ) used cross join (values ('left'), ('right')) sides (side)
  )
  select proof_row.currency, proof_row.side, coalesce(arrival.line_count, 0),
    coalesce(arrival.minor, 0) - coalesce(settlement.earlier, 0), coalesce(settlement.matched, 0),
    coalesce(settlement.excluded, 0), coalesce(open_sum.minor, 0) + coalesce(settlement.later, 0),
    greatest(proof_row.sign * coalesce(explanation.adjustments, 0), 0),
    greatest(proof_row.sign * coalesce(explanation.residual, 0), 0)
  from rows proof_row
    left join came arrival on arrival.currency = proof_row.currency
      and arrival.side = proof_row.side
    left join settled settlement on settlement.currency = proof_row.currency
      and settlement.side = proof_row.side
    left join still_open open_sum on open_sum.currency = proof_row.currency
      and open_sum.side = proof_row.side
    left join explained explanation on explanation.currency = proof_row.currency
  order by proof_row.currency, proof_row.side;
end $function$;
CREATE OR REPLACE FUNCTION private.proof_json(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  preparing constant boolean := private.is_preparing(period.tenant_id, period.pair_no);
begin
  return (
    with sums as materialized (
      select * from private.proof_rows(period)
    ), without_line as materialized (
      select * from private.open_without_line(period.tenant_id, period.pair_no, period.period_end)
    ), rows as (
      select sums.*, not preparing and sums.lines = sums.matched + sums.excluded + sums.open
        and balances.balanced
        and not exists (select from without_line
          where without_line.currency = sums.currency and without_line.side = sums.side) as holds
      from sums join (
        select sums.currency,
          sum(case sums.side when 'left' then 1
            else -1 end * (sums.matched - sums.adjustments - sums.residual)) = 0 as balanced
        from sums group by sums.currency
      ) balances on balances.currency = sums.currency
    )
    select jsonb_build_object(
      'items', coalesce(
        jsonb_agg(
          jsonb_build_object('currency', proof_row.currency, 'side', proof_row.side,
            'lines', private.exact_sum(proof_row.lines),
        'matched', private.exact_sum(proof_row.matched),
        'excluded', private.exact_sum(proof_row.excluded),
        'open', private.exact_sum(proof_row.open),
        'adjustments', private.exact_sum(proof_row.adjustments),
        'residual', private.exact_sum(proof_row.residual),
        'holds', proof_row.holds)
        order by proof_row.currency, proof_row.side), '[]'),
      'holds', coalesce(bool_and(proof_row.holds), not preparing)
    ) from rows proof_row
  );
end $function$;
CREATE OR REPLACE FUNCTION private.violations_of_period(tenant text, reconciliation text, run text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  found text[];
begin
  select * into strict period
  from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation;
  select coalesce(
    array_agg(
      format('%s %s: lines are not matched + excluded + open, or the sides do not agree.',
        proof_row ->> 'currency', proof_row ->> 'side')),
    '{}')
  into found
  from jsonb_array_elements(private.proof_json(period) -> 'items') proof_row
  where not (proof_row ->> 'holds')::boolean;
  return found || array(
    select format('Match %s does not add up.', unbalanced.id)
    from unnest(private.unbalanced_matches(tenant, reconciliation, run)) unbalanced (id));
end $function$;
CREATE OR REPLACE FUNCTION private.close_preview(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'suggestions_count', (
      select count(*) from public.matches match
      where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
        and match.state = 'suggested'
    ),
    'open_exceptions', (
      select count(*) from public.exceptions exception
      where exception.tenant_id = period.tenant_id and exception.reconciliation_id = period.id
        and exception.line_no is not null and exception.status in ('open', 'in_review')
    ),
    'days_until_over', (
      select greatest(0, period.period_end + 1 - min((now() at time zone source.time_zone)::date))
      from public.sources source
      where source.tenant_id = period.tenant_id
        and source.id in (period.left_source_id, period.right_source_id)
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION public.get_proof(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
begin
  perform private.begin_request(request, 'get_proof');
  period := private.find_period(input ->> 'id');
  if period.closed_at is not null then
    return (
      select closing.statement -> 'proof' || private.close_preview(period)
        || jsonb_build_object('closing', jsonb_build_object(
        'digest', closing.digest, 'holds', closing.digest = private.closing_digest(period.tenant_id,
          period.id)))
      from public.closings closing where closing.tenant_id = period.tenant_id
        and closing.reconciliation_id = period.id
    );
  end if;
  return private.proof_json(period) || private.close_preview(period) || '{"closing": null}';
end $function$;
CREATE OR REPLACE FUNCTION private.full_waterfall(period public.reconciliations, rules text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
declare
  people constant integer := 1000;
  excluded constant integer := 1001;
begin
  return (
    -- There may be a million settled matches: each has two whole lines.
    with settled as materialized (
      select coalesce(array_position(rules, match.method), 999) as place, match.method as rule,
        match.currency, count(*) as matches, sum(match.amount_minor) as minor
      from public.matches match
      where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
        and match.settled
        and match.state = 'confirmed' and match.decided_by is null group by 1, 2, 3
    ), made_matches as materialized (
      select case when match.decided_by is not null then people
        else coalesce(array_position(rules, match.method), 999) end as place,
        case when match.decided_by is not null then 'manual' else match.method end as rule,
        match.id, match.currency from public.matches match
      where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
        and match.state = 'confirmed' and not (match.settled and match.decided_by is null)
    ), taken as materialized (
      select match_made.place, match_made.rule, match_made.currency, member.line_no, member.side,
        member.allocated_minor as minor from made_matches match_made
        join private.members_of(period.tenant_id,
          array(select match_made.id from made_matches match_made)) member
          on member.match_id = match_made.id
      union all
      select excluded, 'excluded', exclusion.currency, exclusion.line_no, exclusion.side,
        exclusion.excluded_minor from public.exclusions exclusion
      where exclusion.tenant_id = period.tenant_id and exclusion.reconciliation_id = period.id
    ), first_taken as materialized (
      select distinct on (part.line_no) part.place, part.rule, part.side, part.line_no
      from taken part order by part.line_no, part.place
    ), partly_open as materialized (
      (select open_line.line_no from private.open_lines open_line
       where period.closed_at is null and open_line.tenant_id = period.tenant_id
         and open_line.pair_no = period.pair_no
         and open_line.line_no = any (array(select first_part.line_no from first_taken first_part))
       order by open_line.line_no)
      union all
      select carried_line.line_no from public.carried_lines carried_line
      where period.closed_at is not null and carried_line.tenant_id = period.tenant_id
        and carried_line.reconciliation_id = period.id
    ), counted as materialized (
      select first_part.place, first_part.rule,
        count(*) filter (where first_part.side = 'left') as lefts,
        count(*) filter (where first_part.side = 'right') as rights
      from first_taken first_part
      left join partly_open still_open on still_open.line_no = first_part.line_no
      where still_open.line_no is null
        -- The rest of the line was taken by an exact rule.
        and (first_part.place < people or (
          select whole.id from (
            select member.match_id from public.match_members member
            where member.tenant_id = period.tenant_id and member.line_no = first_part.line_no
              and member.pair_no = period.pair_no offset 0
          ) member cross join lateral (
            select match.id from public.matches match
            where match.tenant_id = period.tenant_id and match.id = member.match_id
              and match.reconciliation_id = period.id and match.settled
              and match.state = 'confirmed'
              and match.decided_by is null offset 0
          ) whole limit 1
        ) is null) group by 1, 2
    ), amounts as materialized (
      select amount.place, amount.rule, jsonb_agg(jsonb_build_object('currency', amount.currency,
        'left_minor', private.exact_sum(amount.left_minor), 'right_minor',
        private.exact_sum(amount.right_minor)) order by amount.currency) as amounts from (
        select part_sum.place, part_sum.rule, part_sum.currency,
          sum(part_sum.left_minor) as left_minor, sum(part_sum.right_minor) as right_minor
        from (
          select whole.place, whole.rule, whole.currency, whole.minor as left_minor,
            whole.minor as right_minor from settled whole
          union all
          select part.place, part.rule, part.currency,
            case part.side when 'left' then part.minor else 0 end,
            case part.side when 'right' then part.minor else 0 end from taken part
        ) part_sum group by 1, 2, 3
      ) amount group by 1, 2
    ), matched as materialized (
      select matching.place, matching.rule, sum(matching.matches) as matches,
        sum(matching.settled) as settled from (
        select whole.place, whole.rule, whole.matches, whole.matches as settled from settled whole
        union all
        select match_made.place, match_made.rule, 1, 0 from made_matches match_made
      ) matching group by 1, 2
    ), suggested as materialized (
      select match.method as rule, count(*) as suggested from public.matches match
      where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
        and match.state = 'suggested' group by 1
    ), steps as (
      select given_rule.place::integer as place, given_rule.rule, 'rule' as kind
      from unnest(rules) with ordinality given_rule (rule, place)
      union
      select matching.place, matching.rule, 'rule' from matched matching where matching.place = 999
      union all
      values (people, 'manual', 'people'), (excluded, 'excluded', 'excluded')
    )
    select jsonb_agg(jsonb_build_object('kind', step.kind, 'rule', step.rule,
      'matches', coalesce(matching.matches, 0),
      'suggested', case step.kind when 'rule' then coalesce(suggestion.suggested, 0) else 0 end,
      'left_lines', coalesce(matching.settled, 0) + coalesce(line_count.lefts, 0),
      'right_lines', coalesce(matching.settled, 0) + coalesce(line_count.rights, 0),
      'amounts', coalesce(amount.amounts, '[]')) order by step.place, step.rule)
    from steps step
    left join matched matching on matching.place = step.place and matching.rule = step.rule
    left join counted line_count on line_count.place = step.place and line_count.rule = step.rule
    left join amounts amount on amount.place = step.place and amount.rule = step.rule
    left join suggested suggestion on suggestion.rule = step.rule
  );
end $function$;
CREATE OR REPLACE FUNCTION private.rules_of_waterfall(waterfall jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return array(
    select listed.step ->> 'rule'
    from jsonb_array_elements(waterfall) with ordinality listed (step, place)
    where coalesce(listed.step ->> 'kind', 'rule') = 'rule' order by listed.place);
end $function$;
CREATE OR REPLACE FUNCTION private.complete_last_run(period public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.runs run
  set waterfall = private.full_waterfall(period, private.rules_of_waterfall(run.waterfall)),
    suggested_count = 0, open_count = (
      select count(*)
      from public.carried_lines carried_line
      where carried_line.tenant_id = period.tenant_id
        and carried_line.reconciliation_id = period.id)
  where run.tenant_id = period.tenant_id and run.id = (
    select newest.id from public.runs newest
    where newest.tenant_id = period.tenant_id and newest.reconciliation_id = period.id
      and newest.status = 'done'
      and newest.dry_run is null
      order by newest.id desc limit 1);
end $function$;
CREATE OR REPLACE FUNCTION private.prefer_set_joins()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform set_config(setting.name, setting.value, true)
  from (values ('enable_nestloop', 'off'), ('enable_hashjoin', 'off'), ('enable_sort', 'off'),
    ('work_mem', '64MB')) setting (name, value);
end $function$;
CREATE OR REPLACE FUNCTION private.load_lines_of_matches(tenant text, of_settled boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into pg_temp.given_lines
  select member.line_no, member.side, member.allocated_minor, taken.currency
  from (select taken_up.id, taken_up.currency from pg_temp.taken_up
    where taken_up.settled = of_settled
    order by taken_up.id) taken
  join (
    select member.match_id, member.line_no, member.side, member.allocated_minor
    from public.match_members member
    where member.tenant_id = tenant
      and member.match_id = any (array(select taken_up.id from pg_temp.taken_up
        where taken_up.settled = of_settled))
    order by member.match_id
  ) member on member.match_id = taken.id;
end $function$;
CREATE OR REPLACE FUNCTION private.has_fees(tenant text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform
  from public.lines line
  where line.tenant_id = tenant and line.fee_minor <> 0
  order by line.fee_minor
  limit 1;
  return found;
end $function$;
CREATE OR REPLACE FUNCTION private.find_line_fees(tenant text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if not private.has_fees(tenant) then
    return;
  end if;
  insert into pg_temp.line_fees
  select given_line.line_no, private.fee_of_whole(line.line, given_line.minor)
  from (select given_lines.line_no, sum(given_lines.minor)::bigint as minor from pg_temp.given_lines
    group by 1
    order by 1) given_line
  join (
    select line.line_no, line as line from public.lines line
    where line.tenant_id = tenant and line.fee_minor <> 0
      and line.line_no = any (array(select given_lines.line_no from pg_temp.given_lines))
      order by line.line_no
  ) line on line.line_no = given_line.line_no
  where private.fee_of_whole(line.line, given_line.minor) <> 0;
end $function$;
CREATE OR REPLACE FUNCTION private.reconsider_settled_matches(tenant text, reconciliation text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  create temp table given_amounts (minor bigint not null, currency text not null) on commit drop;
  insert into pg_temp.given_amounts select distinct settled_match.minor, settled_match.currency
  from pg_temp.given_lines settled_match;
  if exists (select from pg_temp.line_fees) then
    insert into pg_temp.given_amounts
    select settled_match.minor - line_fees.minor, settled_match.currency
    from pg_temp.given_lines settled_match
    join pg_temp.line_fees on line_fees.line_no = settled_match.line_no;
  end if;
  insert into pg_temp.taken_up (id, currency, settled)
  select match.id, match.currency, true
  from (select distinct given_amounts.minor, given_amounts.currency from pg_temp.given_amounts
    order by given_amounts.minor, given_amounts.currency) settled_match
  join (
    select match.id, match.amount_minor, match.currency from public.matches match
    where match.tenant_id = tenant and match.reconciliation_id = reconciliation and match.settled
      and match.state = 'confirmed' and match.decided_by is null
      and match.amount_minor = any (array(select distinct given_amounts.minor
        from pg_temp.given_amounts))
    order by match.amount_minor, match.currency
  ) match on match.amount_minor = settled_match.minor and match.currency = settled_match.currency;
end $function$;
CREATE OR REPLACE FUNCTION private.create_lines_to_weigh_view()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- A partly matched line has its open amount and what its matches took.
  if exists (select from pg_temp.taken_up) then
    create temp view lines_once as select given_line.line_no, given_line.side,
      sum(given_line.minor)::bigint as minor
      from pg_temp.given_lines given_line group by 1, 2;
  else
    create temp view lines_once as select given_line.line_no, given_line.side, given_line.minor
      from pg_temp.given_lines given_line;
  end if;
  create temp view lines_to_weigh as
  select given_line.side = 'left' as is_left, given_line.line_no, line.id, given_line.minor,
    line.currency, line.value_date,
    line.booked_date, line.reference, line.counterparty, line.description, line.group_key
  from (select lines_once.line_no, lines_once.side, lines_once.minor from pg_temp.lines_once
    order by lines_once.line_no) given_line
  join (
    select * from public.lines line
    where line.tenant_id = (select run_scope.tenant_id from pg_temp.run_scope)
      and line.line_no = any (array(select given_lines.line_no from pg_temp.given_lines))
    order by line.line_no
  ) line on line.line_no = given_line.line_no;
end $function$;
CREATE OR REPLACE FUNCTION private.create_matches_made_view()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  create temp view matches_made as
  select match.id, match.state, match.method, match.score, match.currency, match.amount_minor,
    match.hash_high, match.hash_low,
    member.line_no, member.allocated_minor
  from (
    select * from public.matches match
    where match.tenant_id = (select run_scope.tenant_id from pg_temp.run_scope)
      and match.id = any (array(select taken_up.id from pg_temp.taken_up))
      order by match.id
  ) match
  join (
    select member.match_id, member.line_no, member.allocated_minor from public.match_members member
    where member.tenant_id = (select run_scope.tenant_id from pg_temp.run_scope)
      and member.match_id = any (array(select taken_up.id from pg_temp.taken_up))
    order by member.match_id
  ) member on member.match_id = match.id;
end $function$;
CREATE OR REPLACE FUNCTION private.load_run(tenant text, reconciliation text, pair integer, period_end date, is_closed boolean, whole boolean, deducts_fees boolean)
 RETURNS TABLE(left_lines bigint, right_lines bigint)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.prefer_set_joins();
  perform private.begin_reading(tenant);
  insert into pg_temp.taken_up
  select match.id, match.currency, false from public.matches match
  where match.tenant_id = tenant and match.reconciliation_id = reconciliation
    and match.state = 'confirmed' and match.decided_by is null and (whole or not match.settled);
  if is_closed then
    insert into pg_temp.given_lines
    select carried_line.line_no, carried_line.side, carried_line.open_minor, carried_line.currency
    from public.carried_lines carried_line
    where carried_line.tenant_id = tenant and carried_line.reconciliation_id = reconciliation;
  else
    insert into pg_temp.given_lines
    select open_line.line_no, open_line.side, open_line.open_minor, open_line.currency
    from private.open_lines open_line
    where open_line.tenant_id = tenant and open_line.pair_no = pair
      and open_line.value_date <= period_end;
  end if;
  perform private.load_lines_of_matches(tenant, false);
  if deducts_fees then
    perform private.find_line_fees(tenant);
  end if;
  if not whole then
    perform private.reconsider_settled_matches(tenant, reconciliation);
    perform private.load_lines_of_matches(tenant, true);
  end if;
  perform private.create_lines_to_weigh_view();
  insert into pg_temp.taken_up
  select match.id, match.currency, false from public.matches match
  where match.tenant_id = tenant and match.reconciliation_id = reconciliation
    and match.state = 'suggested';
  perform private.create_matches_made_view();
  return query
  select count(*) filter (where given_line.side = 'left'),
    count(*) filter (where given_line.side = 'right')
  from pg_temp.given_lines given_line;
end $function$;
CREATE OR REPLACE FUNCTION private.refused_combinations(tenant text, pair integer)
 RETURNS TABLE(left_ids text[], right_ids text[])
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  return query
  with members as materialized (
    select member.match_id, member.line_no, member.side from public.match_members member
    where member.tenant_id = tenant and member.match_id = any (array(
      select match.id from public.matches match
      where match.tenant_id = tenant and match.pair_no = pair and match.decided_by is not null
        and match.state in ('rejected', 'undone')))
    order by member.match_id
  )
  select array_agg(line.id::text) filter (where members.side = 'left'),
    array_agg(line.id::text) filter (where members.side = 'right')
  from members
  join (
    select line.id, line.line_no from public.lines line
    where line.tenant_id = tenant
      and line.line_no = any (array(select any_member.line_no from members any_member))
      order by line.line_no
  ) line on line.line_no = members.line_no
  group by members.match_id;
end $function$;
CREATE OR REPLACE FUNCTION private.full_run_delay()
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '00:01:00'::interval;
CREATE OR REPLACE FUNCTION private.new_open_lines(period public.reconciliations, max_count integer)
 RETURNS SETOF private.open_lines
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select distinct fresh.*
  from private.run_changes run_change
  cross join lateral (
    select * from private.open_lines open_line
    where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
      and open_line.line_no between run_change.first_line_no and run_change.last_line_no
      and open_line.value_date <= period.period_end
    limit max_count
  ) fresh
  where run_change.tenant_id = period.tenant_id and run_change.reconciliation_id = period.id
  limit max_count;
end $function$;
CREATE OR REPLACE FUNCTION private.may_be_short(period public.reconciliations, last_run public.runs, conditions jsonb, policy jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return last_run.status = 'done' and last_run.conditions = may_be_short.conditions
    and not exists (select from private.run_changes run_change
      where run_change.tenant_id = period.tenant_id and run_change.reconciliation_id = period.id
        and (run_change.first_line_no is null
        or run_change.changed_at <= clock_timestamp() - private.full_run_delay()))
    and not exists (select from private.decisions decision
      where decision.tenant_id = period.tenant_id and decision.pair_no = period.pair_no)
    -- With its fee, a line has two amounts.
    and (policy ->> 'fees' <> 'deduct' or not private.has_fees(period.tenant_id));
end $function$;
CREATE OR REPLACE FUNCTION private.queue_full_run(period public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.queue_run(period.tenant_id, period.pair_no, period.id, null, (
    select min(run_change.changed_at) + private.full_run_delay() - now()
    from private.run_changes run_change
    where run_change.tenant_id = period.tenant_id and run_change.reconciliation_id = period.id
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.load_weighed_lines(period public.reconciliations, minors bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  create temp table weighed on commit drop as
  select match.id, match.currency from public.matches match
  where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
    and match.state = 'confirmed'
    and match.decided_by is null and not match.settled;
  insert into pg_temp.given_lines
  select member.line_no, member.side, member.allocated_minor, weighed.currency
  from public.match_members member join pg_temp.weighed on weighed.id = member.match_id
  where member.tenant_id = period.tenant_id and member.allocated_minor = any (minors)
    and member.match_id = any (array(select weighed.id from pg_temp.weighed));
  insert into pg_temp.held_lines select given_lines.line_no from pg_temp.given_lines;
end $function$;
CREATE OR REPLACE FUNCTION private.load_short_run(tenant text, reconciliation text, most integer, OUT left_lines bigint, OUT right_lines bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  period constant public.reconciliations := (select reconciliations from public.reconciliations
    where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation);
  minors bigint[];
begin
  perform private.begin_reading(tenant);
  create temp table held_lines (line_no bigint not null) on commit drop;
  create temp table new_lines on commit drop as
  select open_line.line_no, open_line.open_minor
  from private.new_open_lines(period, most + 1) open_line;
  minors := array(select distinct new_line.open_minor from pg_temp.new_lines new_line);
  if (select count(*) from pg_temp.new_lines) > most then
    return;
  end if;
  perform private.load_weighed_lines(period, minors);
  with found as (
    select open_line.line_no, open_line.side, open_line.open_minor, open_line.currency,
      open_line.amount_minor from private.open_lines open_line
    where open_line.tenant_id = tenant and open_line.pair_no = period.pair_no
      and open_line.side = any ('{left,right}')
      and -abs(open_line.open_minor) = any (array(select -abs(minor) from unnest(minors) minor))
      and open_line.open_minor = any (minors) and open_line.value_date <= period.period_end
    limit most * 5
  ), held as (
    insert into pg_temp.held_lines
    select finds.line_no from found finds where finds.open_minor <> finds.amount_minor
  )
  insert into pg_temp.given_lines select finds.line_no, finds.side, finds.open_minor, finds.currency
  from found finds;
  perform private.reconsider_settled_matches(tenant, reconciliation);
  perform private.load_lines_of_matches(tenant, true);
  if (select count(*) from pg_temp.given_lines) >= most * 5 then
    return;
  end if;
  perform private.create_lines_to_weigh_view();
  insert into pg_temp.taken_up
  select match.id, match.currency, false from public.matches match
  where match.tenant_id = tenant and match.reconciliation_id = reconciliation
    and match.state = 'suggested' and match.id = any (array(
      select member.match_id from public.match_members member
      where member.tenant_id = tenant and member.pair_no = period.pair_no
        and member.line_no = any (array(select given_line.line_no
          from pg_temp.given_lines given_line))));
  perform private.create_matches_made_view();
  select count(*) filter (where given_line.side = 'left'),
    count(*) filter (where given_line.side = 'right')
  into left_lines, right_lines
  from pg_temp.given_lines given_line;
end $function$;
CREATE OR REPLACE FUNCTION private.finish_short_run(tenant text, run text, attempt integer, lines bigint[], outcome jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  run_row public.runs;
  violations text[];
begin
  perform private.require_attempt(tenant, run, attempt);
  violations := array(
    select format('Match %s does not add up.', match.id)
    from public.matches match
    join private.members_of(tenant, array(
      select member.match_id from public.match_members member
      where member.tenant_id = tenant and member.line_no = any (lines))) member
        on member.match_id = match.id
    where match.tenant_id = tenant and match.run_id = run
    group by match.id, match.residual_minor
    having sum(case member.side when 'left' then member.allocated_minor
      else -member.allocated_minor end) <> match.residual_minor);
  update public.runs set
    status = case when cardinality(violations) = 0 then 'done' else 'failed' end, stage = null,
    finished_at = clock_timestamp(),
    failure = case when cardinality(violations) > 0 then
      'An internal check failed after this run. It has been logged: send us the run''s id.' end,
    lines_done = runs.lines_total, digest = outcome ->> 'digest',
    suggested_count = (outcome ->> 'suggested_count')::bigint,
    open_count = (outcome ->> 'open_count')::bigint, waterfall = outcome -> 'waterfall',
    changed = outcome -> 'changed',
    exceptions_held_back = (outcome ->> 'exceptions_held_back')::integer
  where runs.tenant_id = tenant and runs.id = run
  returning * into run_row;
  perform private.queue_full_run(period) from public.reconciliations period
  where period.tenant_id = tenant and period.id = run_row.reconciliation_id;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(run_row)),
    run);
  return violations;
end $function$;
CREATE OR REPLACE FUNCTION private.period_signature_json(signature public.period_signatures)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('kind', signature.kind, 'level', signature.level,
    'signed_by', signature.signed_by,
    'issuer', signature.issuer, 'subject', signature.subject,
    'signed_at', private.iso(signature.signed_at),
    'digest', signature.digest, 'note', signature.note);
end $function$;
CREATE OR REPLACE FUNCTION private.review_levels(period public.reconciliations)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((
    select max(rules_version.levels) from (
      select (rules_version.policy ->> 'review_levels')::integer as levels,
        lead(rules_version.created_at) over (order by rules_version.version) as until
      from public.pair_rules rules_version where rules_version.tenant_id = period.tenant_id
        and rules_version.pair_no = period.pair_no
    ) rules_version where coalesce(rules_version.until >= period.created_at, true)
  ), 0);
end $function$;
CREATE OR REPLACE FUNCTION private.sign_off_json(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  levels constant integer := private.review_levels(period);
  signatures jsonb;
  reviews integer;
  revoked public.period_signatures;
begin
  select coalesce(jsonb_agg(private.period_signature_json(signature) order by signature.number),
    '[]'),
    count(*) filter (where signature.kind = 'reviewed')
  into signatures, reviews
  from public.period_signatures signature
  where signature.tenant_id = period.tenant_id and signature.pair_no = period.pair_no
    and signature.reconciliation_id = period.id
    and signature.revoked_at is null;
  if signatures = '[]' then
    select * into revoked from public.period_signatures signature
    where signature.tenant_id = period.tenant_id and signature.reconciliation_id = period.id
    order by signature.number desc limit 1;
  end if;
  return jsonb_build_object(
    'state', case when signatures = '[]' then 'open'
      when reviews > 0 and reviews >= levels then 'reviewed' else 'prepared' end,
    'levels', levels, 'signatures', signatures,
    'revoked', case when revoked.revoked_at is not null then jsonb_build_object(
      'at', private.iso(revoked.revoked_at), 'by', revoked.revoked_by,
      'reason', revoked.revoked_reason) end);
end $function$;
CREATE OR REPLACE FUNCTION private.period_digest(period public.reconciliations)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return encode(sha256(convert_to(
    (private.statement_json(period) - 'as_of')::text || private.closing_digest(period.tenant_id,
      period.id),
    'UTF8')), 'hex');
end $function$;
CREATE OR REPLACE FUNCTION private.revoke_signatures(tenant text, periods text[], reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period text;
begin
  for period in
    with revoked as (
      update public.period_signatures signature set revoked_at = now(),
        revoked_by = coalesce(private.actor(), 'system'),
        revoked_reason = revoke_signatures.reason
      where signature.tenant_id = tenant and signature.reconciliation_id = any (periods)
        and signature.revoked_at is null
      returning signature.reconciliation_id
    )
    select distinct revoked.reconciliation_id from revoked order by 1
  loop
    perform private.record_security_event('reconciliation.signatures_revoked', period, reason, (
      select jsonb_build_object('name', reconciliations.name) from public.reconciliations
      where reconciliations.tenant_id = tenant and reconciliations.id = period));
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.revoke_signatures_of_pair(tenant text, pair integer, since date, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  periods constant text[] := array(
    select distinct signature.reconciliation_id from public.period_signatures signature
    join public.reconciliations period on period.tenant_id = signature.tenant_id
      and period.id = signature.reconciliation_id
      and period.closed_at is null
    where signature.tenant_id = tenant and signature.pair_no = pair and signature.revoked_at is null
      and signature.period_end >= since
  );
begin
  if cardinality(periods) > 0 then
    perform private.revoke_signatures(tenant, periods, reason);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.revoke_signatures_of_source(tenant text, source integer, since date, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.revoke_signatures_of_pair(tenant, pair.pair_no, since, reason)
  from public.pairs pair
  where pair.tenant_id = tenant and source in (pair.left_source_no, pair.right_source_no);
end $function$;
CREATE OR REPLACE FUNCTION private.revoke_signatures_of_matches(tenant text, ids uuid[], reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  periods constant text[] := array(
    select distinct match.reconciliation_id from public.matches match
    where match.tenant_id = tenant and match.id = any (ids)
      and exists (
        select from public.period_signatures signature
        where signature.tenant_id = tenant and signature.pair_no = match.pair_no
          and signature.reconciliation_id = match.reconciliation_id and signature.revoked_at is null
      )
  );
begin
  if cardinality(periods) > 0 then
    perform private.revoke_signatures(tenant, periods, reason);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.sign_period(period public.reconciliations, kind text, level integer, note text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.period_signatures (tenant_id, reconciliation_id, number, pair_no, period_end,
    kind, level, digest, note)
  select period.tenant_id, period.id, coalesce(max(signature.number), 0) + 1, period.pair_no,
    period.period_end,
    sign_period.kind, sign_period.level, private.period_digest(period), sign_period.note
  from public.period_signatures signature
  where signature.tenant_id = period.tenant_id and signature.reconciliation_id = period.id;
  perform private.record_security_event('reconciliation.' || kind, period.id, note,
    jsonb_build_object(
    'name', period.name, 'level', level));
end $function$;
CREATE OR REPLACE FUNCTION private.require_no_run(period public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if private.run_is_under_way(period) then
    perform private.refuse_conflict('run_under_way',
      'A run of this period is under way. Sign when it is done.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.prepare_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'prepare_reconciliation');
  period public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  period := private.lock_period(private.tenant_id(), input ->> 'id');
  if private.sign_off_json(period) ->> 'state' <> 'open' then
    perform private.refuse_conflict('already_prepared',
      'The period is prepared already. Return it first to prepare it again.');
  end if;
  perform private.require_no_run(period);
  perform private.require_checks(period);
  perform private.sign_period(period, 'prepared', 0, input ->> 'note');
  perform private.emit(period.tenant_id, 'reconciliation.prepared',
    jsonb_build_object('reconciliation', private.reconciliation_json(period)));
  return private.finish_request(request, private.reconciliation_json(period)
    || jsonb_build_object('version', private.reconciliation_version(period)));
end $function$;
CREATE OR REPLACE FUNCTION public.review_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'review_reconciliation');
  period public.reconciliations;
  sign_off jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  period := private.lock_period(private.tenant_id(), input ->> 'id');
  sign_off := private.sign_off_json(period);
  if sign_off ->> 'state' = 'open' then
    perform private.refuse_conflict('not_prepared',
      'The period is not prepared. Prepare it first.');
  elsif jsonb_array_length(sign_off -> 'signatures') > greatest((sign_off ->> 'levels')::integer, 1)
  then
    perform private.refuse_conflict('already_reviewed',
      'The period is reviewed by as many as its policy asks for. Close it now.');
  elsif exists (
    select from jsonb_array_elements(sign_off -> 'signatures') signature
    where signature ->> 'issuer' = private.actor_issuer()
      and signature ->> 'subject' = private.actor_subject()
  ) then
    perform private.refuse_conflict('second_person_required',
      'You have signed this period already. Ask someone else to review it.');
  elsif private.requires_second_person(period) and private.worked_in_period(period) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, worked in this period. Someone who did not has to review it.');
  end if;
  perform private.require_no_run(period);
  perform private.sign_period(period, 'reviewed', jsonb_array_length(sign_off -> 'signatures'),
    input ->> 'note');
  perform private.emit(period.tenant_id, 'reconciliation.reviewed',
    jsonb_build_object('reconciliation', private.reconciliation_json(period)));
  return private.finish_request(request, private.reconciliation_json(period)
    || jsonb_build_object('version', private.reconciliation_version(period)));
end $function$;
CREATE OR REPLACE FUNCTION public.return_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'return_reconciliation');
  period public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  period := private.lock_period(private.tenant_id(), input ->> 'id');
  if private.sign_off_json(period) ->> 'state' = 'open' then
    perform private.refuse_conflict('not_prepared',
      'Nobody has signed this period, so nothing is returned.');
  end if;
  perform private.revoke_signatures(period.tenant_id, array[period.id], input ->> 'reason');
  return private.finish_request(request, private.reconciliation_json(period)
    || jsonb_build_object('version', private.reconciliation_version(period)));
end $function$;
CREATE OR REPLACE FUNCTION private.pluralize(count bigint, singular text, plural text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return count || ' ' || case when count = 1 then singular else plural end;
end $function$;
CREATE OR REPLACE FUNCTION private.coverage_of(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object(
      'side', source.side, 'name', source.name, 'until', source.until,
      'missing_days', private.business_days_between(period.tenant_id,
        private.policy_of_pair(period.tenant_id, period.pair_no) ->> 'calendar_id',
        coalesce(source.until, period.period_start - 1), period.period_end),
      'breaks', private.balance_breaks(period.tenant_id, source.source_no, source.currency,
        period.period_start,
        period.period_end),
      'has_balance', exists (
        select
        from private.balance_on(period.tenant_id, source.source_no, source.currency,
          period.period_end))
    ) order by source.side)
    from (
      select source.source_no, source.name, source.currency,
        case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
        greatest(
          (select max(line.value_date) from public.lines line
            where line.tenant_id = source.tenant_id and line.source_no = source.source_no),
          (select max(balance.period_end) from public.source_balances balance
            where balance.tenant_id = source.tenant_id
              and balance.source_no = source.source_no)) as until
      from public.pairs pair
      join public.sources source on source.tenant_id = pair.tenant_id
        and source.source_no in (pair.left_source_no, pair.right_source_no)
      where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
    ) source
  );
end $function$;
CREATE OR REPLACE FUNCTION private.checks_of_people(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_array(
    private.check_json('second_person',
      not (private.requires_second_person(period) and private.worked_in_period(period)),
      'block', null,
      case when not private.requires_second_person(period)
        then 'The policy asks for no second person.'
        when private.worked_in_period(period)
          then 'You worked in this period. Someone else closes it.'
        else 'You did not work in this period.' end),
    (
      select private.check_json('signatures',
        sign_off.levels = 0 or sign_off.reviews >= sign_off.levels, 'block', sign_off.reviews,
        case when sign_off.levels = 0 then 'The policy asks for no review.'
          when sign_off.state = 'open' then 'The period is not prepared.'
          else format('%s of %s signed.', sign_off.reviews,
            private.pluralize(sign_off.levels, 'review is', 'reviews are')) end)
      from (
        select (sign_off ->> 'levels')::integer as levels, sign_off ->> 'state' as state,
          (select count(*) from jsonb_array_elements(sign_off -> 'signatures') signature
            where signature ->> 'kind' = 'reviewed') as reviews
        from private.sign_off_json(period) sign_off
      ) sign_off
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.checks_of_files(coverage jsonb, weights jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  missing_days bigint;
  late text;
  break_count bigint;
  without_balance text;
begin
  select sum((source_coverage ->> 'missing_days')::bigint),
    string_agg(format('%s has nothing after %s', source_coverage ->> 'name',
      coalesce(source_coverage ->> 'until', 'the period began')), '; ')
      filter (where (source_coverage ->> 'missing_days')::bigint > 0),
    sum(jsonb_array_length(source_coverage -> 'breaks')),
    string_agg(source_coverage ->> 'name', ' and ') filter (
      where not (source_coverage ->> 'has_balance')::boolean)
  into missing_days, late, break_count, without_balance
  from jsonb_array_elements(coverage) source_coverage;
  return jsonb_build_array(
    private.check_json('files', missing_days = 0, weights ->> 'files', missing_days,
      coalesce(late || '.', 'Both sides are in to the last business day.')),
    private.check_json('balances', break_count = 0 and without_balance is null,
      weights ->> 'balances', break_count,
      case when without_balance is not null
          then format('No balance is stated for %s. State one, or import a file that has it.',
            without_balance)
        when break_count > 0 then private.pluralize(break_count,
          'statement does not follow the one before.', 'statements do not follow the one before.')
        else 'Balances are stated and follow one another.' end)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.checks_of(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  weights constant jsonb := private.policy_of_pair(period.tenant_id, period.pair_no) -> 'checks';
  preview constant jsonb := private.close_preview(period);
  totals constant jsonb := private.statement_totals(period);
  unexplained bigint;
begin
  select count(*) into unexplained from jsonb_array_elements(totals -> 'differences') difference
  where coalesce(nullif(difference -> 'unexplained_minor', 'null'),
    difference -> 'difference_minor') <> '0';
  return jsonb_build_array(
    private.check_json('period_over', preview -> 'days_until_over' = '0',
      weights ->> 'period_over', (preview ->> 'days_until_over')::bigint,
      case when preview -> 'days_until_over' = '0' then 'The period is over.'
        else format('The period is over in %s.',
          private.pluralize((preview ->> 'days_until_over')::bigint, 'day', 'days')) end)
  ) || private.checks_of_files(private.coverage_of(period), weights) || jsonb_build_array(
    private.check_json('suggestions', preview -> 'suggestions_count' = '0',
      weights ->> 'suggestions', (preview ->> 'suggestions_count')::bigint,
      case when preview -> 'suggestions_count' = '0' then 'No suggestion waits.'
        else private.pluralize((preview ->> 'suggestions_count')::bigint,
          'suggestion waits for a decision and moves to the next period.',
          'suggestions wait for a decision and move to the next period.') end),
    private.check_json('exceptions', preview -> 'open_exceptions' = '0',
      weights ->> 'exceptions', (preview ->> 'open_exceptions')::bigint,
      case when preview -> 'open_exceptions' = '0' then 'No exception is open.'
        else private.pluralize((preview ->> 'open_exceptions')::bigint,
          'exception is open and moves to the next period with its lines.',
          'exceptions are open and move to the next period with their lines.') end),
    private.check_json('difference', unexplained = 0, weights ->> 'difference', unexplained,
      case when unexplained = 0 then 'Nothing is unexplained.'
        else format('A difference is unexplained in %s.',
          private.pluralize(unexplained, 'currency', 'currencies')) end),
    (
      select private.check_json('evidence', adjusted.missing = 0,
        coalesce(weights ->> 'evidence', 'warn'), adjusted.missing,
        case when adjusted.missing = 0 then 'No required evidence is missing.'
          else private.pluralize(adjusted.missing, 'adjusted match has no evidence.',
            'adjusted matches have no evidence.') end)
      from private.missing_evidence(period) adjusted (missing)
    )
  ) || private.checks_of_people(period);
end $function$;
CREATE OR REPLACE FUNCTION private.require_checks(period public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  weights constant jsonb := private.policy_of_pair(period.tenant_id, period.pair_no) -> 'checks';
  failed text;
begin
  -- Most policies only warn, and sums over a million lines take seconds.
  if not exists (select from jsonb_each_text(weights) weight_of_check
    where weight_of_check.value = 'block') then
    return;
  end if;
  select string_agg(outcome ->> 'detail', ' ') into failed
  from jsonb_array_elements(private.checks_of(period)) outcome
  where outcome ->> 'outcome' = 'block'
    and outcome ->> 'check' not in ('second_person', 'signatures');
  if failed is not null then
    perform private.refuse_conflict('checklist_incomplete', failed
      || ' The policy of these sources lets nobody sign or close before.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.require_signatures(period public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  sign_off constant jsonb := private.sign_off_json(period);
begin
  if (sign_off ->> 'levels')::integer = 0 or sign_off ->> 'state' = 'reviewed' then
    return;
  elsif sign_off ->> 'state' = 'open' then
    perform private.refuse_conflict('signatures_missing', coalesce(
      format('The signatures were revoked: %s ', sign_off #>> '{revoked,reason}'), '')
      || 'The period has to be prepared and reviewed before it closes.');
  end if;
  perform private.refuse_conflict('signatures_missing', format(
    'The period needs %s reviews before it closes, and has %s. Ask someone else to review it.',
    sign_off ->> 'levels', jsonb_array_length(sign_off -> 'signatures') - 1));
end $function$;
CREATE OR REPLACE FUNCTION public.get_checklist(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
begin
  perform private.begin_request(request, 'get_checklist');
  period := private.find_period(input ->> 'id');
  if period.closed_at is not null then
    perform private.refuse_conflict('period_closed',
      'The period is closed, and has no checklist any more.');
  end if;
  return jsonb_build_object('items', private.checks_of(period),
    'sources', private.coverage_of(period),
    'sign_off', private.sign_off_json(period));
end $function$;
CREATE OR REPLACE FUNCTION private.requires_second_person(period public.reconciliations)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from (
      select (rules_version.policy ->> 'four_eyes')::boolean as is_required,
        lead(rules_version.created_at) over (order by rules_version.version) as until
      from public.pair_rules rules_version where rules_version.tenant_id = period.tenant_id
        and rules_version.pair_no = period.pair_no
    ) rules_version where rules_version.is_required
      and coalesce(rules_version.until >= period.created_at, true)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.run_is_under_way(period public.reconciliations)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.runs run
    where run.tenant_id = period.tenant_id and run.reconciliation_id = period.id
      and run.status in ('queued', 'running') and run.dry_run is null
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_closable(period public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from public.reconciliations
    where reconciliations.tenant_id = period.tenant_id and reconciliations.pair_no = period.pair_no
      and reconciliations.period_end < period.period_start and reconciliations.closed_at is null
      and reconciliations.status <> 'archived'
  ) then
    perform private.refuse_conflict('earlier_period_open',
      'An earlier period of these sources is open. Close that one first.');
  elsif private.run_is_under_way(period) then
    perform private.refuse_conflict('run_under_way',
      'A run of this period is under way. Close it when the run is done.');
  elsif exists (
    select from public.pairs pair
    join public.imports import on import.tenant_id = pair.tenant_id
      and import.source_no in (pair.left_source_no, pair.right_source_no)
      and import.status = 'undoing'
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
  ) then
    perform private.refuse_conflict('lines_changing',
      'An import of its sources is being undone. Close it when that is done.');
  end if;
  perform private.require_signatures(period);
  perform private.require_checks(period);
  if private.requires_second_person(period) and private.worked_in_period(period) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, matched, confirmed, wrote off, excluded, undid or added '
      'lines in this period. Someone who did not has to close it.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.write_closing(period public.reconciliations, closed_by text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  statement jsonb;
  unexplained jsonb;
begin
  insert into public.carried_lines (tenant_id, reconciliation_id, line_no, side, open_minor,
    currency, value_date)
  select open_line.tenant_id, period.id, open_line.line_no, open_line.side, open_line.open_minor,
    open_line.currency, open_line.value_date
  from private.open_in_period(period) open_line
  order by open_line.line_no;
  period.closed_at := now();
  period.closed_by := write_closing.closed_by;
  statement := private.statement_json(period)
    || jsonb_build_object('evidence', private.list_evidence_on_statement(period))
    || private.write_entries(period);
  if not (statement #>> '{proof,holds}')::boolean then
    perform private.refuse_conflict('proof_broken',
      'The proof does not hold: matched, excluded and open lines are not all lines. Tell us before you close.');
  end if;
  select difference into unexplained
  from jsonb_array_elements(statement -> 'differences') difference
  where difference -> 'difference_minor' <> '0'
  limit 1;
  if found then
    perform private.refuse_conflict('difference_unexplained',
      format(
        'The statement leaves a difference of %s in minor units of %s, which nothing explains. '
      'Reopen and look at earlier periods of these sources, or tell us before you close.',
      unexplained ->> 'difference_minor', unexplained ->> 'currency'));
  end if;
  insert into public.closings (tenant_id, reconciliation_id, statement, closed_at, closed_by)
  values (period.tenant_id, period.id, statement, period.closed_at, period.closed_by);
  update public.closings closing set digest = private.closing_digest(period.tenant_id, period.id)
  where closing.tenant_id = period.tenant_id and closing.reconciliation_id = period.id;
end $function$;
CREATE OR REPLACE FUNCTION private.delete_closing(period public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from public.closings closing where closing.tenant_id = period.tenant_id
    and closing.reconciliation_id = period.id;
  delete from public.carried_lines carried_line where carried_line.tenant_id = period.tenant_id
    and carried_line.reconciliation_id = period.id;
  perform private.withdraw_evidence_of_closing(period);
  perform private.withdraw_entries(period);
end $function$;
CREATE OR REPLACE FUNCTION private.complete_closing(before public.reconciliations)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  closing public.closings;
  period public.reconciliations;
begin
  select * into strict closing
  from public.closings
  where closings.tenant_id = before.tenant_id and closings.reconciliation_id = before.id;
  delete
  from private.closing_requests closing_request
  where closing_request.tenant_id = before.tenant_id
    and closing_request.reconciliation_id = before.id;
  perform private.carry_forward(before);
  perform private.sign_statement(closing);
  if before.status = 'open' then
    update public.reconciliations
    set status = 'in_progress'
    where reconciliations.tenant_id = before.tenant_id and reconciliations.id = before.id;
  end if;
  update public.reconciliations
  set status = 'completed', closed_at = closing.closed_at, closed_by = closing.closed_by
  where reconciliations.tenant_id = before.tenant_id and reconciliations.id = before.id
  returning * into period;
  perform private.complete_last_run(period);
  perform private.record_security_event('reconciliation.closed', period.id, null,
    jsonb_build_object('name', period.name, 'digest', closing.digest,
      'open_lines', closing.statement -> 'outstanding_count', 'open_money', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', balance -> 'currency',
          'side', balance -> 'side', 'open_minor', balance -> 'outstanding_minor')), '[]')
        from jsonb_array_elements(closing.statement -> 'balances') balance
        where balance -> 'outstanding_minor' <> '0'
      )) || private.complete_entry_batch(period));
  perform private.queue_book_recount(period.tenant_id, period.pair_no);
  perform private.emit(period.tenant_id, 'reconciliation.closed',
    jsonb_build_object('reconciliation', private.reconciliation_json(period)));
  return period;
end $function$;
CREATE OR REPLACE FUNCTION private.close_period(id text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  lines constant bigint := (
    select sum(source.line_count) from public.reconciliations
    join public.sources source on source.tenant_id = reconciliations.tenant_id
      and source.id in (reconciliations.left_source_id, reconciliations.right_source_id)
    where reconciliations.tenant_id = tenant and reconciliations.id = $1
  );
  period public.reconciliations;
begin
  if lines > private.max_lines_in_request() then
    period := private.lock_period(tenant, $1);
    perform private.require_closable(period);
    perform private.request_closing(period);
    return period;
  end if;
  period := private.lock_period_exclusively(tenant, $1);
  perform private.require_closable(period);
  perform private.write_closing(period, private.actor());
  return private.complete_closing(period);
end $function$;
CREATE OR REPLACE FUNCTION private.reopen_period(id text, reason text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
begin
  perform private.lock_pair_of($1);
  select * into period
  from public.reconciliations
  where reconciliations.tenant_id = private.tenant_id() and reconciliations.id = $1
    for no key update;
  if period.closed_at is null then
    perform private.refuse_conflict('not_closed', 'The period is not closed.');
  elsif exists (
    select from public.reconciliations
    where reconciliations.tenant_id = period.tenant_id and reconciliations.pair_no = period.pair_no
      and reconciliations.period_start > period.period_end
      and reconciliations.closed_at is not null
  ) then
    perform private.refuse_conflict('later_period_closed',
      'A later period of these sources is closed, and builds on this one. Reopen that one first.');
  end if;
  perform private.require_not_closing(period.tenant_id, period.pair_no);
  perform private.store_signed_items(period);
  update public.reconciliations set status = 'in_progress', closed_at = null, closed_by = null
  where reconciliations.tenant_id = period.tenant_id and reconciliations.id = period.id
  returning * into period;
  perform private.delete_closing(period);
  perform private.return_to_reopened(period);
  perform private.reopen_statement(period, reason);
  perform private.revoke_signatures(period.tenant_id, array[period.id],
    left('Reopened: ' || reason, 1000));
  perform private.record_security_event('reconciliation.reopened', period.id, reason,
    jsonb_build_object('name', period.name));
  perform private.emit(period.tenant_id, 'reconciliation.reopened',
    jsonb_build_object('reconciliation', private.reconciliation_json(period), 'reason', reason));
  return period;
end $function$;
CREATE OR REPLACE FUNCTION public.close_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'close_reconciliation');
  period public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  period := private.close_period(input ->> 'id');
  return private.finish_request(request,
    private.reconciliation_json(period)
      || jsonb_build_object('version', private.reconciliation_version(period)));
end $function$;
CREATE OR REPLACE FUNCTION public.reopen_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'reopen_reconciliation');
  period public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  period := private.reopen_period(input ->> 'id', input ->> 'reason');
  return private.finish_request(request,
    private.reconciliation_json(period)
      || jsonb_build_object('version', private.reconciliation_version(period)));
end $function$;
CREATE OR REPLACE FUNCTION private.record_period_work(reconciliation_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  caller constant text := private.principal_type();
  lineage constant text := substr(auth.jwt() ->> 'principal_id', length('api_key:') + 1);
begin
  if caller = 'user' then
    insert into private.period_workers (tenant_id, reconciliation_id, issuer, subject)
    values (tenant, $1, private.actor_issuer(), private.actor_subject())
    on conflict do nothing;
  elsif caller = 'api_key' then
    insert into private.period_workers (tenant_id, reconciliation_id, issuer, subject, name)
    select distinct tenant, $1, coalesce(api_key.creator_issuer, ''),
      coalesce(api_key.creator_subject, ''),
      case when api_key.creator_subject is null then api_key.created_by else '' end
    from public.api_keys api_key where api_key.tenant_id = tenant and api_key.lineage_id = lineage
    on conflict do nothing;
  elsif caller = 'service_role' then
    insert into private.period_workers (tenant_id, reconciliation_id, is_service_role)
    values (tenant, $1, true)
    on conflict do nothing;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.record_source_work(source_no integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period record;
begin
  for period in
    select reconciliations.id from public.pairs pair
    join public.reconciliations on reconciliations.tenant_id = pair.tenant_id
      and reconciliations.pair_no = pair.pair_no
    where pair.tenant_id = private.tenant_id() and $1 in (pair.left_source_no, pair.right_source_no)
      and reconciliations.closed_at is null and reconciliations.status <> 'archived'
    order by reconciliations.id
  loop
    perform private.record_period_work(period.id);
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.worked_in_period(period public.reconciliations)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  actor constant text := private.actor();
  is_admin constant boolean := auth.jwt() -> 'roles' ? 'tenant_admin';
begin
  return exists (
    select from private.period_workers worker
    where worker.tenant_id = tenant and worker.reconciliation_id = period.id
      and ((worker.issuer, worker.subject) = (private.actor_issuer(), private.actor_subject())
        or worker.name = actor or worker.is_service_role and is_admin)
  ) or exists (
    select from public.matches match
    where match.tenant_id = tenant and match.reconciliation_id = period.id
      and (match.method = 'manual' and match.created_by = actor
        or match.state = 'undone' and match.decided_by = actor)
  ) or exists (
    select from private.acts act where act.tenant_id = tenant and act.reconciliation_id = period.id
      and (act.kind in ('match', 'exclude') and act.created_by = actor or act.undone_by = actor)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.is_closing(tenant text, pair integer, reconciliation text DEFAULT NULL::text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from private.closing_requests closing_request
    where closing_request.tenant_id = tenant and closing_request.pair_no = pair
      and closing_request.failure is null
      and (reconciliation is null or closing_request.reconciliation_id = reconciliation)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.request_closing(period public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- Left by an attempt that was taken for dead and was not.
  perform private.delete_closing(period);
  insert into private.closing_requests as closing_request (tenant_id, reconciliation_id, pair_no,
    asked_by)
  values (period.tenant_id, period.id, period.pair_no,
    jsonb_build_object('claims', auth.jwt(), 'operation', current_setting('app.operation', true),
    'address', current_setting('app.address', true)))
  on conflict (tenant_id, reconciliation_id)
    do update set asked_by = excluded.asked_by, asked_at = excluded.asked_at, failure = null;
  perform graphile_worker.add_job('close_period',
    private.with_request_id(
      jsonb_build_object('tenant_id', period.tenant_id, 'reconciliation_id', period.id)),
    queue_name => 'pair:' || period.pair_no, job_key => 'close:' || period.id, max_attempts => 6,
    flags => private.job_flags(period.tenant_id, 'lines'));
end $function$;
CREATE OR REPLACE FUNCTION private.write_requested_closing(tenant text, reconciliation text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  closing_request private.closing_requests;
begin
  if current_setting('transaction_isolation') = 'read committed' then
    raise exception 'A closing is written down of one snapshot.';
  end if;
  select * into closing_request
  from private.closing_requests
  where closing_requests.tenant_id = tenant and closing_requests.reconciliation_id = reconciliation
    and closing_requests.failure is null;
  if not found then
    return false;
  end if;
  -- Written by an earlier attempt.
  if not exists (select from public.closings closing
    where closing.tenant_id = tenant and closing.reconciliation_id = reconciliation) then
    perform private.write_closing(period, closing_request.asked_by #>> '{claims,actor}')
    from public.reconciliations period
    where period.tenant_id = tenant and period.id = reconciliation;
  end if;
  return true;
end $function$;
CREATE OR REPLACE FUNCTION private.move_suggestions_of_closing(tenant text, reconciliation text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  target text;
  ids uuid[];
begin
  perform private.lock_pair(closing_request.tenant_id, closing_request.pair_no)
  from private.closing_requests closing_request
  where closing_request.tenant_id = tenant and closing_request.reconciliation_id = reconciliation;
  perform
  from private.closing_requests closing_request
  where closing_request.tenant_id = tenant and closing_request.reconciliation_id = reconciliation
    and closing_request.failure is null;
  if not found then
    return 0;
  end if;
  select * into strict period
  from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation;
  target := private.next_open_period(period);
  if target is null then
    return 0;
  end if;
  ids := array(
    select match.id
    from public.matches match
    where match.tenant_id = tenant and match.reconciliation_id = reconciliation
      and match.state = 'suggested'
    order by match.id limit 5000
  );
  perform private.move_suggestions(tenant, ids, target);
  return cardinality(ids);
end $function$;
CREATE OR REPLACE FUNCTION private.complete_requested_closing(tenant text, reconciliation text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  closing_request private.closing_requests;
  period public.reconciliations;
begin
  perform private.lock_pair(closing_requests.tenant_id, closing_requests.pair_no)
    from private.closing_requests
  where closing_requests.tenant_id = tenant and closing_requests.reconciliation_id = reconciliation;
  select * into period
  from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation
    for no key update;
  select * into closing_request
  from private.closing_requests
  where closing_requests.tenant_id = tenant and closing_requests.reconciliation_id = reconciliation
    and closing_requests.failure is null;
  if found then
    perform set_config('request.jwt.claims', closing_request.asked_by ->> 'claims', true);
    perform set_config('app.operation', coalesce(closing_request.asked_by ->> 'operation', ''),
      true);
    perform set_config('app.address', coalesce(closing_request.asked_by ->> 'address', ''), true);
    perform private.complete_closing(period);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.fail_closing(tenant text, reconciliation text, failure text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
begin
  select * into strict period
  from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation;
  perform private.lock_pair(tenant, period.pair_no);
  update private.closing_requests closing_request set failure = fail_closing.failure
  where closing_request.tenant_id = tenant and closing_request.reconciliation_id = reconciliation
    and closing_request.failure is null;
  if not found then
    return false;
  end if;
  perform private.delete_closing(period);
  perform private.return_to_reopened(period);
  perform private.request_runs(tenant, period.pair_no);
  -- A suggestion may have been deleted because the next period had one of the same line: a run
  -- makes it again.
  perform private.queue_run(tenant, period.pair_no, period.id, null, interval '1 second');
  return true;
end $function$;
CREATE OR REPLACE FUNCTION private.end_abandoned_closings(failure text)
 RETURNS SETOF text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  closing_request private.closing_requests;
begin
  -- One by one: within one query a closing could be ended before its job is checked.
  for closing_request in
    select closing_requests.*
    from private.closing_requests
    left join graphile_worker.jobs job on job.key = 'close:' || closing_requests.reconciliation_id
    where closing_requests.failure is null
      and case when job.id is null then closing_requests.asked_at < now() - interval '1 hour'
      else job.attempts >= job.max_attempts and job.locked_at is null end
    order by closing_requests.tenant_id, closing_requests.pair_no
  loop
    if private.fail_closing(closing_request.tenant_id, closing_request.reconciliation_id, failure)
      then
      return next closing_request.reconciliation_id;
    end if;
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.next_open_period(period public.reconciliations)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select reconciliations.id from public.reconciliations
    where reconciliations.tenant_id = period.tenant_id and reconciliations.pair_no = period.pair_no
      and reconciliations.period_start > period.period_end
      and reconciliations.closed_at is null and reconciliations.status <> 'archived'
    order by reconciliations.period_start limit 1
  );
end $function$;
CREATE OR REPLACE FUNCTION private.move_suggestions(tenant text, ids uuid[], target text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
declare
  repeated_ids uuid[];
begin
  repeated_ids := array(
    select distinct moving_member.match_id
    from private.members_of(tenant, ids) moving_member
    join private.members_of(tenant, private.suggestions_in(tenant, target)) target_member
      on target_member.line_no = moving_member.line_no
        and target_member.match_id <> moving_member.match_id
    where target_member.match_id <> all (ids)
    union
    -- Suggestions of two periods may share a line until they are in one.
    select distinct moving_member.match_id
    from private.members_of(tenant, ids) moving_member
    join private.members_of(tenant, ids) sharing_member
      on sharing_member.line_no = moving_member.line_no
        and sharing_member.match_id < moving_member.match_id
  );
  if cardinality(repeated_ids) > 0 then
    perform private.delete_matches(tenant, repeated_ids);
  end if;
  perform set_config('app.moves_suggestions', 'on', true);
  update public.matches match set reconciliation_id = target
  where match.tenant_id = tenant and match.id = any (ids) and match.state = 'suggested'
    and match.reconciliation_id <> target;
  perform set_config('app.moves_suggestions', '', true);
end $function$;
CREATE OR REPLACE FUNCTION private.move_exceptions(tenant text, ids text[], target text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  claims constant text := coalesce(current_setting('request.jwt.claims', true), '');
begin
  perform set_config('request.jwt.claims', '', true);
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', item.id, 'reconciliation_id', target)
    from unnest(ids) item (id) order by item.id
  ));
  perform set_config('request.jwt.claims', claims, true);
end $function$;
CREATE OR REPLACE FUNCTION private.carry_forward(period public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  target constant text := private.next_open_period(period);
  periods constant text[] := array(
    select reconciliations.id from public.reconciliations
    where reconciliations.tenant_id = period.tenant_id and reconciliations.pair_no = period.pair_no
      and (reconciliations.id = period.id or reconciliations.period_end < period.period_start
      and reconciliations.closed_at is not null)
  );
begin
  if target is null then
    return;
  end if;
  perform private.move_suggestions(period.tenant_id, array(
    select match.id from public.matches match
    where match.tenant_id = period.tenant_id and match.reconciliation_id = any (periods)
      and match.state = 'suggested'
  ), target);
  perform private.move_exceptions(period.tenant_id, array(
    select exception.id
    from private.exceptions_with_open_lines(period.tenant_id, period.pair_no, periods) exception
  ), target);
end $function$;
CREATE OR REPLACE FUNCTION private.carry_from_closed(created public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.carry_forward(latest.period) from (
    select period from public.reconciliations period
    where period.tenant_id = created.tenant_id and period.pair_no = created.pair_no
      and period.period_end < created.period_start and period.closed_at is not null
    order by period.period_end desc limit 1
  ) latest;
end $function$;
CREATE OR REPLACE FUNCTION private.return_to_reopened(period public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
declare
  later constant text[] := array(
    select reconciliations.id from public.reconciliations
    where reconciliations.tenant_id = period.tenant_id and reconciliations.pair_no = period.pair_no
      and reconciliations.period_start > period.period_end and reconciliations.closed_at is null
  );
  suggested uuid[];
begin
  select coalesce(array_agg(match.id), '{}') into suggested from public.matches match
  where match.tenant_id = period.tenant_id and match.reconciliation_id = any (later)
    and match.state = 'suggested';
  perform private.move_suggestions(period.tenant_id, array(
    select member.match_id
    from private.members_of(period.tenant_id, suggested) member
    join (
      select open_line.line_no, open_line.value_date from private.open_lines open_line
      where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
    ) open_line on open_line.line_no = member.line_no
    group by member.match_id having max(open_line.value_date) <= period.period_end
  ), period.id);
  perform private.move_exceptions(period.tenant_id, array(
    select exception.id
    from private.exceptions_with_open_lines(period.tenant_id, period.pair_no, later) exception
    where exception.last_date <= period.period_end
  ), period.id);
end $function$;
CREATE OR REPLACE FUNCTION private.link_exceptions_to_suggestions(tenant text, reconciliation text, run text, attempt integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  perform private.require_attempt(tenant, run, attempt);
  perform private.change_exceptions('edit', array(
    select distinct
      on (exception.id) jsonb_build_object('tenant_id', tenant, 'id', exception.id,
        'suggested_match_id', member.match_id)
    from private.members_of(tenant, private.suggestions_in(tenant, reconciliation)) member
    join private.open_line_exceptions_of(tenant, reconciliation) exception
      on exception.line_no = member.line_no
      and exception.suggested_match_id is distinct from member.match_id
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.outstanding_items(period public.reconciliations, after_date date, after_no bigint, max_count integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(private.outstanding_json(period, outstanding.line_no, outstanding.side,
      outstanding.open_minor)
    order by outstanding.value_date, outstanding.line_no)
    from (
      select outstanding.line_no, outstanding.side, outstanding.open_minor, outstanding.value_date
      from private.outstanding_lines(period) outstanding
      where after_date is null
        or (outstanding.value_date, outstanding.line_no) > (after_date, coalesce(after_no, 0))
      order by outstanding.value_date, outstanding.line_no limit max_count
    ) outstanding
  );
end $function$;
CREATE OR REPLACE FUNCTION private.adjustment_items(period public.reconciliations, after_id uuid, after_place bigint, max_count integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(
      jsonb_build_object('match_id', private.match_id_text(match.id), 'place', match.place,
        'currency', match.currency, 'kind', match.adjustment -> 'kind',
      'amount_minor', match.adjustment -> 'amount_minor', 'note', match.adjustment
        -> 'note', 'decided_by', match.decided_by,
      'decided_at', private.iso(match.decided_at))
      order by match.id, match.place)
    from (
      select match.id, match.currency, match.decided_by,
        coalesce(match.decided_at, match.created_at) as decided_at,
        adjusted.adjustment, adjusted.place
      from public.matches match
        cross join lateral jsonb_array_elements(match.adjustments) with ordinality as adjusted (
          adjustment, place)
      where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
        and match.state = 'confirmed'
        and match.adjustments <> '[]'
        and match.id >= coalesce(after_id, '00000000-0000-0000-0000-000000000000')
        and (match.id > after_id or adjusted.place > after_place) is not false
      order by match.id, adjusted.place limit max_count
    ) match
  );
end $function$;
CREATE OR REPLACE FUNCTION private.residual_items(period public.reconciliations, after_id uuid, max_count integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(
      jsonb_build_object('match_id', private.match_id_text(match.id),
        'line_id', private.line_id_text(line.id), 'value_date', line.value_date,
      'currency', match.currency, 'amount_minor', match.residual_minor, 'reference', line.reference,
      'counterparty', line.counterparty,
      'description', line.description, 'reason', match.method, 'decided_by', match.decided_by,
      'decided_at', private.iso(match.decided_at))
        order by match.id)
    from (
      select match.id, match.currency, match.residual_minor, match.method, match.decided_by,
        coalesce(match.decided_at, match.created_at) as decided_at
      from public.matches match
      where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
        and match.state = 'confirmed' and match.residual_minor <> 0
        and match.id > coalesce(after_id, '00000000-0000-0000-0000-000000000000')
      order by match.id limit max_count
    ) match
    cross join lateral (
      select member.line_no
      from public.match_members member
      where member.tenant_id = period.tenant_id and member.match_id = match.id
      order by abs(member.allocated_minor) desc, member.line_no limit 1
    ) largest
    cross join lateral (
      select line.*
      from public.lines line
      where line.tenant_id = period.tenant_id and line.line_no = largest.line_no offset 0
    ) line
  );
end $function$;
CREATE OR REPLACE FUNCTION private.exclusion_items(period public.reconciliations, after_no bigint, max_count integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(
      jsonb_build_object('line_id', private.line_id_text(excluded_line.id), 'side', exclusion.side,
        'value_date', excluded_line.value_date, 'currency', exclusion.currency,
      'amount_minor', exclusion.excluded_minor, 'reference', excluded_line.reference,
      'counterparty', excluded_line.counterparty,
      'description', excluded_line.description,
      'reason', exclusion.reason, 'decided_by', exclusion.created_by,
      'decided_at', private.iso(exclusion.created_at))
        order by exclusion.line_no)
    from (
      select exclusion.line_no, exclusion.side, exclusion.currency, exclusion.excluded_minor,
        exclusion.reason, exclusion.created_by, exclusion.created_at
      from public.exclusions exclusion
      where exclusion.tenant_id = period.tenant_id and exclusion.reconciliation_id = period.id
        and exclusion.line_no > coalesce(after_no, 0)
      order by exclusion.line_no limit max_count
    ) exclusion
    cross join lateral (
      select line.*
      from public.lines line
      where line.tenant_id = period.tenant_id and line.line_no = exclusion.line_no offset 0
    ) excluded_line
  );
end $function$;
CREATE OR REPLACE FUNCTION private.matched_line_items(period public.reconciliations, after_id uuid, after_no bigint, max_count integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(
      jsonb_build_object('match_id', private.match_id_text(item.id),
        'line_id', private.line_id_text(line.id), 'side', item.side,
      'value_date', line.value_date, 'currency', item.currency,
      'amount_minor', item.allocated_minor, 'reference', line.reference,
      'counterparty', line.counterparty, 'description', line.description, 'method', item.method,
      'note', item.note, 'decided_by', item.decided_by,
      'decided_at', private.iso(item.decided_at)) order by item.id, item.line_no)
    from (
      select match.*, listed.line_no, listed.side, listed.allocated_minor
      from (
        select match.id, match.currency, match.method, match.note, match.decided_by,
          coalesce(match.decided_at, match.created_at) as decided_at
        from public.matches match
        where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
          and match.state = 'confirmed'
          and match.id >= coalesce(after_id, '00000000-0000-0000-0000-000000000000')
        -- Each match has at least one line; all lines of the first may have been returned already.
        order by match.id limit max_count + 1
      ) match
      cross join lateral (
        select member.line_no, member.side, member.allocated_minor
        from public.match_members member
        where member.tenant_id = period.tenant_id and member.match_id = match.id offset 0
      ) listed
      where (match.id > after_id or listed.line_no > after_no) is not false
      order by match.id, listed.line_no limit max_count
    ) item
    cross join lateral (
      select line.*
      from public.lines line
      where line.tenant_id = period.tenant_id and line.line_no = item.line_no offset 0
    ) line
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_statement_items(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  max_count constant integer := page_size + 1;
  -- The last item of the previous page.
  first_key constant text := input -> 'after' ->> 0;
  second_key constant text := input -> 'after' ->> 1;
  period public.reconciliations;
begin
  perform private.begin_request(request, 'list_statement_items');
  period := private.find_period(input ->> 'id');
  case input ->> 'kind'
    when 'outstanding' then
      return private.page(
        private.outstanding_items(period, first_key::date, private.line_no_of(second_key),
          max_count),
        page_size, 'value_date', 'line_id');
    when 'adjustment' then
      return private.page(
        private.adjustment_items(period, private.match_id(first_key), second_key::bigint,
          max_count),
        page_size, 'match_id', 'place');
    when 'residual' then
      return private.page(private.residual_items(period, private.match_id(first_key), max_count),
        page_size,
        'match_id');
    when 'exclusion' then
      return private.page(private.exclusion_items(period, private.line_no_of(first_key), max_count),
        page_size, 'line_id');
    when 'match' then
      return private.page(
        private.matched_line_items(period, private.match_id(first_key),
          private.line_no_of(second_key),
          max_count),
        page_size,
        'match_id', 'line_id');
  end case;
end $function$;
CREATE OR REPLACE FUNCTION private.open_in_period(period public.reconciliations)
 RETURNS TABLE(tenant_id text, line_no bigint, side text, currency text, value_date date, open_minor bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select period.tenant_id, open_part.line_no, open_part.side, open_part.currency,
    open_part.value_date,
    sum(open_part.minor)::bigint
  from (
    select open_line.line_no, open_line.side, open_line.currency, open_line.value_date,
      open_line.open_minor as minor
    from private.open_lines open_line
    where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
      and open_line.value_date <= period.period_end
    union all
    select later_member.line_no, later_member.side, match.currency, line.value_date,
      later_member.allocated_minor
    from public.reconciliations later
    join public.matches match on match.tenant_id = period.tenant_id
      and match.reconciliation_id = later.id and match.state = 'confirmed'
    cross join lateral (
      select member.line_no, member.side, member.allocated_minor
      from public.match_members member
      where member.tenant_id = match.tenant_id and member.match_id = match.id offset 0
    ) later_member
    cross join lateral (
      select line.value_date
      from public.lines line
      where line.tenant_id = match.tenant_id and line.line_no = later_member.line_no
        and line.value_date <= period.period_end offset 0
    ) line
    where later.tenant_id = period.tenant_id and later.pair_no = period.pair_no
      and later.period_start > period.period_end
    union all
    select exclusion.line_no, exclusion.side, exclusion.currency, line.value_date,
      exclusion.excluded_minor
    from public.reconciliations later
    join public.exclusions exclusion on exclusion.tenant_id = period.tenant_id
      and exclusion.reconciliation_id = later.id
    join public.lines line on line.tenant_id = exclusion.tenant_id
      and line.line_no = exclusion.line_no and line.value_date <= period.period_end
    where later.tenant_id = period.tenant_id and later.pair_no = period.pair_no
      and later.period_start > period.period_end
  ) open_part
  group by open_part.line_no, open_part.side, open_part.currency, open_part.value_date;
end $function$;
CREATE OR REPLACE FUNCTION private.outstanding_lines(period public.reconciliations)
 RETURNS TABLE(tenant_id text, line_no bigint, side text, currency text, value_date date, open_minor bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if period.closed_at is null then
    return query select * from private.open_in_period(period);
  else
    return query select carried_line.tenant_id, carried_line.line_no, carried_line.side,
      carried_line.currency, carried_line.value_date, carried_line.open_minor
    from public.carried_lines carried_line where carried_line.tenant_id = period.tenant_id
      and carried_line.reconciliation_id = period.id;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.stated_balances(period public.reconciliations)
 RETURNS TABLE(currency text, side text, opening numeric, closing numeric, stated_on date, timing numeric, unaccounted numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select stated.currency, source.side, source.factor * opening_balance.minor,
    source.factor * closing_balance.minor, closing_balance.stated_on,
    coalesce((
      select sum(case when line.value_date > period.period_end then source.factor
        else -source.factor end
        * line.amount_minor)
      from public.lines line
      where line.tenant_id = period.tenant_id and line.source_no = source.source_no
        and line.currency = stated.currency
        and line.value_date between period.period_end - 60 and period.period_end + 60
        and (line.booked_date <= period.period_end) <> (line.value_date <= period.period_end)
    ), 0),
    source.factor * (closing_balance.minor - opening_balance.minor
      - private.booked_between(period.tenant_id, source.source_no, stated.currency,
        period.period_start,
        period.period_end))
  from (
    select source.source_no,
      case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
      case source.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs pair
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
  ) source
  cross join lateral (
    select distinct balance.currency from public.source_balances balance
    where balance.tenant_id = period.tenant_id and balance.source_no = source.source_no
  ) stated
  cross join lateral private.balance_on(period.tenant_id, source.source_no, stated.currency,
    period.period_end) closing_balance
  left join lateral private.balance_on(period.tenant_id, source.source_no, stated.currency,
    period.period_start - 1) opening_balance on true;
end $function$;
CREATE OR REPLACE FUNCTION private.statement_explained(period public.reconciliations)
 RETURNS TABLE(currency text, residual numeric, adjusted numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select match.currency, sum(match.residual_minor), sum((
    select coalesce(sum((adjustment ->> 'amount_minor')::bigint), 0)
    from jsonb_array_elements(match.adjustments) adjustment
  ))
  from public.reconciliations
  join public.matches match on match.tenant_id = reconciliations.tenant_id
    and match.reconciliation_id = reconciliations.id
    and match.state = 'confirmed'
  where reconciliations.tenant_id = period.tenant_id and reconciliations.pair_no = period.pair_no
    and reconciliations.period_end <= period.period_end
    and (match.residual_minor <> 0 or match.adjustments <> '[]')
  group by match.currency;
end $function$;
CREATE OR REPLACE FUNCTION private.booked_balances(period public.reconciliations)
 RETURNS TABLE(currency text, side text, opening numeric, closing numeric, line_count bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select line.currency, source.side,
    coalesce(sum(source.factor * line.amount_minor) filter (where line.value_date
      < period.period_start),
      0),
    sum(source.factor * line.amount_minor),
    count(*) filter (where line.value_date >= period.period_start)
  from (
    select source.source_no,
      case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
      case source.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs pair
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
  ) source
  join public.lines line on line.tenant_id = period.tenant_id and line.source_no = source.source_no
    and line.value_date <= period.period_end
  group by line.currency, source.side;
end $function$;
CREATE OR REPLACE FUNCTION private.statement_sums(period public.reconciliations)
 RETURNS TABLE(currency text, side text, opening numeric, closing numeric, line_count bigint, outstanding numeric, excluded numeric, stated_opening numeric, stated_closing numeric, stated_on date, timing numeric, unaccounted numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with booked as materialized (
    select * from private.booked_balances(period)
  ), outstanding as materialized (
    select open_line.currency, open_line.side, sum(open_line.open_minor) as minor
    from private.outstanding_lines(period) open_line
    group by open_line.currency, open_line.side
  ), excluded as materialized (
    select exclusion.currency, exclusion.side, sum(exclusion.excluded_minor) as minor
    from public.reconciliations
    join public.exclusions exclusion on exclusion.tenant_id = reconciliations.tenant_id
      and exclusion.reconciliation_id = reconciliations.id
    where reconciliations.tenant_id = period.tenant_id and reconciliations.pair_no = period.pair_no
      and reconciliations.period_end <= period.period_end
    group by exclusion.currency, exclusion.side
  ), currencies as (
    select booked_balance.currency from booked booked_balance
    union select explanation.currency from private.statement_explained(period) explanation
  )
  select used.currency, sides.side, coalesce(booked_balance.opening, 0),
    coalesce(booked_balance.closing, 0), coalesce(booked_balance.line_count, 0),
    coalesce(open_sum.minor, 0), coalesce(exclusion_sum.minor, 0),
    stated.opening, stated.closing, stated.stated_on, stated.timing, stated.unaccounted
  from currencies used
  cross join (values ('left'), ('right')) sides (side)
  left join booked booked_balance on booked_balance.currency = used.currency
    and booked_balance.side = sides.side
  left join outstanding open_sum on open_sum.currency = used.currency and open_sum.side = sides.side
  left join excluded exclusion_sum on exclusion_sum.currency = used.currency
    and exclusion_sum.side = sides.side
  left join private.stated_balances(period) stated
    on stated.currency = used.currency and stated.side = sides.side;
end $function$;
CREATE OR REPLACE FUNCTION private.statement_totals(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with sums as materialized (
      select *, case sums.side when 'left' then 1 else -1 end as sign
      from private.statement_sums(period) sums
    ), sides as (
      select sums.currency,
        sum(sums.sign * (sums.closing - sums.outstanding - sums.excluded)) as settled,
        case when count(sums.stated_closing) = 2 then
          sum(sums.sign * (sums.stated_closing - sums.timing - sums.outstanding
            - sums.excluded)) end as stated
      from sums
      group by sums.currency
    )
    select jsonb_build_object(
      'balances', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'currency', sums.currency, 'side', sums.side,
          'opening_minor', private.exact_sum(sums.opening),
          'lines_minor', private.exact_sum(sums.closing - sums.opening),
          'line_count', sums.line_count,
          'closing_minor', private.exact_sum(sums.closing),
          'outstanding_minor', private.exact_sum(sums.outstanding),
          'excluded_minor', private.exact_sum(sums.excluded),
          'stated_opening_minor', private.exact_sum(sums.stated_opening),
          'stated_closing_minor', private.exact_sum(sums.stated_closing),
          'stated_on', sums.stated_on, 'timing_minor', private.exact_sum(sums.timing),
          'unaccounted_minor', private.exact_sum(sums.unaccounted)
        ) order by sums.currency, sums.side), '[]')
        from sums
      ),
      'differences', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'currency', sides.currency,
          'adjustments_minor', private.exact_sum(coalesce(explained.adjusted, 0)),
          'residual_minor', private.exact_sum(coalesce(explained.residual, 0)),
          'difference_minor',
          private.exact_sum(sides.settled - coalesce(explained.adjusted + explained.residual, 0)),
          'unexplained_minor',
          private.exact_sum(sides.stated - coalesce(explained.adjusted + explained.residual, 0))
        ) order by sides.currency), '[]')
        from sides left join private.statement_explained(period) explained
          on explained.currency = sides.currency
      )
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.statement_outstanding(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with outstanding as materialized (
      select outstanding.line_no, outstanding.side, outstanding.open_minor, outstanding.currency,
        period.period_end - outstanding.value_date as age
      from private.outstanding_lines(period) outstanding
    ), aged as (
      select outstanding.currency, outstanding.side, count(*) as line_count,
        sum(outstanding.open_minor) as minor,
        case when outstanding.age > 90 then 91 when outstanding.age > 60 then 61
          when outstanding.age > 30 then 31
          when outstanding.age > 7 then 8 else 0 end as days_from
      from outstanding
      group by outstanding.currency, outstanding.side, days_from
    )
    select jsonb_build_object(
      'aging', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'currency', aged.currency, 'side', aged.side, 'days_from', aged.days_from,
          'line_count', aged.line_count, 'open_minor', private.exact_sum(aged.minor)
        ) order by aged.currency, aged.side, aged.days_from), '[]')
        from aged
      ),
      'outstanding_count', (select count(*) from outstanding),
      'outstanding', (
        select coalesce(
          jsonb_agg(private.outstanding_json(period, summed.line_no, summed.side, summed.open_minor)
            order by summed.place),
          '[]')
        from (
          select outstanding.*, row_number() over (order by abs(outstanding.open_minor) desc,
            outstanding.line_no) as place
          from outstanding
        ) summed
        where summed.place <= 250
      )
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.statement_items(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  adjustments bigint;
  residuals bigint;
begin
  select coalesce(sum(jsonb_array_length(match.adjustments)), 0),
    count(*) filter (where match.residual_minor <> 0)
  into adjustments, residuals
  from public.matches match
  where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
    and match.state = 'confirmed'
    and (match.residual_minor <> 0 or match.adjustments <> '[]');
  return jsonb_build_object(
    'adjustment_count', adjustments, 'residual_count', residuals,
    'exclusion_count', (
      select count(*) from public.exclusions exclusion
      where exclusion.tenant_id = period.tenant_id and exclusion.reconciliation_id = period.id
    ),
    -- Without any, the matches need not be searched again.
    'adjustments', coalesce(
      case when adjustments > 0 then private.adjustment_items(period, null, null, 1000) end, '[]'),
    'residuals', coalesce(
      case when residuals > 0 then private.residual_items(period, null, 1000) end, '[]'),
    'exclusions', coalesce(private.exclusion_items(period, null, 1000), '[]')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.statement_json(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'reconciliation_id', period.id, 'name', period.name, 'period_start', period.period_start,
    'period_end', period.period_end, 'left_source', period.left_source,
    'right_source', period.right_source,
    'as_of', private.iso(coalesce(period.closed_at, now())),
    'closed_at', private.iso(period.closed_at),
    'closed_by', period.closed_by, 'proof', private.proof_json(period)
  ) || private.statement_totals(period) || private.statement_outstanding(period)
    || private.statement_items(period);
end $function$;
CREATE OR REPLACE FUNCTION private.outstanding_json(period public.reconciliations, line_no bigint, side text, open_minor bigint)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('line_id', private.line_id_text(line.id), 'side', $3,
      'value_date', line.value_date, 'age_days', period.period_end - line.value_date,
      'currency', line.currency, 'open_minor', $4, 'reference', line.reference,
      'counterparty', line.counterparty, 'description', line.description)
    from public.lines line where line.tenant_id = period.tenant_id and line.line_no = $2
  );
end $function$;
CREATE OR REPLACE FUNCTION public.get_statement(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
begin
  perform private.begin_request(request, 'get_statement');
  period := private.find_period(input ->> 'id');
  if period.closed_at is not null then
    return (select closing.statement from public.closings closing
      where closing.tenant_id = period.tenant_id and closing.reconciliation_id = period.id);
  end if;
  return private.statement_json(period);
end $function$;
CREATE OR REPLACE FUNCTION private.lines_by_decisions(tenant text, pair integer)
 RETURNS TABLE(line_no bigint, id uuid, side text, currency text, value_date date, amount_minor bigint, matched_minor numeric, excluded_minor numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with matched as materialized (
    select member.line_no, sum(member.allocated_minor) as minor from public.reconciliations period
    join public.matches match on match.tenant_id = period.tenant_id
      and match.reconciliation_id = period.id and match.state = 'confirmed'
    join public.match_members member on member.tenant_id = match.tenant_id
      and member.match_id = match.id
    where period.tenant_id = tenant and period.pair_no = pair group by 1
  ), excluded as materialized (
    select exclusion.line_no, sum(exclusion.excluded_minor) as minor
    from public.exclusions exclusion
    where exclusion.tenant_id = tenant and exclusion.pair_no = pair
    group by 1
  ), came as materialized (
    select line.line_no, line.id,
      case source.source_no when pairs.left_source_no then 'left' else 'right' end as side,
      line.currency, line.value_date,
      case source.sign when 'inverted' then -line.amount_minor else line.amount_minor end as minor
    from public.pairs
    join public.sources source on source.tenant_id = pairs.tenant_id
      and source.source_no in (pairs.left_source_no, pairs.right_source_no)
    join public.lines line on line.tenant_id = source.tenant_id
      and line.source_no = source.source_no
    where pairs.tenant_id = tenant and pairs.pair_no = pair
  )
  select coalesce(line.line_no, matched_line.line_no, excluded_line.line_no), line.id, line.side,
    line.currency, line.value_date, line.minor,
    coalesce(matched_line.minor, 0), coalesce(excluded_line.minor, 0)
  from came line full join matched matched_line on matched_line.line_no = line.line_no
    full join excluded excluded_line
      on excluded_line.line_no = coalesce(line.line_no, matched_line.line_no);
end $function$;
CREATE OR REPLACE FUNCTION private.books_differences(tenant text, pair integer)
 RETURNS TABLE(what text, subject text, computed text, shown text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with lines as materialized (
    select *, coalesce(private.line_id_text(line.id), 'line ' || line.line_no) as name
    from private.lines_by_decisions(tenant, pair) line
  ), periods as materialized (
    select period.*, closing.statement, closing.digest from public.reconciliations period
    left join public.closings closing on closing.tenant_id = period.tenant_id
      and closing.reconciliation_id = period.id and period.closed_at is not null
    where period.tenant_id = tenant and period.pair_no = pair
  ), matches as materialized (
    select match.id, match.reconciliation_id, match.state, match.currency, member.line_no,
      member.side,
      member.allocated_minor, match.residual_minor
        + (select coalesce(sum((adjustment ->> 'amount_minor')::bigint), 0)
          from jsonb_array_elements(match.adjustments) adjustment) as explained
    from periods period
    join public.matches match on match.tenant_id = period.tenant_id
      and match.reconciliation_id = period.id and match.state in ('confirmed', 'suggested')
    join public.match_members member on member.tenant_id = match.tenant_id
      and member.match_id = match.id
  ), still_open as materialized (
    select * from private.open_lines open_line
    where open_line.tenant_id = tenant and open_line.pair_no = pair
  ), settled as materialized (
    -- What each closed period saw settled, by itself or an earlier one.
    select period.id as period, settlement.line_no, settlement.side, settlement.currency,
      sum(settlement.minor) as minor
    from periods period join periods earlier on earlier.period_end <= period.period_end
    join (
      select match.reconciliation_id, match.line_no, match.side, match.currency,
        match.allocated_minor as minor
      from matches match
      where match.state = 'confirmed'
      union all
      select exclusion.reconciliation_id, exclusion.line_no, exclusion.side, exclusion.currency,
        exclusion.excluded_minor
      from public.exclusions exclusion
      where exclusion.tenant_id = tenant and exclusion.pair_no = pair
    ) settlement on settlement.reconciliation_id = earlier.id
    where period.closed_at is not null group by 1, 2, 3, 4
  ), digests as materialized (
    select period.id, period.digest, private.closing_digest(period.tenant_id, period.id) as computed
    from periods period
    where period.closed_at is not null and period.digest is not null
  ), carried as materialized (
    select carried_line.*
    from periods period
    join public.carried_lines carried_line on carried_line.tenant_id = period.tenant_id
      and carried_line.reconciliation_id = period.id
    where period.closed_at is not null
  )
  select 'decided of no line', line.name, null::text,
    concat_ws(' + ', line.matched_minor, line.excluded_minor)
  from lines line
  where line.amount_minor is null
  union all
  select 'given more than once', line.name, line.amount_minor::text,
    (line.matched_minor + line.excluded_minor)::text
  from lines line
  where line.matched_minor
    + line.excluded_minor not between least(line.amount_minor, 0) and greatest(line.amount_minor, 0)
    or line.matched_minor not between least(line.amount_minor, 0) and greatest(line.amount_minor, 0)
  union all
  select 'open', coalesce(line.name, 'line ' || open_line.line_no),
    line.amount_minor - line.matched_minor - line.excluded_minor || ' of ' || line.amount_minor
      || ' ' || line.currency || ' on ' || line.value_date || ', ' || line.side,
    open_line.open_minor || ' of ' || open_line.amount_minor || ' ' || open_line.currency || ' on '
      || open_line.value_date || ', ' || open_line.side
  from (select * from lines line where line.amount_minor is not null) line
    full join still_open open_line on open_line.line_no = line.line_no
  where not private.is_preparing(tenant, pair) and (
    line.line_no is null
      or coalesce(open_line.open_minor, 0)
        <> line.amount_minor - line.matched_minor - line.excluded_minor
    or open_line.line_no is not null
    and (open_line.amount_minor, open_line.currency, open_line.value_date, open_line.side)
      is distinct from (line.amount_minor, line.currency, line.value_date, line.side)
  )
  union all
  select 'match', private.match_id_text(match.id), min(match.explained)::text,
    sum(case match.side when 'left' then match.allocated_minor else -match.allocated_minor
      end)::text
  from matches match group by match.id
    having min(match.explained) <> sum(case match.side when 'left' then match.allocated_minor
      else -match.allocated_minor end)
  union all
  select 'side or currency of a match', private.match_id_text(match.id),
    line.side || ' ' || line.currency, match.side || ' ' || match.currency
  from matches match join lines line on line.line_no = match.line_no
    where (line.side, line.currency) <> (match.side, match.currency)
  union all
  select 'suggested though settled, or twice', line.name || ' in ' || match.reconciliation_id,
    'at most 1 while it is open', count(*)::text
  from matches match join lines line on line.line_no = match.line_no
    left join still_open open_line on open_line.line_no = match.line_no
  where match.state = 'suggested' group by line.name, match.reconciliation_id
    having count(*) > 1 or bool_or(open_line.line_no is null)
  union all
  select 'matched lines', period.id, counted.count::text, coalesce(matched_counts.lines, 0)::text
  from periods period
    left join private.matched_counts on matched_counts.tenant_id = period.tenant_id
      and matched_counts.reconciliation_id = period.id
  cross join lateral (select count(*) from matches match
    where match.reconciliation_id = period.id and match.state = 'confirmed') counted
  where counted.count <> coalesce(matched_counts.lines, 0)
  union all
  select 'open exceptions', coalesce(line.name, 'line ' || exception.line_no), 'at most 1',
    count(*)::text
  from public.exceptions exception left join lines line on line.line_no = exception.line_no
  where exception.tenant_id = tenant and exception.pair_no = pair and exception.line_no is not null
    and exception.status in ('open', 'in_review')
  group by exception.line_no, line.name having count(*) > 1
  union all
  select 'exception', exception.id, 'closed: nothing of its lines is open', exception.status
  from public.exceptions exception
  where exception.tenant_id = tenant and exception.pair_no = pair and exception.line_no is not null
    and exception.status in ('open', 'in_review') and not exists (
    select from private.exception_lines exception_line
    join still_open open_line on open_line.line_no = exception_line.line_no
    where exception_line.tenant_id = tenant and exception_line.exception_id = exception.id
      and exception_line.pair_no = pair
  )
  union all
  select 'carried',
    coalesce(line.name, 'line ' || carried_line.line_no) || ' at the end of '
      || carried_line.reconciliation_id,
    (line.amount_minor - coalesce(settled_line.minor, 0))::text, carried_line.open_minor::text
  from carried carried_line left join lines line on line.line_no = carried_line.line_no
    left join settled settled_line on settled_line.period = carried_line.reconciliation_id
      and settled_line.line_no = carried_line.line_no
  where line.amount_minor is null
    or line.amount_minor - coalesce(settled_line.minor, 0) <> carried_line.open_minor
  union all
  -- The balance that a closed period stated is what it and earlier periods settled, plus what it
  -- carried; lines that arrived later don't count.
  select 'closing balance',
    period.id || ' ' || (balance ->> 'side') || ' ' || (balance ->> 'currency'),
    recomputed.minor::text, balance ->> 'closing_minor'
  from periods period
  cross join lateral jsonb_array_elements(period.statement -> 'balances') balance
  cross join lateral (
    select coalesce(
      (select sum(settled_line.minor) from settled settled_line
        where settled_line.period = period.id and settled_line.side = balance ->> 'side'
          and settled_line.currency = balance ->> 'currency'),
      0)
      + coalesce(
        (select sum(carried_line.open_minor) from carried carried_line
          where carried_line.reconciliation_id = period.id
            and carried_line.side = balance ->> 'side'
            and carried_line.currency = balance ->> 'currency'),
        0) as minor
  ) recomputed
  where recomputed.minor <> (balance ->> 'closing_minor')::numeric
  union all
  select 'proof', period.id, 'holds', 'does not hold' from public.reconciliations period
  where period.tenant_id = tenant and period.pair_no = pair
    and not private.is_preparing(tenant, pair)
    and not coalesce((
    select (closed_period.statement #>> '{proof,holds}')::boolean
    from periods closed_period
    where closed_period.id = period.id and closed_period.closed_at is not null
  ), (private.proof_json(period) ->> 'holds')::boolean)
  union all
  select 'closing', digests.id, digests.computed, digests.digest from digests
  where digests.digest <> digests.computed;
end $function$;
CREATE OR REPLACE FUNCTION private.closing_digest(tenant text, reconciliation text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return encode(sha256(
    sha256(convert_to(coalesce((
      select closing.statement::text
      from public.closings closing
      where closing.tenant_id = tenant and closing.reconciliation_id = reconciliation
    ), ''), 'UTF8'))
    || sha256(coalesce((
      select string_agg(
        sha256(
          convert_to(
            row(match.id, match.shape, match.method, match.currency, match.amount_minor,
              match.residual_minor, match.adjustments, match.note, match.decided_by,
              match.created_by)::text, 'UTF8')),
        '' order by match.id)
      from public.matches match
        where match.tenant_id = tenant and match.reconciliation_id = reconciliation
          and match.state = 'confirmed'
    ), ''))
    || sha256(coalesce((
      select string_agg(
        sha256(convert_to(row(member.match_id, member.line_no, member.side,
          member.allocated_minor)::text, 'UTF8')),
        '' order by member.match_id, member.line_no)
      from public.matches match
        join public.match_members member on member.tenant_id = match.tenant_id
          and member.match_id = match.id
      where match.tenant_id = tenant and match.reconciliation_id = reconciliation
        and match.state = 'confirmed'
    ), ''))
    || sha256(coalesce((
      select string_agg(
        sha256(
          convert_to(
            row(exclusion.line_no, exclusion.side, exclusion.currency, exclusion.excluded_minor,
              exclusion.reason, exclusion.created_by)::text, 'UTF8')),
        '' order by exclusion.line_no)
      from public.exclusions exclusion
      where exclusion.tenant_id = tenant and exclusion.reconciliation_id = reconciliation
    ), ''))
    || sha256(coalesce((
      select string_agg(
        sha256(
          convert_to(row(carried_line.line_no, carried_line.side, carried_line.currency,
            carried_line.open_minor, carried_line.value_date::text)::text, 'UTF8')),
        '' order by carried_line.line_no)
      from public.carried_lines carried_line
        where carried_line.tenant_id = tenant and carried_line.reconciliation_id = reconciliation
    ), ''))
  ), 'hex');
end $function$;
CREATE OR REPLACE FUNCTION private.recount_books(tenant text, pair integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  found_count bigint;
  first_ones jsonb;
begin
  select count(*),
    coalesce(
      jsonb_agg(
        jsonb_build_object('what', difference.what, 'subject', difference.subject,
          'computed', difference.computed,
          'shown', difference.shown)
    order by difference.what, difference.subject) filter (where difference.place <= 20), '[]')
  into found_count, first_ones
  from (select *, row_number() over (order by difference.what, difference.subject) as place
    from private.books_differences(tenant, pair) difference) difference;
  if found_count > 0 then
    perform private.emit(tenant, 'books.differ', (
      select jsonb_build_object('reconciliation_ids',
        coalesce(jsonb_agg(period.id order by period.period_end desc), '[]'),
        'difference_count', found_count, 'differences', first_ones)
      from (
        select period.id, period.period_end
        from public.reconciliations period
        where period.tenant_id = tenant and period.pair_no = pair
        order by period.period_end desc
        limit 100
      ) period
    ), format('%s %s %s', pair, (now() at time zone 'UTC')::date, md5(first_ones::text)));
  end if;
  return found_count;
end $function$;
CREATE OR REPLACE FUNCTION private.queue_book_recounts()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.queue_book_recount(pair.tenant_id, pair.pair_no) from public.pairs pair;
end $function$;
CREATE OR REPLACE FUNCTION private.decisions_about_line(line public.lines)
 RETURNS TABLE(type text, at timestamp with time zone, actor text, reconciliation_id text, match_id uuid, note text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
#variable_conflict use_column
begin
  return query
  with matched as materialized (
    select match.*
    from public.match_members member
    join public.matches match on match.tenant_id = member.tenant_id and match.id = member.match_id
    where member.tenant_id = line.tenant_id and member.line_no = line.line_no
  ), decided as materialized (
    select match.id as match_id, act.kind, act.reconciliation_id, act.created_at, act.created_by,
      act.undone_at, act.undone_by
    from matched match
    join private.acts act on act.tenant_id = match.tenant_id
      and act.reconciliation_id = match.reconciliation_id and match.id = any (act.match_ids)
  )
  -- Matches made by the engine: whatever was decided since then began as a suggestion.
  select case when match.state in ('suggested', 'rejected')
      or exists (select from decided decision where decision.match_id = match.id)
      then 'suggested' else 'matched' end,
    match.created_at, match.created_by, match.reconciliation_id, match.id, match.method
  from matched match where match.method <> 'manual'
  union all
  select case decision.kind when 'match' then 'matched' when 'confirm' then 'confirmed'
      else 'rejected' end,
    decision.created_at, decision.created_by, decision.reconciliation_id, decision.match_id, null
  from decided decision
  union all
  select 'undone', decision.undone_at, decision.undone_by, decision.reconciliation_id,
    decision.match_id, null
  from decided decision where decision.undone_at is not null
  union all
  select 'undone', match.decided_at, coalesce(match.decided_by, 'system'), match.reconciliation_id,
    match.id, null
  from matched match
  where match.state = 'undone'
    and not exists (select from decided decision
      where decision.match_id = match.id and decision.undone_at = match.decided_at)
  union all
  select 'excluded', act.created_at, act.created_by, act.reconciliation_id, null, act.reason
  from private.acts act where act.tenant_id = line.tenant_id and act.line_id = line.id
  union all
  select 'included', act.undone_at, act.undone_by, act.reconciliation_id, null, null
  from private.acts act
  where act.tenant_id = line.tenant_id and act.line_id = line.id and act.undone_at is not null;
end $function$;
CREATE OR REPLACE FUNCTION public.list_line_history(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  line public.lines;
begin
  perform private.begin_request(request, 'list_line_history');
  select * into line
  from public.lines
  where lines.tenant_id = private.tenant_id() and lines.id = private.line_id(input ->> 'id');
  if not found then
    perform private.refuse_missing('line');
  end if;
  return (
    with about as materialized (
      select exception.* from public.exceptions exception
      where exception.tenant_id = line.tenant_id and exception.id = any (array(
        select exception_line.exception_id from private.exception_lines exception_line
        where exception_line.tenant_id = line.tenant_id and exception_line.line_no = line.line_no))
      union
      select exception.* from public.exceptions exception
      where exception.tenant_id = line.tenant_id and exception.line_no = line.line_no
    ), history (type, at, actor, reconciliation_id, match_id, exception_id, import_id, note) as (
      select 'added', line.created_at, import.created_by, null, null::uuid, null, import.id,
        import.file_name
      from (select 1) one
      left join public.imports import on import.tenant_id = line.tenant_id
        and import.id = line.import_id
      union all
      select decision.type, decision.at, decision.actor, decision.reconciliation_id,
        decision.match_id, null, null, decision.note
      from private.decisions_about_line(line) decision
      union all
      select 'exception_opened', exception.created_at, exception.created_by,
        exception.reconciliation_id, null, exception.id, null, exception.reason_code
      from about exception
      union all
      select case exception.status when 'dismissed' then 'exception_dismissed'
          else 'exception_resolved' end,
        exception.closed_at, case when exception.resolved_by_matching then 'system' end,
        exception.reconciliation_id, null, exception.id, null, exception.resolution
      from about exception where exception.closed_at is not null
    )
    select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object('type', item.type,
      'at', private.iso(item.at), 'actor', item.actor, 'reconciliation_id', item.reconciliation_id,
      'match_id', private.match_id_text(item.match_id), 'exception_id', item.exception_id,
      'import_id', item.import_id, 'note', item.note) order by item.at, item.place), '[]'))
    from (
      select item.*, array_position(
        array['added', 'exception_opened', 'suggested', 'confirmed', 'matched'], item.type) as place
      from history item order by item.at desc limit 200
    ) item
  );
end $function$;
CREATE OR REPLACE FUNCTION private.sign_statement(closing public.closings)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.statements (tenant_id, reconciliation_id, number, statement, digest, closed_by,
    closer_issuer, closer_subject, closed_at, signatures)
  select closing.tenant_id, closing.reconciliation_id, coalesce(max(statements.number), 0) + 1,
    closing.statement,
    closing.digest, closing.closed_by, private.actor_issuer(), private.actor_subject(),
    closing.closed_at,
    (
      select coalesce(jsonb_agg(private.period_signature_json(signature) order by signature.number),
        '[]')
      from public.period_signatures signature
      where signature.tenant_id = closing.tenant_id
        and signature.reconciliation_id = closing.reconciliation_id
        and signature.revoked_at is null
    )
  from public.statements
  where statements.tenant_id = closing.tenant_id
    and statements.reconciliation_id = closing.reconciliation_id;
end $function$;
CREATE OR REPLACE FUNCTION private.reopen_statement(period public.reconciliations, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.statements set reopened_at = now(), reopened_by = private.actor(),
    reason = reopen_statement.reason
  where statements.tenant_id = period.tenant_id and statements.reconciliation_id = period.id
    and statements.reopened_at is null;
end $function$;
CREATE OR REPLACE FUNCTION private.signature_json(statement public.statements)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('number', statement.number, 'digest', statement.digest,
    'closed_by', statement.closed_by,
    'closer_issuer', statement.closer_issuer, 'closer_subject', statement.closer_subject,
    'closed_at', private.iso(statement.closed_at), 'signatures', statement.signatures,
    'reopened_at', private.iso(statement.reopened_at),
    'reopened_by', statement.reopened_by, 'reason', statement.reason);
end $function$;
CREATE OR REPLACE FUNCTION public.list_signed_statements(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  period public.reconciliations;
  items jsonb;
begin
  perform private.begin_request(request, 'list_signed_statements');
  period := private.find_period(input ->> 'id');
  select jsonb_agg(private.signature_json(signed) order by signed.number desc) into items
  from (
    select * from public.statements
    where statements.tenant_id = period.tenant_id and statements.reconciliation_id = period.id
      and (input -> 'after' ->> 0 is null or statements.number < (input -> 'after' ->> 0)::integer)
    order by statements.number desc limit page_size + 1
  ) signed;
  return private.page(items, page_size, 'number');
end $function$;
CREATE OR REPLACE FUNCTION public.get_signed_statement(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  signed public.statements;
begin
  perform private.begin_request(request, 'get_signed_statement');
  period := private.find_period(input ->> 'id');
  select * into signed from public.statements
  where statements.tenant_id = period.tenant_id and statements.reconciliation_id = period.id
    and statements.number = (input ->> 'number')::integer;
  if not found then
    perform private.refuse_missing('statement');
  end if;
  return private.signature_json(signed) || jsonb_build_object('statement', signed.statement);
end $function$;
CREATE OR REPLACE FUNCTION private.entry_rules_of(tenant text, pair integer)
 RETURNS public.entry_rules
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  found_rules public.entry_rules;
begin
  select * into found_rules from public.entry_rules
  where entry_rules.tenant_id = tenant and entry_rules.pair_no = pair
  order by entry_rules.version desc limit 1;
  if not found then
    found_rules.tenant_id := tenant;
    found_rules.pair_no := pair;
    found_rules.version := 0;
    found_rules.rules := '{}';
    found_rules.ledger := '{}';
  end if;
  return found_rules;
end $function$;
CREATE OR REPLACE FUNCTION private.entry_rules_json(rules public.entry_rules)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('rules', rules.rules, 'ledger', rules.ledger, 'version', rules.version,
    'updated_at', private.iso(rules.created_at), 'updated_by', rules.created_by);
end $function$;
CREATE OR REPLACE FUNCTION public.get_entry_rules(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
begin
  perform private.begin_request(request, 'get_entry_rules');
  period := private.find_period(input ->> 'id');
  return private.entry_rules_json(private.entry_rules_of(period.tenant_id, period.pair_no));
end $function$;
CREATE OR REPLACE FUNCTION public.put_entry_rules(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  before public.entry_rules;
  ledger jsonb;
  rules public.entry_rules;
begin
  perform private.begin_request(request, 'put_entry_rules');
  period := private.find_period(input ->> 'id');
  perform private.lock_pair(period.tenant_id, period.pair_no);
  before := private.entry_rules_of(period.tenant_id, period.pair_no);
  perform private.require_version(before.version, request -> 'versions');
  ledger := coalesce(input -> 'ledger', before.ledger);
  perform private.check_push_settings(ledger);
  if before.version > 0 and (before.rules, before.ledger) = (input -> 'rules', ledger) then
    return private.entry_rules_json(before);
  end if;
  insert into public.entry_rules (tenant_id, pair_no, version, rules, ledger)
  values (period.tenant_id, period.pair_no, before.version + 1, input -> 'rules', ledger)
  returning * into rules;
  if rules.ledger <> before.ledger then
    perform private.retry_entry_pushes(rules.tenant_id, rules.pair_no);
  end if;
  perform private.record_security_event('entries.rules_updated', period.id, null,
    jsonb_build_object(
    'from', private.entry_rules_json(before), 'to', private.entry_rules_json(rules)));
  return private.entry_rules_json(rules);
end $function$;
CREATE OR REPLACE FUNCTION private.entry_text(template text, fields jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select left(btrim(regexp_replace(string_agg(
      case when piece.part[1] like '{%' then coalesce(fields ->> btrim(piece.part[1], '{}'), '')
        else piece.part[1] end, '' order by piece.place), '\s+', ' ', 'g')), 500)
    from regexp_matches(template, '\{[a-z]+\}|[^{]+', 'g') with ordinality as piece (part, place)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.entry_items(period public.reconciliations, kinds text[])
 RETURNS TABLE(kind text, match_id uuid, place integer, currency text, difference_minor bigint, line_no bigint, note text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select item.kind, match.id, item.place, match.currency, item.minor, (
      select member.line_no from public.match_members member
      where member.tenant_id = match.tenant_id and member.match_id = match.id
      order by abs(member.allocated_minor) desc, member.line_no limit 1
    ), coalesce(item.note, match.note)
  from public.matches match
  cross join lateral (
    select adjustment.value ->> 'kind' as kind, adjustment.place::integer as place,
      (adjustment.value ->> 'amount_minor')::bigint as minor, adjustment.value ->> 'note' as note
    from jsonb_array_elements(match.adjustments) with ordinality as adjustment (value, place)
    union all
    select 'residual', 0, match.residual_minor, null
  ) item
  where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
    and match.state = 'confirmed' and (match.adjustments <> '[]' or match.residual_minor <> 0)
    and item.minor <> 0 and item.kind = any (kinds)
  union all
  select 'excluded_' || exclusion.side, null::uuid, 0, exclusion.currency,
    case exclusion.side when 'left' then exclusion.excluded_minor
      else -exclusion.excluded_minor end, exclusion.line_no, exclusion.reason
  from public.exclusions exclusion
  where exclusion.tenant_id = period.tenant_id and exclusion.reconciliation_id = period.id
    and 'excluded_' || exclusion.side = any (kinds);
  if kinds && '{carried_left,carried_right}'::text[] then
    return query
    select 'carried_' || outstanding.side, null::uuid, 0, outstanding.currency,
      case outstanding.side when 'left' then outstanding.open_minor
        else -outstanding.open_minor end, outstanding.line_no, null
    from private.outstanding_lines(period) outstanding
    where 'carried_' || outstanding.side = any (kinds) and outstanding.open_minor <> 0;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.kinds_with_rule(rules jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return array(select rule_of_kind.key from jsonb_each(rules) rule_of_kind
    where rule_of_kind.value <> 'null' order by rule_of_kind.key);
end $function$;
CREATE OR REPLACE FUNCTION private.entry_drafts(period public.reconciliations, rules jsonb)
 RETURNS TABLE(kind text, subject_id text, subject_place integer, currency text, difference_minor bigint, amount_minor bigint, debit_account text, credit_account text, tax_code text, cost_center text, body text, value_date date, reference text, counterparty text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select item.kind,
    coalesce(private.match_id_text(item.match_id), private.line_id_text(of_line.id)), item.place,
    item.currency, item.difference_minor, abs(item.difference_minor),
    used.rule ->> case when item.difference_minor < 0 then 'account' else 'counter_account' end,
    used.rule ->> case when item.difference_minor < 0 then 'counter_account' else 'account' end,
    used.rule ->> 'tax_code', used.rule ->> 'cost_center',
    private.entry_text(used.rule ->> 'text', jsonb_build_object(
      'reference', of_line.reference, 'counterparty', of_line.counterparty,
      'description', of_line.description,
      'note', item.note, 'date', of_line.value_date, 'currency', item.currency,
      'amount', private.decimal_text(abs(item.difference_minor), item.currency),
      'kind', replace(item.kind, '_', ' '), 'reconciliation', period.name,
      'period', to_char(period.period_end, 'YYYY-MM'))),
    of_line.value_date, of_line.reference, of_line.counterparty
  from private.entry_items(period, private.kinds_with_rule(rules)) item
  cross join lateral (select rules -> item.kind) used (rule)
  cross join lateral (
    select line.id, line.reference, line.counterparty, line.description, line.value_date
    from public.lines line
    where line.tenant_id = period.tenant_id and line.line_no = item.line_no offset 0
  ) of_line;
end $function$;
CREATE OR REPLACE FUNCTION private.entries_preview_json(period public.reconciliations, rules jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  ruled constant text[] := private.kinds_with_rule(rules);
begin
  return (
    with drafts as materialized (select * from private.entry_drafts(period, rules))
    select jsonb_build_object('sums', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', summed.currency,
          'entry_count', summed.entry_count,
          'debit_minor', private.exact_sum(summed.minor),
          'credit_minor', private.exact_sum(summed.minor))
          order by summed.currency), '[]')
        from (select draft.currency, count(*) as entry_count, sum(draft.amount_minor) as minor
          from drafts draft group by draft.currency) summed
      ), 'entries', (
        select coalesce(jsonb_agg(to_jsonb(draft) - 'body' || jsonb_build_object('text', draft.body)
          order by draft.kind, draft.subject_id, draft.subject_place), '[]')
        from (select * from drafts order by drafts.kind, drafts.subject_id, drafts.subject_place
          limit 100) draft
      ), 'without_rule', (
        select coalesce(jsonb_agg(jsonb_build_object('kind', item.kind, 'currency', item.currency,
          'count', item.item_count, 'difference_minor', private.exact_sum(item.minor))
          order by item.kind, item.currency), '[]')
        from (
          select item.kind, item.currency, count(*) as item_count,
            sum(item.difference_minor) as minor
          from private.entry_items(period, array(
            select kind from unnest(private.entry_kinds()) kind where kind <> all (ruled))) item
          group by item.kind, item.currency
        ) item
      ))
  );
end $function$;
CREATE OR REPLACE FUNCTION public.preview_entries(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'preview_entries');
  period public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  period := private.find_period(input ->> 'id');
  return private.finish_request(request, private.entries_preview_json(period, coalesce(
    nullif(input -> 'rules', 'null'),
    (private.entry_rules_of(period.tenant_id, period.pair_no)).rules)));
end $function$;
CREATE OR REPLACE FUNCTION private.entry_row(entry public.entries)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return row(entry.place, entry.kind, entry.subject_id, entry.subject_place, entry.currency,
    entry.amount_minor,
    entry.debit_account, entry.credit_account, entry.tax_code, entry.cost_center, entry.text,
    entry.value_date::text,
    entry.reverses_batch, entry.reverses_place)::text;
end $function$;
CREATE OR REPLACE FUNCTION private.unreversed_entries(period public.reconciliations)
 RETURNS SETOF public.entries
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select entry.* from public.entries entry
  where entry.tenant_id = period.tenant_id and entry.pair_no = period.pair_no
    and entry.reverses_batch is null
    and (entry.reconciliation_id = period.id or entry.kind in ('carried_left', 'carried_right'))
    and not exists (
      select from public.entries reversal
      where reversal.tenant_id = entry.tenant_id and reversal.reverses_batch = entry.batch_id
        and reversal.reverses_place = entry.place
    );
end $function$;
CREATE OR REPLACE FUNCTION private.insert_entries(period public.reconciliations, batch text, rules jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  written integer;
begin
  insert into public.entries (tenant_id, batch_id, place, pair_no, reconciliation_id, kind,
    subject_id, subject_place, currency, amount_minor, difference_minor, debit_account,
    credit_account, tax_code, cost_center, text, value_date, reference, counterparty,
    reverses_batch, reverses_place)
  with drafts as materialized (
    select * from private.entry_drafts(period, rules)
  ), standing as materialized (
    select * from private.unreversed_entries(period)
  ), kept as materialized (
    select kind, subject_id, subject_place
    from standing stands join drafts draft using (kind, subject_id, subject_place)
    where (stands.difference_minor, stands.currency, stands.debit_account, stands.credit_account)
        = (draft.difference_minor, draft.currency, draft.debit_account, draft.credit_account)
      and (stands.tax_code, stands.cost_center)
        is not distinct from (draft.tax_code, draft.cost_center)
  ), posted as (
    select 0 as phase, stands.kind, stands.subject_id, stands.subject_place, stands.currency,
      stands.amount_minor, -stands.difference_minor as difference_minor,
      stands.credit_account as debit, stands.debit_account as credit, stands.tax_code,
      stands.cost_center, stands.text, stands.value_date, stands.reference, stands.counterparty,
      stands.batch_id as reversed_batch, stands.place as reversed_place
    from standing stands left join kept keeps using (kind, subject_id, subject_place)
    where keeps.kind is null
    union all
    select 1, draft.kind, draft.subject_id, draft.subject_place, draft.currency, draft.amount_minor,
      draft.difference_minor, draft.debit_account, draft.credit_account, draft.tax_code,
      draft.cost_center, draft.body, draft.value_date, draft.reference, draft.counterparty,
      null, null
    from drafts draft left join kept keeps using (kind, subject_id, subject_place)
    where keeps.kind is null
  )
  select period.tenant_id, batch,
    row_number() over (order by posting.phase, posting.kind, posting.subject_id,
      posting.subject_place), period.pair_no, period.id,
    posting.kind, posting.subject_id, posting.subject_place, posting.currency, posting.amount_minor,
    posting.difference_minor, posting.debit, posting.credit, posting.tax_code, posting.cost_center,
    posting.text, posting.value_date, posting.reference, posting.counterparty,
    posting.reversed_batch, posting.reversed_place
  from posted posting;
  get diagnostics written = row_count;
  return written;
end $function$;
CREATE OR REPLACE FUNCTION private.entry_sums(tenant text, batch text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object('currency', entry.currency,
      'entry_count', entry.entry_count,
      'debit_minor', private.exact_sum(entry.minor), 'credit_minor', private.exact_sum(entry.minor))
      order by entry.currency)
    from (
      select entry.currency, count(*) as entry_count, sum(entry.amount_minor) as minor
      from public.entries entry where entry.tenant_id = tenant and entry.batch_id = batch
      group by entry.currency
    ) entry
  );
end $function$;
CREATE OR REPLACE FUNCTION private.write_entries(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  batch constant text := private.new_id('bat');
  rules constant jsonb := (private.entry_rules_of(period.tenant_id, period.pair_no)).rules;
  batch_row public.entry_batches;
begin
  if private.kinds_with_rule(rules) = '{}' and not exists (
    select from public.entries entry where entry.tenant_id = period.tenant_id
      and entry.pair_no = period.pair_no
  ) then
    return '{}';
  end if;
  if private.insert_entries(period, batch, rules) = 0 then
    return '{}';
  end if;
  insert into public.entry_batches (tenant_id, id, pair_no, reconciliation_id, statement_number,
    posting_date, entry_count, reversal_count, sums, digest, created_by)
  select period.tenant_id, batch, period.pair_no, period.id, coalesce((
      select max(statements.number) from public.statements
      where statements.tenant_id = period.tenant_id
        and statements.reconciliation_id = period.id), 0)
        + 1,
    period.period_end, count(*), count(entry.reverses_batch),
    private.entry_sums(period.tenant_id, batch),
    encode(sha256(string_agg(sha256(convert_to(private.entry_row(entry), 'UTF8')), ''::bytea
      order by entry.place)), 'hex'), period.closed_by
  from public.entries entry where entry.tenant_id = period.tenant_id and entry.batch_id = batch
  returning * into batch_row;
  return jsonb_build_object('entries',
    jsonb_build_object('count', batch_row.entry_count, 'sha256', batch_row.digest));
end $function$;
CREATE OR REPLACE FUNCTION private.withdraw_entries(period public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from public.entries entry using public.entry_batches batch
  where batch.tenant_id = period.tenant_id and batch.reconciliation_id = period.id
    and batch.number is null
    and entry.tenant_id = batch.tenant_id and entry.batch_id = batch.id;
  delete from public.entry_batches batch
  where batch.tenant_id = period.tenant_id and batch.reconciliation_id = period.id
    and batch.number is null;
end $function$;
CREATE OR REPLACE FUNCTION private.entry_batch_name(batch public.entry_batches)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return format('%s-%s', batch.year,
    lpad(batch.number::text, greatest(4, length(batch.number::text)), '0'));
end $function$;
CREATE OR REPLACE FUNCTION private.entry_batch_json(batch public.entry_batches)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('id', batch.id, 'number', private.entry_batch_name(batch),
      'state', case when batch.exported_at is null then 'ready' else 'exported' end,
      'reconciliation_id', batch.reconciliation_id, 'reconciliation_name', period.name,
      'statement_number', batch.statement_number, 'posting_date', batch.posting_date,
      'entry_count', batch.entry_count, 'reversal_count', batch.reversal_count, 'sums', batch.sums,
      'digest', batch.digest, 'closing_digest', statements.digest,
      'created_at', private.iso(batch.created_at),
      'created_by', batch.created_by, 'exported_at', private.iso(batch.exported_at),
      'exported_by', batch.exported_by, 'ledger_reference', batch.ledger_reference,
      'push', batch.push)
    from public.reconciliations period
    left join public.statements on statements.tenant_id = batch.tenant_id
      and statements.reconciliation_id = batch.reconciliation_id
      and statements.number = batch.statement_number
    where period.tenant_id = batch.tenant_id and period.id = batch.reconciliation_id
  );
end $function$;
CREATE OR REPLACE FUNCTION private.complete_entry_batch(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  batch public.entry_batches;
  numbered integer;
begin
  select * into batch from public.entry_batches
  where entry_batches.tenant_id = period.tenant_id and entry_batches.reconciliation_id = period.id
    and entry_batches.number is null;
  if not found then
    return '{}';
  end if;
  -- The row stays locked until the closing commits, so that a number is missing only if none
  -- follows it.
  insert into private.entry_batch_numbers as numbering (tenant_id, year, last_number)
  values (batch.tenant_id, batch.year, 1)
  on conflict (tenant_id, year) do update set last_number = numbering.last_number + 1
  returning numbering.last_number into numbered;
  update public.entry_batches set number = numbered
  where entry_batches.tenant_id = batch.tenant_id and entry_batches.id = batch.id
  returning * into batch;
  if private.push_settings(batch) is not null then
    batch := private.queue_entry_push(batch);
  end if;
  perform private.emit(batch.tenant_id, 'entries.ready',
    jsonb_build_object('batch', private.entry_batch_json(batch)));
  return jsonb_build_object('batch_number', private.entry_batch_name(batch));
end $function$;
CREATE OR REPLACE FUNCTION private.find_entry_batch(id text)
 RETURNS public.entry_batches
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  batch public.entry_batches;
begin
  select * into batch from public.entry_batches
  where entry_batches.tenant_id = private.tenant_id() and entry_batches.id = $1
    and entry_batches.number is not null;
  if not found then
    perform private.refuse_missing('entry batch');
  end if;
  return batch;
end $function$;
CREATE OR REPLACE FUNCTION public.list_entry_batches(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_entry_batches');
  select jsonb_agg(private.entry_batch_json(batch) order by batch.id desc) into items
  from (
    select * from public.entry_batches batch
    where batch.tenant_id = private.tenant_id() and batch.number is not null
      and (input -> 'after' ->> 0 is null or batch.id < input -> 'after' ->> 0)
      and (input ->> 'state' is null or (input ->> 'state' = 'ready') = (batch.exported_at is null))
      and (input ->> 'year' is null or batch.year = (input ->> 'year')::integer)
      and (input ->> 'reconciliation_id' is null
        or batch.reconciliation_id = input ->> 'reconciliation_id')
    order by batch.id desc limit page_size + 1
  ) batch;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.entry_json(entry public.entries)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('place', entry.place, 'kind', entry.kind,
    'subject_id', entry.subject_id,
    'currency', entry.currency, 'amount_minor', entry.amount_minor,
    'difference_minor', entry.difference_minor, 'debit_account', entry.debit_account,
    'credit_account', entry.credit_account, 'tax_code', entry.tax_code,
    'cost_center', entry.cost_center,
    'text', entry.text, 'value_date', entry.value_date, 'reference', entry.reference,
    'counterparty', entry.counterparty, 'reverses', (
      select private.entry_batch_name(batch) || '/' || entry.reverses_place
      from public.entry_batches batch
      where batch.tenant_id = entry.tenant_id and batch.id = entry.reverses_batch
    ));
end $function$;
CREATE OR REPLACE FUNCTION private.entries_after(tenant text, batch text, currency text, place integer, page_size integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(private.entry_json(entry) order by entry.place)
    from (
      select * from public.entries entry
      where entry.tenant_id = tenant and entry.batch_id = batch
        and entry.place > entries_after.place
        and (entries_after.currency is null or entry.currency = entries_after.currency)
      order by entry.place limit page_size
    ) entry
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_entries(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  batch public.entry_batches;
begin
  perform private.begin_request(request, 'list_entries');
  batch := private.find_entry_batch(input ->> 'id');
  return private.page(private.entries_after(batch.tenant_id, batch.id, input ->> 'currency',
    coalesce((input -> 'after' ->> 0)::integer, 0), page_size + 1), page_size, 'place');
end $function$;
CREATE OR REPLACE FUNCTION public.open_ledger_file(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  batch public.entry_batches;
begin
  perform private.begin_request(request, 'open_ledger_file');
  batch := private.find_entry_batch(input ->> 'id');
  return jsonb_build_object('batch', private.entry_batch_json(batch),
    'ledger', (private.entry_rules_of(batch.tenant_id, batch.pair_no)).ledger);
end $function$;
CREATE OR REPLACE FUNCTION private.caller_worked_in(period public.reconciliations)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  lineage constant text := substr(auth.jwt() ->> 'principal_id', length('api_key:') + 1);
begin
  return private.worked_in_period(period) or private.principal_type() = 'api_key' and exists (
    select from public.api_keys api_key
    join private.period_workers worker on worker.tenant_id = api_key.tenant_id
      and worker.reconciliation_id = period.id
    where api_key.tenant_id = period.tenant_id and api_key.lineage_id = lineage
      and ((worker.issuer, worker.subject) = (api_key.creator_issuer, api_key.creator_subject)
        or api_key.creator_subject is null)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.find_ready_batch(id text)
 RETURNS public.entry_batches
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  batch public.entry_batches;
begin
  perform from public.entry_batches
  where entry_batches.tenant_id = private.tenant_id() and entry_batches.id = $1 for update;
  batch := private.find_entry_batch($1);
  select * into strict period from public.reconciliations
  where reconciliations.tenant_id = batch.tenant_id
    and reconciliations.id = batch.reconciliation_id;
  if batch.exported_at is not null then
    perform private.refuse_conflict('already_exported', format(
      'Batch %s was marked as exported by %s. Do not post it again.',
      private.entry_batch_name(batch), batch.exported_by));
  elsif private.requires_second_person(period) and private.caller_worked_in(period) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, worked in this period. '
      'Ask somebody who did not to export its entries.');
  end if;
  return batch;
end $function$;
CREATE OR REPLACE FUNCTION private.record_export(batch public.entry_batches)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.record_security_event('entries.exported', batch.id, null, jsonb_build_object(
    'name', private.entry_batch_name(batch), 'reconciliation_id', batch.reconciliation_id,
    'digest', batch.digest, 'entry_count', batch.entry_count, 'sums', batch.sums,
    'ledger_reference', batch.ledger_reference));
end $function$;
CREATE OR REPLACE FUNCTION public.mark_entry_batch_exported(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'mark_entry_batch_exported');
  batch public.entry_batches;
begin
  if replayed is not null then
    return replayed;
  end if;
  batch := private.find_ready_batch(input ->> 'id');
  update public.entry_batches set exported_at = now(), exported_by = private.actor(),
    ledger_reference = input ->> 'ledger_reference'
  where entry_batches.tenant_id = private.tenant_id() and entry_batches.id = batch.id
  returning * into batch;
  perform private.record_export(batch);
  return private.finish_request(request, private.entry_batch_json(batch));
end $function$;
CREATE OR REPLACE FUNCTION private.signed_rows(tenant text, reconciliation text, kind text, after text, page_size integer)
 RETURNS TABLE(key text, content text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  case kind
    when 'matches' then
      return query
      select match.id::text,
        row(match.id, match.shape, match.method, match.currency, match.amount_minor,
          match.residual_minor, match.adjustments, match.note, match.decided_by,
          match.created_by)::text
      from public.matches match
      where match.tenant_id = tenant and match.reconciliation_id = reconciliation
        and match.state = 'confirmed' and (after is null or match.id > after::uuid)
      order by match.id limit page_size;
    when 'members' then
      return query
      select member.match_id || ' ' || member.line_no,
        row(member.match_id, member.line_no, member.side, member.allocated_minor)::text
      from public.matches match
      join public.match_members member on member.tenant_id = match.tenant_id
        and member.match_id = match.id
      where match.tenant_id = tenant and match.reconciliation_id = reconciliation
        and match.state = 'confirmed'
        and (after is null or match.id >= split_part(after, ' ', 1)::uuid
          and (member.match_id, member.line_no)
            > (split_part(after, ' ', 1)::uuid, split_part(after, ' ', 2)::bigint))
      order by member.match_id, member.line_no limit page_size;
    when 'exclusions' then
      return query
      select exclusion.line_no::text,
        row(exclusion.line_no, exclusion.side, exclusion.currency, exclusion.excluded_minor,
          exclusion.reason, exclusion.created_by)::text
      from public.exclusions exclusion
      where exclusion.tenant_id = tenant and exclusion.reconciliation_id = reconciliation
        and (after is null or exclusion.line_no > after::bigint)
      order by exclusion.line_no limit page_size;
    when 'carried' then
      return query
      select carried_line.line_no::text,
        row(carried_line.line_no, carried_line.side, carried_line.currency, carried_line.open_minor,
          carried_line.value_date::text)::text
      from public.carried_lines carried_line
      where carried_line.tenant_id = tenant and carried_line.reconciliation_id = reconciliation
        and (after is null or carried_line.line_no > after::bigint)
      order by carried_line.line_no limit page_size;
  end case;
end $function$;
CREATE OR REPLACE FUNCTION private.store_signed_items(period public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  signed constant integer := (
    select max(statements.number) from public.statements
    where statements.tenant_id = period.tenant_id and statements.reconciliation_id = period.id
      and statements.reopened_at is null
  );
  kind text;
  after text;
  last_key text;
  contents text[];
  place integer;
begin
  if signed is null then
    return;
  end if;
  foreach kind in array '{matches,members,exclusions,carried}'::text[] loop
    after := null;
    place := 0;
    loop
      select array_agg(item.content order by item.place),
        (array_agg(item.key order by item.place desc))[1]
      into contents, last_key
      from (
        select item.*, row_number() over () as place
        from private.signed_rows(period.tenant_id, period.id, kind, after, 5000) item
      ) item;
      exit when contents is null;
      insert into private.reopened_items (tenant_id, reconciliation_id, number, kind, seq, rows)
      values (period.tenant_id, period.id, signed, kind, place, contents);
      place := place + 1;
      after := last_key;
    end loop;
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION public.open_statement_bundle(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  signed public.statements;
  chain jsonb;
  closed_seq bigint;
begin
  perform private.begin_request(request, 'open_statement_bundle');
  period := private.find_period(input ->> 'id');
  select * into signed from public.statements
  where statements.tenant_id = period.tenant_id and statements.reconciliation_id = period.id
    and statements.number = (input ->> 'number')::integer;
  if not found then
    perform private.refuse_missing('statement');
  end if;
  chain := private.chain_state_of_caller();
  select max(event.seq) into closed_seq from public.security_events event
  where event.tenant_id = period.tenant_id and event.chain = period.tenant_id
    and event.target = period.id
    and event.type = 'reconciliation.closed' and event.details ->> 'digest' = signed.digest;
  return jsonb_build_object(
    'statement', signed.statement::text, 'signature', private.signature_json(signed),
    'rules', (
      select jsonb_build_object('version', pair_rules.version, 'rules', pair_rules.rules,
        'policy', pair_rules.policy)
      from public.pair_rules
      where pair_rules.tenant_id = period.tenant_id and pair_rules.pair_no = period.pair_no
        and pair_rules.created_at <= signed.closed_at
      order by pair_rules.version desc limit 1
    ),
    'engine_versions', (
      select coalesce(jsonb_agg(distinct run.engine_version), '[]') from public.runs run
      where run.tenant_id = period.tenant_id and run.reconciliation_id = period.id
        and run.engine_version is not null
    ),
    'audit', case when closed_seq is not null then jsonb_build_object(
      'from', closed_seq,
      'through', (
        select max((checkpoint ->> 'seq')::bigint)
        from jsonb_array_elements(chain -> 'checkpoints') checkpoint
        where checkpoint ->> 'kind' = 'head'
      ),
      'checkpoints', chain -> 'checkpoints') end);
end $function$;
CREATE OR REPLACE FUNCTION private.reopened_rows(reconciliation text, numbered integer, kind text, place integer)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select reopened_item.rows from private.reopened_items reopened_item
    where reopened_item.tenant_id = private.tenant_id()
      and reopened_item.reconciliation_id = reconciliation
      and reopened_item.number = numbered and reopened_item.kind = reopened_rows.kind
      and reopened_item.seq = place
      and private.may('read:reconciliations')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.entry_rows(statement public.statements, after integer, page_size integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('next', max(batch.place)::text,
      'rows', coalesce(jsonb_agg(private.entry_row(batch) order by batch.place), '[]'))
    from (
      select entry.* from public.entry_batches batch
      join public.entries entry on entry.tenant_id = batch.tenant_id and entry.batch_id = batch.id
      where batch.tenant_id = statement.tenant_id
        and batch.reconciliation_id = statement.reconciliation_id
        and batch.statement_number = statement.number and entry.place > after
      order by entry.place limit page_size
    ) batch
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_statement_bundle(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  numbered constant integer := (input ->> 'number')::integer;
  place integer;
  signed public.statements;
  contents jsonb;
  next_key text;
begin
  perform private.begin_request(request || '{"continues": true}', 'list_statement_bundle');
  select * into signed from public.statements
  where statements.tenant_id = tenant and statements.reconciliation_id = input ->> 'id'
    and statements.number = numbered;
  if not found then
    perform private.refuse_missing('statement');
  elsif input ->> 'kind' = 'evidence' then
    return jsonb_build_object('next', null, 'rows', (
      select coalesce(jsonb_agg(evidence.content order by evidence.evidence_id), '[]')
      from public.statement_evidence evidence
      where evidence.tenant_id = tenant and evidence.reconciliation_id = signed.reconciliation_id
        and evidence.number = numbered
    ));
  elsif input ->> 'kind' = 'entries' then
    return private.entry_rows(signed, coalesce((input ->> 'after')::integer, 0),
      (input ->> 'limit')::integer);
  elsif signed.reopened_at is not null then
    place := coalesce((input ->> 'after')::integer + 1, 0);
    contents := to_jsonb(
      private.reopened_rows(signed.reconciliation_id, numbered, input ->> 'kind', place));
    return jsonb_build_object('rows', coalesce(contents, '[]'),
      'next', case when contents is not null then place::text end);
  end if;
  select jsonb_agg(item.content order by item.place),
    (array_agg(item.key order by item.place desc))[1]
  into contents, next_key
  from (
    select item.*, row_number() over () as place
    from private.signed_rows(tenant, signed.reconciliation_id,
      input ->> 'kind', input ->> 'after',
      (input ->> 'limit')::integer) item
  ) item;
  return jsonb_build_object('rows', coalesce(contents, '[]'), 'next', next_key);
end $function$;
CREATE OR REPLACE FUNCTION private.business_day_after(tenant text, calendar text, day date, days integer)
 RETURNS date
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  open_days constant jsonb := private.open_days(tenant, calendar) -> 'open_days';
begin
  if days = 0 then
    return day;
  end if;
  return (
    select later_day::date
    from generate_series(day + 1, day + 731, interval '1 day') later_day
    where private.is_business_day(open_days, later_day::date)
    order by later_day offset days - 1 limit 1
  );
end $function$;
CREATE OR REPLACE FUNCTION private.board_sums(period public.reconciliations)
 RETURNS TABLE(side text, currency text, line_count bigint, minor numeric, oldest date)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if period.closed_at is null then
    return query
    select open_line.side, open_line.currency, count(*), sum(open_line.open_minor),
      min(open_line.value_date)
    from private.open_lines open_line
    where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
      and open_line.value_date <= period.period_end
    group by open_line.side, open_line.currency;
  else
    return query
    select carried_line.side, carried_line.currency, count(*), sum(carried_line.open_minor),
      min(carried_line.value_date)
    from public.carried_lines carried_line
    where carried_line.tenant_id = period.tenant_id and carried_line.reconciliation_id = period.id
    group by carried_line.side, carried_line.currency;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.board_period_json(period public.reconciliations, is_preparing boolean, due_day date, today date)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object(
      'reconciliation_id', period.id, 'name', period.name, 'period_start', period.period_start,
      'period_end', period.period_end, 'state', summed.state, 'prepared_by', signed.prepared_by,
      'reviewed_by', coalesce(signed.reviewed_by, '[]'), 'closed_by', period.closed_by,
      'due_day', due_day,
      'overdue', summed.state not in ('closed', 'archived') and coalesce(due_day < today, false),
      'open_lines', coalesce(side_sums.line_count, 0), 'open_money', coalesce(side_sums.sums, '[]'),
      'oldest_days', period.period_end - side_sums.oldest)
    from (
      select min(signature.signed_by) filter (where signature.kind = 'prepared') as prepared_by,
        jsonb_agg(signature.signed_by
          order by signature.level) filter (where signature.kind = 'reviewed') as reviewed_by,
        count(*) filter (where signature.kind = 'reviewed') as reviews
      from public.period_signatures signature
      where signature.tenant_id = period.tenant_id and signature.pair_no = period.pair_no
        and signature.reconciliation_id = period.id
        and signature.revoked_at is null
    ) signed
    cross join lateral (
      select case when period.status = 'archived' then 'archived'
        when period.closed_at is not null then 'closed'
        when is_preparing then 'preparing'
        when signed.prepared_by is null then 'open'
        when signed.reviews > 0 and signed.reviews >= private.review_levels(period) then 'reviewed'
        else 'prepared' end as state
    ) summed
    cross join lateral (
      select sum(sums.line_count) as line_count, min(sums.oldest) as oldest,
        jsonb_agg(jsonb_build_object('currency', sums.currency, 'side', sums.side,
          'open_minor', private.exact_sum(sums.minor)) order by sums.currency, sums.side) as sums
      from private.board_sums(period) sums
    ) side_sums
  );
end $function$;
CREATE OR REPLACE FUNCTION public.get_closing_board(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'get_closing_board');
  with shown as materialized (
    select pair.pair_no, pair.opening is not null as is_preparing, left_side.id as left_id,
      left_side.name as left_name, right_side.id as right_id,
      right_side.name as right_name,
      private.default_policy() || coalesce(pair_rules.policy, '{}') as policy,
      least((now() at time zone left_side.time_zone)::date,
        (now() at time zone right_side.time_zone)::date) as today
    from public.pairs pair
    join public.sources left_side on left_side.tenant_id = tenant
      and left_side.source_no = pair.left_source_no
    join public.sources right_side on right_side.tenant_id = tenant
      and right_side.source_no = pair.right_source_no
    left join public.pair_rules on pair_rules.tenant_id = tenant
      and pair_rules.pair_no = pair.pair_no and pair_rules.version = pair.rules_version
    where pair.tenant_id = tenant and (input -> 'after' ->> 0 is null
      or (left_side.id, right_side.id) > (input -> 'after' ->> 0, input -> 'after' ->> 1))
    order by left_side.id, right_side.id limit page_size + 1
  ), periods as materialized (
    select period, pair.is_preparing, pair.today, pair.policy ->> 'calendar_id' as calendar_id,
      (pair.policy ->> 'close_days')::integer as close_days
    from shown pair join public.reconciliations period on period.tenant_id = tenant
      and period.pair_no = pair.pair_no
      and period.period_end between (input ->> 'from')::date and (input ->> 'to')::date
  ), due_days as materialized (
    select due.calendar_id, due.close_days, due.period_end,
      private.business_day_after(tenant, due.calendar_id, due.period_end, due.close_days) as due_day
    from (select distinct dated.calendar_id, dated.close_days,
      (dated.period).period_end from periods dated) due
  ), cells as materialized (
    select (dated.period).pair_no, jsonb_agg(
      private.board_period_json(dated.period, dated.is_preparing, due.due_day, dated.today)
      order by (dated.period).period_start) as periods
    from periods dated join due_days due on due.calendar_id is not distinct from dated.calendar_id
      and due.close_days = dated.close_days and due.period_end = (dated.period).period_end
    group by (dated.period).pair_no
  )
  select jsonb_agg(jsonb_build_object(
    'left_source_id', pair.left_id, 'left_source', pair.left_name,
    'right_source_id', pair.right_id, 'right_source', pair.right_name,
    'periods', coalesce(cell.periods, '[]')
  ) order by pair.left_id, pair.right_id) into items
  from shown pair left join cells cell on cell.pair_no = pair.pair_no;
  return private.page(items, page_size, 'left_source_id', 'right_source_id');
end $function$;
CREATE OR REPLACE FUNCTION public.list_newest_periods(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  pairs constant jsonb := nullif(input -> 'pairs', 'null');
begin
  perform private.begin_request(request, 'list_newest_periods');
  return (
    select coalesce(jsonb_agg(jsonb_build_object('reconciliation_id', newest.id,
      'name', newest.name,
      'period_start', newest.period_start, 'period_end', newest.period_end, 'status', newest.status,
      'left_source_id', newest.left_source_id, 'left_source', newest.left_source,
      'right_source_id', newest.right_source_id, 'right_source', newest.right_source
    ) order by newest.left_source_id, newest.right_source_id), '[]')
    from public.pairs pair
    cross join lateral (
      select * from public.reconciliations period
      where period.tenant_id = tenant and period.pair_no = pair.pair_no
      order by period.period_end desc
      limit 1
    ) newest
    where pair.tenant_id = tenant and (pairs is null or pairs @> jsonb_build_array(
      jsonb_build_object('left_source_id', newest.left_source_id,
        'right_source_id', newest.right_source_id)))
  );
end $function$;
CREATE OR REPLACE FUNCTION public.open_next_periods(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'open_next_periods');
  tenant constant text := private.tenant_id();
  next record;
  created jsonb := '[]';
begin
  if replayed is not null then
    return replayed;
  end if;
  for next in
    select period.pair_no, requested.period,
      jsonb_build_object('left_source_id', period.left_source_id,
      'right_source_id', period.right_source_id, 'left_source', period.left_source,
      'right_source', period.right_source, 'auto_run', period.auto_run) as pair
    from jsonb_array_elements(input -> 'periods') with ordinality requested (period, place)
    join public.reconciliations period on period.tenant_id = tenant
      and period.id = requested.period ->> 'follows'
    -- Two calls lock the pairs in the same order.
    order by period.pair_no, requested.place
  loop
    perform private.lock_pair(tenant, next.pair_no);
    continue when exists (
      select from public.reconciliations period
      where period.tenant_id = tenant and period.pair_no = next.pair_no
        and period.period_end >= (next.period ->> 'period_start')::date
    );
    created := created || jsonb_build_array(next.period || jsonb_build_object('reconciliation_id',
      (private.create_reconciliation(next.pair || next.period)).id));
  end loop;
  return private.finish_request(request, jsonb_build_object('items', created, 'skipped',
    input -> 'skipped', 'dry_run', false));
end $function$;
CREATE OR REPLACE FUNCTION private.zone_offsets(zone text, since timestamp with time zone, until timestamp with time zone)
 RETURNS TABLE(starts_at timestamp with time zone, ends_at timestamp with time zone, utc_offset interval)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  reached timestamptz := since;
  next_known timestamptz;
  low timestamptz;
  high timestamptz;
  middle timestamptz;
  next_offset interval;
begin
  starts_at := since;
  utc_offset := private.utc_offset(zone, since);
  while reached < until loop
    next_known := least(reached + interval '24 hours', until);
    next_offset := (next_known at time zone zone) - (next_known at time zone 'UTC');
    if next_offset <> utc_offset then
      low := reached;
      high := next_known;
      while high - low > interval '1 second' loop
        middle := low + date_trunc('second', (high - low) / 2);
        if private.utc_offset(zone, middle) = utc_offset then
          low := middle;
        else
          high := middle;
        end if;
      end loop;
      ends_at := high;
      return next;
      starts_at := high;
      utc_offset := next_offset;
    end if;
    reached := next_known;
  end loop;
  if starts_at < until then
    ends_at := until;
    return next;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.open_spans(zone text, weekly jsonb, special_days jsonb, since timestamp with time zone, until timestamp with time zone)
 RETURNS TABLE(starts_at timestamp with time zone, ends_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with days as materialized (
    select reach.first_day + day_number as day
    from (select (since at time zone zone)::date - 2 as first_day,
      (until at time zone zone)::date + 1 as last_day) reach
    cross join lateral generate_series(0, reach.last_day - reach.first_day) day_number
  ), special as materialized (
    select (special_day ->> 'date')::date as day, special_day -> 'intervals' as intervals
    from jsonb_array_elements(special_days) special_day
  ), intervals as (
    select days.day, hours as hours from days join jsonb_array_elements(weekly) hours
      on hours ->> 'day' = (
        '{monday,tuesday,wednesday,thursday,friday,saturday,sunday}'::text[])[extract(
          isodow from days.day)]
    where days.day not in (select special_day.day from special special_day)
    union all
    select special_day.day, opening
    from days
    join special special_day on special_day.day = days.day
    cross join lateral jsonb_array_elements(special_day.intervals) opening
  ), local_spans as (
    select opening.day + times.opens as opens_at,
      opening.day + times.closes
        + case when times.closes <= times.opens then interval '24 hours'
          else interval '0' end as closes_at
    from intervals opening
      cross join lateral (select (opening.hours ->> 'from')::interval as opens,
        (opening.hours ->> 'to')::interval as closes) times
  ), moments as (
    select greatest((local_spans.opens_at - zone_offset.utc_offset) at time zone 'UTC',
      zone_offset.starts_at) as opens_at,
      least((local_spans.closes_at - zone_offset.utc_offset) at time zone 'UTC',
        zone_offset.ends_at) as closes_at
    from local_spans join private.zone_offsets(zone, since, until) zone_offset
      on local_spans.opens_at - zone_offset.utc_offset < zone_offset.ends_at at time zone 'UTC'
        and local_spans.closes_at - zone_offset.utc_offset
          > zone_offset.starts_at at time zone 'UTC'
  )
  select lower(span_range), upper(span_range)
  from unnest(
    (select range_agg(tstzrange(moments.opens_at, moments.closes_at)) from moments
      where moments.opens_at < moments.closes_at)) span_range order by 1;
end $function$;
CREATE OR REPLACE FUNCTION private.zone_print(zone text, since timestamp with time zone, until timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select md5(
      string_agg(extract(epoch from zone_offset.starts_at) || ' '
        || extract(epoch from zone_offset.utc_offset), ',' order by zone_offset.starts_at))
    from private.zone_offsets(zone, since, until) zone_offset
  );
end $function$;
CREATE OR REPLACE FUNCTION private.span_ms(tenant text, calendar_number bigint, since timestamp with time zone, until timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(sum(extract(epoch from span.ends_at - span.starts_at) * 1000), 0)::bigint
    from private.calendar_spans span
    where span.tenant_id = tenant and span.calendar_no = calendar_number
      and span.starts_at >= since and span.starts_at < until
  );
end $function$;
CREATE OR REPLACE FUNCTION private.extend_business_time(tenant text, calendar_number bigint, since timestamp with time zone, until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  covered private.calendar_coverage;
  calendar public.calendar_versions;
  earliest timestamptz;
  latest timestamptz;
  is_stale boolean;
begin
  select * into covered from private.calendar_coverage coverage
  where coverage.tenant_id = tenant and coverage.calendar_no = calendar_number for update;
  select * into calendar from public.calendar_versions calendar_version
  where calendar_version.tenant_id = tenant and calendar_version.calendar_no = calendar_number;
  is_stale := covered.covered_from < covered.covered_until
    and covered.zone_print <> private.zone_print(calendar.time_zone, covered.covered_from,
      covered.covered_until);
  earliest := least(covered.covered_from, date_trunc('hour', since));
  latest := greatest(covered.covered_until, date_trunc('hour', until) + interval '1 hour');
  if latest > covered.covered_until then
    insert into private.calendar_spans (tenant_id, calendar_no, starts_at, ends_at, open_before)
    select tenant, calendar_number, span.starts_at, span.ends_at,
      covered.open_until + coalesce(sum(length.open) over (order by span.starts_at
        rows between unbounded preceding and 1 preceding), 0)
    from private.open_spans(calendar.time_zone, calendar.weekly, calendar.special_days,
      covered.covered_until, latest) span cross join lateral (
      select (extract(epoch from span.ends_at - span.starts_at) * 1000)::bigint as open) length;
    covered.open_until := covered.open_until
      + private.span_ms(tenant, calendar_number, covered.covered_until, 'infinity');
  end if;
  if earliest < covered.covered_from then
    insert into private.calendar_spans (tenant_id, calendar_no, starts_at, ends_at, open_before)
    select tenant, calendar_number, span.starts_at, span.ends_at,
      covered.open_from - sum(length.open) over (order by span.starts_at desc)
    from private.open_spans(calendar.time_zone, calendar.weekly, calendar.special_days, earliest,
      covered.covered_from) span
    cross join lateral (
      select (extract(epoch from span.ends_at - span.starts_at) * 1000)::bigint as open) length;
    covered.open_from := covered.open_from
      - private.span_ms(tenant, calendar_number, '-infinity', covered.covered_from);
  end if;
  -- Spans computed with other time zone data stay marked until the worker rebuilds them.
  update private.calendar_coverage coverage
  set covered_from = earliest, covered_until = latest, open_from = covered.open_from,
    open_until = covered.open_until, zone_print = case when is_stale then covered.zone_print
      else private.zone_print(calendar.time_zone, earliest, latest) end,
    zone_checked_at = case when is_stale then '-infinity' else coverage.zone_checked_at end
  where coverage.tenant_id = tenant and coverage.calendar_no = calendar_number;
end $function$;
CREATE OR REPLACE FUNCTION private.open_ms(tenant text, calendar_number bigint, moment timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  covered private.calendar_coverage;
  calendar public.calendar_versions;
  open bigint;
begin
  select * into covered
  from private.calendar_coverage coverage
  where coverage.tenant_id = tenant and coverage.calendar_no = calendar_number;
  if moment between covered.covered_from and covered.covered_until then
    select span.open_before
      + (extract(epoch from least(moment, span.ends_at) - span.starts_at) * 1000)::bigint into open
    from private.calendar_spans span
    where span.tenant_id = tenant and span.calendar_no = calendar_number
      and span.starts_at <= moment order by span.starts_at desc limit 1;
    return coalesce(open, covered.open_from);
  elsif moment > greatest(now(), covered.covered_until) + private.business_time_reach()
    or moment < least(now(), covered.covered_from) - private.business_time_reach() then
    return null;
  end if;
  select * into calendar from public.calendar_versions calendar_version
  where calendar_version.tenant_id = tenant and calendar_version.calendar_no = calendar_number;
  select coalesce(sum(extract(epoch from least(span.ends_at, greatest(moment, covered.covered_from))
    - greatest(span.starts_at, least(moment, covered.covered_until))) * 1000), 0)::bigint into open
  from private.open_spans(calendar.time_zone, calendar.weekly, calendar.special_days,
    case when moment > covered.covered_until then covered.covered_until
      else date_trunc('hour', moment) end,
    case when moment > covered.covered_until then date_trunc('hour', moment) + interval '1 hour'
      else covered.covered_from end) span
  where case when moment > covered.covered_until then span.starts_at < moment
    else span.ends_at > moment
    end;
  return case when moment > covered.covered_until then covered.open_until + open
    else covered.open_from - open end;
end $function$;
CREATE OR REPLACE FUNCTION private.moment_at(tenant text, calendar_number bigint, open_ms bigint)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  covered private.calendar_coverage;
  found_at timestamptz;
begin
  loop
    select * into covered
    from private.calendar_coverage coverage
    where coverage.tenant_id = tenant and coverage.calendar_no = calendar_number;
    if open_ms > covered.open_until then
      if covered.covered_until > now() + private.business_time_reach() then
        return null;
      end if;
      perform private.extend_business_time(tenant, calendar_number, covered.covered_from,
        covered.covered_until + interval '8784 hours');
    elsif open_ms <= covered.open_from then
      if covered.covered_from < now() - private.business_time_reach() then
        return null;
      end if;
      perform private.extend_business_time(tenant, calendar_number,
        covered.covered_from - interval '8784 hours', covered.covered_until);
    else
      select span.starts_at
        + (moment_at.open_ms - span.open_before) * interval '1 millisecond' into found_at
      from private.calendar_spans span
      where span.tenant_id = tenant and span.calendar_no = calendar_number
        and span.open_before < moment_at.open_ms order by span.open_before desc limit 1;
      return found_at;
    end if;
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.open_days(tenant text, calendar text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('calendar_id', calendar_version.calendar_id,
      'calendar_version', calendar_version.version, 'open_days', jsonb_build_object(
      'weekdays', (
        select jsonb_agg(
          distinct array_position(
            '{monday,tuesday,wednesday,thursday,friday,saturday,sunday}'::text[], hours ->> 'day'))
        from jsonb_array_elements(calendar_version.weekly) hours
      ), 'opened', coalesce(special.opened, '[]'), 'closed', coalesce(special.closed, '[]')))
    from public.calendars
      join public.calendar_versions calendar_version
        on calendar_version.tenant_id = calendars.tenant_id
        and calendar_version.calendar_id = calendars.id
        and calendar_version.version = calendars.version
    cross join lateral (
      select jsonb_agg(dated.day order by dated.day) filter (where dated.opens) as opened,
        jsonb_agg(dated.day order by dated.day) filter (where not dated.opens) as closed
      from (
        select (special_day ->> 'date')::date - date '1970-01-01' as day,
          jsonb_array_length(special_day -> 'intervals') > 0 as opens
        from jsonb_array_elements(calendar_version.special_days) special_day
      ) dated
    ) special where calendars.tenant_id = tenant and calendars.id = calendar
      and tenant = coalesce(private.tenant_id(), tenant)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.business_days_between(tenant text, calendar text, after date, until date)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  open_days constant jsonb := private.open_days(tenant, calendar) -> 'open_days';
begin
  return (
    select count(*) from generate_series(after + 1, until, interval '1 day') day
    where private.is_business_day(open_days, day::date)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.extend_calendars(batch integer DEFAULT 20)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  ending record;
  extended integer := 0;
begin
  for ending in
    select coverage.tenant_id, coverage.calendar_no from private.calendar_coverage coverage
    where coverage.covered_until < now() + interval '3 years' and (
      exists (
        select from public.exceptions exception
        where exception.tenant_id = coverage.tenant_id
          and exception.calendar_no = coverage.calendar_no
          and exception.status in ('open', 'in_review')
      ) or exists (
        select
        from public.sla_policies policy, unnest(array['critical', 'high', 'medium', 'low']) level
        where policy.tenant_id = coverage.tenant_id
          and private.current_calendar_no(policy.tenant_id,
            private.policy_calendar(policy, level)) = coverage.calendar_no
      )
    ) order by coverage.covered_until limit batch for update skip locked
  loop
    perform private.extend_business_time(ending.tenant_id, ending.calendar_no, now(),
      now() + interval '3 years 1 month');
    extended := extended + 1;
  end loop;
  return extended;
end $function$;
CREATE OR REPLACE FUNCTION private.calendar_json(calendar public.calendars, version public.calendar_versions)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', calendar.id, 'name', calendar.name, 'calendar_version', calendar.version,
    'time_zone', version.time_zone,
    'weekly', version.weekly, 'special_days', version.special_days,
    'created_at', private.iso(calendar.created_at), 'created_by', calendar.created_by,
    'updated_at', private.iso(calendar.updated_at), 'updated_by', calendar.updated_by,
    'version', private.version_of(jsonb_build_array(calendar.name, calendar.version))
  );
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
  select private.calendar_json(calendar, calendar_version) into found_calendar
  from public.calendars calendar
    join public.calendar_versions calendar_version
      on calendar_version.tenant_id = calendar.tenant_id
      and calendar_version.calendar_id = calendar.id
      and calendar_version.version = calendar.version
  where calendar.tenant_id = private.tenant_id() and calendar.id = $1;
  if not found then
    perform private.refuse_missing('calendar');
  end if;
  return found_calendar;
end $function$;
CREATE OR REPLACE FUNCTION private.start_calendar_version(calendar_number bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.start_business_time(private.tenant_id(), calendar_number,
    date_trunc('hour', now()) - interval '35 days', now() + interval '3 years 1 month');
end $function$;
CREATE OR REPLACE FUNCTION public.create_calendar(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_calendar');
  created public.calendars;
  calendar_number bigint;
  answer jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.serialize_counting('calendars');
  if (select count(*) from public.calendars calendar
    where calendar.tenant_id = private.tenant_id()) >= 100 then
    perform private.refuse_conflict('quota',
      'A tenant has at most 100 calendars. Change one of them instead.');
  end if;
  insert into public.calendars (name) values (input ->> 'name') returning * into created;
  insert into public.calendar_versions (calendar_id, version, time_zone, weekly, special_days)
  values (created.id, 1, input ->> 'time_zone', input -> 'weekly', input -> 'special_days')
    returning calendar_no into calendar_number;
  perform private.start_calendar_version(calendar_number);
  answer := private.find_calendar(created.id);
  perform private.record_security_event('calendar.created', created.id, null,
    jsonb_build_object('name', created.name, 'time_zone', input ->> 'time_zone'));
  return private.finish_request(request, answer);
end $function$;
CREATE OR REPLACE FUNCTION private.recalculated_deadlines(calendar text, calendar_number bigint)
 RETURNS TABLE(id text, severity text, due_at timestamp with time zone, new_due_at timestamp with time zone)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return query
  select (open_one.exception).id, (open_one.exception).severity, open_one.due_at,
    case when (open_one.exception).due_from_policy
      then private.policy_deadline(open_one.exception, open_one.minutes, calendar_number)
      else open_one.due_at end
  from (
    select exception, coalesce(exception.held_due_at, exception.due_at) as due_at,
      private.minutes_to_resolve(policy, exception.severity) as minutes
    from public.exceptions exception join public.sla_policies policy
      on policy.tenant_id = exception.tenant_id
    where exception.tenant_id = private.tenant_id() and exception.status in ('open', 'in_review')
      and exception.calendar_id = calendar and exception.calendar_no <> calendar_number
  ) open_one;
end $function$;
CREATE OR REPLACE FUNCTION private.store_calendar(input jsonb, before jsonb, has_other_hours boolean)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  calendar_number bigint;
begin
  if has_other_hours then
    insert into public.calendar_versions (calendar_id, version, time_zone, weekly, special_days)
    values (input ->> 'id', (before ->> 'calendar_version')::integer + 1, input ->> 'time_zone',
      input -> 'weekly', input -> 'special_days')
    returning calendar_no into calendar_number;
    perform private.start_calendar_version(calendar_number);
  else
    calendar_number := private.current_calendar_no(private.tenant_id(), input ->> 'id');
  end if;
  if has_other_hours or before -> 'name' <> input -> 'name' then
    update public.calendars calendar
    set name = input ->> 'name', updated_at = now(), updated_by = private.actor(),
      version = calendar.version + case when has_other_hours then 1 else 0 end
    where calendar.tenant_id = private.tenant_id() and calendar.id = input ->> 'id';
  end if;
  return calendar_number;
end $function$;
CREATE OR REPLACE FUNCTION private.apply_calendar(id text, calendar_number bigint, to_open_ones boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  moved record;
begin
  select array_agg(deadline.id) as ids, array_agg(deadline.severity) as severities,
    array_agg(deadline.due_at) as due_ats, array_agg(deadline.new_due_at) as new_due_ats
  into moved from private.recalculated_deadlines($1, calendar_number) deadline
  where to_open_ones;
  if moved.ids is not null then
    perform private.move_deadlines(moved.ids, array_fill($1, array[cardinality(moved.ids)]),
      array_fill(calendar_number, array[cardinality(moved.ids)]), moved.new_due_ats);
  end if;
  return private.impact_of(moved.severities, moved.due_ats, moved.new_due_ats);
end $function$;
CREATE OR REPLACE FUNCTION public.put_calendar(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  hours constant jsonb := jsonb_build_object('time_zone', input -> 'time_zone',
    'weekly', input -> 'weekly', 'special_days', input -> 'special_days');
  unlisted constant text[] := '{version,updated_at,updated_by}';
  before jsonb;
  after jsonb;
  has_other_hours boolean;
  calendar_number bigint;
  impact jsonb;
  periods integer := 0;
begin
  perform private.begin_request(request, 'put_calendar');
  perform
  from public.calendars calendar
  where calendar.tenant_id = private.tenant_id() and calendar.id = input ->> 'id' for update;
  before := private.find_calendar(input ->> 'id');
  perform private.require_version((before ->> 'version')::bigint, request -> 'versions');
  has_other_hours := (before -> 'time_zone', before -> 'weekly', before -> 'special_days')
    is distinct from (hours -> 'time_zone', hours -> 'weekly', hours -> 'special_days');
  -- This block is rolled back in a dry run.
  begin
    calendar_number := private.store_calendar(input, before, has_other_hours);
    if has_other_hours then
      periods := private.request_runs_by_calendar(input ->> 'id');
    end if;
    after := private.find_calendar(input ->> 'id');
    impact := private.apply_calendar(input ->> 'id', calendar_number,
      input ->> 'apply_to' = 'open');
    if dry_run then
      raise exception using errcode = 'TO002', message = 'dry run';
    end if;
  exception when sqlstate 'TO002' then
    null;
  end;
  if not dry_run and after - unlisted <> before - unlisted then
    perform private.record_security_event('calendar.updated', input ->> 'id', null,
      private.changes(before - unlisted, after - unlisted)
        || jsonb_build_object('apply_to', input -> 'apply_to'));
  end if;
  return after
    || jsonb_build_object('dry_run', dry_run, 'impact',
      impact || jsonb_build_object('periods', periods));
end $function$;
CREATE OR REPLACE FUNCTION public.list_calendars(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_calendars');
  select jsonb_agg(private.calendar_json(found.calendar, found.calendar_version)
    order by (found.calendar).id desc) into items
  from (
    select calendar, calendar_version from public.calendars calendar
    join public.calendar_versions calendar_version
      on calendar_version.tenant_id = calendar.tenant_id
      and calendar_version.calendar_id = calendar.id
      and calendar_version.version = calendar.version
    where calendar.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or calendar.id < input -> 'after' ->> 0)
    order by calendar.id desc
    limit page_size + 1
  ) found;
  return private.page(items, page_size, 'id');
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
  perform private.begin_request(request, 'list_calendar_versions');
  perform private.find_calendar(input ->> 'id');
  select jsonb_agg(jsonb_build_object(
    'calendar_version', calendar_version.version, 'time_zone', calendar_version.time_zone,
    'weekly', calendar_version.weekly,
    'special_day_count', jsonb_array_length(calendar_version.special_days),
    'open_exceptions', (
      select count(*) from public.exceptions exception
      where exception.tenant_id = calendar_version.tenant_id
        and exception.calendar_no = calendar_version.calendar_no
        and exception.status in ('open', 'in_review')
    ),
    'created_at', private.iso(calendar_version.created_at),
    'created_by', calendar_version.created_by
  ) order by calendar_version.version desc) into items
  from (
    select calendar_version.* from public.calendar_versions calendar_version
    where calendar_version.tenant_id = private.tenant_id()
      and calendar_version.calendar_id = input ->> 'id'
      and (input -> 'after' ->> 0 is null
      or calendar_version.version < (input -> 'after' ->> 0)::integer)
    order by calendar_version.version desc
    limit page_size + 1
  ) calendar_version;
  return private.page(items, page_size, 'calendar_version');
end $function$;
CREATE OR REPLACE FUNCTION public.list_open_hours(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  calendar jsonb;
  since constant timestamptz := input ->> 'since';
  until constant timestamptz := input ->> 'until';
begin
  perform private.begin_request(request, 'list_open_hours');
  calendar := private.find_calendar(input ->> 'id');
  return (
    select jsonb_build_object(
      'since', private.iso(since), 'until', private.iso(until),
      'open_minutes',
      coalesce(floor(sum(extract(epoch from span.ends_at - span.starts_at)) / 60), 0)::bigint,
      'spans', coalesce(
        jsonb_agg(
          jsonb_build_object('starts_at', private.iso(span.starts_at),
            'ends_at', private.iso(span.ends_at))
          order by span.starts_at),
        '[]')
    )
    from (
      select greatest(span.starts_at, since) as starts_at, least(span.ends_at, until) as ends_at
      from private.open_spans(calendar ->> 'time_zone', calendar -> 'weekly', calendar
        -> 'special_days',
        date_trunc('hour', since), date_trunc('hour', until) + interval '1 hour') span
      where span.ends_at > since and span.starts_at < until
    ) span
  );
end $function$;
CREATE OR REPLACE FUNCTION private.minutes_to_resolve(policy public.sla_policies, severity text)
 RETURNS integer
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case severity
    when 'critical' then policy.critical_minutes when 'high' then policy.high_minutes when 'medium'
      then policy.medium_minutes
    else policy.low_minutes
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.policy_calendar(policy public.sla_policies, severity text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when policy.calendar_by_severity ? severity then policy.calendar_by_severity
    ->> severity
    else policy.calendar_id end;
end $function$;
CREATE OR REPLACE FUNCTION private.current_calendar_no(tenant text, calendar text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select calendar_version.calendar_no from public.calendars
    join public.calendar_versions calendar_version
      on calendar_version.tenant_id = calendars.tenant_id
      and calendar_version.calendar_id = calendars.id
      and calendar_version.version = calendars.version
    where calendars.tenant_id = tenant and calendars.id = calendar
      and tenant = coalesce(private.tenant_id(), tenant)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.exception_json(exception public.exceptions, as_of timestamp with time zone DEFAULT now())
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  iso constant text := 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';
  is_paused constant boolean := exception.paused_at is not null
    and coalesce(exception.paused_until > as_of, true);
  due_at constant timestamptz := case when exception.paused_at is null then exception.due_at
    else private.deadline(exception, as_of) end;
  -- Rounded up: zero or negative after the deadline (spec 2.2).
  minutes constant bigint := case
    when exception.status in ('open', 'in_review')
      then ceil(extract(epoch from due_at - as_of) / 60) end;
  item private.exception_item;
begin
  item.id := exception.id;
  item.title := exception.title;
  item.severity := exception.severity;
  item.assigned_to := exception.assigned_to;
  item.due_at := to_char(due_at at time zone 'UTC', iso);
  item.minutes_to_breach := minutes;
  item.breach_risk := case
    when is_paused then 'low'
    when minutes is null then null
    when minutes <= 0 then 'breached'
    when minutes < private.high_risk_below() then 'high'
    when minutes <= private.medium_risk_up_to() then 'medium'
    else 'low'
  end;
  item.business_minutes_remaining := case when minutes is not null
    and exception.calendar_no is not null
    then private.business_minutes_remaining(exception, as_of) end;
  item.calendar_id := exception.calendar_id;
  if is_paused then
    item.paused_at := private.iso(exception.paused_at);
    item.paused_until := private.iso(exception.paused_until);
    item.pause_reason := exception.pause_reason;
  end if;
  item.status := exception.status;
  item.reason_code := exception.reason_code;
  item.amount_minor := exception.amount_minor;
  item.currency := exception.currency;
  item.reconciliation_id := exception.reconciliation_id;
  item.line_id := 'lin_' || replace(exception.line_id::text, '-', '');
  item.suggested_match_id := 'mat_' || replace(exception.suggested_match_id::text, '-', '');
  item.details := exception.details;
  item.resolution := exception.resolution;
  item.created_at := to_char(exception.created_at at time zone 'UTC', iso);
  item.created_by := exception.created_by;
  item.updated_at := to_char(exception.updated_at at time zone 'UTC', iso);
  item.closed_at := to_char(exception.closed_at at time zone 'UTC', iso);
  return row_to_json(item);
end $function$;
CREATE OR REPLACE FUNCTION private.change_exceptions(action text, changes jsonb[])
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_nestloop TO 'on'
 SET enable_sort TO 'on'
AS $function$
declare
  max_count constant integer := 1000;
  batch jsonb[];
  exception_changes private.exception_change[];
begin
  if action <> all ('{create,edit,pause,resume,recalculate}') then
    raise exception 'There is no act % on exceptions.', action;
  end if;
  for batch in
    select array_agg(requested.change order by requested.place)
    from unnest(changes) with ordinality requested (change, place)
    group by (requested.place - 1) / max_count order by (requested.place - 1) / max_count
  loop
    exception_changes := private.resulting_exceptions(action, batch);
    perform private.write_exceptions(action, exception_changes);
    -- exceptions/sla_clock_changes.sql, exceptions/exception_counters.sql,
    -- exceptions/exception_history.sql.
    perform private.update_clocks(exception_changes);
    perform private.update_counters(exception_changes);
    perform private.record_changes(exception_changes);
    return query select (made_change.after).* from unnest(exception_changes) made_change;
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.resulting_exceptions(action text, changes jsonb[])
 RETURNS private.exception_change[]
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if action = 'create' then
    return array(
      select row(null::public.exceptions,
        private.resulting_exception(action, null, requested.change,
          tenant_policy.policy))::private.exception_change
      from unnest(changes) requested (change)
      cross join lateral (select policy from public.sla_policies policy
        where policy.tenant_id = requested.change ->> 'tenant_id' offset 0) tenant_policy
    );
  end if;
  return array(
    with held as materialized (
      select exception, requested.change from unnest(changes) requested (change)
      join public.exceptions exception on exception.tenant_id = requested.change ->> 'tenant_id'
        and exception.id = requested.change ->> 'id'
      order by exception.tenant_id, exception.id for no key update of exception
    )
    select row(held.exception, private.resulting_exception(action, held.exception, held.change,
      tenant_policy.policy))::private.exception_change
    from held
    cross join lateral (select policy from public.sla_policies policy
      where policy.tenant_id = (held.exception).tenant_id offset 0) tenant_policy
  );
end $function$;
CREATE OR REPLACE FUNCTION private.resulting_exception(action text, before public.exceptions, change jsonb, policy public.sla_policies)
 RETURNS public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  exception public.exceptions := case action when 'create' then private.new_exception(change,
    policy)
    else private.edited_exception(action, before, change) end;
  is_closed constant boolean := exception.status in ('resolved', 'dismissed');
begin
  if is_closed and exception.resolution is null then
    perform private.refuse_field('resolution', 'Required with the status resolved or dismissed.');
  elsif not is_closed and exception.resolution is not null then
    perform private.refuse_field('resolution',
      'Only allowed with the status resolved or dismissed.');
  elsif (exception.amount_minor is null) <> (exception.currency is null) then
    perform private.refuse_field('currency', 'amount_minor and currency must be sent together.');
  elsif octet_length(exception.details::text) > 24576 then
    perform private.refuse_field('details', 'Must be at most 16 kB of JSON.');
  end if;
  exception.closed_at := case when is_closed then coalesce(exception.closed_at, now()) end;
  if before.paused_at is not null then
    exception := private.with_pause_ended(action, before, exception, policy);
  end if;
  if action = 'pause' or policy.pause_rules <> '[]' then
    exception := private.with_pause_begun(action, before, exception, policy);
  end if;
  if exception.calendar_no is null then
    exception.due_open_ms := null;
  elsif action in ('create', 'recalculate') or not is_closed
    and before.status in ('resolved', 'dismissed')
    or coalesce(exception.held_due_at, exception.due_at)
      is distinct from coalesce(before.held_due_at,
      before.due_at) then
    exception.due_open_ms := private.open_ms(exception.tenant_id, exception.calendar_no,
      coalesce(exception.held_due_at, exception.due_at));
  end if;
  return exception;
end $function$;
CREATE OR REPLACE FUNCTION private.new_exception(change jsonb, policy public.sla_policies)
 RETURNS public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  exception public.exceptions := jsonb_populate_record(null::public.exceptions, change);
begin
  exception.id := coalesce(exception.id, private.new_id('exc'));
  exception.severity_rank := private.severity_rank(exception.severity);
  exception.status := coalesce(exception.status, 'open');
  exception.details := coalesce(exception.details, '{}');
  exception.created_at := coalesce(exception.created_at, date_trunc('milliseconds', now()));
  exception.created_by := coalesce(exception.created_by, private.actor());
  exception.updated_at := coalesce(exception.updated_at, date_trunc('milliseconds', now()));
  exception.paused_by_rule := false;
  exception.pause_count := 0;
  exception.paused_ms := 0;
  exception.resolved_by_matching := false;
  exception.calendar_id := private.policy_calendar(policy, exception.severity);
  if exception.calendar_id is not null then
    exception.calendar_no := private.current_calendar_no(exception.tenant_id,
      exception.calendar_id);
  end if;
  exception.due_from_policy := exception.due_at is null;
  if exception.due_from_policy then
    exception.due_at := private.policy_deadline(exception,
      private.minutes_to_resolve(policy, exception.severity),
      exception.calendar_no);
  end if;
  return exception;
end $function$;
CREATE OR REPLACE FUNCTION private.edited_exception(action text, before public.exceptions, change jsonb)
 RETURNS public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  exception public.exceptions := jsonb_populate_record(before, change);
begin
  if not private.exception_may_move(before.status, exception.status) then
    perform private.refuse('invalid_transition',
      format('An exception cannot move from %s to %s.', before.status, exception.status));
  elsif before.status in ('resolved', 'dismissed')
    and exception.status in ('open', 'in_review') then
    exception.resolution := null;
  end if;
  if exception.severity <> before.severity then
    exception.severity_rank := private.severity_rank(exception.severity);
  end if;
  -- Never before the change that this one waited for, whichever of the two began first.
  exception.updated_at := greatest(date_trunc('milliseconds', now()), before.updated_at);
  if action = 'edit' and change ? 'due_at' then
    exception.due_from_policy := false;
  elsif action = 'recalculate' and before.paused_at is not null then
    exception.held_due_at := exception.due_at;
    exception.due_at := before.due_at;
  end if;
  return exception;
end $function$;
CREATE OR REPLACE FUNCTION private.with_pause_ended(action text, before public.exceptions, exception public.exceptions, policy public.sla_policies)
 RETURNS public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  has_moved constant boolean := (exception.status, exception.reason_code)
    is distinct from (before.status,
    before.reason_code);
  previous public.exceptions := before;
  ended_at constant timestamptz(3) := case
    when before.paused_until <= exception.updated_at then before.paused_until
    when action = 'resume' or exception.status in ('resolved', 'dismissed')
      or has_moved and before.paused_by_rule
      and not private.pause_rule_holds(policy, exception.status, exception.reason_code)
        then exception.updated_at
  end;
begin
  if ended_at is null and exception.due_at <> before.due_at then
    perform private.refuse_conflict('paused',
      'The exception is paused. Resume it before you move its deadline.');
  elsif ended_at is not null then
    if exception.due_at = before.due_at then
      previous.calendar_no := exception.calendar_no;
      exception.due_at := private.deadline(previous, ended_at);
    end if;
    exception.paused_ms := before.paused_ms
      + (extract(epoch from ended_at - before.paused_at) * 1000)::bigint;
    exception.paused_at := null;
    exception.held_due_at := null;
    exception.paused_until := null;
    exception.pause_reason := null;
    exception.paused_by_rule := false;
  end if;
  return exception;
end $function$;
CREATE OR REPLACE FUNCTION private.with_pause_begun(action text, before public.exceptions, exception public.exceptions, policy public.sla_policies)
 RETURNS public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  by_rule constant boolean := action <> 'pause' and exception.paused_at is null
    and exception.status in ('open', 'in_review')
    and (exception.status, exception.reason_code) is distinct from (before.status,
      before.reason_code)
    and private.pause_rule_holds(policy, exception.status, exception.reason_code)
    and (before.status is null or before.status in ('resolved', 'dismissed')
    or not private.pause_rule_holds(policy, before.status, before.reason_code));
  fault constant text := case when by_rule
    or action = 'pause' then private.pause_fault(exception, policy) end;
begin
  if action = 'pause' and fault is not null then
    perform private.refuse_conflict('cannot_pause', fault);
  elsif fault is not null or not by_rule and action <> 'pause' then
    return exception;
  end if;
  exception.paused_at := exception.updated_at;
  exception.held_due_at := exception.due_at;
  exception.due_at := 'infinity';
  exception.paused_until := least(case when not by_rule then exception.paused_until end,
    exception.paused_at + make_interval(mins => policy.pause_max_minutes));
  exception.paused_by_rule := by_rule;
  exception.pause_reason := case when by_rule then 'By a rule of the SLA policy'
    else exception.pause_reason end;
  exception.pause_count := exception.pause_count + 1;
  return exception;
end $function$;
CREATE OR REPLACE FUNCTION private.write_exceptions(action text, exception_changes private.exception_change[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform set_config('app.writes_exceptions', 'on', true);
  if action = 'create' then
    perform private.insert_exceptions(exception_changes);
  else
    perform private.update_exceptions(exception_changes);
  end if;
  perform set_config('app.writes_exceptions', '', true);
end $function$;
CREATE OR REPLACE FUNCTION private.lock_exceptions(ids text[])
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return query
  select *
  from public.exceptions exception
  where exception.tenant_id = private.tenant_id() and exception.id = any (ids)
  order by exception.id for no key update;
end $function$;
CREATE OR REPLACE FUNCTION private.change_exceptions_for_caller(action text, changes jsonb[])
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  settable constant text[] := private.exception_settable();
begin
  return query select * from private.change_exceptions(action, array(
    select jsonb_object_agg(field.key, field.value)
      || jsonb_build_object('tenant_id', private.tenant_id())
    from unnest(changes) with ordinality requested (change, place)
    cross join lateral jsonb_each(requested.change) field
    where field.key = any (settable) or field.key = 'id' and action <> 'create'
    group by requested.place order by requested.place
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.insert_exceptions(changes private.exception_change[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.exceptions (
    id, tenant_id, title, severity, assigned_to, due_at, due_from_policy, calendar_id, calendar_no,
    due_open_ms, paused_at, paused_until, pause_reason, paused_by_rule, held_due_at, pause_count,
    paused_ms, status, reason_code, amount_minor, currency, reconciliation_id, details, resolution,
    created_at, created_by, updated_at, closed_at, pair_no, line_no, line_id, suggested_match_id,
    grouped_match_id, resolved_by_matching
  )
  select
    written.id, written.tenant_id, written.title, written.severity, written.assigned_to,
    written.due_at, written.due_from_policy, written.calendar_id, written.calendar_no,
    written.due_open_ms, written.paused_at, written.paused_until, written.pause_reason,
    written.paused_by_rule, written.held_due_at, written.pause_count, written.paused_ms,
    written.status, written.reason_code, written.amount_minor, written.currency,
    written.reconciliation_id, written.details, written.resolution, written.created_at,
    written.created_by, written.updated_at, written.closed_at, written.pair_no, written.line_no,
    written.line_id, written.suggested_match_id, written.grouped_match_id,
    written.resolved_by_matching
  from (select (change.after).* from unnest(changes) change) written;
end $function$;
CREATE OR REPLACE FUNCTION private.update_exceptions(changes private.exception_change[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.exceptions exception
  set
    title = written.title, severity = written.severity, assigned_to = written.assigned_to,
    due_at = written.due_at, due_from_policy = written.due_from_policy,
    calendar_id = written.calendar_id, calendar_no = written.calendar_no,
    due_open_ms = written.due_open_ms, paused_at = written.paused_at,
    paused_until = written.paused_until, pause_reason = written.pause_reason,
    paused_by_rule = written.paused_by_rule, held_due_at = written.held_due_at,
    pause_count = written.pause_count, paused_ms = written.paused_ms, status = written.status,
    reason_code = written.reason_code, amount_minor = written.amount_minor,
    currency = written.currency, reconciliation_id = written.reconciliation_id,
    details = written.details, resolution = written.resolution, updated_at = written.updated_at,
    closed_at = written.closed_at, pair_no = written.pair_no, line_no = written.line_no,
    line_id = written.line_id, suggested_match_id = written.suggested_match_id,
    grouped_match_id = written.grouped_match_id, resolved_by_matching = written.resolved_by_matching
  from (select (change.after).* from unnest(changes) change) written
  where exception.tenant_id = written.tenant_id and exception.id = written.id;
end $function$;
CREATE OR REPLACE FUNCTION private.deadline(exception public.exceptions, as_of timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  -- A pause whose end the worker has not processed yet ended when it should have.
  resumed_at constant timestamptz := greatest(exception.paused_at,
    least(as_of, coalesce(exception.paused_until, as_of)));
begin
  if exception.paused_at is null
    or exception.tenant_id <> coalesce(private.tenant_id(), exception.tenant_id) then
    return exception.due_at;
  elsif exception.calendar_no is null or exception.due_open_ms is null then
    return exception.held_due_at + (resumed_at - exception.paused_at);
  end if;
  return greatest(exception.held_due_at,
    private.moment_at(exception.tenant_id, exception.calendar_no, exception.due_open_ms
    + private.open_ms(exception.tenant_id, exception.calendar_no, resumed_at)
      - private.open_ms(exception.tenant_id, exception.calendar_no, exception.paused_at)));
end $function$;
CREATE OR REPLACE FUNCTION private.business_minutes_remaining(exception public.exceptions, as_of timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  cache_key constant text := concat_ws(' ', exception.tenant_id, exception.calendar_no,
    extract(epoch from as_of), '');
  cached text := current_setting('app.open_ms', true);
begin
  if exception.tenant_id <> coalesce(private.tenant_id(), exception.tenant_id) then
    return null;
  end if;
  -- A list or a batch of events asks this for many exceptions of one calendar and one moment, so
  -- B(as_of) is cached within the transaction.
  if exception.paused_at is null and exception.due_open_ms is not null then
    if not starts_with(coalesce(cached, ''), cache_key) then
      cached := set_config('app.open_ms',
        cache_key || coalesce(private.open_ms(exception.tenant_id, exception.calendar_no,
          as_of)::text,
          ''), true);
    end if;
    return ceil(
      (exception.due_open_ms - nullif(substr(cached, length(cache_key) + 1),
        '')::bigint) / 60000.0)::bigint;
  end if;
  return ceil((
    case
      when exception.paused_until <= as_of then private.open_ms(exception.tenant_id,
        exception.calendar_no,
        private.deadline(exception, as_of))
      else exception.due_open_ms end
    - private.open_ms(exception.tenant_id, exception.calendar_no,
      case when coalesce(exception.paused_until > as_of, true) then coalesce(exception.paused_at,
        as_of) else as_of
        end)
  ) / 60000.0)::bigint;
end $function$;
CREATE OR REPLACE FUNCTION private.policy_deadline(exception public.exceptions, minutes integer, calendar_number bigint)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  paused bigint := 0;
begin
  if calendar_number is null then
    return exception.created_at + make_interval(mins => minutes)
      + exception.paused_ms * interval '1 millisecond';
  end if;
  if exception.pause_count > 0 then
    select coalesce(
      sum(private.open_ms(exception.tenant_id, calendar_number, ledger_entry.resumed_at)
        - private.open_ms(exception.tenant_id, calendar_number, ledger_entry.at)),
      0) into paused
    from (
      select ledger_entry.kind, ledger_entry.at,
        lead(ledger_entry.at) over (order by ledger_entry.id) as resumed_at
      from public.exception_ledger ledger_entry
      where ledger_entry.tenant_id = exception.tenant_id
        and ledger_entry.exception_id = exception.id and ledger_entry.kind in ('paused', 'resumed')
    ) ledger_entry
    where ledger_entry.kind = 'paused' and ledger_entry.resumed_at is not null;
  end if;
  return private.moment_at(exception.tenant_id, calendar_number,
    private.open_ms(exception.tenant_id, calendar_number, exception.created_at)
      + minutes * 60000::bigint
      + paused);
end $function$;
CREATE OR REPLACE FUNCTION private.first_deadline(calendar_number bigint, minutes integer)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.moment_at(private.tenant_id(), calendar_number,
    private.open_ms(private.tenant_id(), calendar_number, now()) + minutes * 60000::bigint);
end $function$;
CREATE OR REPLACE FUNCTION private.pause_fault(exception public.exceptions, policy public.sla_policies)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case
    when exception.status not in ('open', 'in_review')
      then 'It is closed, and its clock has stopped. Reopen it first.'
    when exception.paused_at is not null and coalesce(exception.paused_until > now(), true)
      then 'It is paused already. Resume it first.'
    when private.deadline(exception, now()) <= now() then
      'Its deadline has passed: there is no time left to hold. Move the deadline first.'
    when exception.pause_count >= policy.pause_max_count then
      format(
        'The SLA policy allows %s pauses of an exception, and it has had them. Resolve it, or move its deadline.',
        policy.pause_max_count)
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.pause_rule_holds(policy public.sla_policies, status text, reason_code text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from jsonb_array_elements(policy.pause_rules) reason
    where coalesce(reason ->> 'status' = pause_rule_holds.status, reason ->> 'status' is null)
      and coalesce(reason ->> 'reason_code' = pause_rule_holds.reason_code,
        reason ->> 'reason_code' is null)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.exception_facts(exception public.exceptions)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (to_jsonb(exception)
    - '{id,tenant_id,created_at,created_by,updated_at,closed_at,severity_rank,due_from_policy,calendar_no,due_open_ms,paused_by_rule,held_due_at,pause_count,paused_ms,pair_no,line_no,line_id,suggested_match_id,grouped_match_id,resolved_by_matching}'::text[])
    || jsonb_build_object('due_at', private.iso(coalesce(exception.held_due_at, exception.due_at)),
      'paused_at', private.iso(exception.paused_at),
      'paused_until', private.iso(exception.paused_until));
end $function$;
CREATE OR REPLACE FUNCTION private.record_changes(exception_changes private.exception_change[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  with change as materialized (
    select change.after, 'created' as kind, private.exception_facts(change.after) as changes
    from unnest(exception_changes) change
    where (change.before).id is null
    union all
    select change.after, 'updated', compared.changes
    from unnest(exception_changes) change
    cross join lateral (
      select private.changes(private.exception_facts(change.before),
        private.exception_facts(change.after)) as changes offset 0) compared
    where (change.before).id is not null and compared.changes is not null
  ), recorded as (
    insert into public.exception_history (tenant_id, exception_id, kind, changes)
    select (changed_field.after).tenant_id, (changed_field.after).id, changed_field.kind,
      changed_field.changes from change changed_field
  )
  insert into public.events (tenant_id, type, data)
  select (change.after).tenant_id, recorded_type.type,
    jsonb_build_object('exception', private.exception_json(change.after))
      || case when recorded_type.type = 'exception.created' then '{}'
        when change.kind = 'created' then jsonb_build_object('changes',
          private.changes('{}',
            jsonb_build_object('paused_at', change.changes -> 'paused_at',
              'pause_reason', change.changes -> 'pause_reason')))
        else jsonb_build_object('changes', change.changes) end
  from change
  cross join lateral (values
    (1, case
      when change.kind = 'created' then 'exception.created'
      when change.changes #>> '{status,to}' in ('resolved', 'dismissed') then 'exception.resolved'
      when change.changes ? 'paused_at'
      and change.changes - '{paused_at,paused_until,pause_reason,due_at}'::text[] = '{}' then null
      else 'exception.updated'
    end),
    (2, case
      when change.kind = 'created' then case
      when change.changes ->> 'paused_at' is not null then 'exception.paused' end
      when change.changes #>> '{paused_at,to}' is not null then 'exception.paused'
      when change.changes ? 'paused_at' then 'exception.resumed'
    end)
  ) recorded_type (place, type)
  where recorded_type.type is not null
  order by recorded_type.place;
end $function$;
CREATE OR REPLACE FUNCTION public.list_exception_history(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  exception public.exceptions;
  items jsonb;
begin
  perform private.begin_request(request, 'list_exception_history');
  exception := private.find_exception(input ->> 'id');
  -- The id is for the cursor; the contract leaves it out.
  select jsonb_agg(jsonb_build_object(
    'id', change.id, 'at', private.iso(change.at), 'actor', change.actor,
    'actor_issuer', change.actor_issuer,
    'actor_subject', change.actor_subject,
    'request_id', change.request_id, 'kind', change.kind,
    'changes',
    case change.kind when 'created' then coalesce(private.changes('{}', change.changes), '{}')
      else change.changes
      end
  ) order by change.id desc) into items
  from (
    select * from public.exception_history change
    where change.tenant_id = exception.tenant_id and change.exception_id = exception.id
      and (input -> 'after' ->> 0 is null or change.id < (input -> 'after' ->> 0)::bigint)
    order by change.id desc limit page_size + 1
  ) change;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.risk_ranges(wanted text[], as_of timestamp with time zone)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  risks constant text[] := private.breach_risks();
  -- minutes_to_breach is rounded up, so whatever is below 60 has at most 59 minutes left.
  ends constant timestamptz[] := array[as_of,
    as_of + make_interval(mins => private.high_risk_below() - 1),
    as_of + make_interval(mins => private.medium_risk_up_to())];
  accepted constant text[] := case when 'at_risk' = any (wanted)
    then wanted || '{high,medium}'::text[]
    else wanted end;
  ranges text[] := '{}';
  first integer;
begin
  for i in 1 .. 4 loop
    if not risks[i] = any (accepted) then
      continue;
    end if;
    first := coalesce(first, i);
    if i = 4 or not risks[i + 1] = any (accepted) then
      ranges := ranges || coalesce(nullif(concat_ws(' and ',
        case when first > 1 then format('e.due_at > %L::timestamptz', ends[first - 1]) end,
        case when i < 4 then format('e.due_at <= %L::timestamptz', ends[i]) end), ''), 'true');
      first := null;
    end if;
  end loop;
  return ranges;
end $function$;
CREATE OR REPLACE FUNCTION private.equals_any(field text, wanted text[])
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when cardinality(wanted) = 1 then format('%s = %L', field, wanted[1])
    else format('%s = any (%L)', field, wanted) end;
end $function$;
CREATE OR REPLACE FUNCTION private.exception_condition(filter text, input jsonb, as_of timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  -- The previous release sends a single value as a string.
  wanted text[] := case jsonb_typeof(input -> filter) when 'string' then array[input ->> filter]
    else private.text_array(input -> filter) end;
begin
  if cardinality(wanted) = 0 then
    return null;
  elsif filter = 'breach_risk' then
    return '(' || array_to_string(private.risk_ranges(wanted, as_of), ' or ') || ')';
  elsif filter = 'severity' then
    return private.equals_any('e.severity_rank',
      array(select private.severity_rank(status)::text from unnest(wanted) status));
  elsif filter = 'assigned_to' then
    wanted := array_replace(wanted, 'me', private.actor());
  end if;
  return case
    when not private.facet_has_none(filter) then private.equals_any('e.' || filter, wanted)
    when wanted = '{none}' then format('e.%I is null', filter)
    when 'none' = any (wanted) then format('(e.%I is null or %s)', filter,
      private.equals_any('e.' || filter, array_remove(wanted, 'none')))
    else private.equals_any('e.' || filter, wanted)
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.had_entry_between(kinds text, starts_at timestamp with time zone, ends_at timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if starts_at is null and ends_at is null then
    return null;
  end if;
  return format(
    'e.id in (select l.exception_id from public.exception_ledger l where l.tenant_id = %L and l.at >= %L and l.at < %L and %s)',
    private.tenant_id(), coalesce(starts_at, '-infinity'), coalesce(ends_at, 'infinity'), kinds);
end $function$;
CREATE OR REPLACE FUNCTION private.bound_conditions(input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return nullif(concat_ws(' and ', 'e.amount_minor >= ' || (input ->> 'amount_from')::bigint::text,
    'e.due_at < ' || quote_literal((input ->> 'due_before')::timestamptz) || '::timestamptz',
    private.had_entry_between($q$l.kind = 'crossed' and l.threshold_minutes = 0$q$,
      (input ->> 'breached_from')::timestamptz, (input ->> 'breached_before')::timestamptz),
    private.had_entry_between($q$l.kind in ('resolved', 'dismissed')$q$,
      (input ->> 'closed_from')::timestamptz, (input ->> 'closed_before')::timestamptz)),
    '');
end $function$;
CREATE OR REPLACE FUNCTION private.exception_conditions(input jsonb, as_of timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return concat_ws(' and ', 'true', private.bound_conditions(input), (
    select string_agg(private.exception_condition(facet, input, as_of), ' and ')
    from unnest(private.exception_facets()) facet
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.sla_boundaries(tenants text[])
 RETURNS TABLE(tenant_id text, boundary integer, announced boolean)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select policy.tenant_id, listed.boundary, bool_or(listed.announced)
  from public.sla_policies policy
  cross join lateral (
    select unnest(policy.at_risk_thresholds), true
    union all
    values (private.medium_risk_up_to(), false), (0, true)
  ) listed (boundary, announced)
  where policy.tenant_id = any (tenants)
  group by 1, 2;
end $function$;
CREATE OR REPLACE FUNCTION private.place_clocks(tenants text[], ids text[], due_ats timestamp with time zone[], positions integer[] DEFAULT NULL::integer[])
 RETURNS TABLE(tenant_id text, exception_id text, due_at timestamp with time zone, old_position integer, "position" integer, next_at timestamp with time zone, nearest integer)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with boundaries as materialized (
    select * from private.sla_boundaries(array(select distinct unnest(tenants)))
  )
  select placed.tenant_id, placed.exception_id, placed.due_at, placed.old_position,
    coalesce(nearest.last_passed, private.no_boundary()),
    nullif(placed.due_at - make_interval(mins => nearest.next_boundary), 'infinity'),
    nearest.nearest
  from unnest(tenants, ids, due_ats, positions) as placed (tenant_id, exception_id, due_at,
    old_position)
  cross join lateral (
    select min(threshold.boundary) filter (where threshold.passed) as last_passed,
      max(threshold.boundary) filter (where not threshold.passed) as next_boundary,
      min(threshold.boundary) filter (where threshold.passed and threshold.announced) as nearest
    from (
      select boundaries.boundary, boundaries.announced,
        placed.due_at - make_interval(mins => boundaries.boundary) <= now() as passed
      from boundaries where boundaries.tenant_id = placed.tenant_id
    ) threshold
  ) nearest;
end $function$;
CREATE OR REPLACE FUNCTION private.count_positions(shard integer, tenants text[], positions integer[], signs integer[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.sla_counts as sla_count (tenant_id, shard, breached, at_risk, on_track)
  select delta.tenant_id, $1,
    coalesce(sum(delta.sign) filter (where delta.position <= 0), 0),
    coalesce(sum(delta.sign) filter (
      where delta.position between 1 and private.medium_risk_up_to()), 0),
    coalesce(sum(delta.sign) filter (where delta.position > private.medium_risk_up_to()), 0)
  from unnest(tenants, positions, signs) as delta (tenant_id, position, sign)
  group by 1 order by 1
  on conflict on constraint sla_counts_pkey do update set
    breached = sla_count.breached + excluded.breached,
    at_risk = sla_count.at_risk + excluded.at_risk,
    on_track = sla_count.on_track + excluded.on_track;
end $function$;
CREATE OR REPLACE FUNCTION private.advance_clocks(tenants text[], ids text[], shard integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  late record;
  moved record;
  crossed record;
begin
  select array_agg(locked.tenant_id) as tenants, array_agg(locked.exception_id) as ids,
    array_agg(locked.due_at) as due_ats, array_agg(locked.position) as positions
  into late
  from (
    select clock.* from unnest(tenants, ids) as requested (tenant_id, exception_id)
    join private.exception_clocks clock on clock.tenant_id = requested.tenant_id
      and clock.exception_id = requested.exception_id
    where clock.next_at <= now()
    order by clock.tenant_id, clock.exception_id for update of clock
  ) locked;
  if late.ids is null then
    return;
  end if;
  with fresh as (
    select * from private.place_clocks(late.tenants, late.ids, late.due_ats, late.positions)
  ), written as (
    update private.exception_clocks clock set position = placed.position, next_at = placed.next_at
    from fresh placed where clock.tenant_id = placed.tenant_id
      and clock.exception_id = placed.exception_id
  )
  select array_agg(placed.tenant_id) as tenants, array_agg(placed.exception_id) as ids,
    array_agg(placed.due_at) as due_ats,
    array_agg(placed.old_position) as old_positions, array_agg(placed.position) as new_positions
  into moved from fresh placed;
  select array_agg(move.tenant_id) as tenants, array_agg(move.exception_id) as ids,
    array_agg(threshold.boundary) as boundaries, array_agg(move.due_at) as due_ats
  into crossed
  from unnest(moved.tenants, moved.ids, moved.old_positions, moved.new_positions, moved.due_ats)
    as move (tenant_id, exception_id, old_position, new_position, due_at)
  join private.sla_boundaries(moved.tenants) threshold
    on threshold.tenant_id = move.tenant_id and threshold.announced
      and threshold.boundary < move.old_position and threshold.boundary >= move.new_position;
  if crossed.ids is not null then
    perform private.announce_crossings(crossed.tenants, crossed.ids, crossed.boundaries,
      crossed.due_ats);
  end if;
  -- Last, since workers queue only for this row.
  perform private.count_positions(shard, moved.tenants || moved.tenants,
    moved.old_positions || moved.new_positions,
    array_fill(-1, array[cardinality(moved.ids)]) || array_fill(1, array[cardinality(moved.ids)]));
end $function$;
CREATE OR REPLACE FUNCTION private.end_pauses(batch integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  ended integer;
begin
  select count(*) into ended from private.change_exceptions('resume', array(
    select jsonb_build_object('tenant_id', exception.tenant_id, 'id', exception.id)
    from public.exceptions exception
    where exception.paused_until <= now() order by exception.paused_until limit batch
      for no key update skip locked
  ));
  return ended;
end $function$;
CREATE OR REPLACE FUNCTION private.start_clocks(tenants text[], ids text[], due_ats timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  started record;
begin
  with fresh as (
    select * from private.place_clocks(tenants, ids, due_ats)
  ), written as (
    insert into private.exception_clocks (tenant_id, exception_id, due_at, position, next_at)
    select tenant_id, exception_id, due_at, position, next_at from fresh
  )
  select array_agg(fresh.tenant_id) as tenants, array_agg(fresh.position) as positions,
    array_agg(fresh.tenant_id) filter (where fresh.nearest is not null) as crossed_tenants,
    array_agg(fresh.exception_id) filter (where fresh.nearest is not null) as crossed_ids,
    array_agg(fresh.nearest) filter (where fresh.nearest is not null) as boundaries,
    array_agg(fresh.due_at) filter (where fresh.nearest is not null) as due_ats
  into started from fresh;
  perform private.count_positions(private.own_shard(), started.tenants, started.positions,
    array_fill(1, array[cardinality(started.tenants)]));
  if started.crossed_ids is not null then
    perform private.announce_crossings(started.crossed_tenants, started.crossed_ids,
      started.boundaries, started.due_ats);
  end if;
  perform private.arm_business_warnings(tenants, ids, true);
end $function$;
CREATE OR REPLACE FUNCTION private.stop_clocks(tenants text[], ids text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  stopped record;
begin
  perform private.advance_clocks(tenants, ids, private.own_shard());
  delete
  from private.business_warnings warning
  using unnest(tenants, ids) as requested (tenant_id, exception_id)
  where warning.tenant_id = requested.tenant_id and warning.exception_id = requested.exception_id;
  with removed as (
    delete
    from private.exception_clocks clock
    using unnest(tenants, ids) as requested (tenant_id, exception_id)
    where clock.tenant_id = requested.tenant_id and clock.exception_id = requested.exception_id
    returning clock.tenant_id, clock.position
  )
  select array_agg(removed.tenant_id) as tenants, array_agg(removed.position) as positions
  into stopped from removed;
  if stopped.tenants is not null then
    perform private.count_positions(private.own_shard(), stopped.tenants, stopped.positions,
      array_fill(-1, array[cardinality(stopped.tenants)]));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.move_clocks(tenants text[], ids text[], due_ats timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  moved record;
begin
  with fresh as (
    select placed.tenant_id, placed.exception_id, placed.due_at, placed.position, placed.next_at,
      clock.position as old_position,
      case when placed.nearest < coalesce(clock.held_position, clock.position)
        then placed.nearest end as crossed,
      case when placed.due_at = 'infinity' then coalesce(clock.held_position, clock.position)
        end as held_position
    from private.place_clocks(tenants, ids, due_ats) placed
    join private.exception_clocks clock on clock.tenant_id = placed.tenant_id
      and clock.exception_id = placed.exception_id
  ), written as (
    update private.exception_clocks clock
    set due_at = fresh_clock.due_at, position = fresh_clock.position, next_at = fresh_clock.next_at,
      held_position = fresh_clock.held_position
    from fresh fresh_clock where clock.tenant_id = fresh_clock.tenant_id
      and clock.exception_id = fresh_clock.exception_id
  )
  select array_agg(fresh.tenant_id) as tenants, array_agg(fresh.old_position) as old_positions,
    array_agg(fresh.position) as new_positions,
    array_agg(fresh.tenant_id) filter (where fresh.crossed is not null) as crossed_tenants,
    array_agg(fresh.exception_id) filter (where fresh.crossed is not null) as crossed_ids,
    array_agg(fresh.crossed) filter (where fresh.crossed is not null) as boundaries,
    array_agg(fresh.due_at) filter (where fresh.crossed is not null) as due_ats
  into moved from fresh;
  if moved.tenants is null then
    return;
  end if;
  perform private.count_positions(private.own_shard(), moved.tenants || moved.tenants,
    moved.old_positions || moved.new_positions,
    array_fill(-1, array[cardinality(moved.tenants)])
      || array_fill(1, array[cardinality(moved.tenants)]));
  if moved.crossed_ids is not null then
    perform private.announce_crossings(moved.crossed_tenants, moved.crossed_ids, moved.boundaries,
      moved.due_ats);
  end if;
  perform private.arm_business_warnings(tenants, ids, false);
end $function$;
CREATE OR REPLACE FUNCTION private.clock_moves(exception_changes private.exception_change[])
 RETURNS TABLE(tenant_id text, exception_id text, clock text, kinds text[], due_at timestamp with time zone, shown_due_at timestamp with time zone, calendar_no bigint, changed_at timestamp with time zone, resumed_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select new_clock.tenant_id, new_clock.id,
    case when not new_clock.is_open then 'closed' when old_clock.is_open then 'moved'
      else 'opened' end,
    case
      when old_clock.id is null then case when new_clock.paused_at is null then '{set}'::text[]
        else '{set,paused}'
      end
      when not new_clock.is_open then case when old_clock.paused_at is null
        then array[new_clock.status]
      else array['resumed', new_clock.status] end
      when not old_clock.is_open then '{reopened}'
      when new_clock.paused_at is not null and old_clock.paused_at is null then '{paused}'
      when new_clock.paused_at is null and old_clock.paused_at is not null then '{resumed}'
      when new_clock.calendar_no is distinct from old_clock.calendar_no
        or new_clock.calendar_no is not null
      and private.actor() = 'system' then '{recalculated}'
      else '{moved}'
    end,
    new_clock.due_at::timestamptz, coalesce(new_clock.held_due_at, new_clock.due_at)::timestamptz,
    new_clock.calendar_no,
    case when old_clock.id is null then date_trunc('milliseconds', now())
      else new_clock.updated_at end,
    case
      when new_clock.paused_at is null then old_clock.paused_at
        + (new_clock.paused_ms - old_clock.paused_ms) * interval '1 millisecond'
      end
  from unnest(exception_changes) change
  cross join lateral (select (change.before).*,
    (change.before).status in ('open', 'in_review') as is_open) old_clock
  cross join lateral (select (change.after).*,
    (change.after).status in ('open', 'in_review') as is_open) new_clock
  where case when old_clock.id is null then new_clock.is_open else (old_clock.is_open
    or new_clock.is_open)
    and (new_clock.due_at <> old_clock.due_at or old_clock.is_open <> new_clock.is_open
    or new_clock.held_due_at <> old_clock.held_due_at
    or new_clock.calendar_no is distinct from old_clock.calendar_no) end;
end $function$;
CREATE OR REPLACE FUNCTION private.update_clocks(exception_changes private.exception_change[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  moves record;
begin
  select
    array_agg(move.tenant_id) filter (where move.clock = 'closed') as closed_tenants,
    array_agg(move.exception_id) filter (where move.clock = 'closed') as closed_ids,
    array_agg(move.tenant_id) filter (where move.clock = 'moved') as moved_tenants,
    array_agg(move.exception_id) filter (where move.clock = 'moved') as moved_ids,
    array_agg(move.due_at) filter (where move.clock = 'moved') as moved_due_ats,
    array_agg(move.tenant_id) filter (where move.clock = 'opened') as opened_tenants,
    array_agg(move.exception_id) filter (where move.clock = 'opened') as opened_ids,
    array_agg(move.due_at) filter (where move.clock = 'opened') as opened_due_ats
  into moves from private.clock_moves(exception_changes) move;
  if moves.closed_ids is not null or moves.moved_ids is not null then
    perform
    from unnest(moves.closed_tenants || moves.moved_tenants,
      moves.closed_ids || moves.moved_ids) as requested (tenant_id, exception_id)
    join private.exception_clocks clock on clock.tenant_id = requested.tenant_id
      and clock.exception_id = requested.exception_id
    order by clock.tenant_id, clock.exception_id for update of clock;
    perform private.pass_business_warnings(moves.closed_tenants || moves.moved_tenants,
      moves.closed_ids || moves.moved_ids);
  end if;
  if moves.closed_ids is not null then
    perform private.stop_clocks(moves.closed_tenants, moves.closed_ids);
  end if;
  if moves.moved_ids is not null then
    perform private.advance_clocks(moves.moved_tenants, moves.moved_ids, private.own_shard());
  end if;
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, calendar_no)
  select move.tenant_id, move.exception_id,
    case when entry.kind = 'resumed' then move.resumed_at else move.changed_at end, entry.kind,
    move.shown_due_at, move.calendar_no
  from private.clock_moves(exception_changes) move
    cross join lateral unnest(move.kinds) with ordinality as entry (kind, place)
  order by entry.place;
  if moves.moved_ids is not null then
    perform private.move_clocks(moves.moved_tenants, moves.moved_ids, moves.moved_due_ats);
  end if;
  if moves.opened_ids is not null then
    perform private.start_clocks(moves.opened_tenants, moves.opened_ids, moves.opened_due_ats);
  end if;
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
  perform
  from private.exception_clocks clock
  where clock.tenant_id = tenant and clock.next_at is not null
  order by clock.exception_id for update;
  select array_agg(clock.tenant_id) as tenants, array_agg(clock.exception_id) as ids into late
  from private.exception_clocks clock where clock.tenant_id = tenant and clock.next_at <= now();
  if late.ids is not null then
    perform private.advance_clocks(late.tenants, late.ids, private.own_shard());
  end if;
  with boundaries as materialized (
    select boundary.boundary from private.sla_boundaries(array[tenant]) boundary
  ), fresh as (
    select armed_clock.exception_id, nearest.position,
      armed_clock.due_at - make_interval(mins => nearest.next_boundary) as next_at
    from private.exception_clocks armed_clock cross join lateral (
      select least(armed_clock.position,
        min(threshold.boundary) filter (where threshold.passed)) as position,
        max(threshold.boundary) filter (where not threshold.passed
          and threshold.boundary < armed_clock.position) as next_boundary
      from (select boundaries.boundary,
        armed_clock.due_at - make_interval(mins => boundaries.boundary) <= now() as passed
        from boundaries) threshold
    ) nearest
    where armed_clock.tenant_id = tenant and armed_clock.next_at is not null
  )
  update private.exception_clocks clock set position = fresh.position, next_at = fresh.next_at
  from fresh
  where clock.tenant_id = tenant and clock.exception_id = fresh.exception_id
    and (clock.position, clock.next_at) is distinct from (fresh.position, fresh.next_at);
end $function$;
CREATE OR REPLACE FUNCTION private.business_warning_at(exception public.exceptions, minutes integer)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  due_at constant timestamptz := coalesce(exception.held_due_at, exception.due_at);
  as_of constant timestamptz := coalesce(exception.paused_at, now());
  open_ms constant bigint := exception.due_open_ms - minutes * 60000::bigint;
  has_passed constant boolean := due_at <= as_of or case
    when exception.due_open_ms is null then due_at - make_interval(mins => minutes) <= as_of
    else open_ms <= private.open_ms(exception.tenant_id, exception.calendar_no, as_of)
  end;
begin
  return case
    when has_passed then null
    when exception.paused_at is not null then 'infinity'
    when exception.due_open_ms is null then due_at - make_interval(mins => minutes)
    else private.moment_at(exception.tenant_id, exception.calendar_no, open_ms)
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.pass_business_warnings(tenants text[], ids text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  passed record;
begin
  with taken as (
    delete
    from private.business_warnings warning
    using unnest(tenants, ids) as requested (tenant_id, exception_id)
    where warning.tenant_id = requested.tenant_id and warning.exception_id = requested.exception_id
      and warning.at <= now()
    returning warning.*
  )
  select array_agg(taken.tenant_id) as tenants, array_agg(taken.exception_id) as ids,
    array_agg(taken.minutes) as minutes, array_agg(taken.due_at) as due_ats
  into passed from taken;
  if passed.ids is not null then
    perform private.announce_business_warnings(passed.tenants, passed.ids, passed.minutes,
      passed.due_ats);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.disarm_business_warnings(tenants text[], ids text[])
 RETURNS text[]
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  armed text[];
begin
  update private.business_warnings warning set at = 'infinity'
  from unnest(tenants, ids) as requested (tenant_id, exception_id)
  join public.exceptions exception on exception.tenant_id = requested.tenant_id
    and exception.id = requested.exception_id
    and exception.paused_at is not null
  where warning.tenant_id = exception.tenant_id and warning.exception_id = exception.id;
  with taken as (
    delete
    from private.business_warnings warning
    using unnest(tenants, ids) as requested (tenant_id, exception_id)
    join public.exceptions exception on exception.tenant_id = requested.tenant_id
      and exception.id = requested.exception_id
      and exception.paused_at is null
    where warning.tenant_id = exception.tenant_id and warning.exception_id = exception.id
    returning warning.*
  )
  select array_agg(taken.exception_id || ':' || taken.minutes) into armed from taken;
  return armed;
end $function$;
CREATE OR REPLACE FUNCTION private.arm_business_warnings(tenants text[], ids text[], starts boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  armed text[];
  passed record;
begin
  if not exists (select from public.sla_policies policy
    where policy.tenant_id = any (tenants) and policy.at_risk_business_thresholds <> '{}') then
    return;
  end if;
  if not starts then
    armed := private.disarm_business_warnings(tenants, ids);
  end if;
  with placed as materialized (
    select exception.tenant_id, exception.id, exception.due_at, threshold.minutes,
      case when exception.paused_at is null
        then private.business_warning_at(exception, threshold.minutes) else 'infinity'
        end as at
    from unnest(tenants, ids) as requested (tenant_id, exception_id)
    join public.exceptions exception on exception.tenant_id = requested.tenant_id
      and exception.id = requested.exception_id and exception.status in ('open', 'in_review')
    join public.sla_policies policy on policy.tenant_id = exception.tenant_id
    cross join lateral unnest(policy.at_risk_business_thresholds) as threshold (minutes)
    where starts or exception.paused_at is null
  ), written as (
    insert into private.business_warnings (tenant_id, exception_id, minutes, at, due_at)
    select places.tenant_id, places.id, places.minutes, places.at, places.due_at from placed places
    where places.at is not null
  )
  select array_agg(nearest.tenant_id) as tenants, array_agg(nearest.id) as ids,
    array_agg(nearest.minutes) as minutes, array_agg(nearest.due_at) as due_ats
  into passed
  from (
    select places.tenant_id, places.id, places.due_at, min(places.minutes) as minutes
    from placed places
    where places.at is null and places.due_at > now()
      and (starts or places.id || ':' || places.minutes = any (armed))
    group by places.tenant_id, places.id, places.due_at
  ) nearest;
  if passed.ids is not null then
    perform private.announce_business_warnings(passed.tenants, passed.ids, passed.minutes,
      passed.due_ats);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.take_business_warnings(batch integer)
 RETURNS SETOF private.business_warnings
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
begin
  return query
  with due as (
    select warning.tenant_id, warning.exception_id, warning.minutes
    from private.business_warnings warning
    where warning.at <= now() and warning.at < 'infinity' order by warning.at limit batch
      for update skip locked
  )
  delete from private.business_warnings warning using due
  where warning.tenant_id = due.tenant_id and warning.exception_id = due.exception_id
    and warning.minutes = due.minutes
  returning warning.*;
end $function$;
CREATE OR REPLACE FUNCTION private.tick_business_warnings(batch integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  passed record;
begin
  select array_agg(warning.tenant_id) as tenants, array_agg(warning.exception_id) as ids,
    array_agg(warning.minutes) as minutes, array_agg(warning.due_at) as due_ats
  into passed from private.take_business_warnings(batch) warning;
  if passed.ids is null then
    return 0;
  end if;
  perform private.announce_business_warnings(passed.tenants, passed.ids, passed.minutes,
    passed.due_ats);
  return cardinality(passed.ids);
end $function$;
CREATE OR REPLACE FUNCTION private.find_exception(id text)
 RETURNS public.exceptions
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  exception public.exceptions;
begin
  select * into exception from public.exceptions where exceptions.tenant_id = private.tenant_id()
    and exceptions.id = $1;
  if not found then
    perform private.refuse_missing('exception');
  end if;
  return exception;
end $function$;
CREATE OR REPLACE FUNCTION private.exception_version(exception public.exceptions)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.version_of(private.exception_facts(exception) - 'calendar_id'
    || jsonb_build_object('closed_at', private.iso(exception.closed_at)));
end $function$;
CREATE OR REPLACE FUNCTION private.versioned_exception_json(exception public.exceptions)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.exception_json(exception)::jsonb
    || jsonb_build_object('version', private.exception_version(exception));
end $function$;
CREATE OR REPLACE FUNCTION private.require_reconciliation(id text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if id is not null
    and not exists (select from public.reconciliations period
      where period.tenant_id = private.tenant_id() and period.id = $1) then
    perform private.refuse_field('reconciliation_id', 'There is no such reconciliation.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.insert_exceptions(rows jsonb)
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_quota('exceptions', jsonb_array_length(rows));
  return query select * from private.change_exceptions_for_caller('create', array(
    select row.value - '{calendar_id,calendar_no,paused_until,pause_reason,resolution}'::text[]
    from jsonb_array_elements(rows) row
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.get_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  exception public.exceptions;
begin
  perform private.begin_request(request, 'get_exception');
  exception := private.find_exception(input ->> 'id');
  return private.versioned_exception_json(exception);
end $function$;
CREATE OR REPLACE FUNCTION private.has_words(search text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  condition text := 'true';
  word text;
begin
  foreach word in array regexp_split_to_array(btrim(lower(search)), '\s+') loop
    condition := condition
      || case
        when word ~ '^exc_[0-9a-f]*$' then format(' and e.id >= %L and e.id < %L', word,
          word || 'g')
      else format(' and lower(e.title || '' '' || coalesce(e.reason_code, '''')) like %L',
        (private.word_patterns(word))[1]) end;
  end loop;
  return condition;
end $function$;
CREATE OR REPLACE FUNCTION private.narrow_by_search(search text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  max_count constant integer := 5000;
  ids text[];
begin
  execute format(
    'select array(select e.id from public.exceptions e where e.tenant_id = %L and %s limit %s)',
    private.tenant_id(), private.has_words(search), max_count + 1) into ids;
  return case when cardinality(ids) <= max_count then ids end;
end $function$;
CREATE OR REPLACE FUNCTION public.list_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  by_closing constant boolean := input ->> 'sort_by' = 'closed_at';
  sort_key constant text := case when by_closing then 'e.closed_at desc, e.id desc' else 'e.id desc'
    end;
  conditions text := concat_ws(' and ', 'e.tenant_id = private.tenant_id()',
    private.exception_conditions(input, now()), private.exceptions_after(input));
  recent constant text := private.recent_conditions(input, now());
  max_count constant integer := 20000;
  found_ids text[];
  recent_ids text[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_exceptions');
  if input ->> 'q' is not null then
    found_ids := private.narrow_by_search(input ->> 'q');
    conditions := conditions || ' and '
      || case when found_ids is null then private.has_words(input ->> 'q')
        else 'e.id = any ($1)' end;
  end if;
  if recent is not null then
    -- These have their own indexes: in the order of the list, old exceptions that changed come
    -- last.
    execute format('select array(
        select e.id from public.exceptions e
        where e.tenant_id = private.tenant_id() and %s limit %s)',
      recent, max_count + 1) into recent_ids;
    recent_ids := case when cardinality(recent_ids) <= max_count then recent_ids end;
    conditions := conditions || ' and '
      || case when recent_ids is null then recent else 'e.id = any ($2)' end;
  end if;
  if input ->> 'q' is not null or recent is not null then
    -- The planner expects fewer rows than there are, and would sort them.
    perform set_config('enable_sort', (coalesce(found_ids, recent_ids) is not null)::text, true);
  end if;
  execute format($q$
    select jsonb_agg(private.exception_json(e) order by %s)
    from (select * from public.exceptions e where %s order by %s limit %s) e
  $q$, sort_key, conditions, sort_key, page_size + 1) into items using found_ids, recent_ids;
  return case when by_closing then private.page(items, page_size, 'closed_at', 'id')
    else private.page(items, page_size, 'id') end;
end $function$;
CREATE OR REPLACE FUNCTION private.last_day_of_grace(source public.sources, calendar text)
 RETURNS date
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  open_days constant jsonb := private.open_days(source.tenant_id, calendar) -> 'open_days';
  found_day date := (now() at time zone source.time_zone)::date;
  left_over integer := source.grace_days;
  number integer;
begin
  while left_over > 0 loop
    found_day := found_day - 1;
    number := found_day - date '1970-01-01';
    if open_days is null and extract(isodow from found_day) < 6
      or open_days -> 'opened' @> to_jsonb(number)
      or open_days -> 'weekdays' @> to_jsonb(extract(isodow from found_day)::integer)
      and not open_days -> 'closed' @> to_jsonb(number) then
      left_over := left_over - 1;
    end if;
  end loop;
  return found_day;
end $function$;
CREATE OR REPLACE FUNCTION private.open_past_grace(period public.reconciliations)
 RETURNS TABLE(line_no bigint, minor bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  -- The last day is computed once per side, not once per line.
  with due as materialized (
    select case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
      private.last_day_of_grace(source,
        private.policy_of_pair(period.tenant_id, period.pair_no) ->> 'calendar_id') as day
    from public.pairs pair
    join public.sources source on source.tenant_id = period.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
  )
  select open_line.line_no, abs(open_line.open_minor)
  from due grace
  join private.open_lines open_line on open_line.tenant_id = period.tenant_id
    and open_line.pair_no = period.pair_no
    and open_line.side = grace.side and open_line.value_date <= period.period_end
    and open_line.value_date < grace.day;
end $function$;
CREATE OR REPLACE FUNCTION private.open_among(period public.reconciliations, line_nos bigint[])
 RETURNS TABLE(line_no bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select open_line.line_no from private.open_lines open_line
  where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
    and open_line.line_no = any (line_nos)
  order by open_line.line_no;
end $function$;
CREATE OR REPLACE FUNCTION private.late_lines(period public.reconciliations, line_nos bigint[], value_dates date[])
 RETURNS SETOF bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with closed as materialized (
    select reconciliations.id, reconciliations.period_start, reconciliations.period_end
    from public.reconciliations
    where reconciliations.tenant_id = period.tenant_id and reconciliations.pair_no = period.pair_no
      and reconciliations.closed_at is not null
  )
  select distinct line.line_no
  from unnest(line_nos, value_dates) line (line_no, value_date)
  join closed on line.value_date between closed.period_start and closed.period_end
  where (
    select carried_line.line_no
    from public.carried_lines carried_line
    where carried_line.tenant_id = period.tenant_id and carried_line.reconciliation_id = closed.id
      and carried_line.line_no = line.line_no
  ) is null;
end $function$;
CREATE OR REPLACE FUNCTION private.adjusted_in_matches(tenant text, matches uuid[])
 RETURNS TABLE(id uuid, minor numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select match.id,
    (select sum((adjusted.adjustment ->> 'amount_minor')::bigint)
      from jsonb_array_elements(match.adjustments) adjusted (adjustment))
  from (select match.id, match.adjustments from public.matches match
    where match.tenant_id = tenant and match.id = any (matches) order by match.id) match
  where match.adjustments <> '[]';
end $function$;
CREATE OR REPLACE FUNCTION private.subjects_of_exceptions(period public.reconciliations, suggestions uuid[], line_nos bigint[])
 RETURNS TABLE(place bigint, subject jsonb)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  return query
  with requested as materialized (
    select item.place, item.suggestion, item.line_no
    from unnest(suggestions, line_nos) with ordinality item (suggestion, line_no, place)
  ), about as materialized (
    select wanted.place, member.line_no from requested wanted
    join private.members_of(period.tenant_id, suggestions) member
      on member.match_id = wanted.suggestion
    union
    select wanted.place, wanted.line_no from requested wanted where wanted.line_no is not null
  ), open_ones as materialized (
    select open_line.line_no, open_line.side, open_line.currency, open_line.open_minor,
      open_line.value_date from private.open_lines open_line
    where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
      and open_line.line_no = any (array(select about_line.line_no from about about_line))
      order by open_line.line_no
  )
  select about_line.place, jsonb_build_object('match_id', wanted.suggestion, 'currency',
    min(open_line.currency), 'difference_minor', greatest(-9007199254740991, least(9007199254740991,
      sum(case open_line.side when 'left' then open_line.open_minor else -open_line.open_minor end)
        - coalesce(adjusted.minor, 0))),
    'is_late', bool_or(late.line_no is not null), 'lines', jsonb_agg(
      jsonb_build_object('line_no', open_line.line_no, 'id', private.line_id_text(line.id), 'side',
        open_line.side, 'source', source.name, 'open_minor', open_line.open_minor,
        'value_date', open_line.value_date, 'reference', coalesce(line.reference, line.external_id,
        line.counterparty), 'is_free', taken.line_no is null)
      order by open_line.side, abs(open_line.open_minor) desc, open_line.line_no))
  from about about_line join requested wanted on wanted.place = about_line.place
  join open_ones open_line on open_line.line_no = about_line.line_no
  join (
    select * from public.lines line where line.tenant_id = period.tenant_id
      and line.line_no = any (array(select open_one.line_no from open_ones open_one))
    order by line.line_no
  ) line on line.line_no = about_line.line_no
  join public.sources source on source.tenant_id = period.tenant_id
    and source.source_no = line.source_no
  left join private.late_lines(period,
    array(select open_one.line_no from open_ones open_one order by open_one.line_no),
    array(select open_one.value_date from open_ones open_one order by open_one.line_no))
    late (line_no) on late.line_no = about_line.line_no
  left join (
    select exception_line.line_no from private.exception_lines exception_line
    where exception_line.tenant_id = period.tenant_id
      and exception_line.line_no = any (array(select open_one.line_no from open_ones open_one))
      and exception_line.pair_no = period.pair_no order by exception_line.line_no
  ) taken on taken.line_no = about_line.line_no
  left join private.adjusted_in_matches(period.tenant_id, suggestions) adjusted
    on adjusted.id = wanted.suggestion
  group by about_line.place, wanted.suggestion, adjusted.minor;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_past_grace(tenant text, reconciliation text, most integer, OUT lines jsonb, OUT held_back bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
declare
  period public.reconciliations;
begin
  select * into strict period from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation;
  with past_grace as materialized (
    select * from private.open_past_grace(period)
  ), suggested as materialized (
    select match.id, abs(match.residual_minor) as minor from public.matches match
    where match.tenant_id = tenant and match.reconciliation_id = period.id
      and match.state = 'suggested'
  ), members as materialized (
    select member.line_no, (array_agg(member.match_id order by member.match_id))[1] as match_id
    from private.members_of(tenant, array(select suggestion.id from suggested suggestion)) member
    group by member.line_no
  ), young as materialized (
    select distinct members.match_id
    from members
    join private.open_among(period, array(select member.line_no from members member)) open_line
      on open_line.line_no = members.line_no
    left join past_grace past on past.line_no = members.line_no
    where past.line_no is null
  ), overdue as materialized (
    select past.line_no, past.minor, member.match_id
    from past_grace past left join members member on member.line_no = past.line_no
    left join (
      select exception_line.line_no from private.exception_lines exception_line
      where exception_line.tenant_id = tenant
        and exception_line.line_no = any (array(select any_past.line_no from past_grace any_past))
        and exception_line.pair_no = period.pair_no order by exception_line.line_no
    ) taken on taken.line_no = past.line_no
    where taken.line_no is null
      and not exists (select from young too_young where too_young.match_id = member.match_id)
  ), subjects as materialized (
    select null::uuid as match_id, late.line_no, late.minor from overdue late
    where late.match_id is null
    union all
    select suggestion.id, min(late.line_no), suggestion.minor
    from overdue late join suggested suggestion on suggestion.id = late.match_id
    group by suggestion.id, suggestion.minor
  ), chosen as materialized (
    select * from subjects order by minor desc, line_no limit most
  )
  select coalesce(jsonb_agg(about_exception.subject order by about_exception.place), '[]'),
    (select count(*) from subjects) - (select count(*) from chosen)
  into lines, held_back
  from private.subjects_of_exceptions(period,
    array(select choice.match_id from chosen choice order by choice.minor desc, choice.line_no),
    array(select choice.line_no from chosen choice
      order by choice.minor desc, choice.line_no)) about_exception;
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_exceptions(tenant text, reconciliation text, run text, attempt integer, rows jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  opened integer;
begin
  period := private.lock_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  with wanted as materialized (
    select item.*, item.line_nos[1] as line_no from jsonb_to_recordset(rows) as item (
      match_id uuid, line_nos bigint[], title text, severity text, assigned_to text,
      reason_code text, amount_minor bigint, currency text, details jsonb)
    where item.match_id is null
      or exists (select from public.matches match
        where match.tenant_id = tenant and match.id = item.match_id and match.state = 'suggested')
  ), present as materialized (
    select exception_line.line_no from private.exception_lines exception_line
    where exception_line.tenant_id = tenant and exception_line.pair_no = period.pair_no
      and exception_line.line_no = any (array(select any_wanted.line_no from wanted any_wanted))
    order by exception_line.line_no
  ), opened_exceptions as (
    select created.id, created.line_no from private.change_exceptions('create', array(
      select jsonb_build_object('tenant_id', tenant, 'title', want.title, 'severity', want.severity,
        'assigned_to', want.assigned_to,
        'reason_code', want.reason_code, 'amount_minor', want.amount_minor,
        'currency', want.currency, 'reconciliation_id', period.id, 'details', want.details,
        'pair_no', period.pair_no, 'line_no', line.line_no, 'line_id', line.id,
        'suggested_match_id', want.match_id, 'grouped_match_id', want.match_id)
      from wanted want
      join public.lines line on line.tenant_id = tenant and line.line_no = want.line_no
      join private.open_lines open_line on open_line.tenant_id = tenant
        and open_line.pair_no = period.pair_no and open_line.line_no = line.line_no
      where want.line_no not in (select held.line_no from present held)
    )) created
  ), about as (
    insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id)
    select tenant, own_line.line_no, period.pair_no, creation.id
    from opened_exceptions creation
    join wanted want on want.line_no = creation.line_no
    cross join unnest(want.line_nos) own_line (line_no)
    on conflict do nothing
  )
  select count(*) into opened from opened_exceptions;
  return opened;
end $function$;
CREATE OR REPLACE FUNCTION private.suggestions_in(tenant text, reconciliation text)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array(select match.id from public.matches match
    where match.tenant_id = tenant and match.reconciliation_id = reconciliation
      and match.state = 'suggested');
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_exceptions_of(tenant text, reconciliation text)
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select exception.* from public.exceptions exception
  where exception.tenant_id = tenant and exception.line_no is not null
    and exception.status in ('open', 'in_review')
    and exception.pair_no = (select period.pair_no from public.reconciliations period
      where period.tenant_id = tenant and period.id = reconciliation);
end $function$;
CREATE OR REPLACE FUNCTION private.has_open_lines(exception public.exceptions)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from (
      select exception_line.line_no, exception_line.pair_no
      from private.exception_lines exception_line
      where exception_line.tenant_id = exception.tenant_id
        and exception_line.exception_id = exception.id offset 0
    ) exception_line cross join lateral (
      select
      from private.open_lines open_line
      where open_line.tenant_id = exception.tenant_id and open_line.pair_no = exception_line.pair_no
        and open_line.line_no = exception_line.line_no offset 0
    ) still_open
  );
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_of_lines(tenant text, pair integer, line_nos bigint[])
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array(
    select distinct exception_line.exception_id from private.exception_lines exception_line
    where exception_line.tenant_id = tenant and exception_line.line_no = any (line_nos)
      and exception_line.pair_no = pair);
end $function$;
CREATE OR REPLACE FUNCTION private.resolve_line_exceptions(tenant text, pair integer, line_nos bigint[], resolution text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', exception.id,
      'status', 'resolved', 'resolution',
      resolve_line_exceptions.resolution,
      'resolved_by_matching', true, 'suggested_match_id', null)
    from public.exceptions exception
    where exception.tenant_id = tenant
      and exception.id = any ((select private.exceptions_of_lines(tenant, pair, line_nos))::text[])
      and exception.status in ('open', 'in_review')
      and not private.has_open_lines(exception)
    order by exception.id for no key update
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_of_matches(tenant text, pair integer, matches uuid[])
 RETURNS TABLE(exception_id text, match_id uuid)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  return query
  with members as materialized (select member.match_id, member.line_no
  from private.members_of(tenant, matches) member)
  select exception_line.exception_id, (array_agg(members.match_id order by members.match_id))[1]
  from members join (
    select exception_line.line_no, exception_line.exception_id
    from private.exception_lines exception_line
    where exception_line.tenant_id = tenant
      and exception_line.line_no = any (array(select members.line_no from members))
      and exception_line.pair_no = pair
      order by exception_line.line_no
  ) exception_line on exception_line.line_no = members.line_no
  group by exception_line.exception_id;
end $function$;
CREATE OR REPLACE FUNCTION private.resolve_matched_exceptions(tenant text, pair integer, matches uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- Only the exceptions of these lines are read, not all that the tenant has open.
  perform private.change_exceptions('edit', array(
    with found as materialized (
      select * from private.exceptions_of_matches(tenant, pair, matches)
    )
    select jsonb_build_object('tenant_id', tenant, 'id', exception.id,
      'status', 'resolved', 'resolution',
      format('Matched by %s.', private.match_id_text(found.match_id)),
      'resolved_by_matching', true, 'suggested_match_id', null)
    from found
    join public.exceptions exception on exception.id = found.exception_id
    where exception.tenant_id = tenant
      and exception.id = any (array(select found.exception_id from found))
      and exception.status in ('open', 'in_review') and not private.has_open_lines(exception)
    order by exception.id for no key update of exception
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.move_from_closed(exception public.exceptions)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((
    select jsonb_build_object('reconciliation_id', private.next_open_period(period))
    from public.reconciliations period
    where period.tenant_id = exception.tenant_id and period.id = exception.reconciliation_id
      and period.closed_at is not null
      and private.next_open_period(period) is not null
  ), '{}');
end $function$;
CREATE OR REPLACE FUNCTION private.reopen_line_exceptions(tenant text, pair integer, line_nos bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', exception.id, 'status', 'open',
      'resolved_by_matching', false)
      || private.move_from_closed(exception)
    from public.exceptions exception
    where exception.tenant_id = tenant
      and exception.id = any ((select private.exceptions_of_lines(tenant, pair, line_nos))::text[])
      and exception.status = 'resolved'
      and exception.resolved_by_matching and private.has_open_lines(exception)
    order by exception.id for no key update
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.delete_open_suggestions(tenant text, matches uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', exception.id, 'suggested_match_id', null)
    from public.exceptions exception where exception.tenant_id = tenant
      and exception.suggested_match_id = any (matches)
      order by exception.id for no key update
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.has_own_title(tenant text, given_id text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.exception_history change
    where change.tenant_id = tenant and change.exception_id = given_id and change.kind = 'updated'
      and change.changes ? 'title' and change.actor <> 'system'
  );
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_without_suggestion(period public.reconciliations)
 RETURNS TABLE(exception_id text, line_no bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with grouped as materialized (
    select exception.id, exception.line_no, exception.grouped_match_id
    from public.exceptions exception
    where exception.tenant_id = period.tenant_id and exception.pair_no = period.pair_no
      and exception.grouped_match_id is not null and exception.status in ('open', 'in_review')
  ), left_over as materialized (
    select held.id, held.line_no from grouped held
    left join (
      select match.id from public.matches match
      where match.tenant_id = period.tenant_id
        and match.id = any (array(select any_held.grouped_match_id from grouped any_held))
        and match.state = 'suggested'
        order by match.id
    ) suggestion on suggestion.id = held.grouped_match_id
    where suggestion.id is null
  )
  select lone.id, line_left.line_no
  from left_over lone cross join lateral (
    select exception_line.line_no from private.exception_lines exception_line cross join lateral (
      select abs(open_line.open_minor) as minor from private.open_lines open_line
      where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
        and open_line.line_no = exception_line.line_no
        and open_line.value_date <= period.period_end offset 0
    ) still_open
    where exception_line.tenant_id = period.tenant_id and exception_line.exception_id = lone.id
    order by exception_line.line_no <> lone.line_no, still_open.minor desc, exception_line.line_no
    limit 1
  ) line_left;
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_to_regroup(tenant text, reconciliation text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
declare
  period public.reconciliations;
begin
  select * into strict period
  from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation;
  return (
    with held as materialized (
      select member.match_id, exception.id as exception_id, exception.line_no,
        exception.grouped_match_id
      from private.members_of(tenant, private.suggestions_in(tenant, period.id)) member
      join private.open_line_exceptions_of(tenant, period.id) exception
        on exception.line_no = member.line_no
    ), put_together as (
      select holds.match_id, array_agg(holds.exception_id order by holds.exception_id) as ids,
        array_agg(holds.line_no order by holds.exception_id) as line_nos
      from held holds group by holds.match_id
      having count(*) > 1 or bool_or(holds.grouped_match_id is distinct from holds.match_id)
    ), changed as (
      select ordered.ids[1] as exception_id, ordered.ids[2:] as merged,
        ordered.line_nos[1] as line_no, together.match_id
      from put_together together cross join lateral (
        select array_agg(part.id order by own_title.is_own desc, part.id) as ids,
          array_agg(part.line_no order by own_title.is_own desc, part.id) as line_nos
        from unnest(together.ids, together.line_nos) part (id, line_no)
          cross join lateral (select private.has_own_title(tenant, part.id) as is_own) own_title
      ) ordered
      union all
      select lone.exception_id, '{}', lone.line_no, null
      from private.exceptions_without_suggestion(period) lone
      where not exists (select from held holds where holds.exception_id = lone.exception_id)
    ), numbered as materialized (
      select row_number() over () as place, change.* from changed change
    )
    select coalesce(
      jsonb_agg(about_exception.subject
        || jsonb_build_object('exception_id', change.exception_id, 'merged', change.merged,
          'line_no', change.line_no, 'severity', exception.severity,
          'amount_minor', exception.amount_minor)
        order by change.exception_id), '[]')
    -- A suggestion lists its lines itself.
    from private.subjects_of_exceptions(period,
      array(select requested.match_id from numbered requested order by requested.place),
      array(select case when requested.match_id is null then requested.line_no end
        from numbered requested order by requested.place)) about_exception
    join numbered change on change.place = about_exception.place
    join public.exceptions exception on exception.tenant_id = tenant
      and exception.id = change.exception_id
  );
end $function$;
CREATE OR REPLACE FUNCTION private.moves_deadline(tenant text, given_id text, severity text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.exceptions exception
    where exception.tenant_id = tenant and exception.id = given_id and exception.due_from_policy
      and exception.severity <> moves_deadline.severity
  );
end $function$;
CREATE OR REPLACE FUNCTION private.deadline_of_severity(exception public.exceptions, severity text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  policy public.sla_policies;
  calendar text;
  calendar_number bigint;
begin
  if not exception.due_from_policy or exception.severity = deadline_of_severity.severity then
    return '{}';
  end if;
  select * into strict policy from public.sla_policies
  where sla_policies.tenant_id = exception.tenant_id;
  calendar := private.policy_calendar(policy, deadline_of_severity.severity);
  if calendar is not null then
    calendar_number := private.current_calendar_no(exception.tenant_id, calendar);
  end if;
  return jsonb_build_object('calendar_id', calendar, 'calendar_no', calendar_number,
    'due_at', coalesce(
      private.policy_deadline(exception,
        private.minutes_to_resolve(policy, deadline_of_severity.severity), calendar_number),
      coalesce(exception.held_due_at, exception.due_at)));
end $function$;
CREATE OR REPLACE FUNCTION private.regroup_exceptions(tenant text, reconciliation text, run text, attempt integer, rows jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  wanted record;
begin
  period := private.lock_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  for wanted in
    select *
    from jsonb_to_recordset(rows) as item (exception_id text, merged text[], match_id uuid,
      line_nos bigint[], title text, severity text,
      reason_code text, amount_minor bigint, currency text, details jsonb)
  loop
    -- A person may have settled or decided it since the run read it. The next run looks again.
    continue when not exists (select from private.open_lines open_line
      where open_line.tenant_id = tenant and open_line.pair_no = period.pair_no
        and open_line.line_no = wanted.line_nos[1])
      or wanted.match_id is not null and not exists (
        select
        from public.matches match
        where match.tenant_id = tenant and match.id = wanted.match_id and match.state = 'suggested'
      );
    perform private.change_exceptions(
      case when private.moves_deadline(tenant, wanted.exception_id, wanted.severity)
        then 'recalculate'
      else 'edit' end, array(
      select jsonb_build_object('tenant_id', tenant, 'id', exception.id,
        'title', case when private.has_own_title(tenant, exception.id) then exception.title
          else wanted.title end,
        'severity', wanted.severity, 'reason_code', wanted.reason_code,
        'amount_minor', wanted.amount_minor, 'currency', wanted.currency,
        'details', exception.details - 'lines' - 'side' || wanted.details, 'line_no', line.line_no,
        'line_id', line.id,
        'suggested_match_id', wanted.match_id, 'grouped_match_id', wanted.match_id)
        || private.deadline_of_severity(exception, wanted.severity)
      from public.lines line
        join public.exceptions exception on exception.tenant_id = tenant
          and exception.id = wanted.exception_id and exception.status in ('open', 'in_review')
      where line.tenant_id = tenant and line.line_no = wanted.line_nos[1]
        for no key update of exception
    ));
    continue when not found;
    perform private.merge_exceptions(tenant, period.pair_no, wanted.exception_id, wanted.merged,
      wanted.line_nos);
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_exception(id text)
 RETURNS public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  exception public.exceptions;
begin
  select * into exception from private.lock_exceptions(array[lock_exception.id]);
  if not found then
    perform private.refuse_missing('exception');
  elsif exception.paused_until <= now() then
    select * into exception
    from private.change_exceptions_for_caller('resume',
      array[jsonb_build_object('id', exception.id)]);
  end if;
  return exception;
end $function$;
CREATE OR REPLACE FUNCTION private.require_pause_end(until timestamp with time zone, policy public.sla_policies)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if until <= now() then
    perform private.refuse_field('until', 'Must be in the future.');
  elsif until > now() + make_interval(mins => policy.pause_max_minutes) then
    perform private.refuse_field('until',
      format('The SLA policy allows pauses of at most %s minutes.', policy.pause_max_minutes));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.pause_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'pause_exception');
  exception public.exceptions;
  policy public.sla_policies;
  fault text;
begin
  if replayed is not null then
    return replayed;
  end if;
  exception := private.lock_exception(input ->> 'id');
  select * into policy from public.sla_policies where sla_policies.tenant_id = exception.tenant_id;
  perform private.require_pause_end((input ->> 'until')::timestamptz, policy);
  fault := private.pause_fault(exception, policy);
  if fault is not null then
    perform private.refuse_conflict('cannot_pause', fault);
  end if;
  select * into exception from private.change_exceptions_for_caller('pause', array[
    jsonb_build_object('id', exception.id, 'paused_until', input -> 'until',
      'pause_reason', input -> 'reason')]);
  return private.finish_request(request, private.versioned_exception_json(exception));
end $function$;
CREATE OR REPLACE FUNCTION public.resume_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'resume_exception');
  exception public.exceptions;
begin
  if replayed is not null then
    return replayed;
  end if;
  exception := private.lock_exception(input ->> 'id');
  if exception.paused_at is null then
    perform private.refuse_conflict('not_paused', 'It is not paused.');
  end if;
  select * into exception
  from private.change_exceptions_for_caller('resume',
    array[jsonb_build_object('id', exception.id)]);
  return private.finish_request(request, private.versioned_exception_json(exception));
end $function$;
CREATE OR REPLACE FUNCTION private.skipped_exceptions(ids text[], refused jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object('id', exception.id, 'title', exception.title,
      'message', refusal ->> 'message')
    order by exception.id)
    from jsonb_array_elements(refused) refusal
    join public.exceptions exception on exception.tenant_id = private.tenant_id()
      and exception.id = ids[substr(refusal ->> 'path', 5)::integer + 1]
  );
end $function$;
CREATE OR REPLACE FUNCTION private.not_skipped(ids text[], refused jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return array(
    select item.id from unnest(ids) with ordinality as item (id, place)
    where not exists (select from jsonb_array_elements(refused) refusal
      where refusal ->> 'path' = 'ids.' || (item.place - 1))
      order by item.place);
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_json(ids text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(private.exception_json(exception) order by item.place), '[]')
    from unnest(ids) with ordinality as item (id, place)
    join public.exceptions exception on exception.tenant_id = private.tenant_id()
      and exception.id = item.id
  );
end $function$;
CREATE OR REPLACE FUNCTION private.faults_of_move(ids text[], status text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object('path', 'ids.' || (item.place - 1),
      'message', format('An exception cannot move from %s to %s.', exception.status,
        faults_of_move.status)) order by item.place)
    from unnest(ids) with ordinality as item (id, place)
    join public.exceptions exception on exception.tenant_id = private.tenant_id()
      and exception.id = item.id
    where not private.exception_may_move(exception.status, faults_of_move.status)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.faults_of_pause(ids text[], pause jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  policy public.sla_policies;
begin
  perform private.change_exceptions_for_caller('resume', array(
    select jsonb_build_object('id', exception.id)
    from public.exceptions exception
    where exception.tenant_id = tenant and exception.id = any (ids)
      and exception.paused_until <= now()
  ));
  select * into policy from public.sla_policies where sla_policies.tenant_id = tenant;
  perform private.require_pause_end((pause ->> 'until')::timestamptz, policy);
  return (
    select jsonb_agg(jsonb_build_object('path', 'ids.' || (item.place - 1),
      'message', checked.fault)
      order by item.place)
    from unnest(ids) with ordinality as item (id, place)
    join public.exceptions exception on exception.tenant_id = tenant and exception.id = item.id
    cross join lateral (
      select case when pause is not null then private.pause_fault(exception, policy)
        when exception.paused_at is null then 'It is not paused.' end
    ) checked (fault)
    where checked.fault is not null
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_exceptions(ids text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  refused jsonb;
begin
  select jsonb_agg(
    jsonb_build_object('path', 'ids.' || (item.place - 1), 'message', 'There is no such exception.')
    order by item.place) into refused
  from unnest(ids) with ordinality as item (id, place)
  where not exists (
    select from public.exceptions exception where exception.tenant_id = private.tenant_id()
      and exception.id = item.id);
  if refused is not null then
    perform private.refuse('not_found', 'There is no such exception. Nothing was changed.',
      refused);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.refuse_bulk(action text, refused jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if action = 'edit' then
    perform private.refuse('invalid_transition',
      'Some of these exceptions cannot move to that status. Nothing was changed.', refused);
  end if;
  perform private.refuse_conflict(case action when 'pause' then 'cannot_pause'
    else 'not_paused' end,
    format('Some of these exceptions cannot be %s. Nothing was changed.',
      case action when 'pause' then 'paused' else 'resumed' end), refused);
end $function$;
CREATE OR REPLACE FUNCTION public.update_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_exceptions');
  patch constant jsonb := coalesce(input -> 'patch', '{}');
  pause constant jsonb := input -> 'pause';
  by_filter constant boolean := input ? 'filter';
  batch constant integer := 500;
  action constant text := case when pause is not null then 'pause' when input ? 'resume'
    then 'resume'
    else 'edit' end;
  columns constant jsonb := case when pause is null then patch else
    jsonb_build_object('paused_until', pause -> 'until', 'pause_reason', pause -> 'reason') end;
  ids text[] := private.text_array(input -> 'ids');
  next_id text;
  refused jsonb;
  skipped jsonb;
  previous jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  if by_filter then
    perform private.require_expected_count(input);
    ids := private.matching_exceptions(input -> 'filter', input -> 'after' ->> 0, batch + 1);
    if cardinality(ids) > batch then
      ids := ids[:batch];
      next_id := ids[batch];
    end if;
  end if;
  perform private.lock_exceptions(ids);
  perform private.require_exceptions(ids);
  refused := case when action <> 'edit' then private.faults_of_pause(ids, pause)
    when patch ? 'status' then private.faults_of_move(ids, patch ->> 'status') end;
  if refused is not null and by_filter then
    skipped := private.skipped_exceptions(ids, refused);
    ids := private.not_skipped(ids, refused);
  elsif refused is not null then
    perform private.refuse_bulk(action, refused);
  end if;
  previous := case when by_filter then private.exceptions_json(ids) else '[]' end;
  perform private.change_exceptions_for_caller(action,
    array(select columns || jsonb_build_object('id', item.id) from unnest(ids) item (id)));
  perform private.record_security_event('exceptions.bulk_updated', null, null,
    jsonb_build_object('count', cardinality(ids)) || (input - '{ids,after}'::text[]));
  return private.finish_request(request, jsonb_build_object(
    'updated', cardinality(ids), 'skipped', coalesce(skipped, '[]'),
    'next', case when next_id is not null then jsonb_build_array(next_id) end,
    'items', private.exceptions_json(ids), 'previous', previous
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.import_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'import_exceptions');
  refused jsonb;
  accepted integer;
begin
  if replayed is not null then
    return replayed;
  end if;
  select jsonb_agg(
    jsonb_build_object('line', row ->> 'line', 'path', 'reconciliation_id',
      'message', 'There is no such reconciliation.')) into refused
  from jsonb_array_elements(input -> 'rows') row
  where row ->> 'reconciliation_id' is not null and not exists (
    select
    from public.reconciliations period
    where period.tenant_id = private.tenant_id() and period.id = row ->> 'reconciliation_id'
  );
  select count(*) into accepted
  from private.insert_exceptions(case when refused is null then input -> 'rows' else (
    select coalesce(jsonb_agg(row), '[]') from jsonb_array_elements(input -> 'rows') row
    where not exists (select from jsonb_array_elements(refused) fault
      where fault ->> 'line' = row ->> 'line')
  ) end);
  if not (private.principal_type() = 'service_role'
    and coalesce((request ->> 'continues')::boolean, false)) then
    perform private.record_security_event('exceptions.imported', null, null,
      jsonb_build_object('accepted', accepted, 'refused',
        jsonb_array_length(coalesce(refused, '[]'))));
  end if;
  return private.finish_request(request,
    jsonb_build_object('accepted', accepted, 'refused', coalesce(refused, '[]')));
end $function$;
CREATE OR REPLACE FUNCTION private.count_open(tenants text[], due_ats timestamp with time zone[], assignees text[], reconciliations text[], currencies text[], amounts bigint[], signs integer[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  own_shard constant integer := private.own_shard();
begin
  perform
  from private.sla_counts counter
  where counter.tenant_id = any (tenants) and counter.shard = own_shard
  order by counter.tenant_id for update;
  with changed as materialized (
    select change.tenant_id, date_trunc('hour', change.due_at, 'UTC') as due_from,
      coalesce(change.assigned_to, '') as assigned_to,
      coalesce(change.reconciliation_id, '') as reconciliation_id,
      coalesce(change.currency, '') as currency, change.sign,
      change.sign * coalesce(change.amount_minor, 0)::numeric as minor
    from unnest(tenants, due_ats, assignees, reconciliations, currencies, amounts, signs)
      as change (tenant_id, due_at, assigned_to, reconciliation_id, currency, amount_minor, sign)
  ), by_deadline as (
    insert into private.open_by_deadline as counter (tenant_id, due_from, assigned_to, currency,
      shard, open_count, amount_minor)
    select change.tenant_id, change.due_from, change.assigned_to, change.currency, own_shard,
      sum(change.sign), sum(change.minor)
    from changed change group by 1, 2, 3, 4 having sum(change.sign) <> 0 or sum(change.minor) <> 0
      order by 1, 2, 3, 4
    on conflict on constraint open_by_deadline_pkey do update set
      open_count = counter.open_count + excluded.open_count,
      amount_minor = counter.amount_minor + excluded.amount_minor
  ), by_assignee as (
    insert into private.open_by_assignee as counter (tenant_id, assigned_to, currency, shard,
      open_count, amount_minor)
    select change.tenant_id, change.assigned_to, change.currency, own_shard, sum(change.sign),
      sum(change.minor)
    from changed change group by 1, 2, 3 having sum(change.sign) <> 0 or sum(change.minor) <> 0
    order by 1, 2, 3
    on conflict on constraint open_by_assignee_pkey do update set
      open_count = counter.open_count + excluded.open_count,
      amount_minor = counter.amount_minor + excluded.amount_minor
  )
  insert into private.open_by_reconciliation as counter (tenant_id, reconciliation_id, currency,
    shard, open_count, amount_minor)
  select change.tenant_id, change.reconciliation_id, change.currency, own_shard, sum(change.sign),
    sum(change.minor)
  from changed change group by 1, 2, 3 having sum(change.sign) <> 0 or sum(change.minor) <> 0
  order by 1, 2, 3
  on conflict on constraint open_by_reconciliation_pkey do update set
    open_count = counter.open_count + excluded.open_count,
    amount_minor = counter.amount_minor + excluded.amount_minor;
end $function$;
CREATE OR REPLACE FUNCTION private.update_counters(exception_changes private.exception_change[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  totals record;
begin
  with changed as (
    select change.before, change.after
    from unnest(exception_changes) change cross join lateral (select (change.before).*) old_keys
      cross join lateral (select (change.after).*) new_keys
    where (old_keys.status in ('open', 'in_review'), old_keys.due_at, old_keys.assigned_to,
      old_keys.reconciliation_id,
      old_keys.currency, old_keys.amount_minor)
      is distinct from (new_keys.status in ('open', 'in_review'), new_keys.due_at,
        new_keys.assigned_to,
        new_keys.reconciliation_id, new_keys.currency, new_keys.amount_minor)
  )
  select array_agg(counted_change.tenant_id) as tenants,
    array_agg(counted_change.due_at) as due_ats,
    array_agg(counted_change.assigned_to) as assignees,
    array_agg(counted_change.reconciliation_id) as reconciliations,
    array_agg(counted_change.currency) as currencies,
    array_agg(counted_change.amount_minor) as amounts,
    array_agg(counted_change.sign) as signs
  into totals
  from (select (before).*, -1 as sign from changed union all select (after).*, 1
    from changed) counted_change
  where counted_change.status in ('open', 'in_review');
  if totals.tenants is not null then
    perform private.count_open(totals.tenants, totals.due_ats, totals.assignees,
      totals.reconciliations, totals.currencies,
      totals.amounts, totals.signs);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.count_ledger_rows()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.exception_hours as counter (tenant_id, hour, shard, breached_count,
    closed_count)
  select ended.tenant_id, date_trunc('hour', ended.at, 'UTC'), private.own_shard(),
    count(*) filter (where ended.kind = 'crossed'), count(*) filter (where ended.kind <> 'crossed')
  from written ended
  where (private.is_breach(ended.kind, ended.threshold_minutes)
    or ended.kind in ('resolved', 'dismissed'))
    and not exists (
    select from public.exception_ledger ledger_entry
    where ledger_entry.tenant_id = ended.tenant_id
      and ledger_entry.exception_id = ended.exception_id and ledger_entry.id < ended.id
      and ledger_entry.at >= date_trunc('day', ended.at, 'UTC')
      and case when ended.kind = 'crossed' then private.is_breach(ledger_entry.kind,
        ledger_entry.threshold_minutes)
      else ledger_entry.kind in ('resolved', 'dismissed') end
  )
  group by 1, 2 order by 1, 2
  on conflict on constraint exception_hours_pkey do update set
    breached_count = counter.breached_count + excluded.breached_count,
    closed_count = counter.closed_count + excluded.closed_count;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.merge_deadline_counters(batch integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  this_hour constant timestamptz := date_trunc('hour', now(), 'UTC');
  merged integer;
begin
  with removed as (
    delete from private.open_by_deadline counter where counter.ctid = any (array(
      select mergeable.ctid from private.open_by_deadline mergeable
      where mergeable.shard <> 0
        or (mergeable.due_from < this_hour and mergeable.due_from > '-infinity')
      limit batch for update skip locked
    )) returning counter.*
  ), folded as (
    insert into private.open_by_deadline as counter (tenant_id, due_from, assigned_to, currency,
      shard,
      open_count, amount_minor)
    select removed.tenant_id, case when removed.due_from < this_hour then '-infinity'
      else removed.due_from end,
      removed.assigned_to, removed.currency, 0, sum(removed.open_count), sum(removed.amount_minor)
    from removed
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4
    on conflict on constraint open_by_deadline_pkey do update set
      open_count = counter.open_count + excluded.open_count,
      amount_minor = counter.amount_minor + excluded.amount_minor
  )
  select count(*) into merged from removed;
  delete from private.open_by_deadline counter
  where counter.shard = 0 and counter.open_count = 0 and counter.amount_minor = 0;
  return merged;
end $function$;
CREATE OR REPLACE FUNCTION private.merge_assignee_counters(batch integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  merged integer;
begin
  with removed as (
    delete from private.open_by_assignee counter where counter.ctid = any (array(
      select mergeable.ctid from private.open_by_assignee mergeable
      where mergeable.shard <> 0
      limit batch for update skip locked
    )) returning counter.*
  ), folded as (
    insert into private.open_by_assignee as counter (tenant_id, assigned_to, currency, shard,
      open_count,
      amount_minor)
    select removed.tenant_id, removed.assigned_to, removed.currency, 0,
      sum(removed.open_count), sum(removed.amount_minor)
    from removed
    group by 1, 2, 3
    order by 1, 2, 3
    on conflict on constraint open_by_assignee_pkey do update set
      open_count = counter.open_count + excluded.open_count,
      amount_minor = counter.amount_minor + excluded.amount_minor
  )
  select count(*) into merged from removed;
  delete from private.open_by_assignee counter
  where counter.shard = 0 and counter.open_count = 0 and counter.amount_minor = 0;
  return merged;
end $function$;
CREATE OR REPLACE FUNCTION private.merge_reconciliation_counters(batch integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  merged integer;
begin
  with removed as (
    delete from private.open_by_reconciliation counter where counter.ctid = any (array(
      select mergeable.ctid from private.open_by_reconciliation mergeable
      where mergeable.shard <> 0
      limit batch for update skip locked
    )) returning counter.*
  ), folded as (
    insert into private.open_by_reconciliation as counter (tenant_id, reconciliation_id, currency,
      shard,
      open_count, amount_minor)
    select removed.tenant_id, removed.reconciliation_id, removed.currency, 0,
      sum(removed.open_count), sum(removed.amount_minor)
    from removed
    group by 1, 2, 3
    order by 1, 2, 3
    on conflict on constraint open_by_reconciliation_pkey do update set
      open_count = counter.open_count + excluded.open_count,
      amount_minor = counter.amount_minor + excluded.amount_minor
  )
  select count(*) into merged from removed;
  delete from private.open_by_reconciliation counter
  where counter.shard = 0 and counter.open_count = 0 and counter.amount_minor = 0;
  return merged;
end $function$;
CREATE OR REPLACE FUNCTION private.merge_hour_counters(batch integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  merged integer;
begin
  with removed as (
    delete from private.exception_hours counter where counter.ctid = any (array(
      select mergeable.ctid from private.exception_hours mergeable
      where mergeable.shard <> 0 and mergeable.hour < date_trunc('hour', now(), 'UTC')
        or mergeable.hour < now() - interval '31 days'
      limit batch for update skip locked
    )) returning counter.*
  ), folded as (
    insert into private.exception_hours as counter (tenant_id, hour, shard, breached_count,
      closed_count)
    select removed.tenant_id, removed.hour, 0, sum(removed.breached_count),
      sum(removed.closed_count)
    from removed
    where removed.hour >= now() - interval '31 days'
    group by 1, 2
    order by 1, 2
    on conflict on constraint exception_hours_pkey do update set
      breached_count = counter.breached_count + excluded.breached_count,
      closed_count = counter.closed_count + excluded.closed_count
  )
  select count(*) into merged from removed;
  return merged;
end $function$;
CREATE OR REPLACE FUNCTION private.merge_exception_counters(batch integer DEFAULT 10000)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  merged integer[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended('fold_exception_counters', 0)) then
    return 0;
  end if;
  merged := array[private.merge_deadline_counters(batch), private.merge_assignee_counters(batch),
    private.merge_reconciliation_counters(batch), private.merge_hour_counters(batch)];
  return (
    select case when max(merged_count) >= batch then sum(merged_count) else 0 end
    from unnest(merged) merged_count
  );
end $function$;
CREATE OR REPLACE FUNCTION private.sla_summary(as_of timestamp with time zone)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    with counted as (
      select coalesce(sum(breached), 0) as breached, coalesce(sum(at_risk), 0) as at_risk,
        coalesce(sum(on_track), 0) as on_track
      from private.sla_counts where tenant_id = private.tenant_id()
    ), late as (
      select
        count(*) filter (where due_at <= as_of) - count(*) filter (where position <= 0) as breached,
        count(*) filter (where due_at > as_of
          and due_at <= as_of + make_interval(mins => private.medium_risk_up_to()))
          - count(*) filter (where position between 1 and private.medium_risk_up_to()) as at_risk,
        count(*) filter (where due_at > as_of + make_interval(mins => private.medium_risk_up_to()))
          - count(*) filter (where position > private.medium_risk_up_to()) as on_track
      from private.exception_clocks where tenant_id = private.tenant_id() and next_at <= as_of
    )
    select jsonb_build_object(
      'breached_count', counted.breached + late.breached,
      'at_risk_count', counted.at_risk + late.at_risk,
      'on_track_count', counted.on_track + late.on_track,
      'total_open', counted.breached + counted.at_risk + counted.on_track
    )
    from counted, late
  );
end $function$;
CREATE OR REPLACE FUNCTION private.stretches_of(input jsonb, as_of timestamp with time zone)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  risks constant text[] := private.risk_ranges(private.text_array(input -> 'breach_risk'), as_of);
  filter text;
begin
  if input ->> 'sort_by' in ('due_at', 'breach_risk') then
    foreach filter in array private.facets_by_deadline() loop
      if cardinality(private.text_array(input -> filter)) > 1 then
        return array(
          select private.exception_condition(filter,
            jsonb_build_object(filter, jsonb_build_array(stretch.value)), as_of)
          from (
            select distinct case when filter = 'assigned_to' and value = 'me' then private.actor()
              else value end
            from unnest(private.text_array(input -> filter)) value) stretch (value));
      end if;
    end loop;
    if cardinality(risks) > 1 then
      return risks;
    end if;
  end if;
  return array['true'];
end $function$;
CREATE OR REPLACE FUNCTION private.next_by_deadline(after_due_at timestamp with time zone, after_id text, max_count integer, as_of timestamp with time zone, OUT items json[], OUT last_due_at timestamp with time zone, OUT last_id text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
begin
  select array_agg(exception.item), (array_agg(exception.due_at))[max_count],
    (array_agg(exception.id))[max_count] into items,
    last_due_at, last_id
  from (
    select private.exception_json(exception, as_of) as item, exception.due_at, exception.id
    from public.exceptions exception
    where exception.tenant_id = tenant and exception.status in ('open', 'in_review')
      and (exception.due_at, exception.id) > (after_due_at, after_id)
    order by exception.due_at, exception.id limit max_count + 1
  ) exception;
end $function$;
CREATE OR REPLACE FUNCTION private.sla_exceptions_query(input jsonb, conditions text, as_of timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  sort_by constant text := input ->> 'sort_by';
  sort_key constant text := concat_ws(', ',
    case sort_by when 'severity' then 'e.severity_rank' when 'assigned_to' then 'e.assigned_to'
    when 'amount' then 'e.currency, e.amount_minor desc' end, 'e.due_at', 'e.id');
  -- As a cursor writes it: exceptions without an assignee come last.
  rank constant text := case sort_by
    when 'severity' then 'e.severity_rank::text'
    when 'assigned_to' then $q$coalesce('0' || e.assigned_to, '1')$q$
    when 'amount' then 'private.amount_rank(e.currency, e.amount_minor)'
    else $q$''::text$q$ end;
begin
  return (
    select format($q$
      select array_agg(private.exception_json(p.e, $2)), (array_agg(p.rank))[$1],
        (array_agg((p.e).due_at))[$1], (array_agg((p.e).id))[$1]
      from (select u.e, u.rank from (%s) u order by u.rank, (u.e).due_at, (u.e).id limit $1 + 1) p
    $q$, string_agg(format('(select e, %s as rank from public.exceptions e '
      || 'where e.tenant_id = private.tenant_id() and %s and %s and %s order by %s limit $1 + 1)',
      rank, conditions, assignee, value, sort_key), ' union all '))
    from unnest(private.stretches_after(sort_by, input -> 'after')) assignee
    cross join unnest(private.stretches_of(input, as_of)) value
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_sla_exceptions(input jsonb, request jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  as_of constant timestamptz(3) := now();
  page_size constant integer := (input ->> 'limit')::integer;
  sort_by constant text := input ->> 'sort_by';
  conditions text := $q$e.status in ('open', 'in_review')$q$;
  found_ids text[];
  items json[];
  last_rank text := '';
  last_due_at timestamptz;
  last_id text;
begin
  perform private.begin_request(request, 'list_sla_exceptions');
  if sort_by in ('due_at', 'breach_risk') and input - '{sort_by,limit,after}'::text[] = '{}' then
    select * into items, last_due_at, last_id from private.next_by_deadline(
      coalesce((input -> 'after' ->> 1)::timestamptz, '-infinity'),
      coalesce(input -> 'after' ->> 2, ''), page_size, as_of);
  else
    conditions := conditions || ' and ' || private.exception_conditions(input, as_of);
    if input ->> 'within_minutes' is not null then
      conditions := conditions || private.due_within(input, as_of);
    end if;
    if input ->> 'q' is not null then
      found_ids := private.narrow_by_search(input ->> 'q');
      conditions := conditions || ' and '
        || case when found_ids is null then private.has_words(input ->> 'q')
          else 'e.id = any ($3)' end;
      perform set_config('enable_sort', (found_ids is not null)::text, true);
    end if;
    execute private.sla_exceptions_query(input, conditions, as_of)
    into items, last_rank, last_due_at, last_id using page_size, as_of, found_ids;
  end if;
  -- As json, whose texts are joined, while jsonb's trees would be rebuilt at each step: this halves
  -- the time of the most frequent list.
  return json_build_object('items', array_to_json(coalesce(items[:page_size], '{}')),
    'next', case when cardinality(items) > page_size then
      json_build_array(last_rank,
        case when last_due_at = 'infinity' then 'infinity' else private.iso(last_due_at) end,
        last_id) end,
    'summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $function$;
CREATE OR REPLACE FUNCTION private.time_to_breach(as_of timestamp with time zone)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  day constant integer := 1440;
  high constant integer := private.high_risk_below();
  medium constant integer := private.medium_risk_up_to();
  counts constant jsonb := private.sla_summary(as_of);
  late_a_day bigint;
  within_high bigint;
  beyond_medium bigint;
begin
  select count(*) filter (where exception.due_at <= as_of),
    count(*) filter (where exception.due_at > as_of
      and exception.due_at <= as_of + make_interval(mins => high - 1)),
    count(*) filter (where exception.due_at > as_of + make_interval(mins => medium))
  into late_a_day, within_high, beyond_medium
  from public.exceptions exception
  where exception.tenant_id = private.tenant_id() and exception.status in ('open', 'in_review')
    and exception.due_at > as_of - make_interval(mins => day + 1)
    and exception.due_at <= as_of + make_interval(mins => day);
  return jsonb_build_object(
    'buckets', (
      select jsonb_agg(
        jsonb_build_object('from_minutes', band.lowest, 'to_minutes', band.highest,
          'breach_risk', band.risk,
          'open_count', band.open_count)
      order by band.place)
      from (values
        (1, null, -day - 1, 'breached', (counts -> 'breached_count')::bigint - late_a_day),
        (2, -day, 0, 'breached', late_a_day),
        (3, 1, high - 1, 'high', within_high),
        (4, high, medium, 'medium', (counts -> 'at_risk_count')::bigint - within_high),
        (5, medium + 1, day, 'low', beyond_medium),
        (6, day + 1, null, 'low', (counts -> 'on_track_count')::bigint - beyond_medium)
      ) as band (place, lowest, highest, risk, open_count)
    ),
    'summary', counts,
    'as_of', private.iso(as_of)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.missed_facet(input jsonb, as_of timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select case when count(*) = 0 then '0' else format('case when %s > 1 then -1 else %s end',
      string_agg(format('((%s) is not true)::integer', chosen.condition), ' + '),
      string_agg(format('%s * ((%s) is not true)::integer', chosen.place, chosen.condition),
        ' + ')) end
    from (
      select missing.place, private.exception_condition(missing.facet, input, as_of) as condition
      from unnest(private.exception_facets()) with ordinality as missing (facet, place)
    ) chosen
    where chosen.condition is not null
  );
end $function$;
CREATE OR REPLACE FUNCTION private.grouped_by_facet(missed text, conditions text, sort_key text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  risk constant text := $q$case when e.closed_at is not null then null
    when e.due_at <= $1 then 'breached'
    when e.due_at <= $1 + make_interval(mins => private.high_risk_below() - 1) then 'high'
    when e.due_at <= $1 + make_interval(mins => private.medium_risk_up_to()) then 'medium'
    else 'low' end$q$;
  fields text;
  grouped text;
  groupings text;
begin
  select
    string_agg(format('%s as %I', case facet when 'breach_risk' then risk else 'e.' || facet end,
      facet), ', '),
    string_agg(format('s.%I', facet), ', '),
    string_agg(format('(s.missed, s.%I)', facet), ', ')
  into fields, grouped, groupings
  from unnest(private.exception_facets()) facet;
  -- left_out: one bit per facet that isn't grouped by, the first facet's the highest.
  return format($q$
    select s.missed, %1$s, grouping(%1$s) as left_out, count(*) as n,
      count(*) filter (where s.paused) as paused, sum(s.amount_minor) as amount
    from (
      select %2$s, e.amount_minor, e.paused_at is not null as paused, %4$s as missed
      from public.exceptions e where e.tenant_id = %7$L and %5$s order by %6$s limit $2
    ) s
    group by grouping sets ((s.missed), %3$s)
  $q$, grouped, fields, groupings, missed, conditions, sort_key, private.tenant_id());
end $function$;
CREATE OR REPLACE FUNCTION private.value_of_facet()
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select format('case f.facet %s end', string_agg(format('when %L then %s', facet,
      case when private.facet_has_none(facet) then format('coalesce(g.%I, %L)', facet, 'none')
        else format('g.%I', facet) end), ' '))
    from unnest(private.exception_facets()) facet
  );
end $function$;
CREATE OR REPLACE FUNCTION private.rebuild_business_time(tenant text, calendar_number bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  covered private.calendar_coverage;
  recalculated jsonb[];
begin
  perform from public.exceptions exception
  where exception.tenant_id = tenant and exception.calendar_no = calendar_number
    and exception.status in ('open', 'in_review')
    order by exception.id for no key update;
  select * into covered
  from private.calendar_coverage coverage
  where coverage.tenant_id = tenant and coverage.calendar_no = calendar_number for update;
  delete from private.calendar_spans span where span.tenant_id = tenant
    and span.calendar_no = calendar_number;
  update private.calendar_coverage coverage
  set covered_until = coverage.covered_from, open_until = coverage.open_from,
    zone_checked_at = now()
  where coverage.tenant_id = tenant and coverage.calendar_no = calendar_number;
  perform private.extend_business_time(tenant, calendar_number, covered.covered_from,
    covered.covered_until);
  -- What business_minutes_remaining has cached belongs to the old spans.
  perform set_config('app.open_ms', '', true);
  with counted as materialized (
    select exception.id, case when exception.due_from_policy
      and coalesce(exception.held_due_at, exception.due_at) > now()
      then coalesce(private.policy_deadline(exception,
        private.minutes_to_resolve(policy, exception.severity), calendar_number),
        coalesce(exception.held_due_at, exception.due_at))
      else coalesce(exception.held_due_at, exception.due_at) end as due_at
    from public.exceptions exception join public.sla_policies policy
      on policy.tenant_id = exception.tenant_id
    where exception.tenant_id = tenant and exception.calendar_no = calendar_number
      and exception.status in ('open', 'in_review')
  )
  select array_agg(jsonb_build_object('tenant_id', tenant, 'id', exception.id,
    'due_at', recount.due_at)
  order by exception.id) into recalculated
  from counted recount join public.exceptions exception on exception.tenant_id = tenant
    and exception.id = recount.id
  where (coalesce(exception.held_due_at, exception.due_at),
    exception.due_open_ms) is distinct from (recount.due_at,
    private.open_ms(tenant, calendar_number, recount.due_at));
  perform private.change_exceptions('recalculate', recalculated);
  perform private.arm_business_warnings(array_fill(tenant, array[cardinality(own_exceptions.ids)]),
    own_exceptions.ids, false)
  from (
    select array_agg(exception.id) as ids from public.exceptions exception
    where exception.tenant_id = tenant and exception.calendar_no = calendar_number
      and exception.status in ('open', 'in_review')
  ) own_exceptions where own_exceptions.ids is not null;
end $function$;
CREATE OR REPLACE FUNCTION private.rebuild_calendars(batch integer DEFAULT 20)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  outdated record;
  compared integer := 0;
begin
  for outdated in
    select coverage.*, calendar_version.time_zone from private.calendar_coverage coverage
    join public.calendar_versions calendar_version
      on calendar_version.tenant_id = coverage.tenant_id
      and calendar_version.calendar_no = coverage.calendar_no
    where coverage.zone_checked_at < now() - interval '1 day'
      order by coverage.zone_checked_at, coverage.tenant_id, coverage.calendar_no limit batch
  loop
    if outdated.zone_print <> private.zone_print(outdated.time_zone, outdated.covered_from,
      outdated.covered_until) then
      perform private.rebuild_business_time(outdated.tenant_id, outdated.calendar_no);
    else
      update private.calendar_coverage coverage
      set zone_checked_at = now()
      where coverage.tenant_id = outdated.tenant_id and coverage.calendar_no = outdated.calendar_no;
    end if;
    compared := compared + 1;
  end loop;
  return compared;
end $function$;
CREATE OR REPLACE FUNCTION private.count_of_view(filters jsonb)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  max_count constant integer := 10000;
  counted bigint;
begin
  execute format($q$select count(*)
    from (select from public.exceptions e
      where e.tenant_id = %L and e.status in ('open', 'in_review') and %s limit %s) x$q$,
    private.tenant_id(), private.filter_conditions(filters, now()), max_count) into counted;
  return counted;
end $function$;
CREATE OR REPLACE FUNCTION private.view_json(saved_view public.views, is_counted boolean DEFAULT true)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', saved_view.id, 'name', saved_view.name, 'shared', saved_view.shared,
    'filters', saved_view.filters, 'sort_by', saved_view.sort_by,
    'open_count', case when is_counted then private.count_of_view(saved_view.filters) end,
    'created_at', private.iso(saved_view.created_at), 'created_by', saved_view.created_by,
    'updated_at', private.iso(saved_view.updated_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.view_version(saved_view public.views)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.version_of(jsonb_build_array(saved_view.name, saved_view.shared,
    saved_view.filters, saved_view.sort_by));
end $function$;
CREATE OR REPLACE FUNCTION private.find_view(id text, to_change boolean DEFAULT false)
 RETURNS public.views
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  saved_view public.views;
  caller constant text := auth.jwt() ->> 'principal_id';
begin
  select * into saved_view
  from public.views
  where views.tenant_id = private.tenant_id() and views.id = $1
    and (views.shared or views.principal_id = caller);
  if not found then
    perform private.refuse_missing('view');
  elsif to_change then
    select * into saved_view from public.views where views.tenant_id = private.tenant_id()
      and views.id = $1
      and (views.principal_id = caller or views.shared and auth.jwt() -> 'roles' ? 'tenant_admin')
    for update;
    if not found then
      perform private.refuse('role_required',
        'Only who made this view, or an admin, can change it. Save your own instead.');
    end if;
  end if;
  return saved_view;
end $function$;
CREATE OR REPLACE FUNCTION public.create_view(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_view');
  created public.views;
begin
  if replayed is not null then
    return replayed;
  end if;
  if (select count(*) from public.views saved_view
    where saved_view.tenant_id = private.tenant_id()
      and saved_view.principal_id = auth.jwt() ->> 'principal_id') >= 50 then
    perform private.refuse_conflict('quota',
      'You can have at most 50 views. Delete one, then save this one again.');
  end if;
  insert into public.views (name, shared, filters, sort_by)
  values (input ->> 'name', (input ->> 'shared')::boolean, input -> 'filters', input ->> 'sort_by')
    returning * into created;
  if created.shared then
    perform private.record_security_event('view.created', created.id, null,
      jsonb_build_object('name', created.name));
  end if;
  return private.finish_request(request,
    private.view_json(created) || jsonb_build_object('version', private.view_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION public.get_view(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  saved_view public.views;
begin
  perform private.begin_request(request, 'get_view');
  saved_view := private.find_view(input ->> 'id');
  return private.view_json(saved_view)
    || jsonb_build_object('version', private.view_version(saved_view));
end $function$;
CREATE OR REPLACE FUNCTION public.update_view(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_view');
  before public.views;
  after public.views;
begin
  if replayed is not null then
    return replayed;
  end if;
  before := private.find_view(input ->> 'id', true);
  perform private.require_version(private.view_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  if not after.shared and before.principal_id is distinct from auth.jwt() ->> 'principal_id' then
    perform private.refuse('role_required', 'This credential isn''t allowed to do this.');
  end if;
  if after is distinct from before then
    update public.views saved_view
    set name = after.name, shared = after.shared, filters = after.filters, sort_by = after.sort_by,
      updated_at = now()
    where saved_view.tenant_id = before.tenant_id and saved_view.id = before.id
    returning * into after;
    if before.shared or after.shared then
      perform private.record_security_event('view.updated', before.id, null,
        private.changes(
          jsonb_build_object('name', before.name, 'shared', before.shared,
            'filters', before.filters, 'sort_by', before.sort_by),
          jsonb_build_object('name', after.name, 'shared', after.shared, 'filters', after.filters,
            'sort_by', after.sort_by)));
    end if;
  end if;
  return private.finish_request(request,
    private.view_json(after) || jsonb_build_object('version', private.view_version(after)));
end $function$;
CREATE OR REPLACE FUNCTION public.delete_view(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'delete_view');
  saved_view public.views;
begin
  if replayed is not null then
    return replayed;
  end if;
  saved_view := private.find_view(input ->> 'id', true);
  perform private.require_version(private.view_version(saved_view), request -> 'versions');
  delete from public.views where views.tenant_id = saved_view.tenant_id
    and views.id = saved_view.id;
  if saved_view.shared then
    perform private.record_security_event('view.deleted', saved_view.id, null,
      jsonb_build_object('name', saved_view.name));
  end if;
  return private.finish_request(request, jsonb_build_object('id', saved_view.id, 'deleted', true));
end $function$;
CREATE OR REPLACE FUNCTION public.list_views(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  counted_until constant timestamptz := clock_timestamp() + interval '500 milliseconds';
  items jsonb;
begin
  perform private.begin_request(request, 'list_views');
  select jsonb_agg(private.view_json(saved_view, clock_timestamp() < counted_until)
    order by saved_view.id) into items
  from (
    select * from public.views saved_view
    where saved_view.tenant_id = private.tenant_id()
      and saved_view.id > coalesce(input -> 'after' ->> 0, '')
    order by saved_view.id limit page_size + 1
  ) saved_view;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.sla_policy_json(policy public.sla_policies)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'minutes_to_resolve',
    jsonb_build_object('critical', policy.critical_minutes, 'high', policy.high_minutes,
      'medium', policy.medium_minutes, 'low', policy.low_minutes),
    'at_risk_thresholds', policy.at_risk_thresholds, 'at_risk_business_thresholds',
    policy.at_risk_business_thresholds, 'calendar_id', policy.calendar_id,
    'calendar_by_severity', policy.calendar_by_severity,
    'pause',
    jsonb_build_object('max_minutes', policy.pause_max_minutes, 'max_count', policy.pause_max_count,
      'rules', policy.pause_rules),
    'updated_at', private.iso(policy.updated_at), 'updated_by', policy.updated_by
  );
end $function$;
CREATE OR REPLACE FUNCTION public.get_sla_policy(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'get_sla_policy');
  return (
    select private.sla_policy_json(policy) || jsonb_build_object('version', policy.version)
    from public.sla_policies policy where policy.tenant_id = private.tenant_id()
  );
end $function$;
CREATE OR REPLACE FUNCTION private.moved_deadlines(before public.sla_policies, after public.sla_policies)
 RETURNS TABLE(id text, severity text, calendar_id text, calendar_no bigint, due_at timestamp with time zone, new_due_at timestamp with time zone)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return query
  with severities as materialized (
    select changed.severity, private.minutes_to_resolve(after, changed.severity) as minutes,
      private.policy_calendar(after, changed.severity) as calendar,
      private.policy_calendar(after, changed.severity)
        is distinct from private.policy_calendar(before,
        changed.severity) as is_other
    from unnest('{critical,high,medium,low}'::text[]) changed (severity)
    where private.minutes_to_resolve(after, changed.severity) <> private.minutes_to_resolve(before,
      changed.severity)
      or private.policy_calendar(after, changed.severity)
        is distinct from private.policy_calendar(before,
        changed.severity)
  ), current as materialized (
    select changed.*, private.current_calendar_no(private.tenant_id(), changed.calendar) as no
    from severities changed
  )
  select moved.id, moved.severity, moved.to_calendar, moved.no, moved.due_at,
    private.policy_deadline(moved.exception, moved.minutes, moved.no)
  from (
    select exception, exception.id, exception.severity,
      coalesce(exception.held_due_at, exception.due_at) as due_at, current.minutes,
      case when current.is_other then current.calendar
        else exception.calendar_id end as to_calendar,
      case when current.is_other then current.no else exception.calendar_no end as no
    from public.exceptions exception join current on current.severity = exception.severity
    where exception.tenant_id = private.tenant_id() and exception.status in ('open', 'in_review')
      and exception.due_from_policy
  ) moved;
end $function$;
CREATE OR REPLACE FUNCTION private.impact_of(severities text[], due_ats timestamp with time zone[], new_due_ats timestamp with time zone[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object(
      'changed', count(*) filter (where moved.new_due_at <> moved.due_at),
      'earlier', count(*) filter (where moved.new_due_at < moved.due_at),
      'later', count(*) filter (where moved.new_due_at > moved.due_at),
      'newly_breached', count(*) filter (where moved.due_at > now() and moved.new_due_at <= now()),
      'no_longer_breached', count(*) filter (where moved.due_at <= now()
        and moved.new_due_at > now()),
      'by_severity', (
        select jsonb_object_agg(level.severity, (
          select count(*)
          from unnest(severities, due_ats, new_due_ats) as moved (severity, due_at, new_due_at)
          where moved.severity = level.severity and moved.new_due_at <> moved.due_at
        )) from unnest('{critical,high,medium,low}'::text[]) level (severity)
      )
    )
    from unnest(severities, due_ats, new_due_ats) as moved (severity, due_at, new_due_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.move_deadlines(ids text[], calendars text[], calendar_nos bigint[], due_ats timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if array_position(due_ats, null) is not null then
    perform private.refuse_field('calendar_id',
      'This calendar opens too rarely: some deadlines would be more than 25 years away.');
  end if;
  perform private.change_exceptions_for_caller('recalculate', array(
    select jsonb_build_object('id', exception.id, 'calendar_id', moved.calendar_id,
      'calendar_no', moved.calendar_no, 'due_at', moved.due_at)
    from unnest(ids, calendars, calendar_nos, due_ats) as moved (id, calendar_id, calendar_no,
      due_at)
    join public.exceptions exception on exception.tenant_id = private.tenant_id()
      and exception.id = moved.id
    where exception.calendar_no is distinct from moved.calendar_no
      or coalesce(exception.held_due_at, exception.due_at) <> moved.due_at
    order by exception.id
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.require_calendars(policy public.sla_policies)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  chosen record;
  calendar_number bigint;
begin
  for chosen in select level.severity, private.policy_calendar(policy, level.severity) as calendar
    from unnest('{critical,high,medium,low}'::text[]) level (severity) loop
    if chosen.calendar is not null then
      calendar_number := private.current_calendar_no(policy.tenant_id, chosen.calendar);
      if calendar_number is null then
        perform private.refuse_field(
          case when policy.calendar_by_severity ? chosen.severity then 'calendar_by_severity.'
          || chosen.severity
          else 'calendar_id' end,
          'There is no such calendar.');
      elsif private.first_deadline(calendar_number,
        private.minutes_to_resolve(policy, chosen.severity)) is null
        then
        perform private.refuse_field('minutes_to_resolve.' || chosen.severity,
          'The calendar opens too rarely: this deadline would be more than 25 years away.');
      end if;
    end if;
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.store_policy(before public.sla_policies, changed public.sla_policies)
 RETURNS public.sla_policies
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  after public.sla_policies;
begin
  update public.sla_policies policy set
    critical_minutes = changed.critical_minutes, high_minutes = changed.high_minutes,
    medium_minutes = changed.medium_minutes,
    low_minutes = changed.low_minutes, at_risk_thresholds = changed.at_risk_thresholds,
    at_risk_business_thresholds = changed.at_risk_business_thresholds,
    calendar_id = changed.calendar_id, calendar_by_severity = changed.calendar_by_severity,
    pause_max_minutes = changed.pause_max_minutes, pause_max_count = changed.pause_max_count,
    pause_rules = changed.pause_rules, updated_at = now(), updated_by = private.actor(),
    version = before.version + 1
  where policy.tenant_id = before.tenant_id returning * into after;
  perform private.record_security_event('sla_policy.updated', null, null,
    jsonb_build_object('from', private.sla_policy_json(before), 'to',
      private.sla_policy_json(after)));
  return after;
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
  perform private.begin_request(request, 'put_sla_policy');
  select * into before from public.sla_policies where tenant_id = private.tenant_id() for update;
  if jsonb_typeof(request -> 'versions') = 'array'
    and not request -> 'versions' @> to_jsonb(before.version) then
    perform private.refuse('precondition_failed',
      format(
        'The policy has changed since the version in If-Match, last by %s. Get it again and repeat your change.',
        before.updated_by));
  end if;
  after := private.changed_policy(before, input);
  select array_agg(deadline.id) as ids, array_agg(deadline.severity) as severities,
    array_agg(deadline.calendar_id) as calendars, array_agg(deadline.calendar_no) as calendar_nos,
    array_agg(deadline.due_at) as due_ats, array_agg(deadline.new_due_at) as new_due_ats
  into moved from private.moved_deadlines(before, after) deadline;
  impact := private.impact_of(moved.severities, moved.due_ats, moved.new_due_ats);

  if not dry_run and after is distinct from before then
    after := private.store_policy(before, after);
    if moved.ids is not null then
      perform private.move_deadlines(moved.ids, moved.calendars, moved.calendar_nos,
        moved.new_due_ats);
    end if;
    if after.at_risk_thresholds <> before.at_risk_thresholds then
      perform private.rearm_clocks();
    end if;
    if after.at_risk_business_thresholds <> before.at_risk_business_thresholds then
      perform private.rearm_business_warnings(before.at_risk_business_thresholds);
    end if;
  end if;
  return private.sla_policy_json(after)
    || jsonb_build_object('version', after.version, 'dry_run', dry_run, 'impact', impact);
end $function$;
CREATE OR REPLACE FUNCTION private.open_between(tenant text, calendar_number bigint, since timestamp with time zone, until timestamp with time zone)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with covered as materialized (
      select coverage.covered_from <= since and coverage.covered_until >= until as wholly
      from private.calendar_coverage coverage
      where coverage.tenant_id = tenant and coverage.calendar_no = calendar_number
    ), spans as (
      select span.starts_at, span.ends_at from private.calendar_spans span
      where (select wholly from covered) and span.tenant_id = tenant
        and span.calendar_no = calendar_number
        and span.ends_at > since and span.starts_at < until
      union all
      select span.starts_at, span.ends_at from public.calendar_versions calendar_version
      cross join lateral private.open_spans(calendar_version.time_zone, calendar_version.weekly,
        calendar_version.special_days,
        date_trunc('hour', since), date_trunc('hour', until) + interval '1 hour') span
      where not (select wholly from covered) and calendar_version.tenant_id = tenant
        and calendar_version.calendar_no = calendar_number and span.ends_at > since
        and span.starts_at < until
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'starts_at', private.iso(greatest(shown.starts_at, since)),
      'ends_at', private.iso(least(shown.ends_at, until))
    ) order by shown.starts_at), '[]')
    from (select * from spans order by starts_at limit 2000) shown
  );
end $function$;
CREATE OR REPLACE FUNCTION private.open_hours_of(exception public.exceptions, since timestamp with time zone, until timestamp with time zone)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exception.tenant_id = private.tenant_id() and exception.calendar_no is not null then
    return private.open_between(exception.tenant_id, exception.calendar_no, since, until);
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.ledger_rows(exception_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    with lines as (
      select ledger_entry.*, lag(ledger_entry.at) over w as before_at,
        lag(ledger_entry.calendar_no) over w as before_no,
        lag(ledger_entry.due_at) over w as before_due_at
      from public.exception_ledger ledger_entry
      where ledger_entry.tenant_id = private.tenant_id()
        and ledger_entry.exception_id = ledger_rows.exception_id
      window w as (order by ledger_entry.at, ledger_entry.id)
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'at', private.iso(lines.at), 'kind', lines.kind, 'due_at', private.iso(lines.due_at),
      'threshold_minutes', lines.threshold_minutes,
      'threshold_kind', case
        when lines.threshold_minutes is not null then case when lines.in_business_time
          then 'business'
        else 'wall_clock' end
        end,
      'open_ms', case when lines.before_no is not null then
        private.open_ms(lines.tenant_id, lines.before_no, lines.at)
          - private.open_ms(lines.tenant_id, lines.before_no, lines.before_at) end,
      'open_spans', case
        when lines.before_no is not null then private.open_between(lines.tenant_id, lines.before_no,
          lines.before_at, lines.at)
        end,
      'due_moved_ms', case when lines.calendar_no = lines.before_no then
        private.open_ms(lines.tenant_id, lines.calendar_no, lines.due_at)
          - private.open_ms(lines.tenant_id, lines.calendar_no, lines.before_due_at) end,
      'business_ms_left', case when lines.calendar_no is not null then
        private.open_ms(lines.tenant_id, lines.calendar_no, lines.due_at)
          - private.open_ms(lines.tenant_id, lines.calendar_no, lines.at) end,
      'actor', lines.actor, 'actor_issuer', lines.actor_issuer,
      'actor_subject', lines.actor_subject,
      'request_id', lines.request_id
    ) order by lines.at, lines.id), '[]')
    from lines
  );
end $function$;
CREATE OR REPLACE FUNCTION public.get_exception_ledger(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  exception public.exceptions;
  rows jsonb;
  last_at timestamptz;
  until timestamptz;
begin
  perform private.begin_request(request, 'get_exception_ledger');
  exception := private.find_exception(input ->> 'id');
  rows := private.ledger_rows(exception.id);
  last_at := rows -> -1 ->> 'at';
  until := case
    when exception.status in ('open', 'in_review') then greatest(now(),
      least(private.deadline(exception, now()), now() + interval '92 days'))
    else last_at end;
  return jsonb_build_object(
    'as_of', private.iso(now()), 'exception', private.exception_json(exception), 'rows', rows,
    'until', private.iso(until),
    'open_spans', private.open_hours_of(exception, last_at, until)
  );
end $function$;
CREATE OR REPLACE FUNCTION public.get_sla_report(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  since constant timestamptz := input ->> 'since';
  until constant timestamptz := input ->> 'until';
begin
  perform private.begin_request(request, 'get_sla_report');
  return jsonb_build_object('since', private.iso(since), 'until', private.iso(until),
    'by', input ->> 'by', 'rows', coalesce((
    select jsonb_agg(jsonb_build_object(
      'key', grouped.key, 'opened', grouped.opened, 'resolved', grouped.resolved,
      'breached', grouped.breached,
      'breach_rate', round(grouped.breached::numeric / nullif(grouped.settled, 0), 4),
      'median_minutes_to_resolve', round(grouped.median::numeric, 1),
      'p90_minutes_to_resolve', round(grouped.p90::numeric, 1)
    ) order by grouped.key)
    from (
      select ledger_entry.key,
        count(*) filter (where ledger_entry.kind = 'set') as opened,
        count(*) filter (where ledger_entry.kind in ('resolved', 'dismissed')) as resolved,
        count(distinct ledger_entry.exception_id) filter (where ledger_entry.kind
          = 'crossed') as breached,
        count(distinct ledger_entry.exception_id) filter (where ledger_entry.kind
          <> 'set') as settled,
        percentile_cont(0.5) within
          group (order by ledger_entry.minutes) filter (
            where ledger_entry.kind in ('resolved', 'dismissed')) as median,
        percentile_cont(0.9) within
          group (order by ledger_entry.minutes) filter (
            where ledger_entry.kind in ('resolved', 'dismissed')) as p90
      from (
        select ledger_entry.kind, ledger_entry.exception_id,
          extract(epoch from ledger_entry.at - exception.created_at) / 60 as minutes,
          case input ->> 'by'
            when 'day' then to_char(ledger_entry.at at time zone 'UTC', 'YYYY-MM-DD')
            when 'severity' then exception.severity
            else exception.assigned_to
          end as key
        from public.exception_ledger ledger_entry
          join public.exceptions exception on exception.tenant_id = ledger_entry.tenant_id
            and exception.id = ledger_entry.exception_id
        where ledger_entry.tenant_id = private.tenant_id() and ledger_entry.at >= since
          and ledger_entry.at < until
          and (ledger_entry.kind in ('set', 'resolved', 'dismissed')
          or (ledger_entry.kind = 'crossed' and ledger_entry.threshold_minutes = 0))
      ) ledger_entry
      group by ledger_entry.key
    ) grouped
  ), '[]'));
end $function$;
CREATE OR REPLACE FUNCTION private.set_api_key_lineage()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  new.lineage_id := coalesce(
    (select api_key.lineage_id from public.api_keys api_key
      where api_key.tenant_id = new.tenant_id and api_key.id = new.rotated_from),
    new.id);
  return new;
end $function$;
CREATE OR REPLACE FUNCTION private.find_api_key(key_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object(
      'id', api_key.id, 'lineage_id', api_key.lineage_id, 'tenant_id', api_key.tenant_id,
      'name', api_key.name,
      'secret_digest', key_secret.digest, 'scopes', api_key.scopes,
      'ip_allowlist', api_key.ip_allowlist, 'expires_at', private.iso(api_key.expires_at),
      'grace_expires_at', private.iso(api_key.grace_expires_at),
      'revoked', api_key.revoked_at is not null, 'now', private.iso(clock_timestamp())
    )
    from private.api_key_secrets key_secret
      join public.api_keys api_key on api_key.tenant_id = key_secret.tenant_id
        and api_key.id = key_secret.api_key_id
    where key_secret.key_id = find_api_key.key_id
  );
end $function$;
CREATE OR REPLACE FUNCTION private.announce_expiring_api_keys()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  announced integer := 0;
  expiring record;
begin
  for expiring in
    select api_key.id, api_key.tenant_id, api_key.name, api_key.key_id, api_key.expires_at,
      (select min(days) from unnest('{1,3,14}'::integer[]) days
        where api_key.expires_at <= now() + make_interval(days => days)) as days
    from public.api_keys api_key
    where api_key.revoked_at is null and api_key.rotated_to is null and api_key.expires_at > now()
      and api_key.expires_at <= now() + interval '14 days'
  loop
    perform private.emit(expiring.tenant_id, 'api_key.expiring',
      jsonb_build_object('id', expiring.id, 'name', expiring.name, 'key_id', expiring.key_id,
        'expires_at', private.iso(expiring.expires_at), 'days_before', expiring.days),
      format('%s:%s:%s', expiring.id, private.iso(expiring.expires_at), expiring.days));
    announced := announced + 1;
  end loop;
  return announced;
end $function$;
CREATE OR REPLACE FUNCTION private.revocation_json(api_key public.api_keys)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', api_key.id, 'name', api_key.name, 'key_id', api_key.key_id,
    'revoked_at', private.iso(api_key.revoked_at),
    'revoked_by', api_key.revoked_by, 'reason', api_key.revoke_reason
  );
end $function$;
CREATE OR REPLACE FUNCTION private.end_grace_periods()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  ended integer := 0;
  revoked public.api_keys;
begin
  for revoked in
    update public.api_keys api_key set
      revoked_at = api_key.grace_expires_at, revoked_by = 'system',
      revoke_reason = 'The grace period of its rotation elapsed.', updated_at = now()
    where (api_key.tenant_id, api_key.id) in (
      select expired.tenant_id, expired.id from public.api_keys expired
      where expired.revoked_at is null and expired.grace_expires_at <= now() for update skip locked
    )
    returning api_key.*
  loop
    perform private.write_security_event(private.new_id('sev'), revoked.tenant_id,
      'api_key.revoked',
      revoked.id, revoked.revoke_reason,
      jsonb_build_object('name', revoked.name));
    perform private.emit(revoked.tenant_id, 'api_key.revoked', private.revocation_json(revoked),
      revoked.id);
    ended := ended + 1;
  end loop;
  return ended;
end $function$;
CREATE OR REPLACE FUNCTION private.record_api_key_usage(batch uuid, rows jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.usage_batches (id) values (batch) on conflict do nothing;
  if not found then
    return;
  end if;
  with used as materialized (
    select api_key.tenant_id, api_key.id as api_key_id, item.operation, item.address,
      item.outcome, item.calls, now() - make_interval(secs => item.age_ms / 1000.0) as seen_at
    from jsonb_to_recordset(rows)
      as item (api_key_id text, tenant_id text, operation text, address inet, outcome text,
        calls bigint, age_ms bigint)
    join public.api_keys api_key on api_key.tenant_id = item.tenant_id
      and api_key.id = item.api_key_id
  ), hourly as (
    insert into public.api_key_usage_hourly as hour_total (api_key_id, tenant_id, hour, operation,
      address, outcome, calls, last_seen_at)
    select call.api_key_id, call.tenant_id, date_trunc('hour', call.seen_at, 'UTC'), call.operation,
      call.address, call.outcome, sum(call.calls), max(call.seen_at)
    from used call group by 1, 2, 3, 4, 5, 6 order by 2, 1, 3, 4, 5, 6
    on conflict (tenant_id, api_key_id, hour, operation, address, outcome) do update
      set calls = hour_total.calls + excluded.calls,
        last_seen_at = greatest(hour_total.last_seen_at, excluded.last_seen_at)
  ), daily as (
    insert into public.api_key_usage_daily as day_total (api_key_id, tenant_id, day, operation,
      outcome, calls)
    select call.api_key_id, call.tenant_id, (call.seen_at at time zone 'UTC')::date, call.operation,
      call.outcome, sum(call.calls)
    from used call group by 1, 2, 3, 4, 5 order by 2, 1, 3, 4, 5
    on conflict (tenant_id, api_key_id, day, operation, outcome)
      do update set calls = day_total.calls + excluded.calls
  )
  insert into public.api_key_totals as total (api_key_id, tenant_id, request_count, last_used_at,
    last_used_ip)
  select call.api_key_id, call.tenant_id, sum(call.calls), max(call.seen_at),
    (array_agg(call.address order by call.seen_at desc))[1]
  from used call where call.outcome like 'accepted%' group by 1, 2 order by 2, 1
  on conflict (tenant_id, api_key_id) do update set
    request_count = total.request_count + excluded.request_count,
    last_used_ip = case when excluded.last_used_at >= total.last_used_at then excluded.last_used_ip
      else total.last_used_ip end,
    last_used_at = greatest(total.last_used_at, excluded.last_used_at);
end $function$;
CREATE OR REPLACE FUNCTION private.usage_by_hour(api_key public.api_keys)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object('start', private.iso(hour_total.hour),
      'accepted', hour_total.accepted,
      'refused', hour_total.calls - hour_total.accepted) order by hour_total.hour)
    from (
      select hour_total.hour, sum(hour_total.calls) as calls,
        coalesce(sum(hour_total.calls) filter (where hour_total.outcome like 'accepted%'),
          0) as accepted
      from public.api_key_usage_hourly hour_total
      where hour_total.tenant_id = api_key.tenant_id and hour_total.api_key_id = api_key.id
        and hour_total.hour >= private.usage_week()
      group by 1
    ) hour_total
  ), '[]');
end $function$;
CREATE OR REPLACE FUNCTION private.usage_by_day(api_key public.api_keys)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((
    select jsonb_agg(jsonb_build_object(
      'start', private.iso(day_total.day::timestamp at time zone 'UTC'),
      'accepted', day_total.accepted,
      'refused', day_total.calls - day_total.accepted) order by day_total.day)
    from (
      select day_total.day, sum(day_total.calls) as calls,
        coalesce(sum(day_total.calls) filter (where day_total.outcome like 'accepted%'),
          0) as accepted
      from public.api_key_usage_daily day_total
      where day_total.tenant_id = api_key.tenant_id and day_total.api_key_id = api_key.id
        and day_total.day > (now() at time zone 'UTC')::date - 90
      group by 1
    ) day_total
  ), '[]');
end $function$;
CREATE OR REPLACE FUNCTION public.get_api_key_usage(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  api_key public.api_keys;
begin
  perform private.begin_request(request, 'get_api_key_usage');
  api_key := private.find_api_key_of_caller(input ->> 'id');
  return jsonb_build_object(
    'as_of', private.iso(now()),
    'hours', private.usage_by_hour(api_key),
    'days', private.usage_by_day(api_key),
    'addresses', coalesce((
      select jsonb_agg(
        jsonb_build_object('address', host(hour_total.address), 'calls', hour_total.calls,
          'in_grace', hour_total.in_grace,
          'last_seen_at', private.iso(hour_total.last_seen))
      order by hour_total.last_seen desc)
      from (
        select hour_total.address, sum(hour_total.calls) as calls,
          coalesce(sum(hour_total.calls) filter (where hour_total.outcome = 'accepted_in_grace'),
            0) as in_grace,
          max(hour_total.last_seen_at) as last_seen
        from public.api_key_usage_hourly hour_total
        where hour_total.tenant_id = api_key.tenant_id and hour_total.api_key_id = api_key.id
          and hour_total.hour >= private.usage_week()
          and hour_total.outcome like 'accepted%'
        group by 1 order by max(hour_total.last_seen_at) desc limit 100
      ) hour_total
    ), '[]'),
    'refusals', coalesce((
      select jsonb_object_agg(day_total.outcome, day_total.calls)
      from (
        select day_total.outcome, sum(day_total.calls) as calls
        from public.api_key_usage_daily day_total
        where day_total.tenant_id = api_key.tenant_id and day_total.api_key_id = api_key.id
          and day_total.day > (now() at time zone 'UTC')::date - 90
          and day_total.outcome not like 'accepted%'
        group by 1
      ) day_total
    ), '{}')
  );
end $function$;
CREATE OR REPLACE FUNCTION public.estimate_api_key_impact(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'estimate_api_key_impact');
  api_key public.api_keys;
begin
  if replayed is not null then
    return replayed;
  end if;
  api_key := private.find_api_key_of_caller(input ->> 'id');
  return private.finish_request(request, jsonb_build_object(
    'since', private.iso(private.usage_week()),
    'calls', coalesce((
      select jsonb_agg(jsonb_build_object(
        'operation', hour_total.operation, 'address', host(hour_total.address),
        'hour', private.iso(hour_total.hour),
        'calls', hour_total.calls, 'last_seen_at', private.iso(hour_total.last_seen_at)
      ))
      from public.api_key_usage_hourly hour_total
      where hour_total.tenant_id = api_key.tenant_id and hour_total.api_key_id = api_key.id
        and hour_total.hour >= private.usage_week()
        and hour_total.outcome like 'accepted%'
    ), '[]'),
    'webhooks', coalesce((
      select jsonb_agg(jsonb_build_object('id', webhook.id, 'url', webhook.url) order by webhook.id)
      from public.webhooks webhook
        where webhook.tenant_id = api_key.tenant_id
          and webhook.id = any (private.webhooks_of_api_key(api_key))
    ), '[]')
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.api_key_json(api_key public.api_keys)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  grace_is_over constant boolean := coalesce(api_key.grace_expires_at <= now(), false);
  today constant date := (now() at time zone 'UTC')::date;
  total public.api_key_totals;
begin
  select * into total
  from public.api_key_totals
  where api_key_totals.tenant_id = api_key.tenant_id and api_key_totals.api_key_id = api_key.id;
  return jsonb_build_object(
    'id', api_key.id, 'name', api_key.name, 'description', api_key.description,
    'key_id', api_key.key_id,
    'scopes', api_key.scopes,
    'ip_allowlist', api_key.ip_allowlist, 'expires_at', private.iso(api_key.expires_at),
    'created_at', private.iso(api_key.created_at),
    'created_by', api_key.created_by,
    'status', case
      when api_key.revoked_at is not null or grace_is_over then 'revoked'
      when api_key.expires_at <= now() then 'expired'
      when api_key.rotated_to is not null then 'rotating'
      else 'active'
    end,
    'last_used_at', private.iso(total.last_used_at),
    'request_count', coalesce(total.request_count, 0),
    'last_used_ip', host(total.last_used_ip),
    'grace_expires_at', private.iso(api_key.grace_expires_at), 'rotated_from', api_key.rotated_from,
    'rotated_to', api_key.rotated_to,
    'revoked_at', private.iso(coalesce(api_key.revoked_at,
      case when grace_is_over then api_key.grace_expires_at end)),
    'revoked_by', coalesce(api_key.revoked_by, case when grace_is_over then 'system' end),
    'revoke_reason', coalesce(api_key.revoke_reason,
      case when grace_is_over then 'The grace period of its rotation ended.' end),
    'rotation_recommended_at', private.iso(api_key.created_at + interval '90 days'),
    'as_of', private.iso(now()),
    'operations_used', coalesce((
      select jsonb_agg(distinct day_total.operation) from public.api_key_usage_daily day_total
      where day_total.tenant_id = api_key.tenant_id and day_total.api_key_id = api_key.id
        and day_total.outcome like 'accepted%'
        and day_total.day > today - 30
    ), '[]'),
    'calls_by_day', (
      select jsonb_agg(coalesce(daily.calls, 0) order by ago.days desc)
      from generate_series(0, 6) as ago (days)
      left join lateral (
        select sum(day_total.calls) as calls from public.api_key_usage_daily day_total
        where day_total.tenant_id = api_key.tenant_id and day_total.api_key_id = api_key.id
          and day_total.day = today - ago.days
          and day_total.outcome like 'accepted%'
      ) daily on true
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.api_key_version(api_key public.api_keys)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.version_of(jsonb_build_array(
    api_key.name, api_key.description, api_key.scopes, api_key.ip_allowlist,
    private.iso(api_key.expires_at), api_key.rotated_to,
    private.iso(api_key.grace_expires_at),
    private.iso(api_key.revoked_at)
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.find_api_key_of_caller(id text)
 RETURNS public.api_keys
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  api_key public.api_keys;
begin
  select * into api_key from public.api_keys where api_keys.tenant_id = private.tenant_id()
    and api_keys.id = $1;
  if not found then
    perform private.refuse_missing('API key');
  end if;
  return api_key;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_usable_api_key(id text)
 RETURNS public.api_keys
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  api_key public.api_keys;
begin
  api_key := private.lock_api_key(id);
  if api_key.revoked_at is not null or api_key.grace_expires_at <= now() then
    perform private.refuse_conflict('revoked', 'This API key is revoked.');
  elsif api_key.expires_at <= now() then
    perform private.refuse_conflict('expired', 'This API key has expired.');
  end if;
  return api_key;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_api_key(id text)
 RETURNS public.api_keys
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  api_key public.api_keys;
begin
  select * into api_key
  from public.api_keys
  where api_keys.tenant_id = private.tenant_id() and api_keys.id = $1 for update;
  if not found then
    perform private.refuse_missing('API key');
  end if;
  return api_key;
end $function$;
CREATE OR REPLACE FUNCTION public.rotate_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'rotate_api_key');
  old public.api_keys;
  successor public.api_keys;
begin
  if replayed is not null then
    return replayed;
  end if;
  old := private.lock_usable_api_key(input ->> 'id');
  if old.rotated_to is not null then
    perform private.refuse_conflict('already_rotated',
      'This API key has already been rotated. Rotate its successor.');
  end if;
  successor := private.insert_api_key(input || jsonb_build_object(
    'name', old.name, 'description', old.description, 'scopes', old.scopes,
    'ip_allowlist', old.ip_allowlist,
    'expires_at', now() + (old.expires_at - old.created_at)
  ), old.id);
  update public.api_keys api_key set
    rotated_to = successor.id, updated_at = now(),
    grace_expires_at = least(now()
      + make_interval(secs => (input ->> 'grace_period_seconds')::integer),
      api_key.expires_at)
  where api_key.tenant_id = old.tenant_id and api_key.id = old.id;
  perform private.record_security_event('api_key.rotated', old.id, null,
    jsonb_build_object('successor', successor.id,
      'grace_period_seconds', input -> 'grace_period_seconds'));
  return private.finish_request(request,
    private.api_key_json(successor)
      || jsonb_build_object('version', private.api_key_version(successor))
    || jsonb_build_object('sealed', input -> 'sealed'));
end $function$;
CREATE OR REPLACE FUNCTION private.webhooks_of_api_key(api_key public.api_keys)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array(
    select webhook.id from public.webhooks webhook
    where webhook.tenant_id = api_key.tenant_id and webhook.deleted_at is null
      and webhook.status = 'active'
      and webhook.created_by in (
      select 'api_key:' || api_keys.id
      from public.api_keys
      where api_keys.tenant_id = api_key.tenant_id and api_keys.lineage_id = api_key.lineage_id
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION public.revoke_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'revoke_api_key');
  api_key public.api_keys;
begin
  if replayed is not null then
    return replayed;
  end if;
  api_key := private.lock_api_key(input ->> 'id');
  perform private.require_version(private.api_key_version(api_key), request -> 'versions');
  if api_key.revoked_at is null
    and (api_key.grace_expires_at is null or api_key.grace_expires_at > now()) then
    update public.api_keys
    set revoked_at = now(), revoked_by = private.actor(), revoke_reason = input ->> 'reason',
      updated_at = now()
    where api_keys.tenant_id = api_key.tenant_id and api_keys.id = api_key.id
    returning * into api_key;
    perform private.record_security_event('api_key.revoked', api_key.id, input ->> 'reason',
      jsonb_build_object('name', api_key.name));
    perform private.emit(api_key.tenant_id, 'api_key.revoked', private.revocation_json(api_key),
      api_key.id);
    if (input ->> 'disable_webhooks')::boolean then
      perform private.disable_webhook(webhook_id, 'manual',
        format('The API key %s, which registered it, was revoked.', api_key.name))
      from unnest(private.webhooks_of_api_key(api_key)) webhook_id;
    end if;
  end if;
  return private.finish_request(request,
    private.api_key_json(api_key)
      || jsonb_build_object('version', private.api_key_version(api_key)));
end $function$;
CREATE OR REPLACE FUNCTION public.update_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_api_key');
  -- Calls and time change these columns, so they are not part of an update.
  use constant text[] :=
    '{as_of,request_count,last_used_at,last_used_ip,operations_used,calls_by_day}';
  patch constant jsonb := input -> 'patch';
  api_key public.api_keys;
  before jsonb;
  changes jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  api_key := private.lock_usable_api_key(input ->> 'id');
  perform private.require_version(private.api_key_version(api_key), request -> 'versions');
  perform private.require_expiry((patch ->> 'expires_at')::timestamptz);
  before := private.api_key_json(api_key) - use;
  update public.api_keys set
    name = case when patch ? 'name' then patch ->> 'name' else api_keys.name end,
    description = case when patch ? 'description' then patch ->> 'description'
      else api_keys.description
      end,
    scopes = case when patch ? 'scopes' then private.text_array(patch -> 'scopes')
      else api_keys.scopes
      end,
    ip_allowlist = case when patch ? 'ip_allowlist' then private.text_array(patch -> 'ip_allowlist')
      else api_keys.ip_allowlist end,
    expires_at = case when patch ? 'expires_at' then (patch ->> 'expires_at')::timestamptz
      else api_keys.expires_at end,
    -- `least` ignores nulls: a key without a grace period has none now.
    grace_expires_at = case
      when api_keys.grace_expires_at is not null then least(api_keys.grace_expires_at,
        (patch ->> 'expires_at')::timestamptz)
      end,
    updated_at = now()
  where api_keys.tenant_id = api_key.tenant_id and api_keys.id = api_key.id
  returning * into api_key;
  changes := private.changes(before, private.api_key_json(api_key) - use);
  if changes is not null then
    perform private.record_security_event('api_key.updated', api_key.id, null, changes);
  end if;
  return private.finish_request(request,
    private.api_key_json(api_key)
      || jsonb_build_object('version', private.api_key_version(api_key)));
end $function$;
CREATE OR REPLACE FUNCTION public.get_api_key(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  api_key public.api_keys;
begin
  perform private.begin_request(request, 'get_api_key');
  api_key := private.find_api_key_of_caller(input ->> 'id');
  return private.api_key_json(api_key)
    || jsonb_build_object('version', private.api_key_version(api_key));
end $function$;
CREATE OR REPLACE FUNCTION public.list_api_keys(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  sought constant text := lower(input ->> 'q');
  items jsonb;
begin
  perform private.begin_request(request, 'list_api_keys');
  select jsonb_agg(api_key.json order by api_key.id desc) into items
  from (
    select api_key.id, listed.json
    from public.api_keys api_key
    cross join lateral (select private.api_key_json(api_key) as json) listed
    where api_key.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or api_key.id < input -> 'after' ->> 0)
      and (sought is null or strpos(lower(api_key.name), sought) > 0
      or strpos(lower(api_key.key_id), sought) > 0 or api_key.id = sought)
      and (input ->> 'status' is null or listed.json ->> 'status' = input ->> 'status')
    order by api_key.id desc
    limit page_size + 1
  ) api_key;
  return private.page(items, page_size, 'id') || jsonb_build_object('as_of', private.iso(now()));
end $function$;
CREATE OR REPLACE FUNCTION private.skip_repeated_event()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.event_once (tenant_id, type, once_key)
  values (new.tenant_id, new.type, new.once_key)
  on conflict do nothing;
  return case when found then new end;
end $function$;
CREATE OR REPLACE FUNCTION private.emit_test(webhook_id text, type text, data jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  event_id text;
begin
  insert into public.events (tenant_id, type, data, test_of)
  values (private.tenant_id(), $2, $3, $1)
  returning id into event_id;
  return event_id;
end $function$;
CREATE OR REPLACE FUNCTION private.settled_event_position()
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  issued constant bigint := (select event_position.last_value
    from private.event_positions event_position);
  half_range constant bigint := 1073741824;
  lowest_mark bigint;
begin
  -- From the last 31 bits, the number that is nearest to `issued`.
  select min(issued
    + ((lock.objid::bigint - (issued & 2147483647) + 3 * half_range) % (2 * half_range))
      - half_range)
  into lowest_mark
  from pg_catalog.pg_locks lock
  where lock.locktype = 'advisory' and lock.objsubid = 2
    and lock.database = (select database.oid from pg_catalog.pg_database database
      where database.datname = current_database())
    and lock.classid::bigint = private.event_lock(private.tenant_id());
  return least(issued, lowest_mark);
end $function$;
CREATE OR REPLACE FUNCTION private.event_position_before(since timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  first_id constant text := 'evt_' || lpad(to_hex(
    (extract(epoch from since - interval '1 second') * 1000)::bigint), 12, '0');
begin
  return (
    select min(event.position) - 1
    from (
      select event.position from public.events event
      where event.tenant_id = private.tenant_id() and event.id >= first_id
        and event.position is not null
      order by event.id limit 100
    ) event
  );
end $function$;
CREATE OR REPLACE FUNCTION private.event_json(event public.events)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('id', event.id, 'type', event.type, 'timestamp', private.iso(event.at),
    'data', event.data, 'subject', event.subject)
    || case when event.test_of is null then '{}'::jsonb else '{"test": true}' end;
end $function$;
CREATE OR REPLACE FUNCTION private.event_window_end(start bigint, settled bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select event.position from public.events event
    where event.tenant_id = private.tenant_id() and event.position > $1 and event.position <= $2
    order by event.position offset 999 limit 1
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_events(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  oldest constant timestamptz := now() - interval '30 days';
  earliest constant timestamptz := greatest((input ->> 'since')::timestamptz, oldest);
  wanted_subject constant text := input ->> 'subject';
  wanted_types text[] := private.text_array(input -> 'types');
  settled bigint;
  start bigint;
  last_position bigint;
  found record;
begin
  perform private.begin_request(request, 'list_events');
  perform private.require_any_event();
  perform private.require_readable_events(wanted_types);
  perform private.require_fresh_cursor((input ->> 'seen_at')::timestamptz, oldest);
  if cardinality(wanted_types) = 0 then
    wanted_types := private.readable_events();
  end if;
  settled := private.settled_event_position();
  start := least(settled, coalesce((input ->> 'after')::bigint,
    private.event_position_before(earliest), settled));
  if wanted_subject is null then
    last_position := private.event_window_end(start, settled);
  end if;
  last_position := coalesce(last_position, settled);
  select jsonb_agg(private.event_json(placed.event) order by placed.place)
      filter (where placed.place <= page_size) as items,
    max((placed.event).position) filter (where placed.place = page_size and placed.is_cut)
      as last_position
  into found
  from (
    select matching.event, row_number() over (order by (matching.event).position) as place,
      count(*) over () > page_size as is_cut
    from (
      select event from public.events event
      where event.tenant_id = tenant and event.position > start and event.position <= last_position
        and event.at >= earliest and event.type = any (wanted_types)
        and (wanted_subject is null or event.subject = wanted_subject)
        and (event.test_of is null or (input ->> 'test')::boolean)
      order by event.position limit page_size + 1
    ) matching
  ) placed;
  last_position := coalesce(found.last_position, last_position);
  return jsonb_build_object('items', coalesce(found.items, '[]'), 'position', last_position::text,
    'has_more', last_position < settled, 'as_of', private.iso(now()));
end $function$;
CREATE OR REPLACE FUNCTION public.get_event(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  event public.events;
begin
  perform private.begin_request(request, 'get_event');
  select * into event
  from public.events
  where events.tenant_id = private.tenant_id() and events.id = input ->> 'id'
    and events.at > now() - interval '30 days' and events.type = any (private.readable_events());
  if not found then
    perform private.refuse_missing('event');
  end if;
  return private.event_json(event);
end $function$;
CREATE OR REPLACE FUNCTION public.create_test_event(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_test_event');
  test_event_id text;
  event public.events;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_readable_events(array[input ->> 'type']);
  test_event_id := private.emit_test('reading', input ->> 'type', input -> 'data');
  select * into event from public.events where events.tenant_id = private.tenant_id()
    and events.id = test_event_id;
  return private.finish_request(request, private.event_json(event));
end $function$;
CREATE OR REPLACE FUNCTION private.guard_exception_comment()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  new.mentions := array(select distinct mention[1]
    from regexp_matches(new.body, '<@(user:[^[:space:]<>]{1,120})>', 'g') mention order by 1);
  if cardinality(new.mentions) > 20 then
    perform private.refuse_field('body', 'Mention at most 20 people.');
  elsif (select count(*) from public.exception_comments comment
    where comment.tenant_id = new.tenant_id and comment.exception_id = new.exception_id) >= 1000
      then
    perform private.refuse_conflict('quota', 'An exception can have at most 1,000 comments.');
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION private.exception_comment_json(comment public.exception_comments)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('id', comment.id, 'exception_id', comment.exception_id,
    'body', comment.body,
    'mentions', comment.mentions, 'created_at', private.iso(comment.created_at),
    'created_by', comment.created_by, 'actor_issuer', comment.actor_issuer,
    'actor_subject', comment.actor_subject);
end $function$;
CREATE OR REPLACE FUNCTION public.list_exception_comments(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  exception public.exceptions;
  items jsonb;
begin
  perform private.begin_request(request, 'list_exception_comments');
  exception := private.find_exception(input ->> 'id');
  select jsonb_agg(private.exception_comment_json(comment) order by comment.id desc) into items
  from (
    select * from public.exception_comments comment
    where comment.tenant_id = exception.tenant_id and comment.exception_id = exception.id
      and (input -> 'after' ->> 0 is null or comment.id < input -> 'after' ->> 0)
    order by comment.id desc limit page_size + 1
  ) comment;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.create_exception_comment(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_exception_comment');
  exception public.exceptions;
  comment public.exception_comments;
begin
  if replayed is not null then
    return replayed;
  end if;
  exception := private.find_exception(input ->> 'id');
  insert into public.exception_comments (exception_id, body)
  values (exception.id, input ->> 'body')
  returning * into comment;
  return private.finish_request(request, private.exception_comment_json(comment));
end $function$;
CREATE OR REPLACE FUNCTION private.evidence_json(attachment public.evidence)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', attachment.id, 'subject_type', attachment.subject_type,
    'subject_id', attachment.subject_id,
    'file_name', attachment.file_name, 'media_type', attachment.media_type,
    'bytes', attachment.bytes, 'sha256', attachment.sha256,
    'supersedes', attachment.supersedes,
    'superseded_by', (
      select evidence.id from public.evidence
      where evidence.tenant_id = attachment.tenant_id and evidence.supersedes = attachment.id
        and evidence.removed_at is null
    ),
    'is_signed', exists (
      select from public.statement_evidence listing
      where listing.tenant_id = attachment.tenant_id and listing.evidence_id = attachment.id
    ),
    'created_at', private.iso(attachment.created_at), 'created_by', attachment.created_by
  );
end $function$;
CREATE OR REPLACE FUNCTION private.find_evidence(id text)
 RETURNS public.evidence
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  attachment public.evidence;
begin
  select * into attachment from public.evidence
  where evidence.tenant_id = private.tenant_id() and evidence.id = $1
    and evidence.removed_at is null;
  if not found or attachment.subject_type = 'exception'
    and not private.may('read:exceptions', 'write:exceptions') then
    perform private.refuse_missing('evidence');
  end if;
  return attachment;
end $function$;
CREATE OR REPLACE FUNCTION private.evidence_part(id text, start integer, size integer)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select encode(substring(contents.content from start + 1 for size), 'base64')
    from private.evidence_contents contents
    where contents.tenant_id = private.tenant_id() and contents.evidence_id = $1
      and private.may('read:evidence', 'write:evidence')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.evidence_row(attachment public.evidence)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return row(attachment.id, attachment.subject_type, attachment.subject_id, attachment.file_name,
    attachment.media_type, attachment.bytes, attachment.sha256,
    attachment.created_by, private.iso(attachment.created_at))::text;
end $function$;
CREATE OR REPLACE FUNCTION private.is_line_of_period(period public.reconciliations, line text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  no constant bigint := (select lines.line_no from public.lines
    where lines.tenant_id = period.tenant_id and lines.id = private.line_id(line));
begin
  return exists (
    select from public.match_members member
    join public.matches match on match.tenant_id = member.tenant_id and match.id = member.match_id
    where member.tenant_id = period.tenant_id and member.line_no = no
      and member.pair_no = period.pair_no
      and match.reconciliation_id = period.id and match.state = 'confirmed'
  ) or exists (
    select from public.exclusions exclusion
    where exclusion.tenant_id = period.tenant_id and exclusion.pair_no = period.pair_no
      and exclusion.line_no = no and exclusion.reconciliation_id = period.id
  ) or exists (
    select from public.carried_lines carried_line
    where carried_line.tenant_id = period.tenant_id and carried_line.reconciliation_id = period.id
      and carried_line.line_no = no
  );
end $function$;
CREATE OR REPLACE FUNCTION private.list_evidence_on_statement(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  next_number constant integer := (
    select coalesce(max(statements.number), 0) + 1 from public.statements
    where statements.tenant_id = period.tenant_id and statements.reconciliation_id = period.id
  );
  attachment public.evidence;
begin
  for attachment in
    select * from public.evidence
    where evidence.tenant_id = period.tenant_id and evidence.removed_at is null
      and case evidence.subject_type
        when 'reconciliation' then evidence.subject_id = period.id
        when 'exception' then exists (
          select from public.exceptions exception
          where exception.tenant_id = period.tenant_id and exception.id = evidence.subject_id
            and exception.reconciliation_id = period.id)
        when 'match' then exists (
          select from public.matches match
          where match.tenant_id = period.tenant_id
            and match.id = private.match_id(evidence.subject_id)
            and match.reconciliation_id = period.id and match.state = 'confirmed')
        else private.is_line_of_period(period, evidence.subject_id) end
    order by evidence.id
    -- Nobody removes one that the statement lists.
    for share of evidence
  loop
    insert into public.statement_evidence (tenant_id, reconciliation_id, number, evidence_id,
      content)
    values (period.tenant_id, period.id, next_number, attachment.id,
      private.evidence_row(attachment));
  end loop;
  return (
    select jsonb_build_object('count', count(*), 'sha256', encode(sha256(
      coalesce(string_agg(sha256(convert_to(listed.content, 'UTF8')), ''::bytea
        order by listed.evidence_id), '')
    ), 'hex'))
    from public.statement_evidence listed
    where listed.tenant_id = period.tenant_id and listed.reconciliation_id = period.id
      and listed.number = next_number
  );
end $function$;
CREATE OR REPLACE FUNCTION private.withdraw_evidence_of_closing(period public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from public.statement_evidence listing
  where listing.tenant_id = period.tenant_id and listing.reconciliation_id = period.id
    and not exists (
      select from public.statements
      where statements.tenant_id = listing.tenant_id
        and statements.reconciliation_id = listing.reconciliation_id
        and statements.number = listing.number
    );
end $function$;
CREATE OR REPLACE FUNCTION private.missing_evidence(period public.reconciliations)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  asked_from constant bigint := (
    private.policy_of_pair(period.tenant_id, period.pair_no) ->> 'evidence_from_minor')::bigint;
begin
  if asked_from is null then
    return 0;
  end if;
  return (
    select count(*) from public.matches match
    where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
      and match.state = 'confirmed' and match.method = 'manual' and match.adjustments <> '[]'
      and exists (
        select from jsonb_array_elements(match.adjustments) adjustment
        where abs((adjustment ->> 'amount_minor')::bigint) >= asked_from
      )
      and not exists (
        select from public.evidence evidence
        where evidence.tenant_id = match.tenant_id and evidence.removed_at is null
          and evidence.subject_id = private.match_id_text(match.id)
      )
      and not exists (
        select from public.match_members member
        join public.lines line on line.tenant_id = member.tenant_id
          and line.line_no = member.line_no
        join public.evidence evidence on evidence.tenant_id = member.tenant_id
          and evidence.removed_at is null and evidence.subject_id = private.line_id_text(line.id)
        where member.tenant_id = match.tenant_id and member.match_id = match.id
      )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_evidence_room(input jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  subject constant jsonb := private.evidence_subject(input ->> 'subject_id');
  before public.evidence;
begin
  perform private.serialize_counting('evidence');
  if (select count(*) from public.evidence
    where evidence.tenant_id = tenant and evidence.subject_id = input ->> 'subject_id'
      and evidence.removed_at is null) >= 50
  then
    perform private.refuse_conflict('quota', format(
      'There can be at most 50 files of evidence for one %s. Remove one, or pack several in a PDF.',
      subject ->> 'type'));
  end if;
  perform private.require_quota('evidence_mib',
    ceil((input ->> 'bytes')::numeric / 1048576)::bigint);
  if input ->> 'supersedes' is not null then
    before := private.find_evidence(input ->> 'supersedes');
    if before.subject_id <> input ->> 'subject_id' then
      perform private.refuse_field('supersedes', 'Give a file of the same subject.');
    elsif exists (select from public.evidence where evidence.tenant_id = tenant
      and evidence.supersedes = before.id and evidence.removed_at is null) then
      perform private.refuse_conflict('already_superseded',
        'Another file has superseded this one. Supersede the newest.');
    end if;
  end if;
  return subject;
end $function$;
CREATE OR REPLACE FUNCTION public.add_evidence(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'add_evidence');
  subject jsonb;
  attachment public.evidence;
begin
  if replayed is not null then
    return replayed;
  end if;
  subject := private.require_evidence_room(input);
  insert into public.evidence (id, subject_type, subject_id, file_name, media_type, bytes, sha256,
    bucket, supersedes)
  values (input ->> 'id', subject ->> 'type', input ->> 'subject_id', input ->> 'file_name',
    input ->> 'media_type', (input ->> 'bytes')::integer, input ->> 'sha256', input ->> 'bucket',
    input ->> 'supersedes')
  returning * into attachment;
  if attachment.bucket is null then
    insert into private.evidence_contents (tenant_id, evidence_id, content)
    values (attachment.tenant_id, attachment.id, decode(input ->> 'content', 'base64'));
  end if;
  perform private.record_evidence('evidence.added', attachment, subject);
  return private.finish_request(request, private.evidence_json(attachment)
    || jsonb_build_object('version', private.version_of(private.evidence_json(attachment))));
end $function$;
CREATE OR REPLACE FUNCTION private.record_evidence(type text, attachment public.evidence, subject jsonb, reason text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.record_security_event(type, attachment.subject_id, reason, jsonb_build_object(
    'name', subject -> 'name', 'subject_type', attachment.subject_type,
    'reconciliation_id', subject -> 'reconciliation_id', 'evidence_id', attachment.id,
    'file_name', attachment.file_name, 'media_type', attachment.media_type,
    'bytes', attachment.bytes, 'sha256', attachment.sha256,
    'supersedes', attachment.supersedes));
end $function$;
CREATE OR REPLACE FUNCTION public.remove_evidence(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'remove_evidence');
  tenant constant text := private.tenant_id();
  subject jsonb;
  attachment public.evidence;
  answer jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  attachment := private.find_evidence(input ->> 'id');
  subject := private.evidence_subject(attachment.subject_id);
  perform from public.evidence where evidence.tenant_id = tenant and evidence.id = attachment.id
    for update;
  attachment := private.find_evidence(attachment.id);
  answer := private.evidence_json(attachment);
  perform private.require_version(private.version_of(answer), request -> 'versions');
  if (answer ->> 'is_signed')::boolean then
    perform private.refuse_conflict('evidence_signed',
      'A signed statement lists this file, so it stays. Add another file that supersedes it.');
  elsif answer ->> 'superseded_by' is not null then
    perform private.refuse_conflict('already_superseded',
      'Another file has superseded this one. Remove that one first.');
  end if;
  delete from private.evidence_contents contents
  where contents.tenant_id = tenant and contents.evidence_id = attachment.id;
  update public.evidence set removed_at = now(), removed_by = private.actor(),
    removed_reason = input ->> 'reason'
  where evidence.tenant_id = tenant and evidence.id = attachment.id;
  if subject ->> 'reconciliation_id' is not null then
    perform private.revoke_signatures(tenant, array(
      select period.id from public.reconciliations period
      where period.tenant_id = tenant and period.id = subject ->> 'reconciliation_id'
        and period.closed_at is null
    ), left(format('Evidence was removed: %s', attachment.file_name), 1000));
  end if;
  perform private.record_evidence('evidence.removed', attachment, subject, input ->> 'reason');
  return private.finish_request(request, answer
    || jsonb_build_object('version', private.version_of(answer), 'bucket', attachment.bucket));
end $function$;
CREATE OR REPLACE FUNCTION public.list_evidence(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_evidence');
  select jsonb_agg(private.evidence_json(evidence) order by evidence.id desc) into items
  from (
    select * from public.evidence
    where evidence.tenant_id = private.tenant_id() and evidence.removed_at is null
      and evidence.subject_id = input ->> 'subject_id'
      and (input -> 'after' ->> 0 is null or evidence.id < input -> 'after' ->> 0)
    order by evidence.id desc limit page_size + 1
  ) evidence;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.open_evidence_content(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  attachment public.evidence;
begin
  perform private.begin_request(request, 'open_evidence_content');
  attachment := private.find_evidence(input ->> 'id');
  return jsonb_build_object('file_name', attachment.file_name, 'bytes', attachment.bytes,
    'bucket', attachment.bucket);
end $function$;
CREATE OR REPLACE FUNCTION private.connection_json(connection public.connections)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', connection.id, 'source_id', (
      select source.id from public.sources source
      where source.tenant_id = connection.tenant_id and source.source_no = connection.source_no),
    'kind', connection.kind, 'address', connection.address, 'auth', connection.auth,
    'user_name', connection.user_name,
    'region', connection.region, 'file_glob', connection.file_glob,
    'allowed_senders', to_jsonb(connection.allowed_senders), 'schedule', connection.schedule,
    'afterwards', connection.afterwards, 'move_to', connection.move_to,
    'stable_seconds', connection.stable_seconds,
    'waits_for_marker', connection.waits_for_marker, 'assigned_to', connection.assigned_to,
    'host_key', connection.host_key, 'status', connection.status,
    'next_look_at', private.iso(connection.next_look_at),
    'last_look_at', private.iso(connection.last_look_at),
    'last_outcome', connection.last_outcome, 'last_error', connection.last_error,
    'failing_since', private.iso(connection.failing_since),
    'created_at', private.iso(connection.created_at), 'created_by', connection.created_by,
    'updated_at', private.iso(connection.updated_at));
end $function$;
CREATE OR REPLACE FUNCTION private.connection_version(connection public.connections)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.version_of(jsonb_build_array(
    connection.address, connection.auth, connection.user_name, connection.region,
    connection.file_glob, connection.allowed_senders, connection.schedule,
    connection.afterwards, connection.move_to, connection.stable_seconds,
    connection.waits_for_marker, connection.assigned_to, connection.host_key,
    connection.status, private.iso(connection.credential_changed_at)));
end $function$;
CREATE OR REPLACE FUNCTION private.versioned_connection_json(connection public.connections)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.connection_json(connection)
    || jsonb_build_object('version', private.connection_version(connection));
end $function$;
CREATE OR REPLACE FUNCTION private.connection_file_json(file public.connection_files)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', file.id, 'path', file.path, 'bytes', file.bytes,
    'modified_at', private.iso(file.modified_at),
    'sha256', file.sha256, 'sender', file.sender, 'sender_checks', file.sender_checks,
    'outcome', file.outcome, 'import_id', file.import_id,
    'line_count', (
      select import.accepted_count from public.imports import
      where import.tenant_id = file.tenant_id and import.id = file.import_id
        and import.status = 'done'),
    'error', file.error, 'created_at', private.iso(file.created_at),
    'tried_at', private.iso(file.tried_at), 'taken_at', private.iso(file.taken_at));
end $function$;
CREATE OR REPLACE FUNCTION private.find_connection(id text)
 RETURNS public.connections
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  connection public.connections;
begin
  select * into connection from public.connections
  where connections.tenant_id = private.tenant_id() and connections.id = $1
    and connections.deleted_at is null;
  if not found then
    perform private.refuse_missing('connection');
  end if;
  return connection;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_connection(id text)
 RETURNS public.connections
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform from public.connections connection
  where connection.tenant_id = private.tenant_id() and connection.id = $1 for no key update;
  return private.find_connection(id);
end $function$;
CREATE OR REPLACE FUNCTION private.clock_of_connection(connection public.connections)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('zone', source.time_zone,
      'open_days', private.open_days(connection.tenant_id, connection.schedule ->> 'calendar_id')
        -> 'open_days')
    from public.sources source where source.tenant_id = connection.tenant_id
      and source.source_no = connection.source_no);
end $function$;
CREATE OR REPLACE FUNCTION private.has_file_of_day(connection public.connections, moment timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  zone constant text := private.clock_of_connection(connection) ->> 'zone';
begin
  return exists (
    select from public.connection_files file
    where file.tenant_id = connection.tenant_id and file.connection_id = connection.id
      and file.outcome in ('importing', 'imported')
      and (file.created_at at time zone zone)::date = (moment at time zone zone)::date);
end $function$;
CREATE OR REPLACE FUNCTION private.plan_connection(connection public.connections)
 RETURNS public.connections
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  clock constant jsonb := private.clock_of_connection(connection);
  zone constant text := clock ->> 'zone';
  open_days constant jsonb := nullif(clock -> 'open_days', 'null');
  is_planned constant boolean := connection.schedule is not null and connection.deleted_at is null;
begin
  update public.connections set
    next_look_at = case when is_planned and connection.status = 'active'
      and connection.kind <> 'mail' then
      private.next_look(connection.schedule, zone, open_days, now(), '0', false) end,
    expected_at = case when is_planned and connection.status <> 'paused' then
      private.next_expected(connection.schedule, zone, open_days, now(), now()) end
  where connections.tenant_id = connection.tenant_id and connections.id = connection.id
  returning * into connection;
  return connection;
end $function$;
CREATE OR REPLACE FUNCTION private.plan_connections_again()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if tg_table_name = 'calendars' then
    perform private.plan_connection(connection) from public.connections connection
    where connection.tenant_id = new.tenant_id
      and connection.schedule ->> 'calendar_id' = to_jsonb(new) ->> 'id'
      and connection.deleted_at is null;
  else
    perform private.plan_connection(connection) from public.connections connection
    where connection.tenant_id = new.tenant_id
      and connection.source_no = (to_jsonb(new) ->> 'source_no')::integer
      and connection.deleted_at is null;
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.require_connection(connection public.connections)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  fitting constant text[] := case connection.kind
    when 'https' then '{none,bearer,signed_query,password}'::text[]
    when 's3' then '{access_key}' when 'mail' then '{none}' else '{password,private_key}' end;
begin
  if (connection.kind = 'mail') <> (cardinality(connection.allowed_senders) > 0) then
    perform private.refuse_field('allowed_senders', 'Give at least one with mail, and only then.');
  elsif connection.kind <> 'mail'
    and (connection.kind = 'sftp') <> starts_with(connection.address, 'sftp:') then
    perform private.refuse_field('address', case connection.kind when 'sftp' then
      'Give an address of sftp, such as sftp://sftp.bank.example/outgoing.' else
      'Give an https address.' end);
  elsif connection.auth <> all (fitting) then
    perform private.refuse_field('auth', format('With %s, give one of: %s.', connection.kind,
      array_to_string(fitting, ', ')));
  elsif connection.auth in ('password', 'private_key', 'access_key')
    and connection.user_name is null then
    perform private.refuse_field('user_name', case connection.kind when 's3' then
      'Give the ID of the access key.' else 'Give the name to sign in by.' end);
  elsif connection.auth = 'signed_query' and strpos(connection.address, '?') > 0 then
    perform private.refuse_field('address',
      'Leave the query out: it is a secret. Send it as the credential.');
  elsif connection.kind = 's3' and connection.region is null then
    perform private.refuse_field('region', 'Give the region of the bucket.');
  elsif connection.kind in ('https', 'mail') and connection.afterwards <> 'leave' then
    perform private.refuse_field('afterwards', format('With %s, it can only be leave.',
      connection.kind));
  elsif (connection.afterwards = 'move') <> (connection.move_to is not null) then
    perform private.refuse_field('move_to', 'Give it with afterwards: move, and only then.');
  elsif connection.host_key is not null and connection.kind <> 'sftp' then
    perform private.refuse_field('host_key', 'Only sftp has a host key.');
  elsif connection.schedule ->> 'calendar_id' is not null
    and private.current_calendar_no(connection.tenant_id,
    connection.schedule ->> 'calendar_id') is null then
    perform private.refuse_field('schedule.calendar_id', 'There is no such calendar.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.store_connection_credential(before public.connections, connection public.connections, input jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  origin constant text := '^[a-z0-9]+://[^/?#]+';
  has_moved constant boolean := before.id is null or (connection.auth, connection.user_name)
    is distinct from (before.auth, before.user_name)
    or substring(connection.address from origin) <> substring(before.address from origin)
    or connection.kind = 'https' and connection.address <> before.address;
begin
  if input ->> 'sealed_credential' is null and connection.auth <> 'none' and has_moved then
    perform private.refuse_field('credential',
      'Send the credential: it is not stored for this address and sign-in.');
  elsif input ->> 'sealed_credential' is not null and connection.auth = 'none' then
    perform private.refuse_field('credential', 'With auth none, there is no credential.');
  end if;
  if input ->> 'sealed_credential' is not null or connection.auth = 'none' then
    delete from private.connection_credentials credential
    where credential.tenant_id = connection.tenant_id and credential.connection_id = connection.id;
  end if;
  if input ->> 'sealed_credential' is not null then
    insert into private.connection_credentials (id, tenant_id, connection_id, sealed)
    values (input ->> 'credential_id', connection.tenant_id, connection.id,
      input ->> 'sealed_credential');
    update public.connections set credential_changed_at = now()
    where connections.tenant_id = connection.tenant_id and connections.id = connection.id;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.connection_facts(connection public.connections)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (private.connection_json(connection)
    - '{id,next_look_at,last_look_at,last_outcome,last_error,failing_since}'::text[]
    - '{created_at,created_by,updated_at}'::text[])
    || jsonb_build_object('name', (select source.name from public.sources source
      where source.tenant_id = connection.tenant_id and source.source_no = connection.source_no));
end $function$;
CREATE OR REPLACE FUNCTION public.create_connection(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_connection');
  defaults constant jsonb := '{"file_glob": "*", "afterwards": "leave", "stable_seconds": 10,
    "waits_for_marker": false, "allowed_senders": []}';
  source public.sources;
  connection public.connections;
begin
  if replayed is not null then
    return replayed;
  end if;
  source := private.find_source(input ->> 'source_id');
  connection := jsonb_populate_record(null::public.connections,
    defaults || input || jsonb_build_object(
    'tenant_id', source.tenant_id, 'source_no', source.source_no));
  perform private.require_connection(connection);
  insert into public.connections (source_no, kind, address, auth, user_name, region, file_glob,
    allowed_senders, schedule, afterwards, move_to, stable_seconds, waits_for_marker, assigned_to,
    host_key)
  values (connection.source_no, connection.kind, connection.address, connection.auth,
    connection.user_name, connection.region, connection.file_glob,
    connection.allowed_senders, nullif(connection.schedule, 'null'), connection.afterwards,
    connection.move_to, connection.stable_seconds,
    connection.waits_for_marker, connection.assigned_to, connection.host_key)
  on conflict do nothing
  returning * into connection;
  if not found then
    perform private.refuse_conflict('source_connected',
      'The source has a connection. Change it, or delete it first.');
  end if;
  perform private.store_connection_credential(null, connection, input);
  perform private.plan_connection(connection);
  connection := private.find_connection(connection.id);
  perform private.record_security_event('connection.created', connection.id, null,
    private.connection_facts(connection));
  return private.finish_request(request, private.versioned_connection_json(connection));
end $function$;
CREATE OR REPLACE FUNCTION public.list_connections(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  wanted integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_connections');
  if input ->> 'source_id' is not null then
    wanted := (private.find_source(input ->> 'source_id')).source_no;
  end if;
  select jsonb_agg(private.connection_json(connection) order by connection.id desc) into items
  from (
    select * from public.connections connection
    where connection.tenant_id = private.tenant_id() and connection.deleted_at is null
      and (input -> 'after' ->> 0 is null or connection.id < input -> 'after' ->> 0)
      and (wanted is null or connection.source_no = wanted)
    order by connection.id desc limit page_size + 1
  ) connection;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.update_connection(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_connection');
  patch constant jsonb := input -> 'patch';
  before public.connections;
  connection public.connections;
begin
  if replayed is not null then
    return replayed;
  end if;
  before := private.lock_connection(input ->> 'id');
  perform private.require_version(private.connection_version(before), request -> 'versions');
  connection := jsonb_populate_record(before, patch);
  connection.schedule := nullif(connection.schedule, 'null');
  if patch ->> 'afterwards' in ('leave', 'delete') and not patch ? 'move_to' then
    connection.move_to := null;
  end if;
  if before.status = 'stopped' and patch ? 'host_key' and not patch ? 'status' then
    connection.status := 'active';
  end if;
  if connection.kind = 'mail' and connection.address <> before.address then
    perform private.refuse_field('address', 'The address of a mailbox stays as it is.');
  end if;
  perform private.require_connection(connection);
  if substring(connection.address from '^[a-z0-9]+://[^/?#]+')
    <> substring(before.address from '^[a-z0-9]+://[^/?#]+') and not patch ? 'host_key' then
    connection.host_key := null;
  end if;
  connection := private.write_connection(before, connection, patch);
  return private.finish_request(request, private.versioned_connection_json(connection));
end $function$;
CREATE OR REPLACE FUNCTION private.write_connection(before public.connections, connection public.connections, patch jsonb)
 RETURNS public.connections
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  changes jsonb;
begin
  update public.connections set
    address = connection.address, auth = connection.auth, user_name = connection.user_name,
    region = connection.region,
    file_glob = connection.file_glob, allowed_senders = connection.allowed_senders,
    schedule = connection.schedule,
    afterwards = connection.afterwards, move_to = connection.move_to,
    stable_seconds = connection.stable_seconds,
    waits_for_marker = connection.waits_for_marker, assigned_to = connection.assigned_to,
    host_key = connection.host_key,
    status = connection.status
  where connections.tenant_id = connection.tenant_id and connections.id = connection.id;
  perform private.store_connection_credential(before, connection, patch);
  select coalesce(jsonb_object_agg(new_field.key,
    jsonb_build_object('from', old_field.value, 'to', new_field.value)), '{}')
  into changes
  from jsonb_each(private.connection_facts(connection)) new_field
  join jsonb_each(private.connection_facts(before)) old_field on old_field.key = new_field.key
  where old_field.value is distinct from new_field.value;
  if patch ? 'sealed_credential' then
    changes := changes || '{"credential": {"from": "stored", "to": "replaced"}}';
  end if;
  if changes = '{}' then
    return private.find_connection(connection.id);
  end if;
  update public.connections set updated_at = now()
  where connections.tenant_id = connection.tenant_id and connections.id = connection.id;
  if changes ?| '{schedule,status}' then
    perform private.plan_connection(connection);
  end if;
  perform private.record_security_event(case when changes ? 'host_key'
    then 'connection.host_key_changed' else 'connection.updated' end, connection.id, null,
    jsonb_build_object('name', private.connection_facts(connection) -> 'name', 'changes', changes));
  return private.find_connection(connection.id);
end $function$;
CREATE OR REPLACE FUNCTION public.delete_connection(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'delete_connection');
  connection public.connections;
begin
  if replayed is not null then
    return replayed;
  end if;
  connection := private.lock_connection(input ->> 'id');
  perform private.require_version(private.connection_version(connection), request -> 'versions');
  delete from private.connection_credentials credential
  where credential.tenant_id = connection.tenant_id and credential.connection_id = connection.id;
  update public.connections
  set deleted_at = now(), next_look_at = null, expected_at = null, lease = null
  where connections.tenant_id = connection.tenant_id and connections.id = connection.id;
  perform private.record_security_event('connection.deleted', connection.id, null,
    private.connection_facts(connection));
  return private.finish_request(request, jsonb_build_object('id', connection.id, 'deleted', true));
end $function$;
CREATE OR REPLACE FUNCTION public.open_connection_test(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  connection public.connections;
begin
  perform private.begin_request(request, 'open_connection_test');
  connection := private.find_connection(input ->> 'id');
  return private.connection_json(connection) || coalesce(private.sealed_credential(connection),
    '{}');
end $function$;
CREATE OR REPLACE FUNCTION private.sealed_credential(connection public.connections)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('credential_id', credential.id, 'sealed', credential.sealed)
    from private.connection_credentials credential
    where credential.tenant_id = connection.tenant_id and credential.connection_id = connection.id);
end $function$;
CREATE OR REPLACE FUNCTION public.fetch_connection(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'fetch_connection');
  connection public.connections;
begin
  if replayed is not null then
    return replayed;
  end if;
  connection := private.lock_connection(input ->> 'id');
  if connection.status = 'stopped' then
    perform private.refuse_conflict('host_key_changed',
      'The server showed another host key. Check it with the bank, then set host_key.');
  end if;
  if connection.kind = 'mail' then
    perform private.refuse_conflict('not_fetched',
      'Mail comes by itself: ask the sender to send the file to the address.');
  end if;
  perform private.queue_look(connection, true);
  perform private.record_security_event('connection.fetch_requested', connection.id, null,
    jsonb_build_object('name', private.connection_facts(connection) -> 'name'));
  return private.finish_request(request, private.connection_json(connection));
end $function$;
CREATE OR REPLACE FUNCTION public.list_connection_files(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  connection public.connections;
  items jsonb;
begin
  perform private.begin_request(request, 'list_connection_files');
  connection := private.find_connection(input ->> 'id');
  select jsonb_agg(private.connection_file_json(file) order by file.id desc) into items
  from (
    select * from public.connection_files file
    where file.tenant_id = connection.tenant_id and file.connection_id = connection.id
      and (input -> 'after' ->> 0 is null or file.id < input -> 'after' ->> 0)
    order by file.id desc limit page_size + 1
  ) file;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.queue_look(connection public.connections, by_hand boolean)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform graphile_worker.add_job('fetch_connection',
    private.with_request_id(jsonb_build_object(
      'tenant_id', connection.tenant_id, 'connection_id', connection.id, 'by_hand', by_hand)),
    queue_name => 'connection:' || connection.id, max_attempts => 25,
    job_key => 'connection:' || connection.id || case when by_hand then ':by hand' else '' end,
    flags => private.job_flags(connection.tenant_id, 'connection'));
end $function$;
CREATE OR REPLACE FUNCTION private.queue_due_looks(batch integer DEFAULT 500)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  connection public.connections;
  queued integer := 0;
begin
  for connection in
    select * from public.connections where connections.next_look_at <= now()
    order by connections.next_look_at limit batch for no key update skip locked
  loop
    perform private.queue_look(connection, false);
    -- The look plans the next one. A look that is lost is queued again.
    update public.connections set next_look_at = now() + interval '1 hour'
    where connections.tenant_id = connection.tenant_id and connections.id = connection.id;
    queued := queued + 1;
  end loop;
  return queued;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_look(tenant text, connection text, by_hand boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  connection_row public.connections;
begin
  perform private.act_for_tenant(tenant);
  update public.connections set lease = private.new_id('lck')
  where connections.tenant_id = tenant and connections.id = connection
    and connections.deleted_at is null
    and (connections.status = 'active' or by_hand and connections.status = 'paused')
  returning * into connection_row;
  if not found then
    return null;
  end if;
  -- What an earlier look began and did not finish.
  delete from public.imports import using public.connection_files file
  where file.tenant_id = tenant and file.connection_id = connection_row.id
    and file.outcome = 'fetching'
    and import.tenant_id = tenant and import.id = file.import_id and import.status = 'receiving';
  delete from public.connection_files file
  where file.tenant_id = tenant and file.connection_id = connection_row.id
    and file.outcome = 'fetching';
  return private.connection_json(connection_row)
    || coalesce(private.sealed_credential(connection_row), '{}')
    || jsonb_build_object('lease', connection_row.lease, 'source', (
      select jsonb_build_object('currency', source.currency, 'time_zone', source.time_zone,
        'mapping', source.mapping)
      from public.sources source
      where source.tenant_id = tenant and source.source_no = connection_row.source_no));
end $function$;
CREATE OR REPLACE FUNCTION private.find_inbox(address text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('tenant_id', connection.tenant_id, 'connection_id', connection.id,
      'allowed_senders', to_jsonb(connection.allowed_senders))
    from public.connections connection
    where connection.address = $1 and connection.kind = 'mail' and connection.status = 'active'
      and connection.deleted_at is null);
end $function$;
CREATE OR REPLACE FUNCTION private.require_lease(tenant text, connection text, lease text)
 RETURNS public.connections
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  connection_row public.connections;
begin
  perform private.act_for_tenant(tenant);
  select * into connection_row from public.connections
  where connections.tenant_id = tenant and connections.id = connection and connections.lease = $3
    and connections.deleted_at is null
  for no key update;
  if not found then
    perform private.refuse_conflict('state_changed',
      'Another look at this connection has taken over, or it was deleted.');
  end if;
  return connection_row;
end $function$;
CREATE OR REPLACE FUNCTION private.accepts_host_key(tenant text, connection text, shown text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  connection_row public.connections;
begin
  perform private.act_for_tenant(tenant);
  select * into connection_row from public.connections
  where connections.tenant_id = tenant and connections.id = connection
    and connections.deleted_at is null
  for no key update;
  if not found or connection_row.host_key = shown then
    return found;
  end if;
  perform private.record_security_event('connection.host_key_changed', connection_row.id, null,
    jsonb_build_object('name', private.connection_facts(connection_row) -> 'name',
      'changes', jsonb_build_object('host_key', jsonb_build_object('from', connection_row.host_key,
        'to', shown))));
  update public.connections set
    host_key = coalesce(connections.host_key, shown),
    status = case when connections.host_key is null then connections.status else 'stopped' end
  where connections.tenant_id = connection_row.tenant_id and connections.id = connection_row.id;
  return connection_row.host_key is null;
end $function$;
CREATE OR REPLACE FUNCTION private.known_files(tenant text, connection text, files jsonb, by_hand boolean)
 RETURNS TABLE(place bigint, state text, file_id text, error text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query
  select item.place, case
      when file.id is null or file.outcome = 'failed'
        and (by_hand or file.tried_at < source.updated_at)
        then 'new'
      when file.outcome = 'failed' then 'failed'
      when file.outcome in ('imported', 'duplicate')
        and file.taken_at is null then 'done'
      else 'known' end, file.id, file.error
  from jsonb_array_elements(files) with ordinality item (file, place)
  join public.connections on connections.tenant_id = tenant and connections.id = connection
  join public.sources source on source.tenant_id = tenant
    and source.source_no = connections.source_no
  left join public.connection_files file on file.tenant_id = tenant
    and file.connection_id = connection and file.path = item.file ->> 'path'
    and file.bytes = (item.file ->> 'bytes')::bigint
    and file.modified_at = (item.file ->> 'modified_at')::timestamptz
  order by item.place;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_file(tenant text, connection text, lease text, file jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  connection_row public.connections := private.require_lease(tenant, connection, lease);
  begun text;
begin
  delete from public.connection_files
  where connection_files.tenant_id = tenant and connection_files.connection_id = connection_row.id
    and connection_files.outcome in ('failed', 'fetching')
    and connection_files.path = file ->> 'path' and connection_files.bytes is not distinct
      from (file ->> 'bytes')::bigint
    and connection_files.modified_at is not distinct from (file ->> 'modified_at')::timestamptz;
  insert into public.connection_files (tenant_id, connection_id, source_no, path, bytes,
    modified_at, sender, sender_checks)
  values (tenant, connection_row.id, connection_row.source_no,
    file ->> 'path', (file ->> 'bytes')::bigint,
    (file ->> 'modified_at')::timestamptz, file ->> 'sender', file -> 'checks')
  returning id into begun;
  return begun;
end $function$;
CREATE OR REPLACE FUNCTION private.open_file_import(tenant text, connection text, lease text, file text, format text, file_name text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  connection_row public.connections := private.require_lease(tenant, connection, lease);
  opened text;
begin
  perform private.require_room(1, 0, null);
  insert into public.imports (source_no, format, file_name)
  values (connection_row.source_no, format, left(open_file_import.file_name, 255))
  returning id into opened;
  update public.connection_files set import_id = opened
  where connection_files.tenant_id = tenant and connection_files.id = file
    and connection_files.outcome = 'fetching';
  return opened;
end $function$;
CREATE OR REPLACE FUNCTION private.keep_file_part(tenant text, import text, seq integer, bytes bytea)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.imports set bytes_read = imports.bytes_read + octet_length(bytes)
  where imports.tenant_id = tenant and imports.id = import and imports.status = 'receiving';
  if not found then
    perform private.refuse_conflict('state_changed', 'Another look has taken over.');
  end if;
  insert into private.import_chunks (tenant_id, import_id, seq, bytes)
  values (tenant, import, seq, bytes);
end $function$;
CREATE OR REPLACE FUNCTION private.finish_file(tenant text, connection text, lease text, file text, whole jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  connection_row public.connections := private.require_lease(tenant, connection, lease);
  file_row public.connection_files;
begin
  select * into strict file_row from public.connection_files
  where connection_files.tenant_id = tenant and connection_files.id = file
    and connection_files.outcome = 'fetching';
  -- Two connections of a source finish the same content one after the other.
  perform from public.sources source
  where source.tenant_id = tenant and source.source_no = connection_row.source_no for no key update;
  if exists (
    select from public.connection_files
    where connection_files.tenant_id = tenant
      and connection_files.source_no = connection_row.source_no
      and connection_files.sha256 = whole ->> 'sha256'
      and connection_files.outcome in ('importing', 'imported')
  ) then
    delete from public.imports import
    where import.tenant_id = tenant and import.id = file_row.import_id
      and import.status = 'receiving';
    -- Without a size and a time, each look reads the file again.
    if (file_row.modified_at is null or file_row.bytes is null) and exists (
      select from public.connection_files where connection_files.tenant_id = tenant
        and connection_files.connection_id = connection_row.id
        and connection_files.path = file_row.path
        and connection_files.sha256 = whole ->> 'sha256'
    ) then
      delete from public.connection_files
      where connection_files.tenant_id = tenant and connection_files.id = file_row.id;
      return 'known';
    end if;
    update public.connection_files
    set outcome = 'duplicate', sha256 = whole ->> 'sha256', import_id = null
    where connection_files.tenant_id = tenant and connection_files.id = file_row.id;
    return 'duplicate';
  end if;
  update public.connection_files set outcome = 'importing', sha256 = whole ->> 'sha256'
  where connection_files.tenant_id = tenant and connection_files.id = file_row.id;
  perform private.queue_import(file_row.import_id, nullif(whole -> 'mapping', 'null'),
    (whole ->> 'bytes')::bigint, whole ->> 'sha256');
  return 'importing';
end $function$;
CREATE OR REPLACE FUNCTION private.fail_file(tenant text, connection text, lease text, file text, error text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_lease(tenant, connection, lease);
  delete from public.imports import using public.connection_files
  where connection_files.tenant_id = tenant and connection_files.id = file
    and import.tenant_id = tenant and import.id = connection_files.import_id
    and import.status = 'receiving';
  update public.connection_files
  set outcome = 'failed', error = left(fail_file.error, 1000), import_id = null, tried_at = now()
  where connection_files.tenant_id = tenant and connection_files.id = file
    and connection_files.outcome = 'fetching';
end $function$;
CREATE OR REPLACE FUNCTION private.file_taken(tenant text, connection text, lease text, file text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_lease(tenant, connection, lease);
  update public.connection_files set taken_at = now()
  where connection_files.tenant_id = tenant and connection_files.id = file;
end $function$;
CREATE OR REPLACE FUNCTION private.note_failure(connection public.connections, error text, at_once boolean)
 RETURNS public.connections
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.connections set
    last_outcome = 'failed', last_error = left(note_failure.error, 1000),
    failing_since = coalesce(connections.failing_since, now()),
    failure_count = connections.failure_count + 1
  where connections.tenant_id = connection.tenant_id and connections.id = connection.id
  returning * into connection;
  if connection.alerted_at is null and (at_once or connection.failure_count >= 3) then
    update public.connections set alerted_at = now()
    where connections.tenant_id = connection.tenant_id and connections.id = connection.id
    returning * into connection;
    perform private.emit(connection.tenant_id, 'connection.failing',
      jsonb_build_object('connection', private.connection_json(connection)));
  end if;
  return connection;
end $function$;
CREATE OR REPLACE FUNCTION private.end_look(tenant text, connection text, lease text, result jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  connection_row public.connections := private.require_lease(tenant, connection, lease);
  clock constant jsonb := private.clock_of_connection(connection_row);
  pause interval := interval '5 minutes';
begin
  if result ->> 'error' is not null then
    connection_row := private.note_failure(connection_row, result ->> 'error',
      coalesce((result ->> 'needs_person')::boolean, false));
    pause := private.pause_after_failures(connection_row.failure_count);
  else
    update public.connections set
      last_outcome = case when (result ->> 'found')::integer > 0 then 'fetched'
        else 'nothing_new' end,
      last_error = null, failing_since = null, failure_count = 0, alerted_at = null
    where connections.tenant_id = tenant and connections.id = connection_row.id;
  end if;
  update public.connections set lease = null, last_look_at = now(),
    next_look_at = case when connections.schedule is not null and connections.status = 'active' then
      private.next_look(connections.schedule,
        clock ->> 'zone', nullif(clock -> 'open_days', 'null'), now(),
        pause, not private.has_file_of_day(connection_row, now())) end
  where connections.tenant_id = tenant and connections.id = connection_row.id;
end $function$;
CREATE OR REPLACE FUNCTION private.open_missing_files(batch integer DEFAULT 200)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  connection public.connections;
  looked_at integer := 0;
begin
  for connection in
    select * from public.connections where connections.expected_at <= now()
    order by connections.expected_at limit batch for no key update skip locked
  loop
    if not private.has_file_of_day(connection, connection.expected_at) then
      perform private.open_missing_file(connection);
    end if;
    perform private.expect_next_file(connection);
    looked_at := looked_at + 1;
  end loop;
  return looked_at;
end $function$;
CREATE OR REPLACE FUNCTION private.expect_next_file(connection public.connections)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  clock constant jsonb := private.clock_of_connection(connection);
begin
  update public.connections set expected_at = private.next_expected(connection.schedule,
    clock ->> 'zone', nullif(clock -> 'open_days', 'null'), connection.expected_at, '-infinity')
  where connections.tenant_id = connection.tenant_id and connections.id = connection.id;
end $function$;
CREATE OR REPLACE FUNCTION private.open_missing_file(connection public.connections)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  source public.sources;
  late_day date;
  opened text;
begin
  select * into strict source from public.sources
  where sources.tenant_id = connection.tenant_id and sources.source_no = connection.source_no;
  late_day := (connection.expected_at at time zone source.time_zone)::date;
  if exists (select from private.missing_files missing
    where missing.tenant_id = connection.tenant_id and missing.connection_id = connection.id
      and missing.day = late_day)
  then
    return;
  end if;
  select changed_exception.id into strict opened from private.change_exceptions('create', array[
    jsonb_build_object('tenant_id', connection.tenant_id, 'severity', 'high',
      'title', format('No file for %s by %s, %s', left(source.name, 150),
        connection.schedule ->> 'retry_until', to_char(late_day, 'DD Mon YYYY')),
      'assigned_to', connection.assigned_to, 'reason_code', 'file_missing',
      'details', jsonb_strip_nulls(jsonb_build_object('connection_id', connection.id,
        'source_id', source.id,
        'day', late_day, 'expected_by', private.iso(connection.expected_at),
        'last_error', connection.last_error)))]) changed_exception;
  insert into private.missing_files (tenant_id, connection_id, day, exception_id)
  values (connection.tenant_id, connection.id, late_day, opened);
end $function$;
CREATE OR REPLACE FUNCTION private.resolve_missing_file(file public.connection_files)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  zone constant text := (select source.time_zone from public.sources source
    where source.tenant_id = file.tenant_id and source.source_no = file.source_no);
  today constant date := (file.created_at at time zone zone)::date;
  open_days constant jsonb := (select private.open_days(connection.tenant_id,
    connection.schedule ->> 'calendar_id')
    -> 'open_days' from public.connections connection
    where connection.tenant_id = file.tenant_id and connection.id = file.connection_id);
  settles text;
  missed date;
begin
  select missing.exception_id, missing.day into settles, missed
  from private.missing_files missing
  join public.exceptions exception on exception.tenant_id = missing.tenant_id
    and exception.id = missing.exception_id
  where missing.tenant_id = file.tenant_id and missing.connection_id = file.connection_id
    and exception.status in ('open', 'in_review') and missing.day <= today
  order by missing.day desc limit 1;
  -- The first file of a business day is that day's own.
  if settles is null or missed < today
    and private.is_business_day(nullif(open_days, 'null'), today) and not exists (
      select from public.connection_files
      where connection_files.tenant_id = file.tenant_id
        and connection_files.connection_id = file.connection_id
        and connection_files.id <> file.id and connection_files.outcome in ('importing', 'imported')
        and (connection_files.created_at at time zone zone)::date = today)
  then
    return;
  end if;
  perform private.change_exceptions('edit', array[jsonb_build_object('tenant_id', file.tenant_id,
    'id', settles, 'status', 'resolved',
    'resolution', format('The file %s arrived and was imported.', file.path))]);
end $function$;
CREATE OR REPLACE FUNCTION private.settle_connection_file()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  file public.connection_files;
  connection public.connections;
  is_unreadable constant boolean := new.status = 'done' and new.refused_count > 0
    and new.accepted_count + new.duplicate_count = 0;
begin
  update public.connection_files set
    outcome = case when is_unreadable or new.status = 'failed' then 'failed'
      when new.status = 'done' then 'imported' else 'undone' end,
    error = case when is_unreadable then format(
      'None of its %s lines could be read, such as line %s: %s', new.refused_count,
      new.refusals #>> '{0,line}', new.refusals #>> '{0,message}') else new.failure end,
    tried_at = now()
  where connection_files.tenant_id = new.tenant_id and connection_files.import_id = new.id
    and connection_files.outcome in ('importing', 'imported')
  returning * into file;
  if not found then
    return null;
  end if;
  select * into connection from public.connections
  where connections.tenant_id = file.tenant_id and connections.id = file.connection_id;
  if file.outcome = 'failed' then
    perform private.note_failure(connection, format('%s: %s', file.path, file.error), true);
  elsif file.outcome = 'imported' then
    perform private.resolve_missing_file(file);
    if connection.afterwards <> 'leave' and connection.deleted_at is null then
      perform private.queue_look(connection, true);
    end if;
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.push_settings(batch public.entry_batches)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return nullif((private.entry_rules_of(batch.tenant_id, batch.pair_no)).ledger -> 'push', 'null');
end $function$;
CREATE OR REPLACE FUNCTION private.check_push_settings(ledger jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if ledger #>> '{push,connection_id}' is not null and not exists (
    select from public.connections connection
    where connection.tenant_id = private.tenant_id()
      and connection.id = ledger #>> '{push,connection_id}'
      and connection.kind in ('sftp', 's3') and connection.deleted_at is null
  ) then
    perform private.refuse_field('ledger.push.connection_id',
      'Give a connection by SFTP or S3: only there can files be written.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.queue_entry_push(batch public.entry_batches)
 RETURNS public.entry_batches
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.entry_batches
  set push = coalesce(entry_batches.push, jsonb_build_object('files', '[]'::jsonb))
    || jsonb_build_object('state', 'waiting', 'at', private.iso(now()), 'error', null)
  where entry_batches.tenant_id = batch.tenant_id and entry_batches.id = batch.id
  returning * into batch;
  perform graphile_worker.add_job('push_entry_batch',
    private.with_request_id(jsonb_build_object('tenant_id', batch.tenant_id, 'batch_id', batch.id)),
    queue_name => 'push:' || batch.id, max_attempts => 25, job_key => 'push:' || batch.id,
    flags => private.job_flags(batch.tenant_id, 'connection'));
  return batch;
end $function$;
CREATE OR REPLACE FUNCTION private.retry_entry_pushes(tenant text, pair integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.queue_entry_push(batch) from public.entry_batches batch
  where batch.tenant_id = tenant and batch.pair_no = pair and batch.exported_at is null
    and batch.push ->> 'state' in ('failed', 'stopped');
end $function$;
CREATE OR REPLACE FUNCTION public.push_entry_batch(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'push_entry_batch');
  batch public.entry_batches;
begin
  if replayed is not null then
    return replayed;
  end if;
  batch := private.find_ready_batch(input ->> 'id');
  if private.push_settings(batch) is null then
    perform private.refuse_conflict('no_push',
      'The entry rules of its sources name no connection to push to. Set one there.');
  end if;
  batch := private.queue_entry_push(batch);
  return private.finish_request(request, private.entry_batch_json(batch));
end $function$;
CREATE OR REPLACE FUNCTION private.begin_entry_push(tenant text, batch text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  batch_row public.entry_batches;
begin
  perform private.act_for_tenant(tenant);
  select * into batch_row from public.entry_batches
  where entry_batches.tenant_id = tenant and entry_batches.id = batch
    and entry_batches.exported_at is null
    and entry_batches.push ->> 'state' <> 'done';
  if not found then
    return null;
  elsif private.push_settings(batch_row) is null then
    update public.entry_batches set push = null where entry_batches.tenant_id = tenant
      and entry_batches.id = batch;
    return null;
  end if;
  return jsonb_build_object('batch', private.entry_batch_json(batch_row),
    'ledger', (private.entry_rules_of(tenant, batch_row.pair_no)).ledger, 'connection', (
      select private.connection_json(connection) || coalesce(private.sealed_credential(connection),
        '{}')
      from public.connections connection
      where connection.tenant_id = tenant
        and connection.id = private.push_settings(batch_row) ->> 'connection_id'
        and connection.deleted_at is null));
end $function$;
CREATE OR REPLACE FUNCTION private.end_entry_push(tenant text, batch text, result jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  batch_row public.entry_batches;
  connection public.connections;
begin
  perform private.act_for_tenant(tenant);
  select * into strict batch_row from public.entry_batches
  where entry_batches.tenant_id = tenant and entry_batches.id = batch for update;
  if batch_row.push ->> 'state' = 'done' then
    return;
  end if;
  update public.entry_batches set push = jsonb_build_object('state', result -> 'state',
    'at', private.iso(now()), 'error', left(result ->> 'error', 1000), 'files', result -> 'files')
  where entry_batches.tenant_id = tenant and entry_batches.id = batch;
  if result ->> 'error' is null and batch_row.exported_at is null then
    update public.entry_batches set exported_at = now(), exported_by = 'system'
    where entry_batches.tenant_id = tenant and entry_batches.id = batch
    returning * into batch_row;
    perform private.record_export(batch_row);
  elsif result ->> 'error' is not null then
    select * into connection from public.connections
    where connections.tenant_id = tenant
      and connections.id = private.push_settings(batch_row) ->> 'connection_id'
      and connections.deleted_at is null;
    if found then
      perform private.note_failure(connection, format('Batch %s was not pushed: %s',
        private.entry_batch_name(batch_row), result ->> 'error'),
        coalesce((result ->> 'needs_person')::boolean, false));
    end if;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.passes_filters(tenant text, filters jsonb, data jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  about constant jsonb := data -> 'exception';
  money constant jsonb := coalesce(about, data -> 'match');
  amount constant jsonb := filters -> 'amount';
  -- Null where the event is about no period; empty where an exception names none.
  periods constant text[] := case
    when data ? 'reconciliation_ids' then private.text_array(data -> 'reconciliation_ids')
    when data ? 'reconciliation' then array[data -> 'reconciliation' ->> 'id']
    when data ?| '{exception,run,match}' then array_remove(array[coalesce(about, data -> 'run',
      data -> 'match') ->> 'reconciliation_id'], null)
  end;
begin
  return not coalesce(
    filters ? 'severity' and about is not null
    and not filters -> 'severity' ? (about ->> 'severity')
    or filters ? 'assigned_to' and about is not null
    and not filters -> 'assigned_to' ? coalesce(about ->> 'assigned_to', '')
    or amount is not null and money is not null
    and (money ->> 'currency' is distinct from amount ->> 'currency'
      or abs((money ->> 'amount_minor')::numeric) < (amount ->> 'from_minor')::numeric)
    or filters ? 'reconciliation_ids' and periods is not null
    and not filters -> 'reconciliation_ids' ?| periods
    or filters ? 'source_ids' and data ? 'import'
    and not filters -> 'source_ids' ? (data -> 'import' ->> 'source_id')
    or filters ? 'source_ids' and periods is not null
    and not exists (
      select from public.reconciliations period
      where period.tenant_id = tenant and period.id = any (periods)
        and filters -> 'source_ids' ?| array[period.left_source_id, period.right_source_id]
    ), false);
end $function$;
CREATE OR REPLACE FUNCTION private.require_filters(filters jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  missing text;
begin
  select named into missing
  from unnest(private.text_array(filters -> 'source_ids')) named
  where not exists (select from public.sources source where source.tenant_id = tenant
    and source.id = named);
  if found then
    perform private.refuse_field('filters.source_ids', format('There is no source %s.', missing));
  end if;
  select named into missing
  from unnest(private.text_array(filters -> 'reconciliation_ids')) named
  where not exists (select from public.reconciliations period
    where period.tenant_id = tenant and period.id = named);
  if found then
    perform private.refuse_field('filters.reconciliation_ids',
      format('There is no reconciliation %s.', missing));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.preview_webhook_filters(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'preview_webhook_filters');
  tenant constant text := private.tenant_id();
  kinds constant text[] := private.text_array(input -> 'events');
  since constant timestamptz := now() - interval '7 days';
  looked_at constant integer := 20000;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_readable_events(kinds);
  perform private.require_filters(input -> 'filters');
  return private.finish_request(request, (
    with newest as (
      select event.type, private.passes_filters(tenant, input -> 'filters', event.data) as passes
      from public.events event
      where event.tenant_id = tenant and event.at >= since and event.type = any (kinds)
        and event.test_of is null
        and event.id >= 'evt_' || lpad(to_hex((extract(epoch from since) * 1000)::bigint), 12, '0')
      order by event.id desc limit looked_at
    ), by_type as (
      select newest.type, count(*) as total, count(*) filter (where newest.passes) as matched
      from newest group by newest.type
    )
    select jsonb_build_object(
      'since', private.iso(since), 'as_of', private.iso(now()),
      'total_count', coalesce(sum(by_type.total), 0),
      'matched_count', coalesce(sum(by_type.matched), 0),
      'by_type', coalesce(jsonb_agg(jsonb_build_object('type', by_type.type,
        'total_count', by_type.total,
        'matched_count', by_type.matched) order by by_type.type), '[]'),
      'complete', coalesce(sum(by_type.total), 0) < looked_at
    )
    from by_type
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.fan_out_events()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  awaiting record;
begin
  for awaiting in
    with fanned_out as (
      insert into public.webhook_deliveries (id, tenant_id, webhook_id, event_id, type, status,
        failure_kind, next_attempt_at)
      select private.delivery_id(event.id, webhook.id), event.tenant_id, webhook.id, event.id,
        event.type,
        case webhook.status when 'active' then 'pending' else 'failed' end,
        case webhook.status when 'disabled' then 'webhook_disabled' end,
        case webhook.status when 'active' then now() end
      from emitted event join public.webhooks webhook on webhook.tenant_id = event.tenant_id
      where webhook.deleted_at is null and case
        when event.test_of is not null then webhook.id = event.test_of
        when event.type = 'webhook.test' then webhook.id = event.data ->> 'id'
        when event.type in ('webhook.failing', 'webhook.disabled')
          then event.type = any (webhook.events)
        and webhook.id <> event.data ->> 'id'
        else event.type = any (webhook.events)
        and (webhook.filters = '{}'
        or private.passes_filters(webhook.tenant_id, webhook.filters, event.data))
      end
      returning webhook_id, status
    )
    select distinct webhook_id from fanned_out where status = 'pending' order by webhook_id
  loop
    perform private.notify_webhook_worker(awaiting.webhook_id);
  end loop;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.find_webhook(id text)
 RETURNS public.webhooks
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  webhook public.webhooks;
begin
  select * into webhook
  from public.webhooks
  where webhooks.tenant_id = private.tenant_id() and webhooks.id = $1
    and webhooks.deleted_at is null;
  if not found then
    perform private.refuse_missing('webhook');
  end if;
  return webhook;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_webhook(id text)
 RETURNS public.webhooks
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  webhook public.webhooks;
begin
  select * into webhook
  from public.webhooks
  where webhooks.tenant_id = private.tenant_id() and webhooks.id = $1
    and webhooks.deleted_at is null
  for no key update;
  if not found then
    perform private.refuse_missing('webhook');
  end if;
  return webhook;
end $function$;
CREATE OR REPLACE FUNCTION private.require_active_webhook(webhook public.webhooks)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if webhook.status = 'disabled' then
    perform private.refuse_conflict('webhook_disabled',
      'This webhook is disabled. Enable it first.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.drop_waiting_deliveries(webhook_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.webhook_deliveries delivery
  set status = 'failed', failure_kind = 'webhook_disabled', next_attempt_at = null
  where delivery.webhook_id = $1
    and delivery.tenant_id = coalesce(private.tenant_id(), delivery.tenant_id)
    and delivery.status = 'pending' and delivery.lease is null;
end $function$;
CREATE OR REPLACE FUNCTION private.disable_webhook(id text, reason text, detail text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  webhook public.webhooks;
begin
  update public.webhooks set
    status = 'disabled', disabled_at = now(), disabled_by = private.actor(),
    disabled_reason = reason, disabled_detail = left(detail, 500),
    updated_at = now()
  where webhooks.id = $1 and webhooks.tenant_id = coalesce(private.tenant_id(), webhooks.tenant_id)
    and webhooks.status = 'active' and webhooks.deleted_at is null
  returning * into webhook;
  if not found then
    return;
  end if;
  perform private.drop_waiting_deliveries(webhook.id);
  perform private.write_security_event(private.new_id('sev'), webhook.tenant_id, 'webhook.disabled',
    webhook.id,
    detail,
    jsonb_build_object('reason', reason, 'url', webhook.url));
  perform private.emit(webhook.tenant_id, 'webhook.disabled', jsonb_build_object(
    'id', webhook.id, 'url', webhook.url, 'reason', reason, 'detail', detail,
    'disabled_at', private.iso(webhook.disabled_at), 'disabled_by', webhook.disabled_by
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.enable_webhook(webhook public.webhooks)
 RETURNS public.webhooks
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if webhook.status = 'active' then
    return webhook;
  end if;
  update public.webhooks set
    status = 'active', disabled_at = null, disabled_by = null, disabled_reason = null,
    disabled_detail = null, failing_since = null,
    updated_at = now()
  where webhooks.tenant_id = webhook.tenant_id and webhooks.id = webhook.id
  returning * into webhook;
  perform private.record_security_event('webhook.enabled', webhook.id, null,
    jsonb_build_object('url', webhook.url));
  return webhook;
end $function$;
CREATE OR REPLACE FUNCTION private.last_failure(webhook public.webhooks)
 RETURNS public.webhook_attempts
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  failed public.webhook_attempts;
begin
  select attempt.* into failed
  from (
    select delivery.id from public.webhook_deliveries delivery
    where delivery.tenant_id = webhook.tenant_id and delivery.webhook_id = webhook.id
      and delivery.attempt_count > 0
      order by delivery.id desc limit 50
  ) recent
  join public.webhook_attempts attempt on attempt.tenant_id = webhook.tenant_id
    and attempt.delivery_id = recent.id
    and attempt.status = 'failed'
  order by attempt.id desc limit 1;
  return failed;
end $function$;
CREATE OR REPLACE FUNCTION private.warn_of_failing_webhook(webhook public.webhooks, detail text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  days_left constant integer := case
    when private.webhook_disable_at(webhook.failing_since) <= now() + interval '1 day' then 1
      else 2 end;
  warning constant text := format('%s:%s:%s', webhook.id, private.iso(webhook.failing_since),
    days_left);
  facts constant jsonb := jsonb_build_object('url', webhook.url, 'failing_since',
    private.iso(webhook.failing_since),
    'disable_at', private.iso(private.webhook_disable_at(webhook.failing_since)));
begin
  if webhook.status <> 'active' or exists (
    select
    from private.event_once once
    where once.tenant_id = webhook.tenant_id and once.type = 'webhook.failing'
      and once.once_key = warning
  ) then
    return;
  end if;
  perform private.write_security_event(private.new_id('sev'), webhook.tenant_id, 'webhook.failing',
    webhook.id,
    detail, facts);
  perform private.emit(webhook.tenant_id, 'webhook.failing',
    facts || jsonb_build_object('id', webhook.id, 'detail', detail), warning);
end $function$;
CREATE OR REPLACE FUNCTION private.warn_of_failing_webhooks()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  webhook public.webhooks;
begin
  for webhook in
    select * from public.webhooks
    where webhooks.status = 'active' and webhooks.deleted_at is null
      and private.webhook_disable_at(webhooks.failing_since) <= now() + interval '2 days'
    order by webhooks.tenant_id, webhooks.id for no key update skip locked
  loop
    perform private.warn_of_failing_webhook(webhook, (private.last_failure(webhook)).detail);
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.store_webhook_headers(webhook public.webhooks, headers jsonb, has_moved boolean DEFAULT false)
 RETURNS public.webhooks
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  unknown text;
begin
  select item.name into unknown
  from jsonb_to_recordset(headers) as item (name text, sealed_secret text)
  where item.sealed_secret is null and (has_moved or not exists (
    select from private.webhook_headers header
    where header.tenant_id = webhook.tenant_id and header.webhook_id = webhook.id
      and lower(header.name) = lower(item.name)));
  if found then
    perform private.refuse_field('headers', format(case
      when has_moved then 'Send the value of %s again: it would go to another address.'
      else 'Send a value for %s.' end, unknown));
  end if;
  delete from private.webhook_headers header
  where header.tenant_id = webhook.tenant_id and header.webhook_id = webhook.id and not exists (
    select from jsonb_to_recordset(headers) as item (name text, sealed_secret text)
    where lower(item.name) = lower(header.name) and item.sealed_secret is null);
  insert into private.webhook_headers (id, tenant_id, webhook_id, name, sealed)
  select item.secret_id, webhook.tenant_id, webhook.id, item.name, item.sealed_secret
  from jsonb_to_recordset(headers) as item (name text, secret_id text, sealed_secret text)
  where item.sealed_secret is not null;
  update public.webhooks set
    header_names = array(select item ->> 'name' from jsonb_array_elements(headers) item),
    headers_changed_at = now(), updated_at = now()
  where webhooks.tenant_id = webhook.tenant_id and webhooks.id = webhook.id
  returning * into webhook;
  return webhook;
end $function$;
CREATE OR REPLACE FUNCTION private.webhook_health(webhook public.webhooks, span interval)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with counted as (
      select answer_time.succeeded, answer_time.bucket, answer_time.attempts
      from public.webhook_answer_times answer_time
      where answer_time.tenant_id = webhook.tenant_id and answer_time.webhook_id = webhook.id
        and answer_time.hour > now() - span
    ), answered as (
      select bucket, sum(attempts) as attempts, sum(sum(attempts)) over (order by bucket) as up_to,
        sum(sum(attempts)) over () as total
      from counted where bucket >= 0 group by bucket
    )
    select jsonb_build_object(
      'attempts', coalesce(sum(attempts), 0),
      'failures', coalesce(sum(attempts) filter (where not succeeded), 0), 'success_rate',
      round(coalesce(sum(attempts) filter (where succeeded), 0) / nullif(sum(attempts), 0), 4),
      'p50_ms', (select round(1.1 ^ (min(bucket) + 0.5)) from answered where up_to >= total * 0.5),
      'p95_ms', (select round(1.1 ^ (min(bucket) + 0.5)) from answered where up_to >= total * 0.95)
    )
    from counted
  );
end $function$;
CREATE OR REPLACE FUNCTION private.webhook_json(webhook public.webhooks)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  last_day constant jsonb := private.webhook_health(webhook, interval '24 hours');
begin
  return jsonb_build_object(
    'id', webhook.id, 'url', webhook.url, 'description', webhook.description,
    'events', webhook.events, 'filters', webhook.filters, 'header_names', webhook.header_names,
    'max_per_minute', webhook.max_per_minute, 'oauth', webhook.oauth, 'status', webhook.status,
    'disabled_at', private.iso(webhook.disabled_at), 'disabled_by', webhook.disabled_by,
    'disabled_reason', webhook.disabled_reason, 'disabled_detail', webhook.disabled_detail,
    'health', case
      when webhook.status = 'disabled' then 'disabled'
      when webhook.failing_since is not null then 'failing'
      when last_day -> 'success_rate' = 'null' then 'idle'
      when (last_day ->> 'success_rate')::numeric < 0.95 then 'degraded'
      else 'healthy'
    end, 'last_24h', last_day, 'last_7d', private.webhook_health(webhook, interval '7 days'),
    'failing_since', private.iso(webhook.failing_since),
    'disable_at', case when webhook.status = 'active'
      then private.iso(private.webhook_disable_at(webhook.failing_since)) end,
    'last_success_at', private.iso(webhook.last_success_at),
    'last_failure_at', private.iso(webhook.last_failure_at),
    'last_failure_kind', case when webhook.failing_since is not null
      then (private.last_failure(webhook)).failure_kind end, 'next_attempt_at', (
      select private.iso(delivery.next_attempt_at) from public.webhook_deliveries delivery
      where delivery.tenant_id = webhook.tenant_id and delivery.webhook_id = webhook.id
        and delivery.status = 'pending' and delivery.lease is null
        order by delivery.next_attempt_at limit 1
    ), 'missed_since', (
      select private.iso(delivery.created_at) from public.webhook_deliveries delivery
      where delivery.tenant_id = webhook.tenant_id and delivery.webhook_id = webhook.id
        and delivery.status = 'failed' and delivery.created_at > now() - interval '30 days'
      order by delivery.id limit 1
    ), 'secret_changed_at', private.iso(webhook.secret_changed_at),
    'previous_secret_expires_at', case when webhook.previous_secret_expires_at > now()
      then private.iso(webhook.previous_secret_expires_at)
      end, 'created_at', private.iso(webhook.created_at), 'created_by', webhook.created_by,
    'updated_at', private.iso(webhook.updated_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.webhook_version(webhook public.webhooks)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.version_of(jsonb_build_array(
    webhook.url, webhook.description, webhook.events, webhook.status,
    private.iso(webhook.disabled_at),
    private.iso(webhook.secret_changed_at), private.iso(webhook.deleted_at), webhook.filters,
    webhook.max_per_minute,
    private.iso(webhook.headers_changed_at), private.iso(webhook.oauth_changed_at)
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.store_webhook_client(webhook public.webhooks, oauth jsonb, has_moved boolean DEFAULT false)
 RETURNS public.webhooks
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  origin constant text := '^https?://[^/?#]+';
  settings constant jsonb := nullif(oauth, 'null') - '{secret_id,sealed_secret}'::text[];
begin
  if settings is not null and oauth ->> 'sealed_secret' is null
    and (has_moved or webhook.oauth is null or substring(webhook.oauth ->> 'token_url' from origin)
      <> substring(settings ->> 'token_url' from origin)) then
    perform private.refuse_field('oauth.client_secret',
      'Send the client secret: it is not stored for this address.');
  end if;
  if settings is null or oauth ->> 'sealed_secret' is not null then
    delete from private.webhook_clients client
    where client.tenant_id = webhook.tenant_id and client.webhook_id = webhook.id;
  end if;
  if oauth ->> 'sealed_secret' is not null then
    insert into private.webhook_clients (id, tenant_id, webhook_id, sealed)
    values (oauth ->> 'secret_id', webhook.tenant_id, webhook.id, oauth ->> 'sealed_secret');
  end if;
  update public.webhooks
  set oauth = settings, oauth_changed_at = now(), updated_at = now()
  where webhooks.tenant_id = webhook.tenant_id and webhooks.id = webhook.id
  returning * into webhook;
  return webhook;
end $function$;
CREATE OR REPLACE FUNCTION public.create_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_webhook');
  webhook public.webhooks;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_readable_events(private.text_array(input -> 'events'));
  perform private.require_filters(input -> 'filters');
  perform private.require_quota('webhooks');
  insert into public.webhooks (url, description, events, filters, max_per_minute)
  values (input ->> 'url', input ->> 'description', private.text_array(input -> 'events'),
    coalesce(input -> 'filters', '{}'), (input ->> 'max_per_minute')::integer)
  returning * into webhook;
  if jsonb_typeof(input -> 'headers') = 'array' then
    webhook := private.store_webhook_headers(webhook, input -> 'headers');
  end if;
  if jsonb_typeof(input -> 'oauth') = 'object' then
    webhook := private.store_webhook_client(webhook, input -> 'oauth');
  end if;
  perform private.store_webhook_secret(webhook.id,
    input ->> 'secret_id', input ->> 'sealed_secret');
  perform private.record_security_event('webhook.created', webhook.id, null,
    jsonb_build_object('url', webhook.url, 'events', webhook.events));
  return private.finish_request(request,
    private.webhook_json(webhook) || jsonb_build_object('version', private.webhook_version(webhook))
      || jsonb_build_object('sealed', input -> 'sealed'));
end $function$;
CREATE OR REPLACE FUNCTION public.get_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  webhook public.webhooks;
begin
  perform private.begin_request(request, 'get_webhook');
  webhook := private.find_webhook(input ->> 'id');
  return private.webhook_json(webhook)
    || jsonb_build_object('version', private.webhook_version(webhook));
end $function$;
CREATE OR REPLACE FUNCTION public.list_webhooks(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_webhooks');
  select jsonb_agg(private.webhook_json(webhook) order by webhook.id desc) into items
  from (
    select * from public.webhooks webhook
    where webhook.tenant_id = private.tenant_id() and webhook.deleted_at is null
      and (input -> 'after' ->> 0 is null or webhook.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or webhook.status = input ->> 'status')
    order by webhook.id desc limit page_size + 1
  ) webhook;
  return private.page(items, page_size, 'id') || jsonb_build_object('as_of', private.iso(now()));
end $function$;
CREATE OR REPLACE FUNCTION private.unreadable_sent(webhook_id text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array(
    select event_kind.kind from private.event_kinds event_kind
    where event_kind.kind <> all (private.readable_events()) and exists (
      select
      from public.webhook_deliveries delivery
      where delivery.tenant_id = private.tenant_id() and delivery.webhook_id = $1
        and delivery.type = event_kind.kind)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_webhook_change(before public.webhooks, webhook public.webhooks, patch jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  has_moved constant boolean := private.has_other_origin(before.url, webhook.url);
begin
  if webhook.url <> before.url or webhook.events <> before.events then
    perform private.require_readable_events(webhook.events);
  end if;
  if webhook.url <> before.url then
    perform private.require_readable_events(private.unreadable_sent(webhook.id));
  end if;
  if webhook.filters <> before.filters then
    perform private.require_filters(webhook.filters);
  end if;
  if has_moved and cardinality(before.header_names) > 0 and not patch ? 'headers' then
    perform private.refuse_field('headers',
      'Send the headers with their values again: they would go to another address.');
  end if;
  if has_moved and before.oauth is not null and not patch ? 'oauth' then
    perform private.refuse_field('oauth',
      'Send oauth with its client secret again: the token would go to another address.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.store_webhook_credentials(before public.webhooks, changed public.webhooks, patch jsonb)
 RETURNS public.webhooks
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  has_moved constant boolean := private.has_other_origin(before.url, changed.url);
  webhook public.webhooks := changed;
begin
  if patch ? 'headers' then
    webhook := private.store_webhook_headers(webhook, patch -> 'headers', has_moved);
    perform private.record_security_event('webhook.updated', webhook.id, null, jsonb_build_object(
      'headers', jsonb_build_object('from', before.header_names, 'to', webhook.header_names)));
  end if;
  if patch ? 'oauth' then
    webhook := private.store_webhook_client(webhook, patch -> 'oauth', has_moved);
    perform private.record_security_event('webhook.updated', webhook.id, null, jsonb_build_object(
      'oauth', jsonb_build_object('from', before.oauth, 'to', webhook.oauth)));
  end if;
  return webhook;
end $function$;
CREATE OR REPLACE FUNCTION public.update_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_webhook');
  fields constant text[] := '{url,description,events,filters,max_per_minute}';
  patch constant jsonb := input -> 'patch';
  before public.webhooks;
  webhook public.webhooks;
begin
  if replayed is not null then
    return replayed;
  end if;
  before := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(before), request -> 'versions');
  webhook := jsonb_populate_record(before,
    (select jsonb_object_agg(key, value) from jsonb_each(patch) where key = any (fields)));
  perform private.require_webhook_change(before, webhook, patch);
  if webhook is distinct from before then
    update public.webhooks set
      url = webhook.url, description = webhook.description, events = webhook.events,
      filters = webhook.filters, max_per_minute = webhook.max_per_minute,
      failing_since = case when webhook.url = before.url then webhooks.failing_since end,
        updated_at = now() where webhooks.tenant_id = before.tenant_id and webhooks.id = before.id
    returning * into webhook;
    perform private.record_security_event('webhook.updated', webhook.id, null, (
      select private.changes(jsonb_object_agg(field, to_jsonb(before) -> field),
        jsonb_object_agg(field, to_jsonb(webhook) -> field))
      from unnest(fields) field
    ));
  end if;
  webhook := private.store_webhook_credentials(before, webhook, patch);
  if patch ->> 'status' = 'active' then
    webhook := private.enable_webhook(webhook);
  elsif patch ->> 'status' = 'disabled' and webhook.status = 'active' then
    perform private.disable_webhook(webhook.id, 'manual', patch ->> 'reason');
    webhook := private.find_webhook(webhook.id);
  end if;
  return private.finish_request(request,
    private.webhook_json(webhook)
      || jsonb_build_object('version', private.webhook_version(webhook)));
end $function$;
CREATE OR REPLACE FUNCTION public.delete_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'delete_webhook');
  webhook public.webhooks;
begin
  if replayed is not null then
    return replayed;
  end if;
  webhook := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(webhook), request -> 'versions');
  perform private.drop_waiting_deliveries(webhook.id), private.delete_webhook_secrets(webhook.id);
  update public.webhooks
  set deleted_at = now(), updated_at = now()
  where webhooks.tenant_id = webhook.tenant_id and webhooks.id = webhook.id;
  perform private.record_security_event('webhook.deleted', webhook.id, null,
    jsonb_build_object('url', webhook.url));
  return private.finish_request(request, jsonb_build_object('id', webhook.id, 'deleted', true));
end $function$;
CREATE OR REPLACE FUNCTION public.rotate_webhook_secret(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'rotate_webhook_secret');
  grace constant interval := make_interval(secs => (input ->> 'grace_period_seconds')::integer);
  webhook public.webhooks;
begin
  if replayed is not null then
    return replayed;
  end if;
  webhook := private.lock_webhook(input ->> 'id');
  perform private.store_webhook_secret(webhook.id, input ->> 'secret_id', input ->> 'sealed_secret',
    grace);
  update public.webhooks
  set secret_changed_at = now(), previous_secret_expires_at = now() + grace, updated_at = now()
  where webhooks.tenant_id = webhook.tenant_id and webhooks.id = webhook.id
  returning * into webhook;
  perform private.record_security_event('webhook.secret_rotated', webhook.id, null,
    jsonb_build_object('previous_secret_expires_at',
      private.iso(webhook.previous_secret_expires_at)));
  return private.finish_request(request,
    private.webhook_json(webhook) || jsonb_build_object('version', private.webhook_version(webhook))
      || jsonb_build_object('sealed', input -> 'sealed'));
end $function$;
CREATE OR REPLACE FUNCTION public.test_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'test_webhook');
  webhook public.webhooks;
  delivery public.webhook_deliveries;
  event text;
begin
  if replayed is not null then
    return replayed;
  end if;
  webhook := private.lock_webhook(input ->> 'id');
  perform private.require_active_webhook(webhook);
  if input ->> 'type' <> 'webhook.test' then
    perform private.require_readable_events(array[input ->> 'type']);
  end if;
  event := private.emit_test(webhook.id, input ->> 'type', coalesce(nullif(input -> 'data', 'null'),
    jsonb_build_object('id', webhook.id, 'message', 'It works.', 'sent_by', private.actor())));
  select * into delivery
  from public.webhook_deliveries
  where webhook_deliveries.tenant_id = webhook.tenant_id
    and webhook_deliveries.id = private.delivery_id(event, webhook.id);
  return private.finish_request(request, private.delivery_json(delivery));
end $function$;
CREATE OR REPLACE FUNCTION private.delivery_status(delivery public.webhook_deliveries)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case
    when delivery.status <> 'pending' then delivery.status
    when delivery.lease is not null and delivery.next_attempt_at > now() then 'sending'
    when delivery.attempt_count > 0 then 'retrying'
    else 'pending'
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.attempt_json(attempt public.webhook_attempts)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'number', attempt.number, 'cause', attempt.cause, 'status', attempt.status,
    'failure_kind', attempt.failure_kind,
    'detail', attempt.detail,
    'started_at', private.iso(attempt.started_at), 'duration_ms', attempt.duration_ms,
    'status_code', attempt.status_code
  );
end $function$;
CREATE OR REPLACE FUNCTION private.delivery_json(delivery public.webhook_deliveries, last_attempt public.webhook_attempts)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  wire_status constant text := private.delivery_status(delivery);
begin
  return jsonb_build_object(
    'id', delivery.id, 'webhook_id', delivery.webhook_id, 'event_id', delivery.event_id,
    'type', delivery.type,
    'status', wire_status, 'failure_kind', delivery.failure_kind,
    'reason', case
      when wire_status = 'retrying' then last_attempt.detail
      when delivery.failure_kind = 'retries_exhausted' then concat_ws(' ',
        format('All %s attempts failed.', delivery.attempt_count), last_attempt.detail)
      when delivery.failure_kind = 'webhook_disabled'
        then concat_ws(' ', 'The webhook was disabled.',
        last_attempt.detail)
    end,
    'attempt_count', delivery.attempt_count,
    'next_attempt_at',
    case when wire_status in ('pending', 'retrying') then private.iso(delivery.next_attempt_at) end,
    'created_at', private.iso(delivery.created_at),
    'delivered_at', private.iso(delivery.delivered_at),
    'last_attempt',
    case when last_attempt.id is not null then private.attempt_json(last_attempt) end
  );
end $function$;
CREATE OR REPLACE FUNCTION private.delivery_json(delivery public.webhook_deliveries)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  last_attempt public.webhook_attempts;
begin
  select * into last_attempt from public.webhook_attempts attempt
  where attempt.tenant_id = delivery.tenant_id and attempt.delivery_id = delivery.id
  order by attempt.number desc limit 1;
  return private.delivery_json(delivery, last_attempt);
end $function$;
CREATE OR REPLACE FUNCTION private.find_delivery(webhook_id text, id text)
 RETURNS public.webhook_deliveries
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  delivery public.webhook_deliveries;
begin
  select * into delivery
  from public.webhook_deliveries
  where webhook_deliveries.tenant_id = private.tenant_id() and webhook_deliveries.id = $2
    and webhook_deliveries.webhook_id = $1
    and webhook_deliveries.created_at > now() - interval '30 days';
  if not found then
    perform private.refuse_missing('delivery');
  end if;
  return delivery;
end $function$;
CREATE OR REPLACE FUNCTION private.attempts_by_hour(webhook_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
begin
  return jsonb_build_object('as_of', private.iso(now()), 'hours', coalesce((
    with counted as (
      select answer_time.hour, answer_time.succeeded, answer_time.bucket,
        sum(answer_time.attempts) as attempts,
        sum(
          sum(answer_time.attempts)) filter (
            where answer_time.bucket >= 0) over (partition by answer_time.hour
            order by answer_time.bucket) as up_to,
        sum(sum(answer_time.attempts)) filter (where answer_time.bucket
          >= 0) over (partition by answer_time.hour) as total
      from public.webhook_answer_times answer_time
      where answer_time.tenant_id = private.tenant_id()
        and (attempts_by_hour.webhook_id is null
        or answer_time.webhook_id = attempts_by_hour.webhook_id)
        and answer_time.hour > now() - interval '7 days'
      group by answer_time.hour, answer_time.succeeded, answer_time.bucket
    )
    select jsonb_agg(hour_slot.found order by hour_slot.hour) from (
      select counted.hour, jsonb_build_object(
        'start', private.iso(counted.hour),
        'succeeded', coalesce(sum(counted.attempts) filter (where counted.succeeded), 0),
        'failed', coalesce(sum(counted.attempts) filter (where not counted.succeeded), 0),
        'p50_ms', round(
          1.1 ^ (min(counted.bucket) filter (where counted.bucket >= 0
            and counted.up_to >= counted.total * 0.5) + 0.5)),
        'p95_ms', round(
          1.1 ^ (min(counted.bucket) filter (where counted.bucket >= 0
            and counted.up_to >= counted.total * 0.95) + 0.5))
      ) as found
      from counted group by counted.hour
    ) hour_slot
  ), '[]'));
end $function$;
CREATE OR REPLACE FUNCTION public.get_webhook_delivery(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  delivery public.webhook_deliveries;
begin
  perform private.begin_request(request, 'get_webhook_delivery');
  perform private.find_webhook(input ->> 'id');
  delivery := private.find_delivery(input ->> 'id', input ->> 'delivery_id');
  return private.delivery_json(delivery) || jsonb_build_object(
    'payload', (
      select jsonb_build_object('type', event.type, 'timestamp', private.iso(event.at),
        'data', event.data)
        || case when event.test_of is not null then '{"test": true}' else '{}'::jsonb end
      from public.events event where event.tenant_id = delivery.tenant_id
        and event.id = delivery.event_id
    ),
    'request_id', (select event.request_id from public.events event
      where event.tenant_id = delivery.tenant_id and event.id = delivery.event_id),
    'attempts', coalesce((
      select jsonb_agg(private.attempt_json(attempt) || jsonb_build_object(
        'response', case when attempt.status_code is not null
          and delivery.type = any (private.readable_events()) then jsonb_build_object(
          'headers', coalesce(attempt.response_headers, '{}'),
          'body', coalesce(attempt.response_body, ''),
          'truncated', coalesce(attempt.response_truncated, false)
        ) end
      ) order by attempt.number)
      from public.webhook_attempts attempt where attempt.tenant_id = delivery.tenant_id
        and attempt.delivery_id = delivery.id
    ), '[]')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.interrupt_lapsed_attempts(webhook_ids text[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  lapsed record;
begin
  for lapsed in
    select delivery.tenant_id, delivery.id, delivery.lease from public.webhook_deliveries delivery
    where delivery.lease is not null and delivery.next_attempt_at <= now()
      and delivery.webhook_id = any (webhook_ids)
      and delivery.tenant_id = coalesce(private.tenant_id(), delivery.tenant_id)
  loop
    update public.webhook_attempts attempt
    set status = 'interrupted', duration_ms = extract(epoch from now() - attempt.started_at) * 1000,
      detail = 'The worker that made this attempt stopped responding.'
    where attempt.tenant_id = lapsed.tenant_id and attempt.delivery_id = lapsed.id
      and attempt.id = lapsed.lease
      and attempt.status = 'in_flight';
  end loop;
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
  update public.webhook_deliveries delivery set
    status = 'pending', failure_kind = null, failure_count = 0, cause = $3, next_attempt_at = now(),
    lease = null
  where delivery.tenant_id = private.tenant_id() and delivery.id = any (ids)
    and delivery.webhook_id = $1
    and (delivery.lease is null or delivery.next_attempt_at <= now());
  get diagnostics requeued = row_count;
  if requeued > 0 then
    perform private.notify_webhook_worker($1);
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
  replayed constant jsonb := private.begin_write(request, 'resend_webhook_delivery');
  delivery public.webhook_deliveries;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_active_webhook(private.lock_webhook(input ->> 'id'));
  delivery := private.find_delivery(input ->> 'id', input ->> 'delivery_id');
  if private.requeue_deliveries(delivery.webhook_id, array[delivery.id], 'resend') = 0 then
    perform private.refuse_conflict('delivery_under_way',
      'This delivery is being sent. Wait for its result.');
  end if;
  return private.finish_request(request,
    private.delivery_json(private.find_delivery(delivery.webhook_id, delivery.id)));
end $function$;
CREATE OR REPLACE FUNCTION public.recover_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'recover_webhook');
  since constant timestamptz := (input ->> 'since')::timestamptz;
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  oldest constant timestamptz := greatest(since, now() - interval '30 days');
  webhook public.webhooks;
  missed text[];
  recovered bigint;
begin
  if replayed is not null then
    return replayed;
  end if;
  webhook := private.lock_webhook(input ->> 'id');
  if not dry_run then
    perform private.require_active_webhook(webhook);
  end if;
  missed := array(
    select delivery.id from public.webhook_deliveries delivery
    where delivery.tenant_id = webhook.tenant_id and delivery.webhook_id = webhook.id
      and delivery.created_at >= oldest
      and delivery.status = 'failed'
    union all
    select delivery.id from public.webhook_deliveries delivery
    where delivery.tenant_id = webhook.tenant_id and delivery.webhook_id = webhook.id
      and delivery.created_at >= oldest
      and delivery.status = 'pending'
      and private.delivery_status(delivery) = 'retrying'
  );
  recovered := case when dry_run then cardinality(missed)
    else private.requeue_deliveries(webhook.id, missed, 'recover') end;
  if not dry_run and recovered > 0 then
    perform private.record_security_event('webhook.recovered', webhook.id, null,
      jsonb_build_object('since', private.iso(since), 'count', recovered));
  end if;
  return private.finish_request(request,
    jsonb_build_object('since', private.iso(since), 'dry_run', dry_run, 'count', recovered));
end $function$;
CREATE OR REPLACE FUNCTION private.fail_deliveries_of_inactive(webhook_ids text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  inactive constant text[] := array(select webhook.id from public.webhooks webhook
    where webhook.id = any (webhook_ids)
      and (webhook.status <> 'active' or webhook.deleted_at is not null));
begin
  if cardinality(inactive) > 0 then
    update public.webhook_deliveries delivery
    set status = 'failed', failure_kind = 'webhook_disabled', next_attempt_at = null, lease = null
    where delivery.webhook_id = any (inactive) and delivery.status = 'pending'
      and delivery.next_attempt_at <= now();
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.deliveries_to_send(webhook_ids text[], max_count integer)
 RETURNS TABLE(tenant_id text, id text, url text, place bigint, webhook_id text)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
#variable_conflict use_column
begin
  return query
  with requested as (
    select webhook.id, webhook.tenant_id, webhook.url,
      case when webhook.failing_since is null then 20 else 2 end as cap,
      -- Null without a limit, which least() ignores.
      case when webhook.max_per_minute is not null then
        greatest(0, webhook.max_per_minute - coalesce(rate.attempts, 0)) end as left_this_minute
    from public.webhooks webhook
    left join private.webhook_rates rate on rate.tenant_id = webhook.tenant_id
      and rate.webhook_id = webhook.id and rate.minute = date_trunc('minute', now())
    where webhook.id = any (webhook_ids) and webhook.status = 'active'
      and webhook.deleted_at is null
  ), busy as (
    select delivery.tenant_id, delivery.webhook_id, count(*) as deliveries
    from public.webhook_deliveries delivery
    where delivery.lease is not null and delivery.next_attempt_at > now()
      and delivery.tenant_id in (select tenant_id from requested)
    group by 1, 2
  ), due as (
    select webhook_asked.tenant_id, webhook_asked.id as webhook_id, webhook_asked.url, delivery.id,
      delivery.event_id, delivery.next_attempt_at, coalesce(load.deliveries, 0)
        + row_number() over (partition by webhook_asked.id
          order by delivery.next_attempt_at) as place
    from requested webhook_asked
    left join busy load on load.webhook_id = webhook_asked.id
    cross join lateral (
      select pending.id, pending.event_id, pending.next_attempt_at
      from public.webhook_deliveries pending
      where pending.webhook_id = webhook_asked.id and pending.status = 'pending'
        and pending.next_attempt_at <= now()
      order by pending.next_attempt_at
      limit least(webhook_asked.left_this_minute,
        greatest(0, webhook_asked.cap - coalesce(load.deliveries, 0)))
      for no key update skip locked
    ) delivery
  ), ranked as (
    select *,
      coalesce((select sum(load.deliveries - 1) from busy load
        where load.tenant_id = due.tenant_id), 0)
      + count(*) filter (where place > 1) over (partition by tenant_id order by place,
        next_attempt_at, id) as beyond_the_first
    from due
  ), first as (
    select * from ranked where place = 1 or beyond_the_first <= 200
    order by place, next_attempt_at limit max_count
  )
  select chosen.tenant_id, chosen.id, chosen.url, chosen.place, chosen.webhook_id from first chosen;
end $function$;
CREATE OR REPLACE FUNCTION private.count_rated_attempts(tenants text[], webhook_ids text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.webhook_rates as rate (tenant_id, webhook_id, minute, attempts)
  select webhook.tenant_id, webhook.id, date_trunc('minute', now()), count(*)
  from unnest(tenants, webhook_ids) as counted (tenant_id, webhook_id)
  join public.webhooks webhook on webhook.tenant_id = counted.tenant_id
    and webhook.id = counted.webhook_id
    and webhook.max_per_minute is not null
  group by webhook.tenant_id, webhook.id
  on conflict (tenant_id, webhook_id) do update set
    attempts = excluded.attempts + case when rate.minute = excluded.minute then rate.attempts
      else 0 end,
    minute = excluded.minute;
end $function$;
CREATE OR REPLACE FUNCTION private.claim_webhook_deliveries(webhook_ids text[], max_count integer)
 RETURNS TABLE(attempt_id bigint, delivery_id text, webhook_id text, tenant_id text, event_id text, url text, body text, secrets jsonb, sent_at bigint, type text, request_id text, headers jsonb, oauth jsonb)
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
declare
  chosen record;
begin
  -- One claim at a time: the caps hold over all workers.
  perform pg_advisory_xact_lock(hashtextextended('claim_webhook_deliveries', 0));
  perform private.interrupt_lapsed_attempts(webhook_ids);
  perform private.fail_deliveries_of_inactive(webhook_ids);
  select array_agg(delivery.tenant_id) as tenants, array_agg(delivery.id) as ids,
    array_agg(delivery.url) as urls,
    array_agg(delivery.place) as places, array_agg(delivery.webhook_id) as webhook_ids
  into chosen from private.deliveries_to_send(webhook_ids, max_count) delivery;
  if chosen.ids is null then
    return;
  end if;
  perform private.count_rated_attempts(chosen.tenants, chosen.webhook_ids);
  return query select * from private.begin_attempts(chosen.tenants, chosen.ids, chosen.urls,
    chosen.places);
end $function$;
CREATE OR REPLACE FUNCTION private.overdue_webhooks()
 RETURNS SETOF text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with recursive waiting as (
    (select delivery.webhook_id, delivery.next_attempt_at from public.webhook_deliveries delivery
      where delivery.status = 'pending'
      order by delivery.webhook_id, delivery.next_attempt_at limit 1)
    union all
    select next_delivery.webhook_id, next_delivery.next_attempt_at from waiting overdue cross
      join lateral (
      select delivery.webhook_id, delivery.next_attempt_at from public.webhook_deliveries delivery
      where delivery.status = 'pending' and delivery.webhook_id > overdue.webhook_id
      order by delivery.webhook_id, delivery.next_attempt_at limit 1
    ) next_delivery
  )
  select waiting.webhook_id from waiting
  where waiting.next_attempt_at <= now() - interval '1 second';
end $function$;
CREATE OR REPLACE FUNCTION private.signature_failure(webhook public.webhooks, status_code integer, OUT kind text, OUT detail text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  secret_changed_at constant timestamptz := greatest(webhook.secret_changed_at,
    case when webhook.previous_secret_expires_at <= now()
      then webhook.previous_secret_expires_at end);
begin
  if secret_changed_at is not null
    and (webhook.last_success_at is null or webhook.last_success_at < secret_changed_at)
  then
    kind := 'stale_secret';
    detail := format(
      'The receiver responded with %s after the secret was changed at %s. It seems to verify with the old one.',
      status_code, private.iso(secret_changed_at));
  else
    kind := 'signature_failed';
    detail := format('The receiver responded with %s: it did not accept the signature.',
      status_code);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.evaluate_attempts(results jsonb, webhook_ids text[])
 RETURNS SETOF private.attempt_verdict
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return query
  with held as (
    select result.*, delivery.id, delivery.webhook_id, delivery.tenant_id, delivery.failure_count,
      webhook as webhook,
      webhook.status = 'active' and webhook.deleted_at is null as active,
      case when result.interrupted then 'interrupted'
        when result.status_code between 200 and 299 then 'succeeded' else 'failed' end as outcome
    from jsonb_to_recordset(results) as result (
      attempt_id bigint, status_code integer, failure_kind text, detail text, interrupted boolean,
      pause_seconds integer, duration_ms integer, retry_after_seconds integer,
      response_headers jsonb, response_body text, response_truncated boolean
    )
    join public.webhook_deliveries delivery on delivery.lease = result.attempt_id
    join public.webhooks webhook on webhook.tenant_id = delivery.tenant_id
      and webhook.id = delivery.webhook_id
    where delivery.webhook_id = any (webhook_ids)
    for no key update of delivery
  )
  select held.attempt_id, held.id, held.webhook_id, held.tenant_id, held.outcome,
    case when held.outcome = 'failed' then coalesce(failure.kind, held.failure_kind,
      'http_error') end,
    coalesce(failure.detail, held.detail), held.status_code, held.duration_ms,
    held.response_headers, held.response_body, held.response_truncated,
    case
      when held.outcome = 'interrupted' then make_interval(secs => coalesce(held.pause_seconds, 0))
      when held.outcome = 'failed' and held.active and held.status_code is distinct from 410
        then private.retry_pause(held.failure_count + 1, held.retry_after_seconds)
    end,
    held.active
  from held
  left join lateral private.signature_failure(held.webhook, held.status_code) failure
    on held.outcome = 'failed' and held.status_code in (401, 403);
end $function$;
CREATE OR REPLACE FUNCTION private.mark_webhook(id text, succeeded boolean, failed boolean, is_gone boolean, detail text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  webhook public.webhooks;
begin
  update public.webhooks
  set last_success_at = case when succeeded then now() else webhooks.last_success_at end,
    last_failure_at = case when failed then now() else webhooks.last_failure_at end,
    failing_since = case when succeeded then null else coalesce(webhooks.failing_since, now()) end
  where webhooks.id = mark_webhook.id
  returning * into webhook;
  if is_gone then
    perform private.disable_webhook(webhook.id, 'gone',
      'The receiver responded with 410 Gone: it wants no more events.');
  elsif private.webhook_disable_at(webhook.failing_since) <= now() then
    perform private.disable_webhook(webhook.id, 'failing', concat_ws(' ',
      format('Every attempt has failed since %s, for 5 days.', private.iso(webhook.failing_since)),
      'The last one: ' || detail));
  elsif private.webhook_disable_at(webhook.failing_since) <= now() + interval '2 days' then
    perform private.warn_of_failing_webhook(webhook, detail);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.settle_webhook_attempts(results jsonb)
 RETURNS TABLE(webhook_id text, retry_in_ms double precision, waiting_attempts bigint[])
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  touched constant text[] := array(
    select distinct delivery.webhook_id
    from jsonb_to_recordset(results) as result (attempt_id bigint)
    join public.webhook_deliveries delivery on delivery.lease = result.attempt_id
  );
  -- Webhook before delivery, as everyone else locks them.
  locked constant text[] := array(
    select webhook.id from public.webhooks webhook where webhook.id = any (touched)
      for no key update skip locked);
  verdicts constant private.attempt_verdict[] := array(
    select row(judged.*)::private.attempt_verdict
    from private.evaluate_attempts(results, locked) judged);
begin
  perform private.record_verdicts(verdicts);
  perform private.mark_webhook(outcome.webhook_id, outcome.succeeded, outcome.failed, outcome.gone,
    outcome.detail)
  from (
    select verdict.webhook_id, bool_or(verdict.outcome = 'succeeded') as succeeded,
      bool_or(verdict.outcome = 'failed') as failed,
      bool_or(verdict.active and verdict.status_code = 410) as gone,
      max(verdict.detail) filter (where verdict.outcome = 'failed') as detail
    from unnest(verdicts) verdict
    where verdict.outcome <> 'interrupted'
    group by verdict.webhook_id
    order by verdict.webhook_id
  ) outcome;
  return query
  select verdict.webhook_id, min(extract(epoch from verdict.pause) * 1000)::double precision,
    null::bigint[]
  from unnest(verdicts) verdict
  group by verdict.webhook_id
  union all
  select delivery.webhook_id, null, array_agg(result.attempt_id)
  from jsonb_to_recordset(results) as result (attempt_id bigint)
  join public.webhook_deliveries delivery on delivery.lease = result.attempt_id
  where delivery.webhook_id <> all (locked)
  group by delivery.webhook_id;
end $function$;
CREATE OR REPLACE FUNCTION private.record_search(tenant_id text, surface text, data jsonb)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (SELECT COALESCE(array_to_tsvector(array_agg(DISTINCT kept.lexeme)), ''::tsvector) AS "coalesce" FROM (SELECT found.lexeme, sum(octet_length(found.lexeme)) OVER (ROWS UNBOUNDED PRECEDING) AS bytes FROM (SELECT (private.record_mark(record_search.tenant_id, record_search.surface) || "left"(array_to_string(word.parts[part_no.part_no:(part_no.part_no + 19)], '.'::text), 60)) AS lexeme FROM (((jsonb_path_query((record_search.data - '{tenantId,idempotencyKey}'::text[]), 'strict $.**'::jsonpath) value(value) CROSS JOIN LATERAL regexp_split_to_table(private.record_words((value.value #>> '{}'::text[])), '\s+'::text) token(token)) CROSS JOIN LATERAL (SELECT (string_to_array(btrim(token.token, '.'::text), '.'::text))[1:100] AS parts) word) CROSS JOIN LATERAL generate_subscripts(word.parts, 1) part_no(part_no)) WHERE ((jsonb_typeof(value.value) = ANY (ARRAY['string'::text, 'number'::text])) AND (btrim(token.token, '.'::text) <> ''::text)) LIMIT 10000) found) kept WHERE (kept.bytes <= 262144));
CREATE OR REPLACE FUNCTION private.record_query(tenant_id text, surface text, search text)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (COALESCE((SELECT string_agg(format('''%s%s'':*'::text, private.record_mark(record_query.tenant_id, record_query.surface), "left"(btrim(token.token, '.'::text), 60)), ' & '::text) AS string_agg FROM regexp_split_to_table(private.record_words(record_query.search), '\s+'::text) token(token) WHERE (btrim(token.token, '.'::text) <> ''::text)), ''::text))::tsquery;
CREATE OR REPLACE FUNCTION private.is_restorable(deleted_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.record_purge_at(deleted_at) > now();
end $function$;
CREATE OR REPLACE FUNCTION private.purge_records(batch integer DEFAULT 1000)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  purged integer;
begin
  delete from public.records using (
    select expired.tenant_id, expired.id
    from public.records expired
    where expired.deleted_at <= now() - private.record_retention()
    order by expired.deleted_at limit batch for update skip locked
  ) old
  where records.tenant_id = old.tenant_id and records.id = old.id;
  get diagnostics purged = row_count;
  return purged;
end $function$;
CREATE OR REPLACE FUNCTION private.record_json(stored_record public.records)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  deletion jsonb := '{"soft_delete": false, "deleted_at": null, "purge_at": null}';
begin
  if stored_record.deleted_at is not null then
    deletion := jsonb_build_object('soft_delete', true,
      'deleted_at', private.iso(stored_record.deleted_at),
      'purge_at', private.iso(private.record_purge_at(stored_record.deleted_at)));
  end if;
  return jsonb_build_object('version', stored_record.version,
    'record', stored_record.data || deletion || jsonb_build_object(
    'id', stored_record.id, 'created_at', private.iso(stored_record.created_at),
    'updated_at', private.iso(stored_record.updated_at),
    'created_by', case when private.principal_type() <> 'publishable_key'
      then stored_record.created_by end
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.includes_deleted(input jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if coalesce(input ->> 'include_deleted', 'false') not in ('true', 'only') then
    return false;
  elsif not private.may('restore:' || (input ->> 'surface')) then
    perform private.refuse('role_required',
      'Deleted records require the role tenant_admin. Ask a tenant admin.');
  end if;
  return true;
end $function$;
CREATE OR REPLACE FUNCTION private.lock_record(input jsonb, request jsonb)
 RETURNS public.records
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  stored_record public.records;
begin
  select * into stored_record from public.records
  where records.tenant_id = private.tenant_id() and records.id = input ->> 'id'
    and records.surface = input ->> 'surface' and records.deleted_at is null
  for no key update;
  if not found then
    perform private.refuse_missing('record');
  end if;
  perform private.require_version(stored_record.version, request -> 'versions');
  return stored_record;
end $function$;
CREATE OR REPLACE FUNCTION private.find_records(input jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer + 1;
  base_query text := format(
    'select * from public.records r where r.tenant_id = %L and r.surface = %L',
    private.tenant_id(), input ->> 'surface');
  sources text[];
  filters text := 'true';
  ids text[];
begin
  if input -> 'after' ->> 0 is not null then
    base_query := base_query || format(' and r.id < %L', input -> 'after' ->> 0);
  end if;
  sources := case input ->> 'include_deleted'
    when 'true' then array[base_query || ' and r.deleted_at is null',
      base_query || ' and r.deleted_at is not null and private.is_restorable(r.deleted_at)']
    when 'only' then array[base_query
      || ' and r.deleted_at is not null and private.is_restorable(r.deleted_at)']
    else array[base_query || ' and r.deleted_at is null']
  end;
  if private.principal_type() = 'publishable_key' then
    filters := filters || ' and r.published';
  end if;
  if input ->> 'operation' is not null then
    filters := filters || format(' and r.operation = %L', input ->> 'operation');
  end if;
  if input ->> 'updated_since' is not null then
    filters := filters || format(' and r.updated_at >= %L::timestamptz', input ->> 'updated_since');
  end if;
  if input ->> 'q' is not null then
    filters := filters
      || format(' and r.search @@ %L::tsquery',
        private.record_query(private.tenant_id(), input ->> 'surface', input ->> 'q'));
    -- Words that many records have occur among the newest records too: reading those is faster than
    -- any index of words.
    ids := private.newest_records(
      array(select source || ' order by r.id desc limit 2000' from unnest(sources) source),
      filters, page_size);
    if cardinality(ids) = page_size then
      return ids;
    end if;
  end if;
  return private.newest_records(sources, filters, page_size);
end $function$;
CREATE OR REPLACE FUNCTION public.list_records(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_records', coalesce(input ->> 'surface', ''));
  perform private.includes_deleted(input);
  select jsonb_agg(private.record_json(stored_record) -> 'record'
    order by stored_record.id desc) into items
  from public.records stored_record
  where stored_record.tenant_id = private.tenant_id()
    and stored_record.id = any ((select private.find_records(input))::text[])
    and stored_record.surface = input ->> 'surface';
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.get_record(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  with_deleted boolean;
  answer jsonb;
begin
  perform private.begin_request(request, 'get_record', coalesce(input ->> 'surface', ''));
  with_deleted := private.includes_deleted(input);
  select private.record_json(stored_record) into answer from public.records stored_record
  where stored_record.tenant_id = private.tenant_id() and stored_record.id = input ->> 'id'
    and stored_record.surface = input ->> 'surface'
    and (stored_record.deleted_at is null or with_deleted);
  if answer is null then
    perform private.refuse_missing('record');
  end if;
  return answer;
end $function$;
CREATE OR REPLACE FUNCTION public.update_record(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_record',
    coalesce(input ->> 'surface', ''));
  stored_record public.records;
  patched jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  stored_record := private.lock_record(input, request);
  patched := private.merge_patch(stored_record.data, input -> 'patch');
  if patched <> stored_record.data then
    perform private.require_record_size(patched);
    update public.records
    set data = patched
    where records.tenant_id = stored_record.tenant_id and records.id = stored_record.id
    returning * into stored_record;
  end if;
  return private.finish_request(request, private.record_json(stored_record));
end $function$;
CREATE OR REPLACE FUNCTION public.delete_record(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'delete_record',
    coalesce(input ->> 'surface', ''));
  stored_record public.records;
begin
  if replayed is not null then
    return replayed;
  end if;
  stored_record := private.lock_record(input, request);
  update public.records
  set deleted_at = now()
  where records.tenant_id = stored_record.tenant_id and records.id = stored_record.id
  returning * into stored_record;
  return private.finish_request(request, private.record_json(stored_record));
end $function$;
CREATE OR REPLACE FUNCTION public.restore_record(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'restore_record',
    coalesce(input ->> 'surface', ''));
  stored_record public.records;
begin
  if replayed is not null then
    return replayed;
  end if;
  select * into stored_record from public.records
  where records.tenant_id = private.tenant_id() and records.id = input ->> 'id'
    and records.surface = input ->> 'surface'
    and (records.deleted_at is null or private.is_restorable(records.deleted_at)) for update;
  if not found then
    perform private.refuse_missing('record');
  end if;
  if stored_record.deleted_at is not null then
    update public.records
    set deleted_at = null
    where records.tenant_id = stored_record.tenant_id and records.id = stored_record.id
    returning * into stored_record;
  end if;
  return private.finish_request(request, private.record_json(stored_record));
end $function$;
CREATE OR REPLACE FUNCTION private.tenants_of_claims(claims jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case jsonb_typeof(claims -> 'tenants')
    when 'object' then array(select jsonb_object_keys(claims -> 'tenants'))
    when 'array' then array(select tenant #>> '{}'
      from jsonb_array_elements(claims -> 'tenants') tenant
      where jsonb_typeof(tenant) = 'string')
    else '{}'
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.claims_with_roles(claims jsonb, tenant text, roles jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  base jsonb := coalesce(claims, '{}');
  tenants jsonb;
begin
  if jsonb_typeof(base -> 'tenants') = 'array' then
    base := base - 'roles' || jsonb_build_object('tenants', coalesce((
      select jsonb_object_agg(listed_tenant, coalesce(base -> 'roles', '[]'))
      from jsonb_array_elements_text(base -> 'tenants') listed_tenant
    ), '{}'));
  end if;
  tenants := (case jsonb_typeof(base -> 'tenants') when 'object' then base -> 'tenants'
    else '{}' end)
    - tenant;
  return base
    || jsonb_build_object('tenants',
      case when roles is null then tenants else tenants || jsonb_build_object(tenant, roles) end);
end $function$;
CREATE OR REPLACE FUNCTION private.members()
 RETURNS TABLE(name text, roles text[], source text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
begin
  return query
  with recursive assignee (reference) as (
    -- One step in the index per name, however many exceptions each has.
    (select exception.assigned_to from public.exceptions exception
      where exception.tenant_id = tenant and exception.assigned_to is not null order by 1 limit 1)
    union all
    select (select exception.assigned_to
    from public.exceptions exception
    where exception.tenant_id = tenant and exception.assigned_to > assignee.reference
    order by 1
    limit 1)
    from assignee where assignee.reference is not null
  ), person (name, role, source) as (
    select private.account_name(account.email, account.id), of_role.role, 'directory'
    from private.accounts_of(tenant) account
    left join lateral unnest(private.roles()) as of_role (role)
      on private.roles_of_account(account.raw_app_meta_data, tenant) ? of_role.role
    where account.banned_until is null or account.banned_until <= now()
    union all
    select substr(assignee.reference, 6), null, 'assignment' from assignee
    where assignee.reference is not null
  )
  select person_row.name,
    coalesce(array_agg(distinct person_row.role) filter (where person_row.role is not null), '{}'),
    max(person_row.source)
  from person person_row group by person_row.name;
end $function$;
CREATE OR REPLACE FUNCTION public.list_members(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  sought constant text := lower(input ->> 'q');
  items jsonb;
begin
  perform private.begin_request(request, 'list_members');
  select jsonb_agg(
    jsonb_build_object('name', member.name, 'user', 'user:' || member.name, 'roles', member.roles,
      'source', member.source)
  order by member.name) into items
  from (
    select * from private.members() member
    where (input -> 'after' ->> 0 is null or member.name > input -> 'after' ->> 0)
      and (sought is null or strpos(lower(member.name), sought) > 0)
    order by member.name
    limit page_size + 1
  ) member;
  return private.page(items, page_size, 'name');
end $function$;
CREATE OR REPLACE FUNCTION private.admit_member(tenant_id text, email text, roles text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  account auth.users;
begin
  if not exists (select from public.tenants tenant where tenant.id = $1) then
    perform private.refuse('not_found', format('There is no tenant %s.', $1));
  elsif private.is_sandbox($1) then
    perform private.refuse('not_found',
      format('%s is a sandbox. Admit people to its live tenant, %s.', $1, private.live_tenant($1)));
  end if;
  select * into account
  from auth.users
  where users.id = (private.find_account($2)).id for no key update;
  if not found then
    perform private.refuse('not_found',
      format('Supabase Auth has no account with the address %s. Create it there first.', $2));
  end if;
  update auth.users
  set raw_app_meta_data = private.claims_with_roles(users.raw_app_meta_data, $1, to_jsonb($3))
  where users.id = account.id;
  perform private.append_security_event(jsonb_build_object(
    'tenant_id', $1, 'type', 'member.admitted', 'actor', 'operator', 'credential', 'system',
    'target', 'user:' || private.account_name(account.email, account.id),
    'details', jsonb_build_object('roles', jsonb_build_object(
      'from', coalesce(private.roles_of_account(account.raw_app_meta_data, $1), '[]'),
      'to', to_jsonb($3)))
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.find_session_user(user_id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('app_metadata', coalesce(account.raw_app_meta_data, '{}'),
      'email', account.email)
    from auth.users account
    where account.id = user_id and account.deleted_at is null
      and (account.banned_until is null or account.banned_until <= now())
  );
end $function$;
CREATE OR REPLACE FUNCTION private.account_json(account auth.users, tenant text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  name constant text := private.account_name(account.email, account.id);
  roles constant jsonb := private.roles_of_account(account.raw_app_meta_data, tenant);
begin
  return jsonb_build_object(
    'id', account.id, 'name', name, 'user', 'user:' || name, 'email', account.email,
    'roles', to_jsonb(array(select role from unnest(private.roles()) role where roles ? role)),
    'status', case when account.banned_until > now() then 'suspended' else 'active' end,
    'created_at', private.iso(account.created_at),
    'last_sign_in_at', private.iso(account.last_sign_in_at),
    'open_exceptions', (select count(*) from (
      select from public.exceptions exception
      where exception.tenant_id = tenant and exception.assigned_to = 'user:' || name
        and exception.status in ('open', 'in_review')
        limit 1000
    ) counted),
    'version', private.version_of(roles)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.tenant_account(id uuid)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select private.account_json(account, private.tenant_id()) from auth.users account
    where account.id = $1 and private.may('read:people') and account.deleted_at is null
      and private.roles_of_account(account.raw_app_meta_data, private.tenant_id()) is not null
  );
end $function$;
CREATE OR REPLACE FUNCTION private.tenant_account_page(after text, sought text, max_count integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(private.account_json(account.account, private.tenant_id())
      || jsonb_build_object('key', account.key)
    order by account.key)
    from (
      select account as account, coalesce(account.email, '') || ' ' || account.id as key
      from private.tenant_accounts() account
      where (after is null or coalesce(account.email, '') || ' ' || account.id > after)
        and (sought is null or strpos(lower(account.email), sought) > 0)
      order by 2 limit max_count
    ) account
  );
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
  select * into account from auth.users
  where users.id = $1 and users.deleted_at is null
    and private.roles_of_account(users.raw_app_meta_data, tenant) is not null for no key update;
  before := private.roles_of_account(account.raw_app_meta_data, tenant);
  if before is null then
    perform private.refuse_missing('member');
  end if;
  perform private.require_version(private.version_of(before), versions);
  if before ? 'tenant_admin' and not coalesce(roles ? 'tenant_admin', false) and not exists (
    select from private.accounts_of(tenant) other_account
    where other_account.id <> account.id
      and (other_account.banned_until is null or other_account.banned_until <= now())
      and private.roles_of_account(other_account.raw_app_meta_data, tenant) ? 'tenant_admin'
  ) then
    perform private.refuse_conflict('last_admin',
      'This is the tenant''s last admin. Make another member an admin first.');
  end if;
  update auth.users
  set raw_app_meta_data = private.claims_with_roles(users.raw_app_meta_data, tenant, roles),
    updated_at = now()
  where users.id = account.id returning * into account;
  if roles is null and account.raw_app_meta_data -> 'tenants' = '{}' then
    with removed as (
      update private.sessions session set ended_at = now()
      where session.issuer = change_account.issuer and session.subject = account.id::text
        and session.ended_at is null
        returning session.id
    )
    select coalesce(array_agg(removed.id), '{}') into ended from removed;
  end if;
  return jsonb_build_object('name', private.account_name(account.email, account.id),
    'before', before, 'ended', to_jsonb(ended));
end $function$;
CREATE OR REPLACE FUNCTION private.has_namesake(name text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (select count(*) > 1 from private.accounts_of(private.tenant_id()) account
    where private.account_name(account.email, account.id) = $1);
end $function$;
CREATE OR REPLACE FUNCTION private.open_exceptions_of(assignee text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array(
    select exception.id
    from public.exceptions exception
    where exception.tenant_id = private.tenant_id() and exception.assigned_to = assignee
      and exception.status in ('open', 'in_review'));
end $function$;
CREATE OR REPLACE FUNCTION public.remove_tenant_member(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'remove_tenant_member');
  member constant uuid := (input ->> 'id')::uuid;
  before constant jsonb := case
    when replayed is null then private.tenant_account((input ->> 'id')::uuid) end;
  changed jsonb;
  handed_over integer := 0;
begin
  if replayed is not null then
    return replayed;
  end if;
  if (input ->> 'hand_over')::boolean and private.has_namesake(before ->> 'name') then
    perform private.refuse_conflict('same_name',
      format(
        'Another member is called %s too. Reassign the exceptions on the board first, then remove the member without handing over.',
        before ->> 'name'));
  -- Counted up to 1,000.
  elsif (input ->> 'hand_over')::boolean and (before ->> 'open_exceptions')::integer >= 1000 then
    perform private.refuse_conflict('too_many_exceptions',
      format(
        '%s has 1,000 open exceptions or more. Reassign them on the board first, then remove the member without handing over.',
        before ->> 'name'));
  end if;
  changed := private.change_account(member, null, request -> 'versions', input ->> 'issuer');
  if (input ->> 'hand_over')::boolean then
    select count(*) into handed_over from private.change_exceptions_for_caller('edit', array(
      select jsonb_build_object('id', exception.id, 'assigned_to', input -> 'hand_over_to')
      from private.lock_exceptions(private.open_exceptions_of('user:'
        || (changed ->> 'name'))) exception
      where exception.assigned_to = 'user:' || (changed ->> 'name')
        and exception.status in ('open', 'in_review')
    ));
  end if;
  perform private.record_security_event('member.removed', 'user:' || (changed ->> 'name'),
    input ->> 'reason', jsonb_build_object(
    'member_id', member, 'roles', changed -> 'before',
    'sessions_ended', jsonb_array_length(changed -> 'ended'),
    'handed_over', handed_over, 'handed_over_to', input ->> 'hand_over_to'));
  return private.finish_request(request,
    before || jsonb_build_object('handed_over', handed_over, 'ended', changed -> 'ended'));
end $function$;
CREATE OR REPLACE FUNCTION private.invitation_status(invitation public.invitations)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case when invitation.accepted_at is not null then 'accepted'
    when invitation.revoked_at is not null then 'revoked'
    when invitation.expires_at <= now() then 'expired' else 'pending' end;
end $function$;
CREATE OR REPLACE FUNCTION private.invitation_json(invitation public.invitations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.invitation_version(invitation public.invitations)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.version_of(jsonb_build_array(invitation.requested_at, invitation.accepted_at,
    invitation.revoked_at));
end $function$;
CREATE OR REPLACE FUNCTION private.lock_invitation(id text)
 RETURNS public.invitations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.invitation_mails(since timestamp with time zone, email text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select count(*) from public.invitations invitation cross join unnest(invitation.requests) at
    where invitation.tenant_id = private.tenant_id() and invitation.requested_at > since
      and at > since
      and ($2 is null or invitation.email = $2)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.send_invitation(id text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.end_invitation_link(id text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete
  from private.invitation_tokens token
  where token.tenant_id = private.tenant_id() and token.invitation_id = $1;
end $function$;
CREATE OR REPLACE FUNCTION private.is_member_address(email text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (select from private.accounts_of(private.tenant_id()) account
    where lower(account.email) = $1);
end $function$;
CREATE OR REPLACE FUNCTION public.list_invitations(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION public.get_invitation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION public.resend_invitation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION public.revoke_invitation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.begin_invitation_mail(tenant_id text, invitation_id text, token_hash text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.end_invitation_mail(tenant_id text, invitation_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.invitations invitation set sent_at = now() where invitation.tenant_id = $1
    and invitation.id = $2;
end $function$;
CREATE OR REPLACE FUNCTION private.find_account(email text)
 RETURNS auth.users
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  account auth.users;
begin
  select users.* into account from private.account_index indexed_account
    join auth.users on users.id = indexed_account.user_id
  where indexed_account.address = private.address_key($1) and lower(users.email) = lower($1)
    and users.deleted_at is null
    order by users.created_at limit 1;
  return account;
end $function$;
CREATE OR REPLACE FUNCTION private.record_account_event(account auth.users, type text, origin jsonb, details jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.set_password(account auth.users, password_hash text, issuer text, kept_session text)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.delete_password_reset(token_hash text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from private.password_resets password_reset where password_reset.token_hash = $1;
end $function$;
CREATE OR REPLACE FUNCTION private.reset_password(token_hash text, password_hash text, issuer text, origin jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.is_password_reset(token_hash text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (select from private.password_resets password_reset
    where password_reset.token_hash = $1 and password_reset.expires_at > now());
end $function$;
CREATE OR REPLACE FUNCTION private.change_password(user_id uuid, password_hash text, issuer text, kept_session text, origin jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.open_invitation(token_hash text)
 RETURNS public.invitations
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.find_invitation(token_hash text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.take_over_account(account auth.users, password_hash text)
 RETURNS auth.users
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.accept_invitation(token_hash text, user_id uuid, password_hash text, origin jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.first_steps_json()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
begin
  return jsonb_build_object(
    'steps', jsonb_build_array(
      jsonb_build_object('step', 'create_key', 'done',
        exists (select from public.api_keys api_key where api_key.tenant_id = tenant)),
      jsonb_build_object('step', 'call_api', 'done',
        exists (select from public.api_key_totals total where total.tenant_id = tenant)),
      jsonb_build_object('step', 'register_webhook', 'done',
        exists (select from public.webhooks webhook where webhook.tenant_id = tenant)),
      jsonb_build_object('step', 'receive_event', 'done', exists (
        select from public.webhooks webhook
        where webhook.tenant_id = tenant and webhook.last_success_at is not null))
    ),
    'key_id', (select max(api_key.id) from public.api_keys api_key
      where api_key.tenant_id = tenant and api_key.revoked_at is null),
    'webhook_id', (select max(webhook.id) from public.webhooks webhook
      where webhook.tenant_id = tenant and webhook.deleted_at is null),
    'dismissed', exists (
      select
      from public.first_steps_dismissals dismissal
      where dismissal.tenant_id = tenant and dismissal.principal_id = auth.jwt() ->> 'principal_id')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.first_steps_version()
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select 1 + count(*) from public.first_steps_dismissals dismissal
    where dismissal.tenant_id = private.tenant_id()
      and dismissal.principal_id = auth.jwt() ->> 'principal_id'
  );
end $function$;
CREATE OR REPLACE FUNCTION public.put_first_steps(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.begin_request(request, 'put_first_steps');
  perform private.require_version(private.first_steps_version(), request -> 'versions');
  if (input ->> 'dismissed')::boolean then
    insert into public.first_steps_dismissals (tenant_id)
    values (private.tenant_id())
    on conflict do nothing;
  else
    delete from public.first_steps_dismissals dismissal
    where dismissal.tenant_id = private.tenant_id()
      and dismissal.principal_id = auth.jwt() ->> 'principal_id';
  end if;
  return private.first_steps_json() || jsonb_build_object('version', private.first_steps_version());
end $function$;
CREATE OR REPLACE FUNCTION private.record_heartbeat(pool text, kind text)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.heartbeats (pool, kind) values ($1, $2)
  on conflict on constraint heartbeats_pkey do update set beat_at = now();
  return array(select heartbeat.pool from private.heartbeats heartbeat
    where heartbeat.kind = $2 and heartbeat.beat_at > now() - interval '10 seconds');
end $function$;
CREATE OR REPLACE FUNCTION private.unlock_dead_workers()
 RETURNS SETOF text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query delete
  from private.heartbeats heartbeat
  where heartbeat.beat_at < now() - interval '20 seconds'
  returning heartbeat.pool;
end $function$;
CREATE OR REPLACE FUNCTION public.readiness()
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'read_only', pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on',
    'working', (
      select coalesce(jsonb_object_agg(kind, processes), '{}')
      from (select kind, count(*) as processes from private.heartbeats
        where beat_at > now() - interval '15 seconds' group by kind) heartbeat
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.delivery_metrics()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object(
      'pending', count(*),
      'due', count(*) filter (where next_attempt_at <= now()),
      -- A delivery that waits for its webhook's limit isn't late.
      'lag_seconds', greatest(0, coalesce(extract(epoch from now() - min(delivery.next_attempt_at)
        filter (where not exists (select from public.webhooks webhook
          where webhook.tenant_id = delivery.tenant_id and webhook.id = delivery.webhook_id
            and webhook.max_per_minute is not null))), 0))
    )
    from public.webhook_deliveries delivery where delivery.status = 'pending'
  );
end $function$;
CREATE OR REPLACE FUNCTION private.is_valid_session(session private.sessions, idle_seconds integer)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return session.ended_at is null and session.expires_at > now()
    and (idle_seconds = 0 or session.seen_at > now() - make_interval(secs => idle_seconds));
end $function$;
CREATE OR REPLACE FUNCTION private.begin_session(session jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  session_id text;
begin
  insert into private.sessions (issuer, subject, provider, address, user_agent, expires_at)
  values (
    session ->> 'issuer', session ->> 'subject', session ->> 'provider',
    (session ->> 'address')::inet, left(session ->> 'user_agent', 300),
    now() + make_interval(secs => (session ->> 'seconds')::integer)
  ) returning id into session_id;
  update private.sessions set ended_at = now()
  where sessions.ended_at is null and sessions.issuer = session ->> 'issuer'
    and sessions.subject = session ->> 'subject'
    and sessions.id not in (
    select newest.id from private.sessions newest
    where newest.ended_at is null and newest.issuer = session ->> 'issuer'
      and newest.subject = session ->> 'subject'
      order by newest.id desc limit 100
  );
  return session_id;
end $function$;
CREATE OR REPLACE FUNCTION private.check_session(session_id text, idle_seconds integer, seen boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  session private.sessions;
begin
  select * into session from private.sessions where sessions.id = session_id;
  if not found or not private.is_valid_session(session, idle_seconds) then
    return null;
  end if;
  if seen then
    update private.sessions set seen_at = now() where sessions.id = session.id
      and sessions.ended_at is null;
  end if;
  return jsonb_build_object('issuer', session.issuer, 'subject', session.subject);
end $function$;
CREATE OR REPLACE FUNCTION private.leave_session(session_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update private.sessions session set ended_at = now() where session.id = session_id
    and session.ended_at is null;
end $function$;
CREATE OR REPLACE FUNCTION private.sessions_of_caller(idle_seconds integer)
 RETURNS SETOF private.sessions
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  claims constant jsonb := auth.jwt();
begin
  return query
  select * from private.sessions session
  where session.issuer = claims ->> 'issuer' and session.subject = claims ->> 'sub'
    and session.ended_at is null
    and private.is_valid_session(session, idle_seconds)
  order by session.id desc;
end $function$;
CREATE OR REPLACE FUNCTION private.session_json(session private.sessions)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', session.id, 'provider', session.provider, 'address', host(session.address),
    'user_agent', session.user_agent,
    'started_at', private.iso(session.started_at),
    'seen_at', private.iso(session.seen_at), 'expires_at', private.iso(session.expires_at),
    'ended_at', private.iso(session.ended_at),
    'current', coalesce(session.id = auth.jwt() ->> 'session_id', false)
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_sessions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_sessions');
  select jsonb_agg(private.session_json(session) order by session.id desc) into items
  from (
    select * from private.sessions_of_caller((input ->> 'idle_seconds')::integer) session
    where input -> 'after' ->> 0 is null or session.id < input -> 'after' ->> 0
    order by session.id desc limit page_size + 1
  ) session;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.end_sessions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'end_sessions');
  everywhere constant boolean := jsonb_typeof(input -> 'ids') is distinct from 'array';
  claims constant jsonb := auth.jwt();
  ended text[];
begin
  if replayed is not null then
    return replayed;
  end if;
  with removed as (
    update private.sessions session set ended_at = now()
    where session.issuer = claims ->> 'issuer' and session.subject = claims ->> 'sub'
      and session.ended_at is null
      and (everywhere or session.id = any (private.text_array(input -> 'ids')))
    returning session.id
  )
  select coalesce(array_agg(removed.id order by removed.id), '{}') into ended from removed;
  if everywhere then
    perform private.record_security_event('session.ended_everywhere', null, null,
      jsonb_build_object('sessions', cardinality(ended)));
  else
    perform private.record_security_event('session.ended', id, null, '{}') from unnest(ended) id;
  end if;
  return private.finish_request(request, jsonb_build_object('ended', to_jsonb(ended)));
end $function$;
CREATE OR REPLACE FUNCTION private.due_sums(as_of timestamp with time zone, hours integer)
 RETURNS TABLE(assigned_to text, currency text, due_before timestamp with time zone, open_count bigint, amount_minor numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  this_hour constant timestamptz := date_trunc('hour', as_of, 'UTC');
begin
  return query
  with counted as (
    select counter.assigned_to, counter.currency, counter.open_count, counter.amount_minor,
      case when counter.due_from < this_hour then as_of else counter.due_from + interval '1 hour'
        end as due_before
    from private.open_by_deadline counter
      where counter.tenant_id = tenant
        and counter.due_from < this_hour + make_interval(hours => hours)
  ), late as (
    -- Deadlines of the current hour that have passed.
    select coalesce(exception.assigned_to, '') as assigned_to,
      coalesce(exception.currency, '') as currency,
      count(*) as open_count,
      coalesce(sum(exception.amount_minor), 0) as amount_minor
    from public.exceptions exception
    where exception.tenant_id = tenant and exception.status in ('open', 'in_review')
      and exception.due_at >= this_hour
      and exception.due_at <= as_of
    group by 1, 2
  )
  select part.assigned_to, part.currency, part.due_before, sum(part.open_count)::bigint,
    sum(part.amount_minor)
  from (
    select counted.assigned_to, counted.currency, counted.due_before, counted.open_count,
      counted.amount_minor from counted
    union all select late.assigned_to, late.currency, as_of, late.open_count, late.amount_minor
      from late
    union all select late.assigned_to, late.currency, this_hour + interval '1 hour',
      -late.open_count,
    -late.amount_minor
      from late
  ) part
  group by 1, 2, 3
  having sum(part.open_count) <> 0;
end $function$;
CREATE OR REPLACE FUNCTION private.overview_money(tenant text, as_of timestamp with time zone, hours integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with sums as materialized (
      select * from private.due_sums(as_of, hours)
    )
    select coalesce(
      jsonb_agg(
        jsonb_build_object('currency', counter.currency, 'open_count', counter.open_count,
          'open_minor', private.exact_sum(counter.minor), 'breached_count', due.breached_count,
          'breached_minor', private.exact_sum(due.breached_minor), 'due_count', due.due_count,
          'due_minor', private.exact_sum(due.due_minor))
        order by counter.open_count desc, counter.currency),
      '[]')
    from (
      select counter.currency, sum(counter.open_count) as open_count,
        sum(counter.amount_minor) as minor
      from private.open_by_assignee counter
      where counter.tenant_id = tenant and counter.currency <> ''
      group by 1 having sum(counter.open_count) > 0
    ) counter cross join lateral (
      select coalesce(sum(sums.open_count) filter (where sums.due_before <= as_of),
        0) as breached_count,
        coalesce(sum(sums.amount_minor) filter (where sums.due_before <= as_of),
          0) as breached_minor,
        coalesce(sum(sums.open_count) filter (where sums.due_before > as_of), 0) as due_count,
        coalesce(sum(sums.amount_minor) filter (where sums.due_before > as_of), 0) as due_minor
      from sums where sums.currency = counter.currency
    ) due
  );
end $function$;
CREATE OR REPLACE FUNCTION private.overview_outlook(tenant text, as_of timestamp with time zone, hours integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  this_hour constant timestamptz := date_trunc('hour', as_of, 'UTC');
  rate_since constant timestamptz := this_hour - interval '8 hours';
  closed constant numeric := (
    select coalesce(sum(counter.closed_count), 0)
    from private.exception_hours counter
    where counter.tenant_id = tenant and counter.hour >= rate_since
  );
begin
  return jsonb_build_object(
    'rate_since', private.iso(rate_since), 'closed_count', closed,
    'closed_per_hour', round(closed / (extract(epoch from as_of - rate_since) / 3600)::numeric, 2),
    'hours', (
      select jsonb_agg(
        jsonb_build_object('due_before', private.iso(step.due_before),
          'due_count', coalesce(sums.due_count, 0))
        order by step.due_before)
      from generate_series(this_hour + interval '1 hour',
        this_hour + make_interval(hours => hours), interval '1 hour') as step (due_before)
      left join (
        select sums.due_before, sum(sums.open_count) as due_count
        from private.due_sums(as_of, hours) sums
        group by 1
      ) sums on sums.due_before = step.due_before
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.overview_days(tenant text, as_of timestamp with time zone)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  first_day constant timestamptz := date_trunc('day', as_of, 'UTC') - interval '29 days';
begin
  return (
    select jsonb_agg(
      jsonb_build_object('day', to_char(step.day at time zone 'UTC', 'YYYY-MM-DD'),
        'breached_count', coalesce(counter.breached, 0),
        'closed_count', coalesce(counter.closed, 0))
      order by step.day)
    from generate_series(first_day, as_of, interval '1 day') as step (day)
    left join (
      select date_trunc('day', counter.hour, 'UTC') as day, sum(counter.breached_count) as breached,
        sum(counter.closed_count) as closed
      from private.exception_hours counter
      where counter.tenant_id = tenant and counter.hour >= first_day
      group by 1
    ) counter on counter.day = step.day
  );
end $function$;
CREATE OR REPLACE FUNCTION private.overview_exceptions(as_of timestamp with time zone)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  self constant text := private.actor();
  -- Clock hours that the outlook covers: eight full ones and the rest of the current one.
  hours constant integer := 9;
begin
  return (
    with totals as materialized (
      select counter.assigned_to, sum(counter.open_count) as open_count
      from private.open_by_assignee counter
      where counter.tenant_id = tenant and counter.assigned_to in ('', self)
      group by 1
    )
    select jsonb_build_object(
      'summary', private.sla_summary(as_of),
      'mine', (
        select jsonb_build_object(
          'breached_count',
          coalesce(sum(sums.open_count) filter (where sums.due_before <= as_of), 0),
          'due_count', coalesce(sum(sums.open_count) filter (where sums.due_before > as_of), 0),
          'open_count',
          (select coalesce(sum(totals.open_count), 0) from totals where totals.assigned_to = self))
        from private.due_sums(as_of, hours) sums where sums.assigned_to = self
      ),
      'unassigned_count',
      (select coalesce(sum(totals.open_count), 0) from totals where totals.assigned_to = ''),
      'money', private.overview_money(tenant, as_of, hours),
      'outlook', private.overview_outlook(tenant, as_of, hours),
      'days', private.overview_days(tenant, as_of)
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.overview_reconciliations(max_count integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
begin
  return (
    with sums as materialized (
      select counter.reconciliation_id, counter.currency, sum(counter.open_count) as open_count,
        sum(counter.amount_minor) as minor
      from private.open_by_reconciliation counter where counter.tenant_id = tenant
        and counter.reconciliation_id <> ''
        group by 1, 2 having sum(counter.open_count) > 0
    ), foremost as (
      select sums.reconciliation_id, sum(sums.open_count) as open_count
      from sums
      group by 1
      order by 2 desc, 1
      limit max_count
    )
    select coalesce(
      jsonb_agg(
        jsonb_build_object('id', period.id, 'name', period.name, 'open_count', foremost.open_count,
          'money', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object('currency', sums.currency, 'open_count', sums.open_count,
            'open_minor', private.exact_sum(sums.minor))
        order by sums.open_count desc, sums.currency), '[]')
      from sums where sums.reconciliation_id = foremost.reconciliation_id and sums.currency <> ''
    )) order by foremost.open_count desc, period.id), '[]')
    from foremost
      join public.reconciliations period on period.tenant_id = tenant
        and period.id = foremost.reconciliation_id
  );
end $function$;
CREATE OR REPLACE FUNCTION private.overview_keys(as_of timestamp with time zone, max_count integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  since constant date := (as_of at time zone 'UTC')::date - 6;
begin
  return jsonb_build_object(
    'since', private.iso(since::timestamp at time zone 'UTC'),
    'calls', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object('id', api_key.id, 'name', api_key.name, 'call_count', day_total.calls,
            'refused_count', day_total.refused)
        order by day_total.calls desc, api_key.id), '[]')
      from (
        select day_total.api_key_id, sum(day_total.calls) as calls,
          coalesce(sum(day_total.calls) filter (where day_total.outcome not like 'accepted%'),
            0) as refused
        from public.api_key_usage_daily day_total where day_total.tenant_id = tenant
          and day_total.day >= since group by 1
          order by 2 desc, 1 limit max_count
      ) day_total join public.api_keys api_key on api_key.tenant_id = tenant
        and api_key.id = day_total.api_key_id
    ),
    'expiring', (
      select coalesce(
        jsonb_agg(
          jsonb_build_object('id', api_key.id, 'name', api_key.name,
            'expires_at', private.iso(api_key.expires_at))
          order by api_key.expires_at, api_key.id),
        '[]')
      from (
        select api_key.id, api_key.name, api_key.expires_at from public.api_keys api_key
        where api_key.tenant_id = tenant and api_key.revoked_at is null
          and api_key.rotated_to is null
          and api_key.expires_at > as_of and api_key.expires_at <= as_of + interval '14 days'
        order by api_key.expires_at, api_key.id limit max_count
      ) api_key
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.overview_webhooks(as_of timestamp with time zone, max_count integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
begin
  return (
    with hooks as materialized (
      select webhook.id, webhook.url, webhook.status, webhook.failing_since, latest.attempts,
        latest.failures
      from public.webhooks webhook
      cross join lateral (
        select coalesce(sum(answer_time.attempts), 0) as attempts,
          coalesce(sum(answer_time.attempts) filter (where not answer_time.succeeded),
            0) as failures
        from public.webhook_answer_times answer_time
          where answer_time.tenant_id = webhook.tenant_id and answer_time.webhook_id = webhook.id
            and answer_time.hour > as_of - interval '24 hours'
      ) latest
      where webhook.tenant_id = tenant and webhook.deleted_at is null
    )
    select jsonb_build_object(
      'active_count', (select count(*) from hooks where hooks.status = 'active'),
      'disabled_count', (select count(*) from hooks where hooks.status = 'disabled'),
      'items', coalesce((
        select jsonb_agg(
          jsonb_build_object('id', summed.id, 'url', summed.url, 'status', summed.status,
            'failing_since', private.iso(summed.failing_since),
          'attempt_count', summed.attempts, 'failure_count', summed.failures)
            order by summed.place, summed.failures desc, summed.id desc)
        from (
          select hooks.*,
            case when hooks.failing_since is not null and hooks.status = 'active' then 0
              when hooks.status = 'disabled' then 1 else 2 end as place
          from hooks order by place, hooks.failures desc, hooks.id desc limit max_count
        ) summed
      ), '[]')
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.overview_imports(tenant text, shown integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', import.id, 'source_id', source.id,
      'source_name', source.name, 'file_name', import.file_name, 'status', import.status,
      'accepted_count', import.accepted_count, 'refused_count', import.refused_count,
      'created_at', private.iso(import.created_at)) order by import.id desc), '[]')
    from (
      select * from public.imports import
      where import.tenant_id = tenant and import.status <> 'receiving'
      order by import.id desc limit shown
    ) import
    join public.sources source on source.tenant_id = import.tenant_id
      and source.source_no = import.source_no
  );
end $function$;
CREATE OR REPLACE FUNCTION private.overview_runs(tenant text, shown integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', run.id,
      'reconciliation_id', run.reconciliation_id, 'reconciliation_name', period.name,
      'status', run.status, 'suggested_count', run.suggested_count, 'open_count', run.open_count,
      'exceptions_opened', run.exceptions_opened,
      'created_at', private.iso(run.created_at)) order by run.id desc), '[]')
    from (
      select * from public.runs run
      where run.tenant_id = tenant and run.dry_run is null
      order by run.id desc limit shown
    ) run
    join public.reconciliations period on period.tenant_id = run.tenant_id
      and period.id = run.reconciliation_id
  );
end $function$;
CREATE OR REPLACE FUNCTION public.get_overview(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  as_of constant timestamptz(3) := now();
  tenant constant text := private.tenant_id();
  self constant text := private.actor();
  shown constant integer := 5;
begin
  perform private.begin_request(request, 'get_overview');
  return private.overview_exceptions(as_of) || jsonb_build_object(
    'next', (
      select coalesce(jsonb_agg(private.exception_json(exception, as_of) order by exception.due_at,
        exception.id), '[]')
      from (
        select * from public.exceptions exception
        where exception.tenant_id = tenant and exception.status in ('open', 'in_review')
          and exception.due_at > as_of
          and exception.due_at < 'infinity'
        order by exception.due_at, exception.id limit shown
      ) exception
    ),
    'my_next', (
      select coalesce(jsonb_agg(private.exception_json(exception, as_of) order by exception.due_at,
        exception.id), '[]')
      from (
        select * from public.exceptions exception
        where exception.tenant_id = tenant and exception.status in ('open', 'in_review')
          and exception.assigned_to = self
        order by exception.due_at, exception.id limit shown
      ) exception
    ),
    'reconciliations', private.overview_reconciliations(8),
    'imports', private.overview_imports(tenant, shown),
    'runs', private.overview_runs(tenant, shown),
    'keys', case when private.may('read:api-keys') then private.overview_keys(as_of, shown) end,
    'webhooks',
    case when private.may('read:webhooks') then private.overview_webhooks(as_of, shown) end,
    'as_of', private.iso(as_of)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.record_requests(batch uuid, rows jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  written integer;
begin
  insert into private.usage_batches (id) values (batch) on conflict do nothing;
  if not found then
    return 0;
  end if;
  insert into public.request_log (id, tenant_id, at, operation, method, path, query, resource,
    status, error_code, duration_ms, credential,
    actor, api_key_id, address, request, response, refused)
  select item.id, tenant.id, now() - make_interval(secs => item.age_ms / 1000.0), item.operation,
    item.method, item.path, item.query, item.resource, item.status,
    item.error_code, item.duration_ms, item.credential, item.actor,
    coalesce(item.api_key_id, key_secret.api_key_id), item.address, item.request, item.response,
    coalesce(item.refused, false)
  from jsonb_to_recordset(rows) as item (
    id text, tenant_id text, key_id text, age_ms bigint, operation text, method text, path text,
    query text, resource text, status smallint,
    error_code text, duration_ms integer, credential text, actor text, api_key_id text,
    address inet, request jsonb, response jsonb,
    refused boolean
  )
  left join private.api_key_secrets key_secret on item.tenant_id is null
    and key_secret.key_id = item.key_id
  join public.tenants tenant on tenant.id = coalesce(item.tenant_id, key_secret.tenant_id);
  get diagnostics written = row_count;
  return written;
end $function$;
CREATE OR REPLACE FUNCTION private.may_call(operation text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return operation is null or exists (
    select from private.operations
    where operations.operation = $1 and private.may(operations.permission)
      and operations.permission !~ ':(views|sessions|notifications)$'
      and (operations.operation not in ('getWebhookDelivery', 'getEvent', 'listEvents')
      or not exists (select from private.event_kinds event_kind
        where event_kind.kind <> all (private.readable_events())))
  );
end $function$;
CREATE OR REPLACE FUNCTION private.logged_request_json(logged_request public.request_log)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', logged_request.id, 'at', private.iso(logged_request.at),
    'operation', logged_request.operation, 'method', logged_request.method,
    'path', logged_request.path,
    'query', case when private.may_call(logged_request.operation) then logged_request.query
      else '' end,
    'resource', logged_request.resource, 'status', logged_request.status,
    'error_code', logged_request.error_code, 'refused', logged_request.refused,
    'duration_ms', logged_request.duration_ms, 'credential', logged_request.credential,
    'actor', logged_request.actor, 'api_key_id', logged_request.api_key_id,
    'address', host(logged_request.address)
  );
end $function$;
CREATE OR REPLACE FUNCTION public.get_request(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  logged_request public.request_log;
  readable boolean;
begin
  perform private.begin_request(request, 'get_request');
  select * into logged_request
  from public.request_log
  where request_log.tenant_id = private.tenant_id() and request_log.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('request');
  end if;
  readable := private.may_call(logged_request.operation);
  return private.logged_request_json(logged_request) || jsonb_build_object(
    'request', case when readable then logged_request.request end,
    'response', case when readable then logged_request.response end
  );
end $function$;
CREATE OR REPLACE FUNCTION private.store_alert_events()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.alert_events (tenant_id, event_id)
  select event.tenant_id, event.id from emitted event
  -- A webhook test carries example data: nothing happened.
  where event.test_of is null and private.alert_kind(event.type, event.data) is not null;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.address_of_caller()
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if private.principal_type() <> 'user'
    or auth.jwt() ->> 'sub' !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    return null;
  end if;
  return (select account.email from auth.users account
    where account.id = (auth.jwt() ->> 'sub')::uuid);
end $function$;
CREATE OR REPLACE FUNCTION private.notification_settings_json(is_account boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  settings_row public.notification_settings;
  settings jsonb;
begin
  select * into settings_row from public.notification_settings
  where notification_settings.tenant_id = private.tenant_id()
    and notification_settings.subject = auth.jwt() ->> 'sub'
    and notification_settings.is_account = $1;
  settings := jsonb_build_object(
    'exception_breached', coalesce(settings_row.exception_breached, 'mine'),
    'exception_at_risk', coalesce(settings_row.exception_at_risk, 'off'),
    'assigned', coalesce(settings_row.assigned, true),
    'mentioned', coalesce(settings_row.mentioned, true),
    'webhook_failing', coalesce(settings_row.webhook_failing, true),
    'api_key_expiring', coalesce(settings_row.api_key_expiring, true),
    'connection_failing', coalesce(settings_row.connection_failing, true)
  );
  return settings
    || jsonb_build_object('email', case when $1 then private.address_of_caller() end,
      'version', private.version_of(settings));
end $function$;
CREATE OR REPLACE FUNCTION private.alert_channel_json(channel public.alert_channels)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', channel.id, 'name', channel.name, 'url_hint', channel.url_hint, 'kinds', channel.kinds,
    'last_sent_at', private.iso(channel.last_sent_at),
    'last_failure_at', private.iso(channel.last_failure_at), 'last_failure', channel.last_failure,
    'created_at', private.iso(channel.created_at),
    'created_by', channel.created_by,
    'version', private.version_of(jsonb_build_array(channel.name, channel.url_hint, channel.kinds,
      channel.deleted_at))
  );
end $function$;
CREATE OR REPLACE FUNCTION private.lock_alert_channel(id text, versions jsonb)
 RETURNS public.alert_channels
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  channel public.alert_channels;
begin
  select * into channel
  from public.alert_channels
  where alert_channels.tenant_id = private.tenant_id() and alert_channels.id = $1
    and alert_channels.deleted_at is null for no key update;
  if not found then
    perform private.refuse_missing('alert channel');
  end if;
  perform private.require_version((private.alert_channel_json(channel) ->> 'version')::bigint,
    versions);
  return channel;
end $function$;
CREATE OR REPLACE FUNCTION public.put_notification_settings(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'put_notification_settings');
  patch constant jsonb := input -> 'settings';
  is_account constant boolean := coalesce((input ->> 'is_account')::boolean, false);
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_version(
    (private.notification_settings_json(is_account) ->> 'version')::bigint,
    request -> 'versions');
  insert into public.notification_settings as settings (is_account, exception_breached,
    exception_at_risk,
    assigned, mentioned, webhook_failing, api_key_expiring, connection_failing)
  values (is_account, patch ->> 'exception_breached', patch ->> 'exception_at_risk',
    (patch ->> 'assigned')::boolean, (patch ->> 'mentioned')::boolean,
    (patch ->> 'webhook_failing')::boolean, (patch ->> 'api_key_expiring')::boolean,
    (patch ->> 'connection_failing')::boolean)
  on conflict on constraint notification_settings_pkey
    do update set exception_breached = excluded.exception_breached,
    exception_at_risk = excluded.exception_at_risk,
    assigned = excluded.assigned, mentioned = excluded.mentioned,
    webhook_failing = excluded.webhook_failing,
    api_key_expiring = excluded.api_key_expiring,
    connection_failing = excluded.connection_failing;
  return private.finish_request(request, private.notification_settings_json(is_account));
end $function$;
CREATE OR REPLACE FUNCTION public.list_alert_channels(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_alert_channels');
  select jsonb_agg(private.alert_channel_json(channel) order by channel.id desc) into items
  from (
    select * from public.alert_channels channel
    where channel.tenant_id = private.tenant_id() and channel.deleted_at is null
      and (input -> 'after' ->> 0 is null or channel.id < input -> 'after' ->> 0)
    order by channel.id desc limit page_size + 1
  ) channel;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.create_alert_channel(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_alert_channel');
  channel public.alert_channels;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.serialize_counting('alert_channels');
  if (select count(*) from public.alert_channels
    where alert_channels.tenant_id = private.tenant_id() and alert_channels.deleted_at is null)
      >= 20 then
    perform private.refuse_conflict('quota',
      'A tenant can have 20 alert channels. Delete one first.');
  end if;
  insert into public.alert_channels (name, url_hint, kinds)
  values (input ->> 'name', input ->> 'url_hint', private.text_array(input -> 'kinds'))
  returning * into channel;
  perform private.store_alert_channel_url(channel.id, input ->> 'url_id', input ->> 'sealed');
  perform private.record_security_event('alert_channel.created', channel.id, null,
    jsonb_build_object('name', channel.name, 'url', channel.url_hint, 'kinds', channel.kinds));
  return private.finish_request(request, private.alert_channel_json(channel));
end $function$;
CREATE OR REPLACE FUNCTION public.get_alert_channel(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  channel public.alert_channels;
begin
  perform private.begin_request(request, 'get_alert_channel');
  select * into channel
  from public.alert_channels
  where alert_channels.tenant_id = private.tenant_id() and alert_channels.id = input ->> 'id'
    and alert_channels.deleted_at is null;
  if not found then
    perform private.refuse_missing('alert channel');
  end if;
  return private.alert_channel_json(channel);
end $function$;
CREATE OR REPLACE FUNCTION public.update_alert_channel(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_alert_channel');
  patch constant jsonb := coalesce(input -> 'patch', '{}');
  before public.alert_channels;
  channel public.alert_channels;
begin
  if replayed is not null then
    return replayed;
  end if;
  before := private.lock_alert_channel(input ->> 'id', request -> 'versions');
  update public.alert_channels
  set name = coalesce(patch ->> 'name', alert_channels.name),
    url_hint = coalesce(input ->> 'url_hint', alert_channels.url_hint),
    kinds = case when patch ? 'kinds' then private.text_array(patch -> 'kinds')
      else alert_channels.kinds end,
    last_failure = case when input ? 'sealed' then null else alert_channels.last_failure end,
    last_failure_at = case when input ? 'sealed' then null else alert_channels.last_failure_at end
  where alert_channels.tenant_id = before.tenant_id and alert_channels.id = before.id
  returning * into channel;
  if input ? 'sealed' then
    perform private.store_alert_channel_url(channel.id, input ->> 'url_id', input ->> 'sealed');
  end if;
  perform private.record_security_event('alert_channel.updated', channel.id, null,
    coalesce(private.changes(
    jsonb_build_object('name', before.name, 'url', before.url_hint, 'kinds', before.kinds),
    jsonb_build_object('name', channel.name, 'url', channel.url_hint, 'kinds', channel.kinds)),
      '{}'));
  return private.finish_request(request, private.alert_channel_json(channel));
end $function$;
CREATE OR REPLACE FUNCTION public.delete_alert_channel(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'delete_alert_channel');
  channel public.alert_channels;
begin
  if replayed is not null then
    return replayed;
  end if;
  channel := private.lock_alert_channel(input ->> 'id', request -> 'versions');
  update public.alert_channels
  set deleted_at = now()
  where alert_channels.tenant_id = channel.tenant_id and alert_channels.id = channel.id
  returning * into channel;
  perform private.store_alert_channel_url(channel.id, null, null);
  perform private.record_security_event('alert_channel.deleted', channel.id, null,
    jsonb_build_object('name', channel.name, 'url', channel.url_hint));
  return private.finish_request(request, private.alert_channel_json(channel));
end $function$;
CREATE OR REPLACE FUNCTION public.test_alert_channel(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'test_alert_channel');
  channel public.alert_channels;
begin
  if replayed is not null then
    return replayed;
  end if;
  channel := private.lock_alert_channel(input ->> 'id', null);
  perform graphile_worker.add_job('send_test_alert',
    private.with_request_id(jsonb_build_object('tenant_id', channel.tenant_id,
      'channel_id', channel.id)),
    max_attempts => 1, job_key => 'test-alert:' || channel.tenant_id || ':' || channel.id);
  return private.finish_request(request, private.alert_channel_json(channel));
end $function$;
CREATE OR REPLACE FUNCTION private.settle_channel_message(tenant_id text, channel_id text, failure text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.alert_channels channel set
    last_sent_at = case when failure is null then now() else channel.last_sent_at end,
    last_failure_at = case when failure is null then null else now() end,
    last_failure = left(failure, 500)
  where channel.tenant_id = $1 and channel.id = $2;
end $function$;
CREATE OR REPLACE FUNCTION private.take_alert_events(batch integer)
 RETURNS SETOF private.alert_events
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
begin
  return query
  delete from private.alert_events alert_event
  where (alert_event.tenant_id, alert_event.event_id) in (
    select oldest.tenant_id, oldest.event_id from private.alert_events oldest limit batch
      for update skip locked
  ) returning alert_event.*;
end $function$;
CREATE OR REPLACE FUNCTION private.people_with_alerts(tenant text)
 RETURNS TABLE(tenant_id text, id uuid, reference text, is_admin boolean, breached text, at_risk text, assigned boolean, mentioned boolean, webhook_failing boolean, api_key_expiring boolean, connection_failing boolean)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select tenant, account.id, 'user:' || private.account_name(account.email, account.id),
    recipient.roles ? 'tenant_admin',
    coalesce(settings.exception_breached, 'mine'), coalesce(settings.exception_at_risk, 'off'),
    coalesce(settings.assigned, true), coalesce(settings.mentioned, true),
    coalesce(settings.webhook_failing, true),
    coalesce(settings.api_key_expiring, true), coalesce(settings.connection_failing, true)
  from private.accounts_of(tenant) account
  cross join lateral (
    select private.roles_of_account(account.raw_app_meta_data, tenant) as roles) recipient
  left join public.notification_settings settings on settings.tenant_id = tenant
    and settings.subject = account.id::text
    and settings.is_account
  where not private.is_sandbox(tenant)
    and account.email is not null
    and (account.banned_until is null or account.banned_until <= now())
    and recipient.roles ?| private.roles();
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
    select item.tenant_id, event.id as event_id, item.actor,
      private.alert_kind(event.type, event.data) as kind, event.data,
      coalesce(event.data #>> '{exception,id}', event.data #>> '{connection,source_id}',
        event.data ->> 'id') as subject
    from taken item join public.events event on event.tenant_id = item.tenant_id
      and event.id = item.event_id
  ), person as materialized (
    select account.*
    from (select distinct news.tenant_id from happened news) told_tenant
    cross join lateral private.people_with_alerts(told_tenant.tenant_id) account
  ), mailed as (
    insert into private.alerts (tenant_id, recipient, kind, event_id, subject)
    select news.tenant_id, 'account:' || reader.id, news.kind, news.event_id, news.subject
    from happened news join person reader on reader.tenant_id = news.tenant_id
    where case news.kind
      when 'exception_breached' then reader.breached = 'all'
      or (reader.breached = 'mine' and reader.reference = news.data #>> '{exception,assigned_to}')
      when 'exception_at_risk' then reader.at_risk = 'all'
      or (reader.at_risk = 'mine' and reader.reference = news.data #>> '{exception,assigned_to}')
      when 'assigned' then reader.assigned
      and reader.reference = news.data #>> '{exception,assigned_to}'
      and reader.reference <> news.actor
      when 'mentioned' then reader.mentioned and private.mentions(news.data) ? reader.reference
      and reader.reference <> news.actor
      when 'webhook_failing' then reader.webhook_failing and reader.is_admin
      when 'api_key_expiring' then reader.api_key_expiring and reader.is_admin
      when 'connection_failing' then reader.connection_failing and reader.is_admin
    end
    on conflict do nothing
  ), posted as (
    insert into private.alerts (tenant_id, recipient, kind, event_id, subject)
    select news.tenant_id, channel.id, news.kind, news.event_id, news.subject
    from happened news
      join public.alert_channels channel on channel.tenant_id = news.tenant_id
        and channel.deleted_at is null and news.kind = any (channel.kinds)
    on conflict do nothing
  )
  select count(*) into looked_at from taken;
  perform private.bundle_alerts();
  return looked_at;
end $function$;
CREATE OR REPLACE FUNCTION private.alerts_still_valid(bundle private.alert_bundles)
 RETURNS SETOF private.alerts
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query
  select alert.* from private.alerts alert
  where alert.tenant_id = bundle.tenant_id and alert.bundle_id = bundle.id and case alert.kind
    when 'exception_breached' then exists (select from public.exceptions exception
      where exception.tenant_id = alert.tenant_id and exception.id = alert.subject
        and exception.status in ('open', 'in_review') and exception.due_at <= now())
    when 'exception_at_risk' then exists (select from public.exceptions exception
      where exception.tenant_id = alert.tenant_id and exception.id = alert.subject
        and exception.status in ('open', 'in_review')
        and exception.due_at > now() and exception.paused_at is null)
    when 'assigned' then exists (select from public.exceptions exception
      where exception.tenant_id = alert.tenant_id and exception.id = alert.subject
        and exception.status in ('open', 'in_review')
        and (alert.recipient not like 'account:%' or exception.assigned_to = (
        select 'user:' || private.account_name(account.email, account.id)
        from auth.users account
        where account.id = private.account_of_recipient(alert.recipient))))
    when 'webhook_failing' then exists (select from public.webhooks webhook
      where webhook.tenant_id = alert.tenant_id and webhook.id = alert.subject
        and webhook.deleted_at is null
        and (webhook.status = 'disabled' or webhook.failing_since is not null))
    when 'api_key_expiring' then exists (select from public.api_keys api_key
      where api_key.tenant_id = alert.tenant_id and api_key.id = alert.subject
        and api_key.revoked_at is null
        and api_key.rotated_to is null and api_key.expires_at > now())
    when 'connection_failing' then exists (select from public.connections connection
      join public.sources source on source.tenant_id = connection.tenant_id
        and source.source_no = connection.source_no
      where source.tenant_id = alert.tenant_id and source.id = alert.subject
        and connection.deleted_at is null and connection.failing_since is not null)
    else true
  end
  order by alert.event_id;
end $function$;
CREATE OR REPLACE FUNCTION private.alert_line(alert private.alerts)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return case
    when alert.kind = 'webhook_failing' then (
      select jsonb_build_object('id', webhook.id, 'title',
        regexp_replace(webhook.url, '[?#].*$', ''), 'detail',
        case webhook.status when 'disabled' then 'Disabled'
          else 'Failing since ' || private.iso(webhook.failing_since) end)
      from public.webhooks webhook where webhook.tenant_id = alert.tenant_id
        and webhook.id = alert.subject)
    when alert.kind = 'api_key_expiring' then (
      select jsonb_build_object('id', api_key.id, 'title', api_key.name,
        'detail', 'Expires ' || private.iso(api_key.expires_at))
      from public.api_keys api_key where api_key.tenant_id = alert.tenant_id
        and api_key.id = alert.subject)
    when alert.kind = 'connection_failing' then (
      select jsonb_build_object('id', source.id, 'title', source.name,
        'detail', left(connection.last_error, 300))
      from public.sources source
      join public.connections connection on connection.tenant_id = source.tenant_id
        and connection.source_no = source.source_no and connection.deleted_at is null
      where source.tenant_id = alert.tenant_id and source.id = alert.subject)
    else (
      select jsonb_build_object('id', exception.id, 'title', exception.title,
        'detail', initcap(exception.severity) || ', '
          || case when exception.paused_at is not null then 'paused'
            else 'due ' || private.iso(exception.due_at)
            end
        || coalesce(', assigned to ' || substr(exception.assigned_to, 6), ', unassigned'))
      from public.exceptions exception
      where exception.tenant_id = alert.tenant_id and exception.id = alert.subject)
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.open_alert_bundle(tenant_id text, bundle_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  bundle private.alert_bundles;
  addressed jsonb;
  lasting jsonb;
begin
  select * into bundle
  from private.alert_bundles
  where alert_bundles.tenant_id = $1 and alert_bundles.id = $2 for no key update;
  if not found or bundle.settled_at is not null then
    return null;
  end if;
  if bundle.recipient like 'account:%' then
    select jsonb_build_object('email', account.email) into addressed from auth.users account
    where account.id = private.account_of_recipient(bundle.recipient) and account.deleted_at is null
      and not private.is_sandbox($1)
      and (account.banned_until is null or account.banned_until <= now())
      and private.roles_of_account(account.raw_app_meta_data, $1) ?| private.roles();
  else
    select jsonb_build_object('url_id', channel_url.url_id, 'sealed', channel_url.sealed)
      into addressed
    from public.alert_channels channel
      join private.alert_channel_urls channel_url on channel_url.tenant_id = channel.tenant_id
        and channel_url.channel_id = channel.id
    where channel.tenant_id = $1 and channel.id = bundle.recipient and channel.deleted_at is null;
  end if;
  select jsonb_build_object('count', count(*), 'items',
    jsonb_agg(private.alert_line(numbered.alert)
      order by numbered.nth) filter (where numbered.nth <= 10)) into lasting
  from (select kept as alert, row_number() over (order by kept.event_id) as nth
    from private.alerts_still_valid(bundle) kept) numbered;
  if addressed is null or (lasting -> 'count')::integer = 0 then
    -- Nothing was sent, so the channel's last message stays as it was.
    update private.alert_bundles set settled_at = now()
    where alert_bundles.tenant_id = $1 and alert_bundles.id = $2;
    return null;
  end if;
  return addressed || lasting || jsonb_build_object(
    'tenant_name', (select tenant.name from public.tenants tenant where tenant.id = $1),
    'kind', bundle.kind, 'recipient', bundle.recipient
  );
end $function$;
CREATE OR REPLACE FUNCTION private.settle_alert_bundle(tenant_id text, bundle_id text, failure text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  bundle private.alert_bundles;
begin
  update private.alert_bundles
  set settled_at = case when failure is null then now() end
  where alert_bundles.tenant_id = $1 and alert_bundles.id = $2
  returning * into bundle;
  perform private.settle_channel_message($1, bundle.recipient, failure);
end $function$;
CREATE OR REPLACE FUNCTION private.tables_emptied_by_reset()
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
  select * into sandbox from public.tenants
  where tenants.id = tenant and tenants.kind = 'sandbox' for no key update;
  if not found then
    perform private.refuse_conflict('tenant_kind',
      'Only a sandbox can be reset, and this tenant is live. Nothing was deleted.');
  end if;
  perform private.lock_sources_exclusively(tenant,
    array(select source.source_no from public.sources source where source.tenant_id = tenant));
  perform from public.pairs pair where pair.tenant_id = tenant order by pair.pair_no for update;
  -- Otherwise a matcher could begin a run after the check below.
  perform from public.runs run where run.tenant_id = tenant and run.status = 'queued'
  order by run.id for update;
  if exists (select from public.runs run where run.tenant_id = tenant and run.status = 'running')
    or exists (select from public.imports import
      where import.tenant_id = tenant and import.status in ('reading', 'undoing'))
    or exists (select from public.pairs pair
      where pair.tenant_id = tenant and pair.opening is not null)
    or exists (select from private.closing_requests closing_request
      where closing_request.tenant_id = tenant and closing_request.failure is null) then
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
  foreach emptied in array private.tables_emptied_by_reset() loop
    execute format('delete from %s x where x.tenant_id = $1 and private.is_being_reset($1)',
      emptied::regclass) using tenant;
  end loop;
  perform set_config('app.resets', '', true), set_config('app.writes_exceptions', '', true);
  insert into public.sla_policies (tenant_id) values (tenant);
  delete from private.idempotency_keys idempotency_key
  where idempotency_key.tenant_id = tenant and idempotency_key.operation <> 'resetSandbox';
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
    select jsonb_agg(input_line.line - 'day' || jsonb_build_object('currency', created.currency,
      'value_date', month + (input_line.line ->> 'day')::integer - 1) order by input_line.place)
    from jsonb_array_elements(source -> 'lines') with ordinality input_line (line, place)
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
    select entry - 'due_in_minutes' || jsonb_build_object('tenant_id', compared.tenant_id,
      'reconciliation_id', compared.id, 'created_at', now() - interval '2 days',
      'due_at', now() + make_interval(mins => (entry ->> 'due_in_minutes')::integer))
    from jsonb_array_elements(sample -> 'exceptions') entry
  ));
  perform private.record_security_event('sandbox.sample_loaded', compared.id);
  return compared.id;
end $function$;
CREATE TRIGGER keep_alerts AFTER INSERT ON public.events REFERENCING NEW TABLE AS emitted FOR EACH STATEMENT EXECUTE FUNCTION private.store_alert_events();
CREATE TRIGGER once BEFORE INSERT ON public.events FOR EACH ROW WHEN ((new.once_key IS NOT NULL)) EXECUTE FUNCTION private.skip_repeated_event();
create policy records_read on public.records as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND (surface = ANY (( SELECT private.permitted(VARIADIC ARRAY['read'::text, 'write'::text]) AS permitted)::text[])) AND ((deleted_at IS NULL) OR (private.is_restorable(deleted_at) AND (surface = ANY (( SELECT private.permitted(VARIADIC ARRAY['restore'::text]) AS permitted)::text[]))))));
grant execute on function private.act_json(private.acts) to authenticated;
grant execute on function private.adjustment_items(public.reconciliations,uuid,bigint,integer) to authenticated;
grant execute on function private.alert_channel_json(public.alert_channels) to authenticated;
grant execute on function private.allocated_amounts(text,uuid[],date) to authenticated;
grant execute on function private.api_key_json(public.api_keys) to authenticated;
grant execute on function private.api_key_version(public.api_keys) to authenticated;
grant execute on function private.attempt_json(public.webhook_attempts) to authenticated;
grant execute on function private.board_period_json(public.reconciliations,boolean,date,date) to authenticated;
grant execute on function private.board_sums(public.reconciliations) to authenticated;
grant execute on function private.booked_balances(public.reconciliations) to authenticated;
grant execute on function private.business_minutes_remaining(public.exceptions,timestamp with time zone) to authenticated;
grant execute on function private.calendar_json(public.calendars,public.calendar_versions) to authenticated;
grant execute on function private.checks_of(public.reconciliations) to authenticated;
grant execute on function private.checks_of_people(public.reconciliations) to authenticated;
grant execute on function private.claim_webhook_deliveries(text[],integer) to service_role;
grant execute on function private.close_preview(public.reconciliations) to authenticated;
grant execute on function private.connection_file_json(public.connection_files) to authenticated;
grant execute on function private.connection_json(public.connections) to authenticated;
grant execute on function private.connection_version(public.connections) to authenticated;
grant execute on function private.coverage_of(public.reconciliations) to authenticated;
grant execute on function private.deadline(public.exceptions,timestamp with time zone) to authenticated;
grant execute on function private.decisions_about_line(public.lines) to authenticated;
grant execute on function private.delivery_json(public.webhook_deliveries) to authenticated;
grant execute on function private.delivery_json(public.webhook_deliveries,public.webhook_attempts) to authenticated;
grant execute on function private.delivery_status(public.webhook_deliveries) to authenticated;
grant execute on function private.engine_line(public.lines,bigint,jsonb) to authenticated;
grant execute on function private.entries_preview_json(public.reconciliations,jsonb) to authenticated;
grant execute on function private.entry_batch_json(public.entry_batches) to authenticated;
grant execute on function private.entry_batch_name(public.entry_batches) to authenticated;
grant execute on function private.entry_drafts(public.reconciliations,jsonb) to authenticated;
grant execute on function private.entry_items(public.reconciliations,text[]) to authenticated;
grant execute on function private.entry_json(public.entries) to authenticated;
grant execute on function private.entry_row(public.entries) to authenticated;
grant execute on function private.entry_rows(public.statements,integer,integer) to authenticated;
grant execute on function private.entry_rules_json(public.entry_rules) to authenticated;
grant execute on function private.equals_any(text,text[]) to authenticated;
grant execute on function private.event_json(public.events) to authenticated;
grant execute on function private.evidence_json(public.evidence) to authenticated;
grant execute on function private.exception_comment_json(public.exception_comments) to authenticated;
grant execute on function private.exception_facts(public.exceptions) to authenticated;
grant execute on function private.exception_json(public.exceptions,timestamp with time zone) to authenticated;
grant execute on function private.exception_version(public.exceptions) to authenticated;
grant execute on function private.exclusion_items(public.reconciliations,bigint,integer) to authenticated;
grant execute on function private.explained_in_period(public.reconciliations) to authenticated;
grant execute on function private.fee_of_whole(public.lines,bigint) to authenticated;
grant execute on function private.fee_of_whole(public.lines,bigint) to service_role;
grant execute on function private.find_lines_of_caller(text,integer[],integer) to authenticated;
grant execute on function private.had_entry_between(text,timestamp with time zone,timestamp with time zone) to authenticated;
grant execute on function private.has_words(text) to authenticated;
grant execute on function private.import_json(public.imports) to authenticated;
grant execute on function private.includes_deleted(jsonb) to anon;
grant execute on function private.includes_deleted(jsonb) to authenticated;
grant execute on function private.invitation_json(public.invitations) to authenticated;
grant execute on function private.invitation_status(public.invitations) to authenticated;
grant execute on function private.invitation_version(public.invitations) to authenticated;
grant execute on function private.is_restorable(timestamp with time zone) to anon;
grant execute on function private.is_restorable(timestamp with time zone) to authenticated;
grant execute on function private.last_failure(public.webhooks) to authenticated;
grant execute on function private.line_in_closed(public.lines,public.reconciliations) to authenticated;
grant execute on function private.line_search(text,text) to authenticated;
grant execute on function private.line_text(public.lines) to authenticated;
grant execute on function private.lines_of_caller(public.reconciliations,jsonb,integer[],integer) to authenticated;
grant execute on function private.lines_up_to_end(public.reconciliations) to authenticated;
grant execute on function private.logged_request_json(public.request_log) to authenticated;
grant execute on function private.match_filters(jsonb,uuid,text,boolean,boolean) to authenticated;
grant execute on function private.match_json(public.matches) to authenticated;
grant execute on function private.matched_line_items(public.reconciliations,uuid,bigint,integer) to authenticated;
grant execute on function private.matches_since(public.reconciliations,timestamp with time zone) to authenticated;
grant execute on function private.missing_evidence(public.reconciliations) to authenticated;
grant execute on function private.narrow_by_filters(public.reconciliations,jsonb,integer) to authenticated;
grant execute on function private.narrow_by_search(text) to authenticated;
grant execute on function private.next_by_deadline(timestamp with time zone,text,integer,timestamp with time zone) to authenticated;
grant execute on function private.open_hours_of(public.exceptions,timestamp with time zone,timestamp with time zone) to authenticated;
grant execute on function private.open_in_period(public.reconciliations) to authenticated;
grant execute on function private.open_line_json(public.lines,text,bigint,bigint,public.reconciliations) to authenticated;
grant execute on function private.open_lines_of_caller(public.reconciliations,jsonb,bigint[],bigint,bigint,integer) to authenticated;
grant execute on function private.outstanding_items(public.reconciliations,date,bigint,integer) to authenticated;
grant execute on function private.outstanding_json(public.reconciliations,bigint,text,bigint) to authenticated;
grant execute on function private.outstanding_lines(public.reconciliations) to authenticated;
grant execute on function private.overview_keys(timestamp with time zone,integer) to authenticated;
grant execute on function private.overview_reconciliations(integer) to authenticated;
grant execute on function private.overview_webhooks(timestamp with time zone,integer) to authenticated;
grant execute on function private.period_signature_json(public.period_signatures) to authenticated;
grant execute on function private.pluralize(bigint,text,text) to authenticated;
grant execute on function private.proof_json(public.reconciliations) to authenticated;
grant execute on function private.proof_rows(public.reconciliations) to authenticated;
grant execute on function private.reconciliation_json(public.reconciliations) to authenticated;
grant execute on function private.reconciliation_version(public.reconciliations) to authenticated;
grant execute on function private.record_json(public.records) to anon;
grant execute on function private.record_json(public.records) to authenticated;
grant execute on function private.rejected_matches_of_line(public.reconciliations,bigint) to authenticated;
grant execute on function private.requires_second_person(public.reconciliations) to authenticated;
grant execute on function private.residual_items(public.reconciliations,uuid,integer) to authenticated;
grant execute on function private.review_levels(public.reconciliations) to authenticated;
grant execute on function private.rules_json(public.pairs) to authenticated;
grant execute on function private.run_json(public.runs) to authenticated;
grant execute on function private.security_event_json(public.security_events) to authenticated;
grant execute on function private.security_event_search_text(public.security_events) to authenticated;
grant execute on function private.session_json(private.sessions) to authenticated;
grant execute on function private.settled_around(public.reconciliations) to authenticated;
grant execute on function private.sign_off_json(public.reconciliations) to authenticated;
grant execute on function private.signature_json(public.statements) to authenticated;
grant execute on function private.sla_policy_json(public.sla_policies) to authenticated;
grant execute on function private.source_balance_json(public.source_balances) to authenticated;
grant execute on function private.source_json(public.sources) to authenticated;
grant execute on function private.source_version(public.sources) to authenticated;
grant execute on function private.stated_balances(public.reconciliations) to authenticated;
grant execute on function private.statement_explained(public.reconciliations) to authenticated;
grant execute on function private.statement_items(public.reconciliations) to authenticated;
grant execute on function private.statement_json(public.reconciliations) to authenticated;
grant execute on function private.statement_outstanding(public.reconciliations) to authenticated;
grant execute on function private.statement_sums(public.reconciliations) to authenticated;
grant execute on function private.statement_totals(public.reconciliations) to authenticated;
grant execute on function private.suggested_lines(public.reconciliations) to authenticated;
grant execute on function private.suggestion_candidates(public.reconciliations,private.open_lines,jsonb) to authenticated;
grant execute on function private.tenant_account_page(text,text,integer) to authenticated;
grant execute on function private.usage_by_day(public.api_keys) to authenticated;
grant execute on function private.usage_by_hour(public.api_keys) to authenticated;
grant execute on function private.versioned_connection_json(public.connections) to authenticated;
grant execute on function private.versioned_exception_json(public.exceptions) to authenticated;
grant execute on function private.view_json(public.views,boolean) to authenticated;
grant execute on function private.view_version(public.views) to authenticated;
grant execute on function private.webhook_health(public.webhooks,interval) to authenticated;
grant execute on function private.webhook_json(public.webhooks) to authenticated;
grant execute on function private.webhook_version(public.webhooks) to authenticated;
grant execute on function private.webhooks_of_api_key(public.api_keys) to authenticated;
grant execute on function private.word_patterns(text) to authenticated;
grant execute on function private.worked_in_period(public.reconciliations) to authenticated;
