-- SLA policies: how long a tenant gives an exception of each severity, and when it is warned before the deadline.

create table public.sla_policies (
  tenant_id text primary key references public.tenants (id),
  critical_minutes integer not null default 240 check (critical_minutes between 1 and 525600),
  high_minutes integer not null default 480 check (high_minutes between 1 and 525600),
  medium_minutes integer not null default 1440 check (medium_minutes between 1 and 525600),
  low_minutes integer not null default 4320 check (low_minutes between 1 and 525600),
  -- Minutes before the deadline at which exception.sla.at_risk fires.
  at_risk_thresholds integer[] not null default '{240,60}'
    check (cardinality(at_risk_thresholds) between 1 and 10 and 0 < all (at_risk_thresholds) and 525600 >= all (at_risk_thresholds)),
  -- Grows with every change; the ETag.
  version integer not null default 1,
  updated_at timestamptz(3) not null default now(),
  updated_by text not null default private.actor()
);

alter table public.sla_policies enable row level security;
grant select,
  update (critical_minutes, high_minutes, medium_minutes, low_minutes, at_risk_thresholds, version, updated_at, updated_by)
on public.sla_policies to authenticated;
grant select on public.sla_policies to service_role;
-- Whoever creates an exception gets its deadline from the policy.
create policy sla_policies_read on public.sla_policies for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:sla-policy', 'write:sla-policy', 'write:exceptions')));
create policy sla_policies_update on public.sla_policies for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('write:sla-policy')))
  with check (tenant_id = (select private.tenant_id()));

-- How long the tenant gives an exception of a severity.
create function private.minutes_to_resolve(p public.sla_policies, severity text) returns integer
language plpgsql immutable set search_path = '' as $$
begin
  return case severity
    when 'critical' then p.critical_minutes when 'high' then p.high_minutes when 'medium' then p.medium_minutes else p.low_minutes
  end;
end $$;

grant execute on function private.minutes_to_resolve(public.sla_policies, text) to authenticated;
