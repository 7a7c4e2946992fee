-- Closings: a closed period never changes.

create table public.closings (
  tenant_id text not null default private.tenant_id(),
  reconciliation_id text not null,
  -- As it was when the period closed: proof, balances, outstanding items, adjustments.
  statement jsonb not null,
  closed_at timestamptz(3) not null default now(),
  closed_by text not null default private.actor(),
  primary key (tenant_id, reconciliation_id),
  foreign key (tenant_id, reconciliation_id) references public.reconciliations (tenant_id, id)
);

-- Lines that were open when the period closed.
create table public.carried_lines (
  tenant_id text not null default private.tenant_id(),
  reconciliation_id text not null,
  line_no bigint not null,
  side text not null check (side in ('left', 'right')),
  open_minor bigint not null,
  primary key (tenant_id, reconciliation_id, line_no),
  foreign key (tenant_id, reconciliation_id) references public.reconciliations (tenant_id, id)
);

alter table public.closings enable row level security;
grant select on public.closings to authenticated, service_role;
create policy closings_read on public.closings for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));

alter table public.carried_lines enable row level security;
grant select on public.carried_lines to authenticated, service_role;
create policy carried_lines_read on public.carried_lines for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));
