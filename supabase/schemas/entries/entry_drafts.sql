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

-- The text of an entry: `{name}` stands for the field of that name, or nothing.
create function private.entry_text(template text, fields jsonb) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return (
    select left(btrim(regexp_replace(string_agg(
      case when p.part[1] like '{%' then coalesce(fields ->> btrim(p.part[1], '{}'), '')
        else p.part[1] end, '' order by p.place), '\s+', ' ', 'g')), 500)
    from regexp_matches(template, '\{[a-z]+\}|[^{]+', 'g') with ordinality as p (part, place)
  );
end $$;

-- What a close can post: adjustments, residuals, and lines that it excludes or carries.
create function private.entry_kinds() returns text[]
language sql immutable set search_path = ''
return array[
  'fee', 'fx', 'rounding', 'write_off', 'other', 'residual', 'excluded_left', 'excluded_right',
  'carried_left', 'carried_right'
];

-- What a period adjusts, leaves over, excludes and carries, of these kinds. `difference_minor` is
-- left − right. A match is described by its largest line.
create function private.entry_items(r public.reconciliations, kinds text[])
returns table (kind text, match_id uuid, place integer, currency text, difference_minor bigint,
  line_no bigint, note text)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select item.kind, match.id, item.place, match.currency, item.minor, (
      select mm.line_no from public.match_members mm
      where mm.tenant_id = match.tenant_id and mm.match_id = match.id
      order by abs(mm.allocated_minor) desc, mm.line_no limit 1
    ), coalesce(item.note, match.note)
  from public.matches match
  cross join lateral (
    select adjustment.value ->> 'kind' as kind, adjustment.place::integer as place,
      (adjustment.value ->> 'amount_minor')::bigint as minor, adjustment.value ->> 'note' as note
    from jsonb_array_elements(match.adjustments) with ordinality as adjustment (value, place)
    union all
    select 'residual', 0, match.residual_minor, null
  ) item
  where match.tenant_id = r.tenant_id and match.reconciliation_id = r.id
    and match.state = 'confirmed' and (match.adjustments <> '[]' or match.residual_minor <> 0)
    and item.minor <> 0 and item.kind = any (kinds)
  union all
  select 'excluded_' || exclusion.side, null::uuid, 0, exclusion.currency,
    case exclusion.side when 'left' then exclusion.excluded_minor
      else -exclusion.excluded_minor end, exclusion.line_no, exclusion.reason
  from public.exclusions exclusion
  where exclusion.tenant_id = r.tenant_id and exclusion.reconciliation_id = r.id
    and 'excluded_' || exclusion.side = any (kinds);
  if kinds && '{carried_left,carried_right}'::text[] then
    return query
    select 'carried_' || outstanding.side, null::uuid, 0, outstanding.currency,
      case outstanding.side when 'left' then outstanding.open_minor
        else -outstanding.open_minor end, outstanding.line_no, null
    from private.outstanding_of(r) outstanding
    where 'carried_' || outstanding.side = any (kinds) and outstanding.open_minor <> 0;
  end if;
end $$;

-- The kinds for which there is a rule.
create function private.kinds_with_rule(rules jsonb) returns text[]
language plpgsql immutable set search_path = '' as $$
begin
  return array(select k.key from jsonb_each(rules) k where k.value <> 'null' order by k.key);
end $$;

-- What a period posts under these rules. Where the left side is the smaller, a rule's account is
-- debited and its counter account credited; where it is the larger, the reverse.
create function private.entry_drafts(r public.reconciliations, rules jsonb)
returns table (kind text, subject_id text, subject_place integer, currency text,
  difference_minor bigint, amount_minor bigint, debit_account text, credit_account text,
  tax_code text, cost_center text, body text, value_date date, reference text,
  counterparty text)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select i.kind, coalesce(private.match_id_text(i.match_id), private.line_id_text(l.id)), i.place,
    i.currency, i.difference_minor, abs(i.difference_minor),
    u.rule ->> case when i.difference_minor < 0 then 'account' else 'counter_account' end,
    u.rule ->> case when i.difference_minor < 0 then 'counter_account' else 'account' end,
    u.rule ->> 'tax_code', u.rule ->> 'cost_center',
    private.entry_text(u.rule ->> 'text', jsonb_build_object(
      'reference', l.reference, 'counterparty', l.counterparty, 'description', l.description,
      'note', i.note, 'date', l.value_date, 'currency', i.currency,
      'amount', private.decimal_text(abs(i.difference_minor), i.currency),
      'kind', replace(i.kind, '_', ' '), 'reconciliation', r.name,
      'period', to_char(r.period_end, 'YYYY-MM'))),
    l.value_date, l.reference, l.counterparty
  from private.entry_items(r, private.kinds_with_rule(rules)) i
  cross join lateral (select rules -> i.kind) u (rule)
  cross join lateral (
    select x.id, x.reference, x.counterparty, x.description, x.value_date from public.lines x
    where x.tenant_id = r.tenant_id and x.line_no = i.line_no offset 0
  ) l;
end $$;
grant execute on function
  private.decimal_text(bigint, text), private.currency_decimals(text), private.entry_kinds(),
  private.entry_text(text, jsonb), private.entry_items(public.reconciliations, text[]),
  private.kinds_with_rule(jsonb), private.entry_drafts(public.reconciliations, jsonb)
to authenticated;

-- { sums, entries, without_rule } of what a period posts: the first hundred entries, their sums by
-- currency, and what no rule covers by kind and currency.
create function private.entries_preview_json(r public.reconciliations, rules jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  ruled constant text[] := private.kinds_with_rule(rules);
begin
  return (
    with drafts as materialized (select * from private.entry_drafts(r, rules))
    select jsonb_build_object('sums', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', s.currency, 'entry_count', s.n,
          'debit_minor', private.exact_sum(s.minor), 'credit_minor', private.exact_sum(s.minor))
          order by s.currency), '[]')
        from (select d.currency, count(*) as n, sum(d.amount_minor) as minor
          from drafts d group by d.currency) s
      ), 'entries', (
        select coalesce(jsonb_agg(to_jsonb(d) - 'body' || jsonb_build_object('text', d.body)
          order by d.kind, d.subject_id, d.subject_place), '[]')
        from (select * from drafts x order by x.kind, x.subject_id, x.subject_place limit 100) d
      ), 'without_rule', (
        select coalesce(jsonb_agg(jsonb_build_object('kind', u.kind, 'currency', u.currency,
          'count', u.n, 'difference_minor', private.exact_sum(u.minor))
          order by u.kind, u.currency), '[]')
        from (
          select i.kind, i.currency, count(*) as n, sum(i.difference_minor) as minor
          from private.entry_items(r, array(
            select k from unnest(private.entry_kinds()) k where k <> all (ruled))) i
          group by i.kind, i.currency
        ) u
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
  r public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  r := private.find_period(input ->> 'id');
  return private.finish_request(request, private.entries_preview_json(r, coalesce(
    nullif(input -> 'rules', 'null'), (private.entry_rules_of(r.tenant_id, r.pair_no)).rules)));
end $$;
