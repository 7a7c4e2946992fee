-- Worker: which pools are alive. A pool silent for 30 seconds has died, and its jobs are freed.

create table private.worker_heartbeats (
  pool text primary key,
  beat_at timestamptz(3) not null default now()
);
alter table private.worker_heartbeats enable row level security;

create function private.beat(pool text) returns void
language sql volatile security definer set search_path = '' as $$
  insert into private.worker_heartbeats (pool) values ($1)
  on conflict on constraint worker_heartbeats_pkey do update set beat_at = now();
$$;

-- Forgets the pools that fell silent and names them, so that the caller can free their jobs.
create function private.bury_silent_pools() returns setof text
language sql volatile security definer set search_path = '' as $$
  delete from private.worker_heartbeats where beat_at < now() - interval '30 seconds' returning pool;
$$;

-- GET /readyz: seconds since the freshest heartbeat, null where no worker ever ran.
create function public.worker_silence_seconds() returns double precision
language sql stable set search_path = ''
return (select extract(epoch from now() - max(beat_at)) from private.worker_heartbeats);

grant select on private.worker_heartbeats to service_role;
grant execute on function private.beat(text), private.bury_silent_pools(), public.worker_silence_seconds() to service_role;
