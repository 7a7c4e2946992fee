-- Statistics: of a tenant that came since a table was looked at the planner expects hardly a row.
-- Whoever has written many of a tenant's rows sees to it, once they are committed, that it knows of
-- them.

-- How many rows of the tenant's the planner expects in a table.
create function private.expected_rows(tenant text, of_table text) returns bigint
language plpgsql volatile set search_path = '' as $$
declare
  plan json;
begin
  execute format('explain (format json) select from %s where tenant_id = %L', of_table,
    tenant) into plan;
  return (plan #>> '{0,Plan,Plan Rows}')::bigint;
end $$;

-- Has the planner look at those of the tenant's tables of which it expects a quarter of the rows
-- that there are, or less, by the counts that are kept; `anyway`: at all of them, and at those of
-- exceptions. Not where there are few rows, or so small a share of a table that its sample would
-- miss them. Where somebody else looks just now, that will do.
create function private.refresh_statistics(tenant text, anyway boolean default false) returns void
language plpgsql volatile security definer set search_path = '' set lock_timeout = '5s' as $$
declare
  lines constant bigint := coalesce(
    (select sum(s.line_count) from public.sources s where s.tenant_id = tenant),
    0);
  in_pairs constant bigint := coalesce((
    select sum(s.line_count)
    from public.pairs p
    join public.sources s on s.tenant_id = p.tenant_id
      and s.source_no in (p.left_source_no, p.right_source_no)
    where p.tenant_id = tenant and p.opening is null), 0);
  matched constant bigint := coalesce(
    (select sum(c.lines) from private.matched_counts c where c.tenant_id = tenant),
    0);
  x record;
begin
  for x in
    -- A match has two lines, and seldom more than four.
    select *
    from (values ('public.lines', lines), ('private.open_lines', in_pairs - matched),
      ('public.match_members', matched),
      ('public.matches', matched / 4), ('public.exceptions', 0),
      ('private.exception_lines', 0)) t (of_table, rows)
  loop
    if anyway or x.rows > 10000
      and x.rows > (select c.reltuples / 300 from pg_class c where c.oid = x.of_table::regclass)
      and private.expected_rows(tenant, x.of_table) <= x.rows / 4 then
      execute 'analyze ' || x.of_table;
    end if;
  end loop;
exception when lock_not_available then
  null;
end $$;
grant execute on function private.refresh_statistics(text, boolean) to service_role;
