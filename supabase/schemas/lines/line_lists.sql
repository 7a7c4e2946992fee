-- Lists of lines over the wire: a source's, and a period's, as it stands now or as it was closed.

-- How many lines of each source a list examines in the index ($12), and for how many it reads other
-- tables or texts ($13). An index entry costs little, a line that is read one page of 8 kB, and one
-- that is looked up in other tables several.
create function private.max_lines_looked_at(period public.reconciliations, input jsonb,
  sources integer, max_count integer, out in_index integer, out closer integer)
language plpgsql immutable set search_path = '' as $$
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
end $$;

-- The caller's lines of these sources, latest first, as list_lines needs them; a row without a
-- place is the last line that was examined. If only a few lines can match, they are looked up and
-- sorted; open lines are read from where only those are stored; everything else is read in the
-- order of the lines' index until the page is full. The planner's statistics cover all tenants, so
-- it can't know which way is fast. It is left only the plan without a sort and, where open lines
-- are skipped, the merge join, which stops when the page is full.
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
end $$;

-- The key of one of the caller's lines in a list, as a cursor has it.
create function private.line_key_in_list(line_no bigint) returns text[]
language plpgsql stable set search_path = '' as $$
begin
  return (select array[to_char(line.value_date, 'YYYY-MM-DD'), private.line_id_text(line.id)]
    from public.lines line
    where line.tenant_id = private.tenant_id() and line.line_no = line_key_in_list.line_no);
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
  private.line_key_in_list(bigint), private.line_in_closed(public.lines, public.reconciliations)
to authenticated;
