-- Short runs: where only a few lines are new, the leading exact rules decide them first, without
-- reading the rest of the pair. An exact rule compares lines of one amount and currency, so it
-- decides what it would among all lines (engine/README.md). Since a match changes a little of what
-- the other rules count, a full run follows within a minute.

-- How long after the first change a full run follows.
create function private.until_full_run() returns interval
language sql immutable set search_path = ''
return interval '1 minute';

-- The new lines of a period that are still open, up to a limit.
create function private.new_open_lines(r public.reconciliations, most integer)
returns setof private.open_lines
language plpgsql stable set search_path = '' as $$
begin
  return query
  select distinct o.*
  from private.run_changes c
  cross join lateral (
    select * from private.open_lines x
    where x.tenant_id = r.tenant_id and x.pair_no = r.pair_no
      and x.line_no between c.first_line_no and c.last_line_no and x.value_date <= r.period_end
    limit most
  ) o
  where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
  limit most;
end $$;

-- Whether a run that nobody requested can begin with what is new: since the last run, which ended
-- well, only lines came, and not longer ago than a full run may wait.
create function private.may_be_short(r public.reconciliations, last_run public.runs,
  conditions jsonb, policy jsonb) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return last_run.status = 'done' and last_run.conditions = may_be_short.conditions
    and not exists (select from private.run_changes c
      where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id and (c.first_line_no is null
        or c.changed_at <= clock_timestamp() - private.until_full_run()))
    and not exists (select from private.decisions d
      where d.tenant_id = r.tenant_id and d.pair_no = r.pair_no)
    -- With its fee, a line has two amounts.
    and (policy ->> 'fees' <> 'deduct' or not private.has_fees(r.tenant_id));
end $$;

-- Queues the full run that follows a short one.
create function private.queue_full_run(r public.reconciliations) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.queue_run(r.tenant_id, r.pair_no, r.id, null, (
    select min(c.changed_at) + private.until_full_run() - now() from private.run_changes c
    where c.tenant_id = r.tenant_id and c.reconciliation_id = r.id
  ));
end $$;

-- The lines of matches that the engine weighed, with one of these amounts.
create function private.load_weighed_lines(r public.reconciliations, minors bigint[]) returns void
language plpgsql volatile set search_path = '' as $$
begin
  create temp table weighed on commit drop as
  select m.id, m.currency from public.matches m
  where m.tenant_id = r.tenant_id and m.reconciliation_id = r.id and m.state = 'confirmed'
    and m.decided_by is null and not m.settled;
  insert into pg_temp.given_lines
  select mm.line_no, mm.side, mm.allocated_minor, w.currency
  from public.match_members mm join pg_temp.weighed w on w.id = mm.match_id
  where mm.tenant_id = r.tenant_id and mm.allocated_minor = any (minors)
    and mm.match_id = any (array(select x.id from pg_temp.weighed x));
  insert into pg_temp.held_lines select g.line_no from pg_temp.given_lines g;
end $$;

-- Collects what a short run weighs: the new lines, all others with the amount of one, open or in a
-- match of the engine, and the suggestions that they are in. Returns how many there are per side;
-- null if there are too many. Leaves lines_to_weigh, matches_made, new_lines, and held_lines, which
-- a short run does not match.
create function private.load_short_run(tenant text, reconciliation text, most integer,
  out left_lines bigint, out right_lines bigint)
language plpgsql volatile set search_path = '' as $$
declare
  r constant public.reconciliations := (select period from public.reconciliations period
    where period.tenant_id = tenant and period.id = reconciliation);
  minors bigint[];
