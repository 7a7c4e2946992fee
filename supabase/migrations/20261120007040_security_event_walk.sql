-- Walks in steps of numbers: with the end of the chain as its only bound, each page sorted all that was left of it.

create function private.security_event_texts(after bigint, through bigint, page_size integer) returns jsonb
language sql stable set search_path = '' as $$
  select jsonb_agg(to_jsonb(e) order by e.seq::bigint, e.id)
  from (
    select x.seq::text, x.prev_hash, x.hash, x.id, private.iso(x.at) as at, x.type, x.actor, x.credential, x.home_tenant_id,
      x.cross_tenant::text, x.operation, x.target, host(x.address) as address, x.request_id, x.reason, x.details::text
    from public.security_events x
    where x.tenant_id = private.tenant_id() and coalesce(x.tenant_id, '*') = private.tenant_id() and x.seq > after and x.seq <= through
    order by x.seq, x.id
    limit page_size
  ) e;
$$;
grant execute on function private.security_event_texts(bigint, bigint, integer) to authenticated;

-- input: { after: seq, through: seq, limit }: events as the texts that their hash is made of. A later step of what
-- open_security_event_chain opened. Past a gap wider than a step it looks on to the end.
create or replace function public.walk_security_event_chain(input jsonb, request jsonb) returns jsonb
language plpgsql volatile set search_path = '' as $$
declare
  after constant bigint := input ->> 'after';
  through constant bigint := input ->> 'through';
  page_size constant integer := input ->> 'limit';
begin
  perform private.enter(request || '{"continues": true}', '{tenant_admin}', '{}');
  return coalesce(
    private.security_event_texts(after, least(through, after + page_size), page_size),
    private.security_event_texts(after, through, page_size),
    '[]'
  );
end $$;
