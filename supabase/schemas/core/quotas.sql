-- Quotas: how many objects of a kind a tenant can have. The operator sets them by the QUOTA_
-- variables, which are written here at every start.

create table private.quotas (
  kind text primary key check (
    kind in ('api_keys', 'webhooks', 'reconciliations', 'sources', 'records', 'exceptions', 'lines',
      'members', 'evidence_mib')),
  maximum bigint not null check (maximum > 0)
);
alter table private.quotas enable row level security;

-- Counts of kinds that have too many rows to be counted each time, in shards, so that the writers
-- of one tenant do not queue for one row.
create table private.row_counts (
  tenant_id text not null references public.tenants (id),
  kind text not null,
  shard integer not null,
  rows bigint not null,
  primary key (tenant_id, kind, shard)
) with (fillfactor = 50);
alter table private.row_counts enable row level security;

-- Counts the rows that a statement added (tg_argv: kind, 1) or removed (kind, -1).
create function private.count_rows() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into private.row_counts as row_count (tenant_id, kind, shard, rows)
  select changed_row.tenant_id, tg_argv[0], private.own_shard(), count(*) * tg_argv[1]::bigint
  from changed changed_row
  group by 1
  order by 1
  on conflict on constraint row_counts_pkey do update set rows = row_count.rows + excluded.rows;
  return null;
end $$;

-- How many objects of a kind count towards the tenant's quota.
create function private.quota_usage(tenant_id text, kind text) returns bigint
language plpgsql stable security definer set search_path = '' as $$
begin
  return case kind
    when 'api_keys' then (
      select count(*) from public.api_keys api_key
      where api_key.tenant_id = $1 and api_key.revoked_at is null
        and (api_key.expires_at is null or api_key.expires_at > now())
        and (api_key.grace_expires_at is null or api_key.grace_expires_at > now()))
    when 'webhooks' then (select count(*) from public.webhooks webhook
      where webhook.tenant_id = $1 and webhook.deleted_at is null)
    when 'reconciliations' then (select count(*) from public.reconciliations period
      where period.tenant_id = $1)
    when 'sources' then (select count(*) from public.sources source where source.tenant_id = $1)
    when 'exceptions' then (select sum(counter.breached + counter.at_risk + counter.on_track)
      from private.sla_counts counter where counter.tenant_id = $1)
    when 'members' then (
      select count(*) from private.accounts_of($1)
    ) + (
      select count(*)
      from public.invitations invitation
      where invitation.tenant_id = $1 and private.invitation_status(invitation) = 'pending')
    when 'lines' then (select sum(source.line_count) from public.sources source
      where source.tenant_id = $1)
    when 'evidence_mib' then (
      select ceil(sum(evidence.bytes)::numeric / 1048576) from public.evidence evidence
      where evidence.tenant_id = $1 and evidence.removed_at is null)
    else (select sum(counter.rows) from private.row_counts counter
      where counter.tenant_id = $1 and counter.kind = $2)
  end;
end $$;

-- How many of a kind a tenant can have; null: no limit. A sandbox has small limits whatever the
-- operator sets: it is for trying, and one call has to be able to empty it.
create function private.quota_limit(tenant_id text, kind text) returns bigint
language plpgsql stable security definer set search_path = '' as $$
begin
  return least((select quota.maximum from private.quotas quota where quota.kind = $2),
    case when private.is_sandbox($1) then
      case kind when 'lines' then 50000 when 'exceptions' then 5000 when 'records' then 5000
        when 'evidence_mib' then 100 else 50 end
    end);
end $$;

-- Refuses: conflict if the tenant would have more of a kind than its quota. Exact for kinds with
-- few objects. For records, exceptions and lines, concurrent transactions are not seen, so that
-- nobody queues.
create function private.enforce_quota(tenant_id text, kind text, added bigint) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  quota constant bigint := private.quota_limit($1, $2);
begin
  if quota is null then
    return;
  end if;
  if kind in ('api_keys', 'webhooks', 'reconciliations', 'sources', 'members') then
    perform pg_advisory_xact_lock(hashtextextended('quota ' || $1 || ' ' || kind, 0));
  end if;
  if coalesce(private.quota_usage($1, kind), 0) + added <= quota then
    return;
  elsif private.is_sandbox($1) then
    perform private.refuse_conflict('quota', format(
      'A sandbox can have at most %s %s. Reset it, or delete some.', quota,
      case kind when 'evidence_mib' then 'MiB of evidence' else replace(kind, '_', ' ') end));
  else
    perform private.refuse_conflict('quota',
      format(
        'A tenant can have at most %s %s (QUOTA_%s). %s, or ask your operator for a larger quota.',
      quota,
      case kind when 'api_keys' then 'active API keys' when 'exceptions' then 'open exceptions'
        when 'members' then 'members and open invitations'
        when 'evidence_mib' then 'MiB of evidence' else kind end,
      upper(kind),
      case kind when 'api_keys' then 'Revoke one' when 'exceptions' then 'Resolve or dismiss some'
        when 'webhooks' then 'Delete one'
        when 'members' then 'Remove a member, or revoke an invitation'
        when 'records' then 'Delete some: they count until they are purged' when 'lines'
          then 'Undo an import'
        when 'evidence_mib' then 'Remove files'
        else 'Use those you have' end));
  end if;
end $$;

-- Serializes writers of one kind in the caller's tenant until they commit: a writer that counted
-- before another had inserted could exceed the quota.
create function private.serialize_counting(kind text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform pg_advisory_xact_lock(
    hashtextextended('count ' || private.tenant_id() || ' ' || kind, 0)
  );
end $$;

-- The same for the caller's tenant.
create function private.require_quota(kind text, added bigint default 1) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.enforce_quota(private.tenant_id(), kind, added);
end $$;
