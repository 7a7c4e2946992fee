import { z } from "zod";
import { type ChainedEvent, chainedEvent } from "./chain.ts";
import { type ChainState, chainState, type ReadChain } from "./verify-chain.ts";

/** A direct connection to the database, of the worker or an operator. */
export type Query = (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>;

const PAGE_EVENTS = 5000;

/** Plain columns: what a function of the database says of itself proves nothing. */
const EVENTS = `select e.seq::text, prev_hash, hash, id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, type, actor,
  credential, home_tenant_id, cross_tenant::text, operation, target, host(address) as address, request_id, reason, details::text
from public.security_events e
where coalesce(e.tenant_id, '*') = $1 and e.seq is not null and e.seq > $2 and e.seq <= $3 order by e.seq, e.id limit ${PAGE_EVENTS}`;

const events = z.array(chainedEvent);

export function chainReader(query: Query, chain: string): ReadChain {
  return async (after, through): Promise<ChainedEvent[]> => events.parse((await query(EVENTS, [chain, after, through])).rows);
}

export async function readChainState(query: Query, chain: string): Promise<ChainState> {
  const { rows } = await query("select private.chain_state($1) as state", [chain]);
  return z.tuple([z.object({ state: chainState })]).parse(rows)[0].state;
}
