-- Lines over the wire.

-- The state of a line in a pair; without a pair, in the pair of its source in which most of it is
-- open. In a source without a pair, or in a pair that is being prepared, all of it is open.
create function private.line_standing(l public.lines, pair_no integer, out state text,
  out open_minor bigint)
language plpgsql stable set search_path = '' as $$
declare
  is_in_pair boolean := false;
  pair record;
begin
  for pair in
    select o.line_no is not null as is_open, o.open_minor, o.amount_minor,
      exists (select from public.exclusions e
        where e.tenant_id = l.tenant_id and e.pair_no = p.pair_no
          and e.line_no = l.line_no) as is_excluded
    from public.pairs p
    left join private.open_lines o on o.tenant_id = l.tenant_id and o.pair_no = p.pair_no
      and o.line_no = l.line_no
    where p.tenant_id = l.tenant_id and l.source_no in (p.left_source_no, p.right_source_no)
      and (line_standing.pair_no is null or p.pair_no = line_standing.pair_no) and p.opening is null
    order by abs(o.open_minor) desc nulls last, p.pair_no limit 1
  loop
    is_in_pair := true;
    state := case
      when pair.is_open then case when pair.open_minor = pair.amount_minor then 'open'
      else 'partly_matched' end
      when pair.is_excluded then 'excluded' else 'matched'
    end;
    -- With the sign as posted: a pair negates the amounts of an inverted source.
    open_minor := case when not pair.is_open then 0
      when sign(pair.amount_minor) = sign(l.amount_minor) then pair.open_minor else -pair.open_minor
      end;
  end loop;
  if not is_in_pair then
    state := 'open';
    open_minor := l.amount_minor;
  end if;
end $$;

create function private.line_json(l public.lines, source_id text, pair_no integer) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  standing record;
begin
  standing := private.line_standing(l, pair_no);
  return jsonb_build_object(
    'id', private.line_id_text(l.id), 'source_id', source_id, 'import_id', l.import_id, 'file_line',
    l.file_line,
    'external_id', l.external_id, 'amount_minor', l.amount_minor, 'fee_minor', l.fee_minor,
    'currency', l.currency, 'value_date', l.value_date,
    'booked_date', l.booked_date, 'reference', l.reference, 'counterparty', l.counterparty,
    'description', l.description,
    'group_key', l.group_key, 'details', coalesce(l.details, '{}'), 'state', standing.state,
    'open_minor', standing.open_minor,
    'match_ids', (
      select coalesce(jsonb_agg('mat_' || replace(m.id::text, '-', '') order by m.id), '[]')
      from public.match_members mm
        join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
      where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no and m.state = 'confirmed'
        and (line_json.pair_no is null or mm.pair_no = line_json.pair_no)
    ),
    'exception_id', (
      select e.id from (
        select x.exception_id
        from private.exception_lines x
        where x.tenant_id = l.tenant_id and x.line_no = l.line_no offset 0
      ) x cross join lateral (
        select y.id
        from public.exceptions y
        where y.tenant_id = l.tenant_id and y.id = x.exception_id
          and y.status in ('open', 'in_review') offset 0
      ) e
      order by e.id desc limit 1
    ),
    'created_at', private.iso(l.created_at)
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
  perform private.record_source_work(s.source_no);
  added := private.add_lines(s.source_no, (
    select jsonb_agg(jsonb_build_object('currency', s.currency) || l.line order by l.n)
    from jsonb_array_elements(input -> 'lines') with ordinality l (line, n)
  ));
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
  return private.line_json(l,
    (select s.id from public.sources s
      where s.tenant_id = l.tenant_id and s.source_no = l.source_no),
    null);
end $$;

grant execute
  on function private.line_standing(public.lines, integer),
    private.line_json(public.lines, text, integer) to authenticated;
