-- Locks of a pair, in the one order in which everyone takes them: its sources, the pair, its
-- period, its lines. Why: docs/decisions/0022-lock-order.md. A statement that runs after one of
-- these functions sees what earlier holders of the lock have done.

create function private.lock_of_source(tenant text, source_no integer) returns bigint
language plpgsql immutable set search_path = '' as $$
begin
  return hashtextextended('source ' || tenant || ' ' || source_no, 0);
end $$;

-- For a transaction that adds or removes lines of a source; several may at the same time.
create function private.lock_source(tenant text, source_no integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform pg_advisory_xact_lock_shared(private.lock_of_source(tenant, source_no));
end $$;

-- For a transaction that needs all lines of sources to stay as they are: a changed sign or
-- currency, a pair that opens, a period that closes. Nobody adds or removes lines until it ends.
-- Refuses: conflict if it would wait longer than a call should, since others wait behind it.
create function private.lock_sources_exclusively(tenant text, source_nos integer[]) returns void
language plpgsql volatile set search_path = '' set lock_timeout = '4s' as $$
declare
  source_no integer;
begin
  for source_no in select listed.no from unnest(source_nos) listed (no) order by listed.no loop
    perform pg_advisory_xact_lock(private.lock_of_source(tenant, source_no));
  end loop;
exception when lock_not_available then
  perform private.refuse_conflict('lines_changing',
    'Lines of these sources are coming in or being removed. Wait until that is done, and send the call again.');
end $$;

-- The same without waiting. Returns whether all locks are held.
create function private.try_lock_sources_exclusively(tenant text,
  source_nos integer[]) returns boolean
language plpgsql volatile set search_path = '' as $$
begin
  return (select bool_and(pg_try_advisory_xact_lock(private.lock_of_source(tenant, source_no)))
    from unnest(source_nos) source_no);
end $$;

create function private.lock_pair(tenant text, pair integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform from public.pairs where pairs.tenant_id = tenant and pairs.pair_no = pair
    for no key update;
end $$;

create function private.lock_pairs_of_source(tenant text, source_no integer) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform from public.pairs pair
  where pair.tenant_id = tenant
    and lock_pairs_of_source.source_no in (pair.left_source_no, pair.right_source_no)
  order by pair.pair_no for no key update;
end $$;

-- Locks the pair of one of the caller's reconciliations, before its row is locked; does nothing
-- without a pair.
create function private.lock_pair_of(reconciliation text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.lock_pair(period.tenant_id, period.pair_no) from public.reconciliations period
  where period.tenant_id = private.tenant_id() and period.id = reconciliation
    and period.pair_no is not null;
end $$;

-- A period of the tenant, locked for writing with its pair. Refuses: not_found; conflict if it has
-- no sources, is being prepared or closed, is closed or archived.
create function private.lock_period(tenant text, reconciliation text) returns public.reconciliations
language plpgsql volatile security definer set search_path = '' as $$
declare
  period public.reconciliations;
begin
  select * into period
  from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation;
  if not found then
    perform private.refuse_missing('reconciliation');
  elsif period.pair_no is null then
    perform private.refuse_conflict('no_sources',
      'This reconciliation has no sources. Create one with left_source_id and right_source_id to match lines.');
  end if;
  perform private.require_prepared(tenant, period.pair_no);
  perform private.lock_pair(tenant, period.pair_no);
  select * into period
  from public.reconciliations
  where reconciliations.tenant_id = tenant and reconciliations.id = reconciliation
    for no key update;
  if period.closed_at is not null then
    perform private.refuse_conflict('period_closed', 'The period is closed. Reopen it first.');
  elsif period.status = 'archived' then
    perform private.refuse_conflict('archived',
      'The reconciliation is archived and can''t be changed.');
  end if;
  perform private.require_not_closing(tenant, period.pair_no, period.id);
  return period;
end $$;

-- The same, after locking the period's sources.
create function private.lock_period_exclusively(tenant text,
  reconciliation text) returns public.reconciliations
language plpgsql volatile security definer set search_path = '' as $$
begin
  -- The transaction that prepares it locks them again and again.
  perform private.require_prepared(period.tenant_id, period.pair_no)
  from public.reconciliations period
  where period.tenant_id = tenant and period.id = reconciliation;
  perform private.lock_sources_exclusively(tenant, array[pair.left_source_no, pair.right_source_no])
  from public.reconciliations period
    join public.pairs pair on pair.tenant_id = period.tenant_id and pair.pair_no = period.pair_no
  where period.tenant_id = tenant and period.id = reconciliation;
  return private.lock_period(tenant, reconciliation);
end $$;
