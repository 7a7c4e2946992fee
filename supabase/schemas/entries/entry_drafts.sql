-- Entry drafts: what a period would post under some entry rules.

create function private.decimal_text(minor bigint, currency text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  decimals constant integer := private.currency_decimals(currency);
  digits constant text := lpad(abs(minor)::text, greatest(length(abs(minor)::text), decimals + 1),
    '0');
begin
  return case when minor < 0 then '-' else '' end
    || case when decimals = 0 then digits
      else left(digits, -decimals) || '.' || right(digits, decimals) end;
end $$;

-- The text of an entry from its template: `{name}` is replaced by the field of that name, or by
-- nothing.
create function private.entry_text(template text, fields jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return (
    select left(btrim(regexp_replace(string_agg(
      case when piece.part[1] like '{%' then coalesce(fields ->> btrim(piece.part[1], '{}'), '')
        else piece.part[1] end, '' order by piece.place), '\s+', ' ', 'g')), 500)
    from regexp_matches(template, '\{[a-z]+\}|[^{]+', 'g') with ordinality as piece (part, place)
  );
end $$;

-- What a close can post: adjustments, residuals, and lines that it excludes or carries.
create function private.entry_kinds() returns text[]
language sql immutable set search_path = ''
return array[
  'fee', 'fx', 'rounding', 'write_off', 'other', 'residual', 'excluded_left', 'excluded_right',
  'carried_left', 'carried_right'
];

-- A period's adjustments, residuals, exclusions and carried lines, of these kinds.
-- `difference_minor` is left − right. A match is described by its largest line.
create function private.entry_items(period public.reconciliations, kinds text[])
returns table (kind text, match_id uuid, place integer, currency text, difference_minor bigint,
  line_no bigint, note text)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select item.kind, match.id, item.place, match.currency, item.minor, (
      select member.line_no from public.match_members member
      where member.tenant_id = match.tenant_id and member.match_id = match.id
      order by abs(member.allocated_minor) desc, member.line_no limit 1
    ), coalesce(item.note, match.note)
  from public.matches match
  cross join lateral (
    select adjustment.value ->> 'kind' as kind, adjustment.place::integer as place,
      (adjustment.value ->> 'amount_minor')::bigint as minor, adjustment.value ->> 'note' as note
    from jsonb_array_elements(match.adjustments) with ordinality as adjustment (value, place)
    union all
    select 'residual', 0, match.residual_minor, null
  ) item
  where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
    and match.state = 'confirmed' and (match.adjustments <> '[]' or match.residual_minor <> 0)
    and item.minor <> 0 and item.kind = any (kinds)
  union all
  select 'excluded_' || exclusion.side, null::uuid, 0, exclusion.currency,
    case exclusion.side when 'left' then exclusion.excluded_minor
      else -exclusion.excluded_minor end, exclusion.line_no, exclusion.reason
  from public.exclusions exclusion
  where exclusion.tenant_id = period.tenant_id and exclusion.reconciliation_id = period.id
    and 'excluded_' || exclusion.side = any (kinds);
  if kinds && '{carried_left,carried_right}'::text[] then
    return query
    select 'carried_' || outstanding.side, null::uuid, 0, outstanding.currency,
      case outstanding.side when 'left' then outstanding.open_minor
        else -outstanding.open_minor end, outstanding.line_no, null
    from private.outstanding_lines(period) outstanding
    where 'carried_' || outstanding.side = any (kinds) and outstanding.open_minor <> 0;
  end if;
end $$;

-- The kinds for which there is a rule.
create function private.kinds_with_rule(rules jsonb) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return array(select rule_of_kind.key from jsonb_each(rules) rule_of_kind
    where rule_of_kind.value <> 'null' order by rule_of_kind.key);
end $$;

-- What a period posts under these rules. Where the left side is the smaller, a rule's account is
-- debited and its counter account credited; where it is the larger, the reverse.
create function private.entry_drafts(period public.reconciliations, rules jsonb)
returns table (kind text, subject_id text, subject_place integer, currency text,
  difference_minor bigint, amount_minor bigint, debit_account text, credit_account text,
  tax_code text, cost_center text, body text, value_date date, reference text,
  counterparty text)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select item.kind,
    coalesce(private.match_id_text(item.match_id), private.line_id_text(of_line.id)), item.place,
    item.currency, item.difference_minor, abs(item.difference_minor),
    used.rule ->> case when item.difference_minor < 0 then 'account' else 'counter_account' end,
    used.rule ->> case when item.difference_minor < 0 then 'counter_account' else 'account' end,
    used.rule ->> 'tax_code', used.rule ->> 'cost_center',
    private.entry_text(used.rule ->> 'text', jsonb_build_object(
      'reference', of_line.reference, 'counterparty', of_line.counterparty,
      'description', of_line.description,
      'note', item.note, 'date', of_line.value_date, 'currency', item.currency,
      'amount', private.decimal_text(abs(item.difference_minor), item.currency),
      'kind', replace(item.kind, '_', ' '), 'reconciliation', period.name,
      'period', to_char(period.period_end, 'YYYY-MM'))),
    of_line.value_date, of_line.reference, of_line.counterparty
  from private.entry_items(period, private.kinds_with_rule(rules)) item
  cross join lateral (select rules -> item.kind) used (rule)
  cross join lateral (
    select line.id, line.reference, line.counterparty, line.description, line.value_date
    from public.lines line
    where line.tenant_id = period.tenant_id and line.line_no = item.line_no offset 0
  ) of_line;
end $$;
grant execute on function
  private.decimal_text(bigint, text), private.currency_decimals(text), private.entry_kinds(),
  private.entry_text(text, jsonb), private.entry_items(public.reconciliations, text[]),
  private.kinds_with_rule(jsonb), private.entry_drafts(public.reconciliations, jsonb)
to authenticated;

-- { sums, entries, without_rule } of what a period posts: the first hundred entries, their sums by
-- currency, and what no rule covers by kind and currency.
create function private.entries_preview_json(period public.reconciliations,
  rules jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  ruled constant text[] := private.kinds_with_rule(rules);
begin
  return (
    with drafts as materialized (select * from private.entry_drafts(period, rules))
    select jsonb_build_object('sums', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', summed.currency,
          'entry_count', summed.entry_count,
          'debit_minor', private.exact_sum(summed.minor),
          'credit_minor', private.exact_sum(summed.minor))
          order by summed.currency), '[]')
        from (select draft.currency, count(*) as entry_count, sum(draft.amount_minor) as minor
          from drafts draft group by draft.currency) summed
      ), 'entries', (
        select coalesce(jsonb_agg(to_jsonb(draft) - 'body' || jsonb_build_object('text', draft.body)
          order by draft.kind, draft.subject_id, draft.subject_place), '[]')
        from (select * from drafts order by drafts.kind, drafts.subject_id, drafts.subject_place
          limit 100) draft
      ), 'without_rule', (
        select coalesce(jsonb_agg(jsonb_build_object('kind', item.kind, 'currency', item.currency,
          'count', item.item_count, 'difference_minor', private.exact_sum(item.minor))
          order by item.kind, item.currency), '[]')
        from (
          select item.kind, item.currency, count(*) as item_count,
            sum(item.difference_minor) as minor
          from private.entry_items(period, array(
            select kind from unnest(private.entry_kinds()) kind where kind <> all (ruled))) item
          group by item.kind, item.currency
        ) item
      ))
  );
end $$;
grant execute
  on function private.entries_preview_json(public.reconciliations, jsonb) to authenticated;

-- input: { id, rules } of a period; without rules, those of its pair. Refuses: not_found, conflict.
create function public.preview_entries(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'preview_entries');
  period public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  period := private.find_period(input ->> 'id');
  return private.finish_request(request, private.entries_preview_json(period, coalesce(
    nullif(input -> 'rules', 'null'),
    (private.entry_rules_of(period.tenant_id, period.pair_no)).rules)));
end $$;
