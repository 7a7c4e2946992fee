-- Running: what a matcher does for a run. It reads what is open and what the engine made before,
-- and stores the difference in chunks of whole matches: after every commit the proof holds, and a
-- matcher that dies leaves nothing half done. Every write names its attempt.

-- The run to begin, locked; without one its fields are null. A run of a period that is closed or
-- closing fails: then `is_over` is true.
create function private.run_to_begin(r public.reconciliations, asked text, out run public.runs,
  out is_over boolean)
language plpgsql volatile set search_path = '' as $$
begin
  select * into run from public.runs x
  where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id
    and x.status in ('queued', 'running')
    and case when asked is null then x.dry_run is null else x.id = asked end
  order by x.id limit 1 for update;
  is_over := r.pair_no is null or r.status = 'archived'
    or run.dry_run is null
    and (r.closed_at is not null or private.is_closing(r.tenant_id, r.pair_no, r.id));
  if is_over then
    update public.runs x
    set status = 'failed', finished_at = now(),
      failure = 'The period was closed before the run began.'
    where x.tenant_id = r.tenant_id and x.id = run.id;
  end if;
end $$;

-- What the matcher needs for a run that has begun.
create function private.run_order(r public.reconciliations, p public.pairs, begun public.runs,
  policy jsonb, calendar jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  last_run constant public.runs := private.newest_run(r, '{done}');
begin
  return jsonb_build_object(
    'run_id', begun.id, 'attempt', begun.attempt, 'dry_run', begun.dry_run, 'pair_no', p.pair_no,
    'lines', (
      select sum(s.line_count)
      from public.sources s
      where s.tenant_id = r.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
    ), 'period_end', r.period_end, 'closed', r.closed_at is not null, 'weights', p.weights,
    'rules', coalesce(begun.dry_run -> 'rules', (
      select x.rules from public.pair_rules x
      where x.tenant_id = r.tenant_id and x.pair_no = p.pair_no and x.version = p.rules_version
    )), 'policy', policy, 'open_days', calendar -> 'open_days',
    -- Whether everything that the engine made is weighed again, or what its leading rules settled
    -- stays.
    'whole', begun.dry_run is not null or last_run.id is null
      or last_run.rules_version is distinct from p.rules_version
      or last_run.engine_version is distinct from begun.engine_version
      or (last_run.calendar_id,
        last_run.calendar_version::text) is distinct from (calendar ->> 'calendar_id',
        calendar ->> 'calendar_version')
  );
end $$;

-- The pair's policy, as a dry run tries it.
create function private.run_policy(p public.pairs, dry_run jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return private.default_policy()
    || coalesce((
      select x.policy from public.pair_rules x
      where x.tenant_id = p.tenant_id and x.pair_no = p.pair_no and x.version = p.rules_version
    ), '{}')
    || jsonb_strip_nulls(jsonb_build_object('fees', dry_run -> 'fees'));
end $$;

-- Begins the run, or a new one if none was queued. Returns null fields if the period is gone: a
-- reset of its sandbox may commit while this waits for a lock.
create function private.start_run(r public.reconciliations, p public.pairs, queued public.runs,
  engine text, circumstances jsonb, calendar jsonb) returns public.runs
language plpgsql volatile set search_path = '' as $$
declare
  begun public.runs := queued;
begin
  if begun.id is null then
    insert into public.runs (tenant_id, reconciliation_id, pair_no)
    select period.tenant_id, period.id, period.pair_no
    from public.reconciliations period
    where period.tenant_id = r.tenant_id and period.id = r.id for key share
    returning * into begun;
  end if;
  update public.runs run
  set status = 'running', stage = 'reading', started_at = now(), rules_version = p.rules_version,
    engine_version = engine, conditions = circumstances,
    calendar_id = calendar ->> 'calendar_id',
    calendar_version = (calendar ->> 'calendar_version')::integer, lines_done = 0, lines_total = 0,
    attempt = run.attempt + 1
  where run.tenant_id = r.tenant_id and run.id = begun.id returning * into begun;
  return begun;
end $$;

-- Takes the run that waits for a period, or starts one that nobody requested; a run whose matcher
-- died starts again. `asked`: the ID of a dry run. Returns what the matcher needs, or null if there
-- is nothing to do, or not yet: once its pair is prepared, the run is queued again. If nothing
-- has changed since the last run, a requested run ends at once, or opens the exceptions that the
-- last one held back.
create function private.begin_run(tenant text, reconciliation text, asked text,
  engine text) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
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
  from public.reconciliations period
  where period.tenant_id = tenant and period.id = reconciliation;
  waiting := private.run_to_begin(r, asked);
  begun := waiting.run;
  select * into p from public.pairs pair where pair.tenant_id = tenant and pair.pair_no = r.pair_no;
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
  if begun.id is null then
    return null;
  end if;
  -- held_back: why lines are open, if only exceptions are left to open. short_after: the last run,
  -- if what is new may be decided first.
  return private.run_order(r, p, begun, policy, calendar) || jsonb_build_object(
    'held_back', held_back, 'short_after', case when is_short then to_jsonb(last_ended) end);
end $$;

-- Refuses the writes of an attempt after another matcher has taken over the run, since a process
-- that was silent for long isn't always dead. Locks the run, so that no other takes it over before
-- this is stored; a caller that also locks the pair locks that first. Refuses: conflict.
create function private.require_attempt(tenant text, run text, attempt integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform from public.runs x
  where x.tenant_id = tenant and x.id = run and x.attempt = require_attempt.attempt
    and x.status = 'running' for no key update;
  if not found then
    perform private.refuse_conflict('state_changed',
      'The run has ended, or another matcher has taken it up.');
  end if;
  -- What the attempt writes is news to other periods only.
  perform set_config('app.written_by_run_of', x.reconciliation_id, true)
  from public.runs x where x.tenant_id = tenant and x.id = run;
end $$;

-- Refuses: conflict, so that an attempt that isn't the newest stops.
create function private.report_run_progress(tenant text, run text, attempt integer, stage text,
  done bigint, total bigint) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_attempt(tenant, run, attempt);
  update public.runs x
  set stage = left(report_run_progress.stage, 200), lines_done = done,
    lines_total = greatest(total, x.lines_total)
  where x.tenant_id = tenant and x.id = run;
end $$;

-- A digest of what the engine made of a period: the sum of its hashes modulo 2^128, and how many
-- are only suggested.
create function private.digest_of_period(tenant text, reconciliation text, out digest text,
  out suggested bigint)
language plpgsql stable set search_path = '' as $$
declare
  two_64 constant numeric := 18446744073709551616;
  high numeric;
  low numeric;
  carried bigint;
begin
  -- As signed numbers: a negative low half carries one into the high half.
  select coalesce(sum(m.hash_high), 0), coalesce(sum(m.hash_low), 0),
    count(*) filter (where m.hash_low < 0), count(*) filter (where m.state = 'suggested')
  into high, low, carried, suggested
  from public.matches m
  where m.tenant_id = tenant and m.reconciliation_id = reconciliation
    and m.state in ('confirmed', 'suggested') and m.decided_by is null;
  high := high + carried + floor(low / two_64);
  low := low - floor(low / two_64) * two_64;
  high := high - floor(high / two_64) * two_64;
  digest := private.hex_of(high) || private.hex_of(low);
end $$;

-- 16 hexadecimal digits of a whole number below 2^64.
create function private.hex_of(number numeric) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return lpad(to_hex(floor(number / 4294967296)::bigint), 8, '0')
    || lpad(to_hex((number - floor(number / 4294967296) * 4294967296)::bigint), 8, '0');
end $$;

-- What the books say once a run's matches are stored: { digest, suggested_count, open_count,
-- waterfall, violations }, with one of `violations` for each invariant that does not hold. `rules`:
-- names of the rules, in their order. Changes nothing and reads no exceptions, so the matcher calls
-- it on a second connection while it opens them.
create function private.run_totals(tenant text, reconciliation text, run text,
  rules text[]) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  r public.reconciliations;
  totals record;
begin
  select * into strict r
  from public.reconciliations period
  where period.tenant_id = tenant and period.id = reconciliation;
  select * into totals from private.digest_of_period(tenant, r.id);
  return jsonb_build_object('digest', totals.digest, 'suggested_count', totals.suggested,
    'open_count', (
      select count(*)
      from private.open_lines open_line
      where open_line.tenant_id = tenant and open_line.pair_no = r.pair_no
        and open_line.value_date <= r.period_end),
    'waterfall', private.full_waterfall(r, rules),
    'violations', private.violations_of_period(tenant, r.id, run));
end $$;

-- Ends a run whose results are stored. totals: as of run_totals. outcome: { changed,
-- exceptions_opened, exceptions_held_back, held_back_reasons }. Returns the violations. Refuses:
-- conflict.
create function private.finish_run(tenant text, run text, attempt integer, totals jsonb,
  outcome jsonb) returns text[]
language plpgsql volatile security definer set search_path = '' as $$
declare
  x public.runs;
  violations constant text[] := array(select jsonb_array_elements_text(totals -> 'violations'));
begin
  perform private.require_attempt(tenant, run, attempt);
  select * into strict x from public.runs y where y.tenant_id = tenant and y.id = run;
  perform private.keep_held_back_reasons(tenant, x.reconciliation_id,
    outcome -> 'held_back_reasons');
  update public.runs y set
    status = case when cardinality(violations) = 0 then 'done' else 'failed' end, stage = null,
    finished_at = clock_timestamp(),
    failure = case when cardinality(violations) > 0 then
      'An internal check failed after this run. It has been logged: send us the run''s id.' end,
    lines_done = y.lines_total, digest = y.engine_version || ':' || (totals ->> 'digest'),
    suggested_count = (totals ->> 'suggested_count')::bigint,
    open_count = (totals ->> 'open_count')::bigint, waterfall = totals -> 'waterfall',
    changed = outcome -> 'changed',
    exceptions_opened = (outcome ->> 'exceptions_opened')::integer,
    exceptions_held_back = (outcome ->> 'exceptions_held_back')::integer
  where y.tenant_id = tenant and y.id = run
  returning * into x;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(x)), run);
  return violations;
end $$;

grant execute on function
  private.begin_run(text, text, text, text),
  private.report_run_progress(text, text, integer, text, bigint, bigint),
  private.run_totals(text, text, text, text[]),
  private.finish_run(text, text, integer, jsonb, jsonb)
to service_role;
