-- Lines of a suggestion are one exception over their difference; tables check what contracts say of money and days.

alter table public.exceptions drop constraint exceptions_amount_minor_check,
  add constraint exceptions_amount_minor_check check (amount_minor between 0 and 9007199254740991) not valid;
alter table public.reconciliations drop constraint reconciliations_matched_count_check, drop constraint reconciliations_unmatched_count_check,
  add constraint reconciliations_matched_count_check check (matched_count between 0 and 9007199254740991) not valid,
  add constraint reconciliations_unmatched_count_check check (unmatched_count between 0 and 9007199254740991) not valid,
  add constraint reconciliations_days_check check (period_start >= '0001-01-01' and period_end <= '9999-12-31') not valid;
-- Validated where all rows fit; elsewhere they hold for what is written from now on.
do $$ begin
  if not exists (select from public.exceptions where amount_minor > 9007199254740991) then
    alter table public.exceptions validate constraint exceptions_amount_minor_check; end if;
  if not exists (select from public.reconciliations where greatest(matched_count, unmatched_count) > 9007199254740991
      or period_start < '0001-01-01' or period_end > '9999-12-31') then
    alter table public.reconciliations validate constraint reconciliations_matched_count_check;
    alter table public.reconciliations validate constraint reconciliations_unmatched_count_check;
    alter table public.reconciliations validate constraint reconciliations_days_check; end if;
end $$;
alter table public.exceptions add column grouped_match_id uuid;
create index exceptions_grouped on public.exceptions (tenant_id, pair_no) where grouped_match_id is not null and status in ('open', 'in_review');
create table private.exception_lines (tenant_id text not null, line_no bigint not null, pair_no integer not null,
  exception_id text not null, primary key (tenant_id, line_no, pair_no));
create index exception_lines_by_exception on private.exception_lines (tenant_id, exception_id);
insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id)
select distinct on (tenant_id, line_no, pair_no) tenant_id, line_no, pair_no, id from public.exceptions
where line_no is not null and pair_no is not null
order by tenant_id, line_no, pair_no, (status in ('open', 'in_review')) desc, id desc;