begin
  perform private.begin_reading(tenant);
  create temp table held_lines (line_no bigint not null) on commit drop;
  create temp table new_lines on commit drop as
  select open_line.line_no, open_line.open_minor from private.new_open_lines(r, most + 1) open_line;
  minors := array(select distinct new_line.open_minor from pg_temp.new_lines new_line);
  if (select count(*) from pg_temp.new_lines) > most then
    return;
  end if;
  perform private.load_weighed_lines(r, minors);
  with found as (
    select open_line.line_no, open_line.side, open_line.open_minor, open_line.currency,
      open_line.amount_minor from private.open_lines open_line
    where open_line.tenant_id = tenant and open_line.pair_no = r.pair_no
      and open_line.side = any ('{left,right}')
      and -abs(open_line.open_minor) = any (array(select -abs(minor) from unnest(minors) minor))
      and open_line.open_minor = any (minors) and open_line.value_date <= r.period_end
    limit most * 5
  ), held as (
    insert into pg_temp.held_lines
    select finds.line_no from found finds where finds.open_minor <> finds.amount_minor
  )
  insert into pg_temp.given_lines select finds.line_no, finds.side, finds.open_minor, finds.currency
  from found finds;
  perform private.take_up_settled(tenant, reconciliation);
  perform private.load_lines_of_matches(tenant, true);
  if (select count(*) from pg_temp.given_lines) >= most * 5 then
    return;
  end if;
  perform private.show_lines_to_weigh();
  insert into pg_temp.taken_up
  select match.id, match.currency, false from public.matches match
  where match.tenant_id = tenant and match.reconciliation_id = reconciliation
    and match.state = 'suggested' and match.id = any (array(
      select mm.match_id from public.match_members mm
      where mm.tenant_id = tenant and mm.pair_no = r.pair_no
        and mm.line_no = any (array(select given_line.line_no
          from pg_temp.given_lines given_line))));
  perform private.show_matches_made();
  select count(*) filter (where given_line.side = 'left'),
    count(*) filter (where given_line.side = 'right')
  into left_lines, right_lines
  from pg_temp.given_lines given_line;
end $$;
grant execute on function private.load_short_run(text, text, integer) to service_role;

-- Ends a run that decided all that is new. outcome: { waterfall, changed, digest, suggested_count,
-- open_count, lines }, of which `lines` are those it matched. Checks that their matches add up;
-- returns a sentence for each that does not. Emits: run.done. Refuses: conflict.
create function private.finish_short_run(tenant text, run text, attempt integer, lines bigint[],
  outcome jsonb) returns text[]
language plpgsql volatile security definer set search_path = '' as $$
declare
  x public.runs;
  violations text[];
begin
  perform private.require_attempt(tenant, run, attempt);
  violations := array(
    select format('Match %s does not add up.', match.id)
    from public.matches match
    join private.members_of(tenant, array(
      select mm.match_id from public.match_members mm
      where mm.tenant_id = tenant and mm.line_no = any (lines))) mm on mm.match_id = match.id
    where match.tenant_id = tenant and match.run_id = run
    group by match.id, match.residual_minor
    having sum(case mm.side when 'left' then mm.allocated_minor
      else -mm.allocated_minor end) <> match.residual_minor);
  update public.runs own_run set
    status = case when cardinality(violations) = 0 then 'done' else 'failed' end, stage = null,
    finished_at = clock_timestamp(),
    failure = case when cardinality(violations) > 0 then
      'An internal check failed after this run. It has been logged: send us the run''s id.' end,
    lines_done = own_run.lines_total, digest = outcome ->> 'digest',
    suggested_count = (outcome ->> 'suggested_count')::bigint,
    open_count = (outcome ->> 'open_count')::bigint, waterfall = outcome -> 'waterfall',
    changed = outcome -> 'changed',
    exceptions_held_back = (outcome ->> 'exceptions_held_back')::integer
  where own_run.tenant_id = tenant and own_run.id = run
  returning * into x;
  perform private.queue_full_run(period) from public.reconciliations period
  where period.tenant_id = tenant and period.id = x.reconciliation_id;
  perform private.emit(tenant, 'run.done', jsonb_build_object('run', private.run_json(x)), run);
  return violations;
end $$;
grant execute on function private.finish_short_run(text, text, integer, bigint[], jsonb)
to service_role;
