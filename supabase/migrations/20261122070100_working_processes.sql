-- Background processes that do their work, by kind. One that lives and does nothing does not beat; one that is silent for 20 s is dead.

alter table private.worker_heartbeats rename to heartbeats;
alter table private.heartbeats rename constraint worker_heartbeats_pkey to heartbeats_pkey;
alter table private.heartbeats add column kind text not null default 'worker';
alter table private.heartbeats alter column kind drop default;

-- `pool`: by which graphile-worker knows the process's jobs. Answers which processes of its kind beat lately, this one included.
drop function private.beat(text);
create function private.beat(pool text, kind text) returns text[]
language sql volatile security definer set search_path = '' as $$
  insert into private.heartbeats (pool, kind) values ($1, $2)
  on conflict on constraint heartbeats_pkey do update set beat_at = now();
  select array_agg(h.pool) from private.heartbeats h where h.kind = $2 and h.beat_at > now() - interval '10 seconds';
$$;

-- Forgets the processes that fell silent and names their pools, so that the caller can free their jobs.
create or replace function private.bury_silent_pools() returns setof text
language sql volatile security definer set search_path = '' as $$
  delete from private.heartbeats where beat_at < now() - interval '20 seconds' returning pool;
$$;

grant execute on function private.beat(text, text) to service_role;

-- { read_only, working: how many processes of each kind beat within 15 s }
create or replace function public.readiness() returns jsonb
language sql volatile set search_path = '' as $$
  select jsonb_build_object(
    'read_only', pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on',
    'working', (
      select coalesce(jsonb_object_agg(kind, processes), '{}')
      from (select kind, count(*) as processes from private.heartbeats where beat_at > now() - interval '15 seconds' group by kind) b
    )
  );
$$;

create or replace function private.service_metrics() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
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
$$;
