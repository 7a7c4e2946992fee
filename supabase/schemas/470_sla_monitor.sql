-- SLA monitor: open exceptions by time to breach, and counts of all of them, at any size.

-- The summary as of a moment: the stored counts, corrected by the clocks that are due and not advanced yet.
create function private.sla_summary(as_of timestamptz) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    with counted as (
      select coalesce(sum(breached), 0) as breached, coalesce(sum(at_risk), 0) as at_risk, coalesce(sum(on_track), 0) as on_track
      from private.sla_counts where tenant_id = private.tenant_id()
    ), late as (
      select
        count(*) filter (where due_at <= as_of) - count(*) filter (where position <= 0) as breached,
        count(*) filter (where due_at > as_of and due_at <= as_of + make_interval(mins => private.medium_risk_up_to()))
          - count(*) filter (where position between 1 and private.medium_risk_up_to()) as at_risk,
        count(*) filter (where due_at > as_of + make_interval(mins => private.medium_risk_up_to()))
          - count(*) filter (where position > private.medium_risk_up_to()) as on_track
      from private.exception_clocks where tenant_id = private.tenant_id() and next_at <= as_of
    )
    select jsonb_build_object(
      'breached_count', c.breached + l.breached, 'at_risk_count', c.at_risk + l.at_risk, 'on_track_count', c.on_track + l.on_track,
      'total_open', c.breached + c.at_risk + c.on_track
    )
    from counted c, late l
  );
end $$;

-- input: { sort_by, limit, after: [rank, due_at, id] | null, within_minutes, severity, assigned_to, status, breach_risk, q }.
-- The risk falls as the deadline recedes, so sorting by breach_risk is sorting by due_at. at_risk is high and medium.
create function public.list_sla_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  as_of constant timestamptz(3) := now();
  page_size constant integer := (input ->> 'limit')::integer;
  rank_expression constant text := case input ->> 'sort_by'
    when 'severity' then 'e.severity_rank'
    when 'assigned_to' then $q$coalesce('0' || e.assigned_to, '1')$q$
  end;
  sort_key constant text := concat_ws(', ', rank_expression, 'e.due_at', 'e.id');
  risk constant text := input ->> 'breach_risk';
  -- minutes_to_breach is rounded up, so what is below 60 has at most 59 minutes left.
  high constant interval := make_interval(mins => private.high_risk_below() - 1);
  medium constant interval := make_interval(mins => private.medium_risk_up_to());
  conditions text := $q$e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')$q$;
  few text[];
  items jsonb;
begin
  perform private.enter(request, 'list_sla_exceptions');
  if input ->> 'within_minutes' is not null then
    conditions := conditions || format(' and e.due_at <= %L::timestamptz',
      as_of + make_interval(mins => least((input ->> 'within_minutes')::bigint, 1000000000)::integer));
  end if;
  if input ->> 'severity' is not null then
    conditions := conditions || format(' and e.severity_rank = %s', private.severity_rank(input ->> 'severity'));
  end if;
  if input ->> 'assigned_to' is not null then
    conditions := conditions || format($q$ and coalesce('0' || e.assigned_to, '1') = %L$q$, '0' || (input ->> 'assigned_to'));
  end if;
  if input ->> 'status' is not null then
    conditions := conditions || format(' and e.status = %L', input ->> 'status');
  end if;
  if input ->> 'q' is not null then
    few := private.few_with_words(input ->> 'q');
    conditions := conditions || ' and ' || case when few is null then private.has_words(input ->> 'q') else 'e.id = any ($3)' end;
    perform set_config('enable_sort', (few is not null)::text, true);
  end if;
  if risk <> 'breached' then
    conditions := conditions || format(' and e.due_at > %L::timestamptz',
      as_of + case risk when 'medium' then high when 'low' then medium else interval '0' end);
  end if;
  if risk <> 'low' then
    conditions := conditions || format(' and e.due_at <= %L::timestamptz',
      as_of + case risk when 'breached' then interval '0' when 'high' then high else medium end);
  end if;
  if jsonb_typeof(input -> 'after') = 'array' then
    conditions := conditions || format(' and (%s) > (%s%L::timestamptz, %L)', sort_key,
      case when rank_expression is not null then quote_literal(input -> 'after' ->> 0) || ', ' else '' end,
      input -> 'after' ->> 1, input -> 'after' ->> 2);
  end if;
  -- The rank and the stored deadline (infinity: paused, and so last) are for the cursor; the contract leaves them out.
  execute format($q$
    select jsonb_agg(private.exception_json(p.e, $1) || jsonb_build_object('rank', p.rank, 'sorted_at',
      case when (p.e).due_at = 'infinity' then 'infinity' else private.iso((p.e).due_at) end) order by p.rank, (p.e).due_at, (p.e).id)
    from (select e, %1$s as rank from public.exceptions e where %2$s order by %3$s limit $2 + 1) p
  $q$, coalesce(rank_expression, $q$''::text$q$), conditions, sort_key)
  into items using as_of, page_size, few;
  return private.page(items, page_size, 'rank', 'sorted_at', 'id')
    || jsonb_build_object('summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $$;

-- How many open exceptions are how far from their deadline. Exact, and agreeing with the summary: what is due within a day of now is
-- counted by the index, the rest is what the summary says is left of each risk. It costs as much as there is due within that day.
create function private.time_to_breach(as_of timestamptz) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
declare
  day constant integer := 1440;
  high constant integer := private.high_risk_below();
  medium constant integer := private.medium_risk_up_to();
  counts constant jsonb := private.sla_summary(as_of);
  late_a_day bigint;
  within_high bigint;
  beyond_medium bigint;
begin
  select count(*) filter (where e.due_at <= as_of),
    count(*) filter (where e.due_at > as_of and e.due_at <= as_of + make_interval(mins => high - 1)),
    count(*) filter (where e.due_at > as_of + make_interval(mins => medium))
  into late_a_day, within_high, beyond_medium
  from public.exceptions e
  where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
    and e.due_at > as_of - make_interval(mins => day + 1) and e.due_at <= as_of + make_interval(mins => day);
  return jsonb_build_object(
    'buckets', (
      select jsonb_agg(jsonb_build_object('from_minutes', b.lowest, 'to_minutes', b.highest, 'breach_risk', b.risk, 'open_count', b.open_count) order by b.place)
      from (values
        (1, null, -day - 1, 'breached', (counts -> 'breached_count')::bigint - late_a_day),
        (2, -day, 0, 'breached', late_a_day),
        (3, 1, high - 1, 'high', within_high),
        (4, high, medium, 'medium', (counts -> 'at_risk_count')::bigint - within_high),
        (5, medium + 1, day, 'low', beyond_medium),
        (6, day + 1, null, 'low', (counts -> 'on_track_count')::bigint - beyond_medium)
      ) as b (place, lowest, highest, risk, open_count)
    ),
    'summary', counts,
    'as_of', private.iso(as_of)
  );
end $$;

-- input: {}.
create function public.get_time_to_breach(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, 'get_time_to_breach');
  return private.time_to_breach(now()::timestamptz(3));
end $$;

grant execute on function private.sla_summary(timestamptz), private.time_to_breach(timestamptz) to authenticated;
