-- Polls of open exceptions that find nothing new, answered without reading the list.

-- How long after its start a transaction can commit. A change is as old as its transaction's start.
create function private.commit_delay() returns interval language sql immutable set search_path = ''
return interval '15 seconds';

create function private.last_exception_change() returns timestamptz
language plpgsql stable set search_path = '' as $$
begin
  return coalesce((
    select exception.updated_at from public.exceptions exception
    where exception.tenant_id = private.tenant_id()
    order by exception.updated_at desc limit 1
  ), 'epoch');
end $$;

-- When the next clock of the caller's tenant passes a boundary, or passed one that the worker has
-- not recorded yet.
create function private.next_clock_at() returns timestamptz
language plpgsql stable security definer set search_path = '' as $$
begin
  return (select min(clock.next_at) from private.exception_clocks clock
    where clock.tenant_id = private.tenant_id());
end $$;

-- When a list with the filters of `input` next changes by itself: a deadline crosses a risk or
-- within_minutes, a pause ends, or a breach is recorded that breached_from or breached_before asks
-- for. The worker records the last two, so that one which has passed may still change the list.
create function private.next_sla_change(as_of timestamptz, input jsonb) returns timestamptz
language plpgsql stable set search_path = '' set plan_cache_mode = force_generic_plan as $$
declare
  within constant integer := least((input ->> 'within_minutes')::bigint, 1000000000)::integer;
begin
  return least((
    select min(crossing.at)
    from unnest(private.risk_crossings(within)) threshold (minutes)
    cross join lateral (
      select exception.due_at - make_interval(mins => threshold.minutes) as at
      from public.exceptions exception
      where exception.tenant_id = private.tenant_id()
        and exception.status in ('open', 'in_review')
        and exception.due_at > as_of + make_interval(mins => threshold.minutes)
      order by exception.due_at limit 1
    ) crossing
  ), (
    select min(exception.paused_until) from public.exceptions exception
    where exception.tenant_id = private.tenant_id()
      and exception.paused_until <= as_of + interval '1 minute'
  ), case when input ?| '{breached_from,breached_before}' then private.next_clock_at() end);
end $$;

-- The state of a read of open exceptions, which the client stores: the last change, and until when
-- nothing in the list changes by itself, at most a minute. If an earlier change may still commit,
-- `until` is now.
create function private.sla_state(as_of timestamptz, input jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
declare
  changed_at constant timestamptz := private.last_exception_change();
begin
  return jsonb_build_object('changed_at', private.iso(changed_at), 'as_of', private.iso(as_of),
    'until', private.iso(
      case when changed_at > as_of - private.commit_delay() then as_of
      else least(private.next_sla_change(as_of, input), as_of + interval '1 minute') end));
end $$;

-- Null for pages after the first, which nobody polls.
create function private.sla_state_of_page(as_of timestamptz, input jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return case when input -> 'after' ->> 0 is null then private.sla_state(as_of, input) end;
end $$;

-- Whether a read now would return what the client already has. `known` is null, or a result of
-- sla_state. A read of changes begins at `since`, which must not be earlier than the client's
-- state. After a failover the database's clock may be earlier; then the state is not recognized.
create function private.is_sla_known(known jsonb, as_of timestamptz, since timestamptz = 'infinity')
returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return coalesce(as_of >= (known ->> 'as_of')::timestamptz
    and as_of < (known ->> 'until')::timestamptz
    and since >= (known ->> 'as_of')::timestamptz
    and private.last_exception_change() = (known ->> 'changed_at')::timestamptz, false);
end $$;

grant execute on function
  private.commit_delay(), private.last_exception_change(), private.next_clock_at(),
  private.next_sla_change(timestamptz, jsonb), private.sla_state(timestamptz, jsonb),
  private.sla_state_of_page(timestamptz, jsonb),
  private.is_sla_known(jsonb, timestamptz, timestamptz)
to authenticated;
