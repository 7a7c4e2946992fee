-- Lists of lines over the wire: a source's, and a period's, as it stands now or as it was closed.

-- Where the lines of a list are found by their state: open lines, or what a closed period carried;
-- null if every line is looked at. In the statements of these functions $1 is the tenant, $2 the
-- input, $3 the period, ($6, $7) the last line of the page before and $8 how many.
create function private.lines_by_state(period public.reconciliations, state text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return case
    when state is null or state not in ('open', 'partly_matched', 'outstanding') then null
    when period.closed_at is null
      then 'private.open_lines w where w.tenant_id = $1 and w.pair_no = s.pair_no'
    else 'public.carried_lines w where w.tenant_id = $1 and w.reconciliation_id = $3.id'
  end;
end $$;

-- What a line x must be like by its own fields.
create function private.line_field_filters(input jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return concat_ws(' and ', 'true',
    case when input ->> 'date_from' is not null
      then $c$x.value_date >= ($2 ->> 'date_from')::date$c$ end,
    case when input ->> 'date_to' is not null
      then $c$x.value_date <= ($2 ->> 'date_to')::date$c$ end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case when input ->> 'amount_from' is not null
      then $c$x.amount_minor >= ($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null
      then $c$x.amount_minor <= ($2 ->> 'amount_to')::bigint$c$ end,
    case when input ->> 'import_id' is not null
      then $c$x.import_id = $2 ->> 'import_id' and x.line_no between
        (select i.first_line_no from public.imports i
          where i.tenant_id = $1 and i.id = $2 ->> 'import_id')
        and (select i.last_line_no from public.imports i
          where i.tenant_id = $1 and i.id = $2 ->> 'import_id')$c$ end);
end $$;

-- What a line x must be like in a period, and by its state where no index of states finds it.
create function private.line_period_filters(period public.reconciliations, state text,
  is_found_by_state boolean) returns text
language plpgsql stable set search_path = '' as $$
begin
  return concat_ws(' and ', 'true',
    case when period.id is not null then 'x.value_date <= $3.period_end' end,
    case when period.id is not null and not is_found_by_state then format('(%s or %s or %s)',
      private.line_state_condition(case when period.closed_at is null then 'open'
        else 'carried' end),
      private.line_state_condition('matched'), private.line_state_condition('excluded')) end,
    case
      when period.closed_at is not null then
        case when not is_found_by_state or state <> 'outstanding'
          then private.line_state_was(state) end
      when not is_found_by_state then private.line_state_is(state) end);
end $$;

-- What a row w of the standing lines must be like. Its currency and amount are the line's, which
-- is looked up only where these fit; the amount may be negated.
create function private.lines_by_state_filters(period public.reconciliations,
  input jsonb) returns text
language plpgsql immutable set search_path = '' as $$
declare
  state constant text := input ->> 'state';
begin
  return concat_ws(' and ', 'w.side = s.side',
    case when period.id is not null then 'w.value_date <= $3.period_end' end,
    case when input -> 'after' ->> 0 is not null
      then '(w.value_date, w.line_no) < ($6, $7)' end,
    case when input ->> 'currency' is not null then $c$w.currency = $2 ->> 'currency'$c$ end,
    case when input ->> 'amount_from' is not null and period.closed_at is null
      then $c$greatest(w.amount_minor, -w.amount_minor) >= ($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null and period.closed_at is null
      then $c$-greatest(w.amount_minor, -w.amount_minor) <= ($2 ->> 'amount_to')::bigint$c$ end,
    case when period.closed_at is null then
      case state when 'open' then 'w.open_minor = w.amount_minor'
        when 'partly_matched' then 'w.open_minor <> w.amount_minor' end end,
    -- Not completely matched in another pair.
    case when period.id is null and state = 'partly_matched' then $c$not exists (
      select from private.open_lines o
      where o.tenant_id = $1 and o.pair_no = any (s.pair_nos) and o.line_no = w.line_no
        and o.open_minor = o.amount_minor offset 0)$c$ end);
end $$;

-- A page of lines as a query over s, the sources with their pairs: of a few known lines, of
-- standing lines, or of every line.
create function private.line_page(period public.reconciliations, input jsonb, stands text,
  is_few boolean, filters text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  has_cursor constant boolean := input -> 'after' ->> 0 is not null;
  after constant text := case when has_cursor then '(x.value_date, x.line_no) < ($6, $7)'
    else 'true' end;
  of_source constant text := $q$
    select x.value_date, x.line_no from public.lines x
    where %s and x.tenant_id = $1 and x.source_no = s.source_no and %s and %s
    order by x.value_date desc, x.line_no desc limit $8 $q$;
begin
  if is_few then
    return format($q$
      select x.value_date, x.line_no from unnest($5) h (line_no)
      cross join lateral (select * from public.lines y
        where y.tenant_id = $1 and y.line_no = h.line_no offset 0) x
      join s on s.source_no = x.source_no where %s and %s $q$, after, filters);
  elsif stands is null then
    return format('select w.value_date, w.line_no from s cross join lateral (%s) w',
      format(of_source, 'true', after, filters));
  end if;
  -- A line that is open in several pairs is listed once. A source without a pair has only open
  -- lines.
  return format($q$
    select distinct w.value_date, w.line_no from s cross join lateral ((
      select w.value_date, w.line_no from %s and %s and exists (
        select
        from (select * from public.lines y
          where y.tenant_id = $1 and y.line_no = w.line_no offset 0) x
        where %s offset 0
      ) order by w.value_date desc, w.line_no desc limit $8
    ) %s) w $q$, stands, private.lines_by_state_filters(period, input), filters,
    case when period.id is null and input ->> 'state' <> 'partly_matched' then
      format('union all (%s)', format(of_source, 's.pair_no is null', after, filters)) end);
end $$;

-- A page of lines as a statement: s, the sources with their pairs, and the query of line_page over
-- them.
create function private.line_page_statement(stands text, page text) returns text
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
      select x.source_no, x.pair_nos, p.pair_no,
        case x.source_no when p.left_source_no then 'left' else 'right' end as side
      from sources x left join public.pairs p on p.tenant_id = $1 and p.pair_no = any (%s)
    )
    select row_number() over (order by l.value_date desc, l.line_no desc), l.line_no
    from (%s) l order by l.value_date desc, l.line_no desc limit $8 $sql$,
    case when stands is null then 'x.pair_nos[:1]' else 'x.pair_nos' end, page);
end $$;

-- The statement of a list of lines: of the known ones, of sources that are read ($11) in addition
-- to those, or of all. `filters`: further conditions on a line x.
create function private.line_list_statement(period public.reconciliations, input jsonb,
  has_known boolean, has_scanned boolean, filters text) returns text
language plpgsql stable set search_path = '' as $$
declare
  state constant text := input ->> 'state';
  stands constant text := case when not has_known then private.lines_by_state(period, state) end;
  has_cursor constant boolean := input -> 'after' ->> 0 is not null;
  of_line constant text := concat_ws(' and ', private.line_field_filters(input),
    private.line_period_filters(period, state, stands is not null), nullif(filters, ''));
begin
  return private.line_page_statement(stands, case
    when has_known and has_scanned then format('(%s) union all (%s)',
      private.line_page(period, input, null, true, of_line || ' and x.source_no <> all ($11)'),
      private.line_page(period, input, null, false, of_line || ' and s.source_no = any ($11)'))
    else private.line_page(period, input, stands, has_known, of_line) end);
end $$;

-- The caller's lines of these sources, latest first, as list_lines needs them. If few lines come
-- into question, they are looked up and sorted; open lines are read from where only those are
-- stored; everything else is read in the order of the lines' index until the page is full. The
-- planner's statistics cover all tenants, so it could not tell which way is short: it is left only
-- the one that needs no sort.
create function private.lines_of_caller(period public.reconciliations, input jsonb,
  source_nos integer[], max_count integer)
returns table (place bigint, line_no bigint)
language plpgsql stable security definer set search_path = '' set enable_sort = off
  set jit = off as $$
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
  is_searched boolean := false;
  is_changed boolean := false;
begin
  if not private.may('read:reconciliations', 'write:reconciliations') then
    return;
  end if;
  if since is not null then
    found_lines := private.lines_since(since, first_no, 200000);
    is_changed := found_lines is not null;
  end if;
  if search is not null and found_lines is null then
    found_lines := private.find_lines_of_caller(search, source_nos, 5000);
    is_searched := found_lines is not null;
  end if;
  if found_lines is null and period.id is not null then
    found_lines := private.narrow_by_state(period, state, 5000);
  elsif found_lines is null and state in ('matched', 'excluded') then
    select located.line_nos, located.scanned_nos into found_lines, scanned_nos
    from private.locate_settled_lines(state, source_nos, 5000) located;
  end if;
  return query execute private.line_list_statement(period, input, found_lines is not null,
    cardinality(scanned_nos) > 0, concat_ws(' and ',
      case when since is not null and not is_changed then private.line_changed_since() end,
      case when search is not null and not is_searched
        then private.line_search(search, 'private.line_text(x)') end))
  using tenant, input, period, source_nos, found_lines, after_date, after_no, max_count, since,
    first_no, scanned_nos;
end $$;

-- Latest first. input: { limit, after: [value_date, id] | null, source_id, reconciliation_id, side,
-- state, currency, date_from, date_to, amount_from, amount_to, import_id, updated_since, q }: every
-- word of q is part of reference, counterparty, description or external_id, or is the amount. For a
-- reconciliation: the lines that it settled, and those open in it; for a closed one, as of its
-- close. Refuses: not_found.
create function public.list_lines(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  period public.reconciliations;
  source_nos integer[];
  line_nos bigint[];
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
  line_nos := array(
    select page_line.line_no
    from private.lines_of_caller(period, input, source_nos, page_size + 1) page_line
    order by page_line.place);
  items := private.lines_json(tenant, period.pair_no, line_nos);
  if period.closed_at is not null then
    select jsonb_agg(listed.item || private.line_in_closed(line, period)
      order by listed.place) into items
    from jsonb_array_elements(items) with ordinality listed (item, place)
    cross join lateral (select * from public.lines line
      where line.tenant_id = tenant and line.line_no = line_nos[listed.place] offset 0) line;
  end if;
  return private.page(items, page_size, 'value_date', 'id');
end $$;

-- The state of a line in a closed period: { state, open_minor, match_ids }. For another period: {}.
create function private.line_in_closed(line public.lines,
  period public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  carried bigint;
  ids jsonb;
begin
  if period.closed_at is null then
    return '{}';
  end if;
  select carried_line.open_minor into carried from public.carried_lines carried_line
  where carried_line.tenant_id = line.tenant_id and carried_line.reconciliation_id = period.id
    and carried_line.line_no = line.line_no;
  select coalesce(jsonb_agg(private.match_id_text(match.id) order by match.id), '[]') into ids
  from public.match_members member
    join public.matches match on match.tenant_id = member.tenant_id
      and match.id = member.match_id
  where member.tenant_id = line.tenant_id and member.line_no = line.line_no
    and match.reconciliation_id = period.id
    and match.state = 'confirmed';
  return jsonb_build_object('match_ids', ids,
    'state', case when carried is null then case when ids = '[]' then 'excluded' else 'matched' end
      when ids = '[]' then 'open' else 'partly_matched' end,
    -- With the sign as posted, as in lines_json.
    'open_minor',
    case when carried is null then 0 when sign(carried) = sign(line.amount_minor) then carried
      else -carried end);
end $$;

grant execute
  on function private.lines_of_caller(public.reconciliations, jsonb, integer[], integer),
  private.line_in_closed(public.lines, public.reconciliations)
to authenticated;
