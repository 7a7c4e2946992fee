-- Tables that are partitioned by time; partitions are dropped whole. They lie in a schema that
-- nobody can reach directly. The first partition has no lower bound, and the last has no upper
-- bound until the next is created, so every row has a place.

-- How each table is partitioned: by time, or by prefixed IDs, which begin with their millisecond. A
-- partition is dropped `kept` after its end, unless a row of it meets the condition `unless`, or
-- `goes_after` has rows of the same age.
create function private.partitioned()
returns table (parent text, prefix text, span interval, kept interval, unless text, goes_after text)
language plpgsql immutable set search_path = '' as $$
begin
  return query values
    ('request_log', null, interval '1 day', interval '14 days', 'false', null),
    ('webhook_deliveries', 'dlv', interval '10 days', interval '30 days', 'status = ''pending''',
      null),
    ('webhook_attempts', 'dlv', interval '10 days', interval '30 days',
      'false', 'webhook_deliveries'),
    ('events', 'evt', interval '10 days', interval '30 days', 'false', 'webhook_deliveries');
end $$;

-- Converts a moment to the bound of a partition, and back.
create function private.partition_bound(prefix text, at timestamptz) returns text
language plpgsql stable set search_path = '' as $$
begin
  return case
    when at = '-infinity' then 'minvalue'
    when at = 'infinity' then 'maxvalue'
    when prefix is null then quote_literal(at)
    else quote_literal(prefix || '_'
      || lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'))
  end;
end $$;
create function private.partition_moment(bound text) returns timestamptz
language plpgsql stable set search_path = '' as $$
begin
  return case
    when bound = 'MINVALUE' then '-infinity'
    when bound = 'MAXVALUE' then 'infinity'
    when bound ~ '^''[a-z]+_' then to_timestamp(
      ('x' || substr(bound, strpos(bound, '_') + 1, 12))::bit(48)::bigint / 1000.0)
    else trim(bound, '''')::timestamptz
  end;
end $$;

create function private.partitions_of(parent text) returns table (name text, begins timestamptz,
  ends timestamptz)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select class.relname::text, private.partition_moment(range.bounds[1]),
    private.partition_moment(range.bounds[2])
  from pg_catalog.pg_inherits inheritance join pg_catalog.pg_class class
    on class.oid = inheritance.inhrelid
  cross join lateral regexp_match(pg_catalog.pg_get_expr(class.relpartbound, class.oid),
    '^FOR VALUES FROM \((.*)\) TO \((.*)\)$') range (bounds)
  where inheritance.inhparent = to_regclass('public.' || quote_ident($1));
end $$;

-- Gives the last partition an upper bound and creates the next one, a day before it is needed: the
-- last partition is empty then, which makes both quick. Rows beyond the bound, from a clock that
-- was ahead, are moved. Returns whether it did.
create function private.extend_partitions(parent text, prefix text, span interval,
  at timestamptz) returns boolean
language plpgsql volatile set search_path = '' as $$
declare
  ending record;
  next_begins timestamptz;
  next_name text;
  bound text;
  columns text;
begin
  select * into ending from private.partitions_of(parent) partition
  where partition.ends = 'infinity';
  if ending.begins > at + interval '1 day' then
    return false;
  end if;
  next_begins := date_bin(span, greatest(at + interval '1 day', ending.begins),
    '2024-01-01 00:00:00+00')
    + span;
  bound := private.partition_bound(prefix, next_begins);
  next_name := parent || '_' || to_char(next_begins at time zone 'UTC', 'YYYYMMDD');
  execute format('create table partitions.%I (like public.%I including all excluding identity)',
    next_name, parent);
  execute format('alter table partitions.%I enable row level security', next_name);
  execute format('alter table public.%I detach partition partitions.%I', parent, ending.name);
  select string_agg(quote_ident(attribute.attname), ', ') into columns
  from pg_catalog.pg_attribute attribute
    where attribute.attrelid = to_regclass('public.' || quote_ident(parent))
      and attribute.attnum > 0
      and not attribute.attisdropped;
  execute format(
    'with ahead as (delete from partitions.%I where %s >= %s returning %s) insert into partitions.%I (%4$s) select %4$s from ahead',
    ending.name,
    substring(
      pg_catalog.pg_get_partkeydef(to_regclass('public.' || quote_ident(parent))) from '\((.*)\)'),
    bound, columns, next_name);
  execute format(
    'alter table public.%I attach partition partitions.%I for values from (%s) to (%s)',
    parent, ending.name, private.partition_bound(prefix, ending.begins), bound);
  execute format(
    'alter table public.%I attach partition partitions.%I for values from (%s) to (maxvalue)',
    parent, next_name, bound);
  return true;
end $$;

-- Performs one step that is due: creates a table's next partition, or drops the oldest that has
-- expired. Returns how many it created or dropped. It waits for readers no longer than
-- lock_timeout, and so nobody waits behind it for longer; the next call tries again.
create function private.roll_partitions(at timestamptz default now()) returns integer
language plpgsql volatile security definer set search_path = '' set lock_timeout = '500ms' as $$
declare
  divided record;
  past record;
  is_needed boolean;
begin
  perform pg_advisory_xact_lock(hashtextextended('roll_partitions', 0));
  for divided in select * from private.partitioned() loop
    if private.extend_partitions(divided.parent, divided.prefix, divided.span, at) then
      return 1;
    end if;
  end loop;
  for past in
    select partitioned_table.parent, partitioned_table.unless, partition.name
    from private.partitioned() partitioned_table
    cross join lateral private.partitions_of(partitioned_table.parent) partition
    where partition.ends <= at - partitioned_table.kept
      and not exists (select
        from private.partitions_of(partitioned_table.goes_after) prior_partition
        where prior_partition.begins < partition.ends)
    order by partition.ends, partitioned_table.parent
  loop
    execute format('lock table only public.%I in access exclusive mode', past.parent);
    execute format('select exists (select from partitions.%I where %s)', past.name,
      past.unless) into is_needed;
    if not is_needed then
      execute format('drop table partitions.%I', past.name);
      return 1;
    end if;
  end loop;
  return 0;
end $$;
grant execute on function private.roll_partitions(timestamptz) to service_role;
