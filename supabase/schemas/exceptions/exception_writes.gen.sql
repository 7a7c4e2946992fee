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

create function private.insert_exceptions(made private.exception_change[]) returns void
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
    n.id, n.tenant_id, n.title, n.severity, n.assigned_to, n.due_at, n.due_from_policy,
    n.calendar_id, n.calendar_no, n.due_open_ms, n.paused_at, n.paused_until, n.pause_reason,
    n.paused_by_rule, n.held_due_at, n.pause_count, n.paused_ms, n.status, n.reason_code,
    n.amount_minor, n.currency, n.reconciliation_id, n.details, n.resolution, n.created_at,
    n.created_by, n.updated_at, n.closed_at, n.pair_no, n.line_no, n.line_id, n.suggested_match_id,
    n.grouped_match_id, n.resolved_by_matching
  from (select (m.after).* from unnest(made) m) n;
end $$;

create function private.update_exceptions(made private.exception_change[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  update public.exceptions e
  set
    title = n.title, severity = n.severity, assigned_to = n.assigned_to, due_at = n.due_at,
    due_from_policy = n.due_from_policy, calendar_id = n.calendar_id, calendar_no = n.calendar_no,
    due_open_ms = n.due_open_ms, paused_at = n.paused_at, paused_until = n.paused_until,
    pause_reason = n.pause_reason, paused_by_rule = n.paused_by_rule, held_due_at = n.held_due_at,
    pause_count = n.pause_count, paused_ms = n.paused_ms, status = n.status,
    reason_code = n.reason_code, amount_minor = n.amount_minor, currency = n.currency,
    reconciliation_id = n.reconciliation_id, details = n.details, resolution = n.resolution,
    updated_at = n.updated_at, closed_at = n.closed_at, pair_no = n.pair_no, line_no = n.line_no,
    line_id = n.line_id, suggested_match_id = n.suggested_match_id,
    grouped_match_id = n.grouped_match_id, resolved_by_matching = n.resolved_by_matching
  from (select (m.after).* from unnest(made) m) n
  where e.tenant_id = n.tenant_id and e.id = n.id;
end $$;
