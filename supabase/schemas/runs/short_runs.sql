-- Short runs: where only a few lines are new, the leading exact rules decide them first, without
-- reading the rest of the pair. An exact rule compares lines of one amount and currency, so it
-- decides what it would among all lines (engine/README.md). Since a match changes a little of what
-- the other rules count, a full run follows: within a minute, or in a pair with estimates
-- (estimates.sql) at night, before a close, or once a tenth of the lines is new.

-- How long after the first change a full run follows.
create function private.full_run_delay() returns interval
language sql immutable set search_path = ''
return interval '1 minute';

-- The new lines of a period that are open and that no run has weighed, up to a limit.
create function private.new_open_lines(period public.reconciliations, max_count integer)
returns setof private.open_lines
language plpgsql stable set search_path = '' as $$
begin
  return query
  select distinct fresh.*
  from private.run_changes run_change
  cross join lateral (
    select * from private.open_lines open_line
    where open_line.tenant_id = period.tenant_id and open_line.pair_no = period.pair_no
      and open_line.line_no between run_change.first_line_no and run_change.last_line_no
      and open_line.value_date <= period.period_end
    limit max_count
  ) fresh
  where run_change.tenant_id = period.tenant_id and run_change.reconciliation_id = period.id
    and run_change.weighed_at is null
  limit max_count;
end $$;

-- Whether a run that nobody requested can begin with what is new: since the last run, which ended
-- well, only lines came, and not longer ago than a full run may wait. With estimates, it may wait
-- until the night.
create function private.may_be_short(period public.reconciliations, last_run public.runs,
  conditions jsonb, policy jsonb, has_estimates boolean) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return last_run.status = 'done' and last_run.conditions = may_be_short.conditions
    and not exists (select from private.run_changes run_change
      where run_change.tenant_id = period.tenant_id and run_change.reconciliation_id = period.id
        and (run_change.first_line_no is null
        or not has_estimates
        and run_change.changed_at <= clock_timestamp() - private.full_run_delay()))
    and not exists (select from private.unlearned_decisions decision
      where decision.tenant_id = period.tenant_id and decision.pair_no = period.pair_no)
    -- With its fee, a line has two amounts.
    and (policy ->> 'fees' <> 'deduct' or not private.has_fees(period.tenant_id));
end $$;

