-- Statement items: what the sums of a statement are made of, one by one. Lines, matches and
-- exclusions of a closed period no longer change, and its carried lines are stored, so its items
-- stay the same.

-- Each of these functions returns a JSON array of at most `most` items after the named one; null if
-- there is none.

-- Outstanding lines, oldest first.
create function private.outstanding_items(period public.reconciliations, after_date date,
  after_no bigint, max_count integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(private.outstanding_json(period, outstanding.line_no, outstanding.side,
      outstanding.open_minor)
    order by outstanding.value_date, outstanding.line_no)
    from (
      select outstanding.line_no, outstanding.side, outstanding.open_minor, outstanding.value_date
      from private.outstanding_lines(period) outstanding
      where after_date is null
        or (outstanding.value_date, outstanding.line_no) > (after_date, coalesce(after_no, 0))
      order by outstanding.value_date, outstanding.line_no limit max_count
    ) outstanding
  );
end $$;

-- The adjustments of a period's matches; `place`: the number within its match.
create function private.adjustment_items(period public.reconciliations, after_id uuid,
  after_place bigint, max_count integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(
      jsonb_build_object('match_id', private.match_id_text(match.id), 'place', match.place,
        'currency', match.currency, 'kind', match.adjustment -> 'kind',
      'amount_minor', match.adjustment -> 'amount_minor', 'note', match.adjustment
        -> 'note', 'decided_by', match.decided_by,
      'decided_at', private.iso(match.decided_at))
      order by match.id, match.place)
    from (
      select match.id, match.currency, match.decided_by,
        coalesce(match.decided_at, match.created_at) as decided_at,
        adjusted.adjustment, adjusted.place
      from public.matches match
        cross join lateral jsonb_array_elements(match.adjustments) with ordinality as adjusted (
          adjustment, place)
      where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
        and match.state = 'confirmed'
        and match.adjustments <> '[]'
        and match.id >= coalesce(after_id, '00000000-0000-0000-0000-000000000000')
        and (match.id > after_id or adjusted.place > after_place) is not false
      order by match.id, adjusted.place limit max_count
    ) match
  );
end $$;

-- The residuals of a period's matches, each with the largest line of its match.
create function private.residual_items(period public.reconciliations, after_id uuid,
  max_count integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(
      jsonb_build_object('match_id', private.match_id_text(match.id),
        'line_id', private.line_id_text(line.id), 'value_date', line.value_date,
      'currency', match.currency, 'amount_minor', match.residual_minor, 'reference', line.reference,
      'counterparty', line.counterparty,
      'description', line.description, 'reason', match.method, 'decided_by', match.decided_by,
      'decided_at', private.iso(match.decided_at))
        order by match.id)
    from (
      select match.id, match.currency, match.residual_minor, match.method, match.decided_by,
        coalesce(match.decided_at, match.created_at) as decided_at
      from public.matches match
      where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
        and match.state = 'confirmed' and match.residual_minor <> 0
        and match.id > coalesce(after_id, '00000000-0000-0000-0000-000000000000')
      order by match.id limit max_count
    ) match
    cross join lateral (
      select member.line_no
      from public.match_members member
      where member.tenant_id = period.tenant_id and member.match_id = match.id
      order by abs(member.allocated_minor) desc, member.line_no limit 1
    ) largest
    cross join lateral (
      select line.*
      from public.lines line
      where line.tenant_id = period.tenant_id and line.line_no = largest.line_no offset 0
    ) line
  );
end $$;

-- Lines that the period excluded, in order of arrival.
create function private.exclusion_items(period public.reconciliations, after_no bigint,
  max_count integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(
      jsonb_build_object('line_id', private.line_id_text(excluded_line.id), 'side', exclusion.side,
        'value_date', excluded_line.value_date, 'currency', exclusion.currency,
      'amount_minor', exclusion.excluded_minor, 'reference', excluded_line.reference,
      'counterparty', excluded_line.counterparty,
      'description', excluded_line.description,
      'reason', exclusion.reason, 'decided_by', exclusion.created_by,
      'decided_at', private.iso(exclusion.created_at))
        order by exclusion.line_no)
    from (
      select exclusion.line_no, exclusion.side, exclusion.currency, exclusion.excluded_minor,
        exclusion.reason, exclusion.created_by, exclusion.created_at
      from public.exclusions exclusion
      where exclusion.tenant_id = period.tenant_id and exclusion.reconciliation_id = period.id
        and exclusion.line_no > coalesce(after_no, 0)
      order by exclusion.line_no limit max_count
    ) exclusion
    cross join lateral (
      select line.*
      from public.lines line
      where line.tenant_id = period.tenant_id and line.line_no = exclusion.line_no offset 0
    ) excluded_line
  );
