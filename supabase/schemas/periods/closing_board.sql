-- The closing board: all pairs and their periods of a span of months, and the opening of the
-- periods that follow.

-- The day `days` business days after another: days on which the calendar opens, or without one
-- Monday to Friday. Null where the calendar doesn't open so often within two years.
create function private.business_day_after(tenant text, calendar text, day date,
  days integer) returns date
language plpgsql stable set search_path = '' as $$
declare
  open_days constant jsonb := private.open_days(tenant, calendar) -> 'open_days';
begin
  if days = 0 then
    return day;
  end if;
  return (
    select d::date
    from generate_series(day + 1, day + 731, interval '1 day') d
    where private.is_business_day(open_days, d::date)
    order by d offset days - 1 limit 1
  );
end $$;
grant execute on function private.business_day_after(text, text, date, integer) to authenticated;

-- The caller's pairs in the order in which their sources were created, with the periods that end in
-- a span. What is open of a closed period is what was carried; the age of its oldest line counts to
-- its end. input: { from, to, limit, after: [left_source_id, right_source_id] | null }.
create function public.get_closing_board(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'get_closing_board');
  with shown as materialized (
    select p.pair_no, p.opening is not null as is_preparing, l.id as left_id, l.name as left_name,
      r.id as right_id, r.name as right_name,
      private.default_policy() || coalesce(v.policy, '{}') as policy,
      least((now() at time zone l.time_zone)::date, (now() at time zone r.time_zone)::date) as today
    from public.pairs p
    join public.sources l on l.tenant_id = tenant and l.source_no = p.left_source_no
    join public.sources r on r.tenant_id = tenant and r.source_no = p.right_source_no
    left join public.pair_rules v on v.tenant_id = tenant and v.pair_no = p.pair_no
      and v.version = p.rules_version
    where p.tenant_id = tenant and (input -> 'after' ->> 0 is null
      or (l.id, r.id) > (input -> 'after' ->> 0, input -> 'after' ->> 1))
    order by l.id, r.id
    limit page_size + 1
  ), periods as materialized (
    select r, s.is_preparing, s.today, s.policy ->> 'calendar_id' as calendar_id,
      (s.policy ->> 'close_days')::integer as close_days
    from shown s
    join public.reconciliations r on r.tenant_id = tenant and r.pair_no = s.pair_no
      and r.period_end between (input ->> 'from')::date and (input ->> 'to')::date
  ), due_days as materialized (
    select x.calendar_id, x.close_days, x.period_end,
      private.business_day_after(tenant, x.calendar_id, x.period_end, x.close_days) as due_day
    from (select distinct p.calendar_id, p.close_days, (p.r).period_end from periods p) x
  ), cells as materialized (
    select (p.r).pair_no, jsonb_agg(jsonb_build_object(
      'reconciliation_id', (p.r).id, 'name', (p.r).name, 'period_start', (p.r).period_start,
      'period_end', (p.r).period_end, 'state', x.state, 'prepared_by', g.prepared_by,
      'reviewed_by', coalesce(g.reviewed_by, '[]'), 'closed_by', (p.r).closed_by,
      'due_day', d.due_day,
      'overdue', x.state not in ('closed', 'archived') and coalesce(d.due_day < p.today, false),
      'open_lines', coalesce(m.line_count, 0), 'open_money', coalesce(m.sums, '[]'),
      'oldest_days', (p.r).period_end - m.oldest
    ) order by (p.r).period_start) as periods
    from periods p
    join due_days d on d.calendar_id is not distinct from p.calendar_id
      and d.close_days = p.close_days and d.period_end = (p.r).period_end
    -- Sums are looked up period by period: the planner knows no sizes of joined sets, and compares
    -- each of 3,000 periods with each of 3,000 sums.
    cross join lateral (
      select sum(x.line_count) as line_count, min(x.oldest) as oldest,
        jsonb_agg(jsonb_build_object('currency', x.currency, 'side', x.side, 'open_minor',
          private.exact_sum(x.minor)) order by x.currency, x.side) as sums
      from (
        select o.side, o.currency, count(*) as line_count, sum(o.open_minor) as minor,
          min(o.value_date) as oldest
        from private.open_lines o
        where o.tenant_id = tenant and o.pair_no = (p.r).pair_no
          and o.value_date <= (p.r).period_end and (p.r).closed_at is null
        group by 1, 2
        union all
        select c.side, c.currency, count(*), sum(c.open_minor), min(c.value_date)
        from public.carried_lines c
        where c.tenant_id = tenant and c.reconciliation_id = (p.r).id
          and (p.r).closed_at is not null
        group by 1, 2
      ) x
    ) m
    cross join lateral (
      select min(s.signed_by) filter (where s.kind = 'prepared') as prepared_by,
        jsonb_agg(s.signed_by order by s.level) filter (where s.kind = 'reviewed') as reviewed_by,
        count(*) filter (where s.kind = 'reviewed') as reviews
      from public.period_signatures s
      where s.tenant_id = tenant and s.pair_no = (p.r).pair_no
        and s.reconciliation_id = (p.r).id and s.revoked_at is null
    ) g
    cross join lateral (
      select case when (p.r).status = 'archived' then 'archived'
        when (p.r).closed_at is not null then 'closed'
        when p.is_preparing then 'preparing'
        when g.prepared_by is null then 'open'
        when g.reviews > 0 and g.reviews >= private.review_levels(p.r) then 'reviewed'
        else 'prepared' end as state
    ) x
    group by 1
  )
  select jsonb_agg(jsonb_build_object(
    'left_source_id', s.left_id, 'left_source', s.left_name,
    'right_source_id', s.right_id, 'right_source', s.right_name,
    'periods', coalesce(c.periods, '[]')
  ) order by s.left_id, s.right_id) into items
  from shown s left join cells c on c.pair_no = s.pair_no;
  return private.page(items, page_size, 'left_source_id', 'right_source_id');
