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
create function private.change_exceptions(act text, changes jsonb[]) returns setof public.exceptions
language plpgsql volatile security definer set search_path = '' set enable_nestloop = on
  set enable_sort = on as $$
declare
  most constant integer := 1000;
  batch jsonb[];
  made private.exception_change[];
begin
  if act <> all ('{create,edit,pause,resume,recalculate}') then
    raise exception 'There is no act % on exceptions.', act;
  end if;
  for batch in
    select array_agg(c.change order by c.place)
    from unnest(changes) with ordinality c (change, place)
    group by (c.place - 1) / most order by (c.place - 1) / most
  loop
    made := private.resulting_exceptions(act, batch);
    perform private.write_exceptions(act, made);
    -- exceptions/sla_clock_changes.sql, exceptions/exception_counters.sql,
    -- exceptions/exception_history.sql.
    perform private.keep_clocks(made);
    perform private.keep_counters(made);
    perform private.record_changes(made);
    return query select (m.after).* from unnest(made) m;
  end loop;
end $$;

-- Locks the exceptions, ordered by ID, and returns what each becomes.
create function private.resulting_exceptions(act text,
  changes jsonb[]) returns private.exception_change[]
language plpgsql volatile set search_path = '' as $$
begin
  if act = 'create' then
    return array(
      select row(null::public.exceptions,
        private.resulting_exception(act, null, c.change, p))::private.exception_change
      from unnest(changes) c (change)
      cross join lateral (select x from public.sla_policies x
        where x.tenant_id = c.change ->> 'tenant_id' offset 0) p (p)
    );
  end if;
  return array(
    with held as materialized (
      select e, c.change from unnest(changes) c (change)
      join public.exceptions e on e.tenant_id = c.change ->> 'tenant_id'
        and e.id = c.change ->> 'id'
      order by e.tenant_id, e.id for no key update of e
    )
    select row(h.e, private.resulting_exception(act, h.e, h.change, p))::private.exception_change
    from held h
    cross join lateral (select x from public.sla_policies x
      where x.tenant_id = (h.e).tenant_id offset 0) p (p)
  );
end $$;

-- What one exception becomes, from its present state, the columns to set and the policy: all rules
-- of exceptions, in the order in which they apply.
create function private.resulting_exception(act text, before public.exceptions, change jsonb,
  p public.sla_policies) returns public.exceptions
language plpgsql volatile set search_path = '' as $$
declare
  e public.exceptions := case act when 'create' then private.new_exception(change, p)
    else private.edited_exception(act, before, change) end;
  is_closed constant boolean := e.status in ('resolved', 'dismissed');
begin
  if is_closed and e.resolution is null then
    perform private.refuse_field('resolution', 'Required with the status resolved or dismissed.');
  elsif not is_closed and e.resolution is not null then
    perform private.refuse_field('resolution',
      'Only allowed with the status resolved or dismissed.');
  elsif (e.amount_minor is null) <> (e.currency is null) then
    perform private.refuse_field('currency', 'amount_minor and currency must be sent together.');
  elsif octet_length(e.details::text) > 24576 then
    perform private.refuse_field('details', 'Must be at most 16 kB of JSON.');
  end if;
  e.closed_at := case when is_closed then coalesce(e.closed_at, now()) end;
  if before.paused_at is not null then
    e := private.with_pause_ended(act, before, e, p);
  end if;
  if act = 'pause' or p.pause_rules <> '[]' then
    e := private.with_pause_begun(act, before, e, p);
  end if;
  if e.calendar_no is null then
    e.due_open_ms := null;
  elsif act in ('create', 'recalculate') or not is_closed
    and before.status in ('resolved', 'dismissed')
    or coalesce(e.held_due_at, e.due_at) is distinct from coalesce(before.held_due_at,
      before.due_at) then
    e.due_open_ms := private.open_ms(e.tenant_id, e.calendar_no, coalesce(e.held_due_at, e.due_at));
  end if;
  return e;
end $$;

-- A new exception. Without due_at its deadline is the policy's minutes after its creation, in whole
-- milliseconds, by the policy's calendar.
create function private.new_exception(change jsonb, p public.sla_policies) returns public.exceptions
language plpgsql volatile set search_path = '' as $$
declare
  e public.exceptions := jsonb_populate_record(null::public.exceptions, change);
begin
  e.id := coalesce(e.id, private.new_id('exc'));
  e.severity_rank := private.severity_rank(e.severity);
  e.status := coalesce(e.status, 'open');
  e.details := coalesce(e.details, '{}');
  e.created_at := coalesce(e.created_at, date_trunc('milliseconds', now()));
  e.created_by := coalesce(e.created_by, private.actor());
  e.updated_at := coalesce(e.updated_at, date_trunc('milliseconds', now()));
  e.paused_by_rule := false;
  e.pause_count := 0;
  e.paused_ms := 0;
  e.resolved_by_matching := false;
  e.calendar_id := private.policy_calendar(p, e.severity);
  if e.calendar_id is not null then
    e.calendar_no := private.current_calendar_no(e.tenant_id, e.calendar_id);
  end if;
  e.due_from_policy := e.due_at is null;
  if e.due_from_policy then
    e.due_at := private.policy_deadline(e, private.minutes_to_resolve(p, e.severity),
      e.calendar_no);
  end if;
  return e;