-- contracts: called by functions of the database alone, which are made again here.
drop function private.few_own_lines(public.reconciliations,text,integer);
-- contracts: as above.
drop function private.line_state_is(text,boolean);

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.whole_waterfall(text,text,jsonb);
alter table private.exception_lines enable row level security; alter table private.exception_lines no force row level security;
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
    'auto_run', r.auto_run,
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
    'external_id', l.external_id, 'amount_minor', l.amount_minor, 'currency', l.currency, 'value_date', l.value_date,
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
CREATE OR REPLACE FUNCTION private.line_state_is(state text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  opened constant text := 'exists (select from private.open_lines o where o.tenant_id = $1 and o.pair_no = any (s.pair_nos) and o.line_no = x.line_no %s offset 0)';
  excluded constant text := 'exists (select from public.exclusions e where e.tenant_id = $1 and e.pair_no = s.pair_no and e.line_no = x.line_no offset 0)';
begin
  return case state
    when 'outstanding' then '(s.pair_no is null or ' || format(opened, '') || ')'
    when 'open' then '(s.pair_no is null or ' || format(opened, 'and o.open_minor = o.amount_minor') || ')'
    when 'partly_matched' then format(opened, '') || ' and not ' || format(opened, 'and o.open_minor = o.amount_minor')
    when 'excluded' then excluded || ' and not ' || format(opened, '')
    when 'matched' then 's.pair_no is not null and not ' || format(opened, '') || ' and not ' || excluded
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.few_own_lines(r public.reconciliations, state text, source_nos integer[], most integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  pair_nos integer[];
  line_nos bigint[];
begin
  if state = 'matched' and r.id is not null and coalesce((
    select c.lines from private.matched_counts c where c.tenant_id = tenant and c.reconciliation_id = r.id), 0) <= most
  then
    return array(
      select distinct mm.line_no from public.matches m
      cross join lateral (select x.line_no from public.match_members x where x.tenant_id = tenant and x.match_id = m.id offset 0) mm
      where m.tenant_id = tenant and m.reconciliation_id = r.id and m.state = 'confirmed'
    );
  elsif state = 'excluded' then
    pair_nos := case when r.id is not null then array[r.pair_no] else array(
      select p.pair_no from public.pairs p
      where p.tenant_id = tenant and (p.left_source_no = any (source_nos) or p.right_source_no = any (source_nos))) end;
    line_nos := array(select distinct e.line_no from public.exclusions e where e.tenant_id = tenant and e.pair_no = any (pair_nos) limit most + 1);
    return case when cardinality(line_nos) <= most then line_nos end;
  end if;
  return null;
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
        where p.tenant_id = $1 and x.source_no in (p.left_source_no, p.right_source_no) order by p.pair_no) end as pair_nos
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
CREATE OR REPLACE FUNCTION private.record_decided_matches(action text, ids uuid[], details jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  target constant text := case when cardinality(ids) = 1 then private.match_id_text(ids[1]) end;
  periods constant text[] := array(
    select distinct m.reconciliation_id from public.matches m where m.tenant_id = private.tenant_id() and m.id = any (ids));
  told constant jsonb := details || jsonb_build_object('count', cardinality(ids),
    'reconciliation_id', case when cardinality(periods) = 1 then periods[1] end);
begin
  if cardinality(ids) = 0 then
    return;
  end if;
  case action
    when 'confirm' then perform private.record_security_event('matching.confirmed', target, null, told);
    when 'reject' then perform private.record_security_event('matching.rejected', target, null, told);
    when 'undo' then perform private.record_security_event('matching.undone', target, null, told);
  end case;
end $function$;
CREATE OR REPLACE FUNCTION private.record_hand_match(m public.matches)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  told constant jsonb := jsonb_build_object('reconciliation_id', m.reconciliation_id, 'currency', m.currency, 'amount_minor', m.amount_minor,
    'adjustments', m.adjustments);
begin
  if m.adjustments @> '[{"kind": "write_off"}]' then
    perform private.record_security_event('matching.written_off', private.match_id_text(m.id), m.note, told);
  else
    perform private.record_security_event('matching.matched', private.match_id_text(m.id), m.note, told);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.decide_own_matches(action text, ids uuid[], seen boolean DEFAULT true)
 RETURNS SETOF public.matches
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  who constant text := private.actor();
  wanted constant text := case action when 'undo' then 'confirmed' else 'suggested' end;
  touched record;
  refused jsonb;
begin
  for touched in
    select m.pair_no, array_agg(distinct m.reconciliation_id) as periods from public.matches m
    where m.tenant_id = tenant and m.id = any (ids) group by m.pair_no order by m.pair_no
  loop
    perform private.hold_period(tenant, p.id) from unnest(touched.periods) as p (id);
  end loop;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such match.') order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n) left join public.matches m on m.tenant_id = tenant and m.id = i.id where m.id is null;
  if refused is not null then
    perform private.refuse('not_found', 'There is no such match.', refused);
  end if;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1),
    'message', format('This match is %s: only one that is %s can be %s.', m.state, wanted,
      case action when 'undo' then 'undone' when 'confirm' then 'confirmed' else 'rejected' end)) order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n) join public.matches m on m.tenant_id = tenant and m.id = i.id where m.state <> wanted;
  if refused is not null then
    perform private.refuse('invalid_transition', format('Only a match that is %s can be %s. Nothing was changed.', wanted,
      case action when 'undo' then 'undone' when 'confirm' then 'confirmed' else 'rejected' end), refused);
  end if;
  for touched in
    select m.pair_no, array_agg(m.id order by m.id) as ids from public.matches m
    where m.tenant_id = tenant and m.id = any (decide_own_matches.ids) group by m.pair_no order by m.pair_no
  loop
    case action
      when 'confirm' then perform private.confirm_matches(tenant, touched.pair_no, touched.ids, who);
      when 'reject' then perform private.reject_matches(tenant, touched.ids, who);
      when 'undo' then perform private.undo_matches(tenant, touched.ids, who);
    end case;
  end loop;
  if not seen then
    update private.decisions d set score = null where d.tenant_id = tenant and d.match_id = any (decide_own_matches.ids);
  end if;
  if action <> 'undo' then
    perform private.remember_act(action, decide_own_matches.ids);
  end if;
  perform private.record_decided_matches(action, decide_own_matches.ids, jsonb_build_object('by_filter', not seen));
  return query
  select m.* from unnest(ids) with ordinality as i (id, n) join public.matches m on m.tenant_id = tenant and m.id = i.id order by i.n;
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
  perform private.record_hand_match(made);
  return made;
