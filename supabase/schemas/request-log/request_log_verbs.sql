-- Reading the request log: for admins of the tenant, and API keys with its scope.

-- Whether the caller may see the bodies of the operation's calls: they may call it, it is not
-- personal, and its response is the same for everyone who may call it. Deliveries and events differ
-- by which events the caller may read.
create function private.may_call(operation text) returns boolean
language plpgsql stable security definer set search_path = '' as $$
begin
  return operation is null or exists (
    select from private.operations
    where operations.operation = $1 and private.may(operations.permission)
      and operations.permission !~ ':(views|sessions|notifications)$'
      and (operations.operation not in ('getWebhookDelivery', 'getEvent', 'listEvents')
      or not exists (select from private.event_kinds event_kind
        where event_kind.kind <> all (private.readable_events())))
  );
end $$;

create function private.logged_request_json(logged_request public.request_log) returns jsonb
language plpgsql stable set search_path = '' as $$
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
end $$;

-- The span of time of a list as SQL, a range of the index by time. input: { since, until }.
create function private.request_log_range(input jsonb) returns text
language plpgsql stable set search_path = '' as $$
begin
  return concat_ws(' and ', 'true',
    case
      when input ->> 'since' is not null then format('r.at >= %L::timestamptz', input ->> 'since')
      end,
    case when input ->> 'until' is not null then format('r.at < %L::timestamptz', input ->> 'until')
      end
  );
end $$;

-- The other filters of a list as SQL. All but the resource are columns of the index by time. input:
-- { status, operation, credential, api_key_id, actor, error_code, resource }.
create function private.request_log_filters(input jsonb) returns text
language plpgsql stable set search_path = '' as $$
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
end $$;

-- The calls of a page as a statement: id, at, is_listed and is_last. Calls of the tenant $3 are
-- examined in the index by time, and only those that are listed are read. `is_last`: $2 calls were
-- examined, and the list goes on behind this one. A request ID and a resource have their own
-- indexes.
create function private.request_page_statement(input jsonb, range text) returns text
language plpgsql stable set search_path = '' as $$
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
end $$;

-- Newest first. input: { limit, after: [at, id] | null, request_id, … as
-- private.request_log_range and private.request_log_filters }. Without a sort: without statistics
-- of new partitions, the planner would read and sort all calls of the span.
create function public.list_requests(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set enable_sort = off set enable_seqscan = off
  set enable_bitmapscan = off set statement_timeout = '4s' as $$
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
end $$;

-- input: { id }. The bodies are null if private.may_call is false. Refuses: not_found.
create function public.get_request(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  logged_request public.request_log;
  readable boolean;
begin
  perform private.begin_request(request, 'get_request');
  select * into logged_request
  from public.request_log
  where request_log.tenant_id = private.tenant_id() and request_log.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('request');
  end if;
  readable := private.may_call(logged_request.operation);
  return private.logged_request_json(logged_request) || jsonb_build_object(
    'request', case when readable then logged_request.request end,
    'response', case when readable then logged_request.response end
  );
end $$;

-- The step of a chart over this span: some 60 to 120 steps, each of a usual length.
create function private.chart_step(span interval) returns interval
language plpgsql immutable set search_path = '' as $$
begin
  return case
    when span <= interval '2 hours' then interval '1 minute'
    when span <= interval '8 hours' then interval '5 minutes'
    when span <= interval '1 day' then interval '15 minutes'
    when span <= interval '4 days' then interval '1 hour'
    else interval '3 hours'
  end;
end $$;

-- Counts and response times by steps of private.chart_step, leaving out steps without calls. Steps
-- begin at whole multiples (UTC). input: as private.request_log_range, by default the last day, and
-- private.request_log_filters.
create function public.get_request_stats(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
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
end $$;

grant execute on function
  private.may_call(text), private.logged_request_json(public.request_log),
  private.request_log_range(jsonb), private.request_log_filters(jsonb),
  private.request_page_statement(jsonb, text), private.chart_step(interval)
to authenticated;
