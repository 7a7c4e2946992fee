-- Lists of matches with filters; titles that people gave to exceptions stay; a closing is hashed once, and nobody prepares the pair of another tenant.

-- From here on written by `npm run migration`, anew each time. Above is by hand.

delete from private.event_kinds;
delete from private.operations;
delete from private.permissions;
CREATE OR REPLACE FUNCTION private.require_room(files integer, bytes bigint, database_max_bytes bigint)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  waiting record;
begin
  select count(*) as files, coalesce(sum(greatest(i.bytes_total, i.bytes_read)), 0) as bytes into waiting
  from public.imports i where i.tenant_id = private.tenant_id() and i.status in ('receiving', 'queued', 'reading');
  if waiting.files + require_room.files > 20 or waiting.bytes + require_room.bytes > 4294967296 then
    perform private.refuse('conflict', 'At most 20 imports of 4 GiB in all can wait or be read at a time. Wait until one is done, and upload the file again.');
  end if;
  if pg_database_size(current_database()) + 10 * (waiting.bytes + require_room.bytes) > database_max_bytes then
    perform private.refuse('unavailable', 'There is not enough disk space for this file. Nothing of it was kept.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.ask_for_own_preparing(pair integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.queue_preparing(p.tenant_id, p.pair_no, interval '0') from public.pairs p
  where p.tenant_id = private.tenant_id() and p.pair_no = pair;
end $function$;
CREATE OR REPLACE FUNCTION private.match_json(m public.matches)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', private.match_id_text(m.id), 'reconciliation_id', m.reconciliation_id, 'run_id', m.run_id, 'state', m.state, 'shape', m.shape,
    'method', m.method, 'score', m.score, 'margin', m.margin, 'currency', m.currency, 'amount_minor', m.amount_minor,
    'residual_minor', m.residual_minor, 'adjustments', m.adjustments, 'note', m.note,
    'explanation', m.explanation || case when jsonb_typeof(m.explanation -> 'runner_up') = 'object' then jsonb_build_object('runner_up', (
      select jsonb_build_object('side', m.explanation #> '{runner_up,side}', 'line_id', private.line_id_text(l.id))
      from public.lines l where l.tenant_id = m.tenant_id and l.line_no = (m.explanation #>> '{runner_up,handle}')::bigint
    )) else '{}' end,
    'decided_by', m.decided_by, 'decided_at', private.iso(m.decided_at), 'created_at', private.iso(m.created_at), 'created_by', m.created_by
  ) || (
    select jsonb_build_object(
      'members', coalesce(jsonb_agg(jsonb_build_object(
        'line_id', private.line_id_text(l.id), 'side', mm.side, 'allocated_minor', mm.allocated_minor, 'value_date', l.value_date,
        'reference', l.reference, 'counterparty', l.counterparty) order by mm.side, l.value_date, l.line_no), '[]'),
      'plain', case when m.explanation is null then jsonb_agg(jsonb_build_object('side', mm.side, 'amount_minor', mm.allocated_minor,
        'currency', l.currency, 'value_date', l.value_date - date '1970-01-01', 'reference', l.reference, 'counterparty', l.counterparty,
        'description', l.description, 'group_key', l.group_key) order by mm.side, l.value_date, l.line_no) end
    )
    from public.match_members mm join public.lines l on l.tenant_id = mm.tenant_id and l.line_no = mm.line_no
    where mm.tenant_id = m.tenant_id and mm.match_id = m.id
  );
end $function$;
CREATE OR REPLACE FUNCTION private.line_asked_for(input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return nullif(concat_ws(' and ',
    case when input ->> 'line_id' is not null then $c$l.id = private.line_id($4 ->> 'line_id')$c$ end,
    case when input ->> 'date_from' is not null then $c$l.value_date >= ($4 ->> 'date_from')::date$c$ end,
    case when input ->> 'date_to' is not null then $c$l.value_date <= ($4 ->> 'date_to')::date$c$ end,
    case when nullif(btrim(input ->> 'q'), '') is not null then private.line_search(input ->> 'q', 'private.line_text(l)') end
  ), '');
end $function$;
CREATE OR REPLACE FUNCTION private.few_lines_asked_for(r public.reconciliations, input jsonb, most integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  source_nos constant integer[] := (
    select array[p.left_source_no, p.right_source_no] from public.pairs p where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no);
  q constant text := nullif(btrim(input ->> 'q'), '');
  line_nos bigint[];
begin
  if input ->> 'line_id' is not null then
    return array(select l.line_no from public.lines l where l.tenant_id = r.tenant_id and l.id = private.line_id(input ->> 'line_id'));
  end if;
  if q is not null then
    line_nos := private.find_own_lines(q, source_nos, most);
  end if;
  if line_nos is null and coalesce(input ->> 'date_from', input ->> 'date_to') is not null then
    line_nos := array(
      select l.line_no from unnest(source_nos) s (source_no) cross join lateral (
        select x.line_no from public.lines x
        where x.tenant_id = r.tenant_id and x.source_no = s.source_no
          and x.value_date between coalesce((input ->> 'date_from')::date, '-infinity') and least((input ->> 'date_to')::date, r.period_end)
        limit most + 1
      ) l
    );
  end if;
  return case when cardinality(line_nos) <= most then line_nos end;
end $function$;
CREATE OR REPLACE FUNCTION public.list_matches(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  tenant constant text := private.tenant_id();
  behind constant uuid := private.match_id(input -> 'after' ->> 0);
  of_line constant text := private.line_asked_for(input);
  r public.reconciliations;
  few bigint[];
  filters text;
  items jsonb;
begin
  perform private.enter(request, 'list_matches');
  r := private.find_period(input ->> 'id');
  if of_line is not null then
    few := private.few_lines_asked_for(r, input, 5000);
  end if;
  -- The state is written out: suggestions have an index of their own. What is asked of a line is looked up match by match, by whole keys.
  filters := concat_ws(' and ', 'm.tenant_id = $1 and m.reconciliation_id = $2',
    case when behind is not null then 'm.id < $3' end,
    case when input ->> 'state' is not null then format('m.state = %L', input ->> 'state') end,
    case when input ->> 'method' is not null then $c$m.method = $4 ->> 'method'$c$ end,
    case when input ->> 'shape' is not null then $c$m.shape = $4 ->> 'shape'$c$ end,
    case when input ->> 'run_id' is not null then $c$m.run_id = $4 ->> 'run_id'$c$ end,
    case when input ->> 'amount_from' is not null then $c$m.amount_minor >= ($4 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then $c$m.amount_minor <= ($4 ->> 'amount_to')::bigint$c$ end,
    'exists (
      select from public.match_members mm
      cross join lateral (select * from public.lines x where x.tenant_id = $1 and x.line_no = mm.line_no offset 0) l
      where mm.tenant_id = $1 and mm.match_id = m.id and ' || of_line || ' offset 0)');
  execute format('select jsonb_agg(private.match_json(x) order by x.id desc) from (
      select m.* from %s where %s order by m.id desc limit $6
    ) x', case when few is null then 'public.matches m' else '(
      select distinct mm.match_id from public.match_members mm where mm.tenant_id = $1 and mm.line_no = any ($5)
    ) f cross join lateral (select * from public.matches y where y.tenant_id = $1 and y.id = f.match_id offset 0) m' end, filters)
  into items using tenant, r.id, behind, input, few, page_size + 1;
  return private.page(items, page_size, 'id');
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
  perform private.complete_last_run(r);
  perform private.record_security_event('reconciliation.closed', r.id, null, jsonb_build_object('digest', kept_digest));
  perform private.queue_book_examination(r.tenant_id, r.pair_no);
  perform private.emit_own('reconciliation.closed', jsonb_build_object('reconciliation', private.reconciliation_json(r)));
  return r;
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
  ), digests as materialized (
    select r.id, r.digest, private.closing_digest(r.tenant_id, r.id) as computed from periods r where r.closed_at is not null and r.digest is not null
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
  where not private.is_preparing(tenant, pair) and (
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
  select 'open exceptions', coalesce(l.name, 'line ' || e.line_no), 'at most 1', count(*)::text
  from public.exceptions e left join lines l on l.line_no = e.line_no
  where e.tenant_id = tenant and e.pair_no = pair and e.line_no is not null and e.status in ('open', 'in_review')
  group by e.line_no, l.name having count(*) > 1
  union all
  select 'exception', e.id, 'closed: nothing of its lines is open', e.status from public.exceptions e
  where e.tenant_id = tenant and e.pair_no = pair and e.line_no is not null and e.status in ('open', 'in_review') and not exists (
    select from private.exception_lines x join still_open o on o.line_no = x.line_no
    where x.tenant_id = tenant and x.exception_id = e.id and x.pair_no = pair
  )
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
  where r.tenant_id = tenant and r.pair_no = pair and not private.is_preparing(tenant, pair) and not coalesce((
    select (c.statement #>> '{proof,holds}')::boolean from periods c where c.id = r.id and c.closed_at is not null
  ), (private.proof_json(r) ->> 'holds')::boolean)
  union all
  select 'closing', d.id, d.computed, d.digest from digests d where d.digest <> d.computed;
end $function$;
CREATE OR REPLACE FUNCTION private.queue_book_examination(tenant text, pair integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform graphile_worker.add_job('examine_books', json_build_object('tenant_id', tenant, 'pair_no', pair),
    queue_name => 'examine_books', job_key => format('examine_books:%s:%s', tenant, pair), max_attempts => 5);
end $function$;
CREATE OR REPLACE FUNCTION private.queue_book_examinations()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.queue_book_examination(p.tenant_id, p.pair_no) from public.pairs p;
end $function$;
CREATE OR REPLACE FUNCTION private.has_own_title(tenant text, given_id text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.exception_history h
    where h.tenant_id = tenant and h.exception_id = given_id and h.kind = 'updated' and h.changes ? 'title' and h.actor <> 'system'
  );
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_to_regroup(tenant text, reconciliation text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  select * into strict r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  return (
    with held as materialized (
      select m.id as match_id, e.id as exception_id, e.line_no, e.grouped_match_id
      from public.matches m
      cross join lateral (select x.line_no from public.match_members x where x.tenant_id = tenant and x.match_id = m.id offset 0) mm
      cross join lateral (
        select x.id, x.line_no, x.grouped_match_id from public.exceptions x
        where x.tenant_id = tenant and x.line_no = mm.line_no and x.pair_no = r.pair_no and x.status in ('open', 'in_review') offset 0
      ) e
      where m.tenant_id = tenant and m.reconciliation_id = r.id and m.state = 'suggested'
    ), put_together as (
      select h.match_id, array_agg(h.exception_id order by h.exception_id) as ids, array_agg(h.line_no order by h.exception_id) as line_nos
      from held h group by h.match_id
      having count(*) > 1 or bool_or(h.grouped_match_id is distinct from h.match_id)
    ), left_over as materialized (
      select e.id, e.line_no from public.exceptions e
      where e.tenant_id = tenant and e.pair_no = r.pair_no and e.grouped_match_id is not null and e.status in ('open', 'in_review')
        and (select m.id from public.matches m where m.tenant_id = tenant and m.id = e.grouped_match_id and m.state = 'suggested') is null
    ), changed as (
      select o.ids[1] as exception_id, o.ids[2:] as merged, o.line_nos[1] as line_no, private.subject_of_exception(r, p.match_id, '{}') as subject
      from put_together p cross join lateral (
        select array_agg(i.id order by t.is_own desc, i.id) as ids, array_agg(i.line_no order by t.is_own desc, i.id) as line_nos
        from unnest(p.ids, p.line_nos) i (id, line_no) cross join lateral (select private.has_own_title(tenant, i.id) as is_own) t
      ) o
      union all
      select p.id, '{}', o.line_no, private.subject_of_exception(r, null, array[o.line_no])
      from left_over p cross join lateral (
        select x.line_no from private.exception_lines x cross join lateral (
          select abs(y.open_minor) as minor from private.open_lines y
          where y.tenant_id = tenant and y.pair_no = r.pair_no and y.line_no = x.line_no and y.value_date <= r.period_end offset 0
        ) o
        where x.tenant_id = tenant and x.exception_id = p.id
        order by x.line_no <> p.line_no, o.minor desc, x.line_no limit 1
      ) o
      where not exists (select from held h where h.exception_id = p.id)
    )
    select coalesce(jsonb_agg(c.subject || jsonb_build_object('exception_id', c.exception_id, 'merged', c.merged, 'line_no', c.line_no,
      'severity', e.severity, 'amount_minor', e.amount_minor) order by c.exception_id), '[]')
    from changed c join public.exceptions e on e.tenant_id = tenant and e.id = c.exception_id
    where c.subject -> 'lines' <> 'null'
  );
end $function$;
CREATE OR REPLACE FUNCTION private.regroup_exceptions(tenant text, reconciliation text, run text, attempt integer, rows jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  x record;
begin
  r := private.hold_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  for x in
    select * from jsonb_to_recordset(rows) as s (exception_id text, merged text[], match_id uuid, line_nos bigint[], title text, severity text,
      reason_code text, amount_minor bigint, currency text, details jsonb)
  loop
    update public.exceptions e set title = case when private.has_own_title(tenant, e.id) then e.title else x.title end, severity = x.severity,
      reason_code = x.reason_code, amount_minor = x.amount_minor, currency = x.currency,
      details = e.details - 'lines' - 'side' || x.details, line_no = l.line_no, line_id = l.id,
      suggested_match_id = x.match_id, grouped_match_id = x.match_id
    from public.lines l
    where l.tenant_id = tenant and l.line_no = x.line_nos[1] and e.tenant_id = tenant and e.id = x.exception_id and e.status in ('open', 'in_review');
    continue when not found;
    -- Without a line of its own it is no line's any more, whoever reopens it.
    update public.exceptions e set status = 'resolved', line_no = null, suggested_match_id = null, grouped_match_id = null,
      resolution = format('Merged into %s: a match is suggested for the lines of both.', x.exception_id)
    where e.tenant_id = tenant and e.id = any (x.merged) and e.status in ('open', 'in_review');
    delete from private.exception_lines y where y.tenant_id = tenant and y.exception_id = any (x.merged || x.exception_id);
    insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id)
    select tenant, n.line_no, r.pair_no, x.exception_id from unnest(x.line_nos) n (line_no)
    on conflict do nothing;
  end loop;
end $function$;
grant execute on function private.few_lines_asked_for(public.reconciliations,jsonb,integer) to authenticated;
grant execute on function private.line_asked_for(jsonb) to authenticated;
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
  ('(get_statement,exportStatement,read:reconciliations)'),
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
  ('(list_matches,exportMatches,read:reconciliations)'),
  ('(list_matches,listMatches,read:reconciliations)'),
  ('(list_members,listMembers,read:members)'),
  ('(list_open_hours,listOpenHours,read:calendars)'),
  ('(list_open_lines,listOpenLines,read:reconciliations)'),
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
  ('(list_statement_items,exportStatement,read:reconciliations)'),
  ('(list_suggestion_bands,listSuggestionBands,read:reconciliations)'),
  ('(list_tenant_members,listTenantMembers,read:people)'),
  ('(list_views,listViews,read:views)'),
  ('(list_webhook_deliveries,listWebhookDeliveries,read:webhooks)'),
  ('(list_webhooks,listWebhooks,read:webhooks)'),
  ('(open_import,createImport,write:reconciliations)'),
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
