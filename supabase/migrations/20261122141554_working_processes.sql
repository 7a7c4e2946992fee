-- Background processes that do their work, by kind: heartbeats of what works, a bell instead of a job per webhook, takeovers within 30 s.
drop function private.beat(text);
alter table private.worker_heartbeats rename to heartbeats;
alter table private.heartbeats rename constraint worker_heartbeats_pkey to heartbeats_pkey;
alter table private.heartbeats add column kind text not null default 'worker';
alter table private.heartbeats alter column kind drop default;

-- Nobody takes these any more.
select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs where task_identifier = 'deliver_webhook'));

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.ring(bell text, what text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform pg_notify('tieout', bell || ' ' || what);
end $function$;
CREATE OR REPLACE FUNCTION private.wake_webhook(webhook_id text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.ring('deliveries', webhook_id);
end $function$;
CREATE OR REPLACE FUNCTION private.claim_webhook_deliveries(webhook_ids text[], room integer)
 RETURNS TABLE(attempt_id bigint, delivery_id text, webhook_id text, tenant_id text, event_id text, url text, body text, secrets jsonb, sent_at bigint)
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
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
    from chosen c where d.tenant_id = c.tenant_id and d.id = c.id
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
  from leased l join public.events e on e.tenant_id = l.tenant_id and e.id = l.event_id
  order by l.place;
end $function$;
CREATE OR REPLACE FUNCTION private.overdue_webhooks()
 RETURNS SETOF text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
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
  select w.webhook_id from waiting w where w.next_attempt_at <= now() - interval '1 second';
end $function$;
CREATE OR REPLACE FUNCTION private.beat(pool text, kind text)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.heartbeats (pool, kind) values ($1, $2)
  on conflict on constraint heartbeats_pkey do update set beat_at = now();
  return array(select h.pool from private.heartbeats h where h.kind = $2 and h.beat_at > now() - interval '10 seconds');
end $function$;
CREATE OR REPLACE FUNCTION private.bury_silent_pools()
 RETURNS SETOF text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query delete from private.heartbeats h where h.beat_at < now() - interval '20 seconds' returning h.pool;
end $function$;
CREATE OR REPLACE FUNCTION public.readiness()
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'read_only', pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on',
    'working', (
      select coalesce(jsonb_object_agg(kind, processes), '{}')
      from (select kind, count(*) as processes from private.heartbeats where beat_at > now() - interval '15 seconds' group by kind) b
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION private.service_metrics()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'worker_silence_seconds', (select extract(epoch from now() - max(beat_at)) from private.heartbeats where kind = 'worker'),
    'sla_clock_lag_seconds', (
      select greatest(0, coalesce(extract(epoch from now() - min(next_at)), 0)) from private.exception_clocks where next_at is not null
    ),
    'webhooks', (
      select jsonb_build_object('active', count(*) filter (where status = 'active'), 'disabled', count(*) filter (where status = 'disabled'))
      from public.webhooks where deleted_at is null
    ),
    'deliveries', (
      select jsonb_build_object(
        'pending', count(*),
        'due', count(*) filter (where next_attempt_at <= now()),
        'lag_seconds', greatest(0, coalesce(extract(epoch from now() - min(next_attempt_at)), 0))
      )
      from public.webhook_deliveries where status = 'pending'
    ),
    'jobs', (
      select jsonb_build_object(
        'ready', count(*) filter (where attempts < max_attempts and run_at <= now()),
        'failed', count(*) filter (where attempts >= max_attempts)
      )
      from graphile_worker.jobs
    )
  );
end $function$;
grant execute on function private.beat(text,text) to service_role;
