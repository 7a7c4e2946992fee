-- Written by `npm run generate` from the columns of public.exceptions and the contracts: the two
-- statements that write exceptions, what a caller may set, and the filters.

create function private.exception_settable() returns text[]
language sql immutable set search_path = ''
return array[
  'title', 'severity', 'assigned_to', 'due_at', 'reason_code', 'amount_minor', 'currency',
  'reconciliation_id', 'status', 'details', 'resolution', 'calendar_id', 'calendar_no',
  'paused_until', 'pause_reason'
];

-- The filters that take several values and have counts (exceptions/sla_facets.sql).
create function private.exception_facets() returns text[]
language sql immutable set search_path = ''
return array[
  'breach_risk', 'status', 'assigned_to', 'reconciliation_id', 'reason_code', 'severity', 'currency'
];

-- Whether `none` is a value of the filter, and counted.
create function private.facet_has_none(facet text) returns boolean
language sql immutable set search_path = ''
return facet in (
  'assigned_to', 'reconciliation_id', 'currency'
);

-- The filters that have an index by deadline.
create function private.facets_by_deadline() returns text[]
language sql immutable set search_path = ''
return array[
  'assigned_to', 'reconciliation_id', 'reason_code', 'severity'
];

grant execute on function
  private.exception_facets(), private.facet_has_none(text), private.facets_by_deadline()
to authenticated;

create function private.insert_exceptions(changes private.exception_change[]) returns void
language plpgsql volatile set search_path = '' as $$
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
end $$;

create function private.update_exceptions(changes private.exception_change[]) returns void
language plpgsql volatile set search_path = '' as $$
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
end $$;
