-- Exceptions: items to resolve before a deadline, and the rules of their statuses.

-- The most severe comes first.
create function private.severity_rank(severity text) returns smallint
language plpgsql immutable set search_path = '' as $$
begin
  return case severity when 'critical' then 0 when 'high' then 1 when 'medium' then 2
    when 'low' then 3 end;
end $$;

create table public.exceptions (
  id text not null default private.new_id('exc'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  title text not null check (length(title) between 1 and 200),
  severity text not null check (severity in ('critical', 'high', 'medium', 'low')),
  severity_rank smallint not null generated always as (private.severity_rank(severity)) stored,
  assigned_to text check (assigned_to ~ '^user:[^[:space:]]{1,120}$'),
  due_at timestamptz(3) not null,
  -- True if the policy set the deadline, so that a new policy moves it.
  due_from_policy boolean not null default false,
  -- The calendar that the deadline counts by, and its version; null: round the clock.
  calendar_id text,
  calendar_no bigint,
  -- B(due_at), or B(held_due_at) while paused: see calendars/business_time.sql. Null beyond the
  -- reach.
  due_open_ms bigint,
  -- While paused, due_at is infinity, so that nothing counts it, and held_due_at has the deadline.
  paused_at timestamptz(3),
  paused_until timestamptz(3),
  pause_reason text check (length(pause_reason) between 1 and 500),
  paused_by_rule boolean not null default false,
  held_due_at timestamptz(3),
  pause_count integer not null default 0,
  -- The duration of all pauses that are over.
  paused_ms bigint not null default 0,
  status text not null default 'open' check (
    status in ('open', 'in_review', 'resolved', 'dismissed')),
  reason_code text check (length(reason_code) between 1 and 64),
  amount_minor bigint check (amount_minor between 0 and 9007199254740991),
  currency text check (currency ~ '^[A-Z]{3}$'),
  reconciliation_id text,
  -- 16 kB as sent are at most 24 kB with the spaces that Postgres adds.
  details jsonb not null default '{}' check (jsonb_typeof(details) = 'object'
    and octet_length(details::text) <= 24576),
  resolution text check (length(resolution) between 1 and 1000),
  -- Whole milliseconds, so that a deadline is exactly the policy's minutes later, and the event
  -- that reports it has the same time.
  created_at timestamptz(3) not null default date_trunc('milliseconds', now()),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default date_trunc('milliseconds', now()),
  closed_at timestamptz(3),
  -- The line that stayed open past its source's grace period, and what the engine would match it
  -- with.
  pair_no integer,
  line_no bigint,
  line_id uuid,
  suggested_match_id uuid,
  -- The suggestion whose lines it covers together; null: only its own line.
  grouped_match_id uuid,
  -- Matching resolved it, so undoing that match reopens it.
  resolved_by_matching boolean not null default false,
  primary key (tenant_id, id),
  check ((amount_minor is null) = (currency is null)),
  check ((status in ('resolved', 'dismissed')) = (resolution is not null)),
  check ((status in ('resolved', 'dismissed')) = (closed_at is not null)),
  check ((paused_at is null) = (held_due_at is null)),
  check ((paused_at is null) = (due_at < 'infinity')),
  foreign key (tenant_id, reconciliation_id) references public.reconciliations (tenant_id, id),
  foreign key (tenant_id, calendar_no) references public.calendar_versions (tenant_id, calendar_no)
);
create index exceptions_by_calendar on public.exceptions (tenant_id, calendar_no)
where calendar_no is not null and status in ('open', 'in_review');
create index exceptions_paused_until on public.exceptions (paused_until)
where paused_until is not null;
create index exceptions_by_deadline on public.exceptions (tenant_id, due_at, id)
where status in ('open', 'in_review');
create index exceptions_in_review on public.exceptions (tenant_id, due_at, id)
where status = 'in_review';
create index exceptions_by_severity on public.exceptions (tenant_id, severity_rank, due_at, id)
where status in ('open', 'in_review');
-- An index on the column itself: under row-level security only leakproof operators use an index,
-- and || is not one.
create index exceptions_by_assignee on public.exceptions (tenant_id, assigned_to, due_at, id)
where status in ('open', 'in_review');
create unique index exceptions_open_of_line on public.exceptions (tenant_id, line_no, pair_no)
where line_no is not null and status in ('open', 'in_review');
create index exceptions_by_line on public.exceptions (tenant_id, line_no, id)
where line_no is not null;
create index exceptions_by_suggestion on public.exceptions (tenant_id, suggested_match_id)
where suggested_match_id is not null;
create index exceptions_grouped on public.exceptions (tenant_id, pair_no)
where grouped_match_id is not null and status in ('open', 'in_review');
create index exceptions_open_by_pair on public.exceptions (tenant_id, pair_no)
where pair_no is not null and status in ('open', 'in_review');
-- The list of members uses it too.
create index exceptions_of_assignee on public.exceptions (tenant_id, assigned_to, id)
where assigned_to is not null;
-- Serves searches for words of three letters or more.
create index exceptions_by_words on public.exceptions
  using gin (lower(title || ' ' || coalesce(reason_code, '')) extensions.gin_trgm_ops);
create index exceptions_by_reconciliation on public.exceptions (tenant_id, reconciliation_id)
where reconciliation_id is not null;
create index exceptions_open_by_reconciliation
  on public.exceptions (tenant_id, reconciliation_id, due_at, id)
  where reconciliation_id is not null and status in ('open', 'in_review');
create index exceptions_by_reason on public.exceptions (tenant_id, reason_code, due_at, id)
  where reason_code is not null and status in ('open', 'in_review');
create index exceptions_by_amount
  on public.exceptions (tenant_id, currency, amount_minor desc, due_at, id)
where status in ('open', 'in_review');
create index exceptions_by_closing on public.exceptions (tenant_id, closed_at, id)
where closed_at is not null;
create index exceptions_by_change on public.exceptions (tenant_id, updated_at, id);

alter table public.exceptions enable row level security;
-- Only private.change_exceptions writes it (exceptions/exception_changes.sql).
grant select on public.exceptions to authenticated, service_role;
create policy exceptions_read on public.exceptions for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may(
    'read:exceptions', 'write:exceptions', 'read:sla', 'read:reconciliations',
    'write:reconciliations')));