end $function$;
CREATE OR REPLACE FUNCTION private.take_back_own_act(id text)
 RETURNS private.acts
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  a private.acts;
  r public.reconciliations;
  wanted text;
begin
  select * into a from private.acts x where x.tenant_id = tenant and x.id = $1;
  r := private.hold_period(tenant, a.reconciliation_id);
  select * into a from private.acts x where x.tenant_id = tenant and x.id = $1 for update;
  if a.undone_at is not null then
    perform private.refuse('conflict', 'This decision was undone already.');
  end if;
  wanted := case a.kind when 'reject' then 'rejected' else 'confirmed' end;
  if (select count(*) from public.matches m where m.tenant_id = tenant and m.id = any (a.match_ids) and m.state = wanted) <> cardinality(a.match_ids) then
    perform private.refuse('conflict', format('Not all of its matches are still %s. Nothing was changed.', wanted));
  end if;
  case a.kind
    when 'confirm' then perform private.suggest_again(tenant, r.pair_no, a.match_ids, true);
    when 'reject' then perform private.suggest_again(tenant, r.pair_no, a.match_ids, false);
    when 'match' then perform private.undo_matches(tenant, a.match_ids, private.actor());
    when 'exclude' then perform private.include_own_line(private.line_id_text(a.line_id), r.id, 'Undone');
  end case;
  update private.acts x set undone_at = now(), undone_by = private.actor() where x.tenant_id = tenant and x.id = a.id returning * into a;
  if a.kind <> 'exclude' then
    perform private.record_security_event('matching.undone', a.id, null, jsonb_build_object(
      'decision', a.kind, 'count', cardinality(a.match_ids), 'reconciliation_id', a.reconciliation_id));
  end if;
  -- Suggestions that had to go for it may come again.
  if r.auto_run then
    perform private.ask_for_runs(tenant, r.pair_no);
  end if;
  return a;
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
    'value_date', l.value_date, 'booked_date', l.booked_date, 'reference', l.reference, 'counterparty', l.counterparty,
    'description', l.description, 'group_key', l.group_key, 'external_id', l.external_id,
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
CREATE OR REPLACE FUNCTION public.create_run(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'create_run');
  asked public.runs;
begin
  if kept is not null then
    return kept;
  end if;
  perform private.find_period(input ->> 'id');
  asked := private.ask_for_own_run(input ->> 'id', case when (input ->> 'dry_run')::boolean then private.trial_of(input) end);
  if asked.dry_run is null then
    perform private.record_security_event('matching.run_requested', asked.id, null, jsonb_build_object('reconciliation_id', asked.reconciliation_id));
  end if;
  return private.answer(request, private.run_json(asked));
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
    failure = case when cardinality(violations) > 0 then 'What must always hold does not. It has been logged: tell us the run.' end,
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
        select count(distinct x.exception_id) from unnest(matched) m (line_no) cross join lateral (
          select y.exception_id from private.exception_lines y where y.tenant_id = tenant and y.line_no = m.line_no and y.pair_no = r.pair_no offset 0
        ) x cross join lateral (
          select from public.exceptions e
          where e.tenant_id = tenant and e.id = x.exception_id and (r.closed_at is not null or e.status in ('open', 'in_review')) offset 0
        ) e
      ),
      'added', (
        select count(*) from unnest(opened) o (line_no)
        cross join lateral (select x.source_no, x.value_date from public.lines x where x.tenant_id = tenant and x.line_no = o.line_no offset 0) l
        join grace g on g.source_no = l.source_no
        where l.value_date < g.day
          and (
            select e.id from (
              select y.exception_id from private.exception_lines y where y.tenant_id = tenant and y.line_no = o.line_no and y.pair_no = r.pair_no offset 0
            ) x cross join lateral (
              select z.id from public.exceptions z where z.tenant_id = tenant and z.id = x.exception_id and z.status in ('open', 'in_review') offset 0
            ) e
          ) is null
      )
    )
    from public.reconciliations r where r.tenant_id = tenant and r.id = reconciliation
  );
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
    open_count = (outcome ->> 'open_count')::bigint, waterfall = outcome -> 'waterfall'
  where y.tenant_id = tenant and y.id = run
  returning * into x;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(x)), run);
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
  perform private.record_security_event('matching.rules_updated', period, null,
    jsonb_build_object('from', before - '{weights}'::text[], 'to', private.rules_json(p) - '{weights}'::text[], 'learning_reset', forget));
  perform private.ask_for_runs(tenant, p.pair_no);
  return p;
