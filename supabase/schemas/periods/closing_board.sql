-- The closing board: all pairs and their periods in a span of months, and opening the periods that
-- follow.

-- The day `days` business days after another: days on which the calendar opens, or without a
-- calendar Monday to Friday. Null if the calendar doesn't open that often within two years.
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
    select later_day::date
    from generate_series(day + 1, day + 731, interval '1 day') later_day
    where private.is_business_day(open_days, later_day::date)
    order by later_day offset days - 1 limit 1
  );
end $$;
grant execute on function private.business_day_after(text, text, date, integer) to authenticated;

-- The open amounts of a period, or for a closed one those at its close, by side and currency.
create function private.board_sums(period public.reconciliations)
returns table (side text, currency text, line_count bigint, minor numeric, oldest date)
language plpgsql stable set search_path = '' as $$
begin
  if period.closed_at is null then
    return query
    select open_line.side, open_line.currency, count(*), sum(open_line.open_minor),
      min(open_line.value_date)
    from private.open_lines open_line
    where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
      and open_line.value_date <= period.period_end
    group by open_line.side, open_line.currency;
  else
    return query
    select carried_line.side, carried_line.currency, count(*), sum(carried_line.open_minor),
      min(carried_line.value_date)
    from public.carried_lines carried_line
    where carried_line.tenant_id = period.tenant_id and carried_line.reconciliation_id = period.id
    group by carried_line.side, carried_line.currency;
  end if;
end $$;

-- One period as the board shows it. Its sums are looked up here, period by period: the planner
-- doesn't know the sizes of joined sets, and would compare each of 3,000 periods with each of 3,000
-- sums.
create function private.board_period_json(period public.reconciliations, is_preparing boolean,
  due_day date, today date) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_build_object(
      'reconciliation_id', period.id, 'name', period.name, 'period_start', period.period_start,
      'period_end', period.period_end, 'state', summed.state, 'prepared_by', signed.prepared_by,
      'reviewed_by', coalesce(signed.reviewed_by, '[]'), 'closed_by', period.closed_by,
      'due_day', due_day,
      'overdue', summed.state not in ('closed', 'archived') and coalesce(due_day < today, false),
      'open_lines', coalesce(side_sums.line_count, 0), 'open_money', coalesce(side_sums.sums, '[]'),
      'oldest_days', period.period_end - side_sums.oldest)
    from (
      select min(signature.signed_by) filter (where signature.kind = 'prepared') as prepared_by,
        jsonb_agg(signature.signed_by
          order by signature.level) filter (where signature.kind = 'reviewed') as reviewed_by,
        count(*) filter (where signature.kind = 'reviewed') as reviews
      from public.period_signatures signature
      where signature.tenant_id = period.tenant_id and signature.pair_no = period.pair_no
        and signature.reconciliation_id = period.id
        and signature.revoked_at is null
    ) signed
    cross join lateral (
      select case when period.status = 'archived' then 'archived'
        when period.closed_at is not null then 'closed'
        when is_preparing then 'preparing'
        when signed.prepared_by is null then 'open'
        when signed.reviews > 0 and signed.reviews >= private.review_levels(period) then 'reviewed'
        else 'prepared' end as state
    ) summed
    cross join lateral (
      select sum(sums.line_count) as line_count, min(sums.oldest) as oldest,
        jsonb_agg(jsonb_build_object('currency', sums.currency, 'side', sums.side,
          'open_minor', private.exact_sum(sums.minor)) order by sums.currency, sums.side) as sums
      from private.board_sums(period) sums
    ) side_sums
  );
end $$;
grant execute on function private.board_sums(public.reconciliations),
  private.board_period_json(public.reconciliations, boolean, date, date) to authenticated;

