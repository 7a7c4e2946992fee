-- Reconciliations: two sources compared over a period; exceptions are what did not match.

create table public.reconciliations (
  id text primary key default private.new_id('rcn'),
  tenant_id text not null references public.tenants (id),
  name text not null check (length(name) between 1 and 200),
  status text not null default 'open' check (status in ('open', 'in_progress', 'completed', 'archived')),
  period_start date not null,
  period_end date not null,
  left_source text not null,
  right_source text not null,
  matched_count bigint not null default 0 check (matched_count >= 0),
  unmatched_count bigint not null default 0 check (unmatched_count >= 0),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default now(),
  check (period_end >= period_start),
  unique (tenant_id, id)
);

alter table public.reconciliations enable row level security;
grant select on public.reconciliations to authenticated, service_role;
create policy reconciliations_read on public.reconciliations for select to authenticated
  using (tenant_id = (select private.tenant_id()));
