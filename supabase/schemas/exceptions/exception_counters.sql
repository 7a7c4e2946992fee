-- Exception counters: how many exceptions are open and how much money they hold, by deadline,
-- assignee and reconciliation; and how many were breached and closed in each hour. They are updated
-- in the transaction of each change, so that a page of sums costs the same with a million
-- exceptions as with ten.
-- One process at a time writes the rows of a shard, ensured by its row in private.sla_counts, so
-- that processes don't wait for each other. Shard 0 holds what the worker has merged.

-- `due_from`: the UTC hour of the deadline; infinity: paused; -infinity: deadlines that passed in
-- an earlier hour. Empty: no assignee, no amount.
create table private.open_by_deadline (
  tenant_id text not null,
  due_from timestamptz not null,
  assigned_to text not null,
  currency text not null,
  shard integer not null,
  open_count bigint not null,
  amount_minor numeric not null,
  primary key (tenant_id, due_from, assigned_to, currency, shard)
) with (fillfactor = 70);
create index open_by_deadline_unfolded on private.open_by_deadline (tenant_id) where shard <> 0;

-- The same for all deadlines together.
create table private.open_by_assignee (
  tenant_id text not null,
  assigned_to text not null,
  currency text not null,
  shard integer not null,
  open_count bigint not null,
  amount_minor numeric not null,
  primary key (tenant_id, assigned_to, currency, shard)
) with (fillfactor = 70);
create index open_by_assignee_unfolded on private.open_by_assignee (tenant_id) where shard <> 0;

create table private.open_by_reconciliation (
  tenant_id text not null,
  reconciliation_id text not null,
  currency text not null,
  shard integer not null,
  open_count bigint not null,
  amount_minor numeric not null,
  primary key (tenant_id, reconciliation_id, currency, shard)
) with (fillfactor = 70);
create index open_by_reconciliation_unfolded on private.open_by_reconciliation (tenant_id)
where shard <> 0;

-- Exceptions, from the ledger: each at most once per UTC day, however often it was reopened.
create table private.exception_hours (
  tenant_id text not null,
  hour timestamptz not null,
  shard integer not null,
  breached_count bigint not null,
  closed_count bigint not null,
  primary key (tenant_id, hour, shard)
) with (fillfactor = 70);

alter table private.open_by_deadline enable row level security;
alter table private.open_by_assignee enable row level security;
alter table private.open_by_reconciliation enable row level security;
alter table private.exception_hours enable row level security;

-- Adds exceptions to the counters: `signs` is 1 for what is open now, -1 for what was open before.
create function private.count_open(
  tenants text[], due_ats timestamptz[], assignees text[], reconciliations text[],
  currencies text[], amounts bigint[], signs integer[]
) returns void
language plpgsql volatile set search_path = '' as $$
declare
  own_shard constant integer := private.own_shard();
begin
  perform
  from private.sla_counts counter
  where counter.tenant_id = any (tenants) and counter.shard = own_shard
  order by counter.tenant_id for update;
  with changed as materialized (
    select change.tenant_id, date_trunc('hour', change.due_at, 'UTC') as due_from,
      coalesce(change.assigned_to, '') as assigned_to,
      coalesce(change.reconciliation_id, '') as reconciliation_id,
      coalesce(change.currency, '') as currency, change.sign,
      change.sign * coalesce(change.amount_minor, 0)::numeric as minor
    from unnest(tenants, due_ats, assignees, reconciliations, currencies, amounts, signs)
      as change (tenant_id, due_at, assigned_to, reconciliation_id, currency, amount_minor, sign)
  ), by_deadline as (
    insert into private.open_by_deadline as counter (tenant_id, due_from, assigned_to, currency,
      shard, open_count, amount_minor)
    select change.tenant_id, change.due_from, change.assigned_to, change.currency, own_shard,
      sum(change.sign), sum(change.minor)
    from changed change group by 1, 2, 3, 4 having sum(change.sign) <> 0 or sum(change.minor) <> 0
      order by 1, 2, 3, 4
    on conflict on constraint open_by_deadline_pkey do update set
      open_count = counter.open_count + excluded.open_count,
      amount_minor = counter.amount_minor + excluded.amount_minor
  ), by_assignee as (
    insert into private.open_by_assignee as counter (tenant_id, assigned_to, currency, shard,
      open_count, amount_minor)
    select change.tenant_id, change.assigned_to, change.currency, own_shard, sum(change.sign),
      sum(change.minor)
    from changed change group by 1, 2, 3 having sum(change.sign) <> 0 or sum(change.minor) <> 0
    order by 1, 2, 3
    on conflict on constraint open_by_assignee_pkey do update set
      open_count = counter.open_count + excluded.open_count,
      amount_minor = counter.amount_minor + excluded.amount_minor
  )
  insert into private.open_by_reconciliation as counter (tenant_id, reconciliation_id, currency,
    shard, open_count, amount_minor)
  select change.tenant_id, change.reconciliation_id, change.currency, own_shard, sum(change.sign),
    sum(change.minor)
  from changed change group by 1, 2, 3 having sum(change.sign) <> 0 or sum(change.minor) <> 0
  order by 1, 2, 3
  on conflict on constraint open_by_reconciliation_pkey do update set
    open_count = counter.open_count + excluded.open_count,
    amount_minor = counter.amount_minor + excluded.amount_minor;