end $$;

-- A changed exception. For a paused one, a recalculation moves the deadline that is held.
create function private.edited_exception(act text, before public.exceptions,
  change jsonb) returns public.exceptions
language plpgsql volatile set search_path = '' as $$
declare
  e public.exceptions := jsonb_populate_record(before, change);
begin
  if not private.exception_may_move(before.status, e.status) then
    perform private.refuse('invalid_transition',
      format('An exception cannot move from %s to %s.', before.status, e.status));
  elsif before.status in ('resolved', 'dismissed') and e.status in ('open', 'in_review') then
    e.resolution := null;
  end if;
  if e.severity <> before.severity then
    e.severity_rank := private.severity_rank(e.severity);
  end if;
  -- Never before the change that this one waited for, whichever of the two began first.
  e.updated_at := greatest(date_trunc('milliseconds', now()), before.updated_at);
  if act = 'edit' and change ? 'due_at' then
    e.due_from_policy := false;
  elsif act = 'recalculate' and before.paused_at is not null then
    e.held_due_at := e.due_at;
    e.due_at := before.due_at;
  end if;
  return e;
end $$;

-- Ends the pause of an exception that is resumed or closed, whose pause has elapsed, or whose pause
-- rule no longer holds. The rest of its time continues.
create function private.with_pause_ended(act text, before public.exceptions, e public.exceptions,
  p public.sla_policies) returns public.exceptions
language plpgsql volatile set search_path = '' as $$
declare
  has_moved constant boolean := (e.status, e.reason_code) is distinct from (before.status,
    before.reason_code);
  was public.exceptions := before;
  ended_at constant timestamptz(3) := case
    when before.paused_until <= e.updated_at then before.paused_until
    when act = 'resume' or e.status in ('resolved', 'dismissed')
      or has_moved and before.paused_by_rule
      and not private.pause_rule_holds(p, e.status, e.reason_code) then e.updated_at
  end;
begin
  if ended_at is null and e.due_at <> before.due_at then
    perform private.refuse_conflict('paused',
      'The exception is paused. Resume it before you move its deadline.');
  elsif ended_at is not null then
    if e.due_at = before.due_at then
      was.calendar_no := e.calendar_no;
      e.due_at := private.deadline(was, ended_at);
    end if;
    e.paused_ms := before.paused_ms
      + (extract(epoch from ended_at - before.paused_at) * 1000)::bigint;
    e.paused_at := null;
    e.held_due_at := null;
    e.paused_until := null;
    e.pause_reason := null;
    e.paused_by_rule := false;
  end if;
  return e;
end $$;

-- Starts a pause: by the action, which is refused if the exception can't be paused, or by a policy
-- rule that holds since this change, which is then ignored.
create function private.with_pause_begun(act text, before public.exceptions, e public.exceptions,
  p public.sla_policies) returns public.exceptions
language plpgsql volatile set search_path = '' as $$
declare
  by_rule constant boolean := act <> 'pause' and e.paused_at is null
    and e.status in ('open', 'in_review')
    and (e.status, e.reason_code) is distinct from (before.status, before.reason_code)
    and private.pause_rule_holds(p, e.status, e.reason_code)
    and (before.status is null or before.status in ('resolved', 'dismissed')
    or not private.pause_rule_holds(p, before.status, before.reason_code));
  fault constant text := case when by_rule or act = 'pause' then private.pause_fault(e, p) end;
begin
  if act = 'pause' and fault is not null then
    perform private.refuse_conflict('cannot_pause', fault);
  elsif fault is not null or not by_rule and act <> 'pause' then
    return e;
  end if;
  e.paused_at := e.updated_at;
  e.held_due_at := e.due_at;
  e.due_at := 'infinity';
  e.paused_until := least(case when not by_rule then e.paused_until end,
    e.paused_at + make_interval(mins => p.pause_max_minutes));
  e.paused_by_rule := by_rule;
  e.pause_reason := case when by_rule then 'By a rule of the SLA policy' else e.pause_reason end;
  e.pause_count := e.pause_count + 1;
  return e;
end $$;

-- exceptions/exception_writes.gen.sql has the two statements, with every column of the table.
create function private.write_exceptions(act text, made private.exception_change[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform set_config('app.writes_exceptions', 'on', true);
  if act = 'create' then
    perform private.insert_exceptions(made);
  else
    perform private.update_exceptions(made);
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
  from public.exceptions e
  where e.tenant_id = private.tenant_id() and e.id = any (ids)
  order by e.id for no key update;
end $$;

-- change_exceptions for the caller's tenant, limited to the columns that a person may set: for
-- functions that pass on what a request contains. A change names no tenant.
create function private.change_exceptions_for_caller(act text,
  changes jsonb[]) returns setof public.exceptions
language plpgsql volatile set search_path = '' as $$
declare
  settable constant text[] := private.exception_settable();
begin
  return query select * from private.change_exceptions(act, array(
    select jsonb_object_agg(k.key, k.value) || jsonb_build_object('tenant_id', private.tenant_id())
    from unnest(changes) with ordinality c (change, place)
    cross join lateral jsonb_each(c.change) k
    where k.key = any (settable) or k.key = 'id' and act <> 'create'
    group by c.place order by c.place
  ));
end $$;
