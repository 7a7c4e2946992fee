-- Every change of an exception. Only private.change_exceptions writes public.exceptions. The
-- functions below write what follows from a change: the row, its clock and ledger, the counters,
-- its history and its events, which webhooks/webhook_fan_out.sql passes to webhooks.

-- An exception before and after a change; `before` is null if it is created.
create type private.exception_change as (before public.exceptions, after public.exceptions);

-- Actions: create; edit, which also assigns, closes and reopens, depending on the columns; pause;
-- resume; recalculate, if the policy or its calendar moves a deadline. Crossing a threshold changes
-- only the clock (exceptions/sla_clock.sql). A change names its exception and the columns to set: {
-- tenant_id, id, assigned_to }. A caller whose decision depends on the exception locks it first
-- (for no key update, ordered by ID). Returns the changed exceptions. Works in batches, so any
-- number fits in memory.
-- Refuses: invalid_transition; invalid_request for values that contradict each other; conflict for
-- what cannot be paused, and for a deadline moved while paused.
create function private.change_exceptions(action text,
  changes jsonb[]) returns setof public.exceptions
language plpgsql volatile security definer set search_path = '' set enable_nestloop = on
  set enable_sort = on as $$
declare
  max_count constant integer := 1000;
  batch jsonb[];
  exception_changes private.exception_change[];
begin
  if action <> all ('{create,edit,pause,resume,recalculate}') then
    raise exception 'There is no action % on exceptions.', action;
  end if;
  for batch in
    select array_agg(requested.change order by requested.place)
    from unnest(changes) with ordinality requested (change, place)
    group by (requested.place - 1) / max_count order by (requested.place - 1) / max_count
  loop
    exception_changes := private.resulting_exceptions(action, batch);
    perform private.write_exceptions(action, exception_changes);
    -- exceptions/sla_clock_changes.sql, exceptions/exception_counters.sql,
    -- exceptions/exception_history.sql.
    perform private.update_clocks(exception_changes);
    perform private.update_counters(exception_changes);
    perform private.record_changes(exception_changes);
    return query select (made_change.after).* from unnest(exception_changes) made_change;
  end loop;
end $$;

-- Locks the exceptions, ordered by ID, and returns what each becomes.
create function private.resulting_exceptions(action text,
  changes jsonb[]) returns private.exception_change[]
language plpgsql volatile set search_path = '' as $$
begin
  if action = 'create' then
    return array(
      select row(null::public.exceptions,
        private.resulting_exception(action, null, requested.change,
          tenant_policy.policy))::private.exception_change
      from unnest(changes) requested (change)
      cross join lateral (select policy from public.sla_policies policy
        where policy.tenant_id = requested.change ->> 'tenant_id' offset 0) tenant_policy
    );
  end if;
  return array(
    with held as materialized (
      select exception, requested.change from unnest(changes) requested (change)
      join public.exceptions exception on exception.tenant_id = requested.change ->> 'tenant_id'
        and exception.id = requested.change ->> 'id'
      order by exception.tenant_id, exception.id for no key update of exception
    )
    select row(held.exception, private.resulting_exception(action, held.exception, held.change,
      tenant_policy.policy))::private.exception_change
    from held
    cross join lateral (select policy from public.sla_policies policy
      where policy.tenant_id = (held.exception).tenant_id offset 0) tenant_policy
  );
end $$;

-- What one exception becomes, from its present state, the columns to set and the policy: all rules
-- of exceptions, in the order in which they apply.
create function private.resulting_exception(action text, before public.exceptions, change jsonb,
  policy public.sla_policies) returns public.exceptions
language plpgsql volatile set search_path = '' as $$
declare
  exception public.exceptions := case action when 'create' then private.new_exception(change,
    policy)
    else private.edited_exception(action, before, change) end;
  is_closed constant boolean := exception.status in ('resolved', 'dismissed');
