-- exceptions agree

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.lines_past_grace(tenant text, reconciliation text, most integer, OUT lines jsonb, OUT held_back bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
declare
  r public.reconciliations;
begin
  select * into strict r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  -- The last day is looked for once a side, never once a line.
  with due as materialized (
    select case s.source_no when p.left_source_no then 'left' else 'right' end as side,
      private.last_day_of_grace(s, private.policy_of_pair(tenant, r.pair_no) ->> 'calendar_id') as day
    from public.pairs p
    join public.sources s on s.tenant_id = tenant and s.source_no in (p.left_source_no, p.right_source_no)
    where p.tenant_id = tenant and p.pair_no = r.pair_no
  ), past_grace as materialized (
    select o.line_no, abs(o.open_minor) as minor
    from due d
    join private.open_lines o on o.tenant_id = tenant and o.pair_no = r.pair_no and o.side = d.side and o.value_date <= r.period_end
      and o.value_date < d.day
  ), suggested as materialized (
    select m.id, abs(m.residual_minor) as minor from public.matches m
    where m.tenant_id = tenant and m.reconciliation_id = r.id and m.state = 'suggested'
  ), members as materialized (
    select mm.line_no, (array_agg(mm.match_id order by mm.match_id))[1] as match_id
    from private.members_of(tenant, array(select x.id from suggested x)) mm group by mm.line_no
  ), young as materialized (
    select distinct mm.match_id
    from members mm
    join (
      select o.line_no from private.open_lines o
      where o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = any (array(select y.line_no from members y)) order by o.line_no
    ) o on o.line_no = mm.line_no
    left join past_grace g on g.line_no = mm.line_no
    where g.line_no is null
  ), overdue as materialized (
    select g.line_no, g.minor, s.match_id
    from past_grace g
    left join members s on s.line_no = g.line_no
    left join (
      select x.line_no from private.exception_lines x
      where x.tenant_id = tenant and x.line_no = any (array(select y.line_no from past_grace y)) and x.pair_no = r.pair_no order by x.line_no
    ) e on e.line_no = g.line_no
    where e.line_no is null and not exists (select from young y where y.match_id = s.match_id)
  ), subjects as materialized (
    select null::uuid as match_id, v.line_no, v.minor from overdue v where v.match_id is null
    union all
    select s.id, min(v.line_no), s.minor from overdue v join suggested s on s.id = v.match_id group by s.id, s.minor
  ), chosen as materialized (
    select * from subjects order by minor desc, line_no limit most
  )
  select coalesce(jsonb_agg(x.subject order by x.n), '[]'), (select count(*) from subjects) - (select count(*) from chosen)
  into lines, held_back
  from private.subjects_of_exceptions(r, array(select c.match_id from chosen c order by c.minor desc, c.line_no),
    array(select c.line_no from chosen c order by c.minor desc, c.line_no)) x;
end $function$;
CREATE OR REPLACE FUNCTION private.moves_deadline(tenant text, given_id text, severity text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from public.exceptions e
    where e.tenant_id = tenant and e.id = given_id and e.due_from_policy and e.severity <> moves_deadline.severity
  );
end $function$;
CREATE OR REPLACE FUNCTION private.deadline_of_severity(e public.exceptions, severity text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  p public.sla_policies;
  calendar text;
  no bigint;
begin
  if not e.due_from_policy or e.severity = deadline_of_severity.severity then
    return '{}';
  end if;
  select * into strict p from public.sla_policies x where x.tenant_id = e.tenant_id;
  calendar := private.policy_calendar(p, deadline_of_severity.severity);
  if calendar is not null then
    no := private.current_calendar_no(e.tenant_id, calendar);
  end if;
  return jsonb_build_object('calendar_id', calendar, 'calendar_no', no, 'due_at',
    coalesce(private.policy_deadline(e, private.minutes_to_resolve(p, deadline_of_severity.severity), no), coalesce(e.held_due_at, e.due_at)));
end $function$;
CREATE OR REPLACE FUNCTION private.regroup_exceptions(tenant text, reconciliation text, run text, attempt integer, rows jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  x record;
begin
  r := private.hold_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  for x in
    select * from jsonb_to_recordset(rows) as s (exception_id text, merged text[], match_id uuid, line_nos bigint[], title text, severity text,
      reason_code text, amount_minor bigint, currency text, details jsonb)
  loop
    -- Somebody may have settled or decided it since the run looked. The next run looks again.
    continue when not exists (select from private.open_lines o where o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = x.line_nos[1])
      or x.match_id is not null and not exists (
        select from public.matches m where m.tenant_id = tenant and m.id = x.match_id and m.state = 'suggested'
      );
    perform private.change_exceptions(case when private.moves_deadline(tenant, x.exception_id, x.severity) then 'recalculate' else 'edit' end, array(
      select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'title', case when private.has_own_title(tenant, e.id) then e.title else x.title end,
        'severity', x.severity, 'reason_code', x.reason_code, 'amount_minor', x.amount_minor, 'currency', x.currency,
        'details', e.details - 'lines' - 'side' || x.details, 'line_no', l.line_no, 'line_id', l.id,
        'suggested_match_id', x.match_id, 'grouped_match_id', x.match_id)
        || private.deadline_of_severity(e, x.severity)
      from public.lines l join public.exceptions e on e.tenant_id = tenant and e.id = x.exception_id and e.status in ('open', 'in_review')
      where l.tenant_id = tenant and l.line_no = x.line_nos[1] for no key update of e
    ));
    continue when not found;
    -- Without a line of its own it is no line's any more, whoever reopens it.
    perform private.change_exceptions('edit', array(
      select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'status', 'resolved', 'line_no', null, 'suggested_match_id', null,
        'grouped_match_id', null, 'resolution', format('Merged into %s: a match is suggested for the lines of both.', x.exception_id))
      from public.exceptions e where e.tenant_id = tenant and e.id = any (x.merged) and e.status in ('open', 'in_review')
      order by e.id for no key update
    ));
    delete from private.exception_lines y where y.tenant_id = tenant and y.exception_id = any (x.merged || x.exception_id);
    insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id)
    select tenant, n.line_no, r.pair_no, x.exception_id from unnest(x.line_nos) n (line_no)
    on conflict do nothing;
  end loop;
end $function$;