end $$;

-- The newest period of each of the caller's pairs, or of these. input: { pairs: [{ left_source_id,
-- right_source_id }] | null, through }, `through` for the record of a dry run alone.
create function public.list_newest_periods(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  pairs constant jsonb := nullif(input -> 'pairs', 'null');
begin
  perform private.begin_request(request, 'list_newest_periods');
  return (
    select coalesce(jsonb_agg(jsonb_build_object('reconciliation_id', r.id, 'name', r.name,
      'period_start', r.period_start, 'period_end', r.period_end, 'status', r.status,
      'left_source_id', r.left_source_id, 'left_source', r.left_source,
      'right_source_id', r.right_source_id, 'right_source', r.right_source
    ) order by r.left_source_id, r.right_source_id), '[]')
    from public.pairs p
    cross join lateral (
      select * from public.reconciliations x
      where x.tenant_id = tenant and x.pair_no = p.pair_no
      order by x.period_end desc
      limit 1
    ) r
    where p.tenant_id = tenant and (pairs is null or pairs @> jsonb_build_array(
      jsonb_build_object('left_source_id', r.left_source_id, 'right_source_id', r.right_source_id)))
  );
end $$;

-- Creates periods that follow others of their pairs; leaves out those whose days another call has
-- opened. Answers those that it created, with their ids. input: { periods: [{ follows, name,
-- period_start, period_end }], skipped }, `follows` a reconciliation's id. Refuses: conflict.
-- Records: reconciliation.created for each.
create function public.open_next_periods(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'open_next_periods');
  tenant constant text := private.tenant_id();
  next record;
  created jsonb := '[]';
begin
  if replayed is not null then
    return replayed;
  end if;
  for next in
    select r.pair_no, x.period, jsonb_build_object('left_source_id', r.left_source_id,
      'right_source_id', r.right_source_id, 'left_source', r.left_source, 'right_source',
      r.right_source, 'auto_run', r.auto_run) as pair
    from jsonb_array_elements(input -> 'periods') with ordinality x (period, n)
    join public.reconciliations r on r.tenant_id = tenant and r.id = x.period ->> 'follows'
    -- Two calls lock the pairs in the same order.
    order by r.pair_no, x.n
  loop
    perform private.lock_pair(tenant, next.pair_no);
    continue when exists (
      select from public.reconciliations r
      where r.tenant_id = tenant and r.pair_no = next.pair_no
        and r.period_end >= (next.period ->> 'period_start')::date
    );
    created := created || jsonb_build_array(next.period || jsonb_build_object('reconciliation_id',
      (private.create_reconciliation(next.pair || next.period)).id));
  end loop;
  return private.finish_request(request, jsonb_build_object('items', created, 'skipped',
    input -> 'skipped', 'dry_run', false));
end $$;
