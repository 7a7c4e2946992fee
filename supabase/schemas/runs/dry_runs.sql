-- Runs that store nothing: what they would change, and how they end.

-- How a dry run would change exceptions, by the numbers of the lines that it would newly match and
-- would leave open: those it would have avoided, and those it would open. For a closed period, also
-- those that existed.
create function private.exceptions_at_stake(tenant text, reconciliation text, matched bigint[],
  opened bigint[]) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    with grace as materialized (
      select source.source_no,
        private.last_day_of_grace(source,
          private.policy_of_pair(tenant, period.pair_no) ->> 'calendar_id') as day
      from public.reconciliations period
      join public.pairs pair on pair.tenant_id = period.tenant_id
        and pair.pair_no = period.pair_no
      join public.sources source on source.tenant_id = period.tenant_id
        and source.source_no in (pair.left_source_no, pair.right_source_no)
      where period.tenant_id = tenant and period.id = reconciliation
    )
    select jsonb_build_object(
      'avoided', (
        select count(distinct held.exception_id) from unnest(matched) matched_line (line_no)
        cross join lateral (
          select exception_line.exception_id from private.exception_lines exception_line
          where exception_line.tenant_id = tenant and exception_line.line_no = matched_line.line_no
            and exception_line.pair_no = period.pair_no offset 0
        ) held cross join lateral (
          select from public.exceptions exception
          where exception.tenant_id = tenant and exception.id = held.exception_id
            and (period.closed_at is not null or exception.status in ('open', 'in_review')) offset 0
        ) avoided
      ),
      'added', (
        select count(*) from unnest(opened) opened_line (line_no)
        cross join lateral (select line.source_no, line.value_date from public.lines line
          where line.tenant_id = tenant and line.line_no = opened_line.line_no offset 0) late
        join grace grace_of_source on grace_of_source.source_no = late.source_no
        where late.value_date < grace_of_source.day
          and (
            select still_open.id from (
              select exception_line.exception_id from private.exception_lines exception_line
              where exception_line.tenant_id = tenant
                and exception_line.line_no = opened_line.line_no
                and exception_line.pair_no = period.pair_no offset 0
            ) held cross join lateral (
              select exception.id from public.exceptions exception
              where exception.tenant_id = tenant and exception.id = held.exception_id
                and exception.status in ('open', 'in_review') offset 0
            ) still_open
          ) is null
      )
    )
    from public.reconciliations period where period.tenant_id = tenant
      and period.id = reconciliation
  );
end $$;

-- Ends a run that stores nothing. Refuses: conflict.
create function private.finish_dry_run(tenant text, run text, attempt integer,
  outcome jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  run_row public.runs;
begin
  perform private.require_attempt(tenant, run, attempt);
  update public.runs
  set status = 'done', stage = null, finished_at = clock_timestamp(), lines_done = runs.lines_total,
    impact = outcome -> 'impact', digest = outcome ->> 'digest',
    suggested_count = (outcome ->> 'suggested_count')::bigint,
    open_count = (outcome ->> 'open_count')::bigint, waterfall = outcome -> 'waterfall'
  where runs.tenant_id = tenant and runs.id = run
  returning * into run_row;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(run_row)),
    run);
end $$;

grant execute on function
  private.exceptions_at_stake(text, text, bigint[], bigint[]),
  private.finish_dry_run(text, text, integer, jsonb)
to service_role;
