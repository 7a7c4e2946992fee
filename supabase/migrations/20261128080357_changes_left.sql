-- changes left

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.has_changes_left(period public.reconciliations)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (select from private.run_changes run_change
      where run_change.tenant_id = period.tenant_id and run_change.reconciliation_id = period.id)
    or exists (select from private.unlearned_decisions decision
      where decision.tenant_id = period.tenant_id and decision.pair_no = period.pair_no);
end $function$;
CREATE OR REPLACE FUNCTION private.has_nothing_new(period public.reconciliations, last_run public.runs, conditions jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return last_run.status = 'done' and last_run.conditions = has_nothing_new.conditions
    and not private.has_changes_left(period);
end $function$;
CREATE OR REPLACE FUNCTION private.needs_full_run(period public.reconciliations)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return period.auto_run and (private.has_changes_left(period)
    or (private.newest_run(period, '{done,failed}')).status = 'failed');
end $function$;
CREATE OR REPLACE FUNCTION private.require_nothing_found(run public.runs)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  new_count constant bigint := (run.changed ->> 'added')::bigint
    + (run.changed ->> 'replaced')::bigint;
  undone_count constant bigint := (run.changed ->> 'undone')::bigint;
begin
  if run.status = 'failed' then
    perform private.refuse_conflict('state_changed', 'The run before the close failed: '
      || run.failure || ' Close the period again to try again, or set auto_run to false first to '
      'close it without a run.');
  elsif new_count + undone_count + run.exceptions_opened > 0 then
    perform private.refuse_conflict('state_changed', format(
      'The run before the close found something new: %s, %s undone and %s. Look at it, and close '
      'the period again.', private.pluralize(new_count, 'match or suggestion made',
        'matches or suggestions made'), undone_count,
      private.pluralize(run.exceptions_opened, 'exception opened', 'exceptions opened')));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.open_statement_bundle(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  signed public.statements;
  chain jsonb;
  closed_seq bigint;
begin
  perform private.begin_request(request, 'open_statement_bundle');
  period := private.find_period(input ->> 'id');
  select * into signed from public.statements
  where statements.tenant_id = period.tenant_id and statements.reconciliation_id = period.id
    and statements.number = (input ->> 'number')::integer;
  if not found then
    perform private.refuse_missing('statement');
  end if;
  chain := private.chain_state_of_caller();
  select max(event.seq) into closed_seq from public.security_events event
  where event.tenant_id = period.tenant_id and event.chain = period.tenant_id
    and event.target = period.id
    and event.type = 'reconciliation.closed' and event.details ->> 'digest' = signed.digest;
  return jsonb_build_object(
    'statement', signed.statement::text, 'signature', private.signature_json(signed),
    'closed_ms_ago', extract(epoch from now() - signed.closed_at) * 1000,
    'rules', (
      select jsonb_build_object('version', pair_rules.version, 'rules', pair_rules.rules,
        'policy', pair_rules.policy)
      from public.pair_rules
      where pair_rules.tenant_id = period.tenant_id and pair_rules.pair_no = period.pair_no
        and pair_rules.created_at <= signed.closed_at
      order by pair_rules.version desc limit 1
    ),
    'engine_versions', (
      select coalesce(jsonb_agg(distinct run.engine_version), '[]') from public.runs run
      where run.tenant_id = period.tenant_id and run.reconciliation_id = period.id
        and run.engine_version is not null
    ),
    'audit', case when closed_seq is not null then jsonb_build_object(
      'from', closed_seq,
      'through', (
        select max((checkpoint ->> 'seq')::bigint)
        from jsonb_array_elements(chain -> 'checkpoints') checkpoint
        where checkpoint ->> 'kind' = 'head'
      ),
      'checkpoints', chain -> 'checkpoints') end);
end $function$;
