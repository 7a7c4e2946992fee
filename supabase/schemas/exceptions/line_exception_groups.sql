-- Grouping exceptions: the lines of one suggestion share one exception over their difference, so
-- that no money counts twice. Without the suggestion each line has its own exception again.

-- Deletes suggestions that exceptions point at.
create function private.delete_open_suggestions(tenant text, matches uuid[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', exception.id, 'suggested_match_id', null)
    from public.exceptions exception where exception.tenant_id = tenant
      and exception.suggested_match_id = any (matches)
      order by exception.id for no key update
  ));
end $$;

-- Whether a person gave an exception its title: it is kept, while a title from a run may be
-- replaced.
create function private.has_own_title(tenant text, given_id text) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from public.exception_history change
    where change.tenant_id = tenant and change.exception_id = given_id and change.kind = 'updated'
      and change.changes ? 'title' and change.actor <> 'system'
  );
end $$;

-- Open exceptions of a pair whose suggestion no longer exists, each with its one line that is open
-- up to the end of the period: its own line, otherwise the one with the most money.
create function private.exceptions_without_suggestion(period public.reconciliations)
returns table (exception_id text, line_no bigint)
language plpgsql stable set search_path = '' as $$
begin
  return query
  with grouped as materialized (
    select exception.id, exception.line_no, exception.grouped_match_id
    from public.exceptions exception
    where exception.tenant_id = period.tenant_id and exception.pair_no = period.pair_no
      and exception.grouped_match_id is not null and exception.status in ('open', 'in_review')
  ), left_over as materialized (
    select held.id, held.line_no from grouped held
    left join (
      select match.id from public.matches match
      where match.tenant_id = period.tenant_id
        and match.id = any (array(select any_held.grouped_match_id from grouped any_held))
        and match.state = 'suggested'
        order by match.id
    ) suggestion on suggestion.id = held.grouped_match_id
    where suggestion.id is null
  )
  select lone.id, line_left.line_no
  from left_over lone cross join lateral (
    select exception_line.line_no from private.exception_lines exception_line cross join lateral (
      select abs(open_line.open_minor) as minor from private.open_lines open_line
      where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
        and open_line.line_no = exception_line.line_no
        and open_line.value_date <= period.period_end offset 0
    ) still_open
    where exception_line.tenant_id = period.tenant_id and exception_line.exception_id = lone.id
    order by exception_line.line_no <> lone.line_no, still_open.minor desc, exception_line.line_no
    limit 1
  ) line_left;
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
  period public.reconciliations;
begin
  select * into strict period
  from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation;
  return (
    with held as materialized (
      select member.match_id, exception.id as exception_id, exception.line_no,
        exception.grouped_match_id
      from private.members_of(tenant, private.suggestions_in(tenant, period.id)) member
      join private.open_line_exceptions_of(tenant, period.id) exception
        on exception.line_no = member.line_no
    ), put_together as (
      select holds.match_id, array_agg(holds.exception_id order by holds.exception_id) as ids,
        array_agg(holds.line_no order by holds.exception_id) as line_nos
      from held holds group by holds.match_id
      having count(*) > 1 or bool_or(holds.grouped_match_id is distinct from holds.match_id)
    ), changed as (
      select ordered.ids[1] as exception_id, ordered.ids[2:] as merged,
        ordered.line_nos[1] as line_no, together.match_id
      from put_together together cross join lateral (
        select array_agg(part.id order by own_title.is_own desc, part.id) as ids,
          array_agg(part.line_no order by own_title.is_own desc, part.id) as line_nos
        from unnest(together.ids, together.line_nos) part (id, line_no)
          cross join lateral (select private.has_own_title(tenant, part.id) as is_own) own_title
      ) ordered
      union all
      select lone.exception_id, '{}', lone.line_no, null
      from private.exceptions_without_suggestion(period) lone
      where not exists (select from held holds where holds.exception_id = lone.exception_id)
    ), numbered as materialized (
      select row_number() over () as place, change.* from changed change
    )
    select coalesce(
      jsonb_agg(about_exception.subject
        || jsonb_build_object('exception_id', change.exception_id, 'merged', change.merged,
          'line_no', change.line_no, 'severity', exception.severity,
          'amount_minor', exception.amount_minor)
        order by change.exception_id), '[]')
    -- A suggestion lists its lines itself.
    from private.subjects_of_exceptions(period,
      array(select requested.match_id from numbered requested order by requested.place),
      array(select case when requested.match_id is null then requested.line_no end
        from numbered requested order by requested.place)) about_exception
    join numbered change on change.place = about_exception.place
    join public.exceptions exception on exception.tenant_id = tenant
      and exception.id = change.exception_id
  );
