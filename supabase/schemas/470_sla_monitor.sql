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

-- The conditions of what comes after a cursor [rank, due_at, id], each of them one range of an index by (ranked_by, due_at, id). Those
-- assigned to nobody come last, and null is greater than nothing.
create function private.stretches_after(ranked_by text, after jsonb) returns text[]
language plpgsql immutable set search_path = '' as $$
declare
  later constant text := format('%L::timestamptz, %L', after ->> 1, after ->> 2);
begin
  return case
    when jsonb_typeof(after) is distinct from 'array' then array['true']
    when ranked_by is null then array[format('(e.due_at, e.id) > (%s)', later)]
    when ranked_by = 'e.severity_rank' then array[format('(e.severity_rank, e.due_at, e.id) > (%L::smallint, %s)', after ->> 0, later)]
    when after ->> 0 = '1' then array[format('e.assigned_to is null and (e.due_at, e.id) > (%s)', later)]
    else array[format('(e.assigned_to, e.due_at, e.id) > (%L, %s)', substr(after ->> 0, 2), later), 'e.assigned_to is null']
  end;
end $$;

-- input: { sort_by, limit, after: [rank, due_at, id] | null, within_minutes, severity, assigned_to, status, breach_risk, q }.
-- The risk falls as the deadline recedes, so sorting by breach_risk is sorting by due_at. at_risk is high and medium.
create function public.list_sla_exceptions(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  as_of constant timestamptz(3) := now();
  page_size constant integer := (input ->> 'limit')::integer;
  ranked_by constant text := case input ->> 'sort_by' when 'severity' then 'e.severity_rank' when 'assigned_to' then 'e.assigned_to' end;
  sort_key constant text := concat_ws(', ', ranked_by, 'e.due_at', 'e.id');
  -- As a cursor says it: nobody comes last.
  rank constant text := case input ->> 'sort_by'
    when 'severity' then 'e.severity_rank::text' when 'assigned_to' then $q$coalesce('0' || e.assigned_to, '1')$q$ else $q$''::text$q$
  end;
  risk constant text := input ->> 'breach_risk';
  -- minutes_to_breach is rounded up, so what is below 60 has at most 59 minutes left.
  high constant interval := make_interval(mins => private.high_risk_below() - 1);
  medium constant interval := make_interval(mins => private.medium_risk_up_to());
  conditions text := $q$e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')$q$;
  stretches text[];
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
    conditions := conditions || format(' and e.assigned_to = %L', input ->> 'assigned_to');
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
  stretches := private.stretches_after(ranked_by, input -> 'after');
  execute (
    select format($q$
      select jsonb_agg(private.exception_json(p.e, $1) || jsonb_build_object('rank', p.rank, 'sorted_at',
        case when (p.e).due_at = 'infinity' then 'infinity' else private.iso((p.e).due_at) end) order by p.rank, (p.e).due_at, (p.e).id)
      from (select u.e, u.rank from (%s) u order by u.rank, (u.e).due_at, (u.e).id limit $2 + 1) p
    $q$, string_agg(format('(select e, %s as rank from public.exceptions e where %s and %s order by %s limit $2 + 1)', rank, conditions, s, sort_key),
      ' union all '))
    from unnest(stretches) s
  )
  into items using as_of, page_size, few;
  -- The rank and the stored deadline (infinity: paused, and so last) are for the cursor; the contract leaves them out.
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

grant execute on function private.sla_summary(timestamptz), private.stretches_after(text, jsonb), private.time_to_breach(timestamptz) to authenticated;
