alter table public.runs add column calendar_id text, add column calendar_version integer;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

-- contracts: called by functions of the database alone, which are made again here.
drop function private.business_days_before(date,integer);
CREATE OR REPLACE FUNCTION private.default_policy()
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '{"automatic": "earned", "four_eyes": false, "exceptions": {"most_a_run": 1000, "severities": [{"severity": "low", "from_minor": 0}, {"severity": "medium", "from_minor": 100000}, {"severity": "high", "from_minor": 1000000}, {"severity": "critical", "from_minor": 10000000}], "assigned_to": null}, "calendar_id": null}'::jsonb;
CREATE OR REPLACE FUNCTION private.policy_of_pair(tenant text, pair integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.default_policy() || coalesce((
    select r.policy from public.pairs p join public.pair_rules r on r.tenant_id = p.tenant_id and r.pair_no = p.pair_no and r.version = p.rules_version
    where p.tenant_id = tenant and p.pair_no = pair
  ), '{}');
end $function$;
CREATE OR REPLACE FUNCTION public.list_line_suggestions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  l public.lines;
  o private.open_lines;
  p public.pairs;
begin
  perform private.enter(request, 'list_line_suggestions');
  r := private.find_period(private.open_period_of_line(input ->> 'id', input ->> 'reconciliation_id'));
  select * into l from public.lines x where x.tenant_id = r.tenant_id and x.id = private.line_id(input ->> 'id');
  select * into o from private.open_lines x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.line_no = l.line_no;
  select * into p from public.pairs x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no;
  return jsonb_build_object(
    'reconciliation_id', r.id, 'side', o.side, 'weights', p.weights,
    'open_days', private.open_days(r.tenant_id, private.policy_of_pair(r.tenant_id, r.pair_no) ->> 'calendar_id') -> 'open_days',
    'line', case when o.line_no is not null then private.engine_line(l, o.open_minor) end,
    'rules', (select x.rules from public.pair_rules x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.version = p.rules_version),
    'candidates', (
      with others as materialized (
        select * from private.open_lines x
        where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.side <> o.side and x.currency = o.currency and x.value_date <= r.period_end
      ), near as (
        (select x.line_no, x.open_minor from others x order by abs(x.open_minor - o.open_minor), x.line_no limit 200)
        union
        (select x.line_no, x.open_minor from others x order by abs(x.value_date - o.value_date), x.line_no limit 200)
      )
      select coalesce(jsonb_agg(private.engine_line(c, n.open_minor) order by n.line_no), '[]')
      from near n join public.lines c on c.tenant_id = r.tenant_id and c.line_no = n.line_no
    ),
    'rejected', (
      select coalesce(jsonb_agg(jsonb_build_object('left', x.lefts, 'right', x.rights)), '[]')
      from (
        select coalesce(jsonb_agg(private.line_id_text(ml.id)) filter (where other.side = 'left'), '[]') as lefts,
          coalesce(jsonb_agg(private.line_id_text(ml.id)) filter (where other.side = 'right'), '[]') as rights
        from public.match_members mine
        join public.matches m on m.tenant_id = mine.tenant_id and m.id = mine.match_id and m.decided_by is not null and m.state in ('rejected', 'undone')
        join public.match_members other on other.tenant_id = m.tenant_id and other.match_id = m.id
        join public.lines ml on ml.tenant_id = other.tenant_id and ml.line_no = other.line_no
        where mine.tenant_id = r.tenant_id and mine.line_no = l.line_no and mine.pair_no = r.pair_no
        group by m.id
      ) x
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.run_json(r public.runs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', r.id, 'reconciliation_id', r.reconciliation_id, 'status', r.status, 'dry_run', r.dry_run is not null, 'stage', r.stage,
    'lines_done', r.lines_done, 'lines_total', r.lines_total, 'waterfall', r.waterfall,
    'impact', '{"exceptions": {"avoided": 0, "added": 0}}'::jsonb || r.impact, 'changed', r.changed,
    'suggested_count', r.suggested_count, 'open_count', r.open_count, 'exceptions_opened', r.exceptions_opened,
    'exceptions_held_back', r.exceptions_held_back, 'rules_version', r.rules_version, 'calendar_id', r.calendar_id,
    'calendar_version', r.calendar_version, 'engine_version', r.engine_version,
    'digest', r.digest, 'failure', r.failure,
    'duration_ms', round(extract(epoch from r.finished_at - r.started_at) * 1000),
    'created_at', private.iso(r.created_at), 'created_by', r.created_by, 'started_at', private.iso(r.started_at),
    'finished_at', private.iso(r.finished_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.ask_for_runs_by_calendar(calendar text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  pairs constant integer[] := array(
    select p.pair_no from public.pairs p join public.pair_rules r on r.tenant_id = p.tenant_id and r.pair_no = p.pair_no and r.version = p.rules_version
    where p.tenant_id = private.tenant_id() and r.policy ->> 'calendar_id' = calendar
  );
begin
  perform private.ask_for_runs(private.tenant_id(), pair) from unnest(pairs) pair;
  return (
    select count(*) from public.reconciliations x
    where x.tenant_id = private.tenant_id() and x.pair_no = any (pairs) and x.closed_at is null and x.status <> 'archived'
  );
end $function$;
CREATE OR REPLACE FUNCTION private.trial_of(input jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_calendar(input);
  return jsonb_strip_nulls(jsonb_build_object('rules', input -> 'rules'))
    || case when input ? 'calendar_id' then jsonb_build_object('calendar_id', input -> 'calendar_id') else '{}' end;
end $function$;
CREATE OR REPLACE FUNCTION public.create_run(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_run');
begin
  if kept is not null then
    return kept;
  end if;
  perform private.find_period(input ->> 'id');
  return private.answer(request, private.run_json(private.ask_for_own_run(input ->> 'id',
    case when (input ->> 'dry_run')::boolean then private.trial_of(input) end)));
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
    calendar_id = calendar ->> 'calendar_id', calendar_version = (calendar ->> 'calendar_version')::integer, lines_done = 0, lines_total = 0
  where x.tenant_id = tenant and x.id = begun.id;
  return jsonb_build_object(
    'run_id', begun.id, 'dry_run', begun.dry_run, 'pair_no', p.pair_no, 'period_end', r.period_end, 'closed', r.closed_at is not null, 'weights', p.weights,
    'rules', coalesce(begun.dry_run -> 'rules', rule_set.rules), 'policy', policy, 'open_days', calendar -> 'open_days',
    -- Whether all that the engine made is weighed again, or what it settled by its first rules stands.
    'whole', begun.dry_run is not null or last_run.id is null or last_run.rules_version is distinct from p.rules_version
      or last_run.engine_version is distinct from engine
      or (last_run.calendar_id, last_run.calendar_version::text) is distinct from (calendar ->> 'calendar_id', calendar ->> 'calendar_version')
  );
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_at_stake(tenant text, reconciliation text, matched bigint[], opened bigint[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    with grace as materialized (
      select s.source_no, private.last_day_of_grace(s, private.policy_of_pair(tenant, r.pair_no) ->> 'calendar_id') as day
      from public.reconciliations r
      join public.pairs p on p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
      join public.sources s on s.tenant_id = r.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
      where r.tenant_id = tenant and r.id = reconciliation
    )
    select jsonb_build_object(
      'avoided', (
        select count(*) from unnest(matched) m (line_no) cross join lateral (
          select from public.exceptions e
          where e.tenant_id = tenant and e.line_no = m.line_no and e.pair_no = r.pair_no and (r.closed_at is not null or e.status in ('open', 'in_review'))
          limit 1
        ) e
      ),
      'added', (
        select count(*) from unnest(opened) o (line_no)
        cross join lateral (select x.source_no, x.value_date from public.lines x where x.tenant_id = tenant and x.line_no = o.line_no offset 0) l
        join grace g on g.source_no = l.source_no
        where l.value_date < g.day
          and not exists (
            select from public.exceptions e where e.tenant_id = tenant and e.line_no = o.line_no and e.pair_no = r.pair_no and e.status in ('open', 'in_review'))
      )
    )
    from public.reconciliations r where r.tenant_id = tenant and r.id = reconciliation
  );
end $function$;
CREATE OR REPLACE FUNCTION private.rules_json(p public.pairs)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  r public.pair_rules;
begin
  select * into r from public.pair_rules x where x.tenant_id = p.tenant_id and x.pair_no = p.pair_no and x.version = p.rules_version;
  -- Null rules: the defaults, which the engine has. The contract shows what `weights` say, not the counts.
  return jsonb_build_object('rules', r.rules, 'version', p.rules_version, 'weights', p.weights, 'updated_at', private.iso(r.created_at),
    'updated_by', r.created_by) || private.default_policy() || coalesce(r.policy, '{}');
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
  select x.* into p from public.reconciliations r join public.pairs x on x.tenant_id = r.tenant_id and x.pair_no = r.pair_no
  where r.tenant_id = tenant and r.id = period for no key update of x;
  perform private.require_version(p.rules_version, versions);
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
CREATE OR REPLACE FUNCTION public.put_rules(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  dry_run constant boolean := coalesce((input ->> 'dry_run')::boolean, false);
  r public.reconciliations;
  p public.pairs;
  -- What is left out stays.
  policy constant jsonb := coalesce((
    select jsonb_object_agg(k, input -> k) from unnest('{automatic,four_eyes,calendar_id,exceptions}'::text[]) k where input ? k), '{}');
begin
  perform private.enter(request, 'put_rules');
  r := private.find_period(input ->> 'id');
  if dry_run then
    select * into p from public.pairs x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no;
    return private.rules_json(p) || policy || jsonb_build_object('rules', input -> 'rules', 'dry_run', true,
      'run_id', (private.ask_for_own_run(r.id, private.trial_of(input))).id);
  end if;
  perform private.require_calendar(input);
  p := private.put_own_rules(r.id, input -> 'rules', policy, coalesce((input ->> 'reset_learning')::boolean, false), request -> 'versions');
  return private.rules_json(p) || jsonb_build_object('dry_run', false, 'run_id', null);
end $function$;
CREATE OR REPLACE FUNCTION private.open_days(tenant text, calendar text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('calendar_id', v.calendar_id, 'calendar_version', v.version, 'open_days', jsonb_build_object(
      'weekdays', (
        select jsonb_agg(distinct array_position('{monday,tuesday,wednesday,thursday,friday,saturday,sunday}'::text[], w ->> 'day'))
        from jsonb_array_elements(v.weekly) w
      ), 'opened', coalesce(s.opened, '[]'), 'closed', coalesce(s.closed, '[]')))
    from public.calendars c join public.calendar_versions v on v.tenant_id = c.tenant_id and v.calendar_id = c.id and v.version = c.version
    cross join lateral (
      select jsonb_agg(x.day order by x.day) filter (where x.opens) as opened, jsonb_agg(x.day order by x.day) filter (where not x.opens) as closed
      from (
        select (d ->> 'date')::date - date '1970-01-01' as day, jsonb_array_length(d -> 'intervals') > 0 as opens
        from jsonb_array_elements(v.special_days) d
      ) x
    ) s
    where c.tenant_id = tenant and c.id = calendar and tenant = coalesce(private.tenant_id(), tenant)
  );
end $function$;
CREATE OR REPLACE FUNCTION public.put_calendar(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  hours constant jsonb := jsonb_build_object('time_zone', input -> 'time_zone', 'weekly', input -> 'weekly', 'special_days', input -> 'special_days');
  unlisted constant text[] := '{version,updated_at,updated_by}';
  before jsonb;
  after jsonb;
  has_other_hours boolean;
  no bigint;
  moved record;
  impact jsonb;
  periods integer := 0;
begin
  perform private.enter(request, 'put_calendar');
  perform from public.calendars c where c.tenant_id = private.tenant_id() and c.id = input ->> 'id' for update;
  before := private.own_calendar(input ->> 'id');
  perform private.require_version((before ->> 'version')::bigint, request -> 'versions');
  has_other_hours := (before -> 'time_zone', before -> 'weekly', before -> 'special_days')
    is distinct from (hours -> 'time_zone', hours -> 'weekly', hours -> 'special_days');
  -- What a dry run does is undone with this block.
  begin
    if has_other_hours then
      insert into public.calendar_versions (calendar_id, version, time_zone, weekly, special_days)
      values (input ->> 'id', (before ->> 'calendar_version')::integer + 1, input ->> 'time_zone', input -> 'weekly', input -> 'special_days')
      returning calendar_no into no;
      perform private.start_own_business_time(no);
    else
      no := private.current_calendar_no(private.tenant_id(), input ->> 'id');
    end if;
    if has_other_hours or before -> 'name' <> input -> 'name' then
      update public.calendars c set name = input ->> 'name', updated_at = now(), updated_by = private.actor(),
        version = c.version + case when has_other_hours then 1 else 0 end
      where c.tenant_id = private.tenant_id() and c.id = input ->> 'id';
    end if;
    if has_other_hours then
      periods := private.ask_for_runs_by_calendar(input ->> 'id');
    end if;
    after := private.own_calendar(input ->> 'id');
    select array_agg(d.id) as ids, array_agg(d.severity) as severities, array_agg(d.due_at) as due_ats, array_agg(d.new_due_at) as new_due_ats
    into moved from private.recalculated_deadlines(input ->> 'id', no) d where input ->> 'apply_to' = 'open';
    impact := private.impact_of(moved.severities, moved.due_ats, moved.new_due_ats);
    if moved.ids is not null then
      perform private.move_deadlines(moved.ids, array_fill(input ->> 'id', array[cardinality(moved.ids)]),
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
      private.changes(before - unlisted, after - unlisted) || jsonb_build_object('apply_to', input -> 'apply_to'));
  end if;
  return after || jsonb_build_object('dry_run', dry_run, 'impact', impact || jsonb_build_object('periods', periods));
end $function$;
CREATE OR REPLACE FUNCTION private.require_calendar(input jsonb)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if input ->> 'calendar_id' is not null and private.current_calendar_no(private.tenant_id(), input ->> 'calendar_id') is null then
    perform private.refuse_field('calendar_id', 'There is no such calendar.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.last_day_of_grace(s public.sources, calendar text)
 RETURNS date
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  open_days constant jsonb := private.open_days(s.tenant_id, calendar) -> 'open_days';
  found_day date := (now() at time zone s.time_zone)::date;
  left_over integer := s.grace_days;
  number integer;
begin
  while left_over > 0 loop
    found_day := found_day - 1;
    number := found_day - date '1970-01-01';
    if open_days is null and extract(isodow from found_day) < 6
      or open_days -> 'opened' @> to_jsonb(number)
      or open_days -> 'weekdays' @> to_jsonb(extract(isodow from found_day)::integer) and not open_days -> 'closed' @> to_jsonb(number) then
      left_over := left_over - 1;
    end if;
  end loop;
  return found_day;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_past_grace(tenant text, reconciliation text, most integer, OUT lines jsonb, OUT held_back bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  with overdue as materialized (
    select o.line_no, o.side, o.open_minor, o.currency, o.value_date, s.name,
      exists (
        select from public.reconciliations c
        where c.tenant_id = tenant and c.pair_no = r.pair_no and c.closed_at < l.created_at and l.value_date between c.period_start and c.period_end
      ) as is_late
    from public.reconciliations r
    join public.pairs p on p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
    join public.sources s on s.tenant_id = r.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
    cross join lateral (
      select private.last_day_of_grace(s, private.policy_of_pair(tenant, r.pair_no) ->> 'calendar_id') as day
    ) due
    join private.open_lines o on o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.value_date <= r.period_end and o.value_date < due.day
      and o.side = case s.source_no when p.left_source_no then 'left' else 'right' end
    cross join lateral (select x.created_at, x.value_date from public.lines x where x.tenant_id = tenant and x.line_no = o.line_no offset 0) l
    where r.tenant_id = tenant and r.id = reconciliation and (
      select e.id from public.exceptions e where e.tenant_id = tenant and e.line_no = o.line_no and e.pair_no = r.pair_no limit 1
    ) is null
  ), chosen as (
    select * from overdue order by abs(open_minor) desc, line_no limit most
  )
  select coalesce(jsonb_agg(to_jsonb(c)), '[]'), (select count(*) from overdue) - count(*) into lines, held_back from chosen c;
end $function$;
grant execute on function private.ask_for_runs_by_calendar(text) to authenticated;
grant execute on function private.open_days(text,text) to authenticated;
grant execute on function private.require_calendar(jsonb) to authenticated;
grant execute on function private.trial_of(jsonb) to authenticated;
