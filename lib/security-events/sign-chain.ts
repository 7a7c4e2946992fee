import { z } from "zod";
import { type Checkpoint, checkpoint, signCheckpoint } from "./checkpoint.ts";
import type { ChainFault } from "./contract.ts";
import { chainReader, type Query, readChainState } from "./read-chain.ts";
import { verifyChain } from "./verify-chain.ts";

const grownChain = z.object({
  chain: z.string(),
  seq: z.coerce.number(),
  hash: z.string(),
  at: z.string(),
  signed: checkpoint.nullable(),
});

export type Signing = { chain: string } & ({ signed: Checkpoint } | { fault: ChainFault });

/**
 * The last state that this process signed for each chain, to detect a signed state that vanished
 * from the database.
 */
const lastSigned = new Map<string, Checkpoint>();

/**
 * Signs the state of each chain that grew, after verifying the events since the last signed state.
 */
export async function signGrownChains(query: Query): Promise<Signing[]> {
  const { rows } = await query("select * from private.unsigned_security_event_chains()", []);
  const signings: Signing[] = [];
  for (const { chain, seq, hash, at, signed } of z.array(grownChain).parse(rows)) {
    const before = laterOf(signed, lastSigned.get(chain));
    // Only the events since then are verified: the signed state vouches for those before.
    const state = {
      chain,
      as_of: at,
      head: { seq, hash },
      unchained: null,
      checkpoints: before ? [before] : [],
    };
    const { fault } = await verifyChain(state, chainReader(query, chain), before ?? undefined);
    if (fault) {
      signings.push({ chain, fault });
      continue;
    }
    const next = signCheckpoint(chain, { kind: "head", seq, hash, at });
    const { key_id, signature } = next;
    await query("select private.store_security_event_checkpoint($1, 'head', $2, $3, $4, $5, $6)", [
      chain,
      seq,
      hash,
      at,
      key_id,
      signature,
    ]);
    lastSigned.set(chain, next);
    signings.push({ chain, signed: next });
  }
  return signings;
}

const eventsToPurge = z.object({
  chain: z.string(),
  through: z.coerce.number(),
  hash: z.string(),
  at: z.string(),
});

/**
 * Signs the purge of events that exceeded their retention time, after verifying them, so that the
 * rest stays provable without them.
 */
export async function signPurges(query: Query): Promise<Signing[]> {
  const { rows } = await query("select * from private.forgettable_security_events()", []);
  const signings: Signing[] = [];
  for (const { chain, through, hash, at } of z.array(eventsToPurge).parse(rows)) {
    const state = await readChainState(query, chain);
    const checkpoints = state.checkpoints.filter(({ seq }) => seq <= through);
    const { fault } = await verifyChain(
      { ...state, head: { seq: through, hash }, unchained: null, checkpoints },
      chainReader(query, chain),
    );
    if (fault) {
      signings.push({ chain, fault });
      continue;
    }
    const signed = signCheckpoint(chain, { kind: "prefix", seq: through, hash, at });
    const { key_id, signature } = signed;
    await query("select private.forget_security_events($1, $2, $3, $4, $5, $6)", [
      chain,
      through,
      hash,
      at,
      key_id,
      signature,
    ]);
    signings.push({ chain, signed });
  }
  return signings;
}

function laterOf(left: Checkpoint | null, right: Checkpoint | undefined): Checkpoint | null {
  return !left || (right && right.seq > left.seq) ? (right ?? left) : left;
}
