-- Facets: how many exceptions each value of each filter would leave with the other filters applied,
-- so that a filter's own counts don't shrink with it.

-- input: { state: open | closed | all, q, within_minutes, and the filters of
-- exceptions/exception_filters.sql }. Counts the first 20,000 (`complete`: these are all), which
-- bounds the cost of a call. A filter with many values shows the 50 most frequent.
create function private.sla_facets(input jsonb, as_of timestamptz) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  most constant integer := 20000;
  values_most constant integer := 50;
  facets constant text[] := private.exception_facets();
  conditions text := format('e.tenant_id = %L', private.tenant_id())
    || coalesce(' and ' || private.bound_conditions(input), '');
  sort_key text := 'e.id desc';
  -- 0: every filter matches; n: all but the nth; -1: two or more don't, which counts nowhere.
  misses text;
  answer jsonb;
begin
  if input ->> 'state' = 'open' then
    conditions := conditions || $q$ and e.status in ('open', 'in_review')$q$;
    sort_key := 'e.due_at, e.id';
  elsif input ->> 'state' = 'closed' then
    conditions := conditions || ' and e.closed_at is not null';
    sort_key := 'e.closed_at desc, e.id desc';
  end if;
  if input ->> 'within_minutes' is not null then
    conditions := conditions || private.due_within(input, as_of);
  end if;
  if input ->> 'q' is not null then
    conditions := conditions || ' and ' || private.has_words(input ->> 'q');
  end if;
  select case when count(*) = 0 then '0' else format('case when %s > 1 then -1 else %s end',
      string_agg(format('((%s) is not true)::integer', c.condition), ' + '),
      string_agg(format('%s * ((%s) is not true)::integer', c.n, c.condition), ' + ')) end
  into misses
  from (select n, private.exception_condition(f, input, as_of) as condition
    from unnest(facets) with ordinality as x (f, n)) c
  where c.condition is not null;
  -- `left_out`: one bit per facet that isn't grouped by, the first facet's the highest. All in one
  -- pass.
  execute format($q$
    with grouped as materialized (
      select s.missed, s.breach_risk, s.severity, s.status, s.assigned_to, s.reason_code,
        s.reconciliation_id, s.currency,
        grouping(s.breach_risk, s.severity, s.status, s.assigned_to, s.reason_code,
          s.reconciliation_id, s.currency) as left_out,
        count(*) as n, count(*) filter (where s.paused) as paused, sum(s.amount_minor) as amount
      from (
        select e.status, e.severity, e.assigned_to, e.reason_code, e.reconciliation_id, e.currency,
          e.amount_minor, e.paused_at is not null as paused,
          case when e.closed_at is not null then null when e.due_at <= $1 then 'breached'
            when e.due_at <= $1 + make_interval(mins => private.high_risk_below() - 1) then 'high'
            when e.due_at <= $1 + make_interval(mins => private.medium_risk_up_to()) then 'medium'
            else 'low' end as breach_risk,
          %s as missed
        from public.exceptions e where %s order by %s limit $2
      ) s
      group by grouping sets ((s.missed), (s.missed, s.breach_risk), (s.missed, s.severity),
        (s.missed, s.status), (s.missed, s.assigned_to),
        (s.missed, s.reason_code), (s.missed, s.reconciliation_id), (s.missed, s.currency))
    ), counted as (
      select f.facet, v.value, sum(g.n) as n, sum(g.amount) as amount
      from unnest($3::text[]) with ordinality as f (facet, place)
      join grouped g on g.left_out = 127 - (64 >> f.place::integer - 1) and g.missed in (0, f.place)
      cross join lateral (
        select case f.facet when 'breach_risk' then g.breach_risk when 'severity' then g.severity
          when 'status' then g.status
        when 'assigned_to' then coalesce(g.assigned_to,
          'none') when 'reason_code' then g.reason_code
        when 'reconciliation_id' then coalesce(g.reconciliation_id,
          'none') when 'currency' then coalesce(g.currency, 'none') end) v (
          value)
      where v.value is not null
      group by 1, 2
    ), ranked as (
      select *, row_number() over (partition by facet order by n desc, value) as rank from counted
    )
    select jsonb_build_object(
      'total', (select coalesce(sum(n), 0) from grouped where left_out = 127 and missed = 0),
      'paused_count',
      (select coalesce(sum(paused), 0) from grouped
        where left_out = 63 and missed in (0, 1) and breach_risk = 'low'),
      'complete', (select coalesce(sum(n), 0) from grouped where left_out = 127) < $2,
      'facets', (
        select jsonb_object_agg(f, coalesce((
          select jsonb_agg(jsonb_build_object('value', r.value, 'count', r.n,
            'name',
            case
              when f = 'reconciliation_id' then (select c.name from public.reconciliations c
                where c.tenant_id = $4 and c.id = r.value)
              end,
            'amount_minor',
            case when f = 'currency' and r.amount is not null then least(r.amount, 9007199254740991)
              end)
              order by r.rank)
          from ranked r where r.facet = f and r.rank <= $5), '[]'))
        from unnest($3::text[]) f
      )
    )
  $q$, misses, conditions, sort_key) into answer
    using as_of, most, facets, private.tenant_id(), values_most;
  return answer || jsonb_build_object('as_of', private.iso(as_of));
end $$;

-- input: as above.
create function public.get_sla_facets(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
begin
  perform private.begin_request(request, 'get_sla_facets');
  return private.sla_facets(input, now()::timestamptz(3));
end $$;

grant execute on function private.sla_facets(jsonb, timestamptz) to authenticated;
