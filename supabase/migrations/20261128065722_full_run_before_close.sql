alter table private.closing_requests add column run_id text;
-- contracts: reconciliation_json, which called it with its caller's rights, is replaced below
revoke execute on function private.is_closing(text, integer, text) from authenticated;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.reconciliation_json(period public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', period.id, 'name', period.name, 'status', period.status,
    'period_start', period.period_start,
    'period_end', period.period_end,
    'left_source', period.left_source, 'right_source', period.right_source,
    'left_source_id', period.left_source_id, 'right_source_id', period.right_source_id,
    'auto_run', period.auto_run,
    'preparing', private.is_preparing(period.tenant_id, period.pair_no),
    'matched_count', case when period.pair_no is null then period.matched_count else coalesce((
      select matched_count.lines
      from private.matched_counts matched_count
      where matched_count.tenant_id = period.tenant_id
        and matched_count.reconciliation_id = period.id),
        0) end,
    'unmatched_count',
    case when period.pair_no is null then period.unmatched_count when period.closed_at is not null
      then (
      select count(*)
      from public.carried_lines carried_line
      where carried_line.tenant_id = period.tenant_id
        and carried_line.reconciliation_id = period.id)
    else (
      select count(*)
      from private.open_lines open_line
      where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
        and open_line.value_date <= period.period_end) end,
    'excluded_count', (select count(*) from public.exclusions exclusion
      where exclusion.tenant_id = period.tenant_id and exclusion.reconciliation_id = period.id),
    'closed_at', private.iso(period.closed_at), 'closed_by', period.closed_by,
    'sign_off', case when period.pair_no is not null then private.sign_off_json(period) end,
    'closing', exists (
      select from private.closing_requests closing_request
      where closing_request.tenant_id = period.tenant_id
        and closing_request.reconciliation_id = period.id and closing_request.failure is null
        and period.status <> 'archived'), 'closing_failure', (
      select closing_request.failure
      from private.closing_requests closing_request
      where closing_request.tenant_id = period.tenant_id
        and closing_request.reconciliation_id = period.id
        and period.status <> 'archived'),
    'open_exceptions', (
      select count(*) from public.exceptions exception
      where exception.tenant_id = period.tenant_id and exception.reconciliation_id = period.id
        and exception.status in ('open', 'in_review')
    ),
    'created_at', private.iso(period.created_at), 'created_by', period.created_by,
    'updated_at', private.iso(period.updated_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.suggestion_filter(suggested boolean)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case suggested
    -- Few lines have a suggestion: they are looked up.
    when true then $c$x.line_no = any (array(
      select member.line_no
      from public.matches match
      join public.match_members member on member.tenant_id = match.tenant_id
        and member.match_id = match.id
      where match.tenant_id = $1 and match.reconciliation_id = $8
        and match.state = 'suggested'))$c$
    -- With a lookup for each line until the page is full.
    when false then $c$(
      select true
      from public.match_members member
      join public.matches match on match.tenant_id = member.tenant_id
        and match.id = member.match_id
      where member.tenant_id = $1 and member.line_no = x.line_no and member.pair_no = $3
        and match.state = 'suggested' and match.reconciliation_id = $8
      limit 1) is null$c$
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_filters(input jsonb, hits bigint[], amount bigint, after_no bigint, sort_key text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  search constant text := nullif(btrim(input ->> 'q'), '');
begin
  return concat_ws(' and ',
    'x.pair_no = $3 and x.side = s.side and x.value_date <= $4',
    case
      when hits is not null then '(x.line_no = any ($5)'
        || case when amount is not null then ' or (-abs(x.open_minor)) = -$6' else '' end || ')'
      when search is not null
        then 'exists (select from public.lines line
          where line.tenant_id = $1 and line.line_no = x.line_no and '
        || private.line_search(search, 'private.line_text(line)') || ')' end,
    case when after_no is not null then format('(%s, x.line_no) > (%s, $7)', sort_key,
      case when input ->> 'sort' = 'amount' then $c$-abs(($2 -> 'after' ->> 0)::bigint)$c$
        else $c$($2 -> 'after' ->> 0)::date$c$ end) end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case
      when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$
      end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$
      end,
    case
      when input ->> 'amount_from' is not null then $c$x.open_minor >= (
        $2 ->> 'amount_from')::bigint$c$
      end,
    -- The same as a range of the index by amount.
    case when input ->> 'sort' = 'amount' and (input ->> 'amount_from')::bigint > 0
      then $c$(-abs(x.open_minor)) <= -($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'sort' = 'amount' and (input ->> 'amount_to')::bigint < 0
      then $c$(-abs(x.open_minor)) <= ($2 ->> 'amount_to')::bigint$c$ end,
    case
      when input ->> 'amount_to' is not null then $c$x.open_minor <= ($2 ->> 'amount_to')::bigint$c$
      end,
    private.suggestion_filter((input ->> 'suggested')::boolean)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.is_closing(tenant text, pair integer, reconciliation text DEFAULT NULL::text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from private.closing_requests closing_request
    where closing_request.tenant_id = tenant and closing_request.pair_no = pair
      and closing_request.failure is null and closing_request.run_id is null
      and (reconciliation is null or closing_request.reconciliation_id = reconciliation)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.needs_full_run(period public.reconciliations)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return period.auto_run and (
    exists (select from private.run_changes run_change
      where run_change.tenant_id = period.tenant_id and run_change.reconciliation_id = period.id)
    or exists (select from private.unlearned_decisions decision
      where decision.tenant_id = period.tenant_id and decision.pair_no = period.pair_no));
end $function$;
CREATE OR REPLACE FUNCTION private.queue_closing(period public.reconciliations, delay interval)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform graphile_worker.add_job('close_period',
    private.with_request_id(
      jsonb_build_object('tenant_id', period.tenant_id, 'reconciliation_id', period.id)),
    queue_name => 'pair:' || period.pair_no, job_key => 'close:' || period.id, max_attempts => 6,
    run_at => clock_timestamp() + delay, flags => private.job_flags(period.tenant_id, 'lines'));
end $function$;
CREATE OR REPLACE FUNCTION private.request_closing(period public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  run text;
begin
  -- Left by an attempt that was taken for dead and was not.
  perform private.delete_closing(period);
  if private.needs_full_run(period) then
    run := (private.request_run(period.id, null)).id;
  end if;
  insert into private.closing_requests as closing_request (tenant_id, reconciliation_id, pair_no,
    asked_by, run_id)
  values (period.tenant_id, period.id, period.pair_no,
    jsonb_build_object('claims', auth.jwt(), 'operation', current_setting('app.operation', true),
    'address', current_setting('app.address', true)), run)
  on conflict (tenant_id, reconciliation_id)
    do update set asked_by = excluded.asked_by, asked_at = excluded.asked_at, failure = null,
      run_id = excluded.run_id;
  perform private.queue_closing(period, interval '0');
end $function$;
CREATE OR REPLACE FUNCTION private.act_for_requester(closing_request private.closing_requests)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform set_config('request.jwt.claims', closing_request.asked_by ->> 'claims', true),
    set_config('app.operation', coalesce(closing_request.asked_by ->> 'operation', ''), true),
    set_config('app.address', coalesce(closing_request.asked_by ->> 'address', ''), true);
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
      || run.failure);
  elsif new_count + undone_count + run.exceptions_opened > 0 then
    perform private.refuse_conflict('state_changed', format(
      'The run before the close found something new: %s, %s undone and %s. Look at it, and close '
      'the period again.', private.pluralize(new_count, 'match or suggestion made',
        'matches or suggestions made'), undone_count,
      private.pluralize(run.exceptions_opened, 'exception opened', 'exceptions opened')));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_requested_closing(tenant text, reconciliation text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  closing_request private.closing_requests;
  period public.reconciliations;
  run public.runs;
begin
  select * into closing_request
  from private.closing_requests
  where closing_requests.tenant_id = tenant and closing_requests.reconciliation_id = reconciliation
    and closing_requests.failure is null;
  if closing_request.run_id is null then
    return closing_request.tenant_id is not null;
  end if;
  period := private.lock_period(tenant, reconciliation);
  select * into strict run
  from public.runs where runs.tenant_id = tenant and runs.id = closing_request.run_id;
  if run.status in ('queued', 'running') then
    perform private.queue_closing(period, interval '2 seconds');
    return false;
  end if;
  perform private.require_nothing_found(run);
  perform private.act_for_requester(closing_request);
  perform private.require_closable(period);
  update private.closing_requests set run_id = null
  where closing_requests.tenant_id = tenant and closing_requests.reconciliation_id = reconciliation;
  return true;
end $function$;
CREATE OR REPLACE FUNCTION private.write_requested_closing(tenant text, reconciliation text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  closing_request private.closing_requests;
begin
  if current_setting('transaction_isolation') = 'read committed' then
    raise exception 'A closing is written down of one snapshot.';
  end if;
  select * into closing_request
  from private.closing_requests
  where closing_requests.tenant_id = tenant and closing_requests.reconciliation_id = reconciliation
    and closing_requests.failure is null and closing_requests.run_id is null;
  if not found then
    return false;
  end if;
  -- Written by an earlier attempt.
  if not exists (select from public.closings closing
    where closing.tenant_id = tenant and closing.reconciliation_id = reconciliation) then
    perform private.write_closing(period, closing_request.asked_by #>> '{claims,actor}')
    from public.reconciliations period
    where period.tenant_id = tenant and period.id = reconciliation;
  end if;
  return true;
end $function$;
CREATE OR REPLACE FUNCTION private.complete_requested_closing(tenant text, reconciliation text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  closing_request private.closing_requests;
  period public.reconciliations;
begin
  perform private.lock_pair(closing_requests.tenant_id, closing_requests.pair_no)
    from private.closing_requests
  where closing_requests.tenant_id = tenant and closing_requests.reconciliation_id = reconciliation;
  select * into period
  from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation
    for no key update;
  select * into closing_request
  from private.closing_requests
  where closing_requests.tenant_id = tenant and closing_requests.reconciliation_id = reconciliation
    and closing_requests.failure is null;
  if found then
    perform private.act_for_requester(closing_request);
    perform private.complete_closing(period);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.fail_closing(tenant text, reconciliation text, failure text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  period public.reconciliations;
  failed private.closing_requests;
begin
  select * into strict period
  from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation;
  perform private.lock_pair(tenant, period.pair_no);
  update private.closing_requests closing_request set failure = fail_closing.failure
  where closing_request.tenant_id = tenant and closing_request.reconciliation_id = reconciliation
    and closing_request.failure is null
  returning * into failed;
  if failed.run_id is not null then
    return true;
  elsif failed.tenant_id is null then
    return false;
  end if;
  perform private.delete_closing(period);
  perform private.return_to_reopened(period);
  perform private.request_runs(tenant, period.pair_no);
  -- A suggestion may have been deleted because the next period had one of the same line: a run
  -- makes it again.
  perform private.queue_run(tenant, period.pair_no, period.id, null, interval '1 second');
  return true;
end $function$;
grant execute on function private.begin_requested_closing(text,text) to service_role;
