-- Statements: what a period says to who signs it. Balances, what explains the difference of the two
-- sides, what is outstanding and how old.

-- What was open at the end of a period: now open, or settled by a later period.
create function private.open_in_period(r public.reconciliations)
returns table (tenant_id text, line_no bigint, side text, currency text, value_date date,
  open_minor bigint)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select r.tenant_id, x.line_no, x.side, x.currency, x.value_date, sum(x.minor)::bigint
  from (
    select o.line_no, o.side, o.currency, o.value_date, o.open_minor as minor
    from private.open_lines o
    where o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.value_date <= r.period_end
    union all
    select mm.line_no, mm.side, m.currency, l.value_date, mm.allocated_minor
    from public.reconciliations later
    join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = later.id
      and m.state = 'confirmed'
    cross join lateral (
      select mm.line_no, mm.side, mm.allocated_minor
      from public.match_members mm
      where mm.tenant_id = m.tenant_id and mm.match_id = m.id offset 0
    ) mm
    cross join lateral (
      select x.value_date
      from public.lines x
      where x.tenant_id = m.tenant_id and x.line_no = mm.line_no
        and x.value_date <= r.period_end offset 0
    ) l
    where later.tenant_id = r.tenant_id and later.pair_no = r.pair_no
      and later.period_start > r.period_end
    union all
    select e.line_no, e.side, e.currency, l.value_date, e.excluded_minor
    from public.reconciliations later
    join public.exclusions e on e.tenant_id = r.tenant_id and e.reconciliation_id = later.id
    join public.lines l on l.tenant_id = e.tenant_id and l.line_no = e.line_no
      and l.value_date <= r.period_end
    where later.tenant_id = r.tenant_id and later.pair_no = r.pair_no
      and later.period_start > r.period_end
  ) x
  group by x.line_no, x.side, x.currency, x.value_date;
end $$;

-- Of an open period as it stands now, of a closed one as it closed.
create function private.outstanding_of(r public.reconciliations)
returns table (tenant_id text, line_no bigint, side text, currency text, value_date date,
  open_minor bigint)
language plpgsql stable set search_path = '' as $$
begin
  if r.closed_at is null then
    return query select * from private.open_in_period(r);
  else
    return query select c.tenant_id, c.line_no, c.side, c.currency, c.value_date, c.open_minor
    from public.carried_lines c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
  end if;
end $$;

