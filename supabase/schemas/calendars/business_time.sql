-- Business time: B(t), the milliseconds before t in which a calendar was open, and its inverse.
-- Both are one look into an index of spans, computed for three years ahead, extended on demand.
-- A moment is open if the wall clock of the calendar's zone then shows a time inside an interval.
-- So a time that the clocks skip in spring is never open, and one that they repeat in autumn is
-- open twice. Only differences of B have a meaning: B is 0 where the spans of a version begin.

-- Open spans of a version: `open_before` is B(starts_at).
create table private.calendar_spans (
  tenant_id text not null,
  calendar_no bigint not null,
  starts_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  open_before bigint not null,
  primary key (tenant_id, calendar_no, starts_at),
  foreign key (tenant_id, calendar_no) references public.calendar_versions (tenant_id, calendar_no)
);
create index calendar_spans_by_time on private.calendar_spans (tenant_id, calendar_no, open_before);
alter table private.calendar_spans enable row level security;

-- The period that the spans of a version cover, and B at both ends.
create table private.calendar_coverage (
  tenant_id text not null,
  calendar_no bigint not null,
  covered_from timestamptz(3) not null,
  covered_until timestamptz(3) not null,
  open_from bigint not null,
  open_until bigint not null,
  -- A digest of the zone's offsets in the period: it changes when the time zone data does.
  zone_print text not null,
  -- When it was last compared with the time zone data; -infinity: compare it now.
  zone_checked_at timestamptz not null default now(),
  primary key (tenant_id, calendar_no),
  foreign key (tenant_id, calendar_no) references public.calendar_versions (tenant_id, calendar_no)
);
alter table private.calendar_coverage enable row level security;

-- How far from now business time is counted. No calendar can set a deadline beyond it.
create function private.business_time_reach() returns interval
language sql immutable set search_path = ''
return interval '25 years';

create function private.utc_offset(zone text, moment timestamptz) returns interval
language plpgsql stable set search_path = '' as $$
begin
  return (moment at time zone zone) - (moment at time zone 'UTC');
end $$;

-- The zone's offsets from `since` to `until`, each with the span in which it applies, to the
-- second. No zone changes its clocks twice in a day.
create function private.zone_offsets(zone text, since timestamptz, until timestamptz)
returns table (starts_at timestamptz, ends_at timestamptz, utc_offset interval)
language plpgsql stable set search_path = '' as $$
declare
  reached timestamptz := since;
  next_known timestamptz;
  low timestamptz;
  high timestamptz;
  middle timestamptz;
  next_offset interval;
begin
  starts_at := since;
  utc_offset := private.utc_offset(zone, since);
  while reached < until loop
    next_known := least(reached + interval '24 hours', until);
    next_offset := (next_known at time zone zone) - (next_known at time zone 'UTC');
    if next_offset <> utc_offset then
      low := reached;
      high := next_known;
      while high - low > interval '1 second' loop
        middle := low + date_trunc('second', (high - low) / 2);
        if private.utc_offset(zone, middle) = utc_offset then
          low := middle;
        else
          high := middle;
        end if;
      end loop;
      ends_at := high;
      return next;
      starts_at := high;
      utc_offset := next_offset;
    end if;
    reached := next_known;
  end loop;
  if starts_at < until then
    ends_at := until;
    return next;
  end if;
end $$;

-- The open spans of a calendar between two moments of whole seconds, merged and in order.
create function private.open_spans(zone text, weekly jsonb, special_days jsonb, since timestamptz,
  until timestamptz)
