-- Lines over the wire.

-- The wire form of lines, in the order of their numbers in the array, with their state in a pair;
-- without a pair, in the pair of their source in which most of them is open. In a source without a
-- pair, or in a pair that is being prepared, all of a line is open. One statement for a page, with
-- one lookup by a whole key per line and table: `offset 0` keeps the planner from joining tables
-- that it estimates to be small.
create function private.lines_json(tenant text, pair integer, line_nos bigint[]) returns jsonb
language plpgsql stable set search_path = '' set jit = off as $$
begin
  return (
    with found as materialized (
      select requested.place, line.*
      from unnest(line_nos) with ordinality requested (line_no, place)
      cross join lateral (
        select * from public.lines line
        where line.tenant_id = tenant and line.line_no = requested.line_no offset 0
      ) line
    ), of_sources as materialized (
      select source.source_no, source.id, array(
        select pairs.pair_no from public.pairs
        where pairs.tenant_id = tenant
          and source.source_no in (pairs.left_source_no, pairs.right_source_no)
          and (pair is null or pairs.pair_no = pair) and pairs.opening is null
        order by pairs.pair_no
      ) as pair_nos
      from public.sources source
      where source.tenant_id = tenant
        and source.source_no in (select line.source_no from found line)
    )
    select jsonb_agg(jsonb_build_object(
      'id', private.line_id_text(line.id), 'source_id', source.id, 'import_id', line.import_id,
      'file_line', line.file_line, 'external_id', line.external_id,
      'amount_minor', line.amount_minor, 'fee_minor', line.fee_minor, 'currency', line.currency,
      'value_date', line.value_date, 'booked_date', line.booked_date, 'reference', line.reference,
      'counterparty', line.counterparty, 'description', line.description,
      'group_key', line.group_key, 'details', coalesce(line.details, '{}'),
      'state', case
        when source.pair_nos = '{}' or standing.open_minor = standing.amount_minor then 'open'
        when standing.open_minor is not null then 'partly_matched'
        when exists (
          select from public.exclusions exclusion
          where exclusion.tenant_id = tenant and exclusion.pair_no = standing.pair_no
            and exclusion.line_no = line.line_no offset 0
        ) then 'excluded'
        else 'matched' end,
      -- With the sign as posted: a pair negates the amounts of an inverted source.
      'open_minor', case
        when source.pair_nos = '{}' then line.amount_minor
        when standing.open_minor is null then 0
        when sign(standing.amount_minor) = sign(line.amount_minor) then standing.open_minor
        else -standing.open_minor end,
      'match_ids', (
        select coalesce(jsonb_agg(private.match_id_text(match.id) order by match.id), '[]')
        from public.match_members member
        cross join lateral (
          select match.id from public.matches match
          where match.tenant_id = tenant and match.id = member.match_id
            and match.state = 'confirmed'
          offset 0
        ) match
        where member.tenant_id = tenant and member.line_no = line.line_no
          and (pair is null or member.pair_no = pair)
      ),
      'exception_id', (
        select exception.id
        from (
          select exception_line.exception_id from private.exception_lines exception_line
          where exception_line.tenant_id = tenant and exception_line.line_no = line.line_no offset 0
        ) exception_line cross join lateral (
          select exception.id from public.exceptions exception
          where exception.tenant_id = tenant and exception.id = exception_line.exception_id
            and exception.status in ('open', 'in_review') offset 0
        ) exception
        order by exception.id desc limit 1
      ),
      'created_at', private.iso(line.created_at)
    ) order by line.place)
    from found line
    join of_sources source on source.source_no = line.source_no
    left join lateral (
      select own_pair.pair_no, open_line.amount_minor, open_line.open_minor
      from unnest(source.pair_nos) own_pair (pair_no)
      left join lateral (
        select open_line.amount_minor, open_line.open_minor from private.open_lines open_line
        where open_line.tenant_id = tenant and open_line.pair_no = own_pair.pair_no
          and open_line.line_no = line.line_no offset 0
      ) open_line on true
      order by abs(open_line.open_minor) desc nulls last, own_pair.pair_no limit 1
    ) standing on true
  );
end $$;

-- input: { source_id, lines }: each { amount_minor, currency, value_date, … }. Refuses: not_found,
-- invalid_request.
create function public.add_lines(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'add_lines');
  source public.sources;
  added jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  source := private.find_source(input ->> 'source_id');
  added := private.add_lines(source.source_no, (
    select jsonb_agg(jsonb_build_object('currency', source.currency) || input_line.line
      order by input_line.place)
    from jsonb_array_elements(input -> 'lines') with ordinality input_line (line, place)
  ));
  -- After the locks of the pair: decisions record their work with these held.
  perform private.record_source_work(source.source_no);
  return private.finish_request(request, jsonb_build_object(
    'accepted_count', added -> 'accepted', 'duplicate_count', added -> 'duplicates',
    'items', added -> 'items'
  ));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_line(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  line public.lines;
begin
  perform private.begin_request(request, 'get_line');
  select * into line
  from public.lines
  where lines.tenant_id = private.tenant_id() and lines.id = private.line_id(input ->> 'id');
  if not found then
    perform private.refuse_missing('line');
  end if;
  return private.lines_json(line.tenant_id, null, array[line.line_no]) -> 0;
end $$;

grant execute
  on function private.lines_json(text, integer, bigint[]) to authenticated;
