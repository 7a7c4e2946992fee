-- Statements: what a person signs about a period. Balances, what explains the difference of the two
-- sides, what is outstanding and its age.

-- What was open at the end of a period: now open, or settled by a later period.
create function private.open_in_period(period public.reconciliations)
returns table (tenant_id text, line_no bigint, side text, currency text, value_date date,
  open_minor bigint)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select period.tenant_id, open_part.line_no, open_part.side, open_part.currency,
    open_part.value_date,
    sum(open_part.minor)::bigint
  from (
    select open_line.line_no, open_line.side, open_line.currency, open_line.value_date,
      open_line.open_minor as minor
    from private.open_lines open_line
    where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
      and open_line.value_date <= period.period_end
    union all
    select later_member.line_no, later_member.side, match.currency, line.value_date,
      later_member.allocated_minor
    from public.reconciliations later
    join public.matches match on match.tenant_id = period.tenant_id
      and match.reconciliation_id = later.id and match.state = 'confirmed'
    cross join lateral (
      select member.line_no, member.side, member.allocated_minor
      from public.match_members member
      where member.tenant_id = match.tenant_id and member.match_id = match.id offset 0
    ) later_member
    cross join lateral (
      select line.value_date
      from public.lines line
      where line.tenant_id = match.tenant_id and line.line_no = later_member.line_no
        and line.value_date <= period.period_end offset 0
    ) line
    where later.tenant_id = period.tenant_id and later.pair_no = period.pair_no
      and later.period_start > period.period_end
    union all
    select exclusion.line_no, exclusion.side, exclusion.currency, line.value_date,
      exclusion.excluded_minor
    from public.reconciliations later
    join public.exclusions exclusion on exclusion.tenant_id = period.tenant_id
      and exclusion.reconciliation_id = later.id
    join public.lines line on line.tenant_id = exclusion.tenant_id
      and line.line_no = exclusion.line_no and line.value_date <= period.period_end
    where later.tenant_id = period.tenant_id and later.pair_no = period.pair_no
      and later.period_start > period.period_end
  ) open_part
  group by open_part.line_no, open_part.side, open_part.currency, open_part.value_date;
end $$;

-- For an open period as it is now, for a closed one as of its close.
create function private.outstanding_lines(period public.reconciliations)
returns table (tenant_id text, line_no bigint, side text, currency text, value_date date,
  open_minor bigint)
language plpgsql stable set search_path = '' as $$
begin
  if period.closed_at is null then
    return query select * from private.open_in_period(period);
  else
    return query select carried_line.tenant_id, carried_line.line_no, carried_line.side,
      carried_line.currency, carried_line.value_date, carried_line.open_minor
    from public.carried_lines carried_line where carried_line.tenant_id = period.tenant_id
      and carried_line.reconciliation_id = period.id;
  end if;
end $$;

