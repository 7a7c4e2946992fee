-- Runs that fail: by what their matcher met, or since no matcher came to their end.

-- Answers whether this attempt's run failed by it: it hasn't where the run has ended, or another
-- matcher has taken it up.
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

-- Ends the runs whose matchers died at every attempt: their job has none left, or is gone for an
-- hour. One that waits without a job, since the job it came with took up a run before it, gets
-- another. Answers the IDs of those that failed.
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
