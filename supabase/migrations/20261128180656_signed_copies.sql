create table private.signed_copies (
  tenant_id text not null,
  reconciliation_id text not null,
  number integer not null,
  kind_no integer not null default 1,
  after text,
  seq integer not null default 0,
  is_complete boolean not null default false,
  primary key (tenant_id, reconciliation_id, number),
  foreign key (tenant_id, reconciliation_id, number)
    references public.statements (tenant_id, reconciliation_id, number)
);
create index signed_copies_incomplete on private.signed_copies (tenant_id, reconciliation_id)
where not is_complete;
alter table private.signed_copies enable row level security;
-- Large periods that are closed already: see private.request_signed_copy.
insert into private.signed_copies (tenant_id, reconciliation_id, number)
select statement.tenant_id, statement.reconciliation_id, max(statement.number)
from public.statements statement
where statement.reopened_at is null and private.max_lines_in_request() < (
    select count(*) from public.carried_lines carried_line
    where carried_line.tenant_id = statement.tenant_id
      and carried_line.reconciliation_id = statement.reconciliation_id
  ) + (
    select coalesce(sum(matched_count.lines), 0) from private.matched_counts matched_count
    where matched_count.tenant_id = statement.tenant_id
      and matched_count.reconciliation_id = statement.reconciliation_id
  )
group by statement.tenant_id, statement.reconciliation_id;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

-- contracts: it has one parameter less; only finish_run calls it.
drop function private.store_estimates(public.runs,jsonb,bigint);
CREATE OR REPLACE FUNCTION private.has_many_lines(tenant text, pair integer)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.max_lines_in_request() < (
    select sum(source.line_count) from public.pairs
    join public.sources source on source.tenant_id = pairs.tenant_id
      and source.source_no in (pairs.left_source_no, pairs.right_source_no)
    where pairs.tenant_id = tenant and pairs.pair_no = pair
  );
end $function$;
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
    and estimate.weighed_lines * 10 <= estimate.lines and private.has_many_lines(tenant, pair);
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
      lines = excluded.lines, weighed_lines = 0;
end $function$;
CREATE OR REPLACE FUNCTION private.run_order(period public.reconciliations, pair public.pairs, begun public.runs, policy jsonb, calendar jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
  perform private.store_estimates(run_row, outcome -> 'estimates');
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(run_row)),
    run);
  return violations;
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
    coalesce((outcome ->> 'weighed_lines')::bigint, 0)) then
    perform private.queue_full_run(period) from public.reconciliations period
    where period.tenant_id = tenant and period.id = run_row.reconciliation_id;
  end if;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(run_row)),
    run);
  return violations;
end $function$;
CREATE OR REPLACE FUNCTION private.periods_due_at_night(at timestamp with time zone)
 RETURNS SETOF public.reconciliations
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with marked as materialized (
    select run_change.tenant_id, run_change.reconciliation_id,
      min(run_change.changed_at) as changed_at
    from private.run_changes run_change group by 1, 2
  ), decided as materialized (
    select distinct decision.tenant_id, decision.pair_no from private.unlearned_decisions decision
  )
  select period.*
  from private.periods_at_night(at) period
  join public.pairs pair on pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
  left join lateral (
    select run.* from public.runs run
    where run.tenant_id = period.tenant_id and run.reconciliation_id = period.id
      and run.dry_run is null
    order by run.id desc limit 1
  ) last_run on true
  left join marked on marked.tenant_id = period.tenant_id and marked.reconciliation_id = period.id
  where coalesce(last_run.status not in ('queued', 'running')
      -- Runs between full ones leave the marks.
      and (last_run.created_at <= at - private.nightly_run_interval()
        or marked.changed_at <= at - private.nightly_run_interval()), true)
    and case
      when last_run.status = 'failed'
        or marked.tenant_id is not null
        or (period.tenant_id, period.pair_no) in (select decided.tenant_id, decided.pair_no
          from decided) then true
      else private.grace_has_passed(period, pair, last_run)
    end;
