-- sla polls fixes

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.sla_state(timestamp with time zone);
CREATE OR REPLACE FUNCTION private.next_clock_at()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select min(clock.next_at) from private.exception_clocks clock
    where clock.tenant_id = private.tenant_id());
end $function$;
CREATE OR REPLACE FUNCTION private.next_sla_change(as_of timestamp with time zone, input jsonb)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  within constant integer := least((input ->> 'within_minutes')::bigint, 1000000000)::integer;
begin
  return least((
    select min(crossing.at)
    from unnest(array[0, private.high_risk_below() - 1, private.medium_risk_up_to(), within])
      threshold (minutes)
    cross join lateral (
      select exception.due_at - make_interval(mins => threshold.minutes) as at
      from public.exceptions exception
      where exception.tenant_id = private.tenant_id()
        and exception.status in ('open', 'in_review')
        and exception.due_at > as_of + make_interval(mins => threshold.minutes)
      order by exception.due_at limit 1
    ) crossing
  ), (
    select min(exception.paused_until) from public.exceptions exception
    where exception.tenant_id = private.tenant_id()
      and exception.paused_until <= as_of + interval '1 minute'
  ), case when input ?| '{breached_from,breached_before}' then private.next_clock_at() end);
end $function$;
CREATE OR REPLACE FUNCTION private.sla_state(as_of timestamp with time zone, input jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  changed_at constant timestamptz := private.last_exception_change();
begin
  return jsonb_build_object('changed_at', private.iso(changed_at), 'as_of', private.iso(as_of),
    'until', private.iso(
      case when changed_at > as_of - private.commit_delay() then as_of
      else least(private.next_sla_change(as_of, input), as_of + interval '1 minute') end));
end $function$;
CREATE OR REPLACE FUNCTION private.is_sla_known(known jsonb, as_of timestamp with time zone, since timestamp with time zone DEFAULT 'infinity'::timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce(as_of >= (known ->> 'as_of')::timestamptz
    and as_of < (known ->> 'until')::timestamptz
    and since >= (known ->> 'as_of')::timestamptz
    and private.last_exception_change() = (known ->> 'changed_at')::timestamptz, false);
end $function$;
CREATE OR REPLACE FUNCTION public.list_sla_exceptions(input jsonb, request jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
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
    'state', private.sla_state(as_of, input), 'summary', private.sla_summary(as_of),
    'as_of', private.iso(as_of));
end $function$;
CREATE OR REPLACE FUNCTION public.list_sla_changes(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
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
    || jsonb_build_object('state', private.sla_state(as_of, input),
      'summary', private.sla_summary(as_of), 'as_of', private.iso(as_of));
end $function$;
grant execute on function private.next_clock_at() to authenticated;
grant execute on function private.next_sla_change(timestamp with time zone,jsonb) to authenticated;
grant execute on function private.sla_state(timestamp with time zone,jsonb) to authenticated;