end $$;

-- Whether another severity moves the deadline of an exception: only if the policy set it.
create function private.moves_deadline(tenant text, given_id text, severity text) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from public.exceptions exception
    where exception.tenant_id = tenant and exception.id = given_id and exception.due_from_policy
      and exception.severity <> moves_deadline.severity
  );
end $$;

-- { calendar_id, calendar_no, due_at } that the policy gives an exception at another severity; {}
-- if they stay.
create function private.deadline_of_severity(exception public.exceptions,
  severity text) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  policy public.sla_policies;
  calendar text;
  calendar_number bigint;
begin
  if not exception.due_from_policy or exception.severity = deadline_of_severity.severity then
    return '{}';
  end if;
  select * into strict policy from public.sla_policies
  where sla_policies.tenant_id = exception.tenant_id;
  calendar := private.policy_calendar(policy, deadline_of_severity.severity);
  if calendar is not null then
    calendar_number := private.current_calendar_no(exception.tenant_id, calendar);
  end if;
  return jsonb_build_object('calendar_id', calendar, 'calendar_no', calendar_number,
    'due_at', coalesce(
      private.policy_deadline(exception,
        private.minutes_to_resolve(policy, deadline_of_severity.severity), calendar_number),
      coalesce(exception.held_due_at, exception.due_at)));
end $$;

-- Merges open exceptions into another, which gets these lines. A merged one without its own line
-- belongs to no line any more, even if it is reopened.
create function private.merge_exceptions(tenant text, pair integer, into_id text, merged text[],
  line_nos bigint[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', exception.id, 'status', 'resolved',
      'line_no', null, 'suggested_match_id', null, 'grouped_match_id', null,
      'resolution', format('Merged into %s: a match is suggested for the lines of both.', into_id))
    from public.exceptions exception
    where exception.tenant_id = tenant and exception.id = any (merged)
      and exception.status in ('open', 'in_review')
    order by exception.id for no key update
  ));
  delete
  from private.exception_lines exception_line
  where exception_line.tenant_id = tenant and exception_line.exception_id = any (merged || into_id);
  insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id)
  select tenant, held.line_no, pair, into_id from unnest(line_nos) held (line_no)
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
  period public.reconciliations;
  wanted record;
begin
  period := private.lock_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  for wanted in
    select *
    from jsonb_to_recordset(rows) as item (exception_id text, merged text[], match_id uuid,
      line_nos bigint[], title text, severity text,
      reason_code text, amount_minor bigint, currency text, details jsonb)
  loop
    -- A person may have settled or decided it since the run read it. The next run looks again.
    continue when not exists (select from private.open_lines open_line
      where open_line.tenant_id = tenant and open_line.pair_no = period.pair_no
        and open_line.line_no = wanted.line_nos[1])
      or wanted.match_id is not null and not exists (
        select
        from public.matches match
        where match.tenant_id = tenant and match.id = wanted.match_id and match.state = 'suggested'
      );
    perform private.change_exceptions(
      case when private.moves_deadline(tenant, wanted.exception_id, wanted.severity)
        then 'recalculate'
      else 'edit' end, array(
      select jsonb_build_object('tenant_id', tenant, 'id', exception.id,
        'title', case when private.has_own_title(tenant, exception.id) then exception.title
          else wanted.title end,
        'severity', wanted.severity, 'reason_code', wanted.reason_code,
        'amount_minor', wanted.amount_minor, 'currency', wanted.currency,
        'details', exception.details - 'lines' - 'side' || wanted.details, 'line_no', line.line_no,
        'line_id', line.id,
        'suggested_match_id', wanted.match_id, 'grouped_match_id', wanted.match_id)
        || private.deadline_of_severity(exception, wanted.severity)
      from public.lines line
        join public.exceptions exception on exception.tenant_id = tenant
          and exception.id = wanted.exception_id and exception.status in ('open', 'in_review')
      where line.tenant_id = tenant and line.line_no = wanted.line_nos[1]
        for no key update of exception
    ));
    continue when not found;
    perform private.merge_exceptions(tenant, period.pair_no, wanted.exception_id, wanted.merged,
      wanted.line_nos);
  end loop;
end $$;

grant execute
  on function private.exceptions_to_regroup(text, text),
    private.regroup_exceptions(text, text, text, integer, jsonb) to service_role;
