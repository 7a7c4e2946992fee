-- Runs: one pass of the rules over a period of a pair.

create table public.runs (
  id text not null default private.new_id('run'),
  tenant_id text not null default private.tenant_id(),
  reconciliation_id text not null,
  pair_no integer not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed')),
  -- What would happen, nothing kept: { rules } where others than the pair's are tried.
  dry_run jsonb,
  stage text,
  lines_done bigint not null default 0,
  lines_total bigint not null default 0,
  waterfall jsonb not null default '[]',
  outcome jsonb,
  suggested_count bigint not null default 0,
  open_count bigint not null default 0,
  exceptions_opened integer not null default 0,
  -- Beyond the run's cap: left for the next.
  exceptions_held_back integer not null default 0,
  rules_version integer,
  engine_version text,
  -- 128 bits in hexadecimal: the sum of the content hashes of the period's engine matches.
  digest text,
  failure text,
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, reconciliation_id) references public.reconciliations (tenant_id, id)
);
create index runs_by_reconciliation on public.runs (tenant_id, reconciliation_id, id);

alter table public.runs enable row level security;
grant select on public.runs to authenticated, service_role;
create policy runs_read on public.runs for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));