returns table (starts_at timestamptz, ends_at timestamptz)
language plpgsql stable set search_path = '' as $$
begin
  return query
  with days as materialized (
    select reach.first_day + day_number as day
    from (select (since at time zone zone)::date - 2 as first_day,
      (until at time zone zone)::date + 1 as last_day) reach
    cross join lateral generate_series(0, reach.last_day - reach.first_day) day_number
  ), special as materialized (
    select (special_day ->> 'date')::date as day, special_day -> 'intervals' as intervals
    from jsonb_array_elements(special_days) special_day
  ), intervals as (
    select days.day, hours as hours from days join jsonb_array_elements(weekly) hours
      on hours ->> 'day' = (
        '{monday,tuesday,wednesday,thursday,friday,saturday,sunday}'::text[])[extract(
          isodow from days.day)]
    where days.day not in (select special_day.day from special special_day)
    union all
    select special_day.day, opening
    from days
    join special special_day on special_day.day = days.day
    cross join lateral jsonb_array_elements(special_day.intervals) opening
  ), local_spans as (
    select opening.day + times.opens as opens_at,
      opening.day + times.closes
        + case when times.closes <= times.opens then interval '24 hours'
          else interval '0' end as closes_at
    from intervals opening
      cross join lateral (select (opening.hours ->> 'from')::interval as opens,
        (opening.hours ->> 'to')::interval as closes) times
  ), moments as (
    select greatest((local_spans.opens_at - zone_offset.utc_offset) at time zone 'UTC',
      zone_offset.starts_at) as opens_at,
      least((local_spans.closes_at - zone_offset.utc_offset) at time zone 'UTC',
        zone_offset.ends_at) as closes_at
    from local_spans join private.zone_offsets(zone, since, until) zone_offset
      on local_spans.opens_at - zone_offset.utc_offset < zone_offset.ends_at at time zone 'UTC'
        and local_spans.closes_at - zone_offset.utc_offset
          > zone_offset.starts_at at time zone 'UTC'
  )
  select lower(span_range), upper(span_range)
  from unnest(
    (select range_agg(tstzrange(moments.opens_at, moments.closes_at)) from moments
      where moments.opens_at < moments.closes_at)) span_range order by 1;
end $$;

create function private.zone_print(zone text, since timestamptz, until timestamptz) returns text
language plpgsql stable set search_path = '' as $$
begin
  return (
    select md5(
      string_agg(extract(epoch from zone_offset.starts_at) || ' '
        || extract(epoch from zone_offset.utc_offset), ',' order by zone_offset.starts_at))
    from private.zone_offsets(zone, since, until) zone_offset
  );
end $$;

-- Starts the spans of a version.
create function private.start_business_time(tenant text, calendar_no bigint, since timestamptz,
  until timestamptz) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into private.calendar_coverage (tenant_id, calendar_no, covered_from, covered_until,
    open_from, open_until, zone_print)
  values (tenant, calendar_no, since, since, 0, 0, '');
  perform private.extend_business_time(tenant, calendar_no, since, until);
end $$;

-- The milliseconds of all spans that start from `since` until before `until`.
create function private.span_ms(tenant text, calendar_number bigint, since timestamptz,
  until timestamptz) returns bigint
language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(sum(extract(epoch from span.ends_at - span.starts_at) * 1000), 0)::bigint
    from private.calendar_spans span
    where span.tenant_id = tenant and span.calendar_no = calendar_number
      and span.starts_at >= since and span.starts_at < until
  );
end $$;

-- Ensures that the spans of a version reach from `since` to `until`. Waits for a concurrent
-- extension.
create function private.extend_business_time(tenant text, calendar_number bigint, since timestamptz,
  until timestamptz) returns void
language plpgsql volatile set search_path = '' as $$
declare
  covered private.calendar_coverage;
  calendar public.calendar_versions;
  earliest timestamptz;
  latest timestamptz;
  is_stale boolean;
begin
  select * into covered from private.calendar_coverage coverage
  where coverage.tenant_id = tenant and coverage.calendar_no = calendar_number for update;
  select * into calendar from public.calendar_versions calendar_version
  where calendar_version.tenant_id = tenant and calendar_version.calendar_no = calendar_number;
  is_stale := covered.covered_from < covered.covered_until
    and covered.zone_print <> private.zone_print(calendar.time_zone, covered.covered_from,
      covered.covered_until);
  earliest := least(covered.covered_from, date_trunc('hour', since));
  latest := greatest(covered.covered_until, date_trunc('hour', until) + interval '1 hour');
  if latest > covered.covered_until then
    insert into private.calendar_spans (tenant_id, calendar_no, starts_at, ends_at, open_before)
    select tenant, calendar_number, span.starts_at, span.ends_at,
      covered.open_until + coalesce(sum(length.open) over (order by span.starts_at
        rows between unbounded preceding and 1 preceding), 0)
    from private.open_spans(calendar.time_zone, calendar.weekly, calendar.special_days,
      covered.covered_until, latest) span cross join lateral (
      select (extract(epoch from span.ends_at - span.starts_at) * 1000)::bigint as open) length;
    covered.open_until := covered.open_until
      + private.span_ms(tenant, calendar_number, covered.covered_until, 'infinity');
  end if;
  if earliest < covered.covered_from then
    insert into private.calendar_spans (tenant_id, calendar_no, starts_at, ends_at, open_before)
    select tenant, calendar_number, span.starts_at, span.ends_at,
      covered.open_from - sum(length.open) over (order by span.starts_at desc)
    from private.open_spans(calendar.time_zone, calendar.weekly, calendar.special_days, earliest,
      covered.covered_from) span
    cross join lateral (
      select (extract(epoch from span.ends_at - span.starts_at) * 1000)::bigint as open) length;
    covered.open_from := covered.open_from
      - private.span_ms(tenant, calendar_number, '-infinity', covered.covered_from);
  end if;
  -- Spans computed with other time zone data stay marked until the worker rebuilds them.
  update private.calendar_coverage coverage
  set covered_from = earliest, covered_until = latest, open_from = covered.open_from,
    open_until = covered.open_until, zone_print = case when is_stale then covered.zone_print
      else private.zone_print(calendar.time_zone, earliest, latest) end,
    zone_checked_at = case when is_stale then '-infinity' else coverage.zone_checked_at end
  where coverage.tenant_id = tenant and coverage.calendar_no = calendar_number;
