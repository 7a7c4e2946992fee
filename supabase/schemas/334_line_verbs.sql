-- Lines over the wire.

-- What a line is in a pair; where no pair is named, in the one of its source's where most of it is open. A source in no pair: all is open.
create function private.line_standing(l public.lines, pair_no integer, out state text, out open_minor bigint)
language plpgsql stable set search_path = '' as $$
declare
  is_in_pair boolean := false;
  pair record;
begin
  for pair in
    select o.line_no is not null as is_open, o.open_minor, o.amount_minor,
      exists (select from public.exclusions e where e.tenant_id = l.tenant_id and e.pair_no = p.pair_no and e.line_no = l.line_no) as is_excluded
    from public.pairs p
    left join private.open_lines o on o.tenant_id = l.tenant_id and o.pair_no = p.pair_no and o.line_no = l.line_no
    where p.tenant_id = l.tenant_id and l.source_no in (p.left_source_no, p.right_source_no)
      and (line_standing.pair_no is null or p.pair_no = line_standing.pair_no)
    order by abs(o.open_minor) desc nulls last, p.pair_no limit 1
  loop
    is_in_pair := true;
    state := case
      when pair.is_open then case when pair.open_minor = pair.amount_minor then 'open' else 'partly_matched' end
      when pair.is_excluded then 'excluded' else 'matched'
    end;
    -- As it was posted: a pair counts the negated amount of an inverted source.
    open_minor := case when not pair.is_open then 0 when sign(pair.amount_minor) = sign(l.amount_minor) then pair.open_minor else -pair.open_minor end;
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
    'id', private.line_id_text(l.id), 'source_id', source_id, 'import_id', l.import_id, 'file_line', l.file_line,
    'external_id', l.external_id, 'amount_minor', l.amount_minor, 'currency', l.currency, 'value_date', l.value_date,
    'booked_date', l.booked_date, 'reference', l.reference, 'counterparty', l.counterparty, 'description', l.description,
    'group_key', l.group_key, 'details', coalesce(l.details, '{}'), 'state', standing.state, 'open_minor', standing.open_minor,
    'match_ids', (
      select coalesce(jsonb_agg('mat_' || replace(m.id::text, '-', '') order by m.id), '[]')
      from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
      where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no and m.state = 'confirmed'
        and (line_json.pair_no is null or mm.pair_no = line_json.pair_no)
    ),
    'exception_id', (
      select e.id from public.exceptions e
      where e.tenant_id = l.tenant_id and e.line_no = l.line_no and e.status in ('open', 'in_review')
      order by e.id desc limit 1
    ),
    'created_at', private.iso(l.created_at)
  );
end $$;

