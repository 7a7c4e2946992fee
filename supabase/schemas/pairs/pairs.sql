-- Pairs: the left and the right source that reconciliations of successive periods compare. Created
-- with the first of them.

create table public.pairs (
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  -- The key in narrow tables; never leaves the database.
  pair_no integer not null generated always as identity,
  left_source_no integer not null,
  right_source_no integer not null,
  -- The version of the newest row of pair_rules; 0: the defaults.
  rules_version integer not null default 0,
  -- What decisions have taught (engine/weights.ts); null: nothing yet.
  weights jsonb,
  -- How far the earlier lines are opened in it: { source_no, value_date, line_no }; {}: none yet;
  -- null: all of them.
  opening jsonb,
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  primary key (tenant_id, pair_no),
  unique (tenant_id, left_source_no, right_source_no),
  check (left_source_no <> right_source_no),
  foreign key (tenant_id, left_source_no) references public.sources (tenant_id, source_no),
  foreign key (tenant_id, right_source_no) references public.sources (tenant_id, source_no)
);
create index pairs_by_right_source on public.pairs (tenant_id, right_source_no);

-- The rules of a pair and the settings that belong to them; each change is a version.
create table public.pair_rules (
  tenant_id text not null default private.tenant_id(),
  pair_no integer not null,
  version integer not null check (version >= 1),
  rules jsonb not null check (jsonb_typeof(rules) = 'array'),
  -- { automatic, fees, four_eyes, review_levels, close_days, checks, calendar_id, exceptions: {
  -- assigned_to, severities, most_a_run } } (lib/matching/rules/contract.ts)
  policy jsonb not null check (jsonb_typeof(policy) = 'object'),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  primary key (tenant_id, pair_no, version),
  foreign key (tenant_id, pair_no) references public.pairs (tenant_id, pair_no)
);

create index reconciliations_by_pair on public.reconciliations (tenant_id, pair_no, period_end)
where pair_no is not null;

alter table public.pairs enable row level security;
alter table public.pair_rules enable row level security;
grant select on public.pairs, public.pair_rules to authenticated, service_role;
create policy pairs_read on public.pairs for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));
create policy pair_rules_read on public.pair_rules for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));

-- The policy without changes.
create function private.default_policy() returns jsonb
language sql immutable set search_path = ''
return '{
  "automatic": "earned",
  "fees": "deduct",
  "four_eyes": false,
  "review_levels": 0,
  "close_days": 5,
  "checks": {
    "period_over": "warn",
    "files": "warn",
    "balances": "warn",
    "suggestions": "warn",
    "exceptions": "warn",
    "difference": "warn",
    "evidence": "warn"
  },
  "evidence_from_minor": null,
  "calendar_id": null,
  "exceptions": {
    "assigned_to": null,
    "most_a_run": 1000,
    "severities": [
      {"from_minor": 0, "severity": "low"},
      {"from_minor": 100000, "severity": "medium"},
      {"from_minor": 1000000, "severity": "high"},
      {"from_minor": 10000000, "severity": "critical"}
    ]
  }
}'::jsonb;

create function private.policy_of_pair(tenant text, pair integer) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return private.default_policy() || coalesce((
    select pair_rules.policy
    from public.pairs
    join public.pair_rules on pair_rules.tenant_id = pairs.tenant_id
      and pair_rules.pair_no = pairs.pair_no
      and pair_rules.version = pairs.rules_version
    where pairs.tenant_id = tenant and pairs.pair_no = pair
  ), '{}');
end $$;
grant execute
  on function private.default_policy(), private.policy_of_pair(text, integer) to authenticated;
