-- The ledger over the wire: one exception's clock explained, and how a tenant keeps its deadlines.

-- When a version is open between two moments, as [{ starts_at, ends_at }] in order; at most 2,000
-- spans, later ones are left out.
create function private.open_between(tenant text, no bigint, since timestamptz,
  until timestamptz) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    with covered as materialized (
      select coverage.covered_from <= since and coverage.covered_until >= until as wholly
      from private.calendar_coverage coverage
      where coverage.tenant_id = tenant and coverage.calendar_no = no
    ), spans as (
      select span.starts_at, span.ends_at from private.calendar_spans span
      where (select wholly from covered) and span.tenant_id = tenant and span.calendar_no = no
        and span.ends_at > since and span.starts_at < until
      union all
      select span.starts_at, span.ends_at from public.calendar_versions version
      cross join lateral private.open_spans(version.time_zone, version.weekly, version.special_days,
        date_trunc('hour', since), date_trunc('hour', until) + interval '1 hour') span
      where not (select wholly from covered) and version.tenant_id = tenant
        and version.calendar_no = no and span.ends_at > since and span.starts_at < until
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'starts_at', private.iso(greatest(shown.starts_at, since)), 'ends_at',
      private.iso(least(shown.ends_at, until))
    ) order by shown.starts_at), '[]')
    from (select * from spans order by starts_at limit 2000) shown
  );
end $$;

-- When the calendar of an exception of the caller's tenant is open between two moments. Null: it
-- counts round the clock.
create function private.open_hours_of(e public.exceptions, since timestamptz,
  until timestamptz) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  if e.tenant_id = private.tenant_id() and e.calendar_no is not null then
    return private.open_between(e.tenant_id, e.calendar_no, since, until);
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
      select l.*, lag(l.at) over w as before_at, lag(l.calendar_no) over w as before_no,
        lag(l.due_at) over w as before_due_at
      from public.exception_ledger l
      where l.tenant_id = private.tenant_id() and l.exception_id = ledger_rows.exception_id
      window w as (order by l.at, l.id)
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'at', private.iso(l.at), 'kind', l.kind, 'due_at', private.iso(l.due_at), 'threshold_minutes',
      l.threshold_minutes,
      'threshold_kind',
      case
        when l.threshold_minutes is not null then case when l.in_business_time then 'business'
        else 'wall_clock' end
        end,
      'open_ms', case when l.before_no is not null then
        private.open_ms(l.tenant_id, l.before_no, l.at)
          - private.open_ms(l.tenant_id, l.before_no, l.before_at) end,
      'open_spans',
      case
        when l.before_no is not null then private.open_between(l.tenant_id, l.before_no,
          l.before_at, l.at)
        end,
      'due_moved_ms', case when l.calendar_no = l.before_no then
        private.open_ms(l.tenant_id, l.calendar_no, l.due_at)
          - private.open_ms(l.tenant_id, l.calendar_no, l.before_due_at) end,
      'business_ms_left', case when l.calendar_no is not null then
        private.open_ms(l.tenant_id, l.calendar_no, l.due_at)
          - private.open_ms(l.tenant_id, l.calendar_no, l.at) end,
      'actor', l.actor, 'actor_issuer', l.actor_issuer, 'actor_subject', l.actor_subject,
      'request_id', l.request_id
    ) order by l.at, l.id), '[]')
    from lines l
  );
end $$;
grant execute on function private.ledger_rows(text) to authenticated;

-- input: { id }. Each change of the clock since it was set, and when the calendar is open from the
-- last change to `until`: for an open exception to its deadline or now, at most 92 days ahead.
-- Refuses: not_found.
create function public.get_exception_ledger(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  e public.exceptions;
  rows jsonb;
  last_at timestamptz;
  until timestamptz;
begin
  perform private.begin_request(request, 'get_exception_ledger');
  e := private.find_exception(input ->> 'id');
  rows := private.ledger_rows(e.id);
  last_at := rows -> -1 ->> 'at';
  until := case
    when e.status in ('open', 'in_review') then greatest(now(),
      least(private.deadline(e, now()), now() + interval '92 days'))
    else last_at end;
  return jsonb_build_object(
    'as_of', private.iso(now()), 'exception', private.exception_json(e), 'rows', rows, 'until',
    private.iso(until),
    'open_spans', private.open_hours_of(e, last_at, until)
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
  return jsonb_build_object('since', private.iso(since), 'until', private.iso(until), 'by',
    input ->> 'by', 'rows', coalesce((
    select jsonb_agg(jsonb_build_object(
      'key', g.key, 'opened', g.opened, 'resolved', g.resolved, 'breached', g.breached,
      'breach_rate', round(g.breached::numeric / nullif(g.settled, 0), 4),
      'median_minutes_to_resolve', round(g.median::numeric, 1), 'p90_minutes_to_resolve',
      round(g.p90::numeric, 1)
    ) order by g.key)
    from (
      select x.key,
        count(*) filter (where x.kind = 'set') as opened,
        count(*) filter (where x.kind in ('resolved', 'dismissed')) as resolved,
        count(distinct x.exception_id) filter (where x.kind = 'crossed') as breached,
        count(distinct x.exception_id) filter (where x.kind <> 'set') as settled,
        percentile_cont(0.5) within
          group (order by x.minutes) filter (where x.kind in ('resolved', 'dismissed')) as median,
        percentile_cont(0.9) within
          group (order by x.minutes) filter (where x.kind in ('resolved', 'dismissed')) as p90
      from (
        select l.kind, l.exception_id, extract(epoch from l.at - e.created_at) / 60 as minutes,
          case input ->> 'by'
            when 'day' then to_char(l.at at time zone 'UTC', 'YYYY-MM-DD')
            when 'severity' then e.severity
            else e.assigned_to
          end as key
        from public.exception_ledger l
          join public.exceptions e on e.tenant_id = l.tenant_id and e.id = l.exception_id
        where l.tenant_id = private.tenant_id() and l.at >= since and l.at < until
          and (l.kind in ('set', 'resolved', 'dismissed')
          or (l.kind = 'crossed' and l.threshold_minutes = 0))
      ) x
      group by x.key
    ) g
  ), '[]'));
end $$;
