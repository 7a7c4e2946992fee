alter table private.run_changes
  add column changed_at timestamptz(3) not null default clock_timestamp(),
  add column first_line_no bigint,
  add column last_line_no bigint;
create index matches_weighed on public.matches (tenant_id, reconciliation_id)
where not settled and state = 'confirmed' and decided_by is null;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.count_arrived(text,integer,bigint);
drop function private.mark_pair_changed(text,integer);
drop function private.request_runs(text,integer);
drop function private.lines_arrived(text,integer);
CREATE OR REPLACE FUNCTION private.insert_of_staged(looks boolean)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return $sql$
    with kept as (
      insert into public.lines as line (
        tenant_id, id, source_no, file_line, import_id, external_id, amount_minor, fee_minor,
        currency, value_date, booked_date, reference,
        counterparty, description, group_key, details
      )
      select $1,
        private.line_identity($4, l.key, coalesce(r.nth, 1) - (l.external_id is not null)::integer),
        $2, l.file_line, $3,
        l.external_id, l.amount_minor, l.fee_minor, l.currency, l.value_date, l.booked_date,
        l.reference, l.counterparty, l.description, l.group_key,
        nullif(l.details, '{}')
      from pg_temp.staged_lines l left join pg_temp.repeated_lines r on r.position = l.position
      where l.is_second_pass = $6
        and (l.external_id is null or l.id_is_shared or coalesce(r.nth, 1) = 1)
  $sql$ || case when looks then 'on conflict on constraint lines_pkey do nothing' else '' end
    || $sql$
      returning line.line_no, line.id, line.amount_minor, line.currency, line.value_date
    ), opened as (
      insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor,
        open_minor, value_date)
      select $1, p.pair_no, k.line_no, case p.left_source_no when $2 then 'left' else 'right' end,
        k.currency, effective, effective, k.value_date
      from kept k cross join public.pairs p
      cross join lateral (
        select case $5 when 'inverted' then -k.amount_minor else k.amount_minor end as effective) e
      where p.tenant_id = $1 and $2 in (p.left_source_no, p.right_source_no)
    ), waiting as (
      insert into private.line_spans (tenant_id, source_no, first_line_no, last_line_no)
      select $1, $2, min(k.line_no), max(k.line_no) from kept k having count(*) > 0
    )
    select count(*), case when $3 is null then coalesce(array_agg(k.id), '{}') end,
      min(k.line_no), max(k.line_no)
    from kept k
  $sql$;
