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
    'query', case when private.may_call(logged_request.operation) then logged_request.query
      else '' end,
    'resource', logged_request.resource, 'status', logged_request.status,
    'error_code', logged_request.error_code, 'refused', logged_request.refused,
    'duration_ms', logged_request.duration_ms, 'credential', logged_request.credential,
    'actor', logged_request.actor, 'api_key_id', logged_request.api_key_id,
    'address', host(logged_request.address)
  );
end $$;

-- The conditions of a list's filters, as SQL. input: { status, operation, credential, api_key_id,
-- actor, error_code, resource, since, until }.
create function private.request_log_conditions(input jsonb) returns text
language plpgsql stable set search_path = '' as $$
declare
  wanted constant text := input ->> 'status';
begin
  return concat_ws(' and ',
    format('r.tenant_id = %L', private.tenant_id()),
    case when wanted = 'failed' then 'r.status >= 400'
      when wanted = 'refused' then 'r.status >= 400 and r.refused'
      when wanted is not null then format('r.status between %s and %s', left(wanted, 1) || '00',
        left(wanted, 1) || '99') end,
    (
      select string_agg(format('r.%I = %L', name, input ->> name), ' and ')
      from unnest('{operation,credential,api_key_id,actor,error_code,resource}'::text[]) name
        where input ->> name is not null
    ),
    case
      when input ->> 'since' is not null then format('r.at >= %L::timestamptz', input ->> 'since')
      end,
    case when input ->> 'until' is not null then format('r.at < %L::timestamptz', input ->> 'until')
      end
  );
end $$;

-- Newest first. input: { limit, after: [at, id] | null, request_id, … as
-- private.request_log_conditions }.
create function public.list_requests(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  items jsonb;
begin
  perform private.begin_request(request, 'list_requests');
  execute format($q$
    select jsonb_agg(private.logged_request_json(p.r) order by (p.r).at desc, (p.r).id desc)
    from (select r from public.request_log r where %s order by r.at desc, r.id desc limit $1 + 1) p
  $q$, concat_ws(' and ', private.request_log_conditions(input),
    case when input ->> 'request_id' is not null then format('r.id = %L', input ->> 'request_id')
      end,
    case when input -> 'after' ->> 0 is not null
      then format('(r.at, r.id) < (%L::timestamptz, %L)', input -> 'after' ->> 0,
        input -> 'after' ->> 1) end
  )) into items using page_size;
  return private.page(items, page_size, 'at', 'id')
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
-- begin at whole multiples (UTC). input: as private.request_log_conditions; without `since`, the
-- last day.
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
      from public.request_log r where %s group by 1
    ) s
  $q$,
  private.request_log_conditions(input
    || jsonb_build_object('since', private.iso(since), 'until', private.iso(until))))
  into steps using step;
  return jsonb_build_object(
    'as_of', private.iso(now()), 'since', private.iso(since), 'until', private.iso(until),
    'step_seconds', extract(epoch from step)::integer, 'steps', coalesce(steps, '[]')
  );
end $$;

grant execute on function
  private.may_call(text), private.logged_request_json(public.request_log),
  private.request_log_conditions(jsonb), private.chart_step(interval)
to authenticated;
