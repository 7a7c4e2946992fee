-- Grace periods: how long a line may stay open before it gets an exception.

-- The day as many business days before today as a source's grace period has: days on which the
-- calendar opens, or without a calendar Monday to Friday.
create function private.last_day_of_grace(source public.sources, calendar text) returns date
language plpgsql stable set search_path = '' as $$
declare
  open_days constant jsonb := private.open_days(source.tenant_id, calendar) -> 'open_days';
  found_day date := (now() at time zone source.time_zone)::date;
  left_over integer := source.grace_days;
  number integer;
begin
  while left_over > 0 loop
    found_day := found_day - 1;
    number := found_day - date '1970-01-01';
    if open_days is null and extract(isodow from found_day) < 6
      or open_days -> 'opened' @> to_jsonb(number)
      or open_days -> 'weekdays' @> to_jsonb(extract(isodow from found_day)::integer)
      and not open_days -> 'closed' @> to_jsonb(number) then
      left_over := left_over - 1;
    end if;
  end loop;
  return found_day;
end $$;

-- The lines open in a period past the grace period of their source.
create function private.open_past_grace(period public.reconciliations)
returns table (line_no bigint, minor bigint)
language plpgsql stable set search_path = '' as $$
begin
  return query
  -- The last day is computed once per side, not once per line.
  with due as materialized (
    select case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
      private.last_day_of_grace(source,
        private.policy_of_pair(period.tenant_id, period.pair_no) ->> 'calendar_id') as day
    from public.pairs pair
    join public.sources source on source.tenant_id = period.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
  )
  select open_line.line_no, abs(open_line.open_minor)
  from due grace
  join private.open_lines open_line on open_line.tenant_id = period.tenant_id
    and open_line.pair_no = period.pair_no
    and open_line.side = grace.side and open_line.value_date <= period.period_end
    and open_line.value_date < grace.day;
end $$;

-- Those of these lines that are open in the pair of a period.
create function private.open_among(period public.reconciliations, line_nos bigint[])
returns table (line_no bigint)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select open_line.line_no from private.open_lines open_line
  where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
    and open_line.line_no = any (line_nos)
  order by open_line.line_no;
end $$;

-- Those of these lines that arrived after their period was closed. Lines that were there when it
-- closed were carried. The times of transactions don't tell which came first.
create function private.late_lines(period public.reconciliations, line_nos bigint[],
  value_dates date[]) returns setof bigint
language plpgsql stable set search_path = '' as $$
begin
  return query
  with closed as materialized (
    select reconciliations.id, reconciliations.period_start, reconciliations.period_end
    from public.reconciliations
    where reconciliations.tenant_id = period.tenant_id and reconciliations.pair_no = period.pair_no
      and reconciliations.closed_at is not null
  )
  select distinct line.line_no
  from unnest(line_nos, value_dates) line (line_no, value_date)
  join closed on line.value_date between closed.period_start and closed.period_end
  where (
    select carried_line.line_no
    from public.carried_lines carried_line
    where carried_line.tenant_id = period.tenant_id and carried_line.reconciliation_id = closed.id
      and carried_line.line_no = line.line_no
  ) is null;
end $$;

-- What the adjustments of these matches explain, for those that have any.
create function private.adjusted_in_matches(tenant text, matches uuid[])
returns table (id uuid, minor numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select match.id,
    (select sum((adjusted.adjustment ->> 'amount_minor')::bigint)
      from jsonb_array_elements(match.adjustments) adjusted (adjustment))
  from (select match.id, match.adjustments from public.matches match
    where match.tenant_id = tenant and match.id = any (matches) order by match.id) match
  where match.adjustments <> '[]';
end $$;
