alter table private.acts add column reason text;
create index acts_by_line on private.acts (tenant_id, line_id) where line_id is not null;
create index open_lines_by_date on private.open_lines (tenant_id, pair_no, side, value_date, line_no);
create index open_lines_by_amount on private.open_lines (tenant_id, pair_no, side, (-abs(open_minor)), line_no);
create index matches_decided on public.matches (tenant_id, pair_no) where decided_by is not null and method <> 'manual';

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.decide_own_matches(text,uuid[]);
delete from private.event_kinds;
delete from private.operations;
delete from private.permissions;
CREATE OR REPLACE FUNCTION public.list_reconciliations(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.enter(request, 'list_reconciliations');
  select jsonb_agg(private.reconciliation_json(r) order by r.id desc) into items
  from (
    select * from public.reconciliations x
    where x.tenant_id = private.tenant_id()
      and (input -> 'after' ->> 0 is null or x.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or x.status = input ->> 'status')
      and (input ->> 'left_source_id' is null or x.left_source_id = input ->> 'left_source_id')
      and (input ->> 'right_source_id' is null or x.right_source_id = input ->> 'right_source_id')
      and (input ->> 'period_from' is null or x.period_end >= (input ->> 'period_from')::date)
      and (input ->> 'period_to' is null or x.period_start <= (input ->> 'period_to')::date)
    order by x.id desc
    limit page_size + 1
  ) r;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.amount_of_word(word text)
 RETURNS bigint
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  parts constant text[] := regexp_match(word, '^[-+]?(\d[\d.,'']*?)(?:[.,](\d{1,2}))?$');
  digits constant text := regexp_replace(parts[1], '\D', '', 'g') || rpad(coalesce(parts[2], ''), 2, '0');
begin
  return case when length(digits) <= 18 then digits::bigint end;
end $function$;
CREATE OR REPLACE FUNCTION private.line_patterns(word text)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return private.word_patterns(word) || ('%=' || private.amount_of_word(word) || coalesce(substring(word from '^[-+]'), '_'));
end $function$;
CREATE OR REPLACE FUNCTION private.index_lines(batch integer DEFAULT 5000)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  with recursive waiting as (
    (select x.tenant_id from private.line_spans x order by x.tenant_id limit 1)
    union all
    select (select x.tenant_id from private.line_spans x where x.tenant_id > w.tenant_id order by x.tenant_id limit 1)
    from waiting w where w.tenant_id is not null
  ), tenants as materialized (
    select w.tenant_id, greatest(1, batch / count(*) over ()) as share from waiting w where w.tenant_id is not null limit batch
  ), held as materialized (
    select t.share, s.* from tenants t cross join lateral (
      select x.tenant_id, x.span_no, x.source_no, x.first_line_no, x.last_line_no from private.line_spans x
      where x.tenant_id = t.tenant_id order by x.span_no limit t.share for update skip locked
    ) s
  ), spans as materialized (
    -- Of the span that goes beyond the share, its beginning.
    select h.*, least(h.last_line_no, h.first_line_no + h.share - h.before - 1) as up_to from (
      select x.*, coalesce(sum(x.last_line_no - x.first_line_no + 1) over (
        partition by x.tenant_id order by x.span_no rows between unbounded preceding and 1 preceding), 0)::bigint as before
      from held x
    ) h where h.before < h.share
  ), written as (
    insert into private.line_texts (tenant_id, line_no, source_no, text)
    select l.tenant_id, l.line_no, l.source_no, private.line_text(l) from spans s
    cross join lateral (
      select * from public.lines x where x.tenant_id = s.tenant_id and x.line_no between s.first_line_no and s.up_to offset 0
    ) l
    where l.source_no = s.source_no
    on conflict on constraint line_texts_pkey do nothing
  ), begun as (
    update private.line_spans x set first_line_no = s.up_to + 1 from spans s
    where s.up_to < s.last_line_no and x.tenant_id = s.tenant_id and x.span_no = s.span_no
  )
  delete from private.line_spans x using spans s where s.up_to = s.last_line_no and x.tenant_id = s.tenant_id and x.span_no = s.span_no;
  return exists (select from private.line_spans);
end $function$;
CREATE OR REPLACE FUNCTION private.line_state_is(state text, of_several boolean)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  opened constant text := 'exists (select from private.open_lines o where o.tenant_id = $1 and o.pair_no = s.pair_no and o.line_no = x.line_no';
  excluded constant text := 'exists (select from public.exclusions e where e.tenant_id = $1 and e.pair_no = s.pair_no and e.line_no = x.line_no)';
begin
  if of_several then
    return format('(private.line_standing(x, $3.pair_no)).state = any (%L::text[])', case state
      when 'outstanding' then array['open', 'partly_matched'] else array[state] end);
  end if;
  return case state
    when 'outstanding' then '(s.pair_no is null or ' || opened || '))'
    when 'open' then '(s.pair_no is null or ' || opened || ' and o.open_minor = o.amount_minor))'
    when 'partly_matched' then opened || ' and o.open_minor <> o.amount_minor)'
    when 'excluded' then excluded || ' and not ' || opened || ')'
    when 'matched' then 's.pair_no is not null and not ' || opened || ') and not ' || excluded
  end;
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
  q constant text := nullif(btrim(input ->> 'q'), '');
  after_date constant date := (input -> 'after' ->> 0)::date;
  -- Of a line that is gone meanwhile: its day is begun anew.
  after_no constant bigint := coalesce((
    select x.line_no from public.lines x where x.tenant_id = tenant and x.id = private.line_id(input -> 'after' ->> 1)
  ), 9223372036854775807);
  r public.reconciliations;
  among_open boolean;
  source_nos integer[];
  hits bigint[];
  filters text;
  items jsonb;
begin
  perform private.enter(request, 'list_lines');
  if input ->> 'source_id' is not null then
    perform private.own_source(input ->> 'source_id');
  end if;
  if input ->> 'reconciliation_id' is not null then
    select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = input ->> 'reconciliation_id';
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
      and (input ->> 'side' is null or s.source_no = case input ->> 'side' when 'left' then p.left_source_no else p.right_source_no end)
  );
  if q is not null then
    hits := private.find_own_lines(q, source_nos, 5000);
  end if;

  among_open := r.closed_at is null and r.pair_no is not null and hits is null and input ->> 'state' in ('open', 'partly_matched', 'outstanding');
  filters := concat_ws(' and ',
    'x.tenant_id = $1 and x.source_no = s.source_no',
    case when hits is not null then 'x.line_no = any ($5)' when q is not null then private.line_search(q, 'private.line_text(x)') end,
    case when after_date is not null then '(x.value_date, x.line_no) < ($6, $7)' end,
    case when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$ end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$ end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case when input ->> 'amount_from' is not null then $c$x.amount_minor >= ($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then $c$x.amount_minor <= ($2 ->> 'amount_to')::bigint$c$ end,
    case when input ->> 'import_id' is not null then $c$x.import_id = $2 ->> 'import_id' and x.line_no between
      (select i.first_line_no from public.imports i where i.tenant_id = $1 and i.id = $2 ->> 'import_id') and
      (select i.last_line_no from public.imports i where i.tenant_id = $1 and i.id = $2 ->> 'import_id')$c$ end,
    case when r.id is not null then 'x.value_date <= $3.period_end' end,
    case when r.id is not null and not among_open then 'private.line_belongs(x, $3)' end,
    case when among_open then null when r.closed_at is not null then private.line_state_was(input ->> 'state')
      else private.line_state_is(input ->> 'state', exists (
        select from unnest(source_nos) n join public.pairs p on p.tenant_id = tenant and n in (p.left_source_no, p.right_source_no)
        where r.id is null group by n having count(*) > 1
      )) end
  );
  -- Planned for what is asked: one plan for all of it would read the whole source.
  execute format(
    case when among_open then $sql$
      select jsonb_agg(private.line_json(f.line, f.source_id, $3.pair_no) order by (f.line).value_date desc, (f.line).line_no desc)
      from (
        select s.id as source_id, l.line
        from %2$s cross join lateral (
          select x as line from private.open_lines w
          cross join lateral (select * from public.lines y where y.tenant_id = $1 and y.line_no = w.line_no offset 0) x
          where w.tenant_id = $1 and w.pair_no = s.pair_no and w.side = s.side and %3$s and %1$s
          order by w.value_date desc, w.line_no desc limit $8
        ) l
        order by (l.line).value_date desc, (l.line).line_no desc limit $8
      ) f $sql$
    when hits is null then $sql$
      select jsonb_agg(private.line_json(f.line, f.source_id, $3.pair_no) || private.line_in_closed(f.line, $3) order by (f.line).value_date desc, (f.line).line_no desc)
      from (
        select s.id as source_id, l.line
        from %2$s cross join lateral (
          select x as line from public.lines x where %1$s order by x.value_date desc, x.line_no desc limit $8
        ) l
        order by (l.line).value_date desc, (l.line).line_no desc limit $8
      ) f $sql$
    else $sql$
      select jsonb_agg(private.line_json(f.line, f.source_id, $3.pair_no) || private.line_in_closed(f.line, $3) order by (f.line).value_date desc, (f.line).line_no desc)
      from (
        select s.id as source_id, x as line
        from %2$s cross join public.lines x
        where %1$s
        order by x.value_date desc, x.line_no desc limit $8
      ) f $sql$ end, filters, $c$(
      select x.id, x.source_no, coalesce($3.pair_no, (
        select p.pair_no from public.pairs p where p.tenant_id = $1 and x.source_no in (p.left_source_no, p.right_source_no) limit 1
      )) as pair_no, case x.source_no when (
        select p.left_source_no from public.pairs p where p.tenant_id = $1 and p.pair_no = $3.pair_no) then 'left' else 'right' end as side
      from public.sources x where x.tenant_id = $1 and x.source_no = any ($4)
    ) s$c$, concat_ws(' and ', 'w.value_date <= $3.period_end', case when after_date is not null then '(w.value_date, w.line_no) < ($6, $7)' end,
      case input ->> 'state' when 'open' then 'w.open_minor = w.amount_minor' when 'partly_matched' then 'w.open_minor <> w.amount_minor' end)
  ) into items using tenant, input, r, source_nos, hits, after_date, after_no, page_size + 1;
  return private.page(items, page_size, 'value_date', 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.line_state_was(state text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  carried constant text := 'exists (select from public.carried_lines c where c.tenant_id = $1 and c.reconciliation_id = $3.id and c.line_no = x.line_no)';
  matched constant text := $c$exists (
    select from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
    where mm.tenant_id = $1 and mm.line_no = x.line_no and m.reconciliation_id = $3.id and m.state = 'confirmed')$c$;
begin
  return case state
    when 'outstanding' then carried
    when 'open' then carried || ' and not ' || matched
    when 'partly_matched' then carried || ' and ' || matched
    when 'matched' then matched || ' and not ' || carried
    when 'excluded' then 'not ' || matched || ' and not ' || carried
  end;
end $function$;
CREATE OR REPLACE FUNCTION private.line_in_closed(l public.lines, r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  carried bigint;
  ids jsonb;
begin
  if r.closed_at is null then
    return '{}';
  end if;
  select c.open_minor into carried from public.carried_lines c
  where c.tenant_id = l.tenant_id and c.reconciliation_id = r.id and c.line_no = l.line_no;
  select coalesce(jsonb_agg(private.match_id_text(m.id) order by m.id), '[]') into ids
  from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
  where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no and m.reconciliation_id = r.id and m.state = 'confirmed';
  return jsonb_build_object('match_ids', ids,
    'state', case when carried is null then case when ids = '[]' then 'excluded' else 'matched' end
      when ids = '[]' then 'open' else 'partly_matched' end,
    -- As it was posted, as in line_standing.
    'open_minor', case when carried is null then 0 when sign(carried) = sign(l.amount_minor) then carried else -carried end);
end $function$;
CREATE OR REPLACE FUNCTION private.act_json(a private.acts)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', a.id, 'reconciliation_id', a.reconciliation_id, 'action', a.kind,
    'match_count', cardinality(a.match_ids),
    'match_ids', (select coalesce(jsonb_agg(private.match_id_text(m) order by m), '[]') from unnest(a.match_ids[:500]) m),
    'line_id', private.line_id_text(a.line_id), 'created_at', private.iso(a.created_at), 'created_by', a.created_by,
    'undone_at', private.iso(a.undone_at), 'undone_by', a.undone_by
  );
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
  return query
  select m.* from unnest(ids) with ordinality as i (id, n) join public.matches m on m.tenant_id = tenant and m.id = i.id order by i.n;
end $function$;
CREATE OR REPLACE FUNCTION public.decide_matches(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'decide_matches');
  tenant constant text := private.tenant_id();
  action constant text := input ->> 'action';
  filter constant jsonb := nullif(input -> 'filter', 'null');
  found_ids uuid[];
  missing jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  if action = 'undo' and not private.may('write:reconciliations') then
    perform private.refuse('role_required', 'This credential may confirm and reject suggestions, and not undo matches.');
  end if;
  if filter is null then
    select array_agg(private.match_id(i.id) order by i.n),
      jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such match.') order by i.n)
        filter (where private.match_id(i.id) is null)
    into found_ids, missing
    from jsonb_array_elements_text(input -> 'ids') with ordinality as i (id, n);
    if missing is not null then
      perform private.refuse('not_found', 'There is no such match.', missing);
    end if;
  else
    perform private.find_period(filter ->> 'reconciliation_id');
    select coalesce(array_agg(m.id order by m.id), '{}') into found_ids
    from (
      select x.id from public.matches x
      where x.tenant_id = tenant and x.reconciliation_id = filter ->> 'reconciliation_id'
        and x.state = case action when 'undo' then 'confirmed' else 'suggested' end
        and (filter ->> 'method' is null or x.method = filter ->> 'method')
        and (filter ->> 'shape' is null or x.shape = filter ->> 'shape')
        and (filter ->> 'run_id' is null or x.run_id = filter ->> 'run_id')
        and (filter ->> 'score_from' is null or x.score >= (filter ->> 'score_from')::real)
        and (filter ->> 'score_below' is null or x.score < (filter ->> 'score_below')::real)
      order by x.id limit 5001
    ) m;
    if cardinality(found_ids) > 5000 then
      perform private.refuse_field('filter', 'The filter finds more than 5,000 matches. Narrow it.');
    elsif cardinality(found_ids) <> (input ->> 'expected_count')::integer then
      perform private.refuse('conflict', format('The filter finds %s matches, not %s. Look at them again. Nothing was changed.',
        cardinality(found_ids), input ->> 'expected_count'));
    end if;
  end if;
  return private.answer(request, (
    select jsonb_build_object('count', count(*), 'items', coalesce(jsonb_agg(private.match_json(m) order by d.ordinality) filter (where d.ordinality <= 500), '[]'))
    from private.decide_own_matches(action, found_ids, filter is null) with ordinality d
    join public.matches m on m.tenant_id = d.tenant_id and m.id = d.id
  ));
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
  insert into public.exclusions (tenant_id, pair_no, line_no, reconciliation_id, side, currency, excluded_minor, reason)
  values (tenant, r.pair_no, o.line_no, r.id, o.side, o.currency, o.open_minor, $3);
  perform private.drop_suggestions(tenant, r.pair_no, array[o.line_no]);
  perform private.resolve_line_exceptions(tenant, r.pair_no, array[o.line_no], left('Excluded: ' || $3, 1000));
  insert into private.acts (tenant_id, reconciliation_id, kind, line_id, reason, created_by)
  values (tenant, r.id, 'exclude', private.line_id($1), $3, private.actor());
  perform private.record_security_event('line.excluded', $1, null, jsonb_build_object('reconciliation_id', r.id, 'reason', $3));
end $function$;
CREATE OR REPLACE FUNCTION private.include_own_line(id text, period text, reason text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  r public.reconciliations;
  x public.exclusions;
begin
  select r2.* into r from public.lines l
  join public.exclusions e on e.tenant_id = l.tenant_id and e.line_no = l.line_no
  join public.reconciliations r2 on r2.tenant_id = e.tenant_id and r2.id = e.reconciliation_id
  where l.tenant_id = tenant and l.id = private.line_id($1) and (period is null or r2.id = period)
  order by r2.period_end desc limit 1;
  if not found then
    perform private.refuse('conflict', 'This line is not excluded.');
  end if;
  r := private.hold_period(tenant, r.id);
  delete from public.exclusions e using public.lines l
  where l.tenant_id = tenant and l.id = private.line_id($1) and e.tenant_id = tenant and e.pair_no = r.pair_no and e.line_no = l.line_no
  returning e.* into x;
  if not found then
    perform private.refuse('conflict', 'This line is not excluded.');
  end if;
  insert into private.open_lines as o (tenant_id, pair_no, line_no, side, currency, amount_minor, open_minor, value_date)
  select tenant, x.pair_no, l.line_no, x.side, l.currency, case s.sign when 'inverted' then -l.amount_minor else l.amount_minor end,
    x.excluded_minor, l.value_date
  from public.lines l join public.sources s on s.tenant_id = l.tenant_id and s.source_no = l.source_no
  where l.tenant_id = tenant and l.line_no = x.line_no
  on conflict (tenant_id, pair_no, line_no) do update set open_minor = o.open_minor + excluded.open_minor;
  perform private.reopen_line_exceptions(tenant, x.pair_no, array[x.line_no]);
  update private.acts a set undone_at = now(), undone_by = private.actor()
  where a.tenant_id = tenant and a.line_id = private.line_id($1) and a.reconciliation_id = r.id and a.undone_at is null;
  perform private.record_security_event('line.included', $1, null, jsonb_build_object('reconciliation_id', r.id, 'reason', $3));
  return r.id;
end $function$;
CREATE OR REPLACE FUNCTION private.own_open_lines(r public.reconciliations, input jsonb, hits bigint[], amount bigint, after_no bigint, most integer)
 RETURNS TABLE(n bigint, line_no bigint, side text, amount_minor bigint, open_minor bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  by_amount constant boolean := input ->> 'sort' = 'amount';
  q constant text := nullif(btrim(input ->> 'q'), '');
  sort_key constant text := case when by_amount then '(-abs(x.open_minor))' else 'x.value_date' end;
  filters constant text := concat_ws(' and ',
    'x.tenant_id = $1 and x.pair_no = $3 and x.side = s.side and x.value_date <= $4',
    case when hits is not null then '(x.line_no = any ($5)' || case when amount is not null then ' or (-abs(x.open_minor)) = -$6' else '' end || ')'
      when q is not null then 'exists (select from public.lines l where l.tenant_id = $1 and l.line_no = x.line_no and '
        || private.line_search(q, 'private.line_text(l)') || ')' end,
    case when after_no is not null then format('(%s, x.line_no) > (%s, $7)', sort_key,
      case when by_amount then $c$-abs(($2 -> 'after' ->> 0)::bigint)$c$ else $c$($2 -> 'after' ->> 0)::date$c$ end) end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$ end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$ end,
    case when input ->> 'amount_from' is not null then $c$x.open_minor >= ($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then $c$x.open_minor <= ($2 ->> 'amount_to')::bigint$c$ end,
    case (input ->> 'suggested')::boolean
      -- Few have one: they are looked up.
      when true then $c$x.line_no = any (array(
        select mm.line_no from public.matches m join public.match_members mm on mm.tenant_id = m.tenant_id and mm.match_id = m.id
        where m.tenant_id = $1 and m.reconciliation_id = $8 and m.state = 'suggested'))$c$
      when false then $c$not exists (
        select from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
        where mm.tenant_id = $1 and mm.line_no = x.line_no and mm.pair_no = $3 and m.state = 'suggested' and m.reconciliation_id = $8)$c$
    end
  );
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  -- Planned for what is asked, each side in the order of its index until the page is full.
  return query execute format($sql$
    select row_number() over (order by o.sort_key, o.line_no), o.line_no, o.side, o.amount_minor, o.open_minor
    from unnest($9) s (side) cross join lateral (
      select x.line_no, x.side, x.amount_minor, x.open_minor, %2$s as sort_key from private.open_lines x
      where %1$s order by %2$s, x.line_no limit $10
    ) o order by o.sort_key, o.line_no limit $10 $sql$, filters, sort_key)
  using private.tenant_id(), input, r.pair_no, r.period_end, hits, amount, after_no, r.id,
    case when input ->> 'side' is null then array['left', 'right'] else array[input ->> 'side'] end, most;
end $function$;
CREATE OR REPLACE FUNCTION public.list_open_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  q constant text := nullif(btrim(input ->> 'q'), '');
  r public.reconciliations;
  -- Of a line that is gone meanwhile: its day or amount is begun anew.
  after_no bigint;
  hits bigint[];
  items jsonb;
begin
  perform private.enter(request, 'list_open_lines');
  r := private.find_period(input ->> 'id');
  if r.closed_at is not null then
    return private.page(null, page_size, 'id');
  end if;
  if input ->> 'after' is not null then
    after_no := coalesce((
      select x.line_no from public.lines x where x.tenant_id = r.tenant_id and x.id = private.line_id(input -> 'after' ->> 1)), 0);
  end if;
  if q is not null then
    hits := private.find_own_lines(q, (
      select array[p.left_source_no, p.right_source_no] from public.pairs p where p.tenant_id = r.tenant_id and p.pair_no = r.pair_no), 5000);
  end if;
  select jsonb_agg(private.open_line_json(l, o.side, o.amount_minor, o.open_minor, r) order by o.n) into items
  from private.own_open_lines(r, input, hits, private.amount_of_word(q), after_no, page_size + 1) o
  cross join lateral (select * from public.lines y where y.tenant_id = r.tenant_id and y.line_no = o.line_no offset 0) l;
  return private.page(items, page_size, case input ->> 'sort' when 'amount' then 'open_minor' else 'value_date' end, 'id');
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
    'exceptions_held_back', r.exceptions_held_back, 'rules_version', r.rules_version, 'engine_version', r.engine_version,
    'digest', r.digest, 'failure', r.failure,
    'duration_ms', round(extract(epoch from r.finished_at - r.started_at) * 1000),
    'created_at', private.iso(r.created_at), 'created_by', r.created_by, 'started_at', private.iso(r.started_at),
    'finished_at', private.iso(r.finished_at)
  );
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
CREATE OR REPLACE FUNCTION private.score_bands()
 RETURNS real[]
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO ''
RETURN ARRAY[(0)::real, (0.5)::real, (0.8)::real, (0.9)::real, (0.95)::real, (0.99)::real];
CREATE OR REPLACE FUNCTION private.score_band(score real)
 RETURNS integer
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return width_bucket(coalesce(score, 0), private.score_bands());
end $function$;
CREATE OR REPLACE FUNCTION public.list_suggestion_bands(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  bands constant real[] := private.score_bands();
  r public.reconciliations;
begin
  perform private.enter(request, 'list_suggestion_bands');
  r := private.find_period(input ->> 'id');
  return (
    with suggested as (
      select m.method, private.score_band(m.score) as band, m.currency, count(*) as matches, sum(m.amount_minor) as minor
      from public.matches m where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested'
      group by 1, 2, 3
    ), decided as (
      select d.method, d.band, count(*) filter (where d.state = 'confirmed') as confirmed, count(*) filter (where d.state <> 'confirmed') as refused
      from (
        select m.method, private.score_band(m.score) as band, m.state, count(*) over (partition by m.decided_by, m.decided_at) as together
        from public.matches m where m.tenant_id = r.tenant_id and m.pair_no = r.pair_no and m.decided_by is not null and m.method <> 'manual'
      ) d where d.together = 1 group by 1, 2
    )
    select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object(
      'method', s.method, 'score_from', bands[s.band], 'score_below', bands[s.band + 1], 'count', s.matches, 'amounts', s.amounts,
      'confirmed_count', coalesce(d.confirmed, 0), 'rejected_count', coalesce(d.refused, 0)) order by s.band desc, s.matches desc, s.method), '[]'))
    from (
      select x.method, x.band, sum(x.matches) as matches, jsonb_agg(jsonb_build_object(
        'currency', x.currency, 'amount_minor', private.exact_sum(x.minor)) order by x.currency) as amounts
      from suggested x group by 1, 2
    ) s left join decided d on d.method = s.method and d.band = s.band
  );
end $function$;
CREATE OR REPLACE FUNCTION public.sample_suggestions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  perform private.enter(request, 'sample_suggestions');
  r := private.find_period(input ->> 'id');
  return (
    with found as materialized (
      select m.id, m.currency, m.amount_minor, row_number() over (order by m.score, m.id) - 1 as n, count(*) over () as total
      from public.matches m
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested' and m.method = input ->> 'method'
        and m.score >= (input ->> 'score_from')::real and (input ->> 'score_below' is null or m.score < (input ->> 'score_below')::real)
    )
    select jsonb_build_object(
      'count', (select count(*) from found),
      'amounts', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', x.currency, 'amount_minor', private.exact_sum(x.minor)) order by x.currency), '[]')
        from (select f.currency, sum(f.amount_minor) as minor from found f group by 1) x
      ),
      'items', (
        select coalesce(jsonb_agg(private.match_json(m) order by f.n), '[]')
        from found f join public.matches m on m.tenant_id = r.tenant_id and m.id = f.id
        where f.n = 0 or f.n * 20 / f.total <> (f.n - 1) * 20 / f.total
      )
    )
  );
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
  update public.runs x set status = 'running', stage = 'reading', started_at = now(), rules_version = p.rules_version, engine_version = engine,
    lines_done = 0, lines_total = 0
  where x.tenant_id = tenant and x.id = begun.id;
  return jsonb_build_object(
    'run_id', begun.id, 'dry_run', begun.dry_run, 'pair_no', p.pair_no, 'period_end', r.period_end, 'closed', r.closed_at is not null, 'weights', p.weights,
    'rules', coalesce(begun.dry_run -> 'rules', rule_set.rules), 'policy', coalesce(rule_set.policy, private.default_policy()),
    -- Whether all that the engine made is weighed again, or what it settled by its first rules stands.
    'whole', begun.dry_run is not null or last_run.id is null or last_run.rules_version is distinct from p.rules_version
      or last_run.engine_version is distinct from engine
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
        join public.sources s on s.tenant_id = tenant and s.source_no = l.source_no
        where l.value_date < private.business_days_before((now() at time zone s.time_zone)::date, s.grace_days)
          and not exists (
            select from public.exceptions e where e.tenant_id = tenant and e.line_no = o.line_no and e.pair_no = r.pair_no and e.status in ('open', 'in_review'))
      )
    )
    from public.reconciliations r where r.tenant_id = tenant and r.id = reconciliation
  );
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
      from public.exceptions e where e.tenant_id = l.tenant_id and e.line_no = l.line_no
      union all
      select case e.status when 'dismissed' then 'exception_dismissed' else 'exception_resolved' end, e.closed_at,
        case when e.resolved_by_matching then 'system' end, e.reconciliation_id, null, e.id, null, e.resolution
      from public.exceptions e where e.tenant_id = l.tenant_id and e.line_no = l.line_no and e.closed_at is not null
    )
    select jsonb_build_object('items', coalesce(jsonb_agg(jsonb_build_object('type', t.type, 'at', private.iso(t.at), 'actor', t.actor,
      'reconciliation_id', t.reconciliation_id, 'match_id', private.match_id_text(t.match_id), 'exception_id', t.exception_id,
      'import_id', t.import_id, 'note', t.note) order by t.at, t.place), '[]'))
    from (select x.*, array_position(array['added', 'exception_opened', 'suggested', 'confirmed', 'matched'], x.type) as place from told x
      order by x.at desc limit 200) t
  );
