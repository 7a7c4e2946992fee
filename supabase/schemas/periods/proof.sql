-- Proof: per currency and side, arrived = matched + excluded + open. Computed from the lines
-- themselves, not from counts.

-- For a new tenant or pair, the planner assumes hardly a row, and would read everything for each
-- row of another table. So these functions read the members of many matches, and the lines of many
-- members, once, in the order of their keys, which only one index serves.

-- Members of matches; with `until`, only of lines up to that day.
create function private.members_of(tenant text, match_ids uuid[], until date default null)
returns table (match_id uuid, line_no bigint, side text, allocated_minor bigint)
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
begin
  if until is null then
    return query select member.match_id, member.line_no, member.side, member.allocated_minor
      from public.match_members member
      where member.tenant_id = tenant and member.match_id = any ((select match_ids)::uuid[])
        order by member.match_id;
  else
    return query
    with members as materialized (select * from private.members_of(tenant, match_ids))
    select member.match_id, member.line_no, member.side, member.allocated_minor from members member
    join (
      select line.line_no from public.lines line
      where line.tenant_id = tenant
        and line.line_no = any (array(select member.line_no from members member))
        and line.value_date <= until
        order by line.line_no
    ) line on line.line_no = member.line_no;
  end if;
end $$;

-- What matches took of each side; with `until`, only of lines up to that day. Without it the sums
-- are made while the members are read: a list of a million of them would not fit in memory.
create function private.allocated_amounts(tenant text, match_ids uuid[], until date)
returns table (side text, minor numeric)
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
begin
  if until is null then
    return query select member.side, sum(member.allocated_minor) from public.match_members member
      where member.tenant_id = tenant and member.match_id = any ((select match_ids)::uuid[])
      group by 1;
  else
    return query select member.side, sum(member.allocated_minor)
      from private.members_of(tenant, match_ids, until) member group by 1;
  end if;
end $$;

-- Currencies and sides of open amounts of a pair up to a day that belong to no line.
create function private.open_without_line(tenant text, pair integer,
  until date) returns table (currency text, side text)
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
begin
  return query
  with open_lines as materialized (
    select open_line.line_no, open_line.currency, open_line.side
    from private.open_lines open_line
    where open_line.tenant_id = tenant and open_line.pair_no = pair
      and open_line.value_date <= until
  )
  select distinct open_lines.currency, open_lines.side from open_lines
  left join (
    select line.line_no
    from public.lines line
    where line.tenant_id = tenant
      and line.line_no = any (array(select open_lines.line_no from open_lines))
    order by line.line_no
  ) line on line.line_no = open_lines.line_no
  where line.line_no is null;
end $$;

-- The first hundred matches of a run whose members do not add up to their residual and adjustments.
create function private.unbalanced_matches(tenant text, reconciliation text,
  run text) returns uuid[]
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
begin
  return array(
    with made_matches as materialized (
      select match.id, match.residual_minor + case match.adjustments when '[]' then 0 else (
        select coalesce(sum((adjustment ->> 'amount_minor')::bigint), 0)
        from jsonb_array_elements(match.adjustments) adjustment
      ) end as left_over from public.matches match
      where match.tenant_id = tenant and match.reconciliation_id = reconciliation
        and match.run_id = run
        and match.state in ('confirmed', 'suggested')
    )
    select made_matches.id
    from made_matches
    join private.members_of(tenant, array(select made_matches.id from made_matches)) member
      on member.match_id = made_matches.id
    group by made_matches.id, made_matches.left_over
    having sum(case member.side when 'left' then member.allocated_minor
      else -member.allocated_minor end) <> made_matches.left_over
    limit 100
  );
end $$;
grant execute
  on function private.members_of(text, uuid[], date),
    private.allocated_amounts(text, uuid[], date),
    private.open_without_line(text, integer, date) to authenticated;

