-- What is closed today keeps its statement as number 1.
create table public.statements (
  tenant_id text not null default private.tenant_id(),
  reconciliation_id text not null,
  number integer not null check (number >= 1),
  statement jsonb not null,
  -- As in closings; null of those closed before there was one.
  digest text check (digest ~ '^[0-9a-f]{64}$'),
  closed_by text not null,
  -- Null where a migration took over an earlier close, which kept the name alone.
  closer_issuer text,
  closer_subject text,
  closed_at timestamptz(3) not null,
  reopened_at timestamptz(3),
  reopened_by text,
  reason text check (length(reason) between 1 and 1000),
  primary key (tenant_id, reconciliation_id, number),
  foreign key (tenant_id, reconciliation_id) references public.reconciliations (tenant_id, id),
  check (num_nonnulls(reopened_at, reopened_by, reason) in (0, 3))
);
insert into public.statements (tenant_id, reconciliation_id, number, statement, digest, closed_by,
  closed_at)
select c.tenant_id, c.reconciliation_id, 1, c.statement, c.digest, c.closed_by, c.closed_at
from public.closings c
join public.reconciliations r on r.tenant_id = c.tenant_id and r.id = c.reconciliation_id
where r.closed_at is not null;

-- From here on written by `npm run migration`, anew each time. Above is by hand.

