-- Closing requests: a matcher closes periods whose sources have many lines, after a full run if
-- something changed since the last one. Until it is done, the period looks open. Once the run has
-- ended, it cannot be changed: its decisions are frozen, and arriving lines belong to the next
-- period. Why: docs/decisions/0022-lock-order.md.

create table private.closing_requests (
  tenant_id text not null,
  reconciliation_id text not null,
  pair_no integer not null,
  -- { claims, operation, address }: the period is closed in the name of the person who asked for
  -- it.
  asked_by jsonb not null,
  asked_at timestamptz(3) not null default now(),
  -- Why it could not be closed, until it is requested again; null while it is being closed.
  failure text,
  -- The full run that it waits for; until that has ended, the period can still be changed.
  run_id text,
  primary key (tenant_id, reconciliation_id)
);
alter table private.closing_requests enable row level security;
grant
  select (tenant_id, reconciliation_id, pair_no, failure)
    on private.closing_requests to authenticated;
create policy closing_requests_read on private.closing_requests for select to authenticated
  using (tenant_id = (select private.tenant_id()) and (select private.may(
    'read:reconciliations', 'write:reconciliations', 'read:exceptions', 'write:exceptions')));

-- Whether a period of a pair is being closed; if none is named, any of its periods.
create function private.is_closing(tenant text, pair integer,
  reconciliation text default null) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (
    select from private.closing_requests closing_request
    where closing_request.tenant_id = tenant and closing_request.pair_no = pair
      and closing_request.failure is null and closing_request.run_id is null
      and (reconciliation is null or closing_request.reconciliation_id = reconciliation)
  );
end $$;

-- Refuses: conflict.
create function private.require_not_closing(tenant text, pair integer,
  reconciliation text default null) returns void
language plpgsql stable set search_path = '' as $$
begin
  if private.is_closing(tenant, pair, reconciliation) then
    perform private.refuse_conflict('closing',
      'A period of these sources is being closed. Try again once that is done: its reconciliation then has '
      '"closing": false.');
  end if;
end $$;

