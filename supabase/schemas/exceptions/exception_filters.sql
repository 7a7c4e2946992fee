-- Exception filters, defined once for lists, counts, changes since a moment and bulk changes.

-- The conditions of these breach risks on an exception e, with adjoining ones merged to one range
-- of due_at. at_risk is high and medium.
create function private.risk_ranges(wanted text[], as_of timestamptz) returns text[]
language plpgsql immutable set search_path = '' as $$
declare
  risks constant text[] := private.breach_risks();
  -- minutes_to_breach is rounded up, so whatever is below 60 has at most 59 minutes left.
  ends constant timestamptz[] := array[as_of,
    as_of + make_interval(mins => private.high_risk_below() - 1),
    as_of + make_interval(mins => private.medium_risk_up_to())];
  accepted constant text[] := case when 'at_risk' = any (wanted)
    then wanted || '{high,medium}'::text[]
    else wanted end;
  ranges text[] := '{}';
  first integer;
begin
  for i in 1 .. 4 loop
    if not risks[i] = any (accepted) then
      continue;
    end if;
    first := coalesce(first, i);
    if i = 4 or not risks[i + 1] = any (accepted) then
      ranges := ranges || coalesce(nullif(concat_ws(' and ',
        case when first > 1 then format('e.due_at > %L::timestamptz', ends[first - 1]) end,
        case when i < 4 then format('e.due_at <= %L::timestamptz', ends[i]) end), ''), 'true');
      first := null;
    end if;
  end loop;
  return ranges;
end $$;

-- The condition that a field has one of these values. A single one is compared by `=`, so that an
-- index supplies the order of its next column.
create function private.equals_any(field text, wanted text[]) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return case when cardinality(wanted) = 1 then format('%s = %L', field, wanted[1])
    else format('%s = any (%L)', field, wanted) end;
end $$;

-- The SQL condition of a filter on an exception e; null if the input doesn't have it. Each filter
-- takes several values: { severity: [high, critical] }. For the assignee, the reconciliation and
-- the currency, `none` is null; for the assignee, `me` is the caller.
create function private.exception_condition(filter text, input jsonb,
  as_of timestamptz) returns text
language plpgsql stable set search_path = '' as $$
declare
  -- The previous release sends a single value as a string.
  wanted text[] := case jsonb_typeof(input -> filter) when 'string' then array[input ->> filter]
    else private.text_array(input -> filter) end;
begin
  if cardinality(wanted) = 0 then
    return null;
  elsif filter = 'breach_risk' then
    return '(' || array_to_string(private.risk_ranges(wanted, as_of), ' or ') || ')';
  elsif filter = 'severity' then
    return private.equals_any('e.severity_rank',
      array(select private.severity_rank(status)::text from unnest(wanted) status));
  elsif filter = 'assigned_to' then
    wanted := array_replace(wanted, 'me', private.actor());
  end if;
  return case
    when not private.facet_has_none(filter) then private.equals_any('e.' || filter, wanted)
    when wanted = '{none}' then format('e.%I is null', filter)
    when 'none' = any (wanted) then format('(e.%I is null or %s)', filter,
      private.equals_any('e.' || filter, array_remove(wanted, 'none')))
    else private.equals_any('e.' || filter, wanted)
  end;
end $$;

-- The condition that exception e has a ledger row of these kinds from one moment to before another;
-- null without either.
create function private.had_entry_between(kinds text, starts_at timestamptz,
  ends_at timestamptz) returns text
language plpgsql stable set search_path = '' as $$
begin
  if starts_at is null and ends_at is null then
    return null;
  end if;
  return format(
    'e.id in (select l.exception_id from public.exception_ledger l where l.tenant_id = %L and l.at >= %L and l.at < %L and %s)',
    private.tenant_id(), coalesce(starts_at, '-infinity'), coalesce(ends_at, 'infinity'), kinds);
end $$;

-- { amount_from, due_before, breached_from, breached_before, closed_from, closed_before }: minor
-- units, a moment that the deadline comes before (a paused exception has none), and when it was
-- breached or closed, whatever happened later; null without any of them.
create function private.bound_conditions(input jsonb) returns text
language plpgsql stable set search_path = '' as $$
begin
  return nullif(concat_ws(' and ', 'e.amount_minor >= ' || (input ->> 'amount_from')::bigint::text,
    'e.due_at < ' || quote_literal((input ->> 'due_before')::timestamptz) || '::timestamptz',
    private.had_entry_between($q$l.kind = 'crossed' and l.threshold_minutes = 0$q$,
      (input ->> 'breached_from')::timestamptz, (input ->> 'breached_before')::timestamptz),
    private.had_entry_between($q$l.kind in ('resolved', 'dismissed')$q$,
      (input ->> 'closed_from')::timestamptz, (input ->> 'closed_before')::timestamptz)),
    '');
end $$;

-- All conditions together.
create function private.exception_conditions(input jsonb, as_of timestamptz) returns text
language plpgsql stable set search_path = '' as $$
begin
  return concat_ws(' and ', 'true', private.bound_conditions(input), (
    select string_agg(private.exception_condition(facet, input, as_of), ' and ')
    from unnest(private.exception_facets()) facet
  ));
end $$;

grant execute on function
  private.risk_ranges(text[], timestamptz), private.equals_any(text, text[]),
  private.exception_condition(text, jsonb, timestamptz),
  private.had_entry_between(text, timestamptz, timestamptz), private.bound_conditions(jsonb),
  private.exception_conditions(jsonb, timestamptz)
to authenticated;
