-- Time zone changes: a government moves a change of the clocks, and a Postgres release brings it.
-- Spans and deadlines computed before are then recomputed. SQL can't read the release of the data,
-- so the offsets of the zone, recorded with the spans, are compared instead.

-- Recomputes a version's spans, and from them the future deadlines that the policy set. Deadlines
-- that have passed, or that a person set, stay. Exceptions are locked before the spans, as in every
-- change of one.
create function private.rebuild_business_time(tenant text, calendar_number bigint) returns void
language plpgsql volatile set search_path = '' as $$
declare
  covered private.calendar_coverage;
  recalculated jsonb[];
begin
  perform from public.exceptions exception
  where exception.tenant_id = tenant and exception.calendar_no = calendar_number
    and exception.status in ('open', 'in_review')
    order by exception.id for no key update;
  select * into covered
  from private.calendar_coverage coverage
  where coverage.tenant_id = tenant and coverage.calendar_no = calendar_number for update;
  delete from private.calendar_spans span where span.tenant_id = tenant
    and span.calendar_no = calendar_number;
  update private.calendar_coverage coverage
  set covered_until = coverage.covered_from, open_until = coverage.open_from,
    zone_checked_at = now()
  where coverage.tenant_id = tenant and coverage.calendar_no = calendar_number;
  perform private.extend_business_time(tenant, calendar_number, covered.covered_from,
    covered.covered_until);
  -- What business_minutes_remaining has cached belongs to the old spans.
  perform set_config('app.open_ms', '', true);
  with counted as materialized (
    select exception.id, case when exception.due_from_policy
      and coalesce(exception.held_due_at, exception.due_at) > now()
      then coalesce(private.policy_deadline(exception,
        private.minutes_to_resolve(policy, exception.severity), calendar_number),
        coalesce(exception.held_due_at, exception.due_at))
      else coalesce(exception.held_due_at, exception.due_at) end as due_at
    from public.exceptions exception join public.sla_policies policy
      on policy.tenant_id = exception.tenant_id
    where exception.tenant_id = tenant and exception.calendar_no = calendar_number
      and exception.status in ('open', 'in_review')
  )
  select array_agg(jsonb_build_object('tenant_id', tenant, 'id', exception.id,
    'due_at', recount.due_at)
  order by exception.id) into recalculated
  from counted recount join public.exceptions exception on exception.tenant_id = tenant
    and exception.id = recount.id
  where (coalesce(exception.held_due_at, exception.due_at),
    exception.due_open_ms) is distinct from (recount.due_at,
    private.open_ms(tenant, calendar_number, recount.due_at));
  perform private.change_exceptions('recalculate', recalculated);
  perform private.arm_business_warnings(array_fill(tenant, array[cardinality(own_exceptions.ids)]),
    own_exceptions.ids, false)
  from (
    select array_agg(exception.id) as ids from public.exceptions exception
    where exception.tenant_id = tenant and exception.calendar_no = calendar_number
      and exception.status in ('open', 'in_review')
  ) own_exceptions where own_exceptions.ids is not null;
end $$;

-- Compares calendars with the time zone data, each once a day and at most `batch` at a time, and
-- rebuilds those that changed. Returns how many it compared.
create function private.rebuild_calendars(batch integer default 20) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  outdated record;
  compared integer := 0;
begin
  for outdated in
    select coverage.*, calendar_version.time_zone from private.calendar_coverage coverage
    join public.calendar_versions calendar_version
      on calendar_version.tenant_id = coverage.tenant_id
      and calendar_version.calendar_no = coverage.calendar_no
    where coverage.zone_checked_at < now() - interval '1 day'
      order by coverage.zone_checked_at, coverage.tenant_id, coverage.calendar_no limit batch
  loop
    if outdated.zone_print <> private.zone_print(outdated.time_zone, outdated.covered_from,
      outdated.covered_until) then
      perform private.rebuild_business_time(outdated.tenant_id, outdated.calendar_no);
    else
      update private.calendar_coverage coverage
      set zone_checked_at = now()
      where coverage.tenant_id = outdated.tenant_id and coverage.calendar_no = outdated.calendar_no;
    end if;
    compared := compared + 1;
  end loop;
  return compared;
end $$;
grant execute on function private.rebuild_calendars(integer) to service_role;
