-- Running: what a matcher does for a run. It reads what is open and what the engine made before,
-- and stores the difference in chunks of whole matches: after every commit the proof holds, and a
-- matcher that dies leaves nothing half done. Every write names its attempt.

-- The run to begin, locked; without one its fields are null. A run of a period that is closed or
-- closing fails: then `is_over` is true.
create function private.run_to_begin(period public.reconciliations, requested_id text,
  out run public.runs,
  out is_over boolean)
language plpgsql volatile set search_path = '' as $$
begin
  select * into run from public.runs
  where runs.tenant_id = period.tenant_id and runs.reconciliation_id = period.id
    and runs.status in ('queued', 'running')
    and case when requested_id is null then runs.dry_run is null else runs.id = requested_id end
  order by runs.id limit 1 for update;
  is_over := period.pair_no is null or period.status = 'archived'
    or run.dry_run is null
    and (period.closed_at is not null
    or private.is_closing(period.tenant_id, period.pair_no, period.id));
  if is_over then
    update public.runs
    set status = 'failed', finished_at = now(),
      failure = 'The period was closed before the run began.'
    where runs.tenant_id = period.tenant_id and runs.id = run.id;
  end if;
end $$;

-- What the matcher needs for a run that has begun.
create function private.run_order(period public.reconciliations, pair public.pairs,
  begun public.runs,
  policy jsonb, calendar jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  last_run constant public.runs := private.newest_run(period, '{done}');
begin
  return jsonb_build_object(
    'run_id', begun.id, 'attempt', begun.attempt, 'dry_run', begun.dry_run, 'pair_no', pair.pair_no,
    'lines', (
      select sum(source.line_count)
      from public.sources source
      where source.tenant_id = period.tenant_id
        and source.source_no in (pair.left_source_no, pair.right_source_no)
    ), 'period_end', period.period_end, 'closed', period.closed_at is not null,
      'weights', pair.weights,
    'rules', coalesce(begun.dry_run -> 'rules', (
      select rules_version.rules from public.pair_rules rules_version
      where rules_version.tenant_id = period.tenant_id and rules_version.pair_no = pair.pair_no
        and rules_version.version = pair.rules_version
    )), 'policy', policy, 'open_days', calendar -> 'open_days',
    'keeps_estimates', private.has_many_lines(pair.tenant_id, pair.pair_no),
    -- Whether everything that the engine made is weighed again, or what its leading rules settled
    -- stays.
    'whole', begun.dry_run is not null or last_run.id is null
      or last_run.rules_version is distinct from pair.rules_version
      or last_run.engine_version is distinct from begun.engine_version
      or (last_run.calendar_id,
        last_run.calendar_version::text) is distinct from (calendar ->> 'calendar_id',
        calendar ->> 'calendar_version')
  );
end $$;

-- The pair's policy with the settings that a dry run tries.
create function private.run_policy(pair public.pairs, dry_run jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return private.default_policy()
    || coalesce((
      select rules_version.policy from public.pair_rules rules_version
      where rules_version.tenant_id = pair.tenant_id and rules_version.pair_no = pair.pair_no
        and rules_version.version = pair.rules_version
    ), '{}')
    || jsonb_strip_nulls(jsonb_build_object('fees', dry_run -> 'fees'));
end $$;

-- Begins the run, or a new one if none was queued. Returns null fields if the period is gone: a
-- reset of its sandbox may commit while this waits for a lock.
create function private.start_run(period public.reconciliations, pair public.pairs,
  queued public.runs,
  engine text, circumstances jsonb, calendar jsonb) returns public.runs
language plpgsql volatile set search_path = '' as $$
declare
  run public.runs := queued;
begin
  if run.id is null then
    insert into public.runs (tenant_id, reconciliation_id, pair_no)
    select reconciliations.tenant_id, reconciliations.id, reconciliations.pair_no
    from public.reconciliations
    where reconciliations.tenant_id = period.tenant_id
      and reconciliations.id = period.id for key share
    returning * into run;
  end if;
  update public.runs
  set status = 'running', stage = 'reading', started_at = now(), rules_version = pair.rules_version,
    engine_version = engine, conditions = circumstances,
    calendar_id = calendar ->> 'calendar_id',
    calendar_version = (calendar ->> 'calendar_version')::integer, lines_done = 0, lines_total = 0,
    attempt = runs.attempt + 1
  where runs.tenant_id = period.tenant_id and runs.id = run.id returning * into run;
  return run;
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
  period public.reconciliations;
  pair public.pairs;
  waiting record;
  run public.runs;
  last_ended public.runs;
  policy jsonb;
  calendar jsonb;
  circumstances jsonb;
  held_back jsonb;
  known private.pair_estimates;
  is_short boolean;
begin
  select * into period from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation;
  waiting := private.run_to_begin(period, asked);
  run := waiting.run;
  select * into pair from public.pairs 
  where pairs.tenant_id = tenant and pairs.pair_no = period.pair_no;
  if waiting.is_over or pair.opening is not null or run.id is null and asked is not null then
    return null;
  end if;
  policy := private.run_policy(pair, run.dry_run);
  calendar := private.open_days(tenant,
    case when run.dry_run ? 'calendar_id' then run.dry_run else policy end ->> 'calendar_id');
  circumstances := private.run_conditions(period, pair, engine, policy, calendar);
  last_ended := private.newest_run(period, '{done,failed}');
  if run.dry_run is null and run.status is distinct from 'running'
    and private.has_nothing_new(period, last_ended, circumstances) then
    if run.id is null then
      return null;
    elsif last_ended.exceptions_held_back = 0 then
      perform private.end_unchanged_run(tenant, run.id, last_ended, 0, 0);
      return null;
    end if;
    held_back := private.reasons_held_back(period);
  end if;
  if run.id is null then
    known := private.estimates_for(tenant, pair.pair_no, circumstances);
  end if;
  is_short := run.id is null and private.may_be_short(period, last_ended, circumstances, policy,
    known.tenant_id is not null);
  if is_short and not exists (select from private.new_open_lines(period, 1)) then
    if known.tenant_id is null then
      perform private.queue_full_run(period);
    end if;
    return null;
  end if;
  run := private.start_run(period, pair, run, engine, circumstances, calendar);
  if run.id is null then
    return null;
  end if;
  -- held_back: why lines are open, if only exceptions are left to open. short_after: the last run,
  -- if what is new may be decided first. known: what it may be weighed by.
  return private.run_order(period, pair, run, policy, calendar) || jsonb_build_object(
    'held_back', held_back, 'short_after', case when is_short then to_jsonb(last_ended) end,
    'known', case when is_short and known.tenant_id is not null then jsonb_build_object(
      'estimates', known.estimates, 'max_lines', known.lines / 10 - known.weighed_lines,
      'reasons', private.reasons_held_back(period)) end);
end $$;

-- Refuses the writes of an attempt after another matcher has taken over the run, since a process
-- that was silent for long isn't always dead. Locks the run, so that no other takes it over before
-- this is stored; a caller that also locks the pair locks that first. Refuses: conflict.
create function private.require_attempt(tenant text, run text, attempt integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform from public.runs
  where runs.tenant_id = tenant and runs.id = run and runs.attempt = require_attempt.attempt
    and runs.status = 'running' for no key update;
  if not found then
    perform private.refuse_conflict('state_changed',
      'The run has ended, or another matcher has taken it up.');
  end if;
  -- What the attempt writes is news to other periods only.
  perform set_config('app.written_by_run_of', runs.reconciliation_id, true)
  from public.runs where runs.tenant_id = tenant and runs.id = run;
end $$;

-- Refuses: conflict, so that an attempt that isn't the newest stops.
create function private.report_run_progress(tenant text, run text, attempt integer, stage text,
  done bigint, total bigint) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_attempt(tenant, run, attempt);
  update public.runs
  set stage = left(report_run_progress.stage, 200), lines_done = done,
    lines_total = greatest(total, runs.lines_total)
  where runs.tenant_id = tenant and runs.id = run;
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
  select coalesce(sum(match.hash_high), 0), coalesce(sum(match.hash_low), 0),
    count(*) filter (where match.hash_low < 0), count(*) filter (where match.state = 'suggested')
  into high, low, carried, suggested
  from public.matches match
  where match.tenant_id = tenant and match.reconciliation_id = reconciliation
    and match.state in ('confirmed', 'suggested') and match.decided_by is null;
  high := high + carried + floor(low / two_64);
  low := low - floor(low / two_64) * two_64;
  high := high - floor(high / two_64) * two_64;
  digest := private.to_hex_64(high) || private.to_hex_64(low);
end $$;

-- 16 hexadecimal digits of a whole number below 2^64.
create function private.to_hex_64(number numeric) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return lpad(to_hex(floor(number / 4294967296)::bigint), 8, '0')
    || lpad(to_hex((number - floor(number / 4294967296) * 4294967296)::bigint), 8, '0');
end $$;

-- The totals of a period once a run's matches are stored: { digest, suggested_count, open_count,
-- waterfall, violations }, with one of `violations` for each invariant that does not hold. `rules`:
-- names of the rules, in their order. Changes nothing and reads no exceptions, so the matcher calls
-- it on a second connection while it opens them.
create function private.run_totals(tenant text, reconciliation text, run text,
  rules text[]) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  period public.reconciliations;
  totals record;
begin
  select * into strict period
  from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation;
  select * into totals from private.digest_of_period(tenant, period.id);
  return jsonb_build_object('digest', totals.digest, 'suggested_count', totals.suggested,
    'open_count', (
      select count(*)
      from private.open_lines open_line
      where open_line.tenant_id = tenant and open_line.pair_no = period.pair_no
        and open_line.value_date <= period.period_end),
    'waterfall', private.full_waterfall(period, rules),
    'violations', private.violations_of_period(tenant, period.id, run));
end $$;

-- Ends a run whose results are stored. totals: as of run_totals. outcome: { changed,
-- exceptions_opened, exceptions_held_back, held_back_reasons, estimates }. Returns the violations.
-- Refuses: conflict.
create function private.finish_run(tenant text, run text, attempt integer, totals jsonb,
  outcome jsonb) returns text[]
language plpgsql volatile security definer set search_path = '' as $$
declare
  run_row public.runs;
  violations constant text[] := array(select jsonb_array_elements_text(totals -> 'violations'));
begin
  perform private.require_attempt(tenant, run, attempt);
  select * into strict run_row from public.runs where runs.tenant_id = tenant and runs.id = run;
  perform private.store_held_back_reasons(tenant, run_row.reconciliation_id,
    outcome -> 'held_back_reasons');
  update public.runs set
    status = case when cardinality(violations) = 0 then 'done' else 'failed' end, stage = null,
    finished_at = clock_timestamp(),
    failure = case when cardinality(violations) > 0 then
      'An internal check failed after this run. It has been logged: send us the run''s id.' end,
    lines_done = runs.lines_total, digest = runs.engine_version || ':' || (totals ->> 'digest'),
    suggested_count = (totals ->> 'suggested_count')::bigint,
    open_count = (totals ->> 'open_count')::bigint, waterfall = totals -> 'waterfall',
    changed = outcome -> 'changed',
    exceptions_opened = (outcome ->> 'exceptions_opened')::integer,
    exceptions_held_back = (outcome ->> 'exceptions_held_back')::integer
  where runs.tenant_id = tenant and runs.id = run
  returning * into run_row;
  perform private.store_estimates(run_row, outcome -> 'estimates');
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(run_row)),
    run);
  return violations;
end $$;

grant execute on function
  private.begin_run(text, text, text, text),
  private.report_run_progress(text, text, integer, text, bigint, bigint),
  private.run_totals(text, text, text, text[]),
  private.finish_run(text, text, integer, jsonb, jsonb)
to service_role;