end $$;

-- The lines of a period's matches, match by match.
create function private.matched_line_items(period public.reconciliations, after_id uuid,
  after_no bigint,
  max_count integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_agg(
      jsonb_build_object('match_id', private.match_id_text(item.id),
        'line_id', private.line_id_text(line.id), 'side', item.side,
      'value_date', line.value_date, 'currency', item.currency,
      'amount_minor', item.allocated_minor, 'reference', line.reference,
      'counterparty', line.counterparty, 'description', line.description, 'method', item.method,
      'note', item.note, 'decided_by', item.decided_by,
      'decided_at', private.iso(item.decided_at)) order by item.id, item.line_no)
    from (
      select match.*, listed.line_no, listed.side, listed.allocated_minor
      from (
        select match.id, match.currency, match.method, match.note, match.decided_by,
          coalesce(match.decided_at, match.created_at) as decided_at
        from public.matches match
        where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
          and match.state = 'confirmed'
          and match.id >= coalesce(after_id, '00000000-0000-0000-0000-000000000000')
        -- Each match has at least one line; all lines of the first may have been returned already.
        order by match.id limit max_count + 1
      ) match
      cross join lateral (
        select member.line_no, member.side, member.allocated_minor
        from public.match_members member
        where member.tenant_id = period.tenant_id and member.match_id = match.id offset 0
      ) listed
      where (match.id > after_id or listed.line_no > after_no) is not false
      order by match.id, listed.line_no limit max_count
    ) item
    cross join lateral (
      select line.*
      from public.lines line
      where line.tenant_id = period.tenant_id and line.line_no = item.line_no offset 0
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

-- What was adjusted, left over and excluded in the period itself: how many, and the first 1,000 of
-- each.
create function private.statement_items(period public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  adjustments bigint;
  residuals bigint;
begin
  select coalesce(sum(jsonb_array_length(match.adjustments)), 0),
    count(*) filter (where match.residual_minor <> 0)
  into adjustments, residuals
  from public.matches match
  where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
    and match.state = 'confirmed'
    and (match.residual_minor <> 0 or match.adjustments <> '[]');
  return jsonb_build_object(
    'adjustment_count', adjustments, 'residual_count', residuals,
    'exclusion_count', (
      select count(*) from public.exclusions exclusion
      where exclusion.tenant_id = period.tenant_id and exclusion.reconciliation_id = period.id
    ),
    -- Without any, the matches need not be searched again.
    'adjustments', coalesce(
      case when adjustments > 0 then private.adjustment_items(period, null, null, 1000) end, '[]'),
    'residuals', coalesce(
      case when residuals > 0 then private.residual_items(period, null, 1000) end, '[]'),
    'exclusions', coalesce(private.exclusion_items(period, null, 1000), '[]')
  );
end $$;

grant execute on function private.statement_items(public.reconciliations) to authenticated;

-- input: { id, kind: outstanding | adjustment | residual | exclusion | match, limit, after: [key,
-- …] | null }, `id` the reconciliation's.
-- Refuses: not_found, conflict.
create function public.list_statement_items(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  max_count constant integer := page_size + 1;
  -- The last item of the previous page.
  first_key constant text := input -> 'after' ->> 0;
  second_key constant text := input -> 'after' ->> 1;
  period public.reconciliations;
begin
  perform private.begin_request(request, 'list_statement_items');
  period := private.find_period(input ->> 'id');
  case input ->> 'kind'
    when 'outstanding' then
      return private.page(
        private.outstanding_items(period, first_key::date, private.line_no_of(second_key),
          max_count),
        page_size, 'value_date', 'line_id');
    when 'adjustment' then
      return private.page(
        private.adjustment_items(period, private.match_id(first_key), second_key::bigint,
          max_count),
        page_size, 'match_id', 'place');
    when 'residual' then
      return private.page(private.residual_items(period, private.match_id(first_key), max_count),
        page_size,
        'match_id');
    when 'exclusion' then
      return private.page(private.exclusion_items(period, private.line_no_of(first_key), max_count),
        page_size, 'line_id');
    when 'match' then
      return private.page(
        private.matched_line_items(period, private.match_id(first_key),
          private.line_no_of(second_key),
          max_count),
        page_size,
        'match_id', 'line_id');
  end case;
end $$;
