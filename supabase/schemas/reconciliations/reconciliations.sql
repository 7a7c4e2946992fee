-- Reconciliations: two sources compared over a period; exceptions are what did not match.

create table public.reconciliations (
  id text not null default private.new_id('rcn'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  name text not null check (length(name) between 1 and 200),
  status text not null default 'open' check (
    status in ('open', 'in_progress', 'completed', 'archived')),
  period_start date not null,
  period_end date not null,
  left_source text not null check (length(left_source) between 1 and 200),
  right_source text not null check (length(right_source) between 1 and 200),
  -- The range of JSON's numbers, and days of four-digit years.
  matched_count bigint not null default 0 check (matched_count between 0 and 9007199254740991),
  unmatched_count bigint not null default 0 check (unmatched_count between 0 and 9007199254740991),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default now(),
  -- The pair whose lines the period compares; null if its counts are reported from outside.
  pair_no integer,
  left_source_id text,
  right_source_id text,
  -- Whether new lines start a run.
  auto_run boolean not null default true,
  closed_at timestamptz(3),
  closed_by text,
  primary key (tenant_id, id),
  check (period_end >= period_start),
  constraint reconciliations_days_check check (period_start >= '0001-01-01'
    and period_end <= '9999-12-31')
);

alter table public.reconciliations enable row level security;
grant select on public.reconciliations to authenticated, service_role;
-- Exceptions and reconciliations reference each other: access to one of them includes the rows of
-- both.
create policy reconciliations_read on public.reconciliations for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may(
    'read:reconciliations', 'write:reconciliations', 'read:exceptions', 'write:exceptions')));

-- open and in_progress lead to each other; in_progress to completed; completed back to in_progress;
-- archived is final.
create function private.reconciliation_may_move(before text, after text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return before = after or (before, after) in (
    ('open', 'in_progress'), ('in_progress', 'open'), ('in_progress', 'completed'),
    ('completed', 'in_progress'),
    ('open', 'archived'), ('in_progress', 'archived'), ('completed', 'archived')
  );
end $$;

-- Refuses: invalid_transition; invalid_request for a period that ends before it starts, or whose
-- pair differs from its sources; conflict for columns that matching computes or has frozen, and
-- beyond the quota.
create function private.guard_reconciliation() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' and private.tenant_id() is not null then
    perform private.require_quota('reconciliations');
  end if;
  if new.period_end < new.period_start then
    perform private.refuse_field('period_end', 'The period cannot end before it starts.');
  end if;
  if tg_op = 'UPDATE' then
    if not private.reconciliation_may_move(old.status, new.status) then
      perform private.refuse('invalid_transition',
        format('A reconciliation cannot move from %s to %s.', old.status, new.status));
    end if;
    new.updated_at := now();
  end if;
  if num_nonnulls(new.pair_no, new.left_source_id, new.right_source_id) > 0 then
    perform private.guard_period(new, case when tg_op = 'UPDATE' then old end);
  end if;
  return new;
end $$;
create trigger guard before insert or update on public.reconciliations
  for each row execute function private.guard_reconciliation();

-- Refuses values that only counting or closing sets.
create function private.require_computed_fields(after public.reconciliations,
  before public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
begin
  if (after.matched_count, after.unmatched_count) is distinct from (0::bigint, 0::bigint) then
    perform private.refuse_conflict('counts_computed',
      'The counts are computed from the lines of the sources: leave out matched_count and unmatched_count.');
  elsif before.closed_at is not null and after.closed_at is not null
    and (after.name, after.period_start, after.period_end, after.left_source,
      after.right_source) is distinct from
      (before.name, before.period_start, before.period_end, before.left_source,
        before.right_source) then
    perform private.refuse_conflict('period_closed', 'The period is closed. Reopen it first.');
  elsif after.status = 'completed' and after.closed_at is null then
    perform private.refuse_conflict('close_required',
      'This reconciliation is completed by closing it: POST to its /close.');
  elsif after.closed_at is not null and after.status not in ('completed', 'archived') then
    perform private.refuse_conflict('period_closed',
      'The period is closed. Reopen it by POST to its /reopen.');
  end if;
end $$;

-- Refuses days that another period of the pair has, or that a closed one has carried from. Locks
-- the pair.
create function private.require_free_days(after public.reconciliations,
  before public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := after.tenant_id;
begin
  perform private.lock_pair(tenant, after.pair_no);
  if before.id is not null and (
    exists (select from public.matches match
      where match.tenant_id = tenant and match.reconciliation_id = after.id)
    or exists (select from public.exclusions exclusion
      where exclusion.tenant_id = tenant and exclusion.reconciliation_id = after.id)
  ) then
    perform private.refuse_conflict('has_decisions',
      'The period has matches or excluded lines, so its dates can''t be changed.');
  elsif exists (
    select from public.reconciliations period
    where period.tenant_id = tenant and period.pair_no = after.pair_no and period.id <> after.id
      and period.period_start <= after.period_end and period.period_end >= after.period_start
  ) then
    perform private.refuse_conflict('periods_overlap',
      'Another reconciliation of these two sources covers some of these days. Periods of a pair may not overlap.');
  elsif exists (
    select from public.reconciliations period
    where period.tenant_id = tenant and period.pair_no = after.pair_no and period.id <> after.id
      and period.closed_at is not null
      and period.period_start > after.period_end
  ) then
    perform private.refuse_conflict('later_period_closed',
      'A later period of these two sources is closed, and carried forward what was open of these days. '
      'Choose days after it, or reopen it first.');
  end if;
  perform private.require_not_closing(tenant, period.pair_no, period.id)
  from public.reconciliations period
  where period.tenant_id = tenant and period.pair_no = after.pair_no and period.id <> after.id
    and period.period_start > after.period_end;
end $$;

-- The checks for a reconciliation with sources. Refuses: conflict; invalid_request.
create function private.guard_period(after public.reconciliations,
  before public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := after.tenant_id;
begin
  perform private.require_computed_fields(after, before);
  if before.id is not null then
    perform private.require_not_closing(tenant, after.pair_no, after.id);
  end if;
  if before.id is not null
    and (after.period_start, after.period_end) = (before.period_start, before.period_end) then
    return;
  end if;
  if not exists (
    select from public.pairs pair
    join public.sources left_source on left_source.tenant_id = pair.tenant_id
      and left_source.source_no = pair.left_source_no
      and left_source.id = after.left_source_id
    join public.sources right_source on right_source.tenant_id = pair.tenant_id
      and right_source.source_no = pair.right_source_no
      and right_source.id = after.right_source_id
    where pair.tenant_id = tenant and pair.pair_no = after.pair_no
  ) then
    perform private.refuse_field('left_source_id',
      'These are not the sources of this pair. Create the reconciliation with POST /v1/reconciliations.');
  end if;
  perform private.require_free_days(after, before);
end $$;
