-- SLA policies: how long a tenant gives an exception of each severity, by which calendar, when
-- warnings come before the deadline, and what pauses an exception.

create table public.sla_policies (
  tenant_id text primary key references public.tenants (id),
  critical_minutes integer not null default 240 check (critical_minutes between 1 and 525600),
  high_minutes integer not null default 480 check (high_minutes between 1 and 525600),
  medium_minutes integer not null default 1440 check (medium_minutes between 1 and 525600),
  low_minutes integer not null default 4320 check (low_minutes between 1 and 525600),
  -- Minutes before the deadline at which exception.sla.at_risk fires.
  at_risk_thresholds integer[] not null default '{240,60}'
    check (cardinality(at_risk_thresholds) between 0 and 10 and 0 < all (at_risk_thresholds)
      and 525600 >= all (at_risk_thresholds)),
  -- The same in minutes in which the exception's calendar is open; at least one of the two lists is
  -- not empty.
  at_risk_business_thresholds integer[] not null default '{}' check (
    cardinality(at_risk_business_thresholds) <= 10
    and 0 < all (at_risk_business_thresholds) and 525600 >= all (at_risk_business_thresholds)),
  -- The calendar by which minutes_to_resolve count; null: round the clock. calendar_by_severity: {
  -- severity: calendar ID | null }, the exceptions to it.
  calendar_id text,
  calendar_by_severity jsonb not null default '{}' check (
    jsonb_typeof(calendar_by_severity) = 'object'),
  -- How long a pause may last, and how often an exception may be paused; null: no limit.
  pause_max_minutes integer check (pause_max_minutes between 1 and 525600),
  pause_max_count integer check (pause_max_count between 0 and 1000),
  -- [{ status, reason_code }]: an exception is paused while it has both, if given.
  pause_rules jsonb not null default '[]' check (jsonb_array_length(pause_rules) <= 20),
  -- Grows with every change; it is the ETag.
  version integer not null default 1,
  updated_at timestamptz(3) not null default now(),
  updated_by text not null default private.actor(),
  foreign key (tenant_id, calendar_id) references public.calendars (tenant_id, id)
);

alter table public.sla_policies enable row level security;
grant select on public.sla_policies to authenticated, service_role;
-- Anyone who creates an exception gets its deadline from the policy, so everyone may read it.
create policy sla_policies_read on public.sla_policies for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:sla-policy', 'write:sla-policy', 'write:exceptions')));

-- How long the tenant gives an exception of a severity.
create function private.minutes_to_resolve(policy public.sla_policies,
  severity text) returns integer
language plpgsql immutable set search_path = '' as $$
begin
  return case severity
    when 'critical' then policy.critical_minutes when 'high' then policy.high_minutes when 'medium'
      then policy.medium_minutes
    else policy.low_minutes
  end;
end $$;

-- The calendar for exceptions of a severity; null for none.
create function private.policy_calendar(policy public.sla_policies, severity text) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return case when policy.calendar_by_severity ? severity then policy.calendar_by_severity
    ->> severity
    else policy.calendar_id end;
end $$;

-- The current version of a calendar, by which a new deadline counts; null for none.
create function private.current_calendar_no(tenant text, calendar text) returns bigint
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select calendar_version.calendar_no from public.calendars
    join public.calendar_versions calendar_version
      on calendar_version.tenant_id = calendars.tenant_id
      and calendar_version.calendar_id = calendars.id
      and calendar_version.version = calendars.version
    where calendars.tenant_id = tenant and calendars.id = calendar
      and tenant = coalesce(private.tenant_id(), tenant)
  );
end $$;

-- input: { calendar_id }. Refuses: invalid_request for a calendar that the caller's tenant doesn't
-- have.
create function private.require_calendar(input jsonb) returns void
language plpgsql stable set search_path = '' as $$
begin
  if input ->> 'calendar_id' is not null
    and private.current_calendar_no(private.tenant_id(), input ->> 'calendar_id') is null then
    perform private.refuse_field('calendar_id', 'There is no such calendar.');
  end if;
end $$;
