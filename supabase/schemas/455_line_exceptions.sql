-- Exceptions of lines: one for each line that stays open past its source's grace, resolved by what settles it, reopened when that is undone.

-- The day so many business days before today as a source's grace lasts: days on which the calendar opens, or of none Monday to Friday.
create function private.last_day_of_grace(s public.sources, calendar text) returns date
language plpgsql stable set search_path = '' as $$
declare
  open_days constant jsonb := private.open_days(s.tenant_id, calendar) -> 'open_days';
  found_day date := (now() at time zone s.time_zone)::date;
  left_over integer := s.grace_days;
  number integer;
begin
  while left_over > 0 loop
    found_day := found_day - 1;
    number := found_day - date '1970-01-01';
    if open_days is null and extract(isodow from found_day) < 6
      or open_days -> 'opened' @> to_jsonb(number)
      or open_days -> 'weekdays' @> to_jsonb(extract(isodow from found_day)::integer) and not open_days -> 'closed' @> to_jsonb(number) then
      left_over := left_over - 1;
    end if;
  end loop;
  return found_day;
end $$;

-- Lines of a period that are open past grace and have no exception yet, those with the most money first, at most `most`; `held_back` counts
-- the others. One whose exception a person closed has had its look.
create function private.lines_past_grace(tenant text, reconciliation text, most integer, out lines jsonb, out held_back bigint)
language plpgsql stable security definer set search_path = '' as $$
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
        where c.tenant_id = tenant and c.pair_no = d.pair_no and c.closed_at is not null and o.value_date between c.period_start and c.period_end
          -- What was there when it closed was carried. Times of transactions don't say which came first.
          and (
            select k.line_no from public.carried_lines k where k.tenant_id = tenant and k.reconciliation_id = c.id and k.line_no = o.line_no
          ) is null
      ) as is_late
    from due d
    join private.open_lines o on o.tenant_id = tenant and o.pair_no = d.pair_no and o.side = d.side and o.value_date <= d.period_end
      and o.value_date < d.day
    where (
      select e.id from public.exceptions e where e.tenant_id = tenant and e.line_no = o.line_no and e.pair_no = d.pair_no limit 1
    ) is null
  ), chosen as (
    select * from overdue order by abs(open_minor) desc, line_no limit most
  )
  select coalesce(jsonb_agg(to_jsonb(c)), '[]'), (select count(*) from overdue) - count(*) into lines, held_back from chosen c;
end $$;

-- rows: [{ line_no, title, severity, assigned_to, reason_code, amount_minor, currency, details }]. Those that are settled meanwhile, or have one,
-- are left out. Answers how many were opened. Refuses: conflict where the run was taken up meanwhile.
create function private.open_line_exceptions(tenant text, reconciliation text, run text, attempt integer, rows jsonb) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  r public.reconciliations;
  opened integer;
begin
  r := private.hold_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  insert into public.exceptions (tenant_id, title, severity, assigned_to, due_at, due_from_policy, calendar_id, calendar_no, reason_code, amount_minor, currency,
    reconciliation_id, details, pair_no, line_no, line_id, suggested_match_id)
  select tenant, x.title, x.severity, x.assigned_to,
    date_trunc('milliseconds', now()) + make_interval(mins => private.minutes_to_resolve(p, x.severity)), true,
    c.id, case when c.id is not null then private.current_calendar_no(tenant, c.id) end,
    x.reason_code, x.amount_minor, x.currency, r.id, coalesce(x.details, '{}'), r.pair_no, l.line_no, l.id, (
      select m.id from public.match_members mm join public.matches m on m.tenant_id = mm.tenant_id and m.id = mm.match_id
      where mm.tenant_id = tenant and mm.line_no = l.line_no and mm.pair_no = r.pair_no and m.state = 'suggested' order by m.id limit 1
    )
  from jsonb_to_recordset(rows) as x (
    line_no bigint, title text, severity text, assigned_to text, reason_code text, amount_minor bigint, currency text, details jsonb)
  join public.sla_policies p on p.tenant_id = tenant
  cross join lateral (select private.policy_calendar(p, x.severity)) c (id)
  join public.lines l on l.tenant_id = tenant and l.line_no = x.line_no
  join private.open_lines o on o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = l.line_no
  where not exists (select from public.exceptions e where e.tenant_id = tenant and e.line_no = l.line_no and e.pair_no = r.pair_no);
  get diagnostics opened = row_count;
  return opened;
end $$;

-- Of exceptions that are open: what the engine would match their line with now. Refuses: conflict where the run was taken up meanwhile.
create function private.point_exceptions_at_suggestions(tenant text, reconciliation text, run text, attempt integer) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.require_attempt(tenant, run, attempt);
  with suggested as materialized (
    select mm.line_no, m.pair_no, m.id from public.matches m
    cross join lateral (
      select mm.line_no, mm.side, mm.allocated_minor from public.match_members mm where mm.tenant_id = m.tenant_id and mm.match_id = m.id offset 0
    ) mm
    where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'suggested'
  ), pointing as materialized (
    select e.id, s.id as match_id from suggested s join lateral (
      select x.id from public.exceptions x
      where x.tenant_id = tenant and x.line_no = s.line_no and x.pair_no = s.pair_no and x.status in ('open', 'in_review')
        and x.suggested_match_id is distinct from s.id
      offset 0
    ) e on true
  )
  update public.exceptions e set suggested_match_id = p.match_id from pointing p where e.tenant_id = tenant and e.id = p.id;
end $$;

-- Resolves the open exceptions of lines of which nothing is open any more.
create function private.resolve_line_exceptions(tenant text, pair integer, line_nos bigint[], resolution text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  update public.exceptions e set status = 'resolved', resolution = resolve_line_exceptions.resolution, resolved_by_matching = true, suggested_match_id = null
  where e.tenant_id = tenant and e.line_no = any (line_nos) and e.pair_no = pair and e.status in ('open', 'in_review')
    and not exists (select from private.open_lines o where o.tenant_id = tenant and o.pair_no = pair and o.line_no = e.line_no);
end $$;

-- The same for the lines of matches, each by its own.
create function private.resolve_matched_exceptions(tenant text, pair integer, matches uuid[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  update public.exceptions e set status = 'resolved', resolution = format('Matched by %s.', private.match_id_text(x.match_id)),
    resolved_by_matching = true, suggested_match_id = null
  from (
    select mm.line_no, mm.match_id from public.match_members mm where mm.tenant_id = tenant and mm.match_id = any (matches)
  ) x
  where e.tenant_id = tenant and e.line_no = x.line_no and e.pair_no = pair and e.status in ('open', 'in_review')
    and not exists (select from private.open_lines o where o.tenant_id = tenant and o.pair_no = pair and o.line_no = e.line_no);
end $$;

-- Reopens what matching had resolved of lines that are open again.
create function private.reopen_line_exceptions(tenant text, pair integer, line_nos bigint[]) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  update public.exceptions e set status = 'open', resolved_by_matching = false
  where e.tenant_id = tenant and e.line_no = any (line_nos) and e.pair_no = pair and e.status = 'resolved' and e.resolved_by_matching
    and exists (select from private.open_lines o where o.tenant_id = tenant and o.pair_no = pair and o.line_no = e.line_no);
end $$;

grant execute on function
  private.lines_past_grace(text, text, integer), private.open_line_exceptions(text, text, text, integer, jsonb),
  private.point_exceptions_at_suggestions(text, text, text, integer)
to service_role;
