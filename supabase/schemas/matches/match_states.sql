-- States of matches: suggested leads to confirmed and rejected, confirmed to undone. Every change
-- of a pair's matches locks its period (pairs/pair_locks.sql): people and runs take turns, one
-- transaction at a time, so that no line is used twice.

create function private.count_matched(tenant text, ids uuid[], sign integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into private.matched_counts as matched_count (tenant_id, reconciliation_id, lines)
  select match.tenant_id, match.reconciliation_id, greatest(0, sign) * sum(member_count.lines)
  from public.matches match
  cross join lateral (select count(*) as lines from public.match_members member
    where member.tenant_id = tenant and member.match_id = match.id) member_count
  where match.tenant_id = tenant and match.id = any (ids)
  group by match.tenant_id, match.reconciliation_id order by match.reconciliation_id
  on conflict (tenant_id, reconciliation_id)
    do update set lines = matched_count.lines + case when sign > 0 then excluded.lines else -(
    select sum(member_count.lines) from public.matches match
    cross join lateral (select count(*) as lines from public.match_members member
      where member.tenant_id = tenant and member.match_id = match.id) member_count
    where match.tenant_id = tenant and match.id = any (ids)
      and match.reconciliation_id = excluded.reconciliation_id
  ) end;
end $$;

-- The open amounts of lines, each with its place and an amount given for it; no row for a line that
-- is not open. Read in the order of their numbers, which only one index serves: it is read once,
-- whatever the planner expects of a new tenant or pair.
create function private.find_open_amounts(tenant text, pair integer, line_nos bigint[],
  minors bigint[])
returns table (nth bigint, minor bigint, place tid, open_minor bigint)
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
begin
  return query
  select sought.place, sought.minor, open_line.place, open_line.open_minor
  from unnest(line_nos, minors) with ordinality sought (line_no, minor, place)
  left join (
    select open_line.line_no, open_line.ctid as place, open_line.open_minor
    from private.open_lines open_line
    where open_line.tenant_id = tenant and open_line.pair_no = pair
      and open_line.line_no = any ((select line_nos)::bigint[])
      order by open_line.line_no
  ) open_line on open_line.line_no = sought.line_no;
end $$;

-- Reduces the open amounts of lines by these amounts; a line with nothing open has no row.
create function private.reduce_open_amounts(tenant text, pair integer, line_nos bigint[],
  minors bigint[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  places record;
begin
  select array_agg(open_line.place) filter (where open_line.open_minor = open_line.minor) as whole,
    array_agg(open_line.place) filter (where open_line.open_minor <> open_line.minor) as part,
    array_agg(open_line.minor) filter (where open_line.open_minor <> open_line.minor) as part_minors
  into places
  from private.find_open_amounts(tenant, pair, line_nos, minors) open_line
  where open_line.place is not null;
  delete from private.open_lines open_line where open_line.ctid = any (places.whole);
  update private.open_lines open_line set open_minor = open_line.open_minor - reduced.minor
  from unnest(places.part, places.part_minors) as reduced (place, minor)
  where open_line.ctid = reduced.place;
end $$;

-- Takes the allocations of these matches from the open amounts. Refuses: conflict, with the place
-- among `ids`, if one is not open any more.
create function private.allocate_open_amounts(tenant text, ids uuid[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  short jsonb;
  taken record;
begin
  select jsonb_agg(
    jsonb_build_object('path', 'ids.' || (item.place - 1), 'message',
      'A line of this match is no longer open.')
  order by item.place) into short
  from unnest(ids) with ordinality as item (id, place)
  where exists (
    select from public.match_members member
    left join private.open_lines open_line on open_line.tenant_id = member.tenant_id
      and open_line.pair_no = member.pair_no
      and open_line.line_no = member.line_no
    where member.tenant_id = tenant and member.match_id = item.id
      and coalesce(
        member.allocated_minor not between least(open_line.open_minor, 0)
          and greatest(open_line.open_minor, 0),
        true)
  ) or exists (
    select from public.match_members member join public.match_members other
      on other.tenant_id = member.tenant_id and other.line_no = member.line_no
        and other.match_id = any (ids) and other.match_id < member.match_id
    where member.tenant_id = tenant and member.match_id = item.id
  );
  if short is not null then
    perform private.refuse_conflict('state_changed',
      'Lines that it needs are no longer open. Nothing was changed.',
      short);
  end if;
  for taken in
    select member.pair_no, array_agg(member.line_no) as line_nos,
      array_agg(member.allocated_minor) as minors
    from public.match_members member where member.tenant_id = tenant and member.match_id = any (ids)
      group by member.pair_no
  loop
    perform private.reduce_open_amounts(tenant, taken.pair_no, taken.line_nos, taken.minors);
  end loop;
  perform private.count_matched(tenant, ids, 1);
  perform private.revoke_signatures_of_matches(tenant, ids, 'Lines were matched.');
end $$;

-- Returns the allocations to the open amounts.
create function private.release_open_amounts(tenant text, ids uuid[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into private.open_lines as open_line (tenant_id, pair_no, line_no, side, currency,
    amount_minor, open_minor, value_date)
  select member.tenant_id, member.pair_no, member.line_no, member.side, line.currency,
    direction.factor * line.amount_minor, sum(member.allocated_minor), line.value_date
  from public.match_members member
  join public.lines line on line.tenant_id = member.tenant_id and line.line_no = member.line_no
  join public.sources source on source.tenant_id = line.tenant_id
    and source.source_no = line.source_no
  cross join lateral (
    select case source.sign when 'inverted' then -1 else 1 end as factor) direction
  where member.tenant_id = tenant and member.match_id = any (ids)
  group by member.tenant_id, member.pair_no, member.line_no, member.side, line.currency,
    direction.factor,
    line.amount_minor, line.value_date
  on conflict (tenant_id, pair_no, line_no)
    do update set open_minor = open_line.open_minor + excluded.open_minor;
  perform private.count_matched(tenant, ids, -1);
  perform private.revoke_signatures_of_matches(tenant, ids, 'A match was undone.');
end $$;

-- Deletes the suggestions that share a line with these matches, or with these lines: they would use
-- a line twice.
create function private.drop_suggestions(tenant text, pair integer, line_nos bigint[],
  except_ids uuid[] default '{}') returns void
language plpgsql volatile set search_path = '' as $$
declare
  stale uuid[];
begin
  select array_agg(distinct match.id) into stale
  from public.match_members member
    join public.matches match on match.tenant_id = member.tenant_id and match.id = member.match_id
  where member.tenant_id = tenant and member.line_no = any (line_nos) and member.pair_no = pair
    and match.state = 'suggested' and match.id <> all (except_ids);
  if stale is not null then
    perform private.delete_matches(tenant, stale);
  end if;
end $$;

create function private.delete_matches(tenant text, ids uuid[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.delete_open_suggestions(tenant, ids);
  delete from public.match_members member where member.tenant_id = tenant
    and member.match_id = any (ids);
  delete from public.matches match where match.tenant_id = tenant and match.id = any (ids);
end $$;

-- Undoes confirmed matches of one pair, which is locked, and emits their events; deletes suggested
-- ones. `who`: the person; null: the engine. Returns how many were undone.
create function private.undo_matches(tenant text, ids uuid[], actor text) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  confirmed uuid[];
  suggested uuid[];
  touched record;
begin
  select array_agg(match.id order by match.id) filter (where match.state = 'confirmed'),
    array_agg(match.id order by match.id) filter (where match.state = 'suggested')
  into confirmed, suggested
  from public.matches match where match.tenant_id = tenant and match.id = any (ids);
  if suggested is not null then
    perform private.delete_matches(tenant, suggested);
  end if;
  if confirmed is null then
    return 0;
  end if;
  perform private.release_open_amounts(tenant, confirmed);
  if actor is not null then
    insert into private.unlearned_decisions (tenant_id, pair_no, match_id, confirmed, score)
    select match.tenant_id, match.pair_no, match.id, false, match.score from public.matches match
    where match.tenant_id = tenant and match.id = any (confirmed) and match.decided_by is null
      and not match.settled and match.shape = '1:1'
      order by match.id;
  end if;
  update public.matches match
  set state = 'undone', decided_by = coalesce(actor, match.decided_by), decided_at = now()
  where match.tenant_id = tenant and match.id = any (confirmed);
  insert into public.events (tenant_id, type, data)
  select match.tenant_id, 'match.undone',
    jsonb_build_object('match', private.match_event(match), 'undone_by', coalesce(actor, 'system'))
  from public.matches match where match.tenant_id = tenant and match.id = any (confirmed)
  order by match.id;
  for touched in
    select member.pair_no, array_agg(distinct member.line_no) as line_nos
    from public.match_members member
    where member.tenant_id = tenant and member.match_id = any (confirmed) group by member.pair_no
  loop
    perform private.reopen_line_exceptions(tenant, touched.pair_no, touched.line_nos);
  end loop;
  return cardinality(confirmed);
end $$;

-- The body of a match's events.
create function private.match_event(match public.matches) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object('id', private.match_id_text(match.id),
    'reconciliation_id', match.reconciliation_id, 'shape', match.shape,
    'method', match.method, 'currency', match.currency, 'amount_minor', match.amount_minor,
    'residual_minor', match.residual_minor,
    'line_ids', (
      select jsonb_agg(private.line_id_text(line.id) order by line.line_no)
      from public.match_members member
      join public.lines line on line.tenant_id = member.tenant_id and line.line_no = member.line_no
      where member.tenant_id = match.tenant_id and member.match_id = match.id
    ));
end $$;

-- Confirms suggested matches of one pair, which is locked. Refuses: conflict if an amount that one
-- needs is not open any more.
create function private.confirm_matches(tenant text, pair integer, ids uuid[],
  actor text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  line_nos bigint[];
begin
  perform private.allocate_open_amounts(tenant, ids);
  update public.matches match
  set state = 'confirmed', decided_by = actor, decided_at = now()
  where match.tenant_id = tenant and match.id = any (ids);
  insert into private.unlearned_decisions (tenant_id, pair_no, match_id, confirmed, score)
  select match.tenant_id, match.pair_no, match.id, true, match.score from public.matches match
  where match.tenant_id = tenant and match.id = any (ids) and match.shape = '1:1' order by match.id;
  select array_agg(distinct member.line_no) into line_nos
  from public.match_members member
  where member.tenant_id = tenant and member.match_id = any (ids);
  perform private.drop_suggestions(tenant, pair, line_nos, ids);
  perform private.resolve_matched_exceptions(tenant, pair, ids);
end $$;

create function private.reject_matches(tenant text, ids uuid[], actor text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.delete_open_suggestions(tenant, ids);
  update public.matches match
  set state = 'rejected', decided_by = actor, decided_at = now()
  where match.tenant_id = tenant and match.id = any (ids);
  insert into private.unlearned_decisions (tenant_id, pair_no, match_id, confirmed, score)
  select match.tenant_id, match.pair_no, match.id, false, match.score from public.matches match
  where match.tenant_id = tenant and match.id = any (ids) and match.shape = '1:1' order by match.id;
end $$;
