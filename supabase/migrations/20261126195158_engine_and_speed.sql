alter table public.runs add column conditions jsonb;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.event_window_end(text,bigint,bigint);
drop function private.settled_event_position(text);
drop function private.line_json(public.lines,text,integer);
drop function private.line_standing(public.lines,integer);
create table private.run_changes (
  tenant_id text not null,
  reconciliation_id text not null,
  change_no bigint not null generated always as identity
);
create table private.held_back_reasons (
  tenant_id text not null,
  reconciliation_id text not null,
  reasons jsonb not null
);
alter table private.held_back_reasons add constraint held_back_reasons_pkey PRIMARY KEY (tenant_id, reconciliation_id);
alter table private.run_changes add constraint run_changes_pkey PRIMARY KEY (tenant_id, reconciliation_id, change_no);
alter table private.held_back_reasons enable row level security; alter table private.held_back_reasons no force row level security;
alter table private.run_changes enable row level security; alter table private.run_changes no force row level security;
CREATE OR REPLACE FUNCTION private.lines_json(tenant text, pair integer, line_nos bigint[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET jit TO 'off'
AS $function$
begin
  return (
    with found as materialized (
      select asked.n, l.*
      from unnest(line_nos) with ordinality asked (line_no, n)
      cross join lateral (
        select * from public.lines x
        where x.tenant_id = tenant and x.line_no = asked.line_no offset 0
      ) l
    ), of_sources as materialized (
      select s.source_no, s.id, array(
        select p.pair_no from public.pairs p
        where p.tenant_id = tenant and s.source_no in (p.left_source_no, p.right_source_no)
          and (pair is null or p.pair_no = pair) and p.opening is null
        order by p.pair_no
      ) as pair_nos
      from public.sources s
      where s.tenant_id = tenant and s.source_no in (select l.source_no from found l)
    )
    select jsonb_agg(jsonb_build_object(
      'id', private.line_id_text(l.id), 'source_id', s.id, 'import_id', l.import_id,
      'file_line', l.file_line, 'external_id', l.external_id, 'amount_minor', l.amount_minor,
      'fee_minor', l.fee_minor, 'currency', l.currency, 'value_date', l.value_date,
      'booked_date', l.booked_date, 'reference', l.reference, 'counterparty', l.counterparty,
      'description', l.description, 'group_key', l.group_key, 'details', coalesce(l.details, '{}'),
      'state', case
        when s.pair_nos = '{}' or standing.open_minor = standing.amount_minor then 'open'
        when standing.open_minor is not null then 'partly_matched'
        when exists (
          select from public.exclusions e
          where e.tenant_id = tenant and e.pair_no = standing.pair_no
            and e.line_no = l.line_no offset 0
        ) then 'excluded'
        else 'matched' end,
      -- With the sign as posted: a pair negates the amounts of an inverted source.
      'open_minor', case
        when s.pair_nos = '{}' then l.amount_minor
        when standing.open_minor is null then 0
        when sign(standing.amount_minor) = sign(l.amount_minor) then standing.open_minor
        else -standing.open_minor end,
      'match_ids', (
        select coalesce(jsonb_agg(private.match_id_text(m.id) order by m.id), '[]')
        from public.match_members mm
        cross join lateral (
          select x.id from public.matches x
          where x.tenant_id = tenant and x.id = mm.match_id and x.state = 'confirmed' offset 0
        ) m
        where mm.tenant_id = tenant and mm.line_no = l.line_no
          and (pair is null or mm.pair_no = pair)
      ),
      'exception_id', (
        select e.id
        from (
          select x.exception_id from private.exception_lines x
          where x.tenant_id = tenant and x.line_no = l.line_no offset 0
        ) x cross join lateral (
          select y.id from public.exceptions y
          where y.tenant_id = tenant and y.id = x.exception_id
            and y.status in ('open', 'in_review') offset 0
        ) e
        order by e.id desc limit 1
      ),
      'created_at', private.iso(l.created_at)
    ) order by l.n)
    from found l
    join of_sources s on s.source_no = l.source_no
    left join lateral (
      select p.pair_no, o.amount_minor, o.open_minor
      from unnest(s.pair_nos) p (pair_no)
      left join lateral (
        select x.amount_minor, x.open_minor from private.open_lines x
        where x.tenant_id = tenant and x.pair_no = p.pair_no and x.line_no = l.line_no offset 0
      ) o on true
      order by abs(o.open_minor) desc nulls last, p.pair_no limit 1
    ) standing on true
  );
end $function$;
CREATE OR REPLACE FUNCTION public.add_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'add_lines');
  s public.sources;
  added jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  s := private.find_source(input ->> 'source_id');
  added := private.add_lines(s.source_no, (
    select jsonb_agg(jsonb_build_object('currency', s.currency) || l.line order by l.n)
    from jsonb_array_elements(input -> 'lines') with ordinality l (line, n)
  ));
  -- After the locks of the pair: decisions record their work with these held.
  perform private.record_source_work(s.source_no);
  return private.finish_request(request, jsonb_build_object(
    'accepted_count', added -> 'accepted', 'duplicate_count', added -> 'duplicates', 'items',
    added -> 'items'
  ));
end $function$;
CREATE OR REPLACE FUNCTION public.get_line(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  l public.lines;
begin
  perform private.begin_request(request, 'get_line');
  select * into l
  from public.lines x
  where x.tenant_id = private.tenant_id() and x.id = private.line_id(input ->> 'id');
  if not found then
    perform private.refuse_missing('line');
  end if;
  return private.lines_json(l.tenant_id, null, array[l.line_no]) -> 0;
end $function$;
CREATE OR REPLACE FUNCTION public.list_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  r public.reconciliations;
  source_nos integer[];
  line_nos bigint[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_lines');
  if input ->> 'source_id' is not null then
    perform private.find_source(input ->> 'source_id');
  end if;
  if input ->> 'reconciliation_id' is not null then
    select * into r
    from public.reconciliations x
    where x.tenant_id = tenant and x.id = input ->> 'reconciliation_id';
    if not found then
      perform private.refuse_missing('reconciliation');
    end if;
  end if;
  source_nos := array(
    select s.source_no
    from public.sources s
    left join public.pairs p on p.tenant_id = tenant and p.pair_no = r.pair_no
    where s.tenant_id = tenant
      and (input ->> 'source_id' is null or s.id = input ->> 'source_id')
      and (r.id is null or s.source_no in (p.left_source_no, p.right_source_no))
      and (input ->> 'side' is null
      or s.source_no = case input ->> 'side' when 'left' then p.left_source_no
      else p.right_source_no end)
  );
  line_nos := array(
    select f.line_no
    from private.lines_of_caller(r, input, source_nos, page_size + 1) f order by f.n);
  items := private.lines_json(tenant, r.pair_no, line_nos);
  if r.closed_at is not null then
    select jsonb_agg(i.item || private.line_in_closed(l, r) order by i.n) into items
    from jsonb_array_elements(items) with ordinality i (item, n)
    cross join lateral (select * from public.lines y
      where y.tenant_id = tenant and y.line_no = line_nos[i.n] offset 0) l;
  end if;
  return private.page(items, page_size, 'value_date', 'id');
end $function$;
CREATE OR REPLACE FUNCTION public.undo_import(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'undo_import');
  i public.imports;
begin
  if replayed is not null then
    return replayed;
  end if;
  i := private.begin_undoing(input ->> 'id');
  perform private.record_source_work(i.source_no);
  perform private.record_security_event('import.undone', i.id, null, jsonb_build_object(
    'file_name', i.file_name, 'accepted_count', i.accepted_count
  ));
  return private.finish_request(request, private.import_json(i));
end $function$;
CREATE OR REPLACE FUNCTION private.detach_removed_lines(tenant_id text, import_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  source constant integer := (select i.source_no from public.imports i
    where i.tenant_id = $1 and i.id = $2);
  line_nos bigint[];
  touched record;
begin
  perform private.lock_source($1, source);
  perform private.lock_pairs_of_source($1, source);
  perform private.mark_pair_changed(p.tenant_id, p.pair_no) from public.pairs p
  where p.tenant_id = $1 and source in (p.left_source_no, p.right_source_no);
  line_nos := private.line_nos_of_import($1, $2);
  perform private.require_undoable($1, source, line_nos);
  perform private.revoke_signatures_of_source($1, source, '-infinity', 'An import was undone.');
  for touched in
    select mm.pair_no, array_agg(distinct mm.match_id) as ids from public.match_members mm
    where mm.tenant_id = $1 and mm.line_no = any (line_nos) group by mm.pair_no order by mm.pair_no
  loop
    perform private.undo_matches($1, touched.ids, null);
    perform private.delete_matches($1, touched.ids);
  end loop;
  for touched in select p.pair_no from public.pairs p where p.tenant_id = $1 loop
    delete
    from public.exclusions x
    where x.tenant_id = $1 and x.pair_no = touched.pair_no and x.line_no = any (line_nos);
    delete
    from private.open_lines o
    where o.tenant_id = $1 and o.pair_no = touched.pair_no and o.line_no = any (line_nos);
    perform private.resolve_line_exceptions($1, touched.pair_no, line_nos,
      'The import of the line was undone.');
  end loop;
  delete from private.line_texts t where t.tenant_id = $1 and t.line_no = any (line_nos);
end $function$;
CREATE OR REPLACE FUNCTION private.record_decided_matches(action text, ids uuid[], details jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  target constant text := case when cardinality(ids) = 1 then private.match_id_text(ids[1]) end;
  periods constant text[] := array(
    select distinct m.reconciliation_id
    from public.matches m
    where m.tenant_id = private.tenant_id() and m.id = any (ids)
    order by m.reconciliation_id);
  told constant jsonb := details || jsonb_build_object('count', cardinality(ids),
    'reconciliation_id', case when cardinality(periods) = 1 then periods[1] end);
begin
  if cardinality(ids) = 0 then
    return;
  end if;
  if action in ('confirm', 'undo') then
    perform private.record_period_work(p.id) from unnest(periods) as p (id);
  end if;
  case action
    when 'confirm' then perform private.record_security_event('matching.confirmed', target, null,
      told);
    when 'reject' then perform private.record_security_event('matching.rejected', target, null,
      told);
    when 'undo' then perform private.record_security_event('matching.undone', target, null, told);
  end case;
end $function$;
CREATE OR REPLACE FUNCTION private.line_of_period(id text, period text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select private.lines_json(l.tenant_id, r.pair_no, array[l.line_no]) -> 0
    from public.lines l
    join public.reconciliations r on r.tenant_id = l.tenant_id and r.id = period
    where l.tenant_id = private.tenant_id() and l.id = private.line_id($1)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.request_runs(tenant text, pair integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.mark_pair_changed(tenant, pair);
  perform private.queue_run(r.tenant_id, r.pair_no, r.id, null, interval '1 second') from (
    select * from public.reconciliations x
    where x.tenant_id = tenant and x.pair_no = pair and x.auto_run and x.closed_at is null
      and x.status <> 'archived'
      and not private.is_closing(tenant, pair, x.id)
    order by x.period_end
  ) r;
end $function$;
CREATE OR REPLACE FUNCTION private.mark_pair_changed(tenant text, pair integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.run_changes (tenant_id, reconciliation_id)
  select r.tenant_id, r.id from public.reconciliations r
  where r.tenant_id = tenant and r.pair_no = pair and r.closed_at is null
    and r.status <> 'archived'
    and r.id is distinct from current_setting('tieout.written_by_run_of', true);
end $function$;
CREATE OR REPLACE FUNCTION private.mark_changed_pairs()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- A run writes thousands of rows of one pair.
  if current_setting('tieout.written_by_run_of', true) <> '' then
    perform private.mark_pair_changed(x.tenant_id, x.pair_no)
    from (select c.tenant_id, c.pair_no from changed c limit 1) x;
    return null;
  end if;
  perform private.mark_pair_changed(x.tenant_id, x.pair_no)
  from (select distinct c.tenant_id, c.pair_no from changed c) x;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.mark_reopened_period()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.run_changes (tenant_id, reconciliation_id) values (new.tenant_id, new.id);
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.run_conditions(r public.reconciliations, p public.pairs, engine text, policy jsonb, calendar jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('engine', engine, 'rules_version', p.rules_version,
    'period_end', r.period_end, 'calendar_id', calendar -> 'calendar_id',
    'calendar_version', calendar -> 'calendar_version',
    'days_of_grace', (
      select jsonb_object_agg(s.source_no,
        private.last_day_of_grace(s, policy ->> 'calendar_id'))
      from public.sources s
      where s.tenant_id = r.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
    ));
end $function$;
CREATE OR REPLACE FUNCTION private.has_nothing_new(r public.reconciliations, last_run public.runs, conditions jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return last_run.status = 'done' and last_run.conditions = has_nothing_new.conditions
    and not exists (select from private.run_changes c
      where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id)
    and not exists (select from private.decisions d
      where d.tenant_id = r.tenant_id and d.pair_no = r.pair_no);
end $function$;
CREATE OR REPLACE FUNCTION private.forget_read_changes(tenant text, reconciliation text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  delete from private.run_changes c
  where c.tenant_id = tenant and c.reconciliation_id = reconciliation;
end $function$;
CREATE OR REPLACE FUNCTION private.keep_held_back_reasons(tenant text, reconciliation text, reasons jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from private.held_back_reasons h
  where h.tenant_id = tenant and h.reconciliation_id = reconciliation;
  if reasons is not null then
    insert into private.held_back_reasons (tenant_id, reconciliation_id, reasons)
    values (tenant, reconciliation, keep_held_back_reasons.reasons);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.end_unchanged_run(tenant text, run text, last_run public.runs, opened integer, held_back integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  ended public.runs;
begin
  update public.runs x
  set status = 'done', stage = null, started_at = coalesce(x.started_at, now()),
    finished_at = clock_timestamp(), rules_version = last_run.rules_version,
    engine_version = last_run.engine_version, calendar_id = last_run.calendar_id,
    calendar_version = last_run.calendar_version, conditions = last_run.conditions,
    lines_done = last_run.lines_total, lines_total = last_run.lines_total,
    digest = last_run.digest, suggested_count = last_run.suggested_count,
    open_count = last_run.open_count, waterfall = last_run.waterfall,
    exceptions_opened = opened, exceptions_held_back = held_back,
    changed = last_run.changed || jsonb_build_object('added', 0, 'replaced', 0, 'undone', 0,
      'left_out', 0, 'kept', (last_run.changed ->> 'kept')::bigint
        + (last_run.changed ->> 'added')::bigint + (last_run.changed ->> 'replaced')::bigint)
  where x.tenant_id = tenant and x.id = run
  returning * into ended;
  perform private.emit(tenant, 'run.done',
    jsonb_build_object('run', private.run_json(ended)), run);
end $function$;
CREATE OR REPLACE FUNCTION private.finish_unchanged_run(tenant text, run text, attempt integer, opened integer, held_back integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  x public.runs;
  last_run public.runs;
begin
  perform private.require_attempt(tenant, run, attempt);
  select * into strict x from public.runs y where y.tenant_id = tenant and y.id = run;
  select * into strict last_run from public.runs y
  where y.tenant_id = tenant and y.reconciliation_id = x.reconciliation_id and y.status = 'done'
    and y.dry_run is null
  order by y.id desc limit 1;
  perform private.end_unchanged_run(tenant, run, last_run, opened, held_back);
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
  last_ended public.runs;
  policy jsonb;
  calendar jsonb;
  circumstances jsonb;
  held_back jsonb;
begin
  select * into r
  from public.reconciliations x
  where x.tenant_id = tenant and x.id = reconciliation;
  select * into begun from public.runs x
  where x.tenant_id = tenant and x.reconciliation_id = reconciliation
    and x.status in ('queued', 'running')
    and case when asked is null then x.dry_run is null else x.id = asked end
  order by x.id limit 1 for update;
  if r.pair_no is null or r.status = 'archived'
    or begun.dry_run is null
    and (r.closed_at is not null or private.is_closing(tenant, r.pair_no, r.id)) then
    update public.runs x
    set status = 'failed', finished_at = now(),
      failure = 'The period was closed before the run began.'
    where x.tenant_id = tenant and x.id = begun.id;
    return null;
  end if;
  select * into p from public.pairs x where x.tenant_id = tenant and x.pair_no = r.pair_no;
  if p.opening is not null then
    return null;
  end if;
  if begun.id is null and asked is not null then
    return null;
  end if;
  select * into rule_set
  from public.pair_rules x
  where x.tenant_id = tenant and x.pair_no = p.pair_no and x.version = p.rules_version;
  select * into last_run from public.runs x
  where x.tenant_id = tenant and x.reconciliation_id = r.id and x.status = 'done'
    and x.dry_run is null
    order by x.id desc limit 1;
  policy := private.default_policy() || coalesce(rule_set.policy, '{}')
    || jsonb_strip_nulls(jsonb_build_object('fees', begun.dry_run -> 'fees'));
  calendar := private.open_days(tenant,
    case when begun.dry_run ? 'calendar_id' then begun.dry_run else policy end ->> 'calendar_id');
  circumstances := private.run_conditions(r, p, engine, policy, calendar);
  select * into last_ended from public.runs x
  where x.tenant_id = tenant and x.reconciliation_id = r.id and x.status in ('done', 'failed')
    and x.dry_run is null
    order by x.id desc limit 1;
  if begun.dry_run is null and begun.status is distinct from 'running'
    and private.has_nothing_new(r, last_ended, circumstances) then
    if begun.id is null then
      return null;
    elsif last_ended.exceptions_held_back = 0 then
      perform private.end_unchanged_run(tenant, begun.id, last_ended, 0, 0);
      return null;
    end if;
    held_back := coalesce((select h.reasons from private.held_back_reasons h
      where h.tenant_id = tenant and h.reconciliation_id = r.id), '{}');
  end if;
  if begun.id is null then
    insert into public.runs (tenant_id, reconciliation_id, pair_no)
    values (tenant, r.id, r.pair_no)
    returning * into begun;
  end if;
  update public.runs x
  set status = 'running', stage = 'reading', started_at = now(), rules_version = p.rules_version,
    engine_version = engine, conditions = circumstances,
    calendar_id = calendar ->> 'calendar_id',
    calendar_version = (calendar ->> 'calendar_version')::integer, lines_done = 0, lines_total = 0,
    attempt = x.attempt + 1
  where x.tenant_id = tenant and x.id = begun.id returning * into begun;
  return jsonb_build_object(
    'run_id', begun.id, 'attempt', begun.attempt, 'dry_run', begun.dry_run, 'pair_no', p.pair_no,
    'lines', (
      select sum(s.line_count)
      from public.sources s
      where s.tenant_id = tenant and s.source_no in (p.left_source_no, p.right_source_no)
    ), 'period_end', r.period_end, 'closed', r.closed_at is not null, 'weights', p.weights,
    'rules', coalesce(begun.dry_run -> 'rules', rule_set.rules), 'policy', policy, 'open_days',
    calendar -> 'open_days',
    -- Why lines are open, if only exceptions are left to open.
    'held_back', held_back,
    -- Whether everything that the engine made is weighed again, or what its leading rules settled
    -- stays.
    'whole', begun.dry_run is not null or last_run.id is null
      or last_run.rules_version is distinct from p.rules_version
      or last_run.engine_version is distinct from engine
      or (last_run.calendar_id,
        last_run.calendar_version::text) is distinct from (calendar ->> 'calendar_id',
        calendar ->> 'calendar_version')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_attempt(tenant text, run text, attempt integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform from public.runs x
  where x.tenant_id = tenant and x.id = run and x.attempt = require_attempt.attempt
    and x.status = 'running' for no key update;
  if not found then
    perform private.refuse_conflict('state_changed',
      'The run has ended, or another matcher has taken it up.');
  end if;
  -- What the attempt writes is news to other periods only.
  perform set_config('tieout.written_by_run_of', x.reconciliation_id, true)
  from public.runs x where x.tenant_id = tenant and x.id = run;
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
  select * into p
  from public.reconciliations r
  where r.tenant_id = tenant and r.id = x.reconciliation_id;
  perform private.keep_held_back_reasons(tenant, x.reconciliation_id,
    outcome -> 'held_back_reasons');
  select * into totals from private.digest_of_period(tenant, x.reconciliation_id);
  violations := private.violations_of_period(tenant, x.reconciliation_id, run);
  update public.runs y set
    status = case when cardinality(violations) = 0 then 'done' else 'failed' end, stage = null,
    finished_at = clock_timestamp(),
    failure = case when cardinality(violations) > 0 then
      'An internal check failed after this run. It has been logged: send us the run''s id.' end,
    lines_done = y.lines_total, digest = y.engine_version || ':' || totals.digest,
    suggested_count = totals.suggested,
    open_count = (
      select count(*)
      from private.open_lines o
      where o.tenant_id = tenant and o.pair_no = p.pair_no and o.value_date <= p.period_end),
    waterfall = private.full_waterfall(p, private.rules_of_waterfall(outcome -> 'waterfall')),
    changed = outcome -> 'changed',
    exceptions_opened = (outcome ->> 'exceptions_opened')::integer,
    exceptions_held_back = (outcome ->> 'exceptions_held_back')::integer
  where y.tenant_id = tenant and y.id = run
  returning * into x;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(x)), run);
  return violations;
end $function$;
CREATE OR REPLACE FUNCTION private.settled_event_position()
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  issued constant bigint := (select s.last_value from private.event_positions s);
  half constant bigint := 1073741824;
  lowest_mark bigint;
begin
  -- From the last 31 bits, the number that is nearest to `issued`.
  select min(issued + ((l.objid::bigint - (issued & 2147483647) + 3 * half) % (2 * half)) - half)
  into lowest_mark
  from pg_catalog.pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 2
    and l.database = (select d.oid from pg_catalog.pg_database d
      where d.datname = current_database())
    and l.classid::bigint = private.event_lock(private.tenant_id());
  return least(issued, lowest_mark);
end $function$;
CREATE OR REPLACE FUNCTION private.event_window_end(start bigint, settled bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select e.position from public.events e
    where e.tenant_id = private.tenant_id() and e.position > $1 and e.position <= $2
    order by e.position offset 999 limit 1
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_events(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  oldest constant timestamptz := now() - interval '30 days';
  earliest constant timestamptz := greatest((input ->> 'since')::timestamptz, oldest);
  wanted_subject constant text := input ->> 'subject';
  wanted_types text[] := private.text_array(input -> 'types');
  settled bigint;
  start bigint;
  upto bigint;
  found record;
begin
  perform private.begin_request(request, 'list_events');
  perform private.require_any_event();
  perform private.require_readable_events(wanted_types);
  if (input ->> 'seen_at')::timestamptz < oldest then
    perform private.refuse_field('cursor',
      'This cursor is older than 30 days, and events after it may be gone. Start again with since.');
  end if;
  if cardinality(wanted_types) = 0 then
    wanted_types := private.readable_events();
  end if;
  settled := private.settled_event_position();
  start := least(settled, coalesce((input ->> 'after')::bigint,
    private.event_position_before(earliest), settled));
  if wanted_subject is null then
    upto := private.event_window_end(start, settled);
  end if;
  upto := coalesce(upto, settled);
  select jsonb_agg(private.event_json(p.e) order by p.place) filter (where p.place <= page_size)
    as items,
    max((p.e).position) filter (where p.place = page_size and p.is_cut) as last_position
  into found
  from (
    select m.e, row_number() over (order by (m.e).position) as place,
      count(*) over () > page_size as is_cut
    from (
      select e from public.events e
      where e.tenant_id = tenant and e.position > start and e.position <= upto
        and e.at >= earliest and e.type = any (wanted_types)
        and (wanted_subject is null or e.subject = wanted_subject)
        and (e.test_of is null or (input ->> 'test')::boolean)
      order by e.position limit page_size + 1
    ) m
  ) p;
  upto := coalesce(found.last_position, upto);
  return jsonb_build_object('items', coalesce(found.items, '[]'), 'position', upto::text,
    'has_more', upto < settled, 'as_of', private.iso(now()));
end $function$;
CREATE TRIGGER changed_deleted AFTER DELETE ON public.exclusions REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.mark_changed_pairs();
CREATE TRIGGER changed_deleted AFTER DELETE ON public.matches REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.mark_changed_pairs();
CREATE TRIGGER changed_inserted AFTER INSERT ON public.exclusions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.mark_changed_pairs();
CREATE TRIGGER changed_inserted AFTER INSERT ON public.matches REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.mark_changed_pairs();
CREATE TRIGGER changed_updated AFTER UPDATE ON public.exclusions REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.mark_changed_pairs();
CREATE TRIGGER changed_updated AFTER UPDATE ON public.matches REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.mark_changed_pairs();
CREATE TRIGGER reopened AFTER UPDATE ON public.reconciliations FOR EACH ROW WHEN ((((old.closed_at IS NOT NULL) AND (new.closed_at IS NULL)) OR ((old.status = 'archived'::text) AND (new.status <> 'archived'::text)))) EXECUTE FUNCTION private.mark_reopened_period();
grant execute on function private.event_window_end(bigint,bigint) to authenticated;
grant execute on function private.finish_unchanged_run(text,text,integer,integer,integer) to service_role;
grant execute on function private.forget_read_changes(text,text) to service_role;
grant execute on function private.lines_json(text,integer,bigint[]) to authenticated;
grant execute on function private.settled_event_position() to authenticated;
insert into private.operations select ('(preview_webhook_filters,previewWebhookFilters,write:webhooks)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