-- What the sources of a period say of themselves at its start and end, with the signs of the
-- statement. `timing`: what was booked by its end with a later value date, less the other way
-- round. `unaccounted`: by what the balances move more than the lines booked in the period. No row
-- where nothing is stated.
create function private.stated_balances(r public.reconciliations)
returns table (currency text, side text, opening numeric, closing numeric, stated_on date,
  timing numeric, unaccounted numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select c.currency, s.side, s.factor * o.minor, s.factor * e.minor, e.stated_on,
    coalesce((
      select sum(case when l.value_date > r.period_end then s.factor else -s.factor end
        * l.amount_minor)
      from public.lines l
      where l.tenant_id = r.tenant_id and l.source_no = s.source_no and l.currency = c.currency
        and l.value_date between r.period_end - 60 and r.period_end + 60
        and (l.booked_date <= r.period_end) <> (l.value_date <= r.period_end)
    ), 0),
    s.factor * (e.minor - o.minor - private.booked_between(r.tenant_id, s.source_no, c.currency,
      r.period_start, r.period_end))
  from (
    select x.source_no, case x.source_no when p.left_source_no then 'left' else 'right' end as side,
      case x.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs p
    join public.sources x on x.tenant_id = p.tenant_id
      and x.source_no in (p.left_source_no, p.right_source_no)
    where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  ) s
  cross join lateral (
    select distinct b.currency from public.source_balances b
    where b.tenant_id = r.tenant_id and b.source_no = s.source_no
  ) c
  cross join lateral private.balance_on(r.tenant_id, s.source_no, c.currency, r.period_end) e
  left join lateral private.balance_on(r.tenant_id, s.source_no, c.currency,
    r.period_start - 1) o on true;
end $$;
grant execute on function private.stated_balances(public.reconciliations) to authenticated;

create function private.statement_json(r public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    with sides as materialized (
      select s.source_no, s.id, s.name,
        case s.source_no when p.left_source_no then 'left' else 'right' end as side,
        case s.sign when 'inverted' then -1 else 1 end as factor
      from public.pairs p
        join public.sources s on s.tenant_id = p.tenant_id
          and s.source_no in (p.left_source_no, p.right_source_no)
      where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
    ), balances as materialized (
      select l.currency, s.side,
        coalesce(sum(s.factor * l.amount_minor) filter (where l.value_date < r.period_start),
          0) as opening,
        sum(s.factor * l.amount_minor) as closing,
        count(*) filter (where l.value_date >= r.period_start) as line_count
      from sides s
        join public.lines l on l.tenant_id = r.tenant_id and l.source_no = s.source_no
          and l.value_date <= r.period_end
      group by 1, 2
    ), outstanding as materialized (
      select o.line_no, o.side, o.open_minor, o.currency, r.period_end - o.value_date as age
      from private.outstanding_of(r) o
    ), until_now as materialized (
      select x.id
      from public.reconciliations x
      where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_end <= r.period_end
    ), excluded as materialized (
      select e.currency, e.side, sum(e.excluded_minor) as minor
      from until_now u
        join public.exclusions e on e.tenant_id = r.tenant_id and e.reconciliation_id = u.id
        group by 1, 2
    ), explaining as materialized (
      select m.reconciliation_id, m.currency, m.residual_minor, m.adjustments
      from until_now u
        join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = u.id
          and m.state = 'confirmed'
      where m.residual_minor <> 0 or m.adjustments <> '[]'
    ), explained as materialized (
      select m.currency, sum(m.residual_minor) as residual,
        sum(
          (select coalesce(sum((a ->> 'amount_minor')::bigint), 0)
            from jsonb_array_elements(m.adjustments) a))
            as adjusted
      from explaining m group by 1
    ), counts as materialized (
      select coalesce(sum(jsonb_array_length(m.adjustments)), 0) as adjustments,
        count(*) filter (where m.residual_minor <> 0) as residuals,
        (select count(*) from public.exclusions e
          where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id) as exclusions
      from explaining m where m.reconciliation_id = r.id
    ), currencies as (
      select b.currency from balances b union select e.currency from explained e
    ), sums as (
      select c.currency, s.side, case s.side when 'left' then 1 else -1 end as sign,
        coalesce(b.opening, 0) as opening, coalesce(b.closing, 0) as closing,
        coalesce(b.line_count, 0) as line_count,
        coalesce((
          select sum(o.open_minor) from outstanding o
          where o.currency = c.currency and o.side = s.side
        ), 0) as outstanding,
        coalesce((
          select e.minor from excluded e where e.currency = c.currency and e.side = s.side
        ), 0) as excluded,
        t.opening as stated_opening, t.closing as stated_closing, t.stated_on, t.timing,
        t.unaccounted
      from currencies c cross join (values ('left'), ('right')) s (side)
        left join balances b on b.currency = c.currency and b.side = s.side
        left join private.stated_balances(r) t on t.currency = c.currency and t.side = s.side
    )
    select jsonb_build_object(
      'reconciliation_id', r.id, 'name', r.name, 'period_start', r.period_start, 'period_end',
      r.period_end, 'left_source', r.left_source,
      'right_source', r.right_source, 'as_of', private.iso(coalesce(r.closed_at, now())),
      'closed_at', private.iso(r.closed_at), 'closed_by', r.closed_by,
      'balances', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'currency', x.currency, 'side', x.side,
          'opening_minor', private.exact_sum(x.opening),
          'lines_minor', private.exact_sum(x.closing - x.opening), 'line_count', x.line_count,
          'closing_minor', private.exact_sum(x.closing),
          'outstanding_minor', private.exact_sum(x.outstanding),
          'excluded_minor', private.exact_sum(x.excluded),
          'stated_opening_minor', private.exact_sum(x.stated_opening),
          'stated_closing_minor', private.exact_sum(x.stated_closing),
          'stated_on', x.stated_on, 'timing_minor', private.exact_sum(x.timing),
          'unaccounted_minor', private.exact_sum(x.unaccounted)
        ) order by x.currency, x.side), '[]')
        from sums x
      ),
      'differences', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'currency', x.currency,
          'adjustments_minor', private.exact_sum(coalesce(e.adjusted, 0)),
          'residual_minor', private.exact_sum(coalesce(e.residual, 0)),
          'difference_minor', private.exact_sum(x.settled - coalesce(e.adjusted + e.residual, 0)),
          'unexplained_minor',
            private.exact_sum(x.stated - coalesce(e.adjusted + e.residual, 0))
        ) order by x.currency), '[]')
        from (
          select y.currency, sum(y.sign * (y.closing - y.outstanding - y.excluded)) as settled,
            case when count(y.stated_closing) = 2 then
              sum(y.sign * (y.stated_closing - y.timing - y.outstanding - y.excluded)) end as stated
          from sums y
          group by 1
        ) x left join explained e on e.currency = x.currency
      ),
      'aging', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object('currency', x.currency, 'side', x.side, 'days_from', x.days_from,
              'line_count', x.line_count, 'open_minor', private.exact_sum(x.minor))
          order by x.currency, x.side, x.days_from), '[]')
        from (
          select o.currency, o.side, a.days_from, count(*) as line_count, sum(o.open_minor) as minor
          from outstanding o cross join lateral (
            select case when o.age > 90 then 91 when o.age > 60 then 61 when o.age > 30 then 31
              when o.age > 7 then 8 else 0 end as days_from
          ) a group by 1, 2, 3
        ) x
      ),
      'outstanding_count', (select count(*) from outstanding),
      'outstanding', (
        select coalesce(
          jsonb_agg(private.outstanding_json(r, x.line_no, x.side, x.open_minor) order by x.n),
          '[]')
        from (select o.*, row_number() over (order by abs(o.open_minor) desc, o.line_no) as n
          from outstanding o) x
          where x.n <= 250
      ),
      'adjustment_count', c.adjustments, 'residual_count', c.residuals, 'exclusion_count',
      c.exclusions,
      -- Where there is none, the matches need not be searched again.
      'adjustments',
      coalesce(case when c.adjustments > 0 then private.adjustment_items(r, null, null, 1000) end,
        '[]'),
      'residuals',
      coalesce(case when c.residuals > 0 then private.residual_items(r, null, 1000) end, '[]'),
      'exclusions', coalesce(private.exclusion_items(r, null, 1000), '[]'),
      'proof', private.proof_json(r)
    ) from counts c
  );
end $$;

-- One outstanding line, as the statement lists it.
create function private.outstanding_json(r public.reconciliations, line_no bigint, side text,
  open_minor bigint) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_build_object('line_id', private.line_id_text(l.id), 'side', $3, 'value_date',
      l.value_date, 'age_days', r.period_end - l.value_date,
      'currency', l.currency, 'open_minor', $4, 'reference', l.reference, 'counterparty',
      l.counterparty, 'description', l.description)
    from public.lines l where l.tenant_id = r.tenant_id and l.line_no = $2
  );
end $$;
grant execute on function
  private.open_in_period(public.reconciliations), private.outstanding_of(public.reconciliations),
  private.statement_json(public.reconciliations),
  private.outstanding_json(public.reconciliations, bigint, text, bigint)
to authenticated;

-- input: { id }, the reconciliation's. Of a closed period as it was when it closed. Refuses:
-- not_found, conflict.
create function public.get_statement(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  r public.reconciliations;
begin
  perform private.begin_request(request, 'get_statement');
  r := private.find_period(input ->> 'id');
  if r.closed_at is not null then
    return (select c.statement from public.closings c
      where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id);
  end if;
  return private.statement_json(r);
end $$;
