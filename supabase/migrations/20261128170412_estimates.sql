alter table private.run_changes add column weighed_at timestamptz(3);

-- From here on written by `npm run migration`, anew each time. Above is by hand.

-- contracts: it has another parameter; only begin_run calls it.
drop function private.may_be_short(public.reconciliations,public.runs,jsonb,jsonb);
-- contracts: it returns another column; a matcher of the version before ignores it.
drop function private.load_short_run(text,text,integer);
create table private.pair_estimates (
  tenant_id text not null,
  pair_no integer not null,
  estimates jsonb not null,
  conditions jsonb not null,
  lines bigint not null,
  weighed_lines bigint not null default 0
);
alter table private.pair_estimates add constraint pair_estimates_pkey PRIMARY KEY (tenant_id, pair_no);
alter table private.pair_estimates enable row level security; alter table private.pair_estimates no force row level security;
CREATE OR REPLACE FUNCTION private.conditions_of_estimates(conditions jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (conditions - '{period_end,days_of_grace}'::text[]);
CREATE OR REPLACE FUNCTION private.estimates_for(tenant text, pair integer, conditions jsonb)
 RETURNS private.pair_estimates
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  found_row private.pair_estimates;
begin
  select * into found_row from private.pair_estimates estimate
  where estimate.tenant_id = tenant and estimate.pair_no = pair
    and estimate.conditions = private.conditions_of_estimates(estimates_for.conditions)
    and estimate.weighed_lines * 10 <= estimate.lines;
  return found_row;
end $function$;
CREATE OR REPLACE FUNCTION private.store_estimates(run public.runs, estimates jsonb, lines bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from private.pair_estimates estimate
  where estimate.tenant_id = run.tenant_id and estimate.pair_no = run.pair_no;
  insert into private.pair_estimates (tenant_id, pair_no, estimates, conditions, lines)
  select run.tenant_id, run.pair_no, store_estimates.estimates,
    private.conditions_of_estimates(run.conditions), store_estimates.lines
  where store_estimates.estimates is not null and private.max_lines_in_request() < (
    select sum(source.line_count) from public.pairs pair
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = run.tenant_id and pair.pair_no = run.pair_no
  );
end $function$;
CREATE OR REPLACE FUNCTION private.load_news(tenant text, reconciliation text, change_nos bigint[], OUT left_lines bigint, OUT right_lines bigint)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  period constant public.reconciliations := (select reconciliations from public.reconciliations
    where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation);
begin
  perform private.prefer_set_joins();
  perform private.begin_reading(tenant);
  insert into pg_temp.taken_up
  select match.id, match.currency, false from public.matches match
  where match.tenant_id = tenant and match.reconciliation_id = reconciliation
    and match.state = 'confirmed' and match.decided_by is null and not match.settled;
  perform private.load_lines_of_matches(tenant, false);
  create temp table held_lines on commit drop as
  select given_line.line_no from pg_temp.given_lines given_line;
  insert into pg_temp.held_lines
  select open_line.line_no from private.open_lines open_line
  where open_line.tenant_id = tenant and open_line.pair_no = period.pair_no
    and open_line.open_minor <> open_line.amount_minor;
  insert into pg_temp.held_lines
  select later.line_no from private.run_changes run_change
  cross join lateral (
    select open_line.line_no from private.open_lines open_line
    where open_line.tenant_id = tenant and open_line.pair_no = period.pair_no
      and open_line.line_no between run_change.first_line_no and run_change.last_line_no
  ) later
  where run_change.tenant_id = tenant and run_change.reconciliation_id = reconciliation
    and run_change.weighed_at is null and run_change.change_no <> all (change_nos);
  insert into pg_temp.given_lines
  select open_line.line_no, open_line.side, open_line.open_minor, open_line.currency
  from private.open_lines open_line
  where open_line.tenant_id = tenant and open_line.pair_no = period.pair_no
    and open_line.value_date <= period.period_end;
  perform private.create_lines_to_weigh_view();
  truncate pg_temp.taken_up;
  insert into pg_temp.taken_up
  select match.id, match.currency, false from public.matches match
  where match.tenant_id = tenant and match.reconciliation_id = reconciliation
    and match.state = 'suggested';
  perform private.create_matches_made_view();
  select count(*) filter (where given_line.side = 'left'),
    count(*) filter (where given_line.side = 'right')
  into left_lines, right_lines
  from pg_temp.given_lines given_line;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_run(tenant text, reconciliation text, asked text, engine text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.finish_run(tenant text, run text, attempt integer, totals jsonb, outcome jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
  perform private.store_estimates(run_row, outcome -> 'estimates',
    (outcome ->> 'weighed_lines')::bigint);
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(run_row)),
    run);
  return violations;
end $function$;
CREATE OR REPLACE FUNCTION private.new_open_lines(period public.reconciliations, max_count integer)
 RETURNS SETOF private.open_lines
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select distinct fresh.*
  from private.run_changes run_change
  cross join lateral (
    select * from private.open_lines open_line
    where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
      and open_line.line_no between run_change.first_line_no and run_change.last_line_no
      and open_line.value_date <= period.period_end
    limit max_count
  ) fresh
  where run_change.tenant_id = period.tenant_id and run_change.reconciliation_id = period.id
    and run_change.weighed_at is null
  limit max_count;
end $function$;
CREATE OR REPLACE FUNCTION private.may_be_short(period public.reconciliations, last_run public.runs, conditions jsonb, policy jsonb, has_estimates boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return last_run.status = 'done' and last_run.conditions = may_be_short.conditions
    and not exists (select from private.run_changes run_change
      where run_change.tenant_id = period.tenant_id and run_change.reconciliation_id = period.id
        and (run_change.first_line_no is null
        or not has_estimates
        and run_change.changed_at <= clock_timestamp() - private.full_run_delay()))
    and not exists (select from private.unlearned_decisions decision
      where decision.tenant_id = period.tenant_id and decision.pair_no = period.pair_no)
    -- With its fee, a line has two amounts.
    and (policy ->> 'fees' <> 'deduct' or not private.has_fees(period.tenant_id));
end $function$;
CREATE OR REPLACE FUNCTION private.load_short_run(tenant text, reconciliation text, most integer, OUT left_lines bigint, OUT right_lines bigint, OUT change_nos bigint[])
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  period constant public.reconciliations := (select reconciliations from public.reconciliations
    where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation);
  minors bigint[];
begin
  perform private.begin_reading(tenant);
  create temp table held_lines (line_no bigint not null) on commit drop;
  create temp table new_lines on commit drop as
  select open_line.line_no, open_line.open_minor
  from private.new_open_lines(period, most + 1) open_line;
  minors := array(select distinct new_line.open_minor from pg_temp.new_lines new_line);
  if (select count(*) from pg_temp.new_lines) > most then
    return;
  end if;
  perform private.load_weighed_lines(period, minors);
  with found as (
    select open_line.line_no, open_line.side, open_line.open_minor, open_line.currency,
      open_line.amount_minor from private.open_lines open_line
    where open_line.tenant_id = tenant and open_line.pair_no = period.pair_no
      and open_line.side = any ('{left,right}')
      and -abs(open_line.open_minor) = any (array(select -abs(minor) from unnest(minors) minor))
      and open_line.open_minor = any (minors) and open_line.value_date <= period.period_end
    limit most * 5
  ), held as (
    insert into pg_temp.held_lines
    select finds.line_no from found finds where finds.open_minor <> finds.amount_minor
  )
  insert into pg_temp.given_lines select finds.line_no, finds.side, finds.open_minor, finds.currency
  from found finds;
  perform private.reconsider_settled_matches(tenant, reconciliation);
  perform private.load_lines_of_matches(tenant, true);
  if (select count(*) from pg_temp.given_lines) >= most * 5 then
    return;
  end if;
  perform private.create_lines_to_weigh_view();
  insert into pg_temp.taken_up
  select match.id, match.currency, false from public.matches match
  where match.tenant_id = tenant and match.reconciliation_id = reconciliation
    and match.state = 'suggested' and match.id = any (array(
      select member.match_id from public.match_members member
      where member.tenant_id = tenant and member.pair_no = period.pair_no
        and member.line_no = any (array(select given_line.line_no
          from pg_temp.given_lines given_line))));
  perform private.create_matches_made_view();
  change_nos := array(
    select run_change.change_no from private.run_changes run_change
    where run_change.tenant_id = tenant and run_change.reconciliation_id = reconciliation
      and run_change.weighed_at is null);
  select count(*) filter (where given_line.side = 'left'),
    count(*) filter (where given_line.side = 'right')
  into left_lines, right_lines
  from pg_temp.given_lines given_line;
end $function$;
CREATE OR REPLACE FUNCTION private.count_weighed_lines(run public.runs, change_nos bigint[], weighed_lines bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  still_hold boolean;
begin
  update private.pair_estimates estimate
  set weighed_lines = estimate.weighed_lines + count_weighed_lines.weighed_lines
  where estimate.tenant_id = run.tenant_id and estimate.pair_no = run.pair_no
    and estimate.conditions = private.conditions_of_estimates(run.conditions)
  returning estimate.weighed_lines * 10 <= estimate.lines into still_hold;
  if still_hold is not null then
    update private.run_changes run_change set weighed_at = clock_timestamp()
    where run_change.tenant_id = run.tenant_id
      and run_change.reconciliation_id = run.reconciliation_id
      and run_change.change_no = any (change_nos);
  end if;
  return coalesce(still_hold, false);
end $function$;
CREATE OR REPLACE FUNCTION private.finish_short_run(tenant text, run text, attempt integer, lines bigint[], outcome jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  run_row public.runs;
  violations text[];
begin
  perform private.require_attempt(tenant, run, attempt);
  violations := array(
    select format('Match %s does not add up.', match.id)
    from public.matches match
    join private.members_of(tenant, array(
      select member.match_id from public.match_members member
      where member.tenant_id = tenant and member.line_no = any (lines))) member
        on member.match_id = match.id
    where match.tenant_id = tenant and match.run_id = run
    group by match.id, match.residual_minor
    having sum(case member.side when 'left' then member.allocated_minor
      else -member.allocated_minor end) <> match.residual_minor);
  update public.runs set
    status = case when cardinality(violations) = 0 then 'done' else 'failed' end, stage = null,
    finished_at = clock_timestamp(),
    failure = case when cardinality(violations) > 0 then
      'An internal check failed after this run. It has been logged: send us the run''s id.' end,
    lines_done = runs.lines_total, digest = outcome ->> 'digest',
    suggested_count = (outcome ->> 'suggested_count')::bigint,
    open_count = (outcome ->> 'open_count')::bigint, waterfall = outcome -> 'waterfall',
    changed = outcome -> 'changed',
    exceptions_opened = (outcome ->> 'exceptions_opened')::integer,
    exceptions_held_back = (outcome ->> 'exceptions_held_back')::integer
  where runs.tenant_id = tenant and runs.id = run
  returning * into run_row;
  if outcome ? 'held_back_reasons' then
    perform private.store_held_back_reasons(tenant, run_row.reconciliation_id,
      nullif(outcome -> 'held_back_reasons', 'null'));
  end if;
  if not private.count_weighed_lines(run_row,
    array(select jsonb_array_elements_text(outcome -> 'change_nos')::bigint),
    (outcome ->> 'weighed_lines')::bigint) then
    perform private.queue_full_run(period) from public.reconciliations period
    where period.tenant_id = tenant and period.id = run_row.reconciliation_id;
  end if;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(run_row)),
    run);
  return violations;
end $function$;
CREATE OR REPLACE FUNCTION private.queue_nightly_runs(batch integer DEFAULT 1000, at timestamp with time zone DEFAULT now())
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  queued_count integer := 0;
begin
  for period in
    select due.*
    from private.periods_due_at_night(at) due
    where not exists (select from graphile_worker.jobs job where job.key = 'match:' || due.id)
      and not private.is_closing(due.tenant_id, due.pair_no, due.id)
    order by due.period_end
    limit batch
  loop
    -- A change without lines makes the run a full one, also in a pair with estimates.
    insert into private.run_changes (tenant_id, reconciliation_id)
    select run_change.tenant_id, run_change.reconciliation_id from private.run_changes run_change
    where run_change.tenant_id = period.tenant_id and run_change.reconciliation_id = period.id
    limit 1;
    perform private.queue_run(period.tenant_id, period.pair_no, period.id, null, interval '0', 10);
    queued_count := queued_count + 1;
  end loop;
  return queued_count;
end $function$;
CREATE OR REPLACE FUNCTION private.tables_emptied_by_reset()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ARRAY['private.alert_events'::text, 'private.alerts'::text, 'private.alert_bundles'::text, 'public.webhook_attempts'::text, 'public.webhook_deliveries'::text, 'public.webhook_answer_times'::text, 'private.event_once'::text, 'public.events'::text, 'public.statement_evidence'::text, 'private.evidence_contents'::text, 'public.evidence'::text, 'public.entries'::text, 'public.entry_batches'::text, 'private.entry_batch_numbers'::text, 'public.entry_rules'::text, 'private.reopened_items'::text, 'public.statements'::text, 'public.period_signatures'::text, 'public.carried_lines'::text, 'public.closings'::text, 'private.period_workers'::text, 'private.closing_requests'::text, 'public.exclusions'::text, 'public.match_members'::text, 'private.unlearned_decisions'::text, 'public.matches'::text, 'private.decisions'::text, 'private.matched_counts'::text, 'private.run_changes'::text, 'private.held_back_reasons'::text, 'private.pair_estimates'::text, 'public.runs'::text, 'public.exception_comments'::text, 'public.exception_history'::text, 'public.exception_ledger'::text, 'private.exception_clocks'::text, 'private.exception_lines'::text, 'private.business_warnings'::text, 'public.exceptions'::text, 'private.sla_counts'::text, 'private.open_by_deadline'::text, 'private.open_by_assignee'::text, 'private.open_by_reconciliation'::text, 'private.exception_hours'::text, 'public.views'::text, 'public.connection_files'::text, 'private.missing_files'::text, 'private.connection_credentials'::text, 'public.connections'::text, 'public.source_balances'::text, 'private.import_chunks'::text, 'public.imports'::text, 'private.open_lines'::text, 'private.line_texts'::text, 'private.line_spans'::text, 'public.lines'::text, 'public.pair_rules'::text, 'public.reconciliations'::text, 'public.pairs'::text, 'public.sources'::text, 'public.records'::text, 'private.row_counts'::text, 'public.sla_policies'::text, 'private.calendar_spans'::text, 'private.calendar_coverage'::text, 'public.calendar_versions'::text, 'public.calendars'::text];
grant execute on function private.load_news(text,text,bigint[]) to service_role;
grant execute on function private.load_short_run(text,text,integer) to service_role;
