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

-- Whether a line open in a period has passed its grace period since the last run. The oldest that
-- had not passed it then tells. The last day of grace is computed only where that line is as old as
-- a grace period without days off.
create function private.grace_has_passed(period public.reconciliations, pair public.pairs,
  last_run public.runs) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select
    from (values ('left', pair.left_source_no), ('right', pair.right_source_no))
      of_side (side, source_no)
    join public.sources source on source.tenant_id = period.tenant_id
      and source.source_no = of_side.source_no
    cross join lateral (
      select open_line.value_date from private.open_lines open_line
      where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
        and open_line.side = of_side.side and open_line.value_date
          >= (last_run.conditions -> 'days_of_grace' ->> source.source_no::text)::date
      order by open_line.value_date limit 1
    ) oldest
    where oldest.value_date <= period.period_end and case
      when oldest.value_date < (now() at time zone source.time_zone)::date - source.grace_days
      then oldest.value_date < private.last_day_of_grace(source, last_run.calendar_id) end
  );
end $$;

-- The open periods with auto_run whose left source is where it is night.
create function private.periods_at_night(at timestamptz) returns setof public.reconciliations
language plpgsql stable set search_path = '' as $$
begin
  return query
  -- There are few zones, and many sources.
  with zones_at_night as materialized (
    select zone.time_zone
    from (select distinct source.time_zone from public.sources source offset 0) zone
    where private.is_night(zone.time_zone, at)
  )
  select period.*
  from public.reconciliations period
  join public.pairs pair on pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
    and pair.opening is null
  join public.sources source on source.tenant_id = pair.tenant_id
    and source.source_no = pair.left_source_no
  where period.auto_run and period.closed_at is null and period.status <> 'archived'
    and source.time_zone in (select zone.time_zone from zones_at_night zone);
end $$;

-- Those of them for which something was left: a change, a decision, a failed run, or a line past
-- grace. The run looks again before it begins, and ends where another one has just found the same
-- (private.begin_run).
create function private.periods_due_at_night(at timestamptz) returns setof public.reconciliations
language plpgsql stable set search_path = '' as $$
begin
  return query
  with marked as materialized (
    select run_change.tenant_id, run_change.reconciliation_id,
      min(run_change.changed_at) as changed_at
    from private.run_changes run_change group by 1, 2
  ), decided as materialized (
    select distinct decision.tenant_id, decision.pair_no from private.unlearned_decisions decision
  )
  select period.*
  from private.periods_at_night(at) period
  join public.pairs pair on pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
  left join lateral (
    select run.* from public.runs run
    where run.tenant_id = period.tenant_id and run.reconciliation_id = period.id
      and run.dry_run is null
    order by run.id desc limit 1
  ) last_run on true
  left join marked on marked.tenant_id = period.tenant_id and marked.reconciliation_id = period.id
  where coalesce(last_run.status not in ('queued', 'running')
      -- Runs between full ones leave the marks.
      and (last_run.created_at <= at - private.nightly_run_interval()
        or marked.changed_at <= at - private.nightly_run_interval()), true)
    and case
      when last_run.status = 'failed'
        or marked.tenant_id is not null
        or (period.tenant_id, period.pair_no) in (select decided.tenant_id, decided.pair_no
          from decided) then true
      else private.grace_has_passed(period, pair, last_run)
    end;
end $$;

-- Queues the runs that are due where it is night, at most `batch`. Returns how many. Other runs go
-- first: their jobs have a lower number as their priority, and a request of the same run takes the
-- job over.
create function private.queue_nightly_runs(batch integer default 1000,
  at timestamptz default now()) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  period public.reconciliations;
  queued_count integer := 0;
begin
  for period in
    select due.*
    from private.periods_due_at_night(at) due
    where not exists (select from graphile_worker.jobs job where job.key = 'match:' || due.id)
      and not private.is_closing(due.tenant_id, due.pair_no, due.id)
    order by due.period_end
    limit batch
  loop
    -- A change without lines makes the run a full one, also in a pair with estimates.
    insert into private.run_changes (tenant_id, reconciliation_id)
    select run_change.tenant_id, run_change.reconciliation_id from private.run_changes run_change
    where run_change.tenant_id = period.tenant_id and run_change.reconciliation_id = period.id
    limit 1;
    perform private.queue_run(period.tenant_id, period.pair_no, period.id, null, interval '0', 10);
    queued_count := queued_count + 1;
  end loop;
  return queued_count;
end $$;
grant execute on function private.queue_nightly_runs(integer, timestamptz) to service_role;
