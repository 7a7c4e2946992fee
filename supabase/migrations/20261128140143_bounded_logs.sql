-- The new index first, while lists use the old one. Batches of the log wait for it, no call does.
create index request_log_by_time_with_refused on public.request_log
  (tenant_id, at desc, id desc)
  include (status, refused, duration_ms, operation, actor, api_key_id, credential, error_code);
drop index public.request_log_by_time;
-- contracts: nothing names an index.
alter index public.request_log_by_time_with_refused rename to request_log_by_time;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

-- contracts: only the lists of requests and their statistics, replaced below, used this.
drop function private.request_log_conditions(jsonb);
CREATE OR REPLACE FUNCTION private.delivery_range(input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return concat_ws(' and ', 'true',
    case when input ->> 'webhook_id' is not null then
      format('delivery.webhook_id = %L', input ->> 'webhook_id') end,
    case when input -> 'after' ->> 0 is not null then
      format('delivery.id < %L', input -> 'after' ->> 0) end,
    case when input ->> 'since' is not null then format('delivery.id >= %L',
      'dlv_' || private.id_time((input ->> 'since')::timestamptz)) end,
    case when input ->> 'until' is not null then format('delivery.id < %L',
      'dlv_' || private.id_time((input ->> 'until')::timestamptz + interval '1 hour')) end);
end $function$;
CREATE OR REPLACE FUNCTION private.delivery_filters(input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  wanted constant text := input ->> 'status';
begin
  return concat_ws(' and ', 'true',
    (
      select string_agg(format('delivery.%I = %L', name, input ->> name), ' and ')
      from unnest('{type,event_id}'::text[]) name where input ->> name is not null
    ),
    case when wanted in ('delivered', 'failed') then format('delivery.status = %L', wanted)
      when wanted is not null then format(
        'delivery.status = ''pending'' and private.delivery_status(delivery) = %L',
        wanted) end,
    case when input ->> 'request_id' is not null then
      format(
        'delivery.event_id in (select event.id from public.events event '
          'where event.tenant_id = %L and event.request_id = %L)',
        private.tenant_id(), input ->> 'request_id') end,
    case when input ->> 'since' is not null then
      format('delivery.created_at >= %L::timestamptz', input ->> 'since') end,
    case when input ->> 'until' is not null then
      format('delivery.created_at < %L::timestamptz', input ->> 'until') end);
end $function$;
CREATE OR REPLACE FUNCTION private.deliveries_page(input jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  is_found constant boolean := coalesce(input ->> 'event_id', input ->> 'request_id') is not null
    or input ->> 'status' = 'failed' and input ->> 'webhook_id' is not null;
  looked_at text[];
  items jsonb;
begin
  -- Without statistics of new partitions, the planner would read and sort all deliveries.
  perform set_config('enable_sort', is_found::text, true),
    set_config('enable_seqscan', is_found::text, true);
  execute format($q$
    select jsonb_agg(private.delivery_json(page.delivery, last.attempt)
        order by (page.delivery).id desc) filter (where page.is_listed),
      min(array[(page.delivery).id]) filter (where page.is_last)
    from (
      select * from (%s) examined where examined.is_listed or examined.is_last
      order by examined.id desc limit $1
    ) page
    left join lateral (
      select attempt from public.webhook_attempts attempt
      where attempt.tenant_id = (page.delivery).tenant_id
        and attempt.delivery_id = (page.delivery).id
      order by attempt.number desc limit 1
    ) last on true
  $q$, format(case when is_found then 'select delivery.id, delivery, true as is_listed, false as is_last
      from public.webhook_deliveries delivery where delivery.tenant_id = $3 and %s and %s'
    else 'select delivery.id, delivery, %2$s as is_listed,
        row_number() over (order by delivery.id desc) = $2 as is_last
      from public.webhook_deliveries delivery where delivery.tenant_id = $3 and %1$s
      order by delivery.id desc limit $2' end,
    private.delivery_range(input), private.delivery_filters(input)))
  into items, looked_at using page_size + 1, private.max_looked_at(0.1), private.tenant_id();
  perform set_config('enable_sort', 'true', true), set_config('enable_seqscan', 'true', true);
  return private.page_up_to(looked_at, items, page_size, 'id')
    || jsonb_build_object('as_of', private.iso(now()));
end $function$;
CREATE OR REPLACE FUNCTION private.logged_request_json(logged_request public.request_log)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', logged_request.id, 'at', private.iso(logged_request.at),
    'operation', logged_request.operation, 'method', logged_request.method,
    'path', logged_request.path,
    'query', case when logged_request.query <> '' and private.may_call(logged_request.operation)
      then logged_request.query else '' end,
    'resource', logged_request.resource, 'status', logged_request.status,
    'error_code', logged_request.error_code, 'refused', logged_request.refused,
    'duration_ms', logged_request.duration_ms, 'credential', logged_request.credential,
    'actor', logged_request.actor, 'api_key_id', logged_request.api_key_id,
    'address', host(logged_request.address)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.request_log_range(input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return concat_ws(' and ', 'true',
    case
      when input ->> 'since' is not null then format('r.at >= %L::timestamptz', input ->> 'since')
      end,
    case when input ->> 'until' is not null then format('r.at < %L::timestamptz', input ->> 'until')
      end
  );
end $function$;
CREATE OR REPLACE FUNCTION private.request_log_filters(input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  wanted constant text := input ->> 'status';
begin
  return concat_ws(' and ', 'true',
    case when wanted = 'failed' then 'r.status >= 400'
      when wanted = 'refused' then 'r.status >= 400 and r.refused'
      when wanted is not null then format('r.status between %s and %s', left(wanted, 1) || '00',
        left(wanted, 1) || '99') end,
    (
      select string_agg(format('r.%I = %L', name, input ->> name), ' and ')
      from unnest('{operation,credential,api_key_id,actor,error_code,resource}'::text[]) name
        where input ->> name is not null
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.request_page_statement(input jsonb, range text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  filters constant text := private.request_log_filters(input);
begin
  if input ->> 'request_id' is not null or input ->> 'resource' is not null then
    return format('select r.id, r.at, true as is_listed, false as is_last
      from public.request_log r where r.tenant_id = $3 and %s
      order by r.at desc, r.id desc limit $1', concat_ws(' and ', range, filters,
      case when input ->> 'request_id' is not null
        then format('r.id = %L', input ->> 'request_id') end));
  end if;
  return format('select * from (
      select r.id, r.at, %s as is_listed,
        row_number() over (order by r.at desc, r.id desc) = $2 as is_last
      from public.request_log r where r.tenant_id = $3 and %s
      order by r.at desc, r.id desc limit $2
    ) r where r.is_listed or r.is_last order by r.at desc, r.id desc limit $1', filters, range);
end $function$;
CREATE OR REPLACE FUNCTION public.list_requests(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  looked_at text[];
  items jsonb;
begin
  perform private.begin_request(request, 'list_requests');
  execute format($q$
    select jsonb_agg(private.logged_request_json(r) order by r.at desc, r.id desc)
        filter (where found.is_listed),
      min(array[private.iso(found.at), found.id]) filter (where found.is_last)
    from (%s) found cross join lateral (
      select * from public.request_log logged_request
      where logged_request.tenant_id = $3 and logged_request.id = found.id
        and logged_request.at = found.at offset 0
    ) r
  $q$, private.request_page_statement(input, concat_ws(' and ', private.request_log_range(input),
    case when input -> 'after' ->> 0 is not null
      then format('(r.at, r.id) < (%L::timestamptz, %L)', input -> 'after' ->> 0,
        input -> 'after' ->> 1) end)))
  into items, looked_at
  using page_size + 1, private.max_looked_at(0.1), private.tenant_id();
  return private.page_up_to(looked_at, items, page_size, 'at', 'id')
    || jsonb_build_object('as_of', private.iso(now()));
end $function$;
CREATE OR REPLACE FUNCTION public.get_request_stats(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  until constant timestamptz := coalesce((input ->> 'until')::timestamptz, now());
  since constant timestamptz := coalesce((input ->> 'since')::timestamptz,
    until - interval '1 day');
  step constant interval := private.chart_step(until - since);
  steps jsonb;
begin
  perform private.begin_request(request, 'get_request_stats');
  execute format($q$
    select jsonb_agg(jsonb_build_object(
      'start', private.iso(s.start), 'calls', s.calls, 'client_errors', s.client_errors,
      'server_errors', s.server_errors,
      'p50_ms', s.times[1], 'p99_ms', s.times[2]
    ) order by s.start)
    from (
      select date_bin($1, r.at, 'epoch') as start, count(*) as calls,
        count(*) filter (where r.status between 400 and 499) as client_errors,
        count(*) filter (where r.status >= 500) as server_errors,
        percentile_disc('{0.5,0.99}'::double precision[]) within
          group (order by r.duration_ms) as times
      from public.request_log r where r.tenant_id = $2 and %s and %s group by 1
    ) s
  $q$, private.request_log_range(jsonb_build_object('since', private.iso(since),
    'until', private.iso(until))), private.request_log_filters(input))
  into steps using step, private.tenant_id();
  return jsonb_build_object(
    'as_of', private.iso(now()), 'since', private.iso(since), 'until', private.iso(until),
    'step_seconds', extract(epoch from step)::integer, 'steps', coalesce(steps, '[]')
  );
end $function$;
grant execute on function private.delivery_filters(jsonb) to authenticated;
grant execute on function private.delivery_range(jsonb) to authenticated;
grant execute on function private.request_log_filters(jsonb) to authenticated;
grant execute on function private.request_log_range(jsonb) to authenticated;
grant execute on function private.request_page_statement(jsonb,text) to authenticated;
