-- cheaper run results

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.allocated_in(tenant text, match_ids uuid[], until date)
 RETURNS TABLE(side text, minor numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
 SET enable_sort TO 'off'
 SET enable_nestloop TO 'off'
AS $function$
begin
  if until is null then
    return query select x.side, sum(x.allocated_minor) from public.match_members x
      where x.tenant_id = tenant and x.match_id = any ((select match_ids)::uuid[])
      group by 1;
  else
    return query select m.side, sum(m.allocated_minor)
      from private.members_of(tenant, match_ids, until) m group by 1;
  end if;
end $function$;
CREATE OR REPLACE FUNCTION private.settled_around(r public.reconciliations)
 RETURNS TABLE(currency text, side text, earlier numeric, matched numeric, excluded numeric, later numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return query
  with of_pair as materialized (
    select x.id,
      case when x.id = r.id then 0 when x.period_end < r.period_start then -1 else 1 end as place
    from public.reconciliations x where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no
  ), confirmed as (
    select m.currency, o.place, array_agg(m.id) as ids
    from of_pair o
      join public.matches m on m.tenant_id = r.tenant_id and m.reconciliation_id = o.id
        and m.state = 'confirmed'
    group by 1, 2
  ), settled as (
    -- What later periods settled, only of lines that this period covers.
    select c.currency, mm.side, c.place, mm.minor as matched, 0 as excluded
    from confirmed c
      cross join lateral private.allocated_in(r.tenant_id, c.ids,
        case when c.place = 1 then r.period_end end) mm
    union all
    select x.currency, x.side, o.place, 0, sum(x.excluded_minor)
    from of_pair o
      join public.exclusions x on x.tenant_id = r.tenant_id and x.reconciliation_id = o.id
      join public.lines l on l.tenant_id = x.tenant_id and l.line_no = x.line_no
        and l.value_date <= r.period_end
    group by 1, 2, 3
  )
  select s.currency, s.side,
    coalesce(sum(s.matched + s.excluded) filter (where s.place = -1), 0),
    coalesce(sum(s.matched) filter (where s.place = 0), 0),
    coalesce(sum(s.excluded) filter (where s.place = 0), 0),
    coalesce(sum(s.matched + s.excluded) filter (where s.place = 1), 0)
  from settled s
  group by 1, 2;
end $function$;
CREATE OR REPLACE FUNCTION private.record_changes(made private.exception_change[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  with change as materialized (
    select m.after, 'created' as kind, private.exception_facts(m.after) as changes
    from unnest(made) m
    where (m.before).id is null
    union all
    select m.after, 'updated', x.changes
    from unnest(made) m
    cross join lateral (
      select private.changes(private.exception_facts(m.before),
        private.exception_facts(m.after)) as changes offset 0) x
    where (m.before).id is not null and x.changes is not null
  ), recorded as (
    insert into public.exception_history (tenant_id, exception_id, kind, changes)
    select (c.after).tenant_id, (c.after).id, c.kind, c.changes from change c
  )
  insert into public.events (tenant_id, type, data)
  select (c.after).tenant_id, t.type,
    jsonb_build_object('exception', private.exception_json(c.after))
      || case when t.type = 'exception.created' then '{}'
        when c.kind = 'created' then jsonb_build_object('changes',
          private.changes('{}',
            jsonb_build_object('paused_at', c.changes -> 'paused_at', 'pause_reason',
              c.changes -> 'pause_reason')))
        else jsonb_build_object('changes', c.changes) end
  from change c
  cross join lateral (values
    (1, case
      when c.kind = 'created' then 'exception.created'
      when c.changes #>> '{status,to}' in ('resolved', 'dismissed') then 'exception.resolved'
      when c.changes ? 'paused_at'
      and c.changes - '{paused_at,paused_until,pause_reason,due_at}'::text[] = '{}' then null
      else 'exception.updated'
    end),
    (2, case
      when c.kind = 'created' then case
      when c.changes ->> 'paused_at' is not null then 'exception.paused' end
      when c.changes #>> '{paused_at,to}' is not null then 'exception.paused'
      when c.changes ? 'paused_at' then 'exception.resumed'
    end)
  ) t (place, type)
  where t.type is not null
  order by t.place;
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
  r := private.lock_period(tenant, reconciliation);
  perform private.require_attempt(tenant, run, attempt);
  with wanted as materialized (
    select x.*, x.line_nos[1] as line_no from jsonb_to_recordset(rows) as x (
      match_id uuid, line_nos bigint[], title text, severity text, assigned_to text,
      reason_code text, amount_minor bigint, currency text, details jsonb)
    where x.match_id is null
      or exists (select from public.matches m
        where m.tenant_id = tenant and m.id = x.match_id and m.state = 'suggested')
  ), present as materialized (
    select e.line_no from private.exception_lines e
    where e.tenant_id = tenant and e.pair_no = r.pair_no
      and e.line_no = any (array(select y.line_no from wanted y))
    order by e.line_no
  ), made as (
    select e.id, e.line_no from private.change_exceptions('create', array(
      select jsonb_build_object('tenant_id', tenant, 'title', x.title, 'severity', x.severity,
        'assigned_to', x.assigned_to,
        'reason_code', x.reason_code, 'amount_minor', x.amount_minor, 'currency', x.currency,
        'reconciliation_id', r.id, 'details', x.details,
        'pair_no', r.pair_no, 'line_no', l.line_no, 'line_id', l.id, 'suggested_match_id',
        x.match_id, 'grouped_match_id', x.match_id)
      from wanted x
      join public.lines l on l.tenant_id = tenant and l.line_no = x.line_no
      join private.open_lines o on o.tenant_id = tenant and o.pair_no = r.pair_no
        and o.line_no = l.line_no
      where x.line_no not in (select y.line_no from present y)
    )) e
  ), about as (
    insert into private.exception_lines (tenant_id, line_no, pair_no, exception_id)
    select tenant, n.line_no, r.pair_no, m.id
    from made m
    join wanted x on x.line_no = m.line_no
    cross join unnest(x.line_nos) n (line_no)
    on conflict do nothing
  )
  select count(*) into opened from made;
  return opened;
end $function$;
CREATE OR REPLACE FUNCTION private.resolve_matched_exceptions(tenant text, pair integer, matches uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- Only the exceptions of these lines are read, not all that the tenant has open.
  perform private.change_exceptions('edit', array(
    with found as materialized (
      select * from private.exceptions_of_matches(tenant, pair, matches)
    )
    select jsonb_build_object('tenant_id', tenant, 'id', e.id, 'status', 'resolved', 'resolution',
      format('Matched by %s.', private.match_id_text(x.match_id)),
      'resolved_by_matching', true, 'suggested_match_id', null)
    from found x
    join public.exceptions e on e.id = x.exception_id
    where e.tenant_id = tenant and e.id = any (array(select y.exception_id from found y))
      and e.status in ('open', 'in_review') and not private.has_open_lines(e)
    order by e.id for no key update of e
  ));
end $function$;
grant execute on function private.allocated_in(text,uuid[],date) to authenticated;
