-- Waterfalls: where each line of a period went, counted from the books: what each rule matched,
-- what people matched, what is excluded. Together with the open lines they cover all lines of the
-- period, each once, and to the cent the sums of its proof.

-- One step for each of these rules, in their order, and for others whose matches exist; then
-- matches by people and excluded lines: [{ kind, rule, matches, suggested, left_lines, right_lines,
-- amounts }]. A line counts at the first step that took part of it, once none of it is open. For a
-- closed period as of its close.
create function private.full_waterfall(r public.reconciliations, rules text[]) returns jsonb
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
declare
  people constant integer := 1000;
  excluded constant integer := 1001;
begin
  return (
    -- There may be a million settled matches: each has two whole lines.
    with settled as materialized (
      select coalesce(array_position(rules, m.method), 999) as place, m.method as rule, m.currency,
        count(*) as matches, sum(m.amount_minor) as minor
      from public.matches m
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.settled
        and m.state = 'confirmed' and m.decided_by is null
      group by 1, 2, 3
    ), made as materialized (
      select case when m.decided_by is not null then people
        else coalesce(array_position(rules, m.method), 999) end as place,
        case when m.decided_by is not null then 'manual' else m.method end as rule, m.id, m.currency
      from public.matches m
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed'
        and not (m.settled and m.decided_by is null)
    ), taken as materialized (
      select d.place, d.rule, d.currency, mm.line_no, mm.side, mm.allocated_minor as minor
      from made d
        join private.members_of(r.tenant_id, array(select x.id from made x)) mm
          on mm.match_id = d.id
      union all
      select excluded, 'excluded', e.currency, e.line_no, e.side, e.excluded_minor
      from public.exclusions e where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id
    ), first_taken as materialized (
      select distinct on (x.line_no) x.place, x.rule, x.side, x.line_no
      from taken x
      order by x.line_no, x.place
    ), partly_open as materialized (
      (select o.line_no from private.open_lines o
       where r.closed_at is null and o.tenant_id = r.tenant_id and o.pair_no = r.pair_no
         and o.line_no = any (array(select x.line_no from first_taken x))
       order by o.line_no)
      union all
      select c.line_no
      from public.carried_lines c
      where r.closed_at is not null and c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
    ), counted as materialized (
      select f.place, f.rule, count(*) filter (where f.side = 'left') as lefts,
        count(*) filter (where f.side = 'right') as rights
      from first_taken f left join partly_open o on o.line_no = f.line_no
      where o.line_no is null
        -- The rest of the line was taken by an exact rule.
        and (f.place < people or (
          select m.id from (
            select x.match_id from public.match_members x
            where x.tenant_id = r.tenant_id and x.line_no = f.line_no
              and x.pair_no = r.pair_no offset 0
          ) mm cross join lateral (
            select x.id
            from public.matches x
            where x.tenant_id = r.tenant_id and x.id = mm.match_id and x.reconciliation_id = r.id
              and x.settled and x.state = 'confirmed' and x.decided_by is null offset 0
          ) m limit 1
        ) is null)
      group by 1, 2
    ), amounts as materialized (
      select a.place, a.rule,
        jsonb_agg(
          jsonb_build_object('currency', a.currency, 'left_minor', private.exact_sum(a.left_minor),
        'right_minor', private.exact_sum(a.right_minor)) order by a.currency) as amounts
      from (
        select z.place, z.rule, z.currency, sum(z.left_minor) as left_minor,
          sum(z.right_minor) as right_minor
        from (
          select s.place, s.rule, s.currency, s.minor as left_minor, s.minor as right_minor
          from settled s
          union all
          select x.place, x.rule, x.currency, case x.side when 'left' then x.minor else 0 end,
            case x.side when 'right' then x.minor else 0 end
          from taken x
        ) z group by 1, 2, 3
      ) a group by 1, 2
    ), matched as materialized (
      select z.place, z.rule, sum(z.matches) as matches, sum(z.settled) as settled from (
        select s.place, s.rule, s.matches, s.matches as settled from settled s
        union all
        select d.place, d.rule, 1, 0 from made d
      ) z group by 1, 2
    ), suggested as materialized (
      select m.method as rule, count(*) as suggested from public.matches m
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested'
        group by 1
    ), steps as (
      select n.place::integer as place, n.rule, 'rule' as kind
      from unnest(rules) with ordinality n (rule, place)
      union
      select m.place, m.rule, 'rule' from matched m where m.place = 999
      union all
      values (people, 'manual', 'people'), (excluded, 'excluded', 'excluded')
    )
    select jsonb_agg(
      jsonb_build_object('kind', t.kind, 'rule', t.rule, 'matches', coalesce(m.matches, 0),
      'suggested', case t.kind when 'rule' then coalesce(g.suggested, 0) else 0 end,
      'left_lines', coalesce(m.settled, 0) + coalesce(c.lefts, 0), 'right_lines',
      coalesce(m.settled, 0) + coalesce(c.rights, 0),
      'amounts', coalesce(a.amounts, '[]')) order by t.place, t.rule)
    from steps t
    left join matched m on m.place = t.place and m.rule = t.rule
    left join counted c on c.place = t.place and c.rule = t.rule
    left join amounts a on a.place = t.place and a.rule = t.rule
    left join suggested g on g.rule = t.rule
  );
end $$;

-- The names of the rules in a waterfall, in their order.
create function private.rules_of_waterfall(waterfall jsonb) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select s.step ->> 'rule' from jsonb_array_elements(waterfall) with ordinality s (step, n)
    where coalesce(s.step ->> 'kind', 'rule') = 'rule' order by s.n);
end $$;

-- The last run of a closed period shows where its lines are at the close, including what people did
-- after the run.
create function private.complete_last_run(r public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
begin
  update public.runs x
  set waterfall = private.full_waterfall(r, private.rules_of_waterfall(x.waterfall)),
    suggested_count = 0, open_count = (
      select count(*)
      from public.carried_lines c
      where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id)
  where x.tenant_id = r.tenant_id and x.id = (
    select y.id from public.runs y
    where y.tenant_id = r.tenant_id and y.reconciliation_id = r.id and y.status = 'done'
      and y.dry_run is null
      order by y.id desc limit 1);
end $$;
