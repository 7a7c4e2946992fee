-- The states of lines in lists: as SQL conditions, and where the lines of a rare state are.

-- The SQL condition that line x of source s is in this state: in the pair of s.pair_nos in which
-- most of it is open, otherwise in s.pair_no, the first. The same as in lines_json. Each
-- lookup uses a whole key: `offset 0` keeps the planner from joining tables
-- that it estimates to be small.
create function private.line_state_is(state text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  opened constant text :=
    'exists (select from private.open_lines o where o.tenant_id = $1 and o.pair_no = any (s.pair_nos) and o.line_no = x.line_no %s offset 0)';
  excluded constant text :=
    'exists (select from public.exclusions e where e.tenant_id = $1 and e.pair_no = s.pair_no and e.line_no = x.line_no offset 0)';
begin
  return case state
    when 'outstanding' then '(s.pair_no is null or ' || format(opened, '') || ')'
    when 'open' then '(s.pair_no is null or ' || format(opened, 'and o.open_minor = o.amount_minor')
      || ')'
    when 'partly_matched' then format(opened, '') || ' and not '
      || format(opened, 'and o.open_minor = o.amount_minor')
    when 'excluded' then excluded || ' and not ' || format(opened, '')
    when 'matched' then 's.pair_no is not null and not ' || format(opened, '') || ' and not '
      || excluded
  end;
end $$;

-- The same for a line of a closed period ($3), as of its close.
create function private.line_state_was(state text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  carried constant text := private.line_state_condition('carried');
  matched constant text := private.line_state_condition('matched');
begin
  return case state
    when 'outstanding' then carried
    when 'open' then carried || ' and not ' || matched
    when 'partly_matched' then carried || ' and ' || matched
    when 'matched' then matched || ' and not ' || carried
    when 'excluded' then 'not ' || matched || ' and not ' || carried
  end;
end $$;

-- The SQL condition that the period ($3) matched line x, excluded it, sees it open, or closed with
-- it open.
create function private.line_state_condition(what text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return case what
    when 'matched' then $c$exists (
      select from public.match_members member cross join lateral (
        select from public.matches match
        where match.tenant_id = $1 and match.id = member.match_id
          and match.reconciliation_id = $3.id
          and match.state = 'confirmed' offset 0
      ) match
        where member.tenant_id = $1 and member.line_no = x.line_no
          and member.pair_no = $3.pair_no offset 0)$c$
    when 'excluded' then $c$exists (
      select from public.exclusions exclusion
      where exclusion.tenant_id = $1 and exclusion.pair_no = $3.pair_no
        and exclusion.line_no = x.line_no
        and exclusion.reconciliation_id = $3.id offset 0)$c$
    when 'open'
      then 'exists (
      select from private.open_lines open_line
      where open_line.tenant_id = $1 and open_line.pair_no = $3.pair_no
        and open_line.line_no = x.line_no offset 0)'
    when 'carried' then
      'exists (
      select from public.carried_lines carried_line
      where carried_line.tenant_id = $1 and carried_line.reconciliation_id = $3.id
        and carried_line.line_no = x.line_no offset 0)'
  end;
end $$;

-- The lines that a period matched, or that were excluded in its pair; null if there may be more
-- than `max_count`, or for another state.
create function private.narrow_by_state(period public.reconciliations, state text,
  max_count integer) returns bigint[]
language plpgsql stable security definer set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  line_nos bigint[];
begin
  if state = 'matched' and coalesce((
    select matched_count.lines
    from private.matched_counts matched_count
    where matched_count.tenant_id = tenant and matched_count.reconciliation_id = period.id),
      0) <= max_count
  then
    return array(
      select distinct settled_member.line_no from public.matches match
      cross join lateral (select member.line_no from public.match_members member
        where member.tenant_id = tenant and member.match_id = match.id offset 0) settled_member
      where match.tenant_id = tenant and match.reconciliation_id = period.id
        and match.state = 'confirmed'
    );
  elsif state = 'excluded' then
    line_nos := array(select exclusion.line_no from public.exclusions exclusion
      where exclusion.tenant_id = tenant and exclusion.pair_no = period.pair_no
      limit max_count + 1);
    return case when cardinality(line_nos) <= max_count then line_nos end;
  end if;
  return null;
end $$;

-- How many lines a pair matched, in all its periods, or excluded on a side: up to a limit.
create function private.settled_count(pair integer, side text, state text, max_count integer)
returns bigint
language plpgsql stable security definer set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
begin
  return case state
    when 'matched' then (
      select coalesce(sum(of_period.lines), 0) from public.reconciliations period
      join private.matched_counts of_period on of_period.tenant_id = tenant
        and of_period.reconciliation_id = period.id
      where period.tenant_id = tenant and period.pair_no = pair)
    else (
      select count(*) from (
        select from public.exclusions exclusion
        where exclusion.tenant_id = tenant and exclusion.pair_no = pair
          and exclusion.side = settled_count.side limit max_count + 1
      ) excluded)
  end;
end $$;

-- The matched or excluded lines of sources, whatever the period. A line has such a state in the
-- first pair of its source (private.line_state_is). Sources whose pairs have few of these lines are
-- not read: the lines of those pairs are in `line_nos`, at most `max_count`. `scanned_nos`: the
-- other sources. A source without any such line is in neither.
create function private.locate_settled_lines(state text, source_nos integer[], max_count integer,
  out line_nos bigint[], out scanned_nos integer[])
language plpgsql stable security definer set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  few_pairs integer[];
  few_sides text[];
begin
  with counted as (
    select source.source_no, first_pair.pair_no, first_pair.side,
      private.settled_count(first_pair.pair_no, first_pair.side, state, max_count) as lines
    from unnest(source_nos) source (source_no) cross join lateral (
      select pair.pair_no,
        case source.source_no when pair.left_source_no then 'left' else 'right' end as side
      from public.pairs pair
      where pair.tenant_id = tenant and pair.opening is null
        and source.source_no in (pair.left_source_no, pair.right_source_no)
      order by pair.pair_no limit 1
    ) first_pair
  ), summed as (
    select counted.*, sum(counted.lines) over (order by counted.lines, counted.source_no) as total
    from counted where counted.lines > 0
  )
  select coalesce(array_agg(summed.source_no) filter (where summed.total > max_count), '{}'),
    array_agg(summed.pair_no) filter (where summed.total <= max_count),
    array_agg(summed.side) filter (where summed.total <= max_count)
  into scanned_nos, few_pairs, few_sides from summed;
  if state = 'matched' then
    line_nos := array(
      select distinct settled_member.line_no from public.reconciliations period
      cross join lateral (select match.id from public.matches match
        where match.tenant_id = tenant and match.reconciliation_id = period.id
          and match.state = 'confirmed' offset 0) match
      cross join lateral (select member.line_no from public.match_members member
        where member.tenant_id = tenant and member.match_id = match.id offset 0) settled_member
      where period.tenant_id = tenant and period.pair_no = any (few_pairs));
  else
    line_nos := array(
      select distinct exclusion.line_no from unnest(few_pairs, few_sides) few (pair_no, side)
      join public.exclusions exclusion on exclusion.tenant_id = tenant
        and exclusion.pair_no = few.pair_no and exclusion.side = few.side);
  end if;
end $$;

-- The open lines with amounts in the filter's range, in the pairs of these sources or in the
-- period's pair. Includes all partly matched lines, since the range applies to a line's whole
-- amount and only the open amount is indexed. Null if there are more than `max_count`, or for other
-- filters. `scanned_nos`: the sources without such a pair.
create function private.locate_open_lines(period public.reconciliations, input jsonb,
  source_nos integer[], max_count integer, out line_nos bigint[], out scanned_nos integer[])
language plpgsql stable security definer set search_path = '' set enable_sort = off as $$
declare
  tenant constant text := private.tenant_id();
  pair_nos integer[];
  sides text[];
  paired_nos integer[];
  sized bigint[];
begin
  scanned_nos := '{}';
  if period.closed_at is not null
    or coalesce(input ->> 'state', '') not in ('open', 'outstanding') then
    return;
  end if;
  select array_agg(pair.pair_no), array_agg(side.side), array_agg(side.source_no)
  into pair_nos, sides, paired_nos
  from public.pairs pair
  cross join lateral (
    values ('left', pair.left_source_no), ('right', pair.right_source_no)) side (side, source_no)
  where pair.tenant_id = tenant and pair.opening is null and side.source_no = any (source_nos)
    and (period.pair_no is null or pair.pair_no = period.pair_no);
  sized := private.open_lines_of_sizes(pair_nos, sides, input, max_count);
  if sized is null then
    return;
  end if;
  line_nos := array(
    select unnest(sized)
    union
    select partly_matched.line_no from unnest(pair_nos, sides) paired (pair_no, side)
    cross join lateral (
      select open_line.line_no from private.open_lines open_line
      where open_line.tenant_id = tenant and open_line.pair_no = paired.pair_no
        and open_line.side = paired.side and open_line.open_minor <> open_line.amount_minor
      order by open_line.value_date, open_line.line_no limit max_count + 1
    ) partly_matched);
  if cardinality(line_nos) > max_count then
    line_nos := null;
  else
    scanned_nos := array(select unnest(source_nos) except select unnest(paired_nos));
  end if;
end $$;

-- The lines that can be in a list with a state, if there are only a few: `line_nos`, and every line
-- of the sources `scanned_nos`. Otherwise null.
create function private.locate_by_state(period public.reconciliations, input jsonb,
  source_nos integer[], out line_nos bigint[], out scanned_nos integer[])
language plpgsql stable set search_path = '' as $$
declare
  state constant text := input ->> 'state';
begin
  scanned_nos := '{}';
  if state in ('matched', 'excluded') and period.id is not null then
    line_nos := private.narrow_by_state(period, state, 5000);
  elsif state in ('matched', 'excluded') then
    select located.line_nos, located.scanned_nos into line_nos, scanned_nos
    from private.locate_settled_lines(state, source_nos, 5000) located;
  else
    select located.line_nos, located.scanned_nos into line_nos, scanned_nos
    from private.locate_open_lines(period, input, source_nos, 500) located;
  end if;
end $$;