end $$;

-- B(t) in milliseconds. Outside the spans it is computed on the spot, as far as the reach; null
-- beyond.
create function private.open_ms(tenant text, calendar_number bigint,
  moment timestamptz) returns bigint
language plpgsql stable set search_path = '' as $$
declare
  covered private.calendar_coverage;
  calendar public.calendar_versions;
  open bigint;
begin
  select * into covered
  from private.calendar_coverage coverage
  where coverage.tenant_id = tenant and coverage.calendar_no = calendar_number;
  if moment between covered.covered_from and covered.covered_until then
    select span.open_before
      + (extract(epoch from least(moment, span.ends_at) - span.starts_at) * 1000)::bigint into open
    from private.calendar_spans span
    where span.tenant_id = tenant and span.calendar_no = calendar_number
      and span.starts_at <= moment order by span.starts_at desc limit 1;
    return coalesce(open, covered.open_from);
  elsif moment > greatest(now(), covered.covered_until) + private.business_time_reach()
    or moment < least(now(), covered.covered_from) - private.business_time_reach() then
    return null;
  end if;
  select * into calendar from public.calendar_versions calendar_version
  where calendar_version.tenant_id = tenant and calendar_version.calendar_no = calendar_number;
  select coalesce(sum(extract(epoch from least(span.ends_at, greatest(moment, covered.covered_from))
    - greatest(span.starts_at, least(moment, covered.covered_until))) * 1000), 0)::bigint into open
  from private.open_spans(calendar.time_zone, calendar.weekly, calendar.special_days,
    case when moment > covered.covered_until then covered.covered_until
      else date_trunc('hour', moment) end,
    case when moment > covered.covered_until then date_trunc('hour', moment) + interval '1 hour'
      else covered.covered_from end) span
  where case when moment > covered.covered_until then span.starts_at < moment
    else span.ends_at > moment
    end;
  return case when moment > covered.covered_until then covered.open_until + open
    else covered.open_from - open end;
end $$;

-- The inverse of B: the first moment before which the calendar had been open for that long. Null if
-- there is none within reach.
create function private.moment_at(tenant text, calendar_number bigint,
  open_ms bigint) returns timestamptz
language plpgsql volatile set search_path = '' as $$
declare
  covered private.calendar_coverage;
  found_at timestamptz;
begin
  loop
    select * into covered
    from private.calendar_coverage coverage
    where coverage.tenant_id = tenant and coverage.calendar_no = calendar_number;
    if open_ms > covered.open_until then
      if covered.covered_until > now() + private.business_time_reach() then
        return null;
      end if;
      perform private.extend_business_time(tenant, calendar_number, covered.covered_from,
        covered.covered_until + interval '8784 hours');
    elsif open_ms <= covered.open_from then
      if covered.covered_from < now() - private.business_time_reach() then
        return null;
      end if;
      perform private.extend_business_time(tenant, calendar_number,
        covered.covered_from - interval '8784 hours', covered.covered_until);
    else
      select span.starts_at
        + (moment_at.open_ms - span.open_before) * interval '1 millisecond' into found_at
      from private.calendar_spans span
      where span.tenant_id = tenant and span.calendar_no = calendar_number
        and span.open_before < moment_at.open_ms order by span.open_before desc limit 1;
      return found_at;
    end if;
  end loop;
