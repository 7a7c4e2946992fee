-- lines past grace once

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.lines_past_grace(tenant text, reconciliation text, most integer, OUT lines jsonb, OUT held_back bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- The last day is looked for once a side, never once a line.
  with due as materialized (
    select r.pair_no, r.period_end, s.name, case s.source_no when p.left_source_no then 'left' else 'right' end as side,
      private.last_day_of_grace(s, private.policy_of_pair(tenant, r.pair_no) ->> 'calendar_id') as day
    from public.reconciliations r
    join public.pairs p on p.tenant_id = r.tenant_id and p.pair_no = r.pair_no
    join public.sources s on s.tenant_id = r.tenant_id and s.source_no in (p.left_source_no, p.right_source_no)
    where r.tenant_id = tenant and r.id = reconciliation
  ), overdue as materialized (
    select o.line_no, o.side, o.open_minor, o.currency, o.value_date, d.name,
      exists (
        select from public.reconciliations c
        where c.tenant_id = tenant and c.pair_no = d.pair_no and c.closed_at < l.created_at and l.value_date between c.period_start and c.period_end
      ) as is_late
    from due d
    join private.open_lines o on o.tenant_id = tenant and o.pair_no = d.pair_no and o.side = d.side and o.value_date <= d.period_end
      and o.value_date < d.day
    cross join lateral (select x.created_at, x.value_date from public.lines x where x.tenant_id = tenant and x.line_no = o.line_no offset 0) l
    where (
      select e.id from public.exceptions e where e.tenant_id = tenant and e.line_no = o.line_no and e.pair_no = d.pair_no limit 1
    ) is null
  ), chosen as (
    select * from overdue order by abs(open_minor) desc, line_no limit most
  )
  select coalesce(jsonb_agg(to_jsonb(c)), '[]'), (select count(*) from overdue) - count(*) into lines, held_back from chosen c;
end $function$;
