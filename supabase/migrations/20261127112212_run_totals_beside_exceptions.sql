-- run totals beside exceptions

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.finish_run(text,text,integer,jsonb);
CREATE OR REPLACE FUNCTION private.run_totals(tenant text, reconciliation text, run text, rules text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  totals record;
begin
  select * into strict r
  from public.reconciliations x
  where x.tenant_id = tenant and x.id = reconciliation;
  select * into totals from private.digest_of_period(tenant, r.id);
  return jsonb_build_object('digest', totals.digest, 'suggested_count', totals.suggested,
    'open_count', (
      select count(*)
      from private.open_lines o
      where o.tenant_id = tenant and o.pair_no = r.pair_no and o.value_date <= r.period_end),
    'waterfall', private.full_waterfall(r, rules),
    'violations', private.violations_of_period(tenant, r.id, run));
end $function$;
CREATE OR REPLACE FUNCTION private.finish_run(tenant text, run text, attempt integer, totals jsonb, outcome jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
grant execute on function private.finish_run(text,text,integer,jsonb,jsonb) to service_role;
grant execute on function private.run_totals(text,text,text,text[]) to service_role;
