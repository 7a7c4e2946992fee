-- Nightly runs: once a night, each open period with auto_run gets a full run if something was left
-- for one. New lines queue their own runs. But decisions, undone imports and the runs of a pair's
-- other periods only leave a mark, a line passes its grace period without anything else happening,
-- and a run may have failed.

-- A run isn't queued for a period whose last one began later than this before: at most one a night.
create function private.nightly_run_interval() returns interval
language sql immutable set search_path = ''
return interval '6 hours';

-- Whether it is between 1 and 5 at night in a time zone.
create function private.is_night(zone text, at timestamptz) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return extract(hour from at at time zone zone) between 1 and 4;
end $$;

-- Whether a line open in a period has passed its grace period since a run of it.
create function private.grace_has_passed(period public.reconciliations,
  last_run public.runs) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from public.pairs pair
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    cross join lateral (
      select private.last_day_of_grace(source,
        private.policy_of_pair(pair.tenant_id, pair.pair_no) ->> 'calendar_id') as day
    ) grace
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
      and exists (
        select from private.open_lines open_line
        where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
          and open_line.side = case source.source_no when pair.left_source_no then 'left'
            else 'right' end
          and open_line.value_date < grace.day and open_line.value_date <= period.period_end
          and open_line.value_date
            >= (last_run.conditions -> 'days_of_grace' ->> source.source_no::text)::date
      )
  );
end $$;

-- Whether something was left for a full run of a period. The run looks again before it begins, and
-- ends where another one has just found the same (private.begin_run).
create function private.is_full_run_due(period public.reconciliations,
  at timestamptz) returns boolean
language plpgsql stable set search_path = '' as $$
declare
  last_run constant public.runs := private.newest_run(period, '{queued,running,done,failed}');
begin
  if last_run.status in ('queued', 'running')
    or last_run.created_at > at - private.nightly_run_interval()
    or private.is_closing(period.tenant_id, period.pair_no, period.id) then
    return false;
  end if;
  return last_run.status = 'failed'
    or exists (select from private.run_changes run_change
      where run_change.tenant_id = period.tenant_id and run_change.reconciliation_id = period.id)
    or exists (select from private.unlearned_decisions decision
      where decision.tenant_id = period.tenant_id and decision.pair_no = period.pair_no)
    or private.grace_has_passed(period, last_run);
end $$;

-- Queues the runs that are due where it is night, at most `batch`. Returns how many. Other runs go
-- first: their jobs have a lower number as their priority, and a request of the same run takes the
-- job over.
create function private.queue_nightly_runs(batch integer default 200,
  at timestamptz default now()) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  period public.reconciliations;
  queued_count integer := 0;
begin
  for period in
    select reconciliation.*
    from public.reconciliations reconciliation
    join public.pairs pair on pair.tenant_id = reconciliation.tenant_id
      and pair.pair_no = reconciliation.pair_no and pair.opening is null
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no = pair.left_source_no
    where reconciliation.auto_run and reconciliation.closed_at is null
      and reconciliation.status <> 'archived' and private.is_night(source.time_zone, at)
      and not exists (select from graphile_worker.jobs job
        where job.key = 'match:' || reconciliation.id)
      and private.is_full_run_due(reconciliation, at)
    order by reconciliation.period_end
    limit batch
  loop
    perform private.queue_run(period.tenant_id, period.pair_no, period.id, null, interval '0', 10);
    queued_count := queued_count + 1;
  end loop;
  return queued_count;
end $$;
grant execute on function private.queue_nightly_runs(integer, timestamptz) to service_role;
