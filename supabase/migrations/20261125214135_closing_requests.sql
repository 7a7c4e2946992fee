-- Periods of many lines are closed by a matcher.
-- contracts: private.undone_at_once() goes: only private.undo_own_import called it, and both are replaced here.

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.undone_at_once();
create table private.closing_requests (
  tenant_id text not null,
  reconciliation_id text not null,
  pair_no integer not null,
  asked_by jsonb not null,
  asked_at timestamp(3) with time zone not null default now(),
  failure text
);
alter table private.closing_requests add constraint closing_requests_pkey PRIMARY KEY (tenant_id, reconciliation_id);
alter table private.closing_requests enable row level security; alter table private.closing_requests no force row level security;
CREATE OR REPLACE FUNCTION private.guard_period(after public.reconciliations, before public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  -- A caller's own, whatever row it gives.
  tenant constant text := coalesce(private.tenant_id(), after.tenant_id);
begin
  if (after.matched_count, after.unmatched_count) is distinct from (0::bigint, 0::bigint) then
    perform private.refuse('conflict', 'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
  elsif before.closed_at is not null and after.closed_at is not null
    and (after.name, after.period_start, after.period_end, after.left_source, after.right_source) is distinct from
      (before.name, before.period_start, before.period_end, before.left_source, before.right_source) then
    perform private.refuse('conflict', 'The period is closed. Reopen it first.');
  elsif after.status = 'completed' and after.closed_at is null then
    perform private.refuse('conflict', 'This reconciliation is completed by closing it: POST to its /close.');
  elsif after.closed_at is not null and after.status not in ('completed', 'archived') then
    perform private.refuse('conflict', 'The period is closed. Reopen it by POST to its /reopen.');
  end if;
  if before.id is not null then
    perform private.require_not_closing(tenant, after.pair_no, after.id);
  end if;
  if before.id is not null and (after.period_start, after.period_end) = (before.period_start, before.period_end) then
    return;
  end if;
  if not exists (
    select from public.pairs p
    join public.sources l on l.tenant_id = p.tenant_id and l.source_no = p.left_source_no and l.id = after.left_source_id
    join public.sources r on r.tenant_id = p.tenant_id and r.source_no = p.right_source_no and r.id = after.right_source_id
    where p.tenant_id = tenant and p.pair_no = after.pair_no
  ) then
    perform private.refuse_field('left_source_id', 'These are not the sources of this pair. Create the reconciliation by POST /v1/reconciliations.');
  end if;
  perform private.hold_pair(tenant, after.pair_no);
  if before.id is not null and (
    exists (select from public.matches m where m.tenant_id = tenant and m.reconciliation_id = after.id)
    or exists (select from public.exclusions x where x.tenant_id = tenant and x.reconciliation_id = after.id)
  ) then
    perform private.refuse('conflict', 'The period has matches or excluded lines, and keeps its dates.');
  elsif exists (
    select from public.reconciliations r
    where r.tenant_id = tenant and r.pair_no = after.pair_no and r.id <> after.id
      and r.period_start <= after.period_end and r.period_end >= after.period_start
  ) then
    perform private.refuse('conflict', 'Another reconciliation of these two sources covers some of these days. Periods of a pair may not overlap.');
  elsif exists (
    select from public.reconciliations r
    where r.tenant_id = tenant and r.pair_no = after.pair_no and r.id <> after.id and r.closed_at is not null
      and r.period_start > after.period_end
  ) then
    perform private.refuse('conflict', 'A later period of these two sources is closed, and carried forward what was open of these days. '
      'Choose days after it, or reopen it first.');
  end if;
  perform private.require_not_closing(tenant, r.pair_no, r.id) from public.reconciliations r
  where r.tenant_id = tenant and r.pair_no = after.pair_no and r.id <> after.id and r.period_start > after.period_end;
end $function$;
CREATE OR REPLACE FUNCTION private.reconciliation_json(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', r.id, 'name', r.name, 'status', r.status, 'period_start', r.period_start, 'period_end', r.period_end,
    'left_source', r.left_source, 'right_source', r.right_source, 'left_source_id', r.left_source_id, 'right_source_id', r.right_source_id,
    'auto_run', r.auto_run, 'preparing', private.is_preparing(r.tenant_id, r.pair_no),
    'matched_count', case when r.pair_no is null then r.matched_count else coalesce((
      select c.lines from private.matched_counts c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id), 0) end,
    'unmatched_count', case when r.pair_no is null then r.unmatched_count when r.closed_at is not null then (
      select count(*) from public.carried_lines c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id)
    else (
      select count(*) from private.open_lines o where o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.value_date <= r.period_end) end,
    'excluded_count', (select count(*) from public.exclusions e where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id),
    'closed_at', private.iso(r.closed_at), 'closed_by', r.closed_by,
    'closing', private.is_closing(r.tenant_id, r.pair_no, r.id), 'closing_failure', (
      select q.failure from private.closing_requests q where q.tenant_id = r.tenant_id and q.reconciliation_id = r.id and r.status <> 'archived'),
    'open_exceptions', (
      select count(*) from public.exceptions e
      where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id and e.status in ('open', 'in_review')
    ),
    'created_at', private.iso(r.created_at), 'created_by', r.created_by, 'updated_at', private.iso(r.updated_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.lines_at_once()
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN 20000;
CREATE OR REPLACE FUNCTION private.undo_own_import(import_id text)
 RETURNS public.imports
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  i public.imports;
begin
  perform private.require_to_write();
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
CREATE OR REPLACE FUNCTION private.hold_period(tenant text, reconciliation text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  if not found then
    perform private.refuse_missing('reconciliation');
  elsif r.pair_no is null then
    perform private.refuse('conflict', 'This reconciliation has no sources. Create one with left_source_id and right_source_id to match lines.');
  end if;
  perform private.require_prepared(tenant, r.pair_no);
  perform private.hold_pair(tenant, r.pair_no);
  select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation for no key update;
  if r.closed_at is not null then
    perform private.refuse('conflict', 'The period is closed. Reopen it first.');
  elsif r.status = 'archived' then
    perform private.refuse('conflict', 'The reconciliation is archived: it does not change any more.');
  end if;
  perform private.require_not_closing(tenant, r.pair_no, r.id);
  return r;
end $function$;
CREATE OR REPLACE FUNCTION private.require_undoable(tenant_id text, source_no integer, line_nos bigint[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  held public.reconciliations;
begin
  perform private.require_not_closing(p.tenant_id, p.pair_no) from public.pairs p
  where p.tenant_id = $1 and $2 in (p.left_source_no, p.right_source_no);
  select r.* into held from (
    select m.reconciliation_id as id from public.match_members mm
    join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id and m.state = 'confirmed'
    where mm.tenant_id = $1 and mm.line_no = any (line_nos)
    union all
    select x.reconciliation_id from public.exclusions x where x.tenant_id = $1 and x.line_no = any (line_nos)
    union all
    select c.reconciliation_id from public.pairs p
    join public.reconciliations q on q.tenant_id = p.tenant_id and q.pair_no = p.pair_no and q.closed_at is not null
    join public.carried_lines c on c.tenant_id = q.tenant_id and c.reconciliation_id = q.id and c.line_no = any (line_nos)
    where p.tenant_id = $1 and $2 in (p.left_source_no, p.right_source_no)
  ) x
  join public.reconciliations r on r.tenant_id = $1 and r.id = x.id and (r.closed_at is not null or r.status = 'archived')
  limit 1;
  if found then
    perform private.refuse('conflict', format('%s, which is %s, matched, excluded or carried forward a line of this import. %s',
      held.name, case held.status when 'archived' then 'archived' else 'closed' end,
      case held.status when 'archived' then 'Exclude the lines in an open period instead.' else 'Reopen it first.' end));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.ask_for_runs(tenant text, pair integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.queue_run(r.tenant_id, r.pair_no, r.id, null, interval '1 second') from (
    select * from public.reconciliations x
    where x.tenant_id = tenant and x.pair_no = pair and x.auto_run and x.closed_at is null and x.status <> 'archived'
      and not private.is_closing(tenant, pair, x.id)
    order by x.period_end
  ) r;
end $function$;
CREATE OR REPLACE FUNCTION private.ask_for_own_run(reconciliation text, trial jsonb)
 RETURNS public.runs
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  asked public.runs;
begin
  select * into r from public.reconciliations x where x.tenant_id = private.tenant_id() and x.id = reconciliation for no key update;
  if r.closed_at is not null and trial is null then
    perform private.refuse('conflict', 'The period is closed. Reopen it first.');
  elsif r.status = 'archived' then
    perform private.refuse('conflict', 'The reconciliation is archived: it does not change any more.');
  end if;
  if trial is null then
    perform private.require_not_closing(r.tenant_id, r.pair_no, r.id);
    select * into asked from public.runs x
    where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id and x.status = 'queued' and x.dry_run is null;
    if found then
      return asked;
    end if;
  end if;
  insert into public.runs (reconciliation_id, pair_no, dry_run, stage) values (r.id, r.pair_no, trial, 'queued') returning * into asked;
  perform private.queue_run(r.tenant_id, r.pair_no, r.id, case when trial is not null then asked.id end, interval '0');
  return asked;
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
  begun public.runs;
  rule_set public.pair_rules;
  last_run public.runs;
  policy jsonb;
  calendar jsonb;
begin
  select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  select * into begun from public.runs x
  where x.tenant_id = tenant and x.reconciliation_id = reconciliation and x.status in ('queued', 'running')
    and case when asked is null then x.dry_run is null else x.id = asked end
  order by x.id limit 1 for update;
  if r.pair_no is null or r.status = 'archived'
    or begun.dry_run is null and (r.closed_at is not null or private.is_closing(tenant, r.pair_no, r.id)) then
    update public.runs x set status = 'failed', finished_at = now(), failure = 'The period was closed before the run began.'
    where x.tenant_id = tenant and x.id = begun.id;
    return null;
  end if;
  select * into p from public.pairs x where x.tenant_id = tenant and x.pair_no = r.pair_no;
  if p.opening is not null then
    return null;
  end if;
  if begun.id is null then
    if asked is not null then
      return null;
    end if;
    insert into public.runs (tenant_id, reconciliation_id, pair_no) values (tenant, r.id, r.pair_no) returning * into begun;
  end if;
  select * into rule_set from public.pair_rules x where x.tenant_id = tenant and x.pair_no = p.pair_no and x.version = p.rules_version;
  select * into last_run from public.runs x
  where x.tenant_id = tenant and x.reconciliation_id = r.id and x.status = 'done' and x.dry_run is null order by x.id desc limit 1;
  policy := private.default_policy() || coalesce(rule_set.policy, '{}')
    || jsonb_strip_nulls(jsonb_build_object('fees', begun.dry_run -> 'fees'));
  calendar := private.open_days(tenant, case when begun.dry_run ? 'calendar_id' then begun.dry_run else policy end ->> 'calendar_id');
  update public.runs x set status = 'running', stage = 'reading', started_at = now(), rules_version = p.rules_version, engine_version = engine,
    calendar_id = calendar ->> 'calendar_id', calendar_version = (calendar ->> 'calendar_version')::integer, lines_done = 0, lines_total = 0,
    attempt = x.attempt + 1
  where x.tenant_id = tenant and x.id = begun.id returning * into begun;
  return jsonb_build_object(
    'run_id', begun.id, 'attempt', begun.attempt, 'dry_run', begun.dry_run, 'pair_no', p.pair_no, 'lines', (
      select sum(s.line_count) from public.sources s where s.tenant_id = tenant and s.source_no in (p.left_source_no, p.right_source_no)
    ), 'period_end', r.period_end, 'closed', r.closed_at is not null, 'weights', p.weights,
    'rules', coalesce(begun.dry_run -> 'rules', rule_set.rules), 'policy', policy, 'open_days', calendar -> 'open_days',
    -- Whether all that the engine made is weighed again, or what it settled by its first rules stands.
    'whole', begun.dry_run is not null or last_run.id is null or last_run.rules_version is distinct from p.rules_version
      or last_run.engine_version is distinct from engine
      or (last_run.calendar_id, last_run.calendar_version::text) is distinct from (calendar ->> 'calendar_id', calendar ->> 'calendar_version')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_closable(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from public.reconciliations x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_end < r.period_start and x.closed_at is null and x.status <> 'archived'
  ) then
    perform private.refuse('conflict', 'An earlier period of these sources is open. Close that one first.');
  elsif exists (
    select from public.runs x
    where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id and x.status in ('queued', 'running') and x.dry_run is null
  ) then
    perform private.refuse('conflict', 'A run of this period is under way. Close it when the run is done.');
  elsif exists (
    select from public.pairs p join public.imports i
      on i.tenant_id = p.tenant_id and i.source_no in (p.left_source_no, p.right_source_no) and i.status = 'undoing'
    where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  ) then
    perform private.refuse('conflict', 'An import of its sources is being undone. Close it when that is done.');
  end if;
  if private.needs_other_eyes(r) and private.worked_in_period(r, private.actor()) then
    perform private.refuse('conflict', 'You matched, wrote off, excluded or undid something in this period by hand. Ask somebody who did not to close it.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.write_closing(r public.reconciliations, closed_by text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  statement jsonb;
  unexplained jsonb;
begin
  insert into public.carried_lines (tenant_id, reconciliation_id, line_no, side, open_minor, currency, value_date)
  select o.tenant_id, r.id, o.line_no, o.side, o.open_minor, o.currency, o.value_date from private.open_in_period(r) o order by o.line_no;
  r.closed_at := now();
  r.closed_by := write_closing.closed_by;
  statement := private.statement_json(r);
  if not (statement #>> '{proof,holds}')::boolean then
    perform private.refuse('conflict', 'The proof does not hold: matched, excluded and open lines are not all lines. Tell us before you close.');
  end if;
  select d into unexplained from jsonb_array_elements(statement -> 'differences') d where d -> 'difference_minor' <> '0' limit 1;
  if found then
    perform private.refuse('conflict', format('The statement leaves a difference of %s in minor units of %s, which nothing explains. '
      'Reopen and look at earlier periods of these sources, or tell us before you close.', unexplained ->> 'difference_minor', unexplained ->> 'currency'));
  end if;
  insert into public.closings (tenant_id, reconciliation_id, statement, closed_at, closed_by)
  values (r.tenant_id, r.id, statement, r.closed_at, r.closed_by);
  update public.closings c set digest = private.closing_digest(r.tenant_id, r.id)
  where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
end $function$;
CREATE OR REPLACE FUNCTION private.forget_closing(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from public.closings c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
  delete from public.carried_lines c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
end $function$;
CREATE OR REPLACE FUNCTION private.complete_closing(before public.reconciliations)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  c public.closings;
  r public.reconciliations;
begin
  select * into strict c from public.closings x where x.tenant_id = before.tenant_id and x.reconciliation_id = before.id;
  delete from private.closing_requests q where q.tenant_id = before.tenant_id and q.reconciliation_id = before.id;
  if before.status = 'open' then
    update public.reconciliations x set status = 'in_progress' where x.tenant_id = before.tenant_id and x.id = before.id;
  end if;
  update public.reconciliations x set status = 'completed', closed_at = c.closed_at, closed_by = c.closed_by
  where x.tenant_id = before.tenant_id and x.id = before.id
  returning * into r;
  perform private.complete_last_run(r);
  perform private.record_security_event('reconciliation.closed', r.id, null, jsonb_build_object('digest', c.digest));
  perform private.queue_book_examination(r.tenant_id, r.pair_no);
  perform private.emit_own('reconciliation.closed', jsonb_build_object('reconciliation', private.reconciliation_json(r)));
  return r;
end $function$;
CREATE OR REPLACE FUNCTION private.close_own_period(id text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  lines constant bigint := (
    select sum(s.line_count) from public.reconciliations r
    join public.sources s on s.tenant_id = r.tenant_id and s.id in (r.left_source_id, r.right_source_id)
    where r.tenant_id = tenant and r.id = $1
  );
  r public.reconciliations;
begin
  if lines > private.lines_at_once() then
    r := private.hold_period(tenant, $1);
    perform private.require_closable(r);
    perform private.request_closing(r);
    return r;
  end if;
  r := private.hold_period_alone(tenant, $1);
  perform private.require_closable(r);
  perform private.write_closing(r, private.actor());
  -- The next period has its own look at what is open.
  perform private.delete_matches(r.tenant_id, private.suggested_of(r.tenant_id, r.id));
  return private.complete_closing(r);
end $function$;
CREATE OR REPLACE FUNCTION private.reopen_own_period(id text, reason text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  perform private.hold_pair_of_own($1);
  select * into r from public.reconciliations x where x.tenant_id = private.tenant_id() and x.id = $1 for no key update;
  if r.closed_at is null then
    perform private.refuse('conflict', 'The period is not closed.');
  elsif exists (
    select from public.reconciliations x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_start > r.period_end and x.closed_at is not null
  ) then
    perform private.refuse('conflict', 'A later period of these sources is closed, and builds on this one. Reopen that one first.');
  end if;
  perform private.require_not_closing(r.tenant_id, r.pair_no);
  update public.reconciliations x set status = 'in_progress', closed_at = null, closed_by = null
  where x.tenant_id = r.tenant_id and x.id = r.id
  returning * into r;
  perform private.forget_closing(r);
  perform private.record_security_event('reconciliation.reopened', r.id, reason);
  perform private.emit_own('reconciliation.reopened', jsonb_build_object('reconciliation', private.reconciliation_json(r), 'reason', reason));
  return r;
end $function$;
CREATE OR REPLACE FUNCTION private.is_closing(tenant text, pair integer, reconciliation text DEFAULT NULL::text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from private.closing_requests q
    where q.tenant_id = tenant and q.pair_no = pair and q.failure is null
      and (reconciliation is null or q.reconciliation_id = reconciliation)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_not_closing(tenant text, pair integer, reconciliation text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if private.is_closing(tenant, pair, reconciliation) then
    perform private.refuse('conflict', 'A period of these sources is being closed. Wait until closing is false in its reconciliation, and '
      'send the call again.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.request_closing(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- Of an attempt that was taken for dead, and was not.
  perform private.forget_closing(r);
  insert into private.closing_requests as q (tenant_id, reconciliation_id, pair_no, asked_by)
  values (r.tenant_id, r.id, r.pair_no, jsonb_build_object('claims', auth.jwt(), 'operation', current_setting('tieout.operation', true),
    'address', current_setting('tieout.address', true)))
  on conflict (tenant_id, reconciliation_id) do update set asked_by = excluded.asked_by, asked_at = excluded.asked_at, failure = null;
  perform graphile_worker.add_job('close_period',
    private.of_request(jsonb_build_object('tenant_id', r.tenant_id, 'reconciliation_id', r.id)),
    queue_name => 'pair:' || r.pair_no, job_key => 'close:' || r.id, max_attempts => 6, flags => private.places_of(r.tenant_id, 'lines'));
end $function$;
CREATE OR REPLACE FUNCTION private.write_requested_closing(tenant text, reconciliation text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  q private.closing_requests;
begin
  if current_setting('transaction_isolation') = 'read committed' then
    raise exception 'A closing is written down of one snapshot.';
  end if;
  select * into q from private.closing_requests x where x.tenant_id = tenant and x.reconciliation_id = reconciliation and x.failure is null;
  if not found then
    return false;
  end if;
  -- By an attempt before this one.
  if not exists (select from public.closings c where c.tenant_id = tenant and c.reconciliation_id = reconciliation) then
    perform private.write_closing(r, q.asked_by #>> '{claims,actor}') from public.reconciliations r
    where r.tenant_id = tenant and r.id = reconciliation;
  end if;
  return true;
end $function$;
CREATE OR REPLACE FUNCTION private.delete_suggestions_of_closing(tenant text, reconciliation text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  ids uuid[];
begin
  perform private.hold_pair(q.tenant_id, q.pair_no) from private.closing_requests q
  where q.tenant_id = tenant and q.reconciliation_id = reconciliation;
  ids := array(
    select m.id from public.matches m
    where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'suggested'
      and private.is_closing(tenant, m.pair_no, reconciliation)
    order by m.id limit 5000
  );
  perform private.delete_matches(tenant, ids);
  return cardinality(ids);
end $function$;
CREATE OR REPLACE FUNCTION private.complete_requested_closing(tenant text, reconciliation text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  q private.closing_requests;
  r public.reconciliations;
begin
  perform private.hold_pair(x.tenant_id, x.pair_no) from private.closing_requests x
  where x.tenant_id = tenant and x.reconciliation_id = reconciliation;
  select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation for no key update;
  select * into q from private.closing_requests x where x.tenant_id = tenant and x.reconciliation_id = reconciliation and x.failure is null;
  if found then
    perform set_config('request.jwt.claims', q.asked_by ->> 'claims', true);
    perform set_config('tieout.operation', coalesce(q.asked_by ->> 'operation', ''), true);
    perform set_config('tieout.address', coalesce(q.asked_by ->> 'address', ''), true);
    perform private.complete_closing(r);
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
  return true;
end $function$;
CREATE OR REPLACE FUNCTION private.end_abandoned_closings(failure text)
 RETURNS SETOF text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query
  select q.reconciliation_id from private.closing_requests q left join graphile_worker.jobs j on j.key = 'close:' || q.reconciliation_id
  where q.failure is null
    and case when j.id is null then q.asked_at < now() - interval '1 hour' else j.attempts >= j.max_attempts and j.locked_at is null end
    and private.fail_closing(q.tenant_id, q.reconciliation_id, end_abandoned_closings.failure);
end $function$;
create policy closing_requests_read on private.closing_requests as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text, 'read:exceptions'::text, 'write:exceptions'::text]) AS may)));
grant execute on function private.complete_requested_closing(text,text) to service_role;
grant execute on function private.delete_suggestions_of_closing(text,text) to service_role;
grant execute on function private.end_abandoned_closings(text) to service_role;
grant execute on function private.fail_closing(text,text,text) to service_role;
grant execute on function private.is_closing(text,integer,text) to authenticated;
grant execute on function private.write_requested_closing(text,text) to service_role;
grant select (failure, pair_no, reconciliation_id, tenant_id) on private.closing_requests to authenticated;
