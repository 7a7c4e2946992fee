-- What a run closes is no longer compared each with each; exceptions are described set by set; matches that are new are inserted without a look for old ones.
-- contracts: subject_of_exception is called by functions alone that are replaced here.

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.subject_of_exception(public.reconciliations,uuid,bigint[]);
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
  if cardinality(member_ids) = 0 then
    update public.matches m set run_id = run, method = s.method, settled = s.settled, score = s.score, margin = s.margin,
      explanation = explanations -> s.id::text, hash_high = s.high, hash_low = s.low
    from unnest(ids, states, methods, keep_matches.settled, scores, margins, highs, lows) as s (id, state, method, settled, score, margin, high, low)
    where m.tenant_id = tenant and m.id = s.id and m.decided_by is null and m.state = s.state;
    return 0;
  end if;
  select coalesce(array_agg(distinct member_ids[o.n]), '{}') into lost
  from private.find_open(tenant, r.pair_no, member_lines, member_amounts) o
  where o.place is null or o.minor not between least(o.open_minor, 0) and greatest(o.open_minor, 0);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, run_id, state, shape, method, settled, score, margin, currency,
    amount_minor, residual_minor, explanation, hash_high, hash_low, created_by)
  select tenant, s.id, r.pair_no, r.id, run, s.state, s.shape, s.method, s.settled, s.score, s.margin, s.currency, s.amount, s.residual,
    explanations -> s.id::text, s.high, s.low, 'system'
  from unnest(ids, states, shapes, methods, settled, scores, margins, currencies, amounts, residuals, highs, lows)
    as s (id, state, shape, method, settled, score, margin, currency, amount, residual, high, low)
  where cardinality(lost) = 0 or s.id <> all (lost);
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
CREATE OR REPLACE FUNCTION private.record_updated_exceptions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- Before and after come together by grouping. Joined, each would be compared with each: the plan that is kept was made for the one row that came first.
  insert into public.exception_history (tenant_id, exception_id, kind, changes)
  select (p.n).tenant_id, (p.n).id, 'updated', x.changes
  from (
    select (array_agg(x.e) filter (where x.is_before))[1] as o, (array_agg(x.e) filter (where not x.is_before))[1] as n
    from (
      select row(b.*)::public.exceptions as e, true as is_before from before_update b union all select row(a.*)::public.exceptions, false from after_update a
    ) x
    group by (x.e).tenant_id, (x.e).id
  ) p
  cross join lateral (select private.changes(private.exception_facts(p.o), private.exception_facts(p.n)) as changes) x
  where x.changes is not null;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.clock_updated_exceptions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c record;
