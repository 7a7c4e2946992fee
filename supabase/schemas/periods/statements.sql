-- Statements: what a person signs about a period. Balances, what explains the difference of the two
-- sides, what is outstanding and its age.

-- What was open at the end of a period: now open, or settled by a later period.
create function private.open_in_period(r public.reconciliations)
returns table (tenant_id text, line_no bigint, side text, currency text, value_date date,
  open_minor bigint)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select r.tenant_id, open_part.line_no, open_part.side, open_part.currency, open_part.value_date,
    sum(open_part.minor)::bigint
  from (
    select open_line.line_no, open_line.side, open_line.currency, open_line.value_date,
      open_line.open_minor as minor
    from private.open_lines open_line
    where open_line.tenant_id = r.tenant_id and open_line.pair_no = r.pair_no
      and open_line.value_date <= r.period_end
    union all
    select mm.line_no, mm.side, match.currency, line.value_date, mm.allocated_minor
    from public.reconciliations later
    join public.matches match on match.tenant_id = r.tenant_id
      and match.reconciliation_id = later.id and match.state = 'confirmed'
    cross join lateral (
      select mm.line_no, mm.side, mm.allocated_minor
      from public.match_members mm
      where mm.tenant_id = match.tenant_id and mm.match_id = match.id offset 0
    ) mm
    cross join lateral (
      select line.value_date
      from public.lines line
      where line.tenant_id = match.tenant_id and line.line_no = mm.line_no
        and line.value_date <= r.period_end offset 0
    ) line
    where later.tenant_id = r.tenant_id and later.pair_no = r.pair_no
      and later.period_start > r.period_end
    union all
    select exclusion.line_no, exclusion.side, exclusion.currency, line.value_date,
      exclusion.excluded_minor
    from public.reconciliations later
    join public.exclusions exclusion on exclusion.tenant_id = r.tenant_id
      and exclusion.reconciliation_id = later.id
    join public.lines line on line.tenant_id = exclusion.tenant_id
      and line.line_no = exclusion.line_no and line.value_date <= r.period_end
    where later.tenant_id = r.tenant_id and later.pair_no = r.pair_no
      and later.period_start > r.period_end
  ) open_part
  group by open_part.line_no, open_part.side, open_part.currency, open_part.value_date;
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
  select stated.currency, source.side, source.factor * opening_balance.minor,
    source.factor * closing_balance.minor, closing_balance.stated_on,
    coalesce((
      select sum(case when line.value_date > r.period_end then source.factor else -source.factor end
        * line.amount_minor)
      from public.lines line
      where line.tenant_id = r.tenant_id and line.source_no = source.source_no
        and line.currency = stated.currency
        and line.value_date between r.period_end - 60 and r.period_end + 60
        and (line.booked_date <= r.period_end) <> (line.value_date <= r.period_end)
    ), 0),
    source.factor * (closing_balance.minor - opening_balance.minor
      - private.booked_between(r.tenant_id, source.source_no, stated.currency, r.period_start,
        r.period_end))
  from (
    select source.source_no,
      case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
      case source.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs pair
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no
  ) source
  cross join lateral (
    select distinct balance.currency from public.source_balances balance
    where balance.tenant_id = r.tenant_id and balance.source_no = source.source_no
  ) stated
  cross join lateral private.balance_on(r.tenant_id, source.source_no, stated.currency,
    r.period_end) closing_balance
  left join lateral private.balance_on(r.tenant_id, source.source_no, stated.currency,
    r.period_start - 1) opening_balance on true;
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
  select line.currency, source.side,
    coalesce(sum(source.factor * line.amount_minor) filter (where line.value_date < r.period_start),
      0),
    sum(source.factor * line.amount_minor),
    count(*) filter (where line.value_date >= r.period_start)
  from (
    select source.source_no,
      case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
      case source.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs pair
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no
  ) source
  join public.lines line on line.tenant_id = r.tenant_id and line.source_no = source.source_no
    and line.value_date <= r.period_end
  group by line.currency, source.side;
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
    select open_line.currency, open_line.side, sum(open_line.open_minor) as minor
    from private.outstanding_of(r) open_line
    group by open_line.currency, open_line.side
  ), excluded as materialized (
    select exclusion.currency, exclusion.side, sum(exclusion.excluded_minor) as minor
    from public.reconciliations period
    join public.exclusions exclusion on exclusion.tenant_id = period.tenant_id
      and exclusion.reconciliation_id = period.id
    where period.tenant_id = r.tenant_id and period.pair_no = r.pair_no
      and period.period_end <= r.period_end
    group by exclusion.currency, exclusion.side
  ), currencies as (
    select booked_balance.currency from booked booked_balance
    union select explanation.currency from private.statement_explained(r) explanation
  )
  select used.currency, sides.side, coalesce(booked_balance.opening, 0),
    coalesce(booked_balance.closing, 0), coalesce(booked_balance.line_count, 0),
    coalesce(open_sum.minor, 0), coalesce(exclusion_sum.minor, 0),
    stated.opening, stated.closing, stated.stated_on, stated.timing, stated.unaccounted
  from currencies used
  cross join (values ('left'), ('right')) sides (side)
  left join booked booked_balance on booked_balance.currency = used.currency
    and booked_balance.side = sides.side
  left join outstanding open_sum on open_sum.currency = used.currency and open_sum.side = sides.side
  left join excluded exclusion_sum on exclusion_sum.currency = used.currency
    and exclusion_sum.side = sides.side
  left join private.stated_balances(r) stated
    on stated.currency = used.currency and stated.side = sides.side;
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