-- Locks the pairs of a source whose balances or evidence change. Refuses: conflict while one of
-- their periods is being closed.
create function private.lock_pairs_of_open_source(tenant text, source_no integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.lock_pairs_of_source(tenant, source_no);
  perform private.require_not_closing(tenant, pair.pair_no) from public.pairs pair
  where pair.tenant_id = tenant
    and lock_pairs_of_open_source.source_no in (pair.left_source_no, pair.right_source_no);
end $$;

-- Whether something changed in a period since its last full run, or that run failed: a run takes
-- the marks of what it reads away before it ends.
create function private.needs_full_run(period public.reconciliations) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return period.auto_run and (private.has_changes_left(period)
    or (private.newest_run(period, '{done,failed}')).status = 'failed');
end $$;

-- Queues a close in the queue of the pair's runs, so that they take turns.
create function private.queue_closing(period public.reconciliations, delay interval) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform graphile_worker.add_job('close_period',
    private.with_request_id(
      jsonb_build_object('tenant_id', period.tenant_id, 'reconciliation_id', period.id)),
    queue_name => 'pair:' || period.pair_no, job_key => 'close:' || period.id, max_attempts => 6,
    run_at => clock_timestamp() + delay, flags => private.job_flags(period.tenant_id, 'lines'));
end $$;

-- Queues the close of a period, which is locked, in the caller's name, and before it a full run if
-- one is needed.
create function private.request_closing(period public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
declare
  run text;
begin
  -- Left by an attempt that was taken for dead and was not.
  perform private.delete_closing(period);
  if private.needs_full_run(period) then
    run := (private.request_run(period.id, null)).id;
  end if;
  insert into private.closing_requests as closing_request (tenant_id, reconciliation_id, pair_no,
    asked_by, run_id)
  values (period.tenant_id, period.id, period.pair_no,
    jsonb_build_object('claims', auth.jwt(), 'operation', current_setting('app.operation', true),
    'address', current_setting('app.address', true)), run)
  on conflict (tenant_id, reconciliation_id)
    do update set asked_by = excluded.asked_by, asked_at = excluded.asked_at, failure = null,
      run_id = excluded.run_id;
  perform private.queue_closing(period, interval '0');
end $$;

-- Acts in the name of the person who requested the close, until the transaction ends.
create function private.act_for_requester(closing_request private.closing_requests) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform set_config('request.jwt.claims', closing_request.asked_by ->> 'claims', true),
    set_config('app.operation', coalesce(closing_request.asked_by ->> 'operation', ''), true),
    set_config('app.address', coalesce(closing_request.asked_by ->> 'address', ''), true);
end $$;

-- Refuses: conflict if the full run before a close failed, or changed what the requester saw.
create function private.require_nothing_found(run public.runs) returns void
language plpgsql stable set search_path = '' as $$
declare
  new_count constant bigint := (run.changed ->> 'added')::bigint
    + (run.changed ->> 'replaced')::bigint;
  undone_count constant bigint := (run.changed ->> 'undone')::bigint;
begin
  if run.status = 'failed' then
    perform private.refuse_conflict('state_changed', 'The run before the close failed: '
      || run.failure || ' Close the period again to try again, or set auto_run to false first to '
      'close it without a run.');
  elsif new_count + undone_count + run.exceptions_opened > 0 then
    perform private.refuse_conflict('state_changed', format(
      'The run before the close found something new: %s, %s undone and %s. Look at it, and close '
      'the period again.', private.pluralize(new_count, 'match or suggestion made',
        'matches or suggestions made'), undone_count,
      private.pluralize(run.exceptions_opened, 'exception opened', 'exceptions opened')));
  end if;
end $$;

-- Freezes a period whose close waited for a full run. Returns whether the close goes on: where the
-- run has not ended, it is queued again. Refuses: conflict, as require_nothing_found and
-- require_closable.
create function private.begin_requested_closing(tenant text, reconciliation text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  closing_request private.closing_requests;
  period public.reconciliations;
  run public.runs;
begin
  select * into closing_request
  from private.closing_requests
  where closing_requests.tenant_id = tenant and closing_requests.reconciliation_id = reconciliation
    and closing_requests.failure is null;
  if closing_request.run_id is null then
    return closing_request.tenant_id is not null;
  end if;
  period := private.lock_period(tenant, reconciliation);
  select * into strict run
  from public.runs where runs.tenant_id = tenant and runs.id = closing_request.run_id;
  if run.status in ('queued', 'running') then
    perform private.queue_closing(period, interval '2 seconds');
    return false;
  end if;
  perform private.require_nothing_found(run);
  perform private.act_for_requester(closing_request);
  perform private.require_closable(period);
  update private.closing_requests set run_id = null
  where closing_requests.tenant_id = tenant and closing_requests.reconciliation_id = reconciliation;
  return true;
end $$;

-- Writes the closing, in a transaction that reads one snapshot: lines may arrive at the same time
-- without waiting. Returns whether it is to be completed. Refuses: conflict.
create function private.write_requested_closing(tenant text, reconciliation text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  closing_request private.closing_requests;
begin
  if current_setting('transaction_isolation') = 'read committed' then
    raise exception 'A closing is written down of one snapshot.';
  end if;
  select * into closing_request
  from private.closing_requests
  where closing_requests.tenant_id = tenant and closing_requests.reconciliation_id = reconciliation
    and closing_requests.failure is null and closing_requests.run_id is null;
  if not found then
    return false;
  end if;
  -- Written by an earlier attempt.
  if not exists (select from public.closings closing
    where closing.tenant_id = tenant and closing.reconciliation_id = reconciliation) then
    perform private.write_closing(period, closing_request.asked_by #>> '{claims,actor}')
    from public.reconciliations period
    where period.tenant_id = tenant and period.id = reconciliation;
  end if;
  return true;
end $$;

-- Moves the next suggestions of a period that is being closed to the next open one, if there is
-- one. Returns how many.
create function private.move_suggestions_of_closing(tenant text,
  reconciliation text) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  period public.reconciliations;
  target text;
  ids uuid[];
begin
  perform private.lock_pair(closing_request.tenant_id, closing_request.pair_no)
  from private.closing_requests closing_request
  where closing_request.tenant_id = tenant and closing_request.reconciliation_id = reconciliation;
  perform
  from private.closing_requests closing_request
  where closing_request.tenant_id = tenant and closing_request.reconciliation_id = reconciliation
    and closing_request.failure is null;
  if not found then
    return 0;
  end if;
  select * into strict period
  from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation;
  target := private.next_open_period(period);
  if target is null then
    return 0;
  end if;
  ids := array(
    select match.id
    from public.matches match
    where match.tenant_id = tenant and match.reconciliation_id = reconciliation
      and match.state = 'suggested'
    order by match.id limit 5000
  );
  perform private.move_suggestions(tenant, ids, target);
  return cardinality(ids);
end $$;

create function private.complete_requested_closing(tenant text, reconciliation text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  closing_request private.closing_requests;
  period public.reconciliations;
begin
  perform private.lock_pair(closing_requests.tenant_id, closing_requests.pair_no)
    from private.closing_requests
  where closing_requests.tenant_id = tenant and closing_requests.reconciliation_id = reconciliation;
  select * into period
  from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation
    for no key update;
  select * into closing_request
  from private.closing_requests
  where closing_requests.tenant_id = tenant and closing_requests.reconciliation_id = reconciliation
    and closing_requests.failure is null;
  if found then
    perform private.act_for_requester(closing_request);
    perform private.complete_closing(period);
  end if;
end $$;

-- Leaves the period open with the reason. If its close had begun, brings back what was already
-- moved on, and queues a run. Returns whether it was being closed.
create function private.fail_closing(tenant text, reconciliation text, failure text) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  period public.reconciliations;
  failed private.closing_requests;
begin
  select * into strict period
  from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation;
  perform private.lock_pair(tenant, period.pair_no);
  update private.closing_requests closing_request set failure = fail_closing.failure
  where closing_request.tenant_id = tenant and closing_request.reconciliation_id = reconciliation
    and closing_request.failure is null
  returning * into failed;
  if failed.run_id is not null then
    return true;
  elsif failed.tenant_id is null then
    return false;
  end if;
  perform private.delete_closing(period);
  perform private.return_to_reopened(period);
  perform private.request_runs(tenant, period.pair_no);
  -- A suggestion may have been deleted because the next period had one of the same line: a run
  -- makes it again.
  perform private.queue_run(tenant, period.pair_no, period.id, null, interval '1 second');
  return true;
end $$;

-- Ends the closings whose matchers died at every attempt: their job has no attempts left, or was
-- deleted. Returns the IDs of the periods.
create function private.end_abandoned_closings(failure text) returns setof text
language plpgsql volatile security definer set search_path = '' as $$
declare
  closing_request private.closing_requests;
begin
  -- One by one: within one query a closing could be ended before its job is checked.
  for closing_request in
    select closing_requests.*
    from private.closing_requests
    left join graphile_worker.jobs job on job.key = 'close:' || closing_requests.reconciliation_id
    where closing_requests.failure is null
      and case when job.id is null then closing_requests.asked_at < now() - interval '1 hour'
      else job.attempts >= job.max_attempts and job.locked_at is null end
    order by closing_requests.tenant_id, closing_requests.pair_no
  loop
    if private.fail_closing(closing_request.tenant_id, closing_request.reconciliation_id, failure)
      then
      return next closing_request.reconciliation_id;
    end if;
  end loop;
end $$;

grant execute on function
  private.begin_requested_closing(text, text), private.write_requested_closing(text, text),
  private.move_suggestions_of_closing(text, text),
  private.complete_requested_closing(text, text), private.fail_closing(text, text, text),
  private.end_abandoned_closings(text)
to service_role;