begin
  select
    array_agg(x.tenant_id) filter (where x.kind = 'closed') as closed_tenants, array_agg(x.id) filter (where x.kind = 'closed') as closed_ids,
    array_agg(x.tenant_id) filter (where x.kind = 'moved') as moved_tenants, array_agg(x.id) filter (where x.kind = 'moved') as moved_ids,
    array_agg(x.due_at) filter (where x.kind = 'moved') as moved_due_ats,
    array_agg(x.tenant_id) filter (where x.kind = 'reopened') as reopened_tenants, array_agg(x.id) filter (where x.kind = 'reopened') as reopened_ids,
    array_agg(x.due_at) filter (where x.kind = 'reopened') as reopened_due_ats,
    array_agg(x.tenant_id) as tenants, array_agg(x.id) as ids, array_agg(coalesce(x.held_due_at, x.due_at)) as due_ats,
    array_agg(x.calendar_no) as calendars, array_agg(x.change) as ledger_kinds, array_agg(x.resumed_at) as resumed_ats, array_agg(x.updated_at) as changed_ats
  into c
  from (
    select n.tenant_id, n.id, n.due_at, n.held_due_at, n.calendar_no, n.updated_at, case
      when not o.status in ('open', 'in_review') then 'reopened'
      when not n.status in ('open', 'in_review') then 'closed'
      else 'moved'
    end as kind, case
      when not n.status in ('open', 'in_review') then n.status
      when not o.status in ('open', 'in_review') then 'reopened'
      when n.paused_at is not null and o.paused_at is null then 'paused'
      when o.paused_at is not null and n.paused_at is null then 'resumed'
      when n.calendar_no is distinct from o.calendar_no or n.calendar_no is not null and private.actor() = 'system' then 'recalculated'
      else 'moved'
    end as change,
    case when o.paused_at is not null and n.paused_at is null then o.paused_at + (n.paused_ms - o.paused_ms) * interval '1 millisecond' end as resumed_at
    -- Grouped, not joined: 420_exception_history.sql says why.
    from (
      select (array_agg(x.e) filter (where x.is_before))[1] as o, (array_agg(x.e) filter (where not x.is_before))[1] as n
      from (
      select row(b.*)::public.exceptions as e, true as is_before from before_update b union all select row(a.*)::public.exceptions, false from after_update a
    ) x
      group by (x.e).tenant_id, (x.e).id
    ) p
    cross join lateral (select (p.n).*) n cross join lateral (select (p.o).*) o
    -- What stays closed has no clock, wherever its deadline is moved.
    where (o.status in ('open', 'in_review') or n.status in ('open', 'in_review'))
      and (n.due_at <> o.due_at or (o.status in ('open', 'in_review')) <> (n.status in ('open', 'in_review'))
        or n.held_due_at <> o.held_due_at or n.calendar_no is distinct from o.calendar_no)
  ) x;
  if c.ids is null then
    return null;
  end if;
  perform from unnest(c.closed_tenants || c.moved_tenants, c.closed_ids || c.moved_ids) as asked (tenant_id, exception_id)
  join private.exception_clocks k on k.tenant_id = asked.tenant_id and k.exception_id = asked.exception_id
  order by k.tenant_id, k.exception_id for update of k;
  perform private.pass_business_warnings(c.closed_tenants || c.moved_tenants, c.closed_ids || c.moved_ids);
  if c.closed_ids is not null then
    perform private.stop_clocks(c.closed_tenants, c.closed_ids);
  end if;
  if c.moved_ids is not null then
    perform private.advance_clocks(c.moved_tenants, c.moved_ids, private.own_shard());
  end if;
  -- Closing what is paused ends the pause first.
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, calendar_no)
  select x.tenant_id, x.exception_id, case when k.kind = 'resumed' then x.resumed_at else x.changed_at end, k.kind, x.due_at, x.calendar_no
  from unnest(c.tenants, c.ids, c.ledger_kinds, c.due_ats, c.calendars, c.resumed_ats, c.changed_ats)
    as x (tenant_id, exception_id, kind, due_at, calendar_no, resumed_at, changed_at)
  cross join lateral unnest(case
    when x.resumed_at is not null and x.kind <> 'resumed' then array['resumed', x.kind] else array[x.kind]
  end) with ordinality as k (kind, place)
  order by k.place;
  if c.moved_ids is not null then
    perform private.move_clocks(c.moved_tenants, c.moved_ids, c.moved_due_ats);
  end if;
  if c.reopened_ids is not null then
    perform private.start_clocks(c.reopened_tenants, c.reopened_ids, c.reopened_due_ats);
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.subjects_of_exceptions(r public.reconciliations, suggestions uuid[], line_nos bigint[])
 RETURNS TABLE(n bigint, subject jsonb)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  return query
  with asked as materialized (
    select a.n, a.suggestion, a.line_no from unnest(suggestions, line_nos) with ordinality a (suggestion, line_no, n)
  ), about as materialized (
    select a.n, m.line_no from asked a join private.members_of(r.tenant_id, suggestions) m on m.match_id = a.suggestion
    union
    select a.n, a.line_no from asked a where a.line_no is not null
  ), open_ones as materialized (
    select x.line_no, x.side, x.currency, x.open_minor, x.value_date from private.open_lines x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.line_no = any (array(select y.line_no from about y)) order by x.line_no
  ), closed as materialized (
    select c.id, c.period_start, c.period_end from public.reconciliations c
    where c.tenant_id = r.tenant_id and c.pair_no = r.pair_no and c.closed_at is not null
  ), late as materialized (
    -- What was there when a period closed was carried. Times of transactions don't say which came first.
    select distinct o.line_no from open_ones o join closed c on o.value_date between c.period_start and c.period_end
    where (
      select k.line_no from public.carried_lines k where k.tenant_id = r.tenant_id and k.reconciliation_id = c.id and k.line_no = o.line_no
    ) is null
  )
  select a.n, jsonb_build_object('match_id', q.suggestion, 'currency', min(o.currency),
    'difference_minor', greatest(-9007199254740991, least(9007199254740991, sum(case o.side when 'left' then o.open_minor else -o.open_minor end))),
    'is_late', bool_or(t.line_no is not null),
    'lines', jsonb_agg(jsonb_build_object('line_no', o.line_no, 'id', private.line_id_text(l.id), 'side', o.side, 'source', s.name,
      'open_minor', o.open_minor, 'value_date', o.value_date, 'reference', coalesce(l.reference, l.external_id, l.counterparty),
      'is_free', e.line_no is null) order by o.side, abs(o.open_minor) desc, o.line_no))
  from about a
  join asked q on q.n = a.n
  join open_ones o on o.line_no = a.line_no
  join (
    select * from public.lines x where x.tenant_id = r.tenant_id and x.line_no = any (array(select y.line_no from open_ones y)) order by x.line_no
  ) l on l.line_no = a.line_no
  join public.sources s on s.tenant_id = r.tenant_id and s.source_no = l.source_no
  left join late t on t.line_no = a.line_no
  left join (
    select x.line_no from private.exception_lines x
    where x.tenant_id = r.tenant_id and x.line_no = any (array(select y.line_no from open_ones y)) and x.pair_no = r.pair_no order by x.line_no
  ) e on e.line_no = a.line_no
  group by a.n, q.suggestion;
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
  ), chosen as materialized (
    select * from subjects order by minor desc, line_no limit most
  )
  select coalesce(jsonb_agg(x.subject order by x.n), '[]'), (select count(*) from subjects) - (select count(*) from chosen)
  into lines, held_back
  from private.subjects_of_exceptions(r, array(select c.match_id from chosen c order by c.minor desc, c.line_no),
    array(select c.line_no from chosen c order by c.minor desc, c.line_no)) x;
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
      select o.ids[1] as exception_id, o.ids[2:] as merged, o.line_nos[1] as line_no, p.match_id
      from put_together p cross join lateral (
        select array_agg(i.id order by t.is_own desc, i.id) as ids, array_agg(i.line_no order by t.is_own desc, i.id) as line_nos
        from unnest(p.ids, p.line_nos) i (id, line_no) cross join lateral (select private.has_own_title(tenant, i.id) as is_own) t
      ) o
      union all
      select p.id, '{}', o.line_no, null
      from left_over p cross join lateral (
        select x.line_no from private.exception_lines x cross join lateral (
          select abs(y.open_minor) as minor from private.open_lines y
          where y.tenant_id = tenant and y.pair_no = r.pair_no and y.line_no = x.line_no and y.value_date <= r.period_end offset 0
        ) o
        where x.tenant_id = tenant and x.exception_id = p.id
        order by x.line_no <> p.line_no, o.minor desc, x.line_no limit 1
      ) o
      where not exists (select from held h where h.exception_id = p.id)
    ), numbered as materialized (
      select row_number() over () as n, c.* from changed c
    )
    select coalesce(jsonb_agg(x.subject || jsonb_build_object('exception_id', c.exception_id, 'merged', c.merged, 'line_no', c.line_no,
      'severity', e.severity, 'amount_minor', e.amount_minor) order by c.exception_id), '[]')
    -- A suggestion has its lines itself.
    from private.subjects_of_exceptions(r, array(select y.match_id from numbered y order by y.n),
      array(select case when y.match_id is null then y.line_no end from numbered y order by y.n)) x
    join numbered c on c.n = x.n
    join public.exceptions e on e.tenant_id = tenant and e.id = c.exception_id
  );