end $function$;
CREATE OR REPLACE FUNCTION private.whole_waterfall(r public.reconciliations, rules text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  people constant integer := 1000;
  excluded constant integer := 1001;
begin
  return (
    -- Of the rules whose matches later runs leave alone there may be a million: each is of two whole lines.
    with settled as materialized (
      select coalesce(array_position(rules, m.method), 999) as place, m.method as rule, m.currency, count(*) as matches, sum(m.amount_minor) as minor
      from public.matches m
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.settled and m.state = 'confirmed' and m.decided_by is null
      group by 1, 2, 3
    ), made as materialized (
      select case when m.decided_by is not null then people else coalesce(array_position(rules, m.method), 999) end as place,
        case when m.decided_by is not null then 'manual' else m.method end as rule, m.id, m.currency
      from public.matches m
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed' and not (m.settled and m.decided_by is null)
    ), taken as materialized (
      select d.place, d.rule, d.currency, mm.line_no, mm.side, mm.allocated_minor as minor
      from made d cross join lateral (
        select x.line_no, x.side, x.allocated_minor from public.match_members x where x.tenant_id = r.tenant_id and x.match_id = d.id offset 0
      ) mm
      union all
      select excluded, 'excluded', e.currency, e.line_no, e.side, e.excluded_minor
      from public.exclusions e where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id
    ), counted as materialized (
      select f.place, f.rule, count(*) filter (where f.side = 'left') as lefts, count(*) filter (where f.side = 'right') as rights
      from (select distinct on (x.line_no) x.place, x.rule, x.side, x.line_no from taken x order by x.line_no, x.place) f
      where case when r.closed_at is null then (
          select o.line_no from private.open_lines o where o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.line_no = f.line_no
        ) else (
          select c.line_no from public.carried_lines c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id and c.line_no = f.line_no
        ) end is null
        -- Of which an exact rule took the rest.
        and (f.place < people or (
          select m.id from (
            select x.match_id from public.match_members x
            where x.tenant_id = r.tenant_id and x.line_no = f.line_no and x.pair_no = r.pair_no offset 0
          ) mm cross join lateral (
            select x.id from public.matches x where x.tenant_id = r.tenant_id and x.id = mm.match_id and x.reconciliation_id = r.id
              and x.settled and x.state = 'confirmed' and x.decided_by is null offset 0
          ) m limit 1
        ) is null)
      group by 1, 2
    ), amounts as materialized (
      select a.place, a.rule, jsonb_agg(jsonb_build_object('currency', a.currency, 'left_minor', private.exact_sum(a.left_minor),
        'right_minor', private.exact_sum(a.right_minor)) order by a.currency) as amounts
      from (
        select z.place, z.rule, z.currency, sum(z.left_minor) as left_minor, sum(z.right_minor) as right_minor from (
          select s.place, s.rule, s.currency, s.minor as left_minor, s.minor as right_minor from settled s
          union all
          select x.place, x.rule, x.currency, case x.side when 'left' then x.minor else 0 end, case x.side when 'right' then x.minor else 0 end from taken x
        ) z group by 1, 2, 3
      ) a group by 1, 2
    ), matched as materialized (
      select z.place, z.rule, sum(z.matches) as matches, sum(z.settled) as settled from (
        select s.place, s.rule, s.matches, s.matches as settled from settled s
        union all
        select d.place, d.rule, 1, 0 from made d
      ) z group by 1, 2
    ), suggested as materialized (
      select m.method as rule, count(*) as suggested from public.matches m
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested' group by 1
    ), steps as (
      select n.place::integer as place, n.rule, 'rule' as kind from unnest(rules) with ordinality n (rule, place)
      union
      select m.place, m.rule, 'rule' from matched m where m.place = 999
      union all
      values (people, 'manual', 'people'), (excluded, 'excluded', 'excluded')
    )
    select jsonb_agg(jsonb_build_object('kind', t.kind, 'rule', t.rule, 'matches', coalesce(m.matches, 0),
      'suggested', case t.kind when 'rule' then coalesce(g.suggested, 0) else 0 end,
      'left_lines', coalesce(m.settled, 0) + coalesce(c.lefts, 0), 'right_lines', coalesce(m.settled, 0) + coalesce(c.rights, 0),
      'amounts', coalesce(a.amounts, '[]')) order by t.place, t.rule)
    from steps t
    left join matched m on m.place = t.place and m.rule = t.rule
    left join counted c on c.place = t.place and c.rule = t.rule
    left join amounts a on a.place = t.place and a.rule = t.rule
    left join suggested g on g.rule = t.rule
  );
end $function$;
CREATE OR REPLACE FUNCTION private.rules_of_waterfall(waterfall jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return array(
    select s.step ->> 'rule' from jsonb_array_elements(waterfall) with ordinality s (step, n)
    where coalesce(s.step ->> 'kind', 'rule') = 'rule' order by s.n);
end $function$;
CREATE OR REPLACE FUNCTION private.complete_last_run(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.runs x set waterfall = private.whole_waterfall(r, private.rules_of_waterfall(x.waterfall)), suggested_count = 0, open_count = (
      select count(*) from public.carried_lines c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id)
  where x.tenant_id = r.tenant_id and x.id = (
    select y.id from public.runs y
    where y.tenant_id = r.tenant_id and y.reconciliation_id = r.id and y.status = 'done' and y.dry_run is null order by y.id desc limit 1);
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
  perform graphile_worker.add_job('examine_books', json_build_object('tenant_id', r.tenant_id, 'pair_no', r.pair_no),
    queue_name => 'examine_books', job_key => format('examine_books:%s:%s', r.tenant_id, r.pair_no), max_attempts => 5);
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
  where r.tenant_id = tenant and r.pair_no = pair and not coalesce((
    select (c.statement #>> '{proof,holds}')::boolean from periods c where c.id = r.id and c.closed_at is not null
  ), (private.proof_json(r) ->> 'holds')::boolean)
  union all
  select 'closing', r.id, private.closing_digest(r.tenant_id, r.id), r.digest from periods r
  where r.closed_at is not null and r.digest is not null and r.digest <> private.closing_digest(r.tenant_id, r.id);
end $function$;
CREATE OR REPLACE FUNCTION public.list_line_history(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  l public.lines;
begin
  perform private.enter(request, 'list_line_history');
  select * into l from public.lines x where x.tenant_id = private.tenant_id() and x.id = private.line_id(input ->> 'id');
  if not found then
    perform private.refuse_missing('line');
  end if;
  return (
    with matched as materialized (
      select m.* from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
      where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no
    ), decided as materialized (
      select m.id as match_id, a.kind, a.reconciliation_id, a.created_at, a.created_by, a.undone_at, a.undone_by
      from matched m join private.acts a on a.tenant_id = m.tenant_id and a.reconciliation_id = m.reconciliation_id and m.id = any (a.match_ids)
    ), about as materialized (
      select e.* from public.exceptions e where e.tenant_id = l.tenant_id and e.id = any (array(
        select x.exception_id from private.exception_lines x where x.tenant_id = l.tenant_id and x.line_no = l.line_no))
      union
      select e.* from public.exceptions e where e.tenant_id = l.tenant_id and e.line_no = l.line_no
    ), told (type, at, actor, reconciliation_id, match_id, exception_id, import_id, note) as (
      select 'added', l.created_at, i.created_by, null, null::uuid, null, i.id, i.file_name
      from (select 1) one left join public.imports i on i.tenant_id = l.tenant_id and i.id = l.import_id
      union all
      -- Of the engine's: what was decided since began as a suggestion.
      select case when m.state in ('suggested', 'rejected') or exists (select from decided d where d.match_id = m.id) then 'suggested' else 'matched' end,
        m.created_at, m.created_by, m.reconciliation_id, m.id, null, null, m.method
      from matched m where m.method <> 'manual'
      union all
      select case d.kind when 'match' then 'matched' when 'confirm' then 'confirmed' else 'rejected' end, d.created_at, d.created_by,
        d.reconciliation_id, d.match_id, null, null, null
      from decided d
      union all
      select 'undone', d.undone_at, d.undone_by, d.reconciliation_id, d.match_id, null, null, null from decided d where d.undone_at is not null
      union all
      select 'undone', m.decided_at, coalesce(m.decided_by, 'system'), m.reconciliation_id, m.id, null, null, null
      from matched m where m.state = 'undone' and not exists (select from decided d where d.match_id = m.id and d.undone_at = m.decided_at)
      union all
      select 'excluded', a.created_at, a.created_by, a.reconciliation_id, null, null, null, a.reason
      from private.acts a where a.tenant_id = l.tenant_id and a.line_id = l.id
      union all
      select 'included', a.undone_at, a.undone_by, a.reconciliation_id, null, null, null, null
      from private.acts a where a.tenant_id = l.tenant_id and a.line_id = l.id and a.undone_at is not null
      union all
      select 'exception_opened', e.created_at, e.created_by, e.reconciliation_id, null, e.id, null, e.reason_code
      from about e
      union all
      select case e.status when 'dismissed' then 'exception_dismissed' else 'exception_resolved' end, e.closed_at,
        case when e.resolved_by_matching then 'system' end, e.reconciliation_id, null, e.id, null, e.resolution
      from about e where e.closed_at is not null
    )
    select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object('type', t.type, 'at', private.iso(t.at), 'actor', t.actor,
      'reconciliation_id', t.reconciliation_id, 'match_id', private.match_id_text(t.match_id), 'exception_id', t.exception_id,
      'import_id', t.import_id, 'note', t.note) order by t.at, t.place), '[]'))
    from (select x.*, array_position(array['added', 'exception_opened', 'suggested', 'confirmed', 'matched'], x.type) as place from told x
      order by x.at desc limit 200) t
  );
end $function$;
CREATE OR REPLACE FUNCTION private.exception_facts(e public.exceptions)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (to_jsonb(e) - '{id,tenant_id,created_at,created_by,updated_at,closed_at,severity_rank,due_from_policy,calendar_no,due_open_ms,paused_by_rule,held_due_at,pause_count,paused_ms,pair_no,line_no,line_id,suggested_match_id,grouped_match_id,resolved_by_matching}'::text[])
    || jsonb_build_object('due_at', private.iso(coalesce(e.held_due_at, e.due_at)), 'paused_at', private.iso(e.paused_at),
      'paused_until', private.iso(e.paused_until));
end $function$;
CREATE OR REPLACE FUNCTION private.subject_of_exception(r public.reconciliations, suggestion uuid, line_nos bigint[])
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select jsonb_build_object('match_id', suggestion, 'currency', min(o.currency),
      'difference_minor', greatest(-9007199254740991, least(9007199254740991, sum(case o.side when 'left' then o.open_minor else -o.open_minor end))),
      'is_late', bool_or(exists (
        select from public.reconciliations c
        where c.tenant_id = r.tenant_id and c.pair_no = r.pair_no and c.closed_at is not null and o.value_date between c.period_start and c.period_end
          -- What was there when it closed was carried. Times of transactions don't say which came first.
          and (
            select k.line_no from public.carried_lines k where k.tenant_id = r.tenant_id and k.reconciliation_id = c.id and k.line_no = o.line_no
          ) is null
      )),
      'lines', jsonb_agg(jsonb_build_object('line_no', o.line_no, 'id', private.line_id_text(l.id), 'side', o.side, 'source', s.name,
        'open_minor', o.open_minor, 'value_date', o.value_date, 'reference', coalesce(l.reference, l.external_id, l.counterparty), 'is_free', (
          select x.exception_id from private.exception_lines x where x.tenant_id = r.tenant_id and x.line_no = o.line_no and x.pair_no = r.pair_no
        ) is null) order by o.side, abs(o.open_minor) desc, o.line_no))
    from (
      select mm.line_no from public.match_members mm where mm.tenant_id = r.tenant_id and mm.match_id = suggestion
      union
      select x.line_no from unnest(line_nos) x (line_no)
    ) n
    cross join lateral (
      select * from private.open_lines x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.line_no = n.line_no offset 0
    ) o
    cross join lateral (select * from public.lines x where x.tenant_id = r.tenant_id and x.line_no = n.line_no offset 0) l
    join public.sources s on s.tenant_id = r.tenant_id and s.source_no = l.source_no
  );
end $function$;
CREATE OR REPLACE FUNCTION private.lines_past_grace(tenant text, reconciliation text, most integer, OUT lines jsonb, OUT held_back bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  select * into strict r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  -- The last day is looked for once a side, never once a line.
  with due as materialized (
    select case s.source_no when p.left_source_no then 'left' else 'right' end as side,
      private.last_day_of_grace(s, private.policy_of_pair(tenant, r.pair_no) ->> 'calendar_id') as day
    from public.pairs p
    join public.sources s on s.tenant_id = tenant and s.source_no in (p.left_source_no, p.right_source_no)
    where p.tenant_id = tenant and p.pair_no = r.pair_no
  ), overdue as materialized (
    select o.line_no, abs(o.open_minor) as minor, (
      select m.id
      from (select x.match_id from public.match_members x where x.tenant_id = tenant and x.line_no = o.line_no and x.pair_no = r.pair_no offset 0) mm
      cross join lateral (
        select x.id from public.matches x
        where x.tenant_id = tenant and x.id = mm.match_id and x.reconciliation_id = r.id and x.state = 'suggested' offset 0
      ) m
      order by m.id limit 1
    ) as match_id
    from due d
    join private.open_lines o on o.tenant_id = tenant and o.pair_no = r.pair_no and o.side = d.side and o.value_date <= r.period_end
      and o.value_date < d.day
    where (
      select x.exception_id from private.exception_lines x where x.tenant_id = tenant and x.line_no = o.line_no and x.pair_no = r.pair_no
    ) is null
  ), subjects as materialized (
    select null::uuid as match_id, v.line_no, v.minor from overdue v where v.match_id is null
    union all
    select v.match_id, min(v.line_no), (select abs(m.residual_minor) from public.matches m where m.tenant_id = tenant and m.id = v.match_id)
    from overdue v where v.match_id is not null group by v.match_id
  ), chosen as (
    select * from subjects order by minor desc, line_no limit most
  )
  select coalesce(jsonb_agg(private.subject_of_exception(r, c.match_id, array[c.line_no]) order by c.minor desc, c.line_no), '[]'),
    (select count(*) from subjects) - count(*)
  into lines, held_back from chosen c;
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
  with wanted as materialized (
    select x.*, x.line_nos[1] as line_no from jsonb_to_recordset(rows) as x (
      match_id uuid, line_nos bigint[], title text, severity text, assigned_to text, reason_code text, amount_minor bigint, currency text, details jsonb)
    where x.match_id is null
      or exists (select from public.matches m where m.tenant_id = tenant and m.id = x.match_id and m.state = 'suggested')
  ), made as (
    insert into public.exceptions (tenant_id, title, severity, assigned_to, due_at, due_from_policy, calendar_id, calendar_no, reason_code, amount_minor,
      currency, reconciliation_id, details, pair_no, line_no, line_id, suggested_match_id, grouped_match_id)
    select tenant, x.title, x.severity, x.assigned_to,
      date_trunc('milliseconds', now()) + make_interval(mins => private.minutes_to_resolve(p, x.severity)), true,
      c.id, case when c.id is not null then private.current_calendar_no(tenant, c.id) end,
      x.reason_code, x.amount_minor, x.currency, r.id, coalesce(x.details, '{}'), r.pair_no, l.line_no, l.id, x.match_id, x.match_id
    from wanted x
    join public.sla_policies p on p.tenant_id = tenant
    cross join lateral (select private.policy_calendar(p, x.severity)) c (id)
    join public.lines l on l.tenant_id = tenant and l.line_no = x.line_no
    join private.open_lines o on o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = l.line_no
    where not exists (
      select from private.exception_lines e where e.tenant_id = tenant and e.line_no = x.line_no and e.pair_no = r.pair_no)
    returning id, line_no
  ), about as (
    insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id)
    select tenant, n.line_no, r.pair_no, m.id from made m join wanted x on x.line_no = m.line_no cross join unnest(x.line_nos) n (line_no)
    on conflict do nothing
  )
  select count(*) into opened from made;
  return opened;
end $function$;
CREATE OR REPLACE FUNCTION private.has_open_lines(e public.exceptions)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from (
      select x.line_no, x.pair_no from private.exception_lines x where x.tenant_id = e.tenant_id and x.exception_id = e.id offset 0
    ) x cross join lateral (
      select from private.open_lines o where o.tenant_id = e.tenant_id and o.pair_no = x.pair_no and o.line_no = x.line_no offset 0
    ) o
  );
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_of_lines(tenant text, pair integer, line_nos bigint[])
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array(
    select distinct x.exception_id from private.exception_lines x
    where x.tenant_id = tenant and x.line_no = any (line_nos) and x.pair_no = pair);
