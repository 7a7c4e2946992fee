-- States of matches: suggested leads to confirmed and rejected, confirmed to undone. Every change
-- of a pair's matches locks its period (pairs/pair_locks.sql): people and runs take turns, one
-- transaction at a time, so that no line is used twice.

create function private.count_matched(tenant text, ids uuid[], sign integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into private.matched_counts as matched_count (tenant_id, reconciliation_id, lines)
  select match.tenant_id, match.reconciliation_id, greatest(0, sign) * sum(mm.lines)
  from public.matches match
  cross join lateral (select count(*) as lines from public.match_members member
    where member.tenant_id = tenant and member.match_id = match.id) mm
  where match.tenant_id = tenant and match.id = any (ids)
  group by match.tenant_id, match.reconciliation_id order by match.reconciliation_id
  on conflict (tenant_id, reconciliation_id)
    do update set lines = matched_count.lines + case when sign > 0 then excluded.lines else -(
    select sum(mm.lines) from public.matches match
    cross join lateral (select count(*) as lines from public.match_members member
      where member.tenant_id = tenant and member.match_id = match.id) mm
    where match.tenant_id = tenant and match.id = any (ids)
      and match.reconciliation_id = excluded.reconciliation_id
  ) end;
end $$;

-- The open amounts of lines, each with its place and an amount given for it; no row for a line that
-- is not open. Read in the order of their numbers, which only one index serves: it is read once,
-- whatever the planner expects of a new tenant or pair.
create function private.find_open(tenant text, pair integer, line_nos bigint[], minors bigint[])
returns table (n bigint, minor bigint, place tid, open_minor bigint)
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
begin
  return query
  select s.n, s.minor, o.place, o.open_minor
  from unnest(line_nos, minors) with ordinality s (line_no, minor, n)
  left join (
    select x.line_no, x.ctid as place, x.open_minor from private.open_lines x
    where x.tenant_id = tenant and x.pair_no = pair
      and x.line_no = any ((select line_nos)::bigint[])
      order by x.line_no
  ) o on o.line_no = s.line_no;
end $$;

-- Reduces the open amounts of lines by these amounts; a line with nothing open has no row.
create function private.reduce_open_amounts(tenant text, pair integer, line_nos bigint[],
  minors bigint[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  places record;
begin
  select array_agg(o.place) filter (where o.open_minor = o.minor) as whole,
    array_agg(o.place) filter (where o.open_minor <> o.minor) as part,
    array_agg(o.minor) filter (where o.open_minor <> o.minor) as part_minors
  into places
  from private.find_open(tenant, pair, line_nos, minors) o where o.place is not null;
  delete from private.open_lines o where o.ctid = any (places.whole);
  update private.open_lines o set open_minor = o.open_minor - s.minor
  from unnest(places.part, places.part_minors) as s (place, minor) where o.ctid = s.place;
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
    jsonb_build_object('path', 'ids.' || (i.n - 1), 'message',
      'A line of this match is not open any more.')
  order by i.n) into short
  from unnest(ids) with ordinality as i (id, n)
  where exists (
    select from public.match_members mm
    left join private.open_lines o on o.tenant_id = mm.tenant_id and o.pair_no = mm.pair_no
      and o.line_no = mm.line_no
    where mm.tenant_id = tenant and mm.match_id = i.id
      and coalesce(
        mm.allocated_minor not between least(o.open_minor, 0) and greatest(o.open_minor, 0),
        true)
  ) or exists (
    select from public.match_members mm join public.match_members other
      on other.tenant_id = mm.tenant_id and other.line_no = mm.line_no
        and other.match_id = any (ids) and other.match_id < mm.match_id
    where mm.tenant_id = tenant and mm.match_id = i.id
  );
  if short is not null then
    perform private.refuse_conflict('state_changed',
      'What it needs is not open any more. Nothing was changed.',
      short);
  end if;
  for taken in
    select mm.pair_no, array_agg(mm.line_no) as line_nos, array_agg(mm.allocated_minor) as minors
    from public.match_members mm where mm.tenant_id = tenant and mm.match_id = any (ids)
      group by mm.pair_no
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
  select mm.tenant_id, mm.pair_no, mm.line_no, mm.side, line.currency,
    direction.factor * line.amount_minor, sum(mm.allocated_minor), line.value_date
  from public.match_members mm
  join public.lines line on line.tenant_id = mm.tenant_id and line.line_no = mm.line_no
  join public.sources source on source.tenant_id = line.tenant_id
    and source.source_no = line.source_no
  cross join lateral (
    select case source.sign when 'inverted' then -1 else 1 end as factor) direction
  where mm.tenant_id = tenant and mm.match_id = any (ids)
  group by mm.tenant_id, mm.pair_no, mm.line_no, mm.side, line.currency, direction.factor,
    line.amount_minor, line.value_date
  on conflict (tenant_id, pair_no, line_no)
    do update set open_minor = open_line.open_minor + excluded.open_minor;
  perform private.count_matched(tenant, ids, -1);
  perform private.revoke_signatures_of_matches(tenant, ids, 'A match was undone.');
end $$;

-- Deletes the suggestions that share a line with these matches, or with these lines: they would use
-- a line twice.
create function private.drop_suggestions(tenant text, pair integer, line_nos bigint[],
  but uuid[] default '{}') returns void
language plpgsql volatile set search_path = '' as $$
declare
  stale uuid[];
begin
  select array_agg(distinct m.id) into stale
  from public.match_members mm
    join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
  where mm.tenant_id = tenant and mm.line_no = any (line_nos) and mm.pair_no = pair
    and m.state = 'suggested' and m.id <> all (but);
  if stale is not null then
    perform private.delete_matches(tenant, stale);
  end if;
end $$;

create function private.delete_matches(tenant text, ids uuid[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.delete_open_suggestions(tenant, ids);
  delete from public.match_members mm where mm.tenant_id = tenant and mm.match_id = any (ids);
  delete from public.matches m where m.tenant_id = tenant and m.id = any (ids);
end $$;

-- Undoes confirmed matches of one pair, which is locked, and emits their events; deletes suggested
-- ones. `who`: the person; null: the engine. Returns how many were undone.
create function private.undo_matches(tenant text, ids uuid[], who text) returns integer
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
  if who is not null then
    insert into private.decisions (tenant_id, pair_no, match_id, confirmed, score)
    select match.tenant_id, match.pair_no, match.id, false, match.score from public.matches match
    where match.tenant_id = tenant and match.id = any (confirmed) and match.decided_by is null
      and not match.settled and match.shape = '1:1'
      order by match.id;
  end if;
  update public.matches match
  set state = 'undone', decided_by = coalesce(who, match.decided_by), decided_at = now()
  where match.tenant_id = tenant and match.id = any (confirmed);
  insert into public.events (tenant_id, type, data)
  select match.tenant_id, 'match.undone',
    jsonb_build_object('match', private.match_event(match), 'undone_by', coalesce(who, 'system'))
  from public.matches match where match.tenant_id = tenant and match.id = any (confirmed)
  order by match.id;
  for touched in
    select mm.pair_no, array_agg(distinct mm.line_no) as line_nos from public.match_members mm
    where mm.tenant_id = tenant and mm.match_id = any (confirmed) group by mm.pair_no
  loop
    perform private.reopen_line_exceptions(tenant, touched.pair_no, touched.line_nos);
  end loop;
  return cardinality(confirmed);
end $$;

-- The body of a match's events.
create function private.match_event(m public.matches) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object('id', private.match_id_text(m.id), 'reconciliation_id',
    m.reconciliation_id, 'shape', m.shape,
    'method', m.method, 'currency', m.currency, 'amount_minor', m.amount_minor, 'residual_minor',
    m.residual_minor,
    'line_ids', (
      select jsonb_agg(private.line_id_text(l.id) order by l.line_no) from public.match_members mm
      join public.lines l on l.tenant_id = mm.tenant_id and l.line_no = mm.line_no
      where mm.tenant_id = m.tenant_id and mm.match_id = m.id
    ));
end $$;

-- Confirms suggested matches of one pair, which is locked. Refuses: conflict if an amount that one
-- needs is not open any more.
create function private.confirm_matches(tenant text, pair integer, ids uuid[],
  who text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  line_nos bigint[];
begin
  perform private.allocate_open_amounts(tenant, ids);
  update public.matches match
  set state = 'confirmed', decided_by = who, decided_at = now()
  where match.tenant_id = tenant and match.id = any (ids);
  insert into private.decisions (tenant_id, pair_no, match_id, confirmed, score)
  select match.tenant_id, match.pair_no, match.id, true, match.score from public.matches match
  where match.tenant_id = tenant and match.id = any (ids) and match.shape = '1:1' order by match.id;
  select array_agg(distinct mm.line_no) into line_nos
  from public.match_members mm
  where mm.tenant_id = tenant and mm.match_id = any (ids);
  perform private.drop_suggestions(tenant, pair, line_nos, ids);
  perform private.resolve_matched_exceptions(tenant, pair, ids);
end $$;

create function private.reject_matches(tenant text, ids uuid[], who text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.delete_open_suggestions(tenant, ids);
  update public.matches m
  set state = 'rejected', decided_by = who, decided_at = now()
  where m.tenant_id = tenant and m.id = any (ids);
  insert into private.decisions (tenant_id, pair_no, match_id, confirmed, score)
  select m.tenant_id, m.pair_no, m.id, false, m.score from public.matches m
  where m.tenant_id = tenant and m.id = any (ids) and m.shape = '1:1' order by m.id;
end $$;
