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
      select s.source_no,
        private.last_day_of_grace(s,
          private.policy_of_pair(tenant, r.pair_no) ->> 'calendar_id') as day
      from public.reconciliations r
      join public.pairs p on p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
      join public.sources s on s.tenant_id = r.tenant_id
        and s.source_no in (p.left_source_no, p.right_source_no)
      where r.tenant_id = tenant and r.id = reconciliation
    )
    select jsonb_build_object(
      'avoided', (
        select count(distinct x.exception_id) from unnest(matched) m (line_no) cross join lateral (
          select y.exception_id
          from private.exception_lines y
          where y.tenant_id = tenant and y.line_no = m.line_no and y.pair_no = r.pair_no offset 0
        ) x cross join lateral (
          select from public.exceptions e
          where e.tenant_id = tenant and e.id = x.exception_id
            and (r.closed_at is not null or e.status in ('open', 'in_review')) offset 0
        ) e
      ),
      'added', (
        select count(*) from unnest(opened) o (line_no)
        cross join lateral (select x.source_no, x.value_date from public.lines x
          where x.tenant_id = tenant and x.line_no = o.line_no offset 0) l
        join grace g on g.source_no = l.source_no
        where l.value_date < g.day
          and (
            select e.id from (
              select y.exception_id
              from private.exception_lines y
              where y.tenant_id = tenant and y.line_no = o.line_no
                and y.pair_no = r.pair_no offset 0
            ) x cross join lateral (
              select z.id
              from public.exceptions z
              where z.tenant_id = tenant and z.id = x.exception_id
                and z.status in ('open', 'in_review') offset 0
            ) e
          ) is null
      )
    )
    from public.reconciliations r where r.tenant_id = tenant and r.id = reconciliation
  );
end $$;

-- Ends a run that stores nothing. Refuses: conflict.
create function private.finish_dry_run(tenant text, run text, attempt integer,
  outcome jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  x public.runs;
begin
  perform private.require_attempt(tenant, run, attempt);
  update public.runs y
  set status = 'done', stage = null, finished_at = clock_timestamp(), lines_done = y.lines_total,
    impact = outcome -> 'impact', digest = outcome ->> 'digest',
    suggested_count = (outcome ->> 'suggested_count')::bigint,
    open_count = (outcome ->> 'open_count')::bigint, waterfall = outcome -> 'waterfall'
  where y.tenant_id = tenant and y.id = run
  returning * into x;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(x)), run);
end $$;

grant execute on function
  private.exceptions_at_stake(text, text, bigint[], bigint[]),
  private.finish_dry_run(text, text, integer, jsonb)
to service_role;
