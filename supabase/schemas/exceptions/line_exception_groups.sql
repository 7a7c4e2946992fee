-- Grouping exceptions: the lines of one suggestion share one exception over their difference, so
-- that no money counts twice. Without the suggestion each line has its own exception again.

-- Deletes suggestions that exceptions point at.
create function private.delete_open_suggestions(tenant text, matches uuid[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'suggested_match_id', null)
    from public.exceptions e where e.tenant_id = tenant and e.suggested_match_id = any (matches)
      order by e.id for no key update
  ));
end $$;

-- Whether a person gave an exception its title: it is kept, while a title from a run may be
-- replaced.
create function private.has_own_title(tenant text, given_id text) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from public.exception_history h
    where h.tenant_id = tenant and h.exception_id = given_id and h.kind = 'updated'
      and h.changes ? 'title' and h.actor <> 'system'
  );
end $$;

-- Open exceptions of a pair whose suggestion no longer exists, each with its one line that is open
-- up to the end of the period: its own line, otherwise the one with the most money.
create function private.exceptions_without_suggestion(r public.reconciliations)
returns table (exception_id text, line_no bigint)
language plpgsql stable set search_path = '' as $$
begin
  return query
  with grouped as materialized (
    select e.id, e.line_no, e.grouped_match_id from public.exceptions e
    where e.tenant_id = r.tenant_id and e.pair_no = r.pair_no and e.grouped_match_id is not null
      and e.status in ('open', 'in_review')
  ), left_over as materialized (
    select g.id, g.line_no from grouped g
    left join (
      select x.id from public.matches x
      where x.tenant_id = r.tenant_id
        and x.id = any (array(select y.grouped_match_id from grouped y)) and x.state = 'suggested'
        order by x.id
    ) m on m.id = g.grouped_match_id
    where m.id is null
  )
  select p.id, o.line_no
  from left_over p cross join lateral (
    select x.line_no from private.exception_lines x cross join lateral (
      select abs(y.open_minor) as minor from private.open_lines y
      where y.tenant_id = r.tenant_id and y.pair_no = r.pair_no and y.line_no = x.line_no
        and y.value_date <= r.period_end offset 0
    ) o
    where x.tenant_id = r.tenant_id and x.exception_id = p.id
    order by x.line_no <> p.line_no, o.minor desc, x.line_no limit 1
  ) o;
end $$;

-- Open exceptions whose lines differ from what a run left them with. For the lines of a suggestion:
-- the oldest exception, or before it one with a title that a person gave, with those to merge into
-- it. For exceptions whose suggestion no longer exists: each, with its one open line. [{
-- exception_id, merged, line_no, severity, amount_minor, … }], as subjects_of_exceptions; line_no
-- is the exception's own line.
create function private.exceptions_to_regroup(tenant text, reconciliation text) returns jsonb
language plpgsql stable security definer set search_path = '' set enable_sort = off
  set enable_nestloop = off as $$
declare
  r public.reconciliations;
begin
  select * into strict r
  from public.reconciliations x
  where x.tenant_id = tenant and x.id = reconciliation;
  return (
    with held as materialized (
      select mm.match_id, e.id as exception_id, e.line_no, e.grouped_match_id
      from private.members_of(tenant, private.suggested_of(tenant, r.id)) mm
      join private.open_line_exceptions_of(tenant, r.id) e on e.line_no = mm.line_no
    ), put_together as (
      select h.match_id, array_agg(h.exception_id order by h.exception_id) as ids,
        array_agg(h.line_no order by h.exception_id) as line_nos
      from held h group by h.match_id
      having count(*) > 1 or bool_or(h.grouped_match_id is distinct from h.match_id)
    ), changed as (
      select o.ids[1] as exception_id, o.ids[2:] as merged, o.line_nos[1] as line_no, p.match_id
      from put_together p cross join lateral (
        select array_agg(i.id order by t.is_own desc, i.id) as ids,
          array_agg(i.line_no order by t.is_own desc, i.id) as line_nos
        from unnest(p.ids, p.line_nos) i (id, line_no)
          cross join lateral (select private.has_own_title(tenant, i.id) as is_own) t
      ) o
      union all
      select p.exception_id, '{}', p.line_no, null
      from private.exceptions_without_suggestion(r) p
      where not exists (select from held h where h.exception_id = p.exception_id)
    ), numbered as materialized (
      select row_number() over () as n, c.* from changed c
    )
    select coalesce(
      jsonb_agg(x.subject
        || jsonb_build_object('exception_id', c.exception_id, 'merged', c.merged,
          'line_no', c.line_no, 'severity', e.severity, 'amount_minor', e.amount_minor)
        order by c.exception_id), '[]')
    -- A suggestion lists its lines itself.
    from private.subjects_of_exceptions(r, array(select y.match_id from numbered y order by y.n),
      array(select case when y.match_id is null then y.line_no end from numbered y order by y.n)) x
    join numbered c on c.n = x.n
    join public.exceptions e on e.tenant_id = tenant and e.id = c.exception_id
  );
