-- suggested lines

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.suggested_lines(r public.reconciliations)
 RETURNS TABLE(currency text, side text, lines bigint, minor numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select o.currency, o.side, count(*), sum(o.open_minor)
  from (
    select distinct mm.line_no
    from public.matches m cross join lateral (
      select x.line_no from public.match_members x where x.tenant_id = m.tenant_id and x.match_id = m.id offset 0
    ) mm
    where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested'
  ) s cross join lateral (
    select y.currency, y.side, y.open_minor from private.open_lines y
    where y.tenant_id = r.tenant_id and y.pair_no = r.pair_no and y.line_no = s.line_no offset 0
  ) o
  group by o.currency, o.side;
end $function$;
CREATE OR REPLACE FUNCTION public.list_suggestion_bands(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  bands constant real[] := private.score_bands();
  r public.reconciliations;
begin
  perform private.enter(request, 'list_suggestion_bands');
  r := private.find_period(input ->> 'id');
  return (
    with suggested as (
      select m.method, private.score_band(m.score) as band, m.currency, count(*) as matches, sum(m.amount_minor) as minor
      from public.matches m where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested'
      group by 1, 2, 3
    ), decided as (
      select d.method, d.band, count(*) filter (where d.state = 'confirmed') as confirmed, count(*) filter (where d.state <> 'confirmed') as refused
      from (
        select m.method, private.score_band(m.score) as band, m.state, count(*) over (partition by m.decided_by, m.decided_at) as together
        from public.matches m where m.tenant_id = r.tenant_id and m.pair_no = r.pair_no and m.decided_by is not null and m.method <> 'manual'
      ) d where d.together = 1 group by 1, 2
    )
    select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object(
      'method', s.method, 'score_from', bands[s.band], 'score_below', bands[s.band + 1], 'count', s.matches, 'amounts', s.amounts,
      'confirmed_count', coalesce(d.confirmed, 0), 'rejected_count', coalesce(d.refused, 0)) order by s.band desc, s.matches desc, s.method), '[]'),
      'suggested', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', o.currency, 'side', o.side, 'line_count', o.lines,
          'open_minor', private.exact_sum(o.minor)) order by o.currency, o.side), '[]')
        from private.suggested_lines(r) o))
    from (
      select x.method, x.band, sum(x.matches) as matches, jsonb_agg(jsonb_build_object(
        'currency', x.currency, 'amount_minor', private.exact_sum(x.minor)) order by x.currency) as amounts
      from suggested x group by 1, 2
    ) s left join decided d on d.method = s.method and d.band = s.band
  );
end $function$;
grant execute on function private.suggested_lines(public.reconciliations) to authenticated;
