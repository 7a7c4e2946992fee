import { z } from "zod";
import { type ChainedEvent, hashOf } from "./chain.ts";
import { type Checkpoint, checkpoint, verifyCheckpoint } from "./checkpoint.ts";
import type { ChainFault, ChainVerification } from "./contract.ts";

export const chainState = z.object({
  chain: z.string(),
  as_of: z.string(),
  head: z.object({ seq: z.int(), hash: z.string() }).nullable(),
  /** The ID of an event outside of the chain, if there is one. */
  unchained: z.string().nullable(),
  checkpoints: z.array(checkpoint),
});
export type ChainState = z.output<typeof chainState>;

/**
 * Reads events after one position and up to another, in order. It may return only some of them, but
 * returns none only at the end.
 */
export type ReadChain = (after: number, through: number) => Promise<ChainedEvent[]>;

/** `id` is null for a position whose event isn't read. */
type Position = { seq: number; hash: string | null; id: string | null };
type Proven = {
  prefix: Checkpoint | undefined;
  heads: Checkpoint[];
  unsoundCheckpoint: { signed: Checkpoint; reason: string } | undefined;
};

/**
 * Walks a chain and reports the first event that doesn't fit. It starts at the beginning of the
 * chain or at a signed state, and trusts nothing that the database computes.
 */
export async function verifyChain(
  state: ChainState,
  read: ReadChain,
  from?: Checkpoint,
): Promise<ChainVerification> {
  const proven = proveCheckpoints(state);
  const begin = from ?? proven.prefix;
  const start: Position = { seq: begin?.seq ?? 0, hash: begin?.hash ?? null, id: null };
  const through = Math.max(state.head?.seq ?? 0, start.seq);
  const walk = new Walk(state.chain, proven, start, read, through);
  const fault =
    unsoundFault(proven) ??
    (await walk.run()) ??
    endFault(state, proven, walk.last) ??
    unchainedFault(state, walk.last);
  const signed = proven.heads.findLast(({ seq }) => seq <= walk.last.seq) ?? proven.prefix ?? null;
  return {
    status: fault ? "broken" : "intact",
    as_of: state.as_of,
    events: walk.last.seq - start.seq,
    forgotten_through_seq: proven.prefix?.seq ?? null,
    verified_through:
      walk.last.seq > start.seq && walk.last.hash
        ? { seq: walk.last.seq, id: walk.last.id ?? "", hash: walk.last.hash }
        : null,
    checkpoint: signed,
    unsigned_events: Math.max(0, walk.last.seq - (signed?.seq ?? 0)),
    fault,
  };
}

/** Walks from event to event until one doesn't fit. */
class Walk {
  last: Position;
  #before: Position;
  readonly #chain: string;
  readonly #heads: Map<number, Checkpoint[]>;
  readonly #read: ReadChain;
  readonly #through: number;

  constructor(chain: string, { heads }: Proven, start: Position, read: ReadChain, through: number) {
    this.last = start;
    this.#before = start;
    this.#chain = chain;
    this.#heads = Map.groupBy(heads, ({ seq }) => seq);
    this.#read = read;
    this.#through = through;
  }

