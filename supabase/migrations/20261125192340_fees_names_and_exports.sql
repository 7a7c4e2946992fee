-- Fees of lines become adjustments of their matches; names learnt from decisions can be forgotten; closed exceptions are exported.

alter table public.lines add column fee_minor bigint;
alter table public.lines add constraint lines_check check (
  fee_minor between -9007199254740991 and 9007199254740991 and amount_minor - fee_minor between -9007199254740991 and 9007199254740991);
create index lines_with_fee on public.lines (tenant_id, fee_minor) where fee_minor <> 0;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.keep_matches(text,text,text,integer,uuid[],uuid[],text[],text[],text[],boolean[],real[],real[],text[],bigint[],bigint[],jsonb,bigint[],bigint[],uuid[],bigint[],text[],bigint[]);
drop function private.put_own_rules(text,jsonb,jsonb,boolean,jsonb);
drop function private.engine_line(public.lines,bigint);
delete from private.event_kinds;
delete from private.operations;
delete from private.permissions;
CREATE OR REPLACE FUNCTION private.fee_of_whole(l public.lines, minor bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case
    when l.fee_minor is null or sign(l.amount_minor - l.fee_minor) <> sign(l.amount_minor) then 0
    when minor = l.amount_minor then l.fee_minor when minor = -l.amount_minor then -l.fee_minor else 0
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.stage_lines()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if to_regclass('pg_temp.staged_lines') is not null then
    if exists (select from pg_class c where c.oid = to_regclass('pg_temp.staged_lines') and c.relowner <> current_user::regrole) then
      raise exception 'staged_lines is not ours';
    end if;
    return;
  end if;
  create temporary table staged_lines (
    position integer not null,
    file_line integer,
    external_id text,
    amount_minor bigint not null,
    fee_minor bigint,
    currency text not null,
    value_date date not null,
    booked_date date,
    reference text,
    counterparty text,
    description text,
    group_key text,
    details jsonb,
    key bytea not null generated always as (private.line_key(
      external_id, amount_minor, currency, value_date, booked_date, reference, counterparty, description, group_key, details
    )) stored
  ) on commit delete rows;
  create temporary table repeated_lines (position integer not null, nth integer not null) on commit delete rows;
end $function$;
CREATE OR REPLACE FUNCTION private.insert_of_staged(looks boolean)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return $sql$
    with kept as (
      insert into public.lines as line (
        tenant_id, id, source_no, file_line, import_id, external_id, amount_minor, fee_minor, currency, value_date, booked_date, reference,
        counterparty, description, group_key, details
      )
      select $1, private.line_identity($4, l.key, case when l.external_id is null then coalesce(r.nth, 1) else 0 end), $2, l.file_line, $3,
        l.external_id, l.amount_minor, l.fee_minor, l.currency, l.value_date, l.booked_date, l.reference, l.counterparty, l.description, l.group_key,
        nullif(l.details, '{}')
      from pg_temp.staged_lines l left join pg_temp.repeated_lines r on r.position = l.position
      where l.external_id is null or coalesce(r.nth, 1) = 1
  $sql$ || case when looks then 'on conflict on constraint lines_pkey do nothing' else '' end || $sql$
      returning line.line_no, line.id, line.amount_minor, line.currency, line.value_date
    ), opened as (
      insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor, open_minor, value_date)
      select $1, p.pair_no, k.line_no, case p.left_source_no when $2 then 'left' else 'right' end, k.currency, effective, effective, k.value_date
      from kept k cross join public.pairs p
      cross join lateral (select case $5 when 'inverted' then -k.amount_minor else k.amount_minor end as effective) e
      where p.tenant_id = $1 and $2 in (p.left_source_no, p.right_source_no)
    ), waiting as (
      insert into private.line_spans (tenant_id, source_no, first_line_no, last_line_no)
      select $1, $2, min(k.line_no), max(k.line_no) from kept k having count(*) > 0
    )
    select count(*), case when $3 is null then coalesce(array_agg(k.id), '{}') end from kept k
  $sql$;
