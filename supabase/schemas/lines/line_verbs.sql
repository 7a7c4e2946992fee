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
      select asked.n, l.*
      from unnest(line_nos) with ordinality asked (line_no, n)
      cross join lateral (
        select * from public.lines x
        where x.tenant_id = tenant and x.line_no = asked.line_no offset 0
      ) l
    ), of_sources as materialized (
      select s.source_no, s.id, array(
        select p.pair_no from public.pairs p
        where p.tenant_id = tenant and s.source_no in (p.left_source_no, p.right_source_no)
          and (pair is null or p.pair_no = pair) and p.opening is null
        order by p.pair_no
      ) as pair_nos
      from public.sources s
      where s.tenant_id = tenant and s.source_no in (select l.source_no from found l)
    )
    select jsonb_agg(jsonb_build_object(
      'id', private.line_id_text(l.id), 'source_id', s.id, 'import_id', l.import_id,
      'file_line', l.file_line, 'external_id', l.external_id, 'amount_minor', l.amount_minor,
      'fee_minor', l.fee_minor, 'currency', l.currency, 'value_date', l.value_date,
      'booked_date', l.booked_date, 'reference', l.reference, 'counterparty', l.counterparty,
      'description', l.description, 'group_key', l.group_key, 'details', coalesce(l.details, '{}'),
      'state', case
        when s.pair_nos = '{}' or standing.open_minor = standing.amount_minor then 'open'
        when standing.open_minor is not null then 'partly_matched'
        when exists (
          select from public.exclusions e
          where e.tenant_id = tenant and e.pair_no = standing.pair_no
            and e.line_no = l.line_no offset 0
        ) then 'excluded'
        else 'matched' end,
      -- With the sign as posted: a pair negates the amounts of an inverted source.
      'open_minor', case
        when s.pair_nos = '{}' then l.amount_minor
        when standing.open_minor is null then 0
        when sign(standing.amount_minor) = sign(l.amount_minor) then standing.open_minor
        else -standing.open_minor end,
      'match_ids', (
        select coalesce(jsonb_agg(private.match_id_text(m.id) order by m.id), '[]')
        from public.match_members mm
        cross join lateral (
          select x.id from public.matches x
          where x.tenant_id = tenant and x.id = mm.match_id and x.state = 'confirmed' offset 0
        ) m
        where mm.tenant_id = tenant and mm.line_no = l.line_no
          and (pair is null or mm.pair_no = pair)
      ),
      'exception_id', (
        select e.id
        from (
          select x.exception_id from private.exception_lines x
          where x.tenant_id = tenant and x.line_no = l.line_no offset 0
        ) x cross join lateral (
          select y.id from public.exceptions y
          where y.tenant_id = tenant and y.id = x.exception_id
            and y.status in ('open', 'in_review') offset 0
        ) e
        order by e.id desc limit 1
      ),
      'created_at', private.iso(l.created_at)
    ) order by l.n)
    from found l
    join of_sources s on s.source_no = l.source_no
    left join lateral (
      select p.pair_no, o.amount_minor, o.open_minor
      from unnest(s.pair_nos) p (pair_no)
      left join lateral (
        select x.amount_minor, x.open_minor from private.open_lines x
        where x.tenant_id = tenant and x.pair_no = p.pair_no and x.line_no = l.line_no offset 0
      ) o on true
      order by abs(o.open_minor) desc nulls last, p.pair_no limit 1
    ) standing on true
  );
end $$;

-- input: { source_id, lines }: each { amount_minor, currency, value_date, … }. Refuses: not_found,
-- invalid_request.
create function public.add_lines(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'add_lines');
  s public.sources;
  added jsonb;
begin
  if replayed is not null then
    return replayed;
  end if;
  s := private.find_source(input ->> 'source_id');
  added := private.add_lines(s.source_no, (
    select jsonb_agg(jsonb_build_object('currency', s.currency) || l.line order by l.n)
    from jsonb_array_elements(input -> 'lines') with ordinality l (line, n)
  ));
  -- After the locks of the pair: decisions record their work with these held.
  perform private.record_source_work(s.source_no);
  return private.finish_request(request, jsonb_build_object(
    'accepted_count', added -> 'accepted', 'duplicate_count', added -> 'duplicates', 'items',
    added -> 'items'
  ));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_line(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  l public.lines;
begin
  perform private.begin_request(request, 'get_line');
  select * into l
  from public.lines x
  where x.tenant_id = private.tenant_id() and x.id = private.line_id(input ->> 'id');
  if not found then
    perform private.refuse_missing('line');
  end if;
  return private.lines_json(l.tenant_id, null, array[l.line_no]) -> 0;
end $$;

grant execute
  on function private.lines_json(text, integer, bigint[]) to authenticated;
