-- SLA monitor: open exceptions by time to breach, and counts of all of them, at any size.

-- The summary as of a moment: the stored counts, corrected for clocks that are due and not advanced
-- yet.
create function private.sla_summary(as_of timestamptz) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    with counted as (
      select coalesce(sum(breached), 0) as breached, coalesce(sum(at_risk), 0) as at_risk,
        coalesce(sum(on_track), 0) as on_track
      from private.sla_counts where tenant_id = private.tenant_id()
    ), late as (
      select
        count(*) filter (where due_at <= as_of) - count(*) filter (where position <= 0) as breached,
        count(*) filter (where due_at > as_of
          and due_at <= as_of + make_interval(mins => private.medium_risk_up_to()))
          - count(*) filter (where position between 1 and private.medium_risk_up_to()) as at_risk,
        count(*) filter (where due_at > as_of + make_interval(mins => private.medium_risk_up_to()))
          - count(*) filter (where position > private.medium_risk_up_to()) as on_track
      from private.exception_clocks where tenant_id = private.tenant_id() and next_at <= as_of
    )
    select jsonb_build_object(
      'breached_count', counted.breached + late.breached,
      'at_risk_count', counted.at_risk + late.at_risk,
      'on_track_count', counted.on_track + late.on_track,
      'total_open', counted.breached + counted.at_risk + counted.on_track
    )
    from counted, late
  );
end $$;

-- The conditions of what follows a cursor [rank, due_at, id], each one range of an index by
-- (ranked_by, due_at, id). Exceptions without an assignee or an amount come last, and null sorts
-- after everything.
create function private.stretches_after(sort_by text, after jsonb) returns text[]
language plpgsql immutable set search_path = '' as $$
declare
  later constant text := format('%L::timestamptz, %L', after ->> 1, after ->> 2);
  currency constant text := quote_literal(substr(after ->> 0, 2, 3));
  amount bigint;
begin
  if jsonb_typeof(after) is distinct from 'array' then
    return array['true'];
  elsif sort_by = 'severity' then
    return array[format('(e.severity_rank, e.due_at, e.id) > (%L::smallint, %s)', after ->> 0,
      later)];
  elsif sort_by = 'assigned_to' and after ->> 0 <> '1' then
    return array[format('(e.assigned_to, e.due_at, e.id) > (%L, %s)', substr(after ->> 0, 2),
      later),
      'e.assigned_to is null'];
  elsif sort_by = 'amount' and after ->> 0 <> '1' then
    amount := private.amount_of_rank(after ->> 0);
    return array[
      format('e.currency = %s and e.amount_minor = %s and (e.due_at, e.id) > (%s)', currency,
        amount, later),
      format('e.currency = %s and e.amount_minor < %s', currency, amount),
      format('e.currency > %s', currency), 'e.currency is null'];
  end if;
  return array[concat_ws(' and ',
    case sort_by when 'assigned_to' then 'e.assigned_to is null'
      when 'amount' then 'e.currency is null' end,
    format('(e.due_at, e.id) > (%s)', later))];
end $$;

-- The rank of an amount as text, ordered by currency, then largest first; and its inverse.
create function private.amount_rank(currency text, amount_minor bigint) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return coalesce('0' || currency || lpad((9223372036854775807 - amount_minor)::text, 19, '0'),
    '1');
end $$;
create function private.amount_of_rank(rank text) returns bigint
language plpgsql immutable set search_path = '' as $$
begin
  return (9223372036854775807 - substr(rank, 5)::numeric)::bigint;
end $$;

-- Several values of a filter as ranges of an index by (value, due_at, id), so that their union is
-- merged instead of sorting all of them. Only for one filter: the others stay conditions.
create function private.stretches_of(input jsonb, as_of timestamptz) returns text[]
language plpgsql stable set search_path = '' as $$
declare
  risks constant text[] := private.risk_ranges(private.text_array(input -> 'breach_risk'), as_of);
  filter text;