end $function$;
CREATE OR REPLACE FUNCTION private.stage_own_lines(lines jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.stage_lines();
  insert into pg_temp.staged_lines (
    position, external_id, amount_minor, fee_minor, currency, value_date, booked_date, reference, counterparty, description, group_key, details
  )
  select l.n - 1, l.line ->> 'external_id', (l.line ->> 'amount_minor')::bigint, (l.line ->> 'fee_minor')::bigint, l.line ->> 'currency', (l.line ->> 'value_date')::date,
    (l.line ->> 'booked_date')::date, l.line ->> 'reference', l.line ->> 'counterparty', l.line ->> 'description', l.line ->> 'group_key',
    nullif(l.line -> 'details', 'null')
  from jsonb_array_elements(lines) with ordinality l (line, n);
end $function$;
CREATE OR REPLACE FUNCTION private.line_json(l public.lines, source_id text, pair_no integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  standing record;
begin
  standing := private.line_standing(l, pair_no);
  return jsonb_build_object(
    'id', private.line_id_text(l.id), 'source_id', source_id, 'import_id', l.import_id, 'file_line', l.file_line,
    'external_id', l.external_id, 'amount_minor', l.amount_minor, 'fee_minor', l.fee_minor, 'currency', l.currency, 'value_date', l.value_date,
    'booked_date', l.booked_date, 'reference', l.reference, 'counterparty', l.counterparty, 'description', l.description,
    'group_key', l.group_key, 'details', coalesce(l.details, '{}'), 'state', standing.state, 'open_minor', standing.open_minor,
    'match_ids', (
      select coalesce(jsonb_agg('mat_' || replace(m.id::text, '-', '') order by m.id), '[]')
      from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
      where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no and m.state = 'confirmed'
        and (line_json.pair_no is null or mm.pair_no = line_json.pair_no)
    ),
    'exception_id', (
      select e.id from (
        select x.exception_id from private.exception_lines x where x.tenant_id = l.tenant_id and x.line_no = l.line_no offset 0
      ) x cross join lateral (
        select y.id from public.exceptions y where y.tenant_id = l.tenant_id and y.id = x.exception_id and y.status in ('open', 'in_review') offset 0
      ) e
      order by e.id desc limit 1
    ),
    'created_at', private.iso(l.created_at)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.default_policy()
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN '{"fees": "deduct", "automatic": "earned", "four_eyes": false, "exceptions": {"most_a_run": 1000, "severities": [{"severity": "low", "from_minor": 0}, {"severity": "medium", "from_minor": 100000}, {"severity": "high", "from_minor": 1000000}, {"severity": "critical", "from_minor": 10000000}], "assigned_to": null}, "calendar_id": null}'::jsonb;
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
  explained jsonb := coalesce(match_own_lines.adjustments, '[]');
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
    sum(greatest(l.open_minor, 0)) as positive_minor, sum(case l.side when 'left' then 1 else -1 end * private.fee_of_whole(x, l.open_minor)) as fees
  into asked from private.lines_of_pair(r.pair_no, match_own_lines.line_ids) l join public.lines x on x.tenant_id = tenant and x.line_no = l.line_no;
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
  elsif difference <> 0 and difference = asked.fees then
    explained := explained || jsonb_build_object('kind', 'fee', 'amount_minor', asked.fees, 'note', null);
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
    'manual', asked.currency, amount, explained, match_own_lines.note, private.actor(), now())
  returning * into made;
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, made.id, r.pair_no, l.line_no, l.side, case when l.line_no = split_no then split_minor else l.open_minor end
  from private.lines_of_pair(r.pair_no, match_own_lines.line_ids) l;
  perform private.confirm_matches(tenant, r.pair_no, array[made.id], private.actor());
  perform private.remember_act('match', array[made.id]);
  perform private.record_hand_match(made);
  return made;
end $function$;
CREATE OR REPLACE FUNCTION private.engine_line(l public.lines, open_minor bigint, policy jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('id', private.line_id_text(l.id), 'handle', l.line_no,
    'amount_minor', open_minor - case policy ->> 'fees' when 'deduct' then private.fee_of_whole(l, open_minor) else 0 end,
    'currency', l.currency, 'value_date', l.value_date - date '1970-01-01', 'booked_date', l.booked_date - date '1970-01-01',
    'reference', l.reference, 'counterparty', l.counterparty, 'description', l.description, 'group_key', l.group_key);
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
  policy jsonb;
begin
  perform private.enter(request, 'list_line_suggestions');
  r := private.find_period(private.open_period_of_line(input ->> 'id', input ->> 'reconciliation_id'));
  select * into l from public.lines x where x.tenant_id = r.tenant_id and x.id = private.line_id(input ->> 'id');
  select * into o from private.open_lines x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.line_no = l.line_no;
  select * into p from public.pairs x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no;
  policy := private.policy_of_pair(r.tenant_id, r.pair_no);
  return jsonb_build_object(
    'reconciliation_id', r.id, 'side', o.side, 'weights', p.weights,
    'open_days', private.open_days(r.tenant_id, policy ->> 'calendar_id') -> 'open_days',
    'line', case when o.line_no is not null then private.engine_line(l, o.open_minor, policy) end,
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
      select coalesce(jsonb_agg(private.engine_line(c, n.open_minor, policy) order by n.line_no), '[]')
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
CREATE OR REPLACE FUNCTION private.open_line_json(l public.lines, side text, amount_minor bigint, open_minor bigint, r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', private.line_id_text(l.id), 'side', side, 'currency', l.currency, 'amount_minor', amount_minor, 'open_minor', open_minor,
    'fee_minor', nullif(private.fee_of_whole(l, open_minor), 0), 'value_date', l.value_date, 'booked_date', l.booked_date,
    'reference', l.reference, 'counterparty', l.counterparty, 'description', l.description, 'group_key', l.group_key, 'external_id', l.external_id,
    'suggestion', (
      select jsonb_build_object('match_id', private.match_id_text(m.id), 'score', m.score, 'shape', m.shape)
      from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
      where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no and mm.pair_no = r.pair_no and m.state = 'suggested' and m.reconciliation_id = r.id
      order by m.score desc nulls last, m.id limit 1
    ),
    'exception_id', (
      select e.id from (
        select x.exception_id from private.exception_lines x
        where x.tenant_id = l.tenant_id and x.line_no = l.line_no and x.pair_no = r.pair_no offset 0
      ) x cross join lateral (
        select y.id from public.exceptions y where y.tenant_id = l.tenant_id and y.id = x.exception_id and y.status in ('open', 'in_review') offset 0
      ) e
      limit 1
    )
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
    || case when input ? 'calendar_id' then jsonb_build_object('calendar_id', input -> 'calendar_id') else '{}' end
    || case when input ? 'fees' then jsonb_build_object('fees', input -> 'fees') else '{}' end;
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
CREATE OR REPLACE FUNCTION private.keep_matches(tenant text, reconciliation text, run text, attempt integer, gone uuid[], ids uuid[], states text[], shapes text[], methods text[], settled boolean[], scores real[], margins real[], currencies text[], amounts bigint[], residuals bigint[], explanations jsonb, highs bigint[], lows bigint[], member_ids uuid[], member_lines bigint[], member_sides text[], member_amounts bigint[], adjustments jsonb DEFAULT '{}'::jsonb)
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
  if cardinality(member_ids) = 0 then
    update public.matches m set run_id = run, method = s.method, settled = s.settled, score = s.score, margin = s.margin, residual_minor = s.residual,
      adjustments = coalesce(keep_matches.adjustments -> s.id::text, '[]'), explanation = explanations -> s.id::text, hash_high = s.high, hash_low = s.low
    from unnest(ids, states, methods, keep_matches.settled, scores, margins, residuals, highs, lows)
      as s (id, state, method, settled, score, margin, residual, high, low)
    where m.tenant_id = tenant and m.id = s.id and m.decided_by is null and m.state = s.state;
    return 0;
  end if;
  select coalesce(array_agg(distinct member_ids[o.n]), '{}') into lost
  from private.find_open(tenant, r.pair_no, member_lines, member_amounts) o
  where o.place is null or o.minor not between least(o.open_minor, 0) and greatest(o.open_minor, 0);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, run_id, state, shape, method, settled, score, margin, currency,
    amount_minor, residual_minor, adjustments, explanation, hash_high, hash_low, created_by)
  select tenant, s.id, r.pair_no, r.id, run, s.state, s.shape, s.method, s.settled, s.score, s.margin, s.currency, s.amount, s.residual,
    coalesce(keep_matches.adjustments -> s.id::text, '[]'), explanations -> s.id::text, s.high, s.low, 'system'
  from unnest(ids, states, shapes, methods, settled, scores, margins, currencies, amounts, residuals, highs, lows)
    as s (id, state, shape, method, settled, score, margin, currency, amount, residual, high, low)
  where cardinality(lost) = 0 or s.id <> all (lost);
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
CREATE OR REPLACE FUNCTION private.without_names(weights jsonb, names jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when weights ? 'names' then jsonb_set(weights, '{names}', (
    select coalesce(jsonb_agg(n.name order by n.place), '[]') from jsonb_array_elements(weights -> 'names') with ordinality n (name, place)
    where not names @> jsonb_build_array(n.name - 'confirmed')
  )) else weights end;
end $function$;
CREATE OR REPLACE FUNCTION private.put_own_rules(period text, rules jsonb, policy jsonb, forget boolean, names jsonb, versions jsonb)
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
  update public.pairs x set rules_version = p.rules_version + 1, weights = case when not forget then private.without_names(x.weights, names) end
  where x.tenant_id = tenant and x.pair_no = p.pair_no
  returning * into p;
  if forget then
    delete from private.decisions d where d.tenant_id = tenant and d.pair_no = p.pair_no;
  end if;
  perform private.record_security_event('matching.rules_updated', period, null,
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
    select jsonb_object_agg(k, input -> k) from unnest('{automatic,fees,four_eyes,calendar_id,exceptions}'::text[]) k where input ? k), '{}');
begin
  perform private.enter(request, 'put_rules');
  r := private.find_period(input ->> 'id');
  if dry_run then
    select * into p from public.pairs x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no;
    return private.rules_json(p) || policy || jsonb_build_object('rules', input -> 'rules', 'dry_run', true,
      'run_id', (private.ask_for_own_run(r.id, private.trial_of(input))).id);
  end if;
  perform private.require_calendar(input);
  p := private.put_own_rules(r.id, input -> 'rules', policy, coalesce((input ->> 'reset_learning')::boolean, false),
    coalesce(input -> 'forget_names', '[]'), request -> 'versions');
  return private.rules_json(p) || jsonb_build_object('dry_run', false, 'run_id', null);
end $function$;
CREATE OR REPLACE FUNCTION private.decisions_to_learn(tenant text, pair integer, most integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'confirmed', d.confirmed, 'score', d.score, 'left', x.left_line, 'right', x.right_line)
      order by d.id), '[]')
    from (
      select * from private.decisions y where y.tenant_id = tenant and y.pair_no = pair order by y.id limit most
    ) d
    cross join lateral (
      select min(v.line::text) filter (where v.side = 'left')::jsonb as left_line, min(v.line::text) filter (where v.side = 'right')::jsonb as right_line
      from (
        select mm.side, jsonb_build_object(
          'amount_minor', mm.allocated_minor - case when m.adjustments @> '[{"kind": "fee"}]' then private.fee_of_whole(l, mm.allocated_minor) else 0 end,
          'currency', l.currency, 'value_date', l.value_date - date '1970-01-01', 'reference', l.reference,
          'counterparty', l.counterparty, 'description', l.description, 'group_key', l.group_key) as line
        from public.match_members mm join public.lines l on l.tenant_id = mm.tenant_id and l.line_no = mm.line_no
        join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
        where mm.tenant_id = tenant and mm.match_id = d.match_id
      ) v
    ) x
  );
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
  perform from public.pairs p where p.tenant_id = tenant and p.pair_no = pair for no key update;
  if exists (
    select from public.runs x join public.pairs p on p.tenant_id = x.tenant_id and p.pair_no = x.pair_no
    where x.tenant_id = tenant and x.id = run and x.rules_version <> p.rules_version
  ) then
    return;
  end if;
  delete from private.decisions d where d.tenant_id = tenant and d.pair_no = pair and d.id <= up_to;
  get diagnostics taken = row_count;
  if taken > 0 then
    update public.pairs p set weights = keep_weights.weights where p.tenant_id = tenant and p.pair_no = pair;
  end if;
  perform private.require_attempt(tenant, run, attempt);
end $function$;
CREATE OR REPLACE FUNCTION private.unbalanced_matches(tenant text, reconciliation text, run text)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  return array(
    with made as materialized (
      select m.id, m.residual_minor + case m.adjustments when '[]' then 0 else (
        select coalesce(sum((a ->> 'amount_minor')::bigint), 0) from jsonb_array_elements(m.adjustments) a
      ) end as left_over from public.matches m
      where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.run_id = run and m.state in ('confirmed', 'suggested')
    )
    select m.id from made m join private.members_of(tenant, array(select x.id from made x)) mm on mm.match_id = m.id
    group by m.id, m.left_over
    having sum(case mm.side when 'left' then mm.allocated_minor else -mm.allocated_minor end) <> m.left_over
    limit 100
  );
end $function$;
CREATE OR REPLACE FUNCTION private.subjects_of_exceptions(r public.reconciliations, suggestions uuid[], line_nos bigint[])
 RETURNS TABLE(n bigint, subject jsonb)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  return query
  with asked as materialized (
    select a.n, a.suggestion, a.line_no from unnest(suggestions, line_nos) with ordinality a (suggestion, line_no, n)
  ), about as materialized (
    select a.n, m.line_no from asked a join private.members_of(r.tenant_id, suggestions) m on m.match_id = a.suggestion
    union
    select a.n, a.line_no from asked a where a.line_no is not null
  ), open_ones as materialized (
    select x.line_no, x.side, x.currency, x.open_minor, x.value_date from private.open_lines x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.line_no = any (array(select y.line_no from about y)) order by x.line_no
  ), closed as materialized (
    select c.id, c.period_start, c.period_end from public.reconciliations c
    where c.tenant_id = r.tenant_id and c.pair_no = r.pair_no and c.closed_at is not null
  ), late as materialized (
    -- What was there when a period closed was carried. Times of transactions don't say which came first.
    select distinct o.line_no from open_ones o join closed c on o.value_date between c.period_start and c.period_end
    where (
      select k.line_no from public.carried_lines k where k.tenant_id = r.tenant_id and k.reconciliation_id = c.id and k.line_no = o.line_no
    ) is null
  ), explained as materialized (
    select m.id, (select sum((x.adjustment ->> 'amount_minor')::bigint) from jsonb_array_elements(m.adjustments) x (adjustment)) as minor
    from (select x.id, x.adjustments from public.matches x where x.tenant_id = r.tenant_id and x.id = any (suggestions) order by x.id) m
    where m.adjustments <> '[]'
  )
  select a.n, jsonb_build_object('match_id', q.suggestion, 'currency', min(o.currency),
    'difference_minor', greatest(-9007199254740991, least(9007199254740991,
      sum(case o.side when 'left' then o.open_minor else -o.open_minor end) - coalesce(d.minor, 0))),
    'is_late', bool_or(t.line_no is not null),
    'lines', jsonb_agg(jsonb_build_object('line_no', o.line_no, 'id', private.line_id_text(l.id), 'side', o.side, 'source', s.name,
      'open_minor', o.open_minor, 'value_date', o.value_date, 'reference', coalesce(l.reference, l.external_id, l.counterparty),
      'is_free', e.line_no is null) order by o.side, abs(o.open_minor) desc, o.line_no))
  from about a
  join asked q on q.n = a.n
  join open_ones o on o.line_no = a.line_no
  join (
    select * from public.lines x where x.tenant_id = r.tenant_id and x.line_no = any (array(select y.line_no from open_ones y)) order by x.line_no
  ) l on l.line_no = a.line_no
  join public.sources s on s.tenant_id = r.tenant_id and s.source_no = l.source_no
  left join late t on t.line_no = a.line_no
  left join (
    select x.line_no from private.exception_lines x
    where x.tenant_id = r.tenant_id and x.line_no = any (array(select y.line_no from open_ones y)) and x.pair_no = r.pair_no order by x.line_no
  ) e on e.line_no = a.line_no
  left join explained d on d.id = q.suggestion
  group by a.n, q.suggestion, d.minor;
end $function$;
grant execute on function private.engine_line(public.lines,bigint,jsonb) to authenticated;
grant execute on function private.fee_of_whole(public.lines,bigint) to authenticated;
grant execute on function private.fee_of_whole(public.lines,bigint) to service_role;
grant execute on function private.keep_matches(text,text,text,integer,uuid[],uuid[],text[],text[],text[],boolean[],real[],real[],text[],bigint[],bigint[],jsonb,bigint[],bigint[],uuid[],bigint[],text[],bigint[],jsonb) to service_role;
grant execute on function private.put_own_rules(text,jsonb,jsonb,boolean,jsonb,jsonb) to authenticated;
grant execute on function private.without_names(jsonb,jsonb) to authenticated;
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
  ('(list_exceptions,exportExceptions,read:exceptions)'),
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
