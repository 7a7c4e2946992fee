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
create function private.allocated_in(tenant text, match_ids uuid[], until date)
returns table (side text, minor numeric)
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
begin
  if until is null then
    return query select x.side, sum(x.allocated_minor) from public.match_members x
      where x.tenant_id = tenant and x.match_id = any ((select match_ids)::uuid[])
      group by 1;
  else
    return query select m.side, sum(m.allocated_minor)
      from private.members_of(tenant, match_ids, until) m group by 1;
  end if;
end $$;

-- Currencies and sides of open amounts of a pair up to a day that belong to no line.
create function private.open_without_line(tenant text, pair integer,
  until date) returns table (currency text, side text)
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
begin
  return query
  with open_lines as materialized (
    select x.line_no, x.currency, x.side
    from private.open_lines x
    where x.tenant_id = tenant and x.pair_no = pair and x.value_date <= until
  )
  select distinct o.currency, o.side from open_lines o
  left join (
    select x.line_no
    from public.lines x
    where x.tenant_id = tenant and x.line_no = any (array(select y.line_no from open_lines y))
    order by x.line_no
  ) l on l.line_no = o.line_no
  where l.line_no is null;
end $$;

-- The first hundred matches of a run whose members do not add up to their residual and adjustments.
create function private.unbalanced_matches(tenant text, reconciliation text,
  run text) returns uuid[]
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
begin
  return array(
    with made as materialized (
      select m.id, m.residual_minor + case m.adjustments when '[]' then 0 else (
        select coalesce(sum((a ->> 'amount_minor')::bigint), 0)
        from jsonb_array_elements(m.adjustments) a
      ) end as left_over from public.matches m
      where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.run_id = run
        and m.state in ('confirmed', 'suggested')
    )
    select m.id
    from made m
    join private.members_of(tenant, array(select x.id from made x)) mm on mm.match_id = m.id
    group by m.id, m.left_over
    having sum(case mm.side when 'left' then mm.allocated_minor
      else -mm.allocated_minor end) <> m.left_over
    limit 100
  );
end $$;
grant execute
  on function private.members_of(text, uuid[], date),
    private.allocated_in(text, uuid[], date),
    private.open_without_line(text, integer, date) to authenticated;

-- The lines of a period's pair up to its end, by currency and side, with the signs of the pair.
create function private.lines_up_to_end(r public.reconciliations)
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
    where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no
  )
  select line.currency, source.side, count(*), sum(source.factor * line.amount_minor)
  from sides source
    join public.lines line on line.tenant_id = r.tenant_id and line.source_no = source.source_no
      and line.value_date <= r.period_end
  group by 1, 2;
end $$;

