import type { Shard, SolvedPair } from "./assignment/shards.ts";

/**
 * Where a run is, in steps of its present stage. Between two of these a caller may do other work, a heartbeat for instance. Where
 * there are `shards`, the caller may have them solved elsewhere and hand all their pairs back to `next`; otherwise they are solved here.
 */
export type Progress = { stage: string; done: number; total: number; shards?: readonly Shard[] };

export type Answer = readonly SolvedPair[] | undefined;
