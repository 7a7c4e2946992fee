-- Preparing a pair: the lines that its sources have when it is created are opened in it, few at
-- once, more by the matcher in separate transactions. Until all are open, nothing of the pair is
-- settled: a later step would open again what was matched.

-- Whether earlier lines still have to be opened in the pair. Once all are, it stays that way.
create function private.is_preparing(tenant text, pair integer) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return exists (select from public.pairs
    where pairs.tenant_id = tenant and pairs.pair_no = pair and pairs.opening is not null);
end $$;

-- Refuses: conflict.
create function private.require_prepared(tenant text, pair integer) returns void
language plpgsql stable set search_path = '' as $$
begin
  if private.is_preparing(tenant, pair) then
    perform private.refuse_conflict('preparing',
      'The lines of its sources are still coming in. Wait until preparing is false in the reconciliation, and send the '
      'call again.');
  end if;
end $$;

-- The sides of a pair whose lines are not all opened yet: the place up to which they are, and the
-- sign that the pair gives the amounts.
create function private.unopened_sides(pair public.pairs)
returns table (source_no integer, name text, factor integer, after_date date, after_no bigint)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select source.source_no, case source.source_no when pair.left_source_no then 'left'
    else 'right' end,
    case source.sign when 'inverted' then -1 else 1 end,
    case source.source_no
      when (pair.opening ->> 'source_no')::integer then (pair.opening ->> 'value_date')::date
      else '-infinity' end,
    coalesce((pair.opening ->> 'line_no')::bigint, 0)
  from public.sources source
  where source.tenant_id = pair.tenant_id
    and source.source_no in (pair.left_source_no, pair.right_source_no)
    and source.source_no >= coalesce((pair.opening ->> 'source_no')::integer, 0)
  order by source.source_no;
end $$;

-- Opens the next lines of each source in the pair, at most `most` of each. Returns whether all are
-- open.
create function private.open_earlier_lines(pair public.pairs, max_count integer) returns boolean
language plpgsql volatile set search_path = '' as $$
declare
  side record;
  opened record;
begin
  if pair.opening is null then
    return true;
  end if;
  for side in select * from private.unopened_sides(pair) loop
    with next as materialized (
      select line.source_no, line.value_date, line.line_no, line.currency,
        side.factor * line.amount_minor as effective
      from public.lines line
      where line.tenant_id = pair.tenant_id and line.source_no = side.source_no
        and (line.value_date, line.line_no) > (side.after_date, side.after_no)
      order by line.value_date, line.line_no limit max_count
    ), written as (
      insert into private.open_lines (tenant_id, pair_no, line_no, side, currency, amount_minor,
        open_minor, value_date)
      select pair.tenant_id, pair.pair_no, line.line_no, side.name, line.currency, line.effective,
        line.effective, line.value_date
      from next line
      -- The line arrived after the pair was created.
      on conflict do nothing
    )
    select (select count(*) from next) as lines, (
      select jsonb_build_object('source_no', line.source_no, 'value_date', line.value_date,
        'line_no', line.line_no)
      from next line order by line.value_date desc, line.line_no desc limit 1
    ) as up_to
    into opened;
    if opened.lines = max_count then
      update public.pairs
      set opening = opened.up_to
      where pairs.tenant_id = pair.tenant_id and pairs.pair_no = pair.pair_no;
      return false;
    end if;
  end loop;
  update public.pairs
  set opening = null
  where pairs.tenant_id = pair.tenant_id and pairs.pair_no = pair.pair_no;
  return true;
end $$;

-- The caller's pair of these sources, created if it does not exist, and whether all earlier lines
-- are open in it. In a new pair up to a thousand lines of each source are opened here, unless lines
-- are arriving at the same time. If some are left, the caller queues the rest. Refuses:
-- invalid_request for a source the tenant does not have.
create function private.open_pair(left_source_id text, right_source_id text, out pair_no integer,
  out is_open boolean)
language plpgsql volatile set search_path = '' as $$
declare
  tenant constant text := private.tenant_id();
  left_no integer;
  right_no integer;
  are_locked boolean;
  pair public.pairs;
begin
  select source.source_no into left_no from public.sources source
  where source.tenant_id = tenant and source.id = $1;
  select source.source_no into right_no from public.sources source
  where source.tenant_id = tenant and source.id = $2;
  if left_no is null then
    perform private.refuse_field('left_source_id', 'There is no such source.');
  elsif right_no is null then
    perform private.refuse_field('right_source_id', 'There is no such source.');
  elsif left_no = right_no then
    perform private.refuse_field('right_source_id',
      'Name two sources: a source is not compared with itself.');
  end if;
  are_locked := private.try_lock_sources_exclusively(tenant, array[left_no, right_no]);
  -- A pair is only created for a reconciliation.
  perform private.require_quota('reconciliations');
  insert into public.pairs (tenant_id, left_source_no, right_source_no, opening)
  values (tenant, left_no, right_no, '{}')
  on conflict (tenant_id, left_source_no, right_source_no) do nothing
  returning * into pair;
  if not found then
    select * into strict pair
    from public.pairs
    where pairs.tenant_id = tenant and pairs.left_source_no = left_no
      and pairs.right_source_no = right_no;
    is_open := are_locked and pair.opening is null;
  elsif are_locked then
    is_open := private.open_earlier_lines(pair, 1000);
  else
    is_open := false;
  end if;
  pair_no := pair.pair_no;
end $$;

-- Queues the opening of the rest. It uses the queue of the pair's runs, so that they take turns.
create function private.queue_preparing(tenant text, pair integer, delay interval) returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  perform graphile_worker.add_job('prepare_pair',
    private.with_request_id(jsonb_build_object('tenant_id', tenant, 'pair_no', pair)),
    queue_name => 'pair:' || pair, run_at => now() + delay, job_key => 'prepare:' || pair,
    flags => private.job_flags(tenant, 'lines'));
end $$;

-- Opens the next lines of a pair. Once all are open, queues the runs that waited for them. Returns
-- whether its job continues: it doesn't if lines keep arriving for longer than others should wait;
-- another job continues later.
create function private.prepare_pair(tenant text, pair integer) returns boolean
language plpgsql volatile security definer set search_path = '' as $$
declare
  pair_row public.pairs;
begin
  begin
    perform private.lock_sources_exclusively(pairs.tenant_id,
      array[pairs.left_source_no, pairs.right_source_no])
    from public.pairs
    where pairs.tenant_id = tenant and pairs.pair_no = pair;
  exception when sqlstate 'TO001' then
    perform private.queue_preparing(tenant, pair, interval '5 seconds');
    return false;
  end;
  select * into strict pair_row
  from public.pairs
  where pairs.tenant_id = tenant and pairs.pair_no = pair for no key update;
  if not private.open_earlier_lines(pair_row, 25000) then
    return true;
  end if;
  perform private.queue_run(queued.tenant_id, queued.pair_no, queued.reconciliation_id,
    queued.requested_run, interval '0')
  from (
    select run.tenant_id, run.pair_no, run.reconciliation_id,
      case when run.dry_run is not null then run.id end as requested_run
    from public.runs run
      join public.reconciliations period on period.tenant_id = run.tenant_id
        and period.id = run.reconciliation_id
    where run.tenant_id = tenant and run.pair_no = pair and run.status = 'queued'
      order by period.period_end, run.id
  ) queued;
  perform private.request_runs(tenant, pair);
  return false;
end $$;

grant execute on function private.is_preparing(text, integer) to authenticated;
grant execute on function private.prepare_pair(text, integer) to service_role;