end $$;

-- Counts changed exceptions. Call it after update_clocks, which locks the row of the shard first.
create function private.update_counters(exception_changes private.exception_change[]) returns void
language plpgsql volatile set search_path = '' as $$
declare
  totals record;
begin
  with changed as (
    select change.before, change.after
    from unnest(exception_changes) change cross join lateral (select (change.before).*) old_keys
      cross join lateral (select (change.after).*) new_keys
    where (old_keys.status in ('open', 'in_review'), old_keys.due_at, old_keys.assigned_to,
      old_keys.reconciliation_id,
      old_keys.currency, old_keys.amount_minor)
      is distinct from (new_keys.status in ('open', 'in_review'), new_keys.due_at,
        new_keys.assigned_to,
        new_keys.reconciliation_id, new_keys.currency, new_keys.amount_minor)
  )
  select array_agg(counted_change.tenant_id) as tenants,
    array_agg(counted_change.due_at) as due_ats,
    array_agg(counted_change.assigned_to) as assignees,
    array_agg(counted_change.reconciliation_id) as reconciliations,
    array_agg(counted_change.currency) as currencies,
    array_agg(counted_change.amount_minor) as amounts,
    array_agg(counted_change.sign) as signs
  into totals
  from (select (before).*, -1 as sign from changed union all select (after).*, 1
    from changed) counted_change
  where counted_change.status in ('open', 'in_review');
  if totals.tenants is not null then
    perform private.count_open(totals.tenants, totals.due_ats, totals.assignees,
      totals.reconciliations, totals.currencies,
      totals.amounts, totals.signs);
  end if;
end $$;

create function private.is_breach(kind text, threshold_minutes integer) returns boolean
language plpgsql immutable set search_path = '' as $$
begin
  return kind = 'crossed' and threshold_minutes = 0;
end $$;

create function private.count_ledger_rows() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into private.exception_hours as counter (tenant_id, hour, shard, breached_count,
    closed_count)
  select ended.tenant_id, date_trunc('hour', ended.at, 'UTC'), private.own_shard(),
    count(*) filter (where ended.kind = 'crossed'), count(*) filter (where ended.kind <> 'crossed')
  from written ended
  where (private.is_breach(ended.kind, ended.threshold_minutes)
    or ended.kind in ('resolved', 'dismissed'))
    and not exists (
    select from public.exception_ledger ledger_entry
    where ledger_entry.tenant_id = ended.tenant_id
      and ledger_entry.exception_id = ended.exception_id and ledger_entry.id < ended.id
      and ledger_entry.at >= date_trunc('day', ended.at, 'UTC')
      and case when ended.kind = 'crossed' then private.is_breach(ledger_entry.kind,
        ledger_entry.threshold_minutes)
      else ledger_entry.kind in ('resolved', 'dismissed') end
  )
  group by 1, 2 order by 1, 2
  on conflict on constraint exception_hours_pkey do update set
    breached_count = counter.breached_count + excluded.breached_count,
    closed_count = counter.closed_count + excluded.closed_count;
  return null;
