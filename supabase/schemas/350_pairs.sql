-- Pairs: the left and the right source that reconciliations of successive periods compare, and what is open in each.

create table public.pairs (
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  pair_no integer not null generated always as identity,
  left_source_no integer not null,
  right_source_no integer not null,
  -- Of the newest row of pair_rules; 0: the engine's defaults.
  rules_version integer not null default 0,
  -- Learnt figures (matcher/engine/weights.ts); null: priors alone.
  weights jsonb,
  -- suggest_only until the measured precision allows more, unless the tenant says otherwise.
  automatic text not null default 'earned' check (automatic in ('suggest_only', 'earned', 'always')),
  created_at timestamptz(3) not null default now(),
  primary key (tenant_id, pair_no),
  unique (tenant_id, left_source_no, right_source_no),
  check (left_source_no <> right_source_no),
  foreign key (tenant_id, left_source_no) references public.sources (tenant_id, source_no),
  foreign key (tenant_id, right_source_no) references public.sources (tenant_id, source_no)
);

create table public.pair_rules (
  tenant_id text not null default private.tenant_id(),
  pair_no integer not null,
  version integer not null check (version >= 1),
  rules jsonb not null check (jsonb_typeof(rules) = 'array'),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  primary key (tenant_id, pair_no, version),
  foreign key (tenant_id, pair_no) references public.pairs (tenant_id, pair_no)
);

-- No foreign keys, as in public.lines. A row exists only while something of the line is open in the pair. Amounts are effective: negated where the source is inverted.
create table private.open_lines (
  tenant_id text not null,
  pair_no integer not null,
  line_no bigint not null,
  side text not null check (side in ('left', 'right')),
  currency text not null,
  amount_minor bigint not null,
  -- Of the same sign as amount_minor and not beyond it.
  open_minor bigint not null,
  value_date date not null,
  primary key (tenant_id, pair_no, line_no),
  check (open_minor between least(amount_minor, 0) and greatest(amount_minor, 0))
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05);
create index open_lines_by_date on private.open_lines (tenant_id, pair_no, value_date, line_no);
create index open_lines_by_amount on private.open_lines (tenant_id, pair_no, currency, open_minor);

alter table public.pairs enable row level security;
grant select on public.pairs to authenticated, service_role;
create policy pairs_read on public.pairs for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));

alter table public.pair_rules enable row level security;
grant select on public.pair_rules to authenticated, service_role;
create policy pair_rules_read on public.pair_rules for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));

alter table private.open_lines enable row level security;
grant select on private.open_lines to authenticated;
create policy open_lines_read on private.open_lines for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));