end $function$;
grant execute on function private.amount_of_word(text) to authenticated;
grant execute on function private.decide_own_matches(text,uuid[],boolean) to authenticated;
grant execute on function private.exceptions_at_stake(text,text,bigint[],bigint[]) to service_role;
grant execute on function private.line_in_closed(public.lines,public.reconciliations) to authenticated;
grant execute on function private.line_state_was(text) to authenticated;
grant execute on function private.own_open_lines(public.reconciliations,jsonb,bigint[],bigint,bigint,integer) to authenticated;
grant execute on function private.score_band(real) to authenticated;
grant execute on function private.score_bands() to authenticated;
grant execute on function public.list_line_history(jsonb,jsonb) to authenticated;
grant execute on function public.list_suggestion_bands(jsonb,jsonb) to authenticated;
grant execute on function public.sample_suggestions(jsonb,jsonb) to authenticated;
insert into private.permissions select (row_text::private.permissions).* from (values
  ('(close:reconciliations,{user},"{tenant_admin,tenant_lead}",)'),
  ('(decide:matches,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",write:reconciliations)'),
  ('(read:api-keys,{user},{tenant_admin},)'),
  ('(read:calendars,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:exceptions)'),
  ('(read:exceptions,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:exceptions)'),
  ('(read:first-steps,{user},{tenant_admin},)'),
  ('(read:integrations,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:integrations)'),
  ('(read:me,"{user,api_key,service_role,publishable_key}",,)'),
  ('(read:members,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:reconciliations,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",read:reconciliations)'),
  ('(read:release-notes,"{user,api_key,service_role,publishable_key}","{tenant_admin,tenant_analyst,tenant_lead}",read:release-notes)'),
  ('(read:security-events,"{user,service_role}",{tenant_admin},)'),
  ('(read:sessions,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:sla,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:sla-policy,"{user,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(read:troubleshooting,"{user,api_key,service_role,publishable_key}","{tenant_admin,tenant_analyst,tenant_lead}",read:troubleshooting)'),
  ('(read:webhooks,"{user,api_key,service_role}",{tenant_admin},read:webhooks)'),
  ('(restore:integrations,"{user,service_role}",{tenant_admin},)'),
  ('(restore:release-notes,"{user,service_role}",{tenant_admin},)'),
  ('(restore:troubleshooting,"{user,service_role}",{tenant_admin},)'),
  ('(write:api-keys,{user},{tenant_admin},)'),
  ('(write:calendars,"{user,service_role}",{tenant_admin},)'),
  ('(write:exceptions,"{user,api_key,service_role}","{tenant_admin,tenant_analyst,tenant_lead}",write:exceptions)'),
  ('(write:first-steps,{user},{tenant_admin},)'),
  ('(write:integrations,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:integrations)'),
  ('(write:reconciliations,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:reconciliations)'),
  ('(write:release-notes,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:release-notes)'),
  ('(write:sessions,{user},"{tenant_admin,tenant_analyst,tenant_lead}",)'),
  ('(write:sla-policy,"{user,service_role}","{tenant_admin,tenant_lead}",)'),
  ('(write:troubleshooting,"{user,api_key,service_role}","{tenant_admin,tenant_lead}",write:troubleshooting)'),
  ('(write:webhooks,"{user,api_key,service_role}",{tenant_admin},write:webhooks)')
) as given (row_text);
insert into private.operations select (row_text::private.operations).* from (values
  ('(add_lines,addLines,write:reconciliations)'),
  ('(close_reconciliation,closeReconciliation,close:reconciliations)'),
  ('(confirm_match,confirmMatch,decide:matches)'),
  ('(continue_security_event_export,exportSecurityEvents,read:security-events)'),
  ('(create_api_key,createApiKey,write:api-keys)'),
  ('(create_calendar,createCalendar,write:calendars)'),
  ('(create_exception,createException,write:exceptions)'),
  ('(create_import,createImport,write:reconciliations)'),
  ('(create_match,createMatch,write:reconciliations)'),
  ('(create_reconciliation,createReconciliation,write:reconciliations)'),
  ('(create_record,createIntegration,write:integrations)'),
  ('(create_record,createReleaseNote,write:release-notes)'),
  ('(create_record,createTroubleshootingGuide,write:troubleshooting)'),
  ('(create_run,createRun,write:reconciliations)'),
  ('(create_source,createSource,write:reconciliations)'),
  ('(create_webhook,createWebhook,write:webhooks)'),
  ('(decide_matches,decideMatches,decide:matches)'),
  ('(delete_record,deleteIntegration,write:integrations)'),
  ('(delete_record,deleteReleaseNote,write:release-notes)'),
  ('(delete_record,deleteTroubleshootingGuide,write:troubleshooting)'),
  ('(delete_webhook,deleteWebhook,write:webhooks)'),
  ('(drop_import,createImport,write:reconciliations)'),
  ('(enable_webhook,enableWebhook,write:webhooks)'),
  ('(end_sessions,endSessions,write:sessions)'),
  ('(estimate_api_key_impact,estimateApiKeyImpact,read:api-keys)'),
  ('(exclude_line,excludeLine,write:reconciliations)'),
  ('(get_api_key,getApiKey,read:api-keys)'),
  ('(get_api_key_usage,getApiKeyUsage,read:api-keys)'),
  ('(get_calendar,getCalendar,read:calendars)'),
  ('(get_calendar,getCalendarIcs,read:calendars)'),
  ('(get_exception,getException,read:exceptions)'),
  ('(get_exception_ledger,getExceptionLedger,read:exceptions)'),
  ('(get_first_steps,getFirstSteps,read:first-steps)'),
  ('(get_import,getImport,read:reconciliations)'),
  ('(get_line,getLine,read:reconciliations)'),
  ('(get_match,getMatch,read:reconciliations)'),
  ('(get_me,getMe,read:me)'),
  ('(get_proof,getProof,read:reconciliations)'),
  ('(get_reconciliation,getReconciliation,read:reconciliations)'),
  ('(get_record,getIntegration,read:integrations)'),
  ('(get_record,getReleaseNote,read:release-notes)'),
  ('(get_record,getTroubleshootingGuide,read:troubleshooting)'),
  ('(get_rules,getRules,read:reconciliations)'),
  ('(get_run,getRun,read:reconciliations)'),
  ('(get_security_event,getSecurityEvent,read:security-events)'),
  ('(get_sla_policy,getSlaPolicy,read:sla-policy)'),
  ('(get_sla_report,exportSlaReport,read:sla)'),
  ('(get_sla_report,getSlaReport,read:sla)'),
  ('(get_source,addLines,write:reconciliations)'),
  ('(get_source,getSource,read:reconciliations)'),
  ('(get_statement,getStatement,read:reconciliations)'),
  ('(get_time_to_breach,getTimeToBreach,read:sla)'),
  ('(get_webhook,getWebhook,read:webhooks)'),
  ('(get_webhook_delivery,getWebhookDelivery,read:webhooks)'),
  ('(import_exceptions,importExceptions,write:exceptions)'),
  ('(include_line,includeLine,write:reconciliations)'),
  ('(keep_import_chunk,createImport,write:reconciliations)'),
  ('(list_api_keys,listApiKeys,read:api-keys)'),
  ('(list_calendars,listCalendars,read:calendars)'),
  ('(list_decisions,listDecisions,read:reconciliations)'),
  ('(list_exception_history,listExceptionHistory,read:exceptions)'),
  ('(list_exceptions,listExceptions,read:exceptions)'),
  ('(list_holidays,listHolidayCountries,read:calendars)'),
  ('(list_holidays,listHolidays,read:calendars)'),
  ('(list_imports,listImports,read:reconciliations)'),
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
  ('(list_runs,listRuns,read:reconciliations)'),
  ('(list_security_events,listSecurityEvents,read:security-events)'),
  ('(list_sessions,listSessions,read:sessions)'),
  ('(list_sla_exceptions,exportSlaExceptions,read:sla)'),
  ('(list_sla_exceptions,listSlaExceptions,read:sla)'),
  ('(list_sources,listSources,read:reconciliations)'),
  ('(list_suggestion_bands,listSuggestionBands,read:reconciliations)'),
  ('(list_webhook_deliveries,listWebhookDeliveries,read:webhooks)'),
  ('(list_webhooks,listWebhooks,read:webhooks)'),
  ('(open_import,createImport,write:reconciliations)'),
  ('(open_security_event_chain,verifySecurityEvents,read:security-events)'),
  ('(open_security_event_export,exportSecurityEvents,read:security-events)'),
  ('(pause_exception,pauseException,write:exceptions)'),
  ('(preview_import,createImport,write:reconciliations)'),
  ('(put_calendar,putCalendar,write:calendars)'),
  ('(put_first_steps,putFirstSteps,write:first-steps)'),
  ('(put_rules,putRules,write:reconciliations)'),
  ('(put_sla_policy,putSlaPolicy,write:sla-policy)'),
  ('(read_ics,readIcs,write:calendars)'),
  ('(recover_webhook,recoverWebhook,write:webhooks)'),
  ('(reject_match,rejectMatch,decide:matches)'),
  ('(reopen_reconciliation,reopenReconciliation,close:reconciliations)'),
  ('(resend_webhook_delivery,resendWebhookDelivery,write:webhooks)'),
  ('(restore_record,restoreIntegration,restore:integrations)'),
  ('(restore_record,restoreReleaseNote,restore:release-notes)'),
  ('(restore_record,restoreTroubleshootingGuide,restore:troubleshooting)'),
  ('(resume_exception,resumeException,write:exceptions)'),
  ('(revoke_api_key,revokeApiKey,write:api-keys)'),
  ('(rotate_api_key,rotateApiKey,write:api-keys)'),
  ('(rotate_webhook_secret,rotateWebhookSecret,write:webhooks)'),
  ('(sample_suggestions,sampleSuggestions,read:reconciliations)'),
  ('(test_webhook,testWebhook,write:webhooks)'),
  ('(undo_decision,undoDecision,decide:matches)'),
  ('(undo_import,undoImport,write:reconciliations)'),
  ('(undo_match,undoMatch,write:reconciliations)'),
  ('(update_api_key,updateApiKey,write:api-keys)'),
  ('(update_exception,updateException,write:exceptions)'),
  ('(update_exceptions,updateExceptions,write:exceptions)'),
  ('(update_reconciliation,updateReconciliation,write:reconciliations)'),
  ('(update_record,updateIntegration,write:integrations)'),
  ('(update_record,updateReleaseNote,write:release-notes)'),
  ('(update_record,updateTroubleshootingGuide,write:troubleshooting)'),
  ('(update_source,updateSource,write:reconciliations)'),
  ('(update_webhook,updateWebhook,write:webhooks)'),
  ('(walk_security_event_chain,verifySecurityEvents,read:security-events)')
) as given (row_text);
insert into private.event_kinds select (row_text::private.event_kinds).* from (values
  ('(api_key.expiring,read:api-keys)'),
  ('(api_key.revoked,read:api-keys)'),
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
