-- What a run reads: all of one moment. private.load_run collects it in tables and views of the
-- session until the transaction ends; the matcher copies the views row by row, so that neither side
-- holds a million lines twice.

-- Statements over newly written rows are planned with old statistics. So each reads a table once,
-- by numbers in their order, which only one index serves, and joins in that order: no estimate can
-- make it look up line by line, or in another index.
create function private.prefer_set_joins() returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform set_config(setting.name, setting.value, true)
  from (values ('enable_nestloop', 'off'), ('enable_hashjoin', 'off'), ('enable_sort', 'off'),
    ('work_mem', '64MB')) setting (name, value);
end $$;

-- Loads the lines of the matches that the run reconsiders, with the amounts allocated to them.
create function private.load_lines_of_matches(tenant text, of_settled boolean) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into pg_temp.given_lines
  select member.line_no, member.side, member.allocated_minor, taken.currency
  from (select taken_up.id, taken_up.currency from pg_temp.taken_up
    where taken_up.settled = of_settled
    order by taken_up.id) taken
  join (
    select member.match_id, member.line_no, member.side, member.allocated_minor
    from public.match_members member
    where member.tenant_id = tenant
      and member.match_id = any (array(select taken_up.id from pg_temp.taken_up
        where taken_up.settled = of_settled))
    order by member.match_id
  ) member on member.match_id = taken.id;
end $$;

-- Whether any line of the tenant has a fee; most tenants have none. Read in the order that only one
-- index serves.
create function private.has_fees(tenant text) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  perform
  from public.lines line
  where line.tenant_id = tenant and line.fee_minor <> 0
  order by line.fee_minor
  limit 1;
  return found;
end $$;

