-- Claiming: which deliveries are due, and their lease. For the worker alone.

create function private.fail_deliveries_of_inactive(webhook_ids text[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  inactive constant text[] := array(select webhook.id from public.webhooks webhook
    where webhook.id = any (webhook_ids)
      and (webhook.status <> 'active' or webhook.deleted_at is not null));
begin
  if cardinality(inactive) > 0 then
    update public.webhook_deliveries delivery
    set status = 'failed', failure_kind = 'webhook_disabled', next_attempt_at = null, lease = null
    where delivery.webhook_id = any (inactive) and delivery.status = 'pending'
      and delivery.next_attempt_at <= now();
  end if;
end $$;

-- The deliveries of these webhooks that may be sent now, `max_count` at most: within each webhook's
-- concurrency cap and rate, and within its tenant's share beyond the first delivery of each
-- webhook.
create function private.deliveries_to_send(webhook_ids text[], max_count integer)
returns table (tenant_id text, id text, url text, place bigint, webhook_id text)
language plpgsql volatile set search_path = '' as $$
#variable_conflict use_column
begin
  return query
  with requested as (
    select webhook.id, webhook.tenant_id, webhook.url,
      case when webhook.failing_since is null then 20 else 2 end as cap,
      -- Null without a limit, which least() ignores.
      case when webhook.max_per_minute is not null then
        greatest(0, webhook.max_per_minute - coalesce(rate.attempts, 0)) end as left_this_minute
    from public.webhooks webhook
    left join private.webhook_rates rate on rate.tenant_id = webhook.tenant_id
      and rate.webhook_id = webhook.id and rate.minute = date_trunc('minute', now())
    where webhook.id = any (webhook_ids) and webhook.status = 'active'
      and webhook.deleted_at is null
  ), busy as (
    select delivery.tenant_id, delivery.webhook_id, count(*) as deliveries
    from public.webhook_deliveries delivery
    where delivery.lease is not null and delivery.next_attempt_at > now()
      and delivery.tenant_id in (select tenant_id from requested)
    group by 1, 2
  ), due as (
    select webhook_asked.tenant_id, webhook_asked.id as webhook_id, webhook_asked.url, delivery.id,
      delivery.event_id, delivery.next_attempt_at, coalesce(load.deliveries, 0)
        + row_number() over (partition by webhook_asked.id
          order by delivery.next_attempt_at) as place
    from requested webhook_asked
    left join busy load on load.webhook_id = webhook_asked.id
    cross join lateral (
      select pending.id, pending.event_id, pending.next_attempt_at
      from public.webhook_deliveries pending
      where pending.webhook_id = webhook_asked.id and pending.status = 'pending'
        and pending.next_attempt_at <= now()
      order by pending.next_attempt_at
      limit least(webhook_asked.left_this_minute,
        greatest(0, webhook_asked.cap - coalesce(load.deliveries, 0)))
      for no key update skip locked
    ) delivery
  ), ranked as (
    select *,
      coalesce((select sum(load.deliveries - 1) from busy load
        where load.tenant_id = due.tenant_id), 0)
      + count(*) filter (where place > 1) over (partition by tenant_id order by place,
        next_attempt_at, id) as beyond_the_first
    from due
  ), first as (
    select * from ranked where place = 1 or beyond_the_first <= 200
    order by place, next_attempt_at limit max_count
  )
  select chosen.tenant_id, chosen.id, chosen.url, chosen.place, chosen.webhook_id from first chosen;
end $$;

-- Counts attempts of webhooks with a rate, one per element.
create function private.count_rated_attempts(tenants text[], webhook_ids text[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into private.webhook_rates as rate (tenant_id, webhook_id, minute, attempts)
  select webhook.tenant_id, webhook.id, date_trunc('minute', now()), count(*)
  from unnest(tenants, webhook_ids) as counted (tenant_id, webhook_id)
  join public.webhooks webhook on webhook.tenant_id = counted.tenant_id
    and webhook.id = counted.webhook_id
    and webhook.max_per_minute is not null
  group by webhook.tenant_id, webhook.id
  on conflict (tenant_id, webhook_id) do update set
    attempts = excluded.attempts + case when rate.minute = excluded.minute then rate.attempts
      else 0 end,
    minute = excluded.minute;
end $$;

-- Leases the deliveries for 23 seconds and begins an attempt of each; returns what to send.
create function private.begin_attempts(tenants text[], ids text[], urls text[], places bigint[])
returns table (
  attempt_id bigint, delivery_id text, webhook_id text, tenant_id text, event_id text, url text,
  body text, secrets jsonb, sent_at bigint,
  type text, request_id text, headers jsonb, oauth jsonb
)
language plpgsql volatile set search_path = '' as $$
#variable_conflict use_column
begin
  return query
  with leased as (
    update public.webhook_deliveries delivery set
      lease = nextval('public.webhook_attempts_id_seq'),
      next_attempt_at = now() + interval '23 seconds', attempt_count = delivery.attempt_count + 1
    from unnest(tenants, ids, urls, places) as claim (tenant_id, id, url, place)
    where delivery.tenant_id = claim.tenant_id and delivery.id = claim.id
    returning delivery.id, delivery.tenant_id, delivery.webhook_id, delivery.event_id,
      delivery.lease, delivery.attempt_count, delivery.cause, claim.url, claim.place
  ), begun as (
    insert into public.webhook_attempts (id, tenant_id, delivery_id, number, cause)
    select lease_taken.lease, lease_taken.tenant_id, lease_taken.id, lease_taken.attempt_count,
      lease_taken.cause from leased lease_taken
  )
  select lease_taken.lease, lease_taken.id, lease_taken.webhook_id, lease_taken.tenant_id,
    lease_taken.event_id, lease_taken.url,
    format('{"type":%s,"timestamp":%s,%s"data":%s}', to_json(event.type),
      to_json(private.iso(event.at)),
      case when event.test_of is not null then '"test":true,' end, event.data),
    (
      select jsonb_agg(jsonb_build_object('id', secret.id, 'sealed', secret.sealed)
      order by secret.created_at desc)
      from private.webhook_secrets secret
      where secret.tenant_id = lease_taken.tenant_id and secret.webhook_id = lease_taken.webhook_id
        and (secret.expires_at is null or secret.expires_at > now())
    ),
    floor(extract(epoch from clock_timestamp()))::bigint, event.type, event.request_id,
    (
      select jsonb_agg(jsonb_build_object('name', header.name, 'id', header.id,
        'sealed', header.sealed))
      from private.webhook_headers header
      where header.tenant_id = lease_taken.tenant_id and header.webhook_id = lease_taken.webhook_id
    ),
    (
      select webhook.oauth || jsonb_build_object('id', client.id, 'sealed', client.sealed)
      from private.webhook_clients client
      join public.webhooks webhook on webhook.tenant_id = client.tenant_id
        and webhook.id = client.webhook_id
      where client.tenant_id = lease_taken.tenant_id and client.webhook_id = lease_taken.webhook_id
    )
  from leased lease_taken join public.events event on event.tenant_id = lease_taken.tenant_id
    and event.id = lease_taken.event_id
  order by lease_taken.place;
end $$;

-- Takes up to `room` due deliveries of the named webhooks for 23 seconds. Caps, so that a receiver
-- that hangs costs others nothing: 20 at once per webhook, 2 while it fails; 200 per tenant, beyond
-- the first of each webhook, which is always let through. Each settled
-- delivery leads to another claim for its webhook, so a claim that a cap cut short is never
-- forgotten. A webhook with a limit gets what is left of its minute; private.overdue_webhooks finds
-- it in the next.
create function private.claim_webhook_deliveries(webhook_ids text[], max_count integer)
returns table (
  attempt_id bigint, delivery_id text, webhook_id text, tenant_id text, event_id text, url text,
  body text, secrets jsonb, sent_at bigint,
  type text, request_id text, headers jsonb, oauth jsonb
)
-- Planned once a connection, and by indexes, whatever the tables looked like then: planning costs
-- more than claiming. By no bitmaps: they read again and again what other scans of an index leave
-- out for good, the places that deliveries had before they were claimed.
language plpgsql volatile set search_path = '' set plan_cache_mode = 'force_generic_plan'
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
  set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  chosen record;
begin
  -- One claim at a time: the caps hold over all workers.
  perform pg_advisory_xact_lock(hashtextextended('claim_webhook_deliveries', 0));
  perform private.interrupt_lapsed_attempts(webhook_ids);
  perform private.fail_deliveries_of_inactive(webhook_ids);
  select array_agg(delivery.tenant_id) as tenants, array_agg(delivery.id) as ids,
    array_agg(delivery.url) as urls,
    array_agg(delivery.place) as places, array_agg(delivery.webhook_id) as webhook_ids
  into chosen from private.deliveries_to_send(webhook_ids, max_count) delivery;
  if chosen.ids is null then
    return;
  end if;
  perform private.count_rated_attempts(chosen.tenants, chosen.webhook_ids);
  return query select * from private.begin_attempts(chosen.tenants, chosen.ids, chosen.urls,
    chosen.places);
end $$;