end $function$;
CREATE OR REPLACE FUNCTION private.complete_closing(before public.reconciliations)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  closing public.closings;
  period public.reconciliations;
begin
  select * into strict closing
  from public.closings
  where closings.tenant_id = before.tenant_id and closings.reconciliation_id = before.id;
  perform private.require_signatures(before);
  delete
  from private.closing_requests closing_request
  where closing_request.tenant_id = before.tenant_id
    and closing_request.reconciliation_id = before.id;
  perform private.carry_forward(before);
  perform private.sign_statement(closing);
  if before.status = 'open' then
    update public.reconciliations
    set status = 'in_progress'
    where reconciliations.tenant_id = before.tenant_id and reconciliations.id = before.id;
  end if;
  update public.reconciliations
  set status = 'completed', closed_at = closing.closed_at, closed_by = closing.closed_by
  where reconciliations.tenant_id = before.tenant_id and reconciliations.id = before.id
  returning * into period;
  perform private.complete_last_run(period);
  perform private.record_security_event('reconciliation.closed', period.id, null,
    jsonb_build_object('name', period.name, 'digest', closing.digest,
      'signatures', private.sign_off_json(before) -> 'signatures',
      'open_lines', closing.statement -> 'outstanding_count', 'open_money', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', balance -> 'currency',
          'side', balance -> 'side', 'open_minor', balance -> 'outstanding_minor')), '[]')
        from jsonb_array_elements(closing.statement -> 'balances') balance
        where balance -> 'outstanding_minor' <> '0'
      )) || private.complete_entry_batch(period));
  perform private.request_signed_copy(period);
  perform private.queue_book_recount(period.tenant_id, period.pair_no);
  perform private.emit(period.tenant_id, 'reconciliation.closed',
    jsonb_build_object('reconciliation', private.reconciliation_json(period)));
  return period;
