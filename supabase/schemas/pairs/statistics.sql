-- Statistics: the planner expects hardly a row of a tenant that arrived after a table was last
-- analysed. After writing many of a tenant's rows and committing, call this so that the planner
-- knows of them.

-- How many rows of the tenant the planner expects in a table.
create function private.expected_rows(tenant text, of_table text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  plan json;
begin
  execute format('explain (format json) select from %s where tenant_id = %L', of_table,
    tenant) into plan;
  return (plan #>> '{0,Plan,Plan Rows}')::bigint;
end $$;

-- Analyses the tables in which the planner expects a quarter of the tenant's rows or less, compared
-- with the stored counts; `anyway`: all of them, and those of exceptions. Tables with few rows, or
-- with so small a share of this tenant that a sample would miss it, are left out, as are those that
-- another session is analysing.
create function private.refresh_statistics(tenant text, anyway boolean default false) returns void
language plpgsql volatile security definer set search_path = '' set lock_timeout = '5s' as $$
declare
  lines constant bigint := coalesce(
    (select sum(source.line_count) from public.sources source where source.tenant_id = tenant),
    0);
  in_pairs constant bigint := coalesce((
    select sum(source.line_count)
    from public.pairs pair
    join public.sources source on source.tenant_id = pair.tenant_id
      and source.source_no in (pair.left_source_no, pair.right_source_no)
    where pair.tenant_id = tenant and pair.opening is null), 0);
  matched constant bigint := coalesce(
    (select sum(matched_count.lines) from private.matched_counts matched_count
      where matched_count.tenant_id = tenant),
    0);
  stale record;
begin
  for stale in
    -- A match has two lines, and seldom more than four.
    select *
    from (values ('public.lines', lines), ('private.open_lines', in_pairs - matched),
      ('public.match_members', matched),
      ('public.matches', matched / 4), ('public.exceptions', 0),
      ('private.exception_lines', 0)) expected (of_table, rows)
  loop
    if anyway or stale.rows > 10000
      and stale.rows > (select relation.reltuples / 300 from pg_class relation
        where relation.oid = stale.of_table::regclass)
      and private.expected_rows(tenant, stale.of_table) <= stale.rows / 4 then
      execute 'analyze ' || stale.of_table;
    end if;
  end loop;
exception when lock_not_available then
  null;
end $$;
grant execute on function private.refresh_statistics(text, boolean) to service_role;
