-- What a dead worker held is taken over within 30 s: a lease of 23, found by a sweep every 2.

-- Takes up to `room` due deliveries of the named webhooks for 23 seconds. Caps, so that a receiver that hangs costs nobody
-- else a thing: 20 at once per webhook, 2 while it fails; 200 per tenant, beyond the first of each webhook, which is always let
-- through. Whoever settles a delivery claims for its webhook again, so a claim that a cap cut short is never forgotten.
create or replace function private.claim_webhook_deliveries(webhook_ids text[], room integer)
returns table (
  attempt_id bigint, delivery_id text, webhook_id text, tenant_id text, event_id text, url text, body text, secrets jsonb, sent_at bigint
)
-- Planned once a connection, and by indexes, whatever the tables looked like then: planning costs more than claiming.
language plpgsql volatile set search_path = '' set plan_cache_mode = 'force_generic_plan'
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  inactive text[];
begin
  -- One claim at a time: the caps hold over all workers.
  perform pg_advisory_xact_lock(hashtextextended('tieout.claim_webhook_deliveries', 0));

  perform private.interrupt_lapsed_attempts(webhook_ids);
  inactive := array(select w.id from public.webhooks w where w.id = any (webhook_ids) and (w.status <> 'active' or w.deleted_at is not null));
  if cardinality(inactive) > 0 then
    update public.webhook_deliveries d set status = 'failed', failure_kind = 'webhook_disabled', next_attempt_at = null, lease = null
    where d.webhook_id = any (inactive) and d.status = 'pending' and d.next_attempt_at <= now();
  end if;

  return query
  with asked as (
    select w.id, w.tenant_id, w.url, case when w.failing_since is null then 20 else 2 end as cap
    from public.webhooks w
    where w.id = any (webhook_ids) and w.status = 'active' and w.deleted_at is null
  ), busy as (
    select d.tenant_id, d.webhook_id, count(*) as deliveries from public.webhook_deliveries d
    where d.lease is not null and d.next_attempt_at > now() and d.tenant_id in (select tenant_id from asked)
    group by 1, 2
  ), due as (
    select a.tenant_id, a.id as webhook_id, a.url, d.id, d.next_attempt_at,
      coalesce(b.deliveries, 0) + row_number() over (partition by a.id order by d.next_attempt_at) as place
    from asked a
    left join busy b on b.webhook_id = a.id
    cross join lateral (
      select x.id, x.next_attempt_at from public.webhook_deliveries x
      where x.webhook_id = a.id and x.status = 'pending' and x.next_attempt_at <= now()
      order by x.next_attempt_at limit greatest(0, a.cap - coalesce(b.deliveries, 0))
      for no key update skip locked
    ) d
  ), ranked as (
    select *, coalesce((select sum(b.deliveries - 1) from busy b where b.tenant_id = due.tenant_id), 0)
      + count(*) filter (where place > 1) over (partition by tenant_id order by place, next_attempt_at, id) as beyond_the_first
    from due
  ), chosen as (
    select * from ranked where place = 1 or beyond_the_first <= 200
    order by place, next_attempt_at limit room
  ), leased as (
    update public.webhook_deliveries d set
      lease = nextval('public.webhook_attempts_id_seq'), next_attempt_at = now() + interval '23 seconds', attempt_count = d.attempt_count + 1
    from chosen c where d.id = c.id
    returning d.id, d.tenant_id, d.webhook_id, d.event_id, d.lease, d.attempt_count, d.cause, c.url, c.place
  ), begun as (
    insert into public.webhook_attempts (id, tenant_id, delivery_id, number, cause)
    select l.lease, l.tenant_id, l.id, l.attempt_count, l.cause from leased l
  )
  select l.lease, l.id, l.webhook_id, l.tenant_id, l.event_id, l.url,
    format('{"type":%s,"timestamp":%s,"data":%s}', to_json(e.type), to_json(private.iso(e.at)), e.data),
    (
      select jsonb_agg(jsonb_build_object('id', s.id, 'sealed', s.sealed) order by s.created_at desc)
      from private.webhook_secrets s
      where s.tenant_id = l.tenant_id and s.webhook_id = l.webhook_id and (s.expires_at is null or s.expires_at > now())
    ),
    floor(extract(epoch from clock_timestamp()))::bigint
  from leased l join public.events e on e.id = l.event_id
  order by l.place;
end $$;

-- Webhooks with something due for a second, which no bell or timer saw to: a worker died, or its lease is over.
create or replace function private.overdue_webhooks() returns setof text
language sql stable set search_path = '' as $$
  with recursive waiting as (
    (select d.webhook_id, d.next_attempt_at from public.webhook_deliveries d where d.status = 'pending'
      order by d.webhook_id, d.next_attempt_at limit 1)
    union all
    select n.webhook_id, n.next_attempt_at from waiting w cross join lateral (
      select d.webhook_id, d.next_attempt_at from public.webhook_deliveries d
      where d.status = 'pending' and d.webhook_id > w.webhook_id
      order by d.webhook_id, d.next_attempt_at limit 1
    ) n
  )
  select webhook_id from waiting where next_attempt_at <= now() - interval '1 second';
$$;
