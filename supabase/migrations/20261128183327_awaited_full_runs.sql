alter table private.pair_estimates add column holds_until timestamptz(3);

-- From here on written by `npm run migration`, anew each time. Above is by hand.

-- contracts: it has another parameter; only finish_short_run calls it.
drop function private.count_weighed_lines(public.runs,bigint[],bigint);
CREATE OR REPLACE FUNCTION private.awaited_run_delay()
 RETURNS interval
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '00:10:00'::interval;
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
    and estimate.weighed_lines * 10 <= estimate.lines
    and (estimate.holds_until is null or estimate.holds_until > clock_timestamp())
    and private.has_many_lines(tenant, pair);
  return found_row;
end $function$;
CREATE OR REPLACE FUNCTION private.store_estimates(run public.runs, estimates jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if store_estimates.estimates is null then
    delete from private.pair_estimates estimate
    where estimate.tenant_id = run.tenant_id and estimate.pair_no = run.pair_no;
    return;
  end if;
  insert into private.pair_estimates as estimate (tenant_id, pair_no, estimates, conditions, lines)
  values (run.tenant_id, run.pair_no, store_estimates.estimates,
    private.conditions_of_estimates(run.conditions),
    (store_estimates.estimates ->> 'lines')::bigint)
  on conflict (tenant_id, pair_no)
    do update set estimates = excluded.estimates, conditions = excluded.conditions,
      lines = excluded.lines, weighed_lines = 0, holds_until = null;
end $function$;
CREATE OR REPLACE FUNCTION private.count_weighed_lines(run public.runs, change_nos bigint[], weighed_lines bigint, awaits_full_run boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  still_hold boolean;
begin
  update private.pair_estimates estimate
  set weighed_lines = estimate.weighed_lines + count_weighed_lines.weighed_lines,
    holds_until = case when awaits_full_run
      then coalesce(estimate.holds_until, clock_timestamp() + private.awaited_run_delay())
      else estimate.holds_until end
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
  awaits_full_run constant boolean := coalesce((outcome ->> 'awaits_full_run')::boolean, false);
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
    suggested_count = (outcome ->> 'suggested_count')::bigint, open_count = (
      select count(*)
      from private.open_lines open_line
      join public.reconciliations period on period.tenant_id = tenant
        and period.id = runs.reconciliation_id
      where open_line.tenant_id = tenant and open_line.pair_no = runs.pair_no
        and open_line.value_date <= period.period_end
    ), waterfall = outcome -> 'waterfall', changed = outcome -> 'changed',
    exceptions_opened = coalesce((outcome ->> 'exceptions_opened')::integer, 0),
    exceptions_held_back = (outcome ->> 'exceptions_held_back')::integer
  where runs.tenant_id = tenant and runs.id = run
  returning * into run_row;
  if outcome ? 'held_back_reasons' then
    perform private.store_held_back_reasons(tenant, run_row.reconciliation_id,
      nullif(outcome -> 'held_back_reasons', 'null'));
  end if;
  if cardinality(violations) > 0 or not private.count_weighed_lines(run_row,
    array(select jsonb_array_elements_text(outcome -> 'change_nos')::bigint),
    coalesce((outcome ->> 'weighed_lines')::bigint, 0), awaits_full_run) then
    perform private.queue_full_run(period) from public.reconciliations period
    where period.tenant_id = tenant and period.id = run_row.reconciliation_id;
  elsif awaits_full_run then
    perform private.queue_run(tenant, run_row.pair_no, run_row.reconciliation_id, null,
      private.awaited_run_delay());
  end if;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(run_row)),
    run);
  return violations;
end $function$;