-- Finds the fees of the loaded lines, each of which is loaded with its whole available amount.
create function private.find_line_fees(tenant text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  if not private.has_fees(tenant) then
    return;
  end if;
  insert into pg_temp.line_fees
  select given_line.line_no, private.fee_of_whole(line.line, given_line.minor)
  from (select given_lines.line_no, sum(given_lines.minor)::bigint as minor from pg_temp.given_lines
    group by 1
    order by 1) given_line
  join (
    select line.line_no, line as line from public.lines line
    where line.tenant_id = tenant and line.fee_minor <> 0
      and line.line_no = any (array(select given_lines.line_no from pg_temp.given_lines))
      order by line.line_no
  ) line on line.line_no = given_line.line_no
  where private.fee_of_whole(line.line, given_line.minor) <> 0;
end $$;

-- Reconsiders those matches of leading exact rules that share amount and currency with one of the
-- given lines, with or without its fee: including them, a run decides what one over all lines would
-- (engine/README.md).
create function private.reconsider_settled_matches(tenant text, reconciliation text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  create temp table given_amounts (minor bigint not null, currency text not null) on commit drop;
  insert into pg_temp.given_amounts select distinct settled_match.minor, settled_match.currency
  from pg_temp.given_lines settled_match;
  if exists (select from pg_temp.line_fees) then
    insert into pg_temp.given_amounts
    select settled_match.minor - line_fees.minor, settled_match.currency
    from pg_temp.given_lines settled_match
    join pg_temp.line_fees on line_fees.line_no = settled_match.line_no;
  end if;
  insert into pg_temp.taken_up (id, currency, settled)
  select match.id, match.currency, true
  from (select distinct given_amounts.minor, given_amounts.currency from pg_temp.given_amounts
    order by given_amounts.minor, given_amounts.currency) settled_match
  join (
    select match.id, match.amount_minor, match.currency from public.matches match
    where match.tenant_id = tenant and match.reconciliation_id = reconciliation and match.settled
      and match.state = 'confirmed' and match.decided_by is null
      and match.amount_minor = any (array(select distinct given_amounts.minor
        from pg_temp.given_amounts))
    order by match.amount_minor, match.currency
  ) match on match.amount_minor = settled_match.minor and match.currency = settled_match.currency;
end $$;

-- Creates the session's tables for the input of a run; they last until the transaction ends.
create function private.begin_reading(tenant text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  create temp table run_scope on commit drop as select tenant as tenant_id;
  create temp table taken_up (id uuid not null, currency text not null, settled boolean not null)
    on commit drop;
  create temp table given_lines (line_no bigint not null, side text not null, minor bigint not null,
    currency text not null)
    on commit drop;
  create temp table line_fees (line_no bigint not null, minor bigint not null) on commit drop;
end $$;

-- The loaded lines, each once, in the form that the matcher copies.
create function private.create_lines_to_weigh_view() returns void
language plpgsql volatile set search_path = '' as $$
begin
  -- A partly matched line has its open amount and what its matches took.
  if exists (select from pg_temp.taken_up) then
    create temp view lines_once as select given_line.line_no, given_line.side,
      sum(given_line.minor)::bigint as minor
      from pg_temp.given_lines given_line group by 1, 2;
  else
    create temp view lines_once as select given_line.line_no, given_line.side, given_line.minor
      from pg_temp.given_lines given_line;
  end if;
  create temp view lines_to_weigh as
  select given_line.side = 'left' as is_left, given_line.line_no, line.id, given_line.minor,
    line.currency, line.value_date,
    line.booked_date, line.reference, line.counterparty, line.description, line.group_key
  from (select lines_once.line_no, lines_once.side, lines_once.minor from pg_temp.lines_once
    order by lines_once.line_no) given_line
  join (
    select * from public.lines line
    where line.tenant_id = (select run_scope.tenant_id from pg_temp.run_scope)
      and line.line_no = any (array(select given_lines.line_no from pg_temp.given_lines))
    order by line.line_no
  ) line on line.line_no = given_line.line_no;
end $$;

-- The matches that a run reconsiders, one row per member, in the form that the matcher copies.
create function private.create_matches_made_view() returns void
language plpgsql volatile set search_path = '' as $$
begin
  create temp view matches_made as
  select match.id, match.state, match.method, match.score, match.currency, match.amount_minor,
    match.hash_high, match.hash_low,
    member.line_no, member.allocated_minor
  from (
    select * from public.matches match
    where match.tenant_id = (select run_scope.tenant_id from pg_temp.run_scope)
      and match.id = any (array(select taken_up.id from pg_temp.taken_up))
      order by match.id
  ) match
  join (
    select member.match_id, member.line_no, member.allocated_minor from public.match_members member
    where member.tenant_id = (select run_scope.tenant_id from pg_temp.run_scope)
      and member.match_id = any (array(select taken_up.id from pg_temp.taken_up))
    order by member.match_id
  ) member on member.match_id = match.id;
end $$;

-- Collects what a run weighs: what is open up to the period's end (for a closed period what was
-- carried forward), what the engine made and may change, and the settled matches it reconsiders.
-- Returns how many lines to expect per side. Leaves lines_to_weigh, matches_made and line_fees.
create function private.load_run(
  tenant text, reconciliation text, pair integer, period_end date, is_closed boolean, whole boolean,
  deducts_fees boolean
) returns table (left_lines bigint, right_lines bigint)
language plpgsql volatile set search_path = '' as $$
begin
  perform private.prefer_set_joins();
  perform private.begin_reading(tenant);
  insert into pg_temp.taken_up
  select match.id, match.currency, false from public.matches match
  where match.tenant_id = tenant and match.reconciliation_id = reconciliation
    and match.state = 'confirmed' and match.decided_by is null and (whole or not match.settled);
  if is_closed then
    insert into pg_temp.given_lines
    select carried_line.line_no, carried_line.side, carried_line.open_minor, carried_line.currency
    from public.carried_lines carried_line
    where carried_line.tenant_id = tenant and carried_line.reconciliation_id = reconciliation;
  else
    insert into pg_temp.given_lines
    select open_line.line_no, open_line.side, open_line.open_minor, open_line.currency
    from private.open_lines open_line
    where open_line.tenant_id = tenant and open_line.pair_no = pair
      and open_line.value_date <= period_end;
  end if;
  perform private.load_lines_of_matches(tenant, false);
  if deducts_fees then
    perform private.find_line_fees(tenant);
  end if;
  if not whole then
    perform private.reconsider_settled_matches(tenant, reconciliation);
    perform private.load_lines_of_matches(tenant, true);
  end if;
  perform private.create_lines_to_weigh_view();
  insert into pg_temp.taken_up
  select match.id, match.currency, false from public.matches match
  where match.tenant_id = tenant and match.reconciliation_id = reconciliation
    and match.state = 'suggested';
  perform private.create_matches_made_view();
  return query
  select count(*) filter (where given_line.side = 'left'),
    count(*) filter (where given_line.side = 'right')
  from pg_temp.given_lines given_line;
end $$;

-- The lines, by their IDs, of each combination of a pair that people rejected or undid.
create function private.refused_combinations(tenant text,
  pair integer) returns table (left_ids text[], right_ids text[])
language plpgsql stable set search_path = '' set enable_sort = off set enable_nestloop = off as $$
begin
  return query
  with members as materialized (
    select member.match_id, member.line_no, member.side from public.match_members member
    where member.tenant_id = tenant and member.match_id = any (array(
      select match.id from public.matches match
      where match.tenant_id = tenant and match.pair_no = pair and match.decided_by is not null
        and match.state in ('rejected', 'undone')))
    order by member.match_id
  )
  select array_agg(line.id::text) filter (where members.side = 'left'),
    array_agg(line.id::text) filter (where members.side = 'right')
  from members
  join (
    select line.id, line.line_no from public.lines line
    where line.tenant_id = tenant
      and line.line_no = any (array(select any_member.line_no from members any_member))
      order by line.line_no
  ) line on line.line_no = members.line_no
  group by members.match_id;
end $$;
