-- What has changed for the next run of a period. If nothing has, there is no run.

-- One row for each statement that changed something. A counter would make callers who add lines
-- wait for each other, and a run would overlook what commits late.
create table private.run_changes (
  tenant_id text not null,
  reconciliation_id text not null,
  change_no bigint not null generated always as identity,
  changed_at timestamptz(3) not null default clock_timestamp(),
  -- Lines between these numbers were added, and nothing else changed; null: anything may have.
  first_line_no bigint,
  last_line_no bigint,
  -- When a run between full ones decided or weighed the lines, in a pair with estimates.
  weighed_at timestamptz(3),
  primary key (tenant_id, reconciliation_id, change_no)
);
alter table private.run_changes enable row level security;

-- Records that something a run reads has changed in a pair, for each of its open periods; a run's
-- own writes are not marked in its own period.
create function private.mark_pair_changed(tenant text, pair integer,
  first_line_no bigint default null, last_line_no bigint default null) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  insert into private.run_changes (tenant_id, reconciliation_id, first_line_no, last_line_no)
  select period.tenant_id, period.id, mark_pair_changed.first_line_no,
    mark_pair_changed.last_line_no
  from public.reconciliations period
  where period.tenant_id = tenant and period.pair_no = pair and period.closed_at is null
    and period.status <> 'archived'
    and period.id is distinct from current_setting('app.written_by_run_of', true);
end $$;

create function private.mark_changed_pairs() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  -- A run writes thousands of rows of one pair.
  if current_setting('app.written_by_run_of', true) <> '' then
    perform private.mark_pair_changed(touched.tenant_id, touched.pair_no)
    from (select changed_row.tenant_id, changed_row.pair_no from changed changed_row
      limit 1) touched;
    return null;
  end if;
  perform private.mark_pair_changed(touched.tenant_id, touched.pair_no)
  from (select distinct changed_row.tenant_id, changed_row.pair_no
    from changed changed_row) touched;
  return null;
end $$;
create trigger changed_inserted after insert on public.matches referencing new table as changed
  for each statement execute function private.mark_changed_pairs();
create trigger changed_updated after update on public.matches referencing old table as changed
  for each statement execute function private.mark_changed_pairs();
create trigger changed_deleted after delete on public.matches referencing old table as changed
  for each statement execute function private.mark_changed_pairs();
create trigger changed_inserted after insert on public.exclusions referencing new table as changed
  for each statement execute function private.mark_changed_pairs();
create trigger changed_updated after update on public.exclusions referencing old table as changed
  for each statement execute function private.mark_changed_pairs();
create trigger changed_deleted after delete on public.exclusions referencing old table as changed
  for each statement execute function private.mark_changed_pairs();

-- Marks a reopened period as changed: its pair has changed while it was closed.
create function private.mark_reopened_period() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into private.run_changes (tenant_id, reconciliation_id) values (new.tenant_id, new.id);
  return null;
end $$;
create trigger reopened after update on public.reconciliations
  for each row when (
    old.closed_at is not null and new.closed_at is null
    or old.status = 'archived' and new.status <> 'archived'
  ) execute function private.mark_reopened_period();

