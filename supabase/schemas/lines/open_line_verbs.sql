-- Open lines over the wire: what a person works through in a period, read from where only open
-- lines are stored.

-- The condition for lines with or without a suggestion, on a line `x`; null for both.
create function private.suggestion_filter(suggested boolean) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return case suggested
    -- Few lines have a suggestion: they are looked up.
    when true then $c$x.line_no = any (array(
      select member.line_no
      from public.matches match
      join public.match_members member on member.tenant_id = match.tenant_id
        and member.match_id = match.id
      where match.tenant_id = $1 and match.reconciliation_id = $8
        and match.state = 'suggested'))$c$
    -- With a lookup for each line until the page is full.
    when false then $c$(
      select true
      from public.match_members member
      join public.matches match on match.tenant_id = member.tenant_id
        and match.id = member.match_id
      where member.tenant_id = $1 and member.line_no = x.line_no and member.pair_no = $3
        and match.state = 'suggested' and match.reconciliation_id = $8
      limit 1) is null$c$
  end;
end $$;

-- The sort key of a list of open lines x; each side has an index in this order.
create function private.open_line_order(input jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return case when input ->> 'sort' = 'amount' then '(-abs(x.open_minor))' else 'x.value_date' end;
end $$;

-- The range of the index that a list reads for side s, as conditions on open line x, with the
-- parameters of open_lines_of_caller.
create function private.open_line_range(input jsonb, after_no bigint) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return concat_ws(' and ', 'x.pair_no = $3 and x.side = s.side',
    case when after_no is not null then format('(%s, x.line_no) > (%s, $7)',
      private.open_line_order(input),
      case when input ->> 'sort' = 'amount' then $c$-abs(($2 -> 'after' ->> 0)::bigint)$c$
        else $c$($2 -> 'after' ->> 0)::date$c$ end) end,
    case when input ->> 'sort' <> 'amount' then private.open_line_days(input) end,
    case when input ->> 'sort' = 'amount' then private.open_line_sizes(input) end);
end $$;

-- The amount filters of a list as a range of the index by amount, in conditions on open line x;
-- null without such a filter.
create function private.open_line_sizes(input jsonb) returns text
language plpgsql immutable set search_path = '' as $$
declare
  amount_from constant bigint := input ->> 'amount_from';
  amount_to constant bigint := input ->> 'amount_to';
begin
  return nullif(concat_ws(' and ',
    '(-abs(x.open_minor)) <= ' || -nullif(greatest(amount_from, -amount_to, 0), 0),
    case when amount_from is not null and amount_to is not null
      then '(-abs(x.open_minor)) >= ' || -greatest(abs(amount_from), abs(amount_to)) end), '');
end $$;

-- The open lines with amounts in the filter's range. The arrays name the sides: `sides[n]` of pair
-- `pair_nos[n]`. Null if there are more than `max_count`, or without such a filter.
create function private.open_lines_of_sizes(pair_nos integer[], sides text[], input jsonb,
  max_count integer) returns bigint[]
language plpgsql stable security definer set search_path = '' set enable_sort = off as $$
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
end $$;

-- The conditions of the days of a list of open lines on x.
create function private.open_line_days(input jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return concat_ws(' and ', 'x.value_date <= $4',
    case
      when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$
      end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$
      end);
end $$;

-- The conditions of the filters of a list of open lines on x.
create function private.open_line_filters(input jsonb, hits bigint[], amount bigint,
  sized bigint[]) returns text
language plpgsql stable set search_path = '' as $$
declare
  search constant text := nullif(btrim(input ->> 'q'), '');
begin
  return concat_ws(' and ', private.open_line_days(input),
    case
      when hits is not null then '(x.line_no = any ($5)'
        || case when amount is not null then ' or (-abs(x.open_minor)) = -$6' else '' end || ')'
      when search is not null
        then 'exists (select from public.lines line
          where line.tenant_id = $1 and line.line_no = x.line_no and '
        || private.line_search(search, 'private.line_text(line)') || ')' end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case
      when input ->> 'amount_from' is not null then $c$x.open_minor >= (
        $2 ->> 'amount_from')::bigint$c$
      end,
    case
      when input ->> 'amount_to' is not null then $c$x.open_minor <= ($2 ->> 'amount_to')::bigint$c$
      end,
    case when sized is not null then 'x.line_no = any ($12)' end,
    private.suggestion_filter((input ->> 'suggested')::boolean)
  );
end $$;
-- The statement of open_lines_of_caller. It reads each side in the order of its index until the
-- page is full or, unless the lines are `known` from another index, until $11 rows were examined.
-- If a side may have more lines, the page ends at its last examined row, which is returned without
-- a place; with two such sides, at the earlier one.
create function private.open_line_statement(input jsonb, range text, filters text,
  known boolean) returns text
language plpgsql immutable set search_path = '' as $$
declare
  lines constant text := format(
    'select x.*, %s as sort_key from private.open_lines x where x.tenant_id = $1 and %s',
    private.open_line_order(input), range);
begin
  return format($sql$
    with page as materialized (
      select o.* from unnest($9) s (side) cross join lateral (
        select x.line_no, x.side, x.amount_minor, x.open_minor, x.sort_key
        from (%1$s) x where %2$s order by x.sort_key, x.line_no limit $10
      ) o
    ), looked_at as materialized (
      select o.* from unnest($9) s (side) cross join lateral (
        select x.line_no, x.side, x.amount_minor, x.open_minor, x.sort_key
        from (%3$s) x order by x.sort_key, x.line_no offset $11 - 1 limit 1
      ) o
      where %4$s and (select count(*) from page where page.side = s.side) < $10
      order by o.sort_key, o.line_no limit 1
    )
    (select row_number() over (order by o.sort_key, o.line_no), o.line_no, o.side, o.amount_minor,
      o.open_minor
    from page o where not exists (
      select from looked_at where (o.sort_key, o.line_no) > (looked_at.sort_key, looked_at.line_no))
    order by o.sort_key, o.line_no limit $10)
    union all
    select null, o.line_no, o.side, o.amount_minor, o.open_minor from looked_at o $sql$,
    case when known then lines else lines || ' order by sort_key, x.line_no limit $11' end, filters,
    lines, (not known)::text);
end $$;

-- The caller's lines that are open in a period, in the order of a list that begins after line
-- `after_no`; `hits`: only these lines, or those with the open amount `amount`. An index serves the
-- order by amount only without row-level security.
create function private.open_lines_of_caller(period public.reconciliations, input jsonb,
  hits bigint[],
  amount bigint, after_no bigint, max_count integer)
returns table (place bigint, line_no bigint, side text, amount_minor bigint, open_minor bigint)
language plpgsql stable security definer set search_path = '' as $$
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
end $$;
grant execute
  on function private.open_lines_of_caller(public.reconciliations, jsonb, bigint[], bigint, bigint,
    integer) to authenticated;

-- Oldest first, or the most money first. input: { id, limit, after: [key, id] | null, side,
-- currency, sort: value_date | amount, amount_from, amount_to, date_from, date_to, q, suggested },
-- `id` the reconciliation's; amounts are open amounts, as the pair counts them. q as in list_lines;
-- an amount alone is also compared with the open amount. Empty for a closed period. Refuses:
-- not_found, conflict.
create function public.list_open_lines(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  search constant text := nullif(btrim(input ->> 'q'), '');
  period public.reconciliations;
  -- If the cursor's line was removed, its day or amount is read from the start.
  after_no bigint;
  hits bigint[];
  looked_at text[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_open_lines');
  period := private.find_period(input ->> 'id');
  if period.closed_at is not null then
    return private.page(null, page_size, 'id');
  end if;
  if input ->> 'after' is not null then
    after_no := coalesce(private.line_no_of(input -> 'after' ->> 1), 0);
  end if;
  if search is not null then
    hits := private.find_lines_of_caller(search, (
      select array[pair.left_source_no, pair.right_source_no]
      from public.pairs pair
      where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no),
        5000);
  end if;
  select jsonb_agg(private.open_line_json(line, open_line.side, open_line.amount_minor,
    open_line.open_minor, period)
  order by open_line.place) filter (where open_line.place is not null),
    min(array[case input ->> 'sort' when 'amount' then open_line.open_minor::text
      else to_char(line.value_date, 'YYYY-MM-DD') end, private.line_id_text(line.id)])
      filter (where open_line.place is null)
  into items, looked_at
  from private.open_lines_of_caller(period, input, hits, private.amount_of_word(search), after_no,
    page_size + 1) open_line
  cross join lateral (select * from public.lines line
    where line.tenant_id = period.tenant_id and line.line_no = open_line.line_no offset 0) line;
  return private.page_up_to(looked_at, items, page_size,
    case input ->> 'sort' when 'amount' then 'open_minor' else 'value_date' end, 'id');
end $$;

create function private.open_line_json(line public.lines, side text, amount_minor bigint,
  open_minor bigint, period public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', private.line_id_text(line.id), 'side', side, 'currency', line.currency,
    'amount_minor', amount_minor, 'open_minor', open_minor,
    'fee_minor', nullif(private.fee_of_whole(line, open_minor), 0), 'value_date', line.value_date,
    'booked_date', line.booked_date,
    'reference', line.reference, 'counterparty', line.counterparty, 'description', line.description,
    'group_key', line.group_key, 'external_id', line.external_id,
    'suggestion', (
      select jsonb_build_object('match_id', private.match_id_text(match.id), 'score', match.score,
        'shape', match.shape)
      from public.match_members member
        join public.matches match on match.tenant_id = member.tenant_id
          and match.id = member.match_id
      where member.tenant_id = line.tenant_id and member.line_no = line.line_no
        and member.pair_no = period.pair_no
        and match.state = 'suggested' and match.reconciliation_id = period.id
      order by match.score desc nulls last, match.id limit 1
    ),
    'exception_id', (
      select exception.id from (
        select exception_line.exception_id from private.exception_lines exception_line
        where exception_line.tenant_id = line.tenant_id and exception_line.line_no = line.line_no
          and exception_line.pair_no = period.pair_no offset 0
      ) exception_line cross join lateral (
        select exception.id
        from public.exceptions exception
        where exception.tenant_id = line.tenant_id and exception.id = exception_line.exception_id
          and exception.status in ('open', 'in_review') offset 0
      ) exception
      limit 1
    )
  );
end $$;
grant execute
  on function private.open_line_json(public.lines, text, bigint, bigint,
    public.reconciliations) to authenticated;
