-- Warnings in business minutes: one row per warning, with the moment at which that much open time
-- is left before the deadline, B⁻¹(B(due_at) − minutes). Whatever changes a deadline rewrites them
-- in its transaction; the worker takes those that are due. For an exception that counts round the
-- clock, every minute is open. The warnings of a paused exception have the time infinity, so that
-- those it has not passed are still reported later.

-- Only changes of exceptions write here, and exceptions are never deleted, so a foreign key would
-- only cost a check per row.
create table private.business_warnings (
  tenant_id text not null,
  exception_id text not null,
  minutes integer not null,
  at timestamptz(3) not null,
  -- The deadline that it warns of.
  due_at timestamptz(3) not null,
  primary key (tenant_id, exception_id, minutes)
);
create index business_warnings_next on private.business_warnings (at) where at < 'infinity';
alter table private.business_warnings enable row level security;

-- When a warning is due: null if its moment has passed, infinity while the exception is paused.
create function private.business_warning_at(exception public.exceptions,
  minutes integer) returns timestamptz
language plpgsql volatile set search_path = '' as $$
declare
  due_at constant timestamptz := coalesce(exception.held_due_at, exception.due_at);
  as_of constant timestamptz := coalesce(exception.paused_at, now());
  open_ms constant bigint := exception.due_open_ms - minutes * 60000::bigint;
  has_passed constant boolean := due_at <= as_of or case
    when exception.due_open_ms is null then due_at - make_interval(mins => minutes) <= as_of
    else open_ms <= private.open_ms(exception.tenant_id, exception.calendar_no, as_of)
  end;
begin
  return case
    when has_passed then null
    when exception.paused_at is not null then 'infinity'
    when exception.due_open_ms is null then due_at - make_interval(mins => minutes)
    else private.moment_at(exception.tenant_id, exception.calendar_no, open_ms)
  end;
end $$;