-- The caller's pairs, ordered by the creation of their sources, with the periods that end in a
-- span. For a closed period, what is open is what was carried; the age of its oldest line counts up
-- to the period's end. input: { from, to, limit, after: [left_source_id, right_source_id] | null }.
create function public.get_closing_board(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'get_closing_board');
  with shown as materialized (
    select pair.pair_no, pair.opening is not null as is_preparing, left_side.id as left_id,
      left_side.name as left_name, right_side.id as right_id,
      right_side.name as right_name,
      private.default_policy() || coalesce(pair_rules.policy, '{}') as policy,
      least((now() at time zone left_side.time_zone)::date,
        (now() at time zone right_side.time_zone)::date) as today
    from public.pairs pair
    join public.sources left_side on left_side.tenant_id = tenant
      and left_side.source_no = pair.left_source_no
    join public.sources right_side on right_side.tenant_id = tenant
      and right_side.source_no = pair.right_source_no
    left join public.pair_rules on pair_rules.tenant_id = tenant
      and pair_rules.pair_no = pair.pair_no and pair_rules.version = pair.rules_version
    where pair.tenant_id = tenant and (input -> 'after' ->> 0 is null
      or (left_side.id, right_side.id) > (input -> 'after' ->> 0, input -> 'after' ->> 1))
    order by left_side.id, right_side.id limit page_size + 1
  ), periods as materialized (
    select period, pair.is_preparing, pair.today, pair.policy ->> 'calendar_id' as calendar_id,
      (pair.policy ->> 'close_days')::integer as close_days
    from shown pair join public.reconciliations period on period.tenant_id = tenant
      and period.pair_no = pair.pair_no
      and period.period_end between (input ->> 'from')::date and (input ->> 'to')::date
  ), due_days as materialized (
    select due.calendar_id, due.close_days, due.period_end,
      private.business_day_after(tenant, due.calendar_id, due.period_end, due.close_days) as due_day
    from (select distinct dated.calendar_id, dated.close_days,
      (dated.period).period_end from periods dated) due
  ), cells as materialized (
    select (dated.period).pair_no, jsonb_agg(
      private.board_period_json(dated.period, dated.is_preparing, due.due_day, dated.today)
      order by (dated.period).period_start) as periods
    from periods dated join due_days due on due.calendar_id is not distinct from dated.calendar_id
      and due.close_days = dated.close_days and due.period_end = (dated.period).period_end
    group by (dated.period).pair_no
  )
  select jsonb_agg(jsonb_build_object(
    'left_source_id', pair.left_id, 'left_source', pair.left_name,
    'right_source_id', pair.right_id, 'right_source', pair.right_name,
    'periods', coalesce(cell.periods, '[]')
  ) order by pair.left_id, pair.right_id) into items
  from shown pair left join cells cell on cell.pair_no = pair.pair_no;
  return private.page(items, page_size, 'left_source_id', 'right_source_id');
end $$;

-- The newest period of each of the caller's pairs, or of the named ones. input: { pairs: [{
-- left_source_id, right_source_id }] | null, through }; `through` is only recorded for a dry run.
create function public.list_newest_periods(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  pairs constant jsonb := nullif(input -> 'pairs', 'null');
begin
  perform private.begin_request(request, 'list_newest_periods');
  return (
    select coalesce(jsonb_agg(jsonb_build_object('reconciliation_id', newest.id,
      'name', newest.name,
      'period_start', newest.period_start, 'period_end', newest.period_end, 'status', newest.status,
      'left_source_id', newest.left_source_id, 'left_source', newest.left_source,
      'right_source_id', newest.right_source_id, 'right_source', newest.right_source
    ) order by newest.left_source_id, newest.right_source_id), '[]')
    from public.pairs pair
    cross join lateral (
      select * from public.reconciliations period
      where period.tenant_id = tenant and period.pair_no = pair.pair_no
      order by period.period_end desc
      limit 1
    ) newest
    where pair.tenant_id = tenant and (pairs is null or pairs @> jsonb_build_array(
      jsonb_build_object('left_source_id', newest.left_source_id,
        'right_source_id', newest.right_source_id)))
  );
end $$;

-- Creates periods that follow others of their pairs, leaving out those that another call has
-- created. Returns the created ones with their IDs. input: { periods: [{ follows, name,
-- period_start, period_end }], skipped }, `follows` a reconciliation's ID. Refuses: conflict.
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
    select period.pair_no, requested.period,
      jsonb_build_object('left_source_id', period.left_source_id,
      'right_source_id', period.right_source_id, 'left_source', period.left_source,
      'right_source', period.right_source, 'auto_run', period.auto_run) as pair
    from jsonb_array_elements(input -> 'periods') with ordinality requested (period, place)
    join public.reconciliations period on period.tenant_id = tenant
      and period.id = requested.period ->> 'follows'
    -- Two calls lock the pairs in the same order.
    order by period.pair_no, requested.place
  loop
    perform private.lock_pair(tenant, next.pair_no);
    continue when exists (
      select from public.reconciliations period
      where period.tenant_id = tenant and period.pair_no = next.pair_no
        and period.period_end >= (next.period ->> 'period_start')::date
    );
    created := created || jsonb_build_array(next.period || jsonb_build_object('reconciliation_id',
      (private.create_reconciliation(next.pair || next.period)).id));
  end loop;
  return private.finish_request(request, jsonb_build_object('items', created, 'skipped',
    input -> 'skipped', 'dry_run', false));
end $$;
