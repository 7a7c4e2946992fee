-- Deadlines: the time by which a deadline counts, and the pauses in which it doesn't.

-- The deadline; for a paused exception, what it would be if it were resumed at `as_of`. In
-- wall-clock time it recedes for as long as the pause lasts, by a calendar for as long as that was
-- open. It is never earlier than before the pause.
create function private.deadline(e public.exceptions, as_of timestamptz) returns timestamptz
language plpgsql stable security definer set search_path = '' as $$
declare
  -- A pause whose end the worker has not processed yet ended when it should have.
  resumed_at constant timestamptz := greatest(e.paused_at,
    least(as_of, coalesce(e.paused_until, as_of)));
begin
  if e.paused_at is null or e.tenant_id <> coalesce(private.tenant_id(), e.tenant_id) then
    return e.due_at;
  elsif e.calendar_no is null or e.due_open_ms is null then
    return e.held_due_at + (resumed_at - e.paused_at);
  end if;
  return greatest(e.held_due_at, private.moment_at(e.tenant_id, e.calendar_no, e.due_open_ms
    + private.open_ms(e.tenant_id, e.calendar_no, resumed_at)
      - private.open_ms(e.tenant_id, e.calendar_no, e.paused_at)));
end $$;

-- Open minutes until the deadline, rounded up; null beyond the reach of its calendar.
create function private.business_minutes_remaining(e public.exceptions,
  as_of timestamptz) returns bigint
language plpgsql stable security definer set search_path = '' as $$
declare
  asked constant text := concat_ws(' ', e.tenant_id, e.calendar_no, extract(epoch from as_of), '');
  known text := current_setting('app.open_ms', true);
begin
  if e.tenant_id <> coalesce(private.tenant_id(), e.tenant_id) then
    return null;
  end if;
  -- A list or a batch of events asks this for many exceptions of one calendar and one moment, so
  -- B(as_of) is cached within the transaction.
  if e.paused_at is null and e.due_open_ms is not null then
    if not starts_with(coalesce(known, ''), asked) then
      known := set_config('app.open_ms',
        asked || coalesce(private.open_ms(e.tenant_id, e.calendar_no, as_of)::text, ''), true);
    end if;
    return ceil(
      (e.due_open_ms - nullif(substr(known, length(asked) + 1), '')::bigint) / 60000.0)::bigint;
  end if;
  return ceil((
    case
      when e.paused_until <= as_of then private.open_ms(e.tenant_id, e.calendar_no,
        private.deadline(e, as_of))
      else e.due_open_ms end
    - private.open_ms(e.tenant_id, e.calendar_no,
      case when coalesce(e.paused_until > as_of, true) then coalesce(e.paused_at, as_of) else as_of
        end)
  ) / 60000.0)::bigint;
end $$;

-- The policy's minutes from its creation by a calendar (null: round the clock), plus pauses that
-- are over. Null if no deadline is within reach.
create function private.policy_deadline(e public.exceptions, minutes integer,
  no bigint) returns timestamptz
language plpgsql volatile set search_path = '' as $$
declare
  paused bigint := 0;
begin
  if no is null then
    return e.created_at + make_interval(mins => minutes) + e.paused_ms * interval '1 millisecond';
  end if;
  if e.pause_count > 0 then
    select coalesce(
      sum(private.open_ms(e.tenant_id, no, l.resumed_at) - private.open_ms(e.tenant_id, no, l.at)),
      0) into paused
    from (
      select x.kind, x.at, lead(x.at) over (order by x.id) as resumed_at
      from public.exception_ledger x
      where x.tenant_id = e.tenant_id and x.exception_id = e.id and x.kind in ('paused', 'resumed')
    ) l
    where l.kind = 'paused' and l.resumed_at is not null;
  end if;
  return private.moment_at(e.tenant_id, no,
    private.open_ms(e.tenant_id, no, e.created_at) + minutes * 60000::bigint + paused);
end $$;

-- The moment at which this many minutes from now have passed by a calendar of the caller's tenant;
-- null beyond its reach.
create function private.first_deadline(no bigint, minutes integer) returns timestamptz
language plpgsql volatile set search_path = '' as $$
begin
  return private.moment_at(private.tenant_id(), no,
    private.open_ms(private.tenant_id(), no, now()) + minutes * 60000::bigint);
end $$;

-- Why an exception cannot be paused now; null if it can.
create function private.pause_fault(e public.exceptions, p public.sla_policies) returns text
language plpgsql stable set search_path = '' as $$
begin
  return case
    when e.status not in ('open',
      'in_review') then 'It is closed, and its clock has stopped. Reopen it first.'
    when e.paused_at is not null
    and coalesce(e.paused_until > now(), true) then 'It is paused already. Resume it first.'
    when private.deadline(e,
      now()) <= now(
        ) then 'Its deadline has passed: there is no time left to hold. Move the deadline first.'
    when e.pause_count >= p.pause_max_count then
      format(
        'The SLA policy allows %s pauses of an exception, and it has had them. Resolve it, or move its deadline.',
        p.pause_max_count)
  end;
end $$;

create function private.pause_rule_holds(p public.sla_policies, status text,
  reason_code text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return exists (
    select from jsonb_array_elements(p.pause_rules) r
    where coalesce(r ->> 'status' = pause_rule_holds.status, r ->> 'status' is null)
      and coalesce(r ->> 'reason_code' = pause_rule_holds.reason_code, r ->> 'reason_code' is null)
  );
end $$;

grant execute on function
  private.deadline(public.exceptions, timestamptz),
  private.business_minutes_remaining(public.exceptions, timestamptz)
to authenticated;
