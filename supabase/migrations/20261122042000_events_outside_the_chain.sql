-- Events outside the chain: one with a number that the chain did not give would be listed and never walked over.

create or replace function private.chain_state(chain text) returns jsonb
language sql stable security definer set search_path = ''
return jsonb_build_object(
  'chain', $1, 'as_of', private.iso(now()),
  'head', (select jsonb_build_object('seq', h.seq, 'hash', h.hash) from private.security_event_heads h where h.chain = $1 and h.seq > 0),
  'unchained', (
    select min(e.id) from public.security_events e
    where coalesce(e.tenant_id, '*') = $1 and (
      e.seq is null or e.seq < 1 or e.seq > coalesce((select h.seq from private.security_event_heads h where h.chain = $1), 0)
    )
  ),
  'checkpoints', (
    select coalesce(jsonb_agg(jsonb_build_object(
      'kind', c.kind, 'seq', c.seq, 'hash', c.hash, 'at', private.iso(c.at), 'key_id', c.key_id, 'signature', c.signature
    ) order by c.seq), '[]')
    from private.security_event_checkpoints c where c.chain = $1
  )
);
