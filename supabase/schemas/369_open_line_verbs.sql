-- Open lines over the wire: what a person works through in a period, found where only what is open stands.

-- Oldest first, or the most money first. input: { id, limit, after: [key, id] | null, side, currency, sort: value_date | amount, amount_from,
-- amount_to, date_from, date_to, q, suggested }, `id` the reconciliation's; amounts are what is open, as the pair counts it. Every word of q
-- stands in the line's texts, or is what is open of it in digits. None of a closed period. Refuses: not_found, conflict.
create function public.list_open_lines(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  by_amount constant boolean := input ->> 'sort' = 'amount';
  patterns constant text[] := private.word_patterns(coalesce(input ->> 'q', ''));
  wants constant boolean := (input ->> 'suggested')::boolean;
  r public.reconciliations;
  after_no bigint;
  items jsonb;
begin
  perform private.enter(request, 'list_open_lines');
  r := private.find_period(input ->> 'id');
  if input ->> 'after' is not null then
    -- Of a line that is gone meanwhile: its day or amount is begun anew.
    after_no := coalesce((
      select x.line_no from public.lines x where x.tenant_id = r.tenant_id and x.id = private.line_id(input -> 'after' ->> 1)), 0);
  end if;
  select jsonb_agg(f.line order by f.n) into items
  from (
    select row_number() over (
      order by case when by_amount then -abs(o.open_minor) end, case when not by_amount then o.value_date end, o.line_no) as n, private.open_line_json(l, o.side, o.amount_minor, o.open_minor, r) as line
    from (
      select x.* from private.open_lines x
      where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.value_date <= r.period_end and r.closed_at is null
        and (input ->> 'side' is null or x.side = input ->> 'side')
        and (input ->> 'currency' is null or x.currency = input ->> 'currency')
        and (input ->> 'date_from' is null or x.value_date >= (input ->> 'date_from')::date)
        and (input ->> 'date_to' is null or x.value_date <= (input ->> 'date_to')::date)
        and (input ->> 'amount_from' is null or x.open_minor >= (input ->> 'amount_from')::bigint)
        and (input ->> 'amount_to' is null or x.open_minor <= (input ->> 'amount_to')::bigint)
        and (after_no is null or case when by_amount
          then (-abs(x.open_minor), x.line_no) > (-abs((input -> 'after' ->> 0)::bigint), after_no)
          else (x.value_date, x.line_no) > ((input -> 'after' ->> 0)::date, after_no) end)
        and (cardinality(patterns) = 0 or exists (
          select from public.lines t
          where t.tenant_id = r.tenant_id and t.line_no = x.line_no
            and lower(concat_ws(' ', t.reference, t.counterparty, t.description, t.external_id, x.open_minor)) like all (patterns)
        ))
        and (wants is null or wants = exists (
          select from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
          where mm.tenant_id = r.tenant_id and mm.line_no = x.line_no and mm.pair_no = r.pair_no and m.state = 'suggested' and m.reconciliation_id = r.id
        ))
      order by case when by_amount then -abs(x.open_minor) end, case when not by_amount then x.value_date end, x.line_no
      limit page_size + 1
    ) o
    join public.lines l on l.tenant_id = r.tenant_id and l.line_no = o.line_no
  ) f;
  return private.page(items, page_size, case when by_amount then 'open_minor' else 'value_date' end, 'id');
end $$;

create function private.open_line_json(l public.lines, side text, amount_minor bigint, open_minor bigint, r public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', private.line_id_text(l.id), 'side', side, 'currency', l.currency, 'amount_minor', amount_minor, 'open_minor', open_minor,
    'value_date', l.value_date, 'booked_date', l.booked_date, 'reference', l.reference, 'counterparty', l.counterparty,
    'description', l.description, 'group_key', l.group_key, 'external_id', l.external_id,
    'suggestion', (
      select jsonb_build_object('match_id', private.match_id_text(m.id), 'score', m.score, 'shape', m.shape)
      from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
      where mm.tenant_id = l.tenant_id and mm.line_no = l.line_no and mm.pair_no = r.pair_no and m.state = 'suggested' and m.reconciliation_id = r.id
      order by m.score desc nulls last, m.id limit 1
    ),
    'exception_id', (
      select e.id from public.exceptions e
      where e.tenant_id = l.tenant_id and e.line_no = l.line_no and e.pair_no = r.pair_no and e.status in ('open', 'in_review')
      order by e.id desc limit 1
    )
  );
end $$;
grant execute on function private.open_line_json(public.lines, text, bigint, bigint, public.reconciliations) to authenticated;
