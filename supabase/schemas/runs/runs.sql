-- Runs: one pass of the rules over a period of a pair.

create table public.runs (
  id text not null default private.new_id('run'),
  tenant_id text not null default private.tenant_id(),
  reconciliation_id text not null,
  pair_no integer not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed')),
  -- A trial that stores nothing: { rules, calendar_id } if others than the pair's are tried.
  dry_run jsonb check (jsonb_typeof(dry_run) = 'object'),
  stage text,
  lines_done bigint not null default 0,
  lines_total bigint not null default 0,
  waterfall jsonb not null default '[]',
  -- The effect of a dry run: what would newly match, no longer match and change.
  impact jsonb,
  -- What decided it in addition to lines and decisions (private.run_conditions); null: not begun.
  conditions jsonb,
  -- What it changed: { added, kept, replaced, undone, read }.
  changed jsonb,
  suggested_count bigint not null default 0,
  open_count bigint not null default 0,
  exceptions_opened integer not null default 0,
  -- Beyond the run's cap; left for the next run.
  exceptions_held_back integer not null default 0,
  rules_version integer,
  -- The calendar by which it counted business days; null: Monday to Friday.
  calendar_id text,
  calendar_version integer,
  engine_version text,
  -- The engine's version and 128 bits in hexadecimal: the sum of the hashes of the period's engine
  -- matches.
  digest text,
  failure text,
  created_at timestamptz(3) not null default now(),
  created_by text not null default private.actor(),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  -- How many attempts were made: writes of any but the newest are refused.
  attempt integer not null default 0,
  primary key (tenant_id, id),
  foreign key (tenant_id, reconciliation_id) references public.reconciliations (tenant_id, id)
);
create index runs_by_reconciliation on public.runs (tenant_id, reconciliation_id, id);
create unique index runs_waiting on public.runs (tenant_id, reconciliation_id)
where status = 'queued' and dry_run is null;
create index runs_unended on public.runs (tenant_id, id) where status in ('queued', 'running');

alter table public.runs enable row level security;
grant select on public.runs to authenticated, service_role;
create policy runs_read on public.runs for select to authenticated
  using (tenant_id = (select private.tenant_id())
    and (select private.may('read:reconciliations', 'write:reconciliations')));

create function private.run_json(run public.runs) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  return jsonb_build_object(
    'id', run.id, 'reconciliation_id', run.reconciliation_id, 'status', run.status,
    'dry_run', run.dry_run is not null, 'stage', run.stage,
    'lines_done', run.lines_done, 'lines_total', run.lines_total, 'waterfall', run.waterfall,
    'impact', '{"exceptions": {"avoided": 0, "added": 0}}'::jsonb || run.impact,
    'changed', run.changed,
    'suggested_count', run.suggested_count, 'open_count', run.open_count,
    'exceptions_opened', run.exceptions_opened,
    'exceptions_held_back', run.exceptions_held_back, 'rules_version', run.rules_version,
    'calendar_id', run.calendar_id,
    'calendar_version', run.calendar_version, 'engine_version', run.engine_version,
    'digest', run.digest, 'failure', run.failure,
    'duration_ms', round(extract(epoch from run.finished_at - run.started_at) * 1000),
    'created_at', private.iso(run.created_at), 'created_by', run.created_by,
    'started_at', private.iso(run.started_at),
    'finished_at', private.iso(run.finished_at)
  );
end $$;

-- Whether a run of a pair may take minutes.
create function private.is_large(tenant text, pair integer) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return 200000 < (
    select sum(source.line_count) from public.pairs
    join public.sources source on source.tenant_id = pairs.tenant_id
      and source.source_no in (pairs.left_source_no, pairs.right_source_no)
    where pairs.tenant_id = tenant and pairs.pair_no = pair
  );
end $$;

-- Runs of a pair take turns, the earlier period first. Of several requested while one waits, only
-- the last is kept, at the earliest time.
create function private.queue_run(tenant text, pair integer, reconciliation text, run text,
  delay interval, priority integer default 0) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  job_of_run constant text := 'match:' || coalesce(run, reconciliation);
begin
  perform graphile_worker.add_job('match_pair',
    private.with_request_id(
      jsonb_build_object('tenant_id', tenant, 'reconciliation_id', reconciliation, 'run_id', run)),
    queue_name => 'pair:' || pair, max_attempts => 5, job_key => job_of_run, priority => priority,
    run_at => least(now() + delay, (
      select job.run_at from graphile_worker.jobs job
      where job.key = job_of_run and job.locked_at is null
    )),
    flags => private.job_flags(tenant, 'run') || case when private.is_large(tenant, pair)
      then private.job_flags(tenant, 'large run') end);
end $$;

-- Called when something has changed in a pair: queues a run of every open period that runs
-- automatically, after a second, in which more may arrive. Line numbers: only lines between them
-- were added.
create function private.request_runs(tenant text, pair integer, first_line_no bigint default null,
  last_line_no bigint default null) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform private.mark_pair_changed(tenant, pair, first_line_no, last_line_no);
  perform private.queue_run(period.tenant_id, period.pair_no, period.id, null, interval '1 second')
    from (
    select * from public.reconciliations period
    where period.tenant_id = tenant and period.pair_no = pair and period.auto_run
      and period.closed_at is null
      and period.status <> 'archived'
      and not private.is_closing(tenant, pair, period.id)
    order by period.period_end
  ) period;
end $$;

