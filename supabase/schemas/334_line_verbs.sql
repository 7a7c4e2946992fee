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

-- SQL that says whether line x of source s is in this state in s.pair_no; `of_several`: where most of it is open. As line_standing, which
-- costs ten times as much: a state that few lines have is looked for among all of them.
create function private.line_state_is(state text, of_several boolean) returns text
language plpgsql immutable set search_path = '' as $$
declare
  opened constant text := 'exists (select from private.open_lines o where o.tenant_id = $1 and o.pair_no = s.pair_no and o.line_no = x.line_no';
  excluded constant text := 'exists (select from public.exclusions e where e.tenant_id = $1 and e.pair_no = s.pair_no and e.line_no = x.line_no)';
begin
  if of_several then
    return format('(private.line_standing(x, $3.pair_no)).state = %L', state);
  end if;
  return case state
    when 'open' then '(s.pair_no is null or ' || opened || ' and o.open_minor = o.amount_minor))'
    when 'partly_matched' then opened || ' and o.open_minor <> o.amount_minor)'
    when 'excluded' then excluded || ' and not ' || opened || ')'
    when 'matched' then 's.pair_no is not null and not ' || opened || ') and not ' || excluded
  end;
end $$;

-- Latest first. input: { limit, after: [value_date, id] | null, source_id, reconciliation_id, side, state, currency, date_from, date_to,
-- amount_from, amount_to, import_id, q }: every word of q stands in reference, counterparty, description or external_id, or is the
-- amount. Of a reconciliation: what it settled, and what is open in it. What q finds is sorted where it is little; where it is much, the
-- list is read in its order until the page is full. Refuses: not_found.
create function public.list_lines(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  q constant text := nullif(btrim(input ->> 'q'), '');
  after_date constant date := (input -> 'after' ->> 0)::date;
  -- Of a line that is gone meanwhile: its day is begun anew.
  after_no constant bigint := coalesce((
    select x.line_no from public.lines x where x.tenant_id = tenant and x.id = private.line_id(input -> 'after' ->> 1)
  ), 9223372036854775807);
  r public.reconciliations;
  source_nos integer[];
  hits bigint[];
  filters text;
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
  end if;
  source_nos := array(
    select s.source_no
    from public.sources s
    left join public.pairs p on p.tenant_id = tenant and p.pair_no = r.pair_no
    where s.tenant_id = tenant
      and (input ->> 'source_id' is null or s.id = input ->> 'source_id')
      and (r.id is null or s.source_no in (p.left_source_no, p.right_source_no))
      and (input ->> 'side' is null or s.source_no = case input ->> 'side' when 'left' then p.left_source_no else p.right_source_no end)
  );
  if q is not null then
    hits := private.find_own_lines(q, source_nos, 5000);
  end if;

  filters := concat_ws(' and ',
    'x.tenant_id = $1 and x.source_no = s.source_no',
    case when hits is not null then 'x.line_no = any ($5)' when q is not null then private.line_search(q, 'private.line_text(x)') end,
    case when after_date is not null then '(x.value_date, x.line_no) < ($6, $7)' end,
    case when input ->> 'date_from' is not null then $c$x.value_date >= ($2 ->> 'date_from')::date$c$ end,
    case when input ->> 'date_to' is not null then $c$x.value_date <= ($2 ->> 'date_to')::date$c$ end,
    case when input ->> 'currency' is not null then $c$x.currency = $2 ->> 'currency'$c$ end,
    case when input ->> 'amount_from' is not null then $c$x.amount_minor >= ($2 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then $c$x.amount_minor <= ($2 ->> 'amount_to')::bigint$c$ end,
    case when input ->> 'import_id' is not null then $c$x.import_id = $2 ->> 'import_id' and x.line_no between
      (select i.first_line_no from public.imports i where i.tenant_id = $1 and i.id = $2 ->> 'import_id') and
      (select i.last_line_no from public.imports i where i.tenant_id = $1 and i.id = $2 ->> 'import_id')$c$ end,
    case when r.id is not null then 'x.value_date <= $3.period_end and private.line_belongs(x, $3)' end,
    private.line_state_is(input ->> 'state', exists (
      select from unnest(source_nos) n join public.pairs p on p.tenant_id = tenant and n in (p.left_source_no, p.right_source_no)
      where r.id is null group by n having count(*) > 1
    ))
  );
  -- Planned for what is asked: one plan for all of it would read the whole source.
  execute format(
    case when hits is null then $sql$
      select jsonb_agg(private.line_json(f.line, f.source_id, $3.pair_no) order by (f.line).value_date desc, (f.line).line_no desc)
      from (
        select s.id as source_id, l.line
        from %2$s cross join lateral (
          select x as line from public.lines x where %1$s order by x.value_date desc, x.line_no desc limit $8
        ) l
        order by (l.line).value_date desc, (l.line).line_no desc limit $8
      ) f $sql$
    else $sql$
      select jsonb_agg(private.line_json(f.line, f.source_id, $3.pair_no) order by (f.line).value_date desc, (f.line).line_no desc)
      from (
        select s.id as source_id, x as line
        from %2$s cross join public.lines x
        where %1$s
        order by x.value_date desc, x.line_no desc limit $8
      ) f $sql$ end, filters, $c$(
      select x.id, x.source_no, coalesce($3.pair_no, (
        select p.pair_no from public.pairs p where p.tenant_id = $1 and x.source_no in (p.left_source_no, p.right_source_no) limit 1
      )) as pair_no
      from public.sources x where x.tenant_id = $1 and x.source_no = any ($4)
    ) s$c$
  ) into items using tenant, input, r, source_nos, hits, after_date, after_no, page_size + 1;
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

grant execute on function private.line_state_is(text, boolean), private.line_standing(public.lines, integer), private.line_json(public.lines, text, integer),
  private.line_belongs(public.lines, public.reconciliations)
to authenticated;
