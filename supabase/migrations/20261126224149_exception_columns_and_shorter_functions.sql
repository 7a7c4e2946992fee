-- exception columns and shorter functions

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.require_computed_fields(after public.reconciliations, before public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if (after.matched_count, after.unmatched_count) is distinct from (0::bigint, 0::bigint) then
    perform private.refuse_conflict('counts_computed',
      'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
  elsif before.closed_at is not null and after.closed_at is not null
    and (after.name, after.period_start, after.period_end, after.left_source,
      after.right_source) is distinct from
      (before.name, before.period_start, before.period_end, before.left_source,
        before.right_source) then
    perform private.refuse_conflict('period_closed', 'The period is closed. Reopen it first.');
  elsif after.status = 'completed' and after.closed_at is null then
    perform private.refuse_conflict('close_required',
      'This reconciliation is completed by closing it: POST to its /close.');
  elsif after.closed_at is not null and after.status not in ('completed', 'archived') then
    perform private.refuse_conflict('period_closed',
      'The period is closed. Reopen it by POST to its /reopen.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.require_free_days(after public.reconciliations, before public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := after.tenant_id;
begin
  perform private.lock_pair(tenant, after.pair_no);
  if before.id is not null and (
    exists (select from public.matches m
      where m.tenant_id = tenant and m.reconciliation_id = after.id)
    or exists (select from public.exclusions x
      where x.tenant_id = tenant and x.reconciliation_id = after.id)
  ) then
    perform private.refuse_conflict('has_decisions',
      'The period has matches or excluded lines, and keeps its dates.');
  elsif exists (
    select from public.reconciliations r
    where r.tenant_id = tenant and r.pair_no = after.pair_no and r.id <> after.id
      and r.period_start <= after.period_end and r.period_end >= after.period_start
  ) then
    perform private.refuse_conflict('periods_overlap',
      'Another reconciliation of these two sources covers some of these days. Periods of a pair may not overlap.');
  elsif exists (
    select from public.reconciliations r
    where r.tenant_id = tenant and r.pair_no = after.pair_no and r.id <> after.id
      and r.closed_at is not null
      and r.period_start > after.period_end
  ) then
    perform private.refuse_conflict('later_period_closed',
      'A later period of these two sources is closed, and carried forward what was open of these days. '
      'Choose days after it, or reopen it first.');
  end if;
  perform private.require_not_closing(tenant, r.pair_no, r.id) from public.reconciliations r
  where r.tenant_id = tenant and r.pair_no = after.pair_no and r.id <> after.id
    and r.period_start > after.period_end;
end $function$;
CREATE OR REPLACE FUNCTION private.guard_period(after public.reconciliations, before public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := after.tenant_id;
begin
  perform private.require_computed_fields(after, before);
  if before.id is not null then
    perform private.require_not_closing(tenant, after.pair_no, after.id);
  end if;
  if before.id is not null
    and (after.period_start, after.period_end) = (before.period_start, before.period_end) then
    return;
  end if;
  if not exists (
    select from public.pairs p
    join public.sources l on l.tenant_id = p.tenant_id and l.source_no = p.left_source_no
      and l.id = after.left_source_id
    join public.sources r on r.tenant_id = p.tenant_id and r.source_no = p.right_source_no
      and r.id = after.right_source_id
    where p.tenant_id = tenant and p.pair_no = after.pair_no
  ) then
    perform private.refuse_field('left_source_id',
      'These are not the sources of this pair. Create the reconciliation by POST /v1/reconciliations.');
  end if;
  perform private.require_free_days(after, before);
end $function$;
CREATE OR REPLACE FUNCTION private.conflicts_of_staged(tenant text, source text, OUT n bigint, OUT conflicts jsonb)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  select count(*), coalesce(jsonb_agg(to_jsonb(c) - 'n' order by c.position)
    filter (where c.n <= 100), '[]')
  into n, conflicts
  from (
    select row_number() over (order by l.position) as n, l.position, l.file_line, l.external_id,
      l.amount_minor || ' ' || l.currency as found, k.amount_minor || ' ' || k.currency as wanted
    from pg_temp.staged_lines l
    join public.lines k on k.tenant_id = tenant and k.id = private.line_identity(source, l.key, 0)
    where l.external_id is not null
      and (k.amount_minor, k.currency) is distinct from (l.amount_minor, l.currency)
  ) c;
end $function$;
CREATE OR REPLACE FUNCTION private.items_of_staged(source text, kept_ids uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(
      jsonb_build_object('index', i.position, 'id', private.line_id_text(i.id),
        'duplicate', i.nth > 1 or i.id <> all (kept_ids))
      order by i.position)
    from (
      select l.position, case when l.external_id is null then 1 else coalesce(r.nth, 1) end as nth,
        private.line_identity(source, l.key,
          case when l.external_id is null then coalesce(r.nth, 1) else 0 end) as id
      from pg_temp.staged_lines l left join pg_temp.repeated_lines r on r.position = l.position
    ) i
  );
end $function$;
CREATE OR REPLACE FUNCTION private.count_arrived(tenant text, source_no integer, accepted bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enforce_quota(tenant, 'lines', accepted);
  update public.sources x
  set line_count = x.line_count + accepted
  where x.tenant_id = tenant and x.source_no = count_arrived.source_no;
  perform private.lines_arrived(tenant, source_no);
  if exists (select from public.period_signatures x
    where x.tenant_id = tenant and x.revoked_at is null) then
    perform private.revoke_signatures_of_source(tenant, source_no,
      (select min(g.value_date) from pg_temp.staged_lines g), 'Lines arrived.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.insert_staged_lines(tenant_id text, source_no integer, import_id text, ids_are_unique boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  s public.sources;
  staged constant bigint := (select count(*) from pg_temp.staged_lines);
  accepted bigint;
  accepted_again bigint;
  kept_ids uuid[];
  conflict_count bigint := 0;
  conflicts jsonb := '[]';
begin
  perform private.lock_source($1, $2);
  select * into strict s from public.sources x where x.tenant_id = $1 and x.source_no = $2;
  if staged > 10000 then
    analyze pg_temp.staged_lines (key);
  end if;
  if not ids_are_unique then
    perform private.mark_ids_reused_in_file($1, s.id);
  end if;
  perform private.number_repeated_lines(false);
  -- If the source can't have any of them yet, nothing is looked up, which halves the time. If
  -- others add lines to the source at the same time, the lookup is made.
  begin
    execute private.insert_of_staged(s.line_count > 0 or $3 is null) into accepted, kept_ids
      using $1, $2, $3, s.id, s.sign, false;
  exception when unique_violation then
    execute private.insert_of_staged(true) into accepted, kept_ids
      using $1, $2, $3, s.id, s.sign, false;
  end;
  if accepted < staged and not ids_are_unique
    and private.mark_ids_reused_in_source($1, s.id) > 0 then
    perform private.number_repeated_lines(true);
    execute private.insert_of_staged(true) into accepted_again, kept_ids
    using $1, $2, $3, s.id, s.sign, true;
    accepted := accepted + accepted_again;
  end if;
  if accepted < staged and ids_are_unique then
    select c.n, c.conflicts into conflict_count, conflicts
    from private.conflicts_of_staged($1, s.id) c;
  end if;
  if accepted > 0 then
    perform private.count_arrived($1, $2, accepted);
  end if;
  return jsonb_build_object(
    'staged', staged, 'accepted', accepted, 'duplicates', staged - accepted - conflict_count,
    'conflicts', conflicts, 'conflict_count', conflict_count,
    'items', case when $3 is null then private.items_of_staged(s.id, kept_ids) end
  );
end $function$;
CREATE OR REPLACE FUNCTION private.standing_lines(r public.reconciliations, state text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case
    when state is null or state not in ('open', 'partly_matched', 'outstanding') then null
    when r.closed_at is null
      then 'private.open_lines w where w.tenant_id = $1 and w.pair_no = s.pair_no'
    else 'public.carried_lines w where w.tenant_id = $1 and w.reconciliation_id = $3.id'
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.line_field_filters(input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return concat_ws(' and ', 'true',
    case when input ->> 'date_from' is not null
      then $c$x.value_date >= ($2 ->> 'date_from')::date$c$ end,
    case when input ->> 'date_to' is not null
      then $c$x.value_date <= ($2 ->> 'date_to')::date$c$ end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case when input ->> 'amount_from' is not null
      then $c$x.amount_minor >= ($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null
      then $c$x.amount_minor <= ($2 ->> 'amount_to')::bigint$c$ end,
    case when input ->> 'import_id' is not null
      then $c$x.import_id = $2 ->> 'import_id' and x.line_no between
        (select i.first_line_no from public.imports i
          where i.tenant_id = $1 and i.id = $2 ->> 'import_id')
        and (select i.last_line_no from public.imports i
          where i.tenant_id = $1 and i.id = $2 ->> 'import_id')$c$ end);
end $function$;
CREATE OR REPLACE FUNCTION private.line_period_filters(r public.reconciliations, state text, is_found_by_state boolean)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return concat_ws(' and ', 'true',
    case when r.id is not null then 'x.value_date <= $3.period_end' end,
    case when r.id is not null and not is_found_by_state then format('(%s or %s or %s)',
      private.line_state_condition(case when r.closed_at is null then 'open' else 'carried' end),
      private.line_state_condition('matched'), private.line_state_condition('excluded')) end,
    case
      when r.closed_at is not null then
        case when not is_found_by_state or state <> 'outstanding'
          then private.line_state_was(state) end
      when not is_found_by_state then private.line_state_is(state) end);
end $function$;
CREATE OR REPLACE FUNCTION private.standing_filters(r public.reconciliations, state text, has_cursor boolean)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return concat_ws(' and ', 'w.side = s.side',
    case when r.id is not null then 'w.value_date <= $3.period_end' end,
    case when has_cursor then '(w.value_date, w.line_no) < ($6, $7)' end,
    case when r.closed_at is null then
      case state when 'open' then 'w.open_minor = w.amount_minor'
        when 'partly_matched' then 'w.open_minor <> w.amount_minor' end end,
    -- Not completely matched in another pair.
    case when r.id is null and state = 'partly_matched' then $c$not exists (
      select from private.open_lines o
      where o.tenant_id = $1 and o.pair_no = any (s.pair_nos) and o.line_no = w.line_no
        and o.open_minor = o.amount_minor offset 0)$c$ end);
end $function$;
CREATE OR REPLACE FUNCTION private.line_page(r public.reconciliations, state text, stands text, is_few boolean, has_cursor boolean, filters text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  after constant text := case when has_cursor then '(x.value_date, x.line_no) < ($6, $7)'
    else 'true' end;
  of_source constant text := $q$
    select x.value_date, x.line_no from public.lines x
    where %s and x.tenant_id = $1 and x.source_no = s.source_no and %s and %s
    order by x.value_date desc, x.line_no desc limit $8 $q$;
begin
  if is_few then
    return format($q$
      select x.value_date, x.line_no from unnest($5) h (line_no)
      cross join lateral (select * from public.lines y
        where y.tenant_id = $1 and y.line_no = h.line_no offset 0) x
      join s on s.source_no = x.source_no where %s and %s $q$, after, filters);
  elsif stands is null then
    return format('select w.value_date, w.line_no from s cross join lateral (%s) w',
      format(of_source, 'true', after, filters));
  end if;
  -- A line that is open in several pairs is listed once. A source without a pair has only open
  -- lines.
  return format($q$
    select distinct w.value_date, w.line_no from s cross join lateral ((
      select w.value_date, w.line_no from %s and %s and exists (
        select
        from (select * from public.lines y
          where y.tenant_id = $1 and y.line_no = w.line_no offset 0) x
        where %s offset 0
      ) order by w.value_date desc, w.line_no desc limit $8
    ) %s) w $q$, stands, private.standing_filters(r, state, has_cursor), filters,
    case when r.id is null and state <> 'partly_matched' then
      format('union all (%s)', format(of_source, 's.pair_no is null', after, filters)) end);
end $function$;
CREATE OR REPLACE FUNCTION private.lines_of_caller(r public.reconciliations, input jsonb, source_nos integer[], most integer)
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
  -- If the cursor's line was removed, its day is read from the start.
  after_no constant bigint := coalesce(private.line_no_of(input -> 'after' ->> 1),
    9223372036854775807);
  few bigint[];
  is_searched boolean := false;
  stands text;
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  if q is not null then
    few := private.find_lines_of_caller(q, source_nos, 5000);
    is_searched := few is not null;
  end if;
  few := coalesce(few, private.narrow_by_state(r, state, source_nos, 5000));
  stands := case when few is null then private.standing_lines(r, state) end;
  return query execute format($sql$
    with sources as materialized (
      select x.source_no, case when $3.id is not null then array[$3.pair_no] else array(
        select p.pair_no from public.pairs p
        where p.tenant_id = $1 and x.source_no in (p.left_source_no, p.right_source_no)
          and p.opening is null
        order by p.pair_no) end as pair_nos
      from unnest($4) x (source_no)
    ), s as materialized (
      select x.source_no, x.pair_nos, p.pair_no,
        case x.source_no when p.left_source_no then 'left' else 'right' end as side
      from sources x left join public.pairs p on p.tenant_id = $1 and p.pair_no = any (%s)
    )
    select row_number() over (order by l.value_date desc, l.line_no desc), l.line_no
    from (%s) l order by l.value_date desc, l.line_no desc limit $8 $sql$,
    case when stands is null then 'x.pair_nos[:1]' else 'x.pair_nos' end,
    private.line_page(r, state, stands, few is not null, after_date is not null,
      concat_ws(' and ', private.line_field_filters(input),
        private.line_period_filters(r, state, stands is not null),
        case when q is not null and not is_searched
          then private.line_search(q, 'private.line_text(x)') end)))
  using tenant, input, r, source_nos, few, after_date, after_no, most;
end $function$;
CREATE OR REPLACE FUNCTION private.require_changeable(action text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  wanted constant text := case action when 'undo' then 'confirmed' else 'suggested' end;
  done constant text := case action when 'undo' then 'undone' when 'confirm' then 'confirmed'
    else 'rejected' end;
  refused jsonb;
begin
  select jsonb_agg(
    jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such match.')
    order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n)
  left join public.matches m on m.tenant_id = tenant and m.id = i.id where m.id is null;
  if refused is not null then
    perform private.refuse('not_found', 'There is no such match.', refused);
  end if;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1),
    'message', format('This match is %s: only one that is %s can be %s.', m.state, wanted, done))
    order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n)
  join public.matches m on m.tenant_id = tenant and m.id = i.id where m.state <> wanted;
  if refused is not null then
    perform private.refuse('invalid_transition',
      format('Only a match that is %s can be %s. Nothing was changed.', wanted, done), refused);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.change_matches(action text, ids uuid[], seen boolean DEFAULT true)
 RETURNS SETOF public.matches
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  who constant text := private.actor();
  touched record;
begin
  for touched in
    select m.pair_no, array_agg(distinct m.reconciliation_id) as periods from public.matches m
    where m.tenant_id = tenant and m.id = any (ids) group by m.pair_no order by m.pair_no
  loop
    perform private.lock_period(tenant, p.id) from unnest(touched.periods) as p (id);
  end loop;
  perform private.require_changeable(action, ids);
  for touched in
    select m.pair_no, array_agg(m.id order by m.id) as ids from public.matches m
    where m.tenant_id = tenant and m.id = any (change_matches.ids) group by m.pair_no
      order by m.pair_no
  loop
    case action
      when 'confirm' then perform private.confirm_matches(tenant, touched.pair_no, touched.ids,
        who);
      when 'reject' then perform private.reject_matches(tenant, touched.ids, who);
      when 'undo' then perform private.undo_matches(tenant, touched.ids, who);
    end case;
  end loop;
  if not seen then
    update private.decisions d
    set score = null
    where d.tenant_id = tenant and d.match_id = any (change_matches.ids);
  end if;
  if action <> 'undo' then
    perform private.record_act(action, change_matches.ids);
  end if;
  perform private.record_decided_matches(action, change_matches.ids,
    jsonb_build_object('by_filter', not seen));
  return query
  select m.*
  from unnest(ids) with ordinality as i (id, n)
  join public.matches m on m.tenant_id = tenant and m.id = i.id
  order by i.n;
end $function$;
CREATE OR REPLACE FUNCTION private.run_to_begin(r public.reconciliations, asked text, OUT run public.runs, OUT is_over boolean)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  select * into run from public.runs x
  where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id
    and x.status in ('queued', 'running')
    and case when asked is null then x.dry_run is null else x.id = asked end
  order by x.id limit 1 for update;
  is_over := r.pair_no is null or r.status = 'archived'
    or run.dry_run is null
    and (r.closed_at is not null or private.is_closing(r.tenant_id, r.pair_no, r.id));
  if is_over then
    update public.runs x
    set status = 'failed', finished_at = now(),
      failure = 'The period was closed before the run began.'
    where x.tenant_id = r.tenant_id and x.id = run.id;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.newest_run(r public.reconciliations, statuses text[])
 RETURNS public.runs
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  newest public.runs;
begin
  select * into newest from public.runs x
  where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id and x.status = any (statuses)
    and x.dry_run is null
  order by x.id desc limit 1;
  return newest;
end $function$;
CREATE OR REPLACE FUNCTION private.run_order(r public.reconciliations, p public.pairs, begun public.runs, policy jsonb, calendar jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  last_run constant public.runs := private.newest_run(r, '{done}');
begin
  return jsonb_build_object(
    'run_id', begun.id, 'attempt', begun.attempt, 'dry_run', begun.dry_run, 'pair_no', p.pair_no,
    'lines', (
      select sum(s.line_count)
      from public.sources s
      where s.tenant_id = r.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
    ), 'period_end', r.period_end, 'closed', r.closed_at is not null, 'weights', p.weights,
    'rules', coalesce(begun.dry_run -> 'rules', (
      select x.rules from public.pair_rules x
      where x.tenant_id = r.tenant_id and x.pair_no = p.pair_no and x.version = p.rules_version
    )), 'policy', policy, 'open_days', calendar -> 'open_days',
    -- Whether everything that the engine made is weighed again, or what its leading rules settled
    -- stays.
    'whole', begun.dry_run is not null or last_run.id is null
      or last_run.rules_version is distinct from p.rules_version
      or last_run.engine_version is distinct from begun.engine_version
      or (last_run.calendar_id,
        last_run.calendar_version::text) is distinct from (calendar ->> 'calendar_id',
        calendar ->> 'calendar_version')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.run_policy(p public.pairs, dry_run jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.default_policy()
    || coalesce((
      select x.policy from public.pair_rules x
      where x.tenant_id = p.tenant_id and x.pair_no = p.pair_no and x.version = p.rules_version
    ), '{}')
    || jsonb_strip_nulls(jsonb_build_object('fees', dry_run -> 'fees'));
end $function$;
CREATE OR REPLACE FUNCTION private.start_run(r public.reconciliations, p public.pairs, queued public.runs, engine text, circumstances jsonb, calendar jsonb)
 RETURNS public.runs
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  begun public.runs := queued;
begin
  if begun.id is null then
    insert into public.runs (tenant_id, reconciliation_id, pair_no)
    values (r.tenant_id, r.id, r.pair_no)
    returning * into begun;
  end if;
  update public.runs x
  set status = 'running', stage = 'reading', started_at = now(), rules_version = p.rules_version,
    engine_version = engine, conditions = circumstances,
    calendar_id = calendar ->> 'calendar_id',
    calendar_version = (calendar ->> 'calendar_version')::integer, lines_done = 0, lines_total = 0,
    attempt = x.attempt + 1
  where x.tenant_id = r.tenant_id and x.id = begun.id returning * into begun;
  return begun;
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
  waiting record;
  begun public.runs;
  last_ended public.runs;
  policy jsonb;
  calendar jsonb;
  circumstances jsonb;
  held_back jsonb;
begin
  select * into r
  from public.reconciliations x
  where x.tenant_id = tenant and x.id = reconciliation;
  waiting := private.run_to_begin(r, asked);
  begun := waiting.run;
  select * into p from public.pairs x where x.tenant_id = tenant and x.pair_no = r.pair_no;
  if waiting.is_over or p.opening is not null or begun.id is null and asked is not null then
    return null;
  end if;
  policy := private.run_policy(p, begun.dry_run);
  calendar := private.open_days(tenant,
    case when begun.dry_run ? 'calendar_id' then begun.dry_run else policy end ->> 'calendar_id');
  circumstances := private.run_conditions(r, p, engine, policy, calendar);
  last_ended := private.newest_run(r, '{done,failed}');
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
  begun := private.start_run(r, p, begun, engine, circumstances, calendar);
  -- held_back: why lines are open, if only exceptions are left to open.
  return private.run_order(r, p, begun, policy, calendar)
    || jsonb_build_object('held_back', held_back);
end $function$;
CREATE OR REPLACE FUNCTION private.store_calendar(input jsonb, before jsonb, has_other_hours boolean)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  no bigint;
begin
  if has_other_hours then
    insert into public.calendar_versions (calendar_id, version, time_zone, weekly, special_days)
    values (input ->> 'id', (before ->> 'calendar_version')::integer + 1, input ->> 'time_zone',
      input -> 'weekly', input -> 'special_days')
    returning calendar_no into no;
    perform private.start_calendar_version(no);
  else
    no := private.current_calendar_no(private.tenant_id(), input ->> 'id');
  end if;
  if has_other_hours or before -> 'name' <> input -> 'name' then
    update public.calendars c
    set name = input ->> 'name', updated_at = now(), updated_by = private.actor(),
      version = c.version + case when has_other_hours then 1 else 0 end
    where c.tenant_id = private.tenant_id() and c.id = input ->> 'id';
  end if;
  return no;
end $function$;
CREATE OR REPLACE FUNCTION public.put_calendar(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  hours constant jsonb := jsonb_build_object('time_zone', input -> 'time_zone', 'weekly',
    input -> 'weekly', 'special_days', input -> 'special_days');
  unlisted constant text[] := '{version,updated_at,updated_by}';
  before jsonb;
  after jsonb;
  has_other_hours boolean;
  no bigint;
  moved record;
  impact jsonb;
  periods integer := 0;
begin
  perform private.begin_request(request, 'put_calendar');
  perform
  from public.calendars c
  where c.tenant_id = private.tenant_id() and c.id = input ->> 'id' for update;
  before := private.find_calendar(input ->> 'id');
  perform private.require_version((before ->> 'version')::bigint, request -> 'versions');
  has_other_hours := (before -> 'time_zone', before -> 'weekly', before -> 'special_days')
    is distinct from (hours -> 'time_zone', hours -> 'weekly', hours -> 'special_days');
  -- This block is rolled back in a dry run.
  begin
    no := private.store_calendar(input, before, has_other_hours);
    if has_other_hours then
      periods := private.request_runs_by_calendar(input ->> 'id');
    end if;
    after := private.find_calendar(input ->> 'id');
    select array_agg(d.id) as ids, array_agg(d.severity) as severities,
      array_agg(d.due_at) as due_ats, array_agg(d.new_due_at) as new_due_ats
    into moved from private.recalculated_deadlines(input ->> 'id', no) d
      where input ->> 'apply_to' = 'open';
    impact := private.impact_of(moved.severities, moved.due_ats, moved.new_due_ats);
    if moved.ids is not null then
      perform private.move_deadlines(moved.ids,
        array_fill(input ->> 'id', array[cardinality(moved.ids)]),
        array_fill(no, array[cardinality(moved.ids)]), moved.new_due_ats);
    end if;
    if dry_run then
      raise exception using errcode = 'TO002', message = 'dry run';
    end if;
  exception when sqlstate 'TO002' then
    null;
  end;
  if not dry_run and after - unlisted <> before - unlisted then
    perform private.record_security_event('calendar.updated', input ->> 'id', null,
      private.changes(before - unlisted, after - unlisted)
        || jsonb_build_object('apply_to', input -> 'apply_to'));
  end if;
  return after
    || jsonb_build_object('dry_run', dry_run, 'impact',
      impact || jsonb_build_object('periods', periods));
end $function$;
CREATE OR REPLACE FUNCTION private.exception_json(e public.exceptions, as_of timestamp with time zone DEFAULT now())
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  iso constant text := 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';
  is_paused constant boolean := e.paused_at is not null and coalesce(e.paused_until > as_of, true);
  due_at constant timestamptz := case when e.paused_at is null then e.due_at
    else private.deadline(e, as_of) end;
  -- Rounded up: zero or negative after the deadline (spec 2.2).
  minutes constant bigint := case
    when e.status in ('open', 'in_review') then ceil(extract(epoch from due_at - as_of) / 60) end;
  item private.exception_item;
begin
  item.id := e.id;
  item.title := e.title;
  item.severity := e.severity;
  item.assigned_to := e.assigned_to;
  item.due_at := to_char(due_at at time zone 'UTC', iso);
  item.minutes_to_breach := minutes;
  item.breach_risk := case
    when is_paused then 'low'
    when minutes is null then null
    when minutes <= 0 then 'breached'
    when minutes < private.high_risk_below() then 'high'
    when minutes <= private.medium_risk_up_to() then 'medium'
    else 'low'
  end;
  item.business_minutes_remaining := case when minutes is not null and e.calendar_no is not null
    then private.business_minutes_remaining(e, as_of) end;
  item.calendar_id := e.calendar_id;
  if is_paused then
    item.paused_at := private.iso(e.paused_at);
    item.paused_until := private.iso(e.paused_until);
    item.pause_reason := e.pause_reason;
  end if;
  item.status := e.status;
  item.reason_code := e.reason_code;
  item.amount_minor := e.amount_minor;
  item.currency := e.currency;
  item.reconciliation_id := e.reconciliation_id;
  item.line_id := 'lin_' || replace(e.line_id::text, '-', '');
  item.suggested_match_id := 'mat_' || replace(e.suggested_match_id::text, '-', '');
  item.details := e.details;
  item.resolution := e.resolution;
  item.created_at := to_char(e.created_at at time zone 'UTC', iso);
  item.created_by := e.created_by;
  item.updated_at := to_char(e.updated_at at time zone 'UTC', iso);
  item.closed_at := to_char(e.closed_at at time zone 'UTC', iso);
  return row_to_json(item);
end $function$;
CREATE OR REPLACE FUNCTION private.write_exceptions(act text, made private.exception_change[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform set_config('tieout.writes_exceptions', 'on', true);
  if act = 'create' then
    perform private.insert_exceptions(made);
  else
    perform private.update_exceptions(made);
  end if;
  perform set_config('tieout.writes_exceptions', '', true);
end $function$;
CREATE OR REPLACE FUNCTION private.change_exceptions_for_caller(act text, changes jsonb[])
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  settable constant text[] := private.exception_settable();
begin
  return query select * from private.change_exceptions(act, array(
    select jsonb_object_agg(k.key, k.value) || jsonb_build_object('tenant_id', private.tenant_id())
    from unnest(changes) with ordinality c (change, place)
    cross join lateral jsonb_each(c.change) k
    where k.key = any (settable) or k.key = 'id' and act <> 'create'
    group by c.place order by c.place
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.exception_settable()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ARRAY['title'::text, 'severity'::text, 'assigned_to'::text, 'due_at'::text, 'reason_code'::text, 'amount_minor'::text, 'currency'::text, 'reconciliation_id'::text, 'status'::text, 'details'::text, 'resolution'::text, 'calendar_id'::text, 'calendar_no'::text, 'paused_until'::text, 'pause_reason'::text];
CREATE OR REPLACE FUNCTION private.insert_exceptions(made private.exception_change[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.exceptions (
    id, tenant_id, title, severity, assigned_to, due_at, due_from_policy, calendar_id, calendar_no,
    due_open_ms, paused_at, paused_until, pause_reason, paused_by_rule, held_due_at, pause_count,
    paused_ms, status, reason_code, amount_minor, currency, reconciliation_id, details, resolution,
    created_at, created_by, updated_at, closed_at, pair_no, line_no, line_id, suggested_match_id,
    grouped_match_id, resolved_by_matching
  )
  select
    n.id, n.tenant_id, n.title, n.severity, n.assigned_to, n.due_at, n.due_from_policy,
    n.calendar_id, n.calendar_no, n.due_open_ms, n.paused_at, n.paused_until, n.pause_reason,
    n.paused_by_rule, n.held_due_at, n.pause_count, n.paused_ms, n.status, n.reason_code,
    n.amount_minor, n.currency, n.reconciliation_id, n.details, n.resolution, n.created_at,
    n.created_by, n.updated_at, n.closed_at, n.pair_no, n.line_no, n.line_id, n.suggested_match_id,
    n.grouped_match_id, n.resolved_by_matching
  from (select (m.after).* from unnest(made) m) n;
end $function$;
CREATE OR REPLACE FUNCTION private.update_exceptions(made private.exception_change[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.exceptions e
  set
    title = n.title, severity = n.severity, assigned_to = n.assigned_to, due_at = n.due_at,
    due_from_policy = n.due_from_policy, calendar_id = n.calendar_id, calendar_no = n.calendar_no,
    due_open_ms = n.due_open_ms, paused_at = n.paused_at, paused_until = n.paused_until,
    pause_reason = n.pause_reason, paused_by_rule = n.paused_by_rule, held_due_at = n.held_due_at,
    pause_count = n.pause_count, paused_ms = n.paused_ms, status = n.status,
    reason_code = n.reason_code, amount_minor = n.amount_minor, currency = n.currency,
    reconciliation_id = n.reconciliation_id, details = n.details, resolution = n.resolution,
    updated_at = n.updated_at, closed_at = n.closed_at, pair_no = n.pair_no, line_no = n.line_no,
    line_id = n.line_id, suggested_match_id = n.suggested_match_id,
    grouped_match_id = n.grouped_match_id, resolved_by_matching = n.resolved_by_matching
  from (select (m.after).* from unnest(made) m) n
  where e.tenant_id = n.tenant_id and e.id = n.id;
end $function$;
CREATE OR REPLACE FUNCTION private.exception_condition(filter text, input jsonb, as_of timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  -- The previous release sends a single value as a string.
  wanted text[] := case jsonb_typeof(input -> filter) when 'string' then array[input ->> filter]
    else private.text_array(input -> filter) end;
begin
  if cardinality(wanted) = 0 then
    return null;
  elsif filter = 'breach_risk' then
    return '(' || array_to_string(private.risk_ranges(wanted, as_of), ' or ') || ')';
  elsif filter = 'severity' then
    return private.one_of('e.severity_rank',
      array(select private.severity_rank(s)::text from unnest(wanted) s));
  elsif filter = 'assigned_to' then
    wanted := array_replace(wanted, 'me', private.actor());
  end if;
  return case
    when not private.facet_has_none(filter) then private.one_of('e.' || filter, wanted)
    when wanted = '{none}' then format('e.%I is null', filter)
    when 'none' = any (wanted) then format('(e.%I is null or %s)', filter,
      private.one_of('e.' || filter, array_remove(wanted, 'none')))
    else private.one_of('e.' || filter, wanted)
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.facet_has_none(facet text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN (facet = ANY (ARRAY['assigned_to'::text, 'reconciliation_id'::text, 'currency'::text]));
CREATE OR REPLACE FUNCTION private.exception_version(e public.exceptions)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.version_of(private.exception_facts(e) - 'calendar_id'
    || jsonb_build_object('closed_at', private.iso(e.closed_at)));
end $function$;
CREATE OR REPLACE FUNCTION private.faceted_exceptions(input jsonb, as_of timestamp with time zone, OUT conditions text, OUT sort_key text)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  conditions := coalesce(private.bound_conditions(input), 'true');
  sort_key := 'e.id desc';
  if input ->> 'state' = 'open' then
    conditions := conditions || $q$ and e.status in ('open', 'in_review')$q$;
    sort_key := 'e.due_at, e.id';
  elsif input ->> 'state' = 'closed' then
    conditions := conditions || ' and e.closed_at is not null';
    sort_key := 'e.closed_at desc, e.id desc';
  end if;
  if input ->> 'within_minutes' is not null then
    conditions := conditions || private.due_within(input, as_of);
  end if;
  if input ->> 'q' is not null then
    conditions := conditions || ' and ' || private.has_words(input ->> 'q');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.missed_facet(input jsonb, as_of timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select case when count(*) = 0 then '0' else format('case when %s > 1 then -1 else %s end',
      string_agg(format('((%s) is not true)::integer', c.condition), ' + '),
      string_agg(format('%s * ((%s) is not true)::integer', c.n, c.condition), ' + ')) end
    from (
      select f.n, private.exception_condition(f.facet, input, as_of) as condition
      from unnest(private.exception_facets()) with ordinality as f (facet, n)
    ) c
    where c.condition is not null
  );
end $function$;
CREATE OR REPLACE FUNCTION private.grouped_by_facet(missed text, conditions text, sort_key text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  risk constant text := $q$case when e.closed_at is not null then null
    when e.due_at <= $1 then 'breached'
    when e.due_at <= $1 + make_interval(mins => private.high_risk_below() - 1) then 'high'
    when e.due_at <= $1 + make_interval(mins => private.medium_risk_up_to()) then 'medium'
    else 'low' end$q$;
  fields text;
  grouped text;
  groupings text;
begin
  select
    string_agg(format('%s as %I', case f when 'breach_risk' then risk else 'e.' || f end, f), ', '),
    string_agg(format('s.%I', f), ', '),
    string_agg(format('(s.missed, s.%I)', f), ', ')
  into fields, grouped, groupings
  from unnest(private.exception_facets()) f;
  -- left_out: one bit per facet that isn't grouped by, the first facet's the highest.
  return format($q$
    select s.missed, %1$s, grouping(%1$s) as left_out, count(*) as n,
      count(*) filter (where s.paused) as paused, sum(s.amount_minor) as amount
    from (
      select %2$s, e.amount_minor, e.paused_at is not null as paused, %4$s as missed
      from public.exceptions e where e.tenant_id = %7$L and %5$s order by %6$s limit $2
    ) s
    group by grouping sets ((s.missed), %3$s)
  $q$, grouped, fields, groupings, missed, conditions, sort_key, private.tenant_id());
end $function$;
CREATE OR REPLACE FUNCTION private.value_of_facet()
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select format('case f.facet %s end', string_agg(format('when %L then %s', f,
      case when private.facet_has_none(f) then format('coalesce(g.%I, %L)', f, 'none')
        else format('g.%I', f) end), ' '))
    from unnest(private.exception_facets()) f
  );
end $function$;
CREATE OR REPLACE FUNCTION private.sla_facets(input jsonb, as_of timestamp with time zone)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  max_exceptions constant integer := 20000;
  max_values constant integer := 50;
  facets constant text[] := private.exception_facets();
  all_left_out constant integer := (1 << cardinality(facets)) - 1;
  counted constant record := private.faceted_exceptions(input, as_of);
  answer jsonb;
begin
  execute format($q$
    with grouped as materialized (%1$s), counted as (
      select f.facet, v.value, sum(g.n) as n, sum(g.amount) as amount
      from unnest($3::text[]) with ordinality as f (facet, place)
      join grouped g on g.missed in (0, f.place)
        and g.left_out = $6 - (1 << (cardinality($3::text[]) - f.place::integer))
      cross join lateral (select %2$s) v (value)
      where v.value is not null
      group by 1, 2
    ), ranked as (
      select *, row_number() over (partition by facet order by n desc, value) as rank from counted
    )
    select jsonb_build_object(
      'total', (select coalesce(sum(n), 0) from grouped where left_out = $6 and missed = 0),
      'paused_count', (select coalesce(sum(paused), 0) from grouped
        where breach_risk = 'low' and left_out = $6 >> 1 and missed in (0, 1)),
      'complete', (select coalesce(sum(n), 0) from grouped where left_out = $6) < $2,
      'facets', (
        select jsonb_object_agg(f, coalesce((
          select jsonb_agg(jsonb_build_object('value', r.value, 'count', r.n,
            'name', case when f = 'reconciliation_id' then (
              select c.name from public.reconciliations c
              where c.tenant_id = $4 and c.id = r.value) end,
            'amount_minor', case when f = 'currency' and r.amount is not null
              then least(r.amount, 9007199254740991) end
          ) order by r.rank)
          from ranked r where r.facet = f and r.rank <= $5), '[]'))
        from unnest($3::text[]) f
      )
    )
  $q$, private.grouped_by_facet(private.missed_facet(input, as_of), counted.conditions,
    counted.sort_key), private.value_of_facet()) into answer
  using as_of, max_exceptions, facets, private.tenant_id(), max_values, all_left_out;
  return answer || jsonb_build_object('as_of', private.iso(as_of));
end $function$;
CREATE OR REPLACE FUNCTION private.has_other_origin(before text, after text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  origin constant text := '^https?://[^/?#]+';
begin
  return substring(after from origin) <> substring(before from origin);
end $function$;
CREATE OR REPLACE FUNCTION private.require_webhook_change(before public.webhooks, w public.webhooks, patch jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  has_moved constant boolean := private.has_other_origin(before.url, w.url);
begin
  if w.url <> before.url or w.events <> before.events then
    perform private.require_readable_events(w.events);
  end if;
  if w.url <> before.url then
    perform private.require_readable_events(private.unreadable_sent(w.id));
  end if;
  if w.filters <> before.filters then
    perform private.require_filters(w.filters);
  end if;
  if has_moved and cardinality(before.header_names) > 0 and not patch ? 'headers' then
    perform private.refuse_field('headers',
      'Send the headers with their values again: they would go to another address.');
  end if;
  if has_moved and before.oauth is not null and not patch ? 'oauth' then
    perform private.refuse_field('oauth',
      'Send oauth with its client secret again: the token would go to another address.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.update_webhook(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'update_webhook');
  fields constant text[] := '{url,description,events,filters,max_per_minute}';
  has_moved boolean;
  patch constant jsonb := input -> 'patch';
  before public.webhooks;
  w public.webhooks;
begin
  if replayed is not null then
    return replayed;
  end if;
  before := private.lock_webhook(input ->> 'id');
  perform private.require_version(private.webhook_version(before), request -> 'versions');
  w := jsonb_populate_record(before,
    (select jsonb_object_agg(key, value) from jsonb_each(patch) where key = any (fields)));
  has_moved := private.has_other_origin(before.url, w.url);
  perform private.require_webhook_change(before, w, patch);
  if w is distinct from before then
    update public.webhooks x set
      url = w.url, description = w.description, events = w.events, filters = w.filters,
      max_per_minute = w.max_per_minute,
      failing_since = case when w.url = before.url then x.failing_since end, updated_at = now()
    where x.tenant_id = before.tenant_id and x.id = before.id
    returning * into w;
    perform private.record_security_event('webhook.updated', w.id, null, (
      select private.changes(jsonb_object_agg(field, to_jsonb(before) -> field),
        jsonb_object_agg(field, to_jsonb(w) -> field))
      from unnest(fields) field
    ));
  end if;
  if patch ? 'headers' then
    w := private.store_webhook_headers(w, patch -> 'headers', has_moved);
    perform private.record_security_event('webhook.updated', w.id, null, jsonb_build_object(
      'headers', jsonb_build_object('from', before.header_names, 'to', w.header_names)));
  end if;
  if patch ? 'oauth' then
    w := private.store_webhook_client(w, patch -> 'oauth', has_moved);
    perform private.record_security_event('webhook.updated', w.id, null, jsonb_build_object(
      'oauth', jsonb_build_object('from', before.oauth, 'to', w.oauth)));
  end if;
  if patch ->> 'status' = 'active' then
    w := private.enable_webhook(w);
  elsif patch ->> 'status' = 'disabled' and w.status = 'active' then
    perform private.disable_webhook(w.id, 'manual', patch ->> 'reason');
    w := private.find_webhook(w.id);
  end if;
  return private.finish_request(request,
    private.webhook_json(w) || jsonb_build_object('version', private.webhook_version(w)));
end $function$;
CREATE OR REPLACE FUNCTION private.fail_deliveries_of_inactive(webhook_ids text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  inactive constant text[] := array(select w.id from public.webhooks w
    where w.id = any (webhook_ids) and (w.status <> 'active' or w.deleted_at is not null));
begin
  if cardinality(inactive) > 0 then
    update public.webhook_deliveries d
    set status = 'failed', failure_kind = 'webhook_disabled', next_attempt_at = null, lease = null
    where d.webhook_id = any (inactive) and d.status = 'pending' and d.next_attempt_at <= now();
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.deliveries_to_send(webhook_ids text[], room integer)
 RETURNS TABLE(tenant_id text, id text, url text, place bigint, webhook_id text)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
#variable_conflict use_column
begin
  return query
  with asked as (
    select w.id, w.tenant_id, w.url, case when w.failing_since is null then 20 else 2 end as cap,
      -- Null without a limit, which least() ignores.
      case when w.max_per_minute is not null then
        greatest(0, w.max_per_minute - coalesce(r.attempts, 0)) end as left_this_minute
    from public.webhooks w
    left join private.webhook_rates r on r.tenant_id = w.tenant_id and r.webhook_id = w.id
      and r.minute = date_trunc('minute', now())
    where w.id = any (webhook_ids) and w.status = 'active' and w.deleted_at is null
  ), busy as (
    select d.tenant_id, d.webhook_id, count(*) as deliveries from public.webhook_deliveries d
    where d.lease is not null and d.next_attempt_at > now()
      and d.tenant_id in (select tenant_id from asked)
    group by 1, 2
  ), due as (
    select a.tenant_id, a.id as webhook_id, a.url, d.id, d.event_id, d.next_attempt_at,
      coalesce(b.deliveries, 0)
        + row_number() over (partition by a.id order by d.next_attempt_at) as place
    from asked a
    left join busy b on b.webhook_id = a.id
    cross join lateral (
      select x.id, x.event_id, x.next_attempt_at from public.webhook_deliveries x
      where x.webhook_id = a.id and x.status = 'pending' and x.next_attempt_at <= now()
      order by x.next_attempt_at
      limit least(a.left_this_minute, greatest(0, a.cap - coalesce(b.deliveries, 0)))
      for no key update skip locked
    ) d
  ), ranked as (
    select *,
      coalesce((select sum(b.deliveries - 1) from busy b where b.tenant_id = due.tenant_id), 0)
      + count(*) filter (where place > 1) over (partition by tenant_id order by place,
        next_attempt_at, id) as beyond_the_first
    from due
  ), first as (
    select * from ranked where place = 1 or beyond_the_first <= 200
    order by place, next_attempt_at limit room
  )
  select f.tenant_id, f.id, f.url, f.place, f.webhook_id from first f;
end $function$;
CREATE OR REPLACE FUNCTION private.count_rated_attempts(tenants text[], webhook_ids text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.webhook_rates as r (tenant_id, webhook_id, minute, attempts)
  select w.tenant_id, w.id, date_trunc('minute', now()), count(*)
  from unnest(tenants, webhook_ids) as c (tenant_id, webhook_id)
  join public.webhooks w on w.tenant_id = c.tenant_id and w.id = c.webhook_id
    and w.max_per_minute is not null
  group by w.tenant_id, w.id
  on conflict (tenant_id, webhook_id) do update set
    attempts = excluded.attempts + case when r.minute = excluded.minute then r.attempts else 0 end,
    minute = excluded.minute;
end $function$;
CREATE OR REPLACE FUNCTION private.begin_attempts(tenants text[], ids text[], urls text[], places bigint[])
 RETURNS TABLE(attempt_id bigint, delivery_id text, webhook_id text, tenant_id text, event_id text, url text, body text, secrets jsonb, sent_at bigint, type text, request_id text, headers jsonb, oauth jsonb)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
#variable_conflict use_column
begin
  return query
  with leased as (
    update public.webhook_deliveries d set
      lease = nextval('public.webhook_attempts_id_seq'),
      next_attempt_at = now() + interval '23 seconds', attempt_count = d.attempt_count + 1
    from unnest(tenants, ids, urls, places) as c (tenant_id, id, url, place)
    where d.tenant_id = c.tenant_id and d.id = c.id
    returning d.id, d.tenant_id, d.webhook_id, d.event_id, d.lease, d.attempt_count, d.cause, c.url,
      c.place
  ), begun as (
    insert into public.webhook_attempts (id, tenant_id, delivery_id, number, cause)
    select l.lease, l.tenant_id, l.id, l.attempt_count, l.cause from leased l
  )
  select l.lease, l.id, l.webhook_id, l.tenant_id, l.event_id, l.url,
    format('{"type":%s,"timestamp":%s,%s"data":%s}', to_json(e.type), to_json(private.iso(e.at)),
      case when e.test_of is not null then '"test":true,' end, e.data),
    (
      select jsonb_agg(jsonb_build_object('id', s.id, 'sealed', s.sealed)
      order by s.created_at desc)
      from private.webhook_secrets s
      where s.tenant_id = l.tenant_id and s.webhook_id = l.webhook_id
        and (s.expires_at is null or s.expires_at > now())
    ),
    floor(extract(epoch from clock_timestamp()))::bigint, e.type, e.request_id,
    (
      select jsonb_agg(jsonb_build_object('name', h.name, 'id', h.id, 'sealed', h.sealed))
      from private.webhook_headers h
      where h.tenant_id = l.tenant_id and h.webhook_id = l.webhook_id
    ),
    (
      select w.oauth || jsonb_build_object('id', c.id, 'sealed', c.sealed)
      from private.webhook_clients c
      join public.webhooks w on w.tenant_id = c.tenant_id and w.id = c.webhook_id
      where c.tenant_id = l.tenant_id and c.webhook_id = l.webhook_id
    )
  from leased l join public.events e on e.tenant_id = l.tenant_id and e.id = l.event_id
  order by l.place;
end $function$;
CREATE OR REPLACE FUNCTION private.claim_webhook_deliveries(webhook_ids text[], room integer)
 RETURNS TABLE(attempt_id bigint, delivery_id text, webhook_id text, tenant_id text, event_id text, url text, body text, secrets jsonb, sent_at bigint, type text, request_id text, headers jsonb, oauth jsonb)
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_column
declare
  chosen record;
begin
  -- One claim at a time: the caps hold over all workers.
  perform pg_advisory_xact_lock(hashtextextended('tieout.claim_webhook_deliveries', 0));
  perform private.interrupt_lapsed_attempts(webhook_ids);
  perform private.fail_deliveries_of_inactive(webhook_ids);
  select array_agg(f.tenant_id) as tenants, array_agg(f.id) as ids, array_agg(f.url) as urls,
    array_agg(f.place) as places, array_agg(f.webhook_id) as webhook_ids
  into chosen from private.deliveries_to_send(webhook_ids, room) f;
  if chosen.ids is null then
    return;
  end if;
  perform private.count_rated_attempts(chosen.tenants, chosen.webhook_ids);
  return query select * from private.begin_attempts(chosen.tenants, chosen.ids, chosen.urls,
    chosen.places);
end $function$;
CREATE OR REPLACE FUNCTION private.bundle_alerts()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  bundle record;
begin
  for bundle in
    with waiting as (
      select distinct a.tenant_id, a.recipient, a.kind
      from private.alerts a
      where a.bundle_id is null
    ), bundled as (
      insert into private.alert_bundles (tenant_id, recipient, kind)
      select w.tenant_id, w.recipient, w.kind from waiting w
      where not exists (
        select from private.alert_bundles b
        where b.tenant_id = w.tenant_id and b.recipient = w.recipient and b.kind = w.kind
          and b.created_at > now() - interval '50 seconds'
      )
      returning *
    ), filled as (
      update private.alerts a set bundle_id = b.id from bundled b
      where a.tenant_id = b.tenant_id and a.recipient = b.recipient and a.kind = b.kind
        and a.bundle_id is null
    )
    select * from bundled
  loop
    perform graphile_worker.add_job('send_alerts',
      json_build_object('tenant_id', bundle.tenant_id, 'bundle_id', bundle.id), max_attempts => 15);
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.collect_alerts(batch integer DEFAULT 5000)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  looked_at integer;
begin
  -- Two concurrent calls would each create a bundle of the same alerts.
  perform pg_advisory_xact_lock(hashtextextended('gather_alerts', 0));
  with taken as materialized (
    select * from private.take_alert_events(batch)
  ), happened as materialized (
    select t.tenant_id, e.id as event_id, t.actor, private.alert_kind(e.type, e.data) as kind,
      e.data,
      coalesce(e.data #>> '{exception,id}', e.data ->> 'id') as subject
    from taken t join public.events e on e.tenant_id = t.tenant_id and e.id = t.event_id
  ), person as materialized (
    select t.tenant_id, u.id, 'user:' || private.account_name(u.email, u.id) as reference,
      r.roles ? 'tenant_admin' as is_admin,
      coalesce(s.exception_breached, 'mine') as breached,
      coalesce(s.exception_at_risk, 'off') as at_risk,
      coalesce(s.assigned, true) as assigned, coalesce(s.mentioned, true) as mentioned,
      coalesce(s.webhook_failing, true) as webhook_failing,
      coalesce(s.api_key_expiring, true) as api_key_expiring
    from (select distinct h.tenant_id from happened h) t
    cross join lateral private.accounts_of(t.tenant_id) u
    cross join lateral (
      select private.roles_of_account(u.raw_app_meta_data, t.tenant_id) as roles) r
    left join public.notification_settings s on s.tenant_id = t.tenant_id and s.subject = u.id::text
      and s.is_account
    where u.email is not null and (u.banned_until is null or u.banned_until <= now())
      and r.roles ?| private.roles()
  ), mailed as (
    insert into private.alerts (tenant_id, recipient, kind, event_id, subject)
    select h.tenant_id, 'account:' || p.id, h.kind, h.event_id, h.subject
    from happened h join person p on p.tenant_id = h.tenant_id
    where case h.kind
      when 'exception_breached' then p.breached = 'all'
      or (p.breached = 'mine' and p.reference = h.data #>> '{exception,assigned_to}')
      when 'exception_at_risk' then p.at_risk = 'all'
      or (p.at_risk = 'mine' and p.reference = h.data #>> '{exception,assigned_to}')
      when 'assigned' then p.assigned and p.reference = h.data #>> '{exception,assigned_to}'
      and p.reference <> h.actor
      when 'mentioned' then p.mentioned and private.mentions(h.data) ? p.reference
      and p.reference <> h.actor
      when 'webhook_failing' then p.webhook_failing and p.is_admin
      when 'api_key_expiring' then p.api_key_expiring and p.is_admin
    end
    on conflict do nothing
  ), posted as (
    insert into private.alerts (tenant_id, recipient, kind, event_id, subject)
    select h.tenant_id, c.id, h.kind, h.event_id, h.subject
    from happened h
      join public.alert_channels c on c.tenant_id = h.tenant_id and c.deleted_at is null
        and h.kind = any (c.kinds)
    on conflict do nothing
  )
  select count(*) into looked_at from taken;
  perform private.bundle_alerts();
  return looked_at;
end $function$;
grant execute on function private.exception_facts(public.exceptions) to authenticated;
grant execute on function private.facet_has_none(text) to authenticated;