begin
  if is_closed and exception.resolution is null then
    perform private.refuse_field('resolution', 'Required with the status resolved or dismissed.');
  elsif not is_closed and exception.resolution is not null then
    perform private.refuse_field('resolution',
      'Only allowed with the status resolved or dismissed.');
  elsif (exception.amount_minor is null) <> (exception.currency is null) then
    perform private.refuse_field('currency', 'amount_minor and currency must be sent together.');
  elsif octet_length(exception.details::text) > 24576 then
    perform private.refuse_field('details', 'Must be at most 16 kB of JSON.');
  end if;
  exception.closed_at := case when is_closed then coalesce(exception.closed_at, now()) end;
  if before.paused_at is not null then
    exception := private.with_pause_ended(action, before, exception, policy);
  end if;
  if action = 'pause' or policy.pause_rules <> '[]' then
    exception := private.with_pause_begun(action, before, exception, policy);
  end if;
  if exception.calendar_no is null then
    exception.due_open_ms := null;
  elsif action in ('create', 'recalculate') or not is_closed
    and before.status in ('resolved', 'dismissed')
    or coalesce(exception.held_due_at, exception.due_at)
      is distinct from coalesce(before.held_due_at,
      before.due_at) then
    exception.due_open_ms := private.open_ms(exception.tenant_id, exception.calendar_no,
      coalesce(exception.held_due_at, exception.due_at));
  end if;
  return exception;
end $$;

-- A new exception. Without due_at its deadline is the policy's minutes after its creation, in whole
-- milliseconds, by the policy's calendar.
create function private.new_exception(change jsonb,
  policy public.sla_policies) returns public.exceptions
language plpgsql volatile set search_path = '' as $$
declare
  exception public.exceptions := jsonb_populate_record(null::public.exceptions, change);
begin
  exception.id := coalesce(exception.id, private.new_id('exc'));
  exception.severity_rank := private.severity_rank(exception.severity);
  exception.status := coalesce(exception.status, 'open');
  exception.details := coalesce(exception.details, '{}');
  exception.created_at := coalesce(exception.created_at, date_trunc('milliseconds', now()));
  exception.created_by := coalesce(exception.created_by, private.actor());
  exception.updated_at := coalesce(exception.updated_at, date_trunc('milliseconds', now()));
  exception.paused_by_rule := false;
  exception.pause_count := 0;
  exception.paused_ms := 0;
  exception.resolved_by_matching := false;
  exception.calendar_id := private.policy_calendar(policy, exception.severity);
  if exception.calendar_id is not null then
    exception.calendar_no := private.current_calendar_no(exception.tenant_id,
      exception.calendar_id);
  end if;
  exception.due_from_policy := exception.due_at is null;
  if exception.due_from_policy then
    exception.due_at := private.policy_deadline(exception,
      private.minutes_to_resolve(policy, exception.severity),
      exception.calendar_no);
  end if;
  return exception;
end $$;

-- A changed exception. For a paused one, a recalculation moves the deadline that is held.
create function private.edited_exception(action text, before public.exceptions,
  change jsonb) returns public.exceptions
language plpgsql volatile set search_path = '' as $$
declare
  exception public.exceptions := jsonb_populate_record(before, change);
begin
  if not private.exception_may_move(before.status, exception.status) then
    perform private.refuse('invalid_transition',
      format('An exception cannot move from %s to %s.', before.status, exception.status));
  elsif before.status in ('resolved', 'dismissed')
    and exception.status in ('open', 'in_review') then
    exception.resolution := null;
  end if;
  if exception.severity <> before.severity then
    exception.severity_rank := private.severity_rank(exception.severity);
  end if;
  -- Never before the change that this one waited for, whichever of the two began first.
  exception.updated_at := greatest(date_trunc('milliseconds', now()), before.updated_at);
  if action = 'edit' and change ? 'due_at' then
    exception.due_from_policy := false;
  elsif action = 'recalculate' and before.paused_at is not null then
    exception.held_due_at := exception.due_at;
    exception.due_at := before.due_at;
  end if;
  return exception;
end $$;

-- Ends the pause of an exception that is resumed or closed, whose pause has elapsed, or whose pause
-- rule no longer holds. The rest of its time continues.
create function private.with_pause_ended(action text, before public.exceptions,
  exception public.exceptions,
  policy public.sla_policies) returns public.exceptions
language plpgsql volatile set search_path = '' as $$
declare
  has_moved constant boolean := (exception.status, exception.reason_code)
    is distinct from (before.status,
    before.reason_code);
  previous public.exceptions := before;
  ended_at constant timestamptz(3) := case
    when before.paused_until <= exception.updated_at then before.paused_until
    when action = 'resume' or exception.status in ('resolved', 'dismissed')
      or has_moved and before.paused_by_rule
      and not private.pause_rule_holds(policy, exception.status, exception.reason_code)
        then exception.updated_at
  end;
