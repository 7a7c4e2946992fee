-- Waterfalls: where each line of a period went, counted from the books: what each rule matched,
-- what people matched, what is excluded. Together with the open lines they cover all lines of the
-- period, each once, and to the cent the sums of its proof.

-- One step for each of these rules, in their order, and for others whose matches exist; then
-- matches by people and excluded lines: [{ kind, rule, matches, suggested, left_lines, right_lines,
-- amounts }]. A line counts at the first step that took part of it, once none of it is open. For a
-- closed period as of its close. One statement, because every step reads the same matches, of which
-- there may be a million.
create function private.full_waterfall(period public.reconciliations, rules text[]) returns jsonb
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
declare
  people constant integer := 1000;
  excluded constant integer := 1001;
begin
  return (
    -- There may be a million settled matches: each has two whole lines.
    with settled as materialized (
      select coalesce(array_position(rules, match.method), 999) as place, match.method as rule,
        match.currency, count(*) as matches, sum(match.amount_minor) as minor
      from public.matches match
      where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
        and match.settled
        and match.state = 'confirmed' and match.decided_by is null group by 1, 2, 3
    ), made_matches as materialized (
      select case when match.decided_by is not null then people
        else coalesce(array_position(rules, match.method), 999) end as place,
        case when match.decided_by is not null then 'manual' else match.method end as rule,
        match.id, match.currency from public.matches match
      where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
        and match.state = 'confirmed' and not (match.settled and match.decided_by is null)
    ), taken as materialized (
      select match_made.place, match_made.rule, match_made.currency, member.line_no, member.side,
        member.allocated_minor as minor from made_matches match_made
        join private.members_of(period.tenant_id,
          array(select match_made.id from made_matches match_made)) member
          on member.match_id = match_made.id
      union all
      select excluded, 'excluded', exclusion.currency, exclusion.line_no, exclusion.side,
        exclusion.excluded_minor from public.exclusions exclusion
      where exclusion.tenant_id = period.tenant_id and exclusion.reconciliation_id = period.id
    ), first_taken as materialized (
      select distinct on (part.line_no) part.place, part.rule, part.side, part.line_no
      from taken part order by part.line_no, part.place
    ), partly_open as materialized (
      (select open_line.line_no from private.open_lines open_line
       where period.closed_at is null and open_line.tenant_id = period.tenant_id
         and open_line.pair_no = period.pair_no
         and open_line.line_no = any (array(select first_part.line_no from first_taken first_part))
       order by open_line.line_no)
      union all
      select carried_line.line_no from public.carried_lines carried_line
      where period.closed_at is not null and carried_line.tenant_id = period.tenant_id
        and carried_line.reconciliation_id = period.id
    ), counted as materialized (
      select first_part.place, first_part.rule,
        count(*) filter (where first_part.side = 'left') as lefts,
        count(*) filter (where first_part.side = 'right') as rights
      from first_taken first_part
      left join partly_open still_open on still_open.line_no = first_part.line_no
      where still_open.line_no is null
        -- The rest of the line was taken by an exact rule.
        and (first_part.place < people or (
          select whole.id from (
            select member.match_id from public.match_members member
            where member.tenant_id = period.tenant_id and member.line_no = first_part.line_no
              and member.pair_no = period.pair_no offset 0
          ) member cross join lateral (
            select match.id from public.matches match
            where match.tenant_id = period.tenant_id and match.id = member.match_id
              and match.reconciliation_id = period.id and match.settled
              and match.state = 'confirmed'
              and match.decided_by is null offset 0
          ) whole limit 1
        ) is null) group by 1, 2
    ), amounts as materialized (
      select amount.place, amount.rule, jsonb_agg(jsonb_build_object('currency', amount.currency,
        'left_minor', private.exact_sum(amount.left_minor), 'right_minor',
        private.exact_sum(amount.right_minor)) order by amount.currency) as amounts from (
        select part_sum.place, part_sum.rule, part_sum.currency,
          sum(part_sum.left_minor) as left_minor, sum(part_sum.right_minor) as right_minor
        from (
          select whole.place, whole.rule, whole.currency, whole.minor as left_minor,
            whole.minor as right_minor from settled whole
          union all
          select part.place, part.rule, part.currency,
            case part.side when 'left' then part.minor else 0 end,
            case part.side when 'right' then part.minor else 0 end from taken part
        ) part_sum group by 1, 2, 3
      ) amount group by 1, 2
    ), matched as materialized (
      select matching.place, matching.rule, sum(matching.matches) as matches,
        sum(matching.settled) as settled from (
        select whole.place, whole.rule, whole.matches, whole.matches as settled from settled whole
        union all
        select match_made.place, match_made.rule, 1, 0 from made_matches match_made
      ) matching group by 1, 2
    ), suggested as materialized (
      select match.method as rule, count(*) as suggested from public.matches match
      where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
        and match.state = 'suggested' group by 1
    ), steps as (
      select given_rule.place::integer as place, given_rule.rule, 'rule' as kind
      from unnest(rules) with ordinality given_rule (rule, place)
      union
      select matching.place, matching.rule, 'rule' from matched matching where matching.place = 999
      union all
      values (people, 'manual', 'people'), (excluded, 'excluded', 'excluded')
    )
    select jsonb_agg(jsonb_build_object('kind', step.kind, 'rule', step.rule,
      'matches', coalesce(matching.matches, 0),
      'suggested', case step.kind when 'rule' then coalesce(suggestion.suggested, 0) else 0 end,
      'left_lines', coalesce(matching.settled, 0) + coalesce(line_count.lefts, 0),
      'right_lines', coalesce(matching.settled, 0) + coalesce(line_count.rights, 0),
      'amounts', coalesce(amount.amounts, '[]')) order by step.place, step.rule)
    from steps step
    left join matched matching on matching.place = step.place and matching.rule = step.rule
    left join counted line_count on line_count.place = step.place and line_count.rule = step.rule
    left join amounts amount on amount.place = step.place and amount.rule = step.rule
    left join suggested suggestion on suggestion.rule = step.rule
  );
end $$;

-- The names of the rules in a waterfall, in their order.
create function private.rules_of_waterfall(waterfall jsonb) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select listed.step ->> 'rule'
    from jsonb_array_elements(waterfall) with ordinality listed (step, place)
    where coalesce(listed.step ->> 'kind', 'rule') = 'rule' order by listed.place);
end $$;

-- The last run of a closed period shows where its lines are at the close, including what people did
-- after the run.
create function private.complete_last_run(period public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
begin
  update public.runs run
  set waterfall = private.full_waterfall(period, private.rules_of_waterfall(run.waterfall)),
    suggested_count = 0, open_count = (
      select count(*)
      from public.carried_lines carried_line
      where carried_line.tenant_id = period.tenant_id
        and carried_line.reconciliation_id = period.id)
  where run.tenant_id = period.tenant_id and run.id = (
    select newest.id from public.runs newest
    where newest.tenant_id = period.tenant_id and newest.reconciliation_id = period.id
      and newest.status = 'done'
      and newest.dry_run is null
      order by newest.id desc limit 1);
end $$;
