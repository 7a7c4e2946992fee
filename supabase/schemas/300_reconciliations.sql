-- Reconciliations: two sources compared over a period; exceptions are what did not match.

create table public.reconciliations (
  id text not null default private.new_id('rcn'),
  tenant_id text not null default private.tenant_id() references public.tenants (id),
  name text not null check (length(name) between 1 and 200),
  status text not null default 'open' check (status in ('open', 'in_progress', 'completed', 'archived')),
  period_start date not null,
  period_end date not null,
  left_source text not null check (length(left_source) between 1 and 200),
  right_source text not null check (length(right_source) between 1 and 200),
  matched_count bigint not null default 0 check (matched_count >= 0),
  unmatched_count bigint not null default 0 check (unmatched_count >= 0),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  updated_at timestamptz(3) not null default now(),
  primary key (tenant_id, id),
  check (period_end >= period_start)
);

alter table public.reconciliations enable row level security;
grant select,
  insert (name, status, period_start, period_end, left_source, right_source, matched_count, unmatched_count),
  update (name, status, period_start, period_end, left_source, right_source, matched_count, unmatched_count)
on public.reconciliations to authenticated;
grant select on public.reconciliations to service_role;
-- Exceptions and reconciliations reference each other: access to one of them includes the rows of both.
create policy reconciliations_read on public.reconciliations for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may(
    'read:reconciliations', 'write:reconciliations', 'read:exceptions', 'write:exceptions')));
create policy reconciliations_insert on public.reconciliations for insert to authenticated
  with check (tenant_id = (select private.tenant_id()) and (select private.may('write:reconciliations')));
create policy reconciliations_update on public.reconciliations for update to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may('write:reconciliations')))
  with check (tenant_id = (select private.tenant_id()));

-- open and in_progress lead to each other; in_progress to completed; completed back to in_progress; archived is the end.
create function private.reconciliation_may_move(before text, after text) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return before = after or (before, after) in (
    ('open', 'in_progress'), ('in_progress', 'open'), ('in_progress', 'completed'), ('completed', 'in_progress'),
    ('open', 'archived'), ('in_progress', 'archived'), ('completed', 'archived')
  );
end $$;

-- Refuses: invalid_transition; invalid_request for a period that ends before it starts.
create function private.guard_reconciliation() returns trigger
language plpgsql set search_path = '' as $$
begin
  if tg_op = 'UPDATE' then
    if not private.reconciliation_may_move(old.status, new.status) then
      perform private.refuse('invalid_transition', format('A reconciliation cannot move from %s to %s.', old.status, new.status));
    end if;
    new.updated_at := now();
  end if;
  if new.period_end < new.period_start then
    perform private.refuse_field('period_end', 'The period cannot end before it starts.');
  end if;
  return new;
end $$;
create trigger guard before insert or update on public.reconciliations
  for each row execute function private.guard_reconciliation();

grant execute on function private.reconciliation_may_move(text, text) to authenticated;