-- Queues the full run that follows a short one in a pair without estimates.
create function private.queue_full_run(period public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.queue_run(period.tenant_id, period.pair_no, period.id, null, (
    select min(run_change.changed_at) + private.full_run_delay() - now()
    from private.run_changes run_change
    where run_change.tenant_id = period.tenant_id and run_change.reconciliation_id = period.id
  ));
end $$;

-- The lines of matches that the engine weighed, with one of these amounts.
create function private.load_weighed_lines(period public.reconciliations,
  minors bigint[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  create temp table weighed on commit drop as
  select match.id, match.currency from public.matches match
  where match.tenant_id = period.tenant_id and match.reconciliation_id = period.id
    and match.state = 'confirmed'
    and match.decided_by is null and not match.settled;
  insert into pg_temp.given_lines
  select member.line_no, member.side, member.allocated_minor, weighed.currency
  from public.match_members member join pg_temp.weighed on weighed.id = member.match_id
  where member.tenant_id = period.tenant_id and member.allocated_minor = any (minors)
    and member.match_id = any (array(select weighed.id from pg_temp.weighed));
  insert into pg_temp.held_lines select given_lines.line_no from pg_temp.given_lines;
end $$;

-- Collects what a short run weighs: the new lines, all others with the amount of one, open or in a
-- match of the engine, and the suggestions that they are in. Returns how many there are per side;
-- null if there are too many. Leaves lines_to_weigh, matches_made, new_lines, and held_lines, which
-- a short run does not match. `change_nos`: the changes with these lines.
create function private.load_short_run(tenant text, reconciliation text, most integer,
  out left_lines bigint, out right_lines bigint, out change_nos bigint[])
language plpgsql volatile set search_path = '' as $$
declare
  period constant public.reconciliations := (select reconciliations from public.reconciliations
    where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation);
  minors bigint[];
begin
  perform private.begin_reading(tenant);
  create temp table held_lines (line_no bigint not null) on commit drop;
  create temp table new_lines on commit drop as
  select open_line.line_no, open_line.open_minor
  from private.new_open_lines(period, most + 1) open_line;
  minors := array(select distinct new_line.open_minor from pg_temp.new_lines new_line);
  if (select count(*) from pg_temp.new_lines) > most then
    return;
  end if;
  perform private.load_weighed_lines(period, minors);
  with found as (
    select open_line.line_no, open_line.side, open_line.open_minor, open_line.currency,
      open_line.amount_minor from private.open_lines open_line
    where open_line.tenant_id = tenant and open_line.pair_no = period.pair_no
      and open_line.side = any ('{left,right}')
      and -abs(open_line.open_minor) = any (array(select -abs(minor) from unnest(minors) minor))
      and open_line.open_minor = any (minors) and open_line.value_date <= period.period_end
    limit most * 5
  ), held as (
    insert into pg_temp.held_lines
    select finds.line_no from found finds where finds.open_minor <> finds.amount_minor
  )
  insert into pg_temp.given_lines select finds.line_no, finds.side, finds.open_minor, finds.currency
  from found finds;
  perform private.reconsider_settled_matches(tenant, reconciliation);
  perform private.load_lines_of_matches(tenant, true);
  if (select count(*) from pg_temp.given_lines) >= most * 5 then
    return;
  end if;
  perform private.create_lines_to_weigh_view();
  insert into pg_temp.taken_up
  select match.id, match.currency, false from public.matches match
  where match.tenant_id = tenant and match.reconciliation_id = reconciliation
    and match.state = 'suggested' and match.id = any (array(
      select member.match_id from public.match_members member
      where member.tenant_id = tenant and member.pair_no = period.pair_no
        and member.line_no = any (array(select given_line.line_no
          from pg_temp.given_lines given_line))));
  perform private.create_matches_made_view();
  change_nos := array(
    select run_change.change_no from private.run_changes run_change
    where run_change.tenant_id = tenant and run_change.reconciliation_id = reconciliation
      and run_change.weighed_at is null);
  select count(*) filter (where given_line.side = 'left'),
    count(*) filter (where given_line.side = 'right')
  into left_lines, right_lines
  from pg_temp.given_lines given_line;
end $$;
grant execute on function private.load_short_run(text, text, integer) to service_role;

-- Marks changes as read and adds to what was weighed by a pair's estimates since a full run.
-- Returns whether they still hold.
create function private.count_weighed_lines(run public.runs, change_nos bigint[],
  weighed_lines bigint, awaits_full_run boolean) returns boolean
language plpgsql volatile set search_path = '' as $$
declare
  still_hold boolean;
begin
  update private.pair_estimates estimate
  set weighed_lines = estimate.weighed_lines + count_weighed_lines.weighed_lines,
    holds_until = case when awaits_full_run
      then coalesce(estimate.holds_until, clock_timestamp() + private.awaited_run_delay())
      else estimate.holds_until end
  where estimate.tenant_id = run.tenant_id and estimate.pair_no = run.pair_no
    and estimate.conditions = private.conditions_of_estimates(run.conditions)
  returning estimate.weighed_lines * 10 <= estimate.lines into still_hold;
  if still_hold is not null then
    update private.run_changes run_change set weighed_at = clock_timestamp()
    where run_change.tenant_id = run.tenant_id
      and run_change.reconciliation_id = run.reconciliation_id
      and run_change.change_no = any (change_nos);
  end if;
  return coalesce(still_hold, false);
end $$;

-- Ends a run that decided all that is new, or weighed it by estimates. outcome: { waterfall,
-- changed, digest, suggested_count, exceptions_opened, exceptions_held_back,
-- held_back_reasons, change_nos, weighed_lines, awaits_full_run }; held_back_reasons only of a run
-- with news.
-- `lines`: those that it matched. Checks that their matches add up; returns a sentence for each
-- that does not. Emits: run.done. Refuses: conflict.
create function private.finish_short_run(tenant text, run text, attempt integer, lines bigint[],
  outcome jsonb) returns text[]
language plpgsql volatile security definer set search_path = '' as $$
declare
  awaits_full_run constant boolean := coalesce((outcome ->> 'awaits_full_run')::boolean, false);
  run_row public.runs;
  violations text[];
begin
  perform private.require_attempt(tenant, run, attempt);
  violations := array(
    select format('Match %s does not add up.', match.id)
    from public.matches match
    join private.members_of(tenant, array(
      select member.match_id from public.match_members member
      where member.tenant_id = tenant and member.line_no = any (lines))) member
        on member.match_id = match.id
    where match.tenant_id = tenant and match.run_id = run
    group by match.id, match.residual_minor
    having sum(case member.side when 'left' then member.allocated_minor
      else -member.allocated_minor end) <> match.residual_minor);
  update public.runs set
    status = case when cardinality(violations) = 0 then 'done' else 'failed' end, stage = null,
    finished_at = clock_timestamp(),
    failure = case when cardinality(violations) > 0 then
      'An internal check failed after this run. It has been logged: send us the run''s id.' end,
    lines_done = runs.lines_total, digest = outcome ->> 'digest',
    suggested_count = (outcome ->> 'suggested_count')::bigint, open_count = (
      select count(*)
      from private.open_lines open_line
      join public.reconciliations period on period.tenant_id = tenant
        and period.id = runs.reconciliation_id
      where open_line.tenant_id = tenant and open_line.pair_no = runs.pair_no
        and open_line.value_date <= period.period_end
    ), waterfall = outcome -> 'waterfall', changed = outcome -> 'changed',
    exceptions_opened = coalesce((outcome ->> 'exceptions_opened')::integer, 0),
    exceptions_held_back = (outcome ->> 'exceptions_held_back')::integer
  where runs.tenant_id = tenant and runs.id = run
  returning * into run_row;
  if outcome ? 'held_back_reasons' then
    perform private.store_held_back_reasons(tenant, run_row.reconciliation_id,
      nullif(outcome -> 'held_back_reasons', 'null'));
  end if;
  if cardinality(violations) > 0 or not private.count_weighed_lines(run_row,
    array(select jsonb_array_elements_text(outcome -> 'change_nos')::bigint),
    coalesce((outcome ->> 'weighed_lines')::bigint, 0), awaits_full_run) then
    perform private.queue_full_run(period) from public.reconciliations period
    where period.tenant_id = tenant and period.id = run_row.reconciliation_id;
  elsif awaits_full_run then
    perform private.queue_run(tenant, run_row.pair_no, run_row.reconciliation_id, null,
      private.awaited_run_delay());
  end if;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(run_row)),
    run);
  return violations;
end $$;
grant execute on function private.finish_short_run(text, text, integer, bigint[], jsonb)
to service_role;
