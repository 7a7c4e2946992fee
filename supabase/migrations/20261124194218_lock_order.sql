-- Locks of a pair are taken in one order, and what closes, undoes and adjusts is held to what the books need.

alter table public.closings add column digest text check (digest ~ '^[0-9a-f]{64}$');
alter table public.runs add column attempt integer not null default 0;
create index runs_unended on public.runs (tenant_id, id) where status in ('queued', 'running');

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.require_undoable(text,bigint[]);
drop function private.point_exceptions_at_suggestions(text,text);
drop function private.open_line_exceptions(text,text,jsonb);
drop function private.keep_weights(text,integer,jsonb,bigint);
drop function private.fail_run(text,text,text);
drop function private.finish_dry_run(text,text,jsonb);
drop function private.finish_run(text,text,jsonb);
drop function private.keep_matches(text,text,text,uuid[],uuid[],text[],text[],text[],boolean[],real[],real[],text[],bigint[],bigint[],jsonb,bigint[],bigint[],uuid[],bigint[],text[],bigint[]);
drop function private.tell_run_progress(text,text,text,bigint,bigint);
delete from private.event_kinds;
delete from private.operations;
delete from private.permissions;
CREATE OR REPLACE FUNCTION private.guard_reconciliation()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'INSERT' and private.tenant_id() is not null then
    perform private.require_quota('reconciliations');
  end if;
  if new.period_end < new.period_start then
    perform private.refuse_field('period_end', 'The period cannot end before it starts.');
  end if;
  if tg_op = 'UPDATE' then
    if not private.reconciliation_may_move(old.status, new.status) then
      perform private.refuse('invalid_transition', format('A reconciliation cannot move from %s to %s.', old.status, new.status));
    end if;
    new.updated_at := now();
  end if;
  if num_nonnulls(new.pair_no, new.left_source_id, new.right_source_id) > 0 then
    perform private.guard_period(new, case when tg_op = 'UPDATE' then old end);
  end if;
  return new;
end $function$;
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
end $function$;
CREATE OR REPLACE FUNCTION public.create_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_reconciliation');
  pair constant integer := case when input ->> 'left_source_id' is not null then
    private.pair_of_own_sources(input ->> 'left_source_id', input ->> 'right_source_id') end;
  created public.reconciliations;
