-- Matches: lines of both sides whose allocated amounts agree, or of one side that cancel each other.

create table public.matches (
  tenant_id text not null default private.tenant_id(),
  -- Of the maker, in order of time. On the wire: mat_ and its 32 hexadecimal digits.
  id uuid not null,
  pair_no integer not null,
  reconciliation_id text not null,
  -- Null where a person made it.
  run_id text,
  state text not null check (state in ('suggested', 'confirmed', 'rejected', 'undone')),
  shape text not null check (shape in ('1:1', '1:n', 'n:1', 'n:m', 'reversal')),
  -- The rule's name, or manual.
  method text not null,
  score real,
  margin real,
  currency text not null,
  residual_minor bigint not null default 0,
  -- [{ kind, amount_minor, note }]
  adjustments jsonb not null default '[]',
  note text,
  -- Null where it can be derived from the members: an exact match.
  explanation jsonb,
  -- matchHash and combinationHash of the engine (matcher/engine/content-hash.ts), 128 bits each.
  content_hash uuid,
  combination_hash uuid not null,
  -- The person who confirmed, rejected or made it; null: the engine's own.
  decided_by text,
  decided_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  primary key (tenant_id, id),
  foreign key (tenant_id, pair_no) references public.pairs (tenant_id, pair_no),
  foreign key (tenant_id, reconciliation_id) references public.reconciliations (tenant_id, id)
);
create index matches_by_reconciliation on public.matches (tenant_id, reconciliation_id, state, id);

-- Left amounts as they are, right amounts as they are (effective): left − right = adjustments + residual.
create table public.match_members (
  tenant_id text not null default private.tenant_id(),
  match_id uuid not null,
  pair_no integer not null,
  line_no bigint not null,
  side text not null check (side in ('left', 'right')),
  allocated_minor bigint not null,
  primary key (tenant_id, match_id, line_no),
  foreign key (tenant_id, match_id) references public.matches (tenant_id, id) on delete cascade
);
create index match_members_by_line on public.match_members (tenant_id, line_no, pair_no);

-- What a person refused: never suggested again.
create table private.rejected_combinations (
  tenant_id text not null,
  pair_no integer not null,
  combination_hash uuid not null,
  primary key (tenant_id, pair_no, combination_hash)
);

create table public.exclusions (
  tenant_id text not null default private.tenant_id(),
  pair_no integer not null,
  line_no bigint not null,
  reconciliation_id text not null,
  reason text not null check (length(reason) between 1 and 1000),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  primary key (tenant_id, pair_no, line_no)
);

alter table public.matches enable row level security;
grant select on public.matches to authenticated, service_role;
create policy matches_read on public.matches for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));

alter table public.match_members enable row level security;
grant select on public.match_members to authenticated, service_role;
create policy match_members_read on public.match_members for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));

alter table public.exclusions enable row level security;
grant select on public.exclusions to authenticated, service_role;
create policy exclusions_read on public.exclusions for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('read:reconciliations', 'write:reconciliations')));

alter table private.rejected_combinations enable row level security;
