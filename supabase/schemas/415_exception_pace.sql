-- Pace: by which time an exception's deadline counts, and the pauses in which it doesn't.

-- The deadline; of a paused exception as it would be, were it resumed at `as_of`. In wall-clock time it recedes as long as the pause lasts, by a
-- calendar as long as that was open; never is it nearer than before the pause.
create function private.deadline(e public.exceptions, as_of timestamptz) returns timestamptz
language plpgsql stable security definer set search_path = '' as $$
declare
  -- A pause of which nobody has seen the end yet ended when it should.
  resumed_at constant timestamptz := greatest(e.paused_at, least(as_of, coalesce(e.paused_until, as_of)));
begin
  if e.paused_at is null or e.tenant_id <> coalesce(private.tenant_id(), e.tenant_id) then
    return e.due_at;
  elsif e.calendar_no is null or e.due_open_ms is null then
    return e.held_due_at + (resumed_at - e.paused_at);
  end if;
  return greatest(e.held_due_at, private.moment_at(e.tenant_id, e.calendar_no, e.due_open_ms
    + private.open_ms(e.tenant_id, e.calendar_no, resumed_at) - private.open_ms(e.tenant_id, e.calendar_no, e.paused_at)));
end $$;

-- Open minutes until the deadline, rounded up; null beyond the reach of its calendar.
create function private.business_minutes_remaining(e public.exceptions, as_of timestamptz) returns bigint
language plpgsql stable security definer set search_path = '' as $$
declare
  asked constant text := concat_ws(' ', e.tenant_id, e.calendar_no, extract(epoch from as_of), '');
  known text := current_setting('tieout.open_ms', true);
begin
  if e.tenant_id <> coalesce(private.tenant_id(), e.tenant_id) then
    return null;
  end if;
  -- A list or a batch of events asks it of many by one calendar as of one moment: B(as_of) is remembered within the transaction.
  if e.paused_at is null and e.due_open_ms is not null then
    if not starts_with(coalesce(known, ''), asked) then
      known := set_config('tieout.open_ms', asked || coalesce(private.open_ms(e.tenant_id, e.calendar_no, as_of)::text, ''), true);
    end if;
    return ceil((e.due_open_ms - nullif(substr(known, length(asked) + 1), '')::bigint) / 60000.0)::bigint;
  end if;
  return ceil((
    case when e.paused_until <= as_of then private.open_ms(e.tenant_id, e.calendar_no, private.deadline(e, as_of)) else e.due_open_ms end
    - private.open_ms(e.tenant_id, e.calendar_no, case when coalesce(e.paused_until > as_of, true) then coalesce(e.paused_at, as_of) else as_of end)
  ) / 60000.0)::bigint;
end $$;

-- What the policy's minutes from its creation come to by a calendar (null: round the clock), pauses that are over added. Null where no deadline is
-- within reach.
create function private.policy_deadline(e public.exceptions, minutes integer, no bigint) returns timestamptz
language plpgsql volatile security definer set search_path = '' as $$
declare
  paused bigint := 0;
begin
  if e.tenant_id <> coalesce(private.tenant_id(), e.tenant_id) then
    return null;
  elsif no is null then
    return e.created_at + make_interval(mins => minutes) + e.paused_ms * interval '1 millisecond';
  end if;
  if e.pause_count > 0 then
    select coalesce(sum(private.open_ms(e.tenant_id, no, l.resumed_at) - private.open_ms(e.tenant_id, no, l.at)), 0) into paused
    from (
      select x.kind, x.at, lead(x.at) over (order by x.id) as resumed_at
      from public.exception_ledger x
      where x.tenant_id = e.tenant_id and x.exception_id = e.id and x.kind in ('paused', 'resumed')
    ) l
    where l.kind = 'paused' and l.resumed_at is not null;
  end if;
  return private.moment_at(e.tenant_id, no, private.open_ms(e.tenant_id, no, e.created_at) + minutes * 60000::bigint + paused);
end $$;

-- When so many minutes from now are over by a calendar of the caller's tenant; null where that is beyond reach.
create function private.first_deadline(no bigint, minutes integer) returns timestamptz
language plpgsql volatile security definer set search_path = '' as $$
begin
  return private.moment_at(private.tenant_id(), no, private.open_ms(private.tenant_id(), no, now()) + minutes * 60000::bigint);
end $$;

-- Why an exception cannot be paused now; null: it can.
create function private.pause_fault(e public.exceptions, p public.sla_policies) returns text
language plpgsql stable set search_path = '' as $$
begin
  return case
    when e.status not in ('open', 'in_review') then 'It is closed, and its clock has stopped. Reopen it first.'
    when e.paused_at is not null and coalesce(e.paused_until > now(), true) then 'It is paused already. Resume it first.'
    when private.deadline(e, now()) <= now() then 'Its deadline has passed: there is no time left to hold. Move the deadline first.'
    when e.pause_count >= p.pause_max_count then
      format('The SLA policy allows %s pauses of an exception, and it has had them. Resolve it, or move its deadline.', p.pause_max_count)
  end;
end $$;