end $$;
create trigger count_written after insert on public.exception_ledger
  referencing new table as written for each statement execute function private.count_ledger_rows();

create function private.merge_deadline_counters(batch integer) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  this_hour constant timestamptz := date_trunc('hour', now(), 'UTC');
  merged integer;
begin
  with removed as (
    delete from private.open_by_deadline counter where counter.ctid = any (array(
      select mergeable.ctid from private.open_by_deadline mergeable
      where mergeable.shard <> 0
        or (mergeable.due_from < this_hour and mergeable.due_from > '-infinity')
      limit batch for update skip locked
    )) returning counter.*
  ), folded as (
    insert into private.open_by_deadline as counter (tenant_id, due_from, assigned_to, currency,
      shard,
      open_count, amount_minor)
    select removed.tenant_id, case when removed.due_from < this_hour then '-infinity'
      else removed.due_from end,
      removed.assigned_to, removed.currency, 0, sum(removed.open_count), sum(removed.amount_minor)
    from removed
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4
    on conflict on constraint open_by_deadline_pkey do update set
      open_count = counter.open_count + excluded.open_count,
      amount_minor = counter.amount_minor + excluded.amount_minor
  )
  select count(*) into merged from removed;
  delete from private.open_by_deadline counter
  where counter.shard = 0 and counter.open_count = 0 and counter.amount_minor = 0;
  return merged;
end $$;

create function private.merge_assignee_counters(batch integer) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  merged integer;
begin
  with removed as (
    delete from private.open_by_assignee counter where counter.ctid = any (array(
      select mergeable.ctid from private.open_by_assignee mergeable
      where mergeable.shard <> 0
      limit batch for update skip locked
    )) returning counter.*
  ), folded as (
    insert into private.open_by_assignee as counter (tenant_id, assigned_to, currency, shard,
      open_count,
      amount_minor)
    select removed.tenant_id, removed.assigned_to, removed.currency, 0,
      sum(removed.open_count), sum(removed.amount_minor)
    from removed
    group by 1, 2, 3
    order by 1, 2, 3
    on conflict on constraint open_by_assignee_pkey do update set
      open_count = counter.open_count + excluded.open_count,
      amount_minor = counter.amount_minor + excluded.amount_minor
  )
  select count(*) into merged from removed;
  delete from private.open_by_assignee counter
  where counter.shard = 0 and counter.open_count = 0 and counter.amount_minor = 0;
  return merged;
end $$;

create function private.merge_reconciliation_counters(batch integer) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  merged integer;
begin
  with removed as (
    delete from private.open_by_reconciliation counter where counter.ctid = any (array(
      select mergeable.ctid from private.open_by_reconciliation mergeable
      where mergeable.shard <> 0
      limit batch for update skip locked
    )) returning counter.*
  ), folded as (
    insert into private.open_by_reconciliation as counter (tenant_id, reconciliation_id, currency,
      shard,
      open_count, amount_minor)
    select removed.tenant_id, removed.reconciliation_id, removed.currency, 0,
      sum(removed.open_count), sum(removed.amount_minor)
    from removed
    group by 1, 2, 3
    order by 1, 2, 3
    on conflict on constraint open_by_reconciliation_pkey do update set
      open_count = counter.open_count + excluded.open_count,
      amount_minor = counter.amount_minor + excluded.amount_minor
  )
  select count(*) into merged from removed;
  delete from private.open_by_reconciliation counter
  where counter.shard = 0 and counter.open_count = 0 and counter.amount_minor = 0;
  return merged;
end $$;

