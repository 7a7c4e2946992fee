-- Suggestions for one line on demand: what the engine needs to find counterparts among the open
-- lines near it.

create function private.engine_line(line public.lines, open_minor bigint,
  policy jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object('id', private.line_id_text(line.id), 'handle', line.line_no,
    'amount_minor', open_minor
      - case policy ->> 'fees' when 'deduct' then private.fee_of_whole(line, open_minor) else 0 end,
    'currency', line.currency, 'value_date', line.value_date - date '1970-01-01',
    'booked_date', line.booked_date - date '1970-01-01',
    'reference', line.reference, 'counterparty', line.counterparty, 'description', line.description,
    'group_key', line.group_key);
end $$;
grant execute on function private.engine_line(public.lines, bigint, jsonb) to authenticated;

-- The open lines of the other side in the period, in the line's currency, as the engine reads them:
-- the 200 nearest in amount and the 200 nearest in time.
create function private.suggestion_candidates(period public.reconciliations,
  open_line private.open_lines,
  policy jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    with others as materialized (
      select * from private.open_lines
      where open_lines.tenant_id = period.tenant_id and open_lines.pair_no = period.pair_no
        and open_lines.side <> open_line.side
        and open_lines.currency = open_line.currency and open_lines.value_date <= period.period_end
    ), near as (
      (select others.line_no, others.open_minor from others
        order by abs(others.open_minor - open_line.open_minor), others.line_no limit 200)
      union
      (select others.line_no, others.open_minor from others
        order by abs(others.value_date - open_line.value_date), others.line_no limit 200)
    )
    select coalesce(jsonb_agg(private.engine_line(line, near.open_minor, policy)
      order by near.line_no),
      '[]')
    from near join public.lines line on line.tenant_id = period.tenant_id
      and line.line_no = near.line_no
  );
end $$;

-- [{ left, right }]: the line IDs of the matches with this line that people rejected or undid.
create function private.rejected_matches_of_line(period public.reconciliations, line_no bigint)
returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('left', rejected.lefts, 'right', rejected.rights)),
      '[]')
    from (
      select coalesce(jsonb_agg(private.line_id_text(line.id)) filter (where other.side = 'left'),
        '[]') as lefts,
        coalesce(jsonb_agg(private.line_id_text(line.id)) filter (where other.side = 'right'),
          '[]') as rights
      from public.match_members mine
      join public.matches match on match.tenant_id = mine.tenant_id and match.id = mine.match_id
        and match.decided_by is not null and match.state in ('rejected', 'undone')
      join public.match_members other on other.tenant_id = match.tenant_id
        and other.match_id = match.id
      join public.lines line on line.tenant_id = other.tenant_id and line.line_no = other.line_no
      where mine.tenant_id = period.tenant_id and mine.line_no = rejected_matches_of_line.line_no
        and mine.pair_no = period.pair_no
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
  period public.reconciliations;
  line public.lines;
  open_line private.open_lines;
  pair public.pairs;
  policy jsonb;
begin
  perform private.begin_request(request, 'list_line_suggestions');
  period := private.find_period(
    private.open_period_of_line(input ->> 'id', input ->> 'reconciliation_id'));
  select * into line
  from public.lines
  where lines.tenant_id = period.tenant_id and lines.id = private.line_id(input ->> 'id');
  select * into open_line
  from private.open_lines
  where open_lines.tenant_id = period.tenant_id and open_lines.pair_no = period.pair_no
    and open_lines.line_no = line.line_no;
  select * into pair from public.pairs
  where pairs.tenant_id = period.tenant_id and pairs.pair_no = period.pair_no;
  policy := private.policy_of_pair(period.tenant_id, period.pair_no);
  return jsonb_build_object(
    'reconciliation_id', period.id, 'side', open_line.side, 'weights', pair.weights,
    'open_days', private.open_days(period.tenant_id, policy ->> 'calendar_id') -> 'open_days',
    'line', case when open_line.line_no is not null then private.engine_line(line,
      open_line.open_minor, policy) end,
    'rules', (select rules_version.rules from public.pair_rules rules_version
      where rules_version.tenant_id = period.tenant_id and rules_version.pair_no = period.pair_no
        and rules_version.version = pair.rules_version),
    'candidates', private.suggestion_candidates(period, open_line, policy),
    'rejected', private.rejected_matches_of_line(period, line.line_no)
  );
end $$;