begin
  if input ->> 'sort_by' in ('due_at', 'breach_risk') then
    foreach filter in array private.facets_by_deadline() loop
      if cardinality(private.text_array(input -> filter)) > 1 then
        return array(
          select private.exception_condition(filter,
            jsonb_build_object(filter, jsonb_build_array(stretch.value)), as_of)
          from (
            select distinct case when filter = 'assigned_to' and value = 'me' then private.actor()
              else value end
            from unnest(private.text_array(input -> filter)) value) stretch (value));
      end if;
    end loop;
    if cardinality(risks) > 1 then
      return risks;
    end if;
  end if;
  return array['true'];
end $$;

-- The next open exceptions by deadline, without filters: what a board shows by default, the most
-- frequent list, with a cached plan. More than `most` items are returned if there are more;
-- last_due_at and last_id belong to the last item before that.
create function private.next_by_deadline(
  after_due_at timestamptz, after_id text, max_count integer, as_of timestamptz, out items json[],
  out last_due_at timestamptz, out last_id text
)
language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
declare
  tenant constant text := private.tenant_id();
begin
  select array_agg(exception.item), (array_agg(exception.due_at))[max_count],
    (array_agg(exception.id))[max_count] into items,
    last_due_at, last_id
  from (
    select private.exception_json(exception, as_of) as item, exception.due_at, exception.id
    from public.exceptions exception
    where exception.tenant_id = tenant and exception.status in ('open', 'in_review')
      and (exception.due_at, exception.id) > (after_due_at, after_id)
    order by exception.due_at, exception.id limit max_count + 1
  ) exception;
end $$;

-- The query of a page of open exceptions: $1 the page size, $2 the time, $3 the exceptions that a
-- search found.
create function private.sla_exceptions_query(input jsonb, conditions text,
  as_of timestamptz) returns text
language plpgsql stable set search_path = '' as $$
declare
  sort_by constant text := input ->> 'sort_by';
  sort_key constant text := concat_ws(', ',
    case sort_by when 'severity' then 'e.severity_rank' when 'assigned_to' then 'e.assigned_to'
    when 'amount' then 'e.currency, e.amount_minor desc' end, 'e.due_at', 'e.id');
  -- As a cursor writes it: exceptions without an assignee come last.
  rank constant text := case sort_by
    when 'severity' then 'e.severity_rank::text'
    when 'assigned_to' then $q$coalesce('0' || e.assigned_to, '1')$q$
    when 'amount' then 'private.amount_rank(e.currency, e.amount_minor)'
    else $q$''::text$q$ end;
begin
  return (
    select format($q$
      select array_agg(private.exception_json(p.e, $2)), (array_agg(p.rank))[$1],
        (array_agg((p.e).due_at))[$1], (array_agg((p.e).id))[$1]
      from (select u.e, u.rank from (%s) u order by u.rank, (u.e).due_at, (u.e).id limit $1 + 1) p
    $q$, string_agg(format('(select e, %s as rank from public.exceptions e '
      || 'where e.tenant_id = private.tenant_id() and %s and %s and %s order by %s limit $1 + 1)',
      rank, conditions, assignee, value, sort_key), ' union all '))
    from unnest(private.stretches_after(sort_by, input -> 'after')) assignee
    cross join unnest(private.stretches_of(input, as_of)) value
  );
end $$;

-- input: { sort_by, limit, after: [rank, due_at, id] | null, within_minutes, q, and the filters of
-- exceptions/exception_filters.sql }. The risk falls as the deadline recedes, so sorting by
-- breach_risk is sorting by due_at. Amounts of different currencies don't compare, so sorting by
-- amount sorts by currency first.
create function public.list_sla_exceptions(input jsonb, request jsonb) returns json
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  as_of constant timestamptz(3) := now();
  page_size constant integer := (input ->> 'limit')::integer;
  sort_by constant text := input ->> 'sort_by';
  conditions text := $q$e.status in ('open', 'in_review')$q$;
  found_ids text[];
  items json[];
  last_rank text := '';
  last_due_at timestamptz;
  last_id text;
