-- crossings in line

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.announce_crossings(tenants text[], ids text[], boundaries integer[], due_ats timestamp with time zone[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  with crossed as (
    select e, e.id as exception_id, e.tenant_id, c.boundary, c.due_at
    from unnest(tenants, ids, boundaries, due_ats) as c (tenant_id, exception_id, boundary, due_at)
    join public.exceptions e on e.tenant_id = c.tenant_id and e.id = c.exception_id
  ), announced as materialized (
    select b.tenant_id, b.boundary, lead(b.boundary) over (partition by b.tenant_id order by b.boundary desc) as next_boundary
    from private.sla_boundaries(array(select distinct tenant_id from crossed)) b where b.announced
  ), crossing as materialized (
    select c.*, a.next_boundary, concat_ws(':', c.exception_id, private.iso(c.due_at), c.boundary) as once_key
    from crossed c left join announced a on a.tenant_id = c.tenant_id and a.boundary = c.boundary
  ), reported as (
    insert into public.events (tenant_id, type, data, once_key)
    select x.tenant_id, case when x.boundary = 0 then 'exception.sla.breached' else 'exception.sla.at_risk' end,
      jsonb_build_object('exception', private.exception_json(x.e), 'due_at', private.iso(x.due_at))
        || case when x.boundary = 0 then '{}'::jsonb
          else jsonb_build_object('threshold_minutes', x.boundary, 'threshold_kind', 'wall_clock', 'next_threshold_minutes', x.next_boundary) end,
      x.once_key
    from crossing x
    order by x.due_at - make_interval(mins => x.boundary)
    on conflict on constraint events_tenant_id_type_once_key_key do nothing
    returning tenant_id, data
  )
  insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, threshold_minutes, calendar_no, actor,
    actor_issuer, actor_subject, request_id)
  select r.tenant_id, r.data #>> '{exception,id}', now(), 'crossed', (r.data ->> 'due_at')::timestamptz,
    coalesce((r.data -> 'threshold_minutes')::integer, 0),
    -- Looked up, not joined: a kept plan takes the batch for a handful, and would compare each row with every other.
    (select e.calendar_no from public.exceptions e where e.tenant_id = r.tenant_id and e.id = r.data #>> '{exception,id}'),
    'system', null, null, null
  from reported r;
end $function$;
CREATE OR REPLACE FUNCTION private.advance_clocks(tenants text[], ids text[], shard integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  late record;
  moved record;
  crossed record;
begin
  select array_agg(c.tenant_id) as tenants, array_agg(c.exception_id) as ids, array_agg(c.due_at) as due_ats, array_agg(c.position) as positions
  into late
  from (
    select c.* from unnest(tenants, ids) as asked (tenant_id, exception_id)
    join private.exception_clocks c on c.tenant_id = asked.tenant_id and c.exception_id = asked.exception_id
    where c.next_at <= now()
    order by c.tenant_id, c.exception_id for update of c
  ) c;
  if late.ids is null then
    return;
  end if;
  with fresh as (
    select * from private.place_clocks(late.tenants, late.ids, late.due_ats, late.positions)
  ), written as (
    update private.exception_clocks c set position = f.position, next_at = f.next_at
    from fresh f where c.tenant_id = f.tenant_id and c.exception_id = f.exception_id
  )
  select array_agg(f.tenant_id) as tenants, array_agg(f.exception_id) as ids, array_agg(f.due_at) as due_ats,
    array_agg(f.old_position) as old_positions, array_agg(f.position) as new_positions
  into moved from fresh f;
  select array_agg(m.tenant_id) as tenants, array_agg(m.exception_id) as ids, array_agg(b.boundary) as boundaries, array_agg(m.due_at) as due_ats
  into crossed
  from unnest(moved.tenants, moved.ids, moved.old_positions, moved.new_positions, moved.due_ats)
    as m (tenant_id, exception_id, old_position, new_position, due_at)
  join private.sla_boundaries(moved.tenants) b
    on b.tenant_id = m.tenant_id and b.announced and b.boundary < m.old_position and b.boundary >= m.new_position;
  if crossed.ids is not null then
    perform private.announce_crossings(crossed.tenants, crossed.ids, crossed.boundaries, crossed.due_ats);
  end if;
  -- Last: workers queue for this row alone.
  perform private.count_positions(shard, moved.tenants || moved.tenants, moved.old_positions || moved.new_positions,
    array_fill(-1, array[cardinality(moved.ids)]) || array_fill(1, array[cardinality(moved.ids)]));
end $function$;
CREATE OR REPLACE FUNCTION private.take_business_warnings(batch integer)
 RETURNS SETOF private.business_warnings
 LANGUAGE plpgsql
 SET search_path TO ''
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
begin
  return query
  with due as (
    select w.tenant_id, w.exception_id, w.minutes from private.business_warnings w
    where w.at <= now() and w.at < 'infinity' order by w.at limit batch for update skip locked
  )
  delete from private.business_warnings w using due d
  where w.tenant_id = d.tenant_id and w.exception_id = d.exception_id and w.minutes = d.minutes
  returning w.*;
end $function$;
CREATE OR REPLACE FUNCTION private.tick_business_warnings(batch integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  passed record;
begin
  select array_agg(t.tenant_id) as tenants, array_agg(t.exception_id) as ids, array_agg(t.minutes) as minutes, array_agg(t.due_at) as due_ats
  into passed from private.take_business_warnings(batch) t;
  if passed.ids is null then
    return 0;
  end if;
  perform private.announce_business_warnings(passed.tenants, passed.ids, passed.minutes, passed.due_ats);
  return cardinality(passed.ids);
end $function$;