end $function$;
CREATE OR REPLACE FUNCTION private.signed_kinds()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '{matches,members,exclusions,carried}'::text[];
CREATE OR REPLACE FUNCTION private.request_signed_copy(period public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.signed_copies (tenant_id, reconciliation_id, number)
  select signed.tenant_id, signed.reconciliation_id, signed.number
  from public.statements signed
  where signed.tenant_id = period.tenant_id and signed.reconciliation_id = period.id
    and signed.reopened_at is null and private.max_lines_in_request() < (
      select count(*) from public.carried_lines carried_line
      where carried_line.tenant_id = period.tenant_id
        and carried_line.reconciliation_id = period.id
    ) + (
      select coalesce(sum(matched_count.lines), 0) from private.matched_counts matched_count
      where matched_count.tenant_id = period.tenant_id
        and matched_count.reconciliation_id = period.id
    )
  order by signed.number desc limit 1;
  if found then
    perform graphile_worker.add_job('copy_signed_items', job_key => 'copy_signed_items');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.copy_signed_pages(copy private.signed_copies, pages integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kinds constant text[] := private.signed_kinds();
  contents text[];
  last_key text;
begin
  for page in 1..pages loop
    exit when copy.kind_no > cardinality(kinds);
    select array_agg(item.content order by item.place),
      (array_agg(item.key order by item.place desc))[1]
    into contents, last_key
    from (
      select item.*, row_number() over () as place
      from private.signed_rows(copy.tenant_id, copy.reconciliation_id, kinds[copy.kind_no],
        copy.after, 5000) item
    ) item;
    if contents is null then
      copy.kind_no := copy.kind_no + 1;
      copy.after := null;
      copy.seq := 0;
      continue;
    end if;
    insert into private.reopened_items (tenant_id, reconciliation_id, number, kind, seq, rows)
    values (copy.tenant_id, copy.reconciliation_id, copy.number, kinds[copy.kind_no], copy.seq,
      contents);
    copy.seq := copy.seq + 1;
    copy.after := last_key;
  end loop;
  update private.signed_copies signed_copy
  set kind_no = copy.kind_no, after = copy.after, seq = copy.seq,
    is_complete = copy.kind_no > cardinality(kinds)
  where signed_copy.tenant_id = copy.tenant_id
    and signed_copy.reconciliation_id = copy.reconciliation_id and signed_copy.number = copy.number;
  return copy.kind_no > cardinality(kinds);
end $function$;
CREATE OR REPLACE FUNCTION private.copy_next_signed_pages()
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  copy private.signed_copies;
begin
  select * into copy from private.signed_copies signed_copy
  where not signed_copy.is_complete
  order by signed_copy.tenant_id, signed_copy.reconciliation_id
  limit 1 for update skip locked;
  if copy.tenant_id is null then
    return false;
  end if;
  perform private.copy_signed_pages(copy, 4);
  return true;
end $function$;
CREATE OR REPLACE FUNCTION private.store_signed_items(period public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  copy private.signed_copies;
  signed constant integer := (
    select max(statements.number) from public.statements
    where statements.tenant_id = period.tenant_id and statements.reconciliation_id = period.id
      and statements.reopened_at is null
  );
begin
  if signed is null then
    return;
  end if;
  select * into copy from private.signed_copies signed_copy
  where signed_copy.tenant_id = period.tenant_id and signed_copy.reconciliation_id = period.id
    and signed_copy.number = signed
  for update;
  if copy.tenant_id is null then
    insert into private.signed_copies (tenant_id, reconciliation_id, number)
    values (period.tenant_id, period.id, signed) returning * into copy;
    while not private.copy_signed_pages(copy, 10) loop
      select * into copy from private.signed_copies signed_copy
      where signed_copy.tenant_id = period.tenant_id and signed_copy.reconciliation_id = period.id
        and signed_copy.number = signed;
    end loop;
  elsif not copy.is_complete then
    perform private.refuse_conflict('closing',
      'What was signed is still being copied: reopening keeps it. Try again in a minute.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.tables_emptied_by_reset()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ARRAY['private.alert_events'::text, 'private.alerts'::text, 'private.alert_bundles'::text, 'public.webhook_attempts'::text, 'public.webhook_deliveries'::text, 'public.webhook_answer_times'::text, 'private.event_once'::text, 'public.events'::text, 'public.statement_evidence'::text, 'private.evidence_contents'::text, 'public.evidence'::text, 'public.entries'::text, 'public.entry_batches'::text, 'private.entry_batch_numbers'::text, 'public.entry_rules'::text, 'private.reopened_items'::text, 'private.signed_copies'::text, 'public.statements'::text, 'public.period_signatures'::text, 'public.carried_lines'::text, 'public.closings'::text, 'private.period_workers'::text, 'private.closing_requests'::text, 'public.exclusions'::text, 'public.match_members'::text, 'private.unlearned_decisions'::text, 'public.matches'::text, 'private.decisions'::text, 'private.matched_counts'::text, 'private.run_changes'::text, 'private.held_back_reasons'::text, 'private.pair_estimates'::text, 'public.runs'::text, 'public.exception_comments'::text, 'public.exception_history'::text, 'public.exception_ledger'::text, 'private.exception_clocks'::text, 'private.exception_lines'::text, 'private.business_warnings'::text, 'public.exceptions'::text, 'private.sla_counts'::text, 'private.open_by_deadline'::text, 'private.open_by_assignee'::text, 'private.open_by_reconciliation'::text, 'private.exception_hours'::text, 'public.views'::text, 'public.connection_files'::text, 'private.missing_files'::text, 'private.connection_credentials'::text, 'public.connections'::text, 'public.source_balances'::text, 'private.import_chunks'::text, 'public.imports'::text, 'private.open_lines'::text, 'private.line_texts'::text, 'private.line_spans'::text, 'public.lines'::text, 'public.pair_rules'::text, 'public.reconciliations'::text, 'public.pairs'::text, 'public.sources'::text, 'public.records'::text, 'private.row_counts'::text, 'public.sla_policies'::text, 'private.calendar_spans'::text, 'private.calendar_coverage'::text, 'public.calendar_versions'::text, 'public.calendars'::text];
grant execute on function private.copy_next_signed_pages() to service_role;
