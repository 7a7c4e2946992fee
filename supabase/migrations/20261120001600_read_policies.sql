-- Reads: a member without a role, or a key for something else, sees no row even past the functions. Exceptions and
-- reconciliations name each other, so whoever may work with one of them sees the rows of both.

create function private.works_with_exceptions() returns boolean
language sql stable set search_path = ''
return private.allows('{tenant_admin,tenant_analyst,tenant_lead}',
  '{read:exceptions,write:exceptions,read:reconciliations,write:reconciliations}');
grant execute on function private.works_with_exceptions() to authenticated;

alter policy exceptions_read on public.exceptions
  using (tenant_id = (select private.tenant_id()) and (select private.works_with_exceptions()));
alter policy exception_history_read on public.exception_history
  using (tenant_id = (select private.tenant_id()) and (select private.works_with_exceptions()));
alter policy exception_ledger_read on public.exception_ledger
  using (tenant_id = (select private.tenant_id()) and (select private.works_with_exceptions()));
alter policy reconciliations_read on public.reconciliations
  using (tenant_id = (select private.tenant_id()) and (select private.works_with_exceptions()));
alter policy sla_policies_read on public.sla_policies
  using (tenant_id = (select private.tenant_id()) and (select private.works_with_exceptions()));