-- What the periods of a pair settled of the lines that this period covers, by currency and side:
-- earlier periods, this one by matches and by exclusions, and later ones.
create function private.settled_around(r public.reconciliations)
returns table (currency text, side text, earlier numeric, matched numeric, excluded numeric,
  later numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  with of_pair as materialized (
    select period.id,
      case when period.id = r.id then 0
        when period.period_end < r.period_start then -1 else 1 end as place
    from public.reconciliations period
    where period.tenant_id = r.tenant_id and period.pair_no = r.pair_no
  ), confirmed as (
    select match.currency, period.place, array_agg(match.id) as ids
    from of_pair period
      join public.matches match on match.tenant_id = r.tenant_id
        and match.reconciliation_id = period.id and match.state = 'confirmed'
    group by 1, 2
  ), settled as (
    -- What later periods settled, only of lines that this period covers.
    select match_group.currency, mm.side, match_group.place, mm.minor as matched, 0 as excluded
    from confirmed match_group
      cross join lateral private.allocated_in(r.tenant_id, match_group.ids,
        case when match_group.place = 1 then r.period_end end) mm
    union all
    select exclusion.currency, exclusion.side, period.place, 0, sum(exclusion.excluded_minor)
    from of_pair period
      join public.exclusions exclusion on exclusion.tenant_id = r.tenant_id
        and exclusion.reconciliation_id = period.id
      join public.lines line on line.tenant_id = exclusion.tenant_id
        and line.line_no = exclusion.line_no and line.value_date <= r.period_end
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
create function private.explained_in_period(r public.reconciliations)
returns table (currency text, adjustments numeric, residual numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select m.currency, sum(coalesce(a.minor, 0)), sum(m.residual_minor)
  from public.matches m
  left join lateral (select sum((e ->> 'amount_minor')::bigint) as minor
    from jsonb_array_elements(m.adjustments) e) a
    on m.adjustments <> '[]'
  where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed'
    and (m.residual_minor <> 0 or m.adjustments <> '[]')
  group by 1;
end $$;

-- What a period covers: every line of its pair up to its end, less what earlier periods settled.
-- What later periods settled was open in it. Adjustments and residuals count on the side that they
-- make larger.
create function private.proof_rows(r public.reconciliations)
returns table (currency text, side text, line_count bigint, lines numeric, matched numeric,
  excluded numeric, open numeric, adjustments numeric, residual numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  with came as materialized (
    select * from private.lines_up_to_end(r)
  ), settled as materialized (
    select * from private.settled_around(r)
  ), still_open as materialized (
    select open_line.currency, open_line.side, sum(open_line.open_minor) as minor
    from private.open_lines open_line
    where open_line.tenant_id = r.tenant_id and open_line.pair_no = r.pair_no
      and open_line.value_date <= r.period_end
    group by 1, 2
  ), explained as materialized (
    select explanation.currency, explanation.residual, explanation.adjustments
    from private.explained_in_period(r) explanation
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
create function private.proof_json(r public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  preparing constant boolean := private.is_preparing(r.tenant_id, r.pair_no);
begin
  return (
    with sums as materialized (
      select * from private.proof_rows(r)
    ), without_line as materialized (
      select * from private.open_without_line(r.tenant_id, r.pair_no, r.period_end)
    ), rows as (
      select x.*, not preparing and x.lines = x.matched + x.excluded + x.open and b.balanced
        and not exists (select from without_line o
          where o.currency = x.currency and o.side = x.side) as holds
      from sums x join (
        select y.currency,
          sum(case y.side when 'left' then 1
            else -1 end * (y.matched - y.adjustments - y.residual)) = 0 as balanced
        from sums y group by y.currency
      ) b on b.currency = x.currency
    )
    select jsonb_build_object(
      'items',
      coalesce(
        jsonb_agg(
          jsonb_build_object('currency', w.currency, 'side', w.side, 'lines',
            private.exact_sum(w.lines),
        'matched', private.exact_sum(w.matched), 'excluded', private.exact_sum(w.excluded), 'open',
        private.exact_sum(w.open),
        'adjustments', private.exact_sum(w.adjustments), 'residual', private.exact_sum(w.residual),
        'holds', w.holds)
        order by w.currency, w.side), '[]'),
      'holds', coalesce(bool_and(w.holds), not preparing)
    ) from rows w
  );
end $$;

-- One sentence for each invariant that a period and the matches of one of its runs violate; none if
-- all hold.
create function private.violations_of_period(tenant text, reconciliation text,
  run text) returns text[]
language plpgsql stable set search_path = '' as $$
declare
  r public.reconciliations;
  found text[];
begin
  select * into strict r
  from public.reconciliations x
  where x.tenant_id = tenant and x.id = reconciliation;
  select coalesce(
    array_agg(
      format('%s %s: lines are not matched + excluded + open, or the sides do not agree.',
        p ->> 'currency', p ->> 'side')),
    '{}')
  into found
  from jsonb_array_elements(private.proof_json(r) -> 'items') p where not (p ->> 'holds')::boolean;
  return found || array(
    select format('Match %s does not add up.', x.id)
    from unnest(private.unbalanced_matches(tenant, reconciliation, run)) x (id));
end $$;
grant execute
  on function private.lines_up_to_end(public.reconciliations),
    private.settled_around(public.reconciliations),
    private.explained_in_period(public.reconciliations),
    private.proof_rows(public.reconciliations),
    private.proof_json(public.reconciliations) to authenticated;

-- What a close moves to the next period, and the days until the period is over in the time zones of
-- both its sources; 0 once it is over.
create function private.close_preview(r public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'suggestions_count', (
      select count(*) from public.matches match
      where match.tenant_id = r.tenant_id and match.reconciliation_id = r.id
        and match.state = 'suggested'
    ),
    'open_exceptions', (
      select count(*) from public.exceptions exception
      where exception.tenant_id = r.tenant_id and exception.reconciliation_id = r.id
        and exception.line_no is not null and exception.status in ('open', 'in_review')
    ),
    'days_until_over', (
      select greatest(0, r.period_end + 1 - min((now() at time zone source.time_zone)::date))
      from public.sources source
      where source.tenant_id = r.tenant_id and source.id in (r.left_source_id, r.right_source_id)
    )
  );
end $$;
grant execute on function private.close_preview(public.reconciliations) to authenticated;

-- input: { id }, the reconciliation's. For a closed period as of its close, and whether the closed
-- data is unchanged. Refuses: not_found, conflict.
create function public.get_proof(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  r public.reconciliations;
begin
  perform private.begin_request(request, 'get_proof');
  r := private.find_period(input ->> 'id');
  if r.closed_at is not null then
    return (
      select c.statement -> 'proof' || private.close_preview(r)
        || jsonb_build_object('closing', jsonb_build_object(
        'digest', c.digest, 'holds', c.digest = private.closing_digest(r.tenant_id, r.id)))
      from public.closings c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
    );
  end if;
  return private.proof_json(r) || private.close_preview(r) || '{"closing": null}';
end $$;