drop function private.delete_suggestions_of_closing(text,text);
alter table public.statements enable row level security; alter table public.statements no force row level security;
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
CREATE OR REPLACE FUNCTION public.list_matches(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
 SET statement_timeout TO '4s'
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  tenant constant text := private.tenant_id();
  behind constant uuid := private.match_id(input -> 'after' ->> 0);
  of_line constant text := private.requested_line(input);
  r public.reconciliations;
  few bigint[];
  filters text;
  items jsonb;
begin
  perform private.begin_request(request, 'list_matches');
  r := private.find_period(input ->> 'id');
  if of_line is not null then
    few := private.narrow_by_filters(r, input, 5000);
  end if;
  -- The state is written out: suggestions have an index of their own. What is asked of a line is looked up match by match, by whole keys.
  filters := concat_ws(' and ', 'm.tenant_id = $1 and m.reconciliation_id = $2',
    case when behind is not null then 'm.id < $3' end,
    case when input ->> 'state' is not null then format('m.state = %L', input ->> 'state') end,
    -- Suggestions that wait there for the next period are no part of a closed one.
    case when r.closed_at is not null then $c$m.state <> 'suggested'$c$ end,
    case when input ->> 'method' is not null then $c$m.method = $4 ->> 'method'$c$ end,
    case when input ->> 'shape' is not null then $c$m.shape = $4 ->> 'shape'$c$ end,
    case when input ->> 'run_id' is not null then $c$m.run_id = $4 ->> 'run_id'$c$ end,
    case when input ->> 'amount_from' is not null then $c$m.amount_minor >= ($4 ->> 'amount_from')::bigint$c$ end,
    case when input ->> 'amount_to' is not null then $c$m.amount_minor <= ($4 ->> 'amount_to')::bigint$c$ end,
    'exists (
      select from public.match_members mm
      cross join lateral (select * from public.lines x where x.tenant_id = $1 and x.line_no = mm.line_no offset 0) l
      where mm.tenant_id = $1 and mm.match_id = m.id and ' || of_line || ' offset 0)');
  execute format('select jsonb_agg(private.match_json(x) order by x.id desc) from (
      select m.* from %s where %s order by m.id desc limit $6
    ) x', case when few is null then 'public.matches m' else '(
      select distinct mm.match_id from public.match_members mm where mm.tenant_id = $1 and mm.line_no = any ($5)
    ) f cross join lateral (select * from public.matches y where y.tenant_id = $1 and y.id = f.match_id offset 0) m' end, filters)
  into items using tenant, r.id, behind, input, few, page_size + 1;
  return private.page(items, page_size, 'id');
end $function$;
CREATE OR REPLACE FUNCTION private.close_preview(r public.reconciliations)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object(
    'suggestions_count', (
      select count(*) from public.matches m
      where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'suggested'
    ),
    'open_exceptions', (
      select count(*) from public.exceptions e
      where e.tenant_id = r.tenant_id and e.reconciliation_id = r.id and e.line_no is not null
        and e.status in ('open', 'in_review')
    ),
    'days_until_over', (
      select greatest(0, r.period_end + 1 - min((now() at time zone s.time_zone)::date))
      from public.sources s
      where s.tenant_id = r.tenant_id and s.id in (r.left_source_id, r.right_source_id)
    )
  );
end $function$;
CREATE OR REPLACE FUNCTION public.get_proof(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
begin
  perform private.begin_request(request, 'get_proof');
  r := private.find_period(input ->> 'id');
  if r.closed_at is not null then
    return (
      select c.statement -> 'proof' || private.close_preview(r) || jsonb_build_object('closing', jsonb_build_object(
        'digest', c.digest, 'holds', c.digest = private.closing_digest(r.tenant_id, r.id)))
      from public.closings c where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
    );
  end if;
  return private.proof_json(r) || private.close_preview(r) || '{"closing": null}';
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
  perform private.sign_statement(c);
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
  perform private.reopen_statement(r, reason);
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
  periods constant text[] := array(
    select x.id from public.reconciliations x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no
      and (x.id = r.id or x.period_end < r.period_start and x.closed_at is not null)
  );
begin
  if target is null then
    return;
  end if;
  perform private.move_suggestions(r.tenant_id, array(
    select m.id from public.matches m
    where m.tenant_id = r.tenant_id and m.reconciliation_id = any (periods)
      and m.state = 'suggested'
  ), target);
  perform private.move_exceptions(r.tenant_id, array(
    select e.id from private.exceptions_with_open_lines(r.tenant_id, r.pair_no, periods) e
  ), target);
end $function$;
CREATE OR REPLACE FUNCTION private.carry_from_closed(created public.reconciliations)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.carry_forward(r) from (
    select x from public.reconciliations x
    where x.tenant_id = created.tenant_id and x.pair_no = created.pair_no
      and x.period_end < created.period_start and x.closed_at is not null
    order by x.period_end desc limit 1
  ) latest (r);
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
CREATE OR REPLACE FUNCTION private.sign_statement(c public.closings)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into public.statements (tenant_id, reconciliation_id, number, statement, digest, closed_by,
    closer_issuer, closer_subject, closed_at)
  select c.tenant_id, c.reconciliation_id, coalesce(max(s.number), 0) + 1, c.statement, c.digest,
    c.closed_by, private.actor_issuer(), private.actor_subject(), c.closed_at
  from public.statements s
  where s.tenant_id = c.tenant_id and s.reconciliation_id = c.reconciliation_id;
end $function$;
CREATE OR REPLACE FUNCTION private.reopen_statement(r public.reconciliations, reason text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update public.statements s set reopened_at = now(), reopened_by = private.actor(),
    reason = reopen_statement.reason
  where s.tenant_id = r.tenant_id and s.reconciliation_id = r.id and s.reopened_at is null;
end $function$;
CREATE OR REPLACE FUNCTION private.signature_json(s public.statements)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return jsonb_build_object('number', s.number, 'digest', s.digest, 'closed_by', s.closed_by,
    'closer_issuer', s.closer_issuer, 'closer_subject', s.closer_subject,
    'closed_at', private.iso(s.closed_at), 'reopened_at', private.iso(s.reopened_at),
    'reopened_by', s.reopened_by, 'reason', s.reason);
end $function$;
CREATE OR REPLACE FUNCTION public.list_signed_statements(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  r public.reconciliations;
  items jsonb;
begin
  perform private.begin_request(request, 'list_signed_statements');
  r := private.find_period(input ->> 'id');
  select jsonb_agg(private.signature_json(s) order by s.number desc) into items
  from (
    select * from public.statements x
    where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id
      and (input -> 'after' ->> 0 is null or x.number < (input -> 'after' ->> 0)::integer)
    order by x.number desc limit page_size + 1
  ) s;
  return private.page(items, page_size, 'number');
end $function$;
CREATE OR REPLACE FUNCTION public.get_signed_statement(input jsonb, request jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  r public.reconciliations;
  s public.statements;
begin
  perform private.begin_request(request, 'get_signed_statement');
  r := private.find_period(input ->> 'id');
  select * into s from public.statements x
  where x.tenant_id = r.tenant_id and x.reconciliation_id = r.id
    and x.number = (input ->> 'number')::integer;
  if not found then
    perform private.refuse_missing('statement');
  end if;
  return private.signature_json(s) || jsonb_build_object('statement', s.statement);
end $function$;
CREATE OR REPLACE FUNCTION private.move_from_closed(e public.exceptions)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((
    select jsonb_build_object('reconciliation_id', private.next_open_period(r))
    from public.reconciliations r
    where r.tenant_id = e.tenant_id and r.id = e.reconciliation_id and r.closed_at is not null
      and private.next_open_period(r) is not null
  ), '{}');
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
      || private.move_from_closed(e)
    from public.exceptions e
    where e.tenant_id = tenant and e.id = any ((select private.exceptions_of_lines(tenant, pair, line_nos))::text[]) and e.status = 'resolved'
      and e.resolved_by_matching and private.has_open_lines(e)
    order by e.id for no key update
  ));
end $function$;
create policy statements_read on public.statements as permissive for select to authenticated
  using (((tenant_id = ( SELECT private.tenant_id() AS tenant_id)) AND ( SELECT private.may(VARIADIC ARRAY['read:reconciliations'::text, 'write:reconciliations'::text]) AS may)));
grant execute on function private.close_preview(public.reconciliations) to authenticated;
grant execute on function private.move_suggestions_of_closing(text,text) to service_role;
grant execute on function private.signature_json(public.statements) to authenticated;
grant execute on function public.get_signed_statement(jsonb,jsonb) to authenticated;
grant execute on function public.list_signed_statements(jsonb,jsonb) to authenticated;
grant select on public.statements to authenticated;
grant select on public.statements to service_role;
insert into private.operations select ('(get_signed_statement,getSignedStatement,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
insert into private.operations select ('(list_signed_statements,listSignedStatements,read:reconciliations)'::private.operations).* on conflict (verb,operation) do update set permission = excluded.permission;
