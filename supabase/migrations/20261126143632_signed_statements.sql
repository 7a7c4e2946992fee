-- signed statements

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.delete_suggestions_of_closing(text,text);
CREATE OR REPLACE FUNCTION public.create_reconciliation(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  replayed constant jsonb := private.begin_write(request, 'create_reconciliation');
  pair integer;
  is_open boolean;
  created public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  if input ->> 'left_source_id' is not null then
    if input ? 'matched_count' or input ? 'unmatched_count' then
      perform private.refuse('conflict', 'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
    end if;
    select o.pair_no, o.is_open into pair, is_open from private.open_pair(input ->> 'left_source_id', input ->> 'right_source_id') o;
  end if;
  insert into public.reconciliations (name, status, period_start, period_end, left_source, right_source, matched_count, unmatched_count, pair_no,
    left_source_id, right_source_id, auto_run)
  values (
    input ->> 'name', coalesce(input ->> 'status', 'open'), (input ->> 'period_start')::date, (input ->> 'period_end')::date,
    coalesce(input ->> 'left_source', (select s.name from public.sources s where s.tenant_id = private.tenant_id() and s.id = input ->> 'left_source_id')),
    coalesce(input ->> 'right_source', (select s.name from public.sources s where s.tenant_id = private.tenant_id() and s.id = input ->> 'right_source_id')),
    coalesce((input ->> 'matched_count')::bigint, 0), coalesce((input ->> 'unmatched_count')::bigint, 0), pair,
    input ->> 'left_source_id', input ->> 'right_source_id', coalesce((input ->> 'auto_run')::boolean, true)
  )
  returning * into created;
  perform private.record_security_event('reconciliation.created', created.id, null,
    jsonb_build_object('name', created.name, 'period_start', created.period_start,
      'period_end', created.period_end, 'left_source_id', created.left_source_id,
      'right_source_id', created.right_source_id));
  if pair is not null then
    perform private.carry_from_closed(created);
  end if;
  if is_open then
    perform private.request_runs(private.tenant_id(), pair);
  elsif pair is not null then
    perform private.queue_preparing(private.tenant_id(), pair, interval '0');
  end if;
  return private.finish_request(request, private.reconciliation_json(created) || jsonb_build_object('version', private.reconciliation_version(created)));
end $function$;
CREATE OR REPLACE FUNCTION private.refuse_change_of_closed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- private.move_suggestions: suggestions are no part of what a period closed with.
  if tg_op = 'UPDATE' and current_setting('tieout.moves_suggestions', true) = 'on' then
    return null;
  end if;
  if exists (
    select from (
      select distinct c.tenant_id, c.reconciliation_id from changed c where tg_op <> 'DELETE' or tg_table_name <> 'matches' or to_jsonb(c) ->> 'state' = 'confirmed'
    ) x
    join public.reconciliations r on r.tenant_id = x.tenant_id and r.id = x.reconciliation_id
    where r.closed_at is not null or r.status = 'archived'
  ) then
    perform private.refuse('conflict', 'The period is closed or archived. Reopen a closed one first; an archived one does not change any more.');
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION private.complete_closing(before public.reconciliations)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  c public.closings;
  r public.reconciliations;
begin
  select * into strict c from public.closings x where x.tenant_id = before.tenant_id and x.reconciliation_id = before.id;
  delete from private.closing_requests q where q.tenant_id = before.tenant_id and q.reconciliation_id = before.id;
  perform private.carry_forward(before);
  if before.status = 'open' then
    update public.reconciliations x set status = 'in_progress' where x.tenant_id = before.tenant_id and x.id = before.id;
  end if;
  update public.reconciliations x set status = 'completed', closed_at = c.closed_at, closed_by = c.closed_by
  where x.tenant_id = before.tenant_id and x.id = before.id
  returning * into r;
  perform private.complete_last_run(r);
  perform private.record_security_event('reconciliation.closed', r.id, null, jsonb_build_object('digest', c.digest));
  perform private.queue_book_recount(r.tenant_id, r.pair_no);
  perform private.emit(r.tenant_id, 'reconciliation.closed', jsonb_build_object('reconciliation', private.reconciliation_json(r)));
  return r;
end $function$;
CREATE OR REPLACE FUNCTION private.close_period(id text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  tenant constant text := private.tenant_id();
  lines constant bigint := (
    select sum(s.line_count) from public.reconciliations r
    join public.sources s on s.tenant_id = r.tenant_id and s.id in (r.left_source_id, r.right_source_id)
    where r.tenant_id = tenant and r.id = $1
  );
  r public.reconciliations;
begin
  if lines > private.lines_at_once() then
    r := private.lock_period(tenant, $1);
    perform private.require_closable(r);
    perform private.request_closing(r);
    return r;
  end if;
  r := private.lock_period_exclusively(tenant, $1);
  perform private.require_closable(r);
  perform private.write_closing(r, private.actor());
  return private.complete_closing(r);
end $function$;
CREATE OR REPLACE FUNCTION private.reopen_period(id text, reason text)
 RETURNS public.reconciliations
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  perform private.lock_pair_of($1);
  select * into r from public.reconciliations x where x.tenant_id = private.tenant_id() and x.id = $1 for no key update;
  if r.closed_at is null then
    perform private.refuse('conflict', 'The period is not closed.');
  elsif exists (
    select from public.reconciliations x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_start > r.period_end and x.closed_at is not null
  ) then
    perform private.refuse('conflict', 'A later period of these sources is closed, and builds on this one. Reopen that one first.');
  end if;
  perform private.require_not_closing(r.tenant_id, r.pair_no);
  update public.reconciliations x set status = 'in_progress', closed_at = null, closed_by = null
  where x.tenant_id = r.tenant_id and x.id = r.id
  returning * into r;
  perform private.delete_closing(r);
  perform private.bring_back(r);
  perform private.record_security_event('reconciliation.reopened', r.id, reason);
  perform private.emit(r.tenant_id, 'reconciliation.reopened', jsonb_build_object('reconciliation', private.reconciliation_json(r), 'reason', reason));
  return r;
end $function$;
CREATE OR REPLACE FUNCTION private.move_suggestions_of_closing(tenant text, reconciliation text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  target text;
  ids uuid[];
begin
  perform private.lock_pair(q.tenant_id, q.pair_no) from private.closing_requests q
  where q.tenant_id = tenant and q.reconciliation_id = reconciliation;
  perform from private.closing_requests q where q.tenant_id = tenant and q.reconciliation_id = reconciliation and q.failure is null;
  if not found then
    return 0;
  end if;
  select * into strict r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  target := private.next_open_period(r);
  if target is null then
    return 0;
  end if;
  ids := array(
    select m.id from public.matches m where m.tenant_id = tenant and m.reconciliation_id = reconciliation and m.state = 'suggested'
    order by m.id limit 5000
  );
  perform private.move_suggestions(tenant, ids, target);
  return cardinality(ids);
end $function$;
CREATE OR REPLACE FUNCTION private.fail_closing(tenant text, reconciliation text, failure text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  select * into strict r from public.reconciliations x where x.tenant_id = tenant and x.id = reconciliation;
  perform private.lock_pair(tenant, r.pair_no);
  update private.closing_requests q set failure = fail_closing.failure
  where q.tenant_id = tenant and q.reconciliation_id = reconciliation and q.failure is null;
  if not found then
    return false;
  end if;
  perform private.delete_closing(r);
  perform private.bring_back(r);
  perform private.request_runs(tenant, r.pair_no);
  -- A suggestion may have been in the next period's way: a run makes it again.
  perform private.queue_run(tenant, r.pair_no, r.id, null, interval '1 second');
  return true;
end $function$;
CREATE OR REPLACE FUNCTION private.next_open_period(r public.reconciliations)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select x.id from public.reconciliations x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_start > r.period_end
      and x.closed_at is null and x.status <> 'archived'
    order by x.period_start limit 1
  );
end $function$;
CREATE OR REPLACE FUNCTION private.move_suggestions(tenant text, ids uuid[], target text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
declare
  twice uuid[];
begin
  twice := array(
    select distinct m.match_id
    from private.members_of(tenant, ids) m
    join private.members_of(tenant, private.suggested_of(tenant, target)) own
      on own.line_no = m.line_no and own.match_id <> m.match_id
    where own.match_id <> all (ids)
  );
  if cardinality(twice) > 0 then
    perform private.delete_matches(tenant, twice);
  end if;
  perform set_config('tieout.moves_suggestions', 'on', true);
  update public.matches m set reconciliation_id = target
  where m.tenant_id = tenant and m.id = any (ids) and m.state = 'suggested'
    and m.reconciliation_id <> target;
  perform set_config('tieout.moves_suggestions', '', true);
end $function$;
CREATE OR REPLACE FUNCTION private.move_exceptions(tenant text, ids text[], target text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  claims constant text := coalesce(current_setting('request.jwt.claims', true), '');
begin
  perform set_config('request.jwt.claims', '', true);
  perform private.change_exceptions('edit', array(
    select jsonb_build_object('tenant_id', tenant, 'id', i.id, 'reconciliation_id', target)
    from unnest(ids) i (id) order by i.id
  ));
  perform set_config('request.jwt.claims', claims, true);
end $function$;
CREATE OR REPLACE FUNCTION private.exceptions_with_open_lines(tenant text, pair integer, periods text[])
 RETURNS TABLE(id text, last_date date)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  select e.id, max(o.value_date)
  from public.exceptions e
  join private.exception_lines x on x.tenant_id = e.tenant_id and x.exception_id = e.id
  join private.open_lines o
    on o.tenant_id = x.tenant_id and o.pair_no = x.pair_no and o.line_no = x.line_no
  where e.tenant_id = tenant and e.pair_no = pair and e.reconciliation_id = any (periods)
    and e.status in ('open', 'in_review') and x.pair_no = pair
  group by e.id;
end $function$;
CREATE OR REPLACE FUNCTION private.carry_forward(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  target constant text := private.next_open_period(r);
begin
  if target is null then
    return;
  end if;
  perform private.move_suggestions(r.tenant_id, private.suggested_of(r.tenant_id, r.id), target);
  perform private.move_exceptions(r.tenant_id, array(
    select e.id from private.exceptions_with_open_lines(r.tenant_id, r.pair_no, array[r.id]) e
  ), target);
end $function$;
CREATE OR REPLACE FUNCTION private.carry_from_closed(created public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.carry_forward(r) from public.reconciliations r
  where r.tenant_id = created.tenant_id and r.pair_no = created.pair_no
    and r.period_end < created.period_start and r.closed_at is not null;
end $function$;
CREATE OR REPLACE FUNCTION private.bring_back(r public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
declare
  later constant text[] := array(
    select x.id from public.reconciliations x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no and x.period_start > r.period_end
      and x.closed_at is null
  );
  suggested uuid[];
begin
  select coalesce(array_agg(m.id), '{}') into suggested from public.matches m
  where m.tenant_id = r.tenant_id and m.reconciliation_id = any (later) and m.state = 'suggested';
  perform private.move_suggestions(r.tenant_id, array(
    select m.match_id
    from private.members_of(r.tenant_id, suggested) m
    join (
      select o.line_no, o.value_date from private.open_lines o
      where o.tenant_id = r.tenant_id and o.pair_no = r.pair_no
    ) o on o.line_no = m.line_no
    group by m.match_id having max(o.value_date) <= r.period_end
  ), r.id);
  perform private.move_exceptions(r.tenant_id, array(
    select e.id from private.exceptions_with_open_lines(r.tenant_id, r.pair_no, later) e
    where e.last_date <= r.period_end
  ), r.id);
end $function$;
grant execute on function private.move_suggestions_of_closing(text,text) to service_role;
