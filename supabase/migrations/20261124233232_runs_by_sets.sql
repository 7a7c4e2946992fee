-- A run reads by sets, whatever the planner knew before, and has it look at tables where many of a tenant's rows are new.

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.expected_rows(tenant text, of_table text)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  plan json;
begin
  execute format('explain (format json) select from %s where tenant_id = %L', of_table, tenant) into plan;
  return (plan #>> '{0,Plan,Plan Rows}')::bigint;
end $function$;
CREATE OR REPLACE FUNCTION private.look_again(tenant text, anyway boolean DEFAULT false)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
AS $function$
declare
  lines constant bigint := coalesce((select sum(s.line_count) from public.sources s where s.tenant_id = tenant), 0);
  in_pairs constant bigint := coalesce((
    select sum(s.line_count) from public.pairs p join public.sources s on s.tenant_id = p.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
    where p.tenant_id = tenant and p.opening is null), 0);
  matched constant bigint := coalesce((select sum(c.lines) from private.matched_counts c where c.tenant_id = tenant), 0);
  x record;
begin
  for x in
    -- A match has two lines, and seldom more than four.
    select * from (values ('public.lines', lines), ('private.open_lines', in_pairs - matched), ('public.match_members', matched),
      ('public.matches', matched / 4), ('public.exceptions', 0), ('private.exception_lines', 0)) t (of_table, rows)
  loop
    if anyway or x.rows > 10000 and x.rows > (select c.reltuples / 300 from pg_class c where c.oid = x.of_table::regclass)
      and private.expected_rows(tenant, x.of_table) <= x.rows / 4 then
      execute 'analyze ' || x.of_table;
    end if;
  end loop;
exception when lock_not_available then
  null;
end $function$;
CREATE OR REPLACE FUNCTION private.find_open(tenant text, pair integer, line_nos bigint[], minors bigint[])
 RETURNS TABLE(n bigint, minor bigint, place tid, open_minor bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  return query
  select s.n, s.minor, o.place, o.open_minor
  from unnest(line_nos, minors) with ordinality s (line_no, minor, n)
  left join (
    select x.line_no, x.ctid as place, x.open_minor from private.open_lines x
    where x.tenant_id = tenant and x.pair_no = pair and x.line_no = any ((select line_nos)::bigint[]) order by x.line_no
  ) o on o.line_no = s.line_no;
end $function$;
CREATE OR REPLACE FUNCTION private.lower_open(tenant text, pair integer, line_nos bigint[], minors bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  places record;
begin
  select array_agg(o.place) filter (where o.open_minor = o.minor) as whole, array_agg(o.place) filter (where o.open_minor <> o.minor) as part,
    array_agg(o.minor) filter (where o.open_minor <> o.minor) as part_minors
  into places
  from private.find_open(tenant, pair, line_nos, minors) o where o.place is not null;
  delete from private.open_lines o where o.ctid = any (places.whole);
  update private.open_lines o set open_minor = o.open_minor - s.minor
  from unnest(places.part, places.part_minors) as s (place, minor) where o.ctid = s.place;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_run(tenant text, reconciliation text, asked text, engine text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  p public.pairs;
  begun public.runs;
  rule_set public.pair_rules;
  last_run public.runs;
  policy jsonb;
  calendar jsonb;
begin
  select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  select * into begun from public.runs x
  where x.tenant_id = tenant and x.reconciliation_id = reconciliation and x.status in ('queued', 'running')
    and case when asked is null then x.dry_run is null else x.id = asked end
  order by x.id limit 1 for update;
  if r.pair_no is null or r.closed_at is not null and begun.dry_run is null or r.status = 'archived' then
    update public.runs x set status = 'failed', finished_at = now(), failure = 'The period was closed before the run began.'
    where x.tenant_id = tenant and x.id = begun.id;
    return null;
  end if;
  select * into p from public.pairs x where x.tenant_id = tenant and x.pair_no = r.pair_no;
  if p.opening is not null then
    return null;
  end if;
  if begun.id is null then
    if asked is not null then
      return null;
    end if;
    insert into public.runs (tenant_id, reconciliation_id, pair_no) values (tenant, r.id, r.pair_no) returning * into begun;
  end if;
  select * into rule_set from public.pair_rules x where x.tenant_id = tenant and x.pair_no = p.pair_no and x.version = p.rules_version;
  select * into last_run from public.runs x
  where x.tenant_id = tenant and x.reconciliation_id = r.id and x.status = 'done' and x.dry_run is null order by x.id desc limit 1;
  policy := private.default_policy() || coalesce(rule_set.policy, '{}');
  calendar := private.open_days(tenant, case when begun.dry_run ? 'calendar_id' then begun.dry_run else policy end ->> 'calendar_id');
  update public.runs x set status = 'running', stage = 'reading', started_at = now(), rules_version = p.rules_version, engine_version = engine,
    calendar_id = calendar ->> 'calendar_id', calendar_version = (calendar ->> 'calendar_version')::integer, lines_done = 0, lines_total = 0,
    attempt = x.attempt + 1
  where x.tenant_id = tenant and x.id = begun.id returning * into begun;
  return jsonb_build_object(
    'run_id', begun.id, 'attempt', begun.attempt, 'dry_run', begun.dry_run, 'pair_no', p.pair_no, 'lines', (
      select sum(s.line_count) from public.sources s where s.tenant_id = tenant and s.source_no in (p.left_source_no, p.right_source_no)
    ), 'period_end', r.period_end, 'closed', r.closed_at is not null, 'weights', p.weights,
    'rules', coalesce(begun.dry_run -> 'rules', rule_set.rules), 'policy', policy, 'open_days', calendar -> 'open_days',
    -- Whether all that the engine made is weighed again, or what it settled by its first rules stands.
    'whole', begun.dry_run is not null or last_run.id is null or last_run.rules_version is distinct from p.rules_version
      or last_run.engine_version is distinct from engine
      or (last_run.calendar_id, last_run.calendar_version::text) is distinct from (calendar ->> 'calendar_id', calendar ->> 'calendar_version')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.keep_matches(tenant text, reconciliation text, run text, attempt integer, gone uuid[], ids uuid[], states text[], shapes text[], methods text[], settled boolean[], scores real[], margins real[], currencies text[], amounts bigint[], residuals bigint[], explanations jsonb, highs bigint[], lows bigint[], member_ids uuid[], member_lines bigint[], member_sides text[], member_amounts bigint[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  lost uuid[];
  confirmed uuid[];
begin
  r := private.hold_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  if cardinality(gone) > 0 then
    perform private.undo_matches(tenant, array(
      select m.id from public.matches m where m.tenant_id = tenant and m.id = any (gone) and m.decided_by is null), null);
  end if;
  if cardinality(ids) = 0 then
    return 0;
  end if;
  select coalesce(array_agg(distinct member_ids[o.n]), '{}') into lost
  from private.find_open(tenant, r.pair_no, member_lines, member_amounts) o
  where o.place is null or o.minor not between least(o.open_minor, 0) and greatest(o.open_minor, 0);
  insert into public.matches as m (tenant_id, id, pair_no, reconciliation_id, run_id, state, shape, method, settled, score, margin, currency,
    amount_minor, residual_minor, explanation, hash_high, hash_low, created_by)
  select tenant, s.id, r.pair_no, r.id, run, s.state, s.shape, s.method, s.settled, s.score, s.margin, s.currency, s.amount, s.residual,
    explanations -> s.id::text, s.high, s.low, 'system'
  from unnest(ids, states, shapes, methods, settled, scores, margins, currencies, amounts, residuals, highs, lows)
    as s (id, state, shape, method, settled, score, margin, currency, amount, residual, high, low)
  where cardinality(lost) = 0 or s.id <> all (lost)
  -- The same lines and amounts, by another rule.
  on conflict (tenant_id, id) do update set run_id = excluded.run_id, method = excluded.method, settled = excluded.settled, score = excluded.score,
    margin = excluded.margin, explanation = excluded.explanation, hash_high = excluded.hash_high, hash_low = excluded.hash_low
  where m.decided_by is null and m.state = excluded.state;
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, s.match_id, r.pair_no, s.line_no, s.side, s.minor
  from unnest(member_ids, member_lines, member_sides, member_amounts) as s (match_id, line_no, side, minor)
  where cardinality(lost) = 0 or s.match_id <> all (lost);
  confirmed := array(select s.id from unnest(ids, states) as s (id, state) where s.state = 'confirmed' and (cardinality(lost) = 0 or s.id <> all (lost)));
  if cardinality(confirmed) > 0 then
    perform private.take_lines(tenant, r, member_ids, member_lines, member_amounts, confirmed, cardinality(confirmed) = cardinality(ids));
  end if;
  return cardinality(lost);
end $function$;
CREATE OR REPLACE FUNCTION private.members_of(tenant text, match_ids uuid[], until date DEFAULT NULL::date)
 RETURNS TABLE(match_id uuid, line_no bigint, side text, allocated_minor bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  if until is null then
    return query select x.match_id, x.line_no, x.side, x.allocated_minor from public.match_members x
      where x.tenant_id = tenant and x.match_id = any ((select match_ids)::uuid[]) order by x.match_id;
  else
    return query
    with members as materialized (select * from private.members_of(tenant, match_ids))
    select m.match_id, m.line_no, m.side, m.allocated_minor from members m
    join (
      select x.line_no from public.lines x
      where x.tenant_id = tenant and x.line_no = any (array(select y.line_no from members y)) and x.value_date <= until order by x.line_no
    ) l on l.line_no = m.line_no;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.open_without_line(tenant text, pair integer, until date)
 RETURNS TABLE(currency text, side text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  return query
  with open_lines as materialized (
    select x.line_no, x.currency, x.side from private.open_lines x where x.tenant_id = tenant and x.pair_no = pair and x.value_date <= until
  )
  select distinct o.currency, o.side from open_lines o
  left join (
    select x.line_no from public.lines x where x.tenant_id = tenant and x.line_no = any (array(select y.line_no from open_lines y)) order by x.line_no
  ) l on l.line_no = o.line_no
  where l.line_no is null;
end $function$;
CREATE OR REPLACE FUNCTION private.unbalanced_matches(tenant text, reconciliation text, run text)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  return array(
    with made as materialized (
      select m.id, m.residual_minor from public.matches m
      where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.run_id = run and m.state in ('confirmed', 'suggested')
    )
    select m.id from made m join private.members_of(tenant, array(select x.id from made x)) mm on mm.match_id = m.id
    group by m.id, m.residual_minor
    having sum(case mm.side when 'left' then mm.allocated_minor else -mm.allocated_minor end) <> m.residual_minor
    limit 100
  );
end $function$;
CREATE OR REPLACE FUNCTION private.proof_rows(r public.reconciliations)
 RETURNS TABLE(currency text, side text, line_count bigint, lines numeric, matched numeric, excluded numeric, open numeric, adjustments numeric, residual numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with of_pair as materialized (
    select x.id, case when x.id = r.id then 0 when x.period_end < r.period_start then -1 else 1 end as place
    from public.reconciliations x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no
  ), sides as materialized (
    select s.source_no, case s.source_no when p.left_source_no then 'left' else 'right' end as side, case s.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs p join public.sources s on s.tenant_id = p.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
    where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  ), came as (
    select l.currency, s.side, count(*) as line_count, sum(s.factor * l.amount_minor) as minor
    from sides s join public.lines l on l.tenant_id = r.tenant_id and l.source_no = s.source_no and l.value_date <= r.period_end
    group by 1, 2
  ), confirmed as (
    select m.currency, o.place, array_agg(m.id) as ids
    from of_pair o join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = o.id and m.state = 'confirmed'
    group by 1, 2
  ), settled as materialized (
    -- Of what later periods settled only what this one saw.
    select c.currency, mm.side, c.place, sum(mm.allocated_minor) as minor
    from confirmed c cross join lateral private.members_of(r.tenant_id, c.ids, case when c.place = 1 then r.period_end end) mm
    group by 1, 2, 3
  ), taken_out as (
    select x.currency, x.side, o.place, sum(x.excluded_minor) as minor
    from of_pair o join public.exclusions x on x.tenant_id = r.tenant_id and x.reconciliation_id = o.id
    join public.lines l on l.tenant_id = x.tenant_id and l.line_no = x.line_no and l.value_date <= r.period_end
    group by 1, 2, 3
  ), still_open as (
    select o.currency, o.side, sum(o.open_minor) as minor from private.open_lines o
    where o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.value_date <= r.period_end
    group by 1, 2
  ), explained as (
    select m.currency, sum(m.residual_minor) as residual, sum(coalesce(a.minor, 0)) as adjustments
    from public.matches m
    left join lateral (select sum((e ->> 'amount_minor')::bigint) as minor from jsonb_array_elements(m.adjustments) e) a on m.adjustments <> '[]'
    where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed' and (m.residual_minor <> 0 or m.adjustments <> '[]')
    group by 1
  ), rows as (
    select x.currency, s.side from (
      select c.currency from came c union select s.currency from settled s union select o.currency from still_open o
      union select e.currency from explained e
    ) x cross join (values ('left'), ('right')) s (side)
  )
  select w.currency, w.side, coalesce(c.line_count, 0),
    coalesce(c.minor, 0) - coalesce((select sum(s.minor) from settled s where s.currency = w.currency and s.side = w.side and s.place = -1), 0)
      - coalesce((select sum(s.minor) from taken_out s where s.currency = w.currency and s.side = w.side and s.place = -1), 0),
    coalesce((select sum(s.minor) from settled s where s.currency = w.currency and s.side = w.side and s.place = 0), 0),
    coalesce((select sum(s.minor) from taken_out s where s.currency = w.currency and s.side = w.side and s.place = 0), 0),
    coalesce((select s.minor from still_open s where s.currency = w.currency and s.side = w.side), 0)
      + coalesce((select sum(s.minor) from settled s where s.currency = w.currency and s.side = w.side and s.place = 1), 0)
      + coalesce((select sum(s.minor) from taken_out s where s.currency = w.currency and s.side = w.side and s.place = 1), 0),
    case w.side when 'left' then greatest(coalesce(e.adjustments, 0), 0) else greatest(-coalesce(e.adjustments, 0), 0) end,
    case w.side when 'left' then greatest(coalesce(e.residual, 0), 0) else greatest(-coalesce(e.residual, 0), 0) end
  from rows w left join came c on c.currency = w.currency and c.side = w.side left join explained e on e.currency = w.currency
  order by w.currency, w.side;
end $function$;
CREATE OR REPLACE FUNCTION private.proof_json(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
        and not exists (select from without_line o where o.currency = x.currency and o.side = x.side) as holds
      from sums x join (
        select y.currency, sum(case y.side when 'left' then 1 else -1 end * (y.matched - y.adjustments - y.residual)) = 0 as balanced
        from sums y group by y.currency
      ) b on b.currency = x.currency
    )
    select jsonb_build_object(
      'items', coalesce(jsonb_agg(jsonb_build_object('currency', w.currency, 'side', w.side, 'lines', private.exact_sum(w.lines),
        'matched', private.exact_sum(w.matched), 'excluded', private.exact_sum(w.excluded), 'open', private.exact_sum(w.open),
        'adjustments', private.exact_sum(w.adjustments), 'residual', private.exact_sum(w.residual), 'holds', w.holds)
        order by w.currency, w.side), '[]'),
      'holds', coalesce(bool_and(w.holds), not preparing)
    ) from rows w
  );
end $function$;
CREATE OR REPLACE FUNCTION private.violations_of_period(tenant text, reconciliation text, run text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  found text[];
begin
  select * into strict r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  select coalesce(array_agg(format('%s %s: lines are not matched + excluded + open, or the sides do not agree.', p ->> 'currency', p ->> 'side')), '{}')
  into found
  from jsonb_array_elements(private.proof_json(r) -> 'items') p where not (p ->> 'holds')::boolean;
  return found || array(
    select format('Match %s does not add up.', x.id) from unnest(private.unbalanced_matches(tenant, reconciliation, run)) x (id));
end $function$;
CREATE OR REPLACE FUNCTION private.whole_waterfall(r public.reconciliations, rules text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
declare
  people constant integer := 1000;
  excluded constant integer := 1001;
begin
  return (
    -- Of the rules whose matches later runs leave alone there may be a million: each is of two whole lines.
    with settled as materialized (
      select coalesce(array_position(rules, m.method), 999) as place, m.method as rule, m.currency, count(*) as matches, sum(m.amount_minor) as minor
      from public.matches m
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.settled and m.state = 'confirmed' and m.decided_by is null
      group by 1, 2, 3
    ), made as materialized (
      select case when m.decided_by is not null then people else coalesce(array_position(rules, m.method), 999) end as place,
        case when m.decided_by is not null then 'manual' else m.method end as rule, m.id, m.currency
      from public.matches m
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed' and not (m.settled and m.decided_by is null)
    ), taken as materialized (
      select d.place, d.rule, d.currency, mm.line_no, mm.side, mm.allocated_minor as minor
      from made d join private.members_of(r.tenant_id, array(select x.id from made x)) mm on mm.match_id = d.id
      union all
      select excluded, 'excluded', e.currency, e.line_no, e.side, e.excluded_minor
      from public.exclusions e where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id
    ), first_taken as materialized (
      select distinct on (x.line_no) x.place, x.rule, x.side, x.line_no from taken x order by x.line_no, x.place
    ), partly_open as materialized (
      (select o.line_no from private.open_lines o
       where r.closed_at is null and o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.line_no = any (array(select x.line_no from first_taken x))
       order by o.line_no)
      union all
      select c.line_no from public.carried_lines c where r.closed_at is not null and c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
    ), counted as materialized (
      select f.place, f.rule, count(*) filter (where f.side = 'left') as lefts, count(*) filter (where f.side = 'right') as rights
      from first_taken f left join partly_open o on o.line_no = f.line_no
      where o.line_no is null
        -- Of which an exact rule took the rest.
        and (f.place < people or (
          select m.id from (
            select x.match_id from public.match_members x
            where x.tenant_id = r.tenant_id and x.line_no = f.line_no and x.pair_no = r.pair_no offset 0
          ) mm cross join lateral (
            select x.id from public.matches x where x.tenant_id = r.tenant_id and x.id = mm.match_id and x.reconciliation_id = r.id
              and x.settled and x.state = 'confirmed' and x.decided_by is null offset 0
          ) m limit 1
        ) is null)
      group by 1, 2
    ), amounts as materialized (
      select a.place, a.rule, jsonb_agg(jsonb_build_object('currency', a.currency, 'left_minor', private.exact_sum(a.left_minor),
        'right_minor', private.exact_sum(a.right_minor)) order by a.currency) as amounts
      from (
        select z.place, z.rule, z.currency, sum(z.left_minor) as left_minor, sum(z.right_minor) as right_minor from (
          select s.place, s.rule, s.currency, s.minor as left_minor, s.minor as right_minor from settled s
          union all
          select x.place, x.rule, x.currency, case x.side when 'left' then x.minor else 0 end, case x.side when 'right' then x.minor else 0 end from taken x
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
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested' group by 1
    ), steps as (
      select n.place::integer as place, n.rule, 'rule' as kind from unnest(rules) with ordinality n (rule, place)
      union
      select m.place, m.rule, 'rule' from matched m where m.place = 999
      union all
      values (people, 'manual', 'people'), (excluded, 'excluded', 'excluded')
    )
    select jsonb_agg(jsonb_build_object('kind', t.kind, 'rule', t.rule, 'matches', coalesce(m.matches, 0),
      'suggested', case t.kind when 'rule' then coalesce(g.suggested, 0) else 0 end,
      'left_lines', coalesce(m.settled, 0) + coalesce(c.lefts, 0), 'right_lines', coalesce(m.settled, 0) + coalesce(c.rights, 0),
      'amounts', coalesce(a.amounts, '[]')) order by t.place, t.rule)
    from steps t
    left join matched m on m.place = t.place and m.rule = t.rule
    left join counted c on c.place = t.place and c.rule = t.rule
    left join amounts a on a.place = t.place and a.rule = t.rule
    left join suggested g on g.rule = t.rule
  );
end $function$;
CREATE OR REPLACE FUNCTION private.lines_past_grace(tenant text, reconciliation text, most integer, OUT lines jsonb, OUT held_back bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
declare
  r public.reconciliations;
begin
  select * into strict r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  -- The last day is looked for once a side, never once a line.
  with due as materialized (
    select case s.source_no when p.left_source_no then 'left' else 'right' end as side,
      private.last_day_of_grace(s, private.policy_of_pair(tenant, r.pair_no) ->> 'calendar_id') as day
    from public.pairs p
    join public.sources s on s.tenant_id = tenant and s.source_no in (p.left_source_no, p.right_source_no)
    where p.tenant_id = tenant and p.pair_no = r.pair_no
  ), past_grace as materialized (
    select o.line_no, abs(o.open_minor) as minor
    from due d
    join private.open_lines o on o.tenant_id = tenant and o.pair_no = r.pair_no and o.side = d.side and o.value_date <= r.period_end
      and o.value_date < d.day
  ), suggested as materialized (
    select m.id, abs(m.residual_minor) as minor from public.matches m
    where m.tenant_id = tenant and m.reconciliation_id = r.id and m.state = 'suggested'
  ), overdue as materialized (
    select g.line_no, g.minor, s.match_id
    from past_grace g
    left join (
      select mm.line_no, (array_agg(mm.match_id order by mm.match_id))[1] as match_id
      from private.members_of(tenant, array(select x.id from suggested x)) mm group by mm.line_no
    ) s on s.line_no = g.line_no
    left join (
      select x.line_no from private.exception_lines x
      where x.tenant_id = tenant and x.line_no = any (array(select y.line_no from past_grace y)) and x.pair_no = r.pair_no order by x.line_no
    ) e on e.line_no = g.line_no
    where e.line_no is null
  ), subjects as materialized (
    select null::uuid as match_id, v.line_no, v.minor from overdue v where v.match_id is null
    union all
    select s.id, min(v.line_no), s.minor from overdue v join suggested s on s.id = v.match_id group by s.id, s.minor
  ), chosen as (
    select * from subjects order by minor desc, line_no limit most
  )
  select coalesce(jsonb_agg(private.subject_of_exception(r, c.match_id, array[c.line_no]) order by c.minor desc, c.line_no), '[]'),
    (select count(*) from subjects) - count(*)
  into lines, held_back from chosen c;
end $function$;
CREATE OR REPLACE FUNCTION private.suggested_of(tenant text, reconciliation text)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array(select m.id from public.matches m where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'suggested');
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_exceptions_of(tenant text, reconciliation text)
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select e.* from public.exceptions e
  where e.tenant_id = tenant and e.line_no is not null and e.status in ('open', 'in_review')
    and e.pair_no = (select r.pair_no from public.reconciliations r where r.tenant_id = tenant and r.id = reconciliation);
end $function$;
CREATE OR REPLACE FUNCTION private.point_exceptions_at_suggestions(tenant text, reconciliation text, run text, attempt integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  perform private.require_attempt(tenant, run, attempt);
  with pointing as materialized (
    select e.id, s.match_id
    from private.members_of(tenant, private.suggested_of(tenant, reconciliation)) s
    join private.open_line_exceptions_of(tenant, reconciliation) e on e.line_no = s.line_no and e.suggested_match_id is distinct from s.match_id
  )
  update public.exceptions e set suggested_match_id = p.match_id from pointing p where e.tenant_id = tenant and e.id = p.id;
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_of_matches(tenant text, pair integer, matches uuid[])
 RETURNS TABLE(exception_id text, match_id uuid)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  return query
  with members as materialized (select m.match_id, m.line_no from private.members_of(tenant, matches) m)
  select e.exception_id, (array_agg(m.match_id order by m.match_id))[1]
  from members m join (
    select x.line_no, x.exception_id from private.exception_lines x
    where x.tenant_id = tenant and x.line_no = any (array(select y.line_no from members y)) and x.pair_no = pair order by x.line_no
  ) e on e.line_no = m.line_no
  group by e.exception_id;
end $function$;
CREATE OR REPLACE FUNCTION private.resolve_matched_exceptions(tenant text, pair integer, matches uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.exceptions e set status = 'resolved', resolution = format('Matched by %s.', private.match_id_text(x.match_id)),
    resolved_by_matching = true, suggested_match_id = null
  from private.exceptions_of_matches(tenant, pair, matches) x
  where e.tenant_id = tenant and e.id = x.exception_id and e.status in ('open', 'in_review') and not private.has_open_lines(e);
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_to_regroup(tenant text, reconciliation text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
declare
  r public.reconciliations;
begin
  select * into strict r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  return (
    with held as materialized (
      select mm.match_id, e.id as exception_id, e.line_no, e.grouped_match_id
      from private.members_of(tenant, private.suggested_of(tenant, r.id)) mm
      join private.open_line_exceptions_of(tenant, r.id) e on e.line_no = mm.line_no
    ), put_together as (
      select h.match_id, array_agg(h.exception_id order by h.exception_id) as ids, array_agg(h.line_no order by h.exception_id) as line_nos
      from held h group by h.match_id
      having count(*) > 1 or bool_or(h.grouped_match_id is distinct from h.match_id)
    ), grouped as materialized (
      select e.id, e.line_no, e.grouped_match_id from public.exceptions e
      where e.tenant_id = tenant and e.pair_no = r.pair_no and e.grouped_match_id is not null and e.status in ('open', 'in_review')
    ), left_over as materialized (
      select g.id, g.line_no from grouped g
      left join (
        select x.id from public.matches x
        where x.tenant_id = tenant and x.id = any (array(select y.grouped_match_id from grouped y)) and x.state = 'suggested' order by x.id
      ) m on m.id = g.grouped_match_id
      where m.id is null
    ), changed as (
      select o.ids[1] as exception_id, o.ids[2:] as merged, o.line_nos[1] as line_no, private.subject_of_exception(r, p.match_id, '{}') as subject
      from put_together p cross join lateral (
        select array_agg(i.id order by t.is_own desc, i.id) as ids, array_agg(i.line_no order by t.is_own desc, i.id) as line_nos
        from unnest(p.ids, p.line_nos) i (id, line_no) cross join lateral (select private.has_own_title(tenant, i.id) as is_own) t
      ) o
      union all
      select p.id, '{}', o.line_no, private.subject_of_exception(r, null, array[o.line_no])
      from left_over p cross join lateral (
        select x.line_no from private.exception_lines x cross join lateral (
          select abs(y.open_minor) as minor from private.open_lines y
          where y.tenant_id = tenant and y.pair_no = r.pair_no and y.line_no = x.line_no and y.value_date <= r.period_end offset 0
        ) o
        where x.tenant_id = tenant and x.exception_id = p.id
        order by x.line_no <> p.line_no, o.minor desc, x.line_no limit 1
      ) o
      where not exists (select from held h where h.exception_id = p.id)
    )
    select coalesce(jsonb_agg(c.subject || jsonb_build_object('exception_id', c.exception_id, 'merged', c.merged, 'line_no', c.line_no,
      'severity', e.severity, 'amount_minor', e.amount_minor) order by c.exception_id), '[]')
    from changed c join public.exceptions e on e.tenant_id = tenant and e.id = c.exception_id
    where c.subject -> 'lines' <> 'null'
  );
end $function$;
grant execute on function private.look_again(text,boolean) to service_role;
grant execute on function private.members_of(text,uuid[],date) to authenticated;
grant execute on function private.open_without_line(text,integer,date) to authenticated;
