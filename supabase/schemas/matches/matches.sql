-- Matches: lines of both sides whose allocated amounts agree, or of one side that cancel each
-- other. Left − right = adjustments + residual.

-- A run writes a million of them. Only our functions write here, after finding the pair and the
-- period, so that no foreign key has to be checked for each row.
create table public.matches (
  tenant_id text not null default private.tenant_id(),
  -- Ordered by time. On the wire: mat_ and its 32 hexadecimal digits.
  id uuid not null,
  pair_no integer not null,
  reconciliation_id text not null,
  -- The run that made it last; null if a person did.
  run_id text,
  state text not null check (state in ('suggested', 'confirmed', 'rejected', 'undone')),
  shape text not null check (shape in ('1:1', '1:n', 'n:1', 'n:m', 'reversal')),
  -- The rule's name, or manual.
  method text not null,
  -- Made by an exact rule with only exact rules before it. Later runs leave it alone unless new
  -- lines have its amount.
  settled boolean not null default false,
  score real,
  margin real,
  currency text not null,
  -- The left side's, or the positive half of a reversal.
  amount_minor bigint not null,
  residual_minor bigint not null default 0,
  -- [{ kind, amount_minor, note }].
  adjustments jsonb not null default '[]',
  note text check (length(note) between 1 and 1000),
  -- In the form of engine/explain.ts; null if it follows from the members: for a settled match, or
  -- one by hand.
  explanation jsonb,
  -- The halves of the engine's hash over its state, rule, lines and amounts. Null for a match by
  -- hand.
  hash_high bigint,
  hash_low bigint,
  -- Who confirmed, rejected, undid or made it; null: only the engine.
  decided_by text,
  decided_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  primary key (tenant_id, id)
) with (fillfactor = 95);
create index matches_by_reconciliation on public.matches (tenant_id, reconciliation_id, id);
create index matches_suggested on public.matches (tenant_id, reconciliation_id, id)
where state = 'suggested';
create index matches_settled_by_amount
  on public.matches (tenant_id, reconciliation_id, amount_minor, currency)
  where settled and state = 'confirmed' and decided_by is null;
-- The matches that a run may change.
create index matches_weighed on public.matches (tenant_id, reconciliation_id)
where not settled and state = 'confirmed' and decided_by is null;
-- Decisions of people on proposals, from which the precision of a rule and score is computed.
create index matches_decided on public.matches (tenant_id, pair_no)
where decided_by is not null and method <> 'manual';
-- Combinations that people refused: they are never made again.
create index matches_by_decision on public.matches (tenant_id, decided_at)
where decided_at is not null;
create index matches_refused on public.matches (tenant_id, pair_no)
where decided_by is not null and state in ('rejected', 'undone');

create table public.match_members (
  tenant_id text not null default private.tenant_id(),
  match_id uuid not null,
  pair_no integer not null,
  line_no bigint not null,
  side text not null check (side in ('left', 'right')),
  -- Effective, as in open_lines.
  allocated_minor bigint not null,
  primary key (tenant_id, match_id, line_no)
);
create index match_members_by_line on public.match_members (tenant_id, line_no, pair_no);

-- Lines that a person excluded from a period: bank fees recorded elsewhere, a line that should not
-- exist.
create table public.exclusions (
  tenant_id text not null default private.tenant_id(),
  pair_no integer not null,
  line_no bigint not null,
  reconciliation_id text not null,
  side text not null check (side in ('left', 'right')),
  currency text not null,
  excluded_minor bigint not null,
  reason text not null check (length(reason) between 1 and 1000),
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  primary key (tenant_id, pair_no, line_no),
  foreign key (tenant_id, reconciliation_id) references public.reconciliations (tenant_id, id)
);
create index exclusions_by_reconciliation on public.exclusions (tenant_id, reconciliation_id);

-- Decisions of people that the pair's weights have not learned from yet.
create table private.unlearned_decisions (
  tenant_id text not null,
  pair_no integer not null,
  id bigint not null generated always as identity,
  match_id uuid not null,
  confirmed boolean not null,
  -- The score of the proposal; null for a match by hand.
  score real,
  primary key (tenant_id, pair_no, id)
);
alter table private.unlearned_decisions enable row level security;

-- How many lines the matches of a period hold, updated in the transaction of every change.
create table private.matched_counts (
  tenant_id text not null,
  reconciliation_id text not null,
  lines bigint not null default 0 check (lines >= 0),
  primary key (tenant_id, reconciliation_id)
);
alter table private.matched_counts enable row level security;
grant select on private.matched_counts to authenticated;
create policy matched_counts_read on private.matched_counts for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may(
    'read:reconciliations', 'write:reconciliations', 'read:exceptions', 'write:exceptions')));

alter table public.matches enable row level security;
alter table public.match_members enable row level security;
alter table public.exclusions enable row level security;
grant
  select on public.matches, public.match_members, public.exclusions to authenticated, service_role;
