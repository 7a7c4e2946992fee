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
create function private.suggested_lines(r public.reconciliations)
returns table (currency text, side text, lines bigint, minor numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select open_line.currency, open_line.side, count(*), sum(open_line.open_minor)
  from (
    select distinct mm.line_no
    from public.matches match cross join lateral (
      select member.line_no
      from public.match_members member
      where member.tenant_id = match.tenant_id and member.match_id = match.id offset 0
    ) mm
    where match.tenant_id = r.tenant_id and match.reconciliation_id = r.id
      and match.state = 'suggested'
  ) suggested cross join lateral (
    select open_line.currency, open_line.side, open_line.open_minor
    from private.open_lines open_line
    where open_line.tenant_id = r.tenant_id and open_line.pair_no = r.pair_no
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
  r public.reconciliations;
begin
  perform private.begin_request(request, 'list_suggestion_bands');
  r := private.find_period(input ->> 'id');
  return (
    with suggested as (
      select m.method, private.score_band(m.score) as band, m.currency, count(*) as matches,
        sum(m.amount_minor) as minor
      from public.matches m
        where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested'
      group by 1, 2, 3
    ), decided as (
      select d.method, d.band, count(*) filter (where d.state = 'confirmed') as confirmed,
        count(*) filter (where d.state <> 'confirmed') as refused
      from (
        select m.method, private.score_band(m.score) as band, m.state,
          count(*) over (partition by m.decided_by, m.decided_at) as together
        from public.matches m
          where m.tenant_id = r.tenant_id and m.pair_no = r.pair_no and m.decided_by is not null
            and m.method <> 'manual'
      ) d where d.together = 1 group by 1, 2
    )
    select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object(
      'method', s.method, 'score_from', bands[s.band], 'score_below', bands[s.band + 1], 'count',
      s.matches, 'amounts', s.amounts,
      'confirmed_count', coalesce(d.confirmed, 0), 'rejected_count', coalesce(d.refused, 0))
        order by s.band desc, s.matches desc, s.method),
      '[]'),
      'suggested', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object('currency', o.currency, 'side', o.side, 'line_count', o.lines,
          'open_minor', private.exact_sum(o.minor)) order by o.currency, o.side), '[]')
        from private.suggested_lines(r) o))
    from (
      select x.method, x.band, sum(x.matches) as matches, jsonb_agg(jsonb_build_object(
        'currency', x.currency, 'amount_minor', private.exact_sum(x.minor))
          order by x.currency) as amounts
      from suggested x group by 1, 2
    ) s left join decided d on d.method = s.method and d.band = s.band
  );
end $$;

-- input: { id, method, score_from, score_below | null }. Returns { count, amounts, items }: a
-- sample of 20, spread evenly from the least to the most probable. Refuses: not_found, conflict.
create function public.sample_suggestions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  r public.reconciliations;
begin
  perform private.begin_request(request, 'sample_suggestions');
  r := private.find_period(input ->> 'id');
  return (
    with found as materialized (
      select m.id, m.currency, m.amount_minor, row_number() over (order by m.score, m.id) - 1 as n,
        count(*) over () as total
      from public.matches m
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested'
        and m.method = input ->> 'method'
        and m.score >= private.score(input ->> 'score_from')
        and (input ->> 'score_below' is null or m.score < private.score(input ->> 'score_below'))
    )
    select jsonb_build_object(
      'count', (select count(*) from found),
      'amounts', (
        select coalesce(
          jsonb_agg(
            jsonb_build_object('currency', x.currency, 'amount_minor', private.exact_sum(x.minor))
            order by x.currency),
          '[]')
        from (select f.currency, sum(f.amount_minor) as minor from found f group by 1) x
      ),
      'items', (
        select coalesce(jsonb_agg(private.match_json(m) order by f.n), '[]')
        from found f join public.matches m on m.tenant_id = r.tenant_id and m.id = f.id
        where f.n = 0 or f.n * 20 / f.total <> (f.n - 1) * 20 / f.total
      )
    )
  );
end $$;