end $function$;
CREATE OR REPLACE FUNCTION private.count_updated_exceptions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c record;
begin
  -- Grouped, not joined: 420_exception_history.sql says why.
  with pairs as (
    select (array_agg(x.e) filter (where x.is_before))[1] as o, (array_agg(x.e) filter (where not x.is_before))[1] as n
    from (
      select row(b.*)::public.exceptions as e, true as is_before from before_update b union all select row(a.*)::public.exceptions, false from after_update a
    ) x
    group by (x.e).tenant_id, (x.e).id
  ), changed as (
    select p.o as before, p.n as after from pairs p
    where ((p.o).status in ('open', 'in_review'), (p.o).due_at, (p.o).assigned_to, (p.o).reconciliation_id, (p.o).currency, (p.o).amount_minor)
      is distinct from ((p.n).status in ('open', 'in_review'), (p.n).due_at, (p.n).assigned_to, (p.n).reconciliation_id, (p.n).currency, (p.n).amount_minor)
  )
  select array_agg(x.tenant_id) as tenants, array_agg(x.due_at) as due_ats, array_agg(x.assigned_to) as assignees,
    array_agg(x.reconciliation_id) as reconciliations, array_agg(x.currency) as currencies, array_agg(x.amount_minor) as amounts,
    array_agg(x.sign) as signs
  into c
  from (select (before).*, -1 as sign from changed union all select (after).*, 1 from changed) x
  where x.status in ('open', 'in_review');
  if c.tenants is not null then
    perform private.count_open(c.tenants, c.due_ats, c.assignees, c.reconciliations, c.currencies, c.amounts, c.signs);
  end if;
  return null;
end $function$;
