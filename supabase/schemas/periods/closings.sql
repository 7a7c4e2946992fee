-- Closings: a closed period never changes. Its statement is stored at the close.

create table public.closings (
  tenant_id text not null default private.tenant_id(),
  reconciliation_id text not null,
  -- In the form of private.statement_json, including the proof.
  statement jsonb not null,
  closed_at timestamptz(3) not null default now(),
  closed_by text not null default private.actor(),
  -- private.closing_digest at the close; null for periods closed before there was one.
  digest text check (digest ~ '^[0-9a-f]{64}$'),
  primary key (tenant_id, reconciliation_id),
  foreign key (tenant_id, reconciliation_id) references public.reconciliations (tenant_id, id)
);

-- Lines that were open when the period closed, carried into the next.
create table public.carried_lines (
  tenant_id text not null default private.tenant_id(),
  reconciliation_id text not null,
  line_no bigint not null,
  side text not null check (side in ('left', 'right')),
  open_minor bigint not null,
  -- Copied from the line, so that lists and sums look up none of a hundred thousand lines.
  currency text not null,
  value_date date not null,
  primary key (tenant_id, reconciliation_id, line_no)
);
create index carried_lines_by_date
  on public.carried_lines (tenant_id, reconciliation_id, side, value_date, line_no);

alter table public.closings enable row level security;
alter table public.carried_lines enable row level security;
grant select on public.closings, public.carried_lines to authenticated, service_role;
create policy closings_read on public.closings for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));
create policy carried_lines_read on public.carried_lines for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations',
    'read:exceptions', 'write:exceptions')));

-- Whether a person who worked in the period may not close it: the pair's policy asks for a second
-- person, or did at any time since the period was opened.
create function private.requires_second_person(period public.reconciliations) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from (
      select (rules_version.policy ->> 'four_eyes')::boolean as is_required,
        lead(rules_version.created_at) over (order by rules_version.version) as until
      from public.pair_rules rules_version where rules_version.tenant_id = period.tenant_id
        and rules_version.pair_no = period.pair_no
    ) rules_version where rules_version.is_required
      and coalesce(rules_version.until >= period.created_at, true)
  );
end $$;

grant execute
  on function private.requires_second_person(public.reconciliations) to authenticated;

-- Whether a run could still change what the period says.
create function private.run_is_under_way(period public.reconciliations) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from public.runs run
    where run.tenant_id = period.tenant_id and run.reconciliation_id = period.id
      and run.status in ('queued', 'running') and run.dry_run is null
  );
end $$;

-- The conditions that can be checked for a period, which is locked, without reading its lines.
-- Refuses: conflict if an earlier period is open, a run or the undoing of an import is under way, a
-- signature or check is missing, or the policy asks for a second person.
create function private.require_closable(period public.reconciliations) returns void
language plpgsql stable set search_path = '' as $$
begin
  if exists (
    select from public.reconciliations
    where reconciliations.tenant_id = period.tenant_id and reconciliations.pair_no = period.pair_no
      and reconciliations.period_end < period.period_start and reconciliations.closed_at is null
      and reconciliations.status <> 'archived'
  ) then
    perform private.refuse_conflict('earlier_period_open',
      'An earlier period of these sources is open. Close that one first.');
  elsif private.run_is_under_way(period) then
    perform private.refuse_conflict('run_under_way',
      'A run of this period is in progress. Close it when the run is done.');
  elsif exists (
    select from public.pairs pair
    join public.imports import on import.tenant_id = pair.tenant_id
      and import.source_no in (pair.left_source_no, pair.right_source_no)
      and import.status = 'undoing'
    where pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
  ) then
    perform private.refuse_conflict('lines_changing',
      'An import of its sources is being undone. Close it when that is done.');
  end if;
  perform private.require_signatures(period);
  perform private.require_checks(period);
  if private.requires_second_person(period) and private.worked_in_period(period) then
    perform private.refuse_conflict('second_person_required',
      'You, or a key that you created, matched, confirmed, wrote off, excluded, undid or added '
      'lines in this period. Someone who did not has to close it.');
  end if;
