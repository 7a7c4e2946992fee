-- Facets: how many exceptions each value of each filter would leave with the other filters applied,
-- so that a filter's own counts don't shrink with it.

-- The exceptions that are counted: the condition, and the order in which the first ones are taken.
create function private.faceted_exceptions(input jsonb, as_of timestamptz,
  out conditions text, out sort_key text)
language plpgsql stable set search_path = '' as $$
begin
  conditions := coalesce(private.bound_conditions(input), 'true');
  sort_key := 'e.id desc';
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
end $$;

-- An expression for the filter that an exception e doesn't match. 0: it matches them all; n: all
-- but the nth; -1: it misses two or more, which counts nowhere.
create function private.missed_facet(input jsonb, as_of timestamptz) returns text
language plpgsql stable set search_path = '' as $$
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
end $$;

-- The query that counts the exceptions by each facet alone, in one pass. $1: now; $2: how many
-- exceptions at most.
create function private.grouped_by_facet(missed text, conditions text,
  sort_key text) returns text
language plpgsql stable set search_path = '' as $$
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
end $$;

-- The value of a facet in a row g of the query above, as an expression of both.
create function private.value_of_facet() returns text
language plpgsql immutable set search_path = '' as $$
begin
  return (
    select format('case f.facet %s end', string_agg(format('when %L then %s', facet,
      case when private.facet_has_none(facet) then format('coalesce(g.%I, %L)', facet, 'none')
        else format('g.%I', facet) end), ' '))
    from unnest(private.exception_facets()) facet
  );
end $$;

-- input: { state: open | closed | all, q, within_minutes, and the filters of
-- exceptions/exception_filters.sql }. Counts the first 20,000 (`complete`: these are all), which
-- bounds the cost of a call. A filter with many values shows the 50 most frequent.
create function private.sla_facets(input jsonb, as_of timestamptz) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  max_exceptions constant integer := 20000;
  max_values constant integer := 50;
  facets constant text[] := private.exception_facets();
  all_left_out constant integer := (1 << cardinality(facets)) - 1;
  counted constant record := private.faceted_exceptions(input, as_of);
  answer jsonb;
begin
  execute format($q$
    with grouped as materialized (%1$s), counted as (
      select f.facet, v.value, sum(g.n) as n, sum(g.amount) as amount
      from unnest($3::text[]) with ordinality as f (facet, place)
      join grouped g on g.missed in (0, f.place)
        and g.left_out = $6 - (1 << (cardinality($3::text[]) - f.place::integer))
      cross join lateral (select %2$s) v (value)
      where v.value is not null
      group by 1, 2
    ), ranked as (
      select *, row_number() over (partition by facet order by n desc, value) as rank from counted
    )
    select jsonb_build_object(
      'total', (select coalesce(sum(n), 0) from grouped where left_out = $6 and missed = 0),
      'paused_count', (select coalesce(sum(paused), 0) from grouped
        where breach_risk = 'low' and left_out = $6 >> 1 and missed in (0, 1)),
      'complete', (select coalesce(sum(n), 0) from grouped where left_out = $6) < $2,
      'facets', (
        select jsonb_object_agg(f, coalesce((
          select jsonb_agg(jsonb_build_object('value', r.value, 'count', r.n,
            'name', case when f = 'reconciliation_id' then (
              select c.name from public.reconciliations c
              where c.tenant_id = $4 and c.id = r.value) end,
            'amount_minor', case when f = 'currency' and r.amount is not null
              then least(r.amount, 9007199254740991) end
          ) order by r.rank)
          from ranked r where r.facet = f and r.rank <= $5), '[]'))
        from unnest($3::text[]) f
      )
    )
  $q$, private.grouped_by_facet(private.missed_facet(input, as_of), counted.conditions,
    counted.sort_key), private.value_of_facet()) into answer
  using as_of, max_exceptions, facets, private.tenant_id(), max_values, all_left_out;
  return answer || jsonb_build_object('as_of', private.iso(as_of));
end $$;

-- input: as of private.sla_facets.
create function public.get_sla_facets(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
begin
  perform private.begin_request(request, 'get_sla_facets');
  return private.sla_facets(input, now()::timestamptz(3));
end $$;

grant execute on function private.sla_facets(jsonb, timestamptz) to authenticated;
