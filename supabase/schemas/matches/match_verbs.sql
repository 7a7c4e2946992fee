-- Matches over the wire: list, get, confirm, reject, undo; one at a time and many at once.

-- A match of the caller's tenant. Refuses: not_found.
create function private.find_match(id text) returns public.matches
language plpgsql stable set search_path = '' as $$
declare
  m public.matches;
begin
  select * into m
  from public.matches x
  where x.tenant_id = private.tenant_id() and x.id = private.match_id($1);
  if not found then
    perform private.refuse_missing('match');
  end if;
  return m;
end $$;

-- A reconciliation of the caller's tenant that has sources. Refuses: not_found; conflict if it has
-- none.
create function private.find_period(id text) returns public.reconciliations
language plpgsql stable set search_path = '' as $$
declare
  r public.reconciliations;
begin
  select * into r
  from public.reconciliations x
  where x.tenant_id = private.tenant_id() and x.id = $1;
  if not found then
    perform private.refuse_missing('reconciliation');
  elsif r.pair_no is null then
    perform private.refuse_conflict('no_sources',
      'This reconciliation has no sources. Create one with left_source_id and right_source_id to match lines.');
  end if;
  return r;
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_match(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.begin_request(request, 'get_match');
  return private.match_json(private.find_match(input ->> 'id'));
end $$;

-- Refuses matches that do not exist, and those in a state that the action does not fit: all of them
-- by their places.
create function private.require_changeable(action text, ids uuid[]) returns void
language plpgsql stable set search_path = '' as $$
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
end $$;

-- Confirms, rejects or undoes matches of the caller's tenant: all of them or none. Returns them in
-- this order. Decisions by filter, in which nobody has `seen` each match, teach which lines are
-- alike, but are no proof that the engine may match automatically. Records: one event. Refuses:
-- not_found, invalid_transition and conflict with the place of each in ids; conflict if a period is
-- closed.
create function private.change_matches(action text, ids uuid[],
  seen boolean default true) returns setof public.matches
language plpgsql volatile set search_path = '' as $$
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
end $$;
grant execute on function private.find_match(text), private.find_period(text) to authenticated;

-- input: { id }. Refuses: not_found; invalid_transition; conflict if a line is not open any more,
-- or the period is closed.
create function public.confirm_match(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'confirm_match');
  m public.matches;
begin
  if replayed is not null then
    return replayed;
  end if;
  m := private.find_match(input ->> 'id');
  select * into m from private.change_matches('confirm', array[m.id]);
  return private.finish_request(request, private.match_json(m));
end $$;

-- input: { id }. The combination is not suggested again. Refuses: not_found; invalid_transition;
-- conflict if the period is closed.
create function public.reject_match(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'reject_match');
  m public.matches;
begin
  if replayed is not null then
    return replayed;
  end if;
  m := private.find_match(input ->> 'id');
  select * into m from private.change_matches('reject', array[m.id]);
  return private.finish_request(request, private.match_json(m));
end $$;

-- input: { id }. Its lines are open again; the combination is not matched again. Refuses: as above.
create function public.undo_match(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'undo_match');
  m public.matches;
begin
  if replayed is not null then
    return replayed;
  end if;
  m := private.find_match(input ->> 'id');
  select * into m from private.change_matches('undo', array[m.id]);
  return private.finish_request(request, private.match_json(m));
end $$;

-- A probability for the list's filter. Values below a millionth would exceed the range of a real.
create function private.score(given text) returns real
language sql immutable set search_path = '' as $$ select round(given::numeric, 6)::real $$;
grant execute on function private.score(text) to authenticated;

-- The matches with these IDs, in their order. Refuses: not_found with the place of each that can't
-- be one.
create function private.match_ids(ids jsonb) returns uuid[]
language plpgsql stable set search_path = '' as $$
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
end $$;

-- The matches of a period that a filter finds for an action. Refuses: not_found; invalid_request
-- for more than 5,000; conflict unless there are as many as expected.
create function private.matches_to_decide(action text, filter jsonb, expected integer)
returns uuid[]
language plpgsql stable set search_path = '' as $$
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
end $$;

-- input: { action, ids } or { action, filter: { reconciliation_id, method, shape, score_from,
-- score_below, run_id }, expected_count }: at most 500, by filter 5,000, all of them or none;
-- returns the first 500. Refuses: not_found, invalid_transition and conflict with the place of each
-- in ids; conflict if the filter finds another number of matches than expected; role_required for
-- undoing without the right to change reconciliations.
create function public.decide_matches(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
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
end $$;