begin
  if kept is not null then
    return kept;
  end if;
  if pair is not null and (input ? 'matched_count' or input ? 'unmatched_count') then
    perform private.refuse('conflict', 'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
  end if;
  insert into public.reconciliations (name, status, period_start, period_end, left_source, right_source, matched_count, unmatched_count, pair_no,
    left_source_id, right_source_id, auto_run)
  values (
    input ->> 'name', coalesce(input ->> 'status', 'open'), (input ->> 'period_start')::date, (input ->> 'period_end')::date,
    coalesce(input ->> 'left_source', (select s.name from public.sources s where s.tenant_id = private.tenant_id() and s.id = input ->> 'left_source_id')),
    coalesce(input ->> 'right_source', (select s.name from public.sources s where s.tenant_id = private.tenant_id() and s.id = input ->> 'right_source_id')),
    coalesce((input ->> 'matched_count')::bigint, 0), coalesce((input ->> 'unmatched_count')::bigint, 0), pair,
    input ->> 'left_source_id', input ->> 'right_source_id', coalesce((input ->> 'auto_run')::boolean, true)
  )
  returning * into created;
  if pair is not null then
    perform private.ask_for_own_runs(pair);
  end if;
  return private.answer(request, private.reconciliation_json(created) || jsonb_build_object('version', private.reconciliation_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION public.update_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_reconciliation');
  before public.reconciliations;
  after public.reconciliations;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.hold_pair_of_own(input ->> 'id');
  select * into before from public.reconciliations x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('reconciliation');
  end if;
  perform private.require_version(private.reconciliation_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  if after is distinct from before then
    update public.reconciliations x set
      name = after.name, status = after.status, period_start = after.period_start, period_end = after.period_end,
      left_source = after.left_source, right_source = after.right_source,
      matched_count = after.matched_count, unmatched_count = after.unmatched_count, auto_run = after.auto_run
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into after;
  end if;
  return private.answer(request, private.reconciliation_json(after) || jsonb_build_object('version', private.reconciliation_version(after)));
end $function$;
CREATE OR REPLACE FUNCTION private.guard_source()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if old.line_count > 0 and (new.currency, new.sign) is distinct from (old.currency, old.sign) then
    perform private.refuse('conflict', 'The source has lines, which were read by its currency and sign: these stay as they are. Make another source.');
  -- Held before already by whoever comes by update_source: to wait here, with the row locked, would be the wrong order.
  elsif (new.currency, new.sign) is distinct from (old.currency, old.sign)
    and not pg_try_advisory_xact_lock(private.lock_of_source(old.tenant_id, old.source_no)) then
    perform private.refuse('conflict', 'Lines of this source are coming in. Wait until that is done, and send the call again.');
  end if;
  if (new.name, new.kind, new.currency, new.time_zone, new.sign, new.mapping, new.grace_days)
    is distinct from (old.name, old.kind, old.currency, old.time_zone, old.sign, old.mapping, old.grace_days) then
    new.updated_at := now();
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION private.hold_own_source(id text, patch jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.hold_sources_alone(s.tenant_id, array[s.source_no]) from public.sources s
  where s.tenant_id = private.tenant_id() and s.id = hold_own_source.id
    and (coalesce(patch ->> 'currency', s.currency), coalesce(patch ->> 'sign', s.sign)) <> (s.currency, s.sign);
end $function$;
CREATE OR REPLACE FUNCTION public.update_source(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_source');
  before public.sources;
  after public.sources;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.hold_own_source(input ->> 'id', input -> 'patch');
  select * into before from public.sources x where x.tenant_id = private.tenant_id() and x.id = input ->> 'id' for no key update;
  if not found then
    perform private.refuse_missing('source');
  end if;
  perform private.require_version(private.source_version(before), request -> 'versions');
  after := jsonb_populate_record(before, input -> 'patch');
  after.mapping := nullif(after.mapping, 'null');
  if after is distinct from before then
    update public.sources x set
      name = after.name, kind = after.kind, currency = after.currency, time_zone = after.time_zone, sign = after.sign,
      mapping = after.mapping, grace_days = after.grace_days
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into after;
  end if;
  return private.answer(request, private.source_json(after) || jsonb_build_object('version', private.source_version(after)));
end $function$;
CREATE OR REPLACE FUNCTION private.keep_staged_lines(tenant_id text, source_no integer, import_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  s public.sources;
  staged constant bigint := (select count(*) from pg_temp.staged_lines);
  accepted bigint;
  kept_ids uuid[];
  conflicts jsonb := '[]';
  conflict_count bigint := 0;
  items jsonb;
begin
  perform private.hold_source($1, $2);
  select * into strict s from public.sources x where x.tenant_id = $1 and x.source_no = $2;
  if staged > 10000 then
    analyze pg_temp.staged_lines (key);
  end if;
  insert into pg_temp.repeated_lines (position, nth)
  select l.position, row_number() over (partition by l.key order by l.position)
  from pg_temp.staged_lines l
  where l.key in (select g.key from pg_temp.staged_lines g group by g.key having count(*) > 1);

  -- Where nothing can be there yet, nothing is looked for: half the time. Should others add to the source meanwhile, it is.
  begin
    execute private.insert_of_staged(s.line_count > 0 or $3 is null) into accepted, kept_ids using $1, $2, $3, s.id, s.sign;
  exception when unique_violation then
    execute private.insert_of_staged(true) into accepted, kept_ids using $1, $2, $3, s.id, s.sign;
  end;

  if accepted < staged then
    select count(*), coalesce(jsonb_agg(to_jsonb(c) - 'n' order by c.position) filter (where c.n <= 100), '[]') into conflict_count, conflicts
    from (
      select row_number() over (order by l.position) as n, l.position, l.file_line, l.external_id,
        l.amount_minor || ' ' || l.currency as found, k.amount_minor || ' ' || k.currency as wanted
      from pg_temp.staged_lines l
      join public.lines k on k.tenant_id = $1 and k.id = private.line_identity(s.id, l.key, 0)
      where l.external_id is not null and (k.amount_minor, k.currency) is distinct from (l.amount_minor, l.currency)
    ) c;
  end if;
  if $3 is null then
    select jsonb_agg(jsonb_build_object('index', i.position, 'id', private.line_id_text(i.id), 'duplicate', i.nth > 1 or i.id <> all (kept_ids)) order by i.position)
    into items
    from (
      select l.position, case when l.external_id is null then 1 else coalesce(r.nth, 1) end as nth,
        private.line_identity(s.id, l.key, case when l.external_id is null then coalesce(r.nth, 1) else 0 end) as id
      from pg_temp.staged_lines l left join pg_temp.repeated_lines r on r.position = l.position
    ) i;
  end if;

  if accepted > 0 then
    perform private.hold_to_quota($1, 'lines', accepted);
    update public.sources x set line_count = x.line_count + accepted where x.tenant_id = $1 and x.source_no = $2;
    perform private.lines_arrived($1, $2);
  end if;
  return jsonb_build_object(
    'staged', staged, 'accepted', accepted, 'duplicates', staged - accepted - conflict_count, 'conflicts', conflicts,
    'conflict_count', conflict_count, 'items', items
  );
end $function$;
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
  elsif i.status = 'done' and i.accepted_count <= private.undone_at_once() then
    return private.remove_import(i.tenant_id, i.id, private.actor());
  elsif i.status = 'done' then
    perform private.require_undoable(i.tenant_id, i.source_no, private.line_nos_of_import(i.tenant_id, i.id));
    update public.imports x set status = 'undoing', undone_by = private.actor() where x.tenant_id = i.tenant_id and x.id = i.id
    returning * into i;
    perform graphile_worker.add_job(
      'undo_import', private.of_request(jsonb_build_object('tenant_id', i.tenant_id, 'import_id', i.id)),
      queue_name => 'source:' || i.tenant_id || ':' || i.source_no, max_attempts => 6
    );
    return i;
  end if;
  perform private.refuse('conflict', case i.status
    when 'failed' then 'This import failed, and nothing of it was kept: there is nothing to undo.'
    else 'This import is undone already.'
  end);
end $function$;
CREATE OR REPLACE FUNCTION private.open_own_pair(left_source_id text, right_source_id text, most integer)
 RETURNS TABLE(pair_no integer, is_open boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  left_no integer;
  right_no integer;
  pair public.pairs;
begin
  select s.source_no into left_no from public.sources s where s.tenant_id = tenant and s.id = $1;
  select s.source_no into right_no from public.sources s where s.tenant_id = tenant and s.id = $2;
  if left_no is null then
    perform private.refuse_field('left_source_id', 'There is no such source.');
  elsif right_no is null then
    perform private.refuse_field('right_source_id', 'There is no such source.');
  elsif left_no = right_no then
    perform private.refuse_field('right_source_id', 'Name two sources: a source is not compared with itself.');
  end if;
  perform private.hold_sources_alone(tenant, array[left_no, right_no]);
  select * into pair from public.pairs p where p.tenant_id = tenant and p.left_source_no = left_no and p.right_source_no = right_no;
  if not found then
    -- None is made but for a reconciliation.
    perform private.require_quota('reconciliations');
    insert into public.pairs (tenant_id, left_source_no, right_source_no, opening) values (tenant, left_no, right_no, '{}') returning * into pair;
  end if;
  return query select pair.pair_no, private.open_earlier_lines(pair, most);
end $function$;
CREATE OR REPLACE FUNCTION private.lock_of_source(tenant text, source_no integer)
 RETURNS bigint
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return hashtextextended('source ' || tenant || ' ' || source_no, 0);
end $function$;
CREATE OR REPLACE FUNCTION private.hold_source(tenant text, source_no integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform pg_advisory_xact_lock_shared(private.lock_of_source(tenant, source_no));
end $function$;
CREATE OR REPLACE FUNCTION private.hold_sources_alone(tenant text, source_nos integer[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
 SET lock_timeout TO '4s'
AS $function$
declare
  source_no integer;
begin
  for source_no in select n from unnest(source_nos) n order by n loop
    perform pg_advisory_xact_lock(private.lock_of_source(tenant, source_no));
  end loop;
exception when lock_not_available then
  perform private.refuse('conflict', 'Lines of these sources are coming in or being removed. Wait until that is done, and send the call again.');
end $function$;
CREATE OR REPLACE FUNCTION private.hold_pair(tenant text, pair integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform from public.pairs p where p.tenant_id = tenant and p.pair_no = pair for no key update;
end $function$;
CREATE OR REPLACE FUNCTION private.hold_pairs_of_source(tenant text, source_no integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform from public.pairs p
  where p.tenant_id = tenant and hold_pairs_of_source.source_no in (p.left_source_no, p.right_source_no)
  order by p.pair_no for no key update;
end $function$;
CREATE OR REPLACE FUNCTION private.hold_pair_of_own(reconciliation text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.hold_pair(r.tenant_id, r.pair_no) from public.reconciliations r
  where r.tenant_id = private.tenant_id() and r.id = reconciliation and r.pair_no is not null;
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
  perform private.hold_pair(tenant, r.pair_no);
  select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation for no key update;
  if r.closed_at is not null then
    perform private.refuse('conflict', 'The period is closed. Reopen it first.');
  elsif r.status = 'archived' then
    perform private.refuse('conflict', 'The reconciliation is archived: it does not change any more.');
  end if;
  return r;
end $function$;
CREATE OR REPLACE FUNCTION private.hold_period_alone(tenant text, reconciliation text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.hold_sources_alone(tenant, array[p.left_source_no, p.right_source_no])
  from public.reconciliations r join public.pairs p on p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  where r.tenant_id = tenant and r.id = reconciliation;
  return private.hold_period(tenant, reconciliation);
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
CREATE OR REPLACE FUNCTION private.lines_leave(tenant_id text, import_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  source constant integer := (select i.source_no from public.imports i where i.tenant_id = $1 and i.id = $2);
  line_nos bigint[];
  touched record;
begin
  perform private.hold_source($1, source);
  perform private.hold_pairs_of_source($1, source);
  line_nos := private.line_nos_of_import($1, $2);
  perform private.require_undoable($1, source, line_nos);
  for touched in
    select mm.pair_no, array_agg(distinct mm.match_id) as ids from public.match_members mm
    where mm.tenant_id = $1 and mm.line_no = any (line_nos) group by mm.pair_no order by mm.pair_no
  loop
    perform private.undo_matches($1, touched.ids, null);
    perform private.delete_matches($1, touched.ids);
  end loop;
  for touched in select p.pair_no from public.pairs p where p.tenant_id = $1 loop
    delete from public.exclusions x where x.tenant_id = $1 and x.pair_no = touched.pair_no and x.line_no = any (line_nos);
    delete from private.open_lines o where o.tenant_id = $1 and o.pair_no = touched.pair_no and o.line_no = any (line_nos);
    perform private.resolve_line_exceptions($1, touched.pair_no, line_nos, 'The import of the line was undone.');
  end loop;
  delete from private.line_texts t where t.tenant_id = $1 and t.line_no = any (line_nos);
end $function$;
CREATE OR REPLACE FUNCTION private.refuse_change_of_closed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (
    select from (
      select distinct c.tenant_id, c.reconciliation_id from changed c where tg_op <> 'DELETE' or tg_table_name <> 'matches' or to_jsonb(c) ->> 'state' = 'confirmed'
    ) x
    join public.reconciliations r on r.tenant_id = x.tenant_id and r.id = x.reconciliation_id
    where r.closed_at is not null or r.status = 'archived'
  ) then
    perform private.refuse('conflict', 'The period is closed or archived. Reopen a closed one first; an archived one does not change any more.');
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.require_own_adjustments(r public.reconciliations, adjustments jsonb, larger numeric, currency text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  adjusted constant numeric := (select coalesce(sum(abs((a ->> 'amount_minor')::numeric)), 0) from jsonb_array_elements(coalesce($2, '[]')) a);
  most numeric;
begin
  if private.principal_type() = 'user' then
    return;
  elsif adjustments @> '[{"kind": "write_off"}]' then
    perform private.refuse('role_required', 'A write-off is a person''s to decide: sign in as tenant_admin or tenant_lead.');
  end if;
  most := private.tolerance_of_pair(r.tenant_id, r.pair_no, larger);
  if adjusted > most then
    perform private.refuse('role_required', format('An API key can adjust at most %s in minor units of %s here, by the tolerance of the rules, not %s. '
      'Leave the difference open with split_line_id, or have a tenant_admin or tenant_lead match these lines.', most, currency, adjusted));
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.match_own_lines(period text, line_ids jsonb, adjustments jsonb, note text, split text)
 RETURNS public.matches
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  bad jsonb;
  asked record;
  made public.matches;
  difference bigint;
  split_no bigint;
  split_side text;
  split_open bigint;
  -- What the match takes of the split line: all that is open, less the difference.
  split_minor bigint;
  -- What it takes of each side.
  left_taken numeric;
  right_taken numeric;
  amount numeric;
begin
  r := private.hold_period(tenant, period);
  select jsonb_agg(jsonb_build_object('path', 'line_ids.' || (l.n - 1), 'message', case
      when o.line_no is null then 'This line is matched or excluded already.'
      else format('This line is dated after the period, which ends on %s.', r.period_end) end) order by l.n) into bad
  from private.lines_of_pair(r.pair_no, match_own_lines.line_ids) l
  left join private.open_lines o on o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = l.line_no
  where o.line_no is null or l.value_date > r.period_end;
  if bad is not null then
    perform private.refuse('conflict', 'Not all of these lines are open in the period. Nothing was changed.', bad);
  end if;
  select count(*) filter (where l.side = 'left') as lefts, count(*) filter (where l.side = 'right') as rights, count(distinct l.currency) as currencies,
    min(l.currency) as currency, coalesce(sum(l.open_minor) filter (where l.side = 'left'), 0) as left_minor,
    coalesce(sum(l.open_minor) filter (where l.side = 'right'), 0) as right_minor,
    sum(greatest(l.open_minor, 0)) as positive_minor
  into asked from private.lines_of_pair(r.pair_no, match_own_lines.line_ids) l;
  if asked.currencies > 1 then
    perform private.refuse_field('line_ids', 'All lines of a match need one currency.');
  end if;
  select asked.left_minor - asked.right_minor - coalesce(sum((a ->> 'amount_minor')::bigint), 0) into difference
  from jsonb_array_elements(coalesce(match_own_lines.adjustments, '[]')) a;
  if split is not null then
    select l.line_no, l.side, l.open_minor, l.open_minor - case l.side when 'left' then difference else -difference end
    into split_no, split_side, split_open, split_minor
    from private.lines_of_pair(r.pair_no, match_own_lines.line_ids) l
    join public.lines x on x.tenant_id = tenant and x.line_no = l.line_no and x.id = private.line_id(split);
    if not found then
      perform private.refuse_field('split_line_id', 'Name one of line_ids.');
    elsif asked.lefts = 0 or asked.rights = 0 then
      perform private.refuse_field('split_line_id', 'Only a match of both sides can leave part of a line open.');
    elsif difference = 0 or sign(split_minor) <> sign(split_open) or abs(split_minor) >= abs(split_open) then
      perform private.refuse_field('split_line_id', format(
        'Left − right is %s in minor units of %s, which is no part of this line. Choose the larger line.', difference, asked.currency));
    end if;
  elsif difference <> 0 then
    perform private.refuse_field('adjustments', format(
      'Left is %s and right is %s in minor units of %s: %s is not explained. Add adjustments of %s, or choose other lines.',
      asked.left_minor, asked.right_minor, asked.currency, difference, difference));
  end if;
  left_taken := asked.left_minor - case split_side when 'left' then difference else 0 end;
  right_taken := asked.right_minor + case split_side when 'right' then difference else 0 end;
  amount := case when asked.lefts = 0 or asked.rights = 0 then asked.positive_minor else left_taken end;
  if greatest(abs(left_taken), abs(right_taken), abs(amount)) > 9007199254740991 then
    perform private.refuse_field('line_ids', 'These lines come to more than 9007199254740991 in minor units. Match fewer of them at a time.');
  end if;
  perform private.require_own_adjustments(r, match_own_lines.adjustments, greatest(abs(left_taken), abs(right_taken), amount), asked.currency);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method, currency, amount_minor, adjustments, note, decided_by, decided_at)
  values (tenant, private.new_uuid(), r.pair_no, r.id, 'confirmed',
    case when asked.lefts = 0 or asked.rights = 0 then 'reversal' when asked.lefts = 1 and asked.rights = 1 then '1:1'
      when asked.lefts = 1 then '1:n' when asked.rights = 1 then 'n:1' else 'n:m' end,
    'manual', asked.currency, amount, coalesce(match_own_lines.adjustments, '[]'), match_own_lines.note, private.actor(), now())
  returning * into made;
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, made.id, r.pair_no, l.line_no, l.side, case when l.line_no = split_no then split_minor else l.open_minor end
  from private.lines_of_pair(r.pair_no, match_own_lines.line_ids) l;
  perform private.confirm_matches(tenant, r.pair_no, array[made.id], private.actor());
  perform private.remember_act('match', array[made.id]);
  return made;
end $function$;
CREATE OR REPLACE FUNCTION public.create_match(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_match');
begin
  if kept is not null then
    return kept;
  end if;
  return private.answer(request, private.match_json(
    private.match_own_lines(input ->> 'id', input -> 'line_ids', nullif(input -> 'adjustments', 'null'), input ->> 'note',
      input ->> 'split_line_id')));
end $function$;
CREATE OR REPLACE FUNCTION private.exclude_own_line(id text, period text, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  o private.open_lines;
begin
  r := private.hold_period(tenant, period);
  delete from private.open_lines x using public.lines l
  where l.tenant_id = tenant and l.id = private.line_id($1) and x.tenant_id = tenant and x.pair_no = r.pair_no and x.line_no = l.line_no
    and x.value_date <= r.period_end
  returning x.* into o;
  if not found then
    perform private.refuse('conflict', 'Nothing of this line is open in the period: it is matched, excluded, or dated after it.');
  end if;
  -- Part of it was excluded while the rest was matched, and that match was undone since.
  insert into public.exclusions as e (tenant_id, pair_no, line_no, reconciliation_id, side, currency, excluded_minor, reason)
  values (tenant, r.pair_no, o.line_no, r.id, o.side, o.currency, o.open_minor, $3)
  on conflict (tenant_id, pair_no, line_no) do update set excluded_minor = e.excluded_minor + excluded.excluded_minor, reason = excluded.reason,
    created_at = now(), created_by = private.actor()
  where e.reconciliation_id = excluded.reconciliation_id;
  if not found then
    perform private.refuse('conflict', 'Another period excluded part of this line. Include it there first, or match what is open of it.');
  end if;
  perform private.drop_suggestions(tenant, r.pair_no, array[o.line_no]);
  perform private.resolve_line_exceptions(tenant, r.pair_no, array[o.line_no], left('Excluded: ' || $3, 1000));
  insert into private.acts (tenant_id, reconciliation_id, kind, line_id, reason, created_by)
  values (tenant, r.id, 'exclude', private.line_id($1), $3, private.actor());
  perform private.record_security_event('line.excluded', $1, null, jsonb_build_object('reconciliation_id', r.id, 'reason', $3));
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
  if r.pair_no is null or r.closed_at is not null and begun.dry_run is null or r.status = 'archived' then
    update public.runs x set status = 'failed', finished_at = now(), failure = 'The period was closed before the run began.'
    where x.tenant_id = tenant and x.id = begun.id;
    return null;
  end if;
  if begun.id is null then
    if asked is not null then
      return null;
    end if;
    insert into public.runs (tenant_id, reconciliation_id, pair_no) values (tenant, r.id, r.pair_no) returning * into begun;
  end if;
  select * into p from public.pairs x where x.tenant_id = tenant and x.pair_no = r.pair_no;
  select * into rule_set from public.pair_rules x where x.tenant_id = tenant and x.pair_no = p.pair_no and x.version = p.rules_version;
  select * into last_run from public.runs x
  where x.tenant_id = tenant and x.reconciliation_id = r.id and x.status = 'done' and x.dry_run is null order by x.id desc limit 1;
  policy := private.default_policy() || coalesce(rule_set.policy, '{}');
  calendar := private.open_days(tenant, case when begun.dry_run ? 'calendar_id' then begun.dry_run else policy end ->> 'calendar_id');
  update public.runs x set status = 'running', stage = 'reading', started_at = now(), rules_version = p.rules_version, engine_version = engine,
    calendar_id = calendar ->> 'calendar_id', calendar_version = (calendar ->> 'calendar_version')::integer, lines_done = 0, lines_total = 0,
    attempt = x.attempt + 1
  where x.tenant_id = tenant and x.id = begun.id returning * into begun;
  return jsonb_build_object(
    'run_id', begun.id, 'attempt', begun.attempt, 'dry_run', begun.dry_run, 'pair_no', p.pair_no, 'period_end', r.period_end, 'closed', r.closed_at is not null, 'weights', p.weights,
    'rules', coalesce(begun.dry_run -> 'rules', rule_set.rules), 'policy', policy, 'open_days', calendar -> 'open_days',
    -- Whether all that the engine made is weighed again, or what it settled by its first rules stands.
    'whole', begun.dry_run is not null or last_run.id is null or last_run.rules_version is distinct from p.rules_version
      or last_run.engine_version is distinct from engine
      or (last_run.calendar_id, last_run.calendar_version::text) is distinct from (calendar ->> 'calendar_id', calendar ->> 'calendar_version')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_attempt(tenant text, run text, attempt integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform from public.runs x
  where x.tenant_id = tenant and x.id = run and x.attempt = require_attempt.attempt and x.status = 'running' for no key update;
  if not found then
    perform private.refuse('conflict', 'The run has ended, or another matcher has taken it up.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.tell_run_progress(tenant text, run text, attempt integer, stage text, done bigint, total bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_attempt(tenant, run, attempt);
  update public.runs x set stage = left(tell_run_progress.stage, 200), lines_done = done, lines_total = greatest(total, x.lines_total)
  where x.tenant_id = tenant and x.id = run;
end $function$;
CREATE OR REPLACE FUNCTION private.keep_matches(tenant text, reconciliation text, run text, attempt integer, gone uuid[], ids uuid[], states text[], shapes text[], methods text[], settled boolean[], scores real[], margins real[], currencies text[], amounts bigint[], residuals bigint[], explanations jsonb, highs bigint[], lows bigint[], member_ids uuid[], member_lines bigint[], member_sides text[], member_amounts bigint[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  lost uuid[];
  confirmed uuid[];
begin
  r := private.hold_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  if cardinality(gone) > 0 then
    perform private.undo_matches(tenant, array(
      select m.id from public.matches m where m.tenant_id = tenant and m.id = any (gone) and m.decided_by is null), null);
  end if;
  if cardinality(ids) = 0 then
    return 0;
  end if;
  select coalesce(array_agg(distinct s.match_id), '{}') into lost
  from unnest(member_ids, member_lines, member_amounts) as s (match_id, line_no, minor)
  left join lateral (
    select x.line_no, x.open_minor from private.open_lines x
    where x.tenant_id = tenant and x.pair_no = r.pair_no and x.line_no = s.line_no offset 0
  ) o on true
  where o.line_no is null or s.minor not between least(o.open_minor, 0) and greatest(o.open_minor, 0);
  insert into public.matches as m (tenant_id, id, pair_no, reconciliation_id, run_id, state, shape, method, settled, score, margin, currency,
    amount_minor, residual_minor, explanation, hash_high, hash_low, created_by)
  select tenant, s.id, r.pair_no, r.id, run, s.state, s.shape, s.method, s.settled, s.score, s.margin, s.currency, s.amount, s.residual,
    explanations -> s.id::text, s.high, s.low, 'system'
  from unnest(ids, states, shapes, methods, settled, scores, margins, currencies, amounts, residuals, highs, lows)
    as s (id, state, shape, method, settled, score, margin, currency, amount, residual, high, low)
  where cardinality(lost) = 0 or s.id <> all (lost)
  -- The same lines and amounts, by another rule.
  on conflict (tenant_id, id) do update set run_id = excluded.run_id, method = excluded.method, settled = excluded.settled, score = excluded.score,
    margin = excluded.margin, explanation = excluded.explanation, hash_high = excluded.hash_high, hash_low = excluded.hash_low
  where m.decided_by is null and m.state = excluded.state;
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, s.match_id, r.pair_no, s.line_no, s.side, s.minor
  from unnest(member_ids, member_lines, member_sides, member_amounts) as s (match_id, line_no, side, minor)
  where cardinality(lost) = 0 or s.match_id <> all (lost);
  confirmed := array(select s.id from unnest(ids, states) as s (id, state) where s.state = 'confirmed' and (cardinality(lost) = 0 or s.id <> all (lost)));
  if cardinality(confirmed) > 0 then
    perform private.take_lines(tenant, r, member_ids, member_lines, member_amounts, confirmed, cardinality(confirmed) = cardinality(ids));
  end if;
  return cardinality(lost);
end $function$;
CREATE OR REPLACE FUNCTION private.finish_run(tenant text, run text, attempt integer, outcome jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  x public.runs;
  p record;
  totals record;
  violations text[];
begin
  perform private.require_attempt(tenant, run, attempt);
  select * into strict x from public.runs y where y.tenant_id = tenant and y.id = run;
  select r.period_end, r.pair_no into p from public.reconciliations r where r.tenant_id = tenant and r.id = x.reconciliation_id;
  select * into totals from private.digest_of_period(tenant, x.reconciliation_id);
  violations := private.violations_of_period(tenant, x.reconciliation_id, run);
  update public.runs y set
    status = case when cardinality(violations) = 0 then 'done' else 'failed' end, stage = null, finished_at = clock_timestamp(),
    failure = case when cardinality(violations) > 0 then 'What must always hold does not. It has been logged: tell us the run.' end,
    lines_done = y.lines_total, digest = y.engine_version || ':' || totals.digest, suggested_count = totals.suggested,
    open_count = (
      select count(*) from private.open_lines o where o.tenant_id = tenant and o.pair_no = p.pair_no and o.value_date <= p.period_end),
    waterfall = private.whole_waterfall(tenant, x.reconciliation_id, outcome -> 'waterfall'), changed = outcome -> 'changed',
    exceptions_opened = (outcome ->> 'exceptions_opened')::integer, exceptions_held_back = (outcome ->> 'exceptions_held_back')::integer
  where y.tenant_id = tenant and y.id = run
  returning * into x;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(x)), run);
  return violations;
end $function$;
CREATE OR REPLACE FUNCTION private.finish_dry_run(tenant text, run text, attempt integer, outcome jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  x public.runs;
begin
  perform private.require_attempt(tenant, run, attempt);
  update public.runs y set status = 'done', stage = null, finished_at = clock_timestamp(), lines_done = y.lines_total,
    impact = outcome -> 'impact', digest = outcome ->> 'digest', suggested_count = (outcome ->> 'suggested_count')::bigint,
    open_count = (outcome ->> 'open_count')::bigint, waterfall = (
      select coalesce(jsonb_agg(s.step - 'settled' order by s.n), '[]') from jsonb_array_elements(outcome -> 'waterfall') with ordinality as s (step, n))
  where y.tenant_id = tenant and y.id = run
  returning * into x;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(x)), run);
end $function$;
CREATE OR REPLACE FUNCTION private.default_rules()
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '[{"on": ["reference", "value_date"], "kind": "exact", "name": "Same reference and date", "then": "match"}, {"on": ["reference"], "kind": "exact", "name": "Same reference", "then": "match", "days_after": 31, "days_before": 10}, {"on": ["reference"], "kind": "reversal", "name": "Reversals", "then": "match", "days_after": 45, "days_before": 5}, {"on": ["group_key"], "kind": "group", "name": "Group key", "then": "match", "days_after": 10, "days_before": 3}, {"kind": "score", "name": "Same amount", "then": "match", "days_after": 12, "days_before": 4}, {"kind": "score", "name": "Fees", "then": "match", "residual": "keep", "days_after": 12, "days_before": 3, "amount_tolerance_bps": 500, "amount_tolerance_minor": 2500}, {"kind": "group", "name": "Sums", "then": "match", "days_after": 10, "days_before": 4, "max_group_size": 8}, {"kind": "score", "name": "Part payments", "then": "suggest", "residual": "none", "days_after": 31, "days_before": 5, "amount_tolerance_bps": 9500}]'::jsonb;
CREATE OR REPLACE FUNCTION private.tolerance_of_pair(tenant text, pair integer, larger numeric)
 RETURNS numeric
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(max(greatest((x.rule ->> 'amount_tolerance_minor')::numeric, floor(larger * (x.rule ->> 'amount_tolerance_bps')::numeric / 10000))), 0)
    from public.pairs p left join public.pair_rules r on r.tenant_id = p.tenant_id and r.pair_no = p.pair_no and r.version = p.rules_version
    cross join jsonb_array_elements(coalesce(r.rules, private.default_rules())) as x (rule)
    where p.tenant_id = tenant and p.pair_no = pair and coalesce(x.rule ->> 'residual', 'keep') = 'keep'
  );
end $function$;
CREATE OR REPLACE FUNCTION private.put_own_rules(period text, rules jsonb, policy jsonb, forget boolean, versions jsonb)
 RETURNS public.pairs
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  before jsonb;
  p public.pairs;
begin
  perform private.hold_pair_of_own(period);
  select x.* into p from public.reconciliations r join public.pairs x on x.tenant_id = r.tenant_id and x.pair_no = r.pair_no
  where r.tenant_id = tenant and r.id = period;
  perform private.require_version(p.rules_version, versions);
  if (private.policy_of_pair(tenant, p.pair_no) ->> 'four_eyes')::boolean and not (policy ->> 'four_eyes')::boolean
    and not (private.principal_type() = 'user' and auth.jwt() -> 'roles' ? 'tenant_admin') then
    perform private.refuse('role_required', 'Only a tenant_admin can turn four_eyes off. Leave it out, or ask a tenant admin.');
  end if;
  before := private.rules_json(p);
  insert into public.pair_rules (tenant_id, pair_no, version, rules, policy) values (tenant, p.pair_no, p.rules_version + 1, rules,
    private.policy_of_pair(tenant, p.pair_no) || policy);
  update public.pairs x set rules_version = p.rules_version + 1, weights = case when forget then null else x.weights end
  where x.tenant_id = tenant and x.pair_no = p.pair_no
  returning * into p;
  if forget then
    delete from private.decisions d where d.tenant_id = tenant and d.pair_no = p.pair_no;
  end if;
  perform private.record_security_event('matching_rules.updated', period, null,
    jsonb_build_object('from', before - '{weights}'::text[], 'to', private.rules_json(p) - '{weights}'::text[], 'learning_reset', forget));
  perform private.ask_for_runs(tenant, p.pair_no);
  return p;
end $function$;
CREATE OR REPLACE FUNCTION private.keep_weights(tenant text, pair integer, run text, attempt integer, weights jsonb, up_to bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  taken integer;
begin
  delete from private.decisions d where d.tenant_id = tenant and d.pair_no = pair and d.id <= up_to;
  get diagnostics taken = row_count;
  if taken > 0 then
    update public.pairs p set weights = keep_weights.weights where p.tenant_id = tenant and p.pair_no = pair;
  end if;
  perform private.require_attempt(tenant, run, attempt);
end $function$;
CREATE OR REPLACE FUNCTION private.fail_run(tenant text, run text, attempt integer, failure text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  x public.runs;
begin
  update public.runs y set status = 'failed', stage = null, finished_at = clock_timestamp(), failure = fail_run.failure
  where y.tenant_id = tenant and y.id = run and y.attempt = fail_run.attempt and y.status in ('queued', 'running')
  returning * into x;
  if not found then
    return false;
  end if;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(x)), run);
  return true;
end $function$;
CREATE OR REPLACE FUNCTION private.end_abandoned_runs(failure text)
 RETURNS SETOF text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  x record;
begin
  for x in
    with unended as (
      select r.*, case when r.dry_run is not null then r.id end as asked from public.runs r where r.status in ('queued', 'running')
    )
    select u.*, j.id as job from unended u left join graphile_worker.jobs j on j.key = 'match:' || coalesce(u.asked, u.reconciliation_id)
    where case when j.id is not null then j.attempts >= j.max_attempts and j.locked_at is null
      else u.status = 'queued' or u.started_at < now() - interval '1 hour' end
  loop
    if x.status = 'queued' and x.job is null then
      perform private.queue_run(x.tenant_id, x.pair_no, x.reconciliation_id, x.asked, interval '0');
    elsif private.fail_run(x.tenant_id, x.id, x.attempt, failure) then
      return next x.id;
    end if;
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.proof_rows(r public.reconciliations)
 RETURNS TABLE(currency text, side text, line_count bigint, lines numeric, matched numeric, excluded numeric, open numeric, adjustments numeric, residual numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with of_pair as materialized (
    select x.id, case when x.id = r.id then 0 when x.period_end < r.period_start then -1 else 1 end as place
    from public.reconciliations x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no
  ), sides as materialized (
    select s.source_no, case s.source_no when p.left_source_no then 'left' else 'right' end as side, case s.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs p join public.sources s on s.tenant_id = p.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
    where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  ), came as (
    select l.currency, s.side, count(*) as line_count, sum(s.factor * l.amount_minor) as minor
    from sides s join public.lines l on l.tenant_id = r.tenant_id and l.source_no = s.source_no and l.value_date <= r.period_end
    group by 1, 2
  ), settled as (
    select m.currency, mm.side, o.place, sum(mm.allocated_minor) as minor
    from of_pair o join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = o.id and m.state = 'confirmed'
    cross join lateral (
      select mm.line_no, mm.side, mm.allocated_minor from public.match_members mm where mm.tenant_id = m.tenant_id and mm.match_id = m.id offset 0
    ) mm
    where o.place < 1
    group by 1, 2, 3
    union all
    -- Of what later periods settled only what this one saw.
    select m.currency, mm.side, 1, sum(mm.allocated_minor)
    from of_pair o join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = o.id and m.state = 'confirmed'
    cross join lateral (
      select mm.line_no, mm.side, mm.allocated_minor from public.match_members mm where mm.tenant_id = m.tenant_id and mm.match_id = m.id offset 0
    ) mm
    cross join lateral (
      select x.value_date from public.lines x where x.tenant_id = m.tenant_id and x.line_no = mm.line_no and x.value_date <= r.period_end offset 0
    ) l
    where o.place = 1
    group by 1, 2
  ), taken_out as (
    select x.currency, x.side, o.place, sum(x.excluded_minor) as minor
    from of_pair o join public.exclusions x on x.tenant_id = r.tenant_id and x.reconciliation_id = o.id
    join public.lines l on l.tenant_id = x.tenant_id and l.line_no = x.line_no and l.value_date <= r.period_end
    group by 1, 2, 3
  ), still_open as (
    select o.currency, o.side, sum(o.open_minor) as minor from private.open_lines o
    where o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.value_date <= r.period_end
    group by 1, 2
  ), explained as (
    select m.currency, sum(m.residual_minor) as residual, sum(coalesce(a.minor, 0)) as adjustments
    from public.matches m
    left join lateral (select sum((e ->> 'amount_minor')::bigint) as minor from jsonb_array_elements(m.adjustments) e) a on m.adjustments <> '[]'
    where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed' and (m.residual_minor <> 0 or m.adjustments <> '[]')
    group by 1
  ), rows as (
    select x.currency, s.side from (
      select c.currency from came c union select s.currency from settled s union select o.currency from still_open o
      union select e.currency from explained e
    ) x cross join (values ('left'), ('right')) s (side)
  )
  select w.currency, w.side, coalesce(c.line_count, 0),
    coalesce(c.minor, 0) - coalesce((select sum(s.minor) from settled s where s.currency = w.currency and s.side = w.side and s.place = -1), 0)
      - coalesce((select sum(s.minor) from taken_out s where s.currency = w.currency and s.side = w.side and s.place = -1), 0),
    coalesce((select sum(s.minor) from settled s where s.currency = w.currency and s.side = w.side and s.place = 0), 0),
    coalesce((select sum(s.minor) from taken_out s where s.currency = w.currency and s.side = w.side and s.place = 0), 0),
    coalesce((select s.minor from still_open s where s.currency = w.currency and s.side = w.side), 0)
      + coalesce((select sum(s.minor) from settled s where s.currency = w.currency and s.side = w.side and s.place = 1), 0)
      + coalesce((select sum(s.minor) from taken_out s where s.currency = w.currency and s.side = w.side and s.place = 1), 0),
    case w.side when 'left' then greatest(coalesce(e.adjustments, 0), 0) else greatest(-coalesce(e.adjustments, 0), 0) end,
    case w.side when 'left' then greatest(coalesce(e.residual, 0), 0) else greatest(-coalesce(e.residual, 0), 0) end
  from rows w left join came c on c.currency = w.currency and c.side = w.side left join explained e on e.currency = w.currency
  order by w.currency, w.side;
end $function$;
CREATE OR REPLACE FUNCTION private.proof_json(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with sums as materialized (
      select * from private.proof_rows(r)
    ), without_line as materialized (
      select distinct o.currency, o.side from private.open_lines o
      left join lateral (select x.line_no from public.lines x where x.tenant_id = o.tenant_id and x.line_no = o.line_no offset 0) l on true
      where o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.value_date <= r.period_end and l.line_no is null
    ), rows as (
      select x.*, x.lines = x.matched + x.excluded + x.open and b.balanced
        and not exists (select from without_line o where o.currency = x.currency and o.side = x.side) as holds
      from sums x join (
        select y.currency, sum(case y.side when 'left' then 1 else -1 end * (y.matched - y.adjustments - y.residual)) = 0 as balanced
        from sums y group by y.currency
      ) b on b.currency = x.currency
    )
    select jsonb_build_object(
      'items', coalesce(jsonb_agg(jsonb_build_object('currency', w.currency, 'side', w.side, 'lines', private.exact_sum(w.lines),
        'matched', private.exact_sum(w.matched), 'excluded', private.exact_sum(w.excluded), 'open', private.exact_sum(w.open),
        'adjustments', private.exact_sum(w.adjustments), 'residual', private.exact_sum(w.residual), 'holds', w.holds)
        order by w.currency, w.side), '[]'),
      'holds', coalesce(bool_and(w.holds), true)
    ) from rows w
  );
end $function$;
CREATE OR REPLACE FUNCTION public.get_proof(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  perform private.enter(request, 'get_proof');
  r := private.find_period(input ->> 'id');
  if r.closed_at is not null then
    return (
      select c.statement -> 'proof' || jsonb_build_object('closing', jsonb_build_object(
        'digest', c.digest, 'holds', c.digest = private.closing_digest(r.tenant_id, r.id)))
      from public.closings c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
    );
  end if;
  return private.proof_json(r) || '{"closing": null}';
end $function$;
CREATE OR REPLACE FUNCTION private.needs_other_eyes(r public.reconciliations)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from (
      select (v.policy ->> 'four_eyes')::boolean as asked, lead(v.created_at) over (order by v.version) as until
      from public.pair_rules v where v.tenant_id = r.tenant_id and v.pair_no = r.pair_no
    ) x where x.asked and coalesce(x.until >= r.created_at, true)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.worked_in_period(r public.reconciliations, who text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.matches m where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id
      and (m.method = 'manual' and m.created_by = who or m.state = 'undone' and m.decided_by = who)
  ) or exists (
    select from private.acts a where a.tenant_id = r.tenant_id and a.reconciliation_id = r.id
      and (a.kind in ('match', 'exclude') and a.created_by = who or a.undone_by = who)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.close_own_period(id text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  statement jsonb;
  unexplained jsonb;
  kept_digest text;
begin
  -- Nothing of the pair changes until the end: what is carried and what is stated are of one moment.
  r := private.hold_period_alone(private.tenant_id(), $1);
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
  end if;
  if private.needs_other_eyes(r) and private.worked_in_period(r, private.actor()) then
    perform private.refuse('conflict', 'You matched, wrote off, excluded or undid something in this period by hand. Ask somebody who did not to close it.');
  end if;
  if r.status = 'open' then
    update public.reconciliations x set status = 'in_progress' where x.tenant_id = r.tenant_id and x.id = r.id;
  end if;
  -- The next period has its own look at what is open.
  perform private.delete_matches(r.tenant_id, array(
    select m.id from public.matches m where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested'));
  insert into public.carried_lines (tenant_id, reconciliation_id, line_no, side, open_minor, currency, value_date)
  select o.tenant_id, r.id, o.line_no, o.side, o.open_minor, o.currency, o.value_date from private.open_in_period(r) o order by o.line_no;
  update public.reconciliations x set status = 'completed', closed_at = now(), closed_by = private.actor()
  where x.tenant_id = r.tenant_id and x.id = r.id
  returning * into r;
  statement := private.statement_json(r);
  if not (statement #>> '{proof,holds}')::boolean then
    perform private.refuse('conflict', 'The proof does not hold: matched, excluded and open lines are not all lines. Tell us before you close.');
  end if;
  select d into unexplained from jsonb_array_elements(statement -> 'differences') d where d -> 'difference_minor' <> '0' limit 1;
  if found then
    perform private.refuse('conflict', format('The statement leaves a difference of %s in minor units of %s, which nothing explains. '
      'Reopen and look at earlier periods of these sources, or tell us before you close.', unexplained ->> 'difference_minor', unexplained ->> 'currency'));
  end if;
  insert into public.closings (tenant_id, reconciliation_id, statement) values (r.tenant_id, r.id, statement);
  update public.closings c set digest = private.closing_digest(r.tenant_id, r.id) where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
  returning c.digest into kept_digest;
  perform private.record_security_event('reconciliation.closed', r.id, null, jsonb_build_object('digest', kept_digest));
  perform graphile_worker.add_job('examine_books', json_build_object('tenant_id', r.tenant_id, 'pair_no', r.pair_no),
    queue_name => 'examine_books', job_key => format('examine_books:%s:%s', r.tenant_id, r.pair_no), max_attempts => 5);
  perform private.emit_own('reconciliation.closed', jsonb_build_object('reconciliation', private.reconciliation_json(r)));
  return r;
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
  update public.reconciliations x set status = 'in_progress', closed_at = null, closed_by = null
  where x.tenant_id = r.tenant_id and x.id = r.id
  returning * into r;
  delete from public.closings c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
  delete from public.carried_lines c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id;
  perform private.record_security_event('reconciliation.reopened', r.id, reason);
  perform private.emit_own('reconciliation.reopened', jsonb_build_object('reconciliation', private.reconciliation_json(r), 'reason', reason));
  return r;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_by_decisions(tenant text, pair integer)
 RETURNS TABLE(line_no bigint, id uuid, side text, currency text, value_date date, amount_minor bigint, matched_minor numeric, excluded_minor numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with matched as materialized (
    select mm.line_no, sum(mm.allocated_minor) as minor from public.reconciliations r
    join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed'
    join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
    where r.tenant_id = tenant and r.pair_no = pair group by 1
  ), excluded as materialized (
    select x.line_no, sum(x.excluded_minor) as minor from public.exclusions x where x.tenant_id = tenant and x.pair_no = pair group by 1
  ), came as materialized (
    select l.line_no, l.id, case s.source_no when p.left_source_no then 'left' else 'right' end as side, l.currency, l.value_date,
      case s.sign when 'inverted' then -l.amount_minor else l.amount_minor end as minor
    from public.pairs p
    join public.sources s on s.tenant_id = p.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
    join public.lines l on l.tenant_id = s.tenant_id and l.source_no = s.source_no
    where p.tenant_id = tenant and p.pair_no = pair
  )
  select coalesce(c.line_no, m.line_no, e.line_no), c.id, c.side, c.currency, c.value_date, c.minor, coalesce(m.minor, 0), coalesce(e.minor, 0)
  from came c full join matched m on m.line_no = c.line_no full join excluded e on e.line_no = coalesce(c.line_no, m.line_no);
end $function$;
CREATE OR REPLACE FUNCTION private.books_differences(tenant text, pair integer)
 RETURNS TABLE(what text, subject text, computed text, shown text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with lines as materialized (
    select *, coalesce(private.line_id_text(x.id), 'line ' || x.line_no) as name from private.lines_by_decisions(tenant, pair) x
  ), periods as materialized (
    select r.*, c.statement, c.digest from public.reconciliations r
    left join public.closings c on c.tenant_id = r.tenant_id and c.reconciliation_id = r.id and r.closed_at is not null
    where r.tenant_id = tenant and r.pair_no = pair
  ), matches as materialized (
    select m.id, m.reconciliation_id, m.state, m.currency, mm.line_no, mm.side, mm.allocated_minor,
      m.residual_minor + (select coalesce(sum((a ->> 'amount_minor')::bigint), 0) from jsonb_array_elements(m.adjustments) a) as explained
    from periods r
    join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state in ('confirmed', 'suggested')
    join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
  ), still_open as materialized (
    select * from private.open_lines o where o.tenant_id = tenant and o.pair_no = pair
  ), settled as materialized (
    -- What each closed period saw settled, by itself or an earlier one.
    select r.id as period, x.line_no, x.side, x.currency, sum(x.minor) as minor
    from periods r join periods earlier on earlier.period_end <= r.period_end
    join (
      select m.reconciliation_id, m.line_no, m.side, m.currency, m.allocated_minor as minor from matches m where m.state = 'confirmed'
      union all
      select e.reconciliation_id, e.line_no, e.side, e.currency, e.excluded_minor from public.exclusions e where e.tenant_id = tenant and e.pair_no = pair
    ) x on x.reconciliation_id = earlier.id
    where r.closed_at is not null group by 1, 2, 3, 4
  ), carried as materialized (
    select c.* from periods r join public.carried_lines c on c.tenant_id = r.tenant_id and c.reconciliation_id = r.id where r.closed_at is not null
  )
  select 'decided of no line', l.name, null::text, concat_ws(' + ', l.matched_minor, l.excluded_minor) from lines l where l.amount_minor is null
  union all
  select 'given more than once', l.name, l.amount_minor::text, (l.matched_minor + l.excluded_minor)::text from lines l
  where l.matched_minor + l.excluded_minor not between least(l.amount_minor, 0) and greatest(l.amount_minor, 0)
    or l.matched_minor not between least(l.amount_minor, 0) and greatest(l.amount_minor, 0)
  union all
  select 'open', coalesce(l.name, 'line ' || o.line_no),
    l.amount_minor - l.matched_minor - l.excluded_minor || ' of ' || l.amount_minor || ' ' || l.currency || ' on ' || l.value_date || ', ' || l.side,
    o.open_minor || ' of ' || o.amount_minor || ' ' || o.currency || ' on ' || o.value_date || ', ' || o.side
  from (select * from lines x where x.amount_minor is not null) l full join still_open o on o.line_no = l.line_no
  where not exists (select from public.pairs p where p.tenant_id = tenant and p.pair_no = pair and p.opening is not null) and (
    l.line_no is null or coalesce(o.open_minor, 0) <> l.amount_minor - l.matched_minor - l.excluded_minor
    or o.line_no is not null and (o.amount_minor, o.currency, o.value_date, o.side) is distinct from (l.amount_minor, l.currency, l.value_date, l.side)
  )
  union all
  select 'match', private.match_id_text(m.id), min(m.explained)::text, sum(case m.side when 'left' then m.allocated_minor else -m.allocated_minor end)::text
  from matches m group by m.id having min(m.explained) <> sum(case m.side when 'left' then m.allocated_minor else -m.allocated_minor end)
  union all
  select 'side or currency of a match', private.match_id_text(m.id), l.side || ' ' || l.currency, m.side || ' ' || m.currency
  from matches m join lines l on l.line_no = m.line_no where (l.side, l.currency) <> (m.side, m.currency)
  union all
  select 'suggested though settled, or twice', l.name || ' in ' || m.reconciliation_id, 'at most 1 while it is open', count(*)::text
  from matches m join lines l on l.line_no = m.line_no left join still_open o on o.line_no = m.line_no
  where m.state = 'suggested' group by l.name, m.reconciliation_id having count(*) > 1 or bool_or(o.line_no is null)
  union all
  select 'matched lines', r.id, x.count::text, coalesce(c.lines, 0)::text
  from periods r left join private.matched_counts c on c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
  cross join lateral (select count(*) from matches m where m.reconciliation_id = r.id and m.state = 'confirmed') x
  where x.count <> coalesce(c.lines, 0)
  union all
  select 'open exceptions', coalesce(l.name, 'line ' || e.line_no), 'at most 1 while it is open', count(*)::text
  from public.exceptions e left join lines l on l.line_no = e.line_no
  where e.tenant_id = tenant and e.pair_no = pair and e.line_no is not null and e.status in ('open', 'in_review')
  group by e.line_no, l.name having count(*) > 1 or not exists (select from still_open o where o.line_no = e.line_no)
  union all
  select 'carried', coalesce(l.name, 'line ' || c.line_no) || ' at the end of ' || c.reconciliation_id,
    (l.amount_minor - coalesce(s.minor, 0))::text, c.open_minor::text
  from carried c left join lines l on l.line_no = c.line_no left join settled s on s.period = c.reconciliation_id and s.line_no = c.line_no
  where l.amount_minor is null or l.amount_minor - coalesce(s.minor, 0) <> c.open_minor
  union all
  -- What a closed period stated is what it settled, with those before it, and carried: not what came for it since.
  select 'closing balance', r.id || ' ' || (b ->> 'side') || ' ' || (b ->> 'currency'), x.minor::text, b ->> 'closing_minor'
  from periods r cross join lateral jsonb_array_elements(r.statement -> 'balances') b
  cross join lateral (
    select coalesce((select sum(s.minor) from settled s where s.period = r.id and s.side = b ->> 'side' and s.currency = b ->> 'currency'), 0)
      + coalesce((select sum(c.open_minor) from carried c where c.reconciliation_id = r.id and c.side = b ->> 'side' and c.currency = b ->> 'currency'), 0) as minor
  ) x
  where x.minor <> (b ->> 'closing_minor')::numeric
  union all
  select 'proof', r.id, 'holds', 'does not hold' from public.reconciliations r
  where r.tenant_id = tenant and r.pair_no = pair and not coalesce((
    select (c.statement #>> '{proof,holds}')::boolean from periods c where c.id = r.id and c.closed_at is not null
  ), (private.proof_json(r) ->> 'holds')::boolean)
  union all
  select 'closing', r.id, private.closing_digest(r.tenant_id, r.id), r.digest from periods r
  where r.closed_at is not null and r.digest is not null and r.digest <> private.closing_digest(r.tenant_id, r.id);
end $function$;
CREATE OR REPLACE FUNCTION private.closing_digest(tenant text, reconciliation text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return encode(sha256(
    sha256(convert_to(coalesce((
      select c.statement::text from public.closings c where c.tenant_id = tenant and c.reconciliation_id = reconciliation
    ), ''), 'UTF8'))
    || sha256(coalesce((
      select string_agg(sha256(convert_to(row(m.id, m.shape, m.method, m.currency, m.amount_minor, m.residual_minor, m.adjustments, m.note,
        m.decided_by, m.created_by)::text, 'UTF8')), '' order by m.id)
      from public.matches m where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'confirmed'
    ), ''))
    || sha256(coalesce((
      select string_agg(sha256(convert_to(row(mm.match_id, mm.line_no, mm.side, mm.allocated_minor)::text, 'UTF8')), '' order by mm.match_id, mm.line_no)
      from public.matches m join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
      where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'confirmed'
    ), ''))
    || sha256(coalesce((
      select string_agg(sha256(convert_to(row(x.line_no, x.side, x.currency, x.excluded_minor, x.reason, x.created_by)::text, 'UTF8')), '' order by x.line_no)
      from public.exclusions x where x.tenant_id = tenant and x.reconciliation_id = reconciliation
    ), ''))
    || sha256(coalesce((
      select string_agg(sha256(convert_to(row(c.line_no, c.side, c.currency, c.open_minor, c.value_date::text)::text, 'UTF8')), '' order by c.line_no)
      from public.carried_lines c where c.tenant_id = tenant and c.reconciliation_id = reconciliation
    ), ''))
  ), 'hex');
end $function$;
CREATE OR REPLACE FUNCTION private.examine_books(tenant text, pair integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  found_count bigint;
  first_ones jsonb;
begin
  select count(*), coalesce(jsonb_agg(jsonb_build_object('what', d.what, 'subject', d.subject, 'computed', d.computed, 'shown', d.shown)
    order by d.what, d.subject) filter (where d.place <= 20), '[]')
  into found_count, first_ones
  from (select *, row_number() over (order by x.what, x.subject) as place from private.books_differences(tenant, pair) x) d;
  if found_count > 0 then
    perform private.emit(tenant, 'books.differ', (
      select jsonb_build_object('reconciliation_ids', coalesce(jsonb_agg(r.id order by r.period_end desc), '[]'),
        'difference_count', found_count, 'differences', first_ones)
      from (
        select x.id, x.period_end from public.reconciliations x where x.tenant_id = tenant and x.pair_no = pair order by x.period_end desc limit 100
      ) r
    ), format('%s %s %s', pair, (now() at time zone 'UTC')::date, md5(first_ones::text)));
  end if;
  return found_count;
end $function$;
CREATE OR REPLACE FUNCTION private.queue_book_examinations()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform graphile_worker.add_job('examine_books', json_build_object('tenant_id', p.tenant_id, 'pair_no', p.pair_no),
    queue_name => 'examine_books', job_key => format('examine_books:%s:%s', p.tenant_id, p.pair_no), max_attempts => 5)
  from public.pairs p;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_past_grace(tenant text, reconciliation text, most integer, OUT lines jsonb, OUT held_back bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- The last day is looked for once a side, never once a line.
  with due as materialized (
    select r.pair_no, r.period_end, s.name, case s.source_no when p.left_source_no then 'left' else 'right' end as side,
      private.last_day_of_grace(s, private.policy_of_pair(tenant, r.pair_no) ->> 'calendar_id') as day
    from public.reconciliations r
    join public.pairs p on p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
    join public.sources s on s.tenant_id = r.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
    where r.tenant_id = tenant and r.id = reconciliation
  ), overdue as materialized (
    select o.line_no, o.side, o.open_minor, o.currency, o.value_date, d.name,
      exists (
        select from public.reconciliations c
        where c.tenant_id = tenant and c.pair_no = d.pair_no and c.closed_at is not null and o.value_date between c.period_start and c.period_end
          -- What was there when it closed was carried. Times of transactions don't say which came first.
          and (
            select k.line_no from public.carried_lines k where k.tenant_id = tenant and k.reconciliation_id = c.id and k.line_no = o.line_no
          ) is null
      ) as is_late
    from due d
    join private.open_lines o on o.tenant_id = tenant and o.pair_no = d.pair_no and o.side = d.side and o.value_date <= d.period_end
      and o.value_date < d.day
    where (
      select e.id from public.exceptions e where e.tenant_id = tenant and e.line_no = o.line_no and e.pair_no = d.pair_no limit 1
    ) is null
  ), chosen as (
    select * from overdue order by abs(open_minor) desc, line_no limit most
  )
  select coalesce(jsonb_agg(to_jsonb(c)), '[]'), (select count(*) from overdue) - count(*) into lines, held_back from chosen c;
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_exceptions(tenant text, reconciliation text, run text, attempt integer, rows jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  opened integer;
begin
  r := private.hold_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  insert into public.exceptions (tenant_id, title, severity, assigned_to, due_at, due_from_policy, calendar_id, calendar_no, reason_code, amount_minor, currency,
    reconciliation_id, details, pair_no, line_no, line_id, suggested_match_id)
  select tenant, x.title, x.severity, x.assigned_to,
    date_trunc('milliseconds', now()) + make_interval(mins => private.minutes_to_resolve(p, x.severity)), true,
    c.id, case when c.id is not null then private.current_calendar_no(tenant, c.id) end,
    x.reason_code, x.amount_minor, x.currency, r.id, coalesce(x.details, '{}'), r.pair_no, l.line_no, l.id, (
      select m.id from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
      where mm.tenant_id = tenant and mm.line_no = l.line_no and mm.pair_no = r.pair_no and m.state = 'suggested' order by m.id limit 1
    )
  from jsonb_to_recordset(rows) as x (
    line_no bigint, title text, severity text, assigned_to text, reason_code text, amount_minor bigint, currency text, details jsonb)
  join public.sla_policies p on p.tenant_id = tenant
  cross join lateral (select private.policy_calendar(p, x.severity)) c (id)
  join public.lines l on l.tenant_id = tenant and l.line_no = x.line_no
  join private.open_lines o on o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = l.line_no
  where not exists (select from public.exceptions e where e.tenant_id = tenant and e.line_no = l.line_no and e.pair_no = r.pair_no);
  get diagnostics opened = row_count;
  return opened;
end $function$;
CREATE OR REPLACE FUNCTION private.point_exceptions_at_suggestions(tenant text, reconciliation text, run text, attempt integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_attempt(tenant, run, attempt);
  with suggested as materialized (
    select mm.line_no, m.pair_no, m.id from public.matches m
    cross join lateral (
      select mm.line_no, mm.side, mm.allocated_minor from public.match_members mm where mm.tenant_id = m.tenant_id and mm.match_id = m.id offset 0
    ) mm
    where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'suggested'
  ), pointing as materialized (
    select e.id, s.id as match_id from suggested s join lateral (
      select x.id from public.exceptions x
      where x.tenant_id = tenant and x.line_no = s.line_no and x.pair_no = s.pair_no and x.status in ('open', 'in_review')
        and x.suggested_match_id is distinct from s.id
      offset 0
    ) e on true
  )
  update public.exceptions e set suggested_match_id = p.match_id from pointing p where e.tenant_id = tenant and e.id = p.id;
end $function$;
grant execute on function private.closing_digest(text,text) to authenticated;
grant execute on function private.end_abandoned_runs(text) to service_role;
grant execute on function private.fail_run(text,text,integer,text) to service_role;
grant execute on function private.finish_dry_run(text,text,integer,jsonb) to service_role;
grant execute on function private.finish_run(text,text,integer,jsonb) to service_role;
grant execute on function private.hold_own_source(text,jsonb) to authenticated;
grant execute on function private.hold_pair_of_own(text) to authenticated;
grant execute on function private.keep_matches(text,text,text,integer,uuid[],uuid[],text[],text[],text[],boolean[],real[],real[],text[],bigint[],bigint[],jsonb,bigint[],bigint[],uuid[],bigint[],text[],bigint[]) to service_role;
grant execute on function private.keep_weights(text,integer,text,integer,jsonb,bigint) to service_role;
grant execute on function private.lock_of_source(text,integer) to authenticated;
grant execute on function private.open_line_exceptions(text,text,text,integer,jsonb) to service_role;
grant execute on function private.point_exceptions_at_suggestions(text,text,text,integer) to service_role;
grant execute on function private.tell_run_progress(text,text,integer,text,bigint,bigint) to service_role;
insert into private.permissions select (row_text::private.permissions).* from (values
  ('(close:reconciliations,{user},"{tenant_admin,tenant_lead}",)'),
  ('(decide:matches,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",write:reconciliations)'),
  ('(read:alert-channels,"{user,service_role}",{tenant_admin},)'),
  ('(read:api-keys,{user},{tenant_admin},)'),
  ('(read:calendars,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:exceptions)'),
  ('(read:exceptions,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:exceptions)'),
  ('(read:first-steps,{user},{tenant_admin},)'),
  ('(read:integrations,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:integrations)'),
  ('(read:me,"{user,api_key,service_role,publishable_key}",,)'),
  ('(read:members,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:notifications,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:overview,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:people,{user},{tenant_admin},)'),
  ('(read:reconciliations,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:reconciliations)'),
  ('(read:release-notes,"{user,api_key,service_role,publishable_key}","{tenant_admin,tenant_analyst,tenant_lead}",read:release-notes)'),
  ('(read:requests,"{user,api_key,service_role}",{tenant_admin},read:requests)'),
  ('(read:security-events,"{user,service_role}",{tenant_admin},)'),
  ('(read:sessions,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:sla,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:sla-policy,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:troubleshooting,"{user,api_key,service_role,publishable_key}","{tenant_admin,tenant_analyst,tenant_lead}",read:troubleshooting)'),
  ('(read:views,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:webhooks,"{user,api_key,service_role}",{tenant_admin},read:webhooks)'),
  ('(restore:integrations,"{user,service_role}",{tenant_admin},)'),
  ('(restore:release-notes,"{user,service_role}",{tenant_admin},)'),
  ('(restore:troubleshooting,"{user,service_role}",{tenant_admin},)'),
  ('(write:alert-channels,"{user,service_role}",{tenant_admin},)'),
  ('(write:api-keys,{user},{tenant_admin},)'),
  ('(write:calendars,"{user,service_role}",{tenant_admin},)'),
  ('(write:exceptions,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",write:exceptions)'),
  ('(write:first-steps,{user},{tenant_admin},)'),
  ('(write:integrations,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:integrations)'),
  ('(write:notifications,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(write:people,{user},{tenant_admin},)'),
  ('(write:reconciliations,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:reconciliations)'),
  ('(write:release-notes,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:release-notes)'),
  ('(write:sessions,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(write:sla-policy,"{user,service_role}","{tenant_admin,tenant_lead}",)'),
  ('(write:troubleshooting,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:troubleshooting)'),
  ('(write:views,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(write:webhooks,"{user,api_key,service_role}",{tenant_admin},write:webhooks)')
) as given (row_text);
insert into private.operations select (row_text::private.operations).* from (values
  ('(add_lines,addLines,write:reconciliations)'),
  ('(close_reconciliation,closeReconciliation,close:reconciliations)'),
  ('(confirm_match,confirmMatch,decide:matches)'),
  ('(continue_security_event_export,exportSecurityEvents,read:security-events)'),
  ('(create_alert_channel,createAlertChannel,write:alert-channels)'),
  ('(create_api_key,createApiKey,write:api-keys)'),
  ('(create_calendar,createCalendar,write:calendars)'),
  ('(create_exception,createException,write:exceptions)'),
  ('(create_exception_comment,createExceptionComment,write:exceptions)'),
  ('(create_import,createImport,write:reconciliations)'),
  ('(create_invitation,createInvitation,write:people)'),
  ('(create_match,createMatch,write:reconciliations)'),
  ('(create_reconciliation,createReconciliation,write:reconciliations)'),
  ('(create_record,createIntegration,write:integrations)'),
  ('(create_record,createReleaseNote,write:release-notes)'),
  ('(create_record,createTroubleshootingGuide,write:troubleshooting)'),
  ('(create_run,createRun,write:reconciliations)'),
  ('(create_source,createSource,write:reconciliations)'),
  ('(create_view,createView,write:views)'),
  ('(create_webhook,createWebhook,write:webhooks)'),
  ('(decide_matches,decideMatches,decide:matches)'),
  ('(delete_alert_channel,deleteAlertChannel,write:alert-channels)'),
  ('(delete_record,deleteIntegration,write:integrations)'),
  ('(delete_record,deleteReleaseNote,write:release-notes)'),
  ('(delete_record,deleteTroubleshootingGuide,write:troubleshooting)'),
  ('(delete_view,deleteView,write:views)'),
  ('(delete_webhook,deleteWebhook,write:webhooks)'),
  ('(drop_import,createImport,write:reconciliations)'),
  ('(enable_webhook,enableWebhook,write:webhooks)'),
  ('(end_sessions,endSessions,write:sessions)'),
  ('(estimate_api_key_impact,estimateApiKeyImpact,read:api-keys)'),
  ('(exclude_line,excludeLine,write:reconciliations)'),
  ('(get_alert_channel,getAlertChannel,read:alert-channels)'),
  ('(get_api_key,getApiKey,read:api-keys)'),
  ('(get_api_key_usage,getApiKeyUsage,read:api-keys)'),
  ('(get_calendar,getCalendar,read:calendars)'),
  ('(get_calendar,getCalendarIcs,read:calendars)'),
  ('(get_exception,getException,read:exceptions)'),
  ('(get_exception_ledger,getExceptionLedger,read:exceptions)'),
  ('(get_first_steps,getFirstSteps,read:first-steps)'),
  ('(get_import,getImport,read:reconciliations)'),
  ('(get_invitation,getInvitation,read:people)'),
  ('(get_line,getLine,read:reconciliations)'),
  ('(get_match,getMatch,read:reconciliations)'),
  ('(get_me,getMe,read:me)'),
  ('(get_notification_settings,getNotificationSettings,read:notifications)'),
  ('(get_overview,getOverview,read:overview)'),
  ('(get_proof,getProof,read:reconciliations)'),
  ('(get_reconciliation,getReconciliation,read:reconciliations)'),
  ('(get_record,getIntegration,read:integrations)'),
  ('(get_record,getReleaseNote,read:release-notes)'),
  ('(get_record,getTroubleshootingGuide,read:troubleshooting)'),
  ('(get_request,getRequest,read:requests)'),
  ('(get_request_stats,getRequestStats,read:requests)'),
  ('(get_rules,getRules,read:reconciliations)'),
  ('(get_run,getRun,read:reconciliations)'),
  ('(get_security_event,getSecurityEvent,read:security-events)'),
  ('(get_sla_facets,getSlaFacets,read:sla)'),
  ('(get_sla_policy,getSlaPolicy,read:sla-policy)'),
  ('(get_sla_report,exportSlaReport,read:sla)'),
  ('(get_sla_report,getSlaReport,read:sla)'),
  ('(get_source,addLines,write:reconciliations)'),
  ('(get_source,getSource,read:reconciliations)'),
  ('(get_statement,getStatement,read:reconciliations)'),
  ('(get_tenant_member,getTenantMember,read:people)'),
  ('(get_time_to_breach,getTimeToBreach,read:sla)'),
  ('(get_view,getView,read:views)'),
  ('(get_webhook,getWebhook,read:webhooks)'),
  ('(get_webhook_delivery,getWebhookDelivery,read:webhooks)'),
  ('(get_webhook_stats,getWebhookStats,read:webhooks)'),
  ('(import_exceptions,importExceptions,write:exceptions)'),
  ('(include_line,includeLine,write:reconciliations)'),
  ('(keep_import_chunk,createImport,write:reconciliations)'),
  ('(list_alert_channels,listAlertChannels,read:alert-channels)'),
  ('(list_api_keys,listApiKeys,read:api-keys)'),
  ('(list_calendar_versions,listCalendarVersions,read:calendars)'),
  ('(list_calendars,listCalendars,read:calendars)'),
  ('(list_decisions,listDecisions,read:reconciliations)'),
  ('(list_deliveries,listDeliveries,read:webhooks)'),
  ('(list_exception_comments,listExceptionComments,read:exceptions)'),
  ('(list_exception_history,listExceptionHistory,read:exceptions)'),
  ('(list_exceptions,listExceptions,read:exceptions)'),
  ('(list_holidays,listHolidayCountries,read:calendars)'),
  ('(list_holidays,listHolidays,read:calendars)'),
  ('(list_imports,listImports,read:reconciliations)'),
  ('(list_invitations,listInvitations,read:people)'),
  ('(list_line_history,listLineHistory,read:reconciliations)'),
  ('(list_line_suggestions,listLineSuggestions,read:reconciliations)'),
  ('(list_lines,listLines,read:reconciliations)'),
  ('(list_matches,listMatches,read:reconciliations)'),
  ('(list_members,listMembers,read:members)'),
  ('(list_open_hours,listOpenHours,read:calendars)'),
  ('(list_open_lines,listOpenLines,read:reconciliations)'),
  ('(list_outstanding_lines,exportStatement,read:reconciliations)'),
  ('(list_reconciliations,listReconciliations,read:reconciliations)'),
  ('(list_records,listIntegrations,read:integrations)'),
  ('(list_records,listReleaseNotes,read:release-notes)'),
  ('(list_records,listTroubleshooting,read:troubleshooting)'),
  ('(list_requests,listRequests,read:requests)'),
  ('(list_runs,listRuns,read:reconciliations)'),
  ('(list_security_events,listSecurityEvents,read:security-events)'),
  ('(list_sessions,listSessions,read:sessions)'),
  ('(list_sla_changes,listSlaChanges,read:sla)'),
  ('(list_sla_exceptions,exportSlaExceptions,read:sla)'),
  ('(list_sla_exceptions,listSlaExceptions,read:sla)'),
  ('(list_sources,listSources,read:reconciliations)'),
  ('(list_suggestion_bands,listSuggestionBands,read:reconciliations)'),
  ('(list_tenant_members,listTenantMembers,read:people)'),
  ('(list_views,listViews,read:views)'),
  ('(list_webhook_deliveries,listWebhookDeliveries,read:webhooks)'),
  ('(list_webhooks,listWebhooks,read:webhooks)'),
  ('(open_import,createImport,write:reconciliations)'),
  ('(open_pair,createReconciliation,write:reconciliations)'),
  ('(open_security_event_chain,verifySecurityEvents,read:security-events)'),
  ('(open_security_event_export,exportSecurityEvents,read:security-events)'),
  ('(pause_exception,pauseException,write:exceptions)'),
  ('(preview_import,createImport,write:reconciliations)'),
  ('(put_calendar,putCalendar,write:calendars)'),
  ('(put_first_steps,putFirstSteps,write:first-steps)'),
  ('(put_notification_settings,putNotificationSettings,write:notifications)'),
  ('(put_rules,putRules,write:reconciliations)'),
  ('(put_sla_policy,putSlaPolicy,write:sla-policy)'),
  ('(read_ics,readIcs,write:calendars)'),
  ('(recover_webhook,recoverWebhook,write:webhooks)'),
  ('(reject_match,rejectMatch,decide:matches)'),
  ('(remove_tenant_member,removeTenantMember,write:people)'),
  ('(reopen_reconciliation,reopenReconciliation,close:reconciliations)'),
  ('(resend_invitation,resendInvitation,write:people)'),
  ('(resend_webhook_delivery,resendWebhookDelivery,write:webhooks)'),
  ('(restore_record,restoreIntegration,restore:integrations)'),
  ('(restore_record,restoreReleaseNote,restore:release-notes)'),
  ('(restore_record,restoreTroubleshootingGuide,restore:troubleshooting)'),
  ('(resume_exception,resumeException,write:exceptions)'),
  ('(revoke_api_key,revokeApiKey,write:api-keys)'),
  ('(revoke_invitation,revokeInvitation,write:people)'),
  ('(rotate_api_key,rotateApiKey,write:api-keys)'),
  ('(rotate_webhook_secret,rotateWebhookSecret,write:webhooks)'),
  ('(sample_suggestions,sampleSuggestions,read:reconciliations)'),
  ('(test_alert_channel,testAlertChannel,write:alert-channels)'),
  ('(test_webhook,testWebhook,write:webhooks)'),
  ('(undo_decision,undoDecision,decide:matches)'),
  ('(undo_import,undoImport,write:reconciliations)'),
  ('(undo_match,undoMatch,write:reconciliations)'),
  ('(update_alert_channel,updateAlertChannel,write:alert-channels)'),
  ('(update_api_key,updateApiKey,write:api-keys)'),
  ('(update_exception,updateException,write:exceptions)'),
  ('(update_exceptions,updateExceptions,write:exceptions)'),
  ('(update_reconciliation,updateReconciliation,write:reconciliations)'),
  ('(update_record,updateIntegration,write:integrations)'),
  ('(update_record,updateReleaseNote,write:release-notes)'),
  ('(update_record,updateTroubleshootingGuide,write:troubleshooting)'),
  ('(update_source,updateSource,write:reconciliations)'),
  ('(update_tenant_member,updateTenantMember,write:people)'),
  ('(update_view,updateView,write:views)'),
  ('(update_webhook,updateWebhook,write:webhooks)'),
  ('(walk_security_event_chain,verifySecurityEvents,read:security-events)')
) as given (row_text);
insert into private.event_kinds select (row_text::private.event_kinds).* from (values
  ('(api_key.expiring,read:api-keys)'),
  ('(api_key.revoked,read:api-keys)'),
  ('(books.differ,read:reconciliations)'),
  ('(exception.commented,read:exceptions)'),
  ('(exception.created,read:exceptions)'),
  ('(exception.paused,read:exceptions)'),
  ('(exception.resolved,read:exceptions)'),
  ('(exception.resumed,read:exceptions)'),
  ('(exception.sla.at_risk,read:exceptions)'),
  ('(exception.sla.breached,read:exceptions)'),
  ('(exception.updated,read:exceptions)'),
  ('(import.done,read:reconciliations)'),
  ('(match.undone,read:reconciliations)'),
  ('(reconciliation.closed,read:reconciliations)'),
  ('(reconciliation.reopened,read:reconciliations)'),
  ('(run.done,read:reconciliations)'),
  ('(webhook.disabled,read:webhooks)'),
  ('(webhook.failing,read:webhooks)'),
  ('(webhook.test,read:webhooks)')
) as given (row_text);
