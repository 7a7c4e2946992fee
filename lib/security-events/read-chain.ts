import { z } from "zod";
import { type ChainedEvent, chainedEvent } from "./chain.ts";
import { type ChainState, chainState, type ReadChain } from "./verify-chain.ts";

/** Queries the database on a direct connection of the worker or an operator. */
export type Query = (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>;

const PAGE_EVENTS = 5000;

const iso = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * Reads plain columns, here and below: the verification must not trust what a database function
 * computes.
 */
const STATE = `select $1::text as chain, ${iso("now()")} as as_of,
  (select json_build_object('seq', h.seq, 'hash', h.hash) from private.security_event_heads h
    where h.chain = $1 and h.seq > 0) as head,
  least(
    (select min(e.id) from public.security_events e where e.chain = $1 and e.seq is null),
    (select min(e.id) from public.security_events e where e.chain = $1 and e.seq < 1),
    (select min(e.id) from public.security_events e where e.chain = $1
      and e.seq > coalesce((select h.seq from private.security_event_heads h where h.chain = $1),
        0)),
    (select min(e.id) from public.security_events e where e.tenant_id = $1 and e.chain <> $1)
  ) as unchained,
  (select coalesce(json_agg(json_build_object(
    'kind', c.kind, 'seq', c.seq, 'hash', c.hash, 'at', ${iso("c.at")}, 'key_id', c.key_id,
      'signature', c.signature
  ) order by c.seq), '[]') from private.security_event_checkpoints c
    where c.chain = $1) as checkpoints`;

const EVENTS = `select e.seq::text, prev_hash, hash, id, ${iso("at")} as at, type, actor,
  actor_issuer, actor_subject, credential, home_tenant_id, cross_tenant::text, operation, target,
    host(address) as address, request_id, reason, details::text
from public.security_events e
where e.chain = $1 and coalesce(e.tenant_id, '*') = $1 and e.seq is not null and e.seq > $2
  and e.seq <= $3 order by e.seq, e.id limit ${PAGE_EVENTS}`;

const events = z.array(chainedEvent);

export function chainReader(query: Query, chain: string): ReadChain {
  return async (after, through): Promise<ChainedEvent[]> =>
    events.parse((await query(EVENTS, [chain, after, through])).rows);
}

export async function readChainState(query: Query, chain: string): Promise<ChainState> {
  const { rows } = await query(STATE, [chain]);
  return z.tuple([chainState]).parse(rows)[0];
}
