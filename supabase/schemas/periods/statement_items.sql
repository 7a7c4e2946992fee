-- Statement items: what the sums of a statement are made of, one by one. Lines, matches and
-- exclusions of a closed period no longer change, and its carried lines are stored, so its items
-- stay the same.

-- Each of these functions returns a JSON array of at most `most` items after the named one; null if
-- there is none.

-- Outstanding lines, oldest first.
create function private.outstanding_items(r public.reconciliations, after_date date,
  after_no bigint, most integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(private.outstanding_json(r, x.line_no, x.side, x.open_minor)
    order by x.value_date, x.line_no)
    from (
      select o.line_no, o.side, o.open_minor, o.value_date
      from private.outstanding_of(r) o
      where after_date is null or (o.value_date, o.line_no) > (after_date, coalesce(after_no, 0))
      order by o.value_date, o.line_no limit most
    ) x
  );
end $$;

-- The adjustments of a period's matches; `place`: the number within its match.
create function private.adjustment_items(r public.reconciliations, after_id uuid,
  after_place bigint, most integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(
      jsonb_build_object('match_id', private.match_id_text(x.id), 'place', x.place, 'currency',
        x.currency, 'kind', x.a -> 'kind',
      'amount_minor', x.a -> 'amount_minor', 'note', x.a -> 'note', 'decided_by', x.decided_by,
      'decided_at', private.iso(x.decided_at))
      order by x.id, x.place)
    from (
      select m.id, m.currency, m.decided_by, coalesce(m.decided_at, m.created_at) as decided_at,
        a.a, a.place
      from public.matches m
        cross join lateral jsonb_array_elements(m.adjustments) with ordinality as a (a, place)
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed'
        and m.adjustments <> '[]'
        and m.id >= coalesce(after_id, '00000000-0000-0000-0000-000000000000')
        and (m.id > after_id or a.place > after_place) is not false
      order by m.id, a.place limit most
    ) x
  );
end $$;

-- The residuals of a period's matches, each with the largest line of its match.
create function private.residual_items(r public.reconciliations, after_id uuid,
  most integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(
      jsonb_build_object('match_id', private.match_id_text(match.id), 'line_id',
        private.line_id_text(line.id), 'value_date', line.value_date,
      'currency', match.currency, 'amount_minor', match.residual_minor, 'reference', line.reference,
      'counterparty', line.counterparty,
      'description', line.description, 'reason', match.method, 'decided_by', match.decided_by,
      'decided_at', private.iso(match.decided_at))
        order by match.id)
    from (
      select match.id, match.currency, match.residual_minor, match.method, match.decided_by,
        coalesce(match.decided_at, match.created_at) as decided_at
      from public.matches match
      where match.tenant_id = r.tenant_id and match.reconciliation_id = r.id
        and match.state = 'confirmed' and match.residual_minor <> 0
        and match.id > coalesce(after_id, '00000000-0000-0000-0000-000000000000')
      order by match.id limit most
    ) match
    cross join lateral (
      select mm.line_no
      from public.match_members mm
      where mm.tenant_id = r.tenant_id and mm.match_id = match.id
      order by abs(mm.allocated_minor) desc, mm.line_no limit 1
    ) largest
    cross join lateral (
      select line.*
      from public.lines line
      where line.tenant_id = r.tenant_id and line.line_no = largest.line_no offset 0
    ) line
  );
end $$;

-- Lines that the period excluded, in order of arrival.
create function private.exclusion_items(r public.reconciliations, after_no bigint,
  most integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(
      jsonb_build_object('line_id', private.line_id_text(l.id), 'side', e.side, 'value_date',
        l.value_date, 'currency', e.currency,
      'amount_minor', e.excluded_minor, 'reference', l.reference, 'counterparty', l.counterparty,
      'description', l.description,
      'reason', e.reason, 'decided_by', e.created_by, 'decided_at', private.iso(e.created_at))
        order by e.line_no)
    from (
      select x.line_no, x.side, x.currency, x.excluded_minor, x.reason, x.created_by, x.created_at
      from public.exclusions x
      where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id
        and x.line_no > coalesce(after_no, 0)
      order by x.line_no limit most
    ) e
    cross join lateral (
      select x.*
      from public.lines x
      where x.tenant_id = r.tenant_id and x.line_no = e.line_no offset 0
    ) l
  );
