-- The statements of lists of lines.

-- Parameters of these statements: $1 the tenant, $2 the input, $3 the period, ($6, $7) the last
-- line of the previous page, $8 the page size, $12 how many lines of a source are examined in their
-- index, and $13 for how many of those other tables or texts are read.

-- The rows in which a source s has its lines of a state: open lines, or the lines that a closed
-- period carried. Null if no table has only these, so that every line is examined.
create function private.lines_by_state(period public.reconciliations, state text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return case
    when state is null or state not in ('open', 'partly_matched', 'outstanding') then null
    when period.closed_at is not null
      then 'public.carried_lines w where w.tenant_id = $1 and w.reconciliation_id = $3.id'
        || ' and w.side = s.side'
    else 'private.open_lines w where w.tenant_id = $1 and w.pair_no = s.pair_no'
      || ' and w.side = s.side'
      || case state when 'open' then ' and w.open_minor = w.amount_minor'
        when 'partly_matched' then ' and w.open_minor <> w.amount_minor' else '' end
  end;
end $$;

-- The range of an index by day that a page reads, as a condition on `line`, a line or an open or
-- carried one. Lines of other imports are skipped in the index.
create function private.line_range(period public.reconciliations, input jsonb,
  line text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return replace(concat_ws(' and ', 'true',
    case when input -> 'after' ->> 0 is not null
      then '(w.value_date, w.line_no) < ($6, $7)' end,
    case when period.id is not null then 'w.value_date <= $3.period_end' end,
    case when input ->> 'date_from' is not null
      then $c$w.value_date >= ($2 ->> 'date_from')::date$c$ end,
    case when input ->> 'date_to' is not null
      then $c$w.value_date <= ($2 ->> 'date_to')::date$c$ end,
    case when input ->> 'import_id' is not null
      then $c$w.line_no between
        (select i.first_line_no from public.imports i
          where i.tenant_id = $1 and i.id = $2 ->> 'import_id')
        and (select i.last_line_no from public.imports i
          where i.tenant_id = $1 and i.id = $2 ->> 'import_id')$c$ end), 'w.', line || '.');
end $$;

-- The conditions of the filters on the fields of line x.
create function private.line_field_filters(input jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return concat_ws(' and ', 'true',
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case when input ->> 'amount_from' is not null
      then $c$x.amount_minor >= ($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null
      then $c$x.amount_minor <= ($2 ->> 'amount_to')::bigint$c$ end,
    case when input ->> 'import_id' is not null
      then $c$x.import_id = $2 ->> 'import_id'$c$ end);
end $$;

-- The conditions of the period on line x, and of the state if no table has only the lines of that
-- state.
create function private.line_state_filters(period public.reconciliations, state text,
  is_found_by_state boolean) returns text
language plpgsql stable set search_path = '' as $$
begin
  return coalesce(nullif(concat_ws(' and ',
    case when period.id is not null and not is_found_by_state then format('(%s or %s or %s)',
      private.line_state_condition(case when period.closed_at is null then 'open'
        else 'carried' end),
      private.line_state_condition('matched'), private.line_state_condition('excluded')) end,
    case
      when period.closed_at is not null then
        case when not is_found_by_state or state <> 'outstanding'
          then private.line_state_was(state) end
      when not is_found_by_state then private.line_state_is(state) end), ''), 'true');
end $$;

-- The conditions of the filters on w, an open or carried line. The line itself is read only if
-- currency and amount fit; w's amount may be negated.
create function private.lines_by_state_filters(period public.reconciliations,
  input jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return concat_ws(' and ', 'true',
    case when input ->> 'currency' is not null then $c$w.currency = $2 ->> 'currency'$c$ end,
    case when input ?| '{amount_from,amount_to}' and period.closed_at is null
      then $c$(w.amount_minor between coalesce(($2 ->> 'amount_from')::bigint, -9223372036854775807)
          and coalesce(($2 ->> 'amount_to')::bigint, 9223372036854775807)
        or -w.amount_minor between coalesce(($2 ->> 'amount_from')::bigint, -9223372036854775807)
          and coalesce(($2 ->> 'amount_to')::bigint, 9223372036854775807))$c$ end,
    -- Not completely matched in another pair.
    case when period.id is null and input ->> 'state' = 'partly_matched' then $c$not exists (
      select from private.open_lines o
      where o.tenant_id = $1 and o.pair_no = any (s.pair_nos) and o.line_no = w.line_no
        and o.open_minor = o.amount_minor offset 0)$c$ end);
end $$;

-- The lines x that a list examines in a source s: those of the first $12 `rows` that meet
-- `own_filters` and are not among the `open` lines, which the list doesn't show. Both come in the
-- same order, so they are merged, and only the first $12 open lines are needed.
create function private.scanned_lines(rows text, open text, own_filters text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  first_rows constant text := 'order by w.value_date desc, w.line_no desc limit $12';
begin
  return format('(select x.* from (select w.* from %s %s) x %s %s) x', rows, first_rows,
    case when open is null then 'where' else format($q$
      left join (select w.value_date, w.line_no from %s %s) o
        on o.value_date = x.value_date and o.line_no = x.line_no
      where o.line_no is null and $q$, open, first_rows) end, own_filters);
end $$;

-- The lines of a page in a source s: of the first $13 examined lines, those that meet the filters.
create function private.lines_of_page(scanned text, filters text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return format($q$
    select x.value_date, x.line_no
    from (select x.* from %s order by x.value_date desc, x.line_no desc limit $13) x
    where %s order by x.value_date desc, x.line_no desc limit $8 $q$, scanned, filters);
end $$;

-- The same from the first $12 open or carried lines, each of which is looked up.
create function private.standing_lines_of_page(rows text, own_filters text,
  filters text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return format($q$
    select w.value_date, w.line_no
    from (select w.* from %s order by w.value_date desc, w.line_no desc limit $12) w
    where %s and exists (
      select
      from (select * from public.lines y
        where y.tenant_id = $1 and y.line_no = w.line_no offset 0) x
      where %s offset 0
    ) order by w.value_date desc, w.line_no desc limit $8 $q$, rows, own_filters, filters);
end $$;

-- The lines that were found beforehand ($5), except those of sources that are read anyway ($11).
create function private.known_lines(range text, filters text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return format($q$
    select null::bigint, x.value_date, x.line_no from unnest($5) h (line_no)
    cross join lateral (select * from public.lines y
      where y.tenant_id = $1 and y.line_no = h.line_no offset 0) x
    join s on s.source_no = x.source_no and s.source_no <> all ($11)
    where %s and %s $q$, range, filters);
end $$;

-- The last row that is examined in `rows`, whose alias is w or x; no row if there are fewer.
create function private.last_looked_at(rows text, alias text, max_count text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return format('(select %1$s.value_date, %1$s.line_no from %2$s
    order by %1$s.value_date desc, %1$s.line_no desc offset %3$s - 1 limit 1)', alias, rows,
    max_count);
end $$;

-- A page of lines as a statement over s, the sources with their pairs. `in_source`: queries for the
-- lines of a page in s; `ends`: queries for the last row that those examine. A source with such a
-- row may have more lines, so the page ends there, and a row without a place returns it.
create function private.line_page_statement(has_all_pairs boolean, in_source text[],
  elsewhere text, ends text[]) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return format($sql$
    with sources as materialized (
      select x.source_no, case when $3.id is not null then array[$3.pair_no] else array(
        select p.pair_no from public.pairs p
        where p.tenant_id = $1 and x.source_no in (p.left_source_no, p.right_source_no)
          and p.opening is null order by p.pair_no) end as pair_nos
      from unnest($4) x (source_no)
    ), s as materialized (
      select row_number() over () as place, x.source_no, x.pair_nos, p.pair_no,
        case x.source_no when p.left_source_no then 'left' else 'right' end as side
      from sources x left join public.pairs p on p.tenant_id = $1 and p.pair_no = any (%1$s)
    ), page as materialized (
      select s.place, l.value_date, l.line_no from s cross join lateral (%2$s) l %3$s
    ), full_sources as materialized (
      select page.place from page where page.place is not null
      group by page.place having count(*) >= $8
    ), looked_at as materialized (
      select l.value_date, l.line_no from s cross join lateral (%4$s) l
      where s.place not in (select full_sources.place from full_sources)
      order by l.value_date desc, l.line_no desc limit 1
    )
    (select row_number() over (order by l.value_date desc, l.line_no desc), l.line_no
    -- A line that is open in several pairs is listed once.
    from (select distinct page.value_date, page.line_no from page
      where not exists (select from looked_at
        where (page.value_date, page.line_no) < (looked_at.value_date, looked_at.line_no))) l
    order by l.value_date desc, l.line_no desc limit $8)
    union all
    select null, l.line_no from looked_at l $sql$,
    case when has_all_pairs then 'x.pair_nos' else 'x.pair_nos[:1]' end,
    (select string_agg('(' || query || ')', ' union all ') from unnest(in_source) query),
    'union all ' || elsewhere, array_to_string(ends, ' union all '));
end $$;

-- The statement of a list of lines: the lines that were found beforehand and those of the sources
-- in $11, or all lines. `filters`: further conditions on line x.
create function private.line_list_statement(period public.reconciliations, input jsonb,
  has_known boolean, filters text) returns text
language plpgsql stable set search_path = '' as $$
declare
  state constant text := input ->> 'state';
  range constant text := private.line_range(period, input, 'w');
  stands constant text := case when not has_known
    then private.lines_by_state(period, state) || ' and ' || range end;
  lines constant text := concat_ws(' and ',
    'public.lines w where w.tenant_id = $1 and w.source_no = s.source_no', range,
    case when stands is not null then 's.pair_no is null' end,
    case when has_known then 's.source_no = any ($11)' end);
  scanned constant text := private.scanned_lines(lines,
    case when state in ('matched', 'excluded') and period.closed_at is null
      then private.lines_by_state(period, 'outstanding') || ' and ' || range end,
    private.line_field_filters(input));
  looked_up constant text := concat_ws(' and ',
    private.line_state_filters(period, state, stands is not null), nullif(filters, ''));
  of_line constant text := private.line_field_filters(input) || ' and ' || looked_up;
  in_source text[] := array[private.lines_of_page(scanned, looked_up)];
  ends text[] := private.last_looked_at(lines, 'w', '$12') || case when looked_up <> 'true'
    then array[private.last_looked_at(scanned, 'x', '$13')] else '{}' end;
begin
  if stands is null then
    return private.line_page_statement(false, in_source,
      case when has_known
        then private.known_lines(private.line_range(period, input, 'x'), of_line) end, ends);
  end if;
  -- A source without a pair has only open lines.
  if period.id is not null or state = 'partly_matched' then
    in_source := '{}';
    ends := '{}';
  end if;
  return private.line_page_statement(true, in_source || private.standing_lines_of_page(stands,
    private.lines_by_state_filters(period, input), of_line), null,
    ends || private.last_looked_at(stands, 'w', '$12'));
end $$;
