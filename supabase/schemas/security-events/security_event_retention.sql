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
  select h.chain, h.seq, h.hash, private.iso(now()), last.signed
  from private.security_event_heads h left join lateral (
    select c.seq, private.checkpoint_json(c) as signed
    from private.security_event_checkpoints c where c.chain = h.chain and c.kind = 'head'
      order by c.seq desc limit 1
  ) last on true
  where h.seq > coalesce(last.seq, 0);
end $$;

-- The beginnings of chains that are past their retention, at most `most` events of each. Only a
-- whole beginning is ever deleted.
create function private.forgettable_security_events(most integer default 50000)
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
      and (event.at >= over.moment or event.seq >= first.seq + most)
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
  delete from public.security_events d using (
    select e.chain, e.id from (
      select c.chain, max(c.seq) as seq
      from private.security_event_checkpoints c
      where c.kind = 'prefix'
      group by 1
    ) gone
    join public.security_events e on e.chain = gone.chain and e.seq <= gone.seq
    limit batch
  ) old
  where d.chain = old.chain and d.id = old.id;
  get diagnostics events = row_count;
  delete from private.security_event_checkpoints c using (
    select x.chain, x.kind, x.seq, max(x.seq) over (partition by x.chain, x.kind) as newest,
      row_number() over (
      partition by x.chain, x.kind,
        date_trunc(case when x.at > now() - interval '1 day' then 'hour'
          else 'day' end, x.at at time zone 'UTC')
      order by x.seq desc
    ) as nth
    from private.security_event_checkpoints x
    where x.at < now() - interval '1 hour'
  ) older
  where c.chain = older.chain and c.kind = older.kind and c.seq = older.seq and older.nth > 1
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
  select t.security_event_retention_days into before
  from public.tenants t
  where t.id = $1 for no key update;
  if not found then
    perform private.refuse('not_found', format('There is no tenant %s.', $1));
  elsif days is null or days not between 30 and 3660 then
    perform private.refuse('invalid_request', 'Must be 30 to 3660 days.');
  end if;
  if days <> before then
    update public.tenants t set security_event_retention_days = days where t.id = $1;
    perform private.append_security_event(jsonb_build_object(
      'tenant_id', $1, 'type', 'security_events.retention_changed', 'actor', 'operator',
      'credential', 'system',
      'details', jsonb_build_object('days', jsonb_build_object('from', before, 'to', days))
    ));
  end if;
  return before;
end $$;