end $$;

-- The days on which a calendar opens, by its current version: { calendar_id, calendar_version,
-- open_days: { weekdays, opened, closed } }, weekdays from 1 (Monday), the others in order as days
-- since 1970-01-01 (engine/prepare/days.ts). Null for none.
create function private.open_days(tenant text, calendar text) returns jsonb
language plpgsql stable security definer set search_path = '' as $$
begin
  return (
    select jsonb_build_object('calendar_id', calendar_version.calendar_id,
      'calendar_version', calendar_version.version, 'open_days', jsonb_build_object(
      'weekdays', (
        select jsonb_agg(
          distinct array_position(
            '{monday,tuesday,wednesday,thursday,friday,saturday,sunday}'::text[], hours ->> 'day'))
        from jsonb_array_elements(calendar_version.weekly) hours
      ), 'opened', coalesce(special.opened, '[]'), 'closed', coalesce(special.closed, '[]')))
    from public.calendars
      join public.calendar_versions calendar_version
        on calendar_version.tenant_id = calendars.tenant_id
        and calendar_version.calendar_id = calendars.id
        and calendar_version.version = calendars.version
    cross join lateral (
      select jsonb_agg(dated.day order by dated.day) filter (where dated.opens) as opened,
        jsonb_agg(dated.day order by dated.day) filter (where not dated.opens) as closed
      from (
        select (special_day ->> 'date')::date - date '1970-01-01' as day,
          jsonb_array_length(special_day -> 'intervals') > 0 as opens
        from jsonb_array_elements(calendar_version.special_days) special_day
      ) dated
    ) special where calendars.tenant_id = tenant and calendars.id = calendar
      and tenant = coalesce(private.tenant_id(), tenant)
  );
end $$;

-- Whether a calendar opens on a day, by the `open_days` of private.open_days; null: Monday to
-- Friday.
create function private.is_business_day(open_days jsonb, day date) returns boolean
language plpgsql immutable set search_path = '' as $$
declare
  number constant jsonb := to_jsonb(day - date '1970-01-01');
  weekday constant integer := extract(isodow from day);
begin
  return case when open_days is null then weekday < 6
    else open_days -> 'opened' @> number
      or open_days -> 'weekdays' @> to_jsonb(weekday) and not open_days -> 'closed' @> number end;
end $$;

-- How many business days lie after one day up to another; without a calendar, Monday to Friday.
create function private.business_days_between(tenant text, calendar text, after date,
  until date) returns bigint
language plpgsql stable set search_path = '' as $$
declare
  open_days constant jsonb := private.open_days(tenant, calendar) -> 'open_days';
begin
  return (
    select count(*) from generate_series(after + 1, until, interval '1 day') day
    where private.is_business_day(open_days, day::date)
  );
end $$;
grant execute on function
  private.is_business_day(jsonb, date), private.business_days_between(text, text, date, date)
to authenticated;

-- Extends the spans that reach less than three years ahead, at most `batch` versions at a time.
-- Returns how many. Only versions in use are extended: those that the SLA policy sets deadlines by,
-- and those that open exceptions count by. A version that comes into use again is extended when it
-- sets a deadline.
create function private.extend_calendars(batch integer default 20) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  ending record;
  extended integer := 0;
begin
  for ending in
    select coverage.tenant_id, coverage.calendar_no from private.calendar_coverage coverage
    where coverage.covered_until < now() + interval '3 years' and (
      exists (
        select from public.exceptions exception
        where exception.tenant_id = coverage.tenant_id
          and exception.calendar_no = coverage.calendar_no
          and exception.status in ('open', 'in_review')
      ) or exists (
        select
        from public.sla_policies policy, unnest(array['critical', 'high', 'medium', 'low']) level
        where policy.tenant_id = coverage.tenant_id
          and private.current_calendar_no(policy.tenant_id,
            private.policy_calendar(policy, level)) = coverage.calendar_no
      )
    ) order by coverage.covered_until limit batch for update skip locked
  loop
    perform private.extend_business_time(ending.tenant_id, ending.calendar_no, now(),
      now() + interval '3 years 1 month');
    extended := extended + 1;
  end loop;
  return extended;
end $$;
grant execute on function private.open_days(text, text) to authenticated;
grant execute on function private.extend_calendars(integer) to service_role;
