-- Sandboxes: a tenant for trying calls, next to a live one, with separate keys and data and the
-- people of the live one. Why: docs/decisions/0031-sandbox-tenants.md.

-- Returns the sandbox of the caller's tenant, created if there is none. Refuses: conflict in a
-- sandbox. Records: sandbox.created.
create function public.create_sandbox(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'create_sandbox');
  sandbox constant text := private.tenant_id() || '.sandbox';
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_live_tenant('This is already a sandbox. Create one from a live tenant.');
  insert into public.tenants (id, name)
  select sandbox, tenant.name from public.tenants tenant where tenant.id = private.tenant_id()
  on conflict do nothing;
  if found then
    insert into public.sla_policies (tenant_id) values (sandbox);
    perform private.record_security_event('sandbox.created');
  end if;
  return private.finish_request(request,
    jsonb_build_object('tenant_id', sandbox, 'reconciliation_id', null));
end $$;

-- What a reset deletes, tables that refer to others first. What stays: keys and their usage,
-- webhooks, alert channels and what people set for themselves, the request log and the audit trail.
create function private.tables_emptied_by_reset() returns text[]
language sql immutable set search_path = ''
return array[
  'private.alert_events', 'private.alerts', 'private.alert_bundles',
  'public.webhook_attempts', 'public.webhook_deliveries', 'public.webhook_answer_times',
  'private.event_once', 'public.events',
  'public.statement_evidence', 'private.evidence_contents', 'public.evidence',
  'public.entries', 'public.entry_batches', 'private.entry_batch_numbers', 'public.entry_rules',
  'private.reopened_items', 'private.signed_copies', 'public.statements',
  'public.period_signatures',
  'public.carried_lines', 'public.closings', 'private.period_workers',
  'private.closing_requests',
  'public.exclusions', 'public.match_members', 'private.unlearned_decisions', 'public.matches',
  'private.decisions', 'private.matched_counts', 'private.run_changes', 'private.held_back_reasons',
  'private.pair_estimates',
  'public.runs',
  'public.exception_comments', 'public.exception_history', 'public.exception_ledger',
  'private.exception_clocks', 'private.exception_lines', 'private.business_warnings',
  'public.exceptions', 'private.sla_counts', 'private.open_by_deadline',
  'private.open_by_assignee', 'private.open_by_reconciliation', 'private.exception_hours',
  'public.views',
  'public.connection_files', 'private.missing_files', 'private.connection_credentials',
  'public.connections',
  'public.source_balances', 'private.import_chunks', 'public.imports', 'private.open_lines',
  'private.line_texts', 'private.line_spans', 'public.lines', 'public.pair_rules',
  'public.reconciliations', 'public.pairs', 'public.sources',
  'public.records', 'private.row_counts',
  'public.sla_policies', 'private.calendar_spans', 'private.calendar_coverage',
  'public.calendar_versions', 'public.calendars'
];

-- Locks the caller's sandbox and the books in it. Refuses: conflict in a live tenant, and while a
-- job works in the sandbox, since it would find nothing at its next step.
create function private.lock_sandbox() returns public.tenants
language plpgsql volatile set search_path = '' as $$
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
      'A run, import or close is in progress in this sandbox. Try again when it is done.');
  end if;
  return sandbox;
end $$;

-- Deletes everything that was made in a sandbox, which is locked. Every statement asks again
-- whether it is one. Responses stored under idempotency keys go, too, except those of resets.
-- Refuses: conflict if others write into it at the same time.
create function private.empty_sandbox(tenant text) returns void
language plpgsql volatile set search_path = '' as $$
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
end $$;

-- A source of the sample: lines are { day, … }, whose day is one of the month.
create function private.add_sample_source(source jsonb, month date) returns text
language plpgsql volatile set search_path = '' as $$
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
end $$;

-- Fills an empty sandbox with the month before this one: two sources with lines, their
-- reconciliation, which a matcher runs, and exceptions before and after their deadlines. sample: {
-- sources: [{ name, kind, currency, lines }], exceptions: [{ title, due_in_minutes, … }] }.
-- Returns the reconciliation's ID. Records: sandbox.sample_loaded.
create function private.load_sample_month(sample jsonb) returns text
language plpgsql volatile set search_path = '' as $$
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
end $$;

-- Empties the caller's sandbox. input: { sample }, what to fill it with, or null. A sandbox has few
-- rows (private.quota_limit), yet more than most calls change. Refuses: conflict in a live tenant
-- and while others work in the sandbox. Records: sandbox.reset.
create function public.reset_sandbox(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' set statement_timeout = '30s' as $$
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
end $$;
