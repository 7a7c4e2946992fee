-- The ledger over the wire: one exception's clock explained, and how a tenant keeps its deadlines.

-- When a version is open between two moments, as [{ starts_at, ends_at }] in order; at most 2,000
-- spans, later ones are left out.
create function private.open_between(tenant text, calendar_number bigint, since timestamptz,
  until timestamptz) returns jsonb
language plpgsql stable set search_path = '' as $$
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
end $$;

-- When the calendar of an exception of the caller's tenant is open between two moments. Null: it
-- counts round the clock.
create function private.open_hours_of(exception public.exceptions, since timestamptz,
  until timestamptz) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  if exception.tenant_id = private.tenant_id() and exception.calendar_no is not null then
    return private.open_between(exception.tenant_id, exception.calendar_no, since, until);
  end if;
  return null;
end $$;
grant execute
  on function private.open_hours_of(public.exceptions, timestamptz, timestamptz) to authenticated;

-- Each change of an exception's clock, by both clocks: the time since the previous change, the open
-- part of it, and what is left. In milliseconds, by the calendar that applied at the time. Business
-- times are null without a calendar.
create function private.ledger_rows(exception_id text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
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
end $$;
grant execute on function private.ledger_rows(text) to authenticated;

-- input: { id }. Each change of the clock since it was set, and when the calendar is open from the
-- last change to `until`: for an open exception to its deadline or now, at most 92 days ahead.
-- Refuses: not_found.
create function public.get_exception_ledger(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
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
end $$;

-- input: { since, until, by: day | severity | assigned_to }. Counted from the ledger, so that later
-- changes rewrite nothing.
create function public.get_sla_report(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
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
end $$;