-- open and in_review lead to each other and to resolved or dismissed, which lead back to open.
create function private.exception_may_move(before text, after text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return before = after or (before, after) in (
    ('open', 'in_review'), ('in_review', 'open'),
    ('open', 'resolved'), ('open', 'dismissed'), ('in_review', 'resolved'),
    ('in_review', 'dismissed'),
    ('resolved', 'open'), ('dismissed', 'open')
  );
end $$;

-- Spec 3.2: high below 60 minutes, medium up to 240. The only place that has these figures: `npm
-- run generate` copies them to lib/wire/facts.gen.ts.
create function private.high_risk_below() returns integer
language sql immutable set search_path = ''
return 60;
create function private.medium_risk_up_to() returns integer
language sql immutable set search_path = ''
return 240;

-- The minutes before a deadline at which the wire form changes, and those that a list asks for.
create function private.risk_crossings(within_minutes integer) returns integer[]
language sql immutable set search_path = ''
return array[0, private.high_risk_below() - 1, private.medium_risk_up_to(), within_minutes];

-- The nearer the deadline, the earlier in the list.
create function private.breach_risks() returns text[]
language sql immutable set search_path = ''
return '{breached,high,medium,low}'::text[];

-- The wire form. A closed exception has no clock: minutes_to_breach and breach_risk are null. The
-- clock of a paused one does not run: it has the deadline that resuming now would give it, and is
-- at no risk.
create type private.exception_item as (
  id text, title text, severity text, assigned_to text, due_at text, minutes_to_breach bigint,
  breach_risk text, business_minutes_remaining bigint,
  calendar_id text, paused_at text, paused_until text, pause_reason text, status text,
  reason_code text, amount_minor bigint, currency text,
  reconciliation_id text, line_id text, suggested_match_id text, details jsonb, resolution text,
  created_at text, created_by text, updated_at text,
  closed_at text
);

-- Lists call it for each row: calling another function here would cost as much as everything else
-- it does, and json_build_object twice as much as row_to_json.
create function private.exception_json(exception public.exceptions,
  as_of timestamptz default now()) returns json
language plpgsql stable set search_path = '' as $$
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
end $$;

grant execute on function
  private.severity_rank(text), private.high_risk_below(), private.medium_risk_up_to(),
  private.breach_risks(), private.risk_crossings(integer),
  private.exception_json(public.exceptions, timestamptz)
to authenticated;
