-- sizes of open lines

-- From here on written by `npm run migration`, anew each time. Above is by hand.

-- contracts: only the lists of open lines and lines, replaced below, used this form.
drop function private.open_lines_of_sizes(integer,text[],jsonb,integer);
CREATE OR REPLACE FUNCTION private.locate_open_lines(period public.reconciliations, input jsonb, source_nos integer[], max_count integer, OUT line_nos bigint[], OUT scanned_nos integer[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.lines_of_caller(period public.reconciliations, input jsonb, source_nos integer[], max_count integer)
 RETURNS TABLE(place bigint, line_no bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET jit TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  search constant text := nullif(btrim(input ->> 'q'), '');
  state constant text := input ->> 'state';
  after_date constant date := (input -> 'after' ->> 0)::date;
  -- If the cursor's line was removed, its day is read from the start.
  after_no constant bigint := coalesce(private.line_no_of(input -> 'after' ->> 1),
    9223372036854775807);
  since constant timestamptz := (input ->> 'updated_since')::timestamptz;
  first_no constant bigint := case when since is not null then private.first_line_since(since) end;
  found_lines bigint[];
  scanned_nos integer[] := '{}';
  looked_at record;
  -- Their open lines are left out, which come in the same order.
  is_merged constant boolean := coalesce(state, '') in ('matched', 'excluded');
  is_searched boolean := false;
  is_changed boolean := false;
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  if since is not null then
    found_lines := private.lines_since(since, first_no, 20000);
    is_changed := found_lines is not null;
  end if;
  if search is not null and found_lines is null then
    found_lines := private.find_lines_of_caller(search, source_nos, 5000);
    is_searched := found_lines is not null;
  end if;
  if found_lines is null then
    select located.line_nos, located.scanned_nos into found_lines, scanned_nos
    from private.locate_by_state(period, input, source_nos) located;
  end if;
  looked_at := private.max_lines_looked_at(period, input, cardinality(source_nos), max_count);
  perform set_config('enable_nestloop', (not is_merged)::text, true),
    set_config('enable_hashjoin', (not is_merged)::text, true);
  return query execute private.line_list_statement(period, input, found_lines is not null,
    concat_ws(' and ',
      case when since is not null and not is_changed then private.line_changed_since() end,
      case when search is not null and not is_searched
        then private.line_search(search, 'private.line_text(x)') end))
  using tenant, input, period, source_nos, found_lines, after_date, after_no, max_count, since,
    first_no, scanned_nos,
    looked_at.in_index, looked_at.closer;
  perform set_config('enable_nestloop', 'true', true), set_config('enable_hashjoin', 'true', true);
end $function$;
CREATE OR REPLACE FUNCTION private.open_lines_of_sizes(pair_nos integer[], sides text[], input jsonb, max_count integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
AS $function$
declare
  sizes constant text := private.open_line_sizes(input);
  line_nos bigint[];
begin
  if sizes is null then
    return null;
  end if;
  execute format($sql$
    select array(
      select distinct o.line_no from unnest($2, $3) s (pair_no, side) cross join lateral (
        select x.line_no from private.open_lines x
        where x.tenant_id = $1 and x.pair_no = s.pair_no and x.side = s.side and %s
        order by (-abs(x.open_minor)), x.line_no limit $4
      ) o limit $4) $sql$, sizes)
  into line_nos using private.tenant_id(), pair_nos, sides, max_count + 1;
  return case when cardinality(line_nos) <= max_count then line_nos end;
end $function$;
CREATE OR REPLACE FUNCTION private.open_lines_of_caller(period public.reconciliations, input jsonb, hits bigint[], amount bigint, after_no bigint, max_count integer)
 RETURNS TABLE(place bigint, line_no bigint, side text, amount_minor bigint, open_minor bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  is_suggested constant boolean := (input ->> 'suggested')::boolean;
  sides constant text[] := case when input ->> 'side' is null then array['left', 'right']
    else array[input ->> 'side'] end;
  -- A list in the order of amounts begins at its sizes anyway.
  sized constant bigint[] := case when input ->> 'sort' is distinct from 'amount'
    then private.open_lines_of_sizes(array_fill(period.pair_no, array[cardinality(sides)]), sides,
      input, 500) end;
  is_looked_up constant boolean := is_suggested is not null or input ->> 'q' is not null;
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  -- Planned for these filters, each side in the order of its index until the page is full. The
  -- planner can't know how many lines have a suggestion: assuming few, it would read and sort them
  -- all.
  perform set_config('enable_bitmapscan', (coalesce(hits, sized) is not null)::text, true),
    set_config('enable_seqscan', (coalesce(hits, sized) is not null)::text, true);
  return query execute private.open_line_statement(input, private.open_line_range(input, after_no),
    private.open_line_filters(input, hits, amount, sized),
    coalesce(hits, sized) is not null or coalesce(is_suggested, false))
  using private.tenant_id(), input, period.pair_no, period.period_end, hits, amount, after_no,
    period.id, sides, max_count,
    greatest(max_count, private.max_looked_at(case when is_looked_up then 10 else 3 end)), sized;
  perform set_config('enable_bitmapscan', 'true', true), set_config('enable_seqscan', 'true', true);
end $function$;