-- input: { source_id, lines }: each { amount_minor, currency, value_date, … }. Refuses: not_found, invalid_request.
create function public.add_lines(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  kept constant jsonb := private.enter_write(request, 'add_lines');
  s public.sources;
  added jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  s := private.own_source(input ->> 'source_id');
  added := private.add_own_lines(s.source_no, (
    select jsonb_agg(jsonb_build_object('currency', s.currency) || l.line order by l.n)
    from jsonb_array_elements(input -> 'lines') with ordinality l (line, n)
  ));
  return private.answer(request, jsonb_build_object(
    'accepted_count', added -> 'accepted', 'duplicate_count', added -> 'duplicates', 'items', added -> 'items'
  ));
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_line(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  l public.lines;
begin
  perform private.enter(request, 'get_line');
  select * into l from public.lines x where x.tenant_id = private.tenant_id() and x.id = private.line_id(input ->> 'id');
  if not found then
    perform private.refuse_missing('line');
  end if;
  return private.line_json(l, (select s.id from public.sources s where s.tenant_id = l.tenant_id and s.source_no = l.source_no), null);
end $$;

-- Latest first. input: { limit, after: [value_date, id] | null, source_id, reconciliation_id, side, state, currency, date_from, date_to,
-- amount_from, amount_to, import_id, q }: every word of q stands in reference, counterparty, description or external_id, or is the
-- amount in minor units. Of a reconciliation: what it settled, and what is open in it. Refuses: not_found.
create function public.list_lines(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  patterns constant text[] := private.word_patterns(coalesce(input ->> 'q', ''));
  after_date constant date := (input -> 'after' ->> 0)::date;
  -- Of a line that is gone meanwhile: its day is begun anew.
  after_no constant bigint := coalesce((
    select x.line_no from public.lines x where x.tenant_id = tenant and x.id = private.line_id(input -> 'after' ->> 1)
  ), 9223372036854775807);
  r public.reconciliations;
  date_from date := (input ->> 'date_from')::date;
  date_to date := (input ->> 'date_to')::date;
  items jsonb;
begin
  perform private.enter(request, 'list_lines');
  if input ->> 'source_id' is not null then
    perform private.own_source(input ->> 'source_id');
  end if;
  if input ->> 'reconciliation_id' is not null then
    select * into r from public.reconciliations x where x.tenant_id = tenant and x.id = input ->> 'reconciliation_id';
    if not found then
      perform private.refuse_missing('reconciliation');
    end if;
    date_to := least(date_to, r.period_end);
  end if;

  with scope as materialized (
    select s.source_no, s.id, r.pair_no
    from public.sources s
    left join public.pairs p on p.tenant_id = tenant and p.pair_no = r.pair_no
    where s.tenant_id = tenant
      and (input ->> 'source_id' is null or s.id = input ->> 'source_id')
      and (r.id is null or s.source_no in (p.left_source_no, p.right_source_no))
      and (input ->> 'side' is null or s.source_no = case input ->> 'side' when 'left' then p.left_source_no else p.right_source_no end)
  ), found as (
    select scope.id as source_id, scope.pair_no, l.line
    from scope cross join lateral (
      select x as line from public.lines x
      where x.tenant_id = tenant and x.source_no = scope.source_no
        and (after_date is null or (x.value_date, x.line_no) < (after_date, after_no))
        and (date_from is null or x.value_date >= date_from)
        and (date_to is null or x.value_date <= date_to)
        and (input ->> 'currency' is null or x.currency = input ->> 'currency')
        and (input ->> 'amount_from' is null or x.amount_minor >= (input ->> 'amount_from')::bigint)
        and (input ->> 'amount_to' is null or x.amount_minor <= (input ->> 'amount_to')::bigint)
        and (input ->> 'import_id' is null or x.import_id = input ->> 'import_id')
        and (cardinality(patterns) = 0 or lower(concat_ws(' ', x.reference, x.counterparty, x.description, x.external_id, x.amount_minor)) like all (patterns))
        and (r.id is null or private.line_belongs(x, r))
        and (input ->> 'state' is null or (private.line_standing(x, scope.pair_no)).state = input ->> 'state')
      order by x.value_date desc, x.line_no desc
      limit page_size + 1
    ) l
  )
  select jsonb_agg(private.line_json(f.line, f.source_id, f.pair_no) order by (f.line).value_date desc, (f.line).line_no desc) into items
  from (select * from found order by (line).value_date desc, (line).line_no desc limit page_size + 1) f;
  return private.page(items, page_size, 'value_date', 'id');
end $$;

-- Whether the period is where the line was settled, or sees it open.
create function private.line_belongs(l public.lines, r public.reconciliations) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  if r.closed_at is null then
    if exists (select from private.open_lines o where o.tenant_id = l.tenant_id and o.pair_no = r.pair_no and o.line_no = l.line_no) then
      return true;
    end if;
  elsif exists (select from public.carried_lines c where c.tenant_id = l.tenant_id and c.reconciliation_id = r.id and c.line_no = l.line_no) then
    return true;
  end if;
  return exists (
    select from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
    where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no and m.reconciliation_id = r.id and m.state = 'confirmed'
  ) or exists (
    select from public.exclusions e
    where e.tenant_id = l.tenant_id and e.pair_no = r.pair_no and e.line_no = l.line_no and e.reconciliation_id = r.id
  );
end $$;

grant execute on function private.line_standing(public.lines, integer), private.line_json(public.lines, text, integer),
  private.line_belongs(public.lines, public.reconciliations)
to authenticated;
