-- Claiming: which deliveries are due, and their lease. For the worker alone.

create function private.fail_deliveries_of_inactive(webhook_ids text[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  inactive constant text[] := array(select w.id from public.webhooks w
    where w.id = any (webhook_ids) and (w.status <> 'active' or w.deleted_at is not null));
begin
  if cardinality(inactive) > 0 then
    update public.webhook_deliveries d
    set status = 'failed', failure_kind = 'webhook_disabled', next_attempt_at = null, lease = null
    where d.webhook_id = any (inactive) and d.status = 'pending' and d.next_attempt_at <= now();
  end if;
end $$;

-- The deliveries of these webhooks that may be sent now, `room` at most: within the cap of each
-- webhook, its rate, and what its tenant may have beyond the first of each webhook.
create function private.deliveries_to_send(webhook_ids text[], room integer)
returns table (tenant_id text, id text, url text, place bigint, webhook_id text)
language plpgsql volatile set search_path = '' as $$
#variable_conflict use_column
begin
  return query
  with asked as (
    select w.id, w.tenant_id, w.url, case when w.failing_since is null then 20 else 2 end as cap,
      -- Null without a limit, which least() ignores.
      case when w.max_per_minute is not null then
        greatest(0, w.max_per_minute - coalesce(r.attempts, 0)) end as left_this_minute
    from public.webhooks w
    left join private.webhook_rates r on r.tenant_id = w.tenant_id and r.webhook_id = w.id
      and r.minute = date_trunc('minute', now())
    where w.id = any (webhook_ids) and w.status = 'active' and w.deleted_at is null
  ), busy as (
    select d.tenant_id, d.webhook_id, count(*) as deliveries from public.webhook_deliveries d
    where d.lease is not null and d.next_attempt_at > now()
      and d.tenant_id in (select tenant_id from asked)
    group by 1, 2
  ), due as (
    select a.tenant_id, a.id as webhook_id, a.url, d.id, d.event_id, d.next_attempt_at,
      coalesce(b.deliveries, 0)
        + row_number() over (partition by a.id order by d.next_attempt_at) as place
    from asked a
    left join busy b on b.webhook_id = a.id
    cross join lateral (
      select x.id, x.event_id, x.next_attempt_at from public.webhook_deliveries x
      where x.webhook_id = a.id and x.status = 'pending' and x.next_attempt_at <= now()
      order by x.next_attempt_at
      limit least(a.left_this_minute, greatest(0, a.cap - coalesce(b.deliveries, 0)))
      for no key update skip locked
    ) d
  ), ranked as (
    select *,
      coalesce((select sum(b.deliveries - 1) from busy b where b.tenant_id = due.tenant_id), 0)
      + count(*) filter (where place > 1) over (partition by tenant_id order by place,
        next_attempt_at, id) as beyond_the_first
    from due
  ), first as (
    select * from ranked where place = 1 or beyond_the_first <= 200
    order by place, next_attempt_at limit room
  )
  select f.tenant_id, f.id, f.url, f.place, f.webhook_id from first f;
end $$;

-- Counts attempts of webhooks with a rate, one per element.
create function private.count_rated_attempts(tenants text[], webhook_ids text[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into private.webhook_rates as r (tenant_id, webhook_id, minute, attempts)
  select w.tenant_id, w.id, date_trunc('minute', now()), count(*)
  from unnest(tenants, webhook_ids) as c (tenant_id, webhook_id)
  join public.webhooks w on w.tenant_id = c.tenant_id and w.id = c.webhook_id
    and w.max_per_minute is not null
  group by w.tenant_id, w.id
  on conflict (tenant_id, webhook_id) do update set
    attempts = excluded.attempts + case when r.minute = excluded.minute then r.attempts else 0 end,
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
    update public.webhook_deliveries d set
      lease = nextval('public.webhook_attempts_id_seq'),
      next_attempt_at = now() + interval '23 seconds', attempt_count = d.attempt_count + 1
    from unnest(tenants, ids, urls, places) as c (tenant_id, id, url, place)
    where d.tenant_id = c.tenant_id and d.id = c.id
    returning d.id, d.tenant_id, d.webhook_id, d.event_id, d.lease, d.attempt_count, d.cause, c.url,
      c.place
  ), begun as (
    insert into public.webhook_attempts (id, tenant_id, delivery_id, number, cause)
    select l.lease, l.tenant_id, l.id, l.attempt_count, l.cause from leased l
  )
  select l.lease, l.id, l.webhook_id, l.tenant_id, l.event_id, l.url,
    format('{"type":%s,"timestamp":%s,%s"data":%s}', to_json(e.type), to_json(private.iso(e.at)),
      case when e.test_of is not null then '"test":true,' end, e.data),
    (
      select jsonb_agg(jsonb_build_object('id', s.id, 'sealed', s.sealed)
      order by s.created_at desc)
      from private.webhook_secrets s
      where s.tenant_id = l.tenant_id and s.webhook_id = l.webhook_id
        and (s.expires_at is null or s.expires_at > now())
    ),
    floor(extract(epoch from clock_timestamp()))::bigint, e.type, e.request_id,
    (
      select jsonb_agg(jsonb_build_object('name', h.name, 'id', h.id, 'sealed', h.sealed))
      from private.webhook_headers h
      where h.tenant_id = l.tenant_id and h.webhook_id = l.webhook_id
    ),
    (
      select w.oauth || jsonb_build_object('id', c.id, 'sealed', c.sealed)
      from private.webhook_clients c
      join public.webhooks w on w.tenant_id = c.tenant_id and w.id = c.webhook_id
      where c.tenant_id = l.tenant_id and c.webhook_id = l.webhook_id
    )
  from leased l join public.events e on e.tenant_id = l.tenant_id and e.id = l.event_id
  order by l.place;
end $$;

-- Takes up to `room` due deliveries of the named webhooks for 23 seconds. Caps, so that a receiver
-- that hangs costs others nothing: 20 at once per webhook, 2 while it fails; 200 per tenant, beyond
-- the first of each webhook, which is always let through. Each settled
-- delivery leads to another claim for its webhook, so a claim that a cap cut short is never
-- forgotten. A webhook with a limit gets what is left of its minute; private.overdue_webhooks finds
-- it in the next.
create function private.claim_webhook_deliveries(webhook_ids text[], room integer)
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
  select array_agg(f.tenant_id) as tenants, array_agg(f.id) as ids, array_agg(f.url) as urls,
    array_agg(f.place) as places, array_agg(f.webhook_id) as webhook_ids
  into chosen from private.deliveries_to_send(webhook_ids, room) f;
  if chosen.ids is null then
    return;
  end if;
  perform private.count_rated_attempts(chosen.tenants, chosen.webhook_ids);
  return query select * from private.begin_attempts(chosen.tenants, chosen.ids, chosen.urls,
    chosen.places);
end $$;
