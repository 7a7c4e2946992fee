-- Citus's functions as far as distribute.sql calls them: they distribute nothing, record what was
-- asked for and refuse what Citus's documentation says it refuses.
create table pg_dist_partition (
  logicalrelid regclass primary key,
  -- Null: a reference table.
  by_column text
);
create table distributed_functions (name regprocedure primary key, by_argument text);

create function create_reference_table(t regclass) returns void language plpgsql as $$
declare
  refused text;
begin
  select format('%s: the foreign key %s leads to no reference table', t, f.conname) into refused
  from pg_constraint f
  where f.conrelid = t and f.contype = 'f' and f.confrelid <> t
    and f.confrelid not in (select p.logicalrelid from pg_dist_partition p
      where p.by_column is null);
  if found then
    raise exception '%', refused;
  end if;
  insert into pg_dist_partition values (t, null);
end $$;

create function create_distributed_table(t regclass, by_column text,
  colocate_with text default 'default') returns void language plpgsql as $$
declare
  refused text;
begin
  select format('%s: the unique key %s lacks %s', t, i.indexrelid::regclass, by_column)
  into refused
  from pg_index i
  join pg_attribute a on a.attrelid = t and a.attname = by_column
  where i.indrelid = t and i.indisunique and a.attnum <> all (i.indkey::int2[]);
  if found then
    raise exception '%', refused;
  end if;
  select format('%s: the foreign key %s leaves the shard', t, f.conname) into refused
  from pg_constraint f
  join pg_attribute a on a.attrelid = t and a.attname = by_column
  left join pg_dist_partition o on o.logicalrelid = f.confrelid
  left join pg_attribute b on b.attrelid = f.confrelid and b.attname = o.by_column
  where f.conrelid = t and f.contype = 'f'
    and case
      when f.confrelid = t then array_position(f.conkey, a.attnum) is null
      when o.logicalrelid is null then true
      when o.by_column is null then false
      else array_position(f.conkey, a.attnum) is distinct from array_position(f.confkey, b.attnum)
        or array_position(f.conkey, a.attnum) is null
    end;
  if found then
    raise exception '%', refused;
  end if;
  if exists (select from pg_attribute a where a.attrelid = t and a.attidentity <> ''
    and a.atttypid <> 'bigint'::regtype) then
    raise exception '%: identity columns have to be bigint', t;
  end if;
  insert into pg_dist_partition values (t, by_column);
end $$;

create function create_distributed_function(f regprocedure, by_argument text default null,
  colocate_with text default 'default') returns void language plpgsql as $$
begin
  insert into distributed_functions values (f, by_argument);
end $$;
