-- Failing runs: because of an error in the matcher, or because no matcher finished them.

-- Returns whether this attempt failed the run: not if the run has ended, or another matcher has
-- taken it over.
create function private.fail_run(tenant text, run text, attempt integer,
  failure text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  run_row public.runs;
begin
  update public.runs
  set status = 'failed', stage = null, finished_at = clock_timestamp(), failure = fail_run.failure
  where runs.tenant_id = tenant and runs.id = run and runs.attempt = fail_run.attempt
    and runs.status in ('queued', 'running')
  returning * into run_row;
  if not found then
    return false;
  end if;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(run_row)),
    run);
  return true;
end $$;

-- Ends the runs whose matchers died at every attempt: their job has no attempts left, or was
-- deleted an hour ago. A run that waits without a job, because its job served an earlier run, gets
-- a new one. Returns the IDs of the failed runs.
create function private.end_abandoned_runs(failure text) returns setof text
language plpgsql volatile security definer set search_path = '' as $$
declare
  abandoned record;
begin
  for abandoned in
    with unended as (
      select run.*, case when run.dry_run is not null then run.id end as requested_run
      from public.runs run
      where run.status in ('queued', 'running')
    )
    select unended.*, job.id as job
    from unended
    left join graphile_worker.jobs job
      on job.key = 'match:' || coalesce(unended.requested_run, unended.reconciliation_id)
    where case when job.id is not null then job.attempts >= job.max_attempts
      and job.locked_at is null
      else unended.status = 'queued' or unended.started_at < now() - interval '1 hour' end
  loop
    if abandoned.status = 'queued' and abandoned.job is null then
      perform private.queue_run(abandoned.tenant_id, abandoned.pair_no, abandoned.reconciliation_id,
        abandoned.requested_run, interval '0');
    elsif private.fail_run(abandoned.tenant_id, abandoned.id, abandoned.attempt, failure) then
      return next abandoned.id;
    end if;
  end loop;
end $$;

grant execute
  on function private.fail_run(text, text, integer, text),
    private.end_abandoned_runs(text) to service_role;
