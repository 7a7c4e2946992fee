-- Matches over the wire: list, get, confirm, reject, undo; one at a time and many at once.

-- A match of the caller's tenant. Refuses: not_found.
create function private.find_match(id text) returns public.matches
language plpgsql stable set search_path = '' as $$
declare
  match public.matches;
begin
  select * into match
  from public.matches
  where matches.tenant_id = private.tenant_id() and matches.id = private.match_id($1);
  if not found then
    perform private.refuse_missing('match');
  end if;
  return match;
end $$;

-- A reconciliation of the caller's tenant that has sources. Refuses: not_found; conflict if it has
-- none.
create function private.find_period(id text) returns public.reconciliations
language plpgsql stable set search_path = '' as $$
declare
  period public.reconciliations;
begin
  select * into period
  from public.reconciliations
  where reconciliations.tenant_id = private.tenant_id() and reconciliations.id = $1;
  if not found then
    perform private.refuse_missing('reconciliation');
  elsif period.pair_no is null then
    perform private.refuse_conflict('no_sources',
      'This reconciliation has no sources. Create one with left_source_id and right_source_id to match lines.');
  end if;
  return period;
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
    jsonb_build_object('path', 'ids.' || (item.place - 1), 'message', 'There is no such match.')
    order by item.place) into refused
  from unnest(ids) with ordinality as item (id, place)
  left join public.matches match on match.tenant_id = tenant and match.id = item.id
  where match.id is null;
  if refused is not null then
    perform private.refuse('not_found', 'There is no such match.', refused);
  end if;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (item.place - 1),
    'message', format('This match is %s: only one that is %s can be %s.', match.state, wanted,
      done))
    order by item.place) into refused
  from unnest(ids) with ordinality as item (id, place)
  join public.matches match on match.tenant_id = tenant and match.id = item.id
  where match.state <> wanted;
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
  actor constant text := private.actor();
  touched record;
begin
  for touched in
    select match.pair_no, array_agg(distinct match.reconciliation_id) as periods
    from public.matches match
    where match.tenant_id = tenant and match.id = any (ids) group by match.pair_no
    order by match.pair_no
  loop
    perform private.lock_period(tenant, period_ids.id)
      from unnest(touched.periods) as period_ids (id);
  end loop;
  perform private.require_changeable(action, ids);
  for touched in
    select match.pair_no, array_agg(match.id order by match.id) as ids from public.matches match
    where match.tenant_id = tenant and match.id = any (change_matches.ids) group by match.pair_no
      order by match.pair_no
  loop
    case action
      when 'confirm' then perform private.confirm_matches(tenant, touched.pair_no, touched.ids,
        actor);
      when 'reject' then perform private.reject_matches(tenant, touched.ids, actor);
      when 'undo' then perform private.undo_matches(tenant, touched.ids, actor);
    end case;
  end loop;
  if not seen then
    update private.unlearned_decisions decision
    set score = null
    where decision.tenant_id = tenant and decision.match_id = any (change_matches.ids);
  end if;
  if action <> 'undo' then
    perform private.record_decision(action, change_matches.ids);
  end if;
  perform private.record_decided_matches(action, change_matches.ids,
    jsonb_build_object('by_filter', not seen));
  return query
  select match.*
  from unnest(ids) with ordinality as item (id, place)
  join public.matches match on match.tenant_id = tenant and match.id = item.id
  order by item.place;
end $$;
grant execute on function private.find_match(text), private.find_period(text) to authenticated;

-- input: { id }. Refuses: not_found; invalid_transition; conflict if a line is not open any more,
-- or the period is closed.
create function public.confirm_match(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'confirm_match');
  match public.matches;
begin
  if replayed is not null then
    return replayed;
  end if;
  match := private.find_match(input ->> 'id');
  select * into match from private.change_matches('confirm', array[match.id]);
  return private.finish_request(request, private.match_json(match));
end $$;

-- input: { id }. The combination is not suggested again. Refuses: not_found; invalid_transition;
-- conflict if the period is closed.
create function public.reject_match(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'reject_match');
  match public.matches;
begin
  if replayed is not null then
    return replayed;
  end if;
  match := private.find_match(input ->> 'id');
  select * into match from private.change_matches('reject', array[match.id]);
  return private.finish_request(request, private.match_json(match));
end $$;

-- input: { id }. Its lines are open again; the combination is not matched again. Refuses: as above.
create function public.undo_match(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'undo_match');
  match public.matches;
begin
  if replayed is not null then
    return replayed;
  end if;
  match := private.find_match(input ->> 'id');
  select * into match from private.change_matches('undo', array[match.id]);
  return private.finish_request(request, private.match_json(match));
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
  select array_agg(private.match_id(item.id) order by item.place),
    jsonb_agg(
      jsonb_build_object('path', 'ids.' || (item.place - 1), 'message', 'There is no such match.')
      order by item.place)
      filter (where private.match_id(item.id) is null)
  into found_ids, missing
  from jsonb_array_elements_text(ids) with ordinality as item (id, place);
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
  select coalesce(array_agg(match.id order by match.id), '{}') into found_ids
  from (
    select match.id from public.matches match
    where match.tenant_id = tenant and match.reconciliation_id = filter ->> 'reconciliation_id'
      and match.state = case action when 'undo' then 'confirmed' else 'suggested' end
      and (filter ->> 'method' is null or match.method = filter ->> 'method')
      and (filter ->> 'shape' is null or match.shape = filter ->> 'shape')
      and (filter ->> 'run_id' is null or match.run_id = filter ->> 'run_id')
      and (filter ->> 'score_from' is null or match.score >= private.score(filter ->> 'score_from'))
      and (filter ->> 'score_below' is null
      or match.score < private.score(filter ->> 'score_below'))
    order by match.id limit 5001
  ) match;
  if cardinality(found_ids) > 5000 then
    perform private.refuse_field('filter',
      'The filter finds more than 5,000 matches. Narrow it.');
  elsif cardinality(found_ids) <> expected then
    perform private.refuse_conflict('count_changed',
      format('The filter finds %s matches, not %s. Review them again. Nothing was changed.',
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
      'This credential may confirm and reject suggestions, but not undo matches.');
  end if;
  found_ids := case when filter is null then private.match_ids(input -> 'ids')
    else private.matches_to_decide(action, filter, (input ->> 'expected_count')::integer) end;
  return private.finish_request(request, (
    select jsonb_build_object('count', count(*), 'items',
      coalesce(
        jsonb_agg(private.match_json(match)
          order by changed.ordinality) filter (where changed.ordinality <= 500),
        '[]'))
    from private.change_matches(action, found_ids, filter is null) with ordinality changed
    join public.matches match on match.tenant_id = changed.tenant_id and match.id = changed.id
  ));
end $$;