-- The balances that the sources of a period state for its start and end, with the signs of the
-- statement. `timing`: what was booked by its end with a later value date, less the reverse.
-- `unaccounted`: by how much the balances move beyond the lines booked in the period. No row if
-- nothing is stated.
create function private.stated_balances(period public.reconciliations)
returns table (currency text, side text, opening numeric, closing numeric, stated_on date,
  timing numeric, unaccounted numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select stated.currency, source.side, source.factor * opening_balance.minor,
    source.factor * closing_balance.minor, closing_balance.stated_on,
    coalesce((
      select sum(case when line.value_date > period.period_end then source.factor
        else -source.factor end
        * line.amount_minor)
      from public.lines line
      where line.tenant_id = period.tenant_id and line.source_no = source.source_no
        and line.currency = stated.currency
        and line.value_date between period.period_end - 60 and period.period_end + 60
        and (line.booked_date <= period.period_end) <> (line.value_date <= period.period_end)
    ), 0),
    source.factor * (closing_balance.minor - opening_balance.minor
      - private.booked_between(period.tenant_id, source.source_no, stated.currency,
        period.period_start,
        period.period_end))
  from (
    select source.source_no,
      case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
      case source.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs pair
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
  ) source
  cross join lateral (
    select distinct balance.currency from public.source_balances balance
    where balance.tenant_id = period.tenant_id and balance.source_no = source.source_no
  ) stated
  cross join lateral private.balance_on(period.tenant_id, source.source_no, stated.currency,
    period.period_end) closing_balance
  left join lateral private.balance_on(period.tenant_id, source.source_no, stated.currency,
    period.period_start - 1) opening_balance on true;
end $$;
grant execute on function private.stated_balances(public.reconciliations) to authenticated;

-- What every confirmed match up to the end of a period explains, by currency.
create function private.statement_explained(period public.reconciliations)
returns table (currency text, residual numeric, adjusted numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select match.currency, sum(match.residual_minor), sum((
    select coalesce(sum((adjustment ->> 'amount_minor')::bigint), 0)
    from jsonb_array_elements(match.adjustments) adjustment
  ))
  from public.reconciliations
  join public.matches match on match.tenant_id = reconciliations.tenant_id
    and match.reconciliation_id = reconciliations.id
    and match.state = 'confirmed'
  where reconciliations.tenant_id = period.tenant_id and reconciliations.pair_no = period.pair_no
    and reconciliations.period_end <= period.period_end
    and (match.residual_minor <> 0 or match.adjustments <> '[]')
  group by match.currency;
end $$;

-- What the lines of each side add up to at the end of a period, by currency, with the signs of the
-- statement: before the period, in total, and how many lines are in it.
create function private.booked_balances(period public.reconciliations)
returns table (currency text, side text, opening numeric, closing numeric, line_count bigint)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select line.currency, source.side,
    coalesce(sum(source.factor * line.amount_minor) filter (where line.value_date
      < period.period_start),
      0),
    sum(source.factor * line.amount_minor),
    count(*) filter (where line.value_date >= period.period_start)
  from (
    select source.source_no,
      case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
      case source.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs pair
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
  ) source
  join public.lines line on line.tenant_id = period.tenant_id and line.source_no = source.source_no
    and line.value_date <= period.period_end
  group by line.currency, source.side;
end $$;

-- The sums of a statement, by currency and side; the stated ones are null where nothing is stated.
create function private.statement_sums(period public.reconciliations)
returns table (currency text, side text, opening numeric, closing numeric, line_count bigint,
  outstanding numeric, excluded numeric, stated_opening numeric, stated_closing numeric,
  stated_on date, timing numeric, unaccounted numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  with booked as materialized (
    select * from private.booked_balances(period)
  ), outstanding as materialized (
    select open_line.currency, open_line.side, sum(open_line.open_minor) as minor
    from private.outstanding_lines(period) open_line
    group by open_line.currency, open_line.side
  ), excluded as materialized (
    select exclusion.currency, exclusion.side, sum(exclusion.excluded_minor) as minor
    from public.reconciliations
    join public.exclusions exclusion on exclusion.tenant_id = reconciliations.tenant_id
      and exclusion.reconciliation_id = reconciliations.id
    where reconciliations.tenant_id = period.tenant_id and reconciliations.pair_no = period.pair_no
      and reconciliations.period_end <= period.period_end
    group by exclusion.currency, exclusion.side
  ), currencies as (
    select booked_balance.currency from booked booked_balance
    union select explanation.currency from private.statement_explained(period) explanation
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
  left join private.stated_balances(period) stated
    on stated.currency = used.currency and stated.side = sides.side;
end $$;

-- { balances, differences } of a statement: its sums by currency and side, and how much of the
-- difference of the sides is explained. `unexplained_minor` is null if a side states no balance.
create function private.statement_totals(period public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    with sums as materialized (
      select *, case sums.side when 'left' then 1 else -1 end as sign
      from private.statement_sums(period) sums
    ), sides as (
      select sums.currency,
        sum(sums.sign * (sums.closing - sums.outstanding - sums.excluded)) as settled,
        case when count(sums.stated_closing) = 2 then
          sum(sums.sign * (sums.stated_closing - sums.timing - sums.outstanding
            - sums.excluded)) end as stated
      from sums
      group by sums.currency
    )
    select jsonb_build_object(
      'balances', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'currency', sums.currency, 'side', sums.side,
          'opening_minor', private.exact_sum(sums.opening),
          'lines_minor', private.exact_sum(sums.closing - sums.opening),
          'line_count', sums.line_count,
          'closing_minor', private.exact_sum(sums.closing),
          'outstanding_minor', private.exact_sum(sums.outstanding),
          'excluded_minor', private.exact_sum(sums.excluded),
          'stated_opening_minor', private.exact_sum(sums.stated_opening),
          'stated_closing_minor', private.exact_sum(sums.stated_closing),
          'stated_on', sums.stated_on, 'timing_minor', private.exact_sum(sums.timing),
          'unaccounted_minor', private.exact_sum(sums.unaccounted)
        ) order by sums.currency, sums.side), '[]')
        from sums
      ),
      'differences', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'currency', sides.currency,
          'adjustments_minor', private.exact_sum(coalesce(explained.adjusted, 0)),
          'residual_minor', private.exact_sum(coalesce(explained.residual, 0)),
          'difference_minor',
          private.exact_sum(sides.settled - coalesce(explained.adjusted + explained.residual, 0)),
          'unexplained_minor',
          private.exact_sum(sides.stated - coalesce(explained.adjusted + explained.residual, 0))
        ) order by sides.currency), '[]')
        from sides left join private.statement_explained(period) explained
          on explained.currency = sides.currency
      )
    )
  );
