-- Estimates: what the last full run of a pair estimated from its lines
-- (engine/evidence/estimates.ts). While they hold, a run weighs only new lines and those that they
-- may belong to.

create table private.pair_estimates (
  tenant_id text not null,
  pair_no integer not null,
  estimates jsonb not null,
  -- The engine, rules and calendar that they hold for.
  conditions jsonb not null,
  -- How many lines they were estimated from, and how many were weighed by them since.
  lines bigint not null,
  weighed_lines bigint not null default 0,
  -- When a full run confirms what runs with news may only suggest; null: they suggested nothing so.
  holds_until timestamptz(3),
  primary key (tenant_id, pair_no)
);
alter table private.pair_estimates enable row level security;

-- Whether the sources of a pair have more lines than are processed while a caller waits. Then runs
-- between full ones weigh by estimates, and a close waits for a full run (private.close_period).
create function private.has_many_lines(tenant text, pair integer) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  return private.max_lines_in_request() < (
    select sum(source.line_count) from public.pairs
    join public.sources source on source.tenant_id = pairs.tenant_id
      and source.source_no in (pairs.left_source_no, pairs.right_source_no)
    where pairs.tenant_id = tenant and pairs.pair_no = pair
  );
end $$;

-- The conditions of a run that estimates depend on.
create function private.conditions_of_estimates(conditions jsonb) returns jsonb
language sql immutable set search_path = ''
return conditions - '{period_end,days_of_grace}'::text[];

-- How long a full run waits that confirms what runs with news may only suggest: a full run of a
-- large pair takes up to half a minute.
create function private.awaited_run_delay() returns interval
language sql immutable set search_path = ''
return interval '10 minutes';

-- The estimates of a pair for a run with these conditions; null if there are none, if more than a
-- tenth of its lines came since, or if a full run is due.
create function private.estimates_for(tenant text, pair integer,
  conditions jsonb) returns private.pair_estimates
language plpgsql stable set search_path = '' as $$
declare
  found_row private.pair_estimates;
begin
  select * into found_row from private.pair_estimates estimate
  where estimate.tenant_id = tenant and estimate.pair_no = pair
    and estimate.conditions = private.conditions_of_estimates(estimates_for.conditions)
    and estimate.weighed_lines * 10 <= estimate.lines
    and (estimate.holds_until is null or estimate.holds_until > clock_timestamp())
    and private.has_many_lines(tenant, pair);
  return found_row;
end $$;

-- Stores what a full run estimated, in place of what was estimated before; null: nothing holds any
-- more.
create function private.store_estimates(run public.runs, estimates jsonb) returns void
language plpgsql volatile set search_path = '' as $$
begin
  if store_estimates.estimates is null then
    delete from private.pair_estimates estimate
    where estimate.tenant_id = run.tenant_id and estimate.pair_no = run.pair_no;
    return;
  end if;
  insert into private.pair_estimates as estimate (tenant_id, pair_no, estimates, conditions, lines)
  values (run.tenant_id, run.pair_no, store_estimates.estimates,
    private.conditions_of_estimates(run.conditions),
    (store_estimates.estimates ->> 'lines')::bigint)
  on conflict (tenant_id, pair_no)
    do update set estimates = excluded.estimates, conditions = excluded.conditions,
      lines = excluded.lines, weighed_lines = 0, holds_until = null;
end $$;

-- Collects what a run with news reads: what is open up to the period's end, what the engine
-- matched and a full run would weigh again, and suggestions. Returns how many lines to expect per
-- side. Leaves lines_to_weigh, matches_made, and held_lines, which it does not match: lines of
-- matches, partly open ones, and lines that came after the changes it reads.
create function private.load_news(tenant text, reconciliation text, change_nos bigint[],
  out left_lines bigint, out right_lines bigint)
language plpgsql volatile set search_path = '' as $$
declare
  period constant public.reconciliations := (select reconciliations from public.reconciliations
    where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation);
begin
  perform private.prefer_set_joins();
  perform private.begin_reading(tenant);
  insert into pg_temp.taken_up
  select match.id, match.currency, false from public.matches match
  where match.tenant_id = tenant and match.reconciliation_id = reconciliation
    and match.state = 'confirmed' and match.decided_by is null and not match.settled;
  perform private.load_lines_of_matches(tenant, false);
  create temp table held_lines on commit drop as
  select given_line.line_no from pg_temp.given_lines given_line;
  insert into pg_temp.held_lines
  select open_line.line_no from private.open_lines open_line
  where open_line.tenant_id = tenant and open_line.pair_no = period.pair_no
    and open_line.open_minor <> open_line.amount_minor;
  insert into pg_temp.held_lines
  select later.line_no from private.run_changes run_change
  cross join lateral (
    select open_line.line_no from private.open_lines open_line
    where open_line.tenant_id = tenant and open_line.pair_no = period.pair_no
      and open_line.line_no between run_change.first_line_no and run_change.last_line_no
  ) later
  where run_change.tenant_id = tenant and run_change.reconciliation_id = reconciliation
    and run_change.weighed_at is null and run_change.change_no <> all (change_nos);
  insert into pg_temp.given_lines
  select open_line.line_no, open_line.side, open_line.open_minor, open_line.currency
  from private.open_lines open_line
  where open_line.tenant_id = tenant and open_line.pair_no = period.pair_no
    and open_line.value_date <= period.period_end;
  perform private.create_lines_to_weigh_view();
  truncate pg_temp.taken_up;
  insert into pg_temp.taken_up
  select match.id, match.currency, false from public.matches match
  where match.tenant_id = tenant and match.reconciliation_id = reconciliation
    and match.state = 'suggested';
  perform private.create_matches_made_view();
  select count(*) filter (where given_line.side = 'left'),
    count(*) filter (where given_line.side = 'right')
  into left_lines, right_lines
  from pg_temp.given_lines given_line;
end $$;
grant execute on function private.load_news(text, text, bigint[]) to service_role;
