alter table public.request_log add column refused boolean not null default false;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.attempts_by_hour(webhook_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('as_of', private.iso(now()), 'hours', coalesce((
    with counted as (
      select t.hour, t.succeeded, t.bucket, sum(t.attempts) as attempts,
        sum(sum(t.attempts)) filter (where t.bucket >= 0) over (partition by t.hour order by t.bucket) as up_to,
        sum(sum(t.attempts)) filter (where t.bucket >= 0) over (partition by t.hour) as total
      from public.webhook_answer_times t
      where t.tenant_id = private.tenant_id() and (attempts_by_hour.webhook_id is null or t.webhook_id = attempts_by_hour.webhook_id)
        and t.hour > now() - interval '7 days'
      group by t.hour, t.succeeded, t.bucket
    )
    select jsonb_agg(h.found order by h.hour) from (
      select c.hour, jsonb_build_object(
        'start', private.iso(c.hour),
        'succeeded', coalesce(sum(c.attempts) filter (where c.succeeded), 0), 'failed', coalesce(sum(c.attempts) filter (where not c.succeeded), 0),
        'p50_ms', round(1.1 ^ (min(c.bucket) filter (where c.bucket >= 0 and c.up_to >= c.total * 0.5) + 0.5)),
        'p95_ms', round(1.1 ^ (min(c.bucket) filter (where c.bucket >= 0 and c.up_to >= c.total * 0.95) + 0.5))
      ) as found
      from counted c group by c.hour
    ) h
  ), '[]'));
end $function$;
CREATE OR REPLACE FUNCTION public.get_webhook_stats(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enter(request, 'get_webhook_stats');
  return private.attempts_by_hour((private.find_webhook(input ->> 'id')).id);
end $function$;
CREATE OR REPLACE FUNCTION public.get_delivery_stats(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
begin
  perform private.enter(request, 'get_delivery_stats');
  return private.attempts_by_hour(null);
end $function$;
CREATE OR REPLACE FUNCTION private.record_requests(batch uuid, rows jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  written integer;
begin
  insert into private.usage_batches (id) values (batch) on conflict do nothing;
  if not found then
    return 0;
  end if;
  perform private.open_request_log_day(d::date)
  from (
    select distinct date_trunc('day', (now() - make_interval(secs => (r ->> 'age_ms')::double precision / 1000)) at time zone 'UTC') as d
    from jsonb_array_elements(rows) r
  ) days;
  insert into public.request_log (id, tenant_id, at, operation, method, path, query, resource, status, error_code, duration_ms, credential,
    actor, api_key_id, address, request, response, refused)
  select r.id, t.id, now() - make_interval(secs => r.age_ms / 1000.0), r.operation, r.method, r.path, r.query, r.resource, r.status,
    r.error_code, r.duration_ms, r.credential, r.actor, coalesce(r.api_key_id, s.api_key_id), r.address, r.request, r.response,
    coalesce(r.refused, false)
  from jsonb_to_recordset(rows) as r (
    id text, tenant_id text, key_id text, age_ms bigint, operation text, method text, path text, query text, resource text, status smallint,
    error_code text, duration_ms integer, credential text, actor text, api_key_id text, address inet, request jsonb, response jsonb,
    refused boolean
  )
  left join private.api_key_secrets s on r.tenant_id is null and s.key_id = r.key_id
  join public.tenants t on t.id = coalesce(r.tenant_id, s.tenant_id);
  get diagnostics written = row_count;
  return written;
end $function$;
CREATE OR REPLACE FUNCTION private.logged_request_json(r public.request_log)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'id', r.id, 'at', private.iso(r.at), 'operation', r.operation, 'method', r.method, 'path', r.path, 'query', r.query,
    'resource', r.resource, 'status', r.status, 'error_code', r.error_code, 'refused', r.refused,
    'duration_ms', r.duration_ms, 'credential', r.credential,
    'actor', r.actor, 'api_key_id', r.api_key_id, 'address', host(r.address)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.request_log_conditions(input jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  wanted constant text := input ->> 'status';
begin
  return concat_ws(' and ',
    format('r.tenant_id = %L', private.tenant_id()),
    case when wanted = 'failed' then 'r.status >= 400'
      when wanted = 'refused' then 'r.status >= 400 and r.refused'
      when wanted is not null then format('r.status between %s and %s', left(wanted, 1) || '00', left(wanted, 1) || '99') end,
    (
      select string_agg(format('r.%I = %L', name, input ->> name), ' and ')
      from unnest('{operation,credential,api_key_id,actor,error_code,resource}'::text[]) name where input ->> name is not null
    ),
    case when input ->> 'since' is not null then format('r.at >= %L::timestamptz', input ->> 'since') end,
    case when input ->> 'until' is not null then format('r.at < %L::timestamptz', input ->> 'until') end
  );
end $function$;
grant execute on function private.attempts_by_hour(text) to authenticated;
grant execute on function public.get_delivery_stats(jsonb,jsonb) to authenticated;
insert into private.operations select ('(get_delivery_stats,getDeliveryStats,read:webhooks)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