end $$;

-- Writes what a period carries and states. All of it belongs to one moment: either the pair is
-- locked, or the transaction reads one snapshot. It is not visible until the period is closed.
-- Refuses: conflict if the proof does not hold or a difference is left.
create function private.write_closing(period public.reconciliations, closed_by text) returns void
language plpgsql volatile set search_path = '' as $$
declare
  statement jsonb;
  unexplained jsonb;
begin
  insert into public.carried_lines (tenant_id, reconciliation_id, line_no, side, open_minor,
    currency, value_date)
  select open_line.tenant_id, period.id, open_line.line_no, open_line.side, open_line.open_minor,
    open_line.currency, open_line.value_date
  from private.open_in_period(period) open_line
  order by open_line.line_no;
  period.closed_at := now();
  period.closed_by := write_closing.closed_by;
  statement := private.statement_json(period)
    || jsonb_build_object('evidence', private.list_evidence_on_statement(period))
    || private.write_entries(period);
  if not (statement #>> '{proof,holds}')::boolean then
    perform private.refuse_conflict('proof_broken',
      'The proof does not hold: matched, excluded and open lines are not all lines. Tell us before you close.');
  end if;
  select difference into unexplained
  from jsonb_array_elements(statement -> 'differences') difference
  where difference -> 'difference_minor' <> '0'
  limit 1;
  if found then
    perform private.refuse_conflict('difference_unexplained',
      format(
        'The statement leaves a difference of %s in minor units of %s, which nothing explains. '
      'Reopen and look at earlier periods of these sources, or tell us before you close.',
      unexplained ->> 'difference_minor', unexplained ->> 'currency'));
  end if;
  insert into public.closings (tenant_id, reconciliation_id, statement, closed_at, closed_by)
  values (period.tenant_id, period.id, statement, period.closed_at, period.closed_by);
  update public.closings closing set digest = private.closing_digest(period.tenant_id, period.id)
  where closing.tenant_id = period.tenant_id and closing.reconciliation_id = period.id;
end $$;

create function private.delete_closing(period public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
begin
  delete from public.closings closing where closing.tenant_id = period.tenant_id
    and closing.reconciliation_id = period.id;
  delete from public.carried_lines carried_line where carried_line.tenant_id = period.tenant_id
    and carried_line.reconciliation_id = period.id;
  perform private.withdraw_evidence_of_closing(period);
  perform private.withdraw_entries(period);
end $$;

-- Closes a period, which is locked, with what write_closing has written. Refuses: conflict if a
-- signature was revoked since the close was requested. Records and emits: reconciliation.closed;
-- emits: entries.ready.
create function private.complete_closing(
  before public.reconciliations) returns public.reconciliations
language plpgsql volatile set search_path = '' as $$
declare
  closing public.closings;
  period public.reconciliations;
begin
  select * into strict closing
  from public.closings
  where closings.tenant_id = before.tenant_id and closings.reconciliation_id = before.id;
  perform private.require_signatures(before);
  delete
  from private.closing_requests closing_request
  where closing_request.tenant_id = before.tenant_id
    and closing_request.reconciliation_id = before.id;
  perform private.carry_forward(before);
  perform private.sign_statement(closing);
  if before.status = 'open' then
    update public.reconciliations
    set status = 'in_progress'
    where reconciliations.tenant_id = before.tenant_id and reconciliations.id = before.id;
  end if;
  update public.reconciliations
  set status = 'completed', closed_at = closing.closed_at, closed_by = closing.closed_by
  where reconciliations.tenant_id = before.tenant_id and reconciliations.id = before.id
  returning * into period;
  perform private.complete_last_run(period);
  perform private.record_security_event('reconciliation.closed', period.id, null,
    jsonb_build_object('name', period.name, 'digest', closing.digest,
      'signatures', private.sign_off_json(before) -> 'signatures',
      'open_lines', closing.statement -> 'outstanding_count', 'open_money', (
        select coalesce(jsonb_agg(jsonb_build_object('currency', balance -> 'currency',
          'side', balance -> 'side', 'open_minor', balance -> 'outstanding_minor')), '[]')
        from jsonb_array_elements(closing.statement -> 'balances') balance
        where balance -> 'outstanding_minor' <> '0'
      )) || private.complete_entry_batch(period));
  perform private.request_signed_copy(period);
  perform private.queue_book_recount(period.tenant_id, period.pair_no);
  perform private.emit(period.tenant_id, 'reconciliation.closed',
    jsonb_build_object('reconciliation', private.reconciliation_json(period)));
  return period;
end $$;

-- Closes a period of the caller, or has a matcher close it if its sources have many lines. Refuses:
-- conflict, as require_closable and write_closing, and if it is closed or being closed. For a
-- period that a matcher closes, refusals of write_closing come later, as a failure.
create function private.close_period(id text) returns public.reconciliations
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  lines constant bigint := (
    select sum(source.line_count) from public.reconciliations
    join public.sources source on source.tenant_id = reconciliations.tenant_id
      and source.id in (reconciliations.left_source_id, reconciliations.right_source_id)
    where reconciliations.tenant_id = tenant and reconciliations.id = $1
  );
  period public.reconciliations;
begin
  if lines > private.max_lines_in_request() then
    period := private.lock_period(tenant, $1);
    perform private.require_closable(period);
    perform private.request_closing(period);
    return period;
  end if;
  period := private.lock_period_exclusively(tenant, $1);
  perform private.require_closable(period);
  perform private.write_closing(period, private.actor());
  return private.complete_closing(period);
end $$;

-- Refuses: conflict if the period is not closed, a later one is closed or being closed, or what was
-- signed is still being copied. Records and emits: reconciliation.reopened.
create function private.reopen_period(id text, reason text) returns public.reconciliations
language plpgsql volatile set search_path = '' as $$
declare
  period public.reconciliations;
begin
  perform private.lock_pair_of($1);
  select * into period
  from public.reconciliations
  where reconciliations.tenant_id = private.tenant_id() and reconciliations.id = $1
    for no key update;
  if period.closed_at is null then
    perform private.refuse_conflict('not_closed', 'The period is not closed.');
  elsif exists (
    select from public.reconciliations
    where reconciliations.tenant_id = period.tenant_id and reconciliations.pair_no = period.pair_no
      and reconciliations.period_start > period.period_end
      and reconciliations.closed_at is not null
  ) then
    perform private.refuse_conflict('later_period_closed',
      'A later period of these sources is closed, and builds on this one. Reopen that one first.');
  end if;
  perform private.require_not_closing(period.tenant_id, period.pair_no);
  perform private.store_signed_items(period);
  update public.reconciliations set status = 'in_progress', closed_at = null, closed_by = null
  where reconciliations.tenant_id = period.tenant_id and reconciliations.id = period.id
  returning * into period;
  perform private.delete_closing(period);
  perform private.return_to_reopened(period);
  perform private.reopen_statement(period, reason);
  perform private.revoke_signatures(period.tenant_id, array[period.id],
    left('Reopened: ' || reason, 1000));
  perform private.record_security_event('reconciliation.reopened', period.id, reason,
    jsonb_build_object('name', period.name));
  perform private.emit(period.tenant_id, 'reconciliation.reopened',
    jsonb_build_object('reconciliation', private.reconciliation_json(period), 'reason', reason));
  return period;
end $$;

-- input: { id }. Returns the period, closed or `closing`. Refuses: not_found, conflict.
create function public.close_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'close_reconciliation');
  period public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  period := private.close_period(input ->> 'id');
  return private.finish_request(request,
    private.reconciliation_json(period)
      || jsonb_build_object('version', private.reconciliation_version(period)));
end $$;

-- input: { id, reason }. Refuses: not_found, conflict.
create function public.reopen_reconciliation(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'reopen_reconciliation');
  period public.reconciliations;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  period := private.reopen_period(input ->> 'id', input ->> 'reason');
  return private.finish_request(request,
    private.reconciliation_json(period)
      || jsonb_build_object('version', private.reconciliation_version(period)));
end $$;
