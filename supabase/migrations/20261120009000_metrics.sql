-- GET /metrics: how far behind the background work is, over all tenants.

create function private.service_metrics() returns jsonb
language sql stable security definer set search_path = '' as $$
  select jsonb_build_object(
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
$$;
grant execute on function private.service_metrics() to service_role;

create function public.service_metrics() returns jsonb
language sql stable set search_path = '' as $$ select private.service_metrics(); $$;
grant execute on function public.service_metrics() to service_role;
