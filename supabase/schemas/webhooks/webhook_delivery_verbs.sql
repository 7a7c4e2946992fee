-- Deliveries over the wire: what was sent, how the receiver responded, and sending it again.

-- On the wire `pending` is one of three: pending (not tried yet), sending, retrying (waiting for
-- its next try).
create function private.delivery_status(delivery public.webhook_deliveries) returns text
language plpgsql stable set search_path = '' as $$
begin
  return case
    when delivery.status <> 'pending' then delivery.status
    when delivery.lease is not null and delivery.next_attempt_at > now() then 'sending'
    when delivery.attempt_count > 0 then 'retrying'
    else 'pending'
  end;
end $$;

create function private.attempt_json(attempt public.webhook_attempts) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'number', attempt.number, 'cause', attempt.cause, 'status', attempt.status,
    'failure_kind', attempt.failure_kind,
    'detail', attempt.detail,
    'started_at', private.iso(attempt.started_at), 'duration_ms', attempt.duration_ms,
    'status_code', attempt.status_code
  );
end $$;

create function private.delivery_json(delivery public.webhook_deliveries,
  last_attempt public.webhook_attempts) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  wire_status constant text := private.delivery_status(delivery);
begin
  return jsonb_build_object(
    'id', delivery.id, 'webhook_id', delivery.webhook_id, 'event_id', delivery.event_id,
    'type', delivery.type,
    'status', wire_status, 'failure_kind', delivery.failure_kind,
    'reason', case
      when wire_status = 'retrying' then last_attempt.detail
      when delivery.failure_kind = 'retries_exhausted' then concat_ws(' ',
        format('All %s attempts failed.', delivery.attempt_count), last_attempt.detail)
      when delivery.failure_kind = 'webhook_disabled'
        then concat_ws(' ', 'The webhook was disabled.',
        last_attempt.detail)
    end,
    'attempt_count', delivery.attempt_count,
    'next_attempt_at',
    case when wire_status in ('pending', 'retrying') then private.iso(delivery.next_attempt_at) end,
    'created_at', private.iso(delivery.created_at),
    'delivered_at', private.iso(delivery.delivered_at),
    'last_attempt',
    case when last_attempt.id is not null then private.attempt_json(last_attempt) end
  );
end $$;

create function private.delivery_json(delivery public.webhook_deliveries) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  last_attempt public.webhook_attempts;
begin
  select * into last_attempt from public.webhook_attempts attempt
  where attempt.tenant_id = delivery.tenant_id and attempt.delivery_id = delivery.id
  order by attempt.number desc limit 1;
  return private.delivery_json(delivery, last_attempt);
end $$;

-- Refuses: not_found.
create function private.find_delivery(webhook_id text, id text) returns public.webhook_deliveries
language plpgsql stable set search_path = '' as $$
declare
  delivery public.webhook_deliveries;
begin
  select * into delivery
  from public.webhook_deliveries
  where webhook_deliveries.tenant_id = private.tenant_id() and webhook_deliveries.id = $2
    and webhook_deliveries.webhook_id = $1
    and webhook_deliveries.created_at > now() - interval '30 days';
  if not found then
    perform private.refuse_missing('delivery');
  end if;
  return delivery;
end $$;

-- The deliveries that a page is read from, as SQL: a range of the index by ID. An ID begins with
-- the time of the event, created_at is the start of its transaction, and none lasts an hour. input:
-- { after: [id] | null, webhook_id, since, until }.
create function private.delivery_range(input jsonb) returns text
language plpgsql stable set search_path = '' as $$
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
end $$;

-- The filters of a page of deliveries as SQL. input: { status, type, event_id, request_id, since,
-- until }.
create function private.delivery_filters(input jsonb) returns text
language plpgsql stable set search_path = '' as $$
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
end $$;