-- What a run depends on besides the changes in its pair, such as its rules. Grace periods expire
-- without a change.
create function private.run_conditions(period public.reconciliations, pair public.pairs,
  engine text,
  policy jsonb, calendar jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object('engine', engine, 'rules_version', pair.rules_version,
    'period_end', period.period_end, 'calendar_id', calendar -> 'calendar_id',
    'calendar_version', calendar -> 'calendar_version',
    'days_of_grace', (
      select jsonb_object_agg(source.source_no,
        private.last_day_of_grace(source, policy ->> 'calendar_id'))
      from public.sources source
      where source.tenant_id = period.tenant_id
        and source.source_no in (pair.left_source_no, pair.right_source_no)
    ));
end $$;

-- Whether something changed in a period, or a decision was made, that no full run has read.
create function private.has_changes_left(period public.reconciliations) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (select from private.run_changes run_change
      where run_change.tenant_id = period.tenant_id and run_change.reconciliation_id = period.id)
    or exists (select from private.unlearned_decisions decision
      where decision.tenant_id = period.tenant_id and decision.pair_no = period.pair_no);
end $$;

-- Whether a run would match what the last one did, which ended well.
create function private.has_nothing_new(period public.reconciliations, last_run public.runs,
  conditions jsonb) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return last_run.status = 'done' and last_run.conditions = has_nothing_new.conditions
    and not private.has_changes_left(period);
end $$;

-- Deletes the marks of the changes that a run has read. In the reading transaction, so that marks
-- of later commits stay.
create function private.forget_read_changes(tenant text, reconciliation text) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  delete from private.run_changes run_change
  where run_change.tenant_id = tenant and run_change.reconciliation_id = reconciliation;
end $$;
grant execute on function private.forget_read_changes(text, text) to service_role;

-- The reasons of lines whose exceptions the last run of a period held back, except for missing
-- counterparts: { line_no: reason_code }. The next run opens these exceptions without weighing
-- lines.
create table private.held_back_reasons (
  tenant_id text not null,
  reconciliation_id text not null,
  reasons jsonb not null,
  primary key (tenant_id, reconciliation_id)
);
alter table private.held_back_reasons enable row level security;

create function private.store_held_back_reasons(tenant text, reconciliation text, reasons jsonb)
returns void
language plpgsql volatile set search_path = '' as $$
begin
  delete from private.held_back_reasons reason
  where reason.tenant_id = tenant and reason.reconciliation_id = reconciliation;
  if reasons is not null then
    insert into private.held_back_reasons (tenant_id, reconciliation_id, reasons)
    values (tenant, reconciliation, store_held_back_reasons.reasons);
  end if;
end $$;

create function private.reasons_held_back(period public.reconciliations) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return coalesce((
    select reason.reasons from private.held_back_reasons reason
    where reason.tenant_id = period.tenant_id and reason.reconciliation_id = period.id
  ), '{}');
end $$;

-- Ends a run that has nothing new to match, with the results of the last one. Emits: run.done.
create function private.end_unchanged_run(tenant text, run text, last_run public.runs,
  opened integer, held_back integer) returns void
language plpgsql volatile set search_path = '' as $$
declare
  ended public.runs;
begin
  update public.runs
  set status = 'done', stage = null, started_at = coalesce(runs.started_at, now()),
    finished_at = clock_timestamp(), rules_version = last_run.rules_version,
    engine_version = last_run.engine_version, calendar_id = last_run.calendar_id,
    calendar_version = last_run.calendar_version, conditions = last_run.conditions,
    lines_done = last_run.lines_total, lines_total = last_run.lines_total,
    digest = last_run.digest, suggested_count = last_run.suggested_count,
    open_count = last_run.open_count, waterfall = last_run.waterfall,
    exceptions_opened = opened, exceptions_held_back = held_back,
    changed = last_run.changed || jsonb_build_object('added', 0, 'replaced', 0, 'undone', 0,
      'left_out', 0, 'kept', (last_run.changed ->> 'kept')::bigint
        + (last_run.changed ->> 'added')::bigint + (last_run.changed ->> 'replaced')::bigint)
  where runs.tenant_id = tenant and runs.id = run
  returning * into ended;
  perform private.emit(tenant, 'run.done',
    jsonb_build_object('run', private.run_json(ended)), run);
end $$;

-- Ends a run that only opened exceptions which the last one had held back. Refuses: conflict.
create function private.finish_unchanged_run(tenant text, run text, attempt integer,
  opened integer, held_back integer) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  run_row public.runs;
  last_run public.runs;
begin
  perform private.require_attempt(tenant, run, attempt);
  select * into strict run_row from public.runs where runs.tenant_id = tenant and runs.id = run;
  select * into strict last_run from public.runs
  where runs.tenant_id = tenant and runs.reconciliation_id = run_row.reconciliation_id
    and runs.status = 'done'
    and runs.dry_run is null
  order by runs.id desc limit 1;
  perform private.end_unchanged_run(tenant, run, last_run, opened, held_back);
end $$;
grant execute on function
  private.finish_unchanged_run(text, text, integer, integer, integer) to service_role;
