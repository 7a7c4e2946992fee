-- Failing runs: because of an error in the matcher, or because no matcher finished them.

-- Returns whether this attempt failed the run: not if the run has ended, or another matcher has
-- taken it over.
create function private.fail_run(tenant text, run text, attempt integer,
  failure text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  x public.runs;
begin
  update public.runs y
  set status = 'failed', stage = null, finished_at = clock_timestamp(), failure = fail_run.failure
  where y.tenant_id = tenant and y.id = run and y.attempt = fail_run.attempt
    and y.status in ('queued', 'running')
  returning * into x;
  if not found then
    return false;
  end if;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(x)), run);
  return true;
end $$;

-- Ends the runs whose matchers died at every attempt: their job has no attempts left, or was
-- deleted an hour ago. A run that waits without a job, because its job served an earlier run, gets
-- a new one. Returns the IDs of the failed runs.
create function private.end_abandoned_runs(failure text) returns setof text
language plpgsql volatile security definer set search_path = '' as $$
declare
  x record;
begin
  for x in
    with unended as (
      select r.*, case when r.dry_run is not null then r.id end as asked
      from public.runs r
      where r.status in ('queued', 'running')
    )
    select u.*, j.id as job
    from unended u
    left join graphile_worker.jobs j on j.key = 'match:' || coalesce(u.asked, u.reconciliation_id)
    where case when j.id is not null then j.attempts >= j.max_attempts and j.locked_at is null
      else u.status = 'queued' or u.started_at < now() - interval '1 hour' end
  loop
    if x.status = 'queued' and x.job is null then
      perform private.queue_run(x.tenant_id, x.pair_no, x.reconciliation_id, x.asked, interval '0');
    elsif private.fail_run(x.tenant_id, x.id, x.attempt, failure) then
      return next x.id;
    end if;
  end loop;
end $$;

grant execute
  on function private.fail_run(text, text, integer, text),
    private.end_abandoned_runs(text) to service_role;
