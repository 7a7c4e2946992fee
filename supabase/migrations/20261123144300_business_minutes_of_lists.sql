-- business minutes of lists

-- From here on written by `npm run migration`, anew each time. Above is by hand.

CREATE OR REPLACE FUNCTION private.business_minutes_remaining(e public.exceptions, as_of timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION private.rebuild_business_time(tenant text, no bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  covered private.calendar_coverage;
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
  update public.exceptions e set due_open_ms = private.open_ms(tenant, no, c.due_at),
    due_at = case when e.paused_at is null then c.due_at else e.due_at end, held_due_at = case when e.paused_at is not null then c.due_at end
  from counted c where e.tenant_id = tenant and e.id = c.id
    and (coalesce(e.held_due_at, e.due_at), e.due_open_ms) is distinct from (c.due_at, private.open_ms(tenant, no, c.due_at));
  perform private.arm_business_warnings(array_fill(tenant, array[cardinality(x.ids)]), x.ids, false)
  from (
    select array_agg(e.id) as ids from public.exceptions e
    where e.tenant_id = tenant and e.calendar_no = no and e.status in ('open', 'in_review')
  ) x where x.ids is not null;
end $function$;
