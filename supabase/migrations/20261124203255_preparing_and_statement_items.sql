-- The lines of a new pair are opened by the matcher, while the reconciliation is preparing; statements itemise what they left over and excluded.

-- contracts: while processes are replaced, the previous release can't create a reconciliation with sources. Nothing is kept of such a call, and it can be sent again.
drop function public.open_pair(jsonb,jsonb);
-- contracts: as above, and called by the function before alone.
drop function private.pair_of_own_sources(text,text);
-- contracts: while processes are replaced, the previous release can't export a statement. The export can be asked for again.
drop function public.list_outstanding_lines(jsonb,jsonb);

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.open_own_pair(text,text,integer);
delete from private.event_kinds;
delete from private.operations;
delete from private.permissions;
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
    'open_exceptions', (
      select count(*) from public.exceptions e
      where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id and e.status in ('open', 'in_review')
    ),
    'created_at', private.iso(r.created_at), 'created_by', r.created_by, 'updated_at', private.iso(r.updated_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION public.create_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_reconciliation');
  pair integer;
  is_open boolean;
  created public.reconciliations;
begin
  if kept is not null then
    return kept;
  end if;
  if input ->> 'left_source_id' is not null then
    if input ? 'matched_count' or input ? 'unmatched_count' then
      perform private.refuse('conflict', 'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
    end if;
    select o.pair_no, o.is_open into pair, is_open from private.open_own_pair(input ->> 'left_source_id', input ->> 'right_source_id') o;
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
  if is_open then
    perform private.ask_for_own_runs(pair);
  elsif pair is not null then
    perform private.ask_for_own_preparing(pair);
  end if;
  return private.answer(request, private.reconciliation_json(created) || jsonb_build_object('version', private.reconciliation_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION private.line_standing(l public.lines, pair_no integer, OUT state text, OUT open_minor bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  is_in_pair boolean := false;
  pair record;
begin
  for pair in
    select o.line_no is not null as is_open, o.open_minor, o.amount_minor,
      exists (select from public.exclusions e where e.tenant_id = l.tenant_id and e.pair_no = p.pair_no and e.line_no = l.line_no) as is_excluded
    from public.pairs p
    left join private.open_lines o on o.tenant_id = l.tenant_id and o.pair_no = p.pair_no and o.line_no = l.line_no
    where p.tenant_id = l.tenant_id and l.source_no in (p.left_source_no, p.right_source_no)
      and (line_standing.pair_no is null or p.pair_no = line_standing.pair_no) and p.opening is null
    order by abs(o.open_minor) desc nulls last, p.pair_no limit 1
  loop
    is_in_pair := true;
    state := case
      when pair.is_open then case when pair.open_minor = pair.amount_minor then 'open' else 'partly_matched' end
      when pair.is_excluded then 'excluded' else 'matched'
    end;
    -- As it was posted: a pair counts the negated amount of an inverted source.
    open_minor := case when not pair.is_open then 0 when sign(pair.amount_minor) = sign(l.amount_minor) then pair.open_minor else -pair.open_minor end;
  end loop;
  if not is_in_pair then
    state := 'open';
    open_minor := l.amount_minor;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.own_lines(r public.reconciliations, input jsonb, source_nos integer[], most integer)
 RETURNS TABLE(n bigint, line_no bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET jit TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  q constant text := nullif(btrim(input ->> 'q'), '');
  state constant text := input ->> 'state';
  after_date constant date := (input -> 'after' ->> 0)::date;
  -- Of a line that is gone meanwhile: its day is begun anew.
  after_no constant bigint := coalesce(private.line_no_of(input -> 'after' ->> 1), 9223372036854775807);
  few bigint[];
  is_searched boolean := false;
  stands text;
  of_standing text;
  unpaired text;
  filters text;
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  if q is not null then
    few := private.find_own_lines(q, source_nos, 5000);
    is_searched := few is not null;
  end if;
  if few is null then
    few := private.few_own_lines(r, state, source_nos, 5000);
  end if;
  stands := case when few is null and state in ('open', 'partly_matched', 'outstanding') then
    case when r.closed_at is null then 'private.open_lines w where w.tenant_id = $1 and w.pair_no = s.pair_no'
    else 'public.carried_lines w where w.tenant_id = $1 and w.reconciliation_id = $3.id' end end;
  filters := concat_ws(' and ',
    case when q is not null and not is_searched then private.line_search(q, 'private.line_text(x)') end,
    case when stands is null and after_date is not null then '(x.value_date, x.line_no) < ($6, $7)' end,
    case when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$ end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$ end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case when input ->> 'amount_from' is not null then $c$x.amount_minor >= ($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then $c$x.amount_minor <= ($2 ->> 'amount_to')::bigint$c$ end,
    case when input ->> 'import_id' is not null then $c$x.import_id = $2 ->> 'import_id' and x.line_no between
      (select i.first_line_no from public.imports i where i.tenant_id = $1 and i.id = $2 ->> 'import_id') and
      (select i.last_line_no from public.imports i where i.tenant_id = $1 and i.id = $2 ->> 'import_id')$c$ end,
    case when r.id is not null then 'x.value_date <= $3.period_end' end,
    case when r.id is not null and stands is null then format('(%s or %s or %s)',
      private.line_was(case when r.closed_at is null then 'open' else 'carried' end), private.line_was('matched'), private.line_was('excluded')) end,
    case when r.closed_at is not null then case when stands is null or state <> 'outstanding' then private.line_state_was(state) end
      when stands is null then private.line_state_is(state) end,
    'true'
  );
  of_standing := concat_ws(' and ', 'w.side = s.side', case when r.id is not null then 'w.value_date <= $3.period_end' end,
    case when after_date is not null then '(w.value_date, w.line_no) < ($6, $7)' end,
    case when r.closed_at is null then
      case state when 'open' then 'w.open_minor = w.amount_minor' when 'partly_matched' then 'w.open_minor <> w.amount_minor' end end,
    -- Not all of it in another pair.
    case when r.id is null and state = 'partly_matched' then 'not exists (select from private.open_lines o
      where o.tenant_id = $1 and o.pair_no = any (s.pair_nos) and o.line_no = w.line_no and o.open_minor = o.amount_minor offset 0)' end);
  -- Of a source in no pair all is open.
  unpaired := case when stands is not null and r.id is null and state <> 'partly_matched' then format($sql$
    union all (
      select x.value_date, x.line_no from public.lines x
      where s.pair_no is null and x.tenant_id = $1 and x.source_no = s.source_no and %s
      order by x.value_date desc, x.line_no desc limit $8
    ) $sql$, concat_ws(' and ', case when after_date is not null then '(x.value_date, x.line_no) < ($6, $7)' end, filters)) end;
  return query execute format($sql$
    with sources as materialized (
      select x.source_no, case when $3.id is not null then array[$3.pair_no] else array(
        select p.pair_no from public.pairs p
        where p.tenant_id = $1 and x.source_no in (p.left_source_no, p.right_source_no) and p.opening is null order by p.pair_no) end as pair_nos
      from unnest($4) x (source_no)
    ), s as materialized (
      select x.source_no, x.pair_nos, p.pair_no, case x.source_no when p.left_source_no then 'left' else 'right' end as side
      from sources x left join public.pairs p on p.tenant_id = $1 and p.pair_no = any (%s)
    )
    select row_number() over (order by l.value_date desc, l.line_no desc), l.line_no
    from (%s) l order by l.value_date desc, l.line_no desc limit $8 $sql$,
    case when stands is null then 'x.pair_nos[:1]' else 'x.pair_nos' end, case
    when few is not null then format($sql$
      select x.value_date, x.line_no from unnest($5) h (line_no)
      cross join lateral (select * from public.lines y where y.tenant_id = $1 and y.line_no = h.line_no offset 0) x
      join s on s.source_no = x.source_no where %s $sql$, filters)
    -- What is open in several pairs is listed once.
    when stands is not null then format($sql$
      select distinct w.value_date, w.line_no from s cross join lateral ((
        select w.value_date, w.line_no from %s and %s and exists (
          select from (select * from public.lines y where y.tenant_id = $1 and y.line_no = w.line_no offset 0) x where %s offset 0
        ) order by w.value_date desc, w.line_no desc limit $8
      ) %s) w $sql$, stands, of_standing, filters, unpaired)
    else format($sql$
      select w.value_date, w.line_no from s cross join lateral (
        select x.value_date, x.line_no from public.lines x
        where x.tenant_id = $1 and x.source_no = s.source_no and %s order by x.value_date desc, x.line_no desc limit $8
      ) w $sql$, filters)
    end)
  using tenant, input, r, source_nos, few, after_date, after_no, most;
end $function$;
CREATE OR REPLACE FUNCTION private.is_preparing(tenant text, pair integer)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (select from public.pairs p where p.tenant_id = tenant and p.pair_no = pair and p.opening is not null);
end $function$;
CREATE OR REPLACE FUNCTION private.require_prepared(tenant text, pair integer)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if private.is_preparing(tenant, pair) then
    perform private.refuse('conflict', 'The lines of its sources are still coming in. Wait until preparing is false in the reconciliation, and send the '
      'call again.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.open_own_pair(left_source_id text, right_source_id text, OUT pair_no integer, OUT is_open boolean)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  left_no integer;
  right_no integer;
  stand_still boolean;
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
  stand_still := private.try_sources_alone(tenant, array[left_no, right_no]);
  -- None is made but for a reconciliation.
  perform private.require_quota('reconciliations');
  insert into public.pairs (tenant_id, left_source_no, right_source_no, opening) values (tenant, left_no, right_no, '{}')
  on conflict (tenant_id, left_source_no, right_source_no) do nothing
  returning * into pair;
  if not found then
    select * into strict pair from public.pairs p where p.tenant_id = tenant and p.left_source_no = left_no and p.right_source_no = right_no;
    is_open := stand_still and pair.opening is null;
  elsif stand_still then
    is_open := private.open_earlier_lines(pair, 1000);
  else
    is_open := false;
  end if;
  pair_no := pair.pair_no;
end $function$;
CREATE OR REPLACE FUNCTION private.queue_preparing(tenant text, pair integer, delay interval)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform graphile_worker.add_job('prepare_pair', private.of_request(jsonb_build_object('tenant_id', tenant, 'pair_no', pair)),
    queue_name => 'pair:' || pair, run_at => now() + delay, job_key => 'prepare:' || pair);
end $function$;
CREATE OR REPLACE FUNCTION private.ask_for_own_preparing(pair integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.queue_preparing(private.tenant_id(), pair, interval '0');
end $function$;
CREATE OR REPLACE FUNCTION private.prepare_pair(tenant text, pair integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  p public.pairs;
begin
  begin
    perform private.hold_sources_alone(x.tenant_id, array[x.left_source_no, x.right_source_no]) from public.pairs x
    where x.tenant_id = tenant and x.pair_no = pair;
  exception when sqlstate 'TO001' then
    perform private.queue_preparing(tenant, pair, interval '5 seconds');
    return false;
  end;
  select * into strict p from public.pairs x where x.tenant_id = tenant and x.pair_no = pair for no key update;
  if not private.open_earlier_lines(p, 25000) then
    return true;
  end if;
  perform private.queue_run(w.tenant_id, w.pair_no, w.reconciliation_id, w.asked, interval '0') from (
    select r.tenant_id, r.pair_no, r.reconciliation_id, case when r.dry_run is not null then r.id end as asked
    from public.runs r join public.reconciliations c on c.tenant_id = r.tenant_id and c.id = r.reconciliation_id
    where r.tenant_id = tenant and r.pair_no = pair and r.status = 'queued' order by c.period_end, r.id
  ) w;
  perform private.ask_for_runs(tenant, pair);
  return false;
end $function$;
CREATE OR REPLACE FUNCTION private.try_sources_alone(tenant text, source_nos integer[])
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return (select bool_and(pg_try_advisory_xact_lock(private.lock_of_source(tenant, n))) from unnest(source_nos) n);
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
  return r;
end $function$;
CREATE OR REPLACE FUNCTION private.hold_period_alone(tenant text, reconciliation text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- Whoever prepares it holds them again and again.
  perform private.require_prepared(r.tenant_id, r.pair_no) from public.reconciliations r where r.tenant_id = tenant and r.id = reconciliation;
  perform private.hold_sources_alone(tenant, array[p.left_source_no, p.right_source_no])
  from public.reconciliations r join public.pairs p on p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  where r.tenant_id = tenant and r.id = reconciliation;
  return private.hold_period(tenant, reconciliation);
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
CREATE OR REPLACE FUNCTION private.proof_json(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  preparing constant boolean := private.is_preparing(r.tenant_id, r.pair_no);
begin
  return (
    with sums as materialized (
      select * from private.proof_rows(r)
    ), without_line as materialized (
      select distinct o.currency, o.side from private.open_lines o
      left join lateral (select x.line_no from public.lines x where x.tenant_id = o.tenant_id and x.line_no = o.line_no offset 0) l on true
      where o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.value_date <= r.period_end and l.line_no is null
    ), rows as (
      select x.*, not preparing and x.lines = x.matched + x.excluded + x.open and b.balanced
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
      'holds', coalesce(bool_and(w.holds), not preparing)
    ) from rows w
  );
end $function$;
CREATE OR REPLACE FUNCTION private.outstanding_items(r public.reconciliations, after_date date, after_no bigint, most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(private.outstanding_json(r, x.line_no, x.side, x.open_minor) order by x.value_date, x.line_no)
    from (
      select o.line_no, o.side, o.open_minor, o.value_date
      from private.outstanding_of(r) o
      where after_date is null or (o.value_date, o.line_no) > (after_date, coalesce(after_no, 0))
      order by o.value_date, o.line_no limit most
    ) x
  );
end $function$;
CREATE OR REPLACE FUNCTION private.adjustment_items(r public.reconciliations, after_id uuid, after_place bigint, most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object('match_id', private.match_id_text(x.id), 'place', x.place, 'currency', x.currency, 'kind', x.a -> 'kind',
      'amount_minor', x.a -> 'amount_minor', 'note', x.a -> 'note', 'decided_by', x.decided_by, 'decided_at', private.iso(x.decided_at))
      order by x.id, x.place)
    from (
      select m.id, m.currency, m.decided_by, coalesce(m.decided_at, m.created_at) as decided_at, a.a, a.place
      from public.matches m cross join lateral jsonb_array_elements(m.adjustments) with ordinality as a (a, place)
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed' and m.adjustments <> '[]'
        and m.id >= coalesce(after_id, '00000000-0000-0000-0000-000000000000')
        and (m.id > after_id or a.place > after_place) is not false
      order by m.id, a.place limit most
    ) x
  );
end $function$;
CREATE OR REPLACE FUNCTION private.residual_items(r public.reconciliations, after_id uuid, most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object('match_id', private.match_id_text(m.id), 'line_id', private.line_id_text(l.id), 'value_date', l.value_date,
      'currency', m.currency, 'amount_minor', m.residual_minor, 'reference', l.reference, 'counterparty', l.counterparty,
      'description', l.description, 'reason', m.method, 'decided_by', m.decided_by, 'decided_at', private.iso(m.decided_at)) order by m.id)
    from (
      select x.id, x.currency, x.residual_minor, x.method, x.decided_by, coalesce(x.decided_at, x.created_at) as decided_at
      from public.matches x
      where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id and x.state = 'confirmed' and x.residual_minor <> 0
        and x.id > coalesce(after_id, '00000000-0000-0000-0000-000000000000')
      order by x.id limit most
    ) m
    cross join lateral (
      select mm.line_no from public.match_members mm where mm.tenant_id = r.tenant_id and mm.match_id = m.id
      order by abs(mm.allocated_minor) desc, mm.line_no limit 1
    ) largest
    cross join lateral (
      select x.* from public.lines x where x.tenant_id = r.tenant_id and x.line_no = largest.line_no offset 0
    ) l
  );
end $function$;
CREATE OR REPLACE FUNCTION private.exclusion_items(r public.reconciliations, after_no bigint, most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object('line_id', private.line_id_text(l.id), 'side', e.side, 'value_date', l.value_date, 'currency', e.currency,
      'amount_minor', e.excluded_minor, 'reference', l.reference, 'counterparty', l.counterparty, 'description', l.description,
      'reason', e.reason, 'decided_by', e.created_by, 'decided_at', private.iso(e.created_at)) order by e.line_no)
    from (
      select x.line_no, x.side, x.currency, x.excluded_minor, x.reason, x.created_by, x.created_at from public.exclusions x
      where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id and x.line_no > coalesce(after_no, 0)
      order by x.line_no limit most
    ) e
    cross join lateral (
      select x.* from public.lines x where x.tenant_id = r.tenant_id and x.line_no = e.line_no offset 0
    ) l
  );
end $function$;
CREATE OR REPLACE FUNCTION private.matched_line_items(r public.reconciliations, after_id uuid, after_no bigint, most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object('match_id', private.match_id_text(x.id), 'line_id', private.line_id_text(l.id), 'side', x.side,
      'value_date', l.value_date, 'currency', x.currency, 'amount_minor', x.allocated_minor, 'reference', l.reference,
      'counterparty', l.counterparty, 'description', l.description, 'method', x.method, 'note', x.note, 'decided_by', x.decided_by,
      'decided_at', private.iso(x.decided_at)) order by x.id, x.line_no)
    from (
      select m.*, mm.line_no, mm.side, mm.allocated_minor
      from (
        select y.id, y.currency, y.method, y.note, y.decided_by, coalesce(y.decided_at, y.created_at) as decided_at
        from public.matches y
        where y.tenant_id = r.tenant_id and y.reconciliation_id = r.id and y.state = 'confirmed'
          and y.id >= coalesce(after_id, '00000000-0000-0000-0000-000000000000')
        -- Each has a line at least; of the first, all may have been answered.
        order by y.id limit most + 1
      ) m
      cross join lateral (
        select z.line_no, z.side, z.allocated_minor from public.match_members z where z.tenant_id = r.tenant_id and z.match_id = m.id offset 0
      ) mm
      where (m.id > after_id or mm.line_no > after_no) is not false
      order by m.id, mm.line_no limit most
    ) x
    cross join lateral (
      select y.* from public.lines y where y.tenant_id = r.tenant_id and y.line_no = x.line_no offset 0
    ) l
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_statement_items(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  most constant integer := page_size + 1;
  -- What the last page ended with.
  first_key constant text := input -> 'after' ->> 0;
  second_key constant text := input -> 'after' ->> 1;
  r public.reconciliations;
begin
  perform private.enter(request, 'list_statement_items');
  r := private.find_period(input ->> 'id');
  case input ->> 'kind'
    when 'outstanding' then
      return private.page(private.outstanding_items(r, first_key::date, private.line_no_of(second_key), most), page_size, 'value_date', 'line_id');
    when 'adjustment' then
      return private.page(private.adjustment_items(r, private.match_id(first_key), second_key::bigint, most), page_size, 'match_id', 'place');
    when 'residual' then
      return private.page(private.residual_items(r, private.match_id(first_key), most), page_size, 'match_id');
    when 'exclusion' then
      return private.page(private.exclusion_items(r, private.line_no_of(first_key), most), page_size, 'line_id');
    when 'match' then
      return private.page(private.matched_line_items(r, private.match_id(first_key), private.line_no_of(second_key), most), page_size,
        'match_id', 'line_id');
  end case;
end $function$;
CREATE OR REPLACE FUNCTION private.statement_json(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with sides as materialized (
      select s.source_no, s.id, s.name, case s.source_no when p.left_source_no then 'left' else 'right' end as side, case s.sign when 'inverted' then -1 else 1 end as factor
      from public.pairs p join public.sources s on s.tenant_id = p.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
      where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
    ), balances as materialized (
      select l.currency, s.side, coalesce(sum(s.factor * l.amount_minor) filter (where l.value_date < r.period_start), 0) as opening,
        sum(s.factor * l.amount_minor) as closing, count(*) filter (where l.value_date >= r.period_start) as line_count
      from sides s join public.lines l on l.tenant_id = r.tenant_id and l.source_no = s.source_no and l.value_date <= r.period_end
      group by 1, 2
    ), outstanding as materialized (
      select o.line_no, o.side, o.open_minor, o.currency, r.period_end - o.value_date as age from private.outstanding_of(r) o
    ), until_now as materialized (
      select x.id from public.reconciliations x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_end <= r.period_end
    ), excluded as materialized (
      select e.currency, e.side, sum(e.excluded_minor) as minor
      from until_now u join public.exclusions e on e.tenant_id = r.tenant_id and e.reconciliation_id = u.id group by 1, 2
    ), explaining as materialized (
      select m.reconciliation_id, m.currency, m.residual_minor, m.adjustments
      from until_now u join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = u.id and m.state = 'confirmed'
      where m.residual_minor <> 0 or m.adjustments <> '[]'
    ), explained as materialized (
      select m.currency, sum(m.residual_minor) as residual, sum((select coalesce(sum((a ->> 'amount_minor')::bigint), 0) from jsonb_array_elements(m.adjustments) a)) as adjusted
      from explaining m group by 1
    ), counts as materialized (
      select coalesce(sum(jsonb_array_length(m.adjustments)), 0) as adjustments, count(*) filter (where m.residual_minor <> 0) as residuals,
        (select count(*) from public.exclusions e where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id) as exclusions
      from explaining m where m.reconciliation_id = r.id
    ), currencies as (
      select b.currency from balances b union select e.currency from explained e
    ), sums as (
      select c.currency, s.side, coalesce(b.opening, 0) as opening, coalesce(b.closing, 0) as closing, coalesce(b.line_count, 0) as line_count,
        coalesce((select sum(o.open_minor) from outstanding o where o.currency = c.currency and o.side = s.side), 0) as outstanding,
        coalesce((select e.minor from excluded e where e.currency = c.currency and e.side = s.side), 0) as excluded
      from currencies c cross join (values ('left'), ('right')) s (side) left join balances b on b.currency = c.currency and b.side = s.side
    )
    select jsonb_build_object(
      'reconciliation_id', r.id, 'name', r.name, 'period_start', r.period_start, 'period_end', r.period_end, 'left_source', r.left_source,
      'right_source', r.right_source, 'as_of', private.iso(coalesce(r.closed_at, now())), 'closed_at', private.iso(r.closed_at), 'closed_by', r.closed_by,
      'balances', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', x.currency, 'side', x.side, 'opening_minor', private.exact_sum(x.opening),
          'lines_minor', private.exact_sum(x.closing - x.opening), 'line_count', x.line_count, 'closing_minor', private.exact_sum(x.closing),
          'outstanding_minor', private.exact_sum(x.outstanding), 'excluded_minor', private.exact_sum(x.excluded)) order by x.currency, x.side), '[]')
        from sums x
      ),
      'differences', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', x.currency, 'adjustments_minor', private.exact_sum(coalesce(e.adjusted, 0)),
          'residual_minor', private.exact_sum(coalesce(e.residual, 0)),
          'difference_minor', private.exact_sum(x.settled - coalesce(e.adjusted, 0) - coalesce(e.residual, 0))) order by x.currency), '[]')
        from (
          select y.currency, sum(case y.side when 'left' then 1 else -1 end * (y.closing - y.outstanding - y.excluded)) as settled from sums y group by 1
        ) x left join explained e on e.currency = x.currency
      ),
      'aging', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', x.currency, 'side', x.side, 'days_from', x.days_from, 'line_count', x.line_count, 'open_minor', private.exact_sum(x.minor))
          order by x.currency, x.side, x.days_from), '[]')
        from (
          select o.currency, o.side, a.days_from, count(*) as line_count, sum(o.open_minor) as minor
          from outstanding o cross join lateral (
            select case when o.age > 90 then 91 when o.age > 60 then 61 when o.age > 30 then 31 when o.age > 7 then 8 else 0 end as days_from
          ) a group by 1, 2, 3
        ) x
      ),
      'outstanding_count', (select count(*) from outstanding),
      'outstanding', (
        select coalesce(jsonb_agg(private.outstanding_json(r, x.line_no, x.side, x.open_minor) order by x.n), '[]')
        from (select o.*, row_number() over (order by abs(o.open_minor) desc, o.line_no) as n from outstanding o) x where x.n <= 250
      ),
      'adjustment_count', c.adjustments, 'residual_count', c.residuals, 'exclusion_count', c.exclusions,
      -- Where there is none, the matches need not be searched again.
      'adjustments', coalesce(case when c.adjustments > 0 then private.adjustment_items(r, null, null, 1000) end, '[]'),
      'residuals', coalesce(case when c.residuals > 0 then private.residual_items(r, null, 1000) end, '[]'),
      'exclusions', coalesce(private.exclusion_items(r, null, 1000), '[]'),
      'proof', private.proof_json(r)
    ) from counts c
  );
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
  select 'closing', r.id, private.closing_digest(r.tenant_id, r.id), r.digest from periods r
  where r.closed_at is not null and r.digest is not null and r.digest <> private.closing_digest(r.tenant_id, r.id);
end $function$;
grant execute on function private.adjustment_items(public.reconciliations,uuid,bigint,integer) to authenticated;
grant execute on function private.ask_for_own_preparing(integer) to authenticated;
grant execute on function private.exclusion_items(public.reconciliations,bigint,integer) to authenticated;
grant execute on function private.is_preparing(text,integer) to authenticated;
grant execute on function private.matched_line_items(public.reconciliations,uuid,bigint,integer) to authenticated;
grant execute on function private.open_own_pair(text,text) to authenticated;
grant execute on function private.outstanding_items(public.reconciliations,date,bigint,integer) to authenticated;
grant execute on function private.prepare_pair(text,integer) to service_role;
grant execute on function private.residual_items(public.reconciliations,uuid,integer) to authenticated;
grant execute on function public.list_statement_items(jsonb,jsonb) to authenticated;
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