-- Hours older than 31 days are dropped.
create function private.merge_hour_counters(batch integer) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  merged integer;
begin
  with removed as (
    delete from private.exception_hours counter where counter.ctid = any (array(
      select mergeable.ctid from private.exception_hours mergeable
      where mergeable.shard <> 0 and mergeable.hour < date_trunc('hour', now(), 'UTC')
        or mergeable.hour < now() - interval '31 days'
      limit batch for update skip locked
    )) returning counter.*
  ), folded as (
    insert into private.exception_hours as counter (tenant_id, hour, shard, breached_count,
      closed_count)
    select removed.tenant_id, removed.hour, 0, sum(removed.breached_count),
      sum(removed.closed_count)
    from removed
    where removed.hour >= now() - interval '31 days'
    group by 1, 2
    order by 1, 2
    on conflict on constraint exception_hours_pkey do update set
      breached_count = counter.breached_count + excluded.breached_count,
      closed_count = counter.closed_count + excluded.closed_count
  )
  select count(*) into merged from removed;
  return merged;
end $$;

-- Merges shards into one, and past deadlines into one row; deletes hours after 31 days. Returns how
-- many rows it merged if that was a whole batch, else 0. Only one call runs at a time, so shard 0
-- has no second writer.
create function private.merge_exception_counters(batch integer default 10000) returns integer
language plpgsql volatile security definer set search_path = '' as $$
declare
  merged integer[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended('fold_exception_counters', 0)) then
    return 0;
  end if;
  merged := array[private.merge_deadline_counters(batch), private.merge_assignee_counters(batch),
    private.merge_reconciliation_counters(batch), private.merge_hour_counters(batch)];
  return (
    select case when max(merged_count) >= batch then sum(merged_count) else 0 end
    from unnest(merged) merged_count
  );
end $$;

-- Recomputes all counters, for a database whose exceptions are older than the counters, and after
-- the ledger was changed by hand.
create function private.recount_exceptions() returns void
language plpgsql volatile security definer set search_path = '' as $$
begin
  lock table public.exceptions, public.exception_ledger in share row exclusive mode;
  delete from private.open_by_deadline;
  insert into private.open_by_deadline (tenant_id, due_from, assigned_to, currency, shard,
    open_count, amount_minor)
  select exception.tenant_id, date_trunc('hour', exception.due_at, 'UTC'),
    coalesce(exception.assigned_to, ''),
    coalesce(exception.currency, ''), 0, count(*), coalesce(sum(exception.amount_minor), 0)
  from public.exceptions exception where exception.status in ('open', 'in_review')
  group by 1, 2, 3, 4;
  delete from private.open_by_assignee;
  insert into private.open_by_assignee (tenant_id, assigned_to, currency, shard, open_count,
    amount_minor)
  select of_deadline.tenant_id, of_deadline.assigned_to, of_deadline.currency, 0,
    sum(of_deadline.open_count), sum(of_deadline.amount_minor)
  from private.open_by_deadline of_deadline
  group by 1, 2, 3;
  delete from private.open_by_reconciliation;
  insert into private.open_by_reconciliation (tenant_id, reconciliation_id, currency, shard,
    open_count, amount_minor)
  select exception.tenant_id, coalesce(exception.reconciliation_id, ''),
    coalesce(exception.currency, ''), 0, count(*), coalesce(sum(exception.amount_minor), 0)
  from public.exceptions exception where exception.status in ('open', 'in_review') group by 1, 2, 3;
  delete from private.exception_hours;
  insert into private.exception_hours (tenant_id, hour, shard, breached_count, closed_count)
  select daily.tenant_id, daily.hour, 0, count(*) filter (where daily.is_breach),
    count(*) filter (where not daily.is_breach)
  from (
    select distinct
      on (ledger_entry.tenant_id, ledger_entry.exception_id, ledger_entry.kind = 'crossed',
        date_trunc('day', ledger_entry.at, 'UTC'))
      ledger_entry.tenant_id, date_trunc('hour', ledger_entry.at, 'UTC') as hour,
      ledger_entry.kind = 'crossed' as is_breach
    from public.exception_ledger ledger_entry
    where ledger_entry.at >= now() - interval '31 days'
      and (private.is_breach(ledger_entry.kind, ledger_entry.threshold_minutes)
        or ledger_entry.kind in ('resolved', 'dismissed'))
    order by ledger_entry.tenant_id, ledger_entry.exception_id, ledger_entry.kind = 'crossed',
      date_trunc('day', ledger_entry.at, 'UTC'), ledger_entry.at
  ) daily
  group by 1, 2;
end $$;

grant execute on function private.merge_exception_counters(integer) to service_role;
