-- Which lines changed since a moment, for lists that ask with updated_since.

-- The lowest number that a line can have which arrived at or after a moment: numbers are given in
-- order of arrival, and no transaction that adds lines lasts an hour. Each step of the search is
-- one look-up in the index of numbers.
create function private.first_line_since(since timestamptz) returns bigint
language plpgsql stable set search_path = '' set enable_sort = off as $$
declare
  tenant constant text := private.tenant_id();
  low bigint := 0;
  high bigint;
  middle bigint;
  probe record;
begin
  select line.line_no + 1 into high from public.lines line
  where line.tenant_id = tenant order by line.line_no desc limit 1;
  while low < high loop
    middle := (low + high) / 2;
    select line.line_no, line.created_at into probe from public.lines line
    where line.tenant_id = tenant and line.line_no >= middle order by line.line_no limit 1;
    if probe.created_at < since - interval '1 hour' then
      low := probe.line_no + 1;
    else
      high := middle;
    end if;
  end loop;
  return low;
end $$;

-- The numbers of the caller's lines in matches that were made or decided, or whose decision was
-- undone, at or after a moment; at most `most` + 1. Suggestions do not count, since a line does not
-- show them. IDs begin with the time of their creation, which is up to ten minutes before the
-- commit of a run's chunk.
create function private.lines_matched_since(since timestamptz, max_count integer) returns bigint[]
language plpgsql stable set search_path = '' set enable_sort = off set jit = off as $$
declare
  tenant constant text := private.tenant_id();
  first_id constant uuid := rpad(private.id_time(since - interval '10 minutes'), 32, '0');
begin
  return array(
    select settled_member.line_no from (
      select match.id from public.matches match
      where match.tenant_id = tenant and match.id >= first_id and match.created_at >= since
        and match.state <> 'suggested'
      union all
      select match.id from public.matches match
      where match.tenant_id = tenant and match.decided_at >= since
      union all
      select unnest(decision.match_ids) from private.decisions decision
      where decision.tenant_id = tenant and decision.undone_at >= since
    ) match
    cross join lateral (select member.line_no from public.match_members member
      where member.tenant_id = tenant and member.match_id = match.id offset 0) settled_member
    limit max_count + 1
  );
end $$;

-- The same for lines that were excluded or included, or of which an exception changed.
create function private.lines_handled_since(since timestamptz, max_count integer) returns bigint[]
language plpgsql stable set search_path = '' set enable_sort = off set jit = off as $$
declare
  tenant constant text := private.tenant_id();
  first_id constant text := 'dec_' || private.id_time(since - interval '10 minutes');
begin
  return array(
    select line.line_no from (
      select decision.line_id from private.decisions decision
      where decision.tenant_id = tenant and decision.id >= first_id and decision.created_at >= since
      union all
      select decision.line_id from private.decisions decision
      where decision.tenant_id = tenant and decision.undone_at >= since
    ) decision
    cross join lateral (select line.line_no from public.lines line
      where line.tenant_id = tenant and line.id = decision.line_id offset 0) line
    union all
    select exception_line.line_no
    from (select exception.id from public.exceptions exception
      where exception.tenant_id = tenant and exception.updated_at >= since) exception
    cross join lateral (select exception_line.line_no from private.exception_lines exception_line
      where exception_line.tenant_id = tenant and exception_line.exception_id = exception.id
      offset 0) exception_line
    limit max_count + 1
  );
end $$;

-- The numbers of the caller's lines that arrived, or of which a match, an exclusion or an exception
-- changed, at or after a moment; null if there may be more than `most`.
create function private.lines_since(since timestamptz, first_no bigint, max_count integer)
returns bigint[]
language plpgsql stable set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  line_nos bigint[] := array(
    select line.line_no from public.lines line
    where line.tenant_id = tenant and line.line_no >= first_no and line.created_at >= since
    limit max_count + 1
  );
begin
  if cardinality(line_nos) <= max_count then
    line_nos := line_nos || private.lines_matched_since(since, max_count);
  end if;
  if cardinality(line_nos) <= max_count then
    line_nos := line_nos || private.lines_handled_since(since, max_count);
  end if;
  return case when cardinality(line_nos) <= max_count then array(
    select distinct touched.line_no from unnest(line_nos) touched (line_no)) end;
end $$;

-- The SQL condition that line x is one of lines_since, for a list in which there are many. $9 is
-- the moment, $10 the first number since then.
create function private.line_changed_since() returns text
language plpgsql immutable set search_path = '' as $$
begin
  return $c$(x.line_no >= $10 and x.created_at >= $9
    or exists (
      select from public.match_members member
      cross join lateral (select match.* from public.matches match
        where match.tenant_id = $1 and match.id = member.match_id offset 0) match
      where member.tenant_id = $1 and member.line_no = x.line_no
        and (match.decided_at >= $9 or match.created_at >= $9 and match.state <> 'suggested')
      offset 0)
    or exists (
      select from private.decisions decision
      where decision.tenant_id = $1 and decision.line_id = x.id
        and greatest(decision.created_at, decision.undone_at) >= $9
      offset 0)
    or exists (
      select from private.exception_lines exception_line
      cross join lateral (select exception.updated_at from public.exceptions exception
        where exception.tenant_id = $1 and exception.id = exception_line.exception_id
        offset 0) exception
      where exception_line.tenant_id = $1 and exception_line.line_no = x.line_no
        and exception.updated_at >= $9 offset 0))$c$;
end $$;