begin
  perform private.begin_request(request, 'list_sla_exceptions');
  if private.is_sla_known(request -> 'known', as_of) then
    return json_build_object('is_known', true);
  end if;
  if sort_by in ('due_at', 'breach_risk') and input - '{sort_by,limit,after}'::text[] = '{}' then
    select * into items, last_due_at, last_id from private.next_by_deadline(
      coalesce((input -> 'after' ->> 1)::timestamptz, '-infinity'),
      coalesce(input -> 'after' ->> 2, ''), page_size, as_of);
  else
    conditions := conditions || ' and ' || private.exception_conditions(input, as_of);
    if input ->> 'within_minutes' is not null then
      conditions := conditions || private.due_within(input, as_of);
    end if;
    if input ->> 'q' is not null then
      found_ids := private.narrow_by_search(input ->> 'q');
      conditions := conditions || ' and '
        || case when found_ids is null then private.has_words(input ->> 'q')
          else 'e.id = any ($3)' end;
      perform set_config('enable_sort', (found_ids is not null)::text, true);
    end if;
    execute private.sla_exceptions_query(input, conditions, as_of)
    into items, last_rank, last_due_at, last_id using page_size, as_of, found_ids;
  end if;
  -- As json, whose texts are joined, while jsonb's trees would be rebuilt at each step: this halves
  -- the time of the most frequent list.
  return json_build_object('items', array_to_json(coalesce(items[:page_size], '{}')),
    'next', case when cardinality(items) > page_size then
      json_build_array(last_rank,
        case when last_due_at = 'infinity' then 'infinity' else private.iso(last_due_at) end,
        last_id) end,
    'state', private.sla_state_of_page(as_of, input), 'summary', private.sla_summary(as_of),
    'as_of', private.iso(as_of));
end $$;

create function private.due_within(input jsonb, as_of timestamptz) returns text
language plpgsql stable set search_path = '' as $$
begin
  return format(' and e.due_at <= %L::timestamptz',
    as_of
      + make_interval(mins => least((input ->> 'within_minutes')::bigint, 1000000000)::integer));
end $$;

-- The query of a page of changes: $1 the time, $2 the page size, $3 and $4 the last one read, $5
-- where reading began, $6 the minutes of the list. An exception that left the list comes as null.
create function private.sla_changes_query(conditions text) returns text
language plpgsql stable set search_path = '' as $$
begin
  return format($q$
    with crossed as (
      select c.*
      from unnest(private.risk_crossings($6)) t (minutes)
      cross join lateral (
        select e.id, e.due_at - make_interval(mins => t.minutes) as at
        from public.exceptions e
        where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review')
          and (e.due_at, e.id) > ($3 + make_interval(mins => t.minutes), $4)
          and e.due_at <= $1 + make_interval(mins => t.minutes)
          and e.updated_at <= $5
        order by e.due_at, e.id limit $2 + 1
      ) c
    ), changed as (
      select e.id, e.updated_at as at from public.exceptions e
      where e.tenant_id = private.tenant_id() and (e.updated_at, e.id) > ($3, $4)
        order by e.updated_at, e.id limit $2 + 1
    ), of_page as (
      select u.id, u.at
      from (select * from changed union all select * from crossed) u
      order by u.at, u.id
      limit $2 + 1
    )
    select jsonb_agg(
      jsonb_build_object('id', e.id, 'changed_at', private.iso(p.at),
        'exception', case when %s then private.exception_json(e, $1) end)
      order by p.at, e.id)
    from of_page p join public.exceptions e on e.tenant_id = private.tenant_id() and e.id = p.id
  $q$, conditions);
end $$;

