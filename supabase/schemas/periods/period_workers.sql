-- Period workers: who matched, confirmed, wrote off, excluded, undid or added lines in a period, so
-- that four eyes hold regardless of display names and credentials.

create table private.period_workers (
  tenant_id text not null,
  reconciliation_id text not null,
  -- A person, by the issuer and subject of their token. Empty if only the name is known, for a key
  -- that was created before keys recorded their creator's subject, and for the service role.
  issuer text not null default '',
  subject text not null default '',
  name text not null default '',
  -- Any admin could hold the service-role key, so its work counts as every admin's.
  is_service_role boolean not null default false,
  primary key (tenant_id, reconciliation_id, issuer, subject, name, is_service_role),
  foreign key (tenant_id, reconciliation_id)
    references public.reconciliations (tenant_id, id) on delete cascade
);
alter table private.period_workers enable row level security;

-- Records that the caller worked in the period. An API key's work counts as the work of everyone
-- who was shown its secret: those who created it or a key of its rotation chain.
create function private.record_period_work(reconciliation_id text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  caller constant text := private.principal_type();
  lineage constant text := substr(auth.jwt() ->> 'principal_id', length('api_key:') + 1);
begin
  if caller = 'user' then
    insert into private.period_workers (tenant_id, reconciliation_id, issuer, subject)
    values (tenant, $1, private.actor_issuer(), private.actor_subject())
    on conflict do nothing;
  elsif caller = 'api_key' then
    insert into private.period_workers (tenant_id, reconciliation_id, issuer, subject, name)
    select distinct tenant, $1, coalesce(api_key.creator_issuer, ''),
      coalesce(api_key.creator_subject, ''),
      case when api_key.creator_subject is null then api_key.created_by else '' end
    from public.api_keys api_key where api_key.tenant_id = tenant and api_key.lineage_id = lineage
    on conflict do nothing;
  elsif caller = 'service_role' then
    insert into private.period_workers (tenant_id, reconciliation_id, is_service_role)
    values (tenant, $1, true)
    on conflict do nothing;
  end if;
end $$;

-- Records the work for every open period that lines of the source belong to.
create function private.record_source_work(source_no integer) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  period record;
begin
  for period in
    select reconciliations.id from public.pairs pair
    join public.reconciliations on reconciliations.tenant_id = pair.tenant_id
      and reconciliations.pair_no = pair.pair_no
    where pair.tenant_id = private.tenant_id() and $1 in (pair.left_source_no, pair.right_source_no)
      and reconciliations.closed_at is null and reconciliations.status <> 'archived'
    order by reconciliations.id
  loop
    perform private.record_period_work(period.id);
  end loop;
end $$;

-- Whether the caller worked in the period. Work from before this was recorded is known only by
-- name, which may belong to another person too: then a second person has to close.
create function private.worked_in_period(period public.reconciliations) returns boolean
language plpgsql stable security definer set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  actor constant text := private.actor();
  is_admin constant boolean := auth.jwt() -> 'roles' ? 'tenant_admin';
begin
  return exists (
    select from private.period_workers worker
    where worker.tenant_id = tenant and worker.reconciliation_id = period.id
      and ((worker.issuer, worker.subject) = (private.actor_issuer(), private.actor_subject())
        or worker.name = actor or worker.is_service_role and is_admin)
  ) or exists (
    select from public.matches match
    where match.tenant_id = tenant and match.reconciliation_id = period.id
      and (match.method = 'manual' and match.created_by = actor
        or match.state = 'undone' and match.decided_by = actor)
  ) or exists (
    select from private.decisions decision
    where decision.tenant_id = tenant and decision.reconciliation_id = period.id
      and (decision.kind in ('match', 'exclude') and decision.created_by = actor
        or decision.undone_by = actor)
  );
end $$;
grant execute on function private.worked_in_period(public.reconciliations) to authenticated;