create function private.pause_rule_holds(p public.sla_policies, status text, reason_code text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return exists (
    select from jsonb_array_elements(p.pause_rules) r
    where coalesce(r ->> 'status' = pause_rule_holds.status, r ->> 'status' is null)
      and coalesce(r ->> 'reason_code' = pause_rule_holds.reason_code, r ->> 'reason_code' is null)
  );
end $$;

-- Sets deadlines that count by a calendar, begins and ends pauses, whoever asks for them: a call, a rule of the policy, the end of a pause, a closing.
-- Refuses: conflict for what cannot be paused, and for a deadline moved while paused.
create function private.pace_exception() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  -- What `guard` says of a change: in the order in which changes of one exception happen.
  moment constant timestamptz(3) := case when tg_op = 'INSERT' then date_trunc('milliseconds', now()) else new.updated_at end;
  was public.exceptions;
  p public.sla_policies;
  is_open constant boolean := new.status in ('open', 'in_review');
  has_changed constant boolean := tg_op = 'INSERT' or (new.status, new.reason_code) is distinct from (old.status, old.reason_code);
  begins boolean := tg_op = 'UPDATE' and new.paused_at is not null and old.paused_at is null;
  is_held boolean;
  ended_at timestamptz(3);
  fault text;
begin
  if tg_op = 'INSERT' then
    if new.calendar_no is not null and new.due_from_policy then
      new.due_at := private.moment_at(new.tenant_id, new.calendar_no, private.open_ms(new.tenant_id, new.calendar_no, new.created_at)
        + (extract(epoch from new.due_at - new.created_at) * 1000)::bigint);
    end if;
    new.paused_at := null;
  else
    was := old;
  end if;
  is_held := was.paused_at is not null;
  if has_changed and is_open or begins then
    select * into p from public.sla_policies x where x.tenant_id = new.tenant_id;
  end if;

  if is_held then
    ended_at := case
      when old.paused_until <= moment then old.paused_until
      when new.paused_at is null or not is_open
        or has_changed and old.paused_by_rule and not private.pause_rule_holds(p, new.status, new.reason_code) then moment
    end;
    if ended_at is null then
      if new.due_at <> old.due_at then
        perform private.refuse('conflict', 'The exception is paused. Resume it before you move its deadline.');
      end if;
    else
      if new.due_at = old.due_at then
        was.calendar_no := new.calendar_no;
        new.due_at := private.deadline(was, ended_at);
      end if;
      new.paused_ms := old.paused_ms + (extract(epoch from ended_at - old.paused_at) * 1000)::bigint;
      new.paused_at := null;
      new.held_due_at := null;
      new.paused_until := null;
      new.pause_reason := null;
      new.paused_by_rule := false;
      is_held := false;
    end if;
  end if;

  if not is_held and is_open and not begins and has_changed and private.pause_rule_holds(p, new.status, new.reason_code)
    and (tg_op = 'INSERT' or not private.pause_rule_holds(p, old.status, old.reason_code) or old.status in ('resolved', 'dismissed')) then
    was := new;
    if private.pause_fault(was, p) is null then
      begins := true;
      new.paused_by_rule := true;
      new.paused_until := null;
      new.pause_reason := 'By a rule of the SLA policy';
    end if;
  elsif begins then
    was := new;
    was.paused_at := null;
    was.paused_until := null;
    fault := private.pause_fault(was, p);
    if fault is not null then
      perform private.refuse('conflict', fault);
    end if;
  end if;

  if begins then
    new.paused_at := moment;
    new.held_due_at := new.due_at;
    new.due_at := 'infinity';
    new.paused_until := least(new.paused_until, moment + make_interval(mins => p.pause_max_minutes));
    new.pause_count := new.pause_count + 1;
  end if;
  if new.calendar_no is null then
    new.due_open_ms := null;
  elsif tg_op = 'INSERT' or new.calendar_no is distinct from old.calendar_no or is_open and old.status in ('resolved', 'dismissed')
    or coalesce(new.held_due_at, new.due_at) is distinct from coalesce(old.held_due_at, old.due_at) then
    new.due_open_ms := private.open_ms(new.tenant_id, new.calendar_no, coalesce(new.held_due_at, new.due_at));
  end if;
  return new;
end $$;
-- After `guard`, which comes first by its name. Not asked of exceptions that neither a calendar nor a pause touches.
create trigger pace_inserted before insert on public.exceptions
  for each row when (new.calendar_no is not null or new.status = 'in_review' or new.reason_code is not null)
  execute function private.pace_exception();
create trigger pace_updated before update on public.exceptions
  for each row when (new.calendar_no is not null or old.calendar_no is not null or old.paused_at is not null or new.paused_at is not null
    or new.status <> old.status or new.reason_code is distinct from old.reason_code)
  execute function private.pace_exception();

grant execute on function
  private.deadline(public.exceptions, timestamptz), private.business_minutes_remaining(public.exceptions, timestamptz),
  private.policy_deadline(public.exceptions, integer, bigint), private.first_deadline(bigint, integer), private.pause_fault(public.exceptions, public.sla_policies)
to authenticated;