end $$;

-- { aging, outstanding_count, outstanding }: what is open by age and kind, and the 250 lines with
-- the most money. The sign of a line decides its kind: a receipt, or a payment below zero.
create function private.statement_outstanding(period public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    with outstanding as materialized (
      select outstanding.line_no, outstanding.side, outstanding.open_minor, outstanding.currency,
        period.period_end - outstanding.value_date as age
      from private.outstanding_lines(period) outstanding
    ), aged as (
      select outstanding.currency, outstanding.side, count(*) as line_count,
        sum(outstanding.open_minor) as minor,
        count(*) filter (where outstanding.open_minor < 0) as payments,
        coalesce(sum(outstanding.open_minor) filter (where outstanding.open_minor < 0), 0) as paid,
        case when outstanding.age > 90 then 91 when outstanding.age > 60 then 61
          when outstanding.age > 30 then 31
          when outstanding.age > 7 then 8 else 0 end as days_from
      from outstanding
      group by outstanding.currency, outstanding.side, days_from
    )
    select jsonb_build_object(
      'aging', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'currency', aged.currency, 'side', aged.side, 'days_from', aged.days_from,
          'line_count', aged.line_count, 'open_minor', private.exact_sum(aged.minor),
          'receipt_count', aged.line_count - aged.payments,
          'receipt_minor', private.exact_sum(aged.minor - aged.paid),
          'payment_count', aged.payments, 'payment_minor', private.exact_sum(aged.paid)
        ) order by aged.currency, aged.side, aged.days_from), '[]')
        from aged
      ),
      'outstanding_count', (select count(*) from outstanding),
      'outstanding', (
        select coalesce(
          jsonb_agg(private.outstanding_json(period, summed.line_no, summed.side, summed.open_minor)
            order by summed.place),
          '[]')
        from (
          select outstanding.*, row_number() over (order by abs(outstanding.open_minor) desc,
            outstanding.line_no) as place
          from outstanding
        ) summed
        where summed.place <= 250
      )
    )
  );
end $$;

-- { left_kind, right_kind }: the kinds of the period's sources.
create function private.statement_source_kinds(period public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_build_object('left_kind', left_source.kind, 'right_kind', right_source.kind)
    from public.pairs pair
    join public.sources left_source on left_source.tenant_id = pair.tenant_id
      and left_source.source_no = pair.left_source_no
    join public.sources right_source on right_source.tenant_id = pair.tenant_id
      and right_source.source_no = pair.right_source_no
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
  );
end $$;

create function private.statement_json(period public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'reconciliation_id', period.id, 'name', period.name, 'period_start', period.period_start,
    'period_end', period.period_end, 'left_source', period.left_source,
    'right_source', period.right_source,
    'as_of', private.iso(coalesce(period.closed_at, now())),
    'closed_at', private.iso(period.closed_at),
    'closed_by', period.closed_by, 'proof', private.proof_json(period)
  ) || private.statement_source_kinds(period) || private.statement_totals(period)
    || private.statement_outstanding(period)
    || private.statement_items(period);
end $$;

-- One outstanding line, as the statement lists it.
create function private.outstanding_json(period public.reconciliations, line_no bigint, side text,
  open_minor bigint) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_build_object('line_id', private.line_id_text(line.id), 'side', $3,
      'value_date', line.value_date, 'age_days', period.period_end - line.value_date,
      'currency', line.currency, 'open_minor', $4, 'reference', line.reference,
      'counterparty', line.counterparty, 'description', line.description)
    from public.lines line where line.tenant_id = period.tenant_id and line.line_no = $2
  );
end $$;
grant execute on function
  private.open_in_period(public.reconciliations), private.outstanding_lines(public.reconciliations),
  private.statement_explained(public.reconciliations),
  private.booked_balances(public.reconciliations), private.statement_sums(public.reconciliations),
  private.statement_totals(public.reconciliations),
  private.statement_source_kinds(public.reconciliations),
  private.statement_outstanding(public.reconciliations),
  private.statement_json(public.reconciliations),
  private.outstanding_json(public.reconciliations, bigint, text, bigint)
to authenticated;

-- input: { id }, the reconciliation's. For a closed period as of its close. Refuses: not_found,
-- conflict.
create function public.get_statement(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  period public.reconciliations;
begin
  perform private.begin_request(request, 'get_statement');
  period := private.find_period(input ->> 'id');
  if period.closed_at is not null then
    return (select closing.statement from public.closings closing
      where closing.tenant_id = period.tenant_id and closing.reconciliation_id = period.id);
  end if;
  return private.statement_json(period);
end $$;
