-- Tables in partitions by time, which are dropped whole, in a schema of their own that nobody
-- reaches. The first has no beginning, and the last no end until the next is made: a row is never
-- without a place.

-- By what each is divided: by time, or by IDs of a prefix, which begin with their millisecond. A
-- partition is dropped `kept` after its end, while no row of it is as `unless` says, and
-- `goes_after` has none that is as old.
create function private.partitioned()
returns table (parent text, prefix text, span interval, kept interval, unless text, goes_after text)
language plpgsql immutable set search_path = '' as $$
begin
  return query values
    ('request_log', null, interval '1 day', interval '14 days', 'false', null),
    ('webhook_deliveries', 'dlv', interval '10 days', interval '30 days', 'status = ''pending''',
      null),
    ('webhook_attempts', 'dlv', interval '10 days', interval '30 days', 'false',
      'webhook_deliveries'),
    ('events', 'evt', interval '10 days', interval '30 days', 'false', 'webhook_deliveries');
end $$;

-- A moment as the bound of a partition, and back.
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
  select c.relname::text, private.partition_moment(b.bounds[1]),
    private.partition_moment(b.bounds[2])
  from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
  cross join lateral regexp_match(pg_catalog.pg_get_expr(c.relpartbound, c.oid),
    '^FOR VALUES FROM \((.*)\) TO \((.*)\)$') b (bounds)
  where i.inhparent = to_regclass('public.' || quote_ident($1));
end $$;

-- Gives the last partition an end, and makes the next one after it: a day before that is needed,
-- while the last is empty, which makes both quick. What it has from beyond that end, of a clock
-- that was ahead, moves on. Answers whether it did.
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
  select * into ending from private.partitions_of(parent) p where p.ends = 'infinity';
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
  select string_agg(quote_ident(a.attname), ', ') into columns
  from pg_catalog.pg_attribute a
    where a.attrelid = to_regclass('public.' || quote_ident(parent)) and a.attnum > 0
      and not a.attisdropped;
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

-- Does one thing that is due: makes a table's next partition, or drops the oldest that is past.
-- Answers how many it made or dropped. A reader holds it up for no longer than lock_timeout, and
-- nobody waits behind it for longer; it is tried again then.
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
    select t.parent, t.unless, p.name
    from private.partitioned() t
    cross join lateral private.partitions_of(t.parent) p
    where p.ends <= at - t.kept
      and not exists (select from private.partitions_of(t.goes_after) g where g.begins < p.ends)
    order by p.ends, t.parent
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