begin
  if ended_at is null and exception.due_at <> before.due_at then
    perform private.refuse_conflict('paused',
      'The exception is paused. Resume it before you move its deadline.');
  elsif ended_at is not null then
    if exception.due_at = before.due_at then
      previous.calendar_no := exception.calendar_no;
      exception.due_at := private.deadline(previous, ended_at);
    end if;
    exception.paused_ms := before.paused_ms
      + (extract(epoch from ended_at - before.paused_at) * 1000)::bigint;
    exception.paused_at := null;
    exception.held_due_at := null;
    exception.paused_until := null;
    exception.pause_reason := null;
    exception.paused_by_rule := false;
  end if;
  return exception;
end $$;

-- Starts a pause: by the action, which is refused if the exception can't be paused, or by a policy
-- rule that holds since this change, which is then ignored.
create function private.with_pause_begun(action text, before public.exceptions,
  exception public.exceptions,
  policy public.sla_policies) returns public.exceptions
language plpgsql volatile set search_path = '' as $$
declare
  by_rule constant boolean := action <> 'pause' and exception.paused_at is null
    and exception.status in ('open', 'in_review')
    and (exception.status, exception.reason_code) is distinct from (before.status,
      before.reason_code)
    and private.pause_rule_holds(policy, exception.status, exception.reason_code)
    and (before.status is null or before.status in ('resolved', 'dismissed')
    or not private.pause_rule_holds(policy, before.status, before.reason_code));
  fault constant text := case when by_rule
    or action = 'pause' then private.pause_fault(exception, policy) end;
begin
  if action = 'pause' and fault is not null then
    perform private.refuse_conflict('cannot_pause', fault);
  elsif fault is not null or not by_rule and action <> 'pause' then
    return exception;
  end if;
  exception.paused_at := exception.updated_at;
  exception.held_due_at := exception.due_at;
  exception.due_at := 'infinity';
  exception.paused_until := least(case when not by_rule then exception.paused_until end,
    exception.paused_at + make_interval(mins => policy.pause_max_minutes));
  exception.paused_by_rule := by_rule;
  exception.pause_reason := case when by_rule then 'By a rule of the SLA policy'
    else exception.pause_reason end;
  exception.pause_count := exception.pause_count + 1;
  return exception;
end $$;

-- exceptions/exception_writes.gen.sql has the two statements, with every column of the table.
create function private.write_exceptions(action text,
  exception_changes private.exception_change[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform set_config('app.writes_exceptions', 'on', true);
  if action = 'create' then
    perform private.insert_exceptions(exception_changes);
  else
    perform private.update_exceptions(exception_changes);
  end if;
  perform set_config('app.writes_exceptions', '', true);
end $$;

-- Refuses writes that do not come from change_exceptions and would leave clock, counters and
-- history behind.
create function private.guard_exceptions() returns trigger
language plpgsql set search_path = '' as $$
begin
  if coalesce(current_setting('app.writes_exceptions', true), '') <> 'on' then
    raise exception
      using errcode = 'insufficient_privilege',
        message = 'Exceptions are changed by private.change_exceptions alone.';
  end if;
  return null;
end $$;
create trigger guard before insert or update or delete or truncate on public.exceptions
  for each statement execute function private.guard_exceptions();

-- Exceptions of the caller's tenant, locked in the order of their IDs.
create function private.lock_exceptions(ids text[]) returns setof public.exceptions
language plpgsql volatile set search_path = '' as $$
begin
  return query
  select *
  from public.exceptions exception
  where exception.tenant_id = private.tenant_id() and exception.id = any (ids)
  order by exception.id for no key update;
end $$;

-- change_exceptions for the caller's tenant, limited to the columns that a person may set: for
-- functions that pass on what a request contains. A change names no tenant.
create function private.change_exceptions_for_caller(action text,
  changes jsonb[]) returns setof public.exceptions
language plpgsql volatile set search_path = '' as $$
declare
  settable constant text[] := private.exception_settable();
begin
  return query select * from private.change_exceptions(action, array(
    select jsonb_object_agg(field.key, field.value)
      || jsonb_build_object('tenant_id', private.tenant_id())
    from unnest(changes) with ordinality requested (change, place)
    cross join lateral jsonb_each(requested.change) field
    where field.key = any (settable) or field.key = 'id' and action <> 'create'
    group by requested.place order by requested.place
  ));
end $$;