end $$;

-- Whether another severity moves the deadline of an exception: only if the policy set it.
create function private.moves_deadline(tenant text, given_id text, severity text) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from public.exceptions e
    where e.tenant_id = tenant and e.id = given_id and e.due_from_policy
      and e.severity <> moves_deadline.severity
  );
end $$;

-- { calendar_id, calendar_no, due_at } that the policy gives an exception at another severity; {}
-- if they stay.
create function private.deadline_of_severity(e public.exceptions, severity text) returns jsonb
language plpgsql volatile set search_path = '' as $$
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
    coalesce(
      private.policy_deadline(e, private.minutes_to_resolve(p, deadline_of_severity.severity), no),
      coalesce(e.held_due_at, e.due_at)));
end $$;

-- Merges open exceptions into another, which gets these lines. A merged one without its own line
-- belongs to no line any more, even if it is reopened.
create function private.merge_exceptions(tenant text, pair integer, into_id text, merged text[],
  line_nos bigint[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'status', 'resolved',
      'line_no', null, 'suggested_match_id', null, 'grouped_match_id', null,
      'resolution',
      format('Merged into %s: a match is suggested for the lines of both.', into_id))
    from public.exceptions e
    where e.tenant_id = tenant and e.id = any (merged) and e.status in ('open', 'in_review')
    order by e.id for no key update
  ));
  delete
  from private.exception_lines y
  where y.tenant_id = tenant and y.exception_id = any (merged || into_id);
  insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id)
  select tenant, n.line_no, pair, into_id from unnest(line_nos) n (line_no)
  on conflict do nothing;
end $$;

-- rows: [{ exception_id, merged, match_id, line_nos, title, severity, reason_code, amount_minor,
-- currency, details }], the first of line_nos its own. What a person has closed, settled or decided
-- since stays unchanged, as does a title that a person gave. If the severity changes, the deadline
-- does too, unless a person set it. Refuses: conflict if another process took over the run.
create function private.regroup_exceptions(tenant text, reconciliation text, run text,
  attempt integer, rows jsonb) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  r public.reconciliations;
  x record;
begin
  r := private.lock_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  for x in
    select *
    from jsonb_to_recordset(rows) as s (exception_id text, merged text[], match_id uuid,
      line_nos bigint[], title text, severity text,
      reason_code text, amount_minor bigint, currency text, details jsonb)
  loop
    -- A person may have settled or decided it since the run read it. The next run looks again.
    continue when not exists (select from private.open_lines o
      where o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = x.line_nos[1])
      or x.match_id is not null and not exists (
        select
        from public.matches m
        where m.tenant_id = tenant and m.id = x.match_id and m.state = 'suggested'
      );
    perform private.change_exceptions(
      case when private.moves_deadline(tenant, x.exception_id, x.severity) then 'recalculate'
      else 'edit' end, array(
      select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'title',
        case when private.has_own_title(tenant, e.id) then e.title else x.title end,
        'severity', x.severity, 'reason_code', x.reason_code, 'amount_minor', x.amount_minor,
        'currency', x.currency,
        'details', e.details - 'lines' - 'side' || x.details, 'line_no', l.line_no, 'line_id', l.id,
        'suggested_match_id', x.match_id, 'grouped_match_id', x.match_id)
        || private.deadline_of_severity(e, x.severity)
      from public.lines l
        join public.exceptions e on e.tenant_id = tenant and e.id = x.exception_id
          and e.status in ('open', 'in_review')
      where l.tenant_id = tenant and l.line_no = x.line_nos[1] for no key update of e
    ));
    continue when not found;
    perform private.merge_exceptions(tenant, r.pair_no, x.exception_id, x.merged, x.line_nos);
  end loop;
end $$;

grant execute
  on function private.exceptions_to_regroup(text, text),
    private.regroup_exceptions(text, text, text, integer, jsonb) to service_role;