-- Reports warnings, once each, and writes them into the ledger. A warning that the policy no longer
-- has is not reported.
create function private.announce_business_warnings(tenants text[], ids text[], minutes integer[],
  due_ats timestamptz[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  with reported as (
    insert into public.events (tenant_id, type, data, once_key)
    select exception.tenant_id, 'exception.sla.at_risk', jsonb_build_object(
        'exception', private.exception_json(exception), 'due_at', private.iso(passed.due_at),
        'threshold_minutes', passed.minutes, 'threshold_kind', 'business',
        'next_threshold_minutes',
        (select max(threshold) from unnest(policy.at_risk_business_thresholds || 0) threshold
          where threshold < passed.minutes)),
      concat_ws(':', exception.id, private.iso(passed.due_at), passed.minutes, 'business')
    from unnest(tenants, ids, minutes, due_ats) as passed (tenant_id, exception_id, minutes, due_at)
    join public.exceptions exception on exception.tenant_id = passed.tenant_id
      and exception.id = passed.exception_id
    join public.sla_policies policy on policy.tenant_id = passed.tenant_id
      and passed.minutes = any (policy.at_risk_business_thresholds)
    order by passed.minutes desc
    returning tenant_id, data
  )
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, threshold_minutes,
    in_business_time, calendar_no, actor,
    actor_issuer, actor_subject, request_id)
  select reports.tenant_id, exception.id, now(), 'crossed',
    (reports.data ->> 'due_at')::timestamptz,
    (reports.data -> 'threshold_minutes')::integer, true, exception.calendar_no,
    'system', null, null, null
  from reported reports
    join public.exceptions exception on exception.tenant_id = reports.tenant_id
      and exception.id = reports.data #>> '{exception,id}'
  order by (reports.data -> 'threshold_minutes')::integer desc;
end $$;

-- Reports the warnings that these exceptions have passed and that were not reported yet.
create function private.pass_business_warnings(tenants text[], ids text[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  passed record;
begin
  with taken as (
    delete
    from private.business_warnings warning
    using unnest(tenants, ids) as requested (tenant_id, exception_id)
    where warning.tenant_id = requested.tenant_id and warning.exception_id = requested.exception_id
      and warning.at <= now()
    returning warning.*
  )
  select array_agg(taken.tenant_id) as tenants, array_agg(taken.exception_id) as ids,
    array_agg(taken.minutes) as minutes, array_agg(taken.due_at) as due_ats
  into passed from taken;
  if passed.ids is not null then
    perform private.announce_business_warnings(passed.tenants, passed.ids, passed.minutes,
      passed.due_ats);
  end if;
end $$;

-- Holds the warnings of paused exceptions, removes those of others and returns them as id:minutes.
create function private.disarm_business_warnings(tenants text[], ids text[]) returns text[]
language plpgsql volatile set search_path = '' as $$
declare
  armed text[];
begin
  update private.business_warnings warning set at = 'infinity'
  from unnest(tenants, ids) as requested (tenant_id, exception_id)
  join public.exceptions exception on exception.tenant_id = requested.tenant_id
    and exception.id = requested.exception_id
    and exception.paused_at is not null
  where warning.tenant_id = exception.tenant_id and warning.exception_id = exception.id;
  with taken as (
    delete
    from private.business_warnings warning
    using unnest(tenants, ids) as requested (tenant_id, exception_id)
    join public.exceptions exception on exception.tenant_id = requested.tenant_id
      and exception.id = requested.exception_id
      and exception.paused_at is null
    where warning.tenant_id = exception.tenant_id and warning.exception_id = exception.id
    returning warning.*
  )
  select array_agg(taken.exception_id || ':' || taken.minutes) into armed from taken;
  return armed;
end $$;

-- Schedules the warnings of exceptions whose clock starts, or that were moved, paused or resumed.
-- If the change itself passes several, only the nearest is reported.
create function private.arm_business_warnings(tenants text[], ids text[],
  starts boolean) returns void
language plpgsql volatile set search_path = '' as $$
declare
  armed text[];
  passed record;
begin
  if not exists (select from public.sla_policies policy
    where policy.tenant_id = any (tenants) and policy.at_risk_business_thresholds <> '{}') then
    return;
  end if;
  if not starts then
    armed := private.disarm_business_warnings(tenants, ids);
  end if;
  with placed as materialized (
    select exception.tenant_id, exception.id, exception.due_at, threshold.minutes,
      case when exception.paused_at is null
        then private.business_warning_at(exception, threshold.minutes) else 'infinity'
        end as at
    from unnest(tenants, ids) as requested (tenant_id, exception_id)
    join public.exceptions exception on exception.tenant_id = requested.tenant_id
      and exception.id = requested.exception_id and exception.status in ('open', 'in_review')
    join public.sla_policies policy on policy.tenant_id = exception.tenant_id
    cross join lateral unnest(policy.at_risk_business_thresholds) as threshold (minutes)
    where starts or exception.paused_at is null
  ), written as (
    insert into private.business_warnings (tenant_id, exception_id, minutes, at, due_at)
    select places.tenant_id, places.id, places.minutes, places.at, places.due_at from placed places
    where places.at is not null
  )
  select array_agg(nearest.tenant_id) as tenants, array_agg(nearest.id) as ids,
    array_agg(nearest.minutes) as minutes, array_agg(nearest.due_at) as due_ats
  into passed
  from (
    select places.tenant_id, places.id, places.due_at, min(places.minutes) as minutes
    from placed places
    where places.at is null and places.due_at > now()
      and (starts or places.id || ':' || places.minutes = any (armed))
    group by places.tenant_id, places.id, places.due_at
  ) nearest;
  if passed.ids is not null then
    perform private.announce_business_warnings(passed.tenants, passed.ids, passed.minutes,
      passed.due_ats);
  end if;
end $$;

-- Adds the thresholds that the policy of the caller's tenant has and `before` had not to its open
-- exceptions, and removes those that it no longer has. What has passed already is not reported.
create function private.rearm_business_warnings(before integer[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  thresholds constant integer[] := (select policy.at_risk_business_thresholds
    from public.sla_policies policy
    where policy.tenant_id = tenant);
begin
  delete
  from private.business_warnings warning
  where warning.tenant_id = tenant and warning.minutes <> all (thresholds);
  insert into private.business_warnings (tenant_id, exception_id, minutes, at, due_at)
  select rearmed.tenant_id, rearmed.id, rearmed.minutes, rearmed.at, rearmed.due_at
  from (
    select exception.tenant_id, exception.id, exception.due_at, threshold.minutes,
      private.business_warning_at(exception, threshold.minutes) as at
    from public.exceptions exception cross join unnest(thresholds) as threshold (minutes)
    where exception.tenant_id = tenant and exception.status in ('open', 'in_review')
      and exception.due_at > now() and threshold.minutes <> all (before)
  ) rearmed
  where rearmed.at is not null
  on conflict (tenant_id, exception_id, minutes) do nothing;
end $$;

-- Takes up to `batch` warnings that are due. Planned at every call: a plan cached while the table
-- was empty would read all of it for each warning.
create function private.take_business_warnings(
  batch integer) returns setof private.business_warnings
language plpgsql volatile set search_path = '' set plan_cache_mode = force_custom_plan as $$
begin
  return query
  with due as (
    select warning.tenant_id, warning.exception_id, warning.minutes
    from private.business_warnings warning
    where warning.at <= now() and warning.at < 'infinity' order by warning.at limit batch
      for update skip locked
  )
  delete from private.business_warnings warning using due
  where warning.tenant_id = due.tenant_id and warning.exception_id = due.exception_id
    and warning.minutes = due.minutes
  returning warning.*;
end $$;

-- Called by the worker: reports up to `batch` warnings that are due. Returns how many.
create function private.tick_business_warnings(batch integer) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  passed record;
begin
  select array_agg(warning.tenant_id) as tenants, array_agg(warning.exception_id) as ids,
    array_agg(warning.minutes) as minutes, array_agg(warning.due_at) as due_ats
  into passed from private.take_business_warnings(batch) warning;
  if passed.ids is null then
    return 0;
  end if;
  perform private.announce_business_warnings(passed.tenants, passed.ids, passed.minutes,
    passed.due_ats);
  return cardinality(passed.ids);
end $$;
