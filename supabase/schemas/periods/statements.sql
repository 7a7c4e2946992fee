-- Statements: what a person signs about a period. Balances, what explains the difference of the two
-- sides, what is outstanding and its age.

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

-- For an open period as it is now, for a closed one as of its close.
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

-- The balances that the sources of a period state for its start and end, with the signs of the
-- statement. `timing`: what was booked by its end with a later value date, less the reverse.
-- `unaccounted`: by how much the balances move beyond the lines booked in the period. No row if
-- nothing is stated.
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

-- What every confirmed match up to the end of a period explains, by currency.
create function private.statement_explained(r public.reconciliations)
returns table (currency text, residual numeric, adjusted numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select m.currency, sum(m.residual_minor), sum((
    select coalesce(sum((a ->> 'amount_minor')::bigint), 0)
    from jsonb_array_elements(m.adjustments) a
  ))
  from public.reconciliations period
  join public.matches m on m.tenant_id = period.tenant_id and m.reconciliation_id = period.id
    and m.state = 'confirmed'
  where period.tenant_id = r.tenant_id and period.pair_no = r.pair_no
    and period.period_end <= r.period_end
    and (m.residual_minor <> 0 or m.adjustments <> '[]')
  group by m.currency;
end $$;

-- What the lines of each side add up to at the end of a period, by currency, with the signs of the
-- statement: before the period, in total, and how many lines are in it.
create function private.booked_balances(r public.reconciliations)
returns table (currency text, side text, opening numeric, closing numeric, line_count bigint)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select l.currency, s.side,
    coalesce(sum(s.factor * l.amount_minor) filter (where l.value_date < r.period_start), 0),
    sum(s.factor * l.amount_minor),
    count(*) filter (where l.value_date >= r.period_start)
  from (
    select x.source_no, case x.source_no when p.left_source_no then 'left' else 'right' end as side,
      case x.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs p
    join public.sources x on x.tenant_id = p.tenant_id
      and x.source_no in (p.left_source_no, p.right_source_no)
    where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  ) s
  join public.lines l on l.tenant_id = r.tenant_id and l.source_no = s.source_no
    and l.value_date <= r.period_end
  group by l.currency, s.side;
end $$;

-- The sums of a statement, by currency and side; the stated ones are null where nothing is stated.
create function private.statement_sums(r public.reconciliations)
returns table (currency text, side text, opening numeric, closing numeric, line_count bigint,
  outstanding numeric, excluded numeric, stated_opening numeric, stated_closing numeric,
  stated_on date, timing numeric, unaccounted numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  with booked as materialized (
    select * from private.booked_balances(r)
  ), outstanding as materialized (
    select o.currency, o.side, sum(o.open_minor) as minor
    from private.outstanding_of(r) o
    group by o.currency, o.side
  ), excluded as materialized (
    select e.currency, e.side, sum(e.excluded_minor) as minor
    from public.reconciliations period
    join public.exclusions e on e.tenant_id = period.tenant_id and e.reconciliation_id = period.id
    where period.tenant_id = r.tenant_id and period.pair_no = r.pair_no
      and period.period_end <= r.period_end
    group by e.currency, e.side
  ), currencies as (
    select b.currency from booked b union select e.currency from private.statement_explained(r) e
  )
  select c.currency, s.side, coalesce(b.opening, 0), coalesce(b.closing, 0),
    coalesce(b.line_count, 0), coalesce(o.minor, 0), coalesce(e.minor, 0),
    stated.opening, stated.closing, stated.stated_on, stated.timing, stated.unaccounted
  from currencies c
  cross join (values ('left'), ('right')) s (side)
  left join booked b on b.currency = c.currency and b.side = s.side
  left join outstanding o on o.currency = c.currency and o.side = s.side
  left join excluded e on e.currency = c.currency and e.side = s.side
  left join private.stated_balances(r) stated
    on stated.currency = c.currency and stated.side = s.side;
end $$;

-- { balances, differences } of a statement: its sums by currency and side, and how much of the
-- difference of the sides is explained. `unexplained_minor` is null if a side states no balance.
create function private.statement_totals(r public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    with sums as materialized (
      select *, case x.side when 'left' then 1 else -1 end as sign
      from private.statement_sums(r) x
    ), sides as (
      select s.currency, sum(s.sign * (s.closing - s.outstanding - s.excluded)) as settled,
        case when count(s.stated_closing) = 2 then
          sum(s.sign * (s.stated_closing - s.timing - s.outstanding - s.excluded)) end as stated
      from sums s
      group by s.currency
    )
    select jsonb_build_object(
      'balances', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'currency', s.currency, 'side', s.side,
          'opening_minor', private.exact_sum(s.opening),
          'lines_minor', private.exact_sum(s.closing - s.opening), 'line_count', s.line_count,
          'closing_minor', private.exact_sum(s.closing),
          'outstanding_minor', private.exact_sum(s.outstanding),
          'excluded_minor', private.exact_sum(s.excluded),
          'stated_opening_minor', private.exact_sum(s.stated_opening),
          'stated_closing_minor', private.exact_sum(s.stated_closing),
          'stated_on', s.stated_on, 'timing_minor', private.exact_sum(s.timing),
          'unaccounted_minor', private.exact_sum(s.unaccounted)
        ) order by s.currency, s.side), '[]')
        from sums s
      ),
      'differences', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'currency', d.currency,
          'adjustments_minor', private.exact_sum(coalesce(e.adjusted, 0)),
          'residual_minor', private.exact_sum(coalesce(e.residual, 0)),
          'difference_minor', private.exact_sum(d.settled - coalesce(e.adjusted + e.residual, 0)),
          'unexplained_minor',
            private.exact_sum(d.stated - coalesce(e.adjusted + e.residual, 0))
        ) order by d.currency), '[]')
        from sides d left join private.statement_explained(r) e on e.currency = d.currency
      )
    )
  );
