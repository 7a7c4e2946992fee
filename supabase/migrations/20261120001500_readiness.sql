-- GET /readyz: a database that takes no writes is not ready, and a worker that fell silent isn't either.

drop function public.worker_silence_seconds();

-- { read_only, worker_silence_seconds }, the latter null where no worker ever ran.
create function public.readiness() returns jsonb
language sql volatile set search_path = '' as $$
  select jsonb_build_object(
    'read_only', pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on',
    'worker_silence_seconds', (select extract(epoch from now() - max(beat_at)) from private.worker_heartbeats)
  );
$$;
grant execute on function public.readiness() to service_role;
