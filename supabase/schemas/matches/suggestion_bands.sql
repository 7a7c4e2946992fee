-- Suggestions in bands of a rule and a range of scores: what can be accepted at once, and how
-- precise such suggestions have been.

-- The lower bound of each band of scores; the next one is its upper bound.
create function private.score_bands() returns real[]
language sql immutable set search_path = ''
return array[0, 0.5, 0.8, 0.9, 0.95, 0.99]::real[];

create function private.score_band(score real) returns integer
language plpgsql immutable set search_path = '' as $$
begin
  return width_bucket(coalesce(score, 0), private.score_bands());
end $$;
grant execute on function private.score_bands(), private.score_band(real) to authenticated;

-- The open lines that a suggestion takes, each once.
create function private.suggested_lines(period public.reconciliations)
returns table (currency text, side text, lines bigint, minor numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select open_line.currency, open_line.side, count(*), sum(open_line.open_minor)
  from (
    select distinct suggested_member.line_no
    from public.matches match cross join lateral (
      select member.line_no
      from public.match_members member
      where member.tenant_id = match.tenant_id and member.match_id = match.id offset 0
    ) suggested_member
    where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
      and match.state = 'suggested'
  ) suggested cross join lateral (
    select open_line.currency, open_line.side, open_line.open_minor
    from private.open_lines open_line
    where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
      and open_line.line_no = suggested.line_no offset 0
  ) open_line
  group by open_line.currency, open_line.side;
end $$;
grant execute on function private.suggested_lines(public.reconciliations) to authenticated;

-- The most probable first. input: { id }, the reconciliation's. The precision comes from what
-- people decided one by one on proposals of the rule and band, not from what they decided in bulk.
-- `suggested`: the open lines that any suggestion takes. Refuses: not_found, conflict.
create function public.list_suggestion_bands(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  bands constant real[] := private.score_bands();
  period public.reconciliations;
begin
  perform private.begin_request(request, 'list_suggestion_bands');
  period := private.find_period(input ->> 'id');
  return (
    with suggested as (
      select match.method, private.score_band(match.score) as band, match.currency,
        count(*) as matches, sum(match.amount_minor) as minor
      from public.matches match
        where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
          and match.state = 'suggested'
      group by 1, 2, 3
    ), decided as (
      select match.method, match.band,
        count(*) filter (where match.state = 'confirmed') as confirmed,
        count(*) filter (where match.state <> 'confirmed') as refused
      from (
        select match.method, private.score_band(match.score) as band, match.state,
          count(*) over (partition by match.decided_by, match.decided_at) as together
        from public.matches match
          where match.tenant_id = period.tenant_id and match.pair_no = period.pair_no
            and match.decided_by is not null and match.method <> 'manual'
      ) match where match.together = 1 group by 1, 2
    )
    select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object(
      'method', counted.method, 'score_from', bands[counted.band],
      'score_below', bands[counted.band + 1],
      'count', counted.matches, 'amounts', counted.amounts,
      'confirmed_count', coalesce(decided.confirmed, 0),
      'rejected_count', coalesce(decided.refused, 0))
        order by counted.band desc, counted.matches desc, counted.method),
      '[]'), 'suggested', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object('currency', suggestion.currency, 'side', suggestion.side,
              'line_count', suggestion.lines,
          'open_minor', private.exact_sum(suggestion.minor)) order by suggestion.currency,
            suggestion.side), '[]')
        from private.suggested_lines(period) suggestion))
    from (
      select suggested.method, suggested.band, sum(suggested.matches) as matches,
        jsonb_agg(jsonb_build_object(
        'currency', suggested.currency, 'amount_minor', private.exact_sum(suggested.minor))
          order by suggested.currency) as amounts
      from suggested group by 1, 2
    ) counted left join decided on decided.method = counted.method and decided.band = counted.band
  );
end $$;

-- input: { id, method, score_from, score_below | null }. Returns { count, amounts, items }: a
-- sample of 20, spread evenly from the least to the most probable. Refuses: not_found, conflict.
create function public.sample_suggestions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  period public.reconciliations;
begin
  perform private.begin_request(request, 'sample_suggestions');
  period := private.find_period(input ->> 'id');
  return (
    with found as materialized (
      select match.id, match.currency, match.amount_minor,
        row_number() over (order by match.score, match.id) - 1 as place,
        count(*) over () as total
      from public.matches match
      where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
        and match.state = 'suggested'
        and match.method = input ->> 'method'
        and match.score >= private.score(input ->> 'score_from')
        and (input ->> 'score_below' is null
        or match.score < private.score(input ->> 'score_below'))
    )
    select jsonb_build_object(
      'count', (select count(*) from found),
      'amounts', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object('currency', sampled.currency,
              'amount_minor', private.exact_sum(sampled.minor))
            order by sampled.currency),
          '[]')
        from (select found.currency, sum(found.amount_minor) as minor from found group by 1) sampled
      ),
      'items', (
        select coalesce(jsonb_agg(private.match_json(match) order by found.place), '[]')
        from found join public.matches match on match.tenant_id = period.tenant_id
          and match.id = found.id
        where found.place = 0
          or found.place * 20 / found.total <> (found.place - 1) * 20 / found.total
      )
    )
  );
end $$;
