-- The new index first, while lists use the old one. Imports wait for it: about a second per million
-- lines.
create index lines_by_source_with_amounts on public.lines (tenant_id, source_no, value_date, line_no)
  include (currency, amount_minor);
drop index public.lines_by_source;
-- contracts: nothing names an index.
alter index public.lines_by_source_with_amounts rename to lines_by_source;
alter table public.lines set (autovacuum_vacuum_insert_scale_factor = 0.05);
-- contracts: only the statements of list_lines, which are replaced below, used these.
drop function private.line_page(public.reconciliations,jsonb,text,boolean,text);
-- contracts: the same
drop function private.line_period_filters(public.reconciliations,text,boolean);

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.line_list_statement(public.reconciliations,jsonb,boolean,boolean,text);
drop function private.line_page_statement(text,text);
drop function private.match_filters(jsonb,uuid,text,boolean,boolean);
drop function private.open_line_filters(jsonb,bigint[],bigint,bigint,text);
CREATE OR REPLACE FUNCTION private.max_looked_at(pages_per_row numeric)
 RETURNS integer
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return 2000 / pages_per_row;
end $function$;
CREATE OR REPLACE FUNCTION private.page_up_to(looked_at text[], items jsonb, page_size integer, VARIADIC key text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  page constant jsonb := private.page(items, page_size, variadic key);
begin
  return case when jsonb_typeof(page -> 'next') = 'null' and looked_at is not null
    then page || jsonb_build_object('next', looked_at) else page end;
end $function$;
CREATE OR REPLACE FUNCTION private.locate_settled_lines(state text, source_nos integer[], max_count integer, OUT line_nos bigint[], OUT scanned_nos integer[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.locate_open_lines(period public.reconciliations, input jsonb, source_nos integer[], max_count integer, OUT line_nos bigint[], OUT scanned_nos integer[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
AS $function$
declare
  tenant constant text := private.tenant_id();
  sizes constant text := private.open_line_sizes(input);
begin
  scanned_nos := '{}';
  if sizes is null or period.closed_at is not null
    or coalesce(input ->> 'state', '') not in ('open', 'outstanding') then
    return;
  end if;
  execute format($sql$
    with s as materialized (
      select p.pair_no, side.side, side.source_no from public.pairs p
      cross join lateral (
        values ('left', p.left_source_no), ('right', p.right_source_no)) side (side, source_no)
      where p.tenant_id = $1 and p.opening is null and side.source_no = any ($2)
        and ($3 is null or p.pair_no = $3)
    )
    select array(
      select distinct o.line_no from s cross join lateral (
        (select x.line_no from private.open_lines x
          where x.tenant_id = $1 and x.pair_no = s.pair_no and x.side = s.side and %s
          order by (-abs(x.open_minor)), x.line_no limit $4)
        union all
        (select x.line_no from private.open_lines x
          where x.tenant_id = $1 and x.pair_no = s.pair_no and x.side = s.side
            and x.open_minor <> x.amount_minor
          order by x.value_date, x.line_no limit $4)
      ) o limit $4),
      array(select unnest($2) except select s.source_no from s) $sql$, sizes)
  into line_nos, scanned_nos using tenant, source_nos, period.pair_no, max_count + 1;
  if cardinality(line_nos) > max_count then
    line_nos := null;
    scanned_nos := '{}';
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.locate_by_state(period public.reconciliations, input jsonb, source_nos integer[], OUT line_nos bigint[], OUT scanned_nos integer[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.lines_by_state(period public.reconciliations, state text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.line_range(period public.reconciliations, input jsonb, line text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.line_field_filters(input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return concat_ws(' and ', 'true',
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case when input ->> 'amount_from' is not null
      then $c$x.amount_minor >= ($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null
      then $c$x.amount_minor <= ($2 ->> 'amount_to')::bigint$c$ end,
    case when input ->> 'import_id' is not null
      then $c$x.import_id = $2 ->> 'import_id'$c$ end);
end $function$;
CREATE OR REPLACE FUNCTION private.line_state_filters(period public.reconciliations, state text, is_found_by_state boolean)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.lines_by_state_filters(period public.reconciliations, input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.scanned_lines(rows text, open text, own_filters text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  first_rows constant text := 'order by w.value_date desc, w.line_no desc limit $12';
begin
  return format('(select x.* from (select w.* from %s %s) x %s %s) x', rows, first_rows,
    case when open is null then 'where' else format($q$
      left join (select w.value_date, w.line_no from %s %s) o
        on o.value_date = x.value_date and o.line_no = x.line_no
      where o.line_no is null and $q$, open, first_rows) end, own_filters);
end $function$;
CREATE OR REPLACE FUNCTION private.lines_of_page(scanned text, filters text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return format($q$
    select x.value_date, x.line_no
    from (select x.* from %s order by x.value_date desc, x.line_no desc limit $13) x
    where %s order by x.value_date desc, x.line_no desc limit $8 $q$, scanned, filters);
end $function$;
CREATE OR REPLACE FUNCTION private.standing_lines_of_page(rows text, own_filters text, filters text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.known_lines(range text, filters text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return format($q$
    select null::bigint, x.value_date, x.line_no from unnest($5) h (line_no)
    cross join lateral (select * from public.lines y
      where y.tenant_id = $1 and y.line_no = h.line_no offset 0) x
    join s on s.source_no = x.source_no and s.source_no <> all ($11)
    where %s and %s $q$, range, filters);
end $function$;
CREATE OR REPLACE FUNCTION private.last_looked_at(rows text, alias text, max_count text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return format('(select %1$s.value_date, %1$s.line_no from %2$s
    order by %1$s.value_date desc, %1$s.line_no desc offset %3$s - 1 limit 1)', alias, rows,
    max_count);
end $function$;
CREATE OR REPLACE FUNCTION private.line_page_statement(has_all_pairs boolean, in_source text[], elsewhere text, ends text[])
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.line_list_statement(period public.reconciliations, input jsonb, has_known boolean, filters text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.max_lines_looked_at(period public.reconciliations, input jsonb, sources integer, max_count integer, OUT in_index integer, OUT closer integer)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  state constant text := input ->> 'state';
  stands constant boolean := private.lines_by_state(period, state) is not null;
begin
  in_index := greatest(max_count, private.max_looked_at(case
    when stands or input ?| '{q,updated_since}' then 1.25
    -- Pages of open lines change often, and are read until they are vacuumed.
    when state in ('matched', 'excluded') then 0.2
    else 0.04 end) / greatest(sources, 1));
  closer := greatest(max_count, private.max_looked_at(case
    when not stands and (period.id is not null or state is not null)
      or input ->> 'updated_since' is not null then 4
    when input ->> 'q' is not null then 1
    else 0.04 end) / greatest(sources, 1));
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
  is_joined constant boolean := coalesce(state, '') not in ('matched', 'excluded');
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
  perform set_config('enable_nestloop', is_joined::text, true),
    set_config('enable_hashjoin', is_joined::text, true);
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
CREATE OR REPLACE FUNCTION public.list_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  period public.reconciliations;
  source_nos integer[];
  line_nos bigint[];
  looked_at text[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_lines');
  if input ->> 'source_id' is not null then
    perform private.find_source(input ->> 'source_id');
  end if;
  if input ->> 'reconciliation_id' is not null then
    select * into period
    from public.reconciliations
    where reconciliations.tenant_id = tenant and reconciliations.id = input ->> 'reconciliation_id';
    if not found then
      perform private.refuse_missing('reconciliation');
    end if;
  end if;
  source_nos := array(
    select source.source_no
    from public.sources source
    left join public.pairs pair on pair.tenant_id = tenant and pair.pair_no = period.pair_no
    where source.tenant_id = tenant
      and (input ->> 'source_id' is null or source.id = input ->> 'source_id')
      and (period.id is null or source.source_no in (pair.left_source_no, pair.right_source_no))
      and (input ->> 'side' is null
      or source.source_no = case input ->> 'side' when 'left' then pair.left_source_no
      else pair.right_source_no end)
  );
  select coalesce(array_agg(page_line.line_no order by page_line.place)
      filter (where page_line.place is not null), '{}'),
    min(private.line_key_in_list(page_line.line_no)) filter (where page_line.place is null)
  into line_nos, looked_at
  from private.lines_of_caller(period, input, source_nos, page_size + 1) page_line;
  items := private.lines_json(tenant, period.pair_no, line_nos);
  if period.closed_at is not null then
    select jsonb_agg(listed.item || private.line_in_closed(line, period)
      order by listed.place) into items
    from jsonb_array_elements(items) with ordinality listed (item, place)
    cross join lateral (select * from public.lines line
      where line.tenant_id = tenant and line.line_no = line_nos[listed.place] offset 0) line;
  end if;
  return private.page_up_to(looked_at, items, page_size, 'value_date', 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.line_key_in_list(line_no bigint)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (select array[to_char(line.value_date, 'YYYY-MM-DD'), private.line_id_text(line.id)]
    from public.lines line
    where line.tenant_id = private.tenant_id() and line.line_no = line_key_in_list.line_no);
end $function$;
CREATE OR REPLACE FUNCTION private.narrow_by_filters(period public.reconciliations, input jsonb, max_count integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
AS $function$
declare
  source_nos constant integer[] := (
    select array[pair.left_source_no, pair.right_source_no]
    from public.pairs pair
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no);
  search constant text := nullif(btrim(input ->> 'q'), '');
  -- As values: under row-level security no index is searched for an expression that casts.
  first_day constant date := coalesce((input ->> 'date_from')::date, '-infinity');
  last_day constant date := least((input ->> 'date_to')::date, period.period_end);
  line_nos bigint[];
begin
  if input ->> 'line_id' is not null then
    return array(select line.line_no from public.lines line
      where line.tenant_id = period.tenant_id and line.id = private.line_id(input ->> 'line_id'));
  end if;
  if search is not null then
    line_nos := private.find_lines_of_caller(search, source_nos, max_count);
  end if;
  if line_nos is null and coalesce(input ->> 'date_from', input ->> 'date_to') is not null then
    line_nos := array(
      select of_source.line_no from unnest(source_nos) wanted_source (source_no) cross
        join lateral (
        select line.line_no from public.lines line
        where line.tenant_id = period.tenant_id and line.source_no = wanted_source.source_no
          and line.value_date between first_day and last_day
        order by line.value_date, line.line_no limit max_count + 1
      ) of_source
    );
  end if;
  return case when cardinality(line_nos) <= max_count then line_nos end;
end $function$;
CREATE OR REPLACE FUNCTION private.matches_since(period public.reconciliations, since timestamp with time zone)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
AS $function$
declare
  first_id constant uuid := rpad(private.id_time(since - interval '10 minutes'), 32, '0');
  max_count constant integer := 5000;
  ids constant uuid[] := array(
    select match.id from (
      (
        select match.id from public.matches match
        where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
          and match.id >= first_id
          and match.created_at >= since
        order by match.id limit max_count + 1
      )
      union
      (
        select match.id from public.matches match
        where match.tenant_id = period.tenant_id and match.decided_at >= since
          and match.reconciliation_id = period.id
        order by match.decided_at limit max_count + 1
      )
    ) match
    limit max_count + 1
  );
begin
  return case when cardinality(ids) <= max_count then ids end;
end $function$;
CREATE OR REPLACE FUNCTION private.match_range(input jsonb, after_id uuid)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return concat_ws(' and ', 'm.reconciliation_id = $2',
    case when after_id is not null then 'm.id < $3' end,
    case when input ->> 'state' = 'suggested' then $c$m.state = 'suggested'$c$ end);
end $function$;
CREATE OR REPLACE FUNCTION private.match_filters(input jsonb, of_line text, is_changed boolean, is_closed boolean)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  by_line constant text := 'exists (
    select from public.match_members member
    cross join lateral (
      select * from public.lines x where x.tenant_id = $1 and x.line_no = member.line_no offset 0
    ) l
    where member.tenant_id = $1 and member.match_id = m.id and ';
begin
  return concat_ws(' and ', 'true',
    case when is_changed then 'm.id = any ($7)'
      when input ->> 'updated_since' is not null then $c$(
        m.created_at >= ($4 ->> 'updated_since')::timestamptz
        or m.decided_at >= ($4 ->> 'updated_since')::timestamptz)$c$
    end,
    case when input ->> 'state' is not null then format('m.state = %L', input ->> 'state') end,
    -- Suggestions that wait for the next period do not belong to a closed one.
    case when is_closed then $c$m.state <> 'suggested'$c$ end,
    case when input ->> 'method' is not null then $c$m.method = $4 ->> 'method'$c$ end,
    case when input ->> 'missing_evidence' = 'true' then $c$(m.state = 'confirmed'
      and m.method = 'manual' and m.adjustments <> '[]'
      and private.lacks_evidence(m, ($4 ->> 'evidence_required_from')::bigint))$c$ end,
    case when input ->> 'shape' is not null then $c$m.shape = $4 ->> 'shape'$c$ end,
    case when input ->> 'run_id' is not null then $c$m.run_id = $4 ->> 'run_id'$c$ end,
    case when input ->> 'amount_from' is not null then
      $c$m.amount_minor >= ($4 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then
      $c$m.amount_minor <= ($4 ->> 'amount_to')::bigint$c$ end,
    by_line || of_line || ' offset 0)');
end $function$;
CREATE OR REPLACE FUNCTION public.list_matches(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  tenant constant text := private.tenant_id();
  after_id constant uuid := private.match_id(input -> 'after' ->> 0);
  of_line constant text := private.requested_line(input);
  max_count constant integer := greatest(page_size + 1,
    private.max_looked_at(case when of_line is null then 1.25 else 10 end));
  range constant text := private.match_range(input, after_id);
  period public.reconciliations;
  found_lines bigint[];
  changed uuid[];
  looked_at text[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_matches');
  period := private.find_period(input ->> 'id');
  if of_line is not null then
    found_lines := private.narrow_by_filters(period, input, 5000);
  end if;
  if input ->> 'updated_since' is not null then
    changed := private.matches_since(period, (input ->> 'updated_since')::timestamptz);
  end if;
  execute format('select jsonb_agg(private.match_json(x) order by x.id desc) from (
      select m.* from (%s) m where %s order by m.id desc limit $6
    ) x',
    case when found_lines is not null then 'select m.* from (
      select distinct member.match_id from public.match_members member
      where member.tenant_id = $1 and member.line_no = any ($5)
    ) f cross join lateral (
      select * from public.matches y where y.tenant_id = $1 and y.id = f.match_id offset 0
    ) m where m.tenant_id = $1 and ' || range
      when changed is not null
        then 'select * from public.matches m where m.tenant_id = $1 and ' || range
      else format('select * from public.matches m
        where m.tenant_id = $1 and %s order by m.id desc limit $8', range) end,
    private.match_filters(input, of_line, changed is not null, period.closed_at is not null))
  into items using tenant, period.id, after_id,
    input || jsonb_build_object('evidence_required_from', private.evidence_required_from(period)),
    found_lines, page_size + 1, changed, max_count;
  if found_lines is null and changed is null
    and coalesce(jsonb_array_length(items), 0) <= page_size then
    execute format('select array[private.match_id_text(m.id)] from public.matches m
      where m.tenant_id = $1 and %s order by m.id desc offset $4 - 1 limit 1', range)
    into looked_at using tenant, period.id, after_id, max_count;
  end if;
  return private.page_up_to(looked_at, items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_order(input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when input ->> 'sort' = 'amount' then '(-abs(x.open_minor))' else 'x.value_date' end;
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_range(input jsonb, after_no bigint)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return concat_ws(' and ', 'x.pair_no = $3 and x.side = s.side',
    case when after_no is not null then format('(%s, x.line_no) > (%s, $7)',
      private.open_line_order(input),
      case when input ->> 'sort' = 'amount' then $c$-abs(($2 -> 'after' ->> 0)::bigint)$c$
        else $c$($2 -> 'after' ->> 0)::date$c$ end) end,
    case when input ->> 'sort' <> 'amount' then private.open_line_days(input) end,
    case when input ->> 'sort' = 'amount' then private.open_line_sizes(input) end);
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_sizes(input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  amount_from constant bigint := input ->> 'amount_from';
  amount_to constant bigint := input ->> 'amount_to';
begin
  return nullif(concat_ws(' and ',
    '(-abs(x.open_minor)) <= ' || -nullif(greatest(amount_from, -amount_to, 0), 0),
    case when amount_from is not null and amount_to is not null
      then '(-abs(x.open_minor)) >= ' || -greatest(abs(amount_from), abs(amount_to)) end), '');
end $function$;
CREATE OR REPLACE FUNCTION private.open_lines_of_sizes(pair integer, sides text[], input jsonb, max_count integer)
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
  if sizes is null or input ->> 'sort' = 'amount' then
    return null;
  end if;
  execute format($sql$
    select array(
      select o.line_no from unnest($3) s (side) cross join lateral (
        select x.line_no from private.open_lines x
        where x.tenant_id = $1 and x.pair_no = $2 and x.side = s.side and %s
        order by (-abs(x.open_minor)), x.line_no limit $4
      ) o) $sql$, sizes)
  into line_nos using private.tenant_id(), pair, sides, max_count + 1;
  return case when cardinality(line_nos) <= max_count then line_nos end;
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_days(input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return concat_ws(' and ', 'x.value_date <= $4',
    case
      when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$
      end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$
      end);
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_filters(input jsonb, hits bigint[], amount bigint, sized bigint[])
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_statement(input jsonb, range text, filters text, known boolean)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
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
  sized constant bigint[] := private.open_lines_of_sizes(period.pair_no, sides, input, 500);
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
CREATE OR REPLACE FUNCTION public.list_open_lines(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
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
end $function$;
grant execute on function private.line_key_in_list(bigint) to authenticated;
grant execute on function private.match_filters(jsonb,text,boolean,boolean) to authenticated;
grant execute on function private.match_range(jsonb,uuid) to authenticated;
grant execute on function private.max_looked_at(numeric) to authenticated;
grant execute on function private.page_up_to(text[],jsonb,integer,text[]) to authenticated;