end $function$;
CREATE OR REPLACE FUNCTION private.resolve_line_exceptions(tenant text, pair integer, line_nos bigint[], resolution text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.exceptions e set status = 'resolved', resolution = resolve_line_exceptions.resolution, resolved_by_matching = true, suggested_match_id = null
  where e.tenant_id = tenant and e.id = any ((select private.exceptions_of_lines(tenant, pair, line_nos))::text[]) and e.status in ('open', 'in_review')
    and not private.has_open_lines(e);
end $function$;
CREATE OR REPLACE FUNCTION private.resolve_matched_exceptions(tenant text, pair integer, matches uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.exceptions e set status = 'resolved', resolution = format('Matched by %s.', private.match_id_text(x.match_id)),
    resolved_by_matching = true, suggested_match_id = null
  from (
    select w.exception_id, (array_agg(mm.match_id order by mm.match_id))[1] as match_id
    from public.match_members mm cross join lateral (
      select y.exception_id from private.exception_lines y where y.tenant_id = tenant and y.line_no = mm.line_no and y.pair_no = pair offset 0
    ) w
    where mm.tenant_id = tenant and mm.match_id = any (matches)
    group by w.exception_id
  ) x
  where e.tenant_id = tenant and e.id = x.exception_id and e.status in ('open', 'in_review') and not private.has_open_lines(e);
end $function$;
CREATE OR REPLACE FUNCTION private.reopen_line_exceptions(tenant text, pair integer, line_nos bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update public.exceptions e set status = 'open', resolved_by_matching = false
  where e.tenant_id = tenant and e.id = any ((select private.exceptions_of_lines(tenant, pair, line_nos))::text[]) and e.status = 'resolved' and e.resolved_by_matching
    and private.has_open_lines(e);
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
      select h.match_id, array_agg(h.exception_id order by h.exception_id) as ids, (array_agg(h.line_no order by h.exception_id))[1] as line_no
      from held h group by h.match_id
      having count(*) > 1 or bool_or(h.grouped_match_id is distinct from h.match_id)
    ), left_over as materialized (
      select e.id, e.line_no from public.exceptions e
      where e.tenant_id = tenant and e.pair_no = r.pair_no and e.grouped_match_id is not null and e.status in ('open', 'in_review')
        and (select m.id from public.matches m where m.tenant_id = tenant and m.id = e.grouped_match_id and m.state = 'suggested') is null
    ), changed as (
      select p.ids[1] as exception_id, p.ids[2:] as merged, p.line_no, private.subject_of_exception(r, p.match_id, '{}') as subject
      from put_together p
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
    update public.exceptions e set title = x.title, severity = x.severity, reason_code = x.reason_code, amount_minor = x.amount_minor,
      currency = x.currency, details = e.details - 'lines' - 'side' || x.details, line_no = l.line_no, line_id = l.id,
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
create policy exception_lines_read on private.exception_lines as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
grant execute on function private.exceptions_to_regroup(text,text) to service_role;
grant execute on function private.regroup_exceptions(text,text,text,integer,jsonb) to service_role;
grant select on private.exception_lines to authenticated;
