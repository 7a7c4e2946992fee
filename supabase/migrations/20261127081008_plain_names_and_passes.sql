alter table private.quotas rename column most to maximum;
alter table private.quotas rename constraint quotas_most_check to quotas_maximum_check;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.entries_to_push(text,text,text,integer,integer);
drop function private.pin_host_key(public.connections,text);
drop function private.check_host_key(text,text,text,text);
CREATE OR REPLACE FUNCTION private.quota_of(tenant_id text, kind text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return least((select q.maximum from private.quotas q where q.kind = $2),
    case when private.is_sandbox($1) then
      case kind when 'lines' then 50000 when 'exceptions' then 5000 when 'records' then 5000
        when 'evidence_mib' then 100 else 50 end
    end);
end $function$;
CREATE OR REPLACE FUNCTION private.sides_to_open(pair public.pairs)
 RETURNS TABLE(source_no integer, name text, factor integer, after_date date, after_no bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select s.source_no, case s.source_no when pair.left_source_no then 'left' else 'right' end,
    case s.sign when 'inverted' then -1 else 1 end,
    case s.source_no
      when (pair.opening ->> 'source_no')::integer then (pair.opening ->> 'value_date')::date
      else '-infinity' end,
    coalesce((pair.opening ->> 'line_no')::bigint, 0)
  from public.sources s
  where s.tenant_id = pair.tenant_id
    and s.source_no in (pair.left_source_no, pair.right_source_no)
    and s.source_no >= coalesce((pair.opening ->> 'source_no')::integer, 0)
  order by s.source_no;
end $function$;
CREATE OR REPLACE FUNCTION private.open_earlier_lines(pair public.pairs, most integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  side record;
  opened record;
begin
  if pair.opening is null then
    return true;
  end if;
  for side in select * from private.sides_to_open(pair) loop
    with next as materialized (
      select l.source_no, l.value_date, l.line_no, l.currency,
        side.factor * l.amount_minor as effective
      from public.lines l
      where l.tenant_id = pair.tenant_id and l.source_no = side.source_no
        and (l.value_date, l.line_no) > (side.after_date, side.after_no)
      order by l.value_date, l.line_no limit most
    ), written as (
      insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor,
        open_minor, value_date)
      select pair.tenant_id, pair.pair_no, n.line_no, side.name, n.currency, n.effective,
        n.effective, n.value_date
      from next n
      -- The line arrived after the pair was created.
      on conflict do nothing
    )
    select (select count(*) from next) as lines, (
      select jsonb_build_object('source_no', n.source_no, 'value_date', n.value_date, 'line_no',
        n.line_no)
      from next n order by n.value_date desc, n.line_no desc limit 1
    ) as up_to
    into opened;
    if opened.lines = most then
      update public.pairs p
      set opening = opened.up_to
      where p.tenant_id = pair.tenant_id and p.pair_no = pair.pair_no;
      return false;
    end if;
  end loop;
  update public.pairs p
  set opening = null
  where p.tenant_id = pair.tenant_id and p.pair_no = pair.pair_no;
  return true;
end $function$;
CREATE OR REPLACE FUNCTION private.match_ids(ids jsonb)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  found_ids uuid[];
  missing jsonb;
begin
  select array_agg(private.match_id(i.id) order by i.n),
    jsonb_agg(
      jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such match.')
      order by i.n)
      filter (where private.match_id(i.id) is null)
  into found_ids, missing
  from jsonb_array_elements_text(ids) with ordinality as i (id, n);
  if missing is not null then
    perform private.refuse('not_found', 'There is no such match.', missing);
  end if;
  return found_ids;
end $function$;
CREATE OR REPLACE FUNCTION private.matches_to_decide(action text, filter jsonb, expected integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  found_ids uuid[];
begin
  perform private.find_period(filter ->> 'reconciliation_id');
  select coalesce(array_agg(m.id order by m.id), '{}') into found_ids
  from (
    select x.id from public.matches x
    where x.tenant_id = tenant and x.reconciliation_id = filter ->> 'reconciliation_id'
      and x.state = case action when 'undo' then 'confirmed' else 'suggested' end
      and (filter ->> 'method' is null or x.method = filter ->> 'method')
      and (filter ->> 'shape' is null or x.shape = filter ->> 'shape')
      and (filter ->> 'run_id' is null or x.run_id = filter ->> 'run_id')
      and (filter ->> 'score_from' is null or x.score >= private.score(filter ->> 'score_from'))
      and (filter ->> 'score_below' is null or x.score < private.score(filter ->> 'score_below'))
    order by x.id limit 5001
  ) m;
  if cardinality(found_ids) > 5000 then
    perform private.refuse_field('filter',
      'The filter finds more than 5,000 matches. Narrow it.');
  elsif cardinality(found_ids) <> expected then
    perform private.refuse_conflict('count_changed',
      format('The filter finds %s matches, not %s. Look at them again. Nothing was changed.',
        cardinality(found_ids), expected));
  end if;
  return found_ids;
end $function$;
CREATE OR REPLACE FUNCTION public.decide_matches(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'decide_matches');
  tenant constant text := private.tenant_id();
  action constant text := input ->> 'action';
  filter constant jsonb := nullif(input -> 'filter', 'null');
  found_ids uuid[];
begin
  if replayed is not null then
    return replayed;
  end if;
  if action = 'undo' and not private.may('write:reconciliations') then
    perform private.refuse('role_required',
      'This credential may confirm and reject suggestions, and not undo matches.');
  end if;
  found_ids := case when filter is null then private.match_ids(input -> 'ids')
    else private.matches_to_decide(action, filter, (input ->> 'expected_count')::integer) end;
  return private.finish_request(request, (
    select jsonb_build_object('count', count(*), 'items',
      coalesce(
        jsonb_agg(private.match_json(m) order by d.ordinality) filter (where d.ordinality <= 500),
        '[]'))
    from private.change_matches(action, found_ids, filter is null) with ordinality d
    join public.matches m on m.tenant_id = d.tenant_id and m.id = d.id
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.match_filters(input jsonb, behind uuid, of_line text, is_changed boolean, is_closed boolean)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  by_line constant text := 'exists (
    select from public.match_members mm
    cross join lateral (
      select * from public.lines x where x.tenant_id = $1 and x.line_no = mm.line_no offset 0
    ) l
    where mm.tenant_id = $1 and mm.match_id = m.id and ';
begin
  return concat_ws(' and ', 'm.tenant_id = $1 and m.reconciliation_id = $2',
    case when behind is not null then 'm.id < $3' end,
    case when is_changed then 'm.id = any ($7)'
      when input ->> 'updated_since' is not null then $c$(
        m.created_at >= ($4 ->> 'updated_since')::timestamptz
        or m.decided_at >= ($4 ->> 'updated_since')::timestamptz)$c$
    end,
    case when input ->> 'state' is not null then format('m.state = %L', input ->> 'state') end,
    -- Suggestions that wait for the next period do not belong to a closed one.
    case when is_closed then $c$m.state <> 'suggested'$c$ end,
    case when input ->> 'method' is not null then $c$m.method = $4 ->> 'method'$c$ end,
    case when input ->> 'shape' is not null then $c$m.shape = $4 ->> 'shape'$c$ end,
    case when input ->> 'run_id' is not null then $c$m.run_id = $4 ->> 'run_id'$c$ end,
    case when input ->> 'amount_from' is not null then
      $c$m.amount_minor >= ($4 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then
      $c$m.amount_minor <= ($4 ->> 'amount_to')::bigint$c$ end,
    by_line || of_line || ' offset 0)');
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
  of_line constant text := private.requested_line(input);
  r public.reconciliations;
  few bigint[];
  changed uuid[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_matches');
  r := private.find_period(input ->> 'id');
  if of_line is not null then
    few := private.narrow_by_filters(r, input, 5000);
  end if;
  if input ->> 'updated_since' is not null then
    changed := private.matches_since(r, (input ->> 'updated_since')::timestamptz);
  end if;
  execute format('select jsonb_agg(private.match_json(x) order by x.id desc) from (
      select m.* from %s where %s order by m.id desc limit $6
    ) x',
    case when few is null then 'public.matches m' else '(
      select distinct mm.match_id from public.match_members mm
      where mm.tenant_id = $1 and mm.line_no = any ($5)
    ) f cross join lateral (
      select * from public.matches y where y.tenant_id = $1 and y.id = f.match_id offset 0
    ) m' end,
    private.match_filters(input, behind, of_line, changed is not null, r.closed_at is not null))
  into items using tenant, r.id, behind, input, few, page_size + 1, changed;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.shape_of(lefts bigint, rights bigint)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when lefts = 0 or rights = 0 then 'reversal'
    when lefts = 1 and rights = 1 then '1:1'
    when lefts = 1 then '1:n'
    when rights = 1 then 'n:1'
    else 'n:m' end;
end $function$;
CREATE OR REPLACE FUNCTION private.sum_of_adjustments(adjustments jsonb)
 RETURNS numeric
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(sum((a ->> 'amount_minor')::bigint), 0)
    from jsonb_array_elements(adjustments) a
  );
end $function$;
CREATE OR REPLACE FUNCTION private.explain_difference(adjustments jsonb, left_minor numeric, right_minor numeric, fees numeric, currency text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  difference constant bigint := left_minor - right_minor - private.sum_of_adjustments(adjustments);
begin
  if difference = 0 then
    return adjustments;
  elsif difference = fees then
    return adjustments || jsonb_build_object('kind', 'fee', 'amount_minor', fees, 'note', null);
  end if;
  perform private.refuse_field('adjustments', format(
    'Left is %s and right is %s in minor units of %s: %s is not explained. Add adjustments of %s, '
      'or choose other lines.',
    left_minor, right_minor, currency, difference, difference));
end $function$;
CREATE OR REPLACE FUNCTION private.match_by_hand(period text, line_ids jsonb, adjustments jsonb, note text, split text)
 RETURNS public.matches
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  asked record;
  split_no bigint;
  split_side text;
  split_minor bigint;
  made public.matches;
  difference bigint;
  explained jsonb := coalesce(match_by_hand.adjustments, '[]');
  is_reversal boolean;
  -- What the match takes of each side.
  left_taken numeric;
  right_taken numeric;
  amount numeric;
begin
  r := private.lock_period(tenant, period);
  perform private.require_open_in_period(r, match_by_hand.line_ids);
  asked := private.sums_of_lines(r, match_by_hand.line_ids);
  is_reversal := asked.lefts = 0 or asked.rights = 0;
  if split is not null and is_reversal then
    perform private.refuse_field('split_line_id',
      'Only a match of both sides can leave part of a line open.');
  end if;
  if split is null then
    explained := private.explain_difference(explained, asked.left_minor, asked.right_minor,
      asked.fees, asked.currency);
  else
    difference := asked.left_minor - asked.right_minor - private.sum_of_adjustments(explained);
    select s.line_no, s.side, s.taken_minor into split_no, split_side, split_minor
    from private.split_of_match(r, match_by_hand.line_ids, split, difference, asked.currency) s;
  end if;
  left_taken := asked.left_minor - case split_side when 'left' then difference else 0 end;
  right_taken := asked.right_minor + case split_side when 'right' then difference else 0 end;
  amount := case when is_reversal then asked.positive_minor else left_taken end;
  if greatest(abs(left_taken), abs(right_taken), abs(amount)) > 9007199254740991 then
    perform private.refuse_field('line_ids',
      'These lines come to more than 9007199254740991 in minor units. Match fewer of them at a time.');
  end if;
  perform private.require_adjustable(r, match_by_hand.adjustments,
    greatest(abs(left_taken), abs(right_taken), amount), asked.currency);
  insert into public.matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method,
    currency, amount_minor, adjustments, note, decided_by, decided_at)
  values (tenant, private.new_uuid(), r.pair_no, r.id, 'confirmed',
    private.shape_of(asked.lefts, asked.rights), 'manual', asked.currency, amount, explained,
    match_by_hand.note, private.actor(), now())
  returning * into made;
  insert into public.match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
  select tenant, made.id, r.pair_no, l.line_no, l.side,
    case when l.line_no = split_no then split_minor else l.open_minor end
  from private.lines_of_pair(r.pair_no, match_by_hand.line_ids) l;
  perform private.confirm_matches(tenant, r.pair_no, array[made.id], private.actor());
  perform private.record_act('match', array[made.id]);
  perform private.record_hand_match(made);
  return made;
end $function$;
CREATE OR REPLACE FUNCTION private.suggestion_candidates(r public.reconciliations, o private.open_lines, policy jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with others as materialized (
      select * from private.open_lines x
      where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.side <> o.side
        and x.currency = o.currency and x.value_date <= r.period_end
    ), near as (
      (select x.line_no, x.open_minor from others x
        order by abs(x.open_minor - o.open_minor), x.line_no limit 200)
      union
      (select x.line_no, x.open_minor from others x
        order by abs(x.value_date - o.value_date), x.line_no limit 200)
    )
    select coalesce(jsonb_agg(private.engine_line(c, n.open_minor, policy) order by n.line_no),
      '[]')
    from near n join public.lines c on c.tenant_id = r.tenant_id and c.line_no = n.line_no
  );
end $function$;
CREATE OR REPLACE FUNCTION private.rejected_matches_of_line(r public.reconciliations, line_no bigint)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('left', x.lefts, 'right', x.rights)), '[]')
    from (
      select coalesce(jsonb_agg(private.line_id_text(ml.id)) filter (where other.side = 'left'),
        '[]') as lefts,
        coalesce(jsonb_agg(private.line_id_text(ml.id)) filter (where other.side = 'right'),
          '[]') as rights
      from public.match_members mine
      join public.matches m on m.tenant_id = mine.tenant_id and m.id = mine.match_id
        and m.decided_by is not null and m.state in ('rejected', 'undone')
      join public.match_members other on other.tenant_id = m.tenant_id and other.match_id = m.id
      join public.lines ml on ml.tenant_id = other.tenant_id and ml.line_no = other.line_no
      where mine.tenant_id = r.tenant_id and mine.line_no = rejected_matches_of_line.line_no
        and mine.pair_no = r.pair_no
      group by m.id
    ) x
  );
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
  perform private.begin_request(request, 'list_line_suggestions');
  r := private.find_period(
    private.open_period_of_line(input ->> 'id', input ->> 'reconciliation_id'));
  select * into l
  from public.lines x
  where x.tenant_id = r.tenant_id and x.id = private.line_id(input ->> 'id');
  select * into o
  from private.open_lines x
  where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.line_no = l.line_no;
  select * into p from public.pairs x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no;
  policy := private.policy_of_pair(r.tenant_id, r.pair_no);
  return jsonb_build_object(
    'reconciliation_id', r.id, 'side', o.side, 'weights', p.weights,
    'open_days', private.open_days(r.tenant_id, policy ->> 'calendar_id') -> 'open_days',
    'line', case when o.line_no is not null then private.engine_line(l, o.open_minor, policy) end,
    'rules',
    (select x.rules from public.pair_rules x
      where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.version = p.rules_version),
    'candidates', private.suggestion_candidates(r, o, policy),
    'rejected', private.rejected_matches_of_line(r, l.line_no)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.lines_up_to_end(r public.reconciliations)
 RETURNS TABLE(currency text, side text, line_count bigint, minor numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with sides as materialized (
    select s.source_no, case s.source_no when p.left_source_no then 'left' else 'right' end as side,
      case s.sign when 'inverted' then -1 else 1 end as factor
    from public.pairs p
      join public.sources s on s.tenant_id = p.tenant_id
        and s.source_no in (p.left_source_no, p.right_source_no)
    where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  )
  select l.currency, s.side, count(*), sum(s.factor * l.amount_minor)
  from sides s
    join public.lines l on l.tenant_id = r.tenant_id and l.source_no = s.source_no
      and l.value_date <= r.period_end
  group by 1, 2;
end $function$;
CREATE OR REPLACE FUNCTION private.settled_around(r public.reconciliations)
 RETURNS TABLE(currency text, side text, earlier numeric, matched numeric, excluded numeric, later numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with of_pair as materialized (
    select x.id,
      case when x.id = r.id then 0 when x.period_end < r.period_start then -1 else 1 end as place
    from public.reconciliations x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no
  ), confirmed as (
    select m.currency, o.place, array_agg(m.id) as ids
    from of_pair o
      join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = o.id
        and m.state = 'confirmed'
    group by 1, 2
  ), settled as (
    -- What later periods settled, only of lines that this period covers.
    select c.currency, mm.side, c.place, sum(mm.allocated_minor) as matched, 0 as excluded
    from confirmed c
      cross join lateral private.members_of(r.tenant_id, c.ids,
        case when c.place = 1 then r.period_end end) mm
    group by 1, 2, 3
    union all
    select x.currency, x.side, o.place, 0, sum(x.excluded_minor)
    from of_pair o
      join public.exclusions x on x.tenant_id = r.tenant_id and x.reconciliation_id = o.id
      join public.lines l on l.tenant_id = x.tenant_id and l.line_no = x.line_no
        and l.value_date <= r.period_end
    group by 1, 2, 3
  )
  select s.currency, s.side,
    coalesce(sum(s.matched + s.excluded) filter (where s.place = -1), 0),
    coalesce(sum(s.matched) filter (where s.place = 0), 0),
    coalesce(sum(s.excluded) filter (where s.place = 0), 0),
    coalesce(sum(s.matched + s.excluded) filter (where s.place = 1), 0)
  from settled s
  group by 1, 2;
end $function$;
CREATE OR REPLACE FUNCTION private.explained_in_period(r public.reconciliations)
 RETURNS TABLE(currency text, adjustments numeric, residual numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select m.currency, sum(coalesce(a.minor, 0)), sum(m.residual_minor)
  from public.matches m
  left join lateral (select sum((e ->> 'amount_minor')::bigint) as minor
    from jsonb_array_elements(m.adjustments) e) a
    on m.adjustments <> '[]'
  where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed'
    and (m.residual_minor <> 0 or m.adjustments <> '[]')
  group by 1;
end $function$;
CREATE OR REPLACE FUNCTION private.proof_rows(r public.reconciliations)
 RETURNS TABLE(currency text, side text, line_count bigint, lines numeric, matched numeric, excluded numeric, open numeric, adjustments numeric, residual numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with came as materialized (
    select * from private.lines_up_to_end(r)
  ), settled as materialized (
    select * from private.settled_around(r)
  ), still_open as materialized (
    select o.currency, o.side, sum(o.open_minor) as minor from private.open_lines o
    where o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.value_date <= r.period_end
    group by 1, 2
  ), explained as materialized (
    select e.currency, e.residual, e.adjustments from private.explained_in_period(r) e
  ), rows as (
    select x.currency, s.side, case s.side when 'left' then 1 else -1 end as sign
    from (
      select c.currency from came c
      union select s.currency from settled s
      union select o.currency from still_open o
      union select e.currency from explained e
    ) x cross join (values ('left'), ('right')) s (side)
  )
  select w.currency, w.side, coalesce(c.line_count, 0),
    coalesce(c.minor, 0) - coalesce(s.earlier, 0), coalesce(s.matched, 0), coalesce(s.excluded, 0),
    coalesce(o.minor, 0) + coalesce(s.later, 0),
    greatest(w.sign * coalesce(e.adjustments, 0), 0), greatest(w.sign * coalesce(e.residual, 0), 0)
  from rows w
    left join came c on c.currency = w.currency and c.side = w.side
    left join settled s on s.currency = w.currency and s.side = w.side
    left join still_open o on o.currency = w.currency and o.side = w.side
    left join explained e on e.currency = w.currency
  order by w.currency, w.side;
end $function$;
CREATE OR REPLACE FUNCTION public.review_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'review_reconciliation');
  r public.reconciliations;
  sign_off jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  r := private.lock_period(private.tenant_id(), input ->> 'id');
  sign_off := private.sign_off_json(r);
  if sign_off ->> 'state' = 'open' then
    perform private.refuse_conflict('not_prepared',
      'The period is not prepared. Prepare it first.');
  elsif jsonb_array_length(sign_off -> 'signatures') > greatest((sign_off ->> 'levels')::integer, 1)
  then
    perform private.refuse_conflict('already_reviewed',
      'The period is reviewed by as many as its policy asks for. Close it now.');
  elsif exists (
    select from jsonb_array_elements(sign_off -> 'signatures') s
    where s ->> 'issuer' = private.actor_issuer() and s ->> 'subject' = private.actor_subject()
  ) then
    perform private.refuse_conflict('second_person_required',
      'You have signed this period already. Ask someone else to review it.');
  elsif private.requires_second_person(r) and private.worked_in_period(r) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, worked in this period. Someone who did not has to review it.');
  end if;
  perform private.require_no_run(r);
  perform private.sign_period(r, 'reviewed', jsonb_array_length(sign_off -> 'signatures'),
    input ->> 'note');
  perform private.emit(r.tenant_id, 'reconciliation.reviewed',
    jsonb_build_object('reconciliation', private.reconciliation_json(r)));
  return private.finish_request(request, private.reconciliation_json(r)
    || jsonb_build_object('version', private.reconciliation_version(r)));
end $function$;
CREATE OR REPLACE FUNCTION private.checks_of_people(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_array(
    private.check_json('second_person',
      not (private.requires_second_person(r) and private.worked_in_period(r)), 'block', null,
      case when not private.requires_second_person(r) then 'The policy asks for no second person.'
        when private.worked_in_period(r) then 'You worked in this period. Someone else closes it.'
        else 'You did not work in this period.' end),
    (
      select private.check_json('signatures',
        s.levels = 0 or s.reviews >= s.levels, 'block', s.reviews,
        case when s.levels = 0 then 'The policy asks for no review.'
          when s.state = 'open' then 'The period is not prepared.'
          else format('%s of %s signed.', s.reviews,
            private.counted(s.levels, 'review is', 'reviews are')) end)
      from (
        select (o ->> 'levels')::integer as levels, o ->> 'state' as state,
          (select count(*) from jsonb_array_elements(o -> 'signatures') x
            where x ->> 'kind' = 'reviewed') as reviews
        from private.sign_off_json(r) o
      ) s
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.require_signatures(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  sign_off constant jsonb := private.sign_off_json(r);
begin
  if (sign_off ->> 'levels')::integer = 0 or sign_off ->> 'state' = 'reviewed' then
    return;
  elsif sign_off ->> 'state' = 'open' then
    perform private.refuse_conflict('signatures_missing', coalesce(
      format('The signatures were revoked: %s ', sign_off #>> '{revoked,reason}'), '')
      || 'The period has to be prepared and reviewed before it closes.');
  end if;
  perform private.refuse_conflict('signatures_missing', format(
    'The period needs %s reviews before it closes, and has %s. Ask someone else to review it.',
    sign_off ->> 'levels', jsonb_array_length(sign_off -> 'signatures') - 1));
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
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_end < r.period_start
      and x.closed_at is null and x.status <> 'archived'
  ) then
    perform private.refuse_conflict('earlier_period_open',
      'An earlier period of these sources is open. Close that one first.');
  elsif private.run_is_under_way(r) then
    perform private.refuse_conflict('run_under_way',
      'A run of this period is under way. Close it when the run is done.');
  elsif exists (
    select from public.pairs p join public.imports i
      on i.tenant_id = p.tenant_id and i.source_no in (p.left_source_no, p.right_source_no)
        and i.status = 'undoing'
    where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  ) then
    perform private.refuse_conflict('lines_changing',
      'An import of its sources is being undone. Close it when that is done.');
  end if;
  perform private.require_signatures(r);
  perform private.require_checks(r);
  if private.requires_second_person(r) and private.worked_in_period(r) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, matched, confirmed, wrote off, excluded, undid or added '
      'lines in this period. Someone who did not has to close it.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION public.put_entry_rules(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  before public.entry_rules;
  ledger jsonb;
  e public.entry_rules;
begin
  perform private.begin_request(request, 'put_entry_rules');
  r := private.find_period(input ->> 'id');
  perform private.lock_pair(r.tenant_id, r.pair_no);
  before := private.entry_rules_of(r.tenant_id, r.pair_no);
  perform private.require_version(before.version, request -> 'versions');
  ledger := coalesce(input -> 'ledger', before.ledger);
  perform private.check_push_settings(ledger);
  if before.version > 0 and (before.rules, before.ledger) = (input -> 'rules', ledger) then
    return private.entry_rules_json(before);
  end if;
  insert into public.entry_rules (tenant_id, pair_no, version, rules, ledger)
  values (r.tenant_id, r.pair_no, before.version + 1, input -> 'rules', ledger)
  returning * into e;
  if e.ledger <> before.ledger then
    perform private.retry_entry_pushes(e.tenant_id, e.pair_no);
  end if;
  perform private.record_security_event('entries.rules_updated', r.id, null, jsonb_build_object(
    'from', private.entry_rules_json(before), 'to', private.entry_rules_json(e)));
  return private.entry_rules_json(e);
end $function$;
CREATE OR REPLACE FUNCTION private.entries_after(tenant text, batch text, currency text, place integer, page_size integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_agg(private.entry_json(e) order by e.place)
    from (
      select * from public.entries x
      where x.tenant_id = tenant and x.batch_id = batch and x.place > entries_after.place
        and (entries_after.currency is null or x.currency = entries_after.currency)
      order by x.place limit page_size
    ) e
  );
end $function$;
CREATE OR REPLACE FUNCTION public.list_entries(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  b public.entry_batches;
begin
  perform private.begin_request(request, 'list_entries');
  b := private.find_entry_batch(input ->> 'id');
  return private.page(private.entries_after(b.tenant_id, b.id, input ->> 'currency',
    coalesce((input -> 'after' ->> 0)::integer, 0), page_size + 1), page_size, 'place');
end $function$;
CREATE OR REPLACE FUNCTION private.open_past_grace(r public.reconciliations)
 RETURNS TABLE(line_no bigint, minor bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  -- The last day is computed once per side, not once per line.
  with due as materialized (
    select case s.source_no when p.left_source_no then 'left' else 'right' end as side,
      private.last_day_of_grace(s,
        private.policy_of_pair(r.tenant_id, r.pair_no) ->> 'calendar_id') as day
    from public.pairs p
    join public.sources s on s.tenant_id = r.tenant_id
      and s.source_no in (p.left_source_no, p.right_source_no)
    where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
  )
  select o.line_no, abs(o.open_minor)
  from due d
  join private.open_lines o on o.tenant_id = r.tenant_id and o.pair_no = r.pair_no
    and o.side = d.side and o.value_date <= r.period_end and o.value_date < d.day;
end $function$;
CREATE OR REPLACE FUNCTION private.open_among(r public.reconciliations, line_nos bigint[])
 RETURNS TABLE(line_no bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select o.line_no from private.open_lines o
  where o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.line_no = any (line_nos)
  order by o.line_no;
end $function$;
CREATE OR REPLACE FUNCTION private.late_lines(r public.reconciliations, line_nos bigint[], value_dates date[])
 RETURNS SETOF bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with closed as materialized (
    select c.id, c.period_start, c.period_end from public.reconciliations c
    where c.tenant_id = r.tenant_id and c.pair_no = r.pair_no and c.closed_at is not null
  )
  select distinct o.line_no
  from unnest(line_nos, value_dates) o (line_no, value_date)
  join closed c on o.value_date between c.period_start and c.period_end
  where (
    select k.line_no
    from public.carried_lines k
    where k.tenant_id = r.tenant_id and k.reconciliation_id = c.id and k.line_no = o.line_no
  ) is null;
end $function$;
CREATE OR REPLACE FUNCTION private.adjusted_in_matches(tenant text, matches uuid[])
 RETURNS TABLE(id uuid, minor numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select m.id,
    (select sum((x.adjustment ->> 'amount_minor')::bigint)
      from jsonb_array_elements(m.adjustments) x (adjustment))
  from (select x.id, x.adjustments from public.matches x
    where x.tenant_id = tenant and x.id = any (matches) order by x.id) m
  where m.adjustments <> '[]';
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
    select a.n, a.suggestion, a.line_no
    from unnest(suggestions, line_nos) with ordinality a (suggestion, line_no, n)
  ), about as materialized (
    select a.n, m.line_no
    from asked a
    join private.members_of(r.tenant_id, suggestions) m on m.match_id = a.suggestion
    union
    select a.n, a.line_no from asked a where a.line_no is not null
  ), open_ones as materialized (
    select x.line_no, x.side, x.currency, x.open_minor, x.value_date from private.open_lines x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no
      and x.line_no = any (array(select y.line_no from about y))
      order by x.line_no
  )
  select a.n, jsonb_build_object('match_id', q.suggestion, 'currency', min(o.currency),
    'difference_minor', greatest(-9007199254740991, least(9007199254740991,
      sum(case o.side when 'left' then o.open_minor else -o.open_minor end)
        - coalesce(d.minor, 0))),
    'is_late', bool_or(t.line_no is not null),
    'lines', jsonb_agg(
      jsonb_build_object('line_no', o.line_no, 'id', private.line_id_text(l.id), 'side', o.side,
        'source', s.name, 'open_minor', o.open_minor, 'value_date', o.value_date,
        'reference', coalesce(l.reference, l.external_id, l.counterparty),
        'is_free', e.line_no is null)
      order by o.side, abs(o.open_minor) desc, o.line_no))
  from about a
  join asked q on q.n = a.n
  join open_ones o on o.line_no = a.line_no
  join (
    select *
    from public.lines x
    where x.tenant_id = r.tenant_id and x.line_no = any (array(select y.line_no from open_ones y))
    order by x.line_no
  ) l on l.line_no = a.line_no
  join public.sources s on s.tenant_id = r.tenant_id and s.source_no = l.source_no
  left join private.late_lines(r, array(select x.line_no from open_ones x order by x.line_no),
    array(select x.value_date from open_ones x order by x.line_no)) t (line_no)
    on t.line_no = a.line_no
  left join (
    select x.line_no from private.exception_lines x
    where x.tenant_id = r.tenant_id and x.line_no = any (array(select y.line_no from open_ones y))
      and x.pair_no = r.pair_no
      order by x.line_no
  ) e on e.line_no = a.line_no
  left join private.adjusted_in_matches(r.tenant_id, suggestions) d on d.id = q.suggestion
  group by a.n, q.suggestion, d.minor;
end $function$;
CREATE OR REPLACE FUNCTION private.lines_past_grace(tenant text, reconciliation text, most integer, OUT lines jsonb, OUT held_back bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
declare
  r public.reconciliations;
begin
  select * into strict r
  from public.reconciliations x
  where x.tenant_id = tenant and x.id = reconciliation;
  with past_grace as materialized (
    select * from private.open_past_grace(r)
  ), suggested as materialized (
    select m.id, abs(m.residual_minor) as minor from public.matches m
    where m.tenant_id = tenant and m.reconciliation_id = r.id and m.state = 'suggested'
  ), members as materialized (
    select mm.line_no, (array_agg(mm.match_id order by mm.match_id))[1] as match_id
    from private.members_of(tenant, array(select x.id from suggested x)) mm group by mm.line_no
  ), young as materialized (
    select distinct mm.match_id
    from members mm
    join private.open_among(r, array(select y.line_no from members y)) o on o.line_no = mm.line_no
    left join past_grace g on g.line_no = mm.line_no
    where g.line_no is null
  ), overdue as materialized (
    select g.line_no, g.minor, s.match_id
    from past_grace g
    left join members s on s.line_no = g.line_no
    left join (
      select x.line_no from private.exception_lines x
      where x.tenant_id = tenant and x.line_no = any (array(select y.line_no from past_grace y))
        and x.pair_no = r.pair_no
        order by x.line_no
    ) e on e.line_no = g.line_no
    where e.line_no is null and not exists (select from young y where y.match_id = s.match_id)
  ), subjects as materialized (
    select null::uuid as match_id, v.line_no, v.minor from overdue v where v.match_id is null
    union all
    select s.id, min(v.line_no), s.minor
    from overdue v
    join suggested s on s.id = v.match_id
    group by s.id, s.minor
  ), chosen as materialized (
    select * from subjects order by minor desc, line_no limit most
  )
  select coalesce(jsonb_agg(x.subject order by x.n), '[]'),
    (select count(*) from subjects) - (select count(*) from chosen)
  into lines, held_back
  from private.subjects_of_exceptions(r,
    array(select c.match_id from chosen c order by c.minor desc, c.line_no),
    array(select c.line_no from chosen c order by c.minor desc, c.line_no)) x;
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_without_suggestion(r public.reconciliations)
 RETURNS TABLE(exception_id text, line_no bigint)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with grouped as materialized (
    select e.id, e.line_no, e.grouped_match_id from public.exceptions e
    where e.tenant_id = r.tenant_id and e.pair_no = r.pair_no and e.grouped_match_id is not null
      and e.status in ('open', 'in_review')
  ), left_over as materialized (
    select g.id, g.line_no from grouped g
    left join (
      select x.id from public.matches x
      where x.tenant_id = r.tenant_id
        and x.id = any (array(select y.grouped_match_id from grouped y)) and x.state = 'suggested'
        order by x.id
    ) m on m.id = g.grouped_match_id
    where m.id is null
  )
  select p.id, o.line_no
  from left_over p cross join lateral (
    select x.line_no from private.exception_lines x cross join lateral (
      select abs(y.open_minor) as minor from private.open_lines y
      where y.tenant_id = r.tenant_id and y.pair_no = r.pair_no and y.line_no = x.line_no
        and y.value_date <= r.period_end offset 0
    ) o
    where x.tenant_id = r.tenant_id and x.exception_id = p.id
    order by x.line_no <> p.line_no, o.minor desc, x.line_no limit 1
  ) o;
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_to_regroup(tenant text, reconciliation text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
declare
  r public.reconciliations;
begin
  select * into strict r
  from public.reconciliations x
  where x.tenant_id = tenant and x.id = reconciliation;
  return (
    with held as materialized (
      select mm.match_id, e.id as exception_id, e.line_no, e.grouped_match_id
      from private.members_of(tenant, private.suggested_of(tenant, r.id)) mm
      join private.open_line_exceptions_of(tenant, r.id) e on e.line_no = mm.line_no
    ), put_together as (
      select h.match_id, array_agg(h.exception_id order by h.exception_id) as ids,
        array_agg(h.line_no order by h.exception_id) as line_nos
      from held h group by h.match_id
      having count(*) > 1 or bool_or(h.grouped_match_id is distinct from h.match_id)
    ), changed as (
      select o.ids[1] as exception_id, o.ids[2:] as merged, o.line_nos[1] as line_no, p.match_id
      from put_together p cross join lateral (
        select array_agg(i.id order by t.is_own desc, i.id) as ids,
          array_agg(i.line_no order by t.is_own desc, i.id) as line_nos
        from unnest(p.ids, p.line_nos) i (id, line_no)
          cross join lateral (select private.has_own_title(tenant, i.id) as is_own) t
      ) o
      union all
      select p.exception_id, '{}', p.line_no, null
      from private.exceptions_without_suggestion(r) p
      where not exists (select from held h where h.exception_id = p.exception_id)
    ), numbered as materialized (
      select row_number() over () as n, c.* from changed c
    )
    select coalesce(
      jsonb_agg(x.subject
        || jsonb_build_object('exception_id', c.exception_id, 'merged', c.merged,
          'line_no', c.line_no, 'severity', e.severity, 'amount_minor', e.amount_minor)
        order by c.exception_id), '[]')
    -- A suggestion lists its lines itself.
    from private.subjects_of_exceptions(r, array(select y.match_id from numbered y order by y.n),
      array(select case when y.match_id is null then y.line_no end from numbered y order by y.n)) x
    join numbered c on c.n = x.n
    join public.exceptions e on e.tenant_id = tenant and e.id = c.exception_id
  );
end $function$;
CREATE OR REPLACE FUNCTION private.merge_exceptions(tenant text, pair integer, into_id text, merged text[], line_nos bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'status', 'resolved',
      'line_no', null, 'suggested_match_id', null, 'grouped_match_id', null,
      'resolution',
      format('Merged into %s: a match is suggested for the lines of both.', into_id))
    from public.exceptions e
    where e.tenant_id = tenant and e.id = any (merged) and e.status in ('open', 'in_review')
    order by e.id for no key update
  ));
  delete
  from private.exception_lines y
  where y.tenant_id = tenant and y.exception_id = any (merged || into_id);
  insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id)
  select tenant, n.line_no, pair, into_id from unnest(line_nos) n (line_no)
  on conflict do nothing;
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
  r := private.lock_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  for x in
    select *
    from jsonb_to_recordset(rows) as s (exception_id text, merged text[], match_id uuid,
      line_nos bigint[], title text, severity text,
      reason_code text, amount_minor bigint, currency text, details jsonb)
  loop
    -- A person may have settled or decided it since the run read it. The next run looks again.
    continue when not exists (select from private.open_lines o
      where o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = x.line_nos[1])
      or x.match_id is not null and not exists (
        select
        from public.matches m
        where m.tenant_id = tenant and m.id = x.match_id and m.state = 'suggested'
      );
    perform private.change_exceptions(
      case when private.moves_deadline(tenant, x.exception_id, x.severity) then 'recalculate'
      else 'edit' end, array(
      select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'title',
        case when private.has_own_title(tenant, e.id) then e.title else x.title end,
        'severity', x.severity, 'reason_code', x.reason_code, 'amount_minor', x.amount_minor,
        'currency', x.currency,
        'details', e.details - 'lines' - 'side' || x.details, 'line_no', l.line_no, 'line_id', l.id,
        'suggested_match_id', x.match_id, 'grouped_match_id', x.match_id)
        || private.deadline_of_severity(e, x.severity)
      from public.lines l
        join public.exceptions e on e.tenant_id = tenant and e.id = x.exception_id
          and e.status in ('open', 'in_review')
      where l.tenant_id = tenant and l.line_no = x.line_nos[1] for no key update of e
    ));
    continue when not found;
    perform private.merge_exceptions(tenant, r.pair_no, x.exception_id, x.merged, x.line_nos);
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.accepts_host_key(tenant text, connection text, shown text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  c public.connections;
begin
  perform private.act_for_tenant(tenant);
  select * into c from public.connections x
  where x.tenant_id = tenant and x.id = connection and x.deleted_at is null
  for no key update;
  if not found or c.host_key = shown then
    return found;
  end if;
  perform private.record_security_event('connection.host_key_changed', c.id, null,
    jsonb_build_object('name', private.connection_facts(c) -> 'name', 'changes',
      jsonb_build_object('host_key', jsonb_build_object('from', c.host_key, 'to', shown))));
  update public.connections x set
    host_key = coalesce(x.host_key, shown),
    status = case when x.host_key is null then x.status else 'stopped' end
  where x.tenant_id = c.tenant_id and x.id = c.id;
  return c.host_key is null;
end $function$;
CREATE OR REPLACE FUNCTION private.retry_entry_pushes(tenant text, pair integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.queue_entry_push(b) from public.entry_batches b
  where b.tenant_id = tenant and b.pair_no = pair and b.exported_at is null
    and b.push ->> 'state' in ('failed', 'stopped');
end $function$;
CREATE OR REPLACE FUNCTION private.end_entry_push(tenant text, batch text, result jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  b public.entry_batches;
  c public.connections;
begin
  perform private.act_for_tenant(tenant);
  select * into strict b from public.entry_batches x
  where x.tenant_id = tenant and x.id = batch for update;
  if b.push ->> 'state' = 'done' then
    return;
  end if;
  update public.entry_batches x set push = jsonb_build_object('state', result -> 'state',
    'at', private.iso(now()), 'error', left(result ->> 'error', 1000), 'files', result -> 'files')
  where x.tenant_id = tenant and x.id = batch;
  if result ->> 'error' is null and b.exported_at is null then
    update public.entry_batches x set exported_at = now(), exported_by = 'system'
    where x.tenant_id = tenant and x.id = batch
    returning * into b;
    perform private.record_export(b);
  elsif result ->> 'error' is not null then
    select * into c from public.connections x
    where x.tenant_id = tenant and x.id = private.push_settings(b) ->> 'connection_id'
      and x.deleted_at is null;
    if found then
      perform private.note_failure(c, format('Batch %s was not pushed: %s',
        private.entry_batch_name(b), result ->> 'error'),
        coalesce((result ->> 'needs_person')::boolean, false));
    end if;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.overview_money(tenant text, as_of timestamp with time zone, hours integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    with sums as materialized (
      select * from private.due_sums(as_of, hours)
    )
    select coalesce(
      jsonb_agg(
        jsonb_build_object('currency', t.currency, 'open_count', t.open_count,
          'open_minor', private.exact_sum(t.minor), 'breached_count', d.breached_count,
          'breached_minor', private.exact_sum(d.breached_minor), 'due_count', d.due_count,
          'due_minor', private.exact_sum(d.due_minor))
        order by t.open_count desc, t.currency),
      '[]')
    from (
      select o.currency, sum(o.open_count) as open_count, sum(o.amount_minor) as minor
      from private.open_by_assignee o
      where o.tenant_id = tenant and o.currency <> ''
      group by 1 having sum(o.open_count) > 0
    ) t cross join lateral (
      select coalesce(sum(s.open_count) filter (where s.due_before <= as_of), 0) as breached_count,
        coalesce(sum(s.amount_minor) filter (where s.due_before <= as_of), 0) as breached_minor,
        coalesce(sum(s.open_count) filter (where s.due_before > as_of), 0) as due_count,
        coalesce(sum(s.amount_minor) filter (where s.due_before > as_of), 0) as due_minor
      from sums s where s.currency = t.currency
    ) d
  );
end $function$;
CREATE OR REPLACE FUNCTION private.overview_outlook(tenant text, as_of timestamp with time zone, hours integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  this_hour constant timestamptz := date_trunc('hour', as_of, 'UTC');
  rate_since constant timestamptz := this_hour - interval '8 hours';
  closed constant numeric := (
    select coalesce(sum(h.closed_count), 0)
    from private.exception_hours h
    where h.tenant_id = tenant and h.hour >= rate_since
  );
begin
  return jsonb_build_object(
    'rate_since', private.iso(rate_since), 'closed_count', closed,
    'closed_per_hour', round(closed / (extract(epoch from as_of - rate_since) / 3600)::numeric, 2),
    'hours', (
      select jsonb_agg(
        jsonb_build_object('due_before', private.iso(t.due_before),
          'due_count', coalesce(d.due_count, 0))
        order by t.due_before)
      from generate_series(this_hour + interval '1 hour',
        this_hour + make_interval(hours => hours), interval '1 hour') as t (due_before)
      left join (
        select s.due_before, sum(s.open_count) as due_count
        from private.due_sums(as_of, hours) s
        group by 1
      ) d on d.due_before = t.due_before
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.overview_days(tenant text, as_of timestamp with time zone)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  first_day constant timestamptz := date_trunc('day', as_of, 'UTC') - interval '29 days';
begin
  return (
    select jsonb_agg(
      jsonb_build_object('day', to_char(t.day at time zone 'UTC', 'YYYY-MM-DD'),
        'breached_count', coalesce(d.breached, 0), 'closed_count', coalesce(d.closed, 0))
      order by t.day)
    from generate_series(first_day, as_of, interval '1 day') as t (day)
    left join (
      select date_trunc('day', h.hour, 'UTC') as day, sum(h.breached_count) as breached,
        sum(h.closed_count) as closed
      from private.exception_hours h
      where h.tenant_id = tenant and h.hour >= first_day
      group by 1
    ) d on d.day = t.day
  );
end $function$;
CREATE OR REPLACE FUNCTION private.overview_exceptions(as_of timestamp with time zone)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  self constant text := private.actor();
  -- Clock hours that the outlook covers: eight full ones and the rest of the current one.
  hours constant integer := 9;
begin
  return (
    with totals as materialized (
      select o.assigned_to, sum(o.open_count) as open_count
      from private.open_by_assignee o
      where o.tenant_id = tenant and o.assigned_to in ('', self)
      group by 1
    )
    select jsonb_build_object(
      'summary', private.sla_summary(as_of),
      'mine', (
        select jsonb_build_object(
          'breached_count',
          coalesce(sum(s.open_count) filter (where s.due_before <= as_of), 0),
          'due_count', coalesce(sum(s.open_count) filter (where s.due_before > as_of), 0),
          'open_count',
          (select coalesce(sum(t.open_count), 0) from totals t where t.assigned_to = self))
        from private.due_sums(as_of, hours) s where s.assigned_to = self
      ),
      'unassigned_count',
      (select coalesce(sum(t.open_count), 0) from totals t where t.assigned_to = ''),
      'money', private.overview_money(tenant, as_of, hours),
      'outlook', private.overview_outlook(tenant, as_of, hours),
      'days', private.overview_days(tenant, as_of)
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.people_with_alerts(tenant text)
 RETURNS TABLE(tenant_id text, id uuid, reference text, is_admin boolean, breached text, at_risk text, assigned boolean, mentioned boolean, webhook_failing boolean, api_key_expiring boolean, connection_failing boolean)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select tenant, u.id, 'user:' || private.account_name(u.email, u.id), r.roles ? 'tenant_admin',
    coalesce(s.exception_breached, 'mine'), coalesce(s.exception_at_risk, 'off'),
    coalesce(s.assigned, true), coalesce(s.mentioned, true), coalesce(s.webhook_failing, true),
    coalesce(s.api_key_expiring, true), coalesce(s.connection_failing, true)
  from private.accounts_of(tenant) u
  cross join lateral (
    select private.roles_of_account(u.raw_app_meta_data, tenant) as roles) r
  left join public.notification_settings s on s.tenant_id = tenant and s.subject = u.id::text
    and s.is_account
  where not private.is_sandbox(tenant)
    and u.email is not null and (u.banned_until is null or u.banned_until <= now())
    and r.roles ?| private.roles();
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
      coalesce(e.data #>> '{exception,id}', e.data #>> '{connection,source_id}',
        e.data ->> 'id') as subject
    from taken t join public.events e on e.tenant_id = t.tenant_id and e.id = t.event_id
  ), person as materialized (
    select p.*
    from (select distinct h.tenant_id from happened h) t
    cross join lateral private.people_with_alerts(t.tenant_id) p
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
      when 'connection_failing' then p.connection_failing and p.is_admin
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
grant execute on function private.entries_after(text,text,text,integer,integer) to authenticated;
grant execute on function private.explained_in_period(public.reconciliations) to authenticated;
grant execute on function private.lines_up_to_end(public.reconciliations) to authenticated;
grant execute on function private.match_filters(jsonb,uuid,text,boolean,boolean) to authenticated;
grant execute on function private.rejected_matches_of_line(public.reconciliations,bigint) to authenticated;
grant execute on function private.settled_around(public.reconciliations) to authenticated;
grant execute on function private.suggestion_candidates(public.reconciliations,private.open_lines,jsonb) to authenticated;