-- What happened in a list of open exceptions since a moment: each exception that was changed since,
-- and each whose risk changed because time passed; its present state, or null if the filters don't
-- match it any more. input: { since, limit, after: [at, id] | null, within_minutes, q, the filters
-- }. Each part is a range of an index. A change is as old as the start of its transaction, so a
-- margin before `since` is read again.
create function public.list_sla_changes(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  as_of constant timestamptz(3) := now();
  page_size constant integer := (input ->> 'limit')::integer;
  start constant timestamptz := (input ->> 'since')::timestamptz - private.commit_delay();
  later_at constant timestamptz := coalesce((input -> 'after' ->> 0)::timestamptz, start);
  later_id constant text := coalesce(input -> 'after' ->> 1, '');
  conditions text := $q$e.status in ('open', 'in_review')
    and $q$ || private.filter_conditions(input, as_of);
  items jsonb;
begin
  perform private.begin_request(request, 'list_sla_changes');
  if private.is_sla_known(request -> 'known', as_of, (input ->> 'since')::timestamptz) then
    return jsonb_build_object('is_known', true);
  end if;
  if (input ->> 'since')::timestamptz < as_of - interval '1 day' then
    perform private.refuse_field('since',
      'Must be within the last 24 hours. Read the list again instead.');
  end if;
  if input ->> 'within_minutes' is not null then
    conditions := conditions || private.due_within(input, as_of);
  end if;
  execute private.sla_changes_query(conditions) into items
    using as_of, page_size, later_at, later_id, start,
      least((input ->> 'within_minutes')::bigint, 1000000000)::integer;
  return private.page(items, page_size, 'changed_at', 'id')
    || jsonb_build_object('state', private.sla_state_of_page(as_of, input),
      'summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $$;

-- How many open exceptions are how far from their deadline. Exact, and consistent with the summary:
-- what is due within a day of now is counted by the index, the rest is what the summary leaves for
-- each risk. The cost grows with what is due within that day.
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
  select count(*) filter (where exception.due_at <= as_of),
    count(*) filter (where exception.due_at > as_of
      and exception.due_at <= as_of + make_interval(mins => high - 1)),
    count(*) filter (where exception.due_at > as_of + make_interval(mins => medium))
  into late_a_day, within_high, beyond_medium
  from public.exceptions exception
  where exception.tenant_id = private.tenant_id() and exception.status in ('open', 'in_review')
    and exception.due_at > as_of - make_interval(mins => day + 1)
    and exception.due_at <= as_of + make_interval(mins => day);
  return jsonb_build_object(
    'buckets', (
      select jsonb_agg(
        jsonb_build_object('from_minutes', band.lowest, 'to_minutes', band.highest,
          'breach_risk', band.risk,
          'open_count', band.open_count)
      order by band.place)
      from (values
        (1, null, -day - 1, 'breached', (counts -> 'breached_count')::bigint - late_a_day),
        (2, -day, 0, 'breached', late_a_day),
        (3, 1, high - 1, 'high', within_high),
        (4, high, medium, 'medium', (counts -> 'at_risk_count')::bigint - within_high),
        (5, medium + 1, day, 'low', beyond_medium),
        (6, day + 1, null, 'low', (counts -> 'on_track_count')::bigint - beyond_medium)
      ) as band (place, lowest, highest, risk, open_count)
    ),
    'summary', counts,
    'as_of', private.iso(as_of)
  );
end $$;

-- input: {}.
create function public.get_time_to_breach(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.begin_request(request, 'get_time_to_breach');
  return private.time_to_breach(now()::timestamptz(3));
end $$;

grant execute on function
  private.sla_summary(timestamptz),
  private.next_by_deadline(timestamptz, text, integer, timestamptz),
  private.stretches_after(text, jsonb), private.amount_rank(text, bigint),
  private.amount_of_rank(text),
  private.stretches_of(jsonb, timestamptz), private.due_within(jsonb, timestamptz),
  private.time_to_breach(timestamptz),
  private.sla_exceptions_query(jsonb, text, timestamptz), private.sla_changes_query(text)
to authenticated;