-- The lines of a period's pair up to its end, by currency and side, with the signs of the pair.
create function private.lines_up_to_end(period public.reconciliations)
returns table (currency text, side text, line_count bigint, minor numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  with sides as materialized (
    select source.source_no,
      case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
      case source.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs pair
      join public.sources source on source.tenant_id = pair.tenant_id
        and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
  )
  select line.currency, source.side, count(*), sum(source.factor * line.amount_minor)
  from sides source
    join public.lines line on line.tenant_id = period.tenant_id
      and line.source_no = source.source_no
      and line.value_date <= period.period_end
  group by 1, 2;
end $$;

-- What the periods of a pair settled of the lines that this period covers, by currency and side:
-- earlier periods, this one by matches and by exclusions, and later ones.
create function private.settled_around(period public.reconciliations)
returns table (currency text, side text, earlier numeric, matched numeric, excluded numeric,
  later numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  with of_pair as materialized (
    select reconciliations.id,
      case when reconciliations.id = period.id then 0
        when reconciliations.period_end < period.period_start then -1 else 1 end as place
    from public.reconciliations
    where reconciliations.tenant_id = period.tenant_id and reconciliations.pair_no = period.pair_no
  ), confirmed as (
    select match.currency, of_pair.place, array_agg(match.id) as ids
    from of_pair
      join public.matches match on match.tenant_id = period.tenant_id
        and match.reconciliation_id = of_pair.id and match.state = 'confirmed'
    group by 1, 2
  ), settled as (
    -- What later periods settled, only of lines that this period covers.
    select match_group.currency, allocation.side, match_group.place, allocation.minor as matched,
      0 as excluded
    from confirmed match_group
      cross join lateral private.allocated_amounts(period.tenant_id, match_group.ids,
        case when match_group.place = 1 then period.period_end end) allocation
    union all
    select exclusion.currency, exclusion.side, of_pair.place, 0, sum(exclusion.excluded_minor)
    from of_pair
      join public.exclusions exclusion on exclusion.tenant_id = period.tenant_id
        and exclusion.reconciliation_id = of_pair.id
      join public.lines line on line.tenant_id = exclusion.tenant_id
        and line.line_no = exclusion.line_no and line.value_date <= period.period_end
    group by 1, 2, 3
  )
  select settlement.currency, settlement.side,
    coalesce(sum(settlement.matched + settlement.excluded) filter (where settlement.place = -1), 0),
    coalesce(sum(settlement.matched) filter (where settlement.place = 0), 0),
    coalesce(sum(settlement.excluded) filter (where settlement.place = 0), 0),
    coalesce(sum(settlement.matched + settlement.excluded) filter (where settlement.place = 1), 0)
  from settled settlement
  group by 1, 2;
end $$;

-- What explains the differences between the sides of a period's matches, left − right.
create function private.explained_in_period(period public.reconciliations)
returns table (currency text, adjustments numeric, residual numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select match.currency, sum(coalesce(summed.minor, 0)), sum(match.residual_minor)
  from public.matches match
  left join lateral (select sum((adjustment ->> 'amount_minor')::bigint) as minor
    from jsonb_array_elements(match.adjustments) adjustment) summed
    on match.adjustments <> '[]'
  where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
    and match.state = 'confirmed'
    and (match.residual_minor <> 0 or match.adjustments <> '[]')
  group by 1;
end $$;

-- What a period covers: every line of its pair up to its end, less what earlier periods settled.
-- What later periods settled was open in it. Adjustments and residuals count on the side that they
-- make larger.
create function private.proof_rows(period public.reconciliations)
returns table (currency text, side text, line_count bigint, lines numeric, matched numeric,
  excluded numeric, open numeric, adjustments numeric, residual numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  with came as materialized (
    select * from private.lines_up_to_end(period)
  ), settled as materialized (
    select * from private.settled_around(period)
  ), still_open as materialized (
    select open_line.currency, open_line.side, sum(open_line.open_minor) as minor
    from private.open_lines open_line
    where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
      and open_line.value_date <= period.period_end
    group by 1, 2
  ), explained as materialized (
    select explanation.currency, explanation.residual, explanation.adjustments
    from private.explained_in_period(period) explanation
  ), rows as (
    select used.currency, sides.side, case sides.side when 'left' then 1 else -1 end as sign
    from (
      select arrival.currency from came arrival
      union select settlement.currency from settled settlement
      union select open_sum.currency from still_open open_sum
      union select explanation.currency from explained explanation
    ) used cross join (values ('left'), ('right')) sides (side)
  )
  select proof_row.currency, proof_row.side, coalesce(arrival.line_count, 0),
    coalesce(arrival.minor, 0) - coalesce(settlement.earlier, 0), coalesce(settlement.matched, 0),
    coalesce(settlement.excluded, 0), coalesce(open_sum.minor, 0) + coalesce(settlement.later, 0),
    greatest(proof_row.sign * coalesce(explanation.adjustments, 0), 0),
    greatest(proof_row.sign * coalesce(explanation.residual, 0), 0)
  from rows proof_row
    left join came arrival on arrival.currency = proof_row.currency
      and arrival.side = proof_row.side
    left join settled settlement on settlement.currency = proof_row.currency
      and settlement.side = proof_row.side
    left join still_open open_sum on open_sum.currency = proof_row.currency
      and open_sum.side = proof_row.side
    left join explained explanation on explanation.currency = proof_row.currency
  order by proof_row.currency, proof_row.side;
end $$;

-- A sum on the wire: a number while JSON holds it exactly, beyond 2^53 - 1 its digits as a string.
create function private.exact_sum(sum numeric) returns jsonb
language plpgsql immutable set search_path = '' as $$
begin
  return case when abs(sum) <= 9007199254740991 then to_jsonb(sum) else to_jsonb(sum::text) end;
end $$;
grant execute on function private.exact_sum(numeric) to authenticated;

-- { items: [{ currency, side, lines, matched, excluded, open, adjustments, residual, holds }],
-- holds }, in minor units. It holds if lines = matched + excluded + open on each side, matched less
-- what explains it is the same on both sides, and every open amount belongs to a line, since stray
-- amounts could cancel each other. While the pair is being prepared nothing holds, since amounts
-- that are not open yet could cancel each other too.
create function private.proof_json(period public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  preparing constant boolean := private.is_preparing(period.tenant_id, period.pair_no);
begin
  return (
    with sums as materialized (
      select * from private.proof_rows(period)
    ), without_line as materialized (
      select * from private.open_without_line(period.tenant_id, period.pair_no, period.period_end)
    ), rows as (
      select sums.*, not preparing and sums.lines = sums.matched + sums.excluded + sums.open
        and balances.balanced
        and not exists (select from without_line
          where without_line.currency = sums.currency and without_line.side = sums.side) as holds
      from sums join (
        select sums.currency,
          sum(case sums.side when 'left' then 1
            else -1 end * (sums.matched - sums.adjustments - sums.residual)) = 0 as balanced
        from sums group by sums.currency
      ) balances on balances.currency = sums.currency
    )
    select jsonb_build_object(
      'items', coalesce(
        jsonb_agg(
          jsonb_build_object('currency', proof_row.currency, 'side', proof_row.side,
            'lines', private.exact_sum(proof_row.lines),
        'matched', private.exact_sum(proof_row.matched),
        'excluded', private.exact_sum(proof_row.excluded),
        'open', private.exact_sum(proof_row.open),
        'adjustments', private.exact_sum(proof_row.adjustments),
        'residual', private.exact_sum(proof_row.residual),
        'holds', proof_row.holds)
        order by proof_row.currency, proof_row.side), '[]'),
      'holds', coalesce(bool_and(proof_row.holds), not preparing)
    ) from rows proof_row
  );
end $$;

-- One sentence for each invariant that a period and the matches of one of its runs violate; none if
-- all hold.
create function private.violations_of_period(tenant text, reconciliation text,
  run text) returns text[]
language plpgsql stable set search_path = '' as $$
declare
  period public.reconciliations;
  found text[];
begin
  select * into strict period
  from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation;
  select coalesce(
    array_agg(
      format('%s %s: lines are not matched + excluded + open, or the sides do not agree.',
        proof_row ->> 'currency', proof_row ->> 'side')),
    '{}')
  into found
  from jsonb_array_elements(private.proof_json(period) -> 'items') proof_row
  where not (proof_row ->> 'holds')::boolean;
  return found || array(
    select format('Match %s does not add up.', unbalanced.id)
    from unnest(private.unbalanced_matches(tenant, reconciliation, run)) unbalanced (id));
end $$;
grant execute
  on function private.lines_up_to_end(public.reconciliations),
    private.settled_around(public.reconciliations),
    private.explained_in_period(public.reconciliations),
    private.proof_rows(public.reconciliations),
    private.proof_json(public.reconciliations) to authenticated;

-- What a close moves to the next period, and the days until the period is over in the time zones of
-- both its sources; 0 once it is over.
create function private.close_preview(period public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'suggestions_count', (
      select count(*) from public.matches match
      where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
        and match.state = 'suggested'
    ),
    'open_exceptions', (
      select count(*) from public.exceptions exception
      where exception.tenant_id = period.tenant_id and exception.reconciliation_id = period.id
        and exception.line_no is not null and exception.status in ('open', 'in_review')
    ),
    'days_until_over', (
      select greatest(0, period.period_end + 1 - min((now() at time zone source.time_zone)::date))
      from public.sources source
      where source.tenant_id = period.tenant_id
        and source.id in (period.left_source_id, period.right_source_id)
    )
  );
end $$;
grant execute on function private.close_preview(public.reconciliations) to authenticated;

-- input: { id }, the reconciliation's. For a closed period as of its close, and whether the closed
-- data is unchanged. Refuses: not_found, conflict.
create function public.get_proof(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  period public.reconciliations;
begin
  perform private.begin_request(request, 'get_proof');
  period := private.find_period(input ->> 'id');
  if period.closed_at is not null then
    return (
      select closing.statement -> 'proof' || private.close_preview(period)
        || jsonb_build_object('closing', jsonb_build_object(
        'digest', closing.digest, 'holds', closing.digest = private.closing_digest(period.tenant_id,
          period.id)))
      from public.closings closing where closing.tenant_id = period.tenant_id
        and closing.reconciliation_id = period.id
    );
  end if;
  return private.proof_json(period) || private.close_preview(period) || '{"closing": null}';
end $$;
