-- Health: which background processes work, whether the service is ready, and how far the background
-- work is behind.

-- By kind of process. A process that hangs does not beat; one that has been silent for 20 seconds
-- is dead.
create table private.heartbeats (
  pool text primary key,
  kind text not null,
  beat_at timestamptz(3) not null default now()
);
alter table private.heartbeats enable row level security;
grant select on private.heartbeats to service_role;

-- `pool`: the name by which graphile-worker knows the process's jobs. Returns the processes of the
-- kind that beat recently, including this one.
create function private.record_heartbeat(pool text, kind text) returns text[]
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into private.heartbeats (pool, kind) values ($1, $2)
  on conflict on constraint heartbeats_pkey do update set beat_at = now();
  return array(select heartbeat.pool from private.heartbeats heartbeat
    where heartbeat.kind = $2 and heartbeat.beat_at > now() - interval '10 seconds');
end $$;

-- Removes the pools of dead processes and returns them, so that the caller can free their jobs.
create function private.unlock_dead_workers() returns setof text
language plpgsql volatile security definer set search_path = '' as $$
begin
  return query delete
  from private.heartbeats heartbeat
  where heartbeat.beat_at < now() - interval '20 seconds'
  returning heartbeat.pool;
end $$;

-- GET /readyz: { read_only, working: how many processes of each kind beat within 15 s }. A database
-- that accepts no writes is not ready, nor is the service without a working worker.
create function public.readiness() returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  return jsonb_build_object(
    'read_only', pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on',
    'working', (
      select coalesce(jsonb_object_agg(kind, processes), '{}')
      from (select kind, count(*) as processes from private.heartbeats
        where beat_at > now() - interval '15 seconds' group by kind) heartbeat
    )
  );
end $$;

create function private.delivery_metrics() returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_build_object(
      'pending', count(*),
      'due', count(*) filter (where next_attempt_at <= now()),
      -- A delivery that waits for its webhook's limit isn't late.
      'lag_seconds', greatest(0, coalesce(extract(epoch from now() - min(delivery.next_attempt_at)
        filter (where not exists (select from public.webhooks webhook
          where webhook.tenant_id = delivery.tenant_id and webhook.id = delivery.webhook_id
            and webhook.max_per_minute is not null))), 0))
    )
    from public.webhook_deliveries delivery where delivery.status = 'pending'
  );
end $$;

create function private.job_metrics() returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_build_object(
      'ready',
      count(*) filter (where attempts < max_attempts and run_at <= now() and locked_at is null),
      'running', count(*) filter (where locked_at is not null),
      'failed', count(*) filter (where attempts >= max_attempts),
      'oldest_seconds', coalesce(
        extract(epoch from now()
          - min(run_at) filter (where attempts < max_attempts and run_at <= now()
            and locked_at is null)),
        0),
      -- A worker that is silent for 20 seconds is removed, and its jobs are freed.
      'locked_by_the_dead', count(*) filter (where locked_at < now() - interval '1 minute'
        and locked_by not in (select pool from private.heartbeats
          where beat_at > now() - interval '1 minute'))
    )
    from graphile_worker.jobs
  );
end $$;

create function private.database_metrics() returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'bytes', pg_database_size(current_database()),
    'connections', (select sum(numbackends) from pg_stat_database),
    'connections_max', current_setting('max_connections')::int
      - current_setting('superuser_reserved_connections')::int,
    'migrating', exists (
      select from pg_locks where locktype = 'advisory' and granted and objsubid = 1
        and (classid::bigint << 32 | objid::bigint) = hashtext('tieout migrations')::bigint
    )
  );
end $$;

-- GET /metrics, over all tenants.
create function private.service_metrics() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return jsonb_build_object(
    'worker_silence_seconds',
    (select extract(epoch from now() - max(beat_at)) from private.heartbeats where kind = 'worker'),
    -- A dead process is removed, so its absence has to show as a count of zero.
    'working', (
      select jsonb_build_object('worker', count(*) filter (where kind = 'worker'),
        'matcher', count(*) filter (where kind = 'matcher'))
      from private.heartbeats where beat_at > now() - interval '15 seconds'
    ),
    'sla_clock_lag_seconds', (
      select greatest(0, coalesce(extract(epoch from now() - least(
        (select min(next_at) from private.exception_clocks where next_at is not null),
        (select min(warning.at) from private.business_warnings warning
          where warning.at < 'infinity')
      )), 0))
    ),
    'webhooks', (
      select jsonb_build_object(
        'active', count(*) filter (where status = 'active'),
        'disabled', count(*) filter (where status = 'disabled'),
        'given_up', count(*) filter (where disabled_reason <> 'manual'
          and disabled_at > now() - interval '1 day')
      )
      from public.webhooks where deleted_at is null
    ),
    'deliveries', private.delivery_metrics(),
    'jobs', private.job_metrics(),
    -- By task, how long ago its schedule queued it.
    'scheduled', (
      select coalesce(
        jsonb_object_agg(identifier,
          extract(epoch from now() - coalesce(last_execution, known_since))),
        '{}')
      from graphile_worker._private_known_crontabs
    ),
    -- The age of the oldest event that is not signed yet.
    'unsigned_seconds', (
      select coalesce(extract(epoch from now() - min(event.at)), 0)
      from private.unsigned_security_event_chains() chain_state
      join public.security_events event on event.chain = chain_state.chain
        and event.seq = coalesce((chain_state.signed ->> 'seq')::bigint, 0) + 1
    ),
    'database', private.database_metrics()
  );
end $$;
create function public.service_metrics() returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return private.service_metrics();
end $$;

grant execute on function
  private.record_heartbeat(text, text), private.unlock_dead_workers(), public.readiness(),
  private.service_metrics(), public.service_metrics()
to service_role;
