-- Health: which workers are alive, whether the service is ready, and how far behind the background work is.

-- A pool that is silent for 30 seconds has died, and its jobs are freed.
create table private.worker_heartbeats (
  pool text primary key,
  beat_at timestamptz(3) not null default now()
);
alter table private.worker_heartbeats enable row level security;
grant select on private.worker_heartbeats to service_role;

create function private.beat(pool text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into private.worker_heartbeats (pool) values ($1)
  on conflict on constraint worker_heartbeats_pkey do update set beat_at = now();
end $$;

-- Removes the pools that fell silent and names them, so that the caller can free their jobs.
create function private.bury_silent_pools() returns setof text
language plpgsql volatile security definer set search_path = '' as $$
begin
  return query delete from private.worker_heartbeats h where h.beat_at < now() - interval '30 seconds' returning h.pool;
end $$;

-- GET /readyz: { read_only, worker_silence_seconds }, the latter null where no worker ever ran. A database that takes no writes is not
-- ready, and a worker that fell silent isn't either.
create function public.readiness() returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  return jsonb_build_object(
    'read_only', pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on',
    'worker_silence_seconds', (select extract(epoch from now() - max(h.beat_at)) from private.worker_heartbeats h)
  );
end $$;

-- GET /metrics: over all tenants.
create function private.service_metrics() returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return jsonb_build_object(
    'worker_silence_seconds', (select extract(epoch from now() - max(beat_at)) from private.worker_heartbeats),
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
end $$;
create function public.service_metrics() returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return private.service_metrics();
end $$;

grant execute on function
  private.beat(text), private.bury_silent_pools(), public.readiness(), private.service_metrics(), public.service_metrics()
to service_role;
