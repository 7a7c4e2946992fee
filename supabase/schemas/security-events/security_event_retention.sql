-- What the worker and the operator do with chains: sign them, delete what is past its retention,
-- and set the retention.

create function private.store_security_event_checkpoint(chain text, kind text, seq bigint,
  hash text, at timestamptz, key_id text, signature text)
returns void
language plpgsql volatile set search_path = '' as $$
begin
  insert into private.security_event_checkpoints (chain, kind, seq, hash, at, key_id, signature)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing;
end $$;

-- Chains with events since the last signature, with the state that was signed last.
create function private.unsigned_security_event_chains() returns table (
  chain text, seq bigint, hash text, at text, signed jsonb
)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select chain_head.chain, chain_head.seq, chain_head.hash, private.iso(now()), last.signed
  from private.security_event_heads chain_head left join lateral (
    select checkpoint.seq, private.checkpoint_json(checkpoint) as signed
    from private.security_event_checkpoints checkpoint where checkpoint.chain = chain_head.chain
      and checkpoint.kind = 'head'
      order by checkpoint.seq desc limit 1
  ) last on true
  where chain_head.seq > coalesce(last.seq, 0);
end $$;

-- The beginnings of chains that are past their retention, at most `most` events of each. Only a
-- whole beginning is ever deleted.
create function private.forgettable_security_events(max_count integer default 50000)
returns table (chain text, after bigint, through bigint, hash text, at text)
language plpgsql stable set search_path = '' as $$
begin
  return query
  select chain_head.chain, first.seq - 1, last.seq, last.hash, private.iso(now())
  from private.security_event_heads chain_head
  left join public.tenants tenant on tenant.id = chain_head.chain
  cross join lateral (select now()
    - make_interval(days => coalesce(tenant.security_event_retention_days, 400)) as moment) over
  cross join lateral (
    select event.seq, event.at
    from public.security_events event
    where event.chain = chain_head.chain and event.seq is not null
    order by event.seq
    limit 1
  ) first
  left join lateral (
    select event.seq from public.security_events event
    where event.chain = chain_head.chain and event.seq >= first.seq
      and (event.at >= over.moment or event.seq >= first.seq + max_count)
      order by event.seq limit 1
  ) kept on true
  cross join lateral (
    select event.seq, event.hash from public.security_events event
    where event.chain = chain_head.chain and event.seq < coalesce(kept.seq, chain_head.seq + 1)
    order by event.seq desc limit 1
  ) last
  where first.at < over.moment;
end $$;

-- Signs off a beginning: from now on it may be deleted.
create function private.forget_security_events(chain text, through bigint, hash text,
  at timestamptz, key_id text, signature text) returns void
language plpgsql volatile set search_path = '' as $$
begin
  perform private.store_security_event_checkpoint(chain, 'prefix', through, hash, at, key_id,
    signature);
  perform private.append_security_event(jsonb_build_object(
    'tenant_id', nullif(chain, '*'), 'type', 'security_events.forgotten', 'actor', 'system',
    'credential', 'system',
    'details', jsonb_build_object('through_seq', through)
  ));
end $$;

-- Deletes what was signed off, at most `batch` at a time, and older signed states: one an hour is
-- kept within a day, one a day beyond. Returns how many it deleted.
create function private.purge_security_events(batch integer default 5000) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  events integer;
  checkpoints integer;
begin
  delete from public.security_events event using (
    select forgotten.chain, forgotten.id from (
      select checkpoint.chain, max(checkpoint.seq) as seq
      from private.security_event_checkpoints checkpoint
      where checkpoint.kind = 'prefix'
      group by 1
    ) removed
    join public.security_events forgotten on forgotten.chain = removed.chain
      and forgotten.seq <= removed.seq
    limit batch
  ) old
  where event.chain = old.chain and event.id = old.id;
  get diagnostics events = row_count;
  delete from private.security_event_checkpoints checkpoint using (
    select aged.chain, aged.kind, aged.seq,
      max(aged.seq) over (partition by aged.chain, aged.kind) as newest,
      row_number() over (
      partition by aged.chain, aged.kind,
      date_trunc(case when aged.at > now() - interval '1 day' then 'hour'
        else 'day' end, aged.at at time zone 'UTC')
      order by aged.seq desc
    ) as nth
    from private.security_event_checkpoints aged
    where aged.at < now() - interval '1 hour'
  ) older
  where checkpoint.chain = older.chain and checkpoint.kind = older.kind
    and checkpoint.seq = older.seq and older.nth > 1
    and older.seq < older.newest;
  get diagnostics checkpoints = row_count;
  return events + checkpoints;
end $$;

-- Called by `npm run audit -- retention`, over the operator's connection. Returns the previous
-- number of days. Refuses: not_found for a tenant that does not exist, invalid_request outside of
-- 30 to 3660 days.
create function private.set_security_event_retention(tenant_id text, days integer) returns integer
language plpgsql volatile set search_path = '' as $$
declare
  before integer;
begin
  select tenant.security_event_retention_days into before
  from public.tenants tenant
  where tenant.id = $1 for no key update;
  if not found then
    perform private.refuse('not_found', format('There is no tenant %s.', $1));
  elsif days is null or days not between 30 and 3660 then
    perform private.refuse('invalid_request', 'Must be 30 to 3660 days.');
  end if;
  if days <> before then
    update public.tenants tenant set security_event_retention_days = days where tenant.id = $1;
    perform private.append_security_event(jsonb_build_object(
      'tenant_id', $1, 'type', 'security_events.retention_changed', 'actor', 'operator',
      'credential', 'system',
      'details', jsonb_build_object('days', jsonb_build_object('from', before, 'to', days))
    ));
  end if;
  return before;
end $$;
