-- Deadlines: the time by which a deadline counts, and the pauses in which it doesn't.

-- The deadline; for a paused exception, what it would be if it were resumed at `as_of`. In
-- wall-clock time it recedes for as long as the pause lasts, by a calendar for as long as that was
-- open. It is never earlier than before the pause.
create function private.deadline(exception public.exceptions, as_of timestamptz) returns timestamptz
language plpgsql stable security definer set search_path = '' as $$
declare
  -- A pause whose end the worker has not processed yet ended when it should have.
  resumed_at constant timestamptz := greatest(exception.paused_at,
    least(as_of, coalesce(exception.paused_until, as_of)));
begin
  if exception.paused_at is null
    or exception.tenant_id <> coalesce(private.tenant_id(), exception.tenant_id) then
    return exception.due_at;
  elsif exception.calendar_no is null or exception.due_open_ms is null then
    return exception.held_due_at + (resumed_at - exception.paused_at);
  end if;
  return greatest(exception.held_due_at,
    private.moment_at(exception.tenant_id, exception.calendar_no, exception.due_open_ms
    + private.open_ms(exception.tenant_id, exception.calendar_no, resumed_at)
      - private.open_ms(exception.tenant_id, exception.calendar_no, exception.paused_at)));
end $$;

-- Open minutes until the deadline, rounded up; null beyond the reach of its calendar.
create function private.business_minutes_remaining(exception public.exceptions,
  as_of timestamptz) returns bigint
language plpgsql stable security definer set search_path = '' as $$
declare
  cache_key constant text := concat_ws(' ', exception.tenant_id, exception.calendar_no,
    extract(epoch from as_of), '');
  cached text := current_setting('app.open_ms', true);
begin
  if exception.tenant_id <> coalesce(private.tenant_id(), exception.tenant_id) then
    return null;
  end if;
  -- A list or a batch of events asks this for many exceptions of one calendar and one moment, so
  -- B(as_of) is cached within the transaction.
  if exception.paused_at is null and exception.due_open_ms is not null then
    if not starts_with(coalesce(cached, ''), cache_key) then
      cached := set_config('app.open_ms',
        cache_key || coalesce(private.open_ms(exception.tenant_id, exception.calendar_no,
          as_of)::text,
          ''), true);
    end if;
    return ceil(
      (exception.due_open_ms - nullif(substr(cached, length(cache_key) + 1),
        '')::bigint) / 60000.0)::bigint;
  end if;
  return ceil((
    case
      when exception.paused_until <= as_of then private.open_ms(exception.tenant_id,
        exception.calendar_no,
        private.deadline(exception, as_of))
      else exception.due_open_ms end
    - private.open_ms(exception.tenant_id, exception.calendar_no,
      case when coalesce(exception.paused_until > as_of, true) then coalesce(exception.paused_at,
        as_of) else as_of
        end)
  ) / 60000.0)::bigint;
end $$;

-- The policy's minutes from its creation by a calendar (null: round the clock), plus pauses that
-- are over. Null if no deadline is within reach.
create function private.policy_deadline(exception public.exceptions, minutes integer,
  calendar_number bigint) returns timestamptz
language plpgsql volatile set search_path = '' as $$
declare
  paused bigint := 0;
begin
  if calendar_number is null then
    return exception.created_at + make_interval(mins => minutes)
      + exception.paused_ms * interval '1 millisecond';
  end if;
  if exception.pause_count > 0 then
    select coalesce(
      sum(private.open_ms(exception.tenant_id, calendar_number, ledger_entry.resumed_at)
        - private.open_ms(exception.tenant_id, calendar_number, ledger_entry.at)),
      0) into paused
    from (
      select ledger_entry.kind, ledger_entry.at,
        lead(ledger_entry.at) over (order by ledger_entry.id) as resumed_at
      from public.exception_ledger ledger_entry
      where ledger_entry.tenant_id = exception.tenant_id
        and ledger_entry.exception_id = exception.id and ledger_entry.kind in ('paused', 'resumed')
    ) ledger_entry
    where ledger_entry.kind = 'paused' and ledger_entry.resumed_at is not null;
  end if;
  return private.moment_at(exception.tenant_id, calendar_number,
    private.open_ms(exception.tenant_id, calendar_number, exception.created_at)
      + minutes * 60000::bigint
      + paused);
end $$;

-- The moment at which this many minutes from now have passed by a calendar of the caller's tenant;
-- null beyond its reach.
create function private.first_deadline(calendar_number bigint, minutes integer) returns timestamptz
language plpgsql volatile set search_path = '' as $$
begin
  return private.moment_at(private.tenant_id(), calendar_number,
    private.open_ms(private.tenant_id(), calendar_number, now()) + minutes * 60000::bigint);
end $$;

-- Why an exception cannot be paused now; null if it can.
create function private.pause_fault(exception public.exceptions,
  policy public.sla_policies) returns text
language plpgsql stable set search_path = '' as $$
begin
  return case
    when exception.status not in ('open', 'in_review')
      then 'It is closed, and its clock has stopped. Reopen it first.'
    when exception.paused_at is not null and coalesce(exception.paused_until > now(), true)
      then 'It is paused already. Resume it first.'
    when private.deadline(exception, now()) <= now() then
      'Its deadline has passed: there is no time left to hold. Move the deadline first.'
    when exception.pause_count >= policy.pause_max_count then
      format(
        'The SLA policy allows %s pauses of an exception, and it has had them. Resolve it, or move its deadline.',
        policy.pause_max_count)
  end;
end $$;

create function private.pause_rule_holds(policy public.sla_policies, status text,
  reason_code text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return exists (
    select from jsonb_array_elements(policy.pause_rules) reason
    where coalesce(reason ->> 'status' = pause_rule_holds.status, reason ->> 'status' is null)
      and coalesce(reason ->> 'reason_code' = pause_rule_holds.reason_code,
        reason ->> 'reason_code' is null)
  );
end $$;

grant execute on function
  private.deadline(public.exceptions, timestamptz),
  private.business_minutes_remaining(public.exceptions, timestamptz)
to authenticated;
