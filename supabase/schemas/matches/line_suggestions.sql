-- Suggestions for one line on demand: what the engine needs to find counterparts among the open
-- lines near it.

create function private.engine_line(l public.lines, open_minor bigint, policy jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object('id', private.line_id_text(l.id), 'handle', l.line_no,
    'amount_minor',
    open_minor
      - case policy ->> 'fees' when 'deduct' then private.fee_of_whole(l, open_minor) else 0 end,
    'currency', l.currency, 'value_date', l.value_date - date '1970-01-01', 'booked_date',
    l.booked_date - date '1970-01-01',
    'reference', l.reference, 'counterparty', l.counterparty, 'description', l.description,
    'group_key', l.group_key);
end $$;
grant execute on function private.engine_line(public.lines, bigint, jsonb) to authenticated;

-- The open lines of the other side in the period, in the line's currency, as the engine reads them:
-- the 200 nearest in amount and the 200 nearest in time.
create function private.suggestion_candidates(r public.reconciliations, o private.open_lines,
  policy jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    with others as materialized (
      select * from private.open_lines x
      where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.side <> o.side
        and x.currency = o.currency and x.value_date <= r.period_end
    ), near as (
      (select x.line_no, x.open_minor from others x
        order by abs(x.open_minor - o.open_minor), x.line_no limit 200)
      union
      (select x.line_no, x.open_minor from others x
        order by abs(x.value_date - o.value_date), x.line_no limit 200)
    )
    select coalesce(jsonb_agg(private.engine_line(c, n.open_minor, policy) order by n.line_no),
      '[]')
    from near n join public.lines c on c.tenant_id = r.tenant_id and c.line_no = n.line_no
  );
end $$;

-- [{ left, right }]: the line IDs of the matches with this line that people rejected or undid.
create function private.rejected_matches_of_line(r public.reconciliations, line_no bigint)
returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('left', rejected.lefts, 'right', rejected.rights)),
      '[]')
    from (
      select coalesce(jsonb_agg(private.line_id_text(ml.id)) filter (where other.side = 'left'),
        '[]') as lefts,
        coalesce(jsonb_agg(private.line_id_text(ml.id)) filter (where other.side = 'right'),
          '[]') as rights
      from public.match_members mine
      join public.matches match on match.tenant_id = mine.tenant_id and match.id = mine.match_id
        and match.decided_by is not null and match.state in ('rejected', 'undone')
      join public.match_members other on other.tenant_id = match.tenant_id
        and other.match_id = match.id
      join public.lines ml on ml.tenant_id = other.tenant_id and ml.line_no = other.line_no
      where mine.tenant_id = r.tenant_id and mine.line_no = rejected_matches_of_line.line_no
        and mine.pair_no = r.pair_no
      group by match.id
    ) rejected
  );
end $$;
grant execute on function
  private.suggestion_candidates(public.reconciliations, private.open_lines, jsonb),
  private.rejected_matches_of_line(public.reconciliations, bigint) to authenticated;

-- input: { id, reconciliation_id }. Refuses: not_found, invalid_request, conflict.
create function public.list_line_suggestions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  r public.reconciliations;
  l public.lines;
  o private.open_lines;
  p public.pairs;
  policy jsonb;
begin
  perform private.begin_request(request, 'list_line_suggestions');
  r := private.find_period(
    private.open_period_of_line(input ->> 'id', input ->> 'reconciliation_id'));
  select * into l
  from public.lines line
  where line.tenant_id = r.tenant_id and line.id = private.line_id(input ->> 'id');
  select * into o
  from private.open_lines open_line
  where open_line.tenant_id = r.tenant_id and open_line.pair_no = r.pair_no
    and open_line.line_no = l.line_no;
  select * into p from public.pairs pair
  where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no;
  policy := private.policy_of_pair(r.tenant_id, r.pair_no);
  return jsonb_build_object(
    'reconciliation_id', r.id, 'side', o.side, 'weights', p.weights,
    'open_days', private.open_days(r.tenant_id, policy ->> 'calendar_id') -> 'open_days',
    'line', case when o.line_no is not null then private.engine_line(l, o.open_minor, policy) end,
    'rules',
    (select rules_version.rules from public.pair_rules rules_version
      where rules_version.tenant_id = r.tenant_id and rules_version.pair_no = r.pair_no
        and rules_version.version = p.rules_version),
    'candidates', private.suggestion_candidates(r, o, policy),
    'rejected', private.rejected_matches_of_line(r, l.line_no)
  );
end $$;