  async run(): Promise<ChainFault | null> {
    while (this.last.seq < this.#through) {
      const events = await this.#read(this.last.seq, this.#through);
      if (events.length === 0) return null;
      for (const event of events) {
        const fault = (await this.#faultOf(event)) ?? this.#signatureFault(event);
        if (fault) return fault;
        this.#before = this.last;
        this.last = { seq: Number(event.seq), hash: event.hash, id: event.id };
      }
    }
    return null;
  }

  async #faultOf(event: ChainedEvent): Promise<ChainFault | null> {
    const seq = Number(event.seq);
    const expectedSeq = this.last.seq + 1;
    if (seq > expectedSeq) return missing(expectedSeq, seq - 1);
    if (seq < expectedSeq)
      return {
        reason: "order_changed",
        seq,
        event_id: event.id,
        message: `Two events have number ${seq}.`,
      };
    const isIntact = hashOf(this.#chain, event) === event.hash;
    if (event.prev_hash === this.last.hash) return isIntact ? null : changed(seq, event.id);
    if (isIntact) return this.#rewrittenBefore(event);
    const originalSeq = this.#originalPosition(event);
    if (originalSeq === null) return changed(seq, event.id);
    if (event.prev_hash !== null && !(await this.#occursLater(event.prev_hash)))
      return missing(seq, originalSeq - 1);
    return {
      reason: "order_changed",
      seq,
      event_id: event.id,
      message: `The event stored as number ${seq} was written as number ${originalSeq}.`,
    };
  }

  /** The event itself is unchanged, but the event before it was rewritten. */
  #rewrittenBefore(event: ChainedEvent): ChainFault {
    const { seq, id } = this.last;
    this.last = this.#before;
    if (id === null) {
      const message =
        `Event ${event.seq} wasn't the first event: earlier events ` +
        "are missing without a signed record of their purge.";
      return { reason: "row_missing", seq: Number(event.seq), event_id: event.id, message };
    }
    return changed(seq, id);
  }

  /** The nearby position, up to 1,000 away, for which the event's hash is right. */
  #originalPosition(event: ChainedEvent): number | null {
    const seq = Number(event.seq);
    for (let distance = 1; distance <= 1000; distance++) {
      for (const number of [seq + distance, seq - distance]) {
        if (number > 0 && hashOf(this.#chain, { ...event, seq: String(number) }) === event.hash)
          return number;
      }
    }
    return null;
  }

  async #occursLater(hash: string): Promise<boolean> {
    for (let after = this.last.seq; after < this.#through; ) {
      const events = await this.#read(after, this.#through);
      const end = events.at(-1);
      if (!end) return false;
      if (events.some((event) => event.hash === hash)) return true;
      after = Number(end.seq);
    }
    return false;
  }

  #signatureFault(event: ChainedEvent): ChainFault | null {
    const seq = Number(event.seq);
    const other = this.#heads.get(seq)?.find(({ hash }) => hash !== event.hash);
    if (!other) return null;
    const signedBefore = Math.max(0, ...[...this.#heads.keys()].filter((value) => value < seq));
    const message =
      `What was signed at ${other.at} as number ${seq} has another hash: some of the events ` +
      `${signedBefore + 1} to ${seq} were rewritten since.`;
    return { reason: "tail_rewritten", seq, event_id: event.id, message };
  }
}

function proveCheckpoints({ chain, checkpoints }: ChainState): Proven {
  let unsoundCheckpoint: Proven["unsoundCheckpoint"];
  const valid = checkpoints.filter((signed) => {
    const verdict = verifyCheckpoint(chain, signed);
    const reason =
      verdict === "forged"
        ? "its signature is invalid"
        : `no key with the id ${signed.key_id} is known here`;
    if (verdict !== "valid") unsoundCheckpoint ??= { signed, reason };
    return verdict === "valid";
  });
  const prefix = valid.findLast(({ kind }) => kind === "prefix");
  const heads = valid
    .filter(({ kind }) => kind === "head")
    .sort((left, right) => left.seq - right.seq);
  return { prefix, heads, unsoundCheckpoint };
}

function unsoundFault({ unsoundCheckpoint }: Proven): ChainFault | null {
  if (!unsoundCheckpoint) return null;
  const { signed, reason } = unsoundCheckpoint;
  const message = `The checkpoint of ${signed.at} at number ${signed.seq} proves nothing: ${reason}.`;
  return { reason: "checkpoint_invalid", seq: signed.seq, event_id: null, message };
}

function endFault({ head }: ChainState, { heads }: Proven, last: Position): ChainFault | null {
  const signed = heads.at(-1);
  const end = Math.max(head?.seq ?? 0, signed?.seq ?? 0);
  if (end > last.seq) {
    const proof =
      signed?.seq === end
        ? `was signed at ${signed.at} up to number ${end}`
        : `went on to number ${end}`;
    return {
      reason: "tail_cut",
      seq: last.seq + 1,
      event_id: null,
      message: `The chain ${proof}; now it ends at ${last.seq}.`,
    };
  }
  if (head && head.hash !== last.hash) return changed(last.seq, last.id);
  return null;
}

function unchainedFault({ unchained }: ChainState, last: Position): ChainFault | null {
  if (unchained === null) return null;
  return {
    reason: "not_chained",
    seq: last.seq + 1,
    event_id: unchained,
    message: "This event was added outside the chain.",
  };
}

function missing(from: number, to: number): ChainFault {
  const message =
    from === to ? `Event number ${from} is missing.` : `The events ${from} to ${to} are missing.`;
  return { reason: "row_missing", seq: from, event_id: null, message };
}

function changed(seq: number, id: string | null): ChainFault {
  return {
    reason: "content_changed",
    seq,
    event_id: id,
    message: `Event number ${seq} was altered.`,
  };
}
