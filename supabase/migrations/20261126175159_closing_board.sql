-- closing board

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.create_reconciliation(input jsonb)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  pair integer;
  is_open boolean;
  created public.reconciliations;
begin
  if input ->> 'left_source_id' is not null then
    if input ? 'matched_count' or input ? 'unmatched_count' then
      perform private.refuse_conflict('counts_computed',
        'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
    end if;
    select o.pair_no, o.is_open into pair, is_open
    from private.open_pair(input ->> 'left_source_id', input ->> 'right_source_id') o;
  end if;
  insert into public.reconciliations (name, status, period_start, period_end, left_source,
    right_source, matched_count, unmatched_count, pair_no,
    left_source_id, right_source_id, auto_run)
  values (
    input ->> 'name', coalesce(input ->> 'status', 'open'), (input ->> 'period_start')::date,
    (input ->> 'period_end')::date,
    coalesce(input ->> 'left_source',
      (select s.name from public.sources s
        where s.tenant_id = private.tenant_id() and s.id = input ->> 'left_source_id')),
    coalesce(input ->> 'right_source',
      (select s.name from public.sources s
        where s.tenant_id = private.tenant_id() and s.id = input ->> 'right_source_id')),
    coalesce((input ->> 'matched_count')::bigint, 0),
    coalesce((input ->> 'unmatched_count')::bigint, 0), pair,
    input ->> 'left_source_id', input ->> 'right_source_id',
    coalesce((input ->> 'auto_run')::boolean, true)
  )
  returning * into created;
  perform private.record_security_event('reconciliation.created', created.id, null,
    jsonb_build_object('name', created.name, 'period_start', created.period_start,
      'period_end', created.period_end, 'left_source_id', created.left_source_id,
      'right_source_id', created.right_source_id));
  if pair is not null then
    perform private.carry_from_closed(created);
  end if;
  if is_open then
    perform private.request_runs(private.tenant_id(), pair);
  elsif pair is not null then
    perform private.queue_preparing(private.tenant_id(), pair, interval '0');
  end if;
  return created;
end $function$;
CREATE OR REPLACE FUNCTION public.create_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_reconciliation');
  created public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  created := private.create_reconciliation(input);
  return private.finish_request(request,
    private.reconciliation_json(created)
      || jsonb_build_object('version', private.reconciliation_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION private.default_policy()
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '{"fees": "deduct", "checks": {"files": "warn", "balances": "warn", "difference": "warn", "exceptions": "warn", "period_over": "warn", "suggestions": "warn"}, "automatic": "earned", "four_eyes": false, "close_days": 5, "exceptions": {"most_a_run": 1000, "severities": [{"severity": "low", "from_minor": 0}, {"severity": "medium", "from_minor": 100000}, {"severity": "high", "from_minor": 1000000}, {"severity": "critical", "from_minor": 10000000}], "assigned_to": null}, "calendar_id": null, "review_levels": 0}'::jsonb;
CREATE OR REPLACE FUNCTION private.save_matches(tenant text, reconciliation text, run text, attempt integer, gone uuid[], ids uuid[], states text[], shapes text[], methods text[], settled boolean[], scores real[], margins real[], currencies text[], amounts bigint[], residuals bigint[], explanations jsonb, highs bigint[], lows bigint[], member_ids uuid[], member_lines bigint[], member_sides text[], member_amounts bigint[], adjustments jsonb DEFAULT '{}'::jsonb)
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
  r := private.lock_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  if cardinality(gone) > 0 then
    perform private.undo_matches(tenant, array(
      select m.id
      from public.matches m
      where m.tenant_id = tenant and m.id = any (gone) and m.decided_by is null),
        null);
  end if;
  if cardinality(member_ids) = 0 then
    update public.matches m
    set run_id = run, method = s.method, settled = s.settled, score = s.score, margin = s.margin,
      residual_minor = s.residual,
      adjustments = coalesce(save_matches.adjustments -> s.id::text, '[]'),
      explanation = explanations -> s.id::text, hash_high = s.high, hash_low = s.low
    from unnest(ids, states, methods, save_matches.settled, scores, margins, residuals, highs, lows)
      as s (id, state, method, settled, score, margin, residual, high, low)
    where m.tenant_id = tenant and m.id = s.id and m.decided_by is null and m.state = s.state;
    return 0;
  end if;
  select coalesce(array_agg(distinct member_ids[o.n]), '{}') into lost
  from private.find_open(tenant, r.pair_no, member_lines, member_amounts) o
  where o.place is null or o.minor not between least(o.open_minor, 0) and greatest(o.open_minor, 0);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, run_id, state, shape,
    method, settled, score, margin, currency,
    amount_minor, residual_minor, adjustments, explanation, hash_high, hash_low, created_by)
  select tenant, s.id, r.pair_no, r.id, run, s.state, s.shape, s.method, s.settled, s.score,
    s.margin, s.currency, s.amount, s.residual,
    coalesce(save_matches.adjustments -> s.id::text, '[]'), explanations -> s.id::text, s.high,
    s.low, 'system'
  from unnest(ids, states, shapes, methods, settled, scores, margins, currencies, amounts,
    residuals, highs, lows)
    as s (id, state, shape, method, settled, score, margin, currency, amount, residual, high, low)
  where cardinality(lost) = 0 or s.id <> all (lost);
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, s.match_id, r.pair_no, s.line_no, s.side, s.minor
  from unnest(member_ids, member_lines, member_sides, member_amounts) as s (match_id, line_no, side,
    minor)
  where cardinality(lost) = 0 or s.match_id <> all (lost);
  if 'suggested' = any (states) then
    perform private.drop_moved_suggestions(r, member_lines, ids);
  end if;
  confirmed := array(select s.id from unnest(ids, states) as s (id, state)
    where s.state = 'confirmed' and (cardinality(lost) = 0 or s.id <> all (lost)));
  if cardinality(confirmed) > 0 then
    perform private.claim_matched_lines(tenant, r, member_ids, member_lines, member_amounts,
      confirmed, cardinality(confirmed) = cardinality(ids));
  end if;
  return cardinality(lost);
end $function$;
CREATE OR REPLACE FUNCTION private.drop_moved_suggestions(r public.reconciliations, lines bigint[], made uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  moved constant uuid[] := array(
    select m.id from public.matches m
    join public.runs x on x.tenant_id = m.tenant_id and x.id = m.run_id
    where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested'
      and x.reconciliation_id <> r.id and m.id <> all (made)
  );
  twice uuid[];
begin
  if cardinality(moved) = 0 then
    return;
  end if;
  select array_agg(distinct mm.match_id) into twice
  from private.members_of(r.tenant_id, moved) mm where mm.line_no = any (lines);
  if twice is not null then
    perform private.delete_matches(r.tenant_id, twice);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.put_rules(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  dry_run constant boolean := coalesce((input ->> 'dry_run')::boolean, false);
  r public.reconciliations;
  p public.pairs;
  -- What is left out stays.
  policy constant jsonb := coalesce((
    select jsonb_object_agg(k, input -> k)
    from unnest('{automatic,fees,four_eyes,review_levels,close_days,checks,calendar_id,
      exceptions}'::text[]) k
    where input ? k),
      '{}');
begin
  perform private.begin_request(request, 'put_rules');
  r := private.find_period(input ->> 'id');
  if dry_run then
    select * into p from public.pairs x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no;
    return private.rules_json(p) || policy
      || jsonb_build_object('rules', input -> 'rules', 'dry_run', true,
      'run_id', (private.request_run(r.id, private.trial_of(input))).id);
  end if;
  perform private.require_calendar(input);
  p := private.set_rules(r.id, input -> 'rules', policy,
    coalesce((input ->> 'reset_learning')::boolean, false),
    coalesce(input -> 'forget_names', '[]'), request -> 'versions');
  return private.rules_json(p) || jsonb_build_object('dry_run', false, 'run_id', null);
end $function$;
CREATE OR REPLACE FUNCTION private.revoke_signatures(tenant text, periods text[], reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period text;
begin
  for period in
    with revoked as (
      update public.period_signatures s set revoked_at = now(),
        revoked_by = coalesce(private.actor(), 'system'),
        revoked_reason = revoke_signatures.reason
      where s.tenant_id = tenant and s.reconciliation_id = any (periods) and s.revoked_at is null
      returning s.reconciliation_id
    )
    select distinct x.reconciliation_id from revoked x order by 1
  loop
    perform private.record_security_event('reconciliation.signatures_revoked', period, reason, (
      select jsonb_build_object('name', r.name) from public.reconciliations r
      where r.tenant_id = tenant and r.id = period));
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.complete_closing(before public.reconciliations)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  c public.closings;
  r public.reconciliations;
begin
  select * into strict c
  from public.closings x
  where x.tenant_id = before.tenant_id and x.reconciliation_id = before.id;
  delete
  from private.closing_requests q
  where q.tenant_id = before.tenant_id and q.reconciliation_id = before.id;
  perform private.carry_forward(before);
  perform private.sign_statement(c);
  if before.status = 'open' then
    update public.reconciliations x
    set status = 'in_progress'
    where x.tenant_id = before.tenant_id and x.id = before.id;
  end if;
  update public.reconciliations x
  set status = 'completed', closed_at = c.closed_at, closed_by = c.closed_by
  where x.tenant_id = before.tenant_id and x.id = before.id
  returning * into r;
  perform private.complete_last_run(r);
  perform private.record_security_event('reconciliation.closed', r.id, null,
    jsonb_build_object('name', r.name, 'digest', c.digest,
      'open_lines', c.statement -> 'outstanding_count', 'open_money', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', b -> 'currency', 'side',
          b -> 'side', 'open_minor', b -> 'outstanding_minor')), '[]')
        from jsonb_array_elements(c.statement -> 'balances') b
        where b -> 'outstanding_minor' <> '0'
      )));
  perform private.queue_book_recount(r.tenant_id, r.pair_no);
  perform private.emit(r.tenant_id, 'reconciliation.closed',
    jsonb_build_object('reconciliation', private.reconciliation_json(r)));
  return r;
end $function$;
CREATE OR REPLACE FUNCTION private.reopen_period(id text, reason text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  perform private.lock_pair_of($1);
  select * into r
  from public.reconciliations x
  where x.tenant_id = private.tenant_id() and x.id = $1 for no key update;
  if r.closed_at is null then
    perform private.refuse_conflict('not_closed', 'The period is not closed.');
  elsif exists (
    select from public.reconciliations x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_start > r.period_end
      and x.closed_at is not null
  ) then
    perform private.refuse_conflict('later_period_closed',
      'A later period of these sources is closed, and builds on this one. Reopen that one first.');
  end if;
  perform private.require_not_closing(r.tenant_id, r.pair_no);
  perform private.keep_signed_items(r);
  update public.reconciliations x set status = 'in_progress', closed_at = null, closed_by = null
  where x.tenant_id = r.tenant_id and x.id = r.id
  returning * into r;
  perform private.delete_closing(r);
  perform private.bring_back(r);
  perform private.reopen_statement(r, reason);
  perform private.revoke_signatures(r.tenant_id, array[r.id], left('Reopened: ' || reason, 1000));
  perform private.record_security_event('reconciliation.reopened', r.id, reason,
    jsonb_build_object('name', r.name));
  perform private.emit(r.tenant_id, 'reconciliation.reopened',
    jsonb_build_object('reconciliation', private.reconciliation_json(r), 'reason', reason));
  return r;
end $function$;
CREATE OR REPLACE FUNCTION private.business_day_after(tenant text, calendar text, day date, days integer)
 RETURNS date
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  open_days constant jsonb := private.open_days(tenant, calendar) -> 'open_days';
begin
  if days = 0 then
    return day;
  end if;
  return (
    select d::date
    from generate_series(day + 1, day + 731, interval '1 day') d
    cross join lateral (select d::date - date '1970-01-01' as number) x
    where open_days is null and extract(isodow from d) < 6
      or open_days -> 'opened' @> to_jsonb(x.number)
      or open_days -> 'weekdays' @> to_jsonb(extract(isodow from d)::integer)
        and not open_days -> 'closed' @> to_jsonb(x.number)
    order by d offset days - 1 limit 1
  );
end $function$;
CREATE OR REPLACE FUNCTION public.get_closing_board(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'get_closing_board');
  with shown as materialized (
    select p.pair_no, p.opening is not null as is_preparing, l.id as left_id, l.name as left_name,
      r.id as right_id, r.name as right_name,
      private.default_policy() || coalesce(v.policy, '{}') as policy,
      least((now() at time zone l.time_zone)::date, (now() at time zone r.time_zone)::date) as today
    from public.pairs p
    join public.sources l on l.tenant_id = tenant and l.source_no = p.left_source_no
    join public.sources r on r.tenant_id = tenant and r.source_no = p.right_source_no
    left join public.pair_rules v on v.tenant_id = tenant and v.pair_no = p.pair_no
      and v.version = p.rules_version
    where p.tenant_id = tenant and (input -> 'after' ->> 0 is null
      or (l.id, r.id) > (input -> 'after' ->> 0, input -> 'after' ->> 1))
    order by l.id, r.id
    limit page_size + 1
  ), periods as materialized (
    select r, s.is_preparing, s.today, s.policy ->> 'calendar_id' as calendar_id,
      (s.policy ->> 'close_days')::integer as close_days
    from shown s
    join public.reconciliations r on r.tenant_id = tenant and r.pair_no = s.pair_no
      and r.period_end between (input ->> 'from')::date and (input ->> 'to')::date
  ), due_days as materialized (
    select x.calendar_id, x.close_days, x.period_end,
      private.business_day_after(tenant, x.calendar_id, x.period_end, x.close_days) as due_day
    from (select distinct p.calendar_id, p.close_days, (p.r).period_end from periods p) x
  ), cells as materialized (
    select (p.r).pair_no, jsonb_agg(jsonb_build_object(
      'reconciliation_id', (p.r).id, 'name', (p.r).name, 'period_start', (p.r).period_start,
      'period_end', (p.r).period_end, 'state', x.state, 'prepared_by', g.prepared_by,
      'reviewed_by', coalesce(g.reviewed_by, '[]'), 'closed_by', (p.r).closed_by,
      'due_day', d.due_day,
      'overdue', x.state not in ('closed', 'archived') and coalesce(d.due_day < p.today, false),
      'open_lines', coalesce(m.line_count, 0), 'open_money', coalesce(m.sums, '[]'),
      'oldest_days', (p.r).period_end - m.oldest
    ) order by (p.r).period_start) as periods
    from periods p
    join due_days d on d.calendar_id is not distinct from p.calendar_id
      and d.close_days = p.close_days and d.period_end = (p.r).period_end
    -- Sums are looked up period by period: the planner knows no sizes of joined sets, and compares
    -- each of 3,000 periods with each of 3,000 sums.
    cross join lateral (
      select sum(x.line_count) as line_count, min(x.oldest) as oldest,
        jsonb_agg(jsonb_build_object('currency', x.currency, 'side', x.side, 'open_minor',
          private.exact_sum(x.minor)) order by x.currency, x.side) as sums
      from (
        select o.side, o.currency, count(*) as line_count, sum(o.open_minor) as minor,
          min(o.value_date) as oldest
        from private.open_lines o
        where o.tenant_id = tenant and o.pair_no = (p.r).pair_no
          and o.value_date <= (p.r).period_end and (p.r).closed_at is null
        group by 1, 2
        union all
        select c.side, c.currency, count(*), sum(c.open_minor), min(c.value_date)
        from public.carried_lines c
        where c.tenant_id = tenant and c.reconciliation_id = (p.r).id
          and (p.r).closed_at is not null
        group by 1, 2
      ) x
    ) m
    cross join lateral (
      select min(s.signed_by) filter (where s.kind = 'prepared') as prepared_by,
        jsonb_agg(s.signed_by order by s.level) filter (where s.kind = 'reviewed') as reviewed_by,
        count(*) filter (where s.kind = 'reviewed') as reviews
      from public.period_signatures s
      where s.tenant_id = tenant and s.pair_no = (p.r).pair_no
        and s.reconciliation_id = (p.r).id and s.revoked_at is null
    ) g
    cross join lateral (
      select case when (p.r).status = 'archived' then 'archived'
        when (p.r).closed_at is not null then 'closed'
        when p.is_preparing then 'preparing'
        when g.prepared_by is null then 'open'
        when g.reviews > 0 and g.reviews >= private.review_levels(p.r) then 'reviewed'
        else 'prepared' end as state
    ) x
    group by 1
  )
  select jsonb_agg(jsonb_build_object(
    'left_source_id', s.left_id, 'left_source', s.left_name,
    'right_source_id', s.right_id, 'right_source', s.right_name,
    'periods', coalesce(c.periods, '[]')
  ) order by s.left_id, s.right_id) into items
  from shown s left join cells c on c.pair_no = s.pair_no;
  return private.page(items, page_size, 'left_source_id', 'right_source_id');
end $function$;
CREATE OR REPLACE FUNCTION public.list_newest_periods(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  pairs constant jsonb := nullif(input -> 'pairs', 'null');
begin
  perform private.begin_request(request, 'list_newest_periods');
  return (
    select coalesce(jsonb_agg(jsonb_build_object('reconciliation_id', r.id, 'name', r.name,
      'period_start', r.period_start, 'period_end', r.period_end, 'status', r.status,
      'left_source_id', r.left_source_id, 'left_source', r.left_source,
      'right_source_id', r.right_source_id, 'right_source', r.right_source
    ) order by r.left_source_id, r.right_source_id), '[]')
    from public.pairs p
    cross join lateral (
      select * from public.reconciliations x
      where x.tenant_id = tenant and x.pair_no = p.pair_no
      order by x.period_end desc
      limit 1
    ) r
    where p.tenant_id = tenant and (pairs is null or pairs @> jsonb_build_array(
      jsonb_build_object('left_source_id', r.left_source_id, 'right_source_id', r.right_source_id)))
  );
end $function$;
CREATE OR REPLACE FUNCTION public.open_next_periods(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'open_next_periods');
  tenant constant text := private.tenant_id();
  next record;
  created jsonb := '[]';
begin
  if replayed is not null then
    return replayed;
  end if;
  for next in
    select r.pair_no, x.period, jsonb_build_object('left_source_id', r.left_source_id,
      'right_source_id', r.right_source_id, 'left_source', r.left_source, 'right_source',
      r.right_source, 'auto_run', r.auto_run) as pair
    from jsonb_array_elements(input -> 'periods') with ordinality x (period, n)
    join public.reconciliations r on r.tenant_id = tenant and r.id = x.period ->> 'follows'
    -- Two calls lock the pairs in the same order.
    order by r.pair_no, x.n
  loop
    perform private.lock_pair(tenant, next.pair_no);
    continue when exists (
      select from public.reconciliations r
      where r.tenant_id = tenant and r.pair_no = next.pair_no
        and r.period_end >= (next.period ->> 'period_start')::date
    );
    created := created || jsonb_build_array(next.period || jsonb_build_object('reconciliation_id',
      (private.create_reconciliation(next.pair || next.period)).id));
  end loop;
  return private.finish_request(request, jsonb_build_object('items', created, 'skipped',
    input -> 'skipped', 'dry_run', false));
end $function$;
grant execute on function private.business_day_after(text,text,date,integer) to authenticated;
grant execute on function public.get_closing_board(jsonb,jsonb) to authenticated;
grant execute on function public.list_newest_periods(jsonb,jsonb) to authenticated;
grant execute on function public.open_next_periods(jsonb,jsonb) to authenticated;
insert into private.operations select ('(get_closing_board,getClosingBoard,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(get_reconciliation,getStatementPdf,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(get_statement,getStatementPdf,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(list_newest_periods,getClosingBoard,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(list_newest_periods,openNextPeriods,write:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(list_signed_statements,getStatementPdf,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(open_next_periods,openNextPeriods,write:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