end $$;

-- { aging, outstanding_count, outstanding }: what is open by age, and the 250 lines with the most
-- money.
create function private.statement_outstanding(r public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    with outstanding as materialized (
      select o.line_no, o.side, o.open_minor, o.currency, r.period_end - o.value_date as age
      from private.outstanding_of(r) o
    ), aged as (
      select o.currency, o.side, count(*) as line_count, sum(o.open_minor) as minor,
        case when o.age > 90 then 91 when o.age > 60 then 61 when o.age > 30 then 31
          when o.age > 7 then 8 else 0 end as days_from
      from outstanding o
      group by o.currency, o.side, days_from
    )
    select jsonb_build_object(
      'aging', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'currency', a.currency, 'side', a.side, 'days_from', a.days_from,
          'line_count', a.line_count, 'open_minor', private.exact_sum(a.minor)
        ) order by a.currency, a.side, a.days_from), '[]')
        from aged a
      ),
      'outstanding_count', (select count(*) from outstanding),
      'outstanding', (
        select coalesce(
          jsonb_agg(private.outstanding_json(r, x.line_no, x.side, x.open_minor) order by x.n),
          '[]')
        from (
          select o.*, row_number() over (order by abs(o.open_minor) desc, o.line_no) as n
          from outstanding o
        ) x
        where x.n <= 250
      )
    )
  );
end $$;

-- What was adjusted, left over and excluded in the period itself: how many, and the first 1,000 of
-- each.
create function private.statement_items(r public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  adjustments bigint;
  residuals bigint;
begin
  select coalesce(sum(jsonb_array_length(m.adjustments)), 0),
    count(*) filter (where m.residual_minor <> 0)
  into adjustments, residuals
  from public.matches m
  where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed'
    and (m.residual_minor <> 0 or m.adjustments <> '[]');
  return jsonb_build_object(
    'adjustment_count', adjustments, 'residual_count', residuals,
    'exclusion_count', (
      select count(*) from public.exclusions e
      where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id
    ),
    -- Without any, the matches need not be searched again.
    'adjustments', coalesce(
      case when adjustments > 0 then private.adjustment_items(r, null, null, 1000) end, '[]'),
    'residuals', coalesce(
      case when residuals > 0 then private.residual_items(r, null, 1000) end, '[]'),
    'exclusions', coalesce(private.exclusion_items(r, null, 1000), '[]')
  );
end $$;

create function private.statement_json(r public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'reconciliation_id', r.id, 'name', r.name, 'period_start', r.period_start,
    'period_end', r.period_end, 'left_source', r.left_source, 'right_source', r.right_source,
    'as_of', private.iso(coalesce(r.closed_at, now())), 'closed_at', private.iso(r.closed_at),
    'closed_by', r.closed_by, 'proof', private.proof_json(r)
  ) || private.statement_totals(r) || private.statement_outstanding(r)
    || private.statement_items(r);
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
  private.statement_explained(public.reconciliations),
  private.booked_balances(public.reconciliations), private.statement_sums(public.reconciliations),
  private.statement_totals(public.reconciliations),
  private.statement_outstanding(public.reconciliations),
  private.statement_items(public.reconciliations), private.statement_json(public.reconciliations),
  private.outstanding_json(public.reconciliations, bigint, text, bigint)
to authenticated;

-- input: { id }, the reconciliation's. For a closed period as of its close. Refuses: not_found,
-- conflict.
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
