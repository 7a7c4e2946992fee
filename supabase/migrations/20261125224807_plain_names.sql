-- Functions are called by what they do: they report, notify and refresh.

drop trigger tell on public.exception_comments;
-- contracts: a worker of the previous release calls it during the rollout; its job is retried by the next release
drop function private.tell_security_event_counts();
-- contracts: only the trigger dropped before called it
drop function private.tell_exception_comments();
-- contracts: only functions of the database called it, which are replaced with this migration
drop function private.tell_import(public.imports);
-- contracts: only functions of the database called it, which are replaced with this migration
drop function private.ring(text,text);

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.notify(topic text, what text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform pg_notify('tieout', topic || ' ' || what);
end $function$;
CREATE OR REPLACE FUNCTION private.report_security_event_counts()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  reported integer := 0;
  c private.security_event_counts;
begin
  for c in
    with over as (
      delete from private.security_event_counts x where x.minute < date_trunc('minute', clock_timestamp() - interval '5 seconds') returning x.*
    )
    select * from over order by chain, minute, bucket
  loop
    if c.count > 1 then
      perform private.append_security_event(c.first || jsonb_build_object(
        'operation', case when cardinality(c.operations) = 1 then c.operations[1] end,
        'target', case when cardinality(c.targets) = 1 then c.targets[1] end,
        'address', case when cardinality(c.addresses) = 1 then c.addresses[1] end,
        'details', coalesce(nullif(c.first -> 'details', 'null'), '{}') || jsonb_build_object(
          'count', c.count - 1, 'minute', private.iso(c.minute), 'operations', c.operations, 'targets', c.targets, 'addresses', c.addresses
        )
      ));
      reported := reported + 1;
    end if;
  end loop;
  return reported;
end $function$;
CREATE OR REPLACE FUNCTION private.report_import_progress(tenant_id text, import_id text, progress jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.imports x set
    bytes_read = (progress ->> 'bytes_read')::bigint, read_count = (progress ->> 'read_count')::bigint,
    refused_count = (progress ->> 'refused_count')::bigint
  where x.tenant_id = $1 and x.id = $2 and x.status = 'reading';
  return found;
end $function$;
CREATE OR REPLACE FUNCTION private.emit_import_done(i public.imports)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.emit(i.tenant_id, 'import.done', jsonb_build_object('import', private.import_json(i) - '{refusals,statements}'::text[]));
end $function$;
CREATE OR REPLACE FUNCTION private.finish_import(tenant_id text, import_id text, outcome jsonb)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i public.imports;
  kept jsonb;
  lines_at constant regclass := pg_get_serial_sequence('public.lines', 'line_no');
  first_no constant bigint := pg_sequence_last_value(lines_at);
begin
  select * into strict i from public.imports x where x.tenant_id = $1 and x.id = $2;
  kept := private.keep_staged_lines($1, i.source_no, $2);
  update public.imports x set
    status = 'done', finished_at = now(), bytes_read = x.bytes_total,
    read_count = (outcome ->> 'read_count')::bigint,
    accepted_count = (kept ->> 'accepted')::bigint,
    duplicate_count = (kept ->> 'duplicates')::bigint,
    refused_count = (outcome ->> 'refused_count')::bigint + (kept ->> 'conflict_count')::bigint,
    skipped_count = (outcome ->> 'skipped_count')::bigint,
    refusals = private.first_of(outcome -> 'refusals' || (
      select coalesce(jsonb_agg(jsonb_build_object('line', c -> 'file_line', 'field', 'external_id', 'message', format(
        'A line with this external_id has another amount. Found "%s", expected %s.', c ->> 'found', c ->> 'wanted'
      ))), '[]') from jsonb_array_elements(kept -> 'conflicts') c
    ), 100),
    statements = private.first_of(outcome -> 'statements', 100),
    opening_balance_minor = (outcome ->> 'opening_balance_minor')::bigint,
    closing_balance_minor = (outcome ->> 'closing_balance_minor')::bigint,
    balance_holds = (outcome ->> 'balance_holds')::boolean,
    first_line_no = coalesce(first_no, 0), last_line_no = pg_sequence_last_value(lines_at)
  where x.tenant_id = $1 and x.id = $2 and x.status = 'reading'
  returning * into i;
  if not found then
    return (select x.status from public.imports x where x.tenant_id = $1 and x.id = $2);
  end if;
  delete from private.import_chunks c where c.tenant_id = $1 and c.import_id = $2;
  update public.sources s set last_import_at = now() where s.tenant_id = $1 and s.source_no = i.source_no;
  perform private.emit_import_done(i);
  return 'done';
end $function$;
CREATE OR REPLACE FUNCTION private.fail_import(tenant_id text, import_id text, failure text, refusals jsonb DEFAULT '[]'::jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i public.imports;
begin
  update public.imports x set
    status = 'failed', finished_at = now(), failure = fail_import.failure, refusals = private.first_of(fail_import.refusals, 100)
  where x.tenant_id = $1 and x.id = $2 and x.status in ('queued', 'reading')
  returning * into i;
  if found then
    delete from private.import_chunks c where c.tenant_id = $1 and c.import_id = $2;
    perform private.emit_import_done(i);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_undoing(import_id text)
 RETURNS public.imports
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  i public.imports;
begin
  select * into i from public.imports x where x.tenant_id = private.tenant_id() and x.id = $1 and x.status <> 'receiving' for update;
  if not found then
    perform private.refuse_missing('import');
  end if;
  if i.status in ('queued', 'reading') then
    update public.imports x set status = 'undone', undone_at = now(), undone_by = private.actor(), finished_at = now()
    where x.tenant_id = i.tenant_id and x.id = i.id
    returning * into i;
    delete from private.import_chunks c where c.tenant_id = i.tenant_id and c.import_id = i.id;
    return i;
  elsif i.status = 'done' and i.accepted_count <= private.lines_at_once() then
    return private.remove_import(i.tenant_id, i.id, private.actor());
  elsif i.status = 'done' then
    -- So that no closing of theirs begins unseen.
    perform private.hold_pairs_of_source(i.tenant_id, i.source_no);
    perform private.require_undoable(i.tenant_id, i.source_no, private.line_nos_of_import(i.tenant_id, i.id));
    update public.imports x set status = 'undoing', undone_by = private.actor() where x.tenant_id = i.tenant_id and x.id = i.id
    returning * into i;
    perform graphile_worker.add_job(
      'undo_import', private.of_request(jsonb_build_object('tenant_id', i.tenant_id, 'import_id', i.id)),
      queue_name => 'source:' || i.tenant_id || ':' || i.source_no, max_attempts => 6, flags => private.places_of(i.tenant_id, 'lines')
    );
    return i;
  end if;
  perform private.refuse('conflict', case i.status
    when 'failed' then 'This import failed, and nothing of it was kept: there is nothing to undo.'
    else 'This import is undone already.'
  end);
end $function$;
CREATE OR REPLACE FUNCTION private.refresh_statistics(tenant text, anyway boolean DEFAULT false)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET lock_timeout TO '5s'
AS $function$
declare
  lines constant bigint := coalesce((select sum(s.line_count) from public.sources s where s.tenant_id = tenant), 0);
  in_pairs constant bigint := coalesce((
    select sum(s.line_count) from public.pairs p join public.sources s on s.tenant_id = p.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
    where p.tenant_id = tenant and p.opening is null), 0);
  matched constant bigint := coalesce((select sum(c.lines) from private.matched_counts c where c.tenant_id = tenant), 0);
  x record;
begin
  for x in
    -- A match has two lines, and seldom more than four.
    select * from (values ('public.lines', lines), ('private.open_lines', in_pairs - matched), ('public.match_members', matched),
      ('public.matches', matched / 4), ('public.exceptions', 0), ('private.exception_lines', 0)) t (of_table, rows)
  loop
    if anyway or x.rows > 10000 and x.rows > (select c.reltuples / 300 from pg_class c where c.oid = x.of_table::regclass)
      and private.expected_rows(tenant, x.of_table) <= x.rows / 4 then
      execute 'analyze ' || x.of_table;
    end if;
  end loop;
exception when lock_not_available then
  null;
end $function$;
CREATE OR REPLACE FUNCTION private.report_run_progress(tenant text, run text, attempt integer, stage text, done bigint, total bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_attempt(tenant, run, attempt);
  update public.runs x set stage = left(report_run_progress.stage, 200), lines_done = done, lines_total = greatest(total, x.lines_total)
  where x.tenant_id = tenant and x.id = run;
end $function$;
CREATE OR REPLACE FUNCTION private.finish_run(tenant text, run text, attempt integer, outcome jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  x public.runs;
  p public.reconciliations;
  totals record;
  violations text[];
begin
  perform private.require_attempt(tenant, run, attempt);
  select * into strict x from public.runs y where y.tenant_id = tenant and y.id = run;
  select * into p from public.reconciliations r where r.tenant_id = tenant and r.id = x.reconciliation_id;
  select * into totals from private.digest_of_period(tenant, x.reconciliation_id);
  violations := private.violations_of_period(tenant, x.reconciliation_id, run);
  update public.runs y set
    status = case when cardinality(violations) = 0 then 'done' else 'failed' end, stage = null, finished_at = clock_timestamp(),
    failure = case when cardinality(violations) > 0 then
      'An internal check failed after this run. It has been logged: send us the run''s id.' end,
    lines_done = y.lines_total, digest = y.engine_version || ':' || totals.digest, suggested_count = totals.suggested,
    open_count = (
      select count(*) from private.open_lines o where o.tenant_id = tenant and o.pair_no = p.pair_no and o.value_date <= p.period_end),
    waterfall = private.whole_waterfall(p, private.rules_of_waterfall(outcome -> 'waterfall')), changed = outcome -> 'changed',
    exceptions_opened = (outcome ->> 'exceptions_opened')::integer, exceptions_held_back = (outcome ->> 'exceptions_held_back')::integer
  where y.tenant_id = tenant and y.id = run
  returning * into x;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(x)), run);
  return violations;
end $function$;
CREATE OR REPLACE FUNCTION private.require_not_closing(tenant text, pair integer, reconciliation text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if private.is_closing(tenant, pair, reconciliation) then
    perform private.refuse('conflict', 'A period of these sources is being closed. Try again once that is done: its reconciliation then has '
      '"closing": false.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.fail_closing(tenant text, reconciliation text, failure text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  select * into strict r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  perform private.hold_pair(tenant, r.pair_no);
  update private.closing_requests q set failure = fail_closing.failure
  where q.tenant_id = tenant and q.reconciliation_id = reconciliation and q.failure is null;
  if not found then
    return false;
  end if;
  perform private.forget_closing(r);
  perform private.ask_for_runs(tenant, r.pair_no);
  -- Its suggestions may be gone by now, and come again with a run, whether or not it runs by itself.
  perform private.queue_run(tenant, r.pair_no, r.id, null, interval '1 second');
  return true;
end $function$;
CREATE OR REPLACE FUNCTION private.end_abandoned_closings(failure text)
 RETURNS SETOF text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  q private.closing_requests;
begin
  -- One by one: in the condition of the query a closing would be ended before its job is looked at.
  for q in
    select x.* from private.closing_requests x left join graphile_worker.jobs j on j.key = 'close:' || x.reconciliation_id
    where x.failure is null
      and case when j.id is null then x.asked_at < now() - interval '1 hour' else j.attempts >= j.max_attempts and j.locked_at is null end
    order by x.tenant_id, x.pair_no
  loop
    if private.fail_closing(q.tenant_id, q.reconciliation_id, failure) then
      return next q.reconciliation_id;
    end if;
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.emit_exception_comments()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into public.events (tenant_id, type, data)
  select c.tenant_id, 'exception.commented', jsonb_build_object('exception', private.exception_json(e), 'comment', private.exception_comment_json(c))
  from added a
  join public.exception_comments c on c.tenant_id = a.tenant_id and c.exception_id = a.exception_id and c.id = a.id
  join public.exceptions e on e.tenant_id = a.tenant_id and e.id = a.exception_id
  order by c.id;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.wake_webhook(webhook_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.notify('deliveries', webhook_id);
end $function$;
CREATE OR REPLACE FUNCTION private.tell_run_progress(tenant text, run text, attempt integer, stage text, done bigint, total bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.report_run_progress(tenant, run, attempt, stage, done, total);
end $function$;
CREATE OR REPLACE FUNCTION private.tell_import_progress(tenant_id text, import_id text, progress jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return private.report_import_progress(tenant_id, import_id, progress);
end $function$;
CREATE OR REPLACE FUNCTION private.look_again(tenant text, anyway boolean DEFAULT false)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.refresh_statistics(tenant, anyway);
end $function$;
CREATE TRIGGER emit_events AFTER INSERT ON public.exception_comments REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION private.emit_exception_comments();
grant execute on function private.refresh_statistics(text,boolean) to service_role;
grant execute on function private.report_import_progress(text,text,jsonb) to service_role;
grant execute on function private.report_run_progress(text,text,integer,text,bigint,bigint) to service_role;
