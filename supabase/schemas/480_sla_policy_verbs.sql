-- The SLA policy over the wire. A change can name the version it was made on, and then overwrites no other change unseen.

create function private.sla_policy_json(p public.sla_policies) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'minutes_to_resolve', jsonb_build_object('critical', p.critical_minutes, 'high', p.high_minutes, 'medium', p.medium_minutes, 'low', p.low_minutes),
    'at_risk_thresholds', p.at_risk_thresholds, 'updated_at', private.iso(p.updated_at), 'updated_by', p.updated_by
  );
end $$;

-- input: {}. Answers the policy and its version.
create function public.get_sla_policy(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enter(request, 'get_sla_policy');
  return (
    select private.sla_policy_json(p) || jsonb_build_object('version', p.version)
    from public.sla_policies p where p.tenant_id = private.tenant_id()
  );
end $$;

-- input: { minutes_to_resolve, at_risk_thresholds, dry_run }. Deadlines that came
-- from the policy follow it. Refuses: precondition_failed. Records: sla_policy.updated.
create function public.put_sla_policy(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  dry_run constant boolean := (input ->> 'dry_run')::boolean;
  before public.sla_policies;
  after public.sla_policies;
  impact jsonb;
begin
  perform private.enter(request, 'put_sla_policy');
  select * into before from public.sla_policies where tenant_id = private.tenant_id() for update;
  if jsonb_typeof(request -> 'versions') = 'array' and not request -> 'versions' @> to_jsonb(before.version) then
    perform private.refuse('precondition_failed',
      format('The policy has changed since the version in If-Match, last by %s. Get it again and repeat your change.', before.updated_by));
  end if;
  after := before;
  after.critical_minutes := input -> 'minutes_to_resolve' ->> 'critical';
  after.high_minutes := input -> 'minutes_to_resolve' ->> 'high';
  after.medium_minutes := input -> 'minutes_to_resolve' ->> 'medium';
  after.low_minutes := input -> 'minutes_to_resolve' ->> 'low';
  after.at_risk_thresholds := array(select distinct value::integer from jsonb_array_elements_text(input -> 'at_risk_thresholds') order by 1 desc);

  with moved as (
    select e.severity, e.due_at, e.created_at + make_interval(mins => private.minutes_to_resolve(after, e.severity)) as new_due_at
    from public.exceptions e
    where e.tenant_id = private.tenant_id() and e.status in ('open', 'in_review') and e.due_from_policy
      and private.minutes_to_resolve(after, e.severity) <> private.minutes_to_resolve(before, e.severity)
  )
  select jsonb_build_object(
    'changed', count(*), 'earlier', count(*) filter (where new_due_at < due_at), 'later', count(*) filter (where new_due_at > due_at),
    'newly_breached', count(*) filter (where due_at > now() and new_due_at <= now()),
    'no_longer_breached', count(*) filter (where due_at <= now() and new_due_at > now()),
    'by_severity', jsonb_build_object(
      'critical', count(*) filter (where severity = 'critical'), 'high', count(*) filter (where severity = 'high'),
      'medium', count(*) filter (where severity = 'medium'), 'low', count(*) filter (where severity = 'low')
    )
  ) into impact from moved;

  if not dry_run and after is distinct from before then
    update public.sla_policies set
      critical_minutes = after.critical_minutes, high_minutes = after.high_minutes, medium_minutes = after.medium_minutes,
      low_minutes = after.low_minutes, at_risk_thresholds = after.at_risk_thresholds, updated_at = now(), updated_by = private.actor(),
      version = before.version + 1
    where tenant_id = before.tenant_id returning * into after;
    update public.exceptions e set due_at = e.created_at + make_interval(mins => private.minutes_to_resolve(after, e.severity))
    where e.tenant_id = before.tenant_id and e.status in ('open', 'in_review') and e.due_from_policy
      and private.minutes_to_resolve(after, e.severity) <> private.minutes_to_resolve(before, e.severity);
    if after.at_risk_thresholds <> before.at_risk_thresholds then
      perform private.rearm_clocks();
    end if;
    perform private.record_security_event('sla_policy.updated', null, null,
      jsonb_build_object('from', private.sla_policy_json(before), 'to', private.sla_policy_json(after)));
  end if;
  return private.sla_policy_json(after) || jsonb_build_object('version', after.version, 'dry_run', dry_run, 'impact', impact);
end $$;

grant execute on function private.sla_policy_json(public.sla_policies) to authenticated;