end $function$;
CREATE OR REPLACE FUNCTION private.count_arrived(tenant text, source_no integer, accepted bigint, first_line_no bigint, last_line_no bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enforce_quota(tenant, 'lines', accepted);
  update public.sources x
  set line_count = x.line_count + accepted
  where x.tenant_id = tenant and x.source_no = count_arrived.source_no;
  perform private.lines_arrived(tenant, source_no, first_line_no, last_line_no);
  if exists (select from public.period_signatures x
    where x.tenant_id = tenant and x.revoked_at is null) then
    perform private.revoke_signatures_of_source(tenant, source_no,
      (select min(g.value_date) from pg_temp.staged_lines g), 'Lines arrived.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.insert_staged_lines(tenant_id text, source_no integer, import_id text, ids_are_unique boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  s public.sources;
  staged constant bigint := (select count(*) from pg_temp.staged_lines);
  accepted bigint;
  accepted_again bigint;
  kept_ids uuid[];
  first_no bigint;
  last_no bigint;
  first_no_again bigint;
  last_no_again bigint;
  conflict_count bigint := 0;
  conflicts jsonb := '[]';
begin
  perform private.lock_source($1, $2);
  select * into strict s from public.sources x where x.tenant_id = $1 and x.source_no = $2;
  if staged > 10000 then
    analyze pg_temp.staged_lines (key);
  end if;
  if not ids_are_unique then
    perform private.mark_ids_reused_in_file($1, s.id);
  end if;
  perform private.number_repeated_lines(false);
  -- If the source can't have any of them yet, nothing is looked up, which halves the time. If
  -- others add lines to the source at the same time, the lookup is made.
  begin
    execute private.insert_of_staged(s.line_count > 0 or $3 is null)
      into accepted, kept_ids, first_no, last_no
      using $1, $2, $3, s.id, s.sign, false;
  exception when unique_violation then
    execute private.insert_of_staged(true) into accepted, kept_ids, first_no, last_no
      using $1, $2, $3, s.id, s.sign, false;
  end;
  if accepted < staged and not ids_are_unique
    and private.mark_ids_reused_in_source($1, s.id) > 0 then
    perform private.number_repeated_lines(true);
    execute private.insert_of_staged(true)
      into accepted_again, kept_ids, first_no_again, last_no_again
      using $1, $2, $3, s.id, s.sign, true;
    accepted := accepted + accepted_again;
  end if;
  if accepted < staged and ids_are_unique then
    select c.n, c.conflicts into conflict_count, conflicts
    from private.conflicts_of_staged($1, s.id) c;
  end if;
  if accepted > 0 then
    perform private.count_arrived($1, $2, accepted, least(first_no, first_no_again),
      greatest(last_no, last_no_again));
  end if;
  return jsonb_build_object(
    'staged', staged, 'accepted', accepted, 'duplicates', staged - accepted - conflict_count,
    'conflicts', conflicts, 'conflict_count', conflict_count,
    'items', case when $3 is null then private.items_of_staged(s.id, kept_ids) end
  );
end $function$;
CREATE OR REPLACE FUNCTION private.lines_arrived(tenant_id text, source_no integer, first_line_no bigint, last_line_no bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.request_runs(p.tenant_id, p.pair_no, first_line_no, last_line_no) from (
    select x.tenant_id, x.pair_no from public.pairs x
    where x.tenant_id = $1 and $2 in (x.left_source_no, x.right_source_no) order by x.pair_no
  ) p;
end $function$;
CREATE OR REPLACE FUNCTION private.queue_run(tenant text, pair integer, reconciliation text, run text, delay interval)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  job_of_run constant text := 'match:' || coalesce(run, reconciliation);
begin
  perform graphile_worker.add_job('match_pair',
    private.with_request_id(
      jsonb_build_object('tenant_id', tenant, 'reconciliation_id', reconciliation, 'run_id', run)),
    queue_name => 'pair:' || pair, max_attempts => 5, job_key => job_of_run,
    run_at => least(now() + delay, (
      select j.run_at from graphile_worker.jobs j
      where j.key = job_of_run and j.locked_at is null
    )),
    flags => private.job_flags(tenant, 'run') || case when private.is_large(tenant, pair)
      then private.job_flags(tenant, 'large run') end);
end $function$;
CREATE OR REPLACE FUNCTION private.request_runs(tenant text, pair integer, first_line_no bigint DEFAULT NULL::bigint, last_line_no bigint DEFAULT NULL::bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.mark_pair_changed(tenant, pair, first_line_no, last_line_no);
  perform private.queue_run(r.tenant_id, r.pair_no, r.id, null, interval '1 second') from (
    select * from public.reconciliations x
    where x.tenant_id = tenant and x.pair_no = pair and x.auto_run and x.closed_at is null
      and x.status <> 'archived'
      and not private.is_closing(tenant, pair, x.id)
    order by x.period_end
  ) r;
end $function$;
CREATE OR REPLACE FUNCTION private.mark_pair_changed(tenant text, pair integer, first_line_no bigint DEFAULT NULL::bigint, last_line_no bigint DEFAULT NULL::bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.run_changes (tenant_id, reconciliation_id, first_line_no, last_line_no)
  select r.tenant_id, r.id, mark_pair_changed.first_line_no, mark_pair_changed.last_line_no
  from public.reconciliations r
  where r.tenant_id = tenant and r.pair_no = pair and r.closed_at is null
    and r.status <> 'archived'
    and r.id is distinct from current_setting('app.written_by_run_of', true);
end $function$;
CREATE OR REPLACE FUNCTION private.reasons_held_back(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((
    select h.reasons from private.held_back_reasons h
    where h.tenant_id = r.tenant_id and h.reconciliation_id = r.id
  ), '{}');
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
  waiting record;
  begun public.runs;
  last_ended public.runs;
  policy jsonb;
  calendar jsonb;
  circumstances jsonb;
  held_back jsonb;
  is_short boolean;
begin
  select * into r
  from public.reconciliations x
  where x.tenant_id = tenant and x.id = reconciliation;
  waiting := private.run_to_begin(r, asked);
  begun := waiting.run;
  select * into p from public.pairs x where x.tenant_id = tenant and x.pair_no = r.pair_no;
  if waiting.is_over or p.opening is not null or begun.id is null and asked is not null then
    return null;
  end if;
  policy := private.run_policy(p, begun.dry_run);
  calendar := private.open_days(tenant,
    case when begun.dry_run ? 'calendar_id' then begun.dry_run else policy end ->> 'calendar_id');
  circumstances := private.run_conditions(r, p, engine, policy, calendar);
  last_ended := private.newest_run(r, '{done,failed}');
  if begun.dry_run is null and begun.status is distinct from 'running'
    and private.has_nothing_new(r, last_ended, circumstances) then
    if begun.id is null then
      return null;
    elsif last_ended.exceptions_held_back = 0 then
      perform private.end_unchanged_run(tenant, begun.id, last_ended, 0, 0);
      return null;
    end if;
    held_back := private.reasons_held_back(r);
  end if;
  is_short := begun.id is null and private.may_be_short(r, last_ended, circumstances, policy);
  if is_short and not exists (select from private.new_open_lines(r, 1)) then
    perform private.queue_full_run(r);
    return null;
  end if;
  begun := private.start_run(r, p, begun, engine, circumstances, calendar);
  -- held_back: why lines are open, if only exceptions are left to open. short_after: the last run,
  -- if what is new may be decided first.
  return private.run_order(r, p, begun, policy, calendar) || jsonb_build_object(
    'held_back', held_back, 'short_after', case when is_short then to_jsonb(last_ended) end);
end $function$;
CREATE OR REPLACE FUNCTION private.has_fees(tenant text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform
  from public.lines l
  where l.tenant_id = tenant and l.fee_minor <> 0
  order by l.fee_minor
  limit 1;
  return found;
end $function$;
CREATE OR REPLACE FUNCTION private.find_line_fees(tenant text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if not private.has_fees(tenant) then
    return;
  end if;
  insert into pg_temp.line_fees
  select g.line_no, private.fee_of_whole(l.line, g.minor)
  from (select x.line_no, sum(x.minor)::bigint as minor from pg_temp.given_lines x group by 1
    order by 1) g
  join (
    select x.line_no, x as line from public.lines x
    where x.tenant_id = tenant and x.fee_minor <> 0
      and x.line_no = any (array(select y.line_no from pg_temp.given_lines y))
      order by x.line_no
  ) l on l.line_no = g.line_no
  where private.fee_of_whole(l.line, g.minor) <> 0;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_reading(tenant text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  create temp table run_scope on commit drop as select tenant as tenant_id;
  create temp table taken_up (id uuid not null, currency text not null, settled boolean not null)
    on commit drop;
  create temp table given_lines (line_no bigint not null, side text not null, minor bigint not null,
    currency text not null)
    on commit drop;
  create temp table line_fees (line_no bigint not null, minor bigint not null) on commit drop;
end $function$;
CREATE OR REPLACE FUNCTION private.show_lines_to_weigh()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- A partly matched line has its open amount and what its matches took.
  if exists (select from pg_temp.taken_up) then
    create temp view lines_once as select g.line_no, g.side, sum(g.minor)::bigint as minor
      from pg_temp.given_lines g group by 1, 2;
  else
    create temp view lines_once as select g.line_no, g.side, g.minor from pg_temp.given_lines g;
  end if;
  create temp view lines_to_weigh as
  select g.side = 'left' as is_left, g.line_no, l.id, g.minor, l.currency, l.value_date,
    l.booked_date, l.reference, l.counterparty, l.description, l.group_key
  from (select x.line_no, x.side, x.minor from pg_temp.lines_once x order by x.line_no) g
  join (
    select * from public.lines x
    where x.tenant_id = (select s.tenant_id from pg_temp.run_scope s)
      and x.line_no = any (array(select y.line_no from pg_temp.given_lines y))
    order by x.line_no
  ) l on l.line_no = g.line_no;
end $function$;
CREATE OR REPLACE FUNCTION private.show_matches_made()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  create temp view matches_made as
  select m.id, m.state, m.method, m.score, m.currency, m.amount_minor, m.hash_high, m.hash_low,
    mm.line_no, mm.allocated_minor
  from (
    select * from public.matches x
    where x.tenant_id = (select s.tenant_id from pg_temp.run_scope s)
      and x.id = any (array(select y.id from pg_temp.taken_up y))
      order by x.id
  ) m
  join (
    select x.match_id, x.line_no, x.allocated_minor from public.match_members x
    where x.tenant_id = (select s.tenant_id from pg_temp.run_scope s)
      and x.match_id = any (array(select y.id from pg_temp.taken_up y))
    order by x.match_id
  ) mm on mm.match_id = m.id;
end $function$;
CREATE OR REPLACE FUNCTION private.load_run(tenant text, reconciliation text, pair integer, period_end date, is_closed boolean, whole boolean, deducts_fees boolean)
 RETURNS TABLE(left_lines bigint, right_lines bigint)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.plan_by_sets();
  perform private.begin_reading(tenant);
  insert into pg_temp.taken_up
  select m.id, m.currency, false from public.matches m
  where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'confirmed'
    and m.decided_by is null and (whole or not m.settled);
  if is_closed then
    insert into pg_temp.given_lines
    select c.line_no, c.side, c.open_minor, c.currency from public.carried_lines c
    where c.tenant_id = tenant and c.reconciliation_id = reconciliation;
  else
    insert into pg_temp.given_lines
    select o.line_no, o.side, o.open_minor, o.currency from private.open_lines o
    where o.tenant_id = tenant and o.pair_no = pair and o.value_date <= period_end;
  end if;
  perform private.load_lines_of_matches(tenant, false);
  if deducts_fees then
    perform private.find_line_fees(tenant);
  end if;
  if not whole then
    perform private.take_up_settled(tenant, reconciliation);
    perform private.load_lines_of_matches(tenant, true);
  end if;
  perform private.show_lines_to_weigh();
  insert into pg_temp.taken_up
  select m.id, m.currency, false from public.matches m
  where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'suggested';
  perform private.show_matches_made();
  return query
  select count(*) filter (where g.side = 'left'), count(*) filter (where g.side = 'right')
  from pg_temp.given_lines g;
end $function$;
CREATE OR REPLACE FUNCTION private.until_full_run()
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '00:01:00'::interval;
CREATE OR REPLACE FUNCTION private.new_open_lines(r public.reconciliations, most integer)
 RETURNS SETOF private.open_lines
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select distinct o.*
  from private.run_changes c
  cross join lateral (
    select * from private.open_lines x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no
      and x.line_no between c.first_line_no and c.last_line_no and x.value_date <= r.period_end
    limit most
  ) o
  where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
  limit most;
end $function$;
CREATE OR REPLACE FUNCTION private.may_be_short(r public.reconciliations, last_run public.runs, conditions jsonb, policy jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return last_run.status = 'done' and last_run.conditions = may_be_short.conditions
    and not exists (select from private.run_changes c
      where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id and (c.first_line_no is null
        or c.changed_at <= clock_timestamp() - private.until_full_run()))
    and not exists (select from private.decisions d
      where d.tenant_id = r.tenant_id and d.pair_no = r.pair_no)
    -- With its fee, a line has two amounts.
    and (policy ->> 'fees' <> 'deduct' or not private.has_fees(r.tenant_id));
end $function$;
CREATE OR REPLACE FUNCTION private.queue_full_run(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.queue_run(r.tenant_id, r.pair_no, r.id, null, (
    select min(c.changed_at) + private.until_full_run() - now() from private.run_changes c
    where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.load_weighed_lines(r public.reconciliations, minors bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  create temp table weighed on commit drop as
  select m.id, m.currency from public.matches m
  where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed'
    and m.decided_by is null and not m.settled;
  insert into pg_temp.given_lines
  select mm.line_no, mm.side, mm.allocated_minor, w.currency
  from public.match_members mm join pg_temp.weighed w on w.id = mm.match_id
  where mm.tenant_id = r.tenant_id and mm.allocated_minor = any (minors)
    and mm.match_id = any (array(select x.id from pg_temp.weighed x));
  insert into pg_temp.held_lines select g.line_no from pg_temp.given_lines g;
end $function$;
CREATE OR REPLACE FUNCTION private.load_short_run(tenant text, reconciliation text, most integer, OUT left_lines bigint, OUT right_lines bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r constant public.reconciliations := (select x from public.reconciliations x
    where x.tenant_id = tenant and x.id = reconciliation);
  minors bigint[];
begin
  perform private.begin_reading(tenant);
  create temp table held_lines (line_no bigint not null) on commit drop;
  create temp table new_lines on commit drop as
  select x.line_no, x.open_minor from private.new_open_lines(r, most + 1) x;
  minors := array(select distinct n.open_minor from pg_temp.new_lines n);
  if (select count(*) from pg_temp.new_lines) > most then
    return;
  end if;
  perform private.load_weighed_lines(r, minors);
  with found as (
    select o.line_no, o.side, o.open_minor, o.currency, o.amount_minor from private.open_lines o
    where o.tenant_id = tenant and o.pair_no = r.pair_no and o.side = any ('{left,right}')
      and -abs(o.open_minor) = any (array(select -abs(m) from unnest(minors) m))
      and o.open_minor = any (minors) and o.value_date <= r.period_end
    limit most * 5
  ), held as (
    insert into pg_temp.held_lines
    select f.line_no from found f where f.open_minor <> f.amount_minor
  )
  insert into pg_temp.given_lines select f.line_no, f.side, f.open_minor, f.currency from found f;
  perform private.take_up_settled(tenant, reconciliation);
  perform private.load_lines_of_matches(tenant, true);
  if (select count(*) from pg_temp.given_lines) >= most * 5 then
    return;
  end if;
  perform private.show_lines_to_weigh();
  insert into pg_temp.taken_up
  select m.id, m.currency, false from public.matches m
  where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'suggested'
    and m.id = any (array(
      select mm.match_id from public.match_members mm
      where mm.tenant_id = tenant and mm.pair_no = r.pair_no
        and mm.line_no = any (array(select g.line_no from pg_temp.given_lines g))));
  perform private.show_matches_made();
  select count(*) filter (where g.side = 'left'), count(*) filter (where g.side = 'right')
  into left_lines, right_lines
  from pg_temp.given_lines g;
end $function$;
CREATE OR REPLACE FUNCTION private.finish_short_run(tenant text, run text, attempt integer, lines bigint[], outcome jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  x public.runs;
  violations text[];
begin
  perform private.require_attempt(tenant, run, attempt);
  violations := array(
    select format('Match %s does not add up.', m.id)
    from public.matches m
    join private.members_of(tenant, array(
      select mm.match_id from public.match_members mm
      where mm.tenant_id = tenant and mm.line_no = any (lines))) mm on mm.match_id = m.id
    where m.tenant_id = tenant and m.run_id = run
    group by m.id, m.residual_minor
    having sum(case mm.side when 'left' then mm.allocated_minor
      else -mm.allocated_minor end) <> m.residual_minor);
  update public.runs y set
    status = case when cardinality(violations) = 0 then 'done' else 'failed' end, stage = null,
    finished_at = clock_timestamp(),
    failure = case when cardinality(violations) > 0 then
      'An internal check failed after this run. It has been logged: send us the run''s id.' end,
    lines_done = y.lines_total, digest = outcome ->> 'digest',
    suggested_count = (outcome ->> 'suggested_count')::bigint,
    open_count = (outcome ->> 'open_count')::bigint, waterfall = outcome -> 'waterfall',
    changed = outcome -> 'changed',
    exceptions_held_back = (outcome ->> 'exceptions_held_back')::integer
  where y.tenant_id = tenant and y.id = run
  returning * into x;
  perform private.queue_full_run(r) from public.reconciliations r
  where r.tenant_id = tenant and r.id = x.reconciliation_id;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(x)), run);
  return violations;
end $function$;
grant execute on function private.finish_short_run(text,text,integer,bigint[],jsonb) to service_role;
grant execute on function private.load_short_run(text,text,integer) to service_role;