-- Newest first. input: { limit, … as private.delivery_range and private.delivery_filters }. Indexes
-- find the deliveries of an event or of a request, and those of a webhook that failed. For other
-- filters a limited number of deliveries is examined, and the list goes on behind the last of them.
create function private.deliveries_page(input jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
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
end $$;

-- One webhook's. input: { id, … as private.deliveries_page }. Refuses: not_found.
create function public.list_webhook_deliveries(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.begin_request(request, 'list_webhook_deliveries');
  return private.deliveries_page(input
    || jsonb_build_object('webhook_id', (private.find_webhook(input ->> 'id')).id));
end $$;

-- Every webhook's. input: as private.deliveries_page.
create function public.list_deliveries(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.begin_request(request, 'list_deliveries');
  return private.deliveries_page(input);
end $$;

-- Attempts and response times by hour of the last 7 days, without the hours that had none. For all
-- webhooks if `webhook_id` is null. Planned at every call: one plan for both cases would read every
-- webhook's attempts for a single one.
create function private.attempts_by_hour(webhook_id text) returns jsonb
language plpgsql stable set search_path = '' set plan_cache_mode = 'force_custom_plan' as $$
begin
  return jsonb_build_object('as_of', private.iso(now()), 'hours', coalesce((
    with counted as (
      select answer_time.hour, answer_time.succeeded, answer_time.bucket,
        sum(answer_time.attempts) as attempts,
        sum(
          sum(answer_time.attempts)) filter (
            where answer_time.bucket >= 0) over (partition by answer_time.hour
            order by answer_time.bucket) as up_to,
        sum(sum(answer_time.attempts)) filter (where answer_time.bucket
          >= 0) over (partition by answer_time.hour) as total
      from public.webhook_answer_times answer_time
      where answer_time.tenant_id = private.tenant_id()
        and (attempts_by_hour.webhook_id is null
        or answer_time.webhook_id = attempts_by_hour.webhook_id)
        and answer_time.hour > now() - interval '7 days'
      group by answer_time.hour, answer_time.succeeded, answer_time.bucket
    )
    select jsonb_agg(hour_slot.found order by hour_slot.hour) from (
      select counted.hour, jsonb_build_object(
        'start', private.iso(counted.hour),
        'succeeded', coalesce(sum(counted.attempts) filter (where counted.succeeded), 0),
        'failed', coalesce(sum(counted.attempts) filter (where not counted.succeeded), 0),
        'p50_ms', round(
          1.1 ^ (min(counted.bucket) filter (where counted.bucket >= 0
            and counted.up_to >= counted.total * 0.5) + 0.5)),
        'p95_ms', round(
          1.1 ^ (min(counted.bucket) filter (where counted.bucket >= 0
            and counted.up_to >= counted.total * 0.95) + 0.5))
      ) as found
      from counted group by counted.hour
    ) hour_slot
  ), '[]'));
end $$;

-- One webhook's. input: { id }. Refuses: not_found.
create function public.get_webhook_stats(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.begin_request(request, 'get_webhook_stats');
  return private.attempts_by_hour((private.find_webhook(input ->> 'id')).id);
end $$;

-- Every webhook's, together. input: {}.
create function public.get_delivery_stats(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' set statement_timeout = '4s' as $$
begin
  perform private.begin_request(request, 'get_delivery_stats');
  return private.attempts_by_hour(null);
end $$;

-- input: { id, delivery_id }. The payload, and the response, which may repeat it, are null where
-- the caller may not read events of its kind. Refuses: not_found.
create function public.get_webhook_delivery(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  delivery public.webhook_deliveries;
begin
  perform private.begin_request(request, 'get_webhook_delivery');
  perform private.find_webhook(input ->> 'id');
  delivery := private.find_delivery(input ->> 'id', input ->> 'delivery_id');
  return private.delivery_json(delivery) || jsonb_build_object(
    'payload', (
      select jsonb_build_object('type', event.type, 'timestamp', private.iso(event.at),
        'data', event.data)
        || case when event.test_of is not null then '{"test": true}' else '{}'::jsonb end
      from public.events event where event.tenant_id = delivery.tenant_id
        and event.id = delivery.event_id
    ),
    'request_id', (select event.request_id from public.events event
      where event.tenant_id = delivery.tenant_id and event.id = delivery.event_id),
    'attempts', coalesce((
      select jsonb_agg(private.attempt_json(attempt) || jsonb_build_object(
        'response', case when attempt.status_code is not null
          and delivery.type = any (private.readable_events()) then jsonb_build_object(
          'headers', coalesce(attempt.response_headers, '{}'),
          'body', coalesce(attempt.response_body, ''),
          'truncated', coalesce(attempt.response_truncated, false)
        ) end
      ) order by attempt.number)
      from public.webhook_attempts attempt where attempt.tenant_id = delivery.tenant_id
        and attempt.delivery_id = delivery.id
    ), '[]')
  );
end $$;

-- Marks attempts whose lease has expired as interrupted: their result will never arrive. There are
-- seldom any.
create function private.interrupt_lapsed_attempts(webhook_ids text[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  lapsed record;
begin
  for lapsed in
    select delivery.tenant_id, delivery.id, delivery.lease from public.webhook_deliveries delivery
    where delivery.lease is not null and delivery.next_attempt_at <= now()
      and delivery.webhook_id = any (webhook_ids)
      and delivery.tenant_id = coalesce(private.tenant_id(), delivery.tenant_id)
  loop
    update public.webhook_attempts attempt
    set status = 'interrupted', duration_ms = extract(epoch from now() - attempt.started_at) * 1000,
      detail = 'The worker that made this attempt stopped responding.'
    where attempt.tenant_id = lapsed.tenant_id and attempt.delivery_id = lapsed.id
      and attempt.id = lapsed.lease
      and attempt.status = 'in_flight';
  end loop;
end $$;

-- Requeues the deliveries that the caller may see, from the start of the retry schedule, except
-- those being sent. Returns how many.
create function private.requeue_deliveries(webhook_id text, ids text[], cause text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  requeued bigint;
begin
  perform private.interrupt_lapsed_attempts(array[$1]);
  update public.webhook_deliveries delivery set
    status = 'pending', failure_kind = null, failure_count = 0, cause = $3, next_attempt_at = now(),
    lease = null
  where delivery.tenant_id = private.tenant_id() and delivery.id = any (ids)
    and delivery.webhook_id = $1
    and (delivery.lease is null or delivery.next_attempt_at <= now());
  get diagnostics requeued = row_count;
  if requeued > 0 then
    perform private.notify_webhook_worker($1);
  end if;
  return requeued;
end $$;

-- input: { id, delivery_id }. Refuses: not_found; conflict while it is being sent, or for a
-- disabled webhook.
create function public.resend_webhook_delivery(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'resend_webhook_delivery');
  delivery public.webhook_deliveries;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.require_active_webhook(private.lock_webhook(input ->> 'id'));
  delivery := private.find_delivery(input ->> 'id', input ->> 'delivery_id');
  if private.requeue_deliveries(delivery.webhook_id, array[delivery.id], 'resend') = 0 then
    perform private.refuse_conflict('delivery_under_way',
      'This delivery is being sent. Wait for its result.');
  end if;
  return private.finish_request(request,
    private.delivery_json(private.find_delivery(delivery.webhook_id, delivery.id)));
end $$;

-- input: { id, since, dry_run }. Missed deliveries are those that failed for good, or have failed
-- so far and wait for a retry. Refuses: not_found; conflict for a disabled webhook, unless with
-- dry_run. Records: webhook.recovered.
create function public.recover_webhook(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'recover_webhook');
  since constant timestamptz := (input ->> 'since')::timestamptz;
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  oldest constant timestamptz := greatest(since, now() - interval '30 days');
  webhook public.webhooks;
  missed text[];
  recovered bigint;
begin
  if replayed is not null then
    return replayed;
  end if;
  webhook := private.lock_webhook(input ->> 'id');
  if not dry_run then
    perform private.require_active_webhook(webhook);
  end if;
  missed := array(
    select delivery.id from public.webhook_deliveries delivery
    where delivery.tenant_id = webhook.tenant_id and delivery.webhook_id = webhook.id
      and delivery.created_at >= oldest
      and delivery.status = 'failed'
    union all
    select delivery.id from public.webhook_deliveries delivery
    where delivery.tenant_id = webhook.tenant_id and delivery.webhook_id = webhook.id
      and delivery.created_at >= oldest
      and delivery.status = 'pending'
      and private.delivery_status(delivery) = 'retrying'
  );
  recovered := case when dry_run then cardinality(missed)
    else private.requeue_deliveries(webhook.id, missed, 'recover') end;
  if not dry_run and recovered > 0 then
    perform private.record_security_event('webhook.recovered', webhook.id, null,
      jsonb_build_object('since', private.iso(since), 'count', recovered));
  end if;
  return private.finish_request(request,
    jsonb_build_object('since', private.iso(since), 'dry_run', dry_run, 'count', recovered));
end $$;

grant execute on function
  private.delivery_range(jsonb), private.delivery_filters(jsonb),
  private.delivery_status(public.webhook_deliveries), private.attempt_json(public.webhook_attempts),
  private.delivery_json(public.webhook_deliveries, public.webhook_attempts),
  private.delivery_json(public.webhook_deliveries),
  private.deliveries_page(jsonb), private.find_delivery(text, text), private.attempts_by_hour(text)
to authenticated;
