-- What a run reads: all of one moment. private.load_run collects it in tables and views of the
-- session until the transaction ends; the matcher copies the views row by row, so that neither side
-- holds a million lines twice.

-- Statements over newly written rows are planned with old statistics. So each reads a table once,
-- by numbers in their order, which only one index serves, and joins in that order: no estimate can
-- make it look up line by line, or in another index.
create function private.plan_by_sets() returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform set_config(s.name, s.value, true)
  from (values ('enable_nestloop', 'off'), ('enable_hashjoin', 'off'), ('enable_sort', 'off'),
    ('work_mem', '64MB')) s (name, value);
end $$;

-- Gives the run the lines of the matches that it reconsiders, with the amounts that they took of
-- each.
create function private.load_lines_of_matches(tenant text, of_settled boolean) returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into pg_temp.given_lines
  select mm.line_no, mm.side, mm.allocated_minor, t.currency
  from (select x.id, x.currency from pg_temp.taken_up x where x.settled = of_settled
    order by x.id) t
  join (
    select x.match_id, x.line_no, x.side, x.allocated_minor from public.match_members x
    where x.tenant_id = tenant
      and x.match_id = any (array(select y.id from pg_temp.taken_up y where y.settled = of_settled))
    order by x.match_id
  ) mm on mm.match_id = t.id;
end $$;

-- Whether a line of the tenant has a fee, as of most tenants none has. In the order that only one
-- index serves.
create function private.has_fees(tenant text) returns boolean
language plpgsql stable set search_path = '' as $$
begin
  perform
  from public.lines l
  where l.tenant_id = tenant and l.fee_minor <> 0
  order by l.fee_minor
  limit 1;
  return found;
end $$;

-- The fees of these lines, each of which is present with everything that a run may take of it.
create function private.find_line_fees(tenant text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  if not private.has_fees(tenant) then
    return;
  end if;
  insert into pg_temp.line_fees
  select g.line_no, private.fee_of_whole(l.line, g.minor)
  from (select x.line_no, sum(x.minor)::bigint as minor from pg_temp.given_lines x group by 1
    order by 1) g
  join (
    select x.line_no, x as line from public.lines x
    where x.tenant_id = tenant and x.fee_minor <> 0
      and x.line_no = any (array(select y.line_no from pg_temp.given_lines y))
      order by x.line_no
  ) l on l.line_no = g.line_no
  where private.fee_of_whole(l.line, g.minor) <> 0;
end $$;

-- Reconsiders those matches of leading exact rules that share amount and currency with one of the
-- given lines, with or without its fee: including them, a run decides what one over all lines would
-- (engine/README.md).
create function private.take_up_settled(tenant text, reconciliation text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  create temp table given_amounts (minor bigint not null, currency text not null) on commit drop;
  insert into pg_temp.given_amounts select distinct g.minor, g.currency from pg_temp.given_lines g;
  if exists (select from pg_temp.line_fees) then
    insert into pg_temp.given_amounts
    select g.minor - f.minor, g.currency
    from pg_temp.given_lines g
    join pg_temp.line_fees f on f.line_no = g.line_no;
  end if;
  insert into pg_temp.taken_up (id, currency, settled)
  select m.id, m.currency, true
  from (select distinct x.minor, x.currency from pg_temp.given_amounts x
    order by x.minor, x.currency) g
  join (
    select x.id, x.amount_minor, x.currency from public.matches x
    where x.tenant_id = tenant and x.reconciliation_id = reconciliation and x.settled
      and x.state = 'confirmed' and x.decided_by is null
      and x.amount_minor = any (array(select distinct y.minor from pg_temp.given_amounts y))
    order by x.amount_minor, x.currency
  ) m on m.amount_minor = g.minor and m.currency = g.currency;
end $$;

-- Tables of the session for what a run is given, until the transaction ends.
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

-- The given lines, each once, as the matcher copies them.
create function private.show_lines_to_weigh() returns void
language plpgsql volatile set search_path = '' as $$
begin
  -- A partly matched line has its open amount and what its matches took.
  if exists (select from pg_temp.taken_up) then
    create temp view lines_once as select g.line_no, g.side, sum(g.minor)::bigint as minor
      from pg_temp.given_lines g group by 1, 2;
  else
    create temp view lines_once as select g.line_no, g.side, g.minor from pg_temp.given_lines g;
  end if;
  create temp view lines_to_weigh as
  select g.side = 'left' as is_left, g.line_no, l.id, g.minor, l.currency, l.value_date,
    l.booked_date, l.reference, l.counterparty, l.description, l.group_key
  from (select x.line_no, x.side, x.minor from pg_temp.lines_once x order by x.line_no) g
  join (
    select * from public.lines x
    where x.tenant_id = (select s.tenant_id from pg_temp.run_scope s)
      and x.line_no = any (array(select y.line_no from pg_temp.given_lines y))
    order by x.line_no
  ) l on l.line_no = g.line_no;
end $$;

-- The matches that a run reconsiders, a row for each member, as the matcher copies them.
create function private.show_matches_made() returns void
language plpgsql volatile set search_path = '' as $$
begin
  create temp view matches_made as
  select m.id, m.state, m.method, m.score, m.currency, m.amount_minor, m.hash_high, m.hash_low,
    mm.line_no, mm.allocated_minor
  from (
    select * from public.matches x
    where x.tenant_id = (select s.tenant_id from pg_temp.run_scope s)
      and x.id = any (array(select y.id from pg_temp.taken_up y))
      order by x.id
  ) m
  join (
    select x.match_id, x.line_no, x.allocated_minor from public.match_members x
    where x.tenant_id = (select s.tenant_id from pg_temp.run_scope s)
      and x.match_id = any (array(select y.id from pg_temp.taken_up y))
    order by x.match_id
  ) mm on mm.match_id = m.id;
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
  perform private.plan_by_sets();
  perform private.begin_reading(tenant);
  insert into pg_temp.taken_up
  select match.id, match.currency, false from public.matches match
  where match.tenant_id = tenant and match.reconciliation_id = reconciliation
    and match.state = 'confirmed' and match.decided_by is null and (whole or not match.settled);
  if is_closed then
    insert into pg_temp.given_lines
    select carried.line_no, carried.side, carried.open_minor, carried.currency
    from public.carried_lines carried
    where carried.tenant_id = tenant and carried.reconciliation_id = reconciliation;
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
    perform private.take_up_settled(tenant, reconciliation);
    perform private.load_lines_of_matches(tenant, true);
  end if;
  perform private.show_lines_to_weigh();
  insert into pg_temp.taken_up
  select match.id, match.currency, false from public.matches match
  where match.tenant_id = tenant and match.reconciliation_id = reconciliation
    and match.state = 'suggested';
  perform private.show_matches_made();
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
  select array_agg(line.id::text) filter (where mm.side = 'left'),
    array_agg(line.id::text) filter (where mm.side = 'right')
  from members mm
  join (
    select line.id, line.line_no from public.lines line
    where line.tenant_id = tenant
      and line.line_no = any (array(select any_member.line_no from members any_member))
      order by line.line_no
  ) line on line.line_no = mm.line_no
  group by mm.match_id;
end $$;
