-- The SLA policy over the wire. A change can name the version it was based on, so that it
-- overwrites no other change unseen.

create function private.sla_policy_json(policy public.sla_policies) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'minutes_to_resolve',
    jsonb_build_object('critical', policy.critical_minutes, 'high', policy.high_minutes,
      'medium', policy.medium_minutes, 'low', policy.low_minutes),
    'at_risk_thresholds', policy.at_risk_thresholds, 'at_risk_business_thresholds',
    policy.at_risk_business_thresholds, 'calendar_id', policy.calendar_id,
    'calendar_by_severity', policy.calendar_by_severity,
    'pause',
    jsonb_build_object('max_minutes', policy.pause_max_minutes, 'max_count', policy.pause_max_count,
      'rules', policy.pause_rules),
    'updated_at', private.iso(policy.updated_at), 'updated_by', policy.updated_by
  );
end $$;

-- input: {}. Returns the policy and its version.
create function public.get_sla_policy(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.begin_request(request, 'get_sla_policy');
  return (
    select private.sla_policy_json(policy) || jsonb_build_object('version', policy.version)
    from public.sla_policies policy where policy.tenant_id = private.tenant_id()
  );
end $$;

-- Open exceptions of the caller's tenant whose deadline comes from the policy and would move with
-- another one, and where to: by the current version of another calendar, otherwise by the version
-- that they have.
create function private.moved_deadlines(before public.sla_policies, after public.sla_policies)
returns table (id text, severity text, calendar_id text, calendar_no bigint, due_at timestamptz,
  new_due_at timestamptz)
language plpgsql volatile set search_path = '' as $$
begin
  return query
  with severities as materialized (
    select changed.severity, private.minutes_to_resolve(after, changed.severity) as minutes,
      private.policy_calendar(after, changed.severity) as calendar,
      private.policy_calendar(after, changed.severity)
        is distinct from private.policy_calendar(before,
        changed.severity) as is_other
    from unnest('{critical,high,medium,low}'::text[]) changed (severity)
    where private.minutes_to_resolve(after, changed.severity) <> private.minutes_to_resolve(before,
      changed.severity)
      or private.policy_calendar(after, changed.severity)
        is distinct from private.policy_calendar(before,
        changed.severity)
  ), current as materialized (
    select changed.*, private.current_calendar_no(private.tenant_id(), changed.calendar) as no
    from severities changed
  )
  select moved.id, moved.severity, moved.to_calendar, moved.no, moved.due_at,
    private.policy_deadline(moved.exception, moved.minutes, moved.no)
  from (
    select exception, exception.id, exception.severity,
      coalesce(exception.held_due_at, exception.due_at) as due_at, current.minutes,
      case when current.is_other then current.calendar
        else exception.calendar_id end as to_calendar,
      case when current.is_other then current.no else exception.calendar_no end as no
    from public.exceptions exception join current on current.severity = exception.severity
    where exception.tenant_id = private.tenant_id() and exception.status in ('open', 'in_review')
      and exception.due_from_policy
  ) moved;
end $$;

-- The effect of moving deadlines, in numbers.
create function private.impact_of(severities text[], due_ats timestamptz[],
  new_due_ats timestamptz[]) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return (
    select jsonb_build_object(
      'changed', count(*) filter (where moved.new_due_at <> moved.due_at),
      'earlier', count(*) filter (where moved.new_due_at < moved.due_at),
      'later', count(*) filter (where moved.new_due_at > moved.due_at),
      'newly_breached', count(*) filter (where moved.due_at > now() and moved.new_due_at <= now()),
      'no_longer_breached', count(*) filter (where moved.due_at <= now()
        and moved.new_due_at > now()),
      'by_severity', (
        select jsonb_object_agg(level.severity, (
          select count(*)
          from unnest(severities, due_ats, new_due_ats) as moved (severity, due_at, new_due_at)
          where moved.severity = level.severity and moved.new_due_at <> moved.due_at
        )) from unnest('{critical,high,medium,low}'::text[]) level (severity)
      )
    )
    from unnest(severities, due_ats, new_due_ats) as moved (severity, due_at, new_due_at)
  );
end $$;

-- Gives open exceptions of the caller's tenant the deadlines of `private.moved_deadlines`. For a
-- paused one, the deadline that is held. Refuses: invalid_request if a calendar opens too rarely
-- for a deadline.
create function private.move_deadlines(ids text[], calendars text[], calendar_nos bigint[],
  due_ats timestamptz[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  if array_position(due_ats, null) is not null then
    perform private.refuse_field('calendar_id',
      'This calendar opens too rarely: some deadlines would be more than 25 years away.');
  end if;
  perform private.change_exceptions_for_caller('recalculate', array(
    select jsonb_build_object('id', exception.id, 'calendar_id', moved.calendar_id,
      'calendar_no', moved.calendar_no, 'due_at', moved.due_at)
    from unnest(ids, calendars, calendar_nos, due_ats) as moved (id, calendar_id, calendar_no,
      due_at)
    join public.exceptions exception on exception.tenant_id = private.tenant_id()
      and exception.id = moved.id
    where exception.calendar_no is distinct from moved.calendar_no
      or coalesce(exception.held_due_at, exception.due_at) <> moved.due_at
    order by exception.id
  ));
end $$;

-- Refuses: invalid_request for a calendar that the tenant doesn't have, or that opens too rarely
-- for the minutes.
create function private.require_calendars(policy public.sla_policies) returns void
language plpgsql volatile set search_path = '' as $$
declare
  chosen record;
  calendar_number bigint;
begin
  for chosen in select level.severity, private.policy_calendar(policy, level.severity) as calendar
    from unnest('{critical,high,medium,low}'::text[]) level (severity) loop
    if chosen.calendar is not null then
      calendar_number := private.current_calendar_no(policy.tenant_id, chosen.calendar);
      if calendar_number is null then
        perform private.refuse_field(
          case when policy.calendar_by_severity ? chosen.severity then 'calendar_by_severity.'
          || chosen.severity
          else 'calendar_id' end,
          'There is no such calendar.');
      elsif private.first_deadline(calendar_number,
        private.minutes_to_resolve(policy, chosen.severity)) is null
        then
        perform private.refuse_field('minutes_to_resolve.' || chosen.severity,
          'The calendar opens too rarely: this deadline would be more than 25 years away.');
      end if;
    end if;
  end loop;
end $$;

-- The policy that an input makes of the one before. Refuses: invalid_request.
create function private.changed_policy(before public.sla_policies,
  input jsonb) returns public.sla_policies
language plpgsql stable set search_path = '' as $$
declare
  after public.sla_policies := before;
begin
  after.critical_minutes := input -> 'minutes_to_resolve' ->> 'critical';
  after.high_minutes := input -> 'minutes_to_resolve' ->> 'high';
  after.medium_minutes := input -> 'minutes_to_resolve' ->> 'medium';
  after.low_minutes := input -> 'minutes_to_resolve' ->> 'low';
  after.at_risk_thresholds := array(select distinct value::integer
    from jsonb_array_elements_text(input -> 'at_risk_thresholds') order by 1 desc);
  if input ? 'at_risk_business_thresholds' then
    after.at_risk_business_thresholds := array(
      select distinct value::integer
      from jsonb_array_elements_text(input -> 'at_risk_business_thresholds')
      order by 1 desc);
  end if;
  if after.at_risk_thresholds = '{}' and after.at_risk_business_thresholds = '{}' then
    perform private.refuse_field('at_risk_thresholds',
      'Include a threshold here or in at_risk_business_thresholds.');
  end if;
  if input ? 'calendar_id' then
    after.calendar_id := input ->> 'calendar_id';
  end if;
  if input ? 'calendar_by_severity' then
    after.calendar_by_severity := input -> 'calendar_by_severity';
  end if;
  if input ? 'pause' then
    after.pause_max_minutes := input -> 'pause' ->> 'max_minutes';
    after.pause_max_count := input -> 'pause' ->> 'max_count';
    after.pause_rules := input -> 'pause' -> 'rules';
  end if;
  if (after.calendar_id, after.calendar_by_severity) is distinct from (before.calendar_id,
    before.calendar_by_severity)
    or after.calendar_id is not null or after.calendar_by_severity <> '{}' then
    perform private.require_calendars(after);
  end if;
  return after;
end $$;

-- Stores a changed policy. Records: sla_policy.updated.
create function private.store_policy(before public.sla_policies,
  changed public.sla_policies) returns public.sla_policies
language plpgsql volatile set search_path = '' as $$
declare
  after public.sla_policies;
begin
  update public.sla_policies policy set
    critical_minutes = changed.critical_minutes, high_minutes = changed.high_minutes,
    medium_minutes = changed.medium_minutes,
    low_minutes = changed.low_minutes, at_risk_thresholds = changed.at_risk_thresholds,
    at_risk_business_thresholds = changed.at_risk_business_thresholds,
    calendar_id = changed.calendar_id, calendar_by_severity = changed.calendar_by_severity,
    pause_max_minutes = changed.pause_max_minutes, pause_max_count = changed.pause_max_count,
    pause_rules = changed.pause_rules, updated_at = now(), updated_by = private.actor(),
    version = before.version + 1
  where policy.tenant_id = before.tenant_id returning * into after;
  perform private.record_security_event('sla_policy.updated', null, null,
    jsonb_build_object('from', private.sla_policy_json(before), 'to',
      private.sla_policy_json(after)));
  return after;
end $$;

-- input: { minutes_to_resolve, at_risk_thresholds, dry_run, and if they change
-- at_risk_business_thresholds, calendar_id, calendar_by_severity, pause }. Deadlines that came from
-- the policy follow it. Refuses: precondition_failed, invalid_request. Records: sla_policy.updated.
create function public.put_sla_policy(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  before public.sla_policies;
  after public.sla_policies;
  moved record;
  impact jsonb;
begin
  perform private.begin_request(request, 'put_sla_policy');
  select * into before from public.sla_policies where tenant_id = private.tenant_id() for update;
  if jsonb_typeof(request -> 'versions') = 'array'
    and not request -> 'versions' @> to_jsonb(before.version) then
    perform private.refuse('precondition_failed',
      format(
        'The policy has changed since the version in If-Match, last by %s. Read it again and repeat your change.',
        before.updated_by));
  end if;
  after := private.changed_policy(before, input);
  select array_agg(deadline.id) as ids, array_agg(deadline.severity) as severities,
    array_agg(deadline.calendar_id) as calendars, array_agg(deadline.calendar_no) as calendar_nos,
    array_agg(deadline.due_at) as due_ats, array_agg(deadline.new_due_at) as new_due_ats
  into moved from private.moved_deadlines(before, after) deadline;
  impact := private.impact_of(moved.severities, moved.due_ats, moved.new_due_ats);

  if not dry_run and after is distinct from before then
    after := private.store_policy(before, after);
    if moved.ids is not null then
      perform private.move_deadlines(moved.ids, moved.calendars, moved.calendar_nos,
        moved.new_due_ats);
    end if;
    if after.at_risk_thresholds <> before.at_risk_thresholds then
      perform private.rearm_clocks();
    end if;
    if after.at_risk_business_thresholds <> before.at_risk_business_thresholds then
      perform private.rearm_business_warnings(before.at_risk_business_thresholds);
    end if;
  end if;
  return private.sla_policy_json(after)
    || jsonb_build_object('version', after.version, 'dry_run', dry_run, 'impact', impact);
end $$;

grant execute on function private.sla_policy_json(public.sla_policies) to authenticated;
