-- Exceptions are changed by one function, and a trigger only guards that they are.

create type private.exception_change as (before public.exceptions, after public.exceptions);

drop trigger tell on public.exception_history;
drop trigger pace_updated on public.exceptions;
drop trigger pace_inserted on public.exceptions;
drop trigger history_updated on public.exceptions;
drop trigger history_inserted on public.exceptions;
drop trigger count_updated on public.exceptions;
drop trigger count_inserted on public.exceptions;
drop trigger clock_updated on public.exceptions;
drop trigger clock_inserted on public.exceptions;
drop trigger guard on public.exceptions;
-- contracts: no process writes exceptions by itself; the functions that do are replaced with this migration
revoke insert, update on public.exceptions from authenticated;
-- contracts: triggers and verbs alone called them, which go or are replaced with this migration
drop function private.count_updated_exceptions(),
  private.count_inserted_exceptions(),
  private.pace_exception(),
  private.tell_exception_history(),
  private.patch_exception(public.exceptions,jsonb),
  private.clock_updated_exceptions(),
  private.clock_inserted_exceptions(),
  private.record_updated_exceptions(),
  private.record_inserted_exceptions(),
  private.guard_exception();

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop policy exceptions_update on public.exceptions;
drop policy exceptions_insert on public.exceptions;
CREATE OR REPLACE FUNCTION private.require(permission text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if not private.may(permission) then
    perform private.refuse('role_required', 'This credential does not allow this operation.');
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.delete_matches(tenant text, ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.forget_suggestions(tenant, ids);
  delete from public.match_members mm where mm.tenant_id = tenant and mm.match_id = any (ids);
  delete from public.matches m where m.tenant_id = tenant and m.id = any (ids);
end $function$;
CREATE OR REPLACE FUNCTION private.reject_matches(tenant text, ids uuid[], who text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.forget_suggestions(tenant, ids);
  update public.matches m set state = 'rejected', decided_by = who, decided_at = now() where m.tenant_id = tenant and m.id = any (ids);
  insert into private.decisions (tenant_id, pair_no, match_id, confirmed, score)
  select m.tenant_id, m.pair_no, m.id, false, m.score from public.matches m
  where m.tenant_id = tenant and m.id = any (ids) and m.shape = '1:1' order by m.id;
end $function$;
CREATE OR REPLACE FUNCTION private.change_exceptions(act text, changes jsonb[])
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_nestloop TO 'on'
 SET enable_sort TO 'on'
AS $function$
declare
  most constant integer := 1000;
  batch jsonb[];
  made private.exception_change[];
begin
  if act <> all ('{create,edit,pause,resume,recalculate}') then
    raise exception 'There is no act % on exceptions.', act;
  end if;
  for batch in
    select array_agg(c.change order by c.place) from unnest(changes) with ordinality c (change, place)
    group by (c.place - 1) / most order by (c.place - 1) / most
  loop
    made := private.exceptions_to_be(act, batch);
    perform private.write_exceptions(act, made);
    -- 440_sla_clock_changes.sql, 465_exception_counters.sql, 420_exception_history.sql.
    perform private.keep_clocks(made);
    perform private.keep_counters(made);
    perform private.record_changes(made);
    return query select (m.after).* from unnest(made) m;
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_to_be(act text, changes jsonb[])
 RETURNS private.exception_change[]
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if act = 'create' then
    return array(
      select row(null::public.exceptions, private.exception_to_be(act, null, c.change, p))::private.exception_change
      from unnest(changes) c (change)
      cross join lateral (select x from public.sla_policies x where x.tenant_id = c.change ->> 'tenant_id' offset 0) p (p)
    );
  end if;
  return array(
    with held as materialized (
      select e, c.change from unnest(changes) c (change)
      join public.exceptions e on e.tenant_id = c.change ->> 'tenant_id' and e.id = c.change ->> 'id'
      order by e.tenant_id, e.id for no key update of e
    )
    select row(h.e, private.exception_to_be(act, h.e, h.change, p))::private.exception_change
    from held h
    cross join lateral (select x from public.sla_policies x where x.tenant_id = (h.e).tenant_id offset 0) p (p)
  );
end $function$;
CREATE OR REPLACE FUNCTION private.exception_to_be(act text, before public.exceptions, change jsonb, p public.sla_policies)
 RETURNS public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  e public.exceptions := case act when 'create' then private.new_exception(change, p) else private.edited_exception(act, before, change) end;
  is_closed constant boolean := e.status in ('resolved', 'dismissed');
begin
  if is_closed and e.resolution is null then
    perform private.refuse_field('resolution', 'Required with the status resolved or dismissed.');
  elsif not is_closed and e.resolution is not null then
    perform private.refuse_field('resolution', 'Only allowed with the status resolved or dismissed.');
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
  elsif act in ('create', 'recalculate') or not is_closed and before.status in ('resolved', 'dismissed')
    or coalesce(e.held_due_at, e.due_at) is distinct from coalesce(before.held_due_at, before.due_at) then
    e.due_open_ms := private.open_ms(e.tenant_id, e.calendar_no, coalesce(e.held_due_at, e.due_at));
  end if;
  return e;
end $function$;
CREATE OR REPLACE FUNCTION private.new_exception(change jsonb, p public.sla_policies)
 RETURNS public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
    e.due_at := private.policy_deadline(e, private.minutes_to_resolve(p, e.severity), e.calendar_no);
  end if;
  return e;
end $function$;
CREATE OR REPLACE FUNCTION private.edited_exception(act text, before public.exceptions, change jsonb)
 RETURNS public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  e public.exceptions := jsonb_populate_record(before, change);
begin
  if not private.exception_may_move(before.status, e.status) then
    perform private.refuse('invalid_transition', format('An exception cannot move from %s to %s.', before.status, e.status));
  elsif before.status in ('resolved', 'dismissed') and e.status in ('open', 'in_review') then
    e.resolution := null;
  end if;
  if e.severity <> before.severity then
    e.severity_rank := private.severity_rank(e.severity);
  end if;
  -- Never before the change that this one waited for, in whichever order the two began.
  e.updated_at := greatest(date_trunc('milliseconds', now()), before.updated_at);
  if act = 'edit' and change ? 'due_at' then
    e.due_from_policy := false;
  elsif act = 'recalculate' and before.paused_at is not null then
    e.held_due_at := e.due_at;
    e.due_at := before.due_at;
  end if;
  return e;
end $function$;
CREATE OR REPLACE FUNCTION private.with_pause_ended(act text, before public.exceptions, e public.exceptions, p public.sla_policies)
 RETURNS public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  has_moved constant boolean := (e.status, e.reason_code) is distinct from (before.status, before.reason_code);
  was public.exceptions := before;
  ended_at constant timestamptz(3) := case
    when before.paused_until <= e.updated_at then before.paused_until
    when act = 'resume' or e.status in ('resolved', 'dismissed')
      or has_moved and before.paused_by_rule and not private.pause_rule_holds(p, e.status, e.reason_code) then e.updated_at
  end;
begin
  if ended_at is null and e.due_at <> before.due_at then
    perform private.refuse('conflict', 'The exception is paused. Resume it before you move its deadline.');
  elsif ended_at is not null then
    if e.due_at = before.due_at then
      was.calendar_no := e.calendar_no;
      e.due_at := private.deadline(was, ended_at);
    end if;
    e.paused_ms := before.paused_ms + (extract(epoch from ended_at - before.paused_at) * 1000)::bigint;
    e.paused_at := null;
    e.held_due_at := null;
    e.paused_until := null;
    e.pause_reason := null;
    e.paused_by_rule := false;
  end if;
  return e;
end $function$;
CREATE OR REPLACE FUNCTION private.with_pause_begun(act text, before public.exceptions, e public.exceptions, p public.sla_policies)
 RETURNS public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  by_rule constant boolean := act <> 'pause' and e.paused_at is null and e.status in ('open', 'in_review')
    and (e.status, e.reason_code) is distinct from (before.status, before.reason_code) and private.pause_rule_holds(p, e.status, e.reason_code)
    and (before.status is null or before.status in ('resolved', 'dismissed') or not private.pause_rule_holds(p, before.status, before.reason_code));
  fault constant text := case when by_rule or act = 'pause' then private.pause_fault(e, p) end;
begin
  if act = 'pause' and fault is not null then
    perform private.refuse('conflict', fault);
  elsif fault is not null or not by_rule and act <> 'pause' then
    return e;
  end if;
  e.paused_at := e.updated_at;
  e.held_due_at := e.due_at;
  e.due_at := 'infinity';
  e.paused_until := least(case when not by_rule then e.paused_until end, e.paused_at + make_interval(mins => p.pause_max_minutes));
  e.paused_by_rule := by_rule;
  e.pause_reason := case when by_rule then 'By a rule of the SLA policy' else e.pause_reason end;
  e.pause_count := e.pause_count + 1;
  return e;
end $function$;
CREATE OR REPLACE FUNCTION private.write_exceptions(act text, made private.exception_change[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform set_config('tieout.writes_exceptions', 'on', true);
  if act = 'create' then
    insert into public.exceptions (id, tenant_id, title, severity, assigned_to, due_at, due_from_policy, calendar_id, calendar_no, due_open_ms, paused_at,
      paused_until, pause_reason, paused_by_rule, held_due_at, pause_count, paused_ms, status, reason_code, amount_minor, currency, reconciliation_id,
      details, resolution, created_at, created_by, updated_at, closed_at, pair_no, line_no, line_id, suggested_match_id, grouped_match_id,
      resolved_by_matching)
    select n.id, n.tenant_id, n.title, n.severity, n.assigned_to, n.due_at, n.due_from_policy, n.calendar_id, n.calendar_no, n.due_open_ms, n.paused_at,
      n.paused_until, n.pause_reason, n.paused_by_rule, n.held_due_at, n.pause_count, n.paused_ms, n.status, n.reason_code, n.amount_minor, n.currency,
      n.reconciliation_id, n.details, n.resolution, n.created_at, n.created_by, n.updated_at, n.closed_at, n.pair_no, n.line_no, n.line_id,
      n.suggested_match_id, n.grouped_match_id, n.resolved_by_matching
    from (select (m.after).* from unnest(made) m) n;
  else
    update public.exceptions e set title = n.title, severity = n.severity, assigned_to = n.assigned_to, due_at = n.due_at,
      due_from_policy = n.due_from_policy, calendar_id = n.calendar_id, calendar_no = n.calendar_no, due_open_ms = n.due_open_ms,
      paused_at = n.paused_at, paused_until = n.paused_until, pause_reason = n.pause_reason, paused_by_rule = n.paused_by_rule,
      held_due_at = n.held_due_at, pause_count = n.pause_count, paused_ms = n.paused_ms, status = n.status, reason_code = n.reason_code,
      amount_minor = n.amount_minor, currency = n.currency, reconciliation_id = n.reconciliation_id, details = n.details, resolution = n.resolution,
      updated_at = n.updated_at, closed_at = n.closed_at, line_no = n.line_no, line_id = n.line_id, suggested_match_id = n.suggested_match_id,
      grouped_match_id = n.grouped_match_id, resolved_by_matching = n.resolved_by_matching
    from (select (m.after).* from unnest(made) m) n
    where e.tenant_id = n.tenant_id and e.id = n.id;
  end if;
  perform set_config('tieout.writes_exceptions', '', true);
end $function$;
CREATE OR REPLACE FUNCTION private.guard_exceptions()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if coalesce(current_setting('tieout.writes_exceptions', true), '') <> 'on' then
    raise exception using errcode = 'insufficient_privilege', message = 'Exceptions are changed by private.change_exceptions alone.';
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.hold_own_exceptions(ids text[])
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require('write:exceptions');
  return query select * from public.exceptions e where e.tenant_id = private.tenant_id() and e.id = any (ids) order by e.id for no key update;
end $function$;
CREATE OR REPLACE FUNCTION private.change_own_exceptions(act text, changes jsonb[])
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  settable constant text[] := '{title,severity,assigned_to,due_at,calendar_id,calendar_no,paused_until,pause_reason,status,reason_code,amount_minor,currency,reconciliation_id,details,resolution}';
begin
  perform private.require('write:exceptions');
  return query select * from private.change_exceptions(act, array(
    select jsonb_object_agg(k.key, k.value) || jsonb_build_object('tenant_id', private.tenant_id())
    from unnest(changes) with ordinality c (change, place)
    cross join lateral jsonb_each(c.change) k
    where k.key = any (settable) or k.key = 'id' and act <> 'create'
    group by c.place order by c.place
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.record_changes(made private.exception_change[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  with change as materialized (
    select m.after, 'created' as kind, private.exception_facts(m.after) as changes from unnest(made) m where (m.before).id is null
    union all
    select m.after, 'updated', x.changes
    from unnest(made) m
    cross join lateral (select private.changes(private.exception_facts(m.before), private.exception_facts(m.after)) as changes) x
    where (m.before).id is not null and x.changes is not null
  ), recorded as (
    insert into public.exception_history (tenant_id, exception_id, kind, changes)
    select (c.after).tenant_id, (c.after).id, c.kind, c.changes from change c
  )
  insert into public.events (tenant_id, type, data)
  select (c.after).tenant_id, t.type, jsonb_build_object('exception', private.exception_json(c.after))
      || case when t.type = 'exception.created' then '{}' when c.kind = 'created' then jsonb_build_object('changes',
          private.changes('{}', jsonb_build_object('paused_at', c.changes -> 'paused_at', 'pause_reason', c.changes -> 'pause_reason')))
        else jsonb_build_object('changes', c.changes) end
  from change c
  cross join lateral (values
    (1, case
      when c.kind = 'created' then 'exception.created'
      when c.changes #>> '{status,to}' in ('resolved', 'dismissed') then 'exception.resolved'
      when c.changes ? 'paused_at' and c.changes - '{paused_at,paused_until,pause_reason,due_at}'::text[] = '{}' then null
      else 'exception.updated'
    end),
    (2, case
      when c.kind = 'created' then case when c.changes ->> 'paused_at' is not null then 'exception.paused' end
      when c.changes #>> '{paused_at,to}' is not null then 'exception.paused'
      when c.changes ? 'paused_at' then 'exception.resumed'
    end)
  ) t (place, type)
  where t.type is not null
  order by t.place;
end $function$;
CREATE OR REPLACE FUNCTION private.end_pauses(batch integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  ended integer;
begin
  select count(*) into ended from private.change_exceptions('resume', array(
    select jsonb_build_object('tenant_id', e.tenant_id, 'id', e.id) from public.exceptions e
    where e.paused_until <= now() order by e.paused_until limit batch for no key update skip locked
  ));
  return ended;
end $function$;
CREATE OR REPLACE FUNCTION private.clock_moves(made private.exception_change[])
 RETURNS TABLE(tenant_id text, exception_id text, clock text, kinds text[], due_at timestamp with time zone, shown_due_at timestamp with time zone, calendar_no bigint, changed_at timestamp with time zone, resumed_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select n.tenant_id, n.id, case when not n.is_open then 'closed' when o.is_open then 'moved' else 'opened' end,
    case
      when o.id is null then case when n.paused_at is null then '{set}'::text[] else '{set,paused}' end
      when not n.is_open then case when o.paused_at is null then array[n.status] else array['resumed', n.status] end
      when not o.is_open then '{reopened}'
      when n.paused_at is not null and o.paused_at is null then '{paused}'
      when n.paused_at is null and o.paused_at is not null then '{resumed}'
      when n.calendar_no is distinct from o.calendar_no or n.calendar_no is not null and private.actor() = 'system' then '{recalculated}'
      else '{moved}'
    end,
    n.due_at::timestamptz, coalesce(n.held_due_at, n.due_at)::timestamptz, n.calendar_no,
    case when o.id is null then date_trunc('milliseconds', now()) else n.updated_at end,
    case when n.paused_at is null then o.paused_at + (n.paused_ms - o.paused_ms) * interval '1 millisecond' end
  from unnest(made) m
  cross join lateral (select (m.before).*, (m.before).status in ('open', 'in_review') as is_open) o
  cross join lateral (select (m.after).*, (m.after).status in ('open', 'in_review') as is_open) n
  where case when o.id is null then n.is_open else (o.is_open or n.is_open)
    and (n.due_at <> o.due_at or o.is_open <> n.is_open or n.held_due_at <> o.held_due_at or n.calendar_no is distinct from o.calendar_no) end;
end $function$;
CREATE OR REPLACE FUNCTION private.keep_clocks(made private.exception_change[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  c record;
begin
  select
    array_agg(x.tenant_id) filter (where x.clock = 'closed') as closed_tenants, array_agg(x.exception_id) filter (where x.clock = 'closed') as closed_ids,
    array_agg(x.tenant_id) filter (where x.clock = 'moved') as moved_tenants, array_agg(x.exception_id) filter (where x.clock = 'moved') as moved_ids,
    array_agg(x.due_at) filter (where x.clock = 'moved') as moved_due_ats,
    array_agg(x.tenant_id) filter (where x.clock = 'opened') as opened_tenants, array_agg(x.exception_id) filter (where x.clock = 'opened') as opened_ids,
    array_agg(x.due_at) filter (where x.clock = 'opened') as opened_due_ats
  into c from private.clock_moves(made) x;
  if c.closed_ids is not null or c.moved_ids is not null then
    perform from unnest(c.closed_tenants || c.moved_tenants, c.closed_ids || c.moved_ids) as asked (tenant_id, exception_id)
    join private.exception_clocks k on k.tenant_id = asked.tenant_id and k.exception_id = asked.exception_id
    order by k.tenant_id, k.exception_id for update of k;
    perform private.pass_business_warnings(c.closed_tenants || c.moved_tenants, c.closed_ids || c.moved_ids);
  end if;
  if c.closed_ids is not null then
    perform private.stop_clocks(c.closed_tenants, c.closed_ids);
  end if;
  if c.moved_ids is not null then
    perform private.advance_clocks(c.moved_tenants, c.moved_ids, private.own_shard());
  end if;
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, calendar_no)
  select x.tenant_id, x.exception_id, case when k.kind = 'resumed' then x.resumed_at else x.changed_at end, k.kind, x.shown_due_at, x.calendar_no
  from private.clock_moves(made) x cross join lateral unnest(x.kinds) with ordinality as k (kind, place)
  order by k.place;
  if c.moved_ids is not null then
    perform private.move_clocks(c.moved_tenants, c.moved_ids, c.moved_due_ats);
  end if;
  if c.opened_ids is not null then
    perform private.start_clocks(c.opened_tenants, c.opened_ids, c.opened_due_ats);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.insert_exceptions(rows jsonb)
 RETURNS SETOF public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_quota('exceptions', jsonb_array_length(rows));
  return query select * from private.change_own_exceptions('create', array(
    select r.value - '{calendar_id,calendar_no,paused_until,pause_reason,resolution}'::text[] from jsonb_array_elements(rows) r
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.patched_columns(before public.exceptions, patch jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return case when patch ? 'details'
    then patch || jsonb_build_object('details', private.merge_patch(before.details, coalesce(nullif(patch -> 'details', 'null'), '{}')))
    else patch end;
end $function$;
CREATE OR REPLACE FUNCTION public.update_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_exception');
  patch jsonb := input -> 'patch';
  before public.exceptions;
  after public.exceptions;
begin
  if kept is not null then
    return kept;
  end if;
  select * into before from private.hold_own_exceptions(array[input ->> 'id']);
  if not found then
    perform private.refuse_missing('exception');
  end if;
  perform private.require_version(private.exception_version(before), request -> 'versions');
  perform private.require_reconciliation(patch ->> 'reconciliation_id');
  patch := private.patched_columns(before, patch);
  after := jsonb_populate_record(before, patch);
  if after is distinct from before or before.due_from_policy and patch ? 'due_at' then
    select * into after from private.change_own_exceptions('edit', array[patch || jsonb_build_object('id', before.id)]);
  end if;
  return private.answer(request, private.versioned_exception_json(after));
end $function$;
CREATE OR REPLACE FUNCTION private.open_line_exceptions(tenant text, reconciliation text, run text, attempt integer, rows jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  opened integer;
begin
  r := private.hold_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  with wanted as materialized (
    select x.*, x.line_nos[1] as line_no from jsonb_to_recordset(rows) as x (
      match_id uuid, line_nos bigint[], title text, severity text, assigned_to text, reason_code text, amount_minor bigint, currency text, details jsonb)
    where x.match_id is null
      or exists (select from public.matches m where m.tenant_id = tenant and m.id = x.match_id and m.state = 'suggested')
  ), made as (
    select e.id, e.line_no from private.change_exceptions('create', array(
      select jsonb_build_object('tenant_id', tenant, 'title', x.title, 'severity', x.severity, 'assigned_to', x.assigned_to,
        'reason_code', x.reason_code, 'amount_minor', x.amount_minor, 'currency', x.currency, 'reconciliation_id', r.id, 'details', x.details,
        'pair_no', r.pair_no, 'line_no', l.line_no, 'line_id', l.id, 'suggested_match_id', x.match_id, 'grouped_match_id', x.match_id)
      from wanted x
      join public.lines l on l.tenant_id = tenant and l.line_no = x.line_no
      join private.open_lines o on o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = l.line_no
      where not exists (
        select from private.exception_lines e where e.tenant_id = tenant and e.line_no = x.line_no and e.pair_no = r.pair_no)
    )) e
  ), about as (
    insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id)
    select tenant, n.line_no, r.pair_no, m.id from made m join wanted x on x.line_no = m.line_no cross join unnest(x.line_nos) n (line_no)
    on conflict do nothing
  )
  select count(*) into opened from made;
  return opened;
end $function$;
CREATE OR REPLACE FUNCTION private.point_exceptions_at_suggestions(tenant text, reconciliation text, run text, attempt integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  perform private.require_attempt(tenant, run, attempt);
  perform private.change_exceptions('edit', array(
    select distinct on (e.id) jsonb_build_object('tenant_id', tenant, 'id', e.id, 'suggested_match_id', s.match_id)
    from private.members_of(tenant, private.suggested_of(tenant, reconciliation)) s
    join private.open_line_exceptions_of(tenant, reconciliation) e on e.line_no = s.line_no and e.suggested_match_id is distinct from s.match_id
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.forget_suggestions(tenant text, matches uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'suggested_match_id', null)
    from public.exceptions e where e.tenant_id = tenant and e.suggested_match_id = any (matches) order by e.id for no key update
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.resolve_line_exceptions(tenant text, pair integer, line_nos bigint[], resolution text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'status', 'resolved', 'resolution', resolve_line_exceptions.resolution,
      'resolved_by_matching', true, 'suggested_match_id', null)
    from public.exceptions e
    where e.tenant_id = tenant and e.id = any ((select private.exceptions_of_lines(tenant, pair, line_nos))::text[]) and e.status in ('open', 'in_review')
      and not private.has_open_lines(e)
    order by e.id for no key update
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.resolve_matched_exceptions(tenant text, pair integer, matches uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'status', 'resolved', 'resolution', format('Matched by %s.', private.match_id_text(x.match_id)),
      'resolved_by_matching', true, 'suggested_match_id', null)
    from private.exceptions_of_matches(tenant, pair, matches) x
    join public.exceptions e on e.tenant_id = tenant and e.id = x.exception_id
    where e.status in ('open', 'in_review') and not private.has_open_lines(e)
    order by e.id for no key update of e
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.reopen_line_exceptions(tenant text, pair integer, line_nos bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'status', 'open', 'resolved_by_matching', false)
    from public.exceptions e
    where e.tenant_id = tenant and e.id = any ((select private.exceptions_of_lines(tenant, pair, line_nos))::text[]) and e.status = 'resolved'
      and e.resolved_by_matching and private.has_open_lines(e)
    order by e.id for no key update
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.regroup_exceptions(tenant text, reconciliation text, run text, attempt integer, rows jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  x record;
begin
  r := private.hold_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  for x in
    select * from jsonb_to_recordset(rows) as s (exception_id text, merged text[], match_id uuid, line_nos bigint[], title text, severity text,
      reason_code text, amount_minor bigint, currency text, details jsonb)
  loop
    -- Somebody may have settled or decided it since the run looked. The next run looks again.
    continue when not exists (select from private.open_lines o where o.tenant_id = tenant and o.pair_no = r.pair_no and o.line_no = x.line_nos[1])
      or x.match_id is not null and not exists (
        select from public.matches m where m.tenant_id = tenant and m.id = x.match_id and m.state = 'suggested'
      );
    perform private.change_exceptions('edit', array(
      select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'title', case when private.has_own_title(tenant, e.id) then e.title else x.title end,
        'severity', x.severity, 'reason_code', x.reason_code, 'amount_minor', x.amount_minor, 'currency', x.currency,
        'details', e.details - 'lines' - 'side' || x.details, 'line_no', l.line_no, 'line_id', l.id,
        'suggested_match_id', x.match_id, 'grouped_match_id', x.match_id)
      from public.lines l join public.exceptions e on e.tenant_id = tenant and e.id = x.exception_id and e.status in ('open', 'in_review')
      where l.tenant_id = tenant and l.line_no = x.line_nos[1] for no key update of e
    ));
    continue when not found;
    -- Without a line of its own it is no line's any more, whoever reopens it.
    perform private.change_exceptions('edit', array(
      select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'status', 'resolved', 'line_no', null, 'suggested_match_id', null,
        'grouped_match_id', null, 'resolution', format('Merged into %s: a match is suggested for the lines of both.', x.exception_id))
      from public.exceptions e where e.tenant_id = tenant and e.id = any (x.merged) and e.status in ('open', 'in_review')
      order by e.id for no key update
    ));
    delete from private.exception_lines y where y.tenant_id = tenant and y.exception_id = any (x.merged || x.exception_id);
    insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id)
    select tenant, n.line_no, r.pair_no, x.exception_id from unnest(x.line_nos) n (line_no)
    on conflict do nothing;
  end loop;
end $function$;
CREATE OR REPLACE FUNCTION private.hold_exception(id text)
 RETURNS public.exceptions
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  e public.exceptions;
begin
  select * into e from private.hold_own_exceptions(array[hold_exception.id]);
  if not found then
    perform private.refuse_missing('exception');
  elsif e.paused_until <= now() then
    select * into e from private.change_own_exceptions('resume', array[jsonb_build_object('id', e.id)]);
  end if;
  return e;
end $function$;
CREATE OR REPLACE FUNCTION public.pause_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'pause_exception');
  e public.exceptions;
  p public.sla_policies;
  fault text;
begin
  if kept is not null then
    return kept;
  end if;
  e := private.hold_exception(input ->> 'id');
  select * into p from public.sla_policies x where x.tenant_id = e.tenant_id;
  perform private.require_pause_end((input ->> 'until')::timestamptz, p);
  fault := private.pause_fault(e, p);
  if fault is not null then
    perform private.refuse('conflict', fault);
  end if;
  select * into e from private.change_own_exceptions('pause', array[
    jsonb_build_object('id', e.id, 'paused_until', input -> 'until', 'pause_reason', input -> 'reason')]);
  return private.answer(request, private.versioned_exception_json(e));
end $function$;
CREATE OR REPLACE FUNCTION public.resume_exception(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'resume_exception');
  e public.exceptions;
begin
  if kept is not null then
    return kept;
  end if;
  e := private.hold_exception(input ->> 'id');
  if e.paused_at is null then
    perform private.refuse('conflict', 'It is not paused.');
  end if;
  select * into e from private.change_own_exceptions('resume', array[jsonb_build_object('id', e.id)]);
  return private.answer(request, private.versioned_exception_json(e));
end $function$;
CREATE OR REPLACE FUNCTION public.update_exceptions(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'update_exceptions');
  tenant constant text := private.tenant_id();
  patch constant jsonb := coalesce(input -> 'patch', '{}');
  pause constant jsonb := input -> 'pause';
  p public.sla_policies;
  by_filter constant boolean := input ? 'filter';
  batch constant integer := 500;
  ids text[] := private.text_array(input -> 'ids');
  next_id text;
  matching bigint;
  refused jsonb;
  skipped jsonb := '[]';
  act text;
  columns jsonb;
begin
  if kept is not null then
    return kept;
  end if;
  if by_filter then
    if jsonb_typeof(input -> 'after') is distinct from 'array' then
      matching := private.count_of_view(input -> 'filter');
      if matching <> (input ->> 'expected_count')::bigint then
        perform private.refuse('conflict', format('%s match now, not %s. Check them and send the new expected_count. Nothing was changed.',
          matching, input ->> 'expected_count'));
      end if;
    end if;
    ids := private.matching_exceptions(input -> 'filter', input -> 'after' ->> 0, batch + 1);
    if cardinality(ids) > batch then
      ids := ids[:batch];
      next_id := ids[batch];
    end if;
  end if;
  perform private.hold_own_exceptions(ids);
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', 'There is no such exception.') order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n)
  where not exists (select from public.exceptions e where e.tenant_id = tenant and e.id = i.id);
  if refused is not null then
    perform private.refuse('not_found', 'There is no such exception. Nothing was changed.', refused);
  end if;
  select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1),
    'message', format('An exception cannot move from %s to %s.', e.status, patch ->> 'status')) order by i.n) into refused
  from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.tenant_id = tenant and e.id = i.id
  where patch ? 'status' and not private.exception_may_move(e.status, patch ->> 'status');
  if refused is not null and by_filter then
    skipped := private.skipped_exceptions(ids, refused);
    ids := private.not_skipped(ids, refused);
  elsif refused is not null then
    perform private.refuse('invalid_transition', 'Some of these exceptions cannot move to that status. Nothing was changed.', refused);
  end if;
  if pause is not null or input ? 'resume' then
    perform private.change_own_exceptions('resume', array(
      select jsonb_build_object('id', e.id) from public.exceptions e where e.tenant_id = tenant and e.id = any (ids) and e.paused_until <= now()
    ));
    select * into p from public.sla_policies x where x.tenant_id = tenant;
    perform private.require_pause_end((pause ->> 'until')::timestamptz, p);
    select jsonb_agg(jsonb_build_object('path', 'ids.' || (i.n - 1), 'message', f.fault) order by i.n) into refused
    from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.tenant_id = tenant and e.id = i.id
    cross join lateral (
      select case when pause is not null then private.pause_fault(e, p) when e.paused_at is null then 'It is not paused.' end
    ) f (fault)
    where f.fault is not null;
    if refused is not null and by_filter then
      skipped := private.skipped_exceptions(ids, refused);
      ids := private.not_skipped(ids, refused);
    elsif refused is not null then
      perform private.refuse('conflict', format('Some of these exceptions cannot be %s. Nothing was changed.',
        case when pause is not null then 'paused' else 'resumed' end), refused);
    end if;
  end if;
  act := case when pause is not null then 'pause' when input ? 'resume' then 'resume' else 'edit' end;
  columns := case act when 'pause' then jsonb_build_object('paused_until', pause -> 'until', 'pause_reason', pause -> 'reason') else patch end;
  perform private.change_own_exceptions(act, array(select columns || jsonb_build_object('id', i.id) from unnest(ids) i (id)));
  perform private.record_security_event('exceptions.bulk_updated', null, null, jsonb_build_object('count', cardinality(ids)) || (input - '{ids,after}'::text[]));
  return private.answer(request, jsonb_build_object(
    'updated', cardinality(ids), 'skipped', skipped, 'next', case when next_id is not null then jsonb_build_array(next_id) end,
    'items', (
      select coalesce(jsonb_agg(private.exception_json(e) order by i.n), '[]')
      from unnest(ids) with ordinality as i (id, n) join public.exceptions e on e.tenant_id = tenant and e.id = i.id
    )
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.keep_counters(made private.exception_change[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  c record;
begin
  with changed as (
    select m.before, m.after
    from unnest(made) m cross join lateral (select (m.before).*) o cross join lateral (select (m.after).*) n
    where (o.status in ('open', 'in_review'), o.due_at, o.assigned_to, o.reconciliation_id, o.currency, o.amount_minor)
      is distinct from (n.status in ('open', 'in_review'), n.due_at, n.assigned_to, n.reconciliation_id, n.currency, n.amount_minor)
  )
  select array_agg(x.tenant_id) as tenants, array_agg(x.due_at) as due_ats, array_agg(x.assigned_to) as assignees,
    array_agg(x.reconciliation_id) as reconciliations, array_agg(x.currency) as currencies, array_agg(x.amount_minor) as amounts,
    array_agg(x.sign) as signs
  into c
  from (select (before).*, -1 as sign from changed union all select (after).*, 1 from changed) x
  where x.status in ('open', 'in_review');
  if c.tenants is not null then
    perform private.count_open(c.tenants, c.due_ats, c.assignees, c.reconciliations, c.currencies, c.amounts, c.signs);
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.rebuild_business_time(tenant text, no bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  covered private.calendar_coverage;
  recalculated jsonb[];
begin
  perform from public.exceptions e
  where e.tenant_id = tenant and e.calendar_no = no and e.status in ('open', 'in_review') order by e.id for no key update;
  select * into covered from private.calendar_coverage c where c.tenant_id = tenant and c.calendar_no = no for update;
  delete from private.calendar_spans s where s.tenant_id = tenant and s.calendar_no = no;
  update private.calendar_coverage c set covered_until = c.covered_from, open_until = c.open_from, zone_checked_at = now()
  where c.tenant_id = tenant and c.calendar_no = no;
  perform private.extend_business_time(tenant, no, covered.covered_from, covered.covered_until);
  -- What business_minutes_remaining remembers is of the spans before.
  perform set_config('tieout.open_ms', '', true);
  with counted as materialized (
    select e.id, case when e.due_from_policy and coalesce(e.held_due_at, e.due_at) > now()
      then coalesce(private.policy_deadline(e, private.minutes_to_resolve(p, e.severity), no), coalesce(e.held_due_at, e.due_at))
      else coalesce(e.held_due_at, e.due_at) end as due_at
    from public.exceptions e join public.sla_policies p on p.tenant_id = e.tenant_id
    where e.tenant_id = tenant and e.calendar_no = no and e.status in ('open', 'in_review')
  )
  select array_agg(jsonb_build_object('tenant_id', tenant, 'id', e.id, 'due_at', c.due_at) order by e.id) into recalculated
  from counted c join public.exceptions e on e.tenant_id = tenant and e.id = c.id
  where (coalesce(e.held_due_at, e.due_at), e.due_open_ms) is distinct from (c.due_at, private.open_ms(tenant, no, c.due_at));
  perform private.change_exceptions('recalculate', recalculated);
  perform private.arm_business_warnings(array_fill(tenant, array[cardinality(x.ids)]), x.ids, false)
  from (
    select array_agg(e.id) as ids from public.exceptions e
    where e.tenant_id = tenant and e.calendar_no = no and e.status in ('open', 'in_review')
  ) x where x.ids is not null;
end $function$;
CREATE OR REPLACE FUNCTION private.move_deadlines(ids text[], calendars text[], calendar_nos bigint[], due_ats timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if array_position(due_ats, null) is not null then
    perform private.refuse_field('calendar_id', 'This calendar opens too rarely: some deadlines would be more than 25 years away.');
  end if;
  perform private.change_own_exceptions('recalculate', array(
    select jsonb_build_object('id', e.id, 'calendar_id', m.calendar_id, 'calendar_no', m.calendar_no, 'due_at', m.due_at)
    from unnest(ids, calendars, calendar_nos, due_ats) as m (id, calendar_id, calendar_no, due_at)
    join public.exceptions e on e.tenant_id = private.tenant_id() and e.id = m.id
    where e.calendar_no is distinct from m.calendar_no or coalesce(e.held_due_at, e.due_at) <> m.due_at
    order by e.id
  ));
end $function$;
CREATE OR REPLACE FUNCTION private.open_exceptions_of(assignee text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array(
    select e.id from public.exceptions e where e.tenant_id = private.tenant_id() and e.assigned_to = assignee and e.status in ('open', 'in_review'));
end $function$;
CREATE OR REPLACE FUNCTION public.remove_tenant_member(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  kept constant jsonb := private.enter_write(request, 'remove_tenant_member');
  member constant uuid := (input ->> 'id')::uuid;
  before constant jsonb := case when kept is null then private.tenant_account((input ->> 'id')::uuid) end;
  changed jsonb;
  handed_over integer := 0;
begin
  if kept is not null then
    return kept;
  end if;
  if (input ->> 'hand_over')::boolean and private.has_namesake(before ->> 'name') then
    perform private.refuse('conflict', format('Another member is called %s too. Reassign the exceptions on the board first, then remove the member without handing over.', before ->> 'name'));
  -- Counted to 1,000.
  elsif (input ->> 'hand_over')::boolean and (before ->> 'open_exceptions')::integer >= 1000 then
    perform private.refuse('conflict', format('%s has 1,000 open exceptions or more. Reassign them on the board first, then remove the member without handing over.', before ->> 'name'));
  end if;
  changed := private.change_account(member, null, request -> 'versions', input ->> 'issuer');
  if (input ->> 'hand_over')::boolean then
    select count(*) into handed_over from private.change_own_exceptions('edit', array(
      select jsonb_build_object('id', h.id, 'assigned_to', input -> 'hand_over_to')
      from private.hold_own_exceptions(private.open_exceptions_of('user:' || (changed ->> 'name'))) h
      where h.assigned_to = 'user:' || (changed ->> 'name') and h.status in ('open', 'in_review')
    ));
  end if;
  perform private.record_security_event('member.removed', 'user:' || (changed ->> 'name'), input ->> 'reason', jsonb_build_object(
    'member_id', member, 'roles', changed -> 'before', 'sessions_ended', jsonb_array_length(changed -> 'ended'),
    'handed_over', handed_over, 'handed_over_to', input ->> 'hand_over_to'));
  return private.answer(request, before || jsonb_build_object('handed_over', handed_over, 'ended', changed -> 'ended'));
end $function$;
CREATE TRIGGER guard BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.exceptions FOR EACH STATEMENT EXECUTE FUNCTION private.guard_exceptions();
grant execute on function private.change_own_exceptions(text,jsonb[]) to authenticated;
grant execute on function private.hold_own_exceptions(text[]) to authenticated;
grant execute on function private.open_exceptions_of(text) to authenticated;
grant execute on function private.patched_columns(public.exceptions,jsonb) to authenticated;
grant execute on function private.require(text) to authenticated;