create policy matches_read on public.matches for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));
create policy match_members_read on public.match_members for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));
create policy exclusions_read on public.exclusions for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));

-- Refuses every change of a closed or archived period, however it is made. Undone or rejected
-- matches may be removed with their lines.
create function private.refuse_change_of_closed() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  -- private.move_suggestions may: suggestions do not belong to what a period closed with.
  if tg_op = 'UPDATE' and current_setting('app.moves_suggestions', true) = 'on' then
    return null;
  end if;
  if exists (
    select from (
      select distinct changed_row.tenant_id, changed_row.reconciliation_id
      from changed changed_row
      where tg_op <> 'DELETE' or tg_table_name <> 'matches'
        or to_jsonb(changed_row) ->> 'state' = 'confirmed'
    ) closed_pair
    join public.reconciliations period on period.tenant_id = closed_pair.tenant_id
      and period.id = closed_pair.reconciliation_id
    where (period.closed_at is not null or period.status = 'archived')
      and not (tg_op = 'DELETE' and private.is_being_reset(period.tenant_id))
  ) then
    perform private.refuse_conflict('period_closed',
      'The period is closed or archived. Reopen a closed one first; an archived one can''t be changed.');
  end if;
  return null;
end $$;
create trigger closed_inserted after insert on public.matches referencing new table as changed
  for each statement execute function private.refuse_change_of_closed();
create trigger closed_updated after update on public.matches referencing old table as changed
  for each statement execute function private.refuse_change_of_closed();
create trigger closed_deleted after delete on public.matches referencing old table as changed
  for each statement execute function private.refuse_change_of_closed();
create trigger closed_inserted after insert on public.exclusions referencing new table as changed
  for each statement execute function private.refuse_change_of_closed();
create trigger closed_deleted after delete on public.exclusions referencing old table as changed
  for each statement execute function private.refuse_change_of_closed();

-- Converts a match's ID to its form on the wire, and back; null for another form.
create function private.match_id_text(id uuid) returns text
language plpgsql immutable set search_path = '' as $$
begin
  return 'mat_' || replace(id::text, '-', '');
end $$;
create function private.match_id(id text) returns uuid
language plpgsql immutable set search_path = '' as $$
begin
  return case when id ~ '^mat_[0-9a-f]{32}$' then substr(id, 5)::uuid end;
end $$;
-- Ordered by time, as private.new_id.
create function private.new_uuid() returns uuid
language plpgsql volatile set search_path = '' as $$
begin
  return substr(private.new_id('x'), 3)::uuid;
end $$;
grant execute on function private.match_id_text(uuid), private.match_id(text) to authenticated;

-- The wire form. A match without a stored explanation has `plain`, the lines it follows from; the
-- contract leaves it out.
create function private.match_json(match public.matches) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', private.match_id_text(match.id), 'reconciliation_id', match.reconciliation_id,
    'run_id', match.run_id,
    'state', match.state, 'shape', match.shape,
    'method', match.method, 'score', match.score, 'margin', match.margin,
    'currency', match.currency,
    'amount_minor', match.amount_minor,
    'residual_minor', match.residual_minor, 'adjustments', match.adjustments, 'note', match.note,
    'explanation', match.explanation
      || case
        when jsonb_typeof(
          match.explanation -> 'runner_up') = 'object' then jsonb_build_object('runner_up',
          (
      select jsonb_build_object('side', match.explanation #> '{runner_up,side}',
        'line_id', private.line_id_text(line.id))
      from public.lines line
        where line.tenant_id = match.tenant_id
          and line.line_no = (match.explanation #>> '{runner_up,handle}')::bigint
    )) else '{}' end,
    'decided_by', match.decided_by, 'decided_at', private.iso(match.decided_at),
    'created_at', private.iso(match.created_at), 'created_by', match.created_by
  ) || (
    select jsonb_build_object(
      'members', coalesce(jsonb_agg(jsonb_build_object(
        'line_id', private.line_id_text(line.id), 'side', member.side,
        'allocated_minor', member.allocated_minor, 'value_date', line.value_date,
        'reference', line.reference, 'counterparty', line.counterparty)
          order by member.side, line.value_date, line.line_no),
        '[]'),
      'plain', case
        when match.explanation is null then jsonb_agg(
          jsonb_build_object('side', member.side, 'amount_minor', member.allocated_minor,
        'currency', line.currency, 'value_date', line.value_date - date '1970-01-01',
        'reference', line.reference, 'counterparty', line.counterparty,
        'description', line.description, 'group_key', line.group_key)
          order by member.side, line.value_date, line.line_no) end
    )
    from public.match_members member
      join public.lines line on line.tenant_id = member.tenant_id and line.line_no = member.line_no
    where member.tenant_id = match.tenant_id and member.match_id = match.id
  );
end $$;
grant execute on function private.match_json(public.matches) to authenticated;
