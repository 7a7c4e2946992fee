-- Grace periods: how long a line may stay open before it gets an exception.

-- The day as many business days before today as a source's grace period has: days on which the
-- calendar opens, or without a calendar Monday to Friday.
create function private.last_day_of_grace(s public.sources, calendar text) returns date
language plpgsql stable set search_path = '' as $$
declare
  open_days constant jsonb := private.open_days(s.tenant_id, calendar) -> 'open_days';
  found_day date := (now() at time zone s.time_zone)::date;
  left_over integer := s.grace_days;
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
create function private.open_past_grace(r public.reconciliations)
returns table (line_no bigint, minor bigint)
language plpgsql stable set search_path = '' as $$
begin
  return query
  -- The last day is computed once per side, not once per line.
  with due as materialized (
    select case source.source_no when pair.left_source_no then 'left' else 'right' end as side,
      private.last_day_of_grace(source,
        private.policy_of_pair(r.tenant_id, r.pair_no) ->> 'calendar_id') as day
    from public.pairs pair
    join public.sources source on source.tenant_id = r.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = r.tenant_id and pair.pair_no = r.pair_no
  )
  select open_line.line_no, abs(open_line.open_minor)
  from due grace
  join private.open_lines open_line on open_line.tenant_id = r.tenant_id
    and open_line.pair_no = r.pair_no
    and open_line.side = grace.side and open_line.value_date <= r.period_end
    and open_line.value_date < grace.day;
end $$;

-- Those of these lines that are open in the pair of a period.
create function private.open_among(r public.reconciliations, line_nos bigint[])
returns table (line_no bigint)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select o.line_no from private.open_lines o
  where o.tenant_id = r.tenant_id and o.pair_no = r.pair_no and o.line_no = any (line_nos)
  order by o.line_no;
end $$;

-- Those of these lines that arrived after their period was closed. Lines that were there when it
-- closed were carried. The times of transactions don't tell which came first.
create function private.late_lines(r public.reconciliations, line_nos bigint[],
  value_dates date[]) returns setof bigint
language plpgsql stable set search_path = '' as $$
begin
  return query
  with closed as materialized (
    select c.id, c.period_start, c.period_end from public.reconciliations c
    where c.tenant_id = r.tenant_id and c.pair_no = r.pair_no and c.closed_at is not null
  )
  select distinct o.line_no
  from unnest(line_nos, value_dates) o (line_no, value_date)
  join closed c on o.value_date between c.period_start and c.period_end
  where (
    select k.line_no
    from public.carried_lines k
    where k.tenant_id = r.tenant_id and k.reconciliation_id = c.id and k.line_no = o.line_no
  ) is null;
end $$;

-- What the adjustments of these matches explain, for those that have any.
create function private.adjusted_in_matches(tenant text, matches uuid[])
returns table (id uuid, minor numeric)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select m.id,
    (select sum((x.adjustment ->> 'amount_minor')::bigint)
      from jsonb_array_elements(m.adjustments) x (adjustment))
  from (select x.id, x.adjustments from public.matches x
    where x.tenant_id = tenant and x.id = any (matches) order by x.id) m
  where m.adjustments <> '[]';
end $$;