-- The same for every pair of the caller's tenant that counts business days by a calendar. Returns
-- how many open periods will run.
create function private.request_runs_by_calendar(calendar text) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  pairs constant integer[] := array(
    select pair.pair_no
    from public.pairs pair
    join public.pair_rules pair_rule on pair_rule.tenant_id = pair.tenant_id
      and pair_rule.pair_no = pair.pair_no and pair_rule.version = pair.rules_version
    where pair.tenant_id = private.tenant_id() and pair_rule.policy ->> 'calendar_id' = calendar
  );
begin
  perform private.request_runs(private.tenant_id(), pair) from unnest(pairs) pair;
  return (
    select count(*) from public.reconciliations period
    where period.tenant_id = private.tenant_id() and period.pair_no = any (pairs)
      and period.closed_at is null and period.status <> 'archived'
  );
end $$;

-- The waiting run of the caller's tenant, or a new one. `trial`: the settings of a dry run, which a
-- closed period can have, too.
create function private.request_run(reconciliation text, trial jsonb) returns public.runs
language plpgsql volatile set search_path = '' as $$
declare
  period public.reconciliations;
  requested_run public.runs;
begin
  select * into period
  from public.reconciliations
  where reconciliations.tenant_id = private.tenant_id() and reconciliations.id = reconciliation
    for no key update;
  if period.closed_at is not null and trial is null then
    perform private.refuse_conflict('period_closed', 'The period is closed. Reopen it first.');
  elsif period.status = 'archived' then
    perform private.refuse_conflict('archived',
      'The reconciliation is archived and can''t be changed.');
  end if;
  if trial is null then
    perform private.require_not_closing(period.tenant_id, period.pair_no, period.id);
    select * into requested_run from public.runs run
    where run.tenant_id = period.tenant_id and run.reconciliation_id = period.id
      and run.status = 'queued'
      and run.dry_run is null;
    if found then
      return requested_run;
    end if;
  end if;
  insert into public.runs (reconciliation_id, pair_no, dry_run, stage)
  values (period.id, period.pair_no, trial, 'queued')
  returning * into requested_run;
  perform private.queue_run(period.tenant_id, period.pair_no, period.id,
    case when trial is not null then requested_run.id end, interval '0');
  return requested_run;
end $$;
-- The settings that a dry run tries. Refuses: invalid_request for a calendar that the tenant
-- doesn't have.
create function private.dry_run_settings(input jsonb) returns jsonb
language plpgsql stable set search_path = '' as $$
begin
  perform private.require_calendar(input);
  return jsonb_strip_nulls(jsonb_build_object('rules', input -> 'rules'))
    || case
      when input ? 'calendar_id' then jsonb_build_object('calendar_id', input -> 'calendar_id')
      else '{}' end
    || case when input ? 'fees' then jsonb_build_object('fees', input -> 'fees') else '{}' end;
end $$;

grant execute on function private.run_json(public.runs) to authenticated;

-- input: { id, dry_run, rules, fees, calendar_id }, `id` the reconciliation's. Records:
-- matching.run_requested; a dry run is recorded as such. Refuses: not_found, conflict,
-- invalid_request.
create function public.create_run(input jsonb, request jsonb) returns jsonb
language plpgsql volatile security definer set search_path = '' as $$
declare
  replayed constant jsonb := private.begin_write(request, 'create_run');
  requested_run public.runs;
begin
  if replayed is not null then
    return replayed;
  end if;
  perform private.find_period(input ->> 'id');
  requested_run := private.request_run(input ->> 'id',
    case when (input ->> 'dry_run')::boolean then private.dry_run_settings(input) end);
  if requested_run.dry_run is null then
    perform private.record_security_event('matching.run_requested', requested_run.id, null,
      jsonb_build_object('reconciliation_id', requested_run.reconciliation_id));
  end if;
  return private.finish_request(request, private.run_json(requested_run));
end $$;

-- Newest first. input: { id, limit, after: [id] | null, status }, `id` the reconciliation's.
-- Refuses: not_found, conflict.
create function public.list_runs(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  page_size constant integer := (input ->> 'limit')::integer;
  period public.reconciliations;
  items jsonb;
begin
  perform private.begin_request(request, 'list_runs');
  period := private.find_period(input ->> 'id');
  select jsonb_agg(private.run_json(run) order by run.id desc) into items
  from (
    select * from public.runs run
    where run.tenant_id = period.tenant_id and run.reconciliation_id = period.id
      and (input -> 'after' ->> 0 is null or run.id < input -> 'after' ->> 0)
      and (input ->> 'status' is null or run.status = input ->> 'status')
    order by run.id desc limit page_size + 1
  ) run;
  return private.page(items, page_size, 'id');
end $$;

-- input: { id }. Refuses: not_found.
create function public.get_run(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  found_run public.runs;
begin
  perform private.begin_request(request, 'get_run');
  select * into found_run
  from public.runs run
  where run.tenant_id = private.tenant_id() and run.id = input ->> 'id';
  if not found then
    perform private.refuse_missing('run');
  end if;
  return private.run_json(found_run);
end $$;

-- The newest run of a period with one of these statuses; without one its fields are null.
create function private.newest_run(period public.reconciliations,
  statuses text[]) returns public.runs
language plpgsql stable set search_path = '' as $$
declare
  newest public.runs;
begin
  select * into newest from public.runs run
  where run.tenant_id = period.tenant_id and run.reconciliation_id = period.id
    and run.status = any (statuses)
    and run.dry_run is null
  order by run.id desc limit 1;
  return newest;
end $$;