end $$;

-- The lines of a period's matches, match by match.
create function private.matched_line_items(r public.reconciliations, after_id uuid, after_no bigint,
  most integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(
      jsonb_build_object('match_id', private.match_id_text(item.id), 'line_id',
        private.line_id_text(line.id), 'side', item.side,
      'value_date', line.value_date, 'currency', item.currency,
      'amount_minor', item.allocated_minor, 'reference', line.reference,
      'counterparty', line.counterparty, 'description', line.description, 'method', item.method,
      'note', item.note, 'decided_by', item.decided_by,
      'decided_at', private.iso(item.decided_at)) order by item.id, item.line_no)
    from (
      select match.*, mm.line_no, mm.side, mm.allocated_minor
      from (
        select match.id, match.currency, match.method, match.note, match.decided_by,
          coalesce(match.decided_at, match.created_at) as decided_at
        from public.matches match
        where match.tenant_id = r.tenant_id and match.reconciliation_id = r.id
          and match.state = 'confirmed'
          and match.id >= coalesce(after_id, '00000000-0000-0000-0000-000000000000')
        -- Each match has at least one line; all lines of the first may have been returned already.
        order by match.id limit most + 1
      ) match
      cross join lateral (
        select member.line_no, member.side, member.allocated_minor
        from public.match_members member
        where member.tenant_id = r.tenant_id and member.match_id = match.id offset 0
      ) mm
      where (match.id > after_id or mm.line_no > after_no) is not false
      order by match.id, mm.line_no limit most
    ) item
    cross join lateral (
      select line.*
      from public.lines line
      where line.tenant_id = r.tenant_id and line.line_no = item.line_no offset 0
    ) line
  );
end $$;
grant execute on function
  private.outstanding_items(public.reconciliations, date, bigint, integer),
  private.adjustment_items(public.reconciliations, uuid, bigint, integer),
  private.residual_items(public.reconciliations, uuid, integer),
  private.exclusion_items(public.reconciliations, bigint, integer),
  private.matched_line_items(public.reconciliations, uuid, bigint, integer)
to authenticated;

-- input: { id, kind: outstanding | adjustment | residual | exclusion | match, limit, after: [key,
-- …] | null }, `id` the reconciliation's.
-- Refuses: not_found, conflict.
create function public.list_statement_items(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  most constant integer := page_size + 1;
  -- The last item of the previous page.
  first_key constant text := input -> 'after' ->> 0;
  second_key constant text := input -> 'after' ->> 1;
  r public.reconciliations;
begin
  perform private.begin_request(request, 'list_statement_items');
  r := private.find_period(input ->> 'id');
  case input ->> 'kind'
    when 'outstanding' then
      return private.page(
        private.outstanding_items(r, first_key::date, private.line_no_of(second_key), most),
        page_size, 'value_date', 'line_id');
    when 'adjustment' then
      return private.page(
        private.adjustment_items(r, private.match_id(first_key), second_key::bigint, most),
        page_size, 'match_id', 'place');
    when 'residual' then
      return private.page(private.residual_items(r, private.match_id(first_key), most), page_size,
        'match_id');
    when 'exclusion' then
      return private.page(private.exclusion_items(r, private.line_no_of(first_key), most),
        page_size, 'line_id');
    when 'match' then
      return private.page(
        private.matched_line_items(r, private.match_id(first_key), private.line_no_of(second_key),
          most),
        page_size,
        'match_id', 'line_id');
  end case;
end $$;
